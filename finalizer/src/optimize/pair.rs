//! Two operations on single elements become one on both, two such pairs one on four, and so on to eight.
//!
//! `add (1) r1.0 = r5.0, r7; add (1) r1.1 = r5.1, r7` is `add (2) r1.0<1> = r5.0<1;1,0>, r7.0<0;1,0>`, and two
//! constants beside each other are one of the double width. After allocation, for where elements lie is known then.
//! What a pair may look like, the rules of the hardware say ([`gen_ir::rules`]).

use gen_ir::{
    Base, Class, Dst, ExecSize, Extent, Inst, Kernel, Op, Options, Payload, Physical, Reg, Region, Src, Type,
    rules,
};
use narrow::to_u8;
use platforms::Platform;

/// How far apart both may stand.
const REACH: usize = 12;

/// Channels of what becomes half of a pair.
const HALVES: [u32; 3] = [1, 2, 4];

/// Makes pairs in every block.
pub(crate) fn scalars(kernel: &mut Kernel<Physical>, legal: &mut rules::Seen) {
    let pairs = Pairs { platform: kernel.platform, grf_bytes: kernel.platform.caps().regs.grf_bytes.into() };
    let fixed = kernel.payload_ends()[1];
    for (b, block) in kernel.blocks.iter_mut().enumerate() {
        let insts = &mut block.insts;
        for lanes in HALVES {
            let mut any = false;
            let mut i = if b == 0 { fixed } else { 0 };
            while i < insts.len() {
                // A pair of constants may be half of another pair.
                if insts[i].exec.lanes() != lanes || !pairs.find(insts, i, legal) {
                    i += 1;
                    continue;
                }
                any = true;
            }
            if any {
                insts.retain(|i| i.op != Op::Nop);
            }
        }
    }
}

/// Bytes of the register file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Bytes {
    start: u32,
    end: u32,
}

impl Bytes {
    fn meets(self, other: Bytes) -> bool {
        self.start < other.end && other.start < self.end
    }
}

struct Pairs {
    platform: Platform,
    grf_bytes: u32,
}

impl Pairs {
    /// Makes a pair of instruction `i` and a later one, if there is one for it. The place of one of them is `nop` then.
    fn find(&self, insts: &mut [Inst<Physical>], i: usize, legal: &mut rules::Seen) -> bool {
        let Some(written) = self.half(&insts[i]) else { return false };
        let first = insts[i];
        let sources: [Option<Bytes>; 2] = [0, 1].map(|k| self.source(&first, k));
        for j in i + 1..insts.len().min(i + 1 + REACH) {
            let second = &insts[j];
            if stops(second) {
                return false;
            }
            // Few are alike and write the same register.
            let register = |bytes: Bytes| bytes.start / self.grf_bytes;
            let alike = (second.op, second.exec) == (first.op, first.exec)
                && second.dst.reg().and_then(|r| self.bytes(r, 0)).map(register) == Some(register(written));
            let place = if alike { self.half(second) } else { None };
            if let Some(other) = place
                && let Some(pair) = self.pair((&first, written), (second, other))
            {
                let reads = [0, 1].map(|k| self.source(second, k));
                let reads_first = reads.iter().flatten().any(|s| s.meets(written));
                let early = || insts[i + 1..j].iter().all(|k| !self.disturbs(k, other, reads));
                // Whether the first may wait for the second.
                let late = || insts[i + 1..j].iter().all(|k| !self.disturbs(k, written, sources));
                let early = !reads_first && early();
                if (early || !reads_first && late()) && legal.is_legal(self.platform, &pair) {
                    let (keep, drop) = if early { (i, j) } else { (j, i) };
                    insts[keep] = Inst { origin: insts[keep].origin, ..pair };
                    insts[drop] = Inst::new(Op::Nop, first.exec);
                    return true;
                }
            }
        }
        false
    }

    /// What a plain operation on single elements, or on a pair of such, writes.
    fn half(&self, inst: &Inst<Physical>) -> Option<Bytes> {
        let known = matches!(
            inst.op,
            Op::Mov | Op::Add | Op::Mul | Op::And | Op::Or | Op::Xor | Op::Not | Op::Shl | Op::Shr | Op::Asr
        );
        if !known || !inst.no_mask {
            return None;
        }
        let lanes = inst.exec.lanes();
        let plain = inst.pred.is_none() && inst.cond.is_none() && inst.opts == Options::NONE;
        let Dst::Direct { reg, ty, horz } = inst.dst else { return None };
        let sources = inst.src.iter().all(|s| match s {
            Src::None => true,
            Src::Imm { ty, .. } => ty.bytes() <= 4 && !matches!(ty, Type::V | Type::Uv | Type::Vf),
            Src::Direct { reg, ty: from, .. } => {
                let alike = ty.bytes().max(from.bytes()) <= 4 || ty.same_bits(*from);
                matches!(reg.base(), Base::Grf(_)) && alike
            }
            _ => false,
        });
        if !plain || !sources || lanes > 1 && horz != 1 {
            return None;
        }
        self.bytes(reg, lanes * ty.bytes())
    }

    fn bytes(&self, reg: Reg<Physical>, len: u32) -> Option<Bytes> {
        let start = reg.file_byte(self.grf_bytes)?.bytes();
        Some(Bytes { start, end: start + len })
    }

    /// The bytes that a source reads.
    fn source(&self, inst: &Inst<Physical>, k: usize) -> Option<Bytes> {
        let Src::Direct { reg, .. } = inst.src[k] else { return None };
        self.in_file(reg, inst.src_extent(k, self.grf_bytes)?)
    }

    /// The bytes of an operand at a general register. Flags, addresses and descriptors are none.
    fn in_file(&self, reg: Reg<Physical>, extent: Extent) -> Option<Bytes> {
        let Extent { start, end } = extent.in_file(reg.grf_number()?, self.grf_bytes);
        Some(Bytes { start, end })
    }

