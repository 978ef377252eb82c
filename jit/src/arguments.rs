//! The words that a runtime passes on to the finalizer: Intel's names for what can be chosen.

use finalizer::{Grf, Level, Options, PassSet, ThreadPairs};
use narrow::{to_u8, to_u16, to_u32};
use platforms::Platform;

use crate::{
    failure::{Code, Failure},
    table,
};

/// What they say. They are words apart, or several in one string.
pub(crate) fn options<'a>(
    platform: Platform,
    args: impl Iterator<Item = &'a [u8]>,
) -> Result<Options, Failure> {
    let mut words = args.flat_map(|arg| arg.split(u8::is_ascii_whitespace)).filter(|w| !w.is_empty());
    let mut options = Options::new(platform);
    let regs = &platform.caps().regs;
    while let Some(word) = words.next() {
        let mut number = |most: u64| value(word, words.next(), most);
        match word {
            b"-O0" => options.level = Level::O0,
            b"-O1" => options.level = Level::O1,
            b"-O2" => options.level = Level::O2,
            b"-nocompaction" => options.compact = false,
            b"-generateDebugInfo" => options.debug_info = true,
            b"-getfreegrfinfo" => options.free_registers = true,
            b"-noMaskWA" => options.pairs = ThreadPairs::Always,
            b"-noschedule" => options.skip = PassSet::named("schedule").unwrap_or_default(),
            b"-autoGRFSelection" => options.grf = Grf::Auto,
            b"-TotalGRFNum" => {
                let count = to_u16(number(u16::MAX.into())?);
                options.grf = if count == 0 { Grf::Kernel } else { Grf::Count(count) };
            }
            // 0 is as if it were not there, and a number of threads of no file means the default one (Intel's finalizer,
            // `G4_Kernel::setKernelParameters` and `setModeByNumThreads`).
            b"-HWThreadNumberPerEU" => {
                let threads = number(16)?;
                if threads > 0 {
                    let file = regs.file_of_threads(threads).unwrap_or_else(|| regs.default_file());
                    options.grf = Grf::Count(file.grfs);
                }
            }
            b"-reservedGRFNum" => {
                options.reserved_registers = to_u16(number(regs.default_file().grfs.into())?);
            }
            b"-abortonspill" => options.abort_on_spill = options.abort_on_spill.or(Some(0)),
            b"-useInlineData" if platform.caps().thread.inline_bytes > 0 => options.inline_payload = true,
            b"-setstartbp" => options.start_breakpoint = true,
            b"-crossThreadDataAlignment" => {
                let bytes = number(u32::MAX.into())?;
                if bytes != 32 && platform.caps().thread.payload_prologue {
                    let message =
                        format_args!("found {bytes} behind `-crossThreadDataAlignment`, allowed: 32");
                    return Err(Failure::new(Code::BadInput, message));
                }
            }
            b"-abortOnSpill" => options.abort_on_spill = Some(to_u8(number(u64::MAX)?.min(200))),
            b"-scratchAllocForStackInKB" => options.stack_bytes = to_u32(number(256)?) * 1024,
            b"-hashmovs" => {
                let high = number(u32::MAX.into())?;
                options.kernel_id = Some(high << 32 | value(word, words.next(), u32::MAX.into())?);
            }
            _ => {
                let Some(row) = table::find(word) else { continue };
                if row.done.is_refused(platform.caps()) {
                    let message = format_args!("found `{}`, which code for {platform} cannot obey", row.name);
                    return Err(Failure::new(Code::BadInput, message));
                }
                // Values of options without effect are no options.
                words.by_ref().take(row.values.into()).for_each(drop);
            }
        }
    }
    Ok(options)
}

