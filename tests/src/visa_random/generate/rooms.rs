//! Lines around a few variables of their own: small ones that share registers, views of them that begin anywhere, vectors
//! whose halves are worked on apart, quadwords made of dwords. What is written early may be read late, behind loops.

use super::*;

/// The variable that takes in what rooms leave in theirs.
const SINK: &str = "sink";

/// Types that each room has a variable of.
const ALL: [Type; 11] =
    [Type::D, Type::UD, Type::W, Type::UW, Type::B, Type::UB, Type::F, Type::HF, Type::DF, Type::Q, Type::UQ];

impl Generator {
    /// Puts rooms into the blocks of a program. (They are drawn behind all others, so that what was there stays what it was
    /// for each seed.)
    pub(super) fn put_rooms(&mut self, nodes: &mut Vec<Node>, count: u32) {
        for inner in nodes.iter_mut().flat_map(lists) {
            let count = u32::from(self.r.one_in(4));
            self.put_rooms(inner, count);
        }
        for _ in 0..count {
            let room = match self.r.below(12) {
                0..=2 => self.small_variables(),
                3..=4 => self.halves(),
                5 => self.quads_of_dwords(),
                6..=7 => self.many_predicates(),
                8 => self.math(),
                _ => self.messages(),
            };
            self.place_room(nodes, room);
        }
    }

    /// Together, or with what was there between its lines.
    fn place_room(&mut self, nodes: &mut Vec<Node>, room: Vec<Node>) {
        let slots = nodes.len() as u32 + 1;
        let together = self.r.one_in(2).then(|| self.r.below(slots));
        let mut places: Vec<u32> =
            room.iter().map(|_| together.unwrap_or_else(|| self.r.below(slots))).collect();
        places.sort_unstable();
        for (at, node) in places.into_iter().zip(room).rev() {
            nodes.insert(at as usize, node);
        }
    }

    /// A dword of that many of a variable, by its place.
    pub(super) fn dword_at(&self, name: &str, dword: u32) -> String {
        let row = self.grf / 4;
        format!("{name}({},{})", dword / row, dword % row)
    }

    /// Pieces of a variable of so many dwords, by which one instruction can walk over it.
    fn pieces(&self, dwords: u32) -> Vec<(u32, u32)> {
        let mut out = Vec::new();
        let mut at = 0;
        while at < dwords {
            let left = (dwords - at).min(self.grf / 4);
            let lanes = 1 << left.ilog2();
            out.push((at, lanes));
            at += lanes;
        }
        out
    }

    /// Gives all of a variable a value.
    pub(super) fn fill(&mut self, name: &str, dwords: u32) -> Node {
        let mut lines = Vec::new();
        for (at, lanes) in self.pieces(dwords) {
            let by = self.r.pick(&[0x9e37_79b1_u32, 0x0101_0101, 0x10001, 1, 0xffff_ffff, 0x8000_0003]);
            let d = self.dword_at(name, at);
            let first = self.r.below(32 / self.grf.min(32) * 4);
            lines.push(format!("mul (M1_NM, {lanes}) {d}<1> lane4(0,{first})<1;1,0> {by:#x}:ud"));
            lines.push(format!("add (M1_NM, {lanes}) {d}<1> {d}<1;1,0> {:#x}:ud", self.r.next() as u32));
        }
        Node::Lines(lines)
    }

    /// Makes it seen what is in a variable.
    pub(super) fn absorb(&self, name: &str, dwords: u32) -> Node {
        let sink = |(at, lanes)| {
            let s = self.dword_at(name, at);
            format!("add (M1_NM, {lanes}) {SINK}(0,0)<1> {SINK}(0,0)<1;1,0> {s}<1;1,0>")
        };
        Node::Lines(self.pieces(dwords).into_iter().map(sink).collect())
    }

