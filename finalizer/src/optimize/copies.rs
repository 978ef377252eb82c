//! Copy forwarding: an instruction that reads a copy reads the original instead.
//!
//! A copy `mov d, s` stays available in its block until bytes of `d` or `s` are written. A reader may
//! use `s` if each of its channels would read an element that the copy has written: either the copy
//! was made under NoMask, or reader and copy both run under the block's mask with the same channel
//! offset and the same channel-to-element mapping. Who reads a narrower part of a copied integer finds it in the original,
//! too.

mod known;
mod redundant;
mod replace;

use super::legal::Legality;
use gen_ir::{
    Class, Dst, Extent, Inst, Kernel, Op, Options, Reg, Region, Src, SrcMod, Type, Var, VarClass, VarId,
    Virtual,
};
use narrow::{as_index, ones, to_index, to_u8};
use platforms::{Caps, Platform};

use self::{
    known::{CopySource, KnownCopy, WrittenElements},
    replace::{
        commute_immediate, commutes, extend, is_byte_factor, is_packed, keeps_value, place_immediate,
        replace_legally, replace_register,
    },
};
use crate::{identities, lists::reset};

/// Replaces reads of copies in every block. `visit` is shown every instruction, with its block and place, when
/// nothing changes it any more.
pub(super) fn forward(
    kernel: &mut Kernel<Virtual>,
    grf_bytes: u32,
    legality: Legality,
    copies: &mut Copies,
    mut visit: impl FnMut(&[Var], (usize, usize), &Inst<Virtual>),
) {
    copies.start(kernel.vars.len(), kernel.platform.caps(), legality.is_legal().then_some(kernel.platform));
    let Kernel { vars, blocks, .. } = kernel;
    let reach = |v: VarId| {
        let var = &vars[v.index()];
        match var.class {
            VarClass::General if var.address_taken => Reach::Addressed,
            VarClass::General => Reach::Named,
            _ => Reach::None,
        }
    };
    for (b, block) in blocks.iter_mut().enumerate() {
        copies.clear();
        for (i, inst) in block.insts.iter_mut().enumerate() {
            copies.now = i;
            copies.rewrite(inst, grf_bytes, vars);
            copies.forget_written(inst, grf_bytes);
            copies.learn(inst, grf_bytes, reach);
            visit(vars, (b, i), inst);
        }
    }
}

/// How a variable's bytes are reached.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// Not followed.
    None,
    /// By its name alone.
    Named,
    /// Through addresses, too.
    Addressed,
}

/// How many instructions behind a copy that leaves gaps its reads may become reads of the original. Pairs that are taken
/// apart soon need not be made. Later reads would keep the original alive as well as the pair, which others read.
const REACH_OF_GAPS: usize = 192;

/// The newest copy into a variable, and from it; [`NONE`] if there is none.
#[derive(Clone, Copy, Debug)]
struct Newest {
    dst: u32,
    src: u32,
}

const NONE: u32 = u32::MAX;

impl Newest {
    const NONE: Newest = Newest { dst: NONE, src: NONE };
}

/// The copies available at a point of a block. Lists are linked through the copies themselves, so a
/// block costs no allocation once the vectors have grown.
#[derive(Debug, Default)]
pub(super) struct Copies {
    all: Vec<KnownCopy>,
    /// By variable.
    newest: Vec<Newest>,
    /// Those that a write through an address may end.
    addressed: Vec<u32>,
    byte_sources: bool,
    mixes_qwords: bool,
    /// Whether the first two sources of ternary instructions may lie apart.
    ternary_strides: bool,
    /// Instructions are legal on this platform and have to stay so.
    legal: Option<Platform>,
    /// The instruction that is looked at, in its block.
    now: usize,
}

impl Copies {
    fn start(&mut self, vars: usize, caps: &Caps, legal: Option<Platform>) {
        self.all.clear();
        self.addressed.clear();
        reset(&mut self.newest, vars, Newest::NONE);
        self.byte_sources = caps.regions.byte_sources;
        self.mixes_qwords = caps.ops.int64 && !caps.regions.restricted_64bit;
        self.ternary_strides = !caps.words.ternary_align16 && caps.regions.float_regions;
        self.legal = legal;
    }

    fn clear(&mut self) {
        self.addressed.clear();
        for c in self.all.drain(..) {
            self.newest[c.dst.index()].dst = NONE;
            if let Some(v) = c.origin.var() {
                self.newest[v.index()].src = NONE;
            }
        }
    }

