//! Load/store-cache accesses (spec `LSC_UNTYPED`).

use super::{
    context::VisaCx,
    lane_payload::LanePayload,
    memory::{Storage, kind, of_index},
    operand::each,
    thread::VisaThread,
};
use crate::{messages::atomic::Atomic, report::SendKind, thread::Trap};
use messages::{Access, SurfaceIndex};
use narrow::{low_i32, low_u8, low_u32, low_u64, to_index};
use visa::{
    Inst, Op, RawOperand,
    lsc::{LscAddrSize, LscAddrType, LscDataSize, LscKind, LscOp, LscOrder, LscSfid},
    op::{Lsc, LscBlock2d, block2d_rows},
};

/// The place that a surface operand names.
pub(super) fn place(
    t: &mut VisaThread<'_>,
    cx: &mut VisaCx<'_>,
    sfid: LscSfid,
    addr_type: LscAddrType,
    surface: &visa::VectorOperand,
    surface_index: u32,
) -> Result<Storage, Trap> {
    if sfid == LscSfid::Slm {
        return Ok(Storage::Slm);
    }
    Ok(match addr_type {
        LscAddrType::Flat | LscAddrType::Arg => Storage::Flat,
        LscAddrType::Bti => of_index(SurfaceIndex(low_u8(cx.scalar_address(t, surface)?))),
        // An index counts surface states, of 64 bytes each.
        LscAddrType::Bss => {
            let offset = low_u32(cx.scalar_address(t, surface)?);
            Storage::State(offset.wrapping_add(surface_index.wrapping_mul(64)) & !0x3f)
        }
        LscAddrType::Ss => Storage::Scratch,
        other => return Err(format!("LSC address model {other} is not modelled").into()),
    })
}

/// Bits that a 32-bit register datum is shifted by.
fn shift(size: LscDataSize) -> u32 {
    if size == LscDataSize::D16U32H { 16 } else { 0 }
}

pub(super) fn run(t: &mut VisaThread<'_>, cx: &mut VisaCx<'_>, inst: &Inst<'_>) -> Result<SendKind, Trap> {
    match inst.op {
        Op::Lsc(ref l) if l.op.kind() == LscKind::Atomic => atomic(t, cx, inst, l),
        Op::Lsc(ref l) if l.op == LscOp::LoadStatus => {
            // A bit a lane; all of memory is resident.
            let (on, _) = t.enabled(inst)?;
            t.raw_store(l.dst, 0, 4, on.into())?;
            Ok(SendKind::Load)
        }
        Op::Lsc(ref l) if matches!(l.op.kind(), LscKind::Load | LscKind::Store) => transfer(t, cx, inst, l),
        Op::LscBlock2d(ref l) => block2d(t, cx, l),
        _ => Err(format!("{:?} is not modelled", inst.lsc_op()).into()),
    }
}

/// A lane's address: its own, or so many pitches from the only one.
fn address(
    t: &mut VisaThread<'_>,
    cx: &mut VisaCx<'_>,
    l: &Lsc<'_>,
    addresses: Option<LanePayload>,
    lane: u32,
    pitch: u64,
) -> Result<u64, Trap> {
    let bytes = l.addr_size.bytes();
    let own = cx.address(t, l.addr, addresses.map_or(0, |held| held.at(0, lane)), bytes)?;
    // Arguments lie where the header says (spec, "LSC_UNTYPED": offsets from their base).
    let base = if l.addr_type == LscAddrType::Arg {
        let at = t.predefined(visa::Predefined::R0);
        t.file[at..at + 4].iter().rev().fold(0, |v, b| v << 8 | u64::from(*b)) & !0x1f
    } else {
        0
    };
    let own = if l.addr_size == LscAddrSize::A32S { low_u64(low_i32(low_u32(own))) } else { own };
    let scale = u64::from(l.addr_scale.max(1));
    let at = own
        .wrapping_mul(scale)
        .wrapping_add(base)
        .wrapping_add(pitch.wrapping_mul(lane.into()))
        .wrapping_add_signed(l.addr_offset.into());
    Ok(if bytes == 8 { at } else { at & 0xffff_ffff })
}

