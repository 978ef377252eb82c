//! Bits put together, as compilers write rotations where there is no instruction for one.

use super::*;

impl Generator {
    /// Puts some into the blocks of a program. (They are drawn behind all others, so that what was there stays what it
    /// was for each seed.)
    pub(super) fn put_bits_together(&mut self, nodes: &mut Vec<Node>) {
        self.put_into_blocks(nodes, 3, &Generator::bits_together);
    }

    /// Puts lines into one block in `n`.
    fn put_into_blocks(
        &mut self,
        nodes: &mut Vec<Node>,
        n: u32,
        lines: &dyn Fn(&mut Generator) -> Vec<String>,
    ) {
        for node in nodes.iter_mut() {
            match node {
                Node::If { then, els, .. } => {
                    self.put_into_blocks(then, n, lines);
                    self.put_into_blocks(els, n, lines);
                }
                Node::Loop { body, .. } => self.put_into_blocks(body, n, lines),
                _ => {}
            }
        }
        if self.r.one_in(n) {
            let lines = lines(self);
            let at = self.r.below(nodes.len() as u32 + 1) as usize;
            nodes.insert(at, Node::Lines(lines));
        }
    }

    /// A few combinations of two shifts, some almost a rotation, in the orders and variables that compilers use.
    fn bits_together(&mut self) -> Vec<String> {
        let (mut e, mut n) = (self.exec_for(4), 1 + self.r.below(31));
        let mut lines = Vec::new();
        for _ in 0..2 + self.r.below(4) {
            if self.r.one_in(4) {
                (e, n) = (self.exec_for(4), 1 + self.r.below(31));
            }
            let m = if self.r.one_in(4) { 1 + self.r.below(31) } else { 32 - n };
            let mut other = e;
            if self.r.one_in(8) {
                other.no_mask = !e.no_mask;
            }
            let [x, y, z] = [0; 3].map(|_| self.var(&|t| t == Type::UD).name);
            let at = |v: &str| format!("{v}(0,0)<1>");
            let of = |v: &str| format!("{v}(0,0)<1;1,0>");
            let (all, some) = (e.text(), other.text());
            let shl = |d: &str, s: &str| format!("shl {all} {} {} {n:#x}:ud", at(d), of(s));
            let shr = |d: &str, s: &str| format!("shr {some} {} {} {m:#x}:ud", at(d), of(s));
            let op = self.r.pick(&["or", "or", "xor", "add"]);
            let both = |d: &str, s: &str, t: &str| format!("{op} {all} {} {} {}", at(d), of(s), of(t));
            let mut few = match self.r.below(5) {
                0 => vec![shl(&y, &x), shr(&x, &x), both(&y, &y, &x)],
                1 => vec![shl(&y, &x), shr(&z, &x), both(&z, &z, &y)],
                2 => vec![shr(&y, &x), shl(&x, &x), both(&x, &x, &y)],
                3 => vec![shr(&y, &z), shl(&z, &x), both(&x, &y, &z)],
                _ => {
                    let mask = (u64::from(self.r.below(2)) << n | ((1 << n) - 1)) as u32;
                    let and = format!("and {some} {} {} {mask:#x}:ud", at(&x), of(&x));
                    vec![shl(&y, &x), and, both(&x, &y, &x)]
                }
            };
            if self.r.one_in(4) {
                let line = self.int_line();
                if !line.contains("  ") {
                    few.insert(1 + self.r.below(3) as usize, line);
                }
            }
            // What was in the variables is overwritten, as far as the channels go, or is seen.
            for v in [&x, &y] {
                if self.r.one_in(2) {
                    few.push(shl(v, &z));
                }
            }
            lines.extend(few);
        }
        lines
    }

    /// Variables for quadwords that are taken apart: some of quadwords, with their dwords, and some of dwords. They come
    /// behind all others.
    pub(super) fn declare_pairs(&mut self) -> Pairs {
        let bytes = 4 * self.grf;
        let mut pairs = Pairs { quads: Vec::new(), dwords: Vec::new() };
        let add = |g: &mut Generator, ty: Type, bytes: u32, alias: Option<String>| {
            let name = format!("V{}", 32 + g.vars.len());
            g.vars.push(Variable {
                name: name.clone(),
                ty,
                elements: bytes / ty.bytes(),
                alias,
                float: false,
            });
            name
        };
        for _ in 0..4 {
            let quad = add(self, Type::Q, bytes, None);
            let dwords = add(self, Type::D, bytes, Some(quad.clone()));
            pairs.quads.push((quad, dwords));
        }
        pairs.dwords.extend((0..8).map(|_| add(self, Type::D, bytes / 2, None)));
        pairs
    }

