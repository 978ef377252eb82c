//! Machine words of Tiger Lake and Ponte Vecchio, against every instruction that Intel's compiler wrote
//! for the test kernels.

use encoder::compact;
use platforms::{Layout, Platform};
use tests::{
    data::devices_with,
    words::{Word, all_come_back, all_words, flipped_come_back},
};

#[test]
fn every_instruction_of_the_test_kernels_comes_back() {
    for platform in devices_with(Layout::Xe) {
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

/// Words a bit or two away from real ones: no panic, and no bit is lost but those that nobody reads.
#[test]
fn flipped_words_decode_without_loss_or_not_at_all() {
    for platform in devices_with(Layout::Xe) {
        flipped_come_back(platform, &all_words(platform));
    }
}
