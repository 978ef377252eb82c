//! The rules of `gen_ir::rules` beside Intel's code.

use platforms::Platform;

/// Whether a rule is younger than Intel's code that is at hand, which breaks it where ours must not.
///
/// `response-overlap`: Intel's finalizer of today names Ponte Vecchio among the platforms where a response does not
/// meet its payload (`WaDisableSendSrcDstOverlap`); its release of 2022 wrote such messages there.
pub fn newer_than_its_code(platform: Platform, rule: &str) -> bool {
    (platform, rule) == (Platform::Pvc, "response-overlap")
}
