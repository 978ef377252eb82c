//! Vocabulary of the load/store-cache instructions (spec `LSC_UNTYPED`, `LSC_TYPED`, `LSC_FENCE`).

use crate::types::raw_enum;

raw_enum! {
    /// Operation (the sub-opcode).
    LscOp {
        /// Load.
        Load = 0x00 => "lsc_load",
        /// Load with a uniform pitch between lanes.
        LoadStrided = 0x01 => "lsc_load_strided",
        /// Load of a channel subset.
        LoadQuad = 0x02 => "lsc_load_quad",
        /// Load of a two-dimensional block.
        LoadBlock2d = 0x03 => "lsc_load_block2d",
        /// Store.
        Store = 0x04 => "lsc_store",
        /// Store with a uniform pitch between lanes.
        StoreStrided = 0x05 => "lsc_store_strided",
        /// Store of a channel subset.
        StoreQuad = 0x06 => "lsc_store_quad",
        /// Store of a two-dimensional block.
        StoreBlock2d = 0x07 => "lsc_store_block2d",
        /// Integer increment.
        AtomicIinc = 0x08 => "lsc_atomic_iinc",
        /// Integer decrement.
        AtomicIdec = 0x09 => "lsc_atomic_idec",
        /// Atomic load.
        AtomicLoad = 0x0a => "lsc_atomic_load",
        /// Atomic store (exchange).
        AtomicStore = 0x0b => "lsc_atomic_store",
        /// Integer add.
        AtomicIadd = 0x0c => "lsc_atomic_iadd",
        /// Integer subtract.
        AtomicIsub = 0x0d => "lsc_atomic_isub",
        /// Signed minimum.
        AtomicSmin = 0x0e => "lsc_atomic_smin",
        /// Signed maximum.
        AtomicSmax = 0x0f => "lsc_atomic_smax",
        /// Unsigned minimum.
        AtomicUmin = 0x10 => "lsc_atomic_umin",
        /// Unsigned maximum.
        AtomicUmax = 0x11 => "lsc_atomic_umax",
        /// Integer compare and swap.
        AtomicIcas = 0x12 => "lsc_atomic_icas",
        /// Float add.
        AtomicFadd = 0x13 => "lsc_atomic_fadd",
        /// Float subtract.
        AtomicFsub = 0x14 => "lsc_atomic_fsub",
        /// Float minimum.
        AtomicFmin = 0x15 => "lsc_atomic_fmin",
        /// Float maximum.
        AtomicFmax = 0x16 => "lsc_atomic_fmax",
        /// Float compare and swap.
        AtomicFcas = 0x17 => "lsc_atomic_fcas",
        /// And.
        AtomicAnd = 0x18 => "lsc_atomic_and",
        /// Or.
        AtomicOr = 0x19 => "lsc_atomic_or",
        /// Exclusive or.
        AtomicXor = 0x1a => "lsc_atomic_xor",
        /// Load of page status.
        LoadStatus = 0x1b => "lsc_load_status",
        /// Uncompressed store.
        StoreUncompressed = 0x1c => "lsc_store_uncompressed",
        /// Compression status update.
        CcsUpdate = 0x1d => "lsc_ccs_update",
        /// Read of surface state information.
        ReadStateInfo = 0x1e => "lsc_read_state_info",
        /// Fence.
        Fence = 0x1f => "lsc_fence",
        /// Bfloat16 add.
        AtomicBfadd = 0x21 => "lsc_atomic_bfadd",
        /// Bfloat16 subtract.
        AtomicBfsub = 0x22 => "lsc_atomic_bfsub",
        /// Bfloat16 minimum.
        AtomicBfmin = 0x23 => "lsc_atomic_bfmin",
        /// Bfloat16 maximum.
        AtomicBfmax = 0x24 => "lsc_atomic_bfmax",
        /// Bfloat16 compare and swap.
        AtomicBfcas = 0x25 => "lsc_atomic_bfcas",
        /// Append counter add.
        ApndctrAtomicAdd = 0x28 => "lsc_apndctr_atomic_add",
        /// Append counter subtract.
        ApndctrAtomicSub = 0x29 => "lsc_apndctr_atomic_sub",
        /// Append counter store.
        ApndctrAtomicStore = 0x2a => "lsc_apndctr_atomic_store",
        /// Multi-sample channel subset load.
        LoadQuadMsrt = 0x31 => "lsc_load_quad_msrt",
        /// Multi-sample channel subset store.
        StoreQuadMsrt = 0x32 => "lsc_store_quad_msrt",
        /// Extended cache control.
        ExtendedCacheCtrl = 0x33 => "lsc_extended_cache_ctrl",
        /// Channel subset load with page status.
        LoadQuadStatus = 0x36 => "lsc_load_quad_status",
    }
}

