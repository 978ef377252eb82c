//! Plants faults in Intel's code and says how many the emulator sees.
//!
//! ```text
//! cargo run --release -p tests --bin faults -- [--platform P,...] [--count 200] [--seed 1]
//! ```

use clap::Parser;
use std::collections::BTreeMap;

use platforms::Platform;
use tests::faults::{FaultVerdict, plant};

#[derive(Parser)]
struct Args {
    /// Platforms.
    #[arg(short, long, value_delimiter = ',', default_values_t = tests::data::devices(),
          value_parser = |s: &str| s.parse::<Platform>())]
    platform: Vec<Platform>,
    /// Faults a platform.
    #[arg(short, long, default_value_t = 200)]
    count: usize,
    /// What chooses them.
    #[arg(short, long, default_value_t = 1)]
    seed: u64,
}

fn main() {
    let Args { platform, count, seed } = Args::parse();
    for platform in platform {
        let planted = plant(platform, count, seed);
        let mut counts: BTreeMap<_, usize> = BTreeMap::new();
        for p in &planted {
            *counts.entry((p.kind, p.verdict.clone())).or_default() += 1;
            let what = match p.verdict {
                FaultVerdict::Missed => "missed".to_owned(),
                FaultVerdict::Masked(last) => format!("masked: other values down to {last:#x}, to no effect"),
                FaultVerdict::Dead(why) => format!("dead: {why}"),
                _ => continue,
            };
            println!("{platform}: {what}: {:?} in {} at {}", p.kind, p.kernel, p.place);
        }
        let of = |f: &dyn Fn(&FaultVerdict) -> bool| planted.iter().filter(|p| f(&p.verdict)).count();
        println!(
            "{platform}: {} faults: {} reported, {} by the static rules, {} changed the output, {} dead, \
             {} masked, {} missed",
            planted.len(),
            of(&|v| *v == FaultVerdict::Reported),
            of(&|v| *v == FaultVerdict::Static),
            of(&|v| *v == FaultVerdict::Changed),
            of(&|v| matches!(v, FaultVerdict::Dead(_))),
            of(&|v| matches!(v, FaultVerdict::Masked(_))),
            of(&|v| *v == FaultVerdict::Missed)
        );
        for ((kind, verdict), n) in counts {
            println!("  {n:>4}  {kind:?}: {verdict:?}");
        }
    }
}
