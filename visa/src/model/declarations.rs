//! What a kernel declares: variables, labels and inputs.
//!
//! Specification: "The Virtual ISA Object Format".

use super::attributes::AttrRange;
use crate::{
    ids::{SamplerId, StrId, SurfaceId, VarId},
    types::{Align, LabelKind, Type},
};

/// A declared general variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GeneralVar {
    /// Name.
    pub name: StrId,
    /// Element type.
    pub ty: Type,
    /// Least alignment.
    pub align: Align,
    /// Elements.
    pub num_elements: u16,
    /// The variable this one is a view of.
    pub alias: Option<Alias>,
    /// Attributes.
    pub attrs: AttrRange,
}

impl GeneralVar {
    /// Size in bytes.
    pub fn bytes(&self) -> u32 {
        u32::from(self.num_elements) * self.ty.bytes()
    }
}

/// A variable that shares the bytes of another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Alias {
    /// The other variable; may be an alias itself or predefined.
    pub base: VarId,
    /// Bytes from its start.
    pub offset: u16,
    /// `base` is an index of the object's file-scope variables (old objects).
    pub file_scope: bool,
}

/// An address, predicate, sampler or surface variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SimpleVar {
    /// Name.
    pub name: StrId,
    /// Elements.
    pub num_elements: u16,
    /// Attributes.
    pub attrs: AttrRange,
}

/// A label.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// Name.
    pub name: StrId,
    /// What it marks.
    pub kind: LabelKind,
    /// Attributes.
    pub attrs: AttrRange,
}

/// The variable that an input fills.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InputVar {
    /// A general variable.
    General(VarId),
    /// A sampler variable.
    Sampler(SamplerId),
    /// A surface variable.
    Surface(SurfaceId),
}

/// Where an input's value comes from: 0 a kernel argument, 1 local size, 2 group count, 3 local id,
/// 16 pseudo input (spec "Input Variables").
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Provenance(pub u8);

impl Provenance {
    /// A kernel argument.
    pub const EXPLICIT: Provenance = Provenance(0);
    /// Local size, 3 dwords.
    pub const LOCAL_SIZE: Provenance = Provenance(1);
    /// Group count, 3 dwords.
    pub const GROUP_COUNT: Provenance = Provenance(2);
    /// Local id, 3 dwords.
    pub const LOCAL_ID: Provenance = Provenance(3);
    /// A value that is in registers already at kernel start.
    pub const PSEUDO_INPUT: Provenance = Provenance(16);
}

/// A kernel input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Input {
    /// The variable it fills.
    pub var: InputVar,
    /// Where the value comes from.
    pub provenance: Provenance,
    /// Byte offset in the register file at kernel start.
    pub offset: i16,
    /// Bytes.
    pub size: u16,
}
