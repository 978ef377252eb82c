//! Faults planted in Intel's code: does the emulator see them?
//!
//! A judge that never objects proves nothing. [`plant`] damages one executed instruction at a time (it
//! removes a dependency, takes another region for an operand, moves a JIP, shifts a spill slot) and runs
//! the kernel. A fault is seen if the emulator reports something that it does not report on the intact
//! code, or if memory differs afterwards. The others are looked into ([`FaultVerdict`]).

use std::collections::BTreeMap;

use emulator::{Dispatch, Fault, Memory, Options, Poison, Program, RunReport, run_program};
use gen_ir::{
    Base, Desc, Dst, Inst, Op, Options as InstOptions, Payload, Physical, Region, SbidMode, Src, SyncFn,
    Target,
};
use messages::hdc::ScratchBlock;
use platforms::Platform;

use crate::{
    blocks,
    data::{TestKernel, kernels},
    expected,
    launches::{Contents, Setup},
    splitmix::SplitMix,
};

/// Instructions that a run may take.
const MAX_INSTRUCTIONS: u64 = 400_000;
/// Inputs a fault is tried on.
const SEEDS: [u64; 3] = [1, 2, 3];
/// More inputs for those that nobody noticed on these, besides the inputs of [`expected`].
const MORE: [(Contents, u64); 12] = [
    (Contents::Edges, 1),
    (Contents::Edges, 2),
    (Contents::Edges, 3),
    (Contents::Dense, 1),
    (Contents::Sparse, 1),
    (Contents::Tiny, 1),
    (Contents::Random, 4),
    (Contents::Random, 5),
    (Contents::Random, 6),
    (Contents::Edges, 4),
    (Contents::Dense, 2),
    (Contents::Tiny, 2),
];
/// Times that random results stand in for a damaged instruction's.
const SCRAMBLES: u64 = 6;

/// What is done to an instruction.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FaultKind {
    /// A scoreboard wait is removed; on Broadwell to Ice Lake, the hardware's watch over the result is
    /// switched off.
    Dependency,
    /// A source's region is exchanged.
    Region,
    /// JIP leads elsewhere.
    Jip,
    /// A spill or fill goes to the next slot.
    Spill,
}

/// What became of a fault.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum FaultVerdict {
    /// The emulator reported it, or could not go on.
    Reported,
    /// Memory differs.
    Changed,
    /// The static rules of the scoreboard are broken on a path that no input takes.
    Static,
    /// It has no effect, for this reason.
    Dead(&'static str),
    /// It changes what some instructions compute, on all inputs to no effect: none of them branches,
    /// addresses or stores. Where the last of them is.
    Masked(u32),
    /// Nobody noticed.
    Missed,
}

/// One planted fault.
#[derive(Clone, Debug)]
pub struct Planted {
    /// The kernel.
    pub kernel: String,
    /// Byte offset and text of the damaged instruction.
    pub place: String,
    /// What was done.
    pub kind: FaultKind,
    /// What became of it.
    pub verdict: FaultVerdict,
}

/// A kernel that runs, with what intact code does.
struct Subject<'a> {
    kernel: &'a TestKernel,
    platform: Platform,
    program: Program,
    insts: Vec<(u32, Inst<Physical>)>,
    runs: Vec<Intact>,
    /// Places where the intact code waits for less than the static rules ask for.
    unmet: Vec<u32>,
}

/// What intact code does with some input.
struct Intact {
    setup: Setup,
    options: Options,
    report: RunReport,
    after: Memory,
}

impl Intact {
    fn new(program: &Program, setup: Setup, options: Options) -> Option<Intact> {
        let (report, after) = run(program, &setup, &options).ok()?;
        Some(Intact { setup, options, report, after })
    }

    /// What a damaged program does differently.
    fn difference(&self, damaged: &Program) -> Option<FaultVerdict> {
        let Ok((report, after)) = run(damaged, &self.setup, &self.options) else {
            return Some(FaultVerdict::Reported);
        };
        let known =
            |r: &emulator::Report| self.report.reports.iter().any(|i| (i.fault, i.pc) == (r.fault, r.pc));
        if !report.reports.iter().all(known) {
            return Some(FaultVerdict::Reported);
        }
        (!self.leaves(&after)).then_some(FaultVerdict::Changed)
    }

    /// Whether this is the memory that intact code leaves.
    fn leaves(&self, after: &Memory) -> bool {
        after.buffers().zip(self.after.buffers()).all(|(a, b)| a.2 == b.2)
    }
}

type Ran = Result<(RunReport, Memory), emulator::Error>;

