//! Atomic operations, shared by the data port's and LSC's messages.

use crate::num::{HALF, Round};
use messages::{hdc, lsc};

/// What an atomic does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Atomic {
    Load,
    Store,
    Inc,
    Dec,
    /// Decrement that returns the new value.
    PreDec,
    Add,
    Sub,
    RevSub,
    SMin,
    SMax,
    UMin,
    UMax,
    Cas,
    And,
    Or,
    Xor,
    FAdd,
    FSub,
    FMin,
    FMax,
    FCas,
}

impl Atomic {
    /// An integer operation of the data ports.
    pub(super) fn from_hdc(op: hdc::AtomicOp) -> Atomic {
        use Atomic::*;
        match op {
            hdc::AtomicOp::CmpXchg | hdc::AtomicOp::CmpXchgWide => Cas,
            hdc::AtomicOp::And => And,
            hdc::AtomicOp::Or => Or,
            hdc::AtomicOp::Xor => Xor,
            hdc::AtomicOp::Xchg => Store,
            hdc::AtomicOp::Inc => Inc,
            hdc::AtomicOp::Dec => Dec,
            hdc::AtomicOp::Add => Add,
            hdc::AtomicOp::Sub => Sub,
            hdc::AtomicOp::RevSub => RevSub,
            hdc::AtomicOp::IMax => SMax,
            hdc::AtomicOp::IMin => SMin,
            hdc::AtomicOp::UMax => UMax,
            hdc::AtomicOp::UMin => UMin,
            hdc::AtomicOp::PreDec => PreDec,
        }
    }

    /// A float operation of the data ports.
    pub(super) fn from_hdc_float(op: hdc::FloatAtomicOp) -> Atomic {
        use Atomic::*;
        match op {
            hdc::FloatAtomicOp::FMax => FMax,
            hdc::FloatAtomicOp::FMin => FMin,
            hdc::FloatAtomicOp::FCmpXchg => FCas,
            hdc::FloatAtomicOp::FAdd | hdc::FloatAtomicOp::FAddWide => FAdd,
            hdc::FloatAtomicOp::FSub | hdc::FloatAtomicOp::FSubWide => FSub,
        }
    }

    /// The operation of an LSC message.
    pub(crate) fn from_lsc(op: lsc::Op) -> Option<Atomic> {
        use Atomic::*;
        Some(match op {
            lsc::Op::AtomicInc => Inc,
            lsc::Op::AtomicDec => Dec,
            lsc::Op::AtomicLoad => Load,
            lsc::Op::AtomicStore => Store,
            lsc::Op::AtomicAdd => Add,
            lsc::Op::AtomicSub => Sub,
            lsc::Op::AtomicSmin => SMin,
            lsc::Op::AtomicSmax => SMax,
            lsc::Op::AtomicUmin => UMin,
            lsc::Op::AtomicUmax => UMax,
            lsc::Op::AtomicCas => Cas,
            lsc::Op::AtomicFadd => FAdd,
            lsc::Op::AtomicFsub => FSub,
            lsc::Op::AtomicFmin => FMin,
            lsc::Op::AtomicFmax => FMax,
            lsc::Op::AtomicFcas => FCas,
            lsc::Op::AtomicAnd => And,
            lsc::Op::AtomicOr => Or,
            lsc::Op::AtomicXor => Xor,
            _ => return None,
        })
    }

    /// Data operands per lane.
    pub(crate) fn operands(self) -> u32 {
        match self {
            Atomic::Load | Atomic::Inc | Atomic::Dec | Atomic::PreDec => 0,
            Atomic::Cas | Atomic::FCas => 2,
            _ => 1,
        }
    }

    /// The value to store over `old`, of `bytes` bytes. A compare-and-swap has the value to compare
    /// with in `a` and the new one in `b`.
    pub(crate) fn apply(self, old: u64, a: u64, b: u64, bytes: u32) -> u64 {
        let shift = 64 - bytes * 8;
        let signed = |x: u64| (x << shift) as i64 >> shift;
        let float = |x: u64| match bytes {
            2 => HALF.to_f64(x & 0xffff),
            4 => f32::from_bits(x as u32).into(),
            _ => f64::from_bits(x),
        };
        let pack = |x: f64| match bytes {
            2 => HALF.from_f64(x, Round::Even),
            4 => (x as f32).to_bits().into(),
            _ => x.to_bits(),
        };
        let pick = |first: bool| if first { old } else { a };
        let same = old << shift == a << shift;
        match self {
            Atomic::Load => old,
            Atomic::Store => a,
            Atomic::Inc => old.wrapping_add(1),
            Atomic::Dec | Atomic::PreDec => old.wrapping_sub(1),
            Atomic::Add => old.wrapping_add(a),
            Atomic::Sub => old.wrapping_sub(a),
            Atomic::RevSub => a.wrapping_sub(old),
            Atomic::SMin => pick(signed(old) <= signed(a)),
            Atomic::SMax => pick(signed(old) >= signed(a)),
            Atomic::UMin => pick(old << shift <= a << shift),
            Atomic::UMax => pick(old << shift >= a << shift),
            Atomic::Cas => {
                if same {
                    b
                } else {
                    old
                }
            }
            Atomic::And => old & a,
            Atomic::Or => old | a,
            Atomic::Xor => old ^ a,
            Atomic::FAdd => pack(float(old) + float(a)),
            Atomic::FSub => pack(float(old) - float(a)),
            Atomic::FMin => pick(float(a).is_nan() || float(old) <= float(a)),
            Atomic::FMax => pick(float(a).is_nan() || float(old) >= float(a)),
            Atomic::FCas => {
                if float(old) == float(a) {
                    b
                } else {
                    old
                }
            }
        }
    }

    /// What the message returns.
    pub(crate) fn result(self, old: u64, new: u64) -> u64 {
        if self == Atomic::PreDec { new } else { old }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_respect_size_and_sign() {
        assert_eq!(Atomic::SMax.apply(0xffff_ffff, 1, 0, 4), 1);
        assert_eq!(Atomic::UMax.apply(0xffff_ffff, 1, 0, 4), 0xffff_ffff);
        assert_eq!(Atomic::SMin.apply(0x8000, 1, 0, 2), 0x8000);
        assert_eq!(Atomic::Cas.apply(5, 5, 9, 4), 9);
        assert_eq!(Atomic::Cas.apply(6, 5, 9, 4), 6);
        assert_eq!(
            Atomic::FAdd.apply(1.5f32.to_bits().into(), 2.0f32.to_bits().into(), 0, 4),
            u64::from(3.5f32.to_bits())
        );
        assert_eq!(Atomic::from_hdc(hdc::AtomicOp::RevSub), Atomic::RevSub);
        assert_eq!(Atomic::from_lsc(lsc::Op::AtomicCas), Some(Atomic::Cas));
    }
}
