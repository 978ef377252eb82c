//! Memory, sampler and raw messages.

use super::{KernelBuilder, Source};
use crate::{
    ids::*,
    lsc::*,
    op::*,
    opcode::Opcode,
    operand::{RawOperand, VectorOperand},
    types::{AtomicOp, ChannelMask, Exec, ExecSize},
};

/// A scalar operand of a message.
fn scalar(source: impl Into<Source>) -> VectorOperand {
    source.into().operand(ExecSize::S1)
}

impl KernelBuilder {
    /// `oword_ld`: 1, 2, 4 or 8 owords from an offset in owords.
    pub fn oword_load(
        &mut self,
        surface: SurfaceId,
        owords: u8,
        offset: impl Into<Source>,
        data: impl Into<RawOperand>,
    ) {
        self.oword(false, false, surface, owords, scalar(offset), data.into());
    }

    /// `oword_ld_unaligned`: the same from an offset in bytes, a multiple of 4.
    pub fn oword_load_unaligned(
        &mut self,
        surface: SurfaceId,
        owords: u8,
        offset: impl Into<Source>,
        data: impl Into<RawOperand>,
    ) {
        self.oword(false, true, surface, owords, scalar(offset), data.into());
    }

    /// `oword_st`: 1, 2, 4 or 8 owords to an offset in owords.
    pub fn oword_store(
        &mut self,
        surface: SurfaceId,
        owords: u8,
        offset: impl Into<Source>,
        data: impl Into<RawOperand>,
    ) {
        self.oword(true, false, surface, owords, scalar(offset), data.into());
    }

    fn oword(
        &mut self,
        store: bool,
        unaligned: bool,
        surface: SurfaceId,
        owords: u8,
        offset: VectorOperand,
        data: RawOperand,
    ) {
        let op = Op::OwordBlock { store, unaligned, modified: false, owords, surface, offset: &offset, data };
        self.op(Opcode::OwordLd, Exec::SCALAR, op);
    }

    /// `media_ld` or `media_st`: a block of `width` bytes by `height` rows.
    pub fn media_block(
        &mut self,
        store: bool,
        surface: SurfaceId,
        [width, height]: [u8; 2],
        [x, y]: [Source; 2],
        data: impl Into<RawOperand>,
    ) {
        let (x, y) = (&scalar(x), &scalar(y));
        let (modifier, plane, data) = (0, 0, data.into());
        let op = Op::MediaBlock { store, modifier, surface, plane, width, height, x, y, data };
        self.op(Opcode::MediaLd, Exec::SCALAR, op);
    }

    /// `gather` or `scatter`: an element of 1, 2 or 4 bytes a lane, at offsets in elements.
    #[allow(clippy::too_many_arguments, reason = "the instruction has as many operands")]
    pub fn gather(
        &mut self,
        store: bool,
        element_bytes: u8,
        exec: Exec,
        surface: SurfaceId,
        global_offset: impl Into<Source>,
        offsets: impl Into<RawOperand>,
        data: impl Into<RawOperand>,
    ) {
        let global_offset = &scalar(global_offset);
        let (modified, offsets, data) = (false, offsets.into(), data.into());
        let op = Op::Gather { store, element_bytes, modified, surface, global_offset, offsets, data };
        self.op(Opcode::Gather, exec, op);
    }

    /// `gather4_typed` or `scatter4_typed`: texels at U, V, R and level of detail.
    pub fn typed4(
        &mut self,
        store: bool,
        mask: ChannelMask,
        exec: Exec,
        surface: SurfaceId,
        coords: [RawOperand; 4],
        data: impl Into<RawOperand>,
    ) {
        let op = Op::Typed4 { store, mask, surface, coords, data: data.into() };
        self.op(Opcode::Gather4Typed, exec, op);
    }

    /// `gather4_scaled` or `scatter4_scaled`: dwords of up to four channels at offsets in bytes.
    #[allow(clippy::too_many_arguments, reason = "the instruction has as many operands")]
    pub fn scaled4(
        &mut self,
        store: bool,
        mask: ChannelMask,
        exec: Exec,
        surface: SurfaceId,
        global_offset: impl Into<Source>,
        offsets: impl Into<RawOperand>,
        data: impl Into<RawOperand>,
    ) {
        let (global_offset, offsets, data) = (&scalar(global_offset), offsets.into(), data.into());
        let op = Op::Scaled4 { store, mask, surface, global_offset, offsets, data };
        self.op(Opcode::Gather4Scaled, exec, op);
    }

