//! The messages of the load/store cache: a row says what a message does to memory, how its descriptor and payload are laid
//! out, its mnemonic, and its words in a listing. Scheduling, lowering, emulator, listing, JSON and assembler read it, so
//! a message in a form that is here already is its row, and what makes it in lowering.
//!
//! Sources: the reference disassembler, which has the words (iga64, `-p=12p72`, and its JSON, which is newer); Mesa's
//! `brw_eu_defines.h` (`enum lsc_opcode`).

use crate::{Effect, Operation};

/// Layout of a message: which descriptor, and what stands in the payload and the response.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LscForm {
    /// [`Untyped`](super::Untyped): an address a lane, a vector of elements behind each.
    Vector,
    /// [`Untyped`](super::Untyped): a base and a pitch for all lanes.
    Strided,
    /// [`Quad`](super::Quad): an address a lane, channels by a mask.
    Quad,
    /// The same, and a status comes back.
    QuadStatus,
    /// The same in a render target of several samples a pixel.
    MultiSampleQuad,
    /// [`Block2d`](super::Block2d).
    Block2d,
    /// [`Untyped`](super::Untyped): whether addresses can be read.
    Status,
    /// [`Untyped`](super::Untyped): an address a lane, and the operands of what is computed.
    Atomic(Operation),
    /// The same with bfloats.
    BfloatAtomic(Operation),
    /// The same on a counter of the surface.
    Counter(Operation),
    /// [`Fence`](super::Fence).
    Fence,
    /// A surface's state comes back.
    State,
    /// Changes how memory is compressed ([`Compression`](super::Compression)).
    Compression,
    /// Cache control beyond the fence.
    CacheControl,
}

/// What is known of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LscMessage {
    /// What it does.
    pub effect: Effect,
    /// Its layout.
    pub form: LscForm,
    /// Its mnemonic in the load/store notation; empty where it has none.
    pub mnemonic: &'static str,
    /// Its words in a listing; empty where it has none.
    pub words: &'static str,
    /// Only newer editions of the reference disassembler name it.
    pub newer: bool,
}

impl LscMessage {
    const fn newer(self) -> LscMessage {
        LscMessage { newer: true, ..self }
    }
}

const fn other(effect: Effect, form: LscForm, mnemonic: &'static str, words: &'static str) -> LscMessage {
    LscMessage { effect, form, mnemonic, words, newer: false }
}

const fn load(form: LscForm, mnemonic: &'static str, words: &'static str) -> LscMessage {
    other(Effect::Load, form, mnemonic, words)
}

const fn store(form: LscForm, mnemonic: &'static str, words: &'static str) -> LscMessage {
    other(Effect::Store, form, mnemonic, words)
}

const fn atomic(form: LscForm, mnemonic: &'static str, words: &'static str) -> LscMessage {
    other(Effect::Atomic, form, mnemonic, words)
}

