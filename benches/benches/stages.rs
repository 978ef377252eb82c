//! Every stage of the pipeline on a small, a medium and a large kernel of the test set.
//!
//! Stages inside the finalizer are timed by the finalizer itself; criterion gets the sum over its runs.

use std::{hint::black_box, time::Duration};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use finalizer::{Finalizer, Options, PASSES};
use platforms::Platform;
use tests::data::kernel;

/// vISA instructions: about 16, 180 and 3,300.
const KERNELS: [(&str, &str); 3] = [
    ("small", "saxpy.cl/16/saxpy.simd16"),
    ("medium", "work_group_functions.cl/16/collectives.simd16"),
    ("large", "sha256.cl/16/sha256_block.simd16"),
];

fn stages(c: &mut Criterion) {
    let platform = Platform::Skl;
    for (size, id) in KERNELS {
        let text = kernel(platform, id).visaasm.as_bytes();
        let module = finalizer::read_text(text, platform).expect("a test kernel reads");
        let object = visa::write(&module).expect("a test kernel has an object");
        let mut finalizer =
            Finalizer::new(Options { verify: false, timings: true, ..Options::new(platform) });
        let stats = finalizer.finalize_kernel(&module, 0).expect("a test kernel finalizes").stats;

        let mut group = c.benchmark_group(format!("stages/{size}"));
        group.throughput(Throughput::Elements(stats.visa_instructions.into()));
        group
            .sample_size(20)
            .measurement_time(Duration::from_secs(2))
            .warm_up_time(Duration::from_millis(300));
        group.bench_function("read object", |b| b.iter(|| black_box(visa::read(&object)).is_ok()));
        group.bench_function("read text", |b| {
            b.iter(|| black_box(finalizer::read_text(text, platform)).is_ok())
        });
        group.bench_function("write object", |b| b.iter(|| black_box(visa::write(&module)).is_ok()));
        for pass in PASSES.iter().filter(|p| stats.times.iter().any(|t| t.pass == p.name)) {
            group.bench_function(pass.name, |b| {
                b.iter_custom(|runs| {
                    let mut sum = Duration::ZERO;
                    for _ in 0..runs {
                        let binary = finalizer.finalize_kernel(&module, 0).expect("a test kernel finalizes");
                        sum += binary
                            .stats
                            .times
                            .iter()
                            .filter(|t| t.pass == pass.name)
                            .map(|t| t.time)
                            .sum::<Duration>();
                    }
                    sum
                });
            });
        }
        group.bench_function("whole", |b| b.iter(|| black_box(finalizer.finalize_object(&object)).is_ok()));
        group.finish();
    }
}

criterion_group!(benches, stages);
criterion_main!(benches);
