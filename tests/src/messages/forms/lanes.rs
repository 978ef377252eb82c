//! Forms that follow from the instruction table: messages of lanes, with all that stands behind their names.

use finalizer::read_text;
use visa::table::{Enc, Family, Row, Slot, Text, rows};

use super::*;

impl List {
    /// Of each such message all words, for 8 and for 16 lanes.
    pub(super) fn lanes(&mut self) {
        for row in rows().filter(|row| row.family == Family::Message && row.has_exec()) {
            let texels = row.slots.iter().any(|slot| slot.name == "u offsets");
            // More lanes than eight are several messages of texels, but on one platform.
            let sizes: &[u32] = if texels { &[8] } else { &[8, 16] };
            for words in words(row) {
                for size in sizes {
                    let plain = format!("{}{words} (M1, {size}){}", row.name, operands(row));
                    if let Some(line) = typed(&plain) {
                        self.add(row.name, line);
                    }
                }
            }
        }
    }
}

/// Everything that may stand behind a message's name; nothing for what has forms by hand.
fn words(row: &Row) -> Vec<String> {
    let mut all = vec![String::new()];
    for slot in row.operand_slots() {
        let words: &[&str] = match slot.text {
            Text::Power => &["1", "2", "4"],
            Text::BlockBytes => &["1", "4", "8"],
            Text::Channels => &MASKS,
            Text::Operand | Text::First | Text::Zero => continue,
            Text::Atomic | Text::Block => return Vec::new(),
        };
        all =
            all.iter().flat_map(|before| words.iter().map(move |word| format!("{before}.{word}"))).collect();
    }
    all
}

/// Operands of the first variables and of the first surface.
fn operands(row: &Row) -> String {
    let of = |text| row.operand_slots().filter(move |slot| slot.text == text).map(operand);
    of(Text::First).chain(of(Text::Operand)).map(|operand| format!(" {operand}")).collect()
}

fn operand(slot: &Slot) -> &'static str {
    match (slot.enc, slot.name) {
        (Enc::Surface, _) => "T6",
        (Enc::Raw, "data") => "X.0",
        (Enc::Raw, "v offsets") => "Y.64",
        (Enc::Raw, "r offsets" | "level of detail") => "V0.0",
        (Enc::Raw, _) => "Y.0",
        _ => "0x0:ud",
    }
}

/// The same with the variables of qwords where lanes have qwords, as the table says; nothing if it is no message of lanes.
/// (Intel counts registers of the type that it is given.)
fn typed(line: &str) -> Option<String> {
    let module = read_text(program(line, 64).as_bytes(), Platform::Pvc).ok()?;
    let kernel = module.kernels.first()?;
    let op = kernel.insts().map(|inst| inst.op).find(|op| op.has_lanes())?;
    let (far, wide) = (op.lane_addresses()?.holds.stride == 8, op.lane_data()?.holds.stride == 8);
    let line = if far { line.replace(" Y.", " Yq.").replace("0x0:ud", "0x0:uq") } else { line.to_owned() };
    Some(if wide { line.replace(" X.", " Xq.") } else { line })
}
