//! Names of places in the code.

/// The label of a byte offset.
pub(super) fn symbol(offset: i64) -> String {
    format!("L{offset:04}")
}