    /// A view of another variable.
    fn view(&mut self, of: &Variable, ty: Type) -> Variable {
        let size = ty.bytes();
        let most = of.bytes() / size;
        let first = if self.r.one_in(2) { 0 } else { self.r.below(most) };
        let name = format!("part{}", self.parts.len());
        let view = Variable {
            alias: Some(of.name.clone()),
            from: first * size,
            ..Variable::new(name, ty, most - first)
        };
        self.parts.push(view.clone());
        view
    }

    /// A variable of so many dwords, often not at the start of a register.
    fn small_root(&mut self, dwords: u32) -> Variable {
        let align = match dwords * 4 {
            4 => self.r.pick(&["dword", "dword", "qword", "hword", "GRF"]),
            8 => self.r.pick(&["dword", "qword", "qword", "hword"]),
            16 => self.r.pick(&["oword", "oword", "hword"]),
            n if n < self.grf => self.r.pick(&["hword", "GRF"]),
            _ => "GRF",
        };
        let name = format!("part{}", self.parts.len());
        let root = Variable { align, ..Variable::new(name, Type::UD, dwords) };
        self.parts.push(root.clone());
        root
    }

    /// A float of its own, which is stored: no two need agree on the bits of a NaN.
    fn late_float(&mut self, ty: Type) -> Variable {
        let known: Vec<usize> = (0..self.late.len()).filter(|i| self.late[*i].ty == ty).collect();
        if known.len() > 1 {
            return self.late[self.r.pick(&known)].clone();
        }
        let bytes = 2 * self.grf;
        let name = format!("late{}", self.late.len());
        let v = Variable::new(name, ty, bytes / ty.bytes());
        self.late.push(v.clone());
        v
    }

    /// Any lines over few small variables and their views.
    fn small_variables(&mut self) -> Vec<Node> {
        let row = self.grf / 4;
        let mut roots = vec![self.small_root(2 * row)];
        for _ in 0..1 + self.r.below(5) {
            let dwords = self.r.pick(&[1, 1, 2, 4, 8, row, 2 * row]);
            roots.push(self.small_root(dwords));
        }
        let mut vars = roots.clone();
        for ty in ALL {
            if !self.has(ty) {
                continue;
            }
            if ty.is_float() {
                let float = self.late_float(ty);
                let view = self.view(&float, ty);
                vars.extend([float, view]);
                continue;
            }
            vars.push(Variable { from: 0, ..self.view(&roots[0], ty) });
            for _ in 0..2 {
                let root = self.r.below(roots.len() as u32) as usize;
                if roots[root].bytes() >= ty.bytes() {
                    vars.push(self.view(&roots[root].clone(), ty));
                }
            }
        }
        let outside = self.vars.len() as u32;
        vars.extend((0..3).map(|_| self.vars[self.r.below(outside) as usize].clone()));
        let mut room: Vec<Node> = roots.iter().map(|v| self.fill(&v.name, v.elements)).collect();
        let outer = std::mem::replace(&mut self.vars, vars);
        for _ in 0..6 + self.r.below(20) {
            room.extend(self.any_line());
        }
        self.vars = outer;
        room.extend(roots.iter().map(|v| self.absorb(&v.name, v.elements)));
        room
    }

    /// Whether programs have variables of this type.
    fn has(&self, ty: Type) -> bool {
        match ty {
            Type::DF => self.caps.ops.fp64,
            Type::Q | Type::UQ => self.ints.contains(&ty),
            _ => true,
        }
    }

    /// A line that has no operand which must be at the start of a register.
    fn any_line(&mut self) -> Option<Node> {
        let lines = match self.r.below(10) {
            0..=5 => vec![self.int_line()],
            6..=7 => vec![self.float_line()],
            8 => vec![self.predicate_line()],
            _ => self.indirect(),
        };
        let at_start = |l: &String| ["bfe ", "bfi ", "madw "].iter().any(|w| l.contains(w));
        let good = !lines.iter().any(|l| l.contains("  ") || at_start(l));
        good.then_some(Node::Lines(lines))
    }

