//! Messages, to bits and back.

use super::{codes, decode::Decoder, encode::Encoder, layout::Send};
use crate::{DecodeError, error::Encoded};
use gen_ir::{
    AddrSub, Desc, Descriptor, Dst, ExtendedDescriptor, Inst, Options, Payload, Physical, Reg, SendInfo, Src,
    SrcMod, Type,
};

/// The first address subregister.
const A0: Reg<Physical> = Reg::address(AddrSub::A0);

impl Encoder<'_> {
    pub(super) fn send(&self) -> Encoded<u128> {
        let i = self.inst;
        let Payload::Send(info) = &i.payload else {
            return Err(self.error("payload", "none", "a message"));
        };
        self.no_cond()?;
        self.no_source(2)?;
        if i.sat {
            return Err(self.error("Saturate", "set", "clear"));
        }
        let Some(sfid) = codes::sfid_code(info.sfid, self.caps.sends.late_functions) else {
            return Err(self.error("SFID", "another function", "a shared function of the platform"));
        };
        let Dst::Direct { reg, .. } = i.dst else {
            return Err(self.error("dst", "another kind of operand", "a register"));
        };
        let mut s = Send {
            serialize: i.opts.has(Options::SERIALIZE),
            ex_bso: i.opts.has(Options::EX_BSO),
            cps: i.opts.has(Options::CPS),
            eot: info.eot,
            sfid,
            dst: self.whole_reg("dst", reg)?,
            src0: self.payload_reg("src0", &i.src[0])?,
            src1: self.payload_reg("src1", &i.src[1])?,
            ..Send::default()
        };
        match info.desc {
            Desc::Imm(desc) => s.desc = desc.into_bits(),
            Desc::Reg(reg) if reg == A0 => s.desc_reg = true,
            Desc::Reg(reg) => return Err(self.error("DescReg", reg.byte, "a0.0")),
        }
        self.ex_desc(info, &mut s)?;
        Ok(s.pack())
    }

    fn ex_desc(&self, info: &SendInfo<Physical>, s: &mut Send) -> Encoded<()> {
        if info.src1_len > self.caps.sends.second_most {
            return Err(self.error("Src1.Length", u32::from(info.src1_len), "what the platform has at most"));
        }
        match info.ex_desc {
            Desc::Imm(desc) => {
                let value = desc.into_bits();
                if !desc.is_outside_word() {
                    return Err(self.error("ExDesc", value, "bits 5..0 zero"));
                }
                let length = desc.extended_length().registers();
                if length != 0 && info.src1_len != 0 && length != info.src1_len {
                    return Err(self.error(
                        "Src1.Length",
                        u32::from(info.src1_len),
                        "that of the descriptor",
                    ));
                }
                if s.ex_bso || s.cps {
                    return Err(self.error("ExBSO", "set", "clear beside an immediate descriptor"));
                }
                s.ex_desc = desc.surface_offset().into_bits();
                s.src1_length = length | info.src1_len;
            }
            Desc::Reg(reg) => {
                let dword = reg.address_sub().and_then(AddrSub::dword);
                s.ex_desc_reg =
                    Some(dword.ok_or_else(|| self.error("ExDescReg", reg.byte, "a dword of a0"))?);
                if s.ex_bso {
                    s.src1_length = info.src1_len;
                } else if s.cps {
                    return Err(self.error("CPS", "set", "clear without ExBSO"));
                }
            }
        }
        Ok(())
    }

    fn payload_reg(&self, field: &'static str, src: &Src<Physical>) -> Encoded<(bool, u8)> {
        match *src {
            Src::Direct { reg, mods: SrcMod::None, .. } => self.whole_reg(field, reg),
            Src::None => Ok((false, 0)),
            _ => Err(self.error(field, "another kind of operand", "a register or null")),
        }
    }
}

impl Decoder {
    pub(super) fn send(&self, inst: &mut Inst<Physical>) -> Result<(), DecodeError> {
        let s = Send::unpack(self.word, self.caps.sends.surface_offsets);
        let reg = |field, (file, num): (bool, u8)| -> Result<Reg<Physical>, DecodeError> {
            let base = codes::reg_of(file, num)
                .ok_or_else(|| self.error(field, num, "a register of the platform"))?;
            Ok(Reg::new(base, 0))
        };
        inst.dst = Dst::packed(reg("Dst.RegNum", s.dst)?, Type::Ud);
        inst.src[0] = Src::packed(reg("Src0.RegNum", s.src0)?, Type::Ud);
        inst.src[1] = Src::packed(reg("Src1.RegNum", s.src1)?, Type::Ud);
        let mut info = SendInfo {
            sfid: gen_ir::Sfid::from_number(s.sfid, self.caps.sends.late_functions),
            desc: Desc::Reg(A0),
            ex_desc: Desc::Imm(ExtendedDescriptor::new()),
            eot: s.eot,
            dst_len: 0,
            src0_len: 0,
            src1_len: 0,
        };
        if !s.desc_reg {
            let desc = Descriptor::from_bits(s.desc);
            info.desc = Desc::Imm(desc);
            info.dst_len = desc.response_length().registers();
            info.src0_len = desc.message_length().registers();
        }
        if s.serialize && self.caps.flow.fused_pairs {
            inst.opts = inst.opts.with(Options::SERIALIZE);
        }
        if let Some(sub) = s.ex_desc_reg {
            info.ex_desc = Desc::Reg(Reg::address(AddrSub::at_dword(sub)));
            if s.ex_bso {
                inst.opts = inst.opts.with(Options::EX_BSO);
                info.src1_len = s.src1_length;
                if s.cps {
                    inst.opts = inst.opts.with(Options::CPS);
                }
            }
        } else {
            let length = if self.caps.sends.length_in_word { 0 } else { u32::from(s.src1_length) << 6 };
            info.ex_desc = Desc::Imm(ExtendedDescriptor::from_bits(s.ex_desc | length));
            info.src1_len = s.src1_length;
        }
        inst.payload = Payload::Send(info);
        Ok(())
    }
}
