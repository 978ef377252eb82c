//! Accesses with an address per lane (spec `GATHER*`, `SCATTER*`, `QW_GATHER`, `SVM_GATHER*`,
//! `DWORD_ATOMIC`, `SVM_ATOMIC`).

use super::{
    context::VisaCx,
    memory::{self, Storage, kind},
    operand::each,
    thread::VisaThread,
};
use crate::{messages::atomic::Atomic, report::SendKind, thread::Trap};
use messages::Access;
use narrow::to_index;
use visa::{Inst, Op, RawOperand};

/// One access, as all the instructions have it.
struct LaneAccess {
    access: Access,
    place: Storage,
    /// Added to every address.
    base: u64,
    offsets: RawOperand,
    /// Bytes of an address, and what it counts.
    address: u32,
    scale: u64,
    /// Addresses wrap at 32 bits.
    wraps: bool,
    data: RawOperand,
    /// Bytes of a datum in memory.
    bytes: u32,
    /// Bytes from a lane's datum to the next lane's, and from a component to the next.
    lane_step: u32,
    component_step: u32,
    /// Offsets of the components from a lane's address.
    components: [u32; 8],
    count: usize,
    /// Loads clear the bytes of their lane above the datum.
    clears: u32,
}

impl LaneAccess {
    /// One of a dword a lane at an address of 32 bits; a component takes `row` elements of registers.
    fn of_dwords(
        place: Storage,
        data: RawOperand,
        (access, offsets): (Access, RawOperand),
        row: u32,
    ) -> LaneAccess {
        LaneAccess {
            access,
            place,
            base: 0,
            offsets,
            address: 4,
            scale: 1,
            wraps: true,
            data,
            bytes: 4,
            lane_step: 4,
            component_step: row * 4,
            components: IN_ORDER,
            count: 1,
            clears: 0,
        }
    }
}

const IN_ORDER: [u32; 8] = [0, 1, 2, 3, 4, 5, 6, 7];

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

/// The access of a gather or scatter.
fn lane_access(t: &mut VisaThread<'_>, cx: &mut VisaCx<'_>, inst: &Inst<'_>) -> Result<LaneAccess, Trap> {
    // What a lane's component takes of registers, in elements.
    let row = inst.exec.size.lanes().max(t.program.grf / 4);
    let plain = |place, data, access, offsets| LaneAccess::of_dwords(place, data, (access, offsets), row);
    Ok(match inst.op {
        Op::Gather { access, element_bytes, surface, global_offset, offsets, data, .. } => {
            let place = t.place_of(surface)?;
            let base = cx.scalar_address(t, global_offset)?;
            let bytes = u32::from(element_bytes);
            LaneAccess {
                base: base.wrapping_mul(bytes.into()),
                scale: bytes.into(),
                bytes,
                clears: 4 - bytes,
                ..plain(place, data, access, offsets)
            }
        }
        Op::Scaled4 { access, mask, surface, global_offset, offsets, data } => {
            let place = t.place_of(surface)?;
            let base = cx.scalar_address(t, global_offset)?;
            let (components, count) = channels(mask);
            LaneAccess { base, components, count, ..plain(place, data, access, offsets) }
        }
        Op::Scaled { access, blocks, surface, global_offset, offsets, data } => {
            let place = t.place_of(surface)?;
            let base = cx.scalar_address(t, global_offset)?;
            let bytes = u32::from(blocks);
            let lane_step = bytes.max(4);
            LaneAccess {
                base,
                bytes,
                lane_step,
                clears: lane_step - bytes,
                ..plain(place, data, access, offsets)
            }
        }
        Op::Qword { access, blocks, surface, offsets, data } => {
            let place = t.place_of(surface)?;
            LaneAccess {
                bytes: 8,
                lane_step: 8,
                component_step: row * 8,
                components: IN_ORDER.map(|c| 8 * c),
                count: blocks.into(),
                ..plain(place, data, access, offsets)
            }
        }
        _ => flat_access(t, cx, inst)?,
    })
}

