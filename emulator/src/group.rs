//! A work group: its threads have turns until all are done, and wait for each other at barriers.
//!
//! Those that run machine code and those of the vISA interpreter do so alike.

use crate::Error;
use narrow::{low_u32, to_index};

/// Barriers of a group (vISA specification, "NBARRIER"). `barrier` is the first.
pub(crate) const BARRIERS: usize = 32;

/// A work group's shared state.
#[derive(Clone, Debug, Default)]
pub(crate) struct Group {
    pub id: [u32; 3],
    pub slm: Vec<u8>,
    pub threads: u32,
    pub barriers: [Barrier; BARRIERS],
}

/// Who has signalled a barrier since it opened last, and how often it has opened.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Barrier {
    produced: u32,
    consumed: u32,
    opened: u64,
}

/// Which barrier a thread signals, as what, and how many threads have to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Signal {
    id: u8,
    produces: bool,
    consumes: bool,
    producers: u32,
    consumers: u32,
}

impl Signal {
    /// All threads of a group wait for each other.
    pub fn of_all(threads: u32) -> Signal {
        Signal { id: 0, produces: true, consumes: true, producers: threads, consumers: threads }
    }

    /// Number, kind (both, producer, consumer), threads that produce, threads that consume; `None` where there is no such
    /// barrier.
    pub fn named([id, kind, producers, consumers]: [u64; 4]) -> Option<Signal> {
        let id = u8::try_from(id).ok().filter(|id| usize::from(*id) < BARRIERS)?;
        let (produces, consumes) = match kind {
            0 => (true, true),
            1 => (true, false),
            2 => (false, true),
            _ => return None,
        };
        let [producers, consumers] = [producers, consumers].map(low_u32);
        Some(Signal { id, produces, consumes, producers, consumers })
    }
}

/// What a thread is doing.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
enum State {
    #[default]
    Running,
    /// Signalled a barrier and stands at the wait for it.
    AtBarrier(u8),
    Done,
}

/// A thread's part in its group: what it does, and what it waits for.
#[derive(Clone, Default, Debug)]
pub(crate) struct Turn {
    state: State,
    /// Barriers that the thread has signalled and not yet waited for, a bit each.
    signalled: u32,
    /// How often each of them must have opened before the thread goes on.
    barriers: [u64; BARRIERS],
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
    pub fn signal(&mut self, group: &mut Group, signal: Signal) {
        let id = usize::from(signal.id);
        let barrier = &mut group.barriers[id];
        if signal.consumes {
            self.signalled |= 1 << id;
            self.barriers[id] = barrier.opened + 1;
        }
        barrier.produced += u32::from(signal.produces);
        barrier.consumed += u32::from(signal.consumes);
        if barrier.produced >= signal.producers && barrier.consumed >= signal.consumers {
            *barrier = Barrier { opened: barrier.opened + 1, ..Barrier::default() };
        }
    }

    /// Waits for a barrier, if the thread has signalled it and does not only produce.
    pub fn wait(&mut self, id: u64) {
        if let Some(id) = u8::try_from(id).ok().filter(|id| usize::from(*id) < BARRIERS)
            && self.signalled >> id & 1 != 0
        {
            self.state = State::AtBarrier(id);
        }
    }

    fn waits(&self) -> bool {
        matches!(self.state, State::AtBarrier(_))
    }

    /// Whether it stands at a barrier that has opened for it.
    fn may_go_on(&self, group: &Group) -> bool {
        match self.state {
            State::AtBarrier(id) => group.barriers[usize::from(id)].opened >= self.barriers[usize::from(id)],
            _ => false,
        }
    }

    /// It goes on behind the barrier.
    fn go_on(&mut self) {
        if let State::AtBarrier(id) = self.state {
            self.signalled &= !(1 << id);
        }
        self.state = State::Running;
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
            let arrived = group.barriers.iter().map(|b| b.produced.max(b.consumed)).sum();
            return Err(Error::Deadlock { group: group.id, waiting, arrived });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Group, Signal, Turn};

    #[test]
    fn who_only_produces_waits_for_nobody() {
        let (mut group, mut producer, mut consumer) = (Group::default(), Turn::default(), Turn::default());
        let signal = |kind| Signal::named([3, kind, 2, 1]).expect("a barrier");
        producer.signal(&mut group, signal(1));
        producer.wait(3);
        assert!(producer.is_running());
        consumer.signal(&mut group, signal(2));
        consumer.wait(0);
        assert!(consumer.is_running(), "of another barrier");
        consumer.wait(3);
        assert!(!consumer.is_running() && !consumer.may_go_on(&group));
        producer.signal(&mut group, signal(1));
        assert!(consumer.may_go_on(&group));
    }

    #[test]
    fn there_are_so_many_barriers_and_kinds() {
        assert!(Signal::named([31, 2, 1, 1]).is_some());
        assert!(Signal::named([32, 2, 1, 1]).is_none());
        assert!(Signal::named([0, 3, 1, 1]).is_none());
    }
}
