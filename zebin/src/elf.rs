//! The file as sections. What a section holds can change, and its number and header stay; when the file is
//! written, contents are laid out anew, each at the alignment that it had.

use narrow::{as_index, to_u16, to_u64, to_usize};
use std::collections::BTreeMap;

use object::{
    LittleEndian as LE,
    elf::{
        FileHeader64, Rel64, SHT_NOBITS, SHT_NULL, SHT_PROGBITS, SHT_REL, SHT_RELA, SHT_SYMTAB, STB_LOCAL,
        STT_OBJECT, SectionFlags, SectionHeader64, SectionType, Sym64, SymbolInfo, SymbolOther,
        SymbolSection,
    },
    pod,
};

use crate::{
    Error, bad,
    relocation_entry::{RelocationEntry, r_type, size_of_entry},
};

/// The machine type of these files (`EM_INTELGT`).
const MACHINE: u16 = 205;
/// 64 bits (`ELFCLASS64`), little-endian (`ELFDATA2LSB`).
const CLASS: u8 = 2;
const DATA: u8 = 1;
/// Section headers that a file may have: from this number on they mean something else (ELF specification, "Sections",
/// `SHN_LORESERVE`). The largest programs have some thousands.
const MOST_SECTIONS: u16 = 0xff00;

/// Whether bytes are an ELF file.
pub fn is_elf(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x7fELF")
}

/// One section.
#[derive(Clone)]
pub struct Section {
    /// Its name.
    pub name: String,
    header: SectionHeader64<LE>,
    /// What it holds.
    pub data: Vec<u8>,
}

impl Section {
    /// `sh_type`.
    pub fn kind(&self) -> u32 {
        self.header.sh_type.get(LE).0
    }

    /// `sh_info`: of relocations, the section that they are in.
    pub fn info(&self) -> usize {
        as_index(self.header.sh_info.get(LE))
    }

    /// `sh_link`: of relocations, the table of their symbols.
    pub fn link(&self) -> usize {
        as_index(self.header.sh_link.get(LE))
    }

    /// How many zeros a section stands for that has no bytes in the file (`SHT_NOBITS`).
    pub fn zeros(&self) -> u64 {
        if self.kind() == SHT_NOBITS.0 { self.header.sh_size.get(LE) } else { 0 }
    }

    /// Numbers of the symbols that relocations are by; of another section, none.
    pub fn relocated_by(&self) -> impl Iterator<Item = usize> {
        let size = size_of_entry(self.kind());
        size.into_iter()
            .flat_map(|size| RelocationEntry::all(&self.data, size))
            .map(|(entry, _)| entry.symbol)
    }

    fn is_relocations(&self) -> bool {
        matches!(self.header.sh_type.get(LE), SHT_REL | SHT_RELA)
    }
}

impl Section {
    /// Gives the symbols of relocations their new numbers; those without one lose their relocation.
    fn renumber_symbols(&mut self, numbers: &[Option<u64>]) {
        let Some(size) = size_of_entry(self.kind()) else { return };
        let mut kept = Vec::with_capacity(self.data.len());
        for (entry, bytes) in RelocationEntry::all(&self.data, size) {
            if let Some(Some(number)) = numbers.get(entry.symbol) {
                kept.extend_from_slice(&bytes[..8]);
                kept.extend_from_slice(&RelocationEntry::info(*number, entry.kind).to_le_bytes());
                kept.extend_from_slice(&bytes[16..]);
            }
        }
        self.data = kept;
    }
}

/// An ELF file of this machine type.
pub struct Elf {
    header: FileHeader64<LE>,
    /// The sections, by number.
    pub sections: Vec<Section>,
}

fn structure<T: pod::Pod>(bytes: &[u8], at: u64, what: &str) -> Result<T, Error> {
    let tail = usize::try_from(at).ok().and_then(|at| bytes.get(at..));
    let found = tail.and_then(|tail| pod::from_bytes::<T>(tail).ok());
    found.map(|(value, _)| *value).ok_or_else(|| bad(format!("found the end of the file in {what}")))
}

