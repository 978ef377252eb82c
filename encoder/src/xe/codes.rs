//! The numbers that stand in fields of several formats: types, registers, strides, conditions, shared
//! functions.
//!
//! Source: Programmer's Reference Manual for Tiger Lake, volume 8, "EU Instruction Fields"; the values
//! Ponte Vecchio added (`:bf`, `dpas` types, shared functions) are measured with the reference assembler.

use gen_ir::{Arf, Base, Cond, MathFn, Physical, PredCtrl, Reg, Region, Sfid, SyncFn, Type};
use narrow::{as_index, to_u8, wide_u8};

/// `DataType` of a register operand: bit 3 tells float from integer, so a ternary word keeps that bit
/// once for all operands and three bits for each.
pub(super) const fn type_code(ty: Type) -> Option<u8> {
    Some(match ty {
        Type::Ub => 0,
        Type::Uw => 1,
        Type::Ud => 2,
        Type::Uq => 3,
        Type::B => 4,
        Type::W => 5,
        Type::D => 6,
        Type::Q => 7,
        Type::Bf8 => 8,
        Type::Hf => 9,
        Type::F => 10,
        Type::Df => 11,
        Type::Bf => 13,
        Type::Tf32 => 14,
        _ => return None,
    })
}

/// The type of a [`type_code`], on a platform that has `:bf` and its like, or has not.
pub(super) const fn type_with(code: u8, bf16: bool) -> Option<Type> {
    match type_of(code) {
        Some(Type::Bf8 | Type::Bf | Type::Tf32) if !bf16 => None,
        ty => ty,
    }
}

/// The type of a [`type_code`].
const fn type_of(code: u8) -> Option<Type> {
    Some(match code {
        0 => Type::Ub,
        1 => Type::Uw,
        2 => Type::Ud,
        3 => Type::Uq,
        4 => Type::B,
        5 => Type::W,
        6 => Type::D,
        7 => Type::Q,
        8 => Type::Bf8,
        9 => Type::Hf,
        10 => Type::F,
        11 => Type::Df,
        13 => Type::Bf,
        14 => Type::Tf32,
        _ => return None,
    })
}

/// `DataType` of an immediate: bytes give way to packed vectors.
pub(super) const fn imm_type_code(ty: Type) -> Option<u8> {
    match ty {
        Type::Uv => Some(0),
        Type::V => Some(4),
        Type::Vf => Some(8),
        Type::Ub | Type::B => None,
        _ => type_code(ty),
    }
}

/// The type of an [`imm_type_code`].
pub(super) const fn imm_type_of(code: u8, bf16: bool) -> Option<Type> {
    match code {
        0 => Some(Type::Uv),
        4 => Some(Type::V),
        8 => Some(Type::Vf),
        _ => type_with(code, bf16),
    }
}

/// `DataType` and `Precision` of a systolic source: packed integers are bytes with a precision.
pub(super) const fn dpas_type_code(ty: Type) -> Option<(u8, u8)> {
    Some(match ty {
        Type::U4 => (0, 1),
        Type::S4 => (4, 1),
        Type::U2 => (0, 2),
        Type::S2 => (4, 2),
        Type::Bf8 => (8, 0),
        Type::Tf32 => (14, 0),
        _ => match type_code(ty) {
            Some(code) => (code, 0),
            None => return None,
        },
    })
}

/// The type of a [`dpas_type_code`].
pub(super) const fn dpas_type_of(code: u8, precision: u8) -> Option<Type> {
    match (code, precision) {
        (0, 1) => Some(Type::U4),
        (4, 1) => Some(Type::S4),
        (0, 2) => Some(Type::U2),
        (4, 2) => Some(Type::S2),
        (8, 0) => Some(Type::Bf8),
        (14, 0) => Some(Type::Tf32),
        (_, 0) => type_of(code),
        _ => None,
    }
}

/// `RegFile` and `RegNum` of a register.
#[inline(always)]
pub(super) fn reg_code(reg: Reg<Physical>) -> Option<(bool, u8)> {
    match reg.base() {
        Base::Grf(n) => Some((true, to_u8(n.number()))),
        Base::Arf(Arf::Null) => Some((false, 0)),
        Base::Arf(arf) => arf_code(arf),
        Base::Var(never) => match never {},
    }
}

fn arf_code(arf: Arf) -> Option<(bool, u8)> {
    let (kind, num) = arf.code();
    (num < 16).then_some((false, kind << 4 | num))
}

/// The register of a [`reg_code`].
#[inline(always)]
pub(super) fn reg_of(grf: bool, num: u8) -> Option<Base<Physical>> {
    if grf { Some(Base::Grf(num.into())) } else { arf_of(num) }
}

fn arf_of(num: u8) -> Option<Base<Physical>> {
    Arf::from_code(num >> 4, num & 0xf).map(Base::Arf)
}

/// `HorzStride`.
pub(super) const fn horz_code(horz: u8) -> Option<u8> {
    Some(match horz {
        0 => 0,
        1 => 1,
        2 => 2,
        4 => 3,
        _ => return None,
    })
}

/// The stride of a [`horz_code`] (two bits).
pub(super) const fn horz_of(code: u8) -> u8 {
    [0, 1, 2, 4][as_index(wide_u8(code & 3))]
}

/// `Width`.
pub(super) const fn width_code(width: u8) -> Option<u8> {
    Some(match width {
        1 => 0,
        2 => 1,
        4 => 2,
        8 => 3,
        16 => 4,
        _ => return None,
    })
}

