//! A finalizer that is kept asks the allocator for nothing but what it gives. From the third compile of a
//! kernel on (where registers are spilled, two analyses change places), the allocations are those of the
//! result, one for each of its lists and texts that holds something, and as many bytes as those hold. So it
//! is for each kernel by itself, and for all of them in turns.
//!
//! A sample of the test kernels here; `ALL=1 cargo test --release -p tests --test allocations` takes all.

use allocation_counter::measure;
use finalizer::{Binary, Finalizer, Options};
use platforms::Platform;
use tests::{
    data::{self, TestKernel},
    texts,
};
use visa::{Module, Version};

/// Allocations that hold a result: each list or text that is not empty is one.
fn blocks(binary: &Binary) -> u64 {
    let Binary {
        code,
        info,
        relocations,
        symbols,
        warnings,
        origins,
        debug_info,
        lines,
        free_registers,
        stats,
    } = binary;
    assert!(origins.is_empty() && debug_info.is_empty() && free_registers.is_none(), "not asked for");
    assert!(lines.rows.is_empty(), "not asked for");
    let text = |s: &String| u64::from(!s.is_empty());
    let mut blocks = u64::from(!code.is_empty()) + text(&info.name);
    blocks += u64::from(!info.inputs.is_empty()) + info.inputs.iter().map(|i| text(&i.name)).sum::<u64>();
    blocks += u64::from(!info.functions.is_empty());
    blocks += info.functions.iter().map(|f| text(&f.name)).sum::<u64>();
    blocks += u64::from(!relocations.is_empty()) + relocations.iter().map(|r| text(&r.symbol)).sum::<u64>();
    blocks += u64::from(!symbols.is_empty()) + symbols.iter().map(|s| text(&s.name)).sum::<u64>();
    assert!(warnings.is_empty(), "not asked for");
    blocks + u64::from(!stats.times.is_empty())
}

/// Bytes of these allocations.
fn bytes(binary: &Binary) -> u64 {
    let Binary {
        code,
        info,
        relocations,
        symbols,
        warnings,
        origins,
        debug_info,
        lines,
        free_registers,
        stats,
    } = binary;
    assert!(origins.is_empty() && debug_info.is_empty() && free_registers.is_none(), "not asked for");
    assert!(lines.rows.is_empty(), "not asked for");
    fn list<T>(list: &[T]) -> usize {
        size_of_val(list)
    }
    let texts = [&info.name].into_iter().chain(info.inputs.iter().map(|i| &i.name));
    let texts = texts.chain(info.functions.iter().map(|f| &f.name));
    let texts = texts.chain(relocations.iter().map(|r| &r.symbol)).chain(symbols.iter().map(|s| &s.name));
    let lists = list(code) + list(&info.inputs) + list(&info.functions) + list(relocations) + list(symbols);
    assert!(warnings.is_empty(), "not asked for");
    (lists + list(&stats.times) + texts.map(String::len).sum::<usize>()) as u64
}

/// Kernels of a platform, spread over all there are: as 3.6 and 4.1 objects.
fn objects(platform: Platform) -> Vec<(String, String, Vec<u8>)> {
    let step: usize = if std::env::var_os("ALL").is_some() { 1 } else { 12 };
    let mut objects = Vec::new();
    for kernel in data::kernels(platform).iter().step_by(step) {
        for version in [Version::V3_6, Version::V4_1] {
            let Some(object) = object(kernel, platform, version) else { continue };
            objects.push((format!("{platform} {} {version}", kernel.id()), kernel.name.clone(), object));
        }
    }
    objects
}

/// A kernel with its functions as an object, if that version can hold it.
fn object(kernel: &TestKernel, platform: Platform, version: Version) -> Option<Vec<u8>> {
    let options = texts::options(platform);
    let mut module: Module = visa::text::parse(&kernel.visaasm, options).expect("a test kernel");
    for function in &kernel.functions {
        module.link(visa::text::parse(function, options).expect("a function of a test kernel"));
    }
    module.set_version(version);
    visa::write(&module).ok()
}

#[test]
fn the_steady_state_allocates_the_result_alone() {
    for platform in Platform::ALL {
        let options = Options { verify: false, timings: true, ..Options::new(platform) };
        let mut finalizer = Finalizer::new(options);
        let (mut kernels, mut first_calls, mut calls, mut sizes) = (0, 0, 0, 0);
        let objects = objects(platform);
        for (id, name, object) in &objects {
            let mut first = None;
            let cold = measure(|| first = finalizer.finalize_named(object, name).ok());
            let Some(first) = first else { continue };
            let _ = finalizer.finalize_named(object, name);
            let mut again = None;
            let used = measure(|| again = finalizer.finalize_named(object, name).ok());
            let again = again.expect("as the first time");
            assert_eq!(again.code, first.code, "{id}");
            assert_eq!(used.count_total, blocks(&again), "{id}: allocations");
            assert_eq!(used.bytes_total, bytes(&again), "{id}: bytes");
            kernels += 1;
            first_calls += cold.count_total;
            calls += used.count_total;
            sizes += used.bytes_total;
        }
        for (id, name, object) in &objects {
            let mut again = None;
            let used = measure(|| again = finalizer.finalize_named(object, name).ok());
            let Some(again) = again else { continue };
            assert_eq!(
                (used.count_total, used.bytes_total),
                (blocks(&again), bytes(&again)),
                "{id}: in turns"
            );
            // Whole objects: the list of binaries is one more.
            let mut all = None;
            let _ = finalizer.finalize_object(object);
            let used = measure(|| all = finalizer.finalize_object(object).ok());
            let all = all.expect("as by name");
            assert_eq!(used.count_total, all.iter().map(blocks).sum::<u64>() + 1, "{id}: whole object");
        }
        assert!(kernels >= 40, "{platform}: {kernels} kernels");
        println!(
            "{platform}: {kernels} kernels; {calls} allocations of {sizes} bytes, all of them the results' \
             ({first_calls} the first time)"
        );
    }
}
