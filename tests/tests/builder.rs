//! The builder can make every instruction there is: each instruction of every test kernel, put in again
//! by its typed view, gives the operands it came from; the kernels made so finalize to the same code. One of
//! every instruction of the specification goes through text and object on its way, too.

use std::collections::BTreeSet;

use finalizer::{Finalizer, InputKind, Options};
use platforms::Platform;
use tests::{data, opcodes};
use visa::{
    Access, Align, Exec, ExecSize, Kernel, LabelId, Module, Op, Opcode, Operand, Predefined, Record,
    SamplerId, StrId, SurfaceId, Type, Version,
    builder::KernelBuilder,
    op::{BlockAlignment, SurfaceModifier},
    table::{self, Enc, Role, When},
    text::TextOptions,
};

/// The kernel's code, made again instruction by instruction; what differs is reported.
fn rebuild(platform: Platform, kernel: &Kernel, seen: &mut BTreeSet<&'static str>) -> Kernel {
    let mut b = KernelBuilder::new(&kernel.name(), platform);
    let start = b.kernel().code.len();
    for (index, inst) in kernel.insts().enumerate() {
        let record = &kernel.code[index];
        let row = record.row().expect("a decoded instruction has a row");
        seen.insert(row.name);
        if let Some(guard) = record.pred {
            b.when(guard);
        }
        match inst.op {
            Op::Other(operands) => b.inst(record.opcode, record.sub, record.exec, operands),
            op => b.op(record.opcode, inst.exec, op),
        }
        let made = b.kernel().code.last().copied().expect("appended");
        let what = format!("{platform} {} instruction {index} `{}`", kernel.name(), row.name);
        assert_eq!(b.kernel().code.len(), start + index + 1, "{what} was not taken");
        assert_eq!(
            (made.opcode, made.sub, made.exec, made.pred),
            (record.opcode, record.sub, record.exec, record.pred),
            "{what}"
        );
        assert_eq!(b.kernel().operands_of(&made), kernel.operands_of(record), "{what}");
    }
    let mut made = kernel.clone();
    made.code = b.kernel().code[start..].to_vec();
    for (record, from) in made.code.iter_mut().zip(&kernel.code) {
        record.place = from.place;
    }
    made.operands = b.kernel().operands.clone();
    let shift = b.kernel().code[start].first;
    made.operands.drain(..shift as usize);
    made.code.iter_mut().for_each(|r| r.first -= shift);
    made
}

#[test]
fn every_instruction_of_the_test_kernels_can_be_built() {
    let mut seen = BTreeSet::new();
    let (mut kernels, mut instructions, mut same_code) = (0, 0, 0);
    for platform in Platform::ALL {
        let mut finalizer = Finalizer::new(Options::new(platform));
        for (number, k) in data::kernels(platform).iter().enumerate() {
            let Ok(module) = finalizer::read_text(k.visaasm.as_bytes(), platform) else { continue };
            let built: Vec<Kernel> =
                module.kernels.iter().map(|kernel| rebuild(platform, kernel, &mut seen)).collect();
            kernels += built.len();
            instructions += built.iter().map(|k| k.code.len()).sum::<usize>();
            // Finalizing all of them is the business of other tests; a sample shows that nothing is lost.
            if number % 40 != 0 {
                continue;
            }
            let again = Module { kernels: built, ..module.clone() };
            let code = |m: &Module, f: &mut Finalizer| {
                f.finalize_module(m).map(|b| b.into_iter().map(|b| b.code).collect::<Vec<_>>())
            };
            assert_eq!(code(&again, &mut finalizer), code(&module, &mut finalizer), "{}", k.id());
            same_code += 1;
        }
    }
    let rows = table::rows().count();
    println!(
        "{kernels} kernels, {instructions} instructions of {} kinds (of {rows}) built again; {same_code} finalized alike",
        seen.len()
    );
    assert!(kernels > 3000 && seen.len() > 90, "{kernels} kernels, {} kinds", seen.len());
}

