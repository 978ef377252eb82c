//! Moves, arithmetic, logic: `dst[i] = op(src[i]...)` for the enabled lanes.
//!
//! Integers are computed exactly (in 128 bits), then fitted to the destination. Floats are computed in the
//! widest type of their operands and rounded to it (see [`super::float`]).

use super::{
    convert::{arithmetic, float_type, from_float, from_int, orders, range, small_float},
    float, int, math,
    operand::{Computation, Lanes, each},
    thread::VisaThread,
};
use crate::{
    num::{BF8, HALF, stochastic},
    thread::{LANES, Trap},
};
use narrow::{as_index, low_u16, low_u32, low_u64, to_index};
use std::cmp::Ordering;
use visa::{
    Inst, Modifier, Opcode, Srcs, Type, VectorOperand,
    op::{Extreme, Op},
};

/// A source's modifier.
fn modifier(opcode: Opcode, src: Option<&VectorOperand>) -> Modifier {
    let modifier = src.map_or(Modifier::None, VectorOperand::modifier);
    if matches!(opcode, Opcode::Rol | Opcode::Ror | Opcode::Srnd) {
        return Modifier::None;
    }
    let logic = matches!(opcode, Opcode::And | Opcode::Or | Opcode::Xor | Opcode::Not);
    if logic { modifier } else { arithmetic(modifier) }
}

/// What integers are computed in where their sum or product is a float: the widest float among the operands (volume 7,
/// "Execution Data Types"). Quotients are those of integers; other functions are floats' (Intel's finalizer converts).
fn of_integers(opcode: Opcode, dst: Type) -> Option<Type> {
    let function = math::is_math(opcode) && !matches!(opcode, Opcode::Div | Opcode::Mod);
    let sum = matches!(opcode, Opcode::Add | Opcode::Mul | Opcode::Mad);
    match dst {
        Type::DF if sum => Some(Type::DF),
        _ => (function || sum && dst.is_float()).then_some(Type::F),
    }
}

