//! Short branches become predicates.
//!
//! `(p) goto T; body; T:` runs `body` for the channels where `p` is false. Where the body is a few
//! masked instructions that could carry a predicate, they get `!p` instead, and the goto (and perhaps
//! the join at `T`) is gone. Channels that do not take part do nothing either way. The same holds of
//! `(p) goto T; body; goto U; T: other; goto U`, whose second body gets `p`.
//!
//! What ignores the mask has to compute something for its body alone: then it may as well run where the body would not.
//! A uniform goto reads the predicate's first bit, and so does a single element that ignores the mask: there the body is
//! made of these.
//!
//! `(p) goto T; body; goto H; T:`, where `H` is further up, is the end of a loop: `(!p) body; (!p) goto H; T:`.
//!
//! A predicated write leaves other channels as they were, which keeps the old value alive. So what is written
//! for its own body only gets no predicate, nor does what the second body writes anyway.

use gen_ir::{
    BlockId, Class, Extent, Inst, Kernel, Op, Payload, Pool, Pred, PredCtrl, Role, Target, Var, VarId,
    Virtual,
};
use narrow::to_index;
use smallvec::smallvec;

use crate::lists::reset;

/// Instructions that are worth running with few channels rather than branching over them. A goto and
/// its join cost about four times a plain instruction.
const LONGEST_BODY: usize = 6;

/// The same for two bodies together, which have one branch more between them.
const LONGEST_BODIES: usize = 8;

/// Memory of the search.
#[derive(Debug, Default)]
pub(super) struct PredicateMemory {
    /// How many edges lead to each block.
    predecessors: Vec<u32>,
    mentions: Mentions,
}

/// How often instructions name each variable.
#[derive(Debug, Default)]
struct Mentions {
    /// Whether the kernel has been counted: only where a branch is converted.
    counted: bool,
    /// Anywhere.
    all: Vec<u32>,
    /// In the body that is looked at.
    here: Vec<u32>,
}

impl Mentions {
    fn count_once(&mut self, kernel: &Kernel<Virtual>) {
        if std::mem::replace(&mut self.counted, true) {
            return;
        }
        reset(&mut self.all, kernel.vars.len(), 0);
        reset(&mut self.here, kernel.vars.len(), 0);
        for (v, var) in kernel.vars.iter().enumerate() {
            self.all[v] = u32::from(var.live_in || var.live_out || var.address_taken);
        }
        for inst in kernel.blocks.iter().flat_map(|b| &b.insts) {
            inst.for_each_reg(|_, r| {
                if let Some(v) = r.var() {
                    self.all[v.index()] += 1;
                }
            });
        }
    }

    /// Enters a body.
    fn enter(&mut self, body: &[Inst<Virtual>], vars: &[Var], grf_bytes: u32) {
        for inst in body {
            inst.for_each_reg(|_, r| {
                if let Some(v) = r.var() {
                    self.here[v.index()] = 0;
                }
            });
        }
        for inst in body {
            inst.for_each_reg(|role, r| {
                let Some(v) = r.var() else { return };
                let here = &mut self.here[v.index()];
                if *here == 0 && !(role == Role::Dst && covers(inst, &vars[v.index()], grf_bytes)) {
                    // It may show what an earlier run of the body left.
                    *here = Self::SHOWN;
                }
                *here = here.saturating_add(1);
            });
        }
    }

    const SHOWN: u32 = u32::MAX / 2;

    /// Whether only the body that was entered names the variable.
    fn only_here(&self, v: VarId) -> bool {
        self.all[v.index()] == self.here[v.index()]
    }
}

/// Whether an instruction writes all of a variable, for the channels that run.
fn covers(inst: &Inst<Virtual>, var: &Var, grf_bytes: u32) -> bool {
    let all = Extent::new(0, var.bytes);
    inst.dst_is_dense() && inst.dst_extent(grf_bytes).is_some_and(|written| written.contains(all))
}

