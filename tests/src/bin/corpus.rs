//! Objects of other people: what becomes of each kernel on the platforms that the object has code for
//! (those of ours), and the reasons of refusals.
//!
//! ```text
//! cargo run --release -p tests --bin corpus [PART-OF-PATH]
//! ```

use clap::Parser;
use std::collections::BTreeMap;

use finalizer::{Finalizer, Options};
use platforms::Platform;
use tests::data::corpus;

#[derive(Parser)]
struct Args {
    /// Only objects whose path contains this.
    #[arg(default_value = "")]
    only: String,
}

fn main() {
    let Args { only } = Args::parse();
    let mut reasons: BTreeMap<String, (usize, String)> = BTreeMap::new();
    let (mut done, mut refused) = (0, 0);
    for path in corpus().iter().filter(|p| p.to_string_lossy().contains(&only)) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Ok(bytes) = std::fs::read(path) else { continue };
        let module = match finalizer::read_module(&bytes) {
            Ok(module) => module,
            Err(e) => {
                println!("{name}: not read: {}", e.0.first().map_or(String::new(), ToString::to_string));
                refused += 1;
                continue;
            }
        };
        for (index, kernel) in module.kernels.iter().enumerate() {
            let mut platforms: Vec<Platform> =
                kernel.gen_binaries.iter().filter_map(|b| Platform::from_gen_platform(b.platform)).collect();
            if platforms.is_empty() {
                platforms.push(Platform::Skl);
            }
            platforms.dedup();
            for platform in platforms {
                let options = Options { verify: true, ..Options::new(platform) };
                match Finalizer::new(options).finalize_kernel(&module, index) {
                    Ok(_) => done += 1,
                    Err(faults) => {
                        refused += 1;
                        for d in &faults.0 {
                            let opcode =
                                d.instruction.as_ref().map_or("", |i| i.1.split(' ').next().unwrap_or(""));
                            let line = format!("{platform} {opcode}: {}", d.message);
                            let example = format!("{name} {}", kernel.name());
                            reasons.entry(line).or_insert_with(|| (0, example)).0 += 1;
                        }
                    }
                }
            }
        }
    }
    println!("{done} finalized, {refused} refused");
    for (line, (n, example)) in reasons {
        println!("{n:>5}  {line}   ({example})");
    }
}
