//! General variables in scratch memory.
//!
//! A spilled variable gets a slot of whole registers in the thread's scratch space. Each instruction
//! that touches it works on a temporary, as planned (`plan`): filled before, if an old value is
//! read or survives in part, and written back after. All messages ignore the execution mask, so what
//! waiting lanes hold moves along.
//!
//! Instructions that reach a variable through an address work on its window (`plan`). The window is one variable for the
//! whole kernel, so it has one place, and its address can be taken once.

pub(crate) mod chunks;
pub(crate) mod costs;
pub(crate) mod extend;
pub(crate) mod fit;
mod groups;
mod join;
pub(crate) mod leftover;
pub(crate) mod pack;
pub(crate) mod plan;
pub(crate) mod remat;
mod residence;
pub(crate) mod scratch_space;
mod slots;
mod transfer;

use crate::{
    Error,
    analysis::{
        history::History,
        liveness::{Liveness, Raw},
    },
    place::{Interval, Intervals},
    spill::{
        chunks::grf_of,
        groups::Groups,
        plan::{Fill, Plan, Temp, TempId, Use},
        remat::{Def, Remat},
        scratch_space::{ScratchSpace, by_surface},
    },
};
use gen_ir::{
    Base, Dst, ExecSize, InPlace, Inst, Kernel, Op, Pool, Reg, Region, Role, Src, Type, Var, VarClass, VarId,
    Virtual,
};
use narrow::{as_index, ones, to_index, to_u32};
use platforms::Caps;
use typed_index_collections::{TiSlice, TiVec};

/// Messages written.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct MessageCount {
    pub spills: u32,
    pub fills: u32,
    /// Address registers that they need.
    pub surfaces: u32,
}

/// Memory of spilling.
#[derive(Default)]
pub(crate) struct SpillMemory {
    /// Slot of each spilled variable: scratch offset in bytes. [`NO_SLOT`] for others.
    slot: TiVec<VarId, u32>,
    slots: slots::Slots,
    intervals: Intervals,
    /// Live ranges of spilled variables, those of groups with their first members.
    raw: Vec<Raw>,
    live_together: Liveness,
    /// The variable of each temporary.
    ids: Vec<VarId>,
    windows: Vec<Window>,
    new: Vec<Inst<Virtual>>,
}

/// What stands for a spilled variable where that is accessed through addresses.
struct Window {
    var: VarId,
    id: VarId,
    /// Bytes in front of the data.
    front: u32,
}

const NO_SLOT: u32 = u32::MAX;

struct Spiller<'a> {
    vars: &'a [Var],
    /// The register that messages have in front, but for `r0`.
    frame: Option<VarId>,
    slot: &'a TiSlice<VarId, u32>,
    temps: &'a [Temp],
    groups: &'a Groups,
    remat: &'a Remat,
    /// The variables of temporaries.
    ids: &'a [VarId],
    grf: u32,
    /// Where offsets count from.
    from: u32,
    /// Messages go to the scratch surface.
    by_surface: bool,
    /// The address register that names the surface, once an instruction's messages have one.
    surface: Option<VarId>,
    /// The variable that the next such register will be.
    next_surface: u32,
    caps: &'static Caps,
    count: MessageCount,
}

/// Moves `spilled`, for which `plan` was made, to scratch memory.
/// `live`: of the kernel as it was.
pub(crate) fn spill(
    kernel: &mut Kernel<Virtual>,
    (spilled, plan, live, remat): (&[VarId], &Plan, &Liveness, &Remat),
    history: &mut History,
    space: &mut ScratchSpace,
    memory: &mut SpillMemory,
    pool: &mut Pool<Virtual>,
) -> Result<MessageCount, Error> {
    give_slots(kernel, (spilled, plan), live, grf_of(kernel), space, memory)?;
    Ok(rewrite(kernel, (plan, remat, false), history, space.base, memory, pool))
}

/// Has all variables of which `plan` was made computed again where they are read. What they are then may be spilled.
pub(crate) fn compute_again(
    kernel: &mut Kernel<Virtual>,
    (plan, remat): (&Plan, &Remat),
    history: &mut History,
    memory: &mut SpillMemory,
    pool: &mut Pool<Virtual>,
) {
    memory.slot.clear();
    rewrite(kernel, (plan, remat, true), history, 0, memory, pool);
}

