//! Render targets as black boxes: each pixel that is written is a question of its own (volume 7, "Render Target Write").

use super::mail::Mail;
use crate::{
    opaque::{Pixel, Question},
    report::SendKind,
    thread::Trap,
};
use gen_ir::Sfid;
use messages::{
    SurfaceIndex,
    render::{RenderMessageType, RenderTarget, TargetControl, TargetHeader},
};
use narrow::low_u32;

/// Registers of a header.
const HEADER: u32 = 2;

/// A write of eight or sixteen pixels.
pub(super) fn run(mail: &mut Mail<'_, '_>) -> Result<SendKind, Trap> {
    if !mail.cx.opaque.contains(&Sfid::Render) {
        return Err("messages to render targets are not modelled".into());
    }
    let message: RenderTarget = mail.as_kind();
    let lanes = match (message.message_type(), message.subtype()) {
        (Some(RenderMessageType::RenderTargetWrite), 0) => 16,
        (Some(RenderMessageType::RenderTargetWrite), 4) => 8,
        _ => return Err("this message to a render target is not modelled".into()),
    };
    // That of a bindless surface names its state.
    let control = match message.surface() {
        SurfaceIndex::BINDLESS => TargetControl::new(),
        _ => TargetControl::from_bits(mail.ex_desc.extended_function_control()),
    };
    let bytes = if message.half_precision() { 2 } else { 4 };
    let (wide, colors) = (mail.regs(lanes, 4), mail.regs(lanes, bytes));
    let mut on = mail.on;
    let mut target = u32::from(control.target());
    let (header, mut at) = if mail.header() == 0 {
        // Without a header the length says whether there is depth.
        (TargetHeader::new().with_depth_present(mail.len() > 4 * colors), 0)
    } else {
        on &= low_u32(mail.address(mail.grf + 2 * TargetHeader::PIXEL_MASK_WORD, 2)?);
        target = low_u32(mail.address(4 * TargetHeader::TARGET_DWORD, 4)?) & 7;
        (TargetHeader::from_bits(low_u32(mail.address(0, 4)?)), HEADER)
    };
    let surface = mail.surface(mail.place(message.surface()))?.base;
    let first = if message.slot_group_high() { 16 } else { 0 };
    // Where each value stands, and how far its channels are apart.
    let mut take = |present: bool, registers: u32, bytes: u32| {
        let place = present.then_some((at * mail.grf, bytes));
        at += if present { registers } else { 0 };
        place
    };
    let places = [
        take(header.alpha_present(), colors, bytes),
        take(header.mask_present(), 1, 2),
        take(true, colors, bytes),
        take(true, colors, bytes),
        take(true, colors, bytes),
        take(true, colors, bytes),
        take(header.depth_present(), wide, 4),
        take(header.stencil_present(), 1, 1),
    ];
    mail.expect(at, 0);
    for lane in (0..lanes).filter(|lane| on >> lane & 1 != 0) {
        let mut values = [None; 8];
        for (value, place) in values.iter_mut().zip(places) {
            if let Some((start, bytes)) = place {
                *value = Some(mail.address(start + lane * bytes, bytes)?);
            }
        }
        let pixel = Pixel {
            surface,
            target,
            slot: first + lane,
            modes: [
                message.last_render_target(),
                message.per_sample(),
                message.per_coarse_pixel(),
                control.null_target(),
                message.half_precision(),
            ],
            values,
        };
        mail.cx.asked.push(Question::pixel(&pixel).number());
    }
    Ok(SendKind::Store)
}
