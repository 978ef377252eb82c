//! Data port messages on surfaces with one offset per lane: untyped surface reads and writes, byte,
//! dword and qword scattered messages, atomics.

use gen_ir::{Dst, Op, Sfid, Src, Type};
use messages::{
    Descriptor,
    hdc::{Atomic, Dc0, Dc1, Scattered, ScatteredSimdMode, Surface as SurfaceDesc},
};
use narrow::{as_index, to_u16};

use visa::{Access, ChannelMask, Op as Visa, RawOperand, SurfaceId, VectorOperand, op::LaneOperand};

use super::{Message, Operation, Parts, PayloadPart, Surface};
use crate::{
    build,
    lower::{Feature, Lowered, Lowerer, Unsupported},
};

/// Disabled channels, as the untyped and typed surface messages encode them.
pub(super) const fn disabled(mask: ChannelMask) -> u8 {
    !mask.0 & 15
}

/// What lanes send or receive: its bytes in all, and those of a lane's part of a block.
#[derive(Clone, Copy)]
pub(super) struct LaneData {
    pub operand: RawOperand,
    pub bytes: u32,
    pub slot: u32,
}

impl Lowerer<'_> {
    /// Data port messages with offsets per lane.
    pub(crate) fn dataport(&mut self, op: &Visa<'_>) -> Lowered {
        let (offsets, data) = (self.lane_addresses(op)?, self.lane_data(op)?);
        match *op {
            Visa::Scaled4 { access, mask, surface, global_offset, .. } => {
                self.untyped(access, mask, surface, global_offset, offsets, data)
            }
            Visa::Scaled { access, blocks, surface, global_offset, .. } => {
                if blocks > 4 {
                    return Err(Unsupported::BytesPerLane.into());
                }
                let offsets = self.lane_offsets(offsets)?;
                let offsets = self.add_offset(offsets, global_offset, Type::Ud)?;
                self.scattered(
                    access,
                    byte_message(access, blocks, self.message_lanes())?,
                    surface,
                    offsets,
                    data,
                )
            }
            Visa::Gather { access, element_bytes, surface, global_offset, .. } => {
                self.gather(access, element_bytes, surface, global_offset, offsets, data)
            }
            Visa::Qword { access, blocks, surface, .. } => {
                self.qwords(access, blocks, surface, offsets, data)
            }
            Visa::Atomic { op, bits, surface, srcs, .. } => {
                self.atomic(op, bits, surface, offsets, srcs, data)
            }
            _ => unreachable!("{op:?} is lowered elsewhere"),
        }
    }

    /// Addresses of lanes, as the message's entry says that the operand holds them.
    pub(super) fn lane_addresses(&self, op: &Visa<'_>) -> Lowered<LaneData> {
        self.of_lanes(op.lane_addresses())
    }

    /// What lanes load, store or get back, as the message's entry says that the operand holds it.
    pub(super) fn lane_data(&self, op: &Visa<'_>) -> Lowered<LaneData> {
        self.of_lanes(op.lane_data())
    }

    fn of_lanes(&self, operand: Option<LaneOperand>) -> Lowered<LaneData> {
        let Some(LaneOperand { operand, holds, .. }) = operand else {
            return Err(Unsupported::DataSize.into());
        };
        Ok(LaneData { operand, bytes: holds.total(self.message_lanes()), slot: holds.stride })
    }

    /// The part of a payload that addresses are.
    pub(super) fn lane_offsets(&mut self, addresses: LaneData) -> Lowered<PayloadPart> {
        self.part(addresses.operand, addresses.bytes)
    }

    /// Untyped surface read or write of up to four dwords per lane.
    fn untyped(
        &mut self,
        access: Access,
        mask: ChannelMask,
        surface: SurfaceId,
        global_offset: &VectorOperand,
        offsets: LaneData,
        data: LaneData,
    ) -> Lowered {
        let offsets = self.lane_offsets(offsets)?;
        let offsets = self.add_offset(offsets, global_offset, Type::Ud)?;
        self.untyped_at(access, mask, surface, offsets, data)
    }

    fn untyped_at(
        &mut self,
        access: Access,
        mask: ChannelMask,
        surface: SurfaceId,
        offsets: PayloadPart,
        data: LaneData,
    ) -> Lowered {
        let lanes = self.message_lanes();
        let kind = if access.is_store() { Dc1::UntypedWrite } else { Dc1::UntypedRead };
        let desc = SurfaceDesc::new()
            .with_message_type(Some(kind))
            .with_simd_mode(Some(simd_mode(lanes)))
            .with_disabled_channels(disabled(mask));
        let message = Message { sfid: Sfid::Dc1, desc: desc.into(), header: false, response: 0 };
        self.transfer(access, message, surface, offsets, data)
    }

    /// One part of offsets and one of data: a store sends both, a load receives the data.
    fn transfer(
        &mut self,
        access: Access,
        message: Message,
        surface: SurfaceId,
        offsets: PayloadPart,
        data: LaneData,
    ) -> Lowered {
        let header = self.scattered_header(message.sfid, surface);
        let message = Message { header: header.is_some(), ..message };
        let mut parts: Parts = header.into_iter().collect();
        parts.push(offsets);
        let surface = self.surface(surface)?;
        if access.is_store() {
            self.note_write(Some(surface));
            parts.push(self.part(data.operand, data.bytes)?);
            return self.send(message, build::VReg::NULL, &parts, Some(surface));
        }
        let response = data.bytes.div_ceil(self.grf());
        self.send_for_lanes(Message { response, ..message }, data, &parts, Some(surface))
    }

    /// Sends a message that gives back what lanes have, and brings it to where no message can write.
    pub(super) fn send_for_lanes(
        &mut self,
        message: Message,
        data: LaneData,
        parts: &[PayloadPart],
        surface: Option<Surface>,
    ) -> Lowered {
        let (target, copy) = self.response(data.operand, data.bytes)?;
        self.send(message, target, parts, surface)?;
        if let Some(to) = copy {
            let block = self.message_lanes() * data.slot;
            for at in (0..data.bytes).step_by(as_index(block)) {
                self.copy_lanes(to.plus(at), target.plus(at), data.slot);
            }
        }
        Ok(())
    }

    /// The header that some platforms want: byte scattered messages always but for shared local memory,
    /// untyped ones (with all pixels of the sample mask) for stateless memory.
    fn scattered_header(&mut self, sfid: Sfid, surface: SurfaceId) -> Option<PayloadPart> {
        let byte = sfid == Sfid::Dc0 && surface != SurfaceId::SLM;
        let stateless = surface == SurfaceId::STATELESS;
        if !self.caps.memory.scattered_header || !(byte || stateless) {
            return None;
        }
        let reg = self.zero_register();
        if !byte {
            self.set_dword(reg, 7, Src::ud(0xffff));
        }
        Some(PayloadPart { reg, len: 1 })
    }

    fn scattered(
        &mut self,
        access: Access,
        desc: impl Into<Descriptor>,
        surface: SurfaceId,
        offsets: PayloadPart,
        data: LaneData,
    ) -> Lowered {
        let message = Message { sfid: Sfid::Dc0, desc: desc.into(), header: false, response: 0 };
        self.transfer(access, message, surface, offsets, data)
    }

    /// `gather`, `scatter`: offsets count elements.
    fn gather(
        &mut self,
        access: Access,
        element_bytes: u8,
        surface: SurfaceId,
        global_offset: &VectorOperand,
        offsets: LaneData,
        data: LaneData,
    ) -> Lowered {
        let lanes = self.message_lanes();
        let shift = element_bytes.trailing_zeros();
        let offsets = self.lane_offsets(offsets)?;
        let offsets = self.add_offset(offsets, global_offset, Type::Ud)?;
        let slm = surface == SurfaceId::SLM;
        if element_bytes == 4 && slm {
            let offsets = self.shift_offsets(offsets, 2);
            return self.untyped_at(access, ChannelMask(1), surface, offsets, data);
        }
        if element_bytes == 4 {
            let kind = if access.is_store() { Dc0::DwordScatteredWrite } else { Dc0::DwordScatteredRead };
            let desc =
                Scattered::new().with_message_type(Some(kind)).with_simd16(lanes != 8).with_legacy_simd(true);
            return self.scattered(access, desc, surface, offsets, data);
        }
        let offsets = if shift > 0 { self.shift_offsets(offsets, shift) } else { offsets };
        self.scattered(access, byte_message(access, element_bytes, lanes)?, surface, offsets, data)
    }

    /// Element offsets to byte offsets.
    fn shift_offsets(&mut self, offsets: PayloadPart, shift: u32) -> PayloadPart {
        let bytes = self.payload(offsets.len);
        let from = Src::new(offsets.reg, build::strided(1, self.lanes.exec), Type::Ud);
        self.emit_guarded(build::op(
            Op::Shl,
            self.lanes,
            Dst::packed(bytes, Type::Ud),
            &[from, Src::uw(to_u16(shift))],
        ));
        PayloadPart { reg: bytes, len: offsets.len }
    }

    fn qwords(
        &mut self,
        access: Access,
        blocks: u8,
        surface: SurfaceId,
        offsets: LaneData,
        data: LaneData,
    ) -> Lowered {
        let lanes = self.message_lanes();
        let kind = if access.is_store() { Dc0::QwordScatteredWrite } else { Dc0::QwordScatteredRead };
        let desc = Scattered::new()
            .with_message_type(Some(kind))
            .with_size_log2(size_log2(blocks)?)
            .with_legacy_simd(true)
            .with_simd16(lanes == 16);
        let offsets = self.lane_offsets(offsets)?;
        let message = Message { sfid: Sfid::Dc0, desc: desc.into(), header: false, response: 0 };
        self.transfer(access, message, surface, offsets, data)
    }

    fn atomic(
        &mut self,
        op: visa::AtomicOp,
        bits: u8,
        surface: SurfaceId,
        offsets: LaneData,
        srcs: [RawOperand; 2],
        result: LaneData,
    ) -> Lowered {
        let operation = Operation::of(op);
        self.check_atomics_of(bits)?;
        let kind = match (bits, operation.is_float()) {
            (32, false) => Dc1::UntypedAtomic,
            (32, true) => Dc1::UntypedAtomicFloat,
            (16, false) => Dc1::UntypedAtomicHalf,
            (16, true) => Dc1::UntypedAtomicHalfFloat,
            _ => return Err(Unsupported::SurfaceAtomics(bits).into()),
        };
        let lanes = self.message_lanes();
        let returns = !result.operand.is_null();
        let desc = Atomic::new()
            .with_message_type(Some(kind))
            .with_operation(operation.code())
            .with_returns(returns)
            .with_width(lanes == 8);
        let header = self.scattered_header(Sfid::Dc1, surface);
        let has_header = header.is_some();
        let mut parts: Parts = header.into_iter().collect();
        parts.push(self.lane_offsets(offsets)?);
        for operand in atomic_operands(op, srcs) {
            parts.push(self.part(operand, result.bytes)?);
        }
        let surface = self.surface(surface)?;
        self.note_write(Some(surface));
        let response = if returns { result.bytes / self.grf() } else { 0 };
        let message = Message { sfid: Sfid::Dc1, desc: desc.into(), header: has_header, response };
        self.send_for_lanes(message, result, &parts, Some(surface))
    }

    /// Refuses atomics of elements of a size that the platform has none of.
    pub(super) fn check_atomics_of(&self, bits: u8) -> Lowered {
        self.needs(bits != 16 || self.caps.memory.word_atomics, Feature::Atomics(bits))
    }
}

