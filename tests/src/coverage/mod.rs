//! Every instruction, over types and execution sizes, on every platform: what becomes of it.
//!
//! A [`forms::Form`] stands in a kernel of its own ([`program`]) that loads its operands from memory and stores
//! its results. The code that we make of it runs on the emulator beside the vISA interpreter; whether Intel's
//! finalizer takes it stands recorded ([`record`]). Messages have a judge of their own ([`crate::messages`]).

pub mod causes;
pub mod forms;
pub mod open;
mod ours;
mod program;
pub mod random;
pub mod record;

use std::{
    collections::BTreeMap,
    fmt::Write,
    panic::{AssertUnwindSafe, catch_unwind},
};

use emulator::{Buffer, Memory, Options as RunOptions, RawLaunch, Surface};
use finalizer::{Finalizer, Options};
use platforms::Platform;

use self::{
    forms::Form,
    ours::linked,
    program::{BYTES, contents, simd},
    record::Recorded,
};
pub use self::{
    ours::{code, is_plain, meaningless, read, refusal},
    program::program,
};
use crate::{
    impossible::reason,
    interpreted::{Grant, close},
    oracle::GenxIr,
};

/// What became of a form on a platform.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fate {
    /// Our code does what the interpreter does.
    Proved,
    /// It does something else, or the interpreter does not know the form.
    Wrong(String),
    /// We refuse it, Intel's finalizer takes it.
    Refused(String),
    /// Nobody takes it, or the hardware does not have it whatever Intel's finalizer writes: the reason says so.
    Impossible(String),
}

impl Fate {
    /// A word for the table.
    pub const fn name(&self) -> &'static str {
        match self {
            Fate::Proved => "proved",
            Fate::Wrong(_) => "wrong",
            Fate::Refused(_) => "refused by us alone",
            Fate::Impossible(_) => "impossible",
        }
    }

    /// Neither proved nor impossible: work is left.
    pub const fn is_open(&self) -> bool {
        matches!(self, Fate::Wrong(_) | Fate::Refused(_))
    }

    /// What there is to say besides.
    pub fn detail(&self) -> &str {
        match self {
            Fate::Proved => "",
            Fate::Wrong(why) | Fate::Refused(why) | Fate::Impossible(why) => why,
        }
    }
}

/// Judges a form without asking anybody: what is refused, is.
pub fn alone(platform: Platform, form: &Form) -> Fate {
    match catch_unwind(AssertUnwindSafe(|| run(platform, form))) {
        Ok(Ok(())) => Fate::Proved,
        Ok(Err((true, why))) => Fate::Refused(why),
        Ok(Err((false, why))) => Fate::Wrong(why),
        Err(_) => Fate::Wrong("a panic".into()),
    }
}

/// Judges a form; a panic is a fault too.
pub fn judge(platform: Platform, form: &Form, recorded: &Recorded) -> Fate {
    match catch_unwind(AssertUnwindSafe(|| run(platform, form))) {
        Ok(Ok(())) => Fate::Proved,
        Ok(Err((true, why))) if !lacking(&why) && recorded.takes(&form.line) => Fate::Refused(why),
        Ok(Err((true, why))) => Fate::Impossible(why),
        Ok(Err((false, why))) => Fate::Wrong(why),
        Err(_) => Fate::Wrong("a panic".into()),
    }
}

/// Whether a refusal says that the platform lacks something.
fn lacking(why: &str) -> bool {
    ["not exist", "does not have", "has no "].iter().any(|words| why.contains(words))
}

/// What a form's programs run on: memory with operands, the buffer of results, the launch.
struct Trial {
    memory: Memory,
    output: Buffer,
    launch: RawLaunch,
}

impl Trial {
    fn new(form: &Form) -> Trial {
        let mut memory = Memory::new();
        let input = memory.add("operands", contents());
        let output = memory.add("results", vec![0; 2 * BYTES as usize]);
        let surface =
            |b| Some(Surface { base: memory.address(b), size: memory.bytes(b).len() as u64, image: None });
        let launch = RawLaunch {
            simd: simd(&form.line),
            groups: [1; 3],
            threads: 1,
            surfaces: vec![surface(input), surface(output)],
            scratch: 1 << 16,
            ..RawLaunch::default()
        };
        Trial { memory, output, launch }
    }

