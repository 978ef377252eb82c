//! Differences that stay, one row each: where it is seen, and why it stays. What each looks like, value by value, is
//! recorded beside: a row allows that and no more.

use std::path::Path;

use platforms::Platform;

use crate::compressed;

use super::{compare::Difference, forms::MessageForm};

/// The row that says why a difference stays, if there is one.
pub fn row(platform: Platform, form: &MessageForm, difference: &Difference) -> Option<usize> {
    let platform = platform.with_kernels();
    let seen = Seen { platform, op: form.op, line: &form.line, field: &difference.field, difference };
    ROWS.iter().position(|row| (row.0)(&seen))
}

/// An explained difference as it is recorded: row, platform, form, field, our value, Intel's value, message.
pub fn line(platform: Platform, form: &MessageForm, row: usize, d: &Difference) -> String {
    let one = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let message = d.message.map_or("-".to_owned(), |m| m.to_string());
    let form = form.line.replace('\n', "; ");
    format!("{row}\t{platform}\t{form}\t{}\t{}\t{}\t{message}", d.field, one(&d.ours), one(&d.intel))
}

/// All explained differences with the values that both sides had when somebody looked at them. `messages
/// --explained` prints them; one that changes, comes or goes is looked at again, then recorded.
pub fn recorded() -> Vec<String> {
    let text = compressed::read(Path::new(RECORD)).unwrap_or_else(|| panic!("no {RECORD}"));
    text.lines().map(str::to_owned).collect()
}

const RECORD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data/messages/explained.tsv.zst");

/// Writes what is recorded: `found` for the platforms named, for others what was.
pub fn record(platforms: &[Platform], found: &[String]) {
    let old = recorded();
    let mut text = String::new();
    for platform in Platform::ALL {
        let lines = if platforms.contains(&platform) { found } else { &old };
        for line in lines.iter().filter(|line| is_of(line, platform)) {
            text += line;
            text.push('\n');
        }
    }
    compressed::write(Path::new(RECORD), &text);
}

/// Whether a recorded line is of a platform.
pub fn is_of(line: &str, platform: Platform) -> bool {
    line.split('\t').nth(1) == Some(platform.caps().name)
}

/// A difference, its form and platform (of two that are alike, the one with kernels).
#[derive(Debug)]
pub struct Seen<'a> {
    platform: Platform,
    op: &'a str,
    line: &'a str,
    field: &'a str,
    difference: &'a Difference,
}

impl Seen<'_> {
    fn values(&self, ours: &str, intel: &str) -> bool {
        self.difference.ours == ours && self.difference.intel == intel
    }

    /// The hexadecimal numbers that both sides are.
    fn numbers(&self) -> Option<(u32, u32)> {
        let number = |text: &str| u32::from_str_radix(text.strip_prefix("0x")?, 16).ok();
        Some((number(&self.difference.ours)?, number(&self.difference.intel)?))
    }

    /// Dword of the payload.
    fn dword(&self) -> Option<u32> {
        self.field.strip_prefix("payload[")?.strip_suffix(']')?.parse().ok()
    }
}

