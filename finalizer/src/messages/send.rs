//! A message becomes an instruction: its payload in one range of registers or two, its lengths, its descriptors.

use gen_ir::{Desc, Dst, ExDesc, ExecSize, Inst, Op, SendBuilder, SendLengths, Sfid, Src, Type};
use messages::{Descriptor, ExtendedDescriptor};

use super::{Descriptors, Message, PayloadPart, Surface};
use crate::{
    build::{self, Lanes, VReg},
    lower::{Lowered, Lowerer},
};

/// What a message is guarded by.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Guard {
    /// The predicate of the instruction that is lowered.
    Current,
    /// Nothing.
    None,
}

impl Lowerer<'_> {
    /// Puts parts into consecutive registers of one new payload.
    pub(super) fn concatenate(&mut self, parts: &[PayloadPart]) -> PayloadPart {
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
        self.send_on(self.lanes, Guard::Current, message, dst, parts, surface)
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
        self.send_on(Lanes::all(exec), Guard::None, message, dst, parts, surface)
    }

    fn send_on(
        &mut self,
        lanes: Lanes,
        guard: Guard,
        message: Message,
        dst: VReg,
        parts: &[PayloadPart],
        surface: Option<Surface>,
    ) -> Lowered {
        let describe = |lowerer: &mut Self, desc, ex_desc| {
            let desc = lowerer.descriptor(desc, surface);
            (desc, lowerer.extended_descriptor(ex_desc, message.sfid, surface))
        };
        self.send_parts(lanes, guard, message, dst, parts, describe)
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
        self.send_parts(self.lanes, Guard::Current, message, dst, parts, describe)
    }

    fn send_parts(
        &mut self,
        lanes: Lanes,
        guard: Guard,
        message: Message,
        dst: VReg,
        parts: &[PayloadPart],
        describe: impl FnOnce(&mut Self, Descriptor, ExtendedDescriptor) -> Descriptors,
    ) -> Lowered {
        let (mut first, second) = self.split_payload(parts);
        if first.reg.is_null() && first.len > 0 {
            // A part that vISA leaves out is in the message all the same: nobody says what it holds.
            first.reg = self.payload(first.len);
        }
        let lengths = SendLengths::new(first.len, second.len, message.response)?;
        self.send_sized(lanes, guard, message, dst, (first.reg, second.reg), lengths, describe);
        Ok(())
    }

    /// Sends one register, outside of the execution mask, and receives one or none.
    pub(super) fn send_register(&mut self, exec: ExecSize, message: Message, dst: VReg, register: VReg) {
        let lengths = SendLengths::of(1, 0, message.response);
        let describe = |_: &mut Self, desc: Descriptor, ex_desc: ExtendedDescriptor| {
            (Desc::Imm(desc), Desc::Imm(ex_desc))
        };
        let payload = (register, VReg::NULL);
        self.send_sized(Lanes::all(exec), Guard::None, message, dst, payload, lengths, describe);
    }

    #[allow(clippy::too_many_arguments, reason = "a message has as many parts")]
    fn send_sized(
        &mut self,
        lanes: Lanes,
        guard: Guard,
        message: Message,
        dst: VReg,
        (first, second): (VReg, VReg),
        lengths: SendLengths,
        describe: impl FnOnce(&mut Self, Descriptor, ExtendedDescriptor) -> Descriptors,
    ) {
        let header = message.desc.with_header_present(message.header);
        let (desc, ex_desc) = lengths.descriptors(self.caps, header);
        let described = describe(self, desc, ex_desc);
        let mut send = SendBuilder::described(lanes.exec, message.sfid, described, first, lengths);
        let bindless = matches!(send.ex_desc, Desc::Reg(_));
        send.surface_offset = bindless;
        send.second = (bindless || !lengths.second.is_none()).then_some(second);
        send.response = dst;
        let by_type = self.caps.sends.half_by_type && matches!(send.desc, Desc::Reg(_));
        if by_type && message.desc.half_data() {
            send.response_type = Type::Hf;
        }
        let send = Inst { chan: lanes.chan, no_mask: lanes.no_mask, ..send.build(self.caps) };
        if guard == Guard::Current {
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
    pub(super) fn descriptor(&mut self, desc: Descriptor, surface: Option<Surface>) -> Desc<gen_ir::Virtual> {
        match surface {
            None => Desc::Imm(desc),
            Some(Surface::Index(index) | Surface::Bindless(index, _)) => Desc::Imm(desc.with_surface(index)),
            Some(Surface::Register(reg)) => {
                let a0 = self.address_dword();
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
        let a0 = self.address_dword();
        let to = Dst::packed(a0, Type::Ud);
        let state = Src::scalar(state, Type::Ud);
        let bits = ex_desc.with_target_function(sfid.number()).into_bits();
        self.emit(match self.caps.sends.surface_offsets {
            true => build::mov(Lanes::SCALAR, to, state),
            false => build::op(Op::Add, Lanes::SCALAR, to, &[state, Src::ud(bits)]),
        });
        Desc::Reg(a0)
    }
}

/// Whether the parts follow each other in one variable.
pub(super) fn contiguous(parts: &[PayloadPart], grf: u32) -> bool {
    parts.windows(2).all(|w| {
        w[0].reg.var().is_some()
            && w[0].reg.is_in(w[1].reg)
            && w[1].reg.byte == w[0].reg.byte + w[0].len * grf
    })
}

/// The halves of a split message must not share registers (before Xe).
pub(super) fn share_registers(a: PayloadPart, b: PayloadPart, grf: u32) -> bool {
    a.reg.is_in(b.reg) && a.reg.byte < b.reg.byte + b.len * grf && b.reg.byte < a.reg.byte + a.len * grf
}
