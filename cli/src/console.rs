//! What the command tells its user: faults and figures.

use narrow::{as_index, to_index, to_u64};
use std::{collections::BTreeMap, io::Write, path::Path};

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use finalizer::{Binary, Diagnostic, Place, Severity};
use serde_json::{Value, json};

use crate::{
    args::MessageFormat,
    files::{LONGEST_CODE, Sink},
    finalize::Product,
};

/// Prints faults of one file to standard error.
pub fn faults(file: &Path, faults: &[Diagnostic], format: MessageFormat) {
    let mut out = anstream::stderr().lock();
    // Only text has lines to show.
    let has_lines = faults.iter().any(|d| matches!(d.place, Place::Line { .. } | Place::Input));
    let text = if has_lines { lossy(file) } else { String::new() };
    let lines: Vec<&str> = text.lines().collect();
    let mut faults: Vec<Diagnostic> = faults.iter().map(|d| placed(&lines, d)).collect();
    faults.sort_by_key(|d| match d.place {
        Place::Input => (0, 0),
        Place::Offset(offset) => (offset, 0),
        Place::Line { line, column } => (line.into(), column),
    });
    if format == MessageFormat::Human {
        faults = fold(faults);
    }
    for d in &faults {
        // A closed standard error leaves nobody to tell.
        let _ = match format {
            MessageFormat::Human => match line_of(&lines, d) {
                Some(line) => snippet(&mut out, file, d, line),
                None => human(&mut out, file, d),
            },
            MessageFormat::Json => writeln!(out, "{}", as_json(file, d, line_of(&lines, d))),
        };
    }
}

/// Warnings of one kind in a kernel that people are shown.
const SHOWN: u32 = 3;

/// Leaves of the warnings the first few of each kind in each kernel; the last one says how many more there are.
fn fold(mut shown: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let is_warning = |d: &Diagnostic| d.severity == Severity::Warning;
    let mut counts = BTreeMap::new();
    shown.retain(|d| {
        if !is_warning(d) {
            return true;
        }
        let count = counts.entry((d.kernel.clone(), d.code)).or_insert(0u32);
        *count += 1;
        *count <= SHOWN
    });
    for ((kernel, code), count) in counts.into_iter().filter(|c| c.1 > SHOWN) {
        let of_kind = |d: &Diagnostic| is_warning(d) && d.code == code && d.kernel == kernel;
        if let Some(last) = shown.iter_mut().rev().find(|d| of_kind(d)) {
            last.message += &format!("; and {} more of this kind", count - SHOWN);
        }
    }
    shown
}

/// The text as the reader sees it. What is no file (a pipe) cannot be read again.
fn lossy(file: &Path) -> String {
    if !std::fs::metadata(file).is_ok_and(|m| m.is_file() && m.len() <= to_u64(LONGEST_CODE)) {
        return String::new();
    }
    let bytes = std::fs::read(file).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A fault in a declaration, at the line that declares; a fault in an instruction, at its first letter.
fn placed(lines: &[&str], d: &Diagnostic) -> Diagnostic {
    let first_letter = |line: &str| to_index(line.len() - line.trim_start().len() + 1);
    let place = match (d.place, &d.field, &d.kernel) {
        (Place::Line { line, column: 1 }, ..) => {
            lines.get(as_index(line).saturating_sub(1)).map(|l| Place::Line { line, column: first_letter(l) })
        }
        (Place::Input, Some(field), Some(kernel)) => declaration(lines, kernel, field)
            .map(|i| Place::Line { line: to_index(i) + 1, column: first_letter(lines[i]) }),
        _ => None,
    };
    Diagnostic { place: place.unwrap_or(d.place), ..d.clone() }
}

/// The line of a kernel's text that declares what a field names: a variable, an input, an attribute.
fn declaration(lines: &[&str], kernel: &str, field: &str) -> Option<usize> {
    let starts = |line: &str, directive: &str, name: &str| {
        let mut words = line.split([' ', '\t', '=']).filter(|w| !w.is_empty());
        words.next() == Some(directive) && words.next().is_some_and(|w| w.trim_matches('"') == name)
    };
    let is_kernel = |l: &&str| starts(l, ".kernel", kernel) || starts(l, ".global_function", kernel);
    let start = lines.iter().position(is_kernel)?;
    let (directive, name) = match field.split_once(' ') {
        Some(("input", name)) => (".input", name),
        Some(("attribute", name)) => (".kernel_attr", name),
        Some(_) => return None,
        None if field == "name" => return Some(start),
        None => (".decl", field),
    };
    let mut rest = lines[start + 1..].iter().take_while(|l| !l.trim_start().starts_with(".kernel "));
    rest.position(|l| starts(l, directive, name)).map(|i| start + 1 + i)
}

/// Longer lines are not shown.
const LONGEST_LINE: usize = 400;

/// The line that a fault stands in.
fn line_of<'a>(lines: &[&'a str], d: &Diagnostic) -> Option<&'a str> {
    let Place::Line { line, .. } = d.place else { return None };
    lines.get(as_index(line).checked_sub(1)?).copied().filter(|l| l.len() <= LONGEST_LINE)
}

