//! Runs the commands of README.md and of the pages in `docs/` in their order, in a copy of the repository, so that what they
//! say is true.
//!
//! ```text
//! cargo run -p tests --bin readme             all of them
//! cargo run -p tests --bin readme -- --list   what would run
//! ```
//!
//! A fenced block of `sh` is run as it stands; a fenced block of `text` right behind it is what it prints, where a
//! line `...` stands for any lines. Commands in prose (`cargo ...` between backticks) are run, too. A comment
//! before the block, or behind the command in the same paragraph, changes that without disturbing readers:
//!
//! ```text
//! <!-- instead: COMMAND -->    a shorter form of a command that takes long
//! <!-- needs: TOOL -->         only where that is installed, or `driver NAME` (VISA_REQUIRE_ORACLES: fails where not)
//! <!-- not run: REASON -->     never
//! ```

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
    time::Instant,
};

use ::tests::{data::workspace, oracle};
use clap::Parser;

#[derive(Parser)]
struct Args {
    /// Print what would run.
    #[arg(long)]
    list: bool,
    /// Where the copy goes; a build that is there already is used again.
    #[arg(long, default_value = "target/readme")]
    copy: PathBuf,
}

/// A command of a page.
#[derive(Debug, Default, PartialEq, Eq)]
struct Step {
    /// Name of the page, and the line there.
    at: String,
    script: String,
    /// What it prints, if that is shown.
    prints: Option<String>,
    needs: Option<String>,
    not_run: Option<String>,
}

fn main() -> ExitCode {
    let args = Args::parse();
    let steps: Vec<Step> = pages().iter().flat_map(|(name, text)| steps(name, text)).collect();
    if args.list {
        for step in &steps {
            let why = step.not_run.as_ref().map_or(String::new(), |why| format!("not run: {why}: "));
            println!("{}: {why}{}", step.at, step.script.trim_end());
        }
        return ExitCode::SUCCESS;
    }
    let copy = workspace().join(&args.copy);
    copy_sources(&copy);
    let mut failed = 0;
    for step in &steps {
        if let Err(why) = run(step, &copy) {
            failed += 1;
            println!("{}: FAILED: {}\n{why}", step.at, step.script.trim_end());
        }
    }
    println!("{} commands, {failed} failed", steps.len());
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The README, then the pages that it leads to: names from the top of the repository, and texts.
fn pages() -> Vec<(String, String)> {
    let top = workspace();
    let mut names = vec!["README.md".to_owned()];
    let pages = fs::read_dir(top.join("docs")).expect("docs").map(|page| page.expect("a page").file_name());
    names.extend(pages.map(|page| format!("docs/{}", page.to_string_lossy())));
    names[1..].sort();
    let read = |name: String| {
        let text = fs::read_to_string(top.join(&name)).unwrap_or_else(|e| panic!("{name}: {e}"));
        (name, text)
    };
    names.into_iter().map(read).collect()
}

/// What git knows, where it was before; results of builds stay.
fn copy_sources(to: &Path) {
    let script = "mkdir -p \"$1\" && git ls-files -co --exclude-standard -z | \
        xargs -0 cp --parents --update --no-dereference -t \"$1\"";
    let status = Command::new("bash")
        .args(["-euc", script, "copy"])
        .arg(to)
        .current_dir(workspace())
        .status()
        .expect("bash starts");
    assert!(status.success(), "the sources cannot be copied");
}

/// A tool, or `driver NAME`.
fn is_installed(tool: &str) -> bool {
    match tool.strip_prefix("driver ") {
        Some(name) => tbx::Driver::installed(name).is_some(),
        None => oracle::is_installed(tool),
    }
}

fn run(step: &Step, copy: &Path) -> Result<(), String> {
    let required = std::env::var_os("VISA_REQUIRE_ORACLES").is_some();
    if let Some(why) = &step.not_run {
        println!("{}: not run: {why}", step.at);
        return Ok(());
    }
    if let Some(tool) = step.needs.as_ref().filter(|tool| !is_installed(tool)) {
        println!("{}: skipped: {tool} is not installed", step.at);
        return if required { Err(format!("{tool} is not installed")) } else { Ok(()) };
    }
    let started = Instant::now();
    let output = Command::new("bash")
        .args(["-euo", "pipefail", "-c", &step.script])
        .current_dir(copy)
        .env_remove("CARGO_TARGET_DIR")
        .output()
        .map_err(|e| e.to_string())?;
    let printed = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        return Err(format!("{}\n{printed}{}", output.status, String::from_utf8_lossy(&output.stderr)));
    }
    let all = format!("{printed}{}", told(&output.stderr));
    if let Some(expected) = &step.prints
        && !shows(expected, &all)
    {
        return Err(format!("the page shows\n{expected}it prints\n{all}"));
    }
    let first = step.script.lines().next().unwrap_or_default();
    println!("{}: {:.1} s: {first}", step.at, started.elapsed().as_secs_f64());
    Ok(())
}

