//! Dependency checking: what the code's own annotations say has happened, and nothing more.
//!
//! On platforms with a software scoreboard, an in-order instruction's result counts as written once a
//! later instruction has waited for it by distance, or once more instructions than its pipe is deep have
//! followed it; an out-of-order instruction has read its sources and written its result once someone
//! waited for its token. Until then its registers are pending, and touching them is reported. Results
//! are stored at once, so that a run goes on after a report.
//!
//! Pipes, depths and which pairs need an annotation: PRM volume 9 of Xe, "Software scoreboard", and the
//! dependency rules of Intel's graphics compiler (read after write always; write after write and write
//! after read between pipes; write after read not between messages to one function).
//!
//! On Gen8 to Gen11 the hardware tracks dependencies, and `NoDDClr` and `NoDDChk` switch parts of that
//! off; used wrongly they make a thread wait forever, or not at all.

use crate::{
    file,
    messages::Cx,
    program::{DestPlace, Extra, Message, Operand, Program, Step},
    report::Fault,
    thread::{Thread, Trap},
};
use gen_ir::{Class, Op, Options, Pipe, SbidMode, Sfid, SyncFn, Type};

/// In-order pipes: float, integer, long, math; a single-pipe platform uses the first.
const PIPES: usize = 4;
const FLOAT: usize = 0;
const INT: usize = 1;
const LONG: usize = 2;
const MATH: usize = 3;

/// Instructions after which a result of a pipe has arrived by itself.
const DEPTH: [u32; PIPES] = [11, 11, 15, 18];

/// Who a register byte waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Owner {
    #[default]
    Nobody,
    /// An in-order instruction: its pipe and number there.
    InOrder(u8, u32),
    /// An out-of-order one: its token, and how often the token had been taken.
    Token(u8, u32),
}

#[derive(Clone, Copy, Debug, Default)]
struct Token {
    taken: u32,
    read: u32,
    written: u32,
    /// When it was taken last, among all tokens.
    order: u32,
}

#[derive(Clone, Debug)]
pub(crate) enum Scoreboard {
    Software(Box<Software>),
    DependencyControl(Vec<bool>),
}

#[derive(Clone, Debug)]
pub(crate) struct Software {
    multi: bool,
    /// The instruction before touched a register that holds up what follows.
    held: bool,
    /// Instructions issued per pipe, and the number below which all are complete.
    issued: [u32; PIPES],
    complete: [u32; PIPES],
    tokens: [Token; 32],
    /// Tokens taken so far.
    taken: u32,
    /// Function a token's holder talks to: messages to one function read their sources in order.
    function: [Option<Sfid>; 32],
    /// Per register byte: who writes it, who reads it.
    writer: Vec<Owner>,
    reader: Vec<Owner>,
}

impl Scoreboard {
    pub(crate) fn new(program: &Program) -> Option<Scoreboard> {
        let caps = program.platform.caps();
        let bytes = (program.grf * program.grf_count) as usize;
        if caps.sbid_count > 0 {
            return Some(Scoreboard::Software(Box::new(Software {
                multi: caps.swsb_multi_pipe,
                held: false,
                issued: [0; PIPES],
                complete: [0; PIPES],
                tokens: [Token::default(); 32],
                taken: 0,
                function: [None; 32],
                writer: vec![Owner::Nobody; bytes],
                reader: vec![Owner::Nobody; bytes],
            })));
        }
        caps.no_dd.then(|| Scoreboard::DependencyControl(vec![false; program.grf_count as usize]))
    }

    /// A branch went elsewhere: by the time the thread fetches again, its in-order pipes are empty.
    pub(crate) fn jumped(&mut self) {
        if let Scoreboard::Software(s) = self {
            s.complete = s.issued;
        }
    }

    /// Checks an instruction about to run and notes what it leaves pending.
    pub(crate) fn step(&mut self, t: &Thread, cx: &mut Cx<'_>, step: &Step) -> Result<(), Trap> {
        match self {
            Scoreboard::Software(s) => s.step(t, cx, step),
            Scoreboard::DependencyControl(held) => dependency_control(held, t, cx, step),
        }
    }
}

/// Byte ranges of general registers that an instruction touches: first byte and length.
type Ranges = Vec<(u32, u32)>;

fn message<'a>(cx: &Cx<'a>, step: &Step) -> Option<&'a Message> {
    match step.extra {
        Extra::Send(i) => Some(&cx.program.messages[i as usize]),
        _ => None,
    }
}

