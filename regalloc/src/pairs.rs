//! Where threads run as pairs, what ignores the mask is kept from running while no channel of its thread is on.
//!
//! Both threads of a pair have one instruction pointer. Hardware takes a thread whose last channel has left for one of which
//! none is on; but not when the other thread has left before. Then, up to where both are together again, the thread runs
//! instructions without a mask in blocks that its channels do not go through (`Wa_1808850743` in Intel's
//! `skuwa/itgl_lp_hw_wa.c`). Intel's finalizer finds blocks of nested divergence and gives every instruction without a mask
//! there a predicate (visa/SWWA.cpp, `prepareNoMaskWA`, and the page on top of it; visa/FlowGraph.cpp,
//! `findNestedDivergentBBs`).
//!
//! Here most of them need none. What channels hold that wait elsewhere keeps its registers (see `analysis::liveness`), and
//! scratch memory is written without a mask for variables alone that no such channel holds. So what runs by mistake hurts in
//! two ways only, and those instructions get a predicate:
//! - it is a message, or sets how the thread computes;
//! - it writes a variable that waiting channels hold: the same one, on another way. Those that wait in a caller may hold
//!   arguments, prepared for both ways of a branch, in the registers in which a function leaves its results.
//!
//! The predicate is a flag that an instruction under the mask sets where any channel is on ([`Var::any_on`]):
//!
//! ```text
//! (W) mov (1|M0) V9(0)<1>:uw 0x0:uw
//!     cmp (16|M0) (eq)V9(0) null<1>:uw V0(0)<0;1,0>:uw V0(0)<0;1,0>:uw
//! (W&V9(0).any16h) send ...
//! ```

mod guard;
mod nesting;

use gen_ir::{Arf, Base, Class, Inst, Kernel, Outside, Payload, Pool, VarId, Virtual};

use crate::{
    Error,
    analysis::{
        access::Kind, accesses::Accesses, dataflow::Dataflow, flow::Flow, history::History,
        position::Position,
    },
    pairs::{
        guard::{Guards, Question},
        nesting::Nesting,
    },
};

/// Guards kernels whose threads run as pairs. It keeps its memory from one kernel to the next, and nothing else.
#[derive(Default)]
pub struct PairGuard {
    flow: Flow,
    nesting: Nesting,
    history: History,
    accesses: Accesses,
    dataflow: Dataflow,
    /// By variable: up to where waiting channels hold it.
    held: Vec<Position>,
    /// Instructions of a block that need a predicate.
    found: Vec<usize>,
    guards: Guards,
}

impl std::fmt::Debug for PairGuard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PairGuard").finish_non_exhaustive()
    }
}

impl PairGuard {
    /// Gives instructions without a mask a predicate where they may run though no channel of their thread does.
    /// Returns whether there were any.
    ///
    /// Comes in: a structured kernel over variables, before allocation. Goes out: the same with predicates, and with flags and
    /// temporaries for them.
    ///
    /// # Errors
    ///
    /// Operands that cannot be.
    pub fn guard(&mut self, kernel: &mut Kernel<Virtual>, pool: &mut Pool<Virtual>) -> Result<bool, Error> {
        if !kernel.pairs {
            return Ok(false);
        }
        self.flow.find(kernel);
        if !self.nesting.find(kernel, &self.flow) {
            return Ok(false);
        }
        self.history.clear();
        self.accesses.collect(kernel, &self.flow, &mut self.history)?;
        self.dataflow.find(kernel, &self.accesses, &self.flow, &self.history);
        self.held.clear();
        self.held.resize(kernel.vars.len(), Position::START);
        if kernel.is_called() {
            for v in handed_over(kernel) {
                self.held[v.index()] = Position::NEVER;
            }
        }
        let question = Question::of(kernel);
        let mut changed = false;
        for b in 0..kernel.blocks.len() {
            let held = self.dataflow.held_from(b).iter().chain(self.dataflow.held_in_calls_from(b));
            for &(v, end) in held {
                let until = &mut self.held[v.index()];
                *until = (*until).max(end);
            }
            if self.nesting.is_nested(b) {
                self.find_in(kernel, b);
                if !self.found.is_empty() {
                    self.guards.add(kernel, question, (b, &self.found), pool);
                    changed = true;
                }
            }
        }
        Ok(changed)
    }

    /// Finds the instructions of a block that need a predicate.
    fn find_in(&mut self, kernel: &Kernel<Virtual>, b: usize) {
        self.found.clear();
        let block = self.accesses.block(b);
        let start = Position::before(block.start);
        for (i, inst) in kernel.blocks[b].insts.iter().enumerate() {
            let is_held = || {
                let mut accesses = self.accesses.of(block.start + i).iter();
                accesses.any(|a| a.kind.has(Kind::WRITE) && self.held[a.var.index()] > start)
            };
            if may_run(inst) && (acts(inst) || is_held()) {
                self.found.push(i);
            }
        }
    }
}

/// The variables of a function in which lanes hand over values, which callers' lanes that do not run it may hold.
fn handed_over(kernel: &Kernel<Virtual>) -> impl Iterator<Item = VarId> {
    kernel.insts().filter_map(|(_, inst)| {
        let is_touch = matches!(inst.payload, Payload::Outside(Outside::Touch { .. }));
        (is_touch && !inst.no_mask).then(|| inst.src[0].reg()?.var())?
    })
}

/// Whether an instruction may run though no channel is on. The end of the thread may not: no channel waits there.
fn may_run(inst: &Inst<Virtual>) -> bool {
    let plain = !matches!(inst.op.info().class, Class::Branch | Class::Sync | Class::Nullary);
    inst.no_mask && plain && !inst.is_eot() && !matches!(inst.payload, Payload::Outside(_))
}

/// Whether an instruction does more than to write variables: it sends a message, or writes a register that says how the thread
/// computes.
fn acts(inst: &Inst<Virtual>) -> bool {
    let holds = |base| matches!(base, Base::Var(_) | Base::Arf(Arf::Null | Arf::Acc(_)));
    inst.op.is_send() || inst.dst.reg().is_some_and(|reg| !holds(reg.base()))
}
