//! Texels by integer coordinates (spec `GATHER4_TYPED`, `SCATTER4_TYPED`, `TYPED_ATOMIC`, `LSC_TYPED`).

use super::{
    context::VisaCx, lane_payload::LanePayload, lsc, memory, memory::Storage, operand::each,
    thread::VisaThread,
};
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
    op::LscTyped,
};

/// Where a message finds texels.
#[derive(Clone, Copy)]
struct Texels {
    /// The image.
    place: Storage,
    /// Its coordinates.
    coords: [RawOperand; 4],
    /// What is added to the first three.
    offsets: [i32; 3],
    /// How lanes have each coordinate, and what they load or store, or get back.
    held: LanePayload,
    data: LanePayload,
}

impl Texels {
    /// Where a lane's texel is; missing coordinates are zero.
    fn coordinates(
        &self,
        t: &VisaThread<'_>,
        cx: &mut VisaCx<'_>,
        image: &Image,
        lane: u32,
    ) -> Result<[i64; 3], Trap> {
        let mut found = [0; 3];
        let given = self.coords.iter().zip(self.offsets).zip(&mut found).take(image.coordinates());
        for ((&coordinate, offset), found) in given.filter(|((coordinate, _), _)| !coordinate.is_null()) {
            let bytes = self.held.holds.bytes;
            let v = low_i32(low_u32(cx.address(t, coordinate, self.held.at(0, lane), bytes)?));
            *found = i64::from(v) + i64::from(offset);
        }
        Ok(image.place(found))
    }
}

pub(super) fn run(t: &mut VisaThread<'_>, cx: &mut VisaCx<'_>, inst: &Inst<'_>) -> Result<SendKind, Trap> {
    match inst.op {
        Op::Typed4 { access, mask, surface, coords, data } => {
            let texels = texels(t, inst, t.place_of(surface)?, coords, [0; 3])?;
            if access.is_store() {
                scatter(t, cx, inst, texels, mask, data)
            } else {
                gather(t, cx, inst, texels, mask, data)
            }
        }
        Op::TypedAtomic { op, bits, surface, coords, srcs, dst } => {
            if bits != 32 {
                return Err(format!("typed atomics of {bits} bits are not modelled").into());
            }
            let texels = texels(t, inst, t.place_of(surface)?, coords, [0; 3])?;
            let (op, srcs) = memory::atomic(op, srcs);
            atomic(t, cx, inst, texels, (op, srcs), dst)
        }
        Op::LscTyped(ref l) => lsc_typed(t, cx, inst, l),
        _ => Err("no typed access".into()),
    }
}

/// Typed accesses of the load/store cache.
fn lsc_typed(
    t: &mut VisaThread<'_>,
    cx: &mut VisaCx<'_>,
    inst: &Inst<'_>,
    l: &LscTyped<'_>,
) -> Result<SendKind, Trap> {
    let place = lsc::place(t, cx, LscSfid::Tgm, l.addr_type, l.surface, l.surface_index)?;
    if l.op == LscOp::ReadStateInfo && cx.opaque.contains(&Sfid::Tgm) {
        let surface = cx.surface(place)?.base;
        // What is asked may have no coordinates.
        let first = if l.coords[0].is_null() { 0 } else { cx.address(t, l.coords[0], 0, 4)? };
        let question = Question::to(Sfid::Tgm).with(surface).with(first);
        cx.asked.push(question.number());
        for byte in 0..super::block::bytes(t, inst)? {
            t.raw_store(l.dst, byte, 1, question.byte(byte).into())?;
        }
        return Ok(SendKind::Load);
    }
    let texels = texels(t, inst, place, l.coords, l.offsets)?;
    let operation = messages::lsc::Op::from_bits(l.op.raw().into()).and_then(messages::lsc::Op::operation);
    match (l.op.kind(), l.shape.channels, operation) {
        (LscKind::Load, Some(mask), _) => gather(t, cx, inst, texels, mask, l.dst),
        (LscKind::Store, Some(mask), _) => scatter(t, cx, inst, texels, mask, l.src1),
        (LscKind::Atomic, _, Some(op)) => atomic(t, cx, inst, texels, (op, [l.src1, l.src2]), l.dst),
        _ => Err(format!("{} is not modelled", l.op).into()),
    }
}

/// Where a message finds texels, and what lanes have of them.
fn texels(
    t: &VisaThread<'_>,
    inst: &Inst<'_>,
    place: Storage,
    coords: [RawOperand; 4],
    offsets: [i32; 3],
) -> Result<Texels, Trap> {
    match (t.lane_addresses(inst), t.lane_data(inst)) {
        (Some(held), Some(data)) => Ok(Texels { place, coords, offsets, held, data }),
        _ => Err(format!("this form of {} is not modelled", inst.opcode).into()),
    }
}

