//! Words to Gen IR.
//!
//! Every form names the bits it reads ([`Used`]); all others must be zero, so that a word that decodes
//! can be encoded again without loss.

use super::{
    codes,
    encode::{Form, macro_vert_stride},
    layout::{Basic, Controls, Layout, Operand, Source},
    swsb::Kind,
    words::{Branch, Direct, Dpas, Indirect, Macro, Ternary, bits},
};
use crate::{DecodeError, opcodes};
use gen_ir::{
    Arf, Class, Cond, CondMod, Desc, Dst, ExecSize, Inst, MathFn, Mme, Op, Options, Payload, Physical, Pred,
    Reg, Region, SendInfo, SrcMod, SyncFn, Target, Type,
};
use platforms::Platform;

type Src = gen_ir::Src<Physical>;
type Result<T> = std::result::Result<T, DecodeError>;

/// Opcode, execution size, channel offset, DebugCtrl, MaskCtrl, AtomicCtrl and whatever stands between
/// them but for reserved bit 7, CmptCtrl, and fields that count only beside others.
const CONTROLS: u128 = bits(0, 6) | bits(8, 28) | bits(30, 32);
const BIT_33: u128 = bits(33, 33);
const SATURATE: u128 = bits(34, 34);
const PRED_INV: u128 = bits(28, 28);
const DST: u128 = bits(35, 39) | bits(48, 63);
const SRC0: u128 = bits(40, 46) | bits(64, 83);
const SRC1: u128 = bits(88, 91) | bits(96, 115) | bits(120, 121);
const FUNCTION: u128 = bits(92, 95);

/// See [`crate::decode_into`].
#[inline]
pub(super) fn decode_into<L: Layout>(
    platform: Platform,
    word: u128,
    inst: &mut Inst<Physical>,
) -> Result<()> {
    let controls = L::controls_of(word);
    let Some(op) = opcodes::from_number(platform, controls.opcode) else {
        let found = controls.opcode.into();
        return Err(DecodeError::native(word, "Opcode", found, "an operation of the platform"));
    };
    let d = Decoder { word };
    inst.op = op;
    let used = match op.info().class {
        Class::Basic => d.basic::<L>(inst)?,
        Class::Math => d.math::<L>(inst)?,
        Class::Sync => d.sync::<L>(inst)?,
        Class::Ternary => d.ternary::<L>(inst)?,
        Class::Dpas => d.dpas::<L>(inst)?,
        Class::Send => d.send::<L>(inst)?,
        Class::Branch => d.branch::<L>(inst)?,
        Class::Nullary => {
            let kept = if op == Op::Nop { L::SWSB | bits(30, 30) } else { 0 };
            d.only(bits(0, 6) | kept)?;
            bits(0, 6) | kept
        }
    };
    d.only(used | CONTROLS)?;
    d.controls::<L>(&controls, inst)
}

#[derive(Clone, Copy)]
struct Decoder {
    word: u128,
}

impl Decoder {
    #[cold]
    fn error(&self, field: &'static str, found: impl Into<u64>, allowed: &'static str) -> DecodeError {
        DecodeError::native(self.word, field, found.into(), allowed)
    }

    /// Fails on the first bit that is set outside of `used`.
    #[inline]
    fn only(&self, used: u128) -> Result<()> {
        let odd = self.word & !used;
        if odd == 0 {
            return Ok(());
        }
        Err(self.error("Reserved: bit", odd.trailing_zeros(), "zero in this form"))
    }

