//! Every touch of a variable, in instruction order: the flat table that liveness, allocation, spilling
//! and the checker read.

use crate::{
    Error,
    analysis::{
        access::{Access, Kind},
        facts::{self, Fact, Needs, Scene},
        flow::Flow,
        history::History,
        operands::{PayloadCopy, Touches},
        owners::Widths,
        points_to::PointsTo,
    },
};
use gen_ir::{BlockId, Kernel, VarClass, VarId, Virtual};
use narrow::{as_index, ones_between, span, to_index};
use typed_index_collections::{TiSlice, TiVec};

/// The accesses of a kernel, in instruction order (reads of an instruction before its writes), and what
/// they say of each variable.
#[derive(Default)]
pub(crate) struct Accesses {
    list: Vec<Access>,
    /// Index into `list` for each instruction, and the end.
    first: Vec<u32>,
    /// First instruction of each block, and the end.
    pub blocks: Vec<u32>,
    /// By variable.
    pub facts: TiVec<VarId, Fact>,
    /// The variables that are flags or addresses.
    pub arf: Vec<VarId>,
    points_to: PointsTo,
    copies: Vec<PayloadCopy>,
    /// Blocks with writes of parts of elements.
    in_parts: Vec<BlockId>,
}

impl Accesses {
    /// Collects all accesses; variables and byte ranges are checked here, once.
    pub fn collect(
        &mut self,
        kernel: &Kernel<Virtual>,
        flow: &Flow,
        history: &mut History,
    ) -> Result<(), Error> {
        self.list.clear();
        self.list.reserve(kernel.inst_count() * 4);
        self.points_to.find(kernel);
        self.collect_of(kernel, flow, Some(history.fronts()))?;
        self.settle_copies(kernel, flow, history);
        Ok(())
    }

    /// Collects the accesses to flags and addresses alone: much less work. What is wrong with other operands is not
    /// seen.
    pub fn collect_arf(&mut self, kernel: &Kernel<Virtual>, flow: &Flow) -> Result<(), Error> {
        self.points_to.clear();
        self.collect_of(kernel, flow, None)
    }

    /// `fronts`: of general variables, what only messages know of them ([`History::fronts`]); none if those are left out.
    fn collect_of(
        &mut self,
        kernel: &Kernel<Virtual>,
        flow: &Flow,
        fronts: Option<&TiSlice<VarId, u32>>,
    ) -> Result<(), Error> {
        let arf_only = fronts.is_none();
        self.list.clear();
        self.first.clear();
        self.first.reserve(kernel.inst_count() + 1);
        self.blocks.clear();
        self.copies.clear();
        self.in_parts.clear();
        facts::start(kernel, &mut self.facts);
        self.arf.clear();
        let small_vars = (0..).map(VarId).zip(&kernel.vars).filter(|(_, var)| var.class != VarClass::General);
        self.arf.extend(small_vars.map(|(v, _)| v));
        for (b, block) in kernel.blocks.iter().enumerate() {
            self.blocks.push(to_index(self.first.len()));
            let scene = Scene::new(kernel, flow, b);
            let mut touches = Touches {
                fronts: fronts.unwrap_or_default(),
                kernel,
                grf: u32::from(kernel.platform.caps().regs.grf_bytes),
                apart: kernel.platform.caps().sends.responses_apart,
                list: &mut self.list,
                facts: &mut self.facts,
                copies: &mut self.copies,
                arf_only,
                scene,
                fault: None,
            };
            for (i, inst) in block.insts.iter().enumerate() {
                self.first.push(to_index(touches.list.len()));
                if arf_only && !touches.has_arf(inst) {
                    continue;
                }
                touches.push(inst, &self.points_to);
                if touches.fault.is_some() {
                    let fault = touches.fault.take().unwrap_or_default();
                    return Err(Error::BadOperand { block: b.into(), inst: i, fault });
                }
            }
            if touches.scene.has_parts() {
                self.in_parts.push(b.into());
            }
            if block.insts.last().is_some_and(|i| i.op.is_branch()) {
                let of_last = self.first.last().map_or(0, |&f| as_index(f));
                for a in self.list[of_last..].iter().filter(|a| a.kind.has(Kind::WRITE)) {
                    self.facts[a.var].needs.add(Needs::AT_END);
                }
            }
        }
        self.blocks.push(to_index(self.first.len()));
        self.first.push(to_index(self.list.len()));
        Ok(())
    }

