//! One and two sources, `math` and `sync`: operands of the basic format, to bits and back.

use std::ops::RangeInclusive;

use super::{
    codes,
    decode::Decoder,
    encode::Encoder,
    layout::{BasicFields, Layout, Operand, Source},
    operand::{macro_vert_stride, src_mod_code, src_mod_of},
    words::{Direct, bits},
};
use crate::{DecodeError, error::Encoded};
use gen_ir::{
    Arf, Base, Class, Cond, CondMod, Dst, ExecSize, Inst, MathFn, Options, Payload, Physical, Reg, Region,
    Src, SyncFn, Type,
};
use platforms::Caps;

/// Source 1, but for its vertical stride.
const SRC1: u128 = bits(88, 91) | bits(96, 115) | bits(120, 121);

const DIRECT_REGION: &str = "<V;W,H> with V in 0, 1, 2, 4, 8, 16, 32, W in 1, 2, 4, 8, 16, H in 0, 1, 2, 4";

/// What `sync` reads.
const SYNC_OPERANDS: &str = "null, a mask where the function takes one, or a flag that says which barrier";

/// Whether a function of `sync` may read an operand: of the null register nothing is read, so it has no modifiers. A barrier that has a number has it as an immediate or in a flag register
/// (Intel's finalizer, `translateVISANamedBarrierWait`; `iga64` has both forms).
fn takes(caps: &Caps, function: SyncFn, src: &Src<Physical>) -> bool {
    let numbered = function == SyncFn::Bar && caps.thread.named_barriers;
    match src {
        Src::Imm { .. } => numbered || matches!(function, SyncFn::AllRd | SyncFn::AllWr),
        Src::Direct { reg, mods, .. } => {
            *reg == Reg::NULL && !mods.any() || numbered && matches!(reg.base(), Base::Arf(Arf::Flag(_)))
        }
        _ => false,
    }
}

impl Encoder<'_> {
    #[inline(always)]
    pub(super) fn basic<L: Layout>(&self) -> Encoded<u128> {
        let i = self.inst;
        if !matches!(i.payload, Payload::None) {
            return Err(self.error("payload", "present", "none"));
        }
        let mut b = BasicFields { function: self.cond()?, ..BasicFields::default() };
        self.basic_dst::<L>(&mut b)?;
        self.basic_sources::<L>(b, i.op.info().srcs)
    }

    pub(super) fn math<L: Layout>(&self) -> Encoded<u128> {
        let i = self.inst;
        let Payload::Math(function) = i.payload else {
            return Err(self.error("MathFC", "none", "a function"));
        };
        if codes::math_of(function.number(), self.caps.ops.int_div).is_none() {
            return Err(self.error("MathFC", function.number(), "a function of the platform"));
        }
        let mut b = BasicFields { function: function.number(), ..BasicFields::default() };
        let sources = function.sources();
        if !function.is_macro() {
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
        b.dst_type = self.type_code("dst", ty)?;
        b.src0 = self.macro_source("src0", &i.src[0])?;
        if sources == 2 {
            b.src1 = self.macro_source("src1", &i.src[1])?;
        }
        self.no_source(sources.into())?;
        Ok(b.pack())
    }

    /// The destination says nothing, but its stride is 1.
    pub(super) fn sync<L: Layout>(&self) -> Encoded<u128> {
        let i = self.inst;
        let Payload::Sync(function) = i.payload else {
            return Err(self.error("SyncFC", "none", "a function"));
        };
        if codes::sync_of(function.number(), self.caps.thread.named_barriers).is_none() {
            return Err(self.error("SyncFC", function.number(), "a function of the platform"));
        }
        if !takes(self.caps, function, &i.src[0]) {
            return Err(self.error("Src0", "another operand", SYNC_OPERANDS));
        }
        self.no_cond()?;
        let mut b = BasicFields { function: function.number(), ..BasicFields::default() };
        b.acc_wr = i.opts.has(Options::ACC_WR_EN);
        b.saturate = i.sat;
        b.dst.slot = Direct::new().with_horz_stride(1).into_bits();
        if !matches!(i.dst, Dst::None) {
            return Err(self.error("dst", "present", "none"));
        }
        self.basic_sources::<L>(b, 1)
    }

    #[inline(always)]
    fn basic_dst<L: Layout>(&self, b: &mut BasicFields) -> Encoded<()> {
        let i = self.inst;
        b.acc_wr = i.opts.has(Options::ACC_WR_EN);
        b.saturate = i.sat;
        match i.dst {
            Dst::Direct { reg, horz, ty } => {
                b.dst = self.direct::<L>("dst", reg, horz)?;
                b.dst_type = self.type_code("dst", ty)?;
            }
            Dst::Indirect { addr, imm, horz, ty } => {
                b.dst = self.indirect::<L>("dst", addr, imm, horz, L::ADDR_IMM)?;
                b.dst_type = self.type_code("dst", ty)?;
            }
            Dst::None | Dst::Macro { .. } => {
                return Err(self.error("dst", "none, or with mme", "a register or an indirect operand"));
            }
        }
        Ok(())
    }

    /// Packs the word with its sources; only the last one may be an immediate.
    #[inline(always)]
    fn basic_sources<L: Layout>(&self, mut b: BasicFields, sources: u8) -> Encoded<u128> {
        let [src0, src1, _] = &self.inst.src;
        let idle = sources == 1 && self.inst.op.info().class == Class::Basic && idle_source(src0, src1);
        self.no_source(usize::from(sources) + usize::from(idle))?;
        if sources == 1 {
            if let Src::Imm { bits, ty } = *src0 {
                b.src0.is_imm = true;
                b.src0.data_type = self.imm_type_code("src0", ty)?;
                let imm = self.imm("src0", bits, ty)?;
                if ty.bytes() == 8 && b.function != 0 {
                    return Err(self.error("CondModifier", u32::from(b.function), "none beside 64 bits"));
                }
                return Ok(b.pack() | imm);
            }
            b.src0 = self.basic_source::<L>("src0", src0, L::ADDR_IMM)?;
            if idle {
                b.src1 = self.basic_source::<L>("src1", src1, L::SRC1_ADDR_IMM)?;
            }
            return Ok(b.pack());
        }
        b.src0 = self.basic_source::<L>("src0", src0, L::ADDR_IMM)?;
        if let Src::Imm { bits, ty } = *src1 {
            if ty.bytes() == 8 {
                return Err(self.error("src1", ty, "an immediate of 32 bits or less"));
            }
            b.src1.is_imm = true;
            b.src1.data_type = self.imm_type_code("src1", ty)?;
            return Ok(b.pack() | self.imm("src1", bits, ty)?);
        }
        b.src1 = self.basic_source::<L>("src1", src1, L::SRC1_ADDR_IMM)?;
        if b.src1.operand.low {
            return Err(self.error("Src1.SubRegNum", 1u32, "an even byte offset"));
        }
        Ok(b.pack())
    }

    #[inline(always)]
    fn basic_source<L: Layout>(
        &self,
        field: &'static str,
        src: &Src<Physical>,
        range: RangeInclusive<i16>,
    ) -> Encoded<Source> {
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
            data_type: self.type_code(field, ty)?,
            src_mod: src_mod_code(mods),
            is_imm: false,
            width,
            vert_stride,
        })
    }

    fn macro_source(&self, field: &'static str, src: &Src<Physical>) -> Encoded<Source> {
        let Src::Macro { reg, mme, mods, ty } = *src else {
            return Err(self.error(field, "no macro operand", "a register with mme"));
        };
        Ok(Source {
            operand: Operand { slot: self.macro_slot(field, reg, mme, 0)?, indirect: false, low: false },
            data_type: self.type_code(field, ty)?,
            src_mod: src_mod_code(mods),
            is_imm: false,
            width: 0,
            vert_stride: macro_vert_stride(self.inst.exec == ExecSize::S1),
        })
    }
}

