//! What is known of a copy.

use gen_ir::{Dst, Extent, Inst, Payload, Reg, Region, SrcMod, Type, VarId, Virtual};
use narrow::{ones, ones_between};

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
    /// How many elements of that type the next channel's is behind each.
    pub(super) horz: u32,
    pub(super) origin: CopySource,
    pub(super) lanes: u32,
    /// Its place in the block.
    pub(super) at: usize,
    pub(super) chan: u8,
    pub(super) no_mask: bool,
    /// A bit for each channel whose element is on both sides as it was copied.
    pub(super) kept: u64,
    /// Dwords may stand beside quadwords.
    pub(super) mixes_qwords: bool,
    /// Whether the first two sources of ternary instructions may lie apart.
    pub(super) ternary_strides: bool,
    /// Next older copy into the same destination, and from the same source.
    pub(super) older_dst: u32,
    pub(super) older_src: u32,
}

/// What an instruction writes of a register operand.
pub(super) struct WrittenElements {
    pub(super) bytes: Extent,
    /// Bytes from one channel's element to the next, and of an element; all of them where nothing more is known.
    step: u32,
    element: u32,
}

impl WrittenElements {
    pub(super) fn by(inst: &Inst<Virtual>, grf_bytes: u32) -> Option<WrittenElements> {
        let bytes = inst.dst_extent(grf_bytes)?;
        let all = bytes.end - bytes.start;
        let (step, element) = match inst.dst {
            Dst::Direct { horz, ty, .. } if inst.payload == Payload::None => {
                (u32::from(horz) * ty.bytes(), ty.bytes())
            }
            _ => (all, all),
        };
        Some(WrittenElements { bytes, step, element })
    }
}

impl KnownCopy {
    /// Whether it leaves bits as they are, and a type has as many.
    pub(super) fn copies_bits_of(&self, ty: Type) -> bool {
        let raw = match self.origin {
            CopySource::Reg { ty, mods, .. } => ty.same_bits(self.dst_ty) && !mods.any(),
            CopySource::Imm { .. } => true,
        };
        raw && self.dst_ty.bytes() == ty.bytes()
    }

    /// The channel whose element of the destination a byte belongs to, and which byte of the element it is.
    pub(super) fn lane_at(&self, byte: u32) -> (u32, u32) {
        let offset = byte - self.dst_bytes.start;
        let step = self.horz * self.dst_ty.bytes();
        (offset / step, offset % step)
    }

    /// Whether nothing of it has been written since.
    pub(super) fn is_whole(&self) -> bool {
        self.kept == ones(self.lanes)
    }

    /// Whether so many channels from one on are as they were copied.
    pub(super) fn keeps(&self, first: u32, lanes: u32) -> bool {
        let all = ones_between(first, first + lanes);
        first + lanes <= self.lanes && self.kept & all == all
    }

    /// Takes note of a write to the destination's variable: elements of both may lie between each other.
    pub(super) fn write_destination(&mut self, write: &WrittenElements) {
        let element = self.dst_ty.bytes();
        let step = self.horz * element;
        if self.dst_bytes.overlaps(write.bytes) && write.step == step {
            let behind = (self.dst_bytes.start + step - write.bytes.start % step) % step;
            if behind >= write.element && behind + element <= step {
                return;
            }
        }
        self.kept &= !touched(self.dst_bytes, step, element, write.bytes);
    }

    /// Takes note of a write to the variable that was copied.
    pub(super) fn write_origin(&mut self, write: &WrittenElements) {
        let CopySource::Reg { bytes, region, ty, .. } = self.origin else { return };
        match region.stride(self.lanes) {
            Some(stride) if stride > 0 => {
                self.kept &= !touched(bytes, stride * ty.bytes(), ty.bytes(), write.bytes);
            }
            _ if bytes.overlaps(write.bytes) => self.kept = 0,
            _ => {}
        }
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

/// The elements of `bytes` that lie where something is written, a bit each: the next one begins `step` bytes behind each.
fn touched(bytes: Extent, step: u32, element: u32, written: Extent) -> u64 {
    if !bytes.overlaps(written) {
        return 0;
    }
    let first = written.start.checked_sub(bytes.start + element).map_or(0, |behind| behind / step + 1);
    ones_between(first, (written.end - bytes.start).div_ceil(step))
}

impl CopySource {
    pub(super) fn var(&self) -> Option<VarId> {
        match self {
            CopySource::Reg { reg, .. } => reg.var(),
            CopySource::Imm { .. } => None,
        }
    }
}
