//! What passes know of a kernel: worked out when one asks, kept until a pass changes what it is about.
//!
//! A pass that has changed the kernel leaves only what its row of [`PASSES`](crate::PASSES) says it keeps: what
//! it went on counting, or what it cannot have touched. Whoever asks for the rest pays for a walk. The walk of
//! copy propagation sees each instruction once all is known that may change it, so it takes the counts and the
//! places of candidates along instead; `cargo bench -p benches --bench fused` measures what that saves.

use gen_ir::{Cfg, Inst, Kernel, Var, Virtual};

use super::{candidates, locality::Locality, use_counts::UseCounts};

/// What can be asked of a kernel.
#[derive(Clone, Copy)]
#[repr(u16)]
pub(crate) enum Analysis {
    /// How many operands read each variable.
    Reads = 1,
    /// Which variables are written, and the one block that touches each.
    Touches = 1 << 1,
    /// Which variables live in one block only.
    Locality = 1 << 2,
    /// Where values are compared with zero.
    Tests = 1 << 3,
    /// Whether conditions are combined.
    Combinations = 1 << 4,
    /// Whether there are predicated moves through addresses.
    Scatters = 1 << 5,
    /// The control-flow graph, and the loops around each block.
    Graph = 1 << 6,
    /// Where conditions choose.
    Choices = 1 << 7,
    /// Where half and single floats are converted.
    Conversions = 1 << 8,
}

impl Analysis {
    #[expect(clippy::as_conversions, reason = "a variant is its bit")]
    const fn bit(self) -> u16 {
        self as u16
    }
}

/// A set of analyses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct AnalysisSet(u16);

impl AnalysisSet {
    pub const NONE: AnalysisSet = AnalysisSet(0);

    pub const fn of(analyses: &[Analysis]) -> AnalysisSet {
        let (mut set, mut i) = (AnalysisSet::NONE, 0);
        while i < analyses.len() {
            set.0 |= analyses[i].bit();
            i += 1;
        }
        set
    }

    pub const fn with(self, other: AnalysisSet) -> AnalysisSet {
        AnalysisSet(self.0 | other.0)
    }

    const fn common(self, other: AnalysisSet) -> AnalysisSet {
        AnalysisSet(self.0 & other.0)
    }

    const fn insert(&mut self, analysis: Analysis) {
        self.0 |= analysis.bit();
    }

    const fn remove(&mut self, analysis: Analysis) {
        self.0 &= !analysis.bit();
    }

    const fn has(self, analysis: Analysis) -> bool {
        self.0 & analysis.bit() != 0
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

    const fn analysis(self) -> Analysis {
        match self {
            Candidate::Test => Analysis::Tests,
            Candidate::Choice => Analysis::Choices,
            Candidate::Conversion => Analysis::Conversions,
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
    pub fn keep(&mut self, kept: AnalysisSet) {
        self.valid = self.valid.common(kept);
    }

    /// The control-flow graph.
    pub(super) fn graph(&mut self, kernel: &Kernel<Virtual>) -> &Cfg {
        if !self.valid.has(Analysis::Graph) {
            self.graph.find(kernel);
            self.graph.find_depths(&mut self.delta, &mut self.depths);
            self.valid.insert(Analysis::Graph);
        }
        debug_assert_eq!(self.graph.len(), kernel.blocks.len(), "a pass has changed the blocks");
        &self.graph
    }

    /// How often each variable is read. A pass that removes readers goes on counting.
    pub(super) fn reads(&mut self, kernel: &Kernel<Virtual>) -> &mut UseCounts {
        if !self.valid.has(Analysis::Reads) {
            self.use_counts.count(kernel);
            self.valid.insert(Analysis::Reads);
            self.valid.remove(Analysis::Touches);
        }
        &mut self.use_counts
    }

    /// How often each variable is read, ready for a walk that notes who touches them.
    pub(super) fn reads_untouched(&mut self, kernel: &Kernel<Virtual>) -> &mut UseCounts {
        self.reads(kernel);
        if self.valid.has(Analysis::Touches) {
            self.use_counts.walk_again(&kernel.vars);
            self.valid.remove(Analysis::Touches);
        }
        &mut self.use_counts
    }

    /// A walk over the kernel has told the counts who touches each variable.
    pub(super) fn touches_are_known(&mut self) {
        self.valid.insert(Analysis::Touches);
    }

    /// Which variables live in one block, and which are written.
    pub(super) fn local(&mut self, kernel: &Kernel<Virtual>) -> (&Locality, &UseCounts) {
        if !self.valid.has(Analysis::Touches) {
            // Counts of readers may be off, the rest needs their list in the right length at least.
            self.reads_untouched(kernel).find_touches(kernel);
            self.touches_are_known();
        }
        if !self.valid.has(Analysis::Locality) {
            self.graph(kernel);
            self.locality.take(kernel, &self.depths, &self.use_counts);
            self.valid.insert(Analysis::Locality);
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
        if !self.valid.has(Analysis::Locality) {
            self.graph(kernel);
            if self.valid.has(Analysis::Touches) {
                self.locality.take(kernel, &self.depths, &self.use_counts);
            } else {
                self.locality.find(kernel, &self.depths);
            }
            self.valid.insert(Analysis::Locality);
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
        if !self.valid.has(kind.analysis()) {
            self.valid.insert(kind.analysis());
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
        if !self.valid.has(Analysis::Combinations) {
            self.combines = kernel.insts().any(|(_, i)| candidates::combines(i, &kernel.vars));
            self.valid.insert(Analysis::Combinations);
        }
        self.combines
    }

    /// Whether there are predicated moves through addresses.
    pub(super) fn scatters(&mut self, kernel: &Kernel<Virtual>) -> bool {
        if !self.valid.has(Analysis::Scatters) {
            self.scatters = kernel.insts().any(|(_, i)| candidates::scatters(i));
            self.valid.insert(Analysis::Scatters);
        }
        self.scatters
    }

    /// Begins counts that the walk of another pass takes along.
    pub(super) fn start(&mut self, kernel: &Kernel<Virtual>, analyses: &[Analysis]) {
        self.use_counts.start(&kernel.vars);
        self.candidates.iter_mut().for_each(Vec::clear);
        (self.combines, self.scatters) = (false, false);
        let graph = AnalysisSet::of(&[Analysis::Graph]);
        self.valid = AnalysisSet::of(analyses).with(self.valid.common(graph));
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
