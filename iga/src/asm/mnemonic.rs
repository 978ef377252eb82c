//! Predicates, mnemonics and what is written with them: functions, shapes, tables.

use super::{cursor::Cursor, token::Token};
use crate::{bfn, options::has_branch_control};
use encoder::opcodes;
use gen_ir::{
    Class, Desc, Descriptor, ExtendedDescriptor, Inst, MathFn, Op, Payload, Physical, Pred, PredCtrl,
    SendInfo, Sfid, SyncFn, Target,
};
use narrow::to_u8;

const MATH_FUNCTIONS: [MathFn; 14] = [
    MathFn::Inv,
    MathFn::Log,
    MathFn::Exp,
    MathFn::Sqt,
    MathFn::Rsqt,
    MathFn::Sin,
    MathFn::Cos,
    MathFn::Fdiv,
    MathFn::Pow,
    MathFn::Idivmod,
    MathFn::Iqot,
    MathFn::Irem,
    MathFn::Invm,
    MathFn::Rsqtm,
];

const SYNC_FUNCTIONS: [SyncFn; 6] =
    [SyncFn::Nop, SyncFn::AllRd, SyncFn::AllWr, SyncFn::Fence, SyncFn::Bar, SyncFn::Host];

const FUNCTIONS: [Sfid; 19] = [
    Sfid::Null,
    Sfid::Sampler,
    Sfid::Gateway,
    Sfid::Dc2,
    Sfid::Render,
    Sfid::Urb,
    Sfid::Spawner,
    Sfid::Vme,
    Sfid::DcRo,
    Sfid::Dc0,
    Sfid::Pi,
    Sfid::Dc1,
    Sfid::Cre,
    Sfid::Btd,
    Sfid::Rta,
    Sfid::Ugm,
    Sfid::Ugml,
    Sfid::Tgm,
    Sfid::Slm,
];

impl<'a> Cursor<'a> {
    /// `(W&~f0.1.any8h)`.
    pub(super) fn predication(&mut self, inst: &mut Inst<Physical>) -> Option<()> {
        if !self.eat(Token::LParen) {
            return Some(());
        }
        if self.eat_word("W") {
            inst.no_mask = true;
            if self.eat(Token::RParen) {
                return Some(());
            }
            self.expect(Token::Amp, "`&` and a flag, or `)`")?;
        }
        let inv = self.eat(Token::Tilde);
        let flag = self.flag()?;
        let mut ctrl = PredCtrl::Seq;
        if self.eat(Token::Dot) {
            let Token::Word(word) = self.peek() else { return self.unexpected("a predicate control") };
            let mut known =
                [&PredCtrl::BY_WIDTH[..], &PredCtrl::ALIGN16, &PredCtrl::BY_SIZE].into_iter().flatten();
            let found = known.find(|c| c.suffix().strip_prefix('.') == Some(word));
            match found {
                Some(c) => ctrl = *c,
                None => return self.unexpected("any2h ... any32h, all2h ... all32h, anyv, allv, any, all"),
            }
            self.advance();
        }
        self.expect(Token::RParen, "`)`")?;
        inst.pred = Some(Pred { flag, inv, ctrl });
        Some(())
    }

    pub(super) fn mnemonic(&mut self, inst: &mut Inst<Physical>) -> Option<()> {
        const WHAT: &str = "a mnemonic of this platform";
        let Token::Word(word) = self.peek() else { return self.unexpected(WHAT) };
        let op = Op::ALL.iter().copied().find(|op| op.name() == word);
        match op.filter(|&op| opcodes::supports(self.platform, op)) {
            Some(op) => inst.op = op,
            None => return self.unexpected(WHAT),
        }
        self.advance();
        match inst.op.info().class {
            Class::Math => inst.payload = Payload::Math(self.subfunction(&MATH_FUNCTIONS, |f| f.name())?),
            Class::Sync => inst.payload = Payload::Sync(self.subfunction(&SYNC_FUNCTIONS, |f| f.name())?),
            Class::Dpas => inst.payload = self.dpas_shape()?,
            Class::Branch => {
                let ctrl = has_branch_control(inst.op) && self.peek() == Token::Dot;
                if ctrl {
                    self.advance();
                    if !self.eat_word("b") {
                        return self.unexpected("b");
                    }
                }
                inst.payload = Payload::Branch { jip: Target::None, uip: Target::None, ctrl };
            }
            Class::Send => {
                let in_word = !self.caps.sends.function_in_descriptor;
                let sfid = if in_word { self.shared_function()? } else { Sfid::Null };
                inst.payload = Payload::Send(SendInfo {
                    sfid,
                    desc: Desc::Imm(Descriptor::new()),
                    ex_desc: Desc::Imm(ExtendedDescriptor::new()),
                    eot: false,
                    dst_len: 0,
                    src0_len: 0,
                    src1_len: 0,
                });
            }
            _ if inst.op == Op::Bfn => inst.payload = Payload::Bfn(self.boolean_function()?),
            _ => {}
        }
        Some(())
    }

