//! Dependencies that hardware tracks, and code switches off.

use super::{
    board::message,
    footprint::{enabled, footprint},
    state::{Held, Ranges},
};
use crate::{
    messages::Cx,
    program::{DestPlace, Operand, Step},
    report::Fault,
    thread::{Thread, Trap, mask},
};
use gen_ir::Options;
use narrow::as_index;

/// `NoDDClr` leaves a register's dependency set; only `NoDDChk` gets past it.
pub(super) fn dependency_control(
    held: &mut Held,
    t: &Thread,
    cx: &mut Cx<'_>,
    step: &Step,
) -> Result<(), Trap> {
    let clear = !step.opts.has(Options::NO_DD_CLR);
    let check = !step.opts.has(Options::NO_DD_CHK);
    // Nothing is held in most code.
    if clear && check && held.is_empty() {
        return Ok(());
    }
    if message(cx.program, step).is_some_and(|m| m.eot) {
        for r in (0..as_index(cx.program.grf_count)).filter(|r| held.has(*r)) {
            cx.report(t, Fault::Hazard, || format!("the thread ends with r{r}'s dependency set by NoDDClr"));
        }
    }
    let grf = cx.program.grf;
    // The hardware watches registers, whichever channels of them an instruction touches; a register that an
    // address names is known where a channel has that address.
    let indirect = matches!(step.dst.what, DestPlace::Indirect { .. })
        || step.src.iter().any(|s| matches!(s.what, Operand::Indirect { .. }));
    let on = if indirect { enabled(t, step) } else { mask(step.lanes.into()) };
    let (reads, writes) = footprint(t, cx.program, step, on)?;
    let regs = |ranges: &Ranges| -> Vec<usize> {
        let all = ranges.iter().filter(|r| r.1 > 0).flat_map(|&(at, len)| at / grf..=(at + len - 1) / grf);
        all.map(as_index).collect()
    };
    for r in regs(&reads) {
        if held.has(r) {
            cx.report(t, Fault::Hazard, || format!("reads r{r}, whose dependency NoDDClr left set"));
        }
    }
    for r in regs(&writes) {
        if check && held.has(r) {
            cx.report(t, Fault::Hazard, || format!("writes r{r}, whose dependency NoDDClr left set"));
        }
        if !check && !held.has(r) {
            cx.report(t, Fault::Hazard, || format!("writes r{r} without a check that nothing made needless"));
        }
        held.set(r, !clear);
    }
    Ok(())
}
