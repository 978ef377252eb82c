//! Options by name, for callers that have words: other languages, configuration files.

use std::str::FromStr;

use crate::{Diagnostic, Grf, Level, Options, PASSES, PassSet, Refusal, ThreadPairs};

/// An option that [`Options::set`] knows.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub about: &'static str,
    /// Values that it may have.
    pub allowed: &'static str,
    set: fn(&mut Options, &str) -> Option<()>,
}

const TRUTH: &str = "true, false";

/// All of them.
pub const SETTINGS: &[Setting] = &[
    Setting {
        name: "opt-level",
        about: "how much work goes into good code",
        allowed: "0, 1, 2",
        set: |o, v| Level::from_str(v).ok().map(|level| o.level = level),
    },
    Setting {
        name: "skip-pass",
        about: "leaves a pass out that code is right without; adds to what is left out already",
        allowed: "the name of an optional pass",
        set: |o, v| {
            let optional = PASSES.iter().any(|p| p.name == v && p.optional);
            PassSet::named(v).filter(|_| optional).map(|pass| o.skip = o.skip.with(pass))
        },
    },
    Setting {
        name: "grf",
        about: "general registers of a thread; `auto` takes the most where that makes a kernel spill less",
        allowed: Grf::VALUES,
        set: |o, v| Grf::from_str(v).ok().map(|grf| o.grf = grf),
    },
    Setting {
        name: "reserved-registers",
        about: "general registers at the end of the file that no variable is given",
        allowed: "0 to 255",
        set: |o, v| v.parse::<u8>().ok().map(|n| o.reserved_registers = n.into()),
    },
    Setting {
        name: "pairs",
        about: "whether threads run as pairs, on Tiger Lake; `auto`: all but those of Cm kernels in vISA objects",
        allowed: "auto, always, never",
        set: |o, v| ThreadPairs::from_str(v).ok().map(|pairs| o.pairs = pairs),
    },
    Setting {
        name: "debug-info",
        about: "writes debug information in the form of Intel's finalizer",
        allowed: TRUTH,
        set: |o, v| truth(v).map(|v| o.debug_info = v),
    },
    Setting {
        name: "free-registers",
        about: "finds the general registers that the code leaves alone",
        allowed: TRUTH,
        set: |o, v| truth(v).map(|v| o.free_registers = v),
    },
    Setting {
        name: "abort-on-spill",
        about: "refuses kernels in which messages for spilled values are at least so many in 200 instructions",
        allowed: "0 to 200",
        set: |o, v| v.parse().ok().filter(|n| *n <= 200).map(|n| o.abort_on_spill = Some(n)),
    },
    Setting {
        name: "stack-kilobytes",
        about: "scratch memory of a thread whose calls have no known end",
        allowed: "1 to 256",
        set: |o, v| v.parse::<u32>().ok().filter(|n| (1..=256).contains(n)).map(|n| o.stack_bytes = n * 1024),
    },
    Setting {
        name: "kernel-id",
        about: "a number that two instructions behind the kernel's end hold",
        allowed: "a number of 64 bits",
        set: |o, v| v.parse().ok().map(|n| o.kernel_id = Some(n)),
    },
    Setting {
        name: "start-breakpoint",
        about: "makes the first instruction of a kernel a breakpoint",
        allowed: TRUTH,
        set: |o, v| truth(v).map(|v| o.start_breakpoint = v),
    },
    Setting {
        name: "compact",
        about: "writes 8-byte words where the platform has them",
        allowed: TRUTH,
        set: |o, v| truth(v).map(|v| o.compact = v),
    },
    Setting {
        name: "verify",
        about: "checks the code after every pass and proves the register allocation",
        allowed: TRUTH,
        set: |o, v| truth(v).map(|v| o.verify = v),
    },
    Setting {
        name: "warnings",
        about: "looks for what the kernel's author hardly meant",
        allowed: TRUTH,
        set: |o, v| truth(v).map(|v| o.warnings = v),
    },
    Setting {
        name: "strict",
        about: "refuses whatever breaks a rule of the specification",
        allowed: TRUTH,
        set: |o, v| truth(v).map(|v| o.strict = v),
    },
    Setting {
        name: "timings",
        about: "times every pass",
        allowed: TRUTH,
        set: |o, v| truth(v).map(|v| o.timings = v),
    },
];

fn truth(value: &str) -> Option<bool> {
    match value {
        "true" | "1" => Some(true),
        "false" | "0" => Some(false),
        _ => None,
    }
}

impl Options {
    /// Sets an option by its name: one of [`SETTINGS`].
    ///
    /// ```
    /// # use finalizer::{Options, Platform};
    /// let mut options = Options::new(Platform::Skl);
    /// options.set("opt-level", "1")?;
    /// options.set("compact", "false")?;
    /// assert!(options.set("opt-level", "9").is_err());
    /// # Ok::<(), finalizer::Refusal>(())
    /// ```
    ///
    /// # Errors
    ///
    /// There is no such option, or it has no such value.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), Refusal> {
        let Some(setting) = SETTINGS.iter().find(|s| s.name == name) else {
            let names: Vec<&str> = SETTINGS.iter().map(|s| s.name).collect();
            let message = format!("found the option `{name}`, allowed: {}", names.join(", "));
            return Err(Diagnostic::error("UnknownOption", message).into());
        };
        (setting.set)(self, value).ok_or_else(|| {
            let message = format!("found `{value}` for the option `{name}`, allowed: {}", setting.allowed);
            Diagnostic::error("BadOption", message).about(name).into()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use platforms::Platform;

    #[test]
    fn sizes_of_register_files_are_those_of_the_rows() {
        let sizes: String = platforms::Registers::all_sizes().map(|size| format!("{size}, ")).collect();
        assert_eq!(Grf::VALUES, sizes + "auto");
    }

    #[test]
    fn every_setting_changes_its_option_and_refuses_other_values() {
        for setting in SETTINGS {
            let mut options = Options::new(Platform::Skl);
            let changes = |value: &str| {
                let mut changed = Options::new(Platform::Skl);
                changed.set(setting.name, value).is_ok() && changed != Options::new(Platform::Skl)
            };
            let values = ["0", "1", "true", "false", "schedule", "auto", "always"];
            assert!(values.iter().any(|v| changes(v)), "{}", setting.name);
            let refusal = options.set(setting.name, "no such value").unwrap_err();
            assert_eq!(refusal.0[0].code, "BadOption");
            assert_eq!(options, Options::new(Platform::Skl), "{}", setting.name);
        }
        let mut options = Options::new(Platform::Skl);
        assert_eq!(options.set("speed", "1").unwrap_err().0[0].code, "UnknownOption");
        assert!(options.set("skip-pass", "lower").is_err(), "not optional");
    }
}
