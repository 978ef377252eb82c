//! General variables in scratch memory.
//!
//! A spilled variable gets a slot of whole registers in the thread's scratch space. Each instruction
//! that touches it works on a temporary of the registers it touches: filled before, if an old value is
//! read or survives in part, and written back after. All messages ignore the execution mask, so what
//! waiting lanes hold moves along. A temporary that still holds the value serves the next few
//! instructions too.
//!
//! Messages: "scratch block read" and "scratch block write" of data cache 0 (Intel PRM Skylake volume 2d,
//! "MSD_SCRATCH"): descriptor bits 11:0 offset in 32-byte units, 13:12 log2 of the length in such units,
//! 16 dword mode of writes, 17 write, 18 scratch category, 19 header; the header is `r0`. Where messages
//! are not split (Gen8), data follows the header, so the temporary of a write has a register in front.

use crate::{
    Error,
    access::{Accesses, Kind},
    home::Homes,
    liveness::{Liveness, Range},
    place::{Guest, Item},
    slots,
};
use gen_ir::{
    Base, Desc, Dst, ExecSize, Inst, Kernel, Op, Payload, Pool, Reg, Region, SendInfo, Sfid, Src, Type, Var,
    VarClass, VarId, Virtual,
};
use platforms::Layout;

/// Bytes that the offset field of a scratch message reaches.
const REACH: u64 = 4096 * 32;

/// Instructions for which a filled temporary stays in use.
const KEEP: usize = 8;

/// Messages written.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Count {
    pub spills: u32,
    pub fills: u32,
}

/// A temporary that holds a part of a spilled variable.
#[derive(Clone, Copy)]
struct Temp {
    var: u32,
    id: VarId,
    /// First register of the variable that it holds, and one past the last.
    first: u32,
    end: u32,
    /// Bytes in front of the data.
    front: u32,
    /// Instruction that used it last.
    used: usize,
    /// Its place among the guests.
    guest: usize,
}

/// Memory of spilling.
#[derive(Default)]
pub(crate) struct Scratch {
    /// Slot of each spilled variable: scratch offset in bytes. [`NO_SLOT`] for others.
    slot: Vec<u32>,
    slots: slots::Scratch,
    items: Vec<Item>,
    /// Copies of inputs to their slots.
    entry: Vec<Inst<Virtual>>,
    new: Vec<Inst<Virtual>>,
    open: Vec<Temp>,
    writes: Vec<Temp>,
    mine: Vec<u32>,
    /// The temporaries, with the positions of the code as it was.
    pub guests: Vec<Guest>,
    /// Inputs among what was spilled: until they are in memory they need their registers, too.
    pub inputs: Vec<VarId>,
    /// The instruction before which that happens, in the code as it was.
    pub loaded: usize,
}

const NO_SLOT: u32 = u32::MAX;

struct Spiller<'a> {
    kernel: &'a mut Kernel<Virtual>,
    slot: &'a [u32],
    grf: u32,
    split_send: bool,
    xe: bool,
    lsc: bool,
    count: Count,
    homes: &'a mut Homes,
    guests: &'a mut Vec<Guest>,
}

/// What is known of the kernel as it is before.
pub(crate) struct Known<'a> {
    pub accesses: &'a Accesses,
    pub live: &'a Liveness,
}

/// Moves `spilled` to scratch memory from byte `*top` on, which moves up.
pub(crate) fn spill(
    kernel: &mut Kernel<Virtual>,
    spilled: &[VarId],
    homes: &mut Homes,
    known: &Known<'_>,
    top: &mut u32,
    scratch: &mut Scratch,
    pool: &mut Pool<Virtual>,
) -> Result<Count, Error> {
    let caps = kernel.platform.caps();
    let grf = u32::from(caps.grf_bytes);
    give_slots(kernel, spilled, known.live, grf, top, scratch)?;
    let Scratch { slot, entry, new, open, writes, mine, guests, inputs, loaded, .. } = scratch;
    guests.clear();
    inputs.clear();
    inputs.extend(spilled.iter().filter(|v| kernel.vars[v.index()].live_in));
    [_, *loaded] = kernel.payload_ends();
    let mut s = Spiller {
        kernel,
        slot,
        grf,
        split_send: caps.split_send,
        xe: caps.layout == Layout::Xe,
        lsc: caps.lsc,
        count: Count::default(),
        homes,
        guests,
    };
    entry.clear();
    s.save_inputs(inputs, *loaded, entry);
    for b in 0..s.kernel.blocks.len() {
        let touched = known.accesses.of_block(b).iter().any(|a| s.slot_of(a.var).is_some());
        if touched {
            new.clear();
            open.clear();
            s.block(b, known, new, open, writes, mine);
            pool.store(&mut s.kernel.blocks[b].insts, new);
        }
    }
    // Inputs are there once the prologue has loaded them.
    let [_, loaded] = s.kernel.payload_ends();
    if let Some(first) = s.kernel.blocks.first_mut() {
        pool.grow(&mut first.insts, entry.len());
        first.insts.splice(loaded..loaded, entry.drain(..));
    }
    Ok(s.count)
}

