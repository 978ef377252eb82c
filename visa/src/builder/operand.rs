//! Handles of variables, and the operands that are made of them.

use narrow::{low_u8, wide_u16};

use crate::{
    ids::*,
    operand::*,
    types::{ExecSize, Modifier, PredCtrl, Region, Type},
};

/// A general variable of a kernel that is being built.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct General {
    pub(super) id: VarId,
    pub(super) ty: Type,
    pub(super) elements: u16,
    pub(super) grf_bytes: u8,
}

impl General {
    /// Its index in the kernel.
    pub const fn id(self) -> VarId {
        self.id
    }

    /// Type of an element.
    pub const fn ty(self) -> Type {
        self.ty
    }

    /// Size in bytes.
    pub const fn bytes(self) -> u32 {
        wide_u16(self.elements) * self.ty.bytes()
    }

    /// The operand that starts at an element. An element beyond the object format's reach (255 registers)
    /// becomes its last one, which the verifier then refuses.
    pub fn at(self, element: u32) -> Slice {
        let grf = u32::from(self.grf_bytes);
        let byte = element.saturating_mul(self.ty.bytes());
        let row = u8::try_from(byte / grf).unwrap_or(u8::MAX);
        let col = low_u8(byte % grf / self.ty.bytes());
        Slice { var: self, row, col, region: None, modifier: Modifier::None }
    }

    /// One element, for all lanes.
    pub fn lane(self, element: u32) -> Slice {
        self.at(element).region(0, 1, 0)
    }

    /// A piece for messages, from a byte offset on.
    pub const fn raw(self, offset: u16) -> RawOperand {
        RawOperand { var: self.id, offset }
    }
}

impl From<General> for RawOperand {
    fn from(var: General) -> RawOperand {
        var.raw(0)
    }
}

/// A region of a general variable. Where no region is given, a destination is packed, and a source is
/// packed too, or one element for all lanes if the variable or the instruction has only one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slice {
    var: General,
    row: u8,
    col: u8,
    region: Option<Region>,
    modifier: Modifier,
}

impl Slice {
    /// Source region `<v;w,h>`.
    #[must_use]
    pub const fn region(mut self, v: u8, w: u8, h: u8) -> Slice {
        self.region = Some(Region::src(v, w, h));
        self
    }

    /// Destination stride.
    #[must_use]
    pub const fn stride(mut self, h: u8) -> Slice {
        self.region = Some(Region::dst(h));
        self
    }

    /// With a modifier: negation, absolute value, saturation.
    #[must_use]
    pub const fn modify(mut self, modifier: Modifier) -> Slice {
        self.modifier = modifier;
        self
    }

    fn operand(self, default: Region) -> VectorOperand {
        VectorOperand::General(GeneralOperand {
            var: self.var.id,
            row: self.row,
            col: self.col,
            region: self.region.unwrap_or(default),
            modifier: self.modifier,
        })
    }
}

impl From<General> for Slice {
    fn from(var: General) -> Slice {
        var.at(0)
    }
}

/// What an instruction writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dest {
    /// A region whose stride may be left to the builder.
    Region(Slice),
    /// Any operand.
    Operand(VectorOperand),
}

/// What an instruction reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// A region that may be left to the builder.
    Region(Slice),
    /// Any operand.
    Operand(VectorOperand),
}

impl Dest {
    pub(super) fn operand(self) -> VectorOperand {
        match self {
            Dest::Region(r) => r.operand(Region::dst(1)),
            Dest::Operand(o) => o,
        }
    }
}

impl Source {
    pub(super) fn operand(self, size: ExecSize) -> VectorOperand {
        match self {
            Source::Region(r) if size == ExecSize::S1 || r.var.elements == 1 => {
                r.operand(Region::src(0, 1, 0))
            }
            Source::Region(r) => r.operand(Region::src(1, 1, 0)),
            Source::Operand(o) => o,
        }
    }
}

/// A constant: the low bits of `bits`, as many as the type has.
pub const fn imm(ty: Type, bits: u64) -> Source {
    Source::Operand(VectorOperand::imm(ty, bits))
}

/// A region found through an address variable, one address for all lanes: `r[A0(0),offset]<1>:ty`.
pub const fn indirect(addr: AddrId, offset: i16, ty: Type, region: Region) -> VectorOperand {
    VectorOperand::Indirect(IndirectOperand {
        addr,
        addr_offset: 0,
        offset,
        ty,
        region,
        modifier: Modifier::None,
    })
}

/// The first `width` elements of an address variable.
pub const fn address(addr: AddrId, width: ExecSize) -> VectorOperand {
    VectorOperand::Address(AddressOperand { addr, offset: 0, width, modifier: Modifier::None })
}

/// A predicate as data.
pub const fn flag(pred: PredId) -> VectorOperand {
    VectorOperand::Predicate(PredOperand::new(pred), Modifier::None)
}

/// A guard that is true where the predicate is false.
pub const fn not(pred: PredId) -> PredOperand {
    PredOperand { id: pred, inverse: true, ctrl: PredCtrl::None }
}

/// A guard that is true if the predicate is true in any lane.
pub const fn any(pred: PredId) -> PredOperand {
    PredOperand { id: pred, inverse: false, ctrl: PredCtrl::Any }
}

/// A guard that is true if the predicate is true in all lanes.
pub const fn all(pred: PredId) -> PredOperand {
    PredOperand { id: pred, inverse: false, ctrl: PredCtrl::All }
}

macro_rules! from {
    ($($from:ty => $to:ident: |$x:ident| $make:expr;)+) => {
        $(impl From<$from> for $to {
            fn from($x: $from) -> $to { $make }
        })+
    };
}

from! {
    General => Dest: |v| Dest::Region(v.at(0));
    Slice => Dest: |r| Dest::Region(r);
    VectorOperand => Dest: |o| Dest::Operand(o);
    PredId => Dest: |p| Dest::Operand(flag(p));
    General => Source: |v| Source::Region(v.at(0));
    Slice => Source: |r| Source::Region(r);
    VectorOperand => Source: |o| Source::Operand(o);
    PredId => Source: |p| Source::Operand(flag(p));
    SurfaceId => Source: |surface| Source::Operand(VectorOperand::Surface { surface, offset: 0 });
    SamplerId => Source: |sampler| Source::Operand(VectorOperand::Sampler { sampler, offset: 0 });
    SurfaceId => Dest: |surface| Dest::Operand(VectorOperand::Surface { surface, offset: 0 });
    SamplerId => Dest: |sampler| Dest::Operand(VectorOperand::Sampler { sampler, offset: 0 });
    u32 => Source: |n| imm(Type::UD, n.into());
    i32 => Source: |n| imm(Type::D, u64::from(n.cast_unsigned()));
    u16 => Source: |n| imm(Type::UW, n.into());
    f32 => Source: |n| imm(Type::F, n.to_bits().into());
    f64 => Source: |n| imm(Type::DF, n.to_bits());
    u64 => Source: |n| imm(Type::UQ, n);
    i64 => Source: |n| imm(Type::Q, n.cast_unsigned());
}

impl From<PredId> for PredOperand {
    fn from(pred: PredId) -> PredOperand {
        PredOperand::new(pred)
    }
}
