//! Messages to shared functions: what lowering makes of vISA's message instructions. (What a descriptor is made of stands in
//! the crate `messages`.)
//!
//! ```text
//! what families share
//!   send           payload, lengths and descriptors become an instruction
//!   groups         more lanes than a shared function takes at once
//! a family each
//!   hdc            data port: untyped, byte and dword messages on surfaces, one offset a lane
//!   oword          data port: blocks of owords on surfaces
//!   svm            data port: 64-bit addresses
//!   typed          data port: texels
//!   media          data port: blocks of pixels
//!   lsc            the load/store cache
//!   sampler        samples, loads, gathers, queries
//!   sampler_media  blocks of pixels from the sampler
//!   motion         motion estimation
//!   graphics       render targets, the unified return buffer
//!   sync           barriers, fences, thread dependencies
//!   raw            messages whose descriptors the program brings
//!   prologue       loads of the kernel's payload, where a thread starts
//! ```
//!
//! Figures come from Intel's Programmer's Reference Manuals, volume "Memory Views and Data Port
//! Messages" (message descriptors), and from the reference finalizer's listings.

mod graphics;
mod groups;
mod hdc;
mod lsc;
mod media;
mod motion;
mod oword;
mod prologue;
mod raw;
mod sampler;
mod sampler_media;
mod send;
mod svm;
mod sync;
mod typed;

use gen_ir::{Desc, Dst, ExDesc, ExecSize, Op, Region, Sfid, Src, Type};
use messages::{
    Descriptor, SurfaceIndex,
    hdc::{AtomicOp as IntOp, FloatAtomicOp, OwordCount},
    thread::IndirectData,
};
use narrow::{as_index, const_u8};
use smallvec::SmallVec;
use visa::{AtomicOp, RawOperand};

use crate::{
    build::{self, Lanes, VDst, VReg, VSrc},
    lower::{Feature, Lowered, Lowerer, Unsupported, declarations::Handle},
};

/// The descriptor and the extended descriptor of a message.
pub(crate) type Descriptors = (Desc<gen_ir::Virtual>, ExDesc<gen_ir::Virtual>);

/// One part of a message's payload, in whole registers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PayloadPart {
    /// Where it is; null for a part that the shared function ignores.
    pub reg: VReg,
    /// Registers.
    pub len: u32,
}

/// The parts of a payload: a header and up to fifteen parameters.
pub(crate) type Parts = SmallVec<[PayloadPart; 16]>;

/// A message before its descriptor's lengths are filled in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Message {
    /// Shared function.
    pub sfid: Sfid,
    /// Its descriptor: function control alone, without surface.
    pub desc: Descriptor,
    /// The first part of the payload is a header.
    pub header: bool,
    /// Registers of the response.
    pub response: u32,
}

/// Where a descriptor's low byte, the binding table index, comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Surface {
    /// A constant.
    Index(SurfaceIndex),
    /// A dword variable.
    Register(VReg),
    /// An index that says that the extended descriptor, from a dword variable, names the surface's state.
    Bindless(SurfaceIndex, VReg),
}

