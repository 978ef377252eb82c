//! What lowering works with: the kernel that is made so far, the current block, and the current vISA instruction's
//! channels and predicate. The files beside this one add what becomes of a family of instructions; none of them is
//! imported here.

use gen_ir::{Block, BlockId, Kernel, Pool, Pred, PredCtrl, Var, VarClass, VarId, Virtual};
use platforms::Caps;
use smallvec::SmallVec;
use visa::Opcode;

use super::{Feature, Lowered, Unsupported, declarations, facts::SourceFacts, moved_flags::Moved};
use crate::build::{Lanes, VInst, VReg};

/// Memory that lowering works in.
#[derive(Debug, Default)]
pub(crate) struct LowerMemory {
    /// Numbers of the finished blocks, in layout order.
    pub(super) blocks: Vec<BlockId>,
    /// Return address variable of each subroutine, by entry block.
    pub(super) return_addresses: Vec<Option<VarId>>,
    pub(super) facts: SourceFacts,
    /// New numbers of blocks, by their old ones.
    pub(super) places: Vec<(BlockId, BlockId)>,
    pub(super) vars: declarations::VarLists,
}

/// The state of one kernel's lowering.
pub(crate) struct Lowerer<'a> {
    pub visa: &'a visa::Kernel,
    pub caps: &'static Caps,
    pub out: Kernel<Virtual>,
    pub(super) lists: &'a mut LowerMemory,
    pub(super) pool: &'a mut Pool<Virtual>,
    pub(super) facts: SourceFacts,
    /// Instructions of the current block, in a list of the pool.
    pub(super) insts: Vec<VInst>,
    /// The current block's number: blocks that vISA has come first, then those that lowering adds.
    pub(super) block: BlockId,
    /// Blocks that lowering added.
    pub(super) added: u32,
    pub(super) vars: declarations::VarMap,
    /// Inside a subroutine: the variable that holds its return address.
    pub(super) subroutine: Option<VarId>,
    /// Where returns of the current routine go, if it has several or conditional ones.
    pub(super) exit: Option<BlockId>,
    /// The block that follows in vISA.
    pub(super) next_block: BlockId,
    /// The last instruction of the current routine.
    pub(super) last: u32,
    /// Channels of its widest return so far, of at least eight.
    pub(super) returning: gen_ir::ExecSize,
    /// End of the highest channels that an instruction of the kernel works on, once that is asked for.
    pub(super) widest: Option<u32>,
    /// Channels and predicate of the current vISA instruction.
    pub lanes: Lanes,
    pub pred: Option<Pred<Virtual>>,
    /// What stands for its predicates, where its channels are moved.
    pub(super) moved: Moved,
    pub(crate) origin: u32,
    pub(crate) relocate_payload: bool,
    pub(crate) inline_payload: bool,
    pub(super) tails: bool,
    /// The kernel writes global memory, shared local memory.
    pub writes: Writes,
    /// Registers that operands of a message in groups of lanes stand for.
    pub staged: SmallVec<[VReg; 8]>,
    /// A `wait` that no message has served yet: how many instructions the block had then.
    pub waiting: Option<usize>,
    /// The thread has ended: what else the block says is never reached.
    pub ended: bool,
}

/// What a kernel's messages write.
#[derive(Clone, Copy, Default)]
pub(crate) struct Writes {
    /// Memory, but for texels.
    pub global: bool,
    pub texels: bool,
    pub local: bool,
}

/// Instructions that a block gets room for when it has no more.
const SOME: usize = 4;

/// Makes room for an instruction at the end of a block.
#[inline(always)]
fn make_room(insts: &mut Vec<VInst>, pool: &mut Pool<Virtual>) {
    if insts.len() == insts.capacity() {
        pool.grow(insts, SOME);
    }
}

