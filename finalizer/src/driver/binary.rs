//! What a caller gets of a kernel and its functions: their joined code, and all that is known of it.

use encoder::CodeBuffer;
use gen_ir::{Inst, Physical};
use narrow::{as_index, to_index};
use regalloc::AllocStats;
use visa::Module;

use crate::{
    Binary, Diagnostic, KernelInfo, Lines, Origin, Relocation, Stats,
    api::info,
    driver::{
        pass_set::PassTime,
        routine,
        whole::BinaryLists,
        workspace::{Context, Routine, Workspace},
    },
    link::{calls, debug, free, lines, relocate},
};

/// What a caller gets of finished code.
pub(super) fn binary(
    cx: Context<'_>,
    source: &visa::Kernel,
    lists: &mut BinaryLists,
    buffer: &CodeBuffer,
    work: &Workspace,
    times: &[PassTime],
) -> Binary {
    let module = cx.module;
    let Some((kernel, functions)) = lists.routines.split_first_mut() else {
        unreachable!("the kernel was put there")
    };
    let callees = &work.callees;
    let stack = cx.options.stack_bytes;
    let scratch_bytes = routine::scratch_bytes(kernel, functions, callees, &mut lists.depth, stack);
    let offsets = buffer.inst_offsets();
    let mut code = buffer.bytes().to_vec();
    if !lists.entries.is_empty() || routine::calls_unknown(&kernel.code) {
        calls::place_distances(&kernel.code, offsets, &mut code);
    }
    let all = together(module, source, &mut lists.routines, &work.symbols, offsets);
    let kernel = &lists.routines[0];
    let stats = stats(&all, kernel, &code, buffer, times);
    let offset = |at: Option<usize>| at.and_then(|i| offsets.get(i)).copied().unwrap_or_default();
    let info = KernelInfo {
        functions: info::function_infos(module, &lists.entries, &kernel.code, offsets, code.len()),
        scratch_bytes,
        barriers: all.barrier.into(),
        skip_per_thread_load: offset(kernel.entries.per_thread),
        skip_cross_thread_load: offset(kernel.entries.cross_thread),
        ..info::info(source, &kernel.code, &all.allocation)
    };
    let symbols = info::symbols_of(&info, to_index(code.len()));
    let origins = if cx.options.origins { origins(&lists.routines) } else { Vec::new() };
    let (debug_info, lines) = match cx.options.debug_info {
        true => debug_info(source, module, lists, offsets, &code),
        false => Default::default(),
    };
    let unknown = lists.routines.iter().any(|r| r.calls.unknown);
    let free_registers = cx.options.free_registers.then(|| match unknown {
        true => Vec::new(),
        false => free::registers(&lists.routines[0].code, info.grfs_used),
    });
    Binary {
        code,
        info,
        relocations: all.relocations,
        symbols,
        warnings: all.warnings,
        origins,
        debug_info,
        lines,
        free_registers,
        stats,
    }
}

/// Figures of a binary whose parts come to `all` together. The first routine holds the code of all of them.
fn stats(all: &Together, kernel: &Routine, code: &[u8], buffer: &CodeBuffer, times: &[PassTime]) -> Stats {
    let insts = kernel.code.inst_count();
    Stats {
        visa_instructions: all.visa_instructions,
        gen_instructions: to_index(insts),
        gen_padding: buffer.padding(),
        compacted: info::compacted(code, insts),
        times: times.to_vec(),
        spills: all.allocation.spills,
        fills: all.allocation.fills,
        flag_spills: all.allocation.flag_spills,
        addressed: all.allocation.addressed,
    }
}

/// What a kernel and its functions come to together.
struct Together {
    relocations: Vec<Relocation>,
    warnings: Vec<Diagnostic>,
    allocation: AllocStats,
    visa_instructions: u32,
    /// One of them waits at a barrier.
    barrier: bool,
}

/// Adds up what is known of the routines of a binary, the kernel's own first. Their warnings move there.
fn together(
    module: &Module,
    kernel: &visa::Kernel,
    routines: &mut [Routine],
    symbols: &[relocate::SymbolUse],
    offsets: &[u32],
) -> Together {
    let mut all = Together {
        relocations: Vec::with_capacity(symbols.len()),
        warnings: Vec::new(),
        allocation: routines[0].allocation,
        visa_instructions: 0,
        barrier: false,
    };
    let mut first = 0;
    for (n, routine) in routines.iter_mut().enumerate() {
        let source = if n == 0 { kernel } else { &module.functions[as_index(routine.number)] };
        let symbols = &symbols[routine.symbols.0..routine.symbols.1];
        let offsets = &offsets[first..];
        all.relocations.extend(symbols.iter().map(|s| relocate::place(*s, source, offsets)));
        first += routine.insts;
        all.warnings.append(&mut routine.warnings);
        all.visa_instructions += info::instructions(source);
        all.barrier |= info::has_barrier(source);
        if n > 0 {
            all.add(&routine.allocation);
        }
    }
    all
}

impl Together {
    /// Adds what allocating registers has come to in a function.
    fn add(&mut self, function: &AllocStats) {
        let all = &mut self.allocation;
        all.spills += function.spills;
        all.fills += function.fills;
        all.flag_spills += function.flag_spills;
        all.grfs_used = all.grfs_used.max(function.grfs_used);
        all.addressed |= function.addressed;
    }
}

/// The debug information of a binary. The first routine holds the code of all of them, one after the other.
fn debug_info(
    source: &visa::Kernel,
    module: &Module,
    lists: &BinaryLists,
    offsets: &[u32],
    code: &[u8],
) -> (Vec<u8>, Lines) {
    let Some((kernel, functions)) = lists.routines.split_first() else { return Default::default() };
    let mut first = kernel.insts;
    // A kernel without functions has no frame.
    let frame = if functions.is_empty() { 0 } else { kernel.frame };
    let mut parts = vec![debug::DebugRoutine { source, insts: (0, first), frame, places: &kernel.places }];
    for f in functions {
        let end = first + f.insts;
        let source = &module.functions[as_index(f.number)];
        parts.push(debug::DebugRoutine { source, insts: (first, end), frame: f.frame, places: &f.places });
        first = end;
    }
    let file = debug::write(&kernel.code, &parts, offsets, to_index(code.len()));
    (file, lines::find(&kernel.code, &parts, offsets))
}

/// Where each instruction comes from. The first routine holds the code of all of them, one after the other.
fn origins(routines: &[Routine]) -> Vec<Origin> {
    let Some((kernel, functions)) = routines.split_first() else { return Vec::new() };
    let mut owners = Vec::with_capacity(kernel.code.inst_count());
    owners.resize(kernel.insts, None);
    for function in functions {
        owners.resize(owners.len() + function.insts, Some(function.number));
    }
    let numbered = |i: &Inst<Physical>| Some(i.origin).filter(|n| *n != Inst::<Physical>::NO_ORIGIN);
    let insts = kernel.code.insts().zip(owners);
    insts.map(|((_, inst), function)| Origin { function, instruction: numbered(inst) }).collect()
}
