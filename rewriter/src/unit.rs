//! Code that was made here in the form that linkers of programs take.

use finalizer::{Binary, Finalizer, Refusal, RelocationKind};
use zebin::{Part, Relocation, Unit};

/// What a linker needs of the code of a kernel: the code, the names that it refers to, the functions inside.
pub fn unit(binary: &Binary) -> Unit {
    let relocations = binary.relocations.iter().map(|r| Relocation {
        symbol: r.symbol.clone(),
        part: match r.kind {
            RelocationKind::AddressLow => Part::Low,
            RelocationKind::AddressHigh => Part::High,
        },
        offset: r.offset,
    });
    let functions = binary.info.functions.iter().map(|f| (f.name.clone(), f.offset));
    Unit { code: binary.code.clone(), relocations: relocations.collect(), functions: functions.collect() }
}

/// The input with new code for the finalizer's platform. An object keeps the code that it has for other platforms;
/// assembly becomes an object; in a compiled program the new code replaces the compiler's.
///
/// # Errors
///
/// The input is refused; every fault is listed.
pub fn retarget(input: &[u8], finalizer: &mut Finalizer) -> Result<Vec<u8>, Refusal> {
    if zebin::is_elf(input) {
        return crate::finalize(input, finalizer, crate::Options::default()).map(|program| program.bytes);
    }
    finalizer.retarget(input)
}
