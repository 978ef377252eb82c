//! Temporaries whose elements stand apart.
//!
//! Where a conversion has to write words two apart (halves of floats on Gen8 and Gen9), readers find them there: legal code has no
//! move that packs them. Where too much is alive, that move comes back: the value then takes a part of the registers, and what the
//! conversion writes is a temporary of that instruction and the next.
//!
//! The value stays the variable that it is, only its elements move closer: the move has the channels and the mask of the instruction
//! whose result it takes. All that touches it has to be legal with that.

use crate::{
    analysis::access::{Access, Kind},
    spill::{chunks::KEEP, plan::Known, remat::is_free},
};
use gen_ir::{
    Block, Dst, Inst, Kernel, Op, Pool, Reg, Region, Role, Src, Type, Var, VarClass, VarId, Virtual, rules,
};
use typed_index_collections::TiVec;

/// How a variable's elements stand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Step {
    /// Nothing says.
    Unknown,
    /// Elements of so many bytes, so many of them apart.
    Apart { bytes: u8, step: u8 },
    /// Nothing moves closer.
    Stays,
}

impl Step {
    /// The same, once an access is known.
    fn with(self, a: &Access) -> Step {
        let known = match self {
            // All of an element is written before it is read.
            Step::Unknown if a.kind.has(Kind::WRITE) && a.elem > 0 && a.pitch > a.elem => {
                Step::Apart { bytes: a.elem, step: a.pitch / a.elem }
            }
            Step::Apart { .. } => self,
            Step::Unknown | Step::Stays => return Step::Stays,
        };
        let Step::Apart { bytes, step } = known else { return Step::Stays };
        let one = a.kind.has(Kind::READ) && a.end - a.start == u32::from(bytes);
        let fits = a.elem == bytes
            && (a.pitch == bytes * step || one)
            && a.start.is_multiple_of(u32::from(bytes * step))
            && a.chan != Access::THROUGH_ADDRESS;
        if fits { known } else { Step::Stays }
    }
}

/// What is known of each variable, and memory for new code.
#[derive(Default)]
pub(crate) struct Packing {
    step: TiVec<VarId, Step>,
    new: Vec<Inst<Virtual>>,
}

impl Packing {
    /// Finds temporaries that can be packed and are alive where too much is. Returns whether there are any.
    pub fn find(&mut self, Known { kernel, accesses, live, costs, .. }: Known<'_>) -> bool {
        self.step.clear();
        // What is alive shorter would not be spilled for others either.
        let is_long = |v: VarId| live.of(v).iter().map(|r| r.len()).sum::<u32>() > 2 * KEEP;
        let may = |(v, var): (VarId, &Var)| {
            is_free(var) && var.is_temporary() && !var.even_grf && costs.is_pressed(live.of(v)) && is_long(v)
        };
        let vars = (0..).map(VarId).zip(&kernel.vars);
        self.step.extend(vars.map(|v| if may(v) { Step::Unknown } else { Step::Stays }));
        for i in 0..kernel.inst_count() {
            for a in accesses.of(i) {
                self.step[a.var] = self.step[a.var].with(a);
            }
        }
        // Whoever touches two of them is legal if both are packed, or goes without both.
        while self.any() && !self.all_legal(kernel) {}
        self.any()
    }

    fn any(&self) -> bool {
        self.step.iter().any(|s| matches!(s, Step::Apart { .. }))
    }

    /// Whether all that touches such variables may touch them packed; of others, nothing moves from here on.
    fn all_legal(&mut self, kernel: &Kernel<Virtual>) -> bool {
        let grf = u32::from(kernel.platform.caps().regs.grf_bytes);
        let mut all = true;
        for (_, inst) in kernel.insts() {
            if !self.touches(inst) {
                continue;
            }
            let allows = |i: &Inst<Virtual>| rules::allows(kernel.platform, i, grf, &kernel.vars);
            let legal = match self.packed(inst, VarId::from(kernel.vars.len())) {
                Some((new, None)) => allows(&new),
                Some((new, Some(copy))) => allows(&new) && allows(&copy),
                None => false,
            };
            if !legal {
                all = false;
                inst.for_each_reg(|_, r| {
                    r.var().into_iter().for_each(|v| self.step[v] = Step::Stays);
                });
            }
        }
        all
    }

