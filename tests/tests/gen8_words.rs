//! Machine words of Broadwell, Skylake and Ice Lake, against every instruction that Intel's compiler
//! wrote for the test kernels.

use encoder::{CMPT_CTRL, decode, encode, expand};
use platforms::{Format, Gen8Format, Layout, Platform};
use tests::words::{Word, all_come_back, all_words, comes_back_as, flipped_come_back};

fn gen8() -> impl Iterator<Item = Platform> {
    Platform::ALL.into_iter().filter(|p| p.caps().words.layout() == Layout::Gen8)
}

/// Broadwell's kernels have compacted messages, which Cherryview does not.
fn is_compacted_message(platform: Platform, word: &Word) -> bool {
    platform.caps().words.format == Format::Gen8(Gen8Format::Gen8Lp)
        && matches!(word, Word::Compacted(w) if w & 0x7f == 0x31)
}

/// Intel's compiler writes `sends` for Broadwell's stack calls, an opcode that the platform does not have
/// and that Intel's own disassembler refuses.
fn is_sends_on_broadwell(platform: Platform, word: &Word) -> bool {
    platform.with_kernels() == Platform::Bdw && matches!(word, Word::Native(w) if w & 0x7f == 0x33)
}

fn known_words(platform: Platform) -> Vec<Word> {
    let mut all = all_words(platform);
    all.retain(|w| !is_compacted_message(platform, w));
    let before = all.len();
    all.retain(|w| !is_sends_on_broadwell(platform, w));
    if all.len() < before {
        println!("{platform}: {} words are `sends`, which the platform does not have", before - all.len());
    }
    all
}

#[test]
fn every_instruction_of_the_test_kernels_comes_back() {
    for platform in gen8() {
        let all = known_words(platform);
        all_come_back(platform, &all);
        assert!(all.len() > 10_000);
    }
}

/// Words a bit or two away from real ones: no panic, and no bit is lost but those that nobody reads.
#[test]
fn flipped_words_decode_without_loss_or_not_at_all() {
    for platform in gen8() {
        flipped_come_back(platform, &known_words(platform));
    }
}

/// Words of nothing but chance, compacted and not.
#[test]
fn chance_words_never_panic() {
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        random ^ random >> 29
    };
    for platform in gen8() {
        for _ in 0..200_000 {
            let word = u128::from(next()) << 64 | u128::from(next());
            if let Ok(inst) = decode(platform, word) {
                comes_back_as(platform, word, &inst);
            }
            if let Ok(native) = expand(platform, next() | CMPT_CTRL) {
                let _ = decode(platform, native);
            }
        }
    }
}

/// Beside an extended descriptor in a register, Ice Lake's words hold a length, as Intel's finalizer leaves it there; the
/// reference disassembler reads them so. Skylake's are not read.
#[test]
fn a_length_beside_a_register_descriptor_is_kept() {
    // sends (8|M0)  r10:w  r20  r30  a0.2  0x0210A000, as the reference assembler writes it, and bits 67..64.
    let word = 0x0210_a000_0002_0280_2141_e078_0060_0033_u128;
    for length in 0..16 {
        let word = word | length << 64;
        let inst = decode(Platform::Icllp, word).expect("a message");
        assert_eq!(encode(Platform::Icllp, &inst), Ok(word));
        let gen_ir::Payload::Send(send) = inst.payload else { panic!("no message") };
        assert_eq!(u128::from(send.src1_len), length);
        let inst = decode(Platform::Skl, word).expect("a message");
        assert_eq!(encode(Platform::Skl, &inst) == Ok(word), length == 0);
    }
}

/// Intel's finalizer sets that bit beside other types where it writes a message with one payload: then the source's type says so.
#[test]
fn half_floats_of_a_message_are_the_type_of_its_source() {
    // sendc (16|M0)  null:w  r74:f  0x5  a0.0, of a render target write of half floats (Broadwell).
    let word = 0x4000_0200_008d_0940_2000_3a60_0580_0032_u128;
    let inst = decode(Platform::Bdw, word).expect("a message");
    assert_eq!(inst.src[0].ty(), Some(gen_ir::Type::Hf));
    let again = encode(Platform::Bdw, &inst).expect("a word");
    assert_eq!((again >> 126, decode(Platform::Bdw, again)), (1, Ok(inst)));
    // No sampler there takes half floats.
    assert!(decode(Platform::Bdw, word | 1 << 125).is_err());
}

/// Of a descriptor in a register, Skylake takes bit 30 from the word: half floats go to a render target. A split message has no
/// type of source 0 in its word, so that stands for it: in text, as the reference assembler reads it, and back.
#[test]
fn half_floats_of_a_split_message_are_the_type_of_its_source() {
    // sends (8|M0)  null:ud  r6:hf  r2  0x10C  a0.0, as the reference assembler writes it.
    let word = 0x4000_0000_0000_20c4_0000_2010_0c60_0033_u128;
    let inst = decode(Platform::Skl, word).expect("a message");
    assert_eq!(inst.src[0].ty(), Some(gen_ir::Type::Hf));
    assert_eq!(encode(Platform::Skl, &inst), Ok(word));
    let text = iga::disassemble(Platform::Skl, &word.to_le_bytes(), &iga::ListingOptions::default());
    assert!(text.contains("r6:hf"), "{text}");
    let again = iga::assemble(Platform::Skl, &text, &iga::AsmOptions::default()).expect("the same message");
    assert_eq!(again, word.to_le_bytes());
    // Nothing else of the word's descriptor is read, on Ice Lake not that bit either.
    assert_eq!(decode(Platform::Skl, word | 0xfff << 96).as_ref(), Ok(&inst));
    let inst = decode(Platform::Icllp, word).expect("a message");
    assert_eq!(encode(Platform::Icllp, &inst), Ok(word & !(1 << 126)));
}
