//! The `visa-finalize` command.

// Numbers are converted by name (the crate `narrow`) or with an error.
#![cfg_attr(not(test), deny(clippy::as_conversions))]

mod args;
mod asm;
mod codes;
mod console;
mod diff;
mod disasm;
mod element;
mod embedded;
mod files;
mod finalize;
mod gpu;
mod info;
mod launch;
mod manual;
mod names;
mod pages;
mod pattern;
mod run;

use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};

fn main() -> ExitCode {
    let cli = Cli::parse();
    cli.color.write_global();
    match cli.command {
        Some(Command::Disasm(args)) => disasm::run(&args),
        Some(Command::Asm(args)) => asm::run(&args),
        Some(Command::Run(args)) => run::run(&args),
        Some(Command::Gpu(args)) => gpu::run(&args),
        Some(Command::Diff(args)) => diff::run(&args),
        Some(Command::Info(args)) => info::run(&args),
        Some(Command::Strip(args)) => embedded::strip(&args),
        Some(Command::Extract(args)) => embedded::extract(&args),
        Some(Command::Completions { shell }) => manual::completions(shell),
        Some(Command::Manual { directory }) => manual::pages(&directory),
        None => finalize::run(&cli.finalize),
    }
}
