//! Messages to functions that are black boxes.

use super::mail::Mail;
use crate::{opaque::Question, report::SendKind, thread::Trap};
use narrow::as_index;

/// A message to a black box. What nobody wrote counts as zero, in the interpreter, too.
pub(super) fn ask(mail: &mut Mail<'_, '_>) -> Result<SendKind, Trap> {
    let (desc, ex_desc) = (mail.desc.into_bits(), mail.ex_desc.into_bits());
    let mut question = Question::message(mail.m.sfid, desc, ex_desc, mail.on);
    for byte in 0..mail.len() * mail.grf {
        let at = mail.payload(byte, 1)?;
        let value = if mail.t.undefined(at, 1) { 0 } else { mail.t.rf[as_index(at)] };
        question = question.with(value.into());
    }
    mail.cx.asked.push(question.number());
    for byte in 0..mail.rlen * mail.grf {
        mail.reply(byte, 1, question.byte(byte).into())?;
    }
    Ok(SendKind::Gateway)
}
