//! Flags that stand for predicates while the channels of an instruction are moved (see [`super::channel_offsets`]).

use gen_ir::VarId;
use visa::PredId;

/// What stands for predicates while an instruction's channels are moved.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Moved {
    /// Predicates and their flags; those that are written are moved back.
    pub(super) predicates: [Option<Stand>; 4],
    /// For a `sel`: which channels run.
    pub(super) running: Option<VarId>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Stand {
    pub(super) predicate: PredId,
    pub(super) flag: VarId,
    /// The real flag and the first channel.
    pub(super) real: VarId,
    pub(super) channel: u8,
    pub(super) written: bool,
}

impl Moved {
    /// The flag that stands for a predicate.
    #[inline(always)]
    pub(super) fn find(&self, id: PredId) -> Option<VarId> {
        self.predicates[0]?;
        self.predicates.iter().flatten().find(|s| s.predicate == id).map(|s| s.flag)
    }

    pub(super) fn count(&self) -> usize {
        self.predicates.iter().flatten().count()
    }

    /// One more, where there is room.
    pub(super) fn add(&mut self, stand: Stand) {
        if let Some(free) = self.predicates.iter_mut().find(|p| p.is_none()) {
            *free = Some(stand);
        }
    }

    /// Whether there is something to be done behind the instruction.
    #[inline(always)]
    pub(super) fn is_some(&self) -> bool {
        self.predicates[0].is_some() || self.running.is_some()
    }
}
