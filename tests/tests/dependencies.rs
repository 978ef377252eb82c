//! Our code waits for all that Intel's assembler would have it wait for, along all paths ([`tests::dependencies`]).

use finalizer::{Finalizer, Options};
use gen_ir::{RegisterSet, Swsb};
use platforms::Platform;
use tests::{
    data::{devices, kernels},
    dependencies::unmet,
    differential::module,
    visa_random::{Settings, generate},
};

fn all_is_waited_for(platform: Platform) {
    let mut finalizer = Finalizer::new(Options::new(platform));
    let mut codes = Vec::new();
    for kernel in kernels(platform) {
        let module = module(platform, kernel).expect("a test kernel");
        let binary = finalizer.finalize_kernel(&module, 0).expect("code");
        codes.push((kernel.id(), binary.code.to_vec(), binary.stats.addressed));
    }
    for seed in 0..100 {
        let text = generate(Settings::new(platform), seed).text();
        let module = finalizer::read_text(text.as_bytes(), platform).expect("a program");
        let binary = finalizer.finalize_kernel(&module, 0).expect("code");
        codes.push((format!("program {seed}"), binary.code.to_vec(), binary.stats.addressed));
    }
    let found: Vec<_> = codes
        .iter()
        .flat_map(|(id, code, addressed)| {
            unmet(platform, code, *addressed).into_iter().map(move |u| format!("{id}: {u:x?}"))
        })
        .collect();
    assert!(found.is_empty(), "{} found\n{}", found.len(), found[..found.len().min(20)].join("\n"));
    assert!(codes.len() > 500);
}

#[test]
fn all_is_waited_for_on_tiger_lake() {
    all_is_waited_for(Platform::Tgllp);
}

#[test]
fn all_is_waited_for_on_ponte_vecchio() {
    all_is_waited_for(Platform::Pvc);
}

/// Without any one of its waits, a kernel's code has something that is not waited for, for most of them.
#[test]
fn what_is_not_waited_for_is_found() {
    for platform in devices().into_iter().filter(|p| p.caps().scoreboard.software) {
        let (mut waits, mut found) = (0, 0);
        for kernel in kernels(platform).iter().filter(|k| k.source == "loops.cl") {
            let module = module(platform, kernel).expect("a test kernel");
            let mut finalizer = Finalizer::new(Options { compact: false, ..Options::new(platform) });
            let code = finalizer.finalize_kernel(&module, 0).expect("code").code.to_vec();
            for at in (0..code.len()).step_by(16) {
                let word = u128::from_le_bytes(*code[at..].first_chunk().expect("a word"));
                let mut inst = encoder::decode(platform, word).expect("an instruction");
                if inst.swsb.dist.is_none() {
                    continue;
                }
                waits += 1;
                inst.swsb = Swsb { dist: None, ..inst.swsb };
                let mut less = code.clone();
                less[at..at + 16]
                    .copy_from_slice(&encoder::encode(platform, &inst).expect("a word").to_le_bytes());
                found += usize::from(!unmet(platform, &less, RegisterSet::ALL).is_empty());
            }
        }
        println!("{platform}: {found} of {waits}");
        assert!(waits > 100 && found * 10 > waits * 8, "{platform}: {found} of {waits}");
    }
}
