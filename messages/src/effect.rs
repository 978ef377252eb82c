//! What messages do, whatever shared function they go to.

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
