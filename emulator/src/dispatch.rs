//! Running a dispatch: groups one after the other, the threads of a group in turns.

#[cfg(test)]
mod bare;
mod turn;

#[cfg(test)]
pub(crate) use self::bare::run_bare;

use self::turn::{Counts, turn};
use crate::{
    Error, Options, file,
    group::{Group, run_group},
    launch::Dispatch,
    learned::Learned,
    memory::Memory,
    messages::Cx,
    pair::Pair,
    probe::Probe,
    program::Program,
    report::{Report, Reports, RunReport},
    scoreboard::Scoreboard,
    shadow::Shadow,
    thread::Thread,
    thread_memory::ThreadMemory,
};
use narrow::{as_index, to_index};
use std::collections::BTreeMap;

/// Runs single groups of a dispatch, in any order, over a memory of its own.
pub struct Groups<'a> {
    program: &'a Program,
    dispatch: &'a Dispatch,
    options: &'a Options,
    memory: Memory,
    memories: ThreadMemory,
    counts: Counts,
    kept: Kept,
}

/// What groups leave to the next one.
#[derive(Default)]
struct Kept {
    learned: Learned,
    team: Vec<Thread>,
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
        let counts = Counts::new(program, options);
        Groups { program, dispatch, options, memory, memories, counts, kept: Kept::default() }
    }

    /// With what was learned by groups of the same program.
    #[must_use]
    pub fn knowing(mut self, learned: Learned) -> Groups<'a> {
        self.kept.learned = learned;
        self
    }

    /// What is known now.
    pub fn learned(self) -> Learned {
        self.kept.learned
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
        let Groups { program, dispatch, options, memory, memories, counts, kept } = self;
        let run = Run { program, dispatch, options, memories };
        run.group(group, memory, (counts, kept), &mut reports, None)?;
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
        (counts, kept): (&mut Counts, &mut Kept),
        reports: &mut Reports,
        probe: Option<&mut Probe>,
    ) -> Result<(), Error> {
        let Run { program, dispatch, options, memories } = *self;
        let mut group = Group {
            id,
            slm: vec![0; as_index(dispatch.slm.next_multiple_of(1024))],
            threads: dispatch.threads,
            barriers: Default::default(),
        };
        let Kept { learned, team } = kept;
        team.resize_with(as_index(dispatch.threads), || Thread::new(program));
        for (t, number) in team.iter_mut().zip(0..) {
            start(t, program, dispatch, options, &group, number, memories);
        }
        if let Some(probe) = &probe {
            team.iter_mut().for_each(|t| probe.start(t));
        }
        let mut cx = Cx {
            program,
            memory,
            bindings: &dispatch.bindings,
            group: &mut group,
            reports,
            learned,
            strict: options.strict,
            poison: options.poison.is_some(),
            poisoned: false,
            probe,
            opaque: &options.opaque,
            asked: Vec::new(),
        };
        let result = run_group(team, &mut cx, |cx| cx.group, |t, cx| turn(t, cx, options, counts));
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
    let mut kept = Kept::default();
    for z in 0..dispatch.groups[2] {
        for y in 0..dispatch.groups[1] {
            for x in 0..dispatch.groups[0] {
                threads += u64::from(dispatch.threads);
                let run = Run { program, dispatch, options, memories: &memories };
                run.group([x, y, z], memory, (&mut counts, &mut kept), &mut reports, probe.as_deref_mut())?;
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

/// Sets a thread to the start of its code.
fn start(
    t: &mut Thread,
    program: &Program,
    dispatch: &Dispatch,
    options: &Options,
    group: &Group,
    number: u32,
    memories: &ThreadMemory,
) {
    t.reset();
    if options.strict {
        let defined = options.poison.is_some();
        match &mut t.shadow {
            Some(shadow) => shadow.reset(defined),
            None => t.shadow = Some(Box::new(Shadow::new(defined, dispatch.scratch))),
        }
        // Registers hold something, and never what a lucky kernel would want.
        t.rf[..as_index(file::GRF_END)].fill(0xcd);
    }
    if options.scoreboard {
        t.scoreboard = Scoreboard::new(program);
    }
    if options.pairs && program.platform.caps().errata.unmasked_pairs {
        t.pair = Some(Pair::default());
    }
    t.number = number;
    t.dispatched = dispatch.masks.get(as_index(number)).copied().unwrap_or(u32::MAX);
    t.active = t.dispatched;
    t.scratch = memories.scratch_of(number);
    t.scratch_len = dispatch.scratch;
    let grf = program.grf;
    let r0 = memories.header(dispatch, group.id, number);
    for (i, v) in r0.iter().enumerate().take(as_index(grf / 4)) {
        t.set_u32(4 * to_index(i), *v);
    }
    t.define(0, grf);
    if !program.platform.caps().thread.payload_prologue || dispatch.raw {
        let bytes = dispatch.registers(grf, number);
        let at = as_index(grf);
        t.rf[at..at + bytes.len()].copy_from_slice(&bytes);
        t.define(grf, to_index(bytes.len()));
    } else if dispatch.inline != 0 {
        let n = as_index(dispatch.inline).min(dispatch.cross.len());
        let at = as_index(grf);
        t.rf[at..at + n].copy_from_slice(&dispatch.cross[..n]);
        t.define(grf, dispatch.inline);
    }
    // sr0.0 names the thread, sr0.2 and sr0.3 the channels that were dispatched.
    t.set_u32(file::STATE, number & 0x7);
    t.set_u32(file::STATE + 8, t.dispatched);
    t.set_u32(file::STATE + 12, t.dispatched);
}
