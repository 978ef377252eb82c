//! What the scan has to know of a variable: where it may lie, what it costs to spill it.

use crate::{
    Error,
    analysis::{
        Analysis,
        facts::{Fact, Needs},
    },
    place::{File, InPlace, Interval, Strategy},
    spill::{costs, plan::Serves, remat::Remat},
};
use gen_ir::{FileByte, Kernel, Var, VarClass, VarId, Virtual};
use narrow::to_f32;
use typed_index_collections::TiSlice;

/// What may be spilled, and where that is to make room.
#[derive(Clone, Copy, Default)]
pub(crate) struct Aims {
    /// What is accessed through addresses may be spilled.
    pub spill_addressed: bool,
    /// Room counts where too much is alive.
    pub at_pressure: bool,
    /// What can be computed again, and is alive where too much is, has registers where all others leave some.
    pub remat_last: bool,
    /// What a temporary of what is spilled is for.
    pub serves: Serves,
    /// What may be in the place of what it is made of.
    pub in_place: InPlace,
    /// What is declared to begin a register has one to itself.
    pub own_grf: bool,
}

/// The alignment of a variable's place in a file.
pub(crate) fn aligned(id: VarId, var: &Var, file: File) -> Result<u32, Error> {
    let size = file.regs * file.reg_bytes();
    if var.bytes == 0 || var.bytes > size {
        return Err(bad_variable(id, format!("{} bytes, the register file has {size}", var.bytes)));
    }
    if var.align > 4096 || !var.align.max(1).is_power_of_two() {
        return Err(bad_variable(id, format!("alignment {} is not a power of two up to 4096", var.align)));
    }
    // Naturally aligned up to a register, for flags and addresses, of which a register is no more than their least part,
    // up to the file: then no operand crosses more registers than it must.
    let most = if var.class == VarClass::General { file.reg_bytes() } else { size };
    let natural = var.bytes.next_power_of_two().min(most);
    // What computes with addresses may count on what is declared.
    let own = if var.own_grf && (file.own_grf || var.address_taken) { file.reg_bytes() } else { 1 };
    let align = var.align.max(natural).max(own);
    Ok(if var.even_grf { align.max(2 * file.reg_bytes()) } else { align })
}

fn bad_variable(var: VarId, fault: String) -> Error {
    Error::BadVariable { var, fault }
}

/// The bytes of the file that a variable may lie in.
fn bounds(kernel: &Kernel<Virtual>, var: &Var, fact: &Fact, file: File) -> (u32, u32) {
    let (mut low, mut high) = (0, file.regs * file.reg_bytes());
    if var.class == VarClass::General {
        // r0 stays what it is: messages to scratch memory need it.
        low = file.reg_bytes();
        if fact.needs.has(Needs::EOT) {
            low = low.max(file.regs.saturating_sub(16) * file.reg_bytes());
        } else if var.fixed.is_none() {
            high = high.saturating_sub(u32::from(kernel.reserved) * file.reg_bytes());
        }
        if fact.needs.has(Needs::RESPONSE) && !kernel.platform.caps().sends.to_r127 {
            high = high.min(127 * file.reg_bytes());
        }
    } else if var.class == VarClass::Address && fact.needs.has(Needs::DESC) {
        high = high.min(var.bytes.next_power_of_two());
    }
    (low, high)
}

/// Whether a variable cannot be spilled.
fn stays(var: &Var, fact: &Fact, aims: Aims) -> bool {
    // Nobody else may have r0, and the prologue reads it before anything can be saved.
    let header = var.class == VarClass::General && var.fixed == Some(FileByte::START);
    var.no_spill
        || header
        || var.address_taken && !aims.spill_addressed
        || var.live_out
        || (var.fixed.is_some() && !(var.live_in && var.class == VarClass::General))
        || fact.needs.has(Needs::EOT)
        || fact.needs.has(Needs::AT_END)
}

/// What the scan has to know of a variable; `by_lane`: whether waiting lanes are to be told from others;
/// `aims`: what may be spilled, and for what; `losses`: what that costs beside messages.
pub(super) fn interval(
    kernel: &Kernel<Virtual>,
    id: VarId,
    known: &Analysis,
    (file, by_lane, aims, losses): (File, bool, Aims, &TiSlice<VarId, f32>),
    remat: &Remat,
) -> Result<Interval, Error> {
    let (var, ranges) = (&kernel.vars[id.index()], known.live.of(id));
    let fact = &known.accesses.facts[id];
    let size = file.regs * file.reg_bytes();
    let align = aligned(id, var, file)?;
    // Of what has several registers each is the same lanes'.
    let even = var.bytes < file.reg_bytes() || var.bytes.is_multiple_of(file.reg_bytes());
    let lanes = if by_lane && even { fact.lane_layout(kernel) } else { None };
    let fixed = var.fixed;
    let (low, high) = bounds(kernel, var, fact, file);
    if let Some(at) = fixed
        && at.bytes() + var.bytes > size
    {
        return Err(bad_variable(id, format!("fixed at byte {at}, outside the register file")));
    }
    let is_payload = fact.needs.has(Needs::PAYLOAD);
    let interval = Interval {
        var: id,
        bytes: var.bytes,
        align,
        fixed,
        low,
        high,
        cost: f32::INFINITY,
        lanes,
        is_payload,
        is_vector: var.own_grf,
        is_last: false,
    };
    // With other strategies nothing makes room for another.
    if stays(var, fact, aims) || file.strategy != Strategy::Packed {
        return Ok(interval);
    }
    let length: u32 = ranges.iter().map(|r| r.len()).sum();
    // Each access through an address moves all of it.
    let moved = if var.address_taken { 1 + var.bytes / 256 } else { 1 };
    let messages = match var.class {
        VarClass::General => known.costs.of(id, &known.accesses, remat),
        _ => fact.weight,
    };
    let messages = messages + losses.get(id).copied().unwrap_or(0.0);
    let regs = var.bytes.div_ceil(file.reg_bytes());
    let room =
        if aims.at_pressure { known.costs.room(ranges, length, regs) } else { costs::room(length, regs) };
    let is_last = aims.remat_last && remat.has(id) && known.costs.is_pressed(ranges);
    Ok(Interval { cost: messages * to_f32(moved) / room, is_last, ..interval })
}
