//! What is written. A regular file is replaced by a complete one or stays as it was; whatever else the path
//! leads to (a device, a pipe, a file with several names) is written to and never replaced.

use narrow::to_u64;
use std::{
    fs::{self, File, Metadata, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};

use super::is_standard;

/// How names of temporary files begin.
const TEMPORARY: &str = ".visa-finalize-";

/// Links to links that are followed, as many as Linux follows.
const LONGEST_CHAIN: usize = 40;

/// Where one result goes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Sink {
    /// Standard output.
    Standard,
    /// A file.
    File(PathBuf),
}

impl Sink {
    /// `-` is standard output.
    pub fn new(path: &Path) -> Sink {
        if is_standard(path) { Sink::Standard } else { Sink::File(path.to_owned()) }
    }

    /// Writes a result; a reader of standard output that has seen enough is no error.
    ///
    /// # Errors
    ///
    /// As [`write()`].
    pub fn write(&self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Sink::File(path) => write(path, bytes),
            Sink::Standard => {
                let mut out = io::stdout().lock();
                match out.write_all(bytes).and_then(|()| out.flush()) {
                    Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Ok(()),
                    done => done,
                }
            }
        }
    }
}

impl std::fmt::Display for Sink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Sink::Standard => f.write_str("standard output"),
            Sink::File(path) => path.display().fmt(f),
        }
    }
}

/// Writes a file.
///
/// Links are followed. A regular file of one name is replaced at once by a complete one of the same mode and
/// owner (a temporary file beside it, then a rename), so no partial file stays behind; one of several names
/// (hard links) keeps them all and is overwritten. What is no regular file is written to.
///
/// # Errors
///
/// What the system says; the file is read-only, or the path leads to a directory.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let path = &followed(path)?;
    let meta = match fs::metadata(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return replace(path, bytes, None),
        meta => meta?,
    };
    if meta.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "found a directory"));
    }
    if meta.is_file() && meta.permissions().readonly() {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "the file is read-only"));
    }
    // Opening says what the owner of a file allows; a rename would not ask.
    let file = OpenOptions::new().write(true).open(path)?;
    if !meta.is_file() {
        return (&file).write_all(bytes);
    }
    if names(&meta) > 1 {
        return overwrite(&file, bytes);
    }
    replace(path, bytes, Some(&meta))
}

/// The path behind links; of a link that leads nowhere, the file that it would name.
fn followed(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..LONGEST_CHAIN {
        if !fs::symlink_metadata(&path).is_ok_and(|m| m.is_symlink()) {
            return Ok(path);
        }
        let target = fs::read_link(&path)?;
        path = path.parent().unwrap_or(Path::new("")).join(target);
    }
    Err(io::Error::other(format!("more than {LONGEST_CHAIN} links in a row")))
}

fn overwrite(mut file: &File, bytes: &[u8]) -> io::Result<()> {
    file.write_all(bytes)?;
    file.set_len(to_u64(bytes.len()))
}

fn replace(path: &Path, bytes: &[u8], old: Option<&Metadata>) -> io::Result<()> {
    let dir = match path.parent() {
        Some(p) if !p.as_os_str().is_empty() => p,
        _ => Path::new("."),
    };
    if !dir.is_dir() {
        return Err(io::Error::new(
            io::ErrorKind::NotFound,
            format!("there is no directory {}", dir.display()),
        ));
    }
    let fill = |mut file: &File| {
        file.write_all(bytes)?;
        let Some(old) = old else { return Ok(()) };
        keep_owner(file, old)?;
        file.set_permissions(old.permissions())
    };
    if let Some(file) = unnamed::create(dir) {
        fill(&file)?;
        if unnamed::give_name(&file, dir, path, old.is_none()).is_ok() {
            return Ok(());
        }
        // A file system or a process without what that takes.
    }
    let mut builder = tempfile::Builder::new();
    builder.prefix(TEMPORARY);
    as_readable_as_any_new_file(&mut builder);
    let file = builder.tempfile_in(dir).map_err(|e| {
        let why = io::Error::from(e.kind());
        io::Error::new(e.kind(), format!("no file can be made in {}: {why}", dir.display()))
    })?;
    fill(file.as_file())?;
    file.persist(path).map_err(|e| e.error)?;
    Ok(())
}

/// Files that have no name until they are complete: nothing is left of them, whatever ends the command.
#[cfg(target_os = "linux")]
mod unnamed {
    use super::{File, Path, TEMPORARY, io};
    use rustix::fs::{AtFlags, CWD, Mode, OFlags, linkat, openat};
    use std::os::fd::AsRawFd;

