//! Arithmetic that a platform has no instruction for, as instructions that it has.

use gen_ir::{Cond, CondMod, Dst, ExecSize, Op, Region, Src, SrcMod, Type};
use narrow::{every, to_i16, to_u8};
use visa::{Opcode, Srcs, VectorOperand};

use super::{Lowered, Lowerer, Unsupported};
use crate::build::{self, Lanes, VDst, VReg, VSrc};

/// Channels of a plane equation that share a register of coordinates.
const PLANE: u32 = 8;

/// Coordinate `k` of the eight channels from `at` on: of a plane both stand in a register.
fn coordinate_of(coordinates: VSrc, plane: bool, exec: ExecSize, at: u32, k: u32) -> Lowered<VSrc> {
    Ok(match coordinates {
        Src::Direct { reg, mods, ty, .. } if plane => {
            let from = reg.plus((at * 2 + k * PLANE) * 4);
            Src::Direct { reg: from, region: build::strided(1, exec), mods, ty }
        }
        Src::Direct { reg, region, mods, ty } if !region.is_scalar() => {
            Src::Direct { reg: reg.plus(at * 4), region, mods, ty }
        }
        Src::Imm { .. } => coordinates,
        Src::Direct { .. } if !plane => coordinates,
        _ => return Err(Unsupported::NotInVariable("coordinates of a plane").into()),
    })
}

