//! Predicates: which lanes an instruction works on, and the instructions that make predicates
//! (spec "Predication", `CMP`, `SETP`).

use super::{convert::int_value, operand::each, thread::VisaThread};
use crate::thread::{Trap, mask};
use narrow::{as_index, low_i8, low_u32, low_u64};
use visa::{Exec, Inst, Modifier, Opcode, PredCtrl, PredId, PredOperand, Type, VectorOperand, op::Op};

impl VisaThread<'_> {
    fn pred_index(&self, id: PredId) -> Result<usize, Trap> {
        match id.declared() {
            Some(i) if i < self.unit().kernel.preds.len() => Ok(as_index(self.frame.pred) + i),
            _ => Err(format!("no predicate P{}", id.0).into()),
        }
    }

    /// The bits of a predicate for `n` lanes from `offset` on, and which of them are undefined.
    fn pred_bits(&self, id: PredId, n: u32, offset: u32) -> Result<(u32, u32), Trap> {
        let i = self.pred_index(id)?;
        let m = mask(n);
        Ok((self.preds[i] >> (offset & 31) & m, self.pred_shadow[i] >> (offset & 31) & m))
    }

    /// What a guard says for each lane of an instruction, and which lanes it leaves in doubt.
    pub fn predicate(&self, p: &PredOperand, exec: Exec) -> Result<(u32, u32), Trap> {
        let n = exec.size.lanes();
        let m = mask(n);
        let (bits, doubt) = self.pred_bits(p.id, n, exec.first_lane())?;
        let (bits, doubt) = match p.ctrl {
            PredCtrl::None => (bits, doubt),
            PredCtrl::Any => {
                let known = bits & !doubt != 0;
                (if bits != 0 { m } else { 0 }, if doubt != 0 && !known { m } else { 0 })
            }
            PredCtrl::All => {
                let known = !bits & !doubt & m != 0;
                (if bits == m { m } else { 0 }, if doubt != 0 && !known { m } else { 0 })
            }
        };
        Ok((if p.inverse { !bits & m } else { bits }, doubt))
    }

    /// The enabled lanes of an instruction, and those whose guard is undefined.
    pub fn enabled(&self, inst: &Inst<'_>) -> Result<(u32, u32), Trap> {
        let on = self.lanes_of(inst.exec);
        match &inst.pred {
            None => Ok((on, 0)),
            Some(p) => {
                let (bits, doubt) = self.predicate(p, inst.exec)?;
                Ok((on & bits, on & doubt))
            }
        }
    }

    /// Writes the bits of the lanes `on` of a predicate.
    pub fn set_pred(
        &mut self,
        id: PredId,
        exec: Exec,
        on: u32,
        bits: u32,
        undefined: u32,
    ) -> Result<(), Trap> {
        let i = self.pred_index(id)?;
        let offset = exec.first_lane() & 31;
        let at = on << offset;
        self.preds[i] = self.preds[i] & !at | bits << offset & at;
        self.pred_shadow[i] = self.pred_shadow[i] & !at | undefined << offset & at;
        Ok(())
    }

    /// `cmp`.
    pub fn compare(&mut self, inst: &Inst<'_>) -> Result<(), Trap> {
        let Op::Cmp { cond, dst, srcs, .. } = inst.op else { return Err("no compare".into()) };
        let (on, doubt) = self.enabled(inst)?;
        if on == 0 {
            return Ok(());
        }
        let a = self.load(&srcs[0], on)?;
        let b = self.load(&srcs[1], on)?;
        let mut bits = 0;
        let same = srcs[0] == srcs[1];
        let orders = super::convert::orders(self, [&a, &b], [srcs[0].modifier(), srcs[1].modifier()], on);
        for i in each(on) {
            bits |= u32::from(super::convert::holds(cond, orders[i])) << i;
        }
        // Whatever x is, x == x; NaN aside.
        let undefined = if same { 0 } else { a.undefined | b.undefined } | doubt;
        if let VectorOperand::Predicate(p, _) = dst {
            return self.set_pred(p.id, inst.exec, on, bits, undefined);
        }
        let mut out = [0; 32];
        for i in each(on & bits) {
            out[i] = u64::MAX;
        }
        self.store(dst, on, &out, undefined)
    }

    /// `setp`: a scalar's bits, lane by lane, whatever the mask; or the lowest bit of each element.
    pub fn set_predicate(&mut self, inst: &Inst<'_>) -> Result<(), Trap> {
        let Op::Setp { dst, src } = inst.op else { return Err("no setp".into()) };
        let VectorOperand::Predicate(p, _) = dst else { return Err("setp needs a predicate".into()) };
        let n = inst.exec.size.lanes();
        let scalar = match src {
            VectorOperand::General(g) => g.region.is_scalar(),
            VectorOperand::Indirect(r) => r.region.is_scalar(),
            _ => true,
        };
        // One element is a scalar in media kernels, whatever its region (`TranslateALU.cpp` of Intel's finalizer).
        if scalar || n == 1 && self.unit().kernel.is_cm() {
            let (value, ty, unknown) = self.scalar(src)?;
            // A narrow scalar with a sign has it in the bits above.
            let value = if ty == Type::B { low_u64(low_i8(value)) } else { value };
            let value = match src.modifier() {
                Modifier::Not => !value,
                modifier => low_u64(int_value(value, ty, modifier)),
            };
            // Flags are set by words (Intel's finalizer): a channel of the upper eight gets a bit of the upper eight.
            let value = value >> (inst.exec.first_lane() & 15);
            return self.set_pred(
                p.id,
                inst.exec,
                mask(n),
                low_u32(value),
                if unknown { u32::MAX } else { 0 },
            );
        }
        let on = self.lanes_of(inst.exec);
        let v = self.load(src, on)?;
        let mut bits = 0;
        for i in each(on) {
            bits |= (low_u32(v.bits[i]) & 1) << i;
        }
        // Intel's finalizer takes the bit with logic, where a sign inverts bits.
        if matches!(src.modifier(), Modifier::Not | Modifier::Neg | Modifier::NegAbs) {
            bits ^= on;
        }
        self.set_pred(p.id, inst.exec, on, bits, v.undefined)
    }

    /// `and`, `or`, `xor`, `not`, `mov` on predicates.
    pub fn pred_logic(
        &mut self,
        inst: &Inst<'_>,
        dst: &PredOperand,
        srcs: &visa::Srcs<'_>,
    ) -> Result<(), Trap> {
        let on = self.lanes_of(inst.exec);
        let n = inst.exec.size.lanes();
        let mut v = [(0u32, 0u32); 2];
        for (slot, src) in v.iter_mut().zip(srcs.iter()) {
            let VectorOperand::Predicate(p, modifier) = src else {
                return Err("a number where a predicate is needed".into());
            };
            let (bits, doubt) = self.pred_bits(p.id, n, inst.exec.first_lane())?;
            let flip = p.inverse != (*modifier == Modifier::Not);
            *slot = (if flip { !bits } else { bits }, doubt);
        }
        let [(a, da), (b, db)] = v;
        let bits = match inst.opcode {
            Opcode::And => a & b,
            Opcode::Or => a | b,
            Opcode::Xor => a ^ b,
            Opcode::Not => !a,
            Opcode::Mov => a,
            other => return Err(format!("{other} does not work on predicates").into()),
        };
        let same = srcs.len() == 2 && srcs[0] == srcs[1];
        let undefined = match inst.opcode {
            Opcode::Xor if same => 0,
            // Both know the answer if one of them decides it.
            Opcode::And => (da | db) & !(!da & !a) & !(!db & !b),
            Opcode::Or => (da | db) & !(!da & a) & !(!db & b),
            _ => da | db,
        };
        self.set_pred(dst.id, inst.exec, on, bits, undefined)
    }

    /// `mov` of a predicate's bits to a number.
    pub fn pred_to_number(
        &mut self,
        inst: &Inst<'_>,
        dst: &VectorOperand,
        p: &PredOperand,
    ) -> Result<(), Trap> {
        let (on, _) = self.enabled(inst)?;
        let elements = u32::from(self.unit().kernel.pred_elements(p.id).unwrap_or(32));
        let (bits, doubt) = self.pred_bits(p.id, elements, inst.exec.first_lane())?;
        let bits = if p.inverse { !bits & mask(elements) } else { bits };
        let mut out = [0; 32];
        out[0] = bits.into();
        self.store(dst, on, &out, 0)?;
        // Lanes nobody wrote make their byte of the number undefined.
        if doubt != 0
            && self.strict
            && let Some(spots) = self.dst_spots(dst, on)?
            && on & 1 != 0
        {
            for byte in 0..spots.ty.bytes() {
                if doubt >> (8 * byte) & 0xff == 0xff {
                    self.shadow[spots.at[0] + as_index(byte)] = 1;
                }
            }
        }
        Ok(())
    }
}
