//! Values are made where a payload wants them.
//!
//! A copy of a variable into part of another (mostly: of a value into the payload of a message) is not
//! needed if both can be the same registers. That is so if only one block touches them, the variable is
//! not written any more once it has been copied, and nothing else writes those bytes of the payload or
//! reads them before; where the variable has no readers behind its copies, they may be written behind those. Then whoever
//! names the variable can name the part of the payload, whatever the
//! masks: both hold the same bytes from the copies on, and before them only the variable has any. That a variable asks to
//! start at an even register does not keep it from lying at an odd one there: no instruction needs that of a part of a
//! payload, and Intel's finalizer makes such values at odd registers, too.

use gen_ir::{Direction, Extent, Inst, Kernel, Op, Reg, Role, Src, SrcMod, Var, VarId, Virtual};
use narrow::{as_index, ones_between, to_index};

mod across;

pub(super) use across::{AcrossMemory, variables as across_blocks};

use super::locality::Locality;
use crate::lists::reset;

/// A variable with more accesses in its block stays apart. Bounds the work per copy.
const MOST_ACCESSES: usize = 256;
/// How long the rest of the payload's registers may be occupied longer: registers times instructions.
const OCCUPIED: u64 = 256;

/// Merges variables in every block.
pub(super) fn variables(
    kernel: &mut Kernel<Virtual>,
    locality: &Locality,
    grf_bytes: u32,
    merger: &mut Merger,
) {
    merger.start(grf_bytes);
    let Kernel { vars, blocks, .. } = kernel;
    for (b, block) in blocks.iter_mut().enumerate().filter(|(b, _)| locality.any_in(*b)) {
        // What copies have to do with: others are neither merged nor in the way.
        let both = |from, to| locality.touched_only_in(from, b) && locality.touched_only_in(to, b);
        if !merger.find_copies(&block.insts, both) {
            continue;
        }
        merger.make_ready(vars.len());
        merger.collect(&block.insts);
        let mut merged = false;
        for n in 0..merger.copied.len() {
            let at = as_index(merger.copied[n].at);
            let Some(copy) = ByteCopy::of(&block.insts[at], grf_bytes) else { continue };
            let fresh = Fresh {
                from: locality.only_in(copy.from, b),
                to: locality.only_in(copy.to, b),
                elsewhere: false,
            };
            // A payload that is a temporary holds nothing where the block starts: what a loop carries cannot be in it.
            let declared = !fresh.from && !vars[copy.from.index()].is_temporary();
            if declared && merger.is_carried(copy.from, vars[copy.from.index()].bytes, &block.insts) {
                continue;
            }
            if merger.fits(copy, &block.insts, vars, fresh) {
                merger.merge(copy, &mut block.insts, vars);
                merged = true;
            }
        }
        merger.clear();
        if merged {
            block.insts.retain(|i| i.op != Op::Nop);
        }
    }
}

/// Bytes of a variable copied as they are to bytes of another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ByteCopy {
    from: VarId,
    to: VarId,
    /// What is added to a byte's place.
    shift: u32,
}

impl ByteCopy {
    /// The variables that an instruction copies from and to, if it moves packed elements as they are. Whether it is a
    /// [`ByteCopy`] goes by where these stand, too, and merging may change that.
    pub fn ends(inst: &Inst<Virtual>) -> Option<(VarId, VarId)> {
        if inst.op != Op::Mov || inst.pred.is_some() || inst.cond.is_some() || inst.sat {
            return None;
        }
        let Src::Direct { reg, region, mods: SrcMod::None, ty: read_as } = inst.src[0] else { return None };
        let (from, to) = (reg.var()?, inst.dst.reg()?.var()?);
        let lanes = inst.exec.lanes();
        let packed = lanes == 1 || inst.dst_is_dense() && region.one_by_one(lanes);
        (packed && inst.dst.ty()?.same_bits(read_as)).then_some((from, to))
    }

    fn of(inst: &Inst<Virtual>, grf_bytes: u32) -> Option<ByteCopy> {
        let (from, to) = ByteCopy::ends(inst)?;
        let shift = inst.dst.reg()?.byte.checked_sub(inst.src[0].reg()?.byte)?;
        (from != to && inst.dst_extent(grf_bytes).is_some()).then_some(ByteCopy { from, to, shift })
    }
}

/// Whether all that is read of each variable of a copy is written before in the same run of the block.
#[derive(Clone, Copy, Debug)]
struct Fresh {
    from: bool,
    to: bool,
    /// Other blocks touch what is copied, wherever.
    elsewhere: bool,
}

