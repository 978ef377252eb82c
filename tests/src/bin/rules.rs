//! How often Intel's compilers keep each rule of `gen_ir::rules`: the instructions of their code of which a rule asks
//! something, by platform. None may break one.
//!
//! ```text
//! cargo run --release -p tests --bin rules -- skl pvc --programs FOLDER > tests/data/rules.tsv
//! ```

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    process::ExitCode,
};

use clap::Parser;
use encoder::decode_all;
use platforms::Platform;
use tests::{data::kernels, programs::Corpus, rules::newer_than_its_code};

#[derive(Parser)]
struct Args {
    #[command(flatten)]
    corpus: Corpus,
}

/// What the rules say of one platform's code.
#[derive(Default)]
struct Count {
    instructions: usize,
    /// By rule: instructions that keep it and that break it.
    asked: BTreeMap<&'static str, [usize; 2]>,
    broken: Vec<String>,
}

impl Count {
    fn add(&mut self, platform: Platform, kernel: &str, code: &[u8]) {
        for inst in decode_all(platform, code).filter_map(|d| d.inst.ok()) {
            self.instructions += 1;
            let mut asked = BTreeMap::new();
            gen_ir::rules::each(platform, &inst, &mut |rule, holds| {
                *asked.entry(rule).or_insert(true) &= holds
            });
            for (rule, holds) in asked {
                self.asked.entry(rule).or_default()[usize::from(!holds)] += 1;
                if !holds && !newer_than_its_code(platform, rule) {
                    self.broken.push(format!("{rule}: {kernel}: {inst}"));
                }
            }
        }
    }
}

fn main() -> io::Result<ExitCode> {
    let args = Args::parse();
    let mut counts = Vec::new();
    for &platform in &args.corpus.platforms {
        let mut count = Count::default();
        for kernel in kernels(platform) {
            count.add(platform, &kernel.id(), &kernel.dat);
        }
        args.corpus.each(platform, &mut |p| count.add(platform, &p.id, &p.code))?;
        counts.push(count);
    }
    let rules: BTreeSet<_> = counts.iter().flat_map(|c| c.asked.keys().copied()).collect();
    let row = |name: &str, of: &dyn Fn(&Count) -> [usize; 2]| {
        let number = |[kept, broken]: [usize; 2]| match broken {
            0 => kept.to_string(),
            _ => format!("{kept}, broken by {broken}"),
        };
        let numbers: Vec<String> = counts.iter().map(|c| number(of(c))).collect();
        println!("{name}\t{}", numbers.join("\t"));
    };
    println!(
        "# Instructions of Intel's code that each rule asked something of and was silent on: `rules` (tests) writes it."
    );
    println!(
        "rule\t{}",
        args.corpus.platforms.iter().map(ToString::to_string).collect::<Vec<_>>().join("\t")
    );
    row("all instructions", &|c| [c.instructions, 0]);
    for rule in rules {
        row(rule, &|c| c.asked.get(rule).copied().unwrap_or_default());
    }
    for fault in counts.iter().flat_map(|c| &c.broken) {
        eprintln!("{fault}");
    }
    Ok(if counts.iter().all(|c| c.broken.is_empty()) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
