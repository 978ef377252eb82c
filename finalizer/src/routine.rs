//! One kernel or function through the passes, up to code over registers.

use gen_ir::{Kernel, Op, Physical, Pool, Virtual};
use visa::{Module, Verifier};

use crate::{
    Diagnostic, Options, Refusal, Severity, calls, entries, legalize, lists::refill, lower, optimize,
    pass::Tracker, relocate, swsb,
};

/// Memory that the passes work in, from one kernel to the next.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    verifier: Verifier,
    lower: lower::Scratch,
    optimize: optimize::Scratch,
    legalize: legalize::Scratch,
    structurize: structurizer::Scratch,
    registers: regalloc::Scratch,
    pub calls: calls::Scratch,
    swsb: swsb::Scratch,
    virtuals: Pool<Virtual>,
    pub physicals: Pool<Physical>,
    /// Symbols that the code of all routines names.
    pub symbols: Vec<relocate::Symbol>,
}

/// A kernel or function over registers.
#[derive(Debug)]
pub(crate) struct Routine {
    /// The function's number in the module.
    pub number: u32,
    /// How many routines of the binary were made before it.
    pub rank: u32,
    pub code: Kernel<Physical>,
    /// Instructions of the code.
    pub insts: u32,
    pub allocation: regalloc::AllocStats,
    /// Its symbols: their first and end.
    pub symbols: (u32, u32),
    pub calls: calls::Calls,
    /// Bytes of scratch memory that one activation uses, in whole units of frames.
    pub frame: u32,
    pub entries: entries::Entries,
    pub warnings: Vec<Diagnostic>,
}

/// The base of scratch memory moves in these steps.
const FRAME_UNIT: u32 = 1024;
/// Scratch memory of a thread whose calls have no known end: what Intel's finalizer asks for.
const DEEP_STACK: u32 = 128 * 1024;

/// What does not change from one routine of a binary to the next.
pub(crate) struct Context<'a> {
    pub options: &'a Options,
    pub module: &'a Module,
}

impl Context<'_> {
    /// A kernel or function. `simd` is the size of the kernel that calls a function.
    pub(crate) fn routine(
        &self,
        source: &visa::Kernel,
        simd: Option<u8>,
        scratch: &mut Scratch,
        tracker: &mut Tracker,
    ) -> Result<Routine, Refusal> {
        let platform = self.options.platform;
        let name = || source.name().into_owned();

        let warnings = self.check(source, &mut scratch.verifier)?;

        let options = lower::LowerOptions { simd, ..lower::LowerOptions::default() };
        let pool = &mut scratch.virtuals;
        let lowered = lower::lower(source, platform, &options, &mut scratch.lower, pool);
        let mut kernel = lowered.map_err(|e| {
            let placed = |e: lower::LowerError| {
                let place = e.place;
                match source.places {
                    visa::PlaceKind::Line => {
                        Diagnostic::from(e).at(crate::Place::Line { line: place, column: 1 })
                    }
                    visa::PlaceKind::Offset => Diagnostic::from(e),
                }
            };
            Refusal(e.into_iter().map(placed).collect())
        })?;
        tracker.done_kernel("lower", &kernel);

        optimize::optimize(&mut kernel, &mut scratch.optimize, pool);
        tracker.done_kernel("optimize", &kernel);

        legalize::legalize(&mut kernel, &mut scratch.legalize, pool)
            .map_err(|e| Refusal(e.into_iter().map(|e| Diagnostic::from(e).in_kernel(name())).collect()))?;
        tracker.done_kernel("legalize", &kernel);

        optimize::tidy(&mut kernel, &mut scratch.optimize, pool);
        tracker.done_kernel("tidy", &kernel);

        structurizer::structurize_in(&mut kernel, &mut scratch.structurize, pool)
            .map_err(|e| Diagnostic::error("CannotStructure", e.to_string()).in_kernel(name()))?;
        tracker.done_kernel("structurize", &kernel);

        let choices = regalloc::Options { check: self.options.verify };
        let allocated = regalloc::allocate(&kernel, &choices, &mut scratch.registers, &mut scratch.physicals);
        let (mut code, allocation) =
            allocated.map_err(|e| Diagnostic::error("CannotAllocate", e.to_string()).in_kernel(name()))?;
        let frame = (kernel.spill_offset + allocation.scratch_bytes).next_multiple_of(FRAME_UNIT);
        pool.keep_kernel(kernel);
        let pool = &mut scratch.physicals;
        let callee = |origin| callee(source, self.module, origin);
        let calls = calls::expand(&mut code, frame, callee, &mut scratch.calls, pool);
        tracker.done_kernel("allocate", &code);

        if platform.caps().scoreboard.sbid_count > 0 {
            swsb::annotate(&mut code, &mut scratch.swsb, pool);
            tracker.done_kernel("swsb", &code);
        }

        let entries = entries::align(&mut code, pool);
        if self.options.verify {
            verify(&code)?;
        }
        let first = scratch.symbols.len() as u32;
        relocate::take_symbols(source, &mut code, &mut scratch.symbols);
        let symbols = (first, scratch.symbols.len() as u32);
        let insts = code.inst_count() as u32;
        Ok(Routine { number: 0, rank: 0, code, insts, allocation, symbols, calls, frame, entries, warnings })
    }

    /// Checks the kernel against the specification; gives warnings if those are asked for.
    fn check(&self, source: &visa::Kernel, verifier: &mut Verifier) -> Result<Vec<Diagnostic>, Refusal> {
        let options = visa::VerifyOptions::for_platform(self.options.platform);
        let findings = match self.options.warnings {
            true => verifier.kernel(source, options),
            false => verifier.safety(source, options.grf_bytes),
        };
        if findings.iter().any(|f| f.rule.is_safety()) {
            let safety = findings.into_iter().filter(|f| f.rule.is_safety());
            return Err(Refusal(safety.map(Diagnostic::from).collect()));
        }
        let warning = |f| Diagnostic { severity: Severity::Warning, ..Diagnostic::from(f) };
        Ok(findings.into_iter().map(warning).collect())
    }
}

