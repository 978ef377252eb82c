//! Sets of register bytes, and which bytes an instruction reads and writes.

use crate::message::{self, Edition, Kind, Message};
use gen_ir::{
    AddrSub, Arf, Base, Desc, Descriptor, Direction, Dst, FlagSub, Inst, MathFn, Op, Options, Payload,
    Physical, Reg, Region, SendInfo, Src, Type,
};
use narrow::{as_index, const_u16, ones, to_u16};
use platforms::{Caps, Platform};

/// Bytes of the register files, kept as the few 64-byte chunks that have any.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct RegSet {
    /// Chunk numbers, ascending, each with its bytes as bits; none is empty.
    chunks: Vec<(u16, u64)>,
}

/// A register file in the byte space that sets share.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum File {
    /// General registers.
    Grf,
    /// Accumulators.
    Acc,
    /// Flags.
    Flag,
    /// Address registers.
    Addr,
}

impl File {
    /// Where the file starts.
    const fn base(self) -> u32 {
        match self {
            File::Grf => 0,
            File::Acc => 0x4000,
            File::Flag => 0x8000,
            File::Addr => 0x8040,
        }
    }

    /// The same, in units of 64 bytes.
    const fn chunk(self) -> u16 {
        const_u16(as_index(self.base() / 64))
    }
}

impl RegSet {
    pub(super) fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }

    pub(super) fn clear(&mut self) {
        self.chunks.clear();
    }

    fn insert_chunk(&mut self, chunk: u16, bits: u64) {
        match self.chunks.binary_search_by_key(&chunk, |c| c.0) {
            Ok(i) => self.chunks[i].1 |= bits,
            Err(i) => self.chunks.insert(i, (chunk, bits)),
        }
    }

    fn insert_range(&mut self, start: u32, len: u32) {
        let (mut at, end) = (start, start + len);
        while at < end {
            let in_chunk = (64 - at % 64).min(end - at);
            self.insert_chunk(to_u16(at / 64), ones(in_chunk) << (at % 64));
            at += in_chunk;
        }
    }

    /// Adds all of `other`.
    pub(super) fn union(&mut self, other: &RegSet) -> bool {
        let before = self.chunks.len();
        let mut changed = false;
        for &(chunk, bits) in &other.chunks {
            match self.chunks.binary_search_by_key(&chunk, |c| c.0) {
                Ok(i) => {
                    changed |= bits & !self.chunks[i].1 != 0;
                    self.chunks[i].1 |= bits;
                }
                Err(i) => self.chunks.insert(i, (chunk, bits)),
            }
        }
        changed || self.chunks.len() != before
    }

    /// Takes all of `other` away.
    pub(super) fn subtract(&mut self, other: &RegSet) {
        let mut theirs = other.chunks.iter().peekable();
        self.chunks.retain_mut(|(chunk, bits)| {
            while theirs.next_if(|t| t.0 < *chunk).is_some() {}
            if let Some(t) = theirs.peek().filter(|t| t.0 == *chunk) {
                *bits &= !t.1;
            }
            *bits != 0
        });
    }

    /// The bytes that both sets have.
    fn common<'a>(&'a self, other: &'a RegSet) -> impl Iterator<Item = (u16, u64)> + 'a {
        let (mut a, mut b) = (self.chunks.iter().peekable(), other.chunks.iter().peekable());
        std::iter::from_fn(move || {
            while let (Some(x), Some(y)) = (a.peek(), b.peek()) {
                let (chunk, bits) = (x.0, x.1 & y.1);
                let order = x.0.cmp(&y.0);
                if order.is_le() {
                    a.next();
                }
                if order.is_ge() {
                    b.next();
                }
                if order.is_eq() && bits != 0 {
                    return Some((chunk, bits));
                }
            }
            None
        })
    }

    /// Writes to `out` what both sets have; `false` if that is nothing.
    pub(super) fn intersection(&self, other: &RegSet, out: &mut RegSet) -> bool {
        out.chunks.clear();
        out.chunks.extend(self.common(other));
        !out.chunks.is_empty()
    }

    /// Whether the sets have a byte in common.
    pub(super) fn intersects(&self, other: &RegSet) -> bool {
        self.common(other).next().is_some()
    }

    /// The flags of the set.
    pub(super) fn flags(&self) -> u64 {
        let chunk = File::Flag.chunk();
        self.chunks.iter().find(|c| c.0 == chunk).map_or(0, |c| c.1)
    }

    /// Bytes in a file.
    pub(super) fn count(&self, file: File) -> u32 {
        let start = file.chunk();
        let end = match file {
            File::Grf => File::Acc.chunk(),
            File::Acc => File::Flag.chunk(),
            File::Flag | File::Addr => start + 1,
        };
        self.chunks.iter().filter(|c| (start..end).contains(&c.0)).map(|c| c.1.count_ones()).sum()
    }
}

