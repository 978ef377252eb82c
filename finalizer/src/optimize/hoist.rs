//! What both sides of a branch begin with is done in front of it.
//!
//! `(p) goto T; x; ...; goto U; T: x; ...` becomes `x; (p) goto T; ...`: the lanes of both sides together are those in
//! front of the branch. Compilers start the sums of a loop so, once for the loop and once for the way around it. An
//! instruction may stand further down on its side if it can go to the front there. If nothing is left of the first side,
//! the branch goes around the second one.
//!
//! Where lanes part, the thread walks both sides, the second one after the first, and each may see what the other has
//! written without a mask or for other lanes. So there an instruction is masked, and its variables are those of its channels
//! alone.

use gen_ir::{BlockId, Class, Inst, Kernel, Op, Options, Payload, Pool, Src, Target, VarId, Virtual};
use narrow::to_index;
use smallvec::smallvec;

use super::{dead::removable, own_channels::OwnChannels, predicate::count_predecessors};

/// How far from the start of its side an instruction may stand.
const REACH: usize = 24;

/// Memory of the search.
#[derive(Debug, Default)]
pub(super) struct HoistMemory {
    /// How many edges lead to each block.
    predecessors: Vec<u32>,
    channels: OwnChannels,
}

/// Hoists in front of every branch. Whether there was any.
pub(super) fn equals(
    kernel: &mut Kernel<Virtual>,
    memory: &mut HoistMemory,
    pool: &mut Pool<Virtual>,
) -> bool {
    let HoistMemory { predecessors, channels } = memory;
    if !kernel.blocks.iter().any(|b| b.succs.len() == 2) {
        return false;
    }
    count_predecessors(kernel, predecessors);
    channels.forget();
    let mut any = false;
    // Back to front: what comes to the front of a block may go further.
    for b in (0..kernel.blocks.len().saturating_sub(2)).rev() {
        let [next, other] = kernel.blocks[b].succs[..] else { continue };
        let (one, two) = (b + 1, other.index());
        if next.index() != one || two <= one || [one, two].map(|s| predecessors[s]) != [1; 2] {
            continue;
        }
        let Some(goto) = kernel.blocks[b].insts.last().filter(|i| i.op == Op::Goto && i.pred.is_some())
        else {
            continue;
        };
        let uniform = goto.exec.lanes() == 1;
        let mut i = 0;
        while i < kernel.blocks[one].insts.len().min(REACH) {
            let found = equal(kernel, [one, two], i).filter(|_| {
                let inst = &kernel.blocks[one].insts[i];
                let uniform = uniform && !(kernel.pairs && is_handed_over(kernel, inst));
                if !uniform && !channels.are_known() {
                    channels.find(kernel, |_| true);
                }
                uniform || channels.is_own(inst)
            });
            let Some(j) = found else {
                i += 1;
                continue;
            };
            any = true;
            let inst = kernel.blocks[one].insts.remove(i);
            kernel.blocks[two].insts.remove(j);
            let front = &mut kernel.blocks[b].insts;
            pool.grow(front, 1);
            front.insert(front.len() - 1, inst);
        }
        if two == b + 2 && !kernel.blocks[one].insts.is_empty() {
            go_around(kernel, b);
        }
    }
    any
}

/// Whether an instruction writes what other code finds in a place of its own, as an argument. Where threads run as pairs, one
/// may run a call on the way of the other while none of its channels is on, and functions keep no arguments.
fn is_handed_over(kernel: &Kernel<Virtual>, inst: &Inst<Virtual>) -> bool {
    inst.dst_var().is_some_and(|v| kernel.vars[v.index()].fixed.is_some())
}

/// Where the second side has the first's instruction `i`, if both can go to the front.
fn equal(kernel: &Kernel<Virtual>, [one, two]: [usize; 2], i: usize) -> Option<usize> {
    let [one, two] = [one, two].map(|b| &kernel.blocks[b].insts[..]);
    let inst = &one[i];
    let known = |v: VarId| kernel.vars[v.index()].is_only_named();
    let direct = |s: &Src<Virtual>| match s {
        Src::None | Src::Imm { .. } => true,
        Src::Direct { reg, .. } => reg.var().is_some_and(known),
        _ => false,
    };
    let computes = matches!(inst.op.info().class, Class::Basic | Class::Ternary | Class::Math)
        && inst.pred.is_none()
        && inst.cond.is_none()
        && inst.opts == Options::NONE
        && matches!(inst.payload, Payload::None | Payload::Math(_))
        && removable(inst)
        && inst.dst_var().is_some_and(known)
        && inst.src.iter().all(direct);
    if !computes {
        return None;
    }
    // Most have no equal: that is seen sooner than whether they could go.
    let alike = |other: &Inst<Virtual>| {
        other.op == inst.op && other.dst == inst.dst && Inst { origin: inst.origin, ..*other } == *inst
    };
    let j = two.iter().take(REACH).position(alike)?;
    (goes_first(one, i) && goes_first(two, j)).then_some(j)
}

/// Whether an instruction, which names nothing but variables, may go to the front of its block.
fn goes_first(insts: &[Inst<Virtual>], at: usize) -> bool {
    let inst = &insts[at];
    let to = inst.dst_var();
    insts[..at].iter().all(|before| {
        let mut free = !before.changes_mode();
        before.for_each_reg(|_, r| free &= r.var() != to);
        let changed = before.dst_var();
        inst.for_each_read(|r| free &= r.var() != changed);
        free
    })
}

/// `(p) goto T; goto U; T:` becomes `(!p) goto U; T:`. (Nothing but the branch leads to `T`, so the jump has no predicate.)
fn go_around(kernel: &mut Kernel<Virtual>, b: usize) {
    let [jump] = kernel.blocks[b + 1].insts[..] else { return };
    let Payload::Branch { uip: Target::Block(to), .. } = jump.payload else { return };
    if jump.op != Op::Goto || to.index() <= b {
        return;
    }
    let Some(goto) = kernel.blocks[b].insts.last_mut() else { return };
    goto.payload = Payload::Branch { jip: Target::None, uip: Target::Block(to), ctrl: false };
    if let Some(pred) = &mut goto.pred {
        pred.inv = !pred.inv;
    }
    let [next, behind] = [1, 2].map(|n| BlockId(to_index(b) + n));
    kernel.blocks[b].succs = smallvec![next, to];
    kernel.blocks[b + 1].insts.clear();
    kernel.blocks[b + 1].succs = smallvec![behind];
}
