//! What a row of the table is made of, and the functions that rows are written with.

use platforms::Caps;

pub use super::sets::{Classes, Types};
use crate::{ids::VarId, opcode::Opcode, operand::*, types::Type};

/// How one field of an instruction is stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Enc {
    /// Execution size and mask, one byte; goes to the record.
    Exec,
    /// Guard predicate, two bytes; goes to the record.
    Pred,
    /// Sub-opcode, one byte; goes to the record and selects the row.
    Sub,
    /// Vector operand.
    Vector,
    /// Raw operand: variable (4 bytes, 2 before version 3.4) and byte offset (2 bytes).
    Raw,
    /// Unsigned byte.
    U8,
    /// Unsigned word.
    U16,
    /// Unsigned dword.
    U32,
    /// Signed dword.
    I32,
    /// Surface variable, one byte.
    Surface,
    /// Sampler variable, one byte.
    Sampler,
    /// Label, two bytes.
    Label,
    /// String of the pool, two bytes.
    Str,
    /// String of the pool, four bytes (two before version 3.4).
    StrWide,
    /// Variable index as a number, four bytes (two before version 3.4).
    VarWide,
    /// Sampler operation and flags: two bytes (one before version 4.0).
    SampleOp,
    /// Texel offsets: vector operand (before version 3.4: two bytes, read as a UW constant).
    Aoffimmi,
    /// Byte count, then that many raw operands. Last field of its row.
    RawList,
    /// Byte count of the labels in the row's last field.
    LabelCount,
    /// Labels, as many as the `LabelCount` field says. Last field of its row.
    LabelList,
}

/// When a field exists.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum When {
    /// Always.
    Always,
    /// From this version on (`major * 100 + minor`); before, it reads as the slot's default.
    Since(u16),
    /// Unless the object is of the kind that leaves the field out ([`crate::Quirks::no_surface_index`]).
    SurfaceIndex,
    /// If one of these bits of the row's first number is set.
    Bits(u16),
    /// If the row's first number has this value.
    Equals(u32),
}

impl When {
    /// Whether the row's `first` number lets it exist. (Versions are not asked.)
    pub const fn holds(self, first: u32) -> bool {
        match self {
            When::Always | When::Since(_) | When::SurfaceIndex => true,
            When::Bits(bits) => first & narrow::wide_u16(bits) != 0,
            When::Equals(value) => first == value,
        }
    }
}

/// Whether an operand is read or written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Written.
    Dst,
    /// Read.
    Src,
    /// Neither: control fields.
    Control,
}

/// Where the text of a message has a field, if its row says it ([`Family::Message`]): words behind the name in order of
/// the fields, the execution size, operands in order of the fields, those that come first before the others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Text {
    /// Among the operands.
    Operand,
    /// Among the operands, before the others.
    First,
    /// `.4` behind the name: a power of two, stored as its logarithm.
    Power,
    /// `.1`, `.4` or `.8` behind the name: bytes, stored as 0, 1, 2.
    BlockBytes,
    /// `.RGBA` behind the name.
    Channels,
    /// `.add`, `.add.16`, `.add.64` behind the name.
    Atomic,
    /// `.aligned (4)` behind the name: a number of owords, and bit 3 unless they are aligned.
    Block,
    /// Not at all: it is zero.
    Zero,
}

impl Text {
    /// Whether it stands among the operands.
    pub(crate) const fn is_operand(self) -> bool {
        matches!(self, Text::Operand | Text::First)
    }
}

/// One field of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slot {
    /// Name in messages.
    pub name: &'static str,
    /// How it is stored.
    pub enc: Enc,
    /// When it exists.
    pub when: When,
    /// Read or written.
    pub role: Role,
    /// Types allowed (vector operands, and variables of raw operands).
    pub types: Types,
    /// Classes allowed (vector operands).
    pub classes: Classes,
    /// Only the first element counts (spec "Scalar Operands").
    pub scalar: bool,
    /// Where text has it.
    pub text: Text,
    /// Whether a raw operand is there: never `%null`.
    pub needed: bool,
    /// Whether a surface may be shared local memory.
    pub slm: bool,
    /// Execution sizes allowed; none are listed where all are.
    pub sizes: &'static [u32],
    /// Which values a destination saturates.
    pub saturates: Saturates,
    /// Whether a source may have a modifier, where its class may.
    pub modified: bool,
}

