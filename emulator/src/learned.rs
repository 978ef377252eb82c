//! What is known of a program from groups that have run.

use crate::scoreboard::Paths;

/// What is known of a program from groups that have run, so that others take less time. It changes no result.
#[derive(Debug, Default)]
pub struct Learned {
    /// Ways through it on which no dependency is missed.
    pub(crate) paths: Paths,
    /// Instructions that break no rule of the hardware.
    pub(crate) legal: Vec<bool>,
}
