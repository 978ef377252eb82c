//! Both halves of a product of dwords come from one multiplication.
//!
//! Where hardware does not multiply dwords in one instruction, each half is `mul` with the low words of a factor to the
//! accumulator, then `macl` or `mach`. `mach` leaves the low half in the accumulator, from which a move takes it, instead of a
//! `mul` and a `macl` (IGC has `madw` so: `HWConformity.cpp`, "mul, mach, mov acc0"; PRM volume 2a, `mach`). A move, other than
//! `macl`, may write the half of a quadword, too.
//!
//! The later half is computed together with the first one, so no instruction in between may touch its result or change
//! the factors.

use gen_ir::{Base, Dst, Extent, Inst, Kernel, Op, Options, Role, Src, SrcMod, Var, Virtual};

use crate::build::{self, ACC0, Lanes};

/// How far apart both may stand: results live longer.
const REACH: usize = 64;
/// How many products are known at a time.
const KNOWN: usize = 16;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ProductHalf {
    Low,
    High,
}

/// A half of a product: the place of the instruction that gives it. The one before fills the accumulator.
#[derive(Clone, Copy, Debug)]
pub(super) struct HalfProduct {
    at: usize,
    half: ProductHalf,
}

/// Takes low halves from the accumulator. Returns whether there were any; what is not needed any more is `nop`.
pub(super) fn join(kernel: &mut Kernel<Virtual>, grf_bytes: u32, known: &mut Vec<HalfProduct>) -> bool {
    let caps = kernel.platform.caps();
    if !caps.ops.macl {
        return false;
    }
    let by_option = caps.words.acc_write_enable;
    let Kernel { vars, blocks, .. } = kernel;
    let mut any = false;
    for block in blocks {
        known.clear();
        for i in 1..block.insts.len() {
            let insts = &mut block.insts[..];
            let Some(half) = half(&insts[i - 1], &insts[i], by_option) else { continue };
            let fits = |k: &HalfProduct| {
                let window = &insts[k.at..i - 1];
                k.half != half && i - k.at <= REACH && is_same(&insts[k.at], &insts[i]) && {
                    stands(window, &insts[i], vars, grf_bytes)
                }
            };
            if let Some(found) = known.iter().rposition(fits) {
                let at = known.remove(found).at;
                one_product(insts, (at, i), half);
                // The first product has a move behind it now, so what follows has gone one place down.
                known.iter_mut().filter(|k| k.at > at).for_each(|k| k.at += 1);
                any = true;
            } else {
                if known.len() == KNOWN {
                    known.remove(0);
                }
                known.push(HalfProduct { at: i, half });
            }
        }
    }
    any
}

/// Which half of a product an instruction gives, if the one before has filled the accumulator for it.
fn half(mul: &Inst<Virtual>, inst: &Inst<Virtual>, by_option: bool) -> Option<ProductHalf> {
    let fills = mul.op == Op::Mul && mul.dst.reg().is_some_and(|r| r.base() == ACC0.base());
    let plain = |i: &Inst<Virtual>| i.pred.is_none() && i.cond.is_none() && !i.sat;
    let result = matches!(inst.dst, Dst::Direct { reg, horz: 1, ty } if reg.var().is_some() && ty.is_dword());
    if !fills || !result || !plain(mul) || !plain(inst) || !inst.same_channels(mul) {
        return None;
    }
    match (inst.op, by_option, inst.opts.has(Options::ACC_WR_EN)) {
        (Op::Macl, ..) | (Op::Mach, true, false) => Some(ProductHalf::Low),
        (Op::Mach, ..) => Some(ProductHalf::High),
        _ => None,
    }
}

/// Whether two instructions multiply the same dwords in the same channels, whatever their signs: the low half is the same.
fn is_same(a: &Inst<Virtual>, b: &Inst<Virtual>) -> bool {
    let alike = |a: &Src<Virtual>, b: &Src<Virtual>| match (*a, *b) {
        (
            Src::Direct { reg, region, mods: SrcMod::None, ty },
            Src::Direct { reg: other, region: elsewhere, mods: SrcMod::None, ty: read_as },
        ) => (reg, region) == (other, elsewhere) && ty.is_dword() && read_as.is_dword(),
        (a, b) => a == b,
    };
    let [x, y] = [a.src[0], a.src[1]];
    let [v, w] = [b.src[0], b.src[1]];
    a.same_channels(b) && (alike(&x, &v) && alike(&y, &w) || alike(&x, &w) && alike(&y, &v))
}

/// Whether an instruction that computes a half may move in front of these: none changes its factors or touches its result.
fn stands(window: &[Inst<Virtual>], inst: &Inst<Virtual>, vars: &[Var], grf_bytes: u32) -> bool {
    let named = |role: Role| {
        let reg = match role {
            Role::Dst => inst.dst.reg(),
            Role::Src(i) => inst.src[usize::from(i)].reg(),
            _ => None,
        };
        Some((reg?.var()?, inst.extent(role, grf_bytes)?))
    };
    let Some(result) = named(Role::Dst) else { return false };
    let factors = [named(Role::Src(0)), named(Role::Src(1))];
    let all_named = [Some(result), factors[0], factors[1]].into_iter().flatten();
    all_named.into_iter().all(|(v, _)| vars[v.index()].is_only_named())
        && window.iter().all(|other| {
            let mut apart = true;
            other.for_each_reg(|role, reg| {
                let Base::Var(v) = reg.base() else { return };
                let touched = other.extent(role, grf_bytes).unwrap_or(Extent::new(0, u32::MAX));
                let meets = |part: Option<(gen_ir::VarId, Extent)>| {
                    part.is_some_and(|(of, bytes)| of == v && bytes.overlaps(touched))
                };
                let changes = role.is_write() && factors.into_iter().any(meets);
                apart &= !meets(Some(result)) && !changes;
            });
            apart
        })
}

/// Has both halves made by the first of two products, where the second gives `half`.
fn one_product(insts: &mut [Inst<Virtual>], (first, second): (usize, usize), half: ProductHalf) {
    let low = match half {
        ProductHalf::Low => insts[second],
        ProductHalf::High => {
            let low = insts[first];
            (insts[first - 1], insts[first]) = (insts[second - 1], insts[second]);
            low
        }
    };
    let ty = low.dst.ty().unwrap_or(gen_ir::Type::Ud);
    let mut mov = build::mov(Lanes::of(&low), low.dst, Src::new(ACC0, build::strided(1, low.exec), ty));
    mov.origin = low.origin;
    insts[second - 1] = mov;
    insts[second] = Inst::new(Op::Nop, low.exec);
    insts[first + 1..second].rotate_right(1);
}
