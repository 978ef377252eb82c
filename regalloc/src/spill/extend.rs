//! Which variables to compute again from sources that have to live longer for that: spilled ones, and others of the same
//! sources.
//!
//! What can be computed again costs nothing more where its sources are alive anyway (`remat`). Where they are not, they
//! keep registers behind their last use, in exchange for those that the results give up. Between its computation and
//! its reads a result is alive, so that is the longest for which its sources live longer; what several results have
//! in common lives longer once for all of them. A kernel that computes hundreds of addresses from one base, each of
//! them used much later, is such a one. A source that can be computed again itself counts as what that is computed from, if
//! less: the next round sees to it (an address is a base and a shifted index).
//!
//! The choice is one of code, not of meaning: `remat` says what can be computed again. It is written into the kernel
//! (`spill::compute_again`), which is then looked at anew: so the sources' lives are what liveness finds, and they may be
//! spilled themselves.

use crate::{
    analysis::{
        liveness::Liveness,
        position::{Position, Range},
    },
    spill::plan::Known,
};
use gen_ir::{Kernel, VarId, Virtual};
use narrow::{to_f32, to_index};
use typed_index_collections::TiVec;

/// Room that results have to give up for that of sources that live longer.
const GAIN: f32 = 2.0;

/// One in so many spilled variables, at least, is worth to look at the kernel anew: large kernels with a few such take long.
const WORTH: usize = 8;

/// What is chosen, and memory of the choice.
#[derive(Default)]
pub(crate) struct Extension {
    /// What is to be computed again.
    pub chosen: Vec<VarId>,
    /// Results, each behind a source that would have to live longer.
    wanted: Vec<(VarId, VarId)>,
    /// Where results of a source are alive.
    ranges: Vec<Range>,
    /// By variable: which part of the registers that a result gives up its sources keep.
    kept: TiVec<VarId, f32>,
    /// What may be computed again.
    candidates: Vec<VarId>,
}

impl Extension {
    /// Chooses from `spilled`, and from what has a source in common with one of those and is alive where too much is: a source
    /// that lives longer serves all. Returns whether there is anything to choose.
    pub fn choose(&mut self, spilled: &[VarId], known: Known<'_>) -> bool {
        let Known { kernel, live, remat, costs, .. } = known;
        let Extension { chosen, wanted, candidates, .. } = self;
        chosen.clear();
        if !spilled.iter().any(|&v| remat.is_far(v)) {
            return false;
        }
        wanted.clear();
        wanted.extend(spilled.iter().flat_map(|&v| remat.far_sources(v).map(move |s| (s, v))));
        wanted.sort_unstable();
        let in_common = |s: VarId| wanted.binary_search_by_key(&s, |w| w.0).is_ok();
        let is_other = |&v: &VarId| {
            remat.far_sources(v).any(in_common)
                && costs.is_pressed(live.of(v))
                && spilled.binary_search(&v).is_err()
        };
        candidates.clear();
        candidates.extend((0..to_index(kernel.vars.len())).map(VarId).filter(is_other));
        candidates.extend(spilled);
        candidates.sort_unstable();
        self.weigh(known);
        let Extension { chosen, wanted, kept, candidates, .. } = self;
        let pays = |v: &VarId| remat.is_far(*v) && kept[*v] * GAIN <= 1.0;
        // A source that is alive anyway and may be in memory is as good as the result there.
        let stays = |v: &VarId| {
            let far = |s: VarId| remat.far_sources(*v).any(|f| f == s);
            remat.sources(*v).all(|s| far(s) || spilled.binary_search(&s).is_err())
        };
        chosen.extend(candidates.iter().copied().filter(|v| pays(v) && stays(v)));
        // What others are computed from is not computed again itself.
        wanted.clear();
        wanted.extend(chosen.iter().flat_map(|&v| remat.sources(v).map(move |s| (s, v))));
        wanted.sort_unstable();
        chosen.retain(|v| wanted.binary_search_by_key(v, |w| w.0).is_err());
        !chosen.is_empty() && chosen.len() * WORTH >= spilled.len()
    }

    /// Finds which part of the candidates' registers their sources would keep.
    fn weigh(&mut self, Known { kernel, live, remat, .. }: Known<'_>) {
        let Extension { wanted, ranges, kept, candidates, .. } = self;
        wanted.clear();
        wanted.extend(candidates.iter().flat_map(|&v| remat.far_sources(v).map(move |s| (s, v))));
        wanted.sort_unstable();
        kept.clear();
        kept.resize(kernel.vars.len(), 0.0);
        for results in wanted.chunk_by(|a, b| a.0 == b.0) {
            let mut stays =
                |v: VarId| to_f32(kernel.vars[v.index()].bytes) * to_f32(longer(v, results, live, ranges));
            let source = results[0].0;
            let mut more = stays(source);
            // It may be computed again in the next round, where its own sources are.
            if !remat.of(source).is_empty() {
                more = more.min(remat.sources(source).map(stays).sum());
            }
            let part = more / room(results, (kernel, live)).max(1.0);
            results.iter().for_each(|r| kept[r.1] += part);
        }
    }
}

/// Bytes of results times positions at which they are alive.
fn room(results: &[(VarId, VarId)], (kernel, live): (&Kernel<Virtual>, &Liveness)) -> f32 {
    let of = |v: VarId| {
        let positions: u32 = live.of(v).iter().map(|r| r.len()).sum();
        to_f32(kernel.vars[v.index()].bytes) * to_f32(positions)
    };
    results.iter().map(|r| of(r.1)).sum()
}

/// The positions at which any of the results of a source is alive, but `var` is not.
fn longer(var: VarId, results: &[(VarId, VarId)], live: &Liveness, ranges: &mut Vec<Range>) -> u32 {
    ranges.clear();
    ranges.extend(results.iter().flat_map(|r| live.of(r.1)));
    ranges.sort_unstable();
    let own = live.of(var);
    let alive = |from: Position, to: Position| {
        let near = &own[own.partition_point(|r| r.end <= from)..];
        let met = near.iter().take_while(|r| r.start < to);
        met.map(|r| r.end.min(to).since(r.start.max(from))).sum::<u32>()
    };
    let mut done = Position::START;
    let mut longer = 0;
    for r in ranges {
        let (from, to) = (r.start.max(done), r.end);
        if from < to {
            longer += to.since(from) - alive(from, to);
            done = to;
        }
    }
    longer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_lives_longer_where_it_and_other_results_do_not() {
        let mut live = Liveness::default();
        let range = Range::between;
        let (source, a, b) = (VarId(0), VarId(1), VarId(2));
        live.gather(
            3,
            &[
                (source, range(0, 4)),
                (source, range(30, 32)),
                (a, range(2, 10)),
                (b, range(8, 12)),
                (b, range(29, 33)),
            ],
        );
        assert_eq!(longer(source, &[(source, a), (source, b)], &live, &mut Vec::new()), 8 + 2);
        assert_eq!(longer(source, &[(source, b)], &live, &mut Vec::new()), 4 + 2);
    }
}
