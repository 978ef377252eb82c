//! What is not complete yet, and whether the next instruction has to wait for it.

use super::state::{Kind, Owner, PIPES, Ranges, Software, TOKENS, Token, UNTRACKED};
use crate::{
    file,
    program::{DescFrom, DestPlace, Extra, Message, Operand, Program, Step},
};
use gen_ir::{Class, Op, Pipe, SbidMode, Sfid, SyncFn, Type};
use messages::{SurfaceIndex, hdc::ToDc0};
use narrow::{as_index, low_u8, low_u32};

const FLOAT: usize = 0;
const INT: usize = 1;
const LONG: usize = 2;
const MATH: usize = 3;

impl Kind {
    pub(super) fn of(program: &Program, step: &Step) -> Option<Kind> {
        let kind = |function| Kind {
            function,
            no_mask: step.no_mask,
            lanes: step.lanes,
            chan: step.chan,
            predicate: step.pred.map(|p| p.flag),
        };
        let Some(m) = message(program, step) else {
            return (step.op.info().class == Class::Math).then(|| kind(None));
        };
        // Data port messages reach shared local memory as surface 254.
        let slm = match (m.sfid, m.desc) {
            (Sfid::Dc0 | Sfid::Dc1, DescFrom::Imm(desc)) => {
                let scratch = m.sfid == Sfid::Dc0 && ToDc0::of(desc) == Some(ToDc0::Scratch);
                !scratch && desc.surface() == SurfaceIndex::SHARED_LOCAL
            }
            _ => false,
        };
        Some(kind(Some((m.sfid, slm))))
    }
}

impl Software {
    /// No instruction before is incomplete.
    pub(super) fn new(program: &Program) -> Software {
        let scoreboard = program.platform.caps().scoreboard;
        let bytes = as_index(program.grf * program.grf_count);
        Software {
            pipes: scoreboard.pipes,
            depths: scoreboard.depths.map(u32::from),
            held: false,
            issued: [0; PIPES],
            complete: [0; PIPES],
            tokens: vec![Token::default(); TOKENS + 1],
            writer: vec![Owner::Nobody; bytes],
            readers: vec![0; bytes],
            piped: vec![[0; PIPES]; bytes],
        }
    }

    /// The in-order pipe of an instruction, if it has one.
    pub(super) fn pipe(&self, step: &Step) -> Option<usize> {
        let class = step.op.info().class;
        match class {
            Class::Send | Class::Dpas | Class::Sync | Class::Nullary => None,
            _ if matches!(step.op, Op::Wait | Op::Halt) => None,
            Class::Math if !self.pipes.have_math() => None,
            _ if !self.pipes.have_names() => Some(0),
            Class::Math => Some(MATH),
            Class::Branch => Some(INT),
            _ if step.dst.ty == Type::Df => Some(LONG),
            _ if step.dst.ty.is_float() => Some(FLOAT),
            _ => Some(INT),
        }
    }

