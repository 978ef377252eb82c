//! Whether an instruction over variables is legal, before they have places.

use std::iter::successors;

use platforms::Platform;

use super::{errata, is_legal};
use crate::{AddrSub, Base, Class, Extent, FlagSub, GrfNum, Inst, Physical, Reg, Role, Type, Var, Virtual};

/// Whether no rule of the hardware speaks against an instruction, wherever its variables are placed:
/// variables begin at multiples of their alignment, in a register's beginning or behind it; those that are not among `vars` yet,
/// anywhere.
pub fn allows(platform: Platform, inst: &Inst<Virtual>, grf_bytes: u32, vars: &[Var]) -> bool {
    let place = |first: u32, r: Reg<Virtual>| {
        let number = GrfNum::try_new(first.saturating_add(r.byte / grf_bytes));
        Reg::grf(number.unwrap_or(GrfNum::LAST), r.byte % grf_bytes)
    };
    let placed = inst.map_regs(|role, r| match r.base() {
        Base::Grf(n) => Reg::new(Base::Grf(n), r.byte),
        Base::Arf(a) => Reg::arf(a, r.byte),
        Base::Var(_) => match role {
            Role::Pred | Role::Cond => Reg::flag(FlagSub::F0),
            Role::SrcAddr(_) | Role::DstAddr | Role::Desc | Role::ExDesc => Reg::address(AddrSub::A0),
            // What reads its own variable does so in place.
            Role::Src(_) if inst.dst.reg().is_some_and(|d| d.is_in(r)) => place(80, r),
            Role::Src(k) => place(16 + 16 * u32::from(k), r),
            _ => place(80, r),
        },
    });
    let wide = |e: Option<Extent>| {
        e.is_some_and(|e| e.end.div_ceil(grf_bytes).saturating_sub(e.start / grf_bytes) > 2)
    };
    let caps = platform.caps();
    let may_be_odd = errata::chooses_words(caps, inst) || errata::reads_words_for_bytes(caps, inst);
    !may_be_odd
        && !wide(inst.dst_extent(grf_bytes))
        && !(0..3).any(|k| wide(inst.src_extent(k, grf_bytes)))
        && is_legal(platform, &placed)
        && (!cares_for_place(platform, inst)
            || legal_in_other_places(platform, inst, &placed, grf_bytes, vars))
}

/// Whether rules look at the place of an operand in its register, beside that of another or of a vector in the instruction.
fn cares_for_place(platform: Platform, inst: &Inst<Virtual>) -> bool {
    let caps = platform.caps();
    let ternary = inst.op.info().class == Class::Ternary && !caps.words.ternary_align16;
    let vector = inst.src.iter().any(|s| s.is_imm() && s.ty().is_some_and(Type::is_vector));
    inst.exec.lanes() > 1 && (ternary || vector || caps.regions.compares_places())
}

/// Whether an instruction is legal as well where an operand so small that it may lie in the upper half of a register, or
/// of a half, and so on, does.
fn legal_in_other_places(
    platform: Platform,
    inst: &Inst<Virtual>,
    placed: &Inst<Physical>,
    grf_bytes: u32,
    vars: &[Var],
) -> bool {
    let roles = [Role::Dst, Role::Src(0), Role::Src(1), Role::Src(2)];
    let operand = |role| match role {
        Role::Src(k) => (inst.src[usize::from(k)].reg(), inst.src_extent(usize::from(k), grf_bytes)),
        _ => (inst.dst.reg(), inst.dst_extent(grf_bytes)),
    };
    roles.into_iter().all(|moved| {
        let (Some(reg), Some(extent)) = operand(moved) else { return true };
        let Some(var) = reg.var() else { return true };
        let align = vars.get(var.index()).map_or(1, |v| v.align);
        let least = extent.end.max(align).max(1);
        // All operands in that variable move with it.
        let with = |role| roles.contains(&role) && operand(role).0.is_some_and(|r| r.is_in(reg));
        let halves = successors(Some(grf_bytes / 2), |half| Some(half / 2));
        halves.take_while(|half| *half >= least).all(|half| {
            let other = placed.map_regs(|role, r| if with(role) { r.plus(half) } else { r });
            is_legal(platform, &other)
        })
    })
}
