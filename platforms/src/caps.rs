//! The row of a platform. The rows inside it have a file by subject.

mod errata;
mod execution;
mod messages;
mod registers;
mod scoreboard;
mod words;

pub use errata::Errata;
pub use execution::{FarCall, Flow, HalfMath, Mixing, Operations, Regions, Thread};
pub use messages::{EndFence, Memory, Sampler, Sends};
pub use registers::{FloatAccumulators, RegisterFile, Registers};
pub use scoreboard::{Pipes, Scoreboard};
pub use words::{Format, Gen8Format, Layout, TernaryImm, Words, XeFormat};

use crate::{Latencies, Platform};

/// What one platform can do. Sizes are in bytes unless the name says otherwise.
#[derive(Clone, Debug)]
pub struct Caps {
    /// The platform this row describes.
    pub platform: Platform,
    /// The name users type (`--platform skl`).
    pub name: &'static str,
    /// Other names that users may type.
    pub aliases: &'static [&'static str],
    /// The name that people know, and the generation.
    pub title: &'static str,
    /// Products that run the platform's code, by the numbers that compiled programs carry: `PRODUCT_FAMILY` of
    /// Intel's graphics compiler (`inc/common/igfxfmid.h`). The first is the one that the row is measured on.
    pub products: &'static [u32],
    /// Value of `gen_binary_info.gen_platform` as Intel's compilers write it.
    pub gen_platform: u8,
    /// Values there of early steppings, and of GPUs without a row that run this one's code.
    pub other_gen_platforms: &'static [u8],
    /// The platform whose instruction set this one shares, if there is one. Its test kernels, and Intel's code of them, serve
    /// for this platform, too; and a table by platform that names it means this platform as well.
    pub like: Option<Platform>,
    /// Intel's finalizer's `-platform` argument.
    pub genx_name: &'static str,
    /// iga64's `-p=` argument.
    pub iga_name: &'static str,
    /// The platform's name in iga64's JSON.
    pub iga_json_name: &'static str,
    /// What the 128-bit words can say.
    pub words: Words,
    /// The registers of a thread.
    pub regs: Registers,
    /// Which operations and types the units have.
    pub ops: Operations,
    /// Which walks over registers, and which mixtures of types, operands may have.
    pub regions: Regions,
    /// Control flow.
    pub flow: Flow,
    /// Who tracks dependencies between instructions.
    pub scoreboard: Scoreboard,
    /// Messages in general.
    pub sends: Sends,
    /// Messages to memory.
    pub memory: Memory,
    /// The sampler.
    pub sampler: Sampler,
    /// How long results take.
    pub latencies: Latencies,
    /// How a thread starts, meets others and ends.
    pub thread: Thread,
    /// What its hardware does wrong.
    pub errata: Errata,
}

impl Caps {
    /// A 3D pipeline exists: parts that only compute have neither that nor a sampler.
    pub const fn draws(&self) -> bool {
        self.sampler.exists
    }

    /// SBIDs of a thread with so many general registers: those of the smallest file that has as many.
    pub fn sbids(&self, grf_count: u16) -> u8 {
        let file = self.regs.files.iter().find(|file| file.grfs >= grf_count);
        file.map_or(self.regs.largest_file().sbids, |file| file.sbids)
    }
}
