//! The list of passes, top to bottom.
//!
//! A new pass is a function (of `optimize::steps`, or of `steps` beside this file) and a row here. Its name is then one that `--print-after`, `--stats` and
//! `--skip-pass` know, and the verifier looks at what it leaves.

use gen_ir::{Op, Profile};

use crate::{
    driver::{
        pass::{
            Pass,
            PassBody::{Allocate, Binary, Lower, Physical, Source, Virtual},
            optional, required, with_profiles,
        },
        pass_set::PassSet,
        steps,
    },
    optimize::{
        Analysis::{
            self, Choices, Combinations, Conversions, Graph, Locality, Reads, Scatters, Tests, Touches,
        },
        steps as optimizations,
    },
};

/// What a pass keeps that leaves each variable in its blocks.
const IN_BLOCKS: [Analysis; 3] = [Graph, Touches, Locality];

/// The passes in the order they run. Those up to `take-symbols` run for a kernel and for each function that
/// goes with it; the others, once for all of them.
///
/// A row is the pass's name, what it works on and the function that does it, and what it does; then, where they are not as
/// `required` has them, the analyses it keeps, what the verifier holds the kernel to, and the platforms that need it.
#[rustfmt::skip]
pub static PASSES: &[Pass] = &with_profiles([
    required("check", Source(steps::check),
        "the vISA kernel is checked: against what would be unsafe to go on with, or against the specification"),
    required("lower", Lower(steps::lower),
        "vISA instructions become Gen instructions over variables, messages get descriptors and payloads"),
    optional("hoist-equals", Virtual(optimizations::hoist_equals),
        "code hoisting: what both sides of a branch begin with is done in front of it"),
    optional("convert-branches", Virtual(optimizations::convert_branches),
        "if-conversion: short branches become predicates"),
    optional("ignore-masks", Virtual(optimizations::ignore_masks),
        "in Cm kernels, instructions ignore the mask where every channel is on")
        .keeps(&[Graph]),
    optional("split-webs", Virtual(optimizations::split_webs),
        "webs: values of one variable that have nothing to do with each other become variables of their own")
        .keeps(&[Graph]),
    optional("propagate-copies", Virtual(optimizations::propagate_copies),
        "copy propagation: readers of a copy read the original")
        .keeps(&[Graph, Reads, Tests, Choices, Conversions, Combinations]),
    optional("fold-conversions", Virtual(optimizations::fold_conversions),
        "arithmetic reads half floats as they are and gives them, where no one else wants them as single floats")
        .keeps(&[Graph, Tests, Choices, Combinations]),
    optional("fold-comparisons", Virtual(optimizations::fold_comparisons),
        "minima and maxima: a `sel` by the comparison of its own sources compares itself")
        .keeps(&[Graph, Reads, Tests, Combinations]),
    optional("sign-products", Virtual(optimizations::sign_products),
        "strength reduction: a signed high product in place of an unsigned one and its correction")
        .keeps(&[Graph]),
    optional("attach-conditions", Virtual(optimizations::attach_conditions),
        "conditional modifiers: a comparison with zero becomes a condition of the instruction that makes the value")
        .keeps(&[Graph, Reads, Combinations]),
    optional("chain-comparisons", Virtual(optimizations::chain_comparisons),
        "compound conditions: the second comparison runs under the first one's flag, in place of logic on two flags")
        .keeps(&[Graph]),
    optional("add-scalars-first", Virtual(optimizations::add_scalars_first),
        "reassociation: what is the same in all channels of a sum is added first, once for all parts")
        .keeps(&[Graph, Reads]),
    optional("insert-bits", Virtual(optimizations::insert_bits),
        "instruction selection: shifted bits beside others become a rotation, or an insertion under a mask")
        .keeps(&[Graph, Reads]),
    optional("read-flags", Virtual(optimizations::read_flags),
        "scalar logic on a flag reads it without a copy, and only the half that counts")
        .keeps(&[Graph]),
    optional("drop-conditions", Virtual(optimizations::drop_conditions),
        "dead code elimination of comparisons: those for channels that nobody reads")
        .keeps(&[Graph, Reads]),
    optional("eliminate-dead", Virtual(optimizations::eliminate_dead),
        "dead code elimination: results that nobody reads are not made")
        .keeps(&[Graph, Reads, Touches]),
    optional("compute-low-halves", Virtual(optimizations::compute_low_halves),
        "demanded bits: quadwords of which only low dwords are read are computed as dwords")
        .keeps(&[Graph]),
    optional("combine-shifts", Virtual(optimizations::combine_shifts),
        "strength reduction: two shifts by constants become one by their sum")
        .keeps(&[Graph]),
    // From here to the end of the optimization nothing gives a variable another block, shows it a value
    // from before, or writes what was not written.
    optional("share-values", Virtual(optimizations::share_values),
        "local value numbering: equal operations on equal values are done once a block")
        .keeps(&IN_BLOCKS).keeps(&[Reads]),
    optional("hoist-headers", Virtual(optimizations::hoist_headers),
        "loop-invariant headers: one that is the same for all messages is made once, where the kernel begins")
        .keeps(&[Graph]),
    optional("share-headers", Virtual(optimizations::share_headers),
        "value numbering of headers: only what changed since the last message's header is written")
        .keeps(&IN_BLOCKS).keeps(&[Reads]),
    optional("sink-scalars", Virtual(optimizations::sink_scalars),
        "sinking of scalars: what is moved is computed where it is moved to")
        .keeps(&IN_BLOCKS),
    optional("sink-copies", Virtual(optimizations::sink_copies),
        "sinking of copies: what only one side of a branch needs is copied there")
        .keeps(&[Graph, Reads]),
    optional("share-descriptors", Virtual(optimizations::share_descriptors),
        "value numbering of descriptors: what `a0` holds already is not computed again")
        .keeps(&IN_BLOCKS),
    optional("coalesce", Virtual(optimizations::coalesce),
        "coalescing: in one block the source of a move is computed in its place; what is overwritten is not made")
        .keeps(&IN_BLOCKS),
    optional("interleave", Virtual(optimizations::interleave),
        "coalescing of interleaved moves: what two moves put elsewhere in halves is computed in halves there")
        .keeps(&IN_BLOCKS),
    optional("share-constants", Virtual(optimizations::share_constants),
        "value numbering of constants and headers: equal ones are made once a block")
        .keeps(&IN_BLOCKS),
    required("remove-nops", Virtual(optimizations::remove_nops),
        "what the passes before made `nop` is taken out")
        .keeps(&IN_BLOCKS),
    optional("merge-payloads", Virtual(optimizations::merge_payloads),
        "coalescing into payloads: values are made where the payload of a message wants them")
        .keeps(&[Graph]),
    required("legalize", Virtual(steps::legalize),
        "what the platform cannot encode is rewritten until it can")
        .keeps(&[Graph]),
    optional("join-products", Virtual(optimizations::join_products),
        "both halves of a product of dwords come from one multiplication")
        .keeps(&[Graph]),
    optional("split-variables", Virtual(optimizations::split_variables),
        "variables whose registers no instruction touches together become several, and these as `split-webs` has it")
        .keeps(&[Graph]),
    optional("propagate-legal-copies", Virtual(optimizations::propagate_legal_copies),
        "copy propagation, where the instruction stays legal")
        .keeps(&[Graph, Reads, Scatters]),
    optional("scatter-moves", Virtual(optimizations::scatter_moves),
        "predicated moves of constant channels through an address become `smov`")
        .keeps(&[Graph])
        .only(|caps| encoder::opcodes::supports(caps.platform, Op::Smov), "it has no `smov`"),
    optional("fold-indirect-moves", Virtual(optimizations::fold_indirect_moves),
        "an operation reads through an address what a move read there for it alone")
        .keeps(&[Graph]),
    optional("fold-carries", Virtual(optimizations::fold_carries),
        "carries are added from the accumulator in which they come")
        .keeps(&[Graph])
        .only(|caps| !caps.ops.int64, "it adds integers of 64 bits at once"),
    optional("eliminate-all-dead", Virtual(optimizations::eliminate_all_dead),
        "dead code elimination, and of what is dead by that")
        .keeps(&[Graph, Reads, Touches]),
    optional("drop-modes", Virtual(optimizations::drop_modes),
        "rounding and denormals of floats are not set where nothing computes with floats")
        .keeps(&[Graph, Reads, Touches]),
    optional("share-legal-values", Virtual(optimizations::share_legal_values),
        "as `share-values`, for what legalization has made")
        .keeps(&IN_BLOCKS).keeps(&[Reads]),
    optional("interleave-legal", Virtual(optimizations::interleave_legal),
        "as `interleave`, where instructions stay legal")
        .keeps(&IN_BLOCKS)
        .only(|caps| !caps.regions.float_regions, "its operations on quadwords read packed dwords"),
    optional("coalesce-legal", Virtual(optimizations::coalesce_legal),
        "as `coalesce`, where instructions stay legal")
        .keeps(&IN_BLOCKS),
    optional("share-legal-constants", Virtual(optimizations::share_constants),
        "as `share-constants`, for what legalization has made")
        .keeps(&IN_BLOCKS),
    required("remove-legal-nops", Virtual(optimizations::remove_nops),
        "what the passes before made `nop` is taken out")
        .keeps(&IN_BLOCKS),
    optional("merge-across-blocks", Virtual(optimizations::merge_across_blocks),
        "as `merge-payloads`, for values that several blocks touch")
        .keeps(&[Graph]),
    optional("merge-legal-payloads", Virtual(optimizations::merge_payloads),
        "as `merge-payloads`, for what legalization has made apart"),
    required("part-payloads", Virtual(steps::part_payloads),
        "messages whose payloads are in the same registers, or that would write what they send, send a copy")
        .only(|caps| caps.sends.split || caps.sends.responses_apart,
            "a message has one payload, and a response may come in where it was"),
    required("structurize", Virtual(steps::structurize),
        "gotos become uniform jumps, if/else/endif, or goto/join with the places where lanes wait")
        .verified_as(Profile::Structured),
    required("guard-pairs", Virtual(steps::guard_pairs),
        "what ignores the mask does not run where the pair of threads runs for the other one")
        .only(|caps| caps.errata.unmasked_pairs, "no thread runs for its pair"),
    required("allocate", Allocate(steps::allocate),
        "variables get registers, or scratch memory where they do not fit"),
    required("expand-calls", Physical(steps::expand_calls),
        "marks of the calling convention become instructions")
        .verified_as(Profile::Expanded),
    optional("drop-reloads", Physical(steps::drop_reloads),
        "flags are not loaded from registers with what they hold"),
    optional("pair-scalars", Physical(steps::pair_scalars),
        "operations on two single elements beside each other become one on both"),
    optional("schedule", Physical(steps::schedule),
        "instructions of a block stand in an order in which the thread waits less"),
    optional("use-accumulators", Physical(steps::use_accumulators),
        "floats that are soon read go through an accumulator")
        .only(|caps| caps.regs.float_accumulators.is_some(), "results are in an accumulator no earlier"),
    required("work-around", Physical(steps::work_around),
        "what keeps faults of the hardware from happening is added"),
    required("swsb", Physical(steps::scoreboard),
        "instructions say what they wait for")
        .only(|caps| caps.scoreboard.software, "its hardware tracks dependencies"),
    optional("compact-moves", Physical(steps::compact_moves),
        "moves of dwords are moves of floats, which have a compacted form")
        .only(|caps| caps.words.float_moves_compact, "moves of dwords have a compacted form, too, or none has"),
    required("identify", Physical(steps::identify),
        "a number stands behind the kernel's end, and a breakpoint at its start, if they were asked for; or what hardware fetches there")
        .verified_as(Profile::Identified),
    required("align-entries", Physical(steps::align_entries),
        "places where a launch may start are aligned"),
    optional("check-rules", Physical(steps::check_rules),
        "what breaks a rule of the hardware is refused"),
    required("take-symbols", Physical(steps::take_symbols),
        "immediates that a linker fills in are noted"),
    required("join", Binary(steps::join, "the functions stand behind their kernel, unchanged: see `take-symbols`"),
        "functions are put behind the kernel that calls them"),
    required("encode", Binary(steps::encode, "the result is machine words: `--emit asm` lists them"),
        "instructions become machine words"),
]);

impl PassSet {
    /// The pass of that name.
    pub fn named(name: &str) -> Option<PassSet> {
        PASSES.iter().position(|p| p.name == name).map(PassSet::of)
    }
}
