//! Threads that run as a pair on two execution units, as their hardware does it wrongly.
//!
//! Both threads of such a pair have one instruction pointer. A mask of two bits, the fused mask, says for which of them
//! instructions without a mask run. It should lose a thread's bit when the last of its channels goes elsewhere, and does not
//! when the other bit is gone already: from then on, up to where the threads are together again, the thread runs what ignores
//! the mask wherever the pair goes, while none of its channels is on (Intel, visa/SWWA.cpp, the page "NoMask WA" on top of
//! `prepareNoMaskWA`, and `findNestedDivergentBBs` in visa/FlowGraph.cpp: `Wa_1808850743`).
//!
//! What the other thread does is not known here. So the worst is assumed: it had left before, wherever it can have, and goes
//! through all code up to where this thread's channels wait, and through each loop on its way twice. That is one way of many,
//! but each instruction there is run.

use crate::program::{NOWHERE, Pc};

/// What is known of a thread's fused mask.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pair {
    region: Region,
    /// The same of the callers. When a call returns, all channels that made it are back, so both bits are what they were.
    callers: Vec<Region>,
    /// Channels that would have to go on for the thread to count as on again; none while it counts as on.
    off: u32,
    /// The calls that the thread runs without a channel.
    returns: Vec<Return>,
    /// Backward branches that it has taken so, and places behind calls that it has made: each once.
    repeated: Vec<Pc>,
}

/// Where a call returns to that the thread runs without a channel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Return {
    /// The place behind the call.
    pub back: Pc,
    /// The channels of the call around it.
    pub called: u32,
    region: Region,
}

/// Up to where the threads of the pair may have parted.
#[derive(Clone, Copy, Debug, Default)]
struct Region {
    /// The other thread may be elsewhere before this place.
    divergent: Pc,
    /// Before this one both may be, one after the other.
    nested: Pc,
    /// The bit was not taken away when it should have been.
    wrong: bool,
}

impl Pair {
    /// The pointer is at `pc`, in a loop whose end lies before `loop_end` (0 for none).
    pub fn arrive(&mut self, pc: Pc, loop_end: Pc) {
        let r = &mut self.region;
        if r.nested <= pc {
            r.nested = 0;
        }
        if r.divergent <= pc {
            *r = Region::default();
        }
        r.divergent = r.divergent.max(loop_end);
    }

    /// Channels may go on at `to`, behind `pc`, from here.
    pub fn part(&mut self, pc: Pc, to: Pc) {
        if to == NOWHERE || to <= pc + 1 {
            return;
        }
        let r = &mut self.region;
        if r.divergent != 0 {
            r.nested = r.nested.max(to);
        }
        r.divergent = r.divergent.max(to);
    }

    /// The last channel of `width` has gone. Returns whether the thread runs on without one.
    pub fn leave(&mut self, width: u32) -> bool {
        if self.region.nested == 0 && !self.region.wrong {
            return false;
        }
        self.region.wrong = true;
        self.off = width;
        true
    }

    /// Whether the thread runs without a channel.
    pub fn is_off(&self) -> bool {
        self.off != 0
    }

    /// Channels `active` are on.
    pub fn wake(&mut self, active: u32) {
        if self.off & active != 0 {
            self.off = 0;
            self.returns.clear();
            self.repeated.clear();
        }
    }

    /// Some channels call, `part` of those that are on.
    pub fn call(&mut self, part: bool) {
        let Region { divergent, nested, wrong } = self.region;
        self.callers.push(self.region);
        let nested = nested != 0 || wrong || divergent != 0 && part;
        let end = |whether: bool| if whether { Pc::MAX } else { 0 };
        self.region = Region { divergent: end(divergent != 0 || part), nested: end(nested), wrong };
    }

    /// They come back.
    pub fn ret(&mut self) {
        self.region = self.callers.pop().unwrap_or_default();
    }

    /// Whether a thread without a channel goes back at `pc`: its pair may run a loop on.
    pub fn goes_back(&mut self, pc: Pc) -> bool {
        let goes = self.off != 0 && !self.repeated.contains(&pc);
        if goes {
            self.repeated.push(pc);
        }
        goes
    }

    /// Whether a thread without a channel makes a call that returns to `back`: once, since functions may call each other
    /// without end. `called` are the channels of the call that it is in.
    pub fn calls(&mut self, back: Pc, called: u32) -> bool {
        let calls = self.off != 0 && !self.repeated.contains(&back);
        if calls {
            self.repeated.push(back);
            self.returns.push(Return { back, called, region: self.region });
            // The threads are not together again anywhere in the callee.
            self.region = Region { divergent: Pc::MAX, nested: Pc::MAX, ..self.region };
        }
        calls
    }

    /// Such a call returns: where to?
    pub fn ret_off(&mut self) -> Option<Return> {
        let call = self.returns.pop()?;
        self.region = call.region;
        Some(call)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A thread that lost its channels between two branches, which meet again at 20 and at 30.
    fn off() -> Pair {
        let mut pair = Pair::default();
        pair.arrive(1, 0);
        pair.part(1, 20);
        pair.part(2, 30);
        assert!(pair.leave(0xff));
        pair
    }

    #[test]
    fn a_callee_behind_the_threads_meeting_is_not_where_they_meet() {
        let mut pair = off();
        assert!(pair.calls(4, u32::MAX));
        pair.arrive(100, 0);
        assert_eq!(pair.ret_off().map(|call| (call.back, call.called)), Some((4, u32::MAX)));
        pair.arrive(4, 0);
        assert!(pair.leave(0xff), "the thread runs on where it ran before the call");
        pair.arrive(30, 0);
        assert!(!pair.leave(0xff), "the threads are together again");
    }

    #[test]
    fn a_call_is_made_once_until_a_channel_is_on_again() {
        let mut pair = off();
        assert!(pair.calls(4, u32::MAX));
        assert!(pair.ret_off().is_some());
        assert!(!pair.calls(4, u32::MAX));
        pair.wake(1);
        assert!(pair.leave(0xff));
        assert!(pair.calls(4, u32::MAX));
    }
}
