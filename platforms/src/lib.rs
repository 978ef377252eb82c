//! The GPU generations this project writes code for, one capability row each.
//!
//! Passes ask a row for a capability ([`Caps`]) and never compare platform names: a new platform is a
//! new row. Figures come from Intel's Programmer's Reference Manuals (volume 7, "3D Media GPGPU") and
//! from measurements with the reference tools.

// A number is made narrower by name (the crate `narrow`) or with an error.
#![cfg_attr(
    not(test),
    deny(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        clippy::cast_lossless
    )
)]

mod bdw;
mod bxt;
mod caps;
mod icllp;
mod latency;
mod mixed;
mod platform;
mod pvc;
mod skl;
mod tgllp;

pub use caps::{
    Caps, Flow, Format, Layout, Memory, Operations, Regions, Registers, Sampler, Scoreboard, Sends,
    TernaryImm, Thread, Words,
};
pub use latency::Latencies;
pub use platform::Platform;

use std::{fmt, str::FromStr};

impl Platform {
    /// The capability row.
    pub const fn caps(self) -> &'static Caps {
        match self {
            Platform::Bdw => &bdw::BDW,
            Platform::Skl => &skl::SKL,
            Platform::Bxt => &bxt::BXT,
            Platform::Icllp => &icllp::ICLLP,
            Platform::Tgllp => &tgllp::TGLLP,
            Platform::Pvc => &pvc::PVC,
            Platform::Mixed => &mixed::MIXED,
        }
    }

    /// The platform whose code a product runs, by the number that compiled programs carry.
    pub fn from_product(product: u32) -> Option<Platform> {
        Platform::ALL.into_iter().find(|p| p.caps().products.contains(&product))
    }

    /// The platform that `gen_binary_info.gen_platform` names, if it is one of ours.
    pub fn from_gen_platform(value: u8) -> Option<Platform> {
        match value {
            // Cherryview runs Broadwell's encoding; 14 is Ponte Vecchio's early stepping.
            4 => Some(Platform::Bdw),
            14 => Some(Platform::Pvc),
            _ => Platform::ALL.into_iter().find(|p| p.caps().gen_platform == value),
        }
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
    fn names_parse_in_any_case() {
        for p in Platform::ALL {
            assert_eq!(p.caps().name.to_uppercase().parse(), Ok(p));
            assert_eq!(Platform::from_gen_platform(p.caps().gen_platform), Some(p));
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