/// Has instructions work on temporaries; those are variables as others are if they `may_spill`.
fn rewrite(
    kernel: &mut Kernel<Virtual>,
    (plan, remat, may_spill): (&Plan, &Remat, bool),
    history: &mut History,
    from: u32,
    memory: &mut SpillMemory,
    pool: &mut Pool<Virtual>,
) -> MessageCount {
    let caps = kernel.platform.caps();
    let grf = grf_of(kernel);
    add_temporaries(kernel, (plan, may_spill), grf, history, memory);
    // From here on only the copies to memory read inputs.
    plan.inputs.iter().for_each(|i| kernel.vars[i.var.index()].no_spill = true);
    let SpillMemory { slot, new, ids, windows, .. } = memory;
    if !windows.is_empty() {
        take_addresses(kernel, windows);
    }
    let mut s = Spiller {
        vars: &kernel.vars,
        frame: kernel.scratch_header,
        slot,
        temps: &plan.temps,
        groups: &plan.groups,
        remat,
        ids,
        grf,
        from,
        by_surface: by_surface(kernel),
        surface: None,
        next_surface: to_index(kernel.vars.len()),
        caps,
        count: MessageCount::default(),
    };
    let mut uses = &plan.uses[..];
    let mut start = 0;
    for (b, block) in kernel.blocks.iter_mut().enumerate() {
        let end = start + block.insts.len();
        let here = uses.partition_point(|u| as_index(u.inst) < end);
        let inputs = if b == 0 { &plan.inputs[..] } else { &[] };
        if here > 0 || !inputs.is_empty() {
            new.clear();
            // Inputs are there once the prologue has loaded them.
            s.block(&block.insts, to_index(start), (&uses[..here], inputs), plan.loaded, new);
            pool.store(&mut block.insts, new);
        }
        uses = &uses[here..];
        start = end;
    }
    let count = s.count;
    for _ in 0..count.surfaces {
        let id = kernel.add_var(Var { no_spill: true, ..Var::temp(VarClass::Address, 4, 4) });
        history.mark_split(id);
    }
    count
}

/// Adds the variables that stand for spilled ones around their uses, one a temporary of the plan and one a variable that
/// is accessed through addresses.
fn add_temporaries(
    kernel: &mut Kernel<Virtual>,
    (plan, may_spill): (&Plan, bool),
    grf: u32,
    history: &mut History,
    memory: &mut SpillMemory,
) {
    memory.ids.clear();
    memory.windows.clear();
    for t in &plan.temps {
        let even_grf = t.align > grf;
        let temp = Var { no_spill: !may_spill, even_grf, ..Var::temp(VarClass::General, t.bytes(grf), grf) };
        if t.window {
            let id = match memory.windows.iter().find(|w| w.var == t.var) {
                Some(w) => w.id,
                None => {
                    let of = &mut kernel.vars[t.var.index()];
                    of.address_taken = false;
                    let align = of.align.max(grf);
                    let id = kernel.add_var(Var { address_taken: true, align, ..temp });
                    memory.windows.push(Window { var: t.var, id, front: t.front });
                    history.mark_front(id, t.front);
                    id
                }
            };
            memory.ids.push(id);
            continue;
        }
        let id = kernel.add_var(temp);
        memory.ids.push(id);
        history.mark_split(id);
        let payload = |v: VarId| history.payload(v).unbounded_shl(plan.groups.before(v));
        let all = plan.groups.members(t.var).map(payload).fold(payload(t.var), |all, some| all | some);
        let held = all.unbounded_shr(t.first) & ones(t.end - t.first);
        if held != 0 {
            history.mark_payload(id, held.unbounded_shl(t.front / grf));
        }
    }
}

/// Has addresses of spilled variables be those of their windows.
fn take_addresses(kernel: &mut Kernel<Virtual>, windows: &[Window]) {
    for inst in kernel.blocks.iter_mut().flat_map(|b| &mut b.insts) {
        for src in &mut inst.src {
            if let Src::AddrOf { reg: InPlace(reg), .. } = src
                && let Some(w) = windows.iter().find(|w| reg.var() == Some(w.var))
            {
                *reg = Reg::var_at(w.id, w.front + reg.byte);
            }
        }
    }
}

/// Gives each variable a slot that is not computed again; variables that are never live together share.
fn give_slots(
    kernel: &Kernel<Virtual>,
    (spilled, plan): (&[VarId], &Plan),
    live: &Liveness,
    grf: u32,
    space: &mut ScratchSpace,
    memory: &mut SpillMemory,
) -> Result<(), Error> {
    let base = u64::from(space.top).next_multiple_of(u64::from(grf));
    let reach = space.end(kernel);
    let regs = to_u32(reach.saturating_sub(base) / u64::from(grf));
    let SpillMemory { slot, slots, intervals, raw, live_together, .. } = memory;
    intervals.clear();
    // A group has the slot of its first member, alive where any is.
    let groups = &plan.groups;
    let live = if groups.any() {
        raw.clear();
        for v in spilled {
            raw.extend(live.of(*v).iter().map(|&r| (groups.first(*v), r)));
        }
        live_together.gather(kernel.vars.len(), raw);
        &*live_together
    } else {
        live
    };
    let kept = |var: &VarId| !plan.is_again(*var) && groups.first(*var) == *var;
    intervals.extend(spilled.iter().copied().filter(kept).map(|var| Interval {
        var,
        bytes: groups.regs(var, kernel) * grf,
        align: grf,
        fixed: None,
        low: 0,
        high: regs * grf,
        cost: f32::INFINITY,
        lanes: None,
        is_payload: false,
        is_vector: false,
        is_last: false,
    }));
    let placed = slots.place(intervals, live, regs, grf);
    let (Some(used), Ok(base)) = (placed, u32::try_from(base)) else {
        let want: u64 = intervals.iter().map(|i| u64::from(i.bytes)).sum();
        return Err(Error::ScratchFull { bytes: base + want, limit: reach });
    };
    slot.clear();
    slot.resize(kernel.vars.len(), NO_SLOT);
    for (interval, at) in intervals.iter().zip(&slots.at) {
        slot[interval.var] = base + at * grf;
    }
    space.top = base + used * grf;
    Ok(())
}