/// No access.
const NONE: u32 = u32::MAX;
/// No access, of a variable whose accesses are not listed.
const APART: u32 = u32::MAX - 1;

/// One touch of a variable.
#[derive(Clone, Copy, Debug)]
struct VarTouch {
    inst: u32,
    bytes: Extent,
    does: Direction,
    /// The next one of the same variable.
    next: u32,
}

/// The accesses of a block's variables, in lists.
#[derive(Debug, Default)]
pub(super) struct Merger {
    grf_bytes: u32,
    /// The lists are of the kernel at hand.
    is_ready: bool,
    /// The last access of each variable.
    head: Vec<u32>,
    list: Vec<(VarId, VarTouch)>,
    /// Moves of the block that may be copies of bytes.
    copied: Vec<MoveBetween>,
}

/// Instruction `at` moves packed elements of one variable to another.
#[derive(Clone, Copy, Debug)]
struct MoveBetween {
    at: u32,
    from: VarId,
    to: VarId,
}

impl Merger {
    /// Begins with a kernel.
    fn start(&mut self, grf_bytes: u32) {
        self.grf_bytes = grf_bytes;
        self.is_ready = false;
        self.list.clear();
    }

    /// Finds the moves of a block that may be copies of bytes, `wanted` ones by what they copy from and to. Whether there are any.
    fn find_copies(&mut self, insts: &[Inst<Virtual>], wanted: impl Fn(VarId, VarId) -> bool) -> bool {
        let between = |(at, inst): (u32, &Inst<Virtual>)| {
            let (from, to) = ByteCopy::ends(inst)?;
            wanted(from, to).then_some(MoveBetween { at, from, to })
        };
        self.copied.clear();
        self.copied.extend((0..).zip(insts).filter_map(between));
        !self.copied.is_empty()
    }

    /// Makes lists for so many variables, where the first copies of a kernel are found. Whether they are.
    fn make_ready(&mut self, vars: usize) -> bool {
        let first = !std::mem::replace(&mut self.is_ready, true);
        if first {
            reset(&mut self.head, vars, APART);
        }
        first
    }

    /// Lists the accesses of all that is copied.
    fn collect(&mut self, insts: &[Inst<Virtual>]) {
        for MoveBetween { from, to, .. } in &self.copied {
            self.head[from.index()] = NONE;
            self.head[to.index()] = NONE;
        }
        for (i, inst) in insts.iter().enumerate() {
            let listed = |v: VarId| self.head[v.index()] != APART;
            let mut any = inst.dst_var().is_some_and(listed);
            inst.for_each_read(|reg| any |= reg.var().is_some_and(listed));
            if !any {
                continue;
            }
            inst.for_each_reg(|role, reg| {
                let Some(v) = reg.var().filter(|v| self.head[v.index()] != APART) else { return };
                let bytes = inst.extent(role, self.grf_bytes).unwrap_or(Extent { start: 0, end: u32::MAX });
                let next = self.head[v.index()];
                let does = Direction::write_if(role == Role::Dst);
                self.head[v.index()] = to_index(self.list.len());
                self.list.push((v, VarTouch { inst: to_index(i), bytes, does, next }));
            });
        }
    }

    fn clear(&mut self) {
        self.list.clear();
        for MoveBetween { from, to, .. } in self.copied.drain(..) {
            self.head[from.index()] = APART;
            self.head[to.index()] = APART;
        }
    }

    fn accesses(&self, var: VarId) -> impl Iterator<Item = VarTouch> {
        let mut at = self.head[var.index()];
        std::iter::from_fn(move || {
            let (_, a) = *self.list.get(as_index(at))?;
            at = a.next;
            Some(a)
        })
    }

