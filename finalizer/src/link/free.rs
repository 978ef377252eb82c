//! General registers that code leaves alone, for tools that put instructions of their own into a kernel.

use gen_ir::{Base, Extent, Kernel, Physical, Role};
use narrow::{as_index, to_u16};

/// Stretches of bytes of the register file that no instruction reads or writes, in order: first byte and count. `r0`,
/// which the messages of such a tool need, is none of them. Where an operand goes through an address, which may be that
/// of any variable, the `used` registers that variables lie in count as touched.
pub(crate) fn registers(code: &Kernel<Physical>, used: u16) -> Vec<(u16, u16)> {
    let grf_bytes = u32::from(code.platform.caps().regs.grf_bytes);
    let mut touched = vec![false; as_index(u32::from(code.grf_count) * grf_bytes)];
    let mut touch = |start: u32, end: u32| {
        let end = as_index(end).min(touched.len());
        if let Some(range) = touched.get_mut(as_index(start)..end) {
            range.fill(true);
        }
    };
    touch(0, grf_bytes);
    for (_, inst) in code.insts() {
        inst.for_each_reg(|role, reg| {
            if matches!(role, Role::SrcAddr(_) | Role::DstAddr) {
                touch(0, u32::from(used) * grf_bytes);
            } else if let Base::Grf(n) = reg.base()
                && let Some(extent) = inst.extent(role, grf_bytes)
            {
                let Extent { start, end } = extent.in_file(n, grf_bytes);
                touch(start, end);
            }
        });
    }
    let mut free = Vec::new();
    let mut at = 0;
    for stretch in touched.chunk_by(|a, b| a == b) {
        if !stretch[0] {
            free.push((at, to_u16(stretch.len())));
        }
        at += to_u16(stretch.len());
    }
    free
}
