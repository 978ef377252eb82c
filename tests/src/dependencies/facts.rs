//! What IGA knows of an instruction: its unit and the bytes that its operands touch.

use gen_ir::{
    Arf, Base, Class, Desc, Direction, Dst, Inst, Mme, Op, Options, Payload, Physical, Reg, Region,
    RegisterSet, Sfid, Src, Type,
};
use platforms::Platform;

/// How two instructions meet in a register.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Hazard {
    /// The second reads what the first writes.
    ReadAfterWrite,
    /// Both write.
    WriteAfterWrite,
    /// The second writes what the first reads.
    WriteAfterRead,
    /// One of them touches a register that all pipes wait for.
    Special,
}

pub(super) const FLOAT: u8 = 0;
pub(super) const INT: u8 = 1;
pub(super) const LONG: u8 = 2;
pub(super) const MATH: u8 = 3;

/// Where an instruction is executed; what is equal finishes in order, or reads in order at least.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Unit {
    /// In order. Tiger Lake has [`FLOAT`] alone.
    Pipe(u8),
    /// A message: its function, and whether it goes to shared local memory.
    Send(Sfid, bool),
    /// A message whose descriptor is in a register: equal to none, not even to itself.
    AnySend,
    /// `math` of Tiger Lake.
    Math,
    /// Matrices.
    Dpas,
    /// `sync`, `illegal`: nothing waits for them.
    Other,
}

/// A register file that is tracked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum File {
    Grf,
    Acc,
    Flag,
}

/// Bytes of a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touch {
    file: File,
    start: u32,
    end: u32,
}

/// What is known of an instruction.
#[derive(Debug)]
pub(super) struct Facts {
    pub unit: Unit,
    pub branch: bool,
    reads: Vec<Touch>,
    writes: Vec<Touch>,
    /// Touches state or control registers.
    special: bool,
    bytes_as_words: bool,
}

impl Facts {
    pub fn of(platform: Platform, inst: &Inst<Physical>, addressed: RegisterSet) -> Facts {
        let caps = platform.caps();
        let grf = u32::from(caps.regs.grf_bytes);
        let mut facts = Facts {
            unit: unit(platform, inst),
            branch: inst.op.info().class == Class::Branch,
            reads: Vec::new(),
            writes: Vec::new(),
            special: false,
            bytes_as_words: caps.scoreboard.bytes_as_words,
        };
        if matches!(inst.payload, Payload::Sync(_)) {
            return facts;
        }
        for n in 0..3 {
            facts.source(inst, n, grf, addressed);
        }
        facts.destination(inst, grf, addressed);
        if let Some(pred) = &inst.pred {
            facts.flag(pred.flag, inst, Direction::Read);
        }
        if let Some(cond) = &inst.cond {
            // Of a choice by comparison the flag is a name alone.
            if !matches!(inst.op, Op::Sel | Op::Csel) {
                facts.flag(cond.flag, inst, Direction::Write);
            }
        }
        let both = Touch { file: File::Acc, start: 0, end: 2 * grf };
        if matches!(inst.op, Op::Mac | Op::Mach | Op::Macl) {
            facts.reads.push(both);
        }
        if inst.opts.has(Options::ACC_WR_EN) || matches!(inst.op, Op::Subb | Op::Addc | Op::Macl | Op::Mach) {
            facts.writes.push(both);
        }
        facts
    }

    /// How a later instruction meets this one, if that needs a wait. `sources`: this one's may not be read yet.
    pub fn meets(&self, after: &Facts, sources: bool) -> Option<Hazard> {
        if after.unit == Unit::Other {
            return None;
        }
        if matches!(self.unit, Unit::Pipe(_)) && (self.special || after.special) {
            return Some(Hazard::Special);
        }
        // What a branch reads decides where execution goes on.
        let pairs = [
            (true, &self.writes, &after.reads, Hazard::ReadAfterWrite),
            (true, &self.writes, &after.writes, Hazard::WriteAfterWrite),
            (sources && !self.branch, &self.reads, &after.writes, Hazard::WriteAfterRead),
        ];
        for (pending, mine, theirs, hazard) in pairs {
            for x in mine.iter().filter(|_| pending) {
                let meet = |y: &&Touch| x.file == y.file && x.start < y.end && y.start < x.end;
                if theirs.iter().filter(meet).any(|y| counts(hazard, y.file, self, after)) {
                    return Some(hazard);
                }
            }
        }
        None
    }

