//! Three sources, and systolic operations, to bits and back.

use super::{
    codes,
    decode::Decoder,
    encode::Encoder,
    layout::{Layout, Operand},
    operand::{src_mod_code, src_mod_of},
    words::{Direct, Dpas, Ternary},
};
use crate::{DecodeError, error::Encoded};
use gen_ir::{CondMod, Dst, Inst, Op, Options, Payload, Physical, Reg, Region, Src, SrcMod};
use platforms::{Caps, Format, XeFormat};

#[derive(Clone, Copy, Default)]
struct TernarySource {
    slot: u16,
    data_type: u8,
    src_mod: u8,
    vert: u8,
    is_imm: bool,
}

/// The sources of a word of three.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TernaryPlace {
    Src0,
    Src1,
    Src2,
}

impl TernaryPlace {
    const fn field(self) -> &'static str {
        match self {
            TernaryPlace::Src0 => "src0",
            TernaryPlace::Src1 => "src1",
            TernaryPlace::Src2 => "src2",
        }
    }

    /// Whether the word has its vertical stride.
    fn has_vert(self) -> bool {
        self != TernaryPlace::Src2
    }

    /// Whether it may be an immediate.
    fn may_be_imm(self) -> bool {
        self != TernaryPlace::Src1
    }
}

#[derive(Clone, Copy)]
struct TernarySlot {
    slot: u16,
    is_imm: bool,
    ty: u8,
    mods: u8,
    /// Code of the vertical stride, where the source has one.
    vert: Option<u8>,
}

/// Bits of a destination's slot that a word does not read: Tiger Lake's say in units of eight bytes where in a register it begins
/// (iga64, which does without the bits below, and assembles no others).
fn unread_place(caps: &Caps) -> u16 {
    match caps.words.format {
        Format::Xe(XeFormat::Gen12) => Direct::new().with_sub_reg_num(7).into_bits(),
        Format::Gen8(_) | Format::Xe(XeFormat::XeHpg | XeFormat::XeHpc) => 0,
    }
}

