//! Our code of the test kernels beside the vISA interpreter.
//!
//! ```text
//! cargo run --release -p tests --bin interpreter -- [PLATFORM|all] [PART-OF-ID]
//! ```

use std::{
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind},
};

use platforms::Platform;
use tests::{data::kernels, interpreted::compare};

fn main() {
    let mut words = std::env::args().skip(1);
    let platform = words.next().unwrap_or_else(|| "all".into());
    let only = words.next().unwrap_or_default();
    let platforms: Vec<Platform> = match platform.as_str() {
        "all" => Platform::ALL.into_iter().filter(|p| *p != Platform::Bxt).collect(),
        name => vec![name.parse().expect("a platform")],
    };
    for platform in platforms {
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
