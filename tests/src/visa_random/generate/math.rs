//! Functions of floats that a shared function computes, comparisons of all floats, and signs taken off as bits.
//!
//! No quotients and powers: where hardware has no instruction for them, they are a product with a reciprocal, or made of
//! logarithms (Intel's finalizer does the same), so what the interpreter computes is not their last word.

use super::*;

impl Generator {
    pub(super) fn math(&mut self) -> Vec<Node> {
        let count = 2 + self.r.below(5);
        (0..count)
            .map(|_| Node::Lines(self.math_lines()))
            .filter(|n| !matches!(n, Node::Lines(l) if l.iter().any(|l| l.contains("  "))))
            .collect()
    }

    fn math_lines(&mut self) -> Vec<String> {
        let e = self.exec_for(4);
        let half = self.r.one_in(4);
        let float = move |t: Type| if half { t == Type::HF } else { t == Type::F };
        let sat = if self.r.one_in(6) { ".sat" } else { "" };
        match self.r.below(8) {
            0..=3 => {
                let op = self.r.pick(&["inv", "sqrt", "rsqrt", "exp", "log", "sin", "cos"]);
                let (_, d) = self.dst(e, &float);
                let (_, a) = self.src_var(e, Mods::Any, &float);
                vec![format!("{}{op}{sat} {} {d} {a}", self.guard(e), e.text())]
            }
            4..=5 => {
                let wide = self.caps.ops.fp64 && self.r.one_in(2);
                let e = self.narrow(e, if wide { Type::Q } else { Type::D });
                let ty = if wide { Type::DF } else { Type::HF };
                let p = self.pred();
                let (_, a) = self.src_var(e, Mods::Any, &|t| t == ty);
                let (_, b) = self.src(e, Mods::Any, &|t| t == ty);
                let cond = self.r.pick(&["eq", "ne", "gt", "ge", "lt", "le"]);
                vec![format!("cmp.{cond} {} {p} {a} {b}", e.text())]
            }
            _ => self.sign_bits(e),
        }
    }

    /// A number's sign cleared, set or turned as a bit.
    fn sign_bits(&mut self, e: Exec) -> Vec<String> {
        let exec = e.text();
        let number = self.new_part(Type::F, e.lanes);
        let bits = self.new_view(&number, Type::UD, e.lanes);
        let float = |t: Type| t == Type::F;
        let (_, a) = self.src_var(e, Mods::Any, &float);
        let (op, mask) = self.r.pick(&[("and", "0x7fffffff"), ("or", "0x80000000"), ("xor", "0x80000000")]);
        let (_, d) = self.dst(e, &float);
        let (_, b) = self.src_var(e, Mods::Any, &float);
        let more = self.r.pick(&["add", "mul"]);
        vec![
            // No NaN.
            format!("max {exec} {number}(0,0)<1> {a} 0xc2c80000:f"),
            format!("{op} {exec} {bits}(0,0)<1> {bits}(0,0)<1;1,0> {mask}:ud"),
            format!("{more} {exec} {d} {number}(0,0)<1;1,0> {b}"),
        ]
    }
}
