//! Moves that change nothing: what they write is there already, from a copy before.
//!
//! `mov d, s; ...; mov d[3], s[3]`, as compilers of matrices write them (Cm: one row of a matrix is copied whole, then in parts).
//! Each element that the move writes has been copied, and neither it nor its original has been written since; and it is of a
//! channel that the copy has run for. (`mov s, d` behind `mov d, s` reads `s` in place of the copy, and so is none either.)

use gen_ir::{Dst, Inst, Op, Reg, Region, Src, SrcMod, Type, VarId, Virtual};
use narrow::as_index;

use super::{
    Copies, NONE,
    known::{CopySource, KnownCopy},
    moves_alone,
    replace::{extend, is_packed, keeps_value},
};

/// One side of a move: where its first element lies, and bytes from each channel's element to the next.
type Side = (Reg<Virtual>, u32);

impl Copies {
    /// Whether an instruction moves to each place what that place holds.
    pub(super) fn is_redundant(&self, inst: &Inst<Virtual>) -> bool {
        let (Op::Mov, true, Dst::Direct { reg: to, horz, ty }) = (inst.op, moves_alone(inst), inst.dst)
        else {
            return false;
        };
        let Some(var) = to.var() else { return false };
        let lanes = inst.exec.lanes();
        let to = (to, if lanes == 1 { 0 } else { u32::from(horz) * ty.bytes() });
        match inst.src[0] {
            Src::Imm { bits, ty: given } if keeps_value(given, ty) && !is_packed(given) => {
                let bits = extend(bits, given, ty);
                self.any_copy_to(var, |c| {
                    let known = matches!(c.origin, CopySource::Imm { bits: b, .. } if b == bits);
                    known && c.dst_ty.bytes() == ty.bytes() && c.has(inst, &[(c.destination(), to)])
                })
            }
            Src::Direct { reg, region, mods: SrcMod::None, ty: read } if read.same_bits(ty) => {
                let Some(from) = side(reg, region, lanes, read) else { return false };
                let packed = lanes == 1 || horz == 1 && region.one_by_one(lanes);
                let bytes = Some(lanes * ty.bytes()).filter(|_| packed);
                self.any_copy_to(var, |c| {
                    let Some(read) = c.original() else { return false };
                    let sides = [(c.destination(), to), (read, from)];
                    let elements = || c.copies_bits_of(ty) && c.has(inst, &sides);
                    let bytes = || bytes.is_some_and(|n| c.has_bytes(n, &sides));
                    reg.var() == read.0.var() && (elements() || bytes())
                })
            }
            _ => false,
        }
    }

    /// Whether something holds of a copy to a variable.
    fn any_copy_to(&self, var: VarId, f: impl Fn(&KnownCopy) -> bool) -> bool {
        let mut at = self.newest[var.index()].dst;
        while at != NONE {
            let c = &self.all[as_index(at)];
            if f(c) {
                return true;
            }
            at = c.older_dst;
        }
        false
    }
}

impl KnownCopy {
    fn destination(&self) -> Side {
        let step = if self.lanes == 1 { 0 } else { self.horz * self.dst_ty.bytes() };
        (Reg::var_at(self.dst, self.dst_bytes.start), step)
    }

    fn original(&self) -> Option<Side> {
        match self.origin {
            CopySource::Reg { reg, region, ty, .. } => side(reg, region, self.lanes, ty),
            CopySource::Imm { .. } => None,
        }
    }

    /// Whether the operands of `inst` touch, channel by channel, elements of one row of channels of the copy, which are as they
    /// were copied. `pairs`: a side of the copy, and the operand on it.
    fn has(&self, inst: &Inst<Virtual>, pairs: &[(Side, Side)]) -> bool {
        let lanes = inst.exec.lanes();
        let mut first = None;
        for &((begin, apart), (reg, step)) in pairs {
            let Some(behind) = reg.byte.checked_sub(begin.byte) else { return false };
            // One element for all channels of the copy says nothing of which channel it is.
            if apart == 0 {
                if behind != 0 || step != 0 {
                    return false;
                }
                continue;
            }
            let follows = behind.is_multiple_of(apart) && (lanes == 1 || step == apart);
            if !follows || first.is_some_and(|first| first != behind / apart) {
                return false;
            }
            first = Some(behind / apart);
        }
        let first = first.unwrap_or(0);
        let same_mask = self.no_mask || !inst.no_mask && u32::from(inst.chan) == u32::from(self.chan) + first;
        same_mask && self.keeps(first, lanes)
    }

    /// Whether so many packed bytes of operands are of those that were copied packed, as they are, for all channels, and are the same
    /// ones on both sides. `pairs`: a side of the copy, and where an operand on it begins.
    fn has_bytes(&self, bytes: u32, pairs: &[(Side, Side); 2]) -> bool {
        let element = self.dst_ty.bytes();
        let [Some(behind), Some(other)] =
            pairs.map(|((begin, _), (reg, _))| reg.byte.checked_sub(begin.byte))
        else {
            return false;
        };
        let packed = self.lanes == 1 || pairs.iter().all(|((_, apart), _)| *apart == element);
        let first = behind / element;
        self.no_mask
            && packed
            && behind == other
            && self.copies_bits_of(self.dst_ty)
            && self.keeps(first, (behind + bytes).div_ceil(element) - first)
    }
}

/// A row of elements in a variable.
fn side(reg: Reg<Virtual>, region: Region, lanes: u32, ty: Type) -> Option<Side> {
    Some((reg, region.stride(lanes)? * ty.bytes()))
}
