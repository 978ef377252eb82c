//! Every arithmetic instruction, type by type: our code beside the vISA interpreter, and beside Intel's code.
//!
//! ```text
//! cargo run --release -p tests --bin arithmetic -- --platform skl,pvc [--op mov] [--intel] [--refused]
//! ```

use clap::Parser;
use platforms::Platform;
use std::collections::BTreeMap;
use tests::arithmetic::{Outcome, cases};

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
    /// Print what the finalizer refuses.
    #[arg(long)]
    refused: bool,
    /// Print what is no legal vISA.
    #[arg(long)]
    illegal: bool,
}

fn main() {
    let args = Args::parse();
    let intel = if args.intel { tests::oracle::GenxIr::find() } else { None };
    let mut failed = false;
    for platform in args.platform {
        let mut count: BTreeMap<&str, u32> = BTreeMap::new();
        for case in cases(&args.op) {
            if args.op.contains('.') && !case.op.starts_with(&args.op) {
                continue;
            }
            let judged = std::panic::catch_unwind(|| case.judge(platform, intel.as_ref()));
            let class = match judged.unwrap_or(Outcome::Differs("panics".into())) {
                Outcome::Agrees => "agree",
                Outcome::Illegal(why) => {
                    if args.illegal {
                        println!("{platform} {case}: illegal: {why}");
                    }
                    "are illegal"
                }
                Outcome::Refused(why) => {
                    if args.refused {
                        println!("{platform} {case}: refused: {why}");
                    }
                    "are refused"
                }
                Outcome::Differs(what) => {
                    println!("{platform} {case}: {what}");
                    "differ"
                }
            };
            *count.entry(class).or_default() += 1;
        }
        failed |= count.contains_key("differ");
        println!("{platform}: {count:?}");
    }
    std::process::exit(i32::from(failed));
}
