//! Arithmetic, comparisons and logic of predicates.

use super::*;

impl Generator {
    pub(super) fn int_line(&mut self) -> String {
        // Bytes and 64-bit integers do not meet in one instruction.
        let wide = self.ints.len() > INTS.len() && self.r.one_in(2);
        let int = move |t: Type| t.is_int() && if wide { t.bytes() > 1 } else { t.bytes() < 8 };
        let small = |t: Type| INTS.contains(&t);
        let dword = |t: Type| DWORDS.contains(&t);
        let ud = |t: Type| t == Type::UD;
        let sat = if self.r.one_in(6) { ".sat" } else { "" };
        match self.r.below(24) {
            0..=3 => {
                let e = self.exec_for(if wide { 8 } else { 4 });
                let (_, d) = self.dst(e, &int);
                let (_, a) = self.src_var(e, true, &int);
                let (_, b) = self.src(e, true, &int);
                format!("{}add{sat} {} {d} {a} {b}", self.guard(e), e.text())
            }
            4..=5 => {
                let e = self.exec_for(if wide { 8 } else { 4 });
                let (_, d) = self.dst(e, &int);
                let (_, a) = self.src_var(e, true, &int);
                let (_, b) = self.src(e, true, &int);
                format!("{}mul {} {d} {a} {b}", self.guard(e), e.text())
            }
            6 => {
                let e = self.exec_for(4);
                let (_, d) = self.dst(e, &small);
                let (_, a) = self.src_var(e, true, &small);
                let (_, b) = self.src_var(e, true, &small);
                let (_, c) = self.src_var(e, true, &small);
                format!("{}mad {} {d} {a} {b} {c}", self.guard(e), e.text())
            }
            7 => {
                let e = self.exec_for(4);
                let ty = self.r.pick(&DWORDS);
                let (_, d) = self.dst(e, &|t| t == ty);
                let (_, a) = self.src_var(e, false, &|t| t == ty);
                let (_, b) = self.src(e, false, &|t| t == ty);
                format!("{}mulh {} {d} {a} {b}", self.guard(e), e.text())
            }
            8..=9 => {
                let e = self.exec_for(if wide { 8 } else { 4 });
                let op = self.r.pick(&["and", "or", "xor"]);
                let (_, d) = self.dst(e, &int);
                let (_, a) = self.src_var(e, false, &int);
                let (_, b) = self.src(e, false, &int);
                let not = if self.r.one_in(5) { "(~)" } else { "" };
                format!("{}{op} {} {d} {not}{a} {b}", self.guard(e), e.text())
            }
            10..=11 => {
                let e = self.exec_for(if wide { 8 } else { 4 });
                let op = self.r.pick(&["shl", "shr", "asr"]);
                let kind = move |t: Type| match op {
                    "shr" => !t.is_signed_int() && int(t),
                    "asr" => t.is_signed_int() && int(t),
                    _ => int(t),
                };
                let sat = if op == "asr" { "" } else { sat };
                let (v, d) = self.dst(e, &kind);
                let ty = v.ty;
                let (_, a) = self.src_var(e, op == "asr", &|t| t == ty);
                let bytes = ty.bytes();
                let (_, b) = self.src(e, false, &|t| small(t) && (t.bytes() > 1 || bytes < 8));
                format!("{}{op}{sat} {} {d} {a} {b}", self.guard(e), e.text())
            }
            12 => {
                let e = self.exec_for(4);
                let (v, d) = self.dst(e, &small);
                let ty = v.ty;
                let (_, a) = self.src_var(e, false, &|t| t == ty);
                let (_, b) = self.src(e, false, &|t| t == ty);
                format!("{}avg{sat} {} {d} {a} {b}", self.guard(e), e.text())
            }
            13 => {
                let e = self.exec_for(4);
                let op = self.r.pick(&["cbit", "fbl", "lzd", "fbh", "bfrev", "not"]);
                let (_, d) = self.dst(e, &ud);
                let (_, a) = match op {
                    "fbh" => self.src_var(e, false, &dword),
                    _ => self.src_var(e, false, &ud),
                };
                format!("{}{op} {} {d} {a}", self.guard(e), e.text())
            }
            14 => {
                // All operands at the start of a register; never two lanes.
                let mut e = self.exec_for(4);
                if e.lanes == 2 {
                    e.lanes = 4;
                }
                let ty = self.r.pick(&DWORDS);
                let whole = |g: &mut Generator| {
                    let v = g.var(&|t| t == ty);
                    format!("{}(0,0)<1;1,0>", v.name)
                };
                let v = self.var(&|t| t == ty);
                let (w, o) = (self.r.below(33), self.r.below(33));
                let (w, o) = if self.r.one_in(2) {
                    (format!("{w:#x}:{}", ty.name()), format!("{o:#x}:{}", ty.name()))
                } else {
                    (whole(self), whole(self))
                };
                let guard = self.guard(e);
                let x = whole(self);
                if self.r.one_in(2) {
                    format!("{guard}bfe {} {}(0,0)<1> {w} {o} {x}", e.text(), v.name)
                } else {
                    let y = whole(self);
                    format!("{guard}bfi {} {}(0,0)<1> {w} {o} {x} {y}", e.text(), v.name)
                }
            }
            15 => {
                let e = self.exec_for(4);
                let op = self.r.pick(&["addc", "subb"]);
                let (v, d) = self.dst(e, &ud);
                let (c, carry) = self.dst(e, &ud);
                let (_, a) = self.src_var(e, false, &ud);
                let (_, b) = self.src(e, false, &ud);
                let root = |v: &Variable| v.alias.clone().unwrap_or(v.name.clone());
                if root(&v) == root(&c) {
                    return format!(
                        "{op} (M1_NM, 1) {}(0,0)<1> {}(0,1)<1> {}(0,2)<0;1,0> 0x7:ud",
                        v.name, v.name, v.name
                    );
                }
                format!("{}{op} {} {d} {carry} {a} {b}", self.guard(e), e.text())
            }
            16 => {
                let e = self.exec_for(if wide { 8 } else { 4 });
                let op = self.r.pick(&["min", "max"]);
                let sign = self.r.one_in(2);
                let kind = move |t: Type| int(t) && t.is_signed_int() == sign;
                let (_, d) = self.dst(e, &int);
                let (_, a) = self.src_var(e, true, &kind);
                let (_, b) = self.src(e, true, &kind);
                format!("{op}{sat} {} {d} {a} {b}", e.text())
            }
            17 => {
                let e = self.exec_for(if wide { 8 } else { 4 });
                let (_, d) = self.dst(e, &int);
                let (_, a) = self.src_var(e, true, &int);
                let (_, b) = self.src(e, true, &int);
                let p = self.pred();
                format!("({p}) sel{sat} {} {d} {a} {b}", e.text())
            }
            18 if self.caps.ops.add3_bfn => {
                let e = self.exec_for(4);
                let kind = |t: Type| matches!(t, Type::D | Type::UD | Type::W | Type::UW);
                let (_, d) = self.dst(e, &kind);
                let (_, a) = self.src_var(e, false, &kind);
                let (_, b) = self.src_var(e, false, &kind);
                let (_, c) = self.src_var(e, false, &kind);
                if self.r.one_in(2) {
                    format!("{}add3 {} {d} {a} {b} {c}", self.guard(e), e.text())
                } else {
                    let table = self.r.below(256);
                    format!("{}bfn.x{table:x} {} {d} {a} {b} {c}", self.guard(e), e.text())
                }
            }
            18 if self.caps.ops.rotate => {
                let e = self.exec_for(4);
                let op = self.r.pick(&["rol", "ror"]);
                let ty =
                    if wide && self.caps.ops.int64 { Type::UQ } else { self.r.pick(&[Type::UD, Type::UW]) };
                let (_, d) = self.dst(e, &|t| t == ty);
                let (_, a) = self.src_var(e, false, &|t| t == ty);
                let (_, b) = self.src(e, false, &|t| t == ty);
                format!("{}{op} {} {d} {a} {b}", self.guard(e), e.text())
            }
            19 if self.caps.ops.dp4a => {
                let e = self.exec_for(4);
                let (_, d) = self.dst(e, &dword);
                let (_, a) = self.src_var(e, false, &dword);
                let (_, b) = self.src_var(e, false, &dword);
                let (_, c) = self.src_var(e, false, &dword);
                format!("{}dp4a {} {d} {a} {b} {c}", self.guard(e), e.text())
            }
            20 if self.caps.ops.int_div => {
                let e = self.exec_for(4);
                let op = self.r.pick(&["div", "mod"]);
                let (_, d) = self.dst(e, &small);
                let (_, a) = self.src_var(e, false, &small);
                let (_, b) = self.src(e, false, &small);
                format!("{}{op} {} {d} {a} {b}", self.guard(e), e.text())
            }
            21 => {
                // The upper halves lie behind the lower ones, at the next register.
                let mut e = self.exec_for(4);
                let ty = self.r.pick(&DWORDS);
                let v = self.var(&|t| t == ty);
                while e.lanes > 16 || 2 * (e.lanes * 4).next_multiple_of(self.grf) > v.bytes() {
                    e.lanes /= 2;
                }
                let (_, a) = self.src_var(e, true, &|t| t == ty);
                let (_, b) = self.src(e, true, &|t| t == ty);
                let (_, c) = self.src(e, false, &|t| t == ty);
                format!("{}madw {} {}(0,0)<1> {a} {b} {c}", self.guard(e), e.text(), v.name)
            }
            _ => {
                let e = self.exec_for(if wide { 8 } else { 4 });
                let (_, d) = self.dst(e, &int);
                let (_, a) = self.src(e, true, &int);
                format!("{}mov{sat} {} {d} {a}", self.guard(e), e.text())
            }
        }
    }

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
                let (_, a) = self.src_var(e, true, &float);
                let (_, b) = self.src_var(e, true, &float);
                let (_, c) = self.src_var(e, true, &float);
                format!("{}lrp{sat} {} {d} {a} {b} {c}", self.guard(e), e.text())
            }
            0..=1 => {
                let op = self.r.pick(&["add", "mul"]);
                let (_, d) = self.dst(e, &float);
                let (_, a) = self.src_var(e, true, &float);
                let (_, b) = self.src(e, true, &float);
                format!("{}{op}{sat} {} {d} {a} {b}", self.guard(e), e.text())
            }
            2..=3 => {
                let (_, d) = self.dst(e, &float);
                let (_, a) = self.src_var(e, true, &float);
                let (_, b) = self.src_var(e, true, &float);
                let (_, c) = self.src_var(e, true, &float);
                format!("{}mad{sat} {} {d} {a} {b} {c}", self.guard(e), e.text())
            }
            4 if !doubles => {
                let op = self.r.pick(&["frc", "rndd", "rndu", "rnde", "rndz"]);
                let (_, d) = self.dst(e, &float);
                let (_, a) = self.src_var(e, op != "frc", &float);
                format!("{}{op} {} {d} {a}", self.guard(e), e.text())
            }
            5 => {
                let op = self.r.pick(&["min", "max"]);
                let (_, d) = self.dst(e, &float);
                let (_, a) = self.src_var(e, true, &float);
                let (_, b) = self.src(e, true, &float);
                format!("{op} {} {d} {a} {b}", e.text())
            }
            6 => {
                let (_, d) = self.dst(e, &float);
                let (_, a) = self.src_var(e, true, &float);
                let (_, b) = self.src(e, true, &float);
                let p = self.pred();
                format!("({p}) sel {} {d} {a} {b}", e.text())
            }
            // Conversions.
            7..=8 => {
                let quads = self.ints.len() > INTS.len() && !halves && self.r.one_in(3);
                let int = |t: Type| match t {
                    Type::Q | Type::UQ => quads,
                    _ if doubles => DWORDS.contains(&t),
                    _ => INTS.contains(&t) && !(quads && t.bytes() == 1),
                };
                if self.r.one_in(2) {
                    let (_, d) = self.dst(e, &int);
                    let (_, a) = self.src_var(e, true, &float);
                    format!("{}mov{sat} {} {d} {a}", self.guard(e), e.text())
                } else {
                    let (_, d) = self.dst(e, &float);
                    let (_, a) = self.src_var(e, true, &int);
                    format!("{}mov {} {d} {a}", self.guard(e), e.text())
                }
            }
            _ => {
                let other = |t: Type| t == Type::F || t == ty;
                let (_, d) = self.dst(e, &other);
                let (_, a) = self.src(e, true, &other);
                format!("{}mov{sat} {} {d} {a}", self.guard(e), e.text())
            }
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
            let (_, a) = self.src_var(e, true, &float);
            let (_, b) = self.src(e, true, &float);
            return format!("cmp.{cond} {text} {p} {a} {b}");
        }
        let sign = self.r.one_in(2);
        let limit = 2 * self.grf / e.lanes;
        let wide = self.ints.len() > INTS.len() && self.r.one_in(2);
        let met = move |t: Type| t.is_int() && if wide { t.bytes() > 1 } else { t.bytes() < 8 };
        let kind = move |t: Type| met(t) && t.is_signed_int() == sign && t.bytes() <= limit;
        let (_, a) = self.src_var(e, true, &kind);
        let (_, b) = self.src(e, true, &kind);
        format!("cmp.{cond} {text} {p} {a} {b}")
    }

    pub(super) fn predicate_line(&mut self) -> String {
        let p = self.pred();
        match self.r.below(6) {
            0 => {
                let bits = self.r.next() as u32;
                if self.widest == 32 {
                    format!("setp (M1_NM, 32) {p} {bits:#x}:ud")
                } else {
                    format!("setp (M1_NM, 16) {p} {:#x}:uw", bits & 0xffff)
                }
            }
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
                let (_, a) = self.src_var(e, false, &|t| t == ty);
                let (_, b) = self.src(e, false, &|t| t == ty);
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
