//! The graphs that liveness flows along, and loop depths.

use gen_ir::{BlockId, Kernel, Op, Virtual, Waits};

/// Edges of blocks in compressed rows.
#[derive(Default)]
pub(crate) struct Edges {
    first: Vec<u32>,
    to: Vec<u32>,
}

impl Edges {
    /// Takes edges of `n` blocks, which it sorts.
    fn set(&mut self, n: usize, pairs: &mut Vec<(u32, u32)>) {
        pairs.sort_unstable();
        pairs.dedup();
        self.first.clear();
        self.first.resize(n + 1, 0);
        for &(from, _) in &*pairs {
            self.first[from as usize + 1] += 1;
        }
        for i in 0..n {
            self.first[i + 1] += self.first[i];
        }
        self.to.clear();
        self.to.extend(pairs.iter().map(|&(_, to)| to));
    }

    /// Blocks reached from `b`.
    pub fn of(&self, b: usize) -> &[u32] {
        &self.to[self.first[b] as usize..self.first[b + 1] as usize]
    }
}

/// Control flow as allocation sees it.
#[derive(Default)]
pub(crate) struct Flow {
    /// Where a lane goes: successors, with returns going to every place after a call of the routine.
    pub succs: Edges,
    /// The same edges, backward.
    pub preds: Edges,
    /// Back edges as (tail, head), sorted.
    back: Vec<(u32, u32)>,
    /// Where lanes wait.
    pub waits: Waits,
    /// For each block, whether lanes may wait elsewhere, in this routine or its callers.
    pub divergent: Vec<bool>,
    /// Whether any lane ever waits.
    pub any_divergence: bool,
    /// Calls as (calling block, first block of callee, end of callee).
    pub calls: Vec<(u32, u32, u32)>,
    /// For each block, the number of loops around it.
    pub depth: Vec<u8>,
    /// For each block, the first block in layout order that the instruction pointer can enter after it
    /// was in this one.
    pub reached: Vec<u32>,
    pairs: Vec<(u32, u32)>,
    delta: Vec<i32>,
    tails: Vec<Option<u32>>,
    heads: Vec<u32>,
}

impl Flow {
    /// Looks at a kernel; forgets the one before.
    pub fn find(&mut self, kernel: &Kernel<Virtual>) {
        let n = kernel.blocks.len();
        self.waits.find(kernel, &mut self.back);
        self.find_calls(kernel);
        self.pairs.clear();
        for (b, block) in kernel.blocks.iter().enumerate() {
            let b = b as u32;
            self.pairs.extend(block.succs.iter().filter(|s| s.index() < n).map(|s| (b, s.0)));
            if block.insts.last().is_some_and(|i| i.op == Op::Ret) {
                for &(site, entry, end) in &self.calls {
                    if (entry..end).contains(&b) && ((site + 1) as usize) < n {
                        self.pairs.push((b, site + 1));
                    }
                }
            }
        }
        self.succs.set(n, &mut self.pairs);
        self.pairs.iter_mut().for_each(|(from, to)| std::mem::swap(from, to));
        self.preds.set(n, &mut self.pairs);
        self.find_divergence(kernel);
        self.any_divergence = self.divergent.contains(&true);
        self.find_depths(n);
        self.find_reached(n);
    }

    fn find_calls(&mut self, kernel: &Kernel<Virtual>) {
        let n = kernel.blocks.len() as u32;
        self.calls.clear();
        for (b, block) in kernel.blocks.iter().enumerate() {
            let Some(last) = block.insts.last().filter(|i| i.op == Op::Call) else { continue };
            if let Some(entry) = last.branch_target() {
                let end = kernel.subroutines.iter().find(|s| **s > entry).map_or(n, |s: &BlockId| s.0);
                self.calls.push((b as u32, entry.0, end));
            }
        }
    }

    fn find_divergence(&mut self, kernel: &Kernel<Virtual>) {
        self.waits.find_divergent(&mut self.delta, &mut self.divergent);
        for _ in 0..=kernel.subroutines.len() {
            let mut changed = false;
            for &(site, entry, end) in &self.calls {
                let by_pred = kernel.blocks[site as usize].insts.last().is_some_and(|i| i.pred.is_some());
                if self.divergent[site as usize] || by_pred {
                    for d in &mut self.divergent[entry as usize..end as usize] {
                        changed |= !*d;
                        *d = true;
                    }
                }
            }
            if !changed {
                break;
            }
        }
    }

    fn find_depths(&mut self, n: usize) {
        // Several back edges to one head are one loop.
        self.tails.clear();
        self.tails.resize(n, None);
        for &(tail, head) in &self.back {
            let t = &mut self.tails[head as usize];
            *t = Some(t.map_or(tail, |x| x.max(tail)));
        }
        self.delta.clear();
        self.delta.resize(n + 1, 0);
        for (head, tail) in self.tails.iter().enumerate() {
            if let Some(tail) = tail {
                self.delta[head] += 1;
                self.delta[*tail as usize + 1] -= 1;
            }
        }
        let mut depth = 0;
        self.depth.clear();
        self.depth.extend(self.delta[..n].iter().map(|d| {
            depth += d;
            depth.clamp(0, 255) as u8
        }));
    }

    fn find_reached(&mut self, n: usize) {
        // The lowest head of the back edges from a block or later ones.
        let head = &mut self.heads;
        head.clear();
        head.resize(n + 1, u32::MAX);
        let mut edges = self.back.iter().rev().peekable();
        for b in (0..n).rev() {
            head[b] = head[b + 1];
            while let Some(&&(_, h)) = edges.peek().filter(|e| e.0 as usize == b) {
                head[b] = head[b].min(h);
                edges.next();
            }
        }
        self.reached.clear();
        self.reached.extend((0..n).map(|b| {
            let mut low = b as u32 + 1;
            while head[(low as usize).min(b)] < low {
                low = head[(low as usize).min(b)];
            }
            low
        }));
        // What a subroutine does is done from its first call on.
        for _ in 0..self.calls.len() {
            let mut changed = false;
            for &(site, first, end) in &self.calls {
                let from = self.reached[site as usize].min(site + 1);
                for r in &mut self.reached[first as usize..end as usize] {
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