    pub(super) fn wait(&mut self, step: &Step, own: Option<usize>) {
        let issued = self.issued;
        let upto = |this: &mut Self, p: usize, d: u8| {
            let n = (issued[p] + 1).saturating_sub(d.into());
            this.complete[p] = this.complete[p].max(n);
        };
        if let Some((pipe, d)) = step.swsb.dist {
            match pipe {
                _ if !self.pipes.have_names() => upto(self, 0, d),
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
            // Taking a token waits for its last holder.
            self.done(usize::from(k) % TOKENS, mode != SbidMode::Src);
        }
        if let Extra::Sync(f @ (SyncFn::AllRd | SyncFn::AllWr)) = step.extra {
            let mask = match step.src[0].what {
                Operand::Imm(bits) => low_u32(bits),
                _ => u32::MAX,
            };
            for k in (0..TOKENS).filter(|k| mask >> k & 1 != 0) {
                self.done(k, f == SyncFn::AllWr);
            }
        }
    }

    /// A token's holder has read its sources, and perhaps written its result.
    fn done(&mut self, k: usize, written: bool) {
        let token = &mut self.tokens[k];
        if written {
            token.written = token.taken;
        }
        for (at, len) in token.reads.drain(..) {
            self.readers[as_index(at)..as_index(at + len)].iter_mut().for_each(|r| *r &= !(1 << k));
        }
    }

    /// Whether a byte's writer may still be at work.
    fn pending(&self, owner: Owner) -> bool {
        match owner {
            Owner::Nobody => false,
            Owner::Untracked => true,
            Owner::InOrder(p, n) => self.in_flight(p.into(), n),
            Owner::Token(k, n) => n > self.tokens[usize::from(k)].written,
        }
    }

    fn in_flight(&self, pipe: usize, n: u32) -> bool {
        n >= self.complete[pipe] && self.issued[pipe] - n <= self.depths[pipe]
    }

    /// Who may still have to read a byte, of those that a write by a message of `kind` or in the pipe
    /// `own` does not come behind anyway.
    fn reading(&self, byte: usize, kind: Option<Kind>, own: Option<usize>) -> Option<Owner> {
        let tokens = self.readers[byte];
        let late = |k: &usize| tokens >> k & 1 != 0 && (kind.is_none() || self.tokens[*k].kind != kind);
        if tokens != 0
            && let Some(k) = (0..=TOKENS).find(late)
        {
            return Some(if k == UNTRACKED { Owner::Untracked } else { Owner::Token(low_u8(k), 0) });
        }
        let piped = self.piped[byte];
        (0..PIPES)
            .find(|&p| piped[p] != 0 && own != Some(p) && self.in_flight(p, piped[p] - 1))
            .map(|p| Owner::InOrder(low_u8(p), piped[p] - 1))
    }

    /// Control and state registers, and what follows them, wait for all pipes; so do calls and returns. What is wrong.
    /// What others wait for (`n0`, `tdr0`) is no such register: Intel's finalizer waits for nothing where `tdr0` is cleared,
    /// and visa/iga/IGALibrary/IR/RegDeps.cpp, `isSpecial`, has neither.
    pub(super) fn whole_pipes(&mut self, step: &Step) -> Option<&'static str> {
        let awaited = [file::NOTIFY..file::IP, file::THREAD_DEP..file::MSG];
        let special =
            |at: u32| (file::CE..file::ACC).contains(&at) && !awaited.iter().any(|r| r.contains(&at));
        let sync = step.op.info().class == Class::Sync;
        let written = match step.dst.what {
            DestPlace::Direct(at) => Some(at),
            _ => None,
        };
        let read = step.src.iter().any(|s| matches!(s.what, Operand::Direct { at, .. } if special(at)));
        let lone = !sync && (read || written.is_some_and(special));
        let all = lone || matches!(step.op, Op::Call | Op::Calla | Op::Ret);
        let incomplete = self.issued.iter().zip(&self.complete).any(|(issued, complete)| issued > complete);
        let held = self.held;
        self.held = lone || held && sync && incomplete;
        let is_wrong = incomplete && (all || held) && step.op != Op::Illegal;
        is_wrong.then_some(if held {
            "follows an access to a control register"
        } else {
            "must run alone, and does"
        })
    }

    /// Goes on behind an instruction.
    pub(super) fn pass(
        &mut self,
        program: &Program,
        step: &Step,
        reads: &[(u32, u32)],
        writes: &[(u32, u32)],
    ) {
        let own = self.pipe(step);
        self.wait(step, own);
        self.whole_pipes(step);
        self.issue(step, own, Kind::of(program, step), reads, writes);
    }

    pub(super) fn name(&self, owner: Owner) -> String {
        match owner {
            Owner::Token(k, _) => format!("${k}"),
            Owner::InOrder(p, n) => {
                let name = if self.pipes.have_names() { ["F", "I", "L", "M"][usize::from(p)] } else { "" };
                format!("{name}@{}", self.issued[usize::from(p)] - n)
            }
            Owner::Untracked => "a message without a token".to_owned(),
            Owner::Nobody => String::new(),
        }
    }

