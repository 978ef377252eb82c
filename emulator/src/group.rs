//! A work group: its threads have turns until all are done, and wait for each other at the barrier.
//!
//! Those that run machine code and those of the vISA interpreter do so alike.

use crate::Error;
use narrow::to_index;

/// A work group's shared state.
#[derive(Clone, Debug, Default)]
pub(crate) struct Group {
    pub id: [u32; 3],
    pub slm: Vec<u8>,
    pub threads: u32,
    /// Threads that have signalled the barrier, and how often it has opened.
    pub arrived: u32,
    pub opened: u64,
}

/// What a thread is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum State {
    Running,
    /// Signalled the barrier and stands at the wait for it.
    AtBarrier,
    Done,
}

/// A thread of a group.
pub(crate) trait Member {
    fn state(&self) -> State;

    /// How often the barrier has to have opened before it goes on.
    fn barrier(&self) -> u64;

    /// It goes on behind the barrier.
    fn go_on(&mut self);

    /// Whether it stands at the barrier, which has opened for it.
    fn may_go_on(&self, group: &Group) -> bool {
        self.state() == State::AtBarrier && group.opened >= self.barrier()
    }
}

/// Gives each thread its turn, until all are done.
pub(crate) fn run_group<T: Member, C>(
    team: &mut [T],
    cx: &mut C,
    group: impl Fn(&C) -> &Group,
    mut turn: impl FnMut(&mut T, &mut C) -> Result<(), Error>,
) -> Result<(), Error> {
    loop {
        let mut progress = false;
        let mut left = false;
        for t in team.iter_mut() {
            if t.may_go_on(group(cx)) {
                t.go_on();
            }
            if t.state() == State::Running {
                progress = true;
                turn(t, cx)?;
            }
            left |= t.state() != State::Done;
        }
        if !left {
            return Ok(());
        }
        let group = group(cx);
        if !progress && !team.iter().any(|t| t.may_go_on(group)) {
            let waiting = to_index(team.iter().filter(|t| t.state() == State::AtBarrier).count());
            return Err(Error::Deadlock { group: group.id, waiting, arrived: group.arrived });
        }
    }
}