impl Elf {
    /// Reads a file.
    pub fn read(bytes: &[u8]) -> Result<Elf, Error> {
        let header: FileHeader64<LE> = structure(bytes, 0, "the file header")?;
        let ident = (header.e_ident.class.0, header.e_ident.data.0);
        if !is_elf(bytes) || ident != (CLASS, DATA) || header.e_machine.get(LE).0 != MACHINE {
            let message = format!(
                "found an ELF file of machine {}, allowed: 64-bit little-endian files of machine {MACHINE}",
                header.e_machine.get(LE).0
            );
            return Err(bad(message));
        }
        let count = header.e_shnum.get(LE);
        if usize::from(header.e_shentsize.get(LE)) != size_of::<SectionHeader64<LE>>()
            || count > MOST_SECTIONS
        {
            return Err(bad("found section headers of another size than 64 bytes"));
        }
        let at = header.e_shoff.get(LE);
        let headers = (0..u64::from(count))
            .map(|i| structure(bytes, at.saturating_add(i * 64), "the section headers"))
            .collect::<Result<Vec<SectionHeader64<LE>>, _>>()?;
        let names = headers.get(usize::from(header.e_shstrndx.get(LE).0));
        let names = names.map_or(Ok(&[][..]), |h| contents(bytes, h, "the names of sections"))?;
        let mut table_of_names = NameTable::new(names, usize::from(count) * 64);
        let sections = headers.iter().map(|h| {
            let name = table_of_names.text_at(h.sh_name.get(LE))?;
            Ok(Section { data: contents(bytes, h, &name)?.to_vec(), name, header: *h })
        });
        let sections: Vec<Section> = sections.collect::<Result<_, Error>>()?;
        // Bytes that several sections share are in memory several times.
        if sections.iter().map(|s| s.data.len()).sum::<usize>() > 4 * bytes.len() {
            return Err(bad("found sections that overlap"));
        }
        Ok(Elf { header, sections })
    }

    /// The file with the sections as they are now.
    pub fn write(mut self) -> Vec<u8> {
        let mut out = vec![0; size_of::<FileHeader64<LE>>()];
        for section in &mut self.sections {
            let header = &mut section.header;
            let has_bytes = !matches!(header.sh_type.get(LE), SHT_NULL | SHT_NOBITS);
            if !has_bytes {
                continue;
            }
            let align = to_usize(header.sh_addralign.get(LE).clamp(1, 4096).next_power_of_two());
            // Code starts where the compiler starts it, at a cache line.
            let is_code = section.name.starts_with(".text.");
            out.resize(out.len().next_multiple_of(if is_code { align.max(64) } else { align }), 0);
            header.sh_offset.set(LE, to_u64(out.len()));
            header.sh_size.set(LE, to_u64(section.data.len()));
            out.extend_from_slice(&section.data);
        }
        out.resize(out.len().next_multiple_of(8), 0);
        self.header.e_shoff.set(LE, to_u64(out.len()));
        for section in &self.sections {
            out.extend_from_slice(pod::bytes_of(&section.header));
        }
        out[..size_of::<FileHeader64<LE>>()].copy_from_slice(pod::bytes_of(&self.header));
        out
    }

    /// The numbers of the sections of a type.
    pub fn of_kind(&self, kind: u32) -> impl Iterator<Item = usize> {
        let is_kind = move |(i, s): (usize, &Section)| (s.kind() == kind).then_some(i);
        self.sections.iter().enumerate().filter_map(is_kind)
    }

    /// The symbols of the symbol table `table`, by number, with their names.
    ///
    /// # Errors
    ///
    /// The names are longer than any table's.
    pub fn symbols(&self, table: usize) -> Result<Vec<(String, Sym64<LE>)>, Error> {
        let Some(section) = self.sections.get(table) else { return Ok(Vec::new()) };
        let names = self.sections.get(section.link()).map_or(&[][..], |s| &s.data);
        let mut table_of_names = NameTable::new(names, section.data.len());
        let symbols = section.data.chunks_exact(size_of::<Sym64<LE>>());
        symbols
            .filter_map(|bytes| pod::from_bytes::<Sym64<LE>>(bytes).ok())
            .map(|(symbol, _)| Ok((table_of_names.text_at(symbol.st_name.get(LE))?, *symbol)))
            .collect()
    }

    /// Writes symbols back.
    pub fn set_symbols(&mut self, table: usize, symbols: &[(String, Sym64<LE>)]) {
        self.sections[table].data = symbols.iter().flat_map(|(_, s)| pod::bytes_of(s)).copied().collect();
    }

