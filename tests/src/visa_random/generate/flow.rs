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
            (vec![self.compare(SCALAR, "P6")], "P6".to_owned())
        } else {
            let p = self.pred();
            (self.condition(&p), p)
        };
        let then = self.nodes(budget, depth + 1, in_loop);
        let els = if self.r.one_in(2) { self.nodes(budget, depth + 1, in_loop) } else { Vec::new() };
        Node::If { lines, guard, uniform, then, els }
    }

    /// A loop that carries sums from round to round, and a branch behind it that copies some of them for one side.
    pub(super) fn carried(&mut self) -> Vec<Node> {
        // What is stored has room for so many.
        let e = Exec { lanes: self.simd.min(16), offset: 0, no_mask: false };
        let (uniform, trips, counter) = self.rounds();
        let exec = e.text();
        let [mut start, mut round, mut back, mut behind, mut copies, mut side] = [const { Vec::new() }; 6];
        for _ in 0..1 + self.r.below(6) {
            let [kept, first, made] = [(); 3].map(|()| self.new_part(Type::D, e.lanes));
            start.push(format!("mov {exec} {kept}(0,0)<1> {}", self.number(e)));
            let op = self.r.pick(&["add", "xor", "mul"]);
            let by = self.number(e);
            round.push(format!("{op} {exec} {first}(0,0)<1> {kept}(0,0)<1;1,0> {by}"));
            let by = self.number(e);
            round.push(format!("add {exec} {made}(0,0)<1> {first}(0,0)<1;1,0> {by}"));
            if self.r.one_in(8) {
                // A branch of its own behind the loop needs it, or what it was before.
                round.push(format!("mov {exec} {kept}(0,0)<1> {made}(0,0)<1;1,0>"));
            }
            back.push(format!("mov {exec} {kept}(0,0)<1> {made}(0,0)<1;1,0>"));
            for _ in 0..self.r.below(3) {
                let of = self.r.pick(&[&kept, &first, &made, &made]).clone();
                let out = self.new_part(Type::D, e.lanes);
                round.push(format!("mov {exec} {out}(0,0)<1> {of}(0,0)<1;1,0>"));
                let d = self.result(e);
                behind.push(format!("add {exec} {d} {out}(0,0)<1;1,0> {}", self.number(e)));
            }
            if self.r.one_in(2) {
                let out = self.new_part(Type::D, e.lanes);
                copies.push(format!("mov {exec} {out}(0,0)<1> {made}(0,0)<1;1,0>"));
                let d = self.result(e);
                side.push(format!("xor {exec} {d} {out}(0,0)<1;1,0> {made}(0,0)<1;1,0>"));
            }
            let d = self.result(e);
            let last = self.r.pick(&[&kept, &made]).clone();
            behind.push(format!("mov {exec} {d} {last}(0,0)<1;1,0>"));
        }
        let guard = self.pred();
        // More than becomes predicates.
        let mut then = vec![Node::Lines(side)];
        then.extend((0..12).map(|_| self.lines()));
        let els = Vec::new();
        copies.extend(self.condition(&guard));
        vec![
            Node::Carried { counter, trips, uniform, start, round, back, behind },
            Node::If { lines: copies, guard, uniform: false, then, els },
        ]
    }

    /// A dword for so many channels.
    pub(super) fn number(&mut self, e: Exec) -> String {
        let small = |t: Type| t.is_int() && t.bytes() == 4;
        let fits = (0..16).map(|_| self.src(e, Mods::None, &small).1).find(|s| !s.is_empty());
        fits.unwrap_or_else(|| "0x3:d".into())
    }

    /// Where a dword of so many channels goes.
    pub(super) fn result(&mut self, e: Exec) -> String {
        let small = |t: Type| t.is_int() && t.bytes() == 4;
        let fits = (0..64).map(|_| self.dst(e, &small).1).find(|d| !d.is_empty());
        fits.unwrap_or_else(|| format!("{}(0,0)<1>", self.new_part(Type::D, e.lanes)))
    }

    /// How a loop is counted: for all lanes alike or not, how often, and by which variable.
    fn rounds(&mut self) -> (bool, String, String) {
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
        (uniform, trips, counter)
    }

    pub(super) fn looping(&mut self, budget: &mut u32, depth: u32) -> Node {
        let (uniform, trips, counter) = self.rounds();
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
