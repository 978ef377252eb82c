//! Our code beside the code that Intel's compilers made, without their program.

use std::{collections::BTreeMap, io, path::Path};

use finalizer::{Finalizer, Grf, Options};
use platforms::Platform;
use tests::{data::kernels, differential::module, programs};

use crate::{
    Args,
    code::{self, Counts, Cycles},
    kept,
};

/// What is compared of a kernel: counts and bytes, ours and Intel's.
struct Row {
    id: String,
    visa: usize,
    counts: [Counts; 2],
    bytes: [usize; 2],
    /// Modelled, with loops counted by how deep they are nested.
    cycles: [Cycles; 2],
}

impl Row {
    fn ratio(&self) -> f64 {
        crate::ratio(self.counts[0].instructions, self.counts[1].instructions)
    }

    /// Our cycles of a kind over Intel's.
    fn cycles(&self, of: fn(&Cycles) -> f64) -> f64 {
        let [ours, theirs] = self.cycles.each_ref().map(of);
        ours.max(1.0) / theirs.max(1.0)
    }

    fn print(&self) {
        let [a, b] = self.counts;
        println!(
            "{:<58} {:>6}  instructions {:>6} / {:>6} = {:.2}  bytes {:>7} / {:>7}  cycles {:.2} ({:.2})  sync {:>4} / {:>4}  scratch messages {:>5} / {:>5}",
            self.id,
            self.visa,
            a.instructions,
            b.instructions,
            self.ratio(),
            self.bytes[0],
            self.bytes[1],
            self.cycles(|c| c.by_registers),
            self.cycles(|c| c.as_annotated),
            a.syncs,
            b.syncs,
            a.scratch,
            b.scratch,
        );
    }
}

/// What has been compared on a platform.
struct Comparison<'a> {
    args: &'a Args,
    finalizer: Finalizer,
    platform: Platform,
    rows: Vec<Row>,
    failed: Vec<String>,
    /// Kernels that the peer's program made no code for, or code with words that are no instructions.
    without_peer: usize,
    opcodes: BTreeMap<&'static str, [u32; 2]>,
}

/// Prints a row a kernel, or the means alone.
pub fn compare(args: &Args) -> io::Result<()> {
    for &platform in &args.platform {
        let mut comparison = Comparison {
            args,
            finalizer: Finalizer::new(Options {
                skip: args.skip_pass.unwrap_or_default(),
                ..Options::new(platform)
            }),
            platform,
            rows: Vec::new(),
            failed: Vec::new(),
            without_peer: 0,
            opcodes: BTreeMap::new(),
        };
        match &args.programs {
            Some(folder) => comparison.programs(folder)?,
            None => comparison.test_kernels()?,
        }
        comparison.print();
    }
    Ok(())
}

