//! Random vISA programs, the same ones for the same seed, whose results the specification defines.
//!
//! A program initializes all its variables, runs a tree of [`Node`]s (assignments, branches, loops, tangles
//! of gotos, calls, memory accesses), and stores every variable. [`judge`] interprets it, runs our code for
//! it on the emulator, and compares. [`shrink`] cuts a failing program down to what it fails for.

mod functions;
mod generate;
mod judge;
mod shrink;

pub use functions::{FunctionCall, GivenBack, RandomFunction, Signature};
pub use generate::{Settings, generate};
pub use judge::{Failure, Kind, Launch, PLATFORMS, check, judge, launch_of};
pub use shrink::shrink;

use emulator::Memory;
use platforms::Platform;
use std::fmt::Write;

/// A variable of a program.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Name in the text.
    pub name: String,
    /// Type.
    pub ty: visa::Type,
    /// Elements.
    pub elements: u32,
    /// The variable that this one is another view of.
    pub alias: Option<String>,
    /// From which of its bytes on.
    pub from: u32,
    /// What its first byte is aligned to, in the words of a declaration.
    pub align: &'static str,
    /// Elements are floats, of which any NaN is as good as another.
    pub float: bool,
}

impl Variable {
    /// One of its own, at the start of a register.
    pub fn new(name: String, ty: visa::Type, elements: u32) -> Variable {
        Variable { name, ty, elements, alias: None, from: 0, align: "GRF", float: ty.is_float() }
    }

    /// Size.
    pub fn bytes(&self) -> u32 {
        self.elements * self.ty.bytes()
    }
}

/// A piece of a program.
#[derive(Clone, Debug)]
pub enum Node {
    /// Instructions that belong together.
    Lines(Vec<String>),
    /// A branch. `lines` make the predicate, `guard` is it (`P1`).
    If {
        /// Makes the predicate.
        lines: Vec<String>,
        /// The predicate.
        guard: String,
        /// Decided for all lanes alike, by a scalar jump.
        uniform: bool,
        /// Where it holds.
        then: Vec<Node>,
        /// Where it does not.
        els: Vec<Node>,
    },
    /// A loop that each lane (or the thread, if `uniform`) runs a few times.
    Loop {
        /// The counter's variable.
        counter: String,
        /// Operand that says how often.
        trips: String,
        /// A scalar counter and a scalar jump.
        uniform: bool,
        /// The body.
        body: Vec<Node>,
    },
    /// A loop as compilers leave it: what it carries is made anew in every round, copied for what follows the loop, and
    /// copied back for the next round behind the branch out of it.
    Carried {
        /// The counter's variable.
        counter: String,
        /// Operand that says how often.
        trips: String,
        /// A scalar counter and a scalar jump.
        uniform: bool,
        /// The first values of what it carries.
        start: Vec<String>,
        /// A round up to the branch.
        round: Vec<String>,
        /// The copies back.
        back: Vec<String>,
        /// What follows the loop.
        behind: Vec<String>,
    },
    /// Lanes leave the innermost loop, or start its next round.
    Leave {
        /// Makes the predicate.
        lines: Vec<String>,
        /// The predicate.
        guard: String,
        /// The next round rather than the end.
        again: bool,
    },
    /// Blocks that jump anywhere among themselves, backward as long as the fuel lasts.
    Tangle {
        /// The fuel's variable.
        fuel: String,
        /// The blocks.
        blocks: Vec<Block>,
    },
    /// A call of a subroutine.
    Call {
        /// Guard with parentheses, or nothing.
        guard: String,
        /// Which.
        sub: usize,
    },
    /// Lanes return from the subroutine early.
    Return {
        /// Makes the predicate.
        lines: Vec<String>,
        /// The predicate.
        guard: String,
    },
    /// A call of a function through the stack.
    Function(FunctionCall),
    /// Lanes return from such a function.
    GiveBack(GivenBack),
}

/// A block of a [`Node::Tangle`].
#[derive(Clone, Debug)]
pub struct Block {
    /// What it does.
    pub body: Vec<Node>,
    /// Makes the predicate of the jump at its end.
    pub lines: Vec<String>,
    /// The predicate and the block it leads to, if there is a jump.
    pub jump: Option<(String, usize)>,
}

