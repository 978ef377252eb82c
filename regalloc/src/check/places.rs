//! Which bytes of the register files accesses touch, and what is written over.

use super::*;
use narrow::ones_between;

impl Check<'_> {
    /// Where a variable starts in its file; what has no place is read at its start, as `apply` has it.
    pub(super) fn first_byte(&self, v: VarId) -> u32 {
        self.at[v].unwrap_or_default().bytes()
    }

    /// Registers of an access, as bytes of its file.
    pub(super) fn bytes(&self, a: &Access) -> (VarClass, u32, u32) {
        let var = &self.kernel.vars[a.var.index()];
        let at = self.first_byte(a.var);
        match var.class {
            VarClass::Flag => (var.class, at + a.start / 8, at + a.end.div_ceil(8)),
            class => (class, at + a.start, at + a.end),
        }
    }

    /// Whether a read and a write of different variables touch a common byte.
    pub(super) fn meet(&self, a: &Access, w: &Access) -> bool {
        let ((c, s, e), (d, t, f)) = (self.bytes(a), self.bytes(w));
        a.var != w.var && c == d && s < f && t < e
    }

    /// Whether a write has the bytes of a read, each channel its own; or else the instruction `copies` them as they are, to
    /// where they are.
    pub(super) fn in_place(&self, a: &Access, w: &Access, copies: bool) -> bool {
        self.bytes(a) == self.bytes(w) && (copies || a.may_be_written_in_place(w))
    }

    /// Calls back with the subranges of other variables that a write goes over.
    pub(super) fn lost_by(&self, w: &Access, mut f: impl FnMut(VarId, u64)) {
        let (class, start, end) = self.bytes(w);
        let file = &self.sharers[class.index()];
        for r in start / self.reg_bytes..end.div_ceil(self.reg_bytes) {
            for &v in file.get(as_index(r)).into_iter().flatten() {
                let var = &self.kernel.vars[v.index()];
                let at = self.first_byte(v);
                if v == w.var || at >= end || at + var.bytes <= start {
                    continue;
                }
                let unit = if class == VarClass::Flag { 8 } else { 1 };
                let first = start.saturating_sub(at) * unit;
                let last = (end.min(at + var.bytes) - at) * unit;
                let shift = subrange_shift(var);
                f(v, ones_between(first >> shift, last.div_ceil(1 << shift)));
            }
        }
    }

    /// How lanes' elements lie in a variable, if every lane writes and reads its own alone, and those are the same bytes of the
    /// register file for all variables with that layout.
    pub(super) fn lane_layout(&self, v: VarId) -> Option<LaneLayout> {
        let layout = self.accesses.facts[v].lane_layout(self.kernel)?;
        self.first_byte(v).is_multiple_of(layout.lane_bytes(self.kernel)).then_some(layout)
    }

    /// What each block writes over, calls included.
    pub(super) fn block_losses(&self, of: Lanes) -> Vec<Losses> {
        // By variable: a write meets all that ever share its registers, so a list of what it goes over,
        // write by write, would grow with the square of the kernel.
        let mut lost: TiVec<CrossingId, u64> = vec![0; self.crossing.len()].into();
        let mut met: Vec<CrossingId> = Vec::new();
        let mut out: Vec<Losses> = (0..self.kernel.blocks.len())
            .map(|b| {
                for i in self.accesses.block(b) {
                    for w in self.accesses.of(i).iter().filter(|a| a.kind.has(Kind::WRITE)) {
                        let layout = if of == Lanes::Waiting { self.lane_layout(w.var) } else { None };
                        self.lost_by(w, |v, subranges| {
                            if layout.is_some() && self.lane_layout(v) == layout {
                                return;
                            }
                            let place = self.place[v];
                            let Some(l) = lost.get_mut(place) else { return };
                            if *l == 0 {
                                met.push(place);
                            }
                            *l |= subranges;
                        });
                    }
                }
                met.sort_unstable();
                met.drain(..).map(|v| (v, std::mem::take(&mut lost[v]))).collect()
            })
            .collect();
        for _ in 0..=self.kernel.subroutines.len() {
            for call in self.flow.calls() {
                let callee = out[call.callee()].iter().flatten().copied();
                let site = call.site.index();
                let all: Vec<_> = out[site].iter().copied().chain(callee).collect();
                out[site] = merge(all.into_iter());
            }
        }
        out
    }
}
