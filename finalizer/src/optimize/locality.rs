//! Which variables live in one block only.

use gen_ir::{
    BlockId, Dst, ExecSize, Extent, Inst, Kernel, OnlyBlock, Op, Payload, Role, Src, VarId, Virtual,
};

use super::use_counts::{UseCounts, initial_block};
use crate::lists::{refill, reset};

/// For each variable the one block that touches it, if there is just one and no value of the variable enters or leaves the
/// block.
#[derive(Debug, Default)]
pub(super) struct Locality {
    only_block: Vec<OnlyBlock>,
    /// The same, but values of an earlier run of the block may come in.
    touched: Vec<OnlyBlock>,
    /// While looking: what the block has written of each variable.
    defined: Vec<DefinedBytes>,
    /// Whether each block has variables that no other block touches.
    local: Vec<bool>,
    /// Whether any block has.
    any: bool,
}

impl Locality {
    /// That of a kernel of which nothing is known yet.
    #[cfg(test)]
    pub fn of(kernel: &Kernel<Virtual>) -> Locality {
        let (mut locality, mut depths) = (Locality::default(), Vec::new());
        gen_ir::Cfg::of(kernel).find_depths(&mut Vec::new(), &mut depths);
        locality.find(kernel, &depths);
        locality
    }

    /// Looks at every operand. `depths` are the loops around each block.
    pub fn find(&mut self, kernel: &Kernel<Virtual>, depths: &[u8]) {
        refill(&mut self.touched, kernel.vars.iter().map(initial_block));
        for (b, block) in (0..).map(BlockId).zip(&kernel.blocks) {
            for inst in &block.insts {
                inst.for_each_reg(|_, reg| {
                    if let Some(v) = reg.var() {
                        self.touched[v.index()].add(b);
                    }
                });
            }
        }
        self.settle(kernel, depths);
    }

    /// Takes the blocks that touch each variable from counts that a walk over the kernel has completed.
    pub fn take(&mut self, kernel: &Kernel<Virtual>, depths: &[u8], use_counts: &UseCounts) {
        refill(&mut self.touched, use_counts.vars.iter().map(|v| v.only_block));
        self.settle(kernel, depths);
    }

    fn settle(&mut self, kernel: &Kernel<Virtual>, depths: &[u8]) {
        reset(&mut self.local, kernel.blocks.len(), false);
        self.any = false;
        for t in &self.touched {
            if let Some(b) = t.block() {
                self.local[b.index()] = true;
                self.any = true;
            }
        }
        self.only_block.clone_from(&self.touched);
        if self.any {
            self.find_exposed(kernel, depths);
        }
    }

    /// In blocks that may run again: whatever reads what the block has not written before sees another run.
    fn find_exposed(&mut self, kernel: &Kernel<Virtual>, depths: &[u8]) {
        let Locality { only_block, defined, local, .. } = self;
        let grf_bytes = u32::from(kernel.platform.caps().regs.grf_bytes);
        // In layout order every cycle of the graph lies in a loop, but for those through calls.
        let calls = !kernel.subroutines.is_empty();
        let exposing = |b: &usize| local[*b] && (calls || depths[*b] > 0);
        let mut blocks = (0..kernel.blocks.len()).filter(exposing).peekable();
        if blocks.peek().is_some() {
            reset(defined, kernel.vars.len(), DefinedBytes::NOTHING);
        }
        for b in blocks {
            for inst in &kernel.blocks[b].insts {
                inst.for_each_reg(|role, reg| {
                    let Some(v) = reg.var() else { return };
                    let h = &mut only_block[v.index()];
                    if h.is(b.into()) && !defined[v.index()].covers(inst, role, grf_bytes) {
                        *h = OnlyBlock::SEVERAL;
                    }
                });
                if let Some(v) = inst.dst_var()
                    && only_block[v.index()].is(b.into())
                {
                    defined[v.index()].add(inst, grf_bytes);
                }
            }
        }
    }

    /// Whether some variable is touched by one block alone.
    pub fn any(&self) -> bool {
        self.any
    }

