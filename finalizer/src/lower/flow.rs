//! Control flow: labels, jumps, subroutine calls and the end of the thread.

use gen_ir::{
    BlockId, Cond, CondMod, Dst, End, ExecSize, GrfNum, Inst, Kernel, Op, Payload, Pred, PredCtrl, Region,
    SendBuilder, SendLengths, Sfid, Src, SrcMod, Target, Type, Var, VarClass, VarId, Virtual,
};
use narrow::{to_index, to_u8, to_u16};
use visa::{LabelId, LabelKind, Labels, VectorOperand};

use super::{Lowered, Lowerer, Unsupported, facts::RoutineFacts};
use crate::{
    build::{self, Lanes, VInst, VReg},
    lists::refill,
};

fn branch(op: Op, lanes: Lanes, jip: Target, uip: Target) -> VInst {
    let mut inst = build::op(op, lanes, Dst::None, &[]);
    inst.payload = Payload::Branch { jip, uip, ctrl: false };
    inst
}

/// Replaces the provisional block numbers of targets by places in the layout: `ids` has the number of
/// each block.
pub(crate) fn number_blocks(
    kernel: &mut Kernel<Virtual>,
    ids: &[BlockId],
    places: &mut Vec<(BlockId, BlockId)>,
) {
    refill(places, ids.iter().enumerate().map(|(place, id)| (*id, BlockId(to_index(place)))));
    places.sort_unstable();
    let place = |id: BlockId| match places.binary_search_by_key(&id, |p| p.0) {
        Ok(i) => places[i].1,
        Err(_) => unreachable!("a target names a block of the kernel"),
    };
    for block in &mut kernel.blocks {
        let Some(last) = block.insts.last_mut() else { continue };
        if let Payload::Branch { jip, uip, .. } = &mut last.payload {
            for target in [jip, uip] {
                if let Target::Block(b) = target {
                    *b = place(*b);
                }
            }
        }
    }
    for entry in &mut kernel.subroutines {
        *entry = place(*entry);
    }
}

