//! Messages: payloads inside their variables and at register boundaries, operands that may be missing,
//! sources of atomics, shapes of blocks, surfaces.

use narrow::{low_u32, to_index};

use super::{Checker, Rule};
use crate::{inst::Inst, lsc::*, op::*, operand::*, types::*};

/// The bit of a raw send's extended descriptor by which the message ends its thread: it has no response.
const END_OF_THREAD: u32 = 1 << 5;

impl Checker<'_> {
    pub(super) fn message(&mut self, index: usize, inst: &Inst<'_>) {
        let lanes = inst.exec.size.lanes();
        let at = Message { index, lanes };
        inst.op.payloads(|raw, payload| self.payload_length(at, raw, payload));
        match inst.op {
            Op::Lsc(ref lsc) => self.lsc(at, lsc),
            Op::LscTyped(ref lsc) => self.lsc_typed(at, lsc),
            Op::LscBlock2d(ref lsc) => self.lsc_block2d(at, lsc),
            Op::Sample(ref s) => self.sample(index, s),
            Op::Info3d { channels, .. } => self.channels(index, channels),
            Op::RawSend { ext_desc, src_len, dst_len, .. } => {
                self.registers(index, "source", src_len, 1..=15);
                let most = if ext_desc & END_OF_THREAD != 0 { 0 } else { 16 };
                self.registers(index, "destination", dst_len, 0..=most);
            }
            Op::RawSends { end, src_len, dst_len, ext_desc, srcs, .. } => {
                self.registers(index, "source 0", src_len[0], 0..=31);
                if src_len[0] > 0 {
                    self.there(index, "source 0", srcs[0]);
                }
                self.registers(index, "source 1", src_len[1], 0..=31);
                let ends = ext_desc.immediate().is_some_and(|e| low_u32(e) & END_OF_THREAD != 0);
                let most = if end == SendEnd::EndsThread || ends { 0 } else { 31 };
                self.registers(index, "destination", dst_len, 0..=most);
            }
            Op::Dpas { .. } => self.matrix_operands(at, &inst.op),
            Op::Fcall { arg_size, return_size, .. } | Op::Ifcall { arg_size, return_size, .. } => {
                self.call_size(index, "argument size", arg_size, 32);
                self.call_size(index, "return size", return_size, 12);
            }
            Op::MediaBlock { width, height, .. } => self.media(at, width, height),
            Op::SvmGather { block_bytes, blocks, .. } => self.svm_blocks(at, block_bytes, blocks),
            Op::Atomic { op, srcs, .. }
            | Op::TypedAtomic { op, srcs, .. }
            | Op::SvmAtomic { op, srcs, .. } => {
                let srcs = [("source 0", srcs[0]), ("source 1", srcs[1])];
                self.sources(at, op.name(), op.sources(), srcs);
            }
            _ => {}
        }
    }

    /// The length of a payload that the table says.
    fn payload_length(&mut self, at: Message, raw: RawOperand, payload: Payload) {
        let holds = payload.holds.of_elements(self.kernel.payload_element_bytes(raw));
        match holds.total(at.lanes, self.options.grf_bytes) {
            None | Some(0) => {}
            Some(bytes) => self.payload(at, payload.slot.name, raw, bytes),
        }
    }

    /// The matrices of `dpas`: the accumulator goes in and comes out, the weights fill dwords.
    fn matrix_operands(&mut self, at: Message, op: &Op<'_>) {
        let Op::Dpas { weight, activation, depth, repeat, dst, srcs, src2 } = *op else { return };
        let rows = at.lanes * u32::from(repeat);
        for (field, raw) in [("destination", dst), ("source 0", srcs[0])] {
            self.payload(at, field, raw, rows * self.kernel.payload_element_bytes(raw));
        }
        let dwords = Precision::weight_dwords(weight, activation, depth.into());
        self.payload(at, "source 1", srcs[1], at.lanes * 4 * dwords);
        if let VectorOperand::General(g) = src2 {
            let row = Precision::elements_of_stage(weight, activation) * activation.bits();
            self.matrix_row(at.index, g, row);
        }
    }

    /// Registers that a call hands over.
    fn call_size(&mut self, index: usize, field: &'static str, size: u8, most: u8) {
        if size > most {
            let message = format!("{size} registers, allowed: 0 to {most}");
            self.report(Rule::CallSize, Some(index), field, message);
        }
    }

    /// `bytes` of a payload from a register boundary on, inside its variable.
    pub(super) fn payload(&mut self, at: Message, field: &'static str, raw: RawOperand, bytes: u32) {
        if raw.is_null() {
            return;
        }
        let Some(root) = self.root(raw.var) else { return };
        let start = root.offset + u32::from(raw.offset);
        let grf = self.options.grf_bytes;
        let name = self.kernel.var_name(raw.var).into_owned();
        if !start.is_multiple_of(grf) {
            let message = format!("{name}.{} is byte {start}, allowed: multiples of {grf}", raw.offset);
            self.report(Rule::OperandAlignment, Some(at.index), field, message);
        }
        // What is smaller than a register has the rest of it to itself: a block of 16 bytes may hold 8.
        if let Some(size) = root.bytes
            && start.saturating_add(bytes) > size.max(grf)
        {
            let message =
                format!("{bytes} bytes from byte {start} on, but {name} lies in a variable of {size} bytes");
            self.report(Rule::PayloadSize, Some(at.index), field, message);
        }
    }

    /// An operand that must not be `%null`.
    pub(super) fn there(&mut self, index: usize, field: &'static str, raw: RawOperand) {
        if raw.is_null() {
            let message = "found %null, allowed: a variable that holds it".to_owned();
            self.report(Rule::NullOperand, Some(index), field, message);
        }
    }

    fn absent(&mut self, at: Message, field: &'static str, raw: RawOperand, op: &str) {
        if !raw.is_null() {
            let name = self.kernel.var_name(raw.var);
            let message = format!("found {name}, but `{op}` has no {field}: allowed: %null");
            self.report(Rule::AtomicSources, Some(at.index), field, message);
        }
    }

    /// Sources of an atomic: as many as its operation takes.
    pub(super) fn sources(
        &mut self,
        at: Message,
        name: &str,
        count: u32,
        srcs: [(&'static str, RawOperand); 2],
    ) {
        for (i, (field, raw)) in srcs.into_iter().enumerate() {
            if to_index(i) < count {
                if raw.is_null() {
                    let message = format!("found %null, but `{name}` takes {count} sources");
                    self.report(Rule::AtomicSources, Some(at.index), field, message);
                }
            } else {
                self.absent(at, field, raw, name);
            }
        }
    }

    fn channels(&mut self, index: usize, mask: ChannelMask) {
        if mask.count() == 0 {
            self.no_channels(index);
        }
    }

    pub(super) fn no_channels(&mut self, index: usize) {
        let message = "no channel, allowed: one to four of R, G, B, A".to_owned();
        self.report(Rule::BlockShape, Some(index), "channel mask", message);
    }

    /// Media blocks: up to 64 bytes wide, in rows of 4, 8, ... bytes that fill at most 256.
    fn media(&mut self, at: Message, width: u8, height: u8) {
        let pitch = media_pitch(width.into());
        if !(1..=64).contains(&width) {
            let message = format!("{width} bytes, allowed: 1 to 64");
            self.report(Rule::BlockShape, Some(at.index), "block width", message);
            return;
        }
        if !(1..=256 / pitch).contains(&u32::from(height)) {
            let message = format!("{height} rows of {width} bytes, allowed: 1 to {}", 256 / pitch);
            self.report(Rule::BlockShape, Some(at.index), "block height", message);
        }
    }

    /// Blocks of a virtual memory gather.
    fn svm_blocks(&mut self, at: Message, block_bytes: u8, blocks: u8) {
        if blocks > 1 && block_bytes > 1 && at.lanes < 8 {
            let message = format!(
                "{blocks} blocks for {} lanes, allowed: 1 below 8 lanes, but for single bytes",
                at.lanes
            );
            self.report(Rule::BlockShape, Some(at.index), "number of blocks", message);
        }
        if blocks == 8 && (block_bytes == 8 || block_bytes == 4 && at.lanes > 8) {
            let message = format!(
                "8 blocks of {block_bytes} bytes for {} lanes, allowed: of 4 bytes for 8 lanes, or of 1 byte",
                at.lanes
            );
            self.report(Rule::BlockShape, Some(at.index), "number of blocks", message);
        }
    }

    /// A sample has an operation of its opcode and coordinates, and what is no gather has channels.
    fn sample(&mut self, index: usize, s: &Sample<'_>) {
        if s.op.kind() != Some(s.kind) {
            let message = format!("found `{}`", s.op);
            self.report(Rule::SamplerOperation, Some(index), "operation", message);
        }
        if s.kind != SampleKind::Gather {
            self.channels(index, ChannelMask(s.channels & 15));
        }
        if s.params.is_empty() {
            let message = "no coordinates".to_owned();
            self.report(Rule::NullOperand, Some(index), "parameters", message);
        }
    }

    /// The length of a payload that the instruction states in registers.
    fn registers(
        &mut self,
        index: usize,
        field: &'static str,
        count: u8,
        allowed: std::ops::RangeInclusive<u8>,
    ) {
        if !allowed.contains(&count) {
            let message = format!("{count} registers, allowed: {} to {}", allowed.start(), allowed.end());
            self.report(Rule::MessageLength, Some(index), field, message);
        }
    }

    fn lsc(&mut self, at: Message, lsc: &Lsc<'_>) {
        self.lsc_common(at, lsc);
        self.lsc_operands(at, lsc.op, [lsc.src1, lsc.src2]);
    }

    fn lsc_typed(&mut self, at: Message, lsc: &LscTyped<'_>) {
        self.lsc_caches(at, lsc.op, lsc.cache);
        if lsc.addr_type == LscAddrType::Flat {
            let message = "found flat, allowed: bti, ss, bss: pixels have a surface".to_owned();
            self.report(Rule::LscAddress, Some(at.index), "address type", message);
        }
        if lsc.op != LscOp::ReadStateInfo {
            self.there(at.index, "u addresses", lsc.coords[0]);
        }
        self.lsc_operands(at, lsc.op, [lsc.src1, lsc.src2]);
    }

    /// Data of a store are there; an atomic has as many as its operation takes.
    fn lsc_operands(&mut self, at: Message, op: LscOp, [first, second]: [RawOperand; 2]) {
        match op.kind() {
            LscKind::Store => self.there(at.index, "source 1", first),
            LscKind::Atomic => {
                let srcs = [("source 1", first), ("source 2", second)];
                self.sources(at, op.name(), op.atomic_sources(), srcs);
            }
            LscKind::Load | LscKind::Other => {}
        }
    }
}

/// The instruction being looked at.
#[derive(Clone, Copy)]
pub(super) struct Message {
    pub(super) index: usize,
    pub(super) lanes: u32,
}
