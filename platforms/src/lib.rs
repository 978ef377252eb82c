//! The GPU generations this project writes code for, one capability row each.
//!
//! Passes ask a row for a capability ([`Caps`]) and compare neither names of platforms nor layouts of words, which only what
//! makes or reads words and their text does: a new platform is a new row. Figures come from Intel's Programmer's
//! Reference Manuals (volume 7, "3D Media GPGPU") and from measurements with the reference tools.
//!
//! A row states what differs from a neighbour's (`..BDW`), and whose test kernels stand for it (`like`); one that is like no
//! other has its own, which `tests/kernels/compile` makes. What no row can say yet is a new field of [`Caps`], named for the
//! feature. A layout of words that no platform had is a [`Gen8Format`] or an [`XeFormat`], with its row or layout in
//! `encoder`; a row that says more than its layout has room for does not compile. What its judge says is recorded in
//! `tests/data` (`coverage` and `messages` with `--record`, `--record-explained` for what differs and stays); `tbx::device`
//! has its devices, where Intel's runtime has them. Two rows that no GPU has, `Mixed` and `LikeHpg`, go through everything in
//! `tests/tests/invented_platform.rs`: nothing goes by a name.

// Numbers are converted by name (the crate `narrow`) or with an error.
#![cfg_attr(not(test), deny(clippy::as_conversions))]

mod bdw;
mod bxt;
mod caps;
mod chv;
mod icllp;
mod latency;
mod like_hpg;
mod mixed;
#[macro_use]
mod platform;
mod pvc;
mod skl;
mod tgllp;

pub use caps::{
    Caps, EndFence, Errata, FarCall, FloatAccumulators, Flow, Format, Gen8Format, HalfMath, Layout, Memory,
    Mixing, Operations, Pipes, Regions, RegisterFile, Registers, Sampler, Scoreboard, Sends, TernaryImm,
    Thread, Words, XeFormat,
};
pub use latency::Latencies;
pub use platform::Platform;

use std::{fmt, str::FromStr};

impl Platform {
    /// The capability row.
    pub const fn caps(self) -> &'static Caps {
        row_of!(self)
    }

    /// The platform whose test kernels stand for this one's: itself, or the one that its row is like.
    pub const fn with_kernels(self) -> Platform {
        match self.caps().like {
            Some(other) => other,
            None => self,
        }
    }

    /// Whether a list of names, in a table by platform, means this one: `all`, its own name, or that of the one it is
    /// like. Names stand between spaces or commas.
    pub fn is_in(self, list: &str) -> bool {
        let own = [self.caps().name, self.with_kernels().caps().name, "all"];
        list.split([' ', ',']).any(|name| own.contains(&name))
    }

    /// The platform whose code a product runs, by the number that compiled programs carry.
    pub fn from_product(product: u32) -> Option<Platform> {
        Platform::ALL.into_iter().find(|p| p.caps().products.contains(&product))
    }

    /// The platform that `gen_binary_info.gen_platform` names, if it is one of ours.
    pub fn from_gen_platform(value: u8) -> Option<Platform> {
        let carries = |p: &Platform| {
            let caps = p.caps();
            caps.gen_platform == value || caps.other_gen_platforms.contains(&value)
        };
        Platform::ALL.into_iter().find(carries)
    }
}

impl fmt::Display for Platform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.caps().name)
    }
}

/// A platform name nobody knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownPlatform(pub String);

impl fmt::Display for UnknownPlatform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let allowed = Platform::ALL.map(|p| p.caps().name).join(", ");
        write!(f, "unknown platform `{}`; allowed: {allowed}", self.0)
    }
}

impl std::error::Error for UnknownPlatform {}

impl FromStr for Platform {
    type Err = UnknownPlatform;

    fn from_str(s: &str) -> Result<Self, Self::Err> {
        let is_called = |p: &Platform| {
            let caps = p.caps();
            std::iter::once(&caps.name).chain(caps.aliases).any(|name| name.eq_ignore_ascii_case(s))
        };
        Platform::ALL.into_iter().find(is_called).ok_or_else(|| UnknownPlatform(s.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_grow_and_have_sbids_where_instructions_name_them() {
        for p in Platform::ROWS {
            let Caps { regs, scoreboard, .. } = p.caps();
            assert!(regs.files.is_sorted_by(|a, b| a.grfs < b.grfs && a.sbids <= b.sbids), "{p}");
            assert!(regs.files.iter().all(|file| (file.sbids > 0) == scoreboard.software), "{p}");
            assert!(regs.files.iter().all(|file| regs.file(file.grfs.into()) == Some(*file)), "{p}");
            assert!(regs.grf_names >= regs.largest_file().grfs, "{p}");
        }
        assert!(Registers::all_sizes().eq([128, 256]));
    }

    #[test]
    fn names_and_numbers_lead_to_their_platform() {
        for p in Platform::ALL {
            assert_eq!(p.caps().name.to_uppercase().parse(), Ok(p));
            let caps = p.caps();
            let carried = std::iter::once(&caps.gen_platform).chain(caps.other_gen_platforms);
            for &number in carried {
                assert_eq!(Platform::from_gen_platform(number), Some(p), "{p}: {number} in objects");
            }
            for &product in caps.products {
                assert_eq!(Platform::from_product(product), Some(p), "{p}: product {product}");
            }
            assert_eq!(caps.platform, p);
        }
        assert_eq!("gen12lp".parse(), Ok(Platform::Tgllp));
        assert_eq!("Broadwell".parse(), Ok(Platform::Bdw));
        let mut names: Vec<&str> = Platform::ALL.iter().flat_map(|p| p.caps().aliases).copied().collect();
        names.extend(Platform::ALL.iter().map(|p| p.caps().name));
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count, "no two platforms share a name");
        assert!("gen7".parse::<Platform>().is_err());
    }
}
