//! Gotos to `jmpi` and `goto`/`join` with JIP and UIP.

use crate::{
    Error,
    layout::Layout,
    simplify::{is_uniform, width},
    structured::{self, Form},
    uniform::uniform_flags,
};
use gen_ir::{
    BlockId, CondMod, Dst, ExecSize, Inst, Kernel, Op, Payload, Pred, PredCtrl, Reg, Src, Target, Type, Var,
    VarClass, Virtual, Waits, back_edges,
};
use std::collections::BTreeSet;

/// What becomes of the goto at the end of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Plan {
    /// No goto here.
    None,
    /// Every lane goes: `jmpi`.
    Jump(BlockId),
    /// Forward `goto`.
    Forward(BlockId),
    /// Backward `goto.b`.
    Backward(BlockId),
}

/// Lowers all gotos. Returns the number of `jmpi` written and of joins inserted.
pub(crate) fn lower_branches(
    kernel: &mut Kernel<Virtual>,
    structured_forms: bool,
) -> Result<(u32, u32), Error> {
    let width = width(kernel);
    let exec = ExecSize::from_lanes(width).unwrap_or(ExecSize::S32);
    let (plans, waits) = plan(kernel, width)?;
    check_ends(kernel, &waits)?;
    widen_uniform(kernel, &plans, exec);
    let forms = if structured_forms {
        structured::find(kernel, &plans, width)
    } else {
        vec![Form::Plain; plans.len()]
    };
    let marks = Layout::of(kernel, &plans, &forms, &waits);
    let jumps = write_branches(kernel, &plans, &forms, &marks, &next_waits(&plans, &waits));
    let joins = marks.insert(kernel, exec);
    Ok((jumps, joins))
}

/// Decides which gotos become jumps, and finds where lanes wait then.
///
/// A uniform backward goto is always a jump: it passes no waiting lane. A uniform forward goto is one
/// unless lanes wait at or before its target. Turning a goto into a wide one makes its target a waiting
/// place, which can bar more jumps: rounds until nothing changes, each round converting at least one.
fn plan(kernel: &Kernel<Virtual>, width: u32) -> Result<(Vec<Plan>, Waits), Error> {
    let n = kernel.blocks.len();
    let mut back: Vec<_> = back_edges(kernel).collect();
    back.sort_unstable();
    let mut waits = Waits::none(n);
    let mut plans = vec![Plan::None; n];
    let mut open = Vec::new();
    for (b, block) in kernel.blocks.iter().enumerate() {
        let Some(last) = block.insts.last() else { continue };
        if !matches!(last.op, Op::Goto | Op::Jmpi) {
            continue;
        }
        let here = BlockId(b as u32);
        let to = last.branch_target().ok_or(Error::BadTarget(here))?;
        let next = BlockId(b as u32 + 1);
        let uniform = is_uniform(last, width);
        plans[b] = if to <= here {
            if uniform || last.op == Op::Jmpi {
                Plan::Jump(to)
            } else {
                if next.index() >= n {
                    return Err(Error::FallsOffEnd(here));
                }
                waits.add(next, to, &back);
                Plan::Backward(to)
            }
        } else if uniform || last.op == Op::Jmpi {
            open.push(b);
            Plan::Jump(to)
        } else {
            waits.add(to, next, &back);
            Plan::Forward(to)
        };
    }
    while !open.is_empty() {
        let mut active = Active::new(&waits);
        let before = open.len();
        open.retain(|&b| {
            let Plan::Jump(to) = plans[b] else { return false };
            let barred = active.next_after(b).is_some_and(|t| t <= to);
            if barred {
                plans[b] = Plan::Forward(to);
                waits.add(to, BlockId(b as u32 + 1), &back);
                active.insert(to);
            }
            !barred
        });
        if open.len() == before {
            break;
        }
    }
    Ok((plans, waits))
}

/// The set of blocks where lanes wait, as a sweep goes through the blocks in layout order.
pub(crate) struct Active {
    by_start: Vec<(BlockId, BlockId)>,
    taken: usize,
    now: BTreeSet<BlockId>,
}

impl Active {
    pub fn new(waits: &Waits) -> Active {
        let mut by_start: Vec<_> = waits.iter().map(|(t, s)| (s, t)).collect();
        by_start.sort_unstable();
        Active { by_start, taken: 0, now: BTreeSet::new() }
    }

    /// The next block after `b` where lanes may wait while the pointer is in `b`; `b` never decreases.
    pub fn next_after(&mut self, b: usize) -> Option<BlockId> {
        while let Some(&(s, t)) = self.by_start.get(self.taken)
            && s.index() <= b
        {
            self.now.insert(t);
            self.taken += 1;
        }
        while let Some(&t) = self.now.first()
            && t.index() <= b
        {
            self.now.remove(&t);
        }
        self.now.first().copied()
    }

    fn insert(&mut self, t: BlockId) {
        self.now.insert(t);
    }
}

/// For each block, the JIP of the goto at its end.
fn next_waits(plans: &[Plan], waits: &Waits) -> Vec<Option<BlockId>> {
    let mut active = Active::new(waits);
    plans
        .iter()
        .enumerate()
        .map(|(b, plan)| {
            let next = active.next_after(b);
            match *plan {
                Plan::Forward(to) => Some(next.map_or(to, |t| t.min(to))),
                Plan::Backward(_) => Some(BlockId(b as u32 + 1)),
                Plan::None | Plan::Jump(_) => next,
            }
        })
        .collect()
}

