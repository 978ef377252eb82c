//! Walkers: what hardware runs for GPGPU_WALKER (Gen8 to Gen12LP) and COMPUTE_WALKER (from Xe-HP on).

mod payload;
mod surfaces;

use emulator::{Bindings, Dispatch};
use narrow::as_index;

use crate::{
    Error,
    memory::World,
    pages::Space,
    run::{self, Job},
    stream::{Machine, State, bits},
};

/// Most threads of a group that hardware has.
const MOST_THREADS: u32 = 1024;

/// A walker, decoded.
struct Walk {
    simd: u32,
    threads: u32,
    from: [u32; 3],
    to: [u32; 3],
    kernel: u64,
    slm: u32,
    scratch: u32,
    masks: Vec<u32>,
    /// Registers from r1 on: each thread's own, then those of all.
    own: Vec<Vec<u8>>,
    all: Vec<u8>,
    /// Memory that `r0.0` leads to.
    indirect: Vec<u8>,
    bindings: Bindings,
    /// The general state base.
    general: u64,
    /// Surfaces that cannot be used, and why.
    notes: Vec<String>,
}

/// Channels of a full thread.
fn full(simd: u32) -> u32 {
    u32::MAX >> (32 - simd.clamp(1, 32))
}

/// SIMD8, 16 or 32.
fn simd(code: u32, at: u64) -> Result<u32, Error> {
    match code {
        0..=2 => Ok(8 << code),
        other => Err(Error::command(at, format!("a walker of SIMD size {other}"))),
    }
}

fn threads_of(threads: u32, at: u64) -> Result<u32, Error> {
    match threads {
        1..=MOST_THREADS => Ok(threads),
        n => Err(Error::command(at, format!("found {n} threads in a group, allowed: 1 to {MOST_THREADS}"))),
    }
}

/// GPGPU_WALKER with its INTERFACE_DESCRIPTOR_DATA.
pub fn gpgpu(
    machine: &mut Machine<'_>,
    space: Space,
    state: &State,
    at: u64,
    c: &[u32],
) -> Result<(), Error> {
    let bases = &state.bases;
    let world: &World = machine.world;
    let number = bits(c[1], 0, 5);
    let place = bases.dynamic + u64::from(state.descriptors) + 32 * u64::from(number);
    let d: [u32; 8] = space.dwords(world, place)?;
    let simd = simd(bits(c[4], 30, 31), at)?;
    let size = [bits(c[4], 0, 5) + 1, bits(c[4], 8, 13) + 1, bits(c[4], 16, 21) + 1];
    let threads = threads_of(size.iter().product(), at)?;
    let (right, bottom) = (c[13], c[14]);
    let masks = (0..threads).map(|i| {
        let last = |d: usize, i: u32| i == size[d] - 1;
        let right = if last(0, i % size[0]) { right } else { u32::MAX };
        let bottom = if last(1, i / size[0] % size[1]) { bottom } else { u32::MAX };
        right & bottom & full(simd)
    });
    let masks = masks.collect();
    let grf = usize::from(machine.kernels.platform().caps().regs.grf_bytes);
    let indirect = bases.indirect + u64::from(c[3] & !63);
    let payload = space.bytes(world, indirect, as_index(c[2] & 0x1_ffff))?;
    let (common, each) = (grf * as_index(d[7] & 0xff), grf * as_index(bits(d[5], 16, 31)));
    if common + each > 127 * grf {
        return Err(Error::command(at, format!("{} bytes of payload", common + each)));
    }
    let part = |from: usize, len: usize| {
        let mut bytes = payload.get(from.min(payload.len())..).unwrap_or_default().to_vec();
        bytes.resize(len, 0);
        bytes
    };
    let platform = machine.kernels.platform();
    let (bindings, notes) = surfaces::bindings(world, space, platform, bases, (d[4] & 0xffe0, d[3] & !31));
    let walk = Walk {
        simd,
        threads,
        from: [c[5], c[8], c[11]],
        to: [c[7], c[10], c[12]],
        kernel: bases.instruction + (u64::from(d[1] & 0xffff) << 32 | u64::from(d[0] & !63)),
        slm: local_memory(machine, bits(d[6], 16, 20)),
        scratch: state.scratch,
        masks,
        own: (0..as_index(threads)).map(|i| part(common + i * each, each.max(grf))).collect(),
        all: part(0, common),
        indirect: Vec::new(),
        bindings,
        general: bases.general,
        notes,
    };
    dispatch(machine, space, at, walk)
}

