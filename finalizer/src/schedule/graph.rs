//! Who depends on whom in a stretch of code, and by how many cycles.
//!
//! Every register has a list of writes and one of reads that later instructions may meet, with the bytes they
//! touch. An access looks through the lists of its registers; what it overwrites leaves them, because whoever
//! would have waited for that now waits for the one that came after it. So lists stay short, and building the
//! graph takes time in proportion to the operands.

use gen_ir::{Arf, Base, Extent, Inst, Op, Physical, PredCtrl, Reg, Role, Src};
use platforms::{Caps, Platform};

use super::Kind;
use crate::lists::refill;

const NONE: u32 = u32::MAX;
/// General registers at most.
const GRFS: usize = 256;
/// Flag registers, four of them; behind them the address register and the accumulators, one cell each.
const FLAGS: usize = GRFS;
const ADDRESSES: usize = FLAGS + 4;
const ACCUMULATOR: usize = ADDRESSES + 1;
const CELLS: usize = ACCUMULATOR + 1;

/// An instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    /// The first edge to a later instruction.
    edge: u32,
    /// Edges from earlier ones.
    pub before: u32,
    /// Cycles before the next instruction can issue.
    pub issue: u32,
    /// Cycles from its issue to the end, along the longest way.
    pub height: u32,
    /// Cycles until its results can be read, and until its sources can be overwritten.
    latency: u32,
    read: u32,
}

#[derive(Clone, Copy, Debug)]
struct Edge {
    to: u32,
    cycles: u32,
    next: u32,
}

/// An access to bytes of a register.
#[derive(Clone, Copy, Debug)]
struct Entry {
    inst: u32,
    bytes: u64,
    next: u32,
}

/// The graph, and the memory that building it takes.
#[derive(Debug)]
pub(super) struct Graph {
    pub nodes: Vec<Node>,
    edges: Vec<Edge>,
    entries: Vec<Entry>,
    /// The newest write and read of each register.
    writes: [u32; CELLS],
    reads: [u32; CELLS],
    /// Registers whose lists are not empty.
    touched: Vec<u16>,
    /// The last instruction that may read any register, and those since then that write one.
    anywhere: u32,
    writers: Vec<u32>,
    /// The last message that does more than read, and the reading ones since then.
    store: u32,
    loads: Vec<u32>,
    writes_wait: bool,
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
            anywhere: NONE,
            writers: Vec::new(),
            store: NONE,
            loads: Vec::new(),
            writes_wait: false,
        }
    }
}

impl Graph {
    /// Builds the graph of a stretch, whose instructions are of these kinds.
    pub fn build(&mut self, insts: &[Inst<Physical>], kinds: &[Kind], platform: Platform) {
        let caps = platform.caps();
        let node = |inst: &Inst<Physical>| Node {
            edge: NONE,
            before: 0,
            issue: inst.issue_cycles(caps),
            height: 0,
            latency: inst.latency(caps),
            read: inst.read_cycles(caps),
        };
        refill(&mut self.nodes, insts.iter().map(node));
        self.edges.clear();
        self.entries.clear();
        self.writers.clear();
        self.loads.clear();
        (self.anywhere, self.store) = (NONE, NONE);
        self.writes_wait = caps.latencies.writes_wait;
        for cell in self.touched.drain(..) {
            self.writes[usize::from(cell)] = NONE;
            self.reads[usize::from(cell)] = NONE;
        }
        for (i, (inst, kind)) in insts.iter().zip(kinds).enumerate() {
            self.add(i as u32, inst, *kind, caps);
        }
        for i in (0..self.nodes.len()).rev() {
            let ways = self.after(i).map(|(to, cycles)| cycles + self.nodes[to].height);
            self.nodes[i].height = ways.max().unwrap_or(0).max(self.nodes[i].latency);
        }
    }

    /// Later instructions that depend on one, and how many cycles after its issue they can issue.
    pub fn after(&self, i: usize) -> impl Iterator<Item = (usize, u32)> {
        let mut at = self.nodes[i].edge;
        std::iter::from_fn(move || {
            let edge = self.edges.get(at as usize)?;
            at = edge.next;
            Some((edge.to as usize, edge.cycles))
        })
    }

    fn edge(&mut self, from: u32, to: u32, cycles: u32) {
        if from == to || from == NONE {
            return;
        }
        let first = self.nodes[from as usize].edge;
        if let Some(edge) = self.edges.get_mut(first as usize).filter(|e| e.to == to) {
            edge.cycles = edge.cycles.max(cycles);
            return;
        }
        self.nodes[from as usize].edge = self.edges.len() as u32;
        self.nodes[to as usize].before += 1;
        self.edges.push(Edge { to, cycles, next: first });
    }

    fn add(&mut self, i: u32, inst: &Inst<Physical>, kind: Kind, caps: &Caps) {
        let grf_bytes = u32::from(caps.regs.grf_bytes);
        // All reads first: an instruction does not wait for itself.
        inst.for_each_reg(|role, reg| {
            if !role.is_write() {
                self.operand(i, inst, role, reg, grf_bytes);
            }
        });
        let (reads, writes) = accumulator(inst);
        if reads {
            self.read(i, ACCUMULATOR, u64::MAX);
        }
        if inst.src.iter().any(|s| matches!(s, Src::Indirect { .. })) {
            self.read_anywhere(i);
        }
        inst.for_each_reg(|role, reg| {
            if role.is_write() && !(role == Role::Cond && matches!(inst.op, Op::Sel | Op::Csel)) {
                self.operand(i, inst, role, reg, grf_bytes);
            }
        });
        if writes {
            self.write(i, ACCUMULATOR, u64::MAX);
        }
        match kind {
            Kind::Load => self.message(i, true),
            Kind::Store | Kind::Stays => self.message(i, false),
            Kind::Plain => {}
        }
    }

