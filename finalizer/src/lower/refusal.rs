//! Why something cannot be lowered.

/// Why the current instruction cannot be lowered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CannotLower(pub String);

impl<T: Into<String>> From<T> for CannotLower {
    fn from(reason: T) -> CannotLower {
        CannotLower(reason.into())
    }
}

/// What lowering one instruction gives.
pub(crate) type Lowered<T = ()> = Result<T, CannotLower>;
