//! What blocks remember nothing of.

use crate::replay::files::{FILES, Files};
use gen_ir::{Kernel, Role, Var, VarClass};

/// What is known of a byte of a variable.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ByteUse {
    Nothing,
    /// One block alone touches it, and writes it first.
    Written(usize),
    Otherwise,
}

/// The bytes of variables that one block alone touches and writes first, by block: storage and byte. What an earlier run of the
/// block has left there is nothing, not even in lanes that do not run: that is agreed between lowering and allocation (see
/// `check` in the allocator), which may part a variable and then says it of the parts.
pub fn forgotten<S: Files>(kernel: &Kernel<S>) -> Vec<Vec<(usize, usize)>> {
    let grf = u32::from(kernel.platform.caps().regs.grf_bytes);
    let blank = |var: &Var| {
        let outside = var.live_in || var.live_out;
        vec![if outside { ByteUse::Otherwise } else { ByteUse::Nothing }; var.bytes as usize]
    };
    let mut seen: Vec<Vec<ByteUse>> = kernel.vars.iter().map(blank).collect();
    for (b, block) in kernel.blocks.iter().enumerate() {
        for inst in &block.insts {
            for write in [false, true] {
                inst.for_each_reg(|role, reg| {
                    let Some((s, _)) = S::locate(reg.base()).filter(|at| at.0 >= FILES) else { return };
                    if matches!(role, Role::Dst | Role::Cond) != write {
                        return;
                    }
                    let of_flag = kernel.vars[s - FILES].class == VarClass::Flag;
                    let bytes = &mut seen[s - FILES];
                    let extent = inst.extent(role, grf).filter(|_| !of_flag);
                    let (start, end) =
                        extent.map_or((0, bytes.len()), |e| (e.start as usize, e.end as usize));
                    let end = end.min(bytes.len());
                    for byte in &mut bytes[start.min(end)..end] {
                        *byte = match *byte {
                            ByteUse::Nothing if write => ByteUse::Written(b),
                            ByteUse::Written(first) if first == b => *byte,
                            _ => ByteUse::Otherwise,
                        };
                    }
                });
            }
        }
    }
    let mut by_block = vec![Vec::new(); kernel.blocks.len()];
    for (v, bytes) in seen.iter().enumerate() {
        for (byte, seen) in bytes.iter().enumerate() {
            if let ByteUse::Written(b) = *seen {
                by_block[b].push((v + FILES, byte));
            }
        }
    }
    by_block
}
