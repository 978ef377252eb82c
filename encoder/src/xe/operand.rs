//! Operands that several formats share: registers, indirect operands, immediates, math macros.

use std::ops::RangeInclusive;

use super::{
    codes,
    decode::Decoder,
    encode::Encoder,
    layout::{Layout, Operand},
    words::{Direct, Indirect, Macro},
};
use crate::{DecodeError, error::Encoded};
use gen_ir::{AddrSub, Mme, Op, Physical, Reg, Src, SrcMod, Type};
use narrow::{low_u32, to_i16};

impl Encoder<'_> {
    #[inline(always)]
    pub(super) fn type_code(&self, field: &'static str, ty: Type) -> Encoded<u8> {
        match codes::type_code(ty) {
            Some(code) if self.caps.ops.bf16 || !matches!(ty, Type::Bf | Type::Bf8 | Type::Tf32) => Ok(code),
            _ => Err(self.error(field, ty, "a data type of the platform")),
        }
    }

    pub(super) fn imm_type_code(&self, field: &'static str, ty: Type) -> Encoded<u8> {
        match codes::imm_type_code(ty) {
            Some(code) if self.caps.ops.bf16 || ty != Type::Bf => Ok(code),
            _ => Err(self.error(field, ty, "a data type of immediates")),
        }
    }

    /// An immediate in its place: bits 127..96, and the high half of 64 bits below. A word stands there twice, but once in
    /// `sync`, as Intel's finalizer writes it.
    #[inline(always)]
    pub(super) fn imm(&self, field: &'static str, bits: u64, ty: Type) -> Encoded<u128> {
        let (high, low) = match ty {
            Type::Uw | Type::W if bits <= 0xffff && self.inst.op == Op::Sync => (0, bits),
            Type::Uw | Type::W | Type::Hf | Type::Bf if bits <= 0xffff => (0, bits << 16 | bits),
            Type::Uq | Type::Q | Type::Df => (bits >> 32, bits & 0xffff_ffff),
            Type::Uw | Type::W | Type::Hf | Type::Bf => {
                return Err(self.error(field, bits.cast_signed(), "a value that fits the type"));
            }
            _ if bits <= 0xffff_ffff => (0, bits),
            _ => return Err(self.error(field, bits.cast_signed(), "a value that fits the type")),
        };
        Ok(u128::from(low) << 96 | u128::from(high) << 64)
    }

    #[inline(always)]
    pub(super) fn reg(&self, field: &'static str, reg: Reg<Physical>) -> Encoded<(bool, u8)> {
        codes::reg_code(reg)
            .ok_or_else(|| self.error(field, "a register out of range", "a register of the platform"))
    }

    #[inline(always)]
    pub(super) fn direct<L: Layout>(
        &self,
        field: &'static str,
        reg: Reg<Physical>,
        horz: u8,
    ) -> Encoded<Operand> {
        let (file, num) = self.reg(field, reg)?;
        if reg.byte >= self.caps.regs.grf_bytes.into() {
            return Err(self.error(field, reg.byte, "a byte offset inside the register"));
        }
        let Some(horz) = codes::horz_code(horz) else {
            return Err(self.error(field, u32::from(horz), "a stride of 0, 1, 2 or 4"));
        };
        let (sub, low) = L::split_byte(reg.byte);
        let slot = Direct::new()
            .with_horz_stride(horz)
            .with_reg_file(file)
            .with_sub_reg_num(sub)
            .with_reg_num(num)
            .into_bits();
        Ok(Operand { slot, indirect: false, low })
    }

    pub(super) fn indirect<L: Layout>(
        &self,
        field: &'static str,
        addr: Reg<Physical>,
        imm: i16,
        horz: u8,
        range: RangeInclusive<i16>,
    ) -> Encoded<Operand> {
        let Some(sub) = addr.address_sub() else {
            return Err(self.error(field, addr.byte, "a subregister of a0"));
        };
        if !range.contains(&imm) {
            return Err(self.error(field, i64::from(imm), "an offset that fits the field"));
        }
        let Some(horz) = codes::horz_code(horz) else {
            return Err(self.error(field, u32::from(horz), "a stride of 0, 1, 2 or 4"));
        };
        let (imm, low) = L::split_imm(imm.into());
        let slot = Indirect::new()
            .with_horz_stride(horz)
            .with_addr_imm(imm)
            .with_addr_sub_reg_num(sub.number())
            .into_bits();
        Ok(Operand { slot, indirect: true, low })
    }

    pub(super) fn macro_slot(
        &self,
        field: &'static str,
        reg: Reg<Physical>,
        mme: Mme,
        horz: u8,
    ) -> Encoded<u16> {
        let (file, num) = self.reg(field, reg)?;
        let mme = match mme {
            Mme::Reg(n @ 0..=7) => n,
            Mme::None => 8,
            Mme::Reg(n) => return Err(self.error(field, u32::from(n), "mme0 to mme7 or nomme")),
        };
        if reg.byte != 0 {
            return Err(self.error(field, reg.byte, "a whole register"));
        }
        let slot = Macro::new()
            .with_horz_stride(horz)
            .with_reg_file(file)
            .with_math_macro_ext(mme)
            .with_reg_num(num);
        Ok(slot.into_bits())
    }

    pub(super) fn whole_reg(&self, field: &'static str, reg: Reg<Physical>) -> Encoded<(bool, u8)> {
        if reg.byte != 0 {
            return Err(self.error(field, reg.byte, "a whole register"));
        }
        self.reg(field, reg)
    }
}