    fn add(&mut self, touch: Touch, does: Direction) {
        match does {
            Direction::Read => self.reads.push(touch),
            Direction::Write => self.writes.push(touch),
        }
    }

    /// Bytes `start..end` from where a register operand begins.
    fn push(&mut self, reg: Reg<Physical>, start: u32, end: u32, grf: u32, does: Direction) {
        let (file, base) = match reg.base() {
            Base::Grf(n) => (File::Grf, u32::from(n) * grf),
            // Two accumulators may overlap, so a pair counts as one.
            Base::Arf(Arf::Acc(n)) => {
                let start = u32::from(n & !1) * grf;
                return self.add(Touch { file: File::Acc, start, end: start + 2 * grf }, does);
            }
            Base::Arf(Arf::Flag(n)) => (File::Flag, u32::from(n) * 4),
            Base::Arf(Arf::Control(_) | Arf::State(_) | Arf::ChannelEnable(_) | Arf::FlowControl(_)) => {
                self.special = true;
                return;
            }
            _ => return,
        };
        let base = base + reg.byte;
        self.add(Touch { file, start: base + start, end: base + end }, does);
    }

    /// The bits of a flag that belong to an instruction's channels.
    fn flag(&mut self, flag: Reg<Physical>, inst: &Inst<Physical>, does: Direction) {
        if let Some(at) = flag.flag_byte() {
            let first = 8 * at.bytes() + u32::from(inst.chan);
            let end = (first + inst.exec.lanes()).div_ceil(8);
            self.add(Touch { file: File::Flag, start: first / 8, end }, does);
        }
    }

    fn source(&mut self, inst: &Inst<Physical>, n: usize, grf: u32, addressed: RegisterSet) {
        match inst.src[n] {
            Src::Direct { reg, region, ty, .. } => {
                let bytes = source_bytes(inst, n, region, ty, grf);
                self.push(reg, 0, bytes, grf, Direction::Read);
            }
            Src::Macro { reg, mme, ty, .. } => {
                self.push(reg, 0, inst.exec.lanes() * ty.bytes(), grf, Direction::Read);
                self.macro_part(mme, grf, Direction::Read);
            }
            Src::Indirect { .. } => self.reads.extend(touches(addressed, grf)),
            Src::None | Src::Imm { .. } | Src::AddrOf { .. } => {}
        }
    }

    fn destination(&mut self, inst: &Inst<Physical>, grf: u32, addressed: RegisterSet) {
        match inst.dst {
            Dst::Direct { reg, horz, ty } => {
                let bytes = match inst.payload {
                    Payload::Send(send) => registers_of(send.dst_len, send.desc, grf),
                    Payload::Dpas { repeat, .. } => inst.exec.lanes() * ty.bytes() * u32::from(repeat),
                    _ if matches!(inst.op, Op::Call | Op::Calla) => 8,
                    _ => ((inst.exec.lanes() - 1) * u32::from(horz) + 1) * ty.bytes(),
                };
                // Ponte Vecchio writes single bytes by reading and writing the word around them.
                let words = self.bytes_as_words && ty.bytes() == 1 && inst.payload == Payload::None;
                if words && matches!(reg.base(), Base::Grf(_)) {
                    let from = reg.at(reg.byte & !1);
                    let end = ((reg.byte & 1) + bytes).next_multiple_of(2);
                    self.push(from, 0, end, grf, Direction::Write);
                    self.push(from, 0, end, grf, Direction::Read);
                } else {
                    self.push(reg, 0, bytes, grf, Direction::Write);
                }
            }
            Dst::Macro { reg, mme, ty } => {
                self.push(reg, 0, inst.exec.lanes() * ty.bytes(), grf, Direction::Write);
                self.macro_part(mme, grf, Direction::Write);
            }
            Dst::Indirect { .. } => self.writes.extend(touches(addressed, grf)),
            Dst::None => {}
        }
    }

