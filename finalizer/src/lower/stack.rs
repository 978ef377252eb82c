//! Stack calls: `fcall`, `ifcall`, `fret`; which register is whose stands in [`super::convention`].

use gen_ir::{
    Arf, Base, Cond, CondMod, Dst, ExecSize, FileByte, Op, Outside, Payload, Pred, Region, Src, Type, Var,
    VarClass, VarId,
};
use narrow::{low_u32, to_index, to_u16};
use visa::VectorOperand;

use super::{
    Lowered, Lowerer, NoVariable, Unsupported,
    convention::{SAVED_TOGETHER, Stack, Vars, saved},
    exchange::Exchange,
    exchange_uses::{arguments_of, results_of},
    returned::Unclear,
};
use crate::build::{self, Lanes, VReg, VSrc};

/// Where the base of the frame moves.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FrameMove {
    /// To this function's frame.
    Enter,
    /// Back to the caller's.
    Leave,
}

impl Lowerer<'_> {
    fn stack(&self) -> Lowered<Stack> {
        self.vars.stack.clone().ok_or_else(|| Unsupported::NoVariable(NoVariable::Stack).into())
    }

    /// Before the first instruction: a kernel opens the frame of those it calls, a function keeps its
    /// return address.
    pub(crate) fn stack_prologue(&mut self) {
        let Some(stack) = self.vars.stack.clone() else { return };
        if self.visa.is_function {
            self.copy_link(stack.kept_link, stack.link);
            self.copy_exchange(stack.arguments, stack.exchange, arguments_of(self.visa));
            return;
        }
        for i in 0..self.vars.lists.moved_inputs.len() {
            let (from, to) = self.vars.lists.moved_inputs[i];
            let bytes = self.out.vars[to.index()].bytes;
            self.copy_bytes(VReg::var_at(to, 0), VReg::var_at(from, 0), bytes);
        }
        for inst in gen_ir::scratch::header(self.out.platform, stack.header, 0) {
            self.emit(inst);
        }
        if self.out.shares_calls() {
            // Channels that the thread has not, for `Lanes::WHATEVER_IS_ON`.
            let mask = VReg::new(Base::Arf(Arf::State(0)), 8);
            let others = Src::ud(u32::MAX << self.out.simd.max(8).next_power_of_two());
            let dispatched = Src::scalar(mask, Type::Ud);
            self.emit(build::op(Op::Or, Lanes::SCALAR, Dst::packed(mask, Type::Ud), &[dispatched, others]));
        }
        self.move_frame(&stack, FrameMove::Enter);
        // Programs set the pointers themselves, if they use them.
        let pointers = Dst::packed(VReg::var_at(stack.pointers, 0), Type::Ud);
        self.emit(build::mov(Lanes::all(ExecSize::S4), pointers, Src::ud(0)));
    }

    /// Copies a return address and the mask beside it.
    fn copy_link(&mut self, to: VarId, from: VarId) {
        let lanes = if self.out.shares_calls() { Lanes::WHATEVER_IS_ON } else { Lanes::SCALAR };
        for byte in [0, 4] {
            let dst = Dst::packed(VReg::var_at(to, byte), Type::Ud);
            self.emit(build::mov(lanes, dst, Src::scalar(VReg::var_at(from, byte), Type::Ud)));
        }
    }

    /// Copies so many registers of arguments or results, where they are not the same.
    fn copy_exchange(&mut self, to: VarId, from: VarId, registers: u32) {
        let bytes = [to, from].map(|v| self.out.vars[v.index()].bytes);
        let bytes = bytes.into_iter().fold(registers * self.grf(), u32::min);
        if to != from {
            self.copy_bytes(VReg::var_at(to, 0), VReg::var_at(from, 0), bytes);
        }
    }

    /// Where it is not clear whose results `%retval` holds, and why.
    pub(super) fn unclear_exchange(&self) -> Option<(u32, Unsupported)> {
        match self.vars.stack.as_ref()?.lie {
            Exchange::Unclear(index, Unclear::Read) => Some((index, Unsupported::ReadsResults)),
            Exchange::Unclear(index, Unclear::HandedOn) => Some((index, Unsupported::HandsResultsOn)),
            Exchange::Shared | Exchange::Apart => None,
        }
    }

    /// The instructions that read what a call gave back get the variable that holds it.
    pub(super) fn tell_received(&mut self) {
        let Some(Stack { lie: Exchange::Apart, results, received, .. }) = &self.vars.stack else { return };
        let readers = &self.vars.lists.exchange.readers;
        for inst in self.out.blocks.iter_mut().flat_map(|b| &mut b.insts) {
            if readers.binary_search(&inst.origin).is_ok() {
                *inst = inst.map_regs(|_, reg| match reg.var() {
                    Some(var) if var == *results => VReg::var_at(*received, reg.byte),
                    _ => reg,
                });
            }
        }
    }

    /// The header's base moves by the size of this function's frame.
    fn move_frame(&mut self, stack: &Stack, to: FrameMove) {
        let base = VReg::var_at(stack.header, gen_ir::scratch::BASE_BYTE);
        let srcs = [Src::scalar(base, Type::Ud), Src::ud(0)];
        let mut add = build::op(Op::Add, Lanes::SCALAR, Dst::packed(base, Type::Ud), &srcs);
        add.payload = Payload::Outside(Outside::Frame { leave: to == FrameMove::Leave });
        self.emit(add);
    }

    /// Other code reads bytes of a variable here.
    fn touch(&mut self, lanes: Lanes, var: VarId, read: u32) {
        if read == 0 {
            return;
        }
        let read = to_u16(read.min(self.out.vars[var.index()].bytes));
        let source = Src::new(VReg::var_at(var, 0), Region::PACKED, Type::Ud);
        let mut touch = build::op(Op::Sync, lanes, Dst::None, &[source]);
        touch.payload = Payload::Outside(Outside::Touch { read, written: 0 });
        self.emit(touch);
    }

    /// Other code has written a variable here.
    fn lose(&mut self, var: VarId) {
        let written = to_u16(self.out.vars[var.index()].bytes);
        let dst = Dst::packed(VReg::var_at(var, 0), Type::Ud);
        let mut touch = build::op(Op::Sync, Lanes::all(ExecSize::S8), dst, &[]);
        touch.payload = Payload::Outside(Outside::Touch { read: 0, written });
        self.emit(touch);
    }

    /// Channels of a stack call. One of a single lane is one of the whole thread.
    fn stack_call_lanes(&mut self) -> Lanes {
        if self.lanes.exec.lanes() > 1 {
            return self.lanes;
        }
        let lanes = self.call_lanes();
        let simd = ExecSize::from_lanes(u32::from(self.out.simd)).unwrap_or(lanes.exec);
        Lanes { exec: lanes.exec.max(simd), ..lanes }
    }

    /// `fcall`, `ifcall` (with an address).
    pub(crate) fn stack_call(
        &mut self,
        address: Option<&VectorOperand>,
        [arguments, results]: [u8; 2],
    ) -> Lowered {
        let stack = self.stack()?;
        if let Some(pred) = self.pred.take() {
            if self.is_last() {
                return Err(Unsupported::CallAtEnd.into());
            }
            self.skip_unless(pred);
        }
        let address = match address {
            Some(operand) => Some(low_dword(self.scalar_src(operand)?)),
            None => None,
        };
        let target = VReg::var_at(stack.target, 0);
        // Where the frame is another's, no variable can come from memory.
        if let Some(address) = address {
            self.emit(build::mov(Lanes::SCALAR, Dst::packed(target, Type::Ud), address));
        }
        self.copy_exchange(stack.exchange, stack.arguments, arguments.into());
        if self.visa.is_function {
            self.move_frame(&stack, FrameMove::Enter);
        }
        let arguments = u32::from(arguments);
        if address.is_some() && self.out.shares_calls() {
            self.call_for_each_of_pair(&stack, arguments);
        } else {
            self.call_other_code(&stack, arguments, address.is_some());
        }
        if self.visa.is_function {
            self.move_frame(&stack, FrameMove::Leave);
        }
        self.copy_exchange(stack.received, stack.exchange, results.into());
        Ok(())
    }

    /// The call itself, and what other code reads and leaves undefined.
    fn call_other_code(&mut self, stack: &Stack, arguments: u32, by_address: bool) {
        let lanes = self.stack_call_lanes();
        let whole = Lanes { no_mask: true, ..lanes };
        self.touch(lanes, stack.exchange, arguments * self.grf());
        self.touch(whole, stack.pointers, 16);
        self.touch(whole, stack.header, self.grf());
        let mut call = build::op(Op::Calla, lanes, Dst::packed(VReg::var_at(stack.link, 0), Type::D), &[]);
        call.payload = Payload::Outside(Outside::Call);
        if by_address {
            call.src[0] = Src::scalar(VReg::var_at(stack.target, 0), Type::Ud);
        }
        self.emit(call);
        self.new_block();
        for var in stack.lost.iter().copied().chain([stack.exchange]) {
            self.lose(var);
        }
    }

    /// A call through an address for the first thread of a pair, then one for the second, whose address the first one has to
    /// know: `cr0.2` is the pair's.
    fn call_for_each_of_pair(&mut self, stack: &Stack, arguments: u32) {
        let target = VReg::var_at(stack.target, 0);
        let state = VReg::var_at(self.var(Var::temp(VarClass::General, 4, 4)), 0);
        let is_first = self.var(build::flag(Lanes::all(ExecSize::S16)));
        let theirs = Var { no_spill: true, ..Var::temp(VarClass::General, 4, 4) };
        let theirs = VReg::var_at(self.var(theirs), 0);
        let shared = VReg::new(Base::Arf(Arf::Control(0)), 8);
        let second = Pred { inv: true, ..build::pred(is_first) };
        self.emit(build::mov(
            Lanes::SCALAR,
            Dst::packed(state, Type::Ud),
            Src::scalar(VReg::arf(Arf::State(0), 0), Type::Ud),
        ));
        // Bit 7 of `sr0.0` is the lowest bit of the execution unit's number.
        let parity = [Src::scalar(state, Type::Uw), Src::uw(0x80)];
        let mut test = build::op(Op::And, Lanes::all(ExecSize::S16), Dst::null(Type::Uw), &parity);
        test.cond = Some(CondMod { cond: Cond::Eq, flag: VReg::var_at(is_first, 0) });
        self.emit(test);
        let mut share =
            build::mov(Lanes::SCALAR, Dst::packed(shared, Type::Ud), Src::scalar(target, Type::Ud));
        share.pred = Some(second);
        self.emit(share);
        self.emit(build::mov(
            Lanes::WHATEVER_IS_ON,
            Dst::packed(theirs, Type::Ud),
            Src::scalar(shared, Type::Ud),
        ));
        let [apart, end] = [self.reserve_block(), self.reserve_block()];
        let lanes = self.stack_call_lanes();
        self.goto_block(lanes, Some(second), apart);
        self.new_block();
        self.call_other_code(stack, arguments, true);
        self.goto_block(lanes, None, end);
        self.end_block();
        self.block = apart;
        self.emit(build::mov(
            Lanes::WHATEVER_IS_ON,
            Dst::packed(target, Type::Ud),
            Src::scalar(theirs, Type::Ud),
        ));
        self.call_other_code(stack, arguments, true);
        self.end_block();
        self.block = end;
    }

    /// The end of a function: registers get back what was in them.
    pub(crate) fn function_epilogue(&mut self) -> Lowered {
        let stack = self.stack()?;
        let grf = self.grf();
        let copy = self.register_lanes();
        let mut restored = Vars::new();
        let first = saved(self.out.grf_count.into()).start;
        for (i, saved) in stack.saved.iter().enumerate() {
            let place = FileByte::new((first + to_index(i) * SAVED_TOGETHER) * grf);
            let var = Var {
                fixed: Some(place),
                no_spill: true,
                ..Var::temp(VarClass::General, SAVED_TOGETHER * grf, grf)
            };
            let out = self.var(var);
            let bytes = to_u16(SAVED_TOGETHER * grf);
            let from = Src::new(VReg::var_at(*saved, 0), Region::PACKED, Type::Ud);
            let to = Dst::packed(VReg::var_at(out, 0), Type::Ud);
            let mut restore = build::op(Op::Sync, Lanes::all(copy), to, &[from]);
            restore.payload = Payload::Outside(Outside::Touch { read: bytes, written: bytes });
            self.emit(restore);
            restored.push(out);
        }
        self.copy_link(stack.link, stack.kept_link);
        let results = results_of(self.visa);
        self.copy_exchange(stack.exchange, stack.results, results);
        let whole = Lanes::all(ExecSize::S8);
        let masked = Lanes { exec: self.lanes.exec, chan: self.lanes.chan, no_mask: false };
        self.touch(masked, stack.exchange, results * grf);
        self.touch(whole, stack.pointers, 16);
        self.touch(whole, stack.header, grf);
        for out in restored {
            self.touch(whole, out, SAVED_TOGETHER * grf);
        }
        // Of a function that does not say how many channels it has, its return does.
        let simd = ExecSize::from_lanes(u32::from(self.out.simd).clamp(8, 32)).unwrap_or(ExecSize::S16);
        let exec = simd.max(self.returning);
        let mut ret = build::op(Op::Ret, Lanes { exec, chan: 0, no_mask: false }, Dst::None, &[]);
        ret.src[0] = Src::new(VReg::var_at(stack.link, 0), Region::new(2, 2, 1), Type::D);
        ret.payload = Payload::Outside(Outside::Return);
        self.emit(ret);
        Ok(())
    }
}

/// The low half of an address.
fn low_dword(address: VSrc) -> VSrc {
    match address {
        Src::Direct { reg, region, .. } => Src::new(reg, region, Type::Ud),
        Src::Imm { bits, .. } => Src::ud(low_u32(bits)),
        other => other,
    }
}
