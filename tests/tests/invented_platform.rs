//! A platform that no one built: the words, messages and scoreboard of Ponte Vecchio with registers of 32 bytes.
//! It goes through verifier, finalizer, encoder, decoder and emulator, because each of them asks the row for the
//! feature: none goes by the platform's name, or takes the size of a register for the layout of a word.

use finalizer::{Finalizer, Options};
use platforms::{Format, Platform, XeFormat};
use tests::visa_random::{Settings, check, generate, shrink};

/// Random programs.
const COUNT: u64 = 60;

#[test]
fn no_user_meets_it() {
    assert!(!Platform::ALL.contains(&Platform::Mixed));
    assert!("mixed".parse::<Platform>().is_err());
    assert_eq!(Platform::from_gen_platform(Platform::Mixed.caps().gen_platform), None);
}

#[test]
fn rows_by_number_are_those_of_the_enum() {
    for (i, platform) in Platform::ROWS.into_iter().enumerate() {
        assert_eq!((platform as usize, platform.caps().platform), (i, platform));
    }
}

/// Verified, finalized, encoded, decoded and run: the emulator leaves what the vISA interpreter leaves.
#[test]
fn random_programs_do_what_they_say() {
    for seed in 1..=COUNT {
        let program = generate(Settings::new(Platform::Mixed), seed);
        if let Err(f) = check(&program) {
            let (small, f) = shrink(&program, f);
            panic!("seed {seed}: {f}\n{}", small.text());
        }
    }
}

/// Its words are Ponte Vecchio's, and go both ways.
#[test]
fn words_are_those_of_the_row() {
    assert_eq!(Platform::Mixed.caps().words.format, Format::Xe(XeFormat::XeHpc));
    for seed in 1..=COUNT {
        let text = generate(Settings::new(Platform::Mixed), seed).text();
        let module = finalizer::read_text(text.as_bytes(), Platform::Mixed).expect("a program");
        let mut finalizer = Finalizer::new(Options::new(Platform::Mixed));
        let code = finalizer.finalize_kernel(&module, 0).expect("code").code.clone();
        for decoded in encoder::decode_all(Platform::Mixed, &code) {
            let inst = decoded.inst.expect("an instruction");
            let word = encoder::encode(Platform::Mixed, &inst).expect("a word");
            assert_eq!(encoder::encode(Platform::Pvc, &inst), Ok(word), "{inst}");
            let again = encoder::decode(Platform::Mixed, word).expect("an instruction");
            assert_eq!(encoder::encode(Platform::Mixed, &again), Ok(word));
        }
    }
}
