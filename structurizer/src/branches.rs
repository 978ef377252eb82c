//! Gotos to `jmpi` and `goto`/`join` with JIP and UIP.

use crate::{
    Error, StructurizeMemory,
    layout::Layout,
    plan::{BranchStyle, Plan, Plans},
    structured::{self, Form},
    unthread,
};
use gen_ir::{
    BlockId, Cfg, CondMod, Dst, ExecSize, Inst, Kernel, Op, Payload, Pool, Pred, PredCtrl, Reg, Src, Target,
    Type, UniformFlags, Var, VarClass, Virtual,
};
use narrow::to_index;

/// What was written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counts {
    /// `jmpi`.
    pub jumps: u32,
    /// Joins and `endif`s.
    pub joins: u32,
}

/// Lowers all gotos.
pub(crate) fn lower_branches(
    kernel: &mut Kernel<Virtual>,
    style: BranchStyle,
    memory: &mut StructurizeMemory,
    pool: &mut Pool<Virtual>,
) -> Result<Counts, Error> {
    let width = kernel.flow_width();
    let exec = ExecSize::from_lanes(width).unwrap_or(ExecSize::S32);
    let StructurizeMemory { plans: p, nodes, unthread, forms, flags, layout, blocks, cfg, .. } = memory;
    flags.forget();
    plan(kernel, width, cfg, flags, p)?;
    if style == BranchStyle::Structured {
        structured::nodes(kernel, &p.plans, width, nodes);
        if unthread::split(kernel, nodes, unthread, forms, blocks, pool) {
            plan(kernel, width, cfg, flags, p)?;
            structured::nodes(kernel, &p.plans, width, nodes);
        }
    }
    check_ends(kernel, p)?;
    widen_uniform(kernel, &p.plans, exec, flags, pool);
    if style == BranchStyle::Structured {
        structured::find(nodes, forms);
        structured::share_ends(nodes, forms);
    } else {
        forms.clear(p.plans.len());
    }
    let forms = &forms.forms;
    p.active.start(&p.waits);
    layout.find(kernel, &p.plans, forms, &mut p.active);
    next_waits(p);
    let branches = Branches { plans: &p.plans, forms, layout, jips: &p.jips };
    let jumps = branches.write(kernel, pool);
    let joins = layout.insert(kernel, exec, blocks, pool);
    Ok(Counts { jumps, joins })
}

/// Decides which gotos become jumps, and finds where lanes wait then.
///
/// Where threads run as pairs, none does: the two have one instruction pointer, and what is uniform in each may differ
/// between them (Intel's finalizer, `convertJmpiToGoto`: "Jmpi instruction cannot be used when EU Fusion is enabled").
///
/// A uniform backward goto is always a jump: it passes no waiting lane. (Those of one channel are uniform, and those of all
/// channels where predicates are: [`UniformFlags`].) A uniform forward goto is one
/// unless lanes wait before its target. (Those that wait at it are met there: it goes to the first join. Intel's finalizer
/// jumps to an `endif`, too.) Turning a goto into a wide one makes its target a waiting
/// place, which can bar more jumps: rounds until nothing changes, each round converting at least one.
fn plan(
    kernel: &Kernel<Virtual>,
    width: u32,
    cfg: &mut Cfg,
    flags: &mut UniformFlags,
    found: &mut Plans,
) -> Result<(), Error> {
    let n = kernel.blocks.len();
    let Plans { plans, waits, open, .. } = found;
    cfg.find(kernel);
    let back = cfg.back_edges();
    let pairs = kernel.pairs;
    waits.clear(n);
    plans.clear();
    plans.resize(n, Plan::None);
    open.clear();
    for (b, block) in kernel.blocks.iter().enumerate() {
        let Some(last) = block.insts.last() else { continue };
        if !matches!(last.op, Op::Goto | Op::Jmpi) {
            continue;
        }
        let here = BlockId(to_index(b));
        let to = last.branch_target().ok_or(Error::BadTarget(here))?;
        let next = BlockId(to_index(b) + 1);
        let uniform = last.op == Op::Jmpi || flags.goes_as_one(kernel, width, last);
        let jumps = uniform && !pairs;
        plans[b] = if to <= here {
            if jumps {
                Plan::Jump(to)
            } else {
                // A goto of all lanes without a predicate leaves none behind.
                if last.pred.is_some() || !uniform {
                    if next.index() >= n {
                        return Err(Error::FallsOffEnd(here));
                    }
                    waits.add(next, to, back);
                }
                Plan::Backward(to)
            }
        } else if jumps {
            open.push(b);
            Plan::Jump(to)
        } else {
            waits.add(to, next, back);
            Plan::Forward(to)
        };
    }
    bar_jumps(found, back);
    Ok(())
}