/// Converts every such branch.
pub(super) fn convert(kernel: &mut Kernel<Virtual>, memory: &mut PredicateMemory, pool: &mut Pool<Virtual>) {
    let PredicateMemory { predecessors, mentions } = memory;
    count_predecessors(kernel, predecessors);
    mentions.counted = false;
    // Back to front: a body that was converted may make its neighbour short enough.
    for b in (0..kernel.blocks.len().saturating_sub(2)).rev() {
        if predecessors[b + 1] != 1 {
            continue;
        }
        let Some(skip) = skips_next(kernel, b) else { continue };
        let pred = skip.pred;
        let other = Pred { inv: !pred.inv, ..pred };
        let first = &kernel.blocks[b + 1];
        if first.succs[..] == [BlockId(to_index(b) + 2)] {
            if first.insts.len() <= LONGEST_BODY && convertible(kernel, &first.insts, skip, mentions) {
                absorb(kernel, b, b + 1, pred, mentions, pool);
            }
        } else if let [head] = first.succs[..]
            && head.index() <= b
        {
            if let Some(body) = before_jump(kernel, b + 1)
                && body.len() <= LONGEST_BODY
                && convertible(kernel, body, skip, mentions)
            {
                close_loop(kernel, b, head, pred, mentions, pool);
            }
        } else if predecessors[b + 2] == 1
            && let Some(first) = before_jump(kernel, b + 1)
            && let Some(second) = before_jump(kernel, b + 2)
            && kernel.blocks[b + 1].succs == kernel.blocks[b + 2].succs
            && first.len() + second.len() <= LONGEST_BODIES
            && convertible(kernel, first, skip, mentions)
            && convertible(kernel, second, skip, mentions)
        {
            let meet = kernel.blocks[b + 1].succs[0];
            predecessors[meet.index()] -= 1;
            kernel.blocks[b + 1].insts.pop();
            let at = kernel.blocks[b].insts.len() - 1;
            absorb(kernel, b, b + 1, pred, mentions, pool);
            let end = kernel.blocks[b].insts.len();
            absorb(kernel, b, b + 2, other, mentions, pool);
            kernel.blocks[b + 1].succs = smallvec![BlockId(to_index(b) + 2)];
            let Kernel { vars, blocks, .. } = &mut *kernel;
            let (first, second) = blocks[b].insts.split_at_mut(end);
            for inst in first[at..].iter_mut().filter(|i| written_next(i, second, vars)) {
                inst.pred = None;
            }
        }
    }
}

/// Whether what an instruction writes is written by some of those that follow, before any of them reads it.
fn written_next(inst: &Inst<Virtual>, next: &[Inst<Virtual>], vars: &[Var]) -> bool {
    let Some(v) = inst.dst_var() else { return false };
    if vars[v.index()].address_taken {
        // An operand through an address may read it.
        return false;
    }
    for i in next {
        let (mut reads, mut writes) = (false, false);
        i.for_each_reg(|role, r| {
            let same = r.var() == Some(v);
            writes |= same && role == Role::Dst;
            reads |= same && role != Role::Dst;
        });
        if reads || writes {
            let whole = i.pred.is_some() && (i.dst, i.exec, i.chan) == (inst.dst, inst.exec, inst.chan);
            return whole && !reads;
        }
    }
    false
}

/// Moves the instructions of block `from`, but for an unconditional jump at its end, behind those of `b`, under
/// a predicate where others can see what they write. `b` then runs on.
fn absorb(
    kernel: &mut Kernel<Virtual>,
    b: usize,
    from: usize,
    pred: Pred<Virtual>,
    mentions: &mut Mentions,
    pool: &mut Pool<Virtual>,
) {
    mentions.count_once(kernel);
    let mut body = std::mem::take(&mut kernel.blocks[from].insts);
    let jump = body.pop_if(|i| i.op.is_branch());
    mentions.enter(&body, &kernel.vars, u32::from(kernel.platform.caps().regs.grf_bytes));
    let head = &mut kernel.blocks[b];
    head.insts.pop_if(|i| i.op.is_branch());
    head.succs = smallvec![BlockId(to_index(b) + 1)];
    pool.grow(&mut head.insts, body.len());
    head.insts.extend(body.iter().map(|i| {
        let own = i.dst_var().is_some_and(|v| mentions.only_here(v));
        Inst { pred: (!own).then_some(pred), ..*i }
    }));
    body.clear();
    body.extend(jump);
    kernel.blocks[from].insts = body;
}

