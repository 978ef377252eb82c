//! What a user asks for: by the environment for all builds of a process, by internal options for one build.

use std::{env, ffi::OsString, path::PathBuf};

use finalizer::Level;

/// What becomes of programs that cannot be finalized.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// They keep the compiler's code, with a warning in the build log.
    #[default]
    Keep,
    /// The build fails.
    Strict,
    /// Every program keeps the compiler's code.
    Off,
}

/// What a build does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// `VISA_FINALIZE_NEO_MODE`, `-visa-finalize-mode=`: `keep`, `strict` or `off`.
    pub mode: Mode,
    /// `VISA_FINALIZE_NEO_LEVEL`, `-visa-finalize-level=`: 0, 1 or 2.
    pub level: Option<Level>,
    /// `VISA_FINALIZE_NEO_LOG`: a file that gets a line a build, or `-` for standard error.
    pub log: Option<PathBuf>,
    /// `VISA_FINALIZE_NEO_COMPILER`: the compiler that the library stands in front of.
    pub compiler: Option<PathBuf>,
    /// `VISA_FINALIZE_NEO_KEEP`: a directory that gets every program as the runtime gets it.
    pub keep: Option<PathBuf>,
    /// Values that are none: they are told, and count as not given.
    pub wrong: Vec<String>,
}

impl Settings {
    /// What the environment says.
    pub fn of_environment() -> Settings {
        Settings::read(|name| env::var_os(format!("VISA_FINALIZE_NEO_{name}")))
    }

    /// What the environment and a build's internal options say.
    pub fn of_build(internal_options: &[u8]) -> Settings {
        let mut settings = Settings::of_environment();
        settings.add_options(&String::from_utf8_lossy(internal_options).replace('\0', " "));
        settings
    }

    /// What variables say, without the front of their names.
    fn read(variable: impl Fn(&str) -> Option<OsString>) -> Settings {
        let path = |name| variable(name).filter(|v| !v.is_empty()).map(PathBuf::from);
        let mut settings = Settings {
            log: path("LOG"),
            compiler: path("COMPILER"),
            keep: path("KEEP"),
            ..Settings::default()
        };
        type Set = fn(&mut Settings, &str);
        let named: [(&str, Set); 2] = [("MODE", Settings::set_mode), ("LEVEL", Settings::set_level)];
        for (name, set) in named {
            if let Some(value) = variable(name).filter(|v| !v.is_empty()) {
                set(&mut settings, &value.to_string_lossy());
            }
        }
        settings
    }

    /// Adds what the internal options of a build say.
    pub fn add_options(&mut self, options: &str) {
        for option in options.split_ascii_whitespace() {
            if let Some(mode) = option.strip_prefix("-visa-finalize-mode=") {
                self.set_mode(mode);
            } else if let Some(level) = option.strip_prefix("-visa-finalize-level=") {
                self.set_level(level);
            }
        }
    }

    fn set_mode(&mut self, text: &str) {
        match text {
            "keep" => self.mode = Mode::Keep,
            "strict" => self.mode = Mode::Strict,
            "off" => self.mode = Mode::Off,
            _ => self.wrong.push(format!("mode: found `{text}`, allowed: keep, strict, off")),
        }
    }

    fn set_level(&mut self, text: &str) {
        match text {
            "0" => self.level = Some(Level::O0),
            "1" => self.level = Some(Level::O1),
            "2" => self.level = Some(Level::O2),
            _ => self.wrong.push(format!("level: found `{text}`, allowed: 0, 1, 2")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_a_build_come_after_the_environment() {
        let mut settings = Settings::read(|name| match name {
            "MODE" => Some("strict".into()),
            "LEVEL" => Some("1".into()),
            "LOG" => Some("-".into()),
            _ => None,
        });
        assert_eq!((settings.mode, settings.level), (Mode::Strict, Some(Level::O1)));
        assert_eq!((settings.log.clone(), settings.compiler.clone()), (Some("-".into()), None));
        settings.add_options("-cl-ext=x -visa-finalize-mode=off\t-visa-finalize-level=0 -visa-finalize");
        assert_eq!((settings.mode, settings.level), (Mode::Off, Some(Level::O0)));
        assert!(settings.wrong.is_empty());
        settings.add_options("-visa-finalize-mode=odd");
        assert_eq!(settings.mode, Mode::Off);
        assert!(settings.wrong[0].contains("`odd`"), "{:?}", settings.wrong);
        let empty = Settings::read(|_| Some(OsString::new()));
        assert_eq!(empty, Settings::default());
    }
}
