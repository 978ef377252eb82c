//! Typed indices into a kernel's tables, and the variables that exist without a declaration.
//!
//! Specification: "General Variables", "Predicate Variables", "Sampler Variables", "Surface Variables".

use narrow::{as_index, low_u16, to_index, wide_u16};

use crate::types::Type;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident($inner:ty)) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
        pub struct $name(pub $inner);

        impl $name {
            /// The index as stored in the object.
            #[inline]
            pub fn index(self) -> usize {
                as_index(self.0.into())
            }
        }
    };
}

id! {
    /// A general variable: 0-31 are predefined ([`Predefined`]), 32 is the first declared one.
    VarId(u32)
}
id! {
    /// An address variable, 0 is the first declared one.
    AddrId(u16)
}
id! {
    /// A predicate variable. 0 means "no predicate"; 1 is the first declared one.
    PredId(u32)
}
id! {
    /// A sampler variable, 0 is the first declared one; 31 is the bindless sampler.
    SamplerId(u16)
}
id! {
    /// A surface variable: 0-5 are predefined, 6 is the first declared one.
    SurfaceId(u16)
}
id! {
    /// A label, 0 is the first of the label table.
    LabelId(u32)
}
id! {
    /// An entry of a kernel's string pool.
    StrId(u32)
}

/// General variables that are predefined (and so the first declared one's index).
pub const PREDEFINED_VARS: u32 = 32;
/// Predicate variables that are predefined (`P0`, no predicate).
pub const PREDEFINED_PREDS: u32 = 1;
/// Surface variables that are predefined.
pub const PREDEFINED_SURFACES: u16 = 6;

impl VarId {
    /// The null variable.
    pub const NULL: VarId = VarId(0);
    /// The thread header, `r0`.
    pub const R0: VarId = VarId(Predefined::R0.number());

    /// True for `%null`.
    pub const fn is_null(self) -> bool {
        self.0 == 0
    }

    /// Position in [`crate::Kernel::vars`], or `None` for a predefined variable.
    pub const fn declared(self) -> Option<usize> {
        if self.0 >= PREDEFINED_VARS { Some(as_index(self.0 - PREDEFINED_VARS)) } else { None }
    }

    /// The variable at position `i` of [`crate::Kernel::vars`].
    pub fn from_declared(i: usize) -> VarId {
        VarId(to_index(i) + PREDEFINED_VARS)
    }

    /// The predefined variable this is, if it is one (indices 22-31 are reserved).
    pub fn predefined(self) -> Option<Predefined> {
        PREDEFINED.get(self.index()).map(|row| row.var)
    }
}

impl PredId {
    /// Position in [`crate::Kernel::preds`], or `None` for `P0`.
    pub const fn declared(self) -> Option<usize> {
        if self.0 >= PREDEFINED_PREDS { Some(as_index(self.0 - PREDEFINED_PREDS)) } else { None }
    }

    /// The predicate at position `i` of [`crate::Kernel::preds`].
    pub fn from_declared(i: usize) -> PredId {
        PredId(to_index(i) + PREDEFINED_PREDS)
    }
}

impl SamplerId {
    /// The bindless sampler, `S31`.
    pub const BINDLESS: SamplerId = SamplerId(31);
}

impl SurfaceId {
    /// Shared local memory (binding table index 254).
    pub const SLM: SurfaceId = SurfaceId(0);
    /// The stack surface, `T1`.
    pub const STACK: SurfaceId = SurfaceId(1);
    /// `T2`.
    pub const T2: SurfaceId = SurfaceId(2);
    /// The scratch surface of the thread, `TSS`.
    pub const TSS: SurfaceId = SurfaceId(3);
    /// Bindless surfaces (binding table index 252), `%bss`.
    pub const BINDLESS: SurfaceId = SurfaceId(4);
    /// Stateless memory (binding table index 255), `%scratch`.
    pub const STATELESS: SurfaceId = SurfaceId(5);

    /// Position in [`crate::Kernel::surfaces`], or `None` for a predefined surface.
    pub const fn declared(self) -> Option<usize> {
        if self.0 >= PREDEFINED_SURFACES {
            Some(as_index(wide_u16(self.0 - PREDEFINED_SURFACES)))
        } else {
            None
        }
    }

    /// The surface at position `i` of [`crate::Kernel::surfaces`].
    pub fn from_declared(i: usize) -> SurfaceId {
        SurfaceId(low_u16(i + usize::from(PREDEFINED_SURFACES)))
    }

    /// Binding table index of a predefined surface that has one, where `T1` and `T2` have these.
    pub const fn predefined_bti(self, stack: [u8; 2]) -> Option<u8> {
        match self {
            SurfaceId::SLM => Some(254),
            SurfaceId::STACK => Some(stack[0]),
            SurfaceId::T2 => Some(stack[1]),
            SurfaceId::STATELESS => Some(255),
            _ => None,
        }
    }

