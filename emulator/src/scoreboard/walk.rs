//! A thread's way through the known ones, and off them.

use super::{
    board::{by_word, message},
    footprint::{enabled, touched},
    paths::NONE,
    state::{Kind, Ranges, START, Software, Walk},
};
use crate::{
    messages::Cx,
    program::{DescFrom, DestPlace, Operand, Step},
    report::Fault,
    thread::{Thread, Trap},
};

/// Whether the registers that an instruction touches follow from its place and its channels.
fn is_fixed(cx: &Cx<'_>, step: &Step) -> bool {
    match message(cx.program, step) {
        Some(m) => matches!(m.desc, DescFrom::Imm(_)),
        None => {
            !matches!(step.dst.what, DestPlace::Indirect { .. })
                && !step.src.iter().any(|s| matches!(s.what, Operand::Indirect { .. }))
        }
    }
}

impl Walk {
    pub(super) fn step(&mut self, t: &Thread, cx: &mut Cx<'_>, step: &Step) -> Result<(), Trap> {
        // Messages that are sent touch whole registers for any channels.
        let whole = message(cx.program, step).is_some() && !t.is_unsent(step);
        let on = if whole { u32::MAX } else { enabled(t, step) };
        let is_fixed = is_fixed(cx, step);
        // A thread that has left the known ways keeps a board of its own up to the next jump, and only then looks for them
        // again.
        if is_fixed
            && (self.board.is_none() || cx.learned.paths.is_root(self.at))
            && let Some(next) = cx.learned.paths.next(self.at, t.pc, on, None)
        {
            self.go_on(cx, next);
            return Ok(());
        }
        let (reads, writes) = touched(t, cx.program, step, on)?;
        let known = cx.learned.paths.next(self.at, t.pc, on, Some((&reads, &writes)));
        if let Some(next) = known
            && self.board.is_none()
        {
            self.at = next;
            return Ok(());
        }
        let mut board = match self.board.take() {
            Some(board) => board,
            None => Box::new(cx.learned.paths.board(cx.program, self.at)),
        };
        let is_clean = board.check(t, cx, step, &reads, &writes);
        self.at = match known {
            _ if !is_clean => NONE,
            Some(next) => next,
            None => cx.learned.paths.add(self.at, t.pc, on, &reads, &writes),
        };
        self.board = Some(board);
        Ok(())
    }

    /// Goes on at a node, without a board.
    fn go_on(&mut self, cx: &mut Cx<'_>, node: u32) {
        self.at = node;
        if let Some(board) = self.board.take() {
            cx.learned.paths.give_back(*board);
        }
    }

    pub(super) fn jumped(&mut self, cx: &mut Cx<'_>) {
        if self.board.is_none()
            && let Some(root) = cx.learned.paths.jump(self.at)
        {
            self.at = root;
            return;
        }
        let mut board = match self.board.take() {
            Some(board) => board,
            None => Box::new(cx.learned.paths.board(cx.program, self.at)),
        };
        board.complete = board.issued;
        self.at = cx.learned.paths.jumped(self.at, &board);
        self.board = Some(board);
    }

    pub(super) fn forget(&mut self, cx: &mut Cx<'_>) {
        self.go_on(cx, START);
    }
}

impl Software {
    /// Goes on behind an instruction, and reports what comes too early; whether nothing does.
    fn check(&mut self, t: &Thread, cx: &mut Cx<'_>, step: &Step, reads: &Ranges, writes: &Ranges) -> bool {
        let own = self.pipe(step);
        self.wait(step, own);
        let wrong = self.whole_pipes(step);
        if let Some(why) = wrong {
            cx.report(t, Fault::Hazard, || format!("{why} before the pipes are empty"));
        }
        let kind = Kind::of(cx.program, step);
        let found = self.too_early(kind, own, reads, writes, by_word(cx.program, step));
        if let Some((what, byte, owner)) = found {
            let (reg, sub) = (byte / cx.program.grf, byte % cx.program.grf);
            cx.report(t, Fault::Hazard, || {
                format!("{what} r{reg} byte {sub} before {} is done", self.name(owner))
            });
        }
        self.issue(step, own, kind, reads, writes);
        wrong.is_none() && found.is_none()
    }
}
