//! Structurization and register allocation, swept by size: the time per instruction must not grow.

use benches::synthetic::{KernelShape, kernel};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use gen_ir::Pool;
use platforms::Platform;
use regalloc::{AllocationMemory, Options, allocate};
use std::time::Duration;
use structurizer::structurize;

fn sweep(c: &mut Criterion) {
    let sizes = [1_000, 10_000, 100_000];
    let mut group = c.benchmark_group("structurize");
    group.sample_size(10).warm_up_time(Duration::from_millis(300));
    for insts in sizes {
        let k = kernel(Platform::Skl, KernelShape { insts, block: 20, live: 30 });
        group.throughput(Throughput::Elements(k.inst_count() as u64));
        group.bench_with_input(BenchmarkId::from_parameter(insts), &k, |b, k| {
            b.iter_batched(|| k.clone(), |mut k| structurize(&mut k), criterion::BatchSize::LargeInput);
        });
    }
    group.finish();
    // Thirty pairs of registers fit; ninety do not.
    for (name, live) in [("allocate", 30), ("allocate with spills", 90)] {
        let mut group = c.benchmark_group(name);
        group.sample_size(10).warm_up_time(Duration::from_millis(300));
        for insts in sizes {
            let mut k = kernel(Platform::Skl, KernelShape { insts, block: 20, live });
            structurize(&mut k).expect("synthetic kernels are well-formed");
            group.throughput(Throughput::Elements(k.inst_count() as u64));
            group.bench_with_input(BenchmarkId::from_parameter(insts), &k, |b, k| {
                let (mut memory, mut pool) = (AllocationMemory::default(), Pool::default());
                b.iter(|| allocate(k, &Options::default(), &mut memory, &mut pool));
            });
        }
        group.finish();
    }
}

criterion_group!(benches, sweep);
criterion_main!(benches);
