//! Optimization of virtual code: passes before legalization splits it, and passes after.
//!
//! Most passes here are local to a block or count uses over the whole kernel: inside a block the execution mask does not
//! change, so "the same channels" can be read off the instructions alone. Those that move code between blocks (`hoist`,
//! `predicate`, `constant_headers`, `sink_copies`, `merge` across blocks) say on their pages what holds there.
//! The functions of `steps` are the passes as the list ([`PASSES`](crate::PASSES)) names them. Three passes, `pair`,
//! `reloads` and `accumulators`, work on registers: where elements lie is known after allocation.
//!
//! ```text
//! passes                                                           file
//! hoist-equals                                                     hoist
//! convert-branches                                                 predicate
//! ignore-masks                                                     unmask
//! split-webs                                                       split_webs
//! propagate-copies propagate-legal-copies                          copies
//! sign-products                                                    products
//! fold-conversions                                                 conversions
//! fold-comparisons                                                 select
//! attach-conditions                                                condition
//! chain-comparisons                                                chain
//! add-scalars-first                                                sums
//! insert-bits                                                      insert
//! read-flags                                                       flag_reads
//! drop-conditions                                                  flags
//! eliminate-dead eliminate-all-dead remove-nops remove-legal-nops  dead
//! compute-low-halves                                               low_halves
//! combine-shifts                                                   shifts
//! share-values share-legal-values                                  values
//! hoist-headers                                                    constant_headers
//! share-headers                                                    headers
//! sink-scalars                                                     sink
//! sink-copies                                                      sink_copies
//! share-descriptors                                                descriptors
//! coalesce coalesce-legal                                          local
//! interleave interleave-legal                                      interleave
//! share-constants share-legal-constants                            constants
//! merge-payloads merge-legal-payloads                              merge
//! merge-across-blocks                                              merge
//! join-products                                                    both_halves
//! split-variables                                                  regalloc
//! scatter-moves                                                    scatter
//! fold-indirect-moves                                              indirect
//! fold-carries                                                     carries
//! drop-modes                                                       modes
//! drop-reloads                                                     reloads
//! pair-scalars                                                     pair
//! use-accumulators                                                 accumulators
//! compact-moves                                                    float_moves
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
//!
//! **Bounds.** Most passes bound how far apart the instructions stand that they put together (`REACH`), or how much they
//! remember: so their work grows with the code alone, and nothing lives long for their sake. Where no measurement is named
//! beside such a number it was chosen. What it is worth was measured later, with half and with twice of it, each by itself,
//! but for lengths of arrays: on the test kernels and on every fifth kernel of real programs, on Skylake and Ponte Vecchio,
//! 277,000 instructions. As many came out but for these; what follows `/` is messages for spilled values:
//!
//! | bound | half | twice |
//! |---|---|---|
//! | `predicate::LONGEST_BODY` | +703 / +125 | +1 |
//! | `predicate::LONGEST_BODIES` | +115 | -68 / -4 |
//! | `hoist::REACH` | +97 / -31 | +97 / +138 |
//! | `values::REACH` | +32 | -17 / -1 |
//! | `merge::OCCUPIED` | +29 | -7 / -14 |
//! | `merge::across::OCCUPIED` | +20 | -9 |
//! | `merge::across::FEW` | +12 | -4 |
//! | `merge::across::RUNS` | 0 | +4 |
//! | `pair::REACH` | +15 | -7 |
//! | `products::REACH` | +8 | 0 |
//! | `copies::REACH_OF_GAPS` | 0 / +2 | -16 / -15 |
//! | `condition::REACH` | -14 | -10 |
//! | `accumulators::SOON` | +6 | 0 |

pub(crate) mod accumulators;
mod analyses;
mod both_halves;
mod candidates;
mod carries;
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

pub(crate) use analyses::{Analyses, Analysis, AnalysisSet};

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
