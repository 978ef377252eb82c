//! Messages to the shared functions: one file per family.
//!
//! Facts about descriptors come from PRM volume 7 ("Data port", "Sampler", "Gateway") and from IGA's
//! message decoder. A family's function reads the payload through [`Mail`], which knows where payload
//! registers lie, checks lengths, and reports what is out of bounds or undefined.

mod ask;
pub(crate) mod atomic;
mod block;
mod gateway;
mod lsc;
mod mail;
mod render;
pub(crate) mod sampler;
mod scatter;
pub(crate) mod typed;

use ask::ask;
pub(crate) use mail::{Cx, Mail, Place, SCRATCH_STATE};
use mail::{fence, lanes_of};
use narrow::as_index;

use crate::{
    program::{DescFrom, Extra, Step},
    report::SendKind,
    thread::{Thread, Trap},
};
use gen_ir::Sfid;
use messages::hdc::{DcRo, ToDc0};

/// Runs a send and says what kind it was.
pub(crate) fn run(t: &mut Thread, cx: &mut Cx<'_>, step: &Step) -> Result<SendKind, Trap> {
    let Extra::Send(index) = step.extra else { return Err("a send without a message".into()) };
    let m = cx.program.messages[as_index(index)];
    let (mut desc, ex_desc) = (m.desc.value(t), m.ex_desc.value(t));
    let known = matches!(m.desc, DescFrom::Imm(_));
    if !known && cx.program.platform.caps().sends.half_by_type {
        desc = desc.from_short_register(m.half);
    }
    let mut on = t.enabled(step);
    if let Some(p) = &step.pred {
        on &= t.predicate(p, step);
    }
    let (payload, response) = (desc.message_length().registers(), desc.response_length().registers());
    let len0 = if known && m.src0_len != 0 { m.src0_len } else { payload };
    let rlen = if known { response } else { m.dst_len.max(response) };
    // A register with the extended descriptor says how long the second payload is, unless it holds a surface's offset.
    let len1 = match m.ex_desc {
        DescFrom::Addr(_) if !m.ex_bso && m.src1.is_some() => match ex_desc.extended_length().registers() {
            0 => m.src1_len,
            length => length,
        },
        _ => m.src1_len,
    };
    let mut mail = Mail {
        lanes: step.lanes.into(),
        grf: cx.program.grf,
        len0: len0.into(),
        len1: len1.into(),
        rlen: rlen.into(),
        t,
        cx,
        m,
        desc,
        ex_desc,
        on,
        late: false,
        held: Vec::new(),
        doubtful: 0,
    };
    if let Some(probe) = mail.cx.probe.take() {
        let kind = probe.message(&mut mail, step);
        mail.cx.probe = Some(probe);
        return kind;
    }
    if m.eot {
        return gateway::end(&mut mail);
    }
    mail.late = overlap(mail.m.dst, mail.rlen, mail.m.src0, mail.len0)
        || overlap(mail.m.dst, mail.rlen, mail.m.src1, mail.len1);
    let kind = deliver(&mut mail)?;
    for (at, len, value, undefined) in std::mem::take(&mut mail.held) {
        mail.put(at, len, value, undefined);
    }
    Ok(kind)
}

/// Whether two register ranges share a register.
fn overlap(a: Option<u32>, a_len: u32, b: Option<u32>, b_len: u32) -> bool {
    matches!((a, b), (Some(a), Some(b)) if a < b + b_len && b < a + a_len)
}

fn deliver(mail: &mut Mail<'_, '_>) -> Result<SendKind, Trap> {
    if !matches!(mail.m.sfid, Sfid::Sampler | Sfid::Gateway | Sfid::Tgm | Sfid::Render)
        && mail.cx.opaque.contains(&mail.m.sfid)
    {
        return ask(mail);
    }
    match mail.m.sfid {
        Sfid::Gateway => gateway::run(mail),
        Sfid::Dc0 => match ToDc0::of(mail.desc) {
            Some(ToDc0::Scratch) => block::scratch(mail),
            Some(ToDc0::Message(message)) => scatter::dc0(mail, &message.row()),
            None => Err("no such message to data cache 0".into()),
        },
        // It knows some of the messages of data cache 0.
        Sfid::DcRo => match DcRo::of(mail.desc) {
            Some(message) => scatter::dc0(mail, &message.row()),
            None => Err("no such message to the read-only cache".into()),
        },
        Sfid::Dc1 => scatter::dc1(mail),
        Sfid::Sampler => sampler::run(mail),
        Sfid::Ugm | Sfid::Ugml | Sfid::Slm | Sfid::Tgm => lsc::run(mail),
        Sfid::Render => render::run(mail),
        other => Err(format!("messages to {other:?} are not modelled").into()),
    }
}
