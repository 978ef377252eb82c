//! The control-flow graph of a kernel, that all passes share: a petgraph graph whose nodes are the blocks, by their
//! number, and whose edges say why control goes along.
//!
//! A block keeps its own successors ([`Block::succs`](crate::Block)), in its own order; a [`Cfg`] is made from them and
//! from the branches at the ends of blocks, and adds what only shows when all blocks are looked at: predecessors,
//! where returns go, the ways that the instruction pointer goes without any lane, loops, and the calls of
//! subroutines. It holds for as long as blocks and branches stay as they are. Edges of one block come in the order
//! of the blocks at their other ends, so whoever walks them finds the same in every run.
//!
//! Orders, dominators and components are those of petgraph, over [`Cfg::graph`].

use narrow::{to_index, to_u8};
use petgraph::{
    Direction,
    graph::{DiGraph, EdgeReference, NodeIndex},
    visit::{Dfs, EdgeFiltered, EdgeRef, Visitable},
};

mod ends;

pub use ends::End;

use crate::{BlockId, Inst, Kernel, Op, Payload, Space, Target};

/// Why control goes from one block to another.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Edge {
    /// On into the next block.
    Next,
    /// Lanes take a branch.
    Branch,
    /// Lanes call a subroutine.
    Call,
    /// Lanes that do not make a call go on behind it.
    NoCall,
    /// From a call that every lane makes to where it comes back. No lane goes this way but through the subroutine.
    AfterCall,
    /// Lanes come back from a subroutine to the block behind a call of it.
    Return,
    /// The instruction pointer goes to a branch's JIP where no lane goes on behind the branch.
    Pointer,
    /// The same at the start of the block, from its `join` or `endif`: past the other instructions.
    Skip,
}

impl Edge {
    /// Whether lanes go this way, if only through a subroutine: edges of the logical control flow.
    pub const fn is_of_lanes(self) -> bool {
        !matches!(self, Edge::Pointer | Edge::Skip)
    }
}

/// A call of a subroutine of the kernel ([`Kernel::subroutines`]).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Call {
    /// The block that ends with it. It comes back to the next one.
    pub site: BlockId,
    /// The first block of the subroutine.
    pub entry: BlockId,
    /// One past its last block.
    pub end: BlockId,
    /// Every lane makes the call.
    pub whole: bool,
}

impl Call {
    /// Blocks of the subroutine.
    pub fn callee(&self) -> std::ops::Range<usize> {
        self.entry.index()..self.end.index()
    }

    /// Whether a block belongs to the subroutine.
    pub fn is_inside(&self, block: BlockId) -> bool {
        (self.entry..self.end).contains(&block)
    }
}

/// Blocks between a block and the last one that branches back to it, in layout order: all that may run between two
/// runs of the first. Loops of structured code nest; those of tangled code may overlap.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Loop {
    /// The first block.
    pub head: BlockId,
    /// The last block.
    pub last: BlockId,
}

/// A control-flow graph.
#[derive(Clone, Debug, Default)]
pub struct Cfg {
    graph: DiGraph<(), Edge>,
    calls: Vec<Call>,
    /// Calls as (first block of the subroutine, block behind the call), sorted.
    returns: Vec<(BlockId, BlockId)>,
    back_edges: Vec<(BlockId, BlockId)>,
    loops: Vec<Loop>,
    /// Edges of the block that is looked at.
    leaving: Vec<(BlockId, Edge)>,
    walk: Dfs<NodeIndex, <DiGraph<(), Edge> as Visitable>::Map>,
}

fn node(block: BlockId) -> NodeIndex {
    NodeIndex::new(block.index())
}

impl Cfg {
    /// The graph of a kernel. Successors that are no blocks are left out.
    pub fn of<S: Space>(kernel: &Kernel<S>) -> Cfg {
        let mut cfg = Cfg::default();
        cfg.find(kernel);
        cfg
    }

