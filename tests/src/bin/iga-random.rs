//! Random instructions against the reference assembler and disassembler: for each platform, our listing of
//! our bytes must be `iga64 -d`'s, and our bytes for the listing must be `iga64 -a`'s.
//!
//!     cargo run --release -p tests --bin iga-random -- [INSTRUCTIONS [SEED [PLATFORM...]]]
//!
//! Without arguments: 200,000 instructions for each platform. Exit status 1 when anything differs.

use encoder::iga::{AsmOptions, ListingOptions, assemble, disassemble};
use gen_ir::{ExecSize, Inst, Op, Physical};
use platforms::Platform;
use std::{collections::BTreeMap, process::ExitCode};
use tests::{
    oracle::Iga,
    random,
    words::{Word, words},
};

/// Instructions in one kernel.
const BATCH: usize = 4000;

/// What came out for one platform.
#[derive(Default)]
struct Tally {
    compared: usize,
    refused: BTreeMap<String, (usize, String)>,
    differing: BTreeMap<String, (usize, String)>,
    /// Kernels in which iga64 compacts what has no compacted form, losing a field.
    lossy: Option<(usize, String)>,
}

impl Tally {
    fn differ(&mut self, what: String, example: String) {
        self.differing.entry(what).or_insert((0, example)).0 += 1;
    }
}

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let count: usize = args.next().map_or(200_000, |a| a.parse().expect("a number of instructions"));
    let seed: u64 = args.next().map_or(1, |a| a.parse().expect("a seed"));
    let mut platforms: Vec<Platform> = args.map(|a| a.parse().expect("a platform")).collect();
    if platforms.is_empty() {
        platforms = [Platform::Bdw, Platform::Skl, Platform::Icllp, Platform::Tgllp, Platform::Pvc].to_vec();
    }
    let Some(iga) = Iga::find() else {
        eprintln!("iga64 is not installed");
        return ExitCode::from(2);
    };
    let mut clean = true;
    for platform in platforms {
        let mut tally = Tally::default();
        let mut batch = 0;
        while tally.compared < count {
            compare(&iga, platform, seed + batch * 1_000_003, &mut tally);
            batch += 1;
        }
        let refused: usize = tally.refused.values().map(|r| r.0).sum();
        println!("{platform}: {} instructions compared, {refused} more refused by iga64", tally.compared);
        for (why, (n, example)) in &tally.refused {
            println!("  refused {n}: {why}\n      {example}");
        }
        if let Some((n, example)) = &tally.lossy {
            println!("  iga64 -Xautocompact loses a field in {n} kernels, such as\n{example}");
        }
        for (what, (n, example)) in &tally.differing {
            println!("  differs {n}: {what}\n{example}");
        }
        clean &= tally.differing.is_empty();
    }
    if clean { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Compares one kernel of random instructions.
fn compare(iga: &Iga, platform: Platform, seed: u64, tally: &mut Tally) {
    let mut insts = random::kernel(platform, seed, BATCH);
    let options = ListingOptions::default();
    // Refused instructions make way for `nop`, so that offsets stay.
    let mut dropped = 0;
    let (code, text, theirs) = loop {
        let code = random::code(platform, &insts);
        let text = disassemble(platform, &code, &options);
        match iga.assemble_with(platform, &text, &["-Wnone"]) {
            Ok(theirs) => break (code, text, theirs),
            Err(refusal) => {
                let lines = refused_lines(&refusal.0);
                if lines.is_empty() {
                    tally.differ("iga64 refuses without a line".into(), refusal.0);
                    return;
                }
                let index = instruction_lines(&text);
                for (line, why) in lines {
                    let Some(&at) = index.get(&line) else { continue };
                    if insts[at].op != Op::Nop {
                        dropped += 1;
                        let example = text.lines().nth(line - 1).unwrap_or_default();
                        let key = format!("{}: {why}", insts[at].op);
                        tally.refused.entry(key).or_insert((0, example.to_owned())).0 += 1;
                        insts[at] = Inst::new(Op::Nop, ExecSize::S1);
                    }
                }
            }
        }
    };
    tally.compared += BATCH - dropped;
    for (i, (ours, their)) in code.chunks(16).zip(theirs.chunks(16)).enumerate() {
        if ours != their {
            let line = line_of(&text, i);
            tally.differ(
                format!("bytes of {}", insts[i].op),
                format!("      {line}\n      ours {}\n      iga  {}", hex(ours), hex(their)),
            );
        }
    }
    match iga.disassemble(platform, &code) {
        Ok(answer) => compare_text(&text, &answer.text, &insts, tally),
        Err(refusal) => tally.differ("iga64 -d refuses".into(), refusal.0.lines().take(6).collect()),
    }
    compare_compacted(iga, platform, &text, tally);
    match assemble(platform, &text, &AsmOptions::default()) {
        Ok(again) if again == code => {}
        Ok(again) => {
            for (i, (a, b)) in again.chunks(16).zip(code.chunks(16)).enumerate() {
                if a != b {
                    let what = format!("assembled again: {}", insts[i].op);
                    tally.differ(what, format!("      {}", line_of(&text, i)));
                }
            }
        }
        Err(errors) => {
            for e in errors.iter().take(20) {
                let line = text.lines().nth(e.line as usize - 1).unwrap_or_default();
                tally.differ(format!("assembler: {}", e.allowed), format!("      {line}\n      {e}"));
            }
        }
    }
}

/// Compares what both assemblers compact on their own.
fn compare_compacted(iga: &Iga, platform: Platform, text: &str, tally: &mut Tally) {
    let theirs = iga.assemble_with(platform, text, &["-Wnone", "-Xautocompact"]);
    let ours = assemble(platform, text, &AsmOptions { compact: true });
    if let (Ok(theirs), Ok(ours)) = (theirs, ours)
        && theirs != ours
    {
        let (a, b) = (words(&ours), words(&theirs));
        let small = |w: &Word| matches!(w, Word::Compacted(_));
        let first = a.iter().zip(&b).position(|(a, b)| small(a) != small(b));
        let first = first.or_else(|| a.iter().zip(&b).position(|(a, b)| a != b)).unwrap_or(0);
        let line =
            format!("{}\n      ours {:x?}\n      iga  {:x?}", line_of(text, first), a[first], b[first]);
        // The reference drops `M4` and the like when a compacted word has no room for it; we do not compact.
        let lossy = match (a[first], b[first]) {
            (Word::Native(word), Word::Compacted(small)) => encoder::expand(platform, small) != Ok(word),
            _ => false,
        };
        let example = format!("      {line}");
        if lossy {
            tally.lossy.get_or_insert((0, example)).0 += 1;
        } else {
            tally.differ("compaction".into(), example);
        }
    }
}

fn compare_text(ours: &str, theirs: &str, insts: &[Inst<Physical>], tally: &mut Tally) {
    let index = instruction_lines(ours);
    for (n, (a, b)) in ours.lines().zip(theirs.lines()).enumerate() {
        if a != b {
            let op = index.get(&(n + 1)).map_or("label", |&i| insts[i].op.name());
            tally.differ(format!("text of {op}"), format!("      ours {a}\n      iga  {b}"));
        }
    }
}

/// Line numbers and messages of what iga64 refuses.
fn refused_lines(text: &str) -> Vec<(usize, String)> {
    text.lines()
        .filter_map(|line| {
            let rest = line.strip_prefix("line ")?;
            let (place, message) = rest.split_once(": error: ")?;
            let (line, _) = place.split_once('.')?;
            Some((line.parse().ok()?, message.to_owned()))
        })
        .collect()
}

/// Which instruction stands on which line, from 1.
fn instruction_lines(text: &str) -> BTreeMap<usize, usize> {
    let lines = text.lines().enumerate().filter(|(_, l)| !l.ends_with(':'));
    lines.enumerate().map(|(inst, (line, _))| (line + 1, inst)).collect()
}

fn line_of(text: &str, inst: usize) -> &str {
    text.lines().filter(|l| !l.ends_with(':')).nth(inst).unwrap_or_default()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect::<Vec<_>>().join(" ")
}
