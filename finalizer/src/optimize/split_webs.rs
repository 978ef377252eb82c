//! Values of one variable that have nothing to do with each other become variables of their own.
//!
//! A web is what writes and reads of a variable belong together: each read with all writes that it may see. Compilers that
//! have given up SSA form use a variable again for another value: what a loop carries for the sum before and, further on, for
//! the sum after. Under one name both must have one place, and the copies between them and others stay; under two names each
//! may be where its copies are.
//!
//! **When it is right.** A lane sees what it wrote itself last on its way through the kernel. So webs follow the control flow of
//! a lane where each channel touches its own element alone ([`OwnChannels`]), whichever lanes wait meanwhile. Where lanes never
//! part, the way of the thread is that of all lanes, and other accesses have webs as well; but there a write under the mask
//! leaves what is read without one. A write that leaves something of what was there belongs to the web of that. Left as they
//! are: kernels with subroutines, variables that have a place, or are reached through addresses or from outside.

use gen_ir::{BlockId, Cfg, Kernel, Payload, Reg, VarId, Virtual};
use narrow::{as_index, to_index};

use super::{
    analyses::Analyses,
    live_in::leaves_nothing,
    own_channels::{OwnChannels, lanes_part},
};
use crate::lists::{refill, reset};

/// A kernel of more instructions stays as it is: what is kept of each is some 100 bytes. (The largest of real programs that were
/// seen has 106,000.)
const MOST: usize = 1 << 20;

/// Memory of the pass.
#[derive(Debug, Default)]
pub(super) struct WebMemory {
    /// By variable, how many instructions give it a new value.
    values: Vec<u32>,
    channels: OwnChannels,
    /// What happens to the variables that are looked at, in the order of the code, then by variable.
    events: Vec<WebEvent>,
    by_var: Vec<WebEvent>,
    /// By variable, where its events begin.
    first: Vec<u32>,
    /// Nodes of the webs of one variable: each leads to another of the same web, or to itself.
    nodes: Vec<u32>,
    /// By event of one variable, its node.
    node_of: Vec<u32>,
    /// By block.
    states: Vec<BlockState>,
    epoch: u32,
    /// Blocks at whose start the variable is needed, with its node there.
    needed: Vec<(u32, u32)>,
    /// Of one variable, by node, the name of the web that it stands for.
    names: Vec<Option<VarId>>,
    /// Accesses that get another name.
    renamed: Vec<Renamed>,
}

/// An instruction that touches a variable.
#[derive(Clone, Copy, Debug)]
struct WebEvent {
    var: VarId,
    block: u32,
    inst: u32,
    kind: EventKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EventKind {
    /// It is read.
    Read,
    /// Nothing of what was there is left.
    Write,
    /// Something is.
    PartWrite,
}

/// What a block does to the variable that is looked at.
#[derive(Clone, Copy, Debug, Default)]
struct BlockState {
    epoch: u32,
    /// The node at its end, if the block touches the variable or hands it on.
    end: Option<u32>,
}

/// An access that is of another variable now.
#[derive(Clone, Copy, Debug)]
struct Renamed {
    at: (u32, u32),
    from: VarId,
    to: VarId,
}

/// Splits those variables of a kernel, from the first to look at on, that have webs of several. Returns whether there were any.
pub(super) fn split(
    kernel: &mut Kernel<Virtual>,
    first: VarId,
    analyses: &mut Analyses,
    grf_bytes: u32,
    memory: &mut WebMemory,
) -> bool {
    let is_looked_at = kernel.subroutines.is_empty() && kernel.inst_count() <= MOST;
    if !is_looked_at || !memory.find_candidates(kernel, first, grf_bytes) {
        return false;
    }
    let cfg = analyses.graph(kernel);
    let WebMemory { channels, values, .. } = memory;
    channels.find_with_payloads(kernel, |v| values[v.index()] > 0);
    memory.collect(kernel, grf_bytes);
    memory.sort();
    memory.renamed.clear();
    for v in 0..memory.values.len() {
        memory.find_webs(kernel, cfg, VarId(to_index(v)));
    }
    memory.rename(kernel);
    !memory.renamed.is_empty()
}

impl WebMemory {
    /// Looks for variables that are given a value more than once. Returns whether there are any.
    fn find_candidates(&mut self, kernel: &Kernel<Virtual>, first: VarId, grf_bytes: u32) -> bool {
        refill(&mut self.values, kernel.vars.iter().map(|_| 0));
        for (_, inst) in kernel.insts() {
            if let Some(v) = inst.dst_var().filter(|&v| v >= first)
                && leaves_nothing(&kernel.vars[v.index()], inst, grf_bytes)
            {
                self.values[v.index()] += 1;
            }
        }
        for (var, values) in kernel.vars.iter().zip(&mut self.values) {
            let stays =
                !var.is_only_named() || var.fixed.is_some() || var.live_in || var.live_out || var.no_spill;
            if stays || *values < 2 {
                *values = 0;
            }
        }
        if let Some(header) = kernel.scratch_header {
            self.values[header.index()] = 0;
        }
        self.values.iter().any(|&n| n > 0)
    }