    /// Shows the accesses of each block in which writes give elements parts smaller than a subrange, with the logarithm
    /// of the size of a variable's subranges.
    pub fn for_each_in_parts(&mut self, mut show: impl FnMut(&mut [Access], &dyn Fn(VarId) -> u8)) {
        for at in 0..self.in_parts.len() {
            let r = self.block(self.in_parts[at].index());
            let list = &mut self.list[span(self.first[r.start]..self.first[r.end])];
            show(list, &|v| self.facts[v].shift());
        }
    }

    /// Decides what copies into temporaries read that ignore the mask. Lowering makes payloads so; where only
    /// messages under the mask read the payload, each channel its own part, nobody learns what the other lanes'
    /// bytes were, and the copy reads for the lanes that run, if what each channel sends is its own.
    fn settle_copies(&mut self, kernel: &Kernel<Virtual>, flow: &Flow, history: &mut History) {
        let grf = u32::from(kernel.platform.caps().regs.grf_bytes);
        let widths = Widths { grf, simd: u32::from(kernel.simd).next_power_of_two() };
        for &PayloadCopy { access, block, to, at } in &self.copies {
            let a = &mut self.list[as_index(access)];
            let payload = &self.facts[to];
            // By register: what spilling makes of it is known so.
            let (first, end) = (at / grf, (at + a.end - a.start).div_ceil(grf));
            let registers = if end <= u64::BITS { ones_between(first, end) } else { 0 };
            let was_payload = registers & !history.payload(to) == 0;
            let is_payload =
                registers != 0 && (was_payload || payload.is_masked_payload(first * grf, end * grf));
            if is_payload && self.facts[a.var].owns_copy(a, payload, at, widths) {
                history.mark_payload(to, registers);
                (a.kind, a.pitch, a.elem) = (a.kind.with(Kind::MASKED), 0, 0);
            }
            let scene = Scene::new(kernel, flow, block.index());
            let fact = &mut self.facts[a.var];
            fact.note(a, &scene);
            // Copies of copies are not followed.
            fact.note_other_reader();
        }
    }

    /// Makes it the accesses of the same kernel with the instructions of each block in another order:
    /// `moved` says where each stood. Facts do not know of order within a block.
    pub fn reorder(&mut self, of: &Accesses, moved: &[u32]) {
        self.list.clear();
        self.list.reserve(of.list.len());
        self.first.clear();
        self.first.reserve(of.first.len());
        for &i in moved {
            self.first.push(to_index(self.list.len()));
            self.list.extend_from_slice(of.of(as_index(i)));
        }
        self.first.push(to_index(self.list.len()));
        self.blocks.clone_from(&of.blocks);
        self.facts.raw.clone_from(&of.facts.raw);
        self.in_parts.clone_from(&of.in_parts);
        self.arf.clone_from(&of.arf);
    }

    /// The accesses of instruction `i`, reads first.
    pub fn of(&self, i: usize) -> &[Access] {
        &self.list[span(self.first[i]..self.first[i + 1])]
    }

    /// Instructions of a block.
    pub fn block(&self, b: usize) -> std::ops::Range<usize> {
        span(self.blocks[b]..self.blocks[b + 1])
    }

    /// The block of an instruction.
    pub fn block_of(&self, i: u32) -> BlockId {
        BlockId::from(self.blocks.partition_point(|&first| first <= i) - 1)
    }

    /// The accesses of a block's instructions.
    pub fn of_block(&self, b: usize) -> &[Access] {
        let r = self.block(b);
        &self.list[span(self.first[r.start]..self.first[r.end])]
    }
}
