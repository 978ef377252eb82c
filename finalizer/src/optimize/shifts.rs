//! Of a value shifted twice by constants, the second shift is by their sum.
//!
//! `shl x = y, a; ...; shl z = x, b` becomes `shl z = y, a + b` if nothing writes `y` in between, so nobody waits for the
//! first, which often goes. Copies of `x` are followed. In a block the mask does not change.

use gen_ir::{Dst, Inst, Kernel, Op, Reg, Src, SrcMod, Type, VarId, Virtual};

/// How far apart both may stand.
const REACH: usize = 64;

/// Rewrites blocks. Returns whether anything has changed.
pub(super) fn combine(kernel: &mut Kernel<Virtual>, grf_bytes: u32) -> bool {
    let Kernel { vars, blocks, .. } = kernel;
    let plain = |v: VarId| vars[v.index()].is_only_named();
    let mut any = false;
    for block in blocks {
        let insts = &mut block.insts;
        for i in 1..insts.len() {
            if let Some((first, sum)) = shifted_before(insts, i, plain, grf_bytes) {
                insts[i].src = [insts[first].src[0], Src::d(sum), Src::None];
                any = true;
            }
        }
    }
    any
}

/// The shift of what instruction `i` shifts, and how far both go, if the second can do without the first.
fn shifted_before(
    insts: &[Inst<Virtual>],
    i: usize,
    plain: impl Fn(VarId) -> bool,
    grf_bytes: u32,
) -> Option<(usize, i32)> {
    let (mut value, by) = shift(&insts[i])?;
    let mut at = i;
    // A shift, behind a copy or none.
    for _ in 0..2 {
        let v = value.var().filter(|v| plain(*v))?;
        at = written_at(insts, at, v)?;
        let Dst::Direct { reg, .. } = insts[at].dst else { return None };
        if reg != value || !insts[at].same_channels(&insts[i]) {
            return None;
        }
        if let Some((original, first)) = shift(&insts[at]) {
            let y = original.var().filter(|v| plain(*v))?;
            let read = insts[at].src_extent(0, grf_bytes)?;
            let changes = |inst: &Inst<Virtual>| {
                inst.dst_var() == Some(y)
                    && inst.dst_extent(grf_bytes).is_none_or(|written| written.overlaps(read))
            };
            let stays = !insts[at..i].iter().any(changes);
            return (stays && first + by < 32).then_some((at, first + by));
        }
        value = copied(&insts[at])?;
    }
    None
}

/// The nearest instruction before `i` that writes a variable, if it is not too far away.
pub(super) fn written_at(insts: &[Inst<Virtual>], i: usize, v: VarId) -> Option<usize> {
    let first = i.saturating_sub(REACH);
    let writes = |inst: &Inst<Virtual>| inst.dst_var() == Some(v);
    insts[first..i].iter().rposition(writes).map(|at| first + at)
}

/// What an instruction shifts to the left by a constant, dword by dword, and by how much.
fn shift(inst: &Inst<Virtual>) -> Option<(Reg<Virtual>, i32)> {
    let Src::Imm { bits: by @ 0..32, ty } = inst.src[1] else { return None };
    let known = inst.op == Op::Shl && ty.is_int() && !matches!(ty, Type::V | Type::Uv);
    let by = i32::try_from(by).ok()?;
    known.then(|| dwords(inst)).flatten().map(|value| (value, by))
}

/// What an instruction copies, dword by dword.
fn copied(inst: &Inst<Virtual>) -> Option<Reg<Virtual>> {
    (inst.op == Op::Mov).then(|| dwords(inst)).flatten()
}

/// The source of an instruction from dwords to dwords, channel by channel, that does nothing else.
fn dwords(inst: &Inst<Virtual>) -> Option<Reg<Virtual>> {
    let (Dst::Direct { horz: 1, ty: to, .. }, Src::Direct { reg, region, mods: SrcMod::None, ty }) =
        (inst.dst, inst.src[0])
    else {
        return None;
    };
    let packed = region.one_by_one(inst.exec.lanes());
    (inst.is_plain() && to.is_dword() && ty.is_dword() && packed).then_some(reg)
}
