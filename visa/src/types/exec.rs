//! Execution sizes and masks.

use narrow::{as_index, to_u8, wide_u8};

raw_enum! {
    /// Execution size: lanes of an instruction.
    ExecSize {
        /// One lane.
        S1 = 0 => "1",
        /// Two lanes.
        S2 = 1 => "2",
        /// Four lanes.
        S4 = 2 => "4",
        /// Eight lanes.
        S8 = 3 => "8",
        /// Sixteen lanes.
        S16 = 4 => "16",
        /// Thirty-two lanes.
        S32 = 5 => "32",
    }
}

impl ExecSize {
    /// Number of lanes.
    pub const fn lanes(self) -> u32 {
        1 << self.raw()
    }

    /// The size with this many lanes.
    pub const fn from_lanes(lanes: u32) -> Option<ExecSize> {
        match lanes {
            1 => Some(ExecSize::S1),
            2 => Some(ExecSize::S2),
            4 => Some(ExecSize::S4),
            8 => Some(ExecSize::S8),
            16 => Some(ExecSize::S16),
            32 => Some(ExecSize::S32),
            _ => None,
        }
    }
}

/// Execution mask control: which quarter-of-16 the lanes start at (`M1`-`M8`), and whether the mask is
/// ignored (`_NM`). Encoded in four bits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct EMask(u8);

impl EMask {
    /// `M1`.
    pub const M1: EMask = EMask(0);
    /// `M1_NM`.
    pub const M1_NM: EMask = EMask(8);

    /// From the four-bit encoding; higher bits are dropped.
    pub const fn from_raw(raw: u8) -> EMask {
        EMask(raw & 15)
    }

    /// `M<group + 1>`, group 0-7.
    pub const fn of_group(group: u8) -> EMask {
        EMask(group & 7)
    }

    /// The same group, where the execution mask is ignored: `M<group + 1>_NM`.
    #[must_use]
    pub const fn without_mask(self) -> EMask {
        EMask(self.0 | 8)
    }

    /// The four-bit encoding.
    pub const fn raw(self) -> u8 {
        self.0
    }

    /// First lane that the instruction works on: 0, 4, ... 28.
    pub const fn offset(self) -> u32 {
        (wide_u8(self.0 & 7)) * 4
    }

    /// The execution mask is ignored.
    pub const fn is_no_mask(self) -> bool {
        self.0 & 8 != 0
    }

    /// The word used in vISA assembly.
    pub const fn name(self) -> &'static str {
        EMASK_NAMES[as_index(wide_u8(self.0))]
    }

    /// The mask that vISA assembly writes so; `NoMask` is an old spelling of `M1_NM`.
    pub fn from_name(name: &str) -> Option<EMask> {
        let name = if name == "NoMask" { "M1_NM" } else { name };
        EMASK_NAMES.iter().position(|n| *n == name).map(|i| EMask(to_u8(i)))
    }
}

const EMASK_NAMES: [&str; 16] = [
    "M1", "M2", "M3", "M4", "M5", "M6", "M7", "M8", "M1_NM", "M2_NM", "M3_NM", "M4_NM", "M5_NM", "M6_NM",
    "M7_NM", "M8_NM",
];

/// Execution size and mask of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Exec {
    /// Lanes.
    pub size: ExecSize,
    /// Mask control.
    pub mask: EMask,
}

impl Exec {
    /// `(M1, 1)`: what instructions without an execution size behave like.
    pub const SCALAR: Exec = Exec { size: ExecSize::S1, mask: EMask::M1 };

    /// `(M1, size)`: the lanes that are on.
    pub const fn masked(size: ExecSize) -> Exec {
        Exec { size, mask: EMask::M1 }
    }

    /// `(M1_NM, size)`: all lanes, on or off.
    pub const fn no_mask(size: ExecSize) -> Exec {
        Exec { size, mask: EMask::M1_NM }
    }

    /// The first lane: where the mask says, if so many lanes may start there, else 0, which is what Intel's finalizer makes of
    /// such a mask (visa/Common_ISA_util.cpp, `Get_Gen4_Emask`).
    pub const fn first_lane(self) -> u32 {
        let offset = self.mask.offset();
        if offset.is_multiple_of(self.size.lanes()) { offset } else { 0 }
    }

    /// Whether all lanes run, whatever the execution mask is. A mask that so many lanes cannot start at says nothing of that,
    /// as in [`Self::first_lane`].
    pub const fn is_no_mask(self) -> bool {
        self.mask.is_no_mask() && self.first_lane() == self.mask.offset()
    }

    /// The byte of the object format, if the size is a legal one.
    pub const fn from_raw(raw: u8) -> Option<Exec> {
        match ExecSize::from_raw(raw & 15) {
            Some(size) => Some(Exec { size, mask: EMask::from_raw(raw >> 4) }),
            None => None,
        }
    }

    /// The byte of the object format.
    pub const fn raw(self) -> u8 {
        self.size.raw() | self.mask.raw() << 4
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exec_bytes_round_trip() {
        for raw in 0..=255u8 {
            match Exec::from_raw(raw) {
                Some(exec) => assert_eq!(exec.raw(), raw),
                None => assert!(raw & 15 > 5),
            }
        }
        assert_eq!(EMask::from_name("M3_NM"), Some(EMask::of_group(2).without_mask()));
        assert_eq!(EMask::of_group(2).without_mask().offset(), 8);
    }
}
