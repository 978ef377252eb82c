//! Predefined variables that are parts of the thread header: computed once, where the kernel starts.
//!
//! Thread coordinates: 11 bits each in the words of `r0.1` up to Gen9, 12 bits each in that dword from
//! Gen11 on. The hardware thread's number is the fixed-function thread identifier in `r0.5`.

use gen_ir::{Dst, Op, Src, Type};
use messages::thread::{Color, Coordinates, Identity, WideCoordinates};
use visa::Predefined;

use super::{Lowerer, declarations::COMPUTED};
use crate::build::{self, Lanes, VReg, VSrc};

impl Lowerer<'_> {
    /// Fills in the variables that the kernel names.
    pub(crate) fn compute_identity(&mut self) {
        let new_format = self.caps.thread.ids_of_12_bits;
        for (i, which) in COMPUTED.into_iter().enumerate() {
            let Some(var) = self.identity_var(i) else { continue };
            let to = VReg::var_at(var, 0);
            match (which, new_format) {
                (Predefined::ThreadX, false) => {
                    self.mask_bits(to, Type::Uw, Coordinates::BYTES[0], Coordinates::MASK);
                }
                (Predefined::ThreadY, false) => {
                    self.mask_bits(to, Type::Uw, Coordinates::BYTES[1], Coordinates::MASK);
                }
                (Predefined::ThreadX, true) => {
                    self.mask_bits(to, Type::Ud, 4 * WideCoordinates::DWORD, WideCoordinates::MASK);
                }
                (Predefined::ThreadY, true) => {
                    self.shift_bits(to, WideCoordinates::Y_SHIFT);
                    let value = Src::scalar(to, Type::Ud);
                    self.and(to, value, WideCoordinates::MASK);
                }
                (Predefined::Color, false) => self.mask_bits(to, Type::Ud, 4 * Color::DWORD, Color::MASK),
                (Predefined::Color, true) => self.shift_bits(to, WideCoordinates::COLOR_SHIFT),
                (_, wide) => {
                    let mask = if wide { Identity::THREAD_MASK } else { Identity::OLD_THREAD_MASK };
                    self.mask_bits(to, Type::Ud, 4 * Identity::DWORD, mask);
                }
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
        let srcs = [Src::scalar(self.r0(4 * WideCoordinates::DWORD), Type::Ud), Src::uw(count)];
        self.emit(build::op(Op::Shr, Lanes::SCALAR, Dst::packed(to, Type::Ud), &srcs));
    }
}
