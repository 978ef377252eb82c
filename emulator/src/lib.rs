//! A judge without a GPU.
mod file;
mod memory;
pub mod num;

mod program;

pub use memory::{Buffer, Fault, Image, Memory, Sampler, Surface, Texel, Wrap};
