//! Which of a kernel's inputs nothing fills.

use platforms::Platform;
use visa::Kernel;
use zebin::info::KernelInfo;

use crate::local_ids::own_bytes;

/// An input of a kernel that its launch information leaves out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfilled {
    /// The variable's name.
    pub name: String,
    /// Byte offset in the register file.
    pub offset: u32,
    /// Bytes.
    pub bytes: u32,
}

/// The inputs of a kernel no byte of which its launch information fills. An input of which a part is filled is none
/// of them: compilers declare whole registers where they use some dwords.
pub fn unfilled(platform: Platform, kernel: &Kernel, info: &KernelInfo) -> Vec<Unfilled> {
    let grf = u32::from(platform.caps().regs.grf_bytes);
    // Behind r0 stand the thread's own data, then what all threads see.
    let cross = grf.saturating_add(own_bytes(platform, info));
    let range = |base: u32, offset: u32, size: u32| {
        let start = base.saturating_add(offset);
        start..start.saturating_add(size)
    };
    let own = info.per_thread.iter().map(|p| range(grf, p.offset, p.size));
    let filled: Vec<_> = own.chain(info.payload.iter().map(|p| range(cross, p.offset, p.size))).collect();
    let is_filled = |input: &Unfilled| {
        let end = input.offset.saturating_add(input.bytes);
        // r0 is the hardware's.
        input.offset < grf || filled.iter().any(|f| f.start < end && input.offset < f.end)
    };
    let inputs = kernel.inputs.iter().map(|input| Unfilled {
        name: kernel.input_name(input.var).into_owned(),
        offset: u32::try_from(input.offset).unwrap_or(0),
        bytes: input.size.into(),
    });
    inputs.filter(|input| input.bytes > 0 && !is_filled(input)).collect()
}
