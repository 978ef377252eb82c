//! What each thread of a group is given of its own: the channels that run, and their local ids.

use narrow::{as_index, low_u16, low_u32};
use platforms::Platform;
use zebin::info::{KernelInfo, PayloadArg};

/// Channels that run of a thread with `items` work items. A kernel of one channel is a vector program:
/// runtimes dispatch it with every channel on, and its instructions choose their own widths.
pub(crate) fn dispatched(items: u32, simd: u32) -> u32 {
    if simd <= 1 { u32::MAX } else { crate::thread::mask(items) }
}

/// Bytes of a thread's own data, in whole registers.
pub(crate) fn own_bytes(platform: Platform, k: &KernelInfo) -> u32 {
    let thread = &platform.caps().thread;
    let grf = u32::from(platform.caps().regs.grf_bytes);
    // Where the hardware fills registers, it fills at least one for each thread, whether it is of use or not.
    let least = if thread.payload_prologue { 0 } else { grf };
    let end = |p: &PayloadArg| p.offset.saturating_add(p.size.min(4096));
    let bytes = k.per_thread.iter().map(end).max().unwrap_or(0).max(least);
    bytes.checked_next_multiple_of(grf).unwrap_or(u32::MAX)
}

/// Local ids of a thread's channels: 16 bits each, a dimension after the other, each padded to whole
/// registers; or one packed triple for kernels of one channel.
pub(crate) fn local_ids(k: &KernelInfo, local: [u32; 3], thread: u32, grf: u32) -> Vec<u8> {
    let mut out = Vec::new();
    let ids = |lane: u32| {
        let mut left = u64::from(thread) * u64::from(k.simd) + u64::from(lane);
        let mut id = [0u32; 3];
        for d in k.walk_order {
            id[d] = low_u32(left % u64::from(local[d]));
            left /= u64::from(local[d]);
        }
        id
    };
    for item in &k.per_thread {
        let at = as_index(item.offset);
        let size = as_index(item.size.min(4096));
        if out.len() < at + size {
            out.resize(at + size, 0);
        }
        match item.kind.as_str() {
            "local_id" => {
                let step = as_index((k.simd * 2).next_multiple_of(grf));
                for d in 0..(size / step).min(3) {
                    for lane in 0..k.simd {
                        let v = low_u16(ids(lane)[d]);
                        let to = at + d * step + 2 * as_index(lane);
                        out[to..to + 2].copy_from_slice(&v.to_le_bytes());
                    }
                }
            }
            "packed_local_ids" => {
                for (d, v) in ids(0).iter().enumerate().take(size / 2) {
                    out[at + 2 * d..at + 2 * d + 2].copy_from_slice(&low_u16(*v).to_le_bytes());
                }
            }
            _ => {}
        }
    }
    out
}
