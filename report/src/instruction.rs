//! One instruction of a code.

use gen_ir::{Inst, Physical};

/// One instruction.
#[derive(Clone, Debug)]
pub struct Instruction {
    /// Bytes from the start of the code.
    pub offset: u32,
    /// The instruction; none where the word is none of the platform.
    pub inst: Option<Inst<Physical>>,
    /// Its line of the listing, without what stands behind `//`.
    pub text: String,
    /// What stands there: the meaning of a message.
    pub comment: String,
}
