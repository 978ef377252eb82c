//! Subroutines, and what one variable has to do with them.
//!
//! A return goes to the one call that it comes from. So a variable that a subroutine, with those it calls, never
//! writes is behind a call what it was before: it passes by the subroutine, and other calls of that learn nothing
//! of it. What the subroutine writes goes through it, from every call and to every call.

use crate::analysis::flow::Flow;
use gen_ir::{BlockId, Call, Kernel, Op, VarId, Virtual};
use narrow::{as_index, to_index};

const NONE: u32 = u32::MAX;

/// The subroutines of a kernel, by number, and marks for one variable in turn.
#[derive(Default)]
pub(crate) struct Routines {
    /// The first block of each, sorted, and one past its last.
    blocks: Vec<(BlockId, BlockId)>,
    /// The calls of each as (subroutine, call's number), sorted.
    by_routine: Vec<(u32, u32)>,
    /// By call: the subroutine that it calls.
    callee: Vec<u32>,
    /// By call: the subroutine that the call stands in, if it stands in one.
    caller: Vec<u32>,
    /// Whether all lanes make the call.
    whole: Vec<bool>,
    /// By block: whether it ends with a return.
    returns: Vec<bool>,
    /// By block: the call that it goes on behind.
    behind: Vec<Option<u32>>,
    /// By subroutine: the last variable, of those looked at so far, that it may write.
    written: Vec<VarId>,
    /// By subroutine: the last variable for which it was visited.
    passed: Vec<VarId>,
    work: Vec<u32>,
}

impl Routines {
    /// Looks at a kernel; forgets the one before.
    pub fn find(&mut self, kernel: &Kernel<Virtual>, flow: &Flow) {
        let calls = flow.calls();
        let Routines { blocks, by_routine, callee, caller, whole, returns, behind, .. } = self;
        blocks.clear();
        blocks.extend(calls.iter().map(|c| (c.entry, c.end)));
        blocks.sort_unstable();
        blocks.dedup();
        callee.clear();
        callee.extend(calls.iter().map(|c| to_index(blocks.partition_point(|r| r.0 < c.entry))));
        let of_block = |b: BlockId| {
            let after = blocks.partition_point(|r| r.0 <= b);
            blocks[..after].last().filter(|r| b < r.1).map_or(NONE, |_| to_index(after) - 1)
        };
        caller.clear();
        caller.extend(calls.iter().map(|c| of_block(c.site)));
        by_routine.clear();
        by_routine.extend(callee.iter().zip(0..).map(|(&r, c)| (r, c)));
        by_routine.sort_unstable();
        whole.clear();
        whole.extend(calls.iter().map(|c| c.whole));
        returns.clear();
        behind.clear();
        if !calls.is_empty() {
            let all = kernel.blocks.iter();
            returns.extend(all.map(|b| b.insts.last().is_some_and(|i| i.op == Op::Ret)));
            behind.resize(kernel.blocks.len(), None);
            for (call, c) in calls.iter().zip(0..) {
                // Nothing is behind a call in the last block.
                if let Some(next) = behind.get_mut(call.site.next().index()) {
                    *next = Some(c);
                }
            }
        }
        for marks in [&mut self.written, &mut self.passed] {
            marks.clear();
            marks.resize(self.blocks.len(), VarId(NONE));
        }
    }

    /// Whether there are any.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// Says which blocks write variable `v`: then that is written in their subroutines, and in those that call
    /// them.
    pub fn note_writes(&mut self, v: VarId, blocks: impl Iterator<Item = BlockId>) {
        for b in blocks {
            let after = self.blocks.partition_point(|r| r.0 <= b);
            if after == 0 || b >= self.blocks[after - 1].1 {
                continue;
            }
            self.work.push(to_index(after) - 1);
            while let Some(r) = self.work.pop() {
                if std::mem::replace(&mut self.written[as_index(r)], v) == v {
                    continue;
                }
                let first = self.by_routine.partition_point(|c| c.0 < r);
                let calls = self.by_routine[first..].iter().take_while(|c| c.0 == r);
                self.work.extend(calls.map(|c| self.caller[as_index(c.1)]).filter(|&r| r != NONE));
            }
        }
    }

    /// The call that block `b` goes on behind.
    pub fn call_before(&self, b: BlockId) -> Option<u32> {
        *self.behind.get(b.index())?
    }

    /// Whether variable `v`, needed behind call `c` in block `b`, is needed where its predecessor `p` ends.
    pub fn comes_from(&self, v: VarId, c: u32, (p, b): (BlockId, BlockId)) -> bool {
        let through = self.written[as_index(self.callee[as_index(c)])] == v;
        if p.next() == b { !through || !self.whole[as_index(c)] } else { through || !self.returns[p.index()] }
    }

    /// Calls back with the blocks of all subroutines that run during call `c`, if variable `v` passes them by.
    pub fn pass(&mut self, v: VarId, c: u32, flow: &Flow, mut f: impl FnMut(std::ops::Range<BlockId>)) {
        let callee = self.callee[as_index(c)];
        if self.written[as_index(callee)] == v {
            return;
        }
        self.work.push(callee);
        // Subroutines that call each other tend to stand side by side: together they are one range.
        let mut all = BlockId::FIRST..BlockId::FIRST;
        while let Some(r) = self.work.pop() {
            if std::mem::replace(&mut self.passed[as_index(r)], v) == v {
                continue;
            }
            let (first, end) = self.blocks[as_index(r)];
            if first == all.end {
                all.end = end;
            } else if end == all.start {
                all.start = first;
            } else {
                if !all.is_empty() {
                    f(all);
                }
                all = first..end;
            }
            let inner = flow.calls().partition_point(|c| c.site < first);
            let calls = flow.calls()[inner..].iter().zip(&self.callee[inner..]);
            let calls = calls.take_while(|(c, _)| c.site < end);
            self.work.extend(calls.map(|(_, &callee)| callee));
        }
        if !all.is_empty() {
            f(all);
        }
    }
}

/// A call that makes more than `most` return addresses be kept at a time: each subroutine on the way to it keeps its
/// own.
pub(crate) fn too_deep(flow: &Flow, most: usize) -> Option<Call> {
    let calls = flow.calls();
    if calls.len() <= most {
        return None;
    }
    let mut routines: Vec<(BlockId, BlockId)> = calls.iter().map(|c| (c.entry, c.end)).collect();
    routines.sort_unstable();
    routines.dedup();
    let number = |c: &Call| routines.partition_point(|r| r.0 < c.entry);
    let inside = |(entry, end): (BlockId, BlockId)| {
        let from = calls.partition_point(|c| c.site < entry);
        &calls[from..from + calls[from..].partition_point(|c| c.site < end)]
    };
    // From outer to inner subroutines, each when all calls of it in others have been seen; in a circle, never.
    let (mut depth, mut unseen) = (vec![1; routines.len()], vec![0u32; routines.len()]);
    for &routine in &routines {
        inside(routine).iter().for_each(|c| unseen[number(c)] += 1);
    }
    let mut work: Vec<usize> = (0..routines.len()).filter(|&r| unseen[r] == 0).collect();
    while let Some(r) = work.pop() {
        for call in inside(routines[r]) {
            let callee = number(call);
            depth[callee] = depth[callee].max(depth[r] + 1);
            if depth[callee] > most {
                return Some(*call);
            }
            unseen[callee] -= 1;
            if unseen[callee] == 0 {
                work.push(callee);
            }
        }
    }
    None
}
