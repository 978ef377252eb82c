//! How a dword is computed: equal formulas over operands that nothing wrote in between give equal values.

use gen_ir::{Extent, Inst, Op, Options, Payload, Region, Src, SrcMod, Type, Var, VarId, Virtual};
use narrow::low_u32;

use crate::build::{VSrc, extend};

/// An unmasked scalar operation on variables and constants.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Formula {
    op: Op,
    src: [VSrc; 2],
}

impl Formula {
    /// What an instruction writes to a single dword, if it does nothing else and its sources are ones that no
    /// address leads to.
    pub fn of(inst: &Inst<Virtual>, vars: &[Var]) -> Option<Formula> {
        let symbol = inst.opts.has(Options::SYMBOL_LOW) || inst.opts.has(Options::SYMBOL_HIGH);
        let plain = inst.no_mask && inst.pred.is_none() && inst.cond.is_none() && !inst.sat && !symbol;
        let dword = inst.dst.ty().is_some_and(|t| t.bytes() == 4 && t.is_int());
        let known = matches!(inst.op, Op::Mov | Op::Add | Op::And | Op::Or | Op::Xor | Op::Shl | Op::Shr);
        let scalar = inst.exec.lanes() == 1 && inst.payload == Payload::None;
        if !(plain && dword && known && scalar) || inst.opts.has(Options::ACC_WR_EN) {
            return None;
        }
        let src = [source(inst, 0, vars)?, source(inst, 1, vars)?];
        Some(Formula { op: inst.op, src })
    }

    /// A dword moved from there.
    pub fn moved(src: VSrc) -> Formula {
        Formula { op: Op::Mov, src: [dword(src), Src::None] }
    }

    /// What a copy of a dword reads. A move that changes what it moves (`-x`, a narrower source) is no copy.
    pub fn copied(&self) -> Option<VSrc> {
        let src = self.src[0];
        let unchanged = match src {
            Src::Imm { .. } => true,
            Src::Direct { mods: SrcMod::None, ty, .. } => ty.bytes() == 4,
            _ => false,
        };
        (self.op == Op::Mov && unchanged).then_some(src)
    }

    /// The variables that it reads.
    pub fn vars(&self) -> impl Iterator<Item = VarId> {
        self.src.into_iter().filter_map(|s| s.reg()?.var())
    }

    /// Whether writing those bytes of a variable changes what it reads.
    pub fn reads(&self, var: VarId, written: Extent) -> bool {
        self.src.iter().any(|s| match *s {
            Src::Direct { reg, ty, .. } => {
                reg.var() == Some(var) && Extent::new(reg.byte, ty.bytes()).overlaps(written)
            }
            _ => false,
        })
    }
}

/// A source in the one form that stands for all that read the same, if it is of use.
fn source(inst: &Inst<Virtual>, i: usize, vars: &[Var]) -> Option<VSrc> {
    match inst.src[i] {
        Src::None => Some(Src::None),
        Src::Imm { ty: Type::V | Type::Uv | Type::Vf, .. } => None,
        Src::Imm { ty, .. } if ty.is_float() || ty.bytes() > 4 => None,
        src @ Src::Imm { .. } => Some(if inst.op == Op::Mov { dword(src) } else { src }),
        Src::Direct { reg, region, mods, ty } => {
            let var = &vars[reg.var()?.index()];
            let plain = var.is_only_named() && region.is_complete();
            if !plain || ty.is_float() || ty.bytes() > 4 {
                return None;
            }
            let src = Src::Direct { reg, region: Region::SCALAR, mods, ty };
            Some(if inst.op == Op::Mov { dword(src) } else { src })
        }
        _ => None,
    }
}

/// What a move to a dword reads, signs aside where they make no difference.
fn dword(src: VSrc) -> VSrc {
    match src {
        Src::Imm { bits, ty } if ty.bytes() < 4 => Src::ud(low_u32(extend(bits, ty))),
        Src::Imm { bits, .. } => Src::ud(low_u32(bits)),
        Src::Direct { reg, region, mods: SrcMod::None, ty } if ty.bytes() == 4 => {
            Src::Direct { reg, region, mods: SrcMod::None, ty: Type::Ud }
        }
        other => other,
    }
}
