//! Which bytes of a thread are defined.

use crate::file;
use gen_ir::FlagSub;
use narrow::{as_index, little, wide_u8};

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
        let scratch = vec![0; as_index(scratch)];
        let mut shadow =
            Shadow { bytes: vec![0; as_index(file::END + 4096)], flags: [0; FLAG_COUNT], scratch };
        shadow.reset(defined);
        shadow
    }

    /// Makes it as a new one.
    pub(crate) fn reset(&mut self, defined: bool) {
        let undefined = u8::from(!defined);
        self.bytes.fill(0);
        for range in [0..file::GRF_END, file::ADDR..file::FLAG, file::ACC..file::END] {
            self.bytes[as_index(range.start)..as_index(range.end)].fill(undefined);
        }
        self.flags = [if defined { 0 } else { u32::MAX }; FLAG_COUNT];
        self.scratch.fill(undefined);
    }

    /// Whether all of these bytes are defined.
    pub(crate) fn is_defined(&self, at: u32, len: u32) -> bool {
        let bytes = self.bytes.get(as_index(at)..as_index(at + len));
        // All are looked at: that is done many at a time.
        bytes.is_some_and(|bytes| bytes.iter().fold(0, |any, byte| any | byte) == 0)
    }

    /// The undefined bits of a flag, and of the other half behind it.
    pub(crate) fn flag(&self, flag: FlagSub) -> u32 {
        self.flags[usize::from(flag.register())] >> file::flag_bit(flag, 0)
    }
}

/// The bytes that are not 0, a bit each, of up to eight.
pub(crate) fn bits(bytes: &[u8]) -> u8 {
    // Mostly there are none.
    if little(bytes) == 0 {
        return 0;
    }
    bytes.iter().take(8).enumerate().fold(0, |m, (i, b)| m | u8::from(*b != 0) << i)
}
