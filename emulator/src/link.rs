//! Linking: symbols of a program and the places in code that wait for their addresses.
//!
//! A compiled program is a zebin, an ELF file (Intel's graphics compiler, "ZEBIN: ELF format"): code of
//! each kernel in `.text.<kernel>`, constants and variables in `.data.*`, relocations in `.rel.*`. Its
//! functions that are called by address stand in the code of a "kernel" of their own. [`Zebin::load`]
//! puts the data into memory, as a runtime does, and [`Loaded::link`] writes the addresses into code.
//!
//! Code is placed from address 0 on, which is what the instruction pointer counts from: first the
//! kernel, then whatever code holds functions it refers to.

use crate::{Error, memory::Memory};
use object::{
    Object, ObjectSection, ObjectSymbol, RelocationFlags, RelocationTarget, SectionIndex,
    read::elf::ElfFile64,
};
use std::collections::BTreeMap;

/// Which part of an address a place takes; the numbers are the ELF relocation types.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Part {
    /// All 64 bits.
    Whole = 1,
    /// The low 32 bits.
    Low = 2,
    /// The high 32 bits.
    High = 3,
    /// The low 16 bits.
    Word = 7,
}

impl Part {
    /// The part of an ELF relocation type.
    pub fn from_elf(r_type: u32) -> Option<Part> {
        match r_type {
            1 => Some(Part::Whole),
            // A global immediate is a value of 32 bits.
            2 | 5 => Some(Part::Low),
            3 => Some(Part::High),
            7 => Some(Part::Word),
            _ => None,
        }
    }

    fn bytes(self) -> usize {
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
struct Data {
    name: String,
    bytes: Vec<u8>,
    relocations: Vec<Relocation>,
    /// Symbols in it: name and byte offset.
    symbols: Vec<(String, u32)>,
}

/// A compiled program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Zebin {
    units: Vec<(String, Unit)>,
    data: Vec<Data>,
    ze_info: String,
}

fn bad(what: impl std::fmt::Display) -> Error {
    Error::Link(what.to_string())
}

impl Zebin {
    /// Reads the ELF file.
    pub fn read(bytes: &[u8]) -> Result<Zebin, Error> {
        let file: ElfFile64<'_> = ElfFile64::parse(bytes).map_err(bad)?;
        let mut out = Zebin::default();
        for section in file.sections() {
            let name = section.name().map_err(bad)?;
            if let Some(kernel) = name.strip_prefix(".text.") {
                let unit = Unit {
                    code: section.data().map_err(bad)?.to_vec(),
                    relocations: relocations(&file, &section)?,
                    functions: symbols(&file, section.index())?,
                };
                out.units.push((kernel.to_owned(), unit));
            } else if name.starts_with(".data") || name.starts_with(".bss") {
                let bytes = match section.data().map_err(bad)? {
                    // A .bss has a size and no bytes.
                    [] if section.size() <= 1 << 28 => vec![0; section.size() as usize],
                    data => data.to_vec(),
                };
                out.data.push(Data {
                    name: name.to_owned(),
                    bytes,
                    relocations: relocations(&file, &section)?,
                    symbols: symbols(&file, section.index())?,
                });
            } else if name == ".ze_info" {
                out.ze_info = String::from_utf8_lossy(section.data().map_err(bad)?).into_owned();
            }
        }
        Ok(out)
    }

    /// The text of `.ze_info`.
    pub fn ze_info(&self) -> &str {
        &self.ze_info
    }

    /// Names of the pieces of code, in the file's order.
    pub fn kernels(&self) -> impl Iterator<Item = &str> {
        self.units.iter().map(|(name, _)| name.as_str())
    }

    /// The code of a kernel.
    pub fn unit(&self, kernel: &str) -> Option<&Unit> {
        self.units.iter().find(|(name, _)| name == kernel).map(|(_, unit)| unit)
    }

