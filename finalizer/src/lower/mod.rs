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
mod expand;
mod facts;
mod flow;
mod identity;
mod ieee;
mod math;
mod nibbles;
pub(crate) mod operand;
mod predicates;
mod stack;
mod systolic;
mod types;
pub(crate) mod vars;

use std::fmt;

use gen_ir::{Block, BlockId, Kernel, Pool, Pred, PredCtrl, Var, VarId, Virtual};
use narrow::{to_index, to_u8};
use platforms::{Caps, Platform};
use smallvec::SmallVec;
use visa::{Op, Opcode, Srcs};

use self::{alu::Route, facts::Facts};
use crate::build::{Lanes, VInst, VReg};

/// Choices that are not in the kernel.
#[derive(Clone, Debug)]
pub struct LowerOptions {
    /// General registers of the thread.
    pub registers: u16,
    /// How many of them, at the end, variables are not given.
    pub reserved: u16,
    /// Channels of the kernel that calls a function.
    pub simd: Option<u8>,
    /// Destinations reach over the end of their variables, within the registers that these are aligned to.
    pub tails: bool,
    /// A relocation moves the payload that the prologue loads.
    pub relocate_payload: bool,
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
    /// Numbers of the finished blocks, in layout order.
    blocks: Vec<BlockId>,
    /// Return address variable of each subroutine, by entry block.
    return_addresses: Vec<(BlockId, VarId)>,
    facts: Facts,
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
    facts: Facts,
    /// Instructions of the current block, in a list of the pool.
    insts: Vec<VInst>,
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
    /// The last instruction of the current routine.
    last: u32,
    /// End of the highest channels that an instruction of the kernel works on, once that is asked for.
    widest: Option<u32>,
    /// Channels and predicate of the current vISA instruction.
    pub lanes: Lanes,
    pub pred: Option<Pred<Virtual>>,
    /// What stands for its predicates, where its channels are moved.
    moved: nibbles::Moved,
    origin: u32,
    relocate_payload: bool,
    tails: bool,
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
    pub global: bool,
    pub local: bool,
}

/// Attributes of kernels that are put together after they are compiled: Intel's finalizer ends such a kernel in
/// a return through a register, or not at all, and tells its caller, not the object, what to patch. An `Entry` or
/// a `Caller` is like any other kernel.
const LINKED: [&str; 2] = ["Callable", "Composable"];

/// Instructions that a block gets room for when it has no more.
const SOME: usize = 4;

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
        index: to_index(index),
        place: kernel.code.get(index).map_or(0, |r| r.place),
        opcode: kernel.code.get(index).map_or("", |r| r.opcode.name()),
        reason,
    };
    let mut lowerer = match Lowerer::new(kernel, platform, options, scratch, pool) {
        Ok(lowerer) => lowerer,
        Err(Refusal(reason)) => return Err(vec![fault(0, reason)]),
    };
    lowerer.prologue();
    let mut routine = 0;
    for block in 0..lowerer.facts.blocks.len() {
        let (first, end) = lowerer.block_range(block);
        if block > 0 {
            lowerer.end_block();
        }
        if let Some(&next) = lowerer.facts.routines.get(routine)
            && next.first as usize == first
        {
            // Before the first there is the prologue at most, which runs on into it.
            if block > 0 {
                lowerer.end_routine().unwrap_or_else(|Refusal(reason)| errors.push(fault(first, reason)));
            }
            lowerer.begin_routine(next);
            routine += 1;
        }
        lowerer.begin_block(to_index(block), end - first);
        for index in first..end {
            lowerer.instruction(index).unwrap_or_else(|Refusal(reason)| errors.push(fault(index, reason)));
        }
    }
    lowerer.end_block();
    if let Err(Refusal(reason)) = lowerer.end_routine() {
        errors.push(fault(kernel.code.len().saturating_sub(1), reason));
    }
    let kernel = lowerer.finish();
    if errors.is_empty() { Ok(kernel) } else { Err(errors) }
}

/// Makes room for an instruction at the end of a block.
#[inline(always)]
fn make_room(insts: &mut Vec<VInst>, pool: &mut Pool<Virtual>) {
    if insts.len() == insts.capacity() {
        pool.grow(insts, SOME);
    }
}

