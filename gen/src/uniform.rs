//! Predicates that hold the same bit for every lane.
//!
//! Where all lanes take a branch or none does, no lane waits for it. A uniform goto reads one bit of its predicate besides:
//! where it has to become a goto of all lanes, the predicate must say that bit for each of them. Most often it does, because
//! the comparison ran for all lanes on scalar operands without a mask.

use crate::{Dst, Inst, Kernel, Op, Pred, PredCtrl, Reg, Src, VarClass, VarId, Virtual};

/// For each variable, whether it is a flag whose every write gives all lanes the same bit.
#[derive(Debug, Default)]
pub struct UniformFlags {
    uniform: Vec<bool>,
    written: Vec<bool>,
    /// They are of this kernel as it is.
    known: bool,
}

impl UniformFlags {
    /// Another kernel, or flags have been added.
    pub fn forget(&mut self) {
        self.known = false;
    }

    /// Whether every active lane takes a branch if one does: as it is written ([`Inst::is_uniform`]), or because its
    /// predicate says the same to all lanes.
    pub fn goes_as_one(&mut self, kernel: &Kernel<Virtual>, width: u32, branch: &Inst<Virtual>) -> bool {
        let says_the_same = |pred: &Pred<Virtual>| self.is_uniform(kernel, width, pred);
        branch.is_uniform(width) || branch.spans(width) && branch.pred.as_ref().is_some_and(says_the_same)
    }

    /// Whether a predicate lets all lanes of `width` pass or none.
    pub fn is_uniform(&mut self, kernel: &Kernel<Virtual>, width: u32, pred: &Pred<Virtual>) -> bool {
        if !self.known {
            self.find(kernel, width);
        }
        pred.ctrl == PredCtrl::Seq && self.has(pred.flag)
    }

    fn has(&self, flag: Reg<Virtual>) -> bool {
        flag.byte == 0 && flag.var().is_some_and(|v| self.uniform.get(v.index()).copied().unwrap_or(false))
    }

    /// Finds uniform flags: those that nothing makes others of, where they are taken to be uniform themselves.
    fn find(&mut self, kernel: &Kernel<Virtual>, width: u32) {
        self.known = true;
        self.uniform.clear();
        self.uniform.extend(kernel.vars.iter().map(|v| v.class == VarClass::Flag && !v.live_in));
        self.written.clear();
        self.written.resize(kernel.vars.len(), false);
        // Where no write keeps a flag uniform, none is left that another could hang on.
        let (mut changed, mut kept) = (true, true);
        while changed && kept {
            (changed, kept) = (false, false);
            for (_, inst) in kernel.insts() {
                for flag in [inst.cond.map(|c| c.flag), inst.dst.reg()].into_iter().flatten() {
                    let Some(v) = flag.var().map(VarId::index).filter(|&v| self.uniform[v]) else { continue };
                    self.written[v] = true;
                    if self.keeps_uniform(kernel, inst, flag, width) {
                        kept = true;
                    } else {
                        (self.uniform[v], changed) = (false, true);
                    }
                }
            }
        }
        self.uniform.iter_mut().zip(&self.written).for_each(|(uniform, written)| *uniform &= written);
    }

    /// Whether an instruction that writes a flag gives all lanes the same bit, or leaves all as they are.
    fn keeps_uniform(
        &self,
        kernel: &Kernel<Virtual>,
        inst: &Inst<Virtual>,
        flag: Reg<Virtual>,
        width: u32,
    ) -> bool {
        let all_or_none = inst.pred.is_none_or(|p| p.ctrl == PredCtrl::Seq && self.has(p.flag));
        if !inst.no_mask || inst.chan != 0 || flag.byte != 0 || !all_or_none {
            return false;
        }
        if inst.cond.is_some_and(|c| c.flag == flag) {
            let scalar = |s: &Src<Virtual>| match s {
                Src::None | Src::Imm { .. } | Src::AddrOf { .. } => true,
                Src::Direct { region, .. } => region.is_scalar(),
                Src::Indirect { .. } | Src::Macro { .. } => false,
            };
            // (A selection does not write its condition's flag.)
            let compares = !inst.op.info().chooses && inst.src.iter().all(scalar);
            return compares && inst.exec.lanes() >= width;
        }
        // Bits as a number, all of them at once.
        let Dst::Direct { ty, .. } = inst.dst else { return false };
        let lanes = if width == 32 { u64::from(u32::MAX) } else { (1 << width) - 1 };
        let same = |s: &Src<Virtual>| match *s {
            Src::None => true,
            Src::Imm { bits, .. } => bits & lanes == 0 || bits & lanes == lanes,
            Src::Direct { reg, ty: of, .. } => self.has(reg) && of.bytes() == ty.bytes(),
            _ => false,
        };
        let whole = flag.var().is_some_and(|v| ty.bytes() == kernel.vars[v.index()].bytes);
        let bitwise = inst.op == Op::Mov || inst.op.info().logic;
        whole && bitwise && inst.exec.lanes() == 1 && inst.src.iter().all(same)
    }
}
