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
    Desc, Dst, ExecSize, GrfNum, Inst, Op, Options, Payload, Reg, Region, SendInfo, Sfid, Src, Type, VarId,
    Virtual,
    scratch::{BASE_BYTE, SURFACE_BYTE, SURFACE_SHIFT},
};
use messages::{
    Access, Descriptor, ExtendedDescriptor, ExtendedLength, MessageLength, ResponseLength,
    hdc::ScratchBlock,
    lsc::{AddressModel, AddressSize, DataSize, Op as LscOp, Untyped, VectorSize},
};
use narrow::{to_u8, to_u16};

/// Bytes that a scratch message counts in.
const UNIT: u32 = 32;

/// Lengths of a message.
struct Lengths {
    dst: ResponseLength,
    src0: MessageLength,
    src1: ExtendedLength,
}

impl Lengths {
    /// Of what goes out alone.
    fn out(src0: u32, src1: u32) -> Lengths {
        let (src0, src1) = (MessageLength::of(src0), ExtendedLength::of(src1));
        Lengths { dst: ResponseLength::NONE, src0, src1 }
    }
}

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
            let mut i = self.send(Op::Send, n, origin);
            i.dst = Dst::packed(self.reg(u.temp, temp.front + at * self.grf), send_type(i.exec));
            i.src[0] = Src::payload(self.header(), i.exec);
            if self.xe {
                i.src[1] = Src::new(Reg::NULL, Region::PACKED, Type::Ud);
            }
            let lens = Lengths { dst: ResponseLength::of(n), ..Lengths::out(1, 0) };
            i.payload = self.info(self.message(offset, n, Access::Load), lens);
            out.push(i);
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
            let op = if self.split_send && !self.xe { Op::Sends } else { Op::Send };
            let mut i = self.send(op, n, origin);
            i.dst = Dst::null(send_type(i.exec));
            if self.split_send {
                i.src[0] = Src::payload(self.header(), i.exec);
                i.src[1] = Src::payload(data, i.exec);
                i.payload = self.info(self.message(offset, n, Access::Store), Lengths::out(1, n));
                out.push(i);
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
            i.src[0] = Src::payload(message, i.exec);
            i.payload = self.info(self.message(offset, n, Access::Store), Lengths::out(1 + n, 0));
            out.push(i);
        }
    }

    /// The descriptor of a scratch block. Offsets are within reach, blocks of 1, 2, 4 or 8 times 32 bytes.
    fn message(&self, offset: u32, regs: u32, access: Access) -> ScratchBlock {
        let units = regs * self.grf / UNIT;
        ScratchBlock::new()
            .with_offset(to_u16((offset - self.from) / UNIT))
            .with_size_log2(to_u8(units.ilog2()))
            .with_by_dword(access.is_store())
            .with_access(access)
    }

    fn send(&self, op: Op, regs: u32, origin: u32) -> Inst<Virtual> {
        let exec = if regs * self.grf >= 64 { ExecSize::S16 } else { ExecSize::S8 };
        Inst { no_mask: true, origin, ..Inst::new(op, exec) }
    }

    /// The message header: `r0`, or that of the function's frame.
    fn header(&self) -> Reg<Virtual> {
        self.frame.map_or(Reg::grf(GrfNum::R0, 0), |v| Reg::var_at(v, 0))
    }

    fn info(&self, desc: ScratchBlock, lens: Lengths) -> Payload<Virtual> {
        let desc = Descriptor::from(desc).with_header_present(true).with_lengths(lens.src0, lens.dst);
        let ex_desc = if self.length_in_word {
            ExtendedDescriptor::new()
        } else {
            ExtendedDescriptor::of_length(lens.src1)
        };
        Payload::Send(SendInfo {
            sfid: Sfid::Dc0,
            desc: Desc::Imm(desc),
            ex_desc: Desc::Imm(ex_desc),
            eot: false,
            dst_len: lens.dst.registers(),
            src0_len: lens.src0.registers(),
            src1_len: lens.src1.registers(),
        })
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
        let lens = match access {
            Access::Load => Lengths { dst: ResponseLength::of(regs), ..Lengths::out(1, 0) },
            Access::Store => Lengths::out(1, regs),
        };
        let desc = Untyped::new()
            .with_op(Some(if access.is_store() { LscOp::Store } else { LscOp::Load }))
            .with_address_size(Some(AddressSize::A32))
            .with_data_size(Some(DataSize::D32))
            .with_vector_size(VectorSize::of(regs * self.grf / 4))
            .with_transpose(true)
            .with_address_model(Some(AddressModel::Ss));
        let mut send = self.send(Op::Send, regs, origin);
        send.exec = ExecSize::S1;
        // The register is all surface, the instruction says how long the data is.
        send.opts = send.opts.with(Options::EX_BSO);
        let (response, second) = if access.is_store() { (Reg::NULL, data) } else { (data, Reg::NULL) };
        send.dst = Dst::packed(response, Type::Ud);
        send.src = [Src::payload(address, send.exec), Src::payload(second, send.exec), Src::None];
        send.payload = Payload::Send(SendInfo {
            sfid: Sfid::Ugm,
            desc: Desc::Imm(Descriptor::from(desc).with_lengths(lens.src0, lens.dst)),
            ex_desc: Desc::Reg(Reg::var_at(surface, 0)),
            eot: false,
            dst_len: lens.dst.registers(),
            src0_len: lens.src0.registers(),
            src1_len: lens.src1.registers(),
        });
        out.push(send);
    }
}

fn send_type(exec: ExecSize) -> Type {
    if exec == ExecSize::S16 { Type::W } else { Type::Ud }
}
