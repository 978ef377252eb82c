//! Where operands may lie, and which may meet: what [`check`](super::check) asks of registers, and legalization of variables
//! that have no registers yet. A place that is not known is `None`, or a closure says whether it is surely a multiple.
//!
//! | asked | by the rules | by legalization |
//! |---|---|---|
//! | [`divides_evenly`], [`Walk::is_halved`] | `even-registers`, `math-split` | `split` |
//! | [`Walk::is_halved_or_whole`] | `even-owords` | `split` |
//! | [`Walk::end`], [`span_fits`] | `destination-span`, `source-span` | `split` |
//! | [`rows_inside`] | `row-crossing` | `split` |
//! | [`mixed_lanes`] | `mixed-simd`, `mixed-packed-simd` | `split` |
//! | [`strides_with`], [`starts_with`] | `destination-stride`, `destination-alignment` | `destination` |
//! | [`converts_at_once`] | `byte-64`, `half-64` | `conversions`, `bytes` |
//! | [`half_of_float`], [`dword_of_half`] | `half-float`, `half-integer` | `conversions` |
//! | [`vector_step`], [`VECTOR_BYTES`] | `vector-stride`, `vector-alignment` | `immediates` |
//! | [`is_wide`], [`keeps_channels`], [`spreads_evenly`] | `wide-*`, `lane-shift` | `places` |
//! | [`lies_as_result`], [`is_narrowed`] | `last-source` | `ternary`, `mixing` |
//! | [`Channels`] | `wide-stride`, `wide-offset`, `lane-shift`, `last-source` | `places`, `ternary` |
//! | [`narrow_fits`](super::narrow_fits), [`computes_in_floats`] | `narrow-pack` | `narrow_types` |
//! | [`only_count_is_long`] | `shift-count` | `opcodes` |
//! | [`factors_have_modifiers`] | `mul-modifier`, `mad-modifier` | `modifiers` |

use platforms::Caps;

use crate::{Class, Dst, Inst, Op, Region, Space, Src, Type, elements_below};

/// A destination's way over its registers.
#[derive(Clone, Copy, Debug)]
pub struct Walk {
    /// Channels.
    pub lanes: u32,
    /// The first byte, from the start of the first register on.
    pub start: u32,
    /// Bytes from one element to the next.
    pub step: u32,
    /// Bytes of an element.
    pub size: u32,
}

impl Walk {
    /// One past the last byte.
    pub const fn end(self) -> u32 {
        self.start + (self.lanes - 1) * self.step + self.size
    }

    /// Elements that begin below a byte.
    pub const fn below(self, limit: u32) -> u32 {
        elements_below(self.start, self.step, self.lanes, limit)
    }

    /// Whether as many elements lie below a byte as behind it.
    pub const fn is_halved(self, limit: u32) -> bool {
        2 * self.below(limit) == self.lanes
    }

    /// Whether all elements lie on one side of a byte, or half of them on each.
    pub const fn is_halved_or_whole(self, limit: u32) -> bool {
        let lower = self.below(limit);
        lower == 0 || lower == self.lanes || 2 * lower == self.lanes
    }
}

/// Whether a destination in two registers has half of its elements in each: all on Broadwell, and those of `math`.
pub const fn divides_evenly(caps: &Caps, class: Class) -> bool {
    caps.regions.even_writes || matches!(class, Class::Math)
}

/// An operand lies in two registers at most.
pub const fn span_fits(end: u32, grf_bytes: u32) -> bool {
    end <= 2 * grf_bytes
}

/// Elements of one row stay inside one register.
pub fn rows_inside(region: Region, ty: Type, start: u32, lanes: u32, grf_bytes: u32) -> bool {
    if region.width == Region::ABSENT {
        return true;
    }
    let width = u32::from(region.width).clamp(1, lanes);
    let last = ((width - 1) * u32::from(region.horz) + 1) * ty.bytes() - 1;
    let rows = (0..lanes / width).map(|row| start + row * u32::from(region.vert) * ty.bytes());
    rows.into_iter().all(|first| first / grf_bytes == (first + last) / grf_bytes)
}

/// Channels, at most, of an operation on halves and floats. (The manual has no exception for moves, and Intel's finalizer cuts
/// them. Mesa's compiler did, too, until tests showed that hardware does without: `is_mixed_float_with_fp32_dst`.)
pub fn mixed_lanes<S: Space>(caps: &Caps, inst: &Inst<S>) -> Option<u32> {
    let packed = matches!(
        inst.dst,
        Dst::Direct { horz: 1, ty: Type::Hf, .. } | Dst::Indirect { horz: 1, ty: Type::Hf, .. }
    );
    let bf16 = inst.types().any(|ty| ty == Type::Bf);
    let limited = packed || bf16 || inst.dst.ty() == Some(Type::F);
    (inst.is_mixed_float() && limited && !converts_any(caps, inst)).then_some(caps.regs.native_lanes().into())
}

