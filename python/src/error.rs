//! Refusals as exceptions.

use finalizer::{Diagnostic, Place, Refusal};
use pyo3::{create_exception, exceptions::PyException, prelude::*};

create_exception!(_native, Error, PyException, "The input is refused; `faults` says why.");

/// One fault, or one warning.
#[pyclass(frozen, get_all, module = "visa_finalize")]
pub struct Fault {
    /// Stable name: `UnknownOpcode`.
    code: String,
    /// What was found, what is allowed.
    message: String,
    /// The kernel.
    kernel: Option<String>,
    /// The vISA instruction's name.
    instruction: Option<String>,
    /// Its number in the kernel.
    instruction_index: Option<u32>,
    /// The operand or field.
    field: Option<String>,
    /// Byte offset in an object.
    offset: Option<u64>,
    /// Line of a text, from 1.
    line: Option<u32>,
    /// Column, from 1.
    column: Option<u32>,
    /// All of it as one line.
    text: String,
}

#[pymethods]
impl Fault {
    fn __str__(&self) -> &str {
        &self.text
    }

    fn __repr__(&self) -> String {
        format!("Fault({:?})", self.text)
    }
}

impl Fault {
    pub fn new(d: Diagnostic) -> Fault {
        let text = d.to_string();
        let (offset, line, column) = match d.place {
            Place::Input => (None, None, None),
            Place::Offset(offset) => (Some(offset), None, None),
            Place::Line { line, column } => (None, Some(line), Some(column)),
        };
        let (instruction_index, instruction) =
            d.instruction.map_or((None, None), |(i, name)| (i, Some(name)));
        Fault {
            code: d.code.to_owned(),
            message: d.message,
            kernel: d.kernel,
            instruction,
            instruction_index,
            field: d.field,
            offset,
            line,
            column,
            text,
        }
    }
}

/// The exception that a refusal becomes.
pub fn raise(py: Python<'_>, refusal: Refusal) -> PyErr {
    let error = Error::new_err(refusal.to_string());
    let faults: Vec<Fault> = refusal.0.into_iter().map(Fault::new).collect();
    match faults.into_pyobject(py).and_then(|faults| error.value(py).setattr("faults", faults)) {
        Ok(()) => error,
        Err(other) => other,
    }
}

/// A refusal without a place in the input.
pub fn refuse(py: Python<'_>, code: &'static str, message: impl Into<String>) -> PyErr {
    raise(py, Diagnostic::error(code, message).into())
}
