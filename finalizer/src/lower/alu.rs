//! Moves, arithmetic, logic, comparison: one Gen instruction each, as far as the hardware has it.

use gen_ir::{Cond, CondMod, Dst, ExecSize, MathFn, Op, Options, Payload, Pred, Src, SrcMod, Type};
use narrow::low_u8;
use visa::{Modifier, Opcode, Operand, Srcs, VectorOperand, op::Extreme};

use super::{
    Lowered, Lowerer, Unsupported, constants,
    operand::is_arithmetic,
    types::{Results, are_half_and_double, check_short_integers, product_fits},
};
use crate::build::{self, VDst, VSrc, extend};

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
        let some = matches!(op, Op::Sel | Op::Sad2 | Op::Shl | Op::Shr | Op::Asr | Op::Mul)
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
            Op::Shl | Op::Shr | Op::Asr
                if srcs.iter().any(|s| s.modifier() != Modifier::None)
                    && self.shift_of_changed(op, dst, srcs)? =>
            {
                Ok(true)
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
                    && srcs[0].modifier() == Modifier::None
                    // Without a sign a value may be beyond what a signed destination holds.
                    && (op != Op::Shr || self.operand_type(dst) == Some(visa::Type::UQ)) =>
            {
                self.append_same(opcode, op, dst, srcs)?;
                self.block_insts().last_mut().into_iter().for_each(|inst| inst.sat = false);
                Ok(true)
            }
            Op::Mul if dst.is_saturated() && !(self.caps.ops.int64 && self.caps.ops.mul_qword_result) => {
                self.saturated_multiplication(opcode, dst, srcs)
            }
            _ => Ok(false),
        }
    }

    /// A product of integers that saturates: one that never has to, or one that is looked at as a whole.
    fn saturated_multiplication(
        &mut self,
        opcode: Opcode,
        dst: &VectorOperand,
        srcs: Srcs<'_>,
    ) -> Lowered<bool> {
        let (target, _) = self.dst(dst)?;
        let (a, b) = (self.src(&srcs[0])?, self.src(&srcs[1])?);
        if product_fits(target.ty(), a.ty(), b.ty()) {
            self.append_same(opcode, Op::Mul, dst, srcs)?;
            self.block_insts().last_mut().into_iter().for_each(|inst| inst.sat = false);
            return Ok(true);
        }
        let dword = |t: Option<Type>| t.filter(|t| t.is_dword());
        let (Some(ty), Some(_)) = (dword(a.ty()), dword(b.ty())) else { return Ok(false) };
        // Half of a negative product says nothing of the other where types have no sign.
        let negative = !ty.is_signed() && a.mods().neg() != b.mods().neg();
        if dword(target.ty()) != Some(ty) || b.ty() != Some(ty) || negative {
            return Ok(false);
        }
        self.saturating_product(target, [a, b], ty);
        Ok(true)
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
        let control = writes_control(&dst) && self.caps.scoreboard.has_switch();
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
    pub(crate) fn min_max(&mut self, which: Extreme, dst: &VectorOperand, srcs: Srcs<'_>) -> Lowered {
        let mut inst = build::op(Op::Sel, self.lanes, Dst::None, &[]);
        (inst.dst, inst.sat) = self.dst(dst)?;
        inst.src[0] = self.src(&srcs[0])?;
        inst.src[1] = self.src(&srcs[1])?;
        // One of two values of a type is a value of that type; the negative of an unsigned one is not.
        let plain = |s: &VectorOperand| self.is_qword(dst, s) && s.modifier() == Modifier::None;
        inst.sat &= self.caps.ops.int64_logic || !srcs.iter().all(plain);
        let cond = build::sel_cond(match which {
            Extreme::Min => Cond::Lt,
            Extreme::Max => Cond::Ge,
        });
        if are_half_and_double(Some(&inst.dst), &inst.src)
            && let Some((target, from)) = self.one_type(&mut inst.dst, &mut inst.src, Results::Any)
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
        let Some(ty) = inst.dst.ty() else { unreachable!("`sel` has a destination") };
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
            return Err(Unsupported::NoOverflow.into());
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