/// Moves the instructions of the block behind `b` into `b`, and has that jump to `head` in its place.
fn close_loop(
    kernel: &mut Kernel<Virtual>,
    b: usize,
    head: BlockId,
    pred: Pred<Virtual>,
    mentions: &mut Mentions,
    pool: &mut Pool<Virtual>,
) {
    let Some(mut goto) = kernel.blocks[b].insts.last().copied() else { return };
    absorb(kernel, b, b + 1, pred, mentions, pool);
    goto.pred = Some(pred);
    goto.payload = Payload::Branch { jip: Target::None, uip: Target::Block(head), ctrl: false };
    let [end, behind] = [1, 2].map(|n| BlockId(to_index(b) + n));
    let insts = &mut kernel.blocks[b].insts;
    pool.grow(insts, 1);
    insts.push(goto);
    kernel.blocks[b].succs = smallvec![end, head];
    kernel.blocks[end.index()].insts.clear();
    kernel.blocks[end.index()].succs = smallvec![behind];
}

/// The instructions of a block that goes to one place, without the jump there.
fn before_jump(kernel: &Kernel<Virtual>, b: usize) -> Option<&[Inst<Virtual>]> {
    let block = kernel.blocks.get(b)?;
    if block.succs.len() != 1 {
        return None;
    }
    match block.insts.split_last() {
        Some((last, body)) if last.op == Op::Goto && last.pred.is_none() => Some(body),
        Some((last, _)) if last.op.is_branch() => None,
        _ => Some(&block.insts),
    }
}

/// How many edges lead to each block; subroutines have some from elsewhere.
pub(super) fn count_predecessors(kernel: &Kernel<Virtual>, count: &mut Vec<u32>) {
    reset(count, kernel.blocks.len(), 0);
    for s in kernel.blocks.iter().flat_map(|b| &b.succs) {
        count[s.index()] += 1;
    }
    for s in &kernel.subroutines {
        count[s.index()] += 2;
    }
}

/// A jump over a block.
#[derive(Clone, Copy)]
struct Skip {
    /// The predicate under which that block runs.
    pred: Pred<Virtual>,
    /// All lanes go the same way.
    uniform: bool,
    /// Lanes that the predicate is asked for, from the first on.
    lanes: u32,
}

/// How block `b` jumps over the next one, if it ends so.
fn skips_next(kernel: &Kernel<Virtual>, b: usize) -> Option<Skip> {
    let last = kernel.blocks[b].insts.last()?;
    let Payload::Branch { uip: Target::Block(target), .. } = last.payload else { return None };
    let pred = last.pred?;
    let uniform = last.exec.lanes() == 1;
    let plain = last.op == Op::Goto && (uniform || !last.no_mask) && last.chan == 0;
    let over_next = target.index() == b + 2 && pred.ctrl == PredCtrl::Seq;
    (plain && over_next).then_some(Skip {
        pred: Pred { inv: !pred.inv, ..pred },
        uniform,
        lanes: last.exec.lanes(),
    })
}