    /// A file in a directory; nothing where the file system cannot do that.
    pub fn create(dir: &Path) -> Option<File> {
        let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
        openat(CWD, dir, flags, Mode::from_raw_mode(0o666)).ok().map(File::from)
    }

    /// Gives it a name, in the place of another file unless the name is new.
    pub fn give_name(file: &File, dir: &Path, path: &Path, is_new: bool) -> io::Result<()> {
        let this = format!("/proc/self/fd/{}", file.as_raw_fd());
        let link =
            |name: &Path| linkat(CWD, &this, CWD, name, AtFlags::SYMLINK_FOLLOW).map_err(io::Error::from);
        if is_new && link(path).is_ok() {
            return Ok(());
        }
        // No link takes the place of a file, but a rename does.
        let linked = tempfile::Builder::new().prefix(TEMPORARY).make_in(dir, link)?;
        linked.persist(path).map(drop).map_err(|e| e.error)
    }
}

/// Elsewhere there are none.
#[cfg(not(target_os = "linux"))]
mod unnamed {
    use super::{File, Path, io};

    pub fn create(_: &Path) -> Option<File> {
        None
    }

    pub fn give_name(_: &File, _: &Path, _: &Path, _: bool) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// Temporary files are private to their owner; a result is subject to the umask alone.
fn as_readable_as_any_new_file(builder: &mut tempfile::Builder<'_, '_>) {
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    #[cfg(not(unix))]
    let _ = builder;
}

/// Names (hard links) that a file has.
fn names(meta: &Metadata) -> u64 {
    #[cfg(unix)]
    return std::os::unix::fs::MetadataExt::nlink(meta);
    #[cfg(not(unix))]
    {
        let _ = meta;
        1
    }
}

fn keep_owner(file: &File, old: &Metadata) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, fchown};
        let new = file.metadata()?;
        if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
            return fchown(file, Some(old.uid()), Some(old.gid()));
        }
    }
    #[cfg(not(unix))]
    let _ = (file, old);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_replace_and_leave_nothing_beside() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("out");
        write(&path, b"one").unwrap();
        write(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(dir.path().read_dir().unwrap().count(), 1);
        assert!(write(&dir.path().join("absent/out"), b"x").is_err());
        assert!(write(dir.path(), b"x").is_err());
    }
}

#[cfg(all(test, unix))]
mod unix_tests {
    use super::*;
    use std::{
        io::Read,
        os::unix::fs::{FileTypeExt, PermissionsExt, symlink},
        process::Command,
    };

    #[test]
    fn a_pipe_is_written_to_and_stays_a_pipe() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("pipe");
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        let reader = std::thread::spawn({
            let path = path.clone();
            move || {
                let mut text = String::new();
                File::open(path).unwrap().read_to_string(&mut text).unwrap();
                text
            }
        });
        write(&path, b"code").unwrap();
        assert_eq!(reader.join().unwrap(), "code");
        assert!(fs::metadata(&path).unwrap().file_type().is_fifo());
    }

    #[test]
    fn links_are_followed_even_where_they_lead_nowhere_yet() {
        let dir = tempfile::tempdir().unwrap();
        let (link, target) = (dir.path().join("link"), dir.path().join("target"));
        symlink("target", &link).unwrap();
        for text in ["one", "two"] {
            write(&link, text.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&target).unwrap(), text);
        }
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        let circle = dir.path().join("circle");
        symlink("circle", &circle).unwrap();
        assert!(write(&circle, b"x").is_err());
    }

    #[test]
    fn modes_and_hard_links_are_kept_and_read_only_files_refused() {
        let dir = tempfile::tempdir().unwrap();
        let (one, other) = (dir.path().join("one"), dir.path().join("other"));
        write(&one, b"before, and longer").unwrap();
        fs::set_permissions(&one, fs::Permissions::from_mode(0o640)).unwrap();
        write(&one, b"after").unwrap();
        assert_eq!(fs::metadata(&one).unwrap().permissions().mode() & 0o777, 0o640);

        fs::hard_link(&one, &other).unwrap();
        write(&one, b"both").unwrap();
        assert_eq!(fs::read(&other).unwrap(), b"both");

        fs::set_permissions(&one, fs::Permissions::from_mode(0o440)).unwrap();
        assert!(write(&one, b"no").is_err());
        assert_eq!(fs::read(&other).unwrap(), b"both");
    }
}
