//! Moves, arithmetic, logic, comparison: one Gen instruction each, as far as the hardware has it.

use gen_ir::{Cond, CondMod, Dst, ExecSize, MathFn, Op, Options, Payload, Pred, PredCtrl, Src, SrcMod, Type};
use narrow::{every, low_u8, to_i16};
use visa::{Modifier, Opcode, Operand, Srcs, VectorOperand};

use super::{
    Lowered, Lowerer, constants,
    operand::is_arithmetic,
    types::{are_half_and_double, check_short_integers, product_fits},
};
use crate::{
    build::{self, ACC0, VDst, VInst, VSrc, extend},
    legalize::{overlaps, slice},
};

impl Lowerer<'_> {
    /// Other instructions of the form `dst = opcode(srcs...)`.
    pub(crate) fn alu(&mut self, opcode: Opcode, dst: &VectorOperand, srcs: Srcs<'_>) -> Lowered {
        if let VectorOperand::Predicate(..) = dst {
            return self.predicate_logic(opcode, dst, srcs);
        }
        match opcode {
            Opcode::Add3o => self.sum_with_overflow(dst, srcs),
            Opcode::Fcvt => self.convert_float(dst, srcs),
            Opcode::Bfi => self.bit_field_insert(dst, srcs),
            Opcode::Sad2add => self.sum_of_differences(dst, srcs),
            Opcode::Line | Opcode::Plane => self.plane(opcode, dst, srcs),
            Opcode::Dp2 | Opcode::Dp3 | Opcode::Dp4 | Opcode::Dph => self.dot_product(opcode, dst, srcs),
            Opcode::Madw => self.multiply_add_wide(dst, srcs),
            _ if opcode.is_math() || matches!(opcode, Opcode::Mod | Opcode::Divm | Opcode::Sqrtm) => {
                self.math(opcode, dst, srcs)
            }
            _ => self.unsupported(opcode),
        }
    }

    /// One Gen instruction with the operands in the same order: destination, then sources.
    pub(crate) fn direct(&mut self, opcode: Opcode, op: Op, operands: &[Operand]) -> Lowered {
        let (dst, srcs) = (operands[0].vector(), &operands[1..]);
        let some = matches!(op, Op::Sel | Op::Sad2 | Op::Asr | Op::Mul)
            || !self.caps.ops.int64 && dst.is_saturated();
        if some && self.rewritten(opcode, op, dst, Srcs::new(srcs))? {
            return Ok(());
        }
        self.append_same(opcode, op, dst, Srcs::new(srcs))?;
        self.settle_types(opcode, op)
    }

    /// Instructions that are others here, by their operands.
    fn rewritten(&mut self, opcode: Opcode, op: Op, dst: &VectorOperand, srcs: Srcs<'_>) -> Lowered<bool> {
        if matches!(dst, VectorOperand::Predicate(..)) {
            return Ok(false);
        }
        match op {
            // Without a predicate all channels choose the first source.
            Op::Sel if self.pred.is_none() => {
                let (target, sat) = self.dst(dst)?;
                let from = self.src(&srcs[0])?;
                let mut copy = build::mov(self.lanes, target, from);
                copy.sat = sat;
                self.emit(copy);
                Ok(true)
            }
            Op::Sad2
                if !self.caps.ops.sad
                    || self.lanes.exec == ExecSize::S1
                    || srcs.iter().any(|s| s.immediate().is_some_and(|value| value > 0xff)) =>
            {
                self.sum_of_differences(dst, srcs).map(|()| true)
            }
            // An unsigned value has no sign to fill in: PRM volume 2a, "asr". Its negative has one.
            Op::Asr
                if !dst.is_saturated()
                    && !self.caps.ops.int64
                    && !matches!(srcs[0].modifier(), Modifier::Neg | Modifier::NegAbs)
                    && self.operand_type(&srcs[0]) == Some(visa::Type::UQ) =>
            {
                self.append_same(opcode, Op::Shr, dst, srcs).map(|()| true)
            }
            // What narrows 64 bits leaves nothing to saturate.
            Op::Asr | Op::Shr
                if !self.caps.ops.int64
                    && dst.is_saturated()
                    && self.is_qword(dst, &srcs[0])
                    // Without a sign a value may be beyond what a signed destination holds.
                    && (op != Op::Shr || self.operand_type(dst) == Some(visa::Type::UQ)) =>
            {
                self.append_same(opcode, op, dst, srcs)?;
                self.block_insts().last_mut().into_iter().for_each(|inst| inst.sat = false);
                Ok(true)
            }
            Op::Mul if dst.is_saturated() && !(self.caps.ops.int64 && self.caps.ops.mul_qword_result) => {
                let (target, _) = self.dst(dst)?;
                let (a, b) = (self.src(&srcs[0])?, self.src(&srcs[1])?);
                if product_fits(target.ty(), a.ty(), b.ty()) {
                    self.append_same(opcode, op, dst, srcs)?;
                    self.block_insts().last_mut().into_iter().for_each(|inst| inst.sat = false);
                    return Ok(true);
                }
                let dword = |t: Option<Type>| t.filter(|t| t.is_dword());
                let (Some(ty), Some(_)) = (dword(a.ty()), dword(b.ty())) else { return Ok(false) };
                if dword(target.ty()) != Some(ty) || b.ty() != Some(ty) {
                    return Ok(false);
                }
                self.saturating_product(target, [a, b], ty);
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Both operands are of one 64-bit integer type.
    fn is_qword(&self, a: &VectorOperand, b: &VectorOperand) -> bool {
        let ty = self.operand_type(a);
        ty == self.operand_type(b) && matches!(ty, Some(visa::Type::Q | visa::Type::UQ))
    }

    /// The type of a vISA operand in a variable.
    fn operand_type(&self, operand: &VectorOperand) -> Option<visa::Type> {
        match operand {
            VectorOperand::General(g) => self.visa.var_type(g.var),
            VectorOperand::Immediate { ty, .. } => Some(*ty),
            _ => None,
        }
    }

    /// Appends `dst = op(srcs...)`, guarded by the current predicate.
    fn append_same(&mut self, opcode: Opcode, op: Op, dst: &VectorOperand, srcs: Srcs<'_>) -> Lowered {
        if let VectorOperand::Predicate(..) = dst {
            return self.predicate_logic(opcode, dst, srcs);
        }
        let (dst, sat) = self.dst(dst)?;
        let mut src = [Src::None; 3];
        for (slot, operand) in src.iter_mut().zip(srcs.iter()) {
            *slot = self.src_for(operand, self.lanes)?;
            if op.info().logic && is_arithmetic(operand.modifier()) {
                *slot = self.plain_source(*slot);
            }
            // The words of these have no modifiers; Intel's finalizer writes them without.
            if matches!(op, Op::Rol | Op::Ror | Op::Srnd) {
                *slot = build::with_modifiers(*slot, SrcMod::None);
            }
        }
        if let (Some(to), false, Src::None) = (dst.ty(), sat, src[2])
            && let Some(value) = constants::result(op, to, src[0], src[1])
        {
            let inst = self.append(Op::Mov);
            (inst.dst, inst.src[0]) = (dst, value);
            return Ok(());
        }
        let control = writes_control(&dst) && self.caps.scoreboard.sbid_count == 0;
        let inst = self.append(op);
        (inst.dst, inst.sat, inst.src) = (dst, sat, src);
        if control {
            inst.opts = inst.opts.with(Options::SWITCH);
        }
        Ok(())
    }

    /// `mad`. Gen: `dst = src0 + src1 * src2`.
    pub(crate) fn mad(&mut self, operands: &[Operand]) -> Lowered {
        let (dst, srcs) = (operands[0].vector(), &operands[1..]);
        let (dst, sat) = self.dst(dst)?;
        let mut src = [Src::None; 3];
        for (slot, operand) in src.iter_mut().zip(srcs.iter().rev()) {
            *slot = self.src(operand.vector())?;
        }
        let inst = self.append(Op::Mad);
        (inst.dst, inst.sat, inst.src) = (dst, sat, src);
        self.settle_types(Opcode::Mad, Op::Mad)
    }

    /// A copy of a source, so that arithmetic modifiers are applied to it; of a vector of constants, as dwords.
    pub(crate) fn plain_source(&mut self, src: VSrc) -> VSrc {
        let ty = match src.ty() {
            Some(Type::V) => Type::D,
            Some(Type::Uv) => Type::Ud,
            Some(ty) => ty,
            None => return src,
        };
        let lanes = self.lanes;
        let temp = self.temp(lanes.exec.lanes(), ty.bytes());
        self.emit(build::mov(lanes, Dst::packed(temp, ty), src));
        Src::new(temp, build::strided(1, lanes.exec), ty)
    }

    /// An integer in dwords of its sign.
    pub(super) fn as_dword(&mut self, src: VSrc) -> VSrc {
        if matches!(src, Src::Imm { ty: Type::V | Type::Uv, .. }) {
            return self.plain_source(src);
        }
        let short = |t: &Type| t.is_int() && t.bytes() < 4;
        let Some(ty) = src.ty().filter(short) else { return src };
        let wide = if ty.is_signed() { Type::D } else { Type::Ud };
        if src.is_imm() {
            return retype(src, wide);
        }
        let lanes = self.lanes;
        let temp = self.temp(lanes.exec.lanes(), 4);
        self.emit(build::mov(lanes, Dst::packed(temp, wide), src));
        Src::new(temp, build::strided(1, lanes.exec), wide)
    }

    /// `min` and `max`.
    pub(crate) fn min_max(&mut self, max: bool, dst: &VectorOperand, srcs: Srcs<'_>) -> Lowered {
        let mut inst = build::op(Op::Sel, self.lanes, Dst::None, &[]);
        (inst.dst, inst.sat) = self.dst(dst)?;
        inst.src[0] = self.src(&srcs[0])?;
        inst.src[1] = self.src(&srcs[1])?;
        // One of two values of a type is a value of that type; the negative of an unsigned one is not.
        let negative = |s: &VSrc| s.mods().neg() && s.ty() == Some(Type::Uq);
        inst.sat &=
            self.caps.ops.int64_logic || !self.is_qword(dst, &srcs[0]) || inst.src[..2].iter().any(negative);
        let cond = build::sel_cond(if max { Cond::Ge } else { Cond::Lt });
        if are_half_and_double(Some(&inst.dst), &inst.src)
            && let Some((target, from)) = self.one_type(&mut inst.dst, &mut inst.src, false)
        {
            let sat = std::mem::take(&mut inst.sat);
            inst.cond = Some(cond);
            self.emit(inst);
            let copy = build::mov(self.lanes, target, from);
            self.emit_guarded(gen_ir::Inst { sat, ..copy });
            return Ok(());
        }
        if self.pred.is_none() {
            inst.cond = Some(cond);
            self.emit(inst);
            return Ok(());
        }
        // `sel` takes a predicate or a condition, not both.
        let Some(ty) = inst.dst.ty() else { return Err("no destination".into()) };
        let temp = self.temp(self.lanes.exec.lanes(), ty.bytes());
        let target = std::mem::replace(&mut inst.dst, Dst::packed(temp, ty));
        inst.cond = Some(cond);
        self.emit(inst);
        let copy = Src::new(temp, build::strided(1, self.lanes.exec), ty);
        self.emit_guarded(build::mov(self.lanes, target, copy));
        Ok(())
    }

    /// `bfn`.
    pub(crate) fn bfn(&mut self, function: u8, dst: &VectorOperand, srcs: Srcs<'_>) -> Lowered {
        // Words and dwords are what the instruction computes.
        let wide = |o: &VectorOperand| match o {
            VectorOperand::Indirect(i) => i.ty.bytes() == 8,
            _ => self.operand_type(o).is_some_and(|t| t.bytes() == 8),
        };
        if !self.caps.ops.add3_bfn || wide(dst) || srcs.iter().any(wide) {
            return self.bfn_by_logic(function, dst, srcs);
        }
        let (dst, _) = self.dst(dst)?;
        let src = [self.src(&srcs[0])?, self.src(&srcs[1])?, self.src(&srcs[2])?];
        let inst = self.append(Op::Bfn);
        (inst.dst, inst.src) = (dst, src);
        inst.payload = Payload::Bfn(function);
        Ok(())
    }

    /// `add3.o`: what stands where predicates do receives the overflow.
    fn sum_with_overflow(&mut self, dst: &VectorOperand, srcs: Srcs<'_>) -> Lowered {
        if !self.caps.ops.add3_bfn {
            return self.unsupported(Opcode::Add3o);
        }
        let Some(Pred { flag, .. }) = self.pred.take() else {
            return Err("no predicate for the overflow".into());
        };
        let (target, sat) = self.dst(dst)?;
        let mut src = [self.src(&srcs[0])?, self.src(&srcs[1])?, self.src(&srcs[2])?];
        let size = |ty: Option<Type>| ty.map_or(0, Type::bytes);
        let sizes = src.iter().filter(|s| !s.is_imm()).map(|s| size(s.ty()));
        let widest = sizes.chain([size(target.ty())]).max().unwrap_or(4);
        let mut dst = target;
        if let Some(ty) = target.ty().filter(|t| t.bytes() < widest) {
            // What overflows is the destination's type: the sum keeps it, at the stride of the widest operand.
            let sum = self.temp(self.lanes.exec.lanes(), widest);
            dst = Dst::Direct { reg: sum, horz: low_u8(widest / ty.bytes()), ty };
        }
        for s in src.iter_mut().filter(|s| !s.is_imm() && size(s.ty()) < widest) {
            let signed = s.mods().any() || s.ty().is_some_and(Type::is_signed);
            let ty = build::int_type(widest, signed);
            let wide = self.temp(self.lanes.exec.lanes(), widest);
            self.emit(build::mov(self.lanes, Dst::packed(wide, ty), *s));
            *s = Src::new(wide, build::strided(1, self.lanes.exec), ty);
        }
        let mut sum = build::op(Op::Add3, self.lanes, dst, &src);
        sum.cond = Some(CondMod { cond: Cond::Ov, flag });
        sum.sat = sat;
        self.emit(sum);
        if let (Dst::Direct { reg, horz, ty }, true) = (dst, dst != target) {
            let from = Src::new(reg, build::strided(horz, self.lanes.exec), ty);
            self.emit(build::mov(self.lanes, target, from));
        }
        Ok(())
    }

    /// `bfi`: mask, then insertion.
    fn bit_field_insert(&mut self, dst: &VectorOperand, srcs: Srcs<'_>) -> Lowered {
        let (dst, _) = self.dst(dst)?;
        let ty = dst.ty().unwrap_or(Type::Ud);
        let mut s = [Src::None; 4];
        for (i, slot) in s.iter_mut().enumerate() {
            *slot = self.src(&srcs[i])?;
        }
        check_short_integers(Opcode::Bfi, &dst, &s)?;
        let mask = self.temp(self.lanes.exec.lanes(), 4);
        self.emit_guarded(build::op(Op::Bfi1, self.lanes, Dst::packed(mask, ty), &s[..2]));
        let mask = Src::new(mask, build::strided(1, self.lanes.exec), ty);
        self.emit_guarded(build::op(Op::Bfi2, self.lanes, dst, &[mask, s[2], s[3]]));
        Ok(())
    }

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
            return Err(format!("`{opcode}` to :{ty}; allowed: dwords").into());
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
        // that a later piece still needs are moved here.
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
        // A predicate over all channels is not one over those of a piece.
        let group = matches!(self.pred, Some(Pred { ctrl: PredCtrl::Any | PredCtrl::All, .. }));
        let apart = several && group;
        let stage_result = odd(&target) || apart || several && overlaps(&whole, step);
        let stage_copy = odd(&copy_target) || apart || several && overlaps(&carry_out, step);
        let ty = target.ty().unwrap_or(Type::Ud);
        if stage_result {
            whole.dst = Dst::packed(self.temp(lanes, ty.bytes()), ty);
        }
        let copy_ty = copy_target.ty().unwrap_or(Type::Ud);
        if stage_copy {
            copy.dst = Dst::packed(self.temp(lanes, copy_ty.bytes()), copy_ty);
        }
        // Pieces need to know of the guard, which starts at their first lane.
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
    fn multiply_add_wide(&mut self, dst: &VectorOperand, srcs: Srcs<'_>) -> Lowered {
        let (low, _) = self.dst(dst)?;
        let lanes = self.lanes;
        let count = lanes.exec.lanes();
        let rows = (count * 4).next_multiple_of(self.grf());
        let (high, ty) = match low {
            Dst::Direct { reg, horz, ty } => (Dst::Direct { reg: reg.plus(rows), horz, ty }, ty),
            Dst::Indirect { addr, imm, horz, ty } => {
                (Dst::Indirect { addr, imm: imm + to_i16(rows), horz, ty }, ty)
            }
            _ => return Err("`madw` to no variable".into()),
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
        let (wide, zero) =
            (if signed { Type::D } else { Type::Ud }, c.is_imm() && matches!(c, Src::Imm { bits: 0, .. }));
        self.emit(build::op(Op::Mul, lanes, Dst::packed(lo, wide), &[a, b]));
        self.emit(build::op(Op::Mach, lanes, Dst::packed(hi, wide), &[a, b]));
        if !zero {
            let sum = build::op(
                Op::Addc,
                lanes,
                Dst::packed(lo, Type::Ud),
                &[Src::new(lo, packed, Type::Ud), retype(c, Type::Ud)],
            );
            let out = build::mov(lanes, Dst::packed(carry, Type::Ud), Src::new(ACC0, packed, Type::Ud));
            let pred = self.pred.take();
            self.with_accumulator(sum, out);
            self.pred = pred;
            let carried = Src::new(carry, packed, Type::D);
            self.emit(build::op(
                Op::Add,
                lanes,
                Dst::packed(hi, Type::D),
                &[Src::new(hi, packed, Type::D), carried],
            ));
            if c.ty().is_some_and(Type::is_signed) {
                // The sign of the addend extends into the high half.
                let sign = Dst::packed(carry, Type::D);
                let shifted = build::op(Op::Asr, lanes, sign, &[retype(c, Type::D), Src::uw(31)]);
                self.emit(shifted);
                self.emit(build::op(
                    Op::Add,
                    lanes,
                    Dst::packed(hi, Type::D),
                    &[Src::new(hi, packed, Type::D), carried],
                ));
            }
        }
        self.emit_guarded(build::mov(lanes, low, Src::new(lo, packed, ty)));
        self.emit_guarded(build::mov(lanes, high, Src::new(hi, packed, ty)));
        Ok(())
    }

    /// A math instruction with the operands as they are.
    pub(crate) fn plain_math(&mut self, function: MathFn, dst: VDst, sat: bool, srcs: &[VSrc]) {
        let mut inst = build::math(function, self.lanes, dst, srcs);
        inst.sat = sat;
        self.emit_guarded(inst);
    }
}

/// The same bits under another type of the same size; immediates of narrower types are extended.
pub(crate) fn retype(src: VSrc, to: Type) -> VSrc {
    match src {
        Src::Imm { bits, ty } => Src::imm(extend(bits, ty), to),
        Src::Direct { reg, region, mods, ty } if ty.bytes() == to.bytes() => {
            Src::Direct { reg, region, mods, ty: to }
        }
        other => other,
    }
}

/// Writes to the control register take effect after a thread switch.
fn writes_control(dst: &VDst) -> bool {
    dst.reg().is_some_and(|reg| matches!(reg.base(), gen_ir::Base::Arf(gen_ir::Arf::Control(_))))
}
