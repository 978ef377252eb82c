//! What a message means, read off its descriptors: the comment behind a `send` in a listing, and the
//! address fields of the JSON form.
//!
//! Sources: "Shared Functions" in volume 7 of the Programmer's Reference Manuals for the descriptors'
//! fields; the wording is the reference disassembler's. One submodule per group of shared functions.

mod hdc;
pub(super) mod lsc;
mod other;
mod query;
mod sampler;

use narrow::as_index;
use query::Query;
pub(super) use query::{Addressing, Data, Edition, Kind, Message, Surface};

use super::columns::put_decimal;
use gen_ir::{Arf, Base, Desc, Inst, Physical, Reg, SendInfo, Sfid, Src};
use messages::{Descriptor, ExtendedDescriptor, ExtendedLength};
use platforms::{Caps, Platform};

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
        Desc::Reg(reg) => Err(reg.address_dword()),
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
/// end of thread, and the length of the second payload where the word has no field for that.
pub(super) fn written_ex_desc(
    caps: &Caps,
    send: &SendInfo<Physical>,
    desc: ExtendedDescriptor,
) -> ExtendedDescriptor {
    if caps.sends.length_in_word {
        return desc;
    }
    let desc = match send.src1_len & 31 {
        0 => desc,
        length => desc.with_extended_length(ExtendedLength::of(length.into())),
    };
    if caps.sends.function_in_descriptor {
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
    let src1 = if inst.src[1] == Src::None || (caps.sends.length_in_word && is_null(inst.src[1].reg())) {
        Some(0)
    } else {
        match send.ex_desc {
            Desc::Imm(desc) if !caps.sends.length_in_word => {
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
    if caps.sends.function_in_descriptor {
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
        if let Some(name) = NAMES.get(as_index(src0 / per_coordinate)).filter(|name| !name.is_empty()) {
            text.push_str("; ");
            text.push_str(name);
        }
    }
}

/// `a0.2[10:6]`; descriptors count dwords.
fn put_field(text: &mut String, reg: Reg<Physical>, field: &str) {
    text.push_str("a0.");
    put_decimal(text, reg.address_dword().into());
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
