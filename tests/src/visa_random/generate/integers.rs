//! Arithmetic of integers.

use super::*;

/// What holds for all operands of a line.
#[derive(Clone, Copy)]
struct Ints {
    /// Bytes and 64-bit integers do not meet in one instruction.
    wide: bool,
    sat: &'static str,
}

impl Ints {
    fn has(self, t: Type) -> bool {
        t.is_int() && if self.wide { t.bytes() > 1 } else { t.bytes() < 8 }
    }

    const fn bytes(self) -> u32 {
        if self.wide { 8 } else { 4 }
    }
}

fn small(t: Type) -> bool {
    INTS.contains(&t)
}

fn dword(t: Type) -> bool {
    DWORDS.contains(&t)
}

fn ud(t: Type) -> bool {
    t == Type::UD
}

impl Generator {
    pub(super) fn int_line(&mut self) -> String {
        let wide = self.ints.len() > INTS.len() && self.r.one_in(2);
        let ints = Ints { wide, sat: if self.r.one_in(6) { ".sat" } else { "" } };
        match self.r.below(24) {
            0..=3 => {
                let e = self.exec_for(ints.bytes());
                self.two_sources(&format!("add{}", ints.sat), e, Mods::Any, &|t| ints.has(t))
            }
            4..=5 => {
                let e = self.exec_for(ints.bytes());
                self.two_sources("mul", e, Mods::Any, &|t| ints.has(t))
            }
            6 => {
                let e = self.exec_for(4);
                self.three_sources("mad", e, Mods::Any, &small)
            }
            7 => {
                let (e, ty) = (self.exec_for(4), self.r.pick(&DWORDS));
                self.two_sources("mulh", e, Mods::None, &|t| t == ty)
            }
            8..=9 => self.bitwise(ints),
            10..=11 => self.shift(ints),
            12 => self.average(ints),
            13 => self.bit_count(),
            14 => self.bit_field(),
            15 => self.carry(),
            16 => self.min_max(ints),
            17 => self.select(ints),
            18 if self.caps.ops.add3_bfn => self.of_three(),
            18 if self.caps.ops.rotate => self.rotate(ints),
            19 if self.caps.ops.dp4a => {
                let e = self.exec_for(4);
                self.three_sources("dp4a", e, Mods::None, &dword)
            }
            20 if self.caps.ops.int_div => {
                let (e, op) = (self.exec_for(4), self.r.pick(&["div", "mod"]));
                self.two_sources(op, e, Mods::None, &small)
            }
            21 => self.long_product(),
            _ => {
                let e = self.exec_for(ints.bytes());
                let (_, d) = self.dst(e, &|t| ints.has(t));
                let (_, a) = self.src(e, Mods::Any, &|t| ints.has(t));
                self.guarded(&format!("mov{}", ints.sat), e, &[&d, &a])
            }
        }
    }

    /// An instruction, now and then under a guard.
    fn guarded(&mut self, op: &str, e: Exec, operands: &[&str]) -> String {
        format!("{}{op} {} {}", self.guard(e), e.text(), operands.join(" "))
    }

    fn two_sources(&mut self, op: &str, e: Exec, mods: Mods, want: &dyn Fn(Type) -> bool) -> String {
        let (_, d) = self.dst(e, want);
        let (_, a) = self.src_var(e, mods, want);
        let (_, b) = self.src(e, mods, want);
        self.guarded(op, e, &[&d, &a, &b])
    }

    fn three_sources(&mut self, op: &str, e: Exec, mods: Mods, want: &dyn Fn(Type) -> bool) -> String {
        let (_, d) = self.dst(e, want);
        let [a, b, c] = [(); 3].map(|()| self.src_var(e, mods, want).1);
        self.guarded(op, e, &[&d, &a, &b, &c])
    }

    fn bitwise(&mut self, ints: Ints) -> String {
        let e = self.exec_for(ints.bytes());
        let op = self.r.pick(&["and", "or", "xor"]);
        let (_, d) = self.dst(e, &|t| ints.has(t));
        let (_, a) = self.src_var(e, Mods::None, &|t| ints.has(t));
        let (_, b) = self.src(e, Mods::None, &|t| ints.has(t));
        let not = if self.r.one_in(5) { "(~)" } else { "" };
        self.guarded(op, e, &[&d, &format!("{not}{a}"), &b])
    }

    fn shift(&mut self, ints: Ints) -> String {
        let e = self.exec_for(ints.bytes());
        let op = self.r.pick(&["shl", "shr", "asr"]);
        let kind = move |t: Type| match op {
            "shr" => !t.is_signed_int() && ints.has(t),
            "asr" => t.is_signed_int() && ints.has(t),
            _ => ints.has(t),
        };
        let sat = if op == "asr" { "" } else { ints.sat };
        let (v, d) = self.dst(e, &kind);
        let ty = v.ty;
        let (_, a) = self.src_var(e, Mods::any_if(op == "asr"), &|t| t == ty);
        let (_, b) = self.src(e, Mods::None, &|t| small(t) && (t.bytes() > 1 || ty.bytes() < 8));
        self.guarded(&format!("{op}{sat}"), e, &[&d, &a, &b])
    }

