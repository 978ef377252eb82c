//! Machine words of Tiger Lake and Ponte Vecchio, against every instruction that Intel's compiler wrote
//! for the test kernels.

use encoder::{CMPT_CTRL, compact, decode, encode, expand};
use platforms::Platform;
use tests::data;

const XE: [Platform; 2] = [Platform::Tgllp, Platform::Pvc];

/// One instruction of some code, as it stands there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Word {
    Native(u128),
    Compacted(u64),
}

fn words(code: &[u8]) -> Vec<Word> {
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
fn round_trip(platform: Platform, word: Word) -> Option<String> {
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

#[test]
fn every_instruction_of_the_test_kernels_comes_back() {
    for platform in XE {
        let mut all: Vec<Word> = data::kernels(platform).iter().flat_map(|k| words(&k.dat)).collect();
        let total = all.len();
        all.sort();
        all.dedup();
        let wrong: Vec<String> = all.iter().filter_map(|w| round_trip(platform, *w)).collect();
        println!("{platform}: {total} instructions, {} different", all.len());
        for w in wrong.iter().take(20) {
            println!("  {w}");
        }
        assert!(wrong.is_empty(), "{platform}: {} of {} words", wrong.len(), all.len());
        assert!(total > 3000);
    }
}
