//! vISA kernels of any size as assembly, for measuring how compile time grows. Equal arguments give
//! equal text.

use std::fmt::Write;

use platforms::Platform;
use visa::Access;

/// What a generated kernel is like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// One block whose values fit the registers.
    Straight,
    /// Blocks of about fifteen instructions: divergent and uniform branches, nested loops.
    Branchy,
    /// One block with more values alive than there are registers.
    Spilling,
    /// Branches and loops with more values alive than there are registers.
    SpillingLoops,
}

impl Shape {
    /// All shapes.
    pub const ALL: [Shape; 4] = [Shape::Straight, Shape::Branchy, Shape::Spilling, Shape::SpillingLoops];

    /// The name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Shape::Straight => "straight",
            Shape::Branchy => "branchy",
            Shape::Spilling => "spilling",
            Shape::SpillingLoops => "spilling loops",
        }
    }

    const fn branches(self) -> bool {
        matches!(self, Shape::Branchy | Shape::SpillingLoops)
    }

    const fn spills(self) -> bool {
        matches!(self, Shape::Spilling | Shape::SpillingLoops)
    }
}

/// Numbers of a linear congruence.
pub(crate) struct Random(pub u64);

impl Random {
    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        ((self.0 >> 33) as usize) % n.max(1)
    }
}

/// The seed of those who need one kernel only.
pub const SEED: u64 = 7;

/// The text of a kernel with about `insts` vISA instructions; another `seed`, another kernel.
pub fn kernel(platform: Platform, shape: Shape, insts: usize, seed: u64) -> String {
    // Values take two registers each, so 64 of them fill the file.
    let simd = usize::from(platform.caps().regs.grf_bytes) / 2;
    let live = if shape.spills() { 90 } else { 20 };
    Writer {
        r: Random(seed),
        simd,
        lsc: platform.caps().memory.lsc,
        vectors: live,
        scalars: 0,
        flags: 0,
        conditions: [0; 2],
        labels: 0,
        alive: (0..live).collect(),
        code: String::new(),
        count: 0,
    }
    .write(shape, insts)
}

struct Writer {
    r: Random,
    simd: usize,
    lsc: bool,
    /// Variables so far.
    vectors: usize,
    scalars: usize,
    flags: usize,
    /// Divergent and uniform conditions so far.
    conditions: [usize; 2],
    labels: usize,
    /// Vectors whose values are still to be read.
    alive: Vec<usize>,
    code: String,
    count: usize,
}

impl Writer {
    fn write(mut self, shape: Shape, insts: usize) -> String {
        for v in self.alive.clone() {
            let simd = self.simd;
            self.line(&format!("mov (M1, {simd}) V{v}(0,0)<1> 0x{v:x}:d"));
        }
        // Labels of loops that are open, innermost last.
        let mut loops: Vec<usize> = Vec::new();
        // Branches since the outermost of them was opened: long loops keep everything alive, and the
        // longest of a large kernel would be longer than that of a small one.
        let mut open = 0;
        while self.count + 4 * self.alive.len() < insts.max(4 * self.alive.len() + 1) {
            for _ in 0..15 {
                self.step();
            }
            if shape.branches() {
                self.branch(&mut loops);
                open = if loops.is_empty() { 0 } else { open + 1 };
                if open == 4 {
                    while let Some(label) = loops.pop() {
                        self.close(label);
                    }
                    open = 0;
                }
            }
        }
        while let Some(label) = loops.pop() {
            self.close(label);
        }
        // All that is alive counts for the result.
        let (first, rest) = (self.alive[0], self.alive[1..].to_vec());
        let simd = self.simd;
        for v in rest {
            self.line(&format!("add (M1, {simd}) V{first}(0,0)<1> V{first}(0,0)<1;1,0> V{v}(0,0)<1;1,0>"));
        }
        let address = self.alive[1];
        self.message(first, address, Access::Store);
        self.line("ret (M1, 1)");
        self.finish()
    }

    fn line(&mut self, text: &str) {
        self.code.push_str("    ");
        self.code.push_str(text);
        self.code.push('\n');
        self.count += 1;
    }

    fn vector(&mut self) -> usize {
        self.vectors += 1;
        self.vectors - 1
    }

    fn pick(&mut self) -> usize {
        let at = self.r.below(self.alive.len());
        self.alive[at]
    }

    /// A load to, or a store of, `data`.
    fn message(&mut self, data: usize, address: usize, access: Access) {
        let simd = self.simd;
        let text = match (self.lsc, access) {
            (true, Access::Load) => {
                format!("lsc_load.ugm (M1, {simd})  V{data}:d32  bti(0x1)[V{address}]:a32")
            }
            (true, Access::Store) => {
                format!("lsc_store.ugm (M1, {simd})  bti(0x1)[V{address}]:a32  V{data}:d32")
            }
            (false, Access::Load) => {
                format!("gather4_scaled.R (M1, {simd}) T6 0x0:ud V{address}.0 V{data}.0")
            }
            (false, Access::Store) => {
                format!("scatter4_scaled.R (M1, {simd}) T6 0x0:ud V{address}.0 V{data}.0")
            }
        };
        self.line(&text);
    }

