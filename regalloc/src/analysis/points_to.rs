//! Which variables an indirect operand may touch.
//!
//! Addresses start as [`Src::AddrOf`] and pass through moves and arithmetic, in address or general
//! variables. Order and paths are ignored: a variable may hold the address of whatever any of its writes
//! may give it. An operand through an address of unknown origin touches everything whose address is
//! taken.

use gen_ir::{Dst, InPlace, Kernel, Reg, Src, VarClass, VarId, Virtual};
use narrow::to_index;
use typed_index_collections::TiVec;

/// Variables that each variable may hold the address of.
#[derive(Default)]
pub(crate) struct PointsTo {
    /// By variable; only those of `reached` hold something.
    targets: TiVec<VarId, Vec<VarId>>,
    reached: Vec<VarId>,
    /// Everything whose address is taken.
    all: Vec<VarId>,
    /// Copies and arithmetic, as (from, to).
    flows: Vec<(VarId, VarId)>,
    work: Vec<VarId>,
    passed: Vec<VarId>,
}

impl PointsTo {
    /// Forgets the kernel before: nothing points anywhere.
    pub fn clear(&mut self) {
        for v in self.reached.drain(..) {
            self.targets[v].clear();
        }
        self.all.clear();
    }

    /// Looks at a kernel; forgets the one before.
    pub fn find(&mut self, kernel: &Kernel<Virtual>) {
        self.clear();
        let taken = |v: &VarId| {
            let var = &kernel.vars[v.index()];
            var.address_taken && var.class == VarClass::General
        };
        self.all.extend((0..to_index(kernel.vars.len())).map(VarId).filter(taken));
        if !self.all.is_empty() {
            self.solve(kernel);
        }
    }

    /// What an indirect operand with address register `addr` may touch.
    pub fn at(&self, addr: Reg<Virtual>) -> &[VarId] {
        let known = addr.var().and_then(|v| self.targets.get(v));
        known.filter(|t| !t.is_empty()).unwrap_or(&self.all)
    }

    /// Adds a target of a variable; whether it was new.
    fn add(&mut self, var: VarId, target: VarId) -> bool {
        let list = &mut self.targets[var];
        if list.is_empty() {
            self.reached.push(var);
        }
        insert(list, target)
    }

    fn solve(&mut self, kernel: &Kernel<Virtual>) {
        let n = kernel.vars.len();
        if self.targets.len() < n {
            self.targets.resize_with(n, Vec::new);
        }
        self.flows.clear();
        self.work.clear();
        for (_, inst) in kernel.insts() {
            let Dst::Direct { reg, .. } = inst.dst else { continue };
            let Some(to) = reg.var() else { continue };
            if inst.op.is_send() || to.index() >= n {
                continue;
            }
            for src in &inst.src {
                match src {
                    Src::AddrOf { reg: InPlace(reg), .. } => {
                        if let Some(v) = reg.var()
                            && self.add(to, v)
                        {
                            self.work.push(to);
                        }
                    }
                    Src::Direct { reg, .. } => {
                        if let Some(from) = reg.var()
                            && from != to
                            && from.index() < n
                        {
                            self.flows.push((from, to));
                        }
                    }
                    _ => {}
                }
            }
        }
        self.flows.sort_unstable();
        self.flows.dedup();
        while let Some(v) = self.work.pop() {
            let first = self.flows.partition_point(|f| f.0 < v);
            let mut passed = std::mem::take(&mut self.passed);
            passed.clear();
            passed.extend(&self.targets[v]);
            for i in first..self.flows.len() {
                let (from, to) = self.flows[i];
                if from != v {
                    break;
                }
                let mut news = false;
                for &t in &passed {
                    news |= self.add(to, t);
                }
                if news {
                    self.work.push(to);
                }
            }
            self.passed = passed;
        }
    }
}

/// Adds to a sorted list; whether it was new.
fn insert(list: &mut Vec<VarId>, v: VarId) -> bool {
    match list.binary_search(&v) {
        Ok(_) => false,
        Err(at) => {
            list.insert(at, v);
            true
        }
    }
}
