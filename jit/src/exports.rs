//! The functions that a runtime looks up by name. All `unsafe` of this crate.
#![allow(unsafe_code, non_snake_case)]

use narrow::{as_index, to_u32};
use std::{
    ffi::{c_char, c_int, c_uint, c_void},
    ptr,
};

use boundary::{guard, pointers};
use finalizer::Binary;

use crate::{
    compile::{Request, compile},
    failure::{Code, Failure},
};

/// Bytes of the runtime's message buffer (`CM_JIT_ERROR_MESSAGE_SIZE`).
const MESSAGE_BYTES: usize = 512;

/// What the runtime learns about the code: the information block of media-driver's `cm_jitter_info.h`,
/// field by field. (Intel's library writes a block of another layout from release to release.)
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct FinalizerInfo {
    /// The kernel needs scratch memory: registers were spilled, or a stack is kept there.
    pub is_spill: bool,
    /// General registers from `r0` to the highest one that the code touches. (Intel's library leaves 0
    /// unless asked to count.)
    pub num_grf_used: c_int,
    /// Gen instructions.
    pub num_asm_count: c_int,
    /// Scratch memory of one thread in bytes: what the kernel itself asks for (`SpillMemOffset`), spills,
    /// and 128 KiB where calls through the stack have no known end.
    pub spill_mem_used: c_uint,
    /// Debug information, the contents of Intel's `.dbg` file, in a block for [`freeBlock`]; null unless
    /// `-generateDebugInfo` asks.
    pub gen_debug_info: *mut c_void,
    /// Its bytes.
    pub gen_debug_info_size: c_uint,
    /// Flag and address values that had to wait in general registers.
    pub num_flag_spill_store: c_uint,
    /// The same number: each is also read back.
    pub num_flag_spill_load: c_uint,
    /// The kernel has a barrier.
    pub uses_barrier: bool,
    /// Number of entries of `bb_info`: always 0.
    pub bb_num: c_uint,
    /// Cycle estimates: always null.
    pub bb_info: *mut c_void,
    /// Registers stored to and loaded from scratch, counted in messages.
    pub num_grf_spill_fill: c_uint,
    /// Registers that the code leaves alone, in a block for [`freeBlock`]; null unless `-getfreegrfinfo` asks:
    /// `0xdeadd00d`, a count, so many pairs of the first byte and the number of bytes, `0xdeadbeef`.
    pub free_grf_info: *mut c_void,
    /// Its bytes.
    pub free_grf_info_size: c_uint,
}

impl FinalizerInfo {
    fn new(binary: &Binary) -> FinalizerInfo {
        let (info, stats) = (&binary.info, &binary.stats);
        let int = |n: u32| c_int::try_from(n).unwrap_or(c_int::MAX);
        FinalizerInfo {
            is_spill: info.scratch_bytes > 0,
            num_grf_used: info.grfs_used.into(),
            num_asm_count: int(stats.gen_instructions),
            spill_mem_used: info.scratch_bytes,
            gen_debug_info: ptr::null_mut(),
            gen_debug_info_size: 0,
            num_flag_spill_store: stats.flag_spills,
            num_flag_spill_load: stats.flag_spills,
            uses_barrier: info.barriers > 0,
            bb_num: 0,
            bb_info: ptr::null_mut(),
            num_grf_spill_fill: stats.spills.saturating_add(stats.fills),
            free_grf_info: ptr::null_mut(),
            free_grf_info_size: 0,
        }
    }
}

/// Starts and ends what is told of free registers (`gtPinData::getFreeGRFInfo` of intel-graphics-compiler).
const FREE_REGISTERS: [u32; 2] = [0xdead_d00d, 0xdead_beef];

impl FinalizerInfo {
    /// Adds what options ask for, in blocks of its own.
    fn add_blocks(&mut self, binary: &Binary) -> Result<(), Failure> {
        let free = binary.free_registers.as_ref().map(|free| {
            let [start, end] = FREE_REGISTERS.map(u32::to_le_bytes);
            let items = free.iter().flat_map(|(at, count)| [at.to_le_bytes(), count.to_le_bytes()].concat());
            [&start[..], &to_u32(free.len()).to_le_bytes(), &items.collect::<Vec<u8>>(), &end].concat()
        });
        if !binary.debug_info.is_empty() {
            self.gen_debug_info = copy_to_block(&binary.debug_info)?;
            self.gen_debug_info_size = to_u32(binary.debug_info.len());
        }
        if let Some(free) = free {
            // SAFETY: null, or from `copy_to_block`.
            let block = copy_to_block(&free).inspect_err(|_| unsafe { freeBlock(self.gen_debug_info) })?;
            self.free_grf_info = block;
            self.free_grf_info_size = to_u32(free.len());
        }
        Ok(())
    }
}

