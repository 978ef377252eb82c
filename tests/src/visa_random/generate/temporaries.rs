//! Expressions in variables that are written once and read once or twice, as compilers leave them: what the optimizer
//! looks for.

use super::*;

/// What is written along an expression.
struct Expression {
    /// Channels of its vectors.
    vector: Exec,
    /// How often a line is scalar: one in this many.
    scalars: u32,
    /// Which types meet in it.
    kind: Temporary,
    /// Its variables.
    parts: Vec<Part>,
    lines: Vec<String>,
}

/// Types that meet in an instruction.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Temporary {
    /// Integers of up to four bytes.
    Small,
    /// Integers of two bytes and more.
    Wide,
    /// Floats, and the integers that they are made of and become.
    Float,
}

impl Temporary {
    fn types(self) -> &'static [Type] {
        match self {
            Temporary::Small => &[Type::D, Type::UD, Type::D, Type::UD, Type::W, Type::UW, Type::B, Type::UB],
            Temporary::Wide => &[Type::Q, Type::UQ, Type::Q, Type::D, Type::UD, Type::W, Type::UW],
            Temporary::Float => &[Type::F, Type::F, Type::F, Type::D, Type::UD, Type::W],
        }
    }

    const fn widest(self) -> Type {
        match self {
            Temporary::Wide => Type::Q,
            Temporary::Small | Temporary::Float => Type::D,
        }
    }
}

/// A variable of an expression.
#[derive(Clone)]
struct Part {
    name: String,
    ty: Type,
    scalar: bool,
    stride: u32,
    read: bool,
}

impl Generator {
    /// Puts some into the blocks of a program. (They are drawn behind all others, so that what was there stays what it
    /// was for each seed.)
    pub(super) fn put_expressions(&mut self, nodes: &mut Vec<Node>) {
        for node in nodes.iter_mut() {
            match node {
                Node::If { then, els, .. } => {
                    self.put_expressions(then);
                    self.put_expressions(els);
                }
                Node::Loop { body, .. } => self.put_expressions(body),
                _ => {}
            }
        }
        if self.r.one_in(2) {
            let lines = self.expression();
            let at = self.r.below(nodes.len() as u32 + 1) as usize;
            nodes.insert(at, Node::Lines(lines));
        }
    }

    /// A variable that only what is made now touches.
    pub(super) fn new_part(&mut self, ty: Type, elements: u32) -> String {
        let name = format!("part{}", self.parts.len());
        self.parts.push(Variable::new(name.clone(), ty, elements));
        name
    }

    /// The same, which is another view of a variable from its start on.
    pub(super) fn new_view(&mut self, of: &str, ty: Type, elements: u32) -> String {
        let name = self.new_part(ty, elements);
        if let Some(view) = self.parts.last_mut() {
            view.alias = Some(of.to_owned());
        }
        name
    }

    fn expression(&mut self) -> Vec<String> {
        let wide = self.ints.len() > INTS.len() && self.r.one_in(3);
        let kind = match self.r.below(4) {
            _ if wide => Temporary::Wide,
            0 => Temporary::Float,
            _ => Temporary::Small,
        };
        let lanes = Exec { lanes: self.simd, offset: 0, no_mask: self.r.one_in(4) };
        let mut x = Expression {
            vector: self.narrow(lanes, kind.widest()),
            scalars: self.r.pick(&[1, 1, 2, 4]),
            kind,
            parts: Vec::new(),
            lines: Vec::new(),
        };
        for _ in 0..4 + self.r.below(14) {
            self.part(&mut x);
            if self.r.one_in(6) {
                // What an expression reads changes before a part of it is used.
                x.lines.push(self.int_line());
            }
        }
        // What nobody has read yet is seen.
        for part in x.parts.clone().iter().filter(|p| !p.read) {
            let e = if part.scalar { SCALAR } else { x.vector };
            let kind = x.kind;
            let (_, d) = self.dst(e, &|t| kind.types().contains(&t));
            let of = self.reading(part, e, Mods::Any);
            x.lines.push(format!("mov {} {d} {of}", e.text()));
        }
        // Operands that did not fit anywhere.
        x.lines.retain(|l| !l.contains("  "));
        x.lines
    }

    /// One more instruction of an expression; what it writes is mostly new.
    fn part(&mut self, x: &mut Expression) {
        let scalar = self.r.one_in(x.scalars);
        let e = if scalar { SCALAR } else { x.vector };
        let ty = self.r.pick(x.kind.types());
        let (op, of) = if ty.is_float() { self.floats(x, e) } else { self.ints(x, e, ty) };
        let again =
            x.parts.iter().position(|p| p.scalar == scalar && p.ty == ty).filter(|_| self.r.one_in(8));
        let guarded = !scalar && again.is_some() && !op.starts_with('(') && self.r.one_in(2);
        let guard = if guarded { format!("({}) ", self.pred()) } else { String::new() };
        let at = again.unwrap_or_else(|| {
            let fits = 2 * e.lanes * ty.bytes() <= 2 * self.grf;
            let stride = if !scalar && fits && self.r.one_in(8) { 2 } else { 1 };
            let name = self.new_part(ty, e.lanes * stride);
            x.parts.push(Part { name, ty, scalar, stride, read: false });
            x.parts.len() - 1
        });
        let part = &mut x.parts[at];
        part.read &= again.is_some();
        let line = format!("{guard}{op} {} {}(0,0)<{}> {of}", e.text(), part.name, part.stride);
        x.lines.push(line);
    }

