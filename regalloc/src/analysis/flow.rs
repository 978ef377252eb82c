//! Control flow as allocation sees it: the kernel's graph, where lanes wait, loop depths, and how far back the
//! instruction pointer can go.

use gen_ir::{BlockId, Call, Cfg, Kernel, UniformFlags, Virtual, Waits};
use narrow::{span, to_index};

/// The predecessors of each block, in two lists: liveness walks to them for each variable anew, and over the graph
/// itself a compile takes up to 0.6 % more instructions.
#[derive(Default)]
struct Preds {
    first: Vec<u32>,
    from: Vec<BlockId>,
}

impl Preds {
    fn find(&mut self, flow: &Cfg) {
        self.first.clear();
        self.from.clear();
        for b in BlockId::FIRST.up_to(flow.len().into()) {
            self.first.push(to_index(self.from.len()));
            let of_lanes = flow.preds(b).filter(|(_, edge)| edge.is_of_lanes());
            self.from.extend(of_lanes.map(|(from, _)| from));
        }
        self.first.push(to_index(self.from.len()));
    }
}

/// Rounds after which lanes are taken to part wherever any wait.
const ROUNDS: u32 = 8;

/// What is known of the control flow of a kernel.
#[derive(Default)]
pub(crate) struct Flow {
    /// Blocks, edges, calls and loops.
    pub cfg: Cfg,
    /// Where lanes wait.
    pub waits: Waits,
    /// For each block, whether lanes may wait elsewhere, in this routine or its callers.
    pub divergent: Vec<bool>,
    /// The same where lanes of one thread may be in several places: a branch that all of them take, or none does, leaves
    /// none of them behind, although the thread's instruction pointer may go the other way. That is a pair's: where a
    /// thread's lanes have all left, writes under the mask do nothing, and what its lanes need is live where they wait.
    pub parted: Vec<bool>,
    /// Whether any lane ever waits.
    pub any_divergence: bool,
    /// For each block, the number of loops around it.
    pub depth: Vec<u8>,
    /// For each block, the first block in layout order that the instruction pointer can enter after it
    /// was in this one.
    pub reached: Vec<BlockId>,
    preds: Preds,
    flags: UniformFlags,
    /// Where lanes wait for others of their thread.
    apart: Waits,
    next: Vec<bool>,
    delta: Vec<i32>,
    heads: Vec<BlockId>,
    /// It is that of the kernel at hand.
    known: bool,
}

impl Flow {
    /// Another kernel comes.
    pub fn forget(&mut self) {
        self.known = false;
    }

    /// Looks at a kernel, unless it has done so since it was to forget the one before.
    pub fn find_once(&mut self, kernel: &Kernel<Virtual>) {
        if !self.known {
            self.find(kernel);
        }
    }

    /// Looks at a kernel; forgets the one before.
    pub fn find(&mut self, kernel: &Kernel<Virtual>) {
        self.known = true;
        let n = kernel.blocks.len();
        self.cfg.find(kernel);
        self.preds.find(&self.cfg);
        self.waits.find(kernel, self.cfg.back_edges());
        self.waits.find_divergent(&mut self.delta, &mut self.divergent);
        self.cfg.diverge_callees(&mut self.divergent);
        // Others may wait where it was called.
        let called = kernel.is_called();
        self.divergent.iter_mut().for_each(|d| *d |= called);
        self.any_divergence = self.divergent.contains(&true);
        self.find_parted(kernel, called);
        self.cfg.find_depths(&mut self.delta, &mut self.depth);
        self.find_reached(n);
    }

    /// Finds where lanes of one thread part: where some wait that have left by a branch for some of them, or by any where
    /// they were parted already.
    fn find_parted(&mut self, kernel: &Kernel<Virtual>, called: bool) {
        self.parted.clone_from(&self.divergent);
        // Elsewhere such a branch is a jump, as a rule.
        if !kernel.pairs || !self.any_divergence || called {
            return;
        }
        let Flow { cfg, parted, flags, apart, next, delta, .. } = self;
        let width = kernel.flow_width();
        flags.forget();
        parted.fill(false);
        for _ in 0..ROUNDS {
            apart.find_for(kernel, cfg.back_edges(), |b, branch| {
                parted[b.index()] || !flags.goes_as_one(kernel, width, branch)
            });
            apart.find_divergent(delta, next);
            cfg.diverge_callees(next);
            if next == parted {
                return;
            }
            std::mem::swap(next, parted);
        }
        parted.clone_from(&self.divergent);
    }

    /// Calls of subroutines, by their blocks.
    pub fn calls(&self) -> &[Call] {
        self.cfg.calls()
    }

    /// Where lanes go from block `b`, returns to every place after a call of the routine.
    pub fn succs(&self, b: BlockId) -> impl Iterator<Item = BlockId> {
        self.cfg.succs(b).filter(|(_, edge)| edge.is_of_lanes()).map(|(to, _)| to)
    }

    /// The same edges, backward.
    pub fn preds(&self, b: BlockId) -> &[BlockId] {
        let Preds { first, from } = &self.preds;
        &from[span(first[b.index()]..first[b.index() + 1])]
    }

    fn find_reached(&mut self, n: usize) {
        // The lowest head of the back edges from a block or later ones.
        let head = &mut self.heads;
        head.clear();
        head.resize(n + 1, BlockId::NONE);
        let mut edges = self.cfg.back_edges().iter().rev().peekable();
        for b in (0..n).rev() {
            head[b] = head[b + 1];
            while let Some(&&(_, h)) = edges.peek().filter(|e| e.0.index() == b) {
                head[b] = head[b].min(h);
                edges.next();
            }
        }
        self.reached.clear();
        self.reached.extend((0..n).map(|b| {
            let mut low = BlockId::from(b).next();
            while head[low.index().min(b)] < low {
                low = head[low.index().min(b)];
            }
            low
        }));
        // What a subroutine does is done from its first call on.
        for _ in self.cfg.calls() {
            let mut changed = false;
            for call in self.cfg.calls() {
                let from = self.reached[call.site.index()].min(call.site.next());
                for r in &mut self.reached[call.callee()] {
                    changed |= from < *r;
                    *r = (*r).min(from);
                }
            }
            if !changed {
                break;
            }
        }
    }
}
