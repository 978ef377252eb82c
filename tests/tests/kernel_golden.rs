//! The goldens, both ways: bytes to Intel's text, text to Intel's bytes. Needs no reference tools.

use encoder::decode_all;
use gen_ir::{Inst, Payload};
use iga::{AsmOptions, ListingOptions};
use platforms::{Layout, Platform};
use tests::{
    golden::{Golden, goldens},
    words,
};

/// Collects what is wrong with the goldens of all platforms and fails with the first of it.
fn check(fault: impl Fn(Platform, &Golden) -> Option<String>) {
    let mut faults = Vec::new();
    let mut seen = 0;
    for platform in Platform::ALL {
        for golden in goldens(platform) {
            seen += 1;
            faults.extend(fault(platform, &golden).map(|f| format!("{}: {f}", golden.place)));
        }
    }
    assert!(seen > 2000, "only {seen} goldens");
    let first = faults.iter().take(20).cloned().collect::<Vec<_>>().join("\n");
    assert!(faults.is_empty(), "{} of {seen}:\n{first}", faults.len());
}

#[test]
fn words_come_back() {
    check(|platform, golden| {
        words::words(&golden.code).into_iter().find_map(|w| words::round_trip(platform, w))
    });
}

#[test]
fn listings_are_intels() {
    let options = ListingOptions { numeric_labels: true, ..ListingOptions::default() };
    check(|platform, golden| {
        let ours = iga::disassemble(platform, &golden.code, &options);
        (ours.trim_end() != golden.text)
            .then(|| format!("\n  Intel: {}\n  ours:  {}", golden.text, ours.trim_end()))
    });
}

/// A listing says everything but the source type of `send` before Tiger Lake, which the hardware ignores:
/// there the text is compared once more instead of the bytes. Branches are left out: bits that do not
/// matter differ from compiler to compiler, and a target outside of the text does not assemble, here or in iga64.
#[test]
fn text_becomes_the_same_words() {
    let options = ListingOptions { numeric_labels: true, ..ListingOptions::default() };
    check(|platform, golden| {
        let text = golden.text.split("//").next().unwrap_or_default().trim_end();
        let decoded = decode_all(platform, &golden.code).next()?.inst;
        if matches!(decoded, Ok(Inst { payload: Payload::Branch { .. }, .. })) {
            return None;
        }
        let code = match iga::assemble(platform, text, &AsmOptions::default()) {
            Ok(code) => code,
            Err(e) => return Some(format!("{e:?}: {text}")),
        };
        let same = if platform.caps().words.layout() == Layout::Gen8 && text.contains("send") {
            iga::disassemble(platform, &code, &options).starts_with(text)
        } else {
            code == golden.code
        };
        (!same).then(|| format!("{text}\n  Intel: {:02x?}\n  ours:  {code:02x?}", golden.code))
    });
}
