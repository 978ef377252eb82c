//! Variables of which each channel touches its own element only.
//!
//! Where lanes part, the thread walks both sides of a branch. What one side writes to such a variable, the lanes of the other
//! side never read, so its instructions can move from one side of the branch to the other.

use gen_ir::{Dst, Inst, Kernel, Op, Reg, Role, Src, VarId, Virtual};

use crate::lists::refill;

/// For each variable, whether channels touch their own elements of it only, and which channels do.
#[derive(Debug, Default)]
pub(super) struct OwnChannels {
    /// Empty: not known.
    lanes: Vec<TouchedBy>,
}

/// Who touches a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum TouchedBy {
    /// Nobody.
    #[default]
    None,
    /// Channels, each its own element.
    Own(Own),
    /// Others.
    Any,
}

impl TouchedBy {
    fn and(self, own: Own) -> TouchedBy {
        match self {
            TouchedBy::None => TouchedBy::Own(own),
            TouchedBy::Own(before) => before.and(own).map_or(TouchedBy::Any, TouchedBy::Own),
            TouchedBy::Any => TouchedBy::Any,
        }
    }
}

/// Channels that touch their own elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Own {
    lanes: u32,
    chan: u8,
    /// Bytes from one channel's element to the next; none where a message says it.
    pitch: Option<u32>,
}

impl Own {
    /// Both, if an element is the same channel's for both.
    fn and(self, other: Own) -> Option<Own> {
        let alike = self.lanes == other.lanes
            && self.chan == other.chan
            && (self.pitch.is_none() || other.pitch.is_none() || self.pitch == other.pitch);
        alike.then_some(Own { pitch: self.pitch.or(other.pitch), ..self })
    }
}

/// The channels of an instruction that touch a register in this role, if each touches its own element under the mask.
fn touched(inst: &Inst<Virtual>, role: Role, reg: Reg<Virtual>) -> Option<Own> {
    let lanes = inst.exec.lanes();
    let own = |pitch| Own { lanes, chan: inst.chan, pitch };
    if inst.no_mask {
        return None;
    }
    match role {
        Role::Dst | Role::Src(_) if inst.send().is_some() => Some(own(None)),
        Role::Dst => match inst.dst {
            Dst::Direct { horz, ty, .. } => {
                let pitch = u32::from(horz).max(1) * ty.bytes();
                (reg.byte % (lanes * pitch) < pitch).then_some(own(Some(pitch)))
            }
            _ => Some(own(None)),
        },
        Role::Src(i) => match inst.src[usize::from(i)] {
            Src::Direct { region, ty, .. } if region.one_by_one(lanes) => {
                reg.byte.is_multiple_of(lanes * ty.bytes()).then_some(own(Some(ty.bytes())))
            }
            _ => None,
        },
        _ => None,
    }
}

impl OwnChannels {
    /// Nothing is known of the kernel at hand.
    pub fn forget(&mut self) {
        self.lanes.clear();
    }

    /// Whether [`find`](Self::find) was called since.
    pub fn are_known(&self) -> bool {
        !self.lanes.is_empty()
    }

    /// Finds out for the variables of a kernel that are of interest; of the others it knows nothing good.
    pub fn find(&mut self, kernel: &Kernel<Virtual>, matters: impl Fn(VarId) -> bool) {
        let lanes = &mut self.lanes;
        let vars = (0..).map(VarId).zip(&kernel.vars);
        refill(
            lanes,
            vars.map(|(v, var)| match var.live_out || var.fixed.is_some() || !matters(v) {
                true => TouchedBy::Any,
                false => TouchedBy::None,
            }),
        );
        for (_, inst) in kernel.insts() {
            inst.for_each_reg(|role, reg| {
                let Some(v) = reg.var() else { return };
                let known = &mut lanes[v.index()];
                if *known == TouchedBy::Any {
                    return;
                }
                *known = match touched(inst, role, reg) {
                    Some(own) => known.and(own),
                    None => TouchedBy::Any,
                };
            });
        }
    }

    /// Whether all variables of an instruction are touched by the channels of this instruction only, each its own element.
    pub fn is_own(&self, inst: &Inst<Virtual>) -> bool {
        let mut own = !inst.no_mask;
        inst.for_each_reg(|_, r| {
            let known = r.var().map(|v| self.lanes[v.index()]);
            own &= matches!(known, Some(TouchedBy::Own(o)) if o.lanes == inst.exec.lanes() && o.chan == inst.chan);
        });
        own
    }

    /// Whether each channel touches its own element of a variable only, whichever instruction it is.
    pub fn are_own(&self, v: VarId) -> bool {
        matches!(self.lanes[v.index()], TouchedBy::Own(..))
    }
}

/// Whether lanes of a thread part somewhere, or have parted where a function was called.
pub(super) fn lanes_part(kernel: &Kernel<Virtual>) -> bool {
    let parts = |last: &Inst<Virtual>| last.op == Op::Goto && last.exec.lanes() > 1;
    kernel.is_called() || kernel.blocks.iter().filter_map(|b| b.insts.last()).any(parts)
}
