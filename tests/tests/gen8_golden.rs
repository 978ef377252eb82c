//! Words of Broadwell, Skylake and Ice Lake beside the reference tool's answers, kept in
//! `tests/golden/<platform>/<opcode>.txt`: native word, compacted word (`-`: none; `?`: not asked, for the
//! text leaves something out), listing.
//!
//! `VISA_RECORD=1` asks the reference tool again, about words of the test kernels and about the forms in
//! `tests/golden/gen8.asm`.

use encoder::{compact, decode, encode, expand, opcodes};
use gen_ir::{Class, Op};
use iga::{AsmOptions, ListingOptions, assemble, disassemble};
use platforms::{Layout, Platform};
use std::{collections::BTreeMap, fmt::Write, fs};
use tests::{
    data::{devices_with, workspace},
    oracle::Iga,
    words::{Word, all_words, words},
};

/// Words of the test kernels that each opcode's file holds.
const WORDS: usize = 16;

/// Which answers a platform has for an opcode.
fn golden(platform: Platform, op: Op) -> String {
    let file = workspace().join(format!("tests/golden/{platform}/{op}.txt"));
    fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()))
}

#[test]
fn words_are_what_the_reference_tool_says() {
    for platform in devices_with(Layout::Gen8) {
        if std::env::var_os("VISA_RECORD").is_some() {
            record(platform);
        }
        let mut lines = 0;
        for &op in Op::ALL.iter().filter(|&&op| opcodes::supports(platform, op)) {
            for line in golden(platform, op).lines() {
                check(platform, op, line);
                lines += 1;
            }
        }
        println!("{platform}: {lines} words");
        assert!(lines > 500, "{platform}: {lines} words");
    }
}

fn check(platform: Platform, op: Op, line: &str) {
    let [native, small, text] = line.splitn(3, ' ').collect::<Vec<_>>()[..] else {
        panic!("{platform}/{op}.txt: {line}");
    };
    let word = u128::from_str_radix(native, 16).unwrap();
    let inst = decode(platform, word).unwrap_or_else(|e| panic!("{platform} {line}: {e}"));
    assert_eq!(inst.op, op, "{platform} {line}");
    // Of half floats the descriptor's bit 30 stands in the word beside a register; iga64 does not put it there.
    let by_register = op.is_send() && text.contains(":hf") && text.contains("a0.0");
    let ours = if by_register && platform.caps().sends.half_by_type { word | 1 << 126 } else { word };
    assert_eq!(encode(platform, &inst), Ok(ours), "{platform} {line}");
    let compacted = compact(platform, word);
    if small != "?" {
        let compacted = compacted.map_or("-".to_owned(), |w| format!("{w:016x}"));
        assert_eq!(compacted, small, "{platform} {line}");
    }
    if let Some(small) = compacted {
        assert_eq!(expand(platform, small), Ok(word), "{platform} {line}");
    }
    let options = ListingOptions { numeric_labels: true, ..Default::default() };
    assert_eq!(disassemble(platform, &word.to_le_bytes(), &options).trim(), text, "{platform} {line}");
    // Text to word, where the text says it all. A jump past the only instruction has no label to go to; the
    // assembler does not read messages to and from registers by address.
    let by_address = op.is_send() && text.contains("r[");
    if small != "?" && op.info().class != Class::Branch && !by_address {
        let again = assemble(platform, text, &AsmOptions::default());
        assert_eq!(again.as_deref(), Ok(&ours.to_le_bytes()[..]), "{platform} {line}");
    }
}

/// Native words of the forms that the platform's assembler takes.
fn forms(iga: Iga, platform: Platform) -> Vec<u128> {
    let file = workspace().join("tests/golden/gen8.asm");
    let text = fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    let forms = text.lines().filter(|l| !l.starts_with("//"));
    forms
        .filter_map(|line| iga.assemble(platform, &format!("{line}\nL:\n")).ok())
        .filter_map(|code| match words(&code)[..] {
            [Word::Native(word)] => Some(word),
            _ => None,
        })
        .collect()
}

fn record(platform: Platform) {
    let iga = Iga::find().expect("iga64");
    let mut by_op: BTreeMap<&str, Vec<u128>> = BTreeMap::new();
    for word in all_words(platform) {
        let native = match word {
            Word::Native(word) => word,
            Word::Compacted(small) => expand(platform, small).unwrap(),
        };
        if let Ok(inst) = decode(platform, native) {
            by_op.entry(inst.op.name()).or_default().push(native);
        }
    }
    let forms = forms(iga, platform);
    let directory = workspace().join(format!("tests/golden/{platform}"));
    fs::create_dir_all(&directory).unwrap();
    for &op in Op::ALL.iter().filter(|&&op| opcodes::supports(platform, op)) {
        let real = by_op.get(op.name()).map_or(&[][..], |v| v);
        let mut chosen: Vec<u128> =
            (0..WORDS.min(real.len())).map(|i| real[i * real.len() / WORDS.min(real.len())]).collect();
        chosen.extend(forms.iter().filter(|w| opcodes::from_number(platform, **w as u8 & 0x7f) == Some(op)));
        chosen.sort_unstable();
        chosen.dedup();
        assert!(!chosen.is_empty(), "{platform}: no word for {op}");
        let mut lines = String::new();
        for word in chosen {
            let text = iga.disassemble_with(platform, &word.to_le_bytes(), &["-n"]).unwrap().text;
            let text = text.trim();
            writeln!(lines, "{word:032x} {} {text}", their_compaction(iga, platform, word, text)).unwrap();
        }
        fs::write(directory.join(format!("{op}.txt")), lines).unwrap();
    }
}

fn their_compaction(iga: Iga, platform: Platform, word: u128, text: &str) -> String {
    let one = |arguments: &[&str]| {
        let code = iga.assemble_with(platform, text, arguments).ok()?;
        words(&code).first().copied()
    };
    if one(&[]) != Some(Word::Native(word)) {
        return "?".to_owned();
    }
    match one(&["-Xautocompact"]) {
        // It compacts what starts at an odd group of four channels, and loses the start.
        Some(Word::Compacted(_)) if word >> 11 & 1 != 0 => "-".to_owned(),
        Some(Word::Compacted(small)) => format!("{small:016x}"),
        _ => "-".to_owned(),
    }
}
