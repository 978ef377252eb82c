//! One touch of a variable: which bytes, and how.

use gen_ir::VarId;

/// One touch of a variable's bytes by an instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access {
    /// The variable.
    pub var: VarId,
    /// First byte touched. Flags count in bits, here and below.
    pub start: u32,
    /// One past the last byte touched.
    pub end: u32,
    /// Distance between elements of neighbouring channels; 0 where channels have no fixed place
    /// (messages, scalars): the range is then dense.
    pub pitch: u8,
    /// Size of an element.
    pub elem: u8,
    /// First channel of the instruction; [`Access::THROUGH_ADDRESS`] where its channels say nothing.
    pub chan: u8,
    /// What kind of touch this is.
    pub kind: Kind,
    /// Subranges of the variable (see [`Fact`]): those that a read touches, those that a sure write covers. Found when
    /// the access is [noted](Fact::note).
    pub subranges: u64,
}

impl Access {
    /// It may be touched through an address.
    pub const THROUGH_ADDRESS: u8 = u8::MAX;

    /// Whether a write gives each element a part smaller than the variable's subranges, of `1 << shift` bytes.
    pub fn is_part(&self, shift: u8) -> bool {
        let (elem, pitch) = (u32::from(self.elem), u32::from(self.pitch));
        self.kind.has(Kind::WRITE) && self.kind.has(Kind::SURE) && pitch > elem && elem < 1 << shift
    }

    /// Whether a write of the same instruction may have the bytes of this read, all just the same: dwords side by side, each
    /// channel's in the place where it reads. Instructions of several steps read in each what that step writes.
    pub fn may_be_written_in_place(&self, w: &Access) -> bool {
        let shape = |a: &Access| (a.pitch, a.elem, a.chan, a.end - a.start);
        self.kind.has(Kind::READ)
            && !self.kind.has(Kind::CROSS)
            && w.kind.has(Kind::WRITE)
            && self.pitch == self.elem
            && matches!(self.elem, 2 | 4 | 8)
            && shape(self) == shape(w)
    }

    /// Whether this is a write that leaves nothing of what was in the bytes that it touches, whichever lanes run.
    pub const fn is_whole(&self) -> bool {
        let may_leave = Kind::MASKED.0 | Kind::GUARDED.0;
        let sure = self.kind.has(Kind::WRITE.with(Kind::SURE)) && self.kind.0 & may_leave == 0;
        sure && self.pitch == self.elem
    }

    /// Whether this is the payload of a message: whole registers in which channels have no fixed place.
    pub const fn is_payload(&self) -> bool {
        self.kind.has(Kind::READ) && self.pitch == 0 && self.end - self.start >= 32
    }

    /// Whether this is the payload of a message of which each channel that runs reads its own bytes; of a write: whether it is
    /// the start of a variable's life, for those channels.
    pub const fn is_of_channels(&self) -> bool {
        let not = Kind::CROSS.0 | Kind::EOT.0 | Kind::MESSAGE.0;
        self.kind.has(Kind::MASKED) && self.pitch == 0 && self.kind.0 & not == 0
    }
}

/// Properties of an access, a set of bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Kind(u16);

impl Kind {
    /// None of them.
    pub const NONE: Kind = Kind(0);
    /// Reads.
    pub const READ: Kind = Kind(1);
    /// Writes.
    pub const WRITE: Kind = Kind(1 << 1);
    /// A write of every byte named (by pitch and element) for the lanes that run; not predicated away.
    pub const SURE: Kind = Kind(1 << 2);
    /// The execution mask decides which lanes take part.
    pub const MASKED: Kind = Kind(1 << 3);
    /// A write that may land before the sources have been read to the end.
    pub const EARLY: Kind = Kind(1 << 4);
    /// Lanes read bytes that other lanes own.
    pub const CROSS: Kind = Kind(1 << 5);
    /// Payload of an end-of-thread message.
    pub const EOT: Kind = Kind(1 << 6);
    /// A write: the response of a message. A read: the message descriptor.
    pub const MESSAGE: Kind = Kind(1 << 7);
    /// A write that is sure for lanes that run, and not done at all while none of the thread's does.
    pub const GUARDED: Kind = Kind(1 << 8);
    /// Each channel of a message reads its own qwords.
    pub const QWORDS: Kind = Kind(1 << 9);

    pub const fn has(self, other: Kind) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether a read finds bytes that lanes wrote which do not run now; `divergent`: some lanes may not run that
    /// run elsewhere.
    pub const fn reads_others(self, divergent: bool) -> bool {
        !self.has(Kind::MASKED) || divergent && self.has(Kind::CROSS)
    }

    /// Whether a message asks something of the place.
    pub const fn of_message(self) -> bool {
        self.0 & (Kind::EOT.0 | Kind::MESSAGE.0) != 0
    }

    /// A sure write, under the mask or without it.
    #[cfg(test)]
    pub const fn of_write(masked: bool) -> Kind {
        Kind::WRITE.with(Kind::SURE).with_if(masked, Kind::MASKED)
    }

    pub const fn with(self, other: Kind) -> Kind {
        Kind(self.0 | other.0)
    }

    pub const fn with_if(self, cond: bool, other: Kind) -> Kind {
        if cond { self.with(other) } else { self }
    }
}
