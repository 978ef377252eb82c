//! Bad objects and texts: an error with a place, never a panic, a hang or much memory.
//!
//! `VISA_BAD_INPUTS=100000` sets how many mutants each test makes.

use std::time::{Duration, Instant};

use platforms::Platform;
use tests::data;
use visa::text::{self, TextOptions};

/// xorshift64*: mutants are the same in every run.
struct Random(u64);

impl Random {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % below
    }
}

fn mutants(default: usize) -> usize {
    std::env::var("VISA_BAD_INPUTS").ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

/// A few whole objects: from the texts of small and large kernels, and foreign ones.
fn objects() -> Vec<Vec<u8>> {
    let mut objects = Vec::new();
    for platform in [Platform::Skl, Platform::Pvc] {
        let kernels = data::kernels(platform);
        for k in kernels.iter().step_by(kernels.len() / 8) {
            let module = text::parse(&k.visaasm, TextOptions::default()).unwrap();
            objects.push(visa::write(&module).unwrap());
        }
    }
    for path in data::corpus().into_iter().take(3) {
        objects.push(std::fs::read(path).unwrap());
    }
    objects
}

/// Reads bytes; what is accepted must be written back and printed, and may be refused later.
fn read(bytes: &[u8]) -> bool {
    let start = Instant::now();
    let accepted = match visa::read(bytes) {
        Ok(module) => {
            assert!(visa::write(&module).unwrap() == bytes, "other bytes");
            for kernel in module.kernels.iter().chain(&module.functions) {
                for i in 0..kernel.code.len() {
                    let _ = kernel.try_inst(i);
                }
            }
            let _ = text::print(&module, TextOptions::default());
            true
        }
        Err(errors) => {
            assert!(!errors.0.is_empty());
            for e in &errors.0 {
                assert!(e.offset <= bytes.len(), "{e}");
            }
            false
        }
    };
    // Wide, for busy machines: what must not happen is time beyond proportion.
    let limit = Duration::from_secs(20 + bytes.len() as u64 / 100_000);
    assert!(start.elapsed() < limit, "{} bytes took {:?}", bytes.len(), start.elapsed());
    accepted
}

#[test]
fn every_prefix_of_an_object() {
    let object = objects().into_iter().min_by_key(Vec::len).unwrap();
    for len in 0..object.len() {
        assert!(!read(&object[..len]), "{len} bytes of {} accepted", object.len());
    }
    assert!(read(&object));
}

#[test]
fn random_byte_flips() {
    let objects = objects();
    let mut random = Random(0x1234_5678_9abc_def1);
    let (count, mut accepted) = (mutants(3000), 0);
    for _ in 0..count {
        let mut object = objects[random.next(objects.len())].clone();
        for _ in 0..=random.next(4) {
            let at = random.next(object.len());
            object[at] = random.next(256) as u8;
        }
        accepted += usize::from(read(&object));
    }
    println!("{accepted} of {count} mutants accepted");
}

/// Large counts where they hurt: four bytes of ones somewhere in the first kilobyte.
#[test]
fn large_counts() {
    for object in objects() {
        for at in 0..object.len().min(1024) {
            let mut mutant = object.clone();
            for byte in mutant[at..].iter_mut().take(4) {
                *byte = 0xff;
            }
            read(&mutant);
        }
    }
}

#[test]
fn random_text() {
    let kernels = data::kernels(Platform::Skl);
    let texts: Vec<&str> = kernels
        .iter()
        .step_by(kernels.len() / 12)
        .map(|k| &*k.visaasm)
        .filter(|t| t.len() < 60_000)
        .collect();
    let words = [
        "(",
        ")",
        "<",
        ">",
        "{",
        "}",
        "\"",
        "/*",
        "V0032",
        "(M1, 16)",
        ":d32",
        ".",
        "0xffffffffffffffffff",
        "\n",
    ];
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for _ in 0..mutants(300) {
        let mut mutant = texts[random.next(texts.len())].as_bytes().to_vec();
        for _ in 0..=random.next(6) {
            let at = random.next(mutant.len());
            match random.next(3) {
                0 => mutant[at] = 32 + random.next(95) as u8,
                1 => {
                    let end = (at + random.next(20)).min(mutant.len());
                    mutant.drain(at..end);
                }
                _ => {
                    let word = words[random.next(words.len())].bytes();
                    mutant.splice(at..at, word);
                }
            }
        }
        let mutant = String::from_utf8_lossy(&mutant).into_owned();
        let start = Instant::now();
        match text::parse(&mutant, TextOptions::default()) {
            Ok(module) => {
                let printed = text::print(&module, TextOptions::default());
                let again = text::parse(&printed, TextOptions::default()).unwrap_or_else(|e| panic!("{e}"));
                drop(again);
                if let Ok(object) = visa::write(&module) {
                    read(&object);
                }
            }
            Err(faults) => {
                for f in &faults.0 {
                    assert!(f.line >= 1 && f.column >= 1 && f.span.end <= mutant.len(), "{f}");
                }
            }
        }
        assert!(start.elapsed() < Duration::from_secs(20));
    }
}

/// Nesting, storms of names and scopes: time in proportion.
#[test]
fn text_storms() {
    let head = ".version 4.1\n.kernel \"k\"\n";
    let repeat = |piece: &dyn Fn(usize) -> String| (0..50_000).map(piece).collect::<String>();
    let storms = [
        repeat(&|_| "{\n".into()),
        repeat(&|_| "(".into()),
        repeat(&|i| format!("L{i}:\n")),
        repeat(&|i| format!(".function \"f_{}\"\n", 50_000 - i)),
        repeat(&|i| format!(".funcdecl \"f{i}\"\n")),
        repeat(&|i| format!(".decl V{} v_type=G type=d num_elts=1 alias=<V{}, 0>\n", i + 100, i.max(1) + 99)),
        repeat(&|_| ".kernel_attr SimdSize=8\n".into()),
        repeat(&|i| {
            format!(".decl P{} v_type=P num_elts=8 attrs={{Scope=1}}\n.kernel_attr Scope=1\n", i + 1)
        }),
        format!(".decl V40 v_type=G type=d num_elts={}1\n", "-".repeat(100_000)),
        format!(".decl V40 v_type=G type=d num_elts={}1\n", "1+".repeat(100_000)),
        format!(".decl V40 v_type=G type=d num_elts={}1\n", "1?1:".repeat(100_000)),
        "\"".repeat(100_000),
    ];
    for storm in storms {
        let source = format!("{head}{storm}");
        let start = Instant::now();
        if let Ok(module) = text::parse(&source, TextOptions::default()) {
            let _ = text::print(&module, TextOptions::default());
            if let Ok(object) = visa::write(&module) {
                read(&object);
            }
        }
        let storm: String = storm.chars().take(30).collect();
        assert!(start.elapsed() < Duration::from_secs(30), "{storm}: {:?}", start.elapsed());
    }
}

/// A module whose public lists were changed out of step is an error to who writes or reads it.
#[test]
fn lists_out_of_step_are_errors() {
    use visa::Piece;
    let text = ".version 4.1\n.kernel \"k\"\n.decl V32 v_type=G type=d num_elts=16 align=GRF\n\
                .kernel_attr SimdSize=16\n.function \"k\"\nk:\nmov (M1, 8) V32(0,0)<1> 0x1:d\nret (M1, 1)\n";
    let module = finalizer::read_text(text.as_bytes(), Platform::Skl).expect("a module");
    for piece in [Piece::Kernel(1), Piece::Function(0), Piece::GenBinary(0, 0), Piece::GenBinary(9, 0)] {
        let mut module = module.clone();
        module.layout = vec![Piece::Kernel(0), piece.clone()];
        let error = visa::write(&module).expect_err("the layout names what is not there");
        assert!(error.field.contains("layout"), "{piece:?}: {error}");
        module.remove_gen_binaries(Some(1));
    }
    let mut module = module;
    assert!(module.set_gen_binary(1, 5, vec![0]).is_err());
    let kernel = &mut module.kernels[0];
    assert!(kernel.try_inst(0).is_ok());
    assert_eq!(kernel.try_inst(kernel.code.len()).expect_err("no instruction").0, "index");
    kernel.code[0].first = u32::MAX;
    assert_eq!(kernel.try_inst(0).expect_err("no operands").0, "first operand");
}
