//! Cleans the graph before branches are lowered: successors are derived from the branches, unreachable
//! blocks go, jumps to jumps and jumps to the next block go, straight-line blocks merge. The order of
//! the remaining blocks is kept.

use crate::{Error, StructurizeMemory};
use gen_ir::{BlockId, End, Kernel, Op, Payload, Pool, Target, Virtual};
use narrow::to_index;

/// How block `b` ends.
pub(crate) fn end_of(kernel: &Kernel<Virtual>, b: usize, width: u32) -> Result<End, Error> {
    let id = BlockId(to_index(b));
    let Some((last, body)) = kernel.blocks[b].insts.split_last() else { return Ok(End::Next) };
    if body.iter().any(|i| i.op.is_branch() || i.is_eot()) {
        return Err(Error::BranchInside(id));
    }
    match (End::of(Some(last), width), last.op) {
        (Some(end), _) if end.target().is_none_or(|t| t.index() < kernel.blocks.len()) => Ok(end),
        (Some(_), _) | (None, Op::Goto | Op::Jmpi | Op::Call) => Err(Error::BadTarget(id)),
        (None, op) => Err(Error::UnexpectedOp(id, op)),
    }
}

/// Runs all clean-ups and fills in the successors.
pub(crate) fn simplify(
    kernel: &mut Kernel<Virtual>,
    memory: &mut StructurizeMemory,
    pool: &mut Pool<Virtual>,
) -> Result<(), Error> {
    if kernel.blocks.is_empty() {
        return Err(Error::Empty);
    }
    kernel.subroutines.sort_unstable();
    kernel.subroutines.dedup();
    if let Some(s) = kernel.subroutines.last()
        && s.index() >= kernel.blocks.len()
    {
        return Err(Error::BadTarget(*s));
    }
    let width = kernel.flow_width();
    memory.ends.clear();
    for b in 0..kernel.blocks.len() {
        memory.ends.push(end_of(kernel, b, width)?);
    }
    check_bounds(kernel, &memory.ends)?;
    thread_jumps(kernel, &mut memory.ends);
    drop_unreachable(kernel, memory, pool);
    drop_idle_jumps(kernel, &mut memory.ends);
    merge_chains(kernel, memory, pool);
    check_last(kernel, &memory.ends)?;
    set_successors(kernel, &memory.ends);
    Ok(())
}

