//! Files in and out: inputs mapped, outputs complete or absent.

use std::{
    fs::File,
    io::{self, Write},
    ops::Deref,
    path::Path,
};

/// An input file's bytes.
pub struct Input(Bytes);

enum Bytes {
    Mapped(memmap2::Mmap),
    Owned(Vec<u8>),
}

impl Input {
    /// Maps a regular file; reads anything else (pipes, empty files) to its end.
    pub fn open(path: &Path) -> io::Result<Input> {
        let mut file = File::open(path)?;
        let meta = file.metadata()?;
        if meta.is_file() && meta.len() > 0 {
            return map(&file).map(|m| Input(Bytes::Mapped(m)));
        }
        let mut bytes = Vec::new();
        io::Read::read_to_end(&mut file, &mut bytes)?;
        Ok(Input(Bytes::Owned(bytes)))
    }
}

/// The only `unsafe` of the project.
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

/// Writes a file completely or not at all: a temporary file beside it, then a rename.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let dir = match path.parent() {
        Some(p) if !p.as_os_str().is_empty() => p,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".visa-finalize-");
    as_readable_as_any_new_file(&mut builder);
    let mut file = builder.tempfile_in(dir)?;
    file.write_all(bytes)?;
    file.persist(path).map_err(|e| e.error)?;
    Ok(())
}

/// Temporary files are private to their owner; a result is subject to the umask alone.
fn as_readable_as_any_new_file(builder: &mut tempfile::Builder<'_, '_>) {
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    #[cfg(not(unix))]
    let _ = builder;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_replace_and_leave_nothing_beside() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("out");
        write_atomically(&path, b"one").unwrap();
        write_atomically(&path, b"two").unwrap();
        assert_eq!(&*Input::open(&path).unwrap(), b"two");
        assert_eq!(dir.path().read_dir().unwrap().count(), 1);
        assert!(write_atomically(&dir.path().join("absent/out"), b"x").is_err());
    }

    #[test]
    fn an_empty_file_is_an_empty_input() {
        let file = tempfile::NamedTempFile::new().unwrap();
        assert!(Input::open(file.path()).unwrap().is_empty());
    }
}
