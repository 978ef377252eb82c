//! Listings, JSON and the assembler against the recorded answers of the reference tools (the tools themselves:
//! `outside`).
//!
//! `cargo run --release -p tests --bin iga-record` records; `... --bin iga-random` is the long form.

use iga::{AsmOptions, JsonOptions, ListingOptions, assemble, disassemble, disassemble_json};
use platforms::{Layout, Platform};
use std::fs;
use tests::{
    data::{devices, devices_with, kernel, kernels, workspace},
    iga::{digest, json_digest},
    random::Random,
};

/// Recorded answers on one kernel.
struct Recorded {
    platform: Platform,
    id: String,
    listing: Option<u64>,
    code: Option<u64>,
    json: Option<u64>,
    json_defs: Option<u64>,
}

fn recorded() -> Vec<Recorded> {
    let text = fs::read_to_string(workspace().join("tests/golden/iga/kernels.txt")).unwrap();
    text.lines()
        .map(|line| {
            let fields: Vec<&str> = line.split(' ').collect();
            let number = |i: usize| u64::from_str_radix(fields[i], 16).ok();
            Recorded {
                platform: fields[0].parse().unwrap(),
                id: fields[1].to_owned(),
                listing: number(2),
                code: number(3),
                json: number(4),
                json_defs: number(5),
            }
        })
        .collect()
}

/// Kernels with opcode 0x33 on Broadwell, which has no such opcode: Intel's compiler writes it in stack
/// calls, and the reference tool refuses it.
fn is_refused(r: &Recorded) -> bool {
    r.platform == Platform::Bdw && r.listing.is_none()
}

#[test]
fn listings_of_all_kernels_are_the_reference_tools() {
    let mut wrong = Vec::new();
    let all = recorded();
    for r in all.iter().filter(|r| !is_refused(r)) {
        let code = &kernel(r.platform, &r.id).dat;
        let text = disassemble(r.platform, code, &ListingOptions::default());
        if Some(digest(text.as_bytes())) != r.listing {
            wrong.push(format!("{} {}: listing", r.platform, r.id));
        }
        match assemble(r.platform, &text, &AsmOptions::default()) {
            Ok(code) if Some(digest(&code)) == r.code => {}
            Ok(_) => wrong.push(format!("{} {}: assembled code", r.platform, r.id)),
            Err(e) => wrong.push(format!("{} {}: {}", r.platform, r.id, e[0])),
        }
    }
    assert!(wrong.is_empty(), "{} of {}: {:#?}", wrong.len(), all.len(), &wrong[..wrong.len().min(20)]);
    let refused = all.iter().filter(|r| is_refused(r)).count();
    assert!(refused < 20 && all.len() > 3000, "{refused} of {}", all.len());
}

#[test]
fn json_of_kernels_is_the_reference_tools() {
    let mut compared = 0;
    for r in recorded() {
        for (defs, want) in [(false, r.json), (true, r.json_defs)] {
            let Some(want) = want else { continue };
            let code = &kernel(r.platform, &r.id).dat;
            let text = disassemble_json(r.platform, code, &JsonOptions { defs });
            assert_eq!(json_digest(&text), Some(want), "{} {} (definitions: {defs})", r.platform, r.id);
            compared += 1;
        }
    }
    assert!(compared > 400, "{compared}");
}

#[test]
fn random_instructions_are_as_recorded() {
    for platform in devices() {
        let golden =
            fs::read_to_string(workspace().join(format!("tests/golden/iga/{platform}.txt"))).unwrap();
        let (hex, text) = golden.split_once("\n\n").unwrap();
        let code: Vec<u8> = hex
            .lines()
            .flat_map(|l| (0..16).map(|i| u8::from_str_radix(&l[2 * i..2 * i + 2], 16).unwrap()))
            .collect();
        let ours = disassemble(platform, &code, &ListingOptions::default());
        for (a, b) in ours.lines().zip(text.lines()) {
            assert_eq!(a, b, "{platform}");
        }
        assert_eq!(ours.len(), text.len(), "{platform}");
        assert_eq!(assemble(platform, text, &AsmOptions::default()), Ok(code), "{platform}");
    }
}

/// The number of a named barrier, as Intel's finalizer writes it: a word that stands once. The text is iga64's.
#[test]
fn a_word_stands_once_in_sync() {
    let code = [1, 0, 0, 0x80, 0, 0x41, 1, 0, 0, 0, 0, 0xe0, 1, 0, 0, 0];
    let text = disassemble(Platform::Pvc, &code, &ListingOptions::default());
    assert_eq!(text.split_whitespace().collect::<Vec<_>>(), ["L0:", "(W)", "sync.bar", "0x1:uw"]);
    assert_eq!(assemble(Platform::Pvc, &text, &AsmOptions::default()), Ok(code.to_vec()));
}

