//! What a caller may choose.

use platforms::Platform;

/// Options of one [`Finalizer`](crate::Finalizer). The default is what a runtime wants.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// The platform to write code for.
    pub platform: Platform,
    /// Write 8-byte compacted words where the platform has them.
    pub compact: bool,
    /// Check the code against the hardware's rules and prove the register allocation. Costs time; what
    /// fails a check is refused.
    pub verify: bool,
    /// Look for what the kernel's author hardly meant, and report it in
    /// [`Binary::warnings`](crate::Binary::warnings).
    pub warnings: bool,
    /// Keep the text of the kernel after the named pass (see [`PASSES`](crate::PASSES)).
    pub print_after: Option<&'static str>,
    /// General registers a thread may use, where the platform offers a choice.
    pub grf_count: Option<u16>,
}

impl Options {
    /// The default options for a platform.
    pub const fn new(platform: Platform) -> Options {
        Options {
            platform,
            compact: true,
            verify: cfg!(debug_assertions),
            warnings: false,
            print_after: None,
            grf_count: None,
        }
    }
}
