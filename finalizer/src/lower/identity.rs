//! Predefined variables that are parts of the thread header: computed once, where the kernel starts.
//!
//! Thread coordinates: 11 bits each in the words of `r0.1` up to Gen9, 12 bits each in that dword from
//! Gen11 on. The hardware thread's number is the fixed-function thread identifier in `r0.5`.

use gen_ir::{Dst, Op, Src, Type};
use visa::Predefined;

use super::{Lowerer, vars::COMPUTED};
use crate::build::{self, Lanes, VReg, VSrc};

impl Lowerer<'_> {
    /// Fills in the variables that the kernel names.
    pub(crate) fn compute_identity(&mut self) {
        let new_format = self.caps.thread.ids_of_12_bits;
        for (i, which) in COMPUTED.into_iter().enumerate() {
            let Some(var) = self.identity_var(i) else { continue };
            let to = VReg::var_at(var, 0);
            match (which, new_format) {
                (Predefined::ThreadX, false) => self.mask_bits(to, Type::Uw, 4, 0x7ff),
                (Predefined::ThreadY, false) => self.mask_bits(to, Type::Uw, 6, 0x7ff),
                (Predefined::ThreadX, true) => self.mask_bits(to, Type::Ud, 4, 0xfff),
                (Predefined::ThreadY, true) => {
                    self.shift_bits(to, 12);
                    let value = Src::scalar(to, Type::Ud);
                    self.and(to, value, 0xfff);
                }
                (Predefined::Color, false) => self.mask_bits(to, Type::Ud, 8, 0xf),
                (Predefined::Color, true) => self.shift_bits(to, 24),
                (_, false) => self.mask_bits(to, Type::Ud, 20, 0x1ff),
                (_, true) => self.mask_bits(to, Type::Ud, 20, 0x3ff),
            }
        }
    }

    fn mask_bits(&mut self, to: VReg, ty: Type, byte: u32, mask: u32) {
        let from = Src::scalar(self.r0(byte), ty);
        self.and(to, from, mask);
    }

    fn and(&mut self, to: VReg, from: VSrc, mask: u32) {
        let srcs = [from, Src::ud(mask)];
        self.emit(build::op(Op::And, Lanes::SCALAR, Dst::packed(to, Type::Ud), &srcs));
    }

    fn shift_bits(&mut self, to: VReg, count: u16) {
        let srcs = [Src::scalar(self.r0(4), Type::Ud), Src::uw(count)];
        self.emit(build::op(Op::Shr, Lanes::SCALAR, Dst::packed(to, Type::Ud), &srcs));
    }
}
