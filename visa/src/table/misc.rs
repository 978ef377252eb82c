//! Control flow, synchronization, sends, matrix and bookkeeping instructions.

use super::row::*;
use crate::{opcode::Opcode::*, types::Type};

const LABEL: Slot = Slot::new("label", Enc::Label, Role::Control);
const UD: Types = Types::INT;

#[rustfmt::skip]
pub(super) static ROWS: &[Row] = &[
    op(Subroutine, &[LABEL]),
    op(Label, &[LABEL]),
    op(Jmp,        &[EXEC.sizes(&[1]), PRED, LABEL]),
    op(Call,       &[EXEC, PRED, LABEL]),
    op(Ret,        &[EXEC, PRED]),
    op(Goto,       &[EXEC, PRED, LABEL]),
    op(Fret,       &[EXEC, PRED]),
    op(Fcall,      &[EXEC, PRED, Slot::new("function", Enc::Str, Role::Control), u8("argument size"), u8("return size")]),
    // measured: version 3.6 has no flags, 4.1 has
    op(Ifcall,     &[EXEC, PRED, u8("flags").when(When::Since(400)), scalar("function address", Types::INT), u8("argument size"), u8("return size")]),
    op(Faddr,      &[Slot::new("symbol", Enc::Str, Role::Control), dst_u(UD)]),
    op(Switchjmp,  &[EXEC.sizes(&[1]), Slot::new("number of labels", Enc::LabelCount, Role::Control), scalar("index", Types::ANY),
                     Slot::new("labels", Enc::LabelList, Role::Control)]).on(has!(flow.switch_jump)),

    op(Dpas,       &[EXEC, PRED, raw_dst("destination"), raw_src("source 0"), raw_src("source 1"),
                     src(Types::ANY).classes(Classes::GENERAL).named("source 2"), u32("precisions, depth and count")]).on(has!(ops.systolic)),
    op(Dpasw,      &[EXEC, PRED, raw_dst("destination"), raw_src("source 0"), raw_src("source 1"),
                     src(Types::ANY).classes(Classes::GENERAL).named("source 2"), u32("precisions, depth and count")]).on(has!(nowhere)),

    // Looks up packed numbers of four bits in a table; of Xe3P (visa/IsaDescription.cpp of Intel's graphics compiler).
    op(ShflIdx4,   &[EXEC, PRED, raw_dst("destination"), src(Types::of(&[Type::UD])).classes(Classes::GENERAL).named("table"),
                     src(Types::of(&[Type::UW, Type::UB])).classes(Classes::GENERAL).named("indices")]).on(has!(nowhere)),

    op(File,       &[Slot::new("file name", Enc::StrWide, Role::Control)]),
    op(Loc,        &[u32("line")]),
    op(Lifetime,   &[u8("properties"), Slot::new("variable", Enc::VarWide, Role::Control)]),
];
