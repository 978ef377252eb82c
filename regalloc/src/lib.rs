//! Register allocation: variables of a structured kernel become registers.
//!
//! In: a [`Kernel<Virtual>`] after structurization and legalization. Out: the same code as
//! [`Kernel<Physical>`], plus spill code.
//!
//! ```text
//! access    who touches which bytes           points    what indirect operands may touch
//! flow      successors, waits, loop depth     pieces    parts of variables as sets of bits
//! facts     what accesses say of a variable   spread    liveness across blocks
//! liveness  live ranges in layout order       place     a place for each, or a spill list
//! home      flags, addresses to GRFs          spill     general variables to scratch memory
//! order     fewer alive at a time             apply     variables to registers
//! check     proof that no value is lost
//! ```
//!
//! **What holds.** At no position do two variables share a byte while both are needed, by the lanes that
//! run or by lanes that wait elsewhere; so no layout or mask of a write can harm another value. `check`
//! proves it for each result, from the accesses alone, and the replay tests run random kernels before
//! and after.
//!
//! **Why not regalloc2** for flags and addresses: it wants SSA and puts moves on edges, but flags are
//! written lane by lane and cross blocks of divergent flow, whose edges have no place for
//! a move. The same scan that places general variables as byte ranges places flags (8 or 16 bytes) and
//! `a0` (32 bytes) too, with homes in general registers, and costs them next to nothing: one liveness
//! serves all three files.
//!
//! The stages up to `place` run in rounds: when something finds no place, code is rewritten (`home`,
//! `spill`) so that it needs one for a few instructions only, and the next round starts afresh.

mod access;
mod apply;
mod check;
mod error;
mod facts;
mod flow;
mod home;
mod liveness;
mod order;
mod pieces;
mod place;
mod points;
mod spill;
mod spread;

pub use error::Error;

use access::{Accesses, Kind};
use flow::Flow;
use gen_ir::{Kernel, Physical, Pool, VarClass, VarId, Virtual};
use home::Homes;
use liveness::Liveness;
use place::{File, Item, Placement, place};
use std::borrow::Cow;

/// Rounds of rewriting after which an allocation is given up.
const MAX_ROUNDS: u32 = 24;

/// Instructions from which on a kernel is large: each round then costs milliseconds.
const LARGE: usize = 4_000;

/// Registers that the first spilling of a large kernel leaves free.
const SET_ASIDE: u32 = 4;

/// Choices of the caller.
#[derive(Clone, Debug)]
pub struct Options {
    /// Prove the result with the checker.
    pub check: bool,
}

impl Default for Options {
    /// The checker is on in builds with debug assertions.
    fn default() -> Options {
        Options { check: cfg!(debug_assertions) }
    }
}

/// What allocation cost.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct AllocStats {
    /// General registers from `r0` to the highest one used.
    pub grfs_used: u32,
    /// Messages that write spilled values to scratch memory.
    pub spills: u32,
    /// Messages that read them back.
    pub fills: u32,
    /// Bytes of scratch memory used for spills, from `Kernel::spill_offset` on.
    pub scratch_bytes: u32,
    /// Flag and address values moved to general registers and back.
    pub flag_spills: u32,
}

