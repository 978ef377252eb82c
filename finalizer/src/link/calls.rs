//! Stack calls once registers are known: marks of the calling convention become instructions, and
//! functions are put behind the kernel that calls them.
//!
//! All calls are `call` and `ret`: the callee's joins then wake only channels that the call has brought,
//! which recursion needs. Through an address it is what [`FarCall`] says.

use gen_ir::{
    Arf, Base, Block, BlockId, Dst, ExecSize, Inst, Kernel, Op, Options, Outside, Payload, Physical, Pool,
    Reg, Region, Src, SrcMod, Target, Type,
};
use narrow::{as_index, span, to_index};
use platforms::{Caps, FarCall};

use crate::{build::Lanes, lower::address::UNLINKED};

/// What a function calls.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Calls {
    /// Functions of the binary, by number, in order: their first and end in the list of all callees.
    callees: (u32, u32),
    /// Something is called that is not known here.
    pub unknown: bool,
}

impl Calls {
    /// The functions called, by number, in order.
    pub(crate) fn callees(self, all: &[u32]) -> &[u32] {
        &all[span(self.callees.0..self.callees.1)]
    }
}

/// Replaces marks of the calling convention by instructions. `frame` is the size of the function's
/// frame in bytes; `callee` tells which function of the binary a call's vISA instruction names. `callees` lists those of all
/// routines of a binary; `out` is memory for one block's instructions.
pub(crate) fn expand(
    kernel: &mut Kernel<Physical>,
    frame: u32,
    callee: impl Fn(u32) -> Option<u32>,
    callees: &mut Vec<u32>,
    out: &mut Vec<Inst<Physical>>,
    pool: &mut Pool<Physical>,
) -> Calls {
    let first = callees.len();
    let mut calls = Calls::default();
    if !kernel.outside {
        return calls;
    }
    let caps = kernel.platform.caps();
    let is_shared = kernel.shares_calls();
    for block in &mut kernel.blocks {
        if !block.insts.iter().any(|i| matches!(i.payload, Payload::Outside(_))) {
            continue;
        }
        out.clear();
        for &inst in &block.insts {
            let mut inst = inst;
            match inst.payload {
                Payload::Outside(Outside::Touch { written, .. }) => restore(out, &inst, written, caps),
                Payload::Outside(Outside::Frame { .. }) if frame == 0 => {}
                Payload::Outside(Outside::Frame { leave }) => {
                    inst.payload = Payload::None;
                    inst.src[1] = Src::ud(if leave { frame.wrapping_neg() } else { frame });
                    out.push(inst);
                }
                Payload::Outside(Outside::Call) => {
                    let known = if matches!(inst.src[0], Src::None) { callee(inst.origin) } else { None };
                    callees.extend(known);
                    calls.unknown |= known.is_none();
                    call(out, caps, is_shared, inst, known);
                }
                Payload::Outside(Outside::Return) => out.push(Inst { payload: over(None), ..inst }),
                _ => out.push(inst),
            }
        }
        pool.store(&mut block.insts, out);
    }
    sort_from(callees, first);
    calls.callees = (to_index(first), to_index(callees.len()));
    calls
}

/// Sorts what a list has from `first` on, each number once.
fn sort_from(list: &mut Vec<u32>, first: usize) {
    list[first..].sort_unstable();
    let mut end = first;
    for i in first..list.len() {
        if end == first || list[end - 1] != list[i] {
            list[end] = list[i];
            end += 1;
        }
    }
    list.truncate(end);
}

/// Copies whole registers, if source and destination are not the same. They may overlap: what a copy would overwrite goes first.
fn restore(out: &mut Vec<Inst<Physical>>, touch: &Inst<Physical>, bytes: u16, caps: &Caps) {
    let (Some(to), Some(from)) = (touch.dst.reg(), touch.src[0].reg()) else { return };
    if to == from {
        return;
    }
    let registers = |reg: Reg<Physical>, n: u16| match reg.base() {
        Base::Grf(first) => Reg::new(Base::Grf(first.plus(n)), reg.byte),
        _ => reg,
    };
    let count = bytes / caps.regs.grf_bytes;
    let upwards = match (to.base(), from.base()) {
        (Base::Grf(to), Base::Grf(from)) => to > from && to < from.plus(count),
        _ => false,
    };
    for n in (0..count).map(|n| if upwards { count - 1 - n } else { n }) {
        out.push(Inst {
            op: Op::Mov,
            payload: Payload::None,
            dst: Dst::packed(registers(to, n), Type::Ud),
            src: [Src::new(registers(from, n), Region::new(8, 8, 1), Type::Ud), Src::None, Src::None],
            ..*touch
        });
    }
}

