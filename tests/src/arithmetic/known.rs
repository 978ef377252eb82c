//! Where Intel's code computes something else than ours, which is what the interpreter computes: groups of cases,
//! with how many of each platform belong to them, who is right, and by which source. `data/arithmetic/intel.tsv` has
//! a line for each: mnemonics, type of the destination, types of the sources, counts, who is right, why.
//!
//! Alternatives stand apart by `|`, `*` is any; a type without a modifier stands for it with all of them.
//! `cargo run --release -p tests --bin arithmetic -- --intel --record` counts anew.

use std::{collections::BTreeMap, fs, path::PathBuf};

use platforms::Platform;

use super::ArithmeticCase;

/// A group of cases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    ops: String,
    dst: String,
    srcs: String,
    /// How many cases of a platform differ so.
    pub counts: BTreeMap<String, u32>,
    /// `ours`, or `either` where nothing says what comes out.
    pub right: String,
    /// The specification's sentence, the rule of arithmetic, what is wrong with Intel's code.
    pub why: String,
}

fn file() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("data/arithmetic/intel.tsv")
}

fn one_of(pattern: &str, name: &str) -> bool {
    pattern == "*" || pattern.split('|').any(|p| p == name)
}

impl Group {
    fn read(line: &str) -> Option<Group> {
        let mut fields = line.split('\t').map(str::to_owned);
        let mut next = || fields.next();
        let (ops, dst, srcs, counts) = (next()?, next()?, next()?, next()?);
        let count = |c: &str| c.split_once(':').and_then(|(p, n)| Some((p.to_owned(), n.parse().ok()?)));
        let counts = counts.split(' ').map(count).collect::<Option<_>>()?;
        Some(Group { ops, dst, srcs, counts, right: next()?, why: next()? })
    }

    fn line(&self) -> String {
        let counts: Vec<_> = self.counts.iter().map(|(p, n)| format!("{p}:{n}")).collect();
        [&self.ops, &self.dst, &self.srcs, &counts.join(" "), &self.right, &self.why]
            .map(String::as_str)
            .join("\t")
    }

    /// The group with its first fields, as a name.
    pub fn name(&self) -> String {
        format!("{} {} {}", self.ops, self.dst, self.srcs)
    }

    /// Whether a case belongs to the group.
    fn has(&self, platform: Platform, case: &ArithmeticCase) -> bool {
        let source = |(i, pattern): (usize, &str)| {
            let Some(ty) = case.src.get(i) else { return false };
            one_of(pattern, ty.name()) || one_of(pattern, &format!("{}{}", case.mods[i], ty.name()))
        };
        self.counts.contains_key(&platform.to_string())
            && one_of(&self.ops, &case.op)
            && one_of(&self.dst, case.dst.name())
            && self.srcs.split(' ').enumerate().all(source)
    }
}

/// All groups.
///
/// # Panics
///
/// Where the file is not of that form.
pub fn groups() -> Vec<Group> {
    let text = fs::read_to_string(file()).expect("data/arithmetic/intel.tsv");
    text.lines().map(|l| Group::read(l).unwrap_or_else(|| panic!("no group: {l}"))).collect()
}

/// The group that a case belongs to: the first one.
pub fn group_of(groups: &[Group], platform: Platform, case: &ArithmeticCase) -> Option<usize> {
    groups.iter().position(|g| g.has(platform, case))
}

/// Writes the groups.
pub fn write(groups: &[Group]) {
    let text: String = groups.iter().map(|g| g.line() + "\n").collect();
    fs::write(file(), text).expect("a file");
}
