//! Takes changes of a variant back, one by one, and then instructions out, as long as it goes wrong.

use finalizer::Options;
use visa::VerifyOptions;

use super::{
    change::{Change, Variant},
    judge::{VariantOutcome, judge},
};
use crate::foreign::Choices;

/// Tries that a shrink may take.
const TRIES: usize = 3000;

struct Smaller<'a, 'm> {
    best: Variant<'m>,
    wrong: VariantOutcome,
    options: &'a Options,
    choices: Choices,
    tries: usize,
}

impl Smaller<'_, '_> {
    /// Keeps a change of the variant that leaves it wrong in the same way.
    fn keep(&mut self, changes: Vec<Change>) -> bool {
        let candidate = Variant { changes, ..self.best.clone() };
        if self.tries == 0 || !candidate.is_valid(VerifyOptions::for_platform(self.options.platform)) {
            return false;
        }
        self.tries -= 1;
        let judged = judge(&candidate, self.options, self.choices);
        let same = judged.is_wrong()
            && matches!(judged, VariantOutcome::Broken(_)) == matches!(self.wrong, VariantOutcome::Broken(_));
        if same {
            (self.best, self.wrong) = (candidate, judged);
        }
        same
    }

    fn take_back(&mut self) {
        let mut at = 0;
        while at < self.best.changes.len() {
            let mut changes = self.best.changes.clone();
            changes.remove(at);
            at += usize::from(changes.is_empty() || !self.keep(changes));
        }
    }

    /// Runs of instructions, long ones first.
    fn take_out(&mut self) {
        let len = self.best.original().code.len();
        let mut run = len.next_power_of_two() / 2;
        while run > 0 {
            for first in (0..len).step_by(run).rev() {
                let places = (first..(first + run).min(len)).filter(|at| !self.best.touches(*at));
                let edits: Vec<_> = places.map(|at| (at, Vec::new())).collect();
                if !edits.is_empty() {
                    let changes = self.best.changes.iter().cloned().chain([Change { edits }]).collect();
                    self.keep(changes);
                }
            }
            run /= 2;
        }
    }
}

/// The smallest variant found that goes wrong as this one does, and how that does.
pub fn shrink<'m>(
    variant: &Variant<'m>,
    wrong: VariantOutcome,
    options: &Options,
    choices: Choices,
) -> (Variant<'m>, VariantOutcome) {
    let mut s = Smaller { best: variant.clone(), wrong, options, choices, tries: TRIES };
    s.take_back();
    let mut before = usize::MAX;
    while s.best.kernel().code.len() < before && s.tries > 0 {
        before = s.best.kernel().code.len();
        s.take_out();
    }
    (s.best, s.wrong)
}
