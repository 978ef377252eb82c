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
    ended(Sink::Standard.write(with_one_name(&String::from_utf8_lossy(&text)).as_bytes()))
}

/// `clap_complete` 4.6 calls the states of its bash script by two names where a command's own has a hyphen, so that
/// nothing is offered behind a subcommand: where a state is entered, and where it is asked for.
fn with_one_name(script: &str) -> String {
    script.replace("visa__subcmd__finalize", "visa__finalize")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_of_the_bash_script_has_its_case() {
        let mut text = Vec::new();
        clap_complete::generate(clap_complete::Shell::Bash, &mut Cli::command(), "visa-finalize", &mut text);
        let text = with_one_name(&String::from_utf8_lossy(&text));
        let states = text.lines().filter_map(|l| l.trim().strip_prefix("cmd=\"")?.strip_suffix('"'));
        let missing: Vec<&str> = states.filter(|s| !text.contains(&format!("        {s})\n"))).collect();
        assert!(text.contains("cmd=\"visa__finalize__subcmd__run\"") && missing == [""], "{missing:?}");
    }
}