/// What a message does with each lane that is on: address and shape of the image, the lane, its coordinates.
fn each_lane(
    t: &mut VisaThread<'_>,
    cx: &mut VisaCx<'_>,
    inst: &Inst<'_>,
    texels: Texels,
    mut access: impl FnMut(&mut VisaThread<'_>, &mut VisaCx<'_>, (u64, &Image), u32, [i64; 3]) -> Result<(), Trap>,
) -> Result<(), Trap> {
    let (base, image) = image_of(cx, texels.place)?;
    let (on, _) = t.enabled(inst)?;
    each(on).map(to_index).try_for_each(|lane| {
        let at = texels.coordinates(t, cx, &image, lane)?;
        access(t, cx, (base, &image), lane, at)
    })
}

/// Loads channels of texels: a register, or as many as all lanes need, for each channel.
fn gather(
    t: &mut VisaThread<'_>,
    cx: &mut VisaCx<'_>,
    inst: &Inst<'_>,
    texels: Texels,
    mask: ChannelMask,
    data: RawOperand,
) -> Result<SendKind, Trap> {
    let held = texels.data;
    each_lane(t, cx, inst, texels, |t, cx, (base, image), lane, [x, y, z]| {
        let texel = typed::fetch(cx.memory, base, image, x, y, z)?;
        for (k, c) in channels(mask).enumerate() {
            let v = typed::channel(image, texel, c);
            t.raw_store(data, held.at(to_index(k), lane), held.holds.stride, v.into())?;
        }
        Ok(())
    })?;
    Ok(SendKind::Load)
}

/// Stores channels of texels.
fn scatter(
    t: &mut VisaThread<'_>,
    cx: &mut VisaCx<'_>,
    inst: &Inst<'_>,
    texels: Texels,
    mask: ChannelMask,
    data: RawOperand,
) -> Result<SendKind, Trap> {
    let held = texels.data;
    each_lane(t, cx, inst, texels, |t, cx, (base, image), lane, [x, y, z]| {
        let Some(offset) = image.offset(x, y, z) else { return Ok(()) };
        let channel_bytes = u32::from(image.channel_bytes);
        for (k, c) in channels(mask).enumerate() {
            let stored = if image.bgra && c != 3 && c != 1 { 2 - c } else { c };
            if stored < u32::from(image.channels) {
                let v = cx.data(t, data, held.at(to_index(k), lane), held.holds.bytes)?;
                let v = typed::pack(image, low_u32(v));
                let to = base + offset + u64::from(stored * channel_bytes);
                cx.store(t, Storage::Flat, to, channel_bytes, v.into())?;
            }
        }
        Ok(())
    })?;
    Ok(SendKind::Store)
}

/// The channels of a mask, red first.
fn channels(mask: ChannelMask) -> impl Iterator<Item = u32> {
    (0..4).filter(move |c| mask.0 >> c & 1 != 0)
}

/// The address and the shape of an image.
fn image_of(cx: &mut VisaCx<'_>, place: Storage) -> Result<(u64, Image), Trap> {
    let surface = cx.surface(place)?.clone();
    match surface.image {
        Some(image) => Ok((surface.base, image)),
        None => Err("a typed access to a surface without shape".into()),
    }
}

/// An operation on a dword of memory, with its operands.
fn atomic(
    t: &mut VisaThread<'_>,
    cx: &mut VisaCx<'_>,
    inst: &Inst<'_>,
    texels: Texels,
    (op, srcs): (Operation, [RawOperand; 2]),
    dst: RawOperand,
) -> Result<SendKind, Trap> {
    let own = texels.data;
    each_lane(t, cx, inst, texels, |t, cx, (base, image), lane, [x, y, z]| {
        let Some(offset) = image.offset(x, y, z) else { return t.raw_store(dst, own.at(0, lane), 4, 0) };
        let mut operand = |k: usize| {
            if to_index(k) < op.operands() { cx.data(t, srcs[k], own.at(0, lane), 4) } else { Ok(0) }
        };
        let (a, b) = (operand(0)?, operand(1)?);
        let at = base + offset;
        let old = cx.load(t, Storage::Flat, at, 4)?;
        let new = op.apply(old, a, b, 4);
        cx.store(t, Storage::Flat, at, 4, new)?;
        t.raw_store(dst, own.at(0, lane), 4, op.result(old, new) & 0xffff_ffff)
    })?;
    Ok(SendKind::Atomic)
}
