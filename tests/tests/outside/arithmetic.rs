//! Arithmetic beside Intel's code: what Intel computes otherwise belongs to a group of the table. All cases run by
//! `cargo run --release -p tests --bin arithmetic -- --intel`, which counts them, too; here runs a sample of each platform.

use platforms::Platform;
use tests::{
    arithmetic::{CaseOutcome, cases, known},
    oracle::GenxIr,
};

/// Of so many cases one is run.
const STEP: usize = 397;

pub fn what_intel_computes_otherwise_is_known(intel: GenxIr) {
    let groups = known::groups();
    let (mut faults, mut agree) = (Vec::new(), 0);
    for platform in Platform::ALL {
        for case in cases("").into_iter().step_by(STEP) {
            match case.judge(platform, Some(&intel)) {
                CaseOutcome::Agrees => agree += 1,
                CaseOutcome::IntelDiffers(_) if known::group_of(&groups, platform, &case).is_some() => {}
                CaseOutcome::Differs(what) | CaseOutcome::IntelDiffers(what) => {
                    faults.push(format!("{platform} {case}: {what}"));
                }
                CaseOutcome::Illegal(_) | CaseOutcome::Refused(_) => {}
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(agree > 100, "only {agree} cases were compared");
}
