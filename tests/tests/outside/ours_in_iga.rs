//! Our code in the hands of Intel's assembler: no warning that Intel's own code does not have, and the
//! listing assembles back to our bytes.

use std::collections::BTreeSet;

use platforms::Platform;
use tests::{data::kernels, differential::finalize, oracle::Iga};

/// A warning's wording without its place and numbers.
fn kinds(warnings: &str) -> BTreeSet<String> {
    let wording = |l: &str| l.chars().filter(|c| !c.is_ascii_digit()).collect::<String>();
    warnings.lines().filter(|l| l.contains("warning") || l.contains("error")).map(wording).collect()
}

/// Words of code, 16 bytes or (compacted: bit 29) 8.
fn words(code: &[u8]) -> Vec<&[u8]> {
    let mut words = Vec::new();
    let mut rest = code;
    while rest.len() >= 8 {
        let len = if rest[3] & 0x20 != 0 { 8 } else { 16.min(rest.len()) };
        let (word, after) = rest.split_at(len);
        words.push(word);
        rest = after;
    }
    words
}

/// What iga64 says of our code for a platform, and whether its own words for that text are ours.
pub fn check(iga: Iga, platform: Platform) {
    let mut allowed = BTreeSet::new();
    let mut found = BTreeSet::new();
    let (mut kernels_seen, mut words_seen, mut sends) = (0, 0, 0);
    for kernel in kernels(platform) {
        let Ok(binary) = finalize(platform, kernel) else { continue };
        // Intel's Broadwell code can hold split sends, which Broadwell lacks and iga64 refuses.
        if let Ok(intel) = iga.disassemble(platform, &kernel.dat) {
            allowed.extend(kinds(&intel.warnings));
        }
        let ours =
            iga.disassemble(platform, &binary.code).unwrap_or_else(|e| panic!("{}: {e:?}", kernel.id()));
        for kind in kinds(&ours.warnings) {
            found.insert((kind, kernel.id()));
        }
        let back = iga.assemble(platform, &ours.text).unwrap_or_else(|e| panic!("{}: {e:?}", kernel.id()));
        let (mine, theirs) = (words(&binary.code), words(&back));
        assert_eq!(mine.len(), theirs.len(), "{}", kernel.id());
        for (i, (a, b)) in mine.iter().zip(&theirs).enumerate() {
            // The listing does not say the type of a message's payload before Gen12.
            let send = platform.caps().words.layout() == platforms::Layout::Gen8
                && (0x31..=0x34).contains(&(a[0] & 0x7f));
            sends += usize::from(a != b);
            assert!(a == b || send, "{}: word {i}: {a:02x?} comes back as {b:02x?}", kernel.id());
        }
        kernels_seen += 1;
        words_seen += mine.len();
    }
    let new: Vec<_> = found.iter().filter(|(kind, _)| !allowed.contains(kind)).collect();
    println!(
        "{platform}: {kernels_seen} kernels, {words_seen} words, {sends} sends in the assembler's form, {} kinds of warnings on Intel's code",
        allowed.len()
    );
    assert!(new.is_empty(), "{platform}: warnings that Intel's code does not have: {new:#?}");
    assert!(kernels_seen > 300, "{platform}: only {kernels_seen} kernels");
}
