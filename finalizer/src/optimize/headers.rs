//! One header for many messages: only what changed since the last one is written.
//!
//! A message's header is a copy of `r0`, or zeros, with a few dwords over it. Rows of messages differ in one or
//! two of these. So the header of a message becomes that of an earlier message of the block if that costs fewer
//! instructions: each of its dwords is known by its [`Formula`], and those that are the same already are left.
//! It takes the register longer, and the hardware waits until the message before has read it.
//!
//! A header of its own starts before the values in it are computed, so that these can be made in place.

use gen_ir::{Dst, Extent, Inst, Kernel, Op, Reg, Role, Src, Type, Var, VarId, Virtual};
use narrow::{as_index, span, to_index, to_u8};

use super::{formula::Formula, locality::Locality, use_counts::UseCounts};
use crate::{build::VSrc, lists::reset};

/// Headers kept at a time.
const KEPT: usize = 4;
/// For so many instructions a header is kept that nobody reads.
const IDLE: u32 = 300;
/// Instructions between a header's first and last write.
const LONGEST: u32 = 24;
/// How far before its first write a header may start. Bounds the time that its register is taken.
const EARLIER: u32 = 32;
/// Dwords of the largest register.
pub(super) const DWORDS: usize = 16;

/// No group, no place.
const NONE: u32 = u32::MAX;

/// A variable that is written whole, then in dwords, then read.
#[derive(Clone, Copy, Debug)]
struct Header {
    var: VarId,
    /// Place of the first write, the one that fills the register, and of the last.
    first: u32,
    last_write: u32,
    first_read: u32,
    last_read: u32,
    /// Nothing else happens to it.
    fits: bool,
    /// A move copies it into a longer payload, which it may be part of otherwise.
    copied: bool,
}

/// A header that later messages may have.
#[derive(Clone, Copy, Debug)]
struct KeptHeader {
    var: VarId,
    last_read: u32,
    /// The variables that its dwords are made of, each as a bit that it may share.
    vars: u64,
    dwords: [Option<Formula>; DWORDS],
}

impl KeptHeader {
    fn new(var: VarId, last_read: u32, dwords: [Option<Formula>; DWORDS]) -> KeptHeader {
        let vars = dwords.iter().flatten().flat_map(Formula::vars).fold(0, |all, v| all | bit(v));
        KeptHeader { var, last_read, vars, dwords }
    }
}

/// The bit of a variable in a set that tells most of them apart.
const fn bit(v: VarId) -> u64 {
    1 << (v.0 % 64)
}

/// A touch of a header: its number, the place, the dword for writes of one.
#[derive(Clone, Copy, Debug)]
struct HeaderTouch {
    header: u32,
    at: u32,
    dword: Option<u8>,
}

/// A header that starts at a place wants a value that another place makes.
#[derive(Clone, Copy, Debug)]
struct Earlier {
    first: u32,
    made: u32,
    value: VarId,
}

/// Memory of the pass.
#[derive(Debug, Default)]
pub(super) struct HeaderMemory {
    /// The header that each variable is in the one block that has it.
    number: Vec<u32>,
    /// Where a block last wrote each variable.
    written: Vec<u32>,
    headers: Vec<Header>,
    writes: Vec<HeaderTouch>,
    reads: Vec<HeaderTouch>,
    kept: Vec<KeptHeader>,
    /// First writes, and what is made before them that a header wants.
    earlier: Vec<Earlier>,
}

/// Shares headers within blocks. What is not needed any more becomes `nop`.
pub(super) fn share(
    kernel: &mut Kernel<Virtual>,
    locality: &Locality,
    use_counts: &mut UseCounts,
    grf_bytes: u32,
    memory: &mut HeaderMemory,
) {
    let Kernel { vars, blocks, .. } = kernel;
    let mut ready = false;
    for (b, block) in blocks.iter_mut().enumerate().filter(|(b, _)| locality.any_in(*b)) {
        let starts = |i: &Inst<Virtual>| {
            let v = fills(i, grf_bytes).and_then(|_| i.dst.reg()?.var());
            v.filter(|v| locality.only_in(*v, b) && is_header(&vars[v.index()], grf_bytes))
        };
        memory.headers.clear();
        for (i, inst) in block.insts.iter().enumerate() {
            let Some(var) = starts(inst) else { continue };
            if !std::mem::replace(&mut ready, true) {
                reset(&mut memory.number, vars.len(), NONE);
                reset(&mut memory.written, vars.len(), NONE);
            }
            let number = &mut memory.number[var.index()];
            // What fills it again is a write of more than a dword.
            if *number != NONE {
                continue;
            }
            *number = to_index(memory.headers.len());
            let at = to_index(i);
            let none = Header {
                var,
                first: at,
                last_write: at,
                first_read: NONE,
                last_read: 0,
                fits: true,
                copied: false,
            };
            memory.headers.push(none);
        }
        if memory.headers.is_empty() {
            continue;
        }
        let mut pass = HeaderSharing {
            insts: &mut block.insts,
            vars,
            use_counts,
            locality,
            block: b,
            grf_bytes,
            memory,
        };
        pass.collect();
        pass.walk();
        pass.start_earlier();
    }
}

