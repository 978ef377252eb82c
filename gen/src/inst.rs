//! Instructions.

mod computes;
mod controls;
mod implicit;
mod memory;
mod modes;
mod payload;
mod send;
mod send_builder;
mod swsb;

pub use controls::*;
pub use memory::*;
pub use payload::*;
pub use send::*;
pub use send_builder::*;
pub use swsb::*;

use crate::{Arf, Base, BlockId, Dst, InPlace, Op, Reg, Space, Src};

/// A Gen instruction.
#[derive(PartialEq, Eq, Hash, Debug)]
pub struct Inst<S: Space> {
    /// Opcode.
    pub op: Op,
    /// Execution size.
    pub exec: ExecSize,
    /// First channel: a multiple of 4 below 32 (`M8`, `M16`, ...).
    pub chan: u8,
    /// `true`: write enable, the execution mask is ignored (`(W)`, NoMask).
    pub no_mask: bool,
    /// Predicate.
    pub pred: Option<Pred<S>>,
    /// Condition modifier.
    pub cond: Option<CondMod<S>>,
    /// Saturation.
    pub sat: bool,
    /// Options.
    pub opts: Options,
    /// Destination.
    pub dst: Dst<S>,
    /// Sources; unused ones are [`Src::None`].
    pub src: [Src<S>; 3],
    /// Family fields.
    pub payload: Payload<S>,
    /// Software scoreboard.
    pub swsb: Swsb,
    /// Index of the vISA instruction this came from, [`Inst::NO_ORIGIN`] for none.
    pub origin: u32,
}

impl<S: Space> Copy for Inst<S> {}

/// Not derived: that would clone field by field, which lists of instructions feel.
impl<S: Space> Clone for Inst<S> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: Space> Inst<S> {
    /// `origin` of an instruction that no vISA instruction stands for.
    pub const NO_ORIGIN: u32 = u32::MAX;

    /// An instruction with nothing but an opcode and an execution size.
    pub const fn new(op: Op, exec: ExecSize) -> Self {
        Inst {
            op,
            exec,
            chan: 0,
            no_mask: false,
            pred: None,
            cond: None,
            sat: false,
            opts: Options::NONE,
            dst: Dst::None,
            src: [Src::None; 3],
            payload: Payload::None,
            swsb: Swsb::NONE,
            origin: Self::NO_ORIGIN,
        }
    }

    /// The message fields, for a send.
    pub const fn send(&self) -> Option<&SendInfo<S>> {
        match &self.payload {
            Payload::Send(s) => Some(s),
            _ => None,
        }
    }

    /// JIP and UIP, for flow control.
    pub const fn targets(&self) -> Option<(Target, Target)> {
        match self.payload {
            Payload::Branch { jip, uip, .. } => Some((jip, uip)),
            _ => None,
        }
    }

    /// The block that flow control goes to: UIP if that is a block, else JIP.
    pub const fn branch_target(&self) -> Option<BlockId> {
        match self.payload {
            Payload::Branch { uip: Target::Block(t), .. } | Payload::Branch { jip: Target::Block(t), .. } => {
                Some(t)
            }
            _ => None,
        }
    }

    /// Whether this does nothing but compute its destination: no predicate, condition, saturation, option or payload.
    pub fn is_plain(&self) -> bool {
        self.payload == Payload::None
            && self.pred.is_none()
            && self.cond.is_none()
            && !self.sat
            && self.opts == Options::NONE
    }

    /// Whether a source is where an address register says.
    pub fn reads_through_address(&self) -> bool {
        self.src.iter().any(|s| matches!(s, Src::Indirect { .. }))
    }

    /// Whether both work on the same channels of those that run.
    pub fn same_channels(&self, other: &Inst<S>) -> bool {
        (self.exec, self.chan, self.no_mask) == (other.exec, other.chan, other.no_mask)
    }

    /// Whether this may change how others compute: it writes the control register, where rounding and denormals of
    /// floats are set (`cr0.0`; PRM volume 7, "Control Register").
    pub fn changes_mode(&self) -> bool {
        self.dst.reg().is_some_and(|r| matches!(r.base(), Base::Arf(Arf::Control(_))))
    }

