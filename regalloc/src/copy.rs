//! A kernel of our own to rewrite, in memory that is there.

use gen_ir::{Block, Kernel, Pool, Virtual};

/// The same kernel again.
pub(crate) fn copy(kernel: &Kernel<Virtual>, pool: &mut Pool<Virtual>) -> Kernel<Virtual> {
    let mut out = pool.kernel(&kernel.name, kernel.platform);
    out.vars.extend_from_slice(&kernel.vars);
    out.subroutines.extend_from_slice(&kernel.subroutines);
    for block in &kernel.blocks {
        let mut insts = pool.list(block.insts.len());
        insts.extend_from_slice(&block.insts);
        out.blocks.push(Block { insts, succs: block.succs.clone() });
    }
    Kernel {
        grf_count: kernel.grf_count,
        reserved: kernel.reserved,
        simd: kernel.simd,
        spill_offset: kernel.spill_offset,
        scratch_header: kernel.scratch_header,
        outside: kernel.outside,
        payload_loads: kernel.payload_loads,
        ..out
    }
}

/// The same kernel, whose instructions have their number as their origin.
pub(crate) fn numbered(kernel: &Kernel<Virtual>, pool: &mut Pool<Virtual>) -> Kernel<Virtual> {
    let mut out = copy(kernel, pool);
    let insts = out.blocks.iter_mut().flat_map(|b| &mut b.insts);
    for (number, inst) in (0..).zip(insts) {
        inst.origin = number;
    }
    out
}
