//! vISA kernel to Gen IR: a control flow graph of Gen instructions on variables.
//!
//! Comes in: a decoded kernel. Goes out: blocks in layout order, branches last, one variable per alias
//! root, messages with descriptor and payload; exec sizes, types and regions as vISA has them (whether
//! they can be encoded is [`crate::legalize`]'s business). What is not known how to lower is refused by
//! name, every instruction of the kernel, not only the first.
//!
//! One file per instruction family; messages to shared functions stand in [`crate::messages`].

pub(crate) mod address;
pub(crate) mod alu;
mod flow;
mod identity;
mod ieee;
mod math;
pub(crate) mod operand;
mod predicates;
mod stack;
mod systolic;
pub(crate) mod vars;

use std::fmt;

use gen_ir::{Block, BlockId, Kernel, Pool, Pred, PredCtrl, Var, VarId, Virtual};
use platforms::{Caps, Platform};
use visa::{Op, Opcode};

use crate::{
    build::{Lanes, VInst, VReg},
    lists::reset,
};

/// Choices that are not in the kernel.
#[derive(Clone, Debug, Default)]
pub struct LowerOptions {
    /// Give the thread the large register file where the platform has one.
    pub large_grf: bool,
    /// Channels of the kernel that calls a function.
    pub simd: Option<u8>,
}

/// An instruction that cannot be lowered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LowerError {
    /// The kernel.
    pub kernel: String,
    /// Index of the vISA instruction.
    pub index: u32,
    /// Byte offset in the object, or line of the text.
    pub place: u32,
    /// The vISA opcode.
    pub opcode: &'static str,
    /// Why.
    pub reason: String,
}

impl fmt::Display for LowerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LowerError { kernel, index, place, opcode, reason } = self;
        write!(f, "kernel `{kernel}`, instruction {index} ({opcode}, at {place}): {reason}")
    }
}

impl std::error::Error for LowerError {}

/// Why the current instruction cannot be lowered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal(pub String);

impl<T: Into<String>> From<T> for Refusal {
    fn from(reason: T) -> Refusal {
        Refusal(reason.into())
    }
}

/// What lowering one instruction gives.
pub(crate) type Lowered<T = ()> = Result<T, Refusal>;

/// Memory that lowering works in.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    /// Instructions of the current block.
    insts: Vec<VInst>,
    /// Numbers of the finished blocks, in layout order.
    blocks: Vec<BlockId>,
    /// The block of each label.
    labels: Vec<Option<BlockId>>,
    /// Return address variable of each subroutine, by entry block.
    return_addresses: Vec<(BlockId, VarId)>,
    /// Whether a block starts at each instruction.
    starts: Vec<bool>,
    routines: flow::Routines,
    /// New numbers of blocks, by their old ones.
    places: Vec<(BlockId, BlockId)>,
    vars: vars::Lists,
}

/// The state of one kernel's lowering.
pub(crate) struct Lowerer<'a> {
    pub visa: &'a visa::Kernel,
    pub caps: &'static Caps,
    pub out: Kernel<Virtual>,
    lists: &'a mut Scratch,
    pool: &'a mut Pool<Virtual>,
    /// The current block's number: blocks that vISA has come first, then those that lowering adds.
    block: BlockId,
    /// Blocks that lowering added.
    added: u32,
    vars: vars::VarMap,
    /// Inside a subroutine: the variable that holds its return address.
    subroutine: Option<VarId>,
    /// Where returns of the current routine go, if it has several or conditional ones.
    exit: Option<BlockId>,
    /// The block that follows in vISA.
    next_block: BlockId,
    /// The current instruction ends its routine.
    is_last: bool,
    /// Channels and predicate of the current vISA instruction.
    pub lanes: Lanes,
    pub pred: Option<Pred<Virtual>>,
    origin: u32,
    /// The kernel writes global memory, shared local memory.
    pub writes: Writes,
}

/// What a kernel's messages write.
#[derive(Clone, Copy, Default)]
pub(crate) struct Writes {
    pub global: bool,
    pub local: bool,
}