/// Bytes of the line that are underlined.
fn span(line: &str, column: u32, d: &Diagnostic) -> (usize, usize) {
    let column = as_index(column).saturating_sub(1);
    let is_space = |c: char| c.is_whitespace();
    let is_statement = d.instruction.is_some() || d.field.is_some();
    if let Some(operand) = d.subject.as_ref().and_then(|s| s.find(line)).or_else(|| part(line, d)) {
        return (operand.start, operand.end);
    }
    match (line.get(column..), d.length) {
        // Something is missing at the end.
        (Some(""), _) if column > 0 => (column, column),
        (Some(rest), Some(length)) if length > 0 => {
            let length = as_index(length).min(rest.len());
            (column, column + if rest.is_char_boundary(length) { length } else { rest.len() })
        }
        (Some(rest), _) if !is_statement && !rest.starts_with(is_space) && !rest.is_empty() => {
            (column, column + rest.find(is_space).unwrap_or(rest.len()))
        }
        _ => {
            // The whole statement.
            let code = line.split("//").next().unwrap_or(line).trim_end();
            (line.len() - line.trim_start().len(), code.len().max(line.len().min(1)))
        }
    }
}

/// The opcode or the execution size of an instruction, where the fault is about those.
fn part(line: &str, d: &Diagnostic) -> Option<std::ops::Range<usize>> {
    let field = d.field.as_deref()?;
    d.instruction.as_ref()?;
    let mut start = line.len() - line.trim_start().len();
    if line[start..].starts_with('(') {
        // The predicate.
        start += line[start..].find(')')? + 1;
        start += line[start..].len() - line[start..].trim_start().len();
    }
    let opcode = start..start + line[start..].find([' ', '\t', '(']).unwrap_or(line.len() - start);
    match field {
        "opcode" => Some(opcode),
        "execution mask" | "execution size" => {
            let open = opcode.end + line[opcode.end..].find('(')?;
            Some(open..open + line[open..].find(')')? + 1)
        }
        _ => None,
    }
}

