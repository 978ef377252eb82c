//! Inputs that benchmarks share.

pub mod generated;
pub mod process;
pub mod synthetic;
