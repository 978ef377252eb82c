//! The functions that the driver calls. All `unsafe` of this crate.
//!
//! Where they hand on is the system's general form of each, so that nothing has to be looked up.
#![allow(unsafe_code)]

mod start;

use narrow::to_index;
use std::{
    env,
    ffi::{c_int, c_long, c_void},
    io::{Error, ErrorKind},
    ptr, slice,
    sync::OnceLock,
};

use crate::{
    message::{ANSWER, HOW_FAR, PAGE, Read},
    sockets::{Answer, Sockets},
};

static SOCKETS: Sockets = Sockets::new();

/// `AF_INET`.
const INTERNET: u16 = 2;

/// `MSG_NOSIGNAL`.
const NO_SIGNAL: c_int = 0x4000;

/// `SYS_close`.
#[cfg(target_arch = "x86_64")]
const CLOSE: c_long = 3;
#[cfg(not(target_arch = "x86_64"))]
const CLOSE: c_long = 57;

/// `SYS_shutdown`.
#[cfg(target_arch = "x86_64")]
const SHUTDOWN: c_long = 48;
#[cfg(not(target_arch = "x86_64"))]
const SHUTDOWN: c_long = 210;

/// `EFAULT`.
const BAD_ADDRESS: i32 = 14;

/// `struct sockaddr_in`.
#[repr(C)]
#[derive(Default)]
struct Address {
    family: u16,
    port: [u8; 2],
    host: [u8; 4],
    zero: [u8; 8],
}

unsafe extern "C" {
    fn sendto(
        socket: c_int,
        bytes: *const c_void,
        size: usize,
        flags: c_int,
        to: *const c_void,
        to_size: u32,
    ) -> isize;
    fn recvfrom(
        socket: c_int,
        bytes: *mut c_void,
        size: usize,
        flags: c_int,
        from: *mut c_void,
        from_size: *mut u32,
    ) -> isize;
    fn syscall(number: c_long, ...) -> c_long;
    fn calloc(count: usize, size: usize) -> *mut c_void;
    fn getpeername(socket: c_int, address: *mut Address, size: *mut u32) -> c_int;
}

/// Whether a socket is the driver's: the port that it was told is at the other end.
fn is_drivers(socket: c_int) -> bool {
    static PORT: OnceLock<Option<u16>> = OnceLock::new();
    let Some(port) = *PORT.get_or_init(|| env::var("TbxPort").ok()?.parse().ok()) else { return false };
    let mut address = Address::default();
    let mut size = to_index(size_of::<Address>());
    // SAFETY: both point to values of ours, and `size` says how many bytes may be written.
    let found = unsafe { getpeername(socket, &mut address, &mut size) } == 0;
    found
        && (address.family, u16::from_be_bytes(address.port), address.host)
            == (INTERNET, port, [127, 0, 0, 1])
}

/// The bytes that a call moved; none if it failed or there are none.
///
/// # Safety
///
/// `bytes` points to as many as `moved` says, if that is positive.
unsafe fn moved<'a>(bytes: *const c_void, moved: isize) -> Option<&'a [u8]> {
    let count = usize::try_from(moved).ok().filter(|n| *n != 0)?;
    // SAFETY: the caller's promise.
    (!bytes.is_null()).then(|| unsafe { slice::from_raw_parts(bytes.cast(), count) })
}

/// Whether a call that moved nothing was at the end of its connection.
fn is_end(count: isize) -> bool {
    count == 0 || !matches!(Error::last_os_error().kind(), ErrorKind::Interrupted | ErrorKind::WouldBlock)
}

/// Where a call that moved nothing failed for memory that the program must not touch.
fn is_forbidden(count: isize) -> bool {
    count < 0 && Error::last_os_error().raw_os_error() == Some(BAD_ADDRESS)
}

