//! Subregisters of the flags and of the address register, and where they are in registers and in their files. Nothing
//! else knows how wide they are.

use std::fmt::{self, Display, Formatter};

use narrow::{to_u8, wide_u8};

use super::{Arf, Base, FileByte, Reg, Space};

/// Half of a flag register (`f1.0`): 16 bits, one a channel.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct FlagSub(u8);

impl FlagSub {
    /// `f0.0`.
    pub const F0: FlagSub = FlagSub(0);
    /// How many bytes a flag register has.
    pub const REGISTER_BYTES: u32 = 2 * FlagSub::BYTES;
    /// How many bytes it has.
    pub const BYTES: u32 = 2;

    /// A flag register's first or second half.
    ///
    /// # Panics
    ///
    /// If there is no such half.
    #[inline]
    #[track_caller]
    pub const fn new(register: u8, half: u8) -> FlagSub {
        assert!(half < 2 && register < 128, "flag registers have two halves");
        FlagSub(register << 1 | half)
    }

    /// That of a [`code`](FlagSub::code).
    #[inline]
    pub const fn from_code(code: u8) -> FlagSub {
        FlagSub(code)
    }

    /// `FlagRegNum` and, in the lowest bit, `FlagSubRegNum` of instruction words.
    #[inline]
    pub const fn code(self) -> u8 {
        self.0
    }

    /// The number of the register.
    #[inline]
    pub const fn register(self) -> u8 {
        self.0 >> 1
    }

    /// 0 for the first half of the register, 1 for the second.
    #[inline]
    pub const fn half(self) -> u8 {
        self.0 & 1
    }
}

impl Display for FlagSub {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "f{}.{}", self.register(), self.half())
    }
}

/// A word of the address register (`a0.3`).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct AddrSub(u8);

impl AddrSub {
    /// `a0.0`.
    pub const A0: AddrSub = AddrSub(0);
    /// How many there are.
    pub const COUNT: u8 = 16;
    /// How many bytes all of them have.
    pub const FILE_BYTES: u32 = wide_u8(AddrSub::COUNT) * AddrSub::BYTES;
    /// How many bytes one has: an address of a register's byte.
    pub const BYTES: u32 = 2;
    /// How many of them hold a descriptor.
    const IN_DWORD: u8 = 2;

    /// The word with a number.
    ///
    /// # Panics
    ///
    /// If the address register has fewer words.
    #[inline]
    #[track_caller]
    pub const fn new(number: u8) -> AddrSub {
        assert!(number < AddrSub::COUNT, "a0 has sixteen words");
        AddrSub(number)
    }

    /// The first word of a dword, where descriptors of messages are.
    ///
    /// # Panics
    ///
    /// If the address register has fewer dwords.
    #[inline]
    #[track_caller]
    pub const fn at_dword(dword: u8) -> AddrSub {
        assert!(dword < AddrSub::COUNT / AddrSub::IN_DWORD, "a0 has eight dwords");
        AddrSub(dword * AddrSub::IN_DWORD)
    }

    /// Its number.
    #[inline]
    pub const fn number(self) -> u8 {
        self.0
    }

    /// The dword that starts with it.
    #[inline]
    pub fn dword(self) -> Option<u8> {
        self.0.is_multiple_of(AddrSub::IN_DWORD).then_some(self.0 / AddrSub::IN_DWORD)
    }
}

impl Display for AddrSub {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "a0.{}", self.0)
    }
}

impl<S: Space> Reg<S> {
    /// What starts with a flag subregister.
    #[inline]
    pub const fn flag(sub: FlagSub) -> Self {
        Reg::arf(Arf::Flag(sub.register()), wide_u8(sub.half()) * FlagSub::BYTES)
    }

    /// What starts with an address subregister.
    #[inline]
    pub const fn address(sub: AddrSub) -> Self {
        Reg::arf(Arf::Addr(0), wide_u8(sub.0) * AddrSub::BYTES)
    }

