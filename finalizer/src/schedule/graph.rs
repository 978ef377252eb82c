//! Who depends on whom in a stretch of code, and by how many cycles.
//!
//! Every register has a list of writes and one of reads that later instructions may meet, with the bytes they
//! touch. An access looks through the lists of its registers. A write also removes the entries whose bytes it covers: a
//! later instruction that depends on one of those depends on this write, too, which waits for them already. So lists stay
//! short, and building the graph takes time in proportion to the operands.

mod operands;

use gen_ir::{
    Direction, Extent, ImplicitAccumulator, Inst, MemoryAccess, MemorySpace, Physical, RegisterSet, Role,
    Timing,
};
use narrow::{as_index, ones, to_index, to_u16};
use platforms::{Caps, Platform, Registers};

use super::{
    addressed::{Addressed, GRFS, NONE},
    kind::Mobility,
};

/// Flag registers; behind them the address register and the accumulators, one cell each.
const FLAGS: usize = GRFS;
const ADDRESSES: usize = FLAGS + Registers::MOST_FLAGS;
const ACCUMULATOR: usize = ADDRESSES + 1;
/// The modes of floats in the control register.
const MODES: usize = ACCUMULATOR + 1;
const CELLS: usize = MODES + 1;

/// An instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    /// The first edge to a later instruction.
    edge: u32,
    /// Edges from earlier ones.
    pub before: u32,
    /// Cycles from its issue to the end, along the longest way: once they are [found](Graph::find_heights).
    pub height: u32,
    /// When it issues in the order that the code has, and when it could if it had the thread to itself.
    time: u32,
    soonest: u32,
    /// Its cycles.
    pub takes: Timing,
}

#[derive(Clone, Copy, Debug)]
struct Edge {
    to: u32,
    cycles: u32,
    next: u32,
}

/// An access to bytes of a register.
#[derive(Clone, Copy, Debug)]
struct RegisterAccess {
    inst: u32,
    bytes: u64,
    next: u32,
}

/// The graph, and the memory that building it takes.
#[derive(Debug)]
pub(super) struct Graph {
    pub nodes: Vec<Node>,
    edges: Vec<Edge>,
    entries: Vec<RegisterAccess>,
    /// The newest write and read of each register.
    writes: [u32; CELLS],
    reads: [u32; CELLS],
    /// Registers whose lists are not empty.
    touched: Vec<u16>,
    /// What operands behind addresses touch.
    addressed: Addressed,
    /// Where that may be any register, and edges to all would be too many: the last instruction that may read any, and those
    /// since then that write one.
    reads_anywhere: bool,
    anywhere: u32,
    writers: Vec<u32>,
    /// By memory, the last message that does more than read it, and the reading ones since then.
    messages: [Messages; MemorySpace::ALL.len()],
    writes_wait: bool,
    /// The last node stands behind the stretch.
    pub ends: bool,
    /// Something in the stretch sets modes of floats.
    sets_modes: bool,
    /// Log2 of a general register's bytes.
    grf_log: u32,
    /// Cycles until all results are there, in the order that the code has.
    pub cycles: u32,
    /// Cycles that every order takes, or more.
    pub least: u32,
}

/// The messages to some memory whose order counts for the next one.
#[derive(Debug)]
struct Messages {
    store: u32,
    loads: Vec<u32>,
}

impl Default for Messages {
    fn default() -> Messages {
        Messages { store: NONE, loads: Vec::new() }
    }
}

impl Default for Graph {
    fn default() -> Graph {
        Graph {
            nodes: Vec::new(),
            edges: Vec::new(),
            entries: Vec::new(),
            writes: [NONE; CELLS],
            reads: [NONE; CELLS],
            touched: Vec::new(),
            addressed: Addressed::default(),
            reads_anywhere: false,
            anywhere: NONE,
            writers: Vec::new(),
            messages: Default::default(),
            writes_wait: false,
            ends: false,
            sets_modes: false,
            grf_log: 0,
            cycles: 0,
            least: 0,
        }
    }
}