    fn subfunction<T: Copy>(&mut self, all: &[T], name: impl Fn(&T) -> &'static str) -> Option<T> {
        let list = || all.iter().map(&name).collect::<Vec<_>>().join(" ");
        if !self.eat(Token::Dot) {
            return self.unexpected(&format!("`.` and a function: {}", list()));
        }
        let Token::Word(word) = self.peek() else {
            return self.unexpected(&format!("a function: {}", list()));
        };
        match all.iter().find(|f| name(f) == word) {
            Some(f) => {
                self.advance();
                Some(*f)
            }
            None => self.unexpected(&format!("a function: {}", list())),
        }
    }

    fn shared_function(&mut self) -> Option<Sfid> {
        const WHAT: &str = "a shared function: dc0, dc1, ugm, slm, smpl, gtwy, ...";
        self.expect(Token::Dot, WHAT)?;
        let Token::Word(word) = self.peek() else { return self.unexpected(WHAT) };
        let named = FUNCTIONS.into_iter().find(|f| f.to_string() == word);
        let numbered = || word.strip_prefix("sfid")?.parse().ok().filter(|n| *n < 16).map(Sfid::Reserved);
        match named.or_else(numbered) {
            Some(f) => {
                self.advance();
                Some(f)
            }
            None => self.unexpected(WHAT),
        }
    }

    /// `.8x4`: depth and repeat count.
    fn dpas_shape(&mut self) -> Option<Payload<Physical>> {
        const WHAT: &str = "depth and repeat count: 8x1 to 8x8";
        self.expect(Token::Dot, WHAT)?;
        let at = self.here();
        let depth = self.small();
        let repeat = match self.peek() {
            Token::Word(word) => word.strip_prefix('x').and_then(|n| n.parse::<u8>().ok()),
            _ => None,
        };
        match (depth, repeat) {
            (Some(depth @ (1 | 2 | 4 | 8)), Some(repeat @ 1..=8)) => {
                self.advance();
                Some(Payload::Dpas { depth: to_u8(depth), repeat })
            }
            _ => {
                self.error_at(at, "another shape".into(), WHAT);
                None
            }
        }
    }

    /// `.0x1D` or `.(s0&s1|s2)`.
    fn boolean_function(&mut self) -> Option<u8> {
        const WHAT: &str = "a truth table 0x00 to 0xFF, or an expression of s0, s1, s2 in parentheses";
        self.expect(Token::Dot, WHAT)?;
        if self.peek() != Token::LParen {
            let at = self.here();
            let value = self.dword(WHAT)?;
            let table = u8::try_from(value).ok();
            if table.is_none() {
                self.error_at(at, value.to_string(), WHAT);
            }
            return table;
        }
        self.advance();
        let start = self.here();
        let mut depth = 1;
        loop {
            match self.peek() {
                Token::LParen => depth += 1,
                Token::RParen => depth -= 1,
                Token::Newline => return self.unexpected("`)`"),
                _ => {}
            }
            if depth == 0 {
                break;
            }
            self.advance();
        }
        let text: String =
            self.slice(start, self.here()).chars().filter(|c| !c.is_ascii_whitespace()).collect();
        self.advance();
        match bfn::truth_table(&text) {
            Ok(table) => Some(table),
            Err(_) => {
                self.error_at(start, format!("`{text}`"), WHAT);
                None
            }
        }
    }
}