/// A program.
#[derive(Clone, Debug)]
pub struct RandomProgram {
    /// The platform it is for.
    pub platform: Platform,
    /// Registers that its code is given.
    pub grf: finalizer::Grf,
    /// How many of them variables are not given.
    pub reserved: u16,
    /// Seed it came from.
    pub seed: u64,
    /// Lanes of the thread.
    pub simd: u32,
    /// Elements of its predicates.
    pub pred_elements: u32,
    /// Its variables.
    pub vars: Vec<Variable>,
    /// Helper variables, neither loaded at the start nor stored at the end.
    pub helpers: Vec<Variable>,
    /// Predicates, and how many of them are scalars at the end of the list.
    pub preds: u32,
    /// They use shared local memory.
    pub slm: bool,
    /// Predicates beside them, which are not stored: names, elements and first bits.
    pub more_preds: Vec<(String, u32, u32)>,
    /// Instructions after the variables are loaded.
    pub init: Vec<String>,
    /// What it does.
    pub body: Vec<Node>,
    /// Its subroutines.
    pub subs: Vec<Vec<Node>>,
    /// Arguments and results of its functions, if it has any.
    pub signature: Option<Signature>,
    /// Its functions.
    pub functions: Vec<RandomFunction>,
}

/// Bytes of the buffer that programs read and write.
pub const BUFFER: u32 = 16384;

/// Bytes of shared local memory.
pub const SLM: u32 = 16384;

/// Where the buffer that programs read and write lies.
pub fn buffer_address() -> u64 {
    let mut memory = Memory::new();
    let input = memory.add("buffer", vec![0; BUFFER as usize]);
    memory.address(input)
}

/// Writes a program's code.
struct Emitter {
    out: String,
    labels: u32,
    simd: u32,
    /// Ends and latches of the loops around.
    loops: Vec<(u32, u32)>,
    /// Registers of arguments and of results of functions.
    exchanged: [u32; 2],
}

impl Emitter {
    fn line(&mut self, text: &str) {
        self.out.push_str("    ");
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn label(&mut self) -> u32 {
        self.labels += 1;
        self.labels
    }

    fn place(&mut self, label: u32) {
        let _ = writeln!(self.out, "L{label}:");
    }

    fn goto(&mut self, guard: &str, label: u32) {
        let simd = self.simd;
        self.line(&format!("{guard} goto (M1, {simd}) L{label}"));
    }

    fn jump(&mut self, guard: &str, label: u32, uniform: bool) {
        if uniform {
            // Two spellings of the same.
            let word = if label.is_multiple_of(2) { "jmp" } else { "goto" };
            self.line(&format!("{guard} {word} (M1, 1) L{label}"));
        } else {
            self.goto(guard, label);
        }
    }

    fn lines(&mut self, lines: &[String]) {
        for l in lines {
            self.line(l);
        }
    }

    fn nodes(&mut self, nodes: &[Node]) {
        for n in nodes {
            self.node(n);
        }
    }

    fn node(&mut self, node: &Node) {
        match node {
            Node::Lines(lines) => self.lines(lines),
            Node::If { lines, guard, uniform, then, els } => {
                self.lines(lines);
                let (other, end) = (self.label(), self.label());
                self.jump(&format!("(!{guard})"), other, *uniform);
                self.nodes(then);
                if !els.is_empty() {
                    self.jump("", end, *uniform);
                }
                self.place(other);
                if !els.is_empty() {
                    self.nodes(els);
                    self.place(end);
                }
            }
            Node::Loop { counter, trips, uniform, body } => {
                let (head, latch, end) = (self.label(), self.label(), self.label());
                let count = RoundCounter { simd: self.simd, counter, uniform: *uniform };
                self.line(&count.start());
                self.place(head);
                self.loops.push((latch, end));
                self.nodes(body);
                self.loops.pop();
                self.place(latch);
                count.step(trips).iter().for_each(|l| self.line(l));
                self.jump(&format!("({})", count.again()), head, *uniform);
                self.place(end);
            }
            Node::Carried { counter, trips, uniform, start, round, back, behind } => {
                let (head, end) = (self.label(), self.label());
                let count = RoundCounter { simd: self.simd, counter, uniform: *uniform };
                self.lines(start);
                self.line(&count.start());
                self.place(head);
                self.lines(round);
                count.step(trips).iter().for_each(|l| self.line(l));
                self.jump(&format!("(!{})", count.again()), end, *uniform);
                self.lines(back);
                self.jump("", head, *uniform);
                self.place(end);
                self.lines(behind);
            }
            Node::Leave { lines, guard, again } => {
                if let Some((latch, end)) = self.loops.last().copied() {
                    self.lines(lines);
                    self.goto(&format!("({guard})"), if *again { latch } else { end });
                }
            }
            Node::Tangle { fuel, blocks } => self.tangle(fuel, blocks),
            Node::Call { guard, sub } => {
                let simd = self.simd;
                self.line(&format!("{guard} call (M1, {simd}) sub{sub}"));
            }
            Node::Return { lines, guard } => {
                let simd = self.simd;
                self.lines(lines);
                self.line(&format!("({guard}) ret (M1, {simd})"));
            }
            Node::Function(call) => self.function_call(call),
            Node::GiveBack(given) => self.give_back(given),
        }
    }

    /// Variables get what stands in the buffer, from that byte on, when surfaces are known.
    fn load<'a>(&mut self, vars: impl IntoIterator<Item = &'a Variable>, mut from: u32) {
        self.line("movs (M1_NM, 1) T6(0) 0x0:ud");
        self.line("movs (M1_NM, 1) T7(0) 0x1:ud");
        for v in vars.into_iter().filter(|v| v.alias.is_none()) {
            for at in (0..v.bytes()).step_by(64) {
                self.line(&format!("oword_ld (4) T6 {:#x}:ud {}.{at}", from / 16, v.name));
                from = (from + 64) % BUFFER;
            }
        }
    }

