//! Kernels: variables, blocks, and the facts a runtime needs.

use crate::{BlockId, FileByte, Inst, Outside, Payload, RegisterSet, Space, VarId, Virtual};
use narrow::to_index;
use platforms::Platform;
use smallvec::SmallVec;

/// Which file a variable lives in.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum VarClass {
    /// General registers.
    General,
    /// Flag registers.
    Flag,
    /// Address register `a0`.
    Address,
}

narrow::enum_numbers!(VarClass: index usize);

/// A variable before allocation. Aliases are resolved by lowering: only roots stand here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Var {
    /// Register file.
    pub class: VarClass,
    /// Size in bytes (flags: 2 or 4; addresses: 2 per subregister).
    pub bytes: u32,
    /// Alignment in bytes; at least the element size. General variables that messages read or write
    /// are GRF-aligned.
    pub align: u32,
    /// Smaller than a register and declared to begin one, as compilers do it with what lanes have. [`Var::align`] is what is needed;
    /// if that is less, the variable still has a register to itself where these are not scarce: the scheduler and the hardware tell
    /// registers apart.
    pub own_grf: bool,
    /// Starts at an even register number.
    pub even_grf: bool,
    /// Where in its register file it must be (inputs, `r0` itself, stack-call ABI).
    pub fixed: Option<FileByte>,
    /// Holds a value when the kernel starts.
    pub live_in: bool,
    /// Holds a value that is read after the kernel or function ends.
    pub live_out: bool,
    /// Never spilled (spill temporaries, message headers of spills).
    pub no_spill: bool,
    /// May be read or written through an address (its address is taken): its bytes are touched by any
    /// indirect access.
    pub address_taken: bool,
    /// A flag that says whether any channel is on where it was written last. To each thread of which some is, an instruction
    /// that ignores the mask does under it what it does without a predicate.
    pub any_on: bool,
    /// The vISA variable that it stands for, if any (index into the vISA kernel's general, predicate, address
    /// or state variables).
    pub origin: Option<u32>,
}

impl Var {
    /// A temporary of `bytes` bytes aligned to `align` bytes.
    pub const fn temp(class: VarClass, bytes: u32, align: u32) -> Var {
        Var {
            class,
            bytes,
            align,
            own_grf: false,
            even_grf: false,
            fixed: None,
            live_in: false,
            live_out: false,
            no_spill: false,
            address_taken: false,
            any_on: false,
            origin: None,
        }
    }

    /// Whether it is a general variable that no address leads to: all that touches it names it.
    pub const fn is_only_named(&self) -> bool {
        matches!(self.class, VarClass::General) && !self.address_taken
    }

    /// Whether it was made to carry out a vISA instruction. If one block touches it, it holds nothing where that
    /// starts.
    pub const fn is_temporary(&self) -> bool {
        let Var { origin, fixed, live_in, live_out, address_taken, .. } = self;
        origin.is_none() && fixed.is_none() && !*live_in && !*live_out && !*address_taken
    }
}

/// Successors of a block: hardly ever more than two.
pub type Succs = SmallVec<[BlockId; 2]>;

/// A basic block: straight-line code, then at most one flow-control instruction at its end
/// (`join`/`endif` stand at its start).
#[derive(Clone, Debug)]
pub struct Block<S: Space> {
    /// Instructions in order.
    pub insts: Vec<Inst<S>>,
    /// Successors: fall-through first, then the taken target(s). A `call` lists its callee's entry and
    /// then the block after it; a `ret` lists nothing.
    pub succs: Succs,
}

impl<S: Space> Default for Block<S> {
    fn default() -> Self {
        Block { insts: Vec::new(), succs: Succs::new() }
    }
}

/// A kernel or function body.
#[derive(Clone, Debug)]
pub struct Kernel<S: Space> {
    /// Name from the object.
    pub name: String,
    /// The platform the code is for.
    pub platform: Platform,
    /// General registers the thread has: as one of the platform's files.
    pub grf_count: u16,
    /// How many of them, at the end, are not given to variables that have no place: only the message that ends the
    /// thread, and what calls agree on, is there.
    pub reserved: u16,
    /// Channels the kernel was written for: 1, 8, 16 or 32.
    pub simd: u8,
    /// Every one of the 32 channels is on when the thread starts, however many the kernel was written for:
    /// said of Cm kernels.
    pub all_channels: bool,
    /// Threads may run as pairs with one instruction pointer ([`Flow::fused_pairs`](platforms::Flow::fused_pairs)).
    pub pairs: bool,
    /// Variables; empty in physical code.
    pub vars: Vec<Var>,
    /// Blocks in layout order; the first is the entry.
    pub blocks: Vec<Block<S>>,
    /// Entry blocks of subroutines (targets of `call`), in layout order. The blocks from one entry to
    /// the next belong to that subroutine; those before the first belong to the kernel.
    pub subroutines: Vec<BlockId>,
    /// Byte offset in scratch memory where spills may start.
    pub spill_offset: u32,
    /// The header of scratch messages, where that is not `r0`: a function's frame moves.
    pub scratch_header: Option<VarId>,
    /// Some instruction has to do with code outside of the kernel: marks of the calling convention
    /// ([`Outside`](crate::Outside)), immediates that a linker fills in.
    pub outside: bool,
    /// Messages at the start of the first block that load the payload of each thread, and those after them
    /// that load what all threads share (platforms where the kernel loads its own payload).
    pub payload_loads: [u16; 2],
    /// In physical code, the registers that operands behind addresses touch: those of the variables whose address is taken
    /// ([`Var::address_taken`]); all, where that is not known.
    pub addressed: RegisterSet,
}