/// Appends an instruction that has no operands yet.
#[inline(always)]
fn append<'i>(
    insts: &'i mut Vec<VInst>,
    pool: &mut Pool<Virtual>,
    op: gen_ir::Op,
    lanes: Lanes,
    pred: Option<Pred<Virtual>>,
    origin: u32,
) -> &'i mut VInst {
    make_room(insts, pool);
    let Lanes { exec, chan, no_mask } = lanes;
    insts.push(VInst { chan, no_mask, pred, origin, ..VInst::new(op, exec) });
    let last = insts.len() - 1;
    &mut insts[last]
}

impl<'a> Lowerer<'a> {
    fn new(
        visa: &'a visa::Kernel,
        platform: Platform,
        options: &LowerOptions,
        lists: &'a mut Scratch,
        pool: &'a mut Pool<Virtual>,
    ) -> Lowered<Lowerer<'a>> {
        for name in LINKED {
            if visa.attr_int(name).is_some_and(|v| v != 0) {
                return Err(format!("the kernel is {name}: it has no end of its own, and what joins it to others needs to know more than objects say").into());
            }
        }
        let caps = platform.caps();
        let mut out = pool.kernel(&visa.name(), platform);
        (out.grf_count, out.reserved) = (options.registers, options.reserved);
        if let Some(simd) = visa.attr_int("SimdSize") {
            out.simd = u8::try_from(simd).ok().filter(|s| [1, 8, 16, 32].contains(s)).unwrap_or(8);
        } else if let Some(simd) = options.simd {
            out.simd = simd;
        }
        out.all_channels = visa.is_cm();
        out.spill_offset = visa.attr_int("SpillMemOffset").map_or(0, |o| o.max(0).cast_unsigned());
        let mut facts = std::mem::take(&mut lists.facts);
        facts.gather(visa);
        let vars = vars::VarMap::new(visa, caps, &mut out, &facts, std::mem::take(&mut lists.vars))?;
        lists.blocks.clear();
        lists.return_addresses.clear();
        Ok(Lowerer {
            visa,
            caps,
            out,
            lists,
            pool,
            facts,
            insts: Vec::new(),
            block: BlockId(0),
            added: 0,
            vars,
            subroutine: None,
            exit: None,
            next_block: BlockId(0),
            last: 0,
            widest: None,
            lanes: Lanes::SCALAR,
            pred: None,
            moved: nibbles::Moved::default(),
            origin: VInst::NO_ORIGIN,
            relocate_payload: options.relocate_payload,
            tails: options.tails,
            writes: Writes::default(),
            staged: SmallVec::new(),
            waiting: None,
            ended: false,
        })
    }

    fn finish(mut self) -> Kernel<Virtual> {
        self.fence_before_end();
        flow::number_blocks(&mut self.out, &self.lists.blocks, &mut self.lists.places);
        self.out.link_blocks();
        (self.lists.vars, self.lists.facts) = (self.vars.lists, self.facts);
        self.out
    }

    /// Code that no vISA instruction stands for, before the first one.
    fn prologue(&mut self) {
        // Where the code goes back to its first instruction, the prologue must not run again.
        let body = self.block;
        let apart = self.facts.goes_back_to(body);
        if apart {
            self.block = self.reserve_block();
        }
        if self.caps.thread.payload_prologue && !self.visa.is_function {
            self.load_payload(self.relocate_payload);
        }
        self.stack_prologue();
        self.compute_identity();
        self.scratch_surface();
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

    /// First instruction and end of a vISA block.
    fn block_range(&self, block: usize) -> (usize, usize) {
        let starts = &self.facts.blocks;
        let end = starts.get(block + 1).map_or(self.visa.code.len(), |end| *end as usize);
        (starts[block] as usize, end)
    }

    /// A block of vISA starts, with so many instructions.
    fn begin_block(&mut self, number: u32, count: usize) {
        self.block = BlockId(number);
        self.ended = false;
        self.next_block = BlockId(number + 1);
        self.pool.grow(&mut self.insts, count);
        self.vars.forget_handles();
    }

    fn end_block(&mut self) {
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
    fn reserve_block(&mut self) -> BlockId {
        const FIRST_ADDED: u32 = 1 << 31;
        self.added += 1;
        BlockId(FIRST_ADDED + self.added - 1)
    }

    /// Appends an instruction with nothing but an opcode and the current vISA instruction's channels and
    /// predicate.
    pub(crate) fn append(&mut self, op: gen_ir::Op) -> &mut VInst {
        append(&mut self.insts, self.pool, op, self.lanes, self.pred, self.origin)
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
        match (self.caps.words.pred_width, lanes.exec.lanes()) {
            (false, _) => PredCtrl::Any,
            (_, 2) => PredCtrl::Any2h,
            (_, 4) => PredCtrl::Any4h,
            (_, 8) => PredCtrl::Any8h,
            (_, 16) => PredCtrl::Any16h,
            _ => PredCtrl::Any32h,
        }
    }

    fn all(&self, lanes: Lanes) -> PredCtrl {
        match (self.caps.words.pred_width, lanes.exec.lanes()) {
            (false, _) => PredCtrl::All,
            (_, 2) => PredCtrl::All2h,
            (_, 4) => PredCtrl::All4h,
            (_, 8) => PredCtrl::All8h,
            (_, 16) => PredCtrl::All16h,
            _ => PredCtrl::All32h,
        }
    }

    /// The instruction at `index` of the kernel.
    fn instruction(&mut self, index: usize) -> Lowered {
        if self.ended {
            return Ok(());
        }
        let done = self.translate(index);
        if self.moved.is_some() {
            self.return_channels();
        }
        done
    }

    fn translate(&mut self, index: usize) -> Lowered {
        self.origin = to_index(index);
        let record = &self.visa.code[index];
        let operands = self.visa.operands_of(record);
        let route = Route::of(record.opcode);
        if let Route::Direct(op) = route {
            self.begin(record.exec, record.pred)?;
            return self.direct(record.opcode, op, operands);
        }
        match route {
            Route::Mark => return Ok(()),
            Route::Direct(_) | Route::Typed => {
                let inst = self.visa.try_inst(index);
                let inst = inst.map_err(|(field, value)| format!("{field} {value} has no meaning"))?;
                self.begin(inst.exec, inst.pred)?;
                return self.dispatch(&inst);
            }
            _ => self.begin(record.exec, record.pred)?,
        }
        match route {
            Route::Mad => self.mad(operands),
            Route::Compare => self.compare(operands),
            Route::Goto => self.goto(operands[0].label()),
            _ => self.alu(record.opcode, operands[0].vector(), Srcs::new(&operands[1..])),
        }
    }

    /// Notes the channels and the predicate of a vISA instruction.
    fn begin(&mut self, exec: visa::Exec, pred: Option<visa::PredOperand>) -> Lowered {
        self.lanes = Lanes {
            exec: operand::exec_size(exec.size),
            chan: to_u8(exec.mask.offset()),
            no_mask: exec.mask.is_no_mask(),
        };
        self.pred = None;
        if let Some(pred) = pred {
            self.guarded(pred)?;
        }
        if self.lanes.chan & 7 != 0 && !self.caps.words.nibble_offset {
            return self.move_channels();
        }
        Ok(())
    }

    /// The current instruction ends its routine.
    fn is_last(&self) -> bool {
        self.origin == self.last
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
            Op::Setp { dst, src } => self.setp(dst, src),
            Op::Movs { dst, src } => self.movs(dst, src),
            Op::AddrAdd { dst, base, offset } => self.addr_add(dst, base, offset),
            Op::MacroMath { dst, flag, srcs } => self.macro_math(inst.opcode, dst, flag, srcs),

            Op::Subroutine(_) => self.subroutine(),
            Op::Jmp(label) => self.jmp(label),
            Op::Call(label) => self.call(label),
            Op::Ret => self.ret(),
            Op::SwitchJmp { index, labels } => self.switch_jump(index, labels),
            Op::Faddr { dst, .. } => self.symbol_address(dst),
            Op::Fret => self.ret(),
            Op::Fcall { arg_size, .. } => self.stack_call(None, arg_size),
            Op::Ifcall { address, arg_size, .. } => self.stack_call(Some(address), arg_size),

            Op::Dpas { .. } => self.dpas(inst.opcode, &inst.op),
            Op::Breakpoint => {
                let mut stop = crate::build::op(gen_ir::Op::Nop, Lanes::SCALAR, gen_ir::Dst::None, &[]);
                stop.opts = stop.opts.with(gen_ir::Options::BREAKPOINT);
                self.emit(stop);
                Ok(())
            }
            _ => self.message(inst),
        }
    }

    /// Whether an opcode is one of the platform's.
    pub(crate) fn unsupported<T>(&self, opcode: Opcode) -> Lowered<T> {
        Err(format!("{} does not exist on {}", opcode.name(), self.caps.name).into())
    }
}
