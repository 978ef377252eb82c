//! Data port and shared virtual memory instructions.

use super::row::*;
use crate::opcode::Opcode::*;

const MASK: Slot = u8("channel mask");
const GLOBAL: Slot = scalar("global offset", Types::INT);
const OFFSETS: Slot = raw_src("offsets");

const fn oword(data: Slot) -> [Slot; 5] {
    [u8("block size"), u8("modifier"), SURFACE, scalar("offset", Types::INT), data]
}

const fn media(data: Slot) -> [Slot; 8] {
    [
        u8("modifier"),
        SURFACE,
        u8("plane"),
        u8("block width"),
        u8("block height"),
        scalar("x offset", Types::INT),
        scalar("y offset", Types::INT),
        data,
    ]
}

const fn typed4(data: Slot) -> [Slot; 9] {
    [EXEC, PRED, MASK, SURFACE, raw_src("u offsets"), raw_src("v offsets"), raw_src("r offsets"), LOD, data]
}

const LOD: Slot = raw_src("level of detail").when(When::Since(302));

pub(super) static TYPED4_OLD: &[Slot] = &[
    MASK,
    EXEC,
    SURFACE,
    raw_src("u offsets"),
    raw_src("v offsets"),
    raw_src("r offsets"),
    LOD,
    raw_src("data"),
];

const fn scaled4(data: Slot) -> [Slot; 8] {
    [EXEC, PRED, MASK, u16("scale"), SURFACE, GLOBAL, OFFSETS, data]
}

const fn scaled(data: Slot) -> [Slot; 9] {
    [EXEC, PRED, u8("block size"), u8("number of blocks"), u16("scale"), SURFACE, GLOBAL, OFFSETS, data]
}

const fn qword(data: Slot) -> [Slot; 6] {
    [EXEC, PRED, u8("number of blocks"), SURFACE, OFFSETS, data]
}

const fn svm_block(data: Slot) -> [Slot; 4] {
    [SUB, u8("block properties"), scalar("address", Types::INT), data]
}

const fn svm_lanes(data: Slot) -> [Slot; 7] {
    [SUB, EXEC, PRED, u8("block size"), u8("number of blocks"), raw_src("addresses"), data]
}

const fn svm_scaled4(data: Slot) -> [Slot; 8] {
    [SUB, EXEC, PRED, MASK, u16("scale"), scalar("address", Types::INT), OFFSETS, data]
}

const SRC: Slot = raw_src("data");
const DST: Slot = raw_dst("data");

#[rustfmt::skip]
pub(super) static ROWS: &[Row] = &[
    op(OwordLd,          &oword(DST)),
    op(OwordLdUnaligned, &oword(DST)),
    op(OwordSt,          &[u8("block size"), SURFACE, scalar("offset", Types::INT), SRC]),
    op(MediaLd,          &media(DST)),
    op(MediaSt,          &media(SRC)),
    op(Gather,           &[u8("element size"), u8("modifier"), u8("number of elements"), SURFACE, GLOBAL, OFFSETS, DST]),
    op(Scatter,          &[u8("element size"), u8("number of elements"), SURFACE, GLOBAL, OFFSETS, SRC]),
    op(Gather4Typed,     &typed4(DST)),
    op(Scatter4Typed,    &typed4(SRC)),
    op(Gather4Scaled,    &scaled4(DST)),
    op(Scatter4Scaled,   &scaled4(SRC)),
    op(GatherScaled,     &scaled(DST)),
    op(ScatterScaled,    &scaled(SRC)),
    op(QwGather,         &qword(DST)).on(has!(memory.surface_qwords)),
    op(QwScatter,        &qword(SRC)).on(has!(memory.surface_qwords)),
    op(DwordAtomic,      &[u8("atomic operation"), EXEC, PRED, SURFACE, OFFSETS, raw_src("source 0"), raw_src("source 1"), raw_dst("destination")]),
    op(TypedAtomic3d,    &[u8("atomic operation"), EXEC, PRED, SURFACE, raw_src("u offsets"), raw_src("v offsets"), raw_src("r offsets"),
                           raw_src("level of detail"), raw_src("source 0"), raw_src("source 1"), raw_dst("destination")]),
    sub(Svm, 1, "svm_block_ld",       &svm_block(DST)),
    sub(Svm, 2, "svm_block_st",       &svm_block(SRC)),
    sub(Svm, 3, "svm_gather",         &svm_lanes(DST)),
    sub(Svm, 4, "svm_scatter",        &svm_lanes(SRC)),
    sub(Svm, 5, "svm_atomic",         &[SUB, EXEC, PRED, u8("atomic operation"), raw_src("addresses"), raw_src("source 0"), raw_src("source 1"), raw_dst("destination")]),
    sub(Svm, 6, "svm_gather4scaled",  &svm_scaled4(DST)),
    sub(Svm, 7, "svm_scatter4scaled", &svm_scaled4(SRC)),
];
