//! IEEE division and square root: a first approximation by the math unit, then Newton's iterations by
//! `madm`, whose intermediate values keep their exponents in the `mme` registers.
//!
//! Where an operand is zero, infinite or not a number, or the result needs no work, the math unit gives
//! the result itself and says so in a flag ("early out"). Sequences: Programmer's Reference Manual volume
//! 7, "IEEE floating point division and square root macros", and the reference finalizer's listings.

use gen_ir::{Cond, CondMod, Dst, ExecSize, MathFn, Mme, Op, Options, Pred, Region, Src, SrcMod, Type};
use narrow::{every, low_u32, single, to_u8};
use visa::{Op as Visa, Opcode, Predefined, Srcs, VectorOperand};

use super::{Lowered, Lowerer, Unsupported};
use crate::build::{self, Lanes, VDst, VInst, VReg, VSrc};

/// A value of the iteration: `A` and `B` are the operands, `C` constants, `T` temporaries by number.
#[derive(Clone, Copy)]
enum Term {
    A,
    B,
    Zero,
    Half,
    One,
    OneAndHalf,
    T(u8),
}

use Term::{A, B, Half, One, OneAndHalf, T, Zero};

/// `madm`: destination and its `mme`, then `s0 + s1 * s2`; the middle one is negated if so marked.
/// Destination 0 is the approximation's register, where the result ends up too.
type IterationStep = (u8, Option<u8>, Term, (bool, Term), Term);

#[rustfmt::skip]
const DIVIDE_FLOAT: &[IterationStep] = &[
    (1, Some(1), Zero, (false, A), T(0)),
    (2, Some(2), One,  (true, B),  T(0)),
    (3, Some(3), T(0), (false, T(2)), T(0)),
    (4, Some(4), A,    (true, B),  T(1)),
    (1, Some(5), T(1), (false, T(4)), T(3)),
    (5, Some(6), A,    (true, B),  T(1)),
    (0, None,    T(1), (false, T(5)), T(3)),
];

#[rustfmt::skip]
const DIVIDE_DOUBLE: &[IterationStep] = &[
    (1, Some(1), Zero, (false, A), T(0)),
    (2, Some(2), One,  (true, B),  T(0)),
    (3, Some(3), A,    (true, B),  T(1)),
    (4, Some(4), T(0), (false, T(2)), T(0)),
    (5, Some(5), One,  (true, B),  T(4)),
    (0, Some(6), T(0), (false, T(2)), T(4)),
    (1, Some(7), T(1), (false, T(3)), T(4)),
    (4, Some(0), T(4), (false, T(0)), T(5)),
    (3, Some(1), A,    (true, B),  T(1)),
    (0, None,    T(1), (false, T(3)), T(4)),
];

/// `inv` of doubles does not ask for the last bit: with `e = 1 - b y`, the reciprocal is `y (1 + e + e^2)`, whose error is of
/// the third order. (Intel's finalizer computes the same in five steps.)
#[rustfmt::skip]
const INVERT_DOUBLE: &[IterationStep] = &[
    (1, Some(1), A,    (true, B),  T(0)),
    (1, Some(2), T(1), (false, T(1)), T(1)),
    (0, None,    T(0), (false, T(0)), T(1)),
];

#[rustfmt::skip]
const ROOT_FLOAT: &[IterationStep] = &[
    (1, Some(1), Zero, (false, Half), T(0)),
    (2, Some(2), Zero, (false, A), T(0)),
    (3, Some(3), Half, (true, T(2)), T(1)),
    (1, Some(4), T(1), (false, T(3)), T(1)),
    (0, Some(5), T(2), (false, T(3)), T(2)),
    (3, Some(6), A,    (true, T(0)), T(0)),
    (0, None,    T(0), (false, T(1)), T(3)),
];

#[rustfmt::skip]
const ROOT_DOUBLE: &[IterationStep] = &[
    (1, Some(1), Zero, (false, Half), T(0)),
    (2, Some(2), Zero, (false, A), T(0)),
    (3, Some(3), Half, (true, T(2)), T(1)),
    (4, Some(5), One,  (false, OneAndHalf), T(3)),
    (0, Some(6), Zero, (false, T(3)), T(2)),
    (3, Some(7), Zero, (false, T(3)), T(1)),
    (0, Some(6), T(2), (false, T(4)), T(0)),
    (4, Some(5), T(1), (false, T(4)), T(3)),
    (1, Some(1), A,    (true, T(0)), T(0)),
    (0, None,    T(0), (false, T(1)), T(4)),
];

/// Temporaries besides the one of the result.
const TEMPORARIES: usize = 6;

