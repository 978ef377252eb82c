//! Messages, by the family of their instruction.

use super::{context::VisaCx, thread::VisaThread};
use crate::{opaque::Question, report::SendKind, thread::Trap};
use gen_ir::Sfid;
use visa::{Inst, Op};

/// Runs an instruction that reaches memory or another unit.
pub(super) fn message(
    t: &mut VisaThread<'_>,
    cx: &mut VisaCx<'_>,
    inst: &Inst<'_>,
) -> Result<SendKind, Trap> {
    match inst.op {
        Op::OwordBlock { .. } | Op::SvmBlock { .. } | Op::MediaBlock { .. } => super::block::run(t, cx, inst),
        Op::Gather { .. }
        | Op::Scaled4 { .. }
        | Op::Scaled { .. }
        | Op::Qword { .. }
        | Op::SvmGather { .. }
        | Op::SvmScaled4 { .. } => super::scatter::transfer(t, cx, inst),
        Op::Atomic { .. } | Op::SvmAtomic { .. } => super::scatter::atomic(t, cx, inst),
        Op::Typed4 { .. } | Op::TypedAtomic { .. } | Op::LscTyped(_) => super::typed::run(t, cx, inst),
        Op::Lsc(_) | Op::LscBlock2d(_) => super::lsc::run(t, cx, inst),
        Op::Other(_) if inst.opcode == visa::Opcode::Avs && cx.opaque.contains(&Sfid::Sampler) => {
            super::sampler::run(t, cx, inst)
        }
        Op::Gather4(_) if cx.opaque.contains(&Sfid::Sampler) => super::sampler::run(t, cx, inst),
        Op::NamedBarrier { mode, id, kind, producers, consumers } if cx.opaque.contains(&Sfid::Gateway) => {
            if mode != 0 {
                // With one count of threads these produce and consume, and the type says so.
                let mut question = Question::to(Sfid::Gateway).with(cx.scalar_address(t, id)? & 0xff);
                let counts = if mode == 1 { [producers, producers] } else { [producers, consumers] };
                let kind = if mode == 1 { 0 } else { cx.scalar_address(t, kind)? & 3 };
                question = question.with(kind);
                for count in counts {
                    question = question.with(cx.scalar_address(t, count)? & 0xff);
                }
                cx.asked.push(question.number());
            }
            Ok(SendKind::Gateway)
        }
        Op::Sample(_) | Op::Load3d(_) | Op::SampleLegacy { .. } | Op::Info3d { .. } => {
            super::sampler::run(t, cx, inst)
        }
        // Memory is always in order here.
        Op::Fence { .. } | Op::LscFence { .. } | Op::SamplerCacheFlush | Op::Wait { .. } => {
            Ok(SendKind::Fence)
        }
        Op::RawSend(_) | Op::RawSends(_) => super::block::raw(t, cx, inst),
        _ => Err(format!("{} is not modelled", inst.opcode).into()),
    }
}