/// Compiles one kernel of a vISA object.
///
/// Returns 0 done, 1 bad input, 3 the kernel is refused, 5 unknown platform.
///
/// # Safety
///
/// `kernel_name`, `platform` and the first `num_args` of `args` are C strings or null; `kernel_isa` has
/// `kernel_isa_size` bytes; `gen_binary` and `gen_binary_size` have room for a pointer and a number;
/// `error_msg` has 512 bytes or is null; `jit_info` has room for an information block or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn JITCompile(
    kernel_name: *const c_char,
    kernel_isa: *const c_void,
    kernel_isa_size: c_uint,
    gen_binary: *mut *mut c_void,
    gen_binary_size: *mut c_uint,
    platform: *const c_char,
    major_version: c_int,
    minor_version: c_int,
    num_args: c_int,
    args: *const *const c_char,
    error_msg: *mut c_char,
    jit_info: *mut FinalizerInfo,
) -> c_int {
    // SAFETY: the caller's promises on each pointer are those that these functions ask for. What they
    // give is used before this function returns, and nothing else writes to it meanwhile.
    unsafe {
        let to_code = pointers::put(gen_binary, ptr::null_mut());
        let to_size = pointers::put(gen_binary_size, 0);
        let result = guard(|| {
            let missing = |what| Failure::new(Code::BadInput, format_args!("{what} is null"));
            let args: Vec<&[u8]> = read_args(num_args, args)?.collect();
            let binary = compile(Request {
                kernel: pointers::text(kernel_name).ok_or_else(|| missing("kernelName"))?,
                object: pointers::bytes(kernel_isa.cast(), as_index(kernel_isa_size))
                    .ok_or_else(|| missing("kernelIsa"))?,
                platform: pointers::text(platform).ok_or_else(|| missing("platform"))?,
                version: (major_version, minor_version),
                args: &args,
            })?;
            if !to_code || !to_size {
                return Err(missing("genBinary or genBinarySize"));
            }
            let code = copy_to_block(&binary.code)?;
            let mut info = FinalizerInfo::new(&binary);
            if !jit_info.is_null() {
                info.add_blocks(&binary).inspect_err(|_| freeBlock(code))?;
            }
            pointers::put(gen_binary, code);
            pointers::put(gen_binary_size, to_u32(binary.code.len()));
            pointers::put(jit_info, info);
            Ok(())
        });
        let failure = match result {
            Ok(Ok(())) => return 0,
            Ok(Err(failure)) => failure,
            Err(bug) => Failure::new(Code::Refused, bug),
        };
        pointers::put_text(error_msg, MESSAGE_BYTES, &failure.message);
        failure.code.number()
    }
}

/// Compiles one kernel of a vISA object, as [`JITCompile`] does. `extra_info`, a pointer that GTPin hands
/// through, is not looked at.
///
/// # Safety
///
/// As [`JITCompile`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn JITCompile_v2(
    kernel_name: *const c_char,
    kernel_isa: *const c_void,
    kernel_isa_size: c_uint,
    gen_binary: *mut *mut c_void,
    gen_binary_size: *mut c_uint,
    platform: *const c_char,
    major_version: c_int,
    minor_version: c_int,
    num_args: c_int,
    args: *const *const c_char,
    error_msg: *mut c_char,
    jit_info: *mut FinalizerInfo,
    _extra_info: *mut c_void,
) -> c_int {
    // SAFETY: the same promises.
    unsafe {
        JITCompile(
            kernel_name,
            kernel_isa,
            kernel_isa_size,
            gen_binary,
            gen_binary_size,
            platform,
            major_version,
            minor_version,
            num_args,
            args,
            error_msg,
            jit_info,
        )
    }
}

/// Frees code that [`JITCompile`] gave. Null is nothing to free.
///
/// # Safety
///
/// The pointer is null or from [`JITCompile`], and was not freed before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn freeBlock(block: *mut c_void) {
    // SAFETY: blocks are from malloc; free takes null.
    unsafe { libc::free(block) }
}

/// The newest vISA version that is read.
///
/// # Safety
///
/// Each pointer is null or has room for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn getJITVersion(major: *mut c_uint, minor: *mut c_uint) {
    // SAFETY: the caller's promise.
    unsafe {
        pointers::put(major, 4);
        pointers::put(minor, 1);
    }
}

/// The arguments that are strings.
///
/// # Safety
///
/// `args` is null or has `count` pointers, each null or a C string.
unsafe fn read_args<'a>(
    count: c_int,
    args: *const *const c_char,
) -> Result<impl Iterator<Item = &'a [u8]>, Failure> {
    let bad = |what: String| Failure::new(Code::BadInput, what);
    let list = match usize::try_from(count) {
        Ok(0) => &[],
        // SAFETY: the caller's promise.
        Ok(n) => unsafe { pointers::values(args, n) }.ok_or_else(|| bad("args is null".to_owned()))?,
        Err(_) => return Err(bad(format!("found {count} arguments"))),
    };
    // SAFETY: each is null or a C string.
    Ok(list.iter().filter_map(|arg| unsafe { pointers::text(*arg) }))
}

/// Code in a block that [`freeBlock`] can free without its size.
fn copy_to_block(code: &[u8]) -> Result<*mut c_void, Failure> {
    // SAFETY: malloc of a size that is not 0 gives null or that many bytes, which are ours to write; the
    // vector's bytes do not overlap them.
    unsafe {
        let block = libc::malloc(code.len().max(1));
        if block.is_null() {
            return Err(Failure::new(Code::Refused, "out of memory"));
        }
        block.cast::<u8>().copy_from_nonoverlapping(code.as_ptr(), code.len());
        Ok(block)
    }
}
