//! Xe-HPC: bytes and words that are packed from elements farther apart.
//!
//! Integer operations move a channel within its dword, and pack words and bytes in a few fixed ways; what packs
//! otherwise takes two instructions. (Bspec 56640, "Special Restrictions", source 0 and source 1: Mesa's validator
//! `register_region_special_restrictions`; Intel's finalizer `fixByteXBarRestriction`, which runs on Ponte Vecchio.
//! Divisions of places round down in both, and Intel's compiler makes use of it.)

use super::{Cx, places::computes_in_floats};
use crate::{Arf, Base, Region};

/// A destination of bytes or words.
#[derive(Clone, Copy, Debug)]
pub struct Narrow {
    /// Bytes of an element.
    pub bytes: u32,
    /// Elements from one channel to the next.
    pub stride: u32,
    /// The byte in its register modulo 32, if it is known.
    pub place: Option<u32>,
}

/// A source beside a [`Narrow`] destination.
#[derive(Clone, Copy, Debug)]
pub struct NarrowSource {
    /// Bytes of an element.
    pub bytes: u32,
    /// How it walks over its elements.
    pub region: Region,
    /// The byte in its register, if it is known.
    pub place: Option<u32>,
    /// It is a second source whose words have to lie where the bytes of the result do
    /// ([`platforms::Errata::swizzled_words_to_bytes`]).
    pub fixed_words: bool,
}

/// Whether an integer operation on `lanes` channels reads `src` for `dst`.
pub fn narrow_fits(dst: Narrow, src: NarrowSource, lanes: u32) -> bool {
    let by_dwords = dst.bytes >= 4 || src.bytes >= 4 || dst.bytes * dst.stride >= 4;
    if by_dwords || lanes == 1 || src.region.is_scalar() {
        return true;
    }
    let r = src.region;
    let rows = r.is_complete() && u32::from(r.width) < lanes && r.width > 1;
    let uniform = !rows || u32::from(r.vert) == u32::from(r.width) * u32::from(r.horz);
    let stride = match r.vert {
        Region::VXH => u32::from(r.horz),
        _ => r.element(1),
    };
    if !uniform {
        let dword = dst.place.is_some_and(|p| p.is_multiple_of(4));
        // Pairs of bytes in packed bytes: only ones that are nearly packed themselves.
        let pairs =
            dst.bytes == 1 && dst.stride == 1 && r.width == 2 && u32::from(r.horz) + u32::from(r.vert) >= 4;
        return dword && !pairs && stride < nearest(dst, src.bytes);
    }
    if stride < nearest(dst, src.bytes) {
        return true;
    }
    let (Some(to), Some(from)) = (dst.place, src.place) else { return false };
    let from = from / src.bytes;
    match (dst.bytes, dst.stride, src.bytes, stride) {
        (2, 1, 2, 2) => to / 2 % 16 == from / 2,
        (2, 1, 1, 4) => 2 * (to / 2 % 16) == from / 2,
        (2, 1, 1, 8) => 2 * (to / 2 % 8) == from / 4,
        (1, 2, 2, 2) => !src.fixed_words && to % 32 == from,
        (1, 2, 1, 4) | (1, 1, 1, 2) => to % 32 == from / 2,
        (1, 2, 1, 8) | (1, 1, 1, 4) => to % 16 == from / 4,
        _ => false,
    }
}

/// The least stride of a source that has to lie at a certain place for a destination.
fn nearest(dst: Narrow, src_bytes: u32) -> u32 {
    match (dst.bytes, dst.stride, src_bytes) {
        (_, _, 2) | (1, 1, 1) => 2,
        _ => 4,
    }
}

pub(super) fn check(cx: &mut Cx<'_>) {
    if !cx.caps.regions.narrow_packs_restricted || cx.lanes() == 1 || computes_in_floats(cx.inst) {
        return;
    }
    let (Some(ty), Some((stride, byte))) = (cx.dst_type(), cx.dst_layout()) else { return };
    if cx.dst_is_null() {
        let dword = stride * ty.bytes() >= 4;
        cx.require(dword, "narrow-null", "a null destination of words or bytes is one dword a channel");
    }
    let dst = Narrow { bytes: ty.bytes(), stride, place: byte.map(|b| b % 32) };
    for (i, o) in cx.operands() {
        let one_by_one = o.is_indirect() && o.region.vert == Region::VXH && o.region.width == 1;
        if i == 2 || one_by_one || matches!(o.at, Some((Base::Arf(a), _)) if !matches!(a, Arf::Acc(_))) {
            continue;
        }
        let place = o.at.map(|(_, b)| b);
        let src = NarrowSource { bytes: o.ty.bytes(), region: o.region, place, fixed_words: false };
        let fits = narrow_fits(dst, src, cx.lanes());
        cx.require(
            fits,
            "narrow-pack",
            "packed words and bytes come from elements at most a dword apart, at fitting places",
        );
        if fits && i == 1 && cx.caps.errata.swizzled_words_to_bytes {
            let stays = narrow_fits(dst, NarrowSource { fixed_words: true, ..src }, cx.lanes());
            cx.require(
                stays,
                "byte-swizzle",
                "words as the second source of bytes lie no farther apart than these",
            );
        }
    }
}
