//! Integer instructions, lane by lane, in 128 bits.

use super::{
    convert::{arithmetic, from_int, int_value},
    operand::{Computation, Lanes, each},
    thread::VisaThread,
};
use crate::thread::{FloatMode, LANES, Trap};
use narrow::{low_i8, low_i16, low_i32, low_i64, low_u8, low_u32, low_u64};
use visa::{Inst, Modifier, Opcode, Srcs, Type, VectorOperand};

/// The bits of a value in a type, without sign.
fn unsigned(x: i128, ty: Type) -> u64 {
    let width = ty.bytes() * 8;
    low_u64(x) & (u64::MAX >> (64 - width))
}

/// Quotient and remainder, truncating. A division by zero gives what the hardware's gives: the largest
/// value of the dividend's sign.
fn divide(a: i128, b: i128, signed: bool) -> (i128, i128) {
    match (b, signed) {
        (0, false) => (u32::MAX.into(), u32::MAX.into()),
        (0, true) if a < 0 => (i32::MIN.into(), i32::MIN.into()),
        (0, true) => (i32::MAX.into(), i32::MAX.into()),
        _ => (a / b, a % b),
    }
}

/// Operands of a division, and whether they are signed: the low 32 bits of each. They are where one is negated, else as the
/// larger type is, and of two as large where both are. (The page says nothing of operands of two types; that is how
/// Intel's finalizer divides, `fixMathInst`.)
fn dividends(a: i128, b: i128, v: &[Lanes], mods: &[Modifier; 4]) -> (i128, i128, bool) {
    let sources = || v.iter().zip(mods).take(2);
    let largest = sources().map(|(l, _)| l.ty.bytes()).max().unwrap_or(4);
    let signed = sources().any(|(_, m)| matches!(m, Modifier::Neg | Modifier::NegAbs))
        || sources().filter(|(l, _)| l.ty.bytes() == largest).all(|(l, _)| l.ty.is_signed_int());
    match (largest, signed) {
        (8.., _) => (a, b, signed),
        (_, true) => (i128::from(low_i32(a)), i128::from(low_i32(b)), true),
        (_, false) => (i128::from(low_u32(a)), i128::from(low_u32(b)), false),
    }
}

/// Operations on bits whose pages say nothing of saturation; Intel's finalizer drops it.
pub(super) const fn saturates_nothing(opcode: Opcode) -> bool {
    use Opcode as O;
    matches!(
        opcode,
        O::And
            | O::Or
            | O::Xor
            | O::Not
            | O::Rol
            | O::Ror
            | O::Bfe
            | O::Bfi
            | O::Bfrev
            | O::Cbit
            | O::Fbh
            | O::Fbl
    )
}

/// Bytes of a `dp4a` operand.
fn byte(x: i128, i: u32, ty: Type) -> i128 {
    let b = low_u8(x >> (8 * i));
    if ty.is_signed_int() { i128::from(low_i8(b)) } else { i128::from(b) }
}

/// `bfe`: so many bits from a place on, of a value.
fn extracted(width: i128, offset: i128, value: i128, signed: bool) -> i128 {
    let (width, offset) = (low_u32(width) & 31, low_u32(offset) & 31);
    let field = (u64::from(low_u32(value)) >> offset) & ((1 << width) - 1);
    // A field that ends at the top of the value is as wide as what is left of it.
    let top = width.min(32 - offset);
    if signed && width > 0 { i128::from(low_i64(field << (64 - top)) >> (64 - top)) } else { field.into() }
}

/// `bfi`: so many bits from a place on are others.
fn inserted(width: i128, offset: i128, field: i128, value: i128) -> i128 {
    let (width, offset) = (low_u32(width) & 31, low_u32(offset) & 31);
    let mask = ((1u64 << width) - 1) << offset;
    i128::from(low_u32((u64::from(low_u32(field)) << offset & mask) | (u64::from(low_u32(value)) & !mask)))
}

