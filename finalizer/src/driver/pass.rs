//! What a pass is, sets of passes, and what every pass is wrapped in: its time, a look at its result.

use std::{
    fmt::{self, Display, Write},
    time::Instant,
};

use gen_ir::{Kernel, Physical, Profile, Virtual};
use platforms::Caps;

use crate::{
    Diagnostic, Options, PassSet, PassTime, Refusal,
    driver::{
        whole::Whole,
        workspace::{Job, Workspace},
    },
    optimize::{Analysis, AnalysisSet},
};

/// One step from vISA to machine code: a row of [`PASSES`](crate::PASSES).
#[derive(Clone, Copy)]
pub struct Pass {
    /// Its name, for options and statistics.
    pub name: &'static str,
    /// What it does.
    pub about: &'static str,
    /// Code is right without it: [`Options::skip`](crate::Options::skip) may name it.
    pub optional: bool,
    pub(crate) step: PassBody,
    /// Analyses that hold still when the pass has changed the kernel.
    pub(crate) keeps: AnalysisSet,
    /// What the verifier holds the kernel to from here on.
    pub(crate) profile: Profile,
    /// Platforms that need it; all if there is no such row.
    pub(crate) only: Option<Need>,
}

/// Whether a platform needs a pass.
#[derive(Clone, Copy)]
pub(crate) struct Need {
    on: fn(&Caps) -> bool,
    /// Why others do not.
    else_because: &'static str,
}

