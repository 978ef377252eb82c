//! The `SWSB` field: what an instruction waits for, and the SBID it takes.
//!
//! One distance and one SBID fit a word, and only some pairs of them do; which ones depends on the
//! kind of instruction. [`SwsbKind`] has them. Sources: Programmer's Reference Manual for Tiger Lake, volume 8, "Software
//! Scoreboard"; for several pipes the encodings of the reference assembler.

use bitfield_struct::bitfield;
use gen_ir::{Pipe, SbidMode, Swsb, SwsbKind};
use narrow::{const_u8, low_u8, to_u8};
use platforms::Pipes;

/// An annotation of a distance and an SBID.
const fn both(pipe: Pipe, dist: u8, mode: SbidMode, id: u8) -> Swsb {
    Swsb { dist: Some((pipe, dist)), sbid: Some((mode, id)), no_acc_sb_set: false }
}

/// Encodings in 8 bits: one in-order pipe (Tiger Lake), or three.
pub(super) mod byte {
    use super::*;

    /// An SBID alone.
    #[bitfield(u8)]
    struct ByteToken {
        #[bits(4)]
        sbid: u8,
        /// [`SET`], [`SRC`] or [`DST`].
        #[bits(4)]
        meaning: u8,
    }

    /// A distance alone.
    #[bitfield(u8)]
    struct ByteDistance {
        #[bits(3)]
        distance: u8,
        /// A code of [`PIPES`].
        #[bits(5)]
        pipe: u8,
    }

    /// A distance and an SBID; the kind of instruction says what they mean.
    #[bitfield(u8)]
    struct BytePair {
        #[bits(4)]
        sbid: u8,
        #[bits(3)]
        distance: u8,
        is_pair: bool,
    }

    const DST: u8 = 2;
    const SRC: u8 = 3;
    const SET: u8 = 4;

    /// The pipes of lone distances, with their codes. The first alone where pipes have no names.
    const PIPES: [(Pipe, u8); 5] =
        [(Pipe::Own, 0), (Pipe::All, 1), (Pipe::Float, 2), (Pipe::Int, 3), (Pipe::Long, 10)];

    #[inline]
    const fn codes(pipes: Pipes) -> &'static [(Pipe, u8)] {
        if pipes.have_names() { &PIPES } else { PIPES.first_chunk::<1>().unwrap() }
    }

    pub(in crate::xe) fn encode(swsb: Swsb, kind: SwsbKind, pipes: Pipes) -> Option<u16> {
        if swsb.no_acc_sb_set {
            return None;
        }
        let bits = match (swsb.dist, swsb.sbid) {
            (None, None) => 0,
            (None, Some((mode, id @ 0..=15))) => {
                let meaning = [SET, SRC, DST][mode.index()];
                ByteToken::new().with_sbid(id).with_meaning(meaning).into_bits()
            }
            (Some((pipe, d @ 1..=7)), None) => {
                let (_, code) = *codes(pipes).iter().find(|p| p.0 == pipe)?;
                ByteDistance::new().with_distance(d).with_pipe(code).into_bits()
            }
            (Some((pipe, d @ 1..=7)), Some((mode, id @ 0..=15))) if (pipe, mode) == kind.only_pair(pipes) => {
                BytePair::new().with_sbid(id).with_distance(d).with_is_pair(true).into_bits()
            }
            _ => return None,
        };
        Some(bits.into())
    }

    pub(in crate::xe) fn decode(bits: u16, kind: SwsbKind, pipes: Pipes) -> Option<Swsb> {
        let bits = low_u8(bits);
        if bits == 0 {
            return Some(Swsb::NONE);
        }
        let (lone, pair) = (ByteDistance::from_bits(bits), BytePair::from_bits(bits));
        if pair.is_pair() {
            let (pipe, mode) = kind.only_pair(pipes);
            return (pair.distance() != 0).then_some(both(pipe, pair.distance(), mode, pair.sbid()));
        }
        if let Some(&(pipe, _)) = codes(pipes).iter().find(|p| p.1 == lone.pipe()) {
            let dist = Some((pipe, lone.distance()));
            return (lone.distance() != 0).then_some(Swsb { dist, ..Swsb::NONE });
        }
        let token = ByteToken::from_bits(bits);
        let mode = match token.meaning() {
            DST => SbidMode::Dst,
            SRC => SbidMode::Src,
            SET => SbidMode::Set,
            _ => return None,
        };
        Some(Swsb { sbid: Some((mode, token.sbid())), ..Swsb::NONE })
    }
}

/// Encodings of Ponte Vecchio: 10 bits, several in-order pipes.
pub(super) mod multi {
    use super::*;

    /// An SBID alone.
    #[bitfield(u16)]
    struct WideToken {
        #[bits(5)]
        sbid: u8,
        /// [`SET`], [`SRC`] or [`DST`].
        #[bits(3)]
        meaning: u8,
        #[bits(8)]
        __: u8,
    }

