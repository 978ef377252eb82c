//! One instruction over the edges of its types: our code on the emulator beside the vISA interpreter, and beside
//! Intel's code on the emulator where Intel's finalizer is installed.
//!
//! A [`ArithmeticCase`] names an instruction and its types. Its kernel loads operands from a buffer, applies the instruction
//! to them several times (eight lanes, sixteen, four, two, one; broadcast and strided operands; a strided
//! destination), and stores the results.

mod cases;
pub mod known;
mod values;

pub use cases::{TYPES, cases, modified};
use values::{ELEMENTS, is_nan, space, values};

use std::fmt::{self, Write};

use emulator::{Memory, Options as RunOptions, RawLaunch, Surface};
use finalizer::{Finalizer, Options};
use platforms::Platform;
use visa::Type;

use crate::oracle::GenxIr as Intel;

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
