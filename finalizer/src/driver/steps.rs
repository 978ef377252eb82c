//! What the rows of [`PASSES`](crate::PASSES) call: each hands a pass the kernel, what was chosen and its memory.
//! Those that optimize are in `optimize::steps`.

use encoder::CodeOptions;
use gen_ir::{Block, Dst, ExecSize, Inst, Kernel, Op, Physical, Src, Type, Virtual};
use narrow::low_u32;

use crate::{
    Diagnostic, Level, Place, Refusal, Severity,
    api::input,
    driver::{
        pass,
        whole::{BinaryLists, Whole},
        workspace::{self, FRAME_UNIT, Job, Workspace},
    },
    errata, legalize,
    link::{calls, entries, places, relocate},
    lower,
    optimize::{AnalysisSet, accumulators, float_moves, pair, reloads},
    schedule, swsb,
};

/// Checks the kernel against the specification if all its rules matter, else only against what would make it
/// unsafe to go on.
pub(super) fn check(job: &mut Job<'_>, work: &mut Workspace) -> Result<(), Refusal> {
    let chosen = job.cx.options;
    if let Some(fault) = input::no_code(job.source) {
        return Err(fault.into());
    }
    let options = visa::VerifyOptions::for_platform(chosen.platform);
    let findings = match chosen.warnings || chosen.strict {
        true => work.verifier.kernel(job.source, options),
        false => work.verifier.safety(job.source, options.grf_bytes),
    };
    let refuses = |f: &visa::Finding| chosen.strict || f.rule.is_safety();
    let is_refused = findings.iter().any(refuses);
    if (is_refused || input::inputs_in_header(job.source, chosen.platform))
        && let Some(fault) = input::other_registers(job.source, chosen.platform)
    {
        return Err(fault.into());
    }
    if is_refused {
        let error = |f| Diagnostic { severity: Severity::Error, ..Diagnostic::from(f) };
        return Err(Refusal(findings.into_iter().filter(refuses).map(error).collect()));
    }
    job.tails = findings.iter().any(|f| f.rule == visa::Rule::RegisterTail);
    let warning = |f| Diagnostic { severity: Severity::Warning, ..Diagnostic::from(f) };
    let shown = |_: &visa::Finding| chosen.warnings || chosen.strict;
    job.warnings = findings.into_iter().filter(shown).map(warning).collect();
    Ok(())
}

pub(super) fn lower(job: &mut Job<'_>, work: &mut Workspace) -> Result<Kernel<Virtual>, Refusal> {
    let options = lower::LowerOptions {
        registers: job.cx.registers,
        reserved: job.cx.options.reserved_registers,
        simd: job.simd,
        pairs: job.cx.options.pairs.of(job.source.is_cm()),
        tails: job.tails,
        relocate_payload: job.cx.options.relocate_payload,
        inline_payload: job.cx.options.inline_payload,
    };
    let (source, platform) = (job.source, job.cx.options.platform);
    work.analyses.keep(AnalysisSet::NONE);
    let lowered = lower::lower(source, platform, &options, &mut work.lower, &mut work.virtuals);
    if let (true, Ok(kernel)) = (job.cx.options.debug_info, &lowered) {
        job.defined = Some(places::Defined::of(source, kernel));
    }
    lowered.map_err(|e| {
        let placed = |e: lower::LowerError| match source.places {
            visa::PlaceKind::Line => {
                let line = e.place;
                Diagnostic::from(e).at(Place::Line { line, column: 1 })
            }
            visa::PlaceKind::Offset => Diagnostic::from(e),
        };
        Refusal(e.into_iter().map(placed).collect())
    })
}

pub(super) fn legalize(kernel: &mut Kernel<Virtual>, work: &mut Workspace) -> Result<bool, Refusal> {
    let done = legalize::legalize(kernel, &mut work.legalize, &mut work.virtuals);
    done.map_err(|e| {
        let fault = |e| Diagnostic::from(e).in_kernel(&*kernel.name);
        Refusal(e.into_iter().map(fault).collect())
    })?;
    Ok(true)
}

pub(super) fn part_payloads(kernel: &mut Kernel<Virtual>, work: &mut Workspace) -> Result<bool, Refusal> {
    Ok(legalize::payloads::part(kernel, &mut work.legalize, &mut work.virtuals))
}

