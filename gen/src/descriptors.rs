//! What is known of message descriptors in address registers.
//!
//! A message whose surface comes in a register adds the bits of its descriptor to that: `add a0 surface bits`. The
//! sum is not known, but the bits are, and they say what the message does and how long it is; the surface's
//! index only fills their lowest byte.

use messages::Descriptor;
use narrow::{as_index, low_u32};

use crate::{Arf, Base, Desc, Dst, Inst, Op, Payload, Physical, SendInfo, Src};

/// Bits that instructions before have added to surfaces, or moved, a dword of the address register each.
#[derive(Clone, Debug, Default)]
pub struct Descriptors {
    known: [Option<Descriptor>; 8],
}

impl Descriptors {
    /// Learns from an instruction.
    pub fn see(&mut self, inst: &Inst<Physical>) {
        let Dst::Direct { reg, horz, ty } = inst.dst else { return };
        if !matches!(reg.base(), Base::Arf(Arf::Addr(_))) {
            return;
        }
        let first = as_index(reg.address_dword());
        let bytes = ((inst.exec.lanes() - 1) * u32::from(horz) + 1) * ty.bytes();
        let end = as_index((reg.byte + bytes).div_ceil(4));
        self.known.iter_mut().take(end).skip(first).for_each(|known| *known = None);
        let dword = inst.exec.lanes() == 1 && ty.bytes() == 4 && inst.pred.is_none();
        let imm = match (inst.op, inst.src[0], inst.src[1]) {
            (Op::Mov, Src::Imm { bits, .. }, _) | (Op::Add, _, Src::Imm { bits, .. }) => Some(low_u32(bits)),
            _ => None,
        };
        if dword && let Some(known) = self.known.get_mut(first) {
            *known = imm.map(Descriptor::from_bits);
        }
    }

    /// The message with its descriptor's bits, the surface aside, if they are known.
    pub fn known(&self, send: &SendInfo<Physical>) -> Option<SendInfo<Physical>> {
        let desc = match send.desc {
            Desc::Imm(desc) => desc,
            Desc::Reg(reg) => (*self.known.get(as_index(reg.address_dword()))?)?,
        };
        Some(SendInfo { desc: Desc::Imm(desc), ..*send })
    }

    /// A message as it was before its lengths went into a register: a decoded word does not have them.
    pub fn with_lengths(&self, inst: &Inst<Physical>) -> Option<Inst<Physical>> {
        let Payload::Send(send @ SendInfo { desc: Desc::Reg(_), dst_len: 0, src0_len: 0, .. }) =
            &inst.payload
        else {
            return None;
        };
        let Some(SendInfo { desc: Desc::Imm(desc), .. }) = self.known(send) else { return None };
        let (dst_len, src0_len) = (desc.response_length().registers(), desc.message_length().registers());
        Some(Inst { payload: Payload::Send(SendInfo { dst_len, src0_len, ..*send }), ..*inst })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ExecSize, GrfNum, Reg, Sfid, Type};
    use messages::ExtendedDescriptor;

    fn address(op: Op, byte: u32, src: [Src<Physical>; 2]) -> Inst<Physical> {
        let mut i = Inst::new(op, ExecSize::S1);
        i.dst = Dst::packed(Reg::arf(Arf::Addr(0), byte), Type::Ud);
        (i.src[0], i.src[1]) = (src[0], src[1]);
        i
    }

    fn message(byte: u32) -> Inst<Physical> {
        let mut i = Inst::new(Op::Send, ExecSize::S8);
        i.payload = Payload::Send(SendInfo {
            sfid: Sfid::Dc1,
            desc: Desc::Reg(Reg::arf(Arf::Addr(0), byte)),
            ex_desc: Desc::Imm(ExtendedDescriptor::new()),
            eot: false,
            dst_len: 0,
            src0_len: 0,
            src1_len: 0,
        });
        i
    }

    fn lengths(descs: &Descriptors, byte: u32) -> Option<(u8, u8)> {
        descs.with_lengths(&message(byte)).and_then(|i| i.send().map(|s| (s.dst_len, s.src0_len)))
    }

    #[test]
    fn a_sum_and_an_immediate_are_known_until_they_are_overwritten() {
        let surface = Src::scalar(Reg::grf(GrfNum::new(1), 0), Type::Ud);
        let mut descs = Descriptors::default();
        assert_eq!(lengths(&descs, 0), None);
        descs.see(&address(Op::Add, 0, [surface, Src::ud(0x0219_0000)]));
        assert_eq!((lengths(&descs, 0), lengths(&descs, 4)), (Some((1, 1)), None));
        descs.see(&address(Op::Mov, 4, [Src::ud(0x0420_0000), Src::None]));
        assert_eq!((lengths(&descs, 0), lengths(&descs, 4)), (Some((1, 1)), Some((2, 2))));
        descs.see(&address(Op::Mov, 0, [surface, Src::None]));
        assert_eq!((lengths(&descs, 0), lengths(&descs, 4)), (None, Some((2, 2))));
    }
}
