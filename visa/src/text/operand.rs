//! Operands.

use narrow::{low_u8, low_u32, single};

use super::{
    lexer::Tok,
    parser::{Failed, Parsed, Parser},
    symbols::Symbol,
};
use crate::{
    ids::*,
    near::suggestion,
    operand::*,
    table::{Role, Slot},
    types::{EMask, Exec, ExecSize, Modifier, PredCtrl, Region, Type},
};

/// Undeclared names for which others are looked at.
const MAX_HINTS: usize = 20;

impl<'s> Parser<'s> {
    /// A name in scope.
    pub(super) fn symbol(&mut self) -> Parsed<Symbol> {
        if !matches!(self.peek(), Tok::Ident | Tok::Builtin) {
            return self.expected("a variable");
        }
        let name = self.slice();
        match self.symbols.find(name) {
            Some(symbol) => {
                self.at += 1;
                Ok(symbol)
            }
            // Its declaration is at fault and was reported.
            None if self.symbols.is_poisoned(name) => Err(Failed),
            None => {
                // The first few: looking is not for nothing.
                let near = if self.fault_count() < MAX_HINTS { self.symbols.similar(name) } else { None };
                let hint = near.map_or(String::new(), |s| format!("; did you mean `{s}`?"));
                self.fail(format!("`{name}` is not declared{hint}"))
            }
        }
    }

    fn wrong_kind<T>(&mut self, found: Symbol, wanted: &str) -> Parsed<T> {
        self.at -= 1;
        self.fail(format!("`{}` is {}, expected {wanted}", self.slice(), found.kind()))
    }

    pub(super) fn general_name(&mut self) -> Parsed<VarId> {
        match self.symbol()? {
            Symbol::General(v) => Ok(v),
            other => self.wrong_kind(other, "a general variable"),
        }
    }

    pub(super) fn surface(&mut self) -> Parsed<SurfaceId> {
        match self.symbol()? {
            Symbol::Surface(s) => Ok(s),
            other => self.wrong_kind(other, "a surface variable"),
        }
    }

    pub(super) fn sampler(&mut self) -> Parsed<SamplerId> {
        match self.symbol()? {
            Symbol::Sampler(s) => Ok(s),
            other => self.wrong_kind(other, "a sampler variable"),
        }
    }

    fn predicate_name(&mut self) -> Parsed<PredId> {
        match self.symbol()? {
            Symbol::Predicate(p) => Ok(p),
            other => self.wrong_kind(other, "a predicate variable"),
        }
    }

    fn address_name(&mut self) -> Parsed<AddrId> {
        match self.symbol()? {
            Symbol::Address(a) => Ok(a),
            other => self.wrong_kind(other, "an address variable"),
        }
    }

    /// `(P1)`, `(!P1.any)`, if one is next.
    pub(super) fn guard(&mut self) -> Parsed<Option<PredOperand>> {
        if !self.eat(Tok::LParen) {
            return Ok(None);
        }
        let inverse = self.eat(Tok::Bang);
        let id = self.predicate_name()?;
        let ctrl = if self.eat_dot_word("any") {
            PredCtrl::Any
        } else if self.eat_dot_word("all") {
            PredCtrl::All
        } else {
            PredCtrl::None
        };
        self.expect(Tok::RParen, "`)`")?;
        Ok(Some(PredOperand { id, inverse, ctrl }))
    }

    /// `(M1, 16)`, or `(16)` for `(M1, 16)`.
    pub(super) fn exec(&mut self) -> Parsed<Exec> {
        if self.peek() == Tok::Dot {
            let word = self.dot_word();
            self.at -= usize::from(word.is_some());
            let hint = match word.map(|w| suggestion(w, ["sat"])) {
                Some(Some(_)) => "; did you mean `.sat`?",
                _ => ", expected an execution size such as `(M1, 16)`",
            };
            return self.fail(format!("the instruction takes no `.{}`{hint}", word.unwrap_or_default()));
        }
        self.expect(Tok::LParen, "an execution size such as `(M1, 16)`")?;
        let mut mask = EMask::M1;
        if self.peek() == Tok::Ident {
            match EMask::from_name(self.slice()) {
                Some(found) => mask = found,
                None => return self.expected("M1 to M8, M1_NM to M8_NM"),
            }
            self.at += 1;
            self.expect(Tok::Comma, "`,`")?;
        }
        let size = self.slice().parse::<u32>().ok().and_then(ExecSize::from_lanes);
        let Some(size) = size else {
            return self.expected("an execution size of 1, 2, 4, 8, 16 or 32");
        };
        self.at += 1;
        self.expect(Tok::RParen, "`)`")?;
        Ok(Exec { size, mask })
    }