/// What a program says on standard error, without cargo's talk.
fn told(stderr: &[u8]) -> String {
    let is_cargo = |l: &str| {
        let word = l.trim_start().split(' ').next().unwrap_or_default();
        let verbs = [
            "Compiling",
            "Finished",
            "Running",
            "Downloading",
            "Downloaded",
            "Updating",
            "Locking",
            "Blocking",
            "Adding",
        ];
        l.starts_with(' ') && verbs.contains(&word)
    };
    String::from_utf8_lossy(stderr).lines().filter(|l| !is_cargo(l)).map(|l| format!("{l}\n")).collect()
}

/// Whether lines are those that are shown; `...` stands for any.
fn shows(shown: &str, printed: &str) -> bool {
    fn from(shown: &[&str], printed: &[&str]) -> bool {
        match shown {
            [] => printed.is_empty(),
            ["...", rest @ ..] => (0..=printed.len()).any(|skip| from(rest, &printed[skip..])),
            [line, rest @ ..] => {
                printed.first().is_some_and(|p| p.trim_end() == line.trim_end()) && from(rest, &printed[1..])
            }
        }
    }
    let (shown, printed): (Vec<&str>, Vec<&str>) = (shown.lines().collect(), printed.lines().collect());
    from(&shown, &printed)
}

/// The commands of a page in their order.
fn steps(page: &str, text: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut comments = Comments::default();
    // Steps of the paragraph so far: comments behind them are for the last one.
    let mut paragraph = 0;
    // Whether a block of text says what the last step prints.
    let mut shows = false;
    let place = |line: usize| format!("{page}:{}", line + 1);
    let mut lines = text.lines().enumerate();
    while let Some((at, line)) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            let block: String = lines
                .by_ref()
                .map(|(_, l)| l)
                .take_while(|l| *l != "```")
                .map(|l| format!("{l}\n"))
                .collect();
            match language {
                "sh" => {
                    let step = Step { at: place(at), script: block, ..Step::default() };
                    steps.push(std::mem::take(&mut comments).on(step));
                    shows = true;
                }
                "text" if shows => {
                    if let Some(step) = steps.last_mut() {
                        step.prints = Some(block);
                    }
                    shows = false;
                }
                _ => shows = false,
            }
            paragraph = steps.len();
            continue;
        }
        shows &= line.is_empty();
        if line.is_empty() {
            paragraph = steps.len();
        }
        for span in spans(line) {
            match span {
                Span::Command(command) => {
                    steps.push(Step { at: place(at), script: command, ..Step::default() });
                }
                Span::Comment(comment) if steps.len() > paragraph => {
                    let step = steps.pop().unwrap_or_default();
                    steps.push(Comments::default().with(&comment).on(step));
                }
                Span::Comment(comment) => comments = std::mem::take(&mut comments).with(&comment),
            }
        }
    }
    steps
}

/// What comments say of a step.
#[derive(Default)]
struct Comments {
    instead: Option<String>,
    needs: Option<String>,
    not_run: Option<String>,
}

impl Comments {
    fn with(mut self, comment: &str) -> Comments {
        match comment.split_once(": ") {
            Some(("instead", command)) => self.instead = Some(command.to_owned()),
            Some(("needs", tool)) => self.needs = Some(tool.to_owned()),
            Some(("not run", why)) => self.not_run = Some(why.to_owned()),
            _ => panic!("a comment that nobody understands: {comment}"),
        }
        self
    }

    fn on(self, step: Step) -> Step {
        Step {
            script: self.instead.unwrap_or(step.script),
            needs: self.needs.or(step.needs),
            not_run: self.not_run.or(step.not_run),
            ..step
        }
    }
}