impl Graph {
    /// Builds the graph of a stretch, whose instructions are of these kinds. Behind it stands `end`, if anything does, which
    /// nothing passes: a last node, for what it waits for.
    pub fn build(
        &mut self,
        (insts, end): (&[Inst<Physical>], Option<&Inst<Physical>>),
        kinds: &[Mobility],
        (platform, addressed): (Platform, RegisterSet),
    ) {
        let caps = platform.caps();
        self.addressed.begin(addressed);
        self.reads_anywhere = addressed == RegisterSet::ALL;
        self.nodes.clear();
        self.edges.clear();
        self.entries.clear();
        self.writers.clear();
        self.anywhere = NONE;
        for messages in &mut self.messages {
            messages.store = NONE;
            messages.loads.clear();
        }
        self.writes_wait = caps.latencies.writes_wait;
        self.ends = end.is_some();
        self.sets_modes = kinds.contains(&Mobility::Mode);
        self.grf_log = caps.regs.grf_bytes.trailing_zeros();
        for cell in self.touched.drain(..) {
            self.writes[usize::from(cell)] = NONE;
            self.reads[usize::from(cell)] = NONE;
        }
        let (mut now, mut last, mut issued, mut least) = (0, 0, 0, 0);
        let kinds = kinds.iter().copied().chain([Mobility::Stays]);
        for (i, (inst, kind)) in insts.iter().chain(end).zip(kinds).enumerate() {
            let takes = takes(inst, caps);
            self.nodes.push(Node { edge: NONE, before: 0, height: 0, time: 0, soonest: 0, takes });
            self.add(to_index(i), inst, kind, caps);
            // All edges to it are known: it issues when what it waits for is there.
            let node = &mut self.nodes[i];
            last = last.max(node.time);
            least = least.max(node.soonest + takes.issue);
            node.time = node.time.max(now);
            now = node.time + takes.issue;
            issued += takes.issue;
        }
        self.cycles = last.max(now);
        self.least = least.max(issued);
    }

    /// Finds how far each instruction is from the end.
    pub fn find_heights(&mut self) {
        for i in (0..self.nodes.len()).rev() {
            let ways = self.after(i).map(|(to, cycles)| cycles + self.nodes[to].height);
            self.nodes[i].height = ways.max().unwrap_or(0).max(self.nodes[i].takes.latency);
        }
    }

    /// Later instructions that depend on one, and how many cycles after its issue they can issue.
    pub fn after(&self, i: usize) -> impl Iterator<Item = (usize, u32)> {
        let mut at = self.nodes[i].edge;
        std::iter::from_fn(move || {
            let edge = self.edges.get(as_index(at))?;
            at = edge.next;
            Some((as_index(edge.to), edge.cycles))
        })
    }

    fn edge(&mut self, from: u32, to: u32, cycles: u32) {
        if from == to || from == NONE {
            return;
        }
        let Node { edge: first, time, soonest, .. } = self.nodes[as_index(from)];
        let node = &mut self.nodes[as_index(to)];
        node.time = node.time.max(time + cycles);
        node.soonest = node.soonest.max(soonest + cycles);
        if let Some(edge) = self.edges.get_mut(as_index(first)).filter(|e| e.to == to) {
            edge.cycles = edge.cycles.max(cycles);
            return;
        }
        node.before += 1;
        self.nodes[as_index(from)].edge = to_index(self.edges.len());
        self.edges.push(Edge { to, cycles, next: first });
    }

    fn add(&mut self, i: u32, inst: &Inst<Physical>, kind: Mobility, caps: &Caps) {
        let grf_bytes = u32::from(caps.regs.grf_bytes);
        // All reads first: an instruction does not wait for itself. Operands come in that order, too.
        let ImplicitAccumulator { reads, writes } = implicit_accumulator(inst);
        if reads {
            self.read(i, ACCUMULATOR, u64::MAX);
        }
        if inst.reads_through_address() {
            if self.reads_anywhere {
                self.read_anywhere(i);
            } else {
                self.read_addressed(i);
            }
        }
        if self.sets_modes && (kind == Mobility::Mode || inst.computes_floats()) {
            self.read(i, MODES, u64::MAX);
        }
        if let Some(pred) = inst.pred {
            self.special(i, inst, Role::Pred, pred.flag);
        }
        self.sources(i, inst, grf_bytes);
        self.destination(i, inst, grf_bytes);
        if let Some(cond) = inst.cond {
            self.special(i, inst, Role::Cond, cond.flag);
        }
        if writes {
            self.write(i, ACCUMULATOR, u64::MAX);
        }
        match kind {
            Mobility::Memory(access) => self.message(i, access),
            Mobility::Stays => self.message(i, MemoryAccess::ORDERS),
            Mobility::Mode => self.write(i, MODES, u64::MAX),
            Mobility::Plain => {}
        }
    }

