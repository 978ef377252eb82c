//! Barriers, fences and thread dependencies.

use encoder::opcodes;
use gen_ir::{Dst, ExecSize, Inst, Op, Payload, Region, Sfid, Src, SyncFn, Type, VarClass};
use messages::{
    SurfaceIndex,
    gateway::{self, BarrierSignal},
    hdc::MemoryFence,
    sampler,
    thread::GroupMember,
};
use narrow::{low_u8, low_u32};
use platforms::EndFence;
use visa::{
    VectorOperand,
    lsc::{LscFenceOp, LscScope, LscSfid},
    op::{BarrierHalf, FenceMask, NamedBarrierMode},
};

use super::{Message, lsc::ThirdLevel};
use crate::{
    build::{self, Lanes, VReg},
    lower::{Lowered, Lowerer},
};

impl Lowerer<'_> {
    /// `barrier`: signal, then wait.
    pub(crate) fn barrier(&mut self) -> Lowered {
        self.split_barrier(BarrierHalf::Signal)?;
        self.split_barrier(BarrierHalf::Wait)
    }

    /// `sbarrier.signal`, `sbarrier.wait`.
    pub(crate) fn split_barrier(&mut self, half: BarrierHalf) -> Lowered {
        match half {
            BarrierHalf::Signal => self.barrier_signal(),
            BarrierHalf::Wait => self.barrier_wait(),
        }
        Ok(())
    }

    fn barrier_signal(&mut self) {
        let payload = if self.caps.thread.barrier_counts {
            // Producers and consumers are all threads of the group.
            let header = self.zero_register();
            let threads = Src::scalar(self.r0(GroupMember::THREADS_BYTE), Type::Ub);
            let [_, _, producers, _] = BarrierSignal::BYTES;
            let dst = Dst::packed(header.plus(producers), Type::Ub);
            self.emit(build::mov(Lanes::all(ExecSize::S2), dst, threads));
            header
        } else {
            let payload = self.payload(1);
            let id = Src::scalar(self.r0(4 * GroupMember::DWORD), Type::Ud);
            let mask = Src::ud(self.caps.thread.barrier_mask);
            let dst = Dst::packed(payload, Type::Ud);
            self.emit(build::op(Op::And, Lanes::all(ExecSize::S8), dst, &[id, mask]));
            payload
        };
        self.signal_barrier(payload);
    }

    /// The gateway's message for a barrier.
    fn signal_barrier(&mut self, payload: VReg) {
        let desc = gateway::signal_barrier();
        let message = Message { sfid: Sfid::Gateway, desc, header: false, response: 0 };
        self.send_register(ExecSize::S1, message, VReg::NULL, payload);
    }

    /// `nbarrier`: a wait for a barrier by its number, or a signal.
    pub(crate) fn named_barrier(
        &mut self,
        mode: NamedBarrierMode,
        id: &VectorOperand,
        kind: &VectorOperand,
        threads: [&VectorOperand; 2],
    ) -> Lowered {
        if !self.caps.thread.named_barriers {
            return self.unsupported(visa::Opcode::Nbarrier);
        }
        match mode {
            NamedBarrierMode::Wait => self.wait_for_barrier(id),
            // With one number of threads, all of them produce and consume.
            NamedBarrierMode::Signal => {
                self.signal_named_barrier([Some(id), None, Some(threads[0]), Some(threads[0])])
            }
            NamedBarrierMode::SignalAs => {
                self.signal_named_barrier([Some(id), Some(kind), Some(threads[0]), Some(threads[1])])
            }
        }
    }

    fn wait_for_barrier(&mut self, id: &VectorOperand) -> Lowered {
        let number = match id.immediate() {
            Some(id) => Src::ud(low_u32(id) & 0xff),
            None => {
                // The instruction reads a constant or a flag register.
                let value = match self.scalar_src(id)? {
                    Src::Direct { reg, region, mods, .. } => Src::Direct { reg, region, mods, ty: Type::Ub },
                    other => other,
                };
                let flag = self.var(gen_ir::Var::temp(VarClass::Flag, 2, 2));
                let flag = VReg::var_at(flag, 0);
                self.emit(build::mov(Lanes::SCALAR, Dst::packed(flag, Type::Uw), value));
                Src::scalar(flag, Type::Uw)
            }
        };
        let mut sync = build::op(Op::Sync, Lanes::SCALAR, Dst::None, &[number]);
        sync.payload = Payload::Sync(SyncFn::Bar);
        self.emit(sync);
        Ok(())
    }

    /// A signal to a barrier: its number, the kind of the threads, how many produce and consume; what is not there is 0.
    fn signal_named_barrier(&mut self, operands: [Option<&VectorOperand>; 4]) -> Lowered {
        let header = self.zero_register();
        let [id, known_kind, producers, consumers] =
            operands.map(|o| o.and_then(VectorOperand::immediate).map_or(0, low_u8));
        let known = BarrierSignal::new().with_id(id).with_kind(known_kind & 3);
        let known = known.with_producers(producers).with_consumers(consumers);
        self.set_dword(header, BarrierSignal::DWORD, Src::ud(known.into_bits()));
        let [_, kind_byte, ..] = BarrierSignal::BYTES;
        for (byte, operand) in BarrierSignal::BYTES.into_iter().zip(operands) {
            let Some(operand) = operand.filter(|o| o.immediate().is_none()) else { continue };
            let mut value = self.scalar_src(operand)?;
            if byte == kind_byte {
                let shifted = self.temp(1, 2);
                let to = Dst::packed(shifted, Type::Uw);
                let srcs = [value, Src::uw(BarrierSignal::KIND_SHIFT)];
                self.emit(build::op(Op::Shl, Lanes::SCALAR, to, &srcs));
                value = Src::scalar(shifted, Type::Ub);
            } else if let Src::Direct { reg, region, mods, .. } = value {
                value = Src::Direct { reg, region, mods, ty: Type::Ub };
            }
            let to = Dst::packed(header.plus(byte), Type::Ub);
            self.emit(build::mov(Lanes::SCALAR, to, value));
        }
        self.signal_barrier(header);
        Ok(())
    }

    /// `sampler_cache_flush`: a message with the thread header, whose answer is waited for.
    pub(crate) fn flush_sampler(&mut self) -> Lowered {
        if !self.caps.sampler.exists {
            return self.unsupported(visa::Opcode::SamplerCacheFlush);
        }
        let answer = self.payload(1);
        let header = self.r0(0);
        let message = Message { sfid: Sfid::Sampler, desc: sampler::flush(), header: true, response: 1 };
        self.send_register(ExecSize::S8, message, answer, header);
        self.wait_for(answer);
        Ok(())
    }

    fn barrier_wait(&mut self) {
        let inst = if opcodes::supports(self.caps.platform, Op::Wait) {
            let notified = Src::scalar(VReg::arf(gen_ir::Arf::Notify(0), 0), Type::Ud);
            build::op(Op::Wait, Lanes::SCALAR, Dst::None, &[notified])
        } else {
            let mut sync = build::op(Op::Sync, Lanes::SCALAR, Dst::None, &[]);
            sync.payload = Payload::Sync(SyncFn::Bar);
            sync.src[0] = if self.caps.thread.named_barriers {
                Src::ud(0)
            } else {
                Src::new(VReg::NULL, Region::SCALAR, Type::Ub)
            };
            sync
        };
        self.emit(inst);
    }

    /// `fence`, as its mask says.
    pub(crate) fn fence(&mut self, mask: FenceMask) -> Lowered {
        if mask.software() {
            return Ok(());
        }
        let local = mask.local();
        if self.caps.memory.lsc {
            return match (local, mask.flushes_data()) {
                (true, _) => self.local_fence_by_lsc(),
                (false, false) => self.global_fence_by_lsc(ThirdLevel::Kept),
                (false, true) => self.global_fence_by_lsc(ThirdLevel::Flushed),
            };
        }
        let l1 = mask.flush_l1() && !(self.caps.memory.slm_fence && local);
        let flush = if self.caps.memory.fence_flushes { mask.flush_l3() } else { 0 };
        let fence = if local { self.local_fence() } else { MemoryFence::new() };
        self.memory_fence(fence.with_commit(mask.commit()).with_flush_l3(flush).with_flush_l1(l1));
        Ok(())
    }

    /// A fence of shared local memory, where it has one of its own.
    fn local_fence(&self) -> MemoryFence {
        let index = if self.caps.memory.slm_fence { SurfaceIndex::SHARED_LOCAL } else { SurfaceIndex(0) };
        MemoryFence::new().with_surface(index)
    }

    fn memory_fence(&mut self, fence: MemoryFence) {
        let commit = fence.commit();
        let dst = if commit { self.payload(1) } else { VReg::NULL };
        let header = self.r0(0);
        let message =
            Message { sfid: Sfid::Dc0, desc: fence.into(), header: true, response: u32::from(commit) };
        self.send_register(ExecSize::S8, message, dst, header);
        if commit {
            self.wait_for(dst);
        }
    }

    /// Notes that a message writes.
    pub(crate) fn note_write(&mut self, surface: Option<super::Surface>) {
        if matches!(surface, Some(super::Surface::Index(SurfaceIndex::SHARED_LOCAL))) {
            self.writes.local = true;
        } else {
            self.writes.global = true;
        }
    }

    /// Where threads must not end before their writes have arrived: fences in front of the last message.
    pub(crate) fn fence_before_end(&mut self) {
        let (global, local) = match self.caps.memory.fence_before_eot {
            EndFence::Never => (false, false),
            EndFence::CmData => (self.writes.global && self.visa.is_cm(), false),
            EndFence::Always => (self.writes.global || self.writes.texels, self.writes.local),
        };
        if !global && !local {
            return;
        }
        let fence = MemoryFence::new().with_commit(true);
        for b in 0..self.out.blocks.len() {
            let Some(end) = self.out.blocks[b].insts.iter().position(Inst::is_eot) else { continue };
            // For debug information it is of what ends the thread.
            self.origin = self.out.blocks[b].insts[end].origin;
            if global {
                self.memory_fence(fence);
            }
            if local {
                self.memory_fence(fence.with_surface(SurfaceIndex::SHARED_LOCAL));
            }
            self.insert(b, end);
        }
    }

    /// Makes the thread wait for a message's response.
    pub(super) fn wait_for(&mut self, response: VReg) {
        let lanes = Lanes::all(self.register_lanes());
        let from = Src::new(response, Region::PACKED, Type::Ud);
        self.emit(build::mov(lanes, Dst::null(Type::Ud), from));
    }

    /// `wait`: clears the dependencies that the mask names; the next message waits for the others. An earlier one without a
    /// message waits before that: what is cleared here was not cleared there.
    pub(crate) fn wait(&mut self, mask: &VectorOperand) -> Lowered {
        let clears = mask.immediate() != Some(0);
        if !self.serve_wait() && clears {
            self.wait_by_fence();
        }
        if clears {
            let flag = self.var(gen_ir::Var::temp(VarClass::Flag, 2, 2));
            let bits = self.scalar_src(mask)?;
            self.emit(build::mov(Lanes::SCALAR, Dst::packed(VReg::var_at(flag, 0), Type::Uw), bits));
            let tdr = VReg::arf(gen_ir::Arf::ThreadDep(0), 0);
            let from = Src::new(tdr, Region::PACKED, Type::Uw);
            let lanes = Lanes::all(ExecSize::S8);
            let mut clear = build::op(Op::And, lanes, Dst::packed(tdr, Type::Uw), &[from, Src::uw(0x7fff)]);
            clear.pred = Some(build::pred(flag));
            self.emit(clear);
        }
        let start = self.block_insts().len();
        self.waiting.get_or_insert(start);
        Ok(())
    }

    /// Makes the first message behind a `wait` conditional: it is not sent before the threads that this
    /// one depends on have ended (Programmer's Reference Manuals, volume "EU Overview", `sendc`).
    /// Whether there is such a message, or nothing waits.
    fn serve_wait(&mut self) -> bool {
        let Some(start) = self.waiting else { return true };
        let message = self.block_insts()[start..].iter_mut().find(|i| i.send().is_some());
        let Some(message) = message else { return false };
        message.op = message.op.conditional();
        self.waiting = None;
        true
    }

    /// A block ends: a `wait` without a message gets one of its own, a fence.
    pub(crate) fn end_wait(&mut self) {
        if self.serve_wait() {
            return;
        }
        let branch = self.block_insts().pop_if(|last| last.op.is_branch());
        self.wait_by_fence();
        if let Some(branch) = branch {
            self.emit(branch);
        }
    }

    /// A message of its own for a `wait`.
    fn wait_by_fence(&mut self) {
        if self.caps.memory.lsc {
            self.fence_message(LscSfid::Slm, LscFenceOp::None, LscScope::Group);
        } else {
            self.memory_fence(self.local_fence().with_commit(self.caps.memory.fence_commit));
        }
        self.serve_wait();
    }
}
