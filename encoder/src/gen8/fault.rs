//! What has no encoding, and what decodes to nothing.

use crate::Found;

/// A field that decodes to nothing; becomes a [`DecodeError`].
#[derive(Clone, Copy)]
pub(super) struct Fault {
    pub(super) field: &'static str,
    pub(super) found: u64,
    pub(super) allowed: &'static str,
}

impl Fault {
    #[cold]
    pub(super) fn new(field: &'static str, found: impl Into<u64>, allowed: &'static str) -> Fault {
        Fault { field, found: found.into(), allowed }
    }
}

/// A part of an instruction that has no encoding; becomes an [`EncodeError`].
#[derive(Clone, Copy)]
pub(super) struct Bad {
    pub(super) field: &'static str,
    pub(super) found: Found,
    pub(super) allowed: &'static str,
}

impl Bad {
    #[cold]
    pub(super) fn new(field: &'static str, found: impl Into<Found>, allowed: &'static str) -> Box<Bad> {
        Box::new(Bad { field, found: found.into(), allowed })
    }
}
