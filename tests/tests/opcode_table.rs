//! Every vISA instruction on every platform: lowered, or refused because the platform does not have it, for a reason
//! that stands in the table of `tests::impossible`.

use platforms::Platform;
use tests::{
    impossible::reason,
    opcodes::{FORMS, Fate, try_form},
};

#[test]
fn refusals_are_the_platforms_or_listed() {
    let mut faults = Vec::new();
    for platform in Platform::ALL {
        for (name, lines) in FORMS {
            match try_form(platform, lines) {
                Fate::Lowered => {}
                Fate::BadText(why) => faults.push(format!("{name}: not understood: {why}")),
                Fate::Refused(why) if reason(platform, &why).is_some() => {}
                Fate::Refused(why) => faults.push(format!("{platform} {name}: {why}")),
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