/// Makes gotos of the forward jumps that would pass a place where lanes wait, until none does.
fn bar_jumps(found: &mut Plans, back: &[(BlockId, BlockId)]) {
    let Plans { plans, waits, open, active, .. } = found;
    while !open.is_empty() {
        active.start(waits);
        let before = open.len();
        open.retain(|&b| {
            let Plan::Jump(to) = plans[b] else { return false };
            let barred = active.next_after(b).is_some_and(|t| t < to);
            if barred {
                plans[b] = Plan::Forward(to);
                waits.add(to, BlockId(to_index(b) + 1), back);
                active.insert(to);
            }
            !barred
        });
        if open.len() == before {
            break;
        }
    }
}

/// For each block, the JIP of the goto at its end.
fn next_waits(found: &mut Plans) {
    let Plans { plans, waits, jips, active, .. } = found;
    active.start(waits);
    jips.clear();
    jips.extend(plans.iter().enumerate().map(|(b, plan)| {
        let next = active.next_after(b);
        match *plan {
            Plan::Forward(to) => Some(next.map_or(to, |t| t.min(to))),
            // One that nobody waits behind has channels to take it, and no use for a JIP.
            Plan::Backward(to) => Some(next.unwrap_or(to)),
            Plan::None | Plan::Jump(_) => next,
        }
    }));
}

/// The thread may end only where no lane waits for its turn.
fn check_ends(kernel: &Kernel<Virtual>, found: &mut Plans) -> Result<(), Error> {
    let Plans { waits, delta, divergent, .. } = found;
    waits.find_divergent(delta, divergent);
    for (b, block) in kernel.blocks.iter().enumerate() {
        if divergent[b] && block.insts.last().is_some_and(|i| i.is_eot() || i.op == Op::Ret) {
            return Err(Error::EndsWhileLanesWait(BlockId(to_index(b))));
        }
    }
    Ok(())
}

/// Gives uniform gotos that stay gotos the full execution size, and predicates that say the same for
/// every lane.
fn widen_uniform(
    kernel: &mut Kernel<Virtual>,
    plans: &[Plan],
    exec: ExecSize,
    flags: &mut UniformFlags,
    pool: &mut Pool<Virtual>,
) {
    let pairs = kernel.pairs;
    for (b, plan) in plans.iter().enumerate() {
        let (Plan::Forward(_) | Plan::Backward(_)) = plan else { continue };
        let Some(last) = kernel.blocks[b].insts.last().copied() else { continue };
        if last.exec != ExecSize::S1 {
            continue;
        }
        let mut goto = Inst { op: Op::Goto, exec, chan: 0, no_mask: false, ..last };
        let says_it_to_all = |pred: &Pred<Virtual>| {
            let group = pred.ctrl.channels().is_some_and(|n| n >= exec.lanes());
            group && pred.ctrl != PredCtrl::Seq
        };
        let wants_copy =
            last.pred.filter(|pred| !says_it_to_all(pred) && !flags.is_uniform(kernel, exec.lanes(), pred));
        if let Some(pred) = wants_copy {
            let (flag, ty) = new_flag(kernel, exec);
            let scalar = |op, pred, src: [Src<Virtual>; 2]| Inst {
                no_mask: true,
                pred,
                dst: Dst::packed(flag, ty),
                src: [src[0], src[1], Src::None],
                origin: last.origin,
                ..Inst::new(op, ExecSize::S1)
            };
            let set = |bits, pred| scalar(Op::Mov, pred, [Src::imm(bits, ty), Src::None]);
            let insts = &mut kernel.blocks[b].insts;
            pool.grow(insts, 2);
            insts.pop();
            goto.pred = Some(if pairs && pred.ctrl == PredCtrl::Seq {
                // The bit alone, which is one of any (Intel's finalizer, `convertJmpiToGoto`).
                let bit = Src::scalar(pred.flag, Type::Uw);
                insts.push(scalar(Op::And, None, [bit, Src::uw(1)]));
                let by_width = kernel.platform.caps().words.pred_width;
                Pred { flag, ctrl: PredCtrl::any_of(exec, by_width), ..pred }
            } else {
                insts.push(set(0, None));
                insts.push(set(u64::MAX, Some(pred)));
                Pred { flag, inv: false, ctrl: PredCtrl::Seq }
            });
            insts.push(goto);
        }
        if let Some(i) = kernel.blocks[b].insts.last_mut() {
            *i = goto;
        }
    }
}

fn new_flag(kernel: &mut Kernel<Virtual>, exec: ExecSize) -> (Reg<Virtual>, Type) {
    let (bytes, ty) = if exec == ExecSize::S32 { (4, Type::Ud) } else { (2, Type::Uw) };
    let var = kernel.add_var(Var::temp(VarClass::Flag, bytes, bytes));
    (Reg::var_at(var, 0), ty)
}

