//! Counting instructions in raw code, the same way for both sides.

use encoder::decode_all;
use gen_ir::{Base, Dst, ExecSize, Inst, Op, Physical, Src};
use platforms::Platform;

/// Instructions that do something: `nop`, `illegal` and `sync` are left out, and so are the dummies that
/// Intel's finalizer plants for workarounds on Gen11 and Gen12 (a register moved to itself, a `csel` of
/// `r0` into `r0`).
pub fn count(platform: Platform, code: &[u8]) -> u32 {
    decode_all(platform, code)
        .filter_map(|d| d.inst.ok())
        .filter(|i| !matches!(i.op, Op::Nop | Op::Illegal | Op::Sync) && !is_dummy(i))
        .count() as u32
}

/// `sync` instructions, which platforms with a software scoreboard have.
pub fn syncs(platform: Platform, code: &[u8]) -> u32 {
    decode_all(platform, code).filter_map(|d| d.inst.ok()).filter(|i| i.op == Op::Sync).count() as u32
}

fn is_dummy(i: &Inst<Physical>) -> bool {
    let (Dst::Direct { reg: dst, .. }, Src::Direct { reg: src, mods, .. }) = (i.dst, i.src[0]) else {
        return false;
    };
    if dst != src || mods.any() || i.sat || !matches!(dst.base(), Base::Grf(_)) {
        return false;
    }
    match i.op {
        Op::Mov => {
            i.pred.is_none() && i.cond.is_none() && i.dst.ty() == i.src[0].ty() && i.exec == ExecSize::S8
        }
        Op::Csel => i.exec == ExecSize::S4 && i.src.iter().all(|s| s.reg() == Some(dst)),
        _ => false,
    }
}
