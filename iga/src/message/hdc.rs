//! Data port messages: data cache 0, data cache 1 and the read-only (constant) cache.

use super::{Addressing, Data, Kind, Message, Query, Surface};
use messages::{
    SurfaceIndex,
    hdc::{
        A64Block, A64BlockType, A64Scattered, Atomic, AtomicOp, Dc0, Dc1, DcRo, ElementType, FloatAtomicOp,
        MediaBlock, MemoryFence, OwordBlock, OwordCount, Scattered, ScratchBlock, SimdMode, SlotGroup,
        Surface as SurfaceMessage, ToDc0,
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
        if self.caps.memory.simd_message == 16 { (lanes * 2, !sixteen) } else { (lanes, true) }
    }

    /// Lanes of an untyped surface message; `None`: no such mode here.
    fn surface_lanes(&self) -> Option<u32> {
        match self.as_kind::<SurfaceMessage>().simd_mode()? {
            SimdMode::Simd16 => Some(16),
            SimdMode::Simd8 if self.caps.memory.simd_message == 8 => Some(8),
            SimdMode::Simd8 | SimdMode::Simd4x2 => None,
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
        (text, count.owords(), count != OwordCount::Sixteen || self.caps.memory.lsc)
    }
}

/// Lanes as the one bit says that most messages have.
const fn lanes_of(sixteen: bool) -> u32 {
    if sixteen { 16 } else { 8 }
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
    let Some(message) = DcRo::of(q.desc) else { return q.invalid() };
    // What Xe-HPC alone has.
    let late = |what: &str, addr_bits, data| {
        let mut m = memory(q, what.into(), addr_bits, q.surface_lanes().unwrap_or(0), data);
        m.valid &= q.caps.memory.lsc;
        m
    };
    let store = || Data::new(Kind::Store, 32, q.channel_count());
    match message {
        DcRo::OwordBlockRead => oword_block(q, "constant oword block read", 32, Kind::Load),
        DcRo::UnalignedOwordBlockRead => oword_block(q, "constant aligned oword block read", 32, Kind::Load),
        DcRo::DwordScatteredRead => scattered(q, "constant dword gathering read".into(), Kind::Load, 32),
        DcRo::TypedCcsUpdate => {
            let lanes = u32::from(q.as_kind::<SurfaceMessage>().slot_group() == Some(SlotGroup::High));
            memory(q, "typed surface CCS update message".into(), 32, lanes, Data::NONE)
        }
        DcRo::UntypedUncompressedWrite => late("untyped surface uncompressed write", 32, store()),
        DcRo::TypedUncompressedWrite => late("typed surface uncompressed write", 32, store()),
        DcRo::A64PageCcsUpdate => late("A64 page CCS update operation", 64, Data::NONE),
        DcRo::A64UntypedCcs => late("A64 untyped surface CCS operation", 64, Data::NONE),
        DcRo::A64UntypedUncompressedWrite => late("A64 untyped surface uncompressed write", 64, store()),
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
    let qword_gather = "qword gathering read";
    match message {
        Dc0::OwordBlockRead => oword_block(q, "oword block read", 32, Kind::Load),
        Dc0::UnalignedOwordBlockRead if q.caps.memory.lsc && q.as_kind::<OwordBlock>().hwords() => {
            let count = q.as_kind::<OwordBlock>().hword_count();
            let data = Data::block(Kind::Load, 256, count);
            memory(q, format!("hword aligned block read x{count}"), 32, 1, data)
        }
        Dc0::UnalignedOwordBlockRead => oword_block(q, "oword aligned block read", 32, Kind::Load),
        Dc0::OwordBlockWrite => oword_block(q, "oword block write", 32, Kind::Store),
        Dc0::UnalignedOwordBlockWrite => oword_block(q, "hword aligned block write", 32, Kind::Store),
        Dc0::OwordDualBlockRead => Message { description: "oword dual block read".into(), ..q.invalid() },
        Dc0::OwordDualBlockWrite => Message { description: "oword dual block write".into(), ..q.invalid() },
        Dc0::ByteScatteredRead => bytes(q, "byte gathering read", Kind::Load),
        Dc0::ByteScatteredWrite => bytes(q, "byte scattering write", Kind::Store),
        Dc0::DwordScatteredRead => dwords(q, "dword gathering read", Kind::Load),
        Dc0::DwordScatteredWrite => dwords(q, "dword scattering write", Kind::Store),
        Dc0::QwordScatteredRead => scattered(q, qword_gather.into(), Kind::Load, 64),
        // The older reference calls the write a read, too.
        Dc0::QwordScatteredWrite if !q.newer() => scattered(q, qword_gather.into(), Kind::Store, 64),
        Dc0::QwordScatteredWrite => scattered(q, "qword scattering write".into(), Kind::Store, 64),
        Dc0::MemoryFence => fence(q),
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
    let what = if block.write() { "hword scratch block write" } else { "hword scratch block read" };
    let count = 1 << block.size_log2();
    Message {
        description: format!("{what} x{count}"),
        data: Data::block(direction(!block.write()), 256, count),
        addressing: Addressing::Bti,
        lanes: 1,
        addr_bits: 32,
        offset: 32 * u32::from(block.offset()),
        ..q.empty()
    }
}

/// Data cache 1.
pub(super) fn data_cache_1(q: &Query) -> Message {
    let Some(message) = Dc1::of(q.desc) else { return q.invalid() };
    let atomic = q.as_kind::<Atomic>();
    // On a surface the bit means eight lanes, at 64-bit addresses sixteen.
    let (surface, a64) = (q.atomic_lanes(!atomic.width()), q.atomic_lanes(atomic.width()));
    let typed_lanes = (q.full_lanes() / 2, true);
    match message {
        Dc1::UntypedRead => untyped(q, "untyped surface read", 32, Kind::Load),
        Dc1::UntypedWrite => untyped(q, "untyped surface write", 32, Kind::Store),
        Dc1::A64UntypedRead => untyped(q, "a64 untyped surface read", 64, Kind::Load),
        Dc1::A64UntypedWrite => untyped(q, "a64 untyped surface write", 64, Kind::Store),
        Dc1::A64ScatteredRead => scattered_a64(q, true),
        Dc1::A64ScatteredWrite => scattered_a64(q, false),
        Dc1::A64BlockRead => block_a64(q, true),
        Dc1::A64BlockWrite => block_a64(q, false),
        Dc1::MediaBlockRead => media_block(q, true),
        Dc1::MediaBlockWrite => media_block(q, false),
        Dc1::TypedRead => typed(q, "typed surface read", "", Kind::Load),
        Dc1::TypedWrite => typed(q, "typed surface write", "", Kind::Store),
        Dc1::TypedReadStatus => typed(q, "typed surface read", " returning status", Kind::Load),
        Dc1::A64Atomic => {
            let (what, bits) = match atomic.width() {
                true => ("untyped a64 atomic int64", 64),
                false => ("untyped a64 atomic int32", 32),
            };
            int_atomic(q, what, 64, bits, (q.caps.memory.simd_message.into(), true))
        }
        Dc1::UntypedAtomic => int_atomic(q, "untyped atomic int32", 32, 32, surface),
        Dc1::TypedAtomic => int_atomic(q, &slot_group(q, "atomic 32-bit integer"), 32, 32, typed_lanes),
        Dc1::TypedAtomicHalf => {
            coordinates(int_atomic(q, &slot_group(q, "atomic 16-bit integer"), 32, 16, typed_lanes))
        }
        Dc1::AtomicCounter => coordinates(int_atomic(q, "typed atomic 32-bit counter", 32, 32, surface)),
        Dc1::AtomicCounterHalf => coordinates(int_atomic(q, "typed atomic 16-bit counter", 32, 16, surface)),
        Dc1::A64AtomicFloat => float_atomic(q, "a64 float atomic", 64, 32, a64),
        Dc1::UntypedAtomicFloat => float_atomic(q, "float atomic", 32, 32, surface),
        // Types that mean something else before.
        _ if !q.xe() => q.invalid(),
        Dc1::A64AtomicHalfFloat => float_atomic(q, "a64 untyped half-float atomic", 64, 16, a64),
        Dc1::UntypedAtomicHalfFloat => float_atomic(q, "untyped half-float atomic", 32, 16, surface),
        Dc1::A64AtomicHalf => int_atomic(q, "untyped a64 atomic int16", 64, 16, surface),
        Dc1::UntypedAtomicHalf => int_atomic(q, "untyped atomic int16", 32, 16, surface),
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

fn untyped(q: &Query, what: &str, addr_bits: u32, kind: Kind) -> Message {
    let data = Data::new(kind, 32, q.channel_count());
    let lanes = q.surface_lanes();
    let mut m = memory(q, format!("{what} with {}", q.channels()), addr_bits, lanes.unwrap_or(0), data);
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

fn scattered_a64(q: &Query, read: bool) -> Message {
    let fields = q.as_kind::<A64Scattered>();
    let (kind, count) = (direction(read), 1 << fields.count_log2());
    let verb = if read { "gathering read" } else { "scattering write" };
    let (what, data) = match fields.element() {
        Some(ElementType::Dword) => (format!("a64 dword {verb}"), Data::new(kind, 32, count)),
        Some(ElementType::Qword) => (format!("a64 qword {verb}"), Data::new(kind, 64, count)),
        Some(ElementType::Byte) | None => {
            (format!("a64 byte {verb}{}", byte_size(fields.count_log2())), Data::new(kind, 32, 1))
        }
    };
    let mut m = memory(q, what, 64, lanes_of(fields.simd16()), data);
    m.valid &= fields.element().is_some() || read;
    m
}

fn block_a64(q: &Query, read: bool) -> Message {
    let verb = if read { "read" } else { "write" };
    let kind = direction(read);
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

fn float_atomic(q: &Query, what: &str, addr_bits: u32, bits: u32, (lanes, valid): (u32, bool)) -> Message {
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
    let mut m = memory(q, format!("{what} {op} ({bits}b){ret}"), addr_bits, lanes, data);
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

fn int_atomic(q: &Query, what: &str, addr_bits: u32, bits: u32, (lanes, valid): (u32, bool)) -> Message {
    let Some(operation) = q.as_kind::<Atomic>().integer() else { return q.invalid() };
    let bits = if operation == AtomicOp::CmpXchgWide { 64 } else { bits };
    let pair = matches!(operation, AtomicOp::CmpXchgWide | AtomicOp::CmpXchg);
    let data = Data { pair, ..Data::new(Kind::Atomic, bits, 1) };
    let mut m = memory(q, format!("{what} {}", int_operation(operation)), addr_bits, lanes, data);
    m.valid &= valid;
    m
}

fn media_block(q: &Query, read: bool) -> Message {
    let mut text = String::from(if read { "media block read" } else { "media block write" });
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
    let data = Data::block(direction(read), 8, 2 * q.full_lanes() * u32::from(rows));
    let mut m = memory(q, text, 32, 1, data);
    m.valid &= read || payload != 0;
    m
}
