//! Variables of which each channel touches its own element only.
//!
//! Where lanes part, the thread walks both sides of a branch. What one side writes to such a variable, the lanes of the other
//! side never read, so its instructions can move from one side of the branch to the other.

use gen_ir::{Inst, Kernel, Role, Src, VarId, Virtual};

use crate::lists::reset;

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
    /// So many channels from one on, each its own element.
    Own(u32, u8),
    /// Others.
    Any,
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

    /// Finds out for all variables of a kernel.
    pub fn find(&mut self, kernel: &Kernel<Virtual>) {
        let lanes = &mut self.lanes;
        reset(lanes, kernel.vars.len(), TouchedBy::None);
        for (v, var) in kernel.vars.iter().enumerate() {
            if var.live_out || var.fixed.is_some() {
                lanes[v] = TouchedBy::Any;
            }
        }
        for (_, inst) in kernel.insts() {
            inst.for_each_reg(|role, reg| {
                let Some(v) = reg.var() else { return };
                let own = TouchedBy::Own(inst.exec.lanes(), inst.chan);
                let by_channel = !inst.no_mask
                    && match role {
                        Role::Dst => true,
                        Role::Src(i) => match inst.src[usize::from(i)] {
                            _ if inst.send().is_some() => true,
                            Src::Direct { region, ty, .. } => {
                                let lanes = inst.exec.lanes();
                                region.one_by_one(lanes) && reg.byte.is_multiple_of(lanes * ty.bytes())
                            }
                            _ => false,
                        },
                        _ => false,
                    };
                let known = &mut lanes[v.index()];
                *known = match *known {
                    TouchedBy::None if by_channel => own,
                    same if by_channel && same == own => own,
                    _ => TouchedBy::Any,
                };
            });
        }
    }

    /// Whether all variables of an instruction are touched by the channels of this instruction only, each its own element.
    pub fn is_own(&self, inst: &Inst<Virtual>) -> bool {
        let mut own = !inst.no_mask;
        inst.for_each_reg(|_, r| {
            let known = r.var().map(|v| self.lanes[v.index()]);
            own &= known == Some(TouchedBy::Own(inst.exec.lanes(), inst.chan));
        });
        own
    }

    /// Whether each channel touches its own element of a variable only, whichever instruction it is.
    pub fn are_own(&self, v: VarId) -> bool {
        matches!(self.lanes[v.index()], TouchedBy::Own(..))
    }
}
