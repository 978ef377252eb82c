//! Runs the code of a kernel on its cases and compares with what is expected.

use emulator::{Options as RunOptions, Report};
use finalizer::{Diagnostic, Grf, Options};
use platforms::Platform;

use super::{Case, cases};
use crate::{
    data::{SYMBOL_TABLE, TestKernel, kernels},
    differential::{self, SCRATCH},
    interpreted,
    launches::{NoLaunch, Setup},
};

/// Instructions that a case may take.
const MAX_INSTRUCTIONS: u64 = 5_000_000;

/// How code did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// Every case gives what is expected, and nothing is reported.
    Agrees,
    /// The finalizer refused the kernel.
    Refused(String),
    /// A case does not come to its end.
    Fails(String),
    /// A buffer holds something else.
    Wrong(String),
    /// The results are right, but the code breaks a rule of the machine.
    Reported(String),
    /// The code cannot run, for a reason that is known and not ours.
    Unfit(&'static str),
}

impl Judgement {
    /// Short name of the kind, and the rest.
    pub fn parts(&self) -> (&'static str, &str) {
        match self {
            Judgement::Agrees => ("agrees", ""),
            Judgement::Refused(why) => ("refused", why),
            Judgement::Fails(why) => ("fails", why),
            Judgement::Wrong(why) => ("wrong", why),
            Judgement::Reported(why) => ("reported", why),
            Judgement::Unfit(why) => ("unfit", why),
        }
    }
}

/// Why Intel's code cannot say anything of a platform: instructions that it lacks.
fn foreign(platform: Platform, fault: &str) -> Option<&'static str> {
    (platform == Platform::Bdw && fault.contains("Opcode is 0x33"))
        .then_some("a split send, which Broadwell does not have")
}

/// How the three ways of running a kernel did on its cases.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// Intel's code on the emulator.
    pub intel: Judgement,
    /// Our code on the emulator.
    pub ours: Judgement,
    /// The vISA interpreter.
    pub interpreter: Judgement,
}

impl Verdict {
    /// Whether no way disagrees with what is expected.
    pub fn agrees(&self) -> bool {
        self.ways().all(|(_, j)| matches!(j, Judgement::Agrees | Judgement::Unfit(_)))
    }

    /// The ways by name.
    pub fn ways(&self) -> impl Iterator<Item = (&'static str, &Judgement)> {
        [("Intel's code", &self.intel), ("our code", &self.ours), ("the interpreter", &self.interpreter)]
            .into_iter()
    }
}

/// Runs a kernel every way.
///
/// # Errors
/// Why the kernel has no cases.
pub fn judge(platform: Platform, kernel: &TestKernel) -> Result<Verdict, &'static str> {
    judge_with(platform, kernel, Grf::Kernel)
}

/// The same, our code with so many registers.
///
/// # Errors
/// Why the kernel has no cases.
pub fn judge_with(platform: Platform, kernel: &TestKernel, grf: Grf) -> Result<Verdict, &'static str> {
    let cases = cases(platform, kernel)?;
    let intel = if platform.with_kernels() != platform {
        Judgement::Unfit("made for another platform")
    } else {
        match over(kernel, &cases, |setup| emulate(platform, setup.intel(kernel), setup)) {
            Judgement::Fails(why) => foreign(platform, &why).map_or(Judgement::Fails(why), Judgement::Unfit),
            other => other,
        }
    };
    let mut ours = ours(platform, (kernel, grf), &cases).unwrap_or_else(|faults| {
        Judgement::Refused(faults.first().map(ToString::to_string).unwrap_or_default())
    });
    if ours == Judgement::Agrees
        && let Some(why) = uncalled(platform, kernel)
    {
        ours = Judgement::Fails(why);
    }
    let interpreter = match interpreted::module(platform, kernel) {
        Err(why) => Judgement::Refused(why),
        Ok(module) => over(kernel, &cases, |s| {
            let (launch, memory) = (&s.launch, &mut s.memory);
            emulator::visa::run_linked(platform, &module, 0, &s.program, launch, memory, &options())
                .map(|r| r.reports)
        }),
    };
    Ok(Verdict { intel, ours, interpreter })
}

