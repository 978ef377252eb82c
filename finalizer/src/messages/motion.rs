//! Video motion estimation: registers that all its messages begin with, and those of each kind.
//!
//! The fields that operands go to are those of Intel's finalizer.

use gen_ir::{Dst, ExecSize, Op, Sfid, Src, Type};
use messages::vme::{MotionEstimation, MotionMessageType};
use narrow::low_u16;
use visa::{
    RawOperand, SurfaceId, VectorOperand,
    op::{Holds, VmeSearch, VmeStream},
};

use super::{Message, PayloadPart, Surface, send::contiguous};
use crate::{
    build::{self, Lanes, VReg},
    lower::{Feature, Lowered, Lowerer, Unsupported},
};

/// Registers of these platforms; none with larger ones has the engines.
const GRF: u32 = 32;
/// What a message is besides its payload.
struct MotionMessage {
    sfid: Sfid,
    desc: MotionEstimation,
    response: u32,
}

/// Registers of a message, as its entry in vISA's table says.
#[derive(Clone, Copy, Default)]
struct MotionLengths {
    /// Of the input that all engines take, and of that of this one.
    inputs: [u32; 2],
    output: u32,
}

impl MotionLengths {
    fn of(op: visa::Op<'_>) -> MotionLengths {
        let mut found = MotionLengths::default();
        let mut at = 0;
        op.payloads(|_, payload| match payload.holds {
            Holds::Bytes(bytes) if payload.is_written() => found.output = bytes / GRF,
            Holds::Bytes(bytes) if at < found.inputs.len() => {
                found.inputs[at] = bytes / GRF;
                at += 1;
            }
            _ => {}
        });
        found
    }

    fn message(self, sfid: Sfid, message: MotionMessageType) -> MotionMessage {
        let desc = MotionEstimation::new().with_message_type(Some(message));
        MotionMessage { sfid, desc, response: self.output }
    }
}

impl Lowerer<'_> {
    /// `vme_ime`, `vme_sic`, `vme_fbr`, `vme_idm`.
    pub(super) fn motion_estimation(&mut self, op: &visa::Op<'_>) -> Lowered {
        use visa::Op;
        self.needs(self.caps.sampler.media, Feature::MotionEstimation)?;
        let lengths = MotionLengths::of(*op);
        match *op {
            Op::VmeIme { stream, search, universal, input, surface, references, center, output } => {
                let (payload, kind) = self.integer_search((stream, search), universal, input, lengths)?;
                let [first, second] = references;
                for (to, from, bytes) in [(0, first, 4), (4, second, 4), (3 * GRF, center, GRF)] {
                    let from = self.raw(from)?;
                    if !from.is_null() {
                        self.copy_bytes(payload.reg.plus(to), from, bytes);
                    }
                }
                self.estimate(kind, payload, surface, output)
            }
            Op::VmeSic { universal, input, surface, output } => {
                let kind = lengths.message(Sfid::Cre, MotionMessageType::SkipCheck);
                let payload = self.motion_payload(universal, input, lengths)?;
                self.estimate(kind, payload, surface, output)
            }
            Op::VmeFbr { universal, input, surface, modes, output } => {
                let payload = self.own_payload(universal, input, lengths)?;
                for (byte, operand) in (20..).zip(modes) {
                    self.set_byte(payload.reg.plus(2 * GRF + byte), operand)?;
                }
                let kind = lengths.message(Sfid::Cre, MotionMessageType::Refinement);
                self.estimate(kind, payload, surface, output)
            }
            Op::VmeIdm { universal, input, surface, output } => {
                let kind = lengths.message(Sfid::Vme, MotionMessageType::Distortion);
                let payload = self.motion_payload(universal, input, lengths)?;
                self.estimate(kind, payload, surface, output)
            }
            _ => unreachable!("{op:?} is no motion estimation"),
        }
    }

    /// The payload of `vme_ime` but for places and cost centers.
    fn integer_search(
        &mut self,
        (stream, search): (VmeStream, VmeSearch),
        universal: RawOperand,
        input: RawOperand,
        lengths: MotionLengths,
    ) -> Lowered<(PayloadPart, MotionMessage)> {
        let payload = self.own_payload(universal, input, lengths)?;
        // Search control: the lower three bits of byte 13.
        let control = payload.reg.plus(13);
        let byte = |value| [Src::scalar(control, Type::Ub), Src::uw(value)];
        let to = Dst::packed(control, Type::Ub);
        self.emit(build::op(Op::And, Lanes::SCALAR, to, &byte(0xf8)));
        self.emit(build::op(Op::Or, Lanes::SCALAR, to, &byte(search.raw().into())));
        let mut kind = lengths.message(Sfid::Vme, MotionMessageType::IntegerSearch);
        kind.desc = kind.desc.with_stream_out(stream.comes_back()).with_stream_in(stream.goes_in());
        Ok((payload, kind))
    }

    /// Both inputs in one range of registers: as they stand, if they do.
    fn motion_payload(
        &mut self,
        universal: RawOperand,
        input: RawOperand,
        lengths: MotionLengths,
    ) -> Lowered<PayloadPart> {
        let parts = self.motion_parts(universal, input, lengths)?;
        if contiguous(&parts, GRF) {
            return Ok(PayloadPart { reg: parts[0].reg, len: lengths.inputs.iter().sum() });
        }
        Ok(self.concatenate(&parts))
    }

    /// Both inputs in registers that fields are written to.
    fn own_payload(
        &mut self,
        universal: RawOperand,
        input: RawOperand,
        lengths: MotionLengths,
    ) -> Lowered<PayloadPart> {
        let parts = self.motion_parts(universal, input, lengths)?;
        Ok(self.concatenate(&parts))
    }

    fn motion_parts(
        &mut self,
        universal: RawOperand,
        input: RawOperand,
        lengths: MotionLengths,
    ) -> Lowered<[PayloadPart; 2]> {
        let [first, second] = lengths.inputs;
        Ok([self.part(universal, first * GRF)?, self.part(input, second * GRF)?])
    }

    fn set_byte(&mut self, to: VReg, operand: &VectorOperand) -> Lowered {
        let value = match operand.immediate() {
            Some(value) => Src::uw(low_u16(value) & 0xff),
            None => self.scalar_src(operand)?,
        };
        self.emit(build::mov(Lanes::SCALAR, Dst::packed(to, Type::Ub), value));
        Ok(())
    }

    fn estimate(
        &mut self,
        kind: MotionMessage,
        payload: PayloadPart,
        picture: SurfaceId,
        output: RawOperand,
    ) -> Lowered {
        let surface = self.surface(picture)?;
        // The references have the indices behind that of the picture; bindless surfaces have one for all.
        if let Surface::Bindless(..) = surface {
            return Err(Unsupported::OfBindless("references").into());
        }
        let (target, copy) = self.response(output, kind.response * GRF)?;
        let message =
            Message { sfid: kind.sfid, desc: kind.desc.into(), header: true, response: kind.response };
        self.send_block(ExecSize::S8, message, target, &[payload], Some(surface))?;
        if let Some(to) = copy {
            self.copy_bytes(to, target, kind.response * GRF);
        }
        Ok(())
    }
}
