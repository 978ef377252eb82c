//! Hand-written instructions: random ones, over everything that operands can be. Regions, addresses, constants,
//! modifiers, saturation, guards, masks and sizes are drawn apart, so what is drawn is often against a rule; what
//! Intel's finalizer gives a meaning has to have it here, too.

use visa::{
    Type,
    table::{Enc, Family, Row, Slot, rows},
};

use crate::splitmix::SplitMix;

use super::forms::{Form, SOURCES, TYPES, constant};

/// Random forms, equal ones for equal seeds.
pub fn forms(seed: u64, count: usize) -> Vec<Form> {
    let mut draw = Draw::new(seed);
    let alu: Vec<&Row> = rows().filter(|row| matches!(row.family, Family::Alu)).collect();
    (0..count).map(|_| draw.form(&alu)).collect()
}

/// Numbers that look random.
pub(crate) struct Draw(SplitMix);

/// What an operand of an instruction is drawn from.
struct Instruction {
    lanes: u32,
    /// Lines in front that set addresses.
    before: Vec<String>,
    /// Address variables in use.
    addresses: u32,
    logic: bool,
}

impl Draw {
    pub(crate) fn new(seed: u64) -> Draw {
        // Not a multiple of the step of `SplitMix`, which would be another place in the same sequence.
        Draw(SplitMix::new(seed))
    }

    pub(crate) fn below(&mut self, n: u32) -> u32 {
        (self.0.bits() >> 33) as u32 % n
    }

