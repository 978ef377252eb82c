//! Load/store-cache instructions (spec `LSC_UNTYPED`, `LSC_TYPED`, `LSC_FENCE`).

use super::row::*;
use crate::{
    lsc::LscOp::{self, *},
    opcode::Opcode,
    opcode::Opcode::*,
};

const SFID: Slot = u8("shared function");
const L1: Slot = u8("L1 cache control");
const L3: Slot = u8("L3 cache control");
const ADDR_TYPE: Slot = u8("address type");
const ADDR_SIZE: Slot = u8("address size");
const SIZE: Slot = u8("data size");
const ORDER: Slot = u8("data order");
const ELEMS: Slot = u8("data elements");
const CHMASK: Slot = u8("channel mask");
const BASE: Slot =
    scalar("surface", Types::ANY).classes(Classes::GENERAL.or(Classes::IMMEDIATE).or(Classes::ADDRESS));
const INDEX: Slot = u32("surface index").when(When::SurfaceIndex);
const ADDR: Slot = raw_src("addresses");
const SRC1: Slot = raw_src("source 1");
const SRC2: Slot = raw_src("source 2");
const DST: Slot = raw_dst("destination");

const fn lsc(opcode: Opcode, code: u8, name: &'static str, slots: &'static [Slot]) -> Row {
    sub(opcode, code, name, slots).on(has!(memory.lsc))
}

const fn field(name: &'static str) -> Slot {
    BASE.named(name)
}

#[rustfmt::skip]
const UNTYPED: &[Slot] = &[
    SUB, EXEC, PRED, SFID, L1, L3, ADDR_TYPE, u16("address scale"), i32("address offset"), ADDR_SIZE,
    SIZE, ORDER, ELEMS, CHMASK, BASE, INDEX, DST, ADDR, SRC1, SRC2,
];

#[rustfmt::skip]
const STRIDED: &[Slot] = &[
    SUB, EXEC, PRED, SFID, L1, L3, ADDR_TYPE, u16("address scale"), i32("address offset"), ADDR_SIZE,
    SIZE, ORDER, ELEMS, CHMASK, BASE, INDEX, DST, ADDR, field("address pitch"), SRC1,
];

#[rustfmt::skip]
const BLOCK2D: &[Slot] = &[
    SUB, EXEC, PRED, SFID, L1, L3, SIZE, ORDER, u8("blocks"), u16("block width"), u16("block height"), u8("vnni"),
    DST, field("surface base"), field("surface width"), field("surface height"), field("surface pitch"),
    field("x offset"), field("y offset"), SRC1,
];

#[rustfmt::skip]
const APPEND: &[Slot] = &[
    SUB, EXEC, PRED, SFID, L1, L3, ADDR_TYPE, SIZE, ORDER, ELEMS, CHMASK, BASE, INDEX, DST, SRC1,
];

#[rustfmt::skip]
const TYPED: &[Slot] = &[
    SUB, EXEC, PRED, L1, L3, ADDR_TYPE, ADDR_SIZE, SIZE, ORDER, ELEMS, CHMASK, BASE, INDEX, DST,
    raw_src("u addresses"), i32("u offset"), raw_src("v addresses"), i32("v offset"),
    raw_src("r addresses"), i32("r offset"), raw_src("level of detail"), SRC1, SRC2,
];

#[rustfmt::skip]
const TYPED_BLOCK2D: &[Slot] = &[
    SUB, EXEC, PRED, L1, L3, ADDR_TYPE, u16("block width"), u16("block height"), BASE, INDEX, DST,
    field("x offset"), field("y offset"), SRC1,
];

const fn untyped(op: LscOp) -> Row {
    lsc(LscUntyped, op.raw(), op.name(), UNTYPED)
}

const fn typed(op: LscOp) -> Row {
    lsc(LscTyped, op.raw(), op.name(), TYPED)
}

#[rustfmt::skip]
pub(super) static ROWS: &[Row] = &[
    untyped(Load), untyped(LoadQuad), untyped(Store), untyped(StoreQuad),
    untyped(AtomicIinc), untyped(AtomicIdec), untyped(AtomicLoad), untyped(AtomicStore),
    untyped(AtomicIadd), untyped(AtomicIsub), untyped(AtomicSmin), untyped(AtomicSmax),
    untyped(AtomicUmin), untyped(AtomicUmax), untyped(AtomicIcas), untyped(AtomicFadd),
    untyped(AtomicFsub), untyped(AtomicFmin), untyped(AtomicFmax), untyped(AtomicFcas),
    untyped(AtomicAnd), untyped(AtomicOr), untyped(AtomicXor), untyped(LoadStatus),
    untyped(StoreUncompressed), untyped(CcsUpdate), untyped(AtomicBfadd), untyped(AtomicBfsub),
    untyped(AtomicBfmin), untyped(AtomicBfmax), untyped(AtomicBfcas), untyped(LoadQuadStatus),
    lsc(LscUntyped, LoadStrided.raw(),      LoadStrided.name(),      STRIDED),
    lsc(LscUntyped, StoreStrided.raw(),     StoreStrided.name(),     STRIDED),
    lsc(LscUntyped, LoadBlock2d.raw(),      LoadBlock2d.name(),      BLOCK2D),
    lsc(LscUntyped, StoreBlock2d.raw(),     StoreBlock2d.name(),     BLOCK2D),
    lsc(LscUntyped, ApndctrAtomicAdd.raw(), ApndctrAtomicAdd.name(), APPEND),
    lsc(LscUntyped, ApndctrAtomicSub.raw(), ApndctrAtomicSub.name(), APPEND),
    typed(LoadQuad), typed(StoreQuad),
    typed(AtomicIinc), typed(AtomicIdec), typed(AtomicLoad), typed(AtomicStore),
    typed(AtomicIadd), typed(AtomicIsub), typed(AtomicSmin), typed(AtomicSmax),
    typed(AtomicUmin), typed(AtomicUmax), typed(AtomicIcas), typed(AtomicFadd),
    typed(AtomicFsub), typed(AtomicFmin), typed(AtomicFmax), typed(AtomicFcas),
    typed(AtomicAnd), typed(AtomicOr), typed(AtomicXor), typed(LoadStatus),
    typed(StoreUncompressed), typed(CcsUpdate), typed(ReadStateInfo), typed(LoadQuadStatus),
    lsc(LscTyped, LoadBlock2d.raw(),  LoadBlock2d.name(),  TYPED_BLOCK2D),
    lsc(LscTyped, StoreBlock2d.raw(), StoreBlock2d.name(), TYPED_BLOCK2D),
];
