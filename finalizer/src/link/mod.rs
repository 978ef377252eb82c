//! A kernel and its functions become one code, and what others have to know to link, start, debug or instrument it.

pub(crate) mod calls;
pub(crate) mod debug;
pub(crate) mod entries;
pub(crate) mod free;
pub(crate) mod lines;
mod needs;
pub(crate) mod places;
pub(crate) mod relocate;