/// The same of one to flat memory.
fn flat_access(t: &mut VisaThread<'_>, cx: &mut VisaCx<'_>, inst: &Inst<'_>) -> Result<LaneAccess, Trap> {
    let row = inst.exec.size.lanes().max(t.program.grf / 4);
    let plain = |data, access, offsets| LaneAccess::of_dwords(Storage::Flat, data, (access, offsets), row);
    Ok(match inst.op {
        Op::SvmGather { access, block_bytes, blocks, addresses, data } => {
            let bytes = u32::from(block_bytes);
            let far = LaneAccess { address: 8, wraps: false, ..plain(data, access, addresses) };
            if bytes == 1 {
                // Bytes of a lane lie together, in a dword at least.
                let bytes = u32::from(blocks);
                let lane_step = bytes.max(4);
                LaneAccess { bytes, lane_step, clears: lane_step - bytes, ..far }
            } else {
                LaneAccess {
                    bytes,
                    lane_step: bytes,
                    component_step: if inst.exec.size.lanes() == 1 { bytes } else { row * bytes },
                    components: IN_ORDER.map(|c| bytes * c),
                    count: blocks.into(),
                    ..far
                }
            }
        }
        Op::SvmScaled4 { access, mask, address, offsets, data } => {
            let base = cx.scalar_address(t, address)?;
            let (components, count) = channels(mask);
            // The offsets are of 64 bits.
            let far = LaneAccess { address: 8, wraps: false, ..plain(data, access, offsets) };
            LaneAccess { base, components, count, ..far }
        }
        _ => return Err("no gather".into()),
    })
}

/// Gathers and scatters.
pub(super) fn transfer(
    t: &mut VisaThread<'_>,
    cx: &mut VisaCx<'_>,
    inst: &Inst<'_>,
) -> Result<SendKind, Trap> {
    let l = lane_access(t, cx, inst)?;
    let (on, _) = t.enabled(inst)?;
    for i in each(on) {
        let lane = to_index(i);
        let own = cx.address(t, l.offsets, lane * l.address, l.address)?;
        let first = l.base.wrapping_add(own.wrapping_mul(l.scale));
        for (k, offset) in l.components[..l.count].iter().enumerate() {
            let at = first.wrapping_add(u64::from(*offset));
            let at = if l.wraps { at & 0xffff_ffff } else { at };
            let reg = to_index(k) * l.component_step + lane * l.lane_step;
            if l.access.is_store() {
                let v = cx.data(t, l.data, reg, l.bytes)?;
                cx.store(t, l.place, at, l.bytes, v)?;
            } else {
                let slot = l.bytes + l.clears;
                cx.load_to(t, (l.place, at, l.bytes), (l.data, reg, slot), 0)?;
            }
        }
    }
    Ok(kind(l.place, l.access.into()))
}

/// Atomics.
pub(super) fn atomic(t: &mut VisaThread<'_>, cx: &mut VisaCx<'_>, inst: &Inst<'_>) -> Result<SendKind, Trap> {
    let (op, bits, place, addresses, address, srcs, dst) = match inst.op {
        Op::Atomic { op, bits, surface, offsets, srcs, dst } => {
            (op, bits, t.place_of(surface)?, offsets, 4, srcs, dst)
        }
        Op::SvmAtomic { op, bits, addresses, srcs, dst } => {
            (op, bits, Storage::Flat, addresses, 8, srcs, dst)
        }
        _ => return Err("no atomic".into()),
    };
    let bytes = u32::from(bits) / 8;
    let slot = bytes.max(4);
    let (op, srcs) = memory::atomic(op, srcs);
    let (on, _) = t.enabled(inst)?;
    for i in each(on) {
        let lane = to_index(i);
        let at = cx.address(t, addresses, lane * address, address)?;
        let mut operand = |k: usize| {
            if to_index(k) < op.operands() { cx.data(t, srcs[k], lane * slot, bytes) } else { Ok(0) }
        };
        let (a, b) = (operand(0)?, operand(1)?);
        let old = cx.load(t, place, at, bytes)?;
        let new = op.apply(old, a, b, bytes);
        cx.store(t, place, at, bytes, new)?;
        let mask = if bytes == 8 { u64::MAX } else { (1 << (8 * bytes)) - 1 };
        t.raw_store(dst, lane * slot, slot, op.result(old, new) & mask)?;
    }
    Ok(kind(place, SendKind::Atomic))
}
