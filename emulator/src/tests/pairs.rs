//! Threads of a pair, which may run while none of their channels is on.

use super::*;
use crate::pair::Pair;

/// A move of a number to a register: for the channels that are on, or for all.
fn set(reg: u16, to: u32, no_mask: bool) -> I {
    Inst { no_mask, ..inst(Op::Mov, ExecSize::S8, reg, Type::Ud, &[Src::ud(to)]) }
}

/// A branch that no channel takes: `f0.0` is zero.
fn not_taken(op: Op, to: i32) -> I {
    branch_if(op, to, Some(to))
}

/// A goto that all channels take, as its predicate says.
fn taken(to: i32) -> I {
    let goto = not_taken(Op::Goto, to);
    I { pred: goto.pred.map(|pred| Pred { inv: true, ..pred }), ..goto }
}

fn back(to: i32) -> I {
    let mut goto = branch_if(Op::Goto, 1, Some(to));
    if let Payload::Branch { ctrl, .. } = &mut goto.payload {
        *ctrl = true;
    }
    goto
}

/// Runs code on Tiger Lake, as one of a pair or alone, and gives what is in register 10 then.
fn run(paired: bool, code: &[I]) -> Result<u32, String> {
    let mut m = Machine::new(Platform::Tgllp);
    m.t.pair = paired.then(Pair::default);
    m.run(Platform::Tgllp, code)?;
    Ok(m.get(10)[0])
}

#[test]
fn what_ignores_the_mask_runs_where_divergence_nests() {
    let code = |first: I, there: I| [first, taken(2), there, branch(Op::Join, 1, None)];
    let nested = not_taken(Op::Goto, 3);
    assert_eq!(run(true, &code(nested, set(10, 1, true))), Ok(1));
    assert_eq!(run(false, &code(nested, set(10, 1, true))), Ok(0));
    // What obeys the mask does not run, nor anything where the other thread has not left.
    assert_eq!(run(true, &code(nested, set(10, 1, false))), Ok(0));
    assert_eq!(run(true, &code(I::new(Op::Nop, ExecSize::S1), set(10, 1, true))), Ok(0));
    // Nor behind a goto that needs no predicate: the other thread takes it, too.
    let leave = branch(Op::Goto, 2, Some(2));
    assert_eq!(run(true, &[nested, leave, set(10, 1, true), branch(Op::Join, 1, None)]), Ok(0));
}

#[test]
fn a_predicate_tells_whether_a_channel_is_on() {
    let flag = Reg::arf(Arf::Flag(1), 0);
    let mut clear = I { no_mask: true, ..I::new(Op::Mov, ExecSize::S1) };
    (clear.dst, clear.src[0]) = (Dst::packed(flag, Type::Uw), Src::uw(0));
    let mut ask = I::new(Op::Mov, ExecSize::S8);
    ask.cond = Some(CondMod { cond: Cond::Ne, flag });
    (ask.dst, ask.src[0]) = (Dst::null(Type::Uw), Src::uw(1));
    let mut guarded = set(10, 1, true);
    guarded.pred = Some(Pred { flag, inv: false, ctrl: PredCtrl::Any16h });
    let code = |first: I, leave: I| [first, leave, clear, ask, guarded, branch(Op::Join, 1, None)];
    assert_eq!(run(true, &code(not_taken(Op::Goto, 5), taken(4))), Ok(0));
    assert_eq!(run(true, &code(not_taken(Op::Goto, 5), not_taken(Op::Goto, 4))), Ok(1));
}

#[test]
fn loops_run_on_for_the_other_thread() {
    // Once where the thread comes by, and once where its pair goes back.
    let mut add = inst(Op::Add, ExecSize::S8, 10, Type::Ud, &[vec8(10, Type::Ud), Src::ud(1)]);
    add.no_mask = true;
    let code = [add, taken(2), back(-2), branch(Op::Join, 1, None)];
    assert_eq!(run(true, &code), Ok(2));
    assert_eq!(run(false, &code), Ok(1));
}

#[test]
fn a_jump_that_a_pair_may_run_alone_is_a_fault() {
    let jump = I { no_mask: true, ..branch(Op::Jmpi, 2, None) };
    let code = [not_taken(Op::Goto, 3), taken(2), jump, branch(Op::Join, 1, None)];
    assert!(run(true, &code).unwrap_err().contains("no channel of it is on"));
    assert_eq!(run(false, &code), Ok(0));
}
