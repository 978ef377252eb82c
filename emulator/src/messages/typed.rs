//! Typed surface messages: texels by integer coordinates, converted from and to the image's format.

use super::{Mail, Place, atomic::Atomic};
use crate::{
    memory::{Image, Memory, Texel},
    num::{HALF, Round},
    report::SendKind,
    thread::{Trap, mask},
};
use messages::{
    Access, Operation,
    hdc::{Atomic as AtomicMessage, AtomicOp, SlotGroup, Surface},
    lsc::{BtiExtended, Quad},
};
use narrow::{low_i32, low_u16, low_u32, single, to_f64, to_index, whole};

/// The bits of channel `c` of a texel as the shader sees them: a float or an integer of 32 bits.
/// Channels the image lacks read as 0, and alpha as 1.
pub(crate) fn unpack(image: &Image, texel: u128, c: u32) -> u32 {
    let c = if image.bgra && c != 3 && c != 1 { 2 - c } else { c };
    if c >= u32::from(image.channels) {
        return absent(image, c);
    }
    let bits = u32::from(image.channel_bytes) * 8;
    let raw = low_u32(texel >> (c * bits)) & mask(bits);
    let signed = low_i32(raw << (32 - bits)) >> (32 - bits);
    match image.texel {
        Texel::Uint => raw,
        Texel::Sint => low_u32(signed),
        Texel::Float if bits == 16 => crate::num::f16_to_f32(low_u16(raw)).to_bits(),
        Texel::Float => raw,
        Texel::Unorm => (f64::from(raw) / to_f64((1u64 << bits) - 1)).to_bits_f32(),
        Texel::Snorm => (f64::from(signed) / to_f64((1u64 << (bits - 1)) - 1)).max(-1.0).to_bits_f32(),
    }
}

/// What a channel reads as that is not there: 0, and alpha 1.
fn absent(image: &Image, c: u32) -> u32 {
    match (c, image.texel) {
        (3, Texel::Sint | Texel::Uint) => 1,
        (3, _) => 1.0f32.to_bits(),
        _ => 0,
    }
}

/// Channel `c` of what [`fetch`] found. Outside of the image there are no channels (vISA, "GATHER4_TYPED", out-of-bound
/// access).
pub(crate) fn channel(image: &Image, texel: Option<u128>, c: u32) -> u32 {
    texel.map_or_else(|| absent(image, c), |texel| unpack(image, texel, c))
}

/// The stored bits of channel `c` of a texel.
pub(crate) fn pack(image: &Image, value: u32) -> u32 {
    let bits = u32::from(image.channel_bytes) * 8;
    let x = f64::from(f32::from_bits(value));
    let max = to_f64((1u64 << bits) - 1);
    let smax = to_f64((1u64 << (bits - 1)) - 1);
    match image.texel {
        Texel::Uint => value.min(mask(bits)),
        Texel::Sint => {
            let lim = 1i64 << (bits - 1);
            low_u32(i64::from(low_i32(value)).clamp(-lim, lim - 1))
        }
        Texel::Float if bits == 16 => low_u32(HALF.from_f64(x, Round::Even)),
        Texel::Float => value,
        Texel::Unorm => low_u32(whole((clamp(x, 0.0) * max).round_ties_even())),
        Texel::Snorm => low_u32(whole((clamp(x, -1.0) * smax).round_ties_even())),
    }
}

fn clamp(x: f64, low: f64) -> f64 {
    if x.is_nan() { 0.0 } else { x.clamp(low, 1.0) }
}

trait ToBits {
    fn to_bits_f32(self) -> u32;
}

impl ToBits for f64 {
    fn to_bits_f32(self) -> u32 {
        single(self).to_bits()
    }
}

/// A whole texel, or nothing outside of the image.
pub(crate) fn fetch(
    memory: &mut Memory,
    base: u64,
    image: &Image,
    x: i64,
    y: i64,
    z: i64,
) -> Result<Option<u128>, Trap> {
    let Some(offset) = image.offset(x, y, z) else { return Ok(None) };
    let mut texel = 0u128;
    for i in 0..image.texel_bytes() {
        let byte = memory.load(base + offset + u64::from(i), 1).map_err(|e| Trap(e.to_string()))?;
        texel |= u128::from(byte) << (8 * i);
    }
    Ok(Some(texel))
}

/// The image and coordinates of a typed message.
struct Grid {
    base: u64,
    image: Image,
    place: Place,
}

fn grid(mail: &Mail<'_, '_>, place: Place) -> Result<Grid, Trap> {
    let s = mail.surface(place)?;
    let Some(image) = &s.image else { return Err("a typed message to a surface without shape".into()) };
    Ok(Grid { base: s.base, image: image.clone(), place })
}

/// Where a lane's texel is, by coordinates of one payload register (or more) each; missing ones are zero.
fn coordinates(
    mail: &mut Mail<'_, '_>,
    image: &Image,
    first: u32,
    stride: u32,
    count: u32,
    lane: u32,
) -> Result<[i64; 3], Trap> {
    let mut c = [0; 3];
    for (k, v) in c.iter_mut().enumerate().take(image.coordinates()) {
        if to_index(k) < count {
            *v = i64::from(low_i32(low_u32(mail.address(first + to_index(k) * stride + 4 * lane, 4)?)));
        }
    }
    Ok(image.place(c))
}

/// Channels of a typed data port message: as many dwords as a register holds.
fn channels(mail: &Mail<'_, '_>) -> u32 {
    mail.grf / 4
}

