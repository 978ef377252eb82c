//! Storms: inputs that are large in one respect. Four times the input takes about four times the memory
//! and time, and stays inside the bounds of the fuzz targets (a second for 100 kB, a hundred times the
//! input's bytes).

use std::{sync::Mutex, time::Duration};

use cpu_time::ThreadTime;
use finalizer::{Finalizer, Options};
use peak_alloc::PeakAlloc;
use platforms::Platform;
use tests::fuzz;
use visa::text::{self, TextOptions};

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// Memory is counted for the process: one at a time.
static ONE: Mutex<()> = Mutex::new(());

/// A text that repeats `piece` for 0 to `n` between a kernel's declarations and its code (`at` 0), or in its
/// code (`at` 1).
fn storm(at: usize, n: usize, piece: &dyn Fn(usize) -> String) -> String {
    let pieces: String = (0..n).map(piece).collect();
    let mut parts = [String::new(), String::new()];
    parts[at] = pieces;
    format!(
        ".version 4.1\n.kernel \"k\"\n.decl V32 v_type=G type=d num_elts=16 align=GRF\n.decl A0 v_type=A num_elts=1\n\
         .decl P1 v_type=P num_elts=16\n.decl P2 v_type=P num_elts=16\n{}\n.kernel_attr SimdSize=16\n.function \"main\"\nmain:\n{}\n    ret (M1, 1)\n",
        parts[0], parts[1]
    )
}

type Piece = &'static dyn Fn(usize) -> String;

/// Name, place, pieces.
const STORMS: &[(&str, usize, Piece)] = &[
    ("variables", 0, &|i| format!(".decl X{i} v_type=G type=d num_elts=1\n")),
    ("long names", 0, &|i| format!(".decl {}{i} v_type=G type=d num_elts=1\n", "n".repeat(500))),
    ("alias chain", 0, &|i| {
        let base = if i == 0 { "V32".to_owned() } else { format!("X{}", i - 1) };
        format!(".decl X{i} v_type=G type=d num_elts=1 alias=<{base}, 0>\n")
    }),
    ("predicates", 0, &|i| format!(".decl Q{i} v_type=P num_elts=16\n")),
    ("attributes", 0, &|i| format!(".decl X{i} v_type=G type=d num_elts=1 attrs={{Scope={i}, Input}}\n")),
    ("kernel attributes", 0, &|i| format!(".kernel_attr Unknown{i}=\"{i}\"\n")),
    ("inputs", 0, &|_| ".input V32 offset=32 size=64\n".to_owned()),
    ("declared functions", 0, &|i| format!(".funcdecl \"f{i}\"\n")),
    ("labels", 1, &|i| format!("L{i}:\n")),
    ("one label", 1, &|_| "L:\n".to_owned()),
    ("gotos ahead", 1, &|i| format!("    (P1) goto (M1, 16) L{}\nL{i}:\n", i + 1)),
    ("gotos back", 1, &|i| format!("L{i}:\n    (P1) goto (M1, 16) L{}\n", i / 2)),
    // Names that are nearly the ones asked for: looking for those has its bounds.
    ("names that are nearly right", 0, &|i| {
        format!(".decl colour_{i}_x v_type=G type=d num_elts=1\n.input colur_{i}_x offset=32 size=4\n")
    }),
    ("labels that are nearly right", 1, &|i| format!("label_{i}_x:\n    (P1) goto (M1, 16) lable_{i}_x\n")),
    ("gotos to nowhere", 1, &|i| format!("    goto (M1, 16) N{i}\n")),
    ("subroutines", 1, &|i| {
        format!("    ret (M1, 1)\n.function \"s{i}\"\ns{i}:\n    call (M1, 1) s{}\n", i + 1)
    }),
    ("numbered subroutines", 1, &|i| {
        format!("    ret (M1, 1)\n.function \"s_{}\"\ns_{}:\n", 9999 - i, 9999 - i)
    }),
    ("scopes one in another", 1, &|_| "{\n".to_owned()),
    ("scopes that shadow", 1, &|_| "{\n.decl X v_type=G type=d num_elts=1\n".to_owned()),
    ("kernels", 1, &|i| format!("    ret (M1, 1)\n.kernel \"k{i}\"\n.function \"main\"\nmain:\n")),
    ("instructions", 1, &|_| "    add (M1, 16) V32(0,0)<1> V32(0,0)<1;1,0> 0x1:d\n".to_owned()),
    ("constant sets of channels", 1, &|i| {
        let set = 1 << (i % 16);
        format!("    setp (M1_NM, 16) P1 {set:#x}:uw\n    (P1) mov (M1, 16) r[A0(0),0]<1>:d {i:#x}:d\n")
    }),
    ("compound conditions", 1, &|i| {
        let cmp = |p| format!("    cmp.lt (M1, 16) {p} V32(0,0)<0;1,0> {i:#x}:d\n");
        format!(
            "{}{}    or (M1, 16) P1 P1 P2\n    (P1) mov (M1, 16) V32(0,0)<1> 0x1:d\n",
            cmp("P1"),
            cmp("P2")
        )
    }),
    ("wrong instructions", 1, &|_| "    add (M1, 16) V32(0,0)<1> V99(0,0)<1;1,0> 0x1:d\n".to_owned()),
    ("broken rules", 1, &|_| "    add (M2, 16) V32(0,7)<4> V32(0,0)<1;1,0> 0x1:f\n".to_owned()),
    ("no instructions", 1, &|i| format!("    frobnicate{i} (M1, 16)\n")),
    ("source lines", 1, &|i| format!("    .loc {i}\n    .file \"f{i}\"\n")),
    ("lifetimes", 1, &|_| "    lifetime.start V32\n    lifetime.end V32\n".to_owned()),
    ("comments", 1, &|i| format!("// {i}\n/* {i} */\n")),
    ("unclosed comments", 1, &|_| "/* ".to_owned()),
    ("unclosed strings", 1, &|_| "\" ".to_owned()),
    ("one line", 1, &|_| "add ".to_owned()),
    ("a huge number", 1, &|_| "9".to_owned()),
    ("a sum of numbers", 1, &|i| if i == 0 { "    .loc 1".to_owned() } else { "+1".to_owned() }),
    ("signs", 1, &|i| if i == 0 { "    .loc ".to_owned() } else { "-".to_owned() }),
    ("parentheses", 1, &|i| if i == 0 { "    .loc ".to_owned() } else { "(".to_owned() }),
    ("questions", 1, &|i| if i == 0 { "    .loc 1".to_owned() } else { "?1:1".to_owned() }),
    ("backslashes", 1, &|_| "\\\n".to_owned()),
    ("letters beyond ASCII", 1, &|_| "\u{20ac}".to_owned()),
];

