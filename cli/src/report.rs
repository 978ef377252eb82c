//! What the command tells its user: faults and figures.

use std::{io::Write, path::Path};

use finalizer::{Diagnostic, Place, Severity};
use serde_json::{Value, json};

use crate::args::MessageFormat;

/// Prints faults of one file to standard error.
pub fn faults(file: &Path, faults: &[Diagnostic], format: MessageFormat) {
    let mut out = anstream::stderr().lock();
    for d in faults {
        // A closed standard error leaves nobody to tell.
        let _ = match format {
            MessageFormat::Human => human(&mut out, file, d),
            MessageFormat::Json => writeln!(out, "{}", as_json(file, d)),
        };
    }
}

fn human(out: &mut impl Write, file: &Path, d: &Diagnostic) -> std::io::Result<()> {
    let (word, style) = match d.severity {
        Severity::Error => ("error", clap::builder::styling::AnsiColor::Red),
        Severity::Warning => ("warning", clap::builder::styling::AnsiColor::Yellow),
    };
    let style = style.on_default().bold();
    writeln!(out, "{style}{word}{style:#}: {}: {d}", file.display())
}

fn as_json(file: &Path, d: &Diagnostic) -> Value {
    let mut object = json!({
        "file": file.display().to_string(),
        "severity": match d.severity { Severity::Error => "error", Severity::Warning => "warning" },
        "code": d.code,
        "message": d.message,
    });
    match d.place {
        Place::Input => {}
        Place::Offset(o) => object["offset"] = o.into(),
        Place::Line { line, column } => {
            object["line"] = line.into();
            object["column"] = column.into();
        }
    }
    if let Some(k) = &d.kernel {
        object["kernel"] = k.as_str().into();
    }
    if let Some((index, name)) = &d.instruction {
        object["instruction"] = json!({ "index": index, "opcode": name });
    }
    object
}
