//! Operations whose second result is in the accumulator: `addc`, `subb`, `madw`.

use gen_ir::{Dst, Op, Options, Pred, PredCtrl, Src, Type};
use narrow::{every, to_i16};
use visa::{Opcode, Srcs, VectorOperand};

use super::{Lowered, Lowerer, Unsupported, alu::retype, types::check_short_integers};
use crate::{
    build::{self, ACC0, VDst, VInst, VReg, VSrc},
    legalize::{overlaps, slice},
};

impl Lowerer<'_> {
    /// Lanes of one accumulator.
    fn accumulator_lanes(&self) -> u32 {
        self.grf() / 4
    }

    /// `addc`, `subb`: the carry comes from the accumulator, in slices that fit it.
    pub(crate) fn carry(
        &mut self,
        opcode: Opcode,
        dst: &VectorOperand,
        carry: &VectorOperand,
        srcs: Srcs<'_>,
    ) -> Lowered {
        let op = if opcode == Opcode::Addc { Op::Addc } else { Op::Subb };
        let (dst, _) = self.dst(dst)?;
        let (carry, _) = self.dst(carry)?;
        let (a, b) = (self.src(&srcs[0])?, self.src(&srcs[1])?);
        check_short_integers(opcode, &dst, &[a, b])?;
        if let Some(ty) = dst.ty().into_iter().chain(carry.ty()).find(|t| !t.is_dword()) {
            return Err(Unsupported::Type { opcode, found: ty, allowed: "dwords" }.into());
        }
        // `addc` adds words to dwords, and so a vector of constants.
        let words = op == Op::Addc && matches!(b, Src::Imm { ty: Type::V | Type::Uv, .. });
        let (a, b) = (self.as_dword(a), if words { b } else { self.as_dword(b) });
        let whole = build::op(op, self.lanes, dst, &[a, b]);
        let copy =
            build::mov(self.lanes, carry, Src::new(ACC0, build::strided(1, self.lanes.exec), Type::Ud));
        self.with_accumulator(whole, copy);
        Ok(())
    }

    /// Emits pairs of an operation that writes the accumulator and a move out of it.
    fn with_accumulator(&mut self, whole: VInst, copy: VInst) {
        let lanes = self.lanes.exec.lanes();
        let step = self.accumulator_lanes().min(lanes);
        let packed = build::strided(1, self.lanes.exec);
        let (target, copy_target) = (whole.dst, copy.dst);
        let (mut whole, mut copy) = (whole, copy);
        // Nothing may come between the slices of a pair: operands that legalization would have to move or
        // that a later slice still needs are moved here.
        for i in 0..2 {
            if self.needs_staging(&whole.src[i]) {
                whole.src[i] = self.plain_source(whole.src[i]);
            }
        }
        let mut carry_out = whole;
        carry_out.dst = copy.dst;
        let several = step < lanes;
        let odd = |dst: &VDst| match *dst {
            Dst::Direct { reg, horz, .. } => horz != 1 || !reg.byte.is_multiple_of(self.grf()),
            _ => true,
        };
        // A predicate over all channels is not one over those of a slice.
        let group = matches!(self.pred, Some(Pred { ctrl: PredCtrl::Any | PredCtrl::All, .. }));
        let apart = several && group;
        let stage_result = odd(&target) || apart || several && overlaps(&whole, step);
        // The carry is written last (Intel's finalizer, too), where both go to one place.
        let shared = (several || stage_result) && meet(&target, &copy_target, lanes);
        let stage_copy = odd(&copy_target) || apart || several && overlaps(&carry_out, step) || shared;
        let ty = target.ty().unwrap_or(Type::Ud);
        if stage_result {
            whole.dst = Dst::packed(self.temp(lanes, ty.bytes()), ty);
        }
        let copy_ty = copy_target.ty().unwrap_or(Type::Ud);
        if stage_copy {
            copy.dst = Dst::packed(self.temp(lanes, copy_ty.bytes()), copy_ty);
        }
        // Slices need to know of the guard, which starts at their first lane.
        let guard = if apart { None } else { self.pred };
        (whole.pred, copy.pred) = (guard, guard);
        for first in every(0..lanes, step) {
            let mut part = slice(&whole, first, step);
            if self.caps.words.acc_write_enable {
                part.opts = part.opts.with(Options::ACC_WR_EN);
            }
            self.emit(part);
            let mut out = slice(&copy, first, step);
            if let Src::Direct { reg, .. } = &mut out.src[0] {
                *reg = ACC0;
            }
            self.emit(out);
        }
        let staged = [(stage_result, whole.dst, target, ty), (stage_copy, copy.dst, copy_target, copy_ty)];
        for (_, from, to, ty) in staged.into_iter().filter(|s| s.0) {
            let Some(reg) = from.reg() else { return };
            self.emit_guarded(build::mov(self.lanes, to, Src::new(reg, packed, ty)));
        }
    }

    /// Whether a dword source is anything but consecutive elements from a register on, or one for all.
    fn needs_staging(&self, src: &VSrc) -> bool {
        match *src {
            Src::Direct { reg, region, ty, .. } => {
                let whole =
                    region == build::strided(1, self.lanes.exec) && reg.byte.is_multiple_of(self.grf());
                ty.bytes() != 4 || !(whole || region.is_scalar())
            }
            Src::Indirect { .. } => true,
            _ => false,
        }
    }

    /// `madw`: `src0 * src1 + src2` in 64 bits, low and high dwords in consecutive registers.
    pub(super) fn multiply_add_wide(&mut self, dst: &VectorOperand, srcs: Srcs<'_>) -> Lowered {
        let (low, _) = self.dst(dst)?;
        let lanes = self.lanes;
        let count = lanes.exec.lanes();
        let rows = (count * 4).next_multiple_of(self.grf());
        let (high, ty) = match low {
            Dst::Direct { reg, horz, ty } => (Dst::Direct { reg: reg.plus(rows), horz, ty }, ty),
            Dst::Indirect { addr, imm, horz, ty } => {
                (Dst::Indirect { addr, imm: imm + to_i16(rows), horz, ty }, ty)
            }
            _ => return Err(Unsupported::NotInVariable("the result of `madw`").into()),
        };
        let mut sources = [Src::None; 3];
        for (slot, operand) in sources.iter_mut().zip(srcs.iter()) {
            *slot = self.src(operand)?;
            check_short_integers(Opcode::Madw, &low, &[*slot])?;
            // The product is that of 64 bits, the negative of an operand one of 32.
            if slot.mods().any() {
                *slot = self.plain_source(*slot);
            }
            *slot = self.as_dword(*slot);
        }
        let [a, b, c] = sources;
        // Sources may overlap the destination.
        let (lo, hi, carry) = (self.temp(count, 4), self.temp(count, 4), self.temp(count, 4));
        let packed = build::strided(1, lanes.exec);
        let signed = a.ty().is_some_and(Type::is_signed) || b.ty().is_some_and(Type::is_signed);
        let wide = if signed { Type::D } else { Type::Ud };
        self.emit(build::op(Op::Mul, lanes, Dst::packed(lo, wide), &[a, b]));
        self.emit(build::op(Op::Mulh, lanes, Dst::packed(hi, wide), &[a, b]));
        if !matches!(c, Src::Imm { bits: 0, .. }) {
            self.add_to_halves([lo, hi], carry, c);
        }
        self.emit_guarded(build::mov(lanes, low, Src::new(lo, packed, ty)));
        self.emit_guarded(build::mov(lanes, high, Src::new(hi, packed, ty)));
        Ok(())
    }

    /// Adds dwords to the 64 bits whose halves lie in two registers. `carry` is a register to work in.
    fn add_to_halves(&mut self, [lo, hi]: [VReg; 2], carry: VReg, addend: VSrc) {
        let lanes = self.lanes;
        let packed = build::strided(1, lanes.exec);
        let low = [Src::new(lo, packed, Type::Ud), retype(addend, Type::Ud)];
        let sum = build::op(Op::Addc, lanes, Dst::packed(lo, Type::Ud), &low);
        let out = build::mov(lanes, Dst::packed(carry, Type::Ud), Src::new(ACC0, packed, Type::Ud));
        let pred = self.pred.take();
        self.with_accumulator(sum, out);
        self.pred = pred;
        let high = [Src::new(hi, packed, Type::D), Src::new(carry, packed, Type::D)];
        let add = build::op(Op::Add, lanes, Dst::packed(hi, Type::D), &high);
        self.emit(add);
        if addend.ty().is_some_and(Type::is_signed) {
            // The sign of the addend extends into the high half.
            let sign = Dst::packed(carry, Type::D);
            self.emit(build::op(Op::Asr, lanes, sign, &[retype(addend, Type::D), Src::uw(31)]));
            self.emit(add);
        }
    }
}

/// Whether two results of so many channels may have bytes in common.
fn meet(a: &VDst, b: &VDst, lanes: u32) -> bool {
    let bytes = |dst: &VDst| match *dst {
        Dst::Direct { reg, horz, ty } => {
            Some((reg, reg.byte..reg.byte + ((lanes - 1) * u32::from(horz) + 1) * ty.bytes()))
        }
        _ => None,
    };
    match (bytes(a), bytes(b)) {
        (Some((a, x)), Some((b, y))) => a.base() == b.base() && x.start < y.end && y.start < x.end,
        _ => true,
    }
}
