//! What shaders of the 3D pipeline write: render targets, and the unified return buffer.

use gen_ir::{Desc, Dst, ExDesc, ExecSize, Op, Pred, PredCtrl, Sfid, Src, Type};
use messages::{
    ExtendedDescriptor,
    render::{RenderMessageType, RenderTarget, TargetControl, TargetHeader, WriteSubtype},
    urb::{Urb, UrbOpcode},
};
use narrow::low_u8;
use visa::{
    Op as Visa, VectorOperand,
    op::{Holds, RtWrite},
};

use super::{Message, Parts, PayloadPart, Surface};
use crate::{
    build::{self, Lanes, VReg, VSrc},
    lower::{Feature, Lowered, Lowerer, Unsupported},
};

/// Which of several render targets a write is for.
#[derive(Clone, Copy)]
enum Target<'a> {
    First,
    Known(u8),
    Computed(&'a VectorOperand),
}

impl<'a> Target<'a> {
    fn of(operand: Option<&'a VectorOperand>) -> Target<'a> {
        match operand.map(|o| (o, o.immediate())) {
            None | Some((_, Some(0))) => Target::First,
            Some((_, Some(index))) => Target::Known(low_u8(index) & 7),
            Some((operand, None)) => Target::Computed(operand),
        }
    }
}

/// What a channel of a render target write has of each lane.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Color {
    Half,
    Float,
}

impl Color {
    const fn bytes(self) -> u32 {
        match self {
            Color::Half => 2,
            Color::Float => 4,
        }
    }
}