/// Whether a variable of one block alone is a register which may be any.
pub(super) fn is_header(var: &Var, grf_bytes: u32) -> bool {
    var.bytes == grf_bytes && !var.no_spill && !var.even_grf
}

/// What an instruction fills a variable of one register with, if it does so for all of its dwords: the source of the first,
/// and how many bytes the next one's is further on.
pub(super) fn fills(inst: &Inst<Virtual>, grf_bytes: u32) -> Option<(VSrc, u32)> {
    let lanes = inst.exec.lanes();
    if inst.op != Op::Mov || !inst.no_mask || lanes * 4 != grf_bytes {
        return None;
    }
    let Dst::Direct { horz: 1, ty, .. } = inst.dst else { return None };
    let plain = inst.pred.is_none() && inst.cond.is_none() && !inst.sat;
    let src = inst.src[0];
    if !plain || !ty.is_dword() || !src.ty().is_some_and(Type::is_dword) || src.mods().any() {
        return None;
    }
    match src {
        Src::Imm { .. } => Some((src, 0)),
        Src::Direct { reg, region, ty, .. } if region.is_packed() => Some((Src::scalar(reg, ty), 4)),
        _ => None,
    }
}

/// The source of dword `n` of a register filled so.
fn filled((src, step): (VSrc, u32), n: usize) -> VSrc {
    match src {
        Src::Direct { reg, region, mods, ty } => {
            Src::Direct { reg: reg.plus(step * to_index(n)), region, mods, ty }
        }
        other => other,
    }
}

struct HeaderSharing<'a> {
    insts: &'a mut Vec<Inst<Virtual>>,
    vars: &'a mut [Var],
    use_counts: &'a mut UseCounts,
    locality: &'a Locality,
    block: usize,
    grf_bytes: u32,
    memory: &'a mut HeaderMemory,
}

