//! Who reads a result before the next takes its place.
//!
//! Variables are written again and again. What one instruction of a block has written is read in this block alone if
//! another overwrites it there, in the same channels of the same bytes; or if all that the kernel has to do with the
//! variable happens in this block, channel by channel, and begins with a write.

use gen_ir::{Class, Dst, Inst, Reg, Src, VarId, Virtual};
use narrow::{as_index, to_index};

use super::use_counts::UseCounts;
use crate::build::Lanes;

/// What a block does with its results.
#[derive(Debug, Default)]
pub(super) struct Webs {
    /// By variable.
    states: Vec<WebState>,
    /// By instruction.
    results: Vec<WebResult>,
    /// Which block `states` speak of.
    epoch: u32,
}

/// A variable, as far as a walk has come.
#[derive(Clone, Copy, Debug, Default)]
struct WebState {
    epoch: u32,
    /// The last write.
    def: Option<u32>,
    reads: u32,
    /// Each access is of the same channels and bytes, and the first is a write.
    alike: bool,
}

/// What an instruction has written.
#[derive(Clone, Copy, Debug, Default)]
struct WebResult {
    reads: u32,
    /// It is overwritten.
    ends: bool,
}

impl Webs {
    /// Looks through a block.
    pub fn find(&mut self, insts: &[Inst<Virtual>], vars: usize, use_counts: &UseCounts) {
        if self.states.len() < vars {
            self.states.resize(vars, WebState::default());
        }
        self.epoch = self.epoch.wrapping_add(1);
        self.results.clear();
        self.results.resize(insts.len(), WebResult::default());
        for (j, inst) in insts.iter().enumerate() {
            inst.for_each_read(|reg| {
                if let Some(v) = reg.var() {
                    self.read(insts, inst, reg, v);
                }
            });
            if let Some(v) = inst.dst_var() {
                self.write(insts, j, v);
            }
        }
        for (j, inst) in insts.iter().enumerate() {
            let Some(v) = inst.dst_var() else { continue };
            let state = &self.states[v.index()];
            // (Of such a variable each write but the last is known to end already.)
            if state.alike && use_counts.reads(v) == state.reads {
                self.results[j].ends = true;
            }
        }
    }

    /// Whether one operand in the block reads what an instruction has written, and nobody else does.
    pub fn is_read_once(&self, at: usize) -> bool {
        self.results[at].ends && self.results[at].reads == 1
    }

    fn state(&mut self, v: VarId) -> &mut WebState {
        let state = &mut self.states[v.index()];
        if state.epoch != self.epoch {
            *state = WebState { epoch: self.epoch, ..WebState::default() };
        }
        state
    }

    fn read(&mut self, insts: &[Inst<Virtual>], inst: &Inst<Virtual>, reg: Reg<Virtual>, v: VarId) {
        let state = self.state(v);
        state.reads += 1;
        let Some(def) = state.def else { return };
        let written = &insts[as_index(def)];
        let by_channel = inst.src.iter().all(|s| match *s {
            Src::Direct { reg, region, .. } if reg.is_in(Reg::var_at(v, 0)) => {
                region.one_by_one(inst.exec.lanes())
            }
            _ => true,
        });
        let computes = matches!(inst.op.info().class, Class::Basic | Class::Ternary | Class::Math);
        state.alike &=
            computes && by_channel && Lanes::of(inst) == Lanes::of(written) && Some(reg) == written.dst.reg();
        self.results[as_index(def)].reads += 1;
    }

    fn write(&mut self, insts: &[Inst<Virtual>], j: usize, v: VarId) {
        let inst = &insts[j];
        let state = self.state(v);
        let packed = inst.is_plain() && matches!(inst.dst, Dst::Direct { horz: 1, .. });
        let Some(def) = state.def.replace(to_index(j)) else {
            state.alike = packed && state.reads == 0;
            return;
        };
        let written = &insts[as_index(def)];
        let bytes = |i: &Inst<Virtual>| i.dst.ty().map(|t| t.bytes());
        let whole = packed
            && Lanes::of(inst) == Lanes::of(written)
            && inst.dst.reg() == written.dst.reg()
            && bytes(inst) == bytes(written);
        state.alike &= whole;
        self.results[as_index(def)].ends = whole;
    }
}