/// What a branch says: where lanes wait next, and where those go that take it.
fn to_blocks(jip: Option<BlockId>, uip: Option<BlockId>) -> Payload<Virtual> {
    let target = |to: Option<BlockId>| to.map_or(Target::None, Target::Block);
    Payload::Branch { jip: target(jip), uip: target(uip), ctrl: false }
}

/// The same of a `goto.b`, which goes back.
fn backward(jip: Option<BlockId>, to: BlockId) -> Payload<Virtual> {
    Payload::Branch { jip: jip.map_or(Target::None, Target::Block), uip: Target::Block(to), ctrl: true }
}

/// What is known of the branches when they are written. Blocks have their old numbers here.
struct Branches<'a> {
    plans: &'a [Plan],
    forms: &'a [Form],
    layout: &'a Layout,
    jips: &'a [Option<BlockId>],
}

impl Branches<'_> {
    /// Writes the final form of each branch; targets and successors are numbered as the new layout has
    /// them. Returns the number of jumps.
    fn write(&self, kernel: &mut Kernel<Virtual>, pool: &mut Pool<Virtual>) -> u32 {
        let on_true = kernel.platform.caps().flow.goto_jumps_on_true;
        let mut jumps = 0;
        for (b, &plan) in self.plans.iter().enumerate() {
            let taken = self.taken(b);
            for s in &mut kernel.blocks[b].succs {
                *s = match (plan, taken) {
                    (Plan::Forward(to), Some(t)) if *s == to => t,
                    _ => self.layout.start(*s),
                };
            }
            let Some(last) = kernel.blocks[b].insts.last() else { continue };
            let Some(mut new) = self.last_of(b, last) else { continue };
            jumps += u32::from(matches!(plan, Plan::Jump(_)));
            if !on_true && matches!((plan, self.forms[b]), (Plan::Forward(_), Form::Plain)) {
                jump_on_false(kernel, b, &mut new, pool);
            }
            if let Some(i) = kernel.blocks[b].insts.last_mut() {
                *i = new;
            }
        }
        jumps
    }

    /// Where lanes go that take the forward branch at the end of a block.
    fn taken(&self, b: usize) -> Option<BlockId> {
        self.layout.taken(b, self.plans[b], self.forms[b])
    }

    /// The branch at the end of a block as it is to be; nothing if it stays. (What jumps on which value of its predicate is
    /// not looked at here.)
    fn last_of(&self, b: usize, last: &Inst<Virtual>) -> Option<Inst<Virtual>> {
        let jip = || self.jips[b].map(|t| self.layout.start(t));
        let mut new = Inst { cond: None::<CondMod<Virtual>>, ..*last };
        match self.plans[b] {
            Plan::None => {
                let function = last.branch_target().filter(|_| last.op == Op::Call)?;
                new.payload = to_blocks(Some(self.layout.start(function)), None);
            }
            Plan::Jump(to) => {
                new = Inst { op: Op::Jmpi, exec: ExecSize::S1, chan: 0, no_mask: true, ..new };
                new.payload = to_blocks(Some(self.layout.start(to)), None);
            }
            Plan::Backward(to) => new.payload = backward(jip(), self.layout.start(to)),
            Plan::Forward(_) => match self.forms[b] {
                Form::Plain => new.payload = to_blocks(jip(), self.taken(b)),
                Form::If { other, .. } => {
                    new.op = Op::If;
                    // The lanes that do not jump run the first part.
                    if let Some(p) = &mut new.pred {
                        p.inv = !p.inv;
                    }
                    let end = self.layout.end_of(b);
                    new.payload = to_blocks(other.map_or(end, |t| Some(self.layout.start(t))), end);
                }
                Form::Else { .. } => {
                    new.op = Op::Else;
                    new.payload = to_blocks(self.taken(b), self.taken(b));
                }
            },
        }
        Some(new)
    }
}

/// Gen8 and Gen9 send the lanes whose predicate is false.
fn jump_on_false(kernel: &mut Kernel<Virtual>, b: usize, goto: &mut Inst<Virtual>, pool: &mut Pool<Virtual>) {
    if let Some(p) = &mut goto.pred {
        p.inv = !p.inv;
        return;
    }
    let wide = if u32::from(goto.chan) + goto.exec.lanes() > 16 { ExecSize::S32 } else { ExecSize::S16 };
    let (flag, ty) = new_flag(kernel, wide);
    let zero = Inst {
        no_mask: true,
        dst: Dst::packed(flag, ty),
        src: [Src::imm(0, ty), Src::None, Src::None],
        origin: goto.origin,
        ..Inst::new(Op::Mov, ExecSize::S1)
    };
    let insts = &mut kernel.blocks[b].insts;
    pool.grow(insts, 1);
    let at = insts.len() - 1;
    insts.insert(at, zero);
    goto.pred = Some(Pred { flag, inv: false, ctrl: PredCtrl::Seq });
}