/// What one instruction reads and writes.
#[derive(Clone, Debug, Default)]
pub(super) struct Access {
    /// Predicate flags, save those of `sel`.
    pub(super) predicate: RegSet,
    /// Everything else that is read.
    pub(super) reads: RegSet,
    /// Everything that is written.
    pub(super) writes: RegSet,
}

/// A platform's register files, and how its instructions use them.
#[derive(Clone, Copy)]
pub(super) struct Files {
    platform: Platform,
    caps: &'static Caps,
}

impl Files {
    pub(super) fn new(platform: Platform) -> Self {
        Files { platform, caps: platform.caps() }
    }

    /// Bytes of a file that exist.
    fn size(&self, file: File) -> u32 {
        let grf = u32::from(self.caps.regs.grf_bytes);
        match file {
            File::Grf => u32::from(self.caps.regs.grf_names) * grf,
            File::Acc => u32::from(self.caps.regs.acc_names) * grf,
            File::Flag => u32::from(self.caps.regs.flag_count) * FlagSub::REGISTER_BYTES,
            File::Addr => AddrSub::FILE_BYTES,
        }
    }

    /// The file of a register and its byte offset there, for the files that are tracked.
    fn place(&self, reg: Reg<Physical>) -> Option<(File, u32)> {
        let grf = u32::from(self.caps.regs.grf_bytes);
        match reg.base() {
            Base::Grf(n) => Some((File::Grf, n.start(grf).bytes() + reg.byte)),
            Base::Arf(Arf::Acc(n)) => {
                let first = crate::operand::first_mme(self.caps).unwrap_or(16);
                (n < first).then(|| (File::Acc, u32::from(n) * grf + reg.byte))
            }
            Base::Arf(Arf::Flag(_)) => Some((File::Flag, reg.flag_byte()?.bytes())),
            Base::Arf(Arf::Addr(n)) => Some((File::Addr, u32::from(n) * 32 + reg.byte)),
            _ => None,
        }
    }

    /// Adds `bits` bits at a byte; what reaches beyond the file is left out.
    fn add(&self, set: &mut RegSet, file: File, byte: u32, bits: u32) {
        let len = (bits / 8).max(1);
        if byte + len <= self.size(file) {
            set.insert_range(file.base() + byte, len);
        }
    }

    fn add_dst(&self, set: &mut RegSet, reg: Reg<Physical>, stride: u32, lanes: u32, bits: u32) {
        let Some((file, byte)) = self.place(reg) else { return };
        for lane in 0..lanes {
            self.add(set, file, byte + lane * stride * bits / 8, bits);
        }
    }

    fn add_src(&self, set: &mut RegSet, reg: Reg<Physical>, region: Region, lanes: u32, bits: u32) {
        let Some((file, byte)) = self.place(reg) else { return };
        let (v, w, h) = (u32::from(region.vert), u32::from(region.width).max(1), u32::from(region.horz));
        for row in 0..(lanes / w).max(1) {
            for column in 0..w {
                self.add(set, file, byte + (row * v + column * h) * bits / 8, bits);
            }
        }
    }

    /// The flag bits of an instruction's channels.
    fn add_flag(&self, set: &mut RegSet, inst: &Inst<Physical>, flag: Reg<Physical>) {
        let Some((file, byte)) = self.place(flag) else { return };
        self.add(set, file, byte + u32::from(inst.chan) / 8, inst.exec.lanes());
    }

    /// Flags that a predicate reads.
    pub(super) fn predicate(&self, inst: &Inst<Physical>) -> RegSet {
        let mut set = RegSet::default();
        if let Some(pred) = inst.pred.filter(|_| inst.op != Op::Sel) {
            self.add_flag(&mut set, inst, pred.flag);
        }
        set
    }

    /// Flags that a condition modifier writes.
    pub(super) fn condition(&self, inst: &Inst<Physical>) -> RegSet {
        let mut set = RegSet::default();
        if let Some(cond) = inst.cond.filter(|_| inst.op != Op::Sel) {
            self.add_flag(&mut set, inst, cond.flag);
        }
        set
    }

    /// Accumulators that are read or written without being named.
    fn add_implicit_acc(&self, set: &mut RegSet, inst: &Inst<Physical>, does: Direction) {
        let write = does == Direction::Write;
        let used = match inst.op {
            Op::Mach | Op::Macl | Op::Subb => true,
            Op::Addc => write,
            Op::Mac => !write,
            _ => false,
        };
        let written = write && inst.opts.has(Options::ACC_WR_EN);
        if !used && !written {
            return;
        }
        let bits = match inst.op {
            Op::Mach | Op::Macl => 64,
            _ => inst.dst.ty().map_or(32, type_bits),
        };
        self.add_dst(set, Reg::arf(Arf::Acc(0), 0), 1, inst.exec.lanes(), bits);
    }

