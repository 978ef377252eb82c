//! Gen IR to words.

use super::{
    codes,
    layout::{Basic, Controls, Layout, Operand, Send, Source},
    swsb::Kind,
    words::{Branch, Direct, Dpas, Indirect, Macro, Ternary},
};
use crate::{EncodeError, opcodes};
use gen_ir::{
    Arf, Base, Class, Cond, Desc, Dst, ExecSize, Inst, Mme, Op, Options, Payload, Physical, Reg, Region,
    SendInfo, SrcMod, Swsb, SyncFn, Target, Type,
};
use platforms::Platform;

type Src = gen_ir::Src<Physical>;
type Result<T> = std::result::Result<T, EncodeError>;

/// The first address subregister.
const A0: Reg<Physical> = Reg::arf(Arf::Addr(0), 0);

const DIRECT_REGION: &str = "<V;W,H> with V in 0, 1, 2, 4, 8, 16, 32, W in 1, 2, 4, 8, 16, H in 0, 1, 2, 4";

/// See [`crate::encode`].
#[inline]
pub(super) fn encode<L: Layout>(platform: Platform, inst: &Inst<Physical>) -> Result<u128> {
    let Some(opcode) = opcodes::number(platform, inst.op) else {
        return Err(EncodeError::new(inst.op, "opcode", inst.op.name(), "an operation of the platform"));
    };
    let e = Encoder { inst };
    e.check_options::<L>()?;
    let controls = L::controls(&e.controls::<L>(opcode)?);
    let rest = match inst.op.info().class {
        Class::Basic => e.basic::<L>()?,
        Class::Math => e.math::<L>()?,
        Class::Sync => e.sync::<L>()?,
        Class::Ternary => e.ternary::<L>()?,
        Class::Dpas => e.dpas::<L>()?,
        Class::Send => e.send::<L>()?,
        Class::Branch => e.branch::<L>()?,
        Class::Nullary => return e.nullary::<L>(opcode),
    };
    Ok(controls | rest)
}

#[derive(Clone, Copy)]
struct Encoder<'a> {
    inst: &'a Inst<Physical>,
}

