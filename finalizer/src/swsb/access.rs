//! What one instruction means to the scoreboard: the pipe it runs in, the bytes it touches, and the
//! odd registers that have rules of their own.

use gen_ir::{
    Arf, Base, Class, Desc, Direction, Dst, ExecSize, Extent, FlagSub, ImplicitAccumulator, Inst, Mme, Op,
    Options, Payload, Physical, Pipe, Reg, RegisterSet, Role, Sfid, Src, Type,
};
use messages::{SurfaceIndex, hdc, lsc};
use platforms::{Caps, Pipes, Platform};

/// Where an instruction is executed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Unit {
    /// In order with the others of this pipe (an index into [`PIPES`]).
    Pipe(u8),
    /// Out of order; an SBID stands for it until it is done.
    Token,
    /// Flow control, in the integer pipe; it is not counted in distances.
    Branch,
    /// Nowhere: `sync`, `nop`, `illegal`, `halt`.
    None,
}

/// In-order pipes. Tiger Lake has only the first, and does not name it.
pub(super) const PIPES: [Pipe; Pipes::MOST] = [Pipe::Float, Pipe::Int, Pipe::Long, Pipe::Math];

const FLOAT: u8 = 0;
const INT: u8 = 1;
const LONG: u8 = 2;
const MATH: u8 = 3;

/// Register files that are tracked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TrackedFile {
    Grf,
    /// Accumulators; the hardware orders a read after a write.
    Acc,
    /// Flags; the hardware orders a read after a write.
    Flag,
}

/// Bytes that an operand touches, counted from the start of its file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Range {
    pub file: TrackedFile,
    pub does: Direction,
    /// Single bytes are written by reading and writing the word around them (Xe-HPC).
    pub by_word: bool,
    pub start: u32,
    pub end: u32,
}

impl Range {
    pub fn overlaps(&self, other: &Range) -> bool {
        self.file == other.file && self.start < other.end && other.start < self.end
    }
}

/// Operands of an instruction, at most.
const RANGES: usize = 8;

/// Runs of registers that addresses lead to, at most: with what operands name, an instruction has room for all, read and
/// written.
pub(super) const ADDRESSED: usize = 3;

/// What the scoreboard knows of an instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct InstAccess {
    pub unit: Unit,
    ranges: [Range; RANGES],
    count: u8,
    /// Bytes of all GRFs.
    limit: u32,
    /// GRFs that it touches, a bit each by number modulo 128: a quick answer to whether two instructions can meet at all.
    pub grfs: u128,
    /// Whether it touches architecture registers.
    pub arfs: bool,
    /// GRFs that it reads, as in `grfs`.
    pub read: u128,
    /// GRFs that it writes, as in `grfs`.
    pub written: u128,
    /// Whether it writes single bytes as words (see [`platforms::Scoreboard::bytes_as_words`]).
    pub by_word: bool,
    /// Touches an architecture register whose accesses wait for everything before, and hold up what
    /// follows.
    pub lone: bool,
    /// Waits for everything before it: writes an address register, where that overtakes readers, calls or returns.
    pub after_all: bool,
    /// Ends the thread.
    pub eot: bool,
    /// Of a message or of `math`, without predicate: those of one kind are read in order.
    pub kind: Option<OrderedReads>,
    /// Loads from shared local memory, where a later store may overtake it.
    pub slm_load: bool,
    /// Stores to, or fences, shared local memory.
    pub slm_store: bool,
    /// Accesses registers through an address.
    pub anywhere: bool,
    /// Computes from registers behind an address.
    pub reads_anywhere: bool,
    /// Is a message: its read ranges are its payloads, in order.
    pub is_message: bool,
}

impl InstAccess {
    pub fn ranges(&self) -> &[Range] {
        &self.ranges[..usize::from(self.count)]
    }

    fn push(&mut self, range: Range) {
        let limit = if range.file == TrackedFile::Grf { self.limit } else { u32::MAX };
        let range = Range { end: range.end.min(limit), ..range };
        if range.start < range.end && usize::from(self.count) < RANGES {
            self.ranges[usize::from(self.count)] = range;
            self.count += 1;
        }
    }

