//! Samplers, synchronization, raw messages, graphics and media.

use super::*;

/// The operation, how many parameters it has in two dimensions, whether it has a sampler.
const SAMPLES: [(&str, usize, bool); 29] = [
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

impl List {
    pub(super) fn sampler(&mut self) {
        SAMPLES.into_iter().for_each(|(op, count, sampler)| self.sample(op, count, sampler));
        for mask in MASKS {
            for size in [8, 16] {
                self.add("resinfo", format!("resinfo.{mask} (M1, {size}) T6 Y.0 X.0"));
                self.add("sampleinfo", format!("sampleinfo.{mask} (M1, {size}) T6 X.0"));
            }
        }
        self.add("rt_read", "rt_read (M1, 16) T6 X.0".into());
        self.add("rt_read", "rt_read.<PS><SI> (M1, 16) T6 D(0,4)<0;1,0> X.0".into());
        for surface in ["T7", "%bss"] {
            self.add("resinfo", format!("resinfo.RGBA (M1, 8) {surface} Y.0 X.0"));
            self.add("sampleinfo", format!("sampleinfo.RG (M1, 8) {surface} X.0"));
        }
        for format in ["16-full", "16-downsampled", "8-full", "8-downsampled"] {
            let u = "Df(0,4)<0;1,0>";
            self.add("sample_unorm", format!("sample_unorm.RGBA.{format} S0 T6 {u} {u} {u} {u} X.0"));
        }
    }

    fn sample(&mut self, op: &'static str, count: usize, sampler: bool) {
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
                    format!("{op}.{mask} (M1, {size}) 0x0:uw {}T6 X.0{}", sampled("S0"), params(count, size)),
                );
            }
        }
        let first = masks[0];
        for size in [8, 16] {
            for n in [1, 3, 4, 5] {
                if n != count && matches!(op, "sample_3d" | "sample_lz" | "sample_l" | "load_lz" | "load_3d")
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
                format!("{op}.{first} (M1, {size}) 0x123:uw {}T6 X.0{}", sampled("S0"), params(count, size)),
            );
        }
        let p = params(count, 16);
        for (s, t) in [
            ("S0", "T7"),
            ("S1", "T6"),
            ("S1", "T7"),
            ("S31", "T6"),
            ("S31", "%bss"),
            ("S0", "%bss"),
            ("S0", "%slm"),
        ] {
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

    pub(super) fn sync(&mut self) {
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

    pub(super) fn raw(&mut self) {
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

    pub(super) fn graphics(&mut self) {
        for size in [8, 16] {
            self.add("rt_write_3d", format!("rt_write_3d (M1, {size}) T6 V0.0 Y.0 Y.64 Z.0 Z.64"));
            self.add("rt_write_3d", format!("rt_write_3d.<LRTW> (M1, {size}) T6 V0.0 Y.0 Y.64 Z.0 Z.64"));
            self.add("rt_write_3d", format!("rt_write_3d.<A> (M1, {size}) T6 V0.0 W.0 Y.0 Y.64 Z.0 Z.64"));
            self.add("rt_write_3d", format!("rt_write_3d.<Z> (M1, {size}) T6 V0.0 Y.0 Y.64 Z.0 Z.64 W.0"));
            // The second register of the header, where there is one.
            let rest = "Y.0 Y.64 Z.0 Z.64";
            for (mode, more) in [
                ("", ""),
                (".<A>", "W.0 "),
                (".<RTI>", "0x0:ub "),
                (".<RTI>", "0x2:ub "),
                (".<RTI><A>", "0x2:ub W.0 "),
            ] {
                self.add("rt_write_3d", format!("rt_write_3d{mode} (M1, {size}) T6 X.0 {more}{rest}"));
                self.add("rt_write_3d", format!("(P1) rt_write_3d{mode} (M1, {size}) T6 X.0 {more}{rest}"));
            }
            self.add("rt_write_3d", format!("rt_write_3d.<A><O> (M1, {size}) T6 X.0 W.0 W.128 {rest}"));
            self.add("rt_write_3d", format!("rt_write_3d.<A><Z> (M1, {size}) T6 X.0 W.0 {rest} W.128"));
            self.add("rt_write_3d", format!("rt_write_3d.<RTI> (M1, {size}) T6 X.0 Db(0,8)<0;1,0> {rest}"));
            self.add("rt_write_3d", format!("rt_write_3d.<CPS> (M1, {size}) T6 X.0 D(0,2)<0;1,0> {rest}"));
            self.add("rt_write_3d", format!("rt_write_3d.<NULLRT><PS> (M1, {size}) T6 X.0 {rest}"));
        }
        self.odd_targets();
        for outputs in [1, 4, 8] {
            self.add("urb_write_3d", format!("urb_write_3d (M1, 8) {outputs} 0 V0.0 Y.0 V0.0 X.0"));
            self.add("urb_write_3d", format!("urb_write_3d (M1, 8) {outputs} 3 W.0 Y.0 Z.0 X.0"));
        }
    }

    /// Render targets of more pixels and fewer, and surfaces whose state has no index.
    fn odd_targets(&mut self) {
        for (size, surface) in
            [(32, "T6"), (32, "%bss"), (16, "%bss"), (8, "%bss"), (2, "T6"), (1, "T6"), (4, "T6")]
        {
            let rest = "Y.0 Y.128 Z.0 Z.128";
            for head in ["rt_write_3d", "rt_write_3d.<LRTW>", "(P1) rt_write_3d"] {
                self.add("rt_write_3d", format!("{head} (M1, {size}) {surface} X.0 {rest}"));
            }
            self.add("rt_write_3d", format!("(P1) rt_write_3d.<A> (M1, {size}) {surface} X.0 W.0 {rest}"));
            self.add("rt_write_3d", format!("rt_write_3d.<RTI> (M1, {size}) {surface} X.0 0x2:ub {rest}"));
            self.add(
                "rt_write_3d",
                format!("rt_write_3d.<A><Z> (M1, {size}) {surface} X.0 W.0 {rest} W.128"),
            );
            self.add("rt_write_3d", format!("rt_write_3d.<Z> (M1, {size}) {surface} V0.0 {rest} W.0"));
            let halves = "Yh.0 Yh.64 Zh.0 Zh.64";
            self.add("rt_write_3d", format!("rt_write_3d (M1, {size}) {surface} V0.0 {halves}"));
        }
    }

    pub(super) fn media(&mut self) {
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
        let at = "Df(0,1)<0;1,0> Df(0,2)<0;1,0>";
        self.add("va", format!("va.minmax T6 {at} 0x0:ub X.0"));
        self.add("va_skl_plus", format!("va_skl_plus.CONV_1D_VERTICAL T6 S0 {at} 4x16 X.0"));
        self.add("vme_ime", "vme_ime (0,0) %bss Y.0 Z.0 D.0 W.32 W.0 X.0".into());
        for surface in ["T6", "T7", "%bss"] {
            self.add("vme_sic", format!("vme_sic {surface} Y.0 Z.0 X.0"));
            self.add("vme_sic", format!("vme_sic {surface} Z.0 Z.128 X.0"));
            // Intel's grammar has no `vme_idm`; its objects do.
            self.add("vme_idm", format!("vme_idm {surface} Y.0 Z.0 X.0"));
            self.add("vme_fbr", format!("vme_fbr (0x1:ud,0x2:ud,0x3:ud) {surface} Y.0 Z.0 X.0"));
        }
        let scalars = "D(0,1)<0;1,0>,D(0,2)<0;1,0>,D(0,3)<0;1,0>";
        self.add("vme_fbr", format!("vme_fbr ({scalars}) T6 Y.0 Z.0 X.0"));
    }
}
