//! Objects in.

use visa::Module;

use crate::{Diagnostic, Place, Refusal};

/// Reads a vISA object.
///
/// # Errors
///
/// Every fault that the reader found, with its byte offset.
pub fn read_module(object: &[u8]) -> Result<Module, Refusal> {
    visa::read(object).map_err(|errors| Refusal(errors.0.into_iter().map(Diagnostic::from).collect()))
}

impl From<visa::Error> for Diagnostic {
    fn from(e: visa::Error) -> Diagnostic {
        let mut d = Diagnostic::error(e.kind.name(), format!("{}: {}", e.field, e.kind));
        d.place = Place::Offset(e.offset as u64);
        d.kernel = e.kernel;
        d.instruction = e.instruction.map(|name| (None, name.to_owned()));
        d
    }
}

impl From<crate::lower::LowerError> for Diagnostic {
    fn from(e: crate::lower::LowerError) -> Diagnostic {
        Diagnostic::error("UnsupportedInstruction", e.reason)
            .at(Place::Offset(u64::from(e.place)))
            .in_kernel(e.kernel)
            .at_instruction(e.index, e.opcode)
    }
}

impl From<crate::legalize::LegalizeError> for Diagnostic {
    fn from(e: crate::legalize::LegalizeError) -> Diagnostic {
        Diagnostic::error("UnsupportedInstruction", e.reason).at_instruction(e.origin, e.inst)
    }
}