/// Gives every variable a place. `pool` gives the new kernel its memory.
pub fn allocate(
    kernel: &Kernel<Virtual>,
    options: &Options,
    pool: &mut Pool<Physical>,
) -> Result<(Kernel<Physical>, AllocStats), Error> {
    if kernel.vars.len() >= (u32::MAX / 64) as usize || kernel.inst_count() >= (u32::MAX / 64) as usize {
        return Err(Error::TooLarge);
    }
    let mut work = Cow::Borrowed(kernel);
    let mut homes = Homes::default();
    let mut stats = AllocStats::default();
    let mut top = kernel.spill_offset;
    let flow = Flow::of(kernel);
    // Where registers are watched by software, taking them in turn means fewer that still have to be
    // waited for; where they are scarce, packing them from the lowest on means fewer spills.
    let mut rotate = kernel.platform.caps().sbid_count > 0;
    // Rounds that spilled.
    let mut round = 0;
    for rewritten in 0..MAX_ROUNDS {
        let accesses = Accesses::collect(&work)?;
        let live = liveness::compute(&work, &accesses, &flow, &homes);
        if rewritten == 0
            && let Some(other) = reordered(kernel, &accesses, &live, &flow)?
        {
            work = Cow::Owned(other);
            continue;
        }
        let needs = Needs::of(&work, &accesses);
        let flags = place_class(&work, VarClass::Flag, &live, &needs, 0, false)?;
        let addresses = place_class(&work, VarClass::Address, &live, &needs, 0, false)?;
        let lost: Vec<VarId> = flags.spilled.iter().chain(&addresses.spilled).copied().collect();
        if !lost.is_empty() {
            stats.flag_spills += home::split(work.to_mut(), &lost, &mut homes, &accesses, &live);
            continue;
        }
        let mut general = place_class(&work, VarClass::General, &live, &needs, 0, rotate)?;
        if rotate && !general.spilled.is_empty() {
            rotate = false;
            general = place_class(&work, VarClass::General, &live, &needs, 0, false)?;
        }
        if !general.spilled.is_empty() {
            // The code to add needs registers too. In small kernels rounds cost little: what that code
            // displaces is found out. In large ones some registers are set aside for it.
            if round == 0 && work.inst_count() > LARGE {
                general = place_class(&work, VarClass::General, &live, &needs, SET_ASIDE, false)?;
            }
            round += 1;
            let count =
                spill::spill(work.to_mut(), &general.spilled, &mut homes, &accesses, &live, &mut top)?;
            stats.spills += count.spills;
            stats.fills += count.fills;
            continue;
        }
        for (class, p) in
            [(VarClass::Flag, &flags), (VarClass::Address, &addresses), (VarClass::General, &general)]
        {
            if let Some(var) = p.failed {
                return Err(Error::OutOfRegisters { class, var });
            }
        }
        let mut at = general.at;
        for p in [&flags, &addresses] {
            for (to, from) in at.iter_mut().zip(&p.at) {
                if *from != place::UNPLACED {
                    *to = *from;
                }
            }
        }
        if options.check {
            check::check(&work, &accesses, &flow, &homes, &at)?;
        }
        stats.grfs_used = general.used.div_ceil(u32::from(kernel.platform.caps().grf_bytes));
        stats.scratch_bytes = top - kernel.spill_offset;
        return Ok((apply::apply(&work, &at, pool), stats));
    }
    Err(Error::NoEnd(MAX_ROUNDS))
}

/// The kernel in an order that makes spilling cheaper, if it needs any and there is one.
/// (To be asked before flags and addresses are split into pieces, which depend on where they stand.)
fn reordered(
    kernel: &Kernel<Virtual>,
    accesses: &Accesses,
    live: &Liveness,
    flow: &Flow,
) -> Result<Option<Kernel<Virtual>>, Error> {
    let Some(other) = order::order(kernel, accesses, live) else { return Ok(None) };
    let written = spill_cost(kernel, accesses, live)?;
    let accesses = Accesses::collect(&other)?;
    let live = liveness::compute(&other, &accesses, flow, &Homes::default());
    Ok((spill_cost(&other, &accesses, &live)? < written).then_some(other))
}

/// What spilling general variables costs: their accesses, worth more in loops.
fn spill_cost(kernel: &Kernel<Virtual>, accesses: &Accesses, live: &Liveness) -> Result<f32, Error> {
    let needs = Needs::of(kernel, accesses);
    let general = place_class(kernel, VarClass::General, live, &needs, 0, false)?;
    Ok(general.spilled.iter().map(|v| live.weight[v.index()]).sum())
}

/// Constraints on places that follow from use.
struct Needs {
    /// Payload of an end-of-thread message.
    eot: Vec<bool>,
    /// Response of a message.
    response: Vec<bool>,
    /// Message descriptor.
    desc: Vec<bool>,
    /// Written by the last instruction of a block, after which nothing can be put (return addresses).
    at_end: Vec<bool>,
}

