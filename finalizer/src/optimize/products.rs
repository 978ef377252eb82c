//! The upper half of a signed product, where it was computed from the unsigned one.
//!
//! Compilers multiply 64-bit values by dwords: `mulh(a, b) + (a >> 31) * b + (b >> 31) * a`, where the last two are
//! the upper dwords of sign-extended factors. Modulo a dword that is the upper half of the signed product, one
//! instruction. A factor that is known not to be negative has no such summand.

use gen_ir::{Dst, Extent, Inst, Kernel, Op, Src, SrcMod, Type, Var, Virtual};
use narrow::{low_i32, low_u32};

use crate::build::{Lanes, VReg, VSrc, with_type};

/// How far apart the parts of a sum may stand.
const REACH: usize = 32;

/// Rewrites the last addition of each such sum. What only it has read stays, for the elimination of dead code.
/// Whether there was any.
pub(super) fn signed(kernel: &mut Kernel<Virtual>, grf_bytes: u32) -> bool {
    let vars = &kernel.vars;
    let mut any = false;
    for block in &mut kernel.blocks {
        for k in 0..block.insts.len() {
            if block.insts[k].op != Op::Mulh || !block.insts[k].is_plain() {
                continue;
            }
            let Some(product) = Product::of(&block.insts, k, vars, grf_bytes) else { continue };
            if let Some(at) = product.sum() {
                let mut whole = block.insts[k];
                whole.src = [
                    with_type(product.factors[0], Type::D),
                    with_type(product.factors[1], Type::D),
                    Src::None,
                ];
                whole.dst = block.insts[at].dst;
                whole.origin = block.insts[at].origin;
                block.insts[at] = whole;
                any = true;
            }
        }
    }
    any
}

/// An upper half of an unsigned product of dwords.
struct Product<'a> {
    insts: &'a [Inst<Virtual>],
    vars: &'a [Var],
    at: usize,
    /// Both dwords, none an address leads to.
    factors: [VSrc; 2],
    grf_bytes: u32,
}

