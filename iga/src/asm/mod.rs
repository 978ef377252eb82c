//! The assembler: text to instructions to machine code.
//!
//! A line holds one instruction; a label is a name and a colon. Every fault is reported, with its line
//! and column, what stands there and what may stand there; after a fault the next line goes on.

mod cursor;
mod error;
mod immediate;
mod instruction;
mod load_store;
mod message;
mod mnemonic;
mod operand;
mod options;
mod token;

use cursor::Cursor;
use encoder::{compact, encode};
pub use error::AsmError;
use gen_ir::{Inst, Op, Options, Payload, Physical, Target};
use instruction::Parsed;
use platforms::Platform;
use std::collections::BTreeMap;

/// How text is assembled.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct AsmOptions {
    /// Compact every instruction that has a 64-bit form, save those with `{NoCompact}`
    /// (`iga64 -Xautocompact`). Without it, only those with `{Compacted}`.
    pub compact: bool,
}

/// Assembles text to machine code.
pub fn assemble(platform: Platform, text: &str, options: &AsmOptions) -> Result<Vec<u8>, Vec<AsmError>> {
    let mut cursor = Cursor::new(platform, text);
    let (lines, labels) = parse(&mut cursor);
    let mut code = Vec::with_capacity(lines.len() * 16);
    if cursor.errors.is_empty() {
        emit(&mut cursor, &lines, &labels, options, &mut code);
    }
    if cursor.errors.is_empty() { Ok(code) } else { Err(cursor.into_errors()) }
}

/// Parses text to instructions; branch targets are relative, as if nothing were compacted but what
/// says so.
pub fn parse_instructions(platform: Platform, text: &str) -> Result<Vec<Inst<Physical>>, Vec<AsmError>> {
    let mut cursor = Cursor::new(platform, text);
    let (lines, labels) = parse(&mut cursor);
    let offsets = offsets(lines.iter().map(|l| l.inst.opts.has(Options::COMPACTED)));
    let insts = lines.iter().zip(&offsets).map(|(l, &at)| resolve(&mut cursor, l, at, &labels, &offsets));
    let insts: Vec<_> = insts.collect();
    if cursor.errors.is_empty() { Ok(insts) } else { Err(cursor.into_errors()) }
}

/// Label names, each with the index of the instruction it stands before.
type Labels<'a> = BTreeMap<&'a str, usize>;

fn parse<'a>(cursor: &mut Cursor<'a>) -> (Vec<Parsed<'a>>, Labels<'a>) {
    let mut lines = Vec::new();
    let mut labels = Labels::new();
    while cursor.next_line() {
        if let Some((name, at)) = cursor.label() {
            if labels.insert(name, lines.len()).is_some() {
                cursor.error_at(at, format!("label `{name}` again"), "a name that is not taken");
            }
            continue;
        }
        match cursor.instruction() {
            Some(parsed) => {
                lines.push(parsed);
                cursor.end_of_line();
            }
            None => cursor.skip_line(),
        }
    }
    (lines, labels)
}

/// Byte offset of each instruction, and of the end.
fn offsets(compacted: impl Iterator<Item = bool>) -> Vec<u32> {
    let mut at = 0;
    let mut all = vec![0];
    all.extend(compacted.map(|small| {
        at += if small { 8 } else { 16 };
        at
    }));
    all
}

/// The instruction with its labels' displacements.
fn resolve(
    cursor: &mut Cursor<'_>,
    line: &Parsed<'_>,
    here: u32,
    labels: &Labels<'_>,
    offsets: &[u32],
) -> Inst<Physical> {
    let mut inst = line.inst;
    if let Payload::Branch { jip, uip, .. } = &mut inst.payload {
        for (target, label) in [jip, uip].into_iter().zip(&line.targets) {
            let Some((name, at)) = label else { continue };
            match labels.get(name) {
                Some(&index) => {
                    let there = offsets[index].cast_signed();
                    *target =
                        Target::Rel(if inst.op == Op::Calla { there } else { there - here.cast_signed() });
                }
                None => cursor.error_at(*at, format!("label `{name}`"), "a label that the text defines"),
            }
        }
    }
    inst
}

/// Which instructions are compacted, of those that have a 64-bit form.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Compaction {
    /// Those for which the text asks.
    Asked,
    /// All.
    All,
}

/// A word, and its 64-bit form if it is compacted.
type Word = (u128, Option<u64>);