    fn operand(&mut self, i: u32, inst: &Inst<Physical>, role: Role, reg: Reg<Physical>, grf_bytes: u32) {
        let Some(mut extent) = inst.extent(role, grf_bytes) else { return };
        let (first, size) = match reg.base() {
            Base::Grf(n) => (usize::from(n), grf_bytes),
            Base::Arf(Arf::Flag(n)) => {
                if role == Role::Pred && inst.pred.is_some_and(|p| p.ctrl != PredCtrl::Seq) {
                    // Groups of channels, perhaps of both flags.
                    (0..4).for_each(|n| self.read(i, FLAGS + n, u64::MAX));
                    return;
                }
                (FLAGS + usize::from(n), 4)
            }
            Base::Arf(Arf::Addr(_)) => (ADDRESSES, 64),
            Base::Arf(Arf::Acc(_)) => {
                extent = Extent::new(0, 64);
                (ACCUMULATOR, 64)
            }
            _ => return,
        };
        let end = if first < GRFS { GRFS } else { CELLS };
        let mut at = extent.start;
        while at < extent.end {
            let cell = first + (at / size) as usize;
            let stop = ((at / size + 1) * size).min(extent.end);
            let bytes = mask(at % size, stop - at);
            if cell >= end {
                break;
            }
            if role.is_write() {
                self.write(i, cell, bytes);
            } else {
                self.read(i, cell, bytes);
            }
            at = stop;
        }
        if role.is_write() && first < GRFS {
            if self.anywhere != NONE {
                self.edge(self.anywhere, i, 1);
            }
            self.writers.push(i);
        }
    }

    fn read(&mut self, i: u32, cell: usize, bytes: u64) {
        let mut at = self.writes[cell];
        while let Some(&Entry { inst, bytes: written, next }) = self.entries.get(at as usize) {
            if written & bytes != 0 {
                self.edge(inst, i, self.nodes[inst as usize].latency);
            }
            at = next;
        }
        self.note(cell);
        self.entries.push(Entry { inst: i, bytes, next: self.reads[cell] });
        self.reads[cell] = self.entries.len() as u32 - 1;
    }

    fn write(&mut self, i: u32, cell: usize, bytes: u64) {
        self.note(cell);
        for reads in [false, true] {
            let head = if reads { self.reads[cell] } else { self.writes[cell] };
            let (mut first, mut last, mut at) = (NONE, NONE, head);
            while let Some(&Entry { inst, bytes: touched, next }) = self.entries.get(at as usize) {
                if touched & bytes != 0 {
                    let node = self.nodes[inst as usize];
                    let cycles = match reads {
                        // Descriptors and predicates are read as a message leaves.
                        true if cell >= GRFS => 0,
                        true => node.read,
                        false if self.writes_wait || node.read > 0 => node.latency,
                        false => 1,
                    };
                    self.edge(inst, i, cycles);
                }
                if touched & !bytes != 0 {
                    // Bytes of it are left for others.
                    match self.entries.get_mut(last as usize) {
                        Some(entry) => entry.next = at,
                        None => first = at,
                    }
                    last = at;
                }
                at = next;
            }
            if let Some(entry) = self.entries.get_mut(last as usize) {
                entry.next = NONE;
            }
            if reads { self.reads[cell] = first } else { self.writes[cell] = first }
        }
        self.entries.push(Entry { inst: i, bytes, next: self.writes[cell] });
        self.writes[cell] = self.entries.len() as u32 - 1;
    }

    /// The register's lists have to be emptied for the next stretch.
    fn note(&mut self, cell: usize) {
        if self.writes[cell] == NONE && self.reads[cell] == NONE {
            self.touched.push(cell as u16);
        }
    }

    /// Any register may be read. Instructions that do so keep their order: then who writes waits for the last.
    fn read_anywhere(&mut self, i: u32) {
        self.edge(self.anywhere, i, 0);
        let mut writers = std::mem::take(&mut self.writers);
        for w in writers.drain(..) {
            self.edge(w, i, self.nodes[w as usize].latency);
        }
        self.writers = writers;
        self.anywhere = i;
    }

    fn message(&mut self, i: u32, only_reads: bool) {
        self.edge(self.store, i, 1);
        if only_reads {
            self.loads.push(i);
            return;
        }
        let mut loads = std::mem::take(&mut self.loads);
        for load in loads.drain(..) {
            self.edge(load, i, 1);
        }
        self.loads = loads;
        self.store = i;
    }
}

/// `len` bytes from `start` on.
fn mask(start: u32, len: u32) -> u64 {
    if len >= 64 { u64::MAX } else { ((1 << len) - 1) << start }
}

/// Whether the accumulator is read and written beside the operands. Macros go by it for their extra bits.
fn accumulator(inst: &Inst<Physical>) -> (bool, bool) {
    let macros = inst.src.iter().any(|s| matches!(s, Src::Macro { .. }))
        || matches!(inst.dst, gen_ir::Dst::Macro { .. });
    let (reads, writes) = inst.implicit_accumulator();
    (reads || macros, writes || macros)
}
