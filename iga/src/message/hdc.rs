//! Data port messages: data cache 0, data cache 1 and the read-only (constant) cache.

use super::{Addressing, Data, Kind, Message, Query, Surface};
use messages::{
    Access, Effect, SurfaceIndex,
    hdc::{
        A64Block, A64BlockType, A64Scattered, Addresses, Atomic, AtomicOp, DataPortMessage, Dc0, Dc1, DcRo,
        ElementType, FloatAtomicOp, Form, MediaBlock, MemoryFence, OwordBlock, OwordCount, Scattered,
        ScatteredSimdMode, ScratchBlock, SlotGroup, Surface as SurfaceMessage, ToDc0,
    },
};
use std::fmt::Write;

/// A message to memory: fills in addressing from the binding table index.
fn memory(q: &Query, description: String, addr_bits: u32, lanes: u32, data: Data) -> Message {
    let mut m = Message { description, addr_bits, lanes: lanes.min(q.lanes), data, ..q.empty() };
    let surface = q.desc.surface();
    if addr_bits == 64 {
        m.valid = surface.is_stateless();
    } else if !surface.is_stateless() && surface != SurfaceIndex::SHARED_LOCAL {
        m.addressing = Addressing::Bti;
        m.surface = Surface::Imm(surface.0.into());
    }
    m
}

impl Query {
    /// Lanes of an atomic, wider by two on Xe-HPC; `false`: not allowed there.
    fn atomic_lanes(&self, sixteen: bool) -> (u32, bool) {
        let lanes = lanes_of(sixteen);
        if self.caps.regs.native_lanes() == 16 { (lanes * 2, !sixteen) } else { (lanes, true) }
    }

    /// Lanes of an untyped surface message; `None`: no such mode here.
    fn surface_lanes(&self) -> Option<u32> {
        match self.as_kind::<SurfaceMessage>().simd_mode()? {
            ScatteredSimdMode::Simd16 => Some(16),
            ScatteredSimdMode::Simd8 if self.caps.regs.native_lanes() == 8 => Some(8),
            ScatteredSimdMode::Simd8 | ScatteredSimdMode::Simd4x2 => None,
        }
    }

    /// Enabled channels of a surface message, `xyzw`.
    fn channels(&self) -> String {
        let disabled = self.as_kind::<SurfaceMessage>().disabled_channels();
        "xyzw".chars().zip(0..).filter(|&(_, i)| disabled >> i & 1 == 0).map(|(c, _)| c).collect()
    }

    /// Number of enabled channels.
    fn channel_count(&self) -> u32 {
        self.as_kind::<SurfaceMessage>().channel_count()
    }

    /// ` x4`, the number of 16-byte blocks; `false`: not allowed.
    fn owords(&self) -> (&'static str, u32, bool) {
        let Some(count) = self.as_kind::<OwordBlock>().count() else { return (" x0", 0, true) };
        let text = match count {
            OwordCount::One => " x1",
            OwordCount::OneHigh => " x1H",
            OwordCount::Two => " x2",
            OwordCount::Four => " x4",
            OwordCount::Eight => " x8",
            OwordCount::Sixteen => " x16",
        };
        (text, count.owords(), count != OwordCount::Sixteen || self.caps.memory.late_data_cache)
    }
}

/// Lanes as the one bit says that most messages have.
const fn lanes_of(sixteen: bool) -> u32 {
    if sixteen { 16 } else { 8 }
}

fn oword_block(q: &Query, what: &str, addr_bits: u32, kind: Kind) -> Message {
    let (suffix, count, valid) = q.owords();
    let mut m = memory(q, format!("{what}{suffix}"), addr_bits, 1, Data::block(kind, 128, count));
    m.valid &= valid;
    m
}

/// The read-only data cache.
pub(super) fn data_cache_read_only(q: &Query) -> Message {
    let Some(message) = DcRo::of(q.desc) else { return q.invalid() };
    let row = message.row();
    // What Xe-HPC alone has.
    let late = |data| {
        let mut m = memory(q, row.words.into(), row.addresses.bits(), q.surface_lanes().unwrap_or(0), data);
        m.valid &= q.caps.memory.late_data_cache;
        m
    };
    match row.form {
        Form::Uncompressed => late(Data::new(Kind::Store, 32, q.channel_count())),
        Form::Compression if row.addresses == Addresses::Texels => {
            let lanes = u32::from(q.as_kind::<SurfaceMessage>().slot_group() == Some(SlotGroup::High));
            memory(q, row.words.into(), 32, lanes, Data::NONE)
        }
        Form::Compression => late(Data::NONE),
        Form::Scattered(ElementType::Dword) => scattered(q, row.words.into(), Kind::Load, 32),
        _ => data_port(q, &row),
    }
}

