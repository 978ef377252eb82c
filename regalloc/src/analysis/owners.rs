//! Whose bytes of a variable are whose: what operations and messages under the mask take of it for each channel.
//!
//! An operation has elements of its channels side by side. A message has an element of each of its channels, then the next of each;
//! such a row takes whole registers, and at least those of as many channels as a register has dwords (PRM Skylake volume 2d,
//! payloads of `MSD0_*` and `MSD1_*`; PRM Ponte Vecchio volume 2a, "UGM").

use crate::analysis::{
    access::{Access, Kind},
    channels::Elements,
};
use gen_ir::{Kernel, Virtual};
use narrow::{low_u8, to_u8};

/// A channel on which all masked accesses so far agree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Owner {
    Unknown,
    Lane(u8),
    Nobody,
}

impl Owner {
    fn agree(&mut self, lane: Option<u32>) {
        let new = lane.map_or(Owner::Nobody, |l| Owner::Lane(to_u8(l)));
        *self = if *self == Owner::Unknown || *self == new { new } else { Owner::Nobody };
    }

    /// The channel of an element, in rows of so many channels.
    fn of_element(self, element: u32, row: u32) -> Option<u32> {
        let Owner::Lane(first) = self else { return None };
        let first = u32::from(first);
        Some(first / row * row + (first + element) % row)
    }
}

/// Lanes of a kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum OwningLanes {
    All,
    LowerHalf,
    UpperHalf,
}

impl OwningLanes {
    pub const ALL: [OwningLanes; 3] = [OwningLanes::All, OwningLanes::LowerHalf, OwningLanes::UpperHalf];

    /// How many they are.
    pub fn count(self, kernel: &Kernel<Virtual>) -> u32 {
        let simd = u32::from(kernel.simd).next_power_of_two();
        if self == OwningLanes::All { simd } else { simd / 2 }
    }

    /// Their place in the list of all.
    pub const fn index(self) -> usize {
        match self {
            OwningLanes::All => 0,
            OwningLanes::LowerHalf => 1,
            OwningLanes::UpperHalf => 2,
        }
    }
}

/// Channels of the rows in which elements may go to channels that are not all of a kernel's.
const ROWS: [u32; 2] = [16, 8];

/// What a message's first operand starts with, for all of its channels.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Header {
    None,
    Register,
    Unknown,
}

/// A message under the mask that reads or writes a variable.
#[derive(Clone, Copy)]
pub(crate) struct OfMessage {
    /// How many channels it has.
    pub lanes: u32,
    /// What it starts with.
    pub header: Header,
    /// What each channel has.
    pub elements: Elements,
}

/// Bytes of a register, and channels of the kernel, a power of two.
#[derive(Clone, Copy)]
pub(crate) struct Widths {
    pub grf: u32,
    pub simd: u32,
}

/// The channels that own a variable's elements.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Owners {
    /// How far apart elements are: 0 for none so far.
    pitch: u8,
    /// The channel that owns the first one, if elements go to channels in rows of all channels, of sixteen, and of
    /// eight ([`ROWS`]).
    first: [Owner; 3],
    /// Who sends it as a payload without a header.
    sent: SentBy,
}

impl Owners {
    /// Nothing has been accessed.
    pub const UNKNOWN: Owners = Owners { pitch: 0, first: [Owner::Unknown; 3], sent: SentBy::Nobody };

    /// How far apart elements are; 0 if that is not known.
    pub const fn pitch(&self) -> u8 {
        self.pitch
    }

    /// Whether elements are of some lanes of the kernel in order, from the first of these on.
    pub fn are(&self, lanes: OwningLanes, kernel: &Kernel<Virtual>) -> bool {
        let count = lanes.count(kernel);
        let first = if lanes == OwningLanes::UpperHalf { count } else { 0 };
        let owner = match lanes {
            OwningLanes::All => Some(&self.first[0]),
            _ => ROWS.iter().position(|&row| row == count).map(|at| &self.first[1 + at]),
        };
        owner == Some(&Owner::Lane(to_u8(first)))
    }

    /// Whether accesses disagree, whatever the rows.
    fn are_apart(&self) -> bool {
        self.first == [Owner::Nobody; 3]
    }

    /// Notes an operation's access: a variable may hold all channels, or a half or a quarter of them. Returns whether accesses
    /// disagree now.
    pub fn note(&mut self, a: &Access, simd: u32) -> bool {
        let one = a.end - a.start <= u32::from(a.elem);
        let (chan, pitch) = (u32::from(a.chan), u32::from(a.pitch));
        // A power of two, as a rule: no division.
        let log = pitch.trailing_zeros();
        let divide = |bytes: u32| if pitch == 1 << log { bytes >> log } else { bytes / pitch };
        let element = if a.start == 0 { 0 } else { divide(a.start) };
        let lanes = divide(a.end - a.start + pitch - 1);
        self.own((chan, element), lanes, simd);
        let apart = self.pitch != 0 && self.pitch != a.pitch && !one;
        if !one {
            self.pitch = a.pitch;
        }
        apart || (one && simd > 1) || self.are_apart()
    }

