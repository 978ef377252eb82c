//! Operands in assembly.

use super::{cursor::Cursor, token::Token};
use crate::operand::first_mme;
use gen_ir::{AddrSub, Arf, Base, Dst, FlagSub, GrfNum, Mme, Physical, Reg, Region, Src, SrcMod, Type};
use narrow::to_u8;
use platforms::Caps;

/// A register as written: the subregister counts elements of a type that stands further on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Written {
    base: Base<Physical>,
    sub: Option<u32>,
    mme: Option<Mme>,
}

/// A register operand before its region and type.
#[derive(Clone, Copy, Debug)]
enum Place {
    Direct(Written),
    Indirect { addr: Reg<Physical>, imm: i16 },
}

/// What an instruction form expects of an operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Form {
    /// The region is `<v;h>`, or `<h>` for the last source.
    pub(super) ternary: Option<bool>,
    /// Channels, for default regions.
    pub(super) scalar: bool,
    /// The type when none is written; `None`: one must be.
    pub(super) default_type: Option<Type>,
    /// The region when the form has none.
    pub(super) fixed_region: Option<Region>,
    /// Negation is `not`.
    pub(super) logic: bool,
}

/// The register a word names, without its subregister.
pub(super) fn register_base(caps: &Caps, word: &str) -> Option<Base<Physical>> {
    let split = word.find(|c: char| c.is_ascii_digit()).unwrap_or(word.len());
    let (name, digits) = word.split_at(split);
    let number: Option<u16> = if digits.is_empty() { None } else { Some(digits.parse().ok()?) };
    let small = |n: Option<u16>| n.and_then(|n| u8::try_from(n).ok()).filter(|&n| n < 16);
    let lone = |n: Option<u16>| if n.is_none() { Some(0) } else { small(n) };
    let arf = match name {
        "r" => {
            return number.filter(|&n| n < caps.regs.grf_names).map(|n| Base::Grf(GrfNum::new(n)));
        }
        "null" if number.is_none() => Arf::Null,
        "ip" if number.is_none() => Arf::Ip,
        "a" => Arf::Addr(small(number)?),
        "acc" => Arf::Acc(small(number)?),
        "mme" => Arf::Acc(small(number)?.checked_add(first_mme(caps)?).filter(|&n| n < 16)?),
        "f" => Arf::Flag(small(number).filter(|&n| n < caps.regs.flag_count)?),
        "ce" => Arf::ChannelEnable(lone(number)?),
        "msg" => Arf::Msg(small(number)?),
        "sp" => Arf::StackPointer(lone(number)?),
        "sr" => Arf::State(small(number)?),
        "cr" => Arf::Control(small(number)?),
        "n" => Arf::Notify(small(number)?),
        "tdr" => Arf::ThreadDep(small(number)?),
        "tm" => Arf::Timestamp(small(number)?),
        "fc" => Arf::FlowControl(small(number)?),
        "dbg" => Arf::Debug(small(number)?),
        _ => return None,
    };
    Some(Base::Arf(arf))
}

/// The type a word names.
fn type_named(word: &str) -> Option<Type> {
    const ALL: [Type; 22] = [
        Type::Ub,
        Type::B,
        Type::Uw,
        Type::W,
        Type::Ud,
        Type::D,
        Type::Uq,
        Type::Q,
        Type::Hf,
        Type::F,
        Type::Df,
        Type::Nf,
        Type::Bf,
        Type::Bf8,
        Type::Tf32,
        Type::V,
        Type::Uv,
        Type::Vf,
        Type::U4,
        Type::S4,
        Type::U2,
        Type::S2,
    ];
    ALL.into_iter().find(|t| t.name() == word)
}

const TYPES: &str = "a type: ub b uw w ud d uq q hf f df nf bf bf8 tf32 v uv vf u4 s4 u2 s2";

impl Written {
    /// The register with its byte offset.
    fn reg(self, ty: Type) -> Reg<Physical> {
        let sub = self.sub.unwrap_or(0);
        let byte = match ty {
            Type::U4 | Type::S4 => sub / 2,
            Type::U2 | Type::S2 => sub / 4,
            Type::Nf => sub * 4,
            _ => sub * ty.bytes(),
        };
        Reg::new(self.base, byte)
    }
}

