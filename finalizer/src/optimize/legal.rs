//! Whether an instruction of legal code is still legal after a change.

use gen_ir::{Arf, Base, Inst, Reg, Role, Virtual};
use platforms::Platform;

/// Whether no rule of the hardware speaks against an instruction, wherever its variables are placed:
/// variables of a register's size or more begin a register, and operands of up to four bytes an element
/// have no other rule about their place than those that sizes and strides decide.
pub fn allows(platform: Platform, inst: &Inst<Virtual>, grf_bytes: u32) -> bool {
    let place = |first: u16, r: Reg<Virtual>| {
        let number = u16::try_from(r.byte / grf_bytes).unwrap_or(u16::MAX / 2);
        Reg::grf(first.saturating_add(number), r.byte % grf_bytes)
    };
    let placed = inst.map_regs(|role, r| match r.base() {
        Base::Grf(n) => Reg::grf(n, r.byte),
        Base::Arf(a) => Reg::arf(a, r.byte),
        Base::Var(_) => match role {
            Role::Pred | Role::Cond => Reg::arf(Arf::Flag(0), 0),
            Role::SrcAddr(_) | Role::DstAddr | Role::Desc | Role::ExDesc => Reg::arf(Arf::Addr(0), 0),
            // What reads its own variable does so in place.
            Role::Src(_) if inst.dst.reg().is_some_and(|d| d.is_in(r)) => place(80, r),
            Role::Src(k) => place(16 + 16 * u16::from(k), r),
            _ => place(80, r),
        },
    });
    let wide = |e: Option<gen_ir::Extent>| {
        e.is_some_and(|e| e.end.div_ceil(grf_bytes).saturating_sub(e.start / grf_bytes) > 2)
    };
    !wide(inst.dst_extent(grf_bytes))
        && !(0..3).any(|k| wide(inst.src_extent(k, grf_bytes)))
        && gen_ir::rules::is_legal(platform, &placed)
}