    /// Registers read without being named: accumulators, and the flag of `sel`.
    pub(super) fn implicit_reads(&self, inst: &Inst<Physical>) -> RegSet {
        let mut set = RegSet::default();
        self.add_implicit_acc(&mut set, inst, Direction::Read);
        if let Some(pred) = inst.pred.filter(|_| inst.op == Op::Sel) {
            self.add_flag(&mut set, inst, pred.flag);
        }
        set
    }

    /// Accumulators written without being named.
    pub(super) fn implicit_writes(&self, inst: &Inst<Physical>) -> RegSet {
        let mut set = RegSet::default();
        self.add_implicit_acc(&mut set, inst, Direction::Write);
        set
    }

    /// Everything a destination operand writes, implicit accumulators included.
    pub(super) fn destination(&self, inst: &Inst<Physical>) -> RegSet {
        let mut set = self.implicit_writes(inst);
        // `wait` names its register once, as a source.
        if inst.op == Op::Wait {
            return set;
        }
        let lanes = inst.exec.lanes();
        match inst.dst {
            Dst::Direct { reg, horz, ty } => {
                if let Payload::Send(send) = &inst.payload {
                    self.add_payload(&mut set, inst, send, None);
                } else if let Payload::Dpas { .. } = inst.payload {
                    self.add_dpas(&mut set, inst, None);
                } else if inst.op == Op::Mul
                    && matches!(reg.base(), Base::Arf(Arf::Acc(_)))
                    && matches!(ty, Type::D | Type::Ud)
                {
                    // A dword product fills 64 bits of the accumulator.
                    let wide = reg.at(reg.byte * 2);
                    self.add_dst(&mut set, wide, horz.into(), lanes, 64);
                } else {
                    self.add_dst(&mut set, reg, horz.into(), lanes, type_bits(ty));
                }
            }
            Dst::Macro { reg, ty, .. } => self.add_dst(&mut set, reg, 1, lanes, type_bits(ty)),
            Dst::Indirect { .. } | Dst::None => {}
        }
        set
    }

    /// What source operand `index` reads.
    pub(super) fn source(&self, inst: &Inst<Physical>, index: usize) -> RegSet {
        let mut set = RegSet::default();
        let lanes = inst.exec.lanes();
        match inst.src[index] {
            Src::Direct { reg, region, ty, .. } => {
                if let Payload::Send(send) = &inst.payload {
                    self.add_payload(&mut set, inst, send, Some(index));
                } else if let Payload::Dpas { .. } = inst.payload {
                    self.add_dpas(&mut set, inst, Some(index));
                } else if inst.op.is_branch() && self.caps.words.bare_operands {
                    // The reference tool takes an address for one dword in each channel.
                    self.add_src(&mut set, reg, Region::PACKED, lanes, 32);
                } else {
                    self.add_src(&mut set, reg, full_region(region), lanes, type_bits(ty));
                }
            }
            Src::Macro { reg, ty, .. } => self.add_src(&mut set, reg, Region::PACKED, lanes, type_bits(ty)),
            Src::Indirect { addr, region, .. } => {
                let addresses =
                    if region.vert == Region::VXH { lanes / u32::from(region.width).max(1) } else { 1 };
                self.add_src(&mut set, addr, Region::PACKED, addresses, 16);
            }
            Src::None | Src::Imm { .. } | Src::AddrOf { .. } => {}
        }
        set
    }

    /// What a descriptor in a register reads, as its own operand.
    pub(super) fn descriptor(&self, reg: Reg<Physical>) -> RegSet {
        let mut set = RegSet::default();
        // Two words from the word with the dword's number: the reference tool's arithmetic.
        let reg = reg.at(reg.byte / 2);
        self.add_src(&mut set, reg, Region::PACKED, 2, 16);
        set
    }

    /// All that an instruction reads and writes.
    pub(super) fn access(&self, inst: &Inst<Physical>, sources: usize) -> Access {
        let mut reads = self.implicit_reads(inst);
        if let Payload::Send(send) = &inst.payload {
            for reg in [send.desc.reg(), send.ex_desc.reg()].into_iter().flatten() {
                // The dword with half the dword's number: the reference tool's arithmetic.
                self.add(&mut reads, File::Addr, reg.byte / 8 * 4, 32);
            }
        }
        if let Dst::Indirect { addr, .. } = inst.dst {
            self.add_dst(&mut reads, addr, 1, 1, 16);
        }
        for index in 0..sources {
            reads.union(&self.source(inst, index));
        }
        let mut writes = self.destination(inst);
        writes.union(&self.condition(inst));
        Access { predicate: self.predicate(inst), reads, writes }
    }

