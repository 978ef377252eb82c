//! Sampler messages.

use visa::{Op as Visa, op::Sample};

use crate::lower::{Lowered, Lowerer};

impl Lowerer<'_> {
    /// `sample_3d`, `load_3d`, `sample4` and their forms.
    pub(crate) fn sampler_message(&mut self, _sample: &Sample<'_>) -> Lowered {
        Err("sampler messages are not lowered yet".into())
    }

    /// `resinfo`, `sampleinfo`, `lod`.
    pub(crate) fn sampler_info(&mut self, _op: &Visa<'_>) -> Lowered {
        Err("sampler messages are not lowered yet".into())
    }
}
