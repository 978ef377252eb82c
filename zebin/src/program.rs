//! What a runtime loads: the code of each kernel, constants and variables, and the places that wait for addresses.

use narrow::{as_index, to_usize};
use object::{
    LittleEndian as LE,
    elf::{SHT_SYMTAB, STB_LOCAL, Sym64},
};
use platforms::Platform;

use crate::{
    Elf, Error, Section, bad,
    relocation_entry::{RelocationEntry, r_type, size_of_entry},
};

/// The section that says what the program was compiled for.
const COMPAT: &str = ".note.intelgt.compat";
/// Type of the note there that names the product (`NT_INTELGT_PRODUCT_FAMILY`).
const PRODUCT_FAMILY: u32 = 1;
/// Bytes that a section without contents may ask for.
const MOST_ZEROS: u64 = 1 << 28;

/// Which part of an address a place takes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Part {
    /// All 64 bits.
    Whole,
    /// The low 32 bits.
    Low,
    /// The high 32 bits.
    High,
    /// The low 16 bits.
    Word,
}

impl Part {
    /// The part of an ELF relocation type.
    fn from_elf(kind: u32) -> Option<Part> {
        match kind {
            r_type::SYM_ADDR => Some(Part::Whole),
            r_type::SYM_ADDR_32 | r_type::GLOBAL_IMM_32 => Some(Part::Low),
            r_type::SYM_ADDR_32_HI => Some(Part::High),
            r_type::SYM_ADDR_16 => Some(Part::Word),
            _ => None,
        }
    }

    /// How many bytes it has.
    pub fn bytes(self) -> usize {
        match self {
            Part::Whole => 8,
            Part::Low | Part::High => 4,
            Part::Word => 2,
        }
    }
}

/// A place that waits for an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relocation {
    /// The symbol.
    pub symbol: String,
    /// Which part of its address.
    pub part: Part,
    /// Byte offset of the place.
    pub offset: u32,
}

/// A piece of code: a kernel, or functions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unit {
    /// The code.
    pub code: Vec<u8>,
    /// Places in it.
    pub relocations: Vec<Relocation>,
    /// Functions in it: name and byte offset.
    pub functions: Vec<(String, u32)>,
}

/// Bytes of a `.data` section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Data {
    /// The section's name.
    pub name: String,
    /// What it holds.
    pub bytes: Vec<u8>,
    /// Places in it.
    pub relocations: Vec<Relocation>,
    /// Symbols in it: name and byte offset.
    pub symbols: Vec<(String, u32)>,
}

/// A compiled program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// The pieces of code by name, in the file's order.
    pub units: Vec<(String, Unit)>,
    /// Constants and variables.
    pub data: Vec<Data>,
    /// The text of `.ze_info`.
    pub ze_info: String,
}

impl Program {
    /// Reads the file.
    ///
    /// # Errors
    ///
    /// The file is no compiled program.
    pub fn read(bytes: &[u8]) -> Result<Program, Error> {
        let elf = Elf::read(bytes)?;
        let mut places = Places::read(&elf)?;
        let mut out = Program::default();
        for (number, section) in elf.sections.into_iter().enumerate() {
            let relocations = std::mem::take(&mut places.relocations[number]);
            let symbols = std::mem::take(&mut places.symbols[number]);
            let name = section.name.as_str();
            if let Some(kernel) = name.strip_prefix(".text.") {
                let unit = Unit { code: section.data, relocations, functions: symbols };
                out.units.push((kernel.to_owned(), unit));
            } else if name.starts_with(".data") || name.starts_with(".bss") {
                let bytes = match section.zeros() {
                    0 => section.data,
                    size if size <= MOST_ZEROS => vec![0; to_usize(size)],
                    size => {
                        return Err(bad(format!(
                            "section {name}: found {size} bytes, allowed: {MOST_ZEROS}"
                        )));
                    }
                };
                out.data.push(Data { name: section.name, bytes, relocations, symbols });
            } else if name == ".ze_info" {
                out.ze_info = String::from_utf8_lossy(&section.data).into_owned();
            }
        }
        Ok(out)
    }

