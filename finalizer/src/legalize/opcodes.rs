//! Opcodes that a platform lacks.

use gen_ir::{Dst, ExecSize, Op, Src, SrcMod, Type, rules::places::only_count_is_long};
use narrow::{low_u16, low_u32, ones};

use super::{
    legalizer::{Legalizer, Step, lanes_of},
    not_legal::NotLegal,
    operand::Saturates,
    qwords::dwords_at,
};
use crate::build::{self, VInst, VSrc, extend, with_type};

pub(super) fn rule(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    let caps = lx.caps;
    match inst.op {
        Op::Lrp if !caps.ops.lrp => interpolate(lx, inst),
        Op::Pln | Op::Line if !caps.ops.pln => Step::Refuse(NotLegal::Planes),
        Op::Pln if !writes_from_start(lx, inst) => {
            // Part of its channels would read part of their coordinates.
            lx.stage_destination(inst, Type::F, 1, Saturates::Move);
            Step::Replaced
        }
        Op::Line if cuts_four(lx, inst) => {
            lx.stage_destination(inst, Type::F, 1, Saturates::Move);
            Step::Replaced
        }
        // A constant comes second, of which differences are the same.
        Op::Sad2 if inst.src[0].is_imm() && !inst.src[1].is_imm() => {
            let mut new = *inst;
            new.src.swap(0, 1);
            lx.inst(new);
            Step::Replaced
        }
        Op::Dp2 | Op::Dp3 | Op::Dp4 | Op::Dph if !caps.ops.dot_product => Step::Refuse(NotLegal::DotProducts),
        Op::Dp4a if dwords_of_vectors(lx, inst) => Step::Replaced,
        Op::Dp4a if !caps.ops.dp4a => four_products(lx, inst),
        Op::Add3 if one_addition(lx, inst) => Step::Replaced,
        Op::Add3 if !caps.ops.add3_bfn || has_qwords(inst) => two_additions(lx, inst),
        Op::Bfn if !caps.ops.add3_bfn => Step::Refuse(NotLegal::Bfn),
        Op::Rol | Op::Ror if widens(inst) => {
            // What is rotated is as wide as its result.
            let mut new = *inst;
            let bytes = inst.dst.ty().map_or(4, Type::bytes);
            lx.stage_source(&mut new, 0, build::unsigned_int(bytes), 1);
            lx.inst(new);
            Step::Replaced
        }
        Op::Rol | Op::Ror if !caps.ops.rotate => rotate_by_shifts(lx, inst),
        Op::Shl | Op::Shr | Op::Asr if only_count_is_long(inst) => short_count(lx, inst),
        Op::Shr => unsigned_shift(lx, inst),
        _ => Step::Keep,
    }
}

/// Whether the result is packed floats from a register's beginning on.
fn writes_from_start(lx: &mut Legalizer<'_>, inst: &VInst) -> bool {
    let Dst::Direct { reg, horz: 1, ty: Type::F } = inst.dst else { return false };
    lx.place_in_grf(reg, 0);
    reg.is_null() || lx.offset_in_grf(reg) == Some(0)
}

/// Whether the result goes over into the next register within four channels, which read the four coefficients together.
fn cuts_four(lx: &Legalizer<'_>, inst: &VInst) -> bool {
    let Dst::Direct { reg, horz, ty } = inst.dst else { return false };
    let step = u32::from(horz) * ty.bytes();
    let crosses = |at: u32| at + inst.exec.lanes() * step > lx.grf() && !at.is_multiple_of(4 * step);
    !reg.is_null() && lx.offset_in_grf(reg).is_some_and(crosses)
}

/// Only five bits of a count matter where nothing else has 64 (specification of vISA, `SHL`, `SHR`, `ASR`): its low dwords will do.
/// Intel's finalizer widens what is shifted on Xe-HPC (`fixShiftInsts`), where six bits count then.
fn short_count(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    let mut new = *inst;
    let short = match inst.src[1] {
        Src::Imm { bits, .. } => Some(Src::imm(low_u32(bits).into(), Type::Ud)),
        // The sign is in the other dword.
        count if count.mods().abs() => None,
        count => dwords_at(count, inst.exec.lanes(), 0),
    };
    match (short, inst.src[1].ty()) {
        (Some(short), _) => new.src[1] = short,
        (None, Some(ty)) => lx.stage_source(&mut new, 1, ty, 1),
        (None, None) => return Step::Keep,
    }
    lx.inst(new);
    Step::Replaced
}

