//! One instruction in assembly.

use super::{
    cursor::Cursor,
    operand::{Form, register_base},
    token::Token,
};
use crate::{
    bfn,
    instruction::{has_branch_control, has_exec_info},
};
use encoder::opcodes;
use gen_ir::{
    Arf, Base, Class, Cond, CondMod, Desc, Dst, ExecSize, Inst, MathFn, Op, Options, Payload, Physical, Pipe,
    Pred, PredCtrl, Reg, Region, SbidMode, SendInfo, Sfid, Src, SrcMod, SyncFn, Target, Type,
};
use messages::{Descriptor, ExtendedDescriptor};
use platforms::Layout;

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
const CONDITIONS: [Cond; 9] =
    [Cond::Eq, Cond::Ne, Cond::Gt, Cond::Ge, Cond::Lt, Cond::Le, Cond::Ov, Cond::Un, Cond::Eo];
const PREDICATES: [PredCtrl; 19] = [
    PredCtrl::Seq,
    PredCtrl::Any2h,
    PredCtrl::All2h,
    PredCtrl::Any4h,
    PredCtrl::All4h,
    PredCtrl::Any8h,
    PredCtrl::All8h,
    PredCtrl::Any16h,
    PredCtrl::All16h,
    PredCtrl::Any32h,
    PredCtrl::All32h,
    PredCtrl::AnyV,
    PredCtrl::AllV,
    PredCtrl::X,
    PredCtrl::Y,
    PredCtrl::Z,
    PredCtrl::W,
    PredCtrl::Any,
    PredCtrl::All,
];
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

    /// `(W&~f0.1.any8h)`.
    fn predication(&mut self, inst: &mut Inst<Physical>) -> Option<()> {
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
            let found = PREDICATES.into_iter().find(|c| c.suffix().strip_prefix('.') == Some(word));
            match found {
                Some(c) => ctrl = c,
                None => return self.unexpected("any2h ... any32h, all2h ... all32h, anyv, allv, any, all"),
            }
            self.advance();
        }
        self.expect(Token::RParen, "`)`")?;
        inst.pred = Some(Pred { flag, inv, ctrl });
        Some(())
    }

    fn mnemonic(&mut self, inst: &mut Inst<Physical>) -> Option<()> {
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
                let sfid = if self.xe() { self.shared_function()? } else { Sfid::Null };
                inst.payload = Payload::Send(SendInfo {
                    sfid,
                    desc: Desc::Imm(0),
                    ex_desc: Desc::Imm(0),
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
                Some(Payload::Dpas { depth: depth as u8, repeat })
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

    fn sbid(&mut self) -> Option<u8> {
        let at = self.here();
        let count = u32::from(self.caps.scoreboard.sbid_count);
        match self.small() {
            Some(n) if n < count => Some(n as u8),
            _ => {
                self.error_at(at, "another number".into(), &format!("an SBID: 0 to {}", count.max(1) - 1));
                None
            }
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
                fixed_region: Some(branch_region(inst.op, self.caps.words.layout())),
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
                _ => *target = Target::Rel(self.dword("a label or a displacement in bytes")? as i32),
            }
            self.type_suffix(Some(Type::D))?;
        }
        if let Payload::Branch { jip, uip, .. } = &mut inst.payload {
            [*jip, *uip] = targets;
        }
        Some(())
    }

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
                Some(n) if n < 32 => Some((reg, Some(n as u8), Type::Ud)),
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

    pub(super) fn descriptor(&mut self, what: &str) -> Option<Desc<Physical>> {
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
        Some(Desc::Imm(self.dword(what)?))
    }

    fn send_operands(&mut self, inst: &mut Inst<Physical>) -> Option<()> {
        let (dst, _, ty) = self.payload("a destination register")?;
        inst.dst = Dst::Direct { reg: dst, horz: 1, ty };
        let region = if self.xe() { Region::PACKED } else { Region::SCALAR };
        let (src0, _, ty) = self.payload("a payload register")?;
        inst.src[0] = Src::Direct { reg: src0, region, mods: SrcMod::None, ty };
        let mut written_len = None;
        if self.xe() || matches!(inst.op, Op::Sends | Op::Sendsc) {
            let (src1, len, ty) = self.payload("a second payload register")?;
            inst.src[1] = Src::Direct { reg: src1, region, mods: SrcMod::None, ty };
            written_len = len;
        }
        let mut ex_desc = self.descriptor("an extended descriptor")?;
        let desc = self.descriptor("a descriptor")?;
        let Payload::Send(send) = &mut inst.payload else { return Some(()) };
        send.desc = desc;
        if let Desc::Imm(bits) = desc {
            let desc = Descriptor::from_bits(bits);
            send.dst_len = desc.response_length().registers();
            send.src0_len = desc.message_length().registers();
        }
        if let Desc::Imm(bits) = &mut ex_desc {
            let fields = ExtendedDescriptor::from_bits(*bits);
            if self.caps.words.layout() == Layout::Gen8 {
                send.sfid = Sfid::from_number(fields.target_function(), false);
                send.eot = fields.end_of_thread();
                *bits &= !ExtendedDescriptor::IN_WORD;
            }
            if !self.caps.memory.lsc {
                send.src1_len = fields.extended_length().registers();
            }
        }
        send.ex_desc = ex_desc;
        if let Some(len) = written_len {
            send.src1_len = len;
        }
        Some(())
    }

    /// `{Compacted,EOT,A@1,$3.src}`.
    fn options(&mut self, parsed: &mut Parsed<'a>) -> Option<()> {
        self.advance();
        if self.eat(Token::RBrace) {
            return Some(());
        }
        loop {
            self.option(parsed)?;
            if !self.eat(Token::Comma) {
                break;
            }
        }
        self.expect(Token::RBrace, "`,` and another option, or `}`")
    }

    fn option(&mut self, parsed: &mut Parsed<'a>) -> Option<()> {
        const WHAT: &str = "an instruction option";
        let inst = &mut parsed.inst;
        match self.peek() {
            Token::At if self.xe() => {
                inst.swsb.dist = Some(self.distance(Pipe::Own)?);
                return Some(());
            }
            Token::Dollar if self.xe() => {
                self.advance();
                let sbid = self.sbid()?;
                let mut mode = SbidMode::Set;
                if self.eat(Token::Dot) {
                    mode = match self.peek() {
                        Token::Word("src") => SbidMode::Src,
                        Token::Word("dst") => SbidMode::Dst,
                        _ => return self.unexpected("src or dst"),
                    };
                    self.advance();
                }
                inst.swsb.sbid = Some((mode, sbid));
                return Some(());
            }
            _ => {}
        }
        let Token::Word(word) = self.peek() else { return self.unexpected(WHAT) };
        if self.peek_at(1) == Token::At && self.xe() {
            let pipe = match word {
                "F" => Pipe::Float,
                "I" => Pipe::Int,
                "L" => Pipe::Long,
                "M" => Pipe::Math,
                "A" => Pipe::All,
                "S" => Pipe::Scalar,
                _ => return self.unexpected("a pipe: F I L M A S"),
            };
            self.advance();
            inst.swsb.dist = Some(self.distance(pipe)?);
            return Some(());
        }
        match word {
            "EOT" => match &mut inst.payload {
                Payload::Send(send) => send.eot = true,
                _ => return self.unexpected("EOT on a send"),
            },
            "NoCompact" => parsed.no_compact = true,
            "NoAccSBSet" if self.xe() => inst.swsb.no_acc_sb_set = true,
            _ => match Options::NAMES.iter().find(|(o, name)| *name == word && *o != Options::ALIGN16) {
                Some((option, _)) => inst.opts = inst.opts.with(*option),
                None => return self.unexpected(WHAT),
            },
        }
        self.advance();
        Some(())
    }

    fn distance(&mut self, pipe: Pipe) -> Option<(Pipe, u8)> {
        self.advance();
        let at = self.here();
        match self.small() {
            Some(n @ 1..=7) => Some((pipe, n as u8)),
            _ => {
                self.error_at(at, "another number".into(), "a distance: 1 to 7");
                None
            }
        }
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

/// The region that a register source of a branch has in the word.
fn branch_region(op: Op, layout: Layout) -> Region {
    match (layout, op) {
        (Layout::Gen8, Op::Ret | Op::Brc) => Region::new(2, 2, 1),
        _ => Region::SCALAR,
    }
}
