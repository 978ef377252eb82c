//! Rematerialization: spilled variables that are computed again where they are read, instead of kept in memory.
//!
//! That is possible where the sources are there anyway. A variable qualifies if
//!
//! - plain operations write it, without predicate or other results, each bytes of its own ([`is_plain`]);
//! - each of their sources is a constant, `r0`, or a variable that nothing writes while the result is alive anywhere, and
//!   that the running lanes still need behind every read of the result (it is not enough that waiting lanes need it: the
//!   running lanes may then write other values to their part of its registers);
//! - every read finds what the lanes that run have computed: with results under the mask, none ignores it, and where lanes
//!   part, each reads its own.
//!
//! The second makes the sources at the read those of the computation: a way from that to the read past a write of a
//! source would have the result alive at the write, waiting lanes included. As the source is needed behind the
//! read and written nowhere between, it was needed all the way, so it kept its register.
//!
//! Where the first does not hold, a source can be made to live longer: written before a read, the operation reads
//! it there itself (`extend` says where that pays). The second alone then makes it the source of the computation. It
//! must not have a fixed place that is another variable's as well: that of an argument is soon what a call destroys.
//!
//! Float operations depend on the control register, so they qualify where all writes of that come before.
//! In kernels with subroutines what is alive there is known for all callers together, so that a source may keep its
//! register for another of them: there, too, the operation has to be written before a read. The second holds there as
//! elsewhere: what passes by a subroutine is alive in it.

use crate::analysis::{
    access::{Access, Kind},
    accesses::Accesses,
    facts::Needs,
    flow::Flow,
    liveness::Liveness,
    position::{Position, Range},
};
use gen_ir::{
    Base, Dst, Extent, GrfNum, Inst, Kernel, Op, Options, Payload, Reg, Src, Var, VarClass, VarId, Virtual,
};
use narrow::{as_index, span, to_index};
use typed_index_collections::TiVec;

/// What a read of a variable costs that is computed again, beside a message. (Of 0.2, 0.1 and 0.05 the second gave code that
/// has the fewest messages on real programs without more instructions: small scalars give up the registers they share.)
const COST: f32 = 0.1;

/// Most operations by which a variable is computed.
const MOST: usize = 4;

/// An operation that computes a part of a variable.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Def {
    var: VarId,
    /// The operation's number among all instructions.
    at: u32,
    /// Bytes of the variable that it writes.
    pub start: u32,
    pub end: u32,
    pub inst: Inst<Virtual>,
}

/// Which variables can be computed again, and how.
#[derive(Default)]
pub(crate) struct Remat {
    /// By variable, and in the order of the code.
    defs: Vec<Def>,
    /// Whether a variable qualifies.
    can: TiVec<VarId, bool>,
    /// Whether it would if the computation were written before its reads.
    far: TiVec<VarId, bool>,
    /// Such variables, each with the sources that would have to.
    far_sources: Vec<(VarId, VarId)>,
    /// How often each variable is written.
    writes: TiVec<VarId, u32>,
    /// Instructions that write each variable, behind one another.
    writers: Vec<u32>,
    /// The end of each variable's part of those.
    ends: TiVec<VarId, u32>,
    /// Bytes of general registers that variables have by their fixed places, in order.
    fixed: Vec<(Extent, VarId)>,
    /// Whether some of a variable's are those of another.
    shared: TiVec<VarId, bool>,
}

/// The kernel as it is, and what is known of it.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub kernel: &'a Kernel<Virtual>,
    pub accesses: &'a Accesses,
    pub flow: &'a Flow,
    /// Where variables are needed, by waiting lanes as well.
    pub live: &'a Liveness,
    /// Where lanes that run need them.
    pub of_lanes: &'a Liveness,
}

impl Remat {
    /// Forgets what was found: nothing qualifies.
    pub fn clear(&mut self) {
        self.defs.clear();
        self.can.clear();
        self.far.clear();
        self.far_sources.clear();
    }

    /// Whether a variable can be computed again.
    pub fn has(&self, var: VarId) -> bool {
        self.can.get(var).is_some_and(|&can| can) && !self.far[var]
    }

    /// Whether the computation of a variable has to be written before its reads, to be had again.
    pub fn is_far(&self, var: VarId) -> bool {
        self.far.get(var).is_some_and(|&far| far)
    }

    /// The sources that would have to live longer to compute a variable again.
    pub fn far_sources(&self, var: VarId) -> impl Iterator<Item = VarId> {
        let first = self.far_sources.partition_point(|f| f.0 < var);
        self.far_sources[first..].iter().take_while(move |f| f.0 == var).map(|f| f.1)
    }

    /// Says that the computations of variables will be written before their reads.
    pub fn extend(&mut self, vars: &[VarId]) {
        vars.iter().for_each(|&v| self.far[v] = false);
    }

