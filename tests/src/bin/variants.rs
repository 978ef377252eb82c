//! Valid variants of real kernels: our code on the emulator beside the interpreter.
//!
//! ```text
//! cargo run --release -p tests --bin variants -- --platform skl,pvc [--count 20000] [--seed 1] [--programs FOLDER]...
//! ```
//!
//! Prints the first variant of each sort that goes wrong, shrunk; with `--keep` all that do. `--only` names a part of the
//! path of kernels.

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
    rc::Rc,
};

use clap::Parser;
use finalizer::Grf;
use platforms::Platform;
use tests::{
    data,
    foreign::Choices,
    interpreted, programs,
    splitmix::SplitMix,
    variants::{Variant, draw, judge, settings, shrink},
};
use visa::{Module, text::TextOptions};

#[derive(Parser)]
struct Args {
    /// Platforms.
    #[arg(short, long, value_delimiter = ',', default_values_t = Platform::ALL,
          value_parser = |s: &str| s.parse::<Platform>())]
    platform: Vec<Platform>,
    /// Variants a platform.
    #[arg(short, long, default_value_t = 1000)]
    count: u64,
    /// The first variant's seed; the next ones follow.
    #[arg(short, long, default_value_t = 1)]
    seed: u64,
    /// Kernels of these folders, as `corpus --programs` finds them, instead of the test kernels.
    #[arg(long)]
    programs: Vec<PathBuf>,
    /// Only kernels whose path contains this.
    #[arg(long, default_value = "")]
    only: String,
    /// Instructions of a kernel, at most.
    #[arg(long, default_value_t = 1500)]
    largest: usize,
    /// vISA instructions that a launch may take.
    #[arg(long, default_value_t = 20_000)]
    limit: u64,
    /// Print every variant that goes wrong.
    #[arg(long)]
    keep: bool,
    /// Print each reason why there is nothing to compare, too.
    #[arg(long)]
    reasons: bool,
    /// Print variants as they are made.
    #[arg(long)]
    print: bool,
}

/// Variants of a kernel that was read.
const OF_EACH: u64 = 8;

/// Where a kernel is found.
enum Place {
    /// A file of a folder.
    File(PathBuf, PathBuf),
    /// Among the test kernels.
    Test(usize),
}

/// A kernel to make variants of.
struct Seed {
    id: String,
    module: Rc<Module>,
    index: usize,
    grf: Grf,
}

fn places(args: &Args, platform: Platform) -> io::Result<Vec<Place>> {
    let wanted = |path: &Path| path.to_string_lossy().contains(&args.only);
    let mut all = Vec::new();
    for folder in &args.programs {
        let files = programs::files(folder, platform)?.into_iter().filter(|f| wanted(f));
        all.extend(files.map(|file| Place::File(folder.clone(), file)));
    }
    if args.programs.is_empty() {
        let kernels = data::kernels(platform).iter().enumerate();
        all.extend(kernels.filter(|(_, k)| wanted(Path::new(&k.id()))).map(|(i, _)| Place::Test(i)));
    }
    Ok(all)
}

/// The kernels of a place; none of one that cannot be read.
fn load(platform: Platform, place: &Place) -> io::Result<Vec<Seed>> {
    let (folder, file) = match place {
        Place::File(folder, file) => (folder, file),
        Place::Test(index) => {
            let kernel = &data::kernels(platform)[*index];
            let module = interpreted::module(platform, kernel).ok().map(Rc::new);
            let seed = |module| Seed { id: kernel.id(), module, index: 0, grf: Grf::Kernel };
            return Ok(module.map(seed).into_iter().filter(|s| !s.module.kernels.is_empty()).collect());
        }
    };
    let mut programs = programs::load(folder, file, platform, &mut |_| {})?;
    for program in &mut programs {
        for text in programs::functions(file) {
            if let Ok(functions) = finalizer::read_text(text.as_bytes(), platform) {
                Rc::make_mut(&mut program.module).link(functions);
            }
        }
    }
    let seed = |p: programs::Program| Seed { id: p.id, module: p.module, index: p.index, grf: p.grf };
    Ok(programs.into_iter().map(seed).collect())
}

