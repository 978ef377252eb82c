//! Our messages beside Intel's, form by form.
//!
//! ```text
//! cargo run --release -p tests --bin messages -- --table
//! cargo run --release -p tests --bin messages -- --platform skl --texts by-hand.txt
//! ```

use std::{collections::BTreeMap, fs, path::PathBuf};

use clap::Parser;
use platforms::Platform;
use tests::{
    impossible::reason,
    messages::{
        MessageFate, asked,
        explained::{line, record},
        forms::{MessageForm, forms, read},
        judge, proof, random,
        record::RecordedCode,
        table,
    },
};

/// Compares the messages of our code with those of Intel's, for every form of every message instruction.
#[derive(Parser)]
struct Arguments {
    /// Platforms; all if none is named.
    #[arg(long = "platform", value_delimiter = ',')]
    platforms: Vec<Platform>,
    /// Ask Intel's finalizer anew, and write its answers to tests/data/messages.
    #[arg(long)]
    record: bool,
    /// Ask it for forms that have no answer yet.
    #[arg(long)]
    record_new: bool,
    /// Print how many forms of each instruction are equal, explained, refused; of random ones and those of a file, each that
    /// is not equal.
    #[arg(long)]
    table: bool,
    /// Print each form that is refused by us, and why.
    #[arg(long)]
    refused: bool,
    /// Print each form that Intel's finalizer alone refuses, what it says when asked now, and how the code differs that
    /// it makes without its verifier.
    #[arg(long)]
    why: bool,
    /// Print each difference that is explained: the row, platform, form, and what differs.
    #[arg(long)]
    explained: bool,
    /// Record all explained differences of the platforms in tests/data/messages.
    #[arg(long, conflicts_with = "only")]
    record_explained: bool,
    /// Prove each form that is not equal to Intel's by the interpreter, and print where that fails; random ones and those of a
    /// file, too.
    #[arg(long)]
    prove: bool,
    /// Prove those that are equal, too.
    #[arg(long)]
    prove_equal: bool,
    /// Random forms instead: so many, with Intel's finalizer asked about each. Printed are those that it alone takes, and
    /// those whose messages differ and that the interpreter does not prove.
    #[arg(long, value_name = "COUNT")]
    random: Option<usize>,
    /// Which random forms.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The lines of a file instead, one form each, with Intel's finalizer asked about each. Instructions of one form are
    /// separated by `; `.
    #[arg(long, value_name = "FILE", conflicts_with = "random")]
    texts: Option<PathBuf>,
    /// Only forms that contain this.
    #[arg(long, default_value = "")]
    only: String,
    /// Differences printed of each form.
    #[arg(long, default_value_t = 4)]
    lines: usize,
}

fn main() {
    let arguments = Arguments::parse();
    let named = !arguments.platforms.is_empty();
    let (mut differs, mut explained) = (0, Vec::new());
    let platforms: Vec<_> =
        Platform::ALL.into_iter().filter(|p| !named || arguments.platforms.contains(p)).collect();
    for &platform in &platforms {
        if arguments.record || arguments.record_new {
            RecordedCode::record(platform, arguments.record, &arguments.only);
            continue;
        }
        if let Some(file) = &arguments.texts {
            differs += beside_intel(platform, &arguments, by_hand(file, &arguments.only));
            continue;
        }
        if let Some(count) = arguments.random {
            differs +=
                beside_intel(platform, &arguments, random::forms(arguments.seed, count, &arguments.only));
            continue;
        }
        let recorded = RecordedCode::load(platform);
        let wanted = |f: &MessageForm| asked(platform, f) && f.line.contains(&arguments.only);
        let fates: Vec<_> = forms()
            .into_iter()
            .filter(wanted)
            .map(|form| {
                let fate = judge(platform, &form, &recorded);
                (form, fate)
            })
            .collect();
        if arguments.prove || arguments.prove_equal {
            prove(platform, &fates, arguments.prove_equal);
        }
        differs += tell(platform, &arguments, &fates, &mut explained);
        if arguments.table {
            println!("{}", table(platform, &fates));
        }
    }
    if arguments.explained {
        explained.iter().for_each(|line| println!("{line}"));
    }
    if arguments.record_explained {
        record(&platforms, &explained);
    }
    std::process::exit(i32::from(differs > 0));
}