/// Whether a move converts as many halves as integers. On Broadwell, which has no mixed mode; on Xe-HPC to floats, from halves
/// side by side and from one for all channels (Intel's finalizer writes `mov (32|M0) r6.0<1>:f r2.0<0;1,0>:hf`, and packs
/// others before).
fn converts_any<S: Space>(caps: &Caps, inst: &Inst<S>) -> bool {
    if caps.regions.float_regions {
        return inst.op == Op::Mov && !caps.regions.mixed_half.packs();
    }
    let together =
        |(region, _): (Region, Type)| region.is_scalar() || region.stride(inst.exec.lanes()) == Some(1);
    inst.op == Op::Mov && inst.dst.ty() == Some(Type::F) && register(&inst.src[0]).is_some_and(together)
}

/// Whether a narrower destination lies as the channels of the computation do. (Intel's compiler also strides bytes of word
/// operations by dwords.)
pub const fn strides_with(dst: Type, step: u32, exec_bytes: u32) -> bool {
    step == exec_bytes || dst.bytes() == 1 && exec_bytes == 2 && step == 4
}

/// Whether a narrower destination begins where a channel of the computation does, given its byte in that channel. Relaxed
/// for bytes: the second lowest will do.
pub const fn starts_with(dst: Type, byte: u32) -> bool {
    byte == 0 || dst.bytes() == 1 && byte == 1
}

/// Whether an operation makes its result of a source's type itself: neither bytes nor halves become 64 bits in one move, nor the
/// other way round (volume 2a, `mov`, where one channel is no exception; Intel's finalizer takes two steps for it, too).
/// Other operations that do for several channels what the sentence says of moves are in doubt: Mesa's validator refuses them, Intel's
/// finalizer writes `add q, q, b` before Xe-HPC. They are rewritten, and the rule is silent where they stand in others' code.
pub fn converts_at_once<S: Space>(inst: &Inst<S>, from: Type) -> bool {
    let Some(to) = inst.dst.ty() else { return true };
    let narrow = |ty: Type| ty.bytes() == 1 || ty == Type::Hf;
    let apart = narrow(to) && from.bytes() == 8 || narrow(from) && to.bytes() == 8;
    !apart || inst.op != Op::Mov && inst.exec.lanes() == 1
}

/// Halves made of floats lie in every other word, or packed from 16 bytes on. Gen8 has no mixed mode: each half is the low
/// word of its dword (Intel's compiler writes no other).
pub fn half_of_float(caps: &Caps, stride: u32, starts_at: impl Fn(u32) -> bool) -> bool {
    let mixed = caps.regions.mixed_half.packs() || !caps.regions.float_regions;
    stride == 2 && (mixed || starts_at(4)) || mixed && stride == 1 && starts_at(16)
}

/// What halves made of integers, or integers made of halves, lie in: whole dwords.
pub fn dword_of_half(stride: u32, ty: Type, starts_at: impl Fn(u32) -> bool) -> bool {
    stride * ty.bytes() == 4 && starts_at(4)
}

/// Whether an operation is one of 64 bits, as dword multiplication is.
pub fn is_wide<S: Space>(inst: &Inst<S>) -> bool {
    let Some(dst) = inst.dst.ty() else { return false };
    let dword = |i: usize| inst.src[i].ty().is_some_and(Type::is_dword);
    dst.bytes() == 8
        || inst.exec_type().is_some_and(|exec| exec.bytes() == 8)
        || inst.op == Op::Mul && dword(0) && dword(1)
}

/// Whether an operation computes floats, or reads floats that are no scalars: those are broadcast, whatever they become.
fn has_floats<S: Space>(inst: &Inst<S>) -> bool {
    let read = |src: &Src<S>| register(src).is_some_and(|(region, ty)| ty.is_float() && !region.is_scalar());
    inst.dst.ty().is_some_and(Type::is_float) || inst.exec.lanes() > 1 && inst.src.iter().any(read)
}

/// Whether an operation reads each channel from where it writes it: those of 64 bits on Cherryview and Broxton, those
/// and the ones of floats on Xe-HPC. (bfloat16 has places of its own: [`bf16_place`](super::mixing::bf16_place).)
pub fn keeps_channels<S: Space>(caps: &Caps, inst: &Inst<S>) -> bool {
    if caps.regions.float_regions {
        return caps.regions.restricted_64bit && is_wide(inst);
    }
    let bf16 = inst.types().any(|ty| ty == Type::Bf);
    !bf16 && (has_floats(inst) || is_wide(inst))
}

