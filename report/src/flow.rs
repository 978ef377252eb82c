//! Blocks of machine code, and where control goes from each.

use gen_ir::{BlockId, Class, Inst, Op, Physical, Target, Waits};
use narrow::to_u32;

use crate::instruction::Instruction;

/// Blocks and edges.
#[derive(Clone, Debug, Default)]
pub struct Flow {
    /// The first instruction of each block.
    pub starts: Vec<usize>,
    /// Where control goes from each block, fall-through first.
    pub edges: Vec<Vec<Edge>>,
    /// Loops around each block.
    pub depth: Vec<u32>,
    /// Blocks behind calls: where returns go.
    pub(crate) returns_to: Vec<usize>,
    /// Whether each block ends with a return.
    pub(crate) is_return: Vec<bool>,
    /// Where lanes wait, and since which block.
    pub(crate) waits: Waits,
    count: usize,
}

/// Where control goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize)]
pub struct Edge {
    /// The block.
    pub to: usize,
    /// `f`alls through, `b`ranches, or the instruction `p`ointer alone goes there (JIP), or a `c`all.
    pub kind: char,
}

impl Flow {
    /// Blocks of decoded instructions.
    pub(crate) fn new(insts: &[Instruction]) -> Flow {
        let at = |offset: i64| -> Option<usize> {
            let offset = u32::try_from(offset).ok()?;
            insts.binary_search_by_key(&offset, |i| i.offset).ok()
        };
        let target = |i: &Instruction, t: Target| match t {
            Target::Rel(rel) => at(i64::from(i.offset) + i64::from(rel)),
            _ => None,
        };
        let targets = |i: &Instruction| -> (Option<usize>, Option<usize>) {
            let both = i.inst.as_ref().and_then(Inst::targets);
            both.map_or((None, None), |(jip, uip)| (target(i, jip), target(i, uip)))
        };
        let mut starts = vec![0];
        for (n, i) in insts.iter().enumerate() {
            let (jip, uip) = targets(i);
            starts.extend([jip, uip].into_iter().flatten());
            if i.inst.as_ref().is_some_and(ends_block) && n + 1 < insts.len() {
                starts.push(n + 1);
            }
        }
        starts.sort_unstable();
        starts.dedup();
        if insts.is_empty() {
            starts.clear();
        }
        let blocks = starts.len();
        let (edges, is_return) = (vec![Vec::new(); blocks], vec![false; blocks]);
        let mut flow = Flow { starts, edges, is_return, count: insts.len(), ..Flow::default() };
        for block in 0..flow.starts.len() {
            let last = flow.range(block).end - 1;
            let (jip, uip) = targets(&insts[last]);
            flow.connect(block, insts[last].inst.as_ref(), jip, uip);
        }
        flow.depth = flow.depths();
        flow.waits = flow.find_waits(insts);
        flow
    }

    /// Where lanes that left the common path wait for the others, as [`Waits::find`] has it.
    fn find_waits(&self, insts: &[Instruction]) -> Waits {
        let mut back: Vec<(BlockId, BlockId)> = Vec::new();
        for (block, edges) in self.edges.iter().enumerate() {
            let backward = edges.iter().filter(|e| e.kind == 'b' && e.to <= block);
            back.extend(backward.map(|e| (block.into(), e.to.into())));
        }
        let mut waits = Waits::none(self.starts.len());
        for block in 0..self.starts.len() {
            let Some(last) = insts[self.range(block)].last().and_then(|i| i.inst.as_ref()) else { continue };
            let Some(branch) = self.edges[block].iter().find(|e| e.kind == 'b').map(|e| BlockId::from(e.to))
            else {
                continue;
            };
            let here = BlockId::from(block);
            let next = here.next();
            let (at, from) = match last.op {
                Op::Goto | Op::While if branch <= here => (next, branch),
                Op::Goto | Op::Cont | Op::If | Op::Else | Op::Halt => (branch, next),
                Op::Break => (branch.next(), next),
                _ => continue,
            };
            if at.index() < self.starts.len() {
                waits.add(at, from, &back);
            }
        }
        waits
    }

    fn connect(
        &mut self,
        block: usize,
        last: Option<&Inst<Physical>>,
        jip: Option<usize>,
        uip: Option<usize>,
    ) {
        let next = (block + 1 < self.starts.len()).then_some(block + 1);
        let (jip, uip) = (jip.map(|at| self.block_of(at)), uip.map(|at| self.block_of(at)));
        let mut edges: Vec<Edge> = Vec::new();
        let mut add = |to: Option<usize>, kind| {
            if let Some(to) = to.filter(|to| !edges.iter().any(|e: &Edge| e.to == *to)) {
                edges.push(Edge { to, kind });
            }
        };
        if last.is_none_or(falls) {
            add(next, 'f');
        }
        match last.map(|i| i.op) {
            Some(Op::Call) => {
                add(jip.or(uip), 'c');
                self.returns_to.extend(next);
            }
            Some(Op::Ret) => self.is_return[block] = true,
            Some(Op::Join | Op::Endif) => add(jip, 'p'),
            Some(Op::Goto | Op::Break | Op::Cont | Op::Halt) => {
                add(uip, 'b');
                add(jip, 'p');
            }
            Some(Op::If) => {
                add(jip, 'b');
                add(uip, 'p');
            }
            Some(Op::Else) => {
                add(jip, 'b');
                add(next, 'p');
            }
            _ => {
                add(jip, 'b');
                add(uip, 'b');
            }
        }
        self.edges[block] = edges;
    }

    /// The block that an instruction is in.
    pub fn block_of(&self, at: usize) -> usize {
        self.starts.partition_point(|s| *s <= at).saturating_sub(1)
    }

    /// Instructions of a block.
    pub fn range(&self, block: usize) -> std::ops::Range<usize> {
        self.starts[block]..self.starts.get(block + 1).copied().unwrap_or(self.count)
    }

    /// Loops around each block: edges back to earlier blocks, calls aside.
    fn depths(&self) -> Vec<u32> {
        let mut change = vec![0i32; self.starts.len() + 1];
        for (block, edges) in self.edges.iter().enumerate() {
            for e in edges.iter().filter(|e| e.kind == 'b' && e.to <= block) {
                change[e.to] += 1;
                change[block + 1] -= 1;
            }
        }
        let mut depth = 0;
        change[..self.starts.len()]
            .iter()
            .map(|c| {
                depth += c;
                to_u32(depth.max(0))
            })
            .collect()
    }
}

fn ends_block(inst: &Inst<Physical>) -> bool {
    inst.op.info().class == Class::Branch || inst.is_eot()
}

/// Whether what stands behind an instruction may be executed next.
fn falls(inst: &Inst<Physical>) -> bool {
    let always =
        matches!(inst.op, Op::Jmpi | Op::Goto | Op::Break | Op::Cont | Op::Halt) && inst.pred.is_none();
    !inst.is_eot() && !matches!(inst.op, Op::Ret | Op::Else) && !always
}
