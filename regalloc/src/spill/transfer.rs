//! The messages that fill and save temporaries.
//!
//! They are "scratch block read" and "scratch block write" of data cache 0 (Intel PRM Skylake volume 2d,
//! "MSD_SCRATCH"; [`ScratchBlock`]); the header is `r0`. Where messages are not split (Gen8), data follows the
//! header, so the temporary of a write has a register in front.
//!
//! The offset of a message reaches 128 kB. What the kernel itself keeps in scratch memory comes first; if spills do
//! not find room behind that, a header of their own has the scratch base advanced to there (dword 5, bits 31:10:
//! in units of 1 kB), as the headers of functions have it ([`gen_ir::scratch`]).
//!
//! Where scratch memory is a surface, dword 5 of a header names the surface's state, which no addition moves. What
//! does not count from the thread's first byte (functions' frames), or lies beyond the reach, goes by LSC messages
//! to that surface: an address of 32 bits, and the surface in the extended descriptor, which is an address
//! register (Intel's finalizer, `expandSpillLSC`, with `a0.2`). The header has the frame's base and the surface.

use super::{Spiller, raw_copy};
use crate::spill::{chunks::chunks, plan::Use};
use gen_ir::{
    Desc, Dst, ExecSize, GrfNum, Inst, Op, Reg, SendBuilder, SendLengths, Sfid, Src, Type, VarId, Virtual,
    scratch::{BASE_BYTE, SURFACE_BYTE, SURFACE_SHIFT},
};
use messages::{
    Access, Descriptor,
    hdc::ScratchBlock,
    lsc::{AddressModel, AddressSize, DataSize, Op as LscOp, Untyped, VectorSize},
};
use narrow::{to_u8, to_u16};

/// Bytes that a scratch message counts in.
const UNIT: u32 = 32;