/// One address a lane, as many elements of `bits` as the descriptor says behind each.
fn scattered(q: &Query, what: String, kind: Kind, bits: u32) -> Message {
    let fields = q.as_kind::<Scattered>();
    memory(q, what, 32, lanes_of(fields.simd16()), Data::new(kind, bits, 1 << fields.size_log2()))
}

/// Data cache 0.
pub(super) fn data_cache_0(q: &Query) -> Message {
    match ToDc0::of(q.desc) {
        None => q.invalid(),
        Some(ToDc0::Scratch) => scratch_block(q),
        Some(ToDc0::Message(message)) => data_cache_0_message(q, message),
    }
}

fn data_cache_0_message(q: &Query, message: Dc0) -> Message {
    let row = message.row();
    match message {
        Dc0::UnalignedOwordBlockRead
            if q.caps.memory.late_data_cache && q.as_kind::<OwordBlock>().hwords() =>
        {
            let count = q.as_kind::<OwordBlock>().hword_count();
            let data = Data::block(Kind::Load, 256, count);
            memory(q, format!("hword aligned block read x{count}"), 32, 1, data)
        }
        // The older reference calls the write a read, too.
        Dc0::QwordScatteredWrite if !q.newer() => {
            scattered(q, Dc0::QwordScatteredRead.row().words.into(), Kind::Store, 64)
        }
        _ => data_port(q, &row),
    }
}

/// What a message of a data port says, by its form.
fn data_port(q: &Query, row: &DataPortMessage) -> Message {
    let (kind, what) = (Kind::of(row.effect), row.words);
    match row.form {
        Form::OwordBlock | Form::UnalignedOwordBlock => oword_block(q, what, 32, kind),
        Form::DualBlock => Message { description: what.into(), ..q.invalid() },
        Form::Scattered(ElementType::Byte) => bytes(q, what, kind),
        Form::Scattered(ElementType::Dword) => dwords(q, what, kind),
        Form::Scattered(ElementType::Qword) => scattered(q, what.into(), kind, 64),
        Form::A64Scattered => scattered_a64(q, row),
        Form::Untyped => untyped(q, row),
        Form::Typed => typed(q, what, "", kind),
        Form::TypedStatus => typed(q, what, " returning status", kind),
        Form::IntegerAtomic(_) | Form::TypedAtomic(_) | Form::Counter(_) => int_atomic(q, row),
        Form::FloatAtomic(bits) => float_atomic(q, row, bits.into()),
        Form::A64Block => block_a64(q, row),
        Form::MediaBlock => media_block(q, row),
        Form::Fence => fence(q),
        Form::Uncompressed | Form::Compression => q.invalid(),
    }
}

/// Bytes of a lane: they fill a dword in the register.
fn bytes(q: &Query, what: &str, kind: Kind) -> Message {
    let fields = q.as_kind::<Scattered>();
    let text = format!("{what}{}", byte_size(fields.size_log2()));
    memory(q, text, 32, lanes_of(fields.simd16()), Data::new(kind, 32, 1))
}

fn dwords(q: &Query, what: &str, kind: Kind) -> Message {
    let mut text = what.to_owned();
    let elements = 1u32 << q.as_kind::<Scattered>().size_log2();
    if elements != 1 {
        let _ = write!(text, " x{elements}");
    }
    scattered(q, text, kind, 32)
}

/// Bits per element of a byte message.
fn byte_size(log: u8) -> &'static str {
    [" 8b", " 16b", " 32b", ""][usize::from(log)]
}

/// Data of the third-level cache by the bit of [`MemoryFence::flush_l3`], in the order they are listed.
const L3_DATA: [(u8, &str); 4] =
    [(8, " r/w data"), (4, " constant data"), (2, " texture data"), (1, " instruction data")];

fn fence(q: &Query) -> Message {
    let fence = q.as_kind::<MemoryFence>();
    let mut text = String::from(if fence.commit() { "synchronized " } else { "" });
    let mut m = Message { lanes: 1, addr_bits: u32::from(q.caps.regs.grf_bytes) * 8, ..q.empty() };
    m.surface = Surface::Imm(fence.surface().0.into());
    let flushed = fence.flush_l3();
    match fence.surface() {
        SurfaceIndex::SHARED_LOCAL => text.push_str("SLM fence"),
        SurfaceIndex(0) => {
            text.push_str("global fence flushing");
            m.valid = flushed == 0 || !fence.flush_l1();
            if fence.flush_l1() {
                text.push_str(" L1");
            }
            if flushed == 15 {
                text.push_str(" all L3 data");
            } else if flushed != 0 {
                text.push_str(" L3");
                // The first bit that separates itself from others by a comma is the second from the top.
                let mut listed = false;
                for (bit, name) in L3_DATA.into_iter().filter(|(bit, _)| flushed & bit != 0) {
                    if listed {
                        text.push(',');
                    }
                    listed |= bit != L3_DATA[0].0;
                    text.push_str(name);
                }
            }
        }
        _ => m.valid = false,
    }
    m.description = text;
    m
}

