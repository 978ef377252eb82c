//! Why something cannot be lowered.

/// Why the current instruction cannot be lowered; small, since almost all can.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CannotLower(pub Box<str>);

impl<T: Into<String>> From<T> for CannotLower {
    fn from(reason: T) -> CannotLower {
        CannotLower(reason.into().into_boxed_str())
    }
}

/// What lowering one instruction gives.
pub(crate) type Lowered<T = ()> = Result<T, CannotLower>;
