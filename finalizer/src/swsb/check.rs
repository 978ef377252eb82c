//! The pass run backwards: what annotated code fails to wait for.

use super::{
    DataFlow,
    access::{PIPES, Unit},
    state::Wait,
    step,
};
use gen_ir::{Inst, Kernel, Payload, Physical, Pipe, SbidMode, Src, SyncFn};
use narrow::low_u32;

/// The waits that an instruction's annotation says; `unit` is its own pipe.
fn given(inst: &Inst<Physical>, unit: Unit, several: bool) -> Wait {
    let mut wait = Wait::default();
    if let Some((pipe, d)) = inst.swsb.dist {
        let named = PIPES.iter().position(|p| *p == pipe);
        match (pipe, unit, named) {
            _ if !several => wait.dist[0] = d,
            (Pipe::All, ..) => wait.dist = [d; PIPES.len()],
            (_, _, Some(p)) => wait.dist[p] = d,
            (_, Unit::Pipe(p), _) => wait.dist[usize::from(p)] = d,
            _ => {}
        }
    }
    match inst.swsb.sbid {
        // Taking an SBID waits for whoever has it.
        Some((SbidMode::Dst | SbidMode::Set, id)) => wait.dst |= 1 << id,
        Some((SbidMode::Src, id)) => wait.src |= 1 << id,
        _ => {}
    }
    let ids = match inst.src[0] {
        Src::Imm { bits, .. } => low_u32(bits),
        _ => u32::MAX,
    };
    match inst.payload {
        Payload::Sync(SyncFn::AllWr) => wait.dst |= ids,
        Payload::Sync(SyncFn::AllRd) => wait.src |= ids,
        _ => {}
    }
    wait
}

/// Numbers of the instructions, counted through all blocks, that start before something they depend on is
/// surely done. The rules are those of [`swsb`](super::swsb), over all paths.
pub fn unmet(kernel: &Kernel<Physical>) -> Vec<u32> {
    let caps = kernel.platform.caps();
    if !caps.scoreboard.software || kernel.blocks.is_empty() {
        return Vec::new();
    }
    let mut flow = DataFlow::default();
    flow.start(kernel);
    let insts: Vec<&Inst<Physical>> = kernel.insts().map(|(_, i)| i).collect();
    for (n, inst) in insts.iter().enumerate() {
        flow.waits[n] = given(inst, flow.accesses[n].unit, caps.scoreboard.pipes.have_names());
        if let Some((SbidMode::Set, id)) = inst.swsb.sbid {
            flow.tokens[n] = Some(id);
        }
    }
    let mut missing = vec![false; insts.len()];
    flow.dirty = vec![true; flow.first.len()];
    while flow.dirty.contains(&true) {
        for b in 0..flow.first.len() {
            if !std::mem::take(&mut flow.dirty[b]) {
                continue;
            }
            flow.state.copy_from(&flow.entry[b]);
            flow.skip(b);
            let DataFlow { first, state, accesses, waits, tokens, grf_bytes, .. } = &mut flow;
            let end = first.get(b + 1).copied().unwrap_or(accesses.len());
            for (n, missing) in missing.iter_mut().enumerate().take(end).skip(first[b]) {
                state.settle(&waits[n]);
                let mut needs = state.needs(&accesses[n], accesses, *grf_bytes);
                // Waiting for all is done where nothing is left.
                needs.all &= !state.entries.is_empty();
                *missing |= needs != Wait::default();
                step(state, n, accesses, &Wait::default(), tokens[n], *grf_bytes, caps);
            }
            flow.leave(b);
        }
    }
    (0..).zip(missing).filter(|(_, m)| *m).map(|(n, _)| n).collect()
}
