//! Two codes beside each other: figures and aligned listings.

use similar::{Algorithm, ChangeTag, TextDiff};

use crate::code::{Code, Counts};

/// What of two instructions need not be equal.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Normalize {
    /// Which general registers the operands are in does not count, only where in them.
    pub registers: bool,
    /// Whether an instruction minds the execution mask does not count: `(W)`.
    pub masks: bool,
    /// Dependencies and other options in braces do not count, nor does what is compacted.
    pub options: bool,
}

/// Two codes.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// Figures of both.
    pub counts: [Counts; 2],
    /// Listings, aligned.
    pub rows: Vec<Row>,
}

/// What a row is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Tag {
    /// Both have it.
    Equal,
    /// Only the first has it.
    Left,
    /// Only the second has it.
    Right,
}

/// A row of the listings: indices of instructions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Row {
    /// Who has it.
    pub tag: Tag,
    /// The first code's instruction.
    pub left: Option<usize>,
    /// The second code's.
    pub right: Option<usize>,
}

/// Time that the alignment may take; after it, the rest is aligned coarsely.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(5);

impl Comparison {
    /// Compares two codes.
    pub fn new(left: &Code, right: &Code, normalize: Normalize) -> Comparison {
        let texts = [left, right].map(|code| comparable(code, normalize));
        let slices = texts.each_ref().map(|t| t.iter().map(String::as_str).collect::<Vec<_>>());
        let diff = TextDiff::configure()
            .algorithm(Algorithm::Myers)
            .timeout(PATIENCE)
            .diff_slices(&slices[0], &slices[1]);
        let row = |change: similar::Change<&str>| Row {
            tag: match change.tag() {
                ChangeTag::Equal => Tag::Equal,
                ChangeTag::Delete => Tag::Left,
                ChangeTag::Insert => Tag::Right,
            },
            left: change.old_index(),
            right: change.new_index(),
        };
        let rows = diff.iter_all_changes().map(row).collect();
        Comparison { counts: [left.counts, right.counts], rows }
    }

    /// Whether the codes are the same, as far as instructions that are compared go.
    pub fn is_equal(&self) -> bool {
        self.rows.iter().all(|r| r.tag == Tag::Equal)
    }
}

/// The instructions as text, without what need not be equal.
fn comparable(code: &Code, normalize: Normalize) -> Vec<String> {
    let line = |i: &crate::instruction::Instruction| {
        let mut text = without_label(&i.text, i.offset);
        if normalize.options
            && let Some(brace) = text.rfind('{')
        {
            text.truncate(brace);
        }
        if normalize.masks {
            text = text.replacen("(W) ", "", 1).replacen("(W&", "(", 1);
        }
        let text = text.trim();
        if normalize.registers { without_registers(text) } else { text.to_owned() }
    };
    code.insts.iter().map(line).collect()
}

/// Targets of branches as distances: what stands between may have another length.
fn without_label(text: &str, offset: u32) -> String {
    let word = |word: &str| -> String {
        let number = word.strip_prefix('L').and_then(|n| n.parse::<i64>().ok());
        number.map_or_else(
            || word.to_owned(),
            |to| if to > i64::from(offset) { "forward" } else { "back" }.to_owned(),
        )
    };
    text.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

/// An instruction without the numbers of its general registers: `r17.4` becomes `r.4`.
fn without_registers(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut in_number = false;
    let mut before = [' ', ' '];
    for c in text.chars() {
        in_number = c.is_ascii_digit() && (in_number || before[1] == 'r' && !before[0].is_alphanumeric());
        if !in_number {
            out.push(c);
        }
        before = [before[1], c];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_need_not_be_equal_is_left_out() {
        let text = "mad (8|M0) r17.0<1>:f r5.0 -r117.4 r[a0.0] acc0 0xr1";
        assert_eq!(without_registers(text), "mad (8|M0) r.0<1>:f r.0 -r.4 r[a0.0] acc0 0xr1");
        assert_eq!(without_label("goto (8|M0) L16 L320", 32), "goto (8|M0) back forward");
    }
}
