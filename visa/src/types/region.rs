//! Regions of operands.

use narrow::{as_index, const_u16, wide_u8, wide_u16};

/// A region `<V;W,H>` as encoded: three nibbles, each a code for null, 0, 1, 2, 4, 8, 16 or 32.
///
/// A destination has only a horizontal stride; a source with a null vertical stride and a width is the
/// `<W,H>` (VxH) form of indirect operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Region(u16);

const REGION_VALUES: [Option<u8>; 8] =
    [None, Some(0), Some(1), Some(2), Some(4), Some(8), Some(16), Some(32)];

const fn region_code(value: Option<u8>) -> u16 {
    match value {
        None => 0,
        Some(0) => 1,
        Some(v) => const_u16(as_index(v.trailing_zeros())) + 2,
    }
}

impl Region {
    /// From the object's word; `None` if a nibble has no meaning.
    pub const fn from_raw(raw: u16) -> Option<Region> {
        if raw & 0xf888 != 0 { None } else { Some(Region(raw)) }
    }

    /// A source region `<v;w,h>`; every value must be 0 or a power of two up to 32.
    pub const fn src(v: u8, w: u8, h: u8) -> Region {
        Region(region_code(Some(v)) | region_code(Some(w)) << 4 | region_code(Some(h)) << 8)
    }

    /// A destination region `<h>`.
    pub const fn dst(h: u8) -> Region {
        Region(region_code(Some(h)) << 8)
    }

    /// An indirect `<w,h>` region, one address per row.
    pub const fn vxh(w: u8, h: u8) -> Region {
        Region(region_code(Some(w)) << 4 | region_code(Some(h)) << 8)
    }

    /// The object's word.
    pub const fn raw(self) -> u16 {
        self.0
    }

    /// Vertical stride in elements, if the region has one.
    pub const fn vstride(self) -> Option<u8> {
        REGION_VALUES[as_index(wide_u16(self.0 & 7))]
    }

    /// Width in elements, if the region has one.
    pub const fn width(self) -> Option<u8> {
        REGION_VALUES[as_index(wide_u16(self.0 >> 4 & 7))]
    }

    /// Horizontal stride in elements, if the region has one.
    pub const fn hstride(self) -> Option<u8> {
        REGION_VALUES[as_index(wide_u16(self.0 >> 8 & 7))]
    }

    /// Element index that lane `lane` reads, counted from the operand's origin. Missing parts count as
    /// vertical stride 0, width 1 and horizontal stride 1 (a destination `<h>` is a plain stride).
    pub const fn element(self, lane: u32) -> u32 {
        let h = match self.hstride() {
            Some(h) => wide_u8(h),
            None => 1,
        };
        match (self.vstride(), self.width()) {
            (Some(v), Some(w)) if w > 0 => (lane / wide_u8(w)) * wide_u8(v) + (lane % wide_u8(w)) * h,
            (_, None) => lane * h,
            (_, Some(w)) if w > 0 => (lane % wide_u8(w)) * h,
            _ => 0,
        }
    }

    /// True if every lane reads the same element.
    pub const fn is_scalar(self) -> bool {
        matches!(
            (self.vstride(), self.width(), self.hstride()),
            (Some(0), Some(1), _) | (Some(0), Some(_), Some(0))
        )
    }
}

impl std::fmt::Display for Region {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let value = |v: Option<u8>| v.map_or(-1, i32::from);
        match (self.vstride(), self.width(), self.hstride()) {
            (_, None, h) => write!(f, "<{}>", value(h)),
            (None, w, h) => write!(f, "<{},{}>", value(w), value(h)),
            (v, w, h) => write!(f, "<{};{},{}>", value(v), value(w), value(h)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_count_elements() {
        let r = Region::src(8, 4, 2);
        assert_eq!((r.vstride(), r.width(), r.hstride()), (Some(8), Some(4), Some(2)));
        assert_eq!((0..6).map(|l| r.element(l)).collect::<Vec<_>>(), [0, 2, 4, 6, 8, 10]);
        assert_eq!(Region::src(0, 1, 0).element(7), 0);
        assert_eq!(Region::dst(2).element(3), 6);
        assert_eq!(r.to_string(), "<8;4,2>");
        assert_eq!(Region::dst(1).to_string(), "<1>");
        assert_eq!(Region::from_raw(0x0008), None);
        assert!(Region::src(0, 1, 0).is_scalar() && !Region::src(1, 1, 0).is_scalar());
    }
}
