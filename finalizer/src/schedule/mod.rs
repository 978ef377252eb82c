//! Instructions of a block in an order in which the thread waits less.
//!
//! A list scheduler after allocation: of the instructions whose operands are there, the one goes first with the
//! longest way to the end of the block ([`graph`] has the ways, by the platform's
//! [latencies](platforms::Latencies)). Registers have been handed out in turn, so there is room to move; the order
//! changes no register. A piece of code that is not faster afterwards, by the same figures, stays as it was.
//!
//! **What holds.** Two instructions keep their order if they touch the same bytes of a register, flag, address or
//! accumulator and one writes; if one may touch any register (operands behind addresses) and the other writes
//! one; and if both are messages and one does more than read memory. Nothing passes a branch, a barrier, a
//! fence or what waits for its answer, an access to the thread's state, or a mark: code is cut there.

mod graph;
mod list;
#[cfg(test)]
mod tests;

use gen_ir::{
    Arf, Base, Class, Desc, Dst, Inst, Kernel, Op, Options, Payload, Physical, Role, SendInfo, Sfid, Src,
};
use platforms::{Caps, Platform};

use graph::Graph;
use list::List;

/// Longer stretches are cut: nothing gains from looking further.
const LONGEST: usize = 4096;

/// Memory of the pass.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    graph: Graph,
    list: List,
    moved: Vec<Inst<Physical>>,
}

/// Orders every block.
pub(crate) fn schedule(kernel: &mut Kernel<Physical>, scratch: &mut Scratch) {
    // What a launch counts on, and what other code finds, stays in its place.
    if kernel.outside {
        return;
    }
    let platform = kernel.platform;
    let fixed = kernel.payload_ends()[1];
    for (b, block) in kernel.blocks.iter_mut().enumerate() {
        let insts = &mut block.insts[..];
        let first = if b == 0 { fixed } else { 0 };
        let mut start = first;
        let mut descs = Descriptors::default();
        let mut stretch = |from: usize, to: usize, insts: &mut [Inst<Physical>]| {
            if to > from + 2 {
                order(&mut insts[from..to], platform, scratch);
            }
        };
        for i in first..insts.len() {
            let stays = stays(&insts[i], platform, &descs);
            descs.see(&insts[i]);
            if stays || i - start == LONGEST {
                stretch(start, i, insts);
                start = i + usize::from(stays);
            }
        }
        stretch(start, insts.len(), insts);
    }
}

/// Orders a stretch in which everything may move as far as it depends on nothing.
fn order(insts: &mut [Inst<Physical>], platform: Platform, scratch: &mut Scratch) {
    let Scratch { graph, list, moved } = scratch;
    graph.build(insts, platform);
    let Some(order) = list.better(graph) else { return };
    moved.clear();
    moved.extend(order.iter().map(|&i| insts[i as usize]));
    insts.copy_from_slice(moved);
}

/// Whether nothing may pass an instruction.
fn stays(inst: &Inst<Physical>, platform: Platform, descs: &Descriptors) -> bool {
    let odd = Options::ATOMIC.0
        | Options::SWITCH.0
        | Options::NO_PREEMPT.0
        | Options::BREAKPOINT.0
        | Options::NO_DD_CLR.0
        | Options::NO_DD_CHK.0
        | Options::NO_COMPACT.0;
    if inst.opts.0 & odd != 0 || matches!(inst.payload, Payload::Outside(_)) {
        return true;
    }
    match inst.op.info().class {
        Class::Branch | Class::Sync | Class::Nullary => return true,
        Class::Send => return message_stays(inst, platform, descs),
        _ => {}
    }
    // A move to nowhere waits for what it reads.
    let waits = inst.op == Op::Mov && inst.dst.reg().is_some_and(|r| r.is_null()) && inst.cond.is_none();
    let mut state = false;
    inst.for_each_reg(|role, reg| {
        state |= match reg.base() {
            Base::Grf(_) => false,
            Base::Arf(Arf::Null | Arf::Acc(_) | Arf::Flag(_)) => false,
            Base::Arf(Arf::Addr(_)) => matches!(role, Role::AddrOf(_)),
            Base::Arf(_) => true,
            Base::Var(never) => match never {},
        };
    });
    waits || state || matches!(inst.dst, Dst::Indirect { .. }) || inst.op == Op::Wait
}

/// Messages that do more than access memory, and those of which it is not known.
fn message_stays(inst: &Inst<Physical>, platform: Platform, descs: &Descriptors) -> bool {
    let Payload::Send(send) = &inst.payload else { return true };
    let Some(known) = descs.known(send) else { return true };
    let plain =
        matches!(inst.op, Op::Send | Op::Sends) && !send.eot && inst.opts.0 & Options::SERIALIZE.0 == 0;
    !plain || !(known.only_reads(platform) || writes_memory(&known, platform.caps()))
}

/// Stores, atomics and other messages that only access memory and are no fences.
fn writes_memory(send: &SendInfo<Physical>, caps: &Caps) -> bool {
    let Desc::Imm(desc) = send.desc else { return false };
    let number = desc >> 14 & 0x1f;
    match send.sfid {
        // Stores and atomics; 0x1f is a fence.
        Sfid::Ugm | Sfid::Ugml | Sfid::Slm | Sfid::Tgm => caps.memory.lsc && desc & 0x3f < 0x1f,
        // 7 is a fence; from 16 on, scratch memory.
        Sfid::Dc0 => number != 7,
        Sfid::Dc1 | Sfid::Render => true,
        // Motion estimation reads surfaces.
        Sfid::Vme | Sfid::Cre => true,
        _ => false,
    }
}

/// What is known of descriptors in address registers: the bits that a message adds to its surface.
#[derive(Debug, Default)]
struct Descriptors {
    bits: [Option<u32>; 8],
}

impl Descriptors {
    /// Learns from an instruction.
    fn see(&mut self, inst: &Inst<Physical>) {
        let Dst::Direct { reg, ty, .. } = inst.dst else { return };
        if !matches!(reg.base(), Base::Arf(Arf::Addr(_))) {
            return;
        }
        let first = (reg.byte / 4) as usize;
        let bytes = inst.exec.lanes() * ty.bytes();
        for known in self.bits.iter_mut().skip(first).take(bytes.div_ceil(4) as usize + 1) {
            *known = None;
        }
        let dword = inst.exec.lanes() == 1 && ty.bytes() == 4 && inst.pred.is_none();
        let imm = match (inst.op, inst.src[0], inst.src[1]) {
            (Op::Mov, Src::Imm { bits, .. }, _) | (Op::Add, _, Src::Imm { bits, .. }) => Some(bits as u32),
            _ => None,
        };
        if dword && let Some(known) = self.bits.get_mut(first) {
            *known = imm;
        }
    }

    /// The message with its descriptor's bits, the surface aside.
    fn known(&self, send: &SendInfo<Physical>) -> Option<SendInfo<Physical>> {
        let desc = match send.desc {
            Desc::Imm(bits) => bits,
            Desc::Reg(reg) => (*self.bits.get((reg.byte / 4) as usize)?)?,
        };
        Some(SendInfo { desc: Desc::Imm(desc), ..*send })
    }
}
