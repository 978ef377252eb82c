//! What the command tells its user: faults and figures.

use std::{io::Write, path::Path};

use finalizer::{Binary, Diagnostic, Place, Severity};
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
/// One kernel's figures, as lines of text.
pub fn stats(file: &Path, b: &Binary) -> String {
    let (i, s) = (&b.info, &b.stats);
    let mut text = format!(
        "{}: {} {} simd{}\n  vISA instructions {:>8}   Gen instructions {:>8} ({} compacted)   bytes {:>8}\n  \
         GRFs {}/{}   spills {}   fills {}   flag spills {}   scratch bytes {}\n ",
        file.display(),
        i.name,
        i.platform,
        i.simd,
        s.visa_instructions,
        s.gen_instructions,
        s.compacted,
        b.code.len(),
        i.grfs_used,
        i.grf_count,
        s.spills,
        s.fills,
        s.flag_spills,
        i.scratch_bytes,
    );
    for t in &s.times {
        text += &format!(" {} {:.3} ms", t.pass, t.time.as_secs_f64() * 1e3);
    }
    let total: std::time::Duration = s.times.iter().map(|t| t.time).sum();
    text += &format!("   total {:.3} ms\n", total.as_secs_f64() * 1e3);
    text
}