/// The data operands in the order of the message: a compare-and-swap sends the new value last in vISA,
/// first to the data port comes the value it compares with.
pub(super) fn atomic_operands(op: visa::AtomicOp, srcs: [RawOperand; 2]) -> impl Iterator<Item = RawOperand> {
    let [a, b] = if op == visa::AtomicOp::CmpXchg { [srcs[1], srcs[0]] } else { srcs };
    [a, b].into_iter().filter(|s| !s.is_null())
}

/// SIMD mode of untyped surface messages.
pub(super) const fn simd_mode(lanes: u32) -> ScatteredSimdMode {
    if lanes == 8 { ScatteredSimdMode::Simd8 } else { ScatteredSimdMode::Simd16 }
}

/// A number of elements as the power of two that descriptors count in, up to eight.
pub(super) fn size_log2(count: u8) -> Lowered<u8> {
    match count {
        1 => Ok(0),
        2 => Ok(1),
        4 => Ok(2),
        8 => Ok(3),
        _ => Err(Unsupported::Elements(count).into()),
    }
}

fn byte_message(access: Access, bytes: u8, lanes: u32) -> Lowered<Scattered> {
    let kind = if access.is_store() { Dc0::ByteScatteredWrite } else { Dc0::ByteScatteredRead };
    let desc = Scattered::new().with_message_type(Some(kind)).with_size_log2(size_log2(bytes)?);
    Ok(desc.with_simd16(lanes == 16))
}
