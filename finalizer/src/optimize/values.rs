//! Equal operations on equal values are done once a block.
//!
//! Inside a block the mask does not change, so an operation on the same channels with the same sources, which nothing
//! has written in between, gives the same again: local value numbering. If neither result's variable is ever written
//! elsewhere, the later one goes: whoever reads it, in this block or others, reads the earlier one. Constants and headers,
//! which are made in several moves, are the business of `constants`.

use narrow::as_index;
use std::hash::BuildHasher;

use gen_ir::{Class, Dst, Inst, Kernel, Op, Options, Payload, Reg, Region, Src, Type, Var, VarId, Virtual};
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::{legal::Legality, locality::Locality, use_counts::UseCounts};
use crate::lists::reset;

/// How many instructions a result is remembered for: what would live longer costs registers.
const REACH: u32 = 200;

/// What an operation computes: equal ones give equal results.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Computation {
    op: Op,
    lanes: u32,
    /// The first channel of an operation under the block's mask; [`None`]: all channels are written.
    masked_from: Option<u8>,
    sat: bool,
    ty: Type,
    /// How far apart the results lie.
    horz: u8,
    src: [Src<Virtual>; 3],
    payload: Payload<Virtual>,
    /// When each source was written last.
    written: [u32; 3],
}

impl Computation {
    /// A number that equal values share, and few others.
    fn key(&self) -> u64 {
        let operand = |s: &Src<Virtual>| match *s {
            Src::Imm { bits, .. } => bits,
            Src::Direct { reg, .. } => reg.var().map_or(0, |v| u64::from(v.0) << 32 | u64::from(reg.byte)),
            _ => 0,
        };
        FxBuildHasher.hash_one((u32::from(self.op.number()), self.src.each_ref().map(operand)))
    }
}

/// An earlier result.
#[derive(Clone, Copy, Debug)]
struct Known {
    value: Computation,
    result: Reg<Virtual>,
    at: u32,
}

/// Memory for [`share`].
#[derive(Debug, Default)]
pub(super) struct ValueMemory {
    /// When each variable was written last, in instructions of the kernel.
    written: Vec<u32>,
    /// What stands for a variable that goes.
    instead: Vec<Option<VarId>>,
    known: FxHashMap<u64, Known>,
}

/// What was shared.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Shared {
    pub any: bool,
    /// Blocks read results of others that they did not read before.
    pub elsewhere: bool,
}

/// Lets later results be earlier ones; what computed them becomes `nop`. Counts of readers stay right. In legal code
/// only moves are shared, which legalization may have made; the rest has been.
pub(super) fn share(
    kernel: &mut Kernel<Virtual>,
    locality: &Locality,
    use_counts: &mut UseCounts,
    legality: Legality,
    memory: &mut ValueMemory,
) -> Shared {
    let ValueMemory { written, instead, known } = memory;
    let Kernel { vars, blocks, .. } = kernel;
    reset(written, vars.len(), 0);
    reset(instead, vars.len(), None);
    let (mut now, mut done) = (0, Shared::default());
    for (b, block) in blocks.iter_mut().enumerate() {
        known.clear();
        let mut any = false;
        for i in 0..block.insts.len() {
            now += 1;
            if any {
                block.insts[i] = renamed(&block.insts[i], instead);
            }
            let inst = &block.insts[i];
            if inst.changes_mode() {
                known.clear();
            }
            let result = inst.dst.reg();
            let candidate = legality == Legality::Open || inst.op == Op::Mov;
            if candidate && let Some((value, result)) = value(inst, vars, use_counts, written) {
                let key = value.key();
                let older = known.get(&key).filter(|k| k.value == value && now - k.at <= REACH);
                if let Some(k) = older
                    && let (Some(later), Some(earlier)) = (result.var(), k.result.var())
                    && k.is_placed_as(result, vars)
                {
                    // Outside of this stretch both are the same in every lane, for both are written together.
                    let local = locality.only_in(later, b);
                    let between = &block.insts[i - as_index(now - k.at)..i];
                    if local || !vars[later.index()].live_in && !between.iter().any(|i| reads(i, later)) {
                        instead[later.index()] = Some(earlier);
                        use_counts.forget_reads_of(inst);
                        use_counts.move_reads(later, earlier);
                        block.insts[i] = Inst::new(Op::Nop, inst.exec);
                        (any, done.any) = (true, true);
                        done.elsewhere |= !local;
                        continue;
                    }
                }
                if older.is_none() {
                    known.insert(key, Known { value, result, at: now });
                }
            }
            if let Some(v) = result.and_then(Reg::var) {
                written[v.index()] = now;
            }
        }
    }
    if done.elsewhere {
        blocks.iter_mut().flat_map(|b| &mut b.insts).for_each(|inst| *inst = renamed(inst, instead));
    }
    done
}

