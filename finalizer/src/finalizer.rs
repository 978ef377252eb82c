//! The pipeline: the list of passes, top to bottom.

use encoder::{CodeBuffer, CodeOptions};
use gen_ir::{Kernel, Op, Physical};
use visa::Module;

use crate::{
    Binary, Diagnostic, InputInfo, KernelInfo, Options, Refusal, Stats, legalize, lower, optimize,
    pass::Tracker, relocate, swsb,
};

/// Turns vISA kernels into the machine code of one platform. Reusable: memory of one kernel serves the
/// next. `Send`, and free of global state.
#[derive(Debug)]
pub struct Finalizer {
    options: Options,
    buffer: CodeBuffer,
    printed: Option<String>,
}

impl Finalizer {
    /// A finalizer with these options.
    pub fn new(options: Options) -> Finalizer {
        Finalizer { options, buffer: CodeBuffer::new(), printed: None }
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
        let module = crate::read_module(object)?;
        let mut faults = Vec::new();
        let mut binaries = Vec::new();
        for kernel in 0..module.kernels.len() {
            match self.finalize_kernel(&module, kernel) {
                Ok(binary) => binaries.push(binary),
                Err(Refusal(more)) => faults.extend(more),
            }
        }
        if faults.is_empty() { Ok(binaries) } else { Err(Refusal(faults)) }
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
        let platform = self.options.platform;
        let name = || source.name().into_owned();

        let findings = visa::verify_safety(source, platform.caps().grf_bytes.into());
        if !findings.is_empty() {
            return Err(Refusal(findings.into_iter().map(Diagnostic::from).collect()));
        }

        let lowered = lower::lower(source, platform, &lower::LowerOptions::default());
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

        structurizer::structurize(&mut kernel)
            .map_err(|e| Diagnostic::error("CannotStructure", e.to_string()).in_kernel(name()))?;
        tracker.done_kernel("structurize", &kernel);

        let choices = regalloc::Options { check: self.options.verify };
        let (mut physical, allocation) = regalloc::allocate(&kernel, &choices)
            .map_err(|e| Diagnostic::error("CannotAllocate", e.to_string()).in_kernel(name()))?;
        tracker.done_kernel("allocate", &physical);

        if platform.caps().sbid_count > 0 {
            swsb::swsb(&mut physical);
            tracker.done_kernel("swsb", &physical);
        }

        if self.options.verify {
            verify(&physical)?;
        }
        let symbols = relocate::take_symbols(source, &mut physical);
        let compact = CodeOptions { compact: self.options.compact };
        self.buffer
            .emit(&physical, compact)
            .map_err(|e| Diagnostic::error("CannotEncode", e.to_string()).in_kernel(name()))?;
        tracker.done("encode");

        let relocations = relocate::place(symbols, self.buffer.inst_offsets());
        let code = self.buffer.bytes().to_vec();
        let stats = Stats {
            visa_instructions: instructions(source),
            gen_instructions: physical.inst_count() as u32,
            gen_padding: padding(&physical),
            compacted: compacted(&code, physical.inst_count()),
            spills: allocation.spills,
            fills: allocation.fills,
            flag_spills: allocation.flag_spills,
            times: std::mem::take(&mut tracker.times),
        };
        let info = info(source, &physical, &allocation);
        Ok(Binary { code, info, relocations, stats })
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

fn padding(kernel: &Kernel<Physical>) -> u32 {
    kernel.insts().filter(|(_, i)| matches!(i.op, Op::Nop | Op::Illegal | Op::Sync)).count() as u32
}

/// `n` words in `bytes` bytes: the shortfall against 16 bytes each, in units of 8.
fn compacted(code: &[u8], n: usize) -> u32 {
    ((n * 16 - code.len()) / 8) as u32
}

fn info(source: &visa::Kernel, kernel: &Kernel<Physical>, allocation: &regalloc::AllocStats) -> KernelInfo {
    let inputs = source
        .inputs
        .iter()
        .filter_map(|i| match i.var {
            visa::InputVar::General(v) => Some(InputInfo {
                name: source.var_name(v).into_owned(),
                offset: u32::try_from(i.offset).ok()?,
                size: u32::from(i.size),
            }),
            _ => None,
        })
        .collect();
    let attr = |name| source.attr_int(name).and_then(|v| u32::try_from(v).ok()).unwrap_or(0);
    KernelInfo {
        name: source.name().into_owned(),
        platform: kernel.platform,
        simd: kernel.simd,
        grf_count: kernel.grf_count,
        grfs_used: allocation.grfs_used as u16,
        slm_bytes: attr("SLMSize") * 1024,
        barriers: barriers(source),
        scratch_bytes: if allocation.scratch_bytes > 0 {
            kernel.spill_offset + allocation.scratch_bytes
        } else {
            attr("SpillMemOffset")
        },
        spill_bytes: allocation.scratch_bytes,
        inputs,
        skip_per_thread_load: 0,
        skip_cross_thread_load: 0,
    }
}

/// vISA instructions that do something: no labels, debug marks or lifetimes.
fn instructions(source: &visa::Kernel) -> u32 {
    use visa::Op;
    let mark = |op: &Op<'_>| {
        matches!(op, Op::Label(_) | Op::Subroutine(_) | Op::Lifetime { .. } | Op::File(_) | Op::Loc(_))
    };
    (0..source.code.len()).filter_map(|i| source.try_inst(i).ok()).filter(|i| !mark(&i.op)).count() as u32
}

fn barriers(source: &visa::Kernel) -> u8 {
    let uses = (0..source.code.len()).filter_map(|i| source.try_inst(i).ok()).any(|i| {
        matches!(i.op, visa::Op::Barrier | visa::Op::SplitBarrier { .. } | visa::Op::NamedBarrier { .. })
    });
    u8::from(uses)
}