    /// An instruction and its sources, for an integer of that type.
    fn ints(&mut self, x: &mut Expression, e: Exec, ty: Type) -> (String, String) {
        let kind = x.kind;
        let int = move |t: Type| t.is_int() && kind.types().contains(&t);
        let sat = if self.r.one_in(8) { ".sat" } else { "" };
        match self.r.below(16) {
            0..=3 => {
                let from = self
                    .operand(x, e, Mods::Any, &|t| kind.types().contains(&t) && (ty.bytes() > 1 || int(t)));
                (format!("mov{sat}"), from)
            }
            4..=6 => (format!("add{sat}"), self.operands(x, e, Mods::Any, &int)),
            7 => ("mul".into(), self.operands(x, e, Mods::Any, &int)),
            8..=9 => (self.r.pick(&["and", "or", "xor"]).into(), self.operands(x, e, Mods::None, &int)),
            10..=12 => {
                let op = match (self.r.below(3), ty.is_signed_int()) {
                    (0, _) => "shl",
                    (_, true) => "asr",
                    (_, false) => "shr",
                };
                let of = self.operand(x, e, Mods::any_if(op == "asr"), &|t| t == ty);
                let by = self.r.below(ty.bytes() * 8 + 1);
                (op.into(), format!("{of} {by:#x}:uw"))
            }
            13 => {
                let (op, sign) = (self.r.pick(&["min", "max"]), self.r.one_in(2));
                let signed = move |t: Type| int(t) && t.is_signed_int() == sign;
                (op.into(), self.operands(x, e, Mods::Any, &signed))
            }
            14 if kind != Temporary::Wide => {
                let of = [(); 3].map(|()| self.variable(x, e, Mods::Any, &int));
                ("mad".into(), of.join(" "))
            }
            _ => {
                let p = self.pred();
                (format!("({p}) sel"), self.operands(x, e, Mods::Any, &int))
            }
        }
    }

    /// An instruction and its sources, for a float.
    fn floats(&mut self, x: &mut Expression, e: Exec) -> (String, String) {
        let float = |t: Type| t == Type::F;
        let sat = if self.r.one_in(8) { ".sat" } else { "" };
        match self.r.below(8) {
            0..=1 => {
                let types = x.kind.types();
                (format!("mov{sat}"), self.operand(x, e, Mods::Any, &|t| types.contains(&t)))
            }
            2..=3 => (format!("add{sat}"), self.operands(x, e, Mods::Any, &float)),
            4 => (format!("mul{sat}"), self.operands(x, e, Mods::Any, &float)),
            5 => (self.r.pick(&["min", "max"]).into(), self.operands(x, e, Mods::Any, &float)),
            6 => {
                let of = [(); 3].map(|()| self.variable(x, e, Mods::Any, &float));
                ("mad".into(), of.join(" "))
            }
            _ => {
                let p = self.pred();
                (format!("({p}) sel"), self.operands(x, e, Mods::Any, &float))
            }
        }
    }

    /// Two sources, of which the first is no constant.
    fn operands(&mut self, x: &mut Expression, e: Exec, mods: Mods, want: &dyn Fn(Type) -> bool) -> String {
        let first = self.variable(x, e, mods, want);
        format!("{first} {}", self.operand(x, e, mods, want))
    }

    /// A source, now and then a constant.
    fn operand(&mut self, x: &mut Expression, e: Exec, mods: Mods, want: &dyn Fn(Type) -> bool) -> String {
        if self.r.one_in(4) {
            let types: Vec<Type> = x.kind.types().iter().copied().filter(|t| want(*t)).collect();
            let ty = self.r.pick(&types);
            return self.constant(ty);
        }
        self.variable(x, e, mods, want)
    }

    /// A source in a variable: mostly a part of the expression, rather one that nobody has read.
    fn variable(&mut self, x: &mut Expression, e: Exec, mods: Mods, want: &dyn Fn(Type) -> bool) -> String {
        let scalar = e.lanes == 1;
        let known = |p: &&mut Part| want(p.ty) && (p.scalar || !scalar || x.vector.no_mask);
        let mut parts: Vec<&mut Part> = x.parts.iter_mut().filter(known).collect();
        let unread: Vec<usize> = (0..parts.len()).filter(|i| !parts[*i].read).collect();
        let chosen = if !unread.is_empty() && !self.r.one_in(4) {
            Some(self.r.pick(&unread))
        } else if !parts.is_empty() && !self.r.one_in(3) {
            Some(self.r.below(parts.len() as u32) as usize)
        } else {
            None
        };
        let Some(chosen) = chosen else { return self.src_var(e, mods, want).1 };
        parts[chosen].read = true;
        let part = parts[chosen].clone();
        self.reading(&part, e, mods)
    }

    /// The text of a part as a source.
    fn reading(&mut self, part: &Part, e: Exec, mods: Mods) -> String {
        let sign = if mods == Mods::Any && signed(part.ty) && self.r.one_in(4) {
            self.r.pick(&["(-)", "(-)", "(abs)", "(-abs)"])
        } else {
            ""
        };
        let stride = if part.scalar || e.lanes == 1 { 0 } else { part.stride };
        format!("{sign}{}(0,0)<{stride};1,0>", part.name)
    }
}
