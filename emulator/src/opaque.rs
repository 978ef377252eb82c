//! Shared functions as black boxes ([`crate::Options::opaque`]): what they do is not modelled, and the answer is a
//! number made of everything that was asked. Codes that ask the same are answered alike, so machine code and the vISA
//! interpreter can be compared behind such a message, and the questions themselves ([`crate::RunReport::asked`]).

use gen_ir::Sfid;
use narrow::{as_index, low_u32};

/// The bits of a descriptor that are no lengths of a payload, which may be split in two.
const DESCRIPTOR: u32 = !(0xf << 25);
/// The bits of an extended descriptor that are no length and no function.
const EXTENDED: u32 = !0xfff;

/// What a message asks, as a number that grows with each part of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Question(u64);

fn mix(x: u64) -> u64 {
    let x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

impl Question {
    /// A question to a shared function.
    pub fn to(function: Sfid) -> Question {
        Question(mix(function.number().into()))
    }

    /// A whole message: its descriptors and the channels that it is for. The bytes of the payload follow.
    pub fn message(function: Sfid, desc: u32, ex_desc: u32, on: u32) -> Question {
        let parts = [desc & DESCRIPTOR, ex_desc & EXTENDED, on];
        parts.into_iter().fold(Question::to(function), |q, part| q.with(part.into()))
    }

    /// The write of a pixel.
    pub fn pixel(pixel: &Pixel) -> Question {
        let &Pixel { surface, target, slot, modes, values } = pixel;
        let modes = modes.iter().fold(0, |bits, mode| bits << 1 | u64::from(*mode));
        let start =
            Question::to(Sfid::Render).with(surface).with(target.into()).with(slot.into()).with(modes);
        // What is not there is no zero.
        values.into_iter().fold(start, |q, value| q.with(value.map_or(u64::MAX, |v| v & 0xffff_ffff)))
    }

    /// The signal of a barrier: its number, its type, and the threads that produce and that consume. That of number 0 for
    /// all threads of the group is `barrier`, which is modelled.
    pub fn barrier(parts: [u64; 4], threads: u32) -> Option<Question> {
        let threads = u64::from(threads) & 0xff;
        let modelled = parts == [0, 0, threads, threads];
        (!modelled).then(|| parts.into_iter().fold(Question::to(Sfid::Gateway), Question::with))
    }

    /// The question with a further part.
    pub fn with(self, part: u64) -> Question {
        Question(mix(self.0.rotate_left(7) ^ part).wrapping_add(0x9e37_79b9_7f4a_7c15))
    }

    /// A number of the answer.
    pub fn answer(self, number: u32) -> u32 {
        low_u32(mix(self.0 ^ u64::from(number) << 32))
    }

    /// A byte of the answer.
    pub fn byte(self, at: u32) -> u8 {
        self.answer(at / 4).to_le_bytes()[as_index(at) % 4]
    }

    /// The question as it is listed.
    pub fn number(self) -> u64 {
        self.0
    }
}

/// What is written to a pixel of a render target.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pixel {
    /// The first byte of the surface.
    pub surface: u64,
    /// Which of several targets.
    pub target: u32,
    /// The thread's pixel.
    pub slot: u32,
    /// Last write, per sample, per coarse pixel, no target, halves.
    pub modes: [bool; 5],
    /// Alpha of source 0, output mask, red, green, blue, alpha, depth, stencil.
    pub values: [Option<u64>; 8],
}

/// What a lane asks the sampler.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sampling {
    /// Operation, by its number.
    pub op: u8,
    /// The first byte of the surface.
    pub surface: u64,
    /// Index of the sampler, or the place of its state where that is named; zero where there is none.
    pub sampler: u32,
    /// Offsets of the texel; from bit 16 on the channel that is gathered.
    pub offsets: u32,
}

/// The word that says which pixels are resident: a bit for each lane, set where none was asked for.
pub(crate) struct Resident(u32);

impl Resident {
    pub const ALL: Resident = Resident(u32::MAX);

    /// Says of a lane what the box does: by what the lane asks.
    pub fn set(&mut self, lane: u32, question: Question) {
        let bit = 1u32.checked_shl(lane).unwrap_or(0);
        self.0 = if question.answer(4) & 1 == 0 { self.0 & !bit } else { self.0 };
    }

    pub fn word(self) -> u64 {
        self.0.into()
    }
}

impl Sampling {
    /// Without the parameters, which follow.
    pub fn question(self) -> Question {
        let parts = [self.op.into(), self.surface, self.sampler.into(), u64::from(self.offsets & 0x3_0fff)];
        parts.into_iter().fold(Question::to(Sfid::Sampler), Question::with)
    }
}

#[cfg(test)]
mod tests {
    use super::Question;

    #[test]
    fn the_barrier_of_a_whole_group_is_no_question() {
        assert!(Question::barrier([0, 0, 4, 4], 4).is_none());
        for parts in [[1, 0, 4, 4], [0, 1, 4, 4], [0, 0, 4, 2], [0, 0, 2, 2]] {
            assert!(Question::barrier(parts, 4).is_some(), "{parts:?}");
        }
    }
}
