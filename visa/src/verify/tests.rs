//! One accepting and one rejecting case per rule.

mod random;

use platforms::Platform;

use super::{Rule, Severity, VerifyOptions, validate, verify};
use crate::{
    ids::*,
    inst::Record,
    model::*,
    op::SamplerOp,
    operand::*,
    text::{TextOptions, parse},
    types::*,
};

/// A kernel that keeps every rule and has something for each of them to look at.
const GOOD: &str = r#".version 4.1
.kernel "good"
.decl V0032 v_type=G type=d num_elts=16 align=hword
.decl V0033 v_type=G type=f num_elts=16 align=hword
.decl V0034 v_type=G type=uw num_elts=16 align=hword alias=<V0032, 32>
.decl V0035 v_type=G type=ud num_elts=8 align=hword
.decl V0036 v_type=G type=d num_elts=1 align=dword
.decl A0 v_type=A num_elts=4
.decl P1 v_type=P num_elts=16
.decl P2 v_type=P num_elts=16
.decl T6 v_type=T num_elts=1 v_name=T006
.input V0035 offset=32 size=32
.input V0036 offset=64 size=4
.kernel_attr SimdSize=8
.function "main_0"
main_0:
    mov (M1, 8) V0032(0,0)<1> V0035(0,0)<1;1,0>
    add (M1, 8) V0032(0,0)<1> V0032(0,0)<1;1,0> (-)V0032(0,0)<1;1,0>
    and (M1, 8) V0032(0,0)<1> V0032(0,0)<1;1,0> (~)V0032(0,0)<1;1,0>
    mul.sat (M1, 8) V0033(0,0)<1> V0033(0,0)<1;1,0> 0x3f800000:f
    addr_add (M1, 1) A0(0)<1> &V0032[4] 0x4:uw
    mov (M1, 1) V0036(0,0)<1> r[A0(0),0]<0;1,0>:d
    cmp.lt (M1, 8) P1 V0032(0,0)<1;1,0> 0x4:d
    (P1) goto (M1, 8) done
    gather4_scaled.R (M1, 8) T6 0x0:ud V0032.0 V0033.0
    load_lz.R (M1, 8) 0x0:uw T6 V0033.0 V0035.0
    call (M1, 1) sub_2
done:
    ret (M1, 1)
.function "sub_2"
sub_2:
    ret (M1, 1)
"#;

fn good() -> Module {
    parse(GOOD, TextOptions::default()).unwrap_or_else(|e| panic!("{e}"))
}

fn options() -> VerifyOptions {
    VerifyOptions::for_platform(Platform::Skl)
}

#[test]
fn the_good_kernel_keeps_every_rule() {
    assert_eq!(verify(&good(), options()), []);
    let valid = validate(good(), 32).unwrap();
    assert_eq!(valid.kernels().next().unwrap().insts().len(), 16);
}

/// The first record with this name in the table.
fn record(k: &mut Kernel, name: &str) -> Record {
    *k.code.iter().find(|r| r.row().unwrap().name == name).unwrap_or_else(|| panic!("no {name}"))
}

/// Replaces an operand of the first instruction with this name.
fn set(k: &mut Kernel, name: &str, operand: usize, value: Operand) {
    let at = record(k, name).first as usize + operand;
    k.operands[at] = value;
}

fn general(var: u32, region: Region, modifier: Modifier) -> Operand {
    Operand::Vector(VectorOperand::General(GeneralOperand {
        var: VarId(var),
        row: 0,
        col: 0,
        region,
        modifier,
    }))
}

fn edit(k: &mut Kernel, name: &str, change: impl FnOnce(&mut Record)) {
    let at = k.code.iter().position(|r| r.row().unwrap().name == name).unwrap();
    change(&mut k.code[at]);
}

/// Breaks a rule.
type Spoil = fn(&mut Kernel);

