//! What the functions of the header share: statuses, failures, how answers are handed out.

use std::{ffi::c_char, ptr};

use boundary::{guard, pointers};
use finalizer::{Diagnostic, Refusal};
use platforms::Platform;

use crate::handles::{vf_error, vf_finalizer};

/// What a function says of its work.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum vf_status {
    /// Done.
    VF_OK = 0,
    /// A pointer is null or not aligned, or a size is not one that the library knows.
    VF_BAD_ARGUMENT = 1,
    /// The platform is not known.
    VF_UNKNOWN_PLATFORM = 2,
    /// The object has no kernel of that name.
    VF_UNKNOWN_KERNEL = 3,
    /// The input is refused; the error lists every fault.
    VF_REFUSED = 4,
    /// A fault of the library. The finalizer may be used on.
    VF_FAULT = 5,
    /// Another thread has asked for the end of the call: `vf_cancel_request`.
    VF_CANCELLED = 6,
    /// The call takes more memory than `memory-limit` allows.
    VF_MEMORY_LIMIT = 7,
}

/// Why there is no result.
pub(super) struct Failure(pub vf_status, pub Vec<Diagnostic>);

impl Failure {
    pub fn argument(what: &str) -> Failure {
        Failure(vf_status::VF_BAD_ARGUMENT, vec![Diagnostic::error("BadArgument", what)])
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Failure {
        let has = |code: &str| refusal.0.iter().any(|d| d.code == code);
        let status = match () {
            () if has("Cancelled") => vf_status::VF_CANCELLED,
            () if has("MemoryLimit") => vf_status::VF_MEMORY_LIMIT,
            () if has("UnknownKernel") => vf_status::VF_UNKNOWN_KERNEL,
            () => vf_status::VF_REFUSED,
        };
        Failure(status, refusal.0)
    }
}

/// Runs a function's work; hands out what it made, or why it made nothing.
///
/// # Safety
///
/// `out` has room for a pointer or is null; so has `error`.
pub(super) unsafe fn answer<T>(
    out: *mut *mut T,
    error: *mut *mut vf_error,
    work: impl FnOnce() -> Result<T, Failure>,
) -> vf_status {
    // SAFETY: the caller's promise.
    unsafe {
        let room = pointers::put(out, ptr::null_mut());
        tell(error, || {
            let made = if room { work()? } else { return Err(Failure::argument("`out` is null")) };
            pointers::put(out, pointers::give_box(made));
            Ok(())
        })
    }
}

/// Runs a function's work; hands out why it failed.
///
/// # Safety
///
/// `error` has room for a pointer or is null.
pub(super) unsafe fn tell(
    error: *mut *mut vf_error,
    work: impl FnOnce() -> Result<(), Failure>,
) -> vf_status {
    // SAFETY: the caller's promise.
    unsafe { pointers::put(error, ptr::null_mut()) };
    let Failure(status, faults) = match guard(work) {
        Ok(Ok(())) => return vf_status::VF_OK,
        Ok(Err(failure)) => failure,
        Err(bug) => Failure(vf_status::VF_FAULT, vec![Diagnostic::error("Fault", bug.to_string())]),
    };
    // SAFETY: the caller's promise.
    if let Some(error) = unsafe { pointers::exclusive(error) } {
        *error = pointers::give_box(vf_error::new(faults));
    }
    status
}

/// The platform of that name.
///
/// # Safety
///
/// `name` is a C string or null.
pub(super) unsafe fn platform_of(name: *const c_char) -> Result<Platform, Failure> {
    // SAFETY: the caller's promise.
    let name = unsafe { pointers::text(name) }.ok_or_else(|| Failure::argument("`platform` is null"))?;
    String::from_utf8_lossy(name).parse().map_err(|e| {
        let unknown = Diagnostic::error("UnknownPlatform", format!("{e}"));
        Failure(vf_status::VF_UNKNOWN_PLATFORM, vec![unknown])
    })
}

/// A finalizer and the bytes that it is to work on.
///
/// # Safety
///
/// `finalizer` is from `vf_finalizer_new` or null, and in use by nobody else while the answer lives; `input` points
/// to `size` bytes or is null.
pub(super) unsafe fn work_on<'a>(
    finalizer: *mut vf_finalizer,
    input: *const u8,
    size: usize,
) -> Result<(&'a mut finalizer::Finalizer, &'a [u8]), Failure> {
    // SAFETY: the caller's promises.
    let (finalizer, input) = unsafe { (pointers::exclusive(finalizer), pointers::bytes(input, size)) };
    let finalizer = finalizer.ok_or_else(|| Failure::argument("`finalizer` is null"))?;
    Ok((&mut finalizer.finalizer, input.ok_or_else(|| Failure::argument("`input` is null"))?))
}

/// Bytes that a handle holds, and how many; null and none where it holds none, or there is no room for the number.
///
/// # Safety
///
/// `handle` is null or points to a live value; `size` has room for a number or is null.
pub(super) unsafe fn bytes<H>(
    handle: *const H,
    size: *mut usize,
    of: impl for<'a> FnOnce(&'a H) -> Option<&'a [u8]>,
) -> *const u8 {
    // SAFETY: the caller's promises.
    unsafe {
        let bytes = pointers::shared(handle).and_then(of);
        let has_room = pointers::put(size, bytes.map_or(0, <[u8]>::len));
        bytes.filter(|_| has_room).map_or(ptr::null(), <[u8]>::as_ptr)
    }
}

/// Fills a struct from what a handle holds.
///
/// # Safety
///
/// `handle` is null or points to a live value; `to` has room for a struct or is null.
pub(super) unsafe fn fill<H, T>(
    handle: *const H,
    to: *mut T,
    make: impl FnOnce(&H) -> Option<T>,
) -> vf_status {
    // SAFETY: the caller's promises.
    unsafe {
        match pointers::shared(handle).and_then(make).map(|made| pointers::put(to, made)) {
            Some(true) => vf_status::VF_OK,
            _ => vf_status::VF_BAD_ARGUMENT,
        }
    }
}
