//! The forms that are open, each by itself: `data/coverage/open.tsv`, a line for platform, fate and form.
//! `cargo run -p tests --bin coverage -- --record-open` writes it.

use std::{collections::BTreeMap, fs, path::PathBuf};

use platforms::Platform;

fn file() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("data/coverage/open.tsv")
}

fn lines() -> Vec<(String, String)> {
    let text = fs::read_to_string(file()).unwrap_or_default();
    text.lines().filter_map(|l| l.split_once('\t')).map(|(p, rest)| (p.to_owned(), rest.to_owned())).collect()
}

/// The open forms of a platform, with what is the matter with each.
pub fn load(platform: Platform) -> BTreeMap<String, String> {
    let name = platform.to_string();
    let of = |(p, rest): (String, String)| {
        let (fate, line) = rest.split_once('\t').filter(|_| p == name)?;
        Some((line.replace("\\n", "\n"), fate.to_owned()))
    };
    lines().into_iter().filter_map(of).collect()
}

/// Replaces the open forms of a platform.
pub fn write<'a>(platform: Platform, open: impl Iterator<Item = (&'a str, &'a str)>) {
    let name = platform.to_string();
    let mut all: Vec<_> = lines().into_iter().filter(|l| l.0 != name).collect();
    all.extend(open.map(|(fate, line)| (name.clone(), format!("{fate}\t{}", line.replace('\n', "\\n")))));
    all.sort();
    let text: String = all.iter().map(|(p, rest)| format!("{p}\t{rest}\n")).collect();
    fs::write(file(), text).expect("a file");
}
