//! One instruction over the edges of its types: our code on the emulator beside the vISA interpreter, and beside
//! Intel's code on the emulator where Intel's finalizer is installed.
//!
//! A [`ArithmeticCase`] names an instruction and its types. Its kernel loads operands from a buffer, applies the instruction
//! to them several times (eight lanes, sixteen, four, two, one; broadcast and strided operands; a strided
//! destination), and stores the results.

pub mod known;

use std::fmt::{self, Write};

use emulator::{Memory, Options as RunOptions, RawLaunch, Surface};
use finalizer::{Finalizer, Options};
use platforms::Platform;
use visa::Type;

use crate::oracle::GenxIr as Intel;

/// Elements of each source.
const ELEMENTS: u32 = 64;
/// Elements of the destination: the last instruction strides.
const RESULTS: u32 = 80;

/// An instruction with its types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArithmeticCase {
    /// Mnemonic with suffixes, as in `add.sat`.
    pub op: String,
    /// Type of the destination.
    pub dst: Type,
    /// Types of the sources.
    pub src: Vec<Type>,
    /// Modifiers of the sources, as in `(-)`.
    pub mods: Vec<&'static str>,
}

impl fmt::Display for ArithmeticCase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.op, self.dst.name())?;
        for (ty, m) in self.src.iter().zip(&self.mods) {
            write!(f, " {m}{}", ty.name())?;
        }
        Ok(())
    }
}

/// What became of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CaseOutcome {
    /// Our code and the interpreter leave the same.
    Agrees,
    /// The specification does not allow it, the interpreter does not know it, or both.
    Illegal(String),
    /// The finalizer refuses it, in these words.
    Refused(String),
    /// Our code does something else, or nothing.
    Differs(String),
    /// Our code does what the interpreter does, Intel's something else.
    IntelDiffers(String),
}

