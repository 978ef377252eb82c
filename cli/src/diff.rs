//! `visa-finalize diff`: two codes beside each other.

use std::{fmt::Write, process::ExitCode};

use finalizer::{Diagnostic, Place, Refusal};
use report::{Code, Comparison, Normalize, Row, Tag};
use serde_json::{Value, json};

use crate::{
    args::{DiffArgs, MessageFormat},
    codes::{self, Piece},
    console,
    files::{Input, Sink, cannot_read},
};

/// Exit status of a fault, as that of `diff`.
const FAULT: u8 = 2;
/// Columns of the first listing.
const WIDTH: usize = 76;

/// Compares two codes.
pub fn run(args: &DiffArgs) -> ExitCode {
    let (equal, text) = match compared(args) {
        Ok(done) => done,
        Err((file, Refusal(faults))) => {
            console::faults(&file, &faults, args.message_format);
            return ExitCode::from(FAULT);
        }
    };
    if let Err(e) = Sink::Standard.write(text.as_bytes()) {
        eprintln!("error: standard output: {e}");
        return ExitCode::from(FAULT);
    }
    if equal { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

type Fault = (std::path::PathBuf, Refusal);

/// Two codes of one kernel.
struct Pair {
    name: String,
    codes: [Code; 2],
    comparison: Comparison,
}

fn compared(args: &DiffArgs) -> Result<(bool, String), Fault> {
    let [left, right] = sides(args)?;
    let pairs = pairs(args, left, right).map_err(|e| (args.inputs[0].clone(), e))?;
    let equal = pairs.iter().all(|p| p.comparison.is_equal());
    let text = match args.message_format {
        MessageFormat::Human => pairs.iter().map(|p| shown(args, p)).collect(),
        MessageFormat::Json => {
            let kernels: Vec<Value> = pairs.iter().map(|p| as_json(args, p)).collect();
            let platform = args.platform.to_string();
            format!("{:#}\n", json!({ "platform": platform, "equal": equal, "kernels": kernels }))
        }
    };
    Ok((equal, text))
}

/// The codes on both sides.
fn sides(args: &DiffArgs) -> Result<[Vec<Piece>; 2], Fault> {
    let usage = |message: &str| {
        let fault = Diagnostic::error("WrongUsage", message).at(Place::Input);
        (args.inputs[0].clone(), Refusal::from(fault))
    };
    match (&args.inputs[..], args.embedded) {
        ([file], true) => {
            let both = Input::open(file)
                .map_err(|e| cannot_read(e).into())
                .and_then(|bytes| finalizer::read_module(&bytes))
                .and_then(|module| {
                    let carried = codes::embedded(args.platform, &module);
                    if carried.is_empty() {
                        let message = format!("found no code for {} in the object", args.platform);
                        return Err(Diagnostic::error("NoCode", message).at(Place::Input).into());
                    }
                    Ok([codes::finalized(args.platform, args.grf.unwrap_or_default(), &module)?, carried])
                });
            both.map_err(|e| (file.clone(), e))
        }
        ([left, right], false) => {
            let read = |file: &std::path::PathBuf| {
                codes::any_code(args.platform, args.grf.unwrap_or_default(), file)
                    .map_err(|e| (file.clone(), e))
            };
            Ok([read(left)?, read(right)?])
        }
        ([_, _], true) => Err(usage("--embedded compares within one file")),
        _ => Err(usage("name two files, or one with --embedded")),
    }
}

/// Codes of the same name; raw code and listings, which have none, go with whatever stands on the other side.
fn pairs(args: &DiffArgs, mut left: Vec<Piece>, mut right: Vec<Piece>) -> Result<Vec<Pair>, Refusal> {
    let no_code = |message: String| Refusal::from(Diagnostic::error("NoCode", message).at(Place::Input));
    for side in [&mut left, &mut right] {
        side.retain(|p| match &p.name {
            Some(name) => args.kernel.is_empty() || args.kernel.contains(name),
            None => true,
        });
    }
    if let ([a], [b]) = (&left[..], &right[..])
        && (a.name.is_none() || b.name.is_none())
    {
        let name = a.name.as_ref().or(b.name.as_ref()).cloned().unwrap_or_else(|| "code".to_owned());
        return Ok(vec![pair(args, name, a, b)]);
    }
    let named = |p: &Piece| p.name.clone().unwrap_or_default();
    let missing = |of: &[Piece], other: &[Piece]| -> Vec<String> {
        of.iter().map(named).filter(|n| !other.iter().any(|p| named(p) == *n)).collect()
    };
    let (only_left, only_right) = (missing(&left, &right), missing(&right, &left));
    if !only_left.is_empty() || !only_right.is_empty() {
        let list = |names: Vec<String>| if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        return Err(no_code(format!(
            "found kernels on one side only (the first: {}; the second: {}): --kernel names those to compare",
            list(only_left),
            list(only_right)
        )));
    }
    if left.is_empty() {
        return Err(no_code(format!("found no code of {} to compare", args.kernel.join(", "))));
    }
    let with_partner = |a: &Piece| {
        let b = right.iter().find(|b| named(b) == named(a))?;
        Some(pair(args, named(a), a, b))
    };
    Ok(left.iter().filter_map(with_partner).collect())
}

fn pair(args: &DiffArgs, name: String, left: &Piece, right: &Piece) -> Pair {
    let inputs = left.inputs.as_deref().or(right.inputs.as_deref());
    let codes = [left, right].map(|p| Code::new(args.platform, &p.code, inputs));
    let normalize = Normalize {
        registers: args.ignore_registers,
        masks: args.ignore_masks,
        options: args.ignore_options,
    };
    let comparison = Comparison::new(&codes[0], &codes[1], normalize);
    Pair { name, codes, comparison }
}

/// Figures, then what differs with some equal instructions around.
fn shown(args: &DiffArgs, p: &Pair) -> String {
    let mut out = format!("{} on {}: ", p.name, args.platform);
    let rows = &p.comparison.rows;
    let count = |tag| rows.iter().filter(|r| r.tag == tag).count();
    let (left, right) = (count(Tag::Left), count(Tag::Right));
    let _ = match p.comparison.is_equal() {
        true => writeln!(out, "equal, {} instructions", rows.len()),
        false => writeln!(out, "{left} instructions only in the first, {right} only in the second"),
    };
    let [a, b] = &p.comparison.counts;
    for ((name, left), (_, right)) in a.rows().into_iter().zip(b.rows()) {
        let change = i128::from(right) - i128::from(left);
        let change = if change == 0 { String::new() } else { format!("{change:+}") };
        let _ = writeln!(out, "  {name:<22}{left:>10}{right:>10}  {change}");
    }
    if args.summary || p.comparison.is_equal() {
        return out;
    }
    let near = near_changes(rows, args.context);
    let mut gap = false;
    for (row, near) in rows.iter().zip(near) {
        if !near {
            gap = true;
            continue;
        }
        if std::mem::take(&mut gap) {
            out.push_str("  ...\n");
        }
        let _ = writeln!(out, "{}", listed(p, row));
    }
    out.push('\n');
    out
}

/// Rows that differ, and so many around them.
fn near_changes(rows: &[Row], context: usize) -> Vec<bool> {
    let mut near = vec![false; rows.len()];
    let mut last: Option<usize> = None;
    for (i, row) in rows.iter().enumerate() {
        if row.tag != Tag::Equal {
            last = Some(i);
            near[i.saturating_sub(context)..=i].fill(true);
        } else if last.is_some_and(|l| i - l <= context) {
            near[i] = true;
        }
    }
    near
}

fn listed(p: &Pair, row: &Row) -> String {
    let text = |side: usize, at: Option<usize>| -> &str {
        at.and_then(|i| p.codes[side].insts.get(i)).map_or("", |i| &i.text)
    };
    let (left, right) = (text(0, row.left), text(1, row.right));
    let mark = match row.tag {
        Tag::Equal if left == right => ' ',
        Tag::Equal => '~',
        Tag::Left => '<',
        Tag::Right => '>',
    };
    format!("{left:<WIDTH$} {mark} {right}").trim_end().to_owned()
}

fn as_json(args: &DiffArgs, p: &Pair) -> Value {
    let rows = p.comparison.rows.iter().filter(|r| !args.summary && r.tag != Tag::Equal);
    let side = |side: usize, at: Option<usize>| {
        at.and_then(|i| p.codes[side].insts.get(i)).map(|i| json!({ "offset": i.offset, "text": i.text }))
    };
    let changes = rows.map(|r| json!({ "in": r.tag, "first": side(0, r.left), "second": side(1, r.right) }));
    json!({
        "kernel": p.name,
        "equal": p.comparison.is_equal(),
        "counts": p.comparison.counts,
        "changes": changes.collect::<Vec<_>>(),
    })
}
