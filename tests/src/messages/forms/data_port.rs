//! Messages of the data port.

use super::*;

impl List {
    pub(super) fn blocks(&mut self) {
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
            for (surface, plane) in [
                ("T6", 1),
                ("T6", 3),
                ("T7", 0),
                ("T7", 2),
                ("%bss", 0),
                ("%bss", 1),
                ("%bss", 3),
                ("%slm", 0),
            ] {
                self.add(op, format!("{op}.nomod (32,8) {surface} {plane} 0x0:ud D(0,4)<0;1,0> X.0"));
            }
        }
    }

    /// Floats as the offset that lanes share: the integer counts.
    pub(super) fn float_offsets(&mut self) {
        for (op, size) in [
            ("gather", "1"),
            ("gather", "4"),
            ("scatter", "2"),
            ("scatter", "4"),
            ("gather_scaled", "4"),
            ("scatter_scaled", "1"),
            ("gather4_scaled", "RG"),
            ("scatter4_scaled", "RGBA"),
        ] {
            for (lanes, offset) in [(8, "Df(0,4)<0;1,0>"), (16, "(-)Df(0,4)<0;1,0>"), (16, "0x42820000:f")] {
                self.add(op, format!("{op}.{size} (M1, {lanes}) T6 {offset} Y.0 X.0"));
            }
        }
    }

    pub(super) fn scattered(&mut self) {
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
            for surface in SURFACES {
                self.add(op, format!("{op}.1 (M1, 8) {surface} Y.0 Xq.0"));
            }
        }
    }

    pub(super) fn atomics(&mut self) {
        for (name, sources) in ATOMICS {
            let (a, b) = operands(sources);
            for bits in ["", ".16", ".64"] {
                let typed = |data: &str| {
                    if bits == ".64" && data != "V0.0" { data.replace('.', "q.") } else { data.to_owned() }
                };
                // Intel's verifier wants data of the operation's type.
                let view = match (name, bits) {
                    ("fmax" | "fmin" | "fcmpwr" | "fadd" | "fsub", ".16") => "h.",
                    ("fmax" | "fmin" | "fcmpwr" | "fadd" | "fsub", _) => "f.",
                    ("minsint" | "maxsint", "") => "i.",
                    _ => ".",
                };
                let viewed = |data: &str| {
                    if data == "V0.0" { data.to_owned() } else { data.replace('.', view) }
                };
                let (x, a, b) = (viewed("X.0"), viewed(a), viewed(b));
                for size in [8, 16, 32] {
                    self.add(
                        "dword_atomic",
                        format!("dword_atomic.{name}{bits} (M1, {size}) T6 Y.0 {a} {b} {x}"),
                    );
                }
                self.add("dword_atomic", format!("dword_atomic.{name}{bits} (M1, 16) T6 Y.0 {a} {b} V0.0"));
                let (a, b) = operands(sources);
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

    pub(super) fn typed(&mut self) {
        for op in ["gather4_typed", "scatter4_typed"] {
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

    pub(super) fn svm(&mut self) {
        for op in ["svm_block_ld", "svm_block_st"] {
            for size in [1, 2, 4, 8, 16] {
                for align in ["", ".aligned", ".unaligned"] {
                    self.add(op, format!("{op}{align} ({size}) Dq(0,1)<0;1,0> X.0"));
                }
            }
        }
        for op in ["svm_gather", "svm_scatter"] {
            for (block, data) in [(1, "Xq.0"), (4, "X.0"), (8, "Xq.0")] {
                for size in [8, 16] {
                    self.add(op, format!("{op}.{block}.8 (M1, {size}) Yq.0 {data}"));
                }
            }
            for (pred, mask) in GUARDS {
                self.add(op, format!("{pred}{op}.4.1 ({mask}, 16) Yq.0 X.0"));
                self.add(op, format!("{pred}{op}.8.1 ({mask}, 8) Yq.0 Xq.0"));
            }
        }
        for op in ["svm_gather4scaled", "svm_scatter4scaled"] {
            self.add(op, format!("{op}.RG (M1, 8) Dq(0,1)<0;1,0> Yq.0 X.0"));
        }
    }

    /// Destinations where no message can write, under a guard: what it does not choose stays.
    pub(super) fn apart(&mut self) {
        for (op, form) in [
            ("gather_scaled", "gather_scaled.2 (M1, 16) T6 0x0:ud Y.0 X.8"),
            ("gather4_scaled", "gather4_scaled.RG (M1, 8) T6 0x0:ud Y.0 X.16"),
            ("qw_gather", "qw_gather.1 (M1, 16) T6 Y.0 Xq.16"),
            ("qw_gather", "qw_gather.2 (M1, 8) T6 Y.0 Xq.8"),
            ("dword_atomic", "dword_atomic.add (M1, 16) T6 Y.0 Z.0 V0.0 X.4"),
            ("svm_gather", "svm_gather.4.2 (M1, 8) Yq.0 X.12"),
            ("svm_gather", "svm_gather.8.1 (M1, 8) Yq.0 Xq.8"),
            ("svm_gather", "svm_gather.8.2 (M1, 8) Yq.0 X.4"),
            ("svm_gather", "svm_gather.1.8 (M1, 8) Yq.0 Xq.24"),
            ("svm_atomic", "svm_atomic.xor.64 (M1, 8) Yq.0 Xq.8 Zq.0 V0.0"),
            ("svm_atomic", "svm_atomic.inc.64 (M1, 16) Yq.0 X.20 V0.0 V0.0"),
            ("svm_atomic", "svm_atomic.add (M1, 16) Yq.0 X.8 Z.0 V0.0"),
        ] {
            for guard in ["", "(P1) ", "(!P1) "] {
                self.add(op, format!("{guard}{form}"));
            }
        }
    }
}
