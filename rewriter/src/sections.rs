//! The debug sections of a program: those of kernels that keep the compiler's code stay, those of new code are made anew.
//!
//! Compilers write one unit a kernel, the units of all kernels one behind the other. Units begin with their length, and
//! whose they are say relocations by the symbol `.text.KERNEL`. Tables of places and ranges, which say neither, stay
//! as they are for as long as a unit is left that may refer to them.

use narrow::{as_index, to_i64, to_u64};
use std::collections::BTreeSet;

use finalizer::{Binary, Diagnostic};
use object::elf::SHT_RELA;
use zebin::{Elf, Error};

use crate::{dwarf, table::Table};

/// What names of debug sections begin with.
const PREFIX: &str = ".debug_";
/// Sections of units that belong to one kernel.
const BY_KERNEL: [&str; 3] = [".debug_info", ".debug_line", ".debug_frame"];

/// Whether the program has any.
pub(crate) fn has_any(elf: &Elf) -> bool {
    elf.sections.iter().any(|s| s.name.starts_with(PREFIX))
}

/// Makes them true of the code that was made; `wanted`: also where there were none. Returns a warning that names those
/// which had to go.
pub(crate) fn renew(elf: &mut Elf, made: &[Binary], wanted: bool) -> Result<Option<Diagnostic>, Error> {
    if made.is_empty() || !(wanted || has_any(elf)) {
        return Ok(None);
    }
    let gone = made.iter().map(|b| format!(".text.{}", b.info.name)).collect();
    let names = elf.sections.iter().map(|s| &s.name).filter(|n| n.starts_with(PREFIX));
    let before: Vec<String> = names.cloned().collect();
    // What cannot be read is of no use to a debugger either.
    let mut tables = read(elf).ok().and_then(|old| kept(old, &gone)).unwrap_or_default();
    let new = dwarf::write(made).map_err(|e| Error::File(format!("debug sections: {e}")))?;
    append(&mut tables, new);
    elf.remove(|s| s.name.starts_with(PREFIX))?;
    for table in &tables {
        elf.add_data(&table.name, table.data.clone(), &table.patches)?;
    }
    let lost: Vec<&str> =
        before.iter().map(String::as_str).filter(|n| !tables.iter().any(|t| t.name == *n)).collect();
    Ok((!lost.is_empty()).then(|| {
        let message = format!(
            "removed {}, which tell of the registers and addresses of the compiler's code; lines are those of the new code",
            lost.join(", ")
        );
        Diagnostic::warning("DebugSections", message)
    }))
}

/// The debug sections as they are.
fn read(elf: &Elf) -> Result<Vec<Table>, Error> {
    let mut tables = Vec::new();
    for (number, section) in elf.sections.iter().enumerate().filter(|(_, s)| s.name.starts_with(PREFIX)) {
        let lists = elf.of_kind(SHT_RELA.0).filter(|i| elf.sections[*i].info() == number);
        let patches = lists.map(|list| elf.patches(list)).collect::<Result<Vec<_>, _>>()?;
        let mut patches = patches.concat();
        patches.sort_by_key(|p| p.offset);
        tables.push(Table { name: section.name.clone(), data: section.data.clone(), patches });
    }
    Ok(tables)
}

/// What is left without the units that tell of code which is gone; `None` if nothing is, or if the sections do not hold
/// whole units.
fn kept(mut tables: Vec<Table>, gone: &BTreeSet<String>) -> Option<Vec<Table>> {
    let mut moved = Vec::new();
    for table in tables.iter_mut().filter(|t| BY_KERNEL.contains(&t.name.as_str())) {
        let units = units(&table.data)?;
        let is_kept = kept_units(table, &units, gone);
        moved.push((table.name.clone(), table.keep(&units, &is_kept)));
    }
    if tables.iter().find(|t| t.name == ".debug_info").is_none_or(|t| t.data.is_empty()) {
        return None;
    }
    for patch in tables.iter_mut().flat_map(|t| &mut t.patches) {
        if let Some((_, map)) = moved.iter().find(|(name, _)| *name == patch.symbol) {
            // The last piece that begins at or before it; what was taken away nobody refers to.
            let behind = map.partition_point(|(old, _)| to_i64(*old) <= patch.addend);
            let (old, new) = *map.get(behind.checked_sub(1)?)?;
            patch.addend += to_i64(new) - to_i64(old);
        }
    }
    tables.retain(|t| !t.data.is_empty());
    Some(tables)
}

/// Where units begin and end. Lengths are of 32 bits, or of 64 behind `0xffffffff` (DWARF 4, section 7.4).
fn units(data: &[u8]) -> Option<Vec<(usize, usize)>> {
    let (mut units, mut at) = (Vec::new(), 0);
    while at < data.len() {
        let rest = &data[at..];
        let short = u32::from_le_bytes(*rest.first_chunk()?);
        let (head, length) = match short {
            u32::MAX => (12, usize::try_from(u64::from_le_bytes(*rest[4..].first_chunk()?)).ok()?),
            _ => (4, as_index(short)),
        };
        let end = at.checked_add(head)?.checked_add(length).filter(|end| *end <= data.len())?;
        units.push((at, end));
        at = end;
    }
    Some(units)
}

/// Which units stay: those that name no code which is gone. Rules of unwinding that several routines share (CIE) name no
/// code; they stay with the next unit that does.
fn kept_units(table: &Table, units: &[(usize, usize)], gone: &BTreeSet<String>) -> Vec<bool> {
    let mut kept = Vec::with_capacity(units.len());
    let mut shared = 0;
    for &(start, end) in units {
        let code = table.within(start, end).find(|p| p.symbol.starts_with(".text."));
        match code {
            Some(patch) => {
                let stays = !gone.contains(&patch.symbol);
                kept.extend(std::iter::repeat_n(stays, shared + 1));
                shared = 0;
            }
            None => shared += 1,
        }
    }
    kept.resize(units.len(), false);
    kept
}

/// Puts new sections behind old ones of the same name.
fn append(tables: &mut Vec<Table>, new: Vec<Table>) {
    let sizes: Vec<(String, i64)> = tables.iter().map(|t| (t.name.clone(), to_i64(t.data.len()))).collect();
    let size_of = |name: &str| sizes.iter().find(|(n, _)| n == name).map_or(0, |(_, size)| *size);
    for mut table in new {
        let base = to_u64(size_of(&table.name));
        for patch in &mut table.patches {
            patch.offset += base;
            patch.addend += size_of(&patch.symbol);
        }
        match tables.iter_mut().find(|t| t.name == table.name) {
            Some(old) => {
                old.data.append(&mut table.data);
                old.patches.append(&mut table.patches);
            }
            None => tables.push(table),
        }
    }
}