fn scratch_block(q: &Query) -> Message {
    let block = q.as_kind::<ScratchBlock>();
    let what = match block.access() {
        Access::Load => "hword scratch block read",
        Access::Store => "hword scratch block write",
    };
    let count = 1 << block.size_log2();
    Message {
        description: format!("{what} x{count}"),
        data: Data::block(Kind::of(block.access().effect()), 256, count),
        addressing: Addressing::Bti,
        lanes: 1,
        addr_bits: 32,
        offset: 32 * u32::from(block.offset()),
        ..q.empty()
    }
}

/// Data cache 1.
pub(super) fn data_cache_1(q: &Query) -> Message {
    match Dc1::of(q.desc) {
        // Types that mean something else where there are no messages of words.
        Some(
            Dc1::A64AtomicHalfFloat
            | Dc1::UntypedAtomicHalfFloat
            | Dc1::A64AtomicHalf
            | Dc1::UntypedAtomicHalf,
        ) if !q.caps.memory.word_atomics => q.invalid(),
        Some(message) => data_port(q, &message.row()),
        None => q.invalid(),
    }
}

/// Marks texel coordinates.
fn coordinates(m: Message) -> Message {
    Message { coordinates: true, ..m }
}

fn slot_group(q: &Query, what: &str) -> String {
    if q.as_kind::<Atomic>().width() {
        format!("typed_sgh {what} (slot group high)")
    } else {
        format!("typed {what}")
    }
}

fn untyped(q: &Query, row: &DataPortMessage) -> Message {
    let data = Data::new(Kind::of(row.effect), 32, q.channel_count());
    let lanes = q.surface_lanes();
    let what = format!("{} with {}", row.words, q.channels());
    let mut m = memory(q, what, row.addresses.bits(), lanes.unwrap_or(0), data);
    m.valid &= lanes.is_some() && q.channel_count() != 0;
    m
}

fn typed(q: &Query, what: &str, status: &str, kind: Kind) -> Message {
    let data = Data::new(kind, 32, q.channel_count());
    let group = q.as_kind::<SurfaceMessage>().slot_group();
    let high = if group == Some(SlotGroup::High) { " (high slot group)" } else { "" };
    let mut m =
        memory(q, format!("{what}{high}{status} with {}", q.channels()), 32, q.full_lanes() / 2, data);
    m.valid &= group.is_some() && q.channel_count() != 0;
    coordinates(m)
}

fn scattered_a64(q: &Query, row: &DataPortMessage) -> Message {
    let fields = q.as_kind::<A64Scattered>();
    let (kind, count, verb) = (Kind::of(row.effect), 1 << fields.count_log2(), row.words);
    let (what, data) = match fields.element() {
        Some(ElementType::Dword) => (format!("a64 dword {verb}"), Data::new(kind, 32, count)),
        Some(ElementType::Qword) => (format!("a64 qword {verb}"), Data::new(kind, 64, count)),
        Some(ElementType::Byte) | None => {
            (format!("a64 byte {verb}{}", byte_size(fields.count_log2())), Data::new(kind, 32, 1))
        }
    };
    let mut m = memory(q, what, 64, lanes_of(fields.simd16()), data);
    m.valid &= fields.element().is_some() || kind == Kind::Load;
    m
}

fn block_a64(q: &Query, row: &DataPortMessage) -> Message {
    let (kind, verb) = (Kind::of(row.effect), row.words);
    let block = q.as_kind::<A64Block>();
    match block.block_type() {
        Some(A64BlockType::DualBlock) if q.newer() => {
            Message { description: format!("a64 dual block  {verb}"), addr_bits: 64, ..q.invalid() }
        }
        Some(A64BlockType::Owords | A64BlockType::DualBlock) => {
            oword_block(q, &format!("a64 unaligned oword block {verb}"), 64, kind)
        }
        Some(A64BlockType::UnalignedOwords) => {
            oword_block(q, &format!("a64 aligned oword block {verb}"), 64, kind)
        }
        Some(A64BlockType::Hwords) | None => {
            let count = 1 << block.size();
            let data = Data::block(kind, 256, count);
            memory(q, format!("a64 unaligned hword block {verb} x{count}"), 64, 1, data)
        }
    }
}

