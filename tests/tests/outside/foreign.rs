//! vISA objects written by other compilers, with Intel's code inside.

use finalizer::{Finalizer, Options};
use platforms::Platform;
use tests::{
    data,
    foreign::{self, Choices, Launched},
    texts::tokens,
    words::{all_come_back, words},
};
use visa::{
    Severity, VerifyOptions,
    text::{self, TextOptions},
};

pub fn foreign_objects_are_written_back_byte_for_byte() {
    let mut kernels = 0;
    for path in data::corpus() {
        let bytes = std::fs::read(&path).unwrap();
        let module = visa::read(&bytes).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        assert!(visa::write(&module).unwrap() == bytes, "{}: other bytes", path.display());
        for kernel in &module.kernels {
            kernels += 1;
            for i in 0..kernel.code.len() {
                let inst = kernel.try_inst(i);
                assert!(inst.is_ok(), "{}: {} {:?}", path.display(), kernel.name(), inst.err());
            }
        }
    }
    println!("{kernels} kernels");
}

/// The foreign objects as text and back.
pub fn objects_go_through_text() {
    let options = TextOptions::default();
    for path in data::corpus() {
        let id = path.display();
        let module = visa::read(&std::fs::read(&path).unwrap()).unwrap();
        // Drivers ship objects whose vISA was taken out: inputs of variables that are not there are no text.
        if module.kernels.iter().any(|k| k.code.is_empty()) {
            continue;
        }
        let printed = text::print(&module, options);
        let parsed = text::parse(&printed, options).unwrap_or_else(|e| panic!("{id}:\n{e}"));
        assert!(tokens(&text::print(&parsed, options)) == tokens(&printed), "{id}: other text");
        for (a, b) in module.kernels.iter().zip(&parsed.kernels) {
            assert_eq!(a.code.len(), b.code.len(), "{id}: {}", a.name());
        }
    }
}

pub fn every_instruction_of_foreign_binaries_comes_back() {
    let mut total = 0;
    for path in data::corpus() {
        let module = visa::read::read_declarations(&std::fs::read(&path).unwrap()).unwrap();
        for binary in module.kernels.iter().flat_map(|k| &k.gen_binaries) {
            let Some(platform) = Platform::from_gen_platform(binary.platform) else { continue };
            let all = words(&binary.code);
            all_come_back(platform, &all);
            total += all.len();
        }
    }
    println!("{total} instructions of foreign binaries");
}

pub fn foreign_objects_keep_every_rule() {
    for path in data::corpus() {
        let module = visa::read(&std::fs::read(&path).unwrap()).unwrap();
        let findings = visa::verify(&module, VerifyOptions { platform: None, grf_bytes: 32 });
        let errors: Vec<String> = findings
            .iter()
            .filter(|f| f.rule.severity() == Severity::Error)
            .map(ToString::to_string)
            .collect();
        assert!(errors.is_empty(), "{}: {errors:#?}", path.display());
    }
}

/// Every kernel that has vISA is finalized for the platforms whose registers it was compiled for, and leaves what the
/// interpreter leaves where that comes to an end.
pub fn foreign_objects_finalize_and_run_as_the_interpreter() {
    let (mut kernels, mut launched, mut wrong) = (0, 0, Vec::new());
    for path in data::corpus() {
        let module = visa::read(&std::fs::read(&path).unwrap()).unwrap();
        let own = module.kernels.iter().flat_map(|k| &k.gen_binaries);
        let own = own.filter_map(|b| Platform::from_gen_platform(b.platform)).next().unwrap_or(Platform::Skl);
        // All of them take long without optimization; `--bin corpus` has them, too.
        let bytes = own.caps().regs.grf_bytes;
        let same =
            |p: &Platform| if cfg!(debug_assertions) { *p == own } else { p.caps().regs.grf_bytes == bytes };
        for platform in Platform::ALL.into_iter().filter(same) {
            for (index, kernel) in module.kernels.iter().enumerate().filter(|(_, k)| !k.code.is_empty()) {
                let id = format!("{platform}: {} {}", path.display(), kernel.name());
                let options = Options { verify: true, ..Options::new(platform) };
                kernels += 1;
                match Finalizer::new(options).finalize_kernel(&module, index) {
                    Err(refusal) => wrong.push(format!("{id}: {refusal}")),
                    Ok(binary) => match foreign::run(platform, &module, index, &binary, Choices::default()) {
                        Launched::Agrees => launched += 1,
                        Launched::Cannot(_) => {}
                        Launched::Wrong(what) => wrong.push(format!("{id}: {what}")),
                    },
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(launched * 10 >= kernels * 9, "only {launched} of {kernels} could be launched");
}