    /// What an access costs if a variable is spilled, beside a message.
    pub fn cost(&self, var: VarId) -> f32 {
        if self.has(var) { COST } else { 1.0 }
    }

    /// Whether any can.
    pub fn any(&self) -> bool {
        self.defs.iter().any(|d| !self.far[d.var])
    }

    /// What computes a variable.
    pub fn of(&self, var: VarId) -> &[Def] {
        let first = self.defs.partition_point(|d| d.var < var);
        let rest = &self.defs[first..];
        &rest[..rest.partition_point(|d| d.var == var)]
    }

    /// The variables from which a variable is computed.
    pub fn sources(&self, var: VarId) -> impl Iterator<Item = VarId> {
        self.of(var).iter().flat_map(|d| d.inst.src).filter_map(|s| match s {
            Src::Direct { reg, .. } => reg.var(),
            _ => None,
        })
    }

    /// Finds what qualifies; forgets what did before.
    pub fn find(&mut self, cx: Context<'_>) {
        let Context { kernel, accesses, .. } = cx;
        self.clear();
        self.find_writers(cx);
        self.can.resize(kernel.vars.len(), true);
        for (v, var) in (0..).map(VarId).zip(&kernel.vars) {
            let needs = accesses.facts[v].needs;
            self.can[v] = is_free(var)
                && !needs.has(Needs::EOT)
                && !needs.has(Needs::AT_END)
                && (1..=to_index(MOST)).contains(&self.writes[v]);
        }
        self.find_defs(cx);
        self.defs.sort_unstable_by_key(|d| (d.var, d.at));
        self.hold_apart();
        self.check_sources(cx);
        self.find_shared(kernel);
        self.far.resize(kernel.vars.len(), false);
        self.check_reads(cx);
        let Remat { can, far, defs, far_sources, .. } = self;
        defs.retain(|d| can[d.var]);
        far_sources.retain(|f| can[f.0]);
        far_sources.sort_unstable();
        far_sources.dedup();
        far_sources.iter().for_each(|f| far[f.0] = true);
        if !cx.flow.calls().is_empty() {
            far.copy_from_slice(can);
        }
    }

    /// Finds the instructions that write each variable.
    fn find_writers(&mut self, Context { kernel, accesses, .. }: Context<'_>) {
        let Remat { writes, writers, ends, .. } = self;
        writes.clear();
        writes.resize(kernel.vars.len(), 0);
        let insts = accesses.blocks.last().map_or(0, |&n| as_index(n));
        let each = |i: usize| accesses.of(i).iter().filter(|a| a.kind.has(Kind::WRITE));
        (0..insts).flat_map(each).for_each(|a| writes[a.var] += 1);
        ends.clear();
        let mut all = 0;
        ends.extend(writes.iter().map(|n| {
            all += n;
            all - n
        }));
        writers.clear();
        writers.resize(as_index(all), 0);
        for i in 0..insts {
            for a in each(i) {
                let end = &mut ends[a.var];
                writers[as_index(*end)] = to_index(i);
                *end += 1;
            }
        }
    }

    /// The instructions that write a variable.
    fn writers(&self, var: VarId) -> &[u32] {
        let end = self.ends[var];
        &self.writers[span(end - self.writes[var]..end)]
    }

    /// The positions of writes of a variable from the first to the last of `ranges`: others cannot be in them, and a
    /// source may have many.
    fn writers_within(&self, var: VarId, ranges: &[Range]) -> impl Iterator<Item = Position> {
        let writes = |i: &u32| Position::write(*i);
        let start = ranges.first().map_or(Position::NEVER, |r| r.start);
        let end = ranges.last().map_or(Position::START, |r| r.end);
        let all = self.writers(var);
        all[all.partition_point(|i| writes(i) < start)..].iter().map(writes).take_while(move |&at| at < end)
    }

    /// Finds the operations; what something else writes does not qualify.
    fn find_defs(&mut self, Context { kernel, accesses, .. }: Context<'_>) {
        let start = kernel.blocks.first().map_or(0, |b| b.insts.len());
        let mode =
            kernel.insts().enumerate().filter(|(_, (_, inst))| inst.changes_mode()).map(|i| i.0).last();
        // From which instruction on floats are computed as they will be.
        let floats = match mode {
            None => Some(0),
            Some(at) => (at < start).then_some(at + 1),
        };
        for (at, (_, inst)) in kernel.insts().enumerate() {
            for a in accesses.of(at).iter().filter(|a| a.kind.has(Kind::WRITE)) {
                let can = &mut self.can[a.var];
                let whole = a.kind.has(Kind::SURE) && a.chan != Access::THROUGH_ADDRESS;
                *can &= whole && is_plain(inst) && (!is_float(inst) || floats.is_some_and(|from| from <= at));
                if *can {
                    self.defs.push(Def {
                        var: a.var,
                        at: to_index(at),
                        start: a.start,
                        end: a.end,
                        inst: *inst,
                    });
                }
            }
        }
    }