/// Which values a destination saturates (spec, "Saturation" of each page).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Saturates {
    /// All.
    All,
    /// Floats.
    Floats,
    /// None.
    Nothing,
}

impl Slot {
    pub(super) const fn new(name: &'static str, enc: Enc, role: Role) -> Slot {
        Slot {
            name,
            enc,
            when: When::Always,
            role,
            types: Types::ANY,
            classes: Classes(0),
            scalar: false,
            text: Text::Operand,
            needed: false,
            slm: true,
            sizes: &[],
            saturates: Saturates::All,
            modified: true,
        }
    }

    pub(crate) const fn when(self, when: When) -> Slot {
        Slot { when, ..self }
    }

    pub(super) const fn classes(self, classes: Classes) -> Slot {
        Slot { classes, ..self }
    }

    pub(crate) const fn text(self, text: Text) -> Slot {
        Slot { text, ..self }
    }

    pub(crate) const fn types(self, types: Types) -> Slot {
        Slot { types, ..self }
    }

    /// One that is never `%null`.
    pub(crate) const fn needed(self) -> Slot {
        Slot { needed: true, ..self }
    }

    /// A surface that is not shared local memory.
    pub(super) const fn without_slm(self) -> Slot {
        Slot { slm: false, ..self }
    }

    /// An execution size of these.
    pub(super) const fn sizes(self, sizes: &'static [u32]) -> Slot {
        Slot { sizes, ..self }
    }

    pub(super) const fn saturates(self, saturates: Saturates) -> Slot {
        Slot { saturates, ..self }
    }

    pub(super) const fn named(self, name: &'static str) -> Slot {
        Slot { name, ..self }
    }

    /// Value of the operand in objects too old to have the field.
    pub fn default_operand(&self) -> Operand {
        match self.enc {
            Enc::Vector | Enc::Aoffimmi => Operand::Vector(VectorOperand::imm(Type::UW, 0)),
            Enc::Raw => Operand::Raw(RawOperand { var: VarId::NULL, offset: 0 }),
            // Everything else that may be missing is a number.
            _ => Operand::Num(0),
        }
    }

    /// True if the field becomes an [`Operand`] (the others go to the record).
    pub const fn is_operand(&self) -> bool {
        !matches!(self.enc, Enc::Exec | Enc::Pred | Enc::Sub)
    }
}

/// Fields in all groups.
pub(super) const fn count(groups: &[&[Slot]]) -> usize {
    let (mut found, mut i) = (0, 0);
    while i < groups.len() {
        found += groups[i].len();
        i += 1;
    }
    found
}

/// The fields of all groups, one behind the other.
pub(super) const fn joined<const N: usize>(groups: &[&[Slot]]) -> [Slot; N] {
    let mut all = [EXEC; N];
    let (mut i, mut group, mut at) = (0, 0, 0);
    while i < N {
        if at == groups[group].len() {
            (group, at) = (group + 1, 0);
        } else {
            all[i] = groups[group][at];
            (i, at) = (i + 1, at + 1);
        }
    }
    all
}

pub(super) const EXEC: Slot = Slot::new("execution size", Enc::Exec, Role::Control);

pub(super) const PRED: Slot = Slot::new("predicate", Enc::Pred, Role::Control);

pub(super) const SUB: Slot = Slot::new("sub-opcode", Enc::Sub, Role::Control);

pub(super) const SURFACE: Slot = Slot::new("surface", Enc::Surface, Role::Src);

pub(super) const SAMPLER: Slot = Slot::new("sampler", Enc::Sampler, Role::Src);

pub(super) const fn dst(types: Types) -> Slot {
    Slot { types, classes: Classes::DST, ..Slot::new("destination", Enc::Vector, Role::Dst) }
}

pub(super) const fn src(types: Types) -> Slot {
    Slot { types, classes: Classes::SRC, ..Slot::new("source", Enc::Vector, Role::Src) }
}

/// A destination that does not saturate.
pub(super) const fn dst_u(types: Types) -> Slot {
    dst(types).saturates(Saturates::Nothing)
}

/// A source without modifiers (spec, "Source Modifier" of each page).
pub(super) const fn src_u(types: Types) -> Slot {
    Slot { modified: false, ..src(types) }
}

