//! Valid variants of kernels that compilers wrote: what random programs do not have, the habits of compilers, with what
//! compilers do not do.
//!
//! [`draw`] changes a few instructions of a kernel by chance and keeps what the verifier has no more to say of than of the
//! kernel. [`judge`] launches the variant beside the interpreter as [`foreign`](crate::foreign) launches kernels; one that does
//! not come to an end there, or that reads what nobody wrote, is no comparison. [`shrink`] takes changes back, then
//! instructions out.

mod alter;
mod change;
mod draw;
mod insert;
mod judge;
mod shrink;

pub use change::{Change, Variant, Written};
pub use draw::draw;
pub use judge::{VariantOutcome, judge, settings};
pub use shrink::shrink;
