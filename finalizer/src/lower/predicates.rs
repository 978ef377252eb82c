//! Logic on predicates.
//!
//! Flag registers are operated on as scalars, outside of the execution mask. That overwrites the bits
//! of disabled channels too, which matters unless every reader of the predicate follows a writer in
//! its own block. Where it matters, the result goes to a spare flag first and then, under the mask, to
//! the predicate.

use gen_ir::{Cond, CondMod, Dst, ExecSize, Op, Pred, Region, Src, SrcMod, Type, VarId, Virtual};
use visa::{Modifier, Op as Visa, Opcode, Operand, PredOperand, Srcs, VectorOperand};

use super::{Lowered, Lowerer};
use crate::{
    build::{self, Lanes, VReg, VSrc},
    lists::reset,
};

/// For each predicate, whether every read follows a write of the same channels in the same block, and
/// reads outside of the mask follow writes outside of it.
pub(crate) fn local_predicates(
    kernel: &visa::Kernel,
    starts: &[bool],
    local: &mut Vec<bool>,
    written: &mut Vec<Written>,
) {
    reset(local, kernel.preds.len(), true);
    reset(written, kernel.preds.len(), Written::default());
    let mut scan = Scan { local, written, block: 0 };
    for (index, start) in starts.iter().enumerate() {
        scan.block += u32::from(*start);
        let record = &kernel.code[index];
        let predicate = |o: &Operand| matches!(o, Operand::Vector(VectorOperand::Predicate(..)));
        if record.pred.is_none() && !kernel.operands_of(record).iter().any(predicate) {
            continue;
        }
        let Ok(inst) = kernel.try_inst(index) else { continue };
        let first = inst.exec.mask.offset();
        let lanes = (((1u64 << inst.exec.size.lanes()) - 1) << first) as u32;
        let all = inst.exec.mask.is_no_mask();
        if let Some(guard) = inst.pred {
            scan.read(guard, lanes, all);
        }
        let dst = match inst.op {
            Visa::Alu { dst, .. } | Visa::Cmp { dst, .. } | Visa::Setp { dst, .. } => Some(dst),
            Visa::MacroMath { flag, .. } => Some(flag),
            _ => None,
        };
        let moves_bits = inst.opcode == Opcode::Mov;
        let mut written = dst;
        for operand in kernel.operands_of(&kernel.code[index]) {
            let Operand::Vector(v @ VectorOperand::Predicate(p, _)) = operand else { continue };
            // The destination comes first; a source may be the same predicate.
            if written == Some(v) {
                written = None;
            } else {
                scan.read(*p, if moves_bits { u32::MAX } else { lanes }, all || moves_bits);
            }
        }
        if let Some(VectorOperand::Predicate(p, _)) = dst {
            let all = all || inst.opcode == Opcode::Setp;
            // Logic leaves nothing sure in the other bits of what it operates on.
            if matches!(inst.op, Visa::Alu { .. }) {
                let mask = inst.exec.mask.offset();
                let whole = match (inst.exec.size.lanes(), mask) {
                    (32, _) => u32::MAX,
                    (_, 16..) => 0xffff_0000,
                    _ => 0xffff,
                };
                scan.forget(*p, whole);
            }
            if inst.pred.is_none() {
                scan.write(*p, lanes, all);
            }
        }
    }
}

/// Where a predicate was last written, and for which channels.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Written {
    block: u32,
    masked: u32,
    unmasked: u32,
}

struct Scan<'a> {
    local: &'a mut [bool],
    written: &'a mut [Written],
    block: u32,
}

impl Scan<'_> {
    fn read(&mut self, p: PredOperand, lanes: u32, all: bool) {
        let Some(i) = p.id.declared().filter(|i| *i < self.local.len()) else { return };
        let w = self.written[i];
        let there = match (w.block == self.block, all) {
            (false, _) => 0,
            (true, true) => w.unmasked,
            (true, false) => w.masked | w.unmasked,
        };
        if lanes & !there != 0 {
            self.local[i] = false;
        }
    }

    fn forget(&mut self, p: PredOperand, lanes: u32) {
        let Some(i) = p.id.declared().filter(|i| *i < self.local.len()) else { return };
        let w = &mut self.written[i];
        (w.masked, w.unmasked) = (w.masked & !lanes, w.unmasked & !lanes);
    }

    fn write(&mut self, p: PredOperand, lanes: u32, all: bool) {
        let Some(i) = p.id.declared().filter(|i| *i < self.local.len()) else { return };
        let w = &mut self.written[i];
        if w.block != self.block {
            *w = Written { block: self.block, ..Written::default() };
        }
        if all {
            w.unmasked |= lanes;
        } else {
            w.masked |= lanes;
        }
    }
}

impl Lowerer<'_> {
    /// `and`, `or`, `xor`, `not`, `mov` to a predicate.
    pub(crate) fn predicate_logic(&mut self, opcode: Opcode, dst: &VectorOperand, srcs: Srcs<'_>) -> Lowered {
        let op = match opcode {
            Opcode::And => Op::And,
            Opcode::Or => Op::Or,
            Opcode::Xor => Op::Xor,
            Opcode::Not => Op::Not,
            Opcode::Mov => Op::Mov,
            _ => return Err("a predicate as destination".into()),
        };
        let VectorOperand::Predicate(target, _) = dst else { return Err("a predicate is expected".into()) };
        let flag = self.flag(target.id, self.lanes)?;
        let elements = self.visa.pred_elements(target.id).map_or(0, u32::from);
        // Flags are operated on in words.
        let whole = self.lanes.no_mask && elements.min(16) <= self.lanes.exec.lanes();
        let scalar = whole || self.is_local(target.id);
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
            mods: SrcMod { abs: false, neg },
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
        let mut set = build::mov(self.lanes, Dst::null(Type::Uw), bits);
        set.cond = Some(CondMod { cond: Cond::Ne, flag: VReg::var_at(flag, 0) });
        self.emit(set);
    }

    /// One word a channel: 1 where the flag's bit is set, else 0.
    fn bits_as_words(&mut self, flag: VarId) -> VSrc {
        self.select(build::pred(flag, false), Src::uw(1), Src::uw(0))
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