impl Encoder<'_> {
    pub(super) fn ternary<L: Layout>(&self) -> Encoded<u128> {
        let i = self.inst;
        let mut w = Ternary::new().with_acc_wr_ctrl(i.opts.has(Options::ACC_WR_EN)).with_saturate(i.sat);
        let is_macro = i.op == Op::Madm;
        let (slot, ty) = match i.dst {
            Dst::Macro { reg, mme, ty } if is_macro => (self.macro_slot("dst", reg, mme, 0)?, ty),
            Dst::Direct { reg, horz, ty } if !is_macro => {
                let code = match horz {
                    1 => 0,
                    2 => 1,
                    _ => return Err(self.error("dst", u32::from(horz), "a stride of 1 or 2")),
                };
                let operand = self.direct::<L>("dst", reg, 0)?;
                self.no_low_bit("dst", operand)?;
                if operand.slot & unread_place(self.caps) != 0 {
                    return Err(self.error("dst", reg.byte, "a multiple of 8 bytes with three sources"));
                }
                (Direct::from_bits(operand.slot).with_horz_stride(code).into_bits(), ty)
            }
            _ => return Err(self.error("dst", "another kind of operand", "a register")),
        };
        let code = self.type_code("dst", ty)?;
        let float = code & 8 != 0;
        w = w.with_dst(slot).with_dst_data_type(code & 7).with_exec_data_type(float);

        let s0 = self.ternary_source::<L>(TernaryPlace::Src0, &i.src[0], float)?;
        let s1 = self.ternary_source::<L>(TernaryPlace::Src1, &i.src[1], float)?;
        let s2 = self.ternary_source::<L>(TernaryPlace::Src2, &i.src[2], float)?;
        w = w
            .with_src0(s0.slot)
            .with_src0_data_type(s0.data_type)
            .with_src0_vert_stride_0(s0.vert & 1 != 0)
            .with_src0_vert_stride_1(s0.vert & 2 != 0)
            .with_src0_src_mod(s0.src_mod)
            .with_src0_is_imm(s0.is_imm)
            .with_src1(s1.slot)
            .with_src1_data_type(s1.data_type)
            .with_src1_vert_stride_0(s1.vert & 1 != 0)
            .with_src1_vert_stride_1(s1.vert & 2 != 0)
            .with_src1_src_mod(s1.src_mod)
            .with_src2(s2.slot)
            .with_src2_data_type(s2.data_type)
            .with_src2_src_mod(s2.src_mod)
            .with_src2_is_imm(s2.is_imm);
        if i.op != Op::Bfn {
            if i.payload != Payload::None {
                return Err(self.error("payload", "present", "none"));
            }
            if is_macro {
                self.no_cond()?;
                if i.sat {
                    return Err(self.error("Saturate", "set", "clear in a math macro of three sources"));
                }
            }
            return Ok(w.with_cond_modifier(self.cond()?).into_bits());
        }
        self.bfn(w, [s0, s1, s2])
    }

    /// The truth table and condition of `bfn`, where other operations have modifiers.
    fn bfn(&self, w: Ternary, sources: [TernarySource; 3]) -> Encoded<u128> {
        let i = self.inst;
        let Payload::Bfn(table) = i.payload else {
            return Err(self.error("BooleanFuncCtrl", "none", "a truth table"));
        };
        if sources.iter().any(|s| s.src_mod != 0) {
            return Err(self.error("SrcMod", "present", "none"));
        }
        let cond = match i.cond {
            None => 0,
            Some(c) => match codes::bfn_cond_code(c.cond) {
                Some(code) => code,
                None => return Err(self.error("CondModifier", c.cond.number(), "eq, gt or lt")),
            },
        };
        Ok(w.with_src0_src_mod(cond)
            .with_src2_src_mod(table & 3)
            .with_src1_src_mod(table >> 2 & 3)
            .with_cond_modifier(table >> 4)
            .into_bits())
    }

    #[inline]
    fn ternary_source<L: Layout>(
        &self,
        slot: TernaryPlace,
        src: &Src<Physical>,
        float: bool,
    ) -> Encoded<TernarySource> {
        let field = slot.field();
        let Some(ty) = src.ty() else {
            return Err(self.error(field, "none", "an operand"));
        };
        let code = self.type_code(field, ty)?;
        if (code & 8 != 0) != float {
            return Err(self.error(field, ty, "integers only, or floats only"));
        }
        let mut s = TernarySource { data_type: code & 7, ..TernarySource::default() };
        match *src {
            Src::Imm { bits, .. } if slot.may_be_imm() && self.inst.op != Op::Madm => {
                s.slot = u16::try_from(bits)
                    .map_err(|_| self.error(field, bits.cast_signed(), "an immediate of 16 bits"))?;
                s.is_imm = true;
            }
            Src::Direct { reg, region, mods, .. } if self.inst.op != Op::Madm => {
                let operand = self.direct::<L>(field, reg, region.horz)?;
                self.no_low_bit(field, operand)?;
                s.slot = operand.slot;
                s.src_mod = src_mod_code(mods);
                s.vert = match (slot.has_vert(), codes::ternary_vert_code(region.vert)) {
                    _ if !codes::is_absent(region) => None,
                    (true, code) => code,
                    (false, _) => (region.vert == Region::ABSENT).then_some(0),
                }
                .ok_or_else(|| {
                    let allowed = if slot.has_vert() { "<V;H> with V in 0, 1, 4, 8" } else { "<H>" };
                    self.error(field, u32::from(region.vert), allowed)
                })?;
            }
            Src::Macro { reg, mme, mods, .. } if self.inst.op == Op::Madm => {
                s.slot = self.macro_slot(field, reg, mme, 1)?;
                s.src_mod = src_mod_code(mods);
                s.vert = if slot.has_vert() { 2 } else { 0 };
            }
            _ => return Err(self.error(field, "another kind of operand", "a register")),
        }
        Ok(s)
    }

    pub(super) fn no_low_bit(&self, field: &'static str, operand: Operand) -> Encoded<()> {
        if operand.low { Err(self.error(field, 1u32, "an even byte offset")) } else { Ok(()) }
    }

    pub(super) fn dpas<L: Layout>(&self) -> Encoded<u128> {
        let i = self.inst;
        let Payload::Dpas { depth, repeat } = i.payload else {
            return Err(self.error("payload", "none", "systolic depth and repeat count"));
        };
        let depth = match depth {
            1 => 0,
            2 => 1,
            4 => 2,
            8 => 3,
            _ => return Err(self.error("SystolicDepth", u32::from(depth), "1, 2, 4 or 8")),
        };
        if !(1..=8).contains(&repeat) {
            return Err(self.error("RepeatCount", u32::from(repeat), "1 to 8"));
        }
        self.no_cond()?;
        if i.sat {
            return Err(self.error("Saturate", "set", "clear"));
        }
        let Dst::Direct { reg, horz: 1, ty } = i.dst else {
            return Err(self.error("dst", "another kind of operand", "a register with stride 1"));
        };
        let dst = self.direct::<L>("dst", reg, 0)?;
        self.no_low_bit("dst", dst)?;
        let dst_type = self.type_code("dst", ty)?;
        let float = dst_type & 8 != 0;
        let source = |field, src: &Src<Physical>| -> Encoded<(u16, u8, u8)> {
            let Src::Direct { reg, mods: SrcMod::None, ty, .. } = *src else {
                return Err(self.error(field, "another kind of operand", "a register without modifier"));
            };
            let operand = self.direct::<L>(field, reg, 0)?;
            self.no_low_bit(field, operand)?;
            match codes::dpas_type_code(ty) {
                Some((code, precision)) if (code & 8 != 0) == float => {
                    Ok((operand.slot, code & 7, precision))
                }
                _ => Err(self.error(field, ty, "a systolic type: all integers, or all floats")),
            }
        };
        let (src0, src0_type, src0_precision) = source("src0", &i.src[0])?;
        let (src1, src1_type, src1_precision) = source("src1", &i.src[1])?;
        let (src2, src2_type, src2_precision) = source("src2", &i.src[2])?;
        if src0_precision != 0 {
            return Err(self.error("src0", "packed integers", "the type of the destination"));
        }
        Ok(Dpas::new()
            .with_dst(Direct::from_bits(dst.slot).with_horz_stride(depth).into_bits())
            .with_dst_data_type(dst_type & 7)
            .with_exec_data_type(float)
            .with_repeat_count(repeat - 1)
            .with_src0(src0)
            .with_src0_data_type(src0_type)
            .with_src1(src1)
            .with_src1_data_type(src1_type)
            .with_src1_precision(src1_precision)
            .with_src2(src2)
            .with_src2_data_type(src2_type)
            .with_src2_precision(src2_precision)
            .into_bits())
    }
}

