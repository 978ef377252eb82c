//! The prologue that loads the kernel's payload.

use gen_ir::{Dst, ExecSize, FileByte, GrfNum, Op, SendLengths, Sfid, Src, Type, Var};
use messages::{
    Access,
    lsc::{AddressModel, AddressSize, DataSize, Op as LscCode, Untyped, VectorSize},
    thread::GroupMember,
};
use narrow::to_u16;
use std::ops::Range;

use super::PayloadPart;
use super::lsc::codes::{GENERAL_STATE, LscMessage, binding};
use crate::{
    build::{self, Lanes, VReg},
    lower::Lowerer,
};

/// Cross-thread data are padded to this many bytes.
const CROSS_THREAD_ALIGN: u32 = 32;

impl Lowerer<'_> {
    /// The prologue: inputs come from memory at the address in `r0.0`, first the data of the thread
    /// group, then that of each thread, both in the order of their registers from `r1` on. The first of the group's may be
    /// in `r1` and not in memory.
    pub(crate) fn load_payload(&mut self) {
        let (grf, relocate) = (self.grf(), self.relocate_payload);
        // Whole registers, which is how runtimes lay out the data of threads.
        let per_thread = self.visa.attr_int("PerThreadInputSize").map_or(0, |v| v.max(0).cast_unsigned());
        let per_thread = per_thread.next_multiple_of(grf);
        let end =
            self.visa.inputs.iter().map(|i| u32::from(i.offset.max(0).cast_unsigned()) + u32::from(i.size));
        let end = end.max().unwrap_or(0);
        let first = grf + per_thread;
        let cross_thread = end.saturating_sub(first).next_multiple_of(CROSS_THREAD_ALIGN);
        let loaded = (first + cross_thread).div_ceil(grf);
        let mut free = to_u16(loaded)..self.out.grf_count;
        let inline = if self.inline_payload { u32::from(self.caps.thread.inline_bytes) } else { 0 };
        let inline = inline.min(cross_thread);
        let cross_thread = cross_thread - inline;
        if per_thread > 0 {
            // A launch may start behind it.
            self.out.payload_loads[0] = self.apart(|s| {
                if inline > 0 {
                    s.copy_inline(grf, first, inline);
                }
                let address = s.payload_address(&mut free);
                s.thread_address(address, cross_thread, per_thread, relocate);
                s.load_registers(address, &mut free, grf, per_thread)
            });
        }
        if cross_thread > 0 {
            let address = self.payload_address(&mut free);
            self.indirect_data(address);
            if relocate {
                self.move_payload(address);
            }
            self.out.payload_loads[1] = self.load_registers(address, &mut free, first + inline, cross_thread);
        }
    }

    /// Copies bytes of the register file, where a launch that starts at the first instruction finds what all threads are
    /// given, to where it belongs, behind what is the thread's own.
    fn copy_inline(&mut self, from: u32, to: u32, bytes: u32) {
        let at = |byte| VReg::in_file(FileByte::new(byte), self.grf());
        let (src, dst) = (Src::packed(at(from), Type::Ud), Dst::packed(at(to), Type::Ud));
        let lanes = ExecSize::from_lanes(bytes / 4).expect("bytes of a row are a power of two");
        self.emit(build::mov(Lanes::all(lanes), dst, src));
    }

    /// The last of the registers that are free, which is where an address waits. Each message has its own while there are more: in one
    /// register each would have to wait until the message before has read its address.
    fn payload_address(&mut self, free: &mut Range<u16>) -> VReg {
        let grf = self.grf();
        let at = GrfNum::new(free.end - 1).start(grf);
        free.end = (free.end - 1).max(free.start + 1);
        let address = self.var(Var { fixed: Some(at), no_spill: true, ..build::general(grf, grf) });
        VReg::var_at(address, 0)
    }

    /// `(r0.0 & ~63) + cross-thread bytes + thread * per-thread bytes`.
    fn thread_address(&mut self, address: VReg, cross_thread: u32, per_thread: u32, relocate: bool) {
        // No message but the loads may stand in the prologue.
        let mut dword = || VReg::var_at(self.var(Var { no_spill: true, ..build::general(4, 4) }), 0);
        let (base, thread) = (dword(), dword());
        let (ud, scalar) = (|r| Dst::packed(r, Type::Ud), |r| Src::scalar(r, Type::Ud));
        let id = Src::scalar(self.r0(4 * GroupMember::DWORD), Type::Uw);
        self.indirect_data(base);
        let number = Dst::packed(thread, Type::Uw);
        self.emit(build::op(
            Op::And,
            Lanes::SCALAR,
            number,
            &[id, Src::uw(to_u16(GroupMember::NUMBER_MASK))],
        ));
        self.emit(build::op(
            Op::Add,
            Lanes::SCALAR,
            ud(base),
            &[scalar(base), Src::uw(to_u16(cross_thread))],
        ));
        if relocate {
            self.move_payload(base);
        }
        let srcs = [scalar(base), Src::scalar(thread, Type::Uw), Src::uw(to_u16(per_thread))];
        self.emit(build::op(Op::Mad, Lanes::SCALAR, ud(address), &srcs));
    }

    /// Adds the bytes that a runtime puts before the payload.
    fn move_payload(&mut self, address: VReg) {
        self.out.outside = true;
        let srcs = [Src::scalar(address, Type::Ud), Src::ud(crate::lower::address::UNLINKED)];
        let mut add = build::op(Op::Add, Lanes::SCALAR, Dst::packed(address, Type::Ud), &srcs);
        add.opts = add.opts.with(gen_ir::Options::SYMBOL_LOW);
        self.emit(add);
    }

    /// Loads `bytes` bytes at the address into the registers from byte `first` of the register file on;
    /// gives the number of messages.
    fn load_registers(&mut self, mut address: VReg, free: &mut Range<u16>, first: u32, bytes: u32) -> u16 {
        let grf = self.grf();
        let (mut at, mut messages) = (0, 0);
        while at < bytes {
            // Up to 64 dwords a message, whole registers but for the last.
            let left = (bytes - at) / 4;
            let dwords: u32 = 1 << left.clamp(1, 64).ilog2();
            let response = (dwords * 4).div_ceil(grf);
            let desc = Untyped::new()
                .with_op(Some(LscCode::Load))
                .with_address_size(Some(AddressSize::A32))
                .with_data_size(Some(DataSize::D32))
                .with_vector_size(VectorSize::of(dwords))
                .with_transpose(true)
                .with_cache_control(Access::CACHED_LOAD)
                .with_address_model(Some(AddressModel::Bti))
                .into();
            let dst = VReg::in_file(FileByte::new(first + at), grf);
            let message = LscMessage { sfid: Sfid::Ugm, desc, ex_desc: binding(GENERAL_STATE), response };
            let from = PayloadPart { reg: address, len: 1 };
            self.lsc_send_sized(Lanes::SCALAR, message, dst, from, None, SendLengths::of(1, 0, response));
            messages += 1;
            at += dwords * 4;
            if at < bytes {
                let srcs = [Src::scalar(address, Type::Ud), Src::uw(to_u16(dwords * 4))];
                address = self.payload_address(free);
                self.emit(build::op(Op::Add, Lanes::SCALAR, Dst::packed(address, Type::Ud), &srcs));
            }
        }
        messages
    }
}
