//! What concerns variables of one block, in one walk backwards: writes that nobody reads, and the moves that
//! are the last to read their source.
//!
//! Going backwards, each such variable has the bytes that later code reads. A write ends that need if
//! it defines, for every channel that may read, just the element that the channel reads: an unmasked
//! write of all bytes, or a masked write where all readers are masked and read channel by channel.

use gen_ir::{Extent, Inst, Kernel, OnlyBlock, Op, Payload, Role, Src, Virtual};
use narrow::{as_index, to_index};

use super::{
    coalesce,
    dead::removable,
    legal::Legality,
    locality::Locality,
    use_counts::{UseCounts, VarUses},
};
use crate::lists::refill;

/// Memory for [`tidy`].
#[derive(Debug, Default)]
pub(super) struct LocalMemory {
    needs: Vec<LaterReads>,
    /// Moves of a block that are the last to read their source, from the last to the first.
    last_reads: Vec<u32>,
}

/// Makes writes `nop` whose bytes are overwritten before anyone reads them, for variables that one block
/// alone touches, then moves whose source could have been made in place.
pub(super) fn tidy(
    kernel: &mut Kernel<Virtual>,
    locality: &Locality,
    use_counts: &UseCounts,
    grf_bytes: u32,
    legality: Legality,
    memory: &mut LocalMemory,
) {
    if !locality.any() {
        return;
    }
    let LocalMemory { needs, last_reads } = memory;
    refill(
        needs,
        use_counts
            .vars
            .iter()
            .zip(locality.each())
            .map(|(entry, only_block)| LaterReads::start(entry, only_block)),
    );
    for b in (0..kernel.blocks.len()).filter(|&b| locality.any_in(b)) {
        last_reads.clear();
        let insts = &mut kernel.blocks[b].insts;
        for (i, inst) in insts.iter_mut().enumerate().rev() {
            if let Some(var) = inst.dst_var()
                && let need = &mut needs[var.index()]
                && need.only_block.is(b.into())
            {
                if !need.wants(inst, grf_bytes) && removable(inst) {
                    *inst = Inst::new(Op::Nop, inst.exec);
                    continue;
                }
                if need.counts && need.ended_by(inst, grf_bytes) {
                    need.bytes = NOTHING;
                }
            }
            let (mut last, mut counts) = (false, false);
            inst.for_each_read(|reg| {
                if let Some(v) = reg.var()
                    && let need = &mut needs[v.index()]
                    && need.only_block.is(b.into())
                {
                    last |= !std::mem::replace(&mut need.read, true);
                    counts |= need.counts;
                }
            });
            if counts {
                inst.for_each_reg(|role, reg| {
                    if let Some(v) = reg.var()
                        && !role.is_write()
                        && let need = &mut needs[v.index()]
                        && need.only_block.is(b.into())
                        && need.counts
                    {
                        need.add(inst, role, grf_bytes);
                    }
                });
            }
            if last && inst.op == Op::Mov {
                last_reads.push(to_index(i));
            }
        }
        let moves = last_reads.iter().rev().map(|&at| as_index(at));
        coalesce::moves(kernel, b, locality, grf_bytes, legality, moves);
    }
}

const NOTHING: Extent = Extent { start: 0, end: 0 };

/// What later code of the block reads of a variable.
#[derive(Clone, Copy, Debug)]
struct LaterReads {
    bytes: Extent,
    /// What all readers have in common.
    layout: Layout,
    /// The one block that has to do with the variable.
    only_block: OnlyBlock,
    /// Whether there are any readers in the block, even behind another write.
    read: bool,
    /// Whether bytes are of interest: who reads a variable that is written once, reads what was written.
    counts: bool,
}

impl LaterReads {
    fn start(entry: &VarUses, only_block: OnlyBlock) -> LaterReads {
        LaterReads {
            bytes: NOTHING,
            layout: Layout::NONE,
            only_block,
            read: false,
            counts: entry.is_written_again(),
        }
    }

    fn add(&mut self, inst: &Inst<Virtual>, role: Role, grf_bytes: u32) {
        let all = Extent { start: 0, end: u32::MAX };
        let bytes = inst.extent(role, grf_bytes).unwrap_or(all);
        let layout = match role {
            Role::Src(i) if !inst.no_mask && matches!(inst.payload, Payload::None | Payload::Math(_)) => {
                match inst.src[usize::from(i)] {
                    Src::Direct { region, ty, .. } if region.one_by_one(inst.exec.lanes()) => {
                        Layout::of(inst, bytes.start, ty.bytes())
                    }
                    _ => Layout::NONE,
                }
            }
            _ => Layout::NONE,
        };
        if self.bytes.is_empty() {
            (self.bytes, self.layout) = (bytes, layout);
        } else {
            self.bytes =
                Extent { start: self.bytes.start.min(bytes.start), end: self.bytes.end.max(bytes.end) };
            if self.layout != layout {
                self.layout = Layout::NONE;
            }
        }
    }

    /// Whether later code reads what an instruction writes.
    fn wants(&self, inst: &Inst<Virtual>, grf_bytes: u32) -> bool {
        if self.counts {
            inst.dst_extent(grf_bytes).is_some_and(|written| self.bytes.overlaps(written))
        } else {
            self.read
        }
    }

    fn ended_by(&self, inst: &Inst<Virtual>, grf_bytes: u32) -> bool {
        let Some(written) = inst.dst_extent(grf_bytes) else { return false };
        if inst.pred.is_some() && inst.op != Op::Sel || !inst.dst_is_dense() || !written.contains(self.bytes)
        {
            return false;
        }
        let layout = || inst.dst.ty().map_or(Layout::NONE, |t| Layout::of(inst, written.start, t.bytes()));
        inst.no_mask || self.layout != Layout::NONE && self.layout == layout()
    }
}

/// All readers are masked and channel `n` reads element `n` of this: first byte, bytes of an element, first
/// channel, channels, packed into a number; 0 if it is not so.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Layout(u64);

impl Layout {
    const NONE: Layout = Layout(0);

    fn of(inst: &Inst<Virtual>, start: u32, element: u32) -> Layout {
        let lanes = u64::from(inst.exec.lanes());
        Layout(u64::from(start) << 32 | u64::from(element) << 16 | u64::from(inst.chan) << 8 | lanes)
    }
}
