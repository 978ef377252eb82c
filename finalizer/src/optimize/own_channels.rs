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
    /// By variable, whether only messages read it; filled by [`find_payloads`](Self::find_payloads).
    payloads: Vec<Payloads>,
}

/// The block in which all is that touches a variable, if only messages under the mask read it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Payloads {
    /// Nothing touches it.
    #[default]
    None,
    /// This block's messages.
    Of(u32),
    /// Others read it, or several blocks touch it.
    No,
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

/// Whether an instruction copies, without the mask, elements of channels to the same channels' in a payload.
fn fills(inst: &Inst<Virtual>, payloads: &[Payloads]) -> bool {
    let Dst::Direct { reg, ty, .. } = inst.dst else { return false };
    let is_payload = |v: VarId| matches!(payloads.get(v.index()), Some(Payloads::Of(_)));
    let alike = matches!(inst.src[0], Src::Direct { ty: from, .. } if from.bytes() == ty.bytes());
    let copies = inst.op == Op::Mov && inst.no_mask && inst.pred.is_none() && alike;
    copies
        && reg.var().is_some_and(is_payload)
        && touched(&Inst { no_mask: false, ..*inst }, Role::Dst, reg).is_some()
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
        self.payloads.clear();
        self.find_others(kernel, matters);
    }

    /// As [`find`](Self::find), but a copy into a payload that ignores the mask counts as one under it: the message reads
    /// only the lanes that run where both stand. (What those of other lanes get is not what they had before.)
    pub fn find_with_payloads(&mut self, kernel: &Kernel<Virtual>, matters: impl Fn(VarId) -> bool) {
        self.find_payloads(kernel);
        self.find_others(kernel, matters);
    }

    fn find_payloads(&mut self, kernel: &Kernel<Virtual>) {
        let payloads = &mut self.payloads;
        refill(
            payloads,
            kernel.vars.iter().map(|var| if var.is_temporary() { Payloads::None } else { Payloads::No }),
        );
        for (b, block) in (0..).zip(&kernel.blocks) {
            for inst in &block.insts {
                inst.for_each_reg(|role, reg| {
                    let Some(v) = reg.var() else { return };
                    let of = &mut payloads[v.index()];
                    let message = match role {
                        Role::Dst => true,
                        Role::Src(_) => inst.send().is_some() && !inst.no_mask,
                        _ => false,
                    };
                    *of = match *of {
                        Payloads::None if message => Payloads::Of(b),
                        Payloads::Of(before) if message && before == b => Payloads::Of(b),
                        _ => Payloads::No,
                    };
                });
            }
        }
    }

    fn find_others(&mut self, kernel: &Kernel<Virtual>, matters: impl Fn(VarId) -> bool) {
        let OwnChannels { lanes, payloads } = self;
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
                let own = match fills(inst, payloads) {
                    true => touched(&Inst { no_mask: false, ..*inst }, role, reg),
                    false => touched(inst, role, reg),
                };
                *known = match own {
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