impl<'a> Cursor<'a> {
    /// A register name, `.`, and a subregister or an extra-precision register.
    pub(super) fn written_register(&mut self, what: &str) -> Option<Written> {
        let Token::Word(word) = self.peek() else { return self.unexpected(what) };
        let Some(base) = register_base(self.caps, word) else { return self.unexpected(what) };
        self.advance();
        let (mut sub, mut mme) = (None, None);
        if self.peek() == Token::Dot {
            match self.peek_at(1) {
                Token::Int(_) => {
                    self.advance();
                    let at = self.here();
                    let Some(n) = self.small().filter(|&n| n < 1024) else {
                        self.error_at(at, "a subregister that large".into(), "0 to 1023");
                        return None;
                    };
                    sub = Some(n);
                }
                Token::Word("nomme") => {
                    self.advance();
                    self.advance();
                    mme = Some(Mme::None);
                }
                Token::Word(word) if word.starts_with("mme") => {
                    self.advance();
                    match word[3..].parse() {
                        Ok(n @ 0..=7) => mme = Some(Mme::Reg(n)),
                        _ => return self.unexpected("mme0 to mme7, or nomme"),
                    }
                    self.advance();
                }
                _ => {}
            }
        }
        Some(Written { base, sub, mme })
    }

    /// A flag subregister: `f0.1`, `f0`.
    pub(super) fn flag(&mut self) -> Option<Reg<Physical>> {
        let at = self.here();
        let written = self.written_register("a flag register")?;
        match (written.base, written.sub.unwrap_or(0)) {
            (base @ Base::Arf(Arf::Flag(_)), sub @ (0 | 1)) => Some(Reg::new(base, sub * FlagSub::BYTES)),
            (base, _) => {
                let name = format!("{}", Reg::new(base, 0));
                self.error_at(at, name, "a flag register: f0.0, f0.1, f1.0, ...");
                None
            }
        }
    }

    /// An address subregister: `a0.3`.
    pub(super) fn address(&mut self) -> Option<Reg<Physical>> {
        let at = self.here();
        let written = self.written_register("an address register")?;
        match (written.base, written.sub.unwrap_or(0)) {
            (Base::Arf(Arf::Addr(0)), sub @ 0..=15) => Some(Reg::address(AddrSub::new(to_u8(sub)))),
            (base, _) => {
                self.error_at(at, Reg::new(base, 0).to_string(), "a0.0 to a0.15");
                None
            }
        }
    }

    fn place(&mut self, what: &str) -> Option<Place> {
        if self.peek() == Token::Word("r") && self.peek_at(1) == Token::LBracket {
            self.advance();
            self.advance();
            let addr = self.address()?;
            let at = self.here();
            let imm = match self.peek() {
                Token::Comma => {
                    self.advance();
                    self.dword("a byte offset")?.cast_signed()
                }
                Token::Plus => {
                    self.advance();
                    self.dword("a byte offset")?.cast_signed()
                }
                Token::Minus => self.dword("a byte offset")?.cast_signed(),
                _ => 0,
            };
            self.expect(Token::RBracket, "`,` and a byte offset, or `]`")?;
            let range = encoder::address_offsets(self.platform);
            let Some(imm) = i16::try_from(imm).ok().filter(|i| range.contains(i)) else {
                let allowed = format!("{} to {}", range.start(), range.end());
                self.error_at(at, format!("offset {imm}"), &allowed);
                return None;
            };
            return Some(Place::Indirect { addr, imm });
        }
        Some(Place::Direct(self.written_register(what)?))
    }

    /// `:ud`, if it is there.
    pub(super) fn type_suffix(&mut self, default: Option<Type>) -> Option<Type> {
        if self.peek() != Token::Colon {
            return match default {
                Some(ty) => Some(ty),
                None => self.unexpected("`:` and a type"),
            };
        }
        self.advance();
        match self.peek() {
            Token::Word(word) => match type_named(word) {
                Some(ty) => {
                    self.advance();
                    Some(ty)
                }
                None => self.unexpected(TYPES),
            },
            _ => self.unexpected(TYPES),
        }
    }

    fn stride(&mut self, allowed: &[u32], what: &str) -> Option<u8> {
        let at = self.here();
        match self.small() {
            Some(n) if allowed.contains(&n) => Some(to_u8(n)),
            Some(n) => {
                self.error_at(at, n.to_string(), what);
                None
            }
            None => self.unexpected(what),
        }
    }

    /// A destination operand.
    pub(super) fn destination(&mut self, default_type: Option<Type>) -> Option<Dst<Physical>> {
        let place = self.place("a destination register")?;
        let mut horz = 1;
        if self.eat(Token::Less) {
            horz = self.stride(&[0, 1, 2, 4], "a stride: 1, 2 or 4")?;
            self.expect(Token::Greater, "`>`")?;
        }
        let ty = self.type_suffix(default_type)?;
        Some(match place {
            Place::Direct(w) => match w.mme {
                Some(mme) => Dst::Macro { reg: w.reg(ty), mme, ty },
                None => Dst::Direct { reg: w.reg(ty), horz, ty },
            },
            Place::Indirect { addr, imm } => Dst::Indirect { addr, imm, horz, ty },
        })
    }

