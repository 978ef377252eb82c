//! Data port messages: data cache 0, 1 and the read-only (constant) cache.

use super::{Addressing, Data, Kind, Message, Query, Surface};
use std::fmt::Write;

/// Binding table indices that mean no surface.
const SLM: u32 = 0xfe;
const COHERENT: u32 = 0xff;
const INCOHERENT: u32 = 0xfd;

/// A message to memory: fills in addressing from the binding table index.
fn memory(q: &Query, description: String, addr_bits: u32, lanes: u32, data: Data) -> Message {
    let mut m = Message { description, addr_bits, lanes: lanes.min(q.lanes), data, ..q.empty() };
    let bti = q.bits(0, 8);
    if addr_bits == 64 {
        m.valid = bti == COHERENT || bti == INCOHERENT;
    } else if !matches!(bti, SLM | COHERENT | INCOHERENT) {
        m.addressing = Addressing::Bti;
        m.surface = Surface::Imm(bti);
    }
    m
}

impl Query {
    /// SIMD8 or SIMD16 in one bit.
    fn sm2(&self, offset: u32) -> u32 {
        if self.bit(offset) { 16 } else { 8 }
    }

    /// The same bit the other way round, wider by two on Xe-HPC; `false`: not allowed there.
    fn sm2_reversed(&self, offset: u32, reversed: bool) -> (u32, bool) {
        let lanes = if self.bit(offset) != reversed { 16 } else { 8 };
        if self.caps.memory.simd_message == 16 { (lanes * 2, lanes != 16) } else { (lanes, true) }
    }

    /// SIMD8 or SIMD16 in two bits; `None`: neither.
    fn sm3(&self) -> Option<u32> {
        match self.bits(12, 2) {
            1 => Some(16),
            2 if self.caps.memory.simd_message == 8 => Some(8),
            _ => None,
        }
    }

    /// Enabled channels of a vector message, `xyzw`; the field holds the disabled ones.
    fn channels(&self) -> String {
        "xyzw".chars().zip(0..).filter(|&(_, i)| !self.bit(8 + i)).map(|(c, _)| c).collect()
    }

    /// ` x4`, the number of 16-byte blocks; `false`: not allowed.
    fn owords(&self) -> (&'static str, u32, bool) {
        match self.bits(8, 3) {
            0 => (" x1", 1, true),
            1 => (" x1H", 1, true),
            2 => (" x2", 2, true),
            3 => (" x4", 4, true),
            4 => (" x8", 8, true),
            5 => (" x16", 16, self.caps.memory.lsc),
            _ => (" x0", 0, true),
        }
    }

    /// Number of enabled channels.
    fn channel_count(&self) -> u32 {
        4 - self.bits(8, 4).count_ones()
    }
}

/// Load for reads, store for writes.
fn direction(read: bool) -> Kind {
    if read { Kind::Load } else { Kind::Store }
}

fn oword_block(q: &Query, what: &str, addr_bits: u32, kind: Kind) -> Message {
    let (suffix, count, valid) = q.owords();
    let mut m = memory(q, format!("{what}{suffix}"), addr_bits, 1, Data::block(kind, 128, count));
    m.valid &= valid;
    m
}

/// The read-only data cache.
pub(super) fn data_cache_read_only(q: &Query) -> Message {
    match q.bits(14, 5) {
        0x00 => oword_block(q, "constant oword block read", 32, Kind::Load),
        0x01 => oword_block(q, "constant aligned oword block read", 32, Kind::Load),
        0x03 => memory(
            q,
            "constant dword gathering read".into(),
            32,
            q.sm2(8),
            Data::new(Kind::Load, 32, 1 << q.bits(10, 2)),
        ),
        0x0c => memory(q, "typed surface CCS update message".into(), 32, slot_group_lanes(q), Data::NONE),
        number => {
            let (what, addr_bits, late) = match number {
                0x09 => ("untyped surface uncompressed write", 32, true),
                0x0d => ("typed surface uncompressed write", 32, true),
                0x17 => ("A64 page CCS update operation", 64, true),
                0x18 => ("A64 untyped surface CCS operation", 64, true),
                0x19 => ("A64 untyped surface uncompressed write", 64, true),
                _ => return q.invalid(),
            };
            let data = match number {
                0x17 | 0x18 => Data::NONE,
                _ => Data::new(Kind::Store, 32, q.channel_count()),
            };
            let mut m = memory(q, what.into(), addr_bits, q.sm3().unwrap_or(0), data);
            m.valid &= !late || q.caps.memory.lsc;
            m
        }
    }
}