    fn options() -> RunOptions {
        RunOptions { max_instructions: 100_000, ..RunOptions::default() }
    }

    /// What the interpreter leaves.
    fn interpreted(
        &self,
        platform: Platform,
        module: &visa::Module,
        options: &RunOptions,
    ) -> Result<Vec<u8>, String> {
        let mut memory = self.memory.clone();
        let said = emulator::visa::run_raw(platform, module, 0, &self.launch, &mut memory, options)
            .map_err(|e| format!("interpreter: {e}"))?;
        match said.reports.iter().find(|r| r.fault.is_error() && options.strict) {
            Some(report) => Err(format!("interpreter: {report}")),
            None => Ok(memory.bytes(self.output).to_vec()),
        }
    }

    /// What machine code leaves.
    fn run(&self, platform: Platform, code: &[u8], whose: &str) -> Result<Vec<u8>, String> {
        let mut memory = self.memory.clone();
        let said = emulator::run_raw(platform, code, &self.launch, &mut memory, &Trial::options())
            .map_err(|e| format!("{whose}: {e}"))?;
        match said.reports.iter().find(|r| r.fault.is_error()) {
            Some(report) => Err(format!("{whose}: {report}")),
            None => Ok(memory.bytes(self.output).to_vec()),
        }
    }
}

/// Instructions that the specification grants a precision, and sums of products, of which it does not say after how many
/// steps they are rounded. All others are exact, rounded once.
const FUNCTIONS: [&str; 23] = [
    "cos", "div", "divm", "dp2", "dp3", "dp4", "dph", "exp", "inv", "invm", "line", "log", "lrp", "mod",
    "plane", "pow", "rsqrt", "rsqtm", "sin", "sqrt", "sqrtm", "tanh", "sigm",
];

/// Where two results of a form differ in what a third, of another run of the first, says means something.
fn difference(form: &Form, wanted: &[u8], found: &[u8], again: &[u8]) -> Option<usize> {
    let double = form.line.contains("X_df(") || form.line.contains("&X ") && form.line.contains(">:df ");
    let exact = !FUNCTIONS.contains(&form.op);
    let near = |at: usize| match (double, exact) {
        (true, _) => close_double(wanted, found, at, exact),
        (_, true) => close(wanted, found, at, Grant::Nans),
        (_, false) => close(wanted, found, at, Grant::Functions),
    };
    // Sums of differences stand in even channels; what odd ones hold is open.
    let place = || {
        let (_, to) = form.line.split_once(" X_")?;
        let (_, to) = to.split_once(',')?;
        let (column, rest) = to.split_once(")<")?;
        Some((column.parse::<usize>().ok()?, rest.split('>').next()?.parse::<usize>().ok()?))
    };
    let (column, stride) = place().unwrap_or((0, 1));
    let sums = form.op.starts_with("sad2");
    let open = |at: usize| sums && (at / 2).wrapping_sub(column) / stride % 2 == 1;
    (0..wanted.len()).find(|&at| !open(at) && wanted[at] != found[at] && wanted[at] == again[at] && !near(at))
}

