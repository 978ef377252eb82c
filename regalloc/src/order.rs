//! Instructions in an order that needs fewer registers.
//!
//! Where more is live in a block than there are registers, its instructions are put in order again, from
//! the last to the first: while little is alive the written order stays, and beyond that the next is chosen by what is
//! alive above it, in one of two ways ([`Search`]).
//! What depends on something stays behind it: variables as wholes, all addresses as one, the accumulators as one, each
//! memory ([`MemorySpace`](gen_ir::MemorySpace)) as one; other architecture registers, flow control, marks of the calling convention and waits stay where they are.
//! No more flags come to be alive at a time than there are.

mod graph;

pub(crate) use graph::Search;

use crate::{
    analysis::{
        access::Kind,
        accesses::Accesses,
        facts,
        flow::Flow,
        liveness::{Liveness, footprint},
    },
    copy::copy,
    place::{File, Strategy},
};
use gen_ir::{Kernel, Pool, VarClass, Virtual};
use graph::{Alive, BlockGraph, FlagReaders};
use narrow::{as_index, to_f32, to_u32};

/// About how many instructions a thread could run while a message is under way.
const MESSAGE: u32 = 100;

/// Memory of the search.
#[derive(Default)]
pub(crate) struct OrderMemory {
    change: Vec<i64>,
    /// By block, the most bytes that are alive of general variables, and of flags.
    peaks: Vec<u32>,
    flag_peaks: Vec<u32>,
    /// The same of flags in another order.
    new_flag_peaks: Vec<u32>,
    block: BlockGraph,
    alive: Alive,
    behind: Vec<u32>,
    ready: Vec<u32>,
    order: Vec<u32>,
    best: Vec<u32>,
    /// Where each instruction of the kernel stood before.
    moved: Vec<u32>,
    /// When each variable is there that a message writes.
    there: Vec<u32>,
    /// Whether the order that was found may need more flags than there are.
    flags_in_doubt: bool,
}

impl OrderMemory {
    /// Where each instruction of the kernel that was made stood before.
    pub fn moved(&self) -> &[u32] {
        &self.moved
    }
}

/// Whether more is alive somewhere than there is room for.
pub(crate) fn is_pressure_high(
    kernel: &Kernel<Virtual>,
    accesses: &Accesses,
    live: &Liveness,
    s: &mut OrderMemory,
) -> bool {
    let room = room(kernel);
    let general = kernel.vars.iter().filter(|var| var.class == VarClass::General);
    if general.map(|var| u64::from(footprint(kernel, var))).sum::<u64>() <= u64::from(room) {
        return false;
    }
    let OrderMemory { change, peaks, flag_peaks, .. } = s;
    find_peaks(kernel, VarClass::General, (accesses, live), change, peaks);
    if peaks.iter().any(|&peak| peak > room) {
        find_peaks(kernel, VarClass::Flag, (accesses, live), change, flag_peaks);
    }
    s.peaks.iter().any(|&peak| peak > room)
}

/// Whether nowhere more is alive than there are registers; `s`: it was asked whether the kernel
/// [needs more than there is](is_pressure_high), and it is.
pub(crate) fn may_fit(kernel: &Kernel<Virtual>, s: &OrderMemory) -> bool {
    let all = u32::from(kernel.grf_count.saturating_sub(kernel.reserved))
        * u32::from(kernel.platform.caps().regs.grf_bytes);
    s.peaks.iter().all(|&peak| peak <= all)
}

/// Bytes of registers that variables may have, about.
pub(crate) fn room(kernel: &Kernel<Virtual>) -> u32 {
    u32::from(kernel.grf_count.saturating_sub(kernel.reserved + 2))
        * u32::from(kernel.platform.caps().regs.grf_bytes)
}

/// A kernel with the same instructions in another order in blocks where too much is alive, if there are any.
/// `s` knows them: it was asked whether the kernel [needs more than there is](is_pressure_high).
pub(crate) fn order(
    kernel: &Kernel<Virtual>,
    (accesses, live): (&Accesses, &Liveness),
    search: Search,
    s: &mut OrderMemory,
    pool: &mut Pool<Virtual>,
) -> Option<Kernel<Virtual>> {
    let room = room(kernel);
    let flags = flag_bytes(kernel);
    s.block.row_of.clear();
    s.flags_in_doubt = false;
    let mut out: Option<Kernel<Virtual>> = None;
    for b in 0..kernel.blocks.len() {
        if s.peaks[b] <= room || kernel.blocks[b].insts.len() < 2 {
            continue;
        }
        s.block.read(kernel, accesses, live, b);
        let (as_written, flags_as_written) = s.block.peaks_as_written(&mut s.alive);
        let through = s.peaks[b].saturating_sub(as_written);
        let flags_through = s.flag_peaks[b].saturating_sub(flags_as_written);
        // A flag counts from its first access to its last, so even the written order may seem to need too many.
        let room_of_flags = flags.saturating_sub(flags_through);
        let lenient = room_of_flags.max(flags_as_written);
        if !find_best(search, as_written, (room.saturating_sub(through), lenient), s) {
            continue;
        }
        s.flags_in_doubt |= lenient > room_of_flags;
        let from = &kernel.blocks[b].insts;
        let new = out.get_or_insert_with(|| {
            s.moved.clear();
            s.moved.extend(0..accesses.blocks.last().copied().unwrap_or(0));
            copy(kernel, pool)
        });
        let to = &mut new.blocks[b].insts;
        to.clear();
        to.extend(s.best.iter().map(|&i| from[as_index(i)]));
        let first = accesses.blocks[b];
        for (moved, &i) in s.moved[accesses.block(b)].iter_mut().zip(&s.best) {
            *moved = first + i;
        }
    }
    out
}