    /// Whether an instruction touches what a single writes, or writes what it reads.
    fn disturbs(&self, inst: &Inst<Physical>, written: Bytes, read: [Option<Bytes>; 2]) -> bool {
        let touched = |reg: Reg<Physical>, extent: Option<Extent>| self.in_file(reg, extent?);
        let reads_it = inst.src.iter().enumerate().any(|(k, src)| match src {
            Src::Direct { reg, .. } | Src::Macro { reg, .. } => {
                touched(*reg, inst.src_extent(k, self.grf_bytes)).is_some_and(|t| written.meets(t))
            }
            _ => false,
        });
        let writes = inst.dst.reg().and_then(|reg| touched(reg, inst.dst_extent(self.grf_bytes)));
        reads_it || writes.is_some_and(|t| written.meets(t) || read.iter().flatten().any(|r| r.meets(t)))
    }

    /// Two operations that write the same register in one, if their elements lie so.
    fn pair(
        &self,
        (a, a_bytes): (&Inst<Physical>, Bytes),
        (b, b_bytes): (&Inst<Physical>, Bytes),
    ) -> Option<Inst<Physical>> {
        if (a.sat, a.exec, a.chan) != (b.sat, b.exec, b.chan) {
            return None;
        }
        let (low, high) = if a_bytes.start < b_bytes.start { (a, b) } else { (b, a) };
        let (Dst::Direct { reg, ty, .. }, Dst::Direct { ty: other, .. }) = (low.dst, high.dst) else {
            return None;
        };
        let apart = a_bytes.start.abs_diff(b_bytes.start);
        if !ty.same_bits(other) {
            return None;
        }
        let lanes = low.exec.lanes();
        if lanes == 1
            && let Some(wide) = constants(low, high, apart)
        {
            return Some(wide);
        }
        // Beside each other and not across two pairs: the forms that Intel's finalizer gives results of two channels.
        // Bytes have odd places in words.
        let beside = apart == lanes * ty.bytes() && reg.byte.is_multiple_of(2 * apart);
        if ty != other || ty.bytes() == 1 || !beside {
            return None;
        }
        let mut pair = *low;
        pair.exec = ExecSize::from_lanes(2 * lanes)?;
        pair.dst = Dst::packed(reg, ty);
        for k in 0..3 {
            pair.src[k] = self.both((&low.src[k], &high.src[k]), lanes, ty)?;
        }
        Some(pair)
    }

    /// A source of both, which have so many lanes: the same, or elements that a region reaches.
    fn both(
        &self,
        (low, high): (&Src<Physical>, &Src<Physical>),
        lanes: u32,
        dst: Type,
    ) -> Option<Src<Physical>> {
        let (
            Src::Direct { reg, mods, ty, region },
            Src::Direct { reg: high_reg, mods: high_mods, ty: high_ty, region: high_region },
        ) = (*low, *high)
        else {
            return (low == high).then_some(*low);
        };
        if (mods, ty) != (high_mods, high_ty) {
            return None;
        }
        let (from, to) = (self.bytes(reg, 0)?.start, self.bytes(high_reg, 0)?.start);
        let bytes = to.checked_sub(from).filter(|b| b.is_multiple_of(lanes * ty.bytes()))?;
        if from % self.grf_bytes + (2 * lanes - 1) * bytes / lanes + ty.bytes() > 2 * self.grf_bytes {
            return None;
        }
        let step = bytes / (lanes * ty.bytes());
        if lanes > 1 && [region, high_region].iter().any(|r| r.stride(lanes) != Some(step)) {
            return None;
        }
        let region = match step {
            0 => Region::SCALAR,
            1 => Region::new(1, 1, 0),
            // Again the forms that are in use.
            step @ (2 | 4 | 8) if !dst.is_float() && ty.same_bits(dst) => Region::new(to_u8(step), 1, 0),
            _ => return None,
        };
        Some(Src::Direct { reg, region, mods, ty })
    }
}

/// Two integer constants beside each other as one.
fn constants(low: &Inst<Physical>, high: &Inst<Physical>, apart: u32) -> Option<Inst<Physical>> {
    let Dst::Direct { reg, ty, .. } = low.dst else { return None };
    let (Src::Imm { bits, ty: from }, Src::Imm { bits: other, ty: high_from }) = (low.src[0], high.src[0])
    else {
        return None;
    };
    let wide = Type::unsigned(2 * ty.bytes()).filter(|wide| wide.bytes() <= 4)?;
    let whole = low.op == Op::Mov && !low.sat && ty.is_int() && from.is_int() && high_from.is_int();
    if !whole || apart != ty.bytes() || !reg.byte.is_multiple_of(wide.bytes()) {
        return None;
    }
    // Of an immediate wider than the element its low bits are written; a narrower one there is only as a word.
    let mask = (1 << (8 * ty.bytes())) - 1;
    if from.bytes() < ty.bytes() || high_from.bytes() < ty.bytes() {
        return None;
    }
    let value = (bits & mask) | (other & mask) << (8 * ty.bytes());
    Some(Inst { dst: Dst::packed(reg, wide), src: [Src::imm(value, wide), Src::None, Src::None], ..*low })
}

/// Nothing is moved past these: what may touch any register, says how floats are rounded, or goes elsewhere.
fn stops(inst: &Inst<Physical>) -> bool {
    let anywhere = matches!(inst.dst, Dst::Indirect { .. })
        || inst.reads_through_address()
        || inst.changes_mode()
        || matches!(inst.payload, Payload::Outside(_));
    anywhere || matches!(inst.op.info().class, Class::Branch | Class::Sync)
}
