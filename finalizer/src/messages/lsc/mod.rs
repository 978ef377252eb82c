//! Load/store-cache messages (Xe-HPC): untyped loads, stores and atomics; fences, rectangles and texels in the files
//! beside this one.

mod address;
mod block;
pub(super) mod codes;
mod fence;
mod typed;

pub(super) use fence::ThirdLevel;

use gen_ir::{Desc, Dst, Inst, Op, SendBuilder, SendLengths, Src, Type};
use messages::{
    Descriptor, Effect, ExtendedDescriptor,
    lsc::{AddressModel, LscForm, Op as LscCode, Untyped},
};
use visa::{Op as Visa, RawOperand, lsc::LscOrder, op::Lsc};

use super::{Parts, PayloadPart};
use crate::{
    build::{self, Lanes, VReg},
    lower::{Feature, Lowered, Lowerer},
};
use codes::{
    LscMessage, address_size, cache_control, data_size, message_of, quad, shared_function, vector_size,
};

/// Whether a message loads, stores or computes in memory, on platforms here.
const fn accesses(code: LscCode) -> bool {
    match code.row().form {
        // Atomics of bfloat16 came with the data port of Xe3P (IGA knows them in its decoder of those words alone).
        LscForm::BfloatAtomic(_) => false,
        // Quads of targets of several samples are of Xe2 (IGA's decoder for 12.72 does not know them).
        LscForm::MultiSampleQuad => false,
        LscForm::Fence | LscForm::State | LscForm::Compression | LscForm::CacheControl => false,
        _ => true,
    }
}

/// The descriptor of a load, a store or an atomic.
fn access_descriptor(code: LscCode, lsc: &Lsc<'_>, cache: u8, model: AddressModel) -> Descriptor {
    match lsc.shape.channels {
        Some(mask) => quad(code, lsc.addr_size, lsc.shape.size)
            .with_channels(mask.0 & 15)
            .with_cache_control(cache)
            .with_address_model(Some(model))
            .into(),
        None => Untyped::new()
            .with_op(Some(code))
            .with_address_size(Some(address_size(lsc.addr_size)))
            .with_data_size(Some(data_size(lsc.shape.size)))
            .with_vector_size(Some(vector_size(lsc.shape.elems)))
            .with_transpose(lsc.shape.order == LscOrder::Transpose)
            .with_cache_control(cache)
            .with_address_model(Some(model))
            .into(),
    }
}

impl Lowerer<'_> {
    /// Loads, stores and atomics, strided ones included.
    pub(crate) fn lsc(&mut self, lsc: &Lsc<'_>) -> Lowered {
        self.needs(self.caps.memory.lsc, Feature::Lsc)?;
        let Some(code) = message_of(lsc.op).filter(|code| accesses(*code)) else {
            return self.lacks(Feature::LscOperation(lsc.op));
        };
        let row = code.row();
        let grf = self.grf();
        let per_address = lsc.shape.per_address();
        let element = lsc.shape.size.register_bytes();
        let transposed = lsc.shape.order == LscOrder::Transpose;
        let (_, data_bytes) = self.data(Visa::Lsc(*lsc))?;
        let data_len = data_bytes.div_ceil(grf);
        let cache = cache_control(row.effect, lsc.cache)?;

        let address = if row.form == LscForm::Strided {
            self.strided_address(lsc, element * if transposed { 1 } else { per_address })?
        } else {
            // Transposed data have one address.
            let lanes = if transposed { self.lanes.exec.lanes() } else { self.message_lanes() };
            let address = lsc.addr_size.bytes();
            let part = self.part(lsc.addr, lanes * address)?;
            self.address_plus(part, lsc, address)?
        };
        let (model, ex_desc, address) = self.address_model(lsc, address)?;
        let desc = access_descriptor(code, lsc, cache, model);
        let data = self.lsc_data([lsc.src1, lsc.src2], data_len)?;
        let returns = row.effect != Effect::Store && !lsc.dst.is_null();
        let response = if returns { data_len } else { 0 };
        let (target, copy) = self.response(lsc.dst, response.max(1) * grf)?;
        let sfid = shared_function(lsc.sfid);
        self.lsc_send(self.lanes, LscMessage { sfid, desc, ex_desc, response }, target, address, data)?;
        match copy {
            Some(to) if transposed => self.copy_bytes(to, target, data_bytes),
            Some(to) => self.copy_lsc_response(to, target, element, per_address),
            None => {}
        }
        Ok(())
    }

    fn copy_lsc_response(&mut self, to: VReg, from: VReg, element: u32, per_address: u32) {
        let stride = (self.lanes.exec.lanes() * element).next_multiple_of(self.grf());
        for i in 0..per_address {
            self.copy_lanes(to.plus(i * stride), from.plus(i * stride), element);
        }
    }

    /// The data of a store, or the operands of an atomic one after the other: so many registers each.
    fn lsc_data(&mut self, srcs: [RawOperand; 2], len: u32) -> Lowered<Option<PayloadPart>> {
        let bytes = len * self.grf();
        let mut parts = Parts::new();
        for operand in srcs {
            if !operand.is_null() {
                parts.push(self.part(operand, bytes)?);
            }
        }
        Ok(match parts[..] {
            [] => None,
            [one] => Some(one),
            _ => Some(self.concatenate(&parts)),
        })
    }

    fn lsc_send(
        &mut self,
        lanes: Lanes,
        message: LscMessage,
        dst: VReg,
        address: PayloadPart,
        data: Option<PayloadPart>,
    ) -> Lowered {
        let lengths = SendLengths::new(address.len, data.map_or(0, |d| d.len), message.response)?;
        self.lsc_send_sized(lanes, message, dst, address, data, lengths);
        Ok(())
    }

    pub(super) fn lsc_send_sized(
        &mut self,
        lanes: Lanes,
        message: LscMessage,
        dst: VReg,
        address: PayloadPart,
        data: Option<PayloadPart>,
        lengths: SendLengths,
    ) {
        // Halves of a message must not share registers.
        let data = match data {
            Some(data) if super::send::share_registers(address, data, self.grf()) => {
                Some(self.concatenate(&[data]))
            }
            other => other,
        };
        let model = Untyped::from(message.desc).address_model();
        let surface_offset = matches!(model, Some(AddressModel::Bss | AddressModel::Ss));
        if let (Desc::Reg(a0), Some(_), false) = (message.ex_desc, data, surface_offset) {
            // The register says how long the data is.
            let length = ExtendedDescriptor::of_length(lengths.second).into_bits();
            let srcs = [Src::scalar(a0, Type::Ud), Src::ud(length)];
            self.emit(build::op(Op::Or, Lanes::SCALAR, Dst::packed(a0, Type::Ud), &srcs));
        }
        let send = SendBuilder {
            ex_desc: message.ex_desc,
            surface_offset,
            second: data.map(|d| d.reg),
            response: if message.response == 0 { VReg::NULL } else { dst },
            response_type: Type::Ud,
            ..SendBuilder::new(self.caps, lanes.exec, message.sfid, message.desc, address.reg, lengths)
        };
        let send = Inst { chan: lanes.chan, no_mask: lanes.no_mask, ..send.build(self.caps) };
        self.emit_guarded(send);
    }
}
