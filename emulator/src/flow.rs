//! Flow control by per-channel instruction pointers.
//!
//! Every channel has a place where it goes on. The channels whose place is the thread's own are active;
//! the others wait. An instruction that sends channels away parks them at their target (UIP); when none
//! is left for the next instruction, the thread jumps to JIP, the next place where one may wait. This is
//! the model of PRM volume 7, "SPF and per-channel instruction pointers", Broadwell and later.

use crate::{
    program::{DestPlace, Extra, NOWHERE, Operand, Pc, Program, Step},
    thread::{Thread, Trap, mask},
};
use gen_ir::{Class, Op};
use narrow::{as_index, low_i32, low_u32};

/// Wakes the channels that wait at the thread's place.
pub(crate) fn arrive(t: &mut Thread) {
    let mut left = t.waiting & t.called;
    while left != 0 {
        let c = left.trailing_zeros();
        left &= left - 1;
        if t.wait_at[as_index(c)] == t.pc {
            t.waiting &= !(1 << c);
            t.active |= 1 << c;
        }
    }
    if let Some(pair) = &mut t.pair {
        pair.wake(t.active);
    }
}

fn park(t: &mut Thread, channels: u32, at: Pc) -> Result<(), Trap> {
    if channels == 0 {
        return Ok(());
    }
    if at == NOWHERE {
        return Err("channels branch to no place".into());
    }
    t.active &= !channels;
    t.waiting |= channels;
    for (c, place) in t.wait_at.iter_mut().enumerate() {
        if channels >> c & 1 != 0 {
            *place = at;
        }
    }
    Ok(())
}

/// On to the next instruction if a channel goes on there, else to `jip`.
fn advance(t: &mut Thread, jip: Pc) -> Result<(), Trap> {
    advance_within(t, jip, u32::MAX, true)
}

/// The same, where the channels in `width` decide and the others come along: vector programs run with all
/// 32 channels on and branch with the width of their widest data. `falls`: a thread of a pair may come to the next
/// instruction without a channel.
fn advance_within(t: &mut Thread, jip: Pc, width: u32, falls: bool) -> Result<(), Trap> {
    let next = t.pc + 1;
    let waiting = t.waiting & t.called & width;
    let here = t.active & width != 0 || (0..32).any(|c| waiting >> c & 1 != 0 && t.wait_at[c] == next);
    let stays = here || t.pair.as_mut().is_some_and(|pair| pair.leave(width)) && falls;
    t.pc = if stays { next } else { jip };
    if t.pc == NOWHERE { Err("no channel goes on and there is no JIP".into()) } else { Ok(()) }
}

/// Runs a flow-control instruction, which sets the thread's place.
pub(crate) fn run(t: &mut Thread, program: &Program, step: &Step) -> Result<(), Trap> {
    let next = t.pc + 1;
    let lanes = t.enabled(step);
    let pred = step.pred.map_or(u32::MAX, |p| t.predicate(&p, step));
    let chan = u32::from(step.chan);
    let enabled = lanes << chan;
    let taken = (lanes & pred) << chan;
    if run_paired(t, program, step)? {
        return Ok(());
    }
    match step.op {
        Op::Jmpi => jump(t, program, step),
        Op::If => {
            park(t, enabled & !taken, step.jip)?;
            advance(t, step.jip)
        }
        Op::Else => {
            park(t, enabled, if step.uip == NOWHERE { step.jip } else { step.uip })?;
            advance(t, step.jip)
        }
        Op::Endif | Op::Join => advance(t, step.jip),
        Op::While => {
            if taken == 0 {
                t.pc = next;
                return Ok(());
            }
            park(t, enabled & !taken, next)?;
            t.pc = step.jip;
            if t.pc == NOWHERE { Err("a loop without a start".into()) } else { Ok(()) }
        }
        Op::Break => {
            // UIP names the loop's `while`; who left the loop goes on behind it.
            let at_while = program.steps.get(as_index(step.uip)).is_some_and(|s| s.op == Op::While);
            park(t, taken, step.uip + u32::from(at_while))?;
            advance(t, step.jip)
        }
        Op::Cont | Op::Halt => {
            park(t, taken, step.uip)?;
            advance(t, step.jip)
        }
        Op::Goto => goto(t, program, step, enabled, taken),
        Op::Brd | Op::Brc => {
            let to = if step.jip == NOWHERE { relative(t, program, step)? } else { step.jip };
            let uip = if step.op == Op::Brc && step.uip != NOWHERE { step.uip } else { to };
            park(t, taken, uip)?;
            advance(t, to)
        }
        Op::Call | Op::Calla | Op::Ret if taken == 0 => advance(t, next),
        Op::Call | Op::Calla => call(t, program, step, taken),
        Op::Ret => ret(t, program, step, taken),
        op => Err(format!("{op} is not modelled").into()),
    }
}

