//! Flags and addresses, the variables of architecture registers: too few for many at a time, they are backed by general
//! registers.

pub(crate) mod pressure;
pub(crate) mod split;
