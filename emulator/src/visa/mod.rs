//! The vISA interpreter: runs a kernel from the specification's semantics.
//!
//! It knows nothing of registers, Gen instructions or lowering; what it shares with the EU emulator is
//! what a number is ([`crate::num`]), the memory with its images and atomics, and the launch. So it is the
//! second opinion on every kernel: what it leaves in memory is what the finalizer's code has to leave.
//!
//! Each lane has a place of its own in the code. The lanes that stand at the lowest place run together
//! (spec "Branch Instructions": lanes that jumped forward wait at their label, lanes that fell out of a
//! backward jump wait behind it), so diverged lanes meet again where the specification has them meet.
//! Instructions without a mask run for all lanes of the instruction whenever any lane is there.

mod alu;
mod block;
mod context;
mod convert;
mod flags;
mod float;
mod flow;
mod int;
mod lane_payload;
mod layout;
mod lsc;
mod math;
mod memory;
mod message;
mod operand;
mod render;
mod run;
mod sampler;
mod scatter;
mod systolic;
#[cfg(test)]
mod tests;
mod thread;
mod typed;

use crate::{Dispatch, Error, Launch, Memory, Options, RawLaunch, RunReport, link::Loaded};
use platforms::Platform;
use visa::Module;

/// Runs an OpenCL kernel of a module: kernel number `kernel`, with the module's functions at hand for
/// stack calls. `platform` gives the size of a register, which operands count in, and the payload.
///
/// [`Options::strict`] makes the run report branches and addresses that depend on bytes nobody wrote, and
/// accesses out of bounds; without it, what nobody wrote reads as zero instead of a pattern.
/// [`Options::scoreboard`] means nothing here. VisaCounts are of vISA instructions; [`crate::Report::pc`] and
/// [`Error::Trap`] name an instruction by its position in the kernel.
///
/// # Errors
///
/// A launch that does not suit the kernel, an instruction that breaks a rule of the specification or is
/// not modelled, more than [`Options::max_instructions`], a barrier that never opens.
pub fn run(
    platform: Platform,
    module: &Module,
    kernel: usize,
    launch: &Launch,
    memory: &mut Memory,
    options: &Options,
) -> Result<RunReport, Error> {
    run_linked(platform, module, kernel, &Loaded::default(), launch, memory, options)
}

/// Runs an OpenCL kernel whose program has constants or variables: `program` is their place in `memory`.
///
/// # Errors
///
/// As [`run`].
pub fn run_linked(
    platform: Platform,
    module: &Module,
    kernel: usize,
    program: &Loaded,
    launch: &Launch,
    memory: &mut Memory,
    options: &Options,
) -> Result<RunReport, Error> {
    let program = layout::VisaProgram::new(platform, module, kernel, program)?;
    dispatched(&program, memory, options, |memory| Dispatch::new(platform, launch, memory))
}

/// Runs a kernel whose payload is given, as media kernels are.
///
/// # Errors
///
/// As [`run`].
pub fn run_raw(
    platform: Platform,
    module: &Module,
    kernel: usize,
    launch: &RawLaunch,
    memory: &mut Memory,
    options: &Options,
) -> Result<RunReport, Error> {
    run_raw_linked(platform, module, kernel, &Loaded::default(), launch, memory, options)
}

/// Runs a kernel whose payload is given, of a program with constants or variables: `program` is their place in `memory`.
///
/// # Errors
///
/// As [`run`].
pub fn run_raw_linked(
    platform: Platform,
    module: &Module,
    kernel: usize,
    program: &Loaded,
    launch: &RawLaunch,
    memory: &mut Memory,
    options: &Options,
) -> Result<RunReport, Error> {
    let program = layout::VisaProgram::new(platform, module, kernel, program)?;
    dispatched(&program, memory, options, |_| Dispatch::raw(platform, launch))
}

/// Runs a program; what that adds to memory goes again.
fn dispatched(
    program: &layout::VisaProgram<'_>,
    memory: &mut Memory,
    options: &Options,
    dispatch: impl FnOnce(&mut Memory) -> Result<Dispatch, Error>,
) -> Result<RunReport, Error> {
    let kept = memory.count();
    let result = dispatch(memory).and_then(|dispatch| run::dispatch(program, &dispatch, memory, options));
    memory.truncate(kept);
    result
}
