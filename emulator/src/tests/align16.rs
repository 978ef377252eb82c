//! Three-source words of Gen8 and Gen9, as the reference assembler encodes them, and with every other swizzle: what the
//! emulator leaves is what their bits say, read here by themselves, or it refuses the word.
//!
//! Fields: Mesa, brw_eu_inst.h, three-source instructions. Meaning: Programmer's Reference Manual volume 7, "Align16":
//! a channel selects within its 16 bytes; a replicated source is one dword for all channels. 64-bit elements are pairs
//! of selected dwords, and are not replicated.

use super::Machine;
use crate::{Program, dispatch::run_bare};
use platforms::Platform;

/// `mad` and `lrp`, in the order of the listing beside.
const WORDS: [u128; 7] = [
    0x0387_2018_3900_a1c8_141e_0000_0060_015b, // mad (8) r20.0<1>:f r10.0<2;1>:f r12.0<2;1>:f r14.0<1>:f
    0x03b7_2418_3900_a7c9_141e_0000_0060_015b, // mad (8) r20.0<1>:f r10.3<0;0>:f r12.0<2;1>:f r14.6<0>:f
    0x0387_2018_3920_abc9_141e_0000_0040_015b, // mad (4) r20.0<1>:f r10.5<0;0>:f r12.1<0;0>:f r14.0<1>:f
    0x0387_2018_3900_a1c8_141e_d800_0040_015b, // mad (4) r20.0<1>:df r10.0<2;1>:df r12.0<2;1>:df r14.0<1>:df
    0x038f_2419_f920_a5c9_1408_0000_0040_015b, // mad (1) r20.2<1>:f r10.2<0;0>:f r12.7<0;0>:f r14.1<0>:f
    0x0387_2018_f920_a1c8_141e_4800_0060_015b, // mad (8) r20.0<1>:d r10.0<2;1>:d r12.3<0;0>:d r14.0<1>:d
    0x0387_2018_3900_a7c9_141e_0000_0060_015c, // lrp (8) r20.0<1>:f r10.3<0;0>:f r12.0<2;1>:f r14.0<1>:f
];

/// Lowest bits of the sources' fields: `RepCtrl`, then `ChanSel`, `SubRegNum`, `RegNum`.
const SOURCES: [u32; 3] = [64, 85, 106];

fn field(word: u128, low: u32, bits: u32) -> u32 {
    (word >> low) as u32 & ((1 << bits) - 1)
}

/// Dword `index` of the registers before the word runs: small numbers of the word's type.
fn before(word: u128, index: u32) -> u32 {
    match field(word, 43, 3) {
        0 => ((index % 61) as f32 / 4.0).to_bits(),
        // Doubles: low halves are zero.
        3 if index.is_multiple_of(2) => 0,
        3 => ((f64::from(index % 61) / 4.0).to_bits() >> 32) as u32,
        _ => index % 61,
    }
}

/// What a source gives a channel, by the bits of the word; `None` where they have no meaning.
fn operand(word: u128, source: usize, channel: u32) -> Option<u64> {
    let at = SOURCES[source];
    let (replicated, swizzle) = (field(word, at, 1) == 1, field(word, at + 1, 8));
    let first = field(word, at + 12, 8) * 8 + field(word, at + 9, 3);
    let select = |k: u32| swizzle >> (2 * k) & 3;
    let double = field(word, 43, 3) == 3;
    match (double, replicated) {
        (false, true) => Some(before(word, first).into()),
        (false, false) => Some(before(word, first + channel / 4 * 4 + select(channel % 4)).into()),
        (true, true) => None,
        (true, false) => {
            let half =
                |h: u32| u64::from(before(word, first + channel / 2 * 4 + select(channel % 2 * 2 + h)));
            Some(half(0) | half(1) << 32)
        }
    }
}

/// The result of a channel: `mad` adds source 0, `lrp` goes from source 2 to source 1.
fn result(word: u128, [a, b, c]: [u64; 3]) -> u64 {
    let single = |x: u64| f32::from_bits(x as u32);
    let double = f64::from_bits;
    match (field(word, 0, 7), field(word, 43, 3)) {
        (0x5c, _) => single(a).mul_add(single(b), (1.0 - single(a)) * single(c)).to_bits().into(),
        (_, 0) => single(b).mul_add(single(c), single(a)).to_bits().into(),
        (_, 3) => double(b).mul_add(double(c), double(a)).to_bits(),
        _ => u64::from((a as u32).wrapping_add((b as u32).wrapping_mul(c as u32))),
    }
}

/// The destination's registers as the bits say.
fn expected(word: u128) -> Option<Vec<u32>> {
    let lanes = 1 << field(word, 21, 3);
    let (number, first) = (field(word, 56, 8), field(word, 53, 3));
    let enabled = field(word, 49, 4);
    let double = field(word, 43, 3) == 3;
    let mut out: Vec<u32> = (0..16).map(|k| before(word, number * 8 + k)).collect();
    for channel in 0..lanes {
        let sources = [0, 1, 2].map(|s| operand(word, s, channel));
        let [Some(a), Some(b), Some(c)] = sources else { return None };
        let value = result(word, [a, b, c]);
        // A double takes two of the four components.
        let dwords = if double { 2 } else { 1 };
        for half in 0..dwords {
            let at = channel * dwords + half;
            if enabled >> (at % 4) & 1 != 0 {
                out[(first + at) as usize] = (value >> (32 * half)) as u32;
            }
        }
    }
    Some(out)
}

/// What the emulator leaves; `None` if it refuses the word.
fn found(platform: Platform, word: u128) -> Option<Vec<u32>> {
    let program = Program::load(platform, &word.to_le_bytes()).ok()?;
    let mut m = Machine::new(platform);
    for index in 0..32 * 8 {
        m.t.set_u32(index * 4, before(word, index));
    }
    run_bare(&program, &mut m.t, &mut m.memory, &m.bindings).ok()?;
    let number = field(word, 56, 8);
    Some((0..16).map(|k| m.t.u32_at((number * 8 + k) * 4)).collect())
}

#[test]
fn words_compute_what_their_bits_say() {
    for platform in [Platform::Bdw, Platform::Skl, Platform::Bxt] {
        for word in WORDS {
            assert_eq!(found(platform, word), expected(word), "{platform} {word:032x}");
            assert!(expected(word).is_some());
        }
    }
}

#[test]
fn swizzles_are_obeyed_or_refused() {
    let (mut obeyed, mut refused) = (0, 0);
    for word in WORDS {
        for at in SOURCES {
            for bits in 0..1 << 9 {
                let other = word & !(0x1ff << at) | bits << at;
                match found(Platform::Skl, other) {
                    None => refused += 1,
                    some => {
                        assert_eq!(some, expected(other), "{other:032x}");
                        obeyed += 1;
                    }
                }
            }
        }
    }
    // (Beside `RepCtrl` nobody reads the selection.)
    assert_eq!((obeyed, refused), (4632, 6120));
}