    /// Makes it what [`Cfg::of`] gives, in the memory it has.
    pub fn find<S: Space>(&mut self, kernel: &Kernel<S>) {
        let n = BlockId::from(kernel.blocks.len());
        self.find_calls(kernel);
        self.back_edges.clear();
        self.graph.clear();
        for _ in BlockId::FIRST.up_to(n) {
            self.graph.add_node(());
        }
        let mut edges = std::mem::take(&mut self.leaving);
        // petgraph gives the newest edge first.
        for from in BlockId::FIRST.up_to(n).rev() {
            edges.clear();
            self.leave(kernel, from, &mut edges);
            if edges.len() > 1 {
                edges.sort_unstable();
                edges.dedup();
            }
            for &(to, edge) in edges.iter().rev() {
                self.graph.add_edge(node(from), node(to), edge);
                if edge == Edge::Branch && to <= from {
                    self.back_edges.push((from, to));
                }
            }
        }
        self.leaving = edges;
        // The last tail of each head stands first.
        self.loops.clear();
        self.loops.extend(self.back_edges.iter().map(|&(last, head)| Loop { head, last }));
        self.loops.sort_by_key(|l| l.head);
        self.loops.dedup_by_key(|l| l.head);
        self.back_edges.reverse();
    }

    fn find_calls<S: Space>(&mut self, kernel: &Kernel<S>) {
        let n = BlockId::from(kernel.blocks.len());
        self.calls.clear();
        self.returns.clear();
        if kernel.subroutines.is_empty() {
            return;
        }
        for (site, block) in kernel.blocks.iter().enumerate() {
            let Some(last) = block.insts.last().filter(|i| i.op == Op::Call) else { continue };
            let Some(entry) = last.branch_target().filter(|t| block.succs.contains(t)) else { continue };
            // What is no subroutine of the kernel is not known to return.
            let Ok(routine) = kernel.subroutines.binary_search(&entry) else { continue };
            let site = BlockId::from(site);
            let end = kernel.subroutines.get(routine + 1).copied().unwrap_or(n);
            self.calls.push(Call { site, entry, end, whole: last.pred.is_none() });
            self.returns.push((entry, site.next()));
        }
        self.returns.sort_unstable();
    }

    /// Adds the edges that leave a block.
    fn leave<S: Space>(&self, kernel: &Kernel<S>, from: BlockId, edges: &mut Vec<(BlockId, Edge)>) {
        let block = &kernel.blocks[from.index()];
        let (first, last) = (block.insts.first(), block.insts.last());
        let op = last.map(|i| i.op);
        let mut add = |to: BlockId, edge| {
            if to.index() < kernel.blocks.len() {
                edges.push((to, edge));
            }
        };
        let call = self.call_at(from);
        for &to in &block.succs {
            let edge = match call {
                Some(c) if to == c.entry => Edge::Call,
                Some(c) if c.whole => Edge::AfterCall,
                Some(_) => Edge::NoCall,
                None if to == from.next() => Edge::Next,
                None if op == Some(Op::Call) => Edge::Call,
                None => Edge::Branch,
            };
            add(to, edge);
        }
        if op == Some(Op::Ret)
            && let Some(own) = kernel.subroutine_of(from)
        {
            let entry = kernel.subroutines[own];
            let first = self.returns.partition_point(|r| r.0 < entry);
            for &(_, to) in self.returns[first..].iter().take_while(|r| r.0 == entry) {
                add(to, Edge::Return);
            }
        }
        for to in last.map_or([None; 2], |i| pointer_targets(i, from)).into_iter().flatten() {
            if !block.succs.contains(&to) {
                add(to, Edge::Pointer);
            }
        }
        if let Some(opens) = first.filter(|i| i.op.opens_block())
            && let Some(to) = jip_block(opens)
        {
            add(to, Edge::Skip);
        }
    }

    /// The graph itself, for petgraph's algorithms: a node's index is its block's number.
    pub fn graph(&self) -> &DiGraph<(), Edge> {
        &self.graph
    }

    /// Number of blocks.
    pub fn len(&self) -> usize {
        self.graph.node_count()
    }