/// Whether a kernel in the order that was found last, of which this is known, needs no more flags in any block than there are,
/// or than it did before. More would be split, but what was split once before has to stay as short as it is.
pub(crate) fn flags_fit(
    ordered: &Kernel<Virtual>,
    known: (&Accesses, &Liveness),
    OrderMemory { change, flag_peaks, flags_in_doubt, new_flag_peaks, .. }: &mut OrderMemory,
) -> bool {
    if !*flags_in_doubt {
        return true;
    }
    find_peaks(ordered, VarClass::Flag, known, change, new_flag_peaks);
    let flags = flag_bytes(ordered);
    new_flag_peaks.iter().zip(flag_peaks).all(|(&new, before)| new <= flags.max(*before))
}

/// How long a kernel takes, about, in instructions, which are worth more in loops: what reads the answer of a message waits for
/// it.
pub(crate) fn time(
    kernel: &Kernel<Virtual>,
    accesses: &Accesses,
    flow: &Flow,
    OrderMemory { there, .. }: &mut OrderMemory,
) -> f32 {
    there.clear();
    there.resize(kernel.vars.len(), 0);
    let (mut now, mut all) = (0, 0.0);
    for (b, block) in kernel.blocks.iter().enumerate() {
        let start = now;
        for (i, inst) in accesses.block(b).zip(&block.insts) {
            let of = accesses.of(i);
            let reads = of.iter().filter(|a| a.kind.has(Kind::READ));
            now = reads.map(|a| there[a.var.index()]).fold(now, u32::max).saturating_add(1);
            if inst.op.is_send() {
                let writes = of.iter().filter(|a| a.kind.has(Kind::WRITE));
                writes.for_each(|a| there[a.var.index()] = now.saturating_add(MESSAGE));
            }
        }
        all += to_f32(now - start) * facts::worth(flow, b);
    }
    all
}

/// Bytes of the flags that there are.
fn flag_bytes(kernel: &Kernel<Virtual>) -> u32 {
    let file = File::of(kernel, VarClass::Flag, Strategy::Packed);
    file.regs * file.reg_bytes()
}

/// Finds the most bytes of a class of variables that are alive in each block.
fn find_peaks(
    kernel: &Kernel<Virtual>,
    class: VarClass,
    (accesses, live): (&Accesses, &Liveness),
    change: &mut Vec<i64>,
    peaks: &mut Vec<u32>,
) {
    live.find_pressure(kernel, class, accesses, change);
    let mut now = 0;
    peaks.clear();
    peaks.extend((0..kernel.blocks.len()).map(|b| {
        let insts = accesses.block(b);
        let mut peak = 0;
        for c in &change[insts.start * 2..insts.end * 2] {
            now += c;
            peak = peak.max(now);
        }
        to_u32(peak.max(0))
    }));
}

/// Looks for an order in which less is alive than in the written one, in which `as_written` bytes are. Returns whether
/// there is one, and leaves it in `best`: the order nearest to the written one that needs no more than `room` bytes, or
/// else the one that needs fewest. None that needs more than `flags` bytes of flags is taken.
fn find_best(search: Search, as_written: u32, (room, flags): (u32, u32), s: &mut OrderMemory) -> bool {
    let mut least = as_written;
    let mut found = false;
    let mut last = None;
    let at_least = s.block.at_least();
    for keep in [room, room / 4 * 3, room / 2, 0] {
        if least <= at_least || last.replace(keep) == Some(keep) {
            break;
        }
        let OrderMemory { block, alive, behind, ready, order, .. } = s;
        let mut with =
            |readers| block.order((search, readers, keep), (least, flags), alive, behind, ready, order);
        let peak = match with(FlagReaders::AsTheyCome) {
            Err(VarClass::Flag) => with(FlagReaders::Late),
            peak => peak,
        };
        if let Ok(peak) = peak {
            std::mem::swap(&mut s.best, &mut s.order);
            (least, found) = (peak, true);
            if peak <= room {
                break;
            }
        }
    }
    found
}