fn convertible(
    kernel: &Kernel<Virtual>,
    body: &[Inst<Virtual>],
    skip: Skip,
    mentions: &mut Mentions,
) -> bool {
    let flag = skip.pred.flag;
    let may_be = body.iter().all(|i| {
        let family = matches!(i.op.info().class, Class::Basic | Class::Ternary | Class::Math)
            && !i.op.info().chooses
            && !matches!(i.op, Op::Wait | Op::Movi | Op::Smov);
        // Lanes that the goto does not ask for run the body, whatever their bits of the flag are.
        let asked = u32::from(i.chan) + i.exec.lanes() <= skip.lanes;
        let plain = i.pred.is_none() && (i.no_mask || i.exec.lanes() > 1 && !skip.uniform && asked);
        // What sets a flag can be predicated by that flag only, and would change it for its followers.
        let keeps_flag = i.cond.is_none();
        let registers = i.dst.reg().is_none_or(|r| r.var() != flag.var());
        family && plain && keeps_flag && registers
    });
    if !may_be || !body.iter().any(|i| i.no_mask) {
        return may_be;
    }
    mentions.count_once(kernel);
    mentions.enter(body, &kernel.vars, u32::from(kernel.platform.caps().regs.grf_bytes));
    let own = |i: &Inst<Virtual>| i.dst_var().is_some_and(|v| mentions.only_here(v));
    let single = |i: &Inst<Virtual>| skip.uniform && i.exec.lanes() == 1 && i.chan == 0;
    body.iter().all(|i| !i.no_mask || single(i) || own(i))
}

#[cfg(test)]
mod tests {
    use super::*;
    use gen_ir::{Block, Dst, ExecSize, GrfNum, Reg, Src, Type, VarClass};
    use platforms::Platform;

    fn kernel(body: Vec<Inst<Virtual>>) -> (Kernel<Virtual>, VarId) {
        let mut k = Kernel::new("k", Platform::Skl);
        let flag = k.add_var(Var::temp(VarClass::Flag, 2, 2));
        let mut goto = Inst::new(Op::Goto, ExecSize::S16);
        goto.pred = Some(Pred { flag: Reg::var_at(flag, 0), inv: true, ctrl: PredCtrl::Seq });
        goto.payload = Payload::Branch { jip: Target::None, uip: Target::Block(BlockId(2)), ctrl: false };
        k.blocks.push(Block { insts: vec![goto], succs: vec![BlockId(1), BlockId(2)].into() });
        k.blocks.push(Block { insts: body, succs: vec![BlockId(2)].into() });
        k.blocks.push(Block::default());
        (k, flag)
    }

    fn mov() -> Inst<Virtual> {
        let mut i = Inst::new(Op::Mov, ExecSize::S16);
        i.dst = Dst::packed(Reg::grf(GrfNum::new(10), 0), Type::D);
        i.src[0] = Src::d(1);
        i
    }

    #[test]
    fn a_short_body_runs_under_the_opposite_predicate() {
        let (mut k, flag) = kernel(vec![mov(), mov()]);
        convert(&mut k, &mut PredicateMemory::default(), &mut Pool::default());
        assert_eq!((k.blocks[0].insts.len(), k.blocks[1].insts.len()), (2, 0));
        for i in &k.blocks[0].insts {
            assert_eq!(i.pred, Some(Pred { flag: Reg::var_at(flag, 0), inv: false, ctrl: PredCtrl::Seq }));
        }
        assert_eq!(k.blocks[0].succs[..], [BlockId(1)]);
    }

    /// `(!p) goto 2; first; goto 3; 2: second; 3:`, with or without a goto behind the second body.
    fn both(first: Vec<Inst<Virtual>>, second: Vec<Inst<Virtual>>, jumps: bool) -> (Kernel<Virtual>, VarId) {
        let (mut k, flag) = kernel(first);
        let mut goto = Inst::new(Op::Goto, ExecSize::S1);
        goto.payload = Payload::Branch { jip: Target::None, uip: Target::Block(BlockId(3)), ctrl: false };
        k.blocks[1].insts.push(goto);
        k.blocks[2].insts = second;
        k.blocks[2].insts.extend(jumps.then_some(goto));
        k.blocks[1].succs = smallvec![BlockId(3)];
        k.blocks[2].succs = smallvec![BlockId(3)];
        k.blocks.push(Block::default());
        (k, flag)
    }

