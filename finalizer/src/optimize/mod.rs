//! Optimization of virtual code: passes before legalization splits it, and passes after.
//!
//! Every pass here is local to a block or counts uses over the whole kernel: inside a block the
//! execution mask does not change, so "the same channels" can be read off the instructions alone.
//! The functions of `steps` are the passes as the list ([`PASSES`](crate::PASSES)) names them. Two passes, `pair` and
//! `reloads`, work on registers: where elements lie is known after allocation.
//!
//! A new pass is a file here, whose page says when the rewriting is right; its memory, if it has any, is a field of
//! `OptimizeMemory`. A function of `steps` hands it the kernel, the analyses that it asks for and its memory, and returns
//! whether the kernel may be another. Its row in `driver::passes` keeps an analysis only where the pass went on counting,
//! or cannot have touched what was counted. File tests have a case where it works, and one for each condition under which
//! it must not.

mod analyses;
mod candidates;
mod chain;
mod coalesce;
mod condition;
mod constants;
mod copies;
mod dead;
mod descriptors;
mod flags;
mod formula;
mod headers;
mod hoist;
mod insert;
mod interleave;
mod last_writes;
mod legal;
mod local;
mod locality;
mod low_halves;
mod merge;
mod modes;
pub(crate) mod pair;
mod predicate;
mod products;
pub(crate) mod reloads;
mod scatter;
mod shifts;
mod sink;
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
    predicate: predicate::PredicateMemory,
    copies: copies::Copies,
    local: local::LocalMemory,
    low_halves: low_halves::LowHalfMemory,
    constants: constants::ConstantMemory,
    descriptors: descriptors::DescriptorMemory,
    ends: interleave::Ends,
    flags: Vec<u32>,
    headers: headers::HeaderMemory,
    hoist: hoist::HoistMemory,
    insert: insert::InsertMemory,
    pub(crate) known_flags: reloads::KnownFlags,
    merger: merge::Merger,
    scatter: scatter::ScatterMemory,
    splitter: regalloc::Splitter,
    sums: sums::SumMemory,
    uses: chain::Uses,
    unmask: unmask::UnmaskMemory,
    values: values::ValueMemory,
}