/// Encodes: a first walk finds the instructions that are compacted, a second one fills in branches,
/// which keep their native form unless the text says otherwise.
fn emit(
    cursor: &mut Cursor<'_>,
    lines: &[Parsed<'_>],
    labels: &Labels<'_>,
    options: &AsmOptions,
    code: &mut Vec<u8>,
) {
    // Branches have no word yet; what has a fault stands for itself until all faults are known.
    let words: Vec<Option<Word>> = lines
        .iter()
        .map(|line| match line.targets.iter().any(Option::is_some) {
            true => None,
            false => {
                let all = options.compact && !line.no_compact;
                let compaction = if all { Compaction::All } else { Compaction::Asked };
                Some(word_of(cursor, line, &line.inst, compaction).unwrap_or((0, None)))
            }
        })
        .collect();
    let offsets = offsets(lines.iter().zip(&words).map(|(line, word)| match word {
        Some((_, small)) => small.is_some(),
        None => line.inst.opts.has(Options::COMPACTED),
    }));
    for (i, line) in lines.iter().enumerate() {
        let word = words[i].or_else(|| {
            let branch = resolve(cursor, line, offsets[i], labels, &offsets);
            word_of(cursor, line, &branch, Compaction::Asked)
        });
        match word {
            Some((_, Some(small))) => code.extend_from_slice(&small.to_le_bytes()),
            Some((word, None)) => code.extend_from_slice(&word.to_le_bytes()),
            None => {}
        }
    }
}

/// Encodes an instruction of a line. Nothing, and an error, if it has no word.
fn word_of(
    cursor: &mut Cursor<'_>,
    line: &Parsed<'_>,
    inst: &Inst<Physical>,
    compaction: Compaction,
) -> Option<Word> {
    let platform = cursor.platform;
    let word = match encode(platform, inst) {
        Ok(word) => word,
        Err(e) => {
            cursor.error_at(line.start, format!("{} {}", e.field, e.found), e.allowed);
            return None;
        }
    };
    let asked = inst.opts.has(Options::COMPACTED);
    let small = if asked || compaction == Compaction::All { compact(platform, word) } else { None };
    if asked && small.is_none() {
        cursor.error_at(line.start, "{Compacted}".into(), "an instruction with a 64-bit form");
    }
    Some((word, small))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errors(platform: Platform, text: &str) -> Vec<(u32, u32, String)> {
        let errors = assemble(platform, text, &AsmOptions::default()).unwrap_err();
        errors.into_iter().map(|e| (e.line, e.column, e.found)).collect()
    }

    #[test]
    fn every_fault_is_reported_with_its_place() {
        let text = "mov (8|M0) r1.0<1>:f r2.0<8;8,1>\n\
                    mvo (8|M0) r1.0<1>:f r2.0<8;8,1>:f\n\
                    L1:\n\
                    add (9|M0) r1.0<1>:f r2.0<8;8,1>:f r3.0<8;8,1>:f\n\
                    L1:\n\
                    mov (8|M0) r1.0<1>:w 70000:w\n\
                    and (8|M0) r1.0<1>:d -r2.0<8;8,1>:d 5:d\n\
                    mov (8|M0) r1.0<1>:f r2.0<8;8,1>:f {Foo}\n";
        let found = errors(Platform::Skl, text);
        let places: Vec<_> = found.iter().map(|e| (e.0, e.1)).collect();
        assert_eq!(places, [(1, 33), (2, 1), (4, 6), (5, 1), (6, 22), (7, 22), (8, 37)]);
        assert_eq!(found[1].2, "`mvo`");
        assert_eq!(found[4].2, "70000");
    }

    #[test]
    fn labels_are_resolved_after_all_faults_of_form() {
        assert_eq!(errors(Platform::Skl, "jmpi NOWHERE")[0].2, "label `NOWHERE`");
        assert_eq!(errors(Platform::Skl, "nop {Compacted}")[0].2, "{Compacted}");
    }

    #[test]
    fn defaults_are_filled_in() {
        let long = "mov (8|M0) r1.0<1>:f r2.0<1;1,0>:f\nadd (8|M0) r1.0<1>:f r2.0<0;1,0>:f (2+3)*4:w";
        let short = "mov (8) r1:f r2:f; add (8) r1:f r2.0:f 20:w // all defaults";
        let code = |text| assemble(Platform::Skl, text, &AsmOptions::default());
        assert_eq!(code(short), code(long));
    }

    #[test]
    fn numbers_as_targets_count_from_the_branch() {
        let code = |text| assemble(Platform::Skl, text, &AsmOptions::default()).unwrap();
        assert_eq!(code("jmpi 32\nnop\nnop"), code("jmpi L\nnop\nL:\nnop"));
    }

    #[test]
    fn a_named_boolean_function_is_its_truth_table() {
        let code = |text| assemble(Platform::Pvc, text, &AsmOptions::default()).unwrap();
        let rest = "(16|M0) r10.0<1>:ud r1.0<1;0>:ud r2.0<1;0>:ud r3.0<1>:ud";
        assert_eq!(code(&format!("bfn.(s0 & s1 | s2) {rest}")), code(&format!("bfn.0xF8 {rest}")));
    }
}
