//! What becomes of the test kernels: refused, run beside Intel's code, different.
//!
//! ```text
//! cargo run --release -p tests --bin survey -- skl [PART-OF-ID]
//! ```

use std::{
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind},
};

use platforms::Platform;
use tests::{
    data::kernels,
    differential::{Outcome, compare},
};

fn main() {
    let mut words = std::env::args().skip(1);
    let platform: Platform = words.next().as_deref().unwrap_or("skl").parse().expect("a platform");
    let only = words.next().unwrap_or_default();
    let mut counts: BTreeMap<String, (usize, String)> = BTreeMap::new();
    std::panic::set_hook(Box::new(|_| {}));
    for kernel in kernels(platform).iter().filter(|k| k.id().contains(&only)) {
        let result = catch_unwind(AssertUnwindSafe(|| compare(platform, kernel)));
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
            | Outcome::Differs(why) => {
                vec![format!("{}: {}", outcome.class(), why.lines().next().unwrap_or(""))]
            }
            _ => vec![outcome.class().to_owned()],
        },
    }
}
