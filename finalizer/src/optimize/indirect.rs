//! An operation reads through an address what a move reads there for it alone.
//!
//! `mov v, r[a]; xor d, x, v` becomes `xor d, x, r[a]`: vISA's compilers look up elements of arrays in registers by moves.
//! The value must be the same at the operation: in between, nothing writes the address, nor anything that an address may lead
//! to. Channels read what they read before, so both are of the same ones, or the move is of one for all. Nobody else
//! may read the value, unless the operation itself writes another in its place; no second source of the operation either. (Intel's finalizer
//! forwards such sources as it does registers, two into one instruction, too.)

use gen_ir::{
    AddrSub, Class, Dst, Inst, Kernel, Op, Payload, Region, Src, SrcMod, Type, Var, VarClass, VarId, Virtual,
};
use platforms::Platform;
use smallvec::SmallVec;

use super::{locality::Locality, use_counts::UseCounts};

/// How far behind the move its reader may be: the address, of which there are few, lives so much longer.
const REACH: usize = 16;

/// Folds such moves in legal code. Returns whether there were any.
pub(super) fn fold(
    kernel: &mut Kernel<Virtual>,
    locality: &Locality,
    use_counts: &UseCounts,
    grf_bytes: u32,
) -> bool {
    let Kernel { platform, vars, blocks, .. } = kernel;
    let mut any = false;
    for (b, block) in blocks.iter_mut().enumerate().filter(|(b, _)| locality.any_in(*b)) {
        let insts = &mut block.insts;
        for i in 0..insts.len() {
            let Some(read) = IndirectMove::of(&insts[i]) else { continue };
            let uses = &use_counts.vars[read.value.index()];
            if !(locality.only_in(read.value, b) && uses.is_plain()) {
                continue;
            }
            let Some((at, new)) = read.reader(*platform, vars, &insts[i..], grf_bytes) else { continue };
            if use_counts.reads(read.value) > 1 && !read.is_overwritten(&new, grf_bytes) {
                continue;
            }
            insts[i + at] = new;
            insts[i] = Inst::new(Op::Nop, insts[i].exec);
            any = true;
        }
    }
    any
}

/// A move from where an address says to a variable, bit by bit.
struct IndirectMove<'a> {
    inst: &'a Inst<Virtual>,
    value: VarId,
    byte: u32,
    address: VarId,
    ty: Type,
}

/// Bytes of the variables from which an instruction takes addresses: all have to be in registers at once.
fn addresses(vars: &[Var], inst: &Inst<Virtual>) -> u32 {
    let mut found = SmallVec::<[VarId; 4]>::new();
    inst.for_each_read(|reg| {
        found.extend(reg.var().filter(|v| vars[v.index()].class == VarClass::Address && !found.contains(v)));
    });
    found.iter().map(|v| vars[v.index()].bytes).sum()
}

impl IndirectMove<'_> {
    fn of(inst: &Inst<Virtual>) -> Option<IndirectMove<'_>> {
        let Src::Indirect { addr, region, mods: SrcMod::None, ty: from, .. } = inst.src[0] else {
            return None;
        };
        let Dst::Direct { reg, horz: 1, ty } = inst.dst else { return None };
        // (Not with an address for each row.)
        if !(inst.op == Op::Mov && inst.is_plain() && from.same_bits(ty) && region.is_complete()) {
            return None;
        }
        Some(IndirectMove { inst, value: reg.var()?, byte: reg.byte, address: addr.var()?, ty })
    }

    /// The reader of the value among the instructions from the move on, and what it would be: its place from there.
    fn reader(
        &self,
        platform: Platform,
        vars: &[Var],
        insts: &[Inst<Virtual>],
        grf_bytes: u32,
    ) -> Option<(usize, Inst<Virtual>)> {
        for (at, inst) in insts.iter().enumerate().skip(1).take(REACH) {
            let mut reads = 0;
            inst.for_each_read(|reg| reads += u32::from(reg.var() == Some(self.value)));
            if reads > 0 {
                let new = self.folded(inst).filter(|_| reads == 1 && !self.changes(vars, inst))?;
                if addresses(vars, &new) > AddrSub::FILE_BYTES {
                    return None;
                }
                return gen_ir::rules::allows(platform, &new, grf_bytes, vars).then_some((at, new));
            }
            if self.changes(vars, inst) || inst.dst_var() == Some(self.value) {
                return None;
            }
        }
        None
    }

    /// Whether an instruction writes all that the move does, in all of its channels: what reads the variable later reads that.
    fn is_overwritten(&self, by: &Inst<Virtual>, grf_bytes: u32) -> bool {
        let all = (by.pred.is_none() || by.op == Op::Sel) && by.dst_is_dense();
        let channels =
            by.no_mask || !self.inst.no_mask && (by.exec, by.chan) == (self.inst.exec, self.inst.chan);
        let bytes = by.dst_extent(grf_bytes).zip(self.inst.dst_extent(grf_bytes));
        by.dst_var() == Some(self.value) && all && channels && bytes.is_some_and(|(by, of)| by.contains(of))
    }

    /// Whether another value may be where the address says, or the address another, behind an instruction.
    fn changes(&self, vars: &[Var], inst: &Inst<Virtual>) -> bool {
        let to = inst.dst_var();
        matches!(inst.dst, Dst::Indirect { .. })
            || matches!(inst.payload, Payload::Outside(_))
            || to.is_some_and(|v| v == self.address || vars[v.index()].address_taken)
    }

    /// The reader with the source of the move.
    fn folded(&self, reader: &Inst<Virtual>) -> Option<Inst<Virtual>> {
        let Src::Indirect { addr, imm, region: moved, .. } = self.inst.src[0] else { return None };
        let is_read = |s: &Src<Virtual>| s.reg().is_some_and(|r| r.var() == Some(self.value));
        let k = reader.src.iter().position(is_read)?;
        let Src::Direct { reg, region, mods, ty } = reader.src[k] else { return None };
        let lanes = reader.exec.lanes();
        let one = self.inst.exec.lanes() == 1 && (region.is_scalar() || lanes == 1);
        let same = (reader.exec, reader.chan) == (self.inst.exec, self.inst.chan)
            && region.one_by_one(lanes)
            && (self.inst.no_mask || !reader.no_mask);
        let computes = reader.op.info().class == Class::Basic && reader.payload == Payload::None;
        if !(computes && (one || same) && reg.byte == self.byte && ty.same_bits(self.ty)) {
            return None;
        }
        let mut new = *reader;
        let region = if one { Region::SCALAR } else { moved };
        new.src[k] = Src::Indirect { addr, imm, region, mods, ty };
        Some(new)
    }
}
