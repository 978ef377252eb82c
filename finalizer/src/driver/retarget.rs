//! An object with code for one more platform.

use crate::{Diagnostic, Finalizer, Refusal, read_input};

impl Finalizer {
    /// Gives every kernel of an object code for this finalizer's platform, in the object, in the place of code that
    /// it may have for that platform already; all else in it stays. vISA assembly becomes an object. Compiled
    /// programs are for the crate `zebin`.
    ///
    /// # Errors
    ///
    /// As [`Finalizer::finalize_object`]; a kernel that has code for as many other platforms as an object holds.
    pub fn retarget(&mut self, input: &[u8]) -> Result<Vec<u8>, Refusal> {
        let mut module = read_input(input, self.options().platform)?;
        let number = self.options().platform.caps().gen_platform;
        let cannot = |e: visa::WriteError| Diagnostic::error("CannotWrite", e.to_string());
        for (index, binary) in self.finalize_module(&module)?.into_iter().enumerate() {
            module.set_gen_binary(index, number, binary.code).map_err(cannot)?;
        }
        Ok(visa::write(&module).map_err(cannot)?)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Finalizer, Options, read_module};
    use platforms::Platform;

    #[test]
    fn an_object_gets_code_for_one_platform_after_the_other() {
        let object = include_bytes!("../../../examples/saxpy_skl.isa");
        let mut made = object.to_vec();
        for platform in [Platform::Skl, Platform::Tgllp, Platform::Skl] {
            made = Finalizer::new(Options::new(platform)).retarget(&made).unwrap();
        }
        let platforms: Vec<u8> =
            read_module(&made).unwrap().kernels[0].gen_binaries.iter().map(|b| b.platform).collect();
        assert_eq!(platforms, [Platform::Skl, Platform::Tgllp].map(|p| p.caps().gen_platform));
        let code = Finalizer::new(Options::new(Platform::Skl)).finalize_object(object).unwrap();
        assert_eq!(read_module(&made).unwrap().kernels[0].gen_binaries[0].code, code[0].code);
    }
}