    fn add_payload(
        &self,
        set: &mut RegSet,
        inst: &Inst<Physical>,
        send: &SendInfo<Physical>,
        index: Option<usize>,
    ) {
        let reg = match index {
            None => inst.dst.reg(),
            Some(i) => inst.src[i].reg(),
        };
        let Some((File::Grf, byte)) = reg.and_then(|r| self.place(r)) else { return };
        let grf = u32::from(self.caps.regs.grf_bytes);
        if let Some(m) = self.memory_message(inst, send) {
            if index == Some(0) {
                self.add(set, File::Grf, byte, m.lanes * m.addr_bits);
            } else if m.data.transposed {
                self.add(set, File::Grf, byte, m.data.elements * m.lanes * m.data.bits);
            } else {
                let bits = m.lanes * m.data.bits;
                let step = (bits / 8).next_multiple_of(grf);
                let count = if index == Some(1) && m.data.pair { 2 } else { 1 } * m.data.elements;
                for i in 0..count {
                    self.add(set, File::Grf, byte + i * step, bits);
                }
            }
            return;
        }
        let lens = message::lengths(self.caps, inst, send, inst.opts.has(Options::EX_BSO));
        let count = match index {
            None => lens.dst.unwrap_or(8),
            Some(0) => lens.src0.unwrap_or(4),
            Some(_) => lens.src1.unwrap_or(8),
        };
        // A payload of no register counts as its first byte: the reference tool's arithmetic.
        self.add(set, File::Grf, byte, count * grf * 8);
    }

    /// The message, when it is valid and goes to memory. A descriptor in a register counts as what the
    /// reference tool takes it for: its subregister number in the upper half.
    fn memory_message(&self, inst: &Inst<Physical>, send: &SendInfo<Physical>) -> Option<Message> {
        let desc = match send.desc {
            Desc::Imm(desc) => desc,
            Desc::Reg(reg) => Descriptor::from_bits(reg.address_dword() << 16),
        };
        let m = message::decode_as(Edition::Json, self.platform, inst, send, desc);
        (m.valid && m.data.kind != Kind::Other).then_some(m)
    }

    fn add_dpas(&self, set: &mut RegSet, inst: &Inst<Physical>, index: Option<usize>) {
        let Payload::Dpas { depth, repeat } = inst.payload else { return };
        let (reg, ty) = match index {
            None => (inst.dst.reg(), inst.dst.ty()),
            Some(i) => (inst.src[i].reg(), inst.src[i].ty()),
        };
        let Some((File::Grf, byte)) = reg.and_then(|r| self.place(r)) else { return };
        let bits_of = |s: &Src<Physical>| s.ty().map_or(8, sub_byte_bits);
        let per_channel = 32 / bits_of(&inst.src[1]).max(bits_of(&inst.src[2]));
        let bits = ty.map_or(32, sub_byte_bits);
        let (lanes, depth, repeat) = (inst.exec.lanes(), u32::from(depth), u32::from(repeat));
        match index {
            None | Some(0) => self.add(set, File::Grf, byte, lanes * bits * repeat),
            Some(1) => self.add(set, File::Grf, byte, lanes * bits * per_channel * depth),
            _ => {
                for r in 0..repeat {
                    let start = byte + r * per_channel * bits;
                    self.add(set, File::Grf, start, depth * per_channel * bits);
                }
            }
        }
    }
}

/// Bits of an element in a register region.
fn type_bits(ty: Type) -> u32 {
    match ty {
        Type::Nf => 32,
        _ => ty.bytes() * 8,
    }
}

/// Bits of an element of a `dpas` operand.
fn sub_byte_bits(ty: Type) -> u32 {
    match ty {
        Type::U4 | Type::S4 => 4,
        Type::U2 | Type::S2 => 2,
        _ => type_bits(ty),
    }
}

/// A ternary region with its width filled in: a row has `v / h` elements, `v` where `h` is zero.
pub(super) fn full_region(region: Region) -> Region {
    if region.width != Region::ABSENT {
        return region;
    }
    let (v, h) = (region.vert, region.horz);
    match (v, h) {
        (Region::ABSENT, h) => Region::new(h, 1, 0),
        (0, 0) => Region::SCALAR,
        (v, 0) => Region::new(v, v, 0),
        (0, h) => Region::new(0, 0, h),
        (v, h) => Region::new(v, v / h, h),
    }
}

/// Whether an instruction is a math macro.
pub(super) fn is_macro(inst: &Inst<Physical>) -> bool {
    inst.op == Op::Madm || matches!(inst.payload, Payload::Math(MathFn::Invm | MathFn::Rsqtm))
}
