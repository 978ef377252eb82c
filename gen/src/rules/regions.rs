//! Regions: shape, register crossing, span.
//!
//! Volume 7, "General Restrictions on Regioning Parameters" and "Region Alignment Rules".

use super::{
    Cx, Operand,
    places::{Channels, Walk, is_narrowed, lies_as_result, rows_inside, span_fits},
};
use crate::{Arf, Base, Class, Dst, Physical, Reg, Region, Src, Type, region_span};

pub(super) fn check(cx: &mut Cx<'_>) {
    if cx.align16() {
        return;
    }
    for (_, o) in cx.operands() {
        shape(cx, &o);
        crossing(cx, &o);
    }
    destination(cx);
    immediates(cx);
}

fn shape(cx: &mut Cx<'_>, o: &Operand) {
    let (lanes, r) = (cx.lanes(), o.region);
    if r.width == Region::ABSENT || r.width == 0 {
        return;
    }
    let width = u32::from(r.width);
    cx.require(lanes >= width, "region-width", "the region is no wider than the execution size");
    if r.vert == Region::VXH {
        return;
    }
    if lanes == width && r.horz != 0 {
        cx.require(
            u32::from(r.vert) == width * u32::from(r.horz),
            "region-one-row",
            "in a region of one row the vertical stride is width times horizontal stride",
        );
    }
    if width == 1 {
        cx.require(r.horz == 0, "region-width-1", "a region of width 1 has horizontal stride 0");
        if lanes == 1 {
            cx.require(r.vert == 0, "region-scalar", "one channel reads a region <0;1,0>");
        }
    }
    if r.vert == 0 && r.horz == 0 {
        cx.require(width == 1, "region-broadcast", "a region without strides has width 1");
    }
}

/// Rows stay inside one register, and everything within two. The best that an address can be is the start of a register.
fn crossing(cx: &mut Cx<'_>, o: &Operand) {
    let byte = match o.at {
        Some((Base::Grf(_), byte)) => byte,
        None if o.is_indirect() => 0,
        _ => return,
    };
    if !o.region.is_complete() || o.region.width == 0 {
        return;
    }
    let (lanes, grf) = (cx.lanes(), cx.grf());
    let inside = rows_inside(o.region, o.ty, byte, lanes, grf);
    cx.require(inside, "row-crossing", "elements of one row stay inside one register");
    let end = byte + region_span(o.region, o.ty, lanes);
    cx.require(span_fits(end, grf), "source-span", "a source spans at most two registers");
}

fn destination(cx: &mut Cx<'_>) {
    if let Dst::Indirect { horz, ty, .. } = cx.inst.dst {
        // The best that an address can be is the start of a register.
        let walk = walk(cx, 0, horz, ty);
        let fits = span_fits(walk.end(), cx.grf());
        cx.require(fits, "destination-span", "a destination spans at most two registers");
    }
    let Dst::Direct { reg, horz, ty } = cx.inst.dst else { return };
    if cx.dst_is_null() {
        return;
    }
    cx.require(horz != 0, "destination-broadcast", "the destination stride is not 0");
    let grf = cx.grf();
    if !matches!(reg.base(), Base::Grf(_) | Base::Arf(Arf::Acc(_))) {
        return;
    }
    let walk = walk(cx, reg.byte, horz, ty);
    let two = matches!(cx.inst.payload, crate::Payload::Math(crate::MathFn::Idivmod));
    let fits = span_fits(walk.end(), grf) || two;
    cx.require(fits, "destination-span", "a destination spans at most two registers");
    cx.require(
        reg.byte.is_multiple_of(ty.bytes()),
        "destination-element",
        "the destination is aligned to its elements",
    );
    if cx.inst.op.info().class == Class::Math && walk.end() > grf {
        cx.require(walk.is_halved(grf), "math-split", "math writes two registers evenly");
    }
    if cx.caps.regions.even_writes && cx.lanes() > 1 && matches!(reg.base(), Base::Grf(_)) {
        even(cx, walk);
    }
}

fn walk(cx: &Cx<'_>, start: u32, horz: u8, ty: Type) -> Walk {
    Walk { lanes: cx.lanes(), start, step: u32::from(horz) * ty.bytes(), size: ty.bytes() }
}

/// How a destination's elements divide over registers and owords.
fn even(cx: &mut Cx<'_>, walk: Walk) {
    let grf = cx.grf();
    if walk.end() > grf {
        let even = walk.is_halved(grf);
        cx.require(even, "even-registers", "a destination in two registers has half of its elements in each");
        return;
    }
    let crosses = |i: usize| {
        let inside = matches!(cx.inst.src[i].reg(), Some(r) if matches!(r.base(), Base::Grf(_)));
        inside && cx.inst.src_extent(i, grf).is_some_and(|e| e.crosses_registers(grf))
    };
    if (0..3).any(crosses) {
        cx.require(
            walk.is_halved_or_whole(grf / 2),
            "even-owords",
            "beside a source in two registers, a destination lies in one oword or halves in each",
        );
    }
}

