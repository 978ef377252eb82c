//! Variables in subranges: up to 64 of equal size, so that a set of them is one word.

use crate::analysis::access::Access;
use gen_ir::{Var, VarClass};
use narrow::{ones_between, to_u8};

/// Size of a variable in the units of accesses: bytes, or bits of a flag.
pub(crate) fn units(var: &Var) -> u32 {
    if var.class == VarClass::Flag { var.bytes.saturating_mul(8) } else { var.bytes }
}

/// Log2 of the units in a subrange of a variable.
pub(crate) fn subrange_shift(var: &Var) -> u8 {
    to_u8(units(var).div_ceil(64).next_power_of_two().trailing_zeros())
}

/// Every subrange of a variable.
pub(crate) fn all_subranges(var: &Var) -> u64 {
    ones_between(0, units(var).div_ceil(1 << subrange_shift(var)))
}

/// Subranges that overlap an access. What lies between the elements of a wide stride is not touched.
#[inline]
pub(crate) fn touched(a: &Access, shift: u8) -> u64 {
    let subrange = 1u32 << shift;
    if u32::from(a.pitch) < u32::from(a.elem) + subrange {
        return ones_between(a.start >> shift, a.end.div_ceil(subrange));
    }
    of_elements(a, |start, end| ones_between(start >> shift, end.div_ceil(subrange)))
}

/// Subranges that an access covers entirely.
pub(crate) fn covered(a: &Access, shift: u8) -> u64 {
    let subrange = 1u32 << shift;
    if a.pitch == a.elem {
        return ones_between(a.start.div_ceil(subrange), a.end >> shift);
    }
    if u32::from(a.elem) < subrange {
        return 0;
    }
    of_elements(a, |start, end| ones_between(start.div_ceil(subrange), end >> shift))
}

/// The subranges that belong to the elements of an access, each from its start to its end.
fn of_elements(a: &Access, subranges: impl Fn(u32, u32) -> u64) -> u64 {
    let starts = (a.start..a.end).step_by(usize::from(a.pitch).max(1));
    starts.map(|at| subranges(at, at + u32::from(a.elem))).fold(0, |all, some| all | some)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::access::Kind;
    use gen_ir::VarId;

    #[test]
    fn gaps_between_elements_are_neither_touched_nor_covered() {
        // Eight bytes, one in two.
        let a = Access {
            var: VarId(0),
            start: 0,
            end: 15,
            pitch: 2,
            elem: 1,
            chan: 0,
            kind: Kind::READ,
            subranges: 0,
        };
        assert_eq!((touched(&a, 0), covered(&a, 0)), (0x5555, 0x5555));
        // In subranges of two bytes each is touched, none covered; words fill theirs.
        assert_eq!((touched(&a, 1), covered(&a, 1)), (0xff, 0));
        let words = Access { end: 30, pitch: 4, elem: 2, ..a };
        assert_eq!((touched(&words, 1), covered(&words, 1)), (0x5555, 0x5555));
        // Messages and packed operands have no gaps.
        for (pitch, elem) in [(0, 0), (1, 1)] {
            assert_eq!(touched(&Access { pitch, elem, ..a }, 0), 0x7fff);
        }
    }
}
