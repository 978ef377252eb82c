//! `iga64`: that it is the tool which these checks take it for, and our listings and assembler beside it.
//!
//! `cargo run --release -p tests --bin iga-random` is the long form.

use std::fs;

use iga::{AsmOptions, ListingOptions, assemble, disassemble};
use platforms::{Layout, Platform};
use tests::{
    data::{self, corpus},
    iga::{IgaTally, compare},
    oracle::Iga,
};

pub fn iga_reads_intel_code_and_refuses_garbage(iga: Iga) {
    for platform in Platform::ALL {
        let k = data::kernel(platform, "saxpy.cl/16/saxpy.simd16");
        let answer = iga.disassemble(platform, &k.dat).expect("a listing");
        assert!(answer.text.contains("(16|M0)"), "{platform}: {}", answer.text);
        assert!(iga.disassemble(platform, &[0x7f; 32]).is_err(), "{platform}");
    }
}

pub fn iga_assembles_its_own_listing(iga: Iga) {
    for platform in data::devices_with(Layout::Xe) {
        let k = data::kernel(platform, "loops.cl/16/collatz.simd16");
        let listing = iga.disassemble(platform, &k.dat).expect("a listing").text;
        assert_eq!(iga.assemble(platform, &listing), Ok(k.dat.clone()), "{platform}");
        assert!(iga.assemble(platform, "no such instruction\n").is_err());
    }
}

pub fn json_is_of_version_2(iga: Iga) {
    let k = data::kernel(Platform::Skl, "saxpy.cl/16/saxpy.simd16");
    let json = iga.json(Platform::Skl, &k.dat).expect("JSON");
    assert!(json.contains(r#""version":"2.0""#), "{json}");
}

pub fn new_random_instructions_agree_with_the_reference_tool(iga: Iga) {
    for platform in data::devices() {
        let mut tally = IgaTally::default();
        compare(&iga, platform, 77, &mut tally);
        assert!(tally.compared > 3000 && tally.differing.is_empty(), "{platform}: {tally:#?}");
    }
}

/// Machine code inside of foreign objects: the listing is the reference tool's, and assembles again.
pub fn foreign_binaries_are_listed_like_the_reference_tool_does(iga: Iga) {
    let mut instructions = 0;
    for path in corpus() {
        let module = visa::read::read_declarations(&fs::read(&path).unwrap()).unwrap();
        for binary in module.kernels.iter().flat_map(|k| &k.gen_binaries) {
            let Some(platform) = Platform::from_gen_platform(binary.platform) else { continue };
            let theirs = match iga.disassemble_plainly(platform, &binary.code) {
                Ok(text) => text,
                Err(refused) => {
                    println!("{}: iga64 refuses: {}", path.display(), refused.0.lines().next().unwrap_or(""));
                    continue;
                }
            };
            let ours = disassemble(platform, &binary.code, &ListingOptions::default());
            for (a, b) in ours.lines().zip(theirs.lines()) {
                assert_eq!(a, b, "{} {platform}", path.display());
            }
            instructions += ours.lines().count();
            let again = assemble(platform, &ours, &AsmOptions::default());
            let reference = iga.assemble(platform, &theirs).ok();
            assert_eq!(again.ok(), reference, "{} {platform}", path.display());
        }
    }
    println!("{instructions} lines of foreign binaries");
}