/// Typed surface read and write: 8 channels, 16 on Xe-HPC.
pub(super) fn read_or_write(mail: &mut Mail<'_, '_>, access: Access) -> Result<SendKind, Trap> {
    let fields = mail.as_kind::<Surface>();
    let g = grid(mail, mail.place(fields.surface()))?;
    let head = mail.header();
    let (mask, components) = (fields.disabled_channels().into(), fields.channel_count());
    let high = fields.slot_group() == Some(SlotGroup::High);
    let lanes = channels(mail);
    let data = if access.is_store() { components } else { 0 };
    let count = (mail.len() - head.min(mail.len())).saturating_sub(data);
    let on = if high && mail.lanes > lanes { mail.on >> lanes } else { mail.on };
    transfer(mail, &g, TexelShape { access, mask, lanes, on, first: head * mail.grf, count })
}

/// Typed LSC quad messages.
pub(super) fn lsc_quad(mail: &mut Mail<'_, '_>, access: Access) -> Result<SendKind, Trap> {
    let g = grid(mail, mail.place(BtiExtended::from(mail.ex_desc).surface()))?;
    let mask = u32::from(!mail.as_kind::<Quad>().channels() & 0xf);
    let lanes = mail.lanes;
    let count = mail.len0 / mail.regs(lanes, 4);
    let on = mail.on;
    transfer(mail, &g, TexelShape { access, mask, lanes, on, first: 0, count })
}

struct TexelShape {
    access: Access,
    /// Disabled components.
    mask: u32,
    lanes: u32,
    on: u32,
    first: u32,
    /// Coordinates in the payload.
    count: u32,
}

fn transfer(mail: &mut Mail<'_, '_>, g: &Grid, s: TexelShape) -> Result<SendKind, Trap> {
    let block = mail.regs(s.lanes, 4) * mail.grf;
    let data = s.first + s.count * block;
    let bits = u32::from(g.image.channel_bytes) * 8;
    for lane in (0..s.lanes).filter(|l| s.on >> l & 1 != 0) {
        let [x, y, z] = coordinates(mail, &g.image, s.first, block, s.count, lane)?;
        if !s.access.is_store() {
            let texel = fetch(mail.cx.memory, g.base, &g.image, x, y, z)?;
            for (k, c) in (0..4).filter(|c| s.mask >> c & 1 == 0).enumerate() {
                let v = channel(&g.image, texel, c);
                mail.reply(to_index(k) * block + 4 * lane, 4, v.into())?;
            }
            continue;
        }
        let Some(offset) = g.image.offset(x, y, z) else { continue };
        for (k, c) in (0..4u32).filter(|c| s.mask >> c & 1 == 0).enumerate() {
            let at = data + to_index(k) * block + 4 * lane;
            let stored = if g.image.bgra && c != 3 && c != 1 { 2 - c } else { c };
            if stored < u32::from(g.image.channels) {
                let v = pack(&g.image, low_u32(mail.data(at, 4)?));
                let to = g.base + offset + u64::from(stored * bits / 8);
                mail.store(Place::Flat, to, bits / 8, v.into())?;
            }
        }
    }
    Ok(mail.kind_of(g.place, s.access.into()))
}

/// Typed atomics on 32-bit texels: 8 channels, 16 on Xe-HPC.
pub(super) fn atomic(mail: &mut Mail<'_, '_>) -> Result<SendKind, Trap> {
    let fields = mail.as_kind::<AtomicMessage>();
    let g = grid(mail, mail.place(fields.surface()))?;
    let Some(op) = fields.integer().map(AtomicOp::row) else { return Err("no such atomic".into()) };
    let returns = fields.returns();
    let first = mail.header() * mail.grf;
    let lanes = channels(mail);
    let on = if fields.width() && mail.lanes > lanes { mail.on >> lanes } else { mail.on };
    let block = mail.regs(lanes, 4) * mail.grf;
    let count = (mail.len() * mail.grf - first).saturating_sub(op.operands() * block) / block;
    atomics(mail, &g, op, (lanes, on, first, count), returns)
}

/// Typed atomics of the load/store cache.
pub(super) fn lsc_atomic(mail: &mut Mail<'_, '_>, op: Operation) -> Result<SendKind, Trap> {
    let g = grid(mail, mail.place(BtiExtended::from(mail.ex_desc).surface()))?;
    let lanes = mail.lanes;
    let count = mail.len0 / mail.regs(lanes, 4);
    let returns = mail.rlen != 0 && mail.m.dst.is_some();
    let block = mail.regs(lanes, 4);
    mail.expect((count + op.operands()) * block, if returns { block } else { 0 });
    atomics(mail, &g, op, (lanes, mail.on, 0, count), returns)
}

/// Atomics of channels that have so many coordinates, from a byte of the payload on, and the data behind them.
fn atomics(
    mail: &mut Mail<'_, '_>,
    g: &Grid,
    op: Operation,
    (lanes, on, first, count): (u32, u32, u32, u32),
    returns: bool,
) -> Result<SendKind, Trap> {
    let block = mail.regs(lanes, 4) * mail.grf;
    for lane in (0..lanes).filter(|l| on >> l & 1 != 0) {
        let [x, y, z] = coordinates(mail, &g.image, first, block, count, lane)?;
        let Some(offset) = g.image.offset(x, y, z) else {
            if returns {
                mail.reply(4 * lane, 4, 0)?;
            }
            continue;
        };
        let data = first + count * block + 4 * lane;
        let a = if op.operands() > 0 { mail.data(data, 4)? } else { 0 };
        let b = if op.operands() > 1 { mail.data(data + block, 4)? } else { 0 };
        let old = mail.load(Place::Flat, g.base + offset, 4)?;
        let new = op.apply(old, a, b, 4);
        mail.store(Place::Flat, g.base + offset, 4, new)?;
        if returns {
            mail.reply(4 * lane, 4, op.result(old, new))?;
        }
    }
    Ok(SendKind::Atomic)
}
