//! Short branches become predicates.
//!
//! `(p) goto T; body; T:` runs `body` for the channels where `p` is false. Where the body is a few
//! masked instructions that could carry a predicate, they get `!p` instead, and the goto (and perhaps
//! the join at `T`) is gone. Channels that do not take part do nothing either way. The same holds of
//! `(p) goto T; body; goto U; T: other; goto U`, whose second body gets `p`.

use gen_ir::{BlockId, Class, Inst, Kernel, Op, Payload, Pool, Pred, PredCtrl, Reg, Target, Virtual};
use smallvec::smallvec;

use crate::lists::reset;

/// Instructions that are worth running with few channels rather than branching over them. A goto and
/// its join cost about four times a plain instruction.
const LONGEST_BODY: usize = 6;

/// The same for two bodies together, which have one branch more between them.
const LONGEST_BODIES: usize = 8;

/// Converts every such branch.
pub fn convert(kernel: &mut Kernel<Virtual>, predecessors: &mut Vec<u32>, pool: &mut Pool<Virtual>) {
    count_predecessors(kernel, predecessors);
    // Back to front: a body that was converted may make its neighbour short enough.
    for b in (0..kernel.blocks.len().saturating_sub(2)).rev() {
        if predecessors[b + 1] != 1 {
            continue;
        }
        let Some(pred) = skips_next(kernel, b) else { continue };
        let other = Pred { inv: !pred.inv, ..pred };
        let first = &kernel.blocks[b + 1];
        if first.succs[..] == [BlockId(b as u32 + 2)] {
            if first.insts.len() <= LONGEST_BODY && convertible(&first.insts, pred.flag) {
                absorb(kernel, b, b + 1, pred, pool);
            }
        } else if predecessors[b + 2] == 1
            && let Some(first) = before_jump(kernel, b + 1)
            && let Some(second) = before_jump(kernel, b + 2)
            && kernel.blocks[b + 1].succs == kernel.blocks[b + 2].succs
            && first.len() + second.len() <= LONGEST_BODIES
            && convertible(first, pred.flag)
            && convertible(second, pred.flag)
        {
            let meet = kernel.blocks[b + 1].succs[0];
            predecessors[meet.index()] -= 1;
            kernel.blocks[b + 1].insts.pop();
            absorb(kernel, b, b + 1, pred, pool);
            absorb(kernel, b, b + 2, other, pool);
            kernel.blocks[b + 1].succs = smallvec![BlockId(b as u32 + 2)];
        }
    }
}

/// Moves the instructions of block `from`, but for an unconditional jump at its end, behind those of `b`, under
/// a predicate. `b` then runs on.
fn absorb(
    kernel: &mut Kernel<Virtual>,
    b: usize,
    from: usize,
    pred: Pred<Virtual>,
    pool: &mut Pool<Virtual>,
) {
    let mut body = std::mem::take(&mut kernel.blocks[from].insts);
    let jump = body.pop_if(|i| i.op.is_branch());
    let head = &mut kernel.blocks[b];
    head.insts.pop_if(|i| i.op.is_branch());
    head.succs = smallvec![BlockId(b as u32 + 1)];
    pool.grow(&mut head.insts, body.len());
    head.insts.extend(body.iter().map(|i| Inst { pred: Some(pred), ..*i }));
    body.clear();
    body.extend(jump);
    kernel.blocks[from].insts = body;
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

fn count_predecessors(kernel: &Kernel<Virtual>, count: &mut Vec<u32>) {
    reset(count, kernel.blocks.len(), 0);
    for s in kernel.blocks.iter().flat_map(|b| &b.succs) {
        count[s.index()] += 1;
    }
    for s in &kernel.subroutines {
        count[s.index()] += 2;
    }
}

/// The predicate under which block `b` falls through, if it ends by jumping over the next one.
fn skips_next(kernel: &Kernel<Virtual>, b: usize) -> Option<Pred<Virtual>> {
    let last = kernel.blocks[b].insts.last()?;
    let Payload::Branch { uip: Target::Block(target), .. } = last.payload else { return None };
    let pred = last.pred?;
    let divergent = last.op == Op::Goto && last.exec.lanes() > 1 && !last.no_mask && last.chan == 0;
    let over_next = target.index() == b + 2 && pred.ctrl == PredCtrl::Seq;
    (divergent && over_next).then_some(Pred { inv: !pred.inv, ..pred })
}

fn convertible(body: &[Inst<Virtual>], flag: Reg<Virtual>) -> bool {
    body.iter().all(|i| {
        let family = matches!(i.op.info().class, Class::Basic | Class::Ternary | Class::Math)
            && !matches!(i.op, Op::Sel | Op::Csel | Op::Wait | Op::Movi | Op::Smov);
        let plain = i.pred.is_none() && !i.no_mask && i.exec.lanes() > 1;
        // What sets a flag can be predicated by that flag only, and would change it for its followers.
        let keeps_flag = i.cond.is_none();
        let registers = i.dst.reg().is_none_or(|r| r.var() != flag.var());
        family && plain && keeps_flag && registers
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use gen_ir::{Block, Dst, ExecSize, Src, Type, Var, VarClass, VarId};
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

    fn mov(no_mask: bool) -> Inst<Virtual> {
        let mut i = Inst::new(Op::Mov, ExecSize::S16);
        i.dst = Dst::packed(Reg::grf(10, 0), Type::D);
        i.src[0] = Src::d(1);
        i.no_mask = no_mask;
        i
    }

    #[test]
    fn a_short_body_runs_under_the_opposite_predicate() {
        let (mut k, flag) = kernel(vec![mov(false), mov(false)]);
        convert(&mut k, &mut Vec::new(), &mut Pool::default());
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
            let (mut k, _) = both(vec![mov(false), mov(false)], vec![mov(false)], jumps);
            convert(&mut k, &mut Vec::new(), &mut Pool::default());
            let inverted: Vec<_> = k.blocks[0].insts.iter().filter_map(|i| i.pred).map(|p| p.inv).collect();
            assert_eq!(inverted, [false, false, true]);
            let lengths: Vec<_> = k.blocks.iter().map(|b| b.insts.len()).collect();
            assert_eq!(lengths, [3, 0, usize::from(jumps), 0]);
            let succs: Vec<_> = k.blocks.iter().flat_map(|b| b.succs.iter().map(|s| s.0)).collect();
            assert_eq!(succs, [1, 2, 3]);
        }
        let long = vec![mov(false); LONGEST_BODIES];
        let (mut k, _) = both(long.clone(), vec![mov(false)], true);
        convert(&mut k, &mut Vec::new(), &mut Pool::default());
        assert_eq!(k.blocks[1].insts.len(), long.len() + 1);
    }

    #[test]
    fn unmasked_or_long_bodies_stay() {
        for body in [vec![mov(false), mov(true)], vec![mov(false); LONGEST_BODY + 1]] {
            let (mut k, _) = kernel(body.clone());
            convert(&mut k, &mut Vec::new(), &mut Pool::default());
            assert_eq!(k.blocks[1].insts, body);
        }
    }
}
