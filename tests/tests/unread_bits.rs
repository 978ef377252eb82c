//! Words with something in every bit that their instruction does not read (`tests::unread`) decode to what the reference
//! disassembler says of them, and come back without.

use encoder::decode_all;
use platforms::Platform;
use tests::unread::{recorded, text};

#[test]
fn bits_that_nobody_reads_may_hold_anything() {
    let words = recorded().unwrap();
    for platform in tests::data::devices() {
        assert!(words.iter().filter(|w| w.platform == platform).count() > 20, "{platform}");
    }
    for word in words {
        let read = text(word.platform, &word.bytes);
        assert_eq!(read.as_ref(), Ok(&word.text), "{} {:02x?}", word.platform, word.bytes);
        let decoded = decode_all(word.platform, &word.bytes).next().unwrap();
        assert!(!decoded.comes_back(word.platform, &word.bytes), "{} {}", word.platform, word.text);
    }
}

/// Fields of which compilers are known to leave something behind.
#[test]
fn words_of_other_compilers_decode() {
    let words: [(Platform, u128, &str); 4] = [
        // The type of source 1 beside an immediate, as Mesa writes it.
        (Platform::Skl, 0x3800_0000_2000_3ee8_0040_0001, "mov (4|M0) r0.0<1>:f 0.0:f"),
        // A type of a source 1 that is not there.
        (Platform::Tgllp, 0x46_0001_6a46_0005_0005_0aa0_0003_0038, "math.sin (8|M0) r0.0<1>:f r0.0<8;8,1>:f"),
        // A selection of channels that `RepCtrl` makes needless.
        (
            Platform::Skl,
            0x0627_2434_b920_51c9_7e02_0044_0040_015b ^ 1 << 65,
            "(W) mad (1|M0) r126.0<1>:f -r5.0<0;0>:f r26.2<0;0>:f r24.4<0>:f",
        ),
        // An execution size.
        (Platform::Tgllp, 0x1_0000_0000_2701 | 4 << 16, "sync.nop null {$7.dst}"),
    ];
    for (platform, word, expected) in words {
        assert_eq!(text(platform, &word.to_le_bytes()).as_deref(), Ok(expected), "{platform} {word:032x}");
    }
}
