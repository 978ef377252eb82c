//! Operands of messages: payloads, lengths, descriptors.

use super::{cursor::Cursor, operand::register_base, token::Token};
use gen_ir::{Arf, Base, Desc, Dst, Inst, Op, Payload, Physical, Reg, Region, Sfid, Src, SrcMod, Type};
use messages::ExtendedDescriptor;
use narrow::to_u8;

impl Cursor<'_> {
    fn send_register(&mut self, what: &str) -> Option<Reg<Physical>> {
        let at = self.here();
        match self.peek() {
            Token::Word(word) => match register_base(self.caps, word) {
                Some(base @ (Base::Grf(_) | Base::Arf(Arf::Null))) => {
                    self.advance();
                    Some(Reg::new(base, 0))
                }
                Some(_) => {
                    self.error_at(at, format!("`{word}`"), "a GRF or null");
                    None
                }
                None => self.unexpected(what),
            },
            _ => self.unexpected(what),
        }
    }

    /// A payload register, its length if one is written, and its type.
    pub(super) fn payload(&mut self, what: &str) -> Option<(Reg<Physical>, Option<u8>, Type)> {
        let reg = self.send_register(what)?;
        if self.peek() == Token::Colon && matches!(self.peek_at(1), Token::Int(_)) {
            self.advance();
            let at = self.here();
            return match self.small() {
                Some(n) if n < 32 => Some((reg, Some(to_u8(n)), Type::Ud)),
                _ => {
                    self.error_at(at, "another number".into(), "a length: 0 to 31 registers");
                    None
                }
            };
        }
        if self.peek() == Token::Less {
            // Regions on payloads mean nothing; older listings have them.
            while !matches!(self.peek(), Token::Greater | Token::Newline) {
                self.advance();
            }
            self.expect(Token::Greater, "`>`")?;
        }
        Some((reg, None, self.type_suffix(Some(Type::Ud))?))
    }

    pub(super) fn descriptor<D: From<u32>>(&mut self, what: &str) -> Option<Desc<Physical, D>> {
        if let Token::Word(word) = self.peek()
            && register_base(self.caps, word).is_some()
        {
            let at = self.here();
            let reg = self.address()?;
            let byte = reg.byte * 2;
            if byte >= 32 {
                self.error_at(at, reg.to_string(), "a0.0 to a0.7, which are dwords here");
                return None;
            }
            return Some(Desc::Reg(reg.at(byte)));
        }
        Some(Desc::Imm(self.dword(what)?.into()))
    }

    pub(super) fn send_operands(&mut self, inst: &mut Inst<Physical>) -> Option<()> {
        let (dst, _, ty) = self.payload("a destination register")?;
        inst.dst = Dst::Direct { reg: dst, horz: 1, ty };
        let region = if self.caps.words.bare_operands { Region::PACKED } else { Region::SCALAR };
        let (src0, _, ty) = self.payload("a payload register")?;
        inst.src[0] = Src::Direct { reg: src0, region, mods: SrcMod::None, ty };
        let mut written_len = None;
        if self.caps.sends.always_split() || matches!(inst.op, Op::Sends | Op::Sendsc) {
            let (src1, len, ty) = self.payload("a second payload register")?;
            inst.src[1] = Src::Direct { reg: src1, region, mods: SrcMod::None, ty };
            written_len = len;
        }
        let mut ex_desc = self.descriptor("an extended descriptor")?;
        let desc: Desc<Physical> = self.descriptor("a descriptor")?;
        let Payload::Send(send) = &mut inst.payload else { return Some(()) };
        send.desc = desc;
        if let Desc::Imm(desc) = desc {
            send.dst_len = desc.response_length().registers();
            send.src0_len = desc.message_length().registers();
        }
        if let Desc::Imm(desc) = &mut ex_desc {
            let fields: ExtendedDescriptor = *desc;
            if self.caps.sends.function_in_descriptor {
                send.sfid = Sfid::before_lsc(fields.target_function());
                send.eot = fields.end_of_thread();
                *desc = fields.outside_word();
            }
            if !self.caps.sends.length_in_word {
                send.src1_len = fields.extended_length().registers();
            }
        }
        send.ex_desc = ex_desc;
        if let Some(len) = written_len {
            send.src1_len = len;
        }
        Some(())
    }
}