impl Spiller<'_> {
    /// Fills a temporary from memory.
    pub(super) fn read(&mut self, out: &mut Vec<Inst<Virtual>>, u: &Use, origin: u32) {
        let temp = self.temps[u.temp.index()];
        let slot = self.slot[temp.var];
        for (at, n) in chunks(temp.end - temp.first, self.grf) {
            let offset = slot + (temp.first + at) * self.grf;
            if self.by_surface {
                let data = self.reg(u.temp, temp.front + at * self.grf);
                self.by_surface(out, (offset, data, n), Access::Load, origin);
                self.count.fills += 1;
                continue;
            }
            let lengths = SendLengths::of(1, 0, n);
            let message = self.scratch_block((offset, n), Access::Load, self.header(), lengths);
            let response = self.reg(u.temp, temp.front + at * self.grf);
            out.push(self.built(SendBuilder { response, ..message }, origin));
            self.count.fills += 1;
        }
    }

    /// Saves a temporary to memory.
    pub(super) fn write(&mut self, out: &mut Vec<Inst<Virtual>>, u: &Use, origin: u32) {
        let temp = self.temps[u.temp.index()];
        let slot = self.slot[temp.var];
        for (nth, (at, n)) in chunks(temp.end - temp.first, self.grf).enumerate() {
            let offset = slot + (temp.first + at) * self.grf;
            let data = self.reg(u.temp, temp.front + at * self.grf);
            self.count.spills += 1;
            if self.by_surface {
                self.by_surface(out, (offset, data, n), Access::Store, origin);
                continue;
            }
            if self.caps.sends.split {
                let lengths = SendLengths::of(1, n, 0);
                let message = self.scratch_block((offset, n), Access::Store, self.header(), lengths);
                out.push(self.built(SendBuilder { second: Some(data), ..message }, origin));
                continue;
            }
            // Header, then data. The first chunk has room in front; others are copied.
            let lanes = ExecSize::from_lanes(self.grf / 4).unwrap_or(ExecSize::S8);
            let message = if nth == 0 {
                self.reg(u.temp, temp.front - self.grf)
            } else {
                let to = self.reg(u.messages.plus(nth - 1), 0);
                for r in 0..n {
                    let (to, from) = (to.plus((1 + r) * self.grf), data.plus(r * self.grf));
                    out.push(raw_copy(lanes, to, from, Type::Ud, origin));
                }
                to
            };
            out.push(raw_copy(lanes, message, self.header(), Type::Ud, origin));
            let lengths = SendLengths::of(1 + n, 0, 0);
            out.push(self.built(self.scratch_block((offset, n), Access::Store, message, lengths), origin));
        }
    }

    /// A message that reads or writes a scratch block of registers. Offsets are within reach, blocks of 1, 2, 4 or 8
    /// times 32 bytes.
    fn scratch_block(
        &self,
        (offset, regs): (u32, u32),
        access: Access,
        payload: Reg<Virtual>,
        lengths: SendLengths,
    ) -> SendBuilder<Virtual> {
        let bytes = regs * self.grf;
        let block = ScratchBlock::new()
            .with_offset(to_u16((offset - self.from) / UNIT))
            .with_size_log2(to_u8((bytes / UNIT).ilog2()))
            .with_by_dword(access.is_store())
            .with_access(access);
        let desc = Descriptor::from(block).with_header_present(true);
        let exec = if bytes >= 64 { ExecSize::S16 } else { ExecSize::S8 };
        SendBuilder::new(self.caps, exec, Sfid::Dc0, desc, payload, lengths)
    }

    /// A message is an instruction, outside of the execution mask.
    fn built(&self, message: SendBuilder<Virtual>, origin: u32) -> Inst<Virtual> {
        Inst { no_mask: true, origin, ..message.build(self.caps) }
    }

    /// The message header: `r0`, or that of the function's frame.
    fn header(&self) -> Reg<Virtual> {
        self.frame.map_or(Reg::grf(GrfNum::R0, 0), |v| Reg::var_at(v, 0))
    }

    /// A message to the scratch surface at `offset` of the frame, and what comes before it: `data` comes from
    /// there, or goes there.
    fn by_surface(
        &mut self,
        out: &mut Vec<Inst<Virtual>>,
        (offset, data, regs): (u32, Reg<Virtual>, u32),
        access: Access,
        origin: u32,
    ) {
        let Some(frame) = self.frame else { return };
        let scalar = |op, to, src| Inst {
            no_mask: true,
            dst: Dst::packed(to, Type::Ud),
            src,
            origin,
            ..Inst::new(op, ExecSize::S1)
        };
        let from = |byte| Src::scalar(Reg::var_at(frame, byte), Type::Ud);
        let address = Reg::var_at(frame, 0);
        out.push(scalar(Op::Add, address, [from(BASE_BYTE), Src::ud(offset), Src::None]));
        let surface = *self.surface.get_or_insert_with(|| {
            let var = VarId(self.next_surface);
            self.next_surface += 1;
            self.count.surfaces += 1;
            let state = [from(SURFACE_BYTE), Src::uw(SURFACE_SHIFT), Src::None];
            out.push(scalar(Op::Shr, Reg::var_at(var, 0), state));
            var
        });
        let desc = Untyped::new()
            .with_op(Some(if access.is_store() { LscOp::Store } else { LscOp::Load }))
            .with_address_size(Some(AddressSize::A32))
            .with_data_size(Some(DataSize::D32))
            .with_vector_size(VectorSize::of(regs * self.grf / 4))
            .with_transpose(true)
            .with_address_model(Some(AddressModel::Ss));
        let (response, second, lengths) = match access {
            Access::Load => (data, None, SendLengths::of(1, 0, regs)),
            Access::Store => (Reg::NULL, Some(data), SendLengths::of(1, regs, 0)),
        };
        let send = SendBuilder {
            ex_desc: Desc::Reg(Reg::var_at(surface, 0)),
            surface_offset: true,
            second,
            response,
            ..SendBuilder::new(self.caps, ExecSize::S1, Sfid::Ugm, desc.into(), address, lengths)
        };
        out.push(self.built(send, origin));
    }
}
