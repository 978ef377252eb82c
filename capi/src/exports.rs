//! The functions of the header. All `unsafe` of this crate; what reads pointers is in [`boundary`].
#![allow(unsafe_code, non_camel_case_types)]

mod code;
mod control;
mod object;

pub use code::*;
pub use control::*;
pub use object::*;

use std::{
    ffi::{CStr, c_char},
    num::NonZero,
    ptr,
};

use boundary::{guard, memory, pointers};
use finalizer::{Diagnostic, Options, Place, Refusal};
use platforms::Platform;

pub use crate::handles::{vf_binaries, vf_binary, vf_error, vf_finalizer};

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

/// Why there is no result.
struct Failure(vf_status, Vec<Diagnostic>);

impl Failure {
    fn argument(what: &str) -> Failure {
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
unsafe fn answer<T>(
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
unsafe fn tell(error: *mut *mut vf_error, work: impl FnOnce() -> Result<(), Failure>) -> vf_status {
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
unsafe fn platform_of(name: *const c_char) -> Result<Platform, Failure> {
    // SAFETY: the caller's promise.
    let name = unsafe { pointers::text(name) }.ok_or_else(|| Failure::argument("`platform` is null"))?;
    String::from_utf8_lossy(name).parse().map_err(|e| {
        let unknown = Diagnostic::error("UnknownPlatform", format!("{e}"));
        Failure(vf_status::VF_UNKNOWN_PLATFORM, vec![unknown])
    })
}

/// The version of this interface. A library whose `vf_abi_version` gives another number than the header
/// that a program was compiled with does not fit it.
pub const VF_ABI_VERSION: u32 = 1;

/// The version of the interface that the library has, [`VF_ABI_VERSION`]: for programs that load it at run
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

/// Makes a finalizer for a platform: `bdw`, `skl`, `bxt`, `icllp`, `tgllp` or `pvc`, in any case.
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
            let Some(finalizer) = pointers::exclusive(finalizer) else {
                return Err(Failure::argument("`finalizer` is null"));
            };
            let input = pointers::bytes(input, size).ok_or_else(|| Failure::argument("`input` is null"))?;
            let kernel = pointers::text(kernel).map(String::from_utf8_lossy);
            memory::start();
            finalize(&mut finalizer.finalizer, input, kernel.as_deref(), threads)
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
            let threads = NonZero::new(threads as usize).unwrap_or(NonZero::<usize>::MIN);
            finalizer.finalize_parallel(&module, threads)?
        }
    };
    Ok(vf_binaries::new(binaries))
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
    unsafe {
        let code = pointers::shared(binary).map(|b| &b.binary.code);
        match code {
            Some(code) if pointers::put(size, code.len()) => code.as_ptr(),
            _ => {
                pointers::put(size, 0);
                ptr::null()
            }
        }
    }
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
                kind: from.kind as u32,
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
            Some(vf_relocation { symbol: symbol.as_ptr(), kind: from.kind as u32, offset: from.offset })
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
                kind: from.kind as u32,
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

/// Fills a struct from what a handle holds.
///
/// # Safety
///
/// `handle` is null or points to a live value; `to` has room for a struct or is null.
unsafe fn fill<H, T>(handle: *const H, to: *mut T, make: impl FnOnce(&H) -> Option<T>) -> vf_status {
    // SAFETY: the caller's promises.
    unsafe {
        match pointers::shared(handle).and_then(make).map(|made| pointers::put(to, made)) {
            Some(true) => vf_status::VF_OK,
            _ => vf_status::VF_BAD_ARGUMENT,
        }
    }
}
