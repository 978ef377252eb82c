//! Why a platform cannot do what an instruction asks for: each refusal that counts as the hardware's has a row in
//! `data/impossible.tsv` with its words, the platforms, a form that shows it, and the source that says so.

use std::sync::OnceLock;

use platforms::Platform;

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
    let named = |name: &str| name == "all" || name.parse::<Platform>().is_ok();
    assert!(platforms.split(',').all(named), "platforms: {line}");
    let platforms = Platform::ALL.into_iter().filter(|p| p.is_in(platforms)).collect();
    Reason { words, platforms, is_message: kind == "message", example, source }
}

/// The reason behind a refusal.
pub fn reason(platform: Platform, refusal: &str) -> Option<&'static Reason> {
    reasons().iter().find(|r| refusal.contains(r.words) && r.platforms.contains(&platform))
}