/// Computes in integers.
pub(super) fn compute(
    computation: Computation<'_>,
    mode: &FloatMode,
    out: &mut [u64; LANES],
) -> Result<(), Trap> {
    use Opcode as O;
    let Computation { opcode, sources: v, mods, dst, sat, on } = computation;
    let ty0 = v.first().map_or(Type::UD, |l| l.ty);
    // Six bits of a shift count matter where 64-bit values are shifted.
    let count = if ty0.bytes() == 8 || dst.bytes() == 8 { 63 } else { 31 };
    let width = ty0.bytes() * 8;
    for i in each(on) {
        let x = |k: usize| v.get(k).map_or(0, |l| int_value(l.bits[i], l.ty, mods[k]));
        let (a, b, c) = (x(0), x(1), x(2));
        let r = match opcode {
            O::Add => a + b,
            O::Add3 | O::Add3o => a + b + c,
            // Products of unsigned qwords have 128 bits: the low half, or what saturates.
            O::Mul if sat => a.saturating_mul(b),
            O::Mul => a.wrapping_mul(b),
            O::Mad if sat => a.saturating_mul(b).saturating_add(c),
            O::Mad => a.wrapping_mul(b).wrapping_add(c),
            O::Mulh => a.wrapping_mul(b) >> 32,
            O::Avg => (a + b + 1) >> 1,
            O::Div | O::Mod => {
                let (a, b, signed) = dividends(a, b, v, mods);
                let (quotient, remainder) = divide(a, b, signed);
                if opcode == O::Div { quotient } else { remainder }
            }
            O::And => a & b,
            O::Or => a | b,
            O::Xor => a ^ b,
            O::Not => !a,
            O::Shl => a << (b & count),
            O::Shr => i128::from(unsigned(a, ty0) >> (b & count)),
            O::Asr => a >> (b & count),
            O::Rol | O::Ror => {
                // What is narrower than its result is rotated in that (Intel's finalizer).
                let (wide, width) =
                    if dst.bytes() > ty0.bytes() { (dst, dst.bytes() * 8) } else { (ty0, width) };
                let bits = unsigned(a, wide);
                let k = low_u32(b & i128::from(width - 1));
                let left = if opcode == O::Rol { k } else { (width - k) % width };
                if left == 0 { bits.into() } else { i128::from(bits << left | bits >> (width - left)) }
            }
            O::Cbit => unsigned(a, ty0).count_ones().into(),
            O::Lzd => low_u32(a).leading_zeros().into(),
            O::Fbl => match low_u32(a) {
                0 => 0xffff_ffff,
                bits => bits.trailing_zeros().into(),
            },
            O::Fbh => {
                let bits = if ty0.is_signed_int() && a < 0 { low_u32(!a) } else { low_u32(a) };
                if bits == 0 { 0xffff_ffff } else { bits.leading_zeros().into() }
            }
            O::Bfrev => low_u32(a).reverse_bits().into(),
            O::Bfe => extracted(a, b, c, dst.is_signed_int()),
            O::Bfi => inserted(a, b, c, x(3)),
            O::Dp4a => (0..4).fold(a, |sum, k| sum + byte(b, k, v[1].ty) * byte(c, k, v[2].ty)),
            other => return Err(format!("{other} on integers is not modelled").into()),
        };
        out[i] = from_int(r, dst, sat, mode);
    }
    Ok(())
}

/// Instructions whose lanes read each other's elements, or write two registers.
pub(super) const fn is_across(opcode: Opcode) -> bool {
    use Opcode as O;
    matches!(opcode, O::Sad2 | O::Sad2add | O::Madw | O::Dp2 | O::Dp3 | O::Dp4 | O::Dph | O::Plane | O::Line)
}

/// `sad2`, `sad2add`, `madw`; the float ones are in [`super::float`].
pub(super) fn across(
    t: &mut VisaThread<'_>,
    inst: &Inst<'_>,
    dst: &VectorOperand,
    srcs: &Srcs<'_>,
    on: u32,
    doubt: u32,
) -> Result<(), Trap> {
    match inst.opcode {
        Opcode::Sad2 | Opcode::Sad2add => differences(t, dst, srcs, on, doubt),
        Opcode::Madw => multiply_add_wide(t, inst, dst, srcs, on, doubt),
        Opcode::Plane | Opcode::Line => super::float::plane(t, inst, dst, srcs, on, doubt),
        _ => super::float::dot_product(t, inst, dst, srcs, on, doubt),
    }
}