impl Decoder {
    pub(super) fn ternary<L: Layout>(&self, inst: &mut Inst<Physical>) -> Result<(), DecodeError> {
        let w = Ternary::from_bits(self.word);
        let float = u8::from(w.exec_data_type()) << 3;
        let is_bfn = inst.op == Op::Bfn;
        let is_macro = inst.op == Op::Madm;
        if w.acc_wr_ctrl() && self.caps.words.acc_write_enable {
            inst.opts = inst.opts.with(Options::ACC_WR_EN);
        }
        inst.sat = w.saturate() && !is_macro;
        let ty = self.type_of("Dst.DataType", w.dst_data_type() | float)?;
        let dst = Operand { slot: w.dst(), indirect: false, low: false };
        inst.dst = if is_macro {
            let (reg, mme) = self.macro_reg("Dst", dst)?;
            Dst::Macro { reg, mme, ty }
        } else {
            let horz = 1 << (Direct::from_bits(dst.slot).horz_stride() & 1);
            let dst = Operand { slot: dst.slot & !unread_place(self.caps), ..dst };
            Dst::Direct { reg: self.direct::<L>("Dst.RegNum", dst)?.0, horz, ty }
        };

        let (mods0, mods1, mods2) = (w.src0_src_mod(), w.src1_src_mod(), w.src2_src_mod());
        let vert = |low: bool, high: bool| u8::from(low) | u8::from(high) << 1;
        let ternary = |slot, code, mods, vert| TernarySlot {
            slot,
            is_imm: false,
            ty: code | float,
            mods: if is_bfn { 0 } else { mods },
            vert,
        };
        let vert0 = vert(w.src0_vert_stride_0(), w.src0_vert_stride_1());
        let s0 = TernarySlot {
            is_imm: w.src0_is_imm(),
            ..ternary(w.src0(), w.src0_data_type(), mods0, Some(vert0))
        };
        let s1 = ternary(
            w.src1(),
            w.src1_data_type(),
            mods1,
            Some(vert(w.src1_vert_stride_0(), w.src1_vert_stride_1())),
        );
        let s2 =
            TernarySlot { is_imm: w.src2_is_imm(), ..ternary(w.src2(), w.src2_data_type(), mods2, None) };
        inst.src = [
            self.ternary_source::<L>("Src0", s0, is_macro)?,
            self.ternary_source::<L>("Src1", s1, is_macro)?,
            self.ternary_source::<L>("Src2", s2, is_macro)?,
        ];
        let function = w.cond_modifier();
        if is_bfn {
            inst.payload = Payload::Bfn(function << 4 | mods1 << 2 | mods2);
            if mods0 != 0 {
                let cond =
                    codes::bfn_cond_of(mods0).ok_or_else(|| self.error("CondModifier", mods0, "0 to 3"))?;
                inst.cond = Some(CondMod { cond, flag: Reg::NULL });
            }
            return Ok(());
        }
        if is_macro { Ok(()) } else { self.set_cond(function, inst) }
    }