/// COMPUTE_WALKER, which has its descriptor inside.
pub fn compute(
    machine: &mut Machine<'_>,
    space: Space,
    state: &State,
    at: u64,
    c: &[u32],
) -> Result<(), Error> {
    let bases = &state.bases;
    let world: &World = machine.world;
    let d = &c[18..26];
    let simd = simd(bits(c[4], 30, 31), at)?;
    let threads = threads_of(bits(d[5], 0, 9), at)?;
    let local = [bits(c[6], 0, 9) + 1, bits(c[6], 10, 19) + 1, bits(c[6], 20, 29) + 1];
    let mut masks = vec![full(simd); as_index(threads)];
    if let Some(last) = masks.last_mut() {
        *last &= c[5];
    }
    let grf = u32::from(machine.kernels.platform().caps().regs.grf_bytes);
    let ids = if c[4] >> 29 & 1 != 0 { bits(c[4], 26, 28) } else { 0 };
    let own = payload::local_ids(ids, bits(c[4], 22, 24), local, simd, threads, grf);
    let inline = c[4] >> 25 & 1 != 0;
    let mut all: Vec<u8> = c[31..39].iter().flat_map(|w| w.to_le_bytes()).collect();
    if !inline {
        all.clear();
    }
    let indirect = bases.general + u64::from(c[3] & !63);
    let platform = machine.kernels.platform();
    let (bindings, notes) = surfaces::bindings(world, space, platform, bases, (d[4] & 0x1f_ffe0, d[3] & !31));
    let walk = Walk {
        simd,
        threads,
        from: [c[10], c[11], c[12]],
        to: [c[7], c[8], c[9]],
        kernel: bases.instruction + (u64::from(d[1] & 0xffff) << 32 | u64::from(d[0] & !63)),
        slm: local_memory(machine, bits(d[5], 16, 20)),
        scratch: surfaces::scratch(world, space, bases.surface + state.scratch_surface),
        masks,
        own,
        all,
        indirect: space.bytes(world, indirect, as_index(c[2] & 0x1_ffff))?,
        bindings,
        general: bases.general,
        notes,
    };
    dispatch(machine, space, at, walk)
}

/// Shared local memory by its code: powers of two from 1 KB on, then sizes between; or in pages.
fn local_memory(machine: &Machine<'_>, code: u32) -> u32 {
    match code {
        n if machine.kernels.platform().caps().memory.slm_pages => n.min(16) * 4096,
        0 => 0,
        n @ 1..=7 => 512 << n,
        8 => 24 << 10,
        9 => 48 << 10,
        10 => 96 << 10,
        _ => 128 << 10,
    }
}

fn dispatch(machine: &mut Machine<'_>, space: Space, at: u64, walk: Walk) -> Result<(), Error> {
    let kernel = machine.kernels.at(machine.world, space, walk.kernel)?;
    let groups: u64 = (0..3).map(|d| u64::from(walk.to[d].saturating_sub(walk.from[d]))).product();
    let dispatch = Dispatch {
        simd: walk.simd,
        groups: walk.to,
        threads: walk.threads,
        slm: walk.slm,
        scratch: walk.scratch.max(kernel.scratch),
        bindings: walk.bindings,
        cross: walk.all,
        per_thread: walk.own,
        masks: walk.masks,
        raw: true,
        indirect: walk.indirect,
        ..Dispatch::default()
    };
    if groups > 1 << 32 {
        return Err(Error::command(at, format!("found {groups} groups, allowed: 2^32")));
    }
    let job = Job {
        program: &kernel.program,
        dispatch: &dispatch,
        from: walk.from,
        to: walk.to,
        space,
        general: walk.general,
        options: machine.options,
        threads: machine.threads,
        learned: &kernel.learned,
    };
    let ran = run::run(&job, machine.world)?;
    machine.registers.pass(ran.instructions);
    machine.findings.dispatch(&kernel, ran, u64::from(walk.threads), walk.notes);
    Ok(())
}
