//! A file for each source of `tests/kernels`: the cases of its kernels.

use super::Kernels;

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
    branches.cl,
    float_arith.cl,
    gathers.cl,
    int16_arith.cl,
    int32_arith.cl,
    int8_arith.cl,
    int_div.cl,
    loops.cl,
    mulhi.cl,
    saxpy.cl,
    sha256.cl,
    shifts.cl,
}

/// What all these files use.
mod prelude {
    pub(super) use crate::expected::{
        Kernels, Target,
        accept::{Accept, either, exactly, near, ulps},
        case::{Case, each, flat},
        opencl::{self, IntegerFunctions},
    };
}
