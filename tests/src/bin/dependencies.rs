//! What our code and Intel's fail to wait for ([`tests::dependencies`]): the test kernels, a folder of real programs,
//! random programs.
//!
//! ```text
//! cargo run --release -p tests --bin dependencies -- pvc [--programs FOLDER] [--random 1000 --seed 1] [--intel]
//! ```

use std::{collections::BTreeMap, io, process::ExitCode};

use clap::Parser;
use finalizer::{Finalizer, Grf, Options};
use gen_ir::RegisterSet;
use platforms::Platform;
use tests::{
    data::kernels,
    dependencies::{Hazard, Unmet, unmet},
    differential::module,
    programs::Corpus,
    visa_random::{Settings, generate},
};

#[derive(Parser)]
struct Args {
    #[command(flatten)]
    corpus: Corpus,
    /// So many random vISA programs instead.
    #[arg(long, default_value_t = 0)]
    random: u64,
    /// The first random program.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Registers of a thread in random programs.
    #[arg(long, default_value = "128")]
    grf: Grf,
    /// Intel's code instead of ours.
    #[arg(long)]
    intel: bool,
    /// Findings to print.
    #[arg(long, default_value_t = 20)]
    print: usize,
}

#[derive(Default)]
struct Counts {
    codes: usize,
    kinds: BTreeMap<Hazard, usize>,
    shown: Vec<String>,
}

impl Counts {
    /// Counts what some code fails to wait for; the first `print` findings of all are put into words.
    fn add(&mut self, platform: Platform, id: &str, code: &[u8], addressed: RegisterSet, print: usize) {
        self.codes += 1;
        for u in unmet(platform, code, addressed) {
            *self.kinds.entry(u.hazard).or_default() += 1;
            // A line decodes the code up to its instructions.
            if self.shown.len() < print {
                self.shown.push(format!("{id}: {}", line(platform, code, u)));
            }
        }
    }
}

/// A finding with its two instructions.
fn line(platform: Platform, code: &[u8], unmet: Unmet) -> String {
    let inst = |at: u32| {
        let found = encoder::decode_all(platform, code).find(|d| d.offset == at);
        found.and_then(|d| d.inst.ok()).map_or(String::new(), |i| i.to_string())
    };
    let Unmet { before, at, hazard } = unmet;
    format!("{hazard:?}\n    {before:#x}: {}\n    {at:#x}: {}", inst(before), inst(at))
}

fn main() -> io::Result<ExitCode> {
    let args = Args::parse();
    let mut failed = false;
    for &platform in &args.corpus.platforms {
        let mut counts = Counts::default();
        let mut finalizer = Finalizer::new(Options::new(platform));
        let mut ours = |counts: &mut Counts, id: &str, module: &visa::Module, index: usize, grf: Grf| {
            finalizer.options_mut().grf = grf;
            if let Ok(binary) = finalizer.finalize_kernel(module, index) {
                counts.add(platform, id, &binary.code, binary.stats.addressed, args.print);
            }
        };
        for seed in args.seed..args.seed + args.random {
            let program = generate(Settings { grf: args.grf, ..Settings::new(platform) }, seed);
            if let Ok(module) = finalizer::read_text(program.text().as_bytes(), platform) {
                ours(&mut counts, &format!("seed {seed}"), &module, 0, args.grf);
            }
        }
        args.corpus.each(platform, &mut |p| match args.intel {
            true => counts.add(platform, &p.id, &p.code, RegisterSet::ALL, args.print),
            false => ours(&mut counts, &p.id, &p.module, p.index, p.grf),
        })?;
        for k in kernels(platform).iter().filter(|_| args.corpus.programs.is_empty() && args.random == 0) {
            match args.intel {
                true => counts.add(platform, &k.id(), &k.dat, RegisterSet::ALL, args.print),
                false => {
                    if let Ok(module) = module(platform, k) {
                        ours(&mut counts, &k.id(), &module, 0, Grf::Kernel);
                    }
                }
            }
        }
        counts.shown.iter().for_each(|l| println!("{l}"));
        println!("{platform}: {} codes, {:?}", counts.codes, counts.kinds);
        failed |= !counts.kinds.is_empty();
    }
    Ok(ExitCode::from(u8::from(failed)))
}
