//! Allocated code does what code over variables does: kernels that jump from anywhere to anywhere. The same kernel again takes no
//! memory, and structured forms do what gotos do.

use allocation_counter::measure;
use gen_ir::{Kernel, Op, Physical, Virtual};
use platforms::Platform;
use regalloc::{AllocStats, Options, allocate};
use tests::replay::{
    Kept, Machine, compare,
    gotos::{GotoShape, generate},
};

const STEPS: usize = 400;

fn check(seed: u64, platform: Platform, shape: GotoShape, kept: &mut Kept) -> Option<AllocStats> {
    let g = generate(seed, platform, shape);
    let mut kernel = g.kernel;
    kernel.grf_count = shape.registers;
    if structurizer::structurize(&mut kernel).is_err() {
        // A random return in divergent flow.
        return None;
    }
    let faults = gen_ir::verify(&kernel, gen_ir::Profile::Structured);
    assert!(faults.is_empty(), "seed {seed}: {faults:?}\n{kernel}");
    let Kept { memory, pool } = kept;
    let options = Options { check: true, quick: seed.is_multiple_of(4), ..Options::default() };
    let (physical, stats) = match allocate(&kernel, &options, memory, pool) {
        Ok(x) => x,
        // Messages of 16 registers and what lives through them.
        Err(regalloc::Error::OutOfRegisters { .. }) if shape.registers < 64 => return None,
        Err(e) => panic!("seed {seed}, {platform}, {shape:?}: {e}\n{kernel}"),
    };
    asks_for_nothing(&kernel, &physical, &Options { check: false, ..options }, kept);
    if let Err(failure) = compare(&kernel, &physical, &g.inputs, STEPS) {
        panic!("seed {seed}, {platform}, {shape:?}: {failure}");
    }
    Some(stats)
}

/// The same kernel again is the same code, and the second time that takes no memory which was not there.
fn asks_for_nothing(
    kernel: &Kernel<Virtual>,
    physical: &Kernel<Physical>,
    options: &Options,
    Kept { memory, pool }: &mut Kept,
) {
    for used in [u64::MAX, 0] {
        let mut again = None;
        let measured = measure(|| again = allocate(kernel, options, memory, pool).ok());
        let again = again.expect("as the first time").0;
        assert!(again.insts().eq(physical.insts()), "{kernel}\n{physical}\n{again}");
        assert!(measured.count_total <= used, "{} allocations\n{kernel}", measured.count_total);
        pool.keep_kernel(again);
    }
}

/// What allocations cost together, and how many of them spilled.
fn many(seeds: std::ops::Range<u64>, shape: GotoShape) -> (AllocStats, u32) {
    let (mut sum, mut spilling, mut kept) = (AllocStats::default(), 0, Kept::default());
    for seed in seeds {
        let platform = Platform::ALL[seed as usize % Platform::ALL.len()];
        if let Some(s) = check(seed, platform, shape, &mut kept) {
            sum.spills += s.spills;
            sum.fills += s.fills;
            sum.flag_spills += s.flag_spills;
            sum.scratch_bytes += s.scratch_bytes;
            sum.rounds += s.rounds;
            spilling += u32::from(s.spills > 0);
        }
    }
    (sum, spilling)
}

/// Seeds per test; `REPLAY_SEEDS` asks for more.
fn seeds(default: u64) -> std::ops::Range<u64> {
    let n = std::env::var("REPLAY_SEEDS").ok().and_then(|s| s.parse().ok()).unwrap_or(default);
    0..n
}

#[test]
fn small_kernels() {
    let shape = GotoShape {
        blocks: 6,
        insts: 5,
        vectors: 8,
        scalars: 4,
        flags: 2,
        calls: false,
        registers: 128,
        by_lane: false,
    };
    let (s, _) = many(seeds(400), shape);
    assert_eq!(s.spills, 0, "nothing here needs to spill");
}

#[test]
fn much_flow() {
    let shape = GotoShape {
        blocks: 24,
        insts: 4,
        vectors: 12,
        scalars: 6,
        flags: 4,
        calls: false,
        registers: 128,
        by_lane: false,
    };
    many(seeds(200), shape);
}

#[test]
fn subroutines() {
    let shape = GotoShape {
        blocks: 10,
        insts: 4,
        vectors: 10,
        scalars: 5,
        flags: 3,
        calls: true,
        registers: 128,
        by_lane: false,
    };
    many(seeds(200), shape);
}

#[test]
fn too_many_flags() {
    let shape = GotoShape {
        blocks: 10,
        insts: 8,
        vectors: 6,
        scalars: 4,
        flags: 20,
        calls: false,
        registers: 128,
        by_lane: false,
    };
    let (s, _) = many(seeds(150), shape);
    assert!(s.flag_spills > 0);
}

#[test]
fn too_many_values() {
    let shape = GotoShape {
        blocks: 12,
        insts: 10,
        vectors: 90,
        scalars: 30,
        flags: 6,
        calls: true,
        registers: 128,
        by_lane: false,
    };
    let (s, spilling) = many(seeds(60), shape);
    assert!(s.spills > 0 && s.fills > 0 && s.scratch_bytes > 0);
    // What spilling adds finds registers beside the rest, or takes them from what can be spilled as well.
    assert_eq!(s.rounds, spilling);
}

#[test]
fn few_registers() {
    for (registers, calls) in [(48, false), (56, true)] {
        let shape = GotoShape {
            blocks: 16,
            insts: 6,
            vectors: 24,
            scalars: 8,
            flags: 4,
            calls,
            registers,
            by_lane: true,
        };
        let (s, _) = many(seeds(120), shape);
        assert!(s.spills > 0 && s.fills > 0);
    }
}

#[test]
fn structured_forms_do_what_gotos_do() {
    let shape = GotoShape {
        blocks: 20,
        insts: 3,
        vectors: 8,
        scalars: 4,
        flags: 4,
        calls: false,
        registers: 128,
        by_lane: false,
    };
    let mut structured = 0;
    for seed in seeds(300) {
        let g = generate(seed, Platform::Skl, shape);
        let (mut plain, mut formed) = (g.kernel.clone(), g.kernel);
        structurizer::structurize_with(&mut plain, structurizer::BranchStyle::Gotos).unwrap();
        structurizer::structurize_with(&mut formed, structurizer::BranchStyle::Structured).unwrap();
        structured += formed.insts().filter(|(_, i)| i.op == Op::If).count();
        let mut a = Machine::new(&plain, &g.inputs);
        let mut b = Machine::new(&formed, &g.inputs);
        // Blocks differ in number, so the runs stop at different places.
        let (x, y) = (a.run(STEPS), b.run(STEPS));
        assert!(x.is_ok() && y.is_ok(), "seed {seed}: {x:?} {y:?}\n{plain}\n{formed}");
        // Predicates of gotos read flags that structured forms do not need: only arithmetic is compared.
        let n = a.log.len().min(b.log.len());
        assert_eq!(a.log[..n], b.log[..n], "seed {seed}\n{plain}\n{formed}");
    }
    assert!(structured > 100, "{structured} regions took a structured form");
}