impl HeaderSharing<'_> {
    fn dwords(&self) -> usize {
        as_index(self.grf_bytes / 4)
    }

    /// Finds who writes and reads the headers.
    fn collect(&mut self) {
        let HeaderMemory { number, headers, writes, reads, .. } = &mut *self.memory;
        writes.clear();
        reads.clear();
        for (i, inst) in self.insts.iter().enumerate() {
            let at = to_index(i);
            let concerns = |reg: Reg<Virtual>| reg.var().is_some_and(|v| number[v.index()] != NONE);
            // Flags are no headers.
            let mut any = inst.dst.reg().is_some_and(concerns);
            inst.for_each_read(|reg| any |= concerns(reg));
            if !any {
                continue;
            }
            inst.for_each_reg(|role, reg| {
                let Some(v) = reg.var() else { return };
                let Some(h) = headers.get_mut(as_index(number[v.index()])) else { return };
                let header = number[v.index()];
                if !role.is_write() {
                    // The end of the thread has registers of its own.
                    h.fits &= !matches!(role, Role::AddrOf(_)) && !inst.is_eot();
                    h.first_read = h.first_read.min(at);
                    h.last_read = at;
                    h.copied |= inst.op == Op::Mov && inst.exec.lanes() * 4 == self.grf_bytes;
                    reads.push(HeaderTouch { header, at, dword: None });
                    return;
                }
                let dword = inst.exec.lanes() == 1
                    && inst.no_mask
                    && inst.pred.is_none()
                    && matches!(inst.dst, Dst::Direct { reg, ty, .. }
                        if ty.bytes() == 4 && reg.byte.is_multiple_of(4) && reg.byte < self.grf_bytes);
                h.fits &= at == h.first || at > h.first && dword && inst.cond.is_none();
                h.last_write = at;
                writes.push(HeaderTouch { header, at, dword: dword.then_some(to_u8(reg.byte / 4)) });
            });
        }
        for h in headers.iter_mut() {
            let base = fills(&self.insts[as_index(h.first)], self.grf_bytes);
            // What fills it must be there later, too.
            let lasts = base.is_some_and(|(src, _)| match src.reg().and_then(Reg::var) {
                Some(v) => {
                    let var = &self.vars[v.index()];
                    var.live_in && !var.address_taken && !self.use_counts.vars[v.index()].is_written()
                }
                None => src.is_imm(),
            });
            h.fits &= lasts
                && h.first_read != NONE
                && h.last_write < h.first_read
                && h.last_write - h.first <= LONGEST;
        }
        // By header, in order.
        writes.sort_unstable_by_key(|t| (t.header, t.at));
        reads.sort_unstable_by_key(|t| (t.header, t.at));
    }

    /// Decides for each header whether an earlier one does.
    fn walk(&mut self) {
        self.memory.kept.clear();
        self.memory.earlier.clear();
        let mut next = 0;
        for i in 0..self.insts.len() {
            let header = self.memory.headers.get(next).copied().filter(|h| h.first == to_index(i));
            if let Some(h) = header {
                if h.fits {
                    self.decide(to_index(next), &h);
                }
                next += 1;
                if next == self.memory.headers.len() {
                    break;
                }
            }
            let inst = &self.insts[i];
            let Some(v) = inst.dst_var() else { continue };
            self.memory.written[v.index()] = to_index(i);
            if !self.memory.kept.iter().any(|kept| kept.vars & bit(v) != 0) {
                continue;
            }
            let written = inst.dst_extent(self.grf_bytes).unwrap_or(Extent { start: 0, end: u32::MAX });
            for kept in &mut self.memory.kept {
                for f in kept.dwords.iter_mut().filter(|f| f.is_some_and(|f| f.reads(v, written))) {
                    *f = None;
                }
            }
        }
    }

    /// What each dword of a header holds in the end, and the instruction that writes it last.
    fn state(&self, number: u32, h: &Header) -> ([Option<Formula>; DWORDS], [u32; DWORDS]) {
        let mut formulas = [None; DWORDS];
        let mut at = [NONE; DWORDS];
        if let Some(base) = fills(&self.insts[as_index(h.first)], self.grf_bytes) {
            for (n, f) in formulas.iter_mut().enumerate().take(self.dwords()) {
                *f = Some(Formula::moved(filled(base, n)));
            }
        }
        for t in touches(&self.memory.writes, number) {
            let Some(n) = t.dword else { continue };
            let inst = &self.insts[as_index(t.at)];
            let formula = Formula::of(inst, self.vars).filter(|f| {
                // A source that changes before the last write, or is a header itself, is not followed.
                f.vars().all(|v| {
                    let other = self.memory.number[v.index()] != NONE;
                    let written = |i: &Inst<Virtual>| i.dst_var() == Some(v);
                    !other && !self.insts[span(h.first..h.last_write + 1)].iter().any(written)
                })
            });
            formulas[usize::from(n)] = formula;
            at[usize::from(n)] = t.at;
        }
        (formulas, at)
    }

    fn decide(&mut self, number: u32, h: &Header) {
        let (formulas, at) = self.state(number, h);
        let n = self.dwords();
        let own = 1 + at[..n].iter().filter(|at| **at != NONE).count();
        let mut best: Option<(usize, usize)> = None;
        for (k, kept) in self.memory.kept.iter().enumerate().rev() {
            let (a, b) = (&self.vars[kept.var.index()], &self.vars[h.var.index()]);
            let idle = h.first.checked_sub(kept.last_read + 1);
            if idle.is_none_or(|idle| idle > IDLE) || a.align < b.align {
                continue;
            }
            let same = |d: usize| formulas[d].is_some() && formulas[d] == kept.dwords[d];
            let cost = (0..n).filter(|d| !same(*d)).count() + usize::from(h.copied);
            if cost < own && best.is_none_or(|(_, least)| cost < least) {
                best = Some((k, cost));
            }
        }
        match best {
            Some((k, _)) => self.reuse(number, h, k, formulas, at),
            None => {
                self.drop_repeated(number, h, &formulas);
                self.note_earlier(number, h);
                let kept = &mut self.memory.kept;
                kept.retain(|k| h.first.saturating_sub(k.last_read) <= IDLE);
                if kept.len() == KEPT {
                    kept.remove(0);
                }
                kept.push(KeptHeader::new(h.var, h.last_read, formulas));
            }
        }
    }

    /// Writes of what the header was filled with already go.
    fn drop_repeated(&mut self, number: u32, h: &Header, formulas: &[Option<Formula>; DWORDS]) {
        let Some(base) = fills(&self.insts[as_index(h.first)], self.grf_bytes) else { return };
        for t in touches(&self.memory.writes, number) {
            let Some(n) = t.dword.map(usize::from) else { continue };
            if formulas[n] != Some(Formula::moved(filled(base, n))) {
                continue;
            }
            let inst = &mut self.insts[as_index(t.at)];
            self.use_counts.forget_reads_of(inst);
            *inst = Inst::new(Op::Nop, inst.exec);
        }
    }

    /// The header becomes the kept one, of which only what differs is written.
    fn reuse(
        &mut self,
        number: u32,
        h: &Header,
        k: usize,
        formulas: [Option<Formula>; DWORDS],
        at: [u32; DWORDS],
    ) {
        let kept = self.memory.kept.remove(k);
        let base = fills(&self.insts[as_index(h.first)], self.grf_bytes);
        let same = |d: usize| formulas[d].is_some() && formulas[d] == kept.dwords[d];
        let origin = self.insts[as_index(h.first)].origin;
        // Dwords that the filling move brought, and places that are free for moves of them.
        let mut missing = (0..self.dwords()).filter(|d| at[*d] == NONE && !same(*d));
        for t in touches(&self.memory.writes, number) {
            let inst = &mut self.insts[as_index(t.at)];
            let stays = t.dword.is_some_and(|d| at[usize::from(d)] == t.at && !same(usize::from(d)));
            if stays {
                if let Dst::Direct { reg, .. } = &mut inst.dst {
                    *reg = Reg::var_at(kept.var, reg.byte);
                }
                continue;
            }
            self.use_counts.forget_reads_of(inst);
            *inst = Inst::new(Op::Nop, inst.exec);
            if let (Some(d), Some(base)) = (missing.next(), base) {
                let to = Dst::packed(Reg::var_at(kept.var, 4 * to_index(d)), Type::Ud);
                *inst = crate::build::mov(crate::build::Lanes::SCALAR, to, filled(base, d));
                inst.origin = origin;
                self.use_counts.add(inst);
            }
        }
        debug_assert!(missing.next().is_none(), "a kept header costs less than a new one");
        for t in touches(&self.memory.reads, number) {
            let inst = &mut self.insts[as_index(t.at)];
            *inst = inst.map_regs(|_, r| match r.var() {
                Some(v) if v == h.var => Reg::var_at(kept.var, r.byte),
                _ => r,
            });
        }
        self.use_counts.replace(h.var, kept.var);
        self.memory.kept.push(KeptHeader::new(kept.var, h.last_read, formulas));
    }

    /// Notes the earlier places at which a header could start: there, a value that is moved into it could be computed in the
    /// header itself.
    fn note_earlier(&mut self, number: u32, h: &Header) {
        for t in touches(&self.memory.writes, number) {
            let inst = &self.insts[as_index(t.at)];
            let Some(value) = Formula::of(inst, self.vars)
                .and_then(|f| f.copied()?.reg()?.var())
                .filter(|v| self.locality.only_in(*v, self.block))
            else {
                continue;
            };
            let made = self.memory.written[value.index()];
            if made < h.first && h.first - made <= EARLIER && self.makes(made, inst) {
                self.memory.earlier.push(Earlier { first: h.first, made, value });
            }
        }
    }

    /// Whether the instruction at a place makes just what a move reads.
    fn makes(&self, at: u32, mov: &Inst<Virtual>) -> bool {
        let made = &self.insts[as_index(at)];
        let bytes = mov.src_extent(0, self.grf_bytes);
        let whole = made.pred.is_none() && made.no_mask && made.exec.lanes() == 1;
        whole && made.dst_extent(self.grf_bytes) == bytes
    }

    /// Moves headers before values that, now that headers are shared, only they want.
    fn start_earlier(&mut self) {
        for wanted in self.memory.earlier.chunk_by(|x, y| x.first == y.first) {
            let alone = wanted.iter().filter(|w| self.use_counts.reads(w.value) == 1);
            if let Some(start) = alone.map(|w| w.made).min() {
                self.insts[span(start..wanted[0].first + 1)].rotate_right(1);
            }
        }
    }
}

/// The touches of a header in a list that is sorted by header.
fn touches(list: &[HeaderTouch], header: u32) -> impl Iterator<Item = &HeaderTouch> {
    let from = list.partition_point(|t| t.header < header);
    list[from..].iter().take_while(move |t| t.header == header)
}

#[cfg(test)]
mod tests;