/// Gives bytes to the system, all of them; whether it took them.
fn give(socket: c_int, mut bytes: &[u8], flags: c_int) -> bool {
    while !bytes.is_empty() {
        // SAFETY: the bytes are there to read; no address is what `send` means.
        let count = unsafe { sendto(socket, bytes.as_ptr().cast(), bytes.len(), flags, ptr::null(), 0) };
        match usize::try_from(count) {
            Ok(count) if count != 0 => bytes = &bytes[count.min(bytes.len())..],
            _ if is_end(count) => return false,
            _ => {}
        }
    }
    true
}

/// Takes what the system has for a socket.
fn take(socket: c_int, bytes: &mut [u8], flags: c_int) -> (isize, &[u8]) {
    // SAFETY: `bytes` may be written.
    let count = unsafe {
        recvfrom(socket, bytes.as_mut_ptr().cast(), bytes.len(), flags, ptr::null_mut(), ptr::null_mut())
    };
    (count, usize::try_from(count).ok().and_then(|n| bytes.get(..n)).unwrap_or_default())
}

/// Takes what was to go to memory, up to the end of its page, and throws it away.
fn discard(socket: c_int, to: *const c_void, size: usize, flags: c_int) -> isize {
    let mut bytes = [0u8; PAGE];
    let size = size.min(PAGE - to.addr() % PAGE);
    let (count, got) = take(socket, &mut bytes[..size], flags);
    match got.len() {
        0 if is_end(count) => SOCKETS.ended(socket),
        0 => {}
        n => SOCKETS.skipped(socket, n),
    }
    count
}

/// `send` of the system, in turns on the driver's socket.
///
/// The driver sends each word of a page table as a message, and each message in parts. They are collected until the server
/// has something to do, so the connection is not to be closed behind our back.
///
/// # Safety
///
/// As the system's: `bytes` points to `size` readable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn send(socket: c_int, bytes: *const c_void, size: usize, flags: c_int) -> isize {
    if bytes.is_null() || !SOCKETS.is_known(socket) && !is_drivers(socket) {
        // SAFETY: the caller's promise; no address is what `send` means.
        return unsafe { sendto(socket, bytes, size, flags, ptr::null(), 0) };
    }
    // SAFETY: the caller's promise.
    let bytes = unsafe { slice::from_raw_parts(bytes.cast(), size) };
    if SOCKETS.send(socket, bytes, |number, bytes| give(number, bytes, flags)) {
        size.cast_signed()
    } else {
        -1
    }
}

/// Asks how far the GPU is, for the driver, which ends its connection and then waits for all that it has submitted (22.43:
/// `cleanupResources`, behind the end of the part that asks).
fn ask_how_far(socket: c_int) {
    if !SOCKETS.is_quiet(socket) {
        return;
    }
    let question: Vec<u8> = HOW_FAR.iter().flat_map(|word| word.to_le_bytes()).collect();
    let mut head = [0; ANSWER];
    // SAFETY: the question is there to read.
    let sent = unsafe { send(socket, question.as_ptr().cast(), question.len(), NO_SIGNAL) };
    if sent != question.len().cast_signed() || !receive(socket, head.as_mut_ptr().cast(), head.len()) {
        return;
    }
    let range = Read::of_answer(&head).map_or(0..0, Read::range);
    // Where a driver waits, it has asked, or it has sent what was there before.
    if let (Ok(size), Some(place)) = (usize::try_from(range.end - range.start), SOCKETS.place(socket, range))
    {
        receive(socket, ptr::with_exposed_provenance_mut(place), size);
    }
}

/// Receives so many bytes; whether they have come.
///
/// They go to the place that the driver named when it asked. The driver keeps that memory until it has waited, and the system
/// checks it, too.
fn receive(socket: c_int, to: *mut c_void, size: usize) -> bool {
    let mut done = 0;
    while done < size {
        // SAFETY: there are `size - done` bytes to write, or the system says that there are none.
        let count = unsafe { recv(socket, to.wrapping_byte_add(done), size - done, 0) };
        match usize::try_from(count) {
            Ok(count) if count != 0 => done += count,
            _ if is_end(count) => return false,
            _ => {}
        }
    }
    true
}

