//! Instructions.

use crate::{Arf, Base, BlockId, Dst, Op, Reg, Space, Src};
use messages::{Descriptor, ExtendedDescriptor, Sfid, hdc, lsc, sampler};
use platforms::Platform;

/// Number of channels an instruction works on: 1, 2, 4, 8, 16 or 32.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum ExecSize {
    /// Scalar.
    S1 = 0,
    /// 2 channels.
    S2 = 1,
    /// 4 channels.
    S4 = 2,
    /// 8 channels.
    S8 = 3,
    /// 16 channels.
    S16 = 4,
    /// 32 channels.
    S32 = 5,
}

impl ExecSize {
    /// All sizes, smallest first.
    pub const ALL: [ExecSize; 6] =
        [ExecSize::S1, ExecSize::S2, ExecSize::S4, ExecSize::S8, ExecSize::S16, ExecSize::S32];

    /// The number of channels.
    pub const fn lanes(self) -> u32 {
        1 << self as u8
    }

    /// The size with `lanes` channels, if there is one.
    pub const fn from_lanes(lanes: u32) -> Option<ExecSize> {
        match lanes {
            1 => Some(ExecSize::S1),
            2 => Some(ExecSize::S2),
            4 => Some(ExecSize::S4),
            8 => Some(ExecSize::S8),
            16 => Some(ExecSize::S16),
            32 => Some(ExecSize::S32),
            _ => None,
        }
    }
}

/// How the bits of a flag register decide a channel's predicate.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum PredCtrl {
    /// The channel's own bit.
    Seq,
    /// Any of the 32, 16, ... channels (`any32h`), or of the whole width on Xe (`any`).
    Any2h,
    /// All of two.
    All2h,
    /// Any of four.
    Any4h,
    /// All of four.
    All4h,
    /// Any of eight.
    Any8h,
    /// All of eight.
    All8h,
    /// Any of sixteen.
    Any16h,
    /// All of sixteen.
    All16h,
    /// Any of thirty-two.
    Any32h,
    /// All of thirty-two.
    All32h,
    /// Both `f0.n` and `f1.n` have the bit (`anyv`: any of them).
    AnyV,
    /// Both flags.
    AllV,
    /// Align16: replicate component x.
    X,
    /// Align16: replicate component y.
    Y,
    /// Align16: replicate component z.
    Z,
    /// Align16: replicate component w.
    W,
    /// `any` over the instruction's channels (Xe-HPC).
    Any,
    /// `all` over the instruction's channels (Xe-HPC).
    All,
}

/// A predicate.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Pred<S: Space> {
    /// Flag subregister (`f0.1` is byte 2 of flag 0), or predicate variable.
    pub flag: Reg<S>,
    /// Inverted.
    pub inv: bool,
    /// How bits combine.
    pub ctrl: PredCtrl,
}

/// Condition that a condition modifier tests.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Cond {
    /// Equal / zero.
    Eq = 1,
    /// Not equal / not zero.
    Ne = 2,
    /// Greater.
    Gt = 3,
    /// Greater or equal.
    Ge = 4,
    /// Less.
    Lt = 5,
    /// Less or equal.
    Le = 6,
    /// Overflow.
    Ov = 8,
    /// Unordered (NaN).
    Un = 9,
    /// Early out: what `math.invm` and `math.rsqtm` always write. It has no encoding of its own; the
    /// word holds only the flag.
    Eo = 15,
}

/// A condition modifier and the flag it writes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct CondMod<S: Space> {
    /// What is tested.
    pub cond: Cond,
    /// Flag subregister or predicate variable. (`sel`, `csel`: not written, but encoded.)
    pub flag: Reg<S>,
}

/// Instruction options, a set of bits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Options(pub u16);

