//! Plants faults in Intel's code and says how many the emulator sees.
//!
//! ```text
//! cargo run --release -p tests --bin faults -- [PLATFORM|all] [PICKS] [SEED]
//! ```

use std::collections::BTreeMap;

use platforms::Platform;
use tests::faults::{Verdict, plant};

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let word = |i: usize, otherwise: &str| words.get(i).cloned().unwrap_or_else(|| otherwise.to_owned());
    let platforms: Vec<Platform> = match word(0, "all").as_str() {
        "all" => Platform::ALL.into_iter().filter(|p| *p != Platform::Bxt).collect(),
        name => vec![name.parse().expect("a platform")],
    };
    let picks = word(1, "200").parse().expect("a number of faults");
    let seed = word(2, "1").parse().expect("a seed");
    for platform in platforms {
        let planted = plant(platform, picks, seed);
        let mut counts: BTreeMap<_, usize> = BTreeMap::new();
        for p in &planted {
            *counts.entry((p.kind, p.verdict.clone())).or_default() += 1;
            let what = match p.verdict {
                Verdict::Missed => "missed".to_owned(),
                Verdict::Masked(last) => format!("masked: other values down to {last:#x}, to no effect"),
                Verdict::Dead(why) => format!("dead: {why}"),
                _ => continue,
            };
            println!("{platform}: {what}: {:?} in {} at {}", p.kind, p.kernel, p.place);
        }
        let of = |f: &dyn Fn(&Verdict) -> bool| planted.iter().filter(|p| f(&p.verdict)).count();
        println!(
            "{platform}: {} faults: {} reported, {} by the static rules, {} changed the output, {} dead, \
             {} masked, {} missed",
            planted.len(),
            of(&|v| *v == Verdict::Reported),
            of(&|v| *v == Verdict::Static),
            of(&|v| *v == Verdict::Changed),
            of(&|v| matches!(v, Verdict::Dead(_))),
            of(&|v| matches!(v, Verdict::Masked(_))),
            of(&|v| *v == Verdict::Missed)
        );
        for ((kind, verdict), n) in counts {
            println!("  {n:>4}  {kind:?}: {verdict:?}");
        }
    }
}