/// The width of a [`width_code`].
pub(super) const fn width_of(code: u8) -> Option<u8> {
    if code <= 4 { Some(1 << code) } else { None }
}

/// `VertStride` but for `VxH`, whose number depends on the field's width.
pub(super) const fn vert_code(vert: u8) -> Option<u8> {
    Some(match vert {
        0 => 0,
        1 => 1,
        2 => 2,
        4 => 3,
        8 => 4,
        16 => 5,
        32 => 6,
        _ => return None,
    })
}

/// The stride of a [`vert_code`].
pub(super) const fn vert_of(code: u8) -> Option<u8> {
    match code {
        0 => Some(0),
        1..=6 => Some(1 << (code - 1)),
        _ => None,
    }
}

/// `VertStride` of a ternary source (two bits).
pub(super) const fn ternary_vert_code(vert: u8) -> Option<u8> {
    Some(match vert {
        0 => 0,
        1 => 1,
        4 => 2,
        8 => 3,
        _ => return None,
    })
}

/// The stride of a [`ternary_vert_code`].
pub(super) const fn ternary_vert_of(code: u8) -> u8 {
    [0, 1, 4, 8][as_index(wide_u8(code & 3))]
}

/// The region `<V;W,H>` of direct operands must not use the marks of absent fields.
pub(super) const fn is_absent(region: Region) -> bool {
    region.width == Region::ABSENT
}

/// `CondModifier` of `bfn`, whose field has two bits.
pub(super) const fn bfn_cond_code(cond: Cond) -> Option<u8> {
    match cond {
        Cond::Eq => Some(1),
        Cond::Gt => Some(2),
        Cond::Lt => Some(3),
        _ => None,
    }
}

/// The condition of a [`bfn_cond_code`].
pub(super) const fn bfn_cond_of(code: u8) -> Option<Cond> {
    match code {
        1 => Some(Cond::Eq),
        2 => Some(Cond::Gt),
        3 => Some(Cond::Lt),
        _ => None,
    }
}

/// The predicate controls of a platform. `by_width`: as [`platforms::Words::pred_width`] has it.
const fn predicates(by_width: bool) -> &'static [PredCtrl] {
    if by_width { &PredCtrl::BY_WIDTH } else { &PredCtrl::BY_SIZE }
}

/// `PredCtrl`.
#[inline]
pub(super) fn pred_code(ctrl: PredCtrl, by_width: bool) -> Option<u8> {
    predicates(by_width).iter().position(|&p| p == ctrl).map(|i| to_u8(i) + 1)
}

/// The control of a [`pred_code`] other than 0.
#[inline]
pub(super) fn pred_of(code: u8, by_width: bool) -> Option<PredCtrl> {
    predicates(by_width).get(usize::from(code).wrapping_sub(1)).copied()
}

/// Function code of `math`; the codes are the enumeration's own numbers.
pub(super) fn math_of(code: u8, int_div: bool) -> Option<MathFn> {
    MathFn::from_code(code).filter(|f| match f {
        MathFn::Fdiv | MathFn::Pow => false,
        MathFn::Idivmod | MathFn::Iqot | MathFn::Irem => int_div,
        _ => true,
    })
}

/// Function code of `sync`. `fence`: whether the platform has `sync.fence`.
pub(super) const fn sync_of(code: u8, fence: bool) -> Option<SyncFn> {
    Some(match code {
        0 => SyncFn::Nop,
        2 => SyncFn::AllRd,
        3 => SyncFn::AllWr,
        13 if fence => SyncFn::Fence,
        14 => SyncFn::Bar,
        15 => SyncFn::Host,
        _ => return None,
    })
}

/// `SFID` of a shared function, if the platform has it.
pub(super) fn sfid_code(sfid: Sfid, late_functions: bool) -> Option<u8> {
    let code = sfid.number();
    (Sfid::from_number(code, late_functions) == sfid).then_some(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_go_both_ways() {
        for code in 0..16 {
            for bf16 in [false, true] {
                if let Some(t) = type_with(code, bf16) {
                    assert_eq!(type_code(t), Some(code));
                }
                if let Some(t) = imm_type_of(code, bf16) {
                    assert_eq!(imm_type_code(t), (t != Type::Ub && t != Type::B).then_some(code));
                }
            }
            for precision in 0..4 {
                if let Some(t) = dpas_type_of(code, precision) {
                    assert_eq!(dpas_type_code(t), Some((code, precision)));
                }
            }
            for by_width in [false, true] {
                if let Some(p) = pred_of(code, by_width) {
                    assert_eq!(pred_code(p, by_width), Some(code));
                }
            }
            if let Some(c) = Cond::from_code(code) {
                assert_eq!(c.code(), Some(code));
            }
            if let Some(c) = bfn_cond_of(code) {
                assert_eq!(bfn_cond_code(c), Some(code));
            }
            if let Some(f) = math_of(code, true) {
                assert_eq!(f as u8, code);
            }
            if let Some(f) = sync_of(code, true) {
                assert_eq!(f as u8, code);
            }
            if let Some(v) = vert_of(code) {
                assert_eq!(vert_code(v), Some(code));
            }
            if let Some(w) = width_of(code) {
                assert_eq!(width_code(w), Some(code));
            }
            assert_eq!(horz_code(horz_of(code)), Some(code & 3));
            assert_eq!(ternary_vert_code(ternary_vert_of(code)), Some(code & 3));
        }
        for num in 0..=255 {
            for grf in [false, true] {
                if let Some(base) = reg_of(grf, num) {
                    assert_eq!(reg_code(Reg::new(base, 0)), Some((grf, num)));
                }
            }
        }
    }
}