    /// What starts at a byte of the flags.
    #[inline]
    #[track_caller]
    pub fn in_flags(at: FileByte) -> Self {
        let byte = at.bytes();
        Reg::arf(Arf::Flag(to_u8(byte / FlagSub::REGISTER_BYTES)), byte % FlagSub::REGISTER_BYTES)
    }

    /// What starts at a byte of the address register.
    #[inline]
    pub fn in_addresses(at: FileByte) -> Self {
        Reg::arf(Arf::Addr(0), at.bytes())
    }

    /// The flag subregister that it starts with; none where it starts with no flag, inside a half or behind a register.
    #[inline]
    pub fn flag_sub(self) -> Option<FlagSub> {
        match (self.base(), self.byte) {
            (Base::Arf(Arf::Flag(n @ 0..128)), 0) => Some(FlagSub::new(n, 0)),
            (Base::Arf(Arf::Flag(n @ 0..128)), FlagSub::BYTES) => Some(FlagSub::new(n, 1)),
            _ => None,
        }
    }

    /// The address subregister that starts at this register byte, if one does.
    #[inline]
    pub fn address_sub(self) -> Option<AddrSub> {
        let starts = matches!(self.base(), Base::Arf(Arf::Addr(0)))
            && self.byte < AddrSub::FILE_BYTES
            && self.byte.is_multiple_of(AddrSub::BYTES);
        starts.then(|| AddrSub::new(to_u8(self.byte / AddrSub::BYTES)))
    }

    /// The byte of the flags that it starts at.
    #[inline]
    pub fn flag_byte(self) -> Option<FileByte> {
        match self.base() {
            Base::Arf(Arf::Flag(n)) => {
                FileByte::try_new((u32::from(n) * FlagSub::REGISTER_BYTES).checked_add(self.byte)?)
            }
            _ => None,
        }
    }

    /// The dword of the address register that it starts in: how assembly counts descriptors.
    #[inline]
    pub const fn address_dword(self) -> u32 {
        self.byte / (AddrSub::BYTES * wide_u8(AddrSub::IN_DWORD))
    }

    /// The byte of the address register that it starts at.
    #[inline]
    pub fn address_byte(self) -> Option<FileByte> {
        match self.base() {
            Base::Arf(Arf::Addr(0)) => FileByte::try_new(self.byte),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Physical;

    type R = Reg<Physical>;

    #[test]
    fn flags_are_found_where_they_are() {
        for code in 0..8 {
            let sub = FlagSub::from_code(code);
            assert_eq!((sub.code(), FlagSub::new(sub.register(), sub.half())), (code, sub));
            let reg = R::flag(sub);
            assert_eq!((reg.flag_sub(), reg.address_sub()), (Some(sub), None));
            let at = reg.flag_byte().expect("a flag");
            assert_eq!((at.bytes(), R::in_flags(at)), (2 * u32::from(code), reg));
            assert_eq!(reg.to_string(), sub.to_string());
        }
        let f1 = R::flag(FlagSub::new(1, 0));
        assert_eq!([f1.plus(1), f1.plus(3), f1.plus(4)].map(Reg::flag_sub), [None; 3]);
        assert_eq!(f1.plus(4).flag_byte(), Some(FileByte::new(8)));
    }

    #[test]
    fn addresses_are_found_where_they_are() {
        for number in 0..AddrSub::COUNT {
            let sub = AddrSub::new(number);
            let reg = R::address(sub);
            assert_eq!((reg.address_sub(), reg.flag_sub()), (Some(sub), None));
            let at = reg.address_byte().expect("an address");
            assert_eq!((at.bytes(), R::in_addresses(at)), (2 * u32::from(number), reg));
            assert_eq!(reg.to_string(), sub.to_string());
            assert_eq!(sub.dword().map(AddrSub::at_dword), (number % 2 == 0).then_some(sub));
        }
        let odd = R::address(AddrSub::A0);
        assert_eq!([odd.plus(1), odd.plus(32)].map(Reg::address_sub), [None; 2]);
        assert_eq!(R::arf(Arf::Addr(1), 0).address_sub(), None);
    }
}
