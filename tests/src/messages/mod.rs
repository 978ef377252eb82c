//! Our messages beside Intel's, for every message instruction of vISA over its operand space.
//!
//! Each of the [`forms`] is finalized by us; what Intel's finalizer made of it stands recorded in
//! `tests/data/messages` ([`record`]). Both codes run on the emulator's probe with the same register
//! contents, so each dword of a payload has a value that says where it comes from. [`compare`] holds the
//! messages against each other; what differs is mended, or stands in the table of [`explained`].

pub mod compare;
pub mod explained;
pub mod forms;
pub mod proof;
pub mod random;
pub mod record;

pub use self::forms::asked;

use std::collections::BTreeMap;

use finalizer::{Finalizer, Options};
use platforms::Platform;

use self::{
    compare::Difference,
    forms::{MessageForm, program},
    record::{IntelAnswer, RecordedCode},
};

/// What became of a form on a platform.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MessageFate {
    /// Equal messages.
    Equal,
    /// Messages that differ, all for reasons that are known: with the row of [`explained::ROWS`].
    Explained(Vec<(usize, Difference)>),
    /// Messages that differ.
    Differs(Vec<Difference>),
    /// We refuse it, Intel does not.
    RefusedByUs(String),
    /// Intel refuses it, or crashes; we do not. (Or its verifier does, and what its code generator makes of it all the
    /// same is not what ours does: then with the differences.)
    RefusedByIntel(Vec<Difference>),
    /// Nobody takes it.
    RefusedByBoth(String),
}

impl MessageFate {
    /// A word for the table.
    pub const fn name(&self) -> &'static str {
        match self {
            MessageFate::Equal => "equal",
            MessageFate::Explained(_) => "explained",
            MessageFate::Differs(_) => "differs",
            MessageFate::RefusedByUs(_) => "refused by us",
            MessageFate::RefusedByIntel(_) => "refused by Intel",
            MessageFate::RefusedByBoth(_) => "refused by both",
        }
    }
}

/// What the table of all forms says of a form on a platform.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum State {
    /// The messages are Intel's.
    Equal,
    /// Intel has other messages, or none, and our code does what the vISA interpreter does.
    Proved,
    /// The hardware cannot do it: with what says so.
    Impossible(&'static str),
    /// None of these: what is the matter.
    Open(String),
}

impl State {
    /// A word for the table.
    pub const fn name(&self) -> &'static str {
        match self {
            State::Equal => "equal",
            State::Proved => "proved",
            State::Impossible(_) => "impossible",
            State::Open(_) => "open",
        }
    }
}

/// The state of a form.
pub fn state(platform: Platform, form: &MessageForm, fate: &MessageFate) -> State {
    let impossible = |why: &str| match crate::impossible::reason(platform, why) {
        Some(reason) => State::Impossible(reason.source),
        None => State::Open(format!("refused without a source: {why}")),
    };
    match fate {
        MessageFate::Equal => State::Equal,
        MessageFate::RefusedByUs(why) | MessageFate::RefusedByBoth(why) => impossible(why),
        MessageFate::Explained(_) | MessageFate::Differs(_) | MessageFate::RefusedByIntel(_) => {
            proof::prove(platform, form).map_or_else(State::Open, |()| State::Proved)
        }
    }
}

/// Our code of a form.
///
/// # Errors
///
/// Why we refuse it.
pub fn ours(platform: Platform, line: &str) -> Result<Vec<u8>, String> {
    let text = program(line, platform.caps().regs.grf_bytes.into());
    let module = finalizer::read_text(text.as_bytes(), platform).map_err(|e| e.to_string())?;
    if let Some(why) = crate::coverage::meaningless(platform, &module) {
        return Err(why);
    }
    let binary = Finalizer::new(Options::new(platform)).finalize_kernel(&module, 0);
    binary.map(|b| b.code).map_err(|e| e.0.first().map_or(String::new(), |d| d.message.clone()))
}

/// Judges a form.
pub fn judge(platform: Platform, form: &MessageForm, recorded: &RecordedCode) -> MessageFate {
    let ours = ours(platform, &form.line);
    let (intel, verified) = match recorded.answer(&form.line) {
        IntelAnswer::Code(intel) => (intel, true),
        IntelAnswer::Unverified(intel) => (intel, false),
        IntelAnswer::Refused => {
            return ours.map_or_else(MessageFate::RefusedByBoth, |_| MessageFate::RefusedByIntel(Vec::new()));
        }
    };
    let ours = match ours {
        Ok(ours) => ours,
        Err(why) if verified => return MessageFate::RefusedByUs(why),
        Err(why) => return MessageFate::RefusedByBoth(why),
    };
    let found = compare::compare(platform, form, &ours, intel);
    if found.is_empty() {
        return MessageFate::Equal;
    }
    let rows: Option<Vec<_>> = found.iter().map(|d| explained::row(platform, form, d)).collect();
    match rows {
        Some(rows) => MessageFate::Explained(rows.into_iter().zip(found).collect()),
        None if verified => MessageFate::Differs(found),
        None => MessageFate::RefusedByIntel(found),
    }
}

/// Per instruction: how many forms have which fate.
pub fn table(platform: Platform, fates: &[(MessageForm, MessageFate)]) -> String {
    let mut rows: BTreeMap<&str, BTreeMap<&str, usize>> = BTreeMap::new();
    for (form, fate) in fates {
        *rows.entry(form.op).or_default().entry(fate.name()).or_default() += 1;
    }
    const COLUMNS: [&str; 6] =
        ["equal", "explained", "differs", "refused by us", "refused by Intel", "refused by both"];
    let mut out =
        format!("| {platform} | {} |\n|---|{}\n", COLUMNS.join(" | "), "---|".repeat(COLUMNS.len()));
    for (op, counts) in &rows {
        let cells = COLUMNS.map(|c| counts.get(c).map_or(String::new(), usize::to_string));
        out += &format!("| {op} | {} |\n", cells.join(" | "));
    }
    out
}
