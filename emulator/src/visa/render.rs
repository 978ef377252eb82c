//! `rt_write_3d`: render targets are black boxes, and each pixel that is written is a question of its own.

use super::{context::VisaCx, operand::each, thread::VisaThread};
use crate::{
    opaque::{Pixel, Question},
    report::SendKind,
    thread::Trap,
};
use messages::render::TargetHeader;
use narrow::{low_u32, to_index};
use visa::{Inst, op::RtWrite};

pub(super) fn write(
    t: &mut VisaThread<'_>,
    cx: &mut VisaCx<'_>,
    inst: &Inst<'_>,
    write: &RtWrite<'_>,
) -> Result<SendKind, Trap> {
    if write.sample_index.is_some() || write.counter.is_some() {
        return Err("a write of this form is not modelled".into());
    }
    let place = t.place_of(write.surface)?;
    let surface = cx.surface(place)?.base;
    let half = t.unit().kernel.payload_element_bytes(write.color[0]) == 2;
    let target = match write.target {
        Some(index) => low_u32(cx.scalar_address(t, index)?) & 7,
        None => 0,
    };
    let caps = t.program.platform.caps();
    // Some things need a header, which says what pixels are written; a guard says so in its place.
    let bindless = write.surface.bindless_bti().is_some();
    let index_known = write.target.is_none_or(|index| index.immediate().is_some());
    let header = write.alpha0.is_some()
        || !index_known
        || target != 0 && (bindless || !caps.sends.target_in_descriptor);
    let (mut on, _) = t.enabled(inst)?;
    if header && inst.pred.is_none() {
        let mask = match write.header.is_null() {
            true => 0,
            false => low_u32(cx.address(t, write.header, 2 * TargetHeader::PIXEL_MASK_WORD, 2)?),
        };
        on &= mask | mask << 16;
    }
    // What there is of these, lanes have in this order.
    let [red, green, blue, alpha] = write.color.map(Some);
    let mut held = t.lane_operands(inst).into_iter();
    let operands = [write.alpha0, write.output_mask, red, green, blue, alpha, write.depth, write.stencil]
        .map(|operand| operand.and_then(|_| held.next()));
    let mode = write.mode;
    let null = mode.null_target() && caps.sends.null_target;
    for i in each(on) {
        let lane = to_index(i);
        let mut values = [None; 8];
        for (value, held) in values.iter_mut().zip(operands) {
            if let Some(held) = held {
                *value = Some(cx.address(t, held.operand, held.at(0, lane), held.holds.bytes)?);
            }
        }
        let slot = inst.exec.first_lane() / 16 * 16 + lane;
        let modes = [mode.last_write(), mode.per_sample(), mode.coarse(), null, half];
        let pixel = Pixel { surface, target, slot, modes, values };
        cx.asked.push(Question::pixel(&pixel).number());
    }
    Ok(SendKind::Store)
}
