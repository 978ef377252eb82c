//! What a caller may choose.

use platforms::Platform;

use crate::PassSet;

/// Options of one [`Finalizer`](crate::Finalizer). The default is what a runtime wants.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// The platform to write code for.
    pub platform: Platform,
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
    /// Time every pass: [`Stats::times`](crate::Stats::times).
    pub timings: bool,
    /// Keep the text of the kernel after these passes: [`Finalizer::take_printed`](crate::Finalizer::take_printed).
    pub print_after: PassSet,
    /// Leave these passes out. Those that are not [optional](crate::Pass::optional) run all the same.
    pub skip: PassSet,
}

impl Options {
    /// The default options for a platform.
    pub const fn new(platform: Platform) -> Options {
        Options {
            platform,
            compact: true,
            verify: cfg!(debug_assertions),
            warnings: false,
            strict: false,
            timings: false,
            print_after: PassSet::NONE,
            skip: PassSet::NONE,
        }
    }
}