impl Decoder {
    #[inline]
    pub(super) fn basic<L: Layout>(&self, inst: &mut Inst<Physical>) -> Result<(), DecodeError> {
        let b = BasicFields::unpack::<L>(self.word);
        self.basic_dst::<L>(&b, inst)?;
        let sources = inst.op.info().srcs;
        let function = self.basic_sources::<L>(&b, sources, inst)?;
        if sources == 1 && !b.src0.is_imm && self.word & (SRC1 | L::SRC_VERT & bits(96, 127)) != 0 {
            // Older compilers left the strides of a null operand in place of the missing source.
            if let Ok(src) = self.basic_source::<L>("Src1.RegNum", &b.src1)
                && src.reg() == Some(Reg::NULL)
            {
                inst.src[1] = src;
            }
        }
        if function {
            self.set_cond(b.function, inst)?;
        }
        Ok(())
    }

    pub(super) fn math<L: Layout>(&self, inst: &mut Inst<Physical>) -> Result<(), DecodeError> {
        let b = BasicFields::unpack::<L>(self.word);
        let function = codes::math_of(b.function, self.caps.ops.int_div)
            .ok_or_else(|| self.error("MathFC", b.function, "a function of the platform"))?;
        inst.payload = Payload::Math(function);
        let sources = function.sources();
        if !function.is_macro() {
            self.basic_dst::<L>(&b, inst)?;
            if !self.basic_sources::<L>(&b, sources, inst)? {
                return Err(self.error("Src0.DataType", b.src0.data_type, "32 bits or less"));
            }
            return Ok(());
        }
        inst.sat = b.saturate;
        self.acc_wr(&b, inst);
        inst.cond = Some(CondMod { cond: Cond::Eo, flag: Reg::NULL });
        let (reg, mme) = self.macro_reg("Dst", b.dst)?;
        inst.dst = Dst::Macro { reg, mme, ty: self.type_of("Dst.DataType", b.dst_type)? };
        inst.src[0] = self.macro_source("Src0", &b.src0)?;
        if function == MathFn::Invm {
            inst.src[1] = self.macro_source("Src1", &b.src1)?;
        }
        Ok(())
    }

