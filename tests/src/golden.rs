//! Samples of Intel's code for the test kernels that stay in the repository, for machines without Intel's tools.
//!
//! `tests/golden/kernels/make` writes `tests/golden/kernels/<platform>/<opcode>.txt`: a line is one instruction, its bytes
//! as they stand in memory, a colon, and the line that `iga64 -n` prints for them.

use std::fs;

use platforms::Platform;

use crate::data::workspace;

/// One instruction and its text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Golden {
    /// Where it stands: file and line.
    pub place: String,
    /// 8 bytes if compacted, else 16.
    pub code: Vec<u8>,
    /// What `iga64 -d -n` prints, without the blanks at the end of the line.
    pub text: String,
}

/// All goldens of a platform, or of the one that it is like, sorted by opcode.
pub fn goldens(platform: Platform) -> Vec<Golden> {
    let platform = platform.with_kernels();
    let directory = workspace().join(format!("tests/golden/kernels/{platform}"));
    let mut files: Vec<_> = fs::read_dir(&directory)
        .unwrap_or_else(|e| panic!("{}: {e}", directory.display()))
        .map(|entry| entry.expect("a directory entry").path())
        .collect();
    files.sort();
    let mut all = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        for (number, line) in text.lines().enumerate() {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            all.push(parse(line, format!("{platform}/{name}:{}", number + 1)));
        }
    }
    all
}

fn parse(line: &str, place: String) -> Golden {
    let parsed = line.split_once(": ").and_then(|(hex, text)| {
        let bytes = hex.split(' ').map(|byte| u8::from_str_radix(byte, 16));
        Some((bytes.collect::<Result<Vec<u8>, _>>().ok()?, text.to_owned()))
    });
    match parsed {
        Some((code, text)) if matches!(code.len(), 8 | 16) => Golden { place, code, text },
        _ => panic!("{place}: not `<8 or 16 bytes>: <text>`"),
    }
}