    /// Whether the copied variable can be part of the other.
    fn fits(&self, copy: ByteCopy, insts: &[Inst<Virtual>], vars: &[Var], fresh: Fresh) -> bool {
        let (from, to) = (&vars[copy.from.index()], &vars[copy.to.index()]);
        if from.no_spill || to.no_spill || !copy.shift.is_multiple_of(from.align.max(1)) {
            return false;
        }
        let Some(mut a) = self.summary(copy.from, insts) else { return false };
        if fresh.elsewhere {
            a.bytes = Extent { start: 0, end: from.bytes };
        }
        if a.bytes.end > to.bytes.saturating_sub(copy.shift) {
            return false;
        }
        let bytes = Extent { start: a.bytes.start + copy.shift, end: a.bytes.end + copy.shift };
        let Some(all) = self.summary(copy.to, insts) else { return false };
        let (mut first_copy, mut last_copy) = (u32::MAX, 0);
        let (mut first_read, mut first_other) = (u32::MAX, u32::MAX);
        for access in self.accesses(copy.to).filter(|x| x.bytes.overlaps(bytes)) {
            let inst = &insts[as_index(access.inst)];
            if inst.op == Op::Nop {
                continue;
            }
            if access.does == Direction::Read {
                first_read = first_read.min(access.inst);
                continue;
            }
            match ByteCopy::of(inst, self.grf_bytes) {
                Some(writer) if writer == copy && (inst.no_mask || fresh.to) => {}
                // What is copied there last has a better claim to the place.
                Some(_) => return false,
                None => {
                    first_other = first_other.min(access.inst);
                    continue;
                }
            }
            first_copy = first_copy.min(access.inst);
            last_copy = last_copy.max(access.inst);
        }
        let written = a.last_write.is_none_or(|w| w < first_copy);
        if !written || first_read <= last_copy {
            return false;
        }
        // Whoever reads the variable must find it, and not what is written there later.
        // Nor wait with the other until a message has taken it.
        let sent = |x: VarTouch| x.does == Direction::Read && insts[as_index(x.inst)].op.is_send();
        let alone = first_other == u32::MAX;
        if !alone
            && (first_other <= last_copy
                || a.last > last_copy
                || !fresh.from
                || self.accesses(copy.from).any(sent))
        {
            return false;
        }
        // A message of which two operands would come to overlap.
        let in_both = |x: VarTouch| {
            let inst = &insts[as_index(x.inst)];
            let place =
                Extent { start: x.bytes.start + copy.shift, end: x.bytes.end.saturating_add(copy.shift) };
            let mut found = false;
            inst.for_each_reg(|role, r| {
                let extent = || inst.extent(role, self.grf_bytes);
                found |= r.var() == Some(copy.to) && extent().is_none_or(|e| e.overlaps(place));
            });
            found && inst.op.is_send()
        };
        if self.accesses(copy.from).any(in_both) {
            return false;
        }
        let rest = u64::from((to.bytes - bytes.len().min(to.bytes)).div_ceil(self.grf_bytes));
        let longer = all.first.saturating_sub(a.first) + a.last.saturating_sub(all.last);
        rest * u64::from(longer) <= OCCUPIED
    }

    /// Whether some of a variable of so many `bytes` is read before the block, which alone touches it, writes it, in whatever lanes.
    fn is_carried(&self, var: VarId, bytes: u32, insts: &[Inst<Virtual>]) -> bool {
        // A bit for each part that is read behind, and not written before that; for each that is written at all: the others
        // never hold anything.
        let part = bytes.div_ceil(u64::BITS).max(1);
        let (mut needed, mut written) = (0, 0);
        // The last access comes first.
        for a in self.accesses(var) {
            let inst = &insts[as_index(a.inst)];
            let Extent { start, end } = a.bytes;
            let touched = ones_between(start / part, end.div_ceil(part));
            if a.does == Direction::Read {
                needed |= touched;
                continue;
            }
            written |= touched;
            if inst.dst_is_dense() && (inst.pred.is_none() || inst.op == Op::Sel) {
                needed &= !ones_between(start.div_ceil(part), end / part);
            }
        }
        needed & written != 0
    }

    fn summary(&self, var: VarId, insts: &[Inst<Virtual>]) -> Option<Summary> {
        let mut s =
            Summary { bytes: Extent { start: u32::MAX, end: 0 }, first: u32::MAX, last: 0, last_write: None };
        for (n, a) in self.accesses(var).enumerate() {
            if n >= MOST_ACCESSES {
                return None;
            }
            if insts[as_index(a.inst)].op == Op::Nop {
                continue;
            }
            s.bytes = Extent { start: s.bytes.start.min(a.bytes.start), end: s.bytes.end.max(a.bytes.end) };
            s.first = s.first.min(a.inst);
            s.last = s.last.max(a.inst);
            if a.does == Direction::Write {
                s.last_write = s.last_write.max(Some(a.inst));
            }
        }
        (s.first != u32::MAX).then_some(s)
    }

