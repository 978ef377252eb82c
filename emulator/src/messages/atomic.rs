//! Atomic operations, shared by the data port's and LSC's messages.

use crate::num::{HALF, Round};
use messages::Operation;
use narrow::{low_i64, low_u32, single};

/// What an operation makes of a value in memory.
pub(crate) trait Atomic: Copy {
    /// The value to store over `old`, of `bytes` bytes. A compare-and-swap has the value to compare
    /// with in `a` and the new one in `b`.
    fn apply(self, old: u64, a: u64, b: u64, bytes: u32) -> u64;

    /// What the message returns.
    fn result(self, old: u64, new: u64) -> u64;
}

impl Atomic for Operation {
    fn apply(self, old: u64, a: u64, b: u64, bytes: u32) -> u64 {
        let shift = 64 - bytes * 8;
        let signed = |x: u64| low_i64(x << shift) >> shift;
        let float = |x: u64| match bytes {
            2 => HALF.to_f64(x & 0xffff),
            4 => f32::from_bits(low_u32(x)).into(),
            _ => f64::from_bits(x),
        };
        let pack = |x: f64| match bytes {
            2 => HALF.from_f64(x, Round::Even),
            4 => single(x).to_bits().into(),
            _ => x.to_bits(),
        };
        let pick = |first: bool| if first { old } else { a };
        let same = old << shift == a << shift;
        match self {
            Operation::Load => old,
            Operation::Store => a,
            Operation::Inc => old.wrapping_add(1),
            Operation::Dec | Operation::PreDec => old.wrapping_sub(1),
            Operation::Add => old.wrapping_add(a),
            Operation::Sub => old.wrapping_sub(a),
            Operation::RevSub => a.wrapping_sub(old),
            Operation::SMin => pick(signed(old) <= signed(a)),
            Operation::SMax => pick(signed(old) >= signed(a)),
            Operation::UMin => pick(old << shift <= a << shift),
            Operation::UMax => pick(old << shift >= a << shift),
            Operation::Cas => {
                if same {
                    b
                } else {
                    old
                }
            }
            Operation::And => old & a,
            Operation::Or => old | a,
            Operation::Xor => old ^ a,
            Operation::FAdd => pack(float(old) + float(a)),
            Operation::FSub => pack(float(old) - float(a)),
            Operation::FMin => pick(float(a).is_nan() || float(old) <= float(a)),
            Operation::FMax => pick(float(a).is_nan() || float(old) >= float(a)),
            Operation::FCas => {
                if float(old) == float(a) {
                    b
                } else {
                    old
                }
            }
        }
    }

    fn result(self, old: u64, new: u64) -> u64 {
        if self == Operation::PreDec { new } else { old }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_respect_size_and_sign() {
        assert_eq!(Operation::SMax.apply(0xffff_ffff, 1, 0, 4), 1);
        assert_eq!(Operation::UMax.apply(0xffff_ffff, 1, 0, 4), 0xffff_ffff);
        assert_eq!(Operation::SMin.apply(0x8000, 1, 0, 2), 0x8000);
        assert_eq!(Operation::Cas.apply(5, 5, 9, 4), 9);
        assert_eq!(Operation::Cas.apply(6, 5, 9, 4), 6);
        assert_eq!(
            Operation::FAdd.apply(1.5f32.to_bits().into(), 2.0f32.to_bits().into(), 0, 4),
            u64::from(3.5f32.to_bits())
        );
    }
}