impl Lowerer<'_> {
    fn target(&self, label: LabelId) -> Lowered<Target> {
        match self.facts.block_of(label) {
            Some(block) => Ok(Target::Block(block)),
            None => {
                let composite =
                    self.visa.labels.get(label.index()).is_some_and(|l| l.kind == LabelKind::FastComposite);
                let name = self.visa.label_name(label).into();
                Err(Unsupported::NoLabel { name, composite }.into())
            }
        }
    }

    /// `goto`: the structurizer finds JIP and the joins. One without a predicate takes all lanes along, however wide it is
    /// (Intel's finalizer, `processGoto`).
    pub(crate) fn goto(&mut self, label: LabelId) -> Lowered {
        self.ask_all_lanes();
        let lanes = if self.pred.is_none() && self.is_narrow() {
            Lanes { exec: ExecSize::S1, chan: 0, ..self.lanes }
        } else {
            self.lanes
        };
        let inst = branch(Op::Goto, lanes, Target::None, self.target(label)?);
        self.emit_guarded(inst);
        Ok(())
    }

    /// Whether there are lanes that the instruction is not for.
    fn is_narrow(&self) -> bool {
        self.lanes.chan > 0 || self.lanes.exec.lanes() < u32::from(self.out.simd)
    }

    /// Makes a branch of several lanes under a predicate a branch of all lanes. The lanes that it was not for get a flag
    /// that keeps them where they are. No source says what the hardware does with lanes beyond the width of a branch.
    fn ask_all_lanes(&mut self) {
        let simd = u32::from(self.out.simd).next_power_of_two().min(32);
        let lanes = self.lanes.exec.lanes();
        let (Some(pred), true, Some(exec)) =
            (self.pred, lanes > 1 && self.is_narrow(), ExecSize::from_lanes(simd))
        else {
            return;
        };
        self.pred = None;
        let asked = (u32::MAX >> (32 - lanes)) << self.lanes.chan;
        let ty = |bytes: u32| if bytes == 4 { Type::Ud } else { Type::Uw };
        let from = ty(pred.flag.var().map_or(2, |v| self.out.vars[v.index()].bytes));
        let reg = self.temp(1, 4);
        let bits = Src::new(reg, Region::SCALAR, Type::Ud);
        let to = Dst::packed(reg, Type::Ud);
        self.emit(build::mov(Lanes::SCALAR, to, Src::new(pred.flag, Region::SCALAR, from)));
        let mut chosen = bits;
        if pred.ctrl == PredCtrl::Seq
            && pred.inv
            && let Src::Direct { mods, .. } = &mut chosen
        {
            *mods = SrcMod::Neg;
        }
        self.emit(build::op(Op::And, Lanes::SCALAR, to, &[chosen, Src::ud(asked)]));
        if pred.ctrl != PredCtrl::Seq {
            self.all_or_none(reg, asked, pred);
        }
        let lanes = Lanes { exec, chan: 0, ..self.lanes };
        let flag = self.var(build::flag(lanes));
        let ty = ty(self.out.vars[flag.index()].bytes);
        let low = Src::new(reg, Region::SCALAR, ty);
        self.emit(build::mov(Lanes::SCALAR, Dst::packed(VReg::var_at(flag, 0), ty), low));
        (self.lanes, self.pred) = (lanes, Some(build::pred(flag)));
    }

    /// Replaces bits of a flag by all of those that are asked for, or none: whether any of them, or all, are set.
    fn all_or_none(&mut self, bits: VReg, asked: u32, pred: Pred<Virtual>) {
        let all = pred.ctrl == self.all(self.lanes);
        let (cond, with) = if all { (Cond::Eq, asked) } else { (Cond::Ne, 0) };
        let flag = self.var(build::flag(Lanes::SCALAR));
        let now = Src::new(bits, Region::SCALAR, Type::Ud);
        let mut cmp = build::op(Op::Cmp, Lanes::SCALAR, Dst::null(Type::Ud), &[now, Src::ud(with)]);
        cmp.cond = Some(CondMod { cond, flag: VReg::var_at(flag, 0) });
        self.emit(cmp);
        let known = self.temp(1, 4);
        self.emit(build::mov(Lanes::SCALAR, Dst::packed(known, Type::Ud), Src::ud(asked)));
        let known = Src::new(known, Region::SCALAR, Type::Ud);
        let mut sel = build::op(Op::Sel, Lanes::SCALAR, Dst::packed(bits, Type::Ud), &[known, Src::ud(0)]);
        sel.pred = Some(Pred { inv: pred.inv, ..build::pred(flag) });
        self.emit(sel);
    }

    /// `jmp`: scalar.
    pub(crate) fn jmp(&mut self, label: LabelId) -> Lowered {
        let lanes = Lanes { chan: self.lanes.chan, ..Lanes::SCALAR };
        let mut inst = branch(Op::Jmpi, lanes, self.target(label)?, Target::None);
        inst.pred = self.pred.and_then(|pred| self.group_of_jump(pred)).or(self.pred);
        self.emit(inst);
        Ok(())
    }

    /// Where words say how many channels `any` and `all` are of by their execution size, that of a jump is one: several
    /// are looked at beforehand.
    fn group_of_jump(&mut self, pred: Pred<Virtual>) -> Option<Pred<Virtual>> {
        let lanes = self.lanes.exec.lanes();
        if self.caps.words.pred_width || lanes == 1 || pred.ctrl == PredCtrl::Seq {
            return None;
        }
        let bits = self.bits_from(pred.flag.var()?, self.lanes.chan);
        let (to, from) = (Dst::packed(bits, Type::Ud), Src::scalar(bits, Type::Ud));
        let all = Src::imm((1u64 << lanes) - 1, Type::Ud);
        self.emit(build::op(Op::And, Lanes::SCALAR, to, &[from, all]));
        let (cond, against) =
            if pred.ctrl == PredCtrl::Any { (Cond::Ne, Src::ud(0)) } else { (Cond::Eq, all) };
        let flag = self.var(build::flag(Lanes::SCALAR));
        let mut cmp = build::op(Op::Cmp, Lanes::SCALAR, Dst::null(Type::Ud), &[from, against]);
        cmp.cond = Some(CondMod { cond, flag: VReg::var_at(flag, 0) });
        self.emit(cmp);
        Some(Pred { inv: pred.inv, ..build::pred(flag) })
    }

    /// `switchjmp`: a chain of scalar compares and jumps; an index beyond the labels falls through.
    pub(crate) fn switch_jump(&mut self, index: &VectorOperand, labels: Labels<'_>) -> Lowered {
        let index = self.scalar_src(index)?;
        for (value, label) in labels.iter().enumerate() {
            if value > 0 {
                self.new_block();
            }
            let flag = self.var(build::flag(Lanes::SCALAR));
            let mut cmp =
                build::op(Op::Cmp, Lanes::SCALAR, Dst::null(Type::D), &[index, Src::uw(to_u16(value))]);
            cmp.cond = Some(CondMod { cond: Cond::Eq, flag: VReg::var_at(flag, 0) });
            self.emit(cmp);
            let mut jump = branch(Op::Jmpi, Lanes::SCALAR, self.target(label)?, Target::None);
            jump.pred = Some(build::pred(flag));
            self.emit(jump);
        }
        Ok(())
    }

    fn return_address(&mut self, entry: BlockId) -> VarId {
        let known = &mut self.lists.return_addresses;
        known.resize(known.len().max(entry.index() + 1), None);
        if let Some(var) = known[entry.index()] {
            return var;
        }
        let var = self.var(Var { no_spill: true, ..Var::temp(VarClass::General, 8, 8) });
        self.lists.return_addresses[entry.index()] = Some(var);
        var
    }

    /// A subroutine's entry. The kernel's own body is the first.
    pub(crate) fn subroutine(&mut self) -> Lowered {
        let entry = self.block;
        // The kernel's own entry, which labels may precede.
        if self.facts.routines.get(1).is_none_or(|second| self.origin < second.first) {
            return Ok(());
        }
        let var = self.return_address(entry);
        self.subroutine = Some(var);
        self.out.subroutines.push(entry);
        Ok(())
    }

    /// Channels of a branch that all lanes take. Those beyond a call's width do not run in the subroutine, so a scalar
    /// one (vector programs have them) is as wide as the widest instruction of the kernel.
    pub(super) fn call_lanes(&mut self) -> Lanes {
        if self.lanes.exec.lanes() > 1 && self.pred.is_some() {
            return self.lanes;
        }
        let visa = self.visa;
        let end = |r: &visa::Record| r.exec.size.lanes() + r.exec.first_lane();
        let widest = || visa.code.iter().map(end).max().unwrap_or(1);
        let exec = match *self.widest.get_or_insert_with(widest) {
            17.. => ExecSize::S32,
            9..=16 => ExecSize::S16,
            _ => ExecSize::S8,
        };
        Lanes { exec, chan: 0, ..self.lanes }
    }

    /// `call`: the return address goes to the callee's variable. A scalar one has one predicate for all lanes.
    pub(crate) fn call(&mut self, label: LabelId) -> Lowered {
        if self.lanes.exec.lanes() == 1
            && let Some(pred) = self.pred.take()
        {
            if self.is_last() {
                return Err(Unsupported::CallAtEnd.into());
            }
            self.skip_unless(pred);
        }
        let target = self.target(label)?;
        let Target::Block(entry) = target else { unreachable!("a label is that of a block") };
        let var = self.return_address(entry);
        self.ask_all_lanes();
        let mut inst = branch(Op::Call, self.call_lanes(), target, Target::None);
        inst.dst = Dst::packed(VReg::var_at(var, 0), Type::D);
        self.emit_guarded(inst);
        Ok(())
    }

    /// A routine starts, with an exit block of its own or without.
    pub(crate) fn begin_routine(&mut self, routine: RoutineFacts) {
        self.last = routine.last;
        self.exit = routine.exit.then(|| self.reserve_block());
    }

    /// Whether control may come to what stands behind the last block.
    fn runs_on(&self) -> bool {
        let end = self.out.blocks.last().and_then(|b| End::of(b.insts.last(), self.out.simd.into()));
        end.is_some_and(End::runs_on)
    }

    /// Behind the last block of a routine: its exit block. A body that runs into its end returns there.
    pub(crate) fn end_routine(&mut self) -> Lowered {
        self.block = match self.exit.take() {
            Some(exit) => exit,
            None if self.runs_on() => self.reserve_block(),
            None => return Ok(()),
        };
        self.pred = None;
        let simd = u32::from(self.out.simd).next_power_of_two().min(32);
        self.lanes =
            Lanes { exec: ExecSize::from_lanes(simd).unwrap_or(ExecSize::S1), chan: 0, no_mask: false };
        self.leave()?;
        self.end_block();
        Ok(())
    }

    /// `ret`, `fret`: of a subroutine, of a function, or the end of the thread.
    pub(crate) fn ret(&mut self) -> Lowered {
        self.returning = self.returning.max(self.lanes.exec);
        match self.exit {
            // Control runs on into the exit block.
            Some(_) if self.is_last() && self.pred.is_none() => Ok(()),
            Some(exit) => {
                self.ask_all_lanes();
                let inst = branch(Op::Goto, self.lanes, Target::None, Target::Block(exit));
                self.emit_guarded(inst);
                Ok(())
            }
            None => self.leave(),
        }
    }

    /// Code behind which the routine is left.
    fn leave(&mut self) -> Lowered {
        match self.subroutine {
            Some(var) => {
                let lanes = self.call_lanes();
                let mut inst = branch(Op::Ret, lanes, Target::None, Target::None);
                inst.src[0] = Src::new(VReg::var_at(var, 0), Region::new(2, 2, 1), Type::D);
                self.emit(inst);
            }
            None if self.visa.is_function => self.function_epilogue()?,
            None => self.end_thread(),
        }
        Ok(())
    }

    /// Lanes for which the predicate does not hold go on with the next instruction of vISA.
    pub(crate) fn skip_unless(&mut self, pred: Pred<Virtual>) {
        self.goto_block(self.lanes, Some(Pred { inv: !pred.inv, ..pred }), self.next_block);
        self.new_block();
    }

    /// A branch to a block that lowering adds.
    pub(super) fn goto_block(&mut self, lanes: Lanes, pred: Option<Pred<Virtual>>, to: BlockId) {
        let goto = branch(Op::Goto, lanes, Target::None, Target::Block(to));
        self.emit(VInst { pred, ..goto });
    }

    /// The message that ends the thread: the thread header, from the last register, to the thread
    /// spawner or the gateway. Payloads of such messages live in the last 16 registers.
    fn end_thread(&mut self) {
        let grf = self.grf();
        let last = GrfNum::new(self.out.grf_count - 1).start(grf);
        let header = self.var(Var { fixed: Some(last), ..Var::temp(VarClass::General, grf, grf) });
        let copy = Lanes::all(self.register_lanes());
        let from = Src::new(self.r0(0), Region::PACKED, Type::Ud);
        self.emit(build::mov(copy, Dst::packed(VReg::var_at(header, 0), Type::Ud), from));
        let sfid = if self.caps.thread.eot_gateway { Sfid::Gateway } else { Sfid::Spawner };
        let (desc, lengths) = (messages::spawner::end_of_thread(), SendLengths::of(1, 0, 0));
        let send = SendBuilder::new(self.caps, ExecSize::S8, sfid, desc, VReg::var_at(header, 0), lengths);
        let send = SendBuilder { eot: true, ..send };
        self.emit(Inst { no_mask: true, ..send.build(self.caps) });
    }
}

/// The channels that instructions under the mask are of, which gotos of the whole thread have to have: 8, 16 or 32. (Messages
/// may be of more than the kernel: Intel's finalizer, `calculateSimdSize`.)
pub(super) fn widest_masked(kernel: &Kernel<Virtual>) -> u8 {
    let masked = |i: &&Inst<Virtual>| !i.no_mask && !i.op.is_send();
    let lanes = kernel.insts().map(|(_, i)| i).filter(masked).map(|i| u32::from(i.chan) + i.exec.lanes());
    to_u8(lanes.max().unwrap_or(8).clamp(8, 32).next_power_of_two())
}