type Allocate = fn(&mut Job<'_>, Kernel<Virtual>, &mut Workspace) -> Result<Kernel<Physical>, Refusal>;

/// What a pass works on.
#[derive(Clone, Copy)]
pub(crate) enum PassBody {
    /// The vISA kernel: looks at it.
    Source(fn(&mut Job<'_>, &mut Workspace) -> Result<(), Refusal>),
    /// Makes Gen instructions over variables.
    Lower(fn(&mut Job<'_>, &mut Workspace) -> Result<Kernel<Virtual>, Refusal>),
    /// Changes them. Returns whether it may have.
    Virtual(fn(&mut Kernel<Virtual>, &mut Workspace) -> Result<bool, Refusal>),
    /// Gives the variables registers.
    Allocate(Allocate),
    /// Changes code over registers.
    Physical(fn(&mut Kernel<Physical>, &mut Job<'_>, &mut Workspace) -> Result<(), Refusal>),
    /// Works on the kernel together with its functions. Then why there is nothing to print.
    Binary(fn(&mut Whole<'_>) -> Result<(), Refusal>, &'static str),
}

/// A row of a pass that code is not right without. It keeps no analysis, and every platform needs it.
pub(super) const fn required(name: &'static str, step: PassBody, about: &'static str) -> Pass {
    let keeps = AnalysisSet::NONE;
    Pass { name, about, optional: false, step, keeps, profile: Profile::Lowered, only: None }
}

/// The same of one that code is right without.
pub(super) const fn optional(name: &'static str, step: PassBody, about: &'static str) -> Pass {
    Pass { optional: true, ..required(name, step, about) }
}

/// The rows, each with the profile of the last row that names one.
pub(super) const fn with_profiles<const N: usize>(mut rows: [Pass; N]) -> [Pass; N] {
    let mut i = 1;
    while i < N {
        if let Profile::Lowered = rows[i].profile {
            rows[i].profile = rows[i - 1].profile;
        }
        i += 1;
    }
    rows
}

impl Pass {
    /// Analyses that hold still when the pass has changed the kernel.
    pub(super) const fn keeps(self, analyses: &[Analysis]) -> Pass {
        Pass { keeps: self.keeps.with(AnalysisSet::of(analyses)), ..self }
    }

    /// What the verifier holds the kernel to, from this pass on.
    pub(super) const fn verified_as(self, profile: Profile) -> Pass {
        Pass { profile, ..self }
    }

    /// The platforms that need the pass, and why others do not.
    pub(super) const fn only(self, on: fn(&Caps) -> bool, else_because: &'static str) -> Pass {
        Pass { only: Some(Need { on, else_because }), ..self }
    }

    /// Where a platform has no need of the pass: why.
    pub fn needless_on(&self, caps: &Caps) -> Option<&'static str> {
        self.only.filter(|need| !(need.on)(caps)).map(|need| need.else_because)
    }
}

impl fmt::Debug for Pass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pass").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Code of one routine, as far as the passes have come.
pub(crate) enum Code {
    /// There is only the vISA kernel.
    Source,
    Virtual(Kernel<Virtual>),
    Physical(Kernel<Physical>),
}

/// Carried through the passes of one kernel.
#[derive(Debug)]
pub(crate) struct Tracker {
    print_after: PassSet,
    /// When the pass began, if passes are timed: reading the clock takes longer than some of them on a small
    /// kernel.
    started: Option<Instant>,
    /// Times so far, in order.
    pub times: Vec<PassTime>,
    /// Text asked for by `print_after`.
    pub printed: Option<String>,
}

impl Tracker {
    /// A tracker that notes its times in a list that is there already.
    pub fn new(options: &Options, mut times: Vec<PassTime>) -> Tracker {
        times.clear();
        let started = options.timings.then(Instant::now);
        Tracker { print_after: options.print_after, started, times, printed: None }
    }

    /// The kernel is made from the start: what was printed of it before is not what comes of it. The time counts.
    pub fn again(&mut self) {
        self.printed = None;
    }

    /// What follows is the next pass's time.
    pub fn start(&mut self) {
        self.started = self.started.map(|_| Instant::now());
    }

    /// Closes the pass that ran since the last call.
    pub fn done(&mut self, pass: &Pass) {
        let Some(started) = self.started else { return };
        let now = Instant::now();
        self.times.push(PassTime { pass: pass.name, time: now - started });
        self.started = Some(now);
    }

    /// Whether the result of pass number `index` is to be printed.
    pub fn prints(&self, index: usize) -> bool {
        self.print_after.has(index)
    }

    /// Keeps what is to be said after a pass. The printing is not timed.
    pub fn print(&mut self, pass: &Pass, kernel: &str, what: &dyn Display) {
        let text = self.printed.get_or_insert_default();
        write!(text, "// {kernel} after {}: {what}", pass.name).expect("writing to a string");
        if !text.ends_with('\n') {
            text.push('\n');
        }
        self.start();
    }
}

impl Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Code::Source => f.write_str("the vISA kernel as it came in; `--emit visaasm` writes it"),
            Code::Virtual(kernel) => write!(f, "\n{kernel}"),
            Code::Physical(kernel) => write!(f, "\n{kernel}"),
        }
    }
}

/// Faults of code after a pass. What is reported here is a fault of ours, not of the input, but a refusal
/// serves the user better than code that the hardware may misread.
pub(crate) fn verify(pass: &Pass, code: &Code) -> Result<(), Refusal> {
    let faults = match code {
        Code::Source => return Ok(()),
        Code::Virtual(kernel) => faults(pass, kernel, gen_ir::verify(kernel, pass.profile)),
        Code::Physical(kernel) => {
            let mut faults = faults(pass, kernel, gen_ir::verify(kernel, pass.profile));
            faults.extend(broken_rules(kernel));
            faults
        }
    };
    if faults.is_empty() { Ok(()) } else { Err(Refusal(faults)) }
}

fn faults<S: gen_ir::Space>(
    pass: &Pass,
    kernel: &Kernel<S>,
    violations: Vec<gen_ir::Violation>,
) -> Vec<Diagnostic> {
    let fault = |v: gen_ir::Violation| {
        let inst = kernel.blocks.get(v.block.index()).and_then(|b| b.insts.get(v.inst));
        let text = inst.map_or_else(String::new, |i| format!(" (`{i}`)"));
        let d = Diagnostic::error("BadCode", format!("after the pass `{}`: {v}{text}", pass.name));
        let d = d.in_kernel(&*kernel.name);
        match inst {
            Some(i) => d.at_instruction(i.origin, i.op.name()),
            None => d,
        }
    };
    violations.into_iter().map(fault).collect()
}

/// What breaks the hardware's rules, a fault each.
pub(crate) fn broken_rules(kernel: &Kernel<Physical>) -> Vec<Diagnostic> {
    let mut faults = Vec::new();
    for (_, inst) in kernel.insts() {
        for broken in gen_ir::rules::check_in(kernel.platform, kernel.grf_count, inst) {
            let d = Diagnostic::error(
                "RuleBroken",
                format!("the code for it, `{inst}`, breaks a rule: {broken}"),
            );
            faults.push(d.in_kernel(&*kernel.name).at_instruction(inst.origin, inst.op.name()));
        }
    }
    faults
}
