//! What is known of a kernel: its accesses, what they say of each variable, and where each is alive.

pub(crate) mod access;
pub(crate) mod accesses;
pub(crate) mod calls;
mod channels;
pub(crate) mod composite;
pub(crate) mod dataflow;
pub(crate) mod facts;
pub(crate) mod flow;
pub(crate) mod history;
pub(crate) mod liveness;
pub(crate) mod operands;
pub(crate) mod owners;
pub(crate) mod points_to;
pub(crate) mod position;
pub(crate) mod pressure;
pub(crate) mod subranges;

use crate::{
    Error,
    analysis::{accesses::Accesses, composite::Composites, flow::Flow, history::History, liveness::Liveness},
    order,
    place::{Sharing, copies::Copies, reuse::Reuse},
    spill::costs::Costs,
};
use gen_ir::{Kernel, Virtual};

/// What is known of a kernel as it stands.
#[derive(Default)]
pub(crate) struct Analysis {
    pub accesses: Accesses,
    pub composites: Composites,
    pub live: Liveness,
    /// Where variables live by themselves, and where they pass by subroutines. Known if there are any.
    pub apart: [Liveness; 2],
    pub any_calls: bool,
    pub copies: Copies,
    /// None if code is to be made quickly.
    pub reuse: Reuse,
    /// What spilling costs, if that was asked.
    pub costs: Costs,
}

impl Analysis {
    /// Finds all but the costs of spilling.
    pub fn find(
        &mut self,
        kernel: &Kernel<Virtual>,
        flow: &Flow,
        history: &mut History,
        memory: &mut liveness::LivenessMemory,
        quick: bool,
    ) -> Result<(), Error> {
        self.accesses.collect(kernel, flow, history)?;
        self.composites.find(&mut self.accesses);
        self.live.compute(kernel, &self.accesses, flow, history, memory);
        self.tell_apart(kernel, flow, memory);
        self.copies.find(kernel, !quick);
        self.reuse.clear();
        if !quick {
            self.reuse.find(kernel, &self.accesses, &self.copies);
        }
        self.costs.clear();
        Ok(())
    }

    /// Finds what is known of flags and addresses alone.
    pub fn find_arf(
        &mut self,
        kernel: &Kernel<Virtual>,
        flow: &Flow,
        history: &History,
        memory: &mut liveness::LivenessMemory,
    ) -> Result<(), Error> {
        self.accesses.collect_arf(kernel, flow)?;
        self.live.compute(kernel, &self.accesses, flow, history, memory);
        self.tell_apart(kernel, flow, memory);
        self.copies.clear();
        self.reuse.clear();
        self.costs.clear();
        Ok(())
    }

    /// The same instructions as those of `before` in another order within blocks: `moved` says where each stood.
    pub fn reorder(
        &mut self,
        before: &Analysis,
        (kernel, moved): (&Kernel<Virtual>, &[u32]),
        flow: &Flow,
        memory: &mut liveness::LivenessMemory,
    ) {
        self.accesses.reorder(&before.accesses, moved);
        self.composites.find(&mut self.accesses);
        self.live.within_blocks(kernel, &self.accesses, flow, liveness::Holders::ALL, memory);
        self.tell_apart(kernel, flow, memory);
        self.copies.find(kernel, true);
        self.reuse.find(kernel, &self.accesses, &self.copies);
        self.costs.clear();
    }

    /// Finds what spilling costs, if it is not known yet.
    pub fn find_costs(&mut self, kernel: &Kernel<Virtual>, flow: &Flow) {
        if !self.costs.are_known() {
            self.costs.find(kernel, (&self.accesses, &self.live), flow, order::room(kernel));
        }
    }

    fn tell_apart(&mut self, kernel: &Kernel<Virtual>, flow: &Flow, memory: &mut liveness::LivenessMemory) {
        self.any_calls = !flow.calls().is_empty();
        if self.any_calls {
            Liveness::apart(self.apart.each_mut(), kernel, &self.accesses, flow, memory);
        }
    }

    /// What may share registers with what else: in which some ranges of variables do not count for each other.
    pub fn sharing(&self) -> Sharing<'_> {
        if self.any_calls { Sharing::InCalls(&self.apart) } else { Sharing::None }
    }
}