fn enabled(t: &Thread, step: &Step) -> u32 {
    let on = t.enabled(step);
    match &step.pred {
        Some(p) if step.op != Op::Sel || step.cond.is_some() => on & t.predicate(p, step),
        _ => on,
    }
}

/// Registers read and written, as far as the thread has them.
fn footprint(t: &Thread, cx: &Cx<'_>, step: &Step) -> Result<(Ranges, Ranges), Trap> {
    let (mut reads, mut writes) = whole_footprint(t, cx, step)?;
    for (at, len) in reads.iter_mut().chain(&mut writes) {
        *at = (*at).min(t.grf_end);
        *len = (*len).min(t.grf_end - *at);
    }
    Ok((reads, writes))
}

fn whole_footprint(t: &Thread, cx: &Cx<'_>, step: &Step) -> Result<(Ranges, Ranges), Trap> {
    let (mut reads, mut writes) = (Ranges::new(), Ranges::new());
    let grf = cx.program.grf;
    if let Some(m) = message(cx, step) {
        let desc = match m.desc {
            crate::program::DescFrom::Imm(v) => v,
            crate::program::DescFrom::Addr(at) => t.u32_at(at),
        };
        let len0 = if m.src0_len != 0 { m.src0_len.into() } else { desc >> 25 & 0xf };
        let back = if m.dst_len != 0 { m.dst_len.into() } else { desc >> 20 & 0x1f };
        for (reg, len) in [(m.src0, len0), (m.src1, m.src1_len.into())] {
            if let Some(r) = reg {
                reads.push((r * grf, len * grf));
            }
        }
        if let Some(r) = m.dst {
            writes.push((r * grf, back * grf));
        }
        return Ok((reads, writes));
    }
    let on = enabled(t, step);
    if on == 0 {
        return Ok((reads, writes));
    }
    // Two dwords hold return address and mask, however wide the call is.
    let n = usize::from(step.lanes).min(if step.op == Op::Ret { 2 } else { 32 });
    if let (Op::Call | Op::Calla, DestPlace::Direct(at)) = (step.op, step.dst.what) {
        writes.push((at, 8));
    }
    if let Extra::Dpas { depth, repeat } = step.extra {
        let at = |i: usize| match step.src[i].what {
            Operand::Direct { at, .. } if at < file::GRF_END => Some(at),
            _ => None,
        };
        let (depth, repeat, lanes) = (u32::from(depth), u32::from(repeat), n as u32);
        let sizes = [repeat * lanes * step.src[0].ty.bytes(), depth * lanes * 4, repeat * depth * 4];
        for (i, size) in sizes.into_iter().enumerate() {
            if let Some(at) = at(i) {
                reads.push((at, size));
            }
        }
        if let DestPlace::Direct(at) = step.dst.what {
            writes.push((at, repeat * lanes * step.dst.ty.bytes()));
        }
        return Ok((reads, writes));
    }
    for s in &step.src {
        let bytes = s.ty.bytes();
        match s.what {
            Operand::Direct { at, .. } if at >= file::GRF_END => {}
            _ => {
                let Some(places) = t.lane_offsets(s, n, on)? else { continue };
                add_lanes(&mut reads, &places, n, on, bytes);
            }
        }
    }
    if writes.is_empty()
        && let Some(places) = t.dest_lanes(&step.dst, n, on)?
        && places[0] < file::GRF_END
    {
        add_lanes(&mut writes, &places, n, on, step.dst.ty.bytes());
    }
    Ok((reads, writes))
}

/// Lanes as ranges, neighbours joined.
fn add_lanes(out: &mut Ranges, places: &[u32; 32], n: usize, on: u32, bytes: u32) {
    let start = out.len();
    for i in (0..n).filter(|i| on >> i & 1 != 0) {
        match out[start..].last_mut() {
            Some((at, len)) if *at + *len == places[i] => *len += bytes,
            Some((at, len)) if *at <= places[i] && places[i] + bytes <= *at + *len => {}
            _ => out.push((places[i], bytes)),
        }
    }
}

impl Software {
    /// The in-order pipe of an instruction, if it has one.
    fn pipe(&self, step: &Step) -> Option<usize> {
        let class = step.op.info().class;
        match class {
            Class::Send | Class::Dpas | Class::Sync | Class::Nullary => None,
            _ if matches!(step.op, Op::Wait | Op::Halt) => None,
            Class::Math if !self.multi => None,
            _ if !self.multi => Some(0),
            Class::Math => Some(MATH),
            Class::Branch => Some(INT),
            _ if step.dst.ty == Type::Df => Some(LONG),
            _ if matches!(step.dst.ty, Type::F | Type::Hf | Type::Bf) => Some(FLOAT),
            _ => Some(INT),
        }
    }