    /// Whether some variable is touched by block `b` alone.
    pub fn any_in(&self, b: usize) -> bool {
        self.local[b]
    }

    /// The block that alone has to do with each variable.
    pub fn each(&self) -> impl Iterator<Item = OnlyBlock> {
        self.only_block.iter().copied()
    }

    /// Whether only block `b` has to do with the variable.
    pub fn only_in(&self, var: VarId, b: usize) -> bool {
        self.only_block[var.index()].is(b.into())
    }

    /// Whether no other block touches the variable. What an earlier run of the block left in it may
    /// still be read.
    pub fn touched_only_in(&self, var: VarId, b: usize) -> bool {
        self.touched[var.index()].is(b.into())
    }
}

/// Bytes that the block has written so far, by masked and by unmasked instructions.
#[derive(Clone, Copy, Debug)]
struct DefinedBytes {
    masked: Extent,
    unmasked: Extent,
    apart: Option<Apart>,
}

impl DefinedBytes {
    const NOTHING: DefinedBytes = DefinedBytes {
        masked: Extent { start: 0, end: 0 },
        unmasked: Extent { start: 0, end: 0 },
        apart: None,
    };

    fn add(&mut self, inst: &Inst<Virtual>, grf_bytes: u32) {
        if inst.pred.is_some() && inst.op != Op::Sel {
            return;
        }
        let dense = if inst.dst_is_dense() {
            inst.dst_extent(grf_bytes)
        } else {
            let all = Apart::written(inst).map(|new| self.apart.map_or(new, |old| old.beside(new)));
            self.apart = all.or(self.apart);
            all.and_then(Apart::dense)
        };
        let Some(bytes) = dense else { return };
        self.masked = joined(self.masked, bytes);
        if inst.no_mask {
            self.unmasked = joined(self.unmasked, bytes);
        }
    }

    /// Whether an operand sees nothing that was there before the block. Writes always do.
    fn covers(&self, inst: &Inst<Virtual>, role: Role, grf_bytes: u32) -> bool {
        if role == Role::Dst {
            return true;
        }
        let known = if inst.no_mask && !matches!(inst.payload, Payload::Send(_)) {
            self.unmasked
        } else {
            self.masked
        };
        inst.extent(role, grf_bytes).is_some_and(|read| known.contains(read))
            || self.apart.is_some_and(|apart| apart.covers(inst, role))
    }
}

/// The same bytes of each channel's element, with a gap to the next one's.
#[derive(Clone, Copy, Debug)]
struct Apart {
    /// Of the first channel.
    bytes: Extent,
    /// Bytes from one channel to the next.
    pitch: u32,
    exec: ExecSize,
    chan: u8,
    no_mask: bool,
}

impl Apart {
    fn of(inst: &Inst<Virtual>, start: u32, element: u32, pitch: u32) -> Apart {
        let bytes = Extent { start, end: start + element };
        Apart { bytes, pitch, exec: inst.exec, chan: inst.chan, no_mask: inst.no_mask }
    }

    fn written(inst: &Inst<Virtual>) -> Option<Apart> {
        let Dst::Direct { reg, horz, ty } = inst.dst else { return None };
        Some(Apart::of(inst, reg.byte, ty.bytes(), u32::from(horz) * ty.bytes()))
    }

    fn channels(&self) -> (u32, ExecSize, u8) {
        (self.pitch, self.exec, self.chan)
    }

    /// With what is written now: more bytes of the same elements, or others.
    fn beside(self, new: Apart) -> Apart {
        let alike = self.channels() == new.channels() && self.no_mask == new.no_mask;
        Apart { bytes: if alike { joined(self.bytes, new.bytes) } else { new.bytes }, ..new }
    }

    /// All bytes, if there are no gaps any more.
    fn dense(self) -> Option<Extent> {
        let Extent { start, end } = self.bytes;
        (end - start == self.pitch).then(|| Extent { start, end: start + self.exec.lanes() * self.pitch })
    }

