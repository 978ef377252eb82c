//! Accesses with an address per lane (spec `GATHER*`, `SCATTER*`, `QW_GATHER`, `SVM_GATHER*`,
//! `DWORD_ATOMIC`, `SVM_ATOMIC`).

use super::{
    context::VisaCx,
    lane_payload::LanePayload,
    memory::{self, Storage, kind},
    operand::each,
    thread::VisaThread,
};
use crate::{messages::atomic::Atomic, report::SendKind, thread::Trap};
use messages::Access;
use narrow::{as_index, to_index};
use visa::{Inst, Op};

/// One access, as all the instructions have it.
struct LaneAccess {
    access: Access,
    place: Storage,
    /// Added to every address.
    base: u64,
    offsets: LanePayload,
    /// What an address counts.
    scale: u64,
    /// Addresses wrap at 32 bits.
    wraps: bool,
    data: LanePayload,
    /// Offsets of the components from a lane's address.
    components: [u32; 8],
    count: usize,
}

/// The channels of a mask as components of 4 bytes.
fn channels(mask: visa::ChannelMask) -> ([u32; 8], usize) {
    let mut out = [0; 8];
    let mut n = 0;
    for c in (0..4).filter(|c| mask.0 >> c & 1 != 0) {
        out[n] = 4 * c;
        n += 1;
    }
    (out, n)
}

/// Addresses of lanes, and what lanes load, store or get back: where they are, as the entry of the message says.
fn operands(t: &VisaThread<'_>, inst: &Inst<'_>) -> Result<[LanePayload; 2], Trap> {
    match (t.lane_addresses(inst), t.lane_data(inst)) {
        (Some(addresses), Some(data)) => Ok([addresses, data]),
        _ => Err(format!("{} is not modelled", inst.opcode).into()),
    }
}

/// The access of a gather or scatter.
fn lane_access(t: &mut VisaThread<'_>, cx: &mut VisaCx<'_>, inst: &Inst<'_>) -> Result<LaneAccess, Trap> {
    let [offsets, data] = operands(t, inst)?;
    // Where it is, what is added to the addresses, and what these count.
    let (place, base, scale) = match inst.op {
        Op::Gather { element_bytes, surface, global_offset, .. } => {
            let scale = u64::from(element_bytes);
            (t.place_of(surface)?, cx.scalar_address(t, global_offset)?.wrapping_mul(scale), scale)
        }
        Op::Scaled4 { surface, global_offset, .. } | Op::Scaled { surface, global_offset, .. } => {
            (t.place_of(surface)?, cx.scalar_address(t, global_offset)?, 1)
        }
        Op::Qword { surface, .. } => (t.place_of(surface)?, 0, 1),
        Op::SvmGather { .. } => (Storage::Flat, 0, 1),
        Op::SvmScaled4 { address, .. } => (Storage::Flat, cx.scalar_address(t, address)?, 1),
        _ => return Err(format!("{} is not modelled", inst.opcode).into()),
    };
    let (components, count) = match inst.op {
        Op::Scaled4 { mask, .. } | Op::SvmScaled4 { mask, .. } => channels(mask),
        _ => ([0, 1, 2, 3, 4, 5, 6, 7].map(|k| k * data.holds.bytes), as_index(data.holds.blocks)),
    };
    Ok(LaneAccess {
        access: Access::store_if(!data.written),
        place,
        base,
        offsets,
        scale,
        wraps: offsets.holds.bytes == 4,
        data,
        components,
        count,
    })
}

/// Messages with an address of each lane.
pub(super) fn run(t: &mut VisaThread<'_>, cx: &mut VisaCx<'_>, inst: &Inst<'_>) -> Result<SendKind, Trap> {
    match inst.op {
        Op::Atomic { .. } | Op::SvmAtomic { .. } => atomic(t, cx, inst),
        _ => transfer(t, cx, inst),
    }
}

/// Gathers and scatters.
fn transfer(t: &mut VisaThread<'_>, cx: &mut VisaCx<'_>, inst: &Inst<'_>) -> Result<SendKind, Trap> {
    let l = lane_access(t, cx, inst)?;
    let (on, _) = t.enabled(inst)?;
    // A load clears what its lane has above the datum.
    let (data, bytes, slot) = (l.data.operand, l.data.holds.bytes, l.data.holds.stride);
    for i in each(on) {
        let lane = to_index(i);
        let own = cx.address(t, l.offsets.operand, l.offsets.at(0, lane), l.offsets.holds.bytes)?;
        let first = l.base.wrapping_add(own.wrapping_mul(l.scale));
        for (k, offset) in l.components[..l.count].iter().enumerate() {
            let at = first.wrapping_add(u64::from(*offset));
            let at = if l.wraps { at & 0xffff_ffff } else { at };
            let reg = l.data.at(to_index(k), lane);
            if l.access.is_store() {
                let v = cx.data(t, data, reg, bytes)?;
                cx.store(t, l.place, at, bytes, v)?;
            } else {
                cx.load_to(t, (l.place, at, bytes), (data, reg, slot), 0)?;
            }
        }
    }
    Ok(kind(l.place, l.access.into()))
}

/// Atomics.
fn atomic(t: &mut VisaThread<'_>, cx: &mut VisaCx<'_>, inst: &Inst<'_>) -> Result<SendKind, Trap> {
    let (op, place, srcs) = match inst.op {
        Op::Atomic { op, surface, srcs, .. } => (op, t.place_of(surface)?, srcs),
        Op::SvmAtomic { op, srcs, .. } => (op, Storage::Flat, srcs),
        _ => return Err("no atomic".into()),
    };
    let [addresses, result] = operands(t, inst)?;
    let (bytes, slot) = (result.holds.bytes, result.holds.stride);
    let (op, srcs) = memory::atomic(op, srcs);
    let (on, _) = t.enabled(inst)?;
    for i in each(on) {
        let lane = to_index(i);
        let at = cx.address(t, addresses.operand, addresses.at(0, lane), addresses.holds.bytes)?;
        let mut operand = |k: usize| {
            if to_index(k) < op.operands() { cx.data(t, srcs[k], result.at(0, lane), bytes) } else { Ok(0) }
        };
        let (a, b) = (operand(0)?, operand(1)?);
        let old = cx.load(t, place, at, bytes)?;
        let new = op.apply(old, a, b, bytes);
        cx.store(t, place, at, bytes, new)?;
        let mask = if bytes == 8 { u64::MAX } else { (1 << (8 * bytes)) - 1 };
        t.raw_store(result.operand, result.at(0, lane), slot, op.result(old, new) & mask)?;
    }
    Ok(kind(place, SendKind::Atomic))
}