    /// Fills what [`Controls`] hold; conditions must be in place, they decide whether the flag counts.
    #[inline]
    fn controls<L: Layout>(&self, c: &Controls, inst: &mut Inst<Physical>) -> Result<()> {
        const SIZES: [Option<ExecSize>; 8] = [
            Some(ExecSize::S1),
            Some(ExecSize::S2),
            Some(ExecSize::S4),
            Some(ExecSize::S8),
            Some(ExecSize::S16),
            Some(ExecSize::S32),
            None,
            None,
        ];
        inst.exec =
            SIZES[(c.exec_size & 7) as usize].ok_or_else(|| self.error("ExecSize", c.exec_size, "0 to 5"))?;
        inst.chan = c.channel;
        inst.no_mask = c.no_mask;
        if c.swsb != 0 {
            inst.swsb = L::swsb_of(c.swsb, Kind::of(inst.op))
                .ok_or_else(|| self.error("SWSB", c.swsb, "an annotation"))?;
        }
        let flag = Reg::arf(Arf::Flag(c.flag >> 1), u32::from(c.flag & 1) * 2);
        if c.pred_ctrl != 0 {
            let ctrl = L::pred_of(c.pred_ctrl)
                .ok_or_else(|| self.error("PredCtrl", c.pred_ctrl, "a predicate control"))?;
            inst.pred = Some(Pred { flag, inv: c.pred_inv, ctrl });
        } else {
            let flag_bits = if inst.cond.is_some() { 0 } else { L::FLAG };
            self.only(!(PRED_INV | flag_bits))?;
        }
        if let Some(cond) = &mut inst.cond {
            cond.flag = flag;
        }
        if c.debug {
            inst.opts = inst.opts.with(Options::BREAKPOINT);
        }
        if c.atomic {
            inst.opts = inst.opts.with(Options::ATOMIC);
        }
        Ok(())
    }

    /// A condition; its flag is filled in with the controls.
    fn set_cond(&self, code: u8, inst: &mut Inst<Physical>) -> Result<()> {
        if code != 0 {
            let cond =
                codes::cond_of(code).ok_or_else(|| self.error("CondModifier", code, "0 to 6, 8 or 9"))?;
            inst.cond = Some(CondMod { cond, flag: Reg::NULL });
        }
        Ok(())
    }

    // One or two sources.

    #[inline]
    fn basic<L: Layout>(&self, inst: &mut Inst<Physical>) -> Result<u128> {
        let b = L::basic_of(self.word);
        self.basic_dst::<L>(&b, inst)?;
        let sources = inst.op.info().srcs;
        let (mut used, function) = self.basic_sources::<L>(&b, sources, inst)?;
        let src1 = SRC1 | L::SRC_VERT & bits(96, 127);
        if sources == 1 && !b.src0.is_imm && self.word & src1 != 0 {
            // Older compilers left the strides of a null operand in place of the missing source.
            inst.src[1] = self.basic_source::<L>("Src1.RegNum", &b.src1)?;
            if inst.src[1].reg() != Some(Reg::NULL) {
                return Err(self.error("Src1.RegNum", b.src1.operand.slot, "null"));
            }
            used |= src1;
        }
        if function {
            self.set_cond(b.function, inst)?;
        }
        Ok(used | DST | L::DST_LOW)
    }

    fn math<L: Layout>(&self, inst: &mut Inst<Physical>) -> Result<u128> {
        let b = L::basic_of(self.word);
        let function = codes::math_of(b.function, L::INT_DIV)
            .ok_or_else(|| self.error("MathFC", b.function, "a function of the platform"))?;
        inst.payload = Payload::Math(function);
        let sources = codes::math_sources(function);
        if !codes::math_is_macro(function) {
            self.basic_dst::<L>(&b, inst)?;
            let (used, function) = self.basic_sources::<L>(&b, sources, inst)?;
            if !function {
                return Err(self.error("Src0.DataType", b.src0.data_type, "32 bits or less"));
            }
            return Ok(used | DST | L::DST_LOW);
        }
        inst.sat = b.saturate;
        self.acc_wr(&b, inst);
        inst.cond = Some(CondMod { cond: Cond::Eo, flag: Reg::NULL });
        let (reg, mme) = self.macro_reg("Dst", b.dst, 1)?;
        inst.dst = Dst::Macro { reg, mme, ty: self.type_of::<L>("Dst.DataType", b.dst_type)? };
        let vert_stride = macro_vert_stride(L::controls_of(self.word).exec_size == ExecSize::S1 as u8);
        inst.src[0] = self.macro_source::<L>("Src0", &b.src0, vert_stride)?;
        let mut used = DST | SRC0 | SATURATE | FUNCTION | L::SRC_VERT & bits(64, 95);
        if L::ACC_WR {
            used |= BIT_33;
        }
        if function == MathFn::Invm {
            inst.src[1] = self.macro_source::<L>("Src1", &b.src1, vert_stride)?;
            used |= SRC1 | L::SRC_VERT;
        }
        Ok(used)
    }