fn run(program: &Program, setup: &Setup, options: &Options) -> Ran {
    let mut memory = setup.memory.clone();
    let kept = memory.count();
    let dispatch = Dispatch::new(program.platform(), &setup.launch, &mut memory)?;
    let report = run_program(program, &dispatch, &mut memory, options)?;
    memory.truncate(kept);
    Ok((report, memory))
}

fn strict() -> Options {
    Options { max_instructions: MAX_INSTRUCTIONS, ..Options::default() }
}

/// What a damaged program does differently on any input: rather a report than other memory.
fn difference(runs: &[Intact], damaged: &Program) -> Option<FaultVerdict> {
    let mut found = None;
    for intact in runs {
        match intact.difference(damaged) {
            Some(FaultVerdict::Reported) => return Some(FaultVerdict::Reported),
            other => found = found.or(other),
        }
    }
    found
}

impl<'a> Subject<'a> {
    fn new(platform: Platform, kernel: &'a TestKernel) -> Option<Subject<'a>> {
        let mut runs = Vec::new();
        let mut program = None;
        for seed in SEEDS {
            let setup = Setup::new(kernel, seed).ok()?;
            let code = setup.intel(kernel).ok()?;
            let loaded = Program::load(platform, &code).ok()?;
            runs.push(Intact::new(&loaded, setup, strict())?);
            program = Some(loaded);
        }
        let program = program?;
        let insts: Option<Vec<_>> = program.insts().map(|(at, inst)| Some((at, *inst?))).collect();
        let insts = insts?;
        let unmet = finalizer::swsb::unmet(&blocks::blocks(platform, &insts, false));
        Some(Subject { kernel, platform, program, insts, runs, unmet })
    }

    /// What intact code does with more inputs, those that are expected to tell something first.
    fn more(&self) -> Vec<Intact> {
        let info = zebin::info::find(&self.kernel.ze_info, &self.kernel.name);
        let cases = expected::cases(self.platform, self.kernel).unwrap_or_default();
        let cases = cases.iter().filter_map(|case| {
            let (launch, memory) = case.launch(info.clone().ok()?);
            Setup::over(self.kernel, launch, memory).ok()
        });
        let seeds = MORE.iter().filter_map(|&(c, seed)| Setup::with(self.kernel, seed, c).ok());
        // The threads of a group get in each other's way if they can.
        let options = Options { turn: 16, ..strict() };
        let ran = cases.chain(seeds).map(|setup| Intact::new(&self.program, setup, options.clone()));
        ran.flatten().collect()
    }

    fn damaged(&self, at: usize, inst: Inst<Physical>) -> Program {
        self.program.with_inst(self.insts[at].0, inst).expect("an instruction starts there")
    }

    fn judge(&self, at: usize, kind: FaultKind, inst: Inst<Physical>) -> FaultVerdict {
        let damaged = self.damaged(at, inst);
        if let Some(verdict) = difference(&self.runs, &damaged) {
            return verdict;
        }
        let more = self.more();
        if let Some(verdict) = more.iter().find_map(|intact| intact.difference(&damaged)) {
            return verdict;
        }
        let all: Vec<&Intact> = self.runs.iter().chain(&more).collect();
        if let Some(reason) = self.no_effect(at, kind, inst, &all) {
            return FaultVerdict::Dead(reason);
        }
        if kind == FaultKind::Dependency && self.platform.caps().scoreboard.software {
            return FaultVerdict::Static;
        }
        let changed = self.changed(at, inst, &all);
        let decides = |i: &usize| self.insts[*i].1.op.is_send() || self.insts[*i].1.op.is_branch();
        match changed.last() {
            Some(last) if !changed.iter().any(decides) => FaultVerdict::Masked(self.insts[*last].0),
            _ => FaultVerdict::Missed,
        }
    }

    /// Why a fault that makes no difference makes none.
    fn no_effect(
        &self,
        at: usize,
        kind: FaultKind,
        inst: Inst<Physical>,
        runs: &[&Intact],
    ) -> Option<&'static str> {
        match kind {
            FaultKind::Dependency if self.covered(at, inst) => Some("other waits cover it on every path"),
            // Both regions have the first element.
            FaultKind::Region if self.unused(&self.program, Poison::At(self.insts[at].0, !1), runs) => {
                Some("no branch, address or store uses what other elements make different")
            }
            FaultKind::Region if self.changed(at, inst, runs).is_empty() => {
                Some("both regions hold the same values")
            }
            FaultKind::Region if self.any_will_do(at, runs) => {
                Some("random results in place of its own make no difference")
            }
            FaultKind::Spill => {
                let poison = Poison::At(self.insts[at].0, u32::MAX);
                let unused = [&self.program, &self.damaged(at, inst)]
                    .into_iter()
                    .all(|p| self.unused(p, poison, runs));
                unused.then_some("neither slot is read before it is written again")
            }
            FaultKind::Jip => {
                let mut without = self.insts[at].1;
                if let Payload::Branch { jip, .. } = &mut without.payload {
                    *jip = Target::None;
                }
                let without = self.damaged(at, without);
                if runs.iter().all(|intact| intact.difference(&without).is_none()) {
                    return Some("some channel always goes on, JIP is never taken");
                }
                if self.nothing_between(at, inst) {
                    return Some("no instruction between the two places runs without channels");
                }
                self.unused(&self.damaged(at, inst), Poison::Idle, runs)
                    .then_some("nothing is used of what runs on the way without channels")
            }
            _ => None,
        }
    }

