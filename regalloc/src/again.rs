//! Values that are computed again where they are read, instead of being kept in memory.
//!
//! A spilled variable that one simple instruction writes needs no message where that can be done again: its sources
//! are immediates, or variables that have a register there anyway and hold what they held.
//!
//! **Why it is the same value.** The instruction `D` alone writes the variable, and each source has one write `S` at
//! most. Either `S` never runs again (it is in no loop, or comes with the thread), or it stands before `D` in `D`'s
//! block: then `D` follows whenever `S` has run, and between the two nothing is computed again. In the second case
//! lanes that stay behind keep the variable, so they must keep the source: `S` writes under the mask, and `D` reads
//! each lane's own. A block runs under one mask, so what `D` does under it is done for all that read; reads of
//! what other lanes own ask for memory, unless `D` ignores the mask.
//!
//! A source is taken where lanes that run need it for themselves: not where waiting lanes hold it, whose bytes may
//! be all that is left of it.

use crate::{
    access::{Access, Kind},
    flow::Flow,
    liveness::Liveness,
    plan::Known,
};
use gen_ir::{Arf, Base, Inst, Op, Options, Payload, Reg, Src, VarClass, Virtual};

/// What else has to be known of a kernel.
#[derive(Clone, Copy)]
pub(crate) struct Lanes<'a> {
    pub flow: &'a Flow,
    /// Where lanes that run need variables; known where lanes part.
    pub own: &'a Liveness,
}

/// The writes of a variable.
#[derive(Clone, Copy)]
enum Writes {
    None,
    /// It comes with the thread, and stays.
    Input,
    /// One, by an instruction of a block.
    One {
        inst: u32,
        block: u32,
    },
    Many,
}

/// Memory of the search.
#[derive(Default)]
pub(crate) struct Again {
    /// By variable.
    writes: Vec<Writes>,
    /// From which instruction on floating point computes as it does there; none if that changes later.
    settled: Option<u32>,
    /// Variables that have to keep their registers because something is computed from them again.
    sources: Vec<bool>,
}

impl Again {
    /// Looks at a kernel; forgets the one before.
    pub fn find(&mut self, known: Known<'_>) {
        let Known { kernel, accesses, .. } = known;
        self.writes.clear();
        self.writes.extend(kernel.vars.iter().map(|var| match (var.address_taken, var.live_in) {
            (true, _) => Writes::Many,
            (_, true) => Writes::Input,
            _ => Writes::None,
        }));
        self.sources.clear();
        self.sources.resize(kernel.vars.len(), false);
        self.settled = Some(0);
        for (b, block) in kernel.blocks.iter().enumerate() {
            for (i, inst) in accesses.block(b).zip(&block.insts) {
                for a in accesses.of(i).iter().filter(|a| a.kind.has(Kind::WRITE)) {
                    let writes = &mut self.writes[a.var as usize];
                    *writes = match *writes {
                        Writes::None => Writes::One { inst: i as u32, block: b as u32 },
                        Writes::One { inst, .. } if inst == i as u32 => *writes,
                        _ => Writes::Many,
                    };
                }
                if inst.dst.reg().is_some_and(|r| matches!(r.base(), Base::Arf(Arf::Control(_)))) {
                    self.settled = if b == 0 { Some(i as u32 + 1) } else { None };
                }
            }
            if self.settled.is_none() {
                break;
            }
        }
    }

    /// Whether variable `v` must keep its registers.
    pub fn is_source(&self, v: u32) -> bool {
        self.sources.get(v as usize).is_some_and(|&s| s)
    }

    /// Says that the sources of an instruction must keep theirs.
    pub fn hold_sources(&mut self, inst: &Inst<Virtual>) {
        for v in inst.src.iter().filter_map(variable) {
            self.sources[v as usize] = true;
        }
    }

