//! Where variables of vISA are.

use gen_ir::{Arf, VarId};

use super::NoVariable;

/// Where the bytes of a vISA general variable are.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Location {
    /// `%null`.
    Null,
    /// A variable, from a byte on.
    Var(VarId, u32),
    /// An architecture register, from a byte on.
    Arf(Arf, u32),
    /// Not available.
    Missing(NoVariable),
}
