//! What two moves put elsewhere in halves is computed in halves where they put it.
//!
//! `op s = ...; mov d.0<2> = s.0, mov d.n<2> = s.1` becomes two halves of `op` in the places of the moves, if nobody else
//! reads those bytes of `s` and the sources are the same there. Each move takes half of the channels, as compilers write
//! it where a destination would be too wide, and legalization for operations on quadwords that read dwords. So the
//! dwords of 64-bit values that are computed apart, an address with a product of its index, say, are not moved together
//! afterwards. Moves to packed dwords, as of a value of sixteen channels to the payloads of two messages of eight, go in the
//! same way.

use gen_ir::{
    Class, Dst, Extent, FlagSub, Inst, Kernel, Op, Options, Payload, PredCtrl, Reg, Region, Role, Src,
    SrcMod, Type, Var, VarId, Virtual,
};
use narrow::{as_index, to_index};

use platforms::Caps;

use super::{legal::Legality, locality::Locality};
use crate::legalize::{slice, ternary_region};

/// How far apart operation and moves may stand.
const REACH: usize = 128;
/// How many instructions a move of the same value, or of its other dword, stands behind the first one at most.
const NEAR: usize = 24;

/// Flags that are looked at; where an operation and its moves name more it is left alone.
const MOST_FLAGS: usize = 4;

/// Rewrites blocks; an operation and its moves make way for its halves.
pub(super) fn results(
    kernel: &mut Kernel<Virtual>,
    locality: &Locality,
    grf_bytes: u32,
    legality: Legality,
    ends: &mut Ends,
) {
    let platform = kernel.platform;
    let caps = platform.caps();
    let Kernel { vars, blocks, .. } = kernel;
    let plain = |v: VarId| vars[v.index()].is_only_named();
    for (b, block) in blocks.iter_mut().enumerate().filter(|(b, _)| locality.any_in(*b)) {
        let insts = &mut block.insts;
        ends.are_known = false;
        for i in 1..insts.len() {
            let Some(src) = moved(&insts[i]) else { continue };
            if !locality.only_in(src, b) || !plain(src) {
                continue;
            }
            let Some(half) = Half::of(&insts[i], caps, grf_bytes) else { continue };
            let Some(pair) = Pair::of(insts, i, half, caps, grf_bytes) else { continue };
            if !pair.halves.iter().all(|h| plain(h.dst)) {
                continue;
            }
            let takes = match pair.halves[0].horz {
                1 => splits_in_place,
                _ if legality.is_legal() => splits_legal,
                _ => splits,
            };
            ends.find(insts, vars.len());
            let Some(at) = pair.operation(insts, takes, ends, grf_bytes) else { continue };
            if !flags_fit(&insts[at..pair.at[1]], vars, caps) {
                continue;
            }
            if !insts[at].src.iter().filter_map(|s| s.reg()?.var()).all(plain) {
                continue;
            }
            let whole = &insts[at];
            let ty = whole.dst.ty().unwrap_or(Type::D);
            let mut parts = [0, 1].map(|k| pair.part(insts, whole, k, (pair.halves[k].horz, ty)));
            if legality.is_legal() && pair.halves[0].horz == 2 && whole.op == Op::Add3 {
                parts.iter_mut().for_each(|part| scalar_last(part, caps.regions.ternary_unit_stride));
            }
            let allows = |part| gen_ir::rules::allows(platform, part, grf_bytes, vars);
            if legality.is_legal() && !parts.iter().all(allows) {
                continue;
            }
            insts[at] = Inst::new(Op::Nop, insts[at].exec);
            for (at, part) in pair.at.into_iter().zip(parts) {
                insts[at] = part;
                ends.note(&part, at);
            }
        }
    }
}

/// One past the last instruction of a block that names each variable which the block names.
#[derive(Debug, Default)]
pub(super) struct Ends {
    of: Vec<u32>,
    are_known: bool,
}

impl Ends {
    /// Finds them, if they are not known.
    fn find(&mut self, insts: &[Inst<Virtual>], vars: usize) {
        if std::mem::replace(&mut self.are_known, true) {
            return;
        }
        // What other blocks left is overwritten before it is asked for.
        if self.of.len() < vars {
            self.of.resize(vars, 0);
        }
        for (end, inst) in (1..).zip(insts) {
            inst.for_each_reg(|_, reg| {
                if let Some(v) = reg.var() {
                    self.of[v.index()] = end;
                }
            });
        }
    }

