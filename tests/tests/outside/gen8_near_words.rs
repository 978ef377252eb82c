//! Words of Broadwell, Skylake and Ice Lake a bit or two away from those of real programs, against the
//! reference assembler: it reads them, writes the same bits, and compacts the same ones.
//!
//! `VISA_RANDOM=200000` takes that many per platform instead of a quick sample.

use encoder::{compact, decode, expand};
use gen_ir::{Arf, Base, Desc, Dst, ExecSize, Inst, Op, Physical, Reg, Src, Type};
use platforms::Platform;
use tests::{
    oracle::Iga,
    random::Random,
    words::{Word, all_words, comes_back_as, words},
};

const GEN8: [Platform; 3] = [Platform::Bdw, Platform::Skl, Platform::Icllp];
const CHUNK: usize = 1000;

fn wanted() -> usize {
    std::env::var("VISA_RANDOM").ok().and_then(|n| n.parse().ok()).unwrap_or(CHUNK)
}

fn bytes(words: &[u128]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}

/// Numbers of the words that the tool complains about: byte offsets of code, or lines of `text`, where one
/// instruction stands on each line that is no label.
fn refused(message: &str, text: Option<&str>) -> Vec<usize> {
    let is_inst = |line: &&str| !line.trim().is_empty() && !line.trim_end().ends_with(':');
    let errors = message.lines().filter(|l| l.contains("error"));
    let mut found: Vec<usize> = match text {
        Some(text) => errors
            .filter_map(|l| l.strip_prefix("line ")?.split('.').next()?.parse::<usize>().ok())
            .map(|line| text.lines().take(line - 1).filter(is_inst).count())
            .collect(),
        None => errors
            .filter_map(|l| l.split("byte offset 0x").nth(1)?.split(':').next().map(str::to_owned))
            .filter_map(|hex| usize::from_str_radix(&hex, 16).ok())
            .map(|offset| offset / 16)
            .collect(),
    };
    found.sort_unstable();
    found.dedup();
    found
}

/// What the reference tool reads in words and writes again, with `arguments`. Words that it refuses (it
/// checks more than bits) leave `kept`.
fn again(iga: Iga, platform: Platform, kept: &mut Vec<u128>, arguments: &[&str]) -> Vec<Word> {
    loop {
        let (out, message) = match iga.disassemble(platform, &bytes(kept)) {
            Ok(answer) => match iga.assemble_with(platform, &answer.text, arguments) {
                Ok(code) => return words(&code),
                Err(e) => (refused(&e.0, Some(&answer.text)), e.0),
            },
            Err(e) => (refused(&e.0, None), e.0),
        };
        assert!(!out.is_empty(), "{message}");
        let mut i = 0;
        kept.retain(|_| {
            i += 1;
            out.binary_search(&(i - 1)).is_err()
        });
    }
}

/// Bits that the tool does not print, and writes in its normal form: of a message dependency control, the destination's
/// subregister and stride, the source's type, subregister and region (on Broadwell also what it takes for
/// reserved); of `sends` with a register for its extended descriptor the shared function and the length, which are in that; the
/// source region of `call` and `ret`.
fn beyond_text(platform: Platform, inst: &Inst<Physical>) -> u128 {
    let indirect_dst = if matches!(inst.dst, Dst::Indirect { .. }) { 0xf << 37 } else { 0x1f << 48 };
    let message = 3 << 9 | 3 << 61 | 0xf << 43 | 1 << 68 | indirect_dst;
    match inst.op {
        Op::Send | Op::Sendc if platform == Platform::Bdw => {
            message | 0x1f << 64 | 0x1ff << 80 | 3 << 14 | 1 << 28 | 3 << 125
        }
        Op::Send | Op::Sendc => message | 1 << 84,
        Op::Sends | Op::Sendsc => {
            let in_register = inst.send().is_some_and(|s| matches!(s.ex_desc, Desc::Reg(_)));
            3 << 9 | 1 << 68 | 1 << 52 | if in_register { 0xf << 24 | 0xf << 64 } else { 0 }
        }
        _ => 0,
    }
}

/// Predicate, condition and its flag, saturation, source modifiers: the tool leaves them out where the manual
/// has none for the opcode.
const MODIFIERS: u128 = 0x1f << 16 | 0xf << 24 | 1 << 31 | 3 << 32 | 0x3f << 37 | 3 << 77 | 3 << 109;