    /// The same for both halves of the lanes, as compilers write what is too wide for one instruction: first one half, then
    /// the other, or in turns.
    fn halves(&mut self) -> Vec<Node> {
        let least = if self.caps.words.nibble_offset { 4 } else { 8 };
        let lanes = (self.simd / 2).max(least);
        let two = if lanes < self.simd { 2 } else { 1 };
        let ty = self.r.pick(&[Type::D, Type::UD, Type::F, Type::W, Type::Q]);
        let ty = if self.has(ty) && lanes * ty.bytes() <= 2 * self.grf { ty } else { Type::D };
        let names: Vec<String> = (0..2 + self.r.below(5)).map(|_| self.new_part(ty, 2 * lanes)).collect();
        let by_turns = self.r.one_in(2);
        let mut sides = [Vec::new(), Vec::new()];
        let first = self.new_part(ty, 2 * lanes);
        let predicates = [(); 2].map(|()| self.pred());
        let shape = |h: u32| {
            let e = Exec { lanes, offset: h * lanes, no_mask: false };
            let at = h * lanes * ty.bytes();
            (e.text(), format!("({},{})", at / self.grf, at % self.grf / ty.bytes()))
        };
        let shapes = [shape(0), shape(1)];
        for (h, (exec, at)) in shapes.iter().enumerate().take(two) {
            let whole = exec.replace(',', "_NM,").replace("_NM_NM", "_NM");
            for name in names.iter().chain([&first]) {
                let n = self.r.below(32);
                sides[h].push(format!("mov {whole} {name}{at}<1> lane(0,0)<1;1,0>"));
                let n = if ty == Type::F {
                    format!("{:#x}:f", (n as f32).to_bits())
                } else {
                    format!("{n:#x}:w")
                };
                sides[h].push(format!("add {whole} {name}{at}<1> {name}{at}<1;1,0> {n}"));
            }
        }
        for _ in 0..4 + self.r.below(16) {
            let line = self.half_line(ty, &names, &predicates);
            for (side, (exec, at)) in sides.iter_mut().zip(&shapes).take(two) {
                side.push(line.replace("EXEC", exec).replace("@", at));
            }
        }
        let d = self.r.pick(&[0, 1]);
        for (h, (exec, at)) in shapes.iter().enumerate().take(two) {
            for name in names.iter().skip(d) {
                let op = if ty == Type::F { "max" } else { "xor" };
                sides[h].push(format!("{op} {exec} {first}{at}<1> {first}{at}<1;1,0> {name}{at}<1;1,0>"));
            }
        }
        let [one, other] = sides;
        let mut room: Vec<Node> = Vec::new();
        let node = |l: String| Node::Lines(vec![l]);
        if by_turns && two == 2 {
            room.extend(one.into_iter().zip(other).flat_map(|(a, b)| [a, b]).map(node));
        } else {
            room.extend(one.into_iter().chain(other).map(node));
        }
        room.push(self.absorb_typed(&first, ty, if two == 2 { 2 * lanes } else { lanes }));
        room
    }

    /// Makes it seen what is in a variable of that type.
    fn absorb_typed(&mut self, name: &str, ty: Type, elements: u32) -> Node {
        let bytes = elements * ty.bytes();
        let view = self.new_view(name, Type::UD, bytes.div_ceil(4));
        self.absorb(&view, bytes / 4)
    }

    /// A line with `EXEC` for its lanes and `@` for where they are in a variable.
    fn half_line(&mut self, ty: Type, names: &[String], predicates: &[String; 2]) -> String {
        let n = names.len() as u32;
        let [d, a, b, c] = [(); 4].map(|()| names[self.r.below(n) as usize].clone());
        let p = &predicates[self.r.below(2) as usize];
        let guard = if self.r.one_in(4) { format!("({p}) ") } else { String::new() };
        let not = if ty != Type::W && self.r.one_in(5) { "(-)" } else { "" };
        let of = |v: &str| format!("{v}@<1;1,0>");
        let (a, b, c) = (format!("{not}{}", of(&a)), of(&b), of(&c));
        match self.r.below(8) {
            0..=1 => format!("{guard}add EXEC {d}@<1> {a} {b}"),
            2 => format!("({p}) sel EXEC {d}@<1> {a} {b}"),
            3 => format!("cmp.{} EXEC {p} {a} {b}", self.r.pick(&["lt", "ne", "ge"])),
            4 if ty == Type::F => format!("{guard}mad EXEC {d}@<1> {a} {b} {c}"),
            5 => format!("{guard}mov EXEC {d}@<1> {a}"),
            6 if ty == Type::F => format!("min EXEC {d}@<1> {a} 0x42c80000:f"),
            6 => format!("{guard}xor EXEC {d}@<1> {} {b}", of(&names[0])),
            7 if ty == Type::F => format!("{guard}max EXEC {d}@<1> {a} {b}"),
            7 => format!("{guard}shl EXEC {d}@<1> {} 0x3:uw", of(&names[0])),
            _ => format!("{guard}add EXEC {d}@<1> {c} {b}"),
        }
    }

