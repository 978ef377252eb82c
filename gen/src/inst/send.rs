//! Messages: descriptors, lengths, the end of the thread.

use messages::{Descriptor, ExtendedDescriptor, ExtendedLength, MessageLength, ResponseLength, Sfid};
use narrow::wide_u8;
use platforms::Platform;

use crate::{Reg, Space};

// A platform's row says no more of messages than descriptors have room for.
const _: () = {
    let mut at = 0;
    while at < Platform::ROWS.len() {
        let sends = &Platform::ROWS[at].caps().sends;
        assert!(
            wide_u8(sends.payload_most) <= MessageLength::MOST
                && wide_u8(sends.second_most) <= ExtendedLength::MOST
                && wide_u8(sends.response_most) <= ResponseLength::MOST,
            "lengths of messages in a row, and what descriptors count"
        );
        at += 1;
    }
};

/// A message descriptor operand. What an immediate says is read and built with the structs of crate `messages`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Desc<S: Space, D = Descriptor> {
    /// Immediate.
    Imm(D),
    /// Address subregister (dword aligned), or address variable.
    Reg(Reg<S>),
}

/// An extended message descriptor operand.
pub type ExDesc<S> = Desc<S, ExtendedDescriptor>;

impl<S: Space, D> Desc<S, D> {
    /// The register, if it is one.
    pub fn reg(self) -> Option<Reg<S>> {
        match self {
            Desc::Reg(reg) => Some(reg),
            Desc::Imm(_) => None,
        }
    }

    /// The same operand with its register replaced.
    pub(super) fn map_reg<T: Space>(self, f: impl FnOnce(Reg<S>) -> Reg<T>) -> Desc<T, D> {
        match self {
            Desc::Imm(desc) => Desc::Imm(desc),
            Desc::Reg(reg) => Desc::Reg(f(reg)),
        }
    }
}

/// What a `send` adds to the common fields. Sources 0 and 1 are the payload ranges; lengths are in
/// GRFs and stand here because a register descriptor hides them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SendInfo<S: Space> {
    /// Shared function.
    pub sfid: Sfid,
    /// Message descriptor.
    pub desc: Desc<S>,
    /// Extended message descriptor (bits 0..5 hold SFID and EOT on Gen8..11: left zero here).
    pub ex_desc: ExDesc<S>,
    /// End of thread.
    pub eot: bool,
    /// GRFs written (0 when unknown after decoding a register descriptor).
    pub dst_len: u8,
    /// GRFs read from source 0.
    pub src0_len: u8,
    /// GRFs read from source 1.
    pub src1_len: u8,
}