    fn sync<L: Layout>(&self, inst: &mut Inst<Physical>) -> Result<u128> {
        let b = L::basic_of(self.word);
        let function = codes::sync_of(b.function, L::SYNC_FENCE)
            .ok_or_else(|| self.error("SyncFC", b.function, "a function of the platform"))?;
        inst.payload = Payload::Sync(function);
        inst.sat = b.saturate;
        self.acc_wr(&b, inst);
        if b.dst.slot != Direct::new().with_horz_stride(1).into_bits() {
            return Err(self.error("Dst", b.dst.slot, "null<1>"));
        }
        let takes_mask = match function {
            SyncFn::AllRd | SyncFn::AllWr => true,
            SyncFn::Bar => L::SYNC_FENCE,
            _ => false,
        };
        if b.src0.is_imm && !takes_mask {
            return Err(self.error("Src0.IsImm", 1u32, "0"));
        }
        let (used, function) = self.basic_sources::<L>(&b, 1, inst)?;
        if !function {
            return Err(self.error("Src0.DataType", b.src0.data_type, "32 bits or less"));
        }
        Ok(used | bits(48, 63))
    }

    fn acc_wr(&self, b: &Basic, inst: &mut Inst<Physical>) {
        if b.acc_wr {
            inst.opts = inst.opts.with(Options::ACC_WR_EN);
        }
    }

    #[inline]
    fn basic_dst<L: Layout>(&self, b: &Basic, inst: &mut Inst<Physical>) -> Result<()> {
        inst.sat = b.saturate;
        self.acc_wr(b, inst);
        let ty = self.type_of::<L>("Dst.DataType", b.dst_type)?;
        inst.dst = if b.dst.indirect {
            let (addr, imm, horz) = self.indirect::<L>(b.dst);
            Dst::Indirect { addr, imm, horz, ty }
        } else {
            let (reg, horz) = self.direct::<L>("Dst.RegNum", b.dst)?;
            Dst::Direct { reg, horz, ty }
        };
        Ok(())
    }

    /// Reads the sources; gives the bits used, less those of the destination, and whether the function
    /// field is there: a 64-bit immediate takes its place.
    #[inline]
    fn basic_sources<L: Layout>(
        &self,
        b: &Basic,
        sources: u8,
        inst: &mut Inst<Physical>,
    ) -> Result<(u128, bool)> {
        let always = if L::ACC_WR { SATURATE | BIT_33 } else { SATURATE };
        if sources == 1 {
            if b.src0.is_imm {
                let (imm, long) = self.imm::<L>("Src0.DataType", b.src0.data_type)?;
                inst.src[0] = imm;
                let kept = if long { bits(64, 95) } else { FUNCTION };
                return Ok((always | kept | bits(40, 43) | bits(46, 46) | bits(96, 127), !long));
            }
            inst.src[0] = self.basic_source::<L>("Src0.RegNum", &b.src0)?;
            return Ok((always | FUNCTION | SRC0 | L::SRC_VERT & bits(64, 95), true));
        }
        if b.src0.is_imm {
            return Err(self.error("Src0.IsImm", 1u32, "0 beside a second source"));
        }
        inst.src[0] = self.basic_source::<L>("Src0.RegNum", &b.src0)?;
        let used = always | FUNCTION | SRC0 | L::SRC_VERT & bits(64, 95);
        if b.src1.is_imm {
            let (imm, long) = self.imm::<L>("Src1.DataType", b.src1.data_type)?;
            if long {
                return Err(self.error("Src1.DataType", b.src1.data_type, "32 bits or less"));
            }
            inst.src[1] = imm;
            return Ok((used | bits(47, 47) | bits(88, 91) | bits(96, 127), true));
        }
        inst.src[1] = self.basic_source::<L>("Src1.RegNum", &b.src1)?;
        Ok((used | SRC1 | L::SRC_VERT, true))
    }

