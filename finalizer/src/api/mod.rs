//! What callers see: what goes in and what may be chosen, what comes out, and how it is refused.

pub(crate) mod binary;
pub(crate) mod diagnostic;
pub(crate) mod info;
pub(crate) mod input;
pub(crate) mod options;
pub(crate) mod settings;
