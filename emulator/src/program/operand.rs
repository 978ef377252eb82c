//! Operands of the Gen IR, resolved to places in the register file.

use super::{
    loaded::Program,
    step::{Dest, DestPlace, Domain, Operand, Shape, Source},
};
use crate::file::{self, flat};
use gen_ir::{Arf, Base, Dst, FlagSub, Inst, Op, Payload, Physical, Reg, Region, Src, SrcMod, Type};
use narrow::{as_index, low_i8, low_u8};

impl Program {
    pub(super) fn dest(&self, inst: &Inst<Physical>, lanes: u32) -> Result<Dest, String> {
        let mut dest = NO_DEST;
        let (reg, horz) = match inst.dst {
            Dst::None => return Ok(dest),
            Dst::Direct { reg, horz, ty } => {
                dest.ty = ty;
                (reg, horz)
            }
            Dst::Macro { reg, mme, ty } => {
                dest.ty = ty;
                dest.mme = Some(mme);
                (reg, 1)
            }
            Dst::Indirect { addr, imm, horz, ty } => {
                let (at, _) = self.place(addr, 2)?;
                let stride = u32::from(horz).max(1) * ty.bytes();
                let what = DestPlace::Indirect { addr: at, imm: imm.into() };
                return Ok(Dest { what, ty, stride, ..dest });
            }
        };
        dest.stride = u32::from(horz).max(1) * dest.ty.bytes();
        if reg.is_null() {
            dest.what = DestPlace::Null;
            return Ok(dest);
        }
        let rows = match inst.payload {
            Payload::Dpas { repeat, .. } => u32::from(repeat),
            _ => 1,
        };
        let bytes = match inst.op {
            Op::Call | Op::Calla => 8,
            _ => ((lanes - 1) * dest.stride + dest.ty.bytes())
                .max((lanes * dest.stride) * rows * u32::from(rows > 1)),
        };
        let (at, _) = self.place(reg, bytes)?;
        dest.what = DestPlace::Direct(at);
        dest.acc = (file::ACC..file::END).contains(&at);
        dest.control = matches!(reg.base(), Base::Arf(Arf::Control(_)));
        Ok(dest)
    }

    pub(super) fn source(
        &self,
        src: &Src<Physical>,
        lanes: u32,
        inst: &Inst<Physical>,
    ) -> Result<Source, String> {
        let Some(ty) = src.ty() else { return Ok(NO_SOURCE) };
        let mut out = Source { ty, mods: src.mods(), ..NO_SOURCE };
        match *src {
            Src::None | Src::AddrOf { .. } => {}
            Src::Imm { bits, ty: Type::V } => {
                let step = vector_step(inst, 2);
                let element = |i: usize| 4 * (i * step % 8);
                out.what = Operand::Vector(std::array::from_fn(|i| low_i8(bits >> element(i)) << 4 >> 4));
                out.ty = Type::W;
            }
            Src::Imm { bits, ty: Type::Uv } => {
                let step = vector_step(inst, 2);
                let element = |i: usize| 4 * (i * step % 8);
                out.what = Operand::Vector(std::array::from_fn(|i| low_i8(bits >> element(i)) & 15));
                out.ty = Type::Uw;
            }
            Src::Imm { bits, ty: Type::Vf } => {
                let step = vector_step(inst, 4);
                out.what = Operand::VectorF(std::array::from_fn(|i| {
                    crate::num::restricted_float(low_u8(bits >> (8 * (i * step % 4))))
                }));
                out.ty = Type::F;
            }
            Src::Imm { bits, .. } => out.what = Operand::Imm(bits),
            Src::Direct { reg, region, .. } => {
                let lanes = match inst.op {
                    Op::Ret => 2,
                    _ => lanes,
                };
                let region = if inst.op == Op::Ret { Region::new(2, 2, 1) } else { region };
                let shape = shape(region, ty.bytes(), lanes)?;
                let (at, _) = self.place(reg, extent(shape, lanes) + ty.bytes())?;
                out.what = Operand::Direct { at, shape };
                out.acc = (file::ACC..file::END).contains(&at);
            }
            Src::Macro { reg, mme, .. } => {
                let (at, _) = self.place(reg, lanes * ty.bytes())?;
                out.what = Operand::Direct { at, shape: Shape::Linear(ty.bytes()) };
                out.mme = Some(mme);
            }
            Src::Indirect { addr, imm, region, .. } => {
                let mut per_row = 0;
                let region = if region.vert == Region::VXH {
                    per_row = u32::from(region.width.max(1));
                    Region::new(0, region.width.max(1), region.horz)
                } else {
                    region
                };
                let rows = if per_row == 0 { 1 } else { lanes.div_ceil(per_row) };
                let (at, _) = self.place(addr, rows * 2)?;
                let shape = shape(region, ty.bytes(), lanes)?;
                out.what = Operand::Indirect { addr: at, imm: imm.into(), shape, per_row };
            }
        }
        Ok(out)
    }