    /// A distance alone.
    #[bitfield(u16)]
    struct WideDistance {
        #[bits(3)]
        distance: u8,
        /// Its place in [`PIPES`].
        #[bits(5)]
        pipe: u8,
        #[bits(8)]
        __: u8,
    }

    /// A distance and an SBID.
    #[bitfield(u16)]
    struct WidePair {
        #[bits(5)]
        sbid: u8,
        #[bits(3)]
        distance: u8,
        /// Which pipe and meaning of those that the kind of instruction has, from 1 on.
        #[bits(2)]
        which: u8,
        #[bits(6)]
        __: u8,
    }

    const DST: u8 = 4;
    const SRC: u8 = 5;
    const SET: u8 = 6;
    const NO_ACC_SB_SET: u16 = 0xf0;

    /// The pipes of lone distances.
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
            (None, Some((mode, id @ 0..=31))) => {
                let meaning = [SET, SRC, DST][mode.index()];
                Some(WideToken::new().with_sbid(id).with_meaning(meaning).into_bits())
            }
            (Some((pipe, d @ 1..=7)), None) => {
                let number = NUMBERS[pipe.index() & 7];
                let is_pipe = number != NO_PIPE;
                is_pipe.then(|| WideDistance::new().with_distance(d).with_pipe(number).into_bits())
            }
            (Some((pipe, d @ 1..=7)), Some((mode, id @ 0..=31))) => {
                let pairs = kind.pairs();
                let is = |n: usize| u8::from(pairs[n] == (pipe, mode)) * (to_u8(n) + 1);
                // One of them at most is not 0.
                let which = is(0) | is(1) | is(2);
                let pair = WidePair::new().with_sbid(id).with_distance(d);
                (which != 0).then(|| pair.with_which(which).into_bits())
            }
            _ => None,
        }
    }

    pub(in crate::xe) fn decode(bits: u16, kind: SwsbKind) -> Option<Swsb> {
        let (token, lone, pair) =
            (WideToken::from_bits(bits), WideDistance::from_bits(bits), WidePair::from_bits(bits));
        let sbid = |mode| Some(Swsb { sbid: Some((mode, token.sbid())), ..Swsb::NONE });
        match (pair.which(), token.meaning()) {
            (0, _) if bits == 0 => Some(Swsb::NONE),
            (0, _) if bits == NO_ACC_SB_SET => Some(Swsb { no_acc_sb_set: true, ..Swsb::NONE }),
            (0, DST) => sbid(SbidMode::Dst),
            (0, SRC) => sbid(SbidMode::Src),
            (0, SET) => sbid(SbidMode::Set),
            // A distance of 0 is none, in whatever pipe.
            (0, _) if lone.distance() == 0 => (lone.pipe() < 8).then_some(Swsb::NONE),
            (0, _) => {
                let pipe = *PIPES.get(usize::from(lone.pipe()))?;
                Some(Swsb { dist: Some((pipe, lone.distance())), ..Swsb::NONE })
            }
            (which, _) if pair.distance() != 0 => {
                let (pipe, mode) = kind.pairs()[usize::from(which) - 1];
                Some(both(pipe, pair.distance(), mode, pair.sbid()))
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
            let one = (0..=0xff).filter_map(|b| Some((b, byte::decode(b, kind, Pipes::One)?)));
            let three = (0..=0xff).filter_map(|b| Some((b, byte::decode(b, kind, Pipes::Three)?)));
            let some = (0..=0x3ff).filter_map(|b| Some((b, multi::decode(b, kind)?)));
            // No annotation, 7 distances, 3 meanings of 16 SBIDs, pairs.
            assert_eq!(one.clone().count(), 1 + 7 + 3 * 16 + 7 * 16);
            // The same with 5 pipes.
            assert_eq!(three.clone().count(), 1 + 5 * 7 + 3 * 16 + 7 * 16);
            // No annotation in 8 ways, NoAccSBSet, 6 pipes, 3 meanings of 32 SBIDs, 3 pairs.
            assert_eq!(some.clone().count(), 8 + 1 + 6 * 7 + 3 * 32 + 3 * 7 * 32);
            for (bits, swsb) in one {
                assert_eq!(byte::encode(swsb, kind, Pipes::One), Some(bits));
            }
            for (bits, swsb) in three {
                assert_eq!(byte::encode(swsb, kind, Pipes::Three), Some(bits));
            }
            for (bits, swsb) in some {
                let own = if swsb == Swsb::NONE { 0 } else { bits };
                assert_eq!(multi::encode(swsb, kind), Some(own));
            }
        }
    }

    /// Answers of the reference assembler.
    #[test]
    fn words_of_the_manual() {
        let both = |pipe, d, mode| both(pipe, d, mode, 3);
        let one = |swsb, kind| byte::encode(swsb, kind, Pipes::One);
        assert_eq!(one(both(Pipe::Own, 7, SbidMode::Set), SwsbKind::Math), Some(0xf3));
        assert_eq!(one(both(Pipe::Own, 7, SbidMode::Set), SwsbKind::Other), None);
        let three = |swsb, kind| byte::encode(swsb, kind, Pipes::Three);
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