    /// Names of the pieces of code, in the file's order.
    pub fn kernels(&self) -> impl Iterator<Item = &str> {
        self.units.iter().map(|(name, _)| name.as_str())
    }

    /// The code of a kernel.
    pub fn unit(&self, kernel: &str) -> Option<&Unit> {
        self.units.iter().find(|(name, _)| name == kernel).map(|(_, unit)| unit)
    }
}

/// What the sections of a file are told to hold, by number.
struct Places {
    relocations: Vec<Vec<Relocation>>,
    /// Symbols that others refer to.
    symbols: Vec<Vec<(String, u32)>>,
}

impl Places {
    fn read(elf: &Elf) -> Result<Places, Error> {
        let count = elf.sections.len();
        let mut places = Places { relocations: vec![Vec::new(); count], symbols: vec![Vec::new(); count] };
        for table in elf.of_kind(SHT_SYMTAB.0) {
            let symbols = elf.symbols(table)?;
            for (name, symbol) in &symbols {
                let section = places.symbols.get_mut(usize::from(symbol.st_shndx.get(LE).0));
                if let Some(section) = section.filter(|_| symbol.st_bind() != STB_LOCAL) {
                    section.push((name.clone(), in_32_bits(symbol.st_value.get(LE), name)?));
                }
            }
            for (number, list) in elf.sections.iter().enumerate().filter(|(_, s)| s.link() == table) {
                places.add(number, list, &symbols)?;
            }
        }
        Ok(places)
    }

    fn add(&mut self, number: usize, list: &Section, symbols: &[(String, Sym64<LE>)]) -> Result<(), Error> {
        let Some(size) = size_of_entry(list.kind()) else { return Ok(()) };
        let Some(relocations) = self.relocations.get_mut(list.info()) else {
            return Err(bad(format!("section {number}: found relocations of no section")));
        };
        for (entry, _) in RelocationEntry::all(&list.data, size) {
            let Some((symbol, _)) = symbols.get(entry.symbol) else {
                return Err(bad("found a relocation without a symbol"));
            };
            // Payload offsets and message descriptors are other parts of a runtime.
            let Some(part) = Part::from_elf(entry.kind) else { continue };
            let offset = in_32_bits(entry.offset, symbol)?;
            relocations.push(Relocation { symbol: symbol.clone(), part, offset });
        }
        Ok(())
    }
}

/// A byte offset, which a section of code or data has in 32 bits.
fn in_32_bits(at: u64, symbol: &str) -> Result<u32, Error> {
    u32::try_from(at).map_err(|_| bad(format!("symbol {symbol}: found {at:#x}, allowed: 32 bits")))
}

/// The platform that a program was compiled for, as its notes say; `None` if they name a product that no platform
/// of ours stands for.
///
/// # Errors
///
/// The file does not say.
pub fn platform_of(elf: &Elf) -> Result<Option<Platform>, Error> {
    let product = product(elf).ok_or_else(|| bad(format!("found no product family in {COMPAT}")))?;
    Ok(Platform::from_product(product))
}

/// The number of the product that a program was compiled for.
pub fn product(elf: &Elf) -> Option<u32> {
    let section = elf.sections.iter().find(|s| s.name == COMPAT)?;
    let mut rest = section.data.as_slice();
    let word = |bytes: &[u8], at: usize| Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?));
    loop {
        let (name, size, kind) = (as_index(word(rest, 0)?), as_index(word(rest, 4)?), word(rest, 8)?);
        let value = 12 + name.checked_next_multiple_of(4)?;
        if kind == PRODUCT_FAMILY {
            return word(rest, value);
        }
        rest = rest.get(value.checked_add(size.checked_next_multiple_of(4)?)?..)?;
    }
}
