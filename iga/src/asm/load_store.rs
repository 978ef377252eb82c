//! The load/store notation of messages to the load/store cache: `load.ugm.d32.a64 (16|M0)  r10:1  [r12:2]`.

use super::{cursor::Cursor, operand::register_base, token::Token};
use crate::message::{
    Kind,
    lsc::{self, Operation},
};
use gen_ir::{
    Desc, Dst, ExDesc, Inst, Op, Payload, Physical, Reg, Region, SendInfo, Sfid, Src, SrcMod, Type,
};
use messages::{
    Descriptor, ExtendedDescriptor, MessageLength, ResponseLength, SurfaceIndex,
    lsc::{AddressModel, BtiExtended, Untyped},
};

/// What the mnemonic says.
#[derive(Clone, Copy, Debug)]
pub(super) struct Head {
    operation: Operation,
    sfid: Sfid,
    /// The operation and its controls.
    desc: Descriptor,
}

impl Cursor<'_> {
    /// Takes a mnemonic with its controls, if one starts here.
    pub(super) fn load_store_head(&mut self) -> Option<Option<Head>> {
        let Token::Word(word) = self.peek() else { return Some(None) };
        let Some(operation) = lsc::operation(word).filter(|_| self.caps.memory.lsc) else {
            return Some(None);
        };
        self.advance();
        const FUNCTION: &str = "a shared function: ugm, ugml, slm, tgm";
        self.expect(Token::Dot, FUNCTION)?;
        let sfid = match self.peek() {
            Token::Word("ugm") => Sfid::Ugm,
            Token::Word("ugml") => Sfid::Ugml,
            Token::Word("slm") => Sfid::Slm,
            Token::Word("tgm") => Sfid::Tgm,
            _ => return self.unexpected(FUNCTION),
        };
        self.advance();
        let (mut controls, mut places) = (Vec::new(), Vec::new());
        while self.eat(Token::Dot) {
            places.push(self.here());
            match self.word() {
                Some(word) => controls.push(word),
                None => return self.unexpected("a control: data size, address size or caching"),
            }
        }
        match lsc::encode_controls(operation, &controls) {
            Ok(bits) => Some(Some(Head { operation, sfid, desc: Descriptor::from_bits(bits) })),
            Err(i) => {
                let at = places.get(i).copied().unwrap_or_else(|| self.here());
                let found = controls.get(i).map_or("nothing".to_owned(), |c| format!("`{c}`"));
                self.error_at(at, found, "d8..d64, d8u32, d16u32, x1..x64, t, channels; a16..a64; caching");
                None
            }
        }
    }

    /// Takes the operands and completes the instruction.
    pub(super) fn load_store_operands(&mut self, head: Head, inst: &mut Inst<Physical>) -> Option<()> {
        inst.op = Op::Send;
        let (mut dst, mut data) = ((Reg::NULL, 0), (Reg::NULL, 0));
        if head.operation.kind != Kind::Store {
            dst = self.sized("a destination register")?;
        }
        let (surface, ex_desc) = self.surface()?;
        self.expect(Token::LBracket, "`[` and the addresses")?;
        let at = self.here();
        let address = self.sized("the addresses' register")?;
        let Ok(address_length) = MessageLength::new(address.1.into()) else {
            self.error_at(at, format!("a length of {}", address.1), "a length: 0 to 15 registers");
            return None;
        };
        self.expect(Token::RBracket, "`]`")?;
        if head.operation.kind != Kind::Load {
            data = self.sized("a data register")?;
        }
        let source = |reg| Src::Direct { reg, region: Region::PACKED, mods: SrcMod::None, ty: Type::Ud };
        inst.dst = Dst::packed(dst.0, Type::Ud);
        (inst.src[0], inst.src[1]) = (source(address.0), source(data.0));
        let desc = head.desc.with_lengths(address_length, ResponseLength::of(dst.1.into()));
        let desc = Untyped::from(desc).with_address_model(Some(surface));
        inst.payload = Payload::Send(SendInfo {
            sfid: head.sfid,
            desc: Desc::Imm(desc.into()),
            ex_desc,
            eot: false,
            dst_len: dst.1,
            src0_len: address.1,
            src1_len: data.1,
        });
        Some(())
    }

    /// A register and its length in registers, 0 if none is written.
    fn sized(&mut self, what: &str) -> Option<(Reg<Physical>, u8)> {
        let (reg, len, _) = self.payload(what)?;
        Some((reg, len.unwrap_or(0)))
    }

    /// `bti[3]`, `bss[a0.2]`, or nothing: how memory is named, and the extended descriptor.
    fn surface(&mut self) -> Option<(AddressModel, ExDesc<Physical>)> {
        let model = match self.peek() {
            Token::Word("bss") => AddressModel::Bss,
            Token::Word("ss") => AddressModel::Ss,
            Token::Word("bti") => AddressModel::Bti,
            Token::Word("flat") => AddressModel::Flat,
            _ => return Some((AddressModel::Flat, Desc::Imm(ExtendedDescriptor::new()))),
        };
        self.advance();
        if model == AddressModel::Flat {
            return Some((model, Desc::Imm(ExtendedDescriptor::new())));
        }
        self.expect(Token::LBracket, "`[`")?;
        let in_register = matches!(self.peek(), Token::Word(w) if register_base(self.caps, w).is_some());
        let desc = if in_register {
            self.descriptor("a0.0 to a0.7")?
        } else {
            let at = self.here();
            let value = self.dword("a surface")?;
            let ex_desc = match u8::try_from(value) {
                Ok(index) if model == AddressModel::Bti => {
                    Some(BtiExtended::new().with_surface(SurfaceIndex(index)).into())
                }
                _ => {
                    let given = ExtendedDescriptor::from_bits(value);
                    (model != AddressModel::Bti && given.is_surface_offset()).then_some(given)
                }
            };
            let Some(ex_desc) = ex_desc else {
                self.error_at(at, format!("{value:#x}"), "bti: 0 to 255; ss, bss: a multiple of 0x800");
                return None;
            };
            Desc::Imm(ex_desc)
        };
        self.expect(Token::RBracket, "`]`")?;
        Some((model, desc))
    }
}