impl Lowerer<'_> {
    /// Any message.
    pub(crate) fn message(&mut self, inst: &visa::Inst<'_>) -> Lowered {
        use visa::Op;
        match inst.op {
            Op::OwordBlock { .. } => self.oword_block(&inst.op),
            Op::MediaBlock { .. } => self.media_block(&inst.op),
            Op::SvmBlock { .. } => self.svm(&inst.op),
            Op::Lsc(lsc) => self.lsc(&lsc),
            Op::LscBlock2d(lsc) => self.lsc_block2d(&lsc),
            Op::LscTyped(lsc) => self.lsc_typed(&lsc),
            Op::LscFence { sfid, op, scope } => self.lsc_fence(sfid, op, scope),
            Op::RawSend { .. } => self.raw_send(&inst.op),
            Op::RawSends { .. } => self.raw_sends(&inst.op),
            Op::Barrier {} => self.barrier(),
            Op::SplitBarrier { half } => self.split_barrier(half),
            Op::NamedBarrier { mode, id, kind, producers, consumers } => {
                self.named_barrier(mode, id, kind, [producers, consumers])
            }
            Op::SamplerCacheFlush {} => self.flush_sampler(),
            Op::Fence { mask } => self.fence(mask),
            Op::Wait { mask } => self.wait(mask),
            Op::Yield {} => Ok(()),
            Op::Sample(ref s) => self.sampler_message(s),
            Op::SampleUnorm { channels, sampler, surface, coords, dst, .. } => {
                self.sample_unorm(channels, sampler, surface, coords, dst)
            }
            Op::SampleLegacy { .. } => self.legacy_sample(&inst.op),
            Op::Avs { .. } => self.avs(&inst.op),
            Op::VmeIme { .. } | Op::VmeSic { .. } | Op::VmeFbr { .. } | Op::VmeIdm { .. } => {
                self.motion_estimation(&inst.op)
            }
            Op::RtWrite(ref write) => self.render_target_write(write),
            Op::UrbWrite { .. } => self.urb_write(&inst.op),
            // No platform has it.
            Op::RtRead(_) => self.unsupported(inst.opcode),
            ref op => match op.lane_message() {
                Some(message) => self.lane_message(op, message),
                None => self.unsupported(inst.opcode),
            },
        }
    }

    /// The binding table index of a surface.
    pub(crate) fn surface(&mut self, id: visa::SurfaceId) -> Lowered<Surface> {
        let Handle { var, known, .. } = self.surface_handle(id)?;
        if let Some(index) = id.bindless_bti() {
            return self.bindless(SurfaceIndex(index), known, var);
        }
        match (known, var) {
            (Some(value), _) => Ok(Surface::Index(surface_index(value)?)),
            (None, Some(var)) => Ok(Surface::Register(VReg::var_at(var, 0))),
            (None, None) => Err(Unsupported::NeverSet("surface").into()),
        }
    }

    /// A surface whose state the extended descriptor names.
    fn bindless(
        &mut self,
        index: SurfaceIndex,
        known: Option<u32>,
        var: Option<gen_ir::VarId>,
    ) -> Lowered<Surface> {
        self.needs(self.caps.sends.extended_in_register(), Feature::BindlessSurfaces)?;
        let state = match (known, var) {
            (_, Some(var)) => VReg::var_at(var, 0),
            (Some(value), None) => {
                let state = self.temp(1, 4);
                self.set_dword(state, 0, Src::ud(value));
                state
            }
            (None, None) => return Err(Unsupported::NeverSet("surface").into()),
        };
        Ok(Surface::Bindless(index, state))
    }

    /// What a message of the thread loads, gets back or stores, and its bytes, as the message's entry says.
    pub(super) fn data(&self, op: visa::Op<'_>) -> Lowered<(RawOperand, u32)> {
        let data =
            op.data().and_then(|(data, holds)| Some((data, holds.total(self.message_lanes(), self.grf())?)));
        data.ok_or_else(|| Unsupported::DataSize.into())
    }

    /// The part of a payload that a raw operand names: `bytes` bytes of it, in whole registers.
    pub(crate) fn part(&mut self, operand: RawOperand, bytes: u32) -> Lowered<PayloadPart> {
        let len = bytes.div_ceil(self.grf());
        let reg = self.raw(operand)?;
        if reg.is_null() {
            return Ok(PayloadPart { reg, len });
        }
        let Some(var) = reg.var() else { return Err(Unsupported::NotInVariable("a message operand").into()) };
        if !self.align_to_register(var, reg.byte, reg.byte + len * self.grf()) {
            let copy = self.payload(len);
            self.copy_bytes(copy, reg, bytes);
            return Ok(PayloadPart { reg: copy, len });
        }
        Ok(PayloadPart { reg, len })
    }

    /// The destination of a message, `bytes` bytes of response; and where to copy it from afterwards,
    /// if the destination cannot be written by a message.
    pub(crate) fn response(&mut self, operand: RawOperand, bytes: u32) -> Lowered<(VReg, Option<VReg>)> {
        let reg = self.raw(operand)?;
        let Some(var) = reg.var() else { return Ok((reg, None)) };
        let len = bytes.div_ceil(self.grf());
        if self.align_to_register(var, reg.byte, reg.byte + len * self.grf()) {
            return Ok((reg, None));
        }
        let staged = self.payload(len);
        Ok((staged, Some(reg)))
    }

    /// Makes a variable fit for messages that touch its bytes up to `end`: register aligned, long
    /// enough. `false` if it cannot be.
    fn align_to_register(&mut self, var: gen_ir::VarId, start: u32, end: u32) -> bool {
        let grf = self.grf();
        if !start.is_multiple_of(grf) {
            return false;
        }
        let var = &mut self.out.vars[var.index()];
        match var.fixed {
            Some(place) if !place.is_aligned(grf) || var.bytes < end => return false,
            _ => {}
        }
        var.align = var.align.max(grf);
        var.bytes = var.bytes.max(end);
        true
    }

    /// Copies bytes outside of the execution mask.
    pub(crate) fn copy_bytes(&mut self, to: VReg, from: VReg, bytes: u32) {
        let mut at = 0;
        while at < bytes {
            let left = bytes - at;
            let (ty, size) = if left >= 4 { (Type::Ud, 4) } else { (Type::Ub, 1) };
            let most = (left / size).min(2 * self.grf() / 4).min(16);
            let lanes = 1 << most.ilog2();
            let exec = ExecSize::from_lanes(lanes).unwrap_or(ExecSize::S1);
            let source = Src::new(from.plus(at), build::strided(1, exec), ty);
            self.emit(build::mov(Lanes::all(exec), Dst::packed(to.plus(at), ty), source));
            at += lanes * size;
        }
    }

    /// Copies `count` elements of `bytes` bytes under the current mask.
    pub(crate) fn copy_lanes(&mut self, to: VReg, from: VReg, bytes: u32) {
        if bytes == 8 && !to.byte.is_multiple_of(8) {
            // No operand of qwords begins there: their halves.
            for half in [0, 4] {
                let source = Src::new(from.plus(half), build::strided(2, self.lanes.exec), Type::Ud);
                let to = Dst::Direct { reg: to.plus(half), horz: 2, ty: Type::Ud };
                self.emit_guarded(build::mov(self.lanes, to, source));
            }
            return;
        }
        let ty = Type::unsigned(bytes).unwrap_or(Type::Ud);
        let source = Src::new(from, build::strided(1, self.lanes.exec), ty);
        self.emit_guarded(build::mov(self.lanes, Dst::packed(to, ty), source));
    }

    /// Offsets plus an offset that all lanes share.
    pub(crate) fn add_offset(
        &mut self,
        offsets: PayloadPart,
        shared: &visa::VectorOperand,
        ty: Type,
    ) -> Lowered<PayloadPart> {
        if shared.immediate() == Some(0) {
            return Ok(offsets);
        }
        let mut shared = self.scalar_src(shared)?;
        // Of a float the integer counts (Intel's finalizer converts it where it stands in a header).
        if shared.ty().is_some_and(Type::is_float) && !matches!(shared.ty(), Some(Type::Vf)) {
            let whole = self.temp(1, ty.bytes());
            self.emit(build::mov(Lanes::SCALAR, Dst::packed(whole, ty), shared));
            shared = Src::scalar(whole, ty);
        }
        let sum = self.payload(offsets.len);
        let packed = build::strided(1, self.lanes.exec);
        self.emit_guarded(build::op(
            Op::Add,
            self.lanes,
            Dst::packed(sum, ty),
            &[Src::new(offsets.reg, packed, ty), shared],
        ));
        Ok(PayloadPart { reg: sum, len: offsets.len })
    }

    /// The fewest lanes of a message: the native width.
    pub(super) fn native_lanes(&self) -> u32 {
        self.caps.regs.native_lanes().into()
    }

    /// Lanes that a SIMD message works on: at least the native width.
    pub(crate) fn message_lanes(&self) -> u32 {
        self.lanes.exec.lanes().max(self.native_lanes())
    }
}

