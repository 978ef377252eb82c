//! `dpas` (spec `DPAS`).

use super::thread::VisaThread;
use crate::{
    alu::dpas::{Array, Sum},
    thread::Trap,
};
use narrow::{as_index, low_u16, low_u32, to_index};
use visa::{Inst, Op, RawOperand, Type, VarId, VectorOperand, op::Precision};

/// The type of a source's elements.
fn element(precision: Precision) -> Result<gen_ir::Type, Trap> {
    use gen_ir::Type as T;
    Ok(match precision {
        Precision::U2 => T::U2,
        Precision::S2 => T::S2,
        Precision::U4 => T::U4,
        Precision::S4 => T::S4,
        Precision::U8 => T::Ub,
        Precision::S8 => T::B,
        Precision::BF16 => T::Bf,
        Precision::FP16 => T::Hf,
        Precision::TF32 => T::Tf32,
        Precision::BF8 => T::Bf8,
        other => return Err(format!("dpas of precision {other}").into()),
    })
}

/// The type of sums.
fn total(ty: Type) -> Result<gen_ir::Type, Trap> {
    use gen_ir::Type as T;
    Ok(match ty {
        Type::D => T::D,
        Type::UD => T::Ud,
        Type::F => T::F,
        Type::HF => T::Hf,
        Type::BF => T::Bf,
        other => return Err(format!("dpas on {other}").into()),
    })
}

impl VisaThread<'_> {
    pub(super) fn dpas(&mut self, inst: &Inst<'_>) -> Result<(), Trap> {
        let Op::Dpas { weight, activation, depth, repeat, dst, srcs: [start, weights], src2 } = inst.op
        else {
            return Err("no dpas".into());
        };
        let VectorOperand::General(rows) = src2 else { return Err("rows in no variable".into()) };
        let declared = |var: VarId| self.unit().kernel.var_type(var).ok_or("an operand without a type");
        let at = u32::from(rows.row) * self.program.grf + u32::from(rows.col) * declared(rows.var)?.bytes();
        let rows = RawOperand { var: rows.var, offset: low_u16(at) };
        let ty = declared(dst.var)?;
        let first = if start.is_null() { None } else { Some(total(declared(start.var)?)?) };
        let array = Array {
            depth: depth.into(),
            repeat: repeat.into(),
            lanes: inst.exec.size.lanes(),
            dst: total(ty)?,
            sum: first,
            weights: element(weight)?,
            rows: element(activation)?,
            sat: false,
        };
        let [weight_bytes, row_bytes, ..] = array.extents();
        let (weights, w_unknown) = self.dwords(weights, weight_bytes)?;
        let (rows, r_unknown) = self.dwords(rows, row_bytes)?;
        let size = array.dst.bytes();
        let mut results = Vec::with_capacity(as_index(array.repeat * array.lanes));
        for (row, ch) in (0..array.repeat).flat_map(|row| (0..array.lanes).map(move |ch| (row, ch))) {
            let index = row * array.lanes + ch;
            let (sum, unknown) = match first {
                Some(ty) => {
                    let (bits, unknown) = self.raw_load(start, index * ty.bytes(), ty.bytes())?;
                    (Some(bits), unknown)
                }
                None => (None, false),
            };
            let at = |from: &[u32], byte: u32| from[as_index(byte / 4)];
            let sum = array.element(row, ch, sum, |b| at(&weights, b), |b| at(&rows, b));
            let bits = match sum {
                Sum::Int(bits) => bits,
                Sum::Float(x) => super::convert::from_float(x, ty, false, &self.mode),
            };
            results.push((bits, unknown || w_unknown || r_unknown));
        }
        let on = self.lanes_of(inst.exec);
        for (index, (bits, unknown)) in results.into_iter().enumerate() {
            if on >> (to_index(index) % array.lanes) & 1 != 0 {
                self.raw_store_but(dst, to_index(index) * size, size, bits, unknown)?;
            }
        }
        Ok(())
    }

    /// The dwords of a raw operand, and whether any byte is undefined.
    fn dwords(&self, from: RawOperand, bytes: u32) -> Result<(Vec<u32>, bool), Trap> {
        let mut undefined = false;
        let mut out = Vec::with_capacity(as_index(bytes / 4));
        for at in (0..bytes).step_by(4) {
            let (value, unknown) = self.raw_load(from, at, 4.min(bytes - at))?;
            out.push(low_u32(value));
            undefined |= unknown;
        }
        Ok((out, undefined))
    }
}
