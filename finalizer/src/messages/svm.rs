//! Stateless messages with 64-bit addresses (A64): blocks, scattered, untyped, atomics.

use gen_ir::{Dst, Op, Sfid, Src, Type};
use messages::{
    Descriptor, SurfaceIndex,
    hdc::{A64Block, A64BlockType, A64Scattered, Atomic, Dc1, ElementType, Surface},
};
use narrow::{to_index, to_u8, to_u16};
use visa::{Access, Op as Visa, RawOperand, op::BlockAlignment};

use super::{
    Message, Operation, Parts, PayloadPart, block_exec,
    hdc::{LaneData, atomic_operands, disabled, simd_mode, size_log2},
    oword_count,
};
use crate::{
    build::{self, Lanes, VReg},
    lower::{Feature, Lowered, Lowerer},
};

/// Owords of one block message; blocks of 16 are two.
pub(super) const MAX_OWORDS: u8 = 8;

impl Lowerer<'_> {
    /// The `svm_*` family.
    pub(crate) fn svm(&mut self, op: &Visa<'_>) -> Lowered {
        match *op {
            Visa::SvmBlock { access, alignment, owords, address, data } => {
                let most = owords.min(MAX_OWORDS);
                for first in (0..owords).step_by(most.max(1).into()) {
                    let at = u32::from(first) * 16;
                    let data = RawOperand { offset: data.offset + to_u16(at), ..data };
                    self.svm_block(access, alignment, most, address, at, data)?;
                }
                Ok(())
            }
            Visa::SvmGather { access, block_bytes, blocks, addresses, data } => {
                let lanes = self.message_lanes();
                let (far, near) = (self.lane_addresses(op)?, self.lane_data(op)?);
                if block_bytes > 1 && blocks > 1 && !self.data_fits(access, far.bytes, near.bytes) {
                    return self.svm_halves(op);
                }
                let element = match (block_bytes, blocks) {
                    (1, 8) if !self.caps.memory.a64_gather_8_bytes => {
                        return self.svm_eight_bytes(access, addresses, data);
                    }
                    (1, _) => ElementType::Byte,
                    (4, _) => ElementType::Dword,
                    _ => ElementType::Qword,
                };
                let kind = if access.is_store() { Dc1::A64ScatteredWrite } else { Dc1::A64ScatteredRead };
                let desc = A64Scattered::new()
                    .with_message_type(Some(kind))
                    .with_element(Some(element))
                    .with_count_log2(size_log2(blocks)?)
                    .with_simd16(lanes == 16);
                let addresses = self.lane_offsets(far)?;
                self.svm_transfer(access, desc, addresses, near)
            }
            Visa::SvmScaled4 { access, mask, address, .. } => {
                let lanes = self.message_lanes();
                let kind = if access.is_store() { Dc1::A64UntypedWrite } else { Dc1::A64UntypedRead };
                let desc = Surface::new()
                    .with_message_type(Some(kind))
                    .with_simd_mode(Some(simd_mode(lanes)))
                    .with_disabled_channels(disabled(mask));
                let offsets = self.lane_offsets(self.lane_addresses(op)?)?;
                let addresses = self.add_offset(offsets, address, Type::Uq)?;
                self.svm_transfer(access, desc, addresses, self.lane_data(op)?)
            }
            Visa::SvmAtomic { op: operation, bits, srcs, .. } => {
                self.svm_atomic(operation, bits, self.lane_addresses(op)?, srcs, self.lane_data(op)?)
            }
            _ => unreachable!("{op:?} is lowered elsewhere"),
        }
    }

    /// Messages of more blocks a lane than fit into one: the blocks in halves.
    fn svm_halves(&mut self, op: &Visa<'_>) -> Lowered {
        let Visa::SvmGather { access, block_bytes, blocks, data, .. } = *op else {
            unreachable!("{op:?} is not a gathering message");
        };
        let lanes = self.message_lanes();
        let blocks = blocks / 2;
        let bytes = u32::from(block_bytes) * u32::from(blocks);
        let first = self.lane_offsets(self.lane_addresses(op)?)?;
        // Before the first half, whose response may overwrite the addresses.
        let second =
            self.add_offset(first, &visa::VectorOperand::imm(visa::Type::UQ, bytes.into()), Type::Uq)?;
        let far = RawOperand { offset: data.offset + to_u16(lanes * bytes), ..data };
        for (addresses, data) in [(first, data), (second, far)] {
            let addresses = self.stage(addresses.reg);
            self.svm(&Visa::SvmGather { access, block_bytes, blocks, addresses, data })?;
        }
        Ok(())
    }

    /// Eight bytes a channel as two messages of four.
    fn svm_eight_bytes(&mut self, access: Access, addresses: RawOperand, data: RawOperand) -> Lowered {
        let lanes = self.message_lanes();
        let (block_bytes, blocks) = (1, 4);
        let place = self.raw(data)?;
        let first = self.part(addresses, lanes * 8)?;
        // Before the first half, whose response may overwrite the addresses.
        let second = self.add_offset(first, &visa::VectorOperand::imm(visa::Type::UQ, 4), Type::Uq)?;
        let halves = [0, 1].map(|_| self.payload((lanes * 4).div_ceil(self.grf())));
        let dword = |reg: VReg, stride: u8, exec| Src::new(reg, build::strided(stride, exec), Type::Ud);
        let exec = self.lanes.exec;
        for (i, addresses) in [first, second].into_iter().enumerate() {
            if access.is_store() {
                let from = dword(place.plus(4 * to_index(i)), 2, exec);
                self.emit(build::mov(self.lanes, Dst::packed(halves[i], Type::Ud), from));
            }
            let (addresses, data) = (self.stage(addresses.reg), self.stage(halves[i]));
            self.svm(&Visa::SvmGather { access, block_bytes, blocks, addresses, data })?;
        }
        for (i, half) in halves.into_iter().enumerate().filter(|_| !access.is_store()) {
            let to = Dst::Direct { reg: place.plus(4 * to_index(i)), horz: 2, ty: Type::Ud };
            self.emit_guarded(build::mov(self.lanes, to, dword(half, 1, exec)));
        }
        Ok(())
    }

    fn svm_transfer(
        &mut self,
        access: Access,
        desc: impl Into<Descriptor>,
        addresses: PayloadPart,
        data: LaneData,
    ) -> Lowered {
        let message = stateless(desc, 0);
        if access.is_store() {
            self.note_write(None);
            let data = self.part(data.operand, data.bytes)?;
            return self.send(message, VReg::NULL, &[addresses, data], None);
        }
        let response = data.bytes.div_ceil(self.grf());
        self.send_for_lanes(Message { response, ..message }, data, &[addresses], None)
    }

    /// A header whose first qword is the address: all that a block message with 64-bit addresses looks at (Intel's
    /// finalizer writes nothing else: `translateVISASVMBlockReadInst`).
    fn address_header(&mut self, address: &visa::VectorOperand) -> Lowered<VReg> {
        let header = self.payload(1);
        let address = self.scalar_src(address)?;
        self.emit(build::mov(Lanes::SCALAR, Dst::packed(header, Type::Uq), widen(address)));
        Ok(header)
    }

    fn svm_block(
        &mut self,
        access: Access,
        alignment: BlockAlignment,
        owords: u8,
        address: &visa::VectorOperand,
        at: u32,
        data: RawOperand,
    ) -> Lowered {
        let header = PayloadPart { reg: self.address_header(address)?, len: 1 };
        if at > 0 {
            let to = Dst::packed(header.reg, Type::Uq);
            let srcs = [Src::scalar(header.reg, Type::Uq), Src::ud(at)];
            self.emit(build::op(Op::Add, Lanes::SCALAR, to, &srcs));
        }
        let bytes = u32::from(owords) * 16;
        let kind = if access.is_store() { Dc1::A64BlockWrite } else { Dc1::A64BlockRead };
        let block = match (access, alignment) {
            (Access::Load, BlockAlignment::Dword) => A64BlockType::UnalignedOwords,
            (Access::Load, BlockAlignment::Oword) | (Access::Store, _) => A64BlockType::Owords,
        };
        let desc = A64Block::new()
            .with_message_type(Some(kind))
            .with_block_type(Some(block))
            .with_size(to_u8(oword_count(owords)?.code()));
        let message = Message { header: true, ..stateless(desc, 0) };
        let exec = block_exec(owords);
        if access.is_store() {
            self.note_write(None);
            let data = self.part(data, bytes)?;
            let exec = exec.max(gen_ir::ExecSize::S8);
            return self.send_block(exec, message, VReg::NULL, &[header, data], None);
        }
        self.block_load(exec, message, header, data, bytes, None)
    }

    /// A block read: the response may be less than a register.
    pub(super) fn block_load(
        &mut self,
        exec: gen_ir::ExecSize,
        message: Message,
        header: PayloadPart,
        data: RawOperand,
        bytes: u32,
        surface: Option<super::Surface>,
    ) -> Lowered {
        let (dst, copy) = self.response(data, bytes)?;
        let message = Message { response: bytes.div_ceil(self.grf()), ..message };
        self.send_block(exec, message, dst, &[header], surface)?;
        if let Some(to) = copy {
            self.copy_bytes(to, dst, bytes);
        }
        Ok(())
    }

    fn svm_atomic(
        &mut self,
        op: visa::AtomicOp,
        bits: u8,
        addresses: LaneData,
        srcs: [RawOperand; 2],
        result: LaneData,
    ) -> Lowered {
        let operation = Operation::of(op);
        self.check_atomics_of(bits)?;
        let kind = match (bits, operation.is_float()) {
            (16, false) => Dc1::A64AtomicHalf,
            (16, true) => Dc1::A64AtomicHalfFloat,
            (_, false) => Dc1::A64Atomic,
            (_, true) => Dc1::A64AtomicFloat,
        };
        self.needs(bits != 64 || !operation.is_float(), Feature::FloatAtomics(bits))?;
        self.note_write(None);
        let returns = !result.operand.is_null();
        let desc = Atomic::new()
            .with_message_type(Some(kind))
            .with_operation(operation.code())
            .with_returns(returns)
            .with_width(bits == 64);
        let mut parts = Parts::new();
        parts.push(self.lane_offsets(addresses)?);
        for operand in atomic_operands(op, srcs) {
            parts.push(self.part(operand, result.bytes)?);
        }
        let response = if returns { result.bytes.div_ceil(self.grf()) } else { 0 };
        self.send_for_lanes(stateless(desc, response), result, &parts, None)
    }
}

/// A message to the whole address space, without a header.
fn stateless(desc: impl Into<Descriptor>, response: u32) -> Message {
    let desc = desc.into().with_surface(SurfaceIndex::STATELESS);
    Message { sfid: Sfid::Dc1, desc, header: false, response }
}

/// An address as an unsigned qword.
fn widen(address: build::VSrc) -> build::VSrc {
    match address {
        Src::Direct { reg, region, mods, ty } if ty.bytes() == 8 => {
            Src::Direct { reg, region, mods, ty: Type::Uq }
        }
        Src::Imm { bits, ty } => Src::imm(build::extend(bits, ty), Type::Uq),
        other => other,
    }
}
