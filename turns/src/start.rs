//! What a program starts by name: whether the loader can start it instead of the system.
//!
//! A driver of get-neo's has a C library of its own, so its programs are started by that one's loader. What they start by
//! name would have the system's, and no driver. The launcher says in [`LOADER`] how it started the program, and what that
//! one starts is started so, too, and a script's interpreter for the script.

use std::{
    ffi::{CStr, CString, OsStr},
    fs::File,
    io::Read,
    os::unix::{ffi::OsStrExt, fs::MetadataExt},
    sync::OnceLock,
};

/// The variable with the loader and its options, one a line.
pub const LOADER: &str = "VISA_FINALIZE_TURNS_LOADER";

/// Bytes of a file that are looked at: its header, or the first line of a script.
const HEAD: usize = 4096;

/// Sizes of an ELF file's header and of a line of its table of segments.
const ELF: usize = 64;
const SEGMENT: usize = 56;

/// The loader and its options; nothing if the system's loader starts programs.
pub fn loader() -> Option<&'static [CString]> {
    static WORDS: OnceLock<Vec<CString>> = OnceLock::new();
    let words = WORDS.get_or_init(|| {
        let lines = std::env::var_os(LOADER).unwrap_or_default();
        let words = lines.as_bytes().split(|b| *b == b'\n').filter(|w| !w.is_empty());
        words.map(|w| CString::new(w).unwrap_or_default()).collect()
    });
    (!words.is_empty()).then_some(words)
}

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind<'a> {
    /// A program that the loader can start.
    Program,
    /// A script: its interpreter, and what it is told first.
    Script(&'a CStr, Option<&'a CStr>),
    /// What the system is to look at: a program without a loader or for another one, one with rights of its own, no program.
    Other,
}

/// The first bytes of a file that may be executed.
pub struct Head {
    bytes: [u8; HEAD],
    size: usize,
}

impl Head {
    /// Nothing if it may not, or if it runs with rights of its own.
    pub fn read(path: &CStr) -> Option<Head> {
        let mut file = File::open(OsStr::from_bytes(path.to_bytes())).ok()?;
        let about = file.metadata().ok()?;
        if !about.is_file() || about.mode() & 0o111 == 0 || about.mode() & 0o6000 != 0 {
            return None;
        }
        let mut head = Head { bytes: [0; HEAD], size: 0 };
        // The last byte stays 0: words of a line end there at the latest.
        while head.size < HEAD - 1 {
            match file.read(&mut head.bytes[head.size..HEAD - 1]).ok()? {
                0 => break,
                count => head.size += count,
            }
        }
        Some(head)
    }

    /// What these bytes are the beginning of.
    pub fn kind(&mut self) -> Kind<'_> {
        if self.bytes[..self.size].starts_with(b"#!") {
            return self.script().unwrap_or(Kind::Other);
        }
        if is_loaded(&self.bytes[..self.size]).unwrap_or_default() { Kind::Program } else { Kind::Other }
    }

    /// As the system reads such a line: the interpreter, and the rest is one word.
    fn script(&mut self) -> Option<Kind<'_>> {
        let end = self.bytes[..self.size].iter().position(|b| *b == b'\n')?;
        self.bytes[end] = 0;
        let is_blank = |b: &u8| matches!(*b, b' ' | b'\t');
        let line = &self.bytes[..end];
        let first = 2 + line[2..].iter().position(|b| !is_blank(b))?;
        let behind = line[first..].iter().position(is_blank).map_or(end, |n| first + n);
        let rest = line[behind..].iter().position(|b| !is_blank(b)).map(|n| behind + n);
        let last = line.iter().rposition(|b| !is_blank(b))? + 1;
        self.bytes[behind] = 0;
        self.bytes[last] = 0;
        let word = |at: usize| CStr::from_bytes_until_nul(&self.bytes[at..]).ok();
        Some(Kind::Script(word(first)?, rest.and_then(word)))
    }
}

/// Whether a program of this machine asks for the C library's loader.
fn is_loaded(head: &[u8]) -> Option<bool> {
    let half = |at: usize| Some(u16::from_le_bytes(head.get(at..at + 2)?.try_into().ok()?));
    let long = |at: usize| Some(u64::from_le_bytes(head.get(at..at + 8)?.try_into().ok()?));
    // 64 bits, the low byte first, for x86-64: where the driver runs.
    if !head.get(..6)?.starts_with(b"\x7fELF\x02\x01") || half(18)? != 62 || head.len() < ELF {
        return None;
    }
    let (table, count) = (usize::try_from(long(32)?).ok()?, usize::from(half(56)?));
    let segments = (0..count).map_while(|i| head.get(table.checked_add(i * SEGMENT)?..)?.get(..SEGMENT));
    let mut wanted = segments.filter(|s| s[..4] == 3u32.to_le_bytes());
    let segment = wanted.next()?;
    let field = |at: usize| u64::from_le_bytes(segment[at..at + 8].try_into().unwrap_or_default());
    let (start, size) = (usize::try_from(field(8)).ok()?, usize::try_from(field(32)).ok()?);
    let name = head.get(start..start.checked_add(size)?)?;
    let file = name.rsplit(|b| *b == b'/').next()?;
    Some(file.starts_with(b"ld-linux-x86-64.so"))
}