/// `src2 + src0 * (src1 - src2)`.
fn interpolate(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    let Some(ty) = inst.dst.ty() else { return Step::Keep };
    if inst.src[2].is_imm() {
        // A constant has no sign to turn.
        let mut new = *inst;
        lx.stage_source(&mut new, 2, inst.src[2].ty().unwrap_or(ty), 1);
        lx.inst(new);
        return Step::Replaced;
    }
    let reg = lx.aligned_temp(inst.exec.lanes() * ty.bytes());
    let mods = inst.src[2].mods();
    let minus = super::operand::with_modifiers(inst.src[2], SrcMod::new(mods.abs(), !mods.neg()));
    lx.helper(build::op(Op::Add, lanes_of(inst), Dst::packed(reg, ty), &[inst.src[1], minus]), inst);
    let difference = Src::new(reg, build::strided(1, inst.exec), ty);
    let mut mad = *inst;
    mad.op = Op::Mad;
    mad.src = [inst.src[2], inst.src[0], difference];
    lx.inst(mad);
    Step::Replaced
}

/// Two immediates are one, as long as the sum is of dwords and they are the same for all channels.
fn one_addition(lx: &mut Legalizer<'_>, inst: &VInst) -> bool {
    let (Src::Imm { bits: a, ty: from }, Src::Imm { bits: b, ty: to }) = (inst.src[0], inst.src[2]) else {
        return false;
    };
    let summand = inst.src[1].ty().is_some_and(|ty| ty.is_int() && ty.bytes() <= 4);
    if from.is_vector()
        || to.is_vector()
        || inst.sat
        || inst.cond.is_some()
        || !inst.dst.ty().is_some_and(Type::is_dword)
        || !summand
    {
        return false;
    }
    let sum = low_u32(extend(a, from).wrapping_add(extend(b, to)));
    let mut add = *inst;
    add.op = Op::Add;
    add.src = [inst.src[1], Src::imm(sum.into(), Type::D), Src::None];
    lx.inst(add);
    true
}

fn has_qwords(inst: &VInst) -> bool {
    inst.src.iter().filter_map(Src::ty).chain(inst.dst.ty()).any(|ty| ty.bytes() == 8)
}

/// Two sums. Where the second saturates, the first is exact.
fn two_additions(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    let dwords = inst.src[..2].iter().filter_map(Src::ty).any(|t| t.bytes() == 4);
    let qwords = has_qwords(inst);
    if inst.sat && qwords {
        return Step::Refuse(NotLegal::SaturatedQwordSum);
    }
    let ty = if qwords || inst.sat && dwords { Type::Q } else { Type::D };
    let reg = lx.aligned_temp(inst.exec.lanes() * ty.bytes());
    let sum = build::op(Op::Add, lanes_of(inst), Dst::packed(reg, ty), &inst.src[..2]);
    lx.helper(sum, inst);
    let mut add = *inst;
    add.op = Op::Add;
    add.src = [Src::new(reg, build::strided(1, inst.exec), ty), inst.src[2], Src::None];
    lx.inst(add);
    Step::Replaced
}

/// The elements of vectors of constants as dwords, whose four bytes are multiplied: the sign is that of the vector, whatever the
/// result's is.
fn dwords_of_vectors(lx: &mut Legalizer<'_>, inst: &VInst) -> bool {
    let wide = |of: Type| build::int_type(4, of.is_signed());
    let Some(new) = lx.expand_vectors(inst, wide) else { return false };
    lx.inst(new);
    true
}

/// The sum of four products of bytes, and the first source. Only the last addition saturates: what goes before is exact.
fn four_products(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    let mut add = *inst;
    for i in 1..3 {
        if !has_bytes(lx, inst.src[i]) {
            let signed = inst.src[i].ty().is_some_and(Type::is_signed);
            lx.stage_source(&mut add, i, build::int_type(4, signed), 1);
        }
    }
    let packed = build::strided(1, inst.exec);
    let (sum, product) = (lx.aligned_temp(inst.exec.lanes() * 4), lx.aligned_temp(inst.exec.lanes() * 4));
    let all = lanes_of(inst);
    for byte in 0..4 {
        let factors = [byte_of(add.src[1], byte, inst.exec), byte_of(add.src[2], byte, inst.exec)];
        let to = if byte == 0 { sum } else { product };
        lx.helper(build::op(Op::Mul, all, Dst::packed(to, Type::D), &factors), inst);
        if byte > 0 {
            let terms = [Src::new(sum, packed, Type::D), Src::new(product, packed, Type::D)];
            lx.helper(build::op(Op::Add, all, Dst::packed(sum, Type::D), &terms), inst);
        }
    }
    add.op = Op::Add;
    add.src = [inst.src[0], Src::new(sum, packed, Type::D), Src::None];
    lx.inst(add);
    Step::Replaced
}

/// Whether [`byte_of`] names the bytes of a source where it is.
fn has_bytes(lx: &Legalizer<'_>, src: VSrc) -> bool {
    match src {
        Src::Direct { reg, region, mods: SrcMod::None, ty } => {
            lx.is_general(reg) && (region.is_scalar() || region.is_packed()) && ty.bytes() == 4
        }
        _ => false,
    }
}