pub(super) fn structurize(kernel: &mut Kernel<Virtual>, work: &mut Workspace) -> Result<bool, Refusal> {
    let done = structurizer::structurize_in(kernel, &mut work.structurize, &mut work.virtuals);
    done.map_err(|e| Diagnostic::error("CannotStructure", e.to_string()).in_kernel(&*kernel.name))?;
    Ok(true)
}

pub(super) fn guard_pairs(kernel: &mut Kernel<Virtual>, work: &mut Workspace) -> Result<bool, Refusal> {
    let done = work.pair_guard.guard(kernel, &mut work.virtuals);
    done.map_err(|e| cannot_allocate(e, kernel))
}

pub(super) fn allocate(
    job: &mut Job<'_>,
    kernel: Kernel<Virtual>,
    work: &mut Workspace,
) -> Result<Kernel<Physical>, Refusal> {
    let options = job.cx.options;
    let quick = options.level == Level::O0;
    let keep = job.defined.is_some();
    let choices = regalloc::Options { check: options.verify, quick, keep, watch: options.watch.clone() };
    let allocated = regalloc::allocate(&kernel, &choices, &mut work.registers, &mut work.physicals);
    let (code, allocation) = allocated.map_err(|e| cannot_allocate(e, &kernel))?;
    job.allocation = allocation;
    job.placed = work.registers.take_placed();
    job.frame = (kernel.spill_offset + allocation.scratch_bytes).next_multiple_of(FRAME_UNIT);
    work.virtuals.keep_kernel(kernel);
    // Who asks what is legal comes behind this.
    work.legal.make_room(code.inst_count());
    Ok(code)
}

fn cannot_allocate(e: regalloc::Error, kernel: &Kernel<Virtual>) -> Refusal {
    let fault: Diagnostic = match e {
        regalloc::Error::Stopped(stop) => stop.into(),
        regalloc::Error::BadOperand { block, inst, ref fault } => {
            let d = Diagnostic::error("CannotAllocate", fault);
            let at = kernel.blocks.get(block.index()).and_then(|b| b.insts.get(inst));
            at.map_or(d.clone(), |i| d.at_instruction(i.origin, i.to_string()))
        }
        other => Diagnostic::error("CannotAllocate", other.to_string()),
    };
    fault.in_kernel(&*kernel.name).into()
}

pub(super) fn expand_calls(
    code: &mut Kernel<Physical>,
    job: &mut Job<'_>,
    work: &mut Workspace,
) -> Result<(), Refusal> {
    let callee = |origin| workspace::callee(job.source, job.cx.module, job.origin(origin));
    let Workspace { callees, rewritten, physicals, .. } = work;
    job.calls = calls::expand(code, job.frame, callee, callees, rewritten, physicals);
    Ok(())
}

pub(super) fn drop_reloads(
    code: &mut Kernel<Physical>,
    _: &mut Job<'_>,
    work: &mut Workspace,
) -> Result<(), Refusal> {
    reloads::drop_needless(code, &mut work.optimize.known_flags);
    Ok(())
}

pub(super) fn pair_scalars(
    code: &mut Kernel<Physical>,
    _: &mut Job<'_>,
    work: &mut Workspace,
) -> Result<(), Refusal> {
    pair::scalars(code, &mut work.legal);
    Ok(())
}

pub(super) fn schedule(
    code: &mut Kernel<Physical>,
    _: &mut Job<'_>,
    work: &mut Workspace,
) -> Result<(), Refusal> {
    schedule::schedule(code, &mut work.schedule);
    Ok(())
}

pub(super) fn use_accumulators(
    code: &mut Kernel<Physical>,
    _: &mut Job<'_>,
    work: &mut Workspace,
) -> Result<(), Refusal> {
    accumulators::use_accumulators(code, &mut work.optimize.accumulators, &mut work.legal);
    Ok(())
}

pub(super) fn work_around(
    code: &mut Kernel<Physical>,
    job: &mut Job<'_>,
    work: &mut Workspace,
) -> Result<(), Refusal> {
    errata::work_around(code, job.source.is_function, &mut work.rewritten, &mut work.physicals);
    Ok(())
}

pub(super) fn scoreboard(
    code: &mut Kernel<Physical>,
    _: &mut Job<'_>,
    work: &mut Workspace,
) -> Result<(), Refusal> {
    swsb::annotate(code, &mut work.swsb, &mut work.rewritten, &mut work.physicals);
    Ok(())
}

