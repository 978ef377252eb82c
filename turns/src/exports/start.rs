//! The functions that start programs: what the launcher's loader can start, it starts.
//!
//! Between `fork` and `exec` a program may have lost the thread that held a lock, and behind `vfork` its memory is its parent's:
//! nothing here allocates but for lists of more than [`FEW`] words.

use std::{
    ffi::{CStr, CString, c_char, c_int, c_long, c_void},
    mem::transmute_copy,
    ptr::null,
    sync::OnceLock,
};

use super::syscall;
use crate::start::{Head, Kind, find, loader};

/// A list that ends with null: arguments, or an environment.
type Words = *const *const c_char;

/// Words of a list that need no memory but the stack's.
const FEW: usize = 1024;

/// Bytes of the longest name of a file (`PATH_MAX`).
const LONGEST: usize = 4096;

/// `SYS_execve`.
#[cfg(target_arch = "x86_64")]
const EXECUTE: c_long = 59;
#[cfg(not(target_arch = "x86_64"))]
const EXECUTE: c_long = 221;

/// `ENOEXEC`, `ENOENT`.
const NO_PROGRAM: i32 = 8;
const NOT_FOUND: c_int = 2;

/// `RTLD_NEXT`.
const NEXT: *mut c_void = std::ptr::without_provenance_mut(usize::MAX);

const SHELL: &CStr = c"/bin/sh";

unsafe extern "C" {
    static environ: Words;
    fn getenv(name: *const c_char) -> *const c_char;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *const c_void;
}

/// Calls `go` with the program and the arguments that are to be started for these.
///
/// # Safety
///
/// `path` and `arguments` are what `exec` takes.
unsafe fn started<T>(path: *const c_char, arguments: Words, go: impl FnOnce(*const c_char, Words) -> T) -> T {
    let Some(loader) = loader().filter(|_| !path.is_null() && !arguments.is_null()) else {
        return go(path, arguments);
    };
    // SAFETY: the caller's promise.
    let name = unsafe { CStr::from_ptr(path) };
    let mut head = Head::read(name);
    let (program, before) = match head.as_mut().map_or(Kind::Other, Head::kind) {
        Kind::Program => (name, [None, None]),
        Kind::Script(interpreter, word) if is_program(interpreter) => (interpreter, [word, Some(name)]),
        Kind::Script(..) | Kind::Other => return go(path, arguments),
    };
    // SAFETY: the caller's promise.
    let (own, rest) = unsafe { parted(arguments) };
    let own = if before[1].is_none() { own } else { program.as_ptr() };
    let words = loader.iter().map(CString::as_c_str).chain([c"--argv0"]).map(CStr::as_ptr);
    let words = words.chain([own, program.as_ptr()]);
    let words = words.chain(before.into_iter().flatten().map(CStr::as_ptr)).chain(rest.iter().copied());
    with_list(words, |list| go(loader[0].as_ptr(), list))
}

fn is_program(path: &CStr) -> bool {
    Head::read(path).is_some_and(|mut head| head.kind() == Kind::Program)
}

/// The first argument, which is the program's name for itself, and the others.
///
/// # Safety
///
/// The list ends with null and stays as it is meanwhile.
unsafe fn parted<'a>(list: Words) -> (*const c_char, &'a [*const c_char]) {
    // SAFETY: all words up to null are there, which is the caller's promise.
    let words = unsafe {
        let count = (0..).take_while(|i| !(*list.add(*i)).is_null()).count();
        std::slice::from_raw_parts(list, count)
    };
    words.split_first().map_or((c"".as_ptr(), &[]), |(first, rest)| (*first, rest))
}

/// Calls `go` with these words as a list.
fn with_list<T>(words: impl Iterator<Item = *const c_char>, go: impl FnOnce(Words) -> T) -> T {
    let (mut few, mut many) = ([null(); FEW], Vec::new());
    let mut count = 0;
    for word in words {
        match few.get_mut(count) {
            Some(place) => *place = word,
            None => {
                if many.is_empty() {
                    many.extend(few);
                }
                many.push(word);
            }
        }
        count += 1;
    }
    // The last of the few is null unless it is taken.
    if count < FEW {
        return go(few.as_ptr());
    }
    if many.is_empty() {
        many.extend(few);
    }
    many.push(null());
    go(many.as_ptr())
}

/// `execve` of the system.
///
/// # Safety
///
/// The arguments are what it takes.
unsafe fn execute(path: *const c_char, arguments: Words, environment: Words) -> c_int {
    // SAFETY: the caller's promise.
    if unsafe { syscall(EXECUTE, path, arguments, environment) } == 0 { 0 } else { -1 }
}

