//! What a message means, read off its descriptors: the comment behind a `send` in a listing, and the
//! address fields of the JSON form.
//!
//! Sources: "Shared Functions" in volume 7 of the Programmer's Reference Manuals for the descriptors'
//! fields; the wording is the reference disassembler's. One submodule per group of shared functions.

mod hdc;
pub(super) mod lsc;
mod other;
mod sampler;

use super::columns::put_decimal;
use gen_ir::{Arf, Base, Desc, Inst, Physical, Reg, SendInfo, Sfid, Src};
use messages::{Descriptor, ExtendedDescriptor, ExtendedLength};
use platforms::{Caps, Layout, Platform};

/// How a message names the memory it goes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Addressing {
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
pub(super) enum Surface {
    /// A number: binding table index or state offset.
    Imm(u32),
    /// Dword subregister of `a0`.
    Addr(u32),
}

/// What a message does with memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// Reads.
    Load,
    /// Writes.
    Store,
    /// Reads and writes.
    Atomic,
    /// Something else.
    Other,
}

/// The data of a load, store or atomic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Data {
    /// What happens to it.
    pub(super) kind: Kind,
    /// Bits an element takes in a register.
    pub(super) bits: u32,
    /// Elements for each address.
    pub(super) elements: u32,
    /// Elements of one address stand side by side in registers.
    pub(super) transposed: bool,
    /// Compare and swap: two sources in the data payload.
    pub(super) pair: bool,
}

impl Data {
    /// No data.
    const NONE: Data = Data { kind: Kind::Other, bits: 0, elements: 0, transposed: false, pair: false };

    /// `elements` elements for each address, one register after the other.
    const fn new(kind: Kind, bits: u32, elements: u32) -> Data {
        Data { kind, bits, elements, transposed: false, pair: false }
    }

    /// `elements` elements side by side.
    const fn block(kind: Kind, bits: u32, elements: u32) -> Data {
        Data { kind, bits, elements, transposed: true, pair: false }
    }
}

/// A decoded message.
#[derive(Clone, Debug)]
pub(super) struct Message {
    /// In words; empty when unknown.
    pub(super) description: String,
    /// In the load/store notation (`load.ugm.d32.a64`), for messages that have it.
    pub(super) syntax: Option<String>,
    /// The surface in that notation (`bti[3]`), which ends [`Message::syntax`]; empty when flat.
    pub(super) surface_text: String,
    /// Whether assembly may write the whole instruction in that notation.
    pub(super) notation: bool,
    /// How memory is named.
    pub(super) addressing: Addressing,
    /// Which surface.
    pub(super) surface: Surface,
    /// Byte offset added to addresses.
    pub(super) offset: u32,
    /// Whether addresses are texel coordinates (u, v, r, level of detail).
    pub(super) coordinates: bool,
    /// Channels.
    pub(super) lanes: u32,
    /// Bits of an address.
    pub(super) addr_bits: u32,
    /// Data.
    pub(super) data: Data,
    /// Whether every field holds something the message allows.
    pub(super) valid: bool,
}

/// Whose wording: the listing is that of the reference tool's release that prints JSON 1.0; the release
/// that prints JSON 2.0 reads some descriptors differently.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Edition {
    /// The text listing.
    Listing,
    /// JSON 2.0.
    Json,
}

impl Message {
    /// Mnemonic and controls, and surface, of a message that is written as a load or store.
    pub(super) fn load_store(&self) -> Option<(&str, &str)> {
        let whole = self.syntax.as_deref().filter(|_| self.notation)?;
        let head = whole.strip_suffix(&self.surface_text)?;
        Some((if self.surface_text.is_empty() { head } else { head.strip_suffix('.')? }, &self.surface_text))
    }
}

/// The descriptors of a message and what else its meaning depends on.
#[derive(Clone, Copy)]
struct Query {
    edition: Edition,
    caps: &'static Caps,
    sfid: Sfid,
    lanes: u32,
    desc: Descriptor,
    /// An immediate, or the dword of `a0` that holds it.
    ex_desc: Result<ExtendedDescriptor, u32>,
}

