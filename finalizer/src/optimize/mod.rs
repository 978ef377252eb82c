//! Optimization of virtual code: passes before legalization splits it, and passes after.
//!
//! Every pass here is local to a block or counts uses over the whole kernel: inside a block the
//! execution mask does not change, so "the same channels" can be read off the instructions alone.
//! The functions of `steps` are the passes as the list ([`PASSES`](crate::PASSES)) names them. Three passes, `pair`,
//! `reloads` and `accumulators`, work on registers: where elements lie is known after allocation.
//!
//! ```text
//! passes                                          file
//! hoist-equals                                    hoist        equal starts of both sides of a branch
//! convert-branches                                predicate    short branches become predicates
//! ignore-masks                                    unmask       where every channel is on
//! split-webs                                      split_webs   values of one variable that have nothing to do with each other
//! propagate-copies propagate-legal-copies         copies       readers of a copy read the original
//! sign-products                                   products     upper halves of products
//! fold-conversions                                conversions  conversions between half and single float, in arithmetic
//! fold-comparisons                                select       choices by a comparison of both values: minima and maxima
//! attach-conditions                               condition    comparisons with zero, where values are made
//! chain-comparisons                               chain        the second comparison only where the first leaves it open
//! add-scalars-first                               sums         what is the same in all channels, first
//! insert-bits                                     insert       shifted bits beside others
//! read-flags                                      flag_reads   scalar logic on flags
//! drop-conditions                                 flags        conditions that nobody reads
//! eliminate-dead eliminate-all-dead remove-nops remove-legal-nops   dead   results that nobody needs
//! compute-low-halves                              low_halves   quadwords as dwords
//! combine-shifts                                  shifts       two shifts are one
//! share-values share-legal-values                 values       equal operations on equal values
//! hoist-headers                                   constant_headers   headers that are the same all over a kernel
//! share-headers                                   headers      one header for many messages
//! sink-scalars                                    sink         what is moved is computed where it is moved to
//! sink-copies                                     sink_copies  copies that one side of a branch needs
//! share-descriptors                               descriptors  one descriptor for many messages
//! coalesce coalesce-legal                         local        in one block, backwards; the moves: coalesce
//! interleave interleave-legal                     interleave   halves are computed where they belong
//! share-constants share-legal-constants           constants    equal constants
//! merge-payloads merge-legal-payloads             merge        values are made where a payload wants them
//! merge-across-blocks                             merge        the same, for values that several blocks touch: across
//! join-products                                   both_halves  both halves of a product from one multiplication
//! split-variables                                 regalloc     several values of one variable (`regalloc::Splitter`)
//! scatter-moves                                   scatter      constants through addresses
//! fold-indirect-moves                             indirect     moves from where an address says
//! drop-modes                                      modes        modes that no instruction computes by
//! drop-reloads                                    reloads      flags that hold already what is loaded
//! pair-scalars                                    pair         two single elements become one operation
//! use-accumulators                                accumulators  floats that are soon read, in accumulators
//! compact-moves                                   float_moves  moves of dwords, as what has a compacted form
//! ```
//!
//! What they share:
//!
//! ```text
//! analyses        what passes ask about a kernel: worked out when asked for, kept as the list of passes says
//!   use_counts    readers of each variable, the only block that touches it
//!   locality      variables of one block
//! last_writes     where each variable was written last in a block
//! webs            who reads a result
//! formula         how a dword is computed
//! candidates      instructions that single passes look for
//! own_channels    variables of which each channel touches its own element
//! live_in         which of a few variables are alive where a block starts
//! live_registers  what is read behind a block, after allocation
//! legal           whether instructions are legal code already (`gen_ir::rules::allows`: whether one may be)
//! ```
//!
//! A new pass is a file here, whose page says when the rewriting is right; its memory, if it has any, is a field of
//! `OptimizeMemory`. A function of `steps` hands it the kernel, the analyses that it asks for and its memory, and returns
//! whether the kernel may be another. Its row in `driver::passes` keeps an analysis only where the pass went on counting,
//! or cannot have touched what was counted. File tests have a case where it works, and one for each condition under which
//! it must not.

pub(crate) mod accumulators;
mod analyses;
mod both_halves;
mod candidates;
mod chain;
mod coalesce;
mod condition;
mod constant_headers;
mod constants;
mod conversions;
mod copies;
mod dead;
mod descriptors;
mod flag_reads;
mod flags;
pub(crate) mod float_moves;
mod formula;
mod headers;
mod hoist;
mod indirect;
mod insert;
mod interleave;
mod last_writes;
mod legal;
mod live_in;
mod live_registers;
mod local;
mod locality;
mod low_halves;
mod merge;
mod modes;
mod own_channels;
pub(crate) mod pair;
mod predicate;
mod products;
pub(crate) mod reloads;
mod scatter;
mod select;
mod shifts;
mod sink;
mod sink_copies;
mod split_webs;
pub(crate) mod steps;
mod sums;
mod unmask;
mod use_counts;
mod values;
mod webs;

pub(crate) use analyses::{Analyses, AnalysisSet};

/// Memory that the passes work in.
#[derive(Debug, Default)]
pub(crate) struct OptimizeMemory {
    pub(crate) accumulators: accumulators::AccumulatorMemory,
    products: Vec<both_halves::HalfProduct>,
    predicate: predicate::PredicateMemory,
    copies: copies::Copies,
    local: local::LocalMemory,
    low_halves: low_halves::LowHalfMemory,
    constant_headers: constant_headers::ConstantHeaderMemory,
    constants: constants::ConstantMemory,
    descriptors: descriptors::DescriptorMemory,
    ends: interleave::Ends,
    flags: Vec<u32>,
    flag_reads: Vec<u8>,
    headers: headers::HeaderMemory,
    hoist: hoist::HoistMemory,
    insert: insert::InsertMemory,
    pub(crate) known_flags: reloads::KnownFlags,
    merger: merge::Merger,
    across: merge::AcrossMemory,
    scatter: scatter::ScatterMemory,
    sink: sink_copies::SinkMemory,
    splitter: regalloc::Splitter,
    sums: sums::SumMemory,
    uses: chain::Uses,
    unmask: unmask::UnmaskMemory,
    split_webs: split_webs::WebMemory,
    values: values::ValueMemory,
}

#[cfg(test)]
mod tests {
    use crate::PASSES;

    /// The table on top names every pass that has its file here, and that file.
    #[test]
    fn the_page_names_passes_and_their_files() {
        let page = include_str!("mod.rs");
        let table = page
            .split("//! ```text\n")
            .nth(1)
            .and_then(|rest| rest.split("//! ```\n").next())
            .expect("a table");
        let mut named = Vec::new();
        for line in table.lines().skip(1) {
            let mut columns =
                line.trim_start_matches("//! ").split("  ").map(str::trim).filter(|c| !c.is_empty());
            let (passes, file) = columns.next().zip(columns.next()).expect("two columns");
            for name in passes.split(' ') {
                assert!(PASSES.iter().any(|pass| pass.name == name), "no pass is called `{name}`");
                named.push(name);
            }
            let is_file = page.contains(&format!("mod {file};\n"));
            assert!(is_file || file == "regalloc", "there is no file `{file}`");
        }
        let steps = include_str!("steps.rs");
        for pass in PASSES {
            let function =
                format!("fn {}(", pass.name.replace('-', "_").replace("legal_constants", "constants"));
            let is_here = steps.contains(&function);
            assert!(!is_here || named.contains(&pass.name), "the page does not name `{}`", pass.name);
        }
    }
}
