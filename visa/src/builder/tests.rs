//! Kernels that keep the rules, and kernels that do not.

use super::*;
use crate::{
    Access,
    op::{BlockAlignment, SurfaceModifier},
    operand::RawOperand,
    table::{Enc, Slot, Text},
    types::{AtomicOp, ChannelMask, CondMod, ExecSize},
};

const SIMD8: Exec = Exec::masked(ExecSize::S8);

fn rules(errors: BuildErrors) -> Vec<&'static str> {
    errors.0.iter().map(|e| if let BuildError::Rule(f) = e { f.rule.id() } else { "operands" }).collect()
}

#[test]
fn a_kernel_of_every_family_keeps_the_rules_and_survives_bytes_and_text() {
    let mut b = KernelBuilder::new("families", Platform::Skl);
    let t = b.surface("T6");
    let (x, y) = (b.general("x", Type::D, 8, Align::Grf), b.general("y", Type::D, 8, Align::Grf));
    let f = b.general("f", Type::F, 16, Align::Grf);
    let halves = b.alias("halves", Type::UW, 16, x, 0);
    let (p, a) = (b.predicate("p", 8), b.address("a", 8));
    let (sub, end) = (b.subroutine("sub"), b.label("end"));
    b.input(x, 32);
    b.attr_int("SimdSize", 8);
    b.attr_int("Target", 1);
    b.surface_attr(t, "SurfaceUsage", &[1, 0, 0, 0]);
    let r0 = b.predefined(Predefined::R0);
    b.mov(Exec::no_mask(ExecSize::S1), y.at(3), r0.lane(1));
    b.mov(SIMD8, y, halves.at(0).region(2, 1, 0));
    b.mad(SIMD8, y, x, y.lane(2), 5i32);
    b.add(SIMD8, f, f.at(8).neg(), 1.5f32);
    b.max(SIMD8, y, x, y);
    b.cmp(CondMod::Gt, SIMD8, p, x, y);
    b.when(p).sel(SIMD8, x, x, y);
    b.when(not(p)).goto(SIMD8, end);
    b.addr_add(Exec::no_mask(ExecSize::S1), a, x, 4u16);
    b.scaled4(SIMD8, Access::Load, ChannelMask(1), t, 0u32, x, y);
    b.oword_block(Access::Load, BlockAlignment::Oword, 2, SurfaceModifier::None, t, 4u32, x);
    b.media_block(Access::Store, crate::op::MediaModifier::None, t, 0, 32, 1, 0u32, 1u32, x);
    b.atomic(SIMD8, AtomicOp::Add, 32, t, x, [y.raw(0), RawOperand::NULL], x);
    b.call(Exec::SCALAR, sub);
    b.barrier();
    b.place(end);
    b.ret();
    b.place(sub);
    b.not(SIMD8, x, y);
    b.ret();
    let module = b.finish().unwrap_or_else(|e| panic!("{e}"));

    let bytes = crate::write(&module).unwrap();
    let read = crate::read(&bytes).unwrap();
    assert_eq!(read.kernels[0].operands, module.kernels[0].operands);
    assert_eq!(read.kernels[0].attr_int("SimdSize"), Some(8));
    let text = crate::text::print(&module, Default::default());
    let parsed = crate::text::parse(&text, Default::default()).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let ops = |m: &Module| m.kernels[0].code.iter().map(|r| (r.opcode, r.exec, r.pred)).collect::<Vec<_>>();
    assert_eq!(ops(&parsed), ops(&module));
    assert_eq!(parsed.kernels[0].operands, module.kernels[0].operands);
}

#[test]
fn broken_rules_are_all_reported() {
    let mut b = KernelBuilder::new("bad", Platform::Skl);
    let x = b.general("x", Type::D, 8, Align::Grf);
    let nowhere = b.label("nowhere");
    b.mov(SIMD8, x.at(1), x);
    b.jmp(nowhere);
    b.ret();
    let found = rules(b.finish().unwrap_err());
    assert!(found.contains(&"operand-bounds") && found.contains(&"label-defined"), "{found:?}");
}

#[test]
fn operands_that_fit_no_slot_are_reported() {
    let mut b = KernelBuilder::new("bad", Platform::Skl);
    b.inst(Opcode::Mov, 0, SIMD8, &[Operand::Num(1)]);
    b.ret();
    let errors = b.finish().unwrap_err();
    assert_eq!(rules(errors.clone()), ["operands"]);
    assert!(errors.to_string().starts_with("instruction 1: operand 0 of mov"), "{errors}");
}

#[test]
fn an_instruction_of_another_platform_is_refused() {
    let mut b = KernelBuilder::new("bad", Platform::Skl);
    let x = b.general("x", Type::D, 8, Align::Grf);
    b.add3(SIMD8, x, x, x, x);
    b.ret();
    assert_eq!(rules(b.finish().unwrap_err()), ["availability"]);
}

#[test]
fn elements_are_counted_in_the_platforms_registers() {
    for (platform, row, col) in [(Platform::Skl, 2, 1), (Platform::Pvc, 1, 1)] {
        let mut b = KernelBuilder::new("k", platform);
        let v = b.general("v", Type::UD, 64, Align::Grf);
        let crate::VectorOperand::General(g) = Source::from(v.at(17)).operand(ExecSize::S8) else { panic!() };
        assert_eq!((g.row, g.col), (row, col), "{platform}");
    }
}

#[test]
fn the_entry_of_a_message_is_its_object_its_text_and_its_view() {
    let mut b = KernelBuilder::new("messages", Platform::Skl);
    let t = b.surface("T6");
    let x = b.general("x", Type::D, 64, Align::Grf);
    for row in crate::table::messages() {
        let operand = |slot: &Slot| match slot.enc {
            Enc::Vector => Operand::Vector(Source::from(x.lane(1)).operand(ExecSize::S1)),
            Enc::Raw => Operand::Raw(x.raw(32)),
            Enc::Surface => Operand::Surface(t),
            _ if slot.text == Text::Zero => Operand::Num(0),
            _ => Operand::Num(1),
        };
        let exec = if row.has_exec() { SIMD8 } else { Exec::SCALAR };
        let operands: Vec<Operand> = row.operand_slots().map(operand).collect();
        b.inst(row.opcode, row.sub.unwrap_or(0), exec, &operands);
        // The view has everything: what is made of it is the same again.
        let first = b.kernel.code.len() - 1;
        let kernel = b.kernel.clone();
        let inst = kernel.inst(first);
        b.op(Opcode::Mov, inst.exec, inst.op);
        let [made, again] = [first, first + 1].map(|i| b.kernel.code[i]);
        assert_eq!((made.opcode, made.sub, made.exec), (again.opcode, again.sub, again.exec), "{}", row.name);
        assert_eq!(b.kernel.operands_of(&made), b.kernel.operands_of(&again), "{}", row.name);
    }
    b.ret();
    let kernels = vec![b.kernel];
    let module = Module { version: Version::V4_1, kernels, ..Module::default() };
    let read = crate::read(&crate::write(&module).unwrap()).unwrap();
    assert_eq!(read.kernels[0].operands, module.kernels[0].operands);
    let text = crate::text::print(&module, Default::default());
    let parsed = crate::text::parse(&text, Default::default()).unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_eq!(parsed.kernels[0].operands, module.kernels[0].operands, "{text}");
    assert!(crate::table::messages().count() > 12);
}
