//! A thread's turn: instruction by instruction, with what watches them.

use crate::{
    Error, Options, Poison, alu, flow,
    messages::{self, Cx},
    program::{Extra, Program, Step},
    report::SendKind,
    strict,
    thread::{LANES, Thread, Trap},
    watch::{self, Seen, Watch, Watched},
};
use gen_ir::{Class, Op, SyncFn};
use narrow::{as_index, to_index};
use std::collections::BTreeMap;

/// Counters of a run.
pub(super) struct Counts {
    /// Executions per instruction.
    pub(super) at: Vec<u64>,
    pub(super) sends: BTreeMap<SendKind, u64>,
    pub(super) total: u64,
    pub(super) trace: Vec<String>,
    pub(super) results: Vec<u64>,
    pub(super) scramble: u64,
    pub(super) asked: Vec<u64>,
    pub(super) seen: Vec<Seen>,
}

impl Counts {
    pub(super) fn new(program: &Program, options: &Options) -> Counts {
        Counts {
            at: vec![0; program.len()],
            sends: BTreeMap::new(),
            total: 0,
            trace: Vec::new(),
            results: vec![0; if options.results { program.len() } else { 0 }],
            scramble: options.scramble.map_or(0, |s| s.1),
            asked: Vec::new(),
            seen: Vec::new(),
        }
    }
}

pub(super) fn fail(t: &Thread, cx: &Cx<'_>, trap: Trap) -> Error {
    Error::Trap {
        pc: cx.program.offset_of(t.pc),
        inst: cx.program.text(t.pc),
        group: cx.group.id,
        thread: t.number,
        reason: trap.0,
    }
}

/// Runs a thread until its turn ends, it waits, or it is done.
pub(super) fn turn(
    t: &mut Thread,
    cx: &mut Cx<'_>,
    options: &Options,
    counts: &mut Counts,
) -> Result<(), Error> {
    let program = cx.program;
    let careful =
        t.shadow.is_some() || t.scoreboard.is_some() || options.trace || !options.watches.is_empty();
    let mut done = 0;
    while t.turn.is_running() && done < options.turn.max(1) {
        let pc = as_index(t.pc);
        let Some(step) = program.steps.get(pc) else {
            return Err(fail(t, cx, "the thread runs past the end of its code".into()));
        };
        if step.target && t.waiting != 0 {
            flow::arrive(t);
        }
        counts.at[pc] += u64::from(!t.is_off());
        counts.total += 1;
        done += 1;
        t.executed += 1;
        if counts.total > options.max_instructions {
            return Err(Error::Limit { instructions: options.max_instructions, pc: step.offset });
        }
        let result = if careful { one_careful(t, cx, options, counts, pc) } else { one(t, cx, counts, pc) };
        if let Err(trap) = result {
            return Err(fail(t, cx, trap));
        }
    }
    if t.turn.is_done()
        && let Some(board) = &mut t.scoreboard
    {
        board.forget(cx);
    }
    Ok(())
}

fn ends_thread(program: &Program, step: &Step) -> bool {
    matches!(step.extra, Extra::Send(m) if program.messages[as_index(m)].eot)
}

/// Runs the instruction at `pc`.
pub(super) fn one(t: &mut Thread, cx: &mut Cx<'_>, counts: &mut Counts, pc: usize) -> Result<(), Trap> {
    let program = cx.program;
    let step = &program.steps[pc];
    match step.op.info().class {
        Class::Branch => flow::run(t, program, step),
        Class::Send => {
            if t.is_off() && ends_thread(program, step) {
                return Err("the thread ends while no channel is on".into());
            }
            if !t.is_unsent(step) {
                let kind = messages::run(t, cx, step)?;
                *counts.sends.entry(kind).or_insert(0) += u64::from(!t.is_off());
            }
            t.pc += 1;
            Ok(())
        }
        Class::Sync => {
            if matches!(step.extra, Extra::Sync(SyncFn::Bar)) && !t.is_off() {
                let mut number = [0; LANES];
                t.raw(&step.src[0], 1, 1, &mut number)?;
                t.turn.wait(number[0] & 0xff);
            }
            t.pc += 1;
            Ok(())
        }
        Class::Nullary if step.op == Op::Nop => {
            t.pc += 1;
            Ok(())
        }
        Class::Nullary => match step.extra {
            Extra::Bad(why) => Err(Trap(program.bad[as_index(why)].clone())),
            _ => Err("an illegal instruction".into()),
        },
        _ => {
            alu::run(t, program, step)?;
            t.pc += 1;
            Ok(())
        }
    }
}

