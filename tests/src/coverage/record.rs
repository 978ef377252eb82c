//! Whether Intel's finalizer takes the forms that we refuse, one compressed file a platform: a line for each of them,
//! `+` where it makes code and `-` where it does not. `cargo run -p tests --bin coverage -- --record` writes them, with `GenX_IR` and
//! `zstd` installed.

use std::{collections::BTreeMap, path::PathBuf};

use platforms::Platform;

use super::{
    forms::{Form, forms},
    ours::refuses,
    program::program,
};
use crate::{compressed, oracle::GenxIr};

/// All answers of a platform.
#[derive(Clone, Default, Debug)]
pub struct Recorded(BTreeMap<String, bool>);

fn file(platform: Platform) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("data/coverage/{platform}.txt.zst"))
}

impl Recorded {
    /// Reads the file of a platform; nothing where there is none.
    pub fn load(platform: Platform) -> Recorded {
        let Some(text) = compressed::read(&file(platform)) else { return Recorded::default() };
        let answer = |line: &str| (line[1..].replace("\\n", "\n"), line.starts_with('+'));
        Recorded(text.lines().map(answer).collect())
    }

    /// Whether Intel's finalizer takes a form. Panics where that is not recorded.
    pub fn takes(&self, line: &str) -> bool {
        *self
            .0
            .get(line)
            .unwrap_or_else(|| panic!("no answer is recorded for `{line}`: run `coverage --record-new`"))
    }

    /// Asks Intel's finalizer for all forms that we refuse, or those of them that are not recorded yet, and writes
    /// the file. What was recorded stays, whether we refuse it still or not.
    pub fn record(platform: Platform, all: bool) {
        let Some(genx) = GenxIr::find() else { return };
        let old = if all { Recorded::default() } else { Recorded::load(platform) };
        let forms = forms();
        let line = |form: &Form| {
            let takes = match old.0.get(&form.line) {
                Some(takes) => *takes,
                None if refuses(platform, form) => {
                    // It writes `illegal` where it does not know better, and takes nothing by that.
                    genx.finalize(platform, &program(&form.line), &["-noschedule"])
                        .is_ok_and(|made| !made.asm.lines().any(|l| l.trim().starts_with("illegal")))
                }
                None => return String::new(),
            };
            format!("{}{}\n", if takes { '+' } else { '-' }, form.line.replace('\n', "\\n"))
        };
        let (first, second) = forms.split_at(forms.len() / 2);
        let text: String = std::thread::scope(|scope| {
            let other = scope.spawn(|| second.iter().map(line).collect::<String>());
            first.iter().map(line).collect::<String>() + &other.join().expect("the other half")
        });
        compressed::write(&file(platform), &text);
    }
}
