//! Whether work on a kernel is to go on.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

/// Why work is to end early.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// Nobody wants the result any longer.
    Cancelled,
    /// It takes more memory than it may.
    MemoryLimit,
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Stop::Cancelled => "the work was cancelled",
            Stop::MemoryLimit => "the work takes more memory than its limit",
        })
    }
}

impl std::error::Error for Stop {}

type Question = dyn Fn() -> Result<(), Stop> + Send + Sync;

/// Asked between passes, and in the loops of those that may take long, whether work is to go on. The default always
/// says yes and costs a comparison.
#[derive(Clone, Default)]
pub struct Watch(Option<Arc<Question>>);

impl Watch {
    /// One that always says yes.
    pub const NONE: Watch = Watch(None);

    /// One that asks a function. It is called from every thread that works, thousands of times a second.
    pub fn new(question: impl Fn() -> Result<(), Stop> + Send + Sync + 'static) -> Watch {
        Watch(Some(Arc::new(question)))
    }

    /// One that says no as soon as the flag is set.
    pub fn flag(cancelled: Arc<AtomicBool>) -> Watch {
        Watch::new(move || if cancelled.load(Ordering::Relaxed) { Err(Stop::Cancelled) } else { Ok(()) })
    }

    /// Whether work is to go on.
    ///
    /// # Errors
    ///
    /// Why not.
    pub fn ask(&self) -> Result<(), Stop> {
        self.0.as_ref().map_or(Ok(()), |question| question())
    }
}

impl PartialEq for Watch {
    fn eq(&self, other: &Watch) -> bool {
        match (&self.0, &other.0) {
            (None, None) => true,
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }
}

impl Eq for Watch {}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Watch" } else { "Watch::NONE" })
    }
}
