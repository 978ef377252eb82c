//! The thread's header, `r0`: what a thread knows of itself (volume 7, "Thread Payload"; volume 2a of Skylake, "MEDIA_OBJECT",
//! "GPGPU_WALKER").

use bitfield_struct::bitfield;
use narrow::{const_u8, const_u16, wide_u8};

/// The dwords that have the group's place: x, y, z.
pub const GROUP_DWORDS: [u32; 3] = [1, 6, 7];

/// So many bits from `first` on.
const fn mask(first: usize, bits: usize) -> u32 {
    (u32::MAX >> (32 - bits)) << first
}

/// The byte of `r0` where a field begins.
const fn byte(dword: u32, first: usize) -> u32 {
    4 * dword + wide_u8(const_u8(first / 8))
}

/// Where what a kernel gets from outside is.
#[bitfield(u32)]
#[derive(PartialEq, Eq)]
pub struct IndirectData {
    #[bits(6)]
    __: u8,
    /// "Indirect Data Start Address", in 64 bytes.
    #[bits(26)]
    pub address: u32,
}

impl IndirectData {
    /// Where it stands.
    pub const DWORD: u32 = 0;
    /// The address.
    pub const MASK: u32 = mask(IndirectData::ADDRESS_OFFSET, IndirectData::ADDRESS_BITS);
}

/// The place of a media thread, up to Gen9.
#[bitfield(u32)]
#[derive(PartialEq, Eq)]
pub struct Coordinates {
    /// "X position".
    #[bits(11)]
    pub x: u16,
    #[bits(5)]
    __: u8,
    /// "Y position".
    #[bits(11)]
    pub y: u16,
    #[bits(5)]
    __: u8,
}

impl Coordinates {
    /// Where it stands.
    pub const DWORD: u32 = 1;
    /// The words of x and y.
    pub const BYTES: [u32; 2] =
        [byte(Coordinates::DWORD, Coordinates::X_OFFSET), byte(Coordinates::DWORD, Coordinates::Y_OFFSET)];
    /// Either, in its word.
    pub const MASK: u32 = mask(0, Coordinates::X_BITS);
}

/// The place of a media thread, from Gen11 on.
#[bitfield(u32)]
#[derive(PartialEq, Eq)]
pub struct WideCoordinates {
    /// "X position".
    #[bits(12)]
    pub x: u16,
    /// "Y position".
    #[bits(12)]
    pub y: u16,
    /// "Color": threads of one may depend on each other.
    pub color: u8,
}

impl WideCoordinates {
    /// Where it stands.
    pub const DWORD: u32 = 1;
    /// Either, where x stands.
    pub const MASK: u32 = mask(0, WideCoordinates::X_BITS);
    /// How far up y stands.
    pub const Y_SHIFT: u16 = const_u16(WideCoordinates::Y_OFFSET);
    /// How far up the color stands.
    pub const COLOR_SHIFT: u16 = const_u16(WideCoordinates::COLOR_OFFSET);
}

/// The color of a media thread, up to Gen9.
#[bitfield(u32)]
#[derive(PartialEq, Eq)]
pub struct Color {
    /// "Color": threads of one may depend on each other.
    #[bits(4)]
    pub color: u8,
    #[bits(28)]
    __: u32,
}

impl Color {
    /// Where it stands.
    pub const DWORD: u32 = 2;
    /// The color.
    pub const MASK: u32 = mask(Color::COLOR_OFFSET, Color::COLOR_BITS);
}

/// A thread in its group, on Xe-HPC. (Of barriers of others a capability of the platform says where they stand.)
#[bitfield(u32)]
#[derive(PartialEq, Eq)]
pub struct GroupMember {
    /// The thread's number.
    pub number: u8,
    #[bits(16)]
    __: u16,
    /// Threads of the group.
    pub threads: u8,
}

impl GroupMember {
    /// Where it stands.
    pub const DWORD: u32 = 2;
    /// The thread's number.
    pub const NUMBER_MASK: u32 = mask(GroupMember::NUMBER_OFFSET, GroupMember::NUMBER_BITS);
    /// The byte of the threads.
    pub const THREADS_BYTE: u32 = byte(GroupMember::DWORD, GroupMember::THREADS_OFFSET);
}

/// How much scratch memory each thread has.
#[bitfield(u32)]
#[derive(PartialEq, Eq)]
pub struct ScratchSize {
    /// "Per Thread Scratch Space": 1 kB times two to this power.
    #[bits(4)]
    pub log2_kilobytes: u8,
    #[bits(28)]
    __: u32,
}

impl ScratchSize {
    /// Where it stands.
    pub const DWORD: u32 = 3;

    /// So many bytes, a power of two.
    pub const fn of(bytes: u32) -> ScratchSize {
        ScratchSize::from_bits(bytes.trailing_zeros().saturating_sub(10))
    }
}

/// The thread among all that run, and its scratch memory.
#[bitfield(u32)]
#[derive(PartialEq, Eq)]
pub struct Identity {
    /// "FFTID", of which up to Gen9 nine bits count.
    #[bits(10)]
    pub thread: u16,
    /// Scratch memory in units of 1 kB ("Scratch Space Pointer"), or what names its surface's state.
    #[bits(22)]
    pub scratch: u32,
}

impl Identity {
    /// Where it stands.
    pub const DWORD: u32 = 5;
    /// The thread.
    pub const THREAD_MASK: u32 = mask(Identity::THREAD_OFFSET, Identity::THREAD_BITS);
    /// The thread up to Gen9.
    pub const OLD_THREAD_MASK: u32 = mask(Identity::THREAD_OFFSET, Identity::THREAD_BITS - 1);
    /// Its scratch memory.
    pub const SCRATCH_MASK: u32 = mask(Identity::SCRATCH_OFFSET, Identity::SCRATCH_BITS);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_stand_where_threads_read_them() {
        assert_eq!(IndirectData::MASK, !0x3f);
        assert_eq!((Coordinates::BYTES, Coordinates::MASK), ([4, 6], 0x7ff));
        assert_eq!((WideCoordinates::Y_SHIFT, WideCoordinates::COLOR_SHIFT), (12, 24));
        assert_eq!((GroupMember::NUMBER_MASK, GroupMember::THREADS_BYTE), (0xff, 11));
        let identity = Identity::new().with_thread(0x155).with_scratch(3);
        assert_eq!(identity.into_bits(), 3 << 10 | 0x155);
        assert_eq!((Identity::OLD_THREAD_MASK, Identity::SCRATCH_MASK), (0x1ff, 0xffff_fc00));
    }
}
