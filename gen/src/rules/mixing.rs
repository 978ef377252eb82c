//! Which operands of arithmetic on single floats may be half floats or bfloat16: what [`check`](super::check) and
//! legalization both ask. Moves convert all of them; what is asked of their places is in [`places`](super::places).
//!
//! Volume 7, "Special Restrictions for Handling Mixed Mode Float Operations"; of bfloat16 Bspec, "Mixed Mode", as Intel's
//! finalizer has it (`fixBFMixedMode`, `verifyBFMixedMode`). Intel's finalizer lets no half be the last factor from Xe on
//! (`fixMixedHFInst`), nor the result of a selection that mixes (`WaMixModeSelInstDstNotPacked`), and its compilers emit
//! neither, nor any mixed arithmetic for Ice Lake.

use platforms::{Caps, Mixing};

use crate::{Class, Direction, Inst, Op, Space, Src, Type};

/// Where a narrow float mixes with single floats.
pub const fn mixing(caps: &Caps, narrow: Type) -> Mixing {
    match narrow {
        Type::Hf => caps.regions.mixed_half,
        Type::Bf if caps.ops.bf16 => Mixing::FirstFactor,
        _ => Mixing::None,
    }
}

/// Whether an instruction computes, so that the rules for what mixes in arithmetic are about it: neither moves, `srnd` and the
/// like, which convert, nor messages and `dpas`.
pub fn is_arithmetic<S: Space>(inst: &Inst<S>) -> bool {
    let class = inst.op.info().class;
    matches!(class, Class::Basic | Class::Ternary | Class::Math) && !matches!(inst.op, Op::Mov | Op::Srnd)
}

/// Whether an operation has bfloat16 beside single floats at all.
const fn takes_bf16(op: Op) -> bool {
    matches!(op, Op::Add | Op::Mul | Op::Mac | Op::Mad | Op::Sel | Op::Cmp | Op::Cmpn)
}

/// Whether source `i` of mixed arithmetic may be as narrow as it is.
pub fn narrow_source<S: Space>(caps: &Caps, inst: &Inst<S>, i: usize) -> bool {
    let Some(ty) = inst.src[i].ty() else { return true };
    let mixing = mixing(caps, ty);
    let last_factor = match inst.op {
        Op::Mul | Op::Mac => i == 1,
        Op::Mad => i == 2,
        _ => false,
    };
    match ty {
        Type::Hf | Type::Bf if !mixing.computes() || last_factor && mixing == Mixing::FirstFactor => false,
        // Halves of other operations of three sources nobody emits.
        Type::Hf => inst.op == Op::Mad || inst.op.info().class != Class::Ternary,
        Type::Bf => takes_bf16(inst.op) && !is_broadcast(inst, i),
        _ => true,
    }
}

/// A product, or a sum with one, whose factors have changed places because the last may not be narrow: the other may, or it is
/// one element, which takes less to convert. Both stand in registers.
pub fn turned<S: Space>(caps: &Caps, inst: &Inst<S>) -> Option<Inst<S>> {
    let (first, last) = match inst.op {
        Op::Mul => (0, 1),
        Op::Mad => (1, 2),
        _ => return None,
    };
    if inst.src[first].is_imm() || inst.src[last].is_imm() {
        return None;
    }
    let mut new = *inst;
    new.src.swap(first, last);
    let broadcast_first = is_broadcast(inst, first) && !is_broadcast(inst, last);
    let takes_less = inst.src[first].ty() == Some(Type::F) || broadcast_first;
    let helps = !narrow_source(caps, inst, last) && takes_less;
    (helps && narrow_source(caps, &new, first)).then_some(new)
}

/// Whether the result of mixed arithmetic may be as narrow as it is.
pub fn narrow_result<S: Space>(caps: &Caps, inst: &Inst<S>) -> bool {
    let Some(ty) = inst.dst.ty() else { return true };
    match ty {
        Type::Hf | Type::Bf if !mixing(caps, ty).computes() => false,
        Type::Hf => inst.op != Op::Sel && (inst.op == Op::Mad || inst.op.info().class != Class::Ternary),
        Type::Bf => takes_bf16(inst.op),
        _ => true,
    }
}

/// Whether several channels read one element, or a constant.
pub fn is_broadcast<S: Space>(inst: &Inst<S>, i: usize) -> bool {
    let lanes = inst.exec.lanes();
    match inst.src[i] {
        Src::Direct { region, .. } | Src::Indirect { region, .. } => lanes > 1 && region.is_scalar(),
        Src::Imm { .. } => true,
        _ => false,
    }
}

/// Whether an operand of arithmetic with bfloat16 that several channels have lies where it has to, given its stride and its
/// first byte in the register, if that is known: single floats packed from a register's beginning on, bfloat16 packed from its
/// beginning or its middle, results also in every other word.
pub fn bf16_place(caps: &Caps, ty: Type, does: Direction, stride: u32, byte: Option<u32>) -> bool {
    let middle = u32::from(caps.regs.grf_bytes) / 2;
    match (ty, stride) {
        (Type::Bf, 1) => byte.is_some_and(|b| b == 0 || b == middle),
        (Type::Bf, 2) => does == Direction::Write && byte.is_some_and(|b| b == 0 || b == 2),
        (_, 1) => byte == Some(0),
        _ => false,
    }
}
