//! Comparison, and flags made of values.

use gen_ir::{Cond, CondMod, Dst, Op, Region, Src, SrcMod, Type, VarId};
use narrow::{low_u8, low_u32};
use visa::{Modifier, Opcode, Operand, VectorOperand};

use super::{Lowered, Lowerer, Unsupported, local_predicates::gives_bits, types::check_short_integers};
use crate::build::{self, Lanes, VDst, VInst, VReg, VSrc};

/// Gen's condition of a vISA relation.
const fn condition(cond: visa::CondMod) -> Cond {
    match cond {
        visa::CondMod::Eq => Cond::Eq,
        visa::CondMod::Ne => Cond::Ne,
        visa::CondMod::Gt => Cond::Gt,
        visa::CondMod::Ge => Cond::Ge,
        visa::CondMod::Lt => Cond::Lt,
        visa::CondMod::Le => Cond::Le,
    }
}

/// The type of a comparison's null destination: the widest source's.
fn compared_type(srcs: &[VSrc]) -> Type {
    let mut widest = Type::W;
    for src in srcs {
        if let Some(ty) = src.ty() {
            let ty = match ty {
                Type::B => Type::W,
                Type::Ub => Type::Uw,
                other => other.of_elements(),
            };
            if ty.bytes() > widest.bytes() || (ty.bytes() == widest.bytes() && ty.is_float()) {
                widest = ty;
            }
        }
    }
    widest
}

/// Whether a comparison cannot write its mask itself: the hardware would have to convert between a half or bfloat16 and
/// what no instruction converts it to, or to 64 bits from less.
fn is_apart(compared: Type, mask: Type) -> bool {
    let is_half = |ty| matches!(ty, Type::Hf | Type::Bf);
    let fits = |half, other| match half {
        Type::Hf => matches!(other, Type::Hf | Type::F | Type::D | Type::Ud),
        _ => matches!(other, Type::Bf | Type::F),
    };
    let is_wide = |ty: Type| (ty.bytes() == 8).then_some(ty.is_float());
    is_half(compared) && !fits(compared, mask)
        || is_half(mask) && !fits(mask, compared)
        || is_wide(mask).is_some() && is_wide(mask) != is_wide(compared)
}

/// The integers where a destination has numbers of another type.
fn as_integers(dst: VDst) -> VDst {
    match dst {
        Dst::Direct { reg, horz, ty } => Dst::Direct { reg, horz, ty: build::signed_int(ty.bytes()) },
        Dst::Indirect { addr, imm, horz, ty } => {
            Dst::Indirect { addr, imm, horz, ty: build::signed_int(ty.bytes()) }
        }
        other => other,
    }
}

/// Copies a scalar, inverted if its modifier says so.
fn bits_of(value: VSrc, modifier: Modifier, to: VDst) -> VInst {
    match modifier {
        Modifier::Not => build::op(Op::Not, Lanes::SCALAR, to, &[build::with_modifiers(value, SrcMod::None)]),
        _ => build::mov(Lanes::SCALAR, to, value),
    }
}

