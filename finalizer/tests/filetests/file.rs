//! The form of the files.

use std::fmt;

use finalizer::Level;
use platforms::Platform;

/// A file: what it is about, and cases.
pub struct File {
    /// Lines up to the first case, as they are.
    head: String,
    pub cases: Vec<Case>,
}

/// Input and what it gives.
#[derive(Clone, Default)]
pub struct Case {
    /// Its comment and first line, as they are.
    head: String,
    pub passes: Vec<String>,
    pub platforms: Vec<Platform>,
    /// The platforms are named, not all that there are.
    pub named: bool,
    /// The number that goes behind the code ([`finalizer::Options::kernel_id`]).
    pub kernel_id: Option<u64>,
    /// A breakpoint goes to the start ([`finalizer::Options::start_breakpoint`]).
    pub start_breakpoint: bool,
    /// What would be a warning is an error ([`finalizer::Options::strict`]).
    pub strict: bool,
    /// How much is done for better code ([`finalizer::Options::level`]).
    pub level: Level,
    pub input: String,
    pub gives: Vec<(Vec<Platform>, String)>,
}

/// What the lines so far belong to.
enum Part {
    Input,
    Gives,
}

impl File {
    /// Reads a file.
    pub fn read(text: &str) -> Result<File, String> {
        let mut file = File { head: String::new(), cases: Vec::new() };
        // What the lines before the first case say of all.
        let mut all = Case { platforms: Platform::ALL.to_vec(), ..Case::default() };
        let mut part = Part::Input;
        let mut comment = String::new();
        for line in text.lines() {
            if line.starts_with("//") || line.is_empty() {
                comment += line;
                comment += "\n";
                continue;
            }
            let head = std::mem::take(&mut comment);
            if line.starts_with("case ") {
                if all.passes.is_empty() {
                    return Err("no `pass:` before the first case".into());
                }
                file.cases.push(Case { head: format!("{head}{line}\n"), ..all.clone() });
                part = Part::Input;
                continue;
            } else if line.starts_with("gives ") {
                part = Part::Gives;
                continue;
            }
            match (&part, file.cases.last_mut()) {
                (_, None) => {
                    all.choose(line)?;
                    file.head += &format!("{head}{line}\n");
                }
                (Part::Input, Some(case)) => match case.choose(line)? {
                    true => case.head += &format!("{line}\n"),
                    false => case.input += &format!("{head}{line}\n"),
                },
                (Part::Gives, Some(_)) => {}
            }
        }
        Ok(file)
    }
}

impl Case {
    /// Takes a line that says how the case is run; whether it is one.
    fn choose(&mut self, line: &str) -> Result<bool, String> {
        let wrong = |e: &dyn fmt::Display| format!("{line}: {e}");
        if let Some(list) = line.strip_prefix("pass:") {
            self.passes = list.split_whitespace().map(str::to_owned).collect();
        } else if let Some(list) = line.strip_prefix("on:") {
            let parse = |p: &str| p.parse().map_err(|_| format!("no platform `{p}`"));
            self.platforms = list.split_whitespace().map(parse).collect::<Result<_, String>>()?;
            self.named = true;
        } else if let Some(id) = line.strip_prefix("kernel-id: 0x") {
            self.kernel_id = Some(u64::from_str_radix(id, 16).map_err(|e| wrong(&e))?);
        } else if line == "start-breakpoint" {
            self.start_breakpoint = true;
        } else if line == "strict" {
            self.strict = true;
        } else if let Some(level) = line.strip_prefix("level: ") {
            self.level = level.parse().map_err(|e| wrong(&e))?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }
}

impl fmt::Display for File {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.head)?;
        for case in &self.cases {
            write!(f, "{}{}", case.head, case.input)?;
            for (platforms, text) in &case.gives {
                let names: Vec<String> = platforms.iter().map(Platform::to_string).collect();
                writeln!(f, "gives {}", names.join(" "))?;
                f.write_str(text)?;
            }
        }
        Ok(())
    }
}
