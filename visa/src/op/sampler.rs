//! What the 3D sampler is asked.

/// What a message of the 3D sampler brings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SampleKind {
    /// Filtered texels.
    Sample,
    /// Texels by their integer coordinates: without sampler.
    Load,
    /// One channel of four texels.
    Gather,
}

impl SampleKind {
    /// Whether it has no sampler.
    pub const fn is_load(self) -> bool {
        matches!(self, SampleKind::Load)
    }
}

crate::types::raw_enum! {
    /// An operation of the 3D sampler (spec `3D_SAMPLE`, `3D_LOAD`, `3D_SAMPLE4`, `INFO`). The specification's names say what
    /// is given: `b` a bias of the level of detail, `l` the level, `lz` level 0, `mlod` a least level, `d` gradients, `c` a
    /// reference to compare with, `po` offsets of each pixel.
    SamplerOp {
        /// Filtered.
        Sample = 0 => "sample_3d",
        /// Filtered, with a bias.
        SampleB = 1 => "sample_b",
        /// Filtered, with a level.
        SampleL = 2 => "sample_l",
        /// Filtered and compared.
        SampleC = 3 => "sample_c",
        /// Filtered, with gradients.
        SampleD = 4 => "sample_d",
        /// Filtered and compared, with a bias.
        SampleBC = 5 => "sample_b_c",
        /// Filtered and compared, with a level.
        SampleLC = 6 => "sample_l_c",
        /// A texel by its coordinates.
        Load = 7 => "load_3d",
        /// A channel of four texels.
        Gather4 = 8 => "sample4",
        /// The level of detail that a sample would have.
        Lod = 9 => "lod",
        /// Size and levels of a surface.
        ResInfo = 10 => "resinfo",
        /// Samples of a surface.
        SampleInfo = 11 => "sampleinfo",
        /// Filtered; pixels with the key's color are left out.
        SampleKillPix = 12 => "sample+killpix",
        /// Gathered, with a level.
        Gather4L = 13 => "sample4_l",
        /// Gathered, with a bias.
        Gather4B = 14 => "sample4_b",
        /// Gathered, at the level that a sample would have.
        Gather4I = 15 => "sample4_i",
        /// Gathered and compared.
        Gather4C = 16 => "sample4_c",
        /// Gathered, with offsets.
        Gather4Po = 17 => "sample4_po",
        /// Gathered and compared, with offsets.
        Gather4PoC = 18 => "sample4_po_c",
        /// Filtered and compared, with a least level.
        SampleCMlod = 19 => "sample_c_mlod",
        /// Filtered and compared, with gradients.
        SampleDC = 20 => "sample_d_c",
        /// Gathered and compared, at the level that a sample would have.
        Gather4IC = 21 => "sample4_i_c",
        /// Gathered and compared, with a level.
        Gather4LC = 23 => "sample4_l_c",
        /// Filtered, of level 0.
        SampleLz = 24 => "sample_lz",
        /// Filtered and compared, of level 0.
        SampleCLz = 25 => "sample_c_lz",
        /// A texel of level 0.
        LoadLz = 26 => "load_lz",
        /// A texel, the level behind its first coordinate.
        LoadL = 27 => "load_l",
        /// A texel of a surface with samples.
        Load2dmsW = 28 => "load_2dms_w",
        /// Where samples are.
        LoadMcs = 29 => "load_mcs",
        /// Filtered, with offsets.
        SamplePo = 32 => "sample_po",
        /// Filtered, with offsets and a bias.
        SamplePoB = 33 => "sample_po_b",
        /// Filtered, with offsets and a level.
        SamplePoL = 34 => "sample_po_l",
        /// Filtered and compared, with offsets.
        SamplePoC = 35 => "sample_po_c",
        /// Filtered, with offsets and gradients.
        SamplePoD = 36 => "sample_po_d",
        /// Filtered and compared, with offsets and a level.
        SamplePoLC = 38 => "sample_po_l_c",
        /// Gathered, with packed offsets; Intel's assembly writes it as [`SamplerOp::Gather4Po`].
        Gather4PoPacked = 40 => "sample4_po_packed",
        /// Gathered, with packed offsets and a level.
        Gather4PoL = 45 => "sample4_po_l",
        /// Gathered, with packed offsets and a bias.
        Gather4PoB = 46 => "sample4_po_b",
        /// Gathered, with packed offsets, at the level that a sample would have.
        Gather4PoI = 47 => "sample4_po_i",
        /// Gathered and compared, with packed offsets; Intel's assembly writes it as [`SamplerOp::Gather4PoC`].
        Gather4PoCPacked = 48 => "sample4_po_c_packed",
        /// Gathered and compared, with packed offsets, at the level that a sample would have.
        Gather4PoIC = 53 => "sample4_po_i_c",
        /// Gathered and compared, with packed offsets and a level.
        Gather4PoLC = 55 => "sample4_po_l_c",
        /// Filtered, with offsets, of level 0.
        SamplePoLz = 56 => "sample_po_lz",
        /// Filtered and compared, with offsets, of level 0.
        SamplePoCLz = 57 => "sample_po_c_lz",
        /// Filtered and compared, with offsets and a bias.
        SamplePoBC = 58 => "sample_po_b_c",
        /// Filtered and compared, with offsets and gradients.
        SamplePoDC = 59 => "sample_po_d_c",
    }
}

impl SamplerOp {
    /// What it brings; nothing of these where it asks for facts about a surface.
    pub const fn kind(self) -> Option<SampleKind> {
        use SamplerOp::*;
        match self {
            ResInfo | SampleInfo => None,
            Load | LoadLz | LoadL | Load2dmsW | LoadMcs => Some(SampleKind::Load),
            Gather4 | Gather4L | Gather4B | Gather4I | Gather4C | Gather4IC | Gather4LC | Gather4Po
            | Gather4PoC | Gather4PoPacked | Gather4PoCPacked | Gather4PoL | Gather4PoB | Gather4PoI
            | Gather4PoIC | Gather4PoLC => Some(SampleKind::Gather),
            _ => Some(SampleKind::Sample),
        }
    }
}
