//! `rules.tsv` beside the rules: each platform, invented ones too, has those that its row of capabilities gives it, and no
//! others.

use super::names;
use crate::Physical;
use platforms::{Caps, HalfMath, Mixing, Platform};
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

/// Who may be named as the source of a rule.
const SOURCES: [&str; 4] = ["PRM", "Mesa", "Intel", "Bspec"];

type Has = fn(&Caps) -> bool;

/// What the table says of platforms: words for what the rules ask of a platform's row. `!` before one says the contrary.
const HAS: [(&str, Has); 32] = [
    ("all", |_| true),
    ("align16", |c| c.words.ternary_align16),
    ("bf16", |c| c.ops.bf16),
    ("byte-sources", |c| c.regions.byte_sources),
    ("byte-swizzle", |c| c.errata.swizzled_words_to_bytes),
    ("byte-words", |c| c.errata.odd_words_to_bytes),
    ("even-writes", |c| c.regions.even_writes),
    ("float-regions", |c| c.regions.float_regions),
    ("fp64", |c| c.ops.fp64),
    ("grf64", |c| c.regs.grf_bytes == 64),
    ("grfs256", |c| c.regs.largest_file().grfs == 256),
    ("half-math", |c| c.ops.half_math != HalfMath::None),
    ("half-math-from-start", |c| c.ops.half_math == HalfMath::FromStart),
    ("int-div", |c| c.ops.int_div),
    ("int64", |c| c.ops.int64 || c.ops.mov64),
    ("int64-logic", |c| c.ops.int64_logic),
    ("mixed-moves", |c| c.regions.mixed_half.packs() || !c.regions.float_regions),
    ("mixes", |c| c.regions.mixed_half.packs()),
    ("mixes-in-sums", |c| c.regions.mixed_half.computes()),
    ("mixes-in-last-factors", |c| c.regions.mixed_half == Mixing::All),
    ("mul-dword-to-acc", |c| c.ops.mul_dword_to_acc),
    ("mul-source-mods", |c| c.ops.mul_source_mods),
    ("narrow-packs-restricted", |c| c.regions.narrow_packs_restricted),
    ("offset-by-size", |c| c.words.offset_by_size),
    ("registers-in-turn", |c| c.regions.registers_in_turn),
    ("responses-apart", |c| c.sends.responses_apart),
    ("restricted-64bit", |c| c.regions.restricted_64bit),
    ("sel-words", |c| c.errata.odd_words_of_sel),
    ("shift-by-qword", |c| c.ops.shift_by_qword),
    ("suppressed-addresses", |c| c.errata.suppressed_addresses),
    ("ternary-lanes-32", |c| c.words.ternary_lanes == 32),
    ("to-r127", |c| c.sends.to_r127),
];

/// The rows of `rules.tsv`: rule, platforms, source, a legal instruction, an instruction that breaks the rule.
fn table() -> impl Iterator<Item = [&'static str; 5]> {
    include_str!("../rules.tsv").lines().filter(|l| !l.starts_with('#')).map(|line| {
        let columns: Vec<&str> = line.split('\t').collect();
        columns.try_into().unwrap_or_else(|_| panic!("not five columns: {line}"))
    })
}

/// A word without the sign of its contrary.
fn plain(word: &str) -> &str {
    word.trim_start_matches('!')
}

/// Whether a platform is one of those that all words stand for.
fn is_one(platform: Platform, words: &str) -> bool {
    words.split(' ').all(|word| {
        let known = HAS.iter().find(|(name, _)| *name == plain(word));
        let (_, has) = known.unwrap_or_else(|| panic!("no word `{word}`"));
        has(platform.caps()) != word.starts_with('!')
    })
}

#[test]
fn platforms_have_the_rules_that_the_table_gives_them_and_no_others() {
    let mut faults = Vec::new();
    for [rule, platforms, source, legal, broken] in table() {
        if !SOURCES.iter().any(|s| source.contains(s)) {
            faults.push(format!("{rule}: `{source}` names none of {}", SOURCES.join(", ")));
        }
        for p in Platform::ROWS {
            let of = |text: &str| match crate::parse_inst::<Physical>(text) {
                Ok(i) => names(p, &i),
                Err(e) => panic!("{rule}: {text}: {e}"),
            };
            let here = is_one(p, platforms);
            if here && of(legal).contains(&rule) {
                faults.push(format!("{p} {rule}: {legal} breaks it"));
            }
            if broken != "-" && of(broken).contains(&rule) != here {
                let says = if here { "does not break it, but" } else { "breaks it, which it lacks:" };
                faults.push(format!("{p} {rule}: {broken} {says} {:?}", of(broken)));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn examples_are_for_registers_of_all_sizes() {
    let is_size = |word: &&str| plain(word).starts_with("grf");
    for [rule, words, ..] in table().filter(|row| row[1].split(' ').any(|word| is_size(&word))) {
        let others: Vec<&str> = words.split(' ').filter(|word| !is_size(word)).collect();
        let has_rule = |p: &Platform| others.is_empty() || is_one(*p, &others.join(" "));
        for p in Platform::ROWS.into_iter().filter(has_rule) {
            assert!(table().any(|row| row[0] == rule && is_one(p, row[1])), "{rule}: no row for {p}");
        }
    }
}

#[test]
fn every_word_is_used() {
    let used: BTreeSet<&str> = table().flat_map(|[_, words, ..]| words.split(' ')).map(plain).collect();
    for (word, has) in HAS {
        assert!(used.contains(word), "{word} stands nowhere");
        let holds = |p: &Platform| has(p.caps());
        assert!(word == "all" || Platform::ALL.iter().any(holds), "{word} is no platform's");
        assert!(word == "all" || !Platform::ALL.iter().all(holds), "{word} is every platform's");
    }
}

#[test]
fn every_rule_has_its_row() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/rules");
    let files = fs::read_dir(folder).expect("the rules' folder").map(|entry| entry.expect("a file").path());
    let is_source =
        |path: &PathBuf| path.extension().is_some_and(|e| e == "rs") && !path.ends_with("tests.rs");
    let sources: Vec<String> =
        files.filter(is_source).map(|path| fs::read_to_string(path).expect("text")).collect();
    let literal =
        |name: &&str| name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
    let calls = sources.iter().flat_map(|s| s.split("require(").skip(1));
    let named = calls.filter_map(|call| call.split('"').nth(1)).filter(literal);
    let named: BTreeSet<&str> = named.collect();
    let rows: BTreeSet<&str> = table().map(|[rule, ..]| rule).collect();
    assert_eq!(named, rows, "rules of the code beside those of the table");
}
