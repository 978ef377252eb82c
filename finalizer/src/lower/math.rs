//! The math unit: approximations, integer division, and what stands for missing functions.

use gen_ir::{Dst, MathFn, Op, Src, SrcMod, Type};
use visa::{Opcode, Srcs, VectorOperand};

use super::{Lowered, Lowerer, types::Results};
use crate::build::{self, VDst, VSrc};

impl Lowerer<'_> {
    /// Any function of the math unit.
    pub(crate) fn math(&mut self, opcode: Opcode, dst: &VectorOperand, srcs: Srcs<'_>) -> Lowered {
        let (target, sat) = self.dst(dst)?;
        let a = self.src(&srcs[0])?;
        let b = match srcs.get(1) {
            Some(operand) => Some(self.src(operand)?),
            None => None,
        };
        let mut sources = [a, b.unwrap_or(Src::None)];
        if Self::is_mixed(&target, &sources) {
            let mut own = target;
            let results = match opcode {
                Opcode::Div | Opcode::Mod => Results::Quotients,
                _ => Results::Any,
            };
            let moved = self.one_type(&mut own, &mut sources, results);
            let [a, second] = sources;
            let done = self.function(opcode, own, sat && moved.is_none(), a, b.map(|_| second));
            if let (Ok(()), Some((target, from))) = (&done, moved) {
                let mut copy = build::mov(self.lanes, target, from);
                copy.sat = sat;
                self.emit_guarded(copy);
            }
            return done;
        }
        self.function(opcode, target, sat, a, b)
    }

    /// A function of operands of one kind.
    fn function(&mut self, opcode: Opcode, target: VDst, sat: bool, a: VSrc, b: Option<VSrc>) -> Lowered {
        if let Some(done) = self.double_math(opcode, target, sat, a, b) {
            return done;
        }
        let unary = |function| Lowered::Ok((function, [a, Src::None]));
        let (function, s) = match (opcode, b) {
            (Opcode::Inv, _) => unary(MathFn::Inv)?,
            (Opcode::Log, _) => unary(MathFn::Log)?,
            (Opcode::Exp, _) => unary(MathFn::Exp)?,
            (Opcode::Sqrt, _) => unary(MathFn::Sqt)?,
            (Opcode::Rsqrt, _) => unary(MathFn::Rsqt)?,
            (Opcode::Sin, _) => unary(MathFn::Sin)?,
            (Opcode::Cos, _) => unary(MathFn::Cos)?,
            (Opcode::Div, Some(b)) if target.ty().is_some_and(Type::is_float) => {
                if !self.caps.ops.fdiv_pow {
                    return self.divide_by_inverse(target, sat, a, b);
                }
                (MathFn::Fdiv, [a, b])
            }
            (Opcode::Div | Opcode::Mod, Some(b)) => {
                if !self.caps.ops.int_div {
                    return self.unsupported(opcode);
                }
                let ty = build::division_type(&[a, b]);
                let sources = [a, b].map(|s| match s {
                    Src::Imm { bits, ty: of } if !matches!(of, Type::V | Type::Uv) => {
                        Src::imm(build::extend(bits, of) & u64::from(u32::MAX), ty)
                    }
                    other => other,
                });
                (if opcode == Opcode::Div { MathFn::Iqot } else { MathFn::Irem }, sources)
            }
            (Opcode::Pow, Some(b)) => {
                if !self.caps.ops.fdiv_pow {
                    return self.power_by_logarithm(target, sat, a, b);
                }
                (MathFn::Pow, [a, b])
            }
            (Opcode::Divm, Some(b)) => return self.ieee_math(opcode, target, sat, a, b),
            (Opcode::Sqrtm, _) => return self.ieee_math(opcode, target, sat, a, Src::None),
            _ => return self.unsupported(opcode),
        };
        let count = if matches!(s[1], Src::None) { 1 } else { 2 };
        self.plain_math(function, target, sat, &s[..count]);
        Ok(())
    }

    /// Doubles, which the math unit computes by its macros alone.
    fn double_math(
        &mut self,
        opcode: Opcode,
        dst: VDst,
        sat: bool,
        a: VSrc,
        b: Option<VSrc>,
    ) -> Option<Lowered> {
        if a.ty() != Some(Type::Df) {
            return None;
        }
        let one = Src::imm(1f64.to_bits(), Type::Df);
        match (opcode, b) {
            (Opcode::Sqrt, _) => Some(self.ieee_math(Opcode::Sqrtm, dst, sat, a, Src::None)),
            (Opcode::Inv, _) => Some(self.ieee_math(Opcode::Inv, dst, sat, one, a)),
            (Opcode::Div, Some(b)) => Some(self.ieee_math(Opcode::Divm, dst, sat, a, b)),
            _ => None,
        }
    }

    /// `a * (1 / b)`.
    fn divide_by_inverse(&mut self, dst: VDst, sat: bool, a: VSrc, b: VSrc) -> Lowered {
        let ty = dst.ty().unwrap_or(Type::F);
        let lanes = self.lanes;
        let temp = self.temp(lanes.exec.lanes(), ty.bytes());
        self.emit(build::math(MathFn::Inv, lanes, Dst::packed(temp, ty), &[b]));
        let inverse = Src::new(temp, build::strided(1, lanes.exec), ty);
        let mut mul = build::op(Op::Mul, lanes, dst, &[a, inverse]);
        mul.sat = sat;
        self.emit_guarded(mul);
        Ok(())
    }

    /// `exp2(b * log2(|a|))`.
    fn power_by_logarithm(&mut self, dst: VDst, sat: bool, a: VSrc, b: VSrc) -> Lowered {
        let ty = dst.ty().unwrap_or(Type::F);
        let lanes = self.lanes;
        let temp = self.temp(lanes.exec.lanes(), ty.bytes());
        let packed = build::strided(1, lanes.exec);
        self.emit(build::math(MathFn::Log, lanes, Dst::packed(temp, ty), &[magnitude(a)]));
        self.emit(build::op(Op::Mul, lanes, Dst::packed(temp, ty), &[Src::new(temp, packed, ty), b]));
        let mut exp = build::math(MathFn::Exp, lanes, dst, &[Src::new(temp, packed, ty)]);
        exp.sat = sat;
        self.emit_guarded(exp);
        Ok(())
    }
}

/// `|src|`.
fn magnitude(src: VSrc) -> VSrc {
    match src {
        Src::Direct { reg, region, ty, .. } => Src::Direct { reg, region, mods: SrcMod::Abs, ty },
        Src::Indirect { addr, imm, region, ty, .. } => {
            Src::Indirect { addr, imm, region, mods: SrcMod::Abs, ty }
        }
        Src::Imm { bits, ty: Type::F } => Src::imm(bits & 0x7fff_ffff, Type::F),
        Src::Imm { bits, ty: Type::Hf } => Src::imm(bits & 0x7fff, Type::Hf),
        other => other,
    }
}
