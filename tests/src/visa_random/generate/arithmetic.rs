//! Arithmetic of floats, comparisons and logic of predicates.

use super::*;

impl Generator {
    pub(super) fn float_line(&mut self) -> String {
        let doubles = self.caps.ops.fp64 && self.r.one_in(4);
        let halves = !doubles && self.r.one_in(4);
        let ty = if doubles {
            Type::DF
        } else if halves {
            Type::HF
        } else {
            Type::F
        };
        let mixed = halves && self.r.one_in(3);
        let float = |t: Type| t == ty || mixed && t == Type::F;
        let e = self.exec_for(if doubles { 8 } else { 4 });
        let sat = if self.r.one_in(6) { ".sat" } else { "" };
        match self.r.below(11) {
            10 if ty == Type::F && self.caps.ops.lrp => {
                let (_, d) = self.dst(e, &float);
                let (_, a) = self.src_var(e, Mods::Any, &float);
                let (_, b) = self.src_var(e, Mods::Any, &float);
                let (_, c) = self.src_var(e, Mods::Any, &float);
                format!("{}lrp{sat} {} {d} {a} {b} {c}", self.guard(e), e.text())
            }
            0..=1 => {
                let op = self.r.pick(&["add", "mul"]);
                let (_, d) = self.dst(e, &float);
                let (_, a) = self.src_var(e, Mods::Any, &float);
                let (_, b) = self.src(e, Mods::Any, &float);
                format!("{}{op}{sat} {} {d} {a} {b}", self.guard(e), e.text())
            }
            2..=3 => {
                let (_, d) = self.dst(e, &float);
                let (_, a) = self.src_var(e, Mods::Any, &float);
                let (_, b) = self.src_var(e, Mods::Any, &float);
                let (_, c) = self.src_var(e, Mods::Any, &float);
                format!("{}mad{sat} {} {d} {a} {b} {c}", self.guard(e), e.text())
            }
            4 if !doubles => {
                let op = self.r.pick(&["frc", "rndd", "rndu", "rnde", "rndz"]);
                let (_, d) = self.dst(e, &float);
                let (_, a) = self.src_var(e, Mods::any_if(op != "frc"), &float);
                format!("{}{op} {} {d} {a}", self.guard(e), e.text())
            }
            5 => {
                let op = self.r.pick(&["min", "max"]);
                let (_, d) = self.dst(e, &float);
                let (_, a) = self.src_var(e, Mods::Any, &float);
                let (_, b) = self.src(e, Mods::Any, &float);
                format!("{op} {} {d} {a} {b}", e.text())
            }
            6 => {
                let (_, d) = self.dst(e, &float);
                let (_, a) = self.src_var(e, Mods::Any, &float);
                let (_, b) = self.src(e, Mods::Any, &float);
                let p = self.pred();
                format!("({p}) sel {} {d} {a} {b}", e.text())
            }
            7..=8 => self.float_conversion(e, sat, ty, &float),
            _ => {
                let other = |t: Type| t == Type::F || t == ty;
                let (_, d) = self.dst(e, &other);
                let (_, a) = self.src(e, Mods::Any, &other);
                format!("{}mov{sat} {} {d} {a}", self.guard(e), e.text())
            }
        }
    }

    /// Between a type of floats and integers.
    fn float_conversion(&mut self, e: Exec, sat: &str, ty: Type, float: &dyn Fn(Type) -> bool) -> String {
        let quads = self.ints.len() > INTS.len() && ty != Type::HF && self.r.one_in(3);
        let int = |t: Type| match t {
            Type::Q | Type::UQ => quads,
            _ if ty == Type::DF => DWORDS.contains(&t),
            _ => INTS.contains(&t) && !(quads && t.bytes() == 1),
        };
        if self.r.one_in(2) {
            let (_, d) = self.dst(e, &int);
            let (_, a) = self.src_var(e, Mods::Any, float);
            format!("{}mov{sat} {} {d} {a}", self.guard(e), e.text())
        } else {
            let (_, d) = self.dst(e, float);
            let (_, a) = self.src_var(e, Mods::Any, &int);
            format!("{}mov {} {d} {a}", self.guard(e), e.text())
        }
    }

    /// A compare that sets a predicate for all lanes of the thread.
    pub(super) fn condition(&mut self, p: &str) -> Vec<String> {
        let e = Exec { lanes: self.simd, offset: 0, no_mask: self.r.one_in(8) };
        vec![self.compare(e, p)]
    }

    pub(super) fn compare(&mut self, e: Exec, p: &str) -> String {
        let cond = self.r.pick(&["eq", "ne", "gt", "ge", "lt", "le"]);
        let text = e.text();
        if self.r.one_in(4) && e.lanes * 4 <= 2 * self.grf {
            let float = |t: Type| t == Type::F;
            let (_, a) = self.src_var(e, Mods::Any, &float);
            let (_, b) = self.src(e, Mods::Any, &float);
            return format!("cmp.{cond} {text} {p} {a} {b}");
        }
        let sign = self.r.one_in(2);
        let limit = 2 * self.grf / e.lanes;
        let wide = self.ints.len() > INTS.len() && self.r.one_in(2);
        let met = move |t: Type| t.is_int() && if wide { t.bytes() > 1 } else { t.bytes() < 8 };
        let kind = move |t: Type| met(t) && t.is_signed_int() == sign && t.bytes() <= limit;
        let (_, a) = self.src_var(e, Mods::Any, &kind);
        let (_, b) = self.src(e, Mods::Any, &kind);
        format!("cmp.{cond} {text} {p} {a} {b}")
    }

    pub(super) fn predicate_line(&mut self) -> String {
        let p = self.pred();
        match self.r.below(6) {
            0 => set_all(&p, if self.widest == 32 { 32 } else { 16 }, self.r.next() as u32),
            1..=2 => {
                let op = self.r.pick(&["and", "or", "xor", "not"]);
                let e = Exec { lanes: if self.widest == 32 { 32 } else { 16 }, offset: 0, no_mask: true };
                let e =
                    if self.r.one_in(2) { e } else { Exec { lanes: self.simd, offset: 0, no_mask: false } };
                let (a, b) = (self.pred(), self.pred());
                if op == "not" {
                    format!("not {} {p} {a}", e.text())
                } else {
                    format!("{op} {} {p} {a} {b}", e.text())
                }
            }
            3 => {
                let e = self.exec_for(4);
                let (v, d) = self.dst(e, &|t| DWORDS.contains(&t));
                let ty = v.ty;
                let (_, a) = self.src_var(e, Mods::None, &|t| t == ty);
                let (_, b) = self.src(e, Mods::None, &|t| t == ty);
                let cond = self.r.pick(&["eq", "ne", "gt", "ge", "lt", "le"]);
                format!("cmp.{cond} {} {d} {a} {b}", e.text())
            }
            _ => {
                let e = self.exec();
                self.compare(e, &p)
            }
        }
    }
}
