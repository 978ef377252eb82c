//! Debug sections of programs with new code, as a debugger reads them: relocations applied as drivers do, DWARF read by
//! `gimli`.

use std::collections::BTreeMap;

use finalizer::{Finalizer, Options};
use gimli::{EndianSlice, LittleEndian};
use platforms::Platform;
use rewriter::Program;
use zebin::Elf;

type Slice<'a> = EndianSlice<'a, LittleEndian>;

fn read(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/tests/data/{name}.bin", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// Where drivers put the code of a kernel, for this test.
fn address(elf: &Elf, section: &str) -> u64 {
    let number = elf.sections.iter().position(|s| s.name == section).expect(section);
    (number as u64) << 32
}

/// The debug sections, linked: a symbol `.text.KERNEL` in a debug section is the place of that code, one of another
/// name is 0 (`shared/source/device_binary_format/zebin/debug_zebin.cpp` of the compute runtime).
fn linked(elf: &Elf) -> BTreeMap<String, Vec<u8>> {
    let mut sections = BTreeMap::new();
    for (number, section) in elf.sections.iter().enumerate().filter(|(_, s)| s.name.starts_with(".debug_")) {
        let mut data = section.data.clone();
        for list in elf.of_kind(4).filter(|i| elf.sections[*i].info() == number) {
            for patch in elf.patches(list).unwrap() {
                let is_code = patch.symbol.starts_with(".text.");
                let base = if is_code { address(elf, &patch.symbol) } else { 0 };
                let value = (base + patch.addend as u64).to_le_bytes();
                let bytes = if patch.is_whole { 8 } else { 4 };
                data[patch.offset as usize..][..bytes].copy_from_slice(&value[..bytes]);
            }
        }
        sections.insert(section.name.clone(), data);
    }
    sections
}

/// A routine: name, and where its code is.
type Routine = (String, u64, u64);
/// A row of a line table: address, file, line, whether one may stop there.
type Row = (u64, String, u64, bool);

/// What a debugger finds: routines, and rows with the ends of their sequences, whose line is `u64::MAX`.
fn debugged(program: &[u8]) -> (Vec<Routine>, Vec<Row>) {
    let elf = Elf::read(program).unwrap();
    let sections = linked(&elf);
    let load = |id: gimli::SectionId| {
        let data = sections.get(id.name()).map_or(&[][..], Vec::as_slice);
        Ok::<_, gimli::Error>(EndianSlice::new(data, LittleEndian))
    };
    let dwarf = gimli::Dwarf::load(load).unwrap();
    let (mut routines, mut rows) = (Vec::new(), Vec::new());
    let mut units = dwarf.units();
    while let Some(header) = units.next().unwrap() {
        let unit = dwarf.unit(header).unwrap();
        let mut entries = unit.entries();
        while let Some(entry) = entries.next_dfs().unwrap() {
            if entry.tag() == gimli::DW_TAG_subprogram {
                routines.extend(routine(&dwarf, &unit, entry));
            }
        }
        let Some(program) = unit.line_program.clone() else { continue };
        let mut lines = program.rows();
        while let Some((header, row)) = lines.next_row().unwrap() {
            let file = row.file(header).expect("a file").path_name();
            let file = dwarf.attr_string(&unit, file).unwrap().to_string_lossy().into_owned();
            let line = if row.end_sequence() { u64::MAX } else { row.line().map_or(0, |l| l.get()) };
            rows.push((row.address(), file, line, row.is_stmt()));
        }
    }
    (routines, rows)
}

fn routine(
    dwarf: &gimli::Dwarf<Slice<'_>>,
    unit: &gimli::Unit<Slice<'_>>,
    entry: &gimli::DebuggingInformationEntry<Slice<'_>>,
) -> Option<Routine> {
    let name = dwarf.attr_string(unit, entry.attr_value(gimli::DW_AT_name)?).unwrap();
    let place = |name| match entry.attr_value(name)? {
        gimli::AttributeValue::Addr(at) => Some(at),
        _ => None,
    };
    Some((name.to_string_lossy().into_owned(), place(gimli::DW_AT_low_pc)?, place(gimli::DW_AT_high_pc)?))
}

fn finalize(bytes: &[u8], platform: Platform, options: rewriter::Options) -> Program {
    let mut finalizer = Finalizer::new(Options { verify: true, ..Options::new(platform) });
    let made = rewriter::finalize(bytes, &mut finalizer, options).unwrap();
    assert!(!finalizer.options().debug_info, "the options are as they were");
    made
}

/// Each instruction of new code has the file and line of the marks before the vISA instruction that it is for.
#[test]
fn lines_are_those_of_the_vm_instructions() {
    for (name, platform) in [("debug_new_tgllp", Platform::Tgllp), ("debug_kept_2435_skl", Platform::Skl)] {
        let made = finalize(&read(name), platform, rewriter::Options::default());
        let elf = Elf::read(&made.bytes).unwrap();
        let (routines, rows) = debugged(&made.bytes);
        let mut instructions = 0;
        for (binary, kernel) in made.binaries.iter().zip(rewriter::visa_of(&made.bytes).unwrap()) {
            let start = address(&elf, &format!(".text.{}", binary.info.name));
            for symbol in &binary.symbols {
                let place = start + u64::from(symbol.offset);
                let routine = (symbol.name.clone(), place, place + u64::from(symbol.size));
                assert!(routines.contains(&routine), "{name}: {routine:x?} in {routines:x?}");
            }
            let marked = marks(&kernel.texts[0], platform);
            let mut own = Finalizer::new(Options { origins: true, ..Options::new(platform) });
            let module = finalizer::read_text(&kernel.texts[0], platform).unwrap();
            let Ok(with_origins) = own.finalize_kernel(&module, 0) else { continue };
            assert_eq!(with_origins.code[..], binary.code[..with_origins.code.len()], "the same code");
            let words = encoder::decode_all(platform, &with_origins.code);
            for (word, origin) in words.zip(&with_origins.origins).filter(|(_, o)| o.function.is_none()) {
                let Some(instruction) = origin.instruction else { continue };
                let at = start + u64::from(word.offset);
                let row = rows.iter().rfind(|r| r.0 >= start && r.0 <= at).expect("a row");
                let (file, line) = &marked[instruction as usize];
                assert_eq!((&row.1, row.2), (file, *line), "{name}: {at:#x}, instruction {instruction}");
                instructions += 1;
            }
            let end = rows.iter().find(|r| r.2 == u64::MAX && r.0 > start).unwrap();
            assert_eq!(end.0, start + binary.code.len() as u64);
        }
        assert!(instructions > 15, "{instructions}");
        assert!(rows.iter().any(|r| r.3) && rows.iter().all(|r| r.1.ends_with(".cl")), "{rows:?}");
    }
}

/// The file and line of each instruction, as its text says; before all marks, the first line.
fn marks(text: &[u8], platform: Platform) -> Vec<(String, u64)> {
    let module = finalizer::read_text(text, platform).unwrap();
    let kernel = &module.kernels[0];
    let mut mark = (String::new(), 0);
    let mut of_each = Vec::new();
    for inst in kernel.insts() {
        match inst.op {
            visa::Op::File(name) => mark.0 = kernel.str(name).into_owned(),
            visa::Op::Loc(line) => mark.1 = line.into(),
            _ => {}
        }
        of_each.push(mark.clone());
    }
    let first = of_each.iter().find(|m: &&(String, u64)| m.1 != 0).expect("a mark").clone();
    for early in of_each.iter_mut().take_while(|m| m.0.is_empty()) {
        early.clone_from(&first);
    }
    of_each
}

/// Places of variables, and how to unwind, are those of the compiler's code: they go, and a note says so.
#[test]
fn what_is_not_true_of_new_code_goes() {
    let bytes = read("debug_new_tgllp");
    let made = finalize(&bytes, Platform::Tgllp, rewriter::Options::default());
    let [note] = &made.notes[..] else { panic!("{:?}", made.notes) };
    assert!(note.message.starts_with("removed .debug_frame, .debug_loc"), "{note}");
    let (old, new) = (Elf::read(&bytes).unwrap(), Elf::read(&made.bytes).unwrap());
    let names = |elf: &Elf| elf.sections.iter().map(|s| s.name.clone()).collect::<Vec<_>>();
    let debug: Vec<String> = names(&new).into_iter().filter(|n| n.contains("debug_")).collect();
    let expected = [".debug_abbrev", ".debug_info", ".debug_line", ".rela.debug_info", ".rela.debug_line"];
    let mut sorted = debug;
    sorted.sort();
    assert_eq!(sorted, expected);
    let others = |elf: &Elf| names(elf).into_iter().filter(|n| !n.contains("debug_")).collect::<Vec<_>>();
    assert_eq!(others(&new), others(&old));
    // What stays refers to what it referred to.
    let table = new.of_kind(2).next().unwrap();
    let symbols = new.symbols(table).unwrap();
    let in_code = |name: &str| {
        let (_, symbol) = symbols.iter().find(|s| s.0 == name).unwrap();
        new.sections[usize::from(symbol.st_shndx.get(object::LittleEndian).0)].name.clone()
    };
    assert_eq!((in_code("saxpy"), in_code("_entry")), (".text.saxpy".into(), ".text.saxpy".into()));
    assert_eq!(new.sections[table].info(), symbols.len(), "all are local");
    assert_eq!(new.sections[new.sections[table].link()].name, ".strtab");
    // Twice is as once.
    let again = finalize(&made.bytes, Platform::Tgllp, rewriter::Options::default());
    assert!(again.notes.is_empty());
    assert_eq!(debugged(&again.bytes), debugged(&made.bytes));
}

/// A kernel that keeps the compiler's code keeps its debug information, word for word, beside that of new code.
#[test]
fn kernels_that_stay_keep_theirs() {
    let mut bytes = read("debug_kept_2435_skl");
    let theirs = debugged(&bytes);
    // The vISA of the second kernel names an instruction that nobody knows.
    let second = bytes.windows(16).position(|w| w == b".kernel \"other\"\n").unwrap();
    let at = second + bytes[second..].windows(4).position(|w| w == b"mul ").unwrap();
    bytes[at] = b'k';
    let made = finalize(&bytes, Platform::Skl, rewriter::Options { keep_refused: true });
    assert_eq!((made.binaries.len(), made.binaries[0].info.name.as_str()), (1, "saxpy"));
    assert!(!made.warnings.is_empty() && made.notes.is_empty(), "{:?}", made.notes);
    let (routines, rows) = debugged(&made.bytes);
    let old = Elf::read(&bytes).unwrap();
    let other = address(&old, ".text.other");
    assert_eq!(address(&Elf::read(&made.bytes).unwrap(), ".text.other"), other);
    let of_other = |rows: &[Row]| rows.iter().filter(|r| r.0 >= other).cloned().collect::<Vec<_>>();
    assert_eq!(of_other(&rows), of_other(&theirs.1));
    assert!(of_other(&rows).len() > 5);
    assert!(routines.iter().any(|r| r.0 == "other" && r.1 == other), "{routines:x?}");
    let code = made.binaries[0].code.len() as u64;
    let saxpy: Vec<&Routine> = routines.iter().filter(|r| r.0 == "saxpy").collect();
    assert_eq!(saxpy.iter().map(|r| r.2 - r.1).collect::<Vec<_>>(), [code]);
    let ends: Vec<u64> =
        rows.iter().filter(|r| r.2 == u64::MAX && r.0 < other).map(|r| r.0 & 0xffff).collect();
    assert_eq!(ends, [code], "one table of lines for the new code");
}

/// Programs without debug sections get some if the caller asks, from the marks in their vISA, and none else.
#[test]
fn a_caller_may_ask_for_them() {
    let bytes = read("calls_2243_skl");
    let made = finalize(&bytes, Platform::Skl, rewriter::Options::default());
    let has_any = |bytes: &[u8]| Elf::read(bytes).unwrap().sections.iter().any(|s| s.name.contains("debug_"));
    assert!(!has_any(&bytes) && !has_any(&made.bytes));
    let mut finalizer = Finalizer::new(Options { debug_info: true, ..Options::new(Platform::Skl) });
    let made = rewriter::finalize(&bytes, &mut finalizer, rewriter::Options::default()).unwrap();
    assert!(finalizer.options().debug_info && made.notes.is_empty());
    let (routines, _) = debugged(&made.bytes);
    let symbols = made.binaries.iter().map(|b| b.symbols.len()).sum::<usize>();
    assert_eq!(routines.len(), symbols);
    assert!(routines.len() > made.binaries.len(), "functions, too: {routines:x?}");
}

/// Damaged debug sections give a refusal or a program, and their units never run past the end.
#[test]
fn damaged_sections_do_no_harm() {
    let bytes = read("debug_kept_2435_skl");
    let elf = Elf::read(&bytes).unwrap();
    let debug: Vec<usize> =
        (0..elf.sections.len()).filter(|i| elf.sections[*i].name.contains("debug_")).collect();
    let mut finalizer = Finalizer::new(Options::new(Platform::Skl));
    let mut programs = 0;
    for round in 0..160usize {
        let mut elf = Elf::read(&bytes).unwrap();
        let section = &mut elf.sections[debug[round % debug.len()]];
        let at = round * 7919 % section.data.len();
        section.data[at] ^= 1 << (round % 8);
        if round % 5 == 0 {
            section.data[0] = 0xff;
            section.data.truncate(at);
        }
        let mut damaged = elf.write();
        // One kernel keeps its code.
        let second = damaged.windows(16).position(|w| w == b".kernel \"other\"\n").unwrap();
        damaged[second + 9] = b'!';
        let options = rewriter::Options { keep_refused: true };
        programs += usize::from(rewriter::finalize(&damaged, &mut finalizer, options).is_ok());
    }
    assert!(programs > 50, "{programs}");
}