    /// `gather_scaled` or `scatter_scaled`: 1, 2 or 4 bytes a lane at offsets in bytes.
    #[allow(clippy::too_many_arguments, reason = "the instruction has as many operands")]
    pub fn scaled(
        &mut self,
        store: bool,
        blocks: u8,
        exec: Exec,
        surface: SurfaceId,
        global_offset: impl Into<Source>,
        offsets: impl Into<RawOperand>,
        data: impl Into<RawOperand>,
    ) {
        let (global_offset, offsets, data) = (&scalar(global_offset), offsets.into(), data.into());
        let op = Op::Scaled { store, blocks, surface, global_offset, offsets, data };
        self.op(Opcode::GatherScaled, exec, op);
    }

    /// `qw_gather` or `qw_scatter`: 1, 2 or 4 qwords a lane at offsets in bytes.
    pub fn qword(
        &mut self,
        store: bool,
        blocks: u8,
        exec: Exec,
        surface: SurfaceId,
        offsets: impl Into<RawOperand>,
        data: impl Into<RawOperand>,
    ) {
        let op = Op::Qword { store, blocks, surface, offsets: offsets.into(), data: data.into() };
        self.op(Opcode::QwGather, exec, op);
    }

    /// `dword_atomic`; the old value goes to `dst`, which may be [`RawOperand::NULL`].
    #[allow(clippy::too_many_arguments, reason = "the instruction has as many operands")]
    pub fn atomic(
        &mut self,
        op: AtomicOp,
        bits: u8,
        exec: Exec,
        surface: SurfaceId,
        offsets: impl Into<RawOperand>,
        srcs: [RawOperand; 2],
        dst: impl Into<RawOperand>,
    ) {
        let op = Op::Atomic { op, bits, surface, offsets: offsets.into(), srcs, dst: dst.into() };
        self.op(Opcode::DwordAtomic, exec, op);
    }

    /// `typed_atomic`.
    #[allow(clippy::too_many_arguments, reason = "the instruction has as many operands")]
    pub fn typed_atomic(
        &mut self,
        op: AtomicOp,
        bits: u8,
        exec: Exec,
        surface: SurfaceId,
        coords: [RawOperand; 4],
        srcs: [RawOperand; 2],
        dst: impl Into<RawOperand>,
    ) {
        let op = Op::TypedAtomic { op, bits, surface, coords, srcs, dst: dst.into() };
        self.op(Opcode::TypedAtomic3d, exec, op);
    }

    /// `svm_block_ld` or `svm_block_st`: 1, 2, 4 or 8 owords at an address.
    pub fn svm_block(
        &mut self,
        store: bool,
        unaligned: bool,
        owords: u8,
        address: impl Into<Source>,
        data: impl Into<RawOperand>,
    ) {
        let op = Op::SvmBlock { store, unaligned, owords, address: &scalar(address), data: data.into() };
        self.op(Opcode::Svm, Exec::SCALAR, op);
    }

    /// `svm_gather` or `svm_scatter`: `blocks` blocks of 1, 4 or 8 bytes a lane at addresses.
    pub fn svm_gather(
        &mut self,
        store: bool,
        [block_bytes, blocks]: [u8; 2],
        exec: Exec,
        addresses: impl Into<RawOperand>,
        data: impl Into<RawOperand>,
    ) {
        let (addresses, data) = (addresses.into(), data.into());
        self.op(Opcode::Svm, exec, Op::SvmGather { store, block_bytes, blocks, addresses, data });
    }

    /// `svm_atomic`.
    pub fn svm_atomic(
        &mut self,
        op: AtomicOp,
        bits: u8,
        exec: Exec,
        addresses: impl Into<RawOperand>,
        srcs: [RawOperand; 2],
        dst: impl Into<RawOperand>,
    ) {
        let op = Op::SvmAtomic { op, bits, addresses: addresses.into(), srcs, dst: dst.into() };
        self.op(Opcode::Svm, exec, op);
    }

    /// `svm_gather4scaled` or `svm_scatter4scaled`.
    pub fn svm_scaled4(
        &mut self,
        store: bool,
        mask: ChannelMask,
        exec: Exec,
        address: impl Into<Source>,
        offsets: impl Into<RawOperand>,
        data: impl Into<RawOperand>,
    ) {
        let (address, offsets, data) = (&scalar(address), offsets.into(), data.into());
        self.op(Opcode::Svm, exec, Op::SvmScaled4 { store, mask, address, offsets, data });
    }

