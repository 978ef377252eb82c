//! Operands that hold several fields, or a field in a code of their own: how they are read and written.

use narrow::{low_u8, low_u16, to_u8};

use super::{
    fields::{Fault, Field, Put, Take},
    *,
};
use crate::types::{EMask, Exec, ExecSize};

/// A way of holding the fields `T`.
pub(super) trait Code<'a, T> {
    /// The fields that come next.
    fn take(t: &mut Take<'a>) -> Result<T, Fault>;

    /// Appends them.
    fn put(fields: T, p: &mut Put<'_>);
}

/// A field as its type says.
pub(super) struct Plain;

impl<'a, T: Field<'a>> Code<'a, T> for Plain {
    #[inline]
    fn take(t: &mut Take<'a>) -> Result<T, Fault> {
        T::take(t)
    }

    #[inline]
    fn put(field: T, p: &mut Put<'_>) {
        field.put(p);
    }
}

/// Codes: the fields, how they are taken, and how they are put.
macro_rules! codes {
    ($($(#[$meta:meta])* $name:ident: $ty:ty {
        take($t:ident) $take:block
        put($fields:pat, $p:ident) $put:block
    })+) => {
        $(
            $(#[$meta])*
            pub(super) struct $name;

            impl<'a> Code<'a, $ty> for $name {
                fn take($t: &mut Take<'a>) -> Result<$ty, Fault> $take

                fn put($fields: $ty, $p: &mut Put<'_>) $put
            }
        )+
    };
}

/// A byte of 1, 2, 4, ... as a power-of-two code.
fn power(t: &mut Take<'_>, field: &'static str, max: u8) -> Result<u8, Fault> {
    let raw = t.byte();
    if raw <= max { Ok(1 << raw) } else { Err((field, u32::from(raw))) }
}

/// The code of 1, 2, 4, ...; other numbers give a code that has no meaning.
fn log2(n: u8) -> u8 {
    if n.is_power_of_two() { to_u8(n.trailing_zeros()) } else { 0xff }
}

const fn bit(set: bool, bit: u8) -> u8 {
    if set { 1 << bit } else { 0 }
}

fn send_wait(flags: u8) -> SendWait {
    if flags & 1 != 0 { SendWait::DependentThreads } else { SendWait::None }
}

codes! {
    /// A number without a meaning.
    Zero: () {
        take(t) {
            t.num();
            Ok(())
        }
        put((), p) { 0u32.put(p) }
    }

    /// What a raw message waits for: the lowest bit of a byte.
    WaitBit: SendWait {
        take(t) { Ok(send_wait(t.byte())) }
        put(wait, p) { (wait == SendWait::DependentThreads).put(p) }
    }

    /// What a raw message waits for, and whether its thread ends: the two lowest bits of a byte.
    SendFlags: (SendWait, SendEnd) {
        take(t) {
            let flags = t.byte();
            let end = if flags & 2 != 0 { SendEnd::EndsThread } else { SendEnd::Continues };
            Ok((send_wait(flags), end))
        }
        put((wait, end), p) {
            (bit(wait == SendWait::DependentThreads, 0) | bit(end == SendEnd::EndsThread, 1)).put(p)
        }
    }

    /// Half of a barrier: 0 waits.
    HalfByte: BarrierHalf {
        take(t) { Ok(if t.byte() != 0 { BarrierHalf::Signal } else { BarrierHalf::Wait }) }
        put(half, p) { (half == BarrierHalf::Signal).put(p) }
    }

    /// What is done at a barrier that has a number: 0, 1 or 2.
    NamedBarrierByte: NamedBarrierMode {
        take(t) {
            match t.byte() {
                0 => Ok(NamedBarrierMode::Wait),
                1 => Ok(NamedBarrierMode::Signal),
                2 => Ok(NamedBarrierMode::SignalAs),
                mode => Err(("mode", u32::from(mode))),
            }
        }
        put(mode, p) {
            let mode: u8 = match mode {
                NamedBarrierMode::Wait => 0,
                NamedBarrierMode::Signal => 1,
                NamedBarrierMode::SignalAs => 2,
            };
            mode.put(p);
        }
    }

    /// Whether others write a surface: the lowest bit of a byte.
    ModifierByte: SurfaceModifier {
        take(t) { Ok(if t.byte() & 1 != 0 { SurfaceModifier::Modified } else { SurfaceModifier::None }) }
        put(modifier, p) { (modifier == SurfaceModifier::Modified).put(p) }
    }

    /// Who is called, and whether the callee does not return: the two lowest bits of a byte.
    CallFlags: (Callee, bool) {
        take(t) {
            let flags = t.byte();
            let callee = if flags & 1 != 0 { Callee::Uniform } else { Callee::PerLane };
            Ok((callee, flags & 2 != 0))
        }
        put((callee, no_return), p) { (bit(callee == Callee::Uniform, 0) | bit(no_return, 1)).put(p) }
    }

    /// 0 or 1: minimum or maximum.
    Which: Extreme {
        take(t) {
            match t.byte() {
                0 => Ok(Extreme::Min),
                1 => Ok(Extreme::Max),
                which => Err(("minimum or maximum", u32::from(which))),
            }
        }
        put(which, p) { (which == Extreme::Max).put(p) }
    }

    /// Three sources, with fields behind them.
    ThreeSources: Srcs<'a> {
        take(t) { Ok(Srcs(t.several(3))) }
        put(srcs, p) { srcs.put(p) }
    }

    /// The relation of a comparison, and its old variant.
    Relation: (CondMod, bool) {
        take(t) {
            let relation = t.byte();
            let cond = CondMod::from_raw(relation & 7).ok_or(("relation", u32::from(relation)))?;
            Ok((cond, relation & 0x80 != 0))
        }
        put((cond, nan_variant), p) { (cond.raw() | bit(nan_variant, 7)).put(p) }
    }

    /// Owords of a block.
    BlockSize: u8 {
        take(t) {
            let size = t.byte();
            if size & 7 > 4 { Err(("block size", u32::from(size))) } else { Ok(1 << (size & 7)) }
        }
        put(owords, p) { log2(owords).put(p) }
    }

    /// Owords of a block, and its alignment.
    BlockProperties: (u8, BlockAlignment) {
        take(t) {
            let properties = t.byte();
            if properties & 7 > 4 {
                return Err(("block properties", u32::from(properties)));
            }
            let alignment = match properties & 0x88 {
                0 => BlockAlignment::Oword,
                _ => BlockAlignment::Dword,
            };
            Ok((1 << (properties & 7), alignment))
        }
        put((owords, alignment), p) { (log2(owords) | bit(alignment == BlockAlignment::Dword, 3)).put(p) }
    }

    /// Bytes of a block: 1, 4, 8.
    BlockBytes: u8 {
        take(t) {
            let block = t.byte();
            match block & 3 {
                0 => Ok(1),
                1 => Ok(4),
                2 => Ok(8),
                _ => Err(("block size", u32::from(block))),
            }
        }
        put(bytes, p) {
            let code: u8 = match bytes {
                1 => 0,
                4 => 1,
                8 => 2,
                _ => 3,
            };
            code.put(p);
        }
    }

    /// Blocks of a lane: 1, 2, 4, 8.
    Blocks: u8 {
        take(t) { power(t, "number of blocks", 3) }
        put(blocks, p) { log2(blocks).put(p) }
    }

    /// Bytes of an element: 1, 2, 4.
    ElementSize: u8 {
        take(t) { power(t, "element size", 2) }
        put(bytes, p) { log2(bytes).put(p) }
    }

    /// The execution size and mask, which `gather` and `scatter` have among their operands; other sizes than 1, 8 and 16
    /// have no meaning there.
    Lanes: () {
        take(t) {
            let count = t.byte();
            let size = match count & 15 {
                0 => ExecSize::S8,
                1 => ExecSize::S16,
                2 => ExecSize::S1,
                _ => return Err(("number of elements", u32::from(count))),
            };
            t.exec = Some(Exec { size, mask: EMask::from_raw(count >> 4) });
            Ok(())
        }
        put((), p) {
            let size = match p.exec.size {
                ExecSize::S8 => 0,
                ExecSize::S16 => 1,
                ExecSize::S1 => 2,
                _ => 15u8,
            };
            (size | p.exec.mask.raw() << 4).put(p);
        }
    }

    /// The operation of an atomic, and its bits.
    AtomicWord: (AtomicOp, u8) {
        take(t) {
            let raw = t.byte();
            let fault = ("atomic operation", u32::from(raw));
            let bits = match raw >> 5 {
                0 => 32,
                1 => 16,
                2 => 64,
                _ => return Err(fault),
            };
            Ok((AtomicOp::from_raw(raw & 31).ok_or(fault)?, bits))
        }
        put((op, bits), p) {
            let width = match bits {
                32 => 0,
                16 => 1,
                64 => 2,
                _ => 7,
            };
            (op.raw() | width << 5).put(p);
        }
    }

    /// A field that instructions with this opcode have.
    Given: Option<SamplerId> {
        take(t) { SamplerId::take(t).map(Some) }
        put(sampler, p) { p.operands.extend(sampler.map(Operand::Sampler)) }
    }

    /// The pitch, which strided messages have.
    Pitch: Option<&'a VectorOperand> {
        take(t) { Field::take(t).map(Some) }
        put(pitch, p) { p.operands.extend(pitch.map(|v| Operand::Vector(*v))) }
    }

    /// Channels and lanes of the samples of old.
    LegacyMode: (ChannelMask, SampleLanes) {
        take(t) {
            let mode = t.byte();
            let lanes = match mode >> 4 & 3 {
                0 => SampleLanes::Eight,
                _ => SampleLanes::Sixteen,
            };
            Ok((ChannelMask(mode & 15), lanes))
        }
        put((channels, lanes), p) { (channels.0 & 15 | bit(lanes == SampleLanes::Sixteen, 4)).put(p) }
    }

    /// Channels and format of a block of pixels.
    UnormMode: (ChannelMask, PixelFormat) {
        take(t) {
            let mode = t.byte();
            let format = PixelFormat::from_raw(mode >> 4 & 3).ok_or(("output format", u32::from(mode)))?;
            Ok((ChannelMask(mode & 15), format))
        }
        put((channels, format), p) { (channels.0 & 15 | format.raw() << 4).put(p) }
    }

    /// The operation of a sample, and three flags.
    SampleWord: (SamplerOp, bool, bool, bool) {
        take(t) {
            let word = low_u16(t.num());
            let flag = |bit: u16| word >> bit & 1 != 0;
            let op = low_u8(word);
            let op = SamplerOp::from_raw(op).ok_or(("operation", u32::from(op)))?;
            Ok((op, flag(8), flag(9), flag(10)))
        }
        put((op, pixel_null_mask, cps, non_uniform_sampler), p) {
            let flags = bit(pixel_null_mask, 0) | bit(cps, 1) | bit(non_uniform_sampler, 2);
            u16::from_le_bytes([op.raw(), flags]).put(p);
        }
    }

    /// Shape of a matrix operation.
    MatrixShape: (Precision, Precision, u8, u8) {
        take(t) {
            let [weight, activation, depth, repeat] = t.num().to_le_bytes();
            let precision = |field, raw| Precision::from_raw(raw).ok_or((field, u32::from(raw)));
            let weight = precision("weight precision", weight)?;
            Ok((weight, precision("activation precision", activation)?, depth, repeat))
        }
        put((weight, activation, depth, repeat), p) {
            u32::from_le_bytes([weight.raw(), activation.raw(), depth, repeat]).put(p);
        }
    }

    /// End or start of a variable's life, and the variable.
    Life: (LifetimeMark, LifetimeVar) {
        take(t) {
            let properties = t.byte();
            let id = t.num();
            let var = match properties >> 4 & 3 {
                0 => LifetimeVar::General(VarId(id)),
                1 if id <= 0xffff => LifetimeVar::Address(AddrId(low_u16(id))),
                2 => LifetimeVar::Predicate(PredId(id)),
                _ => return Err(("properties", u32::from(properties))),
            };
            let mark = if properties & 1 != 0 { LifetimeMark::End } else { LifetimeMark::Start };
            Ok((mark, var))
        }
        put((mark, var), p) {
            let (class, id) = match var {
                LifetimeVar::General(v) => (0, v.0),
                LifetimeVar::Address(a) => (1, a.0.into()),
                LifetimeVar::Predicate(q) => (2, q.0),
            };
            (bit(mark == LifetimeMark::End, 0) | class << 4).put(p);
            id.put(p);
        }
    }

    /// Size, order and number of the data of a message to the load/store cache. Compilers write elements and channels
    /// as one number to both fields: whichever counts.
    Shape: LscShape {
        take(t) {
            let op = LscOp::from_raw(t.sub);
            let (size, order) = (Field::take(t)?, Field::take(t)?);
            let (elems, mask) = (t.byte(), t.byte());
            if op.is_some_and(LscOp::has_channel_mask) {
                if mask == 0 || mask > 15 {
                    return Err(("channel mask", u32::from(mask)));
                }
                return Ok(LscShape { size, order, elems: LscElems::X1, channels: Some(ChannelMask(mask)) });
            }
            let elems = LscElems::from_raw(elems).ok_or(("data elements", u32::from(elems)))?;
            Ok(LscShape { size, order, elems, channels: None })
        }
        put(shape, p) {
            let data = shape.channels.map_or(shape.elems.raw(), |m| m.0);
            shape.size.put(p);
            shape.order.put(p);
            [data; 2].put(p);
        }
    }

    /// Coordinates, and behind each of the first three its offset.
    Coordinates: ([RawOperand; 4], [i32; 3]) {
        take(t) {
            let (u, du) = (Field::take(t)?, Field::take(t)?);
            let (v, dv) = (Field::take(t)?, Field::take(t)?);
            let (r, dr) = (Field::take(t)?, Field::take(t)?);
            Ok(([u, v, r, Field::take(t)?], [du, dv, dr]))
        }
        put((coords, offsets), p) {
            for (at, offset) in coords.into_iter().zip(offsets) {
                at.put(p);
                offset.put(p);
            }
            coords[3].put(p);
        }
    }
}