    /// Whether the static rules, which are the scoreboard pass's and not the emulator's, find nothing
    /// missing that was not missing before.
    fn covered(&self, at: usize, inst: Inst<Physical>) -> bool {
        if !self.platform.caps().scoreboard.software {
            return false;
        }
        let mut insts = self.insts.clone();
        insts[at].1 = inst;
        let unmet = finalizer::swsb::unmet(&blocks::blocks(self.platform, &insts, false));
        unmet.iter().all(|n| self.unmet.contains(n))
    }

    /// Whether nothing observable depends on what some instructions compute: their results count as
    /// undefined, everything else as defined, and nothing undefined decides anything or is stored.
    fn unused(&self, program: &Program, poison: Poison, runs: &[&Intact]) -> bool {
        runs.iter().all(|intact| {
            let options = Options { poison: Some(poison), scoreboard: false, ..intact.options.clone() };
            let ran = run(program, &intact.setup, &options);
            ran.is_ok_and(|(r, _)| {
                r.reports.iter().all(|r| !matches!(r.fault, Fault::Uninitialized | Fault::UndefinedData))
            })
        })
    }

    /// Whether random results of the instruction leave the same memory.
    fn any_will_do(&self, at: usize, runs: &[&Intact]) -> bool {
        (1..=SCRAMBLES).all(|seed| {
            let scramble = Some((self.insts[at].0, seed));
            runs.iter().all(|intact| {
                let options = Options { scramble, scoreboard: false, ..intact.options.clone() };
                let ran = run(&self.program, &intact.setup, &options);
                ran.is_ok_and(|(_, after)| intact.leaves(&after))
            })
        })
    }

    /// The instructions whose results, or whose number of runs, the fault changes on any input.
    fn changed(&self, at: usize, inst: Inst<Physical>, runs: &[&Intact]) -> Vec<usize> {
        let damaged = self.damaged(at, inst);
        let mut changed = vec![false; self.insts.len()];
        for intact in runs {
            let options = Options { results: true, scoreboard: false, ..intact.options.clone() };
            let ran = [&self.program, &damaged].map(|p| run(p, &intact.setup, &options));
            let [Ok((a, _)), Ok((b, _))] = ran else { return vec![at] };
            for (i, changed) in changed.iter_mut().enumerate() {
                *changed |= a.results[i] != b.results[i] || a.executed[i] != b.executed[i];
            }
        }
        (0..changed.len()).filter(|i| changed[*i]).collect()
    }

    /// Whether only masked instructions stand between the old and the new JIP, which do nothing while no
    /// channel is on, and no place where channels may wait.
    fn nothing_between(&self, at: usize, inst: Inst<Physical>) -> bool {
        let (offset, old) = &self.insts[at];
        let place = |i: &Inst<Physical>| match i.targets() {
            Some((Target::Rel(d), _)) => i64::from(*offset) + i64::from(d),
            _ => -1,
        };
        let (a, b) = (place(old), place(&inst));
        let between = |at: u32| (a.min(b)..a.max(b)).contains(&at.into());
        self.insts
            .iter()
            .filter(|(at, _)| between(*at))
            .all(|(_, i)| !i.no_mask && !i.op.is_branch() && !i.is_eot())
    }
}

