//! Instructions over types and execution sizes (`tests::coverage`): what the emulator does with our code is what the
//! interpreter does with the vISA, and what we alone refuse stands in a list. Of so many forms one runs here; all of
//! them by `--bin coverage`.

use platforms::Platform;
use tests::coverage::{Fate, forms::forms, judge, record::Recorded};

/// Of so many forms one is run.
const STEP: usize = 11;

/// Instructions of which some form is open, and what is.
const OPEN: &[(&str, &str)] = &[
    (
        "add",
        "doubles and qwords from other types: which type sums are made in; saturation of 64 bits before Xe-HPC",
    ),
    ("add3", "saturation where two additions stand for it"),
    ("add3.o", "no platform has it"),
    ("asr", "qword counts"),
    ("div", "doubles to bytes, floats by integers"),
    ("fcvt", "dwords to and from floats"),
    ("mad", "integers from floats"),
    ("mul", "floats from integers, qwords from words before Xe-HPC"),
    ("not", "saturation of 64 bits before Xe-HPC"),
    ("rol", "qword counts"),
    ("ror", "qword counts"),
    ("sel", "saturation of 64 bits"),
    ("shl", "qword counts, saturation of 64 bits"),
    ("shr", "qword counts"),
    ("srnd", "types other than the two that the hardware has"),
    ("lrp", "doubles"),
];

fn check(platform: Platform) {
    let recorded = Recorded::load(platform);
    let mut faults = Vec::new();
    let mut proved = 0;
    for form in forms().into_iter().step_by(STEP) {
        let fate = judge(platform, &form, &recorded);
        match fate {
            Fate::Proved => proved += 1,
            Fate::Wrong(_) | Fate::Refused(_) if OPEN.iter().all(|o| o.0 != form.op) => {
                faults.push(format!("{}: {}: {}", form.line.replace('\n', "; "), fate.name(), fate.detail()));
            }
            _ => {}
        }
    }
    assert!(faults.is_empty(), "{platform}: {}\n{}", faults.len(), faults.join("\n"));
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
