//! The functions of the header, a module an object; `shared` is what they share. All `unsafe` of this crate; what reads
//! pointers is in [`boundary`].
#![allow(unsafe_code, non_camel_case_types)]

mod binary;
mod code;
mod control;
mod error;
mod finalizer;
mod object;
mod reports;
mod shared;

pub use binary::*;
pub use code::*;
pub use control::*;
pub use error::*;
pub use finalizer::*;
pub use object::*;
pub use reports::*;
pub use shared::vf_status;

use std::ffi::{CStr, c_char};

/// The version of this interface. A library whose `vf_abi_version` gives another number than the header
/// that a program was compiled with does not fit it.
pub const VF_ABI_VERSION: u32 = 1;

/// The version of the interface that the library has, `VF_ABI_VERSION`: for programs that load it at run
/// time.
#[unsafe(no_mangle)]
pub extern "C" fn vf_abi_version() -> u32 {
    VF_ABI_VERSION
}

/// The library's version, `major.minor.patch`.
#[unsafe(no_mangle)]
pub extern "C" fn vf_version() -> *const c_char {
    const VERSION: &CStr =
        match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
            Ok(version) => version,
            Err(_) => c"",
        };
    VERSION.as_ptr()
}