    /// Puts logic on dwords of quadwords into the blocks of a program.
    pub(super) fn put_dwords_together(&mut self, nodes: &mut Vec<Node>, pairs: &Pairs) {
        self.put_into_blocks(nodes, 2, &|g| g.dwords_together(pairs));
    }

    /// Two quadwords are taken apart, their dwords combined, and put together again; now and then not quite.
    fn dwords_together(&mut self, pairs: &Pairs) -> Vec<String> {
        let parts = if self.r.one_in(2) && self.simd >= self.grf / 2 { 2 } else { 1 };
        let (lanes, no_mask) = (parts * self.grf / 4, self.r.one_in(4));
        if lanes > self.simd {
            return Vec::new();
        }
        let part = lanes / parts;
        let exec = |lanes: u32, offset: u32| Exec { lanes, offset, no_mask }.text();
        let mut dwords = pairs.dwords.clone();
        for i in (1..dwords.len()).rev() {
            dwords.swap(i, self.r.below(i as u32 + 1) as usize);
        }
        let mut lines = Vec::new();
        let element =
            |g: &Generator, v: &str, e: u32| format!("{v}({},{})", e / (g.grf / 4), e % (g.grf / 4));
        for k in 0..2 {
            let (_, from) = &pairs.quads[self.r.below(4) as usize];
            for upper in 0..2u32 {
                for h in 0..parts {
                    let to = &dwords[(2 * k + upper) as usize];
                    // The other dword, rarely.
                    let upper = if self.r.one_in(24) { 1 - upper } else { upper };
                    let to = element(self, to, h * part);
                    let from = element(self, from, 2 * h * part + upper);
                    lines.push(format!("mov {} {to}<1> {from}<2;1,0>", exec(part, h * part)));
                }
            }
        }
        if self.r.one_in(6) {
            let (quad, _) = &pairs.quads[self.r.below(4) as usize];
            lines.push(format!("add (M1, 1) {quad}(0,0)<1> {quad}(0,0)<0;1,0> 0x5:w"));
        }
        let mut results = [4usize, 5];
        let op = self.r.pick(&["and", "or", "xor"]);
        for upper in 0..2usize {
            let op = if self.r.one_in(16) { self.r.pick(&["and", "or", "xor"]) } else { op };
            let [d, a, b] = [4 + upper, upper, 2 + upper].map(|i| &dwords[i]);
            lines.push(format!("{op} {} {d}(0,0)<1> {a}(0,0)<1;1,0> {b}(0,0)<1;1,0>", exec(lanes, 0)));
        }
        if self.r.one_in(2) {
            results = [6, 7];
            let (op, function) = if self.caps.ops.add3_bfn {
                let function =
                    self.r.pick(&["96", "f8", "28", "60", "fe", "a8", "6a", "78", "e0", "1e", "d8", "ca"]);
                ("bfn.x", function)
            } else {
                (self.r.pick(&["and", "or", "xor"]), "")
            };
            for upper in 0..2usize {
                let sources = [4 + upper, upper, 2 + upper].map(|i| format!("{}(0,0)<1;1,0>", dwords[i]));
                let sources = if function.is_empty() { &sources[..2] } else { &sources[..] }.join(" ");
                lines.push(format!(
                    "{op}{function} {} {}(0,0)<1> {sources}",
                    exec(lanes, 0),
                    dwords[6 + upper]
                ));
            }
        }
        let (quad, to) = &pairs.quads[self.r.below(4) as usize];
        for upper in 0..2u32 {
            for h in 0..parts {
                let from = element(self, &dwords[results[upper as usize]], h * part);
                let to = element(self, to, 2 * h * part + upper);
                lines.push(format!("mov {} {to}<2> {from}<1;1,0>", exec(part, h * part)));
                if self.r.one_in(16) {
                    lines.push(format!("add (M1, 1) {quad}(0,0)<1> {quad}(0,0)<0;1,0> 0x5:w"));
                }
            }
        }
        lines
    }
}

/// Variables for quadwords that are taken apart.
pub(super) struct Pairs {
    /// Quadwords, and the same bytes as dwords.
    quads: Vec<(String, String)>,
    dwords: Vec<String>,
}