impl<'a> Product<'a> {
    fn of(insts: &'a [Inst<Virtual>], at: usize, vars: &'a [Var], grf_bytes: u32) -> Option<Product<'a>> {
        let [a, b, _] = insts[at].src;
        let product = Product { insts, vars, at, factors: [a, b], grf_bytes };
        let factor = |s: VSrc| match s {
            Src::Imm { ty: Type::Ud, .. } => true,
            Src::Direct { reg, mods: SrcMod::None, ty: Type::Ud, .. } => product.is_seen(reg),
            _ => false,
        };
        let result = insts[at].dst.reg().is_some_and(|reg| product.is_seen(reg));
        (factor(a) && factor(b) && result).then_some(product)
    }

    /// Whether all that writes a register names it: no address leads there.
    fn is_seen(&self, reg: VReg) -> bool {
        reg.var().is_some_and(|v| !self.vars[v.index()].address_taken)
    }

    /// The addition that completes the upper half of the signed product.
    fn sum(&self) -> Option<usize> {
        // Summands that are still missing: what stands for the sign of factor 0 and 1.
        let mut missing = self.factors.map(|f| !matches!(f, Src::Imm { bits, .. } if low_i32(bits) >= 0));
        let mut partial = self.at;
        for (i, inst) in self.insts.iter().enumerate().skip(self.at + 1).take(REACH) {
            if self.factors.iter().any(|f| self.writes(inst, f)) {
                return None;
            }
            let dword = inst.dst.ty().is_some_and(Type::is_dword);
            if inst.op == Op::Add && dword && inst.is_plain() && self.same_lanes(inst) {
                let this = (0..2).find(|&s| self.is_result(&inst.src[s], partial, i));
                let signs = this.and_then(|s| self.sign_of(&inst.src[1 - s], i, &missing));
                if let Some(f) = signs {
                    missing[f] = false;
                    partial = i;
                    if missing == [false; 2] {
                        return Some(i);
                    }
                    continue;
                }
            }
            if self.overwritten(partial, inst) {
                return None;
            }
        }
        None
    }

    /// Which missing summand a source of instruction `at` is: factor `f`'s sign times the other factor.
    fn sign_of(&self, src: &VSrc, at: usize, missing: &[bool; 2]) -> Option<usize> {
        let mul = self.definition(src, at)?;
        let inst = &self.insts[mul];
        if inst.op != Op::Mul {
            return None;
        }
        (0..2).filter(|&f| missing[f]).find(|&f| {
            (0..2).any(|s| {
                same(&inst.src[1 - s], &self.factors[1 - f])
                    && self.unchanged(&inst.src[1 - s], mul)
                    && self.definition(&inst.src[s], mul).is_some_and(|shift| {
                        let Inst { op, src: [value, count, _], .. } = &self.insts[shift];
                        *op == Op::Asr
                            && matches!(count, Src::Imm { bits: 31, .. })
                            && value.ty() == Some(Type::D)
                            && same(value, &self.factors[f])
                            && self.unchanged(value, shift)
                    })
            })
        })
    }

    /// The instruction that computes what a source of instruction `at` reads, in the same channels.
    fn definition(&self, src: &VSrc, at: usize) -> Option<usize> {
        let from = at.saturating_sub(REACH);
        let var = src.reg()?.var()?;
        let j = from + self.insts[from..at].iter().rposition(|i| i.dst_var() == Some(var))?;
        let inst = &self.insts[j];
        (inst.is_plain() && self.same_lanes(inst) && self.is_result(src, j, at)).then_some(j)
    }

    /// Whether a source of instruction `at` is the dword that instruction `j` has computed in each channel.
    fn is_result(&self, src: &VSrc, j: usize, at: usize) -> bool {
        let Dst::Direct { reg: to, horz: 1, ty: to_type } = self.insts[j].dst else { return false };
        let Src::Direct { reg, region, mods: SrcMod::None, ty } = *src else { return false };
        let lanes = self.insts[at].exec.lanes();
        to == reg && self.is_seen(to) && region.one_by_one(lanes) && ty.is_dword() && to_type.is_dword()
    }

    fn same_lanes(&self, inst: &Inst<Virtual>) -> bool {
        Lanes::of(inst) == Lanes::of(&self.insts[self.at])
    }

    /// Whether nothing between instruction `j` and the product, in any order, writes a source of `j`.
    fn unchanged(&self, src: &VSrc, j: usize) -> bool {
        let (from, to) = (j.min(self.at), j.max(self.at));
        !self.insts[from..to].iter().any(|inst| self.writes(inst, src))
    }

    fn writes(&self, inst: &Inst<Virtual>, src: &VSrc) -> bool {
        let Some(var) = src.reg().and_then(|r| r.var()) else { return false };
        inst.dst_var() == Some(var)
    }

    /// Whether an instruction writes what instruction `j` has computed.
    fn overwritten(&self, j: usize, inst: &Inst<Virtual>) -> bool {
        let result = &self.insts[j];
        let bytes = result.dst_extent(self.grf_bytes).unwrap_or(Extent::new(0, u32::MAX));
        inst.dst.reg().zip(result.dst.reg()).is_some_and(|(a, b)| a.var() == b.var())
            && inst.dst_extent(self.grf_bytes).is_none_or(|written| written.overlaps(bytes))
    }
}

/// Whether two sources are the same dword in each channel, whatever its sign.
fn same(a: &VSrc, b: &VSrc) -> bool {
    match (*a, *b) {
        (Src::Imm { bits: x, ty }, Src::Imm { bits: y, ty: other }) => {
            let extended = |bits, ty| low_u32(crate::build::extend(bits, ty));
            !ty.is_float() && !other.is_float() && extended(x, ty) == extended(y, other)
        }
        (
            Src::Direct { reg: x, region: r, mods: SrcMod::None, ty },
            Src::Direct { reg: y, region: q, mods: SrcMod::None, ty: other },
        ) => x == y && r == q && ty.is_dword() && other.is_dword(),
        _ => false,
    }
}