    /// `(a,b)`: two numbers in ranges.
    pub(super) fn pair(&mut self, first: &str, second: &str) -> Parsed<(u8, u8)> {
        self.expect(Tok::LParen, "`(`")?;
        let a = self.int_in(0..=255, first)?;
        if !self.eat(Tok::Comma) {
            return self.expected(&format!("`,` and {second}, as in `(0,0)`"));
        }
        let b = self.int_in(0..=255, second)?;
        self.expect(Tok::RParen, "`)`")?;
        Ok((a, b))
    }

    /// A raw operand: `V32.0`, `V32.(4*2)`, `%null.0`, or just the variable.
    pub(super) fn raw(&mut self) -> Parsed<RawOperand> {
        let var = self.general_name()?;
        let mut offset = 0;
        if self.eat(Tok::Dot) {
            let start = self.token().at();
            let value = self.primary()?;
            offset = self.in_range(start, value, 0..=65535, "the byte offset")?;
        }
        Ok(RawOperand { var, offset })
    }

    /// A vector operand of a slot: destination or source, of the classes it allows.
    pub(super) fn vector(&mut self, slot: &Slot) -> Parsed<VectorOperand> {
        let start = self.token().at();
        let operand = if slot.role == Role::Dst { self.dst()? } else { self.src()? };
        if !slot.classes.has(&operand) {
            let end = self.token().at();
            let text = self.text[start..end].trim_end();
            let span = start..start + text.len();
            let message =
                format!("the {} is a {}; allowed: {}", slot.name, operand.class_name(), slot.classes);
            return self.fail_at(span, message);
        }
        Ok(operand)
    }

    /// A destination.
    pub(super) fn dst(&mut self) -> Parsed<VectorOperand> {
        if self.at_indirect() {
            return self.indirect(Modifier::None, Role::Dst);
        }
        match self.symbol()? {
            Symbol::General(var) => {
                let (row, col) =
                    if self.peek() == Tok::LParen { self.pair("the row", "the column")? } else { (0, 0) };
                let region = self.dst_region()?;
                Ok(VectorOperand::General(GeneralOperand { var, row, col, region, modifier: Modifier::None }))
            }
            other => self.not_general(other),
        }
    }

    /// A source.
    pub(super) fn src(&mut self) -> Parsed<VectorOperand> {
        if self.eat(Tok::Amp) {
            return self.address_of();
        }
        let modifier = self.modifier();
        if self.at_indirect() {
            return self.indirect(modifier, Role::Src);
        }
        match self.peek() {
            Tok::Ident | Tok::Builtin if !self.at_number_name() => match self.symbol()? {
                Symbol::General(var) => {
                    let (row, col) =
                        if self.peek() == Tok::LParen { self.pair("the row", "the column")? } else { (0, 0) };
                    let region = self.src_region()?;
                    Ok(VectorOperand::General(GeneralOperand { var, row, col, region, modifier }))
                }
                Symbol::Predicate(id) => Ok(VectorOperand::Predicate(PredOperand::new(id), modifier)),
                other if modifier == Modifier::None => self.not_general(other),
                other => self.wrong_kind(other, "a general variable after a modifier"),
            },
            _ if modifier != Modifier::None => self.expected("a variable after the modifier"),
            _ => self.immediate(),
        }
    }

    /// Operands of the other kinds, whose name was just read.
    fn not_general(&mut self, symbol: Symbol) -> Parsed<VectorOperand> {
        match symbol {
            Symbol::Address(addr) => {
                self.expect(Tok::LParen, "`(`")?;
                let offset = self.int_in(0..=255, "the element")?;
                self.expect(Tok::RParen, "`)`")?;
                self.expect(Tok::Lt, "`<`")?;
                let at = self.at;
                let width = self.int_exp_closed()?;
                let Some(width) = u32::try_from(width).ok().and_then(ExecSize::from_lanes) else {
                    self.at = at;
                    return self.expected("a width of 1, 2, 4, 8, 16 or 32");
                };
                self.expect(Tok::Gt, "`>`")?;
                Ok(VectorOperand::Address(AddressOperand { addr, offset, width, modifier: Modifier::None }))
            }
            Symbol::Predicate(id) => Ok(VectorOperand::Predicate(PredOperand::new(id), Modifier::None)),
            Symbol::Surface(surface) => Ok(VectorOperand::Surface { surface, offset: self.state_offset()? }),
            Symbol::Sampler(sampler) => Ok(VectorOperand::Sampler { sampler, offset: self.state_offset()? }),
            Symbol::General(_) => self.wrong_kind(symbol, "another operand"),
        }
    }

