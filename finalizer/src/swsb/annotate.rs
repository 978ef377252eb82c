//! From what an instruction must wait for to its annotation, with `sync` instructions for what does not
//! fit.

use super::{
    access::{InstAccess, PIPES, Unit, integer_pipe, null_source},
    state::{Before, Late, Wait},
};
use gen_ir::{
    Dst, ExecSize, GrfNum, Inst, Op, Payload, Physical, Pipe, Reg, SbidMode, Src, Swsb, SwsbKind, SyncFn,
    Type,
};
use narrow::{to_u8, to_u16};
use platforms::Caps;

use crate::build::{self, Lanes};

/// What is known where an instruction stands.
#[derive(Clone, Copy)]
pub(super) struct WaitContext<'a> {
    pub before: &'a Before,
    /// What messages may be reading late of that.
    pub late: Option<&'a Late>,
    pub caps: &'a Caps,
}

/// Pushes `inst` with its annotation to `out`, after the `sync` instructions it needs.
pub(super) fn annotate(
    inst: &Inst<Physical>,
    access: &InstAccess,
    wait: &Wait,
    token: Option<u8>,
    WaitContext { before, late, caps }: WaitContext<'_>,
    out: &mut Vec<Inst<Physical>>,
) {
    let mut rest = *wait;
    // What nothing stands for needs no wait; unknown code may have left everything.
    rest.dst &= before.live;
    rest.src &= before.live & !rest.dst;
    // Taking an SBID waits for whoever has it.
    let taken = token.map_or(0, |id| 1 << id);
    rest.dst &= !taken;
    rest.src &= !taken;
    if let (Some(late), true) = (late, rest.src != 0) {
        read_late_payloads(inst, &mut rest, (before, late), caps, out);
    }
    let dist = distance(&rest, caps);
    let mut swsb = Swsb { dist, sbid: token.map(|id| (SbidMode::Set, id)), no_acc_sb_set: false };

    // What holds up all that follows must come first, before a `sync` for an SBID.
    let fits = || {
        let (mut swsb, mut left) = (swsb, rest);
        if access.unit != Unit::Token {
            take_sbid(inst, &mut swsb, &mut left, caps, before);
        }
        left.dst | left.src == 0
    };
    if before.held && dist.is_some() && !fits() {
        out.push(sync(inst, SyncFn::Nop, null_source(), Swsb { dist, ..Swsb::NONE }));
        swsb.dist = None;
    }
    if access.unit == Unit::Token {
        let fits = match swsb.dist {
            Some(dist) if token.is_some() => beside(inst, SbidMode::Set, dist, before, caps),
            other => other,
        };
        if fits.is_none()
            && let Some(dist) = swsb.dist
        {
            out.push(sync(inst, SyncFn::Nop, null_source(), Swsb { dist: Some(dist), ..Swsb::NONE }));
        }
        swsb.dist = fits;
    } else {
        take_sbid(inst, &mut swsb, &mut rest, caps, before);
    }
    syncs(inst, &rest, out);
    out.push(Inst { swsb, ..*inst });
}

/// Waits until the sources of messages count as read, then for reads of the registers that they may still be reading: those come
/// behind (Intel's finalizer, `insertPVCWA`).
fn read_late_payloads(
    inst: &Inst<Physical>,
    rest: &mut Wait,
    (before, late): (&Before, &Late),
    caps: &Caps,
    out: &mut Vec<Inst<Physical>>,
) {
    if before.held {
        let dist = distance(rest, caps);
        out.push(sync(inst, SyncFn::Nop, null_source(), Swsb { dist, ..Swsb::NONE }));
        (rest.dist, rest.all) = ([0; PIPES.len()], false);
    }
    syncs(inst, &Wait { dst: late.dst, ..Wait::default() }, out);
    let mut read = |src, swsb| {
        let mov = build::mov(Lanes::SCALAR, Dst::null(Type::Ud), src);
        out.push(Inst { swsb, origin: inst.origin, ..mov });
    };
    while rest.src != 0 {
        let id = to_u8(rest.src.trailing_zeros());
        read(Src::ud(0), Swsb { sbid: Some((SbidMode::Src, id)), ..Swsb::NONE });
        rest.src &= rest.src - 1;
    }
    let mut dist = late.in_order.then_some((Pipe::All, 1));
    for reg in late.registers.iter() {
        let swsb = Swsb { dist: dist.take(), ..Swsb::NONE };
        read(Src::scalar(Reg::grf(GrfNum::new(to_u16(reg)), 0), Type::Ud), swsb);
    }
    rest.dist[usize::from(integer_pipe(caps))] = 1;
}

