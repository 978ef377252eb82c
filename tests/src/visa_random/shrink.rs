//! Cuts a failing program down: removes nodes, takes bodies out of branches and loops, drops guards,
//! saturation and modifiers, as long as it fails in the same way.

use super::{Failure, Node, RandomProgram, Variable, check};

/// Tries that a shrink may take.
const TRIES: usize = 3000;

struct Shrinker {
    best: RandomProgram,
    failure: Failure,
    tries: usize,
}

/// The lists directly inside of a node.
pub(super) fn lists(node: &mut Node) -> Vec<&mut Vec<Node>> {
    match node {
        Node::If { then, els, .. } => vec![then, els],
        Node::Loop { body, .. } => vec![body],
        Node::Tangle { blocks, .. } => blocks.iter_mut().map(|b| &mut b.body).collect(),
        _ => Vec::new(),
    }
}

/// Visits list number `index` of a program, counted from the outside in; `None` beyond the last one.
fn with_list<R>(
    program: &mut RandomProgram,
    index: usize,
    f: &mut dyn FnMut(&mut Vec<Node>) -> R,
) -> Option<R> {
    fn walk<R>(list: &mut Vec<Node>, left: &mut usize, f: &mut dyn FnMut(&mut Vec<Node>) -> R) -> Option<R> {
        if *left == 0 {
            return Some(f(list));
        }
        *left -= 1;
        for node in list.iter_mut() {
            for inner in lists(node) {
                if let Some(r) = walk(inner, left, f) {
                    return Some(r);
                }
            }
        }
        None
    }
    let mut left = index;
    let functions =
        program.functions.iter_mut().flat_map(|f| std::iter::once(&mut f.body).chain(&mut f.subs));
    for root in std::iter::once(&mut program.body).chain(&mut program.subs).chain(functions) {
        if let Some(r) = walk(root, &mut left, f) {
            return Some(r);
        }
    }
    None
}

impl Shrinker {
    /// Keeps a changed program if it fails in the same way.
    fn try_one(&mut self, candidate: RandomProgram) -> bool {
        if self.tries == 0 {
            return false;
        }
        self.tries -= 1;
        match check(&candidate) {
            Err(f) if f.is_like(&self.failure) => {
                self.best = candidate;
                self.failure = f;
                true
            }
            _ => false,
        }
    }

    /// Removes runs of nodes of every list, long ones first.
    fn remove(&mut self) -> bool {
        let mut any = false;
        let mut index = 0;
        while let Some(len) = with_list(&mut self.best.clone(), index, &mut |l| l.len()) {
            let mut chunk = len.next_power_of_two();
            while chunk > 0 {
                let mut at = 0;
                while with_list(&mut self.best.clone(), index, &mut |l| at < l.len()) == Some(true) {
                    let mut candidate = self.best.clone();
                    with_list(&mut candidate, index, &mut |l| {
                        let end = (at + chunk).min(l.len());
                        l.drain(at..end);
                    });
                    if self.try_one(candidate) {
                        any = true;
                    } else {
                        at += chunk;
                    }
                }
                chunk /= 2;
            }
            index += 1;
        }
        any
    }

    /// Replaces nodes by what is inside of them.
    fn unwrap(&mut self) -> bool {
        let mut any = false;
        let mut index = 0;
        while let Some(len) = with_list(&mut self.best.clone(), index, &mut |l| l.len()) {
            for at in (0..len).rev() {
                let parts = with_list(&mut self.best.clone(), index, &mut |l| {
                    l.get_mut(at).map_or(0, |n| lists(n).len())
                });
                for part in 0..parts.unwrap_or(0) {
                    let mut candidate = self.best.clone();
                    with_list(&mut candidate, index, &mut |l| {
                        let Some(node) = l.get_mut(at) else { return };
                        let inner = lists(node).into_iter().nth(part).map(std::mem::take).unwrap_or_default();
                        l.splice(at..=at, inner);
                    });
                    if self.try_one(candidate) {
                        any = true;
                        break;
                    }
                }
            }
            index += 1;
        }
        any
    }

    /// Simplifies single instructions.
    fn simplify(&mut self) -> bool {
        let mut any = false;
        let mut index = 0;
        while let Some(len) = with_list(&mut self.best.clone(), index, &mut |l| l.len()) {
            for at in 0..len {
                for step in 0..3 {
                    let mut candidate = self.best.clone();
                    let changed = with_list(&mut candidate, index, &mut |l| match l.get_mut(at) {
                        Some(Node::Lines(lines)) => {
                            let before = lines.clone();
                            lines.iter_mut().for_each(|line| *line = simpler(line, step));
                            *lines != before
                        }
                        _ => false,
                    });
                    if changed == Some(true) && self.try_one(candidate) {
                        any = true;
                    }
                }
            }
            index += 1;
        }
        any
    }

    /// Drops variables that nothing uses.
    fn drop_variables(&mut self) {
        for owner in 0..=self.best.functions.len() {
            for i in (0..vars_of(&mut self.best, owner).len()).rev() {
                let mut candidate = self.best.clone();
                let vars = vars_of(&mut candidate, owner);
                let gone = vars.remove(i);
                if vars.iter().any(|v| v.alias.as_ref() == Some(&gone.name)) {
                    continue;
                }
                self.try_one(candidate);
            }
        }
    }

    /// Drops helpers and predicates that no line names.
    fn drop_helpers(&mut self) {
        let mut candidate = self.best.clone();
        let text = candidate.text();
        let named = |name: &str, alias: bool| {
            let in_line =
                |l: &str| l.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|w| w == name);
            text.lines().filter(|l| !l.contains(" setp ")).any(|l| {
                let declares = l.starts_with(".decl");
                in_line(l) && (!declares || alias && !l.starts_with(&format!(".decl {name} ")))
            })
        };
        candidate.helpers.retain(|v| named(&v.name, true));
        candidate.more_preds.retain(|(name, ..)| named(name, false));
        self.try_one(candidate);
    }
}

/// The variables of the kernel (0), or of a function.
fn vars_of(program: &mut RandomProgram, owner: usize) -> &mut Vec<Variable> {
    match owner.checked_sub(1) {
        None => &mut program.vars,
        Some(i) => &mut program.functions[i].vars,
    }
}

/// A line without its guard (0), saturation (1) or source modifiers (2).
fn simpler(line: &str, step: u32) -> String {
    match step {
        0 if line.starts_with('(') && !line.contains("sel ") => {
            line.split_once(") ").map_or(line, |(_, rest)| rest).to_owned()
        }
        1 => line.replace(".sat ", " "),
        2 => line.replace("(-abs)", "").replace("(abs)", "").replace("(-)", ""),
        _ => line.to_owned(),
    }
}

/// The smallest program found that fails as `program` does, and how.
pub fn shrink(program: &RandomProgram, failure: Failure) -> (RandomProgram, Failure) {
    let mut s = Shrinker { best: program.clone(), failure, tries: TRIES };
    loop {
        let removed = s.remove();
        let unwrapped = s.unwrap();
        if !(removed || unwrapped) || s.tries == 0 {
            break;
        }
    }
    while s.simplify() && s.tries > 0 {}
    s.drop_variables();
    s.drop_helpers();
    (s.best, s.failure)
}