/// Intel's own listings, comments and all, assemble to Intel's own code.
#[test]
fn intels_listings_assemble_to_intels_code() {
    for platform in devices_with(Layout::Xe) {
        let mut wrong = Vec::new();
        let all = kernels(platform);
        for k in all {
            match assemble(platform, &k.asm, &AsmOptions::default()) {
                Ok(code) if code == k.dat => {}
                Ok(_) => wrong.push(format!("{}: other code", k.id())),
                Err(e) => wrong.push(format!("{}: {}", k.id(), e[0])),
            }
        }
        assert!(
            wrong.is_empty(),
            "{platform}: {} of {}: {:#?}",
            wrong.len(),
            all.len(),
            &wrong[..wrong.len().min(9)]
        );
    }
}

/// The load/store notation says all that the plain one says.
#[test]
fn load_store_notation_assembles_to_the_same_code() {
    let notation = ListingOptions { load_store: true, ..Default::default() };
    for k in kernels(Platform::Pvc) {
        let text = disassemble(Platform::Pvc, &k.dat, &notation);
        let again = assemble(Platform::Pvc, &text, &AsmOptions::default());
        assert_eq!(again.as_ref(), Ok(&k.dat), "{}", k.id());
    }
}

/// Text with bytes changed, lost and doubled: an error or code, never a panic.
#[test]
fn damaged_text_is_an_error_at_worst() {
    let mut random = Random::new(9);
    for platform in devices() {
        let text = fs::read_to_string(workspace().join(format!("tests/golden/iga/{platform}.txt"))).unwrap();
        let lines: Vec<&str> = text.split_once("\n\n").unwrap().1.lines().collect();
        for _ in 0..3000 {
            let mut line = random.pick(&lines).as_bytes().to_vec();
            for _ in 0..1 + random.number(3) {
                let at = random.below(line.len());
                match random.number(4) {
                    0 => drop(line.remove(at)),
                    1 => line[at] = random.number(128) as u8,
                    2 => line.insert(at, random.pick(b"<>()[]{}:;,.|&~-+*/%@$0x9r")),
                    _ => line.extend_from_within(at..),
                }
                if line.is_empty() {
                    break;
                }
            }
            if let Ok(code) = assemble(platform, &String::from_utf8_lossy(&line), &AsmOptions::default()) {
                disassemble(platform, &code, &ListingOptions::default());
            }
        }
    }
}

/// Chance bits: the listing and both JSON forms go through to the end.
#[test]
fn chance_bits_are_listed_without_panic() {
    let mut random = Random::new(5);
    for platform in devices() {
        for _ in 0..40 {
            let length = random.below(600);
            let code: Vec<u8> = (0..length).map(|_| random.number(256) as u8).collect();
            disassemble(platform, &code, &ListingOptions { load_store: true, ..Default::default() });
            for defs in [false, true] {
                disassemble_json(platform, &code, &JsonOptions { defs });
            }
        }
        // Real words with flipped bits get further into the decoders than chance does.
        for k in kernels(platform).iter().step_by(97) {
            let mut code = k.dat.clone();
            for _ in 0..code.len() / 8 {
                let at = random.below(code.len());
                code[at] ^= 1 << random.number(8);
            }
            disassemble(platform, &code, &ListingOptions { load_store: true, ..Default::default() });
            disassemble_json(platform, &code, &JsonOptions { defs: true });
        }
    }
}

/// Moves to and from small floats, as the reference tool writes and reads them.
#[test]
fn small_floats_are_spelled() {
    let words = [
        (
            0x0000_0000_0010_0104_0905_0ae0_0010_0061_u128,
            "mov (16|M0)              r9.0<1>:tf32  r1.0<1;1,0>:f",
        ),
        (0x0000_0000_0010_0104_0905_0890_0010_0061, "mov (16|M0)              r9.0<1>:hf    r1.0<1;1,0>:bf8"),
        (0x0000_0000_0010_0104_0905_0980_8010_0061, "mov (16|M0)               r9.0<1>:bf8   r1.0<1;1,0>:hf"),
    ];
    for (word, text) in words {
        let code = word.to_le_bytes();
        let ours = disassemble(Platform::Pvc, &code, &ListingOptions::default());
        let squeezed = |s: &str| s.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(squeezed(&ours).contains(&squeezed(text)), "{ours}");
        assert_eq!(assemble(Platform::Pvc, &ours, &AsmOptions::default()), Ok(code.to_vec()), "{ours}");
    }
}
