//! Whether instructions are legal code already.

/// What a pass knows of the instructions that it rewrites.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Legality {
    /// Legalization comes later: an instruction may be what the platform has not.
    Open,
    /// All are legal, and stay so.
    Legal,
}

impl Legality {
    /// Whether instructions have to stay legal.
    pub const fn is_legal(self) -> bool {
        matches!(self, Legality::Legal)
    }
}
