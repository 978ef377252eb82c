//! Payloads that must not meet: the two of a split message each other, and where the platform asks for it, the response.
//!
//! The two payloads of a message lie in registers of their own ("sends" in PRM volume 2a; `split-overlap` of the rules).
//! Coordinates that are equal, say, may have become one variable.
//!
//! Intel's finalizer keeps responses apart on Gen11 and from Meteor Lake to Ponte Vecchio (`WaDisableSendSrcDstOverlap`): a
//! message that is sent again after a page fault would send what has come in. Between variables that is interference;
//! here are messages that write the variable they send: a copy is sent.

use gen_ir::{Dst, ExecSize, Extent, Inst, Kernel, Pool, Reg, Region, Src, Type, Var, VarClass, Virtual};
use narrow::to_u8;

use super::{LegalizeMemory, splice};
use crate::build::{self, Lanes, VInst, VReg};

/// Parts payloads from each other and from responses in every block. Returns whether there was anything to do.
pub(crate) fn part(
    kernel: &mut Kernel<Virtual>,
    scratch: &mut LegalizeMemory,
    pool: &mut Pool<Virtual>,
) -> bool {
    let caps = kernel.platform.caps();
    let grf = u32::from(caps.regs.grf_bytes);
    let responses = caps.sends.responses_apart;
    let is_copied = |inst: &VInst, s| responses && meets(inst, s, grf) || s == 1 && are_one(inst, grf);
    let mut changed = false;
    for b in 0..kernel.blocks.len() {
        if !kernel.blocks[b].insts.iter().any(|i| (0..2).any(|s| is_copied(i, s))) {
            continue;
        }
        changed = true;
        scratch.out.clear();
        scratch.replaced.clear();
        let mut insts = std::mem::take(&mut kernel.blocks[b].insts);
        for (i, inst) in insts.iter_mut().enumerate() {
            let first = scratch.out.len();
            for s in 0..2 {
                if is_copied(inst, s) {
                    copy(kernel, inst, s, grf, &mut scratch.out);
                }
            }
            if scratch.out.len() > first {
                scratch.out.push(*inst);
                scratch.replaced.push((i, scratch.out.len()));
            }
        }
        splice(&mut insts, &scratch.replaced, &scratch.out, pool);
        kernel.blocks[b].insts = insts;
    }
    changed
}

/// The registers of payload `s` of a message, if it is not `null`.
fn payload(inst: &VInst, s: usize) -> Option<(VReg, u32)> {
    let info = inst.send()?;
    let Src::Direct { reg, .. } = inst.src[s] else { return None };
    (!reg.is_null()).then_some((reg, u32::from([info.src0_len, info.src1_len][s])))
}

/// Whether the response of a message overwrites its payload `s`.
fn meets(inst: &VInst, s: usize, grf: u32) -> bool {
    let (Some((from, len)), Dst::Direct { reg: to, .. }) = (payload(inst, s), inst.dst) else { return false };
    let back = inst.send().map_or(0, |i| u32::from(i.dst_len));
    from.is_in(to) && Extent::new(from.byte, len * grf).overlaps(Extent::new(to.byte, back * grf))
}

/// Whether the two payloads of a message have a register in common.
fn are_one(inst: &VInst, grf: u32) -> bool {
    let (Some((a, a_len)), Some((b, b_len))) = (payload(inst, 0), payload(inst, 1)) else { return false };
    a.is_in(b) && Extent::new(a.byte, a_len * grf).overlaps(Extent::new(b.byte, b_len * grf))
}

/// Copies payload `s` to a variable of its own, all channels of it.
fn copy(kernel: &mut Kernel<Virtual>, inst: &mut VInst, s: usize, grf: u32, out: &mut Vec<VInst>) {
    let Some((from, len)) = payload(inst, s) else { return };
    let even_grf = from.var().is_some_and(|v| kernel.vars[v.index()].even_grf);
    let copy = Var { even_grf, ..Var::temp(VarClass::General, len * grf, grf) };
    let to = Reg::var_at(kernel.add_var(copy), 0);
    // What lies behind the variable's end nobody has written.
    let end = from
        .var()
        .map_or(len * grf, |v| kernel.vars[v.index()].bytes.saturating_sub(from.byte))
        .min(len * grf);
    let rows = kernel.platform.caps().regions.float_regions;
    let mut at = 0;
    while at < end {
        let ty = if end - at < 4 { Type::Ub } else { Type::Ud };
        let lanes = ((end - at).min(2 * grf) / ty.bytes()).ilog2();
        let exec = ExecSize::from_lanes(1 << lanes).unwrap_or(ExecSize::S1);
        // As legal instructions spell it.
        let region = match exec.lanes() {
            1 => Region::SCALAR,
            n if rows => Region::new(to_u8(n.min(8)), to_u8(n.min(8)), 1),
            _ => Region::PACKED,
        };
        let lanes = Lanes { exec, chan: 0, no_mask: true };
        let mov = build::mov(lanes, Dst::packed(to.plus(at), ty), Src::new(from.plus(at), region, ty));
        out.push(Inst { origin: inst.origin, ..mov });
        at += exec.lanes() * ty.bytes();
    }
    if let Src::Direct { reg, .. } = &mut inst.src[s] {
        *reg = to;
    }
}
