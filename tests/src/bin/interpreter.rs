//! Our code of the test kernels beside the vISA interpreter.
//!
//! ```text
//! cargo run --release -p tests --bin interpreter -- [--platform P,...] [PART-OF-ID]
//! ```

use clap::Parser;
use std::{
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind},
};

use platforms::Platform;
use tests::{data::kernels, interpreted::compare};

#[derive(Parser)]
struct Args {
    /// Platforms.
    #[arg(short, long, value_delimiter = ',', default_values_t = tests::data::devices(),
          value_parser = |s: &str| s.parse::<Platform>())]
    platform: Vec<Platform>,
    /// Only kernels whose identifier contains this.
    #[arg(default_value = "")]
    only: String,
}

fn main() {
    let Args { platform, only } = Args::parse();
    for platform in platform {
        survey(platform, &only);
    }
}

fn survey(platform: Platform, only: &str) {
    let mut classes: BTreeMap<&str, usize> = BTreeMap::new();
    let mut rows: BTreeMap<String, (usize, String)> = BTreeMap::new();
    for kernel in kernels(platform).iter().filter(|k| k.id().contains(only)) {
        let result = catch_unwind(AssertUnwindSafe(|| compare(platform, kernel)));
        let (class, line) = match &result {
            Ok(outcome) => {
                let first: String = outcome.detail().lines().take(2).collect();
                (outcome.class(), format!("{}: {first}", outcome.class()))
            }
            Err(_) => ("panic", "panic".to_owned()),
        };
        *classes.entry(class).or_default() += 1;
        if !only.is_empty() {
            println!("{}: {line}", kernel.id());
        }
        rows.entry(line).or_insert_with(|| (0, kernel.id())).0 += 1;
    }
    let mut rows: Vec<_> = rows.into_iter().filter(|(line, _)| !line.starts_with("agrees")).collect();
    rows.sort_by_key(|(_, (n, _))| std::cmp::Reverse(*n));
    for (line, (n, example)) in rows {
        println!("{n:>5}  {line}   ({example})");
    }
    println!("{platform}: {classes:?}");
}
