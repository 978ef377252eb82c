//! What fills a buffer: numbers that the command line lists or describes.

use crate::element::Element;
use narrow::to_i64;

/// A pattern of elements. It starts again where the buffer goes on.
#[derive(Clone, Debug, PartialEq)]
pub enum Pattern {
    /// 0, 1, 2, ... without an end.
    Iota,
    /// Whole numbers from the first on, below the second.
    Range(i64, i64),
    /// Random numbers made from a seed: floats from 0 to 1, integers of all sizes.
    Random(u64),
    /// These, as bytes.
    Values(Vec<u8>),
}

impl Pattern {
    /// Reads `iota`, `A..B`, `random[:SEED]` or `VALUE[,VALUE...]`.
    ///
    /// # Errors
    ///
    /// The text is none of those, or a value does not fit the type.
    pub fn parse(element: Element, text: &str) -> Result<Pattern, String> {
        let (word, rest) = text.split_once(':').map_or((text, None), |(w, r)| (w, Some(r)));
        match (word, rest) {
            ("iota", None) => return Ok(Pattern::Iota),
            ("random", seed) => {
                let seed = seed.unwrap_or("1");
                let number = seed.parse().map_err(|_| format!("`{seed}` is no seed; write a number"));
                return number.map(Pattern::Random);
            }
            _ => {}
        }
        if let Some((from, to)) = text.split_once("..") {
            let bound = |t: &str| t.trim().parse::<i64>().map_err(|_| format!("`{t}` is no whole number"));
            let (from, to) = (bound(from)?, bound(to)?);
            // Both ends are numbers of the type, and with them all between.
            element.encode(&from.to_string())?;
            element.encode(&(to - 1).max(from).to_string())?;
            return if from < to { Ok(Pattern::Range(from, to)) } else { Err(format!("`{text}` is empty")) };
        }
        let values: Result<Vec<Vec<u8>>, String> =
            text.split(',').map(|v| element.encode(v.trim())).collect();
        Ok(Pattern::Values(values?.concat()))
    }

    /// Elements until it starts again, if it does.
    pub fn own_count(&self, element: Element) -> Option<usize> {
        match self {
            Pattern::Iota | Pattern::Random(_) => None,
            Pattern::Range(from, to) => usize::try_from(to.checked_sub(*from)?).ok(),
            Pattern::Values(bytes) => Some(bytes.len() / element.bytes()),
        }
    }

    /// The bytes of so many elements.
    pub fn fill(&self, element: Element, count: usize) -> Vec<u8> {
        let size = element.bytes();
        if let Pattern::Values(bytes) = self {
            return bytes.iter().copied().cycle().take(count * size).collect();
        }
        let mut state = if let Pattern::Random(seed) = self { *seed } else { 0 };
        let mut out = Vec::with_capacity(count * size);
        for i in 0..count {
            match self {
                Pattern::Range(from, to) => {
                    out.extend(element.whole_number(from + to_i64(i) % (to - from)));
                }
                Pattern::Random(_) => out.extend(element.random_number(next(&mut state))),
                Pattern::Iota | Pattern::Values(_) => out.extend(element.whole_number(to_i64(i))),
            }
        }
        out
    }
}

/// SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014).
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_are_filled() {
        let filled = |element, text: &str, count| Pattern::parse(element, text).unwrap().fill(element, count);
        let (byte, half, float) = (Element::Unsigned(1), Element::Signed(2), Element::Float(4));
        assert_eq!(filled(byte, "iota", 4), [0, 1, 2, 3]);
        assert_eq!(filled(byte, "iota", 258)[255..], [255, 0, 1], "whole numbers wrap");
        assert_eq!(filled(byte, "7", 3), [7, 7, 7]);
        assert_eq!(filled(byte, "1,2,3", 5), [1, 2, 3, 1, 2]);
        assert_eq!(filled(half, "-1..2", 4), [255, 255, 0, 0, 1, 0, 255, 255]);
        assert_eq!(filled(float, "iota", 2), [0, 0, 0, 0, 0, 0, 0x80, 0x3f]);
        let random: Vec<f32> = filled(float, "random:3", 100)
            .chunks_exact(4)
            .map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]))
            .collect();
        assert!(random.iter().all(|x| (0.0..1.0).contains(x)) && random[0] != random[1], "{random:?}");
        assert_eq!(filled(byte, "random", 9), filled(byte, "random:1", 9));
        for bad in ["0..0", "0..300", "-1..2", "random:x", "iota:1", "", "1..", "9223372036854775807..-9"] {
            assert!(Pattern::parse(byte, bad).is_err(), "{bad}");
        }
    }
}
