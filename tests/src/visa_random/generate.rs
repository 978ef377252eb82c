//! Makes programs.

mod access;
mod arithmetic;
mod bits;
mod flow;
mod functions;
mod integers;
mod math;
mod messages;
mod predicates;
mod rooms;
mod temporaries;

use super::{BUFFER, Block, Node, RandomProgram, Variable, set_all, shrink::lists};
use crate::splitmix::SplitMix;
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
    /// They call functions through the stack.
    pub functions: bool,
    /// They have rooms: lines around small variables of their own, more predicates, messages of all kinds.
    pub rooms: bool,
}

impl Settings {
    /// Programs for a platform.
    pub fn new(platform: Platform) -> Settings {
        Settings { platform, grf: Grf::Kernel, reserved: 0, functions: false, rooms: false }
    }
}

/// Modifiers that a source may have.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mods {
    None,
    /// Any that its type has.
    Any,
}

impl Mods {
    /// Any where something holds.
    const fn any_if(holds: bool) -> Mods {
        if holds { Mods::Any } else { Mods::None }
    }
}

/// What is drawn.
struct Draws(SplitMix);

impl Draws {
    fn next(&mut self) -> u64 {
        self.0.bits()
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

/// One lane, whatever the mask.
const SCALAR: Exec = Exec { lanes: 1, offset: 0, no_mask: true };

impl Exec {
    fn text(self) -> String {
        let nm = if self.no_mask { "_NM" } else { "" };
        format!("(M{}{nm}, {})", self.offset / 4 + 1, self.lanes)
    }
}

const INTS: [Type; 6] = [Type::D, Type::UD, Type::W, Type::UW, Type::B, Type::UB];
const DWORDS: [Type; 2] = [Type::D, Type::UD];

struct Generator {
    r: Draws,
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
    in_sub: bool,
    /// Variables of expressions.
    parts: Vec<Variable>,
    /// Variables that are loaded and stored like all others, but that only what is made for them touches.
    late: Vec<Variable>,
    /// Names, elements and first bits of the predicates that are not stored.
    more_preds: Vec<(String, u32, u32)>,
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
        end < v.bytes() && (v.from + end) / self.grf - (v.from + start) / self.grf <= 1
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
    fn src_var(&mut self, e: Exec, mods: Mods, want: &dyn Fn(Type) -> bool) -> (Type, String) {
        loop {
            for _ in 0..30 {
                let v = self.var(want);
                if let Some(text) = self.region(&v, e) {
                    let m = if mods == Mods::Any { self.modifier(v.ty) } else { "" };
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
    fn src(&mut self, e: Exec, mods: Mods, want: &dyn Fn(Type) -> bool) -> (Type, String) {
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
            if ty == Type::F && e.lanes <= 4 && self.r.one_in(4) {
                return (ty, format!("{:#x}:vf", self.r.next() as u32));
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

    fn declare(&mut self) {
        let heavy = self.r.one_in(8);
        let count = if heavy { 40 + self.r.below(60) } else { 4 + self.r.below(12) };
        let sizes: &[u32] = if heavy { &[2, 4, 4] } else { &[2, 2, 4, 8] };
        let mut types: Vec<Type> = vec![Type::F, Type::D, Type::UD, Type::W, Type::UW, Type::B, Type::UB];
        types.extend(self.ints.iter().skip(INTS.len()));
        if self.caps.ops.fp64 {
            types.push(Type::DF);
        }
        types.push(Type::HF);
        // One of each first, so that every instruction finds operands.
        for i in 0..types.len() as u32 + count {
            let ty = match types.get(i as usize) {
                Some(ty) => *ty,
                None => self.r.pick(&types),
            };
            let bytes = self.grf.min(32) * self.r.pick(sizes).max(if i < types.len() as u32 { 4 } else { 2 });
            let bytes = bytes.max(2 * self.grf.min(64));
            let name = format!("V{}", 32 + i);
            self.vars.push(Variable::new(name, ty, bytes / ty.bytes()));
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
            let view = Variable::new(format!("V{}", 32 + i), view, bytes / view.bytes());
            self.vars.push(Variable { alias: Some(name), ..view });
        }
    }

    /// Variables that the program needs beside those that its lines work on.
    fn helpers(&self) -> Vec<Variable> {
        let helper = Variable::new;
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
        helpers.extend((0..self.counters).map(|i| helper(format!("count{i}"), Type::D, 32)));
        helpers.extend((0..self.scalar_counters).map(|i| helper(format!("once{i}"), Type::D, 1)));
        helpers.extend((0..self.fuels).map(|i| helper(format!("fuel{i}"), Type::D, 32)));
        helpers
    }

    /// What gives helpers and predicates their first values.
    fn init(&mut self, pred_elements: u32) -> Vec<String> {
        let per_row = self.grf / 4;
        let mut init = vec!["mov (M1_NM, 8) lane(0,0)<1> 0x76543210:uv".to_owned()];
        init.push("add (M1_NM, 8) lane(0,8)<1> lane(0,0)<1;1,0> 0x8:uw".into());
        let half = 32 / self.grf;
        let upper = if half == 1 { "(1,0)" } else { "(0,16)" };
        init.push(format!("add (M1_NM, 16) lane{upper}<1> lane(0,0)<1;1,0> 0x10:uw"));
        let rows = 16 / per_row;
        for (at, lanes) in [(String::from("(0,0)"), "(0,0)"), (format!("({rows},0)"), upper)] {
            init.push(format!("mul (M1_NM, 16) lane4{at}<1> lane{lanes}<1;1,0> 0x4:uw"));
            init.push(format!("mul (M1_NM, 16) lane8{at}<1> lane{lanes}<1;1,0> 0x8:uw"));
            init.push(format!("and (M1_NM, 16) trips{at}<1> lane{lanes}<1;1,0> 0x3:uw"));
            init.push("mov (M1_NM, 16) flags_ud(0,0)<1> 0x0:ud".to_owned());
        }
        for p in 1..=5 {
            init.push(set_all(&format!("P{p}"), pred_elements, self.r.next() as u32));
        }
        init
    }
}

/// Takes the calls out of a program.
fn drop_calls(nodes: &mut Vec<Node>) {
    nodes.retain(|node| !matches!(node, Node::Call { .. }));
    for node in nodes {
        match node {
            Node::If { then, els, .. } => {
                drop_calls(then);
                drop_calls(els);
            }
            Node::Loop { body, .. } => drop_calls(body),
            Node::Tangle { blocks, .. } => blocks.iter_mut().for_each(|b| drop_calls(&mut b.body)),
            _ => {}
        }
    }
}

/// The program of a seed.
pub fn generate(settings: Settings, seed: u64) -> RandomProgram {
    let Settings { platform, grf, reserved, functions, rooms } = settings;
    let caps = platform.caps();
    let mut r = Draws(SplitMix::new(seed));
    let simd = if caps.regs.grf_bytes == 64 { r.pick(&[16, 32]) } else { r.pick(&[8, 16, 16, 32]) };
    let widest = if r.one_in(4) { 32 } else { simd.max(16) };
    let mut ints = INTS.to_vec();
    if r.one_in(3) {
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
        in_sub: false,
        parts: Vec::new(),
        late: Vec::new(),
        more_preds: Vec::new(),
    };
    g.declare();
    let mut budget = 30 + g.r.below(150);
    let mut body = g.nodes(&mut budget, 0, false);
    g.in_sub = true;
    let mut subs: Vec<Vec<Node>> = (0..2)
        .map(|_| {
            let mut budget = 12;
            g.nodes(&mut budget, 1, false)
        })
        .collect();
    let pred_elements = if widest == 32 { 32 } else { 16 };
    let init = g.init(pred_elements);
    // Last, so that all before stays what it was for each seed.
    for _ in 0..g.r.below(4) {
        let lines = g.wide_indirect();
        if !lines.iter().any(|l| l.contains("  ")) {
            body.push(Node::Lines(lines));
        }
    }
    g.put_bits_together(&mut body);
    g.put_expressions(&mut body);
    for _ in 0..g.r.below(3) {
        let at = g.r.below(body.len() as u32 + 1) as usize;
        body.splice(at..at, g.carried());
    }
    // Some passes leave programs with subroutines alone.
    if g.r.one_in(2) {
        drop_calls(&mut body);
        subs.clear();
    }
    let (signature, functions) = if functions {
        let (signature, functions) = g.put_functions(&mut body, &mut subs);
        (Some(signature), functions)
    } else {
        (None, Vec::new())
    };
    if rooms {
        g.put_rooms(&mut body, 3);
        subs.iter_mut().for_each(|sub| g.put_rooms(sub, 1));
        g.vars.append(&mut g.late);
        g.vars.push(Variable::new("sink".into(), Type::UD, 32));
    }
    let mut helpers = g.helpers();
    helpers.append(&mut g.parts);
    RandomProgram {
        slm: rooms,
        platform,
        grf,
        reserved,
        seed,
        simd,
        pred_elements,
        vars: g.vars,
        helpers,
        preds: 6,
        more_preds: g.more_preds,
        init,
        body,
        subs,
        signature,
        functions,
    }
}
