//! Where messages become instructions.

use messages::{
    Descriptor, ExtendedDescriptor, ExtendedLength, MessageLength, ResponseLength, Sfid, TooLong,
};
use platforms::Caps;

use super::{
    controls::{ExecSize, Options},
    payload::Payload,
    send::{Desc, ExDesc, SendInfo},
};
use crate::{Dst, Inst, Op, Reg, Space, Src, Type};

/// Lengths of a message in GRFs, as descriptors can count them (PRM volume 7, "Message Descriptor").
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SendLengths {
    /// The payload, or its first part where messages are split.
    pub first: MessageLength,
    /// The second part of the payload.
    pub second: ExtendedLength,
    /// The response.
    pub response: ResponseLength,
}

impl SendLengths {
    /// Lengths in GRFs.
    ///
    /// # Errors
    ///
    /// If the field of a descriptor cannot count that many.
    pub fn new(first: u32, second: u32, response: u32) -> Result<SendLengths, TooLong> {
        Ok(SendLengths {
            first: MessageLength::new(first)?,
            second: ExtendedLength::new(second)?,
            response: ResponseLength::new(response)?,
        })
    }

    /// Lengths in GRFs that the caller has bounded.
    ///
    /// # Panics
    ///
    /// If the field of a descriptor cannot count that many: a bug of the caller.
    pub const fn of(first: u32, second: u32, response: u32) -> SendLengths {
        SendLengths {
            first: MessageLength::of(first),
            second: ExtendedLength::of(second),
            response: ResponseLength::of(response),
        }
    }

    /// The descriptor with the lengths that stand there, and an extended descriptor with that of the second part, unless
    /// the word has it ([`Sends::length_in_word`](platforms::Sends)).
    pub const fn descriptors(self, caps: &Caps, desc: Descriptor) -> (Descriptor, ExtendedDescriptor) {
        let second = if caps.sends.length_in_word { ExtendedLength::NONE } else { self.second };
        (desc.with_lengths(self.first, self.response), ExtendedDescriptor::of_length(second))
    }
}

/// A message before it is an instruction: [`SendBuilder::new`] and [`SendBuilder::described`] say what is usual, fields what is
/// not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SendBuilder<S: Space> {
    /// Execution size.
    pub exec: ExecSize,
    /// Shared function.
    pub sfid: Sfid,
    /// Message descriptor, complete: what stands here goes into the instruction as it is.
    pub desc: Desc<S>,
    /// Extended message descriptor, complete but for shared function and end of thread.
    pub ex_desc: ExDesc<S>,
    /// Where an extended descriptor is in a register, that is nothing but the offset of a surface's state, and the word
    /// says how long the second part is: `ExBSO`, on platforms whose words have it.
    pub surface_offset: bool,
    /// Lengths.
    pub lengths: SendLengths,
    /// The payload, or its first part.
    pub first: Reg<S>,
    /// The second part of a payload that is split, which may be null.
    pub second: Option<Reg<S>>,
    /// Where the response goes; null if there is none.
    pub response: Reg<S>,
    /// The type of the response.
    pub response_type: Type,
    /// The message ends the thread.
    pub eot: bool,
    /// The message waits until the threads that its own depends on have ended ([`Op::conditional`]).
    pub conditional: bool,
}

impl<S: Space> SendBuilder<S> {
    /// A message of one payload, without a register for a response: both descriptors are immediates, and say the lengths
    /// beside what `desc` says. The type is that which Intel's code has (`tests/golden/kernels`): words for
    /// 16 channels and more, else dwords.
    pub fn new(
        caps: &Caps,
        exec: ExecSize,
        sfid: Sfid,
        desc: Descriptor,
        first: Reg<S>,
        lengths: SendLengths,
    ) -> SendBuilder<S> {
        let (desc, ex_desc) = lengths.descriptors(caps, desc);
        SendBuilder::described(exec, sfid, (Desc::Imm(desc), Desc::Imm(ex_desc)), first, lengths)
    }

    /// The same, with descriptors that are complete.
    pub fn described(
        exec: ExecSize,
        sfid: Sfid,
        (desc, ex_desc): (Desc<S>, ExDesc<S>),
        first: Reg<S>,
        lengths: SendLengths,
    ) -> SendBuilder<S> {
        SendBuilder {
            exec,
            sfid,
            desc,
            ex_desc,
            surface_offset: false,
            lengths,
            first,
            second: None,
            response: Reg::NULL,
            response_type: if exec >= ExecSize::S16 { Type::W } else { Type::Ud },
            eot: false,
            conditional: false,
        }
    }

