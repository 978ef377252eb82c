//! The finalizer for C and C++.
//!
//! # What comes in, what goes out
//!
//! `include/visa_finalize.h` is generated from [`exports`] and says what each function wants. In short:
//!
//! ```text
//! vf_finalizer_new(platform, options)          ─▶ vf_finalizer, reusable, one a thread
//! vf_finalize(finalizer, bytes, size, kernel)  ─▶ vf_binaries ─▶ vf_binary: code, information, tables
//!                                              └▶ vf_error: every fault with code, message and place
//! vf_object_read(bytes)                        ─▶ vf_object: kernels, inputs, code that is there already
//! vf_retarget, vf_disassemble, vf_assemble     ─▶ vf_buffer: an object, a text, code
//! vf_cancel_new                                ─▶ vf_cancel: ends calls from another thread
//! ```
//!
//! # What holds
//!
//! * Handles are opaque. What a `vf_*_new` or `vf_finalize` hands out, the caller ends with the `_free` of
//!   the same name; everything reached from a handle lives as long as the handle.
//! * Nothing unwinds into the caller: a fault of ours is the status `VF_FAULT`.
//! * Null pointers, wrong sizes, unknown names and platforms are statuses, never crashes.
//! * Nothing is printed; no file is touched; no global state but the hook that keeps panics off stderr.
#![deny(unsafe_op_in_unsafe_fn)]
// Numbers are converted by name (the crate `narrow`) or with an error.
#![cfg_attr(not(test), deny(clippy::as_conversions))]

/// Counts, so that `memory-limit` can be held.
#[global_allocator]
static ALLOCATOR: boundary::memory::Counting = boundary::memory::Counting;

pub mod exports;
mod handles;
