//! Results that may take the place of what they are made of.
//!
//! `add d = s, x`, the last reader of `s`, may write to the registers of `s`. It depends on nothing there that it does not
//! depend on anyway, and the two variables need no more room than one. The registers that this saves are written again
//! later, so a scheduler may move instructions further, messages above all. Where places are taken in turn, only the first
//! reader of `s` in a block does this: an earlier one could not be moved behind it any more.
//!
//! An instruction whose operands span two registers runs in steps. In each it reads and writes the same channels, so the
//! result may have just the bytes that are read ([`Access::may_be_written_in_place`]), although a result anywhere else
//! must keep off them (`Kind::EARLY`).

use crate::{
    analysis::{
        access::{Access, Kind},
        accesses::Accesses,
        position::Position,
    },
    place::copies::Copies,
};
use gen_ir::{Class, Dst, Inst, Kernel, VarId, Virtual};
use narrow::as_index;

/// The results of a kernel that may be in the place of a source.
#[derive(Default)]
pub(crate) struct Reuse {
    /// By variable, the last instruction so far that reads it.
    last_read: Vec<Option<u32>>,
    /// By variable.
    sources: Vec<Option<ReusedSource>>,
    /// By variable, the first that may take its place, and where.
    takers: Vec<Option<(VarId, Position)>>,
}

/// A variable whose place another may take.
#[derive(Clone, Copy)]
pub(crate) struct ReusedSource {
    pub of: VarId,
    /// Where the instruction reads it that writes the other.
    pub at: Position,
    /// Nothing in the block reads it before.
    pub only: bool,
    /// One is copied to the other, which takes no instruction if both have the same place.
    pub is_copied: bool,
}

impl Reuse {
    /// Looks for them.
    pub fn find(&mut self, kernel: &Kernel<Virtual>, accesses: &Accesses, copies: &Copies) {
        self.last_read.clear();
        self.last_read.resize(kernel.vars.len(), None);
        self.sources.clear();
        self.sources.resize(kernel.vars.len(), None);
        self.takers.clear();
        self.takers.resize(kernel.vars.len(), None);
        for (b, block) in kernel.blocks.iter().enumerate() {
            let first = accesses.blocks[b];
            for (at, inst) in (first..).zip(&block.insts) {
                let list = accesses.of(as_index(at));
                if let Some(v) = written_in_steps(inst)
                    && let Some(reused) = self.reused_by((kernel, copies), v, list, (at, first))
                {
                    self.sources[v.index()].get_or_insert(reused);
                    self.takers[reused.of.index()].get_or_insert((v, reused.at));
                }
                for a in list.iter().filter(|a| a.kind.has(Kind::READ)) {
                    self.last_read[a.var.index()] = Some(at);
                }
            }
        }
    }

    /// A variable that is read as `v` is written by instruction `at` of a block that begins with instruction `first`: rather
    /// one that the two copy, or that nothing reads before.
    fn reused_by(
        &self,
        (kernel, copies): (&Kernel<Virtual>, &Copies),
        v: VarId,
        list: &[Access],
        (at, first): (u32, u32),
    ) -> Option<ReusedSource> {
        let w = list.iter().find(|w| w.var == v && w.kind.has(Kind::WRITE.with(Kind::SURE)))?;
        let reg_bytes = u32::from(kernel.platform.caps().regs.grf_bytes);
        let whole = |v: VarId| {
            let var = &kernel.vars[v.index()];
            (var.is_only_named() && var.fixed.is_none() && var.bytes.is_multiple_of(reg_bytes))
                .then_some(var.bytes)
        };
        let bytes = whole(v)?;
        let in_place = |a: &Access| a.start == w.start && a.may_be_written_in_place(w);
        // Whoever reads it otherwise, too, one channel for all of them say, would find what earlier steps have written.
        let every = |of: VarId| list.iter().filter(|a| a.var == of).all(in_place);
        let alike = |a: &&Access| a.var != v && in_place(a) && every(a.var) && whole(a.var) == Some(bytes);
        let reused = |a: &Access| ReusedSource {
            of: a.var,
            at: Position::before(as_index(at)),
            only: self.last_read[a.var.index()].is_none_or(|read| read < first),
            is_copied: copies.of(v).any(|c| c.other == a.var && c.behind == 0),
        };
        list.iter().filter(alike).map(reused).min_by_key(|l| (!l.is_copied, !l.only))
    }

    /// Whose place a variable may take, if it may.
    pub fn reused(&self, v: VarId) -> Option<ReusedSource> {
        *self.sources.get(v.index())?
    }

    /// A variable that may take the place of another, and where: one that a loop carries, say, whose place is known before
    /// that of what it is made of.
    pub fn taker(&self, of: VarId) -> Option<(VarId, Position)> {
        *self.takers.get(of.index())?
    }

    /// Forgets them.
    pub fn clear(&mut self) {
        self.sources.clear();
        self.takers.clear();
    }
}

/// The variable to which an instruction writes dwords side by side, channel by channel.
fn written_in_steps(inst: &Inst<Virtual>) -> Option<VarId> {
    let Dst::Direct { reg, horz: 1, ty } = inst.dst else { return None };
    let by_channel = matches!(inst.op.info().class, Class::Basic | Class::Ternary);
    (by_channel && matches!(ty.bytes(), 2 | 4 | 8) && inst.exec.lanes() >= 8).then_some(reg.var()).flatten()
}
