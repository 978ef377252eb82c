//! Sampler messages: sampling, loads, gathers and queries.
//!
//! The header is a copy of `r0` with [`HeaderControl`] in its third dword.

use gen_ir::{Desc, Dst, ExecSize, Op, Sfid, Src, Type, Virtual};
use messages::{
    Descriptor, ExtendedDescriptor,
    sampler::{self, HeaderControl, MessageType, Parameter, Request, SimdMode},
};
use narrow::{low_u32, to_index, to_u8};
use smallvec::SmallVec;
use visa::{
    ChannelMask, Op as Visa, SamplerId,
    op::{Sample, SampleKind, SamplerOp, sampled_channels},
};

use super::{Message, Parts, PayloadPart, Surface, hdc::disabled};
use crate::{
    build::{self, Lanes, VReg},
    lower::{Feature, Lowered, Lowerer, Unsupported},
};

/// Registers of parameters beyond which sixteen lanes are sent as two messages (Mesa, brw_shader.h,
/// `MAX_SAMPLER_MESSAGE_SIZE`).
const MAX_ROWS: u32 = 11;

/// The message of an operation, where the samplers of these platforms have it: vISA numbers them as the hardware does.
/// The others (gathers with a level, a bias or of four channels, packed offsets, a least level) came with Xe2, whose
/// numbers go beyond five bits (Mesa, brw_eu_defines.h, `XE2_SAMPLER_MESSAGE_*`); a sample that kills pixels, minimum
/// and maximum have no place in the specification.
fn message_of(op: SamplerOp) -> Option<MessageType> {
    let message = MessageType::from_bits(op.raw().into())?;
    Some(message).filter(|m| !matches!(m.row().form, Request::KillPixels | Request::Extreme))
}

/// Where a sampler's index comes from.
pub(super) enum Sampler {
    None,
    Index(u8),
    Register(VReg),
    /// The header names the sampler's state.
    Bindless(VReg),
}

/// How an instruction is sent: in messages of `step` lanes.
struct SamplingPlan {
    lanes: u32,
    step: u32,
    half_in: bool,
    half_out: bool,
    channels: u32,
    header: bool,
}

impl SamplingPlan {
    /// Bytes of a parameter.
    fn parameter_bytes(&self, lanes: u32) -> u32 {
        element_bytes(lanes, self.half_in)
    }

    /// Bytes of a channel of the result.
    fn result_bytes(&self, lanes: u32) -> u32 {
        element_bytes(lanes, self.half_out)
    }
}

fn element_bytes(lanes: u32, half: bool) -> u32 {
    lanes * if half { 2 } else { 4 }
}

