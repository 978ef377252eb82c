//! A kernel together with its functions: what the passes over a whole binary work on.

use encoder::CodeBuffer;
use gen_ir::BlockId;

use crate::{
    Options, PassTime,
    driver::workspace::{Aside, Routine},
};

/// Lists of one binary, kept for their memory.
#[derive(Debug, Default)]
pub(crate) struct BinaryLists {
    /// The kernel, then the functions that go with it, in the module's order.
    pub routines: Vec<Routine>,
    /// Functions that are called and perhaps not made yet.
    pub(crate) wanted: Vec<u32>,
    /// First blocks of the functions, by number.
    pub entries: Vec<(u32, BlockId)>,
    pub(crate) depth: Vec<u32>,
    pub(crate) times: Vec<PassTime>,
    /// The result of compiling the kernel before with other settings.
    pub aside: Aside,
}

/// What the passes over a whole binary work on.
pub(crate) struct Whole<'a> {
    pub options: &'a Options,
    pub lists: &'a mut BinaryLists,
    pub buffer: &'a mut CodeBuffer,
}
