//! What the command tells its user: faults and figures.

use std::{io::Write, path::Path};

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use finalizer::{Binary, Diagnostic, Place, Severity};
use serde_json::{Value, json};

use crate::args::MessageFormat;

/// Prints faults of one file to standard error.
pub fn faults(file: &Path, faults: &[Diagnostic], format: MessageFormat) {
    let mut out = anstream::stderr().lock();
    // Only text has lines to show.
    let has_lines = faults.iter().any(|d| matches!(d.place, Place::Line { .. }));
    let text = if has_lines { std::fs::read_to_string(file).unwrap_or_default() } else { String::new() };
    let lines: Vec<&str> = text.lines().collect();
    for d in faults {
        // A closed standard error leaves nobody to tell.
        let _ = match format {
            MessageFormat::Human => match line_of(&lines, d) {
                Some(line) => snippet(&mut out, file, d, line),
                None => human(&mut out, file, d),
            },
            MessageFormat::Json => writeln!(out, "{}", as_json(file, d)),
        };
    }
}

/// Longer lines are not shown.
const LONGEST_LINE: usize = 400;

/// The line that a fault stands in.
fn line_of<'a>(lines: &[&'a str], d: &Diagnostic) -> Option<&'a str> {
    let Place::Line { line, .. } = d.place else { return None };
    lines.get((line as usize).checked_sub(1)?).copied().filter(|l| l.len() <= LONGEST_LINE)
}

/// A fault with the line it stands in; the word at its column is underlined.
fn snippet(out: &mut impl Write, file: &Path, d: &Diagnostic, line: &str) -> std::io::Result<()> {
    let Place::Line { line: number, column } = d.place else { return human(out, file, d) };
    let level = match d.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    // Column 1 of an indented line stands for the whole statement.
    let column = (column as usize).saturating_sub(1);
    let is_space = |c: char| c.is_whitespace();
    let (start, end) = match line.get(column..) {
        Some(rest) if !rest.starts_with(is_space) && !rest.is_empty() => {
            (column, column + rest.find(is_space).unwrap_or(rest.len()))
        }
        _ => {
            let code = line.split("//").next().unwrap_or(line).trim_end();
            (line.len() - line.trim_start().len(), code.len().max(line.len().min(1)))
        }
    };
    let path = file.display().to_string();
    let place = Snippet::source(line)
        .line_start(number as usize)
        .path(&*path)
        .annotation(AnnotationKind::Primary.span(start.min(end)..end));
    let kernel = d.kernel.as_ref().map_or(String::new(), |k| format!("kernel `{k}`: "));
    let field = d.field.as_ref().map_or(String::new(), |f| format!("{f}: "));
    let title = level.primary_title(format!("{kernel}{field}{} [{}]", d.message, d.code)).element(place);
    writeln!(out, "{}", Renderer::styled().render(&[title]))
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
    if let Some(field) = &d.field {
        object["field"] = field.as_str().into();
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