/// `execve` of the system, by the launcher's loader.
///
/// # Safety
///
/// As the system's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn execve(path: *const c_char, arguments: Words, environment: Words) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { started(path, arguments, |path, arguments| execute(path, arguments, environment)) }
}

/// `execv` of the system, by the launcher's loader.
///
/// # Safety
///
/// As the system's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn execv(path: *const c_char, arguments: Words) -> c_int {
    // SAFETY: the caller's promise; nobody changes the environment while a program is started.
    unsafe { execve(path, arguments, environ) }
}

/// `execvp` of the system, by the launcher's loader.
///
/// # Safety
///
/// As the system's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn execvp(name: *const c_char, arguments: Words) -> c_int {
    // SAFETY: the caller's promise; nobody changes the environment while a program is started.
    unsafe { execvpe(name, arguments, environ) }
}

/// `execvpe` of the system, by the launcher's loader.
///
/// # Safety
///
/// As the system's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn execvpe(name: *const c_char, arguments: Words, environment: Words) -> c_int {
    let mut room = [0; LONGEST];
    // SAFETY: the caller's promise.
    let path = unsafe { on_path(name, &mut room) };
    // SAFETY: the caller's promise. Where there is no such file the system is to say so.
    let done = unsafe { execve(path.map_or(c"".as_ptr(), CStr::as_ptr), arguments, environment) };
    let is_text = std::io::Error::last_os_error().raw_os_error() == Some(NO_PROGRAM);
    match path.filter(|_| is_text && !arguments.is_null()) {
        // A script that does not say whose is the shell's.
        Some(path) => {
            // SAFETY: the caller's promise.
            let (_, rest) = unsafe { parted(arguments) };
            let words = [SHELL.as_ptr(), path.as_ptr()].into_iter().chain(rest.iter().copied());
            // SAFETY: the list is whole; the environment is the caller's.
            with_list(words, |list| unsafe { execve(SHELL.as_ptr(), list, environment) })
        }
        None => done,
    }
}

/// # Safety
///
/// `name` is null or a text; nobody changes the environment meanwhile.
unsafe fn on_path<'a>(name: *const c_char, room: &'a mut [u8]) -> Option<&'a CStr> {
    if name.is_null() {
        return None;
    }
    // SAFETY: the caller's promise. The name is used while the caller's function runs, which has it for as long.
    let name: &'a CStr = unsafe { CStr::from_ptr(name) };
    // SAFETY: any name may be asked for; the list stays while nobody changes the environment.
    let list = unsafe { getenv(c"PATH".as_ptr()) };
    // SAFETY: not null, so a text.
    let list = (!list.is_null()).then(|| unsafe { CStr::from_ptr(list) });
    find(name, list, room)
}

type Spawn =
    unsafe extern "C" fn(*mut c_int, *const c_char, *const c_void, *const c_void, Words, Words) -> c_int;

/// `posix_spawn` of the system.
fn spawn() -> Option<Spawn> {
    static FOUND: OnceLock<Option<Spawn>> = OnceLock::new();
    *FOUND.get_or_init(|| {
        // SAFETY: any name may be asked for behind this library.
        let found = unsafe { dlsym(NEXT, c"posix_spawn".as_ptr()) };
        // SAFETY: the C library's function of this name has this type.
        (!found.is_null()).then(|| unsafe { transmute_copy(&found) })
    })
}

/// `posix_spawn` of the system, by the launcher's loader.
///
/// # Safety
///
/// As the system's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posix_spawn(
    process: *mut c_int,
    path: *const c_char,
    actions: *const c_void,
    attributes: *const c_void,
    arguments: Words,
    environment: Words,
) -> c_int {
    let Some(spawn) = spawn() else { return NOT_FOUND };
    // SAFETY: the caller's promise.
    unsafe {
        started(path, arguments, |path, arguments| {
            spawn(process, path, actions, attributes, arguments, environment)
        })
    }
}

/// `posix_spawnp` of the system, by the launcher's loader.
///
/// # Safety
///
/// As the system's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posix_spawnp(
    process: *mut c_int,
    name: *const c_char,
    actions: *const c_void,
    attributes: *const c_void,
    arguments: Words,
    environment: Words,
) -> c_int {
    let mut room = [0; LONGEST];
    // SAFETY: the caller's promise.
    let Some(path) = (unsafe { on_path(name, &mut room) }) else { return NOT_FOUND };
    // SAFETY: the caller's promise, and a text of ours.
    unsafe { posix_spawn(process, path.as_ptr(), actions, attributes, arguments, environment) }
}
