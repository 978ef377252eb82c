//! The list of passes, top to bottom, and what each one calls.
//!
//! A new pass is a function and a row here. Its name is then one that `--print-after`, `--stats` and
//! `--skip-pass` know, and the verifier looks at what it leaves.

use encoder::CodeOptions;
use gen_ir::{Dst, ExecSize, Inst, Kernel, Op, Physical, Profile, Src, Type, Virtual};
use narrow::{low_u32, to_index};
use platforms::Layout;

use crate::{
    Diagnostic, Level, Place, Refusal, Severity, calls, entries, input, legalize, lower,
    optimize::{self, Facts},
    pair,
    pass::{self, Need, Pass, Step},
    pass_set::PassSet,
    relocate, schedule, swsb,
    whole::{Lists, Whole},
    workspace::{self, FRAME_UNIT, Job, Workspace},
};

/// The passes in the order they run. Those up to `take-symbols` run for a kernel and for each function that
/// goes with it; the others, once for all of them.
pub static PASSES: &[Pass] = &[
    Pass {
        name: "check",
        about: "the vISA kernel is checked: against what would be unsafe to go on with, or against the specification",
        step: Step::Source(check),
        ..Pass::REQUIRED
    },
    Pass {
        name: "lower",
        about: "vISA instructions become Gen instructions over variables, messages get descriptors and payloads",
        step: Step::Lower(lower),
        ..Pass::REQUIRED
    },
    Pass {
        name: "convert-branches",
        about: "short branches become predicates",
        step: Step::Virtual(optimize::convert_branches),
        ..Pass::OPTIONAL
    },
    Pass {
        name: "ignore-masks",
        about: "in Cm kernels, instructions ignore the mask where every channel is on",
        step: Step::Virtual(optimize::ignore_masks),
        keeps: Facts::GRAPH,
        ..Pass::OPTIONAL
    },
    Pass {
        name: "propagate-copies",
        about: "readers of a copy read the original",
        step: Step::Virtual(optimize::propagate_copies),
        keeps: Facts::GRAPH.with(Facts::READS).with(Facts::TESTS).with(Facts::COMBINATIONS),
        ..Pass::OPTIONAL
    },
    Pass {
        name: "sign-products",
        about: "the upper half of a signed product is not computed from the unsigned one",
        step: Step::Virtual(optimize::sign_products),
        keeps: Facts::GRAPH,
        ..Pass::OPTIONAL
    },
    Pass {
        name: "attach-conditions",
        about: "a comparison with zero becomes a condition of what it compares",
        step: Step::Virtual(optimize::attach_conditions),
        keeps: Facts::GRAPH.with(Facts::READS).with(Facts::COMBINATIONS),
        ..Pass::OPTIONAL
    },
    Pass {
        name: "chain-comparisons",
        about: "of a compound condition, the second comparison runs where the first leaves the answer open",
        step: Step::Virtual(optimize::chain_comparisons),
        keeps: Facts::GRAPH,
        ..Pass::OPTIONAL
    },
    Pass {
        name: "eliminate-dead",
        about: "results that nobody reads are not made",
        step: Step::Virtual(optimize::eliminate_dead),
        keeps: Facts::GRAPH.with(Facts::READS).with(Facts::TOUCHES),
        ..Pass::OPTIONAL
    },
    // From here to the end of the optimization nothing gives a variable another block, shows it a value
    // from before, or writes what was not written.
    Pass {
        name: "share-values",
        about: "equal operations on equal values are done once a block",
        step: Step::Virtual(optimize::share_values),
        ..Pass::OPTIONAL
    },
    Pass {
        name: "share-headers",
        about: "of a message's header, only what changed since the last one is written",
        step: Step::Virtual(optimize::share_headers),
        keeps: Facts::GRAPH.with(Facts::TOUCHES).with(Facts::LOCALITY),
        ..Pass::OPTIONAL
    },
    Pass {
        name: "sink-scalars",
        about: "what is moved is computed where it is moved to",
        step: Step::Virtual(optimize::sink_scalars),
        keeps: Facts::GRAPH.with(Facts::TOUCHES).with(Facts::LOCALITY),
        ..Pass::OPTIONAL
    },
    Pass {
        name: "share-descriptors",
        about: "a message's descriptor that an address register holds already is not computed again",
        step: Step::Virtual(optimize::share_descriptors),
        keeps: Facts::GRAPH.with(Facts::TOUCHES).with(Facts::LOCALITY),
        ..Pass::OPTIONAL
    },
    Pass {
        name: "coalesce",
        about: "in one block: what is overwritten is not made, and the source of a move is made in its place",
        step: Step::Virtual(optimize::coalesce),
        keeps: Facts::GRAPH.with(Facts::TOUCHES).with(Facts::LOCALITY),
        ..Pass::OPTIONAL
    },
    Pass {
        name: "interleave",
        about: "what two moves put elsewhere in halves is computed in halves there",
        step: Step::Virtual(optimize::interleave),
        keeps: Facts::GRAPH.with(Facts::TOUCHES).with(Facts::LOCALITY),
        ..Pass::OPTIONAL
    },
    Pass {
        name: "share-constants",
        about: "constants and message headers that are the same are made once a block",
        step: Step::Virtual(optimize::share_constants),
        keeps: Facts::GRAPH.with(Facts::TOUCHES).with(Facts::LOCALITY),
        ..Pass::OPTIONAL
    },
    Pass {
        name: "remove-nops",
        about: "what the passes before made `nop` is taken out",
        step: Step::Virtual(optimize::remove_nops),
        keeps: Facts::GRAPH.with(Facts::TOUCHES).with(Facts::LOCALITY),
        ..Pass::REQUIRED
    },
    Pass {
        name: "merge-payloads",
        about: "values are made where the payload of a message wants them",
        step: Step::Virtual(optimize::merge_payloads),
        keeps: Facts::GRAPH,
        ..Pass::OPTIONAL
    },
    Pass {
        name: "legalize",
        about: "what the platform cannot encode is rewritten until it can",
        step: Step::Virtual(legalize),
        keeps: Facts::GRAPH,
        ..Pass::REQUIRED
    },
    Pass {
        name: "split-variables",
        about: "variables whose registers no instruction touches together become several",
        step: Step::Virtual(optimize::split_variables),
        keeps: Facts::GRAPH,
        ..Pass::OPTIONAL
    },
    Pass {
        name: "propagate-legal-copies",
        about: "readers of a copy read the original, where the instruction stays legal",
        step: Step::Virtual(optimize::propagate_legal_copies),
        keeps: Facts::GRAPH.with(Facts::READS).with(Facts::SCATTERS),
        ..Pass::OPTIONAL
    },
    Pass {
        name: "scatter-moves",
        about: "predicated moves of constant channels through an address become `smov`",
        step: Step::Virtual(optimize::scatter_moves),
        only: Some(Need { on: |caps| caps.words.layout() == Layout::Gen8, else_because: "it has no `smov`" }),
        keeps: Facts::GRAPH,
        ..Pass::OPTIONAL
    },
    Pass {
        name: "eliminate-all-dead",
        about: "results that nobody reads are not made, nor what is dead by that",
        step: Step::Virtual(optimize::eliminate_all_dead),
        keeps: Facts::GRAPH.with(Facts::READS).with(Facts::TOUCHES),
        ..Pass::OPTIONAL
    },
    Pass {
        name: "interleave-legal",
        about: "as `interleave`, where instructions stay legal",
        step: Step::Virtual(optimize::interleave_legal),
        keeps: Facts::GRAPH.with(Facts::TOUCHES).with(Facts::LOCALITY),
        only: Some(Need {
            on: |caps| !caps.regions.float_regions,
            else_because: "its operations on quadwords read packed dwords",
        }),
        ..Pass::OPTIONAL
    },
    Pass {
        name: "coalesce-legal",
        about: "as `coalesce`, where instructions stay legal",
        step: Step::Virtual(optimize::coalesce_legal),
        keeps: Facts::GRAPH.with(Facts::TOUCHES).with(Facts::LOCALITY),
        ..Pass::OPTIONAL
    },
    Pass {
        name: "share-legal-constants",
        about: "constants that legalization has made are made once a block",
        step: Step::Virtual(optimize::share_constants),
        keeps: Facts::GRAPH.with(Facts::TOUCHES).with(Facts::LOCALITY),
        ..Pass::OPTIONAL
    },
    Pass {
        name: "remove-legal-nops",
        about: "what the passes before made `nop` is taken out",
        step: Step::Virtual(optimize::remove_nops),
        keeps: Facts::GRAPH.with(Facts::TOUCHES).with(Facts::LOCALITY),
        ..Pass::REQUIRED
    },
    Pass {
        name: "merge-legal-payloads",
        about: "as `merge-payloads`, for what legalization has made apart",
        step: Step::Virtual(optimize::merge_payloads),
        ..Pass::OPTIONAL
    },
    Pass {
        name: "part-payloads",
        about: "messages whose payloads are in the same registers, or that would write what they send, send a copy",
        step: Step::Virtual(part_payloads),
        only: Some(Need {
            on: |caps| caps.sends.split || caps.sends.responses_apart,
            else_because: "a message has one payload, and a response may come in where it was",
        }),
        ..Pass::REQUIRED
    },
    Pass {
        name: "structurize",
        about: "gotos become uniform jumps, if/else/endif, or goto/join with the places where lanes wait",
        step: Step::Virtual(structurize),
        profile: Profile::Structured,
        ..Pass::REQUIRED
    },
    Pass {
        name: "allocate",
        about: "variables get registers, or scratch memory where they do not fit",
        step: Step::Allocate(allocate),
        profile: Profile::Structured,
        ..Pass::REQUIRED
    },
    Pass {
        name: "expand-calls",
        about: "marks of the calling convention become instructions",
        step: Step::Physical(expand_calls),
        profile: Profile::Expanded,
        ..Pass::REQUIRED
    },
    Pass {
        name: "pair-scalars",
        about: "operations on two single elements beside each other become one on both",
        step: Step::Physical(pair_scalars),
        profile: Profile::Expanded,
        ..Pass::OPTIONAL
    },
    Pass {
        name: "schedule",
        about: "instructions of a block stand in an order in which the thread waits less",
        step: Step::Physical(schedule),
        profile: Profile::Expanded,
        ..Pass::OPTIONAL
    },
    Pass {
        name: "swsb",
        about: "instructions say what they wait for",
        step: Step::Physical(scoreboard),
        profile: Profile::Expanded,
        only: Some(Need {
            on: |caps| caps.scoreboard.sbid_count > 0,
            else_because: "its hardware tracks dependencies",
        }),
        ..Pass::REQUIRED
    },
    Pass {
        name: "identify",
        about: "a number stands behind the kernel's end, if one was asked for",
        step: Step::Physical(identify),
        profile: Profile::Identified,
        ..Pass::REQUIRED
    },
    Pass {
        name: "align-entries",
        about: "places where a launch may start are aligned",
        step: Step::Physical(align_entries),
        profile: Profile::Identified,
        ..Pass::REQUIRED
    },
    Pass {
        name: "check-rules",
        about: "what breaks a rule of the hardware is refused",
        step: Step::Physical(check_rules),
        profile: Profile::Identified,
        ..Pass::OPTIONAL
    },
    Pass {
        name: "take-symbols",
        about: "immediates that a linker fills in are noted",
        step: Step::Physical(take_symbols),
        profile: Profile::Identified,
        ..Pass::REQUIRED
    },
    Pass {
        name: "join",
        about: "functions are put behind the kernel that calls them",
        step: Step::Binary(join, "the functions stand behind their kernel, unchanged: see `take-symbols`"),
        ..Pass::REQUIRED
    },
    Pass {
        name: "encode",
        about: "instructions become machine words",
        step: Step::Binary(encode, "the result is machine words: `--emit asm` lists them"),
        ..Pass::REQUIRED
    },
];

