//! What the 128-bit words can say.

/// The family of layouts that a platform's instruction words are of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layout {
    /// Gen8 to Gen11.
    Gen8,
    /// Gen12 and later.
    Xe,
}

/// The layout of a platform's instruction words, compacted ones too: the family, and which of its layouts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Gen8 to Gen11.
    Gen8(Gen8Format),
    /// Gen12 and later.
    Xe(XeFormat),
}

/// A layout of Gen8 to Gen11.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Gen8Format {
    /// Broadwell: `send` has an ordinary second source.
    Gen8,
    /// Low-power Gen8: Broadwell's, but Align16 ternary sources may mix float types, and `send` is not compacted.
    Gen8Lp,
    /// Skylake: split sends; Align16 ternary sources may mix float types.
    Gen9,
    /// Ice Lake: other codes of types; ternary instructions in Align1.
    Gen11,
}

/// A layout of Gen12 and later, all of whose fields stand in another order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum XeFormat {
    /// Tiger Lake.
    Gen12,
    /// Xe-HPG: words as Tiger Lake's (measured with the reference assembler, but for messages, whose words say how long
    /// the second payload is), compacted ones with other tables.
    XeHpg,
    /// Ponte Vecchio: wider flag and scoreboard fields; subregisters and address offsets count in words.
    XeHpc,
}

impl Format {
    /// The family.
    pub const fn layout(self) -> Layout {
        match self {
            Format::Gen8(_) => Layout::Gen8,
            Format::Xe(_) => Layout::Xe,
        }
    }
}

/// What the 128-bit words can say.
#[derive(Clone, Copy, Debug)]
pub struct Words {
    /// Where the fields of words stand, and what their codes mean.
    pub format: Format,
    /// Instructions say by `AccWrEn` that they write the accumulator; otherwise the opcode implies it,
    /// and `macl` is an opcode of its own.
    pub acc_write_enable: bool,
    /// `any`/`all` predicates name their width (`any16h`); otherwise they cover the execution size.
    pub pred_width: bool,
    /// Channel offsets may be multiples of 4 (otherwise of 8).
    pub nibble_offset: bool,
    /// A channel offset is a multiple of the execution size (volume 2a, "Execution Mask Offset").
    pub offset_by_size: bool,
    /// Payloads and responses of messages, and registers of branches, are named and nothing more. Elsewhere words have types
    /// and regions for them as for other operands.
    pub bare_operands: bool,
    /// Ternary instructions use the align16 form.
    pub ternary_align16: bool,
    /// Channels that a ternary instruction has at most (volume 7, "Instruction Format": 16; Intel's finalizer multiplies and
    /// adds 32 halves or words in two instructions before Xe-HPC).
    pub ternary_lanes: u8,
    /// A ternary instruction may have a condition modifier (from Xe on Intel's finalizer gives it none,
    /// `hasCondModForTernary`).
    pub ternary_cond: bool,
    /// The 16-bit immediates that a ternary instruction may have.
    pub ternary_imm: TernaryImm,
    /// Of moves between general registers that are dwords, those of floats have a compacted form and those of integers have
    /// none (volume 8, "EU Compact Instruction Format", data types of one source; measured with the reference assembler).
    pub float_moves_compact: bool,
}

/// Which 16-bit immediates a ternary instruction may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TernaryImm {
    /// None.
    None,
    /// A signed word as the last source of an integer `mad`. The align1 form of Gen11 could hold more; this is what
    /// Intel's finalizer writes there.
    LastWord,
    /// Sources 0 and 2.
    FirstAndLast,
}

impl Words {
    /// The family of the words' layout.
    pub const fn layout(&self) -> Layout {
        self.format.layout()
    }
}
