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
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
enum State {
    #[default]
    Running,
    /// Signalled the barrier and stands at the wait for it.
    AtBarrier,
    Done,
}

/// A thread's part in its group: what it does, and what it waits for.
#[derive(Clone, Default, Debug)]
pub(crate) struct Turn {
    state: State,
    /// A barrier message was sent and not yet waited for.
    signalled: bool,
    /// How often the barrier must have opened before the thread goes on.
    barrier: u64,
}

impl Turn {
    /// Whether the next instruction may run.
    #[inline]
    pub fn is_running(&self) -> bool {
        self.state == State::Running
    }

    pub fn is_done(&self) -> bool {
        self.state == State::Done
    }

    /// The thread ends.
    pub fn end(&mut self) {
        self.state = State::Done;
    }

    /// Tells the group that the thread has arrived; the last one opens the barrier.
    pub fn signal(&mut self, group: &mut Group) {
        self.signalled = true;
        self.barrier = group.opened + 1;
        group.arrived += 1;
        if group.arrived >= group.threads {
            group.arrived = 0;
            group.opened += 1;
        }
    }

    /// Waits for the barrier, if the thread has signalled it.
    pub fn wait(&mut self) {
        if self.signalled {
            self.state = State::AtBarrier;
        }
    }

    fn waits(&self) -> bool {
        self.state == State::AtBarrier
    }

    /// Whether it stands at the barrier, which has opened for it.
    fn may_go_on(&self, group: &Group) -> bool {
        self.waits() && group.opened >= self.barrier
    }

    /// It goes on behind the barrier.
    fn go_on(&mut self) {
        (self.state, self.signalled) = (State::Running, false);
    }
}

/// A thread of a group.
pub(crate) trait Member {
    fn part(&mut self) -> &mut Turn;
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
            if t.part().may_go_on(group(cx)) {
                t.part().go_on();
            }
            if t.part().is_running() {
                progress = true;
                turn(t, cx)?;
            }
            left |= !t.part().is_done();
        }
        if !left {
            return Ok(());
        }
        let group = group(cx);
        if !progress && !team.iter_mut().any(|t| t.part().may_go_on(group)) {
            let waiting = to_index(team.iter_mut().map(Member::part).filter(|part| part.waits()).count());
            return Err(Error::Deadlock { group: group.id, waiting, arrived: group.arrived });
        }
    }
}