/// How to break each rule.
#[rustfmt::skip]
const CASES: &[(Rule, Spoil)] = &[
    (Rule::StringIndex, |k| k.vars[0].name = StrId(999)),
    (Rule::SamplerOperation, |k| set(k, "load_3d", 0, Operand::Num(u32::from(SamplerOp::SampleLz.raw())))),
    (Rule::VariableSize, |k| k.vars[0].num_elements = 0),
    (Rule::AddressSize, |k| k.addrs[0].num_elements = 17),
    (Rule::PredicateSize, |k| k.preds[1].num_elements = 3),
    (Rule::StateCount, |k| k.surfaces[0].num_elements = 0),
    (Rule::AliasBase, |k| k.vars[2].alias = Some(Alias { base: VarId(99), offset: 0, file_scope: false })),
    (Rule::NameLength, |k| { let name = k.strings.push(&[b'n'; 1025]); k.labels[0].name = name; }),
    (Rule::AliasCycle, |k| k.vars[0].alias = Some(Alias { base: VarId(34), offset: 0, file_scope: false })),
    (Rule::AliasBounds, |k| k.vars[2].alias = Some(Alias { base: VarId(32), offset: 34, file_scope: false })),
    (Rule::AliasAlignment, |k| k.vars[2].alias = Some(Alias { base: VarId(32), offset: 1, file_scope: false })),
    (Rule::InputVariable, |k| k.inputs[0].var = InputVar::General(VarId(77))),
    (Rule::InputSize, |k| k.inputs[0].size = 28),
    (Rule::InputOverlap, |k| k.inputs[1].offset = 60),
    (Rule::InputAlignment, |k| k.inputs[1].offset = 66),
    (Rule::VariableIndex, |k| set(k, "mov", 1, general(99, Region::src(1, 1, 0), Modifier::None))),
    (Rule::StateIndex, |k| set(k, "gather4_scaled", 2, Operand::Surface(SurfaceId(7)))),
    (Rule::LabelIndex, |k| set(k, "goto", 0, Operand::Label(LabelId(50)))),
    (Rule::LabelDefined, |k| { let l = k.labels[0].clone(); k.labels.push(Label { kind: LabelKind::Block, ..l }); set(k, "goto", 0, Operand::Label(LabelId(3))) }),
    (Rule::LabelKind, |k| set(k, "goto", 0, Operand::Label(LabelId(2)))),
    (Rule::ControlValue, |k| set(k, "cmp", 0, Operand::Num(7))),
    (Rule::OperandClass, |k| set(k, "add", 0, Operand::Vector(VectorOperand::imm(Type::D, 1)))),
    (Rule::OperandBounds, |k| set(k, "add", 1, general(36, Region::src(1, 1, 0), Modifier::None))),
    (Rule::ExecMask, |k| edit(k, "add", |r| r.exec.mask = EMask::of_group(7))),
    (Rule::PredicateWidth, |k| k.preds[0].num_elements = 4),
    (Rule::OperandType, |k| set(k, "and", 1, general(33, Region::src(1, 1, 0), Modifier::None))),
    (Rule::OperandMix, |k| set(k, "add", 1, general(33, Region::src(1, 1, 0), Modifier::None))),
    (Rule::OperandModifier, |k| set(k, "add", 1, general(32, Region::src(1, 1, 0), Modifier::Not))),
    (Rule::OperandRegion, |k| set(k, "add", 1, general(32, Region::dst(1), Modifier::None))),
    (Rule::ControlValue, |k| set(k, "add", 0, general(32, Region::dst(0), Modifier::None))),
    (Rule::ControlValue, |k| set(k, "add", 1, general(32, Region::src(1, 0, 0), Modifier::None))),
    (Rule::ReadOnly, |k| set(k, "mov", 0, general(Predefined::Ce0 as u32, Region::dst(1), Modifier::None))),
    (Rule::FirstSubroutine, |k| { k.code.remove(0); }),
    (Rule::SubroutineEnd, |k| { k.code.pop(); }),
    (Rule::Recursion, |k| { let at = k.code.len() - 1; let call = record(k, "call"); k.code.insert(at, call); }),
    (Rule::FunctionReturn, |k| { k.is_function = true; let at = k.code.len() - 1; k.code[at].opcode = crate::Opcode::Fret; }),
    (Rule::Availability, |k| edit(k, "add", |r| r.opcode = crate::Opcode::Rol)),
];

/// Declarations that the snippets use.
const PRELUDE: &str = r#".version 4.1
.kernel "snippet"
.decl V1 v_type=G type=d num_elts=64 align=GRF
.decl V2 v_type=G type=d num_elts=64 align=GRF
.decl F1 v_type=G type=f num_elts=64 align=GRF
.decl D1 v_type=G type=df num_elts=16 align=GRF
.decl Q1 v_type=G type=uq num_elts=32 align=GRF
.decl S1 v_type=G type=d num_elts=1 align=dword
.decl ODD v_type=G type=d num_elts=4 align=byte alias=<V1, 2>
.decl H1 v_type=G type=hf num_elts=128 align=GRF
.decl BF1 v_type=G type=bf num_elts=128 align=GRF
.decl B1 v_type=G type=ub num_elts=256 align=GRF
.decl MX v_type=G type=d num_elts=128 align=GRF
.decl UV v_type=G type=ub num_elts=224 align=GRF
.decl A0 v_type=A num_elts=8
.decl P1 v_type=P num_elts=16
.decl P2 v_type=P num_elts=16
.decl SM v_type=S num_elts=1
.decl T6 v_type=T num_elts=1 v_name=T006
.decl T7 v_type=T num_elts=1 v_name=T007
"#;

