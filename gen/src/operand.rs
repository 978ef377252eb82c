//! Destination and source operands.

use crate::{ExecSize, Reg, Space, Type};
use narrow::{ones, wide_u8, wide_u16, wide_u32};

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

/// Source modifier.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[repr(u8)]
pub enum SrcMod {
    /// No modifier.
    #[default]
    None,
    /// Arithmetic negation, or bitwise `not` in logic instructions.
    Neg,
    /// Absolute value.
    Abs,
    /// The absolute value, negated.
    NegAbs,
}

narrow::enum_numbers!(SrcMod: number u8);

impl SrcMod {
    /// The modifier that does of a float what this one does, and then another.
    pub const fn then(self, then: SrcMod) -> SrcMod {
        let neg = if then.abs() { then.neg() } else { self.neg() != then.neg() };
        SrcMod::new(self.abs() || then.abs(), neg)
    }

    /// Negation, or none.
    pub const fn neg_if(neg: bool) -> SrcMod {
        SrcMod::new(false, neg)
    }

    /// Absolute value, or none.
    pub const fn abs_if(abs: bool) -> SrcMod {
        SrcMod::new(abs, false)
    }

    /// The modifier that does these.
    pub const fn new(abs: bool, neg: bool) -> SrcMod {
        match (abs, neg) {
            (false, false) => SrcMod::None,
            (false, true) => SrcMod::Neg,
            (true, false) => SrcMod::Abs,
            (true, true) => SrcMod::NegAbs,
        }
    }

    /// What text has in front of the operand.
    pub const fn prefix(self) -> &'static str {
        match self {
            SrcMod::None => "",
            SrcMod::Neg => "-",
            SrcMod::Abs => "(abs)",
            SrcMod::NegAbs => "-(abs)",
        }
    }

    /// Absolute value, taken before negation.
    pub const fn abs(self) -> bool {
        matches!(self, SrcMod::Abs | SrcMod::NegAbs)
    }

    /// Arithmetic negation, or bitwise `not` in logic instructions.
    pub const fn neg(self) -> bool {
        matches!(self, SrcMod::Neg | SrcMod::NegAbs)
    }

    /// Whether anything is modified.
    pub const fn any(self) -> bool {
        !matches!(self, SrcMod::None)
    }
}

/// The extra-precision register that a math macro operand names beside its GRF (`r12.mme3`).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Mme {
    /// `mme0` to `mme7`.
    Reg(u8),
    /// `nomme`.
    None,
}

/// A destination operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Dst<S: Space> {
    /// The instruction form has no destination.
    None,
    /// `r12.4<2>:w`.
    Direct {
        /// Where the first channel is written.
        reg: Reg<S>,
        /// Horizontal stride in elements: 1, 2 or 4 (0 appears only in odd encodings).
        horz: u8,
        /// Element type.
        ty: Type,
    },
    /// `r[a0.2,32]<1>:d`.
    Indirect {
        /// The address subregister, or the address variable before allocation.
        addr: Reg<S>,
        /// Byte offset added to the address: -512 to 511 (Xe: multiples fit the field of the platform).
        imm: i16,
        /// Horizontal stride in elements.
        horz: u8,
        /// Element type.
        ty: Type,
    },
    /// `r12.mme1:f` of a math macro.
    Macro {
        /// The GRF.
        reg: Reg<S>,
        /// Extra-precision register.
        mme: Mme,
        /// Element type.
        ty: Type,
    },
}

impl<S: Space> Dst<S> {
    /// `null<1>:ty`.
    pub const fn null(ty: Type) -> Self {
        Dst::Direct { reg: Reg::NULL, horz: 1, ty }
    }

    /// A direct destination with stride 1.
    pub const fn packed(reg: Reg<S>, ty: Type) -> Self {
        Dst::Direct { reg, horz: 1, ty }
    }

    /// The element type, if there is a destination.
    pub const fn ty(&self) -> Option<Type> {
        match *self {
            Dst::None => None,
            Dst::Direct { ty, .. } | Dst::Indirect { ty, .. } | Dst::Macro { ty, .. } => Some(ty),
        }
    }

    /// The register written directly, if any.
    pub const fn reg(&self) -> Option<Reg<S>> {
        match *self {
            Dst::Direct { reg, .. } | Dst::Macro { reg, .. } => Some(reg),
            _ => None,
        }
    }
}

/// A register at the place inside a source where all sources have theirs: whether a source names one, and which, is then
/// asked with one comparison and one load, whatever kind of source it is. All passes ask that of every source.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(align(8))]
pub struct InPlace<S: Space>(pub Reg<S>);