    /// Puts the data into memory, one buffer a section.
    pub fn load(&self, memory: &mut Memory) -> Result<Loaded, Error> {
        let mut loaded = Loaded { units: self.units.clone(), symbols: BTreeMap::new() };
        let mut buffers = Vec::new();
        for data in &self.data {
            let buffer = memory.add(data.name.clone(), data.bytes.clone());
            let base = memory.address(buffer);
            for (name, offset) in &data.symbols {
                loaded.symbols.insert(name.clone(), base + u64::from(*offset));
            }
            buffers.push(buffer);
        }
        for (data, buffer) in self.data.iter().zip(buffers) {
            let address = |name: &str| loaded.symbols.get(name).copied();
            patch(memory.bytes_mut(buffer), 0, &data.relocations, address)?;
        }
        Ok(loaded)
    }
}

fn relocations(
    file: &ElfFile64<'_>,
    section: &object::read::elf::ElfSection64<'_, '_>,
) -> Result<Vec<Relocation>, Error> {
    let mut out = Vec::new();
    for (offset, r) in section.relocations() {
        let (RelocationFlags::Elf { r_type }, RelocationTarget::Symbol(index)) = (r.flags(), r.target())
        else {
            return Err(bad("a relocation without a symbol"));
        };
        let symbol = file.symbol_by_index(index).map_err(bad)?.name().map_err(bad)?.to_owned();
        // Payload offsets and message descriptors are other parts of a runtime.
        let Some(part) = Part::from_elf(r_type.0) else { continue };
        let offset = u32::try_from(offset).map_err(bad)?;
        out.push(Relocation { symbol, part, offset });
    }
    Ok(out)
}

fn symbols(file: &ElfFile64<'_>, section: SectionIndex) -> Result<Vec<(String, u32)>, Error> {
    let mut out = Vec::new();
    for s in file.symbols().filter(|s| s.section_index() == Some(section) && s.is_global()) {
        out.push((s.name().map_err(bad)?.to_owned(), u32::try_from(s.address()).map_err(bad)?));
    }
    Ok(out)
}

/// A program whose data are in memory.
#[derive(Clone, Debug, Default)]
pub struct Loaded {
    units: Vec<(String, Unit)>,
    symbols: BTreeMap<String, u64>,
}

impl Loaded {
    /// The code of a kernel.
    pub fn unit(&self, kernel: &str) -> Option<&Unit> {
        self.units.iter().find(|(name, _)| name == kernel).map(|(_, unit)| unit)
    }

    /// The address of a constant or variable of the program.
    pub fn address(&self, symbol: &str) -> Option<u64> {
        self.symbols.get(symbol).copied()
    }

