//! Messages, by the family of their instruction.

use super::{context::VisaCx, thread::VisaThread};
use crate::{
    group::Signal,
    opaque::Question,
    report::{Fault, SendKind},
    thread::Trap,
};
use gen_ir::Sfid;
use visa::{
    Inst, Op,
    op::{NamedBarrierMode, SampleKind},
};

/// Runs an instruction that reaches memory or another unit.
pub(super) fn message(
    t: &mut VisaThread<'_>,
    cx: &mut VisaCx<'_>,
    inst: &Inst<'_>,
) -> Result<SendKind, Trap> {
    if let Some(p) = &inst.pred
        && t.enabled(inst)?.1 != 0
    {
        let name = p.id.0;
        cx.report(t, Fault::Uninitialized, || format!("predicate P{name} was never written"));
    }
    match inst.op {
        Op::OwordBlock { .. } | Op::SvmBlock { .. } | Op::MediaBlock { .. } => super::block::run(t, cx, inst),
        Op::Typed4 { .. } | Op::TypedAtomic { .. } | Op::LscTyped(_) => super::typed::run(t, cx, inst),
        Op::Lsc(_) | Op::LscBlock2d(_) => super::lsc::run(t, cx, inst),
        Op::Avs { .. } if cx.opaque.contains(&Sfid::Sampler) => super::sampler::run(t, cx, inst),
        Op::NamedBarrier { .. } => named_barrier(t, cx, inst),
        Op::Sample(ref s) if s.kind != SampleKind::Gather || cx.opaque.contains(&Sfid::Sampler) => {
            super::sampler::run(t, cx, inst)
        }
        Op::SampleLegacy { .. } | Op::Info3d { .. } => super::sampler::run(t, cx, inst),
        Op::RtWrite(ref write) if cx.opaque.contains(&Sfid::Render) => {
            super::render::write(t, cx, inst, write)
        }
        // Memory is always in order here.
        Op::Fence { .. } | Op::LscFence { .. } | Op::SamplerCacheFlush {} | Op::Wait { .. } => {
            Ok(SendKind::Fence)
        }
        Op::RawSend { .. } | Op::RawSends { .. } => super::block::raw(t, cx, inst),
        op if op.has_lanes() => super::scatter::run(t, cx, inst),
        _ => Err(format!("{} is not modelled", inst.opcode).into()),
    }
}

/// A thread arrives at a barrier that has a number, or waits for it.
fn named_barrier(t: &mut VisaThread<'_>, cx: &mut VisaCx<'_>, inst: &Inst<'_>) -> Result<SendKind, Trap> {
    let Op::NamedBarrier { mode, id, kind, producers, consumers } = inst.op else {
        return Err("no barrier".into());
    };
    let id = cx.scalar_address(t, id)? & 0xff;
    if mode == NamedBarrierMode::Wait {
        t.turn.wait(id);
        return Ok(SendKind::Gateway);
    }
    // With one count of threads these produce and consume, and the type says so.
    let all = mode == NamedBarrierMode::Signal;
    let consumers = if all { producers } else { consumers };
    let parts = [
        id,
        if all { 0 } else { cx.scalar_address(t, kind)? & 3 },
        cx.scalar_address(t, producers)? & 0xff,
        cx.scalar_address(t, consumers)? & 0xff,
    ];
    let question = Question::barrier(parts, cx.group.threads);
    if let Some(question) = question.filter(|_| cx.opaque.contains(&Sfid::Gateway)) {
        cx.asked.push(question.number());
        return Ok(SendKind::Gateway);
    }
    let signal = Signal::named(parts).ok_or_else(|| format!("no such barrier: {parts:?}"))?;
    t.turn.signal(cx.group, signal);
    Ok(SendKind::Gateway)
}
