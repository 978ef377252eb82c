//! The functions that the driver calls. All `unsafe` of this crate.
//!
//! Where they hand on is the system's general form of each, so that nothing has to be looked up.
#![allow(unsafe_code)]

use narrow::to_index;
use std::{
    env,
    ffi::{c_int, c_void},
    io::{Error, ErrorKind},
    ptr, slice,
    sync::OnceLock,
};

use crate::sockets::Sockets;

static SOCKETS: Sockets = Sockets::new();

/// `AF_INET`.
const INTERNET: u16 = 2;

/// `EFAULT`.
const BAD_ADDRESS: i32 = 14;

/// Bytes of the system's pages.
const PAGE: usize = 4096;

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

/// Takes what was to go to memory, up to the end of its page, and throws it away.
fn discard(socket: c_int, to: *const c_void, size: usize, flags: c_int) -> isize {
    let mut bytes = [0u8; PAGE];
    let size = size.min(PAGE - to.addr() % PAGE);
    // SAFETY: `bytes` is a page, and `size` no more.
    let count =
        unsafe { recvfrom(socket, bytes.as_mut_ptr().cast(), size, flags, ptr::null_mut(), ptr::null_mut()) };
    match usize::try_from(count) {
        Ok(count) if count != 0 => SOCKETS.skipped(socket, count),
        _ if is_end(count) => SOCKETS.ended(socket),
        _ => {}
    }
    count
}

/// `send` of the system, in turns on the driver's socket.
///
/// # Safety
///
/// As the system's: `bytes` points to `size` readable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn send(socket: c_int, bytes: *const c_void, size: usize, flags: c_int) -> isize {
    let is_drivers = is_drivers(socket);
    if is_drivers {
        SOCKETS.begin(socket);
    }
    // SAFETY: the caller's promise; no address is what `send` means.
    let count = unsafe { sendto(socket, bytes, size, flags, ptr::null(), 0) };
    if is_drivers {
        // SAFETY: the system sends no more than there is.
        match unsafe { moved(bytes, count) } {
            Some(sent) => SOCKETS.sent(socket, sent),
            None if is_end(count) => SOCKETS.ended(socket),
            None => {}
        }
    }
    count
}

/// `recv` of the system; who has the driver's socket gives it back when the answer is whole.
///
/// The driver fetches every buffer, heap and batch that a submission used, and holds no lock over those that another
/// thread is writing. What the GPU has not changed is therefore thrown away: the program's memory holds it already, or
/// something newer. So is what comes for memory that cannot be written (a program's constants), where nothing has
/// changed either; the system's error would end the driver's connection.
///
/// # Safety
///
/// As the system's: `bytes` points to `size` writable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recv(socket: c_int, bytes: *mut c_void, size: usize, flags: c_int) -> isize {
    let is_drivers = is_drivers(socket);
    let unchanged = if is_drivers { SOCKETS.unchanged(socket) } else { 0 };
    if unchanged != 0 {
        return discard(
            socket,
            bytes,
            usize::try_from(unchanged).map_or(size, |known| size.min(known)),
            flags,
        );
    }
    // SAFETY: the caller's promise; no address is what `recv` means.
    let count = unsafe { recvfrom(socket, bytes, size, flags, ptr::null_mut(), ptr::null_mut()) };
    if !is_drivers {
        return count;
    }
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
