//! Whole binaries: a kernel through the passes, its functions, and all of them joined and encoded.

use std::cmp::Reverse;

use encoder::CodeBuffer;
use narrow::{as_index, to_index, to_u64};
use visa::{Module, Reader};

use crate::{
    Binary, Diagnostic, Options, Refusal,
    api::input,
    driver::{
        binary::binary,
        pass::{PassBody, Tracker},
        passes::PASSES,
        registers::Registers,
        routine,
        whole::{BinaryLists, Whole},
        workspace::{Context, Routine, Workspace},
    },
    link::relocate,
};

/// Turns vISA kernels into the machine code of one platform. Reusable: memory of one kernel serves the
/// next. `Send`, and free of global state.
#[derive(Debug)]
pub struct Finalizer {
    options: Options,
    reader: Reader,
    buffer: CodeBuffer,
    work: Workspace,
    lists: BinaryLists,
    pub(crate) printed: Option<String>,
    /// Helpers of [`Finalizer::finalize_parallel`], between calls.
    workers: Vec<Finalizer>,
}

impl Finalizer {
    /// A finalizer with these options.
    pub fn new(options: Options) -> Finalizer {
        Finalizer {
            options,
            reader: Reader::default(),
            buffer: CodeBuffer::new(),
            work: Workspace::default(),
            lists: BinaryLists::default(),
            printed: None,
            workers: Vec::new(),
        }
    }

    /// So many finalizers with the options of this one: those kept from the last time first.
    pub(crate) fn take_workers(&mut self, count: usize) -> Vec<Finalizer> {
        let mut workers = std::mem::take(&mut self.workers);
        workers.truncate(count);
        workers.iter_mut().for_each(|worker| worker.options.clone_from(&self.options));
        workers.resize_with(count, || Finalizer::new(self.options.clone()));
        workers
    }

    pub(crate) fn keep_workers(&mut self, workers: Vec<Finalizer>) {
        self.workers = workers;
    }

    /// The options at present.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The options of what is finalized from now on. Kernels of one program may differ in
    /// [`Options::grf`] and [`Options::relocate_payload`].
    pub fn options_mut(&mut self) -> &mut Options {
        &mut self.options
    }

    /// Finalizes all kernels of an object, in its order.
    ///
    /// # Errors
    ///
    /// Every fault in the object, or every instruction of any kernel that cannot be finalized.
    pub fn finalize_object(&mut self, object: &[u8]) -> Result<Vec<Binary>, Refusal> {
        self.reading(|finalizer, reader| {
            let module = reader.program(object).map_err(input::refusal)?;
            finalizer.finalize_module(module)
        })
    }

    /// Finalizes one kernel of an object. The other kernels' code is not even decoded, so a runtime that
    /// asks for one after the other pays for each once.
    ///
    /// # Errors
    ///
    /// There is no such kernel; else as [`Finalizer::finalize_kernel`].
    pub fn finalize_named(&mut self, object: &[u8], name: &str) -> Result<Binary, Refusal> {
        self.reading(|finalizer, reader| {
            let (module, kernel) = reader.kernel(object, name.as_bytes()).map_err(input::refusal)?;
            let kernel = kernel.ok_or_else(|| input::unknown_kernel(module, name))?;
            finalizer.finalize_kernel(module, kernel)
        })
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
        gather(kernels.map(|kernel| self.finalize_kernel(module, kernel)))
    }

    /// Finalizes kernel number `index` of a module.
    ///
    /// # Errors
    ///
    /// There is no such kernel; every instruction that cannot be finalized; code that cannot be given
    /// registers.
    pub fn finalize_kernel(&mut self, module: &Module, index: usize) -> Result<Binary, Refusal> {
        let mut tracker = Tracker::new(&self.options, std::mem::take(&mut self.lists.times));
        let result = self.run(module, index, &mut tracker);
        if let Some(text) = tracker.printed {
            self.printed.get_or_insert_default().push_str(&text);
        }
        self.lists.times = tracker.times;
        result
    }

    /// Does something with the reader, whose memory is kept.
    fn reading<T>(&mut self, with: impl FnOnce(&mut Finalizer, &mut Reader) -> T) -> T {
        let mut reader = std::mem::take(&mut self.reader);
        let result = with(self, &mut reader);
        self.reader = reader;
        result
    }