/// What each rule lets pass and what it does not, in one or more lines each.
#[rustfmt::skip]
const SNIPPETS: &[(Rule, Platform, &str, &str)] = {
    use Platform::{Pvc, Skl, Tgllp};
    &[
    (Rule::ExecSize, Skl, "sample_lz.R (M1, 8) 0x0:uw SM T6 F1.0 F1.0 F1.0", "sample_lz.R (M1, 4) 0x0:uw SM T6 F1.0 F1.0 F1.0"),
    (Rule::ExecSize, Skl, "bfe (M1, 8) V1(0,0)<1> V1(0,0)<1;1,0> V1(0,0)<1;1,0> V2(0,0)<1;1,0>", "bfe (M1, 2) V1(0,0)<1> V1(0,0)<1;1,0> V1(0,0)<1;1,0> V2(0,0)<1;1,0>"),
    (Rule::MaskOffset, Skl, "mov (M3, 8) V1(0,0)<1> V2(0,0)<1;1,0>", "mov (M2, 8) V1(0,0)<1> V2(0,0)<1;1,0>"),
    (Rule::ElementAlignment, Skl, "mov (M1, 1) S1(0,0)<1> V2(0,0)<0;1,0>", "mov (M1, 1) ODD(0,0)<1> V2(0,0)<0;1,0>"),
    (Rule::OperandAlignment, Skl, "gather4_scaled.R (M1, 8) T6 0x0:ud V1.0 V2.0", "gather4_scaled.R (M1, 8) T6 0x0:ud V1.4 V2.0"),
    (Rule::PayloadSize, Skl, "gather4_scaled.RGBA (M1, 16) T6 0x0:ud V1.0 V2.0", "gather4_scaled.RGBA (M1, 16) T6 0x0:ud V1.0 V2.64"),
    (Rule::PredicateWidth, Skl, "(P1) mov (M1, 16) V1(0,0)<1> V2(0,0)<1;1,0>", "(P1) mov (M1, 32) MX(0,0)<1> MX(0,0)<1;1,0>"),
    (Rule::NullOperand, Skl, "scatter4_scaled.R (M1, 8) T6 0x0:ud V1.0 V2.0", "scatter4_scaled.R (M1, 8) T6 0x0:ud V1.0 %null.0"),
    (Rule::NullOperand, Skl, "raw_send (M1, 8) 0xc 1 4 0x2410002:ud V1.0 V2.0", "raw_send (M1, 8) 0xc 1 4 0x2410002:ud %null.0 V2.0"),
    (Rule::NullOperand, Skl, "raw_sends.12.1.0.1 (M1, 8) 0xc:ud 0x2110002:ud V1.0 %null.0 V2.0", "raw_sends.12.1.0.1 (M1, 8) 0xc:ud 0x2110002:ud %null.0 %null.0 V2.0"),
    (Rule::NullOperand, Skl, "urb_write_3d (M1, 8) 1 7 V0.0 V1.0 V0.0 V2.0", "urb_write_3d (M1, 8) 1 7 V0.0 V0.0 V0.0 V2.0"),
    (Rule::AtomicSources, Skl, "dword_atomic.add (M1, 8) T6 V1.0 V2.0 %null.0 V2.0", "dword_atomic.inc (M1, 8) T6 V1.0 V2.0 %null.0 V2.0"),
    (Rule::PayloadType, Skl, "gather4_scaled.R (M1, 8) T6 0x0:ud V1.0 F1.0", "gather4_scaled.R (M1, 8) T6 0x0:ud F1.0 V1.0"),
    (Rule::PayloadType, Skl, "svm_atomic.add (M1, 8) Q1.0 V1.0 V2.0 V0.0", "svm_atomic.add (M1, 8) V1.0 V1.0 V2.0 V0.0"),
    (Rule::PayloadType, Skl, "dword_atomic.fmax (M1, 8) T6 V1.0 F1.0 V0.0 F1.0", "dword_atomic.fmax (M1, 8) T6 V1.0 V2.0 V0.0 V2.0"),
    (Rule::PayloadType, Pvc, "qw_gather.1 (M1, 8) T6 V1.0 Q1.0", "qw_gather.1 (M1, 8) T6 V1.0 V2.0"),
    (Rule::ConstantRange, Pvc, "nbarrier.signal 0x1f:ub 0x0:ub 0x2:ub 0x2:ub", "nbarrier.signal 0x20:ub 0x0:ub 0x2:ub 0x2:ub"),
    (Rule::ConstantRange, Skl, "switchjmp (M1, 1) 0x1:ub (a, b)\na:\nb:", "switchjmp (M1, 1) 0x2:ub (a, b)\na:\nb:"),
    (Rule::ConstantRange, Skl, "media_st.nomod (8,8) T6 0 -4:d 0x0:ud V1.0", "media_st.nomod (8,8) T6 0 -3:d 0x0:ud V1.0"),
    (Rule::ConstantRange, Skl, "media_st.nomod (8,8) T6 0x8:ud 0x0:ud V1.0", "media_st.nomod (8,8) T6 0x6:ud 0x0:ud V1.0"),
    (Rule::ConstantRange, Skl, "mov (M1, 1) S1(0,0)<1> r[A0(0),511]<0;1,0>:d", "mov (M1, 1) S1(0,0)<1> r[A0(0),512]<0;1,0>:d"),
    (Rule::ConstantRange, Skl, "sample_lz.R (M1, 8) 0xfff:uw SM T6 F1.0 F1.0 F1.0", "sample_lz.R (M1, 8) 0x1000:uw SM T6 F1.0 F1.0 F1.0"),
    (Rule::ConstantRange, Skl, "urb_write_3d (M1, 8) 1 2047 V0.0 V1.0 V0.0 V2.0", "urb_write_3d (M1, 8) 1 2048 V0.0 V1.0 V0.0 V2.0"),
    (Rule::ConstantRange, Skl, "urb_write_3d (M1, 8) 1 7 V0.0 V1.0 V0.0 V2.0", "urb_write_3d (M1, 8) 0 7 V0.0 V1.0 V0.0 V2.0"),
    (Rule::ConstantRange, Tgllp, "sample_b.cps.R (M1, 8) 0x0:uw SM T6 F1.0 F1.0 F1.0", "sample_l.cps.R (M1, 8) 0x0:uw SM T6 F1.0 F1.0 F1.0"),
    (Rule::ConstantWidth, Skl, "mov (M1, 8) V1(0,0)<1> 0xffffffff:d", "mov (M1, 8) V1(0,0)<1> 0x1ffffffff:d"),
    (Rule::ConstantWidth, Skl, "mov (M1, 8) V1(0,0)<1> -2147483648:d", "mov (M1, 8) V1(0,0)<1> -2147483649:d"),
    (Rule::ConstantWidth, Skl, "add (M1, 8) V1(0,0)<1> V2(0,0)<1;1,0> 0xffff8000:w", "add (M1, 8) V1(0,0)<1> V2(0,0)<1;1,0> 0x12345:w"),
    (Rule::ConstantWidth, Skl, "mov (M1, 8) V1(0,0)<1> 0xffffffff:ud", "mov (M1, 8) V1(0,0)<1> 0xffffffffffffffff:ud"),
    (Rule::ConversionTypes, Pvc, "fcvt (M1, 16) H1(0,0)<1> B1(0,0)<1;1,0>", "fcvt (M1, 16) H1(0,0)<1> F1(0,0)<1;1,0>"),
    (Rule::ConversionTypes, Pvc, "srnd (M1, 16) H1(0,0)<1> F1(0,0)<1;1,0> 0x1:uw", "srnd (M1, 16) B1(0,0)<1> F1(0,0)<1;1,0> 0x1:uw"),
    (Rule::BfloatTypes, Pvc, "add (M1, 8) BF1(0,0)<1> BF1(0,0)<1;1,0> F1(0,0)<1;1,0>", "add (M1, 8) BF1(0,0)<1> BF1(0,0)<1;1,0> V1(0,0)<1;1,0>"),
    (Rule::BfloatTypes, Pvc, "mov (M1, 8) BF1(0,0)<1> H1(0,0)<1;1,0>", "mov (M1, 8) BF1(0,0)<1> V1(0,0)<1;1,0>"),
    (Rule::BfloatTypes, Pvc, "frc (M1, 8) F1(0,0)<1> F1(0,0)<1;1,0>", "frc (M1, 8) F1(0,0)<1> BF1(0,0)<1;1,0>"),
    (Rule::ScalarType, Skl, "sample_lz.R (M1, 8) V1(0,0)<0;1,0> SM T6 F1.0 F1.0 F1.0", "sample_lz.R (M1, 8) F1(0,0)<0;1,0> SM T6 F1.0 F1.0 F1.0"),
    (Rule::SamplerParameters, Tgllp, "sample_lz.R (M1, 8) 0x0:uw SM T6 F1.0 H1.0 H1.0", "sample_lz.R (M1, 8) 0x0:uw SM T6 F1.0 F1.0 H1.0"),
    (Rule::SamplerParameters, Skl, "sample_lz.R (M1, 8) 0x0:uw SM T6 F1.0 F1.0 F1.0", "sample_lz.R (M1, 8) 0x0:uw SM T6 F1.0 H1.0 H1.0"),
    (Rule::MatrixShape, Pvc, "dpas.bf.bf.8.4 (M1, 16) F1.0 V0.0 MX.0 V2(0,0)", "dpas.bf.hf.8.4 (M1, 16) F1.0 V0.0 MX.0 V2(0,0)"),
    (Rule::MatrixShape, Pvc, "dpas.s8.u8.8.2 (M1, 16) V1.0 V0.0 MX.0 V2(0,0)", "dpas.s8.u8.8.2 (M1, 16) F1.0 V0.0 MX.0 V2(0,0)"),
    (Rule::MatrixShape, Pvc, "dpas.s8.u8.8.1 (M1, 16) V1.0 V0.0 MX.0 V2(0,0)", "dpas.s8.u8.4.1 (M1, 16) V1.0 V0.0 MX.0 V2(0,0)"),
    (Rule::OperandAlignment, Pvc, "dpas.bf.bf.8.1 (M1, 16) F1.0 F1.0 MX.0 V2(0,8)", "dpas.bf.bf.8.1 (M1, 16) F1.0 F1.0 MX.0 V2(0,4)"),
    (Rule::OperandOrigin, Skl, "mov (M1, 1) V1(0,7)<1> 0x0:d", "mov (M1, 1) V1(0,8)<1> 0x0:d"),
    (Rule::OperandType, Skl, "mov (M1, 1) S1(0,0)<1> r[A0(0),0]<0;1,0>:d", "mov (M1, 1) S1(0,0)<1> r[A0(0),0]<0;1,0>:v"),
    (Rule::PayloadSize, Skl, "vme_sic T6 UV.0 UV.0 UV.0", "vme_sic T6 UV.0 UV.0 V1.128"),
    (Rule::ControlValue, Skl, "vme_ime (0,3) T6 UV.0 UV.0 UV.0 UV.0 UV.0 UV.0", "vme_ime (0,2) T6 UV.0 UV.0 UV.0 UV.0 UV.0 UV.0"),
    (Rule::ControlValue, Skl, "vme_ime (0,0) T6 UV.0 UV.0 UV.0 UV.0 UV.0 UV.0", "vme_ime (4,0) T6 UV.0 UV.0 UV.0 UV.0 UV.0 UV.0"),
    (Rule::InputOrder, Skl, ".input V1 offset=64 size=256\n.implicit_LOCAL_SIZE V2 offset=320 size=256\nmov (M1, 1) S1(0,0)<1> 0x0:d", ".implicit_LOCAL_SIZE V1 offset=64 size=256\n.input V2 offset=320 size=256\nmov (M1, 1) S1(0,0)<1> 0x0:d"),
    (Rule::InputSize, Skl, ".input T7 offset=64 size=4\nmov (M1, 1) S1(0,0)<1> 0x0:d", ".input T7 offset=64 size=8\nmov (M1, 1) S1(0,0)<1> 0x0:d"),
    (Rule::InputAlignment, Skl, ".input T7 offset=64 size=4\nmov (M1, 1) S1(0,0)<1> 0x0:d", ".input T7 offset=66 size=4\nmov (M1, 1) S1(0,0)<1> 0x0:d"),
    (Rule::AliasBase, Skl, ".decl AL v_type=G type=ud num_elts=8 align=GRF alias=<%r0, 0>\nmov (M1, 1) V1(0,0)<1> AL(0,1)<0;1,0>", ".decl AL v_type=G type=uw num_elts=1 align=word alias=<%thread_x, 0>\nmov (M1, 1) V1(0,0)<1> AL(0,0)<0;1,0>"),
    (Rule::LscCache, Pvc, "lsc_load.slm (M1, 16) V1:d32 flat[V2]:a32", "lsc_load.slm.ca.ca (M1, 16) V1:d32 flat[V2]:a32"),
    (Rule::PredicateUse, Skl, "and (M1, 16) P1 P1 P2", "(P1) and (M1, 16) P1 P1 P2"),
    (Rule::PredicateUse, Skl, "mov (M1, 1) S1(0,0)<1> P1", "mov (M1, 8) V1(0,0)<1> P1"),
    (Rule::RegisterTail, Pvc, ".decl R v_type=G type=d num_elts=8 align=GRF\nmov (M1_NM, 8) R(0,0)<1> 0x0:d", ".decl R v_type=G type=d num_elts=8 align=GRF\nmov (M1_NM, 16) R(0,0)<1> 0x0:d"),
    (Rule::OperandBounds, Pvc, ".decl R v_type=G type=d num_elts=8 align=GRF\nmov (M1_NM, 8) R(0,0)<1> 0x0:d", ".decl R v_type=G type=d num_elts=8 align=GRF\nmov (M1_NM, 32) R(0,0)<1> 0x0:d"),
    (Rule::OperandBounds, Pvc, ".decl R v_type=G type=d num_elts=8 align=GRF\nmov (M1_NM, 8) R(0,0)<1> 0x0:d", ".decl R v_type=G type=d num_elts=8 align=hword\nmov (M1_NM, 32) R(0,0)<1> 0x0:d"),
    (Rule::RegisterTail, Pvc, ".decl R v_type=G type=d num_elts=8 align=GRF\nmov (M1_NM, 8) R(0,0)<1> 0x0:d", ".decl R v_type=G type=d num_elts=8 align=dword\nmov (M1_NM, 16) R(0,0)<1> 0x0:d"),
    (Rule::RegisterTail, Skl, ".decl R v_type=G type=d num_elts=8 align=GRF\nmov (M1, 1) V1(0,0)<1> R(0,7)<0;1,0>", ".decl R v_type=G type=d num_elts=8 align=GRF\nmov (M1, 1) V1(0,0)<1> R(1,7)<0;1,0>"),
    (Rule::OperandBounds, Skl, ".decl R v_type=G type=d num_elts=8 align=GRF\nmov (M1, 1) V1(0,0)<1> R(0,7)<0;1,0>", ".decl R v_type=G type=d num_elts=8 align=GRF\nmov (M1, 1) V1(0,0)<1> R(4,0)<0;1,0>"),
    (Rule::OperandBounds, Skl, ".decl R v_type=G type=d num_elts=16 align=GRF\nmadw (M1, 8) R(0,0)<1> V1(0,0)<1;1,0> 0x3:d 0x0:d", ".decl R v_type=G type=d num_elts=8 align=GRF\nmadw (M1, 8) R(0,0)<1> V1(0,0)<1;1,0> 0x3:d 0x0:d"),
    (Rule::OperandBounds, Skl, ".decl AL v_type=G type=uq num_elts=1 alias=<%sp, 0>\nmov (M1, 1) V1(0,0)<1> AL(0,0)<0;1,0>", ".decl AL v_type=G type=uq num_elts=1 alias=<%sp, 0>\nmov (M1, 1) V1(0,0)<1> AL(0,1)<0;1,0>"),
    (Rule::OperandAlignment, Skl, ".decl R v_type=G type=d num_elts=32 align=GRF\nmadw (M1, 8) R(1,0)<1> V1(0,0)<1;1,0> 0x3:d 0x0:d", ".decl R v_type=G type=d num_elts=32 align=GRF\nmadw (M1, 8) R(0,1)<1> V1(0,0)<1;1,0> 0x3:d 0x0:d"),
    (Rule::OperandBounds, Skl, ".decl AL v_type=G type=ud num_elts=1 alias=<%hw_id, 0>\nmov (M1, 1) V1(0,0)<1> AL(0,0)<0;1,0>", ".decl AL v_type=G type=ud num_elts=1 alias=<%hw_id, 0>\nmov (M1, 1) V1(0,0)<1> AL(0,4)<0;1,0>"),
    (Rule::OperandBounds, Skl, ".decl R v_type=G type=ud num_elts=4 align=GRF\n.decl TT v_type=T num_elts=4\nmovs (M1_NM, 4) R(0,0)<1> TT(0)", ".decl R v_type=G type=ud num_elts=4 align=GRF\n.decl TT v_type=T num_elts=32\nmovs (M1_NM, 32) R(0,0)<1> TT(0)"),
    (Rule::OperandBounds, Skl, "mov (M1, 8) A0(0)<1> 0x0:uw", "mov (M1, 16) A0(0)<1> 0x0:uw"),
    (Rule::OperandBounds, Skl, ".decl AL v_type=G type=df num_elts=128 alias=<%arg, 0>\nmov (M1, 1) V1(0,0)<1> AL(31,3)<0;1,0>", ".decl AL v_type=G type=df num_elts=192 alias=<%arg, 0>\nmov (M1, 1) V1(0,0)<1> AL(32,0)<0;1,0>"),
    (Rule::OperandBounds, Skl, ".decl AL v_type=G type=d num_elts=8 align=GRF alias=<V1, 0>\nmov (M1, 1) AL(0,0)<1> 0x0:d", ".decl AL v_type=G type=d num_elts=8 align=GRF alias=<V1, 4096>\nmov (M1, 1) AL(0,0)<1> 0x0:d"),
    (Rule::AddressBase, Skl, "addr_add (M1, 1) A0(0)<1> &V1 0x4:uw", "addr_add (M1, 1) A0(0)<1> &%r0 0x4:uw"),
    (Rule::StateMove, Skl, "movs (M1, 1) T7(0) T6(0)", "movs (M1, 1) T7(0) SM(0)"),
    (Rule::BlockShape, Skl, "media_ld.nomod (8,8) T6 0 0x0:ud 0x0:ud V1.0", "media_ld.nomod (65,8) T6 0 0x0:ud 0x0:ud V1.0"),
    (Rule::BlockShape, Skl, "svm_gather.4.2 (M1, 8) Q1.0 V2.0", "svm_gather.4.2 (M1, 4) Q1.0 V2.0"),
    (Rule::SurfaceClass, Skl, "media_ld.nomod (8,8) T6 0 0x0:ud 0x0:ud V1.0", "media_ld.nomod (8,8) T0 0 0x0:ud 0x0:ud V1.0"),
    (Rule::MessageLength, Skl, "raw_send (M1, 8) 0x27 1 0 0x2000010:ud V1.0 V0.0", "raw_send (M1, 8) 0x27 1 1 0x2100010:ud V1.0 V2.0"),
    (Rule::MessageLength, Skl, "raw_sends_eot.12.1.0.0 (M1, 8) 0xc:ud 0x2000002:ud V1.0 V0.0 V0.0", "raw_sends_eot.12.1.0.1 (M1, 8) 0xc:ud 0x2100002:ud V1.0 V0.0 V2.0"),
    (Rule::MessageLength, Skl, "raw_send (M1, 8) 0xc 1 4 0x2410002:ud V1.0 V2.0", "raw_send (M1, 8) 0xc 0 4 0x2410002:ud V1.0 V2.0"),
    (Rule::LscShape, Pvc, "lsc_load.ugm (M1, 16) V1:d32 flat[Q1]:a64", "lsc_load.ugm (M1, 16) V1:d32x16t flat[Q1]:a64"),
    (Rule::LscSize, Pvc, "lsc_load.ugm (M1, 16) V1:d32 flat[Q1]:a64", "lsc_load.ugm (M1, 16) V1:d8 flat[Q1]:a64"),
    (Rule::LscOffset, Pvc, "lsc_load.ugm (M1, 16) V1:d32 bti(0x4)[V2]:a32", "lsc_load.ugm (M1, 16) V1:d32 bti(0x4)[Q1]:a64"),
    (Rule::LscAddress, Pvc, "lsc_load.slm (M1, 16) V1:d32 flat[V2]:a32", "lsc_load.slm (M1, 16) V1:d32 flat[Q1]:a64"),
    (Rule::LscCache, Pvc, "lsc_load.ugm.ca.ca (M1, 16) V1:d32 flat[Q1]:a64", "lsc_load.ugm.wb.ca (M1, 16) V1:d32 flat[Q1]:a64"),
    (Rule::BranchTarget, Skl, "jmp (M1, 1) there\nthere:", "jmp (M1, 1) there\nret (M1, 1)\n.function \"sub\"\nsub:\nthere:"),
    (Rule::SubroutineEnd, Skl, "ret (M1, 1)\nunused:\nunused_too:\n.function \"next\"\nnext:", "goto (M1, 1) used\nret (M1, 1)\nused:\n.function \"next\"\nnext:"),
    (Rule::FunctionReturn, Skl, "ret (M1, 1)\n.global_function \"f\"\n.function \"f_0\"\nf_0:\nfret (M1, 1)", "fret (M1, 1)"),
    (Rule::CallSize, Skl, "fcall (M1, 8) f 32 12", "fcall (M1, 8) f 33 12"),
    (Rule::PlatformType, Tgllp, "add (M1, 8) F1(0,0)<1> F1(0,0)<1;1,0> F1(0,0)<1;1,0>", "add (M1, 8) D1(0,0)<1> D1(0,0)<1;1,0> D1(0,0)<1;1,0>"),
    (Rule::OperandModifier, Skl, "mul.sat (M1, 8) F1(0,0)<1> F1(0,0)<1;1,0> 0x0:f", "bfrev.sat (M1, 8) V1(0,0)<1> V2(0,0)<1;1,0>"),
    (Rule::OperandModifier, Skl, "add (M1, 8) V1(0,0)<1> (-)V2(0,0)<1;1,0> 0x1:d", "bfrev (M1, 8) V1(0,0)<1> (-)V2(0,0)<1;1,0>"),
    (Rule::OperandMix, Skl, "sel (M1, 8) V1(0,0)<1> V2(0,0)<1;1,0> 0x1:d", "(P1) sel (M1, 8) V1(0,0)<1> F1(0,0)<1;1,0> 0x1:d"),
    (Rule::OperandMix, Skl, "cmp.lt (M1, 8) P1 D1(0,0)<1;1,0> D1(0,0)<1;1,0>", "cmp.lt (M1, 8) P1 D1(0,0)<1;1,0> F1(0,0)<1;1,0>"),
    (Rule::InputRange, Skl, ".input V1 offset=64 size=256\nmov (M1, 1) V1(0,0)<1> 0x0:d", ".input V1 offset=4064 size=256\nmov (M1, 1) V1(0,0)<1> 0x0:d"),
    (Rule::VariableLimit, Skl, ".decl B v_type=G type=d num_elts=1024\nmov (M1, 1) V1(0,0)<1> 0x0:d", ".decl B v_type=G type=d num_elts=1025\nmov (M1, 1) V1(0,0)<1> 0x0:d"),
    (Rule::AttributeValue, Skl, ".kernel_attr SimdSize=16\nmov (M1, 1) V1(0,0)<1> 0x0:d", ".kernel_attr SimdSize=12\nmov (M1, 1) V1(0,0)<1> 0x0:d"),
    (Rule::AttributeRange, Pvc, ".kernel_attr PerThreadInputSize=96\nmov (M1, 1) V1(0,0)<1> 0x0:d", ".kernel_attr PerThreadInputSize=16777216\nmov (M1, 1) V1(0,0)<1> 0x0:d"),
    (Rule::KernelName, Skl, "ret (M1, 1)\n.kernel \"other\"\n.function \"main\"\nmain:", "ret (M1, 1)\n.kernel \"snippet\"\n.function \"main\"\nmain:"),
]};

