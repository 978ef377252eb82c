//! Checks that need what a bare machine does not have: they count as ignored there, and say what they lack.
//!
//! A test target with such checks has `harness = false` and a `main` that lists them and calls [`run`]. With
//! `VISA_REQUIRE_ORACLES` set, as in CI, one that lacks a reference tool fails instead.

use std::env;

use libtest_mimic::{Arguments, Failed, Trial};

use crate::{
    data,
    oracle::{self, GenxIr, Iga},
    others,
};

/// What a check may need.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Need {
    /// One of Intel's tools.
    Oracle(&'static str),
    /// A program that machines of developers have: a compiler, `valgrind`.
    Program(&'static str),
    /// Intel's OpenCL driver of this age, where `get-neo` puts it.
    Driver(&'static str),
    /// Level Zero's headers and loader, where `get-neo` puts them.
    LevelZero,
    /// OpenCL programs by others, where `get-others` puts them.
    Others,
    /// Intel's finalizer as a library, where the loader finds it.
    Libigc,
    /// vISA objects by others: [`data::corpus`].
    Corpus,
}

impl Need {
    /// Why the need is not met, if it is not.
    fn lack(self) -> Option<String> {
        match self {
            Need::Oracle(tool) => (!oracle::is_installed(tool))
                .then(|| format!("{tool} is not installed: tests/tools/get-oracles installs it")),
            Need::Program(name) => (!oracle::is_installed(name)).then(|| format!("{name} is not installed")),
            Need::Driver(age) => tbx::Driver::installed(age)
                .is_none()
                .then(|| format!("driver {age} is not installed: tests/tools/get-neo installs it")),
            Need::LevelZero => (!tbx::Driver::installed("2243")
                .and_then(|d| Some(d.tree()?.join("usr/include/level_zero/ze_api.h")))
                .is_some_and(|header| header.exists()))
            .then(|| "Level Zero's headers are not installed: tests/tools/get-neo installs them".to_owned()),
            Need::Others => others::installed().is_none().then(|| {
                "programs by others are not installed: tests/tools/get-others installs them".to_owned()
            }),
            Need::Libigc => (!libigc_is_installed())
                .then(|| "libigc.so.1 is not installed: tests/tools/get-oracles installs it".to_owned()),
            Need::Corpus => data::corpus()
                .is_empty()
                .then(|| "there are no foreign objects below ../shared/corpus".to_owned()),
        }
    }

    fn is_oracle(self) -> bool {
        matches!(self, Need::Oracle(_) | Need::Libigc | Need::Driver(_) | Need::LevelZero | Need::Others)
    }
}

/// Where Debian's package puts it; another place is for `LD_LIBRARY_PATH` to name.
fn libigc_is_installed() -> bool {
    let named = env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let usual = ["/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/local/lib"].map(Into::into);
    env::split_paths(&named).chain(usual).any(|d| d.join(crate::c_programs::INTEL).is_file())
}

/// A check and what it needs.
pub fn check(name: impl Into<String>, needs: &[Need], run: impl FnOnce() + Send + 'static) -> Trial {
    checked(name.into(), needs, env::var_os("VISA_REQUIRE_ORACLES").is_some(), run)
}

fn checked(name: String, needs: &[Need], required: bool, run: impl FnOnce() + Send + 'static) -> Trial {
    let lacks: Vec<(Need, String)> = needs.iter().filter_map(|n| n.lack().map(|why| (*n, why))).collect();
    if lacks.is_empty() {
        return Trial::test(name, || {
            run();
            Ok(())
        });
    }
    let fails = required && lacks.iter().any(|(need, _)| need.is_oracle());
    let why = lacks.into_iter().map(|(_, why)| why).collect::<Vec<_>>().join("; ");
    let kind = why.clone();
    // Run all the same, by `--ignored`, it can only fail.
    let trial = Trial::test(name, || Err(Failed::from(why)));
    if fails { trial } else { trial.with_kind(kind).with_ignored_flag(true) }
}

/// A check that is handed `iga64`.
pub fn iga64(name: &str, needs: &[Need], run: impl FnOnce(Iga) + Send + 'static) -> Trial {
    let needs = [&[Need::Oracle("iga64")], needs].concat();
    check(name, &needs, move || run(Iga::find().expect("looked up")))
}

/// A check that is handed the `iga64` whose JSON is version 2.0.
pub fn iga64_json2(name: &str, run: fn(Iga)) -> Trial {
    check(name, &[Need::Oracle("iga64-json2")], move || run(Iga::find_json2().expect("looked up")))
}

/// A check that is handed Intel's finalizer.
pub fn genx_ir(name: &str, needs: &[Need], run: fn(GenxIr)) -> Trial {
    let needs = [&[Need::Oracle("GenX_IR")], needs].concat();
    check(name, &needs, move || run(GenxIr::find().expect("looked up")))
}

/// Runs checks as the command line says, and ends the process.
pub fn run(checks: Vec<Trial>) -> ! {
    libtest_mimic::run(&Arguments::from_args(), checks).exit()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lacks_something_is_ignored_with_the_reason_or_fails() {
        let [nothing, program, tool] =
            [&[][..], &[Need::Program("no-such-program")], &[Need::Oracle("no-such-tool")]];
        let made = |needs, required| checked("check".to_owned(), needs, required, || ());
        assert!(!made(nothing, true).has_ignored_flag());
        for required in [false, true] {
            let trial = made(program, required);
            assert_eq!((trial.has_ignored_flag(), trial.kind()), (true, "no-such-program is not installed"));
            assert_eq!(made(tool, required).has_ignored_flag(), !required);
        }
    }
}
