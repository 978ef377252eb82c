//! Less of a kernel that fails: nodes and instructions go away, and what is around others; masks and predicates, too.

use crate::replay::{Kept, Mismatch, Plan, PlanNode, check};
use gen_ir::{Inst, Op, Virtual};

/// Tries that a shrink may take.
const TRIES: usize = 4000;

struct PlanShrinker {
    best: Plan,
    failure: Mismatch,
    kept: Kept,
    tries: usize,
}

/// The smallest kernel found that fails in the same way, and how.
pub fn shrink(plan: &Plan, failure: Mismatch) -> (Plan, Mismatch) {
    let mut s = PlanShrinker { best: plan.clone(), failure, kept: Kept::default(), tries: TRIES };
    while s.round() && s.tries > 0 {}
    (s.best, s.failure)
}

impl PlanShrinker {
    fn attempt(&mut self, candidate: Plan) -> bool {
        if self.tries == 0 {
            return false;
        }
        self.tries -= 1;
        match check(&candidate, &mut self.kept) {
            Err(failure) if failure.sort == self.failure.sort => {
                self.best = candidate;
                self.failure = failure;
                true
            }
            _ => false,
        }
    }

    /// Tries every change of every list once; whether any was kept.
    fn round(&mut self) -> bool {
        let mut any = false;
        let mut list = 0;
        while let Some(len) = with_list(&mut self.best, list, |nodes| nodes.len()) {
            let mut at = len;
            while at > 0 {
                at -= 1;
                any |= self.node(list, at);
            }
            list += 1;
        }
        any
    }

    /// Changes of one node, if it is still there.
    fn node(&mut self, list: usize, at: usize) -> bool {
        if self.edit(list, at, |_| Some(Vec::new())) {
            return true;
        }
        let mut any = false;
        for part in 0..2 {
            any |= self.edit(list, at, |node| inside(node, part));
        }
        any |= self.edit(list, at, uniform);
        let count = with_list(&mut self.best, list, |nodes| match nodes.get(at) {
            Some(PlanNode::Do(insts)) => insts.len(),
            _ => 0,
        });
        for i in (0..count.unwrap_or(0)).rev() {
            let gone = self.edit(list, at, |node| {
                instructions(node, |insts| {
                    if i < insts.len() {
                        insts.remove(i);
                    }
                })
            });
            any |= gone;
            for change in [unpredicated, masked] {
                any |= !gone
                    && self.edit(list, at, |node| {
                        instructions(node, |insts| {
                            if let Some(inst) = insts.get_mut(i) {
                                change(inst);
                            }
                        })
                    });
            }
        }
        any
    }

    /// Tries a kernel in which a node is others, if it is: `change` says which, or that nothing changes.
    fn edit(&mut self, list: usize, at: usize, change: impl Fn(&PlanNode) -> Option<Vec<PlanNode>>) -> bool {
        let mut candidate = self.best.clone();
        let changed = with_list(&mut candidate, list, |nodes| {
            let Some(new) = nodes.get(at).and_then(&change) else { return false };
            nodes.splice(at..=at, new);
            true
        });
        changed == Some(true) && self.attempt(candidate)
    }
}

/// What is inside of a node.
fn inside(node: &PlanNode, part: usize) -> Option<Vec<PlanNode>> {
    match (node, part) {
        (PlanNode::If { then, .. }, 0) => Some(then.clone()),
        (PlanNode::If { els, .. }, 1) => Some(els.clone()),
        (PlanNode::Loop { body, .. }, 0) => Some(body.clone()),
        _ => None,
    }
}

/// A branch that all lanes take alike.
fn uniform(node: &PlanNode) -> Option<Vec<PlanNode>> {
    let mut node = node.clone();
    let (PlanNode::If { branch, .. } | PlanNode::Loop { branch, .. } | PlanNode::Leave { branch, .. }) =
        &mut node
    else {
        return None;
    };
    let was = std::mem::replace(&mut branch.uniform, true);
    (!was && branch.fresh.is_some()).then(|| vec![node])
}

fn instructions(node: &PlanNode, change: impl Fn(&mut Vec<Inst<Virtual>>)) -> Option<Vec<PlanNode>> {
    let PlanNode::Do(before) = node else { return None };
    let mut insts = before.clone();
    change(&mut insts);
    (insts != *before).then(|| vec![PlanNode::Do(insts)])
}

fn unpredicated(inst: &mut Inst<Virtual>) {
    if inst.op != Op::Sel {
        inst.pred = None;
    }
}

fn masked(inst: &mut Inst<Virtual>) {
    inst.no_mask &= inst.exec.lanes() == 1;
}

/// Visits a list of nodes by its number, counted from the outside in; none beyond the last.
fn with_list<R>(plan: &mut Plan, number: usize, f: impl FnOnce(&mut Vec<PlanNode>) -> R) -> Option<R> {
    let mut left = number;
    for list in std::iter::once(&mut plan.body).chain(&mut plan.subs) {
        if let Some(found) = find(list, &mut left) {
            return Some(f(found));
        }
    }
    None
}

fn find<'a>(list: &'a mut Vec<PlanNode>, left: &mut usize) -> Option<&'a mut Vec<PlanNode>> {
    if *left == 0 {
        return Some(list);
    }
    *left -= 1;
    for node in list {
        let inner: Vec<&mut Vec<PlanNode>> = match node {
            PlanNode::If { then, els, .. } => vec![then, els],
            PlanNode::Loop { body, .. } => vec![body],
            _ => Vec::new(),
        };
        for list in inner {
            if let Some(found) = find(list, left) {
                return Some(found);
            }
        }
    }
    None
}
