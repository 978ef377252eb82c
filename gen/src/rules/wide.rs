//! 64-bit operands and dword multiplication; on Xe-HPC every float destination and every float that is no scalar too.
//!
//! Volume 7, "Special Requirements for Handling Double Precision Data Types"; Xe-HPC: "Register Region
//! Restrictions", the rules for floating-point destinations and 64-bit operands.

use super::{
    Cx, Operand,
    places::{Channels, is_wide, keeps_channels, spreads_evenly},
};
use crate::{Arf, Base, Dst, Op, Options, Region, Type};

pub(super) fn check(cx: &mut Cx<'_>) {
    if cx.align16() {
        let widens =
            cx.dst_type().is_some_and(|ty| ty.bytes() == 8) && cx.operands().any(|(_, o)| o.ty.bytes() < 8);
        cx.require(
            !widens || cx.lanes() <= 2,
            "wide-align16",
            "quadwords of something narrower are at most two in align16 mode",
        );
        return;
    }
    if cx.caps.regions.restricted_64bit && is_wide(cx.inst) {
        low_power(cx);
    }
    if !cx.caps.regions.float_regions {
        if keeps_channels(cx.caps, cx.inst) {
            same_place(cx);
        }
        let vxh = cx.operands().any(|(_, o)| {
            o.is_indirect() && o.region.vert == Region::VXH && (o.ty.is_float() || o.ty.bytes() == 8)
        });
        cx.require(!vxh, "wide-vxh", "float and 64-bit sources have no per-row addresses");
    }
}

fn arf_source(o: &Operand) -> bool {
    matches!(o.at, Some((Base::Arf(a), _)) if a != Arf::Null)
}

/// Cherryview and Broxton.
fn low_power(cx: &mut Cx<'_>) {
    let behind = matches!(cx.inst.dst, Dst::Indirect { .. });
    cx.require(!behind, "wide-indirect", "64-bit operations have no indirect operands");
    let Some(to) = cx.dst_channels() else { return };
    let lanes = cx.lanes();
    for (_, o) in cx.operands() {
        let r = o.region;
        if o.is_indirect() {
            cx.require(false, "wide-indirect", "64-bit operations have no indirect operands");
            continue;
        }
        if !o.is_scalar() && lanes > 1 {
            cx.require(
                o.stride().is_multiple_of(8) && o.channels().step_as(to),
                "wide-stride",
                "source and destination strides of a 64-bit operation are the same multiple of a qword",
            );
            cx.require(
                to.place.is_none() || o.channels().start_as(to),
                "wide-offset",
                "source and destination offsets of a 64-bit operation are the same",
            );
        }
        let linear = u32::from(r.vert) == u32::from(r.width) * u32::from(r.horz) || r.width == 1;
        cx.require(
            linear,
            "wide-rows",
            "the vertical stride of a 64-bit operation is width times horizontal stride",
        );
        cx.require(!arf_source(&o), "wide-arf", "64-bit operations have no architecture registers");
    }
    let acc = cx.inst.op == Op::Mac || cx.inst.opts.has(Options::ACC_WR_EN);
    cx.require(!acc, "wide-arf", "64-bit operations have no architecture registers");
    let dep = cx.inst.opts.has(Options::NO_DD_CLR) || cx.inst.opts.has(Options::NO_DD_CHK);
    cx.require(!dep, "wide-dep", "64-bit operations have no dependency control");
}

/// Whether a conversion packs or spreads the halves itself.
fn packs_halves(cx: &Cx<'_>, source: &Operand, to: Channels) -> bool {
    let Some(ty) = cx.dst_type() else { return false };
    spreads_evenly((ty, to), (source.ty, source.channels()), cx.grf())
}

/// Xe-HPC: channels stay at the same place between source and destination.
fn same_place(cx: &mut Cx<'_>) {
    let Some(to) = cx.dst_channels() else { return };
    let lanes = cx.lanes();
    for (_, o) in cx.operands() {
        let r = o.region;
        // Where a register is behind an address, and where in it, only the running kernel knows.
        let known = !o.is_indirect() && !matches!(cx.inst.dst, Dst::Indirect { .. });
        cx.require(
            known || o.is_scalar() || lanes == 1,
            "lane-shift",
            "what is behind addresses is of integers of at most 32 bits, or scalar",
        );
        if !o.is_scalar() && !o.is_indirect() && lanes > 1 {
            let linear =
                u32::from(r.vert) == u32::from(r.width) * u32::from(r.horz) || (r.horz == 0 && r.width == 1);
            let halves = cx.inst.is_mixed_float() && cx.inst.op == Op::Mov && packs_halves(cx, &o, to);
            let moves_them = halves || cx.converts_bf8();
            // Packed half floats become integers a dword apart.
            let apart = o.ty == Type::Hf && o.stride() == 2 && to.step == Some(4) && cx.inst.op == Op::Mov;
            let steps = o.channels().step_as(to) || apart && cx.dst_type().is_some_and(Type::is_int);
            let same = moves_them || steps && (to.place.is_none() || o.channels().start_as(to));
            cx.require(
                linear && same,
                "lane-shift",
                "float and 64-bit operations keep each channel at its byte, except for scalar sources",
            );
        }
        let arf = matches!(o.at, Some((Base::Arf(a), _)) if !matches!(a, Arf::Null | Arf::Acc(_)));
        cx.require(
            !arf,
            "float-arf",
            "float and 64-bit operations use no architecture registers but accumulators",
        );
    }
}
