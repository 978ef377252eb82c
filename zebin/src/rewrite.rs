//! New code of a kernel: its section, the symbols in it, its relocations, and what the description says of it.

use finalizer::{Binary, Diagnostic};
use object::{
    LittleEndian as LE,
    elf::{Rel64, SHT_REL, SHT_SYMTAB},
};

use crate::{
    elf::{Elf, bad, relocation_bytes},
    ze_info::ZeInfo,
};

/// The hardware fetches ahead: so many zero bytes stand behind the code, as the compiler puts them there.
const BEHIND: usize = 192;
/// The symbol of the place behind the loads of a kernel's arguments.
const ENTRY: &str = "_entry";

/// Puts a binary in the place of the code of section `section`.
#[allow(clippy::result_large_err)]
pub(crate) fn replace(
    elf: &mut Elf,
    section: usize,
    binary: &Binary,
    info: &mut ZeInfo,
) -> Result<(), Diagnostic> {
    describe(binary, info)?;
    let mut code = binary.code.clone();
    code.resize(code.len().next_multiple_of(64) + BEHIND, 0);
    elf.sections[section].data = code;
    let Some(table) = elf.of_kind(SHT_SYMTAB.0).next() else {
        return match binary.relocations.is_empty() {
            true => Ok(()),
            false => Err(bad("found no symbol table for the code's relocations")),
        };
    };
    symbols(elf, section, table, binary)?;
    relocations(elf, section, table, binary)
}

/// Makes the description true of the new code.
#[allow(clippy::result_large_err)]
fn describe(binary: &Binary, info: &mut ZeInfo) -> Result<(), Diagnostic> {
    let (name, code) = (binary.info.name.as_str(), &binary.info);
    // Functions that are called by address only stand in no entry.
    if !info.has(name) {
        return Ok(());
    }
    if let Some(simd) = info.environment(name, "simd_size").filter(|n| *n != u32::from(code.simd)) {
        return Err(bad(format!(".ze_info: found simd_size {simd}, the vISA has {}", code.simd)));
    }
    info.set_environment(name, "grf_count", code.grf_count.into());
    let barriers = info.environment(name, "barrier_count").unwrap_or(0);
    info.set_environment(name, "barrier_count", barriers.max(code.barriers.into()));
    if info.environment(name, "spill_size").is_some() {
        info.set_environment(name, "spill_size", code.spill_bytes);
    }
    info.set_environment(name, "offset_to_skip_per_thread_data_load", code.skip_per_thread_load);
    info.set_scratch(name, code.scratch_bytes);
    Ok(())
}

/// Gives the symbols in the section the places that they have in the new code.
#[allow(clippy::result_large_err)]
fn symbols(elf: &mut Elf, section: usize, table: usize, binary: &Binary) -> Result<(), Diagnostic> {
    let mut symbols = elf.symbols(table);
    let kernel = binary.symbols.first().map_or(binary.code.len() as u32, |s| s.size);
    for (name, symbol) in &mut symbols {
        if usize::from(symbol.st_shndx.get(LE).0) != section {
            continue;
        }
        let (at, size) = match binary.symbols.iter().find(|s| s.name == *name) {
            Some(ours) => (ours.offset, ours.size),
            None if name == ENTRY && symbol.st_value.get(LE) > 0 => {
                let entry = binary.info.skip_cross_thread_load;
                (entry, kernel - entry.min(kernel))
            }
            None if name == ENTRY => (0, kernel),
            None => {
                return Err(bad(format!(
                    "found the symbol `{name}` in the code, which its vISA does not define"
                )));
            }
        };
        symbol.st_value.set(LE, at.into());
        // Some compilers give no size here.
        if symbol.st_size.get(LE) > 0 {
            symbol.st_size.set(LE, size.into());
        }
    }
    elf.set_symbols(table, &symbols);
    Ok(())
}

#[allow(clippy::result_large_err)]
fn relocations(elf: &mut Elf, section: usize, table: usize, binary: &Binary) -> Result<(), Diagnostic> {
    let symbols = elf.symbols(table);
    let mut made = Vec::with_capacity(binary.relocations.len());
    for r in &binary.relocations {
        let Some(symbol) = symbols.iter().position(|(name, _)| *name == r.symbol) else {
            return Err(bad(format!("found no symbol `{}`, which the code refers to", r.symbol)));
        };
        let mut relocation = Rel64::<LE> { r_offset: Default::default(), r_info: Default::default() };
        relocation.r_offset.set(LE, r.offset.into());
        relocation.r_info.set(LE, ((symbol as u64) << 32) | r.kind as u64);
        made.push(relocation);
    }
    let old = elf.of_kind(SHT_REL.0).find(|i| elf.sections[*i].info() == section);
    match old {
        Some(old) => elf.sections[old].data = relocation_bytes(&made),
        None if !made.is_empty() => elf.add_relocations(section, table, &made),
        None => {}
    }
    Ok(())
}
