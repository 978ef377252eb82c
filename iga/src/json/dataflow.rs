//! Which instruction's result each instruction uses, byte by byte.
//!
//! A backward analysis: every use starts a path of live bytes, which earlier writes shorten. A write
//! under a predicate ends a path only if the use has the same predicate, or if a write under the opposite
//! one ends it too. Blocks are repeated until nothing changes; the live bytes of a path only grow, so
//! this ends.

use super::regset::{Access, File, RegSet};
use encoder::Decoded;
use std::collections::{BTreeMap, BTreeSet};

/// A block of instructions and the blocks that may run before it.
#[derive(Clone, Debug)]
pub(super) struct Block {
    /// First instruction.
    pub(super) start: usize,
    /// One past the last instruction.
    pub(super) end: usize,
    /// Blocks that lead here.
    pub(super) preds: Vec<usize>,
}

/// A value that goes from one instruction to another.
#[derive(Clone, Debug)]
pub(super) struct Dep {
    /// The other instruction.
    pub(super) id: usize,
    /// The bytes.
    pub(super) bytes: RegSet,
}

/// Live bytes at an instruction.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Totals {
    pub(super) grf: u32,
    pub(super) acc: u32,
    pub(super) flag: u32,
    pub(super) addr: u32,
}

/// The analysis of a kernel, by instruction.
#[derive(Clone, Debug, Default)]
pub(super) struct Dataflow {
    /// Instructions that use what this one writes.
    pub(super) uses: Vec<Vec<Dep>>,
    /// Instructions that wrote what this one uses.
    pub(super) defs: Vec<Vec<Dep>>,
    /// Live bytes before this one.
    pub(super) totals: Vec<Totals>,
}

/// What the analysis found, for operands.
pub(super) type Flow<'a> = Option<&'a Dataflow>;

/// A write under a predicate that did not end the path.
#[derive(Clone, Debug)]
struct PartialKill {
    inverted: bool,
    flags: u64,
    bytes: RegSet,
}

/// The bytes that one use still waits for.
#[derive(Clone, Debug)]
struct Path {
    user: usize,
    live: RegSet,
    inverted: bool,
    flags: u64,
    partial: Vec<PartialKill>,
}

/// Live bytes by user, at a block's border.
type Border = BTreeMap<usize, RegSet>;

struct Analysis<'a> {
    code: &'a [Decoded],
    access: &'a [Access],
    blocks: &'a [Block],
    live_in: Vec<Border>,
    live_out: Vec<Border>,
    result: Dataflow,
}

/// Analyses a kernel; `None` stands for bits that are no instruction.
pub(super) fn analyse(code: &[Decoded], access: &[Access], blocks: &[Block]) -> Dataflow {
    let n = code.len();
    let mut a = Analysis {
        code,
        access,
        blocks,
        live_in: vec![Border::new(); blocks.len()],
        live_out: vec![Border::new(); blocks.len()],
        result: Dataflow {
            uses: vec![Vec::new(); n],
            defs: vec![Vec::new(); n],
            totals: vec![Totals::default(); n],
        },
    };
    let mut dirty: BTreeSet<usize> = (0..blocks.len()).collect();
    while let Some(b) = dirty.pop_last() {
        let paths = a.walk(b, Walk::ForPaths);
        let border: Border = paths.into_iter().map(|p| (p.user, p.live)).collect();
        if border == a.live_in[b] {
            continue;
        }
        for &pred in &blocks[b].preds {
            let mut changed = false;
            for (user, live) in &border {
                changed |= match a.live_out[pred].get_mut(user) {
                    Some(known) => known.union(live),
                    None => {
                        a.live_out[pred].insert(*user, live.clone());
                        true
                    }
                };
            }
            if changed {
                dirty.insert(pred);
            }
        }
        a.live_in[b] = border;
    }
    for b in 0..blocks.len() {
        a.walk(b, Walk::ForResult);
    }
    a.result
}