/// A scalar source of a message.
pub(super) const fn scalar(name: &'static str, types: Types) -> Slot {
    Slot { types, classes: Classes::SRC, scalar: true, ..Slot::new(name, Enc::Vector, Role::Src) }
}

pub(crate) const fn raw_src(name: &'static str) -> Slot {
    Slot::new(name, Enc::Raw, Role::Src)
}

pub(crate) const fn raw_dst(name: &'static str) -> Slot {
    Slot::new(name, Enc::Raw, Role::Dst)
}

pub(super) const fn u8(name: &'static str) -> Slot {
    Slot::new(name, Enc::U8, Role::Control)
}

pub(super) const fn u16(name: &'static str) -> Slot {
    Slot::new(name, Enc::U16, Role::Control)
}

pub(super) const fn u32(name: &'static str) -> Slot {
    Slot::new(name, Enc::U32, Role::Control)
}

pub(crate) const fn i32(name: &'static str) -> Slot {
    Slot::new(name, Enc::I32, Role::Control)
}

/// What kind of instruction a row describes; selects printing and typed view.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Family {
    /// One destination, sources.
    Alu,
    /// A message whose text the fields say ([`Text`]).
    Message,
    /// Everything else has its own form.
    Other,
}

/// One instruction.
#[derive(Debug)]
pub struct Row {
    /// Opcode.
    pub opcode: Opcode,
    /// Sub-opcode, if rows of the opcode differ by one.
    pub sub: Option<u8>,
    /// Name (of the sub-opcode, if there is one).
    pub name: &'static str,
    /// Kind.
    pub family: Family,
    /// Fields after the opcode byte.
    pub slots: &'static [Slot],
    /// Sources and destination have types of one kind (all integer, or one float type).
    pub same_type: bool,
    /// Whether a platform has it, where not all have.
    pub only: Option<fn(&Caps) -> bool>,
}

/// The condition that a row's `if` says.
macro_rules! has {
    (nowhere) => {
        |_| false
    };
    ($group:ident.$field:ident) => {
        |caps| caps.$group.$field
    };
}
pub(super) use has;

pub(super) const fn alu(opcode: Opcode, same_type: bool, slots: &'static [Slot]) -> Row {
    Row { opcode, sub: None, name: opcode.name(), family: Family::Alu, slots, same_type, only: None }
}

pub(super) const fn op(opcode: Opcode, slots: &'static [Slot]) -> Row {
    Row { opcode, sub: None, name: opcode.name(), family: Family::Other, slots, same_type: false, only: None }
}

pub(super) const fn sub(opcode: Opcode, sub: u8, name: &'static str, slots: &'static [Slot]) -> Row {
    Row { opcode, sub: Some(sub), name, family: Family::Other, slots, same_type: false, only: None }
}

/// The row of a message whose text its fields say.
pub(super) const fn by_slots(row: Row) -> Row {
    Row { family: Family::Message, ..row }
}

/// The row of a message whose text is written in [`crate::text`].
pub(super) const fn own_text(row: Row) -> Row {
    row
}

impl Row {
    /// The same, but only platforms with a capability have it.
    pub(super) const fn on(self, only: fn(&Caps) -> bool) -> Row {
        Row { only: Some(only), ..self }
    }

    /// Whether a platform has the instruction (spec appendix "vISA instructions (per platform)"; the Ponte Vecchio
    /// column from objects of Intel's compiler and its instruction descriptions).
    pub fn is_on(&self, caps: &Caps) -> bool {
        self.only.is_none_or(|only| only(caps))
    }

    /// True if the instruction has an execution size.
    pub fn has_exec(&self) -> bool {
        self.slots.iter().any(|s| s.enc == Enc::Exec)
    }

    /// Execution sizes that the instruction takes; none where it takes all, or has none.
    pub fn exec_sizes(&self) -> &'static [u32] {
        self.slots.iter().find(|s| s.enc == Enc::Exec).map_or(&[], |s| s.sizes)
    }

    /// True if the instruction may be guarded by a predicate.
    pub fn has_pred(&self) -> bool {
        self.slots.iter().any(|s| s.enc == Enc::Pred)
    }

    /// The slots that become operands, in order.
    pub fn operand_slots(&self) -> impl Iterator<Item = &'static Slot> + use<> {
        self.slots.iter().filter(|s| s.is_operand())
    }
}
