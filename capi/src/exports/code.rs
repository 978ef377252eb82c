//! Machine code as text and back; objects with code for one more platform.
#![allow(unsafe_code, non_camel_case_types)]

use narrow::to_u64;
use std::{ffi::c_char, ptr};

use boundary::{memory, pointers};
use finalizer::{Diagnostic, Refusal};
use iga::{AsmError, AsmOptions, JsonOptions, ListingOptions, assemble, disassemble, disassemble_json};
use platforms::Platform;

use super::{
    shared::{Failure, answer, platform_of, vf_status, work_on},
    vf_error, vf_finalizer,
};
pub use crate::handles::vf_buffer;

/// How machine code is written as text.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum vf_listing {
    /// IGA's syntax, which `vf_assemble` reads.
    VF_LISTING_ASM = 0,
    /// IGA's JSON, version 2.0.
    VF_LISTING_JSON = 1,
}

/// Machine code as text. Words that are no instruction of the platform are listed as such.
///
/// `listing` is a `vf_listing`. `*out` is the text, for `vf_buffer_free`; unless the status is `VF_OK` it is
/// null, and `*error` says why, for `vf_error_free` (`error` may be null).
///
/// # Safety
///
/// `platform` is a C string or null; `code` points to `size` bytes or is null; `out` and `error` have room for a
/// pointer or are null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vf_disassemble(
    platform: *const c_char,
    code: *const u8,
    size: usize,
    listing: u32,
    out: *mut *mut vf_buffer,
    error: *mut *mut vf_error,
) -> vf_status {
    // SAFETY: the caller's promises are those that the functions ask for.
    unsafe {
        answer(out, error, || {
            let platform = platform_of(platform)?;
            let code = pointers::bytes(code, size).ok_or_else(|| Failure::argument("`code` is null"))?;
            let text = match listing {
                0 => disassemble(platform, code, &ListingOptions::default()),
                1 => disassemble_json(platform, code, &JsonOptions::default()),
                _ => return Err(Failure::argument("`listing` is no vf_listing")),
            };
            Ok(vf_buffer::new(text.into_bytes()))
        })
    }
}

/// The machine code of a listing in IGA's syntax. `compact` makes 8-byte words wherever they do; else only where
/// the text asks for them.
///
/// `*out` is the code, for `vf_buffer_free`; unless the status is `VF_OK` it is null, and `*error` has every
/// fault with its line, for `vf_error_free` (`error` may be null).
///
/// # Safety
///
/// `platform` is a C string or null; `text` points to `size` bytes or is null; `out` and `error` have room for a
/// pointer or are null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vf_assemble(
    platform: *const c_char,
    text: *const c_char,
    size: usize,
    compact: bool,
    out: *mut *mut vf_buffer,
    error: *mut *mut vf_error,
) -> vf_status {
    // SAFETY: the caller's promises are those that the functions ask for.
    unsafe {
        answer(out, error, || {
            let platform = platform_of(platform)?;
            let text =
                pointers::bytes(text.cast(), size).ok_or_else(|| Failure::argument("`text` is null"))?;
            Ok(vf_buffer::new(assembled(platform, text, compact)?))
        })
    }
}

fn assembled(platform: Platform, text: &[u8], compact: bool) -> Result<Vec<u8>, Refusal> {
    let text = std::str::from_utf8(text).map_err(|e| Diagnostic::not_text(to_u64(e.valid_up_to())))?;
    let fault = |e: AsmError| Diagnostic::bad_listing(e.line, e.column, &e.found, &e.allowed);
    assemble(platform, text, &AsmOptions { compact })
        .map_err(|errors| Refusal(errors.into_iter().map(fault).collect()))
}

/// The input with new code for the finalizer's platform. An object keeps the code that it has for other platforms;
/// assembly becomes an object; in a compiled program (zebin, with its vISA) the new code replaces the compiler's.
///
/// `*out` is the file's content, for `vf_buffer_free`; unless the status is `VF_OK` it is null, and `*error` says
/// why, for `vf_error_free` (`error` may be null).
///
/// # Safety
///
/// `finalizer` is from `vf_finalizer_new` or null, and in use by no other thread; `input` points to `size` bytes
/// or is null; `out` and `error` have room for a pointer or are null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vf_retarget(
    finalizer: *mut vf_finalizer,
    input: *const u8,
    size: usize,
    out: *mut *mut vf_buffer,
    error: *mut *mut vf_error,
) -> vf_status {
    // SAFETY: the caller's promises are those that the functions ask for.
    unsafe {
        answer(out, error, || {
            let (finalizer, input) = work_on(finalizer, input, size)?;
            memory::start();
            Ok(vf_buffer::new(rewriter::retarget(input, finalizer)?))
        })
    }
}

/// What a buffer holds, `*size` bytes of it and a zero behind them; null if `buffer` or `size` is null.
///
/// # Safety
///
/// `buffer` is null or one that a function has handed out; `size` has room for a number or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vf_buffer_data(buffer: *const vf_buffer, size: *mut usize) -> *const c_char {
    // SAFETY: the caller's promises.
    unsafe {
        match pointers::shared(buffer) {
            Some(buffer) if pointers::put(size, buffer.size()) => buffer.0.as_ptr().cast(),
            _ => {
                pointers::put(size, 0);
                ptr::null()
            }
        }
    }
}

/// Ends a buffer. Null is nothing to end.
///
/// # Safety
///
/// The pointer is null or one that a function has handed out, and is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vf_buffer_free(buffer: *mut vf_buffer) {
    // SAFETY: the caller's promise.
    drop(unsafe { pointers::take_box(buffer) });
}