    #[inline(always)]
    fn basic_source<L: Layout>(&self, field: &'static str, s: &Source) -> Result<Src> {
        let ty = self.type_of::<L>("Src.DataType", s.data_type)?;
        let mods = src_mod(s.src_mod);
        let width = codes::width_of(s.width).ok_or_else(|| self.error("Src.Width", s.width, "0 to 4"))?;
        let vert = match codes::vert_of(s.vert_stride) {
            Some(vert) => vert,
            None if s.vert_stride == L::VXH && s.operand.indirect => Region::VXH,
            None => return Err(self.error("Src.VertStride", s.vert_stride, "a stride; VxH where indirect")),
        };
        if s.operand.indirect {
            let (addr, imm, horz) = self.indirect::<L>(s.operand);
            return Ok(Src::Indirect { addr, imm, region: Region { vert, width, horz }, mods, ty });
        }
        let (reg, horz) = self.direct::<L>(field, s.operand)?;
        Ok(Src::Direct { reg, region: Region { vert, width, horz }, mods, ty })
    }

    fn macro_source<L: Layout>(&self, field: &'static str, s: &Source, vert_stride: u8) -> Result<Src> {
        let odd = s.is_imm || s.operand.indirect || s.operand.low;
        if odd || s.width != 0 || s.vert_stride != vert_stride {
            return Err(self.error(field, s.operand.slot, "a register with mme, region <1;1,0>"));
        }
        let ty = self.type_of::<L>("Src.DataType", s.data_type)?;
        let (reg, mme) = self.macro_reg(field, s.operand, 0)?;
        Ok(Src::Macro { reg, mme, mods: src_mod(s.src_mod), ty })
    }

    // Operands.

    #[inline]
    fn type_of<L: Layout>(&self, field: &'static str, code: u8) -> Result<Type> {
        codes::type_of(code, L::BF16).ok_or_else(|| self.error(field, code, "a data type of the platform"))
    }

    /// The immediate, and whether it has 64 bits.
    fn imm<L: Layout>(&self, field: &'static str, code: u8) -> Result<(Src, bool)> {
        let ty = codes::imm_type_of(code, L::BF16)
            .ok_or_else(|| self.error(field, code, "a data type of immediates"))?;
        let low = u64::from((self.word >> 96) as u32);
        let (bits, long) = match ty {
            Type::Uw | Type::W | Type::Hf | Type::Bf => {
                if low >> 16 != low & 0xffff {
                    return Err(self.error("Imm", low, "the same 16 bits twice"));
                }
                (low & 0xffff, false)
            }
            Type::Uq | Type::Q | Type::Df => (low | u64::from((self.word >> 64) as u32) << 32, true),
            _ => (low, false),
        };
        Ok((Src::Imm { bits, ty }, long))
    }

    #[inline(always)]
    fn direct<L: Layout>(&self, field: &'static str, operand: Operand) -> Result<(Reg<Physical>, u8)> {
        let slot = Direct::from_bits(operand.slot);
        let base = codes::reg_of(slot.reg_file(), slot.reg_num())
            .ok_or_else(|| self.error(field, slot.reg_num(), "a register of the platform"))?;
        let byte = L::join_byte(slot.sub_reg_num(), operand.low);
        Ok((Reg::new(base, byte), codes::horz_of(slot.horz_stride())))
    }

