//! What becomes of the test kernels: finalized, refused, faulty.
//!
//! ```text
//! cargo run --release -p tests --bin survey -- skl [PART-OF-ID] [--run]
//! ```
//!
//! With `--run` the code also runs on the emulator, beside Intel's, over the same data.

use std::{
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind},
};

use emulator::Options as RunOptions;
use finalizer::{Finalizer, Options};
use platforms::Platform;
use tests::{
    data::{TestKernel, kernels},
    launches,
};

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let run = words.iter().any(|w| w == "--run");
    let mut words = words.iter().filter(|w| !w.starts_with("--"));
    let platform: Platform = words.next().map_or("skl", String::as_str).parse().expect("a platform");
    let only = words.next().cloned().unwrap_or_default();
    let mut counts: BTreeMap<String, (usize, String)> = BTreeMap::new();
    std::panic::set_hook(Box::new(|_| {}));
    for kernel in kernels(platform).iter().filter(|k| k.id().contains(&only)) {
        for outcome in outcomes(platform, kernel, run) {
            if !only.is_empty() {
                println!("{}: {outcome}", kernel.id());
            }
            let class = outcome.split('\n').next().unwrap_or_default().to_owned();
            let entry = counts.entry(class).or_insert_with(|| (0, kernel.id()));
            entry.0 += 1;
        }
    }
    let mut rows: Vec<_> = counts.into_iter().collect();
    rows.sort_by_key(|(_, (n, _))| std::cmp::Reverse(*n));
    for (class, (n, example)) in rows {
        println!("{n:>5}  {class}   ({example})");
    }
}

fn panic_text(e: &(dyn std::any::Any + Send)) -> String {
    let text = e.downcast_ref::<String>().cloned();
    text.or_else(|| e.downcast_ref::<&str>().map(|s| (*s).to_owned())).unwrap_or_default()
}

fn outcomes(platform: Platform, kernel: &TestKernel, run: bool) -> Vec<String> {
    let module = match finalizer::read_text(kernel.visaasm.as_bytes(), platform) {
        Ok(m) => m,
        Err(e) => return vec![format!("text: {}", e.0[0])],
    };
    let options = Options { verify: true, ..Options::new(platform) };
    let mut finalizer = Finalizer::new(options);
    let result = catch_unwind(AssertUnwindSafe(|| finalizer.finalize_kernel(&module, 0)));
    let binary = match result {
        Err(e) => {
            let text = panic_text(&*e);
            let rule = text.split(" breaks ").nth(1);
            return vec![format!(
                "panic: {}",
                rule.map_or_else(|| text.clone(), |b| format!("breaks {b}\n{text}"))
            )];
        }
        Ok(Err(refusal)) => {
            let opcode = |d: &finalizer::Diagnostic| {
                d.instruction
                    .as_ref()
                    .map_or(String::new(), |i| i.1.split(' ').next().unwrap_or("").to_owned())
            };
            return refusal.0.iter().map(|d| format!("refused: {}: {}\n{d}", opcode(d), d.message)).collect();
        }
        Ok(Ok(b)) => b,
    };
    if !run || !kernel.source.ends_with(".cl") {
        return vec!["finalized".into()];
    }
    let result = catch_unwind(AssertUnwindSafe(|| compare(platform, kernel, &binary.code)));
    vec![result.unwrap_or_else(|e| format!("panic while running: {}", panic_text(&*e)))]
}

fn compare(platform: Platform, kernel: &TestKernel, code: &[u8]) -> String {
    let (mut launch, memory) = match launches::launch(kernel, 1) {
        Ok(l) => l,
        Err(e) => return format!("no launch: {}", e.0),
    };
    let options = RunOptions { max_instructions: 3_000_000, ..RunOptions::default() };
    let mut theirs = memory.clone();
    let intel = match emulator::run(platform, &kernel.dat, &launch, &mut theirs, &options) {
        Err(emulator::Error::Trap { reason, inst, .. }) => {
            return format!("Intel's code fails: {reason}\n{inst}");
        }
        Err(e) => return format!("Intel's code fails: {e}"),
        Ok(report) => report,
    };
    let mut mine = memory;
    // Ours may use more scratch memory than Intel's.
    launch.kernel.scratch = launch.kernel.scratch.max(1 << 16);
    let ours = match emulator::run(platform, code, &launch, &mut mine, &options) {
        Err(emulator::Error::Trap { reason, inst, .. }) => {
            return format!("our code fails: {reason}\n{inst}");
        }
        Err(e) => return format!("our code fails: {e}"),
        Ok(report) => report,
    };
    for ((_, name, a), (_, _, b)) in theirs.buffers().zip(mine.buffers()) {
        if let Some(at) = a.iter().zip(b).position(|(x, y)| x != y) {
            let near = at & !7..((at & !7) + 8).min(a.len());
            return format!(
                "differs\nbuffer {name} at byte {at}: Intel {:02x?} ours {:02x?}",
                &a[near.clone()],
                &b[near]
            );
        }
    }
    match (intel.reports.first(), ours.reports.first()) {
        (Some(r), _) => format!("agrees, but Intel's code is reported: {:?}\n{r:?}", r.fault),
        (None, Some(r)) => format!("agrees, but reported: {:?}\n{r:?}", r.fault),
        _ => "agrees".into(),
    }
}
