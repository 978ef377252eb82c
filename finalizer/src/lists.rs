//! Lists that keep their memory from one kernel to the next.

/// Makes a list `n` times `value`.
pub(crate) fn reset<T: Clone>(list: &mut Vec<T>, n: usize, value: T) {
    list.clear();
    list.resize(n, value);
}

/// Makes a list what an iterator gives.
pub(crate) fn refill<T>(list: &mut Vec<T>, items: impl IntoIterator<Item = T>) {
    list.clear();
    list.extend(items);
}