    /// The variable that the destination is in, if the instruction names it: not through an address.
    #[inline]
    pub fn dst_var(&self) -> Option<S::Var> {
        self.dst.reg()?.var()
    }

    /// The registers that the instruction names as what it writes: its destination and the flag of its condition.
    #[inline]
    pub fn written(&self) -> impl Iterator<Item = Reg<S>> + use<S> {
        [self.dst.reg(), self.cond.map(|c| c.flag)].into_iter().flatten()
    }

    /// Whether this ends the thread.
    pub const fn is_eot(&self) -> bool {
        match &self.payload {
            Payload::Send(s) => s.eot,
            _ => false,
        }
    }

    /// Whether this is the [start of a variable's life](Outside::StartOfLife), which becomes no code.
    pub const fn is_start_of_life(&self) -> bool {
        matches!(self.payload, Payload::Outside(Outside::StartOfLife { .. }))
    }

    /// Every register the instruction names, with its role, in a fixed order. Lengths in bytes are
    /// left to the analyses, which know the platform.
    #[inline]
    pub fn for_each_reg(&self, mut f: impl FnMut(Role, Reg<S>)) {
        // One place that calls `f`: it becomes a part of the loop here, instead of one call an operand.
        let (mut named, mut count) = ([(Role::Pred, Reg::NULL); 8], 0);
        let mut name = |role, reg| {
            named[count] = (role, reg);
            count += 1;
        };
        if let Some(pred) = &self.pred {
            name(Role::Pred, pred.flag);
        }
        for (i, src) in (0..).zip(&self.src) {
            if let Some(reg) = src.named() {
                name(Role::of_source(src, i), reg);
            }
        }
        if let Payload::Send(send) = &self.payload {
            for (role, reg) in [(Role::Desc, send.desc.reg()), (Role::ExDesc, send.ex_desc.reg())] {
                if let Some(reg) = reg {
                    name(role, reg);
                }
            }
        }
        match &self.dst {
            Dst::Direct { reg, .. } | Dst::Macro { reg, .. } => name(Role::Dst, *reg),
            Dst::Indirect { addr, .. } => name(Role::DstAddr, *addr),
            Dst::None => {}
        }
        if let Some(cond) = &self.cond {
            name(Role::Cond, cond.flag);
        }
        for &(role, reg) in &named[..count] {
            f(role, reg);
        }
    }

    /// Every register that the instruction names but does not write: sources, addresses, the predicate and
    /// descriptors. What `f` does becomes a part of the caller, once an operand: meant for a few machine
    /// instructions where roles do not matter.
    #[inline(always)]
    pub fn for_each_read(&self, mut f: impl FnMut(Reg<S>)) {
        self.src.iter().filter_map(Src::named).for_each(&mut f);
        if let Some(pred) = &self.pred {
            f(pred.flag);
        }
        if let Dst::Indirect { addr, .. } = &self.dst {
            f(*addr);
        }
        if let Payload::Send(send) = &self.payload {
            [send.desc.reg(), send.ex_desc.reg()].into_iter().flatten().for_each(&mut f);
        }
    }

    /// The same instruction with every register replaced; the way from one [`Space`] to another.
    pub fn map_regs<T: Space>(&self, f: impl FnMut(Role, Reg<S>) -> Reg<T>) -> Inst<T> {
        let mut mapped = Inst::new(self.op, self.exec);
        self.map_regs_into(&mut mapped, f);
        mapped
    }