fn scalar(op: Op, origin: u32, dst: Reg<Physical>, srcs: [Src<Physical>; 2]) -> Inst<Physical> {
    Inst {
        no_mask: true,
        dst: Dst::packed(dst, Type::D),
        src: [srcs[0], srcs[1], Src::None],
        opts: Options::NO_COMPACT,
        origin,
        ..Inst::new(op, ExecSize::S1)
    }
}

fn ip(mods: SrcMod) -> Src<Physical> {
    Src::Direct { reg: Reg::arf(Arf::Ip, 0), region: Region::SCALAR, mods, ty: Type::D }
}

fn value(reg: Reg<Physical>) -> Src<Physical> {
    Src::scalar(reg, Type::D)
}

fn jump(origin: u32, payload: Payload<Physical>, target: Src<Physical>) -> Inst<Physical> {
    Inst {
        no_mask: true,
        payload,
        src: [target, Src::None, Src::None],
        opts: Options::NO_COMPACT,
        origin,
        ..Inst::new(Op::Jmpi, ExecSize::S1)
    }
}

/// A branch over some bytes, or to what a register says.
const fn over(bytes: Option<i32>) -> Payload<Physical> {
    let jip = match bytes {
        Some(bytes) => Target::Rel(bytes),
        None => Target::None,
    };
    Payload::Branch { jip, uip: Target::None, ctrl: false }
}

/// A call: the address is in source 0, unless the callee is known.
/// `is_shared`: [`Kernel::shares_calls`].
fn call(
    out: &mut Vec<Inst<Physical>>,
    caps: &Caps,
    is_shared: bool,
    inst: Inst<Physical>,
    known: Option<u32>,
) {
    let Some(link) = inst.dst.reg() else { return };
    let origin = inst.origin;
    if let Some(callee) = known {
        out.push(Inst { op: Op::Call, payload: Payload::Outside(Outside::Callee(callee)), ..inst });
        return;
    }
    // A thread of a pair is taken along though no channel of it is on.
    let chan = if is_shared { Lanes::WHATEVER_IS_ON.chan } else { 0 };
    let always = |inst| Inst { chan, ..inst };
    // `r127.2`; the distance to it may be computed in place.
    let target = link.plus(8);
    if matches!(inst.src[0], Src::None) {
        let mut address = scalar(Op::Mov, origin, target, [Src::ud(UNLINKED), Src::None]);
        address.dst = Dst::packed(target, Type::Ud);
        address.opts = address.opts.with(Options::SYMBOL_LOW);
        out.push(always(address));
    }
    let near = |n: i64| [value(target), Src::imm(n.cast_unsigned(), Type::D)];
    let none = [Src::None; 3];
    match caps.flow.far_call {
        FarCall::ByJump => {
            out.push(jump(origin, over(Some(64)), Src::None));
            out.push(scalar(Op::Add, origin, target, [ip(SrcMod::Neg), value(target)]));
            out.push(scalar(Op::Add, origin, target, near(-48)));
            out.push(jump(origin, over(None), value(target)));
            out.push(Inst {
                op: Op::Call,
                payload: over(Some(-48)),
                src: none,
                opts: Options::NO_COMPACT,
                ..inst
            });
        }
        FarCall::ByAddress => {
            // The register must start at its first byte (`Wa_1608127078` of Intel's graphics compiler).
            let mut copy = scalar(Op::Mov, origin, link, [Src::scalar(target, Type::Ud), Src::None]);
            copy.dst = Dst::packed(link, Type::Ud);
            out.push(copy);
            let src = [Src::scalar(link, Type::Ud), Src::None, Src::None];
            out.push(Inst { op: Op::Calla, payload: over(None), src, ..inst });
        }
        FarCall::ByDistance => {
            out.push(always(scalar(Op::Add, origin, target, [ip(SrcMod::Neg), value(target)])));
            // How far the call is from there is known once dependencies are: `place_distances`.
            out.push(always(scalar(Op::Add, origin, link, near(-32))));
            let src = [Src::scalar(link, Type::Ud), Src::None, Src::None];
            out.push(Inst { op: Op::Call, payload: over(None), src, opts: Options::NO_COMPACT, ..inst });
        }
    }
}