    /// The first byte that is touched too early: how, and whose it is.
    pub(super) fn too_early(
        &self,
        kind: Option<Kind>,
        own: Option<usize>,
        reads: &Ranges,
        writes: &Ranges,
        by_word: bool,
    ) -> Option<(&'static str, u32, Owner)> {
        for b in reads.iter().flat_map(|&(at, len)| at..at + len) {
            let w = self.writer[as_index(b)];
            if w != Owner::Nobody && self.pending(w) {
                return Some(("reads", b, w));
            }
        }
        for b in writes.iter().flat_map(|&(at, len)| at..at + len) {
            let w = self.writer[as_index(b)];
            // In-order instructions of one pipe write in order, except for single bytes, which are
            // written with the word around them.
            let ordered =
                matches!((w, own), (Owner::InOrder(p, _), Some(q)) if usize::from(p) == q) && !by_word;
            if w != Owner::Nobody && !ordered && self.pending(w) {
                return Some(("overwrites", b, w));
            }
            if let Some(r) = self.reading(as_index(b), kind, own) {
                return Some(("overwrites a source still to be read in", b, r));
            }
        }
        None
    }

    /// Notes what is not complete yet when the next instruction starts.
    pub(super) fn issue(
        &mut self,
        step: &Step,
        own: Option<usize>,
        kind: Option<Kind>,
        reads: &[(u32, u32)],
        writes: &[(u32, u32)],
    ) {
        let bytes = |&(at, len): &(u32, u32)| as_index(at)..as_index(at + len);
        let class = step.op.info().class;
        let late = matches!(class, Class::Send | Class::Dpas | Class::Math) && own.is_none();
        let owner = match (step.swsb.sbid, own) {
            (_, Some(p)) => {
                self.issued[p] += 1;
                let n = self.issued[p];
                for b in reads.iter().flat_map(bytes) {
                    self.piped[b][p] = n;
                }
                Owner::InOrder(low_u8(p), n - 1)
            }
            (sbid, None) if late => {
                let k = match sbid {
                    Some((SbidMode::Set, k)) => usize::from(k) % TOKENS,
                    _ => UNTRACKED,
                };
                self.tokens[k].taken += 1;
                // What read these registers before, of the same kind, has done so when this has.
                let alike = |t: &Token| kind.is_some() && t.kind == kind;
                let same: u64 = (0..TOKENS).map(|j| u64::from(j != k && alike(&self.tokens[j])) << j).sum();
                for b in reads.iter().flat_map(bytes) {
                    self.readers[b] = self.readers[b] & !same | 1 << k;
                }
                let token = &mut self.tokens[k];
                token.kind = kind;
                if k == UNTRACKED {
                    Owner::Untracked
                } else {
                    token.reads.extend_from_slice(reads);
                    Owner::Token(low_u8(k), token.taken)
                }
            }
            _ => Owner::Nobody,
        };
        for b in writes.iter().flat_map(bytes) {
            self.writer[b] = owner;
            // A write waits for the readers before it, or comes behind them.
            self.readers[b] = 0;
            self.piped[b] = [0; PIPES];
        }
    }
}

/// The message that an instruction sends.
pub(super) fn message<'a>(program: &'a Program, step: &Step) -> Option<&'a Message> {
    match step.extra {
        Extra::Send(i) => Some(&program.messages[as_index(i)]),
        _ => None,
    }
}

/// Whether an instruction writes single bytes, which the hardware does with the word around them.
pub(super) fn by_word(program: &Program, step: &Step) -> bool {
    let is_alu = message(program, step).is_none();
    program.platform.caps().scoreboard.bytes_as_words && is_alu && step.dst.ty.bytes() == 1
}