/// Bits of `cr0.0` that select the rounding mode; zero is to nearest even.
const ROUNDING: u32 = 0x30;

impl Lowerer<'_> {
    /// `divm`, `sqrtm`; `inv` of doubles, as a quotient whose first operand is 1.
    pub(crate) fn ieee_math(&mut self, opcode: Opcode, dst: VDst, sat: bool, a: VSrc, b: VSrc) -> Lowered {
        let divide = matches!(opcode, Opcode::Divm | Opcode::Inv);
        // On a platform without macros the error names the division, for `inv` too.
        let ty = self.macro_type(if divide { Opcode::Divm } else { opcode }, dst.ty())?;
        let steps = match (divide, ty) {
            (true, Type::Df) if opcode == Opcode::Inv => INVERT_DOUBLE,
            (true, Type::F) => DIVIDE_FLOAT,
            (true, _) => DIVIDE_DOUBLE,
            (false, Type::F) => ROOT_FLOAT,
            (false, _) => ROOT_DOUBLE,
        };
        let function = if divide { MathFn::Invm } else { MathFn::Rsqtm };
        let (whole, step) = self.macro_lanes(ty);
        let bytes = whole.exec.lanes() * ty.bytes();
        let result = self.temp_aligned(bytes);
        let a = self.packed_operand(a, ty, whole);
        let b = if divide { self.packed_operand(b, ty, whole) } else { a };
        let constants = self.constants(steps, ty, step);
        let temporaries = self.temporaries(steps, result, bytes);
        let kept = self.round_to_nearest();
        for first in every(0..whole.exec.lanes(), step.lanes()) {
            let lanes = Lanes { exec: step, chan: whole.chan + to_u8(first), ..whole };
            let at = first * ty.bytes();
            let flag = VReg::var_at(self.var(build::flag(lanes)), 0);
            let place = |v: Term| match v {
                A => a.plus(at),
                B => b.plus(at),
                T(n) => temporaries[usize::from(n)].plus(at),
                constant => constants[constant_index(constant)],
            };
            let start = Dst::Macro { reg: result.plus(at), mme: Mme::Reg(0), ty };
            let mut math =
                build::math(function, lanes, start, &[operand(place(A), Mme::None, SrcMod::None, ty)]);
            if divide {
                math.src[1] = operand(place(B), Mme::None, SrcMod::None, ty);
            }
            math.cond = Some(CondMod { cond: Cond::Eo, flag });
            self.emit(math);
            self.iterate(steps, lanes, ty, flag, kept, place);
            if first + step.lanes() < whole.exec.lanes() && kept.is_some() {
                self.clear_rounding();
            }
        }
        let from = Src::new(result, build::strided(1, self.lanes.exec), ty);
        let mut mov = build::mov(self.lanes, dst, from);
        mov.sat = sat;
        self.emit_guarded(mov);
        Ok(())
    }

    /// The steps that bring an approximation in temporary 0 to the result, but in lanes whose flag says that they have it. The
    /// last step rounds as the thread does, whose mode is restored before.
    fn iterate(
        &mut self,
        steps: &[IterationStep],
        lanes: Lanes,
        ty: Type,
        flag: VReg,
        kept: Option<VReg>,
        place: impl Fn(Term) -> VReg,
    ) {
        let mut mmes = [Mme::None; TEMPORARIES];
        mmes[0] = Mme::Reg(0);
        for (to, mme, s0, (neg, s1), s2) in steps {
            let mme_of = |v: &Term| match v {
                T(n) => mmes[usize::from(*n)],
                _ => Mme::None,
            };
            if mme.is_none() {
                self.restore_rounding(kept);
            }
            let target = mme.map_or(Mme::None, Mme::Reg);
            let dst = Dst::Macro { reg: place(T(*to)), mme: target, ty };
            let srcs = [
                operand(place(*s0), mme_of(s0), SrcMod::None, ty),
                operand(place(*s1), mme_of(s1), SrcMod::neg_if(*neg), ty),
                operand(place(*s2), mme_of(s2), SrcMod::None, ty),
            ];
            let mut madm = build::op(Op::Madm, lanes, dst, &srcs);
            madm.pred = Some(Pred { flag, inv: true, ctrl: gen_ir::PredCtrl::Seq });
            if self.caps.words.ternary_align16 {
                madm.opts = Options::ALIGN16;
            }
            self.emit(madm);
            mmes[usize::from(*to)] = target;
        }
    }

    /// Places for what steps compute, the first of them for the result; null for those that no step writes.
    fn temporaries(&mut self, steps: &[IterationStep], result: VReg, bytes: u32) -> [VReg; TEMPORARIES] {
        let mut temporaries = [VReg::NULL; TEMPORARIES];
        for (i, t) in temporaries.iter_mut().enumerate() {
            let used = steps.iter().any(|s| usize::from(s.0) == i);
            *t = match (i, used) {
                (0, _) => result,
                (_, true) => self.temp_aligned(bytes),
                _ => VReg::NULL,
            };
        }
        temporaries
    }

    /// `invm`, `rsqtm`: the approximation alone, and where it is the result.
    pub(crate) fn macro_math(
        &mut self,
        opcode: Opcode,
        dst: &VectorOperand,
        flag: &VectorOperand,
        srcs: Srcs<'_>,
    ) -> Lowered {
        let (dst, sat) = self.dst(dst)?;
        let VectorOperand::Predicate(p, _) = flag else {
            return Err(Unsupported::NotPredicate(opcode).into());
        };
        let ty = self.macro_type(opcode, dst.ty())?;
        let function = if opcode == Opcode::Invm { MathFn::Invm } else { MathFn::Rsqtm };
        let early = self.flag(p.id, self.lanes)?;
        // An instruction that sets a flag can be predicated by the same flag only.
        let flag = if self.pred.is_some() { self.var(build::flag(self.lanes)) } else { early };
        // Without further steps there are no extra bits to keep: any number of lanes will do, as in Intel's finalizer
        // (`translateVISAInvmRsqtmInst`).
        let whole = self.lanes;
        let step = self.macro_lanes(ty).1.min(whole.exec);
        let mut operands = [VReg::NULL; 2];
        for (i, operand) in srcs.iter().enumerate().take(2) {
            let src = self.src(operand)?;
            operands[i] = self.packed_operand(src, ty, whole);
        }
        let result = self.temp_aligned(whole.exec.lanes() * ty.bytes());
        for first in every(0..whole.exec.lanes(), step.lanes()) {
            let lanes = Lanes { exec: step, chan: whole.chan + to_u8(first), ..whole };
            let at = first * ty.bytes();
            let to = Dst::Macro { reg: result.plus(at), mme: Mme::Reg(0), ty };
            let mut math = build::math(function, lanes, to, &[]);
            for (src, from) in math.src.iter_mut().zip(operands).take(srcs.len().min(2)) {
                *src = operand(from.plus(at), Mme::None, SrcMod::None, ty);
            }
            math.cond = Some(CondMod { cond: Cond::Eo, flag: VReg::var_at(flag, 0) });
            self.emit(math);
        }
        if flag != early {
            self.masked_flag_copy(early, flag);
        }
        let from = Src::new(result, build::strided(1, self.lanes.exec), ty);
        let mut mov = build::mov(self.lanes, dst, from);
        mov.sat = sat;
        self.emit_guarded(mov);
        Ok(())
    }

    fn macro_type(&self, opcode: Opcode, ty: Option<Type>) -> Lowered<Type> {
        if !self.caps.ops.math_macros {
            return self.unsupported(opcode);
        }
        match ty {
            Some(Type::F) => Ok(Type::F),
            Some(Type::Df) if self.caps.ops.fp64 => Ok(Type::Df),
            _ => Err(Unsupported::MacroType(opcode).into()),
        }
    }

    /// The lanes to work on, and how many at a time: at most as many as the macros have, at least a register's (as Intel's
    /// finalizer has them on Ponte Vecchio: 8 lanes of doubles where no more are wanted, else 16).
    fn macro_lanes(&self, ty: Type) -> (Lanes, ExecSize) {
        let double = ty == Type::Df;
        let most =
            if double { self.caps.ops.double_macro_lanes.into() } else { self.caps.regs.native_lanes() };
        let lanes = self.lanes.exec.lanes();
        let full = u32::from(most).min(lanes.max(self.grf() / ty.bytes()));
        let step = ExecSize::from_lanes(full).unwrap_or(ExecSize::S8);
        // Fewer lanes: all of a register's, whatever the mask; only those wanted are copied out.
        let whole = if lanes < full { Lanes::all(step) } else { self.lanes };
        (whole, step)
    }

    fn temp_aligned(&mut self, bytes: u32) -> VReg {
        let grf = self.grf();
        VReg::var_at(self.var(build::general(bytes.next_multiple_of(grf), grf)), 0)
    }

    /// A packed copy of a source that starts at a register, without modifiers.
    fn packed_operand(&mut self, src: VSrc, ty: Type, whole: Lanes) -> VReg {
        let copy = self.temp_aligned(whole.exec.lanes() * ty.bytes());
        let readable = match src {
            Src::Direct { reg, region, mods, ty }
                if self.lanes.exec == ExecSize::S1 || region.is_scalar() =>
            {
                Some(Src::Direct { reg, region: Region::SCALAR, mods, ty })
            }
            Src::Imm { .. } => Some(src),
            _ => None,
        };
        if let Some(readable) = readable.filter(|_| whole.exec != self.lanes.exec && self.pred.is_none()) {
            self.emit(build::mov(whole, Dst::packed(copy, ty), readable));
            return copy;
        }
        if whole.exec != self.lanes.exec {
            // The lanes beyond are computed with too.
            let one = Src::imm(one(ty), ty);
            self.emit(build::mov(whole, Dst::packed(copy, ty), one));
        }
        let pred = self.pred;
        let mut mov = build::mov(self.lanes, Dst::packed(copy, ty), src);
        if whole.exec != self.lanes.exec {
            mov.pred = pred;
        }
        self.emit(mov);
        copy
    }

    /// Registers full of the constants that some step names.
    fn constants(&mut self, steps: &[IterationStep], ty: Type, step: ExecSize) -> [VReg; 4] {
        let mut registers = [VReg::NULL; 4];
        let named = steps.iter().flat_map(|s| [s.2, s.3.1, s.4]);
        for v in named {
            let Some(bits) = constant(v, ty) else { continue };
            let slot = constant_index(v);
            if registers[slot].is_null() {
                let reg = self.temp_aligned(step.lanes() * ty.bytes());
                self.emit(build::mov(Lanes::all(step), Dst::packed(reg, ty), Src::imm(bits, ty)));
                registers[slot] = reg;
            }
        }
        registers
    }

    /// Rounds to nearest even until [`Self::restore_rounding`], if the kernel may round in another way.
    /// Returns where the control register is kept.
    fn round_to_nearest(&mut self) -> Option<VReg> {
        if !self.changes_rounding() {
            return None;
        }
        let kept = self.temp(1, 4);
        let control = VReg::arf(gen_ir::Arf::Control(0), 0);
        let source = Src::scalar(control, Type::Ud);
        self.emit(build::mov(Lanes::SCALAR, Dst::packed(kept, Type::Ud), source));
        self.clear_rounding();
        Some(kept)
    }

    fn clear_rounding(&mut self) {
        let control = VReg::arf(gen_ir::Arf::Control(0), 0);
        let srcs = [Src::scalar(control, Type::Ud), Src::ud(!ROUNDING)];
        let and = build::op(Op::And, Lanes::SCALAR, Dst::packed(control, Type::Ud), &srcs);
        self.emit_control(and);
    }

    fn restore_rounding(&mut self, kept: Option<VReg>) {
        if let Some(kept) = kept {
            let control = Dst::packed(VReg::arf(gen_ir::Arf::Control(0), 0), Type::Ud);
            let mov = build::mov(Lanes::SCALAR, control, Src::scalar(kept, Type::Ud));
            self.emit_control(mov);
        }
    }

    fn emit_control(&mut self, mut inst: VInst) {
        if self.caps.scoreboard.has_switch() {
            inst.opts = inst.opts.with(Options::SWITCH);
        }
        self.emit(inst);
    }

    /// Whether some instruction of the kernel may write the rounding mode.
    fn changes_rounding(&self) -> bool {
        let control = |v: &VectorOperand| matches!(v, VectorOperand::General(g) if g.var.predefined() == Some(Predefined::Cr0));
        (0..self.visa.code.len()).filter_map(|i| self.visa.try_inst(i).ok()).any(|i| match i.op {
            Visa::Alu { dst, srcs } if control(dst) => {
                let constant = srcs.get(1).and_then(VectorOperand::immediate).map(low_u32);
                !(i.opcode == Opcode::Or && constant.is_some_and(|c| c & ROUNDING == 0))
            }
            _ => false,
        })
    }
}

fn operand(reg: VReg, mme: Mme, mods: SrcMod, ty: Type) -> VSrc {
    Src::Macro { reg, mme, mods, ty }
}

const fn constant_index(v: Term) -> usize {
    match v {
        Zero => 0,
        Half => 1,
        One => 2,
        _ => 3,
    }
}

/// Bits of a constant, exact in single precision, too; none for other values.
fn constant(v: Term, ty: Type) -> Option<u64> {
    let value = match v {
        Zero => 0.0,
        Half => 0.5,
        One => 1.0,
        OneAndHalf => 1.5,
        A | B | T(_) => return None,
    };
    Some(if ty == Type::Df { f64::to_bits(value) } else { f32::to_bits(single(value)).into() })
}

fn one(ty: Type) -> u64 {
    if ty == Type::Df { 1f64.to_bits() } else { 1f32.to_bits().into() }
}