    /// Packs what was found.
    pub fn pack(&mut self, kernel: &mut Kernel<Virtual>, pool: &mut Pool<Virtual>) {
        let grf = u32::from(kernel.platform.caps().regs.grf_bytes);
        let Kernel { vars, blocks, .. } = kernel;
        let mut new = std::mem::take(&mut self.new);
        for Block { insts, .. } in blocks {
            if !insts.iter().any(|i| self.touches(i)) {
                continue;
            }
            new.clear();
            for inst in &*insts {
                let packed =
                    if self.touches(inst) { self.packed(inst, VarId::from(vars.len())) } else { None };
                let (changed, copy) = packed.unwrap_or((*inst, None));
                new.push(changed);
                if let (Some(copy), Some(v)) = (copy, inst.dst_var()) {
                    new.push(copy);
                    vars.push(Var::temp(VarClass::General, vars[v.index()].bytes, grf));
                }
            }
            pool.store(insts, &new);
        }
        self.new = new;
        for (v, var) in (0..).map(VarId).zip(vars) {
            if let Some((_, step)) = self.apart(v) {
                var.bytes = var.bytes.div_ceil(u32::from(step));
                var.align = var.align.min(var.bytes.next_power_of_two());
            }
        }
    }

    /// Whether an instruction touches a variable that is to be packed.
    fn touches(&self, inst: &Inst<Virtual>) -> bool {
        let mut any = false;
        inst.for_each_reg(|_, r| any |= r.var().is_some_and(|v| self.apart(v).is_some()));
        any
    }

    /// The bytes of a variable's elements, and how many elements apart these are, if it is to be packed.
    fn apart(&self, var: VarId) -> Option<(u8, u8)> {
        match self.step.get(var) {
            Some(&Step::Apart { bytes, step }) => Some((bytes, step)),
            _ => None,
        }
    }

    /// An instruction on packed variables, and the move that packs what it writes to `temp`.
    fn packed(&self, inst: &Inst<Virtual>, temp: VarId) -> Option<(Inst<Virtual>, Option<Inst<Virtual>>)> {
        let apart = |r: Reg<Virtual>| self.apart(r.var()?);
        let mut new = *inst;
        for src in &mut new.src {
            if let Src::Direct { reg, region, .. } = src
                && let Some((_, step)) = apart(*reg)
            {
                *region = closer(*region, step)?;
                *reg = Reg::var_at(reg.var()?, reg.byte / u32::from(step));
            }
        }
        let mut copy = None;
        if let Dst::Direct { reg, .. } = &mut new.dst
            && let Some((bytes, step)) = apart(*reg)
        {
            // A predicate may leave the old value.
            if inst.pred.is_some() && inst.op != Op::Sel {
                return None;
            }
            let ty = [Type::Ub, Type::Uw, Type::Ud].into_iter().find(|t| t.bytes() == u32::from(bytes))?;
            let from = Src::new(Reg::var_at(temp, reg.byte), Region::new(step, 1, 0), ty);
            copy = Some(Inst {
                chan: inst.chan,
                no_mask: inst.no_mask,
                dst: Dst::packed(Reg::var_at(reg.var()?, reg.byte / u32::from(step)), ty),
                src: [from, Src::None, Src::None],
                origin: inst.origin,
                ..Inst::new(Op::Mov, inst.exec)
            });
            *reg = Reg::var_at(temp, reg.byte);
        }
        let mut left = false;
        new.for_each_reg(|role, r| left |= apart(r).is_some() && !matches!(role, Role::Src(_)));
        (!left).then_some((new, copy))
    }
}

/// A region of elements that are so many times closer to each other, if it can be said.
fn closer(region: Region, step: u8) -> Option<Region> {
    let part = |stride: u8| stride.is_multiple_of(step).then_some(stride / step);
    let Region { vert, width, horz } = region;
    if !region.is_complete() {
        return None;
    }
    Some(Region::new(part(vert)?, width, part(horz)?))
}
