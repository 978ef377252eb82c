//! The forms: one vISA message instruction each, over its operand space.
//!
//! Each stands in a kernel of its own ([`program`]) whose variables are inputs, so it is known what every
//! register holds. `X` is the data that comes back or goes out, `Y` offsets, addresses or coordinates, `Z` and
//! `W` more of them; `D` holds scalars, `Q` the same bytes as qwords, `P1` is a predicate. Surface `T6` and
//! sampler `S0` are constants, `T7` and `S1` come from scalars.

/// One form.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Form {
    /// The instruction.
    pub op: &'static str,
    /// Its line.
    pub line: String,
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
        for (suffix, ty, size) in [("q", "uq", 8), ("h", "hf", 2), ("f", "f", 4), ("b", "ub", 1)] {
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
pub fn forms() -> Vec<Form> {
    let mut list = List::default();
    list.blocks();
    list.scattered();
    list.atomics();
    list.typed();
    list.svm();
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
    forms: Vec<Form>,
}

impl List {
    fn add(&mut self, op: &'static str, line: String) {
        if !self.forms.iter().rev().take(4000).any(|f| f.line == line) {
            self.forms.push(Form { op, line });
        }
    }

    fn blocks(&mut self) {
        for (op, name) in
            [("oword_ld", "oword_ld"), ("oword_ld_unaligned", "oword_ld_unaligned"), ("oword_st", "oword_st")]
        {
            for size in [1, 2, 4, 8, 16] {
                for offset in ["0x0:ud", "0x40:ud", "D(0,4)<0;1,0>"] {
                    self.add(op, format!("{name} ({size}) T6 {offset} X.0"));
                }
            }
            for surface in SURFACES {
                self.add(op, format!("{name} (4) {surface} D(0,4)<0;1,0> X.0"));
            }
        }
        for (op, modifiers) in [
            ("media_ld", &["nomod", "modified", "top", "bottom", "top_mod", "bottom_mod"][..]),
            ("media_st", &["nomod", "top", "bottom"]),
        ] {
            for (width, height) in [
                (1, 1),
                (3, 2),
                (4, 8),
                (8, 4),
                (8, 6),
                (12, 6),
                (16, 1),
                (16, 16),
                (32, 2),
                (32, 8),
                (64, 4),
                (5, 3),
            ] {
                self.add(op, format!("{op}.nomod ({width},{height}) T6 0 D(0,4)<0;1,0> 0x8:ud X.0"));
            }
            for modifier in modifiers {
                self.add(op, format!("{op}.{modifier} (16,4) T6 0 D(0,4)<0;1,0> D(0,6)<0;1,0> X.0"));
            }
            for (surface, plane) in [("T6", 1), ("T6", 3), ("T7", 0), ("T7", 2)] {
                self.add(op, format!("{op}.nomod (32,8) {surface} {plane} 0x0:ud D(0,4)<0;1,0> X.0"));
            }
        }
    }

    fn scattered(&mut self) {
        for (op, dst) in [("gather", "Y.0 X.0"), ("scatter", "Y.0 X.0")] {
            for element in [1, 2, 4] {
                for size in [1, 8, 16] {
                    for offset in OFFSETS {
                        self.add(op, format!("{op}.{element} (M1, {size}) T6 {offset} {dst}"));
                    }
                }
                for surface in SURFACES {
                    self.add(op, format!("{op}.{element} (M1, 16) {surface} 0x0:ud {dst}"));
                }
            }
        }
        for op in ["gather_scaled", "scatter_scaled"] {
            for bytes in [1, 2, 4] {
                for size in [8, 16] {
                    for (pred, mask) in GUARDS {
                        self.add(op, format!("{pred}{op}.{bytes} ({mask}, {size}) T6 0x0:ud Y.0 X.0"));
                    }
                    for offset in OFFSETS {
                        self.add(op, format!("{op}.{bytes} (M1, {size}) T6 {offset} Y.0 X.0"));
                    }
                }
                for surface in SURFACES {
                    self.add(op, format!("{op}.{bytes} (M1, 16) {surface} 0x0:ud Y.0 X.0"));
                }
            }
        }
        for op in ["gather4_scaled", "scatter4_scaled"] {
            for mask in MASKS {
                for size in [8, 16] {
                    self.add(op, format!("{op}.{mask} (M1, {size}) T6 0x0:ud Y.0 X.0"));
                }
            }
            for size in [8, 16] {
                for (pred, mask) in GUARDS {
                    self.add(op, format!("{pred}{op}.RG ({mask}, {size}) T6 0x0:ud Y.0 X.0"));
                }
                for offset in OFFSETS {
                    self.add(op, format!("{op}.RGBA (M1, {size}) T6 {offset} Y.0 X.0"));
                }
                for surface in SURFACES {
                    self.add(op, format!("{op}.RGB (M1, {size}) {surface} 0x0:ud Y.0 X.0"));
                }
            }
        }
        for op in ["qw_gather", "qw_scatter"] {
            for blocks in [1, 2, 4] {
                for size in [8, 16] {
                    self.add(op, format!("{op}.{blocks} (M1, {size}) T6 Y.0 X.0"));
                }
            }
            for surface in SURFACES {
                self.add(op, format!("{op}.1 (M1, 8) {surface} Y.0 X.0"));
            }
        }
    }

    fn atomics(&mut self) {
        for (name, sources) in ATOMICS {
            let (a, b) = operands(sources);
            for bits in ["", ".16", ".64"] {
                let typed = |data: &str| {
                    if bits == ".64" && data != "V0.0" { data.replace('.', "q.") } else { data.to_owned() }
                };
                for size in [8, 16, 32] {
                    self.add(
                        "dword_atomic",
                        format!("dword_atomic.{name}{bits} (M1, {size}) T6 Y.0 {a} {b} X.0"),
                    );
                }
                self.add("dword_atomic", format!("dword_atomic.{name}{bits} (M1, 16) T6 Y.0 {a} {b} V0.0"));
                for size in [8, 16] {
                    self.add(
                        "svm_atomic",
                        format!("svm_atomic.{name}{bits} (M1, {size}) Yq.0 X.0 {} {}", typed(a), typed(b)),
                    );
                }
                self.add(
                    "svm_atomic",
                    format!("svm_atomic.{name}{bits} (M1, 8) Yq.0 V0.0 {} {}", typed(a), typed(b)),
                );
            }
            for size in [8, 16] {
                self.add(
                    "typed_atomic",
                    format!("typed_atomic.{name} (M1, {size}) T6 Y.0 V0.0 V0.0 V0.0 {a} {b} X.0"),
                );
            }
            self.add(
                "typed_atomic",
                format!("typed_atomic.{name} (M1, 8) T6 Y.0 Y.64 V0.0 V0.0 {a} {b} V0.0"),
            );
        }
        for surface in SURFACES {
            self.add("dword_atomic", format!("dword_atomic.add (M1, 16) {surface} Y.0 Z.0 V0.0 X.0"));
            self.add(
                "typed_atomic",
                format!("typed_atomic.add (M1, 8) {surface} Y.0 V0.0 V0.0 V0.0 Z.0 V0.0 X.0"),
            );
        }
        for (pred, mask) in GUARDS {
            self.add("dword_atomic", format!("{pred}dword_atomic.add ({mask}, 16) T6 Y.0 Z.0 V0.0 X.0"));
            self.add("svm_atomic", format!("{pred}svm_atomic.add ({mask}, 8) Yq.0 X.0 Z.0 V0.0"));
        }
    }

    fn typed(&mut self) {
        for op in ["gather4_typed", "scatter4_typed"] {
            for mask in MASKS {
                self.add(op, format!("{op}.{mask} (M1, 8) T6 Y.0 Y.64 V0.0 V0.0 X.0"));
            }
            for coords in [
                "Y.0 V0.0 V0.0 V0.0",
                "Y.0 Y.64 Z.0 V0.0",
                "Y.0 Y.64 Z.0 Z.64",
                "Y.0 V0.0 V0.0 Z.0",
                "Y.0 Y.64 V0.0 Z.0",
            ] {
                self.add(op, format!("{op}.RGBA (M1, 8) T6 {coords} X.0"));
            }
            for surface in SURFACES {
                self.add(op, format!("{op}.RGBA (M1, 8) {surface} Y.0 Y.64 V0.0 V0.0 X.0"));
            }
            for (pred, mask) in GUARDS {
                self.add(op, format!("{pred}{op}.RGBA ({mask}, 8) T6 Y.0 Y.64 V0.0 V0.0 X.0"));
            }
            self.add(op, format!("{op}.RGBA (M1, 16) T6 Y.0 Y.64 V0.0 V0.0 X.0"));
        }
    }

    fn svm(&mut self) {
        for op in ["svm_block_ld", "svm_block_st"] {
            for size in [1, 2, 4, 8, 16] {
                for align in ["", ".aligned", ".unaligned"] {
                    self.add(op, format!("{op}{align} ({size}) Dq(0,1)<0;1,0> X.0"));
                }
            }
        }
        for op in ["svm_gather", "svm_scatter"] {
            for (block, blocks) in [
                (1, 1),
                (1, 2),
                (1, 4),
                (1, 8),
                (4, 1),
                (4, 2),
                (4, 4),
                (4, 8),
                (8, 1),
                (8, 2),
                (8, 4),
                (8, 8),
            ] {
                // Intel's finalizer takes the size of the data from its type.
                let data = if block == 8 || (block, blocks) == (1, 8) { "Xq.0" } else { "X.0" };
                for size in [8, 16] {
                    self.add(op, format!("{op}.{block}.{blocks} (M1, {size}) Yq.0 {data}"));
                }
            }
            for (pred, mask) in GUARDS {
                self.add(op, format!("{pred}{op}.4.1 ({mask}, 16) Yq.0 X.0"));
                self.add(op, format!("{pred}{op}.8.1 ({mask}, 8) Yq.0 Xq.0"));
            }
        }
        for op in ["svm_gather4scaled", "svm_scatter4scaled"] {
            for mask in MASKS {
                for size in [8, 16] {
                    self.add(op, format!("{op}.{mask} (M1, {size}) 0x0:uq Yq.0 X.0"));
                }
            }
            self.add(op, format!("{op}.RG (M1, 8) Dq(0,1)<0;1,0> Yq.0 X.0"));
        }
    }

    fn sampler(&mut self) {
        // The operation and how many parameters it has in two dimensions.
        let ops: [(&'static str, usize, bool); 29] = [
            ("sample_3d", 2, true),
            ("sample_b", 3, true),
            ("sample_l", 3, true),
            ("sample_c", 3, true),
            ("sample_d", 6, true),
            ("sample_b_c", 4, true),
            ("sample_l_c", 4, true),
            ("lod", 2, true),
            ("sample+killpix", 2, true),
            ("sample_d_c", 7, true),
            ("sample_lz", 2, true),
            ("sample_c_lz", 3, true),
            ("load_3d", 2, false),
            ("load_lz", 2, false),
            ("load_l", 3, false),
            ("load_2dms_w", 5, false),
            ("load_mcs", 3, false),
            ("sample4", 2, true),
            ("sample4_c", 3, true),
            ("sample4_po", 4, true),
            ("sample4_po_c", 5, true),
            ("sample4_l", 3, true),
            ("sample4_b", 3, true),
            ("sample4_i", 3, true),
            ("sample4_i_c", 4, true),
            ("sample4_l_c", 4, true),
            ("sample_c_mlod", 4, true),
            ("sample_po", 3, true),
            ("sample_po_lz", 3, true),
        ];
        for (op, count, sampler) in ops {
            let sampled = |s: &str| if sampler { format!("{s} ") } else { String::new() };
            let gather = op.starts_with("sample4");
            let masks: &[&str] =
                if gather { &["R", "G", "B", "A"] } else { &["RGBA", "R", "RG", "RGB", "G", "BA"] };
            let params = |n: usize, size: usize| {
                let at = |i: usize| format!(" {}.{}", ["Y", "Z", "W"][i % 3], i / 3 * size * 4);
                (0..n).map(at).collect::<String>()
            };
            for mask in masks {
                for size in [8, 16] {
                    self.add(
                        op,
                        format!(
                            "{op}.{mask} (M1, {size}) 0x0:uw {}T6 X.0{}",
                            sampled("S0"),
                            params(count, size)
                        ),
                    );
                }
            }
            let first = masks[0];
            for size in [8, 16] {
                for n in [1, 3, 4, 5] {
                    if n != count
                        && matches!(op, "sample_3d" | "sample_lz" | "sample_l" | "load_lz" | "load_3d")
                    {
                        self.add(
                            op,
                            format!(
                                "{op}.{first} (M1, {size}) 0x0:uw {}T6 X.0{}",
                                sampled("S0"),
                                params(n, size)
                            ),
                        );
                    }
                }
                self.add(
                    op,
                    format!(
                        "{op}.{first} (M1, {size}) 0x123:uw {}T6 X.0{}",
                        sampled("S0"),
                        params(count, size)
                    ),
                );
            }
            let p = params(count, 16);
            for (s, t) in
                [("S0", "T7"), ("S1", "T6"), ("S1", "T7"), ("S31", "T6"), ("S31", "%bss"), ("S0", "%bss")]
            {
                self.add(op, format!("{op}.{first} (M1, 16) 0x0:uw {}{t} X.0{p}", sampled(s)));
            }
            for (pred, mask) in GUARDS {
                self.add(op, format!("{pred}{op}.{first} ({mask}, 16) 0x0:uw {}T6 X.0{p}", sampled("S0")));
            }
            self.add(op, format!("{op}.{first} (M1, 16) D(0,6)<0;1,0> {}T6 X.0{p}", sampled("S0")));
            for flag in ["pixel_null_mask", "cps", "divS"] {
                self.add(
                    op,
                    format!("{op}.{flag}.{first} (M1, 8) 0x0:uw {}T6 X.0{}", sampled("S0"), params(count, 8)),
                );
            }
            let halves = params(count, 16).replace('.', "h.");
            self.add(op, format!("{op}.{first} (M1, 16) 0x0:uw {}T6 X.0{halves}", sampled("S0")));
            self.add(op, format!("{op}.{first} (M1, 16) 0x0:uw {}T6 Xh.0{p}", sampled("S0")));
            self.add(op, format!("{op}.{first} (M1, 8) 0x0:uw {}T6 Xh.0{}", sampled("S0"), params(count, 8)));
        }
        for mask in MASKS {
            for size in [8, 16] {
                self.add("resinfo", format!("resinfo.{mask} (M1, {size}) T6 Y.0 X.0"));
                self.add("sampleinfo", format!("sampleinfo.{mask} (M1, {size}) T6 X.0"));
            }
        }
        for surface in ["T7", "%bss"] {
            self.add("resinfo", format!("resinfo.RGBA (M1, 8) {surface} Y.0 X.0"));
            self.add("sampleinfo", format!("sampleinfo.RG (M1, 8) {surface} X.0"));
        }
        for format in ["16-full", "16-downsampled", "8-full", "8-downsampled"] {
            let u = "Df(0,4)<0;1,0>";
            self.add("sample_unorm", format!("sample_unorm.RGBA.{format} S0 T6 {u} {u} {u} {u} X.0"));
        }
    }

    fn sync(&mut self) {
        for flags in 0..64 {
            let letters = ["E", "I", "S", "C", "R", "L1"];
            let flags: String =
                letters.iter().enumerate().filter(|(i, _)| flags >> i & 1 != 0).map(|(_, l)| *l).collect();
            let dot = if flags.is_empty() { "" } else { "." };
            self.add("fence", format!("fence_global{dot}{flags}"));
            self.add("fence", format!("fence_local{dot}{flags}"));
        }
        self.add("fence", "fence_sw".into());
        self.add("barrier", "barrier".into());
        self.add("sbarrier", "sbarrier.signal".into());
        self.add("sbarrier", "sbarrier.wait".into());
        for operands in ["0x1:ub 0x4:ub", "Db(0,4)<0;1,0> 0x4:ub", "0x1:ub Db(0,4)<0;1,0>"] {
            self.add("nbarrier", format!("nbarrier.signal {operands}"));
        }
        for operands in [
            "0x1:ub 0x0:uw 0x4:ub 0x8:ub",
            "Db(0,4)<0;1,0> 0x1:uw Db(0,5)<0;1,0> Db(0,6)<0;1,0>",
            "0x2:ub 0x2:uw Db(0,5)<0;1,0> Db(0,6)<0;1,0>",
        ] {
            self.add("nbarrier", format!("nbarrier.signal {operands}"));
        }
        self.add("nbarrier", "nbarrier.wait 0x1:ub".into());
        self.add("nbarrier", "nbarrier.wait Db(0,4)<0;1,0>".into());
        for mask in ["0x0:ud", "0x5:ud", "D(0,4)<0;1,0>"] {
            self.add("wait", format!("wait {mask}"));
            self.add("wait", format!("wait {mask}\noword_ld (2) T6 0x0:ud X.0"));
            self.add("wait", format!("wait {mask}\noword_st (2) T6 0x0:ud X.0\noword_st (2) T6 0x0:ud X.64"));
            self.add("wait", format!("wait {mask}\nbarrier"));
        }
        self.add("sampler_cache_flush", "sampler_cache_flush".into());
        self.add("yield", "yield".into());
        self.add("lifetime", "lifetime.start X\noword_ld (2) T6 0x0:ud X.0\nlifetime.end X".into());
    }

    fn raw(&mut self) {
        for (pred, mask) in GUARDS {
            self.add("raw_send", format!("{pred}raw_send ({mask}, 8) 0xc 1 1 0x02106e03:ud Y.0 X.0"));
        }
        for (first, second, dst) in
            [(1, 1, 0), (1, 2, 0), (2, 1, 0), (1, 0, 1), (1, 0, 4), (1, 15, 0), (1, 16, 0)]
        {
            let desc = (0x0200_0000 * first) | (dst << 20) | 0xe03;
            let data = if second > 0 { "Z.0" } else { "V0.0" };
            let to = if dst > 0 { "X.0" } else { "V0.0" };
            for ex in [0, second << 6 | 0xc] {
                for (pred, size) in [("", 8), ("(P1) ", 16)] {
                    let head = format!("{pred}raw_sends.12.{first}.{second}.{dst} (M1, {size})");
                    self.add("raw_sends", format!("{head} {ex:#x}:ud {desc:#x}:ud Y.0 {data} {to}"));
                }
            }
        }
        for (ex, desc) in [
            ("D(0,7)<0;1,0>", "0x02106e03:ud"),
            ("D(0,7)<0;1,0>", "D(0,6)<0;1,0>"),
            ("0x4c:ud", "D(0,6)<0;1,0>"),
            ("0x0:ud", "D(0,6)<0;1,0>"),
        ] {
            for (pred, size) in [("", 8), ("(P1) ", 16)] {
                self.add(
                    "raw_sends",
                    format!("{pred}raw_sends.12.1.1.1 (M1, {size}) {ex} {desc} Y.0 Z.0 X.0"),
                );
            }
        }
    }

    fn graphics(&mut self) {
        for size in [8, 16] {
            self.add("rt_write_3d", format!("rt_write_3d (M1, {size}) T6 V0.0 Y.0 Y.64 Z.0 Z.64"));
            self.add("rt_write_3d", format!("rt_write_3d.<LRTW> (M1, {size}) T6 V0.0 Y.0 Y.64 Z.0 Z.64"));
            self.add("rt_write_3d", format!("rt_write_3d.<A> (M1, {size}) T6 V0.0 W.0 Y.0 Y.64 Z.0 Z.64"));
            self.add("rt_write_3d", format!("rt_write_3d.<Z> (M1, {size}) T6 V0.0 Y.0 Y.64 Z.0 Z.64 W.0"));
        }
        for outputs in [1, 4, 8] {
            self.add("urb_write_3d", format!("urb_write_3d (M1, 8) {outputs} 0 V0.0 Y.0 V0.0 X.0"));
            self.add("urb_write_3d", format!("urb_write_3d (M1, 8) {outputs} 3 W.0 Y.0 Z.0 X.0"));
        }
    }

    fn media(&mut self) {
        for size in [8, 16] {
            for mask in ["RGBA", "R", "RG", "BA"] {
                for surface in ["T6", "T7"] {
                    self.add("sample", format!("sample.{mask} ({size}) S0 {surface} Y.0 Z.0 W.0 X.0"));
                    self.add("load", format!("load.{mask} ({size}) {surface} Y.0 Z.0 W.0 X.0"));
                }
            }
        }
        self.add("sample", "sample.RGBA (16) S1 T6 Y.0 Z.0 W.0 X.0".into());
        let scalars = "Df(0,1)<0;1,0> Df(0,2)<0;1,0> Df(0,3)<0;1,0> Df(0,4)<0;1,0> Df(0,5)<0;1,0>";
        for format in ["AVS_16_FULL", "AVS_16_DOWN_SAMPLE", "AVS_8_FULL", "AVS_8_DOWN_SAMPLE"] {
            for mode in ["AVS_16x4", "AVS_8x4", "AVS_16x8", "AVS_4x4"] {
                for (mask, group, bypass) in
                    [("RGBA", "D(0,6)<0;1,0>", "0x1:ub"), ("R", "0x5:ud", "Db(0,28)<0;1,0>")]
                {
                    let rest = format!("{format} Df(0,0)<0;1,0> {mode} {bypass} X.0");
                    self.add("avs", format!("avs.{mask} T6 S0 {scalars} {group} 0x3:ud {rest}"));
                }
            }
        }
        self.add(
            "avs",
            format!(
                "avs.GA T7 S1 {scalars} 0x5:ud D(0,6)<0;1,0> AVS_16_FULL 0x3f000000:f AVS_16x4 0x0:ub X.0"
            ),
        );
        for stream in 0..4 {
            for search in [0, 1, 3, 7] {
                self.add("vme_ime", format!("vme_ime ({stream},{search}) T6 Y.0 Z.0 D.0 W.32 W.0 X.0"));
            }
        }
        for surface in ["T6", "T7"] {
            self.add("vme_sic", format!("vme_sic {surface} Y.0 Z.0 X.0"));
            self.add("vme_sic", format!("vme_sic {surface} Z.0 Z.128 X.0"));
            // Intel's grammar has no `vme_idm`; its objects do.
            self.add("vme_idm", format!("vme_idm {surface} Y.0 Z.0 X.0"));
            self.add("vme_fbr", format!("vme_fbr (0x1:ud,0x2:ud,0x3:ud) {surface} Y.0 Z.0 X.0"));
        }
        let scalars = "D(0,1)<0;1,0>,D(0,2)<0;1,0>,D(0,3)<0;1,0>";
        self.add("vme_fbr", format!("vme_fbr ({scalars}) T6 Y.0 Z.0 X.0"));
    }

    fn lsc(&mut self) {
        let mut both =
            |sfid: &str, caches: &str, size: &str, mask: &str, pred: &str, shape: &str, address: &str| {
                let sizes = format!("({mask}, {size})");
                self.add("lsc_load", format!("{pred}lsc_load.{sfid}{caches} {sizes} X:{shape} {address}"));
                self.add("lsc_store", format!("{pred}lsc_store.{sfid}{caches} {sizes} {address} X:{shape}"));
            };
        for size in ["d8c32", "d16c32", "d16c32h", "d32", "d64", "d8", "d16"] {
            for count in ["", "x2", "x3", "x4", "x8"] {
                for lanes in ["1", "8", "16", "32"] {
                    both("ugm", "", lanes, "M1", "", &format!("{size}{count}"), "flat[Yq]:a64");
                }
            }
            for count in ["", "x2", "x4", "x8", "x16", "x32", "x64"] {
                both("ugm", "", "1", "M1_NM", "", &format!("{size}{count}t"), "flat[Yq]:a64");
            }
        }
        for (sfid, address) in [
            ("ugm", "flat[Yq]:a64"),
            ("ugm", "flat[Y]:a32"),
            ("ugm", "bti(0x4)[Y]:a32"),
            ("ugm", "bti(D.4)[Y]:a32"),
            ("ugm", "bti(T6)[Y]:a32"),
            ("ugm", "bss(D.4)[Y]:a32"),
            ("ugm", "ss(D.4)[Y]:a32"),
            ("ugm", "bss(0x400)[Y]:a32"),
            ("ugm", "arg[Y]:a32"),
            ("slm", "flat[Y]:a32"),
            ("slm", "flat[Y]:a16"),
            ("ugml", "flat[Yq]:a64"),
            ("ugm", "flat[Yq+0x10]:a64"),
            ("ugm", "flat[Yq-0x10]:a64"),
            ("slm", "flat[Y+0x100]:a32"),
            ("ugm", "bti(0x4)[Y+0x20]:a32"),
            ("ugm", "flat[Yq+0x12345678]:a64"),
            ("ugm", "flat[4*Yq]:a64"),
            ("ugm", "flat[Y]:a32u"),
            ("ugm", "flat[Y]:a32s"),
            ("ugm", "bss(D.4)[Y+0x20]:a32"),
            ("ugm", "bti(0xfb)[Y]:a32"),
        ] {
            for (shape, lanes, mask) in [
                ("d32", "16", "M1"),
                ("d32x4", "32", "M1"),
                ("d32x8t", "1", "M1_NM"),
                ("d64x2", "16", "M1"),
                ("d32", "8", "M1"),
            ] {
                both(sfid, "", lanes, mask, "", shape, address);
            }
        }
        for (pred, mask) in GUARDS {
            for lanes in ["16", "32", "8"] {
                both("ugm", "", lanes, mask, pred, "d32x2", "flat[Yq]:a64");
            }
        }
        let caches = ["df", "uc", "ca", "wb", "wt", "st", "ri"];
        for l1 in caches {
            for l3 in caches {
                both("ugm", &format!(".{l1}.{l3}"), "16", "M1", "", "d32", "flat[Yq]:a64");
            }
        }
    }

    fn lsc_more(&mut self) {
        for mask in ["x", "y", "xy", "z", "xz", "yz", "xyz", "w", "xw", "xyw", "zw", "xyzw"] {
            for lanes in [16, 32] {
                for (sfid, address) in
                    [("ugm", "flat[Yq]:a64"), ("ugm", "bti(0x4)[Y]:a32"), ("slm", "flat[Y]:a32")]
                {
                    self.add(
                        "lsc_load_quad",
                        format!("lsc_load_quad.{sfid} (M1, {lanes}) X:d32.{mask} {address}"),
                    );
                    self.add(
                        "lsc_store_quad",
                        format!("lsc_store_quad.{sfid} (M1, {lanes}) {address} X:d32.{mask}"),
                    );
                }
                let (r, regs) = (lanes / 16, mask.len() * lanes / 16);
                for coords in [format!("[Yr{r}]"), format!("[Yr{r},Zr{r}]"), format!("[Yr{r},Zr{r},Wr{r}]")] {
                    for surface in ["bti(0x4)", "bti(D.4)", "bss(D.4)"] {
                        self.add(
                            "lsc_load_quad typed",
                            format!(
                                "lsc_load_quad.tgm (M1, {lanes}) Xr{regs}:d32.{mask} {surface}{coords}:a32"
                            ),
                        );
                        self.add(
                            "lsc_store_quad typed",
                            format!(
                                "lsc_store_quad.tgm (M1, {lanes}) {surface}{coords}:a32 Xr{regs}:d32.{mask}"
                            ),
                        );
                    }
                }
            }
        }
        let atomics: [(&'static str, usize); 23] = [
            ("iinc", 0),
            ("idec", 0),
            ("load", 0),
            ("store", 1),
            ("iadd", 1),
            ("isub", 1),
            ("smin", 1),
            ("smax", 1),
            ("umin", 1),
            ("umax", 1),
            ("icas", 2),
            ("fadd", 1),
            ("fsub", 1),
            ("fmin", 1),
            ("fmax", 1),
            ("fcas", 2),
            ("and", 1),
            ("or", 1),
            ("xor", 1),
            ("bfadd", 1),
            ("bfsub", 1),
            ("bfmin", 1),
            ("bfmax", 1),
        ];
        for (name, count) in atomics {
            let (a, b) = operands(count);
            let (a, b) = (a.trim_end_matches(".0"), b.trim_end_matches(".0"));
            let exact = |data: &str| if data == "V0" { data.to_owned() } else { format!("{data}r1") };
            for size in ["d32", "d64", "d16c32", "d8c32"] {
                // Intel's finalizer takes the size of the data from its type.
                let typed = |data: &str| {
                    if size == "d64" && data != "V0" { format!("{data}q") } else { data.to_owned() }
                };
                let (a, b) = (typed(a), typed(b));
                for lanes in [8, 16, 32] {
                    for dst in ["X", "V0"] {
                        self.add(
                            "lsc_atomic",
                            format!("lsc_atomic_{name}.ugm (M1, {lanes}) {dst}:{size} flat[Yq]:a64 {a} {b}"),
                        );
                    }
                }
            }
            for (sfid, address) in [
                ("slm", "flat[Y]:a32"),
                ("ugm", "bti(0x4)[Y]:a32"),
                ("ugm", "flat[Yq+0x10]:a64"),
                ("ugm", "bss(D.4)[Y]:a32"),
            ] {
                self.add("lsc_atomic", format!("lsc_atomic_{name}.{sfid} (M1, 16) X:d32 {address} {a} {b}"));
            }
            for (l1, l3) in [("uc", "uc"), ("uc", "wb"), ("df", "df")] {
                self.add(
                    "lsc_atomic",
                    format!("lsc_atomic_{name}.ugm.{l1}.{l3} (M1, 16) X:d32 flat[Yq]:a64 {a} {b}"),
                );
            }
            self.add(
                "lsc_atomic typed",
                format!(
                    "lsc_atomic_{name}.tgm (M1, 16) Xr1:d32 bti(0x4)[Yr1,Zr1]:a32 {} {}",
                    exact(a),
                    exact(b)
                ),
            );
        }
        for (shape, lanes) in [("d32", 16), ("d32x4", 16), ("d32x8t", 1), ("d64", 16), ("d32", 32)] {
            let mask = if lanes == 1 { "M1_NM" } else { "M1" };
            for address in ["flat[Yq]:a64", "flat[Yq,0x40]:a64", "flat[Yq,D.4]:a64", "bti(0x4)[Y,0x10]:a32"] {
                self.add(
                    "lsc_load_strided",
                    format!("lsc_load_strided.ugm ({mask}, {lanes}) X:{shape} {address}"),
                );
                self.add(
                    "lsc_store_strided",
                    format!("lsc_store_strided.ugm ({mask}, {lanes}) {address} X:{shape}"),
                );
            }
        }
        for shape in [
            "d8.1x32x8nn",
            "d16.1x16x8nn",
            "d32.1x16x8nn",
            "d32.1x8x8nn",
            "d64.1x8x4nn",
            "d8.2x32x8nn",
            "d16.2x16x16nn",
            "d8.1x32x32nt",
            "d16.1x16x16nt",
            "d32.1x8x16tn",
            "d64.1x4x8tn",
            "d32.1x5x3nn",
            "d8.4x16x8nn",
        ] {
            let address = "flat[Dq.1,0x3f,D.4,0x7f,D.6,0x5]";
            self.add("lsc_load_block2d", format!("lsc_load_block2d.ugm (M1_NM, 1) X:{shape} {address}"));
            self.add("lsc_store_block2d", format!("lsc_store_block2d.ugm (M1_NM, 1) {address} X:{shape}"));
            self.add("lsc_load_block2d", format!("lsc_load_block2d.ugm.ca.ca (M1, 1) X:{shape} {address}"));
        }
        for sfid in ["ugm", "tgm", "slm", "ugml"] {
            for op in ["none", "evict", "invalidate", "discard", "clean", "flushl3", "type6"] {
                for scope in ["group", "local", "tile", "gpu", "gpus", "sysrel", "sysacq"] {
                    self.add("lsc_fence", format!("lsc_fence.{sfid}.{op}.{scope}"));
                }
            }
        }
        self.add("lsc_read_state_info", "lsc_read_state_info.tgm X bti(0x4)[Y]".into());
        for surface in ["bti(0x4)", "bss(D.4)"] {
            self.add(
                "lsc_load_block2d typed",
                format!("lsc_load_block2d.tgm (M1, 1) X:32x4 {surface}[D.4,D.6]"),
            );
            self.add(
                "lsc_store_block2d typed",
                format!("lsc_store_block2d.tgm (M1, 1) {surface}[D.4,D.6] X:32x4"),
            );
        }
        for op in ["add", "sub"] {
            self.add("lsc_apndctr", format!("lsc_apndctr_atomic_{op}.ugm (M1, 16) X:d32 bti(0x4) Z"));
        }
        self.add("lsc_load_status", "lsc_load_status.ugm (M1, 16) X:d32 flat[Yq]:a64".into());
        self.add("lsc_store_uncompressed", "lsc_store_uncompressed.ugm (M1, 16) flat[Yq]:a64 X:d32".into());
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
