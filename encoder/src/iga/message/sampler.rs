//! Sampler messages.

use super::{Addressing, Message, Query, Surface};

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

/// Decodes a sampler message.
pub(super) fn decode(q: &Query) -> Message {
    let mode = q.bits(17, 2) | q.bits(29, 1) << 2;
    let (name, lanes) = match mode {
        0 if q.caps.lsc => ("simd8 with integer return", 8),
        1 => ("simd8", 8),
        2 => ("simd16", 16),
        3 if !q.caps.lsc => ("simd32/64", 32),
        4 if q.caps.lsc => ("simd16 with integer return", 16),
        5 => ("simd8 half with precision parameters", 8),
        6 => ("simd16 with half precision parameters", 16),
        7 => ("", 0),
        _ => ("unknown simd mode", 0),
    };
    let table = if mode == 3 && !q.caps.lsc { WIDE_MESSAGES } else { MESSAGES };
    let number = q.bits(12, 5) | q.bits(31, 1) << 5;
    let what = table.iter().find(|row| row.0 == number).map_or("?", |row| row.1);
    let half = if q.bit(30) { " 16b" } else { "" };
    Message {
        description: format!("{name}{half} {what} using sampler index {}", q.bits(8, 4)),
        addressing: Addressing::None,
        surface: Surface::Imm(q.bits(0, 8)),
        lanes,
        addr_bits: 32,
        valid: lanes != 0,
        ..q.empty()
    }
}
