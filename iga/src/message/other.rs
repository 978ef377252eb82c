//! Messages to the gateway, the render cache, the thread spawner, the URB and the ray tracing units.

use super::{Addressing, Data, Kind, Message, Query, Surface};

/// The message gateway.
pub(super) fn gateway(q: &Query) -> Message {
    let number = q.bits(0, if q.newer() { 4 } else { 3 });
    let description = match number {
        0 => "end of thread",
        1 => "signal event",
        2 => "monitor event",
        3 => "unmonitor event",
        4 => "signal barrier",
        6 => "wait for event",
        8 => "save barrier",
        9 => "restore barrier",
        10 => "end of thread replay",
        11 => "restore stack",
        12 => "system routine barrier",
        _ => return q.invalid(),
    };
    let valid = number != 0 || q.caps.memory.lsc;
    Message { description: description.into(), addressing: Addressing::None, lanes: 1, valid, ..q.empty() }
}

/// The render cache.
pub(super) fn render(q: &Query) -> Message {
    const WRITE: u32 = 12;
    const READ: u32 = 13;
    let number = q.bits(14, 4);
    let mut text = String::from(if q.bit(30) { "half-precision " } else { "full-precision " });
    text.push_str(match number {
        WRITE => "render target write",
        READ => "render target read",
        _ => "unknown render target op",
    });
    let full = q.full_lanes();
    let sub = q.bits(8, 3);
    let (mode, lanes) = match (number, sub) {
        (WRITE | READ, 0) => (format!(" SIMD{full}"), full),
        (WRITE, 1) => (format!(" replicated SIMD{full}"), full),
        (WRITE, 2) => (format!(" of low SIMD{}", full / 2), full / 2),
        (WRITE, 3) => (format!(" of high SIMD{}", full / 2), full / 2),
        (WRITE, 4) | (READ, 1) => (format!(" SIMD{}", full / 2), full / 2),
        (WRITE, _) => ("unknown write subop".into(), 0),
        (READ, _) => ("unknown read subop".into(), 0),
        _ => (String::new(), 0),
    };
    text.push_str(&mode);
    if number == WRITE && q.bit(18) {
        text.push_str(" with Per-Coarse Pixel PS outputs enable");
    }
    if q.bit(13) {
        text.push_str(" with Per-Sample Pixel PS outputs enable");
    }
    if number == WRITE && q.bit(12) {
        text.push_str("; last render target");
    }
    if q.bit(11) {
        text.push_str(" slot group high");
    }
    let surface = q.bits(0, 8);
    text.push_str(&format!(" to surface {surface}"));
    Message { description: text, surface: Surface::Imm(surface), lanes, valid: lanes != 0, ..q.empty() }
}

/// The thread spawner.
pub(super) fn spawner(q: &Query) -> Message {
    if q.bits(0, 3) != 0 {
        return q.invalid();
    }
    Message { description: "end of thread".into(), lanes: 1, ..q.empty() }
}

/// The unified return buffer.
pub(super) fn urb(q: &Query) -> Message {
    let slots = if q.bit(17) { " with per-slot offset enabled" } else { "" };
    let lanes = q.full_lanes() / 2;
    let (description, offset, lanes, data) = match q.bits(0, 4) {
        7 => {
            let masked = if q.bit(15) { "masked " } else { "" };
            let count = q.ex_desc.map_or(1, |bits| bits >> 6 & 31).max(1);
            let data = Data::new(Kind::Store, 32, count);
            (format!("urb dword {masked}write{slots}"), 8 * q.bits(4, 11), lanes, data)
        }
        8 => {
            let data = Data::new(Kind::Load, 32, q.bits(20, 5));
            (format!("urb dword read{slots}"), 8 * q.bits(4, 11), lanes, data)
        }
        9 => ("urb fence".into(), 0, 1, Data::NONE),
        _ => return q.invalid(),
    };
    Message { description, offset, addr_bits: 32, lanes, data, ..q.empty() }
}

/// The ray tracing accelerator.
pub(super) fn ray_tracing(q: &Query) -> Message {
    if q.bits(14, 4) != 0 {
        return q.invalid();
    }
    let lanes = if q.bit(8) { 16 } else { 8 };
    Message { description: format!("simd{lanes} trace ray"), lanes, addr_bits: 64, ..q.empty() }
}

/// The bindless thread dispatcher.
pub(super) fn thread_dispatch(q: &Query) -> Message {
    let lanes = if q.bit(8) { 16 } else { 8 };
    let (over, known) = match q.bits(14, 4) {
        1 => ("", true),
        2 if q.newer() => (" overdispatched", true),
        _ => ("", false),
    };
    if !known {
        return q.invalid();
    }
    let valid = (lanes == 16 || q.caps.memory.simd_message == 8) && q.lanes == 16;
    Message { description: format!("bindless simd{lanes} spawn thread{over}"), lanes, valid, ..q.empty() }
}
