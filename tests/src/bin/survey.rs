//! What becomes of the test kernels: refused, run beside Intel's code, different.
//!
//! ```text
//! cargo run --release -p tests --bin survey -- skl [PART-OF-ID]
//! cargo run --release -p tests --bin survey -- skl --expected [--grf 128|256|auto] [PART-OF-ID]
//! ```
//!
//! With `--expected` each kernel is judged by what its source says it computes, and every disagreement is
//! named.

use clap::Parser;
use std::{
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind},
};

use finalizer::Grf;
use platforms::Platform;
use tests::{
    data::kernels,
    differential::{Outcome, compare},
    expected::{Judgement, judge_with},
};

#[derive(Parser)]
struct Args {
    /// Platform.
    #[arg(value_parser = |s: &str| s.parse::<Platform>())]
    platform: Platform,
    /// Only kernels whose identifier contains this.
    #[arg(default_value = "")]
    only: String,
    /// Judge by what the kernels' sources say.
    #[arg(long)]
    expected: bool,
    /// Registers of our code, where kernels are judged.
    #[arg(long, default_value = "128", requires = "expected")]
    grf: Grf,
}

fn main() {
    let Args { platform, only, expected: judges, grf } = Args::parse();
    if judges {
        return expected(platform, &only, grf);
    }
    let mut counts: BTreeMap<String, (usize, String)> = BTreeMap::new();
    let mut apart = Vec::new();
    std::panic::set_hook(Box::new(|_| {}));
    for kernel in kernels(platform).iter().filter(|k| k.id().contains(&only)) {
        let result = catch_unwind(AssertUnwindSafe(|| compare(platform, kernel)));
        if let Ok(outcome @ (Outcome::NoLaunch(why) | Outcome::Undefined(why) | Outcome::IntelFails(why))) =
            &result
        {
            apart.push(format!("{}: {}: {}", kernel.id(), outcome.class(), why.lines().next().unwrap_or("")));
        }
        for line in lines(result.map_err(|e| panic_text(&*e))) {
            if !only.is_empty() {
                println!("{}: {line}", kernel.id());
            }
            counts.entry(line).or_insert_with(|| (0, kernel.id())).0 += 1;
        }
    }
    let mut rows: Vec<_> = counts.into_iter().collect();
    rows.sort_by_key(|(_, (n, _))| std::cmp::Reverse(*n));
    for (line, (n, example)) in rows {
        println!("{n:>5}  {line}   ({example})");
    }
    println!("not compared:");
    for line in apart {
        println!("  {line}");
    }
}

/// Judges the kernels by their expected values.
fn expected(platform: Platform, only: &str, grf: Grf) {
    let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let (mut judged, mut agreed, mut unknown) = (0, 0, BTreeMap::<&str, usize>::new());
    for kernel in kernels(platform).iter().filter(|k| k.id().contains(only)) {
        match catch_unwind(AssertUnwindSafe(|| judge_with(platform, kernel, grf))) {
            Err(e) => println!("{}: panic: {}", kernel.id(), panic_text(&*e)),
            Ok(Err(why)) => {
                *unknown.entry(why).or_default() += 1;
                println!("{}: not judged: {why}", kernel.id());
            }
            Ok(Ok(verdict)) => {
                judged += 1;
                agreed += usize::from(verdict.agrees());
                for (way, judgement) in verdict.ways() {
                    let (class, why) = judgement.parts();
                    *counts.entry((way, class)).or_default() += 1;
                    if *judgement != Judgement::Agrees {
                        println!("{}: {way} {class}: {}", kernel.id(), why.replace('\n', " "));
                    }
                }
            }
        }
    }
    println!("{platform}: {judged} kernels judged, {agreed} agree every way");
    for ((way, class), n) in counts {
        println!("{n:>5}  {way} {class}");
    }
    for (why, n) in unknown {
        println!("{n:>5}  not judged: {why}");
    }
}

fn panic_text(e: &(dyn std::any::Any + Send)) -> String {
    let text = e.downcast_ref::<String>().cloned();
    text.or_else(|| e.downcast_ref::<&str>().map(|s| (*s).to_owned())).unwrap_or_default()
}

/// One line an outcome; refusals one a reason.
fn lines(result: Result<Outcome, String>) -> Vec<String> {
    match result {
        Err(text) => vec![format!("panic: {text}")],
        Ok(Outcome::Refused(faults)) => {
            let mut reasons: Vec<String> = faults
                .iter()
                .map(|d| {
                    let opcode = d.instruction.as_ref().map_or("", |i| i.1.split(' ').next().unwrap_or(""));
                    format!("refused: {opcode}: {}", d.message)
                })
                .collect();
            reasons.sort();
            reasons.dedup();
            reasons
        }
        Ok(outcome) => match &outcome {
            Outcome::NoLaunch(why)
            | Outcome::IntelFails(why)
            | Outcome::OursFails(why)
            | Outcome::Undefined(why)
            | Outcome::Differs(why) => {
                vec![format!("{}: {}", outcome.class(), why.lines().next().unwrap_or(""))]
            }
            _ => vec![outcome.class().to_owned()],
        },
    }
}