    /// The text of the kernels since it was last taken, after the passes that [`Options::print_after`] names, as far as they
    /// came: a kernel that a later pass refused has one too.
    pub fn take_printed(&mut self) -> Option<String> {
        self.printed.take()
    }

    fn run(&mut self, module: &Module, index: usize, tracker: &mut Tracker) -> Result<Binary, Refusal> {
        let Some(source) = module.kernels.get(index) else {
            let message = format!("found kernel number {index}, but the object has {}", module.kernels.len());
            return Err(Diagnostic::error("UnknownKernel", message).into());
        };
        let source = &*source.with_file_vars(&module.file_vars);
        let Finalizer { options, buffer, work, lists, .. } = self;
        let Registers { count, more } = Registers::of(options, source)?;
        let mut cx = Context { options, module, registers: count };
        let kernel = (source, index);
        let mut made = routines(cx, kernel, lists, work, tracker);
        if let Some(more) = more {
            let larger = Context { registers: more, ..cx };
            if spills_less(larger, kernel, &mut made, lists, work, tracker) {
                cx = larger;
            }
        }
        if work.registers_traded {
            work.registers_scarce = true;
            spills_less(cx, kernel, &mut made, lists, work, tracker);
            work.registers_scarce = false;
        }
        made?;
        check_spills(options, source, &lists.routines)?;
        tracker.start();
        for (index, pass) in PASSES.iter().enumerate() {
            let PassBody::Binary(step, nothing_to_print) = pass.step else { continue };
            options.watch.ask()?;
            step(&mut Whole { options, lists, buffer }).map_err(|refusal| refusal.placed_in(source))?;
            tracker.done(pass);
            if tracker.prints(index) {
                tracker.print(pass, &source.name(), &nothing_to_print);
            }
        }
        let made = binary(cx, source, lists, buffer, work, &tracker.times);
        take_back(&mut lists.routines, work);
        Ok(made)
    }
}

/// A kernel and the functions that go with it, up to code over registers.
fn routines(
    cx: Context<'_>,
    (source, index): (&visa::Kernel, usize),
    lists: &mut BinaryLists,
    work: &mut Workspace,
    tracker: &mut Tracker,
) -> Result<(), Refusal> {
    // A kernel that was refused half-way, or made for another size of register file, leaves its routines.
    take_back(&mut lists.routines, work);
    work.symbols.clear();
    work.callees.clear();
    work.registers_traded = false;
    tracker.again();
    let kernel = routine::routine(cx, source, None, work, tracker)?;
    lists.routines.push(kernel);
    functions(cx, index, lists, work, tracker)
}

/// Compiles a kernel again, with other settings, if it spills. Of both results the one with fewer messages for spilled
/// values is kept: returns whether that is the new one.
fn spills_less(
    cx: Context<'_>,
    kernel: (&visa::Kernel, usize),
    made: &mut Result<(), Refusal>,
    lists: &mut BinaryLists,
    work: &mut Workspace,
    tracker: &mut Tracker,
) -> bool {
    let Some(before) = spilled(made, lists) else { return false };
    lists.aside.change_places(&mut lists.routines, work);
    let printed = tracker.printed.take();
    let again = routines(cx, kernel, lists, work, tracker);
    let less = again.is_ok() && spilled(&again, lists).is_none_or(|now| now < before);
    if less {
        *made = again;
    } else {
        lists.aside.change_places(&mut lists.routines, work);
        tracker.printed = printed;
    }
    take_back(&mut lists.aside.routines, work);
    less
}

/// Messages that move spilled values, if there are any and other circumstances could make them fewer: not where functions
/// come along that other code may call. What finds no registers at all spills more than anything.
fn spilled(made: &Result<(), Refusal>, lists: &BinaryLists) -> Option<u32> {
    match (made, &lists.routines[..]) {
        (Ok(()), [kernel]) => Some(kernel.allocation.spills + kernel.allocation.fills).filter(|n| *n > 0),
        (Err(Refusal(why)), _) if why.iter().all(|d| d.code == "CannotAllocate") => Some(u32::MAX),
        _ => None,
    }
}