impl Options {
    /// No option.
    pub const NONE: Options = Options(0);
    /// `AccWrEn`: the accumulator is written too.
    pub const ACC_WR_EN: Options = Options(1);
    /// `NoDDClr`.
    pub const NO_DD_CLR: Options = Options(1 << 1);
    /// `NoDDChk`.
    pub const NO_DD_CHK: Options = Options(1 << 2);
    /// `Atomic` (thread control).
    pub const ATOMIC: Options = Options(1 << 3);
    /// `Switch` (thread control).
    pub const SWITCH: Options = Options(1 << 4);
    /// `NoPreempt` (thread control).
    pub const NO_PREEMPT: Options = Options(1 << 5);
    /// `Breakpoint` (debug control).
    pub const BREAKPOINT: Options = Options(1 << 6);
    /// The word is compacted (set by a decoder; an encoder compacts where asked and possible).
    pub const COMPACTED: Options = Options(1 << 7);
    /// Align16 access mode.
    pub const ALIGN16: Options = Options(1 << 8);
    /// `NoSrcDepSet` (Gen8..11 `send`).
    pub const NO_SRC_DEP_SET: Options = Options(1 << 9);
    /// `Serialize` (`send`, Xe).
    pub const SERIALIZE: Options = Options(1 << 10);
    /// `ExBSO`: the extended descriptor holds a bindless surface offset.
    pub const EX_BSO: Options = Options(1 << 11);
    /// `CPS` (`send`).
    pub const CPS: Options = Options(1 << 12);
    /// A linker fills the dword immediate with the low half of a symbol's address. Not a bit of the
    /// machine word: it is gone before encoding.
    pub const SYMBOL_LOW: Options = Options(1 << 13);
    /// The same with the high half.
    pub const SYMBOL_HIGH: Options = Options(1 << 14);
    /// The word keeps its 16 bytes: code counts on the distance.
    pub const NO_COMPACT: Options = Options(1 << 15);

    /// Whether all bits of `other` are set.
    pub const fn has(self, other: Options) -> bool {
        self.0 & other.0 == other.0
    }

    /// Both sets together.
    #[must_use]
    pub const fn with(self, other: Options) -> Options {
        Options(self.0 | other.0)
    }

    /// The set without `other`.
    #[must_use]
    pub const fn without(self, other: Options) -> Options {
        Options(self.0 & !other.0)
    }
}

/// Function of a `math` instruction.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum MathFn {
    /// 1/x.
    Inv = 1,
    /// log2.
    Log = 2,
    /// 2^x.
    Exp = 3,
    /// Square root.
    Sqt = 4,
    /// 1/sqrt.
    Rsqt = 5,
    /// Sine.
    Sin = 6,
    /// Cosine.
    Cos = 7,
    /// Division (float), older platforms.
    Fdiv = 9,
    /// |x|^y.
    Pow = 10,
    /// Integer division, quotient and remainder.
    Idivmod = 11,
    /// Integer quotient.
    Iqot = 12,
    /// Integer remainder.
    Irem = 13,
    /// Inverse, macro with extra precision.
    Invm = 14,
    /// Reciprocal square root, macro with extra precision.
    Rsqtm = 15,
}

/// Function of a `sync` instruction.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum SyncFn {
    /// Wait for the instruction's own dependencies.
    Nop = 0,
    /// All reads of the named SBIDs are done.
    AllRd = 2,
    /// All writes of the named SBIDs are done.
    AllWr = 3,
    /// Fence.
    Fence = 13,
    /// Barrier notification.
    Bar = 14,
    /// Host notification.
    Host = 15,
}

/// A branch target.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Target {
    /// The form has no such target, or it is not known yet.
    None,
    /// The start of a block.
    Block(BlockId),
    /// Bytes relative to the start of this instruction, as in the manual's JIP and UIP fields (on
    /// every platform, whatever the word counts from).
    Rel(i32),
}

/// A message descriptor operand. What an immediate says is read and built with the structs of crate `messages`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Desc<S: Space, D = Descriptor> {
    /// Immediate.
    Imm(D),
    /// Address subregister (dword aligned), or address variable.
    Reg(Reg<S>),
}

/// An extended message descriptor operand.
pub type ExDesc<S> = Desc<S, ExtendedDescriptor>;

impl<S: Space, D> Desc<S, D> {
    /// The register, if it is one.
    pub fn reg(self) -> Option<Reg<S>> {
        match self {
            Desc::Reg(reg) => Some(reg),
            Desc::Imm(_) => None,
        }
    }

    /// The same operand with its register replaced.
    fn map_reg<T: Space>(self, f: impl FnOnce(Reg<S>) -> Reg<T>) -> Desc<T, D> {
        match self {
            Desc::Imm(desc) => Desc::Imm(desc),
            Desc::Reg(reg) => Desc::Reg(f(reg)),
        }
    }
}

