//! Makes programs.

use super::{BUFFER, Block, Node, Program, Variable};
use finalizer::Grf;
use platforms::{Caps, Platform};
use std::cmp::Ordering;
use visa::Type;

/// What kind of programs to make.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The platform they are for.
    pub platform: Platform,
    /// Registers that their code is given.
    pub grf: Grf,
    /// How many of them variables are not given.
    pub reserved: u16,
}

impl Settings {
    /// Programs for a platform.
    pub fn new(platform: Platform) -> Settings {
        Settings { platform, grf: Grf::Kernel, reserved: 0 }
    }
}

/// splitmix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: u32) -> u32 {
        (((self.next() >> 32) * u64::from(n.max(1))) >> 32) as u32
    }

    fn one_in(&mut self, n: u32) -> bool {
        self.below(n) == 0
    }

    fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len() as u32) as usize]
    }
}

/// Lanes, mask offset, and whether the mask is ignored.
#[derive(Clone, Copy)]
struct Exec {
    lanes: u32,
    offset: u32,
    no_mask: bool,
}

impl Exec {
    fn text(self) -> String {
        let nm = if self.no_mask { "_NM" } else { "" };
        format!("(M{}{nm}, {})", self.offset / 4 + 1, self.lanes)
    }
}

const INTS: [Type; 6] = [Type::D, Type::UD, Type::W, Type::UW, Type::B, Type::UB];
const DWORDS: [Type; 2] = [Type::D, Type::UD];

struct Generator {
    r: Random,
    caps: &'static Caps,
    grf: u32,
    simd: u32,
    /// Most lanes of an instruction without mask.
    widest: u32,
    vars: Vec<Variable>,
    counters: u32,
    scalar_counters: u32,
    fuels: u32,
    ints: Vec<Type>,
    halves: bool,
    in_sub: bool,
}

fn signed(ty: Type) -> bool {
    ty.is_signed_int() || ty.is_float()
}

impl Generator {
    fn exec(&mut self) -> Exec {
        let no_mask = self.r.one_in(4);
        let most = if no_mask { self.widest } else { self.simd };
        let sizes: Vec<u32> = [1, 2, 4, 8, 16, 32].into_iter().filter(|n| *n <= most).collect();
        // Whole-thread instructions are what programs are made of.
        let lanes = if self.r.one_in(3) { self.r.pick(&sizes) } else { most.min(self.simd) };
        // Not lowered yet: lanes 4 to 7 alone where channel offsets count in eights.
        let step = lanes.max(if self.caps.words.nibble_offset { 4 } else { 8 });
        let offset = if self.r.one_in(3) { self.r.below(most / step) * step } else { 0 };
        Exec { lanes, offset: if offset + lanes <= most { offset } else { 0 }, no_mask }
    }

    /// A variable whose type satisfies a condition.
    fn var(&mut self, want: &dyn Fn(Type) -> bool) -> Variable {
        let fitting: Vec<usize> = (0..self.vars.len()).filter(|i| want(self.vars[*i].ty)).collect();
        let i = fitting[self.r.below(fitting.len() as u32) as usize];
        self.vars[i].clone()
    }

    fn place(&self, v: &Variable, element: u32) -> String {
        let size = v.ty.bytes();
        let at = element * size;
        format!("{}({},{})", v.name, at / self.grf, at % self.grf / size)
    }

    /// Whether a region stays in a variable and in two registers (spec "Region Restrictions", rule 6).
    fn fits(&self, v: &Variable, first: u32, last: u32) -> bool {
        let size = v.ty.bytes();
        let (start, end) = (first * size, (first + last) * size + size - 1);
        end < v.bytes() && end / self.grf - start / self.grf <= 1
    }

    /// The longest stride or offset that fits is found by trying.
    fn dst(&mut self, e: Exec, want: &dyn Fn(Type) -> bool) -> (Variable, String) {
        for _ in 0..50 {
            let v = self.var(want);
            let stride = if self.r.one_in(5) { self.r.pick(&[2, 4]) } else { 1 };
            let first = if self.r.one_in(3) { self.r.below(v.elements) } else { 0 };
            if self.fits(&v, first, (e.lanes - 1) * stride) {
                let text = format!("{}<{stride}>", self.place(&v, first));
                return (v, text);
            }
        }
        let v = self.var(want);
        let stride = 1;
        if self.fits(&v, 0, e.lanes - 1) {
            let text = format!("{}<{stride}>", self.place(&v, 0));
            return (v, text);
        }
        // Too wide for this type at all: the caller narrows.
        (v, String::new())
    }