    fn macro_part(&mut self, mme: Mme, grf: u32, does: Direction) {
        if let Mme::Reg(n) = mme {
            let start = u32::from(n & !1) * grf;
            self.add(Touch { file: File::Acc, start, end: start + 2 * grf }, does);
        }
    }
}

/// All that an operand behind an address may touch.
fn touches(addressed: RegisterSet, grf: u32) -> impl Iterator<Item = Touch> {
    addressed.runs().map(move |run| Touch { file: File::Grf, start: run.start * grf, end: run.end * grf })
}

/// Registers of a message's operand; at least the first where the descriptor is in a register.
fn registers_of<D>(count: u8, desc: Desc<Physical, D>, grf: u32) -> u32 {
    match desc {
        Desc::Reg(_) => u32::from(count.max(1)) * grf,
        _ => u32::from(count) * grf,
    }
}

fn source_bytes(inst: &Inst<Physical>, n: usize, region: Region, ty: Type, grf: u32) -> u32 {
    let lanes = inst.exec.lanes();
    match inst.payload {
        Payload::Send(send) if n == 0 => return registers_of(send.src0_len, send.desc, grf),
        Payload::Send(send) => return u32::from(send.src1_len) * grf,
        Payload::Dpas { depth, repeat } => {
            let (depth, repeat) = (u32::from(depth), u32::from(repeat));
            let bits = |n: usize| inst.src[n].ty().map_or(8, Type::bits);
            // Bits of what each depth takes of a source (specification, DPAS: OPS_PER_CHAN): a dword, or half of one, or a quarter.
            let stage = bits(n) * (32 / bits(1).max(bits(2)).max(4));
            return match n {
                0 => lanes * ty.bytes() * repeat,
                1 => lanes * 4 * (depth * stage).div_ceil(32),
                _ => ((repeat - 1) * 8 + depth) * stage / 8,
            };
        }
        _ => {}
    }
    let last = (0..lanes).map(|channel| region.element(channel)).max().unwrap_or(0);
    (last + 1) * ty.bytes()
}

/// The pipe that an instruction goes through in order and that distances count it in: floats, integers, doubles, `math`.
pub fn in_order_pipe(platform: Platform, inst: &Inst<Physical>) -> Option<u8> {
    match unit(platform, inst) {
        Unit::Pipe(pipe) if !inst.op.is_branch() => Some(pipe),
        _ => None,
    }
}

fn unit(platform: Platform, inst: &Inst<Physical>) -> Unit {
    let pipes = platform.caps().scoreboard.pipes;
    if let Payload::Send(send) = &inst.payload {
        let Desc::Imm(desc) = send.desc else { return Unit::AnySend };
        let bits = desc.into_bits();
        let local = bits & 0xff == 0xfe;
        let slm = match send.sfid {
            Sfid::Slm => true,
            Sfid::Dc0 => local && bits >> 18 & 1 == 0,
            Sfid::Dc1 => local,
            _ => false,
        };
        return Unit::Send(send.sfid, slm);
    }
    match inst.op.info().class {
        Class::Math if pipes.have_math() => Unit::Pipe(MATH),
        Class::Math => Unit::Math,
        Class::Dpas => Unit::Dpas,
        Class::Sync | Class::Nullary => Unit::Other,
        _ if !pipes.have_names() => Unit::Pipe(FLOAT),
        Class::Branch => Unit::Pipe(INT),
        _ => match inst.dst.ty() {
            Some(Type::Df) => Unit::Pipe(LONG),
            Some(ty) if ty.is_float() => Unit::Pipe(FLOAT),
            _ => Unit::Pipe(INT),
        },
    }
}

/// Whether a hazard of two units counts in a register file.
fn counts(hazard: Hazard, file: File, before: &Facts, after: &Facts) -> bool {
    let alike = before.unit == after.unit && before.unit != Unit::AnySend;
    let in_order = matches!(before.unit, Unit::Pipe(_));
    if !in_order && file != File::Grf {
        return false;
    }
    match hazard {
        // The hardware watches who reads accumulators and flags (`GRFOnly` of `SWSB_G4IR.cpp`).
        Hazard::ReadAfterWrite => file == File::Grf,
        Hazard::WriteAfterWrite => !alike || !in_order,
        Hazard::WriteAfterRead => !alike,
        Hazard::Special => true,
    }
}
