//! Programs of three ages of Intel's compiler: new code in, everything else kept.

use emulator::{Arg, Launch, Memory, link::Loaded};
use finalizer::{Finalizer, Grf, Options};
use platforms::Platform;
use rewriter::{Program, platform_of};

/// A program and the platform that it was compiled for.
fn programs() -> Vec<(&'static str, Vec<u8>, Platform)> {
    let all = [
        ("plain_2243_pvc", Platform::Pvc),
        ("calls_2243_skl", Platform::Skl),
        ("implicit_2435_skl", Platform::Skl),
        ("plain_2435_icllp", Platform::Icllp),
        ("plain_new_tgllp", Platform::Tgllp),
        ("implicit_new_pvc", Platform::Pvc),
    ];
    all.map(|(name, platform)| (name, read(name), platform)).into()
}

fn read(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/tests/data/{name}.bin", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn finalize(bytes: &[u8], platform: Platform) -> Result<Program, finalizer::Refusal> {
    let mut finalizer = Finalizer::new(Options { verify: true, ..Options::new(platform) });
    rewriter::finalize(bytes, &mut finalizer, rewriter::Options::default())
}

/// What a kernel leaves in its first argument.
fn run(program: &[u8], platform: Platform, kernel: &str) -> Vec<u8> {
    let mut memory = Memory::new();
    let program = zebin::Program::read(program).unwrap();
    let values: Vec<u8> = (0..128u32).flat_map(|i| (i as f32 * 0.5).to_bits().to_le_bytes()).collect();
    let out = memory.add("out", values.clone());
    let x = memory.add("x", values);
    let args = match kernel {
        "saxpy" => vec![Arg::Buffer(out), Arg::Buffer(x), Arg::f32(1.5), Arg::u32(100)],
        "sums" => vec![Arg::Buffer(out), Arg::Buffer(x), Arg::Local(256)],
        _ => vec![Arg::Buffer(out)],
    };
    let loaded = Loaded::new(&program, &mut memory).unwrap();
    let unit = loaded.unit(kernel).unwrap().clone();
    let code = loaded.link(&unit, &[]).unwrap();
    let info = zebin::info::find(&program.ze_info, kernel).unwrap();
    let launch = Launch {
        local: [64, 1, 1],
        global: [128, 1, 1],
        offset: [0; 3],
        dimensions: None,
        kernel: info,
        args,
    };
    let done = emulator::run(platform, &code, &launch, &mut memory, &emulator::Options::default()).unwrap();
    assert!(done.reports.is_empty(), "{kernel} on {platform}: {:?}", done.reports);
    memory.bytes(out).to_vec()
}

#[test]
fn a_program_keeps_its_registers_unless_told_otherwise() {
    let before = read("plain_2243_pvc");
    let with = |bytes: &[u8], grf| {
        let options = Options { grf, verify: true, ..Options::new(Platform::Pvc) };
        rewriter::finalize(bytes, &mut Finalizer::new(options), rewriter::Options::default()).unwrap()
    };
    let counts = |program: &Program| {
        let read = zebin::Program::read(&program.bytes).unwrap();
        let said = |b: &finalizer::Binary| zebin::info::find(&read.ze_info, &b.info.name).unwrap().grf_count;
        program.binaries.iter().map(|b| (u32::from(b.info.grf_count), said(b))).collect::<Vec<_>>()
    };
    let large = with(&before, Grf::Count(256));
    assert!(!large.binaries.is_empty());
    assert!(counts(&large).iter().all(|c| *c == (256, 256)), "{:?}", counts(&large));
    assert_eq!(run(&large.bytes, Platform::Pvc, "saxpy"), run(&before, Platform::Pvc, "saxpy"));
    assert_eq!(with(&large.bytes, Grf::Kernel).bytes, large.bytes);
    let small = with(&large.bytes, Grf::Count(128));
    assert!(counts(&small).iter().all(|c| *c == (128, 128)), "{:?}", counts(&small));
}

#[test]
fn new_code_computes_what_the_compilers_does() {
    for (name, bytes, platform) in programs() {
        let made = finalize(&bytes, platform).unwrap_or_else(|e| panic!("{name}: {e}"));
        let kernels: &[&str] = match name {
            "calls_2243_skl" => &["recursion", "plain"],
            // The emulator hands over no implicit arguments.
            _ if name.starts_with("implicit") => &[],
            _ => &["saxpy", "sums"],
        };
        for kernel in kernels {
            let binary = made.binaries.iter().find(|b| b.info.name == *kernel).unwrap();
            let program = zebin::Program::read(&made.bytes).unwrap();
            let code = &program.unit(kernel).unwrap().code;
            assert!(
                code.starts_with(&binary.code) && code.len() >= binary.code.len() + 192,
                "{name}: {kernel}"
            );
            assert_eq!(run(&made.bytes, platform, kernel), run(&bytes, platform, kernel), "{name}: {kernel}");
        }
    }
}

#[test]
fn the_description_is_true_of_the_new_code() {
    for (name, bytes, platform) in programs() {
        let made = finalize(&bytes, platform).unwrap();
        let program = zebin::Program::read(&made.bytes).unwrap();
        for binary in &made.binaries {
            let Ok(info) = zebin::info::find(&program.ze_info, &binary.info.name) else { continue };
            let code = &binary.info;
            assert_eq!((info.simd, info.grf_count), (code.simd.into(), code.grf_count.into()), "{name}");
            assert_eq!(info.scratch, code.scratch_bytes, "{name}: {}", code.name);
            assert_eq!(info.skip_per_thread_load, code.skip_per_thread_load, "{name}: {}", code.name);
        }
    }
}

