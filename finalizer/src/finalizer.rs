//! The pipeline: the list of passes, top to bottom.

use std::collections::BTreeMap;

use encoder::{CodeBuffer, CodeOptions};
use gen_ir::{Kernel, Op, Physical};
use visa::Module;

use crate::{
    Binary, Diagnostic, FunctionInfo, InputInfo, InputKind, KernelInfo, Options, Refusal, Severity, Stats,
    Symbol, SymbolKind, calls, entries, legalize, lower, optimize, pass::Tracker, relocate, swsb,
};

/// Turns vISA kernels into the machine code of one platform. Reusable: memory of one kernel serves the
/// next. `Send`, and free of global state.
#[derive(Debug)]
pub struct Finalizer {
    options: Options,
    buffer: CodeBuffer,
    printed: Option<String>,
    /// Helpers of [`Finalizer::finalize_parallel`], between calls.
    workers: Vec<Finalizer>,
}

impl Finalizer {
    /// A finalizer with these options.
    pub fn new(options: Options) -> Finalizer {
        Finalizer { options, buffer: CodeBuffer::new(), printed: None, workers: Vec::new() }
    }

    pub(crate) fn take_workers(&mut self, count: usize) -> Vec<Finalizer> {
        let mut workers = std::mem::take(&mut self.workers);
        workers.resize_with(count.max(workers.len()), || Finalizer::new(self.options.clone()));
        workers.truncate(count);
        workers
    }

    pub(crate) fn keep_workers(&mut self, workers: Vec<Finalizer>) {
        self.workers = workers;
    }

    /// The options it was made with.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Finalizes all kernels of an object, in its order.
    ///
    /// # Errors
    ///
    /// Every fault in the object, or every instruction of any kernel that cannot be finalized.
    pub fn finalize_object(&mut self, object: &[u8]) -> Result<Vec<Binary>, Refusal> {
        self.finalize_module(&crate::read_module(object)?)
    }

    /// Finalizes one kernel of an object. The other kernels' code is not even decoded, so a runtime that
    /// asks for one after the other pays for each once.
    ///
    /// # Errors
    ///
    /// There is no such kernel; else as [`Finalizer::finalize_kernel`].
    pub fn finalize_named(&mut self, object: &[u8], name: &str) -> Result<Binary, Refusal> {
        let (module, kernel) = crate::read_kernel(object, name)?;
        self.finalize_kernel(&module, kernel)
    }

    /// Finalizes all kernels of a text in vISA assembly.
    ///
    /// # Errors
    ///
    /// Every statement at fault, or every instruction of any kernel that cannot be finalized.
    pub fn finalize_text(&mut self, text: &str) -> Result<Vec<Binary>, Refusal> {
        let module = crate::read_text(text.as_bytes(), self.options.platform)?;
        self.finalize_module(&module)
    }

    /// Finalizes all kernels of a module, in its order.
    ///
    /// # Errors
    ///
    /// Every instruction of any kernel that cannot be finalized.
    pub fn finalize_module(&mut self, module: &Module) -> Result<Vec<Binary>, Refusal> {
        let kernels = 0..module.kernels.len();
        crate::parallel::gather(kernels.map(|kernel| self.finalize_kernel(module, kernel)))
    }

    /// Finalizes kernel number `index` of a module.
    ///
    /// # Errors
    ///
    /// There is no such kernel; every instruction that cannot be finalized; code that cannot be given
    /// registers.
    pub fn finalize_kernel(&mut self, module: &Module, index: usize) -> Result<Binary, Refusal> {
        let mut tracker = Tracker::new(self.options.print_after);
        let result = self.run(module, index, &mut tracker);
        self.printed = tracker.printed;
        result
    }

    /// The text of the last kernel after the pass that [`Options::print_after`] names, if it came so far:
    /// a kernel that a later pass refused has one too.
    pub fn take_printed(&mut self) -> Option<String> {
        self.printed.take()
    }

