//! Nothing counts as impossible on a platform without a source that says so (`tests::impossible`), and every opcode
//! of vISA is in the tables.

use std::collections::{BTreeMap, BTreeSet};

use platforms::Platform;
use tests::{
    coverage,
    impossible::{reason, reasons},
    messages,
};

/// Each row is what its example is refused for, wherever it says so.
#[test]
fn examples_are_refused_in_these_words() {
    let mut faults = Vec::new();
    for row in reasons() {
        for &platform in &row.platforms {
            let refusal = if row.is_message {
                messages::ours(platform, row.example).err()
            } else {
                coverage::refusal(platform, row.example)
            };
            if !refusal.as_ref().is_some_and(|why| why.contains(row.words)) {
                faults.push(format!(
                    "{platform}: `{}` is refused for {refusal:?}, its row says `{}`",
                    row.example, row.words
                ));
            }
        }
        assert!(row.source.len() > 10, "{}: no source", row.words);
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Forms of messages that nobody takes, or we do not, are impossible for a reason that stands in the table.
#[test]
fn messages_are_refused_for_a_reason() {
    for platform in Platform::ALL {
        let mut faults = Vec::new();
        for form in messages::forms::forms().into_iter().filter(|f| messages::asked(platform, f)) {
            if let Err(why) = messages::ours(platform, &form.line)
                && reason(platform, &why).is_none()
            {
                faults.push(format!("{}: {why}", form.line.replace('\n', "; ")));
            }
        }
        assert!(faults.is_empty(), "{platform}: {}\n{}", faults.len(), faults.join("\n"));
    }
}

/// Every opcode has forms in the generated table (`--bin states`): those of vISA, by number and name as the specification and
/// the mnemonic table of Intel's finalizer (IGC 2.x, visa/IsaDescription.cpp, `ISA_Inst_Table`) have them, with the platform that they
/// came with where that is none of ours; and no row of ours is of another.
#[test]
fn every_opcode_is_in_a_table() {
    let mut shown = BTreeSet::new();
    let mut read = |text: &str| {
        let Ok(module) = finalizer::read_text(text.as_bytes(), Platform::Pvc) else { return };
        let records = module.kernels.iter().chain(&module.functions).flat_map(|k| &k.code);
        shown.extend(records.map(|record| record.opcode.raw()));
    };
    let mut seen = BTreeSet::new();
    for form in messages::forms::forms().into_iter().filter(|f| seen.insert(f.op)) {
        read(&messages::forms::program(&form.line, 64));
    }
    for form in coverage::forms::forms().into_iter().filter(|f| seen.insert(f.op)) {
        read(&coverage::program(&form.line));
    }
    let mut missing = Vec::new();
    let mut count = 0;
    let mut listed = BTreeMap::new();
    for line in include_str!("../data/opcodes.tsv").lines() {
        let [number, name, later] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        count += 1;
        let number: u8 = number.parse().expect("a number");
        listed.insert(number, name);
        if later.is_empty() && !shown.contains(&number) {
            missing.push(format!("{number:#x} {name}"));
        }
    }
    assert!(count > 130 && missing.is_empty(), "{count} opcodes, missing: {missing:#?}");
    let unlisted: Vec<_> = visa::Opcode::ALL
        .iter()
        .filter(|opcode| listed.get(&opcode.raw()) != Some(&&*opcode.to_string()))
        .map(|opcode| format!("{} {opcode}", opcode.raw()))
        .collect();
    assert!(unlisted.is_empty(), "opcodes without their line in opcodes.tsv: {unlisted:?}");
}

/// Types that the specification's pages name (`data/types.tsv`): each pair of result and sources has a form.
#[test]
fn every_type_of_the_specification_is_in_a_form() {
    let forms = coverage::forms::forms();
    let mut missing = Vec::new();
    let mut pairs = 0;
    for line in include_str!("../data/types.tsv").lines().filter(|l| !l.starts_with('#')) {
        let [op, results, sources] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        for to in results.split(',') {
            for from in if sources == "=" { vec![to] } else { sources.split(',').collect() } {
                pairs += 1;
                let has = |f: &coverage::forms::Form| {
                    let head =
                        f.line.strip_prefix("(P2) ").or(f.line.strip_prefix("(P1) ")).unwrap_or(&f.line);
                    let named = head.strip_prefix(op).is_some_and(|rest| rest.starts_with([' ', '.']));
                    named && head.contains(&format!(" X_{to}(")) && head.contains(&format!(" A_{from}("))
                };
                if !forms.iter().any(has) {
                    missing.push(format!("{op} {to} {from}"));
                }
            }
        }
    }
    assert!(pairs > 700 && missing.is_empty(), "{pairs} pairs, missing: {missing:#?}");
}
