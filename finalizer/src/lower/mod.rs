//! vISA kernel to Gen IR: a control flow graph of Gen instructions on variables.
//!
//! Comes in: a decoded kernel. Goes out: blocks in layout order, branches last, one variable per alias
//! root, messages with descriptor and payload; exec sizes, types and regions as vISA has them (whether
//! they can be encoded is [`crate::legalize`]'s business). What is not known how to lower is refused by
//! name, every instruction of the kernel, not only the first.
//!
//! ```text
//! what lowering works with
//!   lowerer            the kernel that is made so far, the current block and instruction
//!   route              which way an opcode takes: most are one Gen instruction
//!   facts              what is asked of the whole kernel before anything of it is lowered
//! operands
//!   declarations       vISA declarations become Gen variables
//!   location           where variables of vISA are
//!   variables          which Gen variable an instruction asks for; what surfaces and samplers hold
//!   predefined         predefined variables that are parts of the thread header
//!   operand            vector and raw operands
//!   address            address arithmetic, handles of surfaces and samplers
//! a family of instructions each
//!   alu                moves, arithmetic, logic
//!   types              types that an instruction does not combine, saturation that it does not have
//!   constants          operations on two constants
//!   expand             arithmetic that a platform has no instruction for
//!   accumulator        results of which a half is in the accumulator
//!   math, ieee         the math unit; exact division and square root
//!   lifetime           what starts its life
//!   systolic           dot products of matrices
//!   compare            comparisons, flags made of values
//!   predicates         logic on predicates
//!   local_predicates   predicates of one block, in which such logic may overwrite disabled channels
//!   channel_offsets    masks that start where a platform's words cannot say it
//!   moved_flags        predicates beside those
//!   flow               labels, jumps, subroutines, the end of the thread
//!   stack, convention  stack calls; which register is whose
//!   exchange, exchange_uses, returned   how `%arg` and `%retval` lie; what names them; what calls gave back
//! ```
//!
//! Messages to shared functions stand in [`crate::messages`].

mod accumulator;
pub(crate) mod address;
pub(crate) mod alu;
mod channel_offsets;
mod compare;
mod constants;
mod convention;
pub(crate) mod declarations;
mod exchange;
mod exchange_uses;
mod expand;
mod facts;
mod flow;
mod ieee;
mod lifetime;
mod local_predicates;
mod location;
mod lowerer;
mod math;
mod moved_flags;
pub(crate) mod operand;
mod predefined;
mod predicates;
mod returned;
mod route;
mod stack;
mod systolic;
mod types;
mod variables;

use std::fmt;

use gen_ir::{BlockId, Kernel, Pool, Pred, PredCtrl, Virtual};
use narrow::{as_index, to_index, to_u8};
use platforms::Platform;
use smallvec::SmallVec;
use visa::{Op, Srcs};

pub(crate) use self::lowerer::{LowerMemory, Lowerer, Writes};
use self::route::Route;
use crate::build::{Lanes, VInst, VReg};
pub(crate) use crate::unsupported::{Feature, Lowered, NoVariable, Unsupported};

/// Choices that are not in the kernel.
#[derive(Clone, Debug)]
pub struct LowerOptions {
    /// General registers of the thread.
    pub registers: u16,
    /// How many of them, at the end, variables are not given.
    pub reserved: u16,
    /// Channels of the kernel that calls a function.
    pub simd: Option<u8>,
    /// Threads run as pairs if the platform has such.
    pub pairs: bool,
    /// Destinations reach over the end of their variables, within the registers that these are aligned to.
    pub tails: bool,
    /// A relocation moves the payload that the prologue loads.
    pub relocate_payload: bool,
    /// The payload begins in `r1`.
    pub inline_payload: bool,
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
    pub reason: Unsupported,
}

impl fmt::Display for LowerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LowerError { kernel, index, place, opcode, reason } = self;
        write!(f, "kernel `{kernel}`, instruction {index} ({opcode}, at {place}): {reason}")
    }
}

impl std::error::Error for LowerError {}

/// Attributes of kernels that are put together after they are compiled: Intel's finalizer ends such a kernel in
/// a return through a register, or not at all, and tells its caller, not the object, what to patch. An `Entry` or
/// a `Caller` is like any other kernel.
const LINKED: [&str; 2] = ["Callable", "Composable"];