/// A binding table index, which has eight bits.
pub(crate) fn surface_index(value: u32) -> Lowered<SurfaceIndex> {
    match u8::try_from(value) {
        Ok(index) => Ok(SurfaceIndex(index)),
        Err(_) => surface_above(value),
    }
}

/// Refuses a binding table index.
fn surface_above<T>(found: u32) -> Lowered<T> {
    Err(Unsupported::Above { field: "binding table index", found, allowed: 255 }.into())
}

/// What the data port calls an atomic operation; floats have messages of their own.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Operation {
    /// On integers.
    Int(IntOp),
    /// On floats.
    Float(FloatAtomicOp),
}

impl Operation {
    /// Of a vISA operation.
    pub(crate) const fn of(op: AtomicOp) -> Operation {
        match op {
            AtomicOp::And => Operation::Int(IntOp::And),
            AtomicOp::Or => Operation::Int(IntOp::Or),
            AtomicOp::Xor => Operation::Int(IntOp::Xor),
            AtomicOp::Xchg => Operation::Int(IntOp::Xchg),
            AtomicOp::Inc => Operation::Int(IntOp::Inc),
            AtomicOp::Dec => Operation::Int(IntOp::Dec),
            AtomicOp::Add => Operation::Int(IntOp::Add),
            AtomicOp::Sub => Operation::Int(IntOp::Sub),
            AtomicOp::IMax => Operation::Int(IntOp::IMax),
            AtomicOp::IMin => Operation::Int(IntOp::IMin),
            AtomicOp::Max => Operation::Int(IntOp::UMax),
            AtomicOp::Min => Operation::Int(IntOp::UMin),
            AtomicOp::CmpXchg => Operation::Int(IntOp::CmpXchg),
            AtomicOp::PreDec => Operation::Int(IntOp::PreDec),
            AtomicOp::FMax => Operation::Float(FloatAtomicOp::FMax),
            AtomicOp::FMin => Operation::Float(FloatAtomicOp::FMin),
            AtomicOp::FCmpWr => Operation::Float(FloatAtomicOp::FCmpXchg),
            AtomicOp::FAdd => Operation::Float(FloatAtomicOp::FAdd),
            AtomicOp::FSub => Operation::Float(FloatAtomicOp::FSub),
        }
    }