fn snippet(platform: Platform, lines: &str) -> Module {
    let (directives, code): (Vec<&str>, Vec<&str>) = lines.lines().partition(|l| {
        l.starts_with(".input")
            || l.starts_with(".implicit")
            || l.starts_with(".decl")
            || l.starts_with(".kernel_attr")
    });
    let source = format!(
        "{PRELUDE}{}\n.function \"main\"\nmain:\n{}\nret (M1, 1)\n",
        directives.join("\n"),
        code.join("\n")
    );
    let options = TextOptions { grf_bytes: platform.caps().regs.grf_bytes.into(), ..TextOptions::default() };
    parse(&source, options).unwrap_or_else(|e| panic!("{lines}\n{e}"))
}

#[test]
fn snippets_pass_or_break_their_rule() {
    let mut wrong = Vec::new();
    for (rule, platform, good, bad) in SNIPPETS {
        let options = VerifyOptions::for_platform(*platform);
        let of_rule = |lines| {
            let findings = verify(&snippet(*platform, lines), options);
            let list = findings.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
            (findings.into_iter().filter(|f| f.rule == *rule).count(), list)
        };
        // The prelude's variable at an odd place draws the one warning.
        let (_, list) = of_rule(good);
        if !list.lines().all(|l| l.contains("alias-alignment")) {
            wrong.push(format!("`{good}`:\n{list}"));
        }
        let (found, list) = of_rule(bad);
        if found == 0 {
            wrong.push(format!("{} not found in `{bad}`, but\n{list}", rule.id()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_rule_has_a_case_and_finds_its_fault() {
    for rule in Rule::ALL {
        let has_snippet = SNIPPETS.iter().any(|c| c.0 == *rule);
        assert!(has_snippet || CASES.iter().any(|c| c.0 == *rule), "no case for {}", rule.id());
    }
    for (rule, spoil) in CASES {
        let mut module = good();
        spoil(&mut module.kernels[0]);
        let findings = verify(&module, options());
        let list = findings.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
        assert!(findings.iter().any(|f| f.rule == *rule), "{} not found, but\n{list}", rule.id());
        assert_eq!(
            validate(module, 32).is_err(),
            rule.is_safety() || findings.iter().any(|f| f.rule.is_safety())
        );
    }
}

#[test]
fn findings_say_where_and_what() {
    let mut module = good();
    module.kernels[0].vars[3].num_elements = 0;
    let text = verify(&module, options())[0].to_string();
    assert_eq!(text, "kernel `good`, V35: 0 elements, allowed: 1 to 65535 [variable-size]");
    let mut module = good();
    set(&mut module.kernels[0], "add", 1, general(99, Region::src(1, 1, 0), Modifier::None));
    let text = verify(&module, options())[0].to_string();
    assert_eq!(
        text,
        "kernel `good`, instruction 2 (`add`, line 18), source: V99 does not exist, the last variable is V36 \
         [variable-index]"
    );
}

/// Long alias chains and call chains take time in proportion.
#[test]
fn chains_are_walked_once() {
    let mut module = good();
    let k = &mut module.kernels[0];
    let template = k.vars[4].clone();
    for i in 0..100_000u32 {
        let base = VarId(36 + i);
        k.vars.push(GeneralVar {
            alias: Some(Alias { base, offset: 0, file_scope: false }),
            ..template.clone()
        });
    }
    let start = std::time::Instant::now();
    assert_eq!(verify(&module, options()), []);
    assert!(start.elapsed().as_secs() < 2);
}

/// What Intel's vector compiler writes: an alias of `%arg` longer than that, of which only the start is named.
#[test]
fn the_start_of_an_alias_that_is_too_long_can_be_named() {
    let long =
        ".decl AL v_type=G type=df num_elts=192 alias=<%arg, 0>\nmov (M1, 1) V1(0,0)<1> AL(31,3)<0;1,0>";
    let findings = verify(&snippet(Platform::Skl, long), VerifyOptions::for_platform(Platform::Skl));
    let bounds: Vec<_> = findings.iter().filter(|f| f.rule != Rule::AliasAlignment).collect();
    assert!(matches!(bounds[..], [f] if f.rule == Rule::AliasBounds), "{bounds:?}");
    assert_eq!(Rule::AliasBounds.severity(), Severity::Tolerated);
}

/// `RULES.md` is the table of rules in the module's page; `VISA_REWRITE_RULES=1` writes it anew.
#[test]
fn the_page_lists_every_rule() {
    let mut page =
        "# Rules\n\nAn error has no meaning. What is tolerated is a warning: the specification forbids it, but Intel's \
         finalizer gives it a meaning, and so does this one. `--strict` makes errors of all.\n\n| rule | finding | \
         relied on later | what it asks for | who breaks it |\n| --- | --- | --- | --- | --- |\n"
            .to_owned();
    for rule in Rule::ALL {
        let severity = match rule.severity() {
            Severity::Error => "error",
            Severity::Tolerated => "tolerated",
            Severity::Warning => "warning",
        };
        let safety = if rule.is_safety() { "yes" } else { "" };
        page +=
            &format!("| {} | {severity} | {safety} | {} | {} |\n", rule.id(), rule.text(), rule.broken_by());
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/RULES.md");
    if std::env::var_os("VISA_REWRITE_RULES").is_some() {
        std::fs::write(path, &page).unwrap();
    }
    assert_eq!(std::fs::read_to_string(path).unwrap(), page, "VISA_REWRITE_RULES=1 writes the page anew");
}