    fn subroutines(&mut self, subs: &[Vec<Node>]) {
        for (i, sub) in subs.iter().enumerate() {
            let _ = writeln!(self.out, ".function \"sub{i}\"\nsub{i}:");
            self.nodes(sub);
            let simd = self.simd;
            self.line(&format!("ret (M1, {simd})"));
        }
    }

    /// Blocks that jump to each other, until the fuel is gone.
    fn tangle(&mut self, fuel: &str, blocks: &[Block]) {
        let simd = self.simd;
        self.line(&format!("mov (M1, {simd}) {fuel}(0,0)<1> 0x4:d"));
        let labels: Vec<u32> = blocks.iter().map(|_| self.label()).collect();
        let end = self.label();
        for (i, b) in blocks.iter().enumerate() {
            self.place(labels[i]);
            self.nodes(&b.body);
            let Some((guard, to)) = &b.jump else { continue };
            self.lines(&b.lines);
            let target = labels.get(*to).copied().unwrap_or(end);
            if *to <= i {
                self.line(&format!("add (M1, {simd}) {fuel}(0,0)<1> {fuel}(0,0)<1;1,0> -1:w"));
                self.line(&format!("cmp.gt (M1, {simd}) P5 {fuel}(0,0)<1;1,0> 0x0:d"));
                self.line(&format!("and (M1, {simd}) P5 P5 {guard}"));
                self.goto("(P5)", target);
            } else {
                self.goto(&format!("({guard})"), target);
            }
        }
        self.place(end);
    }
}

/// How the rounds of a loop are counted.
struct RoundCounter<'a> {
    simd: u32,
    counter: &'a str,
    /// All lanes together.
    uniform: bool,
}

impl RoundCounter<'_> {
    /// Execution size and mask, and the region of the counter.
    fn shape(&self) -> (String, &'static str) {
        if self.uniform {
            ("(M1_NM, 1)".into(), "<0;1,0>")
        } else {
            (format!("(M1, {})", self.simd), "<1;1,0>")
        }
    }

    fn start(&self) -> String {
        format!("mov {} {}(0,0)<1> 0x0:d", self.shape().0, self.counter)
    }

    /// Counts a round; whether there is another is in the predicate.
    fn step(&self, trips: &str) -> [String; 2] {
        let ((exec, lane), counter) = (self.shape(), self.counter);
        [
            format!("add {exec} {counter}(0,0)<1> {counter}(0,0){lane} 0x1:d"),
            format!("cmp.lt {exec} {} {counter}(0,0){lane} {trips}", self.again()),
        ]
    }

    /// The predicate.
    const fn again(&self) -> &'static str {
        if self.uniform { "P6" } else { "P5" }
    }
}

