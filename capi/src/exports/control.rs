//! Options by name, cancelling, bounds of memory.
#![allow(unsafe_code, non_camel_case_types)]

use std::{
    ffi::c_char,
    ptr,
    sync::{Arc, atomic::Ordering},
};

use boundary::pointers;

use super::{
    shared::{Failure, tell, vf_status},
    vf_error, vf_finalizer,
};
pub use crate::handles::vf_cancel;

/// Sets an option by its name, for what is finalized from now on:
///
/// - `opt-level` (`0`, `1`, `2`): how much work goes into good code. `skip-pass`: the name of a pass that code is right
///   without, which is left out beside those that were.
/// - `grf` (`128`, `256`, `auto`), `reserved-registers` (`0` to `255`), `pairs` (`auto`, `always`, `never`),
///   `stack-kilobytes` (`1` to `256`): general registers of a thread, those at the end of the file that no variable is
///   given, whether threads run as pairs (Tiger Lake), scratch memory where calls have no known end.
/// - `abort-on-spill` (`0` to `200`): refuses kernels with so many messages for spilled values in 200 instructions.
/// - `kernel-id` (a number of 64 bits) and `start-breakpoint` (`true`, `false`): a number behind the code, a breakpoint
///   before it. `compact` (`true`, `false`): 8-byte words.
/// - `verify`, `warnings`, `strict` (`true`, `false`): checks after every pass, `vf_binary_warnings`, refusal of what breaks
///   a rule of the specification.
/// - `debug-info`, `free-registers`, `timings` (`true`, `false`): `vf_binary_debug_info` and `vf_binary_line`,
///   `vf_binary_free`, `vf_binary_pass`.
/// - `memory-limit`: bytes that one call may take in each of its threads beyond what the finalizer keeps from earlier
///   calls, `0` for no limit; what takes more is ended between two steps of its work, with `VF_MEMORY_LIMIT`.
///
/// Names and values that there are not give `VF_BAD_ARGUMENT`, and the error says which there are.
///
/// # Safety
///
/// `finalizer` is from `vf_finalizer_new` or null, and in use by no other thread; `name` and `value` are C
/// strings or null; `error` has room for a pointer or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vf_finalizer_set(
    finalizer: *mut vf_finalizer,
    name: *const c_char,
    value: *const c_char,
    error: *mut *mut vf_error,
) -> vf_status {
    // SAFETY: the caller's promises are those that the functions ask for.
    unsafe {
        tell(error, || {
            let finalizer =
                pointers::exclusive(finalizer).ok_or_else(|| Failure::argument("`finalizer` is null"))?;
            let text = |at| pointers::text(at).map(String::from_utf8_lossy);
            let (Some(name), Some(value)) = (text(name), text(value)) else {
                return Err(Failure::argument("`name` or `value` is null"));
            };
            finalizer.set(&name, &value).map_err(|refusal| Failure(vf_status::VF_BAD_ARGUMENT, refusal.0))
        })
    }
}

/// Makes a handle by which another thread can end a call; for `vf_cancel_free`. Null if the library has a fault.
#[unsafe(no_mangle)]
pub extern "C" fn vf_cancel_new() -> *mut vf_cancel {
    boundary::guard(|| pointers::give_box(vf_cancel::default())).unwrap_or(ptr::null_mut())
}

/// Ends the calls of all finalizers that have the handle, those that run and those to come: they return
/// `VF_CANCELLED` within milliseconds. From any thread, at any time, signal handlers included.
///
/// # Safety
///
/// The pointer is null or from `vf_cancel_new`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vf_cancel_request(cancel: *const vf_cancel) {
    // SAFETY: the caller's promise.
    if let Some(cancel) = unsafe { pointers::shared(cancel) } {
        cancel.0.store(true, Ordering::Relaxed);
    }
}

/// Takes a request back: calls from now on run to their end.
///
/// # Safety
///
/// The pointer is null or from `vf_cancel_new`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vf_cancel_reset(cancel: *const vf_cancel) {
    // SAFETY: the caller's promise.
    if let Some(cancel) = unsafe { pointers::shared(cancel) } {
        cancel.0.store(false, Ordering::Relaxed);
    }
}

/// Ends the handle; finalizers that have it go on, with or without a request as it was. Null is nothing to end.
///
/// # Safety
///
/// The pointer is null or from `vf_cancel_new`, and is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vf_cancel_free(cancel: *mut vf_cancel) {
    // SAFETY: the caller's promise.
    drop(unsafe { pointers::take_box(cancel) });
}

/// Gives a finalizer the handle that ends its calls; null takes it away.
///
/// # Safety
///
/// `finalizer` is from `vf_finalizer_new` or null, and in use by no other thread; `cancel` is from
/// `vf_cancel_new` or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vf_finalizer_set_cancel(
    finalizer: *mut vf_finalizer,
    cancel: *const vf_cancel,
) -> vf_status {
    // SAFETY: the caller's promises are those that the functions ask for.
    unsafe {
        tell(ptr::null_mut(), || {
            let finalizer =
                pointers::exclusive(finalizer).ok_or_else(|| Failure::argument("`finalizer` is null"))?;
            finalizer.set_cancel(pointers::shared(cancel).map(|c| Arc::clone(&c.0)));
            Ok(())
        })
    }
}
