//! Which platform has which instruction (spec appendix "vISA instructions (per platform)"; the Ponte
//! Vecchio column from objects of Intel's compiler and its instruction descriptions).

use platforms::{Caps, Platform};

use super::{Checker, Rule};
use crate::{inst::Record, opcode::Opcode};

/// Whether a platform has an opcode.
const fn available(opcode: Opcode, caps: &Caps) -> bool {
    use Opcode::*;
    match opcode {
        Add3 | Add3o | Bfn => caps.ops.add3_bfn,
        Dpas => caps.ops.systolic,
        Fcvt | Srnd => caps.ops.srnd,
        Nbarrier => caps.thread.named_barriers,
        LscUntyped | LscTyped | LscFence => caps.memory.lsc,
        QwGather | QwScatter => caps.memory.surface_qwords,
        Dp4a => caps.ops.dp4a,
        Rol | Ror => caps.ops.rotate,
        Lrp => caps.ops.lrp,
        Plane | Line => caps.ops.pln,
        Sad2 | Sad2add => caps.ops.sad,
        Dp2 | Dp3 | Dp4 | Dph => caps.ops.dot_product,
        Avs | VmeIme | VmeSic | VmeFbr | VmeIdm | Va => caps.sampler.media,
        VaSklPlus => caps.sampler.media_plus,
        Switchjmp => caps.flow.switch_jump,
        Dpasw | RawSendg | Tanh | Sigm => false,
        _ => true,
    }
}

impl Checker<'_> {
    pub(super) fn availability(&mut self, index: usize, record: &Record) {
        let Some(platform) = self.options.platform else { return };
        if !available(record.opcode, platform.caps()) {
            let have: Vec<_> = Platform::ALL
                .iter()
                .map(|p| p.caps())
                .filter(|caps| available(record.opcode, caps))
                .map(|caps| caps.name)
                .collect();
            let name = record.row().map_or(record.opcode.name(), |row| row.name);
            let have = if have.is_empty() { "none of these platforms".to_owned() } else { have.join(", ") };
            let message = format!("`{name}` is no instruction of {platform}; it exists on: {have}");
            self.report(Rule::Availability, Some(index), "opcode", message);
        }
    }
}