/// The thread may end only where no lane waits for its turn.
fn check_ends(kernel: &Kernel<Virtual>, waits: &Waits) -> Result<(), Error> {
    let divergent = waits.divergent();
    for (b, block) in kernel.blocks.iter().enumerate() {
        if divergent[b] && block.insts.last().is_some_and(|i| i.is_eot() || i.op == Op::Ret) {
            return Err(Error::EndsWhileLanesWait(BlockId(b as u32)));
        }
    }
    Ok(())
}

/// Gives uniform gotos that stay gotos the full execution size, and predicates that say the same for
/// every lane.
fn widen_uniform(kernel: &mut Kernel<Virtual>, plans: &[Plan], exec: ExecSize) {
    let mut uniform = None;
    for (b, plan) in plans.iter().enumerate() {
        let Plan::Forward(_) = plan else { continue };
        let Some(last) = kernel.blocks[b].insts.last().copied() else { continue };
        if last.exec != ExecSize::S1 {
            continue;
        }
        let mut goto = Inst { op: Op::Goto, exec, chan: 0, no_mask: false, ..last };
        let flags = uniform.get_or_insert_with(|| uniform_flags(kernel, exec.lanes()));
        let wants_copy = last.pred.filter(|p| {
            p.ctrl == PredCtrl::Seq
                && !p.flag.var().is_some_and(|v| flags.get(v.index()).copied().unwrap_or(false))
        });
        if let Some(pred) = wants_copy {
            let (flag, ty) = new_flag(kernel, exec);
            let mov = |bits, pred| Inst {
                no_mask: true,
                pred,
                dst: Dst::packed(flag, ty),
                src: [Src::imm(bits, ty), Src::None, Src::None],
                origin: last.origin,
                ..Inst::new(Op::Mov, ExecSize::S1)
            };
            let insts = &mut kernel.blocks[b].insts;
            insts.pop();
            insts.push(mov(0, None));
            insts.push(mov(u64::MAX, Some(pred)));
            insts.push(goto);
            goto.pred = Some(Pred { flag, inv: false, ctrl: PredCtrl::Seq });
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

/// Writes the final form of each branch; targets and successors are numbered as the new layout has
/// them. Returns the number of jumps.
fn write_branches(
    kernel: &mut Kernel<Virtual>,
    plans: &[Plan],
    forms: &[Form],
    layout: &Layout,
    jips: &[Option<BlockId>],
) -> u32 {
    let on_true = kernel.platform.caps().goto_jumps_on_true;
    let mut jumps = 0;
    for (b, plan) in plans.iter().enumerate() {
        let taken = layout.taken(b, *plan, forms[b]);
        for s in &mut kernel.blocks[b].succs {
            *s = match (*plan, taken) {
                (Plan::Forward(to), Some(t)) if *s == to => t,
                _ => layout.start(*s),
            };
        }
        let Some(last) = kernel.blocks[b].insts.last().copied() else { continue };
        let branch = |jip: Option<BlockId>, uip: Option<BlockId>, ctrl| Payload::Branch {
            jip: jip.map_or(Target::None, Target::Block),
            uip: uip.map_or(Target::None, Target::Block),
            ctrl,
        };
        let mut new = last;
        new.cond = None::<CondMod<Virtual>>;
        match *plan {
            Plan::None => match last.branch_target() {
                Some(t) if last.op == Op::Call => new.payload = branch(Some(layout.start(t)), None, false),
                _ => continue,
            },
            Plan::Jump(to) => {
                jumps += 1;
                new.op = Op::Jmpi;
                new.exec = ExecSize::S1;
                new.chan = 0;
                new.no_mask = true;
                new.payload = branch(Some(layout.start(to)), None, false);
            }
            Plan::Backward(to) => {
                new.payload = branch(jips[b].map(|t| layout.start(t)), Some(layout.start(to)), true);
            }
            Plan::Forward(_) => match forms[b] {
                Form::Plain => {
                    new.payload = branch(jips[b].map(|t| layout.start(t)), taken, false);
                    if !on_true {
                        jump_on_false(kernel, b, &mut new);
                    }
                }
                Form::If { other, .. } => {
                    new.op = Op::If;
                    // The lanes that do not jump run the first part.
                    if let Some(p) = &mut new.pred {
                        p.inv = !p.inv;
                    }
                    let end = layout.end_of(b);
                    new.payload = branch(other.map_or(end, |t| Some(layout.start(t))), end, false);
                }
                Form::Else { .. } => {
                    new.op = Op::Else;
                    new.payload = branch(taken, taken, false);
                }
            },
        }
        if let Some(i) = kernel.blocks[b].insts.last_mut() {
            *i = new;
        }
    }
    jumps
}

/// Gen8 and Gen9 send the lanes whose predicate is false.
fn jump_on_false(kernel: &mut Kernel<Virtual>, b: usize, goto: &mut Inst<Virtual>) {
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
    let at = insts.len() - 1;
    insts.insert(at, zero);
    goto.pred = Some(Pred { flag, inv: false, ctrl: PredCtrl::Seq });
}
