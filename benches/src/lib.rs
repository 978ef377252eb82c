//! Inputs that benchmarks share.

pub mod synthetic;