#[test]
fn one_of_every_instruction_is_built_written_and_finalized() {
    let mut seen = BTreeSet::new();
    let (mut finalized, mut refused) = (0, 0);
    for platform in Platform::ALL {
        let mut finalizer = Finalizer::new(Options::new(platform));
        let options =
            TextOptions { grf_bytes: platform.caps().regs.grf_bytes.into(), ..TextOptions::default() };
        for (name, lines) in opcodes::FORMS {
            let text = opcodes::program(lines);
            let module =
                finalizer::read_text(text.as_bytes(), platform).unwrap_or_else(|e| panic!("{name}: {e}"));
            let built: Vec<Kernel> =
                module.kernels.iter().map(|kernel| rebuild(platform, kernel, &mut seen)).collect();
            let built = Module { kernels: built, ..module.clone() };

            // The three ways to the same code, or to the same refusal.
            let printed = visa::text::print(&built, options);
            let object = visa::write(&built).unwrap_or_else(|e| panic!("{name}: {e}"));
            let from_text = finalizer::read_text(printed.as_bytes(), platform)
                .unwrap_or_else(|e| panic!("{platform} {name}: {e}\n{printed}"));
            let from_object = finalizer::read_module(&object).unwrap_or_else(|e| panic!("{name}: {e}"));
            let mut outcome = |m: &Module| match finalizer.finalize_kernel(m, 0) {
                Ok(binary) => Ok((binary.code, binary.info)),
                Err(refusal) => Err(refusal.0.into_iter().map(|d| (d.code, d.message)).collect::<Vec<_>>()),
            };
            let ways = [&module, &built, &from_text, &from_object].map(&mut outcome);
            for way in &ways[1..] {
                assert_eq!(way, &ways[0], "{platform} {name}");
            }
            match &ways[0] {
                Ok((code, _)) => assert!(code.len() >= 16, "{platform} {name}"),
                Err(why) => assert!(!why.is_empty(), "{platform} {name}"),
            }
            *(if ways[0].is_ok() { &mut finalized } else { &mut refused }) += 1;
        }
    }
    println!("{finalized} finalized, {refused} refused; {} kinds of {}", seen.len(), table::rows().count());
    assert!(finalized > 600 && seen.len() > 120, "{finalized} finalized, {} kinds", seen.len());
}

#[test]
fn a_kernel_and_a_function_that_it_calls_are_made_and_linked() {
    for platform in Platform::ALL {
        let lanes = Exec::no_mask(ExecSize::S8);
        let mut f = KernelBuilder::function("twice", platform);
        f.call_sizes(1, 1);
        let (arg, ret) = (f.predefined(Predefined::Arg), f.predefined(Predefined::RetVal));
        let x = f.alias("x", Type::UD, 8, arg, 0);
        let y = f.alias("y", Type::UD, 8, ret, 0);
        f.add(lanes, y, x, x);
        f.fret(Exec::masked(ExecSize::S8));
        let function = f.finish().unwrap_or_else(|e| panic!("{platform}: {e}"));
        assert_eq!((function.kernels.len(), function.functions.len()), (0, 1));

        let mut b = KernelBuilder::new("caller", platform);
        b.attr_int("SimdSize", 8);
        let (arg, ret) = (b.predefined(Predefined::Arg), b.predefined(Predefined::RetVal));
        let x = b.alias("x", Type::UD, 8, arg, 0);
        let y = b.alias("y", Type::UD, 8, ret, 0);
        let (surface, given) = (b.surface("out"), b.general("given", Type::UD, 8, Align::Grf));
        b.input(given, 64);
        b.surface_input(surface, 128);
        b.mov(lanes, x, given);
        b.fcall(Exec::masked(ExecSize::S8), "twice", 1, 1);
        b.oword_block(Access::Store, BlockAlignment::Oword, 2, SurfaceModifier::None, surface, 0u32, y);
        b.ret();
        let mut module = b.finish().unwrap_or_else(|e| panic!("{platform}: {e}"));
        module.link(function);

        let mut finalizer = Finalizer::new(Options::new(platform));
        let binary = finalizer.finalize_kernel(&module, 0).unwrap_or_else(|e| panic!("{platform}: {e}"));
        let function = &binary.info.functions[..];
        assert!(matches!(function, [f] if f.name == "twice" && f.size > 0 && f.offset > 0), "{function:?}");
        assert_eq!(binary.symbols.len(), 2, "{platform}");
        for version in [Version::V3_6, Version::V4_1] {
            module.set_version(version);
            let object = visa::write(&module).unwrap();
            let again = finalizer.finalize_named(&object, "caller").unwrap();
            assert_eq!((again.code, again.info), (binary.code.clone(), binary.info.clone()), "{platform}");
        }
    }
}

#[test]
fn samplers_and_surfaces_can_be_inputs() {
    let mut b = KernelBuilder::new("k", Platform::Skl);
    let (sampler, surface) = (b.sampler("s"), b.surface("t"));
    b.sampler_input(sampler, 32);
    b.surface_input(surface, 36);
    b.ret();
    let module = b.finish().unwrap();
    let binary = Finalizer::new(Options::new(Platform::Skl)).finalize_kernel(&module, 0).unwrap();
    let inputs: Vec<_> = binary.info.inputs.iter().map(|i| (i.name.as_str(), i.kind, i.offset)).collect();
    assert_eq!(inputs, [("s", InputKind::Sampler, 32), ("t", InputKind::Surface, 36)]);
}