    /// Quadwords whose halves are written and read as dwords.
    fn quads_of_dwords(&mut self) -> Vec<Node> {
        let e = Exec { lanes: self.simd, offset: 0, no_mask: self.r.one_in(4) };
        let e = self.narrow(e, Type::Q);
        let exec = e.text();
        let names: Vec<[String; 2]> = (0..2 + self.r.below(3))
            .map(|_| {
                let ty = self.r.pick(&[Type::Q, Type::UQ]);
                let quad = self.new_part(ty, e.lanes);
                let dwords = self.new_view(&quad, Type::UD, 2 * e.lanes);
                [quad, dwords]
            })
            .collect();
        let n = names.len() as u32;
        let mut room: Vec<Node> = names.iter().map(|[_, d]| self.fill(d, 2 * e.lanes)).collect();
        for _ in 0..5 + self.r.below(15) {
            let [[d, dw], [a, aw], [b, bw]] = [(); 3].map(|()| names[self.r.below(n) as usize].clone());
            let [h, i, j] = [(); 3].map(|()| self.r.below(2));
            let by = self.r.below(70);
            let guard = self.guard(e);
            let lines = match self.r.below(10) {
                0 => vec![format!("{guard}mov {exec} {dw}(0,{h})<2> {aw}(0,{i})<2;1,0>")],
                1 => vec![format!("{guard}mov {exec} {dw}(0,{h})<2> {}", self.number(e))],
                2 => vec![format!("{guard}add {exec} {dw}(0,{h})<2> {aw}(0,{i})<2;1,0> {bw}(0,{j})<2;1,0>")],
                3 => vec![format!("{guard}add {exec} {d}(0,0)<1> {a}(0,0)<1;1,0> {b}(0,0)<1;1,0>")],
                4 => vec![format!("{guard}mov {exec} {d}(0,0)<1> {aw}(0,{i})<2;1,0>")],
                5 => vec![format!("{guard}shl {exec} {d}(0,0)<1> {a}(0,0)<1;1,0> {:#x}:ud", by & 63)],
                6 => vec![format!("{guard}and {exec} {d}(0,0)<1> {a}(0,0)<1;1,0> {b}(0,0)<1;1,0>")],
                7 => vec![format!("{guard}mov {exec} {d}(0,0)<1> (-){a}(0,0)<1;1,0>")],
                8 => vec![format!("{guard}add {exec} {d}(0,0)<1> {a}(0,0)<1;1,0> {aw}(0,{i})<2;1,0>")],
                _ => vec![
                    format!("addc {exec} {dw}(0,0)<2> {dw}(0,1)<2> {aw}(0,0)<2;1,0> {bw}(0,0)<2;1,0>"),
                    format!("add {exec} {dw}(0,1)<2> {dw}(0,1)<2;1,0> {aw}(0,1)<2;1,0>"),
                ],
            };
            room.push(Node::Lines(lines));
            if self.r.one_in(3) {
                let to = self.result(e);
                room.push(Node::Lines(vec![format!("mov {exec} {to} {aw}(0,{i})<2;1,0>")]));
            }
        }
        room.extend(names.iter().map(|[_, d]| self.absorb(d, 2 * e.lanes)));
        room
    }
}