/// The same, watching definedness and dependencies, and tracing.
pub(super) fn one_careful(
    t: &mut Thread,
    cx: &mut Cx<'_>,
    options: &Options,
    counts: &mut Counts,
    pc: usize,
) -> Result<(), Trap> {
    let program = cx.program;
    let step = &program.steps[pc];
    note(t, cx, options, counts, pc);
    if let Some(mut board) = t.scoreboard.take() {
        let checked = board.step(t, cx, step);
        t.scoreboard = Some(board);
        checked?;
    }
    let class = step.op.info().class;
    if cx.strict && counts.at[pc] <= 1 {
        strict::legal(t, cx, pc);
    }
    if t.shadow.is_none() {
        one(t, cx, counts, pc)?;
        after_branch(t, cx, class, pc);
        return Ok(());
    }
    one_defined(t, cx, options, counts, pc)
}

/// Writes down what is traced and what is watched, before an instruction runs.
fn note(t: &Thread, cx: &Cx<'_>, options: &Options, counts: &mut Counts, pc: usize) {
    let program = cx.program;
    let step = &program.steps[pc];
    if options.trace && counts.trace.len() < options.trace_lines {
        let [x, y, z] = cx.group.id;
        counts.trace.push(format!(
            "{x},{y},{z}/{} {:#07x} [{:08x}] {}",
            t.number,
            step.offset,
            t.active,
            program.text(to_index(pc))
        ));
    }
    for &watch in watch::before(&options.watches, step.offset) {
        if counts.seen.len() < options.trace_lines {
            counts.seen.extend(look(t, cx, watch));
        }
    }
}

/// One instruction, with what is known of registers that nothing wrote.
fn one_defined(
    t: &mut Thread,
    cx: &mut Cx<'_>,
    options: &Options,
    counts: &mut Counts,
    pc: usize,
) -> Result<(), Trap> {
    let program = cx.program;
    let step = &program.steps[pc];
    let class = step.op.info().class;
    match class {
        Class::Branch => {
            strict::branch(t, cx, step);
            one(t, cx, counts, pc)?;
            if let (Op::Call | Op::Calla, crate::program::DestPlace::Direct(at)) = (step.op, step.dst.what) {
                t.define(at, 8);
            }
            after_branch(t, cx, class, pc);
            Ok(())
        }
        Class::Send => {
            if !t.is_unsent(step) {
                strict::send(t, cx, step);
            }
            cx.poisoned = poisoned(t, options, step) != 0;
            one(t, cx, counts, pc)?;
            if cx.poisoned {
                strict::poison_response(t, program, step);
            }
            if let Some(hash) = counts.results.get_mut(pc) {
                *hash = strict::hash_response(t, program, step, *hash);
            }
            Ok(())
        }
        Class::Sync | Class::Nullary => one(t, cx, counts, pc),
        _ => {
            let mut outcome = strict::before(t, cx, step)?;
            outcome.poison(poisoned(t, options, step));
            one(t, cx, counts, pc)?;
            strict::after(t, step, &outcome);
            if options.scramble.is_some_and(|s| s.0 == step.offset) {
                counts.scramble = outcome.scramble(t, step, counts.scramble);
            }
            if let Some(hash) = counts.results.get_mut(pc) {
                *hash = outcome.hash(t, step, *hash);
            }
            Ok(())
        }
    }
}

/// What a watch of registers sees.
pub(super) fn look(t: &Thread, cx: &Cx<'_>, watch: Watch) -> Option<Seen> {
    let Watched::Registers(start, count) = watch.of else { return None };
    let bytes = t.rf.get(as_index(start)..as_index(start.saturating_add(count)))?;
    let bytes = bytes.iter().map(|b| Some(*b)).collect();
    Some(Seen { watch, group: cx.group.id, thread: t.number, active: t.active, bytes })
}

/// Channels for which what an instruction computes counts as undefined.
pub(super) fn poisoned(t: &Thread, options: &Options, step: &Step) -> u32 {
    match options.poison {
        Some(Poison::At(offset, channels)) if offset == step.offset => channels,
        Some(Poison::Idle) if t.active == 0 => u32::MAX,
        _ => 0,
    }
}

pub(super) fn after_branch(t: &mut Thread, cx: &mut Cx<'_>, class: Class, pc: usize) {
    if class != Class::Branch {
        return;
    }
    let went_on = as_index(t.pc) == pc + 1;
    // A thread without a channel goes past a call that its pair may make: again, or nobody knows where to. What the callee
    // waits for is not known.
    let passed_call = went_on && t.is_off() && matches!(cx.program.steps[pc].op, Op::Call | Op::Calla);
    let Some(board) = &mut t.scoreboard else { return };
    if passed_call {
        board.forget(cx);
    } else if !went_on {
        board.jumped(cx);
    }
}
