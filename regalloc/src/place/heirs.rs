//! Results that may take the place of what they are made of.
//!
//! `add d = s, x`, the last reader of `s`, may write to the registers of `s`. It depends on nothing there that it does not
//! depend on anyway, and the two variables need no more room than one. The registers that this saves are written again
//! later, so a scheduler may move instructions further, messages above all. Where places are taken in turn, only the sole
//! reader of `s` does this.
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

/// The results of a kernel that may be in the place of a source.
#[derive(Default)]
pub(crate) struct Heirs {
    /// How many operands read each variable.
    reads: Vec<u32>,
    /// By variable.
    legacies: Vec<Option<Legacy>>,
    /// By variable, the first that may take its place, and where.
    heirs: Vec<Option<(VarId, Position)>>,
}

/// A variable whose place another may take.
#[derive(Clone, Copy)]
pub(crate) struct Legacy {
    pub of: VarId,
    /// Where the instruction reads it that writes the other.
    pub at: Position,
    /// Nothing else reads it.
    pub only: bool,
    /// One is copied to the other, which takes no instruction if both have the same place.
    pub is_copied: bool,
}

impl Heirs {
    /// Looks for them.
    pub fn find(&mut self, kernel: &Kernel<Virtual>, accesses: &Accesses, copies: &Copies) {
        self.reads.clear();
        self.reads.resize(kernel.vars.len(), 0);
        for a in accesses.all().iter().filter(|a| a.kind.has(Kind::READ)) {
            self.reads[a.var.index()] += 1;
        }
        self.legacies.clear();
        self.legacies.resize(kernel.vars.len(), None);
        self.heirs.clear();
        self.heirs.resize(kernel.vars.len(), None);
        for (at, inst) in (0..).zip(kernel.blocks.iter().flat_map(|b| &b.insts)) {
            let Some(v) = written_in_steps(inst) else { continue };
            let before = Position::before(at);
            if let Some(legacy) = self.legacy_of((kernel, copies), v, accesses.of(at), before) {
                self.legacies[v.index()].get_or_insert(legacy);
                self.heirs[legacy.of.index()].get_or_insert((v, before));
            }
        }
    }

    /// A variable that is read as `v` is written, rather one that the two copy, or that nothing else reads.
    fn legacy_of(
        &self,
        (kernel, copies): (&Kernel<Virtual>, &Copies),
        v: VarId,
        list: &[Access],
        at: Position,
    ) -> Option<Legacy> {
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
        let legacy = |a: &Access| Legacy {
            of: a.var,
            at,
            only: self.reads[a.var.index()] == 1,
            is_copied: copies.of(v).any(|c| c.other == a.var && c.behind == 0),
        };
        list.iter().filter(alike).map(legacy).min_by_key(|l| (!l.is_copied, !l.only))
    }

    /// Whose place a variable may take, if it may.
    pub fn legacy(&self, v: VarId) -> Option<Legacy> {
        *self.legacies.get(v.index())?
    }

    /// A variable that may take the place of another, and where: one that a loop carries, say, whose place is known before
    /// that of what it is made of.
    pub fn heir(&self, of: VarId) -> Option<(VarId, Position)> {
        *self.heirs.get(of.index())?
    }

    /// Forgets them.
    pub fn clear(&mut self) {
        self.legacies.clear();
        self.heirs.clear();
    }
}

/// The variable to which an instruction writes dwords side by side, channel by channel.
fn written_in_steps(inst: &Inst<Virtual>) -> Option<VarId> {
    let Dst::Direct { reg, horz: 1, ty } = inst.dst else { return None };
    let by_channel = matches!(inst.op.info().class, Class::Basic | Class::Ternary);
    (by_channel && matches!(ty.bytes(), 4 | 8) && inst.exec.lanes() >= 8).then_some(reg.var()).flatten()
}
