//! Instructions over types and execution sizes (`tests::coverage`): what the emulator does with our code is what the
//! interpreter does with the vISA, and what is not stands in a list,
//! each form by itself. Of so many forms one runs here; all of
//! them by `--bin coverage`.

use platforms::Platform;
use tests::coverage::{Fate, forms::forms, judge, open, record::Recorded};

/// Of so many forms one is run.
const STEP: usize = 11;

fn check(platform: Platform) {
    let recorded = Recorded::load(platform);
    let mut open = open::load(platform);
    let mut faults = Vec::new();
    let mut proved = 0;
    for form in forms().into_iter().step_by(STEP) {
        let fate = judge(platform, &form, &recorded);
        proved += u32::from(fate == Fate::Proved);
        let known = open.remove(&form.line);
        if fate.is_open() != known.is_some() {
            faults.push(format!("{}: {}: {}", form.line.replace('\n', "; "), fate.name(), fate.detail()));
        }
    }
    assert!(
        faults.is_empty(),
        "{platform}: {} forms are other than `open.tsv` says (`coverage --record-open`)\n{}",
        faults.len(),
        faults.join("\n")
    );
    assert!(proved > 380, "{platform}: only {proved} forms are proved");
}

#[test]
fn broadwell() {
    check(Platform::Bdw);
}

#[test]
fn skylake() {
    check(Platform::Skl);
}

#[test]
fn ice_lake() {
    check(Platform::Icllp);
}

#[test]
fn tiger_lake() {
    check(Platform::Tgllp);
}

#[test]
fn ponte_vecchio() {
    check(Platform::Pvc);
}
