//! Random instructions of Tiger Lake and Ponte Vecchio against the reference assembler.
//!
//! `VISA_RANDOM=200000` makes that many per platform instead of a quick sample.

use encoder::{compact, decode, encode, expand};
use gen_ir::Op;
use iga::{AsmOptions, ListingOptions, assemble, disassemble};
use platforms::{Layout, Platform};
use tests::{
    data::{devices_with, workspace},
    oracle::Iga,
    random::{Random, xe::Maker},
    words::{Word, all_words, words},
};

const CHUNK: usize = 1000;

fn wanted() -> usize {
    std::env::var("VISA_RANDOM").ok().and_then(|n| n.parse().ok()).unwrap_or(2 * CHUNK)
}

fn bytes(words: &[u128]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}

/// Words of random instructions.
fn chunk(maker: &mut Maker, platform: Platform) -> Vec<u128> {
    (0..CHUNK)
        .map(|i| {
            let inst = maker.inst(i, CHUNK);
            encode(platform, &inst).unwrap_or_else(|e| panic!("{platform}: {e} ({inst:?})"))
        })
        .collect()
}

/// Offsets that the reference tool complains about.
fn refused(message: &str) -> Vec<usize> {
    let mut found: Vec<usize> = message
        .lines()
        .filter(|l| l.contains("error"))
        .filter_map(|l| l.split("byte offset 0x").nth(1)?.split(':').next().map(str::to_owned))
        .filter_map(|hex| usize::from_str_radix(&hex, 16).ok())
        .map(|offset| offset / 16)
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// Numbers of the instructions whose text the assembler refuses: one stands on each line that is no label.
fn refused_lines(message: &str, text: &str) -> Vec<usize> {
    let is_inst = |line: &&str| !line.trim().is_empty() && !line.trim_end().ends_with(':');
    let mut found: Vec<usize> = message
        .lines()
        .filter(|l| l.contains("error"))
        .filter_map(|l| l.strip_prefix("line ")?.split('.').next()?.parse::<usize>().ok())
        .map(|line| text.lines().take(line - 1).filter(is_inst).count())
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// What the reference tool reads in words and writes again, with `arguments`. Words that it refuses (it
/// checks more than bits) leave `kept`.
fn again(iga: Iga, platform: Platform, kept: &mut Vec<u128>, arguments: &[&str]) -> Vec<Word> {
    loop {
        let out = match iga.disassemble(platform, &bytes(kept)) {
            Ok(answer) => match iga.assemble_with(platform, &answer.text, arguments) {
                Ok(code) => return words(&code),
                Err(e) => (refused_lines(&e.0, &answer.text), e.0),
            },
            Err(e) => (refused(&e.0), e.0),
        };
        let (out, message) = out;
        assert!(!out.is_empty(), "{message}");
        let mut i = 0;
        kept.retain(|_| {
            i += 1;
            out.binary_search(&(i - 1)).is_err()
        });
    }
}

pub fn the_reference_assembler_gives_the_same_words(iga: Iga) {
    for platform in devices_with(Layout::Xe) {
        let mut maker = Maker::new(platform, 1, true);
        let (mut checked, mut wrong) = (0, Vec::new());
        while checked < wanted() {
            let mut made = chunk(&mut maker, platform);
            let theirs = again(iga, platform, &mut made, &[]);
            assert_eq!(made.len(), CHUNK, "{platform}: words are refused");
            for (ours, theirs) in made.iter().zip(theirs) {
                if Word::Native(*ours) != theirs {
                    wrong.push(format!("{ours:032x}: {theirs:x?}"));
                }
            }
            checked += made.len();
        }
        println!("{platform}: {checked} words, {} differ", wrong.len());
        assert!(wrong.is_empty(), "{platform}: {:#?}", &wrong[..wrong.len().min(20)]);
    }
}

pub fn listings_are_those_of_the_reference_tool_and_assemble_again(iga: Iga) {
    for platform in devices_with(Layout::Xe) {
        let mut maker = Maker::new(platform, 3, true);
        let mut checked = 0;
        while checked < wanted() {
            let code = bytes(&chunk(&mut maker, platform));
            let ours = disassemble(platform, &code, &ListingOptions::default());
            let theirs = iga.disassemble(platform, &code).unwrap_or_else(|e| panic!("{}", e.0)).text;
            for (ours, theirs) in ours.lines().zip(theirs.lines()) {
                assert_eq!(ours.trim_end(), theirs.trim_end(), "{platform}");
            }
            let again = assemble(platform, &ours, &AsmOptions::default());
            assert!(again.as_ref() == Ok(&code), "{platform}: {:?}", again.map(|_| "other bytes"));
            checked += CHUNK;
        }
        println!("{platform}: {checked} words, no line differs");
    }
}

/// Answers of the reference tool, kept: native word, compacted word, text. `VISA_RECORD=1` asks again.
pub fn recorded_answers_of_the_reference_tool() {
    for platform in devices_with(Layout::Xe) {
        let file = workspace().join(format!("tests/golden/{platform}/random.txt"));
        if std::env::var_os("VISA_RECORD").is_some() {
            let iga = Iga::find().expect("iga64");
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(&file, record(iga, platform)).unwrap();
        }
        let golden = std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        for line in golden.lines() {
            let [native, small, text] = line.splitn(3, ' ').collect::<Vec<_>>()[..] else {
                panic!("{}: {line}", file.display());
            };
            let word = u128::from_str_radix(native, 16).unwrap();
            let compacted = compact(platform, word).map_or("-".to_owned(), |w| format!("{w:016x}"));
            assert_eq!(compacted, small, "{platform} {line}");
            let inst = decode(platform, word).unwrap_or_else(|e| panic!("{platform} {line}: {e}"));
            assert_eq!(encode(platform, &inst), Ok(word), "{platform} {line}");
            let ours = disassemble(
                platform,
                &word.to_le_bytes(),
                &ListingOptions { numeric_labels: true, ..Default::default() },
            );
            assert_eq!(ours.trim(), text, "{platform} {native}");
        }
        assert!(golden.lines().count() > 500);
    }
}

fn record(iga: Iga, platform: Platform) -> String {
    let mut maker = Maker::new(platform, 4, false);
    let mut native: Vec<u128> = chunk(&mut maker, platform);
    native.truncate(400);
    // Some that compact.
    let real = all_words(platform);
    let small: Vec<u64> =
        real.iter().filter_map(|w| if let Word::Compacted(w) = w { Some(*w) } else { None }).collect();
    native.extend(small.iter().step_by(small.len() / 200).filter_map(|w| expand(platform, *w).ok()));
    let compacted = again(iga, platform, &mut native, &["-Xautocompact"]);
    let mut text = String::new();
    for (native, compacted) in native.iter().zip(compacted) {
        let small = match compacted {
            Word::Native(_) => "-".to_owned(),
            Word::Compacted(w) => format!("{w:016x}"),
        };
        let listing = iga.disassemble_with(platform, &native.to_le_bytes(), &["-n"]).unwrap().text;
        text += &format!("{native:032x} {small} {}\n", listing.trim());
    }
    text
}

/// Words a bit or two away from those of real programs: near the rows of the compaction tables.
pub fn the_reference_assembler_compacts_the_same_words(iga: Iga) {
    for platform in devices_with(Layout::Xe) {
        let real = all_words(platform);
        let mut random = Random::new(2);
        let (mut checked, mut small, mut wrong) = (0, 0, Vec::new());
        while checked < wanted() {
            let mut near = Vec::new();
            while near.len() < CHUNK {
                let mut word = match random.pick(&real) {
                    Word::Native(w) => w,
                    Word::Compacted(w) => expand(platform, w).unwrap(),
                };
                for _ in 0..random.below(3) {
                    word ^= 1 << random.below(128);
                }
                if decode(platform, word).is_ok_and(|i| !i.op.is_branch() && i.op != Op::Illegal) {
                    near.push(word);
                }
            }
            let native = again(iga, platform, &mut near, &[]);
            let compacted = again(iga, platform, &mut near, &["-Xautocompact"]);
            for ((ours, native), theirs) in near.iter().zip(native).zip(compacted) {
                // Where the tool reads less than all bits, it compacts another word.
                if native != Word::Native(*ours) {
                    continue;
                }
                checked += 1;
                small += usize::from(matches!(theirs, Word::Compacted(_)));
                let mine = compact(platform, *ours).map_or(Word::Native(*ours), Word::Compacted);
                if mine != theirs {
                    wrong.push(format!("{ours:032x}: {mine:x?}, theirs {theirs:x?}"));
                }
            }
        }
        println!("{platform}: {checked} words, {small} compact, {} differ", wrong.len());
        assert!(small > checked / 10);
        assert!(wrong.is_empty(), "{platform}: {:#?}", &wrong[..wrong.len().min(20)]);
    }
}