impl<S: Space> Kernel<S> {
    /// An empty kernel.
    pub fn new(name: impl Into<String>, platform: Platform) -> Self {
        Kernel {
            name: name.into(),
            platform,
            grf_count: platform.caps().regs.default_file().grfs,
            reserved: 0,
            simd: 8,
            all_channels: false,
            pairs: platform.caps().flow.fused_pairs,
            vars: Vec::new(),
            blocks: Vec::new(),
            subroutines: Vec::new(),
            spill_offset: 0,
            scratch_header: None,
            outside: false,
            payload_loads: [0; 2],
            addressed: RegisterSet::ALL,
        }
    }

    /// Whether it is a function, which some of its caller's lanes may run without the others: what a write under the mask
    /// leaves of a variable may have been written for all lanes, and be read by others.
    pub fn is_called(&self) -> bool {
        let returns = |inst: &Inst<S>| matches!(inst.payload, Payload::Outside(Outside::Return));
        self.blocks.iter().any(|b| b.insts.last().is_some_and(returns))
    }

    /// Number of instructions.
    pub fn inst_count(&self) -> usize {
        self.blocks.iter().map(|b| b.insts.len()).sum()
    }

    /// The subroutine that a block belongs to, by its place in [`subroutines`](Self::subroutines); none for blocks of the
    /// kernel itself.
    pub fn subroutine_of(&self, block: BlockId) -> Option<usize> {
        self.subroutines.partition_point(|s| *s <= block).checked_sub(1)
    }

    /// All instructions with their block, in layout order.
    pub fn insts(&self) -> impl Iterator<Item = (BlockId, &Inst<S>)> {
        self.blocks
            .iter()
            .enumerate()
            .flat_map(|(b, block)| block.insts.iter().map(move |i| (BlockId(to_index(b)), i)))
    }
}

impl<S: Space> Kernel<S> {
    /// Whether both threads of a pair go where the first one's call does ([`platforms::Errata::shared_calls`]), and there is
    /// something to do about it: channels behind those of a thread.
    pub fn shares_calls(&self) -> bool {
        self.pairs && self.platform.caps().errata.shared_calls && self.simd <= 16
    }

    /// Instructions at the start of the first block up to the last message of the prologue that loads
    /// the payload of each thread, and up to the last that loads what all threads share.
    pub fn payload_ends(&self) -> [usize; 2] {
        let [own, shared] = self.payload_loads.map(usize::from);
        let Some(first) = self.blocks.first() else { return [0; 2] };
        let sends = || first.insts.iter().enumerate().filter(|(_, i)| i.op.is_send());
        let end = |n: usize| n.checked_sub(1).and_then(|n| sends().nth(n)).map_or(0, |(at, _)| at + 1);
        [end(own), end(own + shared)]
    }

    /// The number of registers up to the last one that the prologue loads the payload into; 0 where the hardware does
    /// or there is none.
    pub fn loaded_registers(&self) -> u32 {
        let [_, end] = self.payload_ends();
        let grf_bytes = u32::from(self.platform.caps().regs.grf_bytes);
        let behind = |load: &Inst<S>| {
            let loaded = load.dst_extent(grf_bytes)?.in_file(load.dst.reg()?.grf_number()?, grf_bytes);
            Some(loaded.end.div_ceil(grf_bytes))
        };
        let first = self.blocks.first().map_or(&[][..], |b| &b.insts[..end]);
        first.iter().filter(|i| i.op.is_send()).filter_map(behind).max().unwrap_or(0)
    }
}

impl Kernel<Virtual> {
    /// Adds a variable.
    #[inline]
    pub fn add_var(&mut self, var: Var) -> VarId {
        push_var(&mut self.vars, var)
    }
}

/// Adds a variable to those of a kernel.
#[inline]
pub fn push_var(vars: &mut Vec<Var>, var: Var) -> VarId {
    let id = VarId(u32::try_from(vars.len()).expect("more variables than an index holds"));
    vars.push(var);
    id
}