impl Encoder<'_> {
    #[cold]
    fn error(
        &self,
        field: &'static str,
        found: impl Into<crate::Found>,
        allowed: &'static str,
    ) -> EncodeError {
        EncodeError::new(self.inst.op, field, found, allowed)
    }

    /// `nop` has only an annotation; `illegal` is zero.
    fn nullary<L: Layout>(&self, opcode: u8) -> Result<u128> {
        let i = self.inst;
        if i.op == Op::Illegal {
            return Ok(opcode.into());
        }
        let Some(swsb) = L::swsb_code(i.swsb, Kind::Other) else {
            return Err(self.error("SWSB", "this pair", "what one annotation can say"));
        };
        let debug = i.opts.has(Options::BREAKPOINT);
        Ok(L::controls(&Controls { opcode, swsb, debug, ..Controls::default() }))
    }

    #[inline(always)]
    fn check_options<L: Layout>(&self) -> Result<()> {
        let op = self.inst.op.info();
        let mut allowed = Options::ATOMIC.with(Options::BREAKPOINT).with(Options::COMPACTED);
        if L::ACC_WR && matches!(op.class, Class::Basic | Class::Math | Class::Ternary | Class::Sync) {
            allowed = allowed.with(Options::ACC_WR_EN);
        }
        if op.class == Class::Send {
            if L::FUSION {
                allowed = allowed.with(Options::SERIALIZE);
            }
            if L::SRC1_LENGTH {
                allowed = allowed.with(Options::EX_BSO).with(Options::CPS);
            }
        }
        let odd = self.inst.opts.without(allowed);
        if odd == Options::NONE {
            return Ok(());
        }
        Err(self.error("options", u32::from(odd.0), "the options of this instruction on this platform"))
    }

    #[inline(always)]
    fn controls<L: Layout>(&self, opcode: u8) -> Result<Controls> {
        let i = self.inst;
        let kind = Kind::of(i.op);
        let swsb = match i.swsb {
            Swsb::NONE => Some(0),
            swsb => L::swsb_code(swsb, kind),
        };
        let swsb = match swsb {
            Some(code) => code,
            None => return Err(self.error("SWSB", "this pair", "what one annotation can say")),
        };
        if !i.chan.is_multiple_of(L::CHANNELS) || i.chan >= 32 {
            return Err(self.error("ChOff", u32::from(i.chan), "a multiple of the channel unit below 32"));
        }
        let mut flag = 0;
        let mut pred_ctrl = 0;
        let mut pred_inv = false;
        if let Some(p) = i.pred {
            flag = self.flag::<L>(p.flag)?;
            pred_inv = p.inv;
            pred_ctrl = match L::pred_code(p.ctrl) {
                Some(code) => code,
                None => {
                    return Err(self.error("PredCtrl", p.ctrl as u32, "a predicate control of the platform"));
                }
            };
        }
        if let Some(c) = i.cond {
            let written = self.flag::<L>(c.flag)?;
            if i.pred.is_some() && written != flag {
                return Err(self.error("FlagRegNum", u32::from(written), "the predicate's flag"));
            }
            flag = written;
        }
        Ok(Controls {
            opcode,
            swsb,
            exec_size: i.exec as u8,
            channel: i.chan,
            flag,
            pred_ctrl,
            pred_inv,
            debug: i.opts.has(Options::BREAKPOINT),
            no_mask: i.no_mask,
            atomic: i.opts.has(Options::ATOMIC),
        })
    }

    fn flag<L: Layout>(&self, reg: Reg<Physical>) -> Result<u8> {
        match (reg.base(), reg.byte) {
            (Base::Arf(Arf::Flag(n)), byte @ (0 | 2)) if n < L::FLAGS => Ok(n << 1 | (byte >> 1) as u8),
            _ => Err(self.error("FlagRegNum", reg.byte, "a flag register's first or second half")),
        }
    }

    fn cond(&self) -> Result<u8> {
        match self.inst.cond {
            None => Ok(0),
            Some(c) if c.cond != Cond::Eo => Ok(c.cond as u8),
            Some(_) => Err(self.error("CondModifier", "eo", "a condition; eo belongs to math macros")),
        }
    }

    fn no_cond(&self) -> Result<()> {
        match self.inst.cond {
            None => Ok(()),
            Some(c) => Err(self.error("CondModifier", c.cond as u32, "none")),
        }
    }

    #[inline(always)]
    fn no_source(&self, from: usize) -> Result<()> {
        // Without a branch per source: how many there are is hard to foretell.
        let present = |i: usize| u32::from(!matches!(self.inst.src[i], Src::None)) << i;
        if (present(0) | present(1) | present(2)) >> from == 0 {
            return Ok(());
        }
        Err(self.error("sources", "too many", "as many as the operation has"))
    }

    // One or two sources.

    #[inline(always)]
    fn basic<L: Layout>(&self) -> Result<u128> {
        let i = self.inst;
        if !matches!(i.payload, Payload::None) {
            return Err(self.error("payload", "present", "none"));
        }
        let mut b = Basic { function: self.cond()?, ..Basic::default() };
        self.basic_dst::<L>(&mut b)?;
        self.basic_sources::<L>(b, i.op.info().srcs)
    }

    fn math<L: Layout>(&self) -> Result<u128> {
        let i = self.inst;
        let Payload::Math(function) = i.payload else {
            return Err(self.error("MathFC", "none", "a function"));
        };
        if codes::math_of(function as u8, L::INT_DIV).is_none() {
            return Err(self.error("MathFC", function as u32, "a function of the platform"));
        }
        let mut b = Basic { function: function as u8, ..Basic::default() };
        let sources = codes::math_sources(function);
        if !codes::math_is_macro(function) {
            self.no_cond()?;
            self.basic_dst::<L>(&mut b)?;
            return self.basic_sources::<L>(b, sources);
        }
        if i.cond.is_some_and(|c| c.cond != Cond::Eo) {
            return Err(self.error("CondModifier", "a condition", "eo"));
        }
        b.acc_wr = i.opts.has(Options::ACC_WR_EN);
        b.saturate = i.sat;
        let Dst::Macro { reg, mme, ty } = i.dst else {
            return Err(self.error("dst", "no macro operand", "a register with mme"));
        };
        b.dst.slot = self.macro_slot("dst", reg, mme, 1)?;
        b.dst_type = self.type_code::<L>("dst", ty)?;
        b.src0 = self.macro_source::<L>("src0", &i.src[0])?;
        if sources == 2 {
            b.src1 = self.macro_source::<L>("src1", &i.src[1])?;
        }
        self.no_source(sources.into())?;
        Ok(L::basic(&b))
    }

    /// The destination says nothing, but its stride is 1.
    fn sync<L: Layout>(&self) -> Result<u128> {
        let i = self.inst;
        let Payload::Sync(function) = i.payload else {
            return Err(self.error("SyncFC", "none", "a function"));
        };
        if codes::sync_of(function as u8, L::SYNC_FENCE).is_none() {
            return Err(self.error("SyncFC", function as u32, "a function of the platform"));
        }
        let takes_mask = match function {
            SyncFn::AllRd | SyncFn::AllWr => true,
            SyncFn::Bar => L::SYNC_FENCE,
            _ => false,
        };
        if i.src[0].is_imm() && !takes_mask {
            return Err(self.error("Src0", "an immediate", "null"));
        }
        self.no_cond()?;
        let mut b = Basic { function: function as u8, ..Basic::default() };
        b.acc_wr = i.opts.has(Options::ACC_WR_EN);
        b.saturate = i.sat;
        b.dst.slot = Direct::new().with_horz_stride(1).into_bits();
        if !matches!(i.dst, Dst::None) {
            return Err(self.error("dst", "present", "none"));
        }
        self.basic_sources::<L>(b, 1)
    }

    #[inline(always)]
    fn basic_dst<L: Layout>(&self, b: &mut Basic) -> Result<()> {
        let i = self.inst;
        b.acc_wr = i.opts.has(Options::ACC_WR_EN);
        b.saturate = i.sat;
        match i.dst {
            Dst::Direct { reg, horz, ty } => {
                b.dst = self.direct::<L>("dst", reg, horz)?;
                b.dst_type = self.type_code::<L>("dst", ty)?;
            }
            Dst::Indirect { addr, imm, horz, ty } => {
                b.dst = self.indirect::<L>("dst", addr, imm, horz, L::ADDR_IMM)?;
                b.dst_type = self.type_code::<L>("dst", ty)?;
            }
            Dst::None | Dst::Macro { .. } => {
                return Err(self.error("dst", "none, or with mme", "a register or an indirect operand"));
            }
        }
        Ok(())
    }

    /// Packs the word with its sources; only the last one may be an immediate.
    #[inline(always)]
    fn basic_sources<L: Layout>(&self, mut b: Basic, sources: u8) -> Result<u128> {
        let [src0, src1, _] = &self.inst.src;
        let idle = sources == 1 && self.inst.op.info().class == Class::Basic && idle_source(src0, src1);
        self.no_source(usize::from(sources) + usize::from(idle))?;
        if sources == 1 {
            if let Src::Imm { bits, ty } = *src0 {
                b.src0.is_imm = true;
                b.src0.data_type = self.imm_type_code::<L>("src0", ty)?;
                let imm = self.imm("src0", bits, ty)?;
                if ty.bytes() == 8 && b.function != 0 {
                    return Err(self.error("CondModifier", u32::from(b.function), "none beside 64 bits"));
                }
                return Ok(L::basic(&b) | imm);
            }
            b.src0 = self.basic_source::<L>("src0", src0, L::ADDR_IMM)?;
            if idle {
                b.src1 = self.basic_source::<L>("src1", src1, L::SRC1_ADDR_IMM)?;
            }
            return Ok(L::basic(&b));
        }
        b.src0 = self.basic_source::<L>("src0", src0, L::ADDR_IMM)?;
        if let Src::Imm { bits, ty } = *src1 {
            if ty.bytes() == 8 {
                return Err(self.error("src1", ty, "an immediate of 32 bits or less"));
            }
            b.src1.is_imm = true;
            b.src1.data_type = self.imm_type_code::<L>("src1", ty)?;
            return Ok(L::basic(&b) | self.imm("src1", bits, ty)?);
        }
        b.src1 = self.basic_source::<L>("src1", src1, L::SRC1_ADDR_IMM)?;
        if b.src1.operand.low {
            return Err(self.error("Src1.SubRegNum", 1u32, "an even byte offset"));
        }
        Ok(L::basic(&b))
    }

    #[inline(always)]
    fn basic_source<L: Layout>(&self, field: &'static str, src: &Src, range: (i32, i32)) -> Result<Source> {
        let (operand, region, mods, ty) = match *src {
            Src::Direct { reg, region, mods, ty } => {
                (self.direct::<L>(field, reg, region.horz)?, region, mods, ty)
            }
            Src::Indirect { addr, imm, region, mods, ty } => {
                (self.indirect::<L>(field, addr, imm, region.horz, range)?, region, mods, ty)
            }
            _ => return Err(self.error(field, "no register", "a register or an indirect operand")),
        };
        let vert_stride = match codes::vert_code(region.vert) {
            Some(code) => code,
            None if region.vert == Region::VXH && operand.indirect => L::VXH,
            None => return Err(self.error(field, u32::from(region.vert), DIRECT_REGION)),
        };
        let width = match codes::width_code(region.width) {
            Some(code) => code,
            None => return Err(self.error(field, u32::from(region.width), DIRECT_REGION)),
        };
        Ok(Source {
            operand,
            data_type: self.type_code::<L>(field, ty)?,
            src_mod: src_mod(mods),
            is_imm: false,
            width,
            vert_stride,
        })
    }

    fn macro_source<L: Layout>(&self, field: &'static str, src: &Src) -> Result<Source> {
        let Src::Macro { reg, mme, mods, ty } = *src else {
            return Err(self.error(field, "no macro operand", "a register with mme"));
        };
        Ok(Source {
            operand: Operand { slot: self.macro_slot(field, reg, mme, 0)?, indirect: false, low: false },
            data_type: self.type_code::<L>(field, ty)?,
            src_mod: src_mod(mods),
            is_imm: false,
            width: 0,
            vert_stride: macro_vert_stride(self.inst.exec == ExecSize::S1),
        })
    }

    // Operands.

    #[inline(always)]
    fn type_code<L: Layout>(&self, field: &'static str, ty: Type) -> Result<u8> {
        match codes::type_code(ty) {
            Some(code) if L::BF16 || !matches!(ty, Type::Bf | Type::Bf8) => Ok(code),
            _ => Err(self.error(field, ty, "a data type of the platform")),
        }
    }

    fn imm_type_code<L: Layout>(&self, field: &'static str, ty: Type) -> Result<u8> {
        match codes::imm_type_code(ty) {
            Some(code) if L::BF16 || ty != Type::Bf => Ok(code),
            _ => Err(self.error(field, ty, "a data type of immediates")),
        }
    }

    /// An immediate in its place: bits 127..96, and the high half of 64 bits below.
    #[inline(always)]
    fn imm(&self, field: &'static str, bits: u64, ty: Type) -> Result<u128> {
        let (high, low) = match ty {
            Type::Uw | Type::W | Type::Hf | Type::Bf if bits <= 0xffff => (0, bits << 16 | bits),
            Type::Uq | Type::Q | Type::Df => (bits >> 32, bits & 0xffff_ffff),
            Type::Uw | Type::W | Type::Hf | Type::Bf => {
                return Err(self.error(field, bits as i64, "a value that fits the type"));
            }
            _ if bits <= 0xffff_ffff => (0, bits),
            _ => return Err(self.error(field, bits as i64, "a value that fits the type")),
        };
        Ok(u128::from(low) << 96 | u128::from(high) << 64)
    }

    #[inline(always)]
    fn reg(&self, field: &'static str, reg: Reg<Physical>) -> Result<(bool, u8)> {
        codes::reg_code(reg)
            .ok_or_else(|| self.error(field, "a register out of range", "a register of the platform"))
    }

    #[inline(always)]
    fn direct<L: Layout>(&self, field: &'static str, reg: Reg<Physical>, horz: u8) -> Result<Operand> {
        let (file, num) = self.reg(field, reg)?;
        if reg.byte >= L::GRF_BYTES {
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

    fn indirect<L: Layout>(
        &self,
        field: &'static str,
        addr: Reg<Physical>,
        imm: i16,
        horz: u8,
        (min, max): (i32, i32),
    ) -> Result<Operand> {
        let sub = match (addr.base(), addr.byte) {
            (Base::Arf(Arf::Addr(0)), byte) if byte < 32 && byte % 2 == 0 => (byte / 2) as u8,
            _ => return Err(self.error(field, addr.byte, "a subregister of a0")),
        };
        let imm = i32::from(imm);
        if imm < min || imm > max {
            return Err(self.error(field, i64::from(imm), "an offset that fits the field"));
        }
        let Some(horz) = codes::horz_code(horz) else {
            return Err(self.error(field, u32::from(horz), "a stride of 0, 1, 2 or 4"));
        };
        let (imm, low) = L::split_imm(imm);
        let slot =
            Indirect::new().with_horz_stride(horz).with_addr_imm(imm).with_addr_sub_reg_num(sub).into_bits();
        Ok(Operand { slot, indirect: true, low })
    }

    fn macro_slot(&self, field: &'static str, reg: Reg<Physical>, mme: Mme, horz: u8) -> Result<u16> {
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

    // Three sources.

    fn ternary<L: Layout>(&self) -> Result<u128> {
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
                (Direct::from_bits(operand.slot).with_horz_stride(code).into_bits(), ty)
            }
            _ => return Err(self.error("dst", "another kind of operand", "a register")),
        };
        let code = self.type_code::<L>("dst", ty)?;
        let float = code & 8 != 0;
        w = w.with_dst(slot).with_dst_data_type(code & 7).with_exec_data_type(float);

        let s0 = self.ternary_source::<L>("src0", &i.src[0], true, true, float)?;
        let s1 = self.ternary_source::<L>("src1", &i.src[1], true, false, float)?;
        let s2 = self.ternary_source::<L>("src2", &i.src[2], false, true, float)?;
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
            }
            return Ok(w.with_cond_modifier(self.cond()?).into_bits());
        }
        let Payload::Bfn(table) = i.payload else {
            return Err(self.error("BooleanFuncCtrl", "none", "a truth table"));
        };
        if s0.src_mod | s1.src_mod | s2.src_mod != 0 {
            return Err(self.error("SrcMod", "present", "none"));
        }
        let cond = match i.cond {
            None => 0,
            Some(c) => match codes::bfn_cond_code(c.cond) {
                Some(code) => code,
                None => return Err(self.error("CondModifier", c.cond as u32, "eq, gt or lt")),
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
        field: &'static str,
        src: &Src,
        has_vert: bool,
        may_be_imm: bool,
        float: bool,
    ) -> Result<TernarySource> {
        let Some(ty) = src.ty() else {
            return Err(self.error(field, "none", "an operand"));
        };
        let code = self.type_code::<L>(field, ty)?;
        if (code & 8 != 0) != float {
            return Err(self.error(field, ty, "integers only, or floats only"));
        }
        let mut s = TernarySource { data_type: code & 7, ..TernarySource::default() };
        match *src {
            Src::Imm { bits, .. } if may_be_imm && self.inst.op != Op::Madm => {
                s.slot = u16::try_from(bits)
                    .map_err(|_| self.error(field, bits as i64, "an immediate of 16 bits"))?;
                s.is_imm = true;
            }
            Src::Direct { reg, region, mods, .. } if self.inst.op != Op::Madm => {
                let operand = self.direct::<L>(field, reg, region.horz)?;
                self.no_low_bit(field, operand)?;
                s.slot = operand.slot;
                s.src_mod = src_mod(mods);
                s.vert = match (has_vert, codes::ternary_vert_code(region.vert)) {
                    _ if !codes::is_absent(region) => None,
                    (true, code) => code,
                    (false, _) => (region.vert == Region::ABSENT).then_some(0),
                }
                .ok_or_else(|| {
                    let allowed = if has_vert { "<V;H> with V in 0, 1, 4, 8" } else { "<H>" };
                    self.error(field, u32::from(region.vert), allowed)
                })?;
            }
            Src::Macro { reg, mme, mods, .. } if self.inst.op == Op::Madm => {
                s.slot = self.macro_slot(field, reg, mme, 1)?;
                s.src_mod = src_mod(mods);
                s.vert = if has_vert { 2 } else { 0 };
            }
            _ => return Err(self.error(field, "another kind of operand", "a register")),
        }
        Ok(s)
    }

    fn no_low_bit(&self, field: &'static str, operand: Operand) -> Result<()> {
        if operand.low { Err(self.error(field, 1u32, "an even byte offset")) } else { Ok(()) }
    }

    fn dpas<L: Layout>(&self) -> Result<u128> {
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
        let dst_type = self.type_code::<L>("dst", ty)?;
        let float = dst_type & 8 != 0;
        let source = |field, src: &Src| -> Result<(u16, u8, u8)> {
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

    // Messages.

    fn send<L: Layout>(&self) -> Result<u128> {
        let i = self.inst;
        let Payload::Send(info) = &i.payload else {
            return Err(self.error("payload", "none", "a message"));
        };
        self.no_cond()?;
        self.no_source(2)?;
        if i.sat {
            return Err(self.error("Saturate", "set", "clear"));
        }
        let Some(sfid) = codes::sfid_code(info.sfid, L::LSC) else {
            return Err(self.error("SFID", "another function", "a shared function of the platform"));
        };
        let Dst::Direct { reg, .. } = i.dst else {
            return Err(self.error("dst", "another kind of operand", "a register"));
        };
        let mut s = Send {
            serialize: i.opts.has(Options::SERIALIZE),
            ex_bso: i.opts.has(Options::EX_BSO),
            cps: i.opts.has(Options::CPS),
            eot: info.eot,
            sfid,
            dst: self.whole_reg("dst", reg)?,
            src0: self.payload_reg("src0", &i.src[0])?,
            src1: self.payload_reg("src1", &i.src[1])?,
            ..Send::default()
        };
        match info.desc {
            Desc::Imm(value) => s.desc = value,
            Desc::Reg(reg) if reg == A0 => s.desc_reg = true,
            Desc::Reg(reg) => return Err(self.error("DescReg", reg.byte, "a0.0")),
        }
        self.ex_desc::<L>(info, &mut s)?;
        Ok(L::send(&s))
    }

    fn ex_desc<L: Layout>(&self, info: &SendInfo<Physical>, s: &mut Send) -> Result<()> {
        if info.src1_len > 31 {
            return Err(self.error("Src1.Length", u32::from(info.src1_len), "0 to 31"));
        }
        match info.ex_desc {
            Desc::Imm(value) => {
                if value & 0x3f != 0 {
                    return Err(self.error("ExDesc", value, "bits 5..0 zero"));
                }
                let length = (value >> 6 & 0x1f) as u8;
                if length != 0 && info.src1_len != 0 && length != info.src1_len {
                    return Err(self.error(
                        "Src1.Length",
                        u32::from(info.src1_len),
                        "that of the descriptor",
                    ));
                }
                if s.ex_bso || s.cps {
                    return Err(self.error("ExBSO", "set", "clear beside an immediate descriptor"));
                }
                s.ex_desc = value & !0x7ff;
                s.src1_length = length | info.src1_len;
            }
            Desc::Reg(reg) if reg.is_in(A0) && reg.byte.is_multiple_of(4) && reg.byte < 32 => {
                s.ex_desc_reg = Some((reg.byte / 4) as u8);
                if s.ex_bso {
                    s.src1_length = info.src1_len;
                } else if s.cps {
                    return Err(self.error("CPS", "set", "clear without ExBSO"));
                }
            }
            Desc::Reg(reg) => return Err(self.error("ExDescReg", reg.byte, "a dword of a0")),
        }
        Ok(())
    }

    fn whole_reg(&self, field: &'static str, reg: Reg<Physical>) -> Result<(bool, u8)> {
        if reg.byte != 0 {
            return Err(self.error(field, reg.byte, "a whole register"));
        }
        self.reg(field, reg)
    }

    fn payload_reg(&self, field: &'static str, src: &Src) -> Result<(bool, u8)> {
        match *src {
            Src::Direct { reg, mods: SrcMod::None, .. } => self.whole_reg(field, reg),
            Src::None => Ok((false, 0)),
            _ => Err(self.error(field, "another kind of operand", "a register or null")),
        }
    }

    // Flow control.

    fn branch<L: Layout>(&self) -> Result<u128> {
        let i = self.inst;
        let Payload::Branch { jip, uip, ctrl } = i.payload else {
            return Err(self.error("payload", "none", "branch targets"));
        };
        self.no_cond()?;
        self.no_source(1)?;
        if i.sat {
            return Err(self.error("Saturate", "set", "clear"));
        }
        let form = Form::of(i.op);
        if ctrl && !form.ctrl {
            return Err(self.error("BranchCtrl", "set", "clear"));
        }
        let mut w = Branch::new().with_branch_ctrl(ctrl);
        match i.dst {
            Dst::Direct { reg, .. } if form.dst => w = w.with_dst(self.return_reg::<L>("dst", reg)?),
            Dst::None if !form.dst => {}
            _ => return Err(self.error("dst", "another kind of operand", "a register, for calls only")),
        }
        if form.reg {
            match i.src[0] {
                Src::Direct { reg, mods: SrcMod::None, .. } => {
                    return Ok(w.with_uip(self.return_reg::<L>("src0", reg)?.into()).into_bits());
                }
                Src::None => {}
                _ => return Err(self.error("src0", "another kind of operand", "a register")),
            }
        } else if i.src[0] != Src::None {
            return Err(self.error("src0", "present", "none"));
        }
        let (Target::Rel(jip), true) = (jip, form.jip) else {
            return Err(self.error("JIP", "no offset", "an offset in bytes, or a register for src0"));
        };
        w = w.with_src0_is_imm(true).with_jip(jip as u32);
        match uip {
            Target::Rel(uip) if form.uip => Ok(w.with_src1_is_imm(true).with_uip(uip as u32).into_bits()),
            Target::None if !form.uip => Ok(w.into_bits()),
            _ => Err(self.error("UIP", "no offset", "an offset in bytes, where the operation has one")),
        }
    }

    /// A register of a branch: scalar, and aligned so that the slot says it all.
    fn return_reg<L: Layout>(&self, field: &'static str, reg: Reg<Physical>) -> Result<u16> {
        let operand = self.direct::<L>(field, reg, 0)?;
        self.no_low_bit(field, operand)?;
        Ok(operand.slot)
    }
}

/// The region of macro operands of the basic format is `<1;1,0>`, of a single channel `<0;1,0>`.
pub(super) fn macro_vert_stride(single_channel: bool) -> u8 {
    u8::from(!single_channel)
}

/// Whether source 1 is the null operand that older compilers wrote beside a lone register source. It
/// has no meaning, but its bits are there.
fn idle_source(src0: &Src, src1: &Src) -> bool {
    !src0.is_imm() && matches!(src1, Src::Direct { reg, .. } if *reg == Reg::NULL)
}

fn src_mod(mods: SrcMod) -> u8 {
    u8::from(mods.abs()) | u8::from(mods.neg()) << 1
}

#[derive(Clone, Copy, Default)]
struct TernarySource {
    slot: u16,
    data_type: u8,
    src_mod: u8,
    vert: u8,
    is_imm: bool,
}

/// What a flow control operation has.
#[derive(Clone, Copy)]
pub(super) struct Form {
    /// JIP.
    pub jip: bool,
    /// UIP.
    pub uip: bool,
    /// A register may stand in place of JIP (and UIP).
    pub reg: bool,
    /// A destination.
    pub dst: bool,
    /// `BranchCtrl`.
    pub ctrl: bool,
}

impl Form {
    pub(super) const fn of(op: Op) -> Form {
        const fn form(uip: bool, reg: bool, dst: bool, ctrl: bool) -> Form {
            Form { jip: true, uip, reg, dst, ctrl }
        }
        match op {
            Op::Brc => form(true, true, false, false),
            Op::If | Op::Else | Op::Goto => form(true, false, false, true),
            Op::Break | Op::Cont | Op::Halt => form(true, false, false, false),
            Op::Jmpi | Op::Brd => form(false, true, false, false),
            Op::Ret => Form { jip: false, uip: false, reg: true, dst: false, ctrl: false },
            Op::Call | Op::Calla => form(false, true, true, false),
            _ => form(false, false, false, false),
        }
    }
}