/// `shutdown` of the system, behind what was collected, and behind a last look at how far the GPU is.
///
/// # Safety
///
/// As the system's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shutdown(socket: c_int, directions: c_int) -> c_int {
    if SOCKETS.is_known(socket) {
        ask_how_far(socket);
        SOCKETS.flush(socket, |rest| _ = give(socket, rest, NO_SIGNAL));
    }
    // SAFETY: the system's own call, with what it takes.
    let result = unsafe { syscall(SHUTDOWN, socket, directions) };
    if result == 0 { 0 } else { -1 }
}

/// `close` of the system, behind what was collected.
///
/// # Safety
///
/// As the system's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn close(file: c_int) -> c_int {
    // Nobody is told whether it arrives.
    SOCKETS.close(file, |rest| _ = give(file, rest, NO_SIGNAL));
    // SAFETY: the system's own call, with what it takes.
    let result = unsafe { syscall(CLOSE, file) };
    if result == 0 { 0 } else { -1 }
}

/// `recv` of the system; who has the driver's socket gives it back when the answer is whole.
///
/// The driver fetches every buffer, heap and batch that a submission used, and holds no lock over those that another
/// thread is writing. What the GPU has not changed is therefore not sent, and left alone: the program's memory holds it
/// already, or something newer. So is what comes for memory that cannot be written (a program's constants), where nothing
/// has changed either; the system's error would end the driver's connection.
///
/// # Safety
///
/// As the system's: `bytes` points to `size` writable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recv(socket: c_int, bytes: *mut c_void, size: usize, flags: c_int) -> isize {
    if bytes.is_null() || !SOCKETS.is_known(socket) && !is_drivers(socket) {
        // SAFETY: the caller's promise; no address is what `recv` means.
        return unsafe { recvfrom(socket, bytes, size, flags, ptr::null_mut(), ptr::null_mut()) };
    }
    // SAFETY: the caller's promise: `bytes` may be written. The driver has its answers' beginnings on its stack.
    let out = || unsafe { slice::from_raw_parts_mut(bytes.cast(), size) };
    let place = (bytes.expose_provenance(), size);
    let mut answer = SOCKETS.next(socket, place, out);
    if answer == Answer::Begins {
        let mut head = [0; ANSWER];
        let (count, got) = take(socket, &mut head, flags);
        if got.is_empty() {
            if is_end(count) {
                SOCKETS.ended(socket);
            }
            return count;
        }
        SOCKETS.read_ahead(socket, got);
        answer = SOCKETS.next(socket, place, out);
    }
    match answer {
        Answer::Given(count) => count.cast_signed(),
        Answer::Data | Answer::Begins => data(socket, bytes, size, flags),
    }
}

/// The data of an answer.
fn data(socket: c_int, bytes: *mut c_void, size: usize, flags: c_int) -> isize {
    // SAFETY: `recv`'s callers promise that `bytes` points to `size` writable bytes, and the system looks at that again.
    let count = unsafe { recvfrom(socket, bytes, size, flags, ptr::null_mut(), ptr::null_mut()) };
    if is_forbidden(count) {
        return discard(socket, bytes, size, flags);
    }
    // SAFETY: the system has written so many.
    match unsafe { moved(bytes, count) } {
        Some(got) => SOCKETS.got(socket, got),
        None if is_end(count) => SOCKETS.ended(socket),
        None => {}
    }
    count
}

/// `malloc` of the system; what it gives holds 0.
///
/// A GPU's memory comes from the kernel, and the driver leaves it as it is where a program's variables begin with 0. In its
/// mode for simulators it has it from here. New pages of the system hold 0, and nothing touches them to make it so.
#[unsafe(no_mangle)]
pub extern "C" fn malloc(size: usize) -> *mut c_void {
    // SAFETY: any size may be asked for. (Not `realloc` of nothing: the compiler makes `malloc` of that, which is this.)
    unsafe { calloc(1, size) }
}