    fn wait(&mut self, step: &Step, own: Option<usize>) {
        let issued = self.issued;
        let upto = |this: &mut Self, p: usize, d: u8| {
            let n = (issued[p] + 1).saturating_sub(d.into());
            this.complete[p] = this.complete[p].max(n);
        };
        if let Some((pipe, d)) = step.swsb.dist {
            match pipe {
                _ if !self.multi => upto(self, 0, d),
                Pipe::Own => upto(self, own.unwrap_or(INT), d),
                Pipe::Float => upto(self, FLOAT, d),
                Pipe::Int => upto(self, INT, d),
                Pipe::Long => upto(self, LONG, d),
                Pipe::Math => upto(self, MATH, d),
                Pipe::All => (0..PIPES).for_each(|p| upto(self, p, d)),
                Pipe::Scalar => {}
            }
        }
        if let Some((mode, k)) = step.swsb.sbid {
            let k = usize::from(k) % 32;
            self.earlier_read(k);
            let token = &mut self.tokens[k];
            match mode {
                SbidMode::Src => token.read = token.taken,
                // Taking a token waits for its last holder.
                SbidMode::Dst | SbidMode::Set => {
                    token.read = token.taken;
                    token.written = token.taken;
                }
            }
        }
        if let Extra::Sync(f @ (SyncFn::AllRd | SyncFn::AllWr)) = step.extra {
            let mask = match step.src[0].what {
                Operand::Imm(bits) => bits as u32,
                _ => u32::MAX,
            };
            for (k, token) in self.tokens.iter_mut().enumerate() {
                if mask >> k & 1 != 0 {
                    token.read = token.taken;
                    if f == SyncFn::AllWr {
                        token.written = token.taken;
                    }
                }
            }
        }
    }

    /// A message whose sources are read tells that earlier messages to its function have theirs read too.
    fn earlier_read(&mut self, k: usize) {
        let (order, function) = (self.tokens[k].order, self.function[k]);
        if function.is_none() {
            return;
        }
        for (token, f) in self.tokens.iter_mut().zip(&self.function) {
            if *f == function && token.order < order {
                token.read = token.taken;
            }
        }
    }

    /// Whether a byte's writer may still be at work.
    fn pending(&self, owner: Owner, as_reader: bool) -> bool {
        match owner {
            Owner::Nobody => false,
            Owner::InOrder(p, n) => {
                let p = usize::from(p);
                n >= self.complete[p] && self.issued[p] - n <= DEPTH[p]
            }
            Owner::Token(k, n) => {
                let token = &self.tokens[usize::from(k)];
                n > if as_reader { token.read } else { token.written }
            }
        }
    }

    /// Control and state registers, and what follows them, wait for all pipes; so do calls and returns.
    fn whole_pipes(&mut self, t: &Thread, cx: &mut Cx<'_>, step: &Step) {
        let special =
            |at: u32| (file::CE..file::ACC).contains(&at) && !(file::NOTIFY..file::IP).contains(&at);
        let sync = step.op.info().class == Class::Sync;
        let written = match step.dst.what {
            DestPlace::Direct(at) => Some(at),
            _ => None,
        };
        let read = step.src.iter().any(|s| matches!(s.what, Operand::Direct { at, .. } if special(at)));
        let lone = !sync && (read || written.is_some_and(special));
        let all = lone || matches!(step.op, Op::Call | Op::Calla | Op::Ret);
        let busy = self.issued.iter().zip(&self.complete).any(|(issued, complete)| issued > complete);
        if busy && (all || self.held) && step.op != Op::Illegal {
            let held = self.held;
            cx.report(t, Fault::Hazard, || {
                let why =
                    if held { "follows an access to a control register" } else { "must run alone, and does" };
                format!("{why} before the pipes are empty")
            });
        }
        self.held = lone || self.held && sync && busy;
    }

