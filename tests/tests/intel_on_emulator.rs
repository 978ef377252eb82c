//! Intel's binaries run on the emulator without findings.

use emulator::Options;
use platforms::Platform;
use tests::{data::kernels, launches};

fn run_all(platform: Platform) {
    let (mut ran, mut skipped) = (0, 0);
    let mut findings = Vec::new();
    for k in kernels(platform).iter().filter(|k| k.source.ends_with(".cl")) {
        let (launch, mut memory) = match launches::launch(k, 1) {
            Ok(l) => l,
            Err(e) => {
                println!("{}: {}", k.id(), e.0);
                skipped += 1;
                continue;
            }
        };
        ran += 1;
        match emulator::run(platform, &k.dat, &launch, &mut memory, &Options::default()) {
            Err(e) => findings.push(format!("{}: {e}", k.id())),
            Ok(report) => {
                findings.extend(report.reports.first().map(|r| format!("{}: {r:?}", k.id())));
            }
        }
    }
    println!("{platform}: {ran} kernels ran, {skipped} skipped");
    assert!(findings.is_empty(), "{} with findings\n{}", findings.len(), findings.join("\n"));
}

#[test]
fn skylake() {
    run_all(Platform::Skl);
}
