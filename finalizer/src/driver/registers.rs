//! How many general registers a kernel's threads are given.
//!
//! With `Grf::Auto`, a kernel that spills goes through the passes again with more registers. Some passes take registers to
//! save instructions (`Workspace::registers_traded`); a kernel that spills after that goes through the passes again without
//! it. The result with fewer scratch messages is taken.

use crate::{Diagnostic, Grf, Options, Refusal};

/// The size of the register file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Registers {
    pub count: u16,
    /// A larger file, to be tried if the kernel spills with that.
    pub more: Option<u16>,
}

impl Registers {
    /// What the options and the kernel ask for.
    ///
    /// # Errors
    ///
    /// The platform's threads cannot have so many.
    pub fn of(options: &Options, kernel: &visa::Kernel) -> Result<Registers, Refusal> {
        let regs = options.platform.caps().regs;
        let [small, large] = [regs.default_file(), regs.largest_file()].map(|file| file.grfs);
        let (count, place) = match (options.grf, kernel.attr_int("NumGRF")) {
            (Grf::Auto, _) | (Grf::Kernel, Some(0)) => {
                let more = Some(large).filter(|n| *n > small && !calls_by_stack(kernel));
                return Ok(Registers { count: small, more });
            }
            (Grf::Count(count), _) => (count.into(), "the option `grf`"),
            (Grf::Kernel, Some(count)) => (count.into(), "the kernel's attribute NumGRF"),
            (Grf::Kernel, None) => (i64::from(small), ""),
        };
        if let Some(file) = u32::try_from(count).ok().and_then(|n| regs.file(n)) {
            return Ok(Registers { count: file.grfs, more: None });
        }
        let allowed: Vec<String> = regs.files.iter().map(|file| file.grfs.to_string()).collect();
        let allowed = allowed.join(" or ");
        let platform = options.platform;
        let message = format!("found {count} general registers a thread, allowed on {platform}: {allowed}");
        Err(Diagnostic::error("RegisterCount", message).about(place).in_kernel(&*kernel.name()).into())
    }
}

/// Whether a kernel calls functions that stand elsewhere, perhaps.
fn calls_by_stack(kernel: &visa::Kernel) -> bool {
    kernel.code.iter().any(|r| matches!(r.opcode, visa::Opcode::Fcall | visa::Opcode::Ifcall))
}

#[cfg(test)]
mod tests {
    use super::*;
    use platforms::Platform;

    fn of(platform: Platform, grf: Grf, attribute: Option<i32>) -> Result<(u16, Option<u16>), String> {
        let attribute = attribute.map_or_else(String::new, |n| format!(".kernel_attr NumGRF={n}\n"));
        let text = format!(".version 3.6\n.kernel \"k\"\n{attribute}ret (M1, 1)\n");
        let module = crate::read_text(text.as_bytes(), platform).unwrap();
        let options = Options { grf, ..Options::new(platform) };
        let found = Registers::of(&options, &module.kernels[0]);
        found.map(|r| (r.count, r.more)).map_err(|e| e.to_string())
    }

    #[test]
    fn the_option_comes_before_the_attribute_and_both_before_the_default() {
        assert_eq!(of(Platform::Pvc, Grf::Kernel, None), Ok((128, None)));
        assert_eq!(of(Platform::Pvc, Grf::Kernel, Some(256)), Ok((256, None)));
        assert_eq!(of(Platform::Pvc, Grf::Kernel, Some(0)), Ok((128, Some(256))));
        assert_eq!(of(Platform::Pvc, Grf::Count(128), Some(256)), Ok((128, None)));
        assert_eq!(of(Platform::Pvc, Grf::Auto, Some(256)), Ok((128, Some(256))));
        assert_eq!(of(Platform::Skl, Grf::Auto, None), Ok((128, None)));
    }

    #[test]
    fn what_the_platform_lacks_is_refused_with_place_and_choice() {
        let fault = of(Platform::Skl, Grf::Count(256), None).unwrap_err();
        assert_eq!(
            fault,
            "kernel `k`: the option `grf`: found 256 general registers a thread, allowed on skl: 128 [RegisterCount]"
        );
        let fault = of(Platform::Tgllp, Grf::Kernel, Some(256)).unwrap_err();
        assert!(fault.starts_with("kernel `k`: the kernel's attribute NumGRF: found 256"), "{fault}");
        let fault = of(Platform::Pvc, Grf::Kernel, Some(64)).unwrap_err();
        assert!(fault.ends_with("allowed on pvc: 128 or 256 [RegisterCount]"), "{fault}");
    }
}
