//! Flags by regalloc2, and by our allocator: how many it can express, what it adds, and what it costs.
//!
//! ```text
//! cargo run --release -p benches --bin flags
//! cargo run --release -p benches --bin flags -- --programs FOLDER     real programs, as `peer` takes them
//! ```
//!
//! regalloc2 is given each block by itself, with the flags of 16 channels that live in that block alone: it has no
//! place for a move on an edge of divergent flow, and its registers do not overlap, so flags of 32 channels (two
//! registers) and flags that cross blocks stay out. That is generous to it: flags that pass by a block from others
//! take none of its registers.

use clap::Parser;
use cpu_time::ThreadTime;
use finalizer::{Alone, PASSES};
use gen_ir::{Dst, Kernel, Op, Pool, Reg, Role, Src, Type, VarClass, Virtual};
use platforms::Platform;
use regalloc::{AllocationMemory, Options, allocate};
use regalloc2::{Function, InstRange, MachineEnv, Operand, PReg, PRegSet, RegClass, VReg};
use std::{fs, io, path::PathBuf, time::Duration};
use tests::{data, programs};

#[derive(Parser)]
struct Args {
    /// Platforms.
    #[arg(short, long, value_delimiter = ',', default_values_t = Platform::ALL,
          value_parser = |s: &str| s.parse::<Platform>())]
    platform: Vec<Platform>,
    /// Instead of the test kernels, the vISA assembly of a folder.
    #[arg(long)]
    programs: Option<PathBuf>,
}

#[derive(Default)]
struct Sum {
    kernels: usize,
    flags: usize,
    crossing: usize,
    pairs: usize,
    given: usize,
    /// Moves that regalloc2 adds.
    moves: usize,
    /// Moves that our allocator adds where the other flags are not there.
    alike: u64,
    /// Moves of flags that our allocator adds, for all flags.
    ours: u64,
    theirs_time: Duration,
    ours_time: Duration,
}

/// A block's flags, for regalloc2.
struct Local {
    operands: Vec<Vec<Operand>>,
    values: usize,
}

impl Function for Local {
    fn num_insts(&self) -> usize {
        self.operands.len()
    }

    fn num_blocks(&self) -> usize {
        1
    }

    fn entry_block(&self) -> regalloc2::Block {
        regalloc2::Block::new(0)
    }

    fn block_insns(&self, _: regalloc2::Block) -> InstRange {
        InstRange::new(regalloc2::Inst::new(0), regalloc2::Inst::new(self.operands.len()))
    }

    fn block_succs(&self, _: regalloc2::Block) -> &[regalloc2::Block] {
        &[]
    }

    fn block_preds(&self, _: regalloc2::Block) -> &[regalloc2::Block] {
        &[]
    }

    fn block_params(&self, _: regalloc2::Block) -> &[VReg] {
        &[]
    }

    fn is_ret(&self, inst: regalloc2::Inst) -> bool {
        inst.index() + 1 == self.operands.len()
    }

    fn is_branch(&self, _: regalloc2::Inst) -> bool {
        false
    }

    fn branch_blockparams(&self, _: regalloc2::Block, _: regalloc2::Inst, _: usize) -> &[VReg] {
        &[]
    }

    fn inst_operands(&self, inst: regalloc2::Inst) -> &[Operand] {
        &self.operands[inst.index()]
    }

    fn inst_clobbers(&self, _: regalloc2::Inst) -> PRegSet {
        PRegSet::empty()
    }

    fn num_vregs(&self) -> usize {
        self.values
    }

    fn spillslot_size(&self, _: RegClass) -> usize {
        1
    }
}

fn main() -> io::Result<()> {
    let args = Args::parse();
    println!("platform kernels  flags crossing pairs  given  moves  alike   ours  regalloc2   all of ours");
    for &platform in &args.platform {
        let mut sum = Sum::default();
        match &args.programs {
            None => data::kernels(platform).iter().for_each(|k| sum.kernel(platform, &k.visaasm)),
            Some(folder) => {
                let files = programs::files(folder, platform)?.into_iter();
                for file in files.filter(|f| f.extension().is_some_and(|e| e == "visaasm")) {
                    sum.kernel(platform, &fs::read_to_string(file)?);
                }
            }
        }
        println!(
            "{platform:<8} {:>7} {:>6} {:>8} {:>5} {:>6} {:>6} {:>6} {:>6} {:>7.1} ms {:>10.1} ms",
            sum.kernels,
            sum.flags,
            sum.crossing,
            sum.pairs,
            sum.given,
            sum.moves,
            sum.alike,
            sum.ours,
            sum.theirs_time.as_secs_f64() * 1e3,
            sum.ours_time.as_secs_f64() * 1e3,
        );
    }
    Ok(())
}

/// A kernel as it comes to allocation; `None` for what is not one kernel, or refused.
fn before_allocation(platform: Platform, text: &str) -> Option<Kernel<Virtual>> {
    let passes = PASSES.iter().filter(|p| p.needless_on(platform.caps()).is_none());
    let mut passes = passes.skip_while(|p| p.name != "lower").take_while(|p| p.name != "allocate");
    let first = passes.next()?;
    let mut alone = Alone::new(first, text, platform).ok()?;
    alone.do_not_check();
    alone.run(first).ok()?;
    passes.try_for_each(|pass| alone.run(pass)).ok()?;
    gen_ir::parse(&alone.to_string(), platform).ok()
}