/// Loads and stores; with a null destination they only bring memory nearer.
fn transfer(
    t: &mut VisaThread<'_>,
    cx: &mut VisaCx<'_>,
    inst: &Inst<'_>,
    l: &Lsc<'_>,
) -> Result<SendKind, Trap> {
    let place = place(t, cx, l.sfid, l.addr_type, l.surface, l.surface_index)?;
    let access = Access::store_if(l.op.kind() == LscKind::Store);
    let (bytes, slot) = (l.shape.size.memory_bytes(), l.shape.size.register_bytes());
    let transposed = l.shape.order == LscOrder::Transpose;
    let (addresses, held) = (t.lane_addresses(inst), t.lane_data(inst));
    let data = if access.is_store() { l.src1 } else { l.dst };
    // Offsets in memory of the data of an address, in units of a datum.
    let components: Vec<u32> = match l.shape.channels {
        Some(mask) => (0..4).filter(|c| mask.0 >> c & 1 != 0).collect(),
        None => (0..l.shape.elems.count()).collect(),
    };
    let pitch = match l.pitch {
        // Without a pitch the data of lanes follow each other (Intel's finalizer, `lscBuildStridedPayload`).
        Some(visa::VectorOperand::General(g)) if g.var.is_null() => {
            let row = if transposed { 1 } else { to_index(components.len()) };
            u64::from(row * slot)
        }
        Some(p) => cx.scalar_address(t, p)?,
        None => 0,
    };
    let (on, _) = t.enabled(inst)?;
    if data.is_null() {
        return Ok(kind(place, SendKind::Load));
    }
    let shift = shift(l.shape.size);
    for i in each(on) {
        let lane = to_index(i);
        let first = address(t, cx, l, addresses, lane, pitch)?;
        for (k, c) in components.iter().enumerate() {
            let k = to_index(k);
            let at = first.wrapping_add(u64::from(c * bytes));
            let reg = match held {
                Some(held) => held.at(k, lane),
                // All data of an address lie together.
                None => lane * (to_index(components.len()) * slot).next_multiple_of(t.program.grf) + k * slot,
            };
            if access.is_store() {
                let v = cx.data(t, data, reg, slot)?;
                cx.doubtful >>= shift / 8;
                cx.store(t, place, at, bytes, v >> shift)?;
            } else {
                cx.load_to(t, (place, at, bytes), (data, reg, slot), shift)?;
            }
        }
    }
    Ok(kind(place, access.into()))
}

fn atomic(
    t: &mut VisaThread<'_>,
    cx: &mut VisaCx<'_>,
    inst: &Inst<'_>,
    l: &Lsc<'_>,
) -> Result<SendKind, Trap> {
    let place = place(t, cx, l.sfid, l.addr_type, l.surface, l.surface_index)?;
    let Some(op) = messages::lsc::Op::from_bits(l.op.raw().into()).and_then(messages::lsc::Op::operation)
    else {
        return Err(format!("{} is not modelled", l.op).into());
    };
    let (addresses, Some(data)) = (t.lane_addresses(inst), t.lane_data(inst)) else {
        return Err(format!("{} of anything but lanes is not modelled", l.op).into());
    };
    let (bytes, slot) = (l.shape.size.memory_bytes(), data.holds.stride);
    let shift = shift(l.shape.size);
    let (on, _) = t.enabled(inst)?;
    for i in each(on) {
        let lane = to_index(i);
        let at = address(t, cx, l, addresses, lane, 0)?;
        let mut operand = |r, needed: bool| {
            if needed { cx.data(t, r, data.at(0, lane), slot).map(|v| v >> shift) } else { Ok(0) }
        };
        let a = operand(l.src1, op.operands() > 0)?;
        let b = operand(l.src2, op.operands() > 1)?;
        let old = cx.load(t, place, at, bytes)?;
        let new = op.apply(old, a, b, bytes);
        cx.store(t, place, at, bytes, new)?;
        t.raw_store(l.dst, data.at(0, lane), slot, op.result(old, new) << shift)?;
    }
    Ok(kind(place, SendKind::Atomic))
}

