//! Raw sends: the program brings its own descriptors.

use gen_ir::{
    Desc, Dst, ExDesc, FileByte, Inst, Op, Payload, SendBuilder, SendLengths, Sfid, Src, Type, Virtual,
};
use messages::{Descriptor, ExtendedDescriptor, ExtendedLength, MessageLength};
use narrow::low_u32;
use visa::{
    Op as Visa, VectorOperand,
    op::{SendEnd, SendWait},
};

use super::PayloadPart;
use crate::{
    build::{self, Lanes, VReg},
    lower::{Lowered, Lowerer, Unsupported},
};

impl Lowerer<'_> {
    /// A message with one payload.
    pub(crate) fn raw_send(&mut self, op: &Visa<'_>) -> Lowered {
        let Visa::RawSend { wait, ext_desc, src_len, dst_len, desc, src, dst } = *op else {
            unreachable!("{op:?} is not a raw message");
        };
        let ex_desc = ExtendedDescriptor::from_bits(ext_desc);
        let sfid = Sfid::from_number(ex_desc.target_function(), self.caps.sends.late_functions);
        let desc = self.raw_descriptor(desc)?;
        let lengths = SendLengths::new(src_len.into(), 0, dst_len.into())?;
        let grf = self.grf();
        let src = self.part(src, u32::from(src_len) * grf)?;
        let (response, copy) = self.response(dst, u32::from(dst_len) * grf)?;
        let described = (desc, Desc::Imm(ex_desc.outside_word()));
        let send = SendBuilder {
            response,
            eot: ex_desc.end_of_thread(),
            conditional: wait == SendWait::DependentThreads,
            ..SendBuilder::described(self.lanes.exec, sfid, described, src.reg, lengths)
        };
        self.finish_raw(send, copy)
    }

    /// A message with two payloads.
    pub(crate) fn raw_sends(&mut self, op: &Visa<'_>) -> Lowered {
        let Visa::RawSends { wait, end, sfid, src_len, dst_len, ext_desc, desc, srcs, dst } = *op else {
            unreachable!("{op:?} is not a raw message");
        };
        let immediate = ext_desc.immediate().map(|v| ExtendedDescriptor::from_bits(low_u32(v)));
        let code = match (sfid, immediate) {
            (0, Some(e)) => e.target_function(),
            // Shipped objects give the low byte of the extended descriptor, length and all: the shared
            // function is in bits 0 to 3, as the machine code beside them has it.
            (code, _) => code & 15,
        };
        let sfid = Sfid::from_number(code & 15, self.caps.sends.late_functions);
        let desc = self.raw_descriptor(desc)?;
        // Where messages are not split, the payloads are one behind the other.
        let split = self.caps.sends.split;
        let [first, second] = src_len.map(u32::from);
        let (first_len, second_len) = if split { (first, second) } else { (first + second, 0) };
        let lengths = SendLengths::new(first_len, second_len, dst_len.into())?;
        let ex_desc = match immediate {
            Some(given) => self.raw_extended_descriptor(given, code, lengths.second),
            None if !self.caps.sends.extended_in_register() => {
                return Err(Unsupported::ExtendedDescriptor { coarse_pixels: false }.into());
            }
            None => self.raw_descriptor_register(ext_desc)?,
        };
        let grf = self.grf();
        let first = self.part(srcs[0], first * grf)?;
        let second = self.part(srcs[1], second * grf)?;
        let (response, copy) = self.response(dst, u32::from(dst_len) * grf)?;
        let (first, second, desc) = if split {
            (first, Some(second.reg), desc)
        } else {
            let (payload, desc) = self.joined_payload(first, second, desc);
            (payload, None, desc)
        };
        let send = SendBuilder {
            surface_offset: true,
            second,
            response,
            eot: end == SendEnd::EndsThread || immediate.is_some_and(|e| e.end_of_thread()),
            conditional: wait == SendWait::DependentThreads,
            ..SendBuilder::described(self.lanes.exec, sfid, (desc, ex_desc), first.reg, lengths)
        };
        self.finish_raw(send, copy)
    }

    /// One payload of two, which is not too long, where messages are not split, and the descriptor with its length.
    fn joined_payload(
        &mut self,
        first: PayloadPart,
        second: PayloadPart,
        desc: Desc<Virtual>,
    ) -> (PayloadPart, Desc<Virtual>) {
        if second.len == 0 {
            return (first, desc);
        }
        let payload = self.concatenate(&[first, second]);
        let more = MessageLength::of(second.len);
        let desc = match desc {
            Desc::Imm(desc) => Desc::Imm(desc.lengthened(more)),
            Desc::Reg(a0) => {
                let more = Src::ud(Descriptor::added_length(more));
                let srcs = [Src::scalar(a0, Type::Ud), more];
                self.emit(build::op(Op::Add, Lanes::SCALAR, Dst::packed(a0, Type::Ud), &srcs));
                Desc::Reg(a0)
            }
        };
        (payload, desc)
    }

    fn finish_raw(&mut self, message: SendBuilder<Virtual>, copy: Option<VReg>) -> Lowered {
        let Lanes { chan, no_mask, .. } = self.lanes;
        let mut send = Inst { chan, no_mask, ..message.build(self.caps) };
        self.note_write(None);
        if message.eot {
            self.move_to_last_registers(&mut send);
        }
        self.emit_guarded(send);
        if message.eot {
            self.thread_ended();
            return Ok(());
        }
        if let Some(to) = copy {
            let bytes = u32::from(message.lengths.response.registers()) * self.grf();
            self.copy_bytes(to, message.response, bytes);
        }
        Ok(())
    }

    /// What stands behind the end of the thread in its block, as the `ret` that some compilers put there, is not
    /// reached; unless only some of the threads end.
    fn thread_ended(&mut self) {
        if self.pred.is_some() {
            self.new_block();
        } else {
            self.ended = true;
        }
    }

    /// Payloads of a message that ends the thread live in the last 16 registers.
    fn move_to_last_registers(&mut self, send: &mut Inst<Virtual>) {
        let Payload::Send(info) = send.payload else { return };
        let grf = self.grf();
        let mut next = u32::from(self.out.grf_count);
        for (i, len) in [(0, info.src0_len), (1, info.src1_len)] {
            let Src::Direct { reg, region, mods, ty } = send.src[i] else { continue };
            if len == 0 || reg.is_null() {
                continue;
            }
            next -= u32::from(len);
            let bytes = u32::from(len) * grf;
            let place = gen_ir::Var { fixed: Some(FileByte::new(next * grf)), ..build::general(bytes, grf) };
            let moved = VReg::var_at(self.var(place), 0);
            self.copy_bytes(moved, reg, bytes);
            send.src[i] = Src::Direct { reg: moved, region, mods, ty };
        }
    }

    fn raw_descriptor(&mut self, desc: &VectorOperand) -> Lowered<Desc<Virtual>> {
        match desc.immediate() {
            Some(value) => Ok(Desc::Imm(Descriptor::from_bits(low_u32(value)))),
            None => self.raw_descriptor_register(desc),
        }
    }

    fn raw_descriptor_register<D>(&mut self, desc: &VectorOperand) -> Lowered<Desc<Virtual, D>> {
        let value = match self.scalar_src(desc)? {
            Src::Direct { reg, region, mods, ty } if ty.bytes() == 4 => {
                Src::Direct { reg, region, mods, ty: Type::Ud }
            }
            Src::Imm { bits, .. } => Src::ud(low_u32(bits)),
            other => other,
        };
        let a0 = self.address_dword();
        self.emit(build::mov(Lanes::SCALAR, Dst::packed(a0, Type::Ud), value));
        Ok(Desc::Reg(a0))
    }

    /// An immediate extended descriptor. The length of the second payload is the instruction's, whatever the
    /// bits say; five bits of it do not fit into a word of the older layout.
    fn raw_extended_descriptor(
        &mut self,
        given: ExtendedDescriptor,
        code: u8,
        second: ExtendedLength,
    ) -> ExDesc<Virtual> {
        if self.caps.sends.length_in_word {
            return Desc::Imm(given.with_extended_length(ExtendedLength::NONE).outside_word());
        }
        let all = given.with_extended_length(second);
        if !self.caps.sends.function_in_descriptor || second.registers() < 16 {
            return Desc::Imm(all.outside_word());
        }
        let a0 = self.address_dword();
        let value = Src::ud(all.into_bits() | u32::from(code));
        self.emit(build::mov(Lanes::SCALAR, Dst::packed(a0, Type::Ud), value));
        Desc::Reg(a0)
    }
}
