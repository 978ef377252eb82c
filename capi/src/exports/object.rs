//! What objects hold.
#![allow(unsafe_code, non_camel_case_types)]

use std::ffi::c_char;

use boundary::pointers;
use platforms::Platform;

use super::{
    shared::{Failure, answer, fill, platform_of, vf_status},
    vf_error, vf_input,
};
pub use crate::handles::vf_object;

/// An object as a whole.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct vf_object_summary {
    /// The version of the format: `major.minor`.
    pub version_major: u32,
    /// The number behind the point.
    pub version_minor: u32,
    /// Kernels.
    pub kernels: usize,
    /// Functions that kernels call.
    pub functions: usize,
}

/// A kernel of an object.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct vf_kernel_summary {
    /// Name.
    pub name: *const c_char,
    /// vISA instructions.
    pub visa_instructions: usize,
    /// Inputs, for `vf_object_input`.
    pub inputs: usize,
    /// Pieces of machine code that the object carries, for `vf_object_code`.
    pub codes: usize,
}

/// Machine code that an object carries.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct vf_embedded_code {
    /// The platform's name, as `vf_finalizer_new` takes it; null for one that the library does not know.
    pub platform: *const c_char,
    /// The number that the object gives it.
    pub platform_number: u32,
    /// The code.
    pub code: *const u8,
    /// Its bytes.
    pub size: usize,
}

/// Reads an object or vISA assembly without finalizing anything. `platform` says whose registers a text is for;
/// null will do for objects.
///
/// `*out` is the result, for `vf_object_free`; unless the status is `VF_OK` it is null, and `*error` says why, for
/// `vf_error_free` (`error` may be null).
///
/// # Safety
///
/// `input` points to `size` bytes or is null; `platform` is a C string or null; `out` and `error` have room for a
/// pointer or are null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vf_object_read(
    input: *const u8,
    size: usize,
    platform: *const c_char,
    out: *mut *mut vf_object,
    error: *mut *mut vf_error,
) -> vf_status {
    // SAFETY: the caller's promises are those that the functions ask for.
    unsafe {
        answer(out, error, || {
            let platform = if platform.is_null() { Platform::Skl } else { platform_of(platform)? };
            let input = pointers::bytes(input, size).ok_or_else(|| Failure::argument("`input` is null"))?;
            Ok(vf_object::new(&finalizer::read_input(input, platform)?))
        })
    }
}

/// Fills `*summary`.
///
/// # Safety
///
/// `object` is null or from `vf_object_read`; `summary` has room for one or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vf_object_info(
    object: *const vf_object,
    summary: *mut vf_object_summary,
) -> vf_status {
    // SAFETY: the caller's promises.
    unsafe {
        fill(object, summary, |o| {
            Some(vf_object_summary {
                version_major: o.version.0.into(),
                version_minor: o.version.1.into(),
                kernels: o.kernels.len(),
                functions: o.functions,
            })
        })
    }
}

/// Fills `*kernel` with kernel `index`.
///
/// # Safety
///
/// `object` is null or from `vf_object_read`; `kernel` has room for one or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vf_object_kernel(
    object: *const vf_object,
    index: usize,
    kernel: *mut vf_kernel_summary,
) -> vf_status {
    // SAFETY: the caller's promises.
    unsafe {
        fill(object, kernel, |o| {
            let from = o.kernels.get(index)?;
            Some(vf_kernel_summary {
                name: from.name.as_ptr(),
                visa_instructions: from.visa_instructions,
                inputs: from.inputs.len(),
                codes: from.codes.len(),
            })
        })
    }
}

/// Fills `*input` with input `index` of a kernel.
///
/// # Safety
///
/// `object` is null or from `vf_object_read`; `input` has room for one or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vf_object_input(
    object: *const vf_object,
    kernel: usize,
    index: usize,
    input: *mut vf_input,
) -> vf_status {
    // SAFETY: the caller's promises.
    unsafe {
        fill(object, input, |o| {
            let from = o.kernels.get(kernel)?.inputs.get(index)?;
            Some(vf_input {
                name: from.name.as_ptr(),
                kind: from.kind,
                provenance: from.provenance,
                offset: from.offset,
                size: from.size,
            })
        })
    }
}

/// Fills `*code` with piece `index` of the machine code that a kernel carries.
///
/// # Safety
///
/// `object` is null or from `vf_object_read`; `code` has room for one or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vf_object_code(
    object: *const vf_object,
    kernel: usize,
    index: usize,
    code: *mut vf_embedded_code,
) -> vf_status {
    // SAFETY: the caller's promises.
    unsafe {
        fill(object, code, |o| {
            let from = o.kernels.get(kernel)?.codes.get(index)?;
            Some(vf_embedded_code {
                platform: from.platform.as_ref().map_or(std::ptr::null(), |p| p.as_ptr()),
                platform_number: from.number.into(),
                code: from.code.as_ptr(),
                size: from.code.len(),
            })
        })
    }
}

/// Ends an object and all that was reached from it. Null is nothing to end.
///
/// # Safety
///
/// The pointer is null or from `vf_object_read`, and is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vf_object_free(object: *mut vf_object) {
    // SAFETY: the caller's promise.
    drop(unsafe { pointers::take_box(object) });
}