    fn state_offset(&mut self) -> Parsed<u8> {
        self.expect(Tok::LParen, "`(`")?;
        let offset = self.int_in(0..=255, "the element")?;
        self.expect(Tok::RParen, "`)`")?;
        Ok(offset)
    }

    /// `(-)`, `(abs)`, `(-abs)`, `(~)`, if one is next.
    fn modifier(&mut self) -> Modifier {
        if self.peek() != Tok::LParen {
            return Modifier::None;
        }
        let word = |p: &Self, n| p.peek_at(n) == Tok::Ident && p.slice_at(n) == "abs";
        let (len, modifier) = match self.peek_at(1) {
            Tok::Minus if self.peek_at(2) == Tok::RParen => (3, Modifier::Neg),
            Tok::Minus if word(self, 2) && self.peek_at(3) == Tok::RParen => (4, Modifier::NegAbs),
            Tok::Tilde if self.peek_at(2) == Tok::RParen => (3, Modifier::Not),
            Tok::Ident if word(self, 1) && self.peek_at(2) == Tok::RParen => (3, Modifier::Abs),
            _ => return Modifier::None,
        };
        self.at += len;
        modifier
    }

    fn at_indirect(&self) -> bool {
        self.peek() == Tok::Ident && self.slice() == "r" && self.peek_at(1) == Tok::LBrack && self.glued(1)
    }

    /// `r[A0(1),16]<1;1,0>:d`
    fn indirect(&mut self, modifier: Modifier, role: Role) -> Parsed<VectorOperand> {
        self.at += 2;
        let addr = self.address_name()?;
        self.expect(Tok::LParen, "`(`")?;
        let addr_offset = self.int_in(0..=255, "the element")?;
        self.expect(Tok::RParen, "`)`: an address variable has one element number, as in `A0(0)`")?;
        let offset = if self.eat(Tok::Comma) { self.int_in(-32768..=32767, "the byte offset")? } else { 0 };
        self.expect(Tok::RBrack, "`]`")?;
        let region = if role == Role::Dst { self.dst_region()? } else { self.src_region()? };
        let ty = self.type_suffix()?;
        Ok(VectorOperand::Indirect(IndirectOperand { addr, addr_offset, offset, ty, region, modifier }))
    }

    /// `&V32[16]`, after the `&`.
    fn address_of(&mut self) -> Parsed<VectorOperand> {
        let symbol = self.symbol()?;
        let mut offset = 0;
        if self.eat(Tok::LBrack) {
            offset = self.int_in(0..=32767, "the byte offset")?;
            self.expect(Tok::RBrack, "`]`")?;
        }
        match symbol {
            Symbol::General(var) => {
                let size = self.k()?.var_type(var).map_or(1, Type::bytes);
                let grf = self.options.grf_bytes;
                let (row, col) = (offset / grf, offset % grf / size);
                if offset % size != 0 || row > 255 {
                    self.at -= 1;
                    return self.fail(format!("the offset {offset} is no element of the variable"));
                }
                Ok(VectorOperand::General(GeneralOperand {
                    var,
                    row: low_u8(row),
                    col: low_u8(col),
                    region: Region::src(0, 1, 0),
                    modifier: Modifier::None,
                }))
            }
            Symbol::Surface(surface) if offset.is_multiple_of(4) && offset < 1024 => {
                Ok(VectorOperand::Surface { surface, offset: low_u8(offset / 4) })
            }
            Symbol::Sampler(sampler) if offset.is_multiple_of(4) && offset < 1024 => {
                Ok(VectorOperand::Sampler { sampler, offset: low_u8(offset / 4) })
            }
            other => self.wrong_kind(other, "a variable whose address can be taken"),
        }
    }

    /// A region's number; bad ones are faults.
    fn region_value(&mut self, allowed: &[i64], what: &str) -> Parsed<u8> {
        let at = self.at;
        let value = self.int_exp_closed()?;
        if allowed.contains(&value) {
            return Ok(low_u8(value));
        }
        self.at = at;
        let list: Vec<_> = allowed.iter().map(i64::to_string).collect();
        self.fail(format!("{what} is {value}, allowed: {}", list.join(", ")))
    }