fn float_atomic(q: &Query, row: &DataPortMessage, bits: u32) -> Message {
    let atomic = q.as_kind::<Atomic>();
    let Some(operation) = atomic.float() else { return q.invalid() };
    let (op, bits) = match operation {
        FloatAtomicOp::FMax => ("max", bits),
        FloatAtomicOp::FMin => ("min", bits),
        FloatAtomicOp::FCmpXchg => ("fp-compare and swap ", bits),
        FloatAtomicOp::FAdd => ("add", bits),
        FloatAtomicOp::FSub => ("subtract", bits),
        FloatAtomicOp::FAddWide => ("64b add", 64),
        FloatAtomicOp::FSubWide => ("64b subtract", 64),
    };
    let ret = if atomic.returns() { " with return" } else { "" };
    let pair = operation == FloatAtomicOp::FCmpXchg;
    let data = Data { pair, ..Data::new(Kind::Atomic, bits, 1) };
    let (lanes, valid) = match row.addresses {
        Addresses::A64 => q.atomic_lanes(atomic.width()),
        Addresses::Surface | Addresses::Texels => q.atomic_lanes(!atomic.width()),
    };
    let what = format!("{} {op} ({bits}b){ret}", row.words);
    let mut m = memory(q, what, row.addresses.bits(), lanes, data);
    m.valid &= valid;
    m
}

/// What an integer atomic does, in the reference's words.
const fn int_operation(op: AtomicOp) -> &'static str {
    match op {
        AtomicOp::CmpXchgWide => "64b integer compare and swap",
        AtomicOp::And => "logical AND",
        AtomicOp::Or => "logical OR",
        AtomicOp::Xor => "logical XOR",
        AtomicOp::Xchg => "store",
        AtomicOp::Inc => "integer increment",
        AtomicOp::Dec => "integer decrement",
        AtomicOp::Add => "integer add",
        AtomicOp::Sub => "integer subtract",
        AtomicOp::RevSub => "commuted integer subtract",
        AtomicOp::IMax => "signed-integer max",
        AtomicOp::IMin => "signed-integer min",
        AtomicOp::UMax => "unsigned-integer max",
        AtomicOp::UMin => "unsigned-integer min",
        AtomicOp::CmpXchg => "integer compare and swap",
        AtomicOp::PreDec => "integer pre-decrement (returns pre-decrement value)",
    }
}

fn int_atomic(q: &Query, row: &DataPortMessage) -> Message {
    let atomic = q.as_kind::<Atomic>();
    let Some(operation) = atomic.integer() else { return q.invalid() };
    // On a surface the width is that of the message, in lanes; of dwords at 64-bit addresses, that of an element.
    let surface = q.atomic_lanes(!atomic.width());
    let (what, bits, (lanes, valid)) = match (row.form, row.addresses) {
        (Form::IntegerAtomic(32), Addresses::A64) => {
            let bits = if atomic.width() { 64 } else { 32 };
            (format!("{} int{bits}", row.words), bits, (q.caps.regs.native_lanes().into(), true))
        }
        (Form::TypedAtomic(bits), _) => (slot_group(q, row.words), bits.into(), (q.full_lanes() / 2, true)),
        (Form::IntegerAtomic(bits) | Form::Counter(bits), _) => (row.words.to_owned(), bits.into(), surface),
        _ => return q.invalid(),
    };
    let bits = if operation == AtomicOp::CmpXchgWide { 64 } else { bits };
    let pair = matches!(operation, AtomicOp::CmpXchgWide | AtomicOp::CmpXchg);
    let data = Data { pair, ..Data::new(Kind::Atomic, bits, 1) };
    let what = format!("{what} {}", int_operation(operation));
    let mut m = memory(q, what, row.addresses.bits(), lanes, data);
    m.valid &= valid;
    let coordinates = matches!(row.form, Form::TypedAtomic(16) | Form::Counter(_));
    Message { coordinates: coordinates || m.coordinates, ..m }
}

fn media_block(q: &Query, row: &DataPortMessage) -> Message {
    let read = row.effect == Effect::Load;
    let mut text = row.words.to_owned();
    let block = q.as_kind::<MediaBlock>();
    // The reference takes the fields for other ones than the manual's.
    let (overridden, skip) = (block.line_stride(), block.line_stride_offset());
    if overridden || skip || block.line_stride_override() {
        text.push_str(" with vertical line stride ");
        text.push_str(match (overridden, skip) {
            (true, true) => "override,skip, and offset",
            (true, false) => "override and offset",
            (false, true) => " and skip",
            (false, false) => "",
        });
    }
    let payload = q.desc.message_length().registers();
    let rows = if read { q.desc.response_length().registers() } else { payload.saturating_sub(1) };
    let data = Data::block(Kind::of(row.effect), 8, 2 * q.full_lanes() * u32::from(rows));
    let mut m = memory(q, text, 32, 1, data);
    m.valid &= read || payload != 0;
    m
}
