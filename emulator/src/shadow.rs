//! Which bytes of a thread are defined.

use crate::file;
use gen_ir::FlagSub;
use narrow::{as_index, wide_u8};

const FLAG_COUNT: usize = as_index(wide_u8(file::FLAG_COUNT));

/// One byte per register byte, not 0 where undefined; flags have a bit each.
#[derive(Clone, Debug)]
pub(crate) struct Shadow {
    pub bytes: Vec<u8>,
    pub flags: [u32; FLAG_COUNT],
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
            return Shadow { bytes, flags: [0; FLAG_COUNT], scratch };
        }
        bytes[..as_index(file::GRF_END)].fill(1);
        bytes[as_index(file::ADDR)..as_index(file::FLAG)].fill(1);
        bytes[as_index(file::ACC)..as_index(file::END)].fill(1);
        Shadow { bytes, flags: [u32::MAX; FLAG_COUNT], scratch }
    }

    /// The undefined bits of a flag, and of the other half behind it.
    pub(crate) fn flag(&self, flag: FlagSub) -> u32 {
        self.flags[usize::from(flag.register())] >> file::flag_bit(flag, 0)
    }
}

/// The bytes that are not 0, a bit each, of up to eight.
pub(crate) fn bits(bytes: &[u8]) -> u8 {
    bytes.iter().take(8).enumerate().fold(0, |m, (i, b)| m | u8::from(*b != 0) << i)
}
