//! Logic on predicates.
//!
//! Flag registers are operated on as scalars, outside of the execution mask. That overwrites the bits
//! of disabled channels too, which matters unless every reader of the predicate follows a writer in
//! its own block. Where it matters, the result goes to a spare flag first and then, under the mask, to
//! the predicate.

use gen_ir::{Cond, CondMod, Dst, ExecSize, Op, Pred, Region, Src, SrcMod, Type, VarId, Virtual};
use visa::{Modifier, Opcode, PredOperand, Srcs, VectorOperand};

use super::{Lowered, Lowerer, Unsupported};
use crate::build::{self, Lanes, VReg, VSrc};

impl Lowerer<'_> {
    /// `and`, `or`, `xor`, `not`, `mov` to a predicate.
    pub(crate) fn predicate_logic(&mut self, opcode: Opcode, dst: &VectorOperand, srcs: Srcs<'_>) -> Lowered {
        let op = match opcode {
            Opcode::And => Op::And,
            Opcode::Or => Op::Or,
            Opcode::Xor => Op::Xor,
            Opcode::Not => Op::Not,
            Opcode::Mov => Op::Mov,
            _ => return Err(Unsupported::Predicate(opcode).into()),
        };
        let VectorOperand::Predicate(target, _) = dst else {
            return Err(Unsupported::NotPredicate(opcode).into());
        };
        let flag = self.flag(target.id, self.lanes)?;
        let elements = self.visa.pred_elements(target.id).map_or(0, u32::from);
        // Operations on flags work on words; a predicate may have fewer elements than the instruction has lanes.
        let lanes = self.lanes.exec.lanes();
        let all =
            elements.min(16) <= lanes && (lanes >= 16 || self.facts.predicates.ends_at(target.id, lanes));
        let whole = self.lanes.no_mask && all;
        let scalar = whole || self.facts.predicates.is_local(target.id);
        let result = if scalar && self.pred.is_none() { flag } else { self.var(build::flag(self.lanes)) };
        self.flag_logic(op, result, srcs)?;
        if result != flag {
            self.masked_flag_copy(flag, result);
        }
        Ok(())
    }

    /// A scalar operation on flag bits. Source 1 is never an architecture register.
    fn flag_logic(&mut self, op: Op, result: VarId, srcs: Srcs<'_>) -> Lowered {
        let (first, ty) = self.flag_part();
        let dst = Dst::packed(VReg::var_at(result, first), ty);
        let mut inst = build::op(op, Lanes::SCALAR, dst, &[]);
        for (i, operand) in srcs.iter().enumerate().take(2) {
            let source = match operand {
                VectorOperand::Predicate(p, modifier) => self.flag_bits(*p, *modifier, first, ty)?,
                other => self.scalar_src(other)?,
            };
            inst.src[i] = if i == 1 && matches!(operand, VectorOperand::Predicate(..)) {
                let copy = self.temp(1, ty.bytes());
                let plain = match source {
                    Src::Direct { reg, region, ty, .. } => Src::new(reg, region, ty),
                    other => other,
                };
                self.emit(build::mov(Lanes::SCALAR, Dst::packed(copy, ty), plain));
                Src::Direct { reg: copy, region: Region::SCALAR, mods: source.mods(), ty }
            } else {
                source
            };
        }
        self.emit(inst);
        Ok(())
    }

    fn flag_bits(&mut self, p: PredOperand, modifier: Modifier, first: u32, ty: Type) -> Lowered<VSrc> {
        let flag = self.flag(p.id, self.lanes)?;
        let neg = p.inverse != (modifier == Modifier::Not);
        Ok(Src::Direct {
            reg: VReg::var_at(flag, first),
            region: Region::SCALAR,
            mods: SrcMod::neg_if(neg),
            ty,
        })
    }

    /// Copies the bits of `result` to `flag` for the channels that are enabled and, where the instruction
    /// has a predicate, satisfy it. The bits of all others stay.
    ///
    /// An instruction that sets a flag can be predicated by the same flag only, so the bits pass through
    /// general registers, a word a channel.
    pub(crate) fn masked_flag_copy(&mut self, flag: VarId, result: VarId) {
        let mut bits = self.bits_as_words(result);
        if let Some(guard) = self.pred {
            let old = self.bits_as_words(flag);
            bits = self.select(guard, bits, old);
        }
        let mut set = build::op(Op::Cmp, self.lanes, Dst::null(Type::Uw), &[bits, Src::uw(0)]);
        set.cond = Some(CondMod { cond: Cond::Ne, flag: VReg::var_at(flag, 0) });
        self.emit(set);
    }

    /// One word a channel: 1 where the flag's bit is set, else 0.
    fn bits_as_words(&mut self, flag: VarId) -> VSrc {
        self.select(build::pred(flag), Src::uw(1), Src::uw(0))
    }

    /// Words of `yes` where the predicate holds, else of `no`.
    fn select(&mut self, pred: Pred<Virtual>, yes: VSrc, no: VSrc) -> VSrc {
        let words = self.temp(self.lanes.exec.lanes(), 2);
        let mut sel = build::op(Op::Sel, self.lanes, Dst::packed(words, Type::Uw), &[yes, no]);
        sel.pred = Some(pred);
        self.emit(sel);
        Src::new(words, build::strided(1, self.lanes.exec), Type::Uw)
    }

    /// The bytes of a flag that the current channels use: offset and type.
    pub(crate) fn flag_part(&self) -> (u32, Type) {
        match (self.lanes.exec, self.lanes.chan) {
            (ExecSize::S32, _) => (0, Type::Ud),
            (_, chan) if chan >= 16 => (2, Type::Uw),
            _ => (0, Type::Uw),
        }
    }
}
