//! What the passes of one kernel or function share: the memory they work in, what they ask, and what they find out.

use gen_ir::{Inst, Kernel, Physical, Pool, Virtual};
use narrow::{as_index, to_index};
use visa::{Module, Verifier};

use crate::{
    Diagnostic, Options, legalize,
    link::{calls, entries, places, relocate},
    lower, optimize, schedule, swsb,
};

/// Memory that the passes work in, from one kernel to the next.
#[derive(Debug, Default)]
pub(crate) struct Workspace {
    pub verifier: Verifier,
    pub lower: lower::LowerMemory,
    pub analyses: optimize::Analyses,
    pub optimize: optimize::OptimizeMemory,
    pub legalize: legalize::LegalizeMemory,
    pub structurize: structurizer::StructurizeMemory,
    pub pair_guard: regalloc::PairGuard,
    pub registers: regalloc::AllocationMemory,
    /// Functions that the routines of a binary call.
    pub callees: Vec<u32>,
    pub schedule: schedule::ScheduleMemory,
    /// Instructions of a block as they are written anew.
    pub rewritten: Vec<Inst<Physical>>,
    pub swsb: swsb::DataFlow,
    pub legal: gen_ir::rules::Seen,
    pub virtuals: Pool<Virtual>,
    pub physicals: Pool<Physical>,
    /// Symbols that the code of all routines names.
    pub symbols: Vec<relocate::SymbolUse>,
    /// Some pass has used more registers to save instructions.
    pub registers_traded: bool,
    /// The kernel spilled because of that, so such passes do nothing when it is compiled again.
    pub registers_scarce: bool,
}

/// A kernel or function over registers.
#[derive(Debug)]
pub(crate) struct Routine {
    /// The function's number in the module.
    pub number: u32,
    /// How many routines of the binary were made before it.
    pub rank: u32,
    pub code: Kernel<Physical>,
    /// Instructions of the code.
    pub insts: usize,
    pub allocation: regalloc::AllocStats,
    /// Its symbols: their first and end.
    pub symbols: (usize, usize),
    pub calls: calls::Calls,
    /// Bytes of scratch memory that one activation uses, in whole units of frames.
    pub frame: u32,
    pub entries: entries::Entries,
    pub warnings: Vec<Diagnostic>,
    /// Where its variables are, if debug information was asked for.
    pub places: Vec<places::VariablePlace>,
}

/// A kernel that was made, with what the workspace has of it.
#[derive(Debug, Default)]
pub(crate) struct Aside {
    pub routines: Vec<Routine>,
    symbols: Vec<relocate::SymbolUse>,
    callees: Vec<u32>,
}

impl Aside {
    /// What was set aside, and what has been made since, change places.
    pub fn change_places(&mut self, routines: &mut Vec<Routine>, work: &mut Workspace) {
        std::mem::swap(routines, &mut self.routines);
        std::mem::swap(&mut work.symbols, &mut self.symbols);
        std::mem::swap(&mut work.callees, &mut self.callees);
    }
}

/// The base of scratch memory moves in these steps.
pub(crate) const FRAME_UNIT: u32 = 1024;

/// What does not change from one routine of a binary to the next.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub options: &'a Options,
    pub module: &'a Module,
    /// General registers of a thread: functions share them with the kernel that calls them.
    pub registers: u16,
}

/// A kernel or function on its way: what passes ask and what they find out, beside the code.
pub(crate) struct Job<'a> {
    pub cx: Context<'a>,
    pub source: &'a visa::Kernel,
    /// The size of the kernel that calls a function.
    pub simd: Option<u8>,
    pub warnings: Vec<Diagnostic>,
    /// Destinations reach over the end of their variables.
    pub tails: bool,
    pub allocation: regalloc::AllocStats,
    pub calls: calls::Calls,
    pub frame: u32,
    pub entries: entries::Entries,
    pub symbols: (usize, usize),
    /// What lowering writes into variables, if debug information was asked for.
    pub defined: Option<places::Defined>,
    /// What was given registers, for as long as instructions have their number in that as their origin.
    pub placed: Option<regalloc::Placed>,
    pub places: Vec<places::VariablePlace>,
}

impl<'a> Job<'a> {
    pub fn new(cx: Context<'a>, source: &'a visa::Kernel, simd: Option<u8>) -> Job<'a> {
        Job {
            cx,
            source,
            simd,
            warnings: Vec::new(),
            tails: false,
            allocation: regalloc::AllocStats::default(),
            calls: calls::Calls::default(),
            frame: 0,
            entries: entries::Entries::default(),
            symbols: (0, 0),
            defined: None,
            placed: None,
            places: Vec::new(),
        }
    }

    /// The vISA instruction that the origin of an instruction stands for.
    pub fn origin(&self, origin: u32) -> u32 {
        match &self.placed {
            Some(placed) => {
                placed.origins.get(as_index(origin)).copied().unwrap_or(Inst::<Physical>::NO_ORIGIN)
            }
            None => origin,
        }
    }

    /// Finds where variables are, and gives instructions their origins back.
    pub fn find_places(&mut self, code: &mut Kernel<Physical>) {
        if let (Some(defined), Some(placed)) = (self.defined.take(), &self.placed) {
            self.places = places::find(&defined, placed, code, self.source);
        }
        if self.placed.is_some() {
            for inst in code.blocks.iter_mut().flat_map(|b| &mut b.insts) {
                inst.origin = self.origin(inst.origin);
            }
            self.placed = None;
        }
    }
}

/// The function that a call's vISA instruction names, if the module has it.
pub(crate) fn callee(source: &visa::Kernel, module: &Module, origin: u32) -> Option<u32> {
    let visa::Op::Fcall { function, .. } = source.try_inst(as_index(origin)).ok()?.op else { return None };
    let name = source.str(function);
    module.functions.iter().position(|f| *f.name() == *name).map(|i| to_index(i))
}
