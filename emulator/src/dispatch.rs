//! Running a dispatch: groups one after the other, the threads of a group in turns.

use crate::{
    Error, Options, Poison, alu, file, flow,
    launch::Dispatch,
    memory::Memory,
    messages::{self, Cx, Group},
    probe::Probe,
    program::{Extra, Program, Step},
    report::{Report, Reports, RunReport, SendKind},
    scoreboard::Scoreboard,
    strict,
    thread::{State, Thread, Trap},
    thread_memory::ThreadMemory,
    watch::{self, Seen, Watch, Watched},
};
use gen_ir::{Class, Op, SyncFn};
use std::collections::BTreeMap;

/// Counters of a run.
struct Counts {
    /// Executions per instruction.
    at: Vec<u64>,
    sends: BTreeMap<SendKind, u64>,
    total: u64,
    trace: Vec<String>,
    results: Vec<u64>,
    scramble: u64,
    asked: Vec<u64>,
    seen: Vec<Seen>,
}

impl Counts {
    fn new(program: &Program, options: &Options) -> Counts {
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

/// Runs single groups of a dispatch, in any order, over a memory of its own.
pub struct Groups<'a> {
    program: &'a Program,
    dispatch: &'a Dispatch,
    options: &'a Options,
    memory: Memory,
    memories: ThreadMemory,
    counts: Counts,
}

/// What a group of [`Groups`] did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupReport {
    /// Instructions executed.
    pub instructions: u64,
    /// Findings, in code order.
    pub reports: Vec<Report>,
}

impl<'a> Groups<'a> {
    /// For groups of `dispatch`.
    pub fn new(
        program: &'a Program,
        dispatch: &'a Dispatch,
        options: &'a Options,
        mut memory: Memory,
    ) -> Groups<'a> {
        let memories = ThreadMemory::new(program.platform, dispatch, &mut memory);
        Groups { program, dispatch, options, memory, memories, counts: Counts::new(program, options) }
    }

    /// What the next group works on.
    pub fn memory(&mut self) -> &mut Memory {
        &mut self.memory
    }

    /// Runs a group. [`Options::max_instructions`] counts those of this group alone, and scratch memory is empty.
    ///
    /// # Errors
    ///
    /// As of [`run`].
    pub fn run(&mut self, group: [u32; 3]) -> Result<GroupReport, Error> {
        let mut reports = Reports::default();
        self.counts.total = 0;
        self.memories.clear(self.dispatch.scratch, &mut self.memory);
        let Groups { program, dispatch, options, memory, memories, counts } = self;
        let run = Run { program, dispatch, options, memories };
        run.group(group, memory, counts, &mut reports, None)?;
        Ok(GroupReport { instructions: self.counts.total, reports: reports.into_vec() })
    }
}

/// What all groups of a dispatch share.
struct Run<'a> {
    program: &'a Program,
    dispatch: &'a Dispatch,
    options: &'a Options,
    memories: &'a ThreadMemory,
}

impl Run<'_> {
    fn group(
        &self,
        id: [u32; 3],
        memory: &mut Memory,
        counts: &mut Counts,
        reports: &mut Reports,
        probe: Option<&mut Probe>,
    ) -> Result<(), Error> {
        let Run { program, dispatch, options, memories } = *self;
        let mut group = Group {
            id,
            slm: vec![0; dispatch.slm.next_multiple_of(1024) as usize],
            threads: dispatch.threads,
            arrived: 0,
            opened: 0,
        };
        let mut team: Vec<Thread> =
            (0..dispatch.threads).map(|i| start(program, dispatch, options, &group, i, memories)).collect();
        if let Some(probe) = &probe {
            team.iter_mut().for_each(|t| probe.start(t));
        }
        let mut cx = Cx {
            program,
            memory,
            bindings: &dispatch.bindings,
            group: &mut group,
            reports,
            strict: options.strict,
            poison: options.poison.is_some(),
            poisoned: false,
            probe,
            opaque: &options.opaque,
            asked: Vec::new(),
        };
        let result = run_group(&mut team, &mut cx, options, counts);
        counts.asked.append(&mut cx.asked);
        result
    }
}

/// Runs all groups of a dispatch.
pub fn run(
    program: &Program,
    dispatch: &Dispatch,
    memory: &mut Memory,
    options: &Options,
) -> Result<RunReport, Error> {
    run_probed(program, dispatch, memory, options, None)
}

/// Runs all groups of a dispatch, perhaps with a probe that answers its messages.
pub(crate) fn run_probed(
    program: &Program,
    dispatch: &Dispatch,
    memory: &mut Memory,
    options: &Options,
    probe: Option<&mut Probe>,
) -> Result<RunReport, Error> {
    let kept = memory.count();
    let result = run_groups(program, dispatch, memory, options, probe);
    memory.truncate(kept);
    result
}

