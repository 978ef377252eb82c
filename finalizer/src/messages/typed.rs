//! Typed surface reads, writes and atomics (images).

use gen_ir::{Dst, Sfid, Src, Type};
use messages::hdc::{Atomic, Dc1, SlotGroup, Surface};
use visa::{Op as Visa, RawOperand, SurfaceId};

use super::{
    Message, Operation, Parts, PayloadPart,
    hdc::{atomic_operands, disabled},
};
use crate::{
    build::{self, Lanes, VReg},
    lower::{Lowered, Lowerer, Unsupported},
};

impl Lowerer<'_> {
    /// `gather4_typed`, `scatter4_typed`, `typed_atomic`.
    pub(crate) fn typed(&mut self, op: &Visa<'_>) -> Lowered {
        if let Visa::Typed4 { surface, .. } | Visa::TypedAtomic { surface, .. } = *op
            && matches!(surface, SurfaceId::SLM | SurfaceId::STATELESS)
        {
            return Err(Unsupported::NoTexels.into());
        }
        match *op {
            Visa::Typed4 { .. } => self.texels(op),
            Visa::TypedAtomic { .. } => self.typed_atomic(op),
            _ => unreachable!("{op:?} is lowered elsewhere"),
        }
    }

    /// Reads and writes of texels.
    fn texels(&mut self, op: &Visa<'_>) -> Lowered {
        let Visa::Typed4 { access, mask, surface, coords, .. } = *op else {
            unreachable!("{op:?} is not an access of texels")
        };
        let data = self.lane_data(op)?;
        let kind = if access.is_store() { Dc1::TypedWrite } else { Dc1::TypedRead };
        let desc = Surface::new()
            .with_message_type(Some(kind))
            .with_slot_group(SlotGroup::Low)
            .with_disabled_channels(disabled(mask));
        let mut parts: Parts = self.typed_header().into_iter().collect();
        let header = !parts.is_empty();
        self.coordinates(coords, self.native_lanes(), &mut parts)?;
        let surface = self.surface(surface)?;
        let message = Message { sfid: Sfid::Dc1, desc: desc.into(), header, response: 0 };
        if access.is_store() {
            self.writes.texels = true;
            parts.push(self.part(data.operand, data.bytes)?);
            return self.send(message, VReg::NULL, &parts, Some(surface));
        }
        let response = data.bytes.div_ceil(self.grf());
        self.send_for_lanes(Message { response, ..message }, data, &parts, Some(surface))
    }

    fn typed_atomic(&mut self, op: &Visa<'_>) -> Lowered {
        let Visa::TypedAtomic { op: operation, bits, surface, coords, srcs, .. } = *op else {
            unreachable!("{op:?} is not a typed atomic");
        };
        let data = self.lane_data(op)?;
        let of_data_port = Operation::of(operation);
        if of_data_port.is_float() {
            return Err(Unsupported::TypedFloatAtomics.into());
        }
        self.check_atomics_of(bits)?;
        // No message of the data port has others ("MSD1R_TAI"); Intel's finalizer refuses them, too.
        let kind = match bits {
            16 => Dc1::TypedAtomicHalf,
            32 => Dc1::TypedAtomic,
            _ => return Err(Unsupported::TypedAtomics(bits).into()),
        };
        let returns = !data.operand.is_null();
        let desc = Atomic::new()
            .with_message_type(Some(kind))
            .with_operation(of_data_port.code())
            .with_returns(returns);
        let mut parts = Parts::new();
        self.coordinates(coords, self.native_lanes(), &mut parts)?;
        for operand in atomic_operands(operation, srcs) {
            parts.push(self.part(operand, data.bytes)?);
        }
        let surface = self.surface(surface)?;
        self.note_write(Some(surface));
        let response = if returns { data.bytes.div_ceil(self.grf()) } else { 0 };
        let message = Message { sfid: Sfid::Dc1, desc: desc.into(), header: false, response };
        self.send_for_lanes(message, data, &parts, Some(surface))
    }

    /// The header with the pixel sample mask, where typed messages carry one.
    fn typed_header(&mut self) -> Option<PayloadPart> {
        if !self.caps.memory.typed_header {
            return None;
        }
        let header = self.zero_register();
        let mask = Dst::packed(header.plus(28), Type::Ud);
        self.emit(build::mov(Lanes::SCALAR, mask, Src::ud(0xffff)));
        Some(PayloadPart { reg: header, len: 1 })
    }

    /// U, V, R and level of detail of so many lanes. What stands before a present one is sent even if it is ignored; U is sent
    /// if none is there, for a message has a payload.
    pub(super) fn coordinates(&mut self, coords: [RawOperand; 4], lanes: u32, parts: &mut Parts) -> Lowered {
        let count = coords.iter().rposition(|c| !c.is_null()).map_or(1, |i| i + 1);
        for coord in &coords[..count] {
            parts.push(self.part_or_zeros(*coord, lanes * 4)?);
        }
        Ok(())
    }
}
