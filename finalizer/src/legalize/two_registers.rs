//! Operations on two registers, which the hardware does in two parts.
//!
//! From Gen11 on the second part must not read what the first has written; vISA reads all sources before it
//! writes anything. Where an operation would, its result waits in a temporary.

use gen_ir::{Dst, Region, Src, VarClass};

use super::legalizer::{Legalizer, Step};
use crate::build::VInst;
use crate::legalize::operand::Saturates;

pub(super) fn rule(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    let Some(ty) = inst.dst.ty().filter(|_| lx.caps.regions.registers_in_turn && reads_result(lx, inst))
    else {
        return Step::Keep;
    };
    // Its elements lie as they did: then no other rule has a new reason to speak.
    let horz = match inst.dst {
        Dst::Direct { horz: horz @ (1 | 2 | 4), .. } => u32::from(horz),
        _ => 1,
    };
    lx.stage_destination(inst, ty, horz, Saturates::Operation);
    Step::Replaced
}

/// Whether the second part of an operation reads dwords that the first has written.
pub(super) fn reads_result(lx: &Legalizer<'_>, inst: &VInst) -> bool {
    let Dst::Direct { reg: dst, horz, ty } = inst.dst else { return false };
    let (lanes, grf) = (inst.exec.lanes(), lx.grf());
    let Some(var) = dst.var().filter(|_| lanes > 1) else { return false };
    let step = (u32::from(horz) * ty.bytes()).max(1);
    let at = lx.offset_in_grf(dst);
    let known = &lx.vars[var.index()];
    // Channels of the first part. If nobody knows yet where the second begins, it may be anywhere; but a variable that is no
    // larger than a register never crosses one (see `split`).
    let first = match at {
        Some(at) => (grf - at).div_ceil(step),
        None if known.bytes <= grf => lanes,
        None => 1,
    };
    if first >= lanes || known.class != VarClass::General {
        return false;
    }
    let last = if at.is_some() { first } else { lanes - 1 };
    let (start, end) = (dst.byte / 4, (dst.byte + (last - 1) * step + ty.bytes() - 1) / 4);
    inst.src.iter().any(|s| match *s {
        Src::Indirect { .. } => lx.vars[var.index()].address_taken,
        Src::Direct { reg, region, ty, .. } if reg.is_in(dst) && region.width != Region::ABSENT => {
            (first..lanes).any(|c| {
                let byte = reg.byte + region.element(c) * ty.bytes();
                byte / 4 <= end && start <= (byte + ty.bytes() - 1) / 4
            })
        }
        _ => false,
    })
}