impl Decoder {
    #[inline]
    pub(super) fn type_of(&self, field: &'static str, code: u8) -> Result<Type, DecodeError> {
        codes::type_with(code, self.caps.ops.bf16)
            .ok_or_else(|| self.error(field, code, "a data type of the platform"))
    }

    /// The immediate, and whether it has 64 bits.
    pub(super) fn imm(&self, field: &'static str, code: u8) -> Result<(Src<Physical>, bool), DecodeError> {
        let ty = codes::imm_type_of(code, self.caps.ops.bf16)
            .ok_or_else(|| self.error(field, code, "a data type of immediates"))?;
        let low = u64::from(low_u32(self.word >> 96));
        let (bits, long) = match ty {
            // The upper half is the lower one again, in `sync` zero; whatever it is, it is not read.
            Type::Uw | Type::W | Type::Hf | Type::Bf => (low & 0xffff, false),
            Type::Uq | Type::Q | Type::Df => (low | u64::from(low_u32(self.word >> 64)) << 32, true),
            _ => (low, false),
        };
        Ok((Src::Imm { bits, ty }, long))
    }

    #[inline(always)]
    pub(super) fn direct<L: Layout>(
        &self,
        field: &'static str,
        operand: Operand,
    ) -> Result<(Reg<Physical>, u8), DecodeError> {
        let slot = Direct::from_bits(operand.slot);
        let base = codes::reg_of(slot.reg_file(), slot.reg_num())
            .ok_or_else(|| self.error(field, slot.reg_num(), "a register of the platform"))?;
        let byte = L::join_byte(slot.sub_reg_num(), operand.low);
        if byte >= self.caps.regs.grf_bytes.into() {
            return Err(self.error(field, byte, "a byte offset inside the register"));
        }
        Ok((Reg::new(base, byte), codes::horz_of(slot.horz_stride())))
    }

    #[inline]
    pub(super) fn indirect<L: Layout>(&self, operand: Operand) -> (Reg<Physical>, i16, u8) {
        let slot = Indirect::from_bits(operand.slot);
        let addr = Reg::address(AddrSub::new(slot.addr_sub_reg_num()));
        let imm = L::join_imm(slot.addr_imm(), operand.low);
        (addr, to_i16(imm), codes::horz_of(slot.horz_stride()))
    }

    pub(super) fn macro_reg(
        &self,
        field: &'static str,
        operand: Operand,
    ) -> Result<(Reg<Physical>, Mme), DecodeError> {
        let slot = Macro::from_bits(operand.slot);
        let mme = match slot.math_macro_ext() {
            n @ 0..=7 => Mme::Reg(n),
            8 => Mme::None,
            n => return Err(self.error("MathMacroExt", n, "0 to 8")),
        };
        let base = codes::reg_of(slot.reg_file(), slot.reg_num())
            .ok_or_else(|| self.error(field, slot.reg_num(), "a register of the platform"))?;
        Ok((Reg::new(base, 0), mme))
    }
}

/// The region of macro operands of the basic format is `<1;1,0>`, of a single channel `<0;1,0>`.
pub(super) fn macro_vert_stride(single_channel: bool) -> u8 {
    u8::from(!single_channel)
}

/// The two bits of a source modifier.
pub(super) fn src_mod_code(mods: SrcMod) -> u8 {
    u8::from(mods.abs()) | u8::from(mods.neg()) << 1
}

/// The source modifier of two bits.
pub(super) fn src_mod_of(bits: u8) -> SrcMod {
    SrcMod::new(bits & 1 != 0, bits & 2 != 0)
}
