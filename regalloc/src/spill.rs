//! General variables in scratch memory.
//!
//! A spilled variable gets a slot of whole registers in the thread's scratch space. Each instruction
//! that touches it works on a temporary, as planned (`plan`): filled before, if an old value is
//! read or survives in part, and written back after. All messages ignore the execution mask, so what
//! waiting lanes hold moves along.
//!
//! Messages: "scratch block read" and "scratch block write" of data cache 0 (Intel PRM Skylake volume 2d,
//! "MSD_SCRATCH"; [`ScratchBlock`]); the header is `r0`. Where messages are not split (Gen8), data follows the
//! header, so the temporary of a write has a register in front.
//!
//! The offset of a message reaches 128 kB. What the kernel itself keeps in scratch memory comes first; if spills do
//! not find room behind that, a header of their own has the scratch base advanced to there (dword 5, bits 31:10:
//! in units of 1 kB), as the headers of functions have it.

use crate::{
    Error,
    home::Homes,
    liveness::Liveness,
    place::Item,
    plan::{Plan, Temp, Use, chunks},
    slots,
};
use gen_ir::{
    Base, Desc, Dst, ExecSize, Inst, Kernel, Op, Payload, Pool, Reg, Region, SendInfo, Sfid, Src, Type, Var,
    VarClass, VarId, Virtual,
};
use messages::{
    Descriptor, ExtendedDescriptor, ExtendedLength, MessageLength, ResponseLength, hdc::ScratchBlock,
};
use platforms::Layout;

/// Bytes that a scratch message counts in.
const UNIT: u32 = 32;
/// Bytes that the offset field of a scratch message reaches.
const REACH: u64 = 4096 * UNIT as u64;
/// Bytes that the scratch base in a header counts in.
const BASE_UNIT: u32 = 1024;
/// The byte of a header at which that is.
const BASE_BYTE: u32 = 20;

/// The thread's scratch memory, as far as it is given away.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Memory {
    /// The first byte that is free.
    pub top: u32,
    /// Where offsets in messages count from.
    base: u32,
}

impl Memory {
    /// All is free from byte `top` on.
    pub const fn from(top: u32) -> Memory {
        Memory { top, base: 0 }
    }

    /// Lets the messages of `kernel` count from what is free on, if that is nearer: they get a header of their own.
    /// Returns whether it is.
    pub fn advance(&mut self, kernel: &mut Kernel<Virtual>) -> bool {
        if kernel.scratch_header.is_some() || self.top < BASE_UNIT || kernel.blocks.is_empty() {
            return false;
        }
        self.base = self.top / BASE_UNIT * BASE_UNIT;
        let grf = u32::from(kernel.platform.caps().regs.grf_bytes);
        let header = Var { no_spill: true, live_out: true, ..Var::temp(VarClass::General, grf, grf) };
        let header = kernel.add_var(header);
        kernel.scratch_header = Some(header);
        let lanes = if grf == 64 { ExecSize::S16 } else { ExecSize::S8 };
        let origin = Inst::<Virtual>::NO_ORIGIN;
        let base = Reg::var_at(header, BASE_BYTE);
        let [_, loaded] = kernel.payload_ends();
        let code = [
            raw_copy(lanes, Reg::var_at(header, 0), Reg::grf(0, 0), Type::Ud, origin),
            Inst {
                no_mask: true,
                dst: Dst::packed(base, Type::Ud),
                src: [Src::scalar(base, Type::Ud), Src::ud(self.base), Src::None],
                origin,
                ..Inst::new(Op::Add, ExecSize::S1)
            },
        ];
        kernel.blocks[0].insts.splice(loaded..loaded, code);
        true
    }
}

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

/// Messages written.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Count {
    pub spills: u32,
    pub fills: u32,
}

/// Memory of spilling.
#[derive(Default)]
pub(crate) struct Scratch {
    /// Slot of each spilled variable: scratch offset in bytes. [`NO_SLOT`] for others.
    slot: Vec<u32>,
    slots: slots::Scratch,
    items: Vec<Item>,
    new: Vec<Inst<Virtual>>,
}

