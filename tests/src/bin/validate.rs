//! `ocloc validate` of three ages of Intel's driver over compiled programs with our code ([`tests::validate`]).
//!
//! ```text
//! cargo run --release -p tests --bin validate                      every OpenCL C test kernel, every compiler and device
//! cargo run --release -p tests --bin validate -- --compiler new --device pvc
//! cargo run --release -p tests --bin validate -- --one-of 3        every third of them
//! cargo run --release -p tests --bin validate -- FOLDER            programs (.bin) and sources (.cl) below a folder
//! tests/tools/get-sources DIR && cargo run --release -p tests --bin validate -- --list DIR/sources.tsv
//! ```
//!
//! Fails if our code alone is refused, or a program cannot be finalized; both are named. What a compiler refuses is
//! counted apart.

use std::{fs, io, path::PathBuf, process::ExitCode};

use clap::Parser;
use tests::{
    data,
    validate::{COMPILED, Ocloc, Source, Table, files_below},
};

#[derive(Parser)]
struct Args {
    /// Folders with programs and sources; the test kernels, if there is none.
    folders: Vec<PathBuf>,
    /// Lists of sources, with the options of each, as get-sources writes them.
    #[arg(long)]
    list: Vec<PathBuf>,
    /// Only sources and programs whose names contain this.
    #[arg(long, default_value = "")]
    only: String,
    /// Only every so many'th of them.
    #[arg(long, default_value_t = 1)]
    one_of: usize,
    /// Compiles with this age's compiler only (2243, 2435, new).
    #[arg(long)]
    compiler: Option<String>,
    /// Compiles for this device only.
    #[arg(long)]
    device: Option<String>,
}

fn main() -> io::Result<ExitCode> {
    let args = Args::parse();
    let validators = Ocloc::all()
        .ok_or_else(|| io::Error::other("the three drivers are not installed: tests/tools/get-neo"))?;
    let (mut sources, mut programs) = (Vec::new(), Vec::new());
    if args.folders.is_empty() && args.list.is_empty() {
        for path in files_below(&data::sources(), &["cl"])? {
            sources.extend(Source::of_test(&path)?);
        }
    }
    for folder in &args.folders {
        let top = fs::canonicalize(folder)?;
        sources.extend(files_below(&top, &["cl"])?.iter().map(|p| Source::of_others(&top, p)));
        programs.extend(files_below(&top, &["bin"])?);
    }
    for list in &args.list {
        sources.extend(Source::of_list(&fs::canonicalize(list)?)?);
    }
    sources.retain(|s| s.id.contains(&args.only));
    let sources: Vec<Source> = sources.into_iter().step_by(args.one_of.max(1)).collect();
    let (mut table, mut compiled, mut not_compiled) = (Table::default(), 0, 0);
    for path in programs {
        table.add(&validators, &path.display().to_string(), &fs::read(&path)?)?;
    }
    for (age, device) in COMPILED {
        let is_meant = |asked: &Option<String>, this| asked.as_ref().is_none_or(|a| a == this);
        if !is_meant(&args.compiler, age) || !is_meant(&args.device, device) {
            continue;
        }
        let compiler = validators.iter().find(|v| v.age() == age).expect("all ages are there");
        for source in sources.iter().filter(|s| s.is_for(device)) {
            match compiler.compile(source, device)? {
                Some(program) => {
                    compiled += 1;
                    table.add(&validators, &format!("{} ({age})", source.id), &program)?;
                }
                None => not_compiled += 1,
            }
        }
    }
    print!("{table}");
    println!(
        "{compiled} programs compiled, {} not finalized, {not_compiled} sources without a program that holds vISA",
        table.not_finalized.len()
    );
    Ok(ExitCode::from(u8::from(!table.faults.is_empty() || !table.not_finalized.is_empty())))
}