    /// Takes sections away, with the relocations in them and the symbols in them; the numbers of those that stay
    /// follow. Relocations that refer to a symbol that goes are taken away, too.
    ///
    /// # Errors
    ///
    /// As [`Elf::symbols`].
    pub fn remove(&mut self, is_gone: impl Fn(&Section) -> bool) -> Result<(), Error> {
        let mut gone: Vec<bool> = self.sections.iter().map(is_gone).collect();
        // Numbers 0 stand for no section, and names are needed to the end.
        for kept in [0, usize::from(self.header.e_shstrndx.get(LE).0)] {
            gone.get_mut(kept).into_iter().for_each(|gone| *gone = false);
        }
        let of_gone = |s: &Section| s.is_relocations() && gone.get(s.info()).is_some_and(|g| *g);
        let targets: Vec<bool> = self.sections.iter().map(of_gone).collect();
        gone.iter_mut().zip(targets).for_each(|(g, t)| *g |= t);
        if !gone.contains(&true) {
            return Ok(());
        }
        let tables: Vec<usize> = self.of_kind(SHT_SYMTAB.0).collect();
        for table in tables {
            self.remove_symbols(table, &gone)?;
        }
        self.remove_sections(&gone);
        Ok(())
    }

    fn remove_symbols(&mut self, table: usize, gone: &[bool]) -> Result<(), Error> {
        let size = size_of::<Sym64<LE>>();
        let section_of = |bytes: &[u8]| {
            let symbol = pod::from_bytes::<Sym64<LE>>(bytes).map(|(s, _)| usize::from(s.st_shndx.get(LE).0));
            symbol.ok().filter(|s| gone.get(*s) == Some(&true))
        };
        let old = std::mem::take(&mut self.sections[table].data);
        let mut numbers: Vec<Option<u64>> = Vec::new();
        let mut kept = Vec::new();
        let locals = self.sections[table].info();
        let mut new_locals = 0;
        for (number, bytes) in old.chunks_exact(size).enumerate() {
            if section_of(bytes).is_some() {
                numbers.push(None);
                continue;
            }
            numbers.push(Some(to_u64(kept.len() / size)));
            kept.extend_from_slice(bytes);
            new_locals += u32::from(number < locals);
        }
        self.sections[table].data = kept;
        self.sections[table].header.sh_info.set(LE, new_locals);
        for list in self.sections.iter_mut().filter(|s| s.is_relocations() && s.link() == table) {
            list.renumber_symbols(&numbers);
        }
        Ok(())
    }

    fn remove_sections(&mut self, gone: &[bool]) {
        let mut next = 0;
        let numbers: Vec<u16> = gone
            .iter()
            .map(|gone| {
                let number = if *gone { 0 } else { next };
                next += u16::from(!gone);
                number
            })
            .collect();
        let new = |old: usize| numbers.get(old).copied();
        for section in &mut self.sections {
            let (link, info) = (section.link(), section.info());
            let to_section = section.is_relocations();
            if let Some(link) = new(link) {
                section.header.sh_link.set(LE, link.into());
            }
            if let Some(info) = new(info).filter(|_| to_section) {
                section.header.sh_info.set(LE, info.into());
            }
            if section.kind() == SHT_SYMTAB.0 {
                for symbol in section.data.chunks_exact_mut(size_of::<Sym64<LE>>()) {
                    if let Ok((symbol, _)) = pod::from_bytes_mut::<Sym64<LE>>(symbol)
                        && let Some(section) = new(symbol.st_shndx.get(LE).0.into())
                    {
                        symbol.st_shndx.set(LE, SymbolSection(section));
                    }
                }
            }
        }
        let mut gone = gone.iter();
        self.sections.retain(|_| gone.next() != Some(&true));
        let names = usize::from(self.header.e_shstrndx.get(LE).0);
        self.header.e_shstrndx.set(LE, SymbolSection(numbers.get(names).copied().unwrap_or(0)));
        // Fewer than there were.
        self.header.e_shnum.set(LE, to_u16(self.sections.len()));
    }

    /// Adds the relocations of section `target`, whose symbols are those of `table`.
    ///
    /// # Errors
    ///
    /// There are as many sections as a file may have.
    pub fn add_relocations(
        &mut self,
        target: usize,
        table: usize,
        relocations: &[Rel64<LE>],
    ) -> Result<(), Error> {
        let name = format!(".rel{}", self.sections[target].name);
        let size = to_u64(size_of::<Rel64<LE>>());
        let (table, target) =
            (word(table, "the number of a section")?, word(target, "the number of a section")?);
        self.push(&name, SHT_REL, (table, target, 8, size), relocation_bytes(relocations))
    }