fn slot_group_lanes(q: &Query) -> u32 {
    u32::from(q.bits(12, 2) == 2)
}

/// Data cache 0.
pub(super) fn data_cache_0(q: &Query) -> Message {
    let number = q.bits(14, 5);
    match number {
        0x00 => oword_block(q, "oword block read", 32, Kind::Load),
        0x01 if q.caps.memory.lsc && q.bit(13) => {
            let count = 1 << q.bits(8, 3);
            let data = Data::block(Kind::Load, 256, count);
            memory(q, format!("hword aligned block read x{count}"), 32, 1, data)
        }
        0x01 => oword_block(q, "oword aligned block read", 32, Kind::Load),
        0x08 => oword_block(q, "oword block write", 32, Kind::Store),
        0x09 => oword_block(q, "hword aligned block write", 32, Kind::Store),
        0x02 => Message { description: "oword dual block read".into(), ..q.invalid() },
        0x0a => Message { description: "oword dual block write".into(), ..q.invalid() },
        0x04 | 0x0c => {
            let what = if number == 4 { "byte gathering read" } else { "byte scattering write" };
            let data = Data::new(direction(number == 4), 32, 1);
            memory(q, format!("{what}{}", byte_size(q.bits(10, 2))), 32, q.sm2(8), data)
        }
        0x03 | 0x0b => {
            let mut what =
                String::from(if number == 3 { "dword gathering read" } else { "dword scattering write" });
            let elements = 1 << q.bits(10, 2);
            if elements != 1 {
                let _ = write!(what, " x{elements}");
            }
            memory(q, what, 32, q.sm2(8), Data::new(direction(number == 3), 32, elements))
        }
        0x05 => memory(
            q,
            "qword gathering read".into(),
            32,
            q.sm2(8),
            Data::new(Kind::Load, 64, 1 << q.bits(10, 2)),
        ),
        0x0d if !q.newer() => memory(
            q,
            "qword gathering read".into(),
            32,
            q.sm2(8),
            Data::new(Kind::Store, 64, 1 << q.bits(10, 2)),
        ),
        0x0d => memory(
            q,
            "qword scattering write".into(),
            32,
            q.sm2(8),
            Data::new(Kind::Store, 64, 1 << q.bits(10, 2)),
        ),
        0x07 => fence(q),
        _ if q.bit(18) => scratch_block(q),
        _ => q.invalid(),
    }
}

/// Bits per element of a byte message.
fn byte_size(log: u32) -> &'static str {
    [" 8b", " 16b", " 32b", ""][log as usize]
}

fn fence(q: &Query) -> Message {
    let mut text = String::from(if q.bit(13) { "synchronized " } else { "" });
    let mut m = Message { lanes: 1, addr_bits: u32::from(q.caps.regs.grf_bytes) * 8, ..q.empty() };
    let surface = q.bits(0, 8);
    m.surface = Surface::Imm(surface);
    let targets = q.bits(9, 4);
    if surface == SLM {
        text.push_str("SLM fence");
    } else if surface == 0 {
        text.push_str("global fence flushing");
        m.valid = targets == 0 || !q.bit(8);
        if q.bit(8) {
            text.push_str(" L1");
        }
        if targets == 15 {
            text.push_str(" all L3 data");
        } else if targets != 0 {
            text.push_str(" L3");
            // The first bit that separates itself from others by a comma is the second from the top.
            let names =
                [(12, " r/w data"), (11, " constant data"), (10, " texture data"), (9, " instruction data")];
            let mut listed = false;
            for (bit, name) in names {
                if q.bit(bit) {
                    if listed {
                        text.push(',');
                    }
                    listed |= bit != 12;
                    text.push_str(name);
                }
            }
        }
    } else {
        m.valid = false;
    }
    m.description = text;
    m
}

