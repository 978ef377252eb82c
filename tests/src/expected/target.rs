//! What a function that gives cases is handed.

use std::ops::{Deref, DerefMut};

use platforms::Platform;

use super::{case::Case, inputs::Inputs};

/// The machine a kernel is compiled for, and a source of inputs (always the same one).
pub struct Target {
    /// The platform.
    pub platform: Platform,
    /// Channels of a thread: the size of a sub-group.
    pub simd: usize,
    inputs: Inputs,
}

impl Target {
    pub(super) fn new(platform: Platform, simd: usize) -> Target {
        Target { platform, simd, inputs: Inputs::new(0x5eed) }
    }
}

impl Deref for Target {
    type Target = Inputs;
    fn deref(&self) -> &Inputs {
        &self.inputs
    }
}

impl DerefMut for Target {
    fn deref_mut(&mut self) -> &mut Inputs {
        &mut self.inputs
    }
}

/// The kernels of a source file and what gives their cases.
pub(super) type Kernels = &'static [(&'static str, fn(&mut Target) -> Vec<Case>)];