    /// An operand in cells of `1 << log` bytes, which begin at one and end before another.
    fn cells(
        &mut self,
        i: u32,
        (first, end): (usize, usize),
        log: u32,
        extent: Extent,
        direction: Direction,
    ) {
        let mut at = extent.start;
        while at < extent.end {
            let cell = first + as_index(at >> log);
            let stop = (((at >> log) + 1) << log).min(extent.end);
            if cell >= end {
                break;
            }
            let bytes = mask(at & ((1 << log) - 1), stop - at);
            match direction {
                Direction::Read => self.read(i, cell, bytes),
                Direction::Write => self.write(i, cell, bytes),
            }
            at = stop;
        }
    }

    fn read(&mut self, i: u32, cell: usize, bytes: u64) {
        self.enter(cell);
        if self.addressed.has(cell) {
            self.wait_for_result(self.addressed.write, i);
        }
        self.wait_for_writes(i, cell, bytes);
        self.note(cell);
        self.entries.push(RegisterAccess { inst: i, bytes, next: self.reads[cell] });
        self.reads[cell] = to_index(self.entries.len()) - 1;
    }

    /// `i` reads what has been written to bytes of a cell.
    fn wait_for_writes(&mut self, i: u32, cell: usize, bytes: u64) {
        let mut at = self.writes[cell];
        while let Some(&RegisterAccess { inst, bytes: written, next }) = self.entries.get(as_index(at)) {
            if written & bytes != 0 {
                self.wait_for_result(inst, i);
            }
            at = next;
        }
    }

    fn wait_for_result(&mut self, from: u32, to: u32) {
        if from != NONE {
            self.edge(from, to, self.nodes[as_index(from)].takes.latency);
        }
    }

    /// `to` writes over what `from` has read or written in a cell.
    fn wait_to_overwrite(&mut self, from: u32, to: u32, cell: usize, did: Direction) {
        if from == NONE {
            return;
        }
        let takes = self.nodes[as_index(from)].takes;
        let cycles = match did {
            // Descriptors and predicates are read as a message leaves.
            Direction::Read if cell >= GRFS => 0,
            Direction::Read => takes.read,
            Direction::Write if self.writes_wait || takes.read > 0 => takes.latency,
            Direction::Write => 1,
        };
        self.edge(from, to, cycles);
    }

    /// The lists of a cell that operands behind addresses have written since have nothing that counts any longer.
    fn enter(&mut self, cell: usize) {
        if self.addressed.has(cell) && self.addressed.enter(cell) {
            (self.reads[cell], self.writes[cell]) = (NONE, NONE);
        }
    }

    fn write(&mut self, i: u32, cell: usize, bytes: u64) {
        self.enter(cell);
        if self.addressed.has(cell) {
            self.wait_to_overwrite(self.addressed.write, i, cell, Direction::Write);
            let whole = ones(1 << self.grf_log);
            for n in self.addressed.reads_before(cell, bytes & whole == whole) {
                self.wait_to_overwrite(self.addressed.reads()[n], i, cell, Direction::Read);
            }
        }
        self.note(cell);
        for did in [Direction::Write, Direction::Read] {
            let head = self.lists(did)[cell];
            let (mut first, mut last, mut at) = (NONE, NONE, head);
            while let Some(&RegisterAccess { inst, bytes: touched, next }) = self.entries.get(as_index(at)) {
                if touched & bytes != 0 {
                    self.wait_to_overwrite(inst, i, cell, did);
                }
                if touched & !bytes != 0 {
                    // Bytes of it are left for others.
                    match self.entries.get_mut(as_index(last)) {
                        Some(entry) => entry.next = at,
                        None => first = at,
                    }
                    last = at;
                }
                at = next;
            }
            if let Some(entry) = self.entries.get_mut(as_index(last)) {
                entry.next = NONE;
            }
            self.lists(did)[cell] = first;
        }
        self.entries.push(RegisterAccess { inst: i, bytes, next: self.writes[cell] });
        self.writes[cell] = to_index(self.entries.len()) - 1;
    }

