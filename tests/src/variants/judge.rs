//! Finalizes a variant and launches it.

use finalizer::{Finalizer, Grf, Level, Options, PASSES, PassSet};
use platforms::Platform;

use super::change::Variant;
use crate::{
    foreign::{self, Choices, Launched},
    splitmix::SplitMix,
};

/// What refusals say that are faults of ours.
const OURS: [&str; 6] =
    ["BadCode", "RuleBroken", "WrongStage", "CannotEncode", "CannotStructure", "CannotWrite"];

/// What became of a variant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum VariantOutcome {
    /// The finalizer refuses it.
    Refused(String),
    /// It was launched, or could not be.
    Launched(Launched),
    /// Something of ours panics, or finds a fault of ours.
    Broken(String),
}

impl VariantOutcome {
    /// Whether something of ours is wrong.
    pub fn is_wrong(&self) -> bool {
        matches!(self, VariantOutcome::Launched(Launched::Wrong(_)) | VariantOutcome::Broken(_))
    }

    /// Whether it was launched and does what the interpreter does.
    pub fn agrees(&self) -> bool {
        *self == VariantOutcome::Launched(Launched::Agrees)
    }

    /// What is wrong, without numbers: of one sort are those that say the same.
    pub fn sort(&self) -> String {
        let what = match self {
            VariantOutcome::Refused(what) | VariantOutcome::Broken(what) => what,
            VariantOutcome::Launched(Launched::Agrees) => "agrees",
            VariantOutcome::Launched(Launched::Cannot(what) | Launched::Wrong(what)) => what,
        };
        let words = what.lines().next().unwrap_or_default().split(' ');
        words.filter(|w| !w.contains(|c: char| c.is_ascii_digit())).take(9).collect::<Vec<_>>().join(" ")
    }
}

/// The options that a seed makes: mostly all passes, now and then half of those that code is right without, or less
/// optimization.
pub fn settings(platform: Platform, grf: Grf, seed: u64) -> Options {
    let mut random = SplitMix::new(!seed);
    let (level, half) = match random.below(12) {
        0 => (Level::O0, false),
        1 => (Level::O1, false),
        2 | 3 => (Level::O2, true),
        _ => (Level::O2, false),
    };
    let left_out = PASSES.iter().filter(|p| half && p.optional && p.name != "check-rules");
    let skip = left_out
        .filter(|_| random.below(2) == 0)
        .filter_map(|p| PassSet::named(p.name))
        .fold(PassSet::NONE, PassSet::with);
    Options { verify: true, grf, skip, ..Options::with_level(platform, level) }
}

/// Judges a variant.
pub fn judge(variant: &Variant<'_>, options: &Options, choices: Choices) -> VariantOutcome {
    let judged = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let module = variant.module();
        match Finalizer::new(options.clone()).finalize_kernel(&module, variant.index) {
            Ok(binary) => {
                let run = |choices| foreign::run(options.platform, &module, variant.index, &binary, choices);
                // What is wrong is so whatever registers hold where nobody wrote: a predicate in doubt may stand beside one
                // that decides, an address in doubt where no lane goes by it.
                let launched = run(choices);
                let in_doubt = matches!(launched, Launched::Wrong(_));
                VariantOutcome::Launched(if in_doubt {
                    run(Choices { strict: false, ..choices })
                } else {
                    launched
                })
            }
            Err(faults) => match faults.0.first() {
                Some(d) if OURS.contains(&d.code) => VariantOutcome::Broken(d.to_string()),
                first => VariantOutcome::Refused(first.map_or(String::new(), |d| d.message.clone())),
            },
        }
    }));
    judged.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_owned()));
        VariantOutcome::Broken(text.unwrap_or_default())
    })
}
