//! What messages do, whatever shared function they go to.

/// Whether a message takes data from memory or brings them there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// From memory to registers.
    Load,
    /// From registers to memory.
    Store,
}

impl Access {
    /// Whether it stores.
    pub const fn is_store(self) -> bool {
        matches!(self, Access::Store)
    }

    /// What it does to memory.
    pub const fn effect(self) -> Effect {
        match self {
            Access::Load => Effect::Load,
            Access::Store => Effect::Store,
        }
    }

    /// A store where something holds, a load where it does not.
    pub const fn store_if(stores: bool) -> Access {
        if stores { Access::Store } else { Access::Load }
    }

    /// What a bit of a descriptor says that is set in writes.
    pub(crate) const fn from_bits(write: u32) -> Access {
        Access::store_if(write != 0)
    }

    /// The bit that is set in writes.
    pub(crate) const fn into_bits(self) -> u32 {
        match self {
            Access::Load => 0,
            Access::Store => 1,
        }
    }
}

/// What a message does to memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// Reads it and does nothing else.
    Load,
    /// Writes it.
    Store,
    /// Reads, computes and writes, as one step.
    Atomic,
    /// Orders other accesses.
    Order,
    /// Changes how it is held.
    Other,
}

/// What an atomic message makes of the value in memory and its operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    /// Nothing: it loads.
    Load,
    /// The operand takes the value's place.
    Store,
    /// Increment.
    Inc,
    /// Decrement.
    Dec,
    /// Decrement that returns the new value.
    PreDec,
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// The operand less the value.
    RevSub,
    /// Signed minimum.
    SMin,
    /// Signed maximum.
    SMax,
    /// Unsigned minimum.
    UMin,
    /// Unsigned maximum.
    UMax,
    /// Compare and swap.
    Cas,
    /// And.
    And,
    /// Or.
    Or,
    /// Exclusive or.
    Xor,
    /// Sum of floats.
    FAdd,
    /// Difference of floats.
    FSub,
    /// Minimum of floats.
    FMin,
    /// Maximum of floats.
    FMax,
    /// Compare and swap floats.
    FCas,
}

impl Operation {
    /// Operands that a lane's payload has, besides the address.
    pub const fn operands(self) -> u32 {
        match self {
            Operation::Load | Operation::Inc | Operation::Dec | Operation::PreDec => 0,
            Operation::Cas | Operation::FCas => 2,
            _ => 1,
        }
    }
}