/// What a `send` adds to the common fields. Sources 0 and 1 are the payload ranges; lengths are in
/// GRFs and stand here because a register descriptor hides them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SendInfo<S: Space> {
    /// Shared function.
    pub sfid: Sfid,
    /// Message descriptor.
    pub desc: Desc<S>,
    /// Extended message descriptor (bits 0..5 hold SFID and EOT on Gen8..11: left zero here).
    pub ex_desc: ExDesc<S>,
    /// End of thread.
    pub eot: bool,
    /// GRFs written (0 when unknown after decoding a register descriptor).
    pub dst_len: u8,
    /// GRFs read from source 0.
    pub src0_len: u8,
    /// GRFs read from source 1.
    pub src1_len: u8,
}

impl<S: Space> SendInfo<S> {
    /// Whether the message is known to do nothing but read memory: loads, reads of surfaces and samples,
    /// not fences, atomics or anything without a name here. With a descriptor in a register it is not known.
    ///
    /// Sources: Programmer's Reference Manuals, volume "3D Media GPGPU", "Data Port Messages" (Skylake
    /// volume 7), and the message numbers of the reference disassembler for later platforms.
    pub fn only_reads(&self, platform: Platform) -> bool {
        let Desc::Imm(desc) = self.desc else { return false };
        match self.sfid {
            Sfid::Ugm | Sfid::Ugml | Sfid::Slm | Sfid::Tgm => {
                platform.caps().memory.lsc && lsc::Untyped::from(desc).op().is_some_and(lsc::Op::only_reads)
            }
            Sfid::Dc0 => hdc::dc0_only_reads(desc),
            Sfid::Dc1 => hdc::dc1_only_reads(desc),
            Sfid::DcRo => hdc::dc_ro_only_reads(desc),
            // All but what empties the cache or changes the mask of pixels.
            Sfid::Sampler => sampler::Sample::from(desc).message_type() != sampler::FLUSH,
            _ => false,
        }
    }
}

/// The fields that only some families of instructions have.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Payload<S: Space> {
    /// Nothing more.
    None,
    /// `math`.
    Math(MathFn),
    /// `sync`.
    Sync(SyncFn),
    /// `bfn`: the truth table.
    Bfn(u8),
    /// `dpas`.
    Dpas {
        /// Systolic depth: 1, 2, 4 or 8.
        depth: u8,
        /// Repeat count: 1 to 8.
        repeat: u8,
    },
    /// Flow control.
    Branch {
        /// Where execution resumes when no channel goes on here.
        jip: Target,
        /// Where the branching channels go.
        uip: Target,
        /// `BranchCtrl` (`goto.b`, and `if`/`else`).
        ctrl: bool,
    },
    /// Message.
    Send(SendInfo<S>),
    /// The calling convention; gone before encoding.
    Outside(Outside),
}

/// What an instruction has to do with code that is not in its kernel or function: stack calls.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Outside {
    /// `sync`: registers that other code reads or writes here, in bytes. What is both read and written
    /// is copied, unless source and destination are the same registers.
    Touch {
        /// Bytes of source 0 that are read.
        read: u16,
        /// Bytes of the destination that are written.
        written: u16,
    },
    /// `add`: source 1 is the size of this function's frame in scratch memory, known only when
    /// registers are allocated.
    Frame {
        /// The frame is left (subtract).
        leave: bool,
    },
    /// `calla`: a stack call; the return address goes to the destination. Source 0, if there is one,
    /// holds the callee's address.
    Call,
    /// `ret`: the end of a function that is called through the stack.
    Return,
    /// A branch to the start of another function of the binary, by its number.
    Callee(u32),
}

/// In-order pipes of a software scoreboard distance.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Pipe {
    /// No pipe named (Gen12: the only pipe; Xe-HPC: that of the instruction itself).
    Own,
    /// Float.
    Float,
    /// Integer.
    Int,
    /// Long (64-bit).
    Long,
    /// Math.
    Math,
    /// All pipes.
    All,
    /// Scalar.
    Scalar,
}