    /// An instruction has come to a place.
    fn note(&mut self, inst: &Inst<Virtual>, at: usize) {
        inst.for_each_reg(|_, reg| {
            if let Some(v) = reg.var() {
                self.of[v.index()] = self.of[v.index()].max(to_index(at + 1));
            }
        });
    }
}

/// The variable that an instruction moves from another, if it is a move.
fn moved(inst: &Inst<Virtual>) -> Option<VarId> {
    match inst.src[0] {
        Src::Direct { reg, mods: SrcMod::None, .. } if inst.op == Op::Mov => reg.var(),
        _ => None,
    }
}

/// A move of half of some channels, from packed dwords to every second one, or to packed ones.
struct Half {
    src: VarId,
    dst: VarId,
    read: Extent,
    written: Extent,
    horz: u8,
    lanes: u32,
    chan: u8,
    no_mask: bool,
}

impl Half {
    fn of(inst: &Inst<Virtual>, caps: &Caps, grf_bytes: u32) -> Option<Half> {
        if inst.op != Op::Mov || !inst.is_plain() {
            return None;
        }
        let Dst::Direct { reg: dst, horz: horz @ (1 | 2), ty: dst_ty } = inst.dst else { return None };
        let Src::Direct { reg: src, region, mods: SrcMod::None, ty } = inst.src[0] else { return None };
        let lanes = inst.exec.lanes();
        let raw = ty.bytes() == 4 && ty.same_bits(dst_ty) && (horz == 1 || ty.is_int() && dst_ty.is_int());
        if !raw || lanes < 4 || !region.one_by_one(lanes) || src.var() == dst.var() {
            return None;
        }
        let (read, written) = (inst.src_extent(0, grf_bytes)?, inst.dst_extent(grf_bytes)?);
        // Packed halves keep their channels where they were in a register.
        let whole = |e: Extent| e.start.is_multiple_of(grf_bytes) && e.len().is_multiple_of(grf_bytes);
        if horz == 1 && !(whole(read) && whole(written) || caps.regions.float_regions) {
            return None;
        }
        Some(Half {
            src: src.var()?,
            dst: dst.var()?,
            read,
            written,
            horz,
            lanes,
            chan: inst.chan,
            no_mask: inst.no_mask,
        })
    }

    /// Whether the other moves the next channels.
    fn is_before(&self, other: &Half) -> bool {
        (self.src, self.horz, self.lanes, self.no_mask) == (other.src, other.horz, other.lanes, other.no_mask)
            && other.read.start == self.read.end
            && (self.no_mask || u32::from(other.chan) == u32::from(self.chan) + self.lanes)
    }
}

/// Two moves that together put all channels of a value in every second dword.
struct Pair {
    at: [usize; 2],
    halves: [Half; 2],
}

impl Pair {
    /// The pair that begins with the move at `i`.
    fn of(insts: &[Inst<Virtual>], i: usize, first: Half, caps: &Caps, grf_bytes: u32) -> Option<Pair> {
        let second = following(insts, i).filter(|&j| moved(&insts[j]) == Some(first.src)).find_map(|j| {
            let half = Half::of(&insts[j], caps, grf_bytes)?;
            first.is_before(&half).then_some((j, half))
        });
        second.map(|(j, second)| Pair { at: [i, j], halves: [first, second] })
    }

    /// What both moves read.
    fn read(&self) -> Extent {
        Extent { start: self.halves[0].read.start, end: self.halves[1].read.end }
    }