    /// Whether it works on floats.
    pub(crate) const fn is_float(self) -> bool {
        matches!(self, Operation::Float(_))
    }

    /// What the descriptor's field holds.
    pub(crate) const fn code(self) -> u8 {
        match self {
            Operation::Int(op) => const_u8(as_index(op.code())),
            Operation::Float(op) => const_u8(as_index(op.code())),
        }
    }
}

/// Block size of oword block messages.
pub(crate) fn oword_count(owords: u8) -> Lowered<OwordCount> {
    match OwordCount::of(owords).filter(|_| owords <= 8) {
        Some(count) => Ok(count),
        None => Err(Unsupported::Owords(owords).into()),
    }
}

/// Execution size of a block message: it only says how much is transferred.
pub(crate) fn block_exec(owords: u8) -> ExecSize {
    match owords {
        1 => ExecSize::S4,
        2 => ExecSize::S8,
        _ => ExecSize::S16,
    }
}

impl Lowerer<'_> {
    /// A new register that holds zeros.
    pub(crate) fn zero_register(&mut self) -> VReg {
        let reg = self.payload(1);
        let dst: VDst = Dst::packed(reg, Type::Ud);
        self.emit(build::mov(Lanes::all(self.register_lanes()), dst, Src::ud(0)));
        reg
    }

    /// The part of a payload that an operand is: zeros where it is null.
    pub(super) fn part_or_zeros(&mut self, operand: RawOperand, bytes: u32) -> Lowered<PayloadPart> {
        let part = self.part(operand, bytes)?;
        if !part.reg.is_null() {
            return Ok(part);
        }
        let reg = self.payload(part.len);
        for row in 0..part.len {
            let dst: VDst = Dst::packed(reg.plus(row * self.grf()), Type::Ud);
            self.emit(build::mov(Lanes::all(self.register_lanes()), dst, Src::ud(0)));
        }
        Ok(PayloadPart { reg, ..part })
    }

    /// A new register that holds a copy of the thread header.
    pub(crate) fn copy_of_r0(&mut self) -> VReg {
        let reg = self.payload(1);
        let from = Src::new(self.r0(0), Region::PACKED, Type::Ud);
        self.emit(build::mov(Lanes::all(self.register_lanes()), Dst::packed(reg, Type::Ud), from));
        reg
    }

    /// Dwords of a register.
    pub(crate) fn register_lanes(&self) -> ExecSize {
        ExecSize::from_lanes(self.grf() / 4).unwrap_or(ExecSize::S8)
    }

    /// The address of what a kernel gets from outside, in `to`: bits 31:6 of `r0.0` (volume 7, "Thread Payload",
    /// "Indirect Data Start Address"; Intel's finalizer, `loadThreadPayload`).
    pub(super) fn indirect_data(&mut self, to: VReg) {
        let from = Src::scalar(self.r0(4 * IndirectData::DWORD), Type::Ud);
        let srcs = [from, Src::ud(IndirectData::MASK)];
        self.emit(build::op(Op::And, Lanes::SCALAR, Dst::packed(to, Type::Ud), &srcs));
    }

    /// Writes one dword of a register.
    pub(crate) fn set_dword(&mut self, reg: VReg, index: u32, value: VSrc) {
        let dst = Dst::packed(reg.plus(4 * index), Type::Ud);
        self.emit(build::mov(Lanes::SCALAR, dst, value));
    }
}
