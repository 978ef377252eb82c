//! Why Intel's code computes something else than the interpreter and ours: sorted by cause, so that each cause needs
//! one reason.
//!
//! Code that breaks a rule of the hardware is named by the rule, and code whose pieces all work on the same channels by that.
//! Where both are legal and differ, the form is made simpler in one respect at a time; those without which all agree are
//! the cause; where there is none, in two (`a+b`: each needs its reason). `data/coverage/causes.tsv` has the reasons: the
//! instructions, the cause, who is right, and the source that says so.

use std::collections::{BTreeMap, BTreeSet};

use gen_ir::PredCtrl;
use platforms::Platform;

use super::{Beside, beside, forms::Form, program};
use crate::oracle::GenxIr;

/// The reason that a cause has, if it has one: an instruction of its own before one of all.
pub fn reason(op: &str, cause: &str) -> Option<&'static str> {
    if let Some((one, other)) = cause.split_once('+') {
        return reason(op, other).and(reason(op, one));
    }
    let rows = || {
        include_str!("../../data/coverage/causes.tsv").lines().filter_map(|line| {
            let mut cells = line.split('\t');
            Some((cells.next()?, cells.next()?, cells.next()?))
        })
    };
    let names = |list: &str| list == "*" || list.split('|').any(|name| name == op);
    // The features of a cause in a row are all or some of those that were found.
    let covers = |row: &str| match (row.strip_suffix('*'), row.strip_prefix('*')) {
        (Some(start), _) => cause.starts_with(start),
        (_, Some(end)) => cause.ends_with(end),
        _ => cause == row,
    };
    rows().find(|(ops, row, _)| names(ops) && covers(row)).map(|row| row.2)
}

/// What makes Intel's code differ.
pub fn cause(platform: Platform, form: &Form, intel: &GenxIr, fate: Beside, why: &str) -> String {
    if fate == Beside::Wrong {
        return format!("ours alone: {}", features(platform, form, intel, fate));
    }
    let Ok(made) = intel.finalize(platform, &program(&form.line), &["-noschedule"]) else {
        return "unverified".into();
    };
    if let Some(rules) = why.split_once("illegal operand: ") {
        let names = rules.1.split('[').skip(1).filter_map(|s| s.split(']').next());
        return format!("rule {}", names.collect::<Vec<_>>().join(" "));
    }
    if let Some((_, hazard)) = why.split_once(": hazard: ") {
        // No fault of what is computed, and none that anybody has explained.
        return format!("hazard: {}", hazard.split(' ').take(4).collect::<Vec<_>>().join(" "));
    }
    if !why.starts_with("byte ") {
        let words = why.trim_start_matches("Intel's code: ").split(' ').skip(1).take(6);
        return format!("fault {}", words.collect::<Vec<_>>().join(" "));
    }
    if why.rsplit_once('[').is_some_and(|(_, bytes)| bytes.contains("cd, cd")) {
        // What the emulator has in registers that nobody wrote.
        return "undefined".into();
    }
    if loses_channels(platform, form, &made.dat) {
        return "channels".into();
    }
    features(platform, form, intel, fate)
}

/// Whether pieces of an instruction work on the same channels, and on some of the form's channels none does.
fn loses_channels(platform: Platform, form: &Form, code: &[u8]) -> bool {
    let last = form.line.rsplit_once('\n').map_or(form.line.as_str(), |(_, last)| last);
    let Some((mask, lanes)) = last.split_once("(M").and_then(|(_, rest)| rest.split_once(", ")) else {
        return false;
    };
    let Ok(first) = mask.trim_end_matches("_NM").parse::<u32>() else { return false };
    let Some(lanes) = lanes.split_once(')').and_then(|(lanes, _)| lanes.parse::<u32>().ok()) else {
        return false;
    };
    let wanted = 4 * (first - 1)..4 * (first - 1) + lanes;
    let mut pieces: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for inst in encoder::decode_all(platform, code).filter_map(|d| d.inst.ok()) {
        let guarded = inst.pred.is_some_and(|p| p.ctrl == PredCtrl::Seq);
        if guarded || !inst.no_mask && inst.pred.is_none() {
            let channels = u32::from(inst.chan)..u32::from(inst.chan) + inst.exec.lanes();
            pieces.entry((inst.op, guarded)).or_default().push(channels);
        }
    }
    pieces.values().any(|pieces| {
        let starts: BTreeSet<u32> = pieces.iter().map(|p| p.start).collect();
        let outside = pieces.iter().any(|p| p.start < wanted.start || p.end > wanted.end);
        let all = wanted.clone().all(|channel| pieces.iter().any(|p| p.contains(&channel)));
        outside || starts.len() < pieces.len() && !all
    })
}

