//! Instructions of a block in an order in which the thread waits less.
//!
//! A list scheduler after allocation: of the instructions whose operands are there, the one goes first with the
//! longest way to the end of the block ([`graph`] has the ways, by the platform's
//! [latencies](platforms::Latencies)). Registers have been handed out in turn, so there is room to move; the order
//! changes no register. A part that is not faster afterwards, by the same figures, stays as it was.
//!
//! **What holds.** Two instructions keep their order if they touch the same bytes of a register, flag, address or
//! accumulator and one writes, where operands behind addresses count as all registers that addresses lead to; and if both are
//! messages to the same memory ([`MemorySpace`](gen_ir::MemorySpace)) and one does more than read it. Fences, what waits for
//! their answer, barriers and the waits for them count as messages to all memory: they order accesses of it, and operations on
//! registers may pass them. What sets modes of floats keeps
//! its order to operations on floats. Nothing passes a branch, another access to the thread's state, or a mark: code is cut
//! there. What a caller or a called function finds in registers is so there: calls and returns end blocks, which instructions
//! do not leave, and what computes the way to a function from the instruction pointer reads the thread's state.

mod addressed;
mod graph;
mod kind;
mod list;
#[cfg(test)]
mod tests;

use std::ops::RangeInclusive;

use gen_ir::{
    Arf, Class, Desc, Descriptors, Dst, Inst, Kernel, MemoryAccess, Op, Options, Payload, Physical, Reg,
    RegisterSet, SendInfo, Sfid, SyncFn,
};
use messages::{Effect, gateway::Gateway, lsc};
use narrow::{as_index, to_index};
use platforms::Platform;

use graph::Graph;
pub(crate) use graph::implicit_accumulator;
use kind::Mobility;
use list::List;

/// Longer stretches are cut, for bounded work. (Chosen: half and twice of it change one
/// instruction in 277,000.)
const LONGEST: usize = 4096;

/// Memory of the pass.
#[derive(Debug, Default)]
pub(crate) struct ScheduleMemory {
    graph: Graph,
    list: List,
    /// What the instructions of the stretch are.
    kinds: Vec<Mobility>,
}

/// Orders every block.
pub(crate) fn schedule(kernel: &mut Kernel<Physical>, scratch: &mut ScheduleMemory) {
    let (platform, addressed) = (kernel.platform, kernel.addressed);
    let fixed = kernel.payload_ends()[1];
    for (b, block) in kernel.blocks.iter_mut().enumerate() {
        let insts = &mut block.insts[..];
        let first = if b == 0 { fixed } else { 0 };
        let mut start = first;
        let mut descs = Descriptors::default();
        scratch.kinds.clear();
        for i in first..insts.len() {
            let kind = kind(&insts[i], (platform, addressed), &descs);
            descs.see(&insts[i]);
            if kind != Mobility::Stays {
                scratch.kinds.push(kind);
            }
            if kind == Mobility::Stays || scratch.kinds.len() == LONGEST {
                let (stretch, rest) = insts[start..].split_at_mut(scratch.kinds.len());
                order((stretch, rest.first()), (platform, addressed), scratch);
                start = i + 1;
            }
        }
        order((&mut insts[start..], None), (platform, addressed), scratch);
    }
}

/// Orders a stretch in which everything may move as far as it depends on nothing, and forgets its kinds. `end` is what stands
/// behind it.
fn order(
    (insts, end): (&mut [Inst<Physical>], Option<&Inst<Physical>>),
    place: (Platform, RegisterSet),
    scratch: &mut ScheduleMemory,
) {
    let ScheduleMemory { graph, list, kinds } = scratch;
    if insts.len() > 2 {
        graph.build((insts, end), kinds, place);
        if let Some(order) = list.better(graph) {
            permute(insts, order);
        }
    }
    kinds.clear();
}

/// Puts at each place the instruction that `order` names for it, each once. Goes around circles, so each is moved
/// once; `order` is done with then.
fn permute(insts: &mut [Inst<Physical>], order: &mut [u32]) {
    for first in 0..insts.len() {
        if as_index(order[first]) == first {
            continue;
        }
        let (held, mut at) = (insts[first], first);
        loop {
            let from = as_index(std::mem::replace(&mut order[at], to_index(at)));
            if from == first {
                break;
            }
            insts[at] = insts[from];
            at = from;
        }
        insts[at] = held;
    }
}

