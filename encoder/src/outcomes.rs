//! What becomes of instructions that differ in one part from those of `words.txt`, and of words that differ in one bit from
//! theirs: most are refused. `outcomes.txt` keeps a checksum of that by opcode and platform, which `REWRITE=1` writes anew. To
//! see what a change has done, `OUTCOMES=file` writes the outcomes, before and after.

use std::{
    collections::BTreeMap,
    fmt::{Display, Write},
};

use gen_ir::{Dst, Inst, Payload, Physical, Src, parse_inst};
use platforms::Platform;

use crate::{compact, decode, encode, expand};

/// Of the other instructions one in so many lends its parts, each time other ones.
const LENDERS: usize = 12;

/// Outcomes of what begins with instructions of one opcode, on a platform.
struct Outcomes<'a> {
    platform: Platform,
    sum: u32,
    written: &'a mut Option<String>,
    faults: &'a mut Vec<String>,
}

impl Outcomes<'_> {
    fn add(&mut self, what: impl Display, outcome: impl Display) {
        let line = format!("{} {what}: {outcome}\n", self.platform);
        // FNV-1a.
        self.sum = line.bytes().fold(self.sum, |sum, b| (sum ^ u32::from(b)).wrapping_mul(0x0100_0193));
        if let Some(written) = self.written {
            written.push_str(&line);
        }
    }

    /// An instruction is refused, or has a word that comes back as an instruction of that word.
    fn encoded(&mut self, inst: &Inst<Physical>) -> Option<u128> {
        match encode(self.platform, inst) {
            Ok(word) => {
                self.add(inst, format_args!("{word:032x}"));
                let back = decode(self.platform, word).map(|back| encode(self.platform, &back));
                if back != Ok(Ok(word)) {
                    self.faults
                        .push(format!("{}: {inst}: {word:032x} is read as {back:032x?}", self.platform));
                }
                self.short(word);
                Some(word)
            }
            Err(error) => {
                self.add(inst, error);
                None
            }
        }
    }

    /// A word is refused, or read as an instruction whose own word is read so, too.
    fn decoded(&mut self, word: u128) {
        match decode(self.platform, word) {
            Ok(inst) => {
                self.add(format_args!("{word:032x}"), inst);
                let again = encode(self.platform, &inst).map(|word| decode(self.platform, word));
                if again != Ok(Ok(inst)) {
                    self.faults
                        .push(format!("{}: {word:032x} is {inst}, which gives {again:?}", self.platform));
                }
                self.short(word);
            }
            Err(error) => self.add(format_args!("{word:032x}"), error),
        }
    }

    /// The short form of a word stands for that word.
    fn short(&mut self, word: u128) {
        let Some(small) = compact(self.platform, word) else { return };
        assert_eq!(expand(self.platform, small), Ok(word), "{}: {word:032x}", self.platform);
        for bit in 0..64 {
            match expand(self.platform, small ^ 1 << bit) {
                Ok(word) => self.add(format_args!("{small:016x}"), format_args!("{word:032x}")),
                Err(error) => self.add(format_args!("{small:016x}"), error),
            }
        }
    }
}

/// An instruction with one part of another one each.
fn with_a_part<'a>(
    inst: &'a Inst<Physical>,
    other: &Inst<Physical>,
) -> impl Iterator<Item = Inst<Physical>> + use<'a> {
    let src = |to: usize, from: usize| {
        let mut src = inst.src;
        src[to] = other.src[from];
        Inst { src, ..*inst }
    };
    [
        Inst { exec: other.exec, chan: other.chan, ..*inst },
        Inst { no_mask: other.no_mask, pred: other.pred, ..*inst },
        Inst { cond: other.cond, ..*inst },
        Inst { sat: other.sat, ..*inst },
        Inst { dst: other.dst, ..*inst },
        src(0, 0),
        src(1, 0),
        src(1, 1),
        src(2, 0),
        src(2, 2),
        Inst { opts: other.opts, ..*inst },
        Inst { swsb: other.swsb, ..*inst },
        Inst { payload: other.payload, ..*inst },
        Inst { op: other.op, ..*inst },
    ]
    .into_iter()
    .filter(move |made| made != inst)
}