/// Whether channels have to stay in place because of their types: see [`keeps_channels`].
pub fn computes_in_floats<S: Space>(inst: &Inst<S>) -> bool {
    let wide = |ty: Type| ty.is_float() || ty.bytes() == 8;
    let source = |src: &Src<S>| match register(src) {
        Some((region, ty)) => ty.bytes() == 8 || ty.is_float() && !region.is_scalar(),
        None => src.is_imm() && src.ty().is_some_and(|ty| ty.bytes() == 8),
    };
    inst.dst.ty().is_some_and(wide) || inst.src.iter().any(source)
}

/// A source in registers.
fn register<S: Space>(src: &Src<S>) -> Option<(Region, Type)> {
    match *src {
        Src::Direct { region, ty, .. } | Src::Indirect { region, ty, .. } => Some((region, ty)),
        _ => None,
    }
}

/// Where the channels of an operand lie.
#[derive(Clone, Copy, Debug)]
pub struct Channels {
    /// Bytes from one to the next, if they are the same for all.
    pub step: Option<u32>,
    /// The byte of the first in its register, if it is known.
    pub place: Option<u32>,
}

impl Channels {
    /// Whether they surely lie as far from each other as others do.
    pub fn step_as(self, other: Channels) -> bool {
        self.step.is_some() && self.step == other.step
    }

    /// Whether the first surely is at the byte of its register where the first of others is.
    pub fn start_as(self, other: Channels) -> bool {
        self.place.is_some() && self.place == other.place
    }

    /// Whether each surely lies at the byte of its register where that of others does.
    pub fn lie_as(self, other: Channels) -> bool {
        self.step_as(other) && self.start_as(other)
    }
}

/// Whether a conversion between floats and halves packs or spreads the halves itself: both lie side by side, the halves
/// in the half of their register where the floats' places, divided by two, are (Intel's finalizer, `fixUnalignedRegions`:
/// `isPackedMixedMode`).
pub fn spreads_evenly(to: (Type, Channels), from: (Type, Channels), grf_bytes: u32) -> bool {
    let packed = |(ty, c): (Type, Channels)| c.step == Some(ty.bytes());
    let place = |(ty, c): (Type, Channels)| {
        c.place.map(|byte| if ty == Type::F { byte / 2 } else { byte } % (grf_bytes / 2))
    };
    let same = match (place(to), place(from)) {
        (Some(to), Some(from)) => to == from,
        _ => true,
    };
    packed(to) && packed(from) && same
}

/// Whether the last source of a ternary instruction in align1, if it is in general registers as the result is, has to lie as
/// that does: it has hardly a region. (Intel's finalizer: `noSrc2Regioning`, from Gen11 on.)
pub fn lies_as_result<S: Space>(inst: &Inst<S>) -> bool {
    let several = register(&inst.src[2]).is_some_and(|(region, _)| !region.is_scalar());
    several && inst.exec.lanes() > 1 && !is_narrowed(inst)
}

/// Whether a ternary instruction makes a half or a bfloat16 with a single float as its last source. Both begin where registers do
/// then, unless that is one for all channels (Intel's finalizer, `fixMixedHFInst`).
pub fn is_narrowed<S: Space>(inst: &Inst<S>) -> bool {
    inst.is_mixed_float() && inst.src[2].ty() != inst.dst.ty()
}

/// The bytes that a vector of constants fills, and to which a destination beside it is aligned.
pub const VECTOR_BYTES: u32 = 16;

/// Bytes from one channel of a destination to the next beside a vector of constants: those of an element of it (volume 7,
/// "Immediate"; Mesa's validator, `vector_immediate_restrictions`).
pub fn vector_step(vector: Type) -> Option<u32> {
    let element = vector.of_elements();
    (element != vector).then(|| element.bytes())
}

/// Whether a shift works on 64 bits because of its count alone.
pub fn only_count_is_long<S: Space>(inst: &Inst<S>) -> bool {
    let long = |ty: Option<Type>| ty.is_some_and(|t| t.bytes() == 8);
    long(inst.src[1].ty()) && !long(inst.src[0].ty()) && !long(inst.dst.ty())
}

/// Whether the factors of a product of integers, or of a sum with one, may have modifiers. On Tiger Lake and later those of a
/// narrow factor beside a dword are not applied, and Intel's finalizer takes those of dwords away, too. A dword that is a
/// factor of a sum has none in align1 (Intel's finalizer, `isGoodAlign1TernarySrc`); align16 has no integers.
pub fn factors_have_modifiers<S: Space>(caps: &Caps, inst: &Inst<S>, factor: Type) -> bool {
    match inst.op {
        Op::Mul => {
            let dword = |src: &Src<S>| src.ty().is_some_and(Type::is_dword);
            caps.ops.mul_source_mods || !inst.src[..2].iter().any(dword)
        }
        Op::Mad => !factor.is_dword(),
        _ => true,
    }
}
