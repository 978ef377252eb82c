//! The checker: replays a placement and proves that no value is lost.
//!
//! It follows lanes through the control flow graph with two facts for each subrange of each variable:
//! *defined* (some write of it may have happened) and *lost* (defined, and since then another variable
//! was written to its registers). Reading a lost subrange is a fault. It knows nothing of live ranges:
//! all it shares with the allocator is the table of accesses and what that says of each variable.
//!
//! **Whose bytes.** A write under the mask gives the lanes that run their value, and leaves the bytes of the other lanes
//! as they were. So *lost* is kept three times, for three sets of bytes:
//! - the lane's own. Any write that is sure to happen makes them good again, if all accesses agree which bytes are a lane's;
//! - those of lanes that run elsewhere. A masked write makes them good only where all lanes run;
//! - those of any lane. Only a write without a mask makes them good.
//!
//! A read under the mask asks about the lane's own and, if it looks across lanes, those of lanes that run elsewhere; a read
//! without a mask asks about those of any lane.
//!
//! **What a block does not remember.** A variable of one block which is there written before it is read, subrange
//! by subrange and whatever the mask, has nothing from an earlier run of the block: not even in lanes that do not
//! run, whose bytes Intel's finalizer, too, takes for dead between the runs. Lowering's temporaries of one block
//! hold nothing where it starts, written under predicates or not: the vISA instruction that they serve is
//! carried out there from its start to its end. Within the block, all of the above holds for both.
//!
//! **Payloads.** Lowering copies values into payloads without a mask. If only messages under the mask read the
//! payload, each channel its own part, then what such a copy finds in the bytes of other lanes reaches nobody:
//! the table of accesses calls it a read of the lanes that run. Its write is of all.
//!
//! **Calls.** A return goes to the call that the lane came from. So a variable that neither the subroutine nor anything it
//! calls writes has the same facts behind the call as before it, but for subranges whose registers they write over. Facts
//! that other calls bring into the subroutine do not count.
//!
//! A lane that waits at a block `t` from a branch on loses what is written over while it waits: by any
//! block in the interval that [`Waits`](gen_ir::Waits) gives for `t`, and by subroutines called there.
//! Not so where both variables are *lane by lane* with one layout: each write is masked and puts channel `c` at byte
//! `pitch * (c % n)` of every `pitch * n` bytes, where the pitch is a word, a dword or a qword and the `n` channels are all of
//! the kernel's or the same half of them, no lane reads what another wrote, and both places are multiples of that: then the
//! write has no byte of a lane that waits. The start of a variable's life puts nothing anywhere. (On the way that the lane
//! itself goes, every write counts.)

mod places;

use crate::place::copies::bits_copied;
use crate::{
    Error,
    analysis::{
        access::{Access, Kind},
        accesses::Accesses,
        facts::LaneLayout,
        flow::Flow,
        history::History,
        subranges::{subrange_shift, touched},
    },
};
use gen_ir::{BlockId, Call, FileByte, Kernel, Op, VarClass, VarId, Virtual};
use narrow::as_index;
use typed_index_collections::{TiSlice, TiVec};

/// Facts about one variable, a bit per subrange.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct VarState {
    defined: u64,
    lost: [u64; 3],
}

/// Indices into [`VarState::lost`]: the bytes of the lane that is followed, of lanes that run elsewhere, of any lane.
const OWN: usize = 0;
const CROSS: usize = 1;
const ALL: usize = 2;

impl VarState {
    /// Another variable is written to these subranges.
    fn lose(&mut self, subranges: u64) {
        self.lost.iter_mut().for_each(|l| *l |= self.defined & subranges);
    }
}

/// Whether reads of a block are checked, or passed: what is known at its start may not be complete yet.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reads {
    Passed,
    Checked,
}

/// Lanes that a block's writes are looked at for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lanes {
    /// Those that wait while others run it.
    Waiting,
    /// Those that run it.
    Running,
}

/// A variable of which something may cross from block to block, by its place among those.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct CrossingId(u32);

narrow::index_type!(CrossingId);

/// Where a block starts or ends: of the variables that matter there.
type LaneState = TiVec<CrossingId, VarState>;

/// Subranges of such variables.
type Losses = Vec<(CrossingId, u64)>;

