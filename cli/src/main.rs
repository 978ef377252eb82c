//! The `visa-finalize` command.

mod args;
mod asm;
mod disasm;
mod files;
mod finalize;
mod launch;
mod report;
mod run;

use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};

fn main() -> ExitCode {
    let cli = Cli::parse();
    match cli.command {
        Some(Command::Disasm(args)) => disasm::run(&args),
        Some(Command::Asm(args)) => asm::run(&args),
        Some(Command::Run(args)) => run::run(&args),
        None => finalize::run(&cli.finalize),
    }
}
