//! Types that an arithmetic instruction does not combine, and saturation that it does not have.
//!
//! Arithmetic does not mix integers and floats, and a float's destination has the type that is computed in
//! (specification of vISA, "Type Conversion"; the type maps of the pages have rows of integers, of floats and of
//! doubles). What mixes them all the same is computed in the widest float among the operands, and converted: the
//! execution type of several types is the float (volume 7, "Execution Data Types"). Intel's finalizer refuses what
//! rotates bytes. Where the page of an instruction on bits says nothing of saturation, Intel's finalizer drops it.

use gen_ir::{Dst, Op, Src, SrcMod, Type};
use visa::{Opcode, Srcs, VectorOperand};

use super::{Lowered, Lowerer, Unsupported};
use crate::build::{self, VDst, VSrc};

/// Types that are not mixed.
#[derive(PartialOrd, Ord, Clone, Copy, PartialEq, Eq)]
enum TypeFamily {
    Integer,
    Float,
    Double,
}

impl TypeFamily {
    /// The kind of a type; packed constants adapt.
    const fn of(ty: Type) -> Option<TypeFamily> {
        match ty {
            Type::V | Type::Uv | Type::Vf => None,
            Type::Df => Some(TypeFamily::Double),
            _ if ty.is_float() => Some(TypeFamily::Float),
            _ => Some(TypeFamily::Integer),
        }
    }
}

/// Whether operands are of two kinds.
#[inline(always)]
fn are_mixed(dst: &VDst, srcs: &[VSrc]) -> bool {
    let Some(first) = dst.ty().and_then(TypeFamily::of) else { return false };
    srcs.iter().filter_map(Src::ty).filter_map(TypeFamily::of).any(|k| k != first)
}

/// Whether half floats stand beside doubles: no conversion leads from one to the other in one instruction (volume 2a,
/// "mov"), so both are doubles.
pub(super) fn are_half_and_double(dst: Option<&VDst>, srcs: &[VSrc]) -> bool {
    let has = |ty| srcs.iter().filter_map(Src::ty).chain(dst.and_then(Dst::ty)).any(|t| t == ty);
    has(Type::Hf) && has(Type::Df)
}

/// Fields of bits, carries and sums of differences are of integers of up to 32 bits (volume 2a: the type tables of "bfrev",
/// "fbh", "bfi1", "addc", "subb", "sad2"; Intel's verifier).
pub(super) fn check_short_integers(opcode: Opcode, dst: &VDst, srcs: &[VSrc]) -> Lowered {
    let odd = |t: &Type| t.is_float() || t.bytes() == 8;
    match srcs.iter().filter_map(Src::ty).chain(dst.ty()).find(odd) {
        None => Ok(()),
        Some(found) => Err(Unsupported::Type { opcode, found, allowed: "integers of up to 32 bits" }.into()),
    }
}

/// Whether an operation saturates nothing: those on bits, and what rounds stochastically (Intel's verifier).
fn has_no_saturation(op: Op) -> bool {
    use Op::{Bfe, Bfi2, Bfn, Bfrev, Cbit, Fbh, Fbl, Rol, Ror, Srnd};
    op.info().logic || matches!(op, Rol | Ror | Bfe | Bfi2 | Bfn | Bfrev | Cbit | Fbh | Fbl | Srnd)
}

impl Lowerer<'_> {
    /// Looks at the instruction that was appended last: whether it means something, and without saturation that
    /// it does not have.
    #[inline(always)]
    pub(crate) fn settle_types(&mut self, opcode: Opcode, op: Op) -> Lowered {
        let srnd = self.caps.ops.srnd;
        let inst = self.block_insts().last_mut();
        let Some(inst) = inst else { return Ok(()) };
        inst.sat &= !has_no_saturation(op);
        match op {
            Op::Add | Op::Mul | Op::Mad if are_mixed(&inst.dst, &inst.src) => {
                self.last_in_one_type();
                Ok(())
            }
            Op::Sel if are_mixed(&inst.dst, &inst.src) || are_half_and_double(Some(&inst.dst), &inst.src) => {
                self.last_chooses_converted();
                Ok(())
            }
            Op::Lzd if inst.src[0].ty().is_some_and(|t| t.is_int() && t.bytes() < 8 && !t.is_dword()) => {
                self.last_counts_in_dwords();
                Ok(())
            }
            Op::Bfrev | Op::Fbh | Op::Lzd | Op::Sad2 => check_short_integers(opcode, &inst.dst, &inst.src),
            Op::Srnd if !srnd => self.unsupported(opcode),
            Op::Rol | Op::Ror => match inst.src[0].ty().filter(|ty| ty.bytes() == 1) {
                Some(found) => {
                    let allowed = "words, dwords, and qwords where there are such";
                    Err(Unsupported::Type { opcode, found, allowed }.into())
                }
                None => Ok(()),
            },
            _ => Ok(()),
        }
    }
}

