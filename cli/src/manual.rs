//! Completions and manual pages, made from the definition of the command line.

use std::{path::Path, process::ExitCode};

use clap::CommandFactory;

use crate::{args::Cli, files::Sink};

/// Prints what a shell needs to complete this command's arguments.
pub fn completions(shell: clap_complete::Shell) -> ExitCode {
    let mut command = Cli::command();
    let name = command.get_name().to_owned();
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut command, name, &mut text);
    ended(Sink::Standard.write(&text))
}

/// Writes `visa-finalize.1`, `visa-finalize-run.1` and so on.
pub fn pages(directory: &Path) -> ExitCode {
    ended(all_pages(directory))
}

fn all_pages(directory: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(directory)?;
    clap_mangen::generate_to(Cli::command(), directory)
}

fn ended(done: std::io::Result<()>) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("error: {e}");
            ExitCode::FAILURE
        }
    }
}