    /// The last accesses of each cell.
    fn lists(&mut self, of: Direction) -> &mut [u32; CELLS] {
        match of {
            Direction::Read => &mut self.reads,
            Direction::Write => &mut self.writes,
        }
    }

    /// The register's lists have to be emptied for the next stretch.
    fn note(&mut self, cell: usize) {
        if self.writes[cell] == NONE && self.reads[cell] == NONE {
            self.touched.push(to_u16(cell));
        }
    }

    /// All registers that addresses lead to may be read.
    fn read_addressed(&mut self, i: u32) {
        self.wait_for_result(self.addressed.write, i);
        for n in 0..self.addressed.cells().len() {
            let cell = self.addressed.cells()[n];
            self.wait_for_writes(i, cell.into(), u64::MAX);
        }
        self.addressed.read(i);
    }

    /// All registers that addresses lead to may be written.
    fn write_addressed(&mut self, i: u32) {
        self.wait_to_overwrite(self.addressed.write, i, 0, Direction::Write);
        for n in 0..self.addressed.reads().len() {
            self.wait_to_overwrite(self.addressed.reads()[n], i, 0, Direction::Read);
        }
        for n in 0..self.addressed.cells().len() {
            let cell = usize::from(self.addressed.cells()[n]);
            for (did, head) in [(Direction::Write, self.writes[cell]), (Direction::Read, self.reads[cell])] {
                let mut at = head;
                while let Some(&RegisterAccess { inst, next, .. }) = self.entries.get(as_index(at)) {
                    self.wait_to_overwrite(inst, i, cell, did);
                    at = next;
                }
            }
        }
        self.addressed.written(i);
    }

    /// Any register may be read. Instructions that do so keep their order: then who writes waits for the last.
    fn read_anywhere(&mut self, i: u32) {
        self.edge(self.anywhere, i, 0);
        let mut writers = std::mem::take(&mut self.writers);
        for w in writers.drain(..) {
            self.edge(w, i, self.nodes[as_index(w)].takes.latency);
        }
        self.writers = writers;
        self.anywhere = i;
    }

    fn message(&mut self, i: u32, access: MemoryAccess) {
        for space in access.spaces().map(MemorySpace::index) {
            self.edge(self.messages[space].store, i, 1);
            if !access.writes {
                self.messages[space].loads.push(i);
                continue;
            }
            let mut loads = std::mem::take(&mut self.messages[space].loads);
            for load in loads.drain(..) {
                self.edge(load, i, 1);
            }
            self.messages[space] = Messages { store: i, loads };
        }
    }
}

/// What an instruction costs. Nobody waits for the answer of a message that has none, though it is long under way.
fn takes(inst: &Inst<Physical>, caps: &Caps) -> Timing {
    let takes = inst.timing(caps);
    match inst.send() {
        Some(send) if send.dst_len == 0 => Timing { latency: takes.issue.max(takes.read), ..takes },
        _ => takes,
    }
}

/// `len` bytes from `start` on.
fn mask(start: u32, len: u32) -> u64 {
    ones(len) << start
}

/// Whether the accumulator is read and written beside the operands. Macros go by it for their extra bits.
pub(crate) fn implicit_accumulator(inst: &Inst<Physical>) -> ImplicitAccumulator {
    let macros = inst.has_macro_operand();
    let ImplicitAccumulator { reads, writes } = inst.implicit_accumulator();
    ImplicitAccumulator { reads: reads || macros, writes: writes || macros }
}