/// An instruction whose registers lie elsewhere, whose immediates have bits that their type may lack, and whose second payload is
/// longer than it may be.
fn with_odd_values(inst: &Inst<Physical>) -> Vec<Inst<Physical>> {
    let mut all = Vec::new();
    for bytes in [1, 4, 16, 32, 64] {
        let mut made = *inst;
        if let Dst::Direct { reg, .. } | Dst::Macro { reg, .. } | Dst::Indirect { addr: reg, .. } =
            &mut made.dst
        {
            *reg = reg.at(reg.byte + bytes);
            all.push(made);
        }
    }
    for i in 0..3 {
        for bit in [0, 2, 4, 5, 6, 8, 20, 40] {
            let mut made = *inst;
            match &mut made.src[i] {
                Src::Direct { reg, .. } | Src::Macro { reg, .. } | Src::Indirect { addr: reg, .. }
                    if bit < 8 =>
                {
                    *reg = reg.at(reg.byte + (1 << bit));
                }
                Src::Imm { bits, .. } => *bits ^= 1 << bit,
                _ => continue,
            }
            all.push(made);
        }
    }
    for length in [1, 16, 31, 32] {
        let mut made = *inst;
        if let Payload::Send(send) = &mut made.payload {
            send.src1_len = length;
            all.push(made);
        }
    }
    all
}

#[test]
fn what_is_near_instructions_and_words_has_its_outcomes() {
    let lines = include_str!("words.txt").lines();
    let instructions = lines.filter(|l| !l.is_empty() && !l.starts_with("  ") && !l.starts_with("//"));
    let all: Vec<Inst<Physical>> =
        instructions.map(|l| parse_inst(l).unwrap_or_else(|e| panic!("{l}: {e}"))).collect();
    let mut written = std::env::var_os("OUTCOMES").map(|_| String::new());
    let mut faults = Vec::new();
    let mut sums: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    for (row, platform) in Platform::ROWS.into_iter().enumerate() {
        for (n, inst) in all.iter().enumerate() {
            let sums = sums.entry(inst.op.name()).or_default();
            sums.resize(row + 1, 0x811c_9dc5);
            let mut outcomes =
                Outcomes { platform, sum: sums[row], written: &mut written, faults: &mut faults };
            if let Some(word) = outcomes.encoded(inst) {
                (0..128).for_each(|bit| outcomes.decoded(word ^ 1 << bit));
            }
            for made in with_odd_values(inst) {
                outcomes.encoded(&made);
            }
            for other in all.iter().skip(n % LENDERS).step_by(LENDERS) {
                for made in with_a_part(inst, other) {
                    outcomes.encoded(&made);
                }
            }
            sums[row] = outcomes.sum;
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    let mut found = String::from("// Checksums of `outcomes.rs`, by opcode:");
    Platform::ROWS.iter().for_each(|p| write!(found, " {p}").expect("a string takes all"));
    found.push('\n');
    for (op, sums) in &sums {
        found += op;
        sums.iter().for_each(|sum| write!(found, " {sum:08x}").expect("a string takes all"));
        found.push('\n');
    }
    if let (Some(path), Some(written)) = (std::env::var_os("OUTCOMES"), written) {
        std::fs::write(path, written).expect("a file for the outcomes");
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/outcomes.txt");
    if std::env::var_os("REWRITE").is_some() {
        return std::fs::write(path, &found).expect("a table to write");
    }
    let expected = std::fs::read_to_string(path).expect("the table");
    for (expected, found) in expected.lines().zip(found.lines()) {
        assert_eq!(expected, found);
    }
    assert_eq!(expected, found);
}
