//! The `visa-finalize` command.
fn main() {}
