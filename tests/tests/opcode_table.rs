//! Every vISA instruction on every platform: lowered, or refused because the platform does not have it.
//! What is still missing is listed here by name, so that a hole is seen when it opens and when it closes.

use platforms::Platform;
use tests::opcodes::{FORMS, Fate, try_form};

/// Forms that are refused somewhere although the platform has them.
const MISSING: &[&str] = &[
    // Intel's finalizer makes nothing of it.
    "breakpoint",
];

#[test]
fn refusals_are_the_platforms_or_listed() {
    let mut faults = Vec::new();
    let mut still_missing = vec![false; MISSING.len()];
    for platform in Platform::ALL {
        for (name, lines) in FORMS {
            let missing = MISSING.iter().position(|m| m == name);
            match try_form(platform, lines) {
                Fate::Lowered => {}
                Fate::BadText(why) => faults.push(format!("{name}: not understood: {why}")),
                Fate::Refused(why) if why.contains("does not exist") || why.contains("do not exist") => {}
                Fate::Refused(why) if why.contains("has no sampler") || why.contains("no 3D pipeline") => {}
                Fate::Refused(why) => match missing {
                    Some(i) => still_missing[i] = true,
                    None => faults.push(format!("{platform} {name}: {why}")),
                },
            }
        }
    }
    for (name, missing) in MISSING.iter().zip(still_missing) {
        if !missing {
            faults.push(format!("{name} is lowered everywhere: take it off the list"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
