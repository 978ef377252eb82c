//! Finalizers, and what they make of an input.
#![allow(unsafe_code, non_camel_case_types)]

use narrow::as_index;
use std::{ffi::c_char, num::NonZero};

use boundary::{memory, pointers};
use finalizer::Options;

use super::{
    shared::{Failure, answer, platform_of, vf_status, work_on},
    vf_error,
};
pub use crate::handles::{vf_binaries, vf_finalizer};

/// What may be chosen. Zeros are what a runtime wants.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct vf_options {
    /// `sizeof(vf_options)`.
    pub struct_size: usize,
    /// Leave every instruction at its full 16 bytes.
    pub no_compaction: bool,
    /// Check the code against the hardware's rules and prove the register allocation. Costs time.
    pub verify: bool,
    /// Look for what the kernel's author hardly meant; see `vf_binary_warnings`.
    pub warnings: bool,
    /// Refuse whatever breaks a rule of the specification, warnings too.
    pub strict: bool,
}

/// Makes a finalizer for a platform by its name (`skl`, or another of the command's `--platform`), in any case.
///
/// `options` may be null. `*out` is the finalizer, for `vf_finalizer_free`; unless the status is `VF_OK`
/// it is null, and `*error` says why, for `vf_error_free` (`error` may be null).
///
/// # Safety
///
/// `platform` is a C string or null; `options` points to options or is null; `out` and `error` have room
/// for a pointer or are null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vf_finalizer_new(
    platform: *const c_char,
    options: *const vf_options,
    out: *mut *mut vf_finalizer,
    error: *mut *mut vf_error,
) -> vf_status {
    // SAFETY: the caller's promises are those that the functions ask for.
    unsafe {
        answer(out, error, || {
            let mut chosen = Options::new(platform_of(platform)?);
            if !options.is_null() {
                // The size first: it tells whether the rest is there.
                let size = pointers::shared(options.cast::<usize>());
                if size != Some(&size_of::<vf_options>()) {
                    return Err(Failure::argument("`options->struct_size` is not sizeof(vf_options)"));
                }
                let options =
                    pointers::shared(options).ok_or_else(|| Failure::argument("`options` is not aligned"))?;
                chosen.compact = !options.no_compaction;
                chosen.verify |= options.verify;
                chosen.warnings = options.warnings;
                chosen.strict = options.strict;
            }
            Ok(vf_finalizer::new(chosen))
        })
    }
}

/// Ends a finalizer. Null is nothing to end.
///
/// # Safety
///
/// The pointer is null or from `vf_finalizer_new`, and is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vf_finalizer_free(finalizer: *mut vf_finalizer) {
    // SAFETY: the caller's promise.
    drop(unsafe { pointers::take_box(finalizer) });
}

/// Finalizes a vISA object, or vISA assembly (told apart by the object's first bytes).
///
/// `kernel` names the kernel that is wanted; null means all, in the input's order, on up to `threads`
/// threads (0 and 1 mean this one; the code is the same). `*out` is the result, for `vf_binaries_free`;
/// unless the status is `VF_OK` it is null, and `*error` says why, for `vf_error_free` (`error` may be
/// null).
///
/// # Safety
///
/// `finalizer` is from `vf_finalizer_new` or null, and in use by no other thread; `input` points to `size`
/// bytes or is null; `kernel` is a C string or null; `out` and `error` have room for a pointer or are
/// null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vf_finalize(
    finalizer: *mut vf_finalizer,
    input: *const u8,
    size: usize,
    kernel: *const c_char,
    threads: u32,
    out: *mut *mut vf_binaries,
    error: *mut *mut vf_error,
) -> vf_status {
    // SAFETY: the caller's promises are those that the functions ask for.
    unsafe {
        answer(out, error, || {
            let (finalizer, input) = work_on(finalizer, input, size)?;
            let kernel = pointers::text(kernel).map(String::from_utf8_lossy);
            memory::start();
            finalize(finalizer, input, kernel.as_deref(), threads)
        })
    }
}

fn finalize(
    finalizer: &mut finalizer::Finalizer,
    input: &[u8],
    kernel: Option<&str>,
    threads: u32,
) -> Result<vf_binaries, Failure> {
    let is_object = input.starts_with(b"CISA");
    let binaries = match kernel {
        Some(name) if is_object => vec![finalizer.finalize_named(input, name)?],
        Some(name) => {
            let module = finalizer::read_input(input, finalizer.options().platform)?;
            let at = finalizer::kernel_named(&module, name)?;
            vec![finalizer.finalize_kernel(&module, at)?]
        }
        None if is_object && threads <= 1 => finalizer.finalize_object(input)?,
        None => {
            let module = finalizer::read_input(input, finalizer.options().platform)?;
            let threads = NonZero::new(as_index(threads)).unwrap_or(NonZero::<usize>::MIN);
            finalizer.finalize_parallel(&module, threads)?
        }
    };
    Ok(vf_binaries::new(binaries))
}