    pub(super) fn sync<L: Layout>(&self, inst: &mut Inst<Physical>) -> Result<(), DecodeError> {
        let b = BasicFields::unpack::<L>(self.word);
        let function = codes::sync_of(b.function, self.caps.thread.named_barriers)
            .ok_or_else(|| self.error("SyncFC", b.function, "a function of the platform"))?;
        inst.payload = Payload::Sync(function);
        inst.sat = b.saturate;
        self.acc_wr(&b, inst);
        if !b.src0.is_imm && is_null(b.src0.operand) {
            // Nothing of the null register is read, its type and the low bits of its number least of all.
            let src = self.basic_source::<L>("Src0.RegNum", &b.src0);
            let plain = src.ok().filter(|src| src.reg() == Some(Reg::NULL) && !src.mods().any());
            inst.src[0] = plain.unwrap_or(Src::scalar(Reg::NULL, Type::Ub));
            return Ok(());
        }
        if !self.basic_sources::<L>(&b, 1, inst)? {
            return Err(self.error("Src0.DataType", b.src0.data_type, "32 bits or less"));
        }
        if !takes(self.caps, function, &inst.src[0]) {
            return Err(self.error("Src0.IsImm", u32::from(b.src0.is_imm), SYNC_OPERANDS));
        }
        Ok(())
    }

    fn acc_wr(&self, b: &BasicFields, inst: &mut Inst<Physical>) {
        if b.acc_wr {
            inst.opts = inst.opts.with(Options::ACC_WR_EN);
        }
    }

    #[inline]
    fn basic_dst<L: Layout>(&self, b: &BasicFields, inst: &mut Inst<Physical>) -> Result<(), DecodeError> {
        inst.sat = b.saturate;
        self.acc_wr(b, inst);
        let ty = self.type_of("Dst.DataType", b.dst_type)?;
        inst.dst = if b.dst.indirect {
            let (addr, imm, horz) = self.indirect::<L>(b.dst);
            Dst::Indirect { addr, imm, horz, ty }
        } else {
            let (reg, horz) = self.direct::<L>("Dst.RegNum", b.dst)?;
            Dst::Direct { reg, horz, ty }
        };
        Ok(())
    }

    /// Reads the sources; gives whether the function field is there: a 64-bit immediate takes its place.
    #[inline]
    fn basic_sources<L: Layout>(
        &self,
        b: &BasicFields,
        sources: u8,
        inst: &mut Inst<Physical>,
    ) -> Result<bool, DecodeError> {
        if sources == 1 {
            if b.src0.is_imm {
                let (imm, long) = self.imm("Src0.DataType", b.src0.data_type)?;
                inst.src[0] = imm;
                return Ok(!long);
            }
            inst.src[0] = self.basic_source::<L>("Src0.RegNum", &b.src0)?;
            return Ok(true);
        }
        if b.src0.is_imm {
            return Err(self.error("Src0.IsImm", 1u32, "0 beside a second source"));
        }
        inst.src[0] = self.basic_source::<L>("Src0.RegNum", &b.src0)?;
        if b.src1.is_imm {
            let (imm, long) = self.imm("Src1.DataType", b.src1.data_type)?;
            if long {
                return Err(self.error("Src1.DataType", b.src1.data_type, "32 bits or less"));
            }
            inst.src[1] = imm;
            return Ok(true);
        }
        inst.src[1] = self.basic_source::<L>("Src1.RegNum", &b.src1)?;
        Ok(true)
    }

    #[inline(always)]
    fn basic_source<L: Layout>(&self, field: &'static str, s: &Source) -> Result<Src<Physical>, DecodeError> {
        let ty = self.type_of("Src.DataType", s.data_type)?;
        let mods = src_mod_of(s.src_mod);
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

    /// A register with `mme`. Its region says nothing.
    fn macro_source(&self, field: &'static str, s: &Source) -> Result<Src<Physical>, DecodeError> {
        if s.is_imm {
            return Err(self.error(field, s.operand.slot, "a register with mme"));
        }
        let ty = self.type_of("Src.DataType", s.data_type)?;
        let (reg, mme) = self.macro_reg(field, s.operand)?;
        Ok(Src::Macro { reg, mme, mods: src_mod_of(s.src_mod), ty })
    }
}

/// Whether a direct operand is the null register, by the upper half of its number.
fn is_null(operand: Operand) -> bool {
    let slot = Direct::from_bits(operand.slot);
    !operand.indirect && !slot.reg_file() && slot.reg_num() >> 4 == 0
}

/// Whether source 1 is the null operand that older compilers wrote beside a lone register source. It
/// has no meaning, but its bits are there.
fn idle_source(src0: &Src<Physical>, src1: &Src<Physical>) -> bool {
    !src0.is_imm() && matches!(src1, Src::Direct { reg, .. } if *reg == Reg::NULL)
}
