//! What is known of each variable from its accesses alone.

use std::cell::Cell;

use crate::analysis::{
    access::{Access, Kind},
    flow::Flow,
    owners::{OfMessage, Owners, OwningLanes, Widths},
    subranges::{all_subranges, covered, subrange_shift, touched, units},
};
use gen_ir::{BlockId, Kernel, OnlyBlock, VarClass, VarId, Virtual};
use narrow::ones_between;
use typed_index_collections::TiVec;

/// What is known of a variable before the graph is looked at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fact {
    /// Subranges that are ever read.
    subranges: u64,
    /// Subranges that are ever written.
    written: u64,
    /// Sum of accesses, each worth ten times more per loop around it.
    pub weight: f32,
    /// The only block that touches the variable; what is outside the kernel counts as others.
    only_block: OnlyBlock,
    /// Size in the units of accesses.
    pub units: u32,
    /// Log2 of the subrange size in units.
    pub shift: u8,
    /// Why lanes may read what others wrote, or did not.
    shared: LaneSharing,
    /// Whose bytes are whose under the mask.
    owners: Owners,
    /// What use asks of the place.
    pub needs: Needs,
    /// Register file.
    pub class: VarClass,
    /// Made by lowering for the instructions of one vISA instruction.
    temporary: bool,
    /// Channels of messages read their own qwords of it.
    qwords_sent: bool,
    /// They read something else, as a rule their own dwords.
    else_sent: bool,
    /// Subranges that something else reads than messages of which each channel reads its own payload.
    read_otherwise: u64,
    /// Some byte may be written for another lane than the one to which that belongs in all variables with such a
    /// [layout](Fact::lane_layout).
    scattered: bool,
}

/// How the elements of lanes lie in a variable of which every lane writes and reads its own alone: byte `pitch * (channel % n)`
/// on, of every `pitch * n` bytes. It has elements of all `n` lanes of the kernel, or of the `n` of one half, as what is
/// touched half by half. Two such variables of one layout, at multiples of that many bytes, are the same lanes' byte by
/// byte. (Intel's finalizer tells the same pitches apart, `AugmentationMasks` in `visa/GraphColor.h`.)
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct LaneLayout {
    pitch: LanePitch,
    lanes: OwningLanes,
}

/// How far apart the elements of neighbouring lanes are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum LanePitch {
    Word,
    Dword,
    Qword,
}

impl LanePitch {
    const fn of(bytes: u8) -> Option<LanePitch> {
        match bytes {
            2 => Some(LanePitch::Word),
            4 => Some(LanePitch::Dword),
            8 => Some(LanePitch::Qword),
            _ => None,
        }
    }

    const fn bytes(self) -> u32 {
        match self {
            LanePitch::Word => 2,
            LanePitch::Dword => 4,
            LanePitch::Qword => 8,
        }
    }
}

impl LaneLayout {
    /// How many there are.
    pub const COUNT: usize = 3 * OwningLanes::ALL.len();

    /// Bytes of an element for each lane that has some.
    pub fn lane_bytes(self, kernel: &Kernel<Virtual>) -> u32 {
        self.pitch.bytes() * self.lanes.count(kernel)
    }

    /// Its number among all.
    pub const fn index(self) -> usize {
        let pitch = match self.pitch {
            LanePitch::Word => 0,
            LanePitch::Dword => 1,
            LanePitch::Qword => 2,
        };
        3 * pitch + self.lanes.index()
    }
}

/// Why a write under the mask does not end all of the old value, a set of bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct LaneSharing(u8);

impl LaneSharing {
    /// It is read without a mask.
    const NO_MASK: LaneSharing = LaneSharing(1);
    /// Lanes read, under the mask, what others own.
    const CROSS: LaneSharing = LaneSharing(1 << 1);
    /// Accesses disagree on which lane owns which bytes.
    const APART: LaneSharing = LaneSharing(1 << 2);
    /// It is accessed through addresses.
    const TAKEN: LaneSharing = LaneSharing(1 << 3);
    /// What counts in code that all lanes run, and in code that some have left. (Whoever reads through an address reads
    /// across lanes.)
    const ANYWHERE: [LaneSharing; 2] = [LaneSharing(0b0001), LaneSharing(0b1111)];
    /// The same of the bytes of lanes that run.
    const OWN: [LaneSharing; 2] = [LaneSharing(0), LaneSharing(0b1100)];

    const fn any(self, of: LaneSharing) -> bool {
        self.0 & of.0 != 0
    }

    fn add(&mut self, other: LaneSharing) {
        self.0 |= other.0;
    }
}

