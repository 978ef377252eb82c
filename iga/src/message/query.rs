//! A message as its descriptors say it, and what they are asked.

use gen_ir::Sfid;
use messages::{Descriptor, Effect, ExtendedDescriptor};
use platforms::Caps;

/// How a message names the memory it goes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Addressing {
    /// Not memory.
    None,
    /// The whole address space, or shared local memory.
    Flat,
    /// Bindless surface state.
    Bss,
    /// Surface state.
    Ss,
    /// Binding table index.
    Bti,
}

/// The surface of a stateful message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Surface {
    /// A number: binding table index or state offset.
    Imm(u32),
    /// Dword subregister of `a0`.
    Addr(u32),
}

/// What a message does with memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// Reads.
    Load,
    /// Writes.
    Store,
    /// Reads and writes.
    Atomic,
    /// Something else.
    Other,
}

impl Kind {
    /// What the listing calls what a message does.
    pub(crate) const fn of(effect: Effect) -> Kind {
        match effect {
            Effect::Load => Kind::Load,
            Effect::Store => Kind::Store,
            Effect::Atomic => Kind::Atomic,
            Effect::Order | Effect::Other => Kind::Other,
        }
    }
}

/// The data of a load, store or atomic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Data {
    /// What happens to it.
    pub(crate) kind: Kind,
    /// Bits an element takes in a register.
    pub(crate) bits: u32,
    /// Elements for each address.
    pub(crate) elements: u32,
    /// Elements of one address stand side by side in registers.
    pub(crate) transposed: bool,
    /// Compare and swap: two sources in the data payload.
    pub(crate) pair: bool,
}

impl Data {
    /// No data.
    pub(crate) const NONE: Data =
        Data { kind: Kind::Other, bits: 0, elements: 0, transposed: false, pair: false };

    /// `elements` elements for each address, one register after the other.
    pub(crate) const fn new(kind: Kind, bits: u32, elements: u32) -> Data {
        Data { kind, bits, elements, transposed: false, pair: false }
    }

    /// `elements` elements side by side.
    pub(crate) const fn block(kind: Kind, bits: u32, elements: u32) -> Data {
        Data { kind, bits, elements, transposed: true, pair: false }
    }
}

/// A decoded message.
#[derive(Clone, Debug)]
pub(crate) struct Message {
    /// In words; empty when unknown.
    pub(crate) description: String,
    /// In the load/store notation (`load.ugm.d32.a64`), for messages that have it.
    pub(crate) syntax: Option<String>,
    /// The surface in that notation (`bti[3]`), which ends [`Message::syntax`]; empty when flat.
    pub(crate) surface_text: String,
    /// Whether assembly may write the whole instruction in that notation.
    pub(crate) notation: bool,
    /// How memory is named.
    pub(crate) addressing: Addressing,
    /// Which surface.
    pub(crate) surface: Surface,
    /// Byte offset added to addresses.
    pub(crate) offset: u32,
    /// Whether addresses are texel coordinates (u, v, r, level of detail).
    pub(crate) coordinates: bool,
    /// Channels.
    pub(crate) lanes: u32,
    /// Bits of an address.
    pub(crate) addr_bits: u32,
    /// Data.
    pub(crate) data: Data,
    /// Whether every field holds something the message allows.
    pub(crate) valid: bool,
}

/// Whose wording: the listing is that of the reference tool's release that prints JSON 1.0; the release
/// that prints JSON 2.0 reads some descriptors differently.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Edition {
    /// The text listing.
    Listing,
    /// JSON 2.0.
    Json,
}

impl Message {
    /// Mnemonic and controls, and surface, of a message that is written as a load or store.
    pub(crate) fn load_store(&self) -> Option<(&str, &str)> {
        let whole = self.syntax.as_deref().filter(|_| self.notation)?;
        let head = whole.strip_suffix(&self.surface_text)?;
        Some((if self.surface_text.is_empty() { head } else { head.strip_suffix('.')? }, &self.surface_text))
    }
}

/// The descriptors of a message and what else its meaning depends on.
#[derive(Clone, Copy)]
pub(super) struct Query {
    pub(crate) edition: Edition,
    pub(crate) caps: &'static Caps,
    pub(crate) sfid: Sfid,
    pub(crate) lanes: u32,
    pub(crate) desc: Descriptor,
    /// An immediate, or the dword of `a0` that holds it.
    pub(crate) ex_desc: Result<ExtendedDescriptor, u32>,
}

impl Query {
    /// The descriptor as a kind of message.
    pub(crate) fn as_kind<T: From<Descriptor>>(&self) -> T {
        T::from(self.desc)
    }

    /// Channels that fill two registers with dwords (Xe-HPC) or a message of double width.
    pub(crate) fn full_lanes(&self) -> u32 {
        2 * u32::from(self.caps.regs.native_lanes())
    }

    /// Whether the newer wording is asked for.
    pub(crate) fn newer(&self) -> bool {
        self.edition == Edition::Json
    }

    pub(crate) fn empty(&self) -> Message {
        Message {
            description: String::new(),
            syntax: None,
            surface_text: String::new(),
            notation: false,
            addressing: Addressing::Flat,
            surface: Surface::Imm(0),
            offset: 0,
            coordinates: false,
            lanes: self.lanes,
            addr_bits: 0,
            data: Data::NONE,
            valid: true,
        }
    }

    pub(crate) fn invalid(&self) -> Message {
        Message { valid: false, ..self.empty() }
    }
}