    /// The operation that writes what the moves read, and nobody else reads, if it can be put off to where they
    /// stand and `takes` says so.
    fn operation(
        &self,
        insts: &[Inst<Virtual>],
        takes: fn(&Inst<Virtual>) -> bool,
        ends_of: &Ends,
        grf_bytes: u32,
    ) -> Option<usize> {
        let [i, last] = self.at;
        let (first, whole) = (&self.halves[0], self.read());
        let from = i.saturating_sub(REACH);
        let at = from + insts[from..i].iter().rposition(|inst| writes(inst, first.src, whole, grf_bytes))?;
        let inst = &insts[at];
        let same_channels = inst.exec.lanes() == 2 * first.lanes
            && inst.no_mask == first.no_mask
            && (inst.no_mask || inst.chan == first.chan);
        let reads_target = (0..3).any(|s| {
            inst.src[s].reg().and_then(Reg::var).is_some_and(|v| self.halves.iter().any(|h| h.dst == v))
        });
        let dense =
            matches!(inst.dst, Dst::Direct { horz: 1, .. }) && inst.dst_extent(grf_bytes) == Some(whole);
        if !(takes(inst) && dense && same_channels) || reads_target {
            return None;
        }
        let selects = inst.pred.map(|p| p.flag);
        let reselects = |i: &Inst<Virtual>| {
            let mut found = false;
            i.for_each_reg(|role, r| {
                found |= (role.is_write() || role == Role::Cond) && selects.is_some_and(|f| r.is_in(f));
            });
            found
        };
        let stays =
            |i: &Inst<Virtual>| reselects(i) || i.changes_mode() || changes_source(i, inst, grf_bytes);
        if insts[at + 1..last].iter().any(stays) {
            return None;
        }
        let end = as_index(ends_of.of[first.src.index()]);
        for (k, other) in insts[..end].iter().enumerate().skip(at + 1) {
            if !self.at.contains(&k) && reads(other, first.src, whole, grf_bytes) {
                return None;
            }
            if k < last && writes(other, first.src, whole, grf_bytes) {
                return None;
            }
            if k > last && ends(other, first.src, whole, grf_bytes) {
                break;
            }
        }
        Some(at)
    }

    /// The half `k` of an operation, in the place of the move; its results are of that type and so far apart.
    fn part(
        &self,
        insts: &[Inst<Virtual>],
        whole: &Inst<Virtual>,
        k: usize,
        (horz, ty): (u8, Type),
    ) -> Inst<Virtual> {
        let half = &self.halves[k];
        let mut part = slice(whole, half.lanes * to_index(k), half.lanes);
        if whole.pred.is_none() && whole.cond.is_none() {
            // Nothing but a flag says which channels they are outside of the mask.
            part.chan = insts[self.at[k]].chan;
        }
        part.dst = Dst::Direct { reg: Reg::var_at(half.dst, half.written.start), horz, ty };
        part
    }
}

/// Whether the flag by which the first instruction selects and those that the others name fit beside each other: then it
/// may be put off behind them, and no flag is kept in a register meanwhile.
fn flags_fit(insts: &[Inst<Virtual>], vars: &[Var], caps: &Caps) -> bool {
    if insts[0].pred.is_none() {
        return true;
    }
    let mut seen = [None; MOST_FLAGS];
    let mut bytes = 0;
    for inst in insts {
        let flags = [inst.pred.map(|p| p.flag), inst.cond.map(|c| c.flag)];
        for flag in flags.into_iter().flatten().filter_map(Reg::var) {
            if seen.contains(&Some(flag)) {
                continue;
            }
            let Some(free) = seen.iter_mut().find(|s| s.is_none()) else { return false };
            *free = Some(flag);
            bytes += vars[flag.index()].bytes;
        }
    }
    bytes <= u32::from(caps.regs.flag_count) * FlagSub::REGISTER_BYTES
}

/// Places soon after `i`.
fn following(insts: &[Inst<Virtual>], i: usize) -> impl Iterator<Item = usize> {
    (i + 1..insts.len()).filter(|&k| insts[k].op != Op::Nop).take(NEAR)
}

/// Whether sources are read at fixed places, and integers of words or dwords.
fn reads_integers(inst: &Inst<Virtual>) -> bool {
    let small = |t: Type| t.is_int() && matches!(t.bytes(), 2 | 4);
    inst.src.iter().all(|s| match *s {
        Src::None => true,
        Src::Imm { ty, .. } => ty.bytes() <= 4 && !ty.is_float(),
        Src::Direct { reg, region, ty, .. } => reg.var().is_some() && region.vert != Region::VXH && small(ty),
        _ => false,
    })
}

/// The last summand of three has no region: what does not lie as the sum will goes in front of what is the same in all
/// channels (Intel's finalizer: `noSrc2Regioning`).
fn scalar_last(sum: &mut Inst<Virtual>, unit: u8) {
    let stride = |s: &Src<Virtual>| match *s {
        Src::Direct { region, .. } if region.is_scalar() => Some(0),
        Src::Direct { region, .. } if region == Region::ternary_last(1) => Some(1),
        _ => None,
    };
    let scalar = (0..2).find(|&i| stride(&sum.src[i]) == Some(0));
    if let Some(i) = scalar.filter(|_| stride(&sum.src[2]) == Some(1)) {
        sum.src.swap(i, 2);
        for (k, apart) in [(i, 1), (2, 0)] {
            if let Src::Direct { region, .. } = &mut sum.src[k] {
                *region = ternary_region(k, apart, unit);
            }
        }
    }
}