impl Lowerer<'_> {
    /// A packed copy of a source in a type, for all channels.
    fn copy_as(&mut self, src: VSrc, ty: Type) -> VReg {
        let copy = self.payload((self.lanes.exec.lanes() * ty.bytes()).div_ceil(self.grf()));
        self.emit(build::mov(self.lanes, Dst::packed(copy, ty), src));
        copy
    }

    /// The elements that [`copy_as`](Self::copy_as) or an operation has left in a temporary.
    fn packed(&self, reg: VReg, ty: Type) -> VSrc {
        Src::new(reg, build::strided(1, self.lanes.exec), ty)
    }

    /// Emits an operation into a new temporary.
    fn in_temp(&mut self, op: Op, ty: Type, srcs: &[VSrc]) -> VSrc {
        let reg = self.payload((self.lanes.exec.lanes() * ty.bytes()).div_ceil(self.grf()));
        self.emit(build::op(op, self.lanes, Dst::packed(reg, ty), srcs));
        self.packed(reg, ty)
    }

    /// Emits the last operation of a sequence, under the predicate.
    fn last(&mut self, op: Op, dst: VDst, sat: bool, srcs: &[VSrc]) {
        let mut inst = build::op(op, self.lanes, dst, srcs);
        inst.sat = sat;
        self.emit_guarded(inst);
    }

    /// `plane` and `line`: `p * u + q * v + r`, where `p`, `q` and `r` are elements 0, 1 and 3 of the first source.
    /// Coordinates of eight channels share a register: eight `u`, then, of a plane, eight `v` (specification, PLANE).
    pub(super) fn plane(&mut self, opcode: Opcode, dst: &VectorOperand, srcs: Srcs<'_>) -> Lowered {
        let lanes = self.lanes.exec.lanes();
        let plane = opcode == Opcode::Plane;
        let (target, sat) = self.dst(dst)?;
        let (mut first, mut second) = (self.src(&srcs[0])?, self.src(&srcs[1])?);
        if self.caps.ops.pln && !matches!(first, Src::Imm { .. } | Src::None) {
            // `pln` has no source modifiers, and reads coefficients from half a register and coordinates from whole ones.
            first = self.plane_equation(first);
        }
        if plane {
            second = self.plane_coordinates(second);
        }
        let packed =
            matches!(second, Src::Direct { region, .. } if region == build::strided(1, self.lanes.exec));
        if self.caps.ops.pln && matches!(lanes, PLANE | 16) && packed {
            let op = if plane { Op::Pln } else { Op::Line };
            let whole = matches!(target, Dst::Direct { reg, horz: 1, ty: Type::F } if reg.byte.is_multiple_of(self.grf()));
            if whole {
                self.last(op, target, sat, &[first, second]);
            } else {
                // Slices of it would need coefficients of their own.
                let result = self.in_temp(op, Type::F, &[first, second]);
                self.last(Op::Mov, target, sat, &[result]);
            }
            return Ok(());
        }
        let result = self.plane_by_products(plane, [first, second], packed)?;
        let from = self.packed(result, Type::F);
        self.last(Op::Mov, target, sat, &[from]);
        Ok(())
    }

    /// The same by `mad`, for eight channels at a time, whose coordinates share registers.
    fn plane_by_products(&mut self, plane: bool, [first, second]: [VSrc; 2], packed: bool) -> Lowered<VReg> {
        let lanes = self.lanes.exec.lanes();
        let (equation, mods) = match first {
            Src::Direct { reg, ty: Type::F, mods, .. } => (reg, mods),
            Src::None => return Err(Unsupported::NotInVariable("the equation of a plane").into()),
            other => {
                let copy = self.payload(1);
                let four = Lanes { exec: ExecSize::S4, chan: 0, no_mask: true };
                self.emit(build::mov(four, Dst::packed(copy, Type::F), other));
                (copy, SrcMod::None)
            }
        };
        // Slices start somewhere in the region of coordinates.
        let second = match second {
            Src::Imm { .. } => second,
            Src::Direct { region, .. } if plane || packed || region.is_scalar() => second,
            _ if plane => {
                return Err(Unsupported::PlaneCoordinates.into());
            }
            other => {
                let copy = self.copy_as(other, Type::F);
                self.packed(copy, Type::F)
            }
        };
        let (whole, pred) = (self.lanes, self.pred);
        // The slices must not overwrite what later ones read.
        let result = self.payload((lanes * 4).div_ceil(self.grf()));
        let coefficient =
            |i: u32| Src::Direct { reg: equation.plus(4 * i), region: Region::SCALAR, mods, ty: Type::F };
        for at in every(0..lanes, PLANE) {
            let exec = ExecSize::from_lanes((lanes - at).min(PLANE)).unwrap_or(ExecSize::S8);
            self.lanes = Lanes { exec, chan: whole.chan + to_u8(at), ..whole };
            let coordinate = |k: u32| coordinate_of(second, plane, exec, at, k);
            let out = Dst::packed(result.plus(at * 4), Type::F);
            self.emit(build::op(Op::Mad, self.lanes, out, &[coefficient(3), coordinate(0)?, coefficient(0)]));
            if plane {
                let sum = Src::new(result.plus(at * 4), build::strided(1, exec), Type::F);
                self.emit(build::op(Op::Mad, self.lanes, out, &[sum, coordinate(1)?, coefficient(1)]));
            }
        }
        (self.lanes, self.pred) = (whole, pred);
        Ok(result)
    }

    /// The four coefficients of a plane where `pln` can read them.
    fn plane_equation(&mut self, src: VSrc) -> VSrc {
        let Src::Direct { reg, region, mods, ty } = src else { return src };
        // Four elements that all channels share, whatever the region says (specification, PLANE).
        let region = if region.vert == 0 { region } else { Region::SCALAR };
        if !mods.any() && reg.byte.is_multiple_of(16) {
            return Src::Direct { reg, region, mods, ty };
        }
        let copy = self.payload(1);
        let four = Lanes { exec: ExecSize::S4, chan: 0, no_mask: true };
        let from = Src::Direct { reg, region: build::strided(1, four.exec), mods, ty };
        self.emit(build::mov(four, Dst::packed(copy, Type::F), from));
        Src::Direct { reg: copy, region, mods: SrcMod::None, ty: Type::F }
    }

    /// Coordinates in registers, sixteen numbers for eight channels: copies of those behind an address, and of those that
    /// `pln` cannot read.
    fn plane_coordinates(&mut self, src: VSrc) -> VSrc {
        let sixteen = Lanes { exec: ExecSize::S16, chan: 0, no_mask: true };
        let packed = build::strided(1, sixteen.exec);
        let grf = self.grf();
        let from = |at: u32| match src {
            Src::Indirect { addr, imm, region, mods, ty } if region.vert != Region::VXH => {
                Some(Src::Indirect { addr, imm: imm + to_i16(at * ty.bytes()), region: packed, mods, ty })
            }
            Src::Direct { reg, mods, ty, .. } if mods.any() || !reg.byte.is_multiple_of(grf) => {
                Some(Src::Direct { reg: reg.plus(at * ty.bytes()), region: packed, mods, ty })
            }
            _ => None,
        };
        if from(0).is_none() || matches!(src, Src::Direct { .. }) && !self.caps.ops.pln {
            return src;
        }
        let lanes = self.lanes.exec.lanes().max(PLANE);
        let copy = self.payload((lanes * 2 * 4).div_ceil(grf));
        for at in (0..lanes * 2).step_by(16) {
            if let Some(from) = from(at) {
                self.emit(build::mov(sixteen, Dst::packed(copy.plus(at * 4), Type::F), from));
            }
        }
        self.packed(copy, Type::F)
    }

    /// `dp2`, `dp3`, `dp4`, `dph`: each four channels get the sum of their products.
    pub(super) fn dot_product(&mut self, opcode: Opcode, dst: &VectorOperand, srcs: Srcs<'_>) -> Lowered {
        let (target, sat) = self.dst(dst)?;
        let (a, b) = (self.src(&srcs[0])?, self.src(&srcs[1])?);
        if self.lanes.exec.lanes() < 4 {
            return Err(Unsupported::DotProductLanes.into());
        }
        if self.caps.ops.dot_product {
            let op = match opcode {
                Opcode::Dp2 => Op::Dp2,
                Opcode::Dp3 => Op::Dp3,
                Opcode::Dp4 => Op::Dp4,
                _ => Op::Dph,
            };
            return self.dot(op, target, sat, [a, b]);
        }
        // A channel that does not run may hold an element that others want.
        let whole = self.lanes;
        self.lanes.no_mask = true;
        let ty = a.ty().filter(|t| t.is_float()).unwrap_or(Type::F);
        let (a, b) = (self.copy_as(a, ty), self.copy_as(b, ty));
        let element = |reg: VReg, k: u32| Src::new(reg.plus(k * ty.bytes()), Region::new(4, 4, 0), ty);
        let terms = match opcode {
            Opcode::Dp2 => 2,
            Opcode::Dp3 | Opcode::Dph => 3,
            _ => 4,
        };
        // Copies, so that regions are what multiply and add takes.
        let mut sum = None;
        for k in 0..terms {
            let (x, y) = (self.copy_as(element(a, k), ty), self.copy_as(element(b, k), ty));
            let (x, y) = (self.packed(x, ty), self.packed(y, ty));
            sum = Some(match sum {
                None => self.in_temp(Op::Mul, ty, &[x, y]),
                Some(sum) => self.in_temp(Op::Mad, ty, &[sum, x, y]),
            });
        }
        let mut sum = sum.unwrap_or(Src::ud(0));
        if opcode == Opcode::Dph {
            sum = self.in_temp(Op::Add, ty, &[sum, element(b, 3)]);
        }
        self.lanes = whole;
        self.last(Op::Mov, target, sat, &[sum]);
        Ok(())
    }

    /// A dot product that the platform has. Its operands are whole: slices of less than four channels would be other
    /// products.
    fn dot(&mut self, op: Op, target: VDst, sat: bool, srcs: [VSrc; 2]) -> Lowered {
        let lanes = self.lanes.exec.lanes();
        if lanes < 4 {
            self.last(op, target, sat, &srcs);
            return Ok(());
        }
        let grf = self.grf();
        let ty = srcs[0].ty().filter(|t| t.is_float()).unwrap_or(Type::F);
        let packed = build::strided(1, self.lanes.exec);
        let whole = self.lanes;
        // A channel that does not run may hold an element that others want.
        self.lanes.no_mask = true;
        let srcs = srcs.map(|src| match src {
            Src::Imm { .. } => src,
            Src::Direct { reg, region, ty: own, .. }
                if own == ty && region == packed && reg.byte.is_multiple_of(grf) =>
            {
                src
            }
            _ => {
                let copy = self.copy_as(src, ty);
                self.packed(copy, ty)
            }
        });
        let plain = matches!(target, Dst::Direct { reg, horz: 1, ty: to } if to == ty && reg.byte.is_multiple_of(grf));
        if plain {
            self.lanes = whole;
            self.last(op, target, sat, &srcs);
        } else {
            let result = self.in_temp(op, ty, &srcs);
            self.lanes = whole;
            self.last(Op::Mov, target, sat, &[result]);
        }
        Ok(())
    }

    /// `bfn` by its truth table: `f(a, b, c) = g0(a, b) ^ (c & (g0 ^ g1)(a, b))`, where `g0` is the half of the table
    /// with `c` clear and `g1` the other one.
    pub(super) fn bfn_by_logic(&mut self, function: u8, dst: &VectorOperand, srcs: Srcs<'_>) -> Lowered {
        let (target, sat) = self.dst(dst)?;
        let ty = match target.ty().map_or(4, Type::bytes) {
            2 => Type::Uw,
            8 => Type::Uq,
            _ => Type::Ud,
        };
        let mut operands = [Src::None; 3];
        for (slot, operand) in operands.iter_mut().zip(srcs.iter()) {
            let src = self.src(operand)?;
            let copy = self.copy_as(src, ty);
            *slot = self.packed(copy, ty);
        }
        let [a, b, c] = operands;
        let (low, change) = (function & 15, (function ^ function >> 4) & 15);
        let low = self.of_two(low, a, b, ty);
        let result = match change {
            0 => low,
            _ => {
                let change = self.of_two(change, a, b, ty);
                let change = self.in_temp(Op::And, ty, &[c, change]);
                self.in_temp(Op::Xor, ty, &[change, low])
            }
        };
        self.last(Op::Mov, target, sat, &[result]);
        Ok(())
    }

    /// A function of two bits: bit `a + 2 * b` of the table.
    fn of_two(&mut self, table: u8, a: VSrc, b: VSrc, ty: Type) -> VSrc {
        let constant = |lowerer: &mut Self, value: u64| {
            let copy = lowerer.copy_as(Src::imm(value, ty), ty);
            lowerer.packed(copy, ty)
        };
        // The functions that are one operation; the others are their complements.
        let (table, complement) = if table & 1 != 0 { (!table & 15, true) } else { (table, false) };
        let not = |lowerer: &mut Self, x: VSrc| lowerer.in_temp(Op::Not, ty, &[x]);
        let value = match table {
            0b0000 => {
                return constant(self, if complement { u64::from(u32::MAX) } else { 0 });
            }
            0b1010 => a,
            0b1100 => b,
            0b1000 => self.in_temp(Op::And, ty, &[a, b]),
            0b1110 => self.in_temp(Op::Or, ty, &[a, b]),
            0b0110 => self.in_temp(Op::Xor, ty, &[a, b]),
            0b0010 => {
                let b = not(self, b);
                self.in_temp(Op::And, ty, &[a, b])
            }
            _ => {
                let a = not(self, a);
                self.in_temp(Op::And, ty, &[a, b])
            }
        };
        if complement { not(self, value) } else { value }
    }

    /// `sad2add`, and `sad2` of one channel or where there is none: absolute differences, summed in pairs. Even channels have
    /// results. (`sada2` would have the addend in the accumulator, which is no instruction less, and whose slices would need
    /// theirs; Intel's finalizer chooses the same.)
    pub(super) fn sum_of_differences(&mut self, dst: &VectorOperand, srcs: Srcs<'_>) -> Lowered {
        let (target, sat) = self.dst(dst)?;
        let opcode = if srcs.len() > 2 { Opcode::Sad2add } else { Opcode::Sad2 };
        let more = srcs.get(2).map(|c| self.src(c)).transpose()?;
        // A pair belongs together even where only its first channel runs.
        let whole = self.lanes;
        self.lanes.no_mask = true;
        if whole.exec == ExecSize::S1 {
            self.lanes = Lanes::all(ExecSize::S2);
        }
        // Of constants, which vISA has none of in bytes, the low byte counts.
        let byte = |src: VSrc| match src {
            Src::Imm { bits, ty } if ty.is_int() && !matches!(ty, Type::V | Type::Uv) => {
                let byte = build::int_type(1, ty.is_signed());
                Src::imm(build::extend(bits & 0xff, byte) & 0xffff, build::int_type(2, ty.is_signed()))
            }
            other => other,
        };
        let (a, b) = (byte(self.src(&srcs[0])?), byte(self.src(&srcs[1])?));
        let wide = |src: &&VSrc| !src.is_imm() && src.ty().is_some_and(|t| t.bytes() > 1 || t.is_float());
        if let Some(found) = [a, b].iter().find(wide).and_then(Src::ty) {
            return Err(Unsupported::Type { opcode, found, allowed: "bytes" }.into());
        }
        let mut sum = match self.caps.ops.sad {
            true => self.in_temp(Op::Sad2, Type::Uw, &[a, b]),
            false => self.sum_of_pairs(a, b)?,
        };
        self.lanes = whole;
        if let (ExecSize::S1, Src::Direct { region, .. }) = (whole.exec, &mut sum) {
            *region = Region::SCALAR;
        }
        match more {
            Some(more) => self.last(Op::Add, target, sat, &[sum, more]),
            None => self.last(Op::Mov, target, sat, &[sum]),
        }
        Ok(())
    }

    /// `sad2` where there is none, in all channels.
    fn sum_of_pairs(&mut self, a: VSrc, b: VSrc) -> Lowered<VSrc> {
        let (a, b) = (self.copy_as(a, Type::W), self.copy_as(b, Type::W));
        let mut minus = self.packed(b, Type::W);
        if let Src::Direct { mods, .. } = &mut minus {
            *mods = SrcMod::Neg;
        }
        let a = self.packed(a, Type::W);
        let difference = self.in_temp(Op::Add, Type::W, &[a, minus]);
        let Src::Direct { reg, .. } = difference else { unreachable!("a temporary is in a register") };
        let half = |k: u32| Src::Direct {
            reg: reg.plus(2 * k),
            region: Region::new(2, 2, 0),
            mods: SrcMod::Abs,
            ty: Type::W,
        };
        Ok(self.in_temp(Op::Add, Type::W, &[half(0), half(1)]))
    }

    /// `mul.sat` of dwords where products of 64 bits do not exist: both halves, and the limit where the high one is
    /// more than the sign of the low one.
    pub(super) fn saturating_product(&mut self, dst: VDst, [a, b]: [VSrc; 2], ty: Type) {
        let pred = self.pred.take();
        let (low, high) = (self.in_temp(Op::Mul, ty, &[a, b]), self.in_temp(Op::Mulh, ty, &[a, b]));
        let fits = if ty.is_signed() { self.in_temp(Op::Asr, ty, &[low, Src::uw(31)]) } else { Src::ud(0) };
        let limit = if ty.is_signed() {
            // 0x7fffffff, or its complement where the product is negative.
            let sign = self.in_temp(Op::Asr, ty, &[high, Src::uw(31)]);
            self.in_temp(Op::Xor, ty, &[sign, Src::imm(0x7fff_ffff, ty)])
        } else {
            let all = self.copy_as(Src::ud(u32::MAX), ty);
            self.packed(all, ty)
        };
        let flag = self.var(build::flag(self.lanes));
        let mut differs = build::op(Op::Cmp, self.lanes, Dst::null(ty), &[high, fits]);
        differs.cond = Some(CondMod { cond: Cond::Ne, flag: VReg::var_at(flag, 0) });
        self.emit(differs);
        let result = self.payload((self.lanes.exec.lanes() * 4).div_ceil(self.grf()));
        let mut choose = build::op(Op::Sel, self.lanes, Dst::packed(result, ty), &[limit, low]);
        choose.pred = Some(build::pred(flag));
        self.emit(choose);
        self.pred = pred;
        let result = self.packed(result, ty);
        self.last(Op::Mov, dst, true, &[result]);
    }

    /// A shift beside quadwords of what a source modifier changes, where the quadword's operation would see another number:
    /// what `shr` shifts has the bits of its type, and of a count the lowest matter. False if it is none.
    pub(super) fn shift_of_changed(&mut self, op: Op, dst: &VectorOperand, srcs: Srcs<'_>) -> Lowered<bool> {
        let (target, sat) = self.dst(dst)?;
        let (mut value, mut count) = (self.src(&srcs[0])?, self.src(&srcs[1])?);
        let bytes = |t: Option<Type>| t.map_or(0, Type::bytes);
        let beside = bytes(target.ty()) == 8 || bytes(count.ty()) == 8;
        let short = op == Op::Shr && value.mods().any() && bytes(value.ty()) < 8 && beside;
        let long = count.mods().any() && bytes(count.ty()) == 8;
        if let Some(ty) = Type::unsigned(bytes(value.ty())).filter(|_| short) {
            value = self.in_temp(Op::Mov, ty, &[value]);
        }
        if long {
            count = self.in_temp(Op::Mov, Type::Ud, &[count]);
        }
        if short || long {
            self.last(op, target, sat, &[value, count]);
        }
        Ok(short || long)
    }
}
