//! Objects of other people: what becomes of each kernel on every platform whose registers it was compiled for,
//! with all checks of ours, and how its code runs beside the vISA interpreter.
//!
//! ```text
//! cargo run --release -p tests --bin corpus -- [--folder FOLDER] [PART-OF-PATH]
//! cargo run --release -p tests --bin corpus -- --programs FOLDER [--platform PLATFORM] [PART-OF-PATH]
//! ```

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
    rc::Rc,
};

use clap::Parser;
use finalizer::{Finalizer, Grf, Options, PassSet};
use platforms::Platform;
use tests::{
    data,
    foreign::{self, Choices, Launched},
    programs,
};
use visa::Module;

/// Finalizes and launches the kernels of foreign objects on every platform whose registers they were compiled for.
#[derive(Parser)]
struct Args {
    /// Only objects whose path contains this.
    #[arg(default_value = "")]
    only: String,
    /// Objects below this folder.
    #[arg(long)]
    folder: Option<PathBuf>,
    /// Instead of those, the vISA assembly of a folder, as `peer --programs` finds it.
    #[arg(long, conflicts_with = "folder")]
    programs: Option<PathBuf>,
    /// Platforms of the programs.
    #[arg(short, long, default_values_t = data::devices(), value_parser = |s: &str| s.parse::<Platform>())]
    platform: Vec<Platform>,
    /// Inputs and memory are made of this number.
    #[arg(long, default_value_t = Choices::default().seed)]
    seed: u64,
    /// vISA instructions that a launch may take; machine code may take 20 times as many.
    #[arg(long, default_value_t = Choices::default().limit)]
    limit: u64,
    /// Leave these passes out; may be given several times.
    #[arg(long, value_name = "PASS", value_delimiter = ',', value_parser = pass)]
    skip_pass: Vec<PassSet>,
    /// Print each launch that is no comparison, too.
    #[arg(long)]
    reasons: bool,
    /// Launch the compiler's own code instead of ours, where there is some: what is wrong then is the emulator's.
    #[arg(long)]
    intel: bool,
}

fn pass(name: &str) -> Result<PassSet, String> {
    PassSet::named(name).ok_or_else(|| format!("there is no pass `{name}`"))
}

#[derive(Default)]
struct Counts {
    kernels: usize,
    finalized: usize,
    agree: usize,
    cannot: BTreeMap<String, (usize, String)>,
    wrong: Vec<String>,
    refused: BTreeMap<String, (usize, String)>,
}

fn note(list: &mut BTreeMap<String, (usize, String)>, reason: String, example: &str) {
    list.entry(reason).or_insert_with(|| (0, example.to_owned())).0 += 1;
}

/// Platforms with registers of the size that the object's code was compiled for.
fn platforms(module: &Module) -> Vec<Platform> {
    let of = |b: &visa::GenBinary| Platform::from_gen_platform(b.platform);
    let known = module.kernels.iter().flat_map(|k| &k.gen_binaries).find_map(of);
    let bytes = |p: Platform| p.caps().regs.grf_bytes;
    let size = bytes(known.unwrap_or(Platform::Skl));
    Platform::ALL.into_iter().filter(|p| bytes(*p) == size).collect()
}

impl Counts {
    /// Finalizes and launches one kernel. If it is wrong and there is code of the compiler, what becomes of that is said,
    /// too: the same fault in both is the launch's or the emulator's.
    fn add(
        &mut self,
        platform: Platform,
        (module, index, grf): (&Module, usize, Grf),
        example: &str,
        theirs: Option<&[u8]>,
        args: &Args,
    ) {
        let choices = Choices { seed: args.seed, limit: args.limit, ..Choices::default() };
        self.kernels += 1;
        if args.intel {
            if let Some(code) = theirs {
                self.launched(foreign::run_theirs(platform, module, index, code, choices), example);
            }
            return;
        }
        let options = Options {
            verify: true,
            grf,
            skip: args.skip_pass.iter().fold(PassSet::NONE, |all, one| all.with(*one)),
            ..Options::new(platform)
        };
        let binary = match Finalizer::new(options).finalize_kernel(module, index) {
            Ok(binary) => binary,
            Err(faults) => {
                let first = faults.0.first().map_or(String::new(), |d| d.message.clone());
                note(&mut self.refused, first, example);
                return;
            }
        };
        self.finalized += 1;
        match foreign::run(platform, module, index, &binary, choices) {
            Launched::Wrong(what) => {
                let reads_undefined = |what: &str| what.contains("uninitialized register");
                match theirs.map(|code| foreign::run_theirs(platform, module, index, code, choices)) {
                    // What a memory's first value decides, the interpreter does not see.
                    Some(Launched::Wrong(theirs)) if reads_undefined(&what) && reads_undefined(&theirs) => {
                        note(
                            &mut self.cannot,
                            "the compiler's own code reads what is undefined".into(),
                            example,
                        );
                    }
                    Some(theirs) => {
                        self.wrong.push(format!("{example}: {what} (the compiler's own code: {theirs:?})"))
                    }
                    None => self.wrong.push(format!("{example}: {what}")),
                }
            }
            launched => self.launched(launched, example),
        }
    }