/// Corrects distances from `ip` by what the scoreboard has put between: `add x -ip x`, `add x x n`,
/// `call x`, in code whose instructions start at `offsets`.
pub(crate) fn place_distances(kernel: &Kernel<Physical>, offsets: &[u32], code: &mut [u8]) {
    let mut from: Option<(u32, Option<u32>)> = None;
    for (number, (_, inst)) in kernel.insts().enumerate() {
        let Some(&at) = offsets.get(number) else { return };
        let counts = inst.opts.has(Options::NO_COMPACT);
        match (inst.op, inst.src[0], from) {
            (Op::Add, Src::Direct { reg, mods: SrcMod::Neg, .. }, _)
                if counts && reg.base() == Base::Arf(Arf::Ip) =>
            {
                from = Some((at, None));
            }
            (Op::Add, _, Some((start, None))) if counts => from = Some((start, Some(at))),
            (Op::Call, Src::Direct { .. }, Some((start, Some(add)))) => {
                let distance = start.wrapping_sub(at);
                if let Some(place) = code.get_mut(as_index(add) + 12..as_index(add) + 16) {
                    place.copy_from_slice(&distance.to_le_bytes());
                }
                from = None;
            }
            _ => {}
        }
    }
}

/// Puts functions behind a kernel and takes their blocks from them. `entries` says where each function of
/// the module starts: blocks before it. Calls by number become branches.
pub(crate) fn join<'a>(
    kernel: &mut Kernel<Physical>,
    functions: impl Iterator<Item = (u32, &'a mut Kernel<Physical>)>,
    entries: &mut Vec<(u32, BlockId)>,
) {
    entries.clear();
    for (number, function) in functions {
        let first = to_index(kernel.blocks.len());
        entries.push((number, BlockId(first)));
        kernel.subroutines.push(BlockId(first));
        kernel.subroutines.extend(function.subroutines.iter().map(|s| BlockId(s.0 + first)));
        kernel.blocks.extend(function.blocks.drain(..).map(|b| moved(b, first)));
        kernel.outside |= function.outside;
    }
    if !kernel.outside {
        return;
    }
    for block in &mut kernel.blocks {
        for inst in &mut block.insts {
            if let Payload::Outside(Outside::Callee(number)) = inst.payload
                && let Ok(i) = entries.binary_search_by_key(&number, |e| e.0)
            {
                let entry = entries[i].1;
                inst.payload = Payload::Branch { jip: Target::Block(entry), uip: Target::None, ctrl: false };
                block.succs.insert(0, entry);
            }
        }
    }
}

fn moved(mut block: Block<Physical>, by: u32) -> Block<Physical> {
    for s in &mut block.succs {
        s.0 += by;
    }
    for inst in &mut block.insts {
        if let Payload::Branch { jip, uip, .. } = &mut inst.payload {
            for target in [jip, uip] {
                if let Target::Block(b) = target {
                    b.0 += by;
                }
            }
        }
    }
    block
}

#[cfg(test)]
mod tests {
    use super::*;
    use platforms::Platform;

    /// What is written into the immediates of code whose instructions have 16 bytes each.
    fn placed(text: &str) -> Vec<i32> {
        let kernel: Kernel<Physical> = gen_ir::parse(text, Platform::Tgllp).unwrap();
        let offsets: Vec<u32> = (0..to_index(kernel.inst_count())).map(|n| 16 * n).collect();
        let mut code = vec![0; 16 * offsets.len()];
        place_distances(&kernel, &offsets, &mut code);
        code.chunks(16).map(|word| i32::from_le_bytes(word[12..].try_into().unwrap())).collect()
    }

    #[test]
    fn what_stands_between_a_distance_and_its_call_counts() {
        let from = "(W) add (1|M0) r127.2<1>:d -ip.0<0;1,0>:d r127.2<0;1,0>:d {NoCompact}\n";
        let near = "(W) add (1|M0) r127.0<1>:d r127.2<0;1,0>:d -32:d {NoCompact}\n";
        let wait = "(W) sync.nop null<0;1,0>:ub\n";
        let call = "call (8|M0) r127.0<1>:ud r127.0<0;1,0>:ud _ {NoCompact}\n";
        let code = |parts: &[&str]| format!("B0:\n{}", parts.concat());
        assert_eq!(placed(&code(&[from, near, call])), [0, -32, 0]);
        assert_eq!(placed(&code(&[from, wait, near, wait, call])), [0, 0, -64, 0, 0]);
        // Each call has a distance of its own.
        let two = [from, wait, near, call, from, near, call];
        assert_eq!(placed(&code(&two)), [0, 0, -48, 0, 0, -32, 0]);
        // What may be compacted is the program's, as is a sum that has nothing to do with where it stands.
        let own = |part: &str| part.replace(" {NoCompact}", "");
        assert_eq!(placed(&code(&[&own(from), &own(near), call])), [0; 3]);
        assert_eq!(placed(&code(&[&from.replace("ip.0", "r5.0"), near, call])), [0; 3]);
        assert_eq!(placed(&code(&[from, &own(near), near, call])), [0, 0, -48, 0]);
    }
}
