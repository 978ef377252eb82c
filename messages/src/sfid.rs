//! The shared functions.

use std::fmt;

use crate::{
    Descriptor, SurfaceIndex,
    hdc::{Addresses, DataPortMessage, Dc0, Dc1, Form, ToDc0},
    lsc::{AddressModel, Untyped},
};

/// A shared function that messages go to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Sfid {
    /// Null.
    Null,
    /// Sampler.
    Sampler,
    /// Gateway.
    Gateway,
    /// Data cache 2 (sampler cache, render read path).
    Dc2,
    /// Render cache.
    Render,
    /// Unified return buffer.
    Urb,
    /// Thread spawner.
    Spawner,
    /// Video motion estimation.
    Vme,
    /// Constant cache data port.
    DcRo,
    /// Data cache 0.
    Dc0,
    /// Pixel interpolator.
    Pi,
    /// Data cache 1.
    Dc1,
    /// Check and refinement engine.
    Cre,
    /// Bindless thread dispatcher (ray tracing).
    Btd,
    /// Ray tracing accelerator.
    Rta,
    /// LSC, untyped global memory.
    Ugm,
    /// LSC, untyped global memory, low-bandwidth path.
    Ugml,
    /// LSC, typed global memory.
    Tgm,
    /// LSC, shared local memory.
    Slm,
    /// A number without a name on the platform.
    Reserved(u8),
}

impl Sfid {
    /// Whether it takes the messages of [`lsc`](crate::lsc).
    const fn is_lsc(self) -> bool {
        matches!(self, Sfid::Ugm | Sfid::Ugml | Sfid::Tgm | Sfid::Slm)
    }

    /// Whether its messages may have a header, so that [`Descriptor::header_present`](crate::Descriptor) is one.
    pub const fn may_have_header(self) -> bool {
        !self.is_lsc()
    }

    /// Whether its message goes to scratch memory, where spilled registers and the frames of functions are.
    ///
    /// Scratch blocks; blocks of owords without a surface, which count from the scratch base in their header
    /// (Skylake's manual, volume 2d, "MSD_SCRATCH"; volume 7, "Message Descriptor", surface index 255); LSC messages
    /// to the surface that `r0.5` leads to.
    pub fn is_scratch(self, desc: Descriptor) -> bool {
        match self {
            Sfid::Dc0 => match ToDc0::of(desc) {
                Some(ToDc0::Scratch) => true,
                Some(ToDc0::Message(Dc0::OwordBlockRead | Dc0::OwordBlockWrite)) => {
                    desc.surface() == SurfaceIndex::STATELESS
                }
                _ => false,
            },
            Sfid::Ugm | Sfid::Ugml => Untyped::from(desc).address_model() == Some(AddressModel::Ss),
            _ => false,
        }
    }

    /// Whether its message is a scratch block.
    pub fn is_scratch_block(self, desc: Descriptor) -> bool {
        self == Sfid::Dc0 && ToDc0::of(desc) == Some(ToDc0::Scratch)
    }

    /// Whether its message may be one to texels or to a block of pixels, by coordinates; not if it is known to be another one of a
    /// data cache.
    pub fn is_by_coordinates(self, desc: Descriptor) -> bool {
        self.data_port_message(desc)
            .is_none_or(|m| m.addresses == Addresses::Texels || m.form == Form::MediaBlock)
    }

    /// What its message is, if it is a data cache and the message is known and no scratch block.
    fn data_port_message(self, desc: Descriptor) -> Option<DataPortMessage> {
        match self {
            Sfid::Dc0 => match ToDc0::of(desc)? {
                ToDc0::Message(message) => Some(message.row()),
                ToDc0::Scratch => None,
            },
            Sfid::Dc1 => Some(Dc1::of(desc)?.row()),
            _ => None,
        }
    }

    /// The surface that its message names, if it is a data cache and the message goes by a surface.
    pub fn surface(self, desc: Descriptor) -> Option<SurfaceIndex> {
        let message = self.data_port_message(desc)?;
        match message.addresses {
            Addresses::Surface | Addresses::Texels => Some(desc.surface()),
            Addresses::A64 => None,
        }
    }

