//! Every arithmetic instruction, type by type: our code beside the vISA interpreter, and beside Intel's code.
//!
//! ```text
//! cargo run --release -p tests --bin arithmetic -- --platform skl,pvc [--op mov] [--intel] [--refused]
//! ```
//!
//! Where Intel's code differs, the case belongs to a group of `data/arithmetic/intel.tsv`, with as many as it says.

use clap::Parser;
use platforms::Platform;
use std::collections::BTreeMap;
use tests::arithmetic::{
    CaseOutcome, cases,
    known::{self, Group},
    modified,
};

#[derive(Parser)]
struct Args {
    /// Platforms.
    #[arg(short, long, value_delimiter = ',', default_values_t = Platform::ALL,
          value_parser = |s: &str| s.parse::<Platform>())]
    platform: Vec<Platform>,
    /// Only instructions whose name begins so; `mov.sat` means this very one.
    #[arg(short, long, default_value = "")]
    op: String,
    /// Ask Intel's finalizer too.
    #[arg(long)]
    intel: bool,
    /// Write how many cases of each group there are, for these platforms.
    #[arg(long)]
    record: bool,
    /// Print what the finalizer refuses.
    #[arg(long)]
    refused: bool,
    /// Integers under modifiers instead.
    #[arg(long, conflicts_with = "intel")]
    modified: bool,
    /// Print what is no legal vISA.
    #[arg(long)]
    illegal: bool,
}

fn main() {
    let args = Args::parse();
    let intel = if args.intel { tests::oracle::GenxIr::find() } else { None };
    let mut groups = known::groups();
    let mut failed = false;
    for &platform in &args.platform {
        let mut count: BTreeMap<&str, u32> = BTreeMap::new();
        let mut seen = vec![0; groups.len()];
        let modified = || modified().into_iter().filter(|c| c.op.starts_with(&args.op)).collect();
        for case in if args.modified { modified() } else { cases(&args.op) } {
            if args.op.contains('.') && !case.op.starts_with(&args.op) {
                continue;
            }
            let judged = std::panic::catch_unwind(|| case.judge(platform, intel.as_ref()));
            let class = match judged.unwrap_or(CaseOutcome::Differs("panics".into())) {
                CaseOutcome::Agrees => "agree",
                CaseOutcome::Illegal(why) => {
                    if args.illegal {
                        println!("{platform} {case}: illegal: {why}");
                    }
                    "are illegal"
                }
                CaseOutcome::Refused(why) => {
                    if args.refused {
                        println!("{platform} {case}: refused: {why}");
                    }
                    "are refused"
                }
                CaseOutcome::Differs(what) => {
                    println!("{platform} {case}: {what}");
                    "differ"
                }
                CaseOutcome::IntelDiffers(what) => match known::group_of(&groups, platform, &case) {
                    Some(group) => {
                        seen[group] += 1;
                        "are computed otherwise by Intel's code, as known"
                    }
                    None => {
                        println!("{platform} {case}: only Intel's: {what}");
                        "differ"
                    }
                },
            };
            *count.entry(class).or_default() += 1;
        }
        failed |= count.contains_key("differ");
        println!("{platform}: {count:?}");
        let whole = intel.is_some() && args.op.is_empty();
        if whole && args.record {
            record(&mut groups, platform, &seen);
        } else if whole {
            failed |= changed(&groups, platform, &seen);
        }
    }
    if args.record {
        known::write(&groups);
    }
    std::process::exit(i32::from(failed));
}

/// Has the groups say how many cases were seen.
fn record(groups: &mut [Group], platform: Platform, seen: &[u32]) {
    for (group, &seen) in groups.iter_mut().zip(seen) {
        if let Some(count) = group.counts.get_mut(&platform.to_string()) {
            *count = seen;
        }
        group.counts.retain(|_, count| *count != 0);
    }
}

/// Prints the groups that have more cases than they say, or fewer.
fn changed(groups: &[Group], platform: Platform, seen: &[u32]) -> bool {
    let mut any = false;
    for (group, &seen) in groups.iter().zip(seen) {
        let said = group.counts.get(&platform.to_string()).copied().unwrap_or(0);
        if said != seen {
            println!("{platform}: {}: {seen} cases, the table says {said}", group.name());
            any = true;
        }
    }
    any
}