    /// The instruction, under the execution mask and without a predicate, on channels from 0 on.
    pub fn build(self, caps: &Caps) -> Inst<S> {
        let op = if self.second.is_some() && caps.sends.split_opcode { Op::Sends } else { Op::Send };
        let by_offset =
            self.surface_offset && caps.sends.surface_offsets && matches!(self.ex_desc, Desc::Reg(_));
        let payload = |reg| Src::payload(reg, self.exec);
        Inst {
            opts: if by_offset { Options::EX_BSO } else { Options::NONE },
            dst: Dst::packed(self.response, self.response_type),
            src: [payload(self.first), self.second.map_or(Src::None, payload), Src::None],
            payload: Payload::Send(SendInfo {
                sfid: self.sfid,
                desc: self.desc,
                ex_desc: self.ex_desc,
                eot: self.eot,
                dst_len: self.lengths.response.registers(),
                src0_len: self.lengths.first.registers(),
                src1_len: self.lengths.second.registers(),
            }),
            ..Inst::new(if self.conditional { op.conditional() } else { op }, self.exec)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Arf, GrfNum, Physical};
    use platforms::Platform;

    fn grf(n: u8) -> Reg<Physical> {
        Reg::grf(GrfNum::new(n.into()), 0)
    }

    /// A message with a header and a response of two registers from r20 on, its payload from r10 on.
    fn message(platform: Platform, exec: ExecSize, second: u32) -> SendBuilder<Physical> {
        let desc = Descriptor::new().with_header_present(true);
        let lengths = SendLengths::of(3, second, 2);
        let send = SendBuilder::new(platform.caps(), exec, Sfid::Dc1, desc, grf(10), lengths);
        SendBuilder { second: (second > 0).then_some(grf(14)), response: grf(20), ..send }
    }

    fn built(send: SendBuilder<Physical>, platform: Platform) -> Inst<Physical> {
        send.build(platform.caps())
    }

    #[test]
    fn operands_and_lengths_stand_in_the_instruction() {
        let inst = built(message(Platform::Skl, ExecSize::S8, 5), Platform::Skl);
        assert_eq!(
            [inst.src[0].reg(), inst.src[1].reg(), inst.dst.reg()],
            [10, 14, 20].map(|n| Some(grf(n)))
        );
        let send = inst.send().unwrap();
        assert_eq!((send.sfid, send.eot), (Sfid::Dc1, false));
        assert_eq!((send.src0_len, send.src1_len, send.dst_len), (3, 5, 2));
        assert_eq!((inst.exec, inst.chan, inst.no_mask, inst.pred), (ExecSize::S8, 0, false, None));
    }

    #[test]
    fn descriptors_say_the_lengths_of_the_parts() {
        // Header present is bit 19, lengths are from bits 25 and 20 on, that of the second part from bit 6 on.
        for (platform, ex_desc) in [(Platform::Skl, 5 << 6), (Platform::Tgllp, 5 << 6), (Platform::Pvc, 0)] {
            let send = message(platform, ExecSize::S8, 5);
            assert_eq!(send.desc, Desc::Imm(Descriptor::from_bits(3 << 25 | 2 << 20 | 1 << 19)));
            assert_eq!(send.ex_desc, Desc::Imm(ExtendedDescriptor::from_bits(ex_desc)), "{platform}");
        }
    }

    #[test]
    fn lengths_beyond_a_field_are_refused() {
        assert!(SendLengths::new(15, 31, 31).is_ok());
        for (first, second, response) in [(16, 0, 0), (0, 32, 0), (0, 0, 32)] {
            assert!(SendLengths::new(first, second, response).is_err());
        }
    }

    #[test]
    fn a_message_of_two_parts_has_an_opcode_of_its_own_up_to_gen11() {
        let ops = |platform, second, conditional| {
            built(SendBuilder { conditional, ..message(platform, ExecSize::S8, second) }, platform).op
        };
        for (platform, split, split_conditional) in
            [(Platform::Icllp, Op::Sends, Op::Sendsc), (Platform::Tgllp, Op::Send, Op::Sendc)]
        {
            assert_eq!((ops(platform, 0, false), ops(platform, 0, true)), (Op::Send, Op::Sendc));
            assert_eq!((ops(platform, 5, false), ops(platform, 5, true)), (split, split_conditional));
        }
    }

    #[test]
    fn a_split_message_may_have_no_second_part() {
        let whole = message(Platform::Skl, ExecSize::S8, 0);
        assert_eq!(built(whole, Platform::Skl).src[1], Src::None);
        let split = built(SendBuilder { second: Some(Reg::NULL), ..whole }, Platform::Skl);
        assert_eq!((split.op, split.src[1]), (Op::Sends, Src::payload(Reg::NULL, ExecSize::S8)));
    }

    #[test]
    fn responses_of_sixteen_channels_are_of_words_unless_said() {
        for (exec, ty) in [(ExecSize::S8, Type::Ud), (ExecSize::S16, Type::W), (ExecSize::S32, Type::W)] {
            assert_eq!(built(message(Platform::Skl, exec, 0), Platform::Skl).dst, Dst::packed(grf(20), ty));
        }
        let half = SendBuilder { response_type: Type::Hf, ..message(Platform::Skl, ExecSize::S16, 0) };
        assert_eq!(built(half, Platform::Skl).dst, Dst::packed(grf(20), Type::Hf));
    }

    #[test]
    fn a_word_takes_a_surface_offset_only_from_a_register() {
        let at = Desc::Reg(Reg::arf(Arf::Addr(0), 8));
        let none = Desc::Imm(ExtendedDescriptor::new());
        for (platform, surface_offset, ex_desc, opts) in [
            (Platform::Pvc, true, at, Options::EX_BSO),
            (Platform::Pvc, false, at, Options::NONE),
            (Platform::Pvc, true, none, Options::NONE),
            // Words of Tiger Lake do not have the bit.
            (Platform::Tgllp, true, at, Options::NONE),
        ] {
            let send = SendBuilder { surface_offset, ex_desc, ..message(platform, ExecSize::S8, 5) };
            assert_eq!(built(send, platform).opts, opts, "{platform} {surface_offset}");
        }
    }

    #[test]
    fn what_ends_the_thread_says_so() {
        let send = SendBuilder { eot: true, ..message(Platform::Skl, ExecSize::S8, 0) };
        assert!(built(send, Platform::Skl).is_eot());
    }
}
