//! Every vISA instruction on every platform: lowered, or refused because the platform does not have it, for a reason
//! that stands in the table of `tests::impossible`.

use std::collections::BTreeSet;

use platforms::Platform;
use tests::{
    coverage,
    impossible::reason,
    messages::forms::{forms as message_forms, program as message_program},
    opcodes::{FORMS, FormFate, program, try_form},
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

/// Every opcode that a platform has stands in a list: messages in that whose forms are held against Intel's code one by one, what
/// computes in that of types and operands, all others among the small programs.
#[test]
fn every_instruction_has_a_form() {
    let computing = coverage::forms::forms();
    let programs = || {
        let messages = message_forms().into_iter().map(|f| message_program(&f.line, 64));
        let mut seen = BTreeSet::new();
        let first = computing.iter().filter(move |f| seen.insert(f.op)).map(|f| coverage::program(&f.line));
        messages.chain(first).chain(FORMS.iter().map(|(_, lines)| program(lines)))
    };
    let mut found = BTreeSet::new();
    for platform in [Platform::Skl, Platform::Pvc] {
        // What a platform has not is refused.
        let modules = programs().filter_map(|text| finalizer::read_text(text.as_bytes(), platform).ok());
        for kernel in modules.flat_map(|module| module.kernels.into_iter().chain(module.functions)) {
            found.extend(kernel.code.iter().map(|record| record.opcode.name()));
        }
    }
    let missing: Vec<_> = visa::table::rows()
        .filter(|row| Platform::ALL.iter().any(|p| row.is_on(p.caps())))
        .filter(|row| !found.contains(row.opcode.name()))
        .map(|row| row.name)
        .collect();
    assert_eq!(
        missing, [""; 0],
        "no form in `tests::messages::forms` or `tests::coverage::forms`, and no program in `tests::opcodes`"
    );
}
