//! Small constructors for Gen instructions, shared by lowering and the passes.

use gen_ir::{
    Arf, Cond, CondMod, Dst, ExecSize, FlagSub, Inst, Op, Payload, Pred, PredCtrl, Reg, Region, Space, Src,
    SrcMod, Type, Var, VarClass, VarId, Virtual,
};
use narrow::{low_i8, low_i16, low_i32};

/// An instruction before register allocation.
pub type VInst = Inst<Virtual>;
/// A register before allocation.
pub type VReg = Reg<Virtual>;
/// A destination before allocation.
pub type VDst = Dst<Virtual>;
/// A source before allocation.
pub type VSrc = Src<Virtual>;

/// Which channels an instruction works on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lanes {
    /// Number of channels.
    pub exec: ExecSize,
    /// First channel.
    pub chan: u8,
    /// The execution mask is ignored.
    pub no_mask: bool,
}

impl Lanes {
    /// `(W) op (1|M0)`.
    pub const SCALAR: Lanes = Lanes::all(ExecSize::S1);

    /// `(W) op (1|M16)`, where a thread has 16 channels at most: a channel behind those of the thread, so it runs whether or not
    /// a thread of a pair is on.
    pub const WHATEVER_IS_ON: Lanes = Lanes { chan: 16, ..Lanes::SCALAR };

    /// `(W) op (n|M0)`.
    pub const fn all(exec: ExecSize) -> Lanes {
        Lanes { exec, chan: 0, no_mask: true }
    }

    /// The channels of an instruction.
    pub const fn of(inst: &VInst) -> Lanes {
        Lanes { exec: inst.exec, chan: inst.chan, no_mask: inst.no_mask }
    }
}

/// An instruction with a destination and sources.
pub fn op<S: Space>(op: Op, lanes: Lanes, dst: Dst<S>, srcs: &[Src<S>]) -> Inst<S> {
    let mut inst = Inst::new(op, lanes.exec);
    inst.chan = lanes.chan;
    inst.no_mask = lanes.no_mask;
    inst.dst = dst;
    inst.src[..srcs.len()].copy_from_slice(srcs);
    inst
}

/// `mov dst src`.
pub fn mov<S: Space>(lanes: Lanes, dst: Dst<S>, src: Src<S>) -> Inst<S> {
    op(Op::Mov, lanes, dst, &[src])
}

/// A math instruction.
pub fn math(function: gen_ir::MathFn, lanes: Lanes, dst: VDst, srcs: &[VSrc]) -> VInst {
    let mut inst = op(Op::Math, lanes, dst, srcs);
    inst.payload = Payload::Math(function);
    inst
}

/// The condition of a `sel`: nothing is written, but the encoding names a flag.
pub const fn sel_cond(cond: Cond) -> CondMod<Virtual> {
    CondMod { cond, flag: Reg::flag(FlagSub::F0) }
}

/// A predicate that takes each channel's own bit.
pub const fn pred(flag: VarId) -> Pred<Virtual> {
    Pred { flag: Reg::var_at(flag, 0), inv: false, ctrl: PredCtrl::Seq }
}

/// Makes of a predicate over all channels (`any`, `all`) one of each channel, by a word a channel in `words`: what [`pred`] of `flag`
/// says.
pub fn by_channel(of: Lanes, over_all: Pred<Virtual>, words: VReg, flag: VarId) -> [VInst; 3] {
    let lanes = Lanes { no_mask: true, ..of };
    let (to, nowhere) = (Dst::packed(words, Type::Uw), Dst::null(Type::Uw));
    let mut set = mov(lanes, to, Src::uw(1));
    set.pred = Some(over_all);
    let mut test = op(Op::Cmp, lanes, nowhere, &[Src::new(words, strided(1, of.exec), Type::Uw), Src::uw(0)]);
    test.cond = Some(CondMod { cond: Cond::Ne, flag: Reg::var_at(flag, 0) });
    [mov(lanes, to, Src::uw(0)), set, test]
}

/// `acc0.0`.
pub const ACC0: VReg = Reg::arf(Arf::Acc(0), 0);

/// A general temporary.
pub fn general(bytes: u32, align: u32) -> Var {
    Var::temp(VarClass::General, bytes, align)
}

/// A flag temporary that serves the channels of an instruction.
pub fn flag(lanes: Lanes) -> Var {
    let wide = u32::from(lanes.chan) + lanes.exec.lanes() > 16;
    let bytes = if wide { 4 } else { 2 };
    Var::temp(VarClass::Flag, bytes, bytes)
}

/// The region that reads what a destination of stride `horz` wrote.
pub const fn strided(horz: u8, exec: ExecSize) -> Region {
    if exec.lanes() == 1 { Region::SCALAR } else { Region::new(horz, 1, 0) }
}

/// The signed or unsigned integer type of `bytes` bytes.
pub const fn int_type(bytes: u32, signed: bool) -> Type {
    if signed { signed_int(bytes) } else { unsigned_int(bytes) }
}

/// The signed integer type of `bytes` bytes.
pub const fn signed_int(bytes: u32) -> Type {
    match bytes {
        1 => Type::B,
        2 => Type::W,
        4 => Type::D,
        _ => Type::Q,
    }
}

/// The unsigned integer type of `bytes` bytes.
pub const fn unsigned_int(bytes: u32) -> Type {
    match bytes {
        1 => Type::Ub,
        2 => Type::Uw,
        4 => Type::Ud,
        _ => Type::Uq,
    }
}

/// An integer immediate's value in 64 bits.
pub fn extend(bits: u64, ty: Type) -> u64 {
    match ty {
        Type::B => i64::from(low_i8(bits)).cast_unsigned(),
        Type::W => i64::from(low_i16(bits)).cast_unsigned(),
        Type::D => i64::from(low_i32(bits)).cast_unsigned(),
        _ => bits,
    }
}

/// The type that integers are divided as: dwords, signed where a source is negated, else as the larger source is, and of
/// two as large where both are signed (Intel's finalizer, `fixMathInst`). An immediate counts by its type as written.
pub fn division_type(srcs: &[VSrc]) -> Type {
    let ints = || srcs.iter().filter_map(|s| Some((s.ty()?, s.mods().neg())));
    let largest = ints().map(|(ty, _)| ty.bytes()).max().unwrap_or(4);
    let signed = ints().any(|(_, neg)| neg)
        || ints().filter(|(ty, _)| ty.bytes() == largest).all(|(ty, _)| ty.is_signed());
    int_type(4, signed)
}

/// The same operand with other modifiers.
pub fn with_modifiers(src: VSrc, mods: SrcMod) -> VSrc {
    match src {
        Src::Direct { reg, region, ty, .. } => Src::Direct { reg, region, mods, ty },
        Src::Indirect { addr, imm, region, ty, .. } => Src::Indirect { addr, imm, region, mods, ty },
        other => other,
    }
}

/// The same operand read as another type of the same size.
pub fn with_type(src: VSrc, to: Type) -> VSrc {
    match src {
        Src::Direct { reg, region, mods, .. } => Src::Direct { reg, region, mods, ty: to },
        Src::Indirect { addr, imm, region, mods, .. } => Src::Indirect { addr, imm, region, mods, ty: to },
        Src::Imm { bits, .. } => Src::imm(bits, to),
        other => other,
    }
}
