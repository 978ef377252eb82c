//! New code of a kernel: its section, the symbols in it, its relocations, and what the description says of it.
//! First everything is worked out ([`Piece::new`]), then put in its place, which cannot fail.

use narrow::{to_u32, to_u64};
use std::collections::BTreeMap;

use finalizer::Binary;
use object::{
    LittleEndian as LE,
    elf::{Rel64, SHT_REL, SHT_SYMTAB, STB_LOCAL, Sym64},
};
use zebin::{Elf, Error, Section, ZeInfo, relocation_bytes};

/// The hardware fetches ahead: so many zero bytes stand behind the code, as the compiler puts them there.
const BEHIND: usize = 192;
/// The symbol of the place behind the loads of a kernel's arguments.
const ENTRY: &str = "_entry";

/// The symbols of a program, and where the relocations of each section are.
pub(crate) struct Symbols {
    /// The number of their section, if the file has any.
    table: Option<usize>,
    all: Vec<(String, Sym64<LE>)>,
    by_name: BTreeMap<String, usize>,
    /// The symbols in a section.
    by_section: BTreeMap<usize, Vec<usize>>,
    relocations: BTreeMap<usize, usize>,
}

impl Symbols {
    pub fn read(elf: &Elf) -> Result<Symbols, Error> {
        let table = elf.of_kind(SHT_SYMTAB.0).next();
        let all = table.map_or(Ok(Vec::new()), |t| elf.symbols(t))?;
        let (mut by_name, mut by_section) = (BTreeMap::new(), BTreeMap::<usize, Vec<usize>>::new());
        for (number, (name, symbol)) in all.iter().enumerate() {
            by_section.entry(symbol.st_shndx.get(LE).0.into()).or_default().push(number);
            // A name that is known outside stands for one place only; others, such as `_entry`, for many.
            if symbol.st_bind() != STB_LOCAL || !by_name.contains_key(name) {
                by_name.insert(name.clone(), number);
            }
        }
        let relocations = elf.of_kind(SHT_REL.0).map(|i| (elf.sections[i].info(), i)).collect();
        Ok(Symbols { table, all, by_name, by_section, relocations })
    }

    /// Whether the code of a section has a relocation by a symbol.
    pub fn is_named_in(&self, elf: &Elf, symbol: &str, section: usize) -> bool {
        let list = self.relocations.get(&section).map(|number| &elf.sections[*number]);
        let mut numbers = list.into_iter().flat_map(Section::relocated_by);
        numbers.any(|n| self.all.get(n).is_some_and(|(name, _)| name == symbol))
    }

    /// Writes them back.
    pub fn write(&self, elf: &mut Elf) {
        if let Some(table) = self.table {
            elf.set_symbols(table, &self.all);
        }
    }
}

/// A kernel's new code, with all that must change for it.
pub(crate) struct Piece<'a> {
    section: usize,
    binary: &'a Binary,
    /// The places and sizes of symbols, by their numbers.
    symbols: Vec<(usize, u32, u32)>,
    relocations: Vec<Rel64<LE>>,
}

impl<'a> Piece<'a> {
    /// Works out what the code of section `section` becomes.
    ///
    /// # Errors
    ///
    /// The program does not fit the code.
    pub fn new(section: usize, binary: &'a Binary, all: &Symbols, info: &ZeInfo) -> Result<Self, String> {
        let (name, code) = (binary.info.name.as_str(), &binary.info);
        if let Some(simd) = info.environment(name, "simd_size").filter(|n| *n != u32::from(code.simd)) {
            return Err(format!(".ze_info: found simd_size {simd}, the vISA has {}", code.simd));
        }
        if all.table.is_none() && !binary.relocations.is_empty() {
            return Err("found no symbol table for the code's relocations".into());
        }
        let symbols = symbols(section, binary, all)?;
        let relocations = relocations(binary, all)?;
        Ok(Piece { section, binary, symbols, relocations })
    }

    /// Puts it in its place.
    ///
    /// # Errors
    ///
    /// As [`Elf::add_relocations`].
    pub fn put(self, elf: &mut Elf, all: &mut Symbols, info: &mut ZeInfo) -> Result<(), Error> {
        let mut code = self.binary.code.clone();
        code.resize(code.len().next_multiple_of(64) + BEHIND, 0);
        elf.sections[self.section].data = code;
        for (number, at, size) in self.symbols {
            let symbol = &mut all.all[number].1;
            symbol.st_value.set(LE, at.into());
            // Some compilers give no size here.
            if symbol.st_size.get(LE) > 0 {
                symbol.st_size.set(LE, size.into());
            }
        }
        match (all.relocations.get(&self.section), all.table) {
            (Some(old), _) => elf.sections[*old].data = relocation_bytes(&self.relocations),
            (None, Some(table)) if !self.relocations.is_empty() => {
                elf.add_relocations(self.section, table, &self.relocations)?;
            }
            _ => {}
        }
        describe(self.binary, info);
        Ok(())
    }
}

/// Makes the description true of the new code. Functions that are called by address only stand in no entry.
fn describe(binary: &Binary, info: &mut ZeInfo) {
    let (name, code) = (binary.info.name.as_str(), &binary.info);
    info.set_environment(name, "grf_count", code.grf_count.into());
    let barriers = info.environment(name, "barrier_count").unwrap_or(0);
    info.set_environment(name, "barrier_count", barriers.max(code.barriers.into()));
    if info.environment(name, "spill_size").is_some() {
        info.set_environment(name, "spill_size", code.spill_bytes);
    }
    info.set_environment(name, "offset_to_skip_per_thread_data_load", code.skip_per_thread_load);
    info.set_scratch(name, code.scratch_bytes);
}

/// The places that the symbols in the section have in the new code.
fn symbols(section: usize, binary: &Binary, all: &Symbols) -> Result<Vec<(usize, u32, u32)>, String> {
    let kernel = binary.symbols.first().map_or(to_u32(binary.code.len()), |s| s.size);
    let place = |number: &usize| {
        let (name, symbol) = &all.all[*number];
        let (at, size) = match binary.symbols.iter().find(|s| s.name == *name) {
            Some(ours) => (ours.offset, ours.size),
            None if name == ENTRY && symbol.st_value.get(LE) > 0 => {
                let entry = binary.info.skip_cross_thread_load;
                (entry, kernel - entry.min(kernel))
            }
            None if name == ENTRY => (0, kernel),
            None => {
                return Err(format!("found the symbol `{name}` in the code, which its vISA does not define"));
            }
        };
        Ok((*number, at, size))
    };
    all.by_section.get(&section).into_iter().flatten().map(place).collect()
}

fn relocations(binary: &Binary, all: &Symbols) -> Result<Vec<Rel64<LE>>, String> {
    let relocation = |r: &finalizer::Relocation| {
        let symbol = all.by_name.get(&r.symbol);
        let symbol =
            symbol.ok_or_else(|| format!("found no symbol `{}`, which the code refers to", r.symbol))?;
        let mut made = Rel64::<LE> { r_offset: Default::default(), r_info: Default::default() };
        made.r_offset.set(LE, r.offset.into());
        made.r_info.set(LE, (to_u64(*symbol) << 32) | u64::from(r.kind.number()));
        Ok(made)
    };
    binary.relocations.iter().map(relocation).collect()
}
