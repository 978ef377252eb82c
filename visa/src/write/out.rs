//! Bytes being written.

use crate::{
    error::{WriteError, WriteFault},
    model::{RelocSym, Version},
};
use narrow::{as_index, to_u64};

#[cold]
pub(super) fn limit(field: &'static str, found: usize, most: usize) -> WriteError {
    let fault = WriteFault::TooLarge { found: to_u64(found), most: to_u64(most) };
    WriteError { kernel: None, field, fault }
}

/// Bytes being written.
pub(super) struct Out {
    pub(super) bytes: Vec<u8>,
}

impl Out {
    pub(super) fn new() -> Out {
        Out { bytes: Vec::new() }
    }

    pub(super) fn u8(&mut self, value: u8) {
        self.bytes.push(value);
    }

    pub(super) fn u16(&mut self, value: u16) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    pub(super) fn u32(&mut self, value: u32) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    pub(super) fn u64(&mut self, value: u64) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    pub(super) fn count8(&mut self, field: &'static str, count: usize) -> Result<(), WriteError> {
        let count = u8::try_from(count).map_err(|_| limit(field, count, 255))?;
        self.u8(count);
        Ok(())
    }

    pub(super) fn count16(&mut self, field: &'static str, count: usize) -> Result<(), WriteError> {
        let count = u16::try_from(count).map_err(|_| limit(field, count, 65535))?;
        self.u16(count);
        Ok(())
    }

    pub(super) fn count32(&mut self, field: &'static str, count: usize) -> Result<(), WriteError> {
        let count = u32::try_from(count).map_err(|_| limit(field, count, as_index(u32::MAX)))?;
        self.u32(count);
        Ok(())
    }

    /// Four bytes if `wide`, else two.
    pub(super) fn wide(&mut self, wide: bool, field: &'static str, value: u32) -> Result<(), WriteError> {
        if wide {
            self.u32(value);
            Ok(())
        } else {
            self.count16(field, as_index(value))
        }
    }

    pub(super) fn name(&mut self, version: Version, name: &[u8]) -> Result<(), WriteError> {
        if version.at_least(3, 7) {
            self.count16("name length", name.len())?;
        } else {
            self.count8("name length", name.len())?;
        }
        self.bytes.extend_from_slice(name);
        Ok(())
    }

    pub(super) fn relocs(&mut self, relocs: &[RelocSym]) -> Result<(), WriteError> {
        self.count16("number of relocations", relocs.len())?;
        for reloc in relocs {
            self.u16(reloc.symbolic);
            self.u16(reloc.resolved);
        }
        Ok(())
    }
}
