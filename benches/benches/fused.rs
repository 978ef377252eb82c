//! What it saves that copy propagation counts readers and notes candidates in its own walk: the passes behind it
//! with what it has left them, and without, when each works out what it needs.

use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use finalizer::{Alone, Pass};
use platforms::Platform;
use tests::data::kernel;

const PASSES: [&str; 4] = ["propagate-copies", "attach-conditions", "chain-comparisons", "eliminate-dead"];

fn fused(c: &mut Criterion) {
    let platform = Platform::Skl;
    let text = &kernel(platform, "sha256.cl/16/sha256_block.simd16").visaasm;
    let named = |name| Pass::named(name).expect("a pass of the list");
    let mut group = c.benchmark_group("fused");
    group.sample_size(20).measurement_time(Duration::from_secs(5));
    for (name, forgets) in [("counted along", false), ("walks of their own", true)] {
        group.bench_function(name, |b| {
            b.iter_custom(|runs| {
                let mut sum = Duration::ZERO;
                for _ in 0..runs {
                    let mut kernel = Alone::new(named("lower"), text, platform).expect("a test kernel reads");
                    kernel.do_not_check();
                    for before in ["lower", "convert-branches"] {
                        kernel.run(named(before)).expect("a test kernel finalizes");
                    }
                    let start = Instant::now();
                    for pass in PASSES {
                        kernel.run(named(pass)).expect("a test kernel finalizes");
                        if forgets {
                            kernel.forget_analyses();
                        }
                    }
                    sum += start.elapsed();
                }
                sum
            });
        });
    }
    group.finish();
}

criterion_group!(benches, fused);
criterion_main!(benches);