    #[test]
    fn two_short_bodies_run_under_opposite_predicates() {
        for jumps in [true, false] {
            let (mut k, _) = both(vec![mov(), mov()], vec![mov()], jumps);
            convert(&mut k, &mut PredicateMemory::default(), &mut Pool::default());
            let inverted: Vec<_> = k.blocks[0].insts.iter().filter_map(|i| i.pred).map(|p| p.inv).collect();
            assert_eq!(inverted, [false, false, true]);
            let lengths: Vec<_> = k.blocks.iter().map(|b| b.insts.len()).collect();
            assert_eq!(lengths, [3, 0, usize::from(jumps), 0]);
            let succs: Vec<_> = k.blocks.iter().flat_map(|b| b.succs.iter().map(|s| s.0)).collect();
            assert_eq!(succs, [1, 2, 3]);
        }
        let long = vec![mov(); LONGEST_BODIES];
        let (mut k, _) = both(long.clone(), vec![mov()], true);
        convert(&mut k, &mut PredicateMemory::default(), &mut Pool::default());
        assert_eq!(k.blocks[1].insts.len(), long.len() + 1);
    }

    #[test]
    fn what_only_the_body_sees_needs_no_predicate() {
        let add = |d: VarId, s: VarId| {
            let mut i = Inst::new(Op::Add, ExecSize::S16);
            i.dst = Dst::packed(Reg::var_at(d, 0), Type::D);
            i.src[0] = Src::packed(Reg::var_at(s, 0), Type::D);
            i.src[1] = Src::d(1);
            i
        };
        let predicated = |k: &Kernel<Virtual>| -> Vec<bool> {
            k.blocks[0].insts.iter().map(|i| i.pred.is_some()).collect()
        };
        let vars =
            |k: &mut Kernel<Virtual>| [(); 3].map(|()| k.add_var(Var::temp(VarClass::General, 64, 32)));
        let (mut k, _) = kernel(Vec::new());
        let [x, own, result] = vars(&mut k);
        k.blocks[1].insts = vec![add(own, x), add(result, own)];
        k.blocks[2].insts = vec![add(x, result)];
        convert(&mut k, &mut PredicateMemory::default(), &mut Pool::default());
        assert_eq!(predicated(&k), [false, true]);
        // Read before it is written: from the last time that the body ran.
        let (mut k, _) = kernel(Vec::new());
        let [_, own, result] = vars(&mut k);
        k.blocks[1].insts = vec![add(result, own), add(own, result)];
        k.blocks[2].insts = vec![add(result, result)];
        convert(&mut k, &mut PredicateMemory::default(), &mut Pool::default());
        assert_eq!(predicated(&k), [true, true]);
        // The second body writes what the first wrote, unless it reads it, perhaps through its address.
        for (reads, addressed) in [(false, false), (true, false), (false, true)] {
            let first = reads || addressed;
            let (mut k, _) = both(Vec::new(), Vec::new(), true);
            let [x, y, result] = vars(&mut k);
            k.vars[result.index()].address_taken = addressed;
            k.blocks[1].insts.insert(0, add(result, x));
            k.blocks[2].insts.insert(0, add(result, if reads { result } else { y }));
            k.blocks[3].insts = vec![add(x, result), add(y, result)];
            convert(&mut k, &mut PredicateMemory::default(), &mut Pool::default());
            assert_eq!(predicated(&k), [first, true]);
        }
    }

    #[test]
    fn unmasked_or_long_bodies_stay() {
        for body in [vec![mov(), Inst { no_mask: true, ..mov() }], vec![mov(); LONGEST_BODY + 1]] {
            let (mut k, _) = kernel(body.clone());
            convert(&mut k, &mut PredicateMemory::default(), &mut Pool::default());
            assert_eq!(k.blocks[1].insts, body);
        }
    }
}
