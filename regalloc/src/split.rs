//! Variables whose registers no instruction touches together become several.
//!
//! A vector of values that compilers put side by side, and that instructions touch one at a time, would live, be
//! spilled and ask for neighbouring registers as one; and legalization cuts operations on wide vectors into slices that
//! touch registers of their own. What one instruction touches stays together, so payloads and responses of messages
//! stay whole. The finalizer asks for it behind legalization, the allocator once more where too much is alive: passes in
//! between take out instructions that kept registers together.

use gen_ir::{Base, Inst, Kernel, Reg, Var, VarClass, VarId, Virtual};
use narrow::{ones, span, to_index};

/// Registers of the largest variable that is looked at.
const MOST: u32 = 64;

/// Splits variables of whole registers between registers that no instruction touches together.
///
/// Comes in: a kernel over variables, before allocation. Goes out: the same kernel, in which each part of such a variable
/// is a new variable with the properties of the whole, which nothing names any more. Left as they are: flags
/// and addresses, what is no multiple of a register or longer than 64 of them, what has its place or lives beyond the
/// kernel, what is reached through an address, and what must not be spilled. Nothing can fail. It keeps its memory from
/// one kernel to the next, and nothing else: the result depends on the kernel alone.
#[derive(Debug, Default)]
pub struct Splitter {
    /// By variable: registers that some instruction touches together with the one behind. All of them: it is not looked
    /// at.
    joined: Vec<u64>,
    /// By variable: the first of its parts among all, and how many there are if it has some.
    parts: Vec<(u32, u32)>,
    /// Parts: the first register of the variable, and what stands for it.
    starts: Vec<(u32, VarId)>,
}

const WHOLE: u64 = u64::MAX;

impl Splitter {
    /// Splits variables. Returns whether there were any to split.
    pub fn split(&mut self, kernel: &mut Kernel<Virtual>) -> bool {
        let found = self.find(kernel);
        if found {
            self.rename(kernel);
        }
        found
    }

    /// Looks for variables that can be split. Returns whether there are any.
    pub(crate) fn find(&mut self, kernel: &Kernel<Virtual>) -> bool {
        let grf_bytes = u32::from(kernel.platform.caps().regs.grf_bytes);
        self.joined.clear();
        self.joined.extend(kernel.vars.iter().enumerate().map(|(v, var)| {
            let whole = var.class != VarClass::General
                || var.fixed.is_some()
                || var.live_in
                || var.live_out
                || var.no_spill
                || var.address_taken
                || var.bytes <= grf_bytes
                || !var.bytes.is_multiple_of(grf_bytes)
                || var.align < grf_bytes
                || var.bytes > MOST * grf_bytes
                || kernel.scratch_header == Some(VarId(to_index(v)));
            match whole {
                true => WHOLE,
                // Parts start at even registers, too.
                false if var.even_grf => 0x5555_5555_5555_5555,
                false => 0,
            }
        }));
        if self.joined.iter().all(|&joined| joined == WHOLE) {
            return false;
        }
        // Registers have a power of two of bytes.
        let log = grf_bytes.trailing_zeros();
        for inst in kernel.blocks.iter().flat_map(|b| &b.insts) {
            // Few name what can be split: to look at the rest takes less than to ask for their bytes.
            if !names(inst, |v| self.joined[v.index()] != WHOLE) {
                continue;
            }
            inst.for_each_reg(|role, reg| {
                let Some(v) = reg.var() else { return };
                let joined = &mut self.joined[v.index()];
                if *joined == WHOLE {
                    return;
                }
                match inst.extent(role, grf_bytes) {
                    Some(e) if e.end > e.start => {
                        *joined |= between(e.start >> log, (e.end - 1) >> log);
                        // Nothing is left to find out.
                        if count(&kernel.vars[v.index()], *joined, grf_bytes) == 1 {
                            *joined = WHOLE;
                        }
                    }
                    Some(_) => {}
                    None => *joined = WHOLE,
                }
            });
        }
        kernel.vars.iter().zip(&self.joined).any(|(var, &joined)| count(var, joined, grf_bytes) > 1)
    }

    /// Gives what was found new names.
    pub(crate) fn rename(&mut self, kernel: &mut Kernel<Virtual>) {
        let grf_bytes = u32::from(kernel.platform.caps().regs.grf_bytes);
        self.parts.clear();
        self.starts.clear();
        for (v, &joined) in self.joined.iter().enumerate() {
            let from = to_index(self.starts.len());
            if count(&kernel.vars[v], joined, grf_bytes) > 1 {
                let regs = kernel.vars[v].bytes / grf_bytes;
                let mut start = 0;
                for r in 0..regs {
                    if r + 1 < regs && joined >> r & 1 != 0 {
                        continue;
                    }
                    let var = Var { bytes: (r + 1 - start) * grf_bytes, ..kernel.vars[v].clone() };
                    self.starts.push((start, kernel.add_var(var)));
                    start = r + 1;
                }
            }
            self.parts.push((from, to_index(self.starts.len()) - from));
        }
        for inst in kernel.blocks.iter_mut().flat_map(|b| &mut b.insts) {
            if names(inst, |v| self.parts.get(v.index()).is_some_and(|p| p.1 > 0)) {
                *inst = inst.map_regs(|_, r| self.part(r, grf_bytes));
            }
        }
    }

    /// The register as one of a part.
    fn part(&self, reg: Reg<Virtual>, grf_bytes: u32) -> Reg<Virtual> {
        let Base::Var(v) = reg.base() else { return reg };
        let Some(&(from, n @ 1..)) = self.parts.get(v.index()) else { return reg };
        let parts = &self.starts[span(from..from + n)];
        let at = parts.partition_point(|p| p.0 * grf_bytes <= reg.byte) - 1;
        let (start, var) = parts[at];
        Reg::var_at(var, reg.byte - start * grf_bytes)
    }
}

/// Whether an instruction names such a general variable or address.
#[inline]
fn names(inst: &Inst<Virtual>, is_such: impl Fn(VarId) -> bool) -> bool {
    let mut named = inst.dst_var().is_some_and(&is_such);
    inst.for_each_read(|reg| named |= reg.var().is_some_and(&is_such));
    named
}

/// How many parts a variable has.
fn count(var: &Var, joined: u64, grf_bytes: u32) -> u32 {
    if joined == WHOLE {
        return 1;
    }
    let regs = var.bytes / grf_bytes;
    regs - (joined & between(0, regs.saturating_sub(1))).count_ones()
}

/// The bits from `from` to before `to`.
fn between(from: u32, to: u32) -> u64 {
    ones(to) & !ones(from)
}