    #[inline]
    fn indirect<L: Layout>(&self, operand: Operand) -> (Reg<Physical>, i16, u8) {
        let slot = Indirect::from_bits(operand.slot);
        let addr = Reg::arf(Arf::Addr(0), u32::from(slot.addr_sub_reg_num()) * 2);
        let imm = L::join_imm(slot.addr_imm(), operand.low);
        (addr, imm as i16, codes::horz_of(slot.horz_stride()))
    }

    fn macro_reg(&self, field: &'static str, operand: Operand, horz: u8) -> Result<(Reg<Physical>, Mme)> {
        let slot = Macro::from_bits(operand.slot);
        let rest = slot.with_math_macro_ext(0).with_reg_file(false).with_reg_num(0);
        if rest != Macro::new().with_horz_stride(horz) || operand.indirect || operand.low {
            return Err(self.error(field, operand.slot, "a register with mme"));
        }
        let mme = match slot.math_macro_ext() {
            n @ 0..=7 => Mme::Reg(n),
            8 => Mme::None,
            n => return Err(self.error("MathMacroExt", n, "0 to 8")),
        };
        let base = codes::reg_of(slot.reg_file(), slot.reg_num())
            .ok_or_else(|| self.error(field, slot.reg_num(), "a register of the platform"))?;
        Ok((Reg::new(base, 0), mme))
    }

    // Three sources.

    fn ternary<L: Layout>(&self, inst: &mut Inst<Physical>) -> Result<u128> {
        let w = Ternary::from_bits(self.word);
        let float = u8::from(w.exec_data_type()) << 3;
        let is_bfn = inst.op == Op::Bfn;
        let is_macro = inst.op == Op::Madm;
        let mut used = bits(34, 63);
        if L::ACC_WR {
            used |= BIT_33;
        }
        if w.acc_wr_ctrl() {
            inst.opts = inst.opts.with(Options::ACC_WR_EN);
        }
        inst.sat = w.saturate();
        let ty = self.type_of::<L>("Dst.DataType", w.dst_data_type() | float)?;
        let dst = Operand { slot: w.dst(), indirect: false, low: false };
        inst.dst = if is_macro {
            let (reg, mme) = self.macro_reg("Dst", dst, 0)?;
            Dst::Macro { reg, mme, ty }
        } else {
            let horz = match Direct::from_bits(dst.slot).horz_stride() {
                code @ 0..=1 => 1 << code,
                code => return Err(self.error("Dst.HorzStride", code, "0 or 1")),
            };
            Dst::Direct { reg: self.direct::<L>("Dst.RegNum", dst)?.0, horz, ty }
        };

        let (mods0, mods1, mods2) = (w.src0_src_mod(), w.src1_src_mod(), w.src2_src_mod());
        let vert = |low: bool, high: bool| u8::from(low) | u8::from(high) << 1;
        let ternary = |slot, code, mods, vert| TernarySlot {
            slot,
            ty: code | float,
            mods: if is_bfn { 0 } else { mods },
            vert,
        };
        let s0 = ternary(
            w.src0(),
            w.src0_data_type(),
            mods0,
            Some(vert(w.src0_vert_stride_0(), w.src0_vert_stride_1())),
        );
        let s1 = ternary(
            w.src1(),
            w.src1_data_type(),
            mods1,
            Some(vert(w.src1_vert_stride_0(), w.src1_vert_stride_1())),
        );
        let s2 = ternary(w.src2(), w.src2_data_type(), mods2, None);
        inst.src = [
            self.ternary_source::<L>("Src0", s0, w.src0_is_imm(), is_macro)?,
            self.ternary_source::<L>("Src1", s1, false, is_macro)?,
            self.ternary_source::<L>("Src2", s2, w.src2_is_imm(), is_macro)?,
        ];
        used |= bits(64, 127);
        let function = w.cond_modifier();
        if is_bfn {
            inst.payload = Payload::Bfn(function << 4 | mods1 << 2 | mods2);
            if mods0 != 0 {
                let cond =
                    codes::bfn_cond_of(mods0).ok_or_else(|| self.error("CondModifier", mods0, "0 to 3"))?;
                inst.cond = Some(CondMod { cond, flag: Reg::NULL });
            }
            return Ok(used);
        }
        if is_macro {
            used &= !FUNCTION;
        } else {
            self.set_cond(function, inst)?;
        }
        Ok(used)
    }

