//! `if`, `else` and `endif` in place of gotos, where a region is a hammock.
//!
//! A forward `goto` over a region that nothing else enters, and that nothing leaves but at its end, is
//! an `if` around that region. If the region ends in an unconditional `goto` over a second region of the
//! same kind, that is the `else`. An unconditional goto costs Gen8 and Gen9 a cleared flag, and every
//! platform a join more, so the structured form is shorter. Loops keep their `goto.b`.
//!
//! Where several such regions end together, each `if` would have its own `endif`, and one `join` serves any number of
//! gotos. So a region stays a goto if it has no `else` and no enclosing `if` that ends at the same place has one.

use crate::plan::Plan;
use gen_ir::{BlockId, Kernel, Virtual};
use narrow::{as_index, to_index};

/// All that the search knows of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Node {
    pub plan: Plan,
    pub shape: Shape,
}

/// What kind of jump ends a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Shape {
    /// Of some lanes of a part of them, or none at all.
    #[default]
    Other,
    /// Of some of all lanes.
    When,
    /// Of all lanes.
    Always,
}

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

/// Blocks of the largest region looked at; larger ones stay as they are, so the search is linear. (Chosen:
/// half of it changes one real kernel of 200, twice none.)
pub(crate) const LARGEST: usize = 2048;

/// What became of each block's goto, and memory to find it.
#[derive(Debug, Default)]
pub(crate) struct Forms {
    /// By block.
    pub forms: Vec<Form>,
    /// First and last block that jumps to each block.
    from: Vec<(u32, u32)>,
    ends: Vec<Ends>,
}

/// What ends at the start of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Ends {
    /// Regions, and how many of these, from the outermost on, have no `else`.
    ifs: u32,
    without_else: u32,
    /// There is a `join` anyhow, for gotos from further away than any of the regions.
    joins: bool,
}

impl Forms {
    /// No goto is structured.
    pub fn clear(&mut self, blocks: usize) {
        self.forms.clear();
        self.forms.resize(blocks, Form::Plain);
    }
}

struct Search<'a> {
    nodes: &'a [Node],
    forms: &'a mut [Form],
    from: &'a [(u32, u32)],
}

/// What the blocks of a kernel are to the search.
pub(crate) fn nodes(kernel: &Kernel<Virtual>, plans: &[Plan], width: u32, nodes: &mut Vec<Node>) {
    nodes.clear();
    nodes.extend(plans.iter().zip(&kernel.blocks).map(|(&plan, block)| {
        let shape = match block.insts.last() {
            Some(i) if i.pred.is_none() && i.is_uniform(width) => Shape::Always,
            Some(i) if i.pred.is_some() && (i.exec.lanes() == 1 || i.spans(width)) => Shape::When,
            _ => Shape::Other,
        };
        Node { plan, shape }
    }));
}

/// Finds the forward gotos that can be structured.
pub(crate) fn find(nodes: &[Node], found: &mut Forms) {
    let n = nodes.len();
    found.clear(n);
    let Forms { forms, from, .. } = found;
    from.clear();
    from.resize(n, (u32::MAX, 0));
    for (b, node) in nodes.iter().enumerate() {
        if let Some(to) = node.plan.target() {
            let f = &mut from[to.index()];
            *f = (f.0.min(to_index(b)), f.1.max(to_index(b)));
        }
    }
    let s = Search { nodes, forms, from };
    // Inner regions first: an inner one that ends where an outer one does must be structured itself.
    for b in (0..n).rev() {
        let (Plan::Forward(t), Shape::When) = (nodes[b].plan, nodes[b].shape) else { continue };
        if t.index() == b + 1 {
            continue;
        }
        if s.closed(b + 1, t.index(), t.index()) {
            s.forms[b] = Form::If { other: None, end: t };
            continue;
        }
        let tail = t.index() - 1;
        let (Plan::Forward(u), Shape::Always) = (nodes[tail].plan, nodes[tail].shape) else { continue };
        // The only way into the second part from outside is this goto.
        let (low, high) = s.from[t.index()];
        let only_this = low == to_index(b) && (high == low || (t.0..u.0).contains(&high));
        if tail != b
            && s.forms[tail] == Form::Plain
            && only_this
            && s.closed(b + 1, tail, tail)
            && s.enters(tail, b + 1, t.index())
            && s.closed_behind_entry(t.index(), u.index(), u.index())
        {
            s.forms[b] = Form::If { other: Some(t), end: u };
            s.forms[tail] = Form::Else { of: BlockId(to_index(b)), end: u };
        }
    }
}

/// Has the outer regions that end together, and have no `else`, end in one `join`.
pub(crate) fn share_ends(nodes: &[Node], found: &mut Forms) {
    let Forms { forms, ends, .. } = found;
    ends.clear();
    ends.resize(nodes.len(), Ends::default());
    let mut any = false;
    // In the order of the blocks outer regions come first.
    for (node, form) in nodes.iter().zip(&*forms) {
        match (node.plan, form) {
            (_, Form::If { other, end }) => {
                let e = &mut ends[end.index()];
                e.without_else += u32::from(other.is_none() && e.ifs == e.without_else);
                e.ifs += 1;
                any |= e.ifs > 1;
            }
            (Plan::Forward(to), Form::Plain) => {
                ends[to.index()].joins = true;
                any = true;
            }
            (Plan::Backward(_), _) => any = true,
            _ => {}
        }
    }
    if !any {
        return;
    }
    for (b, form) in forms.iter_mut().enumerate() {
        let Form::If { other: None, end } = *form else { continue };
        let e = &mut ends[end.index()];
        // Lanes that leave a loop just before wait in front of all regions.
        let leaves_loop = matches!(nodes[end.index() - 1].plan, Plan::Backward(_)) && e.ifs == e.without_else;
        debug_assert!(b < end.index());
        if e.without_else > 1 || e.without_else == 1 && (e.joins || leaves_loop) {
            e.joins = true;
        }
        let Ends { without_else, joins, .. } = *e;
        if without_else > 0 && joins {
            *form = Form::Plain;
            e.without_else -= 1;
            e.ifs -= 1;
        }
    }
}

impl Search<'_> {
    /// Whether the blocks `first..end` are entered and left only at their ends: jumps from outside go to
    /// none of them, and jumps from them stay inside, or are structured and end at `exit`.
    fn closed(&self, first: usize, end: usize, exit: usize) -> bool {
        (first >= end || self.enters(first, first, end)) && self.closed_behind_entry(first, end, exit)
    }

    /// The same, where jumps from outside to the first block are looked at elsewhere.
    fn closed_behind_entry(&self, first: usize, end: usize, exit: usize) -> bool {
        end.saturating_sub(first) <= LARGEST
            && (first..end).all(|b| (b == first || self.enters(b, first, end)) && self.leaves(b, first, exit))
    }

    /// Whether all jumps to `b` come from `first..end`.
    fn enters(&self, b: usize, first: usize, end: usize) -> bool {
        let (low, high) = self.from[b];
        low == u32::MAX || (as_index(low) >= first && as_index(high) < end)
    }

    /// Whether the jump at the end of `b` stays in `first..exit` or is structured and ends at `exit`, or takes every lane
    /// there.
    fn leaves(&self, b: usize, first: usize, exit: usize) -> bool {
        let plan = self.nodes[b].plan;
        let Some(to) = plan.target() else { return true };
        let to = to.index();
        let ends = || matches!(plan, Plan::Jump(_)) || self.forms[b] != Form::Plain;
        to >= first && (to < exit || (to == exit && ends()))
    }
}