/// What differences look like, and why they stay.
pub type Row = (fn(&Seen<'_>) -> bool, &'static str);

/// All rows.
#[rustfmt::skip]
pub static ROWS: &[Row] = &[
    (|s| s.field == "messages" && s.line == "svm_scatter.8.8 (M1, 8) Yq.0 Xq.0" && s.difference.ours.contains(' ')
         && !s.difference.intel.contains(' '),
     "16 registers of data do not fit the length of a word before Gen12, which has four bits: ours are two messages"),
    (|s| s.field == "messages" && s.difference.ours.contains(' ') && !s.difference.intel.contains(' ')
         && match s.op {
             "oword_ld" | "oword_ld_unaligned" | "oword_st" | "svm_block_ld" | "svm_block_st" => s.line.contains("(16)"),
             "dword_atomic" => s.line.contains("(M1, 32)"),
             "svm_atomic" | "typed_atomic" | "gather4_typed" | "scatter4_typed" | "svm_scatter" => s.line.contains("(M1, 16)"),
             _ => false,
         },
     "more channels or owords than the shared function takes at once: ours are several messages, Intel's is one that does not exist"),
    (|s| s.op == "sampler_cache_flush" && s.field == "channels" && s.difference.ours.starts_with("(W 8)"),
     "the cache is flushed whatever channels run; Intel's message is lost where none of its eight does"),
    (|s| s.op.starts_with("svm_block") && !s.line.contains("aligned") && s.field == "descriptor"
         && s.numbers().is_some_and(|(a, b)| a == b | 1 << 11),
     "a block without a word on alignment is unaligned (Intel's grammar says so today; the release asked took it for aligned)"),
    (|s| s.op == "raw_sends" && s.line.contains(" 0x0:ud ") && s.field == "function" && s.difference.intel == "null",
     "the instruction names the shared function; Intel's word has that of the extended descriptor, which is zero here"),
    (|s| s.op == "raw_sends" && s.line.contains(".16.0 ") && s.line.contains(" 0x0:ud ")
         && (s.field == "payload registers" || s.field == "extended descriptor"),
     "the instruction says how long its second payload is; Intel takes the zero of the descriptor where 16 registers need a register"),
    (|s| s.platform == Platform::Bdw && s.op == "raw_sends" && s.field == "run" && s.difference.intel.contains("Opcode is 0x33"),
     "Broadwell has no split messages (volume 2a, opcode table): ours are joined, Intel's code does not decode"),
    (|s| matches!(s.op, "gather" | "scatter") && (s.line.contains("TSS") || s.line.contains("%bss")),
     "Intel takes the surface state's offset for a binding table index: the old gather and scatter know no bindless surfaces there"),
    (|s| s.platform == Platform::Bdw && matches!(s.op, "gather" | "scatter") && s.line.contains("%scratch")
         && s.field == "payload[5]" && s.values("0x0", "computed"),
     "Intel keeps the thread's identifier in these headers, and not in those of gather_scaled, which are the same messages"),
    (|s| s.op.ends_with(" typed") && (s.field == "payload registers" && matches!(s.difference.intel.as_str(), "64" | "128" | "192" | "256" | "384" | "1152")
         || s.field == "extended descriptor" && s.difference.intel == "0x58000800" && s.difference.ours.starts_with("0x58000")),
     "Intel takes the length of typed data from the variable that the operand is a view of, whatever its size (32 registers wrap to none)"),
    (|s| s.platform == Platform::Pvc && s.op == "scatter" && (s.line.contains("(M1, 1)") || s.line.contains("(M1, 8)"))
         && (matches!(s.field, "descriptor" | "payload registers") || s.dword().is_some()),
     "Intel counts the payload of less than sixteen channels in whole registers and gets none"),
    (|s| s.platform == Platform::Pvc && s.op == "qw_gather"
         && (matches!(s.field, "response" | "descriptor" | "payload registers") || s.field.starts_with("X[")),
     "sixteen channels of a qword are two registers of 64 bytes; Intel counts registers of 32"),
    (|s| s.platform == Platform::Pvc && matches!(s.op, "qw_gather" | "qw_scatter") && (s.line.contains("TSS") || s.line.contains("%bss")),
     "Intel takes the surface state's offset for a binding table index here"),
    (|s| s.platform == Platform::Pvc && s.op == "scatter4_typed" && s.field == "payload registers",
     "each channel takes a register of its own, as in what gather4_typed returns; Intel packs two into one when storing only"),
    (|s| s.platform == Platform::Pvc && s.op == "svm_scatter4scaled" && s.line.contains("(M1, 8)"),
     "eight channels go as a message of sixteen with the upper ones off, as svm_gather4scaled does in Intel's code too"),
    (|s| s.platform == Platform::Pvc && s.op == "raw_sends" && s.line.contains(".16.0 ") && s.field == "extended descriptor"
         && s.values("0x0", "0x40c ExBSO"),
     "the word has room for the length; Intel puts length and function into a register that holds a surface state's offset"),
    (|s| s.line.contains("bss(0x400)") && s.field == "extended descriptor" && s.values("0x400 ExBSO", "0x0"),
     "Intel loses the bits of an immediate offset below 4096, which the word has no room for"),
    (|s| matches!(s.op, "sample" | "load") && s.line.contains("(8)") && !s.line.contains("RGBA")
         && (matches!(s.field, "response" | "descriptor") || s.field.starts_with("X[")),
     "as many registers come back as there are channels (volume 7, \"Sampler writeback message\"); of eight lanes Intel counts four whatever the mask"),
    (|s| s.op == "avs" && s.line.contains("AVS_16x8")
         && (matches!(s.field, "response" | "descriptor") || s.field.starts_with("X[")),
     "16 by 8 pixels are twice those of 16 by 4, as the specification's table of the destination has it; Intel counts four times as many"),
    (|s| s.line.contains("arg[") && s.dword().is_some_and(|d| d > 0) && s.difference.intel.starts_with("Y["),
     "Intel adds the arguments' base to the first channel's address alone"),
    (|s| s.platform == Platform::Bdw && (s.op.starts_with("oword") || matches!(s.op, "wait" | "lifetime"))
         && s.dword().is_some_and(|d| d < 8 && d != 2) && s.difference.intel.starts_with("r0.") && s.difference.ours == "0x0",
     "the header of an oword block is its offset, dword 2; Intel leaves the rest undefined or copies r0 (volume 7, \"Data Port Messages\")"),
    (|s| s.platform == Platform::Tgllp && s.field == "messages" && matches!(s.op, "svm_gather" | "svm_scatter")
         && s.line.contains(".1.8 ") && s.difference.ours.contains(' ') && !s.difference.intel.contains(' '),
     "element sizes of these messages are one, two and four bytes (Mesa, brw_eu_defines.h, GFX7_BYTE_SCATTERED_DATA_ELEMENT): ours are two of four"),
    (|s| (s.op.starts_with("media_") || s.op == "rt_write_3d") && s.line.contains(" %bss "),
     "the state's offset stands in the extended descriptor (volume 5 of Skylake, Bindless Surface State); Intel adds it to the message descriptor, as it does the index of a surface"),
    (|s| s.op == "rt_write_3d" && s.line.contains("(M1, 32)"),
     "sixteen pixels are what a message has (volume 7, \"Render Target Write\", Message Sub-type): ours are two; Intel's is one of sixteen whose payload lies as that of 32 would"),
    (|s| s.op == "rt_write_3d" && ["(M1, 1)", "(M1, 2)", "(M1, 4)"].iter().any(|size| s.line.contains(size)),
     "ours is a message of eight pixels with the others off; Intel's says sixteen, and its copies of the colors overwrite each other"),
    (|s| (s.op.contains("scaled") || s.line.starts_with("scatter.2 ")) && (s.line.contains("Df(0,4)") || s.line.contains(":f ")),
     "offsets are integers, and so is their sum; Intel adds them as singles, which have 24 bits, and shifts a float, which no hardware does, to count bytes"),
];