fn scratch_block(q: &Query) -> Message {
    let what = if q.bit(17) { "hword scratch block write" } else { "hword scratch block read" };
    let count = 1 << q.bits(12, 2);
    Message {
        description: format!("{what} x{count}"),
        data: Data::block(direction(!q.bit(17)), 256, count),
        addressing: Addressing::Bti,
        lanes: 1,
        addr_bits: 32,
        offset: 32 * q.bits(0, 12),
        ..q.empty()
    }
}

/// Data cache 1.
pub(super) fn data_cache_1(q: &Query) -> Message {
    let number = q.bits(14, 5);
    match number {
        0x01 => untyped(q, "untyped surface read", 32, Kind::Load),
        0x09 => untyped(q, "untyped surface write", 32, Kind::Store),
        0x11 => untyped(q, "a64 untyped surface read", 64, Kind::Load),
        0x19 => untyped(q, "a64 untyped surface write", 64, Kind::Store),
        0x10 | 0x1a => scattered_a64(q, number == 0x10),
        0x14 | 0x15 => block_a64(q, number == 0x14),
        0x1d => float_atomic(q, "a64 float atomic", 64, 32),
        0x1b => float_atomic(q, "float atomic", 32, 32),
        0x12 => {
            let wide = q.bit(12);
            let lanes = u32::from(q.caps.memory.simd_message);
            let what = if wide { "untyped a64 atomic int64" } else { "untyped a64 atomic int32" };
            int_atomic(q, what, 64, if wide { 64 } else { 32 }, (lanes, true))
        }
        0x02 => int_atomic(q, "untyped atomic int32", 32, 32, q.sm2_reversed(12, true)),
        0x04 | 0x0a => media_block(q, number == 4),
        0x05 => typed(q, "typed surface read", "", Kind::Load),
        0x0d => typed(q, "typed surface write", "", Kind::Store),
        0x0e => typed(q, "typed surface read", " returning status", Kind::Load),
        0x0b => coordinates(int_atomic(q, "typed atomic 32-bit counter", 32, 32, q.sm2_reversed(12, true))),
        0x06 => int_atomic(q, &slot_group(q, "atomic 32-bit integer"), 32, 32, (q.full_lanes() / 2, true)),
        0x0c => coordinates(int_atomic(q, "typed atomic 16-bit counter", 32, 16, q.sm2_reversed(12, true))),
        0x07 => {
            let what = slot_group(q, "atomic 16-bit integer");
            coordinates(int_atomic(q, &what, 32, 16, (q.full_lanes() / 2, true)))
        }
        0x1e if q.xe() => float_atomic(q, "a64 untyped half-float atomic", 64, 16),
        0x1c if q.xe() => float_atomic(q, "untyped half-float atomic", 32, 16),
        0x13 if q.xe() => int_atomic(q, "untyped a64 atomic int16", 64, 16, q.sm2_reversed(12, true)),
        0x03 if q.xe() => int_atomic(q, "untyped atomic int16", 32, 16, q.sm2_reversed(12, true)),
        _ => q.invalid(),
    }
}

/// Marks texel coordinates.
fn coordinates(m: Message) -> Message {
    Message { coordinates: true, ..m }
}

fn slot_group(q: &Query, what: &str) -> String {
    if q.bit(12) { format!("typed_sgh {what} (slot group high)") } else { format!("typed {what}") }
}

fn untyped(q: &Query, what: &str, addr_bits: u32, kind: Kind) -> Message {
    let data = Data::new(kind, 32, q.channel_count());
    let lanes = q.sm3();
    let mut m = memory(q, format!("{what} with {}", q.channels()), addr_bits, lanes.unwrap_or(0), data);
    m.valid &= lanes.is_some() && q.bits(8, 4) != 15;
    m
}

fn typed(q: &Query, what: &str, status: &str, kind: Kind) -> Message {
    let data = Data::new(kind, 32, q.channel_count());
    let group = q.bits(12, 2);
    let high = if group == 2 { " (high slot group)" } else { "" };
    let mut m =
        memory(q, format!("{what}{high}{status} with {}", q.channels()), 32, q.full_lanes() / 2, data);
    m.valid &= group != 3 && q.bits(8, 4) != 15;
    coordinates(m)
}

