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
#[derive(Default)]
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
    /// How much is done for better code ([`finalizer::Options::level`]).
    pub level: Level,
    pub input: String,
    pub gives: Vec<(Vec<Platform>, String)>,
}

/// What the lines so far belong to.
enum Part {
    Head,
    Input,
    Gives,
}

impl File {
    /// Reads a file.
    pub fn read(text: &str) -> Result<File, String> {
        let mut file = File { head: String::new(), cases: Vec::new() };
        let (mut passes, mut platforms, mut named) = (Vec::new(), Platform::ALL.to_vec(), false);
        let mut part = Part::Head;
        let mut comment = String::new();
        for line in text.lines() {
            if line.starts_with("//") || line.is_empty() {
                comment += line;
                comment += "\n";
                continue;
            }
            let head = std::mem::take(&mut comment);
            if let Some(list) = line.strip_prefix("pass:") {
                let list = list.split_whitespace().map(str::to_owned).collect();
                match file.cases.last_mut() {
                    Some(case) => case.choose(line, |case| case.passes = list),
                    None => passes = list,
                }
            } else if let Some(list) = line.strip_prefix("on:") {
                let parse = |p: &str| p.parse().map_err(|_| format!("no platform `{p}`"));
                let list = list.split_whitespace().map(parse).collect::<Result<_, String>>()?;
                match file.cases.last_mut() {
                    Some(case) => case.choose(line, |case| (case.platforms, case.named) = (list, true)),
                    None => (platforms, named) = (list, true),
                }
            } else if let (Some(id), Some(case)) = (line.strip_prefix("kernel-id: 0x"), file.cases.last_mut())
            {
                let id = u64::from_str_radix(id, 16).map_err(|e| format!("{line}: {e}"))?;
                case.choose(line, |case| case.kernel_id = Some(id));
            } else if let ("start-breakpoint", Some(case)) = (line, file.cases.last_mut()) {
                case.choose(line, |case| case.start_breakpoint = true);
            } else if let (Some(level), Some(case)) = (line.strip_prefix("level: "), file.cases.last_mut()) {
                let level = level.parse().map_err(|e| format!("{line}: {e}"))?;
                case.choose(line, |case| case.level = level);
            } else if line.starts_with("case ") {
                if passes.is_empty() {
                    return Err("no `pass:` before the first case".into());
                }
                let (passes, platforms) = (passes.clone(), platforms.clone());
                file.cases.push(Case {
                    head: format!("{head}{line}\n"),
                    passes,
                    platforms,
                    named,
                    ..Case::default()
                });
                part = Part::Input;
                continue;
            } else if line.starts_with("gives ") {
                part = Part::Gives;
                continue;
            }
            match (&part, file.cases.last_mut()) {
                (Part::Head, _) | (_, None) => file.head += &format!("{head}{line}\n"),
                (Part::Input, Some(_))
                    if ["pass:", "on:", "kernel-id:", "start-breakpoint", "level:"]
                        .iter()
                        .any(|key| line.starts_with(key)) => {}
                (Part::Input, Some(case)) => case.input += &format!("{head}{line}\n"),
                (Part::Gives, Some(_)) => {}
            }
        }
        Ok(file)
    }
}

impl Case {
    /// A line that says something of this case alone.
    fn choose(&mut self, line: &str, set: impl FnOnce(&mut Case)) {
        self.head += &format!("{line}\n");
        set(self);
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