/// Where accesses happen that are noted.
pub(crate) struct Scene {
    block: BlockId,
    /// What an access there is worth.
    weight: f32,
    /// Lanes part somewhere in the kernel.
    divergence: bool,
    /// Lanes, a power of two.
    simd: u32,
    /// Some write gives elements a part smaller than a subrange.
    parts: Cell<bool>,
}

impl Scene {
    /// Block `b` of a kernel.
    pub fn new(kernel: &Kernel<Virtual>, flow: &Flow, b: usize) -> Scene {
        Scene {
            block: b.into(),
            weight: worth(flow, b),
            divergence: flow.any_divergence,
            simd: u32::from(kernel.simd).next_power_of_two(),
            parts: Cell::new(false),
        }
    }

    /// Lanes of the kernel.
    pub const fn simd(&self) -> u32 {
        self.simd
    }

    /// Whether lanes part somewhere in the kernel.
    pub const fn diverges(&self) -> bool {
        self.divergence
    }

    /// Whether a noted write gave elements a part smaller than a subrange (see `composite`).
    pub fn has_parts(&self) -> bool {
        self.parts.get()
    }

    /// The block.
    pub const fn block(&self) -> BlockId {
        self.block
    }
}

/// Constraints on a place that follow from use, a set of bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Needs(u8);

impl Needs {
    /// None.
    pub const NONE: Needs = Needs(0);
    /// Payload of an end-of-thread message.
    pub const EOT: Needs = Needs(1);
    /// Response of a message.
    pub const RESPONSE: Needs = Needs(1 << 1);
    /// Message descriptor.
    pub const DESC: Needs = Needs(1 << 2);
    /// Written by the last instruction of a block, after which nothing can be put (return addresses).
    pub const AT_END: Needs = Needs(1 << 3);
    /// Payload of a message, which is read some time after the message was issued.
    pub const PAYLOAD: Needs = Needs(1 << 4);

    pub const fn has(self, other: Needs) -> bool {
        self.0 & other.0 != 0
    }

    pub fn add(&mut self, other: Needs) {
        self.0 |= other.0;
    }
}

impl Fact {
    /// Logarithm of the size of a subrange.
    pub const fn shift(&self) -> u8 {
        self.shift
    }

    /// Whether no other block than `b` touches the variable, and no value comes in or goes out.
    pub fn only_in(&self, b: BlockId) -> bool {
        self.only_block.is(b)
    }

    /// Whether several blocks touch the variable, or the world does.
    pub fn in_many(&self) -> bool {
        self.only_block == OnlyBlock::SEVERAL
    }

    /// Subranges that somebody needs before a read: those that ever get a value. Of what nobody writes, no write
    /// would end the range, and no value has to be kept.
    pub fn needed(&self, a: &Access) -> u64 {
        a.subranges & self.written
    }

    /// Subranges that are ever needed.
    pub fn ever_needed(&self) -> u64 {
        self.subranges & self.written
    }

    /// Whether what an earlier run of block `b` left is nothing, if no read there comes before a write: then no
    /// other block knows of it.
    pub fn is_temporary_of(&self, b: BlockId) -> bool {
        self.temporary && self.only_in(b)
    }

    /// How lanes' elements lie, if every lane writes and reads its own alone.
    pub fn lane_layout(&self, kernel: &Kernel<Virtual>) -> Option<LaneLayout> {
        if self.scattered || self.shared != LaneSharing(0) {
            return None;
        }
        let pitch = LanePitch::of(self.owners.pitch())?;
        let read_by_others = match pitch {
            LanePitch::Word => self.qwords_sent || self.else_sent,
            LanePitch::Dword => self.qwords_sent,
            LanePitch::Qword => self.else_sent,
        };
        let layouts = OwningLanes::ALL.into_iter().filter(|&lanes| self.owners.are(lanes, kernel));
        let mut layouts = layouts.map(|lanes| LaneLayout { pitch, lanes });
        // A power of two.
        layouts.find(|layout| !read_by_others && self.units & (layout.lane_bytes(kernel) - 1) == 0)
    }

    /// Whether lanes may read, under the mask, what others wrote, for accesses disagree on whose the bytes are.
    pub const fn is_apart(&self) -> bool {
        self.shared.any(LaneSharing::APART)
    }

    /// Whether lowering made it.
    pub const fn is_temporary(&self) -> bool {
        self.temporary
    }

    /// Whether bytes are of a payload made for messages of which each channel reads its own, and nothing else reads them.
    pub fn is_masked_payload(&self, start: u32, end: u32) -> bool {
        let part = ones_between(start >> self.shift, end.min(self.units).div_ceil(1 << self.shift));
        self.temporary && !self.in_many() && self.read_otherwise & part == 0 && self.subranges != 0
    }

    /// Says that something else reads it than the channels of messages.
    pub fn note_other_reader(&mut self) {
        self.read_otherwise = u64::MAX;
    }