/// A variable of which nothing crosses from block to block.
const LOCAL: CrossingId = CrossingId(u32::MAX);

/// A call, as those see it who come back from it.
struct Called {
    /// Whether the subroutine, or one that it calls, may write each variable.
    written: TiVec<CrossingId, bool>,
    /// What they write over.
    lost: Losses,
    /// What is known where it is made, if lanes come there.
    before: Option<LaneState>,
}

struct Check<'a> {
    kernel: &'a Kernel<Virtual>,
    accesses: &'a Accesses,
    flow: &'a Flow,
    at: &'a TiSlice<VarId, Option<FileByte>>,
    /// Variables in each register, per file.
    sharers: [Vec<Vec<VarId>>; 3],
    reg_bytes: u32,
    /// Variables of which something may cross from block to block, and the place of each variable among
    /// them, or [`LOCAL`]. Of the many others a large kernel would keep facts for every block.
    crossing: TiVec<CrossingId, VarId>,
    place: TiVec<VarId, CrossingId>,
}

/// Checks that with the variables placed at `at`, every read finds what was written.
pub(crate) fn check(
    kernel: &Kernel<Virtual>,
    accesses: &Accesses,
    flow: &Flow,
    history: &History,
    at: &TiSlice<VarId, Option<FileByte>>,
) -> Result<(), Error> {
    let n = kernel.vars.len();
    let reg_bytes = u32::from(kernel.platform.caps().regs.grf_bytes);
    let mut c = Check {
        kernel,
        accesses,
        flow,
        at,
        sharers: Default::default(),
        reg_bytes,
        crossing: TiVec::new(),
        place: vec![LOCAL; n].into(),
    };
    for (v, var) in (0..).map(VarId).zip(&kernel.vars) {
        let Some(first) = at[v] else { continue };
        if var.fixed.is_some_and(|fixed| fixed != first) {
            return Err(Error::Unsound(format!("variable {} is at byte {first}, not in its place", v.0)));
        }
        let file = &mut c.sharers[var.class.index()];
        for r in first.bytes() / reg_bytes..(first.bytes() + var.bytes).div_ceil(reg_bytes) {
            if file.len() <= as_index(r) {
                file.resize(as_index(r) + 1, Vec::new());
            }
            file[as_index(r)].push(v);
        }
    }
    c.find_crossing(history);
    c.run()
}

