//! Test kernels launched as foreign ones are, with inputs and data that are made up.

use finalizer::{Finalizer, Options};
use platforms::Platform;
use tests::{
    data, differential,
    foreign::{self, Choices, Launched},
};

/// Code that refers to constants of its program, which the vISA only names.
#[test]
fn symbols_are_places_in_memory() {
    for platform in data::devices() {
        let mut kernels =
            data::kernels(platform).iter().filter(|k| k.source == "constant_memory.cl").peekable();
        assert!(kernels.peek().is_some(), "{platform}");
        for kernel in kernels {
            let module = differential::module(platform, kernel).unwrap();
            let binary = Finalizer::new(Options::new(platform)).finalize_kernel(&module, 0).unwrap();
            let launched = foreign::run(platform, &module, 0, &binary, Choices::default());
            assert_eq!(launched, Launched::Agrees, "{platform} {}", kernel.id());
        }
    }
}

/// A compiler's code that loads its inputs itself finds them in registers here.
#[test]
fn loads_of_inputs_are_left_out() {
    let kernel = data::kernel(Platform::Pvc, "saxpy.cl/any/saxpy.simd32");
    let module = differential::module(Platform::Pvc, kernel).unwrap();
    let launched = foreign::run_theirs(Platform::Pvc, &module, 0, &kernel.dat, Choices::default());
    assert_eq!(launched, Launched::Agrees);
}