impl Lowerer<'_> {
    /// Emits code that nothing made before or after it in the same block may serve.
    pub(crate) fn apart<T>(&mut self, emit: impl FnOnce(&mut Self) -> T) -> T {
        let block = self.block;
        self.block = self.reserve_block();
        let result = emit(self);
        self.end_block();
        self.block = block;
        result
    }

    /// A block of vISA starts, with so many instructions.
    pub(super) fn begin_block(&mut self, number: u32, count: usize) {
        self.block = BlockId(number);
        self.ended = false;
        self.next_block = BlockId(number + 1);
        self.pool.grow(&mut self.insts, count);
        self.vars.forget_handles();
    }

    pub(super) fn end_block(&mut self) {
        self.end_wait();
        let insts = std::mem::take(&mut self.insts);
        self.out.blocks.push(Block { insts, succs: Default::default() });
        self.lists.blocks.push(self.block);
    }

    /// Ends the current block inside of a vISA instruction; returns the number of the one that starts.
    pub(crate) fn new_block(&mut self) -> BlockId {
        self.end_block();
        self.block = self.reserve_block();
        self.block
    }

    /// The number of a block that lowering will add.
    pub(super) fn reserve_block(&mut self) -> BlockId {
        const FIRST_ADDED: u32 = 1 << 31;
        self.added += 1;
        BlockId(FIRST_ADDED + self.added - 1)
    }

    /// Appends an instruction with nothing but an opcode and the current vISA instruction's channels and
    /// predicate.
    #[inline]
    pub(crate) fn append(&mut self, op: gen_ir::Op) -> &mut VInst {
        make_room(&mut self.insts, self.pool);
        let Lanes { exec, chan, no_mask } = self.lanes;
        let (pred, origin) = (self.pred, self.origin);
        self.insts.push(VInst { chan, no_mask, pred, origin, ..VInst::new(op, exec) });
        let last = self.insts.len() - 1;
        &mut self.insts[last]
    }

    /// Appends an instruction.
    pub(crate) fn emit(&mut self, mut inst: VInst) {
        inst.origin = self.origin;
        make_room(&mut self.insts, self.pool);
        self.insts.push(inst);
    }

    /// Puts what was emitted since the last block ended into a finished block.
    pub(crate) fn insert(&mut self, block: usize, at: usize) {
        let mut new = std::mem::take(&mut self.insts);
        let insts = &mut self.out.blocks[block].insts;
        self.pool.grow(insts, new.len());
        insts.splice(at..at, new.drain(..));
        self.pool.keep(new);
    }

    /// The instructions of the current block.
    pub(crate) fn block_insts(&mut self) -> &mut Vec<VInst> {
        &mut self.insts
    }

    /// Appends an instruction guarded by the current vISA instruction's predicate.
    pub(crate) fn emit_guarded(&mut self, mut inst: VInst) {
        inst.pred = self.pred;
        self.emit(inst);
    }

    /// Sets an option of the instruction that was emitted last.
    pub(crate) fn add_option(&mut self, option: gen_ir::Options) {
        if let Some(last) = self.insts.last_mut() {
            last.opts = last.opts.with(option);
        }
    }

    /// A new variable.
    pub(crate) fn var(&mut self, var: Var) -> VarId {
        self.out.add_var(var)
    }

    /// A new general variable that starts at a register.
    pub(crate) fn payload(&mut self, registers: u32) -> VReg {
        let grf = u32::from(self.caps.regs.grf_bytes);
        let id = self.var(crate::build::general(registers * grf, grf));
        VReg::var_at(id, 0)
    }

    /// A new dword of the address register, for a descriptor.
    pub(crate) fn address_dword(&mut self) -> VReg {
        VReg::var_at(self.var(Var::temp(VarClass::Address, 4, 4)), 0)
    }

    /// A new general temporary of `lanes` elements of `bytes` bytes, register aligned unless scalar.
    pub(crate) fn temp(&mut self, lanes: u32, bytes: u32) -> VReg {
        let grf = u32::from(self.caps.regs.grf_bytes);
        let align = if lanes == 1 { bytes } else { grf };
        let id = self.var(crate::build::general(lanes * bytes, align));
        VReg::var_at(id, 0)
    }

    /// Bytes of a register.
    pub(crate) fn grf(&self) -> u32 {
        u32::from(self.caps.regs.grf_bytes)
    }

    pub(super) fn any(&self, lanes: Lanes) -> PredCtrl {
        PredCtrl::any_of(lanes.exec, self.caps.words.pred_width)
    }

    pub(super) fn all(&self, lanes: Lanes) -> PredCtrl {
        PredCtrl::all_of(lanes.exec, self.caps.words.pred_width)
    }

    /// The current instruction ends its routine.
    pub(super) fn is_last(&self) -> bool {
        self.origin == self.last
    }

    /// Refuses an instruction that the platform does not have.
    pub(crate) fn unsupported<T>(&self, opcode: Opcode) -> Lowered<T> {
        self.lacks(Feature::Instruction(opcode))
    }

    /// Refuses a feature if the platform does not have it.
    pub(crate) fn needs(&self, has: bool, feature: Feature) -> Lowered {
        if has { Ok(()) } else { self.lacks(feature) }
    }

    /// Refuses what the platform does not have.
    pub(crate) fn lacks<T>(&self, feature: Feature) -> Lowered<T> {
        Err(Unsupported::Lacks { feature, platform: self.caps.platform }.into())
    }
}
