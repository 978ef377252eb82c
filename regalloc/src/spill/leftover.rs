//! Answers of messages of which little is needed for long.
//!
//! A message that loads four values of each lane answers in registers side by side, and as long as one value is needed,
//! all of them are taken. Where too much is alive, what is left of such an answer is copied to a variable of its own, behind
//! the last read of the rest in the answer's block: a move, for the registers of the rest.
//!
//! What is copied is a row of dwords, one a lane, by an instruction of the message's channels under the message's mask, and both
//! stand in one block: so the copy has of each lane what the answer has, of lanes that do not run what each had from an earlier run of
//! the block. No other instruction writes the answer. Reads between message and copy find the answer as before. An answer that is
//! read in front of its message in the same block is left alone: a copy that one block alone touches would hold nothing where
//! that starts ([`Var::is_temporary`]).

use crate::{
    analysis::{
        access::{Access, Kind},
        accesses::Accesses,
    },
    spill::{plan::Known, remat::is_free},
};
use gen_ir::{
    Block, BlockId, Dst, ExecSize, Inst, Kernel, Op, Pool, Reg, Region, Src, Type, Var, VarClass, VarId,
    Virtual,
};
use narrow::{as_index, to_index};
use typed_index_collections::TiVec;

/// Bytes of what a lane has of a row.
const DWORD: u32 = 4;

/// What is known of each answer, and what is copied of them.
#[derive(Default)]
pub(crate) struct Leftovers {
    /// By variable: its place in `answers`, or [`NONE`].
    answer: TiVec<VarId, u32>,
    answers: Vec<Answer>,
    /// Rows of answers that are copied: the answer's place, the row and what it becomes.
    copies: Vec<(u32, u32, VarId)>,
    /// The instruction that each copy stands behind, in order, and the copy's place.
    due: Vec<(u32, u32)>,
}

/// A variable that one message writes, row by row.
#[derive(Clone, Copy)]
struct Answer {
    var: VarId,
    block: BlockId,
    /// The message, and the last read of rows that nobody needs in another block.
    message: u32,
    last: u32,
    /// Bytes of a row, and how many rows there are.
    row: u32,
    rows: u32,
    /// Rows that are read in the message's block, and elsewhere, a bit each.
    here: u64,
    elsewhere: u64,
    /// The message's channels.
    exec: ExecSize,
    chan: u8,
    no_mask: bool,
}

const NONE: u32 = u32::MAX;

impl Answer {
    /// The row that an access stays in, if it stays in one.
    fn row_of(&self, a: &Access) -> Option<u32> {
        let row = a.start / self.row;
        (a.end > a.start
            && (a.end - 1) / self.row == row
            && row < self.rows
            && a.chan != Access::THROUGH_ADDRESS)
            .then_some(row)
    }

    /// Whether it is worth to copy what is needed elsewhere: then less is copied than given up.
    const fn pays(&self) -> bool {
        let stays = self.elsewhere.count_ones();
        stays > 0 && 2 * stays <= self.rows && self.here & !self.elsewhere != 0
    }
}

impl Leftovers {
    /// Finds answers that are alive where too much is, and of which less is left than not. Returns whether there are any.
    pub fn find(&mut self, known: Known<'_>) -> bool {
        self.find_answers(known.kernel, known.accesses);
        self.see_reads(known);
        self.answers.iter().any(Answer::pays)
    }

    /// Finds what one message alone writes, in rows of dwords.
    fn find_answers(&mut self, kernel: &Kernel<Virtual>, accesses: &Accesses) {
        let grf = u32::from(kernel.platform.caps().regs.grf_bytes);
        self.answers.clear();
        self.answer.clear();
        self.answer.resize(kernel.vars.len(), NONE);
        for (b, block) in kernel.blocks.iter().enumerate() {
            for (i, inst) in accesses.block(b).zip(&block.insts) {
                for a in accesses.of(i).iter().filter(|a| a.kind.has(Kind::WRITE)) {
                    let known = &mut self.answer[a.var];
                    if *known != NONE {
                        // Written twice.
                        self.answers[as_index(*known)].rows = 0;
                        continue;
                    }
                    let row = inst.exec.lanes() * DWORD;
                    let var = &kernel.vars[a.var.index()];
                    let fits = inst.op.is_send()
                        && u32::from(a.pitch) == DWORD
                        && a.kind.has(Kind::SURE)
                        && inst.pred.is_none()
                        && row.is_multiple_of(grf)
                        && row <= 2 * grf
                        && a.start == 0
                        && a.end.is_multiple_of(row)
                        && is_free(var);
                    let rows = if fits { a.end / row } else { 0 };
                    *known = to_index(self.answers.len());
                    self.answers.push(Answer {
                        var: a.var,
                        block: BlockId::from(b),
                        message: to_index(i),
                        last: 0,
                        row,
                        rows,
                        here: 0,
                        elsewhere: 0,
                        exec: inst.exec,
                        chan: inst.chan,
                        no_mask: inst.no_mask,
                    });
                }
            }
        }
    }

