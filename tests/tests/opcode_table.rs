//! Every vISA instruction on every platform: lowered, or refused because the platform does not have it, for a reason
//! that stands in the table of `tests::impossible`.

use platforms::Platform;
use tests::{
    impossible::reason,
    opcodes::{FORMS, FormFate, try_form},
};

#[test]
fn refusals_are_the_platforms_or_listed() {
    let mut faults = Vec::new();
    for platform in Platform::ALL {
        for (name, lines) in FORMS {
            match try_form(platform, lines) {
                FormFate::Lowered => {}
                FormFate::BadText(why) => faults.push(format!("{name}: not understood: {why}")),
                FormFate::Refused(why) if reason(platform, &why).is_some() => {}
                FormFate::Refused(why) => faults.push(format!("{platform} {name}: {why}")),
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