/// What an operation does with memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LscKind {
    /// Reads.
    Load,
    /// Writes.
    Store,
    /// Reads, computes and writes.
    Atomic,
    /// None of these.
    Other,
}

impl LscOp {
    /// What the operation does with memory.
    pub const fn kind(self) -> LscKind {
        match self {
            LscOp::Load
            | LscOp::LoadStrided
            | LscOp::LoadQuad
            | LscOp::LoadBlock2d
            | LscOp::LoadStatus
            | LscOp::LoadQuadMsrt
            | LscOp::LoadQuadStatus => LscKind::Load,
            LscOp::Store
            | LscOp::StoreStrided
            | LscOp::StoreQuad
            | LscOp::StoreBlock2d
            | LscOp::StoreUncompressed
            | LscOp::StoreQuadMsrt => LscKind::Store,
            LscOp::CcsUpdate | LscOp::ReadStateInfo | LscOp::Fence | LscOp::ExtendedCacheCtrl => {
                LscKind::Other
            }
            _ => LscKind::Atomic,
        }
    }

    /// Whether data come back: what is loaded, or what an atomic operation finds. In text they stand before the address.
    pub const fn returns_data(self) -> bool {
        !matches!(self.kind(), LscKind::Store) && !matches!(self, LscOp::CcsUpdate)
    }

    /// Data are chosen by a channel mask rather than a vector length.
    pub const fn has_channel_mask(self) -> bool {
        matches!(self, LscOp::LoadQuad | LscOp::StoreQuad | LscOp::LoadQuadMsrt | LscOp::StoreQuadMsrt)
    }

    /// The address is a base and a uniform pitch.
    pub const fn is_strided(self) -> bool {
        matches!(self, LscOp::LoadStrided | LscOp::StoreStrided)
    }

    /// Data operands of an atomic besides the address: 0, 1 or 2.
    pub const fn atomic_sources(self) -> u32 {
        match self {
            LscOp::AtomicIinc | LscOp::AtomicIdec | LscOp::AtomicLoad => 0,
            LscOp::AtomicIcas | LscOp::AtomicFcas | LscOp::AtomicBfcas => 2,
            _ => 1,
        }
    }
}

raw_enum! {
    /// Shared function that a message goes to.
    LscSfid {
        /// Untyped global memory.
        Ugm = 0 => "ugm",
        /// Untyped global memory, low bandwidth.
        Ugml = 1 => "ugml",
        /// Typed global memory.
        Tgm = 2 => "tgm",
        /// Shared local memory.
        Slm = 3 => "slm",
        /// Unified return buffer.
        Urb = 4 => "urb",
    }
}

raw_enum! {
    /// Cache control of one level.
    LscCache {
        /// As the surface says.
        Default = 0 => "df",
        /// Uncached.
        Uncached = 1 => "uc",
        /// Cached.
        Cached = 2 => "ca",
        /// Write back.
        WriteBack = 3 => "wb",
        /// Write through.
        WriteThrough = 4 => "wt",
        /// Streaming.
        Streaming = 5 => "st",
        /// Invalidate after read.
        ReadInvalidate = 6 => "ri",
        /// Constant cached.
        ConstCached = 7 => "cc",
    }
}

raw_enum! {
    /// Address model.
    LscAddrType {
        /// Stateless.
        Flat = 1 => "flat",
        /// Bindless surface state.
        Bss = 2 => "bss",
        /// Surface state offset.
        Ss = 3 => "ss",
        /// Binding table index.
        Bti = 4 => "bti",
        /// Kernel arguments.
        Arg = 5 => "arg",
        /// Surface state pointer.
        Surf = 6 => "surf",
    }
}