    /// Adds a section with these values of `sh_link`, `sh_info`, `sh_addralign` and `sh_entsize`.
    fn push(
        &mut self,
        name: &str,
        kind: SectionType,
        (link, info, align, size): (u32, u32, u64, u64),
        data: Vec<u8>,
    ) -> Result<(), Error> {
        let names = usize::from(self.header.e_shstrndx.get(LE).0);
        let at = word(self.sections[names].data.len(), "the place of a section's name")?;
        self.sections[names].data.extend_from_slice(name.as_bytes());
        self.sections[names].data.push(0);
        let mut header: SectionHeader64<LE> = self.sections[0].header;
        header.sh_name.set(LE, at);
        header.sh_type.set(LE, kind);
        header.sh_flags.set(LE, SectionFlags(0));
        header.sh_addr.set(LE, 0);
        header.sh_link.set(LE, link);
        header.sh_info.set(LE, info);
        header.sh_addralign.set(LE, align);
        header.sh_entsize.set(LE, size);
        self.sections.push(Section { name: name.to_owned(), header, data });
        self.header.e_shnum.set(LE, section_number(self.sections.len())?);
        Ok(())
    }
}

/// A place in a section of data that waits for an address, or for an offset in another section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patch {
    /// The place.
    pub offset: u64,
    /// The symbol.
    pub symbol: String,
    /// Whether it takes all 64 bits (`R_ZE_SYM_ADDR`), or else 32 (`R_ZE_SYM_ADDR_32`).
    pub is_whole: bool,
    /// What is added to the symbol's address.
    pub addend: i64,
}

impl Elf {
    /// The patches of section `list`, of type `SHT_RELA`.
    ///
    /// # Errors
    ///
    /// As [`Elf::symbols`]; a patch by no symbol, or of another type.
    pub fn patches(&self, list: usize) -> Result<Vec<Patch>, Error> {
        let section = &self.sections[list];
        let symbols = self.symbols(section.link())?;
        let size = size_of_entry(SHT_RELA.0).unwrap_or_default();
        let patch = |(entry, _): (RelocationEntry, &[u8])| {
            let RelocationEntry { offset, symbol, kind, addend } = entry;
            let is_address = matches!(kind, r_type::SYM_ADDR | r_type::SYM_ADDR_32);
            let Some((symbol, _)) = symbols.get(symbol).filter(|_| is_address) else {
                return Err(bad(format!("section {}: found a relocation of type {kind}", section.name)));
            };
            Ok(Patch { offset, symbol: symbol.clone(), is_whole: kind == r_type::SYM_ADDR, addend })
        };
        RelocationEntry::all(&section.data, size).map(patch).collect()
    }

    /// Adds a section of data that no memory is for. Each symbol of its patches becomes one of its own, as compilers
    /// have it: local, of value 0, known by its name.
    ///
    /// # Errors
    ///
    /// There is no table of symbols.
    pub fn add_data(&mut self, name: &str, data: Vec<u8>, patches: &[Patch]) -> Result<(), Error> {
        let number = self.sections.len();
        self.push(name, SHT_PROGBITS, (0, 0, 0, 0), data)?;
        if patches.is_empty() {
            return Ok(());
        }
        let table = self.of_kind(SHT_SYMTAB.0).next();
        let table = table.ok_or_else(|| bad("found no symbol table for debug sections"))?;
        let (mut names, mut number_of) = (Vec::new(), BTreeMap::new());
        for patch in patches {
            number_of.entry(patch.symbol.as_str()).or_insert_with(|| {
                names.push(patch.symbol.as_str());
                to_u64(names.len()) - 1
            });
        }
        let first = self.add_symbols(table, number, &names)?;
        let mut list = Vec::with_capacity(24 * patches.len());
        for patch in patches {
            let symbol = first + number_of[patch.symbol.as_str()];
            let kind = if patch.is_whole { r_type::SYM_ADDR } else { r_type::SYM_ADDR_32 };
            let words = [patch.offset, RelocationEntry::info(symbol, kind), patch.addend.cast_unsigned()];
            list.extend(words.iter().flat_map(|w| w.to_le_bytes()));
        }
        let (table, number) =
            (word(table, "the number of a section")?, word(number, "the number of a section")?);
        self.push(&format!(".rela{name}"), SHT_RELA, (table, number, 8, 24), list)
    }

