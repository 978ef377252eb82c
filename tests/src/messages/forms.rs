//! The forms: one vISA message instruction each, over its operand space.
//!
//! Each stands in a kernel of its own ([`program`]) whose variables are inputs, so it is known what every
//! register holds. `X` is the data that comes back or goes out, `Y` offsets, addresses or coordinates, `Z` and
//! `W` more of them; `D` holds scalars, `Q` the same bytes as qwords, `P1` is a predicate. Surface `T6` and
//! sampler `S0` are constants, `T7` and `S1` come from scalars.

mod data_port;
mod lanes;
mod lsc;
mod other;

use std::collections::HashMap;

use platforms::Platform;

/// One form.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MessageForm {
    /// The instruction.
    pub op: &'static str,
    /// Its line.
    pub line: String,
}

/// Forms of texts, named as those of the list are.
pub fn read(texts: &[String]) -> Vec<MessageForm> {
    // The instruction, and whether its data has a type.
    let key = |line: &str| {
        let last = line.lines().last().unwrap_or_default();
        let guarded = last.starts_with('(').then(|| last.split_once(' ')).flatten();
        let bare = guarded.map_or(last, |(_, rest)| rest);
        let name = bare.split(['.', ' ']).next().unwrap_or_default();
        (name.to_owned(), bare.contains(".tgm"))
    };
    let names: HashMap<_, _> = forms().into_iter().map(|f| (key(&f.line), f.op)).collect();
    let form = |line: &String| MessageForm {
        op: names.get(&key(line)).copied().unwrap_or("by hand"),
        line: line.clone(),
    };
    texts.iter().map(form).collect()
}

/// Registers of the variables: name, first register, registers.
pub const VARIABLES: [(&str, u32, u32); 5] =
    [("D", 1, 1), ("Y", 2, 8), ("Z", 10, 16), ("W", 26, 16), ("X", 42, 32)];
/// The first register behind the inputs.
pub const END: u32 = 74;
/// The element of `D` that the predicate is made of.
pub const PREDICATE: u32 = 5;

/// The kernel of a form, for a register of so many bytes.
pub fn program(line: &str, grf: u32) -> String {
    let mut text = ".version 4.1\n.kernel \"k\"\n".to_owned();
    for (name, first, count) in VARIABLES {
        let bytes = count * grf;
        let output = if name == "X" { " attrs={Output}" } else { "" };
        text += &format!(".decl {name} v_type=G type=ud num_elts={} align=GRF{output}\n", bytes / 4);
        for (suffix, ty, size) in
            [("q", "uq", 8), ("h", "hf", 2), ("f", "f", 4), ("i", "d", 4), ("b", "ub", 1)]
        {
            text += &format!(
                ".decl {name}{suffix} v_type=G type={ty} num_elts={} align=GRF alias=<{name}, 0>\n",
                bytes / size
            );
        }
        // Intel's finalizer takes the length of typed data from the variable.
        for registers in (1..=8).filter(|n| *n <= count) {
            text += &format!(
                ".decl {name}r{registers} v_type=G type=ud num_elts={} align=GRF alias=<{name}, 0>\n",
                registers * grf / 4
            );
        }
        text += &format!(".input {name} offset={} size={bytes}\n", first * grf);
    }
    let simd = simd(line);
    text += ".decl P1 v_type=P num_elts=32\n.decl S0 v_type=S num_elts=1\n.decl S1 v_type=S num_elts=1\n";
    text += ".decl T6 v_type=T num_elts=1\n.decl T7 v_type=T num_elts=1\n";
    text += &format!(".kernel_attr SimdSize={simd}\n.function \"main\"\nmain:\n");
    let sets = [
        ("P1", format!("setp (M1_NM, {simd}) P1 D(0,{PREDICATE})<0;1,0>")),
        ("T6", "movs (M1_NM, 1) T6(0) 0x3:ud".to_owned()),
        ("T7", "movs (M1_NM, 1) T7(0) D(0,0)<0;1,0>".to_owned()),
        ("S0", "movs (M1_NM, 1) S0(0) 0x2:ud".to_owned()),
        ("S1", "movs (M1_NM, 1) S1(0) D(0,1)<0;1,0>".to_owned()),
        ("TSS", "movs (M1_NM, 1) TSS(0) D(0,2)<0;1,0>".to_owned()),
        ("%bss", "movs (M1_NM, 1) %bss(0) D(0,2)<0;1,0>".to_owned()),
        ("S31", "movs (M1_NM, 1) S31(0) D(0,3)<0;1,0>".to_owned()),
    ];
    for (name, set) in sets {
        let word = |w: &str| w.trim_matches(|c| c == '(' || c == ')' || c == '!') == name;
        if line.split_whitespace().any(word) {
            text += &set;
            text += "\n";
        }
    }
    text + line + "\nret (M1, 1)\n"
}

/// Channels of a form's kernel.
pub fn simd(line: &str) -> u32 {
    if line.contains("32)") || line.contains("(M5") { 32 } else { 16 }
}

const MASKS: [&str; 15] =
    ["R", "G", "RG", "B", "RB", "GB", "RGB", "A", "RA", "GA", "RGA", "BA", "RBA", "GBA", "RGBA"];
const ATOMICS: [(&str, usize); 19] = [
    ("add", 1),
    ("sub", 1),
    ("inc", 0),
    ("dec", 0),
    ("min", 1),
    ("max", 1),
    ("xchg", 1),
    ("cmpxchg", 2),
    ("and", 1),
    ("or", 1),
    ("xor", 1),
    ("minsint", 1),
    ("maxsint", 1),
    ("predec", 0),
    ("fmax", 1),
    ("fmin", 1),
    ("fcmpwr", 2),
    ("fadd", 1),
    ("fsub", 1),
];
/// Surfaces in every way that an operand can name one.
const SURFACES: [&str; 8] = ["T6", "T7", "%slm", "%scratch", "T1", "T2", "TSS", "%bss"];
/// Offsets that all channels share.
const OFFSETS: [&str; 4] = ["0x0:ud", "0x40:ud", "D(0,4)<0;1,0>", "0xfffffff0:d"];
/// Guards and masks, the size left open.
const GUARDS: [(&str, &str); 5] = [("", "M1"), ("", "M1_NM"), ("(P1) ", "M1"), ("(!P1) ", "M1"), ("", "M5")];

/// All forms, each once.
pub fn forms() -> Vec<MessageForm> {
    let mut list = List::default();
    list.blocks();
    list.lanes();
    list.scattered();
    list.float_offsets();
    list.atomics();
    list.typed();
    list.svm();
    list.apart();
    list.sampler();
    list.sync();
    list.raw();
    list.graphics();
    list.media();
    list.lsc();
    list.lsc_more();
    list.forms
}

#[derive(Default)]
struct List {
    forms: Vec<MessageForm>,
}

impl List {
    fn add(&mut self, op: &'static str, line: String) {
        if !self.forms.iter().rev().take(4000).any(|f| f.line == line) {
            self.forms.push(MessageForm { op, line });
        }
    }
}

/// Data operands of an atomic.
fn operands(count: usize) -> (&'static str, &'static str) {
    match count {
        0 => ("V0.0", "V0.0"),
        1 => ("Z.0", "V0.0"),
        _ => ("Z.0", "W.0"),
    }
}

/// Forms that are asked for on a platform: messages of the load/store cache only where it exists.
pub fn asked(platform: Platform, form: &MessageForm) -> bool {
    platform.caps().memory.lsc || !form.op.starts_with("lsc")
}