/// What a branch does to a thread of a pair. Returns whether that is all: the thread may run while no channel of it is on.
fn run_paired(t: &mut Thread, program: &Program, step: &Step) -> Result<bool, Trap> {
    let Some(pair) = &mut t.pair else { return Ok(false) };
    pair.arrive(t.pc, program.loop_end(t.pc));
    let off = pair.is_off();
    t.pc = match step.op {
        Op::Jmpi if off => {
            return Err("a jump of the thread, which its pair may run while no channel of it is on".into());
        }
        Op::Call if step.jip != NOWHERE && pair.calls(t.pc + 1, t.called) => {
            // None of those that wait is of this call.
            t.called = 0;
            step.jip
        }
        Op::Ret if off => {
            let call = pair.ret_off().ok_or_else(|| Trap("a return while no channel is on".into()))?;
            t.called = call.called;
            call.back
        }
        Op::Goto if is_backward(step) && pair.goes_back(t.pc) => step.uip,
        Op::While if pair.goes_back(t.pc) => step.jip,
        Op::Goto | Op::If | Op::Brc | Op::Brd if !is_backward(step) => {
            pair.part(t.pc, step.uip);
            return Ok(false);
        }
        Op::Break => {
            pair.part(t.pc, step.uip + 1);
            return Ok(false);
        }
        _ => return Ok(false),
    };
    Ok(true)
}

/// `jmpi`: scalar, and whether channels are active does not matter to it.
fn jump(t: &mut Thread, program: &Program, step: &Step) -> Result<(), Trap> {
    let jump = step.pred.is_none_or(|p| t.predicate(&p, step) & 1 != 0);
    t.pc = if !jump {
        t.pc + 1
    } else if step.jip != NOWHERE {
        step.jip
    } else {
        relative(t, program, step)?
    };
    Ok(())
}

/// Whether a branch goes back to the head of a loop.
fn is_backward(step: &Step) -> bool {
    step.op == Op::While || matches!(step.extra, Extra::Branch { ctrl: true })
}

fn goto(t: &mut Thread, program: &Program, step: &Step, enabled: u32, taken: u32) -> Result<(), Trap> {
    let backward = is_backward(step);
    if backward && taken != 0 {
        // The channels that jump run on at once; those that stay wait behind this instruction.
        park(t, enabled & !taken, t.pc + 1)?;
        if step.uip == NOWHERE {
            return Err("channels branch to no place".into());
        }
        t.pc = step.uip;
        return Ok(());
    }
    // Before Gen11 a forward goto sends away the channels whose predicate is false, as `if` does.
    let on_false = !program.platform.caps().flow.goto_jumps_on_true;
    let taken = if on_false && !backward { enabled & !taken } else { taken };
    park(t, taken, step.uip)?;
    // Behind a goto of all channels the pair goes on only where channels of the other thread may have waited.
    let next = program.steps.get(as_index(t.pc + 1));
    let falls = step.pred.is_some() || next.is_none_or(|next| next.op.info().class == Class::Branch);
    advance_within(t, step.jip, mask(step.lanes.into()) << u32::from(step.chan), falls)
}

/// `call`, `calla` of the channels in `taken`.
fn call(t: &mut Thread, program: &Program, step: &Step, taken: u32) -> Result<(), Trap> {
    let next = t.pc + 1;
    let to = if step.jip != NOWHERE {
        step.jip
    } else if step.op == Op::Calla {
        absolute(t, program, step)?
    } else {
        relative(t, program, step)?
    };
    let DestPlace::Direct(at) = step.dst.what else { return Err("a call without a register".into()) };
    t.set_u32(at, program.offset_of(next));
    // Who does not call, or lies beyond the call's width, sleeps until the return, wherever the
    // callee goes.
    t.set_u32(at + 4, t.called);
    let callers = if taken & t.active == 0 { taken } else { taken & t.active };
    if let Some(pair) = &mut t.pair {
        pair.call(t.active & !callers != 0);
    }
    park(t, t.active & !callers, next)?;
    t.called = callers;
    t.pc = to;
    Ok(())
}

/// `ret` of the channels in `taken`: the thread goes back with the last of those that were called.
fn ret(t: &mut Thread, program: &Program, step: &Step, taken: u32) -> Result<(), Trap> {
    let Operand::Direct { at, .. } = step.src[0].what else {
        return Err("a return without a register".into());
    };
    let offset = t.u32_at(at);
    let Some(back) = program.at(offset.into()) else {
        return Err(format!("a return to {offset:#x}, where no instruction starts").into());
    };
    let outer = t.u32_at(at + 4);
    park(t, taken, back)?;
    let inside = (0..32).any(|c| (t.waiting & t.called) >> c & 1 != 0 && t.wait_at[c] != back);
    if t.active == 0 && !inside {
        t.called = outer;
        t.pc = back;
        if let Some(pair) = &mut t.pair {
            pair.ret();
        }
        arrive(t);
    } else {
        t.pc += 1;
    }
    Ok(())
}

fn value(t: &Thread, step: &Step) -> Result<i64, Trap> {
    match step.src[0].what {
        Operand::Direct { at, .. } => Ok(i64::from(low_i32(t.u32_at(at)))),
        Operand::Imm(v) => Ok(i64::from(low_i32(low_u32(v)))),
        _ => Err("a branch without a target".into()),
    }
}

/// A register's target.
fn relative(t: &Thread, program: &Program, step: &Step) -> Result<Pc, Trap> {
    let after = step.op == Op::Jmpi && program.platform.caps().flow.jumps_from_next;
    let from = if after { program.offset_of(t.pc + 1) } else { step.offset };
    let to = i64::from(from) + value(t, step)?;
    program.at(to).ok_or_else(|| format!("a branch to {to:#x}, where no instruction starts").into())
}

fn absolute(t: &Thread, program: &Program, step: &Step) -> Result<Pc, Trap> {
    let to = value(t, step)?;
    program.at(to).ok_or_else(|| format!("a call to {to:#x}, where no instruction starts").into())
}
