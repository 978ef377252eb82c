//! The `SWSB` field: what an instruction waits for, and the SBID it takes.
//!
//! One distance and one SBID fit a word, and only some pairs of them do; which ones depends on the
//! kind of instruction. [`SwsbKind`] has them. Sources: Programmer's Reference Manual for Tiger Lake, volume 8, "Software
//! Scoreboard"; for several pipes the encodings of the reference assembler.

use gen_ir::{Pipe, SbidMode, Swsb, SwsbKind};
use narrow::{const_u8, low_u8, to_u16};

/// Encodings in 8 bits: one in-order pipe (Tiger Lake), or three.
pub(super) mod byte {
    use super::*;

    const DST: u16 = 0x20;
    const SRC: u16 = 0x30;
    const SET: u16 = 0x40;
    const BOTH: u16 = 0x80;

    /// What stands beside a lone distance for its pipe. The first alone where pipes have no names.
    const PIPES: [(Pipe, u16); 5] =
        [(Pipe::Own, 0x00), (Pipe::All, 0x08), (Pipe::Float, 0x10), (Pipe::Int, 0x18), (Pipe::Long, 0x50)];

    #[inline]
    const fn pipes(named: bool) -> &'static [(Pipe, u16)] {
        if named { &PIPES } else { PIPES.first_chunk::<1>().unwrap() }
    }

    pub(in crate::xe) fn encode(swsb: Swsb, kind: SwsbKind, named: bool) -> Option<u16> {
        if swsb.no_acc_sb_set {
            return None;
        }
        let id = |id: u8| (id <= 15).then_some(u16::from(id));
        match (swsb.dist, swsb.sbid) {
            (None, None) => Some(0),
            (None, Some((mode, n))) => Some(id(n)? | [SET, SRC, DST][mode.index()]),
            (Some((pipe, d @ 1..=7)), None) => {
                let (_, code) = pipes(named).iter().find(|p| p.0 == pipe)?;
                Some(code | u16::from(d))
            }
            (Some((pipe, d @ 1..=7)), Some((mode, n))) => {
                ((pipe, mode) == kind.only_pair(named)).then_some(BOTH | u16::from(d) << 4 | id(n)?)
            }
            _ => None,
        }
    }

    pub(in crate::xe) fn decode(bits: u16, kind: SwsbKind, named: bool) -> Option<Swsb> {
        if bits == 0 {
            return Some(Swsb::NONE);
        }
        let (id, near) = (low_u8(bits & 0xf), low_u8(bits & 7));
        let far = low_u8(bits >> 4 & 7);
        if bits & BOTH != 0 {
            let (pipe, mode) = kind.only_pair(named);
            let both = Swsb { dist: Some((pipe, far)), sbid: Some((mode, id)), no_acc_sb_set: false };
            return (far != 0).then_some(both);
        }
        if let Some(&(pipe, _)) = pipes(named).iter().find(|p| p.1 == bits & !7) {
            return (near != 0).then_some(Swsb { dist: Some((pipe, near)), ..Swsb::NONE });
        }
        let mode = match bits & 0xf0 {
            DST => SbidMode::Dst,
            SRC => SbidMode::Src,
            SET => SbidMode::Set,
            _ => return None,
        };
        Some(Swsb { sbid: Some((mode, id)), ..Swsb::NONE })
    }
}

/// Encodings of Ponte Vecchio: 10 bits, several in-order pipes.
pub(super) mod multi {
    use super::*;

    const DST: u16 = 0x80;
    const SRC: u16 = 0xa0;
    const SET: u16 = 0xc0;
    const NO_ACC_SB_SET: u16 = 0xf0;

    /// The pipe of a lone distance: bits 5..3.
    const PIPES: [Pipe; 6] = [Pipe::Own, Pipe::All, Pipe::Float, Pipe::Int, Pipe::Long, Pipe::Math];

    /// A pipe's number in [`PIPES`], or [`NO_PIPE`].
    const NUMBERS: [u8; 8] = {
        let mut numbers = [NO_PIPE; 8];
        let mut i = 0;
        while i < PIPES.len() {
            numbers[PIPES[i].index()] = const_u8(i);
            i += 1;
        }
        numbers
    };
    const NO_PIPE: u8 = 0xff;

    #[inline]
    pub(in crate::xe) fn encode(swsb: Swsb, kind: SwsbKind) -> Option<u16> {
        if swsb.no_acc_sb_set {
            return (swsb.dist.is_none() && swsb.sbid.is_none()).then_some(NO_ACC_SB_SET);
        }
        match (swsb.dist, swsb.sbid) {
            (None, None) => Some(0),
            (None, Some((mode, id @ 0..=31))) => Some([SET, SRC, DST][mode.index()] | u16::from(id)),
            (Some((pipe, d @ 1..=7)), None) => {
                let number = NUMBERS[pipe.index() & 7];
                (number != NO_PIPE).then_some(u16::from(number) << 3 | u16::from(d))
            }
            (Some((pipe, d @ 1..=7)), Some((mode, id @ 0..=31))) => {
                // What bits 9..8 say of a distance (bits 7..5) and an SBID (bits 4..0) together, from 1 on.
                let pairs = kind.pairs();
                let is = |n: usize| u16::from(pairs[n] == (pipe, mode)) * (to_u16(n) + 1);
                // One of them at most is not 0.
                let pair = is(0) | is(1) | is(2);
                (pair != 0).then_some(pair << 8 | u16::from(d) << 5 | u16::from(id))
            }
            _ => None,
        }
    }

