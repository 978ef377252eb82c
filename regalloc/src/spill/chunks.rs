//! What one message to scratch memory moves, and how long what it moved is of use.

use gen_ir::{Kernel, Virtual};

/// Instructions for which a filled temporary stays in use.
pub(crate) const KEEP: u32 = 24;

/// Sizes of the messages that move `regs` registers of `grf` bytes, as (first register, registers).
pub(crate) fn chunks(regs: u32, grf: u32) -> impl Iterator<Item = (u32, u32)> {
    let most = 8 * 32 / grf;
    let mut at = 0;
    std::iter::from_fn(move || {
        let left = regs - at;
        if left == 0 {
            return None;
        }
        let n = 1 << left.min(most).ilog2();
        at += n;
        Some((at - n, n))
    })
}

/// Bytes of a general register.
pub(crate) fn grf_of(kernel: &Kernel<Virtual>) -> u32 {
    u32::from(kernel.platform.caps().regs.grf_bytes)
}
