//! Messages: payloads inside their variables and at register boundaries, operands that may be missing,
//! sources of atomics, shapes of blocks, surfaces.

use narrow::{low_u32, to_index};

use super::{Checker, Rule};
use crate::{Access, ids::*, inst::Inst, lsc::*, op::*, operand::*, types::*};

/// The bit of a raw send's extended descriptor by which the message ends its thread: it has no response.
const END_OF_THREAD: u32 = 1 << 5;

impl Checker<'_> {
    pub(super) fn message(&mut self, index: usize, inst: &Inst<'_>) {
        let lanes = inst.exec.size.lanes();
        let at = Message { index, lanes };
        match inst.op {
            Op::Lsc(ref lsc) => self.lsc(at, lsc),
            Op::LscTyped(ref lsc) => self.lsc_typed(at, lsc),
            Op::LscBlock2d(ref lsc) => self.lsc_block2d(at, lsc),
            Op::Sample(ref s) if s.kind == SampleKind::Gather => self.sample(at, s, 4),
            Op::Sample(ref s) => {
                let mask = ChannelMask(s.channels & 15);
                self.channels(index, mask);
                self.sample(at, s, mask.count());
            }
            Op::Info3d { channels, surface, lod, dst, .. } => {
                self.surface(index, surface);
                self.channels(index, channels);
                if let Some(lod) = lod {
                    self.payload(at, "level of detail", lod, lanes * 4);
                }
                let bytes = self.rows(channels.count(), lanes * 4);
                self.data(at, Access::Load, dst, bytes);
            }
            Op::RtWrite(ref rt) => self.rt_write(at, rt),
            Op::UrbWrite { handle, .. } => self.there(at, "urb handle", handle),
            Op::RawSend { ext_desc, src_len, dst_len, src, dst, .. } => {
                self.registers(at, "source", src, src_len.into(), 1..=15);
                self.there(at, "source", src);
                let most = if ext_desc & END_OF_THREAD != 0 { 0 } else { 16 };
                self.registers(at, "destination", dst, dst_len.into(), 0..=most);
            }
            Op::RawSends { end, src_len, dst_len, ext_desc, srcs, dst, .. } => {
                self.registers(at, "source 0", srcs[0], src_len[0].into(), 0..=31);
                if src_len[0] > 0 {
                    self.there(at, "source 0", srcs[0]);
                }
                self.registers(at, "source 1", srcs[1], src_len[1].into(), 0..=31);
                let ends = ext_desc.immediate().is_some_and(|e| low_u32(e) & END_OF_THREAD != 0);
                let most = if end == SendEnd::EndsThread || ends { 0 } else { 31 };
                self.registers(at, "destination", dst, dst_len.into(), 0..=most);
            }
            Op::Dpas { weight, activation, depth, repeat, dst, srcs, src2 } => {
                let element = |raw: RawOperand| self.kernel.var_type(raw.var).map_or(4, Type::bytes).min(4);
                let rows = lanes * u32::from(repeat);
                let (to, from) = (rows * element(dst), rows * element(srcs[0]));
                self.data(at, Access::Load, dst, to);
                self.payload(at, "source 0", srcs[0], from);
                let dwords = Precision::weight_dwords(weight, activation, depth.into());
                self.payload(at, "source 1", srcs[1], lanes * 4 * dwords);
                if let VectorOperand::General(g) = src2 {
                    let row = Precision::elements_of_stage(weight, activation) * activation.bits();
                    self.matrix_row(index, g, row);
                }
            }
            Op::Fcall { arg_size, return_size, .. } | Op::Ifcall { arg_size, return_size, .. } => {
                self.call_size(index, "argument size", arg_size, 32);
                self.call_size(index, "return size", return_size, 12);
            }
            _ => self.data_port(at, inst),
        }
    }

    /// Reads, writes and atomics of surfaces and of virtual memory, but for those of the load/store cache.
    fn data_port(&mut self, at: Message, inst: &Inst<'_>) {
        let Message { index, lanes } = at;
        match inst.op {
            Op::OwordBlock { owords, data, access, .. } => {
                self.data(at, access, data, 16 * u32::from(owords))
            }
            Op::MediaBlock { surface, width, height, data, access, .. } => {
                self.surface(index, surface);
                self.media(at, access, width, height, data);
            }
            Op::Gather { element_bytes, offsets, data, access, .. } => {
                self.payload(at, "offsets", offsets, lanes * 4);
                self.data(at, access, data, lanes * u32::from(element_bytes));
            }
            Op::Typed4 { mask, surface, coords, data, access } => {
                self.surface(index, surface);
                self.channels(index, mask);
                self.coords(at, &coords, lanes * 4);
                let bytes = self.rows(mask.count(), lanes * 4);
                self.data(at, access, data, bytes);
            }
            Op::Scaled4 { mask, offsets, data, access, .. } => {
                self.channels(index, mask);
                self.payload(at, "offsets", offsets, lanes * 4);
                let bytes = self.rows(mask.count(), lanes * 4);
                self.data(at, access, data, bytes);
            }
            Op::Scaled { offsets, data, access, .. } => {
                self.payload(at, "offsets", offsets, lanes * 4);
                self.data(at, access, data, lanes * 4);
            }
            Op::Qword { blocks, offsets, data, access, .. } => {
                self.payload(at, "offsets", offsets, lanes * 4);
                self.data(at, access, data, lanes * 8 * u32::from(blocks));
            }
            Op::Atomic { op, bits, offsets, srcs, dst, .. } => {
                self.payload(at, "offsets", offsets, lanes * 4);
                self.atomic(at, op, bits, srcs, dst);
            }
            Op::TypedAtomic { op, bits, surface, coords, srcs, dst } => {
                self.surface(index, surface);
                self.coords(at, &coords, lanes * 4);
                self.atomic(at, op, bits, srcs, dst);
            }
            Op::SvmBlock { owords, data, access, .. } => self.data(at, access, data, 16 * u32::from(owords)),
            Op::SvmGather { block_bytes, blocks, addresses, data, access } => {
                self.svm_blocks(at, block_bytes, blocks);
                self.payload(at, "addresses", addresses, lanes * 8);
                let per_lane = match block_bytes {
                    1 => u32::from(blocks).next_multiple_of(4),
                    n => u32::from(n) * u32::from(blocks),
                };
                self.data(at, access, data, lanes * per_lane);
            }
            Op::SvmAtomic { op, bits, addresses, srcs, dst } => {
                self.payload(at, "addresses", addresses, lanes * 8);
                self.atomic(at, op, bits, srcs, dst);
            }
            Op::SvmScaled4 { mask, offsets, data, access, .. } => {
                self.channels(index, mask);
                self.payload(at, "offsets", offsets, lanes * 8);
                let bytes = self.rows(mask.count(), lanes * 4);
                self.data(at, access, data, bytes);
            }
            _ => {}
        }
    }

    /// Registers that a call hands over.
    fn call_size(&mut self, index: usize, field: &'static str, size: u8, most: u8) {
        if size > most {
            let message = format!("{size} registers, allowed: 0 to {most}");
            self.report(Rule::CallSize, Some(index), field, message);
        }
    }

    /// Bytes of `count` channels or elements of `bytes` each, of which all but the last fill registers.
    pub(super) fn rows(&self, count: u32, bytes: u32) -> u32 {
        count.saturating_sub(1) * bytes.next_multiple_of(self.options.grf_bytes) + bytes
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
            && start + bytes > size.max(grf)
        {
            let message =
                format!("{bytes} bytes from byte {start} on, but {name} lies in a variable of {size} bytes");
            self.report(Rule::PayloadSize, Some(at.index), field, message);
        }
    }

    /// What a message brings or takes. Stored data are there.
    fn data(&mut self, at: Message, access: Access, raw: RawOperand, bytes: u32) {
        let field = match access {
            Access::Load => "destination",
            Access::Store => "data",
        };
        if access.is_store() {
            self.there(at, field, raw);
        }
        self.payload(at, field, raw, bytes);
    }

    /// An operand that must not be `%null`.
    pub(super) fn there(&mut self, at: Message, field: &'static str, raw: RawOperand) {
        if raw.is_null() {
            let message = "found %null, allowed: a variable that holds it".to_owned();
            self.report(Rule::NullOperand, Some(at.index), field, message);
        }
    }

    fn absent(&mut self, at: Message, field: &'static str, raw: RawOperand, op: &str) {
        if !raw.is_null() {
            let name = self.kernel.var_name(raw.var);
            let message = format!("found {name}, but `{op}` has no {field}: allowed: %null");
            self.report(Rule::AtomicSources, Some(at.index), field, message);
        }
    }

    pub(super) fn coords(&mut self, at: Message, coords: &[RawOperand; 4], bytes: u32) {
        const FIELDS: [&str; 4] = ["u offsets", "v offsets", "r offsets", "level of detail"];
        for (field, raw) in FIELDS.into_iter().zip(coords) {
            self.payload(at, field, *raw, bytes);
        }
        self.there(at, FIELDS[0], coords[0]);
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

    fn atomic(&mut self, at: Message, op: AtomicOp, bits: u8, srcs: [RawOperand; 2], dst: RawOperand) {
        let bytes = at.lanes * if bits == 64 { 8 } else { 4 };
        let srcs = [("source 0", srcs[0]), ("source 1", srcs[1])];
        self.atomic_operands(at, (op.name(), op.sources()), bytes, srcs, dst);
    }

    fn lsc_atomic(&mut self, at: Message, op: LscOp, bytes: u32, srcs: [RawOperand; 2], dst: RawOperand) {
        let srcs = [("source 1", srcs[0]), ("source 2", srcs[1])];
        self.atomic_operands(at, (op.name(), op.atomic_sources()), bytes, srcs, dst);
    }

    /// Operands of an atomic, of so many bytes each; `op`: its name and how many sources it takes.
    fn atomic_operands(
        &mut self,
        at: Message,
        (op, count): (&str, u32),
        bytes: u32,
        srcs: [(&'static str, RawOperand); 2],
        dst: RawOperand,
    ) {
        self.sources(at, op, count, srcs);
        for (field, raw) in srcs {
            self.payload(at, field, raw, bytes);
        }
        self.payload(at, "destination", dst, bytes);
    }

    fn channels(&mut self, index: usize, mask: ChannelMask) {
        if mask.count() == 0 {
            let message = "no channel, allowed: one to four of R, G, B, A".to_owned();
            self.report(Rule::BlockShape, Some(index), "channel mask", message);
        }
    }

    /// A surface that is no shared local memory, where the message reads no such thing.
    fn surface(&mut self, index: usize, surface: SurfaceId) {
        if surface == SurfaceId::SLM {
            let message = "found %slm, which this message does not reach".to_owned();
            self.report(Rule::SurfaceClass, Some(index), "surface", message);
        }
    }

    /// Media blocks: up to 64 bytes wide, in rows of 4, 8, ... bytes that fill at most 256.
    fn media(&mut self, at: Message, access: Access, width: u8, height: u8, data: RawOperand) {
        let pitch = u32::from(width).next_power_of_two().max(4);
        if !(1..=64).contains(&width) {
            let message = format!("{width} bytes, allowed: 1 to 64");
            self.report(Rule::BlockShape, Some(at.index), "block width", message);
            return;
        }
        if !(1..=256 / pitch).contains(&u32::from(height)) {
            let message = format!("{height} rows of {width} bytes, allowed: 1 to {}", 256 / pitch);
            self.report(Rule::BlockShape, Some(at.index), "block height", message);
            return;
        }
        self.data(at, access, data, pitch * u32::from(height));
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

    fn sample(&mut self, at: Message, s: &Sample<'_>, channels: u32) {
        self.surface(at.index, s.surface);
        let element = self.kernel.var_type(s.dst.var).map_or(4, Type::bytes).min(4);
        let bytes = self.rows(channels, at.lanes * element);
        self.payload(at, "destination", s.dst, bytes);
        for raw in s.params.iter() {
            let element = self.kernel.var_type(raw.var).map_or(4, Type::bytes).min(4);
            self.payload(at, "parameters", raw, at.lanes * element);
        }
        if s.params.is_empty() {
            let message = "no coordinates".to_owned();
            self.report(Rule::NullOperand, Some(at.index), "parameters", message);
        }
    }

    fn rt_write(&mut self, at: Message, rt: &RtWrite<'_>) {
        self.surface(at.index, rt.surface);
        const FIELDS: [&str; 4] = ["red", "green", "blue", "alpha"];
        for (field, raw) in FIELDS.into_iter().zip(rt.color) {
            let element = self.kernel.var_type(raw.var).map_or(4, Type::bytes).min(4);
            self.payload(at, field, raw, at.lanes * element);
        }
        if let Some(depth) = rt.depth {
            self.payload(at, "depth", depth, at.lanes * 4);
        }
    }

    /// A payload whose length the instruction states in registers.
    fn registers(
        &mut self,
        at: Message,
        field: &'static str,
        raw: RawOperand,
        count: u32,
        allowed: std::ops::RangeInclusive<u32>,
    ) {
        if !allowed.contains(&count) {
            let message = format!("{count} registers, allowed: {} to {}", allowed.start(), allowed.end());
            self.report(Rule::MessageLength, Some(at.index), field, message);
        } else if count > 0 {
            self.payload(at, field, raw, count * self.options.grf_bytes);
        }
    }

    fn lsc(&mut self, at: Message, lsc: &Lsc<'_>) {
        self.lsc_common(at, lsc);
        let bytes = self.lsc_bytes(at, &lsc.shape);
        let address = match lsc.addr_size {
            LscAddrSize::A64 => 8,
            LscAddrSize::A16 => 2,
            _ => 4,
        };
        let addresses = if lsc.op.is_strided() { 1 } else { at.lanes };
        self.there(at, "addresses", lsc.addr);
        self.payload(at, "addresses", lsc.addr, addresses * address);
        match lsc.op.kind() {
            LscKind::Store => {
                self.there(at, "source 1", lsc.src1);
                self.payload(at, "source 1", lsc.src1, bytes);
            }
            LscKind::Load if lsc.op == LscOp::LoadStatus => self.payload(at, "destination", lsc.dst, 4),
            LscKind::Load => self.payload(at, "destination", lsc.dst, bytes),
            LscKind::Atomic => self.lsc_atomic(at, lsc.op, bytes, [lsc.src1, lsc.src2], lsc.dst),
            LscKind::Other => {}
        }
    }

    fn lsc_typed(&mut self, at: Message, lsc: &LscTyped<'_>) {
        self.lsc_caches(at, lsc.op, lsc.cache);
        if lsc.addr_type == LscAddrType::Flat {
            let message = "found flat, allowed: bti, ss, bss: pixels have a surface".to_owned();
            self.report(Rule::LscAddress, Some(at.index), "address type", message);
        }
        let coordinate = if lsc.addr_size == LscAddrSize::A16 { 2 } else { 4 };
        if lsc.op != LscOp::ReadStateInfo {
            self.coords(at, &lsc.coords, at.lanes * coordinate);
        }
        let bytes = self.lsc_bytes(at, &lsc.shape);
        match lsc.op.kind() {
            LscKind::Store => {
                self.there(at, "source 1", lsc.src1);
                self.payload(at, "source 1", lsc.src1, bytes);
            }
            LscKind::Load if lsc.op == LscOp::LoadQuad => self.payload(at, "destination", lsc.dst, bytes),
            LscKind::Atomic => self.lsc_atomic(at, lsc.op, bytes, [lsc.src1, lsc.src2], lsc.dst),
            _ => {}
        }
    }

    /// Bytes of the data of all lanes in registers.
    fn lsc_bytes(&self, at: Message, shape: &LscShape) -> u32 {
        let size = shape.size.register_bytes();
        match shape.order {
            LscOrder::Transpose => size * shape.per_address(),
            LscOrder::NonTranspose => self.rows(shape.per_address(), at.lanes * size),
        }
    }
}

/// The instruction being looked at.
#[derive(Clone, Copy)]
pub(super) struct Message {
    pub(super) index: usize,
    pub(super) lanes: u32,
}
