//! Messages of the load/store cache.

use super::*;

/// Atomic operations, with how many sources they have.
const ATOMICS: [(&str, usize); 23] = [
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

impl List {
    pub(super) fn lsc(&mut self) {
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

    /// Loads without a destination, which bring memory nearer.
    fn lsc_nearer(&mut self) {
        let block = "flat[Dq.1,0x3f,D.4,0x7f,D.6,0x5]";
        for (op, lanes, shape, address) in [
            ("lsc_load", "(M1, 16)", "d32", "flat[Yq]:a64"),
            ("lsc_load", "(M1, 32)", "d32x4", "flat[Y]:a32"),
            ("lsc_load", "(M1_NM, 1)", "d32x8t", "flat[Yq]:a64"),
            ("lsc_load_strided", "(M1, 16)", "d32", "flat[Yq,0x40]:a64"),
            ("lsc_load_quad", "(M1, 16)", "d32.xyz", "flat[Yq]:a64"),
            ("lsc_load_block2d", "(M1_NM, 1)", "d16.1x16x8nn", block),
        ] {
            for caches in ["", ".ca.ca"] {
                self.add(op, format!("{op}.ugm{caches} {lanes} %null:{shape} {address}"));
            }
        }
    }

    pub(super) fn lsc_more(&mut self) {
        self.lsc_quads();
        ATOMICS.into_iter().for_each(|(name, count)| self.lsc_atomic(name, count));
        self.lsc_strided();
        self.lsc_blocks();
        self.lsc_nearer();
        self.lsc_others();
    }

    fn lsc_quads(&mut self) {
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
    }

    fn lsc_atomic(&mut self, name: &str, count: usize) {
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
            format!("lsc_atomic_{name}.tgm (M1, 16) Xr1:d32 bti(0x4)[Yr1,Zr1]:a32 {} {}", exact(a), exact(b)),
        );
    }

    fn lsc_strided(&mut self) {
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
    }

    fn lsc_blocks(&mut self) {
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
            "d64.1x4x4nt",
        ] {
            let address = "flat[Dq.1,0x3f,D.4,0x7f,D.6,0x5]";
            self.add("lsc_load_block2d", format!("lsc_load_block2d.ugm (M1_NM, 1) X:{shape} {address}"));
            self.add("lsc_store_block2d", format!("lsc_store_block2d.ugm (M1_NM, 1) {address} X:{shape}"));
            // The specification's is of one lane; Intel's finalizer takes others, and the word says so.
            self.add("lsc_load_block2d", format!("(P1) lsc_load_block2d.ugm (M1, 16) X:{shape} {address}"));
            self.add("lsc_store_block2d", format!("lsc_store_block2d.ugm (M1, 16) {address} X:{shape}"));
            self.add("lsc_load_block2d", format!("lsc_load_block2d.ugm.ca.ca (M1, 1) X:{shape} {address}"));
        }
    }

    fn lsc_others(&mut self) {
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
        self.add(
            "lsc_load_quad_msrt",
            "lsc_load_quad_msrt.tgm (M1, 16) X:d32.xy bti(0x4)[Y,Z,Y,Z]:a32".into(),
        );
        self.add(
            "lsc_store_quad_msrt",
            "lsc_store_quad_msrt.tgm (M1, 16) bti(0x4)[Y,Z,Y,Z]:a32 X:d32.xy".into(),
        );
        self.add("lsc_load_status", "lsc_load_status.ugm (M1, 16) X:d32 flat[Yq]:a64".into());
        self.add("lsc_store_uncompressed", "lsc_store_uncompressed.ugm (M1, 16) flat[Yq]:a64 X:d32".into());
    }
}