    /// `addressed`: where addresses lead, in [`ADDRESSED`] runs at most.
    pub fn of(
        inst: &Inst<Physical>,
        platform: Platform,
        grf_count: u16,
        addressed: RegisterSet,
    ) -> InstAccess {
        let caps = platform.caps();
        let none = Range { file: TrackedFile::Grf, does: Direction::Read, by_word: false, start: 0, end: 0 };
        let mut a = InstAccess {
            unit: unit(inst, caps),
            ranges: [none; RANGES],
            count: 0,
            limit: u32::from(grf_count) * u32::from(caps.regs.grf_bytes),
            grfs: 0,
            arfs: false,
            read: 0,
            written: 0,
            by_word: false,
            lone: false,
            after_all: matches!(inst.op, Op::Call | Op::Calla | Op::Ret)
                || inst.is_eot() && caps.errata.early_end,
            eot: inst.is_eot(),
            kind: kind(inst),
            slm_load: false,
            slm_store: false,
            anywhere: false,
            reads_anywhere: inst.reads_through_address() && !inst.op.is_send(),
            is_message: inst.op.is_send(),
        };
        inst.for_each_reg(|role, reg| a.operand(inst, role, reg, caps));
        if caps.scoreboard.waits_for_accumulators {
            a.implicit_accumulator(inst, caps);
            a.macro_accumulators(inst, caps);
        }
        if caps.scoreboard.slm_stores_overtake {
            a.shared_local_memory(inst);
        }
        if a.anywhere {
            let writes = matches!(inst.dst, Dst::Indirect { .. });
            let by_word =
                writes && caps.scoreboard.bytes_as_words && operand_type(inst, Role::Dst) == Some(1);
            let grf_bytes = u32::from(caps.regs.grf_bytes);
            for run in addressed.runs() {
                let range = Range { start: run.start * grf_bytes, end: run.end * grf_bytes, ..none };
                a.push(Range { does: Direction::write_if(writes), by_word, ..range });
                if writes && inst.reads_through_address() {
                    a.push(range);
                }
            }
        }
        if caps.errata.suppressed_twins && matches!(a.unit, Unit::Pipe(_)) {
            a.widen_twins(caps);
        }
        a.summarize(caps);
        a
    }

    /// Makes whole registers of what two sources read in one ([`platforms::Errata::suppressed_twins`]).
    fn widen_twins(&mut self, caps: &Caps) {
        let grf_bytes = u32::from(caps.regs.grf_bytes);
        let whole = |r: &Range| Range {
            start: r.start & !(grf_bytes - 1),
            end: r.end.next_multiple_of(grf_bytes),
            ..*r
        };
        let named = self.ranges;
        let reads = |r: &Range| r.file == TrackedFile::Grf && r.does == Direction::Read;
        for n in (0..usize::from(self.count)).filter(|&n| reads(&named[n])) {
            let mut others = (0..usize::from(self.count)).filter(|&k| k != n && reads(&named[k]));
            if others.any(|k| whole(&named[k]).overlaps(&whole(&named[n]))) {
                self.ranges[n] = whole(&named[n]);
            }
        }
    }

    /// The last two registers that a message reads of its payloads; one or none if these have no more.
    pub fn last_of_payloads(&self, grf_bytes: u32) -> impl Iterator<Item = u32> {
        let payloads =
            self.ranges().iter().filter(|r| r.file == TrackedFile::Grf && r.does == Direction::Read);
        let registers = payloads.flat_map(move |r| r.start / grf_bytes..r.end.div_ceil(grf_bytes));
        let last = registers.fold([None; 2], |[_, before], reg| [before, Some(reg)]);
        last.into_iter().flatten()
    }

    fn shared_local_memory(&mut self, inst: &Inst<Physical>) {
        if let Payload::Send(info) = &inst.payload
            && info.sfid == Sfid::Slm
        {
            let stores = inst.dst.reg().is_none_or(Reg::is_null);
            let fences = match info.desc {
                Desc::Imm(desc) => lsc::Untyped::from(desc).op() == Some(lsc::Op::Fence),
                // What it does is not known.
                Desc::Reg(_) => info.dst_len <= 1 && info.src1_len == 0,
            };
            (self.slm_load, self.slm_store) = (!stores, stores || fences);
        }
    }

