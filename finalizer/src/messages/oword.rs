//! Oword block reads and writes on surfaces.

use gen_ir::{Dst, Op, Sfid, Src, Type};
use messages::{
    hdc::{Dc0, OwordBlock},
    thread::Identity,
};
use visa::{Access, Op as Visa, RawOperand, SurfaceId, op::BlockAlignment};

use super::{Message, PayloadPart, block_exec, oword_count, svm::MAX_OWORDS};
use crate::{
    build::{self, Lanes, VReg},
    lower::{Lowered, Lowerer},
};

impl Lowerer<'_> {
    /// `oword_ld`, `oword_ld_unaligned`, `oword_st`.
    pub(crate) fn oword_block(&mut self, op: &Visa<'_>) -> Lowered {
        let Visa::OwordBlock { owords, data, .. } = *op else {
            unreachable!("{op:?} is not a block of owords")
        };
        let most = owords.min(MAX_OWORDS);
        for first in (0..owords).step_by(most.max(1).into()) {
            let data = RawOperand { offset: data.offset + u16::from(first) * 16, ..data };
            self.oword_part(op, first, most, data)?;
        }
        Ok(())
    }

    /// The owords of a block from the `first` on.
    fn oword_part(&mut self, op: &Visa<'_>, first: u8, owords: u8, data: RawOperand) -> Lowered {
        let Visa::OwordBlock { access, alignment, surface, offset, .. } = *op else {
            unreachable!("{op:?} is not a block of owords");
        };
        // A block of a surface looks at the offset alone (Intel's finalizer: `translateVISAOwordLoadInst`; of what is
        // stored, where messages have one payload, it fills the header).
        let stateless = surface == SurfaceId::STATELESS;
        let fills = stateless || access.is_store() && !self.caps.sends.split;
        let header = if fills { self.zero_register() } else { self.payload(1) };
        if stateless && self.caps.memory.thread_in_header {
            self.keep_thread_identifier(header);
        }
        let offset = self.scalar_src(offset)?;
        let unaligned = alignment == BlockAlignment::Dword;
        if unaligned && !self.visa_counts_bytes() {
            let dst = Dst::packed(header.plus(8), Type::Ud);
            self.emit(build::op(Op::Shl, Lanes::SCALAR, dst, &[offset, Src::uw(2)]));
        } else {
            self.set_dword(header, 2, offset);
        }
        if first > 0 {
            let at = u32::from(first) * if unaligned { 16 } else { 1 };
            let dword = Src::scalar(header.plus(8), Type::Ud);
            let dst = Dst::packed(header.plus(8), Type::Ud);
            self.emit(build::op(Op::Add, Lanes::SCALAR, dst, &[dword, Src::ud(at)]));
        }
        let header = PayloadPart { reg: header, len: 1 };
        let kind = match (access, alignment) {
            (Access::Store, _) => Dc0::OwordBlockWrite,
            (Access::Load, BlockAlignment::Dword) => Dc0::UnalignedOwordBlockRead,
            (Access::Load, BlockAlignment::Oword) => Dc0::OwordBlockRead,
        };
        let desc = OwordBlock::new().with_message_type(Some(kind)).with_count(Some(oword_count(owords)?));
        let surface = self.surface(surface)?;
        let message = Message { sfid: Sfid::Dc0, desc: desc.into(), header: true, response: 0 };
        let bytes = u32::from(owords) * 16;
        if access.is_store() {
            self.note_write(Some(surface));
            let data = self.part(data, bytes)?;
            return self.send_block(block_exec(owords), message, VReg::NULL, &[header, data], Some(surface));
        }
        self.block_load(block_exec(owords), message, header, data, bytes, Some(surface))
    }

    /// The header of a stateless message names the thread.
    fn keep_thread_identifier(&mut self, header: VReg) {
        let byte = 4 * Identity::DWORD;
        let from = Src::scalar(self.r0(byte), Type::Ud);
        let dst = Dst::packed(header.plus(byte), Type::Ud);
        self.emit(build::op(Op::And, Lanes::SCALAR, dst, &[from, Src::ud(Identity::THREAD_MASK)]));
    }

    /// Unaligned blocks count their offset in bytes since vISA 3.2, in dwords before; objects of that
    /// age are not read.
    fn visa_counts_bytes(&self) -> bool {
        true
    }
}