/// A source operand. Kinds that name a register stand behind those that name none.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Src<S: Space> {
    /// The instruction form has no such source.
    None,
    /// An immediate. The low `ty.bytes()` bytes (all of a packed vector's 32 bits) hold the value; the
    /// rest is zero.
    Imm {
        /// The bits.
        bits: u64,
        /// Its type.
        ty: Type,
    },
    /// `(-)r12.4<8;8,1>:w`.
    Direct {
        /// Where the region starts.
        reg: Reg<S>,
        /// The region.
        region: Region,
        /// Source modifier.
        mods: SrcMod,
        /// Element type.
        ty: Type,
    },
    /// `r[a0.2,32]<8;8,1>:w`, or `<W,H>` with one address per row (`vert` is [`Region::VXH`]).
    Indirect {
        /// The (first) address subregister, or the address variable before allocation.
        addr: Reg<S>,
        /// Byte offset added to the address.
        imm: i16,
        /// The region.
        region: Region,
        /// Source modifier.
        mods: SrcMod,
        /// Element type.
        ty: Type,
    },
    /// `r12.mme1:f` of a math macro.
    Macro {
        /// The GRF.
        reg: Reg<S>,
        /// Extra-precision register.
        mme: Mme,
        /// Source modifier.
        mods: SrcMod,
        /// Element type.
        ty: Type,
    },
    /// The byte address of a variable in the register file, for address arithmetic. Allocation turns it
    /// into an immediate; physical code has none.
    AddrOf {
        /// The variable (marked [`Var::address_taken`](crate::Var::address_taken)) and a byte offset.
        reg: InPlace<S>,
        /// Type of the value, `:uw` or wider.
        ty: Type,
    },
}

impl<S: Space> Src<S> {
    /// A direct source without modifiers.
    pub const fn new(reg: Reg<S>, region: Region, ty: Type) -> Self {
        Src::Direct { reg, region, mods: SrcMod::None, ty }
    }

    /// `<0;1,0>`.
    pub const fn scalar(reg: Reg<S>, ty: Type) -> Self {
        Src::new(reg, Region::SCALAR, ty)
    }

    /// `<1;1,0>`.
    pub const fn packed(reg: Reg<S>, ty: Type) -> Self {
        Src::new(reg, Region::PACKED, ty)
    }

    /// The payload of a message with `exec` channels: whole registers from `reg` on.
    pub const fn payload(reg: Reg<S>, exec: ExecSize) -> Self {
        Src::new(reg, Region::payload(exec.lanes()), Type::Ud)
    }

    /// An immediate of a 64-bit or narrower type.
    pub const fn imm(bits: u64, ty: Type) -> Self {
        let n = match ty {
            Type::V | Type::Uv | Type::Vf => 4,
            _ => ty.bytes(),
        };
        Src::Imm { bits: bits & ones(n * 8), ty }
    }

    /// An unsigned dword immediate.
    pub const fn ud(value: u32) -> Self {
        Src::Imm { bits: wide_u32(value), ty: Type::Ud }
    }

    /// An unsigned word immediate.
    pub const fn uw(value: u16) -> Self {
        Src::Imm { bits: wide_u32(wide_u16(value)), ty: Type::Uw }
    }

    /// A signed dword immediate.
    pub const fn d(value: i32) -> Self {
        Src::Imm { bits: wide_u32(value.cast_unsigned()), ty: Type::D }
    }

    /// The element type, if there is an operand.
    pub const fn ty(&self) -> Option<Type> {
        match *self {
            Src::None => None,
            Src::Direct { ty, .. }
            | Src::Indirect { ty, .. }
            | Src::Macro { ty, .. }
            | Src::AddrOf { ty, .. }
            | Src::Imm { ty, .. } => Some(ty),
        }
    }

    /// The register read directly, if any.
    pub const fn reg(&self) -> Option<Reg<S>> {
        match *self {
            Src::Direct { reg, .. } | Src::Macro { reg, .. } => Some(reg),
            _ => None,
        }
    }

    /// The address of what a register holds, as a number.
    pub const fn address_of(reg: Reg<S>, ty: Type) -> Self {
        Src::AddrOf { reg: InPlace(reg), ty }
    }

    /// The register that is named, if any: what is read, where it is, or whose address is meant.
    #[inline]
    pub const fn named(&self) -> Option<Reg<S>> {
        match *self {
            Src::Direct { reg, .. }
            | Src::Indirect { addr: reg, .. }
            | Src::Macro { reg, .. }
            | Src::AddrOf { reg: InPlace(reg), .. } => Some(reg),
            Src::None | Src::Imm { .. } => None,
        }
    }

    /// The source modifier.
    pub const fn mods(&self) -> SrcMod {
        match *self {
            Src::Direct { mods, .. } | Src::Indirect { mods, .. } | Src::Macro { mods, .. } => mods,
            _ => SrcMod::None,
        }
    }

    /// Whether this is an immediate.
    pub const fn is_imm(&self) -> bool {
        matches!(self, Src::Imm { .. })
    }

    /// The type of a packed immediate, if this is one.
    pub const fn vector_type(&self) -> Option<Type> {
        match *self {
            Src::Imm { ty, .. } if ty.is_vector() => Some(ty),
            _ => None,
        }
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
