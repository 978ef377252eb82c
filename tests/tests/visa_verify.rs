//! The verifier accepts what Intel's compilers write.

use std::collections::BTreeMap;

use tests::data;
use visa::{Rule, Severity, VerifyOptions, text};

/// Findings of many modules: how many of each rule and instruction, and the first few.
#[derive(Default)]
struct Tally(BTreeMap<(Rule, &'static str), (usize, Vec<String>)>);

impl Tally {
    fn add(&mut self, id: &str, module: &visa::Module, options: VerifyOptions) {
        for finding in visa::verify(module, options) {
            let (count, examples) =
                self.0.entry((finding.rule, finding.instruction.map_or("declaration", |i| i.1))).or_default();
            *count += 1;
            if examples.len() < 4 && !examples.iter().any(|e| e.starts_with(id)) {
                examples.push(format!("{id}: {finding}"));
            }
        }
    }

    /// No errors. Warnings are counted only.
    fn has_no_errors(self) {
        let mut errors = 0;
        for ((rule, place), (count, examples)) in self.0 {
            println!("{} {:?}, {place}: {count}\n  {}", rule.id(), rule.severity(), examples.join("\n  "));
            errors += if rule.severity() == Severity::Error { count } else { 0 };
        }
        assert_eq!(errors, 0);
    }
}

#[test]
fn test_kernels_keep_every_rule() {
    let mut tally = Tally::default();
    for platform in platforms::Platform::ALL {
        let options = VerifyOptions::for_platform(platform);
        let grf_bytes = options.grf_bytes;
        for k in data::kernels(platform) {
            let id = format!("{platform} {}", k.id());
            for source in std::iter::once(&k.visaasm).chain(&k.functions) {
                let read = text::TextOptions { grf_bytes, ..Default::default() };
                let module = text::parse(source, read).unwrap_or_else(|e| panic!("{id}:\n{e}"));
                tally.add(&id, &module, options);
                assert!(visa::validate(module, grf_bytes).is_ok(), "{id}");
            }
        }
    }
    tally.has_no_errors();
}
