//! Messages to shared functions: descriptors, headers and payloads, one file per message family.
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
mod svm;
mod sync;
mod typed;

use gen_ir::{Desc, Dst, ExDesc, ExecSize, Inst, Op, Options, Payload, Region, SendInfo, Sfid, Src, Type};
use messages::{
    Descriptor, ExtendedDescriptor, ExtendedLength, MessageLength, ResponseLength, SurfaceIndex,
    hdc::{AtomicOp as IntOp, FloatAtomicOp, OwordCount},
};
use platforms::Layout;
use smallvec::SmallVec;
use visa::{AtomicOp, RawOperand};

use crate::{
    build::{self, Lanes, VDst, VReg, VSrc},
    lower::{Lowered, Lowerer, vars::Handle},
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

/// Lengths of a message in registers, as descriptors can count them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    pub first: MessageLength,
    pub second: ExtendedLength,
    pub response: ResponseLength,
}

impl Sizes {
    pub(super) fn new(first: u32, second: u32, response: u32) -> Lowered<Sizes> {
        Ok(Sizes {
            first: MessageLength::new(first)?,
            second: ExtendedLength::new(second)?,
            response: ResponseLength::new(response)?,
        })
    }

    /// Lengths that the caller has bounded.
    pub(super) const fn of(first: u32, second: u32, response: u32) -> Sizes {
        Sizes {
            first: MessageLength::of(first),
            second: ExtendedLength::of(second),
            response: ResponseLength::of(response),
        }
    }
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
            Op::Scaled4 { .. }
            | Op::Scaled { .. }
            | Op::Gather { .. }
            | Op::Qword { .. }
            | Op::Atomic { .. }
            | Op::Typed4 { .. }
            | Op::TypedAtomic { .. }
            | Op::SvmGather { .. }
            | Op::SvmAtomic { .. }
            | Op::SvmScaled4 { .. }
            | Op::Info3d { .. } => self.lane_message(&inst.op),
            Op::OwordBlock { .. } => self.oword_block(&inst.op),
            Op::MediaBlock { .. } => self.media_block(&inst.op),
            Op::SvmBlock { .. } => self.svm(&inst.op),
            Op::Lsc(lsc) => self.lsc(&lsc),
            Op::LscBlock2d(lsc) => self.lsc_block2d(&lsc),
            Op::LscTyped(lsc) => self.lsc_typed(&lsc),
            Op::LscFence { sfid, op, scope } => self.lsc_fence(sfid, op, scope),
            Op::RawSend { .. } | Op::RawSends { .. } => self.raw_send(&inst.op),
            Op::Barrier => self.barrier(),
            Op::SplitBarrier { signal } => self.split_barrier(signal),
            Op::NamedBarrier { mode, id, kind, producers, consumers } => {
                self.named_barrier(mode, id, kind, [producers, consumers])
            }
            Op::SamplerCacheFlush => self.flush_sampler(),
            Op::Fence { mask } => self.fence(mask),
            Op::Wait { mask } => self.wait(mask),
            Op::Yield => Ok(()),
            Op::Sample(ref s) | Op::Load3d(ref s) => self.sampler_message(false, s),
            Op::Gather4(ref s) => self.sampler_message(true, s),
            Op::SampleUnorm { channels, sampler, surface, coords, dst, .. } => {
                self.sample_unorm(channels, sampler, surface, coords, dst)
            }
            Op::SampleLegacy { channels, simd16, sampler, surface, coords, dst } => {
                self.legacy_sample(channels, simd16, sampler, surface, coords, dst)
            }
            Op::Other(operands) if inst.opcode == visa::Opcode::Avs => self.avs(operands),
            Op::Other(operands) => self.motion_estimation(inst.opcode, operands),
            Op::RtWrite(ref write) => self.render_target_write(write),
            Op::UrbWrite { outputs, mask, global_offset, handle, per_slot_offset, data } => {
                self.urb_write(outputs, global_offset, [mask, handle, per_slot_offset, data])
            }
            _ => Err(format!("{} does not exist on {}", inst.opcode, self.caps.name).into()),
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
            (None, None) => Err("a surface that is never set".into()),
        }
    }

    /// A surface whose state the extended descriptor names.
    fn bindless(
        &mut self,
        index: SurfaceIndex,
        known: Option<u32>,
        var: Option<gen_ir::VarId>,
    ) -> Lowered<Surface> {
        if !self.caps.sends.split {
            return Err(format!("bindless surfaces do not exist on {}", self.caps.name).into());
        }
        let state = match (known, var) {
            (_, Some(var)) => VReg::var_at(var, 0),
            (Some(value), None) => {
                let state = self.temp(1, 4);
                self.set_dword(state, 0, Src::ud(value));
                state
            }
            (None, None) => return Err("a surface that is never set".into()),
        };
        Ok(Surface::Bindless(index, state))
    }

    /// The part of a payload that a raw operand names: `bytes` bytes of it, in whole registers.
    pub(crate) fn part(&mut self, operand: RawOperand, bytes: u32) -> Lowered<PayloadPart> {
        let len = bytes.div_ceil(self.grf());
        let reg = self.raw(operand)?;
        if reg.is_null() {
            return Ok(PayloadPart { reg, len });
        }
        let Some(var) = reg.var() else { return Err("a message operand that is not a variable".into()) };
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
            Some(place) if !place.is_multiple_of(grf) || var.bytes < end => return false,
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
        let ty = Type::unsigned(bytes).unwrap_or(Type::Ud);
        let source = Src::new(from, build::strided(1, self.lanes.exec), ty);
        self.emit_guarded(build::mov(self.lanes, Dst::packed(to, ty), source));
    }

    /// Puts parts into consecutive registers of one new payload.
    fn concatenate(&mut self, parts: &[PayloadPart]) -> PayloadPart {
        let len = parts.iter().map(|p| p.len).sum();
        let all = self.payload(len);
        let mut at = 0;
        for part in parts {
            if !part.reg.is_null() {
                self.copy_bytes(all.plus(at), part.reg, part.len * self.grf());
            }
            at += part.len * self.grf();
        }
        PayloadPart { reg: all, len }
    }

    /// Sends a message guarded by the current predicate. The payload's parts go into one range of
    /// registers, or two where messages are split: the first part alone, the rest together.
    pub(crate) fn send(
        &mut self,
        message: Message,
        dst: VReg,
        parts: &[PayloadPart],
        surface: Option<Surface>,
    ) -> Lowered {
        self.send_on(self.lanes, true, message, dst, parts, surface)
    }

    /// Sends a message that has a header and ignores the execution mask.
    pub(crate) fn send_block(
        &mut self,
        exec: ExecSize,
        message: Message,
        dst: VReg,
        parts: &[PayloadPart],
        surface: Option<Surface>,
    ) -> Lowered {
        self.send_on(Lanes::all(exec), false, message, dst, parts, surface)
    }

    fn send_on(
        &mut self,
        lanes: Lanes,
        guarded: bool,
        message: Message,
        dst: VReg,
        parts: &[PayloadPart],
        surface: Option<Surface>,
    ) -> Lowered {
        let describe = |lowerer: &mut Self, desc, ex_desc| {
            let desc = lowerer.descriptor(desc, surface);
            (desc, lowerer.extended_descriptor(ex_desc, message.sfid, surface))
        };
        self.send_parts(lanes, guarded, message, dst, parts, describe)
    }

    /// Sends a message guarded by the current predicate, whose descriptor operands `describe` makes of the
    /// complete bits.
    pub(crate) fn send_described(
        &mut self,
        message: Message,
        dst: VReg,
        parts: &[PayloadPart],
        describe: impl FnOnce(&mut Self, Descriptor, ExtendedDescriptor) -> Descriptors,
    ) -> Lowered {
        self.send_parts(self.lanes, true, message, dst, parts, describe)
    }

    fn send_parts(
        &mut self,
        lanes: Lanes,
        guarded: bool,
        message: Message,
        dst: VReg,
        parts: &[PayloadPart],
        describe: impl FnOnce(&mut Self, Descriptor, ExtendedDescriptor) -> Descriptors,
    ) -> Lowered {
        let (first, second) = self.split_payload(parts);
        let sizes = Sizes::new(first.len, second.len, message.response)?;
        self.send_sized(lanes, guarded, message, dst, (first.reg, second.reg), sizes, describe);
        Ok(())
    }

    /// Sends one register, outside of the execution mask, and receives one or none.
    pub(super) fn send_register(&mut self, exec: ExecSize, message: Message, dst: VReg, register: VReg) {
        let sizes = Sizes::of(1, 0, message.response);
        let describe = |_: &mut Self, desc: Descriptor, ex_desc: ExtendedDescriptor| {
            (Desc::Imm(desc), Desc::Imm(ex_desc))
        };
        self.send_sized(Lanes::all(exec), false, message, dst, (register, VReg::NULL), sizes, describe);
    }

    #[allow(clippy::too_many_arguments, reason = "a message has as many parts")]
    fn send_sized(
        &mut self,
        lanes: Lanes,
        guarded: bool,
        message: Message,
        dst: VReg,
        (first, second): (VReg, VReg),
        sizes: Sizes,
        describe: impl FnOnce(&mut Self, Descriptor, ExtendedDescriptor) -> Descriptors,
    ) {
        let desc = message.desc.with_header_present(message.header).with_lengths(sizes.first, sizes.response);
        let ex_desc = if self.caps.sends.length_in_word {
            ExtendedDescriptor::new()
        } else {
            ExtendedDescriptor::of_length(sizes.second)
        };
        let (desc, ex_desc) = describe(self, desc, ex_desc);
        let bindless = matches!(ex_desc, Desc::Reg(_));
        let split = !sizes.second.is_none() || bindless;
        let gen8 = self.caps.words.layout() == Layout::Gen8;
        let op = if split && gen8 { Op::Sends } else { Op::Send };
        let mut send = Inst::new(op, lanes.exec);
        (send.chan, send.no_mask) = (lanes.chan, lanes.no_mask);
        let by_type = self.caps.sends.half_by_type && matches!(desc, Desc::Reg(_));
        let ty = match lanes.exec {
            _ if by_type && message.desc.half_data() => Type::Hf,
            ExecSize::S16 | ExecSize::S32 => Type::W,
            _ => Type::Ud,
        };
        send.dst = if dst.is_null() { Dst::null(ty) } else { Dst::packed(dst, ty) };
        send.src[0] = Src::payload(first, lanes.exec);
        if split {
            send.src[1] = Src::payload(second, lanes.exec);
        } else if !gen8 {
            send.src[1] = Src::new(VReg::NULL, Region::PACKED, Type::Ud);
        }
        send.payload = Payload::Send(SendInfo {
            sfid: message.sfid,
            desc,
            ex_desc,
            eot: false,
            dst_len: sizes.response.registers(),
            src0_len: sizes.first.registers(),
            src1_len: sizes.second.registers(),
        });
        send.opts = if bindless && self.caps.sends.length_in_word { Options::EX_BSO } else { Options::NONE };
        if guarded {
            self.emit_guarded(send);
        } else {
            self.emit(send);
        }
    }

    fn split_payload(&mut self, parts: &[PayloadPart]) -> (PayloadPart, PayloadPart) {
        let none = PayloadPart { reg: VReg::NULL, len: 0 };
        let grf = self.grf();
        match parts {
            [] => (none, none),
            [only] => (*only, none),
            [a, b] if self.caps.sends.split && !b.reg.is_null() && !share_registers(*a, *b, grf) => (*a, *b),
            _ if contiguous(parts, grf) => {
                (PayloadPart { reg: parts[0].reg, len: parts.iter().map(|p| p.len).sum() }, none)
            }
            [first, rest @ ..] if self.caps.sends.split => {
                let rest = if contiguous(rest, grf) && !share_registers(*first, rest[0], grf) {
                    PayloadPart { reg: rest[0].reg, len: rest.iter().map(|p| p.len).sum() }
                } else {
                    self.concatenate(rest)
                };
                (*first, rest)
            }
            _ => (self.concatenate(parts), none),
        }
    }

    /// The descriptor operand: an immediate, or computed into an address register.
    fn descriptor(&mut self, desc: Descriptor, surface: Option<Surface>) -> Desc<gen_ir::Virtual> {
        match surface {
            None => Desc::Imm(desc),
            Some(Surface::Index(index) | Surface::Bindless(index, _)) => Desc::Imm(desc.with_surface(index)),
            Some(Surface::Register(reg)) => {
                let a0 = self.var(gen_ir::Var::temp(gen_ir::VarClass::Address, 4, 4));
                let a0 = VReg::var_at(a0, 0);
                self.emit(build::op(
                    Op::Add,
                    Lanes::SCALAR,
                    Dst::packed(a0, Type::Ud),
                    &[Src::scalar(reg, Type::Ud), Src::ud(desc.into_bits())],
                ));
                Desc::Reg(a0)
            }
        }
    }

    /// The extended descriptor operand: an immediate; for a bindless surface the offset of its state, and what
    /// else the word does not say itself.
    pub(super) fn extended_descriptor(
        &mut self,
        ex_desc: ExtendedDescriptor,
        sfid: Sfid,
        surface: Option<Surface>,
    ) -> ExDesc<gen_ir::Virtual> {
        let Some(Surface::Bindless(_, state)) = surface else {
            return Desc::Imm(ex_desc);
        };
        let a0 = VReg::var_at(self.var(gen_ir::Var::temp(gen_ir::VarClass::Address, 4, 4)), 0);
        let to = Dst::packed(a0, Type::Ud);
        let state = Src::scalar(state, Type::Ud);
        let bits = ex_desc.with_target_function(sfid.number()).into_bits();
        self.emit(match self.caps.memory.lsc {
            true => build::mov(Lanes::SCALAR, to, state),
            false => build::op(Op::Add, Lanes::SCALAR, to, &[state, Src::ud(bits)]),
        });
        Desc::Reg(a0)
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
        let shared = self.src(shared)?;
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

    /// Lanes that a SIMD message works on: at least the native width.
    pub(crate) fn message_lanes(&self) -> u32 {
        self.lanes.exec.lanes().max(u32::from(self.caps.memory.simd_message))
    }
}

