//! Bits that no instruction reads: words of the test kernels, each bit of them changed, beside the reference disassembler.
//! Where it says the same of the changed word, the word is to decode, too.
//!
//! `data/unread.tsv` has a word of each kind of instruction with all such bits changed at once, and what the reference
//! disassembler says of it; the bin `unread` writes it.

use std::{collections::BTreeMap, fs, io};

use encoder::{Decoded, decode_all};
use gen_ir::{Desc, Dst, Inst, Payload, Physical, Src};
use iga::{ListingOptions, list};
use platforms::Platform;

use crate::{
    data::workspace,
    oracle::Iga,
    words::{Word, all_words},
};

/// A line of `data/unread.tsv`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unread {
    /// The platform.
    pub platform: Platform,
    /// The bytes.
    pub bytes: Vec<u8>,
    /// What they say.
    pub text: String,
}

/// What came out for a word of one kind of instruction.
#[derive(Debug, Default)]
pub struct BitsSeen {
    /// Bits that the reference disassembler does not see.
    pub unseen: Vec<u32>,
    /// Those of them without which the word does not decode here, with the reason.
    pub refused: Vec<(u32, String)>,
    /// The word with all of them changed that make no difference here either.
    pub filled: Option<Unread>,
}

/// A word of each kind of instruction of the test kernels: operation and function, form, kinds of operands.
pub fn samples(platform: Platform) -> Vec<Vec<u8>> {
    let mut kinds = BTreeMap::new();
    for word in all_words(platform) {
        let bytes = bytes_of(word);
        if let Some(Decoded { inst: Ok(inst), .. }) = decode_all(platform, &bytes).next() {
            kinds.entry(kind(&inst, bytes.len())).or_insert(bytes);
        }
    }
    kinds.into_values().collect()
}

fn bytes_of(word: Word) -> Vec<u8> {
    match word {
        Word::Native(word) => word.to_le_bytes().to_vec(),
        Word::Compacted(word) => word.to_le_bytes().to_vec(),
    }
}

fn kind(inst: &Inst<Physical>, len: usize) -> String {
    let payload = match &inst.payload {
        Payload::Math(function) => function.name().to_owned(),
        Payload::Sync(function) => function.name().to_owned(),
        Payload::Send(send) => {
            let in_register = (matches!(send.desc, Desc::Reg(_)), matches!(send.ex_desc, Desc::Reg(_)));
            format!("{in_register:?}")
        }
        _ => String::new(),
    };
    let dst = match inst.dst {
        Dst::None => "none",
        Dst::Indirect { .. } => "indirect",
        _ => "direct",
    };
    let source = |src: &Src<Physical>| match src {
        Src::None => "none",
        Src::Indirect { .. } => "indirect",
        Src::Imm { .. } => "immediate",
        _ => "direct",
    };
    format!("{} {payload} {len} {dst} {:?}", inst.op, inst.src.each_ref().map(source))
}

/// Our text of the first word, with spaces that only align left out; or why there is none.
///
/// # Errors
///
/// The word does not decode.
pub fn text(platform: Platform, bytes: &[u8]) -> Result<String, String> {
    let options = ListingOptions { numeric_labels: true, ..ListingOptions::default() };
    let word = decode_all(platform, bytes).next().ok_or("no bytes")?;
    if let Err(e) = &word.inst {
        return Err(e.to_string());
    }
    Ok(list(platform, &[word], &options).split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Changes each bit of a word.
pub fn ask(iga: &Iga, platform: Platform, word: &[u8]) -> BitsSeen {
    let mut answer = BitsSeen::default();
    // Bit 29 says how long a word is.
    let bits: Vec<u32> = (0..8 * word.len() as u32).filter(|bit| *bit != 29).collect();
    let flipped: Vec<_> = bits.iter().map(|bit| changed(word, &[*bit])).collect();
    let Some(Some(said)) = iga.disassemble_each(platform, &[word.to_vec()]).pop() else { return answer };
    let mut same = Vec::new();
    for (bit, theirs) in bits.iter().zip(iga.disassemble_each(platform, &flipped)) {
        if theirs.as_ref() != Some(&said) {
            continue;
        }
        answer.unseen.push(*bit);
        match text(platform, &changed(word, &[*bit])) {
            // Modifiers that an operation does not have are shown here and left out there.
            Ok(ours) if ours == said => same.push(*bit),
            Ok(_) => {}
            Err(e) => answer.refused.push((*bit, e)),
        }
    }
    let bytes = changed(word, &same);
    let filled = iga.disassemble_each(platform, std::slice::from_ref(&bytes)).pop().flatten();
    if !same.is_empty() && filled.as_ref() == Some(&said) {
        answer.filled = Some(Unread { platform, bytes, text: said });
    }
    answer
}

fn changed(word: &[u8], bits: &[u32]) -> Vec<u8> {
    let mut word = word.to_vec();
    for bit in bits {
        word[*bit as usize / 8] ^= 1 << (bit % 8);
    }
    word
}

fn path() -> std::path::PathBuf {
    workspace().join("tests/data/unread.tsv")
}

/// The lines of `data/unread.tsv`.
///
/// # Errors
///
/// The file cannot be read, or a line is not one.
pub fn recorded() -> io::Result<Vec<Unread>> {
    let file = fs::read_to_string(path())?;
    let lines = file.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| parse(line).ok_or_else(|| io::Error::other(format!("no word: {line}")))).collect()
}

fn parse(line: &str) -> Option<Unread> {
    let [platform, bytes, text] = line.split('\t').collect::<Vec<_>>().try_into().ok()?;
    let bytes = bytes.as_bytes().chunks(2).map(|b| u8::from_str_radix(std::str::from_utf8(b).ok()?, 16).ok());
    Some(Unread {
        platform: platform.parse().ok()?,
        bytes: bytes.collect::<Option<_>>()?,
        text: text.to_owned(),
    })
}

/// Writes `data/unread.tsv`.
///
/// # Errors
///
/// The file cannot be written.
pub fn record(words: &[Unread]) -> io::Result<()> {
    let mut file = String::from(
        "# Words with something in every bit that their instruction does not read, and what iga64 says of them:\n\
         # `cargo run --release -p tests --bin unread -- --record` writes them.\n\
         # platform\tword\ttext\n",
    );
    for Unread { platform, bytes, text } in words {
        let hex: String = bytes.iter().map(|b| format!("{b:02x}")).collect();
        file += &format!("{platform}\t{hex}\t{text}\n");
    }
    fs::write(path(), file)
}
