//! Refusals and warnings in one shape, whatever stage they come from.

use std::fmt;

use gen_ir::Stop;

use crate::unsupported::Unsupported;

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Severity {
    /// The input is refused.
    Error,
    /// The input is accepted; this may not be what its author meant.
    Warning,
}

/// Where in the input the fault stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// The input as a whole.
    Input,
    /// A byte offset in an object.
    Offset(u64),
    /// A line and column of a text, both from 1.
    Line {
        /// Line.
        line: u32,
        /// Column in characters.
        column: u32,
    },
}

/// One fault in the input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// Stable name of the fault, for tools: `UnknownOpcode`, `UnsupportedInstruction`.
    pub code: &'static str,
    /// Where it stands: in the text or object that its kernel or function was read from, which may be another than the kernel's
    /// ([`visa::Module::link`]).
    pub place: Place,
    /// The kernel or function, once known.
    pub kernel: Option<String>,
    /// The vISA instruction's name, and its index within the kernel, from 0, where that is known.
    pub instruction: Option<(Option<u32>, String)>,
    /// The operand, declaration or field of the format that it is about, once known.
    pub field: Option<String>,
    /// The operand as the text names it, to find it in its line.
    pub subject: Option<visa::Subject>,
    /// Bytes of the line that are at fault, from the column on, where that is known.
    pub length: Option<u32>,
    /// What is wrong, what was found, what is allowed.
    pub message: String,
    /// The same of an instruction that has no code here, to match on.
    pub unsupported: Option<Unsupported>,
}

impl Diagnostic {
    /// An error about the input as a whole.
    pub fn error(code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Error,
            code,
            place: Place::Input,
            kernel: None,
            instruction: None,
            field: None,
            subject: None,
            length: None,
            message: message.into(),
            unsupported: None,
        }
    }

    /// A warning about the input as a whole.
    pub fn warning(code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(code, message) }
    }

    /// An error in a listing of machine code that is to be assembled: what stands at a place, and what may stand there.
    pub fn bad_listing(line: u32, column: u32, found: &str, allowed: &str) -> Diagnostic {
        Diagnostic::error("BadListing", format!("found {found}, allowed: {allowed}"))
            .at(Place::Line { line, column })
    }

    /// An error in a listing that is no text: the first byte that is none.
    pub fn not_text(offset: u64) -> Diagnostic {
        Diagnostic::error("NotText", "a listing is UTF-8 text").at(Place::Offset(offset))
    }

    /// The same, at a place.
    #[must_use]
    pub fn at(mut self, place: Place) -> Diagnostic {
        self.place = place;
        self
    }

    /// The same, in a kernel.
    #[must_use]
    pub fn in_kernel(mut self, name: impl Into<String>) -> Diagnostic {
        self.kernel = Some(name.into());
        self
    }

    /// The same, about an operand, declaration or field.
    #[must_use]
    pub fn about(mut self, field: impl Into<String>) -> Diagnostic {
        self.field = Some(field.into());
        self
    }

    /// The same, at a vISA instruction.
    #[must_use]
    pub fn at_instruction(mut self, index: u32, name: impl Into<String>) -> Diagnostic {
        self.instruction = Some((Some(index), name.into()));
        self
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Place::Input => {}
            Place::Offset(o) => write!(f, "offset {o:#x}: ")?,
            Place::Line { line, column } => write!(f, "{line}:{column}: ")?,
        }
        if let Some(k) = &self.kernel {
            write!(f, "kernel `{k}`: ")?;
        }
        match &self.instruction {
            Some((Some(i), name)) => write!(f, "instruction {i} `{name}`: ")?,
            Some((None, name)) => write!(f, "instruction `{name}`: ")?,
            None => {}
        }
        if let Some(field) = &self.field {
            write!(f, "{field}: ")?;
        }
        write!(f, "{} [{}]", self.message, self.code)
    }
}

/// Every fault found in an input that is refused; never empty.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal(pub Vec<Diagnostic>);

impl Refusal {
    /// The same, where what speaks of code that became of an instruction of `source` stands at that instruction, has its
    /// name, and says what the code is.
    pub(crate) fn placed_in(mut self, source: &visa::Kernel) -> Refusal {
        for d in self.0.iter_mut().filter(|d| d.place == Place::Input) {
            let Some((Some(index), code)) = &d.instruction else { continue };
            let Some(record) = source.code.get(narrow::as_index(*index)) else { continue };
            if !d.message.contains(&**code) {
                d.message = format!("{}, in `{code}`", d.message);
            }
            d.instruction = Some((Some(*index), record.opcode.name().to_owned()));
            d.place = match source.places {
                visa::PlaceKind::Offset => Place::Offset(record.place.into()),
                visa::PlaceKind::Line => Place::Line { line: record.place, column: 1 },
            };
        }
        self
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, d) in self.0.iter().enumerate() {
            if i > 0 {
                writeln!(f)?;
            }
            write!(f, "{d}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Refusal {}

impl From<Unsupported> for Diagnostic {
    fn from(why: Unsupported) -> Diagnostic {
        let message = why.to_string();
        Diagnostic { unsupported: Some(why), ..Diagnostic::error("UnsupportedInstruction", message) }
    }
}

impl From<Stop> for Diagnostic {
    fn from(stop: Stop) -> Diagnostic {
        let code = match stop {
            Stop::Cancelled => "Cancelled",
            Stop::MemoryLimit => "MemoryLimit",
        };
        Diagnostic::error(code, stop.to_string())
    }
}

impl From<Stop> for Refusal {
    fn from(stop: Stop) -> Refusal {
        Diagnostic::from(stop).into()
    }
}

impl From<Diagnostic> for Refusal {
    fn from(d: Diagnostic) -> Refusal {
        Refusal(vec![d])
    }
}
