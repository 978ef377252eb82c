//! Sets of what an operand may be.

use crate::{operand::VectorOperand, types::Type};

/// Set of data types, a bit per encoding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Types(pub u16);

impl Types {
    /// Any type.
    pub const ANY: Types = Types(0xffff);
    /// All integers.
    pub const INT: Types =
        Types::of(&[Type::UD, Type::D, Type::UW, Type::W, Type::UB, Type::B, Type::Q, Type::UQ]);
    /// DF and F.
    pub const FLOAT: Types = Types::of(&[Type::DF, Type::F]);
    /// DF, F, HF, BF.
    pub const FLOAT_ALL: Types = Types::of(&[Type::DF, Type::F, Type::HF, Type::BF]);
    /// D and UD.
    pub const DWORD: Types = Types::of(&[Type::D, Type::UD]);
    /// Words and dwords.
    pub const WORD_DWORD: Types = Types::of(&[Type::W, Type::UW, Type::D, Type::UD]);

    /// The set of these types.
    pub const fn of(list: &[Type]) -> Types {
        let mut bits = 0;
        let mut i = 0;
        while i < list.len() {
            bits |= 1 << list[i].raw();
            i += 1;
        }
        Types(bits)
    }

    /// Both sets.
    pub const fn or(self, other: Types) -> Types {
        Types(self.0 | other.0)
    }

    /// True if the set holds the type.
    pub const fn has(self, ty: Type) -> bool {
        self.0 >> ty.raw() & 1 != 0
    }
}

impl std::fmt::Display for Types {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<_> = Type::ALL.iter().filter(|t| self.has(**t)).map(|t| t.name()).collect();
        f.write_str(&names.join(", "))
    }
}

/// Set of vector operand classes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Classes(pub u8);

impl Classes {
    /// Region of a general variable.
    pub const GENERAL: Classes = Classes(1);
    /// Address variable.
    pub const ADDRESS: Classes = Classes(2);
    /// Predicate.
    pub const PREDICATE: Classes = Classes(4);
    /// Indirect region.
    pub const INDIRECT: Classes = Classes(8);
    /// Constant.
    pub const IMMEDIATE: Classes = Classes(16);
    /// Surface or sampler.
    pub const STATE: Classes = Classes(32);
    /// What most destinations take.
    pub const DST: Classes = Classes(1 | 8);
    /// What most sources take.
    pub const SRC: Classes = Classes(1 | 8 | 16);

    /// Both sets.
    pub const fn or(self, other: Classes) -> Classes {
        Classes(self.0 | other.0)
    }

    /// True if the operand is of one of the classes.
    pub const fn has(self, operand: &VectorOperand) -> bool {
        let bit = match operand {
            VectorOperand::General(_) => 1,
            VectorOperand::Address(_) => 2,
            VectorOperand::Predicate(..) => 4,
            VectorOperand::Indirect(_) => 8,
            VectorOperand::Immediate { .. } => 16,
            VectorOperand::Surface { .. } | VectorOperand::Sampler { .. } => 32,
        };
        self.0 & bit != 0
    }
}

impl std::fmt::Display for Classes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        const NAMES: [&str; 6] = ["general", "address", "predicate", "indirect", "immediate", "state"];
        let names: Vec<_> = (0..6).filter(|i| self.0 >> i & 1 != 0).map(|i| NAMES[i]).collect();
        f.write_str(&names.join(", "))
    }
}
