//! What comes out: code, and what a runtime must know to launch it.

use platforms::Platform;

use crate::{Diagnostic, PassTime};
use gen_ir::RegisterSet;

/// The machine code of one kernel on one platform.
#[derive(Clone, Debug)]
pub struct Binary {
    /// The code, ready to be placed in an instruction heap.
    pub code: Vec<u8>,
    /// Facts a runtime needs.
    pub info: KernelInfo,
    /// Places in the code that a linker fills in, in code order.
    pub relocations: Vec<Relocation>,
    /// What the code defines, for a linker: the kernel itself first.
    pub symbols: Vec<Symbol>,
    /// Rules of the specification that the kernel breaks although it has a meaning; looked for if
    /// [`Options::warnings`](crate::Options::warnings) asks.
    pub warnings: Vec<Diagnostic>,
    /// Which vISA instruction each instruction of the code is for, if
    /// [`Options::origins`](crate::Options::origins) asks.
    pub origins: Vec<Origin>,
    /// The `.dbg` file of Intel's finalizer, if [`Options::debug_info`](crate::Options::debug_info) asks: where the
    /// code of each vISA instruction begins, by the number that the text of the kernel gives it, and subroutines.
    pub debug_info: Vec<u8>,
    /// Which lines of source code the code is for, as the vISA says, if
    /// [`Options::debug_info`](crate::Options::debug_info) asks.
    pub lines: Lines,
    /// Bytes of the register file that no instruction touches, if
    /// [`Options::free_registers`](crate::Options::free_registers) asks: first byte and count, in order. No bytes
    /// where the kernel calls what is not known here.
    pub free_registers: Option<Vec<(u16, u16)>>,
    /// Figures on the code and how long it took.
    pub stats: Stats,
}

/// The vISA instruction that an instruction of the code is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The function of the module that the instruction belongs to; none for the kernel.
    pub function: Option<u32>,
    /// The number of the vISA instruction in its kernel's or function's code; none where the code is for no single
    /// one (the start of a kernel, copies of the allocator between blocks).
    pub instruction: Option<u32>,
}

/// Which lines of which files the code is for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lines {
    /// Names of the files, as the vISA has them.
    pub files: Vec<String>,
    /// Where code of another line begins, in the order of the code. Each routine begins with a row, if it has marks.
    pub rows: Vec<Line>,
}

/// Code of a line begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// Bytes from the start of the code.
    pub offset: u32,
    /// The file, a number in [`Lines::files`].
    pub file: u32,
    /// The line; 0 where the code is for no line.
    pub line: u32,
    /// Whether this is the first code of its mark: a place to stop at.
    pub is_statement: bool,
}

impl Lines {
    /// The row of the code at an offset, if it has one.
    pub fn at(&self, offset: u32) -> Option<&Line> {
        let behind = self.rows.partition_point(|row| row.offset <= offset);
        self.rows.get(behind.checked_sub(1)?)
    }
}

/// A dword of the code that a linker fills in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relocation {
    /// The symbol whose address it is.
    pub symbol: String,
    /// Which half of the address.
    pub kind: RelocationKind,
    /// Bytes from the start of the code.
    pub offset: u32,
}

/// A name that the code defines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// The name.
    pub name: String,
    /// What it names.
    pub kind: SymbolKind,
    /// Bytes from the start of the code.
    pub offset: u32,
    /// Bytes.
    pub size: u32,
}

/// What a symbol names; the numbers are those of Intel's `GenSymType`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolKind {
    /// A function that stack calls reach.
    Function = 2,
    /// A kernel.
    Kernel = 6,
}

narrow::enum_numbers!(SymbolKind: number u8);

/// What a linker writes; the numbers are those of Intel's `GenRelocType`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelocationKind {
    /// The low 32 bits of the symbol's address.
    AddressLow = 2,
    /// The high 32 bits.
    AddressHigh = 3,
}

narrow::enum_numbers!(RelocationKind: number u8);

/// What a runtime needs to launch a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelInfo {
    /// Name of the kernel.
    pub name: String,
    /// The platform the code runs on.
    pub platform: Platform,
    /// Channels of one hardware thread (1 for kernels of the vector compiler).
    pub simd: u8,
    /// General registers the thread must be given.
    pub grf_count: u16,
    /// General registers from `r0` to the highest one that the code touches. (Ends of threads are sent
    /// from `r112` and up.)
    pub grfs_used: u16,
    /// Shared local memory in bytes, as the input declares it.
    pub slm_bytes: u32,
    /// Barriers the kernel uses.
    pub barriers: u8,
    /// Scratch memory of one thread in bytes, spills included.
    pub scratch_bytes: u32,
    /// Bytes of that used by spills, from `SpillMemOffset` on.
    pub spill_bytes: u32,
    /// Inputs in the order of the object.
    pub inputs: Vec<InputInfo>,
    /// Functions that are called through the stack, in the order of their code, behind the kernel's.
    pub functions: Vec<FunctionInfo>,
    /// Bytes from the start of the code to the entry that skips loading of per-thread data, a multiple of
    /// 64: for launches whose hardware puts local ids into registers. 0 if there is nothing to skip
    /// (platforms where hardware brings the payload, kernels without such data).
    pub skip_per_thread_load: u32,
    /// Bytes from the start of the code to what follows the loads of cross-thread data, or 0; for tools
    /// that look at the code: it need not be where a launch can start.
    pub skip_cross_thread_load: u32,
}

/// A function in a kernel's code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionInfo {
    /// Its name, which relocations of other code may name.
    pub name: String,
    /// Bytes from the start of the code.
    pub offset: u32,
    /// Bytes of code.
    pub size: u32,
}

/// One input of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputInfo {
    /// The input variable's name.
    pub name: String,
    /// What kind of variable it fills.
    pub kind: InputKind,
    /// Where the runtime finds the value: a kernel argument, or something the launch defines.
    pub provenance: visa::Provenance,
    /// Byte offset in the register file at kernel start.
    pub offset: u32,
    /// Bytes.
    pub size: u32,
}

/// The kind of variable that an input fills.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputKind {
    /// Data in general registers.
    General,
    /// A sampler: the value is its state's index or offset.
    Sampler,
    /// A surface: the value is its binding table index or state offset.
    Surface,
}

narrow::enum_numbers!(InputKind: number u8);

/// Figures on one kernel's code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// vISA instructions, labels and debug marks not counted.
    pub visa_instructions: u32,
    /// Gen instructions.
    pub gen_instructions: u32,
    /// Of them, `nop`, `illegal` and `sync`.
    pub gen_padding: u32,
    /// Instructions in the 8-byte form.
    pub compacted: u32,
    /// Registers stored to scratch, counted in messages.
    pub spills: u32,
    /// Registers loaded from scratch, counted in messages.
    pub fills: u32,
    /// Flag and address values that had to wait in general registers.
    pub flag_spills: u32,
    /// The registers that operands behind addresses touch: any, where that is not known or there are none.
    pub addressed: RegisterSet,
    /// Time per pass, in order, if [`Options::timings`](crate::Options::timings) asks for it.
    pub times: Vec<PassTime>,
}