/// Sums of the absolute differences of pairs.
fn differences(
    t: &mut VisaThread<'_>,
    dst: &VectorOperand,
    srcs: &Srcs<'_>,
    on: u32,
    doubt: u32,
) -> Result<(), Trap> {
    let sat = dst.is_saturated();
    let ty = t.dst_type(dst)?;
    // Of constants, which there are none of in bytes, the low byte counts.
    let byte = |src: &VectorOperand, lanes: &mut Lanes| {
        if matches!(src, VectorOperand::Immediate { ty, .. } if ty.is_int() && !ty.is_packed()) {
            lanes.ty = if lanes.ty.is_signed_int() { Type::B } else { Type::UB };
            lanes.bits.iter_mut().for_each(|bits| *bits &= 0xff);
        }
    };
    let mut out = [0; LANES];
    // A pair belongs together even where only its first lane runs.
    let pairs = on | (on & 0x5555_5555) << 1;
    let (mut a, mut b) = (t.load(&srcs[0], pairs)?, t.load(&srcs[1], pairs)?);
    byte(&srcs[0], &mut a);
    byte(&srcs[1], &mut b);
    let c = match srcs.get(2) {
        Some(c) => Some(t.load(c, on)?),
        None => None,
    };
    let mut undefined = doubt;
    for i in each(on) {
        if i % 2 == 1 {
            undefined |= 1 << i;
            continue;
        }
        let part = |k: usize| {
            (int_value(a.bits[k], a.ty, arithmetic(srcs[0].modifier()))
                - int_value(b.bits[k], b.ty, arithmetic(srcs[1].modifier())))
            .abs()
        };
        let more = c.as_ref().map_or(0, |c| int_value(c.bits[i], c.ty, arithmetic(srcs[2].modifier())));
        out[i] = from_int(part(i) + part(i + 1) + more, ty, sat, &t.mode);
        let from = (a.undefined | b.undefined) >> i & 3 != 0;
        undefined |= u32::from(from) << i;
        undefined |= c.as_ref().map_or(0, |c| c.undefined) & 1 << i;
    }
    t.store(dst, on, &out, undefined)
}

/// `madw`: a product of dwords and a sum, in 64 bits; the high halves stand behind the low ones.
fn multiply_add_wide(
    t: &mut VisaThread<'_>,
    inst: &Inst<'_>,
    dst: &VectorOperand,
    srcs: &Srcs<'_>,
    on: u32,
    doubt: u32,
) -> Result<(), Trap> {
    let v = [t.load(&srcs[0], on)?, t.load(&srcs[1], on)?, t.load(&srcs[2], on)?];
    let undefined = v.iter().fold(doubt, |u, l| u | l.undefined);
    let (mut low, mut high) = ([0; LANES], [0; LANES]);
    for i in each(on) {
        // The product is that of 64 bits, the negative of an operand one of 32.
        let x = |k: usize| match (int_value(v[k].bits[i], v[k].ty, arithmetic(srcs[k].modifier())), v[k].ty) {
            (n, ty) if ty.is_signed_int() => i128::from(low_i32(n)),
            (n, _) => i128::from(low_u32(n)),
        };
        let r = x(0) * x(1) + x(2);
        (low[i], high[i]) = (low_u64(r) & 0xffff_ffff, low_u64(r >> 32) & 0xffff_ffff);
    }
    t.store(dst, on, &low, undefined)?;
    // The high halves start at the next register.
    let rows = (inst.exec.size.lanes() * 4).div_ceil(t.program.grf);
    let next = match *dst {
        VectorOperand::General(g) if g.var.is_null() => return Ok(()),
        VectorOperand::General(g) => {
            VectorOperand::General(visa::GeneralOperand { row: g.row + low_u8(rows), ..g })
        }
        VectorOperand::Indirect(i) => VectorOperand::Indirect(visa::IndirectOperand {
            offset: i.offset + low_i16(rows * t.program.grf),
            ..i
        }),
        _ => return Err("madw to no variable".into()),
    };
    t.store(&next, on, &high, undefined)
}