    /// The number in descriptors and words.
    pub const fn number(self) -> u8 {
        match self {
            Sfid::Null => 0,
            Sfid::Ugml => 1,
            Sfid::Sampler => 2,
            Sfid::Gateway => 3,
            Sfid::Dc2 => 4,
            Sfid::Render => 5,
            Sfid::Urb => 6,
            Sfid::Spawner | Sfid::Btd => 7,
            Sfid::Vme | Sfid::Rta => 8,
            Sfid::DcRo => 9,
            Sfid::Dc0 => 10,
            Sfid::Pi => 11,
            Sfid::Dc1 => 12,
            Sfid::Cre | Sfid::Tgm => 13,
            Sfid::Slm => 14,
            Sfid::Ugm => 15,
            Sfid::Reserved(n) => n & 15,
        }
    }

    /// The shared function of a number (4 bits) before there was a load/store cache (Xe-HPC).
    pub const fn before_lsc(number: u8) -> Sfid {
        Sfid::from_number(number, false)
    }

    /// The shared function of a number (4 bits); `late`: of the numbers since the load/store cache and ray tracing, as a
    /// platform's row says.
    pub const fn from_number(number: u8, late: bool) -> Sfid {
        match (number, late) {
            (0, _) => Sfid::Null,
            (1, true) => Sfid::Ugml,
            (2, _) => Sfid::Sampler,
            (3, _) => Sfid::Gateway,
            (4, _) => Sfid::Dc2,
            (5, _) => Sfid::Render,
            (6, _) => Sfid::Urb,
            (7, false) => Sfid::Spawner,
            (7, true) => Sfid::Btd,
            (8, false) => Sfid::Vme,
            (8, true) => Sfid::Rta,
            (9, _) => Sfid::DcRo,
            (10, _) => Sfid::Dc0,
            (11, _) => Sfid::Pi,
            (12, _) => Sfid::Dc1,
            (13, false) => Sfid::Cre,
            (13, true) => Sfid::Tgm,
            (14, true) => Sfid::Slm,
            (15, true) => Sfid::Ugm,
            (other, _) => Sfid::Reserved(other),
        }
    }
}

/// Names in assembly text.
const NAMES: [(Sfid, &str); 19] = [
    (Sfid::Null, "null"),
    (Sfid::Sampler, "smpl"),
    (Sfid::Gateway, "gtwy"),
    (Sfid::Dc2, "dc2"),
    (Sfid::Render, "rc"),
    (Sfid::Urb, "urb"),
    (Sfid::Spawner, "ts"),
    (Sfid::Vme, "vme"),
    (Sfid::DcRo, "dcro"),
    (Sfid::Dc0, "dc0"),
    (Sfid::Pi, "pixi"),
    (Sfid::Dc1, "dc1"),
    (Sfid::Cre, "cre"),
    (Sfid::Btd, "btd"),
    (Sfid::Rta, "rta"),
    (Sfid::Ugm, "ugm"),
    (Sfid::Ugml, "ugml"),
    (Sfid::Tgm, "tgm"),
    (Sfid::Slm, "slm"),
];

impl Sfid {
    /// The name in assembly text; `None` for a number without one.
    pub fn name(self) -> Option<&'static str> {
        NAMES.iter().find(|row| row.0 == self).map(|row| row.1)
    }

    /// The function that has this text.
    pub fn named(text: &str) -> Option<Sfid> {
        match NAMES.iter().find(|row| row.1 == text) {
            Some(row) => Some(row.0),
            None => text.strip_prefix("sfid")?.parse().ok().map(Sfid::Reserved),
        }
    }
}

impl fmt::Display for Sfid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sfid::Reserved(n) => write!(f, "sfid{n}"),
            _ => f.write_str(self.name().unwrap_or_default()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_go_both_ways() {
        for lsc in [false, true] {
            for number in 0..16 {
                assert_eq!(Sfid::from_number(number, lsc).number(), number);
            }
        }
    }
}
