//! The message gateway: barriers, and the end of a thread.

use super::Mail;
use crate::{
    opaque::Question,
    report::{Fault, SendKind},
    thread::Trap,
};
use gen_ir::Sfid;
use messages::gateway::{BarrierSignal, Gateway, SubFunction};
use narrow::low_u32;

/// Bits of the fifth dword of a thread's header that say which thread of its subslice it is.
const THREAD_ID: u32 = 0x1ff;

/// Barrier signal.
pub(super) fn run(mail: &mut Mail<'_, '_>) -> Result<SendKind, Trap> {
    let barrier = mail.as_kind::<Gateway>().sub_function() == Some(SubFunction::SignalBarrier);
    match (mail.cx.opaque.contains(&Sfid::Gateway), barrier) {
        (true, true) if mail.cx.program.platform.caps().thread.named_barriers => {
            let signal = BarrierSignal::from_bits(low_u32(mail.address(4 * BarrierSignal::DWORD, 4)?));
            let parts = [signal.id(), signal.kind(), signal.producers(), signal.consumers()].map(u64::from);
            if let Some(question) = Question::barrier(parts, mail.cx.group.threads) {
                mail.cx.asked.push(question.number());
                return Ok(SendKind::Gateway);
            }
        }
        (true, false) => return super::ask::ask(mail),
        _ => {}
    }
    match mail.as_kind::<Gateway>().sub_function() {
        Some(SubFunction::SignalBarrier) => {
            mail.t.turn.signal(mail.cx.group);
            Ok(SendKind::Gateway)
        }
        // Opening and closing of a gateway key, and event monitoring.
        Some(
            SubFunction::EndOfThread
            | SubFunction::SignalEvent
            | SubFunction::MonitorEvent
            | SubFunction::UnmonitorEvent
            | SubFunction::WaitForEvent,
        ) => Ok(SendKind::Gateway),
        other => Err(format!("message {other:?} of the gateway is not modelled").into()),
    }
}

/// End of thread: payload in the upper registers, nobody left behind.
pub(super) fn end(mail: &mut Mail<'_, '_>) -> Result<SendKind, Trap> {
    // The last 16 registers (Intel's finalizer, `checkEOTSrc`); whoever runs code without saying how many a thread
    // has runs it with the most.
    let count = mail.t.grf_end / mail.grf;
    let outside = |reg: Option<u32>, len: u32| {
        reg.is_some_and(|r| len > 0 && r < count - 16 && !(112..=128 - len.min(16)).contains(&r))
    };
    if outside(mail.m.src0, mail.len0) || outside(mail.m.src1, mail.len1) {
        let first = count - 16;
        mail.cx.report(mail.t, Fault::Eot, || format!("the payload is not in r{first} to r{}", count - 1));
    }
    let waiting = mail.t.waiting & mail.t.dispatched;
    if waiting != 0 {
        let places: Vec<String> = (0..32)
            .filter(|c| waiting >> c & 1 != 0)
            .map(|c| format!("{c} at {:#x}", mail.cx.program.offset_of(mail.t.wait_at[c])))
            .collect();
        mail.cx.report(mail.t, Fault::LanesLeft, || format!("channels {}", places.join(", ")));
    }
    if let Some(payload) = mail.m.src0.filter(|_| mail.cx.strict) {
        // The spawner frees what belongs to the thread that the payload names (PRM volume 7, "Thread
        // spawner"): it is the header that the thread started with.
        let at = payload * mail.grf;
        let id = mail.t.number & THREAD_ID;
        if mail.t.undefined(at, 4) || mail.t.undefined(at + 20, 2) {
            mail.cx.report(mail.t, Fault::Eot, || "the payload was never written".into());
        } else if mail.m.sfid == Sfid::Spawner && mail.t.u32_at(at + 20) & THREAD_ID != id {
            mail.cx.report(mail.t, Fault::Eot, || "the payload names another thread".into());
        }
    }
    mail.t.turn.end();
    Ok(SendKind::Eot)
}