    /// Notes which rows are read where; what reads over a row's end makes a whole of the answer.
    fn see_reads(&mut self, Known { kernel, accesses, live, costs, .. }: Known<'_>) {
        let Leftovers { answer, answers, .. } = self;
        for a in answers.iter_mut().filter(|a| !costs.is_pressed(live.of(a.var))) {
            a.rows = 0;
        }
        let mut reads = |b: BlockId, see: &mut dyn FnMut(&mut Answer, u32, u32)| {
            for i in accesses.block(b.index()) {
                for a in accesses.of(i).iter().filter(|a| a.kind.has(Kind::READ)) {
                    let Some(known) = answers.get_mut(as_index(answer[a.var])) else { continue };
                    let ahead = known.block == b && i < as_index(known.message);
                    match known.row_of(a).filter(|_| !ahead) {
                        Some(row) => see(known, row, to_index(i)),
                        None => known.rows = 0,
                    }
                }
            }
        };
        for b in (0..kernel.blocks.len()).map(BlockId::from) {
            reads(b, &mut |known, row, _| {
                let rows = if known.block == b { &mut known.here } else { &mut known.elsewhere };
                *rows |= 1 << row;
            });
        }
        for b in (0..kernel.blocks.len()).map(BlockId::from) {
            reads(b, &mut |known, row, i| {
                if known.elsewhere >> row & 1 == 0 {
                    known.last = i;
                }
            });
        }
    }

    /// Copies what was found.
    pub fn copy(&mut self, kernel: &mut Kernel<Virtual>, pool: &mut Pool<Virtual>) {
        let grf = u32::from(kernel.platform.caps().regs.grf_bytes);
        self.copies.clear();
        for (n, known) in (0..).zip(&self.answers).filter(|(_, known)| known.pays()) {
            let even_grf = kernel.vars[known.var.index()].even_grf;
            for row in (0..known.rows).filter(|row| known.elsewhere >> row & 1 != 0) {
                let var = Var { even_grf, ..Var::temp(VarClass::General, known.row, grf) };
                self.copies.push((n, row, kernel.add_var(var)));
            }
        }
        self.due.clear();
        self.due.extend((0..).zip(&self.copies).map(|(c, copy)| (self.answers[as_index(copy.0)].last, c)));
        self.due.sort_unstable();
        let (mut due, mut first) = (&self.due[..], 0);
        for (b, Block { insts, .. }) in kernel.blocks.iter_mut().enumerate() {
            for (i, inst) in (first..).zip(&mut *insts) {
                *inst = self.renamed(inst, BlockId::from(b), i);
            }
            let end = first + to_index(insts.len());
            let (here, later) = due.split_at(due.partition_point(|d| d.0 < end));
            // From behind, so that what stands in front keeps its place.
            pool.grow(insts, here.len());
            for &(last, c) in here.iter().rev() {
                let at = as_index(last - first);
                insts.insert(at + 1, self.copied(self.copies[as_index(c)], insts[at].origin));
            }
            (due, first) = (later, end);
        }
    }

    /// Instruction `i` of block `b`, reading copies where there are any.
    fn renamed(&self, inst: &Inst<Virtual>, b: BlockId, i: u32) -> Inst<Virtual> {
        let copied = |v: VarId| {
            let n = self.answer.get(v).copied().filter(|&n| n != NONE)?;
            let known = self.answers[as_index(n)];
            (known.pays() && !(known.block == b && i <= known.last)).then_some((n, known.row))
        };
        let mut any = false;
        inst.for_each_read(|reg| any |= reg.var().is_some_and(|v| copied(v).is_some()));
        if !any {
            return *inst;
        }
        inst.map_regs(|role, reg| {
            let Some((n, bytes)) = reg.var().filter(|_| !role.is_write()).and_then(copied) else {
                return reg;
            };
            let row = reg.byte / bytes;
            let found = self.copies.binary_search_by_key(&(n, row), |c| (c.0, c.1));
            found.map_or(reg, |c| Reg::var_at(self.copies[c].2, reg.byte - row * bytes))
        })
    }

    /// The instruction that copies a row of an answer.
    fn copied(&self, (n, row, to): (u32, u32, VarId), origin: u32) -> Inst<Virtual> {
        let known = self.answers[as_index(n)];
        let from = Reg::var_at(known.var, row * known.row);
        Inst {
            chan: known.chan,
            no_mask: known.no_mask,
            dst: Dst::packed(Reg::var_at(to, 0), Type::Ud),
            src: [Src::new(from, Region::new(8, 8, 1), Type::Ud), Src::None, Src::None],
            origin,
            ..Inst::new(Op::Mov, known.exec)
        }
    }
}
