//! Texels by integer coordinates (spec `GATHER4_TYPED`, `SCATTER4_TYPED`, `TYPED_ATOMIC`, `LSC_TYPED`).

use super::{context::VisaCx, lsc, memory, memory::Storage, operand::each, thread::VisaThread};
use crate::{
    memory::Image,
    messages::{atomic::Atomic, typed},
    opaque::Question,
    report::SendKind,
    thread::Trap,
};
use gen_ir::Sfid;
use messages::Operation;
use narrow::{low_i32, low_u32, to_index};
use visa::{
    ChannelMask, Inst, Op, RawOperand,
    lsc::{LscKind, LscOp, LscSfid},
};

/// A lane's coordinates; missing ones, and those that the image has no use for, are zero.
fn coordinates(
    t: &VisaThread<'_>,
    cx: &mut VisaCx<'_>,
    image: &Image,
    coords: &[RawOperand],
    offsets: [i32; 3],
    lane: u32,
) -> Result<[i64; 3], Trap> {
    let mut c = [0; 3];
    for k in 0..image.coordinates() {
        if !coords[k].is_null() {
            let v = low_i32(low_u32(cx.address(t, coords[k], 4 * lane, 4)?));
            c[k] = i64::from(v) + i64::from(offsets[k]);
        }
    }
    Ok(c)
}

pub(super) fn run(t: &mut VisaThread<'_>, cx: &mut VisaCx<'_>, inst: &Inst<'_>) -> Result<SendKind, Trap> {
    match inst.op {
        Op::Typed4 { store, mask, surface, coords, data } => {
            let place = t.place_of(surface)?;
            texels(t, cx, inst, place, store, mask, coords, [0; 3], data)
        }
        Op::TypedAtomic { op, bits, surface, coords, srcs, dst } => {
            if bits != 32 {
                return Err(format!("typed atomics of {bits} bits are not modelled").into());
            }
            let place = t.place_of(surface)?;
            let (op, srcs) = memory::atomic(op, srcs);
            atomic(t, cx, inst, place, op, srcs, coords, [0; 3], dst)
        }
        Op::LscTyped(ref l) => {
            let place = lsc::place(t, cx, LscSfid::Tgm, l.addr_type, l.surface, l.surface_index)?;
            match (l.op.kind(), l.shape.channels) {
                (LscKind::Load, Some(mask)) => {
                    texels(t, cx, inst, place, false, mask, l.coords, l.offsets, l.dst)
                }
                (LscKind::Store, Some(mask)) => {
                    texels(t, cx, inst, place, true, mask, l.coords, l.offsets, l.src1)
                }
                (LscKind::Atomic, _) => {
                    let Some(op) = messages::lsc::Op::from_bits(l.op.raw().into())
                        .and_then(messages::lsc::Op::operation)
                    else {
                        return Err(format!("{} is not modelled", l.op).into());
                    };
                    atomic(t, cx, inst, place, op, [l.src1, l.src2], l.coords, l.offsets, l.dst)
                }
                _ if l.op == LscOp::ReadStateInfo && cx.opaque.contains(&Sfid::Tgm) => {
                    let surface = cx.surface(place)?.base;
                    let first = cx.address(t, l.coords[0], 0, 4)?;
                    let question = Question::to(Sfid::Tgm).with(surface).with(first);
                    cx.asked.push(question.number());
                    for byte in 0..t.program.grf {
                        t.raw_store(l.dst, byte, 1, question.byte(byte).into())?;
                    }
                    Ok(SendKind::Load)
                }
                _ => Err(format!("{} is not modelled", l.op).into()),
            }
        }
        _ => Err("no typed access".into()),
    }
}

#[allow(clippy::too_many_arguments)]
fn texels(
    t: &mut VisaThread<'_>,
    cx: &mut VisaCx<'_>,
    inst: &Inst<'_>,
    place: Storage,
    store: bool,
    mask: ChannelMask,
    coords: [RawOperand; 4],
    offsets: [i32; 3],
    data: RawOperand,
) -> Result<SendKind, Trap> {
    let surface = cx.surface(place)?.clone();
    let Some(image) = surface.image else { return Err("a typed access to a surface without shape".into()) };
    let block = inst.exec.size.lanes().max(t.program.grf / 4) * 4;
    let channel_bytes = u32::from(image.channel_bytes);
    let (on, _) = t.enabled(inst)?;
    for i in each(on) {
        let lane = to_index(i);
        let [x, y, z] = coordinates(t, cx, &image, &coords, offsets, lane)?;
        let channels = (0..4u32).filter(|c| mask.0 >> c & 1 != 0).enumerate();
        if !store {
            let texel = typed::fetch(cx.memory, surface.base, &image, x, y, z)?;
            for (k, c) in channels {
                let v = texel.map_or(0, |texel| typed::unpack(&image, texel, c));
                t.raw_store(data, to_index(k) * block + 4 * lane, 4, v.into())?;
            }
            continue;
        }
        let Some(offset) = image.offset(x, y, z) else { continue };
        for (k, c) in channels {
            let stored = if image.bgra && c != 3 && c != 1 { 2 - c } else { c };
            if stored < u32::from(image.channels) {
                let v = cx.data(t, data, to_index(k) * block + 4 * lane, 4)?;
                let v = typed::pack(&image, low_u32(v));
                let to = surface.base + offset + u64::from(stored * channel_bytes);
                cx.store(t, Storage::Flat, to, channel_bytes, v.into())?;
            }
        }
    }
    Ok(if store { SendKind::Store } else { SendKind::Load })
}

#[allow(clippy::too_many_arguments)]
fn atomic(
    t: &mut VisaThread<'_>,
    cx: &mut VisaCx<'_>,
    inst: &Inst<'_>,
    place: Storage,
    op: Operation,
    srcs: [RawOperand; 2],
    coords: [RawOperand; 4],
    offsets: [i32; 3],
    dst: RawOperand,
) -> Result<SendKind, Trap> {
    let surface = cx.surface(place)?.clone();
    let Some(image) = surface.image else { return Err("a typed atomic on a surface without shape".into()) };
    let (on, _) = t.enabled(inst)?;
    for i in each(on) {
        let lane = to_index(i);
        let [x, y, z] = coordinates(t, cx, &image, &coords, offsets, lane)?;
        let Some(offset) = image.offset(x, y, z) else { continue };
        let mut operand = |k: usize| {
            if to_index(k) < op.operands() { cx.data(t, srcs[k], 4 * lane, 4) } else { Ok(0) }
        };
        let (a, b) = (operand(0)?, operand(1)?);
        let at = surface.base + offset;
        let old = cx.load(t, Storage::Flat, at, 4)?;
        let new = op.apply(old, a, b, 4);
        cx.store(t, Storage::Flat, at, 4, new)?;
        t.raw_store(dst, 4 * lane, 4, op.result(old, new) & 0xffff_ffff)?;
    }
    Ok(SendKind::Atomic)
}