/// What a line of prose has for us.
enum Span {
    Command(String),
    Comment(String),
}

/// Commands and comments of a line, in their order. A command is between backticks and starts with `cargo`, or
/// with a value for its environment and `cargo`.
fn spans(line: &str) -> Vec<Span> {
    let mut found = Vec::new();
    let mut rest = line;
    while let Some(at) = rest.find(['`', '<']) {
        let tail = &rest[at..];
        if let Some((comment, after)) = tail.strip_prefix("<!-- ").and_then(|t| t.split_once(" -->")) {
            found.push(Span::Comment(comment.to_owned()));
            rest = after;
        } else if let Some((code, after)) = tail.strip_prefix('`').and_then(|t| t.split_once('`')) {
            let mut words = code.split(' ').skip_while(|w| w.contains('=') && !w.starts_with('-'));
            if words.next() == Some("cargo") && words.next().is_some() {
                found.push(Span::Command(code.to_owned()));
            }
            rest = after;
        } else {
            rest = &tail[1..];
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_and_comments_are_found() {
        let readme = "\
Run `cargo test`, and `X=1 cargo bench` <!-- instead: cargo bench --quick -->, not `cargo`.

<!-- needs: iga64 -->
```sh
echo a
echo b
```

```text
a
...
```
Then `cargo doc --open` <!-- not run: opens a browser -->.
";
        let steps = steps("a", readme);
        let scripts: Vec<&str> = steps.iter().map(|s| s.script.as_str()).collect();
        assert_eq!(scripts, ["cargo test", "cargo bench --quick", "echo a\necho b\n", "cargo doc --open"]);
        assert_eq!(steps[2].needs.as_deref(), Some("iga64"));
        assert_eq!(steps[2].prints.as_deref(), Some("a\n...\n"));
        assert_eq!(steps[3].not_run.as_deref(), Some("opens a browser"));
        assert_eq!([0, 2].map(|i: usize| steps[i].at.as_str()), ["a:1", "a:4"]);
        assert!(steps[0].needs.is_none() && steps[3].prints.is_none());
    }

    #[test]
    fn shown_lines_are_compared() {
        assert!(shows("a\nb\n", "a\nb  \n"));
        assert!(shows("a\n...\nd\n", "a\nb\nc\nd\n"));
        assert!(shows("...\n", ""));
        assert!(!shows("a\n", "a\nb\n"));
        assert!(!shows("a\n...\nd\n", "a\nb\n"));
        assert!(!shows("...\nx\n", "y\n"));
    }

    /// All commands are there, and none is excused without need.
    #[test]
    fn the_pages_are_understood() {
        let steps: Vec<Step> = pages().iter().flat_map(|(name, text)| steps(name, text)).collect();
        assert!(steps.len() > 20, "{}", steps.len());
        assert!(steps.iter().filter(|s| s.not_run.is_some()).count() < steps.len() / 4);
    }

    /// Links between pages, and from pages to files, lead somewhere; the README leads to every page.
    #[test]
    fn links_lead_somewhere() {
        let mut pages = pages();
        let reached: Vec<PathBuf> = targets(&pages[0]).collect();
        for (name, _) in &pages[1..] {
            assert!(reached.contains(&PathBuf::from(name)), "the README does not lead to {name}");
        }
        let architecture = fs::read_to_string(workspace().join("ARCHITECTURE.md")).expect("a page");
        pages.push(("ARCHITECTURE.md".to_owned(), architecture));
        let links: Vec<PathBuf> = pages.iter().flat_map(targets).collect();
        assert!(links.len() > 20, "{}", links.len());
        for link in links {
            assert!(
                workspace().join(&link).exists(),
                "a link leads to {}, which is not there",
                link.display()
            );
        }
    }

    /// Where the links of a page lead inside the repository, from its top.
    fn targets((name, text): &(String, String)) -> impl Iterator<Item = PathBuf> {
        let folder = Path::new(name).parent().unwrap_or(Path::new("")).to_path_buf();
        let links = text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(link, _)| link);
        links.filter(|link| !link.starts_with("http")).map(move |link| match link.strip_prefix("../") {
            Some(link) => PathBuf::from(link),
            None => folder.join(link),
        })
    }
}