    fn merge(&mut self, copy: ByteCopy, insts: &mut [Inst<Virtual>], vars: &mut [Var]) {
        let align = vars[copy.from.index()].align;
        let to = &mut vars[copy.to.index()];
        to.align = to.align.max(align);
        let mut at = self.head[copy.from.index()];
        let mut last = NONE;
        while let Some((_, access)) = self.list.get_mut(as_index(at)) {
            let inst = &mut insts[as_index(access.inst)];
            if ByteCopy::of(inst, self.grf_bytes) == Some(copy) {
                *inst = Inst::new(Op::Nop, inst.exec);
            } else {
                *inst = inst.map_regs(|_, r| match r.var() {
                    Some(v) if v == copy.from => Reg::var_at(copy.to, r.byte + copy.shift),
                    _ => r,
                });
            }
            access.bytes.start += copy.shift;
            access.bytes.end += copy.shift;
            last = at;
            at = access.next;
        }
        if let Some((_, access)) = self.list.get_mut(as_index(last)) {
            access.next = self.head[copy.to.index()];
            self.head[copy.to.index()] = self.head[copy.from.index()];
            self.head[copy.from.index()] = NONE;
        }
    }
}

/// What a block does with a variable.
struct Summary {
    bytes: Extent,
    first: u32,
    last: u32,
    last_write: Option<u32>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use gen_ir::{Block, Dst, ExecSize, Region, Type, VarClass};
    use platforms::Platform;

    fn inst(op: Op, to: VarId, byte: u32, from: VarId) -> Inst<Virtual> {
        let mut i = Inst::new(op, ExecSize::S8);
        i.dst = Dst::packed(Reg::var_at(to, byte), Type::D);
        i.src[0] = Src::new(Reg::var_at(from, 0), Region::new(8, 8, 1), Type::D);
        if op == Op::Add {
            i.src[1] = Src::d(1);
        }
        i
    }

    fn copy(to: VarId, byte: u32, from: VarId) -> Inst<Virtual> {
        Inst { no_mask: true, ..inst(Op::Mov, to, byte, from) }
    }

    /// An input, a value, a payload of two registers, a result.
    fn run(insts: impl Fn(&[VarId]) -> Vec<Inst<Virtual>>) -> (Vec<Inst<Virtual>>, Vec<VarId>) {
        let mut k = Kernel::new("k", Platform::Skl);
        let v: Vec<VarId> = [32, 32, 64, 32]
            .iter()
            .map(|&bytes| k.add_var(Var::temp(VarClass::General, bytes, 32)))
            .collect();
        k.vars[v[0].index()].live_in = true;
        k.vars[v[3].index()].live_out = true;
        k.blocks.push(Block { insts: insts(&v), succs: Default::default() });
        let locality = Locality::of(&k);
        variables(&mut k, &locality, 32, &mut Merger::default());
        (k.blocks.swap_remove(0).insts, v)
    }

    #[test]
    fn a_value_with_other_readers_becomes_part_of_the_payload() {
        let (got, v) = run(|v| {
            vec![
                inst(Op::Add, v[1], 0, v[0]),
                copy(v[2], 32, v[1]),
                inst(Op::Add, v[3], 0, v[2]),
                inst(Op::Add, v[3], 0, v[1]),
            ]
        });
        let mut last = inst(Op::Add, v[3], 0, v[2]);
        last.src[0] = Src::new(Reg::var_at(v[2], 32), Region::new(8, 8, 1), Type::D);
        assert_eq!(got, [inst(Op::Add, v[2], 32, v[0]), inst(Op::Add, v[3], 0, v[2]), last]);
    }

    #[test]
    fn a_value_that_changes_after_the_copy_stays_apart() {
        let (got, v) = run(|v| {
            vec![
                inst(Op::Add, v[1], 0, v[0]),
                copy(v[2], 0, v[1]),
                inst(Op::Add, v[1], 0, v[1]),
                inst(Op::Add, v[3], 0, v[2]),
                inst(Op::Add, v[3], 0, v[1]),
            ]
        });
        assert_eq!(got.len(), 5);
        assert_eq!(got[1], copy(v[2], 0, v[1]));
    }

    #[test]
    fn bytes_that_others_write_too_stay_apart() {
        let (got, _) = run(|v| {
            vec![
                inst(Op::Add, v[1], 0, v[0]),
                inst(Op::Add, v[2], 0, v[0]),
                copy(v[2], 0, v[1]),
                inst(Op::Add, v[3], 0, v[2]),
            ]
        });
        assert_eq!(got.len(), 4);
    }
}