    fn region(&mut self, v: &Variable, e: Exec) -> Option<String> {
        let n = e.lanes;
        let (vs, w, h) = match self.r.below(8) {
            0 => (0, 1, 0),
            1 => (2, 1, 0),
            2 => {
                let w = self.r.pick(&[1, 2, 4, 8, 16]);
                (self.r.pick(&[0, 1, 2, 4, 8, 16]), w, self.r.pick(&[0, 1, 2, 4]))
            }
            3 => (8, 8, 1),
            _ => (1, 1, 0),
        };
        if w > n {
            return None;
        }
        let last = (n - 1) / w * vs + (w - 1) * h;
        let first = if self.r.one_in(3) { self.r.below(v.elements) } else { 0 };
        if !self.fits(v, first, last) {
            return None;
        }
        Some(format!("{}<{vs};{w},{h}>", self.place(v, first)))
    }

    fn modifier(&mut self, ty: Type) -> &'static str {
        if !signed(ty) || !self.r.one_in(6) {
            return "";
        }
        self.r.pick(&["(-)", "(abs)", "(-abs)"])
    }

    /// A source of a general variable.
    fn src_var(&mut self, e: Exec, mods: bool, want: &dyn Fn(Type) -> bool) -> (Type, String) {
        loop {
            for _ in 0..30 {
                let v = self.var(want);
                if let Some(text) = self.region(&v, e) {
                    let m = if mods { self.modifier(v.ty) } else { "" };
                    return (v.ty, format!("{m}{text}"));
                }
            }
            let v = self.var(want);
            if self.fits(&v, 0, e.lanes - 1) || self.fits(&v, 0, 0) {
                let region = if self.fits(&v, 0, e.lanes - 1) { "<1;1,0>" } else { "<0;1,0>" };
                return (v.ty, format!("{}{region}", self.place(&v, 0)));
            }
        }
    }

    fn constant(&mut self, ty: Type) -> String {
        let bits = match self.r.below(4) {
            0 => self.r.next() >> 32,
            1 => self.r.pick(&[0, 1, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0xffff_8000, 0x7fff]),
            _ => u64::from(self.r.below(64)),
        } as u32;
        match ty {
            Type::F => {
                let x = self.r.pick(&[0.0f32, 1.0, -1.0, 0.5, 3.25, -100.0, 65536.0, 1e-3]);
                format!("{:#x}:f", x.to_bits())
            }
            Type::DF => {
                let x = self.r.pick(&[0.0f64, 1.0, -1.5, 0.25, 1000.0]);
                format!("{:#x}:df", x.to_bits())
            }
            Type::HF => format!("{:#x}:hf", self.r.pick(&[0u32, 0x3c00, 0xbc00, 0x3800, 0x4200])),
            Type::W | Type::UW => format!("{:#x}:{}", bits & 0xffff, ty.name()),
            Type::B => format!("{:#x}:w", bits as i8 as i16 as u16),
            Type::UB => format!("{:#x}:uw", bits & 0xff),
            Type::Q | Type::UQ => format!("{:#x}:{}", self.r.next() >> self.r.below(64), ty.name()),
            _ => format!("{bits:#x}:{}", ty.name()),
        }
    }

    /// A source: mostly a variable, sometimes a constant.
    fn src(&mut self, e: Exec, mods: bool, want: &dyn Fn(Type) -> bool) -> (Type, String) {
        if self.r.one_in(5) {
            let ty = self.var(want).ty;
            if ty.is_int() && e.lanes <= 8 && self.r.one_in(4) && want(Type::W) && want(Type::UW) {
                let bits = self.r.next() as u32;
                return if self.r.one_in(2) {
                    (Type::W, format!("{bits:#x}:v"))
                } else {
                    (Type::UW, format!("{bits:#x}:uv"))
                };
            }
            return (ty, self.constant(ty));
        }
        self.src_var(e, mods, want)
    }

    fn pred(&mut self) -> String {
        format!("P{}", 1 + self.r.below(4))
    }

    /// A guard, now and then.
    fn guard(&mut self, e: Exec) -> String {
        if !self.r.one_in(4) {
            return String::new();
        }
        let not = if self.r.one_in(2) { "!" } else { "" };
        let p = self.pred();
        let ctrl = if e.lanes > 1 && self.r.one_in(6) { self.r.pick(&[".any", ".all"]) } else { "" };
        format!("({not}{p}{ctrl}) ")
    }

    /// Lanes that all of these types can have in two registers.
    fn narrow(&self, mut e: Exec, widest: Type) -> Exec {
        while e.lanes * widest.bytes() > 2 * self.grf {
            e.lanes /= 2;
        }
        e
    }

    /// An execution size at which the widest type of integer and float operands fits.
    fn exec_for(&mut self, bytes: u32) -> Exec {
        let e = self.exec();
        let ty = if bytes == 8 { Type::Q } else { Type::D };
        self.narrow(e, ty)
    }

    fn int_line(&mut self) -> String {
        // Bytes and 64-bit integers do not meet in one instruction.
        let wide = self.ints.len() > INTS.len() && self.r.one_in(2);
        let int = move |t: Type| t.is_int() && if wide { t.bytes() > 1 } else { t.bytes() < 8 };
        let small = |t: Type| INTS.contains(&t);
        let dword = |t: Type| DWORDS.contains(&t);
        let ud = |t: Type| t == Type::UD;
        match self.r.below(22) {
            0..=3 => {
                let e = self.exec_for(if wide { 8 } else { 4 });
                let (_, d) = self.dst(e, &int);
                let (_, a) = self.src_var(e, true, &int);
                let (_, b) = self.src(e, true, &int);
                let sat = if self.r.one_in(6) { ".sat" } else { "" };
                format!("{}add{sat} {} {d} {a} {b}", self.guard(e), e.text())
            }
            4..=5 => {
                let e = self.exec_for(4);
                let (_, d) = self.dst(e, &small);
                let (_, a) = self.src_var(e, true, &small);
                let (_, b) = self.src(e, true, &small);
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
                let (v, d) = self.dst(e, &kind);
                let ty = v.ty;
                let (_, a) = self.src_var(e, op == "asr", &|t| t == ty);
                let bytes = ty.bytes();
                let (_, b) = self.src(e, false, &|t| small(t) && (t.bytes() > 1 || bytes < 8));
                format!("{}{op} {} {d} {a} {b}", self.guard(e), e.text())
            }
            12 => {
                let e = self.exec_for(4);
                let (v, d) = self.dst(e, &small);
                let ty = v.ty;
                let (_, a) = self.src_var(e, false, &|t| t == ty);
                let (_, b) = self.src(e, false, &|t| t == ty);
                format!("{}avg {} {d} {a} {b}", self.guard(e), e.text())
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
                let e = self.exec_for(4);
                let op = self.r.pick(&["min", "max"]);
                let sign = self.r.one_in(2);
                let kind = move |t: Type| small(t) && t.is_signed_int() == sign;
                let (_, d) = self.dst(e, &small);
                let (_, a) = self.src_var(e, true, &kind);
                let (_, b) = self.src(e, true, &kind);
                format!("{op} {} {d} {a} {b}", e.text())
            }
            17 => {
                let e = self.exec_for(if wide { 8 } else { 4 });
                let (_, d) = self.dst(e, &int);
                let (_, a) = self.src_var(e, true, &int);
                let (_, b) = self.src(e, true, &int);
                let p = self.pred();
                format!("({p}) sel {} {d} {a} {b}", e.text())
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
                let ty = self.r.pick(&[Type::UD, Type::UW]);
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
            _ => {
                let e = self.exec_for(if wide { 8 } else { 4 });
                let (_, d) = self.dst(e, &int);
                let (_, a) = self.src(e, true, &int);
                let sat = if self.r.one_in(4) { ".sat" } else { "" };
                format!("{}mov{sat} {} {d} {a}", self.guard(e), e.text())
            }
        }
    }

    fn float_line(&mut self) -> String {
        let doubles = self.caps.ops.fp64 && self.r.one_in(4);
        let halves = self.halves && !doubles && self.r.one_in(4);
        let ty = if doubles {
            Type::DF
        } else if halves {
            Type::HF
        } else {
            Type::F
        };
        let float = |t: Type| t == ty;
        let e = self.exec_for(if doubles { 8 } else { 4 });
        let sat = if self.r.one_in(6) { ".sat" } else { "" };
        match self.r.below(10) {
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
                let int = |t: Type| if doubles { DWORDS.contains(&t) } else { INTS.contains(&t) };
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
    fn condition(&mut self, p: &str) -> Vec<String> {
        let e = Exec { lanes: self.simd, offset: 0, no_mask: self.r.one_in(8) };
        vec![self.compare(e, p)]
    }

    fn compare(&mut self, e: Exec, p: &str) -> String {
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
        let kind = move |t: Type| INTS.contains(&t) && t.is_signed_int() == sign && t.bytes() <= limit;
        let (_, a) = self.src_var(e, true, &kind);
        let (_, b) = self.src(e, true, &kind);
        format!("cmp.{cond} {text} {p} {a} {b}")
    }

    fn predicate_line(&mut self) -> String {
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

    /// Access through an address variable.
    fn indirect(&mut self) -> Vec<String> {
        self.behind_address(&|t| INTS.contains(&t), Type::D, "add")
    }

    /// The same of 64-bit operands, and products.
    fn wide_indirect(&mut self) -> Vec<String> {
        if self.ints.len() > INTS.len() && self.r.one_in(2) {
            self.behind_address(&|t| t.is_int() && t.bytes() >= 4, Type::Q, "add")
        } else {
            self.behind_address(&|t| DWORDS.contains(&t), Type::D, "mul")
        }
    }

    /// Access through an address variable: `op` of operands of types `int`, of which `widest` is the widest, and
    /// moves.
    fn behind_address(&mut self, int: &dyn Fn(Type) -> bool, widest: Type, op: &str) -> Vec<String> {
        let target = self.var(int);
        let ty = target.ty;
        let size = ty.bytes();
        if self.r.one_in(2) {
            let e = self.exec_for(4);
            let e = self.narrow(e, widest);
            let first = self.r.below(target.elements);
            let split = self.r.below(first + 1);
            if !self.fits(&target, first, e.lanes - 1) {
                return vec![self.int_line()];
            }
            let set = format!("addr_add (M1_NM, 1) A0(0)<1> &{} {:#x}:uw", target.name, split * size);
            let rest = ((first - split) * size).min(500) / size * size;
            if first * size != split * size + rest {
                return vec![self.int_line()];
            }
            let name = ty.name();
            if self.r.one_in(2) {
                let (_, a) = self.src_var(e, true, int);
                let guard = self.guard(e);
                vec![set, format!("{guard}mov {} r[A0(0),{rest}]<1>:{name} {a}", e.text())]
            } else {
                let (_, d) = self.dst(e, int);
                let (_, b) = self.src(e, false, int);
                let region = self.r.pick(&["<1;1,0>", "<0;1,0>"]);
                let guard = self.guard(e);
                vec![set, format!("{guard}{op} {} {d} r[A0(0),{rest}]{region}:{name} {b}", e.text())]
            }
        } else {
            // An address per lane.
            let lanes = self.r.pick(&[8, 16]).min(self.widest);
            let e = Exec { lanes, offset: 0, no_mask: self.r.one_in(2) || lanes > self.simd };
            let wide = Exec { no_mask: true, ..e };
            let (_, a) = self.src_var(wide, false, &|t| matches!(t, Type::UW | Type::UD));
            let mask = (target.elements - 1) * size;
            let x = wide.text();
            let (_, d) = self.dst(e, int);
            if d.is_empty() {
                return vec![self.int_line()];
            }
            vec![
                format!("and {x} spread(0,0)<1> {a} {mask:#x}:uw"),
                format!("addr_add {x} A1(0)<1> &{} spread(0,0)<1;1,0>", target.name),
                format!("{}mov {} {d} r[A1(0),0]<1,0>:{}", self.guard(e), e.text(), ty.name()),
            ]
        }
    }

    /// A gather from or scatter to the buffer.
    fn memory(&mut self) -> Vec<String> {
        let lsc = self.caps.memory.lsc;
        let lanes = if self.simd == 8 { 8 } else { 16 };
        let offset = if self.simd == 32 && self.r.one_in(2) { 16 } else { 0 };
        let e = Exec { lanes, offset, no_mask: self.r.one_in(6) };
        let wide = Exec { lanes, offset: 0, no_mask: true };
        let (w, x) = (wide.text(), e.text());
        let ud = |t: Type| matches!(t, Type::UD | Type::D);
        let (_, a) = self.src_var(wide, false, &ud);
        // What a NaN's bits are is nobody's business, so floats are not stored.
        let store = self.r.one_in(2);
        let data = self.var(&|t| matches!(t, Type::UD | Type::D) || !store && t == Type::F);
        let room = data.bytes() / (lanes * 4).max(self.grf);
        if room == 0 {
            return vec![self.int_line()];
        }
        let two = room >= 2 && self.r.one_in(3);
        let guard = self.guard(Exec { lanes: 1, ..e });
        let (channels, elems) = if two { ("RG", "x2") } else { ("R", "") };
        let mut lines = Vec::new();
        if store {
            // Each lane has a dword of its own in every 128 bytes, or two in every 256.
            let (rows, shift) = if two { (BUFFER / 256 - 1, 8) } else { (BUFFER / 128 - 1, 7) };
            lines.push(format!("and {w} where(0,0)<1> {a} {rows:#x}:ud"));
            lines.push(format!("shl {w} where(0,0)<1> where(0,0)<1;1,0> {shift:#x}:ud"));
            lines.push(format!(
                "add {w} where(0,0)<1> where(0,0)<1;1,0> lane{}(0,0)<1;1,0>",
                if two { 8 } else { 4 }
            ));
        } else {
            lines.push(format!("and {w} where(0,0)<1> {a} {:#x}:ud", (BUFFER - 8) & !3));
        }
        let name = &data.name;
        lines.push(match (lsc, store) {
            (true, false) => {
                format!("{guard}lsc_load.ugm {x} {name}:d32{elems} bti(0x0)[where]:a32")
            }
            (true, true) => {
                format!("{guard}lsc_store.ugm {x} bti(0x0)[where]:a32 {name}:d32{elems}")
            }
            (false, false) => format!("{guard}gather4_scaled.{channels} {x} T6 0x0:ud where.0 {name}.0"),
            (false, true) => format!("{guard}scatter4_scaled.{channels} {x} T6 0x0:ud where.0 {name}.0"),
        });
        lines
    }

    fn lines(&mut self) -> Node {
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

    fn nodes(&mut self, budget: &mut u32, depth: u32, in_loop: bool) -> Vec<Node> {
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

    fn branch(&mut self, budget: &mut u32, depth: u32, in_loop: bool) -> Node {
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

    fn looping(&mut self, budget: &mut u32, depth: u32) -> Node {
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

    fn tangle(&mut self, budget: &mut u32, depth: u32) -> Node {
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

    fn declare(&mut self) {
        let heavy = self.r.one_in(8);
        let count = if heavy { 40 + self.r.below(60) } else { 4 + self.r.below(12) };
        let sizes: &[u32] = if heavy { &[2, 4, 4] } else { &[2, 2, 4, 8] };
        let mut types: Vec<Type> = vec![Type::F, Type::D, Type::UD, Type::W, Type::UW, Type::B, Type::UB];
        types.extend(self.ints.iter().skip(INTS.len()));
        if self.caps.ops.fp64 {
            types.push(Type::DF);
        }
        if self.halves {
            types.push(Type::HF);
        }
        // One of each first, so that every instruction finds operands.
        for i in 0..types.len() as u32 + count {
            let ty = match types.get(i as usize) {
                Some(ty) => *ty,
                None => self.r.pick(&types),
            };
            let bytes = self.grf.min(32) * self.r.pick(sizes).max(if i < types.len() as u32 { 4 } else { 2 });
            let bytes = bytes.max(2 * self.grf.min(64));
            let name = format!("V{}", 32 + i);
            self.vars.push(Variable {
                name,
                ty,
                elements: bytes / ty.bytes(),
                alias: None,
                float: ty.is_float(),
            });
        }
        // Integers seen as integers of another width.
        let roots = self.vars.len();
        for _ in 0..self.r.below(6) {
            let root = self.r.below(roots as u32) as usize;
            let (ty, bytes, name) =
                (self.vars[root].ty, self.vars[root].bytes(), self.vars[root].name.clone());
            if !ty.is_int() {
                continue;
            }
            let view = self.r.pick(&INTS);
            let i = self.vars.len();
            self.vars.push(Variable {
                name: format!("V{}", 32 + i),
                ty: view,
                elements: bytes / view.bytes(),
                alias: Some(name),
                float: false,
            });
        }
    }
}

/// The program of a seed.
pub fn generate(settings: Settings, seed: u64) -> Program {
    let Settings { platform, grf, reserved } = settings;
    let caps = platform.caps();
    let mut r = Random(seed);
    let simd = if caps.regs.grf_bytes == 64 { r.pick(&[16, 32]) } else { r.pick(&[8, 16, 16, 32]) };
    let widest = if r.one_in(4) { 32 } else { simd.max(16) };
    let mut ints = INTS.to_vec();
    if caps.ops.int64 && r.one_in(3) {
        ints.extend([Type::Q, Type::UQ]);
    }
    let mut g = Generator {
        r,
        caps,
        grf: caps.regs.grf_bytes.into(),
        simd,
        widest,
        vars: Vec::new(),
        counters: 0,
        scalar_counters: 0,
        fuels: 0,
        ints,
        halves: platform != Platform::Bdw,
        in_sub: false,
    };
    g.declare();
    let mut budget = 30 + g.r.below(150);
    let mut body = g.nodes(&mut budget, 0, false);
    g.in_sub = true;
    let subs = (0..2)
        .map(|_| {
            let mut budget = 12;
            g.nodes(&mut budget, 1, false)
        })
        .collect();
    let helper =
        |name: String, ty: Type, elements: u32| Variable { name, ty, elements, alias: None, float: false };
    let mut helpers = vec![
        helper("lane".into(), Type::UW, 32),
        helper("lane4".into(), Type::UD, 32),
        helper("lane8".into(), Type::UD, 32),
        helper("where".into(), Type::UD, 32),
        helper("spread".into(), Type::UW, 32),
        helper("trips".into(), Type::D, 32),
        helper("flags_ud".into(), Type::UD, 16),
    ];
    helpers.push(Variable { alias: Some("flags_ud".into()), ..helper("flags_uw".into(), Type::UW, 32) });
    helpers.extend((0..g.counters).map(|i| helper(format!("count{i}"), Type::D, 32)));
    helpers.extend((0..g.scalar_counters).map(|i| helper(format!("once{i}"), Type::D, 1)));
    helpers.extend((0..g.fuels).map(|i| helper(format!("fuel{i}"), Type::D, 32)));
    let per_row = g.grf / 4;
    let mut init = vec!["mov (M1_NM, 8) lane(0,0)<1> 0x76543210:uv".to_owned()];
    init.push("add (M1_NM, 8) lane(0,8)<1> lane(0,0)<1;1,0> 0x8:uw".into());
    let half = 32 / g.grf;
    let upper = if half == 1 { "(1,0)" } else { "(0,16)" };
    init.push(format!("add (M1_NM, 16) lane{upper}<1> lane(0,0)<1;1,0> 0x10:uw"));
    let rows = 16 / per_row;
    for (at, lanes) in [(String::from("(0,0)"), "(0,0)"), (format!("({rows},0)"), upper)] {
        init.push(format!("mul (M1_NM, 16) lane4{at}<1> lane{lanes}<1;1,0> 0x4:uw"));
        init.push(format!("mul (M1_NM, 16) lane8{at}<1> lane{lanes}<1;1,0> 0x8:uw"));
        init.push(format!("and (M1_NM, 16) trips{at}<1> lane{lanes}<1;1,0> 0x3:uw"));
        init.push("mov (M1_NM, 16) flags_ud(0,0)<1> 0x0:ud".to_owned());
    }
    let pred_elements = if widest == 32 { 32 } else { 16 };
    for p in 1..=5 {
        let bits = g.r.next() as u32;
        if pred_elements == 32 {
            init.push(format!("setp (M1_NM, 32) P{p} {bits:#x}:ud"));
        } else {
            init.push(format!("setp (M1_NM, 16) P{p} {:#x}:uw", bits & 0xffff));
        }
    }
    // Last, so that all before stays what it was for each seed.
    for _ in 0..g.r.below(4) {
        let lines = g.wide_indirect();
        if !lines.iter().any(|l| l.contains("  ")) {
            body.push(Node::Lines(lines));
        }
    }
    Program {
        platform,
        grf,
        reserved,
        seed,
        simd,
        pred_elements,
        vars: g.vars,
        helpers,
        preds: 6,
        init,
        body,
        subs,
    }
}
