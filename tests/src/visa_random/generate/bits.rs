//! Bits put together, as compilers write rotations where there is no instruction for one.

use super::*;

impl Generator {
    /// Puts some into the blocks of a program. (They are drawn behind all others, so that what was there stays what it
    /// was for each seed.)
    pub(super) fn put_bits_together(&mut self, nodes: &mut Vec<Node>) {
        for node in nodes.iter_mut() {
            match node {
                Node::If { then, els, .. } => {
                    self.put_bits_together(then);
                    self.put_bits_together(els);
                }
                Node::Loop { body, .. } => self.put_bits_together(body),
                _ => {}
            }
        }
        if self.r.one_in(3) {
            let lines = self.bits_together();
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
}