/// Refuses kernels that spill more than the options allow (Intel's finalizer, `underSpillThreshold`).
fn check_spills(options: &Options, source: &visa::Kernel, routines: &[Routine]) -> Result<(), Refusal> {
    let Some(most) = options.abort_on_spill else { return Ok(()) };
    let messages = |r: &Routine| u64::from(r.allocation.spills) + u64::from(r.allocation.fills);
    let spilled: u64 = routines.iter().map(messages).sum();
    let insts: u64 = routines.iter().map(|r| to_u64(r.insts)).sum();
    if spilled == 0 || spilled * 200 < u64::from(most) * insts {
        return Ok(());
    }
    let message = format!(
        "found {spilled} messages for spilled values in {insts} instructions, allowed: fewer than {most} in 200"
    );
    Err(Diagnostic::error("Spills", message).in_kernel(&*source.name()).into())
}

/// Gives the memory of routines back, that of the first one last.
fn take_back(routines: &mut Vec<Routine>, work: &mut Workspace) {
    routines.sort_unstable_by_key(|r| Reverse(r.rank));
    for routine in routines.drain(..) {
        work.physicals.keep_kernel(routine.code);
    }
}

/// The functions that go with a kernel: those that it calls by name or whose address it takes, those that these call, and so
/// on. Functions that other code may call go with the program's table of symbols, or else with the first kernel; whoever
/// takes the address of one gets an address there.
fn functions(
    cx: Context<'_>,
    index: usize,
    lists: &mut BinaryLists,
    work: &mut Workspace,
    tracker: &mut Tracker,
) -> Result<(), Refusal> {
    let BinaryLists { routines, wanted, .. } = lists;
    let (calls, simd) = (routines[0].calls, routines[0].code.simd);
    wanted.clear();
    wanted.extend(calls.callees(&work.callees));
    let module = cx.module;
    addressed(module, &module.kernels[index], &work.symbols, wanted);
    let holder = module.kernels.iter().position(|k| k.header_name == SYMBOL_TABLE).unwrap_or(0);
    if index == holder {
        let called = |f: &visa::Kernel| f.attr("Extern").is_some();
        let open = module.functions.iter().enumerate().filter(|(_, f)| called(f));
        wanted.extend(open.map(|(i, _)| to_index(i)));
    }
    while let Some(number) = wanted.pop() {
        // The functions so far stand in order.
        let Err(at) = routines[1..].binary_search_by_key(&number, |r| r.number) else { continue };
        let source = &module.functions[as_index(number)];
        let routine = routine::routine(cx, source, Some(simd), work, tracker)?;
        wanted.extend(routine.calls.callees(&work.callees));
        let symbols = &work.symbols[routine.symbols.0..routine.symbols.1];
        addressed(module, source, symbols, wanted);
        let rank = to_index(routines.len());
        routines.insert(at + 1, Routine { number, rank, ..routine });
    }
    Ok(())
}

/// Adds the functions of the text that symbols of a routine name, but for those that stand elsewhere.
fn addressed(module: &Module, source: &visa::Kernel, symbols: &[relocate::SymbolUse], wanted: &mut Vec<u32>) {
    for name in symbols.iter().filter_map(|s| s.name()) {
        let name = source.str(name);
        let function = module.functions.iter().position(|f| *f.name() == *name && f.attr("Extern").is_none());
        wanted.extend(function.map(|i| to_index(i)));
    }
}

/// The kernel without code of its own that holds the functions of a program which are called by address.
const SYMBOL_TABLE: &[u8] = b"Intel_Symbol_Table_Void_Program";

/// All binaries, or all faults.
pub(crate) fn gather(results: impl Iterator<Item = Result<Binary, Refusal>>) -> Result<Vec<Binary>, Refusal> {
    let mut faults = Vec::new();
    let mut binaries = Vec::with_capacity(results.size_hint().0);
    for result in results {
        match result {
            Ok(binary) => binaries.push(binary),
            Err(Refusal(more)) => faults.extend(more),
        }
    }
    if faults.is_empty() { Ok(binaries) } else { Err(Refusal(faults)) }
}
