//! DWARF of new code: a unit for each kernel, with its lines, and its place and those of its functions.
//!
//! The form is that of Intel's compilers (version 4, one unit a kernel, addresses and offsets as relocations by the
//! symbols `.text.KERNEL` and `.debug_SECTION`; `IGC/DebugInfo` in intel-graphics-compiler), so that drivers link it
//! and debuggers find what they look for.

use finalizer::{Binary, Line, Symbol};
use gimli::{
    DW_AT_decl_file, DW_AT_decl_line, DW_AT_external, DW_AT_high_pc, DW_AT_language, DW_AT_low_pc,
    DW_AT_name, DW_AT_producer, DW_AT_stmt_list, DW_LANG_OpenCL, DW_TAG_subprogram, DwAt, Encoding, Format,
    LineEncoding, LittleEndian, SectionId,
    write::{
        Address, AttributeValue, Dwarf, EndianVec, FileId, LineProgram, LineString, RelocateWriter,
        Relocation, RelocationTarget, Sections, Unit, UnitEntryId,
    },
};
use narrow::{as_index, to_u32, to_u64};

use zebin::Patch;

use crate::table::Table;

/// Channels of a hardware thread (`DW_AT_INTEL_simd_width`).
const SIMD_WIDTH: DwAt = DwAt(0x2400);

const ENCODING: Encoding = Encoding { format: Format::Dwarf32, version: 4, address_size: 8 };

/// The sections for the code of these kernels, with what is to be filled in.
pub(crate) fn write(binaries: &[Binary]) -> Result<Vec<Table>, gimli::write::Error> {
    let mut dwarf = Dwarf::new();
    for (number, binary) in binaries.iter().enumerate() {
        dwarf.units.add(unit(number, binary));
    }
    let mut sections = Sections::new(Section::default());
    dwarf.write(&mut sections)?;
    let mut tables = Vec::new();
    sections.for_each(|id, section| {
        if !section.bytes.slice().is_empty() {
            tables.push(section.table(id, binaries));
        }
        Ok::<(), gimli::write::Error>(())
    })?;
    Ok(tables)
}

/// The unit of a kernel, whose number stands for the place of its code.
fn unit(number: usize, binary: &Binary) -> Unit {
    let (program, files) = lines(number, binary);
    let has_lines = !program.is_none();
    let mut unit = Unit::new(ENCODING, program);
    let root = unit.root();
    let place =
        |offset: u32| AttributeValue::Address(Address::Symbol { symbol: number, addend: offset.into() });
    let simd = AttributeValue::Data2(binary.info.simd.into());
    let source = binary.lines.files.first().unwrap_or(&binary.info.name);
    let attributes = [
        (DW_AT_producer, text(concat!("visa-finalize ", env!("CARGO_PKG_VERSION")))),
        (DW_AT_language, AttributeValue::Data2(DW_LANG_OpenCL.0)),
        (DW_AT_name, text(source)),
        (DW_AT_low_pc, place(0)),
        (DW_AT_high_pc, place(to_u32(binary.code.len()))),
        (SIMD_WIDTH, simd.clone()),
    ];
    set(&mut unit, root, attributes);
    if has_lines {
        unit.get_mut(root).set(DW_AT_stmt_list, AttributeValue::LineProgramRef);
    }
    for symbol in &binary.symbols {
        let entry = unit.add(root, DW_TAG_subprogram);
        let attributes = [
            (DW_AT_name, text(&symbol.name)),
            (DW_AT_external, AttributeValue::FlagPresent),
            (DW_AT_low_pc, place(symbol.offset)),
            (DW_AT_high_pc, place(symbol.offset + symbol.size)),
            (SIMD_WIDTH, simd.clone()),
        ];
        set(&mut unit, entry, attributes);
        if let Some(line) = declared(binary, symbol) {
            let file = files.get(as_index(line.file)).copied();
            let attributes = [
                (DW_AT_decl_file, AttributeValue::FileIndex(file)),
                (DW_AT_decl_line, AttributeValue::Data4(line.line)),
            ];
            set(&mut unit, entry, attributes);
        }
    }
    unit
}

fn set<const N: usize>(unit: &mut Unit, entry: UnitEntryId, attributes: [(DwAt, AttributeValue); N]) {
    for (name, value) in attributes {
        unit.get_mut(entry).set(name, value);
    }
}

/// The line where a routine begins, as far as its code says.
fn declared<'a>(binary: &'a Binary, symbol: &Symbol) -> Option<&'a Line> {
    let own = symbol.offset..symbol.offset + symbol.size;
    let mut rows = binary.lines.rows.iter().filter(|row| own.contains(&row.offset));
    rows.find(|row| row.line != 0)
}

/// The lines of a kernel's code, and what its files are called there.
fn lines(number: usize, binary: &Binary) -> (LineProgram, Vec<FileId>) {
    if binary.lines.rows.is_empty() {
        return (LineProgram::none(), Vec::new());
    }
    let bytes = |s: &str| LineString::String(without_zeros(s));
    let mut program = LineProgram::new(ENCODING, LineEncoding::default(), bytes(""), None, bytes("?"), None);
    let directory = program.default_directory();
    let name = |f: &String| if without_zeros(f).is_empty() { bytes("?") } else { bytes(f) };
    let files: Vec<FileId> =
        binary.lines.files.iter().map(|f| program.add_file(name(f), directory, None)).collect();
    program.begin_sequence(Some(Address::Symbol { symbol: number, addend: 0 }));
    for line in &binary.lines.rows {
        let row = program.row();
        row.address_offset = line.offset.into();
        row.file = files[as_index(line.file)];
        row.line = line.line.into();
        row.is_statement = line.is_statement;
        program.generate_row();
    }
    program.end_sequence(to_u64(binary.code.len()));
    (program, files)
}

fn text(s: &str) -> AttributeValue {
    AttributeValue::String(without_zeros(s))
}

/// Names end at a zero byte.
fn without_zeros(s: &str) -> Vec<u8> {
    s.bytes().take_while(|b| *b != 0).collect()
}

/// A section that is being written.
#[derive(Clone)]
struct Section {
    bytes: EndianVec<LittleEndian>,
    places: Vec<Relocation>,
}

impl Default for Section {
    fn default() -> Self {
        Section { bytes: EndianVec::new(LittleEndian), places: Vec::new() }
    }
}

impl RelocateWriter for Section {
    type Writer = EndianVec<LittleEndian>;

    fn writer(&self) -> &Self::Writer {
        &self.bytes
    }

    fn writer_mut(&mut self) -> &mut Self::Writer {
        &mut self.bytes
    }

    fn relocate(&mut self, relocation: Relocation) {
        self.places.push(relocation);
    }
}

impl Section {
    fn table(&self, id: SectionId, binaries: &[Binary]) -> Table {
        let patch = |r: &Relocation| {
            let symbol = match r.target {
                RelocationTarget::Symbol(kernel) => format!(".text.{}", binaries[kernel].info.name),
                RelocationTarget::Section(section) => section.name().to_owned(),
            };
            Patch { offset: to_u64(r.offset), symbol, is_whole: r.size == 8, addend: r.addend }
        };
        let mut patches: Vec<Patch> = self.places.iter().map(patch).collect();
        // Offsets of units are filled in behind what follows them.
        patches.sort_by_key(|p| p.offset);
        Table { name: id.name().to_owned(), data: self.bytes.slice().to_vec(), patches }
    }
}
