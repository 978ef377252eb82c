//! Branches.

use super::Cx;
use crate::Op;

pub(super) fn check(cx: &mut Cx<'_>) {
    if cx.inst.op == Op::Jmpi {
        cx.require(cx.lanes() == 1, "jump-lanes", "the thread jumps: one channel");
    }
}
