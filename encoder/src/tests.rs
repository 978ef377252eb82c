//! What words instructions become on each platform, and what comes of these words.

use std::fmt::Write;

use gen_ir::{Inst, Physical, parse_inst};
use platforms::Platform;

use crate::{compact, decode, encode, expand};

/// A line for each platform group that gives the same: the word, and its short form; what is refused; what comes back otherwise.
fn words(text: &str) -> String {
    let Ok(inst) = parse_inst::<Physical>(text) else {
        return format!("  NOPARSE {:?}\n", parse_inst::<Physical>(text).err());
    };
    let mut groups: Vec<(String, String)> = Vec::new();
    for platform in [Platform::Bdw, Platform::Skl, Platform::Icllp, Platform::Tgllp, Platform::Pvc] {
        let gives = one(platform, &inst);
        match groups.iter_mut().find(|(_, other)| *other == gives) {
            Some((of, _)) => *of += &format!(" {platform}"),
            None => groups.push((platform.to_string(), gives)),
        }
    }
    groups.iter().map(|(of, gives)| format!("  {of}: {gives}\n")).collect()
}

fn one(platform: Platform, inst: &Inst<Physical>) -> String {
    let word = match encode(platform, inst) {
        Ok(word) => word,
        Err(error) => return format!("refused: {error}"),
    };
    let mut text = format!("{:016x} {:016x}", word as u64, (word >> 64) as u64);
    if let Some(small) = compact(platform, word) {
        write!(text, " = {small:016x}").expect("a string takes all");
        assert_eq!(expand(platform, small), Ok(word), "{platform}: {inst}");
    }
    match decode(platform, word) {
        Ok(back) if back == *inst => {}
        Ok(back) => write!(text, " comes back as {back}").expect("a string takes all"),
        Err(error) => write!(text, " does not come back: {error}").expect("a string takes all"),
    }
    text
}

/// `words.txt`: instructions, comments, and behind each instruction what it gives, which `REWRITE=1` writes anew.
#[test]
fn instructions_have_their_words() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/words.txt");
    let expected = std::fs::read_to_string(path).expect("the table");
    let mut found = String::new();
    for line in expected.lines().filter(|l| !l.starts_with("  ")) {
        found += &format!("{line}\n");
        if !line.is_empty() && !line.starts_with("//") {
            found += &words(line);
        }
    }
    if std::env::var_os("REWRITE").is_some() {
        return std::fs::write(path, &found).expect("a table to write");
    }
    for (expected, found) in expected.lines().zip(found.lines()) {
        assert_eq!(expected, found);
    }
    assert_eq!(expected, found);
}
