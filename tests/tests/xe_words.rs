//! Machine words of Tiger Lake and Ponte Vecchio, against every instruction that Intel's compiler wrote
//! for the test kernels.

use encoder::{compact, decode, encode, expand};
use platforms::Platform;
use tests::words::{Word, all_come_back, all_words};

const XE: [Platform; 2] = [Platform::Tgllp, Platform::Pvc];

#[test]
fn every_instruction_of_the_test_kernels_comes_back() {
    for platform in XE {
        let all = all_words(platform);
        all_come_back(platform, &all);
        assert!(all.len() > 10_000);
    }
}

/// Intel's compiler compacts whatever it can on Tiger Lake, but for moves into a thread's last message
/// and jumps by adding to `ip`; those are few, and the reference assembler compacts them too.
#[test]
fn native_words_of_tiger_lake_do_not_compact() {
    let all = all_words(Platform::Tgllp);
    let native = all.iter().filter_map(|w| if let Word::Native(w) = w { Some(*w) } else { None });
    let left = native.filter(|w| compact(Platform::Tgllp, *w).is_some()).count();
    assert!(left < 10, "{left} native words have a compacted form");
}

/// Words a bit or two away from real ones: no panic, and no bit is lost.
#[test]
fn flipped_words_decode_without_loss_or_not_at_all() {
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = |below: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random >> 20) as usize % below
    };
    for platform in XE {
        let all = all_words(platform);
        let (mut decoded, mut compacted) = (0, 0);
        for _ in 0..100_000 {
            match all[next(all.len())] {
                Word::Native(word) => {
                    let word = word ^ 1 << next(128) ^ 1 << next(128);
                    let Ok(inst) = decode(platform, word) else { continue };
                    decoded += 1;
                    assert_eq!(encode(platform, &inst), Ok(word), "{platform} {word:032x}");
                    if let Some(small) = compact(platform, word) {
                        assert_eq!(expand(platform, small), Ok(word), "{platform} {word:032x}");
                    }
                }
                Word::Compacted(word) => {
                    let word = word ^ 1 << next(64) ^ 1 << next(64);
                    let Ok(native) = expand(platform, word) else { continue };
                    let Ok(inst) = decode(platform, native) else { continue };
                    compacted += 1;
                    assert_eq!(encode(platform, &inst), Ok(native), "{platform} {native:032x}");
                    // A table may hold a row twice; the first stands for both.
                    let small = compact(platform, native).expect("a compacted form");
                    assert_eq!(expand(platform, small), Ok(native), "{platform} {word:016x}");
                }
            }
        }
        println!("{platform}: {decoded} flipped words decode, {compacted} compacted ones");
        assert!(decoded > 1_000 && compacted > 1_000);
    }
}