/// The number behind an argument, in any base that C has.
fn value(name: &[u8], text: Option<&[u8]>, most: u64) -> Result<u64, Failure> {
    let text = text.map(String::from_utf8_lossy);
    let number = text.as_deref().and_then(|t| match t.strip_prefix("0x").or(t.strip_prefix("0X")) {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => t.parse().ok(),
    });
    number.filter(|n| *n <= most).ok_or_else(|| {
        let found = text.map_or_else(|| "nothing".to_owned(), |t| format!("`{t}`"));
        let name = String::from_utf8_lossy(name);
        Failure::new(Code::BadInput, format_args!("found {found} behind `{name}`, allowed: 0 to {most}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{By, Done, TABLE};

    fn of(platform: Platform, words: &[&str]) -> Result<Options, String> {
        options(platform, words.iter().map(|w| w.as_bytes())).map_err(|f| f.message)
    }

    #[test]
    fn intels_names_are_understood() {
        let pvc = Options::new(Platform::Pvc);
        let is =
            |words: &[&str], wanted: Options| assert_eq!(of(Platform::Pvc, words), Ok(wanted), "{words:?}");
        is(&["-stepping", "C0", "-debug"], pvc.clone());
        is(&["-TotalGRFNum 256"], Options { grf: Grf::Count(256), ..pvc.clone() });
        is(&["-TotalGRFNum", "0"], pvc.clone());
        is(&["-HWThreadNumberPerEU", "4"], Options { grf: Grf::Count(256), ..pvc.clone() });
        is(&["-HWThreadNumberPerEU", "8"], Options { grf: Grf::Count(128), ..pvc.clone() });
        is(&["-HWThreadNumberPerEU", "6"], Options { grf: Grf::Count(128), ..pvc.clone() });
        is(&["-HWThreadNumberPerEU", "0"], pvc.clone());
        is(&["-generateDebugInfo"], Options { debug_info: true, ..pvc.clone() });
        is(&["-noMaskWA"], Options { pairs: ThreadPairs::Always, ..pvc.clone() });
        is(&["-getfreegrfinfo"], Options { free_registers: true, ..pvc.clone() });
        is(&["-autoGRFSelection"], Options { grf: Grf::Auto, ..pvc.clone() });
        is(&["-reservedGRFNum", "0x10"], Options { reserved_registers: 16, ..pvc.clone() });
        is(&["-abortOnSpill", "4"], Options { abort_on_spill: Some(4), ..pvc.clone() });
        is(&["-scratchAllocForStackInKB", "8"], Options { stack_bytes: 8192, ..pvc.clone() });
        is(&["-abortonspill"], Options { abort_on_spill: Some(0), ..pvc.clone() });
        is(&["-abortOnSpill", "4", "-abortonspill"], Options { abort_on_spill: Some(4), ..pvc.clone() });
        is(&["-setstartbp"], Options { start_breakpoint: true, ..pvc.clone() });
        is(&["-crossThreadDataAlignment", "32"], pvc.clone());
        is(&["-hashmovs", "1", "2"], Options { kernel_id: Some(1 << 32 | 2), ..pvc.clone() });
        let skip = PassSet::named("schedule").unwrap();
        is(&["-noschedule", "-O2"], Options { skip, ..pvc.clone() });
        is(&["-O0"], Options { level: Level::O0, ..pvc });
        let four = of(Platform::Skl, &["-HWThreadNumberPerEU", "4"]).unwrap();
        assert_eq!(four.grf, Grf::Count(128), "there is one size of register file");
    }

    /// Every row says what happens: what is obeyed changes the options, what has no effect leaves them, with its values,
    /// and what is refused is refused.
    #[test]
    fn the_table_is_true() {
        assert!(TABLE.windows(2).all(|w| w[0].name.to_lowercase() <= w[1].name.to_lowercase()), "in order");
        for platform in Platform::ALL {
            let plain = Options::new(platform);
            let thread = &platform.caps().thread;
            for row in TABLE {
                // A word that would be obeyed, were it not a value.
                let values = vec!["-generateDebugInfo"; row.values.into()];
                let numbers = vec!["5"; row.values.into()];
                let with = |values: &[&str]| of(platform, &[&[row.name][..], values].concat());
                match row.done {
                    Done::Obeyed => {
                        let known = ["-TotalGRFNum", "-HWThreadNumberPerEU", "-crossThreadDataAlignment"];
                        assert!(with(&numbers) != Ok(plain.clone()) || known.contains(&row.name), "{row:?}");
                    }
                    Done::NoEffect(why) => {
                        assert_eq!(with(&values), Ok(plain.clone()), "{row:?}");
                        assert!(!why.is_empty());
                    }
                    Done::Refused => assert!(with(&numbers).is_err(), "{row:?}"),
                    Done::RefusedWithPrologue => {
                        let obeys = row.name == "-useInlineData" && thread.inline_bytes > 0;
                        assert_eq!(with(&numbers).is_err(), thread.payload_prologue && !obeys, "{row:?}");
                    }
                }
            }
        }
        let passed_by = |by: &[By]| TABLE.iter().filter(|row| by.contains(&row.by)).count();
        assert!(passed_by(&[By::Compiler, By::Both]) > 190, "by the compiler");
        assert!(passed_by(&[By::Runtime, By::Both]) >= 4, "by a runtime that loads the library");
    }

    #[test]
    fn a_value_that_is_none_is_told() {
        let fault = of(Platform::Skl, &["-hashmovs", "1"]).unwrap_err();
        assert_eq!(fault, "found nothing behind `-hashmovs`, allowed: 0 to 4294967295");
        let fault = of(Platform::Skl, &["-reservedGRFNum", "many"]).unwrap_err();
        assert!(fault.starts_with("found `many` behind `-reservedGRFNum`"), "{fault}");
    }
}
