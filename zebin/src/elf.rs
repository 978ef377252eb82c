//! The file as sections. What a section holds can change, and its number and header stay; when the file is
//! written, contents are laid out anew, each at the alignment that it had.

use finalizer::Diagnostic;
use object::{
    LittleEndian as LE,
    elf::{FileHeader64, Rel64, SHT_REL, SectionFlags, SectionHeader64, Sym64},
    pod,
};

/// The machine type of these files (`EM_INTELGT`).
const MACHINE: u16 = 205;
/// 64 bits (`ELFCLASS64`), little-endian (`ELFDATA2LSB`).
const CLASS: u8 = 2;
const DATA: u8 = 1;
/// Section headers that a file may have; the largest programs have some thousands.
const MOST_SECTIONS: usize = 1 << 16;

/// Whether bytes are an ELF file.
pub fn is_elf(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x7fELF")
}

/// One section.
#[derive(Clone)]
pub(crate) struct Section {
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
        self.header.sh_info.get(LE) as usize
    }
}

/// An ELF file of this machine type.
pub(crate) struct Elf {
    header: FileHeader64<LE>,
    /// The sections, by number.
    pub sections: Vec<Section>,
}

pub(crate) fn bad(message: impl Into<String>) -> Diagnostic {
    Diagnostic::error("BadProgram", message)
}

fn structure<T: pod::Pod>(bytes: &[u8], at: u64, what: &str) -> Result<T, Box<Diagnostic>> {
    let tail = usize::try_from(at).ok().and_then(|at| bytes.get(at..));
    let found = tail.and_then(|tail| pod::from_bytes::<T>(tail).ok());
    found
        .map(|(value, _)| *value)
        .ok_or_else(|| Box::new(bad(format!("found the end of the file in {what}"))))
}

impl Elf {
    /// Reads a file.
    pub fn read(bytes: &[u8]) -> Result<Elf, Box<Diagnostic>> {
        let header: FileHeader64<LE> = structure(bytes, 0, "the file header")?;
        let ident = (header.e_ident.class.0, header.e_ident.data.0);
        if !is_elf(bytes) || ident != (CLASS, DATA) || header.e_machine.get(LE).0 != MACHINE {
            let message = format!(
                "found an ELF file of machine {}, allowed: 64-bit little-endian files of machine {MACHINE}",
                header.e_machine.get(LE).0
            );
            return Err(Box::new(bad(message)));
        }
        let count = usize::from(header.e_shnum.get(LE));
        if usize::from(header.e_shentsize.get(LE)) != size_of::<SectionHeader64<LE>>()
            || count > MOST_SECTIONS
        {
            return Err(Box::new(bad("found section headers of another size than 64 bytes")));
        }
        let at = header.e_shoff.get(LE);
        let headers = (0..count as u64)
            .map(|i| structure(bytes, at.saturating_add(i * 64), "the section headers"))
            .collect::<Result<Vec<SectionHeader64<LE>>, _>>()?;
        let names = headers.get(usize::from(header.e_shstrndx.get(LE).0));
        let names = names.map_or(Ok(&[][..]), |h| contents(bytes, h, "the names of sections"))?;
        let sections = headers.iter().map(|h| {
            let name = text_at(names, h.sh_name.get(LE));
            Ok(Section { data: contents(bytes, h, &name)?.to_vec(), name, header: *h })
        });
        Ok(Elf { header, sections: sections.collect::<Result<_, Box<Diagnostic>>>()? })
    }

