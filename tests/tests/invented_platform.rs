//! Platforms that no one built. One has the words, messages and scoreboard of Ponte Vecchio with registers of 32 bytes; one
//! what Intel's sources say of Xe-HPG: Tiger Lake's words with three named pipes, messages of the load/store cache.
//! They go through verifier, finalizer, encoder, decoder and emulator, because each of them asks the row for the
//! feature: none goes by the platform's name, or takes the size of a register for the layout of a word.

use finalizer::{Finalizer, Options};
use gen_ir::{Class, Inst, Op, Physical, Pipe, Swsb};
use platforms::{Format, Platform, XeFormat};
use tests::visa_random::{Settings, check, generate, shrink};

/// Random programs.
const COUNT: u64 = 60;

#[test]
fn no_user_meets_it() {
    for platform in Platform::INVENTED {
        assert!(!Platform::ALL.contains(&platform));
        assert!(platform.caps().name.parse::<Platform>().is_err());
        assert_eq!(Platform::from_gen_platform(platform.caps().gen_platform), None);
    }
}

#[test]
fn rows_by_number_are_those_of_the_enum() {
    for (i, platform) in Platform::ROWS.into_iter().enumerate() {
        assert_eq!((platform as usize, platform.caps().platform), (i, platform));
    }
}

/// Verified, finalized, encoded, decoded and run: the emulator leaves what the vISA interpreter leaves.
fn random_programs_do_what_they_say(platform: Platform) {
    for seed in 1..=COUNT {
        let program = generate(Settings::new(platform), seed);
        if let Err(f) = check(&program) {
            let (small, f) = shrink(&program, f);
            panic!("seed {seed}: {f}\n{}", small.text());
        }
    }
}

#[test]
fn random_programs_of_mixed() {
    random_programs_do_what_they_say(Platform::Mixed);
}

#[test]
fn random_programs_like_hpg() {
    random_programs_do_what_they_say(Platform::LikeHpg);
}

/// What hardware puts in `r1` is copied behind the thread's own data before these are loaded there, and is not loaded.
#[test]
fn a_payload_that_begins_in_a_register_is_not_loaded_again() {
    let text = ".version 4.1\n.kernel \"k\"\n.decl A v_type=G type=ud num_elts=8 align=GRF\n\
         .decl B v_type=G type=ud num_elts=8 align=GRF\n.input A offset=32 size=32\n.input B offset=64 size=32\n\
         .kernel_attr SimdSize=8\n.kernel_attr PerThreadInputSize=32\n.function \"k\"\nk:\n\
         lsc_store.ugm (M1, 8) flat[B]:a32 A:d32\nret (M1, 1)\n";
    let loads = |inline_payload| {
        let options = Options { inline_payload, ..Options::new(Platform::LikeHpg) };
        let binaries = Finalizer::new(options).finalize_text(text).expect("code");
        let all = encoder::decode_all(Platform::LikeHpg, &binaries[0].code);
        let insts: Vec<_> = all.map(|d| d.inst.expect("an instruction").to_string()).collect();
        let copies = insts.iter().filter(|i| i.contains("mov (8|M0) r2.0<1>:ud r1.0<1;1,0>:ud")).count();
        (copies, insts.iter().filter(|i| i.contains("send.ugm (1|M0)")).count())
    };
    assert_eq!([loads(false), loads(true)], [(0, 2), (1, 1)]);
}

/// Instructions of random programs, by their words, which go both ways.
fn words(platform: Platform, each: &mut dyn FnMut(Inst<Physical>, u128)) {
    for seed in 1..=COUNT {
        let text = generate(Settings::new(platform), seed).text();
        let module = finalizer::read_text(text.as_bytes(), platform).expect("a program");
        let mut finalizer = Finalizer::new(Options::new(platform));
        let code = finalizer.finalize_kernel(&module, 0).expect("code").code.clone();
        for decoded in encoder::decode_all(platform, &code) {
            let inst = decoded.inst.expect("an instruction");
            let word = encoder::encode(platform, &inst).expect("a word");
            let again = encoder::decode(platform, word).expect("an instruction");
            assert_eq!(encoder::encode(platform, &again), Ok(word));
            each(inst, word);
        }
    }
}

/// Words of the one are Ponte Vecchio's.
#[test]
fn words_are_those_of_the_row() {
    assert_eq!(Platform::Mixed.caps().words.format, Format::Xe(XeFormat::XeHpc));
    words(Platform::Mixed, &mut |inst, word| {
        assert_eq!(encoder::encode(Platform::Pvc, &inst), Ok(word), "{inst}");
    });
}

/// Words of the other are Tiger Lake's where neither messages nor named pipes are in them, and no result of three sources lies
/// where Tiger Lake has none.
#[test]
fn words_like_hpg_are_those_of_tiger_lake() {
    let (mut same, mut named) = (0, 0);
    let align = u32::from(Platform::Tgllp.caps().regions.ternary_align);
    words(Platform::LikeHpg, &mut |mut inst, word| {
        let has_name = |pipe| pipe != Pipe::Own;
        named += u32::from(inst.swsb.dist.is_some_and(|(pipe, _)| has_name(pipe)));
        inst.swsb = Swsb::NONE;
        let plain = encoder::encode(Platform::LikeHpg, &inst).expect("a word");
        assert_eq!(plain & !(0xff << 8), word & !(0xff << 8), "{inst}");
        if !inst.op.is_send()
            && inst.op.info().class != Class::Sync
            && inst.op != Op::Add3
            && inst.op != Op::Bfn
            && (inst.op.info().class != Class::Ternary
                || inst.dst.reg().is_none_or(|reg| reg.byte % align == 0))
        {
            assert_eq!(encoder::encode(Platform::Tgllp, &inst), Ok(plain), "{inst}");
            same += 1;
        }
    });
    assert!(same > 1000 && named > 100, "{same} words alike, {named} with named pipes");
}