/// Lowers a kernel for a platform.
///
/// # Errors
///
/// Every instruction that has no lowering.
pub fn lower(
    kernel: &visa::Kernel,
    platform: Platform,
    options: &LowerOptions,
    scratch: &mut LowerMemory,
    pool: &mut Pool<Virtual>,
) -> Result<Kernel<Virtual>, Vec<LowerError>> {
    let mut errors = Vec::new();
    let fault = |index: usize, reason: Box<Unsupported>| LowerError {
        kernel: kernel.name().into_owned(),
        index: to_index(index),
        place: kernel.code.get(index).map_or(0, |r| r.place),
        opcode: kernel.code.get(index).map_or("", |r| r.opcode.name()),
        reason: *reason,
    };
    let mut lowerer = match Lowerer::new(kernel, platform, options, scratch, pool) {
        Ok(lowerer) => lowerer,
        Err(reason) => return Err(vec![fault(0, reason)]),
    };
    if let Some((index, why)) = lowerer.unclear_exchange() {
        errors.push(fault(as_index(index), why.into()));
    }
    lowerer.prologue();
    let mut routine = 0;
    for block in 0..lowerer.facts.blocks.len() {
        let (first, end) = lowerer.block_range(block);
        if block > 0 {
            lowerer.end_block();
        }
        if let Some(&next) = lowerer.facts.routines.get(routine)
            && as_index(next.first) == first
        {
            // Before the first there is the prologue at most, which runs on into it.
            if block > 0 {
                lowerer.end_routine().unwrap_or_else(|reason| errors.push(fault(first, reason)));
            }
            lowerer.begin_routine(next);
            routine += 1;
        }
        lowerer.begin_block(to_index(block), end - first);
        for index in first..end {
            lowerer.instruction(index).unwrap_or_else(|reason| errors.push(fault(index, reason)));
        }
    }
    lowerer.end_block();
    if let Err(reason) = lowerer.end_routine() {
        errors.push(fault(kernel.code.len().saturating_sub(1), reason));
    }
    let kernel = lowerer.finish();
    if errors.is_empty() { Ok(kernel) } else { Err(errors) }
}

impl<'a> Lowerer<'a> {
    fn new(
        visa: &'a visa::Kernel,
        platform: Platform,
        options: &LowerOptions,
        lists: &'a mut LowerMemory,
        pool: &'a mut Pool<Virtual>,
    ) -> Lowered<Lowerer<'a>> {
        for name in LINKED {
            if visa.attr_int(name).is_some_and(|v| v != 0) {
                return Err(Unsupported::Linked(name).into());
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
        // A function may be called by some.
        out.all_channels = visa.is_cm() && !visa.is_function;
        out.pairs = caps.flow.fused_pairs && options.pairs;
        out.spill_offset = visa.attr_int("SpillMemOffset").map_or(0, |o| o.max(0).cast_unsigned());
        let mut facts = std::mem::take(&mut lists.facts);
        facts.gather(visa);
        let vars = declarations::VarMap::new(visa, caps, &mut out, &facts, std::mem::take(&mut lists.vars))?;
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
            returning: gen_ir::ExecSize::S8,
            widest: None,
            lanes: Lanes::SCALAR,
            pred: None,
            moved: moved_flags::Moved::default(),
            origin: VInst::NO_ORIGIN,
            relocate_payload: options.relocate_payload,
            inline_payload: options.inline_payload,
            tails: options.tails,
            writes: Writes::default(),
            staged: SmallVec::new(),
            waiting: None,
            ended: false,
        })
    }

    fn finish(mut self) -> Kernel<Virtual> {
        self.fence_before_end();
        self.tell_received();
        flow::number_blocks(&mut self.out, &self.lists.blocks, &mut self.lists.places);
        if self.out.pairs && self.visa.attr_int("SimdSize").is_none() {
            self.out.simd = self.out.simd.max(flow::widest_masked(&self.out));
        }
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
            self.load_payload();
        }
        self.stack_prologue();
        self.compute_identity();
        self.scratch_surface();
        if apart {
            self.end_block();
            self.block = body;
        }
    }

    /// First instruction and end of a vISA block.
    fn block_range(&self, block: usize) -> (usize, usize) {
        let starts = &self.facts.blocks;
        let end = starts.get(block + 1).map_or(self.visa.code.len(), |end| as_index(*end));
        (as_index(starts[block]), end)
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
            Route::Mark => return self.mark(index),
            Route::Direct(_) | Route::Typed => {
                let inst = self.visa.try_inst(index);
                let inst = inst.map_err(|(field, found)| Unsupported::NoMeaning { field, found })?;
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
            chan: to_u8(exec.first_lane()),
            no_mask: exec.is_no_mask(),
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
            Op::MinMax { which, dst, srcs } => self.min_max(which, dst, srcs),
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
            Op::Fcall { arg_size, return_size, .. } => self.stack_call(None, [arg_size, return_size]),
            Op::Ifcall { address, arg_size, return_size, .. } => {
                self.stack_call(Some(address), [arg_size, return_size])
            }

            Op::Dpas { .. } => self.dpas(inst.opcode, &inst.op),
            Op::Breakpoint {} => {
                // As every `nop`: no channels, nothing but the option.
                let mut stop = VInst::new(gen_ir::Op::Nop, gen_ir::ExecSize::S1);
                stop.opts = stop.opts.with(gen_ir::Options::BREAKPOINT);
                self.emit(stop);
                Ok(())
            }
            _ => self.message(inst),
        }
    }
}
