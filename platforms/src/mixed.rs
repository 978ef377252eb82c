//! An invented platform: Ponte Vecchio's words, messages and scoreboard with registers of 32 bytes.

use crate::{Caps, Operations, Platform, Registers, pvc::PVC};

/// Its row.
pub(crate) const MIXED: Caps = Caps {
    platform: Platform::Mixed,
    name: "mixed",
    aliases: &[],
    title: "No GPU: features of several",
    gen_platform: 0xff,
    other_gen_platforms: &[],
    like: Some(Platform::Pvc),
    regs: Registers { grf_bytes: 32, ..PVC.regs },
    ops: Operations { double_macro_lanes: 8, ..PVC.ops },
    ..PVC
};
