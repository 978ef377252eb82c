//! No panic crosses into a caller that is not Rust.

use std::{
    cell::{Cell, RefCell},
    fmt,
    panic::{self, AssertUnwindSafe, PanicHookInfo},
    sync::OnceLock,
};

/// A fault of ours: what a panic said, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bug(pub String);

impl fmt::Display for Bug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a fault of the finalizer, please report it: {}", self.0)
    }
}

thread_local! {
    static INSIDE: Cell<bool> = const { Cell::new(false) };
    static SAID: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Panics under [`guard`] are kept for the caller; others are printed as before.
fn keep_panics_quiet() {
    // Neither the hook nor what it keeps takes memory, so nothing is lost when a program unloads the library.
    static BEFORE: OnceLock<Hook> = OnceLock::new();
    BEFORE.get_or_init(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(|info| {
            if INSIDE.get() {
                SAID.set(info.to_string());
            } else if let Some(before) = BEFORE.get() {
                before(info);
            }
        }));
        before
    });
}

type Hook = Box<dyn Fn(&PanicHookInfo<'_>) + Send + Sync>;

/// Runs what must not unwind into the caller. Whatever `f` has changed in part before a panic is the
/// caller's to throw away.
///
/// # Errors
///
/// What a panic said.
pub fn guard<T>(f: impl FnOnce() -> T) -> Result<T, Bug> {
    keep_panics_quiet();
    let outer = INSIDE.replace(true);
    let result = panic::catch_unwind(AssertUnwindSafe(f));
    INSIDE.set(outer);
    result.map_err(|_| Bug(SAID.take().replace('\n', " ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_a_value_that_says_what_and_where() {
        assert_eq!(guard(|| 7), Ok(7));
        let bug = guard(|| panic!("odd {}", 3)).unwrap_err();
        assert!(bug.0.contains("odd 3") && bug.0.contains("guard.rs"), "{bug}");
        assert_eq!(guard(|| 8), Ok(8), "the next call starts afresh");
    }
}