    /// A unit with its addresses filled in, followed by the units of `others` (and then of the program)
    /// that hold functions it needs.
    pub fn link(&self, unit: &Unit, others: &[Unit]) -> Result<Vec<u8>, Error> {
        let program = self.units.iter().map(|(_, u)| u);
        let known: Vec<&Unit> = others.iter().chain(program).collect();
        let mut placed = vec![(0u32, unit)];
        let mut code = unit.code.clone();
        let mut functions: BTreeMap<&str, u64> = BTreeMap::new();
        let mut at = 0;
        while let Some((_, u)) = placed.get(at) {
            at += 1;
            for r in &u.relocations {
                if self.symbols.contains_key(&r.symbol) || functions.contains_key(r.symbol.as_str()) {
                    continue;
                }
                let holds = |u: &&&Unit| u.functions.iter().any(|(name, _)| *name == r.symbol);
                let Some(&holder) = known.iter().find(holds) else {
                    return Err(bad(format!("nothing defines the symbol {}", r.symbol)));
                };
                pad(&mut code);
                let base = code.len() as u32;
                code.extend_from_slice(&holder.code);
                for (name, offset) in &holder.functions {
                    functions.entry(name).or_insert(u64::from(base + offset));
                }
                placed.push((base, holder));
            }
        }
        for (base, u) in placed {
            let address =
                |name: &str| self.symbols.get(name).copied().or_else(|| functions.get(name).copied());
            patch(&mut code, base, &u.relocations, address)?;
        }
        Ok(code)
    }
}

/// Fills code up to the next 64 bytes, with words of 8 bytes: zeros read as words of 16 bytes, and code whose
/// length is 8 more than a multiple of that would have the last one reach into what follows.
fn pad(code: &mut Vec<u8>) {
    while !code.len().is_multiple_of(64) {
        code.extend_from_slice(&encoder::CMPT_CTRL.to_le_bytes());
    }
}

fn patch(
    bytes: &mut [u8],
    base: u32,
    relocations: &[Relocation],
    address: impl Fn(&str) -> Option<u64>,
) -> Result<(), Error> {
    for r in relocations {
        let Some(value) = address(&r.symbol) else {
            return Err(bad(format!("nothing defines the symbol {}", r.symbol)));
        };
        let value = if r.part == Part::High { value >> 32 } else { value };
        let at = base as usize + r.offset as usize;
        let n = r.part.bytes();
        let Some(place) = bytes.get_mut(at..at + n) else {
            return Err(bad(format!("a relocation at {:#x}, past the end", r.offset)));
        };
        place.copy_from_slice(&value.to_le_bytes()[..n]);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(len: usize, relocations: &[(&str, Part, u32)], functions: &[(&str, u32)]) -> Unit {
        Unit {
            code: vec![0; len],
            relocations: relocations
                .iter()
                .map(|&(symbol, part, offset)| Relocation { symbol: symbol.into(), part, offset })
                .collect(),
            functions: functions.iter().map(|&(name, at)| (name.into(), at)).collect(),
        }
    }

    #[test]
    fn addresses_of_data_and_functions_are_filled_in() {
        let zebin = Zebin {
            units: vec![("functions".into(), unit(32, &[("table", Part::Low, 12)], &[("f", 16)]))],
            data: vec![Data {
                name: ".data.const".into(),
                bytes: vec![0; 24],
                relocations: vec![Relocation { symbol: "x".into(), part: Part::Whole, offset: 8 }],
                symbols: vec![("table".into(), 0), ("x".into(), 16)],
            }],
            ze_info: String::new(),
        };
        let mut memory = Memory::new();
        let loaded = zebin.load(&mut memory).unwrap();
        let (buffer, _, bytes) = memory.buffers().next().unwrap();
        let base = memory.address(buffer);
        assert_eq!(bytes[8..16], (base + 16).to_le_bytes());
        let kernel = unit(48, &[("f", Part::Whole, 8), ("x", Part::Low, 28), ("x", Part::High, 44)], &[]);
        let code = loaded.link(&kernel, &[]).unwrap();
        assert_eq!(code.len(), 64 + 32);
        assert_eq!(code[8..16], 80u64.to_le_bytes());
        assert_eq!(code[28..32], ((base + 16) as u32).to_le_bytes());
        assert_eq!(code[44..48], (((base + 16) >> 32) as u32).to_le_bytes());
        assert_eq!(code[64 + 12..64 + 16], (base as u32).to_le_bytes());
        let error = loaded.link(&unit(16, &[("nowhere", Part::Low, 0)], &[]), &[]).unwrap_err();
        assert!(error.to_string().contains("nowhere"), "{error}");
        assert!(loaded.link(&unit(4, &[("x", Part::Whole, 0)], &[]), &[]).is_err());
    }

    /// Zeros decode in pairs of 8 bytes, and would take the first half of the function's first instruction.
    #[test]
    fn padding_ends_where_the_next_code_begins() {
        use gen_ir::{ExecSize, Inst, Op};
        let mut mov = Inst::new(Op::Mov, ExecSize::S1);
        mov.dst = gen_ir::Dst::packed(gen_ir::Reg::grf(1, 0), gen_ir::Type::Ud);
        mov.src[0] = gen_ir::Src::ud(1);
        let word = encoder::encode(platforms::Platform::Skl, &mov).unwrap().to_le_bytes();
        let functions = Unit { code: word.to_vec(), relocations: vec![], functions: vec![("f".into(), 0)] };
        let mut kernel = unit(0, &[("f", Part::Low, 12)], &[]);
        kernel.code = [&word[..], &encoder::CMPT_CTRL.to_le_bytes()].concat();
        let code = Loaded::default().link(&kernel, &[functions]).unwrap();
        let last = encoder::decode_all(platforms::Platform::Skl, &code).last().unwrap();
        assert_eq!((last.offset, last.inst.unwrap().op), (64, Op::Mov));
    }

    #[test]
    fn what_is_no_elf_file_is_refused() {
        assert!(Zebin::read(b"CISA").is_err());
        assert!(Zebin::read(&[]).is_err());
    }
}
