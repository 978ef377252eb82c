//! Why there is no result: faults with their places.
#![allow(unsafe_code, non_camel_case_types)]

use std::{ffi::c_char, ptr};

use boundary::pointers;
use finalizer::Place;

use super::shared::{fill, vf_status};
pub use crate::handles::vf_error;

/// Where in the input a fault stands.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum vf_place {
    /// The input as a whole.
    VF_PLACE_INPUT = 0,
    /// `offset`: a byte of an object.
    VF_PLACE_OFFSET = 1,
    /// `line` and `column` of a text, from 1.
    VF_PLACE_LINE = 2,
}

/// One fault.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct vf_fault {
    /// Stable name of the fault: `UnknownOpcode`.
    pub code: *const c_char,
    /// What is wrong, what was found, what is allowed.
    pub message: *const c_char,
    /// The kernel, or null.
    pub kernel: *const c_char,
    /// The vISA instruction, or null.
    pub instruction: *const c_char,
    /// The operand, declaration or field of the format that it is about, or null.
    pub field: *const c_char,
    /// The instruction's number in the kernel, or -1.
    pub instruction_index: i64,
    /// What the place counts.
    pub place: vf_place,
    /// Byte offset.
    pub offset: u64,
    /// Line.
    pub line: u32,
    /// Column.
    pub column: u32,
    /// Bytes of the line that are at fault, from the column on; 0 where that is not known.
    pub length: u32,
}

/// Number of faults; 0 for null.
///
/// # Safety
///
/// The pointer is null, from `vf_binary_warnings`, or an error that a function has handed out.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vf_error_count(error: *const vf_error) -> usize {
    // SAFETY: the caller's promise.
    unsafe { pointers::shared(error) }.map_or(0, |e| e.0.len())
}

/// Fills `*fault` with fault `index`, whose strings live as long as `error`.
///
/// # Safety
///
/// `error` as for `vf_error_count`; `fault` has room for a fault or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vf_error_get(
    error: *const vf_error,
    index: usize,
    fault: *mut vf_fault,
) -> vf_status {
    // SAFETY: the caller's promises.
    unsafe {
        fill(error, fault, |error| {
            let from = error.0.get(index)?;
            let (place, offset, line, column) = match from.place {
                Place::Input => (vf_place::VF_PLACE_INPUT, 0, 0, 0),
                Place::Offset(offset) => (vf_place::VF_PLACE_OFFSET, offset, 0, 0),
                Place::Line { line, column } => (vf_place::VF_PLACE_LINE, 0, line, column),
            };
            Some(vf_fault {
                code: from.code.as_ptr(),
                message: from.message.as_ptr(),
                kernel: from.kernel.as_ref().map_or(ptr::null(), |k| k.as_ptr()),
                instruction: from.instruction.as_ref().map_or(ptr::null(), |i| i.as_ptr()),
                field: from.field.as_ref().map_or(ptr::null(), |f| f.as_ptr()),
                instruction_index: from.index,
                place,
                offset,
                line,
                column,
                length: from.length,
            })
        })
    }
}

/// Ends an error. Null is nothing to end.
///
/// # Safety
///
/// The pointer is null or an error that a function has handed out, and is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vf_error_free(error: *mut vf_error) {
    // SAFETY: the caller's promise.
    drop(unsafe { pointers::take_box(error) });
}