/// Code of which some pass remembers much: name, piece.
const CODE: &[(&str, Piece)] = &[
    ("constants, one over another", &|i| format!("    mov (M1, 16) V32(0,0)<1> {i:#x}:d\n")),
    ("copies of a counter", &|_| {
        "    mov (M1, 8) V32(0,0)<1> V32(0,8)<1;1,0>\n    add (M1, 8) V32(0,8)<1> V32(0,8)<1;1,0> 0x1:d\n"
            .to_owned()
    }),
    ("subroutines that each call the next", &|i| {
        format!("    call (M1, 16) s{i}\n    ret (M1, 16)\n.function \"s{i}\"\ns{i}:\n")
    }),
];

/// Reads, verifies, prints and writes; returns processor time and peak memory.
fn all_of_visa(source: &str) -> (Duration, usize) {
    let before = PeakAlloc.current_usage();
    PeakAlloc.reset_peak_usage();
    let start = ThreadTime::now();
    let options = TextOptions::default();
    if let Ok(module) = text::parse(source, options) {
        drop(visa::verify(&module, visa::VerifyOptions::for_platform(Platform::Skl)));
        drop(text::print(&module, options));
        if let Ok(object) = visa::write(&module) {
            drop(visa::read(&object));
        }
    }
    (start.elapsed(), PeakAlloc.peak_usage().saturating_sub(before))
}

#[test]
fn time_and_memory_grow_as_the_input_does() {
    let _one = ONE.lock().unwrap_or_else(|e| e.into_inner());
    let mut wrong = Vec::new();
    for (name, at, piece) in STORMS {
        let (small, large) = (storm(*at, 2_000, piece), storm(*at, 8_000, piece));
        let ((t1, m1), (t2, m2)) = (all_of_visa(&small), all_of_visa(&large));
        println!("{name}: {} bytes {t1:?} {m1}; {} bytes {t2:?} {m2}", small.len(), large.len());
        // Tables double, so that memory goes up in steps; small times are noise.
        if m2 > 8 * m1.max(100_000) || m2 > (1 << 20) + 100 * large.len() {
            wrong.push(format!("{name}: {} bytes {m1}, {} bytes {m2} of memory", small.len(), large.len()));
        }
        if t2 > 10 * t1.max(Duration::from_millis(20)) {
            wrong.push(format!("{name}: {} bytes {t1:?}, {} bytes {t2:?}", small.len(), large.len()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn time_to_finalize_grows_as_the_code_does() {
    let _one = ONE.lock().unwrap_or_else(|e| e.into_inner());
    let mut wrong = Vec::new();
    for (name, piece) in CODE {
        let [small, large] = [2_000, 16_000].map(|n| {
            let source = storm(1, n, piece);
            let run = || {
                let mut finalizer = Finalizer::new(Options { verify: false, ..Options::new(Platform::Skl) });
                let start = ThreadTime::now();
                // Calls may be deeper than there are registers for their return addresses.
                drop(finalizer.finalize_text(&source));
                start.elapsed()
            };
            // The fastest: what else the machine does is no matter.
            run().min(run()).min(run())
        });
        println!("{name}: {small:?}, {large:?}");
        if large > 20 * small.max(Duration::from_millis(10)) {
            wrong.push(format!("{name}: {small:?} for 2,000, {large:?} for 16,000"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The same storms through the bodies of the fuzz targets, which have their own bounds.
#[test]
fn storms_stay_inside_the_bounds_of_fuzzing() {
    let _one = ONE.lock().unwrap_or_else(|e| e.into_inner());
    for (name, at, piece) in STORMS {
        println!("{name}");
        let source = storm(*at, 1_500, piece);
        fuzz::read_visaasm(source.as_bytes());
        for platform in [Platform::Skl, Platform::Pvc] {
            let mut input = vec![platform as u8];
            input.extend_from_slice(source.as_bytes());
            fuzz::verify(&input);
            fuzz::finalize(&input);
        }
    }
}