impl PassSet {
    /// The pass of that name.
    pub fn named(name: &str) -> Option<PassSet> {
        PASSES.iter().position(|p| p.name == name).map(PassSet::of)
    }
}

impl Pass {
    const REQUIRED: Pass = Pass {
        name: "",
        about: "",
        optional: false,
        step: Step::Binary(encode, ""),
        keeps: Facts::NONE,
        profile: Profile::Lowered,
        only: None,
    };
    const OPTIONAL: Pass = Pass { optional: true, ..Pass::REQUIRED };
}

/// Checks the kernel against the specification if all its rules matter, else only against what would make it
/// unsafe to go on.
fn check(job: &mut Job<'_>, work: &mut Workspace) -> Result<(), Refusal> {
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

fn lower(job: &mut Job<'_>, work: &mut Workspace) -> Result<Kernel<Virtual>, Refusal> {
    let options = lower::LowerOptions {
        registers: job.cx.registers,
        reserved: job.cx.options.reserved_registers,
        simd: job.simd,
        tails: job.tails,
        relocate_payload: job.cx.options.relocate_payload,
    };
    let (source, platform) = (job.source, job.cx.options.platform);
    work.analyses.keep(Facts::NONE);
    let lowered = lower::lower(source, platform, &options, &mut work.lower, &mut work.virtuals);
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

fn legalize(kernel: &mut Kernel<Virtual>, work: &mut Workspace) -> Result<bool, Refusal> {
    let done = legalize::legalize(kernel, &mut work.legalize, &mut work.virtuals);
    done.map_err(|e| {
        let fault = |e| Diagnostic::from(e).in_kernel(&*kernel.name);
        Refusal(e.into_iter().map(fault).collect())
    })?;
    Ok(true)
}

fn part_payloads(kernel: &mut Kernel<Virtual>, work: &mut Workspace) -> Result<bool, Refusal> {
    Ok(legalize::payloads::part(kernel, &mut work.legalize, &mut work.virtuals))
}

fn structurize(kernel: &mut Kernel<Virtual>, work: &mut Workspace) -> Result<bool, Refusal> {
    let done = structurizer::structurize_in(kernel, &mut work.structurize, &mut work.virtuals);
    done.map_err(|e| Diagnostic::error("CannotStructure", e.to_string()).in_kernel(&*kernel.name))?;
    Ok(true)
}

fn allocate(
    job: &mut Job<'_>,
    kernel: Kernel<Virtual>,
    work: &mut Workspace,
) -> Result<Kernel<Physical>, Refusal> {
    let options = job.cx.options;
    let quick = options.level == Level::O0;
    let choices = regalloc::Options { check: options.verify, quick, watch: options.watch.clone() };
    let allocated = regalloc::allocate(&kernel, &choices, &mut work.registers, &mut work.physicals);
    let (code, allocation) = allocated.map_err(|e| {
        let fault = match e {
            regalloc::Error::Stopped(stop) => stop.into(),
            other => Diagnostic::error("CannotAllocate", other.to_string()),
        };
        fault.in_kernel(&*kernel.name)
    })?;
    job.allocation = allocation;
    job.frame = (kernel.spill_offset + allocation.scratch_bytes).next_multiple_of(FRAME_UNIT);
    work.virtuals.keep_kernel(kernel);
    Ok(code)
}

fn expand_calls(code: &mut Kernel<Physical>, job: &mut Job<'_>, work: &mut Workspace) -> Result<(), Refusal> {
    let callee = |origin| workspace::callee(job.source, job.cx.module, origin);
    job.calls = calls::expand(code, job.frame, callee, &mut work.calls, &mut work.physicals);
    Ok(())
}

fn pair_scalars(code: &mut Kernel<Physical>, _: &mut Job<'_>, work: &mut Workspace) -> Result<(), Refusal> {
    pair::scalars(code, &mut work.legal);
    Ok(())
}

fn schedule(code: &mut Kernel<Physical>, _: &mut Job<'_>, work: &mut Workspace) -> Result<(), Refusal> {
    schedule::schedule(code, &mut work.schedule);
    Ok(())
}

fn scoreboard(code: &mut Kernel<Physical>, _: &mut Job<'_>, work: &mut Workspace) -> Result<(), Refusal> {
    swsb::annotate(code, &mut work.swsb, &mut work.physicals);
    Ok(())
}

/// Two moves to nowhere behind the message that ends the thread, the low half first, as Intel's finalizer has them
/// for `-hashmovs`.
fn identify(code: &mut Kernel<Physical>, job: &mut Job<'_>, work: &mut Workspace) -> Result<(), Refusal> {
    let Some(id) = job.cx.options.kernel_id.filter(|_| !job.source.is_function) else { return Ok(()) };
    let Some(block) = code.blocks.iter_mut().find(|b| b.insts.last().is_some_and(Inst::is_eot)) else {
        return Ok(());
    };
    work.physicals.grow(&mut block.insts, 2);
    for half in [low_u32(id), (id >> 32) as u32] {
        block.insts.push(Inst {
            no_mask: true,
            dst: Dst::null(Type::Ud),
            src: [Src::ud(half), Src::None, Src::None],
            ..Inst::new(Op::Mov, ExecSize::S16)
        });
    }
    Ok(())
}

fn align_entries(
    code: &mut Kernel<Physical>,
    job: &mut Job<'_>,
    work: &mut Workspace,
) -> Result<(), Refusal> {
    job.entries = entries::align(code, &mut work.physicals);
    Ok(())
}

fn check_rules(code: &mut Kernel<Physical>, _: &mut Job<'_>, work: &mut Workspace) -> Result<(), Refusal> {
    let platform = code.platform;
    let legal = code.blocks.iter().flat_map(|b| &b.insts).all(|i| work.legal.is_legal(platform, i));
    if legal { Ok(()) } else { Err(Refusal(pass::broken_rules(code))) }
}

fn take_symbols(code: &mut Kernel<Physical>, job: &mut Job<'_>, work: &mut Workspace) -> Result<(), Refusal> {
    let first = to_index(work.symbols.len());
    relocate::take_symbols(job.source, code, &mut work.symbols);
    job.symbols = (first, to_index(work.symbols.len()));
    Ok(())
}

/// Puts functions behind their kernel.
fn join(whole: &mut Whole<'_>) -> Result<(), Refusal> {
    let Lists { routines, entries, .. } = whole.lists;
    let Some((kernel, functions)) = routines.split_first_mut() else { return Ok(()) };
    let codes = functions.iter_mut().map(|f| (f.number, &mut f.code));
    calls::join(&mut kernel.code, codes, entries);
    Ok(())
}

fn encode(whole: &mut Whole<'_>) -> Result<(), Refusal> {
    let Some(kernel) = whole.lists.routines.first() else { return Ok(()) };
    let compact = CodeOptions { compact: whole.options.compact };
    whole
        .buffer
        .emit(&kernel.code, compact)
        .map_err(|e| Diagnostic::error("CannotEncode", e.to_string()).in_kernel(&*kernel.code.name))?;
    Ok(())
}
