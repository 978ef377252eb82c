//! The fields that entries of messages name.

use super::row::*;
use crate::{Access, types::Type};

/// What a channel of 32 bits may be.
pub(crate) const DWORDS: Types = Types::of(&[Type::UD, Type::D, Type::F]);
/// What 64 bits of a lane may be.
pub(crate) const QWORDS: Types = Types::of(&[Type::UQ, Type::Q, Type::DF]);
/// What a sample may give.
pub(crate) const TEXELS: Types = Types::of(&[Type::HF, Type::F, Type::W, Type::UW, Type::D, Type::UD]);
/// Addresses of the whole address space.
pub(crate) const ADDRESSES: Types = Types::of(&[Type::UQ, Type::Q]);

pub(super) const MASK: Slot = u8("channel mask").text(Text::Channels);
pub(super) const ATOMIC: Slot = u8("atomic operation").text(Text::Atomic);
pub(super) const BLOCKS: Slot = u8("number of blocks").text(Text::Power);
pub(super) const GLOBAL: Slot = scalar("global offset", Types::INT);
pub(crate) const OFFSETS: Slot = raw_src("offsets").types(Types::DWORD);
pub(crate) const U: Slot = raw_src("u offsets");
pub(crate) const V: Slot = raw_src("v offsets");
pub(crate) const R: Slot = raw_src("r offsets");
pub(crate) const LOD: Slot = raw_src("level of detail").when(When::Since(302));
pub(crate) const SRC0: Slot = raw_src("source 0");
pub(crate) const SRC1: Slot = raw_src("source 1");

/// A coordinate of a texel, or its level of detail.
pub(crate) const fn texel(slot: Slot) -> Slot {
    slot.types(Types::DWORD)
}

/// Data of loads and of stores; what is stored is there.
pub(crate) const fn data_of(access: Access) -> Slot {
    match access {
        Access::Load => raw_dst("data"),
        Access::Store => raw_src("data").needed(),
    }
}

pub(super) const fn float(name: &'static str) -> Slot {
    scalar(name, Types::of(&[Type::F]))
}

pub(super) const SAMPLE_OP: Slot = Slot::new("operation", Enc::SampleOp, Role::Control);
pub(super) const TEXEL_OFFSETS: Slot =
    Slot { classes: Classes::SRC, scalar: true, ..Slot::new("texel offsets", Enc::Aoffimmi, Role::Src) };
pub(crate) const PARAMETERS: Slot = Slot::new("parameters", Enc::RawList, Role::Src);

pub(super) const SFID: Slot = u8("shared function");
pub(super) const L1: Slot = u8("L1 cache control");
pub(super) const L3: Slot = u8("L3 cache control");
pub(super) const SIZE: Slot = u8("data size");
pub(super) const ORDER: Slot = u8("data order");
pub(super) const ELEMENTS: Slot = u8("data elements");
/// Channels of the operations that have a mask of them.
pub(super) const QUAD_MASK: Slot = u8("channel mask");
pub(super) const BASE: Slot =
    scalar("surface", Types::ANY).classes(Classes::GENERAL.or(Classes::IMMEDIATE).or(Classes::ADDRESS));
pub(super) const INDEX: Slot = u32("surface index").when(When::SurfaceIndex);

pub(super) const fn int(name: &'static str) -> Slot {
    scalar(name, Types::INT)
}