    fn run(&mut self, module: &Module, index: usize, tracker: &mut Tracker) -> Result<Binary, Refusal> {
        let Some(source) = module.kernels.get(index) else {
            let message = format!("found kernel number {index}, but the object has {}", module.kernels.len());
            return Err(Diagnostic::error("UnknownKernel", message).into());
        };
        let mut kernel = self.routine(source, module, None, tracker)?;
        let mut symbols = std::mem::take(&mut kernel.symbols);
        let mut functions = self.functions(module, index, &kernel, tracker)?;
        let mut warnings = std::mem::take(&mut kernel.warnings);
        let mut stats = Stats { visa_instructions: instructions(source), ..Stats::default() };
        let mut allocation = kernel.allocation;
        let mut instructions_before = kernel.code.inst_count();
        let mut barrier = has_barrier(source);
        for (number, f) in &mut functions {
            for symbol in std::mem::take(&mut f.symbols) {
                symbols.push(symbol.moved(instructions_before));
            }
            warnings.append(&mut f.warnings);
            instructions_before += f.code.inst_count();
            let function = &module.functions[*number as usize];
            stats.visa_instructions += instructions(function);
            barrier |= has_barrier(function);
            allocation.spills += f.allocation.spills;
            allocation.fills += f.allocation.fills;
            allocation.flag_spills += f.allocation.flag_spills;
            allocation.grfs_used = allocation.grfs_used.max(f.allocation.grfs_used);
        }
        let scratch = scratch_bytes(&kernel, &functions);
        let mut physical = kernel.code;
        let codes = functions.into_iter().map(|(number, f)| (number, f.code)).collect();
        let entries = calls::join(&mut physical, codes);
        let compact = CodeOptions { compact: self.options.compact };
        self.buffer.emit(&physical, compact).map_err(|e| {
            Diagnostic::error("CannotEncode", e.to_string()).in_kernel(source.name().into_owned())
        })?;
        tracker.done("encode");

        let relocations = relocate::place(symbols, self.buffer.inst_offsets());
        let mut code = self.buffer.bytes().to_vec();
        if !entries.is_empty() || calls_unknown(&physical) {
            calls::place_distances(&physical, self.buffer.inst_offsets(), &mut code);
        }
        stats.gen_instructions = physical.inst_count() as u32;
        stats.gen_padding = padding(&physical);
        stats.compacted = compacted(&code, physical.inst_count());
        stats.spills = allocation.spills;
        stats.fills = allocation.fills;
        stats.flag_spills = allocation.flag_spills;
        stats.times = std::mem::take(&mut tracker.times);
        let functions = function_infos(module, &entries, &physical, self.buffer.inst_offsets(), code.len());
        let offset = |at: Option<usize>| {
            at.and_then(|i| self.buffer.inst_offsets().get(i)).copied().unwrap_or_default()
        };
        let info = KernelInfo {
            functions,
            scratch_bytes: scratch,
            barriers: barrier.into(),
            skip_per_thread_load: offset(kernel.entries.per_thread),
            skip_cross_thread_load: offset(kernel.entries.cross_thread),
            ..info(source, &physical, &allocation)
        };
        let symbols = symbols_of(&info, code.len() as u32);
        Ok(Binary { code, info, relocations, symbols, warnings, stats })
    }

    /// The functions that go with a kernel: those it calls by name, and they, and so on. Functions that
    /// other code may call go with the program's table of symbols, or else with the first kernel.
    fn functions(
        &self,
        module: &Module,
        index: usize,
        kernel: &Routine,
        tracker: &mut Tracker,
    ) -> Result<Vec<(u32, Routine)>, Refusal> {
        let mut wanted = kernel.calls.callees.clone();
        let holder = module.kernels.iter().position(|k| *k.name() == *SYMBOL_TABLE).unwrap_or(0);
        if index == holder {
            let called = |f: &visa::Kernel| f.attr("Extern").is_some();
            let open = module.functions.iter().enumerate().filter(|(_, f)| called(f));
            wanted.extend(open.map(|(i, _)| i as u32));
        }
        let mut done: BTreeMap<u32, Routine> = BTreeMap::new();
        while let Some(number) = wanted.pop() {
            if done.contains_key(&number) {
                continue;
            }
            let source = &module.functions[number as usize];
            let routine = self.routine(source, module, Some(kernel.code.simd), tracker)?;
            wanted.extend(&routine.calls.callees);
            done.insert(number, routine);
        }
        Ok(done.into_iter().collect())
    }