fn check_bounds(kernel: &Kernel<Virtual>, ends: &[End]) -> Result<(), Error> {
    for (b, end) in ends.iter().enumerate() {
        let id = BlockId(to_index(b));
        match *end {
            End::Jump { to, .. } if kernel.subroutine_of(to) != kernel.subroutine_of(id) => {
                return Err(Error::LeavesSubroutine(id));
            }
            End::Call(to) if kernel.subroutines.binary_search(&to).is_err() => {
                return Err(Error::BadTarget(id));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Sends a jump whose target does nothing but jump on straight to the end of the chain, where the
/// direction (forward or backward) stays the same along the way.
fn thread_jumps(kernel: &mut Kernel<Virtual>, ends: &mut [End]) {
    for b in 0..ends.len() {
        let End::Jump { to, always } = ends[b] else { continue };
        let mut t = to;
        // Bounded, so that a cycle of empty jumps ends.
        for _ in 0..8 {
            let trivial = match ends[t.index()] {
                End::Jump { to, always: true } if kernel.blocks[t.index()].insts.len() == 1 => to,
                End::Next if kernel.blocks[t.index()].insts.is_empty() && t.index() + 1 < ends.len() => {
                    BlockId(t.0 + 1)
                }
                _ => break,
            };
            let forward = to.index() > b;
            let same_way = if forward { trivial > t } else { trivial <= t || trivial.index() <= b };
            if !same_way || (kernel.subroutines.binary_search(&trivial).is_ok()) {
                break;
            }
            t = trivial;
        }
        if t != to && (t.index() > b) == (to.index() > b) {
            ends[b] = End::Jump { to: t, always };
            retarget(kernel, b, t);
        }
    }
}

fn retarget(kernel: &mut Kernel<Virtual>, b: usize, to: BlockId) {
    if let Some(Payload::Branch { jip, uip, .. }) = kernel.blocks[b].insts.last_mut().map(|i| &mut i.payload)
    {
        if matches!(uip, Target::Block(_)) {
            *uip = Target::Block(to);
        } else {
            *jip = Target::Block(to);
        }
    }
}

fn drop_unreachable(kernel: &mut Kernel<Virtual>, memory: &mut StructurizeMemory, pool: &mut Pool<Virtual>) {
    let StructurizeMemory { ends, keep, cfg, .. } = memory;
    set_successors(kernel, ends);
    cfg.find(kernel);
    cfg.find_reachable(keep);
    keep_blocks(kernel, memory, pool);
}

/// Keeps the marked blocks. A removed block that is still named stands for the next kept one.
fn keep_blocks(kernel: &mut Kernel<Virtual>, memory: &mut StructurizeMemory, pool: &mut Pool<Virtual>) {
    let StructurizeMemory { ends, keep, renumbered: map, .. } = memory;
    if keep.iter().all(|&k| k) {
        return;
    }
    map.clear();
    let mut next = 0u32;
    for &k in keep.iter() {
        map.push(BlockId(next));
        next += u32::from(k);
    }
    let mut it = keep.iter();
    kernel.blocks.retain_mut(|block| {
        let stays = *it.next().unwrap_or(&false);
        if !stays {
            pool.keep(std::mem::take(&mut block.insts));
        }
        stays
    });
    let mut it = keep.iter();
    ends.retain(|_| *it.next().unwrap_or(&false));
    kernel.subroutines.retain(|s| keep[s.index()]);
    for s in &mut kernel.subroutines {
        *s = map[s.index()];
    }
    for (b, end) in ends.iter_mut().enumerate() {
        match end {
            End::Jump { to, .. } | End::Call(to) => {
                *to = map[to.index()];
                retarget(kernel, b, *to);
            }
            End::Next | End::Away | End::Leave { .. } => {}
        }
    }
}

/// A jump to the next block says nothing.
fn drop_idle_jumps(kernel: &mut Kernel<Virtual>, ends: &mut [End]) {
    for (b, end) in ends.iter_mut().enumerate() {
        if matches!(*end, End::Jump { to, .. } if to.index() == b + 1) {
            kernel.blocks[b].insts.pop();
            *end = End::Next;
        }
    }
}

/// Appends a block to the one before it, if that one just runs on and nobody else comes in.
fn merge_chains(kernel: &mut Kernel<Virtual>, memory: &mut StructurizeMemory, pool: &mut Pool<Virtual>) {
    let n = kernel.blocks.len();
    let StructurizeMemory { ends, marked: entered, keep, .. } = memory;
    entered.clear();
    entered.resize(n, false);
    for to in ends.iter().filter_map(|e| e.target()).chain(kernel.subroutines.iter().copied()) {
        entered[to.index()] = true;
    }
    keep.clear();
    keep.resize(n, true);
    let mut head = 0;
    for b in 1..n {
        if ends[head] != End::Next || entered[b] {
            head = b;
            continue;
        }
        let tail = std::mem::take(&mut kernel.blocks[b].insts);
        let insts = &mut kernel.blocks[head].insts;
        if insts.is_empty() {
            pool.keep(std::mem::replace(insts, tail));
        } else {
            pool.grow(insts, tail.len());
            insts.extend_from_slice(&tail);
            pool.keep(tail);
        }
        ends[head] = ends[b];
        keep[b] = false;
    }
    keep_blocks(kernel, memory, pool);
}

fn set_successors(kernel: &mut Kernel<Virtual>, ends: &[End]) {
    for (next, (block, end)) in (1..).zip(kernel.blocks.iter_mut().zip(ends)) {
        block.succs = end.succs(Some(BlockId(next)));
    }
}

/// Every routine ends before the next one begins.
fn check_last(kernel: &Kernel<Virtual>, ends: &[End]) -> Result<(), Error> {
    let n = ends.len();
    let mut last =
        kernel.subroutines.iter().map(|s| s.index()).chain([n]).filter_map(|end| end.checked_sub(1));
    match last.find(|&b| ends[b].runs_on()) {
        Some(b) => Err(Error::FallsOffEnd(BlockId(to_index(b)))),
        None => Ok(()),
    }
}
