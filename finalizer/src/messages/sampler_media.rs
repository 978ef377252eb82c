//! Sampler messages of media kernels: blocks of pixels from one place on (`avs`, `sample_unorm`), and the samples
//! and loads of old, whose three coordinates and channels are always all there.
//!
//! The forms are those of Intel's finalizer; what comes back is as the specification counts it.

use gen_ir::{Dst, ExecSize, Op, Sfid, Src, Type};
use messages::sampler::{self, HeaderControl, MessageType, Parameter, PixelBlock, SimdMode, WideType};
use narrow::low_u32;
use visa::{
    ChannelMask, Op as Visa, RawOperand, SamplerId, SurfaceId, VectorOperand,
    op::{PixelFormat, SampleLanes},
};

use super::{Message, PayloadPart, hdc::disabled, sampler::Sampler};
use crate::{
    build::{self, Lanes, VReg, VSrc},
    lower::{Feature, Lowered, Lowerer, Unsupported},
};

/// A message on a block of pixels.
struct Block {
    access: SamplerAccess,
    bytes: u32,
}

/// What a message of media kernels asks of the sampler, and for which lanes.
#[derive(Clone, Copy)]
struct SamplerAccess {
    lanes: Lanes,
    control: sampler::Sample,
    sampler: Option<SamplerId>,
    surface: SurfaceId,
}