    fn step(&mut self) {
        let simd = self.simd;
        let (a, b) = (self.pick(), self.pick());
        match self.r.below(10) {
            0 => {
                let s = self.scalars;
                self.scalars += 1;
                let imm = self.r.below(1000);
                self.line(&format!("add (M1_NM, 1) S{s}_(0,0)<1> V{a}(0,2)<0;1,0> 0x{imm:x}:d"));
                self.line(&format!("xor (M1, {simd}) V{b}(0,0)<1> V{b}(0,0)<1;1,0> S{s}_(0,0)<0;1,0>"));
            }
            1 => {
                let d = self.vector();
                self.message(d, a, Access::Load);
                let at = self.r.below(self.alive.len());
                self.alive[at] = d;
            }
            2 => {
                let flag = self.flag(false);
                let d = self.vector();
                self.line(&format!("cmp.lt (M1, {simd}) P{flag} V{a}(0,0)<1;1,0> V{b}(0,0)<1;1,0>"));
                self.line(&format!(
                    "(P{flag}) sel (M1, {simd}) V{d}(0,0)<1> V{a}(0,0)<1;1,0> V{b}(0,0)<1;1,0>"
                ));
                let at = self.r.below(self.alive.len());
                self.alive[at] = d;
            }
            // A chain that ends in a new value in place of an old one, or in an old variable.
            _ => {
                let (t, d) = (self.vector(), self.vector());
                let op = ["add", "and", "or", "xor", "shl"][self.r.below(5)];
                self.line(&format!("{op} (M1, {simd}) V{t}(0,0)<1> V{a}(0,0)<1;1,0> V{b}(0,0)<1;1,0>"));
                self.line(&format!("add (M1, {simd}) V{d}(0,0)<1> V{t}(0,0)<1;1,0> V{a}(0,0)<1;1,0>"));
                let at = self.r.below(self.alive.len());
                if self.r.below(4) > 0 {
                    self.alive[at] = d;
                } else {
                    let old = self.alive[at];
                    self.line(&format!("mov (M1, {simd}) V{old}(0,0)<1> V{d}(0,0)<1;1,0>"));
                }
            }
        }
    }

    fn flag(&mut self, uniform: bool) -> usize {
        // An object holds at most 4,095 predicates; beyond that they serve anew, in turn. No predicate
        // is uniform here and divergent there.
        let used = &mut self.conditions[usize::from(uniform)];
        *used += 1;
        let flag = 1 + (*used - 1) % 2000 * 2 + usize::from(uniform);
        self.flags = self.flags.max(flag);
        flag
    }

    fn condition(&mut self, uniform: bool) -> usize {
        let (flag, v, simd) = (self.flag(uniform), self.pick(), self.simd);
        let imm = self.r.below(100);
        self.line(&match uniform {
            true => format!("cmp.lt (M1_NM, {simd}) P{flag} V{v}(0,0)<0;1,0> 0x{imm:x}:d"),
            false => format!("cmp.lt (M1, {simd}) P{flag} V{v}(0,0)<1;1,0> 0x{imm:x}:d"),
        });
        flag
    }

    fn label(&mut self) -> usize {
        self.labels += 1;
        self.labels
    }

    fn branch(&mut self, loops: &mut Vec<usize>) {
        let simd = self.simd;
        match self.r.below(6) {
            0 if loops.len() < 3 => {
                let label = self.label();
                let _ = writeln!(self.code, "L{label}:");
                loops.push(label);
            }
            0 | 1 => {
                if let Some(label) = loops.pop() {
                    self.close(label);
                }
            }
            // A few instructions for some lanes, or for all or none.
            n => {
                let uniform = n == 2;
                let (flag, label) = (self.condition(uniform), self.label());
                let width = if uniform { 1 } else { simd };
                self.line(&format!("(P{flag}) goto (M1, {width}) L{label}"));
                for _ in 0..4 {
                    let (a, b) = (self.pick(), self.pick());
                    self.line(&format!("add (M1, {simd}) V{a}(0,0)<1> V{a}(0,0)<1;1,0> V{b}(0,0)<1;1,0>"));
                }
                let _ = writeln!(self.code, "L{label}:");
            }
        }
    }

    fn close(&mut self, label: usize) {
        let (flag, simd) = (self.condition(false), self.simd);
        self.line(&format!("(P{flag}) goto (M1, {simd}) L{label}"));
    }

    fn finish(self) -> String {
        let mut out = String::from(".version 4.1\n.kernel \"generated\"\n");
        let simd = self.simd;
        for v in 0..self.vectors {
            let _ = writeln!(out, ".decl V{v} v_type=G type=d num_elts={simd} align=hword");
        }
        for s in 0..self.scalars {
            let _ = writeln!(out, ".decl S{s}_ v_type=G type=d num_elts=1 align=dword");
        }
        for f in 1..=self.flags {
            let _ = writeln!(out, ".decl P{f} v_type=P num_elts={simd}");
        }
        if !self.lsc {
            out.push_str(".decl T6 v_type=T num_elts=1 v_name=T006\n");
        }
        let _ = writeln!(out, ".kernel_attr Target=\"3d\"\n.kernel_attr SimdSize={simd}");
        out.push_str(".function \"_main_0\"\n\n_main_0:\n");
        if !self.lsc {
            out.push_str("    movs (M1_NM, 1) T6(0) 0x1:ud\n");
        }
        out + &self.code
    }
}
