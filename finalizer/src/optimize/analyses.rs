//! What passes know of a kernel: worked out when one asks, kept until a pass changes what it is about.
//!
//! A pass that has changed the kernel leaves only what its row of [`PASSES`](crate::PASSES) says it keeps: what
//! it went on counting, or what it cannot have touched. Whoever asks for the rest pays for a walk. The walk of
//! copy propagation sees each instruction once all is known that may change it, so it takes the counts and the
//! places of candidates along instead; `cargo bench -p benches --bench fused` measures what that saves.

use gen_ir::{Cfg, Inst, Kernel, Var, Virtual};

use super::{candidates, locality::Locality, use_counts::UseCounts};

/// A set of analyses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct AnalysisSet(u16);

impl AnalysisSet {
    pub const NONE: AnalysisSet = AnalysisSet(0);
    /// How many operands read each variable.
    pub const READS: AnalysisSet = AnalysisSet(1);
    /// Which variables are written, and the one block that touches each.
    pub const TOUCHES: AnalysisSet = AnalysisSet(1 << 1);
    /// Which variables live in one block only.
    pub const LOCALITY: AnalysisSet = AnalysisSet(1 << 2);
    /// Where values are compared with zero.
    pub const TESTS: AnalysisSet = AnalysisSet(1 << 3);
    /// Whether conditions are combined.
    pub const COMBINATIONS: AnalysisSet = AnalysisSet(1 << 4);
    /// Whether there are predicated moves through addresses.
    pub const SCATTERS: AnalysisSet = AnalysisSet(1 << 5);
    /// The control-flow graph, and the loops around each block.
    pub const GRAPH: AnalysisSet = AnalysisSet(1 << 6);
    /// Where conditions choose.
    pub const CHOICES: AnalysisSet = AnalysisSet(1 << 7);
    /// Where half and single floats are converted.
    pub const CONVERSIONS: AnalysisSet = AnalysisSet(1 << 8);

    pub const fn with(self, other: AnalysisSet) -> AnalysisSet {
        AnalysisSet(self.0 | other.0)
    }

    const fn and(self, other: AnalysisSet) -> AnalysisSet {
        AnalysisSet(self.0 & other.0)
    }

    const fn without(self, other: AnalysisSet) -> AnalysisSet {
        AnalysisSet(self.0 & !other.0)
    }

    const fn has(self, other: AnalysisSet) -> bool {
        self.0 & other.0 == other.0
    }
}

/// Instructions that single passes look for.
#[derive(Clone, Copy)]
pub(super) enum Candidate {
    /// Comparisons with zero.
    Test,
    /// Choices by conditions.
    Choice,
    /// Conversions between half and single floats.
    Conversion,
}

impl Candidate {
    const ALL: [Candidate; 3] = [Candidate::Test, Candidate::Choice, Candidate::Conversion];

    const fn index(self) -> usize {
        match self {
            Candidate::Test => 0,
            Candidate::Choice => 1,
            Candidate::Conversion => 2,
        }
    }

    const fn fact(self) -> AnalysisSet {
        match self {
            Candidate::Test => AnalysisSet::TESTS,
            Candidate::Choice => AnalysisSet::CHOICES,
            Candidate::Conversion => AnalysisSet::CONVERSIONS,
        }
    }

    #[inline]
    fn is(self, inst: &Inst<Virtual>) -> bool {
        match self {
            Candidate::Test => candidates::tests_zero(inst),
            Candidate::Choice => candidates::chooses(inst),
            Candidate::Conversion => candidates::converts(inst),
        }
    }
}

/// Results of analyses, with a note which of them hold.
#[derive(Debug, Default)]
pub(crate) struct Analyses {
    valid: AnalysisSet,
    use_counts: UseCounts,
    locality: Locality,
    /// Block and place of each, by kind.
    candidates: [Vec<(usize, usize)>; Candidate::ALL.len()],
    combines: bool,
    scatters: bool,
    graph: Cfg,
    depths: Vec<u8>,
    delta: Vec<i32>,
}

impl Analyses {
    /// The kernel has changed; only these hold still.
    pub fn keep(&mut self, facts: AnalysisSet) {
        self.valid = self.valid.and(facts);
    }

    /// The control-flow graph.
    pub(super) fn graph(&mut self, kernel: &Kernel<Virtual>) -> &Cfg {
        if !self.valid.has(AnalysisSet::GRAPH) {
            self.graph.find(kernel);
            self.graph.find_depths(&mut self.delta, &mut self.depths);
            self.valid = self.valid.with(AnalysisSet::GRAPH);
        }
        debug_assert_eq!(self.graph.len(), kernel.blocks.len(), "a pass has changed the blocks");
        &self.graph
    }

    /// How often each variable is read. A pass that removes readers goes on counting.
    pub(super) fn reads(&mut self, kernel: &Kernel<Virtual>) -> &mut UseCounts {
        if !self.valid.has(AnalysisSet::READS) {
            self.use_counts.count(kernel);
            self.valid = self.valid.with(AnalysisSet::READS).without(AnalysisSet::TOUCHES);
        }
        &mut self.use_counts
    }