    fn operand(&mut self, inst: &Inst<Physical>, role: Role, reg: Reg<Physical>, caps: &Caps) {
        let grf_bytes = u32::from(caps.regs.grf_bytes);
        let does = role.direction();
        match role {
            Role::SrcAddr(_) | Role::DstAddr => {
                self.anywhere = true;
                return;
            }
            // Conditions of `sel` and `csel` are not written to the flag.
            Role::Cond if !inst.writes_flag() => return,
            _ => {}
        }
        let (file, base) = match reg.base() {
            Base::Grf(n) => (TrackedFile::Grf, n.start(grf_bytes).bytes()),
            Base::Arf(arf) => match arf {
                Arf::Acc(n) if caps.scoreboard.waits_for_accumulators => {
                    (TrackedFile::Acc, u32::from(n) * grf_bytes)
                }
                Arf::Flag(n) if caps.scoreboard.waits_for_flags => {
                    (TrackedFile::Flag, u32::from(n) * FlagSub::REGISTER_BYTES)
                }
                Arf::State(_)
                | Arf::Control(_)
                | Arf::StackPointer(_)
                | Arf::Ip
                | Arf::Timestamp(_)
                | Arf::ChannelEnable(_)
                | Arf::Debug(_) => {
                    self.lone = true;
                    return;
                }
                Arf::Addr(_) => {
                    self.after_all |= does == Direction::Write && caps.scoreboard.address_writes_overtake;
                    return;
                }
                _ => return,
            },
            Base::Var(never) => match never {},
        };
        if file == TrackedFile::Acc && !of_float(inst, role) {
            // Integers lie otherwise than floats in the two registers of a pair (Intel's finalizer, `needBothAcc`).
            let start = base & !(2 * grf_bytes - 1);
            return self.push(Range { file, does, by_word: false, start, end: start + 2 * grf_bytes });
        }
        let Some(Extent { start, end }) = self.extent(inst, role, caps) else { return };
        // Bytes are read and written in words.
        let by_word =
            caps.scoreboard.bytes_as_words && file == TrackedFile::Grf && operand_type(inst, role) == Some(1);
        let (start, end) = if by_word { (start & !1, end.next_multiple_of(2)) } else { (start, end) };
        self.push(Range { file, does, by_word, start: base + start, end: base + end });
    }

    /// Operands of messages cover whole registers; a length that is not known counts as the longest.
    fn extent(&self, inst: &Inst<Physical>, role: Role, caps: &Caps) -> Option<Extent> {
        let grf_bytes = u32::from(caps.regs.grf_bytes);
        let extent = inst.extent(role, grf_bytes)?;
        if let Payload::Send(info) = &inst.payload
            && extent.is_empty()
        {
            let sends = &caps.sends;
            let (most, hidden) = match role {
                Role::Dst => (sends.response_most, matches!(info.desc, Desc::Reg(_))),
                Role::Src(0) => (sends.payload_most, matches!(info.desc, Desc::Reg(_))),
                Role::Src(1) => (
                    sends.second_most,
                    matches!(info.ex_desc, Desc::Reg(_)) && !inst.opts.has(Options::EX_BSO),
                ),
                _ => return None,
            };
            return hidden.then(|| Extent::new(extent.start, u32::from(most) * grf_bytes));
        }
        Some(extent)
    }

    fn implicit_accumulator(&mut self, inst: &Inst<Physical>, caps: &Caps) {
        let ImplicitAccumulator { reads, writes } = inst.implicit_accumulator();
        let range = Range {
            file: TrackedFile::Acc,
            does: Direction::Read,
            by_word: false,
            start: 0,
            end: 2 * u32::from(caps.regs.grf_bytes),
        };
        if reads {
            self.push(range);
        }
        if writes {
            self.push(Range { does: Direction::Write, ..range });
        }
    }

    /// The accumulators that the macros for quotients and roots use beside their operands. Intel's assembler waits
    /// for them as for registers (`RegDeps.cpp`: `mme0` and the following count as accumulators, with all that the
    /// channels fill), its finalizer does not look at them. What is read counts as one range: nothing waits for a
    /// read but writes of another pipe.
    fn macro_accumulators(&mut self, inst: &Inst<Physical>, caps: &Caps) {
        let grf_bytes = u32::from(caps.regs.grf_bytes);
        let pair = |mme: Mme| match mme {
            Mme::Reg(n) => Some((u32::from(n & !1), u32::from(n & !1) + 2)),
            Mme::None => None,
        };
        let of_source = |src: &Src<Physical>| match src {
            Src::Macro { mme, .. } => pair(*mme),
            _ => None,
        };
        let read = inst.src.iter().filter_map(of_source).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
        let written = match inst.dst {
            Dst::Macro { mme, .. } => pair(mme),
            _ => None,
        };
        for (numbers, does) in [(read, Direction::Read), (written, Direction::Write)] {
            if let Some((first, end)) = numbers {
                let (start, end) = (first * grf_bytes, end * grf_bytes);
                self.push(Range { file: TrackedFile::Acc, does, by_word: false, start, end });
            }
        }
    }

