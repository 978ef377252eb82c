//! The `visa-finalize` command.

mod args;
mod files;

use clap::Parser;

fn main() {
    let _ = args::Cli::parse();
}
