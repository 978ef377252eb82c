//! Where a launch may start instead of at the first instruction, on platforms where the kernel loads its
//! own payload.

use gen_ir::{ExecSize, Inst, Kernel, Op, Options, Physical, Pool};

/// Instructions of 16 bytes between places where a launch can start: the start pointer has 64-byte units.
const UNIT: usize = 4;

/// Instructions of the kernel that skip parts of the payload's loads; `None` where there is no such part.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Entries {
    /// The first behind the loads of each thread's own data.
    pub per_thread: Option<usize>,
    /// The first behind the loads of what all threads share.
    pub cross_thread: Option<usize>,
}

/// Finds the entries, and pads what stands in front of the first one so that a launch can start there.
pub(crate) fn align(kernel: &mut Kernel<Physical>, pool: &mut Pool<Physical>) -> Entries {
    let [own, shared] = kernel.payload_loads.map(|n| n > 0);
    let [end, mut last] = kernel.payload_ends();
    let Some(block) = kernel.blocks.first_mut() else { return Entries::default() };
    if own && end > 0 {
        // The offset must be known before anything is compacted.
        for inst in &mut block.insts[..end] {
            inst.opts = inst.opts.with(Options::NO_COMPACT);
        }
        let padding = end.next_multiple_of(UNIT) - end;
        let nop = Inst { opts: Options::NO_COMPACT, ..Inst::new(Op::Nop, ExecSize::S1) };
        pool.grow(&mut block.insts, padding);
        block.insts.splice(end..end, std::iter::repeat_n(nop, padding));
        last += padding;
    }
    Entries { per_thread: own.then(|| end.next_multiple_of(UNIT)), cross_thread: shared.then_some(last) }
}