    /// Replaces the sources of an instruction that read copies.
    fn rewrite(&self, inst: &mut Inst<Virtual>, grf_bytes: u32, vars: &[Var]) {
        if !self.all.is_empty() {
            if self.is_redundant(inst) {
                *inst = Inst::new(Op::Nop, inst.exec);
                return;
            }
            self.rewrite_sources(inst, grf_bytes, vars);
        }
        if self.legal.is_none() {
            commute_immediate(inst);
            identities::simplify(inst);
            if moves_to_itself(inst) {
                *inst = Inst::new(Op::Nop, inst.exec);
            }
        }
    }

    fn rewrite_sources(&self, inst: &mut Inst<Virtual>, grf_bytes: u32, vars: &[Var]) {
        if matches!(inst.op.info().class, Class::Send | Class::Branch | Class::Dpas | Class::Sync)
            || matches!(inst.op, Op::Line | Op::Pln | Op::Movi | Op::Smov | Op::Madm | Op::Wait)
        {
            return;
        }
        for i in 0..inst.src.len() {
            let Src::Direct { reg, region, mods, ty } = inst.src[i] else { continue };
            let Some(var) = reg.var() else { continue };
            let newest = self.newest[var.index()].dst;
            if newest == NONE {
                continue;
            }
            let Some(copy) = self.find(newest, reg.byte, region, ty, inst) else {
                if self.legal.is_none()
                    && let Some(reg) = self.find_part(newest, inst, i, grf_bytes)
                {
                    inst.src[i] = Src::Direct { reg, region, mods, ty };
                }
                continue;
            };
            if let Some(platform) = self.legal {
                replace_legally(inst, i, &copy, platform, grf_bytes, vars);
                continue;
            }
            match copy.origin {
                CopySource::Imm { bits, ty: imm_ty } => {
                    if let Some(src) = place_immediate(inst, i, mods, ty, bits, imm_ty) {
                        inst.src[i] = src;
                    }
                }
                CopySource::Reg { reg: origin, ty: origin_ty, region, mods, .. } => {
                    // Where bytes are read as source 0 only, the sources of a sum may change places.
                    let refused = i != 0
                        && origin_ty.bytes() == 1
                        && !self.byte_sources
                        && !is_byte_factor(inst, i, origin_ty);
                    let swap = refused && i == 1 && commutes(inst) && !inst.src[0].is_imm() && {
                        inst.src[0].ty().is_some_and(|t| t.bytes() > 1)
                    };
                    if refused && !swap {
                        continue;
                    }
                    if let Some(src) = replace_register(inst, i, &copy, (origin, mods), origin_ty, region) {
                        inst.src[i] = src;
                        if swap {
                            inst.src.swap(0, 1);
                        }
                    }
                }
            }
        }
        if self.legal.is_some() {
            self.share(inst, grf_bytes);
        }
    }

    /// A move of what another move has brought elsewhere in the same form becomes a move from there.
    fn share(&self, inst: &mut Inst<Virtual>, grf_bytes: u32) {
        if inst.op != Op::Mov || inst.pred.is_some() || inst.cond.is_some() || inst.sat {
            return;
        }
        let (Dst::Direct { reg: to, horz, ty: dst_ty }, Src::Direct { reg, region, mods: SrcMod::None, ty }) =
            (inst.dst, inst.src[0])
        else {
            return;
        };
        let lanes = inst.exec.lanes();
        let (Some(var), Some(written)) = (reg.var(), inst.dst_extent(grf_bytes)) else { return };
        if lanes == 1 || horz != 1 || dst_ty.bytes() == 1 || dst_ty.is_float() || ty == dst_ty {
            return;
        }
        let mut at = self.newest[var.index()].src;
        while let Some(c) = self.all.get(as_index(at)) {
            at = c.older_src;
            let CopySource::Reg { reg: origin, region: r, ty: t, mods: SrcMod::None, .. } = c.origin else {
                continue;
            };
            let same = c.is_whole()
                && (origin, r, t, c.dst_ty, c.horz) == (reg, region, ty, dst_ty, 1)
                && c.lanes >= lanes
                && (c.no_mask || (!inst.no_mask && inst.chan == c.chan));
            let there = Reg::var_at(c.dst, c.dst_bytes.start);
            // An operation on two registers writes the first before it reads the second.
            let meets = to.var() == Some(c.dst) && written.overlaps(c.dst_bytes);
            if same && !meets && c.dst_bytes.start.is_multiple_of(grf_bytes) {
                let row = to_u8(lanes.min(8).min(grf_bytes / dst_ty.bytes()));
                inst.src[0] = Src::new(there, Region::new(row, row, 1), dst_ty);
                return;
            }
        }
    }

