//! Regions: which elements the channels of a source read.

use narrow::wide_u8;

/// A source region `<V;W,H>`, in elements.
///
/// Ternary instructions have no width and some have no vertical stride for the last source; those
/// fields then hold [`Region::ABSENT`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Region {
    /// Vertical stride: 0, 1, 2, 4, 8, 16, 32, [`Region::VXH`] or [`Region::ABSENT`].
    pub vert: u8,
    /// Width: 1, 2, 4, 8, 16 or [`Region::ABSENT`].
    pub width: u8,
    /// Horizontal stride: 0, 1, 2, 4.
    pub horz: u8,
}

impl Region {
    /// `vert` of an indirect region with one address per row (`VxH`, `Vx1`).
    pub const VXH: u8 = 0xfe;
    /// A field that the instruction form does not have.
    pub const ABSENT: u8 = 0xff;
    /// The largest stride of a row that words can say, in elements (volume 7, "Vertical Stride").
    pub const WIDEST: u32 = 32;
    /// `<0;1,0>`: one element for all channels.
    pub const SCALAR: Region = Region::new(0, 1, 0);
    /// `<1;1,0>`: packed elements, with no row boundary.
    pub const PACKED: Region = Region::new(1, 1, 0);
    /// `<2;2,0>`: each pair of channels reads its first element. What `.xyxy` and `.zwzw` select of doubles in
    /// Align16 code (Gen8 and Gen9); ternary sources of those platforms have no other region with a width.
    pub const PAIRS: Region = Region::new(2, 2, 0);

    /// What a message of `lanes` channels writes for its payload, which is whole registers: rows as long as
    /// fit. Only Gen8 words hold it, and there the region rules cover it (volume 7, "Register Region
    /// Restrictions": one channel has no strides).
    pub const fn payload(lanes: u32) -> Region {
        match lanes {
            1 => Region::SCALAR,
            2 => Region::new(2, 2, 1),
            4 => Region::new(4, 4, 1),
            _ => Region::new(8, 8, 1),
        }
    }

    /// `<vert;width,horz>`.
    pub const fn new(vert: u8, width: u8, horz: u8) -> Region {
        Region { vert, width, horz }
    }

    /// `<vert;horz>` of a ternary source.
    pub const fn ternary(vert: u8, horz: u8) -> Region {
        Region { vert, width: Region::ABSENT, horz }
    }

    /// `<horz>` of the last ternary source.
    pub const fn ternary_last(horz: u8) -> Region {
        Region { vert: Region::ABSENT, width: Region::ABSENT, horz }
    }

    /// Whether all three of `<V;W,H>` are given: forms of three sources lack some, and with an address for each row there
    /// is no vertical stride.
    pub const fn is_complete(self) -> bool {
        self.width != Self::ABSENT && self.vert != Self::VXH
    }

    /// Whether every channel reads the same element.
    pub const fn is_scalar(self) -> bool {
        match (self.vert, self.width) {
            (Self::VXH, _) => false,
            (Self::ABSENT, _) => self.horz == 0,
            (0, 1) => true,
            (0, _) => self.horz == 0,
            _ => false,
        }
    }

    /// Whether the region is written as neighbours without gaps: `<1;1,0>`, `<8;8,1>` and the like.
    pub const fn is_packed(self) -> bool {
        let rows = self.horz == 1 && self.vert == self.width && self.width != Self::ABSENT && self.width != 0;
        rows || self.vert == 1 && self.width == 1
    }

    /// The distance in elements from each channel's element to the next, if it is the same for all of `lanes`: 0 for a
    /// scalar. None with an address for each row.
    pub fn stride(self, lanes: u32) -> Option<u32> {
        if lanes <= 1 {
            return Some(0);
        }
        if self.vert == Self::VXH || self.width == 0 {
            return None;
        }
        if self.width == Self::ABSENT {
            return (self.vert == Self::ABSENT).then_some(self.horz.into());
        }
        let (v, w, h) = (u32::from(self.vert), u32::from(self.width), u32::from(self.horz));
        if w >= lanes {
            Some(h)
        } else if w == 1 {
            Some(v)
        } else {
            (v == w * h).then_some(h)
        }
    }

    /// Whether channel `n` of `lanes` reads element `n`. Never with an address for each row.
    #[inline(always)]
    pub const fn one_by_one(self, lanes: u32) -> bool {
        // Most are: this much becomes a part of the caller.
        self.is_packed() || self.reads_in_order(lanes)
    }

    #[inline(never)]
    const fn reads_in_order(self, lanes: u32) -> bool {
        if self.vert == Self::VXH {
            return false;
        }
        if lanes <= 1 {
            return true;
        }
        if self.is_scalar() {
            return false;
        }
        let mut channel = 0;
        while channel < lanes {
            if self.element(channel) != channel {
                return false;
            }
            channel += 1;
        }
        true
    }

    /// The same of a source of three, if that is what it is: [`Self::element`] of a channel is so many times its number.
    pub const fn ternary_stride(self) -> Option<u32> {
        let (v, h) = (wide_u8(self.vert), wide_u8(self.horz));
        match () {
            () if self.width != Self::ABSENT => None,
            () if self.vert == Self::ABSENT => Some(h),
            () if h == 0 => Some(v),
            () if v % h == 0 => Some(h),
            () => None,
        }
    }

    /// Element offset that channel `channel` reads, relative to the operand's start (direct regions).
    pub const fn element(self, channel: u32) -> u32 {
        if self.width == Self::ABSENT {
            if self.vert == Self::ABSENT {
                return channel * wide_u8(self.horz);
            }
            // Align1 ternary: a row holds vert / horz elements, one where either is 0.
            let (v, h) = (wide_u8(self.vert), wide_u8(self.horz));
            return match v.checked_div(h) {
                None => channel * v,
                Some(0) => channel * h,
                Some(row) => channel / row * v + channel % row * h,
            };
        }
        let width = wide_u8(self.width);
        channel / width * wide_u8(self.vert) + channel % width * wide_u8(self.horz)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stride_of_three_sources_says_where_every_channel_reads() {
        for (vert, horz) in [0, 1, 2, 4, 8, Region::ABSENT].iter().flat_map(|v| [0, 1, 2, 4].map(|h| (*v, h)))
        {
            let region = Region::ternary(vert, horz);
            if let Some(stride) = region.ternary_stride() {
                assert!((0..32).all(|channel| region.element(channel) == channel * stride), "{region:?}");
            }
        }
        assert_eq!(Region::ternary(2, 1).ternary_stride(), Some(1));
        assert_eq!(Region::PACKED.ternary_stride(), None);
    }

    #[test]
    fn a_stride_says_where_every_channel_reads() {
        let steps = [0, 1, 2, 4, 8];
        for (vert, width, horz) in
            steps.iter().flat_map(|v| steps.iter().flat_map(move |w| steps.map(|h| (*v, *w, h))))
        {
            if width == 0 {
                continue;
            }
            let region = Region::new(vert, width, horz);
            for lanes in [2, 4, 8, 16] {
                let step = region.element(1);
                let even = (0..lanes).all(|channel| region.element(channel) == channel * step);
                assert_eq!(region.stride(lanes), even.then_some(step), "{region:?} of {lanes} channels");
            }
            assert_eq!(region.stride(1), Some(0));
        }
        assert_eq!(Region::new(Region::VXH, 1, 0).stride(8), None);
    }
}
