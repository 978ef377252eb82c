//! The math unit: approximations, integer division, and what stands for missing functions.

use gen_ir::{Dst, MathFn, Op, Src, SrcMod, Type};
use visa::{Opcode, Srcs, VectorOperand};

use super::{Lowered, Lowerer};
use crate::build::{self, VSrc};

impl Lowerer<'_> {
    /// Any function of the math unit.
    pub(crate) fn math(&mut self, opcode: Opcode, dst: &VectorOperand, srcs: Srcs<'_>) -> Lowered {
        let (target, sat) = self.dst(dst)?;
        let a = self.src(&srcs[0])?;
        let b = match srcs.get(1) {
            Some(operand) => Some(self.src(operand)?),
            None => None,
        };
        if let Some(done) = self.converted_math(opcode, target, sat, a, b)? {
            return Ok(done);
        }
        let unary = |function| Ok::<_, super::Refusal>((function, [a, Src::None]));
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
                (if opcode == Opcode::Div { MathFn::Iqot } else { MathFn::Irem }, [a, b])
            }
            (Opcode::Pow, Some(b)) => {
                if !self.caps.ops.fdiv_pow {
                    return self.power_by_logarithm(target, sat, a, b);
                }
                (MathFn::Pow, [a, b])
            }
            (Opcode::Divm, Some(b)) => return self.ieee_math(opcode, target, sat, a, b),
            (Opcode::Sqrtm, _) => return self.ieee_math(opcode, target, sat, a, Src::None),
            _ => return Err("not lowered yet".into()),
        };
        let count = if matches!(s[1], Src::None) { 1 } else { 2 };
        self.plain_math(function, target, sat, &s[..count]);
        Ok(())
    }

    /// Divisions whose result is of another kind than their operands, and doubles, which the math unit computes by
    /// its macros alone.
    fn converted_math(
        &mut self,
        opcode: Opcode,
        dst: build::VDst,
        sat: bool,
        a: VSrc,
        b: Option<VSrc>,
    ) -> Lowered<Option<()>> {
        let (Some(to), Some(from)) = (dst.ty(), a.ty()) else { return Ok(None) };
        let computed = match opcode {
            Opcode::Div | Opcode::Inv | Opcode::Sqrt
                if from == Type::Df || b.and_then(|b| b.ty()) == Some(Type::Df) =>
            {
                Type::Df
            }
            Opcode::Div if from.is_float() && to.is_int() => Type::F,
            Opcode::Div
                if from.is_int() && to.is_float() && b.and_then(|b| b.ty()).is_some_and(Type::is_int) =>
            {
                if from.is_signed() {
                    Type::D
                } else {
                    Type::Ud
                }
            }
            _ => return Ok(None),
        };
        let lanes = self.lanes;
        let result = self.payload((lanes.exec.lanes() * computed.bytes()).div_ceil(self.grf()));
        let target = Dst::packed(result, computed);
        let pred = self.pred.take();
        match (opcode, computed, b) {
            (Opcode::Sqrt, Type::Df, _) => self.ieee_math(Opcode::Sqrtm, target, false, a, Src::None)?,
            (Opcode::Inv, Type::Df, _) => {
                self.ieee_math(Opcode::Divm, target, false, Src::imm(1f64.to_bits(), Type::Df), a)?;
            }
            (_, Type::Df, Some(b)) => self.ieee_math(Opcode::Divm, target, false, a, b)?,
            (_, Type::F, Some(b)) if !self.caps.ops.fdiv_pow => {
                self.divide_by_inverse(target, false, a, b)?
            }
            (_, Type::F, Some(b)) => self.plain_math(MathFn::Fdiv, target, false, &[a, b]),
            (_, _, Some(b)) if self.caps.ops.int_div => self.plain_math(MathFn::Iqot, target, false, &[a, b]),
            _ => return self.unsupported(opcode),
        }
        self.pred = pred;
        let mut copy = build::mov(lanes, dst, Src::new(result, build::strided(1, lanes.exec), computed));
        copy.sat = sat;
        self.emit_guarded(copy);
        Ok(Some(()))
    }

    /// `a * (1 / b)`.
    fn divide_by_inverse(&mut self, dst: build::VDst, sat: bool, a: VSrc, b: VSrc) -> Lowered {
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
    fn power_by_logarithm(&mut self, dst: build::VDst, sat: bool, a: VSrc, b: VSrc) -> Lowered {
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