/// Our code, with our code for the functions that it calls by address.
fn ours(
    platform: Platform,
    (kernel, grf): (&TestKernel, Grf),
    cases: &[Case],
) -> Result<Judgement, Vec<Diagnostic>> {
    let finalize = |k| differential::finalize_with(Options { grf, ..Options::new(platform) }, k);
    let binary = finalize(kernel)?;
    let table = differential::symbol_table(kernel).map(finalize).transpose()?;
    Ok(over(kernel, cases, |setup| {
        let launched = &mut setup.launch.kernel;
        launched.scratch = launched.scratch.max(SCRATCH).max(binary.info.scratch_bytes);
        launched.grf_count = binary.info.grf_count.into();
        emulate(platform, setup.ours(&binary, table.as_ref()), setup)
    }))
}

/// A function of a container that no kernel of its program calls, whose results say that it is right.
fn uncalled(platform: Platform, table: &TestKernel) -> Option<String> {
    if table.functions.is_empty() || table.name != SYMBOL_TABLE {
        return None;
    }
    let functions = differential::finalize(platform, table).ok()?;
    let mut left: Vec<(&str, u32)> =
        functions.info.functions.iter().map(|f| (f.name.as_str(), f.offset)).collect();
    for kernel in kernels(platform) {
        if differential::symbol_table(kernel).is_none_or(|t| t.id() != table.id()) {
            continue;
        }
        let (Ok(binary), Ok(cases)) = (differential::finalize(platform, kernel), cases(platform, kernel))
        else {
            continue;
        };
        over(kernel, &cases, |setup| {
            setup.launch.kernel.scratch = setup.launch.kernel.scratch.max(SCRATCH);
            let code = setup.ours(&binary, Some(&functions))?;
            // The functions stand last.
            let base = (code.len() - functions.code.len()) as u32;
            let (launch, memory) = (&setup.launch, &mut setup.memory);
            let report = emulator::run(platform, &code, launch, memory, &options())?;
            left.retain(|(_, at)| !report.executed.iter().any(|(pc, n)| *pc == base + at && *n > 0));
            Ok(report.reports)
        });
    }
    left.first().map(|(name, _)| format!("no kernel calls {name}"))
}

fn options() -> RunOptions {
    RunOptions { max_instructions: MAX_INSTRUCTIONS, ..RunOptions::default() }
}

fn emulate(
    platform: Platform,
    code: Result<Vec<u8>, emulator::Error>,
    setup: &mut Setup,
) -> Result<Vec<Report>, emulator::Error> {
    emulator::run(platform, &code?, &setup.launch, &mut setup.memory, &options()).map(|r| r.reports)
}

/// One way of running over all cases; the first bad one counts.
fn over(
    kernel: &TestKernel,
    cases: &[Case],
    mut run: impl FnMut(&mut Setup) -> Result<Vec<Report>, emulator::Error>,
) -> Judgement {
    let info = match zebin::info::find(&kernel.ze_info, &kernel.name) {
        Ok(info) => info,
        Err(e) => return Judgement::Fails(e.to_string()),
    };
    for (k, case) in cases.iter().enumerate() {
        let (launch, memory) = case.launch(info.clone());
        let mut setup = match Setup::over(kernel, launch, memory) {
            Ok(setup) => setup,
            Err(NoLaunch(why)) => return Judgement::Fails(why),
        };
        let place = if cases.len() > 1 { format!("case {k}: ") } else { String::new() };
        match run(&mut setup) {
            Err(e) => return Judgement::Fails(format!("{place}{e}")),
            Ok(reports) => {
                if let Err(wrong) = case.judge(&setup.memory) {
                    return Judgement::Wrong(format!("{place}{wrong}"));
                }
                if let Some(report) = reports.iter().find(|r| r.fault.is_error()) {
                    return Judgement::Reported(format!("{place}{report}"));
                }
            }
        }
    }
    Judgement::Agrees
}