    /// A kernel or function, up to code over registers. `simd` is the size of the kernel that calls a
    /// function.
    fn routine(
        &self,
        source: &visa::Kernel,
        module: &Module,
        simd: Option<u8>,
        tracker: &mut Tracker,
    ) -> Result<Routine, Refusal> {
        let platform = self.options.platform;
        let name = || source.name().into_owned();

        let warnings = self.check(source)?;

        let options = lower::LowerOptions { simd, ..lower::LowerOptions::default() };
        let lowered = lower::lower(source, platform, &options);
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

        optimize::optimize(&mut kernel);
        tracker.done_kernel("optimize", &kernel);

        legalize::legalize(&mut kernel)
            .map_err(|e| Refusal(e.into_iter().map(|e| Diagnostic::from(e).in_kernel(name())).collect()))?;
        tracker.done_kernel("legalize", &kernel);

        optimize::tidy(&mut kernel);
        tracker.done_kernel("tidy", &kernel);

        structurizer::structurize(&mut kernel)
            .map_err(|e| Diagnostic::error("CannotStructure", e.to_string()).in_kernel(name()))?;
        tracker.done_kernel("structurize", &kernel);

        let choices = regalloc::Options { check: self.options.verify };
        let (mut code, allocation) = regalloc::allocate(&kernel, &choices)
            .map_err(|e| Diagnostic::error("CannotAllocate", e.to_string()).in_kernel(name()))?;
        let frame = (kernel.spill_offset + allocation.scratch_bytes).next_multiple_of(FRAME_UNIT);
        let calls = calls::expand(&mut code, frame, |origin| callee(source, module, origin));
        tracker.done_kernel("allocate", &code);

        if platform.caps().sbid_count > 0 {
            swsb::swsb(&mut code);
            tracker.done_kernel("swsb", &code);
        }

        let entries = entries::align(&mut code);
        if self.options.verify {
            verify(&code)?;
        }
        let symbols = relocate::take_symbols(source, &mut code);
        Ok(Routine { code, allocation, symbols, calls, frame, entries, warnings })
    }

    /// Checks the kernel against the specification; gives warnings if those are asked for.
    fn check(&self, source: &visa::Kernel) -> Result<Vec<Diagnostic>, Refusal> {
        let options = visa::VerifyOptions::for_platform(self.options.platform);
        let findings = match self.options.warnings {
            true => visa::verify::verify_kernel(source, options),
            false => visa::verify_safety(source, options.grf_bytes),
        };
        if findings.iter().any(|f| f.rule.is_safety()) {
            let safety = findings.into_iter().filter(|f| f.rule.is_safety());
            return Err(Refusal(safety.map(Diagnostic::from).collect()));
        }
        let warning = |f| Diagnostic { severity: Severity::Warning, ..Diagnostic::from(f) };
        Ok(findings.into_iter().map(warning).collect())
    }
}

/// A kernel or function over registers.
struct Routine {
    code: Kernel<Physical>,
    allocation: regalloc::AllocStats,
    symbols: Vec<relocate::Symbol>,
    calls: calls::Calls,
    /// Bytes of scratch memory that one activation uses, in whole units of frames.
    frame: u32,
    entries: entries::Entries,
    warnings: Vec<Diagnostic>,
}

/// The kernel without code of its own that holds the functions of a program which are called by address.
const SYMBOL_TABLE: &str = "Intel_Symbol_Table_Void_Program";
/// The base of scratch memory moves in these steps.
const FRAME_UNIT: u32 = 1024;
/// Scratch memory of a thread whose calls have no known end: what Intel's finalizer asks for.
const DEEP_STACK: u32 = 128 * 1024;

/// The function that a call's vISA instruction names, if the module has it.
fn callee(source: &visa::Kernel, module: &Module, origin: u32) -> Option<u32> {
    let visa::Op::Fcall { function, .. } = source.try_inst(origin as usize).ok()?.op else { return None };
    let name = source.str(function);
    module.functions.iter().position(|f| *f.name() == *name).map(|i| i as u32)
}

/// Scratch bytes of a thread: the deepest chain of frames, or a generous stack where that has no end.
fn scratch_bytes(kernel: &Routine, functions: &[(u32, Routine)]) -> u32 {
    let own = kernel.code.spill_offset + kernel.allocation.scratch_bytes;
    if kernel.calls.callees.is_empty() && !kernel.calls.unknown {
        return own;
    }
    let at = |n: &u32| functions.binary_search_by_key(n, |f| f.0).ok();
    // Each round follows calls one level deeper; what still grows after as many rounds as there are
    // functions calls itself.
    let mut depth: Vec<u32> = functions.iter().map(|f| f.1.frame).collect();
    let mut unknown = kernel.calls.unknown || functions.iter().any(|f| f.1.calls.unknown);
    for round in 0..=functions.len() {
        let mut grown = false;
        for i in 0..functions.len() {
            let below = functions[i].1.calls.callees.iter().filter_map(at).map(|c| depth[c]).max();
            // A frame of nothing still counts, so that recursion shows.
            let total = functions[i].1.frame.max(1).saturating_add(below.unwrap_or(0));
            grown |= total > depth[i];
            depth[i] = depth[i].max(total);
        }
        if !grown {
            break;
        }
        unknown |= round == functions.len();
    }
    let called = kernel.calls.callees.iter().filter_map(at).map(|c| depth[c]).max().unwrap_or(0);
    let known = kernel.frame.saturating_add(called).next_multiple_of(FRAME_UNIT);
    if unknown { known.max(DEEP_STACK) } else { known }
}