    /// Whether there are no blocks.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Edges that leave a block, by the blocks they go to.
    pub fn succs(&self, block: BlockId) -> impl Iterator<Item = (BlockId, Edge)> {
        let edges = self.graph.edges_directed(node(block), Direction::Outgoing);
        edges.map(|e| (BlockId(to_index(e.target().index())), *e.weight()))
    }

    /// Edges that come to a block, by the blocks they come from.
    pub fn preds(&self, block: BlockId) -> impl Iterator<Item = (BlockId, Edge)> {
        let edges = self.graph.edges_directed(node(block), Direction::Incoming);
        edges.map(|e| (BlockId(to_index(e.source().index())), *e.weight()))
    }

    /// Calls of subroutines of the kernel, by their blocks.
    pub fn calls(&self) -> &[Call] {
        &self.calls
    }

    /// The call of a subroutine of the kernel at the end of a block.
    pub fn call_at(&self, block: BlockId) -> Option<Call> {
        self.calls.binary_search_by_key(&block, |c| c.site).ok().map(|c| self.calls[c])
    }

    /// Branches to the same or an earlier block, as (tail, head), sorted. In layout order every cycle of the graph
    /// that leaves no subroutine has one.
    pub fn back_edges(&self) -> &[(BlockId, BlockId)] {
        &self.back_edges
    }

    /// For each block, whether lanes that start in the first one may come to it.
    pub fn find_reachable(&mut self, reachable: &mut Vec<bool>) {
        reachable.clear();
        reachable.resize(self.len(), false);
        if self.is_empty() {
            return;
        }
        // Where a call comes back to is reached from the call, not from what a subroutine does for other calls.
        let edges = |e: EdgeReference<'_, Edge>| e.weight().is_of_lanes() && *e.weight() != Edge::Return;
        let graph = EdgeFiltered::from_fn(&self.graph, edges);
        self.walk.reset(&self.graph);
        self.walk.move_to(NodeIndex::new(0));
        while let Some(block) = self.walk.next(&graph) {
            reachable[block.index()] = true;
        }
    }

    /// Loops, by their heads.
    pub fn loops(&self) -> &[Loop] {
        &self.loops
    }

    /// For each block, the number of loops around it, 255 at most. `delta` is for the calculation.
    pub fn find_depths(&self, delta: &mut Vec<i32>, depths: &mut Vec<u8>) {
        delta.clear();
        delta.resize(self.len() + 1, 0);
        for l in &self.loops {
            delta[l.head.index()] += 1;
            delta[l.last.next().index()] -= 1;
        }
        let mut depth = 0;
        depths.clear();
        depths.extend(delta[..self.len()].iter().map(|d| {
            depth += d;
            to_u8(depth.clamp(0, 255))
        }));
    }

    /// Adds what calls do to a list of the blocks in which lanes may wait elsewhere ([`Waits::divergent`]): so they may
    /// in a subroutine that is called from such a block, or by some lanes only.
    ///
    /// [`Waits::divergent`]: crate::Waits::divergent
    pub fn diverge_callees(&self, divergent: &mut [bool]) {
        // A chain of calls is at most as long as there are calls.
        for _ in 0..self.calls.len() {
            let mut changed = false;
            for call in &self.calls {
                if !call.whole || divergent[call.site.index()] {
                    for d in &mut divergent[call.callee()] {
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
}

/// Where the pointer goes from a branch at the end of block `from` that no lane goes: lanes that leave a region wait
/// at its end while the pointer runs the others through it; when none runs on at a branch, it goes to the JIP.
fn pointer_targets<S: Space>(last: &Inst<S>, from: BlockId) -> [Option<BlockId>; 2] {
    match last.op {
        Op::Goto | Op::If | Op::Break | Op::Cont => [jip_block(last), None],
        Op::Else => [jip_block(last), Some(from.next())],
        _ => [None; 2],
    }
}

fn jip_block<S: Space>(inst: &Inst<S>) -> Option<BlockId> {
    match inst.payload {
        Payload::Branch { jip: Target::Block(to), .. } => Some(to),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