    #[inline]
    fn ternary_source<L: Layout>(
        &self,
        field: &'static str,
        s: TernarySlot,
        is_imm: bool,
        is_macro: bool,
    ) -> Result<Src> {
        let ty = self.type_of::<L>("Src.DataType", s.ty)?;
        let mods = src_mod(s.mods);
        let operand = Operand { slot: s.slot, indirect: false, low: false };
        match (is_imm, is_macro) {
            (true, false) if s.mods == 0 && s.vert.unwrap_or(0) == 0 => {
                Ok(Src::Imm { bits: s.slot.into(), ty })
            }
            (false, true) if s.vert.unwrap_or(2) == 2 => {
                let (reg, mme) = self.macro_reg(field, operand, 1)?;
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
            _ => Err(self.error(field, s.slot, "an immediate without modifier, or a register")),
        }
    }

    fn dpas<L: Layout>(&self, inst: &mut Inst<Physical>) -> Result<u128> {
        let w = Dpas::from_bits(self.word);
        let float = u8::from(w.exec_data_type()) << 3;
        let depth = Direct::from_bits(w.dst()).horz_stride();
        inst.payload = Payload::Dpas { depth: 1 << depth, repeat: w.repeat_count() + 1 };
        let operand = |slot: u16| Operand { slot, indirect: false, low: false };
        let ty = self.type_of::<L>("Dst.DataType", w.dst_data_type() | float)?;
        let (reg, _) = self.direct::<L>("Dst.RegNum", operand(w.dst()))?;
        inst.dst = Dst::Direct { reg, horz: 1, ty };
        let source = |field, slot: u16, code: u8, precision: u8, region| -> Result<Src> {
            let ty = codes::dpas_type_of(code | float, precision)
                .ok_or_else(|| self.error(field, code, "a systolic type"))?;
            let (reg, horz) = self.direct::<L>(field, operand(slot))?;
            if horz != 0 {
                return Err(self.error(field, slot, "no stride"));
            }
            Ok(Src::Direct { reg, region, mods: SrcMod::None, ty })
        };
        inst.src = [
            source("Src0", w.src0(), w.src0_data_type(), 0, Region::PACKED)?,
            source("Src1", w.src1(), w.src1_data_type(), w.src1_precision(), Region::PACKED)?,
            source("Src2", w.src2(), w.src2_data_type(), w.src2_precision(), Region::PACKED)?,
        ];
        Ok(bits(36, 45) | bits(48, 82) | bits(84, 90) | bits(96, 127))
    }

    // Messages.

    fn send<L: Layout>(&self, inst: &mut Inst<Physical>) -> Result<u128> {
        let s = L::send_of(self.word);
        let reg = |field, (file, num): (bool, u8)| -> Result<Reg<Physical>> {
            let base = codes::reg_of(file, num)
                .ok_or_else(|| self.error(field, num, "a register of the platform"))?;
            Ok(Reg::new(base, 0))
        };
        inst.dst = Dst::packed(reg("Dst.RegNum", s.dst)?, Type::Ud);
        inst.src[0] = Src::packed(reg("Src0.RegNum", s.src0)?, Type::Ud);
        inst.src[1] = Src::packed(reg("Src1.RegNum", s.src1)?, Type::Ud);
        let mut used = bits(34, 34) | bits(48, 50) | bits(56, 63) | bits(66, 66) | bits(72, 79) | FUNCTION;
        used |= bits(98, 98) | bits(104, 111);
        if L::FUSION {
            used |= BIT_33;
        }
        let mut info = SendInfo {
            sfid: gen_ir::Sfid::from_number(s.sfid, L::LSC),
            desc: Desc::Reg(Reg::arf(Arf::Addr(0), 0)),
            ex_desc: Desc::Imm(0),
            eot: s.eot,
            dst_len: 0,
            src0_len: 0,
            src1_len: 0,
        };
        if !s.desc_reg {
            info.desc = Desc::Imm(s.desc);
            info.dst_len = (s.desc >> 20 & 0x1f) as u8;
            info.src0_len = (s.desc >> 25 & 0xf) as u8;
            used |= bits(51, 55) | bits(67, 71) | bits(81, 91) | bits(113, 123);
        }
        if s.serialize {
            inst.opts = inst.opts.with(Options::SERIALIZE);
        }
        if let Some(sub) = s.ex_desc_reg {
            info.ex_desc = Desc::Reg(Reg::arf(Arf::Addr(0), u32::from(sub) * 4));
            used |= bits(40, 42);
            if s.ex_bso {
                inst.opts = inst.opts.with(Options::EX_BSO);
                info.src1_len = s.src1_length;
                used |= bits(35, 35) | bits(39, 39) | bits(99, 103);
                if s.cps {
                    inst.opts = inst.opts.with(Options::CPS);
                }
            }
        } else {
            let length = if L::SRC1_LENGTH { 0 } else { u32::from(s.src1_length) << 6 };
            info.ex_desc = Desc::Imm(s.ex_desc | length);
            info.src1_len = s.src1_length;
            used |= bits(35, 47) | bits(64, 65) | bits(96, 97) | bits(99, 103) | bits(124, 127);
        }
        inst.payload = Payload::Send(info);
        Ok(used)
    }

    // Flow control.

    fn branch<L: Layout>(&self, inst: &mut Inst<Physical>) -> Result<u128> {
        let w = Branch::from_bits(self.word);
        let form = Form::of(inst.op);
        let mut used = bits(46, 46);
        if form.ctrl {
            used |= BIT_33;
        }
        if form.dst {
            used |= bits(50, 63);
            let (reg, _) = self.branch_reg::<L>("Dst.RegNum", w.dst())?;
            inst.dst = Dst::packed(reg, Type::Ud);
        }
        let (mut jip, mut uip) = (Target::None, Target::None);
        if !w.src0_is_imm() {
            if !form.reg {
                return Err(self.error("Src0.IsImm", 0u32, "1"));
            }
            let (reg, horz) = self.branch_reg::<L>("Src0.RegNum", w.uip() as u16)?;
            debug_assert_eq!(horz, 0);
            inst.src[0] = Src::scalar(reg, Type::Ud);
            used |= bits(66, 79);
        } else {
            if !form.jip {
                return Err(self.error("Src0.IsImm", 1u32, "0"));
            }
            jip = Target::Rel(w.jip() as i32);
            used |= bits(96, 127);
            if form.uip {
                if !w.src1_is_imm() {
                    return Err(self.error("Src1.IsImm", 0u32, "1"));
                }
                uip = Target::Rel(w.uip() as i32);
                used |= bits(47, 47) | bits(64, 95);
            }
        }
        inst.payload = Payload::Branch { jip, uip, ctrl: w.branch_ctrl() };
        Ok(used)
    }

    fn branch_reg<L: Layout>(&self, field: &'static str, slot: u16) -> Result<(Reg<Physical>, u8)> {
        let (reg, horz) = self.direct::<L>(field, Operand { slot, indirect: false, low: false })?;
        if horz != 0 {
            return Err(self.error(field, slot, "no stride"));
        }
        Ok((reg, horz))
    }
}

#[derive(Clone, Copy)]
struct TernarySlot {
    slot: u16,
    ty: u8,
    mods: u8,
    /// Code of the vertical stride, where the source has one.
    vert: Option<u8>,
}

fn src_mod(bits: u8) -> SrcMod {
    SrcMod::new(bits & 1 != 0, bits & 2 != 0)
}