    /// A source region, in any of its notations.
    fn region(&mut self, form: &Form) -> Option<Region> {
        const VERT: &str = "a vertical stride: 0, 1, 2, 4, 8, 16 or 32";
        const WIDTH: &str = "a width: 1, 2, 4, 8 or 16";
        const HORZ: &str = "a horizontal stride: 0, 1, 2 or 4";
        self.expect(Token::Less, "`<`")?;
        let first = self.stride(&[0, 1, 2, 4, 8, 16, 32], VERT)?;
        let region = match (form.ternary, self.peek()) {
            (Some(_), Token::Greater) => Region::ternary_last(first),
            (Some(false), Token::Semicolon) => {
                self.advance();
                Region::ternary(first, self.stride(&[0, 1, 2, 4], HORZ)?)
            }
            (None, Token::Comma) => {
                self.advance();
                Region::new(Region::VXH, first, self.stride(&[0, 1, 2, 4], HORZ)?)
            }
            (None, Token::Semicolon) => {
                self.advance();
                let width = self.stride(&[1, 2, 4, 8, 16], WIDTH)?;
                self.expect(Token::Comma, "`,`")?;
                Region::new(first, width, self.stride(&[0, 1, 2, 4], HORZ)?)
            }
            (Some(true), _) => return self.unexpected("`>`"),
            (Some(false), _) => return self.unexpected("`;` and a horizontal stride"),
            (None, _) => return self.unexpected("`;` and a width, or `,` and a horizontal stride"),
        };
        self.expect(Token::Greater, "`>`")?;
        Some(region)
    }

    fn default_region(&self, form: &Form, explicit_sub: bool) -> Region {
        let scalar = form.scalar || explicit_sub;
        match form.ternary {
            None if scalar => Region::SCALAR,
            None => Region::PACKED,
            Some(true) => Region::ternary_last(u8::from(!scalar)),
            Some(false) if scalar => Region::ternary(0, 0),
            Some(false) if self.caps.regions.ternary_unit_stride == 1 => Region::ternary(1, 0),
            Some(false) => Region::ternary(2, 1),
        }
    }

    /// Whether a register operand starts here, perhaps after a modifier.
    fn at_register(&self) -> bool {
        let mut ahead = usize::from(matches!(self.peek(), Token::Minus | Token::Tilde));
        if self.peek_at(ahead) == Token::LParen && self.peek_at(ahead + 1) == Token::Word("abs") {
            return true;
        }
        if self.peek_at(ahead) == Token::LParen && ahead == 0 {
            ahead = 0;
        }
        match self.peek_at(ahead) {
            Token::Word("r") => self.peek_at(ahead + 1) == Token::LBracket,
            Token::Word(word) => register_base(self.caps, word).is_some() || !is_number_word(word),
            _ => false,
        }
    }

    fn modifier(&mut self, logic: bool) -> Option<SrcMod> {
        let neg = match self.peek() {
            Token::Minus if !logic => true,
            Token::Tilde if logic => true,
            Token::Minus | Token::Tilde => {
                return self.unexpected(if logic { "`~`" } else { "`-`" });
            }
            _ => false,
        };
        if neg {
            self.advance();
        }
        let abs = self.peek() == Token::LParen && self.peek_at(1) == Token::Word("abs");
        if abs {
            self.advance();
            self.advance();
            self.expect(Token::RParen, "`)`")?;
        }
        Some(SrcMod::new(abs, neg))
    }

    /// A source operand: register or immediate.
    pub(super) fn source(&mut self, form: &Form) -> Option<Src<Physical>> {
        if !self.at_register() {
            let at = self.here();
            let value = self.value()?;
            let ty = self.type_suffix(form.default_type)?;
            return Some(Src::Imm { bits: self.immediate_bits(at, value, ty)?, ty });
        }
        let mods = self.modifier(form.logic)?;
        let place = self.place("a register or a number")?;
        let explicit_sub = matches!(place, Place::Direct(Written { sub: Some(_), .. }));
        let written = if self.peek() == Token::Less { Some(self.region(form)?) } else { None };
        let region = form.fixed_region.or(written).unwrap_or_else(|| self.default_region(form, explicit_sub));
        let null = matches!(place, Place::Direct(w) if w.base == Base::Arf(Arf::Null));
        let default = form.default_type.or(if null { Some(Type::Ud) } else { None });
        let ty = self.type_suffix(default)?;
        Some(match place {
            Place::Direct(w) => match w.mme {
                Some(mme) => Src::Macro { reg: w.reg(ty), mme, mods, ty },
                None => Src::Direct { reg: w.reg(ty), region, mods, ty },
            },
            Place::Indirect { addr, imm } => Src::Indirect { addr, imm, region, mods, ty },
        })
    }
}

fn is_number_word(word: &str) -> bool {
    matches!(word, "inf" | "nan" | "qnan" | "snan")
}
