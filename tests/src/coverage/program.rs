//! The kernel of a form: operands come from memory, results go there.

use std::fmt::Write;

/// Bytes of a variable: 32 channels of eight bytes, and as many again for strides and second results.
pub(super) const BYTES: u32 = 512;
/// Bytes that an operand is loaded with.
const LOADED: u32 = 256;
/// Types that a variable has views of.
const VIEWS: [(&str, u32); 12] = [
    ("ud", 4),
    ("d", 4),
    ("f", 4),
    ("hf", 2),
    ("df", 8),
    ("uq", 8),
    ("q", 8),
    ("uw", 2),
    ("w", 2),
    ("ub", 1),
    ("b", 1),
    ("bf", 2),
];

/// Channels of a form's kernel: the first size that holds the last channel of every execution size and mask.
pub(super) fn simd(line: &str) -> u32 {
    let masks = line.match_indices("(M").filter_map(|(at, _)| {
        let (mask, rest) = line[at + 2..].split_once(", ")?;
        let lanes: u32 = rest.split_once(')')?.0.parse().ok()?;
        let first: u32 = mask.trim_end_matches("_NM").parse().ok()?;
        Some(4 * (first - 1) + lanes)
    });
    masks.max().unwrap_or(8).next_power_of_two().clamp(8, 32)
}

/// The kernel of a form.
pub fn program(line: &str) -> String {
    let mut text = ".version 4.1\n.kernel \"k\"\n".to_owned();
    let used = |name: &str| line.contains(&format!("{name}_")) || line.contains(&format!("&{name} "));
    let mut loads = String::new();
    let variables: Vec<_> =
        ["A", "B", "C", "E", "X", "Y"].into_iter().enumerate().filter(|v| used(v.1)).collect();
    let simd_size = simd(line).to_string();
    // Functions stand behind the kernel, and have variables of their own.
    let (line, behind) =
        match line.find("\n.function ").into_iter().chain(line.find("\n.global_function ")).min() {
            Some(at) => (&line[..at], line[at + 1..].replace("SIMD", &simd_size) + "\n"),
            None => (line, String::new()),
        };
    for &(index, name) in &variables {
        let region = declare_views(line, name, &mut text);
        let bytes = if index < 4 && !line.starts_with("dpas") { LOADED } else { BYTES };
        for at in (0..bytes).step_by(128) {
            let from = (region * 8 + index as u32) * LOADED + at % LOADED;
            let _ = writeln!(loads, "oword_ld (8) T6 {:#x}:ud {name}.{at}", from / 16);
        }
    }
    declare_others(line, &mut text);
    let _ = writeln!(
        text,
        ".kernel_attr Target=\"3d\"\n.kernel_attr SimdSize={}\n.function \"main\"\nmain:",
        simd(line)
    );
    text += "movs (M1_NM, 1) T6(0) 0x0:ud\nmovs (M1_NM, 1) T7(0) 0x1:ud\n";
    text += &loads;
    let lanes = simd(line);
    let _ = writeln!(text, "setp (M1_NM, {lanes}) P1 0xa5c3965a:ud\nsetp (M1_NM, {lanes}) P2 0x3c5a69a5:ud");
    text += line;
    text += "\n";
    let mut to = 0;
    for name in ["X", "Y"].into_iter().filter(|name| used(name)) {
        for at in (0..BYTES).step_by(128) {
            let _ = writeln!(text, "oword_st (8) T7 {:#x}:ud {name}.{at}", to / 16);
            to += 128;
        }
    }
    text + "ret (M1, 1)\n" + &behind
}

/// Declares a variable, and its views of the types by which the form names it. The region of numbers that it is loaded from
/// is that of the last one.
fn declare_views(line: &str, name: &str, text: &mut String) -> u32 {
    let _ = writeln!(text, ".decl {name} v_type=G type=ud num_elts={} align=GRF", BYTES / 4);
    let mut region = 0;
    for (view, (ty, size)) in VIEWS.into_iter().enumerate() {
        let place = format!("{name}_{ty}");
        let ends = |at: usize| !line[at + place.len()..].starts_with(|c: char| c.is_ascii_alphanumeric());
        if line.match_indices(&place).any(|(at, _)| ends(at)) {
            let elements = BYTES / size;
            let _ = writeln!(
                text,
                ".decl {name}_{ty} v_type=G type={ty} num_elts={elements} align=GRF alias=<{name}, 0>"
            );
            region = view as u32;
        }
    }
    region
}

/// Declares what else a form names: addresses, arguments, samplers, predicates and surfaces.
fn declare_others(line: &str, text: &mut String) {
    for n in (0..4).filter(|n| line.contains(&format!("A{n}(0)"))) {
        let _ = writeln!(text, ".decl A{n} v_type=A num_elts=16");
    }
    for (name, base) in [("G_ud", "%arg"), ("R_ud", "%retval")].into_iter().filter(|v| line.contains(v.0)) {
        let _ = writeln!(text, ".decl {name} v_type=G type=ud num_elts=96 align=GRF alias=<{base}, 0>");
    }
    if line.contains(" S0(") {
        *text += ".decl S0 v_type=S num_elts=1\n";
    }
    // Intel's finalizer takes any and all of a predicate's elements, the specification of those of the instruction.
    let group = [".any)", ".all)"].iter().any(|w| line.contains(w));
    let elements = if group { simd(line) } else { 32 };
    let _ = writeln!(text, ".decl P1 v_type=P num_elts={elements}\n.decl P2 v_type=P num_elts=32");
    *text += ".decl T6 v_type=T num_elts=1\n.decl T7 v_type=T num_elts=1\n";
}

/// What operands are loaded with: for each type numbers of all magnitudes that it can compute with.
pub(super) fn contents() -> Vec<u8> {
    let mut x = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = move || {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        x
    };
    let mut out = Vec::new();
    for (ty, size) in VIEWS {
        for i in 0..8 * LOADED / size {
            let r = next();
            // Magnitudes from one bit to all, never zero: nothing is divided by it.
            let integer = (r >> (r % (8 * u64::from(size)).max(1))) | 1;
            let float = ((r >> 40) as f64 / 4096.0 - 1024.0) / f64::from(1 + i % 64);
            let bits = match ty {
                "f" => u64::from((float as f32).to_bits()),
                "hf" => u64::from(emulator::num::f32_to_f16(float as f32, emulator::num::Round::Even)),
                "df" => float.to_bits(),
                "bf" => u64::from((float as f32).to_bits() >> 16),
                _ => integer,
            };
            out.extend_from_slice(&bits.to_le_bytes()[..size as usize]);
        }
    }
    out
}
