//! What the test kernels have to compute, written in Rust from their OpenCL C.
//!
//! For each kernel of `tests/kernels` a function in `kernels` gives one or more [`Case`]s: inputs, the
//! size of the launch, and the contents that every buffer has to have afterwards. None of the tools
//! under test has a part in it. [`judge`] runs Intel's code, ours and the interpreter on the cases.
//!
//! Results are bits, except where OpenCL grants a kernel more: [`Accept`] then says what is allowed
//! (the ULP table of section 7.4, contraction of `a * b + c`, `native_*` functions).

mod accept;
mod case;
mod element;
mod inputs;
mod judge;
mod kernels;
mod opencl;
mod picture;
mod target;

pub use accept::Accept;
pub use case::Case;
pub use inputs::Inputs;
pub use judge::{Judgement, Verdict, judge, judge_with};
use platforms::Platform;
pub use target::Target;

use crate::data::{SYMBOL_TABLE, TestKernel};

const NO_SAMPLER: &str = "Xe-HPC has no sampler: the vISA reads variables that nothing writes";

/// Kernels whose vISA for Xe-HPC does not say what their source says: file, kernel, why.
const ON_PVC: &[(&str, &str, &str)] = &[
    ("image_dims.cl", "volume", NO_SAMPLER),
    ("image_dims.cl", "slices", NO_SAMPLER),
    ("image_dims.cl", "line", NO_SAMPLER),
    ("image_dims.cl", "buffer_image", NO_SAMPLER),
    ("image_dims.cl", "sample_volume", NO_SAMPLER),
    ("image_read.cl", "read_float", NO_SAMPLER),
    ("image_read.cl", "read_uint", NO_SAMPLER),
    ("image_read.cl", "read_int", NO_SAMPLER),
    ("image_sample.cl", "resize", NO_SAMPLER),
    ("image_sample.cl", "two_samplers", NO_SAMPLER),
    ("image_sample.cl", "red_only", NO_SAMPLER),
    ("image_sample.cl", "divergent_sample", NO_SAMPLER),
    ("image_write.cl", "invert_in_place", NO_SAMPLER),
    ("image_write.cl", "sobel", NO_SAMPLER),
];

/// The cases of a kernel, or why it has none.
pub fn cases(platform: Platform, kernel: &TestKernel) -> Result<Vec<Case>, &'static str> {
    if kernel.name == SYMBOL_TABLE {
        // It does nothing by itself.
        return Ok(Case::items(1).only());
    }
    if platform == Platform::Pvc
        && let Some((.., why)) =
            ON_PVC.iter().find(|(source, name, _)| *source == kernel.source && *name == kernel.name)
    {
        return Err(why);
    }
    let make = kernels::SOURCES
        .iter()
        .filter(|(source, _)| *source == kernel.source)
        .flat_map(|(_, kernels)| kernels.iter())
        .find(|(name, _)| *name == kernel.name)
        .ok_or("nobody wrote down what it computes")?
        .1;
    Ok(make(&mut Target::new(platform, kernel.simd as usize)))
}
