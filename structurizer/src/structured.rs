//! `if`, `else` and `endif` in place of gotos, where a region is a hammock.
//!
//! A forward `goto` over a region that nothing else enters, and that nothing leaves but at its end, is
//! an `if` around that region. If the region ends in an unconditional `goto` over a second region of the
//! same kind, that is the `else`. An unconditional goto costs Gen8 and Gen9 a cleared flag, and every
//! platform a join more, so the structured form is shorter. Loops keep their `goto.b`.

use crate::{branches::Plan, simplify::is_uniform};
use gen_ir::{BlockId, Kernel, Virtual};

/// What stands for a forward goto.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Form {
    /// The goto itself, or whatever was planned.
    #[default]
    Plain,
    /// `if`, up to the `endif` at the start of `end`. With an `else` part, that starts at `other`.
    If {
        /// First block of the part that lanes jump to.
        other: Option<BlockId>,
        /// Block with the `endif`.
        end: BlockId,
    },
    /// `else`, of the `if` at the end of a block.
    Else {
        /// Block that ends in the `if`.
        of: BlockId,
        /// Block with the `endif`.
        end: BlockId,
    },
}

/// Blocks of the largest region looked at; larger ones stay as they are, so the search is linear.
const LARGEST: usize = 2048;

/// What became of each block's goto, and memory to find it.
#[derive(Debug, Default)]
pub(crate) struct Forms {
    /// By block.
    pub forms: Vec<Form>,
    /// First and last block that jumps to each block.
    from: Vec<(u32, u32)>,
}

impl Forms {
    /// No goto is structured.
    pub fn clear(&mut self, blocks: usize) {
        self.forms.clear();
        self.forms.resize(blocks, Form::Plain);
    }
}

struct Search<'a> {
    plans: &'a [Plan],
    forms: &'a mut [Form],
    from: &'a [(u32, u32)],
}

/// Finds the forward gotos that can be structured.
pub(crate) fn find(kernel: &Kernel<Virtual>, plans: &[Plan], width: u32, found: &mut Forms) {
    let n = plans.len();
    found.clear(n);
    let Forms { forms, from } = found;
    from.clear();
    from.resize(n, (u32::MAX, 0));
    for (b, plan) in plans.iter().enumerate() {
        if let Some(to) = target(*plan) {
            let f = &mut from[to.index()];
            *f = (f.0.min(b as u32), f.1.max(b as u32));
        }
    }
    let s = Search { plans, forms, from };
    let unconditional =
        |b: usize| kernel.blocks[b].insts.last().is_some_and(|i| i.pred.is_none() && is_uniform(i, width));
    // Inner regions first: an inner one that ends where an outer one does must be structured itself.
    for b in (0..n).rev() {
        let Plan::Forward(t) = plans[b] else { continue };
        let Some(last) = kernel.blocks[b].insts.last() else { continue };
        let whole = last.exec.lanes() == 1 || (last.chan == 0 && last.exec.lanes() >= width);
        if last.pred.is_none() || !whole || t.index() == b + 1 {
            continue;
        }
        if s.closed(b + 1, t.index(), t.index(), false) {
            s.forms[b] = Form::If { other: None, end: t };
            continue;
        }
        let tail = t.index() - 1;
        let Plan::Forward(u) = plans[tail] else { continue };
        // The only way into the second part from outside is this goto.
        let (low, high) = s.from[t.index()];
        let only_this = low == b as u32 && (high == low || (t.0..u.0).contains(&high));
        if tail != b
            && unconditional(tail)
            && s.forms[tail] == Form::Plain
            && only_this
            && s.closed(b + 1, tail, tail, false)
            && s.enters(tail, b + 1, t.index())
            && s.closed(t.index(), u.index(), u.index(), true)
        {
            s.forms[b] = Form::If { other: Some(t), end: u };
            s.forms[tail] = Form::Else { of: BlockId(b as u32), end: u };
        }
    }
}

fn target(plan: Plan) -> Option<BlockId> {
    match plan {
        Plan::Jump(t) | Plan::Forward(t) | Plan::Backward(t) => Some(t),
        Plan::None => None,
    }
}

impl Search<'_> {
    /// Whether the blocks `first..end` are entered and left only at their ends: jumps from outside go to
    /// none of them (but to the first, where that is looked at elsewhere), and jumps from them stay
    /// inside, or are structured and end at `exit`.
    fn closed(&self, first: usize, end: usize, exit: usize, first_is_known: bool) -> bool {
        end.saturating_sub(first) <= LARGEST
            && (first..end).all(|b| {
                (first_is_known && b == first || self.enters(b, first, end)) && self.leaves(b, first, exit)
            })
    }

    /// Whether all jumps to `b` come from `first..end`.
    fn enters(&self, b: usize, first: usize, end: usize) -> bool {
        let (low, high) = self.from[b];
        low == u32::MAX || (low as usize >= first && (high as usize) < end)
    }

    /// Whether the jump at the end of `b` stays in `first..exit` or is structured and ends at `exit`.
    fn leaves(&self, b: usize, first: usize, exit: usize) -> bool {
        let Some(to) = target(self.plans[b]) else { return true };
        let to = to.index();
        to >= first && (to < exit || (to == exit && self.forms[b] != Form::Plain))
    }
}