    pub(crate) fn of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len() as u32) as usize]
    }

    /// True so many times of a hundred.
    fn percent(&mut self, n: u32) -> bool {
        self.below(100) < n
    }

    fn form(&mut self, alu: &[&'static Row]) -> Form {
        let lanes = self.of(&[1, 1, 2, 4, 8, 8, 8, 16, 16, 16, 32]);
        let last = (32 - lanes) / lanes.max(4);
        let mask = if self.percent(70) { 0 } else { self.below(last + 1) * lanes.max(4) / 4 };
        let mask = format!("M{}{}", mask + 1, if self.percent(30) { "_NM" } else { "" });
        let exec = format!("({mask}, {lanes})");
        let groups = lanes >= 8 && mask.starts_with("M1");
        let guard = match self.below(100) {
            0..70 => "",
            70..80 if groups => self.of(&["(P1.any) ", "(P1.all) ", "(!P1.any) ", "(!P1.all) "]),
            _ => self.of(&["(P1) ", "(P1) ", "(!P1) "]),
        };
        let mut i = Instruction { lanes, before: Vec::new(), addresses: 0, logic: false };
        let sat = |draw: &mut Draw| if draw.percent(15) { ".sat" } else { "" };
        let (op, line) = match self.below(100) {
            0..6 => {
                let ty = self.of(&TYPES);
                let relation = self.of(&["eq", "ne", "gt", "ge", "lt", "le"]);
                let to = if self.percent(70) { "P2".to_owned() } else { self.dst(ty, &mut i) };
                let (a, b) = (self.src(0, ty, &mut i), self.second(1, ty, &mut i));
                let show =
                    if to == "P2" { format!("\n(P2) mov {exec} X_ud(0,0)<1> 0x1:ud") } else { String::new() };
                ("cmp", format!("cmp.{relation} {exec} {to} {a} {b}{show}"))
            }
            6..10 => {
                let op = self.of(&["min", "max"]);
                let ty = self.of(&TYPES);
                let sat = sat(self);
                let (d, a, b) = (self.dst(ty, &mut i), self.src(0, ty, &mut i), self.second(1, ty, &mut i));
                (op, format!("{guard}{op}{sat} {exec} {d} {a} {b}"))
            }
            10..14 => {
                let op = self.of(&["addc", "subb"]);
                let (d, a, b) = (
                    self.dst(Type::UD, &mut i),
                    self.src(0, Type::UD, &mut i),
                    self.src(1, Type::UD, &mut i),
                );
                (op, format!("{guard}{op} {exec} {d} Y_ud(0,0)<1> {a} {b}"))
            }
            14..17 => {
                let ty = self.of(&[Type::UD, Type::D, Type::UW, Type::W]);
                let function = self.below(256);
                i.logic = true;
                let d = self.dst(ty, &mut i);
                let [a, b, c] = [0, 1, 2].map(|n| self.second(n, ty, &mut i));
                ("bfn", format!("{guard}bfn.x{function:02x} {exec} {d} {a} {b} {c}"))
            }
            17..19 => {
                let ty = self.of(&[Type::UD, Type::D, Type::UW, Type::W, Type::UB, Type::B]);
                let a = self.src(0, ty, &mut i);
                ("setp", format!("setp {exec} P2 {a}\n(P2) mov {exec} X_ud(0,0)<1> 0x1:ud"))
            }
            19..21 => {
                let op = self.of(&["invm", "rsqtm"]);
                let ty = self.of(&[Type::F, Type::DF]);
                let (d, a) = (self.dst(ty, &mut i), self.src(0, ty, &mut i));
                let b = if op == "invm" { self.src(1, ty, &mut i) + " " } else { String::new() };
                (op, format!("{guard}{op} {exec} {d} P2 {a} {b}").trim_end().to_owned())
            }
            21..24 => {
                let op = self.of(&["and", "or", "xor"]);
                ("predicates", format!("{op} {exec} P2 P1 P2\n(P2) mov {exec} X_ud(0,0)<1> 0x1:ud"))
            }
            _ => {
                let row = self.of(alu);
                let sat = sat(self);
                (row.name, self.arithmetic(row, &format!("{guard}{}{sat} {exec}", row.name), &mut i))
            }
        };
        i.before.push(line);
        Form { op, line: i.before.join("\n") }
    }

    fn arithmetic(&mut self, row: &Row, head: &str, i: &mut Instruction) -> String {
        let slots: Vec<&Slot> = row.operand_slots().filter(|s| s.enc == Enc::Vector).collect();
        i.logic = matches!(row.name, "and" | "or" | "xor" | "not" | "bfe" | "bfi" | "bfrev");
        let mut line = head.to_owned();
        let mut last: Option<Type> = None;
        for (n, slot) in slots.iter().enumerate() {
            let allowed: Vec<Type> = TYPES.into_iter().filter(|t| slot.types.has(*t)).collect();
            let ty = match last {
                Some(ty) if slot.types.has(ty) && self.percent(80) => ty,
                _ if self.percent(4) => self.of(&TYPES),
                _ if allowed.is_empty() => Type::UD,
                _ => self.of(&allowed),
            };
            last = Some(ty);
            line += " ";
            line += &if n == 0 {
                self.dst(ty, i)
            } else if n == 1 && matches!(row.name, "line" | "plane") {
                format!("A_{}(0,0)<0;4,1>", ty.name())
            } else if n == 1 {
                self.src(0, ty, i)
            } else {
                self.second(n - 1, ty, i)
            };
        }
        line
    }

    fn address(&mut self, base: &str, i: &mut Instruction) -> u32 {
        let n = i.addresses;
        i.addresses += 1;
        let at = self.of(&[0, 0, 0, 16, 32, 64]);
        i.before.push(format!("addr_add (M1_NM, 1) A{n}(0)<1> &{base} {at:#x}:uw"));
        n
    }

    fn dst(&mut self, ty: Type, i: &mut Instruction) -> String {
        let (size, name) = (ty.bytes(), ty.name());
        let mut stride = self.of(&[1, 1, 1, 1, 2, 4]);
        while i.lanes * stride * size > 256 && stride > 1 {
            stride /= 2;
        }
        let column = if self.percent(75) { 0 } else { self.below(32 / size) };
        if self.percent(12) {
            let n = self.address("X", i);
            let rest = if self.percent(50) { 0 } else { column * size };
            return format!("r[A{n}(0),{rest}]<{stride}>:{name}");
        }
        format!("X_{name}({},{column})<{stride}>", u32::from(self.percent(15)))
    }

    /// A source, or a constant.
    fn second(&mut self, n: usize, ty: Type, i: &mut Instruction) -> String {
        if !self.percent(25) {
            return self.src(n, ty, i);
        }
        if self.percent(50) {
            return constant(ty);
        }
        match ty {
            Type::F => self.of(&["0x0:f", "0x80000000:f", "0x3f800000:f", "0xc1200000:f"]).into(),
            Type::HF => self.of(&["0x0:hf", "0x3c00:hf", "0xc900:hf"]).into(),
            Type::DF => self.of(&["0x0:df", "0xbff0000000000000:df"]).into(),
            Type::UB | Type::UW => self.of(&["0x0:uw", "0xffff:uw", "0x1f:uw"]).into(),
            Type::B | Type::W => self.of(&["0x0:w", "0xffff:w", "0x8000:w", "0x10:w"]).into(),
            Type::Q => self.of(&["0x0:q", "0xffffffffffffffff:q", "0x123456789abcdef:q"]).into(),
            Type::UQ => self.of(&["0x0:uq", "0x8000000000000000:uq", "0xfffffffffffffffe:uq"]).into(),
            Type::D => {
                self.of(&["0x0:d", "0xffffffff:d", "0x80000000:d", "0x76543210:v", "0x12345:d"]).into()
            }
            _ => self.of(&["0x0:ud", "0xffffffff:ud", "0x76543210:uv", "0x1e:ud"]).into(),
        }
    }

    fn src(&mut self, n: usize, ty: Type, i: &mut Instruction) -> String {
        let (size, name, lanes) = (ty.bytes(), ty.name(), i.lanes);
        let modifier = match self.below(100) {
            0..4 => "(abs)",
            4..12 => self.of(&["(-)", "(-abs)"]),
            12..20 if i.logic => "(~)",
            12..20 => "(-)",
            20 => "(~)",
            _ => "",
        };
        let base = SOURCES[n];
        if self.percent(12) {
            let a = self.address(base, i);
            let rest = if self.percent(50) { 0 } else { self.below(4) * 8 };
            let region = match self.below(4) {
                0 => "<0;1,0>".into(),
                1 if lanes == 8 && size <= 4 => {
                    let step = if size == 4 { "0xc840c840:uv" } else { "0x64206420:uv" };
                    i.before.push(format!("addr_add (M1_NM, 8) A{a}(0)<1> &{base} {step}"));
                    "<1,0>".into()
                }
                2 if lanes >= 4 => "<4;4,1>".into(),
                _ => "<1;1,0>".to_owned(),
            };
            return format!("{modifier}r[A{a}(0),{rest}]{region}:{name}");
        }
        let (v, w, h) = match self.below(10) {
            0..5 => (1, 1, 0),
            5..7 => (0, 1, 0),
            7 => (2, 1, 0),
            _ => {
                let w = self.of(&[1, 2, 4, 8, 16]).min(lanes);
                (self.of(&[0, 1, 2, 4, 8, 16]), w, if w == 1 { 0 } else { self.of(&[0, 1, 2]) })
            }
        };
        let end = |v: u32, w: u32, h: u32| ((lanes / w).max(1) - 1) * v + (w - 1) * h + 1;
        let (v, w, h) = if end(v, w, h) * size > 192 { (1, 1, 0) } else { (v, w, h) };
        let column = if self.percent(70) { 0 } else { self.below(32 / size) };
        let row = u32::from(end(v, w, h) * size <= 128 && self.percent(20));
        format!("{modifier}{base}_{name}({row},{column})<{v};{w},{h}>")
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// Sequences that are shifted against each other fall into step, and have the same instructions from there.
    #[test]
    fn seeds_share_no_sequence() {
        let mut seen = HashSet::new();
        for seed in 0..8 {
            let mut draw = Draw::new(seed);
            for _ in 0..1000 {
                assert!(seen.insert([0; 2].map(|_| draw.below(u32::MAX))), "seed {seed}");
            }
        }
    }
}