    /// Makes a [new](Inst::new) instruction what [`Inst::map_regs`] gives, where it is: in a list, none is moved there.
    #[inline]
    pub fn map_regs_into<T: Space>(&self, to: &mut Inst<T>, mut f: impl FnMut(Role, Reg<S>) -> Reg<T>) {
        (to.op, to.exec, to.chan, to.no_mask) = (self.op, self.exec, self.chan, self.no_mask);
        (to.sat, to.opts, to.swsb, to.origin) = (self.sat, self.opts, self.swsb, self.origin);
        to.pred = self.pred.map(|p| Pred { flag: f(Role::Pred, p.flag), inv: p.inv, ctrl: p.ctrl });
        for ((to, s), i) in to.src.iter_mut().zip(&self.src).zip(0..) {
            *to = match *s {
                Src::None => Src::None,
                Src::Imm { bits, ty } => Src::Imm { bits, ty },
                Src::AddrOf { reg: InPlace(reg), ty } => Src::address_of(f(Role::AddrOf(i), reg), ty),
                Src::Direct { reg, region, mods, ty } => {
                    Src::Direct { reg: f(Role::Src(i), reg), region, mods, ty }
                }
                Src::Macro { reg, mme, mods, ty } => Src::Macro { reg: f(Role::Src(i), reg), mme, mods, ty },
                Src::Indirect { addr, imm, region, mods, ty } => {
                    Src::Indirect { addr: f(Role::SrcAddr(i), addr), imm, region, mods, ty }
                }
            };
        }
        to.payload = match self.payload {
            Payload::None => Payload::None,
            Payload::Math(x) => Payload::Math(x),
            Payload::Sync(x) => Payload::Sync(x),
            Payload::Bfn(x) => Payload::Bfn(x),
            Payload::Dpas { depth, repeat } => Payload::Dpas { depth, repeat },
            Payload::Branch { jip, uip, ctrl } => Payload::Branch { jip, uip, ctrl },
            Payload::Outside(x) => Payload::Outside(x),
            Payload::Send(s) => Payload::Send(SendInfo {
                sfid: s.sfid,
                desc: s.desc.map_reg(|r| f(Role::Desc, r)),
                ex_desc: s.ex_desc.map_reg(|r| f(Role::ExDesc, r)),
                eot: s.eot,
                dst_len: s.dst_len,
                src0_len: s.src0_len,
                src1_len: s.src1_len,
            }),
        };
        to.dst = match self.dst {
            Dst::None => Dst::None,
            Dst::Direct { reg, horz, ty } => Dst::Direct { reg: f(Role::Dst, reg), horz, ty },
            Dst::Macro { reg, mme, ty } => Dst::Macro { reg: f(Role::Dst, reg), mme, ty },
            Dst::Indirect { addr, imm, horz, ty } => {
                Dst::Indirect { addr: f(Role::DstAddr, addr), imm, horz, ty }
            }
        };
        to.cond = self.cond.map(|c| CondMod { cond: c.cond, flag: f(Role::Cond, c.flag) });
    }
}

/// The part a register plays in an instruction.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Role {
    /// Predicate flag, read.
    Pred,
    /// Source `n`, read.
    Src(u8),
    /// Address of indirect source `n`, read.
    SrcAddr(u8),
    /// Register whose address source `n` is; neither read nor written here.
    AddrOf(u8),
    /// Message descriptor, read.
    Desc,
    /// Extended message descriptor, read.
    ExDesc,
    /// Destination, written.
    Dst,
    /// Address of an indirect destination, read.
    DstAddr,
    /// Condition flag, written (read by nothing; `sel`/`csel` with a condition leave it alone).
    Cond,
}

impl Role {
    /// That of the register which source number `i` names.
    #[inline]
    const fn of_source<S: Space>(src: &Src<S>, i: u8) -> Role {
        match src {
            Src::Indirect { .. } => Role::SrcAddr(i),
            Src::AddrOf { .. } => Role::AddrOf(i),
            _ => Role::Src(i),
        }
    }

    /// Whether the operand is written; all others are read, or only named.
    pub const fn is_write(self) -> bool {
        matches!(self, Role::Dst | Role::Cond)
    }

    /// What happens to the register. Those that are only named count as read.
    pub const fn direction(self) -> Direction {
        Direction::write_if(self.is_write())
    }
}

/// What happens to a register, or to memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// It is read.
    Read,
    /// It is written.
    Write,
}

impl Direction {
    /// Both, reads first.
    pub const BOTH: [Direction; 2] = [Direction::Read, Direction::Write];

    /// A write where something holds, a read where it does not.
    pub const fn write_if(writes: bool) -> Direction {
        if writes { Direction::Write } else { Direction::Read }
    }
}