    /// What two operations write both does not qualify.
    fn hold_apart(&mut self) {
        for (i, d) in self.defs.iter().enumerate() {
            let others = self.defs[i + 1..].iter().take_while(|o| o.var == d.var);
            if others.into_iter().any(|o| o.start < d.end && d.start < o.end) {
                self.can[d.var] = false;
            }
        }
    }

    /// What does not keep its sources does not qualify.
    fn check_sources(&mut self, Context { kernel, live, .. }: Context<'_>) {
        for i in 0..self.defs.len() {
            let Def { var, inst, .. } = self.defs[i];
            let kept = |src: &Src<Virtual>| match src {
                Src::None | Src::Imm { .. } => true,
                Src::Direct { reg, .. } => match reg.base() {
                    Base::Var(s) => {
                        let of = &kernel.vars[s.index()];
                        s != var
                            && of.class == VarClass::General
                            && !of.address_taken
                            && !self.writers_within(s, live.of(var)).any(|at| live.before(var, at))
                    }
                    base => base == Reg::<Virtual>::grf(GrfNum::R0, 0).base(),
                },
                _ => false,
            };
            if !inst.src.iter().all(kept) {
                self.can[var] = false;
            }
        }
    }

    /// Finds variables whose fixed places others have, too.
    fn find_shared(&mut self, kernel: &Kernel<Virtual>) {
        let Remat { fixed, shared, .. } = self;
        fixed.clear();
        for (v, var) in (0..).map(VarId).zip(&kernel.vars) {
            if let Some(at) = var.fixed.filter(|_| var.class == VarClass::General) {
                fixed.push((Extent::new(at.bytes(), var.bytes), v));
            }
        }
        fixed.sort_unstable();
        shared.clear();
        shared.resize(kernel.vars.len(), false);
        let mut taken = 0;
        for (i, &(own, v)) in fixed.iter().enumerate() {
            let next = fixed.get(i + 1).is_some_and(|next| next.0.start < own.end);
            shared[v] = own.start < taken || next;
            taken = taken.max(own.end);
        }
    }

    /// What is read by others than the lanes that computed it does not qualify; notes what is read where its sources are
    /// not needed behind.
    fn check_reads(&mut self, Context { kernel, accesses, flow, of_lanes, .. }: Context<'_>) {
        let calls = !flow.calls().is_empty();
        for b in 0..kernel.blocks.len() {
            let block = accesses.block(b);
            for i in block.clone() {
                for a in accesses.of(i).iter().filter(|a| a.kind.has(Kind::READ)) {
                    if !self.can[a.var] {
                        continue;
                    }
                    let needed = |s: VarId| !calls && of_lanes.comes_to(s, i, &block);
                    let defs = self.of(a.var);
                    let others = a.kind.reads_others(flow.any_divergence) || accesses.facts[a.var].is_apart();
                    let found = !others || defs.iter().all(|d| d.inst.no_mask);
                    if defs.is_empty() || a.chan == Access::THROUGH_ADDRESS || !found {
                        self.can[a.var] = false;
                        continue;
                    }
                    let mut far = std::mem::take(&mut self.far_sources);
                    let known = far.len();
                    far.extend(self.sources(a.var).filter(|&s| !needed(s)).map(|s| (a.var, s)));
                    self.can[a.var] = !far[known..].iter().any(|f| self.shared[f.1]);
                    self.far_sources = far;
                }
            }
        }
    }
}

/// Whether nothing but instructions that name it has to do with a general variable.
pub(super) fn is_free(var: &Var) -> bool {
    var.class == VarClass::General
        && var.fixed.is_none()
        && !(var.live_in || var.live_out || var.no_spill || var.address_taken)
}

/// Whether the same operation gives the same result again, and nothing else.
fn is_plain(inst: &Inst<Virtual>) -> bool {
    use Op::{Add, Add3, And, Asr, Bfn, Mad, Mov, Mul, Not, Or, Rol, Ror, Shl, Shr, Xor};
    let op = inst.op;
    matches!(op, Mov | Add | Mul | Mad | And | Or | Xor | Not | Shl | Shr | Asr | Rol | Ror | Add3 | Bfn)
        && inst.pred.is_none()
        && inst.cond.is_none()
        && inst.opts == Options::NONE
        && matches!(inst.payload, Payload::None | Payload::Bfn(_))
        && matches!(inst.dst, Dst::Direct { .. })
}

/// Whether rounding or denormals may matter.
fn is_float(inst: &Inst<Virtual>) -> bool {
    let dst = matches!(inst.dst, Dst::Direct { ty, .. } if ty.is_float());
    let src = |s: &Src<Virtual>| match s {
        Src::Direct { ty, .. } | Src::Imm { ty, .. } => ty.is_float(),
        _ => false,
    };
    dst || inst.src.iter().any(src)
}
