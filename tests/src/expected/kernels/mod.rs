//! A file for each source of `tests/kernels`: the cases of its kernels.

use super::target::Kernels;

/// The modules, and the source file of each.
macro_rules! sources {
    ($($module:ident . $extension:ident),* $(,)?) => {
        $(mod $module;)*
        /// The kernels of every source file.
        pub(super) const SOURCES: &[(&str, Kernels)] =
            &[$((concat!(stringify!($module), ".", stringify!($extension)), $module::KERNELS)),*];
    };
}

sources! {
    atomics32.cl,
    atomics64.cl,
    atomics_c11.cl,
    atomics_float.cl,
    atomics_float_native.cl,
    barriers.cl,
    bitonic.cl,
    block_reads.cl,
    block_reads_wide.cl,
    branches.cl,
    compare_select.cl,
    constant_memory.cl,
    conversions.cl,
    conversions64.cl,
    dot_products.cl,
    double_arith.cl,
    double_div.cl,
    fft.cl,
    flag_pressure.cl,
    float_arith.cl,
    functions.cl,
    gathers.cl,
    gathers_stateless.cl,
    half_arith.cl,
    ids.cl,
    image_blocks.cl,
    image_dims.cl,
    image_read.cl,
    image_sample.cl,
    image_write.cl,
    indirect_calls.cl,
    int16_arith.cl,
    int32_arith.cl,
    int64_arith.cl,
    int8_arith.cl,
    int_div.cl,
    int_div64.cl,
    irreducible.cl,
    live400.cl,
    loops.cl,
    mandelbrot.cl,
    math_basic.cl,
    math_bits.cl,
    math_transcendental.cl,
    mulhi.cl,
    nbody.cl,
    pixels.cl,
    pointers.cl,
    pressure.cl,
    print.cl,
    private_arrays.cl,
    private_mixed.cl,
    random.cl,
    recursion.cl,
    saxpy.cl,
    sha256.cl,
    shifts.cl,
    slm_types.cl,
    spill_branches.cl,
    stack_calls.cl,
    structs.cl,
    sub_group_reduce.cl,
    sub_group_shuffles.cl,
    sub_group_votes.cl,
    switches.cl,
    text.cl,
    uniform_loops.cl,
    vc_calls.ll,
    vc_gather_atomic.ll,
    vc_indirect.ll,
    vc_math.ll,
    vc_media.ll,
    vc_oword_copy.ll,
    vc_raw_send.ll,
    vc_simd_flow.ll,
    vectors.cl,
    work_group_functions.cl,
}

/// What all these files use.
mod prelude {
    pub(super) use crate::expected::{
        accept::{Accept, dot, near, ulps},
        case::{Case, each, flat},
        element::{either, exactly},
        opencl::{self, IntegerFunctions},
        target::{Kernels, Target},
    };
}
