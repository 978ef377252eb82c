//! Machine code as words, and the way of a word to Gen IR and back.

use crate::{data, random::Random};
use encoder::{CMPT_CTRL, compact, decode, encode, expand};
use gen_ir::{Inst, Physical};
use platforms::Platform;

/// One instruction of some code, as it stands there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Word {
    /// 128 bits.
    Native(u128),
    /// 64 bits.
    Compacted(u64),
}

/// The words of some code.
pub fn words(code: &[u8]) -> Vec<Word> {
    let mut words = Vec::new();
    let mut rest = code;
    while let Some(low) = rest.first_chunk::<8>() {
        let low = u64::from_le_bytes(*low);
        if low & CMPT_CTRL != 0 {
            words.push(Word::Compacted(low));
            rest = &rest[8..];
        } else {
            let word = rest.first_chunk::<16>().expect("whole instructions");
            words.push(Word::Native(u128::from_le_bytes(*word)));
            rest = &rest[16..];
        }
    }
    assert!(rest.is_empty());
    words
}

/// What is wrong with the way to Gen IR and back, if anything is.
pub fn round_trip(platform: Platform, word: Word) -> Option<String> {
    let native = match word {
        Word::Native(native) => native,
        Word::Compacted(small) => match expand(platform, small) {
            Ok(native) => native,
            Err(e) => return Some(format!("{small:016x}: {e}")),
        },
    };
    let inst = match decode(platform, native) {
        Ok(inst) => inst,
        Err(e) => return Some(format!("{native:032x}: {e}")),
    };
    match encode(platform, &inst) {
        Ok(again) if again == native => {}
        Ok(again) => return Some(format!("{native:032x}: became {again:032x} ({inst:?})")),
        Err(e) => return Some(format!("{native:032x}: {e} ({inst:?})")),
    }
    match word {
        Word::Native(_) => None,
        Word::Compacted(small) => {
            let again = compact(platform, native);
            (again != Some(small)).then(|| format!("{small:016x}: compacted to {again:x?}"))
        }
    }
}

/// Every different word of the test kernels, sorted.
pub fn all_words(platform: Platform) -> Vec<Word> {
    let mut all: Vec<Word> = data::kernels(platform).iter().flat_map(|k| words(&k.dat)).collect();
    println!("{platform}: {} instructions", all.len());
    all.sort();
    all.dedup();
    all
}

/// Asserts that each word comes back from Gen IR as it was.
pub fn all_come_back(platform: Platform, words: &[Word]) {
    let wrong: Vec<String> = words.iter().filter_map(|w| round_trip(platform, *w)).collect();
    for w in wrong.iter().take(20) {
        println!("  {w}");
    }
    assert!(wrong.is_empty(), "{platform}: {} of {} words", wrong.len(), words.len());
}

/// The word that an instruction's word comes back as: the same, but for bits that nobody reads.
pub fn comes_back_as(platform: Platform, word: u128, inst: &Inst<Physical>) -> u128 {
    let own = encode(platform, inst).unwrap_or_else(|e| panic!("{platform} {word:032x}: {e}"));
    if own != word {
        assert_eq!(decode(platform, own).as_ref(), Ok(inst), "{platform} {word:032x} became {own:032x}");
    }
    own
}

/// Asserts that words a bit or two away from these decode to what comes back, or not at all.
pub fn flipped_come_back(platform: Platform, words: &[Word]) {
    let mut random = Random::new(1);
    let mut next = |below: usize| random.below(below);
    let (mut decoded, mut compacted, mut same) = (0, 0, 0);
    for _ in 0..100_000 {
        match words[next(words.len())] {
            Word::Native(word) => {
                let word = word ^ 1 << next(128) ^ 1 << next(128);
                let Ok(inst) = decode(platform, word) else { continue };
                decoded += 1;
                same += usize::from(comes_back_as(platform, word, &inst) == word);
                if let Some(small) = compact(platform, word) {
                    assert_eq!(expand(platform, small), Ok(word), "{platform} {word:032x}");
                }
            }
            Word::Compacted(word) => {
                let word = word ^ 1 << next(64) ^ 1 << next(64);
                let Ok(native) = expand(platform, word) else { continue };
                let Ok(inst) = decode(platform, native) else { continue };
                compacted += 1;
                let own = comes_back_as(platform, native, &inst);
                let small = compact(platform, native).expect("a compacted form");
                assert_eq!(expand(platform, small), Ok(native), "{platform} {word:016x}");
                same += usize::from(own == native && small == word);
            }
        }
    }
    println!("{platform}: {decoded} flipped words decode, {compacted} compacted ones; {same} come back");
    assert!(decoded > 1_000 && compacted > 1_000 && same > (decoded + compacted) / 2);
}