#[rustfmt::skip]
rows! {
    /// What a message does.
    pub enum Op: LscMessage {
        /// Load.
        Load = 0x00: load(LscForm::Vector, "load", "gathering load"),
        /// Load, addresses a pitch apart.
        LoadStrided = 0x01: load(LscForm::Strided, "load_strided", "strided load (a.k.a load_block)"),
        /// Load of channels by a mask.
        LoadQuad = 0x02: load(LscForm::Quad, "load_quad", "quad load (a.k.a. load_cmask)"),
        /// Load of a rectangle.
        LoadBlock2d = 0x03: load(LscForm::Block2d, "load_block2d", "block2d load"),
        /// Store.
        Store = 0x04: store(LscForm::Vector, "store", "scattering store"),
        /// Store, addresses a pitch apart.
        StoreStrided = 0x05: store(LscForm::Strided, "store_strided", "strided store (a.k.a store_block)"),
        /// Store of channels by a mask.
        StoreQuad = 0x06: store(LscForm::Quad, "store_quad", "quad store (a.k.a. store_cmask)"),
        /// Store of a rectangle.
        StoreBlock2d = 0x07: store(LscForm::Block2d, "store_block2d", "block2d store"),
        /// Increment.
        AtomicInc = 0x08: atomic(LscForm::Atomic(Operation::Inc), "atomic_iinc", "atomic integer increment"),
        /// Decrement.
        AtomicDec = 0x09: atomic(LscForm::Atomic(Operation::Dec), "atomic_idec", "atomic integer decrement"),
        /// Atomic load.
        AtomicLoad = 0x0a: atomic(LscForm::Atomic(Operation::Load), "atomic_load", "atomic load"),
        /// Atomic store (exchange).
        AtomicStore = 0x0b: atomic(LscForm::Atomic(Operation::Store), "atomic_store", "atomic store"),
        /// Add.
        AtomicAdd = 0x0c: atomic(LscForm::Atomic(Operation::Add), "atomic_iadd", "atomic integer add"),
        /// Subtract.
        AtomicSub = 0x0d: atomic(LscForm::Atomic(Operation::Sub), "atomic_isub", "atomic integer subtract"),
        /// Signed minimum.
        AtomicSmin = 0x0e: atomic(LscForm::Atomic(Operation::SMin), "atomic_smin", "atomic signed-integer minimum"),
        /// Signed maximum.
        AtomicSmax = 0x0f: atomic(LscForm::Atomic(Operation::SMax), "atomic_smax", "atomic signed-integer maximum"),
        /// Unsigned minimum.
        AtomicUmin = 0x10: atomic(LscForm::Atomic(Operation::UMin), "atomic_umin", "atomic unsigned-integer minimum"),
        /// Unsigned maximum.
        AtomicUmax = 0x11: atomic(LscForm::Atomic(Operation::UMax), "atomic_umax", "atomic unsigned-integer maximum"),
        /// Compare and swap.
        AtomicCas = 0x12: atomic(LscForm::Atomic(Operation::Cas), "atomic_icas", "atomic integer compare and swap"),
        /// Add floats.
        AtomicFadd = 0x13: atomic(LscForm::Atomic(Operation::FAdd), "atomic_fadd", "atomic float add"),
        /// Subtract floats.
        AtomicFsub = 0x14: atomic(LscForm::Atomic(Operation::FSub), "atomic_fsub", "atomic float subtract"),
        /// Minimum of floats.
        AtomicFmin = 0x15: atomic(LscForm::Atomic(Operation::FMin), "atomic_fmin", "atomic float minimum"),
        /// Maximum of floats.
        AtomicFmax = 0x16: atomic(LscForm::Atomic(Operation::FMax), "atomic_fmax", "atomic float maximum"),
        /// Compare and swap floats.
        AtomicFcas = 0x17: atomic(LscForm::Atomic(Operation::FCas), "atomic_fcas", "atomic float compare and swap"),
        /// And.
        AtomicAnd = 0x18: atomic(LscForm::Atomic(Operation::And), "atomic_and", "atomic logical and"),
        /// Or.
        AtomicOr = 0x19: atomic(LscForm::Atomic(Operation::Or), "atomic_or", "atomic logical or"),
        /// Exclusive or.
        AtomicXor = 0x1a: atomic(LscForm::Atomic(Operation::Xor), "atomic_xor", "atomic logical xor"),
        /// Whether addresses can be read.
        LoadStatus = 0x1b: load(LscForm::Status, "load_status", "load status"),
        /// Store without compression.
        StoreUncompressed = 0x1c: store(LscForm::Vector, "store_uncompressed", "scattering store uncompressed"),
        /// Changes how memory is compressed.
        CompressionControl = 0x1d: other(Effect::Other, LscForm::Compression, "ccs", "compression-state control"),
        /// Reads a surface's state.
        ReadState = 0x1e: other(Effect::Load, LscForm::State, "read_state", "read state information"),
        /// Fence.
        Fence = 0x1f: other(Effect::Order, LscForm::Fence, "fence", "fence"),
        /// Store of channels by a mask, without compression.
        StoreUncompressedQuad = 0x20: store(LscForm::Quad, "store_uncompressed_quad", "store quad uncompressed"),
        /// Add bfloats.
        AtomicBfadd = 0x21: atomic(LscForm::BfloatAtomic(Operation::FAdd), "", ""),
        /// Subtract bfloats.
        AtomicBfsub = 0x22: atomic(LscForm::BfloatAtomic(Operation::FSub), "", ""),
        /// Minimum of bfloats.
        AtomicBfmin = 0x23: atomic(LscForm::BfloatAtomic(Operation::FMin), "", ""),
        /// Maximum of bfloats.
        AtomicBfmax = 0x24: atomic(LscForm::BfloatAtomic(Operation::FMax), "", ""),
        /// Compare and swap bfloats.
        AtomicBfcas = 0x25: atomic(LscForm::BfloatAtomic(Operation::FCas), "", ""),
        /// Adds to a counter that appends.
        AtomicAppendAdd = 0x28: atomic(LscForm::Counter(Operation::Add), "atomic_acadd", "atomic counter append add").newer(),
        /// Subtracts from a counter that appends.
        AtomicAppendSub = 0x29: atomic(LscForm::Counter(Operation::Sub), "atomic_acsub", "atomic counter append sub").newer(),
        /// Stores to a counter that appends.
        AtomicAppendStore = 0x2a: atomic(LscForm::Counter(Operation::Store), "atomic_acstore", "atomic counter append store").newer(),
        /// Load of channels from a multi-sample render target.
        LoadQuadMsrt = 0x31: load(LscForm::MultiSampleQuad, "load_quad_msrt", "load quad from multi-sample render target").newer(),
        /// Store of channels to a multi-sample render target.
        StoreQuadMsrt = 0x32: store(LscForm::MultiSampleQuad, "store_quad_msrt", "store quad to multi-sample render target").newer(),
        /// Cache control beyond the fence.
        ExtendedCacheControl = 0x33: other(Effect::Other, LscForm::CacheControl, "", ""),
        /// Load of channels by a mask, with a status.
        LoadQuadStatus = 0x36: load(LscForm::QuadStatus, "", ""),
    }
}

impl Op {
    /// Whether channels are chosen by a mask.
    pub const fn is_quad(self) -> bool {
        matches!(self.row().form, LscForm::Quad | LscForm::QuadStatus | LscForm::MultiSampleQuad)
    }

    /// Whether a rectangle is moved.
    pub const fn is_block2d(self) -> bool {
        matches!(self.row().form, LscForm::Block2d)
    }

    /// What the message does to memory, if it accesses that and does nothing else: plain loads and stores, atomics left out.
    pub const fn plain_effect(self) -> Option<Effect> {
        let row = self.row();
        match row.form {
            LscForm::Vector | LscForm::Strided | LscForm::Quad | LscForm::Block2d => Some(row.effect),
            _ => None,
        }
    }

    /// What an atomic computes, of integers and floats.
    pub const fn operation(self) -> Option<Operation> {
        match self.row().form {
            LscForm::Atomic(operation) => Some(operation),
            _ => None,
        }
    }
}
