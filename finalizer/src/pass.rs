//! What every pass is wrapped in: its name, its time, a look at its result.

use std::{
    fmt::Write,
    time::{Duration, Instant},
};

use gen_ir::{Kernel, Space};

/// The passes in the order they run, as `--print-after` and `--stats` name them.
pub const PASSES: &[&str] =
    &["lower", "optimize", "legalize", "tidy", "structurize", "allocate", "swsb", "encode"];

/// Time that one pass took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassTime {
    /// One of [`PASSES`].
    pub pass: &'static str,
    /// Wall-clock time.
    pub time: Duration,
}

/// Carried through the passes of one kernel.
#[derive(Debug)]
pub(crate) struct Tracker {
    print_after: Option<&'static str>,
    started: Instant,
    /// Times so far, in order.
    pub times: Vec<PassTime>,
    /// Text asked for by `print_after`.
    pub printed: Option<String>,
}

impl Tracker {
    /// A tracker that notes its times in a list that is there already.
    pub fn new(print_after: Option<&'static str>, mut times: Vec<PassTime>) -> Tracker {
        times.clear();
        Tracker { print_after, started: Instant::now(), times, printed: None }
    }

    /// Closes the pass that ran since the last call.
    pub fn done(&mut self, pass: &'static str) {
        let now = Instant::now();
        self.times.push(PassTime { pass, time: now - self.started });
        self.started = now;
    }

    /// Closes a pass and keeps its result's text if that was asked for. The printing is not timed.
    pub fn done_kernel<S: Space>(&mut self, pass: &'static str, kernel: &Kernel<S>)
    where
        Kernel<S>: std::fmt::Display,
    {
        self.done(pass);
        if self.print_after == Some(pass) {
            let mut text = String::new();
            write!(text, "{kernel}").expect("writing to a string");
            self.printed = Some(text);
            self.started = Instant::now();
        }
    }
}