    /// Adds local symbols in a section, before those that are known outside, and returns the number of the first.
    fn add_symbols(&mut self, table: usize, section: usize, names: &[&str]) -> Result<u64, Error> {
        let size = size_of::<Sym64<LE>>();
        let first = self.sections[table].info().min(self.sections[table].data.len() / size);
        let count = self.sections[table].data.len() / size;
        let strings = self.sections[table].link();
        let mut made = Vec::new();
        let section = section_number(section)?;
        for name in names {
            let strings = self.sections.get_mut(strings).ok_or_else(|| bad("found no names of symbols"))?;
            let at = word(strings.data.len(), "the place of a symbol's name")?;
            strings.data.extend_from_slice(name.as_bytes());
            strings.data.push(0);
            let mut symbol = Sym64::<LE> {
                st_name: Default::default(),
                st_info: SymbolInfo::new(STB_LOCAL, STT_OBJECT),
                st_other: SymbolOther(0),
                st_shndx: Default::default(),
                st_value: Default::default(),
                st_size: Default::default(),
            };
            symbol.st_name.set(LE, at);
            symbol.st_shndx.set(LE, SymbolSection(section));
            made.extend_from_slice(pod::bytes_of(&symbol));
        }
        let symbols = &mut self.sections[table];
        symbols.data.splice(first * size..first * size, made);
        symbols.header.sh_info.set(LE, word(first + names.len(), "the number of a symbol")?);
        let number = |old: usize| Some(to_u64(if old < first { old } else { old + names.len() }));
        let numbers: Vec<Option<u64>> = (0..count).map(number).collect();
        for list in self.sections.iter_mut().filter(|s| s.is_relocations() && s.link() == table) {
            list.renumber_symbols(&numbers);
        }
        Ok(to_u64(first))
    }
}

/// A number of sections, or of one.
fn section_number(number: usize) -> Result<u16, Error> {
    let number16 = u16::try_from(number).ok().filter(|n| *n <= MOST_SECTIONS);
    number16.ok_or_else(|| bad(format!("found {number} sections, allowed: {MOST_SECTIONS}")))
}

/// A number as a file has it.
fn word(number: usize, what: &str) -> Result<u32, Error> {
    u32::try_from(number).map_err(|_| bad(format!("found {number} as {what}, allowed: 32 bits")))
}

/// Relocations as bytes.
pub fn relocation_bytes(relocations: &[Rel64<LE>]) -> Vec<u8> {
    relocations.iter().flat_map(pod::bytes_of).copied().collect()
}

fn contents<'a>(bytes: &'a [u8], header: &SectionHeader64<LE>, name: &str) -> Result<&'a [u8], Error> {
    if matches!(header.sh_type.get(LE), SHT_NULL | SHT_NOBITS) {
        return Ok(&[]);
    }
    let (at, size) = (header.sh_offset.get(LE), header.sh_size.get(LE));
    let range = usize::try_from(at).ok().zip(usize::try_from(size).ok());
    let found = range.and_then(|(at, size)| bytes.get(at..at.checked_add(size)?));
    found.ok_or_else(|| {
        let message = format!("section {name}: found {size} bytes at {at:#x}, the file has {}", bytes.len());
        bad(message)
    })
}

/// A table of names (ELF specification, "String Table"). What is read of it is in proportion to the table and to what refers
/// to it, however often the same long text is named.
struct NameTable<'a> {
    names: &'a [u8],
    left: usize,
}

impl<'a> NameTable<'a> {
    fn new(names: &'a [u8], users: usize) -> NameTable<'a> {
        NameTable { names, left: users + 4 * names.len() }
    }

    fn text_at(&mut self, at: u32) -> Result<String, Error> {
        let tail = self.names.get(as_index(at)..).unwrap_or_default();
        let end = tail.iter().position(|b| *b == 0).unwrap_or(tail.len());
        self.left = self.left.checked_sub(end).ok_or_else(|| bad("found names that overlap"))?;
        Ok(String::from_utf8_lossy(&tail[..end]).into_owned())
    }
}
