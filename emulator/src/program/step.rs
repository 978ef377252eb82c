//! The form that the emulator steps through: one instruction, its operands resolved.

use gen_ir::{
    Descriptor, ExtendedDescriptor, FlagSub, MathFn, Mme, Op, Options, PredCtrl, Sfid, SrcMod, Swsb, SyncFn,
    Type,
};

/// Index of an instruction; one past the last ends the code.
pub(crate) type Pc = u32;
/// No such place.
pub(crate) const NOWHERE: Pc = u32::MAX;

/// The registers an operand's channels touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// All channels one element.
    Scalar,
    /// One element after the other, this many bytes apart.
    Linear(u32),
    /// Rows of `width` elements: bytes from row to row and within a row.
    Rows { vert: u32, width: u32, horz: u32 },
}

/// A source operand.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Operand {
    None,
    Imm(u64),
    /// Packed vector immediates, one value per channel (and again after eight).
    Vector([i8; 8]),
    VectorF([f32; 4]),
    Direct {
        at: u32,
        shape: Shape,
    },
    /// `a0` byte offset, immediate offset; with one address per row where `rows` says so.
    Indirect {
        addr: u32,
        imm: i32,
        shape: Shape,
        per_row: u32,
    },
}

/// A source.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source {
    pub what: Operand,
    pub ty: Type,
    pub mods: SrcMod,
    /// Extra-precision register of a math macro.
    pub mme: Option<Mme>,
    pub acc: bool,
}

/// A destination.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dest {
    pub what: DestPlace,
    pub ty: Type,
    /// Bytes from element to element.
    pub stride: u32,
    pub mme: Option<Mme>,
    pub acc: bool,
    /// Written registers change how the thread runs (control, flags do not).
    pub control: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DestPlace {
    None,
    Null,
    Direct(u32),
    Indirect { addr: u32, imm: i32 },
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Predicate {
    /// Where channel 0 has its bit.
    pub flag: FlagSub,
    pub inv: bool,
    pub ctrl: PredCtrl,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Condition {
    pub cond: gen_ir::Cond,
    pub flag: FlagSub,
}

/// A descriptor: known, or in an address register.
#[derive(Clone, Copy, Debug)]
pub(crate) enum DescFrom<D> {
    Imm(D),
    Addr(u32),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Message {
    pub sfid: Sfid,
    pub desc: DescFrom<Descriptor>,
    pub ex_desc: DescFrom<ExtendedDescriptor>,
    /// The destination or the payload is typed as half floats.
    pub half: bool,
    pub eot: bool,
    pub dst_len: u8,
    pub src0_len: u8,
    pub src1_len: u8,
    /// GRF numbers; `None` is null.
    pub dst: Option<u32>,
    pub src0: Option<u32>,
    pub src1: Option<u32>,
    pub ex_bso: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Extra {
    None,
    Math(MathFn),
    Sync(SyncFn),
    Bfn(u8),
    Dpas {
        depth: u8,
        repeat: u8,
    },
    Branch {
        ctrl: bool,
    },
    Send(u32),
    /// Cannot be run: index of the reason.
    Bad(u32),
}

/// What the arithmetic works in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Domain {
    /// Integers of up to 32 bits.
    Int,
    /// 64-bit integers among the operands.
    Wide,
    Half,
    Single,
    Double,
}

/// An instruction, ready to run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub op: Op,
    pub lanes: u8,
    pub chan: u8,
    pub no_mask: bool,
    pub sat: bool,
    pub acc_write: bool,
    /// Channels may be waiting here.
    pub target: bool,
    pub domain: Domain,
    pub pred: Option<Predicate>,
    pub cond: Option<Condition>,
    pub dst: Dest,
    pub src: [Source; 3],
    pub extra: Extra,
    pub jip: Pc,
    pub uip: Pc,
    /// Byte offset from the start of the code.
    pub offset: u32,
    pub opts: Options,
    pub swsb: Swsb,
}
