//! What is known of a copy.

use gen_ir::{Extent, Reg, Region, SrcMod, Type, VarId, Virtual};

/// What a copy's destination can be replaced by.
#[derive(Clone, Copy, Debug)]
pub(super) enum CopySource {
    Reg { reg: Reg<Virtual>, bytes: Extent, region: Region, ty: Type, mods: SrcMod },
    Imm { bits: u64, ty: Type },
}

#[derive(Clone, Copy, Debug)]
pub(super) struct KnownCopy {
    pub(super) dst: VarId,
    pub(super) dst_bytes: Extent,
    pub(super) dst_ty: Type,
    pub(super) origin: CopySource,
    pub(super) lanes: u32,
    pub(super) chan: u8,
    pub(super) no_mask: bool,
    pub(super) live: bool,
    /// Dwords may stand beside quadwords.
    pub(super) mixes_qwords: bool,
    /// Next older copy into the same destination, and from the same source.
    pub(super) older_dst: u32,
    pub(super) older_src: u32,
}

impl KnownCopy {
    /// The channel whose element of the destination a byte belongs to, and which byte of the element it is.
    pub(super) fn lane_at(&self, byte: u32) -> (u32, u32) {
        let offset = byte - self.dst_bytes.start;
        (offset / self.dst_ty.bytes(), offset % self.dst_ty.bytes())
    }

    /// The copy as it is for its channels from `first` on, if its elements are packed on both sides or one for all.
    pub(super) fn starting_at(&self, first: u32) -> Option<KnownCopy> {
        let mut rest = *self;
        if first == 0 {
            return Some(rest);
        }
        if let CopySource::Reg { reg, region, ty, .. } = &mut rest.origin
            && !region.is_scalar()
        {
            if !region.one_by_one(self.lanes) {
                return None;
            }
            *reg = reg.plus(first * ty.bytes());
        }
        rest.lanes -= first;
        Some(rest)
    }
}

impl CopySource {
    pub(super) fn var(&self) -> Option<VarId> {
        match self {
            CopySource::Reg { reg, .. } => reg.var(),
            CopySource::Imm { .. } => None,
        }
    }
}
