//! Kernels through the passes: the list, what runs it, and what passes share.
//!
//! ```text
//! finalizer  whole binaries, from an object or module     parallel   all kernels of a module at once
//! routine    one kernel or function, to registers         retarget   an object with code for one more platform
//! passes     the list                                     registers  how many a thread has
//! steps      what its rows call                           alone      passes one by one, for tests and tools
//! binary     what a caller gets of finished code
//! pass       what a row says, and wraps around a pass     pass_set   sets of passes, their times
//! workspace  memory, and what is known of one routine     whole      the same of a kernel with its functions
//! ```

pub(crate) mod alone;
mod binary;
pub(crate) mod finalizer;
mod parallel;
pub(crate) mod pass;
pub(crate) mod pass_set;
pub(crate) mod passes;
mod registers;
mod retarget;
mod routine;
mod steps;
mod whole;
pub(crate) mod workspace;
