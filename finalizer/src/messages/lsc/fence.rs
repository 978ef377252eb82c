//! Fences.

use gen_ir::{Desc, SendLengths};
use messages::{
    ExtendedDescriptor,
    lsc::{AddressSize, Fence, Flush, Scope},
};
use visa::lsc::{LscFenceOp, LscScope, LscSfid};

use super::codes::{LscMessage, shared_function};
use crate::{
    build::Lanes,
    lower::{Feature, Lowered, Lowerer},
    messages::PayloadPart,
};

/// What a fence does to the third-level cache.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::messages) enum ThirdLevel {
    Kept,
    Flushed,
}

impl Lowerer<'_> {
    /// `lsc_fence`.
    pub(crate) fn lsc_fence(&mut self, sfid: LscSfid, op: LscFenceOp, scope: LscScope) -> Lowered {
        self.needs(self.caps.memory.lsc, Feature::Lsc)?;
        self.fence_message(sfid, op, scope);
        Ok(())
    }

    /// A fence: a register goes out and one comes back, contents unused.
    pub(in crate::messages) fn fence_message(&mut self, sfid: LscSfid, op: LscFenceOp, scope: LscScope) {
        let desc = Fence::new()
            .with_address_size(Some(AddressSize::A32))
            .with_flush(Flush::from_bits(op.raw().into()))
            .with_scope(Scope::from_bits(scope.raw().into()))
            .into();
        let answer = self.payload(1);
        let header = PayloadPart { reg: self.r0(0), len: 1 };
        let sfid = shared_function(sfid);
        let message = LscMessage { sfid, desc, ex_desc: Desc::Imm(ExtendedDescriptor::new()), response: 1 };
        let pred = self.pred.take();
        self.lsc_send_sized(Lanes::SCALAR, message, answer, header, None, SendLengths::of(1, 0, 1));
        self.pred = pred;
        self.wait_for(answer);
    }

    /// The old fence of shared local memory.
    pub(in crate::messages) fn local_fence_by_lsc(&mut self) -> Lowered {
        self.lsc_fence(LscSfid::Slm, LscFenceOp::None, LscScope::Group)
    }

    /// The old fence of global memory.
    pub(in crate::messages) fn global_fence_by_lsc(&mut self, third_level: ThirdLevel) -> Lowered {
        let op = match third_level {
            ThirdLevel::Flushed => LscFenceOp::FlushL3,
            ThirdLevel::Kept if self.caps.sampler.exists => LscFenceOp::Evict,
            ThirdLevel::Kept => LscFenceOp::None,
        };
        self.lsc_fence(LscSfid::Ugm, op, LscScope::Gpu)?;
        self.lsc_fence(LscSfid::Tgm, op, LscScope::Gpu)
    }
}