impl Lowerer<'_> {
    /// `cmp` to a predicate, or to a variable that gets all ones or zero.
    pub(crate) fn compare(&mut self, operands: &[Operand]) -> Lowered {
        let relation = low_u8(operands[0].num());
        let Some(cond) = visa::CondMod::from_raw(relation & 7) else {
            return Err(Unsupported::NoMeaning { field: "relation", found: relation.into() }.into());
        };
        let mut src = [self.src(operands[2].vector())?, self.src(operands[3].vector())?, Src::None];
        self.widen_halves(&mut src[..2]);
        let target = operands[1].vector();
        if let VectorOperand::Predicate(p, _) = target {
            let flag = self.flag(p.id, self.lanes)?;
            self.set_flag(Op::Cmp, Dst::null(compared_type(&src[..2])), src, condition(cond), flag);
            return Ok(());
        }
        let (dst, _) = self.dst(target)?;
        let flag = self.var(build::flag(self.lanes));
        let guard = self.pred.take();
        let ty = dst.ty().unwrap_or(Type::Ud);
        // What sets a flag is guarded by the same one only.
        let staged = guard.map(|_| self.temp(self.lanes.exec.lanes(), ty.bytes()));
        let to = staged.map_or(dst, |to| Dst::packed(to, ty));
        let compared = compared_type(&src[..2]);
        let apart = is_apart(compared, ty);
        let inst = self.append(Op::Cmp);
        (inst.dst, inst.src) = (if apart { Dst::null(compared) } else { to }, src);
        inst.cond = Some(CondMod { cond: condition(cond), flag: VReg::var_at(flag, 0) });
        if apart {
            let bits = |value| Src::imm(value, Type::W);
            let mut mask = build::op(Op::Sel, self.lanes, as_integers(to), &[bits(0xffff), bits(0)]);
            mask.pred = Some(build::pred(flag));
            self.emit(mask);
        }
        self.pred = guard;
        if let Some(from) = staged {
            let from = Src::new(from, build::strided(1, self.lanes.exec), ty);
            self.emit_guarded(build::mov(self.lanes, dst, from));
        }
        Ok(())
    }

    /// `setp`: from the bits of a scalar, or from the lowest bit of each element.
    pub(crate) fn setp(&mut self, dst: &VectorOperand, src: &VectorOperand) -> Lowered {
        let VectorOperand::Predicate(p, _) = dst else {
            return Err(Unsupported::NotPredicate(Opcode::Setp).into());
        };
        let flag = self.flag(p.id, self.lanes)?;
        let value = match self.src(src)? {
            // The vector compiler writes the bits of constants as quadwords; no more than 32 are asked for.
            Src::Imm { bits, ty: Type::Uq | Type::Q } => Src::ud(low_u32(bits)),
            value => value,
        };
        check_short_integers(Opcode::Setp, &Dst::None, &[value])?;
        if self.gives_bits(src) {
            self.set_from_bits(p.id, flag, value, src.modifier());
        } else {
            // Logic on Gen takes a sign for the inversion of bits, and Intel's finalizer lets it.
            let mods = if value.mods().neg() { SrcMod::Neg } else { SrcMod::None };
            let value = build::with_modifiers(value, mods);
            // Packed bytes are what moves alone write, even to nowhere (Mesa's validator: "Only raw MOV supports a
            // packed-byte destination").
            let ty = value.ty().filter(|t| t.bytes() > 1).unwrap_or(Type::Uw);
            let dst = Dst::null(ty);
            self.set_flag(Op::And, dst, [value, Src::uw(1), Src::None], Cond::Ne, flag);
        }
        Ok(())
    }

    /// Whether `setp` takes the bits of an operand one by one.
    pub(crate) fn gives_bits(&self, src: &VectorOperand) -> bool {
        gives_bits(self.visa, self.lanes.exec.lanes(), src)
    }

    /// `setp` from the bits of a scalar. Flags are written by words; the bits of channels beside the instruction's stay
    /// where somebody looks at them (vISA specification, SETP: `i < exec_size`).
    fn set_from_bits(&mut self, id: visa::PredId, flag: VarId, value: VSrc, modifier: Modifier) {
        let (first, ty) = self.flag_part();
        let word = if ty == Type::Ud { u32::MAX } else { 0xffff };
        let lanes = low_u32(((1u64 << self.lanes.exec.lanes()) - 1) << self.lanes.chan >> (8 * first));
        let part = VReg::var_at(flag, first);
        let bits = match value {
            Src::Imm { bits, .. } => Ok(low_u32(bits) & word),
            other => Err(other),
        };
        if (self.facts.predicates.used(id) >> (8 * first)) & word & !lanes == 0 {
            let value = bits.map_or_else(|v| v, |bits| Src::imm(bits.into(), ty));
            let mut inst = bits_of(value, modifier, Dst::packed(part, ty));
            inst.pred = self.pred;
            self.emit(inst);
            return;
        }
        let set = match bits {
            Ok(bits) => Src::imm((bits & lanes).into(), ty),
            Err(value) => {
                let copy = self.temp(1, ty.bytes());
                let (to, copied) = (Dst::packed(copy, ty), Src::new(copy, Region::SCALAR, ty));
                self.emit(bits_of(value, modifier, to));
                self.emit(build::op(Op::And, Lanes::SCALAR, to, &[copied, Src::imm(lanes.into(), ty)]));
                copied
            }
        };
        let old = Src::new(part, Region::SCALAR, ty);
        let rest = Src::imm((word & !lanes).into(), ty);
        for (op, with) in [(Op::And, rest), (Op::Or, set)] {
            let mut inst = build::op(op, Lanes::SCALAR, Dst::packed(part, ty), &[old, with]);
            inst.pred = self.pred;
            self.emit(inst);
        }
    }

    /// Emits an instruction whose only result is a flag, for the channels of the mask and the predicate.
    fn set_flag(&mut self, op: Op, dst: VDst, src: [VSrc; 3], cond: Cond, flag: VarId) {
        let guarded = self.pred.is_some_and(|p| p.flag.var() != Some(flag));
        let result = if guarded { self.var(build::flag(self.lanes)) } else { flag };
        let inst = self.append(op);
        (inst.dst, inst.src) = (dst, src);
        inst.cond = Some(CondMod { cond, flag: VReg::var_at(result, 0) });
        if guarded {
            inst.pred = None;
            self.masked_flag_copy(flag, result);
        }
    }
}