/// What a block is walked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Walk {
    /// What is live where it starts.
    ForPaths,
    /// Definitions and totals, once that is known of all blocks.
    ForResult,
}

impl Analysis<'_> {
    /// Walks a block backwards and gives the paths that are live at its start; on the last walk
    /// definitions and totals are noted, too.
    fn walk(&mut self, block: usize, walk: Walk) -> Vec<Path> {
        let mut paths: Vec<Path> = self.live_out[block]
            .iter()
            .map(|(&user, live)| Path {
                user,
                live: live.clone(),
                inverted: self.inverted(user),
                flags: 0,
                partial: Vec::new(),
            })
            .collect();
        let mut overlap = RegSet::default();
        let mut all = RegSet::default();
        for id in (self.blocks[block].start..self.blocks[block].end).rev() {
            let access = &self.access[id];
            let inverted = self.inverted(id);
            let flags = access.predicate.flags();
            if !access.writes.is_empty() {
                let result = &mut self.result;
                paths.retain_mut(|path| {
                    path.forget_flags(access.writes.flags());
                    let matches = path.flags == 0
                        || flags == 0
                        || (path.inverted == inverted && path.flags & flags != 0);
                    overlap.clear();
                    if matches && path.live.intersection(&access.writes, &mut overlap) {
                        if walk == Walk::ForResult {
                            result.uses[id].push(Dep { id: path.user, bytes: overlap.clone() });
                            result.defs[path.user].push(Dep { id, bytes: overlap.clone() });
                        }
                        path.shorten(&overlap, flags, inverted);
                    }
                    !path.live.is_empty()
                });
            }
            if !access.predicate.is_empty() || !access.reads.is_empty() {
                let mut live = access.reads.clone();
                live.union(&access.predicate);
                match paths.iter_mut().find(|p| p.user == id) {
                    Some(path) => (path.live, path.flags) = (live, flags),
                    None => paths.push(Path { user: id, live, inverted, flags, partial: Vec::new() }),
                }
            }
            if walk == Walk::ForResult {
                all.clear();
                for path in &paths {
                    all.union(&path.live);
                }
                self.result.totals[id] = Totals {
                    grf: all.count(File::Grf),
                    acc: all.count(File::Acc),
                    flag: all.count(File::Flag),
                    addr: all.count(File::Addr),
                };
            }
        }
        paths
    }

    fn inverted(&self, id: usize) -> bool {
        self.code[id].inst.as_ref().is_ok_and(|i| i.pred.is_some_and(|p| p.inv))
    }
}

impl Path {
    /// Forgets all knowledge that depends on flags which change here.
    fn forget_flags(&mut self, written: u64) {
        if written == 0 {
            return;
        }
        if self.flags & written != 0 {
            self.flags = 0;
        }
        self.partial.retain(|k| k.flags & written == 0);
    }

    /// Takes away what a write with this predicate ends.
    fn shorten(&mut self, overlap: &RegSet, flags: u64, inverted: bool) {
        let mut common = RegSet::default();
        if flags == 0 || (inverted == self.inverted && self.flags & flags != 0) {
            self.live.subtract(overlap);
            self.partial.retain_mut(|k| {
                k.bytes.subtract(overlap);
                !k.bytes.is_empty()
            });
        } else {
            for i in (0..self.partial.len()).rev() {
                let kill = &mut self.partial[i];
                let opposite = kill.inverted != inverted && kill.flags & flags != 0;
                if !opposite || !overlap.intersection(&kill.bytes, &mut common) {
                    continue;
                }
                self.live.subtract(&common);
                if self.live.is_empty() {
                    return;
                }
                kill.bytes.subtract(&common);
                if kill.bytes.is_empty() {
                    self.partial.remove(i);
                }
            }
        }
        if flags != 0 && !self.live.is_empty() {
            self.partial.push(PartialKill { inverted, flags, bytes: overlap.clone() });
        }
    }
}
