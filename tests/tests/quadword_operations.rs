//! Our code has no operation on quadwords that Intel's compilers never write for a platform. Words that the hardware lacks
//! can be encoded, assembled and emulated all the same, so no other check of ours would say anything: shipping Xe-HPC
//! parts, for one, have no logic, comparison or product of 64 bits (IGC, PartialEmuI64OpsPass.cpp,
//! `hasNoInt64HWSupport`; Platform.hpp, `hasInt64DstMul`).

use std::collections::BTreeMap;

use encoder::decode_all;
use finalizer::{Finalizer, Options};
use gen_ir::{Src, Type};
use platforms::Platform;
use tests::data::kernels;

/// The operations on quadwords in code, with one example each.
fn operations(platform: Platform, code: &[u8], found: &mut BTreeMap<String, String>) {
    for inst in decode_all(platform, code).filter_map(|d| d.inst.ok()).filter(|i| !i.op.is_send()) {
        let mut types = inst.src.iter().filter_map(Src::ty).chain(inst.dst.ty());
        if types.any(|t| matches!(t, Type::Q | Type::Uq)) {
            found.entry(inst.op.to_string()).or_insert_with(|| inst.to_string());
        }
    }
}

fn check(platform: Platform) {
    let (mut ours, mut intels) = (BTreeMap::new(), BTreeMap::new());
    let mut finalizer = Finalizer::new(Options::new(platform));
    for kernel in kernels(platform) {
        operations(platform, &kernel.dat, &mut intels);
        let module = finalizer::read_text(kernel.visaasm.as_bytes(), platform).expect("text");
        if let Ok(binary) = finalizer.finalize_kernel(&module, 0) {
            operations(platform, &binary.code, &mut ours);
        }
    }
    assert_eq!(ours.is_empty(), intels.is_empty(), "{platform}: {ours:?}");
    ours.retain(|op, _| !intels.contains_key(op));
    assert!(ours.is_empty(), "{platform}: {ours:#?}");
}

platforms::test_on_each!(check);