    /// The instruction that can be done again for any read of variable `v`, as far as that does not depend on where
    /// the read is.
    pub fn def(&self, v: u32, known: Known<'_>, lanes: Lanes<'_>) -> Option<(u32, Inst<Virtual>)> {
        let (d, block) = self.one(v)?;
        let inst = *inst_at(known, d, block);
        let simple = matches!(
            inst.op,
            Op::Mov | Op::Not | Op::And | Op::Or | Op::Xor | Op::Shl | Op::Shr | Op::Asr | Op::Add | Op::Mul
        );
        let plain = inst.pred.is_none()
            && inst.cond.is_none()
            && inst.opts == Options::NONE
            && matches!(inst.payload, Payload::None)
            && inst.dst.reg().and_then(Reg::var).map(|v| v.0) == Some(v);
        let of_bits = |s: &Src<Virtual>| s.ty().is_none_or(|ty| ty.is_int());
        let int = inst.dst.ty().is_some_and(|ty| ty.is_int()) && inst.src.iter().all(of_bits);
        let same_mode = int || self.settled.is_some_and(|at| at <= d);
        let fact = &known.accesses.facts[v as usize];
        let general = fact.class == VarClass::General;
        let own_bytes = inst.no_mask || !fact.is_shared();
        let sources = || inst.src.iter().filter(|s| !matches!(s, Src::None | Src::Imm { .. }));
        let kept =
            |s: &Src<Virtual>| variable(s).is_some_and(|s| s != v && self.keeps(s, (d, block), known, lanes));
        let fine = simple && plain && same_mode && general && own_bytes && sources().all(kept);
        fine.then_some((d, inst))
    }

    fn one(&self, v: u32) -> Option<(u32, u32)> {
        match self.writes[v as usize] {
            Writes::One { inst, block } => Some((inst, block)),
            _ => None,
        }
    }

    /// Whether source `s` of instruction `d` holds what that found as long as what it wrote is there.
    fn keeps(&self, s: u32, (d, block): (u32, u32), known: Known<'_>, lanes: Lanes<'_>) -> bool {
        let Known { kernel, accesses, .. } = known;
        let Lanes { flow, .. } = lanes;
        if kernel.vars[s as usize].class != VarClass::General || !flow.calls.is_empty() {
            return false;
        }
        let Some((inst, home)) = self.one(s) else { return matches!(self.writes[s as usize], Writes::Input) };
        let of = |i: u32, kind: Kind| {
            accesses.of(i as usize).iter().filter(move |a| a.var == s && a.kind.has(kind))
        };
        if !of(inst, Kind::WRITE).all(|a| a.kind.has(Kind::SURE)) {
            return false;
        }
        if flow.reached[home as usize] > home {
            return true;
        }
        let own = |a: &Access| a.kind.has(Kind::MASKED) && !a.kind.has(Kind::CROSS);
        let masked = !inst_at(known, d, block).no_mask;
        let stays_behind = flow.any_divergence && masked;
        let each_its_own = of(inst, Kind::WRITE).all(own) && of(d, Kind::READ).all(own);
        home == block && inst < d && (!stays_behind || each_its_own)
    }

    /// Whether instruction `d` of a variable can be done again right before instruction `i` of a block that starts
    /// at position `top`, with the sources as they are there. `spilled` have no registers.
    pub fn can_at(
        &self,
        (d, inst): &(u32, Inst<Virtual>),
        (i, top): (u32, u32),
        (known, lanes): (Known<'_>, Lanes<'_>),
        spilled: &[bool],
    ) -> bool {
        let at = i * 2;
        let there =
            |live: &Liveness, s: u32| if at == top { live.at_start(s, at) } else { live.before(s, at) };
        inst.src.iter().filter_map(variable).all(|s| {
            let between = self.one(s).is_some_and(|(inst, _)| inst < i && i < *d);
            !spilled[s as usize]
                && !between
                && there(known.live, s)
                && (!lanes.flow.any_divergence || there(lanes.own, s))
        })
    }
}

fn inst_at<'a>(known: Known<'a>, i: u32, block: u32) -> &'a Inst<Virtual> {
    let first = known.accesses.block(block as usize).start;
    &known.kernel.blocks[block as usize].insts[i as usize - first]
}

/// The variable of a plain source.
fn variable(src: &Src<Virtual>) -> Option<u32> {
    match src {
        Src::Direct { reg, .. } => reg.var().map(|v| v.0),
        _ => None,
    }
}
