//! The table of all forms: opcode, form, platform, and the state, with what says so where that is a source.
//!
//! ```text
//! cargo run --release -p tests --bin states -- --platform skl --only sample_d
//! ```
//!
//! Messages are equal to Intel's, proved by the vISA interpreter, or impossible; arithmetic is proved or impossible. A form
//! that is none of these is open, and the exit status 1.

use std::collections::BTreeMap;

use clap::Parser;
use platforms::Platform;
use tests::{
    coverage, impossible,
    messages::{self, State},
};

/// Prints the state of every form of every instruction.
#[derive(Parser)]
struct Args {
    /// Platforms; all if none is named.
    #[arg(long = "platform", value_delimiter = ',')]
    platforms: Vec<Platform>,
    /// Only forms that contain this.
    #[arg(long, default_value = "")]
    only: String,
    /// Print how many forms of each opcode have which state, instead of each.
    #[arg(long)]
    summary: bool,
}

/// Opcode, form, state, and what there is to say of it.
type Row = (&'static str, String, &'static str, String);

fn message_rows(platform: Platform, only: &str) -> Vec<Row> {
    let recorded = messages::record::RecordedCode::load(platform);
    let forms = messages::forms::forms().into_iter();
    let row = |form: messages::forms::MessageForm| {
        let fate = messages::judge(platform, &form, &recorded);
        let state = messages::state(platform, &form, &fate);
        let why = match &state {
            State::Impossible(source) => (*source).to_owned(),
            State::Open(why) => why.clone(),
            State::Equal | State::Proved => String::new(),
        };
        (form.op, form.line, state.name(), why)
    };
    forms.filter(|f| messages::asked(platform, f) && f.line.contains(only)).map(row).collect()
}

fn arithmetic_rows(platform: Platform, only: &str) -> Vec<Row> {
    let recorded = coverage::record::Recorded::load(platform);
    let row = |form: coverage::forms::Form| {
        let (name, why) = match coverage::judge(platform, &form, &recorded) {
            coverage::Fate::Proved => ("proved", String::new()),
            coverage::Fate::Impossible(why) => match impossible::reason(platform, &why) {
                Some(reason) => ("impossible", reason.source.to_owned()),
                None => ("open", format!("refused without a source: {why}")),
            },
            fate => ("open", format!("{}: {}", fate.name(), fate.detail())),
        };
        (form.op, form.line, name, why)
    };
    coverage::forms::forms().into_iter().filter(|f| f.line.contains(only)).map(row).collect()
}

fn main() {
    let args = Args::parse();
    let named = !args.platforms.is_empty();
    let mut open = 0;
    for platform in Platform::ALL.into_iter().filter(|p| !named || args.platforms.contains(p)) {
        let mut rows = message_rows(platform, &args.only);
        rows.extend(arithmetic_rows(platform, &args.only));
        let mut counts: BTreeMap<&str, BTreeMap<&str, usize>> = BTreeMap::new();
        let mut total: BTreeMap<&str, usize> = BTreeMap::new();
        for (op, line, state, why) in &rows {
            open += usize::from(*state == "open");
            *counts.entry(op).or_default().entry(state).or_default() += 1;
            *total.entry(state).or_default() += 1;
            if !args.summary || *state == "open" {
                println!(
                    "{platform}\t{op}\t{}\t{state}\t{}",
                    line.replace('\n', "; "),
                    why.replace('\n', " ")
                );
            }
        }
        if args.summary {
            for (op, states) in counts {
                println!("{platform}\t{op}\t{states:?}");
            }
        }
        println!("{platform}: {total:?}");
    }
    std::process::exit(i32::from(open > 0));
}
