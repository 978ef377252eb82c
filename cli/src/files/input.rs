//! What is read: regular files are mapped, everything else is read to its end, up to a limit.

use narrow::to_u64;
use std::{
    fs::File,
    io::{self, Read},
    ops::Deref,
    path::Path,
};

/// Bytes that are read from what cannot be mapped (standard input, pipes, devices). The largest objects that
/// drivers ship have a few megabytes.
const LONGEST_STREAM: u64 = 256 << 20;

/// Bytes by which vISA is told from anything else.
const START: u64 = 64 << 10;

/// Bytes of machine code, or of its listing, that are read: far more than the largest kernels have (a few
/// megabytes), and little enough that their listings fit into memory.
pub const LONGEST_CODE: usize = 64 << 20;

/// Whether a path names standard input or output.
pub fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// An input file's bytes.
pub struct Input(Bytes);

enum Bytes {
    Mapped(memmap2::Mmap),
    Owned(Vec<u8>),
}

impl Input {
    /// Maps a regular file; reads anything else (`-` for standard input, pipes, empty files) to its end.
    ///
    /// # Errors
    ///
    /// What the system says; a stream of more than [`LONGEST_STREAM`] bytes.
    pub fn open(path: &Path) -> io::Result<Input> {
        open(path, |_| true)
    }

    /// The same for what is to be vISA or a compiled program: of a stream that begins as neither does, only the
    /// beginning is read, for which it will be refused.
    ///
    /// # Errors
    ///
    /// As [`Input::open`].
    pub fn open_visa(path: &Path) -> io::Result<Input> {
        open(path, may_be_visa)
    }
}

fn open(path: &Path, is_wanted: fn(&[u8]) -> bool) -> io::Result<Input> {
    if is_standard(path) {
        return stream(io::stdin().lock(), LONGEST_STREAM, is_wanted);
    }
    let file = File::open(path)?;
    let meta = file.metadata()?;
    if meta.is_file() && meta.len() > 0 {
        return map(&file).map(|m| Input(Bytes::Mapped(m)));
    }
    stream(file, LONGEST_STREAM, is_wanted)
}

/// Whether this is the beginning of an object, of a program, or of text.
fn may_be_visa(start: &[u8]) -> bool {
    start.starts_with(b"CISA") || zebin::is_elf(start) || !start.contains(&0)
}

fn stream(mut from: impl Read, longest: u64, is_wanted: fn(&[u8]) -> bool) -> io::Result<Input> {
    let mut bytes = Vec::new();
    from.by_ref().take(START.min(longest)).read_to_end(&mut bytes)?;
    if !is_wanted(&bytes) {
        return Ok(Input(Bytes::Owned(bytes)));
    }
    from.take(longest + 1 - to_u64(bytes.len())).read_to_end(&mut bytes)?;
    if to_u64(bytes.len()) > longest {
        let message = format!("found a stream of more than {longest} bytes; give a file");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    Ok(Input(Bytes::Owned(bytes)))
}

/// The only `unsafe` of the command.
///
/// Proof: the map is private and read-only, so Rust code cannot write through it. A process that
/// truncates the file while we read it could raise SIGBUS, as with every mapped reader; one that
/// rewrites it changes bytes that the readers treat as untrusted anyway: they check each value where
/// they use it and keep no pointer derived from it.
#[allow(unsafe_code)]
fn map(file: &File) -> io::Result<memmap2::Mmap> {
    unsafe { memmap2::MmapOptions::new().map_copy_read_only(file) }
}

impl Deref for Input {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.0 {
            Bytes::Mapped(m) => m,
            Bytes::Owned(v) => v,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_file_is_an_empty_input() {
        let file = tempfile::NamedTempFile::new().unwrap();
        assert!(Input::open(file.path()).unwrap().is_empty());
    }

    #[test]
    fn an_endless_stream_is_refused() {
        assert!(stream(io::repeat(0), 1000, |_| true).is_err());
        assert_eq!(stream(io::repeat(7).take(1000), 1000, |_| true).unwrap().len(), 1000);
        let whole = 3 * START;
        assert_eq!(stream(io::repeat(7).take(whole), whole, may_be_visa).unwrap().len() as u64, whole);
        assert!(stream(io::repeat(7), whole, may_be_visa).is_err());
    }

    #[test]
    fn of_a_stream_that_is_no_visa_the_beginning_is_read() {
        assert_eq!(stream(io::repeat(0), LONGEST_STREAM, may_be_visa).unwrap().len() as u64, START);
        let object = b"CISA\0\0\0".chain(io::repeat(0)).take(2 * START);
        assert_eq!(stream(object, LONGEST_STREAM, may_be_visa).unwrap().len() as u64, 2 * START);
    }
}
