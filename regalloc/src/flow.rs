//! The graphs that liveness flows along, and loop depths.

use gen_ir::{BlockId, Kernel, Op, Virtual, Waits, back_edges};

/// Edges of blocks in compressed rows.
pub(crate) struct Edges {
    first: Vec<u32>,
    to: Vec<u32>,
}

impl Edges {
    fn build(n: usize, mut pairs: Vec<(u32, u32)>) -> Edges {
        pairs.sort_unstable();
        pairs.dedup();
        let mut first = vec![0u32; n + 1];
        for &(from, _) in &pairs {
            first[from as usize + 1] += 1;
        }
        for i in 0..n {
            first[i + 1] += first[i];
        }
        Edges { first, to: pairs.into_iter().map(|(_, to)| to).collect() }
    }

    /// Blocks reached from `b`.
    pub fn of(&self, b: usize) -> &[u32] {
        &self.to[self.first[b] as usize..self.first[b + 1] as usize]
    }
}

/// Control flow as allocation sees it.
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
    /// Calls as (calling block, first block of callee, end of callee).
    pub calls: Vec<(u32, u32, u32)>,
    /// For each block, the number of loops around it.
    pub depth: Vec<u8>,
}

impl Flow {
    pub fn of(kernel: &Kernel<Virtual>) -> Flow {
        let n = kernel.blocks.len();
        let waits = Waits::of(kernel);
        let calls = calls(kernel);
        let mut succs = Vec::with_capacity(n * 2);
        for (b, block) in kernel.blocks.iter().enumerate() {
            let b = b as u32;
            succs.extend(block.succs.iter().filter(|s| s.index() < n).map(|s| (b, s.0)));
            if block.insts.last().is_some_and(|i| i.op == Op::Ret) {
                for &(site, entry, end) in &calls {
                    if (entry..end).contains(&b) && ((site + 1) as usize) < n {
                        succs.push((b, site + 1));
                    }
                }
            }
        }
        let preds = succs.iter().map(|&(from, to)| (to, from)).collect();
        let divergent = divergence(&waits, &calls, kernel);
        let mut back: Vec<_> = back_edges(kernel).collect();
        back.sort_unstable();
        let depth = depths(n, &back);
        Flow {
            succs: Edges::build(n, succs),
            preds: Edges::build(n, preds),
            back,
            waits,
            divergent,
            calls,
            depth,
        }
    }

    /// For each block, the first block in layout order that the instruction pointer can enter after it
    /// was in this one.
    pub fn reached_from(&self) -> Vec<u32> {
        let n = self.depth.len();
        // The lowest head of the back edges from a block or later ones.
        let mut head = vec![u32::MAX; n + 1];
        let mut edges = self.back.iter().rev().peekable();
        for b in (0..n).rev() {
            head[b] = head[b + 1];
            while let Some(&&(_, h)) = edges.peek().filter(|e| e.0 as usize == b) {
                head[b] = head[b].min(h);
                edges.next();
            }
        }
        let mut reached: Vec<u32> = (0..n)
            .map(|b| {
                let mut low = b as u32 + 1;
                while head[(low as usize).min(b)] < low {
                    low = head[(low as usize).min(b)];
                }
                low
            })
            .collect();
        // What a subroutine does is done from its first call on.
        for _ in 0..self.calls.len() {
            let mut changed = false;
            for &(site, first, end) in &self.calls {
                let from = reached[site as usize].min(site + 1);
                for r in &mut reached[first as usize..end as usize] {
                    changed |= from < *r;
                    *r = (*r).min(from);
                }
            }
            if !changed {
                break;
            }
        }
        reached
    }

    /// Whether any lane ever waits.
    pub fn any_divergence(&self) -> bool {
        self.divergent.iter().any(|&d| d)
    }
}

fn calls(kernel: &Kernel<Virtual>) -> Vec<(u32, u32, u32)> {
    let n = kernel.blocks.len() as u32;
    let subs = &kernel.subroutines;
    let mut out = Vec::new();
    for (b, block) in kernel.blocks.iter().enumerate() {
        let Some(last) = block.insts.last() else { continue };
        if last.op != Op::Call {
            continue;
        }
        if let Some(entry) = last.branch_target() {
            let end = subs.iter().find(|s| **s > entry).map_or(n, |s: &BlockId| s.0);
            out.push((b as u32, entry.0, end));
        }
    }
    out
}

fn divergence(waits: &Waits, calls: &[(u32, u32, u32)], kernel: &Kernel<Virtual>) -> Vec<bool> {
    let mut divergent = waits.divergent();
    for _ in 0..=kernel.subroutines.len() {
        let mut changed = false;
        for &(site, entry, end) in calls {
            let by_pred = kernel.blocks[site as usize].insts.last().is_some_and(|i| i.pred.is_some());
            if divergent[site as usize] || by_pred {
                for d in &mut divergent[entry as usize..end as usize] {
                    changed |= !*d;
                    *d = true;
                }
            }
        }
        if !changed {
            break;
        }
    }
    divergent
}

fn depths(n: usize, back: &[(u32, u32)]) -> Vec<u8> {
    // Several back edges to one head are one loop.
    let mut tails: Vec<Option<u32>> = vec![None; n];
    for &(tail, head) in back {
        let t = &mut tails[head as usize];
        *t = Some(t.map_or(tail, |x| x.max(tail)));
    }
    let mut delta = vec![0i32; n + 1];
    for (head, tail) in tails.iter().enumerate() {
        if let Some(tail) = tail {
            delta[head] += 1;
            delta[*tail as usize + 1] -= 1;
        }
    }
    let mut depth = 0;
    delta[..n]
        .iter()
        .map(|d| {
            depth += d;
            depth.clamp(0, 255) as u8
        })
        .collect()
}
