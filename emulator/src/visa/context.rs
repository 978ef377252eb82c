//! What an instruction may touch besides its thread.

use super::thread::VisaThread;
use crate::{
    Memory,
    group::Group,
    launch::Bindings,
    report::{Fault, Report, Reports},
};
use narrow::as_index;

/// Everything an instruction may touch besides its thread.
pub(super) struct VisaCx<'a> {
    pub memory: &'a mut Memory,
    pub bindings: &'a Bindings,
    pub group: &'a mut Group,
    pub reports: &'a mut Reports,
    pub strict: bool,
    /// The bytes of what is stored next that depend on something undefined, a bit each.
    pub doubtful: u8,
    /// Functions that are black boxes, and what they were asked.
    pub opaque: &'a [gen_ir::Sfid],
    pub asked: Vec<u64>,
}

impl VisaCx<'_> {
    pub fn report(&mut self, t: &VisaThread<'_>, fault: Fault, detail: impl FnOnce() -> String) {
        if !self.strict && fault != Fault::NoMemory {
            return;
        }
        let (pc, unit, group, thread) = (t.frame.pc, t.unit(), self.group.id, t.number);
        self.reports.add(fault, pc, || Report {
            fault,
            pc,
            inst: text(unit, pc),
            detail: detail(),
            group,
            thread,
            count: 0,
        });
    }
}

/// An instruction for messages: its name and where it comes from.
pub(super) fn text(unit: &super::layout::Unit<'_>, pc: u32) -> String {
    let Some(inst) = unit.insts.get(as_index(pc)) else { return "the end of the code".into() };
    let name = inst.lsc_op().map_or(inst.opcode.name(), visa::lsc::LscOp::name);
    let what = match unit.kernel.places {
        visa::PlaceKind::Line => "line",
        visa::PlaceKind::Offset => "offset",
    };
    format!("{name} ({}) at {what} {} of {}", inst.exec.size, inst.place, unit.kernel.name())
}
