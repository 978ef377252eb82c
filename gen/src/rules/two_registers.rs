//! Instructions that write two registers do so in two parts.
//!
//! From Gen11 on the first must not write what the second reads, at the granularity of dwords. (Intel's compiler
//! avoids it on those platforms, and does it on Broadwell and Skylake.) Volume 7, "Instruction Compression".

use super::Cx;
use crate::{Dst, FileByte, Region, Src};

pub(super) fn check(cx: &mut Cx<'_>) {
    let Dst::Direct { reg: dst, horz, ty } = cx.inst.dst else { return };
    let (grf, lanes) = (cx.grf(), cx.lanes());
    let Some(start) = dst.file_byte(grf).map(FileByte::bytes) else { return };
    if lanes == 1 || !cx.caps.regions.registers_in_turn {
        return;
    }
    let step = (u32::from(horz) * ty.bytes()).max(1);
    // Where bytes count on past the register that is named, the one that they are in ends here.
    let boundary = (start / grf + 1) * grf;
    // Channels of the first part.
    let first = (boundary - start).div_ceil(step);
    if first >= lanes {
        return;
    }
    let dword = |byte: u32| byte / 4;
    let written = |d: u32| {
        (0..first).any(|c| dword(start + c * step) <= d && d <= dword(start + c * step + ty.bytes() - 1))
    };
    for s in &cx.inst.src {
        let Src::Direct { reg, region, ty, .. } = *s else { continue };
        let Some(at) = reg.file_byte(grf).map(FileByte::bytes) else { continue };
        if region.width == Region::ABSENT || at >= boundary || at + 4 * grf < start {
            continue;
        }
        let read = |c: u32| at + region.element(c) * ty.bytes();
        let meets =
            (first..lanes).any(|c| written(dword(read(c))) || written(dword(read(c) + ty.bytes() - 1)));
        cx.require(
            !meets,
            "two-registers",
            "an operation on two registers does not read for the second what it writes to the first",
        );
    }
}
