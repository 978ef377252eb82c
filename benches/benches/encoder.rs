//! Encoding with compaction, and decoding, in instructions a second: the code that Intel's compiler wrote
//! for the test kernels of each platform.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use encoder::{Decoded, append_compacted, decode_all, encode};
use gen_ir::{Inst, Physical};
use platforms::Platform;
use std::hint::black_box;
use tests::data;

/// Bytes of code that a measurement runs over: more than the caches near a core hold.
const BYTES: usize = 1 << 20;

fn code(platform: Platform) -> Vec<u8> {
    let mut code = Vec::new();
    for kernel in data::kernels(platform) {
        code.extend_from_slice(&kernel.dat);
        if code.len() > BYTES {
            break;
        }
    }
    code
}

fn instructions(platform: Platform, code: &[u8]) -> Vec<Inst<Physical>> {
    decode_all(platform, code).filter_map(|d| d.inst.ok()).collect()
}

fn encoder(c: &mut Criterion) {
    for platform in Platform::ALL {
        let code = code(platform);
        let insts = instructions(platform, &code);
        let mut group = c.benchmark_group(format!("encoder/{platform}"));
        group.throughput(Throughput::Elements(insts.len() as u64));
        group.bench_function("decode", |b| {
            b.iter(|| {
                let (mut all, mut item) = (decode_all(platform, black_box(&code)), Decoded::default());
                while all.next_into(&mut item) {
                    black_box(&item.inst);
                }
            });
        });
        group.bench_function("encode", |b| {
            let mut words = Vec::with_capacity(insts.len());
            b.iter(|| {
                words.clear();
                words.extend(black_box(&insts).iter().map(|inst| encode(platform, inst)));
            });
        });
        group.bench_function("encode and compact", |b| {
            let mut bytes = Vec::with_capacity(code.len() * 2);
            b.iter(|| {
                bytes.clear();
                for inst in black_box(&insts) {
                    let Ok(word) = encode(platform, inst) else { continue };
                    append_compacted(platform, word, &mut bytes);
                }
            });
        });
        group.finish();
    }
}

criterion_group!(benches, encoder);
criterion_main!(benches);
