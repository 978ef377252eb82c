//! What is placed, and where: what the scan is given, and what it gives back.

use crate::analysis::{facts::LaneLayout, liveness::Liveness};
use gen_ir::{AddrSub, FileByte, FlagSub, Kernel, VarClass, VarId, Virtual};
use typed_index_collections::TiVec;

/// One of the variables that are placed together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct IntervalId(pub u32);

narrow::index_type!(IntervalId);

/// What is placed.
pub(crate) type Intervals = TiVec<IntervalId, Interval>;

/// What the scan knows of one variable.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Interval {
    pub var: VarId,
    pub bytes: u32,
    pub align: u32,
    /// Its first byte in the file, if it must be there.
    pub fixed: Option<FileByte>,
    /// Lowest byte offset allowed.
    pub low: u32,
    /// One past the highest byte offset that the variable may cover.
    pub high: u32,
    /// Cost of a spill; infinite if impossible.
    pub cost: f32,
    /// How lanes' elements lie, if each lane writes and reads only its own. Two such variables of one layout may share registers
    /// where one of them is held only by lanes that wait.
    pub lanes: Option<LaneLayout>,
    /// A message reads it, some time after the message was issued.
    pub is_payload: bool,
    /// It is smaller than a register and declared to begin one: lanes have it, not a thread.
    pub is_vector: bool,
    /// It has registers only where all others leave some.
    pub is_last: bool,
}

/// How variables are placed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Strategy {
    /// In the order in which they become live, each in the first place that is free. Cheaper ones make room for what
    /// finds none, or it is spilled itself.
    Packed,
    /// The same, round-robin through the registers rather than from the lowest on: then a scheduler may move
    /// instructions past each other, and the hardware waits less for registers that were just in use. Nothing makes
    /// room for another: placing ends, as failed, with the first that finds no place.
    InTurn,
    /// In turn as long as there are registers that nobody has had, then where nobody has been for longest: the scheduler may
    /// move more, but room for large variables is broken up sooner.
    LongestFree,
    /// Those of whole registers first, the largest first of all; then nothing small is where only something large would
    /// fit. Each in the first place that is free; nothing makes room for another here either.
    LargestFirst,
}

impl Strategy {
    /// Whether it matters for how long nobody has been in a register.
    pub const fn is_longest_free(self) -> bool {
        matches!(self, Strategy::LongestFree)
    }

    /// Whether places are taken in turn, one way or the other.
    pub const fn is_in_turn(self) -> bool {
        matches!(self, Strategy::InTurn | Strategy::LongestFree)
    }
}

/// What may be in the place of what it is made of, where places are not taken in turn or waiting lanes share them.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) enum InPlace {
    /// It is, where it can: then a scheduler may move instructions further, for less is written over.
    #[default]
    First,
    /// Where no other place is free: the lowest places are filled first.
    Last,
}

/// A register file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct File {
    pub regs: u32,
    /// Log2 of a register's bytes.
    pub reg_log: u32,
    pub strategy: Strategy,
    pub in_place: InPlace,
    /// What is declared to begin a register has one to itself ([`gen_ir::Var::own_grf`]).
    pub own_grf: bool,
    /// Once all have places, these are handed out anew, there where nobody has been for longest.
    pub renames: bool,
    /// The register behind the payload that a prologue loads: what is put where a load is under way waits for it, wanted
    /// or not. Where registers are not scarce, places are looked for from here on first.
    pub first: u32,
}

impl File {
    /// The file that a class of a kernel's variables lives in. Flags and addresses have a register for each 16 bits, the least
    /// that a variable of theirs takes: what has whole registers is looked up in one table, and need not be compared with
    /// each other variable that is alive.
    pub fn of(kernel: &Kernel<Virtual>, class: VarClass, strategy: Strategy) -> File {
        let caps = kernel.platform.caps();
        let (regs, reg_bytes) = match class {
            VarClass::General => (u32::from(kernel.grf_count), u32::from(caps.regs.grf_bytes)),
            VarClass::Flag => {
                (u32::from(caps.regs.flag_count) * FlagSub::REGISTER_BYTES / FlagSub::BYTES, FlagSub::BYTES)
            }
            VarClass::Address => (caps.regs.addr_subregs.into(), AddrSub::BYTES),
        };
        debug_assert!(reg_bytes.is_power_of_two(), "{class:?}");
        let first = if class == VarClass::General { kernel.loaded_registers() } else { 0 };
        let reg_log = reg_bytes.trailing_zeros();
        // Descriptors have to be in the first address register: that is not to be taken by what comes before.
        let strategy = if class == VarClass::Address { Strategy::Packed } else { strategy };
        File { regs, reg_log, strategy, in_place: InPlace::default(), own_grf: false, renames: false, first }
    }

    /// Bytes of a register. That they are a power of two spares the scan its divisions.
    pub const fn reg_bytes(self) -> u32 {
        1 << self.reg_log
    }
}

/// Which variables may share registers although both are alive somewhere.
#[derive(Clone, Copy)]
pub(crate) enum Sharing<'a> {
    /// None.
    None,
    /// Those that are lane by lane, with one layout, where lanes that run do not need both. These are the ranges where they do.
    ByLane(&'a Liveness),
    /// Those that pass by the same subroutine. These are the ranges in which variables live by themselves, and those
    /// of subroutines by which they pass.
    InCalls(&'a [Liveness; 2]),
}

/// Where everything went.
#[derive(Default)]
pub(crate) struct Placement {
    /// First byte in the file by variable; none where not placed.
    pub at: TiVec<VarId, Option<FileByte>>,
    /// Variables that must be spilled, in order of the index.
    pub spilled: Vec<VarId>,
    /// The variable that could not be placed although nothing can be spilled for it.
    pub failed: Option<VarId>,
    /// One past the highest byte used.
    pub used: u32,
}

impl Placement {
    /// Nothing of so many variables has a place.
    pub fn start(&mut self, vars: usize) {
        self.at.clear();
        self.at.resize(vars, None);
        self.spilled.clear();
        (self.failed, self.used) = (None, 0);
    }
}
