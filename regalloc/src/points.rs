//! Which variables an indirect operand may touch.
//!
//! Addresses start as [`Src::AddrOf`] and pass through moves and arithmetic, in address or general
//! variables. Order and paths are ignored: a variable may hold the address of whatever any of its writes
//! may give it. An operand through an address of unknown origin touches everything whose address is
//! taken.

use gen_ir::{Base, Dst, Kernel, Reg, Src, VarClass, Virtual};

/// Variables that each variable may hold the address of.
pub(crate) struct Points {
    targets: Vec<Vec<u32>>,
    /// Everything whose address is taken.
    all: Vec<u32>,
}

impl Points {
    pub fn of(kernel: &Kernel<Virtual>) -> Points {
        let all: Vec<u32> = (0..kernel.vars.len() as u32)
            .filter(|&v| {
                let var = &kernel.vars[v as usize];
                var.address_taken && var.class == VarClass::General
            })
            .collect();
        let mut points = Points { targets: Vec::new(), all };
        if !points.all.is_empty() {
            points.solve(kernel);
        }
        points
    }

    /// What an indirect operand with address register `addr` may touch.
    pub fn at(&self, addr: Reg<Virtual>) -> &[u32] {
        let known = addr.var().and_then(|v| self.targets.get(v.index()));
        known.filter(|t| !t.is_empty()).unwrap_or(&self.all)
    }

    fn solve(&mut self, kernel: &Kernel<Virtual>) {
        let n = kernel.vars.len();
        self.targets = vec![Vec::new(); n];
        // Copies and arithmetic, as (from, to).
        let mut flows: Vec<(u32, u32)> = Vec::new();
        let mut work: Vec<u32> = Vec::new();
        for (_, inst) in kernel.insts() {
            let Dst::Direct { reg: Reg { base: Base::Var(to), .. }, .. } = inst.dst else { continue };
            if inst.op.is_send() || to.index() >= n {
                continue;
            }
            for src in &inst.src {
                match src {
                    Src::AddrOf { reg, .. } => {
                        if let Some(v) = reg.var()
                            && insert(&mut self.targets[to.index()], v.0)
                        {
                            work.push(to.0);
                        }
                    }
                    Src::Direct { reg, .. } => {
                        if let Some(from) = reg.var()
                            && from != to
                            && from.index() < n
                        {
                            flows.push((from.0, to.0));
                        }
                    }
                    _ => {}
                }
            }
        }
        flows.sort_unstable();
        flows.dedup();
        while let Some(v) = work.pop() {
            let first = flows.partition_point(|f| f.0 < v);
            for &(_, to) in flows[first..].iter().take_while(|f| f.0 == v) {
                let mut news = false;
                for t in self.targets[v as usize].clone() {
                    news |= insert(&mut self.targets[to as usize], t);
                }
                if news {
                    work.push(to);
                }
            }
        }
    }
}

/// Adds to a sorted list; whether it was new.
fn insert(list: &mut Vec<u32>, v: u32) -> bool {
    match list.binary_search(&v) {
        Ok(_) => false,
        Err(at) => {
            list.insert(at, v);
            true
        }
    }
}