/// What an SBID in an annotation means.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum SbidMode {
    /// This instruction takes the SBID (`$3`).
    Set,
    /// Wait until the sources of its holder have been read (`$3.src`).
    Src,
    /// Wait until its holder has written its results (`$3.dst`).
    Dst,
}

/// The software scoreboard annotation (Xe): what an instruction waits for, and the SBID it takes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Swsb {
    /// Wait for the instruction this many places back in the pipe (1 to 7).
    pub dist: Option<(Pipe, u8)>,
    /// SBID part.
    pub sbid: Option<(SbidMode, u8)>,
    /// `NoAccSBSet`.
    pub no_acc_sb_set: bool,
}

impl Swsb {
    /// Nothing to wait for.
    pub const NONE: Swsb = Swsb { dist: None, sbid: None, no_acc_sb_set: false };
}

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

    /// Whether this may change how others compute: it writes the control register, where rounding and denormals of
    /// floats are set (`cr0.0`; PRM volume 7, "Control Register").
    pub fn changes_mode(&self) -> bool {
        self.dst.reg().is_some_and(|r| matches!(r.base(), Base::Arf(Arf::Control(_))))
    }

    /// Whether this ends the thread.
    pub const fn is_eot(&self) -> bool {
        match &self.payload {
            Payload::Send(s) => s.eot,
            _ => false,
        }
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
            match src {
                Src::Direct { reg, .. } | Src::Macro { reg, .. } => name(Role::Src(i), *reg),
                Src::Indirect { addr, .. } => name(Role::SrcAddr(i), *addr),
                Src::AddrOf { reg, .. } => name(Role::AddrOf(i), *reg),
                Src::None | Src::Imm { .. } => {}
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
        for src in &self.src {
            match src {
                Src::Direct { reg, .. } | Src::Macro { reg, .. } | Src::AddrOf { reg, .. } => f(*reg),
                Src::Indirect { addr, .. } => f(*addr),
                Src::None | Src::Imm { .. } => {}
            }
        }
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
    pub fn map_regs<T: Space>(&self, mut f: impl FnMut(Role, Reg<S>) -> Reg<T>) -> Inst<T> {
        let pred = self.pred.map(|p| Pred { flag: f(Role::Pred, p.flag), inv: p.inv, ctrl: p.ctrl });
        let mut src = [Src::None; 3];
        for ((to, s), i) in src.iter_mut().zip(&self.src).zip(0..) {
            *to = match *s {
                Src::None => Src::None,
                Src::Imm { bits, ty } => Src::Imm { bits, ty },
                Src::AddrOf { reg, ty } => Src::AddrOf { reg: f(Role::AddrOf(i), reg), ty },
                Src::Direct { reg, region, mods, ty } => {
                    Src::Direct { reg: f(Role::Src(i), reg), region, mods, ty }
                }
                Src::Macro { reg, mme, mods, ty } => Src::Macro { reg: f(Role::Src(i), reg), mme, mods, ty },
                Src::Indirect { addr, imm, region, mods, ty } => {
                    Src::Indirect { addr: f(Role::SrcAddr(i), addr), imm, region, mods, ty }
                }
            };
        }
        let payload = match self.payload {
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
        let dst = match self.dst {
            Dst::None => Dst::None,
            Dst::Direct { reg, horz, ty } => Dst::Direct { reg: f(Role::Dst, reg), horz, ty },
            Dst::Macro { reg, mme, ty } => Dst::Macro { reg: f(Role::Dst, reg), mme, ty },
            Dst::Indirect { addr, imm, horz, ty } => {
                Dst::Indirect { addr: f(Role::DstAddr, addr), imm, horz, ty }
            }
        };
        let cond = self.cond.map(|c| CondMod { cond: c.cond, flag: f(Role::Cond, c.flag) });
        Inst {
            op: self.op,
            exec: self.exec,
            chan: self.chan,
            no_mask: self.no_mask,
            pred,
            cond,
            sat: self.sat,
            opts: self.opts,
            dst,
            src,
            payload,
            swsb: self.swsb,
            origin: self.origin,
        }
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
    /// Whether the operand is written; all others are read, or only named.
    pub const fn is_write(self) -> bool {
        matches!(self, Role::Dst | Role::Cond)
    }
}