/// A fault with the line it stands in; the word at its column is underlined.
fn snippet(out: &mut impl Write, file: &Path, d: &Diagnostic, line: &str) -> std::io::Result<()> {
    let Place::Line { line: number, column } = d.place else { return human(out, file, d) };
    let level = match d.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let (start, end) = span(line, column, d);
    let path = file.display().to_string();
    let place = Snippet::source(line)
        .line_start(as_index(number))
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

fn as_json(file: &Path, d: &Diagnostic, text: Option<&str>) -> Value {
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
            // The columns that the terminal underlines.
            let (start, end) = match text {
                Some(text) => span(text, column, d),
                None => (as_index(column).saturating_sub(1), as_index(column).saturating_sub(1)),
            };
            object["line"] = line.into();
            object["column"] = (start + 1).into();
            object["end_column"] = (end.max(start) + 1).into();
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

/// Results of which each is told by itself; more are told by their number.
const TOLD_ALONE: usize = 8;

/// Says what was written, to standard error.
pub fn written(products: &[Product], format: MessageFormat) {
    let mut out = anstream::stderr().lock();
    // A closed standard error leaves nobody to tell.
    if format == MessageFormat::Json {
        for product in products {
            let _ = writeln!(out, "{}", written_json(product));
        }
        return;
    }
    for product in products.iter().take(TOLD_ALONE).filter(|p| p.sink != Sink::Standard) {
        let size = bytes(product.bytes.len());
        let _ = match product.code.len() {
            0 => writeln!(out, "wrote {} ({size})", product.sink),
            _ => writeln!(out, "wrote {} ({size}): {}", product.sink, code(product)),
        };
    }
    if let Some(rest) = products.get(TOLD_ALONE..).filter(|rest| !rest.is_empty()) {
        let size = bytes(rest.iter().map(|p| p.bytes.len()).sum());
        let _ =
            writeln!(out, "wrote {} more files ({size}), the last {}", rest.len(), rest[rest.len() - 1].sink);
    }
}

/// Whose code a result holds, and how much.
fn code(product: &Product) -> String {
    let mut kernels: Vec<&str> = product.code.iter().map(|c| c.kernel.as_str()).collect();
    kernels.dedup();
    let mut platforms: Vec<String> = product.code.iter().map(|c| c.platform.to_string()).collect();
    platforms.sort();
    platforms.dedup();
    let whose = match kernels.as_slice() {
        [one] => (*one).to_owned(),
        [first, .., last] => format!("{} kernels, {first} to {last}", kernels.len()),
        [] => String::new(),
    };
    let size = product.code.iter().map(|c| c.bytes).sum();
    format!("code of {whose} for {}, {}", platforms.join(", "), bytes(size))
}

/// `1,345 bytes`.
pub fn bytes(n: usize) -> String {
    with_commas(n) + if n == 1 { " byte" } else { " bytes" }
}

/// A number with a comma before each three digits.
pub fn with_commas(n: usize) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

fn written_json(product: &Product) -> Value {
    let code = |c: &crate::finalize::Code| json!({ "kernel": c.kernel, "platform": c.platform.to_string(), "bytes": c.bytes });
    json!({
        "written": product.sink.to_string(),
        "bytes": product.bytes.len(),
        "code": product.code.iter().map(code).collect::<Vec<_>>(),
    })
}

/// Says what became of several inputs, to standard error.
pub fn summary(done: usize, refused: usize, warnings: usize, seconds: f64, format: MessageFormat) {
    let mut out = anstream::stderr().lock();
    let _ = match format {
        MessageFormat::Human => writeln!(
            out,
            "{} inputs: {done} done, {refused} refused, {warnings} warnings, {seconds:.2} s",
            done + refused
        ),
        MessageFormat::Json => writeln!(
            out,
            "{}",
            json!({ "done": done, "refused": refused, "warnings": warnings, "seconds": seconds })
        ),
    };
}

/// One kernel's figures, as a line of JSON.
pub fn stats_json(file: &Path, b: &Binary) -> String {
    let (i, s) = (&b.info, &b.stats);
    let times: serde_json::Map<String, Value> =
        s.times.iter().map(|t| (t.pass.to_owned(), (t.time.as_secs_f64() * 1e3).into())).collect();
    let object = json!({
        "file": file.display().to_string(),
        "kernel": i.name,
        "platform": i.platform.to_string(),
        "simd": i.simd,
        "visa_instructions": s.visa_instructions,
        "gen_instructions": s.gen_instructions,
        "compacted": s.compacted,
        "bytes": b.code.len(),
        "grfs_used": i.grfs_used,
        "grf_count": i.grf_count,
        "spills": s.spills,
        "fills": s.fills,
        "flag_spills": s.flag_spills,
        "scratch_bytes": i.scratch_bytes,
        "milliseconds": times,
    });
    format!("{object}\n")
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