/// A two-dimensional block, and the surface that it is of: sizes in bytes and rows, coordinates in elements and rows.
pub(super) struct Rectangle {
    pub base: u64,
    pub width: u64,
    pub height: u64,
    pub pitch: u64,
    pub x: u32,
    pub y: u32,
    /// Bytes of an element.
    pub bytes: u32,
    /// Columns, rows, and blocks beside each other.
    pub sizes: [u32; 3],
    pub order: LscOrder,
    pub vnni: bool,
    pub access: Access,
    pub data: RawOperand,
}

fn block2d(t: &mut VisaThread<'_>, cx: &mut VisaCx<'_>, l: &LscBlock2d<'_>) -> Result<SendKind, Trap> {
    let mut a = [0u64; 6];
    for (v, operand) in a.iter_mut().zip(l.addr) {
        *v = cx.scalar_address(t, operand)?;
    }
    let [base, size @ .., x, y] = a;
    let [width, height, pitch] = size.map(|less_one| u64::from(low_u32(less_one)) + 1);
    let access = Access::store_if(l.op.kind() == LscKind::Store);
    let block = Rectangle {
        base,
        width,
        height,
        pitch,
        x: low_u32(x),
        y: low_u32(y),
        bytes: l.size.memory_bytes(),
        sizes: [l.width.into(), l.height.into(), l.blocks.into()],
        order: l.order,
        vnni: l.vnni,
        access,
        data: if access.is_store() { l.src1 } else { l.dst },
    };
    rectangle(t, cx, &block)
}

/// Reads outside of the surface give zero, writes there are dropped; without a destination nothing is read.
pub(super) fn rectangle(
    t: &mut VisaThread<'_>,
    cx: &mut VisaCx<'_>,
    block: &Rectangle,
) -> Result<SendKind, Trap> {
    let &Rectangle { base, width, height, pitch, bytes, order, vnni, access, data, .. } = block;
    let [cols, rows, blocks] = block.sizes;
    let (x, y) = (i64::from(low_i32(block.x)), i64::from(low_i32(block.y)));
    if data.is_null() {
        return Ok(SendKind::Load);
    }
    // Elements of consecutive rows that a dword holds after the VNNI transform.
    let pack = if vnni { (4 / bytes).max(1) } else { 1 };
    let [row_len, row_count] = block2d_rows(bytes, order, [cols, rows], vnni);
    let size = (row_len * row_count * bytes).next_multiple_of(t.program.grf);
    if !access.is_store() {
        // What is left of rows, and of the last register of a block (vISA, LSC_UNTYPED: `fill_grf_zeros`).
        for at in (0..blocks * size).step_by(8) {
            t.raw_store(data, at, 8, 0)?;
        }
    }
    for b in 0..blocks {
        for r in 0..rows {
            for c in 0..cols {
                let (ex, ey) = (x + i64::from(b * cols + c), y + i64::from(r));
                let inside = ex >= 0
                    && ey >= 0
                    && (low_u64(ex) + 1).saturating_mul(bytes.into()) <= width
                    && low_u64(ey) < height;
                let element = if order == LscOrder::Transpose {
                    c * row_len + r
                } else {
                    r / pack * row_len * pack + c * pack + r % pack
                };
                let reg = b * size + element * bytes;
                let at = base
                    .wrapping_add(low_u64(ey).wrapping_mul(pitch))
                    .wrapping_add(low_u64(ex).wrapping_mul(bytes.into()));
                if access.is_store() {
                    if inside {
                        let v = cx.data(t, data, reg, bytes)?;
                        cx.store(t, Storage::Flat, at, bytes, v)?;
                    }
                } else {
                    let v = if inside { cx.load(t, Storage::Flat, at, bytes)? } else { 0 };
                    t.raw_store(data, reg, bytes, v)?;
                }
            }
        }
    }
    Ok(access.into())
}