/// Operands for a row of the instruction table: of its kinds, with numbers of 0 and variables of `from`, an
/// `add` and a `raw_send`.
fn operands(row: &table::Row, from: &Kernel) -> Vec<Operand> {
    let of = |opcode| from.code.iter().find(|r| r.opcode == opcode).expect("is there");
    let (add, send) = (from.operands_of(of(Opcode::Add)), from.operands_of(of(Opcode::RawSend)));
    let raw = send.iter().find(|o| matches!(o, Operand::Raw(_))).expect("has a payload");
    let mut mode = None;
    let one = |slot: &table::Slot| {
        let absent = match slot.when {
            When::Bits(_) => true,
            When::Equals(value) => mode != Some(value),
            _ => false,
        };
        let number = Operand::Num(0);
        match slot.enc {
            _ if absent => Operand::Absent,
            Enc::Vector if slot.role == Role::Dst => add[0],
            Enc::Vector | Enc::Aoffimmi => add[1],
            Enc::Raw => *raw,
            Enc::Surface => Operand::Surface(SurfaceId(6)),
            Enc::Sampler => Operand::Sampler(SamplerId(0)),
            Enc::Label => Operand::Label(LabelId(0)),
            Enc::Str | Enc::StrWide => Operand::Str(StrId(0)),
            Enc::U8 | Enc::U16 => {
                mode = mode.or(Some(0));
                number
            }
            _ => number,
        }
    };
    let listed = |s: &&table::Slot| !matches!(s.enc, Enc::RawList | Enc::LabelCount | Enc::LabelList);
    row.operand_slots().filter(listed).map(one).collect()
}

/// Every row of the instruction table, with plain operands: the builder takes it, its object reads back as it
/// was, and every platform finalizes it or says why not.
#[test]
fn every_row_of_the_table_is_built_written_and_tried() {
    let text = opcodes::program(
        "add (M1, 16) D0(0,0)<1> D1(0,0)<1;1,0> D2(0,0)<1;1,0>\nraw_send (M1, 16) 0xc 2 2 0x4205e00:ud X.0 X.0",
    );
    let (mut finalized, mut refused) = (0, 0);
    for row in table::rows() {
        for platform in Platform::ALL {
            let from = finalizer::read_text(text.as_bytes(), platform).unwrap();
            let mut b = KernelBuilder::new("row", platform);
            let exec = if row.has_exec() { Exec::masked(ExecSize::S16) } else { Exec::SCALAR };
            b.inst(row.opcode, row.sub.unwrap_or(0), exec, &operands(row, &from.kernels[0]));
            let made = b.kernel().code.last().copied();
            let made =
                made.filter(|m| m.opcode == row.opcode).unwrap_or_else(|| panic!("{}: not taken", row.name));
            let new = b.kernel().operands_of(&made);

            // In the place of the `add`, so that everything it names is declared.
            let mut module = from.clone();
            let kernel = &mut module.kernels[0];
            let at = kernel.code.iter().position(|r| r.opcode == Opcode::Add).expect("is there");
            let first = kernel.operands.len() as u32;
            kernel.operands.extend_from_slice(new);
            kernel.code[at] = Record { first, ..made };

            let object = visa::write(&module).unwrap_or_else(|e| panic!("{}: {e}", row.name));
            let back = visa::read(&object).unwrap_or_else(|e| panic!("{}: {e}", row.name));
            let (kernel, again) = (&module.kernels[0], &back.kernels[0]);
            assert_eq!((again.code[at].opcode, again.code[at].sub), (row.opcode, made.sub), "{}", row.name);
            assert_eq!(
                again.operands_of(&again.code[at]),
                kernel.operands_of(&kernel.code[at]),
                "{}",
                row.name
            );
            match Finalizer::new(Options::new(platform)).finalize_kernel(&back, 0) {
                Ok(_) => finalized += 1,
                Err(refusal) => {
                    let said = refusal.0.iter().all(|d| !d.message.is_empty() && d.kernel.is_some());
                    assert!(said, "{platform} {}: {refusal}", row.name);
                    refused += 1;
                }
            }
        }
    }
    println!("{} rows: {finalized} finalized, {refused} refused", table::rows().count());
    assert!(finalized > 300, "{finalized}");
}