    /// Subranges whose old value a write ends, for all lanes.
    pub fn kills(&self, a: &Access, divergent: bool) -> u64 {
        self.ends(a, LaneSharing::ANYWHERE[usize::from(divergent)])
    }

    /// Subranges whose old value a write ends for the lanes that run.
    pub fn kills_own(&self, a: &Access, divergent: bool) -> u64 {
        self.ends(a, LaneSharing::OWN[usize::from(divergent)])
    }

    /// Subranges that a write gives a value, whatever the lanes.
    pub fn covers(&self, a: &Access) -> u64 {
        self.ends(a, LaneSharing(0))
    }

    fn ends(&self, a: &Access, unless: LaneSharing) -> u64 {
        if a.kind.has(Kind::MASKED) && self.shared.any(unless) { 0 } else { a.subranges }
    }

    /// Notes what a message reads or writes under the mask, where lanes part.
    pub fn note_message(&mut self, a: &Access, of: OfMessage, grf: u32, scene: &Scene) {
        if self.owners.note_message(a, of, Widths { grf, simd: scene.simd }) {
            self.shared.add(LaneSharing::APART);
        }
    }

    /// Whether the channels that send a copy in a payload are those that own what is copied ([`Owners::own_copy`]).
    pub fn owns_copy(&self, a: &Access, payload: &Fact, at: u32, widths: Widths) -> bool {
        self.owners.own_copy(a, &payload.owners, at, widths)
    }

    /// Notes an access, and finds its subranges.
    #[inline]
    pub fn note(&mut self, a: &mut Access, scene: &Scene) {
        let &Scene { block, weight, divergence, simd, ref parts } = scene;
        self.weight += weight;
        self.only_block.add(block);
        let read = a.kind.has(Kind::READ);
        if a.kind.has(Kind::WRITE) {
            self.written |= touched(a, self.shift);
            a.subranges = if a.kind.has(Kind::SURE) { covered(a, self.shift) } else { 0 };
            if a.subranges == 0 && a.is_part(self.shift) {
                parts.set(true);
            }
            self.scattered |=
                !a.kind.has(Kind::MASKED) || !a.is_of_channels() && LanePitch::of(a.pitch).is_none();
        }
        if read {
            a.subranges = touched(a, self.shift);
            self.subranges |= a.subranges;
            if !a.is_of_channels() {
                self.read_otherwise |= a.subranges;
            }
            if a.pitch == 0 {
                let sent = if a.kind.has(Kind::QWORDS) { &mut self.qwords_sent } else { &mut self.else_sent };
                *sent = true;
            }
            if a.is_payload() {
                self.needs.add(Needs::PAYLOAD);
            }
        }
        if a.kind.of_message() {
            if a.kind.has(Kind::EOT) {
                self.needs.add(Needs::EOT);
            }
            if a.kind.has(Kind::MESSAGE) {
                self.needs.add(if read { Needs::DESC } else { Needs::RESPONSE });
            }
        }
        if !a.kind.has(Kind::MASKED) {
            if read {
                self.shared.add(LaneSharing::NO_MASK);
            }
        } else if a.kind.has(Kind::CROSS) {
            self.shared.add(LaneSharing::CROSS);
        } else if divergence
            && a.pitch != 0
            && !self.shared.any(LaneSharing::APART)
            && self.owners.note(a, simd)
        {
            self.shared.add(LaneSharing::APART);
        }
    }
}

/// What an access in a block is worth: ten times more per loop around it.
pub(crate) fn worth(flow: &Flow, b: usize) -> f32 {
    10f32.powi(i32::from(flow.depth[b].min(6)))
}

/// What is known of the variables of a kernel before any access.
pub(crate) fn start(kernel: &Kernel<Virtual>, facts: &mut TiVec<VarId, Fact>) {
    facts.clear();
    facts.extend(kernel.vars.iter().map(|var| Fact {
        subranges: if var.live_out { all_subranges(var) } else { 0 },
        written: if var.live_in || var.address_taken { u64::MAX } else { 0 },
        weight: 0.0,
        only_block: if var.live_in || var.live_out { OnlyBlock::SEVERAL } else { OnlyBlock::NONE },
        units: units(var),
        shift: subrange_shift(var),
        shared: if var.address_taken { LaneSharing::TAKEN } else { LaneSharing(0) },
        owners: Owners::UNKNOWN,
        needs: Needs::NONE,
        class: var.class,
        temporary: var.is_temporary(),
        qwords_sent: false,
        else_sent: false,
        read_otherwise: 0,
        scattered: var.class != VarClass::General || var.fixed.is_some() || var.live_in || var.live_out,
    }));
}