/// Checks every instruction against the hardware's rules. What is reported here is a fault of ours, not
/// of the input, but a refusal serves the user better than code that the hardware may misread.
fn verify(kernel: &Kernel<Physical>) -> Result<(), Refusal> {
    let mut faults = Vec::new();
    for (_, inst) in kernel.insts() {
        for broken in gen_ir::rules::check(kernel.platform, inst) {
            let d = Diagnostic::error(
                "RuleBroken",
                format!("the code for it, `{inst}`, breaks a rule: {broken}"),
            );
            faults.push(d.in_kernel(&*kernel.name).at_instruction(inst.origin, inst.op.name()));
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(Refusal(faults)) }
}

/// The function that a call's vISA instruction names, if the module has it.
fn callee(source: &visa::Kernel, module: &Module, origin: u32) -> Option<u32> {
    let visa::Op::Fcall { function, .. } = source.try_inst(origin as usize).ok()?.op else { return None };
    let name = source.str(function);
    module.functions.iter().position(|f| *f.name() == *name).map(|i| i as u32)
}

/// Scratch bytes of a thread: the deepest chain of frames, or a generous stack where that has no end.
pub(crate) fn scratch_bytes(
    kernel: &Routine,
    functions: &[Routine],
    callees: &[u32],
    depth: &mut Vec<u32>,
) -> u32 {
    let own = kernel.code.spill_offset + kernel.allocation.scratch_bytes;
    if kernel.calls.callees(callees).is_empty() && !kernel.calls.unknown {
        return own;
    }
    let at = |n: &u32| functions.binary_search_by_key(n, |f| f.number).ok();
    // Each round follows calls one level deeper; what still grows after as many rounds as there are
    // functions calls itself.
    refill(depth, functions.iter().map(|f| f.frame));
    let mut unknown = kernel.calls.unknown || functions.iter().any(|f| f.calls.unknown);
    for round in 0..=functions.len() {
        let mut grown = false;
        for i in 0..functions.len() {
            let below = functions[i].calls.callees(callees).iter().filter_map(at).map(|c| depth[c]).max();
            // A frame of nothing still counts, so that recursion shows.
            let total = functions[i].frame.max(1).saturating_add(below.unwrap_or(0));
            grown |= total > depth[i];
            depth[i] = depth[i].max(total);
        }
        if !grown {
            break;
        }
        unknown |= round == functions.len();
    }
    let called = kernel.calls.callees(callees).iter().filter_map(at).map(|c| depth[c]).max().unwrap_or(0);
    let known = kernel.frame.saturating_add(called).next_multiple_of(FRAME_UNIT);
    if unknown { known.max(DEEP_STACK) } else { known }
}

/// Whether something is called whose address is only known at run time.
pub(crate) fn calls_unknown(kernel: &Kernel<Physical>) -> bool {
    kernel.outside && kernel.insts().any(|(_, i)| i.op == Op::Call && i.branch_target().is_none())
}