    /// How often each variable is read, ready for a walk that notes who touches them.
    pub(super) fn reads_untouched(&mut self, kernel: &Kernel<Virtual>) -> &mut UseCounts {
        self.reads(kernel);
        if self.valid.has(AnalysisSet::TOUCHES) {
            self.use_counts.walk_again(&kernel.vars);
            self.valid = self.valid.without(AnalysisSet::TOUCHES);
        }
        &mut self.use_counts
    }

    /// A walk over the kernel has told the counts who touches each variable.
    pub(super) fn touches_are_known(&mut self) {
        self.valid = self.valid.with(AnalysisSet::TOUCHES);
    }

    /// Which variables live in one block, and which are written.
    pub(super) fn local(&mut self, kernel: &Kernel<Virtual>) -> (&Locality, &UseCounts) {
        if !self.valid.has(AnalysisSet::TOUCHES) {
            // Counts of readers may be off, the rest needs their list in the right length at least.
            self.reads_untouched(kernel).find_touches(kernel);
            self.touches_are_known();
        }
        if !self.valid.has(AnalysisSet::LOCALITY) {
            self.graph(kernel);
            self.locality.take(kernel, &self.depths, &self.use_counts);
            self.valid = self.valid.with(AnalysisSet::LOCALITY);
        }
        (&self.locality, &self.use_counts)
    }

    /// The same, with counts of readers that hold, to go on counting.
    pub(super) fn local_counts(&mut self, kernel: &Kernel<Virtual>) -> (&Locality, &mut UseCounts) {
        self.reads(kernel);
        self.local(kernel);
        (&self.locality, &mut self.use_counts)
    }

    /// Which variables live in one block only.
    pub(super) fn locality(&mut self, kernel: &Kernel<Virtual>) -> &Locality {
        if !self.valid.has(AnalysisSet::LOCALITY) {
            self.graph(kernel);
            if self.valid.has(AnalysisSet::TOUCHES) {
                self.locality.take(kernel, &self.depths, &self.use_counts);
            } else {
                self.locality.find(kernel, &self.depths);
            }
            self.valid = self.valid.with(AnalysisSet::LOCALITY);
        }
        &self.locality
    }

    /// The same, and how many loops are around each block.
    pub(super) fn locality_and_depths(&mut self, kernel: &Kernel<Virtual>) -> (&Locality, &[u8]) {
        self.graph(kernel);
        self.locality(kernel);
        (&self.locality, &self.depths)
    }

    /// The instructions of a kind, block and place of each, in order. Comes back with [`Analyses::return_candidates`].
    pub(super) fn take_candidates(
        &mut self,
        kernel: &Kernel<Virtual>,
        kind: Candidate,
    ) -> Vec<(usize, usize)> {
        let mut all = std::mem::take(&mut self.candidates[kind.index()]);
        if !self.valid.has(kind.fact()) {
            self.valid = self.valid.with(kind.fact());
            all.clear();
            for (b, block) in kernel.blocks.iter().enumerate() {
                let found = block.insts.iter().enumerate().filter(|(_, inst)| kind.is(inst));
                all.extend(found.map(|(i, _)| (b, i)));
            }
        }
        all
    }

    /// Gives the list's memory back.
    pub(super) fn return_candidates(&mut self, kind: Candidate, all: Vec<(usize, usize)>) {
        self.candidates[kind.index()] = all;
    }

    /// Whether conditions are combined anywhere.
    pub(super) fn combines(&mut self, kernel: &Kernel<Virtual>) -> bool {
        if !self.valid.has(AnalysisSet::COMBINATIONS) {
            self.combines = kernel.insts().any(|(_, i)| candidates::combines(i, &kernel.vars));
            self.valid = self.valid.with(AnalysisSet::COMBINATIONS);
        }
        self.combines
    }

    /// Whether there are predicated moves through addresses.
    pub(super) fn scatters(&mut self, kernel: &Kernel<Virtual>) -> bool {
        if !self.valid.has(AnalysisSet::SCATTERS) {
            self.scatters = kernel.insts().any(|(_, i)| candidates::scatters(i));
            self.valid = self.valid.with(AnalysisSet::SCATTERS);
        }
        self.scatters
    }

    /// Begins counts that the walk of another pass takes along.
    pub(super) fn start(&mut self, kernel: &Kernel<Virtual>, facts: AnalysisSet) {
        self.use_counts.start(&kernel.vars);
        self.candidates.iter_mut().for_each(Vec::clear);
        (self.combines, self.scatters) = (false, false);
        let graph = self.valid.and(AnalysisSet::GRAPH);
        self.valid = facts.without(AnalysisSet::TOUCHES).without(AnalysisSet::LOCALITY).with(graph);
    }

    /// An instruction before legalization, as it stays.
    #[inline]
    pub(super) fn see(&mut self, vars: &[Var], at: (usize, usize), inst: &Inst<Virtual>) {
        self.use_counts.add(inst);
        for kind in Candidate::ALL {
            if kind.is(inst) {
                self.candidates[kind.index()].push(at);
            }
        }
        self.combines |= candidates::combines(inst, vars);
    }

    /// An instruction after legalization, as it stays.
    #[inline]
    pub(super) fn see_legal(&mut self, inst: &Inst<Virtual>) {
        self.use_counts.add(inst);
        self.scatters |= candidates::scatters(inst);
    }
}
