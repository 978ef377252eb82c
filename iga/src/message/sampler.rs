//! Sampler messages.

use super::{Addressing, Message, Query, Surface};
use messages::sampler::{MessageType, Sample, SimdMode, WideType};
use narrow::as_index;

/// The parameters' shape by mode: words, channels. A mode without channels is not allowed.
#[rustfmt::skip]
const MODES: [(&str, u32); 8] = [
    ("unknown simd mode", 0),
    ("simd8", 8),
    ("simd16", 16),
    ("simd32/64", 32),
    ("unknown simd mode", 0),
    ("simd8 high", 8),
    ("simd16 high", 16),
    ("", 0),
];

/// The same where the codes are of late.
#[rustfmt::skip]
const LATE_MODES: [(&str, u32); 8] = [
    ("simd16 with integer return", 16),
    ("simd16", 16),
    ("simd32", 32),
    ("unknown simd mode", 0),
    ("simd32 with integer return", 32),
    ("simd16 high", 16),
    ("simd32 high", 32),
    ("", 0),
];

/// Words that the newer edition has changed.
#[rustfmt::skip]
const NEWER_LATE_MODES: [(&str, u32); 8] = [
    ("simd8 with integer return", 8),
    ("simd8", 8),
    ("simd16", 16),
    ("unknown simd mode", 0),
    ("simd16 with integer return", 16),
    ("simd8 half with precision parameters", 8),
    ("simd16 with half precision parameters", 16),
    ("", 0),
];

/// Decodes a sampler message.
pub(super) fn decode(q: &Query) -> Message {
    let sample = q.as_kind::<Sample>();
    let mode = as_index(sample.whole_simd_mode());
    let (mut name, lanes) = match (q.caps.sampler.late_modes, q.newer()) {
        (false, _) => MODES[mode],
        (true, false) => LATE_MODES[mode],
        (true, true) => NEWER_LATE_MODES[mode],
    };
    if q.newer() && mode > 4 {
        name = NEWER_LATE_MODES[mode].0;
    }
    let wide = sample.simd_mode() == Some(SimdMode::Simd32)
        && !sample.half_parameters()
        && !q.caps.sampler.late_modes;
    let number = u32::from(sample.message_type());
    let what = match wide {
        // Types of six bits have no names.
        _ if q.newer() && sample.message_type_high() => None,
        true => WideType::from_bits(number).map(|message| message.row().words),
        false => MessageType::from_bits(number).map(|message| message.row().words),
    };
    let what = what.unwrap_or("?");
    let half = if sample.half_results() { " 16b" } else { "" };
    Message {
        description: format!("{name}{half} {what} using sampler index {}", sample.sampler_index()),
        addressing: Addressing::None,
        surface: Surface::Imm(sample.surface().0.into()),
        lanes,
        addr_bits: 32,
        valid: lanes != 0,
        ..q.empty()
    }
}