    fn average(&mut self, ints: Ints) -> String {
        let e = self.exec_for(4);
        let (v, d) = self.dst(e, &small);
        let (_, a) = self.src_var(e, Mods::None, &|t| t == v.ty);
        let (_, b) = self.src(e, Mods::None, &|t| t == v.ty);
        self.guarded(&format!("avg{}", ints.sat), e, &[&d, &a, &b])
    }

    /// Bits counted, found, turned around.
    fn bit_count(&mut self) -> String {
        let e = self.exec_for(4);
        let op = self.r.pick(&["cbit", "fbl", "lzd", "fbh", "bfrev", "not"]);
        let (_, d) = self.dst(e, &ud);
        let (_, a) = match op {
            "fbh" => self.src_var(e, Mods::None, &dword),
            _ => self.src_var(e, Mods::None, &ud),
        };
        self.guarded(op, e, &[&d, &a])
    }

    /// Bits taken out or put in: all operands at the start of a register; never two lanes.
    fn bit_field(&mut self) -> String {
        let mut e = self.exec_for(4);
        if e.lanes == 2 {
            e.lanes = 4;
        }
        let ty = self.r.pick(&DWORDS);
        let whole = |g: &mut Generator| format!("{}(0,0)<1;1,0>", g.var(&|t| t == ty).name);
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

    fn carry(&mut self) -> String {
        let e = self.exec_for(4);
        let op = self.r.pick(&["addc", "subb"]);
        let (v, d) = self.dst(e, &ud);
        let (c, carry) = self.dst(e, &ud);
        let (_, a) = self.src_var(e, Mods::None, &ud);
        let (_, b) = self.src(e, Mods::None, &ud);
        let root = |v: &Variable| v.alias.clone().unwrap_or(v.name.clone());
        if root(&v) == root(&c) {
            if v.elements < 3 {
                return self.int_line();
            }
            let v = v.name;
            return format!("{op} (M1_NM, 1) {v}(0,0)<1> {v}(0,1)<1> {v}(0,2)<0;1,0> 0x7:ud");
        }
        self.guarded(op, e, &[&d, &carry, &a, &b])
    }

    fn min_max(&mut self, ints: Ints) -> String {
        let e = self.exec_for(ints.bytes());
        let op = self.r.pick(&["min", "max"]);
        let sign = self.r.one_in(2);
        let kind = move |t: Type| ints.has(t) && t.is_signed_int() == sign;
        let (_, d) = self.dst(e, &|t| ints.has(t));
        let (_, a) = self.src_var(e, Mods::Any, &kind);
        let (_, b) = self.src(e, Mods::Any, &kind);
        format!("{op}{} {} {d} {a} {b}", ints.sat, e.text())
    }

    fn select(&mut self, ints: Ints) -> String {
        let e = self.exec_for(ints.bytes());
        let (_, d) = self.dst(e, &|t| ints.has(t));
        let (_, a) = self.src_var(e, Mods::Any, &|t| ints.has(t));
        let (_, b) = self.src(e, Mods::Any, &|t| ints.has(t));
        let p = self.pred();
        format!("({p}) sel{} {} {d} {a} {b}", ints.sat, e.text())
    }

    /// A sum of three, or a function of three bits.
    fn of_three(&mut self) -> String {
        let e = self.exec_for(4);
        let kind = |t: Type| matches!(t, Type::D | Type::UD | Type::W | Type::UW);
        let (_, d) = self.dst(e, &kind);
        let [a, b, c] = [(); 3].map(|()| self.src_var(e, Mods::None, &kind).1);
        let op = if self.r.one_in(2) { "add3".to_owned() } else { format!("bfn.x{:x}", self.r.below(256)) };
        self.guarded(&op, e, &[&d, &a, &b, &c])
    }

    fn rotate(&mut self, ints: Ints) -> String {
        let e = self.exec_for(4);
        let op = self.r.pick(&["rol", "ror"]);
        let ty = if ints.wide && self.caps.ops.int64 { Type::UQ } else { self.r.pick(&[Type::UD, Type::UW]) };
        self.two_sources(op, e, Mods::None, &|t| t == ty)
    }

    /// `madw`: the upper halves lie behind the lower ones, at the next register.
    fn long_product(&mut self) -> String {
        let mut e = self.exec_for(4);
        let ty = self.r.pick(&DWORDS);
        let v = self.var(&|t| t == ty);
        if v.bytes() < 2 * self.grf {
            return self.int_line();
        }
        while e.lanes > 16 || 2 * (e.lanes * 4).next_multiple_of(self.grf) > v.bytes() {
            e.lanes /= 2;
        }
        let (_, a) = self.src_var(e, Mods::Any, &|t| t == ty);
        let (_, b) = self.src(e, Mods::Any, &|t| t == ty);
        let (_, c) = self.src(e, Mods::None, &|t| t == ty);
        self.guarded("madw", e, &[&format!("{}(0,0)<1>", v.name), &a, &b, &c])
    }
}
