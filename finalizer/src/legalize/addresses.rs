//! Operands behind addresses that an operation may not have there.
//!
//! Xe-HPC: float and 64-bit sources have no address for each row, and where such an operation keeps its channels
//! in place, nobody knows the place of what is behind an address. Broxton and its like: 64-bit operations and
//! dword multiplication have no operands behind addresses at all. Moves of integers of at most four bytes may
//! have them everywhere, so such operands go through a temporary.
//!
//! Everywhere: what an instruction reads and writes behind more addresses than there are address registers.
//!
//! Volume 7, "Register Region Restrictions"; vISA has no such rules.

use gen_ir::{
    AddrSub, Dst, Region, Src, Type,
    rules::places::{is_wide, keeps_channels},
};
use narrow::{to_i16, to_u8};

use super::{
    legalizer::{Legalizer, Step, lanes_of},
    not_legal::NotLegal,
    operand::{Saturates, is_scalar},
    places::far_apart,
    qwords::{copy_quadwords, dwords_at, part},
};
use crate::build::{self, VInst, VReg, VSrc};

pub(super) fn rule(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    let leaves_out = matches!(inst.dst, Dst::Indirect { .. });
    if !leaves_out && !inst.reads_through_address() {
        return Step::Keep;
    }
    if let Some(i) = crowding(lx, inst) {
        return through_temporary(lx, inst, i);
    }
    let lanes = inst.exec.lanes();
    let direct_only = lx.caps.regions.restricted_64bit && is_wide(inst);
    let stays = !lx.caps.regions.float_regions && lanes > 1 && keeps_channels(lx.caps, inst);
    let must_move = |s: &VSrc| match s {
        Src::Indirect { region, ty, .. } => {
            let row_wise = region.vert == Region::VXH && (ty.is_float() || ty.bytes() == 8);
            direct_only || stays && !is_scalar(s, lanes) || !lx.caps.regions.float_regions && row_wise
        }
        _ => false,
    };
    let comes = inst.src.iter().position(must_move);
    let leaves = leaves_out && (direct_only || stays && inst.src.iter().any(|s| !is_scalar(s, lanes)));
    if !leaves && comes.is_none() {
        return Step::Keep;
    }
    if inst.is_raw_move() {
        if let Some(slices) = as_integers(inst) {
            slices.into_iter().flatten().for_each(|slice| lx.inst(slice));
            return Step::Replaced;
        }
        if let Dst::Indirect { horz: 4, .. } = inst.dst {
            return far_apart(lx, inst);
        }
    }
    let Some(i) = comes else {
        let Some(ty) = inst.dst.ty() else { return Step::Keep };
        lx.stage_destination(inst, ty, 1, Saturates::Operation);
        return Step::Replaced;
    };
    let Src::Indirect { ty, .. } = inst.src[i] else { return Step::Keep };
    if ty.bytes() == 8 && dwords_at(inst.src[i], lanes, 0).is_none() {
        let mut new = *inst;
        copy_quadwords(lx, &mut new, i);
        lx.inst(new);
        return Step::Replaced;
    }
    through_temporary(lx, inst, i)
}

/// The source with the largest address variable, if those of one instruction are more than the address registers. vISA has no such
/// rule; Intel's finalizer (`GenX_IR`, `shl (16) r[B] r[A]<1,0> 3` with sixteen addresses in A) reads the source before, too.
fn crowding(lx: &Legalizer<'_>, inst: &VInst) -> Option<usize> {
    let behind = |addr: VReg| addr.var().map(|var| (var, lx.vars[var.index()].bytes));
    let source = |i: usize| match inst.src[i] {
        Src::Indirect { addr, .. } => behind(addr),
        _ => None,
    };
    let target = match inst.dst {
        Dst::Indirect { addr, .. } => behind(addr),
        _ => None,
    };
    let all = [source(0), source(1), source(2), target];
    let first = |i: usize| !all[..i].contains(&all[i]);
    let bytes: u32 = (0..4).filter(|&i| first(i)).filter_map(|i| Some(all[i]?.1)).sum();
    let room = u32::from(lx.caps.regs.addr_subregs) * AddrSub::BYTES;
    let sources = (0..3).filter(|&i| all[i].is_some());
    if bytes > room { sources.max_by_key(|&i| all[i].map(|(_, bytes)| bytes)) } else { None }
}

/// Brings a source by moves of integers of at most four bytes, and reads it from there.
fn through_temporary(lx: &mut Legalizer<'_>, inst: &VInst, i: usize) -> Step {
    let lanes = inst.exec.lanes();
    let Src::Indirect { region, mods, ty, .. } = inst.src[i] else { return Step::Keep };
    let units = if ty.bytes() == 8 { 2u32 } else { 1 };
    let Some(unit) = Type::unsigned(ty.bytes() / units) else { return Step::Keep };
    let scalar = region.is_scalar() || lanes == 1;
    let copy = if scalar { lx.temp(ty.bytes()) } else { lx.aligned_temp(lanes * ty.bytes()) };
    for k in 0..units {
        let offset = k * unit.bytes();
        let Some(from) = part(inst.src[i], lanes, units, offset, unit) else {
            return Step::Refuse(NotLegal::AddressedRows);
        };
        let to = copy.plus(offset);
        let mov = if scalar {
            build::mov(build::Lanes::SCALAR, Dst::packed(to, unit), from)
        } else {
            build::mov(lanes_of(inst), Dst::Direct { reg: to, horz: to_u8(units), ty: unit }, from)
        };
        lx.helper(mov, inst);
    }
    let region = if scalar { Region::SCALAR } else { build::strided(1, inst.exec) };
    let mut new = *inst;
    new.src[i] = Src::Direct { reg: copy, region, mods, ty };
    lx.inst(new);
    Step::Replaced
}

/// A copy of bits as copies of integers of at most four bytes: of dwords where elements have eight.
fn as_integers(inst: &VInst) -> Option<[Option<VInst>; 2]> {
    let lanes = inst.exec.lanes();
    let bytes = inst.dst.ty()?.bytes();
    let units = if bytes == 8 { 2u32 } else { 1 };
    let ty = Type::unsigned(bytes / units)?;
    let slice = |offset: u32| {
        let in_dwords = |horz: u8| match u32::from(horz) * units {
            _ if lanes == 1 => Some(1),
            step => (step <= 4).then_some(to_u8(step)),
        };
        let dst = match inst.dst {
            Dst::Direct { reg, horz, .. } => {
                Dst::Direct { reg: reg.plus(offset), horz: in_dwords(horz)?, ty }
            }
            Dst::Indirect { addr, imm, horz, .. } => {
                Dst::Indirect { addr, imm: imm + to_i16(offset), horz: in_dwords(horz)?, ty }
            }
            _ => return None,
        };
        let source = part(inst.src[0], lanes, units, offset, ty)?;
        Some(VInst { dst, src: [source, Src::None, Src::None], ..*inst })
    };
    Some([Some(slice(0)?), if units == 2 { Some(slice(4)?) } else { None }])
}
