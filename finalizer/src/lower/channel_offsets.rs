//! Masks that start in the middle of eight channels, on platforms whose words cannot say so.
//!
//! The instruction is moved to the first channels. There it ignores the mask, and a predicate says which of the channels
//! that it stands for run. A predicate that it reads is copied down to the first channels before it, into a flag of its
//! own; a predicate that it writes is copied back up behind it.

use gen_ir::{Cond, CondMod, Dst, ExecSize, Op, PredCtrl, Src, Type, VarId};
use narrow::{as_index, to_u8};
use visa::{Opcode, Operand, PredId, VectorOperand};

use super::{
    Lowered, Lowerer, Unsupported,
    moved_flags::{Moved, Stand},
};
use crate::build::{self, Lanes, VReg, VSrc};

impl Lowerer<'_> {
    /// Moves the channels of the current instruction.
    #[inline(never)]
    pub(super) fn move_channels(&mut self) -> Lowered {
        let record = &self.visa.code[as_index(self.origin)];
        let opcode = record.opcode;
        let overflow = opcode == Opcode::Add3o;
        if overflow && self.pred.is_none() {
            return Err(Unsupported::NoOverflow.into());
        }
        let branches = matches!(opcode, Opcode::Goto | Opcode::Jmp | Opcode::Call | Opcode::Ret);
        if branches && opcode != Opcode::Jmp && self.lanes.exec != ExecSize::S1 {
            // It becomes one of all lanes.
            return Ok(());
        }
        if branches || overflow && !self.lanes.no_mask {
            return Err(Unsupported::NibbleOffset(opcode).into());
        }
        // A scalar's bits are set whatever the channels.
        let bits = |o: &Operand| matches!(o, Operand::Vector(v) if self.gives_bits(v));
        if opcode == Opcode::Setp && self.visa.operands_of(record).get(1).is_some_and(bits) {
            return Ok(());
        }
        let chooses = opcode == Opcode::Sel && self.pred.is_some();
        let Lanes { exec, chan, no_mask } = self.lanes;
        let guard = self.pred.take();
        let mut moved = self.stand_ins(record)?;
        let mut own = None;
        if let Some(record_guard) = record.pred.filter(|_| chooses || overflow) {
            let stand = match moved.predicates.iter().flatten().find(|s| s.predicate == record_guard.id) {
                Some(known) => *known,
                None => {
                    let stand = self.stand_in(record_guard.id, overflow)?;
                    moved.add(stand);
                    stand
                }
            };
            own = guard.map(|g| gen_ir::Pred { flag: VReg::var_at(stand.flag, 0), ..g });
        }
        let bits = self.running(exec, chan, no_mask, guard.filter(|_| own.is_none()));
        self.lanes = Lanes { exec, chan: 0, no_mask: true };
        let running = bits.map(|bits| {
            let flag = self.var(build::flag(self.lanes));
            let low = Src::scalar(bits, Type::Uw);
            self.emit(build::mov(Lanes::SCALAR, Dst::packed(VReg::var_at(flag, 0), Type::Uw), low));
            flag
        });
        if own.is_some() {
            self.pred = own;
            moved.running = running;
        } else {
            self.pred = running.map(build::pred);
        }
        self.moved = moved;
        Ok(())
    }

    /// What stands for the predicates among an instruction's operands.
    fn stand_ins(&mut self, record: &visa::Record) -> Lowered<Moved> {
        let mut moved = Moved::default();
        let operands = self.visa.operands_of(record);
        let is_predicate = |o: &Operand| matches!(o, Operand::Vector(VectorOperand::Predicate(..)));
        // A predicate that is moved to a variable is moved as a whole.
        if record.opcode == Opcode::Mov && !operands.first().is_some_and(is_predicate) {
            return Ok(moved);
        }
        let target = match record.opcode {
            Opcode::Cmp | Opcode::Invm | Opcode::Rsqtm => 1,
            _ => 0,
        };
        for (i, operand) in operands.iter().enumerate() {
            let Operand::Vector(VectorOperand::Predicate(p, _)) = operand else { continue };
            let room = moved.count() < 3;
            match moved.predicates.iter_mut().flatten().find(|s| s.predicate == p.id) {
                Some(known) => known.written |= i == target,
                None if room => moved.add(self.stand_in(p.id, i == target)?),
                None => {}
            }
        }
        Ok(moved)
    }

    /// A flag with the bits of a predicate from the current channels on.
    fn stand_in(&mut self, predicate: PredId, written: bool) -> Lowered<Stand> {
        let real = self.flag(predicate, self.lanes)?;
        let channel = self.lanes.chan;
        let bits = self.bits_from(real, channel);
        let flag = self.var(build::flag(Lanes { chan: 0, ..self.lanes }));
        let low = Src::scalar(bits, Type::Uw);
        self.emit(build::mov(Lanes::SCALAR, Dst::packed(VReg::var_at(flag, 0), Type::Uw), low));
        Ok(Stand { predicate, flag, real, channel, written })
    }

    fn flag_type(&self, flag: VarId) -> Type {
        if self.out.vars[flag.index()].bytes == 4 { Type::Ud } else { Type::Uw }
    }

    /// The bits of a flag from a channel on, in a dword.
    pub(super) fn bits_from(&mut self, flag: VarId, channel: u8) -> VReg {
        let bits = self.temp(1, 4);
        let (to, from) = (Dst::packed(bits, Type::Ud), Src::scalar(bits, Type::Ud));
        let ty = self.flag_type(flag);
        self.emit(build::mov(Lanes::SCALAR, to, Src::scalar(VReg::var_at(flag, 0), ty)));
        self.emit(build::op(Op::Shr, Lanes::SCALAR, to, &[from, Src::uw(channel.into())]));
        bits
    }

    /// Bits of the channels that the mask and a guard let run, from the first one on; none if all run.
    fn running(
        &mut self,
        exec: ExecSize,
        chan: u8,
        no_mask: bool,
        guard: Option<gen_ir::Pred<gen_ir::Virtual>>,
    ) -> Option<VReg> {
        let lanes = to_u8(exec.lanes());
        let mask = !no_mask;
        let enabled = mask.then(|| {
            // The smallest group of channels that words can name and that holds them all.
            let holds = |size: u8| chan % size + lanes <= size;
            let (group, size) = match () {
                () if holds(8) => (ExecSize::S8, 8),
                () if holds(16) => (ExecSize::S16, 16),
                () => (ExecSize::S32, 32),
            };
            let group = Lanes { exec: group, chan: chan & !(size - 1), no_mask };
            let running = self.var(build::flag(group));
            let ty = self.flag_type(running);
            let flag = VReg::var_at(running, 0);
            self.emit(build::mov(Lanes::SCALAR, Dst::packed(flag, ty), Src::imm(0, ty)));
            let same = Src::scalar(self.r0(0), Type::Ud);
            let mut test = build::op(Op::Cmp, group, Dst::null(Type::Ud), &[same, same]);
            test.cond = Some(CondMod { cond: Cond::Eq, flag });
            self.emit(test);
            self.bits_from(running, chan)
        });
        let Some(guard) = guard else { return enabled };
        let flag = guard.flag.var()?;
        let bits = self.bits_from(flag, chan);
        let (to, from) = (Dst::packed(bits, Type::Ud), Src::scalar(bits, Type::Ud));
        let all = Src::imm((1u64 << lanes) - 1, Type::Ud);
        let group = match guard.ctrl {
            PredCtrl::Seq => None,
            PredCtrl::Any | PredCtrl::Any2h | PredCtrl::Any4h => Some((Cond::Ne, Src::imm(0, Type::Ud))),
            _ => Some((Cond::Eq, all)),
        };
        if let Some((cond, against)) = group {
            self.emit(build::op(Op::And, Lanes::SCALAR, to, &[from, all]));
            let unused = self.var(build::flag(Lanes::SCALAR));
            let mut test = build::op(Op::Cmp, Lanes::SCALAR, Dst::packed(bits, Type::D), &[from, against]);
            test.cond = Some(CondMod { cond, flag: VReg::var_at(unused, 0) });
            self.emit(test);
        }
        if guard.inv {
            self.emit(build::op(Op::Not, Lanes::SCALAR, to, &[from]));
        }
        if let Some(enabled) = enabled {
            self.emit(build::op(Op::And, Lanes::SCALAR, to, &[from, Src::scalar(enabled, Type::Ud)]));
        }
        Some(bits)
    }

    /// Moves back what an instruction wrote.
    #[cold]
    pub(super) fn return_channels(&mut self) {
        let moved = std::mem::take(&mut self.moved);
        if let Some(running) = moved.running {
            self.guard_last(running);
        }
        let lanes = self.lanes.exec.lanes();
        let mask = (1u64 << lanes) - 1;
        for stand in moved.predicates.into_iter().flatten().filter(|s| s.written) {
            let dword = |bits: u64| Src::imm(bits, Type::Ud);
            let set = |this: &mut Self, op: Op, to: VReg, from: &[VSrc]| {
                this.emit(build::op(op, Lanes::SCALAR, Dst::packed(to, Type::Ud), from));
            };
            let (old, new) = (self.bits_from(stand.real, 0), self.bits_from(stand.flag, 0));
            let (was, is) = (Src::scalar(old, Type::Ud), Src::scalar(new, Type::Ud));
            set(self, Op::And, old, &[was, dword(!(mask << stand.channel) & 0xffff_ffff)]);
            set(self, Op::And, new, &[is, dword(mask)]);
            set(self, Op::Shl, new, &[is, Src::uw(stand.channel.into())]);
            set(self, Op::Or, old, &[was, is]);
            let ty = self.flag_type(stand.real);
            let to = Dst::packed(VReg::var_at(stand.real, 0), ty);
            self.emit(build::mov(Lanes::SCALAR, to, Src::scalar(old, ty)));
        }
    }

    /// The last instruction, a `sel`, writes only the channels of a flag.
    fn guard_last(&mut self, running: VarId) {
        let lanes = self.lanes;
        let Some(ty) = self.block_insts().last().and_then(|inst| inst.dst.ty()) else { return };
        let whole = self.temp(lanes.exec.lanes(), ty.bytes());
        let Some(inst) = self.block_insts().last_mut() else { return };
        let target = std::mem::replace(&mut inst.dst, Dst::packed(whole, ty));
        let mut copy = build::mov(lanes, target, Src::new(whole, build::strided(1, lanes.exec), ty));
        copy.pred = Some(build::pred(running));
        self.emit(copy);
    }
}