/// Lowers a kernel for a platform.
///
/// # Errors
///
/// Every instruction that has no lowering.
pub fn lower(
    kernel: &visa::Kernel,
    platform: Platform,
    options: &LowerOptions,
    scratch: &mut Scratch,
    pool: &mut Pool<Virtual>,
) -> Result<Kernel<Virtual>, Vec<LowerError>> {
    let mut errors = Vec::new();
    let fault = |index: usize, reason: String| LowerError {
        kernel: kernel.name().into_owned(),
        index: index as u32,
        place: kernel.code.get(index).map_or(0, |r| r.place),
        opcode: kernel.code.get(index).map_or("", |r| r.opcode.name()),
        reason,
    };
    // The lists that are only read while the others are filled.
    let mut starts = std::mem::take(&mut scratch.starts);
    let mut routines = std::mem::take(&mut scratch.routines);
    flow::block_starts(kernel, &mut starts);
    routines.find(kernel);
    let mut lowerer = match Lowerer::new(kernel, platform, options, &starts, scratch, pool) {
        Ok(lowerer) => lowerer,
        Err(Refusal(reason)) => return Err(vec![fault(0, reason)]),
    };
    lowerer.vars.find_local_predicates(kernel, &starts);
    lowerer.place_labels(&starts);
    lowerer.prologue();
    let mut visa_block = 0;
    for (index, &start) in starts.iter().enumerate().take(kernel.code.len()) {
        if index > 0 && start {
            lowerer.end_block();
            if routines.starts_at(index) {
                lowerer.end_routine().unwrap_or_else(|Refusal(reason)| errors.push(fault(index, reason)));
            }
            visa_block += 1;
            lowerer.block = BlockId(visa_block);
            lowerer.vars.forget_handles();
        }
        if let Some(exit) = routines.exit_of(index) {
            lowerer.begin_routine(exit);
        }
        lowerer.next_block = BlockId(visa_block + 1);
        lowerer.is_last = routines.ends_at(index);
        let inst = match kernel.try_inst(index) {
            Ok(inst) => inst,
            Err((field, value)) => {
                errors.push(fault(index, format!("{field} {value} has no meaning")));
                continue;
            }
        };
        if let Err(Refusal(reason)) = lowerer.instruction(&inst) {
            errors.push(fault(index, reason));
        }
    }
    lowerer.end_block();
    if let Err(Refusal(reason)) = lowerer.end_routine() {
        errors.push(fault(kernel.code.len().saturating_sub(1), reason));
    }
    let kernel = lowerer.finish();
    (scratch.starts, scratch.routines) = (starts, routines);
    if errors.is_empty() { Ok(kernel) } else { Err(errors) }
}

