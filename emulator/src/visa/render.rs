//! `rt_write_3d`: render targets are black boxes, and each pixel that is written is a question of its own.

use super::{context::VisaCx, operand::each, thread::VisaThread};
use crate::{
    opaque::{Pixel, Question},
    report::SendKind,
    thread::Trap,
};
use messages::render::TargetHeader;
use narrow::{low_u32, to_index};
use visa::{Inst, RawOperand, op::RtWrite};

/// Mode bits: last write, per sample, coarse, null target.
const MODES: [u16; 4] = [7, 9, 10, 12];

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
    let half = t.unit().kernel.var_type(write.color[0].var).is_some_and(|ty| ty.bytes() == 2);
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
    let bytes = if half { 2 } else { 4 };
    let [red, green, blue, alpha] = write.color.map(Some);
    let operands: [(Option<RawOperand>, u32); 8] = [
        (write.alpha0, bytes),
        (write.output_mask, 2),
        (red, bytes),
        (green, bytes),
        (blue, bytes),
        (alpha, bytes),
        (write.depth, 4),
        (write.stencil, 1),
    ];
    let mode = |bit: u16| write.mode >> bit & 1 != 0;
    let [last, per_sample, coarse, null] = MODES.map(mode);
    for i in each(on) {
        let lane = to_index(i);
        let mut values = [None; 8];
        for (value, (operand, bytes)) in values.iter_mut().zip(operands) {
            if let Some(operand) = operand {
                *value = Some(cx.address(t, operand, lane * bytes, bytes)?);
            }
        }
        let null = null && caps.sends.null_target;
        let slot = inst.exec.first_lane() / 16 * 16 + lane;
        let modes = [last, per_sample, coarse, null, half];
        let pixel = Pixel { surface, target, slot, modes, values };
        cx.asked.push(Question::pixel(&pixel).number());
    }
    Ok(SendKind::Store)
}
