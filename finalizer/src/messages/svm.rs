//! Stateless messages with 64-bit addresses (A64): blocks, scattered, untyped, atomics.

use gen_ir::{Dst, Sfid, Src, Type};
use visa::{Op as Visa, RawOperand};

use super::{
    Message, Part, Parts, atomic_code, block_exec,
    hdc::{atomic_operands, disabled, simd_mode3},
    oword_code,
};
use crate::{
    build::{self, Lanes, VReg},
    lower::{Lowered, Lowerer},
};

/// Message types of data cache 1 with 64-bit addresses (descriptor bits 14 to 18).
mod a64 {
    pub(super) const SCATTERED_READ: u32 = 0x10;
    pub(super) const UNTYPED_READ: u32 = 0x11;
    pub(super) const ATOMIC: u32 = 0x12;
    pub(super) const ATOMIC_HALF: u32 = 0x13;
    pub(super) const BLOCK_READ: u32 = 0x14;
    pub(super) const BLOCK_WRITE: u32 = 0x15;
    pub(super) const UNTYPED_WRITE: u32 = 0x19;
    pub(super) const SCATTERED_WRITE: u32 = 0x1a;
    pub(super) const ATOMIC_FLOAT: u32 = 0x1d;
    pub(super) const ATOMIC_HALF_FLOAT: u32 = 0x1e;
    /// The binding table index of coherent stateless memory.
    pub(super) const STATELESS: u32 = 0xff;
}