impl Lowerer<'_> {
    /// `sample_unorm`: 16 by 2 pixels from a place on, in steps. The header says which channels are left out; two
    /// registers come back of each of the others, whatever the output format (Intel's finalizer).
    pub(super) fn sample_unorm(
        &mut self,
        channels: ChannelMask,
        sampler: SamplerId,
        surface: SurfaceId,
        coords: [&VectorOperand; 4],
        dst: RawOperand,
    ) -> Lowered {
        self.needs(self.caps.sampler.exists, Feature::Sampler)?;
        let header = self.media_header(channels, PixelFormat::Full16);
        let place = self.zero_register();
        for (dword, operand) in (2..).zip(coords) {
            self.set_float(place, dword, operand)?;
        }
        let lanes = Lanes { exec: ExecSize::S32, chan: 0, no_mask: self.lanes.no_mask };
        let bytes = channels.count() * 64;
        let control = sampler::Sample::wide(WideType::MediaUnorm);
        let access = SamplerAccess { lanes, control, sampler: Some(sampler), surface };
        self.pixel_block(&Block { access, bytes }, header, place, dst)
    }

    /// `avs`: a scaled block of pixels. The second register has places and steps, the number of the block among
    /// those of its group, and the group.
    pub(super) fn avs(&mut self, op: &Visa<'_>) -> Lowered {
        let Visa::Avs { channels, sampler, surface, coords, group, block, format, v2d, size, bypass, .. } =
            *op
        else {
            unreachable!("{op:?} is not a block of pixels");
        };
        self.needs(self.caps.sampler.exists, Feature::Sampler)?;
        let header = self.media_header(channels, format);
        let place = self.payload(1);
        for (dword, operand) in [(0, v2d)].into_iter().chain((2..).zip(coords)) {
            self.set_float(place, dword, operand)?;
        }
        let block = self.scalar_src(block)?;
        self.set_dword(place, 1, block);
        let scaled = PixelBlock::new().with_mode(size.raw());
        self.group_dword(place, group, scaled, bypass)?;
        let (dst, bytes) = self.data(*op)?;
        let lanes = Lanes::all(ExecSize::S16);
        let control = sampler::Sample::wide(WideType::Sample8x8);
        let access = SamplerAccess { lanes, control, sampler: Some(sampler), surface };
        self.pixel_block(&Block { access, bytes }, header, place, dst)
    }

    /// The last dword of a block's payload: group, mode, and the lowest bit of an operand as the bypass.
    fn group_dword(
        &mut self,
        place: VReg,
        group: &VectorOperand,
        scaled: PixelBlock,
        bypass: &VectorOperand,
    ) -> Lowered {
        let last = place.plus(4 * PixelBlock::DWORD);
        let (to, so_far) = (Dst::packed(last, Type::Ud), Src::scalar(last, Type::Ud));
        let scalar = |op, srcs: &[_]| build::op(op, Lanes::SCALAR, to, srcs);
        let mode = match bypass.immediate() {
            Some(bit) => Src::ud(scaled.with_bypass(bit & 1 != 0).into_bits()),
            None => {
                let bit = self.integer_src(bypass, "bypass")?;
                self.emit(scalar(Op::And, &[bit, Src::uw(1)]));
                self.emit(scalar(Op::Shl, &[so_far, Src::uw(PixelBlock::BYPASS_SHIFT)]));
                self.emit(scalar(Op::Add, &[so_far, Src::ud(scaled.into_bits())]));
                so_far
            }
        };
        let group = match (group.immediate(), mode) {
            (Some(group), Src::Imm { bits, .. }) => {
                self.set_dword(place, PixelBlock::DWORD, Src::ud(low_u32(group).wrapping_add(low_u32(bits))));
                return Ok(());
            }
            (Some(group), _) => Src::ud(low_u32(group)),
            (None, _) => self.integer_src(group, "group")?,
        };
        // An immediate stands last.
        let srcs = if group.is_imm() { [mode, group] } else { [group, mode] };
        self.emit(scalar(Op::Add, &srcs));
        Ok(())
    }

    /// A field of bits. Intel's finalizer adds floats and converts the sum, of which the lower bits are then lost.
    fn integer_src(&mut self, operand: &VectorOperand, what: &'static str) -> Lowered<VSrc> {
        let source = self.scalar_src(operand)?;
        match source.ty().is_some_and(Type::is_float) {
            true => Err(Unsupported::NoInteger(what).into()),
            false => Ok(source),
        }
    }

    /// The header: channels that are left out, and the output format of those that are not.
    fn media_header(&mut self, channels: ChannelMask, format: PixelFormat) -> VReg {
        let header = self.copy_of_r0();
        let control =
            HeaderControl::new().with_disabled_channels(disabled(channels)).with_output_format(format.raw());
        self.set_dword(header, 2, Src::ud(control.into_bits()));
        header
    }

    fn set_float(&mut self, place: VReg, dword: u32, operand: &VectorOperand) -> Lowered {
        let value = self.scalar_src(operand)?;
        self.emit(build::mov(Lanes::SCALAR, Dst::packed(place.plus(4 * dword), Type::F), value));
        Ok(())
    }

    /// Sends header and place; the block comes back.
    fn pixel_block(&mut self, block: &Block, header: VReg, place: VReg, dst: RawOperand) -> Lowered {
        let parts = [PayloadPart { reg: header, len: 1 }, PayloadPart { reg: place, len: 1 }];
        let (target, copy) = self.response(dst, block.bytes)?;
        let response = block.bytes.div_ceil(self.grf());
        self.media_send(block.access, &parts, target, response)?;
        if let Some(to) = copy {
            self.copy_bytes(to, target, block.bytes);
        }
        Ok(())
    }

    /// `sample`, `load` of old: u, v, r, and no level of detail.
    pub(super) fn legacy_sample(&mut self, op: &Visa<'_>) -> Lowered {
        let Visa::SampleLegacy { channels, lanes, sampler, surface, coords: [u, v, r], .. } = *op else {
            unreachable!("{op:?} is not a sample of old");
        };
        self.needs(self.caps.sampler.exists, Feature::Sampler)?;
        let simd_mode = match lanes {
            SampleLanes::Eight => SimdMode::Simd8,
            SampleLanes::Sixteen => SimdMode::Simd16,
        };
        let lanes = lanes.count();
        let exec = ExecSize::from_lanes(lanes).unwrap_or(ExecSize::S8);
        let whole = self.lanes;
        self.lanes = Lanes { exec, chan: 0, ..whole };
        let zero = self.payload(lanes * 4 / self.grf());
        self.emit(build::mov(Lanes::all(exec), Dst::packed(zero, Type::Ud), Src::ud(0)));
        let zero = PayloadPart { reg: zero, len: lanes * 4 / self.grf() };
        let part = |s: &mut Self, operand| s.part_or_zeros(operand, lanes * 4);
        let (u, v, r) = (part(self, u)?, part(self, v)?, part(self, r)?);
        let header = PayloadPart { reg: self.media_header(channels, PixelFormat::Full16), len: 1 };
        let message = if sampler.is_some() { MessageType::Sample } else { MessageType::Load };
        let mut parts = [header, zero, zero, zero, zero];
        for (parameter, part) in [(Parameter::U, u), (Parameter::V, v), (Parameter::R, r)] {
            if let Some(at) = message.position(parameter, self.caps.sampler.level_after_u) {
                parts[1 + at] = part;
            }
        }
        let control = sampler::Sample::to(message).with_simd_mode(Some(simd_mode));
        let (dst, bytes) = self.data(*op)?;
        let (target, copy) = self.response(dst, bytes)?;
        let response = bytes / self.grf();
        let access = SamplerAccess { lanes: self.lanes, control, sampler, surface };
        self.media_send(access, &parts, target, response)?;
        if let Some(to) = copy {
            for channel in 0..channels.count() {
                let at = channel * lanes * 4;
                self.copy_lanes(to.plus(at), target.plus(at), 4);
            }
        }
        self.lanes = whole;
        Ok(())
    }

    /// The message, whose first part is the header: it says where the state of a bindless sampler is.
    fn media_send(
        &mut self,
        access: SamplerAccess,
        parts: &[PayloadPart],
        target: VReg,
        response: u32,
    ) -> Lowered {
        let SamplerAccess { lanes, control, sampler, surface } = access;
        let index = self.sampler_index(sampler)?;
        if let (Sampler::Bindless(state), Some(header)) = (&index, parts.first()) {
            self.set_dword(header.reg, 3, Src::scalar(*state, Type::Ud));
        }
        let surface = self.surface(surface)?;
        let desc = self.sampler_descriptor(control, &surface, &index)?;
        let message = Message { sfid: Sfid::Sampler, desc: desc.known, header: true, response };
        let pred = self.pred.take();
        let sent = self.send_with(lanes, message, target, parts, desc);
        self.pred = pred;
        sent
    }
}