#[derive(Default)]
struct Counts {
    drawn: u64,
    agree: u64,
    wrong: u64,
    cannot: BTreeMap<String, u64>,
    seen: BTreeMap<String, u64>,
}

impl Counts {
    fn add(&mut self, args: &Args, platform: Platform, kernel: &Seed, seed: u64) {
        let Some(variant) = draw(platform, &kernel.module, kernel.index, seed) else { return };
        self.drawn += 1;
        if args.print {
            println!("{}", text(platform, &variant));
        }
        let options = settings(platform, kernel.grf, seed);
        let choices = Choices { limit: args.limit, seed: 1 + seed % 4, ..Choices::default() };
        let judged = judge(&variant, &options, choices);
        if judged.agrees() {
            self.agree += 1;
        } else if judged.is_wrong() {
            self.wrong += 1;
            let times = self.seen.entry(judged.sort()).or_default();
            *times += 1;
            if *times == 1 || args.keep {
                println!("{platform} seed {seed}, {}: {judged:?}", kernel.id);
                let (small, judged) = shrink(&variant, judged, &options, choices);
                println!("{:?}: {judged:?}\n{}", options.level, text(platform, &small));
            }
        } else {
            *self.cannot.entry(judged.sort()).or_default() += 1;
        }
    }
}

/// The kernel of a variant, without declarations of what it does not name.
fn text(platform: Platform, variant: &Variant<'_>) -> String {
    let options = TextOptions { grf_bytes: platform.caps().regs.grf_bytes.into(), ..TextOptions::default() };
    let mut module = variant.module();
    let kernel = module.kernels.swap_remove(variant.index);
    module.kernels = vec![kernel];
    let text = visa::text::print(&module, options);
    let mut lines: Vec<&str> = text.lines().filter(|l| !l.is_empty() && !l.starts_with("//")).collect();
    let name = |line: &str| line.strip_prefix(".decl ").and_then(|l| l.split(' ').next().map(str::to_owned));
    loop {
        let names = |line: &&str, name: &str| {
            line.split(|c: char| !c.is_alphanumeric() && c != '_').any(|w| w == name)
        };
        let named = |n: &str| lines.iter().filter(|l| names(l, n)).count() > 1;
        let left: Vec<&str> = lines.iter().copied().filter(|l| name(l).is_none_or(|n| named(&n))).collect();
        if left.len() == lines.len() {
            return lines.join("\n");
        }
        lines = left;
    }
}

fn run(args: &Args, platform: Platform) -> io::Result<u64> {
    let places = places(args, platform)?;
    let mut counts = Counts::default();
    let end = args.seed + args.count;
    // Seeds of one kernel stand together, and the kernel goes by them alone.
    let mut seed = args.seed;
    while seed < end && !places.is_empty() {
        let round = seed / OF_EACH;
        let place = SplitMix::new(round).below(places.len());
        let kernels = load(platform, &places[place])?;
        let fits = |k: &&Seed| (2..args.largest).contains(&k.module.kernels[k.index].code.len());
        let kernels: Vec<&Seed> = kernels.iter().filter(fits).collect();
        while seed < end && seed / OF_EACH == round {
            if !kernels.is_empty() {
                counts.add(args, platform, kernels[SplitMix::new(seed).below(kernels.len())], seed);
            }
            seed += 1;
        }
    }
    let cannot: u64 = counts.cannot.values().sum();
    println!(
        "{platform}: {} variants from seed {}, {} as interpreted, {cannot} not to be compared, {} wrong",
        counts.drawn, args.seed, counts.agree, counts.wrong
    );
    if args.reasons {
        counts.cannot.iter().for_each(|(why, n)| println!("    {n}: {why}"));
    }
    counts.seen.iter().for_each(|(sort, n)| println!("    wrong {n}: {sort}"));
    Ok(counts.wrong)
}

fn main() -> io::Result<()> {
    let args = Args::parse();
    std::panic::set_hook(Box::new(|_| {}));
    let mut wrong = 0;
    for &platform in &args.platform {
        wrong += run(&args, platform)?;
    }
    if wrong > 0 { Err(io::Error::other(format!("{wrong} variants go wrong"))) } else { Ok(()) }
}