/// A binding table index, which has eight bits.
pub(crate) fn surface_index(value: u32) -> Lowered<SurfaceIndex> {
    match u8::try_from(value) {
        Ok(index) => Ok(SurfaceIndex(index)),
        Err(_) => Err(format!("binding table index {value:#x} is above 255").into()),
    }
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
            Operation::Int(op) => op as u8,
            Operation::Float(op) => op as u8,
        }
    }
}

/// Block size of oword block messages.
pub(crate) fn oword_count(owords: u8) -> Lowered<OwordCount> {
    match OwordCount::of(owords).filter(|_| owords <= 8) {
        Some(count) => Ok(count),
        None => Err(format!("a block of {owords} owords").into()),
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
        if self.grf() == 64 { ExecSize::S16 } else { ExecSize::S8 }
    }

    /// Writes one dword of a register.
    pub(crate) fn set_dword(&mut self, reg: VReg, index: u32, value: VSrc) {
        let dst = Dst::packed(reg.plus(4 * index), Type::Ud);
        self.emit(build::mov(Lanes::SCALAR, dst, value));
    }
}

/// Whether the parts follow each other in one variable.
fn contiguous(parts: &[PayloadPart], grf: u32) -> bool {
    parts.windows(2).all(|w| {
        w[0].reg.var().is_some()
            && w[0].reg.is_in(w[1].reg)
            && w[1].reg.byte == w[0].reg.byte + w[0].len * grf
    })
}

/// The halves of a split message must not share registers (before Xe).
fn share_registers(a: PayloadPart, b: PayloadPart, grf: u32) -> bool {
    a.reg.is_in(b.reg) && a.reg.byte < b.reg.byte + b.len * grf && b.reg.byte < a.reg.byte + a.len * grf
}