fn run_groups(
    program: &Program,
    dispatch: &Dispatch,
    memory: &mut Memory,
    options: &Options,
    mut probe: Option<&mut Probe>,
) -> Result<RunReport, Error> {
    let mut counts = Counts::new(program, options);
    let mut reports = Reports::default();
    let memories = ThreadMemory::new(program.platform, dispatch, memory);
    let mut threads = 0;
    for z in 0..dispatch.groups[2] {
        for y in 0..dispatch.groups[1] {
            for x in 0..dispatch.groups[0] {
                threads += u64::from(dispatch.threads);
                let run = Run { program, dispatch, options, memories: &memories };
                run.group([x, y, z], memory, &mut counts, &mut reports, probe.as_deref_mut())?;
            }
        }
    }
    let mut opcodes = BTreeMap::new();
    let mut cycles = 0;
    let each = crate::cycles::each(program);
    for ((step, n), once) in program.steps.iter().zip(&counts.at).zip(each) {
        if *n != 0 {
            *opcodes.entry(step.op.name()).or_insert(0) += n;
            cycles += n * once;
        }
    }
    Ok(RunReport {
        threads,
        results: counts.results,
        executed: program.steps.iter().map(|s| s.offset).zip(counts.at.iter().copied()).collect(),
        instructions: counts.total,
        opcodes,
        sends: counts.sends,
        cycles,
        reports: reports.into_vec(),
        trace: counts.trace,
        seen: counts.seen,
        asked: counts.asked,
    })
}

fn start(
    program: &Program,
    dispatch: &Dispatch,
    options: &Options,
    group: &Group,
    number: u32,
    memories: &ThreadMemory,
) -> Thread {
    let mut t = Thread::new(program);
    if options.strict {
        t.shadow = Some(Box::new(crate::shadow::Shadow::new(options.poison.is_some(), dispatch.scratch)));
        // Registers hold something, and never what a lucky kernel would want.
        t.rf[..file::GRF_END as usize].fill(0xcd);
    }
    if options.scoreboard {
        t.scoreboard = Scoreboard::new(program).map(Box::new);
    }
    t.number = number;
    t.dispatched = dispatch.masks.get(number as usize).copied().unwrap_or(u32::MAX);
    t.active = t.dispatched;
    t.scratch = memories.scratch_of(number);
    t.scratch_len = dispatch.scratch;
    let grf = program.grf;
    let r0 = memories.header(dispatch, group.id, number);
    for (i, v) in r0.iter().enumerate().take((grf / 4) as usize) {
        t.set_u32(4 * i as u32, *v);
    }
    t.define(0, grf);
    if !program.platform.caps().thread.payload_prologue || dispatch.raw {
        let bytes = dispatch.registers(grf, number);
        let at = grf as usize;
        t.rf[at..at + bytes.len()].copy_from_slice(&bytes);
        t.define(grf, bytes.len() as u32);
    } else if dispatch.inline != 0 {
        let n = (dispatch.inline as usize).min(dispatch.cross.len());
        let at = grf as usize;
        t.rf[at..at + n].copy_from_slice(&dispatch.cross[..n]);
        t.define(grf, dispatch.inline);
    }
    // sr0.0 names the thread, sr0.2 and sr0.3 the channels that were dispatched.
    t.set_u32(file::STATE, number & 0x7);
    t.set_u32(file::STATE + 8, t.dispatched);
    t.set_u32(file::STATE + 12, t.dispatched);
    t
}

fn run_group(
    team: &mut [Thread],
    cx: &mut Cx<'_>,
    options: &Options,
    counts: &mut Counts,
) -> Result<(), Error> {
    loop {
        let mut progress = false;
        let mut left = false;
        for t in team.iter_mut() {
            if t.state == State::AtBarrier && cx.group.opened >= t.barrier {
                t.state = State::Running;
                t.signalled = false;
            }
            if t.state == State::Running {
                progress = true;
                turn(t, cx, options, counts)?;
            }
            left |= t.state != State::Done;
        }
        if !left {
            return Ok(());
        }
        if !progress && !team.iter().any(|t| t.state == State::AtBarrier && cx.group.opened >= t.barrier) {
            let waiting = team.iter().filter(|t| t.state == State::AtBarrier).count() as u32;
            return Err(Error::Deadlock { group: cx.group.id, waiting, arrived: cx.group.arrived });
        }
    }
}

fn fail(t: &Thread, cx: &Cx<'_>, trap: Trap) -> Error {
    Error::Trap {
        pc: cx.program.offset_of(t.pc),
        inst: cx.program.text(t.pc),
        group: cx.group.id,
        thread: t.number,
        reason: trap.0,
    }
}

