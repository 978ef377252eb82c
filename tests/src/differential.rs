//! Our code beside Intel's: both run on the emulator over the same data and must leave the same memory.

use emulator::{Options as RunOptions, RunReport};
use finalizer::{Diagnostic, Finalizer, Options};
use platforms::Platform;

use crate::{
    data::TestKernel,
    launches::{self, NoLaunch},
};

/// Instructions that a run may take; the longest test kernel needs a tenth of it.
const MAX_INSTRUCTIONS: u64 = 3_000_000;
/// Scratch memory that our code may use where Intel's has less.
const SCRATCH: u32 = 1 << 16;

/// What became of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Both leave the same memory, and nothing is reported on ours.
    Agrees,
    /// The finalizer refused the kernel.
    Refused(Vec<Diagnostic>),
    /// There is no launch for this kernel (no OpenCL source, or one without arguments we can make up).
    NoLaunch(String),
    /// Intel's code does not finish on these data.
    IntelFails(String),
    /// Ours does not finish, or breaks a rule of the machine that Intel's keeps.
    OursFails(String),
    /// The memory differs.
    Differs(String),
}

impl Outcome {
    /// Short name of the kind.
    pub fn class(&self) -> &'static str {
        match self {
            Outcome::Agrees => "agrees",
            Outcome::Refused(_) => "refused",
            Outcome::NoLaunch(_) => "no launch",
            Outcome::IntelFails(_) => "Intel's code fails",
            Outcome::OursFails(_) => "our code fails",
            Outcome::Differs(_) => "differs",
        }
    }
}

/// Finalizes a kernel from its text, with every check of ours on.
pub fn finalize(platform: Platform, kernel: &TestKernel) -> Result<finalizer::Binary, Vec<Diagnostic>> {
    let module = finalizer::read_text(kernel.visaasm.as_bytes(), platform).map_err(|e| e.0)?;
    let mut finalizer = Finalizer::new(Options { verify: true, ..Options::new(platform) });
    finalizer.finalize_kernel(&module, 0).map_err(|e| e.0)
}

/// Finalizes a kernel and runs it beside Intel's code.
pub fn compare(platform: Platform, kernel: &TestKernel) -> Outcome {
    let binary = match finalize(platform, kernel) {
        Ok(b) => b,
        Err(faults) => return Outcome::Refused(faults),
    };
    let (mut launch, memory) = match launches::launch(kernel, 1) {
        Ok(l) => l,
        Err(NoLaunch(why)) => return Outcome::NoLaunch(why),
    };
    let options = RunOptions { max_instructions: MAX_INSTRUCTIONS, ..RunOptions::default() };
    let mut theirs = memory.clone();
    let intel = match emulator::run(platform, &kernel.dat, &launch, &mut theirs, &options) {
        Ok(report) => report,
        Err(e) => return Outcome::IntelFails(e.to_string()),
    };
    let memory_of_defined = memory.clone();
    let mut mine = memory;
    launch.kernel.scratch = launch.kernel.scratch.max(SCRATCH);
    let ours = match emulator::run(platform, &binary.code, &launch, &mut mine, &options) {
        Ok(report) => report,
        Err(e) => return Outcome::OursFails(e.to_string()),
    };
    // Bytes that change with what registers hold at the start (padding of structures) are nobody's.
    let mut again = memory_of_defined;
    if emulator::run(
        platform,
        &kernel.dat,
        &launch,
        &mut again,
        &RunOptions { max_instructions: MAX_INSTRUCTIONS, ..RunOptions::fast() },
    )
    .is_err()
    {
        return Outcome::IntelFails("only with other register contents".into());
    }
    let defined = again.buffers().map(|(_, _, bytes)| bytes);
    for (((_, name, a), (_, _, b)), same) in theirs.buffers().zip(mine.buffers()).zip(defined) {
        let differs = |((x, y), z): ((&u8, &u8), &u8)| x != y && x == z;
        if let Some(at) = a.iter().zip(b).zip(same).position(differs) {
            let near = at & !7..((at & !7) + 8).min(a.len());
            let (a, b) = (&a[near.clone()], &b[near]);
            return Outcome::Differs(format!("buffer {name} at byte {at}: Intel {a:02x?} ours {b:02x?}"));
        }
    }
    match unshared(&intel, &ours) {
        Some(finding) => Outcome::OursFails(finding),
        None => Outcome::Agrees,
    }
}

/// A kind of finding on our code that Intel's code does not have on the same data (reading past a
/// buffer may be what the kernel and the data ask for).
fn unshared(intel: &RunReport, ours: &RunReport) -> Option<String> {
    let known = |r: &emulator::Report| intel.reports.iter().any(|i| i.fault == r.fault);
    ours.reports.iter().find(|r| !known(r)).map(|r| format!("{r:?}"))
}
