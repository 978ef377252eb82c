//! What options ask for beside the code: debug information, lines of source code, free registers, times.
#![allow(unsafe_code, non_camel_case_types)]

use std::{ffi::c_char, ptr};

use boundary::pointers;

use super::{
    shared::{bytes, fill, vf_status},
    vf_binary,
};

/// Code of another line of source code begins.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct vf_line {
    /// Bytes from the start of the code.
    pub offset: u32,
    /// The line; 0 where the code is for no line.
    pub line: u32,
    /// The file, as the vISA names it; null where the vISA names none.
    pub file: *const c_char,
    /// Whether this is the first code of its mark: a place to stop at.
    pub is_statement: bool,
}

/// Bytes of the register file.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct vf_register_bytes {
    /// The first byte; `r1` begins behind the bytes of `r0`.
    pub offset: u32,
    /// How many.
    pub size: u32,
}

/// Time that one pass took.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct vf_pass_time {
    /// The name of the pass.
    pub pass: *const c_char,
    /// Wall-clock time.
    pub nanoseconds: u64,
}

/// Debug information in the form of Intel's finalizer (its `.dbg` file), `*size` bytes of it; null where the option
/// `debug-info` was not set, or `binary` or `size` is null.
///
/// # Safety
///
/// `binary` is null or from `vf_binaries_get`; `size` has room for a number or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vf_binary_debug_info(binary: *const vf_binary, size: *mut usize) -> *const u8 {
    // SAFETY: the caller's promises.
    unsafe { bytes(binary, size, |b| Some(&*b.binary.debug_info).filter(|info| !info.is_empty())) }
}

/// Number of places in the code where another line begins; 0 for null, and where the option `debug-info` was not set
/// or the vISA names no lines.
///
/// # Safety
///
/// The pointer is null or from `vf_binaries_get`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vf_binary_line_count(binary: *const vf_binary) -> usize {
    // SAFETY: the caller's promise.
    unsafe { pointers::shared(binary) }.map_or(0, |b| b.binary.lines.rows.len())
}

/// Fills `*line` with place `index`, in the order of the code.
///
/// # Safety
///
/// `binary` is null or from `vf_binaries_get`; `line` has room for a line or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vf_binary_line(
    binary: *const vf_binary,
    index: usize,
    line: *mut vf_line,
) -> vf_status {
    // SAFETY: the caller's promises.
    unsafe {
        fill(binary, line, |b| {
            let row = b.binary.lines.rows.get(index)?;
            let file = b.files.get(narrow::as_index(row.file)).map_or(ptr::null(), |file| file.as_ptr());
            Some(vf_line { offset: row.offset, line: row.line, file, is_statement: row.is_statement })
        })
    }
}

/// Number of runs of bytes of the register file that no instruction touches; 0 for null, and where the option
/// `free-registers` was not set.
///
/// # Safety
///
/// The pointer is null or from `vf_binaries_get`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vf_binary_free_count(binary: *const vf_binary) -> usize {
    // SAFETY: the caller's promise.
    let binary = unsafe { pointers::shared(binary) };
    binary.and_then(|b| b.binary.free_registers.as_ref()).map_or(0, Vec::len)
}

/// Fills `*bytes` with run `index`, from the lowest on.
///
/// # Safety
///
/// `binary` is null or from `vf_binaries_get`; `bytes` has room for a run or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vf_binary_free(
    binary: *const vf_binary,
    index: usize,
    bytes: *mut vf_register_bytes,
) -> vf_status {
    // SAFETY: the caller's promises.
    unsafe {
        fill(binary, bytes, |b| {
            let &(offset, size) = b.binary.free_registers.as_ref()?.get(index)?;
            Some(vf_register_bytes { offset: offset.into(), size: size.into() })
        })
    }
}

/// Number of passes that were timed; 0 for null, and where the option `timings` was not set.
///
/// # Safety
///
/// The pointer is null or from `vf_binaries_get`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vf_binary_pass_count(binary: *const vf_binary) -> usize {
    // SAFETY: the caller's promise.
    unsafe { pointers::shared(binary) }.map_or(0, |b| b.passes.len())
}

/// Fills `*time` with that of pass `index`, in the order in which they ran.
///
/// # Safety
///
/// `binary` is null or from `vf_binaries_get`; `time` has room for a time or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vf_binary_pass(
    binary: *const vf_binary,
    index: usize,
    time: *mut vf_pass_time,
) -> vf_status {
    // SAFETY: the caller's promises.
    unsafe {
        fill(binary, time, |b| {
            let (pass, took) = (b.passes.get(index)?, b.binary.stats.times.get(index)?);
            let nanoseconds = u64::try_from(took.time.as_nanos()).unwrap_or(u64::MAX);
            Some(vf_pass_time { pass: pass.as_ptr(), nanoseconds })
        })
    }
}
