//! One instruction in assembly.

use super::{
    cursor::Cursor,
    operand::{Form, register_base},
    token::Token,
};
use crate::options::has_exec_info;
use gen_ir::{
    Class, Cond, CondMod, Dst, ExecSize, Inst, MathFn, Op, Payload, Physical, Region, Src, SyncFn, Target,
    Type,
};
use narrow::to_u8;

/// An instruction and what its text says beyond it.
#[derive(Clone, Debug)]
pub(super) struct Parsed<'a> {
    pub(super) inst: Inst<Physical>,
    /// Labels that JIP and UIP go to, with the byte they are named at.
    pub(super) targets: [Option<(&'a str, usize)>; 2],
    /// `{NoCompact}`.
    pub(super) no_compact: bool,
    /// Byte at which the instruction starts.
    pub(super) start: usize,
}

const CONDITIONS: [Cond; 9] =
    [Cond::Eq, Cond::Ne, Cond::Gt, Cond::Ge, Cond::Lt, Cond::Le, Cond::Ov, Cond::Un, Cond::Eo];

impl<'a> Cursor<'a> {
    /// Takes one instruction, options included.
    pub(super) fn instruction(&mut self) -> Option<Parsed<'a>> {
        let start = self.here();
        let mut inst = Inst::new(Op::Nop, ExecSize::S1);
        self.predication(&mut inst)?;
        let load_store = self.load_store_head()?;
        if load_store.is_some() {
            inst.op = Op::Send;
        } else {
            self.mnemonic(&mut inst)?;
        }
        self.exec_info(&mut inst)?;
        self.condition(&mut inst)?;
        if self.peek() == Token::LParen && self.peek_at(1) == Token::Word("sat") {
            self.advance();
            self.advance();
            self.expect(Token::RParen, "`)`")?;
            inst.sat = true;
        }
        let mut parsed = Parsed { inst, targets: [None; 2], no_compact: false, start };
        match load_store {
            Some(head) => self.load_store_operands(head, &mut parsed.inst)?,
            None => self.operands(&mut parsed)?,
        }
        if self.peek() == Token::LBrace {
            self.options(&mut parsed)?;
        }
        let send = matches!(parsed.inst.payload, Payload::Send(_));
        if parsed.inst.op == Op::Jmpi {
            parsed.inst.no_mask = true;
        }
        if let (Some(p), Some(c)) = (&parsed.inst.pred, &parsed.inst.cond)
            && p.flag != c.flag
            && !send
        {
            self.error_at(start, "two flag registers".into(), "the same one for predicate and condition");
            return None;
        }
        Some(parsed)
    }

    /// `(8|M16)`.
    fn exec_info(&mut self, inst: &mut Inst<Physical>) -> Option<()> {
        if self.peek() != Token::LParen || !matches!(self.peek_at(1), Token::Int(_)) {
            return if has_exec_info(inst.op) {
                self.unexpected("`(` and the execution size")
            } else {
                Some(())
            };
        }
        self.advance();
        let at = self.here();
        match self.small().and_then(ExecSize::from_lanes) {
            Some(exec) => inst.exec = exec,
            None => {
                self.error_at(at, "another number".into(), "an execution size: 1, 2, 4, 8, 16 or 32");
                return None;
            }
        }
        if self.eat(Token::Bar) {
            const WHAT: &str = "a channel offset: M0, M4, ... M28";
            let Token::Word(word) = self.peek() else { return self.unexpected(WHAT) };
            match word.strip_prefix('M').and_then(|n| n.parse::<u8>().ok()) {
                Some(chan) if chan < 32 && chan % 4 == 0 => inst.chan = chan,
                _ => return self.unexpected(WHAT),
            }
            self.advance();
        }
        self.expect(Token::RParen, "`|` and a channel offset, or `)`")
    }

    /// `(lt)f0.1`.
    fn condition(&mut self, inst: &mut Inst<Physical>) -> Option<()> {
        let (Token::LParen, Token::Word(word)) = (self.peek(), self.peek_at(1)) else { return Some(()) };
        let Some(cond) = condition_named(word) else { return Some(()) };
        self.advance();
        self.advance();
        self.expect(Token::RParen, "`)`")?;
        inst.cond = Some(CondMod { cond, flag: self.flag()? });
        Some(())
    }

    fn operands(&mut self, parsed: &mut Parsed<'a>) -> Option<()> {
        let inst = &mut parsed.inst;
        match inst.op.info().class {
            Class::Nullary => Some(()),
            Class::Send => self.send_operands(inst),
            Class::Branch => self.branch_operands(parsed),
            Class::Sync => self.sync_operand(inst),
            Class::Basic | Class::Math | Class::Ternary | Class::Dpas => self.plain_operands(inst),
        }
    }

    fn plain_operands(&mut self, inst: &mut Inst<Physical>) -> Option<()> {
        let info = inst.op.info();
        let ternary = info.class == Class::Ternary;
        if info.dst && inst.op != Op::Wait {
            inst.dst = self.destination(None)?;
        }
        let count = match inst.payload {
            Payload::Math(
                MathFn::Fdiv | MathFn::Pow | MathFn::Idivmod | MathFn::Iqot | MathFn::Irem | MathFn::Invm,
            ) => 2,
            Payload::Math(_) => 1,
            _ => usize::from(info.srcs),
        };
        for i in 0..count {
            let form = Form {
                ternary: ternary.then_some(i == 2),
                scalar: inst.exec == ExecSize::S1,
                default_type: None,
                fixed_region: None,
                logic: info.logic,
            };
            let movi_has_no_second = inst.op == Op::Movi
                && i == 1
                && matches!(self.peek(), Token::Newline | Token::Semicolon | Token::LBrace);
            if movi_has_no_second {
                break;
            }
            inst.src[i] = self.source(&form)?;
            if ternary {
                self.spread_in_owords(&mut inst.src[i], inst.exec);
            }
        }
        if let (Op::Wait, Src::Direct { reg, ty, .. }) = (inst.op, inst.src[0]) {
            inst.dst = Dst::Direct { reg, horz: 1, ty };
        }
        Some(())
    }

    /// What the syntax shows as one 64-bit element for more than two channels is, in Align16, the two of each oword
    /// in turn (`shown_region` of the listing).
    fn spread_in_owords(&self, src: &mut Src<Physical>, exec: ExecSize) {
        if let Src::Direct { region, ty: Type::Df, .. } = src
            && self.caps.words.ternary_align16
            && exec.lanes() > 2
            && region.is_scalar()
        {
            *region = Region::PAIRS;
        }
    }

    fn sync_operand(&mut self, inst: &mut Inst<Physical>) -> Option<()> {
        let sbids = matches!(inst.payload, Payload::Sync(SyncFn::AllRd | SyncFn::AllWr));
        if sbids && self.peek() == Token::LParen && matches!(self.peek_at(1), Token::Dollar) {
            self.advance();
            let mut bits = 0u64;
            loop {
                self.expect(Token::Dollar, "`$` and an SBID")?;
                bits |= 1 << self.sbid()?;
                if !self.eat(Token::Comma) {
                    break;
                }
            }
            self.expect(Token::RParen, "`,` and another SBID, or `)`")?;
            inst.src[0] = Src::Imm { bits, ty: Type::Ud };
            return Some(());
        }
        let form = Form {
            ternary: None,
            scalar: true,
            default_type: Some(Type::Ud),
            fixed_region: Some(Region::SCALAR),
            logic: false,
        };
        inst.src[0] = self.source(&form)?;
        if let Src::Direct { reg, ty, .. } = &mut inst.src[0]
            && reg.is_null()
        {
            *ty = Type::Ub;
        }
        Some(())
    }

    pub(super) fn sbid(&mut self) -> Option<u8> {
        let at = self.here();
        let count = u32::from(self.caps.regs.largest_file().sbids);
        match self.small() {
            Some(n) if n < count => Some(to_u8(n)),
            _ => {
                self.error_at(at, "another number".into(), &format!("an SBID: 0 to {}", count.max(1) - 1));
                None
            }
        }
    }

    /// The region that a register source of a branch has in the word.
    fn branch_region(&self, op: Op) -> Region {
        match op {
            Op::Ret | Op::Brc if !self.caps.words.bare_operands => Region::new(2, 2, 1),
            _ => Region::SCALAR,
        }
    }

    fn branch_operands(&mut self, parsed: &mut Parsed<'a>) -> Option<()> {
        let inst = &mut parsed.inst;
        if inst.op.info().dst {
            inst.dst = self.destination(Some(Type::D))?;
            // Whatever the text says, the word holds the one type there is.
            if let Dst::Direct { ty, .. } = &mut inst.dst {
                *ty = Type::D;
            }
        }
        let register = match self.peek() {
            Token::Word("r") => self.peek_at(1) == Token::LBracket,
            Token::Word(word) => register_base(self.caps, word).is_some(),
            _ => false,
        };
        if register && inst.op.info().srcs > 0 {
            let form = Form {
                ternary: None,
                scalar: true,
                default_type: Some(Type::D),
                fixed_region: Some(self.branch_region(inst.op)),
                logic: false,
            };
            inst.src[0] = self.source(&form)?;
            if let Src::Direct { ty, .. } | Src::Indirect { ty, .. } = &mut inst.src[0] {
                *ty = Type::D;
            }
            return Some(());
        }
        if inst.op == Op::Ret {
            return self.unexpected("a register");
        }
        let two = matches!(inst.op, Op::If | Op::Else | Op::Break | Op::Cont | Op::Halt | Op::Goto | Op::Brc);
        let mut targets = [Target::None; 2];
        for (i, target) in targets.iter_mut().enumerate().take(1 + usize::from(two)) {
            let at = self.here();
            match self.peek() {
                Token::Word(name) => {
                    self.advance();
                    parsed.targets[i] = Some((name, at));
                    *target = Target::Rel(0);
                }
                _ => *target = Target::Rel(self.dword("a label or a displacement in bytes")?.cast_signed()),
            }
            self.type_suffix(Some(Type::D))?;
        }
        if let Payload::Branch { jip, uip, .. } = &mut inst.payload {
            [*jip, *uip] = targets;
        }
        Some(())
    }
}

/// The condition a word names; `z` and `nz` are other names for `eq` and `ne`.
fn condition_named(word: &str) -> Option<Cond> {
    match word {
        "z" => Some(Cond::Eq),
        "nz" => Some(Cond::Ne),
        _ => CONDITIONS.into_iter().find(|c| c.name() == word),
    }
}
