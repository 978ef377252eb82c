//! Variables whose registers no access needs together become several.
//!
//! A vector of values that compilers put side by side, and that instructions touch one at a time, would live,
//! be spilled and ask for neighbouring registers as one. What one access touches stays together, so payloads
//! and responses of messages stay whole.

use crate::access::Accesses;
use gen_ir::{Base, Kernel, Reg, Var, VarClass, VarId, Virtual};

/// Registers of the largest variable that is looked at.
const MOST: u32 = 64;

/// Memory of the search.
#[derive(Default)]
pub(crate) struct Scratch {
    /// By variable: the registers that some access needs together with the one behind.
    joined: Vec<u64>,
    /// By variable: the first of its parts among all, if it has some, and how many there are.
    parts: Vec<(u32, u32)>,
    /// Parts: the first register of the variable, and what stands for it.
    starts: Vec<(u32, VarId)>,
}

impl Scratch {
    /// Looks for variables that can be split. Returns whether there are any.
    pub fn find(&mut self, kernel: &Kernel<Virtual>, accesses: &Accesses) -> bool {
        let grf = u32::from(kernel.platform.caps().regs.grf_bytes);
        self.joined.clear();
        self.joined.extend(kernel.vars.iter().enumerate().map(|(v, var)| {
            let whole = var.class != VarClass::General
                || var.fixed.is_some()
                || var.live_in
                || var.live_out
                || var.no_spill
                || var.address_taken
                || !var.bytes.is_multiple_of(grf)
                || var.bytes > MOST * grf
                || kernel.scratch_header == Some(VarId(v as u32));
            let regs = var.bytes / grf;
            match regs {
                _ if whole => u64::MAX,
                // Parts start at even registers, too.
                _ if var.even_grf => 0x5555_5555_5555_5555,
                _ => 0,
            }
        }));
        for b in 0..kernel.blocks.len() {
            for a in accesses.of_block(b) {
                let joined = &mut self.joined[a.var as usize];
                if *joined != u64::MAX && a.end > a.start {
                    let (first, last) = (a.start / grf, (a.end - 1) / grf);
                    *joined |= between(first, last);
                }
            }
        }
        kernel.vars.iter().zip(&self.joined).any(|(var, &joined)| parts(var, joined, grf) > 1)
    }

    /// Splits what was found.
    pub fn split(&mut self, kernel: &mut Kernel<Virtual>) {
        let grf = u32::from(kernel.platform.caps().regs.grf_bytes);
        self.parts.clear();
        self.starts.clear();
        for v in 0..self.joined.len() {
            let (joined, regs) = (self.joined[v], kernel.vars[v].bytes / grf);
            if parts(&kernel.vars[v], joined, grf) <= 1 {
                self.parts.push((0, 0));
                continue;
            }
            let from = self.starts.len() as u32;
            let mut start = 0;
            for r in 0..regs {
                let last = r + 1 == regs;
                if !last && joined >> r & 1 != 0 {
                    continue;
                }
                let bytes = (r + 1 - start) * grf;
                let var = Var { bytes, ..kernel.vars[v].clone() };
                self.starts.push((start, kernel.add_var(var)));
                start = r + 1;
            }
            self.parts.push((from, self.starts.len() as u32 - from));
        }
        for block in &mut kernel.blocks {
            for inst in &mut block.insts {
                let mut named = false;
                inst.for_each_reg(|_, r| {
                    named |= r.var().and_then(|v| self.parts.get(v.index())).is_some_and(|p| p.1 > 0);
                });
                if named {
                    *inst = inst.map_regs(|_, r| self.part(r, grf));
                }
            }
        }
    }

    /// The register as one of a part.
    fn part(&self, reg: Reg<Virtual>, grf: u32) -> Reg<Virtual> {
        let Base::Var(v) = reg.base() else { return reg };
        let Some(&(from, n @ 1..)) = self.parts.get(v.index()) else { return reg };
        let parts = &self.starts[from as usize..(from + n) as usize];
        let at = parts.partition_point(|p| p.0 * grf <= reg.byte) - 1;
        let (start, var) = parts[at];
        Reg::var_at(var, reg.byte - start * grf)
    }
}

/// How many parts a variable has.
fn parts(var: &Var, joined: u64, grf: u32) -> u32 {
    if joined == u64::MAX {
        return 1;
    }
    let regs = var.bytes / grf;
    regs - (joined & between(0, regs.saturating_sub(1))).count_ones()
}

/// The bits from `from` to before `to`.
fn between(from: u32, to: u32) -> u64 {
    let below = |n: u32| if n >= 64 { u64::MAX } else { (1 << n) - 1 };
    below(to) & !below(from)
}