/// The respects in which a form has to be as it is for the codes to differ.
fn features(platform: Platform, form: &Form, intel: &GenxIr, fate: Beside) -> String {
    let differs =
        |line: String| line != form.line && beside(platform, &Form { op: form.op, line }, intel).0 != fate;
    let needed = SIMPLER.iter().filter(|(_, simpler)| differs(simpler(&form.line)));
    let names: Vec<&str> = needed.map(|n| n.0).collect();
    if !names.is_empty() {
        return names.join(" ");
    }
    let pairs = SIMPLER
        .iter()
        .enumerate()
        .flat_map(|(n, one)| SIMPLER[n + 1..].iter().map(move |other| (one, other)));
    let changes = |simpler: Simpler, line: &str| simpler(line) != line;
    pairs
        .filter(|(one, other)| changes(one.1, &form.line) && changes(other.1, &form.line))
        .find(|(one, other)| differs(other.1(&one.1(&form.line))))
        .map_or("always".into(), |(one, other)| format!("{}+{}", one.0, other.0))
}

/// A line made simpler in one respect.
type Simpler = fn(&str) -> String;

/// What a form is made simpler in.
const SIMPLER: [(&str, Simpler); 14] = [
    ("guard", |line| without(line, "(", |inside| inside.trim_start_matches('!').starts_with('P'))),
    ("sat", |line| line.replace(".sat", "")),
    ("modifier", |line| without(line, "(", |inside| matches!(inside, "-" | "abs" | "-abs" | "~"))),
    ("nomask", |line| line.replace("_NM", "")),
    ("offset", |line| (2..9).fold(line.to_owned(), |l, n| l.replace(&format!("(M{n}"), "(M1"))),
    ("stride", |line| {
        line.replace("<2> ", "<1> ").replace("<4> ", "<1> ").replace("<2>:", "<1>:").replace("<4>:", "<1>:")
    }),
    ("place", |line| without_places(line)),
    ("region", |line| without(line, "<", |inside| inside.contains(';')).replace("@", "<1;1,0>")),
    ("few", |line| [1, 2].iter().fold(line.to_owned(), |l, n| widened(&l, *n))),
    ("half", |line| line.replace("_hf", "_f").replace(":hf", ":f")),
    ("long", |line| typed(line, &[("uq", "ud"), ("q", "d"), ("df", "f")])),
    ("signed", |line| typed(line, &[("d", "ud"), ("w", "uw"), ("b", "ub"), ("q", "uq")])),
    ("vector", |line| line.replace("0x76543210:uv", "0x5:uw").replace("0x76543210:v", "0x5:w")),
    ("indirect", direct),
];

/// A line with other types.
fn typed(line: &str, types: &[(&str, &str)]) -> String {
    types.iter().fold(line.to_owned(), |line, (from, to)| {
        let constants = line.split(' ').map(|word| match word.strip_suffix(&format!(":{from}")) {
            Some(value) => format!("{value}:{to}"),
            None => word.replace(&format!("_{from}("), &format!("_{to}(")),
        });
        constants.collect::<Vec<_>>().join(" ")
    })
}

/// The last instruction of a line with eight channels instead of so many.
fn widened(line: &str, lanes: u32) -> String {
    let (before, last) =
        line.rsplit_once("\n").map_or(("", line), |(before, _)| line.split_at(before.len() + 1));
    before.to_owned() + &last.replace(&format!(", {lanes})"), ", 8)")
}

/// A line without what stands in brackets and is of a kind; of regions a mark stays.
fn without(line: &str, open: &str, kind: impl Fn(&str) -> bool) -> String {
    let close = if open == "(" { ')' } else { '>' };
    let mut out = String::new();
    let mut rest = line;
    while let Some(at) = rest.find(open) {
        out += &rest[..at];
        rest = &rest[at..];
        let end = rest.find(close).map_or(rest.len(), |e| e + 1);
        let inside = rest[1..end].trim_end_matches(close);
        if !kind(inside) {
            out += &rest[..end];
        } else if open == "<" {
            out += "@";
        }
        rest = &rest[end..];
    }
    out + rest
}

/// All operands in the variables that addresses point to.
fn direct(line: &str) -> String {
    let (before, last) = line.rsplit_once("\n").unwrap_or(("", line));
    let mut out = last.to_owned();
    for set in before.lines() {
        let Some((address, base)) = set.split_once(", 1) ").and_then(|(_, rest)| rest.split_once("(0)<1> &"))
        else {
            continue;
        };
        let base = base.split(' ').next().unwrap_or_default();
        while let Some(at) = out.find(&format!("r[{address}(0),")) {
            let Some((region, rest)) = out[at..].split_once(']').and_then(|(_, rest)| rest.split_once(':'))
            else {
                break;
            };
            let ty = rest.split(' ').next().unwrap_or_default();
            let region = if region == "<1,0>" { "<1;1,0>" } else { region };
            out = format!("{}{base}_{ty}(0,0){region}{}", &out[..at], &rest[ty.len()..]);
        }
    }
    out
}

/// All operands at the start of their variables.
fn without_places(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(at) = rest.find('(') {
        let end = rest[at..].find(')').map_or(rest.len(), |e| at + e + 1);
        let inside = rest[at + 1..end].trim_end_matches(')');
        let place = inside
            .split_once(',')
            .is_some_and(|(row, column)| row.parse::<u32>().is_ok() && column.parse::<u32>().is_ok());
        out += &rest[..at];
        out += if place { "(0,0)" } else { &rest[at..end] };
        rest = &rest[end..];
    }
    out + rest
}