    fn launched(&mut self, launched: Launched, example: &str) {
        match launched {
            Launched::Agrees => self.agree += 1,
            Launched::Cannot(why) => note(&mut self.cannot, why, example),
            Launched::Wrong(what) => self.wrong.push(format!("{example}: {what}")),
        }
    }
}

/// Objects, each for all platforms whose registers it was compiled for.
fn objects(args: &Args, folder: &Path, all: &mut BTreeMap<Platform, Counts>) {
    for path in data::objects_below(folder).iter().filter(|p| p.to_string_lossy().contains(&args.only)) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Ok(bytes) = std::fs::read(path) else { continue };
        let module = match finalizer::read_module(&bytes) {
            Ok(module) => module,
            Err(e) => {
                println!("{name}: not read: {}", e.0.first().map_or(String::new(), ToString::to_string));
                continue;
            }
        };
        for platform in platforms(&module) {
            let counts = all.entry(platform).or_default();
            for (index, kernel) in module.kernels.iter().enumerate() {
                let example = format!("{name} {}", kernel.name());
                counts.add(platform, (&module, index, Grf::Kernel), &example, None, args);
            }
        }
    }
}

/// The programs of a folder, for the platform that each was compiled for.
fn of_compilers(args: &Args, folder: &Path, all: &mut BTreeMap<Platform, Counts>) -> io::Result<()> {
    for &platform in &args.platform {
        let counts = all.entry(platform).or_default();
        let files = programs::files(folder, platform)?;
        for file in files.iter().filter(|p| p.to_string_lossy().contains(&args.only)) {
            for program in programs::load(folder, file, platform, &mut |why| println!("not read: {why}"))? {
                let mut module = program.module.clone();
                for text in programs::functions(file) {
                    match finalizer::read_text(text.as_bytes(), platform) {
                        Ok(functions) => Rc::make_mut(&mut module).link(functions),
                        Err(why) => println!("not read: {}: {why}", program.id),
                    }
                }
                counts.add(
                    platform,
                    (&*module, program.index, program.grf),
                    &program.id,
                    Some(&program.code),
                    args,
                );
            }
        }
    }
    Ok(())
}

fn main() -> io::Result<()> {
    let args = Args::parse();
    let mut all: BTreeMap<Platform, Counts> = BTreeMap::new();
    match &args.programs {
        Some(folder) => of_compilers(&args, folder, &mut all)?,
        None => objects(&args, &args.folder.clone().unwrap_or_else(data::corpus_folder), &mut all),
    }
    let mut bad = 0;
    for (platform, counts) in &all {
        let cannot: usize = counts.cannot.values().map(|c| c.0).sum();
        println!(
            "{platform}: {} kernels, {} finalized and verified, {} launched as the interpreter, {cannot} not to be launched, {} wrong",
            counts.kernels,
            counts.finalized,
            counts.agree,
            counts.wrong.len()
        );
        bad += counts.wrong.len();
        counts.wrong.iter().for_each(|line| println!("    wrong: {line}"));
        counts.refused.iter().for_each(|(why, (n, e))| println!("    refused {n}: {why} ({e})"));
        if args.reasons {
            counts.cannot.iter().for_each(|(why, (n, e))| println!("    not launched {n}: {why} ({e})"));
        }
    }
    if bad > 0 {
        Err(io::Error::other(format!("{bad} kernels do otherwise than the interpreter")))
    } else {
        Ok(())
    }
}
