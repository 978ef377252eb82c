//! Our code beside the code that Intel's compiler made for the test kernels, without its program.

use std::{collections::BTreeMap, fs, io, path::Path};

use encoder::decode_all;
use finalizer::{Finalizer, Options};
use gen_ir::Op;
use platforms::Platform;
use tests::{
    data::{TestKernel, kernels},
    differential::module,
};

use crate::{Args, code};

/// What both sides' code holds, summed over kernels.
#[derive(Default)]
struct Sums {
    kernels: u32,
    instructions: f64,
    worst: f64,
    syncs: [u32; 2],
    spill_bytes: [u32; 2],
    opcodes: BTreeMap<&'static str, [u32; 2]>,
}

/// Prints a row a kernel, or the means alone.
pub fn compare(args: &Args) -> io::Result<()> {
    for &platform in &args.platform {
        let mut finalizer = Finalizer::new(Options::new(platform));
        let mut sums = Sums::default();
        for kernel in kernels(platform).iter().filter(|k| k.id().contains(&args.only)) {
            let visa = crate::visa_instructions(kernel);
            if visa < args.min || kernel.dat.is_empty() {
                continue;
            }
            // The peer's program takes one text: without the functions.
            let module = match &args.kept {
                Some(_) => finalizer::read_text(kernel.visaasm.as_bytes(), platform),
                None => module(platform, kernel),
            };
            let module = module.map_err(io::Error::other)?;
            let ours = finalizer.finalize_kernel(&module, 0).map_err(io::Error::other)?;
            let kept = args.kept.as_ref().map(|dir| kept(args, dir, platform, kernel)).transpose()?;
            let peer = kept.as_ref().unwrap_or(&kernel.dat);
            if peer.is_empty() {
                continue;
            }
            let both = [&ours.code[..], &peer[..]];
            let counts = both.map(|c| code::count(platform, c));
            let syncs = both.map(|c| code::syncs(platform, c));
            let spills = [ours.info.spill_bytes, peer_spills(kernel)];
            sums.kernels += 1;
            let ratio = f64::from(counts[0]) / f64::from(counts[1].max(1));
            sums.instructions += ratio.ln();
            sums.worst = sums.worst.max(ratio);
            for side in 0..2 {
                sums.syncs[side] += syncs[side];
                sums.spill_bytes[side] += spills[side];
                for i in decode_all(platform, both[side]).filter_map(|d| d.inst.ok()) {
                    if !matches!(i.op, Op::Nop | Op::Illegal) {
                        sums.opcodes.entry(i.op.name()).or_default()[side] += 1;
                    }
                }
            }
            if !args.summary {
                println!(
                    "{:<58} {visa:>6}  instructions {:>6} / {:>6} = {ratio:.2}  sync {:>4} / {:>4}  spilled bytes {:>5} / {:>5}",
                    kernel.id(),
                    counts[0],
                    counts[1],
                    syncs[0],
                    syncs[1],
                    spills[0],
                    spills[1],
                );
            }
        }
        sums.print(platform, args.opcodes);
    }
    Ok(())
}

/// The peer's code for a kernel, from `dir` or else made and put there. Empty where it makes none.
fn kept(args: &Args, dir: &Path, platform: Platform, kernel: &TestKernel) -> io::Result<Vec<u8>> {
    let file = dir.join(format!("{platform}.{}", kernel.id().replace('/', ".")));
    if file.is_file() {
        return fs::read(file);
    }
    let work = tempfile::tempdir()?;
    crate::peer_side(&Args { runs: 1, ..args.clone() }, platform, kernel, work.path())?;
    let made = work.path().join("peer.dat");
    let code = if made.is_file() { fs::read(made)? } else { Vec::new() };
    fs::create_dir_all(dir)?;
    fs::write(file, &code)?;
    Ok(code)
}

/// Intel's compiler writes into the listing how many bytes it spilled.
fn peer_spills(kernel: &TestKernel) -> u32 {
    let size = kernel.asm.lines().find_map(|l| l.strip_prefix("//.spill size "));
    size.and_then(|s| s.trim().parse().ok()).unwrap_or(0)
}

impl Sums {
    fn print(&self, platform: Platform, opcodes: bool) {
        println!(
            "{platform}: {} kernels, instructions {:.3} (at most {:.2}), sync {} / {}, spilled bytes {} / {}",
            self.kernels,
            (self.instructions / f64::from(self.kernels.max(1))).exp(),
            self.worst,
            self.syncs[0],
            self.syncs[1],
            self.spill_bytes[0],
            self.spill_bytes[1],
        );
        if opcodes {
            let mut rows: Vec<_> = self.opcodes.iter().collect();
            rows.sort_by_key(|(_, n)| i64::from(n[1]) - i64::from(n[0]));
            for (name, n) in rows {
                println!("  {name:<10} {:>7} / {:>7}  {:>+6}", n[0], n[1], i64::from(n[0]) - i64::from(n[1]));
            }
        }
    }
}
