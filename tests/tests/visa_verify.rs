//! The verifier accepts what Intel's compilers write.

use tests::data;
use visa::{VerifyOptions, text};

fn no_findings(id: &str, module: &visa::Module, options: VerifyOptions) {
    let findings = visa::verify(module, options);
    let list: Vec<_> = findings.iter().take(5).map(ToString::to_string).collect();
    assert!(findings.is_empty(), "{id}: {} findings\n{}", findings.len(), list.join("\n"));
}

#[test]
fn test_kernels_keep_every_rule() {
    for platform in platforms::Platform::ALL {
        let options = VerifyOptions::for_platform(platform);
        let grf_bytes = options.grf_bytes;
        for k in data::kernels(platform) {
            let id = format!("{platform} {}", k.id());
            for source in std::iter::once(&k.visaasm).chain(&k.functions) {
                let read = text::TextOptions { grf_bytes, ..Default::default() };
                let module = text::parse(source, read).unwrap_or_else(|e| panic!("{id}:\n{e}"));
                no_findings(&id, &module, options);
                assert!(visa::validate(module, grf_bytes).is_ok(), "{id}");
            }
        }
    }
}

#[test]
fn foreign_objects_keep_every_rule() {
    for path in data::corpus() {
        let module = visa::read(&std::fs::read(&path).unwrap()).unwrap();
        no_findings(&path.display().to_string(), &module, VerifyOptions { platform: None, grf_bytes: 32 });
    }
}
