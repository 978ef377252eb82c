//! The builder can make every instruction there is: each instruction of every test kernel, put in again
//! by its typed view, gives the operands it came from; the kernels made so finalize to the same code.

use std::collections::BTreeSet;

use finalizer::{Finalizer, Options};
use platforms::Platform;
use tests::data;
use visa::{Kernel, Module, Op, builder::KernelBuilder, table};

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
