//! What a launch needs of our code, against what Intel's compiler stored beside its own (`.ze_info`), field
//! by field where vISA carries the field, for all test kernels on all platforms.
//!
//! Shared local memory is not among them: the compiler tells the runtime itself, and `SLMSize` stays 0.

use std::collections::BTreeMap;

use finalizer::{Finalizer, InputInfo, InputKind, KernelInfo, Options};
use gen_ir::Target;
use platforms::Platform;
use tests::data::{self, SYMBOL_TABLE, TestKernel};

/// What differs, as `field: ours, Intel's`.
fn differences(kernel: &TestKernel, ours: &KernelInfo, counts: &mut BTreeMap<&str, usize>) -> Vec<String> {
    let theirs = zebin::info::find(&kernel.ze_info, &kernel.name).unwrap();
    let mut faults = Vec::new();
    let mut equal = |field: &'static str, a: u32, b: u32| {
        *counts.entry(field).or_default() += 1;
        if a != b {
            faults.push(format!("{}: {field}: {a}, Intel's {b}", kernel.id()));
        }
    };
    equal("SIMD size", ours.simd.into(), theirs.simd);
    equal("registers", ours.grf_count.into(), theirs.grf_count);
    equal("barriers", ours.barriers.into(), theirs.barriers);
    equal("bytes to skip loads of a thread's data", ours.skip_per_thread_load, theirs.skip_per_thread_load);
    equal("entry on 64 bytes", ours.skip_per_thread_load % 64, 0);

    // The payload: each thread's own data from r1 on, then what all threads share.
    let caps = ours.platform.caps();
    let grf = u32::from(caps.regs.grf_bytes);
    let own: u32 = theirs.per_thread.iter().map(|a| a.size).sum();
    // Hardware brings at least a register of each thread's own.
    let least = if caps.thread.payload_prologue { 0 } else { grf };
    let first = grf + own.next_multiple_of(grf).max(least);
    let shared: Vec<(u32, u32)> =
        theirs.payload.iter().map(|a| (first + a.offset, first + a.offset + a.size)).collect();
    let mut inputs: Vec<&InputInfo> = ours.inputs.iter().filter(|i| i.kind == InputKind::General).collect();
    inputs.sort_by_key(|i| i.offset);
    for input in inputs {
        let (at, end) = (input.offset, input.offset + input.size);
        if end <= first {
            equal("inputs below the first register", u32::from(at < grf), 0);
            continue;
        }
        // An input holds whole arguments, or is a part of one (structures; local memory has 4-byte addresses).
        let touches = |a: &&(u32, u32)| a.0 < end && at < a.1;
        let split = |a: &(u32, u32)| !(at <= a.0 && a.1 <= end || a.0 <= at && end <= a.1);
        let mut filled = shared.iter().filter(touches).peekable();
        if input.provenance.0 == 0 {
            equal("inputs that no argument fills", u32::from(filled.peek().is_none()), 0);
        }
        equal("inputs across arguments", filled.filter(|a| split(a)).count() as u32, 0);
    }
    faults
}

/// Where the first instruction is the target of a branch, the loads of the payload stand before it.
#[test]
fn a_loop_from_the_first_instruction_loads_the_payload_once() {
    let platform = Platform::Pvc;
    let text = tests::opcodes::program(
        "cmp.eq (M1, 16) P1 D1(0,0)<1;1,0> D2(0,0)<1;1,0>\n\
         add (M1, 16) D1(0,0)<1> D1(0,0)<1;1,0> D2(0,0)<1;1,0>\n\
         (P1) goto (M1, 16) begin",
    )
    .replace("main:\n", "main:\nbegin:\n");
    let binaries = Finalizer::new(Options::new(platform)).finalize_text(&text).unwrap();
    let (code, info) = (&binaries[0].code, &binaries[0].info);
    assert!(info.skip_cross_thread_load > 0 && info.skip_per_thread_load == 0, "{info:?}");
    let back: Vec<u32> = encoder::decode_all(platform, code)
        .filter_map(|d| match d.inst.ok()?.targets()? {
            (Target::Rel(by), _) | (_, Target::Rel(by)) if by < 0 => Some(d.offset.wrapping_add_signed(by)),
            _ => None,
        })
        .collect();
    assert!(
        !back.is_empty() && back.iter().all(|to| *to >= info.skip_cross_thread_load),
        "{back:?} {info:?}"
    );
}

/// Half a register of a thread's own data takes a whole one, as the runtime lays it out.
#[test]
fn data_of_a_thread_fill_whole_registers() {
    let code = |bytes: u32| {
        let text = format!(
            ".version 4.1\n.kernel \"k\"\n.decl A v_type=G type=ud num_elts=8 align=GRF\n\
             .decl B v_type=G type=ud num_elts=16 align=GRF\n.input A offset=64 size=32\n\
             .input B offset=128 size=64\n.kernel_attr SimdSize=16\n\
             .kernel_attr PerThreadInputSize={bytes}\n.function \"k\"\nk:\n\
             add (M1, 8) B(0,0)<1> A(0,0)<1;1,0> B(0,0)<1;1,0>\n\
             lsc_store.ugm (M1, 8) flat[B]:a32 A:d32\nret (M1, 1)\n"
        );
        let binaries = Finalizer::new(Options::new(Platform::Pvc)).finalize_text(&text).unwrap();
        binaries[0].code.clone()
    };
    assert_eq!(code(32), code(64));
}

fn run(platform: Platform) {
    let mut finalizer = Finalizer::new(Options { verify: false, ..Options::new(platform) });
    let (mut counts, mut faults, mut refused) = (BTreeMap::new(), Vec::new(), 0);
    let kernels = data::kernels(platform);
    for kernel in kernels.iter().filter(|k| k.name != SYMBOL_TABLE) {
        let read = |text: &str| finalizer::read_text(text.as_bytes(), platform).unwrap();
        let mut module = read(&kernel.visaasm);
        kernel.functions.iter().for_each(|f| module.link(read(f)));
        finalizer.options_mut().inline_payload = kernel.inline_payload();
        let Ok(binary) = finalizer.finalize_kernel(&module, 0) else {
            refused += 1;
            continue;
        };
        faults.extend(differences(kernel, &binary.info, &mut counts));
    }
    println!("{platform}: {} kernels, {refused} refused; compared {counts:?}", kernels.len());
    assert!(faults.is_empty(), "{}:\n{}", faults.len(), faults.join("\n"));
    assert!(refused * 50 <= kernels.len(), "{refused} refused");
}

tests::on_each_platform!(run);
