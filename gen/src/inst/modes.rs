//! Modes of floats in the control register: who sets them, and whose results depend on them.

use crate::{Arf, Base, Inst, Op, Reg, Space, Src, SrcMod, Type};

/// Rounding (bits 4 and 5), denormals of doubles, singles and halves (6, 7, 10) (vISA specification, "Predefined variables",
/// `%cr0`).
const FLOAT_MODES: u64 = 0x4f0;

impl<S: Space> Inst<S> {
    /// Whether this changes modes of floats in the control register, and nothing else.
    pub fn sets_float_modes(&self) -> bool {
        let changed = match (self.op, self.src[1]) {
            (Op::Or | Op::Xor, Src::Imm { bits, .. }) => bits,
            (Op::And, Src::Imm { bits, .. }) => !bits & u64::from(u32::MAX),
            _ => return false,
        };
        let modes = |r: Reg<S>| r.base() == Base::Arf(Arf::Control(0)) && r.byte == 0;
        let in_place = |s: &Src<S>| matches!(*s, Src::Direct { reg, mods: SrcMod::None, ty: Type::Ud, .. } if modes(reg));
        let whole = self.dst.ty() == Some(Type::Ud) && self.exec.lanes() == 1 && self.cond.is_none();
        whole && self.dst.reg().is_some_and(modes) && in_place(&self.src[0]) && changed & !FLOAT_MODES == 0
    }

    /// Whether the result may depend on how floats are rounded, or on what becomes of denormals. A move of bits as they are
    /// does not.
    pub fn computes_floats(&self) -> bool {
        let float = |ty: Option<Type>| ty.is_some_and(Type::is_float);
        let any = float(self.dst.ty()) || self.src.iter().any(|s| float(s.ty()));
        any && !self.op.is_send() && !(self.moves_bits() && self.cond.is_none())
    }
}
