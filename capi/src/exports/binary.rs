//! Code that was made, and what a launch needs to know of it.
#![allow(unsafe_code, non_camel_case_types)]

use std::{ffi::c_char, ptr};

use boundary::pointers;

use super::{
    shared::{bytes, fill, vf_status},
    vf_binaries, vf_error,
};
pub use crate::handles::vf_binary;

/// What a launch needs to know of a kernel.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct vf_kernel_info {
    /// `sizeof(vf_kernel_info)`, set by the caller.
    pub struct_size: usize,
    /// Name.
    pub name: *const c_char,
    /// Channels of one hardware thread (1 for kernels of the vector compiler).
    pub simd: u32,
    /// General registers the thread must be given.
    pub grf_count: u32,
    /// General registers from `r0` to the highest one that the code touches; ends of threads are sent
    /// from `r112` and up.
    pub grfs_used: u32,
    /// Shared local memory in bytes.
    pub slm_bytes: u32,
    /// Barriers.
    pub barriers: u32,
    /// Scratch memory of one thread in bytes, spills included.
    pub scratch_bytes: u32,
    /// Bytes of that used by spills.
    pub spill_bytes: u32,
    /// Bytes from the start of the code to the entry that skips loading of per-thread data, a multiple of
    /// 64: for launches whose hardware puts local ids into registers. 0 if there is nothing to skip.
    pub skip_per_thread_load: u32,
    /// Bytes from the start of the code to what follows the loads of cross-thread data, or 0.
    pub skip_cross_thread_load: u32,
    /// vISA instructions.
    pub visa_instructions: u32,
    /// Gen instructions.
    pub gen_instructions: u32,
    /// Registers stored to scratch.
    pub spills: u32,
    /// Registers loaded from scratch.
    pub fills: u32,
    /// Flag and address values that had to wait in general registers.
    pub flag_spills: u32,
}

/// One input of a kernel.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct vf_input {
    /// The variable's name.
    pub name: *const c_char,
    /// 0 general, 1 sampler, 2 surface.
    pub kind: u32,
    /// 0 a kernel argument, 1 local size, 2 group count, 3 local id, 16 in registers already.
    pub provenance: u32,
    /// Byte offset in the register file at kernel start.
    pub offset: u32,
    /// Bytes.
    pub size: u32,
}

/// A dword of the code that a linker fills in.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct vf_relocation {
    /// The symbol whose address it is.
    pub symbol: *const c_char,
    /// 2 the low, 3 the high 32 bits of the address.
    pub kind: u32,
    /// Bytes from the start of the code.
    pub offset: u32,
}

/// A name that the code defines.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct vf_symbol {
    /// The name.
    pub name: *const c_char,
    /// 2 a function, 6 a kernel.
    pub kind: u32,
    /// Bytes from the start of the code.
    pub offset: u32,
    /// Bytes.
    pub size: u32,
}

/// Number of kernels; 0 for null.
///
/// # Safety
///
/// The pointer is null or from `vf_finalize`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vf_binaries_count(binaries: *const vf_binaries) -> usize {
    // SAFETY: the caller's promise.
    unsafe { pointers::shared(binaries) }.map_or(0, |b| b.0.len())
}

/// The code of kernel `index`, which lives as long as `binaries`; null if there is none.
///
/// # Safety
///
/// The pointer is null or from `vf_finalize`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vf_binaries_get(binaries: *const vf_binaries, index: usize) -> *const vf_binary {
    // SAFETY: the caller's promise.
    unsafe { pointers::shared(binaries) }.and_then(|b| b.0.get(index)).map_or(ptr::null(), ptr::from_ref)
}

/// Ends a result and all that was reached from it. Null is nothing to end.
///
/// # Safety
///
/// The pointer is null or from `vf_finalize`, and is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vf_binaries_free(binaries: *mut vf_binaries) {
    // SAFETY: the caller's promise.
    drop(unsafe { pointers::take_box(binaries) });
}

/// The machine code, `*size` bytes of it; null if `binary` or `size` is null.
///
/// # Safety
///
/// `binary` is null or from `vf_binaries_get`; `size` has room for a number or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vf_binary_code(binary: *const vf_binary, size: *mut usize) -> *const u8 {
    // SAFETY: the caller's promises.
    unsafe { bytes(binary, size, |b| Some(&b.binary.code)) }
}