/// The instruction, damaged; `None` where this kind of fault does not apply to it.
fn damage(
    kind: FaultKind,
    inst: &Inst<Physical>,
    subject: &Subject<'_>,
    at: usize,
    random: &mut SplitMix,
) -> Option<Inst<Physical>> {
    let mut out = *inst;
    match kind {
        FaultKind::Dependency if subject.platform.caps().scoreboard.software => {
            let token = matches!(inst.swsb.sbid, Some((SbidMode::Src | SbidMode::Dst, _)));
            match (inst.swsb.dist, token, inst.payload) {
                (Some(_), true, _) if below(random, 2) == 0 => out.swsb.sbid = None,
                (Some(_), ..) => out.swsb.dist = None,
                (None, true, _) => out.swsb.sbid = None,
                (_, _, Payload::Sync(SyncFn::AllRd | SyncFn::AllWr)) => {
                    out.payload = Payload::Sync(SyncFn::Nop);
                    out.src[0] = Src::None;
                }
                _ => return None,
            }
        }
        FaultKind::Dependency => {
            let grf = matches!(inst.dst, Dst::Direct { reg, .. } if matches!(reg.base(), Base::Grf(_)));
            if !subject.platform.caps().scoreboard.no_dd || !grf || inst.op.is_send() || inst.op.is_branch() {
                return None;
            }
            out.opts = inst.opts.with(InstOptions::NO_DD_CLR);
        }
        FaultKind::Region => {
            if inst.exec.lanes() == 1 || inst.op.is_send() || inst.op.is_branch() {
                return None;
            }
            let regions: Vec<usize> = (0..3)
                .filter(|&i| matches!(inst.src[i], Src::Direct { reg, .. } if !reg.is_null()))
                .collect();
            let &which = regions.get(below(random, regions.len().max(1)))?;
            let Src::Direct { region, .. } = &mut out.src[which] else { return None };
            let width = inst.exec.lanes().min(8) as u8;
            *region =
                match (region.is_scalar(), region.width == Region::ABSENT, region.vert == Region::ABSENT) {
                    (true, true, true) => Region::ternary_last(1),
                    (true, true, false) => Region::ternary(1, 1),
                    (true, false, _) => Region::new(width, width, 1),
                    (false, true, true) => Region::ternary_last(0),
                    (false, true, false) => Region::ternary(0, 0),
                    (false, false, _) => Region::SCALAR,
                };
        }
        FaultKind::Jip => {
            let Payload::Branch { jip: Target::Rel(old), .. } = inst.payload else { return None };
            if inst.op == Op::Call {
                return None;
            }
            let here = i64::from(subject.insts[at].0);
            let to = i64::from(subject.insts[below(random, subject.insts.len())].0);
            let Payload::Branch { jip, .. } = &mut out.payload else { return None };
            let new = (to - here) as i32;
            if new == old || new == 0 {
                return None;
            }
            *jip = Target::Rel(new);
        }
        FaultKind::Spill => {
            let Payload::Send(info) = &mut out.payload else { return None };
            let Desc::Imm(desc) = &mut info.desc else { return None };
            let block = ScratchBlock::from(*desc);
            if info.sfid != gen_ir::Sfid::Dc0 || !block.scratch() || info.eot {
                return None;
            }
            // Offsets count 32 bytes; the next slot is as many behind as the message moves.
            let slot = 1 << block.size_log2();
            *desc = block.with_offset((block.offset() + slot) & 0xfff).into();
        }
    }
    Some(out)
}

/// Plants `picks` faults, of all kinds in turn, in Intel's code for a platform.
pub fn plant(platform: Platform, picks: usize, seed: u64) -> Vec<Planted> {
    let all = kernels(platform);
    let mut random = SplitMix::new(seed);
    let mut subjects: BTreeMap<usize, Option<Subject<'_>>> = BTreeMap::new();
    let mut out = Vec::new();
    let spilling: Vec<usize> =
        (0..all.len()).filter(|&i| all[i].asm.contains("scratch space fill")).collect();
    let mut tries = 0;
    while out.len() < picks && tries < picks * 100 {
        tries += 1;
        let kind =
            [FaultKind::Dependency, FaultKind::Region, FaultKind::Jip, FaultKind::Spill][out.len() % 4];
        let index = match kind {
            FaultKind::Spill if !spilling.is_empty() => spilling[below(&mut random, spilling.len())],
            _ => below(&mut random, all.len()),
        };
        let subject = subjects.entry(index).or_insert_with(|| Subject::new(platform, &all[index]));
        let Some(subject) = subject else { continue };
        let executed: Vec<usize> =
            (0..subject.insts.len()).filter(|&i| subject.runs[0].report.executed[i].1 > 0).collect();
        let candidates: Vec<(usize, Inst<Physical>)> = executed
            .into_iter()
            .filter_map(|i| Some((i, damage(kind, &subject.insts[i].1, subject, i, &mut random)?)))
            .collect();
        if candidates.is_empty() {
            continue;
        }
        let (at, inst) = candidates[below(&mut random, candidates.len())];
        let verdict = subject.judge(at, kind, inst);
        let (offset, intact) = &subject.insts[at];
        let place = format!("{offset:#x}: {intact}  ->  {inst}");
        out.push(Planted { kernel: subject.kernel.id(), place, kind, verdict });
    }
    out
}

fn below(random: &mut SplitMix, n: usize) -> usize {
    (random.bits() % n as u64) as usize
}