    /// The binding table index that says that the extended descriptor names the surface's state, for the
    /// predefined surfaces that are variables.
    pub const fn bindless_bti(self) -> Option<u8> {
        match self {
            SurfaceId::TSS => Some(251),
            SurfaceId::BINDLESS => Some(252),
            _ => None,
        }
    }
}

/// Names of the predefined surfaces in vISA assembly.
pub const PREDEFINED_SURFACE_NAMES: [&str; as_index(wide_u16(PREDEFINED_SURFACES))] =
    ["%slm", "T1", "T2", "TSS", "%bss", "%scratch"];

/// A predefined general variable.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u32)]
pub enum Predefined {
    /// `%null`: no variable; reads undefined, writes dropped.
    Null = 0,
    /// `%thread_x`, media mode, `r0.4`.
    ThreadX,
    /// `%thread_y`, media mode, `r0.6`.
    ThreadY,
    /// `%group_id_x`, `r0` byte 4.
    GroupIdX,
    /// `%group_id_y`, `r0` byte 24.
    GroupIdY,
    /// `%group_id_z`, `r0` byte 28.
    GroupIdZ,
    /// `%tsc`: the timestamp register.
    Tsc,
    /// `%r0`: the thread header.
    R0,
    /// `%arg`: stack call arguments.
    Arg,
    /// `%retval`: stack call return value.
    RetVal,
    /// `%sp`: the front end's stack pointer.
    Sp,
    /// `%fp`: the front end's frame pointer.
    Fp,
    /// `%hw_id`: hardware thread identity.
    HwTid,
    /// `%sr0`: state register.
    Sr0,
    /// `%cr0`: control register.
    Cr0,
    /// `%ce0`: channel enable.
    Ce0,
    /// `%dbg0`: debug register.
    Dbg0,
    /// `%color`: media dispatch colour.
    Color,
    /// `%impl_arg_buf_ptr`: implicit argument buffer.
    ImplArgBufPtr,
    /// `%local_id_buf_ptr`: local id buffer.
    LocalIdBufPtr,
    /// `%msg0`: message register.
    Msg0,
    /// `%scratchloc`: scratch location.
    ScratchLoc,
}

narrow::enum_numbers!(Predefined: number u32);

/// What is known of a predefined variable.
#[derive(Clone, Copy, Debug)]
pub struct PredefinedRow {
    /// Which one.
    pub var: Predefined,
    /// Name in vISA assembly.
    pub name: &'static str,
    /// Element type.
    pub ty: Type,
    /// Elements (one register of 32 bytes counts as 8 dwords).
    pub num_elements: u16,
    /// Byte offset in `r0` where the value lives, if it lives there.
    pub r0_offset: Option<u8>,
}

const fn row(
    var: Predefined,
    name: &'static str,
    ty: Type,
    num_elements: u16,
    r0: Option<u8>,
) -> PredefinedRow {
    PredefinedRow { var, name, ty, num_elements, r0_offset: r0 }
}

/// Predefined general variables in index order.
#[rustfmt::skip]
pub static PREDEFINED: [PredefinedRow; 22] = [
    row(Predefined::Null,          "%null",             Type::UD, 1,   None),
    row(Predefined::ThreadX,       "%thread_x",         Type::UW, 1,   Some(4)),
    row(Predefined::ThreadY,       "%thread_y",         Type::UW, 1,   Some(6)),
    row(Predefined::GroupIdX,      "%group_id_x",       Type::UD, 1,   Some(4)),
    row(Predefined::GroupIdY,      "%group_id_y",       Type::UD, 1,   Some(24)),
    row(Predefined::GroupIdZ,      "%group_id_z",       Type::UD, 1,   Some(28)),
    row(Predefined::Tsc,           "%tsc",              Type::UD, 5,   None),
    row(Predefined::R0,            "%r0",               Type::UD, 8,   Some(0)),
    row(Predefined::Arg,           "%arg",              Type::UD, 256, None),
    row(Predefined::RetVal,        "%retval",           Type::UD, 96,  None),
    row(Predefined::Sp,            "%sp",               Type::UQ, 1,   None),
    row(Predefined::Fp,            "%fp",               Type::UQ, 1,   None),
    row(Predefined::HwTid,         "%hw_id",            Type::UD, 1,   None),
    row(Predefined::Sr0,           "%sr0",              Type::UD, 4,   None),
    row(Predefined::Cr0,           "%cr0",              Type::UD, 1,   None),
    row(Predefined::Ce0,           "%ce0",              Type::UD, 1,   None),
    row(Predefined::Dbg0,          "%dbg0",             Type::UD, 2,   None),
    row(Predefined::Color,         "%color",            Type::UW, 1,   None),
    row(Predefined::ImplArgBufPtr, "%impl_arg_buf_ptr", Type::UQ, 1,   None),
    row(Predefined::LocalIdBufPtr, "%local_id_buf_ptr", Type::UQ, 1,   None),
    row(Predefined::Msg0,          "%msg0",             Type::UD, 3,   None),
    row(Predefined::ScratchLoc,    "%scratchloc",       Type::UQ, 1,   None),
];
