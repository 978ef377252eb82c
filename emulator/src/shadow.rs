//! Which bytes of a thread are defined.

use crate::file;
use narrow::as_index;

/// One byte per register byte, not 0 where undefined; flags have a bit each.
#[derive(Clone, Debug)]
pub(crate) struct Shadow {
    pub bytes: Vec<u8>,
    pub flags: [u32; 4],
    /// Of the thread's scratch memory.
    pub scratch: Vec<u8>,
}

impl Shadow {
    /// What a thread starts with, `scratch` bytes of memory among it; `defined`: as if everything had
    /// been written.
    pub(crate) fn new(defined: bool, scratch: u32) -> Shadow {
        let scratch = vec![u8::from(!defined); as_index(scratch)];
        let mut bytes = vec![0; as_index(file::END + 4096)];
        if defined {
            return Shadow { bytes, flags: [0; 4], scratch };
        }
        bytes[..as_index(file::GRF_END)].fill(1);
        bytes[as_index(file::ADDR)..as_index(file::FLAG)].fill(1);
        bytes[as_index(file::ACC)..as_index(file::END)].fill(1);
        Shadow { bytes, flags: [u32::MAX; 4], scratch }
    }
}

/// The bytes that are not 0, a bit each, of up to eight.
pub(crate) fn bits(bytes: &[u8]) -> u8 {
    bytes.iter().take(8).enumerate().fold(0, |m, (i, b)| m | u8::from(*b != 0) << i)
}