impl Lowerer<'_> {
    /// `fcvt`: what vISA calls `:ub` is an 8-bit float, and `:ud` beside `:f` a TensorFloat-32 (spec "FCVT").
    pub(crate) fn convert_float(&mut self, dst: &VectorOperand, srcs: Srcs<'_>) -> Lowered {
        if !self.caps.ops.srnd {
            return self.unsupported(Opcode::Fcvt);
        }
        let (dst, _) = self.dst(dst)?;
        let src = self.src(&srcs[0])?;
        let (to, from) = match (dst.ty(), src.ty()) {
            (Some(Type::Hf), Some(Type::Ub)) => (Type::Hf, Type::Bf8),
            (Some(Type::Ub), Some(Type::Hf)) if self.lanes.no_mask && self.pred.is_none() => {
                (Type::Bf8, Type::Hf)
            }
            (Some(Type::Ub), Some(Type::Hf)) => {
                return Err(Unsupported::MaskedConversion.into());
            }
            (Some(Type::Ud), Some(Type::F)) => (Type::Tf32, Type::F),
            // Each is a single float.
            (Some(Type::F), Some(Type::Ud)) => (Type::Ud, Type::Ud),
            _ => return Err(Unsupported::ConvertedTypes.into()),
        };
        let dst = match dst {
            Dst::Direct { reg, horz, .. } => Dst::Direct { reg, horz, ty: to },
            _ => return Err(Unsupported::NotInVariable("the result of `fcvt`").into()),
        };
        let src = match src {
            Src::Direct { reg, region, mods: SrcMod::None, .. } => Src::new(reg, region, from),
            _ => return Err(Unsupported::ConvertedSource.into()),
        };
        self.emit_guarded(build::mov(self.lanes, dst, src));
        Ok(())
    }
}

/// What an operation computes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Results {
    /// Quotients or remainders.
    Quotients,
    /// Something else.
    Any,
}

