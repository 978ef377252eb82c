//! The rule checker stays silent on everything Intel's compiler emits, but for faults of the hardware that were found later than
//! the release of 2022 whose code is at hand.

use std::collections::BTreeMap;

use encoder::decode_all;
use gen_ir::rules;
use platforms::Platform;
use tests::data::kernels;

/// Rules that its release of 2026 obeys: of `vc_media.ll` it gives `add (16) r28.0<4>:ub r11.0<2;1,0>:w -r5.0<2;1,0>:w`, where the
/// code at hand has bytes at every other place.
const FOUND_LATER: [&str; 1] = ["byte-swizzle"];

/// Counts broken rules over all of Intel's code for a platform, with one example each.
fn broken_rules(platform: Platform) -> (usize, BTreeMap<&'static str, (usize, String)>) {
    let mut found = BTreeMap::new();
    let mut instructions = 0;
    for kernel in kernels(platform) {
        for decoded in decode_all(platform, &kernel.dat) {
            let Ok(inst) = decoded.inst else { continue };
            instructions += 1;
            for b in rules::check(platform, &inst).into_iter().filter(|b| !FOUND_LATER.contains(&b.rule)) {
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
