//! Registers that an instruction touches.

use super::{
    board::{by_word, message},
    state::Ranges,
};
use crate::{
    alu::dpas,
    file,
    program::{DestPlace, Extra, Operand, Program, Step},
    thread::{Thread, Trap},
};
use gen_ir::Op;

/// Channels that run.
pub(super) fn enabled(t: &Thread, step: &Step) -> u32 {
    let on = t.enabled(step);
    match &step.pred {
        Some(p) if step.op != Op::Sel || step.cond.is_some() => on & t.predicate(p, step),
        _ => on,
    }
}

/// Registers read and written for the channels in `on`, as far as the thread has them.
pub(super) fn footprint(
    t: &Thread,
    program: &Program,
    step: &Step,
    on: u32,
) -> Result<(Ranges, Ranges), Trap> {
    let (mut reads, mut writes) = whole_footprint(t, program, step, on)?;
    for (at, len) in reads.iter_mut().chain(&mut writes) {
        *at = (*at).min(t.grf_end);
        *len = (*len).min(t.grf_end - *at);
    }
    Ok((reads, writes))
}

fn whole_footprint(t: &Thread, program: &Program, step: &Step, on: u32) -> Result<(Ranges, Ranges), Trap> {
    let (mut reads, mut writes) = (Ranges::new(), Ranges::new());
    let grf = program.grf;
    if on == 0 {
        return Ok((reads, writes));
    }
    if let Some(m) = message(program, step) {
        let desc = m.desc.value(t);
        let len0: u32 = if m.src0_len != 0 { m.src0_len } else { desc.message_length().registers() }.into();
        let back: u32 = if m.dst_len != 0 { m.dst_len } else { desc.response_length().registers() }.into();
        for (reg, len) in [(m.src0, len0), (m.src1, m.src1_len.into())] {
            if let Some(r) = reg {
                reads.push((r * grf, len * grf));
            }
        }
        if let Some(r) = m.dst {
            writes.push((r * grf, back * grf));
        }
        return Ok((reads, writes));
    }
    // Two dwords hold return address and mask, however wide the call is.
    let n = usize::from(step.lanes).min(if step.op == Op::Ret { 2 } else { 32 });
    if let (Op::Call | Op::Calla, DestPlace::Direct(at)) = (step.op, step.dst.what) {
        writes.push((at, 8));
    }
    if matches!(step.extra, Extra::Dpas { .. }) {
        let at = |i: usize| match step.src[i].what {
            Operand::Direct { at, .. } if at < file::GRF_END => Some(at),
            _ => None,
        };
        let Some(array) = dpas::array(step, at(0).is_some()) else { return Ok((reads, writes)) };
        let [weights, rows, sum, result] = array.extents();
        for (i, size) in [sum, weights, rows].into_iter().enumerate() {
            if let Some(at) = at(i) {
                reads.push((at, size));
            }
        }
        if let DestPlace::Direct(at) = step.dst.what {
            writes.push((at, result));
        }
        return Ok((reads, writes));
    }
    for s in &step.src {
        let bytes = s.ty.bytes();
        match s.what {
            Operand::Direct { at, .. } if at >= file::GRF_END => {}
            _ => {
                let Some(places) = t.lane_offsets(s, n, on)? else { continue };
                add_lanes(&mut reads, |i| places[i], n, on, bytes);
            }
        }
    }
    if writes.is_empty() {
        let places = t.dest_lanes(&step.dst, n, on)?;
        if places.of(0).is_some_and(|first| first < file::GRF_END) {
            add_lanes(&mut writes, |i| places.of(i).unwrap_or_default(), n, on, step.dst.ty.bytes());
        }
    }
    Ok((reads, writes))
}

/// Lanes as ranges, neighbours joined.
fn add_lanes(out: &mut Ranges, place: impl Fn(usize) -> u32, n: usize, on: u32, bytes: u32) {
    let start = out.len();
    for place in (0..n).filter(|i| on >> i & 1 != 0).map(place) {
        match out[start..].last_mut() {
            Some((at, len)) if *at + *len == place => *len += bytes,
            Some((at, len)) if *at <= place && place + bytes <= *at + *len => {}
            _ => out.push((place, bytes)),
        }
    }
}

/// Registers that an instruction touches, as far as the thread has them, and those that are written beside them.
pub(super) fn touched(t: &Thread, program: &Program, step: &Step, on: u32) -> Result<(Ranges, Ranges), Trap> {
    let (mut reads, mut writes) = footprint(t, program, step, on)?;
    // What reaches past the last register is another check's to report.
    let end = program.grf * program.grf_count;
    for (at, len) in reads.iter_mut().chain(&mut writes) {
        *len = (*len).min(end.saturating_sub(*at));
    }
    if by_word(program, step) {
        for (at, len) in &mut writes {
            let past = (*at + *len).next_multiple_of(2);
            *at &= !1;
            *len = past - *at;
        }
    }
    Ok((reads, writes))
}