impl Check<'_> {
    /// Finds the variables whose facts at the start of a block may change what a read finds. Two kinds are left out: what
    /// lowering and spilling made for one block, and variables of one block that the block writes before it reads them,
    /// subrange by subrange.
    fn find_crossing(&mut self, history: &History) {
        let n = self.kernel.vars.len();
        let facts = &self.accesses.facts;
        let mut settled: TiVec<VarId, u64> = vec![0; n].into();
        let mut crosses: TiVec<VarId, bool> = facts.iter().map(|f| f.in_many()).collect();
        for b in 0..self.kernel.blocks.len() {
            for a in self.accesses.of_block(b) {
                let (v, fact) = (a.var, &facts[a.var]);
                if a.kind.has(Kind::READ) {
                    crosses[v] |= fact.needed(a) & !settled[v] != 0 && !fact.is_temporary_of(b.into());
                } else {
                    settled[v] |= fact.covers(a);
                }
            }
        }
        for v in crosses.keys().filter(|&v| crosses[v] && !history.is_split(v)) {
            self.place[v] = self.crossing.push_and_get_key(v);
        }
    }

    fn run(&self) -> Result<(), Error> {
        let blocks = self.kernel.blocks.len();
        let losses = self.block_losses(Lanes::Waiting);
        // On its own way a lane loses what anything is written over.
        let losses_called =
            if self.flow.calls().is_empty() { Vec::new() } else { self.block_losses(Lanes::Running) };
        let waiting: Vec<(BlockId, BlockId, Losses)> = self
            .flow
            .waits
            .iter()
            .map(|(t, s)| (t, s, merge(losses[s.index()..t.index()].iter().flatten().copied())))
            .collect();
        let mut entry: Vec<Option<LaneState>> = vec![None; blocks];
        let defined = |&v: &VarId| if self.kernel.vars[v.index()].live_in { u64::MAX } else { 0 };
        let first = self.crossing.iter().map(|v| VarState { defined: defined(v), lost: [0; 3] }).collect();
        // What is known inside of a block, by variable.
        let mut inside = vec![VarState::default(); self.kernel.vars.len()].into();
        if blocks > 0 {
            entry[0] = Some(first);
        }
        let mut calls: Vec<Called> =
            self.flow.calls().iter().map(|c| self.called(c, &losses_called)).collect();
        let mut dirty = vec![false; blocks];
        if let Some(d) = dirty.first_mut() {
            *d = true;
        }
        // Facts only grow, so this ends.
        while dirty.iter().any(|d| *d) {
            for b in 0..blocks {
                if !std::mem::take(&mut dirty[b]) {
                    continue;
                }
                let Some(mut state) = entry[b].clone() else { continue };
                self.block(b, &mut state, &mut inside, Reads::Passed)?;
                if let Some(c) = self.flow.calls().iter().position(|c| c.site.index() == b)
                    && join(&mut calls[c].before, &state)
                {
                    dirty[self.flow.calls()[c].callee()].fill(true);
                }
                for s in self.flow.succs(b.into()) {
                    let Some(out) = self.along(b.into(), s, &state, &waiting, &losses, &calls) else {
                        continue;
                    };
                    dirty[s.index()] |= join(&mut entry[s.index()], &out);
                }
            }
        }
        for (b, state) in entry.iter().enumerate() {
            if let Some(state) = state {
                self.block(b, &mut state.clone(), &mut inside, Reads::Checked)?;
            }
        }
        Ok(())
    }

    /// The state of lanes that go from `b` to `s`; none if no lane does.
    fn along(
        &self,
        b: BlockId,
        s: BlockId,
        state: &LaneState,
        waiting: &[(BlockId, BlockId, Losses)],
        losses: &[Losses],
        calls: &[Called],
    ) -> Option<LaneState> {
        let mut out = state.clone();
        // A return goes to one call only.
        let returns = |c: &Call| c.is_inside(b) && c.site.next() == s && !c.is_inside(s);
        if let Some(c) = self.flow.calls().iter().position(returns) {
            let Called { written, lost, before } = &calls[c];
            let mut passing = before.clone()?;
            lose(&mut passing, lost);
            for (f, (known, _)) in out.iter_mut().zip(passing.iter().zip(written)).filter(|f| !f.1.1) {
                *f = *known;
            }
        }
        if let Some(call) = self.flow.calls().iter().find(|c| c.site == b)
            && s == b.next()
        {
            // All lanes call: they come back by the return.
            if call.whole {
                return None;
            }
            for l in &losses[call.callee()] {
                lose(&mut out, l);
            }
        }
        // Lanes that jump over blocks wait for the others to run those.
        if s > b.next()
            && let Ok(i) = waiting.binary_search_by_key(&s, |w| w.0)
            && waiting[i].1 <= b.next()
        {
            lose(&mut out, &waiting[i].2);
        }
        // Lanes that leave a loop at its end wait for those that go on.
        if s == b.next()
            && let Ok(i) = waiting.binary_search_by_key(&s, |w| w.0)
            && self.flow.succs(b).any(|h| h <= b)
        {
            lose(&mut out, &waiting[i].2);
        }
        Some(out)
    }

    /// What there is to know of a call before anything is known of the way there.
    fn called(&self, call: &Call, losses: &[Losses]) -> Called {
        let mut written: TiVec<CrossingId, bool> = vec![false; self.crossing.len()].into();
        let mut work = vec![call.callee()];
        let mut done: Vec<usize> = Vec::new();
        while let Some(blocks) = work.pop() {
            if done.contains(&blocks.start) {
                continue;
            }
            done.push(blocks.start);
            for b in blocks.clone() {
                for a in self.accesses.of_block(b).iter().filter(|a| a.kind.has(Kind::WRITE)) {
                    if let Some(w) = written.get_mut(self.place[a.var]) {
                        *w = true;
                    }
                }
            }
            let inner = self.flow.calls().iter().filter(|c| blocks.contains(&c.site.index()));
            work.extend(inner.map(Call::callee));
        }
        let lost = merge(losses[call.callee()].iter().flatten().copied());
        Called { written, lost, before: None }
    }

    /// Runs a block. `reads`: whether they are checked. `inside` is memory: nothing is known of any variable.
    fn block(
        &self,
        b: usize,
        state: &mut LaneState,
        inside: &mut TiVec<VarId, VarState>,
        reads: Reads,
    ) -> Result<(), Error> {
        for (&v, f) in self.crossing.iter().zip(&*state) {
            inside[v] = *f;
        }
        self.walk(b, inside, reads)?;
        for a in self.accesses.of_block(b).iter().filter(|a| self.place[a.var] == LOCAL) {
            inside[a.var] = VarState::default();
        }
        for (&v, f) in self.crossing.iter().zip(state) {
            *f = inside[v];
        }
        Ok(())
    }

    fn walk(&self, b: usize, state: &mut TiSlice<VarId, VarState>, reads: Reads) -> Result<(), Error> {
        let divergent = self.flow.parted[b];
        let insts = &self.kernel.blocks[b].insts;
        for (i, inst) in self.accesses.block(b).zip(insts) {
            let all = self.accesses.of(i);
            let copies = inst.op == Op::Mov && bits_copied(inst).is_some();
            let writes = || all.iter().filter(|a| a.kind.has(Kind::WRITE));
            if reads == Reads::Checked {
                for a in all.iter().filter(|a| a.kind.has(Kind::READ)) {
                    let shift = subrange_shift(&self.kernel.vars[a.var.index()]);
                    let whose = match a.kind {
                        k if !k.has(Kind::MASKED) => ALL,
                        k if k.has(Kind::CROSS) => CROSS,
                        _ => OWN,
                    };
                    if state[a.var].lost[whose] & touched(a, shift) != 0 {
                        return Err(self.fault(b, i, a, "reads what was written over"));
                    }
                    let early = |w: &&Access| w.kind.has(Kind::EARLY) && self.meet(a, w);
                    if writes().filter(early).any(|w| !self.in_place(a, w, copies)) {
                        return Err(self.fault(b, i, a, "is written before it is read to the end"));
                    }
                }
            }
            for w in writes() {
                self.lost_by(w, |v, subranges| state[v].lose(subranges));
            }
            for w in writes() {
                let shift = subrange_shift(&self.kernel.vars[w.var.index()]);
                let f = &mut state[w.var];
                f.defined |= touched(w, shift);
                let fact = &self.accesses.facts[w.var];
                f.lost[OWN] &= !fact.kills_own(w, divergent);
                if !w.kind.has(Kind::MASKED) {
                    f.lost[CROSS] &= !fact.covers(w);
                    f.lost[ALL] &= !fact.covers(w);
                } else if !divergent {
                    f.lost[CROSS] &= !fact.kills_own(w, divergent);
                }
            }
        }
        Ok(())
    }

    fn fault(&self, b: usize, i: usize, a: &Access, what: &str) -> Error {
        let at = i - self.accesses.block(b).start;
        let inst = &self.kernel.blocks[b].insts[at];
        Error::Unsound(format!(
            "block {b}, instruction {at} `{inst}` {what}: variable {} at byte {}",
            a.var.0,
            self.first_byte(a.var)
        ))
    }
}

fn merge(all: impl Iterator<Item = (CrossingId, u64)>) -> Losses {
    let mut all: Losses = all.collect();
    all.sort_unstable_by_key(|x| x.0);
    all.dedup_by(|x, kept| {
        let same = x.0 == kept.0;
        if same {
            kept.1 |= x.1;
        }
        same
    });
    all
}

fn lose(state: &mut LaneState, losses: &Losses) {
    losses.iter().for_each(|&(v, subranges)| state[v].lose(subranges));
}

/// Adds facts to those at a block's entry; whether that was news.
fn join(to: &mut Option<LaneState>, from: &LaneState) -> bool {
    let Some(to) = to else {
        *to = Some(from.clone());
        return true;
    };
    let mut changed = false;
    for (a, b) in to.iter_mut().zip(from) {
        let lost = std::array::from_fn(|i| a.lost[i] | b.lost[i]);
        let new = VarState { defined: a.defined | b.defined, lost };
        changed |= new != *a;
        *a = new;
    }
    changed
}
