//! The graphs that liveness flows along, and loop depths.

use gen_ir::{BlockId, Kernel, Op, Payload, Target, Virtual, Waits, back_edges};

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
    /// Where the instruction pointer can come from: the predecessors of `succs`, and the jumps to the
    /// next waiting place.
    pub preds: Edges,
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
        let mut jips = Vec::new();
        for (b, block) in kernel.blocks.iter().enumerate() {
            let b = b as u32;
            succs.extend(block.succs.iter().filter(|s| s.index() < n).map(|s| (b, s.0)));
            let ends = [block.insts.first(), block.insts.last()];
            for inst in ends.into_iter().flatten() {
                let Payload::Branch { jip, .. } = inst.payload else { continue };
                if inst.op == Op::Call {
                    continue;
                }
                if let Target::Block(t) = jip
                    && t.index() < n
                {
                    jips.push((b, t.0));
                }
                if matches!(inst.op, Op::Else | Op::Goto) && b as usize + 1 < n {
                    jips.push((b, b + 1));
                }
            }
            if block.insts.last().is_some_and(|i| i.op == Op::Ret) {
                for &(site, entry, end) in &calls {
                    if (entry..end).contains(&b) && ((site + 1) as usize) < n {
                        succs.push((b, site + 1));
                    }
                }
            }
        }
        let preds = succs.iter().chain(&jips).map(|&(from, to)| (to, from)).collect();
        let divergent = divergence(&waits, &calls, kernel);
        let depth = depths(n, &back_edges(kernel));
        Flow { succs: Edges::build(n, succs), preds: Edges::build(n, preds), waits, divergent, calls, depth }
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
