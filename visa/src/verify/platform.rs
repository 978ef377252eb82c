//! Which platform has which instruction (spec appendix "vISA instructions (per platform)"; the Ponte
//! Vecchio column from objects of Intel's compiler and its instruction descriptions).

use platforms::Platform;

use super::{Checker, Rule};
use crate::{inst::Record, opcode::Opcode};

/// Bits of [`columns`].
const BDW: u8 = 1;
const SKL: u8 = 2;
const ICL: u8 = 4;
const TGL: u8 = 8;
const PVC: u8 = 16;
const GEN: u8 = BDW | SKL | ICL | TGL;

/// Platforms that have an opcode.
const fn columns(opcode: Opcode) -> u8 {
    use Opcode::*;
    match opcode {
        Add3 | Add3o | Bfn | Dpas | Fcvt | Srnd | Nbarrier | LscUntyped | LscTyped | LscFence => PVC,
        QwGather | QwScatter => PVC,
        Dpasw => 0,
        Dp4a => TGL | PVC,
        Rol | Ror => ICL | TGL | PVC,
        Lrp | Plane | Line | Sad2 | Sad2add | Dp2 | Dp3 | Dp4 | Dph => BDW | SKL,
        Avs | VmeIme | VmeSic | VmeFbr | VmeIdm | Va => BDW | SKL | ICL,
        VaSklPlus => SKL | ICL,
        Switchjmp => BDW | SKL | ICL,
        Div | Mod => GEN | PVC,
        RawSendg | Tanh | Sigm => 0,
        _ => GEN | PVC,
    }
}

impl Checker<'_> {
    pub(super) fn availability(&mut self, index: usize, record: &Record) {
        let Some(platform) = self.options.platform else { return };
        let column = match platform {
            Platform::Bdw => BDW,
            Platform::Skl | Platform::Bxt => SKL,
            Platform::Icllp => ICL,
            Platform::Tgllp => TGL,
            Platform::Pvc => PVC,
        };
        let columns = columns(record.opcode);
        if columns & column == 0 {
            let names =
                [(BDW, "bdw"), (SKL, "skl"), (SKL, "bxt"), (ICL, "icllp"), (TGL, "tgllp"), (PVC, "pvc")];
            let have: Vec<_> = names.iter().filter(|n| columns & n.0 != 0).map(|n| n.1).collect();
            let name = record.row().map_or(record.opcode.name(), |row| row.name);
            let have = if have.is_empty() { "none of these platforms".to_owned() } else { have.join(", ") };
            let message = format!("`{name}` is no instruction of {platform}; it exists on: {have}");
            self.report(Rule::Availability, Some(index), "opcode", message);
        }
    }
}