    /// The file with the sections as they are now.
    pub fn write(mut self) -> Vec<u8> {
        let mut out = vec![0; size_of::<FileHeader64<LE>>()];
        for section in &mut self.sections {
            let header = &mut section.header;
            let has_bytes =
                !matches!(header.sh_type.get(LE), object::elf::SHT_NULL | object::elf::SHT_NOBITS);
            if !has_bytes {
                continue;
            }
            let align = header.sh_addralign.get(LE).clamp(1, 4096).next_power_of_two() as usize;
            // Code starts where the compiler starts it, at a cache line.
            let is_code = section.name.starts_with(".text.");
            out.resize(out.len().next_multiple_of(if is_code { align.max(64) } else { align }), 0);
            header.sh_offset.set(LE, out.len() as u64);
            header.sh_size.set(LE, section.data.len() as u64);
            out.extend_from_slice(&section.data);
        }
        out.resize(out.len().next_multiple_of(8), 0);
        self.header.e_shoff.set(LE, out.len() as u64);
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
    pub fn symbols(&self, table: usize) -> Vec<(String, Sym64<LE>)> {
        let Some(section) = self.sections.get(table) else { return Vec::new() };
        let names = self.sections.get(section.header.sh_link.get(LE) as usize);
        let names = names.map_or(&[][..], |s| &s.data);
        let symbols = section.data.chunks_exact(size_of::<Sym64<LE>>());
        symbols
            .filter_map(|bytes| pod::from_bytes::<Sym64<LE>>(bytes).ok())
            .map(|(symbol, _)| (text_at(names, symbol.st_name.get(LE)), *symbol))
            .collect()
    }

    /// Writes symbols back.
    pub fn set_symbols(&mut self, table: usize, symbols: &[(String, Sym64<LE>)]) {
        self.sections[table].data = symbols.iter().flat_map(|(_, s)| pod::bytes_of(s)).copied().collect();
    }

    /// Adds the relocations of section `target`, whose symbols are those of `table`.
    pub fn add_relocations(&mut self, target: usize, table: usize, relocations: &[Rel64<LE>]) {
        let name = format!(".rel{}", self.sections[target].name);
        let names = usize::from(self.header.e_shstrndx.get(LE).0);
        let at = self.sections[names].data.len() as u32;
        self.sections[names].data.extend_from_slice(name.as_bytes());
        self.sections[names].data.push(0);
        let mut header: SectionHeader64<LE> = self.sections[target].header;
        header.sh_name.set(LE, at);
        header.sh_type.set(LE, SHT_REL);
        header.sh_flags.set(LE, SectionFlags(0));
        header.sh_link.set(LE, table as u32);
        header.sh_info.set(LE, target as u32);
        header.sh_addralign.set(LE, 8);
        header.sh_entsize.set(LE, size_of::<Rel64<LE>>() as u64);
        self.sections.push(Section { name, header, data: relocation_bytes(relocations) });
        self.header.e_shnum.set(LE, self.sections.len() as u16);
    }
}

/// Relocations as bytes.
pub(crate) fn relocation_bytes(relocations: &[Rel64<LE>]) -> Vec<u8> {
    relocations.iter().flat_map(pod::bytes_of).copied().collect()
}

fn contents<'a>(
    bytes: &'a [u8],
    header: &SectionHeader64<LE>,
    name: &str,
) -> Result<&'a [u8], Box<Diagnostic>> {
    if matches!(header.sh_type.get(LE), object::elf::SHT_NULL | object::elf::SHT_NOBITS) {
        return Ok(&[]);
    }
    let (at, size) = (header.sh_offset.get(LE), header.sh_size.get(LE));
    let range = usize::try_from(at).ok().zip(usize::try_from(size).ok());
    let found = range.and_then(|(at, size)| bytes.get(at..at.checked_add(size)?));
    found.ok_or_else(|| {
        let message = format!("section {name}: found {size} bytes at {at:#x}, the file has {}", bytes.len());
        Box::new(bad(message))
    })
}

fn text_at(names: &[u8], at: u32) -> String {
    let tail = names.get(at as usize..).unwrap_or_default();
    let end = tail.iter().position(|b| *b == 0).unwrap_or(tail.len());
    String::from_utf8_lossy(&tail[..end]).into_owned()
}
