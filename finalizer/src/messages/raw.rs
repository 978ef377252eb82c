//! Raw sends: the program brings its own descriptors.

use gen_ir::{
    Desc, Dst, ExDesc, ExecSize, FileByte, Inst, Op, Payload, Region, SendInfo, Sfid, Src, Type, Virtual,
};
use messages::{Descriptor, ExtendedDescriptor, ExtendedLength, MessageLength};
use narrow::low_u32;
use platforms::Layout;
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
        let eot = ex_desc.end_of_thread();
        let desc = self.raw_descriptor(desc)?;
        let grf = self.grf();
        let src = self.part(src, u32::from(src_len) * grf)?;
        let (target, copy) = self.response(dst, u32::from(dst_len) * grf)?;
        let op = match wait {
            SendWait::None => Op::Send,
            SendWait::DependentThreads => Op::Sendc,
        };
        let mut send = self.raw_send_inst(op, target);
        send.src[0] = Src::payload(src.reg, send.exec);
        if self.caps.words.layout() == Layout::Xe {
            send.src[1] = Src::new(VReg::NULL, Region::PACKED, Type::Ud);
        }
        send.payload = Payload::Send(SendInfo {
            sfid,
            desc,
            ex_desc: Desc::Imm(ex_desc.outside_word()),
            eot,
            dst_len,
            src0_len: src_len,
            src1_len: 0,
        });
        self.finish_raw(send, eot, copy, target, dst_len)
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
        let eot = end == SendEnd::EndsThread || immediate.is_some_and(|e| e.end_of_thread());
        let info = SendInfo {
            sfid: Sfid::from_number(code & 15, self.caps.sends.late_functions),
            desc: self.raw_descriptor(desc)?,
            ex_desc: match immediate {
                Some(given) => self.raw_extended_descriptor(given, code, src_len[1])?,
                None => self.raw_descriptor_register(ext_desc)?,
            },
            eot,
            dst_len,
            src0_len: src_len[0],
            src1_len: src_len[1],
        };
        let grf = self.grf();
        let first = self.part(srcs[0], u32::from(src_len[0]) * grf)?;
        let second = self.part(srcs[1], u32::from(src_len[1]) * grf)?;
        let (target, copy) = self.response(dst, u32::from(dst_len) * grf)?;
        let send = if self.caps.sends.split {
            self.split_send(wait, target, [first, second], info)
        } else {
            self.joined_send(wait, target, [first, second], info)?
        };
        self.finish_raw(send, eot, copy, target, dst_len)
    }

    /// `raw_sends` as a message of two payloads.
    fn split_send(
        &self,
        wait: SendWait,
        target: VReg,
        [first, second]: [PayloadPart; 2],
        info: SendInfo<Virtual>,
    ) -> Inst<Virtual> {
        let op = match (wait, self.caps.words.layout()) {
            (SendWait::None, Layout::Gen8) => Op::Sends,
            (SendWait::DependentThreads, Layout::Gen8) => Op::Sendsc,
            (SendWait::None, Layout::Xe) => Op::Send,
            (SendWait::DependentThreads, Layout::Xe) => Op::Sendc,
        };
        let mut send = self.raw_send_inst(op, target);
        send.src[0] = Src::payload(first.reg, send.exec);
        send.src[1] = Src::payload(second.reg, send.exec);
        if self.caps.sends.length_in_word && matches!(info.ex_desc, Desc::Reg(_)) {
            // The word itself says how long the second payload is.
            send.opts = send.opts.with(gen_ir::Options::EX_BSO);
        }
        send.payload = Payload::Send(info);
        send
    }

    /// `raw_sends` where messages are not split: the payloads are one behind the other.
    fn joined_send(
        &mut self,
        wait: SendWait,
        target: VReg,
        [first, second]: [PayloadPart; 2],
        info: SendInfo<Virtual>,
    ) -> Lowered<Inst<Virtual>> {
        let op = match wait {
            SendWait::None => Op::Send,
            SendWait::DependentThreads => Op::Sendc,
        };
        let mut send = self.raw_send_inst(op, target);
        let (payload, desc) = self.joined_payload(first, second, info.desc)?;
        let Desc::Imm(ex_desc) = info.ex_desc else {
            return Err(Unsupported::ExtendedDescriptor { coarse_pixels: false }.into());
        };
        send.src[0] = Src::payload(payload.reg, send.exec);
        send.payload = Payload::Send(SendInfo {
            desc,
            ex_desc: Desc::Imm(ex_desc.with_extended_length(ExtendedLength::NONE)),
            src0_len: MessageLength::new(payload.len)?.registers(),
            src1_len: 0,
            ..info
        });
        Ok(send)
    }

    /// One payload of two, where messages are not split, and the descriptor with its length.
    fn joined_payload(
        &mut self,
        first: PayloadPart,
        second: PayloadPart,
        desc: Desc<Virtual>,
    ) -> Lowered<(PayloadPart, Desc<Virtual>)> {
        if second.len == 0 {
            return Ok((first, desc));
        }
        let payload = self.concatenate(&[first, second]);
        MessageLength::new(payload.len)?;
        let more = MessageLength::new(second.len)?;
        let desc = match desc {
            Desc::Imm(desc) => Desc::Imm(desc.lengthened(more)),
            Desc::Reg(a0) => {
                let more = Src::ud(Descriptor::added_length(more));
                let srcs = [Src::scalar(a0, Type::Ud), more];
                self.emit(build::op(Op::Add, Lanes::SCALAR, Dst::packed(a0, Type::Ud), &srcs));
                Desc::Reg(a0)
            }
        };
        Ok((payload, desc))
    }

    fn raw_send_inst(&self, op: Op, target: VReg) -> Inst<Virtual> {
        let mut send = Inst::new(op, self.lanes.exec);
        (send.chan, send.no_mask) = (self.lanes.chan, self.lanes.no_mask);
        let ty = if self.lanes.exec >= ExecSize::S16 { Type::W } else { Type::Ud };
        send.dst = if target.is_null() { Dst::null(ty) } else { Dst::packed(target, ty) };
        send
    }

    fn finish_raw(
        &mut self,
        mut send: Inst<Virtual>,
        eot: bool,
        copy: Option<VReg>,
        target: VReg,
        dst_len: u8,
    ) -> Lowered {
        self.note_write(None);
        if eot {
            self.move_to_last_registers(&mut send);
        }
        self.emit_guarded(send);
        if eot {
            self.thread_ended();
            return Ok(());
        }
        if let Some(to) = copy {
            self.copy_bytes(to, target, u32::from(dst_len) * self.grf());
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
        let a0 = VReg::var_at(self.var(gen_ir::Var::temp(gen_ir::VarClass::Address, 4, 4)), 0);
        self.emit(build::mov(Lanes::SCALAR, Dst::packed(a0, Type::Ud), value));
        Ok(Desc::Reg(a0))
    }

    /// An immediate extended descriptor. The length of the second payload is the instruction's, whatever the
    /// bits say; five bits of it do not fit into a word of the older layout.
    fn raw_extended_descriptor(
        &mut self,
        given: ExtendedDescriptor,
        code: u8,
        second: u8,
    ) -> Lowered<ExDesc<Virtual>> {
        if self.caps.sends.length_in_word {
            return Ok(Desc::Imm(given.with_extended_length(ExtendedLength::NONE).outside_word()));
        }
        let all = given.with_extended_length(ExtendedLength::new(second.into())?);
        if self.caps.words.layout() == Layout::Xe || second < 16 {
            return Ok(Desc::Imm(all.outside_word()));
        }
        let a0 = VReg::var_at(self.var(gen_ir::Var::temp(gen_ir::VarClass::Address, 4, 4)), 0);
        let value = Src::ud(all.into_bits() | u32::from(code));
        self.emit(build::mov(Lanes::SCALAR, Dst::packed(a0, Type::Ud), value));
        Ok(Desc::Reg(a0))
    }
}
