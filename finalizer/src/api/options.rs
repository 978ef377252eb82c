//! What a caller may choose.

use gen_ir::Watch;
use platforms::{Platform, Registers};

use crate::PassSet;

/// How much work goes into good code. All of them are right.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Level {
    /// The shortest compile time: no pass that could be left out, nor a check of what came out; registers as they come.
    O0,
    /// Without the scheduler.
    O1,
    /// Everything.
    #[default]
    O2,
}

impl Level {
    /// The passes that it leaves out.
    pub fn skips(self) -> PassSet {
        match self {
            Level::O0 => PassSet::ALL,
            Level::O1 => PassSet::named("schedule").unwrap_or_default(),
            Level::O2 => PassSet::NONE,
        }
    }
}

impl std::str::FromStr for Level {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Level, Self::Err> {
        match text {
            "0" => Ok(Level::O0),
            "1" => Ok(Level::O1),
            "2" => Ok(Level::O2),
            _ => Err("allowed: 0, 1, 2"),
        }
    }
}

/// General registers of a thread. Platforms that have more than one size of register file run half as many threads
/// with the larger one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Grf {
    /// As many as the kernel's attribute `NumGRF` says; 0 there is [`Grf::Auto`]. Without it, the platform's default.
    #[default]
    Kernel,
    /// So many. A platform that has no such file refuses the kernel.
    Count(u16),
    /// The default; the larger file for kernels that spill less with it. Kernels that have to do with stack calls
    /// stay with the default, since what is compiled elsewhere counts on it.
    Auto,
}

impl Grf {
    /// What can be written for it: the sizes of the rows' register files, and `auto`.
    pub(super) const VALUES: &str = "128, 256, auto";
}

impl std::str::FromStr for Grf {
    type Err = String;

    fn from_str(text: &str) -> Result<Grf, Self::Err> {
        match text {
            "auto" => Ok(Grf::Auto),
            _ => {
                let count = text.parse().ok().filter(|n| Registers::all_sizes().any(|size| size == *n));
                count.map(Grf::Count).ok_or_else(|| format!("allowed: {}", Grf::VALUES))
            }
        }
    }
}

/// Whether threads run as pairs, on platforms where they can: Tiger Lake and its like
/// ([`Flow::fused_pairs`](platforms::Flow::fused_pairs)). Code for pairs is right for threads that run alone, too.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum ThreadPairs {
    /// As those do that start the kernels of such an object. Cm kernels in vISA objects run alone: the media driver dispatches
    /// them so unless an application asks for pairs (`bFusedEuDispatch` of its `MHW_VFE_PARAMS_G12`, "legacy mode"; the code
    /// that its objects carry has scalar jumps). All others run as pairs.
    #[default]
    Auto,
    /// All do.
    Always,
    /// None does.
    Never,
}

impl ThreadPairs {
    /// Whether the threads of a kernel do.
    pub const fn of(self, is_cm: bool) -> bool {
        match self {
            ThreadPairs::Auto => !is_cm,
            ThreadPairs::Always => true,
            ThreadPairs::Never => false,
        }
    }
}

impl std::str::FromStr for ThreadPairs {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<ThreadPairs, Self::Err> {
        match text {
            "auto" => Ok(ThreadPairs::Auto),
            "always" => Ok(ThreadPairs::Always),
            "never" => Ok(ThreadPairs::Never),
            _ => Err("allowed: auto, always, never"),
        }
    }
}

/// Options of one [`Finalizer`](crate::Finalizer). The default is what a runtime wants.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// The platform to write code for.
    pub platform: Platform,
    /// General registers of a thread.
    pub grf: Grf,
    /// General registers at the end of the file that no variable is given: for tools that put code of their own
    /// into a kernel. The message that ends the thread, the registers that stack calls agree on and, on platforms
    /// where kernels load their payload, its address are there all the same.
    pub reserved_registers: u16,
    /// Whether threads run as pairs, where the platform has such.
    pub pairs: ThreadPairs,
    /// Refuse kernels that spill too much, as `Spills`: where 200 times the messages that move spilled values are not
    /// fewer than so many times the instructions. 0 refuses every kernel that spills, 200 almost none.
    pub abort_on_spill: Option<u8>,
    /// Scratch memory of a thread whose calls have no known end, in bytes.
    pub stack_bytes: u32,
    /// A number that two instructions behind the kernel's end hold, which are never run: for tools that have to
    /// know whose code it is.
    pub kernel_id: Option<u64>,
    /// The first instruction of a kernel, behind the loading of its payload, is a breakpoint: for debuggers.
    pub start_breakpoint: bool,
    /// Write 8-byte compacted words where the platform has them.
    pub compact: bool,
    /// Check the code after every pass, against the hardware's rules once it has registers, and prove the
    /// register allocation. Costs time; what fails a check is refused.
    pub verify: bool,
    /// Look for what the kernel's author hardly meant, and report it in
    /// [`Binary::warnings`](crate::Binary::warnings).
    pub warnings: bool,
    /// Refuse whatever breaks a rule of the specification, also what has a meaning.
    pub strict: bool,
    /// Where the code loads its own payload, leave room for what a runtime puts before it: a relocation
    /// ([`PAYLOAD_OFFSET`](crate::PAYLOAD_OFFSET)) is added to the payload's address.
    pub relocate_payload: bool,
    /// Where the code loads its own payload, its first bytes for all threads are in `r1` and not in memory: as many as
    /// the platform has of these ([`Thread::inline_bytes`](platforms::Thread::inline_bytes)).
    pub inline_payload: bool,
    /// Time every pass: [`Stats::times`](crate::Stats::times).
    pub timings: bool,
    /// Keep for each instruction of the code which vISA instruction it is for:
    /// [`Binary::origins`](crate::Binary::origins).
    pub origins: bool,
    /// Write debug information: in Intel's form, [`Binary::debug_info`](crate::Binary::debug_info), and as lines of
    /// source code, [`Binary::lines`](crate::Binary::lines).
    pub debug_info: bool,
    /// Find the registers that the code leaves alone: [`Binary::free_registers`](crate::Binary::free_registers).
    pub free_registers: bool,
    /// Keep the text of the kernel after these passes: [`Finalizer::take_printed`](crate::Finalizer::take_printed).
    pub print_after: PassSet,
    /// How much work goes into good code.
    pub level: Level,
    /// Leave these passes out, besides those that the level does without. Those that are not
    /// [optional](crate::Pass::optional) run all the same.
    pub skip: PassSet,
    /// Asked between passes, and in the rounds of register allocation, whether to go on: for callers that cancel, or
    /// bound time or memory. What is stopped is refused as `Cancelled` or `MemoryLimit`.
    pub watch: Watch,
}

impl Options {
    /// The default options for a platform.
    pub const fn new(platform: Platform) -> Options {
        Options {
            platform,
            grf: Grf::Kernel,
            reserved_registers: 0,
            pairs: ThreadPairs::Auto,
            abort_on_spill: None,
            stack_bytes: 128 * 1024,
            kernel_id: None,
            start_breakpoint: false,
            compact: true,
            verify: cfg!(debug_assertions),
            warnings: false,
            strict: false,
            relocate_payload: false,
            inline_payload: false,
            timings: false,
            origins: false,
            debug_info: false,
            free_registers: false,
            print_after: PassSet::NONE,
            level: Level::O2,
            skip: PassSet::NONE,
            watch: Watch::NONE,
        }
    }

    /// The default options with another amount of optimization.
    pub fn with_level(platform: Platform, level: Level) -> Options {
        Options { level, ..Options::new(platform) }
    }
}