impl Sum {
    fn kernel(&mut self, platform: Platform, text: &str) {
        let Some(kernel) = before_allocation(platform, text) else { return };
        self.kernels += 1;
        let start = ThreadTime::now();
        self.ours += spills(&kernel);
        self.ours_time += start.elapsed();
        self.theirs(&kernel);
    }

    fn theirs(&mut self, kernel: &Kernel<Virtual>) {
        // The block of each flag; more than one is none.
        const CROSSES: usize = usize::MAX;
        let mut blocks = vec![None; kernel.vars.len()];
        for (b, block) in kernel.blocks.iter().enumerate() {
            for inst in &block.insts {
                inst.for_each_reg(|_, reg| {
                    if let Some(v) = reg.var() {
                        let block = &mut blocks[v.index()];
                        *block = Some(if block.is_none_or(|other| other == b) { b } else { CROSSES });
                    }
                });
            }
        }
        let mut is_given = vec![false; kernel.vars.len()];
        for (v, var) in kernel.vars.iter().enumerate().filter(|(_, v)| v.class == VarClass::Flag) {
            let Some(block) = blocks[v] else { continue };
            self.flags += 1;
            if block == CROSSES || var.live_in || var.fixed.is_some() {
                self.crossing += 1;
            } else if var.bytes > 2 {
                self.pairs += 1;
            } else {
                self.given += 1;
                is_given[v] = true;
            }
        }
        let registers = 2 * usize::from(kernel.platform.caps().regs.flag_count);
        let set = (0..registers).map(|n| PReg::new(n, RegClass::Int)).collect::<PRegSet>();
        let machine = MachineEnv {
            preferred_regs_by_class: [set, PRegSet::empty(), PRegSet::empty()],
            non_preferred_regs_by_class: [PRegSet::empty(); 3],
            scratch_by_class: [None; 3],
            fixed_stack_slots: Vec::new(),
        };
        self.alike += spills(&without_others(kernel, &is_given));
        for block in &kernel.blocks {
            let start = ThreadTime::now();
            let local = local(block, &is_given);
            if local.values > 0 {
                match regalloc2::run(&local, &machine, &Default::default()) {
                    Ok(found) => self.moves += found.edits.len(),
                    Err(fault) => eprintln!("{}: {fault:?}", kernel.name),
                }
            }
            self.theirs_time += start.elapsed();
        }
    }
}

/// Moves of flags that our allocator adds.
fn spills(kernel: &Kernel<Virtual>) -> u64 {
    let options = Options { check: false, ..Options::default() };
    let done = allocate(kernel, &options, &mut AllocationMemory::default(), &mut Pool::default());
    done.map_or(0, |(_, stats)| stats.flag_spills.into())
}

/// The kernel, where only some flags are read and written.
fn without_others(kernel: &Kernel<Virtual>, is_given: &[bool]) -> Kernel<Virtual> {
    let mut kernel = kernel.clone();
    let vars = kernel.vars.clone();
    let goes = |reg: Option<Reg<Virtual>>| {
        let var = reg.and_then(|r| r.var()).map(|v| v.index());
        var.is_some_and(|v| vars[v].class == VarClass::Flag && !is_given[v])
    };
    for inst in kernel.blocks.iter_mut().flat_map(|b| &mut b.insts) {
        inst.pred = inst.pred.filter(|p| !goes(Some(p.flag)));
        inst.cond = inst.cond.filter(|c| !goes(Some(c.flag)));
        if goes(inst.dst.reg()) {
            inst.dst = Dst::null(Type::Uw);
        }
        for src in &mut inst.src {
            if goes(src.reg()) {
                *src = Src::uw(0);
            }
        }
    }
    kernel
}

fn local(block: &gen_ir::Block<Virtual>, is_given: &[bool]) -> Local {
    let mut value = vec![None; is_given.len()];
    let mut local = Local { operands: Vec::new(), values: 0 };
    for inst in &block.insts {
        let mut operands = Vec::new();
        // Each write is a value of its own, as SSA has it; one under a mask or predicate goes on from the old value.
        inst.for_each_reg(|role, reg| {
            let Some(v) = reg.var().map(|v| v.index()).filter(|&v| is_given[v]) else { return };
            let written = matches!(role, Role::Cond | Role::Dst);
            let partial = written && inst.pred.is_some() && inst.op != Op::Sel;
            let old: Option<VReg> = value[v];
            if let Some(old) = old.filter(|_| !written || partial) {
                operands.push(Operand::reg_use(old));
            }
            if written {
                let new = VReg::new(local.values, RegClass::Int);
                local.values += 1;
                value[v] = Some(new);
                operands.push(match old.filter(|_| partial) {
                    Some(_) => Operand::reg_reuse_def(new, operands.len() - 1),
                    None => Operand::reg_def(new),
                });
            }
        });
        local.operands.push(operands);
    }
    local.operands.push(Vec::new());
    local
}
