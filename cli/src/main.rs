//! The `visa-finalize` command.

mod args;
mod asm;
mod disasm;
mod files;
mod report;

use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};

fn main() -> ExitCode {
    match Cli::parse().command {
        Some(Command::Disasm(args)) => disasm::run(&args),
        Some(Command::Asm(args)) => asm::run(&args),
        None => ExitCode::from(2),
    }
}