    fn place(&self, reg: Reg<Physical>, bytes: u32) -> Result<(u32, u32), String> {
        match flat(reg, self.grf, self.grf_count) {
            Some((at, left)) if bytes <= left => Ok((at, left)),
            Some(_) => Err(format!("an operand of {bytes} bytes runs past its registers")),
            None => Err("a register the platform does not have".into()),
        }
    }
}

pub(crate) const NO_SOURCE: Source =
    Source { what: Operand::None, ty: Type::Ud, mods: SrcMod::None, mme: None, acc: false };
pub(super) const NO_DEST: Dest =
    Dest { what: DestPlace::None, ty: Type::Ud, stride: 4, mme: None, acc: false, control: false };

pub(super) fn flag(reg: Reg<Physical>) -> Result<FlagSub, String> {
    let flag = reg.flag_sub().filter(|flag| flag.register() < file::FLAG_COUNT);
    flag.ok_or_else(|| "a predicate or condition in no flag register".into())
}

fn shape(region: Region, bytes: u32, lanes: u32) -> Result<Shape, String> {
    if lanes == 1 || region.is_scalar() {
        return Ok(Shape::Scalar);
    }
    if region.width == Region::ABSENT {
        let (v, h) = (u32::from(region.vert), u32::from(region.horz));
        if region.vert == Region::ABSENT {
            return Ok(Shape::Linear(h * bytes));
        }
        return Ok(match (v, h) {
            (_, 0) => Shape::Linear(v * bytes),
            _ if v == h => Shape::Linear(h * bytes),
            _ => Shape::Rows { vert: v * bytes, width: (v / h).max(1), horz: h * bytes },
        });
    }
    if region.width == 0 {
        return Err("a region of width 0".into());
    }
    let (v, w, h) = (u32::from(region.vert), u32::from(region.width), u32::from(region.horz));
    Ok(if w == 1 {
        Shape::Linear(v * bytes)
    } else if v == w * h || w >= lanes {
        Shape::Linear(h * bytes)
    } else {
        Shape::Rows { vert: v * bytes, width: w, horz: h * bytes }
    })
}

/// Offset of the last channel from the first, at most.
fn extent(shape: Shape, lanes: u32) -> u32 {
    match shape {
        Shape::Scalar => 0,
        Shape::Linear(s) => (lanes - 1) * s,
        Shape::Rows { vert, width, horz } => (lanes - 1) / width * vert + (width - 1).min(lanes - 1) * horz,
    }
}

/// The type arithmetic is done in: the widest of the sources, where floats go before integers and a
/// single-precision destination widens half sources (PRM, "Execution data types").
pub(super) fn domain(inst: &Inst<Physical>) -> Domain {
    let mut found = Domain::Int;
    let mut rank = 0;
    let mut consider = |ty: Type, dst: bool| {
        let (r, d) = match ty {
            Type::Df => (5, Domain::Double),
            Type::F | Type::Vf | Type::Tf32 | Type::Bf | Type::Nf => (4, Domain::Single),
            Type::Hf | Type::Bf8 => (3, Domain::Half),
            Type::Q | Type::Uq => (2, Domain::Wide),
            _ => (1, Domain::Int),
        };
        // A destination only decides among single and half.
        if dst && !(r == 4 && rank == 3) {
            return;
        }
        if r > rank {
            rank = r;
            found = d;
        }
    };
    for s in &inst.src {
        if let Some(ty) = s.ty() {
            consider(ty, false);
        }
    }
    let has_dst = inst.dst.ty();
    if let Some(ty) = has_dst {
        consider(ty, true);
    }
    if found == Domain::Int && matches!(has_dst, Some(Type::Q | Type::Uq)) {
        found = Domain::Wide;
    }
    found
}

/// Elements of an immediate vector from one channel to the next. The vector lies in the bytes of a
/// register, elements of `unit` bytes side by side, and is read with the stride of the destination:
/// Intel's compiler writes `mov (2) r1.0<1>:ud 0x400:uv` for the values 0 and 4.
fn vector_step(inst: &Inst<Physical>, unit: u32) -> usize {
    match inst.dst {
        Dst::Direct { horz, ty, .. } | Dst::Indirect { horz, ty, .. } => {
            as_index((u32::from(horz).max(1) * ty.bytes() / unit).max(1))
        }
        _ => 1,
    }
}