impl Lowerer<'_> {
    /// The `svm_*` family.
    pub(crate) fn svm(&mut self, op: &Visa<'_>) -> Lowered {
        if self.lanes.exec.lanes() > 16 {
            return Err("a message of 32 lanes".into());
        }
        match *op {
            Visa::SvmBlock { store, unaligned, owords, address, data } => {
                self.svm_block(store, unaligned, owords, address, data)
            }
            Visa::SvmGather { store, block_bytes, blocks, addresses, data } => {
                let lanes = self.message_lanes();
                let (code, per_lane) = match (block_bytes, blocks) {
                    (1, 8) if !self.caps.memory.a64_gather_8_bytes => {
                        return Err("scattered messages of 8 bytes do not exist here".into());
                    }
                    (1, 8) => (0, 8),
                    (1, _) => (0, 4),
                    (4, n) => (1, 4 * u32::from(n)),
                    (_, n) => (2, 8 * u32::from(n)),
                };
                let kind = if store { a64::SCATTERED_WRITE } else { a64::SCATTERED_READ };
                let control =
                    kind << 14 | u32::from(lanes == 16) << 12 | blocks.trailing_zeros() << 10 | code << 8;
                let addresses = self.part(addresses, lanes * 8)?;
                self.svm_transfer(store, control, addresses, data, lanes * per_lane)
            }
            Visa::SvmScaled4 { store, mask, address, offsets, data } => {
                let lanes = self.message_lanes();
                let kind = if store { a64::UNTYPED_WRITE } else { a64::UNTYPED_READ };
                let control = kind << 14 | simd_mode3(lanes) << 12 | disabled(mask) << 8;
                let offsets = self.part(offsets, lanes * 8)?;
                let addresses = self.add_offset(offsets, address, Type::Uq)?;
                self.svm_transfer(store, control, addresses, data, lanes * 4 * mask.count())
            }
            Visa::SvmAtomic { op, bits, addresses, srcs, dst } => {
                self.svm_atomic(op, bits, addresses, srcs, dst)
            }
            _ => Err("not lowered yet".into()),
        }
    }

    fn svm_transfer(
        &mut self,
        store: bool,
        control: u32,
        addresses: Part,
        data: RawOperand,
        bytes: u32,
    ) -> Lowered {
        let message =
            Message { sfid: Sfid::Dc1, control: control | a64::STATELESS, header: false, response: 0 };
        if store {
            self.note_write(None);
            let data = self.part(data, bytes)?;
            self.send(message, VReg::NULL, &[addresses, data], None);
            return Ok(());
        }
        let (dst, copy) = self.response(data, bytes)?;
        self.send(Message { response: bytes.div_ceil(self.grf()), ..message }, dst, &[addresses], None);
        if let Some(to) = copy {
            self.copy_response(to, dst, bytes);
        }
        Ok(())
    }

    /// A header whose first qword is the address.
    fn address_header(&mut self, address: &visa::VectorOperand) -> Lowered<VReg> {
        let header = self.zero_register();
        let address = self.scalar_src(address)?;
        self.emit(build::mov(Lanes::SCALAR, Dst::packed(header, Type::Uq), widen(address)));
        Ok(header)
    }

    fn svm_block(
        &mut self,
        store: bool,
        unaligned: bool,
        owords: u8,
        address: &visa::VectorOperand,
        data: RawOperand,
    ) -> Lowered {
        let header = Part { reg: self.address_header(address)?, len: 1 };
        let bytes = u32::from(owords) * 16;
        let kind = if store { a64::BLOCK_WRITE } else { a64::BLOCK_READ };
        let control =
            kind << 14 | u32::from(unaligned && !store) << 11 | oword_code(owords)? << 8 | a64::STATELESS;
        let message = Message { sfid: Sfid::Dc1, control, header: true, response: 0 };
        let exec = block_exec(owords);
        if store {
            self.note_write(None);
            let data = self.part(data, bytes)?;
            self.send_block(exec.max(gen_ir::ExecSize::S8), message, VReg::NULL, &[header, data], None);
            return Ok(());
        }
        self.block_load(exec, message, header, data, bytes, None)
    }

    /// A block read: the response may be less than a register.
    pub(super) fn block_load(
        &mut self,
        exec: gen_ir::ExecSize,
        message: Message,
        header: Part,
        data: RawOperand,
        bytes: u32,
        surface: Option<super::Surface>,
    ) -> Lowered {
        let (dst, copy) = self.response(data, bytes)?;
        let message = Message { response: bytes.div_ceil(self.grf()), ..message };
        self.send_block(exec, message, dst, &[header], surface);
        if let Some(to) = copy {
            self.copy_bytes(to, dst, bytes);
        }
        Ok(())
    }

    fn svm_atomic(
        &mut self,
        op: visa::AtomicOp,
        bits: u8,
        addresses: RawOperand,
        srcs: [RawOperand; 2],
        dst: RawOperand,
    ) -> Lowered {
        let (code, float) = atomic_code(op);
        let lanes = self.message_lanes();
        if lanes > u32::from(self.caps.memory.simd_message) {
            return Err("a 64-bit address atomic wider than the message".into());
        }
        let kind = match (bits, float) {
            (16, false) => a64::ATOMIC_HALF,
            (16, true) => a64::ATOMIC_HALF_FLOAT,
            (_, false) => a64::ATOMIC,
            (_, true) => a64::ATOMIC_FLOAT,
        };
        self.note_write(None);
        let returns = !dst.is_null();
        let control =
            kind << 14 | u32::from(returns) << 13 | u32::from(bits == 64) << 12 | code << 8 | a64::STATELESS;
        let bytes = lanes * if bits == 64 { 8 } else { 4 };
        let mut parts = Parts::new();
        parts.push(self.part(addresses, lanes * 8)?);
        for operand in atomic_operands(op, srcs) {
            parts.push(self.part(operand, bytes)?);
        }
        let response = if returns { bytes.div_ceil(self.grf()) } else { 0 };
        let (target, copy) = self.response(dst, bytes)?;
        let message = Message { sfid: Sfid::Dc1, control, header: false, response };
        self.send(message, target, &parts, None);
        if let Some(to) = copy {
            self.copy_response(to, target, bytes);
        }
        Ok(())
    }
}

/// An address as an unsigned qword.
fn widen(address: build::VSrc) -> build::VSrc {
    match address {
        Src::Direct { reg, region, mods, ty } if ty.bytes() == 8 => {
            Src::Direct { reg, region, mods, ty: Type::Uq }
        }
        Src::Imm { bits, ty } => Src::imm(crate::lower::alu::extend(bits, ty), Type::Uq),
        other => other,
    }
}