impl Lowerer<'_> {
    /// The instruction that was appended last, computed in one type.
    #[cold]
    fn last_in_one_type(&mut self) {
        let Some(mut inst) = self.block_insts().pop() else { return };
        let target = self.one_type(&mut inst.dst, &mut inst.src, Results::Any);
        let Some((target, from)) = target else { return self.emit(inst) };
        let sat = std::mem::take(&mut inst.sat);
        self.emit(inst);
        let mut copy = build::mov(self.lanes, target, from);
        copy.sat = sat;
        self.emit_guarded(copy);
    }

    /// The count that was appended last, of zeros in front of a number, which is a dword.
    #[cold]
    fn last_counts_in_dwords(&mut self) {
        let Some(mut inst) = self.block_insts().pop() else { return };
        inst.src[0] = self.as_dword(inst.src[0]);
        self.emit(inst);
    }

    /// The choice that was appended last, among sources that have the destination's type: one of them, converted, is
    /// what was chosen, converted.
    #[cold]
    fn last_chooses_converted(&mut self) {
        let Some(mut inst) = self.block_insts().pop() else { return };
        let Some(ty) = inst.dst.ty() else { return self.emit(inst) };
        let lanes = self.lanes;
        for src in inst.src.iter_mut().filter(|s| s.ty().is_some_and(|t| t != ty)) {
            let copy = self.temp(lanes.exec.lanes(), ty.bytes());
            let mut mov = build::mov(lanes, Dst::packed(copy, ty), *src);
            mov.sat = inst.sat;
            self.emit(mov);
            *src = Src::new(copy, build::strided(1, lanes.exec), ty);
        }
        self.emit(inst);
    }

    /// Half floats beside doubles become doubles.
    pub(super) fn widen_halves(&mut self, srcs: &mut [VSrc]) {
        if !are_half_and_double(None, srcs) {
            return;
        }
        let lanes = self.lanes;
        for src in srcs.iter_mut().filter(|s| s.ty() == Some(Type::Hf)) {
            let copy = self.temp(lanes.exec.lanes(), 8);
            self.emit(build::mov(lanes, Dst::packed(copy, Type::Df), *src));
            *src = Src::new(copy, build::strided(1, lanes.exec), Type::Df);
        }
    }

    /// Makes operands of one kind. If the destination becomes another: the real one, and what is to be moved there.
    #[cold]
    pub(super) fn one_type(
        &mut self,
        dst: &mut VDst,
        srcs: &mut [VSrc],
        results: Results,
    ) -> Option<(VDst, VSrc)> {
        let types = || srcs.iter().filter_map(Src::ty);
        // A quotient of integers is one.
        let whole = results == Results::Quotients && !types().any(Type::is_float);
        let kinds = types().chain(dst.ty().filter(|_| !whole)).filter_map(TypeFamily::of);
        let kind = kinds.max().unwrap_or(TypeFamily::Integer);
        let half = types().all(|t| t == Type::Hf) && dst.ty() != Some(Type::F);
        let signed = types().any(Type::is_signed) || srcs.iter().any(|s| s.mods().any());
        let ty = match kind {
            TypeFamily::Double => Type::Df,
            TypeFamily::Float if half => Type::Hf,
            TypeFamily::Float => Type::F,
            TypeFamily::Integer if types().any(|t| t.bytes() == 8) => {
                if signed {
                    Type::Q
                } else {
                    Type::Uq
                }
            }
            TypeFamily::Integer => {
                if signed {
                    Type::D
                } else {
                    Type::Ud
                }
            }
        };
        let lanes = self.lanes;
        let packed = build::strided(1, lanes.exec);
        for src in srcs {
            let Some(own) = src.ty() else { continue };
            if TypeFamily::of(own) == Some(kind) && (own.bytes() == ty.bytes() || kind != TypeFamily::Float) {
                continue;
            }
            let copy = self.temp(lanes.exec.lanes(), ty.bytes());
            self.emit(build::mov(lanes, Dst::packed(copy, ty), *src));
            *src = Src::new(copy, packed, ty);
        }
        if dst.ty().and_then(TypeFamily::of) == Some(kind) {
            return None;
        }
        let result = self.temp(lanes.exec.lanes(), ty.bytes());
        let target = std::mem::replace(dst, Dst::packed(result, ty));
        Some((target, Src::new(result, packed, ty)))
    }

    /// Whether a function's operands are of several kinds.
    #[inline(always)]
    pub(super) fn is_mixed(dst: &VDst, srcs: &[VSrc]) -> bool {
        are_mixed(dst, srcs)
    }
}

/// Whether 64 signed bits hold every product of two types: those of up to 32 bits, not both unsigned dwords.
pub(super) fn product_fits(dst: Option<Type>, a: Option<Type>, b: Option<Type>) -> bool {
    let (Some(Type::Q), Some(a), Some(b)) = (dst, a, b) else { return false };
    let short = |t: Type| t.is_int() && t.bytes() <= 4;
    short(a) && short(b) && (a, b) != (Type::Ud, Type::Ud)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_bits_are_of_short_integers() {
        let dst: VDst = Dst::null(Type::Ud);
        for (ty, fits) in [(Type::Ud, true), (Type::W, true), (Type::Uq, false), (Type::F, false)] {
            assert_eq!(check_short_integers(Opcode::Fbh, &dst, &[Src::imm(1, ty)]).is_ok(), fits, "{ty}");
        }
    }

    #[test]
    fn half_floats_and_doubles_meet_in_sources_or_destination() {
        let (half, double): (VSrc, VSrc) = (Src::imm(0, Type::Hf), Src::imm(0, Type::Df));
        let to: VDst = Dst::null(Type::Df);
        assert!(are_half_and_double(None, &[half, double]));
        assert!(are_half_and_double(Some(&to), &[half]));
        assert!(!are_half_and_double(None, &[half]) && !are_half_and_double(Some(&to), &[double]));
    }
}