/// Gives each variable a slot; variables that are never live together share.
fn give_slots(
    kernel: &Kernel<Virtual>,
    spilled: &[VarId],
    live: &Liveness,
    grf: u32,
    top: &mut u32,
    scratch: &mut Scratch,
) -> Result<(), Error> {
    let base = u64::from(*top).next_multiple_of(u64::from(grf));
    let regs = (REACH.saturating_sub(base) / u64::from(grf)) as u32;
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
    }));
    let Some(used) = slots.place(items, live, regs, grf) else {
        let want: u64 = items.iter().map(|i| u64::from(i.bytes)).sum();
        return Err(Error::ScratchFull { bytes: base + want, limit: REACH });
    };
    slot.clear();
    slot.resize(kernel.vars.len(), NO_SLOT);
    for (v, at) in spilled.iter().zip(&slots.at) {
        slot[v.index()] = base as u32 + at * grf;
    }
    *top = base as u32 + used * grf;
    Ok(())
}

impl Spiller<'_> {
    fn slot_of(&self, var: u32) -> Option<u32> {
        self.slot.get(var as usize).copied().filter(|&s| s != NO_SLOT)
    }

    /// Inputs come in registers: copies them to their slots before anything else happens to them.
    fn save_inputs(&mut self, inputs: &[VarId], loaded: usize, out: &mut Vec<Inst<Virtual>>) {
        for &v in inputs {
            let var = self.kernel.vars[v.index()].clone();
            // From here on only the copy below reads it.
            self.kernel.vars[v.index()].no_spill = true;
            let regs = var.bytes.div_ceil(self.grf);
            let temp = self.temp(v.0, 0, regs, true, loaded);
            let mut at = 0;
            while at < var.bytes {
                let left = (var.bytes - at).min(self.grf);
                let (ty, unit) = if left >= 4 && var.fixed.unwrap_or(0).is_multiple_of(4) {
                    (Type::Ud, 4)
                } else if left >= 2 && var.fixed.unwrap_or(0).is_multiple_of(2) {
                    (Type::Uw, 2)
                } else {
                    (Type::Ub, 1)
                };
                let lanes = 1 << (left / unit).ilog2();
                let exec = ExecSize::from_lanes(lanes).unwrap_or(ExecSize::S1);
                out.push(raw_copy(
                    exec,
                    Reg::var_at(temp.id, temp.front + at),
                    Reg::var_at(v, at),
                    ty,
                    Inst::<Virtual>::NO_ORIGIN,
                ));
                at += exec.lanes() * unit;
            }
            self.write(out, temp, Inst::<Virtual>::NO_ORIGIN);
        }
    }

    fn temp(&mut self, var: u32, first: u32, end: u32, written: bool, used: usize) -> Temp {
        let even = self.kernel.vars[var as usize].even_grf;
        let front = match (written && !self.split_send, even) {
            (false, _) => 0,
            (true, false) => self.grf,
            (true, true) => 2 * self.grf,
        };
        let bytes = front + (end - first) * self.grf;
        let id = self.kernel.add_var(Var {
            no_spill: true,
            even_grf: even,
            ..Var::temp(VarClass::General, bytes, self.grf)
        });
        self.homes.mark_piece(id);
        self.guest(id, bytes, if even { 2 * self.grf } else { self.grf }, during(used));
        Temp { var, id, first, end, front, used, guest: self.guests.len() - 1 }
    }

    /// A variable is needed in these positions of the code as it was.
    fn guest(&mut self, var: VarId, bytes: u32, align: u32, range: Range) {
        self.guests.push(Guest { var, bytes, align, range });
    }

    /// Writes a block's code anew.
    fn block(
        &mut self,
        b: usize,
        known: &Known<'_>,
        new: &mut Vec<Inst<Virtual>>,
        open: &mut Vec<Temp>,
        writes: &mut Vec<Temp>,
        mine: &mut Vec<u32>,
    ) {
        let Known { accesses, live } = known;
        let range = accesses.block(b);
        let top = range.start as u32 * 2;
        for i in range.clone() {
            let inst = self.kernel.blocks[b].insts[i - range.start];
            mine.clear();
            mine.extend(accesses.of(i).iter().map(|a| a.var).filter(|&v| self.slot_of(v).is_some()));
            if mine.is_empty() {
                new.push(inst);
                continue;
            }
            mine.sort_unstable();
            mine.dedup();
            let at = i as u32 * 2;
            open.retain(|t| t.used + KEEP >= i);
            writes.clear();
            for &v in &*mine {
                let t = self.open(new, open, v, i, known, inst.origin, top);
                if accesses.of(i).iter().any(|a| a.var == v && a.kind.has(Kind::WRITE)) {
                    writes.push(t);
                }
            }
            new.push(inst.map_regs(|_, r| match r.base() {
                Base::Var(v) if self.slot_of(v.0).is_some() => {
                    match open.iter().rev().find(|t| t.var == v.0 && t.used == i) {
                        Some(t) => Reg::var_at(t.id, t.front + r.byte - t.first * self.grf),
                        None => r,
                    }
                }
                _ => r,
            }));
            let last = i + 1 == range.end;
            for &t in &*writes {
                let lives = if last { live.at_end(t.var, at + 2) } else { live.before(t.var, at + 2) };
                if lives {
                    self.write(new, t, inst.origin);
                }
                // Older copies of what was written are stale.
                open.retain(|o| o.var != t.var || o.id == t.id || o.end <= t.first || t.end <= o.first);
            }
        }
    }

    /// A temporary for variable `v` at instruction `i`, holding what is needed.
    #[allow(clippy::too_many_arguments)]
    fn open(
        &mut self,
        out: &mut Vec<Inst<Virtual>>,
        open: &mut Vec<Temp>,
        v: u32,
        i: usize,
        Known { accesses, live }: &Known<'_>,
        origin: u32,
        top: u32,
    ) -> Temp {
        let grf = self.grf;
        let at = i as u32 * 2;
        let (mut first, mut end) = (u32::MAX, 0);
        let (mut reads, mut written, mut early) = (false, false, false);
        let mut covers: Option<(u32, u32)> = None;
        for a in accesses.of(i).iter().filter(|a| a.var == v) {
            first = first.min(a.start / grf);
            end = end.max(a.end.div_ceil(grf));
            reads |= a.kind.has(Kind::READ);
            if a.kind.has(Kind::WRITE) {
                written = true;
                early |= a.kind.has(Kind::EARLY);
                let whole = a.kind.has(Kind::SURE) && !a.kind.has(Kind::MASKED) && a.pitch == a.elem;
                if whole {
                    covers = Some((a.start, a.end));
                }
            }
        }
        if let Some(t) = open.iter_mut().find(|t| {
            t.var == v && t.first <= first && end <= t.end && (!written || t.front > 0 || self.split_send)
        }) {
            t.used = i;
            self.guests[t.guest].range.end = at + 1 + u32::from(written);
            return *t;
        }
        let temp = self.temp(v, first, end, written, i);
        let bytes = self.kernel.vars[v as usize].bytes;
        // The last register of the variable may be part padding.
        let whole = covers.is_some_and(|(s, e)| s <= first * grf && e >= (end * grf).min(bytes)) && !reads;
        let old = || if at == top { live.at_start(v, at) } else { live.before(v, at) };
        let filled = reads || (!whole && old());
        if filled {
            self.read(out, temp, origin);
        }
        let needed = &mut self.guests[temp.guest].range;
        needed.start += u32::from(!filled && !early);
        needed.end -= u32::from(!written);
        open.push(temp);
        temp
    }

    /// Sizes of the messages that move `regs` registers, as (first register, registers).
    fn chunks(&self, regs: u32) -> impl Iterator<Item = (u32, u32)> + use<> {
        let most = 8 * 32 / self.grf;
        let mut at = 0;
        std::iter::from_fn(move || {
            let left = regs - at;
            if left == 0 {
                return None;
            }
            let n = 1 << left.min(most).ilog2();
            at += n;
            Some((at - n, n))
        })
    }

    fn message(&self, offset: u32, regs: u32, write: bool, payload: u32, response: u32) -> u32 {
        let units = regs * self.grf / 32;
        (offset / 32)
            | units.ilog2() << 12
            | u32::from(write) << 16
            | u32::from(write) << 17
            | 1 << 18
            | 1 << 19
            | response << 20
            | payload << 25
    }

    fn send(&self, op: Op, regs: u32, origin: u32) -> Inst<Virtual> {
        let exec = if regs * self.grf >= 64 { ExecSize::S16 } else { ExecSize::S8 };
        Inst { no_mask: true, origin, ..Inst::new(op, exec) }
    }

    /// The message header: `r0`, or that of the function's frame.
    fn header(&self) -> Reg<Virtual> {
        self.kernel.scratch_header.map_or(Reg::grf(0, 0), |v| Reg::var_at(v, 0))
    }

    fn info(desc: u32, dst_len: u32, src0_len: u32, src1_len: u32, lsc: bool) -> Payload<Virtual> {
        Payload::Send(SendInfo {
            sfid: Sfid::Dc0,
            desc: Desc::Imm(desc),
            ex_desc: Desc::Imm(if lsc { 0 } else { src1_len << 6 }),
            eot: false,
            dst_len: dst_len as u8,
            src0_len: src0_len as u8,
            src1_len: src1_len as u8,
        })
    }

    fn read(&mut self, out: &mut Vec<Inst<Virtual>>, temp: Temp, origin: u32) {
        let Some(slot) = self.slot_of(temp.var) else { return };
        for (at, n) in self.chunks(temp.end - temp.first) {
            let offset = slot + (temp.first + at) * self.grf;
            let mut i = self.send(Op::Send, n, origin);
            i.dst = Dst::packed(Reg::var_at(temp.id, temp.front + at * self.grf), send_type(i.exec));
            i.src[0] = Src::payload(self.header(), i.exec);
            if self.xe {
                i.src[1] = Src::new(Reg::NULL, Region::PACKED, Type::Ud);
            }
            i.payload = Self::info(self.message(offset, n, false, 1, n), n, 1, 0, self.lsc);
            out.push(i);
            self.count.fills += 1;
        }
    }

    fn write(&mut self, out: &mut Vec<Inst<Virtual>>, temp: Temp, origin: u32) {
        let Some(slot) = self.slot_of(temp.var) else { return };
        for (at, n) in self.chunks(temp.end - temp.first) {
            let offset = slot + (temp.first + at) * self.grf;
            let data = Reg::var_at(temp.id, temp.front + at * self.grf);
            self.count.spills += 1;
            let op = if self.split_send && !self.xe { Op::Sends } else { Op::Send };
            let mut i = self.send(op, n, origin);
            i.dst = Dst::null(send_type(i.exec));
            if self.split_send {
                i.src[0] = Src::payload(self.header(), i.exec);
                i.src[1] = Src::payload(data, i.exec);
                i.payload = Self::info(self.message(offset, n, true, 1, 0), 0, 1, n, self.lsc);
                out.push(i);
                continue;
            }
            // Header, then data. The first chunk has room in front; others are copied.
            let lanes = if self.grf == 64 { ExecSize::S16 } else { ExecSize::S8 };
            let message = if at == 0 {
                Reg::var_at(temp.id, temp.front - self.grf)
            } else {
                let bytes = (1 + n) * self.grf;
                let message = Var { no_spill: true, ..Var::temp(VarClass::General, bytes, self.grf) };
                let id = self.kernel.add_var(message);
                self.guest(id, bytes, self.grf, during(temp.used));
                for r in 0..n {
                    let to = Reg::var_at(id, (1 + r) * self.grf);
                    out.push(raw_copy(lanes, to, data.plus(r * self.grf), Type::Ud, origin));
                }
                Reg::var_at(id, 0)
            };
            out.push(raw_copy(lanes, message, self.header(), Type::Ud, origin));
            i.src[0] = Src::payload(message, i.exec);
            i.payload = Self::info(self.message(offset, n, true, 1 + n, 0), 0, 1 + n, 0, self.lsc);
            out.push(i);
        }
    }
}

/// From right before an instruction to right behind it.
fn during(i: usize) -> Range {
    let at = i as u32 * 2;
    Range { start: at, end: at + 2 }
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
