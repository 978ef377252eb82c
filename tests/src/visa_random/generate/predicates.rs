//! More predicates than there are flags, alive over what lies between, of all sizes, set and read in parts.

use super::*;

impl Generator {
    pub(super) fn many_predicates(&mut self) -> Vec<Node> {
        let mut preds: Vec<(String, u32)> = Vec::new();
        let mut room = Vec::new();
        let widest = self.widest.clamp(16, 32);
        for _ in 0..3 + self.r.below(12) {
            let elements = self.r.pick(&[1, 8, 16, 32, 16, 32]).min(widest);
            let elements = if self.r.one_in(3) { elements } else { self.simd.max(8) };
            let name = format!("Q{}", self.more_preds.len());
            let bits = self.r.next() as u32;
            self.more_preds.push((name.clone(), elements, bits));
            if self.r.one_in(2) {
                room.push(Node::Lines(vec![self.set_predicate(&name, elements)]));
            }
            if elements > 1 || self.r.one_in(2) {
                room.push(Node::Lines(vec![self.compare_into(&name, elements)]));
            }
            preds.push((name, elements));
        }
        for _ in 0..4 + self.r.below(12) {
            room.extend(self.with_predicate(&preds));
            if self.r.one_in(3) {
                room.push(self.lines());
            }
        }
        room
    }

    /// All of a predicate, from a constant or from a variable.
    fn set_predicate(&mut self, name: &str, elements: u32) -> String {
        let ty = if elements > 16 { Type::UD } else { Type::UW };
        let bits = self.r.next() as u32 & (u32::MAX >> (32 - elements));
        let from = if self.r.one_in(2) {
            self.src_var(SCALAR, Mods::None, &|t| t == ty).1
        } else {
            format!("{bits:#x}:{}", ty.name())
        };
        // Regions of a scalar.
        let from = match from.split_once('<') {
            Some((at, _)) => format!("{at}<0;1,0>"),
            None => from,
        };
        format!("setp (M1_NM, {elements}) {name} {from}")
    }

    /// Lanes that a predicate has an element for.
    fn lanes_of(&mut self, elements: u32) -> Exec {
        for _ in 0..20 {
            let e = self.exec();
            if e.lanes + e.offset <= elements {
                return e;
            }
        }
        SCALAR
    }

    fn compare_into(&mut self, name: &str, elements: u32) -> String {
        let e = self.lanes_of(elements);
        self.compare(e, name)
    }

    /// What reads predicates, or makes one of two.
    fn with_predicate(&mut self, preds: &[(String, u32)]) -> Vec<Node> {
        let n = preds.len() as u32;
        let (p, elements) = preds[self.r.below(n) as usize].clone();
        let e = self.lanes_of(elements);
        let e = self.narrow(e, Type::D);
        let not = self.r.pick(&["", "!"]);
        let small = |t: Type| DWORDS.contains(&t);
        match self.r.below(9) {
            0..=2 => {
                let all = if e.lanes > 1 { self.r.pick(&["", "", ".any", ".all"]) } else { "" };
                let (_, d) = self.dst(e, &small);
                let (_, a) = self.src(e, Mods::Any, &small);
                let op = self.r.pick(&["mov", "add", "mul"]);
                let b = match op {
                    "mov" => String::new(),
                    _ => format!("{} ", self.src_var(e, Mods::Any, &small).1),
                };
                vec![Node::Lines(vec![format!("({not}{p}{all}) {op} {} {d} {b}{a}", e.text())])]
            }
            3..=4 => {
                let (_, d) = self.dst(e, &small);
                let (_, a) = self.src_var(e, Mods::Any, &small);
                let (_, b) = self.src(e, Mods::Any, &small);
                vec![Node::Lines(vec![format!("({not}{p}) sel {} {d} {a} {b}", e.text())])]
            }
            5 if elements >= 16 => {
                // A scalar that holds its bits. (Of a smaller one's, those above its elements are undefined: `not` turns
                // them, too, in Intel's code as in ours.)
                let ty = if elements > 16 { Type::UD } else { Type::UW };
                let (_, d) = self.dst(SCALAR, &|t| t == ty);
                vec![Node::Lines(vec![format!("mov (M1_NM, 1) {d} {p}")])]
            }
            6..=7 => {
                let like: Vec<&String> = preds.iter().filter(|q| q.1 == elements).map(|q| &q.0).collect();
                let [a, b] = [(); 2].map(|()| like[self.r.below(like.len() as u32) as usize].clone());
                let op = self.r.pick(&["and", "or", "xor"]);
                let line = if self.r.one_in(3) {
                    format!("not (M1_NM, {elements}) {p} {a}")
                } else {
                    format!("{op} (M1_NM, {elements}) {p} {a} {b}")
                };
                vec![Node::Lines(vec![line])]
            }
            _ if elements == self.simd => {
                let then = vec![self.lines(), self.lines()];
                vec![Node::If { lines: Vec::new(), guard: p, uniform: false, then, els: vec![self.lines()] }]
            }
            _ => Vec::new(),
        }
    }
}
