//! Instruction forms that our code has and Intel's has nowhere ([`tests::forms`]), over the test kernels and over a
//! folder of real programs.
//!
//! ```text
//! cargo run --release -p tests --bin forms -- skl --programs FOLDER
//! cargo run --release -p tests --bin forms -- skl --programs FOLDER --random 1000 --record
//! cargo run --release -p tests --bin forms -- skl --asked --record
//! ```

use std::{io, process::ExitCode};

use clap::Parser;
use finalizer::{Finalizer, Options};
use platforms::Platform;
use tests::{
    asked::asked,
    coverage,
    data::kernels,
    differential::module,
    forms::{Allowed, Seen, add, known, record},
    oracle::GenxIr,
    programs::Corpus,
    visa_random::{Settings, generate},
};

#[derive(Parser)]
struct Args {
    #[command(flatten)]
    corpus: Corpus,
    /// Intel's finalizer compiles this many random vISA programs, which counts as its code.
    #[arg(long, default_value_t = 0)]
    random: u64,
    /// Intel's finalizer compiles the vISA that was written for forms in question, which counts as its code.
    #[arg(long)]
    asked: bool,
    /// Every form of every vISA instruction (`coverage`), by our finalizer and by Intel's, beside the kernels.
    #[arg(long)]
    coverage: bool,
    /// So many random instructions, as well.
    #[arg(long, default_value_t = 0)]
    drawn: usize,
    /// Adds the forms of Intel's code to those that are recorded.
    #[arg(long)]
    record: bool,
    /// Names the forms that the table allows, too.
    #[arg(long)]
    all: bool,
}

fn main() -> io::Result<ExitCode> {
    let args = Args::parse();
    let mut allowed = Allowed::read()?;
    let mut left = 0;
    for &platform in &args.corpus.platforms {
        let (ours, intel) = both(&args, platform)?;
        let mut known = known(platform).unwrap_or_default();
        if args.record {
            known.extend(intel.keys().cloned());
            record(platform, &known)?;
        }
        let (mut surplus, mut explained) = (0, 0);
        for (form, (n, example)) in
            ours.iter().filter(|(f, _)| !known.contains(*f) && !intel.contains_key(*f))
        {
            let ok = allowed.allows(platform, form);
            *if ok { &mut explained } else { &mut surplus } += 1;
            if !ok || args.all {
                println!("{platform} {n:>6}  {form}\n        {example}");
            }
        }
        println!(
            "{platform}: {} forms, Intel's {}; only ours: {explained} that the table allows, {surplus} unknown",
            ours.len(),
            known.len().max(intel.len()),
        );
        left += surplus;
    }
    for row in allowed.unused() {
        println!("nothing has the form of this line: {row}");
    }
    Ok(if left == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The forms of our code and of Intel's, for the same kernels.
fn both(args: &Args, platform: Platform) -> io::Result<(Seen, Seen)> {
    let mut finalizer = Finalizer::new(Options::new(platform));
    let (mut ours, mut intel) = (Seen::new(), Seen::new());
    let mut take = |intel: &mut Seen, id: &str, module: &visa::Module, index: usize, code: &[u8]| {
        add(intel, platform, code, id);
        match finalizer.finalize_kernel(module, index) {
            Ok(binary) => add(&mut ours, platform, &binary.code, id),
            Err(e) => println!("{platform} {id}: refused: {e}"),
        }
    };
    for kernel in kernels(platform) {
        let module = module(platform, kernel).map_err(io::Error::other)?;
        take(&mut intel, &kernel.id(), &module, 0, &kernel.dat);
    }
    if args.random > 0 {
        let peer = peer()?;
        for seed in 1..=args.random {
            let text = generate(Settings::new(platform), seed).text();
            // It crashes on a few, and refuses what the generator makes on purpose.
            if let Ok(done) = peer.finalize(platform, &text, &[]) {
                add(&mut intel, platform, &done.dat, &format!("random program {seed}"));
            }
        }
    }
    if args.asked {
        let peer = peer()?;
        for (line, row) in asked()?.iter().enumerate().filter(|(_, row)| row.is_for(platform)) {
            match row.code(platform, &peer) {
                Ok(code) => add(&mut intel, platform, &code, &format!("asked, row {}", line + 1)),
                Err(e) => println!("{platform}: asked, row {}: {e}", line + 1),
            }
        }
    }
    args.corpus.each(platform, &mut |p| take(&mut intel, &p.id, &p.module, p.index, &p.code))?;
    let drawn = coverage::random::forms(1, args.drawn);
    let all = if args.coverage { coverage::forms::forms() } else { Vec::new() };
    if args.coverage || args.drawn > 0 {
        let peer = peer()?;
        for form in all.iter().chain(&drawn) {
            if let Ok(done) = peer.finalize(platform, &coverage::program(&form.line), &[]) {
                add(&mut intel, platform, &done.dat, &form.line);
            }
            if let Some(code) = coverage::code(platform, form) {
                add(&mut ours, platform, &code, &form.line);
            }
        }
    }
    Ok((ours, intel))
}

/// Intel's finalizer.
fn peer() -> io::Result<GenxIr> {
    GenxIr::find().ok_or_else(|| io::Error::other("Intel's finalizer is not installed"))
}