const NO_SLOT: u32 = u32::MAX;

struct Spiller<'a> {
    vars: &'a [Var],
    /// The register that messages have in front, but for `r0`.
    frame: Option<VarId>,
    slot: &'a [u32],
    temps: &'a [Temp],
    /// Variable of the first temporary.
    base: u32,
    grf: u32,
    /// Where offsets count from.
    from: u32,
    split_send: bool,
    xe: bool,
    lsc: bool,
    count: Count,
}

/// Moves `spilled`, for which `plan` was made, to scratch memory.
/// `live`: of the kernel as it was.
pub(crate) fn spill(
    kernel: &mut Kernel<Virtual>,
    (spilled, plan, live): (&[VarId], &Plan, &Liveness),
    homes: &mut Homes,
    memory: &mut Memory,
    scratch: &mut Scratch,
    pool: &mut Pool<Virtual>,
) -> Result<Count, Error> {
    let caps = kernel.platform.caps();
    let grf = u32::from(caps.regs.grf_bytes);
    give_slots(kernel, spilled, live, grf, memory, scratch)?;
    let base = kernel.vars.len() as u32;
    for t in &plan.temps {
        let even_grf = t.align > grf;
        let temp = Var::temp(VarClass::General, t.bytes(grf), grf);
        let id = kernel.add_var(Var { no_spill: true, even_grf, ..temp });
        homes.mark_piece(id);
        if homes.is_payload(VarId(t.var)) {
            homes.mark_payload(id);
        }
    }
    // From here on only the copies to memory read inputs.
    plan.inputs.iter().for_each(|i| kernel.vars[i.var as usize].no_spill = true);
    let Scratch { slot, new, .. } = scratch;
    let mut s = Spiller {
        vars: &kernel.vars,
        frame: kernel.scratch_header,
        slot,
        temps: &plan.temps,
        base,
        grf,
        from: memory.base,
        split_send: caps.sends.split,
        xe: caps.words.layout() == Layout::Xe,
        lsc: caps.memory.lsc,
        count: Count::default(),
    };
    let mut uses = &plan.uses[..];
    let mut start = 0;
    for (b, block) in kernel.blocks.iter_mut().enumerate() {
        let end = start + block.insts.len();
        let here = uses.partition_point(|u| (u.inst as usize) < end);
        let inputs = if b == 0 { &plan.inputs[..] } else { &[] };
        if here > 0 || !inputs.is_empty() {
            new.clear();
            // Inputs are there once the prologue has loaded them.
            s.block(&block.insts, start as u32, (&uses[..here], inputs), plan.loaded, new);
            pool.store(&mut block.insts, new);
        }
        uses = &uses[here..];
        start = end;
    }
    Ok(s.count)
}

/// Gives each variable a slot; variables that are never live together share.
fn give_slots(
    kernel: &Kernel<Virtual>,
    spilled: &[VarId],
    live: &Liveness,
    grf: u32,
    memory: &mut Memory,
    scratch: &mut Scratch,
) -> Result<(), Error> {
    let base = u64::from(memory.top).next_multiple_of(u64::from(grf));
    let reach = u64::from(memory.base) + REACH;
    let regs = (reach.saturating_sub(base) / u64::from(grf)) as u32;
    let Scratch { slot, slots, items, .. } = scratch;
    items.clear();
    items.extend(spilled.iter().map(|&var| Item {
        var,
        bytes: kernel.vars[var.index()].bytes.next_multiple_of(grf),
        align: grf,
        fixed: None,
        low: 0,
        high: regs * grf,
        cost: f32::INFINITY,
        by_lane: false,
    }));
    let Some(used) = slots.place(items, live, regs, grf) else {
        let want: u64 = items.iter().map(|i| u64::from(i.bytes)).sum();
        return Err(Error::ScratchFull { bytes: base + want, limit: reach });
    };
    slot.clear();
    slot.resize(kernel.vars.len(), NO_SLOT);
    for (v, at) in spilled.iter().zip(&slots.at) {
        slot[v.index()] = base as u32 + at * grf;
    }
    memory.top = base as u32 + used * grf;
    Ok(())
}