/// A byte of each dword of a register, or of a dword for all channels.
fn byte_of(src: VSrc, byte: u32, exec: ExecSize) -> VSrc {
    let Src::Direct { reg, region, ty, .. } = src else { return src };
    let bytes = if region.is_scalar() { region } else { build::strided(4, exec) };
    Src::new(reg.plus(byte), bytes, build::int_type(1, ty.is_signed()))
}

/// Whether the first source is narrower than the result.
fn widens(inst: &VInst) -> bool {
    let bytes = |ty: Option<Type>| ty.map_or(0, Type::bytes);
    !inst.src[0].is_imm() && bytes(inst.src[0].ty()) < bytes(inst.dst.ty())
}

/// `(a << n) | (a >> (bits - n))`, or the mirror image; shift counts are taken modulo the width.
fn rotate_by_shifts(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    // A vector of constants has a count, or a number, for each channel.
    let vector = |s: &VSrc| matches!(s, Src::Imm { ty: Type::V | Type::Uv, .. });
    if let Some(i) = inst.src.iter().position(vector) {
        let mut new = *inst;
        let bytes = if i == 0 { inst.dst.ty().map_or(4, Type::bytes) } else { 4 };
        lx.stage_source(&mut new, i, build::signed_int(bytes), 1);
        lx.inst(new);
        return Step::Replaced;
    }
    let Some(ty) = inst.src[0].ty() else { return Step::Keep };
    let unsigned = Type::unsigned(ty.bytes()).unwrap_or(Type::Ud);
    let lanes = inst.exec.lanes();
    let (one, two, count) = (
        lx.aligned_temp(lanes * ty.bytes()),
        lx.aligned_temp(lanes * ty.bytes()),
        lx.aligned_temp(lanes * 4),
    );
    let packed = build::strided(1, inst.exec);
    let value = with_type(inst.src[0], unsigned);
    let width = u64::from(ty.bytes()) * 8;
    let (first, second) = if inst.op == Op::Rol { (Op::Shl, Op::Shr) } else { (Op::Shr, Op::Shl) };
    let all = lanes_of(inst);
    // Shifts look at five bits of the count, whatever the width.
    let forth = match inst.src[1] {
        Src::Imm { bits, .. } => Src::uw(low_u16(bits % width)),
        other if ty.bytes() >= 4 => other,
        other => masked(lx, inst, other, width),
    };
    lx.helper(build::op(first, all, Dst::packed(one, unsigned), &[value, forth]), inst);
    match inst.src[1] {
        Src::Imm { bits, .. } => {
            let back = Src::uw(low_u16((width - bits % width) % width));
            lx.helper(build::op(second, all, Dst::packed(two, unsigned), &[value, back]), inst);
        }
        count_src => {
            // Of the low bits of the count, minus the count will do.
            let mods = count_src.mods();
            let minus = super::operand::with_modifiers(count_src, SrcMod::new(mods.abs(), !mods.neg()));
            lx.helper(build::mov(all, Dst::packed(count, Type::D), minus), inst);
            let mut back = Src::new(count, packed, Type::Ud);
            if ty.bytes() < 4 {
                back = masked(lx, inst, back, width);
            }
            lx.helper(build::op(second, all, Dst::packed(two, unsigned), &[value, back]), inst);
        }
    }
    let mut or = *inst;
    or.op = Op::Or;
    or.src = [Src::new(one, packed, unsigned), Src::new(two, packed, unsigned), Src::None];
    lx.inst(or);
    Step::Replaced
}

/// A count modulo a width.
fn masked(lx: &mut Legalizer<'_>, inst: &VInst, count: VSrc, width: u64) -> VSrc {
    let reg = lx.aligned_temp(inst.exec.lanes() * 4);
    let srcs = [count, Src::imm(width - 1, Type::Uw)];
    lx.helper(build::op(Op::And, lanes_of(inst), Dst::packed(reg, Type::Ud), &srcs), inst);
    Src::new(reg, build::strided(1, inst.exec), Type::Ud)
}

/// A logical shift right works on unsigned values.
fn unsigned_shift(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    let Some(ty) = inst.src[0].ty() else { return Step::Keep };
    let mut new = *inst;
    if ty == Type::V {
        // Signed numbers of four bits, words to what shifts them.
        lx.stage_source(&mut new, 0, Type::W, 1);
        lx.inst(new);
        return Step::Replaced;
    }
    if !ty.is_signed() || inst.src[0].mods().any() {
        return Step::Keep;
    }
    let Some(unsigned) = Type::unsigned(ty.bytes()) else { return Step::Keep };
    new.src[0] = match inst.src[0] {
        Src::Imm { bits, .. } => Src::imm(bits & ones(8 * ty.bytes()), unsigned),
        register => with_type(register, unsigned),
    };
    lx.inst(new);
    Step::Replaced
}