#[test]
fn what_is_not_code_stays() {
    for (name, bytes, platform) in programs() {
        let made = finalize(&bytes, platform).unwrap().bytes;
        assert_eq!(platform_of(&made), Ok(Some(platform)), "{name}");
        let sections = |bytes: &[u8]| -> Vec<(String, u32, Vec<u8>)> {
            use object::read::elf::{ElfFile64, FileHeader, SectionHeader};
            let file: ElfFile64<'_> = ElfFile64::parse(bytes).unwrap();
            let endian = file.endian();
            let table = file.elf_header().sections(endian, bytes).unwrap();
            let one = |s: &object::elf::SectionHeader64<_>| {
                let name = String::from_utf8_lossy(table.section_name(endian, s).unwrap()).into_owned();
                (name, s.sh_type(endian).0, s.data(endian, bytes).unwrap().to_vec())
            };
            table.iter().map(one).collect()
        };
        let (before, after) = (sections(&bytes), sections(&made));
        assert_eq!(before.len(), after.len(), "{name}");
        for (old, new) in before.iter().zip(&after) {
            assert_eq!((&old.0, old.1), (&new.0, new.1), "{name}");
            let is_code =
                [".text.", ".rel.text.", ".symtab", ".ze_info"].iter().any(|p| old.0.starts_with(p));
            assert!(is_code || old.2 == new.2, "{name}: {}", old.0);
        }
        // New code of new code is the same code.
        assert!(finalize(&made, platform).unwrap().bytes == made, "{name}");
    }
}

#[test]
fn refusals_say_what_is_missing() {
    let (_, bytes, platform) = programs().remove(0);
    let other = finalize(&bytes, Platform::Skl).unwrap_err().to_string();
    assert!(other.contains("compiled for pvc") && other.contains("allowed: skl"), "{other}");
    // The type of the sections with vISA, anywhere in the file: its section headers.
    let mut without = bytes.clone();
    for at in 0..without.len() - 4 {
        if without[at..at + 4] == 0xff00_0013u32.to_le_bytes() {
            without[at..at + 4].copy_from_slice(&1u32.to_le_bytes());
        }
    }
    let said = finalize(&without, platform).unwrap_err().to_string();
    assert!(said.contains("-ze-emit-zebin-visa-sections"), "{said}");
    assert!(finalize(b"\x7fELF\x02\x01", platform).is_err());
}

/// What there is to know of a program is in its vISA and description, not in the compiler's code.
#[test]
fn our_code_gives_our_code() {
    let symbols = ("symbols_new_pvc", read("symbols_new_pvc"), Platform::Pvc);
    for (name, bytes, platform) in programs().into_iter().chain([symbols]) {
        let once = finalize(&bytes, platform).unwrap().bytes;
        assert_ne!(once, bytes, "{name}");
        assert!(finalize(&once, platform).unwrap().bytes == once, "{name}");
    }
}

/// Where the compiler's code loads its payload behind implicit arguments, ours does, too: as many places wait for the
/// offset, each the immediate of an addition.
#[test]
fn the_payload_moves_for_implicit_arguments() {
    for (name, bytes, platform) in programs() {
        let places = |bytes: &[u8]| {
            let program = zebin::Program::read(bytes).unwrap();
            let units = program.units.into_iter().map(|(_, unit)| {
                let mut places = unit.relocations;
                places.retain(|r| r.symbol == finalizer::PAYLOAD_OFFSET);
                (unit.code, places)
            });
            units.collect::<Vec<_>>()
        };
        let made = places(&finalize(&bytes, platform).unwrap().bytes);
        let of_new = name == "implicit_new_pvc";
        assert_eq!(made.iter().map(|(_, places)| places.len()).sum::<usize>(), if of_new { 2 } else { 0 });
        for ((_, old), (code, new)) in places(&bytes).iter().zip(&made) {
            assert_eq!(old.len(), new.len(), "{name}");
            for place in new {
                let words = encoder::decode_all(platform, code);
                let word = words.filter(|w| w.offset + 12 == place.offset).last().unwrap();
                assert_eq!(word.inst.unwrap().op, gen_ir::Op::Add, "{name} at {:#x}", place.offset);
            }
        }
    }
}

/// Every header field and byte of the tables, damaged; nothing panics.
#[test]
fn damaged_programs_are_refused_or_finalized() {
    let (_, bytes, platform) = programs().remove(3);
    let mut random = 0x2545_f491_4f6c_dd1du64;
    let mut next = |below: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random % below as u64) as usize
    };
    let table = u64::from_le_bytes(*bytes[40..].first_chunk().unwrap()) as usize;
    for round in 0..200 {
        let mut damaged = bytes.clone();
        for _ in 0..1 + next(4) {
            let at = match round % 4 {
                0 => next(64),
                1 | 2 => table + next(bytes.len() - table),
                _ => next(bytes.len()),
            };
            damaged[at] = [0, 0xff, 0x80, damaged[at].wrapping_add(1)][next(4)];
        }
        if round % 10 == 9 {
            damaged.truncate(next(damaged.len()));
        }
        let _ = finalize(&damaged, platform);
    }
}