impl Comparison<'_> {
    fn programs(&mut self, folder: &Path) -> io::Result<()> {
        for file in programs::files(folder, self.platform)? {
            let failed = &mut self.failed;
            let kernels = programs::load(folder, &file, self.platform, &mut |what| failed.push(what))?;
            let (Some(dir), Some(first)) = (&self.args.kept, kernels.first()) else {
                for p in kernels {
                    self.finalizer.options_mut().grf = p.grf;
                    self.add(p.id.clone(), p.instructions(), &p.module, p.index, &p.code);
                }
                continue;
            };
            // The peer's program is not told of another size of register file.
            self.finalizer.options_mut().grf = Grf::Kernel;
            let made = kept::of_program(self.args, dir, self.platform, &file, &first.module)?;
            for p in kernels {
                let peer = made.get(&*p.module.kernels[p.index].name()).map_or(&[][..], Vec::as_slice);
                self.add(p.id.clone(), p.instructions(), &p.module, p.index, peer);
            }
        }
        Ok(())
    }

    fn test_kernels(&mut self) -> io::Result<()> {
        let platform = self.platform;
        for kernel in kernels(platform).iter().filter(|k| !k.dat.is_empty()) {
            let visa = crate::visa_instructions(kernel);
            if visa < self.args.min || !kernel.id().contains(&self.args.only) {
                continue;
            }
            // The peer's program takes one text: without the functions.
            let module = match &self.args.kept {
                Some(_) => finalizer::read_text(kernel.visaasm.as_bytes(), platform),
                None => module(platform, kernel),
            };
            let module = module.map_err(io::Error::other)?;
            let kept = self.args.kept.as_ref();
            let kept =
                kept.map(|dir| kept::of_kernel(self.args, dir, platform, kernel, &module)).transpose()?;
            self.add(kernel.id(), visa, &module, 0, kept.as_ref().unwrap_or(&kernel.dat));
        }
        Ok(())
    }

    fn add(&mut self, id: String, visa: usize, module: &visa::Module, index: usize, peer: &[u8]) {
        if visa < self.args.min || !id.contains(&self.args.only) {
            return;
        }
        if peer.is_empty() {
            self.without_peer += 1;
            return;
        }
        let ours = match self.finalizer.finalize_kernel(module, index) {
            Ok(ours) => ours,
            Err(e) => {
                self.failed.push(format!("{id}: {e}"));
                return;
            }
        };
        let mut side = 0;
        let counts = [&ours.code[..], peer].map(|code| {
            let counts = code::count(self.platform, code, |i| {
                self.opcodes.entry(i.op.name()).or_default()[side] += 1;
            });
            side += 1;
            counts
        });
        if counts[1].unknown > 0 {
            println!("{id}: the peer's code has {} words that are no instructions", counts[1].unknown);
            self.without_peer += 1;
            return;
        }
        let cycles = [&ours.code[..], peer].map(|code| code::cycles(self.platform, code));
        let row = Row { id, visa, counts, bytes: [ours.code.len(), peer.len()], cycles };
        if !self.args.summary {
            row.print();
        }
        self.rows.push(row);
    }

    fn print(&mut self) {
        let rows = &self.rows;
        let sum =
            |f: fn(&Counts) -> u32, side: usize| rows.iter().map(|r| u64::from(f(&r.counts[side]))).sum();
        let both = |f: fn(&Counts) -> u32| -> [u64; 2] { [sum(f, 0), sum(f, 1)] };
        let mean = |f: &dyn Fn(&Row) -> f64| {
            (rows.iter().map(|r| f(r).ln()).sum::<f64>() / rows.len().max(1) as f64).exp()
        };
        let [ours, theirs] = both(|c| c.instructions);
        let (syncs, scratch) = (both(|c| c.syncs), both(|c| c.scratch));
        println!(
            "{}: {} kernels, geometric means: instructions {:.3} (at most {:.2}), bytes {:.3}, modelled cycles {:.3} (as annotated {:.3}); all: instructions {ours} / {theirs} = {:.3}, sync {} / {}, scratch messages {} / {}; refused {}, without the peer's code {}",
            self.platform,
            rows.len(),
            mean(&Row::ratio),
            rows.iter().map(Row::ratio).fold(0.0, f64::max),
            mean(&|r| r.bytes[0].max(1) as f64 / r.bytes[1].max(1) as f64),
            mean(&|r| r.cycles(|c| c.by_registers)),
            mean(&|r| r.cycles(|c| c.as_annotated)),
            ours as f64 / theirs.max(1) as f64,
            syncs[0],
            syncs[1],
            scratch[0],
            scratch[1],
            self.failed.len(),
            self.without_peer,
        );
        if !self.args.summary || self.args.worst > 0 {
            for what in &self.failed {
                println!("  refused: {what}");
            }
        }
        self.print_worst();
        if self.args.opcodes {
            self.print_opcodes();
        }
    }

    /// The kernels that are furthest behind Intel's: by instructions, relative, and by scratch messages.
    fn print_worst(&mut self) {
        let more = |r: &Row| i64::from(r.counts[0].scratch) - i64::from(r.counts[1].scratch);
        if self.args.worst == 0 {
            return;
        }
        println!("  most instructions, relative:");
        self.rows.sort_by(|a, b| b.ratio().total_cmp(&a.ratio()));
        self.rows.iter().take(self.args.worst).for_each(Row::print);
        println!("  most scratch messages, more than Intel's:");
        self.rows.sort_by_key(|r| std::cmp::Reverse(more(r)));
        self.rows.iter().filter(|r| more(r) > 0).take(self.args.worst).for_each(Row::print);
    }

    fn print_opcodes(&self) {
        let more = |n: &[u32; 2]| i64::from(n[0]) - i64::from(n[1]);
        let mut rows: Vec<_> = self.opcodes.iter().collect();
        rows.sort_by_key(|(_, n)| -more(n));
        for (name, n) in rows {
            println!("  {name:<10} {:>7} / {:>7}  {:>+6}", n[0], n[1], more(n));
        }
    }
}
