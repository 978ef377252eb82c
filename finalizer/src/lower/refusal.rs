//! Why something cannot be lowered.

/// Why the current instruction cannot be lowered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal(pub String);

impl<T: Into<String>> From<T> for Refusal {
    fn from(reason: T) -> Refusal {
        Refusal(reason.into())
    }
}

/// What lowering one instruction gives.
pub(crate) type Lowered<T = ()> = Result<T, Refusal>;
