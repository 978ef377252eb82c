//! Why a platform cannot do what an instruction asks for: each refusal that counts as the hardware's has a row in
//! `data/impossible.tsv` with its words, the platforms (by name, or by what their rows have or, behind `!`, lack), a form that shows it, and the source that says so.

use std::sync::OnceLock;

use platforms::{Caps, Platform};

type Has = fn(&Caps) -> bool;

/// What the table says of platforms beside their names, as their rows have it; `!` before one says the contrary.
const FEATURES: [(&str, Has); 13] = [
    ("add3", |c| c.ops.add3_bfn),
    ("bf16", |c| c.ops.bf16),
    ("dpas", |c| c.ops.systolic),
    ("fp64", |c| c.ops.fp64),
    ("int-div", |c| c.ops.int_div),
    ("int64", |c| c.ops.int64),
    ("lsc", |c| c.memory.lsc),
    ("math-macros", |c| c.ops.math_macros),
    ("media", |c| c.sampler.media),
    ("named-barriers", |c| c.thread.named_barriers),
    ("sampler", |c| c.sampler.exists),
    ("srnd", |c| c.ops.srnd),
    ("word-atomics", |c| c.memory.word_atomics),
];

/// Whether a word of the table means a platform.
fn means(word: &str, platform: Platform) -> bool {
    let feature = word.trim_start_matches('!');
    match FEATURES.iter().find(|(name, _)| *name == feature) {
        Some((_, has)) => has(platform.caps()) != word.starts_with('!'),
        None => {
            assert!(
                word == "all" || word.parse::<Platform>().is_ok(),
                "neither platform nor feature: {word}"
            );
            platform.is_in(word)
        }
    }
}

/// A row of the table.
#[derive(Clone, Debug)]
pub struct Reason {
    /// What the refusal says.
    pub words: &'static str,
    /// Where it says so.
    pub platforms: Vec<Platform>,
    /// Whether the example is a message ([`crate::messages`]) or arithmetic ([`crate::coverage`]).
    pub is_message: bool,
    /// A form that is refused for this.
    pub example: &'static str,
    /// Manual, specification, or the function of Intel's finalizer.
    pub source: &'static str,
}

/// All rows.
pub fn reasons() -> &'static [Reason] {
    static ROWS: OnceLock<Vec<Reason>> = OnceLock::new();
    ROWS.get_or_init(|| include_str!("../data/impossible.tsv").lines().map(row).collect())
}

fn row(line: &'static str) -> Reason {
    let cells: Vec<&str> = line.split('\t').collect();
    let [words, platforms, kind, example, source] = cells[..] else { panic!("five cells: {line}") };
    let meant = |p: &Platform| platforms.split(',').any(|word| means(word, *p));
    let platforms = Platform::ALL.into_iter().filter(meant).collect();
    Reason { words, platforms, is_message: kind == "message", example, source }
}

/// The reason behind a refusal.
pub fn reason(platform: Platform, refusal: &str) -> Option<&'static Reason> {
    reasons().iter().find(|r| refusal.contains(r.words) && r.platforms.contains(&platform))
}