impl Needs {
    fn of(kernel: &Kernel<Virtual>, accesses: &Accesses) -> Needs {
        let n = kernel.vars.len();
        let mut needs = Needs {
            eot: vec![false; n],
            response: vec![false; n],
            desc: vec![false; n],
            at_end: vec![false; n],
        };
        for b in 0..kernel.blocks.len() {
            let is_branch = kernel.blocks[b].insts.last().is_some_and(|i| i.op.is_branch());
            let last = accesses.block(b).next_back().filter(|_| is_branch);
            for a in last.into_iter().flat_map(|i| accesses.of(i)) {
                needs.at_end[a.var as usize] |= a.kind.has(Kind::WRITE);
            }
        }
        for a in accesses.all() {
            let v = a.var as usize;
            needs.eot[v] |= a.kind.has(Kind::EOT);
            if a.kind.has(Kind::MESSAGE) {
                let list = if a.kind.has(Kind::WRITE) { &mut needs.response } else { &mut needs.desc };
                list[v] = true;
            }
        }
        needs
    }
}

/// The register file that a class lives in.
fn file_of(kernel: &Kernel<Virtual>, class: VarClass, rotate: bool) -> File {
    let caps = kernel.platform.caps();
    match class {
        VarClass::General => {
            File { regs: u32::from(kernel.grf_count), reg_bytes: u32::from(caps.grf_bytes), rotate }
        }
        VarClass::Flag => File { regs: 1, reg_bytes: u32::from(caps.flag_count) * 4, rotate: false },
        VarClass::Address => File { regs: 1, reg_bytes: u32::from(caps.addr_subregs) * 2, rotate: false },
    }
}

fn place_class(
    kernel: &Kernel<Virtual>,
    class: VarClass,
    live: &Liveness,
    needs: &Needs,
    set_aside: u32,
    rotate: bool,
) -> Result<Placement, Error> {
    let file = file_of(kernel, class, rotate);
    let size = file.regs * file.reg_bytes;
    let mut items = Vec::new();
    for (v, var) in kernel.vars.iter().enumerate() {
        if var.class != class || live.of(v).is_empty() {
            continue;
        }
        let id = VarId(v as u32);
        let bad = |fault: String| Error::BadVariable { var: id, fault };
        if var.bytes == 0 || var.bytes > size {
            return Err(bad(format!("{} bytes, the register file has {size}", var.bytes)));
        }
        if var.align > 4096 || !var.align.max(1).is_power_of_two() {
            return Err(bad(format!("alignment {} is not a power of two up to 4096", var.align)));
        }
        // Naturally aligned up to a register: then no operand crosses more registers than it must.
        let natural = var.bytes.next_power_of_two().min(file.reg_bytes);
        let mut align = var.align.max(natural).max(1);
        if var.even_grf {
            align = align.max(2 * file.reg_bytes);
        }
        let fixed = var.fixed;
        let (mut low, mut high) = (0, size);
        if class == VarClass::General {
            // r0 stays what it is: messages to scratch memory need it.
            low = (1 + set_aside) * file.reg_bytes;
            if needs.eot[v] {
                low = low.max((file.regs.min(128) - 16) * file.reg_bytes);
            }
            if needs.response[v] && !kernel.platform.caps().send_to_r127 {
                high = high.min(127 * file.reg_bytes);
            }
        } else if class == VarClass::Address && needs.desc[v] {
            high = high.min(var.bytes.next_power_of_two());
        }
        if let Some(at) = fixed
            && at.checked_add(var.bytes).is_none_or(|end| end > size)
        {
            return Err(bad(format!("fixed at byte {at}, outside the register file")));
        }
        let stays = var.no_spill
            || var.address_taken
            || var.live_out
            || (fixed.is_some() && !(var.live_in && class == VarClass::General))
            || needs.eot[v]
            || needs.at_end[v];
        let length: u32 = live.of(v).iter().map(|r| r.end - r.start).sum();
        let cost = if stays { f32::INFINITY } else { live.weight[v] / length.max(1) as f32 };
        items.push(Item { var: id, bytes: var.bytes, align, fixed, low, high, cost });
    }
    Ok(place(file, &items, live, kernel.vars.len()))
}

#[cfg(test)]
mod tests;
