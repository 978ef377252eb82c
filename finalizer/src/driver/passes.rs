//! The list of passes, top to bottom.
//!
//! A new pass is a function (of `optimize::steps`, or of `steps` beside this file) and a row here. Its name is then one that `--print-after`, `--stats` and
//! `--skip-pass` know, and the verifier looks at what it leaves.

use gen_ir::{Op, Profile};

use crate::{
    driver::{
        pass::{Need, Pass, PassBody},
        pass_set::PassSet,
        steps,
    },
    optimize::{AnalysisSet, steps as optimizations},
};

/// What a pass keeps that leaves each variable in its blocks.
const IN_BLOCKS: AnalysisSet = AnalysisSet::GRAPH.with(AnalysisSet::TOUCHES).with(AnalysisSet::LOCALITY);

/// The passes in the order they run. Those up to `take-symbols` run for a kernel and for each function that
/// goes with it; the others, once for all of them.
pub static PASSES: &[Pass] = &[
    Pass {
        name: "check",
        about: "the vISA kernel is checked: against what would be unsafe to go on with, or against the specification",
        step: PassBody::Source(steps::check),
        ..Pass::REQUIRED
    },
    Pass {
        name: "lower",
        about: "vISA instructions become Gen instructions over variables, messages get descriptors and payloads",
        step: PassBody::Lower(steps::lower),
        ..Pass::REQUIRED
    },
    Pass {
        name: "hoist-equals",
        about: "code hoisting: what both sides of a branch begin with is done in front of it",
        step: PassBody::Virtual(optimizations::hoist_equals),
        ..Pass::OPTIONAL
    },
    Pass {
        name: "convert-branches",
        about: "if-conversion: short branches become predicates",
        step: PassBody::Virtual(optimizations::convert_branches),
        ..Pass::OPTIONAL
    },
    Pass {
        name: "ignore-masks",
        about: "in Cm kernels, instructions ignore the mask where every channel is on",
        step: PassBody::Virtual(optimizations::ignore_masks),
        keeps: AnalysisSet::GRAPH,
        ..Pass::OPTIONAL
    },
    Pass {
        name: "split-webs",
        about: "webs: values of one variable that have nothing to do with each other become variables of their own",
        step: PassBody::Virtual(optimizations::split_webs),
        keeps: AnalysisSet::GRAPH,
        ..Pass::OPTIONAL
    },
    Pass {
        name: "propagate-copies",
        about: "copy propagation: readers of a copy read the original",
        step: PassBody::Virtual(optimizations::propagate_copies),
        keeps: AnalysisSet::GRAPH
            .with(AnalysisSet::READS)
            .with(AnalysisSet::TESTS)
            .with(AnalysisSet::CHOICES)
            .with(AnalysisSet::CONVERSIONS)
            .with(AnalysisSet::COMBINATIONS),
        ..Pass::OPTIONAL
    },
    Pass {
        name: "fold-conversions",
        about: "arithmetic reads half floats as they are and gives them, where no one else wants them as single floats",
        step: PassBody::Virtual(optimizations::fold_conversions),
        keeps: AnalysisSet::GRAPH
            .with(AnalysisSet::TESTS)
            .with(AnalysisSet::CHOICES)
            .with(AnalysisSet::COMBINATIONS),
        ..Pass::OPTIONAL
    },
    Pass {
        name: "fold-comparisons",
        about: "minima and maxima: a `sel` by the comparison of its own sources compares itself",
        step: PassBody::Virtual(optimizations::fold_comparisons),
        keeps: AnalysisSet::GRAPH
            .with(AnalysisSet::READS)
            .with(AnalysisSet::TESTS)
            .with(AnalysisSet::COMBINATIONS),
        ..Pass::OPTIONAL
    },
    Pass {
        name: "sign-products",
        about: "strength reduction: a signed high product in place of an unsigned one and its correction",
        step: PassBody::Virtual(optimizations::sign_products),
        keeps: AnalysisSet::GRAPH,
        ..Pass::OPTIONAL
    },
    Pass {
        name: "attach-conditions",
        about: "conditional modifiers: a comparison with zero becomes a condition of the instruction that makes the value",
        step: PassBody::Virtual(optimizations::attach_conditions),
        keeps: AnalysisSet::GRAPH.with(AnalysisSet::READS).with(AnalysisSet::COMBINATIONS),
        ..Pass::OPTIONAL
    },
    Pass {
        name: "chain-comparisons",
        about: "compound conditions: the second comparison runs under the first one's flag, in place of logic on two flags",
        step: PassBody::Virtual(optimizations::chain_comparisons),
        keeps: AnalysisSet::GRAPH,
        ..Pass::OPTIONAL
    },
    Pass {
        name: "add-scalars-first",
        about: "reassociation: what is the same in all channels of a sum is added first, once for all parts",
        step: PassBody::Virtual(optimizations::add_scalars_first),
        keeps: AnalysisSet::GRAPH.with(AnalysisSet::READS),
        ..Pass::OPTIONAL
    },
    Pass {
        name: "insert-bits",
        about: "instruction selection: shifted bits beside others become a rotation, or an insertion under a mask",
        step: PassBody::Virtual(optimizations::insert_bits),
        keeps: AnalysisSet::GRAPH.with(AnalysisSet::READS),
        ..Pass::OPTIONAL
    },
    Pass {
        name: "read-flags",
        about: "scalar logic on a flag reads it without a copy, and only the half that counts",
        step: PassBody::Virtual(optimizations::read_flags),
        keeps: AnalysisSet::GRAPH,
        ..Pass::OPTIONAL
    },
    Pass {
        name: "drop-conditions",
        about: "dead code elimination of comparisons: those for channels that nobody reads",
        step: PassBody::Virtual(optimizations::drop_conditions),
        keeps: AnalysisSet::GRAPH.with(AnalysisSet::READS),
        ..Pass::OPTIONAL
    },
    Pass {
        name: "eliminate-dead",
        about: "dead code elimination: results that nobody reads are not made",
        step: PassBody::Virtual(optimizations::eliminate_dead),
        keeps: AnalysisSet::GRAPH.with(AnalysisSet::READS).with(AnalysisSet::TOUCHES),
        ..Pass::OPTIONAL
    },
    Pass {
        name: "compute-low-halves",
        about: "demanded bits: quadwords of which only low dwords are read are computed as dwords",
        step: PassBody::Virtual(optimizations::compute_low_halves),
        keeps: AnalysisSet::GRAPH,
        ..Pass::OPTIONAL
    },
    Pass {
        name: "combine-shifts",
        about: "strength reduction: two shifts by constants become one by their sum",
        step: PassBody::Virtual(optimizations::combine_shifts),
        keeps: AnalysisSet::GRAPH,
        ..Pass::OPTIONAL
    },
    // From here to the end of the optimization nothing gives a variable another block, shows it a value
    // from before, or writes what was not written.
    Pass {
        name: "share-values",
        about: "local value numbering: equal operations on equal values are done once a block",
        step: PassBody::Virtual(optimizations::share_values),
        keeps: IN_BLOCKS.with(AnalysisSet::READS),
        ..Pass::OPTIONAL
    },
    Pass {
        name: "hoist-headers",
        about: "loop-invariant headers: one that is the same for all messages is made once, where the kernel begins",
        step: PassBody::Virtual(optimizations::hoist_headers),
        keeps: AnalysisSet::GRAPH,
        ..Pass::OPTIONAL
    },
    Pass {
        name: "share-headers",
        about: "value numbering of headers: only what changed since the last message's header is written",
        step: PassBody::Virtual(optimizations::share_headers),
        keeps: IN_BLOCKS.with(AnalysisSet::READS),
        ..Pass::OPTIONAL
    },
    Pass {
        name: "sink-scalars",
        about: "sinking of scalars: what is moved is computed where it is moved to",
        step: PassBody::Virtual(optimizations::sink_scalars),
        keeps: IN_BLOCKS,
        ..Pass::OPTIONAL
    },
    Pass {
        name: "sink-copies",
        about: "sinking of copies: what only one side of a branch needs is copied there",
        step: PassBody::Virtual(optimizations::sink_copies),
        keeps: AnalysisSet::GRAPH.with(AnalysisSet::READS),
        ..Pass::OPTIONAL
    },
    Pass {
        name: "share-descriptors",
        about: "value numbering of descriptors: what `a0` holds already is not computed again",
        step: PassBody::Virtual(optimizations::share_descriptors),
        keeps: IN_BLOCKS,
        ..Pass::OPTIONAL
    },
    Pass {
        name: "coalesce",
        about: "coalescing: in one block the source of a move is computed in its place; what is overwritten is not made",
        step: PassBody::Virtual(optimizations::coalesce),
        keeps: IN_BLOCKS,
        ..Pass::OPTIONAL
    },
    Pass {
        name: "interleave",
        about: "coalescing of interleaved moves: what two moves put elsewhere in halves is computed in halves there",
        step: PassBody::Virtual(optimizations::interleave),
        keeps: IN_BLOCKS,
        ..Pass::OPTIONAL
    },
    Pass {
        name: "share-constants",
        about: "value numbering of constants and headers: equal ones are made once a block",
        step: PassBody::Virtual(optimizations::share_constants),
        keeps: IN_BLOCKS,
        ..Pass::OPTIONAL
    },
    Pass {
        name: "remove-nops",
        about: "what the passes before made `nop` is taken out",
        step: PassBody::Virtual(optimizations::remove_nops),
        keeps: IN_BLOCKS,
        ..Pass::REQUIRED
    },
    Pass {
        name: "merge-payloads",
        about: "coalescing into payloads: values are made where the payload of a message wants them",
        step: PassBody::Virtual(optimizations::merge_payloads),
        keeps: AnalysisSet::GRAPH,
        ..Pass::OPTIONAL
    },
    Pass {
        name: "legalize",
        about: "what the platform cannot encode is rewritten until it can",
        step: PassBody::Virtual(steps::legalize),
        keeps: AnalysisSet::GRAPH,
        ..Pass::REQUIRED
    },
    Pass {
        name: "join-products",
        about: "both halves of a product of dwords come from one multiplication",
        step: PassBody::Virtual(optimizations::join_products),
        keeps: AnalysisSet::GRAPH,
        ..Pass::OPTIONAL
    },
    Pass {
        name: "split-variables",
        about: "variables whose registers no instruction touches together become several, and these as `split-webs` has it",
        step: PassBody::Virtual(optimizations::split_variables),
        keeps: AnalysisSet::GRAPH,
        ..Pass::OPTIONAL
    },
    Pass {
        name: "propagate-legal-copies",
        about: "copy propagation, where the instruction stays legal",
        step: PassBody::Virtual(optimizations::propagate_legal_copies),
        keeps: AnalysisSet::GRAPH.with(AnalysisSet::READS).with(AnalysisSet::SCATTERS),
        ..Pass::OPTIONAL
    },
    Pass {
        name: "scatter-moves",
        about: "predicated moves of constant channels through an address become `smov`",
        step: PassBody::Virtual(optimizations::scatter_moves),
        only: Some(Need {
            on: |caps| encoder::opcodes::supports(caps.platform, Op::Smov),
            else_because: "it has no `smov`",
        }),
        keeps: AnalysisSet::GRAPH,
        ..Pass::OPTIONAL
    },
    Pass {
        name: "fold-indirect-moves",
        about: "an operation reads through an address what a move read there for it alone",
        step: PassBody::Virtual(optimizations::fold_indirect_moves),
        keeps: AnalysisSet::GRAPH,
        ..Pass::OPTIONAL
    },
    Pass {
        name: "eliminate-all-dead",
        about: "dead code elimination, and of what is dead by that",
        step: PassBody::Virtual(optimizations::eliminate_all_dead),
        keeps: AnalysisSet::GRAPH.with(AnalysisSet::READS).with(AnalysisSet::TOUCHES),
        ..Pass::OPTIONAL
    },
    Pass {
        name: "drop-modes",
        about: "rounding and denormals of floats are not set where nothing computes with floats",
        step: PassBody::Virtual(optimizations::drop_modes),
        keeps: AnalysisSet::GRAPH.with(AnalysisSet::READS).with(AnalysisSet::TOUCHES),
        ..Pass::OPTIONAL
    },
    Pass {
        name: "share-legal-values",
        about: "as `share-values`, for what legalization has made",
        step: PassBody::Virtual(optimizations::share_legal_values),
        keeps: IN_BLOCKS.with(AnalysisSet::READS),
        ..Pass::OPTIONAL
    },
    Pass {
        name: "interleave-legal",
        about: "as `interleave`, where instructions stay legal",
        step: PassBody::Virtual(optimizations::interleave_legal),
        keeps: IN_BLOCKS,
        only: Some(Need {
            on: |caps| !caps.regions.float_regions,
            else_because: "its operations on quadwords read packed dwords",
        }),
        ..Pass::OPTIONAL
    },
    Pass {
        name: "coalesce-legal",
        about: "as `coalesce`, where instructions stay legal",
        step: PassBody::Virtual(optimizations::coalesce_legal),
        keeps: IN_BLOCKS,
        ..Pass::OPTIONAL
    },
    Pass {
        name: "share-legal-constants",
        about: "as `share-constants`, for what legalization has made",
        step: PassBody::Virtual(optimizations::share_constants),
        keeps: IN_BLOCKS,
        ..Pass::OPTIONAL
    },
    Pass {
        name: "remove-legal-nops",
        about: "what the passes before made `nop` is taken out",
        step: PassBody::Virtual(optimizations::remove_nops),
        keeps: IN_BLOCKS,
        ..Pass::REQUIRED
    },
    Pass {
        name: "merge-across-blocks",
        about: "as `merge-payloads`, for values that several blocks touch",
        step: PassBody::Virtual(optimizations::merge_across_blocks),
        keeps: AnalysisSet::GRAPH,
        ..Pass::OPTIONAL
    },
    Pass {
        name: "merge-legal-payloads",
        about: "as `merge-payloads`, for what legalization has made apart",
        step: PassBody::Virtual(optimizations::merge_payloads),
        ..Pass::OPTIONAL
    },
    Pass {
        name: "part-payloads",
        about: "messages whose payloads are in the same registers, or that would write what they send, send a copy",
        step: PassBody::Virtual(steps::part_payloads),
        only: Some(Need {
            on: |caps| caps.sends.split || caps.sends.responses_apart,
            else_because: "a message has one payload, and a response may come in where it was",
        }),
        ..Pass::REQUIRED
    },
    Pass {
        name: "structurize",
        about: "gotos become uniform jumps, if/else/endif, or goto/join with the places where lanes wait",
        step: PassBody::Virtual(steps::structurize),
        profile: Profile::Structured,
        ..Pass::REQUIRED
    },
    Pass {
        name: "guard-pairs",
        about: "what ignores the mask does not run where the pair of threads runs for the other one",
        step: PassBody::Virtual(steps::guard_pairs),
        profile: Profile::Structured,
        only: Some(Need {
            on: |caps| caps.errata.unmasked_pairs,
            else_because: "no thread runs for its pair",
        }),
        ..Pass::REQUIRED
    },
    Pass {
        name: "allocate",
        about: "variables get registers, or scratch memory where they do not fit",
        step: PassBody::Allocate(steps::allocate),
        profile: Profile::Structured,
        ..Pass::REQUIRED
    },
    Pass {
        name: "expand-calls",
        about: "marks of the calling convention become instructions",
        step: PassBody::Physical(steps::expand_calls),
        profile: Profile::Expanded,
        ..Pass::REQUIRED
    },
    Pass {
        name: "drop-reloads",
        about: "flags are not loaded from registers with what they hold",
        step: PassBody::Physical(steps::drop_reloads),
        profile: Profile::Expanded,
        ..Pass::OPTIONAL
    },
    Pass {
        name: "pair-scalars",
        about: "operations on two single elements beside each other become one on both",
        step: PassBody::Physical(steps::pair_scalars),
        profile: Profile::Expanded,
        ..Pass::OPTIONAL
    },
    Pass {
        name: "schedule",
        about: "instructions of a block stand in an order in which the thread waits less",
        step: PassBody::Physical(steps::schedule),
        profile: Profile::Expanded,
        ..Pass::OPTIONAL
    },
    Pass {
        name: "use-accumulators",
        about: "floats that are soon read go through an accumulator",
        step: PassBody::Physical(steps::use_accumulators),
        profile: Profile::Expanded,
        only: Some(Need {
            on: |caps| caps.regs.float_accumulators.is_some(),
            else_because: "results are in an accumulator no earlier",
        }),
        ..Pass::OPTIONAL
    },
    Pass {
        name: "work-around",
        about: "what keeps faults of the hardware from happening is added",
        step: PassBody::Physical(steps::work_around),
        profile: Profile::Expanded,
        ..Pass::REQUIRED
    },
    Pass {
        name: "swsb",
        about: "instructions say what they wait for",
        step: PassBody::Physical(steps::scoreboard),
        profile: Profile::Expanded,
        only: Some(Need {
            on: |caps| caps.scoreboard.software,
            else_because: "its hardware tracks dependencies",
        }),
        ..Pass::REQUIRED
    },
    Pass {
        name: "compact-moves",
        about: "moves of dwords are moves of floats, which have a compacted form",
        step: PassBody::Physical(steps::compact_moves),
        profile: Profile::Expanded,
        only: Some(Need {
            on: |caps| caps.words.float_moves_compact,
            else_because: "moves of dwords have a compacted form, too, or none has",
        }),
        ..Pass::OPTIONAL
    },
    Pass {
        name: "identify",
        about: "a number stands behind the kernel's end, and a breakpoint at its start, if they were asked for; or what hardware fetches there",
        step: PassBody::Physical(steps::identify),
        profile: Profile::Identified,
        ..Pass::REQUIRED
    },
    Pass {
        name: "align-entries",
        about: "places where a launch may start are aligned",
        step: PassBody::Physical(steps::align_entries),
        profile: Profile::Identified,
        ..Pass::REQUIRED
    },
    Pass {
        name: "check-rules",
        about: "what breaks a rule of the hardware is refused",
        step: PassBody::Physical(steps::check_rules),
        profile: Profile::Identified,
        ..Pass::OPTIONAL
    },
    Pass {
        name: "take-symbols",
        about: "immediates that a linker fills in are noted",
        step: PassBody::Physical(steps::take_symbols),
        profile: Profile::Identified,
        ..Pass::REQUIRED
    },
    Pass {
        name: "join",
        about: "functions are put behind the kernel that calls them",
        step: PassBody::Binary(
            steps::join,
            "the functions stand behind their kernel, unchanged: see `take-symbols`",
        ),
        ..Pass::REQUIRED
    },
    Pass {
        name: "encode",
        about: "instructions become machine words",
        step: PassBody::Binary(steps::encode, "the result is machine words: `--emit asm` lists them"),
        ..Pass::REQUIRED
    },
];

impl PassSet {
    /// The pass of that name.
    pub fn named(name: &str) -> Option<PassSet> {
        PASSES.iter().position(|p| p.name == name).map(PassSet::of)
    }
}
