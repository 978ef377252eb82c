//! The message gateway: barriers, and the end of a thread.

use super::Mail;
use crate::{
    group::Signal,
    opaque::Question,
    report::{Fault, SendKind},
    thread::Trap,
};
use gen_ir::Sfid;
use messages::gateway::{BarrierSignal, Gateway, SubFunction};
use narrow::low_u32;

/// Bits of the fifth dword of a thread's header that say which thread of its subslice it is.
const THREAD_ID: u32 = 0x1ff;

/// Barriers, and what waits for nobody.
pub(super) fn run(mail: &mut Mail<'_, '_>) -> Result<SendKind, Trap> {
    let function = mail.as_kind::<Gateway>().sub_function();
    if mail.cx.opaque.contains(&Sfid::Gateway) && function != Some(SubFunction::SignalBarrier) {
        return super::ask::ask(mail);
    }
    match function {
        Some(SubFunction::SignalBarrier) => signal(mail),
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

/// A thread arrives at a barrier.
fn signal(mail: &mut Mail<'_, '_>) -> Result<SendKind, Trap> {
    let threads = mail.cx.group.threads;
    let mut signal = Signal::of_all(threads);
    if mail.cx.program.platform.caps().thread.named_barriers {
        let said = BarrierSignal::from_bits(low_u32(mail.address(4 * BarrierSignal::DWORD, 4)?));
        let parts = [said.id(), said.kind(), said.producers(), said.consumers()].map(u64::from);
        let question = Question::barrier(parts, threads);
        if let Some(question) = question.filter(|_| mail.cx.opaque.contains(&Sfid::Gateway)) {
            mail.cx.asked.push(question.number());
            return Ok(SendKind::Gateway);
        }
        signal = Signal::named(parts).ok_or_else(|| format!("no such barrier: {said:?}"))?;
    }
    mail.t.turn.signal(mail.cx.group, signal);
    Ok(SendKind::Gateway)
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