    /// Notes that an element is a channel's, and those behind it are those of the next channels.
    fn own(&mut self, (chan, element): (u32, u32), lanes: u32, simd: u32) {
        let [all, parts @ ..] = &mut self.first;
        all.agree(Some(chan.wrapping_sub(element) & (simd - 1)));
        for (owner, row) in parts.iter_mut().zip(ROWS).filter(|(owner, _)| **owner != Owner::Nobody) {
            let inside = chan % row + lanes <= row;
            let first = chan.wrapping_sub(element) % row;
            owner.agree(inside.then_some(chan / row * row + first));
        }
    }

    /// Notes what a message reads or writes under the mask, from a register on. So messages agree with each other and with
    /// operations if all take rows of one length. Returns whether accesses disagree now.
    pub fn note_message(&mut self, a: &Access, mut of: OfMessage, widths: Widths) -> bool {
        let Widths { grf, simd } = widths;
        if of.header == Header::None && a.kind.has(Kind::READ) {
            self.note_sent(a, of);
        }
        let unknown = of.elements.first == 0;
        if of.lanes < 8 && of.lanes < simd {
            // Fewer than any row has.
            if a.end - a.start > grf {
                self.first = [Owner::Nobody; 3];
            }
        } else if of.lanes >= simd && (unknown || of.header == Header::Unknown) {
            // All that is known is that no row is shorter.
            let [_, parts @ ..] = &mut self.first;
            for (owner, _) in parts.iter_mut().zip(ROWS).filter(|(_, row)| *row < of.lanes) {
                *owner = Owner::Nobody;
            }
        } else {
            if unknown {
                of.elements = Elements::DWORDS;
            }
            self.note_rows(a, of, widths);
        }
        self.are_apart()
    }

    /// The same of a message whose elements are known. Two rows say what the others would.
    fn note_rows(&mut self, a: &Access, of: OfMessage, Widths { grf, simd }: Widths) {
        let OfMessage { lanes, header, elements: Elements { first, rest } } = of;
        let row = row_bytes(first, lanes, grf);
        let rows = match header {
            Header::None => [(a.start, first), (a.start + row, rest)],
            Header::Register => [(a.start + grf, first), (a.start + grf + row, rest)],
            Header::Unknown if a.end - a.start <= grf => return,
            Header::Unknown => [(a.start, first), (a.start + grf, first)],
        };
        for (start, bytes) in rows.into_iter().filter(|(start, bytes)| *start < a.end && *bytes != 0) {
            if self.pitch != 0 && self.pitch != bytes {
                self.first = [Owner::Nobody; 3];
            }
            self.pitch = bytes;
            self.own((u32::from(a.chan), start / u32::from(bytes)), lanes, simd);
        }
    }

    /// Notes which channels read what of a payload.
    fn note_sent(&mut self, a: &Access, of: OfMessage) {
        let sent =
            SentPayload { chan: a.chan, lanes: low_u8(of.lanes), start: a.start, elements: of.elements };
        self.sent = match self.sent {
            SentBy::Nobody if of.elements.first != 0 => SentBy::One(sent),
            SentBy::One(other) if other == sent => SentBy::One(sent),
            _ => SentBy::Several,
        };
    }

    /// Whether the channels that send a copy are those that own what is copied, as far as either is known. The copy is of as
    /// many bytes as `a` reads, to byte `at` of the payload.
    pub fn own_copy(&self, a: &Access, payload: &Owners, at: u32, Widths { grf, simd }: Widths) -> bool {
        let SentBy::One(sent) = payload.sent else { return true };
        if self.first == [Owner::Unknown; 3] || self.pitch == 0 {
            return true;
        }
        let pitch = u32::from(self.pitch);
        let last = at + (a.end - a.start).saturating_sub(pitch);
        let (mut byte, mut agree) = (at, [true; 3]);
        // What the copy begins with, each row of the payload, each that may be one of the owners', and the last element: between,
        // channels follow each other on both sides.
        loop {
            let Some((channel, next)) = sent.channel(byte, self.pitch, grf) else { return false };
            let element = (a.start + (byte - at)) / pitch;
            for ((owner, row), agrees) in self.first.iter().zip([simd, ROWS[0], ROWS[1]]).zip(&mut agree) {
                *agrees &= owner.of_element(element, row) == Some(channel);
            }
            if byte >= last {
                break;
            }
            byte = next.min(byte + ROWS[1] * pitch).min(last);
        }
        agree.contains(&true)
    }
}

/// Who reads a payload under the mask.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum SentBy {
    Nobody,
    One(SentPayload),
    /// Several messages, or one of which not enough is known.
    Several,
}

/// A message that reads a payload from byte `start` on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct SentPayload {
    chan: u8,
    lanes: u8,
    elements: Elements,
    start: u32,
}

impl SentPayload {
    /// The channel that has a byte in an element of that size, and where the next row begins.
    fn channel(self, byte: u32, pitch: u8, grf: u32) -> Option<(u32, u32)> {
        let SentPayload { chan, lanes, elements: Elements { first, rest }, start } = self;
        let behind = start + row_bytes(first, lanes.into(), grf);
        let (from, bytes) = if byte < behind { (start, first) } else { (behind, rest) };
        if byte < start || bytes != pitch {
            return None;
        }
        let row = row_bytes(bytes, lanes.into(), grf);
        let within = (byte - from) % row;
        Some((u32::from(chan) + within / u32::from(bytes), byte - within + row))
    }
}

/// Bytes of a row of elements.
fn row_bytes(element: u8, lanes: u32, grf: u32) -> u32 {
    (u32::from(element) * lanes.max(grf / 4)).next_multiple_of(grf)
}
