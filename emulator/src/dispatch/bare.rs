//! A thread without a dispatch, for tests.

use super::turn::{Counts, one};
use crate::{
    flow,
    group::Group,
    launch::Bindings,
    learned::Learned,
    memory::Memory,
    messages::Cx,
    program::Program,
    report::Reports,
    thread::{Thread, Trap},
};
use narrow::as_index;
use std::collections::BTreeMap;

/// Runs a program on one thread without a dispatch, until the end of its code.
pub(crate) fn run_bare(
    program: &Program,
    t: &mut Thread,
    memory: &mut Memory,
    bindings: &Bindings,
) -> Result<(), Trap> {
    let mut group = Group { slm: vec![0; 1024], threads: 1, ..Group::default() };
    let mut reports = Reports::default();
    let mut learned = Learned::default();
    let mut cx = Cx {
        program,
        memory,
        bindings,
        group: &mut group,
        reports: &mut reports,
        learned: &mut learned,
        strict: false,
        poison: false,
        poisoned: false,
        probe: None,
        opaque: &[],
        asked: Vec::new(),
    };
    let mut counts = Counts {
        at: vec![0; program.len()],
        sends: BTreeMap::new(),
        total: 0,
        trace: Vec::new(),
        seen: Vec::new(),
        results: Vec::new(),
        scramble: 0,
        asked: Vec::new(),
    };
    for _ in 0..10_000 {
        let Some(step) = program.steps.get(as_index(t.pc)) else { return Ok(()) };
        if step.target {
            flow::arrive(t);
        }
        one(t, &mut cx, &mut counts, as_index(t.pc))?;
    }
    Err("endless".into())
}