impl Lowerer<'_> {
    /// `rt_write_3d`: a header of two registers where something has to be in it, then alpha of source 0, output mask, the
    /// colors, depth and stencil (Intel, `translateVISARTWrite3DInst`). Messages have sixteen channels at most; of more,
    /// Intel's finalizer writes one message for the lower ones, whose payload is laid out as if there were no others.
    pub(super) fn render_target_write(&mut self, write: &RtWrite<'_>) -> Lowered {
        self.needs(self.caps.draws(), Feature::Pipeline3d)?;
        let half = self.visa.payload_element_bytes(write.color[0]) == 2;
        let color = if half { Color::Half } else { Color::Float };
        if self.lanes.exec.lanes() <= 16 {
            return self.render_target_group(write, color);
        }
        self.guards_by_lane();
        let (whole, pred) = (self.lanes, self.pred);
        for chan in [0, 16] {
            self.lanes = Lanes { exec: ExecSize::S16, chan: whole.chan + chan, ..whole };
            self.pred = pred;
            let staged = self.staged.len();
            let part = self.lanes_of_write(write, color, chan.into());
            let done = part.and_then(|part| self.render_target_group(&part, color));
            self.staged.truncate(staged);
            done?;
        }
        self.lanes = whole;
        Ok(())
    }

    /// The part of a write that is about the lanes from `first` on.
    fn lanes_of_write<'a>(&mut self, write: &RtWrite<'a>, color: Color, first: u32) -> Lowered<RtWrite<'a>> {
        let mut part = Visa::RtWrite(*write);
        part.payloads_mut(&mut |operand, payload| {
            if let Holds::Lanes(of_lane) = payload.holds.of_elements(color.bytes())
                && !operand.is_null()
            {
                let whole = self.raw(*operand)?;
                *operand = self.stage(whole.plus(first * of_lane.stride));
            }
            Lowered::Ok(())
        })?;
        match part {
            Visa::RtWrite(part) => Ok(part),
            _ => unreachable!("{part:?} is a write of the same kind"),
        }
    }

    /// What lanes write, in the order of the payload and of the instruction's fields: alpha of source 0, output mask, the
    /// colors, depth and stencil.
    fn render_target_values(&mut self, write: &RtWrite<'_>, color: Color, parts: &mut Parts) -> Lowered {
        // Fewer channels than eight are eight, and leave the rest unused.
        let (lanes, grf) = (self.lanes.exec.lanes().max(8), self.grf());
        Visa::RtWrite(*write).payloads_mut(&mut |operand, payload| {
            if let holds @ Holds::Lanes(_) = payload.holds.of_elements(color.bytes())
                && let Some(bytes) = holds.total(lanes, grf)
            {
                parts.push(self.part(*operand, bytes)?);
            }
            Ok(())
        })
    }

    /// A write of up to sixteen channels, the lower or the upper ones of a thread's slots. The last target is marked in
    /// either, for each group of slots waits for its own (Mesa, `brw_lower_logical_sends`, lowers both halves of a write
    /// from one instruction, with its `last_rt` and their `group`).
    fn render_target_group(&mut self, write: &RtWrite<'_>, color: Color) -> Lowered {
        let lanes = self.lanes.exec.lanes();
        if write.counter.is_some() && !self.caps.sends.extended_in_register() {
            return Err(Unsupported::ExtendedDescriptor { coarse_pixels: true }.into());
        }
        let target = Target::of(write.target);
        let surface = self.surface(write.surface)?;
        // The extended descriptor names the state of a bindless surface, and has no room for anything else. (Intel's finalizer has no
        // bindless targets; its decoder, iga, and Mesa have a missing target in bit 20 of that descriptor alone.)
        let bindless = matches!(surface, Surface::Bindless(..));
        let null = write.mode.null_target() && self.caps.sends.null_target;
        if bindless && write.counter.is_some() {
            return Err(Unsupported::BindlessCoarsePixels.into());
        }
        if bindless && null {
            return Err(Unsupported::BindlessNullTarget.into());
        }
        let header = write.alpha0.is_some()
            || write.sample_index.is_some()
            || matches!(target, Target::Computed(_))
            || matches!(target, Target::Known(_)) && (bindless || !self.caps.sends.target_in_descriptor);
        let mut parts = Parts::new();
        if header {
            parts.push(self.render_target_header(write, target)?);
        }
        self.render_target_values(write, color, &mut parts)?;
        let desc = RenderTarget::new()
            .with_message_type(Some(RenderMessageType::RenderTargetWrite))
            .with_write_subtype(if lanes == 16 { WriteSubtype::Wide } else { WriteSubtype::Narrow })
            .with_slot_group_high(self.lanes.chan >= 16)
            .with_last_render_target(write.mode.last_write())
            .with_per_sample(write.mode.per_sample())
            .with_per_coarse_pixel(write.mode.coarse())
            .with_half_precision(color == Color::Half);
        let counter = write.counter.map(|c| self.scalar_src(c)).transpose()?;
        let index = match target {
            Target::Known(index) if !header => index,
            _ => 0,
        };
        let control = TargetControl::new().with_target(index).with_null_target(null).into_bits();
        let message = Message { sfid: Sfid::Render, desc: desc.into(), header, response: 0 };
        self.send_described(message, VReg::NULL, &parts, |lowerer, desc, ex_desc| {
            let desc = lowerer.descriptor(desc, Some(surface));
            let ex_desc = match bindless {
                true => lowerer.extended_descriptor(ex_desc, Sfid::Render, Some(surface)),
                false => lowerer.render_target_descriptor(ex_desc, control, counter),
            };
            (desc, ex_desc)
        })?;
        // Pixels are written in the order of their primitives: the message waits for the threads before this one.
        if let Some(send) = self.block_insts().last_mut() {
            send.op = send.op.conditional();
        }
        Ok(())
    }

    /// The extended descriptor: in a register, where the word has no room for it or it counts pixels.
    fn render_target_descriptor(
        &mut self,
        ex_desc: ExtendedDescriptor,
        control: u32,
        counter: Option<VSrc>,
    ) -> ExDesc<gen_ir::Virtual> {
        let with_function = self.caps.sends.function_in_descriptor;
        let ex_desc = ex_desc.with_extended_function_control(control);
        if counter.is_none() && (control == 0 || !with_function) {
            return Desc::Imm(ex_desc);
        }
        let function = if with_function { Sfid::Render.number() } else { 0 };
        let ex_desc = ex_desc.with_target_function(function);
        let bits = Src::ud(ex_desc.into_bits());
        let a0 = self.address_dword();
        let to = Dst::packed(a0, Type::Ud);
        self.emit(match counter {
            Some(counter) => build::op(Op::Or, Lanes::SCALAR, to, &[counter, bits]),
            None => build::mov(Lanes::SCALAR, to, bits),
        });
        Desc::Reg(a0)
    }

    /// The header: the thread's first register, then what the instruction names.
    fn render_target_header(&mut self, write: &RtWrite<'_>, target: Target<'_>) -> Lowered<PayloadPart> {
        let (header, grf) = (self.payload(2), self.grf());
        let second = header.plus(grf);
        let r0 = self.copy_of_r0();
        self.copy_bytes(header, r0, grf);
        if write.header.is_null() {
            let all = Lanes::all(self.register_lanes());
            self.emit(build::mov(all, Dst::packed(second, Type::Ud), Src::ud(0)));
        } else {
            let given = self.part(write.header, grf)?;
            self.copy_bytes(second, given.reg, grf);
        }
        let first = Src::scalar(header, Type::Ud);
        let word = Dst::packed(header, Type::Ud);
        if let Some(index) = write.sample_index {
            let index = self.scalar_src(index)?;
            if index.ty().is_some_and(Type::is_float) {
                return Err(Unsupported::NoInteger("sample index").into());
            }
            let sample = self.payload(1);
            let to = Dst::packed(sample, Type::Ud);
            self.emit(build::op(Op::Shl, Lanes::SCALAR, to, &[index, Src::uw(TargetHeader::SAMPLE_SHIFT)]));
            self.emit(build::op(Op::Or, Lanes::SCALAR, word, &[first, Src::scalar(sample, Type::Ud)]));
        }
        let present = TargetHeader::new()
            .with_alpha_present(write.alpha0.is_some())
            .with_mask_present(write.output_mask.is_some())
            .with_depth_present(write.depth.is_some())
            .with_stencil_present(write.stencil.is_some());
        if present.into_bits() != 0 {
            self.emit(build::op(Op::Or, Lanes::SCALAR, word, &[first, Src::ud(present.into_bits())]));
        }
        match target {
            Target::First => {}
            Target::Known(index) => self.set_dword(header, TargetHeader::TARGET_DWORD, Src::ud(index.into())),
            Target::Computed(index) => {
                let index = self.scalar_src(index)?;
                self.set_dword(header, TargetHeader::TARGET_DWORD, index);
            }
        }
        self.pixel_mask(second);
        Ok(PayloadPart { reg: header, len: 2 })
    }

    /// Where there is a header, it says which pixels a guard leaves.
    fn pixel_mask(&mut self, second: VReg) {
        let Some(Pred { flag, inv, ctrl: PredCtrl::Seq }) = self.pred else { return };
        self.pred = None;
        let chosen = Src::scalar(flag.plus(u32::from(self.lanes.chan) / 16 * 2), Type::Uw);
        let to = Dst::packed(second.plus(2 * TargetHeader::PIXEL_MASK_WORD), Type::Uw);
        let op = if inv { Op::Not } else { Op::Mov };
        self.emit(build::op(op, Lanes::SCALAR, to, &[chosen]));
    }

    /// `urb_write_3d`: handles, offsets, mask, then a register for each output. The mask stands in the upper half of a
    /// dword (volume 7, "URB", "SIMD8 URB Write").
    pub(super) fn urb_write(&mut self, op: &Visa<'_>) -> Lowered {
        let Visa::UrbWrite { outputs, mask, global_offset, handle, per_slot_offset, data } = *op else {
            unreachable!("{op:?} is not a URB write");
        };
        self.needs(self.caps.draws(), Feature::Pipeline3d)?;
        // Fewer channels leave the rest of the registers unused.
        let lanes = self.lanes.exec.lanes();
        if lanes > 8 {
            return Err(Unsupported::UrbLanes(lanes).into());
        }
        if global_offset >= 1 << 11 {
            let (field, found) = ("global offset", global_offset.into());
            return Err(Unsupported::Above { field, found, allowed: 2047 }.into());
        }
        let grf = self.grf();
        let mut parts: Parts = Parts::new();
        parts.push(self.part(handle, grf)?);
        if !per_slot_offset.is_null() {
            parts.push(self.part(per_slot_offset, grf)?);
        }
        if !mask.is_null() {
            let from = Src::new(self.part(mask, grf)?.reg, build::strided(1, ExecSize::S8), Type::Ud);
            let shifted = self.payload(1);
            let to = Dst::packed(shifted, Type::Ud);
            let eight = if lanes < 8 { Lanes::all(ExecSize::S8) } else { self.lanes };
            self.emit(build::op(Op::Shl, eight, to, &[from, Src::uw(16)]));
            parts.push(PayloadPart { reg: shifted, len: 1 });
        }
        if !data.is_null() && outputs > 0 {
            parts.push(self.part(data, u32::from(outputs) * grf)?);
        }
        let desc = Urb::new()
            .with_opcode(Some(UrbOpcode::WriteSimd8))
            .with_global_offset(global_offset)
            .with_channel_mask_present(!mask.is_null())
            .with_per_slot_offset(!per_slot_offset.is_null());
        let message = Message { sfid: Sfid::Urb, desc: desc.into(), header: true, response: 0 };
        self.send(message, VReg::NULL, &parts, None)
    }
}