/// Runs a thread until its turn ends, it waits, or it is done.
fn turn(t: &mut Thread, cx: &mut Cx<'_>, options: &Options, counts: &mut Counts) -> Result<(), Error> {
    let program = cx.program;
    let careful =
        t.shadow.is_some() || t.scoreboard.is_some() || options.trace || !options.watches.is_empty();
    let mut done = 0;
    while t.state == State::Running && done < options.turn.max(1) {
        let pc = t.pc as usize;
        let Some(step) = program.steps.get(pc) else {
            return Err(fail(t, cx, "the thread runs past the end of its code".into()));
        };
        if step.target && t.waiting != 0 {
            flow::arrive(t);
        }
        counts.at[pc] += 1;
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
    Ok(())
}

/// Runs the instruction at `pc`.
fn one(t: &mut Thread, cx: &mut Cx<'_>, counts: &mut Counts, pc: usize) -> Result<(), Trap> {
    let program = cx.program;
    let step = &program.steps[pc];
    match step.op.info().class {
        Class::Branch => flow::run(t, program, step),
        Class::Send => {
            let kind = messages::run(t, cx, step)?;
            *counts.sends.entry(kind).or_insert(0) += 1;
            t.pc += 1;
            Ok(())
        }
        Class::Sync => {
            if matches!(step.extra, Extra::Sync(SyncFn::Bar)) && t.signalled {
                t.state = State::AtBarrier;
            }
            t.pc += 1;
            Ok(())
        }
        Class::Nullary if step.op == Op::Nop => {
            t.pc += 1;
            Ok(())
        }
        Class::Nullary => match step.extra {
            Extra::Bad(why) => Err(Trap(program.bad[why as usize].clone())),
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
fn one_careful(
    t: &mut Thread,
    cx: &mut Cx<'_>,
    options: &Options,
    counts: &mut Counts,
    pc: usize,
) -> Result<(), Trap> {
    let program = cx.program;
    let step = &program.steps[pc];
    if options.trace && counts.trace.len() < options.trace_lines {
        let [x, y, z] = cx.group.id;
        counts.trace.push(format!(
            "{x},{y},{z}/{} {:#07x} [{:08x}] {}",
            t.number,
            step.offset,
            t.active,
            program.text(pc as u32)
        ));
    }
    for &watch in watch::before(&options.watches, step.offset) {
        if counts.seen.len() < options.trace_lines {
            counts.seen.extend(look(t, cx, watch));
        }
    }
    if let Some(mut board) = t.scoreboard.take() {
        let checked = board.step(t, cx, step);
        t.scoreboard = Some(board);
        checked?;
    }
    let class = step.op.info().class;
    if cx.strict && counts.at[pc] == 1 {
        strict::legal(t, cx, pc);
    }
    if t.shadow.is_none() {
        one(t, cx, counts, pc)?;
        after_branch(t, class, pc);
        return Ok(());
    }
    match class {
        Class::Branch => {
            strict::branch(t, cx, step);
            one(t, cx, counts, pc)?;
            if let (Op::Call | Op::Calla, crate::program::DestPlace::Direct(at)) = (step.op, step.dst.what) {
                t.define(at, 8);
            }
            after_branch(t, class, pc);
            Ok(())
        }
        Class::Send => {
            strict::send(t, cx, step);
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
fn look(t: &Thread, cx: &Cx<'_>, watch: Watch) -> Option<Seen> {
    let Watched::Registers(start, count) = watch.of else { return None };
    let bytes = t.rf.get(start as usize..start.saturating_add(count) as usize)?;
    let bytes = bytes.iter().map(|b| Some(*b)).collect();
    Some(Seen { watch, group: cx.group.id, thread: t.number, active: t.active, bytes })
}

/// Channels for which what an instruction computes counts as undefined.
fn poisoned(t: &Thread, options: &Options, step: &Step) -> u32 {
    match options.poison {
        Some(Poison::At(offset, channels)) if offset == step.offset => channels,
        Some(Poison::Idle) if t.active == 0 => u32::MAX,
        _ => 0,
    }
}

fn after_branch(t: &mut Thread, class: Class, pc: usize) {
    if class == Class::Branch
        && t.pc as usize != pc + 1
        && let Some(board) = &mut t.scoreboard
    {
        board.jumped();
    }
}

/// Runs a program on one thread without a dispatch, until the end of its code.
#[cfg(test)]
pub(crate) fn run_bare(
    program: &Program,
    t: &mut Thread,
    memory: &mut Memory,
    bindings: &crate::launch::Bindings,
) -> Result<(), Trap> {
    let mut group = Group { id: [0; 3], slm: vec![0; 1024], threads: 1, arrived: 0, opened: 0 };
    let mut reports = Reports::default();
    let mut cx = Cx {
        program,
        memory,
        bindings,
        group: &mut group,
        reports: &mut reports,
        strict: false,
        poison: false,
        poisoned: false,
        probe: None,
        opaque: &[],
        asked: Vec::new(),
    };
    let mut counts = Counts {
        at: vec![0; program.len()],
        sends: BTreeMap::new(),
        total: 0,
        trace: Vec::new(),
        seen: Vec::new(),
        results: Vec::new(),
        scramble: 0,
        asked: Vec::new(),
    };
    for _ in 0..10_000 {
        let Some(step) = program.steps.get(t.pc as usize) else { return Ok(()) };
        if step.target {
            flow::arrive(t);
        }
        one(t, &mut cx, &mut counts, t.pc as usize)?;
    }
    Err("endless".into())
}
