//! Our listing and our assembler against the reference tool's.

use crate::{
    oracle::Iga,
    random::all,
    words::{Word, words},
};
use gen_ir::{ExecSize, Inst, Op, Physical};
use iga::{AsmOptions, ListingOptions, assemble, disassemble};
use platforms::Platform;
use std::collections::BTreeMap;

/// A fingerprint of an answer (64-bit FNV-1a), to be kept in its stead.
pub fn digest(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |h, &b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3))
}

/// A fingerprint of JSON, however it is laid out; `None` if it is none.
pub fn json_digest(text: &str) -> Option<u64> {
    let value: serde_json::Value = serde_json::from_str(text).ok()?;
    Some(digest(value.to_string().as_bytes()))
}

/// JSON answers are recorded for one kernel in this many.
pub const JSON_EVERY: usize = 12;

/// Instructions in one random kernel.
pub const BATCH: usize = 4000;

/// What came out for one platform. Messages stand with how often they came and an example.
#[derive(Debug, Default)]
pub struct IgaTally {
    /// Instructions compared.
    pub compared: usize,
    /// What the reference tool refuses.
    pub refused: BTreeMap<String, (usize, String)>,
    /// What differs.
    pub differing: BTreeMap<String, (usize, String)>,
    /// Kernels in which iga64 compacts what has no compacted form, losing a field.
    pub lossy: Option<(usize, String)>,
}

impl IgaTally {
    fn differ(&mut self, what: String, example: String) {
        self.differing.entry(what).or_insert((0, example)).0 += 1;
    }
}

/// Compares one kernel of random instructions: bytes, listing, compaction.
pub fn compare(iga: &Iga, platform: Platform, seed: u64, tally: &mut IgaTally) {
    let mut insts = all::kernel(platform, seed, BATCH);
    let Some((code, text, theirs)) = accepted(iga, platform, &mut insts, tally) else { return };
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
    compare_assembled(platform, &text, &code, &insts, tally);
}

/// Our code of the instructions, its listing, and what iga64 makes of that. What iga64 refuses makes way for `nop`, so that
/// offsets stay. Nothing if it refuses the listing as a whole.
fn accepted(
    iga: &Iga,
    platform: Platform,
    insts: &mut [Inst<Physical>],
    tally: &mut IgaTally,
) -> Option<(Vec<u8>, String, Vec<u8>)> {
    let mut dropped = 0;
    loop {
        let code = all::code(platform, insts);
        let text = disassemble(platform, &code, &ListingOptions::default());
        let refusal = match iga.assemble_with(platform, &text, &["-Wnone"]) {
            Ok(theirs) => {
                tally.compared += BATCH - dropped;
                return Some((code, text, theirs));
            }
            Err(refusal) => refusal.0,
        };
        let lines = refused_lines(&refusal);
        if lines.is_empty() {
            tally.differ("iga64 refuses without a line".into(), refusal);
            return None;
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

/// Compares the code with what our assembler makes of its listing.
fn compare_assembled(
    platform: Platform,
    text: &str,
    code: &[u8],
    insts: &[Inst<Physical>],
    tally: &mut IgaTally,
) {
    match assemble(platform, text, &AsmOptions::default()) {
        Ok(again) => {
            for (i, (a, b)) in again.chunks(16).zip(code.chunks(16)).enumerate() {
                if a != b {
                    let what = format!("assembled again: {}", insts[i].op);
                    tally.differ(what, format!("      {}", line_of(text, i)));
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
fn compare_compacted(iga: &Iga, platform: Platform, text: &str, tally: &mut IgaTally) {
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

fn compare_text(ours: &str, theirs: &str, insts: &[Inst<Physical>], tally: &mut IgaTally) {
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