impl VisaThread<'_> {
    fn sources(&mut self, srcs: &Srcs<'_>, on: u32) -> Result<Vec<Lanes>, Trap> {
        srcs.iter().map(|s| self.load(s, on)).collect()
    }

    /// Runs an instruction of the form `dst = opcode(srcs...)`.
    pub fn alu(&mut self, inst: &Inst<'_>, dst: &VectorOperand, srcs: &Srcs<'_>) -> Result<(), Trap> {
        if let VectorOperand::Predicate(p, _) = dst {
            return self.pred_logic(inst, p, srcs);
        }
        match (inst.opcode, srcs.get(0)) {
            (Opcode::Mov, Some(VectorOperand::Predicate(p, _))) => return self.pred_to_number(inst, dst, p),
            (Opcode::Sel, _) => return self.select(inst, dst, srcs),
            _ => {}
        }
        let receives = inst.opcode == Opcode::Add3o;
        let (on, doubt) = if receives { (self.lanes_of(inst.exec), 0) } else { self.enabled(inst)? };
        if on == 0 {
            return Ok(());
        }
        if int::is_across(inst.opcode) {
            return int::across(self, inst, dst, srcs, on, doubt);
        }
        let v = self.sources(srcs, on)?;
        let ty = self.dst_type(dst)?;
        let sat = dst.is_saturated() && !int::saturates_nothing(inst.opcode);
        let mods: [Modifier; 4] = std::array::from_fn(|i| modifier(inst.opcode, srcs.get(i)));
        let mut undefined = v.iter().fold(doubt, |u, l| u | l.undefined);
        let same = srcs.len() == 2 && srcs[0] == srcs[1];
        if inst.opcode == Opcode::Xor && same {
            undefined = doubt;
        }
        let computation = Computation { opcode: inst.opcode, sources: &v, mods: &mods, dst: ty, sat, on };
        let mut out = [0; LANES];
        if inst.opcode == Opcode::Mov {
            let plain = mods[0] == Modifier::None && !sat;
            let from = v[0].ty;
            let same_kind = from.is_float() == ty.is_float() && from.bytes() == ty.bytes();
            if plain && (from == ty || same_kind && !from.is_float()) {
                return self.copy(dst, on, &srcs[0], &v[0], doubt);
            }
            for i in each(on) {
                out[i] = self.convert(v[0].bits[i], from, mods[0], ty, sat);
            }
        } else if inst.opcode == Opcode::Srnd {
            let format = match (v[0].ty, ty) {
                (Type::F, Type::HF) => HALF,
                // The 8-bit float E5M2 has no name of its own in vISA.
                (Type::HF, Type::UB) => BF8,
                (from, to) => return Err(format!("srnd from {from} to {to}").into()),
            };
            for i in each(on) {
                out[i] = stochastic(v[0].bits[i], format, v[1].bits[i]);
            }
        } else if inst.opcode == Opcode::Fcvt {
            for i in each(on) {
                out[i] = small_float(v[0].bits[i], v[0].ty, ty, &self.mode)?;
            }
        } else if let Some(domain) = float_type(&v, ty).or_else(|| of_integers(inst.opcode, ty)) {
            // Beside integers, halves are computed with as singles.
            let beside = |l: &Lanes| !l.ty.is_float() && !matches!(l.ty, Type::V | Type::UV | Type::VF);
            let domain = if domain == Type::HF && v.iter().any(beside) { Type::F } else { domain };
            float::compute(computation, domain, &self.mode, &mut out)?;
        } else if math::is_math(inst.opcode) && ty.is_float() {
            // An integer quotient, then its conversion.
            let whole = if v[0].ty.is_signed_int() { Type::D } else { Type::UD };
            let quotient = Computation { dst: whole, sat: false, ..computation };
            int::compute(quotient, &self.mode, &mut out)?;
            for i in each(on) {
                out[i] = self.convert(out[i], whole, Modifier::None, ty, sat);
            }
        } else {
            int::compute(computation, &self.mode, &mut out)?;
        }
        if receives {
            let p = inst.pred.as_ref().ok_or("no predicate for the overflow")?;
            let (min, max) = range(ty);
            let value = |k: usize, i: usize| super::convert::int_value(v[k].bits[i], v[k].ty, mods[k]);
            let over = |i: &usize| !(min..=max).contains(&(value(0, *i) + value(1, *i) + value(2, *i)));
            let bits = each(on).filter(over).fold(0, |bits, i| bits | 1 << i);
            self.set_pred(p.id, inst.exec, on, bits, undefined)?;
        }
        self.store(dst, on, &out, undefined)
    }

    /// A value in another type, as `mov` converts (spec "Type Conversion").
    pub fn convert(&self, bits: u64, from: Type, modifier: Modifier, to: Type, sat: bool) -> u64 {
        if from.is_float() {
            let x = super::convert::float_value(bits, from, modifier, &self.mode);
            from_float(super::convert::on_the_way(x, from, to, &self.mode), to, sat, &self.mode)
        } else {
            from_int(super::convert::int_value(bits, from, modifier), to, sat, &self.mode)
        }
    }

    /// A plain copy keeps bytes apart: some may be undefined.
    fn copy(
        &mut self,
        dst: &VectorOperand,
        on: u32,
        src: &VectorOperand,
        v: &Lanes,
        doubt: u32,
    ) -> Result<(), Trap> {
        let partly = v.undefined & on & !doubt;
        if partly == 0 || !self.strict {
            return self.store(dst, on, &v.bits, doubt | v.undefined);
        }
        let bytes = self.undefined_bytes(src, on)?;
        self.store(dst, on, &v.bits, doubt | v.undefined)?;
        if let Some(spots) = self.dst_spots(dst, on)? {
            for i in each(partly) {
                for b in 0..as_index(spots.ty.bytes()) {
                    self.shadow[spots.at[i] + b] = bytes[i] >> b & 1;
                }
            }
        }
        Ok(())
    }

    /// The bits of each lane as a choice needs them, and their undefined lanes.
    fn select(&mut self, inst: &Inst<'_>, dst: &VectorOperand, srcs: &Srcs<'_>) -> Result<(), Trap> {
        let on = self.lanes_of(inst.exec);
        if on == 0 {
            return Ok(());
        }
        let (bits, doubt) = match &inst.pred {
            Some(p) => self.predicate(p, inst.exec)?,
            None => (u32::MAX, 0),
        };
        let a = self.load(&srcs[0], on & bits)?;
        let b = self.load(&srcs[1], on & !bits)?;
        let ty = self.dst_type(dst)?;
        let sat = dst.is_saturated();
        let mut out = [0; LANES];
        for i in each(on) {
            let (v, src) = if bits >> i & 1 != 0 { (&a, &srcs[0]) } else { (&b, &srcs[1]) };
            out[i] = if v.ty == ty && src.modifier() == Modifier::None && !sat {
                v.bits[i]
            } else {
                self.convert(v.bits[i], v.ty, arithmetic(src.modifier()), ty, sat)
            };
        }
        self.store(dst, on, &out, doubt | a.undefined & bits | b.undefined & !bits)
    }

    /// `min`, `max`: a NaN loses against a number.
    pub fn min_max(&mut self, inst: &Inst<'_>) -> Result<(), Trap> {
        let Op::MinMax { which, dst, srcs } = inst.op else { return Err("no minimum".into()) };
        let (on, doubt) = self.enabled(inst)?;
        if on == 0 {
            return Ok(());
        }
        let a = self.load(&srcs[0], on)?;
        let b = self.load(&srcs[1], on)?;
        let ty = self.dst_type(dst)?;
        let sat = dst.is_saturated();
        let mods = [srcs[0].modifier(), srcs[1].modifier()].map(arithmetic);
        let order = orders(self, [&a, &b], mods, on);
        let max = which == Extreme::Max;
        let mut out = [0; LANES];
        for i in each(on) {
            let first = match order[i] {
                Some(Ordering::Equal) => max,
                Some(o) => (o == Ordering::Greater) == max,
                None => {
                    super::convert::float_value(b.bits[i], b.ty, mods[1], &self.mode).is_nan()
                        && !super::convert::float_value(a.bits[i], a.ty, mods[0], &self.mode).is_nan()
                }
            };
            let (v, m) = if first { (&a, mods[0]) } else { (&b, mods[1]) };
            out[i] = self.convert(v.bits[i], v.ty, m, ty, sat);
        }
        self.store(dst, on, &out, doubt | a.undefined | b.undefined)
    }

    /// `bfn`.
    pub fn bit_function(&mut self, inst: &Inst<'_>) -> Result<(), Trap> {
        let Op::Bfn { function, dst, srcs } = inst.op else { return Err("no bfn".into()) };
        let (on, doubt) = self.enabled(inst)?;
        let v = self.sources(&srcs, on)?;
        let undefined = v.iter().fold(doubt, |u, l| u | l.undefined);
        let mut out = [0; LANES];
        for i in each(on) {
            let x: [u64; 3] = std::array::from_fn(|k| {
                low_u64(super::convert::int_value(v[k].bits[i], v[k].ty, arithmetic(srcs[k].modifier())))
            });
            // Bit n of the table is the answer where the sources' bits spell n, source 0 lowest.
            let mut r = 0;
            for n in 0..8u32 {
                if function >> n & 1 != 0 {
                    let pick = |k: u32| if n >> k & 1 != 0 { x[as_index(k)] } else { !x[as_index(k)] };
                    r |= pick(0) & pick(1) & pick(2);
                }
            }
            out[i] = r;
        }
        self.store(dst, on, &out, undefined)
    }

    /// `addc`, `subb`.
    pub fn carry(&mut self, inst: &Inst<'_>) -> Result<(), Trap> {
        let Op::Carry { dst, carry, srcs } = inst.op else { return Err("no carry".into()) };
        let (on, doubt) = self.enabled(inst)?;
        let a = self.load(&srcs[0], on)?;
        let b = self.load(&srcs[1], on)?;
        let (mut low, mut high) = ([0; LANES], [0; LANES]);
        for i in each(on) {
            let x = low_u32(super::convert::int_value(a.bits[i], a.ty, arithmetic(srcs[0].modifier())));
            let y = low_u32(super::convert::int_value(b.bits[i], b.ty, arithmetic(srcs[1].modifier())));
            let (r, over) =
                if inst.opcode == Opcode::Addc { x.overflowing_add(y) } else { x.overflowing_sub(y) };
            (low[i], high[i]) = (r.into(), over.into());
        }
        let undefined = doubt | a.undefined | b.undefined;
        self.store(dst, on, &low, undefined)?;
        self.store(carry, on, &high, undefined)
    }

    /// `addr_add`: the address of a variable, or another address, and a number of bytes.
    pub fn address_add(&mut self, inst: &Inst<'_>) -> Result<(), Trap> {
        let Op::AddrAdd { dst, base, offset } = inst.op else { return Err("no addr_add".into()) };
        let (on, doubt) = self.enabled(inst)?;
        let from = match base {
            VectorOperand::General(g) => {
                let at = self.address_of(g)?;
                Lanes { bits: [at.into(); LANES], ty: Type::UW, undefined: 0 }
            }
            VectorOperand::Address(_) => self.load(base, on)?,
            other => return Err(format!("the address of a {} is not modelled", other.class_name()).into()),
        };
        let by = self.load(offset, on)?;
        let mut out = [0; LANES];
        for i in each(on) {
            let step = super::convert::int_value(by.bits[i], by.ty, offset.modifier());
            out[i] = u64::from(low_u16(i128::from(from.bits[i]) + step));
        }
        self.store(dst, on, &out, doubt | from.undefined | by.undefined)
    }

    /// `movs`: surface and sampler handles.
    pub fn move_state(&mut self, inst: &Inst<'_>) -> Result<(), Trap> {
        let Op::Movs { dst, src } = inst.op else { return Err("no movs".into()) };
        let (on, _) = self.enabled(inst)?;
        // A state move is one of the thread: it happens whatever lanes there are.
        let n = inst.exec.size.lanes();
        let on = if n == 1 { 1 } else { on };
        for i in 0..as_index(n.min(32)) {
            if on >> i & 1 == 0 {
                continue;
            }
            let element = |first: u8| u32::from(first) + to_index(i);
            let value = match src {
                VectorOperand::Surface { surface, offset } => {
                    self.surface_value(*surface, element(*offset))?
                }
                VectorOperand::Sampler { sampler, offset } => {
                    self.sampler_value(*sampler, element(*offset))?
                }
                other => low_u32(self.load(other, on)?.bits[i]),
            };
            match dst {
                VectorOperand::Surface { surface, offset } => {
                    *self.surface_mut(*surface, element(*offset)).ok_or("no such surface")? = value;
                }
                VectorOperand::Sampler { sampler, offset } => {
                    *self.sampler_mut(*sampler, element(*offset)).ok_or("no such sampler")? = value;
                }
                other => {
                    let mut out = [0; LANES];
                    out[i] = value.into();
                    self.store(other, 1 << i, &out, 0)?;
                }
            }
        }
        Ok(())
    }
}
