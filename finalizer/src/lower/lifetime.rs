//! `lifetime.start`: what a variable held before is nothing from there on, for the lanes that run.
//!
//! Compilers put it before loops that serve some lanes in each turn, for addresses or surfaces that differ between lanes
//! (IGC, `EnableResourceLoopDestLifeTimeStart`): what such a loop loads under a predicate would else be alive in all loops
//! around. They put it inside of the loop, too, where lanes leave once they are served; so it says nothing of lanes that
//! wait. `lifetime.end` says nothing that the last read does not.

use gen_ir::{Dst, ExecSize, Op, Outside, Payload, Type, VarClass};
use narrow::to_u16;
use visa::op::{LifetimeMark, LifetimeVar};

use super::{Lowered, location::Location, lowerer::Lowerer};
use crate::build::{self, Lanes, VReg};

/// Registers of the largest variable that is of interest.
const MOST: u32 = 64;

impl Lowerer<'_> {
    /// The mark at `index` of the kernel, whatever it marks.
    pub(super) fn mark(&mut self, index: usize) -> Lowered {
        let starts = |op| match op {
            visa::Op::Lifetime { mark: LifetimeMark::Start, var: LifetimeVar::General(var) } => Some(var),
            _ => None,
        };
        // Without a branch no lane waits, and a write ends what was there.
        if self.visa.code[index].opcode != visa::Opcode::Lifetime || self.facts.blocks.len() < 2 {
            return Ok(());
        }
        let Some(var) = self.visa.try_inst(index).ok().and_then(|inst| starts(inst.op)) else {
            return Ok(());
        };
        let Ok(Location::Var(to, base)) = self.location(var) else { return Ok(()) };
        let bytes = var.declared().and_then(|v| self.visa.vars.get(v)).map_or(0, visa::GeneralVar::bytes);
        let end = (base + bytes).min(self.out.vars[to.index()].bytes);
        let grf = self.grf();
        if self.out.vars[to.index()].class != VarClass::General || end > MOST * grf {
            return Ok(());
        }
        let exec = ExecSize::from_lanes(self.out.simd.into()).unwrap_or(ExecSize::S8);
        let lanes = Lanes { exec, chan: 0, no_mask: false };
        // A register at a time: what is not touched together may be taken apart.
        let mut at = base;
        while at < end {
            let next = ((at / grf + 1) * grf).min(end);
            let mut start = build::op(Op::Sync, lanes, Dst::packed(VReg::var_at(to, at), Type::Ud), &[]);
            start.payload = Payload::Outside(Outside::StartOfLife { written: to_u16(next - at) });
            self.emit(start);
            at = next;
        }
        Ok(())
    }
}