/// Runs a form both ways. The error says whether it is a refusal.
fn run(platform: Platform, form: &Form) -> Result<(), (bool, String)> {
    let text = program(&form.line);
    let refused = |e: finalizer::Refusal| (true, e.0.first().map_or(String::new(), |d| d.message.clone()));
    let module = read(platform, &text).map_err(|why| (true, why))?;
    let mut finalizer = Finalizer::new(Options { verify: true, ..Options::new(platform) });
    let binary = finalizer.finalize_kernel(&module, 0).map_err(refused)?;
    let trial = Trial::new(form);
    let wrong = |why: String| (false, why);
    let wanted = trial.interpreted(platform, &module, &Trial::options()).map_err(wrong)?;
    let found = trial.run(platform, &linked(&binary), "our code").map_err(wrong)?;
    // What is undefined is another value each time.
    let again = RunOptions { strict: false, ..Trial::options() };
    let again = trial.interpreted(platform, &module, &again).map_err(wrong)?;
    match difference(form, &wanted, &found, &again) {
        None => Ok(()),
        Some(at) => {
            let near = at & !7..(at & !7) + 8;
            let (a, b) = (&wanted[near.clone()], &found[near]);
            Err((false, format!("byte {at:#x}: interpreter {a:02x?}, our code {b:02x?}")))
        }
    }
}

/// With whom the code agrees that Intel's finalizer makes of a form, and what it computes where the others differ.
pub fn vote(platform: Platform, form: &Form, intel: &GenxIr) -> String {
    let text = program(&form.line);
    let theirs = match intel.finalize(platform, &text, &["-noschedule"]) {
        Ok(made) => made.dat,
        Err(_) => return "Intel refuses".into(),
    };
    let trial = Trial::new(form);
    let found = match trial.run(platform, &theirs, "Intel's code") {
        Ok(found) => found,
        Err(why) => return why,
    };
    let Ok(module) = finalizer::read_text(text.as_bytes(), platform) else { return "no vISA".into() };
    let interpreted =
        |strict| trial.interpreted(platform, &module, &RunOptions { strict, ..Trial::options() });
    let ours = Finalizer::new(Options::new(platform))
        .finalize_kernel(&module, 0)
        .map_err(|_| String::new())
        .and_then(|b| trial.run(platform, &b.code, "our code"));
    let beside = |who: &str, other: Result<Vec<u8>, String>, again: Option<Vec<u8>>| match other {
        Err(why) => format!("{who} nothing ({why})"),
        Ok(other) => match difference(form, &other, &found, again.as_deref().unwrap_or(&other)) {
            None => format!("{who} as Intel"),
            Some(at) => {
                let near = at & !7..(at & !7) + 8;
                format!(
                    "{who} other: byte {at:#x} {:02x?}, Intel {:02x?}",
                    &other[near.clone()],
                    &found[near]
                )
            }
        },
    };
    let again = interpreted(false).ok();
    format!("{}; {}", beside("interpreter", interpreted(true), again), beside("ours", ours, None))
}

/// What is the matter with a form where Intel's finalizer is asked: how our code, its code and the interpreter
/// stand to each other.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Beside {
    /// Intel refuses it, and so do we.
    Neither,
    /// All three agree, or ours and the interpreter do where Intel refuses it.
    Agree,
    /// We refuse what Intel takes.
    Refused,
    /// We refuse what Intel takes where its verifier is switched off, or what is [impossible](crate::impossible).
    RefusedUnverified,
    /// Intel's code is not what ours and the interpreter say, for a cause that has a stated reason ([`causes`]).
    Explained,
    /// Our code is not what the interpreter says.
    Wrong,
    /// Intel's code is not what ours and the interpreter say.
    Other,
}