    fn step(&mut self, t: &Thread, cx: &mut Cx<'_>, step: &Step) -> Result<(), Trap> {
        let own = self.pipe(step);
        self.wait(step, own);
        self.whole_pipes(t, cx, step);
        let (mut reads, mut writes) = footprint(t, cx, step)?;
        // What reaches past the last register is another check's to report.
        let end = self.writer.len() as u32;
        for (at, len) in reads.iter_mut().chain(&mut writes) {
            *len = (*len).min(end.saturating_sub(*at));
        }
        let sfid = message(cx, step).map(|m| m.sfid);
        let by_word = self.multi && sfid.is_none() && step.dst.ty.bytes() == 1;
        if by_word {
            for (at, len) in &mut writes {
                let past = (*at + *len).next_multiple_of(2);
                *at &= !1;
                *len = past - *at;
            }
        }
        let mut found: Option<(&str, u32, Owner)> = None;
        for &(at, len) in &reads {
            for b in at..at + len {
                let w = self.writer[b as usize];
                if w != Owner::Nobody && self.pending(w, false) {
                    found = found.or(Some(("reads", b, w)));
                }
            }
        }
        for &(at, len) in &writes {
            for b in at..at + len {
                let w = self.writer[b as usize];
                // In-order instructions of one pipe write in order, except for single bytes, which are
                // written with the word around them.
                let ordered =
                    matches!((w, own), (Owner::InOrder(p, _), Some(q)) if usize::from(p) == q) && !by_word;
                if w != Owner::Nobody && !ordered && self.pending(w, false) {
                    found = found.or(Some(("overwrites", b, w)));
                }
                let r = self.reader[b as usize];
                let ordered = match (r, own) {
                    (Owner::InOrder(p, _), Some(q)) => usize::from(p) == q,
                    (Owner::Token(k, _), _) => sfid.is_some() && self.function[usize::from(k)] == sfid,
                    _ => false,
                };
                if r != Owner::Nobody && !ordered && self.pending(r, true) {
                    found = found.or(Some(("overwrites a source still to be read in", b, r)));
                }
            }
        }
        if let Some((what, byte, owner)) = found {
            let (reg, sub) = (byte / cx.program.grf, byte % cx.program.grf);
            cx.report(t, Fault::Hazard, || {
                let who = match owner {
                    Owner::Token(k, _) => format!("${k}"),
                    Owner::InOrder(p, n) => {
                        let name = if self.multi { ["F", "I", "L", "M"][usize::from(p)] } else { "" };
                        format!("{name}@{}", self.issued[usize::from(p)] - n)
                    }
                    Owner::Nobody => String::new(),
                };
                format!("{what} r{reg} byte {sub} before {who} is done")
            });
        }
        let owner = match (step.swsb.sbid, own) {
            (Some((SbidMode::Set, k)), None) => {
                let k = k % 32;
                let token = &mut self.tokens[usize::from(k)];
                token.taken += 1;
                token.order = self.taken;
                self.taken += 1;
                self.function[usize::from(k)] = sfid;
                Owner::Token(k, token.taken)
            }
            (_, Some(p)) => {
                self.issued[p] += 1;
                Owner::InOrder(p as u8, self.issued[p] - 1)
            }
            _ => Owner::Nobody,
        };
        for &(at, len) in &reads {
            self.reader[at as usize..(at + len) as usize].fill(owner);
        }
        for &(at, len) in &writes {
            self.writer[at as usize..(at + len) as usize].fill(owner);
        }
        Ok(())
    }
}

/// `NoDDClr` leaves a register's dependency set; only `NoDDChk` gets past it.
fn dependency_control(held: &mut [bool], t: &Thread, cx: &mut Cx<'_>, step: &Step) -> Result<(), Trap> {
    let clear = !step.opts.has(Options::NO_DD_CLR);
    let check = !step.opts.has(Options::NO_DD_CHK);
    if message(cx, step).is_some_and(|m| m.eot) {
        for (r, _) in held.iter().enumerate().filter(|(_, held)| **held) {
            cx.report(t, Fault::Hazard, || format!("the thread ends with r{r}'s dependency set by NoDDClr"));
        }
    }
    // Nothing is held in most code.
    if clear && check && !held.contains(&true) {
        return Ok(());
    }
    let grf = cx.program.grf;
    let (reads, writes) = footprint(t, cx, step)?;
    let regs = |ranges: &Ranges| -> Vec<usize> {
        let all = ranges.iter().filter(|r| r.1 > 0).flat_map(|&(at, len)| at / grf..=(at + len - 1) / grf);
        all.map(|r| r as usize).collect()
    };
    for r in regs(&reads) {
        if held[r] {
            cx.report(t, Fault::Hazard, || format!("reads r{r}, whose dependency NoDDClr left set"));
        }
    }
    for r in regs(&writes) {
        if check && held[r] {
            cx.report(t, Fault::Hazard, || format!("writes r{r}, whose dependency NoDDClr left set"));
        }
        if !check && !held[r] {
            cx.report(t, Fault::Hazard, || format!("writes r{r} without a check that nothing made needless"));
        }
        held[r] = !clear;
    }
    Ok(())
}
