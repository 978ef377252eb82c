//! Hand-written messages: the [`forms`](super::forms), each changed in a few respects that they all have in common, such
//! as guards, masks, sizes, surfaces, shared offsets and where operands begin. What is drawn is often against a rule; what
//! Intel's finalizer takes has to mean the same here.

use super::forms::{MessageForm, forms as plain};
use crate::coverage::random::Draw;

/// Changes of a line.
const CHANGES: [fn(&mut Draw, &str) -> String; 7] = [guard, mask, lanes, place, surface, offset, conversion];

/// Random forms, equal ones for equal seeds.
pub fn forms(seed: u64, count: usize, only: &str) -> Vec<MessageForm> {
    let mut draw = Draw::new(seed);
    let plain: Vec<MessageForm> =
        plain().into_iter().filter(|f| f.line.contains(only) && !f.line.contains('\n')).collect();
    let mut form = || {
        let MessageForm { op, mut line } = plain[draw.below(plain.len() as u32) as usize].clone();
        for _ in 0..=draw.below(3) {
            let change = draw.of(&CHANGES);
            line = change(&mut draw, &line);
        }
        MessageForm { op, line }
    };
    (0..count).filter(|_| !plain.is_empty()).map(|_| form()).collect()
}

/// Only what has a mask can have a guard.
fn guard(draw: &mut Draw, line: &str) -> String {
    let bare = line.trim_start_matches("(P1) ").trim_start_matches("(!P1) ");
    if !bare.contains("(M") {
        return bare.into();
    }
    draw.of(&["(P1) ", "(!P1) ", ""]).to_owned() + bare
}

fn mask(draw: &mut Draw, line: &str) -> String {
    replaced(line, "(M", ",", draw.of(&["M1", "M1_NM", "M2", "M3", "M5", "M5_NM"]))
}

fn lanes(draw: &mut Draw, line: &str) -> String {
    let lanes = draw.of(&[1, 2, 4, 8, 8, 16, 16, 32]);
    let parts = line.find("(M").and_then(|at| {
        let end = at + line[at..].find(')')?;
        Some((&line[..at + line[at..end].rfind(", ")?], &line[end..]))
    });
    parts.map_or(line.into(), |(before, behind)| format!("{before}, {lanes}{behind}"))
}

/// Where one of the variables is read or written.
fn place(draw: &mut Draw, line: &str) -> String {
    let name = draw.of(&["X", "Y", "Z", "W"]);
    replaced(line, &format!(" {name}."), " ", &format!("{name}.{}", draw.of(&[0, 32, 64, 96, 4, 8, 16, 40])))
}

fn surface(draw: &mut Draw, line: &str) -> String {
    let to = draw.of(&["T6", "T7", "%slm", "%bss", "TSS", "T2"]);
    line.split(' ')
        .map(|word| if matches!(word, "T6" | "T7") { to } else { word })
        .collect::<Vec<_>>()
        .join(" ")
}

fn offset(draw: &mut Draw, line: &str) -> String {
    let to = draw.of(&["0x0:ud", "0x20:ud", "0x8:ud", "D(0,4)<0;1,0>", "0xffffffe0:d", "0x123:ud"]);
    line.split(' ')
        .map(|word| if word == "0x0:ud" || word == "D(0,4)<0;1,0>" { to } else { word })
        .collect::<Vec<_>>()
        .join(" ")
}

/// A view of another type of the same variable.
fn conversion(draw: &mut Draw, line: &str) -> String {
    let name = draw.of(&["X", "Y", "Z", "W"]);
    line.replace(&format!(" {name}."), &format!(" {name}{}.", draw.of(&["f", "i", "h", "q"])))
}

/// What stands between two marks, exchanged; the first mark's last letter and all behind it go, the second stays.
fn replaced(line: &str, from: &str, to: &str, with: &str) -> String {
    let Some(at) = line.find(from) else { return line.into() };
    let start = at + 1;
    let end = line[start..].find(to).map_or(line.len(), |n| start + n);
    format!("{}{with}{}", &line[..start], &line[end..])
}