/// Asks Intel's finalizer about a form.
pub fn beside(platform: Platform, form: &Form, intel: &GenxIr) -> (Beside, String) {
    let text = program(&form.line);
    let takes = |options: &[&str]| {
        let made = intel.finalize(platform, &text, options).ok()?;
        // It writes `illegal` where it does not know better, and takes nothing by that.
        (!made.asm.lines().any(|l| l.trim().starts_with("illegal"))).then_some(made.dat)
    };
    let ours = catch_unwind(AssertUnwindSafe(|| run(platform, form)))
        .unwrap_or_else(|_| Err((false, "a panic".into())));
    let theirs = takes(&["-noschedule"]);
    match ours {
        Err((true, why)) if theirs.is_some() && reason(platform, &why).is_none() => {
            return (Beside::Refused, why);
        }
        Err((true, why)) if takes(&["-noschedule", "-noverifyCISA"]).is_some() => {
            return (Beside::RefusedUnverified, why);
        }
        Err((true, why)) => return (Beside::Neither, why),
        Err((false, why)) => return (Beside::Wrong, why),
        Ok(()) => {}
    }
    let Some(theirs) = theirs.or_else(|| takes(&["-noschedule", "-noverifyCISA"])) else {
        return (Beside::Agree, String::new());
    };
    let trial = Trial::new(form);
    let Ok(module) = finalizer::read_text(text.as_bytes(), platform) else {
        return (Beside::Neither, String::new());
    };
    let found = match trial.run(platform, &theirs, "Intel's code") {
        Ok(found) => found,
        Err(why) => return (Beside::Other, why),
    };
    let interpreted =
        |strict| trial.interpreted(platform, &module, &RunOptions { strict, ..Trial::options() });
    let (Ok(wanted), Ok(again)) = (interpreted(true), interpreted(false)) else {
        return (Beside::Agree, String::new());
    };
    match difference(form, &wanted, &found, &again) {
        None => (Beside::Agree, String::new()),
        Some(at) => {
            let near = at & !7..(at & !7) + 8;
            (
                Beside::Other,
                format!("byte {at:#x}: ours {:02x?}, Intel's {:02x?}", &wanted[near.clone()], &found[near]),
            )
        }
    }
}

/// Whether the doubles around a byte are both NaN, or, unless they are to be exact, equal to what their computation in
/// singles may lose.
fn close_double(a: &[u8], b: &[u8], at: usize, exact: bool) -> bool {
    let at = at & !7;
    let double = |m: &[u8]| m.get(at..at + 8).and_then(|x| x.try_into().ok()).map(f64::from_le_bytes);
    match (double(a), double(b)) {
        (Some(x), Some(y)) => {
            x.is_nan() && y.is_nan() || !exact && (x - y).abs() <= 1e-6 * x.abs().max(y.abs()).max(1e-3)
        }
        _ => false,
    }
}

/// Per instruction: how many forms have which fate.
pub fn table(platform: Platform, fates: &[(Form, Fate)]) -> String {
    const COLUMNS: [&str; 4] = ["proved", "wrong", "refused by us alone", "impossible"];
    let mut rows: BTreeMap<&str, BTreeMap<&str, usize>> = BTreeMap::new();
    for (form, fate) in fates {
        *rows.entry(form.op).or_default().entry(fate.name()).or_default() += 1;
    }
    let mut out =
        format!("| {platform} | {} |\n|---|{}\n", COLUMNS.join(" | "), "---|".repeat(COLUMNS.len()));
    for (op, counts) in &rows {
        let cells = COLUMNS.map(|c| counts.get(c).map_or(String::new(), usize::to_string));
        let _ = writeln!(out, "| {op} | {} |", cells.join(" | "));
    }
    out
}

/// Reasons why forms have a fate, each with a form that has it and how many do.
pub fn reasons(fates: &[(Form, Fate)], wanted: impl Fn(&Fate) -> bool) -> Vec<String> {
    let mut reasons: BTreeMap<(&str, &str), Vec<(&str, &str)>> = BTreeMap::new();
    for (form, fate) in fates.iter().filter(|(_, fate)| wanted(fate)) {
        // What differs is another number each time.
        let kind = fate.detail();
        let kind =
            if matches!(fate, Fate::Wrong(_)) { kind.split_once(": ").map_or(kind, |k| k.0) } else { kind };
        let kind = if kind.starts_with("byte ") { "the results differ" } else { kind };
        reasons.entry((form.op, kind)).or_default().push((&form.line, fate.detail()));
    }
    let line = |((op, kind), forms): ((&str, &str), Vec<(&str, &str)>)| {
        let (form, detail) = forms[0];
        let detail = detail.replace('\n', " ");
        let more = if detail == kind { String::new() } else { format!(" {detail}") };
        format!("{:>4} {op}: {kind} ({};{more})", forms.len(), form.replace('\n', "; "))
    };
    reasons.into_iter().map(line).collect()
}