/// Whether something is called whose address is only known at run time.
fn calls_unknown(kernel: &Kernel<Physical>) -> bool {
    kernel.insts().any(|(_, i)| i.op == Op::Call && i.branch_target().is_none())
}

/// What a linker finds in the code.
fn symbols_of(info: &KernelInfo, end: u32) -> Vec<Symbol> {
    let size = info.functions.first().map_or(end, |f| f.offset);
    let kernel = Symbol { name: info.name.clone(), kind: SymbolKind::Kernel, offset: 0, size };
    let function = |f: &FunctionInfo| Symbol {
        name: f.name.clone(),
        kind: SymbolKind::Function,
        offset: f.offset,
        size: f.size,
    };
    std::iter::once(kernel).chain(info.functions.iter().map(function)).collect()
}

fn function_infos(
    module: &Module,
    entries: &[(u32, gen_ir::BlockId)],
    kernel: &Kernel<Physical>,
    offsets: &[u32],
    end: usize,
) -> Vec<FunctionInfo> {
    let mut starts = Vec::with_capacity(entries.len() + 1);
    let (mut block, mut inst) = (0, 0);
    for (_, entry) in entries {
        while block < entry.index() {
            inst += kernel.blocks[block].insts.len();
            block += 1;
        }
        starts.push(offsets.get(inst).copied().unwrap_or(end as u32));
    }
    starts.push(end as u32);
    let one = |(i, (number, _)): (usize, &(u32, gen_ir::BlockId))| FunctionInfo {
        name: module.functions[*number as usize].name().into_owned(),
        offset: starts[i],
        size: starts[i + 1] - starts[i],
    };
    entries.iter().enumerate().map(one).collect()
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

fn padding(kernel: &Kernel<Physical>) -> u32 {
    kernel.insts().filter(|(_, i)| matches!(i.op, Op::Nop | Op::Illegal | Op::Sync)).count() as u32
}

/// `n` words in `bytes` bytes: the shortfall against 16 bytes each, in units of 8.
fn compacted(code: &[u8], n: usize) -> u32 {
    ((n * 16 - code.len()) / 8) as u32
}

fn info(source: &visa::Kernel, kernel: &Kernel<Physical>, allocation: &regalloc::AllocStats) -> KernelInfo {
    let inputs = source.inputs.iter().map(|i| input(source, i)).collect();
    let attr = |name| source.attr_int(name).and_then(|v| u32::try_from(v).ok()).unwrap_or(0);
    KernelInfo {
        name: source.name().into_owned(),
        platform: kernel.platform,
        simd: match attr("SimdSize") {
            // The vector compiler's kernels are one channel, and do not say so.
            0 => 1,
            _ => kernel.simd,
        },
        grf_count: kernel.grf_count,
        grfs_used: allocation.grfs_used as u16,
        slm_bytes: attr("SLMSize") * 1024,
        barriers: 0,
        scratch_bytes: kernel.spill_offset + allocation.scratch_bytes,
        functions: Vec::new(),
        spill_bytes: allocation.scratch_bytes,
        inputs,
        skip_per_thread_load: 0,
        skip_cross_thread_load: 0,
    }
}

fn input(source: &visa::Kernel, input: &visa::Input) -> InputInfo {
    let declared = |list: &[visa::SimpleVar], at: Option<usize>| {
        at.and_then(|i| list.get(i)).map_or_else(String::new, |v| source.str(v.name).into_owned())
    };
    let (kind, name) = match input.var {
        visa::InputVar::General(v) => (InputKind::General, source.var_name(v).into_owned()),
        visa::InputVar::Sampler(s) => (InputKind::Sampler, declared(&source.samplers, Some(s.index()))),
        visa::InputVar::Surface(s) => (InputKind::Surface, declared(&source.surfaces, s.declared())),
    };
    InputInfo {
        name,
        kind,
        provenance: input.provenance,
        // The verifier has refused negative offsets.
        offset: u32::try_from(input.offset).unwrap_or_default(),
        size: u32::from(input.size),
    }
}

/// vISA instructions that do something: no labels, debug marks or lifetimes.
fn instructions(source: &visa::Kernel) -> u32 {
    use visa::Opcode::{File, Label, Lifetime, Loc, Subroutine};
    let does = |r: &&visa::Record| !matches!(r.opcode, Label | Subroutine | Lifetime | File | Loc);
    source.code.iter().filter(does).count() as u32
}

fn has_barrier(source: &visa::Kernel) -> bool {
    use visa::Opcode::{Barrier, Nbarrier, Sbarrier};
    source.code.iter().any(|r| matches!(r.opcode, Barrier | Nbarrier | Sbarrier))
}