/// As `splits`, of operations that are legal: the words of three sources have a stride of their destination, too
/// (Intel, `isGoodAlign1TernaryDst`), where legalization would compute packed dwords and move them.
fn splits_legal(inst: &Inst<Virtual>) -> bool {
    let computes = matches!(inst.payload, Payload::None | Payload::Bfn(_));
    if inst.op.info().class == Class::Ternary && computes {
        let plain = Inst { payload: Payload::None, ..*inst }.is_plain();
        return plain && reads_integers(inst) && inst.dst.ty().is_some_and(Type::is_dword);
    }
    splits(inst)
}

/// Whether both halves of an operation are as good as the whole, with dwords that lie apart.
fn splits(inst: &Inst<Virtual>) -> bool {
    let special =
        inst.op.info().accumulator.writes || matches!(inst.op, Op::Mulh | Op::Movi | Op::Smov | Op::Wait);
    inst.op.info().class == Class::Basic
        && inst.is_plain()
        && !special
        && reads_integers(inst)
        && inst.dst.ty().is_some_and(Type::is_dword)
}

/// Whether both halves of an operation are as good as the whole, with packed results.
fn splits_in_place(inst: &Inst<Virtual>) -> bool {
    let selection = inst.op == Op::Sel;
    let special = inst.op.info().accumulator.any()
        || matches!(inst.op, Op::Mulh | Op::Movi | Op::Smov | Op::Wait | Op::Madm | Op::Csel);
    let fixed = |s: &Src<Virtual>| match *s {
        Src::None => true,
        Src::Imm { ty, .. } => !matches!(ty, Type::V | Type::Uv | Type::Vf),
        Src::Direct { reg, region, ty, .. } => {
            reg.var().is_some() && region.vert != Region::VXH && matches!(ty.bytes(), 2 | 4)
        }
        _ => false,
    };
    matches!(inst.op.info().class, Class::Basic | Class::Ternary | Class::Math)
        && matches!(inst.payload, Payload::None | Payload::Math(_) | Payload::Bfn(_))
        && inst.pred.is_none_or(|p| selection && p.ctrl == PredCtrl::Seq)
        && (inst.cond.is_none() || selection)
        && inst.opts == Options::NONE
        && !special
        && inst.src.iter().all(fixed)
        && inst.dst.ty().is_some_and(|t| t.bytes() == 4)
}

/// Whether an instruction may write what another reads.
fn changes_source(inst: &Inst<Virtual>, reader: &Inst<Virtual>, grf_bytes: u32) -> bool {
    (0..3).any(|s| match (reader.src[s].reg().and_then(Reg::var), reader.src_extent(s, grf_bytes)) {
        (Some(v), Some(read)) => writes(inst, v, read, grf_bytes),
        _ => false,
    })
}

/// Whether an instruction may write some of those bytes.
fn writes(inst: &Inst<Virtual>, var: VarId, bytes: Extent, grf_bytes: u32) -> bool {
    inst.dst_var() == Some(var) && inst.dst_extent(grf_bytes).is_none_or(|written| written.overlaps(bytes))
}

/// Whether an instruction writes all of those bytes, whatever the mask.
fn ends(inst: &Inst<Virtual>, var: VarId, bytes: Extent, grf_bytes: u32) -> bool {
    inst.no_mask
        && inst.pred.is_none()
        && inst.dst_is_dense()
        && inst.dst_var() == Some(var)
        && inst.dst_extent(grf_bytes).is_some_and(|written| written.contains(bytes))
}

/// Whether an instruction may read some of those bytes.
fn reads(inst: &Inst<Virtual>, var: VarId, bytes: Extent, grf_bytes: u32) -> bool {
    let (mut named, mut found) = (false, false);
    inst.for_each_read(|reg| named |= reg.var() == Some(var));
    if !named {
        return false;
    }
    inst.for_each_reg(|role, reg| {
        if reg.var() == Some(var) && !role.is_write() {
            found |= inst.extent(role, grf_bytes).is_none_or(|e| e.overlaps(bytes));
        }
    });
    found
}