fn scattered_a64(q: &Query, read: bool) -> Message {
    let sub = q.bits(8, 2);
    let (kind, count) = (direction(read), 1 << q.bits(10, 2));
    let verb = if read { "gathering read" } else { "scattering write" };
    let mut m = match sub {
        1 => memory(q, format!("a64 dword {verb}"), 64, q.sm2(12), Data::new(kind, 32, count)),
        2 => memory(q, format!("a64 qword {verb}"), 64, q.sm2(12), Data::new(kind, 64, count)),
        _ => memory(
            q,
            format!("a64 byte {verb}{}", byte_size(q.bits(10, 2))),
            64,
            q.sm2(12),
            Data::new(kind, 32, 1),
        ),
    };
    m.valid &= sub != 3 || read;
    m
}

fn block_a64(q: &Query, read: bool) -> Message {
    let verb = if read { "read" } else { "write" };
    let kind = direction(read);
    match q.bits(11, 2) {
        2 if q.newer() => {
            Message { description: format!("a64 dual block  {verb}"), addr_bits: 64, ..q.invalid() }
        }
        0 | 2 => oword_block(q, &format!("a64 unaligned oword block {verb}"), 64, kind),
        1 => oword_block(q, &format!("a64 aligned oword block {verb}"), 64, kind),
        _ => {
            let count = 1 << q.bits(8, 3);
            let data = Data::block(kind, 256, count);
            memory(q, format!("a64 unaligned hword block {verb} x{count}"), 64, 1, data)
        }
    }
}

fn float_atomic(q: &Query, what: &str, addr_bits: u32, data_bits: u32) -> Message {
    let (op, data_bits) = match q.bits(8, 3) {
        1 => ("max", data_bits),
        2 => ("min", data_bits),
        3 => ("fp-compare and swap ", data_bits),
        4 => ("add", data_bits),
        5 => ("subtract", data_bits),
        6 => ("64b add", 64),
        7 => ("64b subtract", 64),
        _ => return q.invalid(),
    };
    let ret = if q.bit(13) { " with return" } else { "" };
    let (lanes, valid) = q.sm2_reversed(12, addr_bits != 64);
    let data = Data { pair: q.bits(8, 3) == 3, ..Data::new(Kind::Atomic, data_bits, 1) };
    let mut m = memory(q, format!("{what} {op} ({data_bits}b){ret}"), addr_bits, lanes, data);
    m.valid &= valid;
    m
}

/// Integer atomics by their number.
const INT_ATOMICS: [&str; 16] = [
    "64b integer compare and swap",
    "logical AND",
    "logical OR",
    "logical XOR",
    "store",
    "integer increment",
    "integer decrement",
    "integer add",
    "integer subtract",
    "commuted integer subtract",
    "signed-integer max",
    "signed-integer min",
    "unsigned-integer max",
    "unsigned-integer min",
    "integer compare and swap",
    "integer pre-decrement (returns pre-decrement value)",
];

fn int_atomic(q: &Query, what: &str, addr_bits: u32, bits: u32, (lanes, valid): (u32, bool)) -> Message {
    let number = q.bits(8, 4);
    let op = INT_ATOMICS[number as usize];
    let bits = if number == 0 { 64 } else { bits };
    let data = Data { pair: matches!(number, 0 | 14), ..Data::new(Kind::Atomic, bits, 1) };
    let mut m = memory(q, format!("{what} {op}"), addr_bits, lanes, data);
    m.valid &= valid;
    m
}

fn media_block(q: &Query, read: bool) -> Message {
    let mut text = String::from(if read { "media block read" } else { "media block write" });
    let stride = q.bits(8, 3);
    if stride != 0 {
        text.push_str(" with vertical line stride ");
        let (overridden, skip) = (stride & 2 != 0, stride & 1 != 0);
        if overridden {
            text.push_str("override");
        }
        if skip {
            text.push_str(if overridden { ",skip" } else { " and skip" });
        }
        if overridden {
            text.push_str(if skip { ", and offset" } else { " and offset" });
        }
    }
    let rows = if read { q.bits(20, 5) } else { q.bits(25, 4).saturating_sub(1) };
    let data = Data::block(direction(read), 8, 2 * q.full_lanes() * rows);
    let mut m = memory(q, text, 32, 1, data);
    m.valid &= read || q.bits(25, 4) != 0;
    m
}
