//! Barriers, fences and thread dependencies.

use gen_ir::{Dst, ExecSize, Inst, Op, Payload, Region, Sfid, Src, SyncFn, Type, VarClass};
use platforms::Layout;

use super::{Message, Part};
use crate::{
    build::{self, Lanes, VReg},
    lower::{Lowered, Lowerer},
};

/// Gateway: barrier message, no acknowledgement.
const GATEWAY_BARRIER: u32 = 4;
/// Binding table index of shared local memory.
const SHARED_LOCAL: u8 = 0xfe;
/// Data cache 0: memory fence.
const MEMORY_FENCE: u32 = 7;

impl Lowerer<'_> {
    /// `barrier`: signal, then wait.
    pub(crate) fn barrier(&mut self) -> Lowered {
        self.split_barrier(true)?;
        self.split_barrier(false)
    }

    /// `sbarrier.signal`, `sbarrier.wait`.
    pub(crate) fn split_barrier(&mut self, signal: bool) -> Lowered {
        if signal {
            self.barrier_signal()
        } else {
            self.barrier_wait()
        }
        Ok(())
    }

    fn barrier_signal(&mut self) {
        let payload = if self.caps.lsc {
            // Producers and consumers are all threads of the group: r0.2, bits 24 to 31.
            let header = self.zero_register();
            let threads = Src::scalar(self.r0(11), Type::Ub);
            let dst = Dst::packed(header.plus(10), Type::Ub);
            self.emit(build::mov(Lanes::all(ExecSize::S2), dst, threads));
            header
        } else {
            let payload = self.payload(1);
            let id = Src::scalar(self.r0(8), Type::Ud);
            let mask = Src::ud(self.caps.barrier_mask);
            let dst = Dst::packed(payload, Type::Ud);
            self.emit(build::op(Op::And, Lanes::all(ExecSize::S8), dst, &[id, mask]));
            payload
        };
        let message = Message { sfid: Sfid::Gateway, control: GATEWAY_BARRIER, header: false, response: 0 };
        self.send_block(ExecSize::S1, message, VReg::NULL, &[Part { reg: payload, len: 1 }], None);
    }

    fn barrier_wait(&mut self) {
        let inst = match self.caps.layout {
            Layout::Gen8 => {
                let notified = Src::scalar(VReg::arf(gen_ir::Arf::Notify(0), 0), Type::Ud);
                build::op(Op::Wait, Lanes::SCALAR, Dst::None, &[notified])
            }
            Layout::Xe => {
                let mut sync = build::op(Op::Sync, Lanes::SCALAR, Dst::None, &[]);
                sync.payload = Payload::Sync(SyncFn::Bar);
                // Xe-HPC names the barrier.
                sync.src[0] =
                    if self.caps.lsc { Src::ud(0) } else { Src::new(VReg::NULL, Region::SCALAR, Type::Ub) };
                sync
            }
        };
        self.emit(inst);
    }

    /// `fence`: bit 0 commit, 1 to 4 flushes, 5 shared local memory only, 6 L1, 7 scheduling only.
    pub(crate) fn fence(&mut self, mask: u8) -> Lowered {
        if mask & 0x80 != 0 {
            return Ok(());
        }
        let local = mask & 0x20 != 0;
        if self.caps.lsc {
            return self.fence_by_lsc(local);
        }
        let commit = mask & 1 != 0 || self.caps.fence_commit;
        let l1 = mask & 0x40 != 0 && !(self.caps.slm_fence && local);
        // L3 flushes are no longer needed where the scoreboard is software's.
        let flush = if self.caps.sbid_count > 0 { 0 } else { u32::from(mask >> 1 & 15) };
        let index = if self.caps.slm_fence && local { u32::from(SHARED_LOCAL) } else { 0 };
        self.memory_fence(commit, flush, l1, index);
        Ok(())
    }

    fn memory_fence(&mut self, commit: bool, flush: u32, l1: bool, index: u32) {
        let control = MEMORY_FENCE << 14 | u32::from(commit) << 13 | flush << 9 | u32::from(l1) << 8 | index;
        let dst = if commit { self.payload(1) } else { VReg::NULL };
        let header = Part { reg: self.r0(0), len: 1 };
        let message = Message { sfid: Sfid::Dc0, control, header: true, response: u32::from(commit) };
        self.send_block(ExecSize::S8, message, dst, &[header], None);
        if commit {
            self.wait_for(dst);
        }
    }

    /// Notes that a message writes.
    pub(crate) fn note_write(&mut self, surface: Option<super::Surface>) {
        if matches!(surface, Some(super::Surface::Index(SHARED_LOCAL))) {
            self.writes.local = true;
        } else {
            self.writes.global = true;
        }
    }

    /// Where threads must not end before their writes have arrived: fences in front of the last message.
    pub(crate) fn fence_before_end(&mut self) {
        if !self.caps.fence_before_eot || !(self.writes.global || self.writes.local) {
            return;
        }
        let mut blocks = std::mem::take(&mut self.out.blocks);
        for block in &mut blocks {
            let Some(end) = block.insts.iter().position(Inst::is_eot) else { continue };
            let tail = block.insts.split_off(end);
            let saved = self.swap_insts(std::mem::take(&mut block.insts));
            if self.writes.global {
                self.memory_fence(true, 0, false, 0);
            }
            if self.writes.local {
                self.memory_fence(true, 0, false, u32::from(SHARED_LOCAL));
            }
            block.insts = self.swap_insts(saved);
            block.insts.extend(tail);
        }
        self.out.blocks = blocks;
    }

    /// Makes the thread wait for a message's response.
    pub(super) fn wait_for(&mut self, response: VReg) {
        let lanes = Lanes::all(self.register_lanes());
        let from = Src::new(response, Region::PACKED, Type::Ud);
        self.emit(build::mov(lanes, Dst::null(Type::Ud), from));
    }

    /// `wait`: clears the dependencies that the mask names, then waits for the others.
    pub(crate) fn wait(&mut self, mask: &visa::VectorOperand) -> Lowered {
        if mask.immediate() == Some(0) {
            return Ok(());
        }
        let flag = self.var(gen_ir::Var::temp(VarClass::Flag, 2, 2));
        let bits = self.scalar_src(mask)?;
        self.emit(build::mov(Lanes::SCALAR, Dst::packed(VReg::var_at(flag, 0), Type::Uw), bits));
        let tdr = VReg::arf(gen_ir::Arf::ThreadDep(0), 0);
        let from = Src::new(tdr, Region::PACKED, Type::Uw);
        let lanes = Lanes::all(ExecSize::S8);
        let mut clear = build::op(Op::And, lanes, Dst::packed(tdr, Type::Uw), &[from, Src::uw(0x7fff)]);
        clear.pred = Some(build::pred(flag, false));
        self.emit(clear);
        Ok(())
    }
}