impl Spiller<'_> {
    /// Writes a block's code anew, whose first instruction is number `start` among all. `inputs` are saved
    /// before instruction `loaded`.
    fn block(
        &mut self,
        old: &[Inst<Virtual>],
        start: u32,
        (mut uses, inputs): (&[Use], &[Use]),
        loaded: u32,
        new: &mut Vec<Inst<Virtual>>,
    ) {
        let mut done = 0;
        let mut saved = inputs.is_empty();
        loop {
            let next = uses.first().map(|u| u.inst);
            if !saved && next.is_none_or(|n| n >= loaded) {
                let at = (loaded - start) as usize;
                new.extend_from_slice(&old[done..at]);
                inputs.iter().for_each(|i| self.save_input(i, new));
                (saved, done) = (true, at);
            }
            let Some(inst) = next else { break };
            let (mine, rest) = uses.split_at(uses.iter().take_while(|u| u.inst == inst).count());
            let at = (inst - start) as usize;
            new.extend_from_slice(&old[done..at]);
            let origin = old[at].origin;
            for u in mine.iter().filter(|u| u.filled) {
                self.read(new, u, origin);
            }
            new.push(old[at].map_regs(|_, r| match r.base() {
                Base::Var(v) => match mine.iter().find(|u| u.var == v.0) {
                    Some(u) => {
                        let t = &self.temps[u.temp as usize];
                        self.reg(u.temp, t.front + r.byte - t.first * self.grf)
                    }
                    None => r,
                },
                _ => r,
            }));
            for u in mine.iter().filter(|u| u.saved) {
                self.write(new, u, origin);
            }
            (uses, done) = (rest, at + 1);
        }
        new.extend_from_slice(&old[done..]);
    }

    /// Inputs come in registers: copies one to its slot.
    fn save_input(&mut self, input: &Use, out: &mut Vec<Inst<Virtual>>) {
        let Var { bytes, fixed, .. } = self.vars[input.var as usize];
        let front = self.temps[input.temp as usize].front;
        let mut at = 0;
        while at < bytes {
            let left = (bytes - at).min(self.grf);
            let (ty, unit) = if left >= 4 && fixed.unwrap_or(0).is_multiple_of(4) {
                (Type::Ud, 4)
            } else if left >= 2 && fixed.unwrap_or(0).is_multiple_of(2) {
                (Type::Uw, 2)
            } else {
                (Type::Ub, 1)
            };
            let lanes = 1 << (left / unit).ilog2();
            let exec = ExecSize::from_lanes(lanes).unwrap_or(ExecSize::S1);
            let from = Reg::var_at(VarId(input.var), at);
            out.push(raw_copy(exec, self.reg(input.temp, front + at), from, ty, Inst::<Virtual>::NO_ORIGIN));
            at += exec.lanes() * unit;
        }
        self.write(out, input, Inst::<Virtual>::NO_ORIGIN);
    }

    /// A register of a temporary.
    fn reg(&self, temp: u32, byte: u32) -> Reg<Virtual> {
        Reg::var_at(VarId(self.base + temp), byte)
    }

    /// The descriptor of a scratch block. Offsets are below [`REACH`], blocks of 1, 2, 4 or 8 times 32 bytes.
    fn message(&self, offset: u32, regs: u32, write: bool) -> ScratchBlock {
        let units = regs * self.grf / UNIT;
        ScratchBlock::new()
            .with_offset(((offset - self.from) / UNIT) as u16)
            .with_size_log2(units.ilog2() as u8)
            .with_by_dword(write)
            .with_write(write)
    }

    fn send(&self, op: Op, regs: u32, origin: u32) -> Inst<Virtual> {
        let exec = if regs * self.grf >= 64 { ExecSize::S16 } else { ExecSize::S8 };
        Inst { no_mask: true, origin, ..Inst::new(op, exec) }
    }

    /// The message header: `r0`, or that of the function's frame.
    fn header(&self) -> Reg<Virtual> {
        self.frame.map_or(Reg::grf(0, 0), |v| Reg::var_at(v, 0))
    }

    fn info(&self, desc: ScratchBlock, lens: Lengths) -> Payload<Virtual> {
        let desc = Descriptor::from(desc).with_header_present(true).with_lengths(lens.src0, lens.dst);
        let ex_desc =
            if self.lsc { ExtendedDescriptor::new() } else { ExtendedDescriptor::of_length(lens.src1) };
        Payload::Send(SendInfo {
            sfid: Sfid::Dc0,
            desc: Desc::Imm(desc.into_bits()),
            ex_desc: Desc::Imm(ex_desc.into_bits()),
            eot: false,
            dst_len: lens.dst.registers(),
            src0_len: lens.src0.registers(),
            src1_len: lens.src1.registers(),
        })
    }

    fn read(&mut self, out: &mut Vec<Inst<Virtual>>, u: &Use, origin: u32) {
        let temp = self.temps[u.temp as usize];
        let slot = self.slot[u.var as usize];
        for (at, n) in chunks(temp.end - temp.first, self.grf) {
            let offset = slot + (temp.first + at) * self.grf;
            let mut i = self.send(Op::Send, n, origin);
            i.dst = Dst::packed(self.reg(u.temp, temp.front + at * self.grf), send_type(i.exec));
            i.src[0] = Src::payload(self.header(), i.exec);
            if self.xe {
                i.src[1] = Src::new(Reg::NULL, Region::PACKED, Type::Ud);
            }
            let lens = Lengths { dst: ResponseLength::of(n), ..Lengths::out(1, 0) };
            i.payload = self.info(self.message(offset, n, false), lens);
            out.push(i);
            self.count.fills += 1;
        }
    }

    fn write(&mut self, out: &mut Vec<Inst<Virtual>>, u: &Use, origin: u32) {
        let temp = self.temps[u.temp as usize];
        let slot = self.slot[u.var as usize];
        for (nth, (at, n)) in chunks(temp.end - temp.first, self.grf).enumerate() {
            let offset = slot + (temp.first + at) * self.grf;
            let data = self.reg(u.temp, temp.front + at * self.grf);
            self.count.spills += 1;
            let op = if self.split_send && !self.xe { Op::Sends } else { Op::Send };
            let mut i = self.send(op, n, origin);
            i.dst = Dst::null(send_type(i.exec));
            if self.split_send {
                i.src[0] = Src::payload(self.header(), i.exec);
                i.src[1] = Src::payload(data, i.exec);
                i.payload = self.info(self.message(offset, n, true), Lengths::out(1, n));
                out.push(i);
                continue;
            }
            // Header, then data. The first chunk has room in front; others are copied.
            let lanes = if self.grf == 64 { ExecSize::S16 } else { ExecSize::S8 };
            let message = if nth == 0 {
                self.reg(u.temp, temp.front - self.grf)
            } else {
                let to = self.reg(u.messages + nth as u32 - 1, 0);
                for r in 0..n {
                    let (to, from) = (to.plus((1 + r) * self.grf), data.plus(r * self.grf));
                    out.push(raw_copy(lanes, to, from, Type::Ud, origin));
                }
                to
            };
            out.push(raw_copy(lanes, message, self.header(), Type::Ud, origin));
            i.src[0] = Src::payload(message, i.exec);
            i.payload = self.info(self.message(offset, n, true), Lengths::out(1 + n, 0));
            out.push(i);
        }
    }
}

fn send_type(exec: ExecSize) -> Type {
    if exec == ExecSize::S16 { Type::W } else { Type::Ud }
}

fn raw_copy(exec: ExecSize, to: Reg<Virtual>, from: Reg<Virtual>, ty: Type, origin: u32) -> Inst<Virtual> {
    let region = if exec == ExecSize::S1 { Region::SCALAR } else { Region::PACKED };
    Inst {
        no_mask: true,
        dst: Dst::packed(to, ty),
        src: [Src::new(from, region, ty), Src::None, Src::None],
        origin,
        ..Inst::new(Op::Mov, exec)
    }
}