fn declare(out: &mut String, v: &Variable) {
    let alias = v.alias.as_ref().map_or(String::new(), |a| format!(" alias=<{a}, {}>", v.from));
    let (name, ty, elements, align) = (&v.name, v.ty.name(), v.elements, v.align);
    let _ = writeln!(out, ".decl {name} v_type=G type={ty} num_elts={elements} align={align}{alias}");
}

/// Gives all elements of a predicate a value.
fn set_all(name: &str, elements: u32, bits: u32) -> String {
    let ty = if elements > 16 { "ud" } else { "uw" };
    format!("setp (M1_NM, {elements}) {name} {:#x}:{ty}", bits & (u32::MAX >> (32 - elements)))
}

impl RandomProgram {
    /// Bytes that it stores at its end.
    pub fn output_bytes(&self) -> u32 {
        self.stored().map(Variable::bytes).sum::<u32>() + 64
    }

    /// Variables that are loaded and stored, in order.
    pub fn stored(&self) -> impl Iterator<Item = &Variable> {
        self.vars.iter().filter(|v| v.alias.is_none())
    }

    /// What a kernel or function begins with: declarations and attributes.
    fn declarations(&self, out: &mut String, vars: &[Variable], helpers: &[Variable]) {
        for v in vars.iter().chain(helpers) {
            declare(out, v);
        }
        self.declare_exchange(out);
        out.push_str(".decl A0 v_type=A num_elts=1\n.decl A1 v_type=A num_elts=16\n");
        for p in 1..=self.preds {
            let n = if p > 5 { 1 } else { self.pred_elements };
            let _ = writeln!(out, ".decl P{p} v_type=P num_elts={n}");
        }
        for (name, elements, _) in &self.more_preds {
            let _ = writeln!(out, ".decl {name} v_type=P num_elts={elements}");
        }
        out.push_str(".decl T6 v_type=T num_elts=1\n.decl T7 v_type=T num_elts=1\n");
        // Every other one whose thread has all channels says so, as Cm kernels do.
        let target = if self.simd == 32 && self.seed.is_multiple_of(2) { "cm" } else { "3d" };
        let _ = writeln!(out, ".kernel_attr Target=\"{target}\"\n.kernel_attr SimdSize={}", self.simd);
        if self.slm {
            let _ = writeln!(out, ".kernel_attr SLMSize={}", SLM / 1024);
        }
    }

    /// The program as vISA assembly.
    pub fn text(&self) -> String {
        let mut head = String::from(".version 4.1\n.kernel \"random\"\n");
        self.declarations(&mut head, &self.vars, &self.helpers);
        let exchanged = self.exchanged();
        let mut e = Emitter { out: head, labels: 0, simd: self.simd, loops: Vec::new(), exchanged };
        e.out.push_str(".function \"random\"\nrandom:\n");
        e.line("or (M1_NM, 1) %cr0(0,0)<1> %cr0(0,0)<0;1,0> 0x4c0:ud");
        e.load(&self.vars, 0);
        e.lines(&self.init);
        for (name, elements, bits) in &self.more_preds {
            e.line(&set_all(name, *elements, *bits));
        }
        e.nodes(&self.body);
        let mut to = 0;
        for v in self.stored() {
            for at in (0..v.bytes()).step_by(64) {
                e.line(&format!("oword_st (4) T7 {:#x}:ud {}.{at}", to / 16, v.name));
                to += 64;
            }
        }
        let word = if self.pred_elements == 32 { "ud" } else { "uw" };
        for p in 1..=4 {
            e.line(&format!("mov (M1_NM, 1) flags_{word}(0,{p})<1> P{p}"));
        }
        e.line(&format!("oword_st (4) T7 {:#x}:ud flags_ud.0", to / 16));
        e.line("ret (M1, 1)");
        e.subroutines(&self.subs);
        self.put_functions(&mut e);
        e.out
    }
}