impl Known {
    /// Whether the result lies in its variable as a later one in another, and is at least as well aligned.
    fn is_placed_as(&self, later: Reg<Virtual>, vars: &[Var]) -> bool {
        let (Some(a), Some(v)) = (self.result.var(), later.var()) else { return false };
        let (earlier, var) = (&vars[a.index()], &vars[v.index()]);
        self.result.byte == later.byte
            && earlier.bytes >= var.bytes
            && earlier.align >= var.align
            && (earlier.even_grf || !var.even_grf)
            && !(var.live_out || var.fixed.is_some() || var.no_spill)
    }
}

fn reads(inst: &Inst<Virtual>, var: VarId) -> bool {
    let mut found = false;
    inst.for_each_read(|r| found |= r.var() == Some(var));
    found
}

/// What an instruction computes, and where, if it does nothing else, its sources are constants and variables, and its
/// result is the only one that the variable ever has.
fn value(
    inst: &Inst<Virtual>,
    vars: &[Var],
    use_counts: &UseCounts,
    written: &[u32],
) -> Option<(Computation, Reg<Virtual>)> {
    let Dst::Direct { reg, horz, ty } = inst.dst else { return None };
    let result = use_counts.vars[reg.var()?.index()];
    let plain = inst.pred.is_none() && inst.cond.is_none() && inst.opts == Options::NONE;
    if !plain || !result.is_plain() || result.is_written_again() || !is_function(inst.op) {
        return None;
    }
    let mut when = [0; 3];
    let mut variables = false;
    for (src, when) in inst.src.iter().zip(&mut when) {
        match *src {
            Src::None | Src::Imm { .. } => {}
            Src::Direct { reg, region, .. } => {
                let v = reg.var()?;
                if !use_counts.vars[v.index()].is_plain() || region.vert == Region::VXH {
                    return None;
                }
                debug_assert!(!vars[v.index()].address_taken);
                *when = written[v.index()];
                variables = true;
            }
            _ => return None,
        }
    }
    let value = Computation {
        op: inst.op,
        lanes: inst.exec.lanes(),
        masked_from: (!inst.no_mask).then_some(inst.chan),
        sat: inst.sat,
        ty,
        horz,
        src: inst.src,
        payload: inst.payload,
        written: when,
    };
    variables.then_some((value, reg))
}

/// Whether an operation's result depends on its sources alone.
fn is_function(op: Op) -> bool {
    let class = matches!(op.info().class, Class::Basic | Class::Ternary | Class::Math);
    let implicit = op.info().accumulator.any()
        || matches!(op, Op::Nop | Op::Movi | Op::Smov | Op::Wait | Op::Cmp | Op::Cmpn | Op::Csel | Op::Madm);
    class && !implicit
}

fn renamed(inst: &Inst<Virtual>, instead: &[Option<VarId>]) -> Inst<Virtual> {
    let mut named = false;
    inst.for_each_reg(|_, r| named |= r.var().is_some_and(|v| instead[v.index()].is_some()));
    if !named {
        return *inst;
    }
    inst.map_regs(|_, r| match r.var().and_then(|v| instead[v.index()]) {
        Some(earlier) => Reg::var_at(earlier, r.byte),
        None => r,
    })
}