impl<'a> Lowerer<'a> {
    fn new(
        visa: &'a visa::Kernel,
        platform: Platform,
        options: &LowerOptions,
        starts: &[bool],
        lists: &'a mut Scratch,
        pool: &'a mut Pool<Virtual>,
    ) -> Lowered<Lowerer<'a>> {
        let caps = platform.caps();
        let mut out = pool.kernel(&visa.name(), platform);
        if options.large_grf {
            out.grf_count = caps.grf_count_large;
        }
        if let Some(simd) = visa.attr_int("SimdSize") {
            out.simd = u8::try_from(simd).ok().filter(|s| [1, 8, 16, 32].contains(s)).unwrap_or(8);
        } else if let Some(simd) = options.simd {
            out.simd = simd;
        }
        out.spill_offset = visa.attr_int("SpillMemOffset").map_or(0, |o| o.max(0) as u32);
        let vars = vars::VarMap::new(visa, caps, &mut out, starts, std::mem::take(&mut lists.vars))?;
        lists.insts.clear();
        lists.blocks.clear();
        lists.return_addresses.clear();
        reset(&mut lists.labels, visa.labels.len(), None);
        Ok(Lowerer {
            visa,
            caps,
            out,
            lists,
            pool,
            block: BlockId(0),
            added: 0,
            vars,
            subroutine: None,
            exit: None,
            next_block: BlockId(0),
            is_last: false,
            lanes: Lanes::SCALAR,
            pred: None,
            origin: VInst::NO_ORIGIN,
            writes: Writes::default(),
        })
    }

    fn finish(mut self) -> Kernel<Virtual> {
        self.fence_before_end();
        flow::number_blocks(&mut self.out, &self.lists.blocks, &mut self.lists.places);
        flow::link_blocks(&mut self.out);
        self.lists.vars = self.vars.lists;
        self.out
    }

    /// Code that no vISA instruction stands for, before the first one.
    fn prologue(&mut self) {
        // Where the code goes back to its first instruction, the prologue must not run again.
        let body = self.block;
        let apart = self.goes_back_to(body);
        if apart {
            self.block = self.reserve_block();
        }
        if self.caps.payload_prologue && !self.visa.is_function {
            self.load_payload();
        }
        self.stack_prologue();
        self.compute_identity();
        if apart {
            self.end_block();
            self.block = body;
        }
    }

    /// Emits code that nothing made before or after it in the same block may serve.
    pub(crate) fn apart<T>(&mut self, emit: impl FnOnce(&mut Self) -> T) -> T {
        let block = self.block;
        self.block = self.reserve_block();
        let result = emit(self);
        self.end_block();
        self.block = block;
        result
    }

    fn end_block(&mut self) {
        let mut insts = self.pool.list(self.lists.insts.len());
        insts.append(&mut self.lists.insts);
        self.out.blocks.push(Block { insts, succs: Default::default() });
        self.lists.blocks.push(self.block);
    }

    /// Ends the current block inside of a vISA instruction; returns the number of the one that starts.
    fn new_block(&mut self) -> BlockId {
        self.end_block();
        self.block = self.reserve_block();
        self.block
    }

    /// The number of a block that lowering will add.
    fn reserve_block(&mut self) -> BlockId {
        const FIRST_ADDED: u32 = 1 << 31;
        self.added += 1;
        BlockId(FIRST_ADDED + self.added - 1)
    }

    /// Appends an instruction.
    pub(crate) fn emit(&mut self, mut inst: VInst) {
        inst.origin = self.origin;
        self.lists.insts.push(inst);
    }

    /// Puts what was emitted since the last block ended into a finished block.
    pub(crate) fn insert(&mut self, block: usize, at: usize) {
        let insts = &mut self.out.blocks[block].insts;
        self.pool.grow(insts, self.lists.insts.len());
        insts.splice(at..at, self.lists.insts.drain(..));
    }

    /// Appends an instruction guarded by the current vISA instruction's predicate.
    pub(crate) fn emit_guarded(&mut self, mut inst: VInst) {
        inst.pred = self.pred;
        self.emit(inst);
    }

    /// A new variable.
    pub(crate) fn var(&mut self, var: Var) -> VarId {
        self.out.add_var(var)
    }

    /// A new general variable that starts at a register.
    pub(crate) fn payload(&mut self, registers: u32) -> VReg {
        let grf = u32::from(self.caps.grf_bytes);
        let id = self.var(crate::build::general(registers * grf, grf));
        VReg::var_at(id, 0)
    }

    /// A new general temporary of `lanes` elements of `bytes` bytes, register aligned unless scalar.
    pub(crate) fn temp(&mut self, lanes: u32, bytes: u32) -> VReg {
        let grf = u32::from(self.caps.grf_bytes);
        let align = if lanes == 1 { bytes } else { grf };
        let id = self.var(crate::build::general(lanes * bytes, align));
        VReg::var_at(id, 0)
    }

    /// Bytes of a register.
    pub(crate) fn grf(&self) -> u32 {
        u32::from(self.caps.grf_bytes)
    }

    fn guard(&mut self, pred: visa::PredOperand, lanes: Lanes) -> Lowered<Pred<Virtual>> {
        let flag = self.flag(pred.id, lanes)?;
        let ctrl = match pred.ctrl {
            visa::PredCtrl::None => PredCtrl::Seq,
            _ if lanes.exec.lanes() == 1 => PredCtrl::Seq,
            visa::PredCtrl::Any => self.any(lanes),
            visa::PredCtrl::All => self.all(lanes),
        };
        Ok(Pred { flag: VReg::var_at(flag, 0), inv: pred.inverse, ctrl })
    }

    fn any(&self, lanes: Lanes) -> PredCtrl {
        match (self.caps.pred_width, lanes.exec.lanes()) {
            (false, _) => PredCtrl::Any,
            (_, 2) => PredCtrl::Any2h,
            (_, 4) => PredCtrl::Any4h,
            (_, 8) => PredCtrl::Any8h,
            (_, 16) => PredCtrl::Any16h,
            _ => PredCtrl::Any32h,
        }
    }

    fn all(&self, lanes: Lanes) -> PredCtrl {
        match (self.caps.pred_width, lanes.exec.lanes()) {
            (false, _) => PredCtrl::All,
            (_, 2) => PredCtrl::All2h,
            (_, 4) => PredCtrl::All4h,
            (_, 8) => PredCtrl::All8h,
            (_, 16) => PredCtrl::All16h,
            _ => PredCtrl::All32h,
        }
    }

    fn instruction(&mut self, inst: &visa::Inst<'a>) -> Lowered {
        self.origin = inst.index;
        self.lanes = Lanes {
            exec: operand::exec_size(inst.exec.size),
            chan: inst.exec.mask.offset() as u8,
            no_mask: inst.exec.mask.is_no_mask(),
        };
        self.pred = None;
        if let Some(pred) = inst.pred {
            self.guarded(pred)?;
        }
        self.dispatch(inst)
    }

    /// Out of line: inlined, the compiler looks at the number before it knows that there is a predicate,
    /// which is harmless but which valgrind reports to users of the C library.
    #[inline(never)]
    fn guarded(&mut self, pred: visa::PredOperand) -> Lowered {
        if pred.id.0 != 0 {
            self.pred = Some(self.guard(pred, self.lanes)?);
        }
        Ok(())
    }

    fn dispatch(&mut self, inst: &visa::Inst<'a>) -> Lowered {
        match inst.op {
            Op::Alu { dst, srcs } => self.alu(inst.opcode, dst, srcs),
            Op::Carry { dst, carry, srcs } => self.carry(inst.opcode, dst, carry, srcs),
            Op::MinMax { max, dst, srcs } => self.min_max(max, dst, srcs),
            Op::Bfn { function, dst, srcs } => self.bfn(function, dst, srcs),
            Op::Cmp { cond, dst, srcs, .. } => self.cmp(cond, dst, srcs),
            Op::Setp { dst, src } => self.setp(dst, src),
            Op::Movs { dst, src } => self.movs(dst, src),
            Op::AddrAdd { dst, base, offset } => self.addr_add(dst, base, offset),
            Op::MacroMath { dst, flag, srcs } => self.macro_math(inst.opcode, dst, flag, srcs),

            Op::Label(_) => Ok(()),
            Op::Subroutine(label) => self.subroutine(label),
            Op::Jmp(label) => self.jmp(label),
            Op::Goto(label) => self.goto(label),
            Op::Call(label) => self.call(label),
            Op::Ret => self.ret(),
            Op::SwitchJmp { index, labels } => self.switch_jump(index, labels),
            Op::Faddr { dst, .. } => self.symbol_address(dst),
            Op::Fret => self.ret(),
            Op::Fcall { arg_size, .. } => self.stack_call(None, arg_size),
            Op::Ifcall { address, arg_size, .. } => self.stack_call(Some(address), arg_size),

            Op::Dpas { .. } => self.dpas(inst.opcode, &inst.op),
            Op::Lifetime { .. } | Op::File(_) | Op::Loc(_) => Ok(()),
            Op::Breakpoint => Err("breakpoints are not lowered".into()),
            _ => self.message(inst),
        }
    }

    /// Whether an opcode is one of the platform's.
    pub(crate) fn unsupported<T>(&self, opcode: Opcode) -> Lowered<T> {
        Err(format!("{} does not exist on {}", opcode.name(), self.caps.name).into())
    }
}