    fn summarize(&mut self, caps: &Caps) {
        let grf_bytes = u32::from(caps.regs.grf_bytes);
        let (mut read, mut written, mut arfs, mut by_word) = (0, 0, false, false);
        for r in self.ranges() {
            by_word |= r.by_word && r.does == Direction::Write;
            if r.file != TrackedFile::Grf {
                arfs = true;
            } else {
                let (first, last) = (r.start / grf_bytes, (r.end - 1) / grf_bytes);
                let grfs = match last - first {
                    127.. => u128::MAX,
                    more => (u128::MAX >> (127 - more)).rotate_left(first),
                };
                match r.does {
                    Direction::Read => read |= grfs,
                    Direction::Write => written |= grfs,
                }
            }
        }
        (self.grfs, self.arfs) = (read | written, arfs);
        (self.read, self.written, self.by_word) = (read, written, by_word);
    }
}

/// What takes its sources in order: a shared function, or `math` where that is out of order, for the same channels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct OrderedReads {
    /// None of `math`.
    function: Option<(Sfid, bool)>,
    no_mask: bool,
    chan: u8,
    exec: ExecSize,
}

fn kind(inst: &Inst<Physical>) -> Option<OrderedReads> {
    if inst.pred.is_some() {
        return None;
    }
    let &Inst { no_mask, chan, exec, .. } = inst;
    let Payload::Send(info) = &inst.payload else {
        let is_math = inst.op.info().class == Class::Math;
        return is_math.then_some(OrderedReads { function: None, no_mask, chan, exec });
    };
    let Desc::Imm(desc) = info.desc else { return None };
    // Shared local memory is another function behind the same name: surface 254 of the data port, whose
    // scratch messages name no surface.
    let slm = match info.sfid {
        Sfid::Dc0 => {
            hdc::ToDc0::of(desc) != Some(hdc::ToDc0::Scratch) && desc.surface() == SurfaceIndex::SHARED_LOCAL
        }
        Sfid::Dc1 => desc.surface() == SurfaceIndex::SHARED_LOCAL,
        _ => false,
    };
    Some(OrderedReads { function: Some((info.sfid, slm)), no_mask, chan, exec })
}

fn type_of(inst: &Inst<Physical>, role: Role) -> Option<Type> {
    match role {
        Role::Dst => inst.dst.ty(),
        Role::Src(i) => inst.src[usize::from(i)].ty(),
        _ => None,
    }
}

fn of_float(inst: &Inst<Physical>, role: Role) -> bool {
    type_of(inst, role).is_some_and(Type::is_float)
}

/// Bytes of an operand's elements.
fn operand_type(inst: &Inst<Physical>, role: Role) -> Option<u32> {
    type_of(inst, role)
        .filter(|_| !matches!(inst.payload, Payload::Send(_) | Payload::Dpas { .. }))
        .map(Type::bytes)
}

/// The unit that executes an instruction.
///
/// Tiger Lake: everything but messages and `math` goes through one pipe. Xe-HPG: double precision results come from the
/// long pipe (64-bit integers do not), other results from the pipe of their type; `dpas` is out of order. Ponte Vecchio:
/// `math` has an in-order pipe, too.
fn unit(inst: &Inst<Physical>, caps: &Caps) -> Unit {
    match inst.op.info().class {
        Class::Send | Class::Dpas => Unit::Token,
        Class::Math if caps.scoreboard.pipes.have_math() => Unit::Pipe(MATH),
        Class::Math => Unit::Token,
        Class::Sync | Class::Nullary => Unit::None,
        Class::Branch if inst.op == Op::Halt => Unit::None,
        Class::Branch => Unit::Branch,
        Class::Basic | Class::Ternary if !caps.scoreboard.pipes.have_names() => Unit::Pipe(FLOAT),
        Class::Basic | Class::Ternary => {
            let ty = inst.dst.ty().or_else(|| inst.src[0].ty());
            match ty {
                Some(Type::Df) => Unit::Pipe(LONG),
                Some(t) if t.is_float() => Unit::Pipe(FLOAT),
                _ => Unit::Pipe(INT),
            }
        }
    }
}

/// The pipe of integers; a call's return address is written there, too.
pub(super) fn integer_pipe(caps: &Caps) -> u8 {
    if caps.scoreboard.pipes.have_names() { INT } else { FLOAT }
}

/// A source that names no register.
pub(super) fn null_source() -> Src<Physical> {
    Src::scalar(Reg::NULL, Type::Ub)
}
