//! Recorded text, compressed: read by a decoder in Rust, written by `zstd`.

use std::{
    fs,
    io::Read,
    path::Path,
    process::{Command, Stdio},
};

/// The text of a file, if it is there.
pub fn read(path: &Path) -> Option<String> {
    let bytes = fs::read(path).ok()?;
    let mut text = String::new();
    let decoder = ruzstd::decoding::StreamingDecoder::new(&bytes[..]);
    let mut decoder = decoder.unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    decoder.read_to_string(&mut text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    Some(text)
}

/// Writes a file whose name ends in `.zst`.
pub fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
    let plain = path.with_extension("");
    fs::write(&plain, text).expect("a file");
    let mut zstd = Command::new("zstd");
    zstd.args(["-19", "-q", "-f", "--rm", "-o"]).arg(path).arg(&plain).stdout(Stdio::null());
    assert!(zstd.status().expect("zstd").success());
}