    /// The newest copy, from a certain one on, that defines all that channel by channel is read: from the channel
    /// on with which the reader begins.
    fn find(
        &self,
        newest: u32,
        byte: u32,
        region: Region,
        ty: Type,
        inst: &Inst<Virtual>,
    ) -> Option<KnownCopy> {
        let mut at = newest;
        while let Some(c) = self.all.get(as_index(at)) {
            at = c.older_dst;
            if !c.is_whole() || !(c.dst_ty.same_bits(ty) || c.copies_bits_of(ty)) {
                continue;
            }
            // A scalar read of one element: any NoMask copy of that element will do, and for one channel a copy
            // under that channel's mask.
            if c.lanes == 1 {
                let one = inst.exec.lanes() == 1;
                let made = c.no_mask || (one && !inst.no_mask && inst.chan == c.chan);
                if (region.is_scalar() || one) && made && byte == c.dst_bytes.start {
                    return Some(*c);
                }
                continue;
            }
            let lanes = inst.exec.lanes();
            let mapped = match c.horz {
                1 => region.one_by_one(lanes),
                _ if self.now - c.at > REACH_OF_GAPS => false,
                horz => lanes == 1 || region.stride(lanes) == Some(horz),
            };
            if !mapped || !c.dst_bytes.contains(Extent::new(byte, 1)) {
                continue;
            }
            let (first, odd) = c.lane_at(byte);
            let same_mask = c.no_mask || (!inst.no_mask && u32::from(inst.chan) == u32::from(c.chan) + first);
            if odd == 0 && same_mask && first + lanes <= c.lanes {
                return c.starting_at(first);
            }
        }
        None
    }

    /// Where the bytes are that a source narrower than the copied integers reads, if they are as the original has them.
    fn find_part(&self, newest: u32, inst: &Inst<Virtual>, i: usize, grf_bytes: u32) -> Option<Reg<Virtual>> {
        let Src::Direct { reg: read, region, ty, .. } = inst.src[i] else { return None };
        let extent = inst.src_extent(i, grf_bytes)?;
        let one = inst.exec.lanes() == 1;
        let mut at = newest;
        while let Some(c) = self.all.get(as_index(at)) {
            at = c.older_dst;
            let CopySource::Reg { reg, region: from, ty: origin_ty, mods: SrcMod::None, .. } = c.origin
            else {
                continue;
            };
            let made = c.no_mask || one && c.lanes == 1 && !inst.no_mask && inst.chan == c.chan;
            let packed = c.horz == 1 && (c.lanes == 1 || from.one_by_one(c.lanes));
            let integers = c.dst_ty.is_int() && origin_ty.is_int() && ty.bytes() < c.dst_ty.bytes();
            if !c.is_whole() || !made || !packed || !integers || !c.dst_bytes.contains(extent) {
                continue;
            }
            if one || region.is_scalar() {
                let (lane, within) = c.lane_at(read.byte);
                if within + ty.bytes() <= origin_ty.bytes() {
                    return Some(reg.plus(lane * origin_ty.bytes() + within));
                }
            } else if origin_ty.bytes() == c.dst_ty.bytes()
                && reg.byte.abs_diff(c.dst_bytes.start).is_multiple_of(grf_bytes)
            {
                return Some(reg.plus(read.byte - c.dst_bytes.start));
            }
        }
        None
    }

