//! One test kernel: our code for it, or the text after a pass.
//!
//! ```text
//! cargo run --release -p tests --bin code -- skl ID [PASS]
//! ```

use clap::Parser;
use finalizer::{Finalizer, Options, PassSet};
use platforms::Platform;
use tests::{data::kernels, differential::module};

#[derive(Parser)]
struct Args {
    /// Platform.
    #[arg(value_parser = |s: &str| s.parse::<Platform>())]
    platform: Platform,
    /// A part of the kernel's identifier.
    id: String,
    /// The pass to print the kernel after; the code if absent.
    #[arg(value_parser = |s: &str| PassSet::named(s).ok_or("no such pass"))]
    pass: Option<PassSet>,
}

fn main() {
    let Args { platform, id, pass } = Args::parse();
    let kernel = kernels(platform).iter().find(|k| k.id().contains(&id)).expect("no such kernel");
    let module = module(platform, kernel).unwrap_or_else(|e| panic!("{e}"));
    let options = Options { print_after: pass.unwrap_or_default(), ..Options::new(platform) };
    let mut finalizer = Finalizer::new(options);
    let result = finalizer.finalize_kernel(&module, 0);
    match (finalizer.take_printed(), result) {
        (Some(text), _) => println!("{text}"),
        (None, Err(e)) => println!("{e}"),
        (None, Ok(binary)) => {
            println!("{}", iga::disassemble(platform, &binary.code, &Default::default()));
            println!("{:#?} {:?}", binary.info, binary.relocations);
        }
    }
}