    pub(in crate::xe) fn decode(bits: u16, kind: SwsbKind) -> Option<Swsb> {
        let id = low_u8(bits & 0x1f);
        let dist = low_u8(bits >> 5 & 7);
        let sbid = |mode| Some(Swsb { sbid: Some((mode, id)), ..Swsb::NONE });
        match (bits >> 8 & 3, bits & 0xe0) {
            (0, _) if bits == 0 => Some(Swsb::NONE),
            (0, _) if bits == NO_ACC_SB_SET => Some(Swsb { no_acc_sb_set: true, ..Swsb::NONE }),
            (0, DST) => sbid(SbidMode::Dst),
            (0, SRC) => sbid(SbidMode::Src),
            (0, SET) => sbid(SbidMode::Set),
            (0, _) if bits & 7 != 0 => {
                let pipe = *PIPES.get(usize::from(bits >> 3))?;
                Some(Swsb { dist: Some((pipe, low_u8(bits & 7))), ..Swsb::NONE })
            }
            (0, _) => None,
            (pair, _) if dist != 0 => {
                let (pipe, mode) = kind.pairs()[usize::from(pair) - 1];
                Some(Swsb { dist: Some((pipe, dist)), sbid: Some((mode, id)), no_acc_sb_set: false })
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [SwsbKind; 4] = [SwsbKind::Send, SwsbKind::Math, SwsbKind::Dpas, SwsbKind::Other];

    #[test]
    fn whatever_decodes_encodes_to_the_same_bits() {
        for kind in KINDS {
            let one = (0..=0xff).filter_map(|b| Some((b, byte::decode(b, kind, false)?)));
            let three = (0..=0xff).filter_map(|b| Some((b, byte::decode(b, kind, true)?)));
            let some = (0..=0x3ff).filter_map(|b| Some((b, multi::decode(b, kind)?)));
            // No annotation, 7 distances, 3 meanings of 16 SBIDs, pairs.
            assert_eq!(one.clone().count(), 1 + 7 + 3 * 16 + 7 * 16);
            // The same with 5 pipes.
            assert_eq!(three.clone().count(), 1 + 5 * 7 + 3 * 16 + 7 * 16);
            // No annotation, NoAccSBSet, 6 pipes, 3 meanings of 32 SBIDs, 3 pairs.
            assert_eq!(some.clone().count(), 2 + 6 * 7 + 3 * 32 + 3 * 7 * 32);
            for (bits, swsb) in one {
                assert_eq!(byte::encode(swsb, kind, false), Some(bits));
            }
            for (bits, swsb) in three {
                assert_eq!(byte::encode(swsb, kind, true), Some(bits));
            }
            for (bits, swsb) in some {
                assert_eq!(multi::encode(swsb, kind), Some(bits));
            }
        }
    }

    /// Answers of the reference assembler.
    #[test]
    fn words_of_the_manual() {
        let both =
            |pipe, d, mode| Swsb { dist: Some((pipe, d)), sbid: Some((mode, 3)), no_acc_sb_set: false };
        let one = |swsb, kind| byte::encode(swsb, kind, false);
        assert_eq!(one(both(Pipe::Own, 7, SbidMode::Set), SwsbKind::Math), Some(0xf3));
        assert_eq!(one(both(Pipe::Own, 7, SbidMode::Set), SwsbKind::Other), None);
        let three = |swsb, kind| byte::encode(swsb, kind, true);
        let alone = [
            (Pipe::Own, 5, 0x05),
            (Pipe::All, 1, 0x09),
            (Pipe::Float, 3, 0x13),
            (Pipe::Int, 2, 0x1a),
            (Pipe::Long, 4, 0x54),
        ];
        for (pipe, d, code) in alone {
            let alone = Swsb { dist: Some((pipe, d)), ..Swsb::NONE };
            assert_eq!(three(alone, SwsbKind::Other), Some(code));
        }
        assert_eq!(three(both(Pipe::Own, 5, SbidMode::Dst), SwsbKind::Other), Some(0xd3));
        assert_eq!(three(both(Pipe::Own, 7, SbidMode::Set), SwsbKind::Math), Some(0xf3));
        assert_eq!(three(both(Pipe::All, 2, SbidMode::Set), SwsbKind::Send), Some(0xa3));
        assert_eq!(three(both(Pipe::Float, 2, SbidMode::Set), SwsbKind::Send), None);
        assert_eq!(multi::encode(both(Pipe::All, 1, SbidMode::Dst), SwsbKind::Other), Some(0x323));
        assert_eq!(multi::encode(both(Pipe::Int, 3, SbidMode::Set), SwsbKind::Send), Some(0x363));
        assert_eq!(multi::encode(both(Pipe::Own, 7, SbidMode::Dst), SwsbKind::Dpas), Some(0x3e3));
        assert_eq!(multi::encode(both(Pipe::Long, 4, SbidMode::Set), SwsbKind::Send), None);
    }
}
