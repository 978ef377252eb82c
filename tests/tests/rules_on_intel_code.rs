//! The rule checker stays silent on everything Intel's compiler emits.

use std::collections::BTreeMap;

use encoder::decode_all;
use gen_ir::rules;
use platforms::Platform;
use tests::data::kernels;

/// Counts broken rules over all of Intel's code for a platform, with one example each.
fn broken_rules(platform: Platform) -> (usize, BTreeMap<&'static str, (usize, String)>) {
    let mut found = BTreeMap::new();
    let mut instructions = 0;
    for kernel in kernels(platform) {
        for decoded in decode_all(platform, &kernel.dat) {
            let Ok(inst) = decoded.inst else { continue };
            instructions += 1;
            for b in rules::check(platform, &inst) {
                let entry = found.entry(b.rule).or_insert_with(|| (0, format!("{}: {inst}", kernel.id())));
                entry.0 += 1;
            }
        }
    }
    (instructions, found)
}

fn expect_silence(platform: Platform) {
    let (instructions, found) = broken_rules(platform);
    assert!(instructions > 10_000, "{platform}: only {instructions} instructions decoded");
    let report: Vec<String> = found
        .iter()
        .map(|(rule, (count, example))| format!("{rule}: {count} times, as in {example}"))
        .collect();
    assert!(report.is_empty(), "{platform}: {instructions} instructions\n{}", report.join("\n"));
}

tests::on_each_platform!(expect_silence);