    /// An LSC load, store or atomic.
    pub fn lsc(&mut self, exec: Exec, access: Lsc<'_>) {
        self.op(Opcode::LscUntyped, exec, Op::Lsc(access));
    }

    /// An LSC load of one datum a lane from a 64-bit address each, caches as the surface says.
    pub fn lsc_load(
        &mut self,
        exec: Exec,
        size: LscDataSize,
        elems: LscElems,
        addresses: impl Into<RawOperand>,
        data: impl Into<RawOperand>,
    ) {
        let flat = scalar(0u32);
        self.lsc(exec, Lsc { dst: data.into(), ..flat_access(LscOp::Load, size, elems, addresses, &flat) });
    }

    /// An LSC store of one datum a lane to a 64-bit address each, caches as the surface says.
    pub fn lsc_store(
        &mut self,
        exec: Exec,
        size: LscDataSize,
        elems: LscElems,
        addresses: impl Into<RawOperand>,
        data: impl Into<RawOperand>,
    ) {
        let flat = scalar(0u32);
        self.lsc(exec, Lsc { src1: data.into(), ..flat_access(LscOp::Store, size, elems, addresses, &flat) });
    }

    /// `lsc_fence`.
    pub fn lsc_fence(&mut self, sfid: LscSfid, op: LscFenceOp, scope: LscScope) {
        self.op(Opcode::LscFence, Exec::SCALAR, Op::LscFence { sfid, op, scope });
    }

    /// `sample_3d` and its forms (with a sampler), `load_3d` and its forms (without).
    pub fn sample(&mut self, exec: Exec, sample: Sample<'_>) {
        let op = if sample.sampler.is_some() { Op::Sample(sample) } else { Op::Load3d(sample) };
        self.op(Opcode::Sample3d, exec, op);
    }

    /// `sample4` and its forms.
    pub fn gather4(&mut self, exec: Exec, sample: Sample<'_>) {
        self.op(Opcode::Gather43d, exec, Op::Gather4(sample));
    }

    /// `rt_write_3d`.
    pub fn rt_write(&mut self, exec: Exec, write: RtWrite<'_>) {
        self.op(Opcode::RtWrite3d, exec, Op::RtWrite(write));
    }

    /// `raw_send`: a message by its descriptors; lengths of payload and response in registers.
    pub fn raw_send(
        &mut self,
        exec: Exec,
        ext_desc: u32,
        desc: impl Into<Source>,
        [src_len, dst_len]: [u8; 2],
        src: impl Into<RawOperand>,
        dst: impl Into<RawOperand>,
    ) {
        let (desc, src, dst) = (&scalar(desc), src.into(), dst.into());
        let op = Op::RawSend(RawSend { conditional: false, ext_desc, src_len, dst_len, desc, src, dst });
        self.op(Opcode::RawSend, exec, op);
    }

    /// `raw_sends`: a message of two payloads.
    #[allow(clippy::too_many_arguments, reason = "the instruction has as many operands")]
    pub fn raw_sends(
        &mut self,
        exec: Exec,
        sfid: u8,
        ext_desc: impl Into<Source>,
        desc: impl Into<Source>,
        [src0_len, src1_len, dst_len]: [u8; 3],
        srcs: [RawOperand; 2],
        dst: impl Into<RawOperand>,
    ) {
        let (ext_desc, desc) = (&scalar(ext_desc), &scalar(desc));
        let src_len = [src0_len, src1_len];
        let (conditional, eot, dst) = (false, false, dst.into());
        let send = RawSends { conditional, eot, src_len, dst_len, sfid, ext_desc, desc, srcs, dst };
        self.op(Opcode::RawSends, exec, Op::RawSends(send));
    }
}

fn flat_access(
    op: LscOp,
    size: LscDataSize,
    elems: LscElems,
    addresses: impl Into<RawOperand>,
    surface: &VectorOperand,
) -> Lsc<'_> {
    Lsc {
        op,
        sfid: LscSfid::Ugm,
        cache: [LscCache::Default; 2],
        addr_type: LscAddrType::Flat,
        addr_scale: 1,
        addr_offset: 0,
        addr_size: LscAddrSize::A64,
        shape: LscShape { size, order: LscOrder::NonTranspose, elems, channels: None },
        surface,
        surface_index: 0,
        dst: RawOperand::NULL,
        addr: addresses.into(),
        pitch: None,
        src1: RawOperand::NULL,
        src2: RawOperand::NULL,
    }
}