/// How a destination and sources are walked: lanes, first element, strides.
struct Shape {
    lanes: u32,
    at: u32,
    dst: u32,
    src: [&'static str; 3],
    /// First element of each source.
    from: [u32; 3],
}

/// The walks of one kernel, for operands of up to `bytes` bytes an element on registers of `grf` bytes.
fn shapes(grf: u32, bytes: u32) -> Vec<Shape> {
    let row = |lanes: u32, at: u32| Shape { lanes, at, dst: 1, src: ["<1;1,0>"; 3], from: [at; 3] };
    let wide = if 16 * bytes <= 2 * grf { 16 } else { 8 };
    let mut out = vec![row(8, 0), row(8, 8)];
    out.extend((16..32).step_by(wide as usize).map(|at| row(wide, at)));
    out.extend([row(4, 32), row(2, 36), row(1, 38), row(1, 39)]);
    for (at, scalar) in [(40, 0), (44, 1), (48, 2)] {
        let mut s = row(4, at);
        s.src[scalar] = "<0;1,0>";
        s.from[scalar] = at + 1;
        out.push(s);
    }
    let mut strided = row(4, 52);
    (strided.src, strided.from) = (["<2;1,0>"; 3], [48; 3]);
    out.push(strided);
    let mut spread = row(4, 60);
    spread.dst = 2;
    out.push(spread);
    out
}

/// Values worth trying, as bits.
fn edges(ty: Type) -> Vec<u64> {
    let bits = ty.bytes() * 8;
    let float = |values: &[f64]| -> Vec<f64> {
        let mut out: Vec<f64> = values.iter().flat_map(|v| [*v, -*v]).collect();
        out.push(f64::NAN);
        out
    };
    let values = float(&[
        0.0,
        1.0,
        0.5,
        1.5,
        2.5,
        0.75,
        3.0,
        7.0,
        100.25,
        127.5,
        128.0,
        255.5,
        256.0,
        1000.0,
        32767.5,
        65504.0,
        65535.5,
        65536.0,
        1e-3,
        1e-7,
        6e-8,
        1e-30,
        1e-40,
        16777216.0,
        2147483520.0,
        2147483648.0,
        4294967040.0,
        4294967296.0,
        9.2e18,
        9.3e18,
        1.9e19,
        1e30,
        f64::INFINITY,
    ]);
    match ty {
        Type::DF => values.into_iter().chain([2147483647.5, 1e300, 1e-310]).map(f64::to_bits).collect(),
        Type::F => values.into_iter().map(|v| u64::from((v as f32).to_bits())).collect(),
        Type::HF => values.into_iter().map(|v| u64::from(half::f16::from_f64(v).to_bits())).collect(),
        Type::BF => values.into_iter().map(|v| u64::from(half::bf16::from_f64(v).to_bits())).collect(),
        _ => {
            let top = 1u64 << (bits - 1);
            let mask = u64::MAX >> (64 - bits);
            let mut out = vec![
                0,
                1,
                2,
                3,
                7,
                31,
                32,
                33,
                63,
                64,
                0x55,
                top,
                top - 1,
                top + 1,
                mask,
                mask - 1,
                mask - 6,
            ];
            for power in [7, 8, 15, 16, 24, 31, 32, 33, 52, 62, 63] {
                if power < bits {
                    let p = 1u64 << power;
                    out.extend([p - 1, p, p + 1, p.wrapping_neg(), p.wrapping_neg().wrapping_sub(1)]);
                }
            }
            out.extend([0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3210]);
            out.iter().map(|v| v & mask).collect()
        }
    }
}

/// The elements of source `i`: every edge at least once, pairs mixed.
fn values(ty: Type, i: usize, round: u32, mods: &str) -> Vec<u8> {
    let mut edges = edges(ty);
    if !mods.is_empty() && ty.is_int() {
        // Whether the negative of the least value has a bit more than the type is not said.
        edges.retain(|v| *v != 1 << (ty.bytes() * 8 - 1));
    }
    let mut state = (u64::from(round) * 3 + i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut out = Vec::new();
    for k in 0..ELEMENTS {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let all = k as usize + (round * ELEMENTS) as usize;
        let at = if i == 0 { all } else { (state >> 33) as usize } % edges.len();
        out.extend_from_slice(&edges[at].to_le_bytes()[..ty.bytes() as usize]);
    }
    out
}

/// Bytes that a variable of `elements` takes, in the 64-byte pieces it is loaded and stored in.
fn space(ty: Type, elements: u32) -> u32 {
    (ty.bytes() * elements).next_multiple_of(64)
}

impl ArithmeticCase {
    /// A case without modifiers.
    pub fn new(op: &str, dst: Type, src: &[Type]) -> ArithmeticCase {
        ArithmeticCase { op: op.to_owned(), dst, src: src.to_vec(), mods: vec![""; src.len()] }
    }

    /// Rotations are lowered where the specification has none, because Intel's finalizer does so.
    fn is_lowered(&self, rule: visa::Rule) -> bool {
        rule == visa::Rule::Availability && self.op.starts_with("ro")
    }

    /// Whether the specification says what comes out: it is silent on unsigned qwords beside signed operands, on
    /// division with one signed operand, on averages of negated operands, on rotations of other than the types it
    /// lists; an integer `mad` or `div` does not saturate.
    fn is_defined(&self) -> bool {
        let name = self.op.trim_end_matches(".sat");
        let sat = self.op.ends_with(".sat");
        let signs = |n: usize| self.src.iter().take(n).filter(|t| t.is_signed_int()).count();
        let int = self.src.iter().all(|t| t.is_int());
        let mixed = int && matches!(signs(2), 1) && self.src.len() > 1;
        match name {
            "min" | "max" | "cmp.eq" | "cmp.ne" | "cmp.lt" | "cmp.ge" => {
                !(mixed && self.src.contains(&Type::UQ))
            }
            // Of floats they are approximations.
            "div" | "pow" => int && !mixed && !sat,
            "mod" => !mixed,
            "mad" => !(sat && int),
            "avg" => self.mods.iter().all(|m| m.is_empty()),
            "rol" | "ror" => self.dst.bytes() == self.src[0].bytes() && self.dst.bytes() > 1,
            _ => true,
        }
    }

    fn compares(&self) -> bool {
        self.op.starts_with("cmp")
    }

    /// The kernel, with the lines of the shapes that `keep` chooses.
    fn text(&self, platform: Platform, keep: impl Fn(usize) -> bool) -> String {
        let grf = u32::from(platform.caps().regs.grf_bytes);
        let mut out = String::from(".version 4.1\n.kernel \"arithmetic\"\n");
        let mut declare = |name: &str, ty: Type, elements: u32| {
            let elements = space(ty, elements) / ty.bytes();
            let _ = writeln!(out, ".decl {name} v_type=G type={} num_elts={elements} align=GRF", ty.name());
        };
        for (i, ty) in self.src.iter().enumerate() {
            declare(&format!("S{i}"), *ty, ELEMENTS);
        }
        declare("R", self.dst, RESULTS);
        out.push_str(
            ".decl P1 v_type=P num_elts=16\n.decl T6 v_type=T num_elts=1\n.decl T7 v_type=T num_elts=1\n",
        );
        out.push_str(
            ".kernel_attr Target=\"3d\"\n.kernel_attr SimdSize=16\n.function \"arithmetic\"\narithmetic:\n",
        );
        // Denormals are kept (spec "Control Register").
        out.push_str("or (M1_NM, 1) %cr0(0,0)<1> %cr0(0,0)<0;1,0> 0x4c0:ud\n");
        out.push_str("movs (M1_NM, 1) T6(0) 0x0:ud\nmovs (M1_NM, 1) T7(0) 0x1:ud\n");
        let mut from = 0;
        for (i, ty) in self.src.iter().enumerate() {
            for at in (0..space(*ty, ELEMENTS)).step_by(64) {
                let _ = writeln!(out, "oword_ld (4) T6 {:#x}:ud S{i}.{at}", from / 16);
                from += 64;
            }
        }
        let size = space(self.dst, RESULTS);
        for at in (0..size).step_by(64) {
            let _ = writeln!(out, "oword_ld (4) T6 {:#x}:ud R.{at}", from / 16);
            from += 64;
        }
        let place = |name: &str, ty: Type, element: u32| {
            let at = element * ty.bytes();
            format!("{name}({},{})", at / grf, at % grf / ty.bytes())
        };
        let widest = self.src.iter().map(|t| t.bytes()).chain([self.dst.bytes()]).max().unwrap_or(4);
        for (k, s) in shapes(grf, widest).iter().enumerate() {
            if !keep(k) {
                continue;
            }
            let dst = format!("{}<{}>", place("R", self.dst, s.at), s.dst);
            let to = if self.compares() { "P1".to_owned() } else { dst.clone() };
            let _ = write!(out, "{} (M1_NM, {}) {to}", self.op, s.lanes);
            for (i, ty) in self.src.iter().enumerate() {
                let region = if s.lanes == 1 { "<0;1,0>" } else { s.src[i] };
                let _ = write!(out, " {}{}{region}", self.mods[i], place(&format!("S{i}"), *ty, s.from[i]));
            }
            out.push('\n');
            if self.compares() {
                let _ = writeln!(out, "(P1) sel (M1_NM, {}) {dst} 0x1:w 0x0:w", s.lanes);
            }
        }
        for at in (0..size).step_by(64) {
            let _ = writeln!(out, "oword_st (4) T7 {:#x}:ud R.{at}", at / 16);
        }
        out.push_str("ret (M1, 1)\n");
        out
    }

    /// Judges our code for the case, and Intel's if `intel` is there. A difference between our code and the
    /// interpreter's result names the first element and its operands.
    pub fn judge(&self, platform: Platform, intel: Option<&Intel>) -> CaseOutcome {
        let outcome = self.judge_shapes(platform, intel, &|_| true);
        let CaseOutcome::Refused(_) = outcome else { return outcome };
        // One refused shape must not hide what the others do.
        let mut agreed = false;
        for k in 0..64 {
            let one = std::cell::Cell::new(false);
            let keep = |n: usize| {
                one.set(one.get() || n == k);
                n == k
            };
            let part = self.judge_shapes(platform, intel, &keep);
            if !one.get() {
                break;
            }
            match part {
                CaseOutcome::Differs(_) | CaseOutcome::IntelDiffers(_) => return part,
                CaseOutcome::Agrees => agreed = true,
                _ => {}
            }
        }
        match outcome {
            CaseOutcome::Refused(why) if agreed => CaseOutcome::Refused(format!("in part: {why}")),
            other => other,
        }
    }

    fn judge_shapes(
        &self,
        platform: Platform,
        intel: Option<&Intel>,
        keep: &dyn Fn(usize) -> bool,
    ) -> CaseOutcome {
        let text = self.text(platform, keep);
        let module = match finalizer::read_text(text.as_bytes(), platform) {
            Ok(m) => m,
            Err(e) => return CaseOutcome::Illegal(e.0.first().map_or(String::new(), |d| d.to_string())),
        };
        let findings = visa::verify(&module, visa::VerifyOptions::for_platform(platform));
        if let Some(f) =
            findings.iter().find(|f| f.rule.severity() != visa::Severity::Warning && !self.is_lowered(f.rule))
        {
            return CaseOutcome::Illegal(f.to_string());
        }
        let mut finalizer = Finalizer::new(Options { verify: true, ..Options::new(platform) });
        let ours = match finalizer.finalize_kernel(&module, 0) {
            Ok(b) => b.code.to_vec(),
            Err(e) => return CaseOutcome::Refused(e.0.first().map_or(String::new(), |d| d.to_string())),
        };
        let theirs = intel.and_then(|i| i.finalize(platform, &text, &["-noschedule"]).ok());
        for round in 0..2 {
            let (memory, launch) = self.launch(round);
            let options = RunOptions { max_instructions: 100_000, ..RunOptions::default() };
            let mut wanted = memory.clone();
            match emulator::visa::run_raw(platform, &module, 0, &launch, &mut wanted, &options) {
                Err(e) => return CaseOutcome::Illegal(format!("interpreter: {e}")),
                Ok(report) if !report.reports.is_empty() => {
                    return CaseOutcome::Illegal(format!("interpreter: {}", report.reports[0]));
                }
                Ok(_) => {}
            }
            let run = |code: &[u8]| -> Result<Memory, String> {
                let mut found = memory.clone();
                let report = emulator::run_raw(platform, code, &launch, &mut found, &options)
                    .map_err(|e| e.to_string())?;
                match report.reports.first() {
                    Some(r) => Err(r.to_string()),
                    None => Ok(found),
                }
            };
            let found = match run(&ours) {
                Ok(m) => m,
                Err(e) => return CaseOutcome::Differs(format!("our code: {e}")),
            };
            let theirs = theirs.as_ref().map(|t| run(&t.dat));
            if let Some(at) = self.difference(result(&wanted), result(&found)) {
                return CaseOutcome::Differs(self.describe(at, round, &wanted, &found, theirs.as_ref()));
            }
            if let Some(Ok(theirs)) = &theirs
                && let Some(at) = self.difference(result(&found), result(theirs))
            {
                let what = self.describe(at, round, &wanted, &found, Some(&Ok(theirs.clone())));
                return CaseOutcome::IntelDiffers(what);
            }
        }
        CaseOutcome::Agrees
    }

    fn launch(&self, round: u32) -> (Memory, RawLaunch) {
        let mut memory = Memory::new();
        let mut input = Vec::new();
        for (i, ty) in self.src.iter().enumerate() {
            let start = input.len();
            input.extend(values(*ty, i, round, self.mods[i]));
            input.resize(start + space(*ty, ELEMENTS) as usize, 0);
        }
        let size = space(self.dst, RESULTS) as usize;
        input.resize(input.len() + size, 0xa5);
        let input = memory.add("operands", input);
        let output = memory.add(RESULT, vec![0; size]);
        let surface =
            |b| Some(Surface { base: memory.address(b), size: memory.bytes(b).len() as u64, image: None });
        let surfaces = vec![surface(input), surface(output)];
        let launch = RawLaunch {
            simd: 16,
            groups: [1; 3],
            threads: 1,
            surfaces,
            scratch: 1 << 12,
            ..RawLaunch::default()
        };
        (memory, launch)
    }

    /// The first element that differs.
    fn difference(&self, a: &[u8], b: &[u8]) -> Option<usize> {
        let size = self.dst.bytes() as usize;
        let nan = |x: &[u8]| self.dst.is_float() && is_nan(self.dst, x);
        a.chunks(size).zip(b.chunks(size)).position(|(a, b)| a != b && !(nan(a) && nan(b)))
    }

    fn describe(
        &self,
        at: usize,
        round: u32,
        wanted: &Memory,
        found: &Memory,
        theirs: Option<&Result<Memory, String>>,
    ) -> String {
        let size = self.dst.bytes() as usize;
        let element = |bytes: &[u8], size: usize, at: usize| {
            bytes[at * size..(at + 1) * size]
                .iter()
                .rev()
                .fold(String::from("0x"), |s, b| s + &format!("{b:02x}"))
        };
        let mut out = format!("element {at}");
        for (i, ty) in self.src.iter().enumerate() {
            if at < ELEMENTS as usize {
                let _ = write!(
                    out,
                    " {}",
                    element(&values(*ty, i, round, self.mods[i]), ty.bytes() as usize, at)
                );
            }
        }
        let _ = write!(out, ": interpreter {}", element(result(wanted), size, at));
        let _ = write!(out, ", ours {}", element(result(found), size, at));
        match theirs {
            Some(Ok(m)) => write!(out, ", Intel's {}", element(result(m), size, at)),
            Some(Err(e)) => write!(out, ", Intel's code: {e}"),
            None => Ok(()),
        }
        .expect("text is writable");
        out
    }
}

const RESULT: &str = "results";

fn result(memory: &Memory) -> &[u8] {
    memory.buffers().find(|(_, n, _)| *n == RESULT).map_or(&[], |(_, _, bytes)| bytes)
}

fn is_nan(ty: Type, bytes: &[u8]) -> bool {
    let bits = bytes.iter().rev().fold(0u64, |v, b| v << 8 | u64::from(*b));
    match ty {
        Type::HF => half::f16::from_bits(bits as u16).is_nan(),
        Type::BF => half::bf16::from_bits(bits as u16).is_nan(),
        Type::F => f32::from_bits(bits as u32).is_nan(),
        _ => f64::from_bits(bits).is_nan(),
    }
}

/// Types that a variable of arithmetic has.
pub const TYPES: [Type; 12] = [
    Type::UD,
    Type::D,
    Type::UW,
    Type::W,
    Type::UB,
    Type::B,
    Type::UQ,
    Type::Q,
    Type::F,
    Type::DF,
    Type::HF,
    Type::BF,
];

/// Operations of one source, of two, and of three.
const UNARY: &[&str] = &[
    "mov", "not", "bfrev", "cbit", "fbh", "fbl", "lzd", "rndd", "rndu", "rnde", "rndz", "frc", "inv", "log",
    "exp", "sqrt", "rsqrt", "sin", "cos", "sqrtm",
];
const BINARY: &[&str] = &[
    "add", "mul", "mulh", "avg", "and", "or", "xor", "shl", "shr", "asr", "rol", "ror", "min", "max",
    "cmp.eq", "cmp.ne", "cmp.lt", "cmp.ge", "div", "mod", "divm", "pow", "srnd",
];
const TERNARY: &[&str] = &["mad", "lrp", "bfe", "add3"];

/// All cases whose mnemonic begins with `op`.
pub fn cases(op: &str) -> Vec<ArithmeticCase> {
    let mut out = Vec::new();
    let wanted = |name: &&&str| name.starts_with(op) || op.starts_with(**name);
    for name in UNARY.iter().filter(wanted) {
        for dst in TYPES {
            for src in TYPES {
                let plain = ArithmeticCase::new(name, dst, &[src]);
                out.push(ArithmeticCase { op: format!("{name}.sat"), ..plain.clone() });
                if src.is_float() || src.is_signed_int() {
                    out.extend(["(-)", "(abs)"].map(|m| ArithmeticCase { mods: vec![m], ..plain.clone() }));
                }
                out.push(plain);
            }
        }
    }
    for name in BINARY.iter().filter(wanted) {
        let compares = name.starts_with("cmp");
        for dst in TYPES {
            if compares && dst != Type::UD {
                continue;
            }
            for a in TYPES {
                for b in TYPES {
                    // Floats do not mix with integers, nor much with each other.
                    let floats = [dst, a, b].map(|t| t.is_float());
                    if floats[1] != floats[2] || floats[0] != floats[1] && !compares {
                        continue;
                    }
                    let plain = ArithmeticCase::new(name, dst, &[a, b]);
                    if !compares {
                        out.push(ArithmeticCase { op: format!("{name}.sat"), ..plain.clone() });
                    }
                    if b.is_float() || b.is_signed_int() {
                        out.push(ArithmeticCase { mods: vec!["", "(-)"], ..plain.clone() });
                    }
                    out.push(plain);
                }
            }
        }
    }
    for name in TERNARY.iter().filter(wanted) {
        for ty in TYPES {
            for other in TYPES {
                if ty.is_float() != other.is_float() {
                    continue;
                }
                for types in
                    [[ty, ty, ty], [ty, ty, other], [ty, other, other], [other, ty, ty], [other, other, ty]]
                {
                    let plain = ArithmeticCase::new(name, ty, &types);
                    out.push(ArithmeticCase { op: format!("{name}.sat"), ..plain.clone() });
                    out.push(plain);
                }
            }
        }
    }
    out.dedup();
    out.retain(ArithmeticCase::is_defined);
    out
}

/// Cases of integers under modifiers, with and without saturation: where the negative of an unsigned number has a bit
/// more than its type, and where products have more bits than the place that they saturate to.
pub fn modified() -> Vec<ArithmeticCase> {
    const MODIFIERS: [&str; 4] = ["", "(-)", "(abs)", "(-abs)"];
    let ints = || TYPES.into_iter().filter(|ty| ty.is_int());
    let mut out = Vec::new();
    let mut add = |op: &str, dst: Type, src: &[Type], mods: &[&'static str]| {
        let case = ArithmeticCase { op: op.to_owned(), dst, src: src.to_vec(), mods: mods.to_vec() };
        out.extend(case.is_defined().then_some(case));
    };
    for (dst, a) in ints().flat_map(|dst| ints().map(move |a| (dst, a))) {
        for m in MODIFIERS {
            add("mov", dst, &[a], &[m]);
            add("mov.sat", dst, &[a], &[m]);
        }
        for b in ints() {
            for (m, n) in MODIFIERS.into_iter().flat_map(|m| MODIFIERS.map(|n| (m, n))) {
                for op in ["add", "add.sat", "mul", "mul.sat", "mulh", "min", "max.sat", "cmp.lt", "cmp.eq"] {
                    if !op.starts_with("cmp") || dst == Type::UD {
                        add(op, dst, &[a, b], &[m, n]);
                    }
                }
                add("mad", dst, &[a, b, dst], &[m, n, m]);
                add("add3", dst, &[a, b, a], &[m, n, n]);
            }
        }
    }
    out
}