    #[inline]
    fn ternary_source<L: Layout>(
        &self,
        field: &'static str,
        s: TernarySlot,
        is_macro: bool,
    ) -> Result<Src<Physical>, DecodeError> {
        let ty = self.type_of("Src.DataType", s.ty)?;
        let mods = src_mod_of(s.mods);
        let operand = Operand { slot: s.slot, indirect: false, low: false };
        match (s.is_imm, is_macro) {
            // An immediate has neither modifiers nor strides.
            (true, false) => Ok(Src::Imm { bits: s.slot.into(), ty }),
            (false, true) => {
                let (reg, mme) = self.macro_reg(field, operand)?;
                Ok(Src::Macro { reg, mme, mods, ty })
            }
            (false, false) => {
                let (reg, horz) = self.direct::<L>(field, operand)?;
                let region = match s.vert {
                    Some(code) => Region::ternary(codes::ternary_vert_of(code), horz),
                    None => Region::ternary_last(horz),
                };
                Ok(Src::Direct { reg, region, mods, ty })
            }
            (true, true) => Err(self.error(field, s.slot, "a register with mme")),
        }
    }

    pub(super) fn dpas<L: Layout>(&self, inst: &mut Inst<Physical>) -> Result<(), DecodeError> {
        let w = Dpas::from_bits(self.word);
        let float = u8::from(w.exec_data_type()) << 3;
        let depth = Direct::from_bits(w.dst()).horz_stride();
        inst.payload = Payload::Dpas { depth: 1 << depth, repeat: w.repeat_count() + 1 };
        let operand = |slot: u16| Operand { slot, indirect: false, low: false };
        let ty = self.type_of("Dst.DataType", w.dst_data_type() | float)?;
        let (reg, _) = self.direct::<L>("Dst.RegNum", operand(w.dst()))?;
        inst.dst = Dst::Direct { reg, horz: 1, ty };
        let source =
            |field, slot: u16, code: u8, precision: u8, region| -> Result<Src<Physical>, DecodeError> {
                let ty = codes::dpas_type_of(code | float, precision)
                    .ok_or_else(|| self.error(field, code, "a systolic type"))?;
                let (reg, _) = self.direct::<L>(field, operand(slot))?;
                Ok(Src::Direct { reg, region, mods: SrcMod::None, ty })
            };
        inst.src = [
            source("Src0", w.src0(), w.src0_data_type(), 0, Region::PACKED)?,
            source("Src1", w.src1(), w.src1_data_type(), w.src1_precision(), Region::PACKED)?,
            source("Src2", w.src2(), w.src2_data_type(), w.src2_precision(), Region::PACKED)?,
        ];
        Ok(())
    }
}