impl Spiller<'_> {
    /// Writes a block's code anew, whose first instruction is number `start` among all. `inputs` are saved
    /// before instruction `loaded`.
    fn block(
        &mut self,
        old: &[Inst<Virtual>],
        start: u32,
        (mut uses, inputs): (&[Use], &[Use]),
        loaded: u32,
        new: &mut Vec<Inst<Virtual>>,
    ) {
        let mut done = 0;
        let mut saved = inputs.is_empty();
        loop {
            let next = uses.first().map(|u| u.inst);
            if !saved && next.is_none_or(|n| n >= loaded) {
                let at = as_index(loaded - start);
                new.extend_from_slice(&old[done..at]);
                self.surface = None;
                inputs.iter().for_each(|i| self.save_input(i, new));
                (saved, done) = (true, at);
            }
            let Some(inst) = next else { break };
            let (mine, rest) = uses.split_at(uses.iter().take_while(|u| u.inst == inst).count());
            let at = as_index(inst - start);
            new.extend_from_slice(&old[done..at]);
            let origin = old[at].origin;
            self.surface = None;
            for u in mine {
                match u.fill {
                    Fill::Read => self.read(new, u, origin),
                    Fill::Again => self.compute(new, u, origin),
                    Fill::None | Fill::Gone => {}
                }
            }
            // What others read behind it may be filled where it stood.
            if mine.iter().any(|u| u.fill == Fill::Gone) {
                (uses, done) = (rest, at + 1);
                continue;
            }
            new.push(old[at].map_regs(|role, r| match r.base() {
                Base::Var(_) if matches!(role, Role::AddrOf(_)) => r,
                Base::Var(v) => match mine.iter().find(|u| u.var == v) {
                    Some(u) => {
                        let t = &self.temps[u.temp.index()];
                        let byte = self.groups.before(v) * self.grf + r.byte;
                        self.reg(u.temp, t.front + byte - t.first * self.grf)
                    }
                    None => r,
                },
                _ => r,
            }));
            self.surface = None;
            for u in mine.iter().filter(|u| u.saved) {
                self.write(new, u, origin);
            }
            (uses, done) = (rest, at + 1);
        }
        new.extend_from_slice(&old[done..]);
    }

    /// Inputs come in registers: copies one to its slot.
    fn save_input(&mut self, input: &Use, out: &mut Vec<Inst<Virtual>>) {
        let Var { bytes, fixed, .. } = self.vars[input.var.index()];
        let front = self.temps[input.temp.index()].front;
        let mut at = 0;
        while at < bytes {
            let left = (bytes - at).min(self.grf);
            let (ty, unit) = if left >= 4 && fixed.unwrap_or_default().is_aligned(4) {
                (Type::Ud, 4)
            } else if left >= 2 && fixed.unwrap_or_default().is_aligned(2) {
                (Type::Uw, 2)
            } else {
                (Type::Ub, 1)
            };
            let lanes = 1 << (left / unit).ilog2();
            let exec = ExecSize::from_lanes(lanes).unwrap_or(ExecSize::S1);
            let from = Reg::var_at(input.var, at);
            out.push(raw_copy(exec, self.reg(input.temp, front + at), from, ty, Inst::<Virtual>::NO_ORIGIN));
            at += exec.lanes() * unit;
        }
        if input.saved {
            self.write(out, input, Inst::<Virtual>::NO_ORIGIN);
        }
    }

    /// A register of a temporary.
    fn reg(&self, temp: TempId, byte: u32) -> Reg<Virtual> {
        Reg::var_at(self.ids[temp.index()], byte)
    }

    /// Has the operations again that compute what `u` reads. They are of the instruction that reads it: they run as often
    /// as that.
    fn compute(&self, out: &mut Vec<Inst<Virtual>>, u: &Use, origin: u32) {
        let Temp { first, end, front, .. } = self.temps[u.temp.index()];
        let here = |d: &&Def| d.start < end * self.grf && first * self.grf < d.end;
        for d in self.remat.of(u.var).iter().filter(here) {
            let inst = d.inst.map_regs(|role, r| match role {
                Role::Dst => self.reg(u.temp, front + r.byte - first * self.grf),
                _ => r,
            });
            out.push(Inst { origin, ..inst });
        }
    }
}

/// A copy of bits, whatever lanes are on.
fn raw_copy(exec: ExecSize, to: Reg<Virtual>, from: Reg<Virtual>, ty: Type, origin: u32) -> Inst<Virtual> {
    let region = if exec == ExecSize::S1 { Region::SCALAR } else { Region::PACKED };
    Inst {
        no_mask: true,
        dst: Dst::packed(to, ty),
        src: [Src::new(from, region, ty), Src::None, Src::None],
        origin,
        ..Inst::new(Op::Mov, exec)
    }
}
