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
//! after read between pipes; write after read not between messages to one function that are sent for the
//! same channels: those read their sources in order).
//!
//! Threads of a kernel mostly do the same, so what was right on a way through the code is kept ([`paths`]): a thread that goes
//! the same way touches the same registers, and nothing is worked out again ([`walk`]).
//!
//! On Gen8 to Gen11 the hardware tracks dependencies, and `NoDDClr` and `NoDDChk` switch parts of that
//! off; used wrongly they make a thread wait forever, or not at all.

mod board;
mod control;
mod footprint;
mod paths;
mod state;
mod walk;

use crate::{
    messages::Cx,
    program::{Program, Step},
    thread::{Thread, Trap},
};
use control::dependency_control;
pub(crate) use paths::Paths;
pub(crate) use state::Scoreboard;
use state::{Held, Walk};

impl Scoreboard {
    pub(crate) fn new(program: &Program) -> Option<Scoreboard> {
        let scoreboard = program.platform.caps().scoreboard;
        if scoreboard.software {
            return Some(Scoreboard::Software(Walk::default()));
        }
        scoreboard.no_dd.then(|| Scoreboard::DependencyControl(Held::default()))
    }

    /// A branch went elsewhere: by the time the thread fetches again, its in-order pipes are empty.
    pub(crate) fn jumped(&mut self, cx: &mut Cx<'_>) {
        if let Scoreboard::Software(walk) = self {
            walk.jumped(cx);
        }
    }

    /// The thread is at its end, where what it held may be used again, or past something that may have waited for all.
    pub(crate) fn forget(&mut self, cx: &mut Cx<'_>) {
        if let Scoreboard::Software(walk) = self {
            walk.forget(cx);
        }
    }

    /// Checks an instruction about to run and notes what it leaves pending.
    pub(crate) fn step(&mut self, t: &Thread, cx: &mut Cx<'_>, step: &Step) -> Result<(), Trap> {
        match self {
            Scoreboard::Software(walk) => walk.step(t, cx, step),
            Scoreboard::DependencyControl(held) => dependency_control(held, t, cx, step),
        }
    }
}
