//! Walking machine code, instruction by instruction.

use crate::{CMPT_CTRL, DecodeError, Raw, compact, decode_into, encode, expand};
use gen_ir::{ExecSize, Inst, Op, Options, Physical};
use narrow::{as_index, to_u8, to_u64};
use platforms::Platform;

/// One instruction's place and meaning.
#[derive(Clone, Debug)]
pub struct Decoded {
    /// Byte offset from the start of the code.
    pub offset: u32,
    /// Bytes it takes: 16, 8 when compacted, fewer where the code ends too early.
    pub len: u8,
    /// The instruction ([`Options::COMPACTED`] tells a compacted one), or why there is none.
    pub inst: Result<Inst<Physical>, DecodeError>,
}

impl Decoded {
    /// Whether encoding the instruction gives the bytes that it stands in, `code` from its offset on. They have bits that it
    /// does not read, if not: fields that it lacks, an index of a compacted form for which another one stands.
    pub fn comes_back(&self, platform: Platform, code: &[u8]) -> bool {
        let Ok(inst) = &self.inst else { return false };
        let Ok(word) = encode(platform, inst) else { return false };
        let bytes = match self.len {
            8 => compact(platform, word).map(u128::from),
            _ => Some(word),
        };
        let own = bytes.map(u128::to_le_bytes);
        let at = as_index(self.offset);
        let theirs = code.get(at..at + usize::from(self.len));
        own.is_some_and(|own| theirs == own.get(..usize::from(self.len)))
    }
}

/// Decodes code from its first byte to its last. After bits that mean nothing it goes on with the next
/// word: 8 bytes on where `CmptCtrl` is set, else 16.
pub fn decode_all(platform: Platform, code: &[u8]) -> DecodeAll<'_> {
    DecodeAll { platform, code, offset: 0 }
}

/// Iterator of [`decode_all`].
#[derive(Clone, Debug)]
pub struct DecodeAll<'a> {
    platform: Platform,
    code: &'a [u8],
    offset: usize,
}

impl Iterator for DecodeAll<'_> {
    type Item = Decoded;

    #[inline]
    fn next(&mut self) -> Option<Decoded> {
        let mut item = Decoded::default();
        self.next_into(&mut item).then_some(item)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.code.len().saturating_sub(self.offset);
        (left.div_ceil(16), Some(left.div_ceil(8)))
    }
}

impl Default for Decoded {
    /// Something to fill with [`DecodeAll::next_into`].
    fn default() -> Decoded {
        Decoded { offset: 0, len: 0, inst: Ok(Inst::new(Op::Illegal, ExecSize::S1)) }
    }
}

impl DecodeAll<'_> {
    /// [`Iterator::next`] in place, for loops where speed counts: an instruction is large to hand about.
    /// False at the end; `item` is then what it was.
    #[inline]
    pub fn next_into(&mut self, item: &mut Decoded) -> bool {
        let Some(rest) = self.code.get(self.offset..) else { return false };
        let low = match rest.first_chunk::<8>() {
            Some(bytes) => u64::from_le_bytes(*bytes),
            None => return self.at_end(rest, item),
        };
        item.offset = self.place();
        item.inst = Ok(Inst::new(Op::Illegal, ExecSize::S1));
        let Ok(inst) = &mut item.inst else { return false };
        let done = if low & CMPT_CTRL != 0 {
            item.len = 8;
            self.offset += 8;
            expand(self.platform, low).and_then(|word| {
                let done = decode_into(self.platform, word, inst);
                inst.opts.0 |= Options::COMPACTED.0;
                done
            })
        } else {
            let Some(bytes) = rest.first_chunk::<16>() else { return self.at_end(rest, item) };
            item.len = 16;
            self.offset += 16;
            decode_into(self.platform, u128::from_le_bytes(*bytes), inst)
        };
        if let Err(e) = done {
            let raw = if item.len == 8 { Raw { word: low.into(), len: 8 } } else { e.raw };
            item.inst = Err(DecodeError { offset: item.offset, raw, ..e });
        }
        true
    }

    fn place(&self) -> u32 {
        u32::try_from(self.offset).unwrap_or(u32::MAX)
    }

    #[cold]
    fn at_end(&mut self, rest: &[u8], item: &mut Decoded) -> bool {
        if rest.is_empty() {
            return false;
        }
        let mut bytes = [0; 16];
        bytes[..rest.len()].copy_from_slice(rest);
        let raw = Raw { word: u128::from_le_bytes(bytes), len: to_u8(rest.len()) };
        let offset = self.place();
        self.offset = self.code.len();
        let found = to_u64(rest.len());
        let error =
            DecodeError { offset, raw, field: "length", found, allowed: "16 bytes, or 8 with CmptCtrl" };
        *item = Decoded { offset, len: raw.len, inst: Err(error) };
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `mov (8|M0) r80.0<1>:ud r0.0<8;8,1>:ud`, and the same with something in reserved bit 7.
    #[test]
    fn what_has_bits_that_nobody_reads_does_not_come_back() {
        let word = 0x0000_0000_008d_0000_2a00_0208_0060_0001_u128;
        let code = [word.to_le_bytes(), (word | 1 << 7).to_le_bytes()].concat();
        let all: Vec<_> = decode_all(Platform::Skl, &code).collect();
        assert_eq!(all[0].inst, all[1].inst);
        assert!(all[0].comes_back(Platform::Skl, &code) && !all[1].comes_back(Platform::Skl, &code));
    }

    #[test]
    fn a_cut_end_is_an_error_with_its_place() {
        let all: Vec<_> = decode_all(Platform::Skl, &[0; 20]).collect();
        assert_eq!(all.len(), 2);
        assert_eq!((all[1].offset, all[1].len), (16, 4));
        let e = all[1].inst.unwrap_err();
        assert_eq!((e.offset, e.raw.len, e.field, e.found), (16, 4, "length", 4));
        let cut = decode_all(Platform::Skl, &[1, 2, 3]).next().unwrap().inst.unwrap_err();
        assert_eq!(cut.raw, Raw { word: 0x03_02_01, len: 3 });
    }

    /// The short form of `mov (8|M0) r10.0<1>:d r11.0<8;8,1>:d`, one of no operation, and again: what is filled anew holds
    /// nothing of the word before.
    #[test]
    fn short_forms_have_their_length_and_faults_their_place() {
        let (good, bad) = (0x000b_0a07_2002_cb01_u64, 0x2000_007f_u64);
        let code = [good, bad, good].map(u64::to_le_bytes).concat();
        let mut item = Decoded::default();
        let mut all = decode_all(Platform::Skl, &code);
        let mut found = Vec::new();
        while all.next_into(&mut item) {
            let what = item.inst.map(|i| i.opts.has(Options::COMPACTED)).map_err(|e| (e.offset, e.raw));
            found.push((item.offset, item.len, what));
        }
        let fault = (8, Raw { word: bad.into(), len: 8 });
        assert_eq!(found, [(0, 8, Ok(true)), (8, 8, Err(fault)), (16, 8, Ok(true))]);
        assert_eq!(decode_all(Platform::Skl, &code).nth(2).unwrap().inst, item.inst);
    }
}