/// Options that say more than how to compute.
const ODD: u16 = Options::ATOMIC.0
    | Options::SWITCH.0
    | Options::NO_PREEMPT.0
    | Options::BREAKPOINT.0
    | Options::NO_DD_CLR.0
    | Options::NO_DD_CHK.0
    | Options::NO_COMPACT.0;

fn kind(
    inst: &Inst<Physical>,
    (platform, addressed): (Platform, RegisterSet),
    descs: &Descriptors,
) -> Mobility {
    // The switch to another thread goes with the register, wherever it is written. With a software scoreboard all pipes are
    // waited for there, so it is best where it was.
    let watched = !platform.caps().scoreboard.software;
    if watched && inst.sets_float_modes() && inst.opts.0 & ODD & !Options::SWITCH.0 == 0 {
        return Mobility::Mode;
    }
    if inst.opts.0 & ODD != 0 || matches!(inst.payload, Payload::Outside(_)) {
        return Mobility::Stays;
    }
    match inst.op.info().class {
        Class::Sync if matches!(inst.payload, Payload::Sync(SyncFn::Bar)) => {
            return Mobility::Memory(MemoryAccess::ORDERS);
        }
        Class::Branch | Class::Sync | Class::Nullary => return Mobility::Stays,
        Class::Send => return kind_of_message(inst, descs),
        _ => {}
    }
    let dst = match inst.dst {
        Dst::Direct { reg, .. } | Dst::Macro { reg, .. } => Some(reg),
        Dst::Indirect { .. } if addressed == RegisterSet::ALL => return Mobility::Stays,
        Dst::Indirect { .. } => None,
        Dst::None => None,
    };
    // A move to nowhere waits for what it reads: the answer of a fence.
    let waits = inst.op == Op::Mov && inst.cond.is_none() && dst.is_some_and(|r| r.is_null());
    let flags = [inst.pred.map(|p| p.flag), inst.cond.map(|c| c.flag)];
    let mut state = dst.is_some_and(is_state) || flags.into_iter().flatten().any(is_state);
    for src in &inst.src {
        state |= src.named().is_some_and(is_state);
    }
    match (state, inst.op) {
        // Of a barrier.
        (_, Op::Wait) => Mobility::Memory(MemoryAccess::ORDERS),
        (true, _) => Mobility::Stays,
        (false, _) if waits => Mobility::Memory(MemoryAccess::ORDERS),
        (false, _) => Mobility::Plain,
    }
}

/// Whether a register is the thread's state: not one for values, flags and addresses.
fn is_state(reg: Reg<Physical>) -> bool {
    reg.arf_kind().is_some_and(|kind| !FOR_VALUES.contains(&kind))
}

/// The kinds of architecture registers that have values, flags and addresses. (They stand first.)
const FOR_VALUES: RangeInclusive<u8> = Arf::Null.code().0..=Arf::Flag(0).code().0;

/// Messages that do more than access memory stay, and those of which it is not known.
fn kind_of_message(inst: &Inst<Physical>, descs: &Descriptors) -> Mobility {
    let Payload::Send(send) = &inst.payload else { return Mobility::Stays };
    let Some(known) = descs.known(send) else { return Mobility::Stays };
    let plain =
        matches!(inst.op, Op::Send | Op::Sends) && !send.eot && inst.opts.0 & Options::SERIALIZE.0 == 0;
    let access = match send.desc {
        Desc::Imm(_) => known.memory_access(),
        Desc::Reg(_) => known.memory_access_of_any_surface(),
    };
    if plain && (!access.writes || keeps_order(&known)) { Mobility::Memory(access) } else { Mobility::Stays }
}

/// Stores, atomics, other messages that access memory and do nothing else, and what orders them: fences and barriers.
fn keeps_order(send: &SendInfo<Physical>) -> bool {
    let Desc::Imm(desc) = send.desc else { return false };
    match send.sfid {
        Sfid::Ugm | Sfid::Ugml | Sfid::Slm | Sfid::Tgm => {
            let known = |op: lsc::Op| op.row().effect != Effect::Other;
            lsc::Untyped::from(desc).op().is_some_and(known)
        }
        Sfid::Dc0 | Sfid::Dc1 | Sfid::Render => true,
        // Motion estimation reads surfaces.
        Sfid::Vme | Sfid::Cre => true,
        Sfid::Gateway => Gateway::from(desc).signals_barrier(),
        _ => false,
    }
}
