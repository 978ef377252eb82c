//! Which general registers are still read behind each block, after allocation.
//!
//! Liveness is per lane: a masked write of whole registers ends the old value for the lanes that run. The lanes that do
//! not run still hold theirs, and an operation that ignores the mask, or that looks at other lanes, may read those. So in
//! a kernel whose lanes part, some registers are live until a write without a mask: those that such an operation reads
//! anywhere, and those that an address may lead to. In a kernel with calls every register counts as live.

use gen_ir::{Base, BlockId, Dst, Extent, Inst, Kernel, Op, Physical, RegisterSet, Role, Src};

/// For each block, the registers that may be read behind it before they are written. Found when it is asked for the first
/// time.
#[derive(Debug, Default)]
pub(crate) struct LiveRegisters {
    /// By block; empty before they are found.
    out: Vec<RegisterSet>,
    /// By block: the registers that it reads before it writes them.
    first_read: Vec<RegisterSet>,
    /// By block: the registers that it writes.
    written: Vec<RegisterSet>,
}

impl LiveRegisters {
    /// Nothing is known of the kernel at hand.
    pub fn forget(&mut self) {
        self.out.clear();
    }

    /// Whether a byte of the register file may be read behind a block.
    pub fn is_read_behind(&mut self, kernel: &Kernel<Physical>, block: BlockId, bytes: Extent) -> bool {
        if self.out.is_empty() {
            self.find(kernel);
        }
        let grf_bytes = kernel.platform.caps().regs.grf_bytes.into();
        numbers(bytes, grf_bytes).any(|r| self.out[block.index()].contains(r))
    }

    fn find(&mut self, kernel: &Kernel<Physical>) {
        let grf_bytes = u32::from(kernel.platform.caps().regs.grf_bytes);
        let blocks = kernel.blocks.len();
        let insts = || kernel.blocks.iter().flat_map(|b| &b.insts);
        let leaves = |i: &Inst<Physical>| matches!(i.op, Op::Call | Op::Calla | Op::Ret);
        self.out.resize(blocks, RegisterSet::ALL);
        if insts().any(leaves) {
            return;
        }
        let mut crossed = RegisterSet::EMPTY;
        if insts().any(|i| i.op.is_branch() && i.op != Op::Jmpi) {
            insts().for_each(|i| add_crossed(&mut crossed, i, kernel.addressed, grf_bytes));
        }
        self.first_read.clear();
        self.written.clear();
        for block in &kernel.blocks {
            let (mut read, mut written) = (RegisterSet::EMPTY, RegisterSet::EMPTY);
            for inst in &block.insts {
                if inst.reads_through_address() {
                    read |= kernel.addressed & !written;
                }
                for_each_source(inst, grf_bytes, |bytes| {
                    numbers(bytes, grf_bytes).filter(|&r| !written.contains(r)).for_each(|r| read.insert(r));
                });
                if let Some(bytes) = written_whole(inst, grf_bytes) {
                    let ends = |&r: &u32| inst.no_mask || !crossed.contains(r);
                    whole_numbers(bytes, grf_bytes).filter(ends).for_each(|r| written.insert(r));
                }
            }
            self.first_read.push(read);
            self.written.push(written);
        }
        self.solve(kernel);
    }

    /// From the last block to the first, until nothing changes.
    fn solve(&mut self, kernel: &Kernel<Physical>) {
        self.out.fill(RegisterSet::EMPTY);
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for (b, block) in kernel.blocks.iter().enumerate().rev() {
                let mut out = RegisterSet::EMPTY;
                for s in block.succs.iter().map(|s| s.index()) {
                    let passing = self.out[s] & !self.written[s];
                    out |= self.first_read[s] | passing;
                }
                changed |= out != self.out[b];
                self.out[b] = out;
            }
        }
    }
}

/// The bytes of the register file that each source of an instruction covers.
fn for_each_source(inst: &Inst<Physical>, grf_bytes: u32, mut f: impl FnMut(Extent)) {
    inst.for_each_reg(|role, reg| {
        if let (Role::Src(_), Base::Grf(first)) = (role, reg.base())
            && let Some(bytes) = inst.extent(role, grf_bytes)
        {
            f(bytes.in_file(first, grf_bytes));
        }
    });
}

/// The bytes of the register file of which an instruction writes every one, in the lanes that run.
pub(super) fn written_whole(inst: &Inst<Physical>, grf_bytes: u32) -> Option<Extent> {
    let Dst::Direct { reg, horz: 1, .. } = inst.dst else { return None };
    let Base::Grf(first) = reg.base() else { return None };
    // The predicate of `sel` chooses what is written.
    let all = inst.pred.is_none() || inst.op == Op::Sel;
    all.then(|| inst.dst_extent(grf_bytes)).flatten().map(|bytes| bytes.in_file(first, grf_bytes))
}

/// Adds the registers in which an instruction may read what other lanes have.
fn add_crossed(crossed: &mut RegisterSet, inst: &Inst<Physical>, addressed: RegisterSet, grf_bytes: u32) {
    if inst.reads_through_address() {
        *crossed |= addressed;
    }
    for (s, src) in inst.src.iter().enumerate() {
        let Src::Direct { reg, region, ty, .. } = src else { continue };
        let Base::Grf(first) = reg.base() else { continue };
        let lanes = inst.exec.lanes();
        let own = !inst.no_mask
            && !inst.op.is_send()
            && ty.bytes() == 4
            && reg.byte == 0
            && region.one_by_one(lanes);
        if !own && let Some(bytes) = inst.src_extent(s, grf_bytes) {
            numbers(bytes.in_file(first, grf_bytes), grf_bytes).for_each(|r| crossed.insert(r));
        }
    }
}

/// The registers of which some bytes are named.
pub(super) fn numbers(bytes: Extent, grf_bytes: u32) -> std::ops::Range<u32> {
    bytes.start / grf_bytes..bytes.end.div_ceil(grf_bytes)
}

/// Those of which all are.
fn whole_numbers(bytes: Extent, grf_bytes: u32) -> std::ops::Range<u32> {
    bytes.start.div_ceil(grf_bytes)..bytes.end / grf_bytes
}