    /// Whether each channel of a source reads what was written for it.
    fn covers(&self, inst: &Inst<Virtual>, role: Role) -> bool {
        let Role::Src(k) = role else { return false };
        let Src::Direct { reg, region, ty, .. } = inst.src[usize::from(k)] else { return false };
        let Some(stride) = region.stride(inst.exec.lanes()) else { return false };
        let read = Apart::of(inst, reg.byte, ty.bytes(), stride * ty.bytes());
        read.channels() == self.channels()
            && self.bytes.contains(read.bytes)
            && (self.no_mask || !read.no_mask)
            && matches!(inst.payload, Payload::None | Payload::Math(_))
    }
}

/// The union of two ranges if it has no gap, else the new one.
fn joined(a: Extent, b: Extent) -> Extent {
    if a.start <= b.end && b.start <= a.end && !a.is_empty() {
        Extent { start: a.start.min(b.start), end: a.end.max(b.end) }
    } else {
        b
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gen_ir::{Block, Reg, Region, Type, Var, VarClass};
    use platforms::Platform;

    /// Bytes of dwords one after the other, read as such and then as dwords.
    #[test]
    fn bytes_of_elements_do_not_live_from_one_iteration_to_the_next() {
        for written in [3, 4] {
            let mut k = Kernel::new("k", Platform::Skl);
            let [v, d] = [0; 2].map(|_| k.add_var(Var::temp(VarClass::General, 64, 32)));
            let mov = |dst: Dst<Virtual>, src: Src<Virtual>| {
                let mut i = Inst::new(Op::Mov, ExecSize::S16);
                (i.dst, i.src[0]) = (dst, src);
                i
            };
            let byte = |n| {
                let strided = Dst::Direct { reg: Reg::var_at(v, n), horz: 4, ty: Type::B };
                mov(strided, Src::uw(1))
            };
            let read_byte = Src::new(Reg::var_at(v, 1), Region::new(4, 1, 0), Type::B);
            let mut insts: Vec<_> = (0..written).map(byte).collect();
            insts.push(mov(Dst::packed(Reg::var_at(d, 0), Type::D), read_byte));
            if written == 4 {
                insts.push(mov(
                    Dst::packed(Reg::var_at(d, 0), Type::D),
                    Src::packed(Reg::var_at(v, 0), Type::D),
                ));
            }
            k.blocks.push(Block { insts, succs: vec![BlockId(1), BlockId(0)].into() });
            k.blocks.push(Block::default());
            assert!(Locality::of(&k).only_in(v, 0), "{written}");
            // A byte that was not written is one of an earlier run.
            let other = Src::new(Reg::var_at(v, written % 4), Region::new(4, 1, 0), Type::B);
            let first = k.blocks[0].insts.iter_mut().rfind(|i| i.src[0].reg().is_some()).unwrap();
            first.src[0] = other;
            assert_eq!(Locality::of(&k).only_in(v, 0), written == 4);
        }
    }

    #[test]
    fn a_value_of_the_iteration_before_does_not_live_in_the_block() {
        let mut k = Kernel::new("k", Platform::Skl);
        let v: Vec<VarId> = (0..2).map(|_| k.add_var(Var::temp(VarClass::General, 32, 32))).collect();
        let add = |d: VarId, s: VarId| {
            let mut i = Inst::new(Op::Add, ExecSize::S8);
            i.dst = Dst::packed(Reg::var_at(d, 0), Type::D);
            i.src[0] = Src::packed(Reg::var_at(s, 0), Type::D);
            i.src[1] = Src::d(1);
            i
        };
        // v1 = v0 + 1; v0 = v1 + 1, again and again.
        k.blocks
            .push(Block { insts: vec![add(v[1], v[0]), add(v[0], v[1])], succs: vec![BlockId(1)].into() });
        k.blocks.push(Block { insts: vec![], succs: vec![BlockId(2), BlockId(0)].into() });
        k.blocks.push(Block::default());
        let locality = Locality::of(&k);
        assert!(!locality.only_in(v[0], 0));
        assert!(locality.only_in(v[1], 0));
    }
}