/// Whether the interpreter proves the forms that are not equal to Intel's, or those, too; prints what it does not.
fn prove(platform: Platform, fates: &[(MessageForm, MessageFate)], equal: bool) {
    let other = fates.iter().filter(|(_, f)| match f {
        MessageFate::Explained(_) | MessageFate::RefusedByIntel(_) => true,
        MessageFate::Equal => equal,
        _ => false,
    });
    let (mut proved, mut count) = (0, 0);
    for (form, fate) in other {
        count += 1;
        match proof::prove(platform, form) {
            Ok(()) => proved += 1,
            Err(why) => println!("{platform} {}\t{}\t{why}", fate.name(), form.line.replace('\n', "; ")),
        }
    }
    println!("{platform}: {proved} of {count} proved");
}

/// Prints what differs and what was asked for, and keeps the lines of what is explained. Returns how many forms differ.
fn tell(
    platform: Platform,
    arguments: &Arguments,
    fates: &[(MessageForm, MessageFate)],
    explained: &mut Vec<String>,
) -> usize {
    let mut differs = 0;
    for (form, fate) in fates {
        let instructions = form.line.replace('\n', "; ");
        match fate {
            MessageFate::Differs(found) => {
                differs += 1;
                println!("{platform}: {instructions}");
                found.iter().take(arguments.lines).for_each(|d| println!("    {d}"));
            }
            MessageFate::Explained(found) => {
                explained.extend(found.iter().map(|(row, d)| line(platform, form, *row, d)));
            }
            MessageFate::RefusedByIntel(found) if arguments.why => {
                let why = tests::messages::record::refusal(platform, &form.line);
                println!("{platform}: {instructions}: Intel: {}", why.replace('\n', " "));
                found.iter().take(arguments.lines).for_each(|d| println!("    {d}"));
            }
            MessageFate::RefusedByUs(why) | MessageFate::RefusedByBoth(why) if arguments.refused => {
                println!("{platform}: {instructions}: refused: {why}");
            }
            _ => {}
        }
    }
    differs
}

/// The forms of a file.
fn by_hand(file: &PathBuf, only: &str) -> Vec<MessageForm> {
    let text = fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    let lines = text.lines().filter(|l| !l.trim().is_empty() && !l.starts_with("//") && l.contains(only));
    read(&lines.map(|line| line.replace("; ", "\n")).collect::<Vec<_>>())
}

/// Forms beside Intel's finalizer: how many are refused by us alone, or mean something else.
fn beside_intel(platform: Platform, arguments: &Arguments, mut forms: Vec<MessageForm>) -> usize {
    forms.retain(|form| asked(platform, form));
    let mut counts = BTreeMap::new();
    let mut open = 0;
    for form in forms {
        let recorded = RecordedCode::now(platform, std::slice::from_ref(&form));
        let fate = judge(platform, &form, &recorded);
        let (word, why) = match &fate {
            MessageFate::RefusedByUs(why) if reason(platform, why).is_some() => ("impossible", why.clone()),
            MessageFate::RefusedByUs(why) => ("refused by us", why.clone()),
            MessageFate::Differs(found) => {
                let found: Vec<_> = found.iter().take(arguments.lines).map(ToString::to_string).collect();
                let found = found.join("\n    ");
                match proof::prove(platform, &form) {
                    Ok(()) => ("differs, proved", found),
                    Err(why) => ("differs", format!("{why}\n    {found}")),
                }
            }
            MessageFate::Explained(found) => ("explained", found[0].1.to_string()),
            MessageFate::RefusedByBoth(why) => ("refused by both", why.clone()),
            fate => (fate.name(), String::new()),
        };
        let asked = match fate {
            MessageFate::Explained(_) | MessageFate::RefusedByIntel(_) => {
                arguments.prove || arguments.prove_equal
            }
            MessageFate::Equal => arguments.prove_equal,
            _ => false,
        };
        let (word, why) = match asked.then(|| proof::prove(platform, &form)) {
            Some(Err(unproved)) => ("not proved", format!("{word}: {unproved}")),
            _ => (word, why),
        };
        *counts.entry(word).or_insert(0) += 1;
        let is_open = matches!(word, "differs" | "refused by us" | "not proved");
        open += usize::from(is_open);
        if is_open || arguments.table && word != "equal" {
            println!("{platform} {word}\t{}\t{why}", form.line.replace('\n', "; "));
        }
    }
    println!("{platform}: {counts:?}");
    open
}