/// The file that a name stands for, in the directories of a list.
pub fn find<'a>(name: &'a CStr, directories: Option<&CStr>, room: &'a mut [u8]) -> Option<&'a CStr> {
    if name.to_bytes().contains(&b'/') {
        return Some(name);
    }
    let mut found = None;
    for directory in directories?.to_bytes().split(|b| *b == b':') {
        let directory = if directory.is_empty() { b"." } else { directory };
        let parts = [directory, b"/", name.to_bytes_with_nul()];
        let mut at = 0;
        for part in parts {
            let Some(place) = room.get_mut(at..at + part.len()) else { break };
            place.copy_from_slice(part);
            at += part.len();
        }
        let is_whole = at == parts.iter().map(|p| p.len()).sum::<usize>();
        if is_whole
            && std::fs::metadata(OsStr::from_bytes(&room[..at - 1]))
                .is_ok_and(|m| m.is_file() && m.mode() & 0o111 != 0)
        {
            found = Some(at);
            break;
        }
    }
    CStr::from_bytes_with_nul(&room[..found?]).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(bytes: &[u8]) -> Head {
        let mut head = Head { bytes: [0; HEAD], size: bytes.len().min(HEAD - 1) };
        head.bytes[..head.size].copy_from_slice(&bytes[..head.size]);
        head
    }

    #[test]
    fn a_scripts_line_is_an_interpreter_and_a_word() {
        let mut seen = head(b"#! /bin/sh\n");
        assert_eq!(seen.kind(), Kind::Script(c"/bin/sh", None));
        let mut seen = head(b"#!/usr/bin/env  -S python3 -u \t\nprint(1)\n");
        assert_eq!(seen.kind(), Kind::Script(c"/usr/bin/env", Some(c"-S python3 -u")));
        for text in [&b""[..], b"#!", b"#!\n", b"#!  \n", b"#!/bin/sh", b"echo\n", b"\x7fELF"] {
            assert_eq!(head(text).kind(), Kind::Other, "{text:?}");
        }
        // No line is so long.
        assert_eq!(head(&[b"#!".as_slice(), &[b'a'; 2 * HEAD], b"\n"].concat()).kind(), Kind::Other);
    }

    /// An ELF file's header with one segment, which names a loader.
    fn program(name: &[u8]) -> Vec<u8> {
        let mut bytes = vec![0; ELF + SEGMENT];
        bytes[..6].copy_from_slice(b"\x7fELF\x02\x01");
        bytes[18] = 62;
        bytes[32] = 64;
        bytes[56] = 1;
        bytes[ELF] = 3;
        bytes[ELF + 8] = 120;
        bytes[ELF + 32] = u8::try_from(name.len()).unwrap();
        bytes.extend_from_slice(name);
        bytes
    }

    #[test]
    fn programs_of_the_c_library_are_started() {
        let good = program(b"/lib64/ld-linux-x86-64.so.2\0");
        assert_eq!(head(&good).kind(), Kind::Program);
        assert_eq!(head(&program(b"/lib/ld-musl-x86_64.so.1\0")).kind(), Kind::Other);
        // Of 32 bits, the high byte first, of another machine; without a segment, with one that is no loader's.
        for (at, byte) in
            [(4, 1), (5, 2), (18, 3), (56, 0), (ELF, 1), (33, 0xff), (39, 0xff), (ELF + 15, 0xff)]
        {
            let mut other = good.clone();
            other[at] = byte;
            assert_eq!(head(&other).kind(), Kind::Other, "byte {at}");
        }
        for size in 0..good.len() - 1 {
            assert_eq!(head(&good[..size]).kind(), Kind::Other, "{size} bytes");
        }
    }

    #[test]
    fn names_are_found_as_the_system_finds_them() {
        let place = std::env::temp_dir().join(format!("turns-find-{}", std::process::id()));
        let (first, second) = (place.join("a"), place.join("b"));
        let make = |path: &std::path::Path, mode: u32| {
            std::fs::write(path, "").unwrap();
            let rights = std::os::unix::fs::PermissionsExt::from_mode(mode);
            std::fs::set_permissions(path, rights).unwrap();
        };
        for folder in [&first, &second] {
            std::fs::create_dir_all(folder).unwrap();
        }
        make(&first.join("x"), 0o644);
        make(&second.join("x"), 0o755);
        let list = CString::new(format!("/none:{}:{}", first.display(), second.display())).unwrap();
        let mut room = [0; 4096];
        let found = find(c"x", Some(&list), &mut room).map(|f| f.to_str().unwrap().to_owned());
        assert_eq!(found.as_deref(), second.join("x").to_str());
        assert_eq!(find(c"y", Some(&list), &mut room), None);
        assert_eq!(find(c"x", None, &mut room), None);
        assert_eq!(find(c"x", Some(&list), &mut [0; 8]), None);
        assert_eq!(find(c"./x", None, &mut room), Some(c"./x"));
        std::fs::remove_dir_all(place).unwrap();
    }
}
