//! Messages to the gateway, the render cache, the thread spawner, the URB and the ray tracing units.

use super::{Addressing, Data, Kind, Message, Query, Surface};
use messages::{
    ExtendedDescriptor,
    gateway::{Gateway, SubFunction},
    ray::RayTracing,
    render::{RenderMessageType, RenderTarget, WriteSubtype},
    spawner::{self, ThreadSpawn},
    urb::{Urb, UrbOpcode},
};

/// The message gateway.
pub(super) fn gateway(q: &Query) -> Message {
    let gateway = q.as_kind::<Gateway>();
    // The older reference knows three bits of the number.
    let function = if q.newer() { gateway.sub_function() } else { gateway.narrow_sub_function() };
    let Some(function) = function else { return q.invalid() };
    let description = match function {
        SubFunction::EndOfThread => "end of thread",
        SubFunction::SignalEvent => "signal event",
        SubFunction::MonitorEvent => "monitor event",
        SubFunction::UnmonitorEvent => "unmonitor event",
        SubFunction::SignalBarrier => "signal barrier",
        SubFunction::WaitForEvent => "wait for event",
        SubFunction::SaveBarrier => "save barrier",
        SubFunction::RestoreBarrier => "restore barrier",
        SubFunction::EndOfThreadReplay => "end of thread replay",
        SubFunction::RestoreStack => "restore stack",
        SubFunction::SystemRoutineBarrier => "system routine barrier",
    };
    let valid = function != SubFunction::EndOfThread || q.caps.thread.eot_gateway;
    Message { description: description.into(), addressing: Addressing::None, lanes: 1, valid, ..q.empty() }
}

/// The render cache.
pub(super) fn render(q: &Query) -> Message {
    let target = q.as_kind::<RenderTarget>();
    let write = target.message_type() == Some(RenderMessageType::RenderTargetWrite);
    let mut text = String::from(if target.half_precision() { "half-precision " } else { "full-precision " });
    text.push_str(match target.message_type() {
        Some(RenderMessageType::RenderTargetWrite) => "render target write",
        Some(RenderMessageType::RenderTargetRead) => "render target read",
        None => "unknown render target op",
    });
    let full = q.full_lanes();
    let (mode, lanes) = match (target.message_type(), target.subtype()) {
        (None, _) => (String::new(), 0),
        (Some(RenderMessageType::RenderTargetWrite), _) => match target.write_subtype() {
            Some(WriteSubtype::Wide) => (format!(" SIMD{full}"), full),
            Some(WriteSubtype::Replicated) => (format!(" replicated SIMD{full}"), full),
            Some(WriteSubtype::LowOfTwoSources) => (format!(" of low SIMD{}", full / 2), full / 2),
            Some(WriteSubtype::HighOfTwoSources) => (format!(" of high SIMD{}", full / 2), full / 2),
            Some(WriteSubtype::Narrow) => (format!(" SIMD{}", full / 2), full / 2),
            None => ("unknown write subop".into(), 0),
        },
        (Some(RenderMessageType::RenderTargetRead), 0) => (format!(" SIMD{full}"), full),
        (Some(RenderMessageType::RenderTargetRead), 1) => (format!(" SIMD{}", full / 2), full / 2),
        (Some(RenderMessageType::RenderTargetRead), _) => ("unknown read subop".into(), 0),
    };
    text.push_str(&mode);
    if write && target.per_coarse_pixel() {
        text.push_str(" with Per-Coarse Pixel PS outputs enable");
    }
    if target.per_sample() {
        text.push_str(" with Per-Sample Pixel PS outputs enable");
    }
    if write && target.last_render_target() {
        text.push_str("; last render target");
    }
    if target.slot_group_high() {
        text.push_str(" slot group high");
    }
    let surface = target.surface().0.into();
    text.push_str(&format!(" to surface {surface}"));
    Message { description: text, surface: Surface::Imm(surface), lanes, valid: lanes != 0, ..q.empty() }
}

/// The thread spawner.
pub(super) fn spawner(q: &Query) -> Message {
    let spawn = q.as_kind::<ThreadSpawn>();
    if spawn.opcode() != Some(spawner::SpawnerOpcode::DereferenceResource)
        || spawn.child()
        || spawn.reserved()
    {
        return q.invalid();
    }
    Message { description: "end of thread".into(), lanes: 1, ..q.empty() }
}

/// The unified return buffer.
pub(super) fn urb(q: &Query) -> Message {
    let urb = q.as_kind::<Urb>();
    let slots = if urb.per_slot_offset() { " with per-slot offset enabled" } else { "" };
    let (lanes, offset) = (q.full_lanes() / 2, 8 * u32::from(urb.global_offset()));
    let (description, offset, lanes, data) = match urb.opcode() {
        Some(UrbOpcode::WriteSimd8) => {
            let masked = if urb.channel_mask_present() { "masked " } else { "" };
            let length = |desc: ExtendedDescriptor| desc.extended_length().registers().max(1);
            let data = Data::new(Kind::Store, 32, q.ex_desc.map_or(1, length).into());
            (format!("urb dword {masked}write{slots}"), offset, lanes, data)
        }
        Some(UrbOpcode::ReadSimd8) => {
            let data = Data::new(Kind::Load, 32, q.desc.response_length().registers().into());
            (format!("urb dword read{slots}"), offset, lanes, data)
        }
        Some(UrbOpcode::Fence) => ("urb fence".into(), 0, 1, Data::NONE),
        None => return q.invalid(),
    };
    Message { description, offset, addr_bits: 32, lanes, data, ..q.empty() }
}

/// The ray tracing accelerator.
pub(super) fn ray_tracing(q: &Query) -> Message {
    let ray = q.as_kind::<RayTracing>();
    if ray.message_type() != 0 {
        return q.invalid();
    }
    let lanes = if ray.simd16() { 16 } else { 8 };
    Message { description: format!("simd{lanes} trace ray"), lanes, addr_bits: 64, ..q.empty() }
}

/// The bindless thread dispatcher.
pub(super) fn thread_dispatch(q: &Query) -> Message {
    let ray = q.as_kind::<RayTracing>();
    let lanes = if ray.simd16() { 16 } else { 8 };
    let over = match ray.message_type() {
        1 => "",
        2 if q.newer() => " overdispatched",
        _ => return q.invalid(),
    };
    let valid = (lanes == 16 || q.caps.regs.native_lanes() == 8) && q.lanes == 16;
    Message { description: format!("bindless simd{lanes} spawn thread{over}"), lanes, valid, ..q.empty() }
}
