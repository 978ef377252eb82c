//! Our messages beside those of Intel's finalizer, form by form (`tests::messages`).

use std::collections::BTreeSet;

use platforms::Platform;
use tests::messages::{
    MessageFate, State, asked, compare, explained,
    forms::{MessageForm, forms},
    judge, ours, proof,
    record::{IntelAnswer, RecordedCode},
    state,
};

/// No form differs for a reason that is not known.
fn check(platform: Platform) {
    let recorded = RecordedCode::load(platform);
    let mut equal = 0;
    let (mut differs, mut found, mut open) = (Vec::new(), BTreeSet::new(), Vec::new());
    for form in forms().into_iter().filter(|form| asked(platform, form)) {
        let fate = judge(platform, &form, &recorded);
        // Equal, proved by the interpreter, or impossible: no other state.
        if let State::Open(why) = state(platform, &form, &fate) {
            open.push(format!("{}: {why}", form.line));
        }
        match fate {
            MessageFate::Differs(found) => differs.push(format!("{}: {}", form.line, found[0])),
            MessageFate::Explained(rows) => {
                found.extend(rows.iter().map(|(row, d)| explained::line(platform, &form, *row, d)));
            }
            fate => equal += usize::from(fate == MessageFate::Equal),
        }
    }
    assert!(open.is_empty(), "{platform}: {} without a state\n{}", open.len(), open.join("\n"));
    assert!(differs.is_empty(), "{platform}: {}\n{}", differs.len(), differs.join("\n"));
    // Each explained difference has the values that it had when it was explained.
    let of = |line: &String| explained::is_of(line, platform);
    let known: BTreeSet<String> = explained::recorded().into_iter().filter(of).collect();
    let new: Vec<_> = found.difference(&known).take(20).collect();
    let gone: Vec<_> = known.difference(&found).take(20).collect();
    assert!(new.is_empty() && gone.is_empty(), "{platform}: new {new:#?}, gone {gone:#?}");
    assert!(equal > 900, "{platform}: only {equal} forms are equal");
}

platforms::test_on_each!(check);

/// The judge sees another descriptor, another payload, another guard, another result.
#[test]
fn other_messages_differ() {
    let recorded = RecordedCode::load(Platform::Skl);
    for (a, b, field) in [
        ("oword_ld (4) T6 0x40:ud X.0", "oword_ld (8) T6 0x40:ud X.0", "descriptor"),
        ("oword_ld (4) T6 0x40:ud X.0", "oword_ld (4) T6 0x0:ud X.0", "payload[2]"),
        (
            "gather4_scaled.RG (M1, 16) T6 0x0:ud Y.0 X.0",
            "gather4_scaled.GB (M1, 16) T6 0x0:ud Y.0 X.0",
            "descriptor",
        ),
        (
            "(P1) gather4_scaled.RG (M1, 8) T6 0x0:ud Y.0 X.0",
            "gather4_scaled.RG (M1, 8) T6 0x0:ud Y.0 X.0",
            "channels",
        ),
        ("media_ld.nomod (8,6) T6 0 D(0,4)<0;1,0> 0x8:ud X.0", "oword_ld (4) T6 0x0:ud X.0", "function"),
    ] {
        let code = ours(Platform::Skl, a).expect("code");
        let IntelAnswer::Code(intel) = recorded.answer(b) else { panic!("{b} was refused") };
        let form = MessageForm { op: "", line: a.to_owned() };
        let found = compare::compare(Platform::Skl, &form, &code, intel);
        assert!(found.iter().any(|d| d.field == field), "{a}: {found:?}");
    }
}

/// No row explains what is nowhere.
#[test]
fn every_row_explains_something() {
    let row = |line: String| line.split('\t').next().and_then(|r| r.parse::<usize>().ok()).expect("a row");
    let used: BTreeSet<_> = explained::recorded().into_iter().map(row).collect();
    assert!(used.into_iter().eq(0..explained::ROWS.len()));
}

/// The proof fails where the code is that of another form: other memory, another result, other questions to the sampler.
#[test]
fn other_code_is_no_proof() {
    for (a, b) in [
        ("dword_atomic.add (M1, 16) T6 Y.0 Z.0 V0.0 X.0", "dword_atomic.sub (M1, 16) T6 Y.0 Z.0 V0.0 X.0"),
        ("svm_gather.4.2 (M1, 16) Yq.0 X.0", "svm_gather.4.1 (M1, 16) Yq.0 X.0"),
        ("lod.RG (M1, 16) 0x0:uw S0 T6 X.0 Y.0 Z.0", "lod.RG (M1, 16) 0x123:uw S0 T6 X.0 Y.0 Z.0"),
        (
            "sample_d.R (M1, 8) 0x0:uw S0 T6 X.0 Y.0 Z.0 W.0 Y.32 Z.32 W.32",
            "sample_d.R (M1, 8) 0x0:uw S0 T6 X.0 Y.0 Z.0 W.0 Y.32 Z.32 W.64",
        ),
        ("(P1) scatter_scaled.4 (M1, 16) T6 0x0:ud Y.0 X.0", "scatter_scaled.4 (M1, 16) T6 0x0:ud Y.0 X.0"),
    ] {
        let named = forms().into_iter().find(|f| f.line == a).map(|f| f.op).expect("a form");
        let form = |line: &str| MessageForm { op: named, line: line.to_owned() };
        let (a, b) = (form(a), form(b));
        assert_eq!(proof::prove(Platform::Skl, &a), Ok(()), "{}", a.line);
        assert_eq!(proof::prove(Platform::Skl, &b), Ok(()), "{}", b.line);
        assert!(proof::prove_as(Platform::Skl, &a, &b).is_err(), "{} as {}", b.line, a.line);
    }
}