/// Where an immediate may stand: the last source of a basic instruction. (Most functions of `math` have one.)
fn immediates(cx: &mut Cx<'_>) {
    let given = |s: &&Src<Physical>| !matches!(s, Src::None) && !s.reg().is_some_and(|r| r.is_null());
    let last = cx.inst.src.iter().filter(given).count().saturating_sub(1);
    let early = cx.inst.src.iter().take(last).any(Src::is_imm);
    let wide = cx.inst.src.iter().skip(1).any(|s| s.is_imm() && s.ty().is_some_and(|t| t.bytes() == 8));
    cx.require(!early, "immediate-place", "only the last source is an immediate");
    cx.require(!wide, "immediate-wide", "only a one-source instruction has a 64-bit immediate");
}

/// Ternary operands: spans, and alignment in align16.
pub(super) fn check_ternary(cx: &mut Cx<'_>) {
    let (grf, lanes) = (cx.grf(), cx.lanes());
    cx.require(
        lanes <= u32::from(cx.caps.words.ternary_lanes),
        "ternary-lanes",
        "a ternary instruction has as many channels as the form takes",
    );
    for i in 0..3 {
        let Some(extent) = cx.inst.src_extent(i, grf) else { continue };
        let Some(reg) = cx.inst.src[i].reg() else { continue };
        if matches!(reg.base(), Base::Grf(_)) && lanes > 1 {
            cx.require(span_fits(extent.end, grf), "source-span", "a source spans at most two registers");
        }
    }
    if let Dst::Direct { reg, ty, horz } = cx.inst.dst {
        let end = walk(cx, reg.byte, horz, ty).end();
        cx.require(
            span_fits(end, grf) || cx.dst_is_null(),
            "destination-span",
            "a destination spans at most two registers",
        );
    }
    if cx.caps.words.ternary_align16 {
        // Volume 7, "Swizzling": a swizzle picks within 16 bytes; `RepCtrl` is of 32 and 16 bits.
        let one =
            |s: &Src<_>| matches!(*s, Src::Direct { region, ty, .. } if ty == Type::Df && region.is_scalar());
        let pairs = |s: &Src<_>| matches!(*s, Src::Direct { region: Region::PAIRS, .. });
        let replicated = lanes > 2 && cx.inst.src.iter().any(|s| one(s) || pairs(s));
        cx.require(!replicated, "double-replicated", "a :df source is one element for at most two channels");
        let imm = cx.inst.src.iter().any(Src::is_imm);
        cx.require(!imm, "ternary-immediate", "a ternary instruction has no immediates on this platform");
    } else if lanes > 1 {
        ternary_places(cx);
    }
    let last = cx.inst.src[2].reg().is_some_and(|r| matches!(r.base(), Base::Arf(Arf::Acc(_))));
    cx.require(!last, "ternary-accumulator", "source 2 of a ternary instruction is no accumulator");
    let middle = cx.inst.src[1].is_imm();
    cx.require(!middle, "ternary-immediate-1", "source 1 of a ternary instruction is a register");
}

/// Align1: a narrower destination is strided to the computation, and the last source lies as the destination does.
fn ternary_places(cx: &mut Cx<'_>) {
    let Dst::Direct { reg: to, horz, ty } = cx.inst.dst else { return };
    let Some(exec) = cx.inst.exec_type() else { return };
    let step = u32::from(horz) * ty.bytes();
    if ty.is_int() && exec.is_int() && !cx.dst_is_null() {
        cx.require(
            step >= exec.bytes(),
            "ternary-stride",
            "a destination narrower than the computation is strided to it",
        );
    }
    let Src::Direct { reg: from, region, ty: src, .. } = cx.inst.src[2] else { return };
    let general = |r: Reg<Physical>| matches!(r.base(), Base::Grf(_));
    if is_narrowed(cx.inst) && general(from) && general(to) && !region.is_scalar() {
        let starts = from.byte == 0 && to.byte == 0;
        cx.require(starts, "last-source", "a narrow result and a wider last source begin where registers do");
    }
    if !general(from) || !general(to) || !lies_as_result(cx.inst) {
        return;
    }
    let source = Channels { step: Some(region.element(1) * src.bytes()), place: Some(from.byte) };
    let result = Channels { step: Some(step), place: Some(to.byte) };
    cx.require(
        source.lie_as(result),
        "last-source",
        "the last source of a ternary instruction lies as the destination does",
    );
}
