//! Where every channel is on, the execution mask is ignored.
//!
//! A thread of a Cm kernel starts with all 32 channels on, however wide its instructions are; only branches of
//! several channels turn some off, up to where these wait for the others ([`Waits`]). In all other blocks a
//! masked instruction does what the same does under NoMask, and says more to those who read it then: a write
//! of all elements ends the value before it, a copy serves every reader, a header is made by equals.
//!
//! Sources: vISA specification, "Execution Mask" and the kernel attribute `Target`; Intel's driver dispatches
//! threads of one channel with the whole mask (compute-runtime, the walker's `ExecutionMask`); Intel's
//! finalizer takes blocks of such kernels that no divergent branch reaches to have all channels on.

use gen_ir::{BlockId, Call, Cfg, Class, Inst, Kernel, Op, Virtual, Waits};
use narrow::to_u8;

use super::analyses::Analyses;
use crate::lists::reset;

/// Channels of a thread.
const ALL: u8 = 32;

/// Memory of the pass.
#[derive(Debug, Default)]
pub(super) struct UnmaskMemory {
    waits: Waits,
    delta: Vec<i32>,
    divergent: Vec<bool>,
    /// The channels from 0 on that are surely on in each block.
    on: Vec<u8>,
}

/// Gives instructions NoMask where that makes no difference.
pub(super) fn unmask(kernel: &mut Kernel<Virtual>, analyses: &mut Analyses, memory: &mut UnmaskMemory) {
    if !kernel.all_channels {
        return;
    }
    memory.find(kernel, analyses.graph(kernel));
    for (block, &on) in kernel.blocks.iter_mut().zip(&memory.on).filter(|(_, on)| **on > 0) {
        for inst in &mut block.insts {
            let inside = u32::from(inst.chan) + inst.exec.lanes() <= u32::from(on);
            inst.no_mask |= inside && inst.op.info().class != Class::Branch;
        }
    }
}

impl UnmaskMemory {
    /// Finds out which channels are on in each block.
    fn find(&mut self, kernel: &Kernel<Virtual>, cfg: &Cfg) {
        let n = kernel.blocks.len();
        self.waits.clear(n);
        reset(&mut self.on, n, ALL);
        // In code that some channels have left already, a jump of those that run makes them wait, too. A
        // subroutine runs with the channels of its calls. Each round finds more such blocks, or is the last.
        loop {
            self.waits.find_divergent(&mut self.delta, &mut self.divergent);
            for (on, _) in self.on.iter_mut().zip(&self.divergent).filter(|(_, d)| **d) {
                *on = 0;
            }
            let mut news = false;
            for b in 0..n {
                let Some(last) = kernel.blocks[b].insts.last() else { continue };
                news |= match last.op {
                    Op::Goto | Op::Jmpi => self.parts(last, b) && self.wait(last, b.into(), cfg),
                    Op::Call => cfg.call_at(b.into()).is_some_and(|c| self.enter(&c, last)),
                    _ => false,
                };
            }
            if !news {
                return;
            }
        }
    }

    /// Whether some channels may take a jump at the end of block `b` that others do not, be they off.
    fn parts(&self, jump: &Inst<Virtual>, b: usize) -> bool {
        self.on[b] == 0 || jump.op == Op::Goto && jump.exec.lanes() > 1
    }

    /// Lanes that take a jump at the end of block `b` part with those that do not.
    fn wait(&mut self, jump: &Inst<Virtual>, b: BlockId, cfg: &Cfg) -> bool {
        let Some(target) = jump.branch_target() else { return false };
        let next = b.next();
        let (at, from) = if target <= b { (next, target) } else { (target, next) };
        at.index() < self.on.len() && self.waits.add(at, from, cfg.back_edges())
    }

    /// A subroutine is called. Returns whether it had more channels on.
    fn enter(&mut self, called: &Call, call: &Inst<Virtual>) -> bool {
        let on = self.on[called.site.index()];
        let on = match call.pred {
            Some(_) if call.exec.lanes() > 1 => 0,
            _ if call.no_mask => on,
            _ if call.chan > 0 => 0,
            _ => on.min(to_u8(call.exec.lanes())),
        };
        let mut news = false;
        for there in &mut self.on[called.callee()] {
            news |= on < *there;
            *there = on.min(*there);
        }
        news
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gen_ir::{
        Block, Dst, ExecSize, GrfNum, Payload, Pred, PredCtrl, Reg, Src, Target, Type, Var, VarClass,
    };
    use platforms::Platform;

    const JMP: Option<(ExecSize, u32)> = None;

    /// A Cm kernel of blocks with one instruction each and a predicated jump: of so many channels to a block.
    /// Returns which blocks ignore the mask.
    fn ignored(jumps: &[Option<(ExecSize, u32)>]) -> Vec<bool> {
        let mut k: Kernel<Virtual> = Kernel::new("k", Platform::Skl);
        k.all_channels = true;
        let flag = k.add_var(Var::temp(VarClass::Flag, 2, 2));
        let mut mov = Inst::new(Op::Mov, ExecSize::S8);
        mov.dst = Dst::packed(Reg::grf(GrfNum::new(10), 0), Type::D);
        mov.src[0] = Src::d(1);
        for jump in jumps {
            let mut insts = vec![mov];
            if let Some((exec, to)) = *jump {
                let mut goto = Inst::new(Op::Goto, exec);
                goto.pred = Some(Pred { flag: Reg::var_at(flag, 0), inv: false, ctrl: PredCtrl::Seq });
                let uip = Target::Block(BlockId(to));
                goto.payload = Payload::Branch { jip: Target::None, uip, ctrl: false };
                insts.push(goto);
            }
            k.blocks.push(Block { insts, succs: Default::default() });
        }
        k.link_blocks();
        unmask(&mut k, &mut Analyses::default(), &mut UnmaskMemory::default());
        assert!(k.insts().all(|(_, i)| i.op != Op::Goto || !i.no_mask));
        k.blocks.iter().map(|b| b.insts[0].no_mask).collect()
    }

    #[test]
    fn only_branches_of_several_channels_turn_any_off() {
        let (one, all) = (ExecSize::S1, ExecSize::S16);
        assert_eq!(ignored(&[Some((one, 2)), JMP, Some((one, 0)), JMP]), [true; 4]);
        // Until the join.
        assert_eq!(ignored(&[Some((all, 2)), JMP, JMP]), [true, false, true]);
        // In a loop that channels leave one by one, and behind the place where they wait for each other.
        assert_eq!(ignored(&[JMP, JMP, Some((all, 1)), JMP]), [true, false, false, true]);
        // They leave a loop from its middle: from the next round on it runs without them.
        assert_eq!(
            ignored(&[JMP, JMP, Some((all, 5)), JMP, Some((one, 1)), JMP]),
            [true, false, false, false, false, true]
        );
        // Among some channels a jump of all that run parts them from those that wait.
        assert_eq!(ignored(&[Some((all, 2)), Some((one, 3)), JMP, JMP]), [true, false, false, true]);
    }

    #[test]
    fn kernels_of_other_compilers_keep_their_masks() {
        let mut k: Kernel<Virtual> = Kernel::new("k", Platform::Skl);
        k.blocks.push(Block { insts: vec![Inst::new(Op::Mov, ExecSize::S8)], succs: Default::default() });
        unmask(&mut k, &mut Analyses::default(), &mut UnmaskMemory::default());
        assert!(!k.blocks[0].insts[0].no_mask);
    }
}
