//! Mesa's test cases of its validator (`test_eu_validate.cpp`), and what it says of each: `data/mesa/validated.tsv`, which
//! `tools/mesa-cases` writes.

use std::{fs, io};

use encoder::decode_all;
use gen_ir::rules;
use platforms::Platform;

use crate::data::workspace;

/// A case.
#[derive(Clone, Debug)]
pub struct Judged {
    /// The platform that it is asked of.
    pub platform: Platform,
    /// The test that it is of.
    pub test: String,
    /// Whether Mesa takes it.
    pub taken: bool,
    /// The words.
    pub code: Vec<u8>,
}

/// All cases.
///
/// # Errors
///
/// The file cannot be read, or a line is no case.
pub fn cases() -> io::Result<Vec<Judged>> {
    let text = fs::read_to_string(workspace().join("tests/data/mesa/validated.tsv"))?;
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| case(line).ok_or_else(|| io::Error::other(format!("no case: {line}")))).collect()
}

fn case(line: &str) -> Option<Judged> {
    let [platform, test, verdict, words] = line.split('\t').collect::<Vec<_>>().try_into().ok()?;
    let bytes = words.as_bytes().chunks(2);
    let code = bytes.map(|b| u8::from_str_radix(std::str::from_utf8(b).ok()?, 16).ok());
    Some(Judged {
        platform: platform.parse().ok()?,
        test: test.to_owned(),
        taken: verdict == "taken",
        code: code.collect::<Option<_>>()?,
    })
}

impl Judged {
    /// The rules that it breaks; `None` if it does not decode.
    pub fn broken(&self) -> Option<Vec<&'static str>> {
        let mut broken = Vec::new();
        for word in decode_all(self.platform, &self.code) {
            broken.extend(rules::check(self.platform, &word.inst.ok()?).into_iter().map(|b| b.rule));
        }
        Some(broken)
    }
}