/// The distance that the annotation says.
fn distance(wait: &Wait, caps: &Caps) -> Option<(Pipe, u8)> {
    if caps.scoreboard.pipes.have_names() { several(wait) } else { single(wait) }
}

/// The distance in the only pipe.
fn single(wait: &Wait) -> Option<(Pipe, u8)> {
    let dist = if wait.all { 1 } else { wait.dist[0] };
    (dist != 0).then_some((Pipe::Own, dist))
}

/// The distance in one pipe, or in all of them where more than one counts.
fn several(wait: &Wait) -> Option<(Pipe, u8)> {
    if wait.all {
        return Some((Pipe::All, 1));
    }
    let mut found = None;
    for (pipe, &d) in PIPES.iter().zip(&wait.dist) {
        if d != 0 {
            found = match found {
                None => Some((*pipe, d)),
                Some((_, least)) => Some((Pipe::All, d.min(least))),
            };
        }
    }
    found
}

/// Whether waiting for all pipes costs no more than waiting for one.
fn all_is_free(pipe: Pipe, dist: u8, before: &Before) -> bool {
    match PIPES.iter().position(|p| *p == pipe) {
        Some(p) => !before.others_pending(to_u8(p), dist),
        None => true,
    }
}

/// The distance as it can stand beside an SBID of that meaning, if it can: in its pipe, or in all of them where that costs
/// no more.
fn beside(
    inst: &Inst<Physical>,
    mode: SbidMode,
    (pipe, dist): (Pipe, u8),
    before: &Before,
    caps: &Caps,
) -> Option<(Pipe, u8)> {
    let kind = SwsbKind::of(inst.op);
    let can = |pipe| kind.has_pair(pipe, mode, caps.scoreboard.pipes);
    if can(pipe) {
        return Some((pipe, dist));
    }
    (can(Pipe::All) && all_is_free(pipe, dist, before)).then_some((Pipe::All, dist))
}

/// Puts one SBID to wait for into an in-order instruction's annotation, if it goes with the distance.
fn take_sbid(inst: &Inst<Physical>, swsb: &mut Swsb, rest: &mut Wait, caps: &Caps, before: &Before) {
    let lowest = |ids: u32| to_u8(ids.trailing_zeros());
    let beside_dst = match swsb.dist {
        None => Some(None),
        Some(dist) => beside(inst, SbidMode::Dst, dist, before, caps).map(Some),
    };
    if rest.dst != 0 {
        if let Some(dist) = beside_dst {
            let id = lowest(rest.dst);
            swsb.dist = dist;
            swsb.sbid = Some((SbidMode::Dst, id));
            rest.dst &= !(1 << id);
        }
    } else if rest.src != 0 && swsb.dist.is_none() {
        let id = lowest(rest.src);
        swsb.sbid = Some((SbidMode::Src, id));
        rest.src &= !(1 << id);
    }
}

/// `sync` instructions for SBIDs: one by one, or by mask from two on.
fn syncs(inst: &Inst<Physical>, rest: &Wait, out: &mut Vec<Inst<Physical>>) {
    for (ids, mode, masked) in
        [(rest.dst, SbidMode::Dst, SyncFn::AllWr), (rest.src, SbidMode::Src, SyncFn::AllRd)]
    {
        match ids.count_ones() {
            0 => {}
            1 => {
                let swsb = Swsb { sbid: Some((mode, to_u8(ids.trailing_zeros()))), ..Swsb::NONE };
                out.push(sync(inst, SyncFn::Nop, null_source(), swsb));
            }
            _ => out.push(sync(inst, masked, Src::ud(ids), Swsb::NONE)),
        }
    }
}

fn sync(before: &Inst<Physical>, function: SyncFn, src: Src<Physical>, swsb: Swsb) -> Inst<Physical> {
    let mut inst = Inst::new(Op::Sync, ExecSize::S1);
    inst.payload = Payload::Sync(function);
    inst.src[0] = src;
    inst.swsb = swsb;
    inst.origin = before.origin;
    inst
}