pub(super) fn compact_moves(
    code: &mut Kernel<Physical>,
    _: &mut Job<'_>,
    _: &mut Workspace,
) -> Result<(), Refusal> {
    float_moves::rename(code);
    Ok(())
}

/// A breakpoint at the start, as Intel's finalizer has it for `-setstartbp`; behind the message that ends the thread two moves to
/// nowhere, the low half first, as it has them for `-hashmovs`, or what some hardware fetches there.
pub(super) fn identify(
    code: &mut Kernel<Physical>,
    job: &mut Job<'_>,
    work: &mut Workspace,
) -> Result<(), Refusal> {
    if job.source.is_function {
        return Ok(());
    }
    if job.cx.options.start_breakpoint {
        let [_, start] = code.payload_ends();
        if let Some(first) = code.blocks.first_mut().and_then(|b| b.insts.get_mut(start)) {
            first.opts = first.opts.with(gen_ir::Options::BREAKPOINT);
        }
    }
    let ends = |b: &Block<Physical>| b.insts.last().is_some_and(Inst::is_eot);
    let Some(id) = job.cx.options.kernel_id else {
        let is_fetched = code.platform.caps().errata.fetches_past_end;
        if let Some(last) = code.blocks.last_mut().filter(|b| is_fetched && ends(b)) {
            work.physicals.grow(&mut last.insts, 1);
            last.insts.push(Inst::new(Op::Nop, ExecSize::S1));
        }
        return Ok(());
    };
    let Some(block) = code.blocks.iter_mut().find(|b| ends(b)) else { return Ok(()) };
    work.physicals.grow(&mut block.insts, 2);
    for half in [low_u32(id), low_u32(id >> 32)] {
        block.insts.push(Inst {
            no_mask: true,
            dst: Dst::null(Type::Ud),
            src: [Src::ud(half), Src::None, Src::None],
            ..Inst::new(Op::Mov, ExecSize::S16)
        });
    }
    Ok(())
}

pub(super) fn align_entries(
    code: &mut Kernel<Physical>,
    job: &mut Job<'_>,
    work: &mut Workspace,
) -> Result<(), Refusal> {
    job.entries = entries::align(code, &mut work.physicals);
    // The code is in its last order.
    job.find_places(code);
    Ok(())
}

pub(super) fn check_rules(
    code: &mut Kernel<Physical>,
    _: &mut Job<'_>,
    work: &mut Workspace,
) -> Result<(), Refusal> {
    let (platform, grfs) = (code.platform, code.grf_count);
    let is_legal =
        |i: &Inst<Physical>| work.legal.is_legal(platform, i) && gen_ir::rules::stays_inside(grfs, i);
    let legal = code.blocks.iter().flat_map(|b| &b.insts).all(is_legal);
    if legal { Ok(()) } else { Err(Refusal(pass::broken_rules(code))) }
}

pub(super) fn take_symbols(
    code: &mut Kernel<Physical>,
    job: &mut Job<'_>,
    work: &mut Workspace,
) -> Result<(), Refusal> {
    let first = work.symbols.len();
    relocate::take_symbols(job.source, code, &mut work.symbols);
    job.symbols = (first, work.symbols.len());
    Ok(())
}

/// Puts functions behind their kernel.
pub(super) fn join(whole: &mut Whole<'_>) -> Result<(), Refusal> {
    let BinaryLists { routines, entries, .. } = whole.lists;
    let Some((kernel, functions)) = routines.split_first_mut() else { return Ok(()) };
    let codes = functions.iter_mut().map(|f| (f.number, &mut f.code));
    calls::join(&mut kernel.code, codes, entries);
    Ok(())
}

pub(super) fn encode(whole: &mut Whole<'_>) -> Result<(), Refusal> {
    let Some(kernel) = whole.lists.routines.first() else { return Ok(()) };
    let compact = CodeOptions { compact: whole.options.compact };
    whole.buffer.emit(&kernel.code, compact).map_err(|e| {
        let d = Diagnostic::error("CannotEncode", e.to_string()).in_kernel(&*kernel.code.name);
        // Behind the kernel's own code is that of functions.
        let own = kernel.code.insts().take(kernel.insts).nth(narrow::as_index(e.index));
        own.map_or(d.clone(), |(_, i)| d.at_instruction(i.origin, i.op.name()))
    })?;
    Ok(())
}
