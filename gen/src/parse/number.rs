//! Numbers in the text of a kernel.

/// A decimal number behind a prefix.
pub(super) fn number_after<T: std::str::FromStr>(text: &str, prefix: &str) -> Option<T> {
    text.strip_prefix(prefix)?.parse().ok()
}

/// A number where one is required.
pub(super) fn number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("`{text}` is no number, or too large"))
}
