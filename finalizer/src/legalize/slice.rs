//! Cutting an instruction into slices of fewer channels.

use gen_ir::{Dst, ExecSize, Op, Region, Src, Type, VarId};
use narrow::{every, low_u32, to_i16, to_u8};

use super::{legalizer::Legalizer, operand::is_scalar};
use crate::build::{VInst, VSrc};

/// The slice of `inst` that works on its channels `first..first + lanes`.
pub(crate) fn slice(inst: &VInst, first: u32, lanes: u32) -> VInst {
    let mut part = *inst;
    part.exec = ExecSize::from_lanes(lanes).unwrap_or(ExecSize::S1);
    part.chan = inst.chan + to_u8(first);
    if part.no_mask && part.pred.is_none() && part.cond.is_none() {
        part.chan = inst.chan;
    }
    part.dst = match inst.dst {
        Dst::Direct { reg, horz, ty } if !reg.is_null() => {
            Dst::Direct { reg: reg.plus(first * u32::from(horz) * ty.bytes()), horz, ty }
        }
        Dst::Indirect { addr, imm, horz, ty } => Dst::Indirect {
            addr,
            imm: imm.saturating_add(to_i16(first * u32::from(horz) * ty.bytes())),
            horz,
            ty,
        },
        other => other,
    };
    for src in &mut part.src {
        *src = slice_source(*src, inst.exec.lanes(), first, lanes);
    }
    // The two coordinates of each eight channels of `pln` lie behind each other.
    if let (Op::Pln, Src::Direct { reg, ty, .. }) = (inst.op, &mut part.src[1]) {
        *reg = reg.plus(first * ty.bytes());
    }
    part
}

/// What channels `first..first + lanes` of `whole` read of a source.
pub(super) fn slice_source(src: VSrc, whole: u32, first: u32, lanes: u32) -> VSrc {
    match src {
        // Packed vectors: the first channel takes the lowest element.
        Src::Imm { bits, ty: ty @ (Type::V | Type::Uv) } => {
            Src::Imm { bits: u64::from(low_u32(bits).rotate_right(first % 8 * 4)), ty }
        }
        Src::Imm { bits, ty: Type::Vf } => {
            Src::Imm { bits: u64::from(low_u32(bits).rotate_right(first % 4 * 8)), ty: Type::Vf }
        }
        _ if is_scalar(&src, whole) => src,
        Src::Direct { reg, region, mods, ty } => Src::Direct {
            reg: reg.plus(region.element(first) * ty.bytes()),
            region: narrow(region, lanes),
            mods,
            ty,
        },
        Src::Indirect { addr, imm, region, mods, ty } if region.vert == Region::VXH => {
            // One address a row: later rows have later addresses.
            let width = u32::from(region.width).max(1);
            let within = first % width * u32::from(region.horz) * ty.bytes();
            let region = if lanes == 1 {
                Region::SCALAR
            } else if lanes <= width {
                narrow(Region::new(region.horz, 1, 0), lanes)
            } else {
                region
            };
            Src::Indirect {
                addr: addr.plus(first / width * 2),
                imm: imm.saturating_add(to_i16(within)),
                region,
                mods,
                ty,
            }
        }
        Src::Indirect { addr, imm, region, mods, ty } => Src::Indirect {
            addr,
            imm: imm.saturating_add(to_i16(region.element(first) * ty.bytes())),
            region: narrow(region, lanes),
            mods,
            ty,
        },
        other => other,
    }
}

/// A region for fewer channels: no wider than they are many.
fn narrow(region: Region, lanes: u32) -> Region {
    if lanes == 1 {
        return Region::SCALAR;
    }
    if region.width == Region::ABSENT || u32::from(region.width) < lanes {
        return region;
    }
    match region.horz {
        0 => Region::SCALAR,
        h => Region::new(h, 1, 0),
    }
}

/// Whether a slice of `step` channels would overwrite what a later slice still reads.
pub(crate) fn overlaps(inst: &VInst, step: u32) -> bool {
    let lanes = inst.exec.lanes();
    let indirect_dst = matches!(inst.dst, Dst::Indirect { .. });
    for src in &inst.src {
        let (reg, region, ty) = match *src {
            Src::Direct { reg, region, ty, .. } => (reg, region, ty),
            // An address may point anywhere.
            Src::Indirect { .. } if indirect_dst => return true,
            _ => continue,
        };
        let Dst::Direct { reg: dst, horz, ty: dst_ty } = inst.dst else { continue };
        if reg.var().is_none() || !reg.is_in(dst) {
            continue;
        }
        let dst_step = u32::from(horz) * dst_ty.bytes();
        for writer in every(0..lanes, step) {
            let start = dst.byte + writer * dst_step;
            let end = start + (step - 1) * dst_step + dst_ty.bytes();
            for lane in writer + step..lanes {
                let byte =
                    reg.byte + if is_scalar(src, lanes) { 0 } else { region.element(lane) * ty.bytes() };
                if byte < end && byte + ty.bytes() > start {
                    return true;
                }
            }
        }
    }
    false
}

impl Legalizer<'_> {
    /// Whether a slice of `step` channels would overwrite what a later slice still reads, through an
    /// address perhaps.
    pub(super) fn overlaps(&self, inst: &VInst, step: u32) -> bool {
        let addressed = |v: VarId| self.vars[v.index()].address_taken;
        let reached = inst.dst_var().is_some_and(addressed);
        let through_address = inst.reads_through_address();
        let read = |s: &VSrc| s.reg().and_then(|r| r.var()).is_some_and(addressed);
        let anywhere = matches!(inst.dst, Dst::Indirect { .. });
        reached && through_address || anywhere && inst.src.iter().any(read) || overlaps(inst, step)
    }
}

#[cfg(test)]
mod tests {
    use gen_ir::{Dst, ExecSize, Op, Region, Src, Type, VarId};

    use super::{overlaps, slice};
    use crate::build::{self, Lanes, VReg};

    fn add(dst: u32, src: u32, region: Region) -> build::VInst {
        let lanes = Lanes { exec: ExecSize::S16, chan: 0, no_mask: false };
        let reg = |byte| VReg::var_at(VarId(0), byte);
        build::op(
            Op::Add,
            lanes,
            Dst::packed(reg(dst), Type::D),
            &[Src::new(reg(src), region, Type::D), Src::d(1)],
        )
    }

    #[test]
    fn pieces_advance_channels_and_operands() {
        let half = slice(&add(0, 64, Region::new(8, 8, 1)), 8, 8);
        assert_eq!((half.chan, half.exec), (8, ExecSize::S8));
        assert_eq!(half.dst.reg().map(|r| r.byte), Some(32));
        assert_eq!(half.src[0].reg().map(|r| r.byte), Some(96));
    }

    #[test]
    fn only_lanes_that_move_overlap() {
        assert!(!overlaps(&add(0, 0, Region::PACKED), 8));
        assert!(overlaps(&add(32, 0, Region::PACKED), 8));
        assert!(overlaps(&add(0, 4, Region::SCALAR), 8));
        assert!(!overlaps(&add(0, 32, Region::PACKED), 8));
    }
}