raw_enum! {
    /// Width of an address.
    LscAddrSize {
        /// 16 bits.
        A16 = 1 => "a16",
        /// 32 bits.
        A32 = 2 => "a32",
        /// 64 bits.
        A64 = 3 => "a64",
        /// 32 bits, zero-extended.
        A32U = 4 => "a32u",
        /// 32 bits, sign-extended.
        A32S = 5 => "a32s",
    }
}

impl LscAddrSize {
    /// Bytes of an address in registers.
    pub const fn bytes(self) -> u32 {
        match self {
            LscAddrSize::A16 => 2,
            LscAddrSize::A64 => 8,
            LscAddrSize::A32 | LscAddrSize::A32U | LscAddrSize::A32S => 4,
        }
    }
}

raw_enum! {
    /// Size of one datum in memory and in registers.
    LscDataSize {
        /// 8 bits.
        D8 = 1 => "d8",
        /// 16 bits.
        D16 = 2 => "d16",
        /// 32 bits.
        D32 = 3 => "d32",
        /// 64 bits.
        D64 = 4 => "d64",
        /// 8 bits in memory, 32 in registers.
        D8U32 = 5 => "d8c32",
        /// 16 bits in memory, 32 in registers.
        D16U32 = 6 => "d16c32",
        /// 16 bits in memory, the high half of 32 in registers.
        D16U32H = 7 => "d16c32h",
    }
}

impl LscDataSize {
    /// Bytes in memory.
    pub const fn memory_bytes(self) -> u32 {
        match self {
            LscDataSize::D8 | LscDataSize::D8U32 => 1,
            LscDataSize::D16 | LscDataSize::D16U32 | LscDataSize::D16U32H => 2,
            LscDataSize::D32 => 4,
            LscDataSize::D64 => 8,
        }
    }

    /// Bytes in registers.
    pub const fn register_bytes(self) -> u32 {
        match self {
            LscDataSize::D8 => 1,
            LscDataSize::D16 => 2,
            LscDataSize::D64 => 8,
            _ => 4,
        }
    }
}

raw_enum! {
    /// Data per address.
    LscElems {
        /// One.
        X1 = 1 => "",
        /// Two.
        X2 = 2 => "x2",
        /// Three.
        X3 = 3 => "x3",
        /// Four.
        X4 = 4 => "x4",
        /// Eight.
        X8 = 5 => "x8",
        /// Sixteen.
        X16 = 6 => "x16",
        /// Thirty-two.
        X32 = 7 => "x32",
        /// Sixty-four.
        X64 = 8 => "x64",
    }
}

impl LscElems {
    /// How many.
    pub const fn count(self) -> u32 {
        match self {
            LscElems::X1 => 1,
            LscElems::X2 => 2,
            LscElems::X3 => 3,
            LscElems::X4 => 4,
            LscElems::X8 => 8,
            LscElems::X16 => 16,
            LscElems::X32 => 32,
            LscElems::X64 => 64,
        }
    }
}

raw_enum! {
    /// Whether data are stored lane by lane.
    LscOrder {
        /// Structure of arrays.
        NonTranspose = 1 => "",
        /// Array of structures.
        Transpose = 2 => "t",
    }
}

raw_enum! {
    /// What a fence does to caches.
    LscFenceOp {
        /// Nothing.
        None = 0 => "none",
        /// Dirty lines are evicted and invalidated.
        Evict = 1 => "evict",
        /// Clean lines are invalidated.
        Invalidate = 2 => "invalidate",
        /// Dirty lines are written and dropped.
        Discard = 3 => "discard",
        /// Dirty lines are written.
        Clean = 4 => "clean",
        /// L3 is flushed.
        FlushL3 = 5 => "flushl3",
        /// Type 6.
        Type6 = 6 => "type6",
    }
}

raw_enum! {
    /// How far a fence reaches.
    LscScope {
        /// The thread group.
        Group = 0 => "group",
        /// The local subslice.
        Local = 1 => "local",
        /// The tile.
        Tile = 2 => "tile",
        /// The GPU.
        Gpu = 3 => "gpu",
        /// All GPUs.
        Gpus = 4 => "gpus",
        /// System release.
        SysRel = 5 => "sysrel",
        /// System acquire.
        SysAcq = 6 => "sysacq",
    }
}