impl Lowerer<'_> {
    /// `sample_3d`, `load_3d`, `sample4` and their forms.
    pub(crate) fn sampler_message(&mut self, sample: &Sample<'_>) -> Lowered {
        self.needs(self.caps.sampler.exists, Feature::Sampler)?;
        let Some(operation) = message_of(sample.op) else {
            return self.lacks(Feature::SamplerOperation(sample.op));
        };
        if !sample.paired.is_null() {
            return Err(Unsupported::PairedSurfaces.into());
        }
        let plan = self.sampling_plan(operation, sample);
        let index = self.sampler_index(sample.sampler)?;
        let surface = self.surface(sample.surface)?;
        let control = sampler::Sample::to(operation)
            .with_simd_mode(Some(self.simd_mode(plan.step)))
            .with_half_parameters(plan.half_in)
            .with_half_results(plan.half_out);
        let registers = plan.result_bytes(plan.step).div_ceil(self.grf());
        let null_mask = u32::from(sample.pixel_null_mask);
        let response = if sample.dst.is_null() { 0 } else { plan.channels * registers + null_mask };
        let header = if plan.header { Some(self.sample_header(operation, sample, &index)?) } else { None };
        let mut desc = self.sampler_descriptor(control, &surface, &index)?;
        let cps_in_word = self.caps.sampler.cps_in_word && !matches!(surface, Surface::Bindless(..));
        let cps = self.caps.sampler.cps.filter(|_| sample.cps && !cps_in_word);
        desc.ex_bits = cps.map_or(0, |bit| 1 << bit);
        let whole = plan.result_bytes(plan.lanes).next_multiple_of(self.grf());
        let (dst, copy) = self.response(sample.dst, plan.channels * whole)?;
        if copy.is_some() {
            return Err(Unsupported::NotAtRegister("sampler result").into());
        }
        let message = Message { sfid: Sfid::Sampler, desc: desc.known, header: plan.header, response };
        let groups = plan.lanes / plan.step;
        let mut targets: SmallVec<[(Lanes, VReg); 4]> = SmallVec::new();
        for group in 0..groups {
            let parts = self.sampling_payload(header, sample, &plan, group)?;
            let target = if groups == 1 { dst } else { self.payload(response.max(1)) };
            let part_lanes = Lanes {
                exec: ExecSize::from_lanes(plan.step).map_or(ExecSize::S8, |step| step.min(self.lanes.exec)),
                chan: self.lanes.chan + to_u8(group * plan.step),
                no_mask: self.lanes.no_mask,
            };
            self.send_with(part_lanes, message, target, &parts, desc)?;
            self.add_sampler_options(sample, cps_in_word);
            targets.push((part_lanes, target));
        }
        // Behind the last message: results may stand where parameters are.
        if groups > 1 && !dst.is_null() {
            for (group, (part_lanes, target)) in (0..).zip(targets) {
                self.scatter_group(dst, target, [plan.channels, whole, group], part_lanes, plan.half_out);
                if sample.pixel_null_mask {
                    let from = target.plus(plan.channels * registers * self.grf());
                    self.join_null_mask(dst.plus(plan.channels * whole), from, plan.step, group);
                }
            }
        }
        Ok(())
    }

    /// What the word of the last message says of its sampler and its coarse pixels.
    fn add_sampler_options(&mut self, sample: &Sample<'_>, cps_in_word: bool) {
        // The sampler may differ between threads (spec, `3D_SAMPLE`): that of each is the first element.
        if sample.non_uniform_sampler && self.caps.flow.fused_pairs {
            self.add_option(gen_ir::Options::SERIALIZE);
        }
        if sample.cps && cps_in_word {
            self.add_option(gen_ir::Options::CPS);
        }
    }

    /// The mode of a message of so many lanes: of those of a register, or of twice as many.
    fn simd_mode(&self, lanes: u32) -> SimdMode {
        if lanes == self.native_lanes() { SimdMode::Simd8 } else { SimdMode::Simd16 }
    }

    fn sampling_plan(&self, operation: MessageType, sample: &Sample<'_>) -> SamplingPlan {
        let is_half = |raw: visa::RawOperand| self.visa.payload_element_bytes(raw) == 2;
        let half_in = sample.params.iter().next().is_some_and(is_half);
        let half_out = is_half(sample.dst);
        let mask = ChannelMask(sample.channels & 15);
        let first_channels =
            mask == ChannelMask::RGBA || (self.caps.sampler.short_responses && matches!(mask.0, 1 | 3 | 7));
        let plain = if sample.kind == SampleKind::Gather { sample.channels == 0 } else { first_channels };
        let header = self.caps.sampler.header
            || sample.pixel_null_mask
            || sample.sampler == Some(SamplerId::BINDLESS)
            || !plain
            || sample.aoffimmi.immediate() != Some(0);
        // Fewer lanes than a message has leave the rest of its registers unused.
        let lanes = self.message_lanes();
        let widest = lanes.min(16);
        let rows = to_index(sample.params.len()) * element_bytes(widest, half_in).div_ceil(self.grf())
            + u32::from(header);
        // Gradients are for eight lanes alone.
        let narrow = operation.row().has(Parameter::DuDx);
        let step = if rows > MAX_ROWS || narrow { self.native_lanes() } else { widest };
        let channels = sampled_channels(sample.kind, sample.channels);
        SamplingPlan { lanes, step, half_in, half_out, channels, header }
    }

    /// Header and parameters of the message of a group of lanes.
    fn sampling_payload(
        &mut self,
        header: Option<PayloadPart>,
        sample: &Sample<'_>,
        plan: &SamplingPlan,
        group: u32,
    ) -> Lowered<Parts> {
        let mut parts: Parts = header.into_iter().collect();
        for param in sample.params.iter() {
            // What is missing is zero (spec, `3D_SAMPLE`).
            let part = self.part_or_zeros(param, plan.parameter_bytes(plan.lanes))?;
            let at = group * plan.parameter_bytes(plan.step);
            let len = plan.parameter_bytes(plan.step).div_ceil(self.grf());
            let reg = match part.reg {
                reg if at.is_multiple_of(self.grf()) => reg.plus(at),
                // Half of a register of half floats.
                reg => {
                    let (copy, exec) = (self.payload(len), self.lanes.exec);
                    let exec = ExecSize::from_lanes(plan.step).unwrap_or(exec);
                    let from = Src::new(reg.plus(at), build::strided(1, exec), Type::Uw);
                    let lanes = Lanes { exec, chan: 0, no_mask: true };
                    self.emit(build::mov(lanes, Dst::packed(copy, Type::Uw), from));
                    copy
                }
            };
            parts.push(PayloadPart { reg, len });
        }
        if parts.is_empty() { Err(Unsupported::NoParameters.into()) } else { Ok(parts) }
    }

    /// Brings the results of a group of lanes to their places in the whole result, whose channels have `whole`
    /// bytes each.
    fn scatter_group(
        &mut self,
        dst: VReg,
        from: VReg,
        [channels, whole, group]: [u32; 3],
        lanes: Lanes,
        half_float: bool,
    ) {
        let ty = if half_float { Type::Uw } else { Type::Ud };
        let step = lanes.exec.lanes() * ty.bytes();
        let near = step.next_multiple_of(self.grf());
        for c in 0..channels {
            let source = Src::new(from.plus(c * near), build::strided(1, lanes.exec), ty);
            let to = Dst::packed(dst.plus(c * whole + group * step), ty);
            let mut mov = build::mov(lanes, to, source);
            mov.pred = self.pred;
            self.emit(mov);
        }
    }

    /// Brings the bits of a group of lanes, one a lane, to their places in the word that says which pixels are resident.
    fn join_null_mask(&mut self, dst: VReg, from: VReg, lanes: u32, group: u32) {
        let ty = if group == 0 {
            Type::Ud
        } else if lanes == 8 {
            Type::Ub
        } else {
            Type::Uw
        };
        let to = Dst::packed(dst.plus(group * lanes / 8), ty);
        self.emit(build::mov(Lanes::SCALAR, to, Src::scalar(from, ty)));
    }

    pub(super) fn sampler_index(&mut self, id: Option<SamplerId>) -> Lowered<Sampler> {
        let Some(id) = id else { return Ok(Sampler::None) };
        let handle = self.sampler_handle(id)?;
        if id == SamplerId::BINDLESS {
            return match (handle.known, handle.var) {
                (Some(state), _) => {
                    let reg = self.temp(1, 4);
                    self.set_dword(reg, 0, Src::ud(state));
                    Ok(Sampler::Bindless(reg))
                }
                (None, Some(var)) => Ok(Sampler::Bindless(VReg::var_at(var, 0))),
                (None, None) => Err(Unsupported::NeverSet("bindless sampler").into()),
            };
        }
        match (handle.known, handle.var) {
            (Some(index), _) if index < 16 => Ok(Sampler::Index(to_u8(index))),
            (Some(found), _) => Err(Unsupported::Above { field: "sampler index", found, allowed: 15 }.into()),
            (None, Some(var)) => Ok(Sampler::Register(VReg::var_at(var, 0))),
            (None, None) => Err(Unsupported::NeverSet("sampler").into()),
        }
    }

    fn sample_header(
        &mut self,
        operation: MessageType,
        sample: &Sample<'_>,
        sampler: &Sampler,
    ) -> Lowered<PayloadPart> {
        let header = self.plain_sampler_header(Some(sampler));
        let mut fixed = HeaderControl::new().with_pixel_null_mask(sample.pixel_null_mask);
        if sample.kind != SampleKind::Gather {
            fixed.set_disabled_channels(disabled(ChannelMask(sample.channels & 15)));
        } else if !operation.row().has(Parameter::Ref) {
            // A gather that compares has one channel (volume 7, "Gather4 Source Channel Select").
            fixed.set_gather_channel(sample.channels & 3);
        }
        match sample.aoffimmi.immediate() {
            Some(offsets) => {
                self.set_dword(header, 2, Src::ud(fixed.with_offsets(low_u32(offsets)).into_bits()));
            }
            None => {
                let offsets = self.scalar_src(sample.aoffimmi)?;
                let dst = Dst::packed(header.plus(8), Type::Ud);
                let fixed = Src::ud(fixed.into_bits());
                self.emit(build::op(Op::Or, Lanes::SCALAR, dst, &[offsets, fixed]));
            }
        }
        if let Sampler::Bindless(reg) = sampler {
            self.set_dword(header, 3, Src::scalar(*reg, Type::Ud));
        }
        Ok(PayloadPart { reg: header, len: 1 })
    }

    /// A header without what is in it for one message. A bit says whether the sampler is bindless.
    fn plain_sampler_header(&mut self, sampler: Option<&Sampler>) -> VReg {
        let header = self.copy_of_r0();
        if self.caps.sampler.bindless && !matches!(sampler, Some(Sampler::Bindless(_))) {
            let word = header.plus(12);
            let from = Src::scalar(word, Type::Uw);
            let srcs = [from, Src::uw(0xfffe)];
            self.emit(build::op(Op::And, Lanes::SCALAR, Dst::packed(word, Type::Uw), &srcs));
        }
        header
    }

    /// The sampler's and the surface's index, whatever of them is only known at run time.
    pub(super) fn sampler_descriptor(
        &mut self,
        control: sampler::Sample,
        surface: &Surface,
        sampler: &Sampler,
    ) -> Lowered<SamplerDesc> {
        let mut known = control;
        let mut registers = [None; 2];
        match surface {
            Surface::Index(index) | Surface::Bindless(index, _) => known.set_surface(*index),
            Surface::Register(reg) => registers[0] = Some((*reg, 0)),
        }
        match sampler {
            Sampler::Index(index) => known.set_sampler_index(*index),
            Sampler::Register(reg) => registers[1] = Some((*reg, 8)),
            Sampler::None | Sampler::Bindless(_) => {}
        }
        Ok(SamplerDesc { known: known.into(), registers, surface: Some(*surface), ex_bits: 0 })
    }

    pub(super) fn send_with(
        &mut self,
        lanes: Lanes,
        message: Message,
        dst: VReg,
        parts: &[PayloadPart],
        desc: SamplerDesc,
    ) -> Lowered {
        let saved = std::mem::replace(&mut self.lanes, lanes);
        let sent = self.send_described(message, dst, parts, |lowerer, known, ex_desc| {
            let operand = lowerer.late_descriptor(known, desc);
            let ex_desc = ExtendedDescriptor::from_bits(ex_desc.into_bits() | desc.ex_bits);
            (operand, lowerer.extended_descriptor(ex_desc, message.sfid, desc.surface))
        });
        self.lanes = saved;
        sent
    }

    /// The descriptor with indices that are only known at run time added in an address register.
    fn late_descriptor(&mut self, known: Descriptor, desc: SamplerDesc) -> Desc<Virtual> {
        if desc.registers == [None; 2] {
            return Desc::Imm(known);
        }
        let a0 = self.address_dword();
        let to = Dst::packed(a0, Type::Ud);
        let mut sum = Src::ud(known.into_bits());
        for (reg, shift) in desc.registers.into_iter().flatten() {
            let mut value = Src::scalar(reg, Type::Ud);
            if shift > 0 {
                let shifted = self.temp(1, 4);
                let dst = Dst::packed(shifted, Type::Ud);
                self.emit(build::op(Op::Shl, Lanes::SCALAR, dst, &[value, Src::uw(shift)]));
                value = Src::scalar(shifted, Type::Ud);
            }
            let srcs = if sum.is_imm() { [value, sum] } else { [sum, value] };
            self.emit(build::op(Op::Add, Lanes::SCALAR, to, &srcs));
            sum = Src::scalar(a0, Type::Ud);
        }
        Desc::Reg(a0)
    }

    /// `resinfo`, `sampleinfo`.
    pub(crate) fn sampler_info(&mut self, op: &Visa<'_>) -> Lowered {
        self.needs(self.caps.sampler.exists, Feature::Sampler)?;
        let data = self.lane_data(op)?;
        let Visa::Info3d { op, channels, surface, lod, .. } = *op else {
            unreachable!("{op:?} is no query");
        };
        let lanes = self.message_lanes();
        // Without a header all channels come, or the first ones where the response's length may say so.
        let first_channels = self.caps.sampler.short_responses && matches!(channels.0, 1 | 3 | 7);
        let forced = self.caps.sampler.header;
        let Some(query) = message_of(op).filter(|query| query.row().form == Request::Query) else {
            return Err(Unsupported::NotQuery(op).into());
        };
        let header = if query.row().has(Parameter::Lod) {
            channels != ChannelMask::RGBA && (forced || !first_channels)
        } else {
            forced || channels.0 != 1 || !first_channels
        };
        let mut parts = Parts::new();
        if header {
            let reg = self.plain_sampler_header(None);
            let control = HeaderControl::new().with_disabled_channels(disabled(channels));
            self.set_dword(reg, 2, Src::ud(control.into_bits()));
            parts.push(PayloadPart { reg, len: 1 });
        }
        match lod {
            Some(lod) => parts.push(self.part_or_zeros(lod, lanes * 4)?),
            None if parts.is_empty() => {
                let reg = self.zero_register();
                parts.push(PayloadPart { reg, len: 1 });
            }
            None => {}
        }
        let desc = sampler::Sample::to(query).with_simd_mode(Some(self.simd_mode(lanes)));
        let surface = self.surface(surface)?;
        let response = data.bytes.div_ceil(self.grf());
        let message = Message { sfid: Sfid::Sampler, desc: desc.into(), header, response };
        self.send_for_lanes(message, data, &parts, Some(surface))
    }
}

/// A descriptor and what must be added to it, shifted left.
#[derive(Clone, Copy)]
pub(super) struct SamplerDesc {
    pub known: Descriptor,
    registers: [Option<(VReg, u16)>; 2],
    surface: Option<Surface>,
    /// What the extended descriptor says besides.
    ex_bits: u32,
}