    /// Drops copies whose bytes an instruction overwrites.
    fn forget_written(&mut self, inst: &Inst<Virtual>, grf_bytes: u32) {
        if matches!(inst.dst, Dst::Indirect { .. }) {
            for c in self.addressed.drain(..) {
                self.all[as_index(c)].kept = 0;
            }
        }
        let Some(var) = inst.dst_var() else { return };
        let newest = self.newest[var.index()];
        if newest.dst & newest.src == NONE {
            return;
        }
        let Some(written) = WrittenElements::by(inst, grf_bytes) else { return };
        // What is no copy any more leaves the lists: a variable that is written again and again keeps them short.
        let (mut at, mut newer) = (newest.dst, NONE);
        while let Some(c) = self.all.get_mut(as_index(at)) {
            c.write_destination(&written);
            let (live, older) = (c.kept != 0, c.older_dst);
            match self.all.get_mut(as_index(newer)) {
                _ if live => newer = at,
                Some(c) => c.older_dst = older,
                None => self.newest[var.index()].dst = older,
            }
            at = older;
        }
        (at, newer) = (newest.src, NONE);
        while let Some(c) = self.all.get_mut(as_index(at)) {
            c.write_origin(&written);
            let (live, older) = (c.kept != 0, c.older_src);
            match self.all.get_mut(as_index(newer)) {
                _ if live => newer = at,
                Some(c) => c.older_src = older,
                None => self.newest[var.index()].src = older,
            }
            at = older;
        }
    }

    /// Remembers an instruction that is a copy.
    fn learn(&mut self, inst: &Inst<Virtual>, grf_bytes: u32, reach: impl Fn(VarId) -> Reach) {
        if inst.op != Op::Mov || inst.pred.is_some() || !moves_alone(inst) {
            return;
        }
        let Dst::Direct { reg: dst, horz, ty: dst_ty } = inst.dst else { return };
        let Some(dst_var) = dst.var() else { return };
        let lanes = inst.exec.lanes();
        if reach(dst_var) == Reach::None || (lanes > 1 && horz == 0) {
            return;
        }
        let origin = match inst.src[0] {
            Src::Imm { bits, ty } if keeps_value(ty, dst_ty) && !is_packed(ty) => {
                CopySource::Imm { bits: extend(bits, ty, dst_ty), ty: dst_ty }
            }
            Src::Direct { reg, region, mods, ty }
                if keeps_value(ty, dst_ty) && (!mods.any() || ty.is_float()) =>
            {
                let Some(v) = reg.var() else { return };
                let Some(bytes) = inst.src_extent(0, grf_bytes) else { return };
                let region = if region.is_scalar() || lanes == 1 { Region::SCALAR } else { region };
                let overlapping =
                    v == dst_var && inst.dst_extent(grf_bytes).is_some_and(|written| written.overlaps(bytes));
                if reach(v) == Reach::None || overlapping || !region.is_complete() {
                    return;
                }
                CopySource::Reg { reg, bytes, region, ty, mods }
            }
            _ => return,
        };
        let Some(dst_bytes) = inst.dst_extent(grf_bytes) else { return };
        let id = to_index(self.all.len());
        let older_dst = std::mem::replace(&mut self.newest[dst_var.index()].dst, id);
        let older_src = origin.var().map_or(NONE, |v| std::mem::replace(&mut self.newest[v.index()].src, id));
        if [Some(dst_var), origin.var()].into_iter().flatten().any(|v| reach(v) == Reach::Addressed) {
            self.addressed.push(id);
        }
        self.all.push(KnownCopy {
            dst: dst_var,
            dst_bytes,
            dst_ty,
            horz: if lanes > 1 { horz.into() } else { 1 },
            origin,
            lanes,
            at: self.now,
            chan: inst.chan,
            no_mask: inst.no_mask,
            kept: ones(lanes),
            mixes_qwords: self.mixes_qwords,
            ternary_strides: self.ternary_strides,
            older_dst,
            older_src,
        });
    }
}

/// Whether a move does nothing else, for whatever channels, and moves what it says: not an address that a linker fills in.
fn moves_alone(inst: &Inst<Virtual>) -> bool {
    let symbol = inst.opts.has(Options::SYMBOL_LOW) || inst.opts.has(Options::SYMBOL_HIGH);
    inst.cond.is_none() && !inst.sat && !symbol
}

/// Whether an instruction leaves all that it writes as it was.
fn moves_to_itself(inst: &Inst<Virtual>) -> bool {
    let (Op::Mov, Dst::Direct { reg: to, horz, ty: dst_ty }) = (inst.op, inst.dst) else { return false };
    let Src::Direct { reg, region, mods: SrcMod::None, ty } = inst.src[0] else { return false };
    let lanes = inst.exec.lanes();
    to == reg
        && reg.var().is_some()
        && ty.same_bits(dst_ty)
        && !inst.sat
        && inst.cond.is_none()
        && (lanes == 1 || region.stride(lanes) == Some(horz.into()))
}

#[cfg(test)]
mod tests;