impl Query {
    /// The descriptor as a kind of message.
    fn as_kind<T: From<Descriptor>>(&self) -> T {
        T::from(self.desc)
    }

    /// Channels that fill two registers with dwords (Xe-HPC) or a message of double width.
    fn full_lanes(&self) -> u32 {
        2 * u32::from(self.caps.memory.simd_message)
    }

    /// Whether the newer wording is asked for.
    fn newer(&self) -> bool {
        self.edition == Edition::Json
    }

    fn xe(&self) -> bool {
        self.caps.words.layout() == Layout::Xe
    }

    fn empty(&self) -> Message {
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

    fn invalid(&self) -> Message {
        Message { valid: false, ..self.empty() }
    }
}

/// Decodes the message of a `send`; `None` when its descriptor is in a register.
pub(super) fn decode(
    edition: Edition,
    platform: Platform,
    inst: &Inst<Physical>,
    send: &SendInfo<Physical>,
) -> Option<Message> {
    match send.desc {
        Desc::Imm(desc) => Some(decode_as(edition, platform, inst, send, desc)),
        Desc::Reg(_) => None,
    }
}

/// Decodes the message of a `send` as if its descriptor held `desc`.
pub(super) fn decode_as(
    edition: Edition,
    platform: Platform,
    inst: &Inst<Physical>,
    send: &SendInfo<Physical>,
    desc: Descriptor,
) -> Message {
    let caps = platform.caps();
    let ex_desc = match send.ex_desc {
        Desc::Imm(desc) => Ok(written_ex_desc(caps, send, desc)),
        Desc::Reg(reg) => Err(reg.byte / 4),
    };
    let q = Query { edition, caps, sfid: send.sfid, lanes: inst.exec.lanes(), desc, ex_desc };
    match send.sfid {
        Sfid::DcRo => hdc::data_cache_read_only(&q),
        Sfid::Dc0 => hdc::data_cache_0(&q),
        Sfid::Dc1 => hdc::data_cache_1(&q),
        Sfid::Ugm | Sfid::Ugml | Sfid::Slm | Sfid::Tgm => lsc::decode(&q),
        Sfid::Gateway => other::gateway(&q),
        Sfid::Render => other::render(&q),
        Sfid::Sampler => sampler::decode(&q),
        Sfid::Spawner => other::spawner(&q),
        Sfid::Urb => other::urb(&q),
        Sfid::Rta => other::ray_tracing(&q),
        Sfid::Btd => other::thread_dispatch(&q),
        _ => q.invalid(),
    }
}

/// An immediate extended descriptor as assembly writes it: on Gen8 to Gen11 it holds the shared function and the
/// end of thread, before Xe-HPC the length of the second payload.
pub(super) fn written_ex_desc(
    caps: &Caps,
    send: &SendInfo<Physical>,
    desc: ExtendedDescriptor,
) -> ExtendedDescriptor {
    if caps.memory.lsc {
        return desc;
    }
    let desc = match send.src1_len & 31 {
        0 => desc,
        length => desc.with_extended_length(ExtendedLength::of(length.into())),
    };
    if caps.words.layout() == Layout::Gen8 {
        desc.with_target_function(send.sfid.number()).with_end_of_thread(send.eot)
    } else {
        desc
    }
}

/// The GRFs an instruction's message takes and gives; `None` where a register holds the number.
pub(super) struct Lengths {
    /// Address payload.
    pub(super) src0: Option<u32>,
    /// Data payload.
    pub(super) src1: Option<u32>,
    /// Response.
    pub(super) dst: Option<u32>,
}

fn is_null(reg: Option<Reg<Physical>>) -> bool {
    reg.is_some_and(|r| matches!(r.base(), Base::Arf(Arf::Null)))
}

/// The payload lengths of a `send`, as far as the instruction tells.
pub(super) fn lengths(
    caps: &Caps,
    inst: &Inst<Physical>,
    send: &SendInfo<Physical>,
    ex_bso: bool,
) -> Lengths {
    let (src0, dst) = match send.desc {
        Desc::Imm(desc) => {
            (Some(desc.message_length().registers().into()), Some(desc.response_length().registers().into()))
        }
        Desc::Reg(_) => {
            let zero = |reg| is_null(reg).then_some(0);
            (zero(inst.src[0].reg()), zero(inst.dst.reg()))
        }
    };
    // A null payload has no length, whatever the word says where it holds one.
    let src1 = if inst.src[1] == Src::None || (caps.memory.lsc && is_null(inst.src[1].reg())) {
        Some(0)
    } else {
        match send.ex_desc {
            Desc::Imm(desc) if !caps.memory.lsc => {
                Some(written_ex_desc(caps, send, desc).extended_length().registers().into())
            }
            Desc::Reg(_) if !ex_bso => is_null(inst.src[1].reg()).then_some(0),
            _ => Some(send.src1_len.into()),
        }
    };
    Lengths { src0, src1, dst }
}

/// Writes the comment: lengths, the shared function where the mnemonic does not say it, the meaning.
pub(super) fn put_comment(
    text: &mut String,
    platform: Platform,
    inst: &Inst<Physical>,
    send: &SendInfo<Physical>,
) {
    let caps = platform.caps();
    let lens = lengths(caps, inst, send, inst.opts.has(gen_ir::Options::EX_BSO));
    let put =
        |text: &mut String, len: Option<u32>, desc: Option<Reg<Physical>>, field: &str| match (len, desc) {
            (Some(n), _) => put_decimal(text, n.into()),
            (None, Some(reg)) => put_field(text, reg, field),
            (None, None) => text.push('?'),
        };
    text.push_str("wr:");
    put(text, lens.src0, send.desc.reg(), "[28:25]");
    if let Desc::Imm(desc) = send.desc
        && send.sfid.may_have_header()
        && desc.header_present()
    {
        text.push('h');
    }
    text.push('+');
    put(text, lens.src1, send.ex_desc.reg(), "[10:6]");
    text.push_str(", rd:");
    match send.desc {
        Desc::Imm(_) => put(text, lens.dst, send.desc.reg(), ""),
        Desc::Reg(reg) => put_field(text, reg, "[24:20]"),
    }
    if caps.words.layout() == Layout::Gen8 {
        match send.ex_desc {
            Desc::Reg(reg) => {
                text.push_str("; sfid ");
                put_field(text, reg, "[3:0]");
            }
            Desc::Imm(_) => {
                text.push_str("; ");
                text.push_str(function_name(caps, send.sfid));
            }
        }
    }
    let Some(message) = decode(Edition::Listing, platform, inst, send) else { return };
    text.push_str("; ");
    match &message.syntax {
        Some(syntax) => text.push_str(syntax),
        None if message.description.is_empty() => text.push('?'),
        None => text.push_str(&message.description),
    }
    if message.coordinates
        && let Some(src0) = lens.src0.filter(|&n| n > 0)
    {
        let per_coordinate =
            (message.lanes * message.addr_bits / (u32::from(caps.regs.grf_bytes) * 8)).max(1);
        const NAMES: [&str; 5] = ["", "u", "u,v", "u,v,r", "u,v,r,lod"];
        if let Some(name) = NAMES.get((src0 / per_coordinate) as usize).filter(|name| !name.is_empty()) {
            text.push_str("; ");
            text.push_str(name);
        }
    }
}

/// `a0.2[10:6]`; descriptors count dwords.
fn put_field(text: &mut String, reg: Reg<Physical>, field: &str) {
    text.push_str("a0.");
    put_decimal(text, (reg.byte / 4).into());
    text.push_str(field);
}

/// The name of a shared function before Xe, where the mnemonic does not have it.
fn function_name(caps: &Caps, sfid: Sfid) -> &'static str {
    let old = !caps.sends.split;
    match sfid.number() {
        0 => "null",
        2 => "sampler",
        3 => "gateway",
        4 if old => "sampler",
        4 => "hdc.dc2",
        5 => "hdc.rc",
        6 => "hdc.urb",
        7 => "spawner",
        8 => "vme",
        9 if old => "hdc.ccdp",
        9 => "hdc.dcro",
        10 => "hdc.dc0",
        11 => "pi",
        12 => "hdc.dc1",
        13 => "cre",
        _ => "?",
    }
}
