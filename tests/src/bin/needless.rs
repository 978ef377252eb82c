//! Scoreboard waits that other waits make needless, in Intel's code and in ours.
//!
//! ```text
//! cargo run --release -p tests --bin needless -- [--platform P,...] [PART-OF-ID]
//! ```
//!
//! Takes the waits of a kernel away one after the other; those without which the static rules
//! (`finalizer::swsb::unmet`) miss nothing on any path stay away. Counted apart: `sync` instructions, and
//! waits that stand beside an instruction.

use clap::Parser;
use finalizer::swsb::unmet;
use gen_ir::{Inst, Kernel, Payload, Physical, SbidMode, Src, SyncFn};
use platforms::Platform;
use tests::{
    blocks::{blocks, decoded, is_scoreboard},
    data::{devices, kernels},
    differential,
};

/// Kernels with more instructions than this are left out: each wait is one analysis of the whole kernel.
const LONGEST: usize = 4000;

#[derive(Default, Debug)]
struct Counts {
    syncs: usize,
    needless_syncs: usize,
    waits: usize,
    needless_waits: usize,
}

/// Platforms whose instructions say what they wait for.
fn with_waits() -> Vec<Platform> {
    devices().into_iter().filter(|p| p.caps().scoreboard.software).collect()
}

#[derive(Parser)]
struct Args {
    /// Platforms.
    #[arg(short, long, value_delimiter = ',', default_values_t = with_waits(),
          value_parser = |s: &str| s.parse::<Platform>())]
    platform: Vec<Platform>,
    /// Only kernels whose identifier contains this.
    #[arg(default_value = "")]
    only: String,
}

fn main() {
    let Args { platform, only } = Args::parse();
    for platform in platform {
        let (mut theirs, mut ours) = (Counts::default(), Counts::default());
        let mut judged = 0;
        for kernel in kernels(platform).iter().filter(|k| k.id().contains(&only)) {
            let Ok(binary) = differential::finalize(platform, kernel) else { continue };
            if kernel.dat.len().max(binary.code.len()) > 16 * LONGEST {
                continue;
            }
            judged += 1;
            count(platform, &kernel.dat, &mut theirs);
            count(platform, &binary.code, &mut ours);
        }
        println!("{platform}: {judged} kernels");
        for (whose, c) in [("Intel's code", theirs), ("our code", ours)] {
            println!(
                "  {whose}: {} of {} syncs needless, {} of {} other waits",
                c.needless_syncs, c.syncs, c.needless_waits, c.waits
            );
        }
    }
}

fn count(platform: Platform, code: &[u8], counts: &mut Counts) {
    let mut kernel = blocks(platform, &decoded(platform, code), false);
    let before = unmet(&kernel);
    for b in 0..kernel.blocks.len() {
        for i in 0..kernel.blocks[b].insts.len() {
            let inst = kernel.blocks[b].insts[i];
            if is_scoreboard(&inst) {
                counts.syncs += 1;
                let mut without = inst;
                (without.payload, without.src[0]) = (Payload::Sync(SyncFn::Nop), Src::None);
                (without.swsb.dist, without.swsb.sbid) = (None, None);
                counts.needless_syncs += usize::from(stays(&mut kernel, (b, i), without, &before));
                continue;
            }
            if inst.swsb.dist.is_some() {
                counts.waits += 1;
                let mut without = inst;
                without.swsb.dist = None;
                counts.needless_waits += usize::from(stays(&mut kernel, (b, i), without, &before));
            }
            if matches!(inst.swsb.sbid, Some((SbidMode::Src | SbidMode::Dst, _))) {
                counts.waits += 1;
                let mut without = kernel.blocks[b].insts[i];
                without.swsb.sbid = None;
                counts.needless_waits += usize::from(stays(&mut kernel, (b, i), without, &before));
            }
        }
    }
}

/// Exchanges an instruction if nothing more is missing then.
fn stays(
    kernel: &mut Kernel<Physical>,
    (b, i): (usize, usize),
    without: Inst<Physical>,
    before: &[u32],
) -> bool {
    let old = std::mem::replace(&mut kernel.blocks[b].insts[i], without);
    let fine = unmet(kernel).iter().all(|n| before.contains(n));
    if !fine {
        kernel.blocks[b].insts[i] = old;
    }
    fine
}
