//! Sampler messages.

use super::{Addressing, Message, Query, Surface};
use messages::sampler::{Sample, SimdMode};

/// Messages by number, at SIMD8 and SIMD16.
#[rustfmt::skip]
const MESSAGES: &[(u32, &str)] = &[
    (0x00, "sample"),
    (0x01, "sample+LOD bias"),
    (0x02, "sample override LOD"),
    (0x03, "sample compare"),
    (0x04, "sample gradient"),
    (0x05, "sample compare+LOD bias"),
    (0x06, "sample compare+override LOD"),
    (0x07, "sample load"),
    (0x08, "sample gather4"),
    (0x09, "sample override lod"),
    (0x0a, "sample res info"),
    (0x0b, "sample info"),
    (0x0c, "sample+killpix"),
    (0x10, "sample gather4+compare"),
    (0x11, "sample gather4+pixel offset"),
    (0x12, "sample gather4 pixel offset+compare"),
    (0x14, "sample derivatives+compare"),
    (0x16, "sample min"),
    (0x17, "sample max"),
    (0x18, "sample with lod forced to 0"),
    (0x19, "sample compare+with lod forced to 0"),
    (0x1a, "sample load with lod forced to 0"),
    (0x1c, "sample ld2 multi-sample wide"),
    (0x1d, "sample load mcs auxiliary data"),
    (0x1e, "sample load multi-sample"),
    (0x1f, "sample multi-sample without mcs"),
];

/// Messages by number, at SIMD32/64.
#[rustfmt::skip]
const WIDE_MESSAGES: &[(u32, &str)] = &[
    (0x00, "sample unorm"),
    (0x02, "sample unorm+killpix"),
    (0x08, "sample deinterlace"),
    (0x0a, "sample unorm+killpix for media"),
    (0x0b, "sample 8x8"),
    (0x0c, "sample unorm for media"),
    (0x1f, "sampler cache flush"),
];

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

/// The same where messages go to the load/store cache too.
#[rustfmt::skip]
const LSC_MODES: [(&str, u32); 8] = [
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
const NEWER_LSC_MODES: [(&str, u32); 8] = [
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
    let mode = sample.whole_simd_mode() as usize;
    let (mut name, lanes) = match (q.caps.memory.lsc, q.newer()) {
        (false, _) => MODES[mode],
        (true, false) => LSC_MODES[mode],
        (true, true) => NEWER_LSC_MODES[mode],
    };
    if q.newer() && mode > 4 {
        name = NEWER_LSC_MODES[mode].0;
    }
    let wide =
        sample.simd_mode() == Some(SimdMode::Simd32) && !sample.half_parameters() && !q.caps.memory.lsc;
    let table = if wide { WIDE_MESSAGES } else { MESSAGES };
    // Types of six bits have no names.
    let number =
        Some(u32::from(sample.message_type())).filter(|_| !(q.newer() && sample.message_type_high()));
    let what = table.iter().find(|row| Some(row.0) == number).map_or("?", |row| row.1);
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
