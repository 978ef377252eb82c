//! Blocks, branches and loops.

use super::*;

impl Generator {
    pub(super) fn lines(&mut self) -> Node {
        for _ in 0..10 {
            let lines = match self.r.below(20) {
                0..=9 => vec![self.int_line()],
                10..=13 => vec![self.float_line()],
                14..=15 => vec![self.predicate_line()],
                16..=17 => self.indirect(),
                _ => self.memory(),
            };
            // Operands that did not fit anywhere.
            if !lines.iter().any(|l| l.contains("  ")) {
                return Node::Lines(lines);
            }
        }
        Node::Lines(Vec::new())
    }

    pub(super) fn nodes(&mut self, budget: &mut u32, depth: u32, in_loop: bool) -> Vec<Node> {
        let mut out = Vec::new();
        let count = 1 + self.r.below(if depth == 0 { 40 } else { 8 });
        for _ in 0..count {
            if *budget == 0 {
                break;
            }
            *budget -= 1;
            let node = match self.r.below(24) {
                0..=1 if depth < 4 => self.branch(budget, depth, in_loop),
                2 if depth < 3 => self.looping(budget, depth),
                3 if depth < 3 => self.tangle(budget, depth),
                4 if !self.in_sub => {
                    let e = Exec { lanes: self.simd, offset: 0, no_mask: false };
                    let guard = self.guard(e);
                    let guard = if guard.contains('.') { String::new() } else { guard };
                    Node::Call { guard: guard.trim_end().to_owned(), sub: self.r.below(2) as usize }
                }
                5 if in_loop => {
                    let guard = self.pred();
                    Node::Leave { lines: self.condition(&guard), guard, again: self.r.one_in(2) }
                }
                6 if self.in_sub && depth < 2 => {
                    let guard = self.pred();
                    Node::Return { lines: self.condition(&guard), guard }
                }
                _ => self.lines(),
            };
            out.push(node);
        }
        out
    }

    pub(super) fn branch(&mut self, budget: &mut u32, depth: u32, in_loop: bool) -> Node {
        let uniform = self.r.one_in(4);
        let (lines, guard) = if uniform {
            let e = Exec { lanes: 1, offset: 0, no_mask: true };
            (vec![self.compare(e, "P6")], "P6".to_owned())
        } else {
            let p = self.pred();
            (self.condition(&p), p)
        };
        let then = self.nodes(budget, depth + 1, in_loop);
        let els = if self.r.one_in(2) { self.nodes(budget, depth + 1, in_loop) } else { Vec::new() };
        Node::If { lines, guard, uniform, then, els }
    }

    pub(super) fn looping(&mut self, budget: &mut u32, depth: u32) -> Node {
        let uniform = self.r.one_in(3);
        let trips = if uniform || self.r.one_in(2) {
            format!("{:#x}:d", 1 + self.r.below(3))
        } else {
            "trips(0,0)<1;1,0>".to_owned()
        };
        let counter = if uniform {
            self.scalar_counters += 1;
            format!("once{}", self.scalar_counters - 1)
        } else {
            self.counters += 1;
            format!("count{}", self.counters - 1)
        };
        let body = self.nodes(budget, depth + 1, true);
        Node::Loop { counter, trips, uniform, body }
    }

    pub(super) fn tangle(&mut self, budget: &mut u32, depth: u32) -> Node {
        let n = 2 + self.r.below(5) as usize;
        let fuel = format!("fuel{}", self.fuels);
        self.fuels += 1;
        let mut blocks = Vec::new();
        for i in 0..n {
            let body = self.nodes(budget, depth + 2, false);
            let p = self.pred();
            let jump = match self.r.below(4).cmp(&1) {
                // Forward.
                Ordering::Greater => Some((p.clone(), i + 1 + self.r.below((n - i) as u32) as usize)),
                Ordering::Equal => Some((p.clone(), self.r.below(i as u32 + 1) as usize)),
                Ordering::Less => None,
            };
            blocks.push(Block { body, lines: self.condition(&p), jump });
        }
        Node::Tangle { fuel, blocks }
    }
}