/// Not so: branches to nowhere, `illegal` (code after it is not read), messages to and from architecture
/// registers (the tool writes register 0 of their file), `acc3` and on in Align1 code (it writes Align16),
/// `wait` of more than one channel (its text has no size).
fn has_text(inst: &Inst<Physical>) -> bool {
    let arf =
        |reg: Option<Reg<Physical>>| reg.is_some_and(|r| matches!(r.base(), Base::Arf(a) if a != Arf::Null));
    let to_arf = inst.op.is_send() && (arf(inst.dst.reg()) || inst.src.iter().any(|s| arf(s.reg())));
    let far = |reg: Option<Reg<Physical>>| reg.is_some_and(|r| matches!(r.base(), Base::Arf(Arf::Acc(3..))));
    let far_acc = far(inst.dst.reg()) || inst.src.iter().any(|s| far(s.reg()));
    let wide_wait = inst.op == Op::Wait && inst.exec != ExecSize::S1;
    !inst.op.is_branch() && inst.op != Op::Illegal && !to_arf && !far_acc && !wide_wait
}

/// Text counts subregisters in elements; a word can say what lies between two.
fn between_elements(inst: &Inst<Physical>) -> bool {
    let odd = |byte: u32, ty: Type| !byte.is_multiple_of(ty.bytes());
    let dst = matches!(inst.dst, Dst::Direct { reg, ty, .. } if odd(reg.byte, ty));
    dst || inst.src.iter().any(|s| matches!(s, Src::Direct { reg, ty, .. } if odd(reg.byte, *ty)))
}

pub fn the_reference_assembler_reads_writes_and_compacts_the_same_words(iga: Iga) {
    let mut random = Random::new(1);
    let mut next = |below: usize| random.below(below);
    for platform in GEN8 {
        let real = all_words(platform);
        let (mut checked, mut small, mut dropped) = (0, 0, 0);
        let (mut written, mut compacted) = (Vec::new(), Vec::new());
        while checked < wanted() {
            let mut near = Vec::new();
            while near.len() < CHUNK {
                let mut word = match real[next(real.len())] {
                    Word::Native(w) => w,
                    Word::Compacted(w) => expand(platform, w).unwrap(),
                };
                for _ in 0..next(3) {
                    word ^= 1 << next(128);
                }
                // The tool writes usual values into bits that nobody reads, as we do.
                if decode(platform, word)
                    .is_ok_and(|i| has_text(&i) && comes_back_as(platform, word, &i) == word)
                {
                    near.push(word);
                }
            }
            let native = again(iga, platform, &mut near, &[]);
            let auto = again(iga, platform, &mut near, &["-Xautocompact"]);
            for ((ours, native), auto) in near.iter().zip(native).zip(auto) {
                checked += 1;
                let Word::Native(native) = native else { panic!("{platform}: compacted unasked") };
                let inst = decode(platform, *ours).unwrap();
                let lost = native ^ ours;
                if lost & !beyond_text(platform, &inst) == 0 || !inst.op.is_send() && between_elements(&inst)
                {
                    // The same, as far as text goes.
                } else if lost & !MODIFIERS == 0 && lost & native == 0 {
                    dropped += 1;
                } else {
                    written.push(format!("{ours:032x}: theirs {native:032x}\n  {inst:?}"));
                }
                small += usize::from(matches!(auto, Word::Compacted(_)));
                let mine = compact(platform, native).map_or(Word::Native(native), Word::Compacted);
                // The tool compacts what starts at an odd group of four channels, and loses the start.
                if mine != auto && native >> 11 & 1 == 0 {
                    compacted.push(format!("{native:032x}: {mine:x?}, theirs {auto:x?}"));
                }
            }
        }
        println!(
            "{platform}: {checked} words, {} written differently, {small} compact, {} differently",
            written.len(),
            compacted.len()
        );
        println!("{platform}: modifiers left out of {dropped}");
        assert!(small > checked / 20 && dropped < checked / 50);
        assert!(written.is_empty(), "{platform}: {:#?}", &written[..written.len().min(8)]);
        assert!(compacted.is_empty(), "{platform}: {:#?}", &compacted[..compacted.len().min(20)]);
    }
}
