//! Fills that are not needed: temporaries of one variable in a block become one where its registers are free between.
//!
//! A variable goes to memory everywhere although only some stretch of code is crowded. Where it is not, what one
//! temporary holds can stay until the next one wants it: then that need not be read again, and what it has just
//! saved need not be, if it is changed and saved once more. Short ways come first, for those take least room.
//!
//! The places of all else are known (`fit`), and none is moved.

use crate::{
    access::{Access, Accesses, Kind},
    liveness::Range,
    matrix::{RegMatrix, between},
    plan::{Fill, Plan, Temp, chunks},
};

/// How far apart temporaries may be, in positions.
const REACH: u32 = 4096;
/// How many temporaries of a variable are looked at before one.
const BACK: usize = 8;

/// Memory of the search.
#[derive(Default)]
pub(crate) struct Scratch {
    /// Temporaries by variable and place.
    sorted: Vec<u32>,
    /// What is known of each temporary.
    about: Vec<About>,
    pairs: Vec<Pair>,
    /// Uses that save a temporary that nothing has read from memory since.
    saves: Vec<usize>,
}

/// What uses say of a temporary.
#[derive(Clone, Copy)]
struct About {
    /// The block of its uses.
    block: u32,
    /// What happens before the first use.
    fill: Fill,
    /// It is written somewhere.
    written: bool,
    /// It has been joined to this one.
    joined: u32,
}

/// A temporary that holds what a later one reads again.
#[derive(Clone, Copy)]
struct Pair {
    /// Positions between, times registers, by each message.
    cost: u32,
    first: u32,
    second: u32,
}

/// No temporary, and no block.
const NONE: u32 = u32::MAX;

/// Joins temporaries that all have places in `at`, which begins with the temporaries'; registers in use are in
/// `matrix`, `grf` bytes each.
pub(crate) fn join<const W: usize>(
    plan: &mut Plan,
    accesses: &Accesses,
    (matrix, at): (&mut RegMatrix<W>, &mut [u32]),
    grf: u32,
    s: &mut Scratch,
) {
    describe(plan, accesses, s);
    find_pairs(&plan.temps, grf, s);
    let mut any = false;
    for i in 0..s.pairs.len() {
        let Pair { first, second, .. } = s.pairs[i];
        let first = root(&s.about, first);
        let (a, b) = (plan.temps[first as usize], plan.temps[second as usize]);
        // All of a temporary is saved: what others have written there would be lost.
        let same = (a.first, a.end) == (b.first, b.end) && a.front >= b.front;
        if s.about[second as usize].written && !same {
            continue;
        }
        let regs = |t: &Temp, byte: u32| {
            let r = byte / grf;
            between::<W>(r, r + t.bytes(grf).div_ceil(grf))
        };
        let (of_a, of_b) = (regs(&a, at[first as usize]), regs(&b, at[second as usize]));
        matrix.reset(of_b, &[b.range]);
        // From where the first is needed no more to the end of the second, in the registers of the first.
        let more = Range { start: a.range.end.min(b.range.end), end: b.range.end };
        let taken = matrix.within(&[more]);
        if taken.iter().zip(of_a).any(|(t, a)| t & a != 0) {
            matrix.set(of_b, &[b.range]);
            continue;
        }
        matrix.set(of_a, &[more]);
        plan.temps[first as usize].range.end = b.range.end;
        at[second as usize] = at[first as usize];
        s.about[second as usize].joined = first;
        any = true;
    }
    if any {
        rename(plan, s);
    }
}

/// Finds where temporaries are, and what is done with them.
fn describe(plan: &Plan, accesses: &Accesses, s: &mut Scratch) {
    let unknown = About { block: NONE, fill: Fill::None, written: false, joined: NONE };
    s.about.clear();
    s.about.resize(plan.temps.len(), unknown);
    let mut block = 0;
    for u in &plan.uses {
        while accesses.block(block).end <= u.inst as usize {
            block += 1;
        }
        if u.fill == Fill::Gone {
            continue;
        }
        let about = &mut s.about[u.temp as usize];
        if about.block == NONE {
            (about.block, about.fill) = (block as u32, u.fill);
        }
        let written = |a: &Access| a.var == u.var && a.kind.has(Kind::WRITE);
        about.written |= accesses.of(u.inst as usize).iter().any(written);
    }
    s.sorted.clear();
    s.sorted.extend((0..plan.temps.len() as u32).filter(|&t| s.about[t as usize].block != NONE));
    s.sorted.sort_unstable_by_key(|&t| {
        let temp = &plan.temps[t as usize];
        (temp.var, temp.range.end, temp.range.start, t)
    });
}

/// Finds for each temporary that is filled the one before that has the same bytes, if there is one.
fn find_pairs(temps: &[Temp], grf: u32, s: &mut Scratch) {
    let Scratch { sorted, about, pairs, .. } = s;
    pairs.clear();
    for (n, &second) in sorted.iter().enumerate() {
        let (to, about_to) = (&temps[second as usize], about[second as usize]);
        if about_to.fill == Fill::None || to.window {
            continue;
        }
        for &first in sorted[..n].iter().rev().take(BACK) {
            let (from, about_from) = (&temps[first as usize], about[first as usize]);
            if from.var != to.var || about_from.block != about_to.block || from.window {
                break;
            }
            if to.first >= from.end || from.first >= to.end {
                continue;
            }
            let same = (from.first, from.end) == (to.first, to.end) && from.front >= to.front;
            let covers = same || !about_to.written && from.first <= to.first && to.end <= from.end;
            if covers && from.range.end <= to.range.start && to.range.start - from.range.end <= REACH {
                let regs = from.bytes(grf).div_ceil(grf);
                let messages = chunks(to.end - to.first, grf).count() as u32;
                let cost = (to.range.end - from.range.end) * regs / messages;
                pairs.push(Pair { cost, first, second });
                break;
            }
            if about_from.written || covers {
                break;
            }
        }
    }
    pairs.sort_unstable_by_key(|p| (p.cost, p.first, p.second));
}

/// What a temporary has become.
fn root(about: &[About], mut t: u32) -> u32 {
    while about[t as usize].joined != NONE {
        t = about[t as usize].joined;
    }
    t
}

/// Has uses work on what their temporaries have become. What one of those saves is not saved before, unless it is read
/// from memory between.
fn rename(plan: &mut Plan, s: &mut Scratch) {
    let Scratch { about, saves, .. } = s;
    let Plan { uses, temps, .. } = plan;
    saves.clear();
    let mut block = NONE;
    for i in 0..uses.len() {
        let u = &mut uses[i];
        if u.fill == Fill::Gone {
            continue;
        }
        let to = root(about, u.temp);
        if to != u.temp {
            (u.temp, u.fill) = (to, Fill::None);
        }
        if about[to as usize].block != block {
            block = about[to as usize].block;
            saves.clear();
        }
        let (fill, saved, temp) = (u.fill, u.saved, &temps[to as usize]);
        if fill == Fill::Read {
            let reads =
                |other: &Temp| other.var == temp.var && other.first < temp.end && temp.first < other.end;
            saves.retain(|&j| !reads(&temps[uses[j].temp as usize]));
        }
        if saved {
            if let Some(n) = saves.iter().position(|&j| uses[j].temp == to) {
                uses[saves[n]].saved = false;
                saves.swap_remove(n);
            }
            saves.push(i);
        }
    }
}