    fn dst_region(&mut self) -> Parsed<Region> {
        self.expect(Tok::Lt, "a region such as `<1>`")?;
        let h = self.region_value(&[0, 1, 2, 4], "the horizontal stride")?;
        self.expect(Tok::Gt, "`>`: the region of a destination is a horizontal stride alone, as in `<1>`")?;
        Ok(Region::dst(h))
    }

    /// `<v;w,h>`, `<w,h>` (one address per row) or `<h>` (one address per element).
    fn src_region(&mut self) -> Parsed<Region> {
        const STRIDES: &[i64] = &[0, 1, 2, 4, 8, 16, 32];
        self.expect(Tok::Lt, "a region such as `<1;1,0>`")?;
        let first = self.region_value(STRIDES, "the first number of the region")?;
        let region = match self.peek() {
            Tok::Semi => {
                self.at += 1;
                let w = self.region_value(&[0, 1, 2, 4, 8, 16], "the width")?;
                self.expect(Tok::Comma, "`,`")?;
                let h = self.region_value(&[0, 1, 2, 4], "the horizontal stride")?;
                Region::src(first, w, h)
            }
            Tok::Comma => {
                self.at += 1;
                let h = self.region_value(&[0, 1, 2, 4], "the horizontal stride")?;
                Region::vxh(first, h)
            }
            _ => Region::dst(first),
        };
        self.expect(Tok::Gt, "`>`")?;
        Ok(region)
    }

    /// `:ud`
    fn type_suffix(&mut self) -> Parsed<Type> {
        if self.peek() == Tok::Colon && self.peek_at(1) == Tok::Ident {
            let name = self.slice_at(1);
            let found = Type::from_name(name).or_else(|| Type::from_name(&name.to_ascii_lowercase()));
            if let Some(ty) = found {
                self.at += 2;
                return Ok(ty);
            }
            self.at += 1;
            return self.expected(&format!("a type: one of {}", type_names()));
        }
        self.expected("a type such as `:ud`")
    }

    /// `0x10:ud`, `-1:w`, `1.5:f`
    pub(super) fn immediate(&mut self) -> Parsed<VectorOperand> {
        let negative = self.peek() == Tok::Minus && self.peek_at(1) == Tok::Float;
        if negative || self.peek() == Tok::Float {
            self.at += usize::from(negative);
            let text = self.slice();
            self.at += 1;
            let (digits, ty) = text.split_once(':').unwrap_or((text, "f"));
            let value: f64 = digits.parse().unwrap_or_default();
            let value = if negative { -value } else { value };
            let (ty, bits) = match ty {
                "f" | "F" => (Type::F, u64::from(single(value).to_bits())),
                _ => (Type::DF, value.to_bits()),
            };
            return Ok(VectorOperand::Immediate { ty, bits });
        }
        if self.peek() == Tok::Comma {
            return self.expected("an operand; blanks separate operands, not commas");
        }
        let begins =
            matches!(self.peek(), Tok::Int | Tok::Hex | Tok::Minus | Tok::Tilde | Tok::Bang | Tok::LParen);
        if !begins && !self.at_number_name() {
            return self
                .expected("a source: a variable such as `V32(0,0)<1;1,0>` or a constant such as `0x1:d`");
        }
        let first = self.at;
        let value = self.unary()?;
        // A literal above the range of signed numbers is a positive one.
        let large = self.at == first + 1 && value < 0;
        if self.peek() == Tok::Dot && self.glued(0) {
            return self.expected("a type; a fraction has it right after its digits, as in `2.5:f`");
        }
        let ty = self.type_suffix()?;
        if ty == Type::Bool {
            self.at -= 1;
            return self.fail("a constant cannot be of type bool");
        }
        // What does not fit stays as it was written, for the verifier to speak of.
        let bits = match ty.bytes() == 8 || !large && ty.holds(value) {
            true if ty.bytes() < 8 => u64::from(low_u32(value)),
            _ => value.cast_unsigned(),
        };
        Ok(VectorOperand::Immediate { ty, bits })
    }
}

/// Types that operands have, for messages.
#[cold]
fn type_names() -> String {
    let names: Vec<_> = Type::ALL.iter().filter(|t| **t != Type::Bool).map(|t| t.name()).collect();
    names.join(", ")
}
