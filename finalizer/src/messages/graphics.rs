//! What shaders of the 3D pipeline write: render targets, and the unified return buffer.

use gen_ir::{Dst, Op, Sfid, Src, Type};
use messages::{
    render::{RenderMessageType, RenderTarget},
    urb::{Urb, UrbOpcode},
};
use visa::{RawOperand, op::RtWrite};

use super::{Message, Parts, PayloadPart};
use crate::{
    build::{self, Lanes, VReg},
    lower::{Lowered, Lowerer},
};

/// Message subtypes of a write from one source: sixteen channels, and eight, which are the lower ones (volume 7,
/// "Render Target Write", "Message Sub-type").
const SIMD16: u8 = 0;
const SIMD8: u8 = 4;
/// Dword 0 of the header: the payload has the alpha of source 0.
const ALPHA_PRESENT: u32 = 1 << 11;
/// Mode bits of `rt_write_3d`.
const LAST: u16 = 1 << 7;
const PER_SAMPLE: u16 = 1 << 9;
const COARSE: u16 = 1 << 10;
const NULL_TARGET: u16 = 1 << 12;

impl Lowerer<'_> {
    /// Compute parts have neither sampler nor 3D pipeline.
    fn need_graphics(&self) -> Lowered {
        self.need_sampler().map_err(|_| format!("{} has no 3D pipeline", self.caps.name).into())
    }

    /// `rt_write_3d`: a header of two registers where something is in it, then alpha of source 0, output mask, the
    /// colors, depth and stencil.
    pub(super) fn render_target_write(&mut self, write: &RtWrite<'_>) -> Lowered {
        self.need_graphics()?;
        let lanes = self.lanes.exec.lanes();
        if lanes > 16 || write.mode & NULL_TARGET != 0 {
            return Err("a render target write of 32 channels, or to no target, does not exist here".into());
        }
        if write.sample_index.is_some() || write.counter.is_some() {
            return Err("sample indices and pixel counters of render target writes are not lowered".into());
        }
        let half = self.visa.var_type(write.color[0].var).is_some_and(|t| t.bytes() == 2);
        let bytes = lanes.max(8) * if half { 2 } else { 4 };
        let mut parts: Parts = self.render_target_header(write)?.into_iter().collect();
        let header = !parts.is_empty();
        if let Some(alpha) = write.alpha0 {
            parts.push(self.part(alpha, bytes)?);
        }
        if let Some(mask) = write.output_mask {
            parts.push(self.part(mask, lanes * 2)?);
        }
        for color in write.color {
            parts.push(self.part(color, bytes)?);
        }
        if let Some(depth) = write.depth {
            parts.push(self.part(depth, lanes.max(8) * 4)?);
        }
        if let Some(stencil) = write.stencil {
            parts.push(self.part(stencil, self.grf())?);
        }
        let desc = RenderTarget::new()
            .with_message_type(Some(RenderMessageType::RenderTargetWrite))
            .with_subtype(if lanes == 16 { SIMD16 } else { SIMD8 })
            .with_slot_group_high(self.lanes.chan >= 16)
            .with_last_render_target(write.mode & LAST != 0)
            .with_per_sample(write.mode & PER_SAMPLE != 0)
            .with_per_coarse_pixel(write.mode & COARSE != 0)
            .with_half_precision(half);
        let surface = self.surface(write.surface)?;
        self.note_write(Some(surface));
        let message = Message { sfid: Sfid::Render, desc: desc.into(), header, response: 0 };
        self.send(message, VReg::NULL, &parts, Some(surface))?;
        // Pixels are written in the order of their primitives: the message waits for the threads before this one.
        if let Some(send) = self.block_insts().last_mut() {
            send.op = if send.op == Op::Sends { Op::Sendsc } else { Op::Sendc };
        }
        Ok(())
    }

    /// The header, if there has to be one: what the instruction names, or the thread's first register.
    fn render_target_header(&mut self, write: &RtWrite<'_>) -> Lowered<Option<PayloadPart>> {
        if write.header.is_null() && write.alpha0.is_none() && write.target.is_none() {
            return Ok(None);
        }
        let header = self.payload(2);
        let given = if write.header.is_null() {
            let r0 = self.copy_of_r0();
            let second = Dst::packed(header.plus(self.grf()), Type::Ud);
            self.emit(build::mov(Lanes::all(self.register_lanes()), second, Src::ud(0)));
            PayloadPart { reg: r0, len: 1 }
        } else {
            self.part(write.header, 2 * self.grf())?
        };
        self.copy_bytes(header, given.reg, given.len * self.grf());
        if write.alpha0.is_some() {
            let word = Dst::packed(header, Type::Ud);
            let srcs = [Src::scalar(header, Type::Ud), Src::ud(ALPHA_PRESENT)];
            self.emit(build::op(Op::Or, Lanes::SCALAR, word, &srcs));
        }
        if let Some(target) = write.target {
            let index = self.scalar_src(target)?;
            self.set_dword(header, 2, index);
        }
        Ok(Some(PayloadPart { reg: header, len: 2 }))
    }

    /// `urb_write_3d`: handles, offsets, mask, then a register for each output. The mask stands in the upper half of a
    /// dword (volume 7, "URB", "SIMD8 URB Write").
    pub(super) fn urb_write(
        &mut self,
        outputs: u8,
        global_offset: u16,
        [mask, handle, per_slot_offset, data]: [RawOperand; 4],
    ) -> Lowered {
        self.need_graphics()?;
        let lanes = self.lanes.exec.lanes();
        if lanes != 8 {
            return Err(format!("a URB write of {lanes} channels does not exist").into());
        }
        if global_offset >= 1 << 11 {
            return Err(format!("global offset {global_offset} is above 2047").into());
        }
        let grf = self.grf();
        let mut parts: Parts = Parts::new();
        parts.push(self.part(handle, grf)?);
        if !per_slot_offset.is_null() {
            parts.push(self.part(per_slot_offset, grf)?);
        }
        if !mask.is_null() {
            let from = Src::new(self.part(mask, grf)?.reg, build::strided(1, self.lanes.exec), Type::Ud);
            let shifted = self.payload(1);
            let to = Dst::packed(shifted, Type::Ud);
            self.emit(build::op(Op::Shl, self.lanes, to, &[from, Src::uw(16)]));
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
        self.note_write(None);
        let message = Message { sfid: Sfid::Urb, desc: desc.into(), header: true, response: 0 };
        self.send(message, VReg::NULL, &parts, None)
    }
}