    /// Lists what happens to them.
    fn collect(&mut self, kernel: &Kernel<Virtual>, grf_bytes: u32) {
        let WebMemory { values, channels, events, .. } = self;
        let divergent = lanes_part(kernel);
        for (v, values) in values.iter_mut().enumerate() {
            if divergent && !channels.are_own(VarId(to_index(v))) {
                *values = 0;
            }
        }
        events.clear();
        for (block, b) in (0..).zip(&kernel.blocks) {
            for (inst, i) in (0..).zip(&b.insts) {
                let mut read = None;
                i.for_each_read(|reg| {
                    if let Some(var) = reg.var().filter(|v| values[v.index()] > 0)
                        && read.replace(var) != Some(var)
                    {
                        events.push(WebEvent { var, block, inst, kind: EventKind::Read });
                    }
                });
                let Some(var) = i.dst_var().filter(|v| values[v.index()] > 0) else { continue };
                if matches!(i.payload, Payload::Outside(_)) && !i.is_start_of_life() {
                    values[var.index()] = 0;
                    continue;
                }
                // What steps on stays in its place: in others' it would take one more at each step.
                let steps = read_here(events, var, (block, inst));
                let sure = !steps && (i.no_mask || i.is_start_of_life() || channels.are_own(var));
                let whole = sure && leaves_nothing(&kernel.vars[var.index()], i, grf_bytes);
                let kind = if whole { EventKind::Write } else { EventKind::PartWrite };
                events.push(WebEvent { var, block, inst, kind });
            }
        }
    }

    /// Puts the events of each variable side by side, in the order of the code.
    fn sort(&mut self) {
        let WebMemory { values, events, by_var, first, .. } = self;
        reset(first, values.len() + 1, 0);
        for e in &*events {
            first[e.var.index() + 1] += 1;
        }
        for v in 0..values.len() {
            first[v + 1] += first[v];
        }
        by_var.clone_from(events);
        for e in &*events {
            let next = &mut first[e.var.index()];
            by_var[as_index(*next)] = *e;
            *next += 1;
        }
        // Each begins where the one before ended.
        first.rotate_right(1);
        first[0] = 0;
    }

    /// Finds the webs of a variable, and names for all but that of its first event.
    fn find_webs(&mut self, kernel: &mut Kernel<Virtual>, cfg: &Cfg, v: VarId) {
        let (from, to) = (as_index(self.first[v.index()]), as_index(self.first[v.index() + 1]));
        if self.values[v.index()] == 0 {
            return;
        }
        self.number(kernel.blocks.len(), from..to);
        self.connect(cfg);
        let WebMemory { by_var, nodes, node_of, names, renamed, .. } = self;
        reset(names, nodes.len(), None);
        let mut own = Some(v);
        for (e, &node) in by_var[from..to].iter().zip(&*node_of) {
            let name = *names[as_index(root(nodes, node))].get_or_insert_with(|| {
                own.take().unwrap_or_else(|| {
                    let var = kernel.vars[v.index()].clone();
                    kernel.add_var(var)
                })
            });
            if name != v {
                renamed.push(Renamed { at: (e.block, e.inst), from: v, to: name });
            }
        }
    }

    /// Gives each event of a variable a node, as far as blocks alone say which belong together.
    fn number(&mut self, blocks: usize, events: std::ops::Range<usize>) {
        let WebMemory { by_var, nodes, node_of, states, epoch, needed, .. } = self;
        if states.len() < blocks {
            states.resize(blocks, BlockState::default());
        }
        *epoch = epoch.wrapping_add(1);
        nodes.clear();
        node_of.clear();
        for e in &by_var[events] {
            let state = state_of(states, *epoch, e.block);
            let node = match (e.kind, state.end) {
                (EventKind::Write, _) => add(nodes),
                (_, Some(node)) => node,
                (_, None) => {
                    let node = add(nodes);
                    needed.push((e.block, node));
                    node
                }
            };
            state.end = Some(node);
            node_of.push(node);
        }
    }

    /// Connects what is needed where blocks start with what is there where those before them end.
    fn connect(&mut self, cfg: &Cfg) {
        let WebMemory { nodes, states, epoch, needed, .. } = self;
        while let Some((block, node)) = needed.pop() {
            for (before, _) in cfg.preds(BlockId(block)) {
                let before = before.0;
                let state = state_of(states, *epoch, before);
                let there = *state.end.get_or_insert_with(|| {
                    let through = add(nodes);
                    needed.push((before, through));
                    through
                });
                unite(nodes, node, there);
            }
        }
    }

    /// Gives accesses their new names. Where one instruction reads and writes the variable, both are of one web.
    fn rename(&self, kernel: &mut Kernel<Virtual>) {
        for r in &self.renamed {
            let inst = &mut kernel.blocks[as_index(r.at.0)].insts[as_index(r.at.1)];
            *inst = inst.map_regs(|_, reg| match reg.var() {
                Some(v) if v == r.from => Reg::var_at(r.to, reg.byte),
                _ => reg,
            });
        }
    }
}

/// Whether the events up to now end with those of an instruction that reads a variable.
fn read_here(events: &[WebEvent], var: VarId, at: (u32, u32)) -> bool {
    events.iter().rev().take_while(|e| (e.block, e.inst) == at).any(|e| e.var == var)
}

fn state_of(states: &mut [BlockState], epoch: u32, block: u32) -> &mut BlockState {
    let state = &mut states[as_index(block)];
    if state.epoch != epoch {
        *state = BlockState { epoch, ..BlockState::default() };
    }
    state
}

fn add(nodes: &mut Vec<u32>) -> u32 {
    let node = to_index(nodes.len());
    nodes.push(node);
    node
}

/// The node that stands for a web, to which the way is shorter afterwards.
fn root(nodes: &mut [u32], mut node: u32) -> u32 {
    while nodes[as_index(node)] != node {
        let next = nodes[as_index(node)];
        nodes[as_index(node)] = nodes[as_index(next)];
        node = next;
    }
    node
}

fn unite(nodes: &mut [u32], a: u32, b: u32) {
    let (a, b) = (root(nodes, a), root(nodes, b));
    nodes[as_index(a.max(b))] = a.min(b);
}