/// Fills `*info`, whose `struct_size` the caller has set.
///
/// # Safety
///
/// `binary` is null or from `vf_binaries_get`; `info` is null or has `info->struct_size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vf_binary_info(binary: *const vf_binary, info: *mut vf_kernel_info) -> vf_status {
    // SAFETY: the caller's promises. The size comes first: it tells whether the rest is there.
    unsafe {
        let size = pointers::shared(info.cast::<usize>().cast_const()).copied();
        let (Some(b), Some(size)) = (pointers::shared(binary), size) else {
            return vf_status::VF_BAD_ARGUMENT;
        };
        if size != size_of::<vf_kernel_info>() {
            return vf_status::VF_BAD_ARGUMENT;
        }
        pointers::put(info, kernel_info(b));
        vf_status::VF_OK
    }
}

fn kernel_info(b: &vf_binary) -> vf_kernel_info {
    let (info, stats) = (&b.binary.info, &b.binary.stats);
    vf_kernel_info {
        struct_size: size_of::<vf_kernel_info>(),
        name: b.name.as_ptr(),
        simd: info.simd.into(),
        grf_count: info.grf_count.into(),
        grfs_used: info.grfs_used.into(),
        slm_bytes: info.slm_bytes,
        barriers: info.barriers.into(),
        scratch_bytes: info.scratch_bytes,
        spill_bytes: info.spill_bytes,
        skip_per_thread_load: info.skip_per_thread_load,
        skip_cross_thread_load: info.skip_cross_thread_load,
        visa_instructions: stats.visa_instructions,
        gen_instructions: stats.gen_instructions,
        spills: stats.spills,
        fills: stats.fills,
        flag_spills: stats.flag_spills,
    }
}

/// Number of inputs; 0 for null.
///
/// # Safety
///
/// The pointer is null or from `vf_binaries_get`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vf_binary_input_count(binary: *const vf_binary) -> usize {
    // SAFETY: the caller's promise.
    unsafe { pointers::shared(binary) }.map_or(0, |b| b.inputs.len())
}

/// Fills `*input` with input `index`.
///
/// # Safety
///
/// `binary` is null or from `vf_binaries_get`; `input` has room for an input or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vf_binary_input(
    binary: *const vf_binary,
    index: usize,
    input: *mut vf_input,
) -> vf_status {
    // SAFETY: the caller's promises.
    unsafe {
        fill(binary, input, |b| {
            let (from, name) = (b.binary.info.inputs.get(index)?, b.inputs.get(index)?);
            Some(vf_input {
                name: name.as_ptr(),
                kind: from.kind.number().into(),
                provenance: from.provenance.0.into(),
                offset: from.offset,
                size: from.size,
            })
        })
    }
}

/// Number of relocations; 0 for null.
///
/// # Safety
///
/// The pointer is null or from `vf_binaries_get`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vf_binary_relocation_count(binary: *const vf_binary) -> usize {
    // SAFETY: the caller's promise.
    unsafe { pointers::shared(binary) }.map_or(0, |b| b.relocations.len())
}

/// Fills `*relocation` with relocation `index`.
///
/// # Safety
///
/// `binary` is null or from `vf_binaries_get`; `relocation` has room for a relocation or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vf_binary_relocation(
    binary: *const vf_binary,
    index: usize,
    relocation: *mut vf_relocation,
) -> vf_status {
    // SAFETY: the caller's promises.
    unsafe {
        fill(binary, relocation, |b| {
            let (from, symbol) = (b.binary.relocations.get(index)?, b.relocations.get(index)?);
            Some(vf_relocation {
                symbol: symbol.as_ptr(),
                kind: from.kind.number().into(),
                offset: from.offset,
            })
        })
    }
}

/// Number of symbols; 0 for null.
///
/// # Safety
///
/// The pointer is null or from `vf_binaries_get`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vf_binary_symbol_count(binary: *const vf_binary) -> usize {
    // SAFETY: the caller's promise.
    unsafe { pointers::shared(binary) }.map_or(0, |b| b.symbols.len())
}

/// Fills `*symbol` with symbol `index`.
///
/// # Safety
///
/// `binary` is null or from `vf_binaries_get`; `symbol` has room for a symbol or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vf_binary_symbol(
    binary: *const vf_binary,
    index: usize,
    symbol: *mut vf_symbol,
) -> vf_status {
    // SAFETY: the caller's promises.
    unsafe {
        fill(binary, symbol, |b| {
            let (from, name) = (b.binary.symbols.get(index)?, b.symbols.get(index)?);
            Some(vf_symbol {
                name: name.as_ptr(),
                kind: from.kind.number().into(),
                offset: from.offset,
                size: from.size,
            })
        })
    }
}

/// The warnings of a kernel, which live as long as it; null for null. Look at them with `vf_error_count`
/// and `vf_error_get`; do not free them.
///
/// # Safety
///
/// The pointer is null or from `vf_binaries_get`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vf_binary_warnings(binary: *const vf_binary) -> *const vf_error {
    // SAFETY: the caller's promise.
    unsafe { pointers::shared(binary) }.map_or(ptr::null(), |b| &b.warnings)
}
