//! Moves of constant sets of channels through addresses become `smov`.
//!
//! Compilers write a lane's element of an array that lives in registers as `setp P = 1 << lane; (P) mov
//! r[a0.lane] = x`. `smov` holds the set itself, and nobody has to make the flag.
//!
//! Volume 2a, `smov` (Broadwell to Ice Lake): source 1 is an immediate with a bit for each channel.
//! Intel's compiler writes it for 8 and 16 channels from channel 0 or 16 on, without modifiers, for integers that do not get
//! narrower, of at least a word, and for floats that stay what they are; so do we.

use gen_ir::{Dst, ExecSize, Inst, Kernel, Op, Pool, Reg, Role, Src, Type, Var, VarClass, VarId, Virtual};
use narrow::{low_u16, to_u16};

use super::candidates::scatters;
use crate::build;

/// How many halves of flags are remembered: compilers set one right before it is used.
const REMEMBERED: usize = 16;

/// Memory that the pass works in.
#[derive(Debug, Default)]
pub(super) struct ScatterMemory {
    /// What constant each half of a flag has, by the byte where that starts.
    known: Vec<(VarId, u32, u16)>,
    /// Constants to make, and before which instruction.
    made: Vec<(usize, Inst<Virtual>)>,
}

/// Replaces such moves in every block. Returns whether there may have been any.
pub(super) fn moves(
    kernel: &mut Kernel<Virtual>,
    memory: &mut ScatterMemory,
    pool: &mut Pool<Virtual>,
) -> bool {
    let ScatterMemory { known, made } = memory;
    for b in 0..kernel.blocks.len() {
        if !kernel.blocks[b].insts.iter().any(scatters) {
            continue;
        }
        known.clear();
        made.clear();
        let mut insts = std::mem::take(&mut kernel.blocks[b].insts);
        for (i, inst) in insts.iter_mut().enumerate() {
            let set = inst.pred.filter(|_| scatters(inst)).and_then(|p| {
                let half = u32::from(inst.chan) / 8;
                let bits = known.iter().find(|k| Some(k.0) == p.flag.var() && k.1 == half)?.2;
                Some(if p.inv { !bits } else { bits })
            });
            if let Some(set) = set {
                (inst.op, inst.pred) = (Op::Smov, None);
                inst.src[1] = Src::uw(set & to_u16((1u32 << inst.exec.lanes()) - 1));
                // There is no room for a second immediate.
                if let value @ Src::Imm { ty, .. } = inst.src[0] {
                    let reg = Reg::var_at(kernel.add_var(build::general(ty.bytes(), ty.bytes())), 0);
                    inst.src[0] = Src::scalar(reg, ty);
                    let constant = build::mov(build::Lanes::SCALAR, Dst::packed(reg, ty), value);
                    made.push((i, Inst { origin: inst.origin, ..constant }));
                }
            }
            learn(inst, &kernel.vars, known);
        }
        put_before(&mut insts, made, pool);
        kernel.blocks[b].insts = insts;
    }
    true
}

/// Puts instructions where they belong, from the last to the first, each in front of the one with its number.
fn put_before(
    insts: &mut Vec<Inst<Virtual>>,
    made: &mut Vec<(usize, Inst<Virtual>)>,
    pool: &mut Pool<Virtual>,
) {
    let mut from = insts.len();
    pool.grow(insts, made.len());
    insts.extend(made.iter().map(|m| m.1));
    while let Some((at, inst)) = made.pop() {
        insts.copy_within(at..from, at + made.len() + 1);
        insts[at + made.len()] = inst;
        from = at;
    }
}

/// What an instruction tells about flags.
fn learn(inst: &Inst<Virtual>, vars: &[Var], known: &mut Vec<(VarId, u32, u16)>) {
    let word = inst.exec == ExecSize::S1 && inst.dst.ty().is_some_and(|t| t.bytes() == 2);
    inst.for_each_reg(|role, reg| {
        if let (Some(v), true) = (reg.var(), role.is_write()) {
            let one = role == Role::Dst && word;
            known.retain(|k| k.0 != v || one && k.1 != reg.byte);
        }
    });
    if let (Op::Mov, true, None, ExecSize::S1, Src::Imm { bits, .. }) =
        (inst.op, inst.no_mask, inst.pred, inst.exec, inst.src[0])
        && let Dst::Direct { reg, ty: ty @ (Type::Uw | Type::W | Type::Ud | Type::D), .. } = inst.dst
        && let Some(v) = reg.var()
        && vars[v.index()].class == VarClass::Flag
        && (reg.byte == 0 || reg.byte == 2 && ty.bytes() == 2)
    {
        if known.len() + 2 > REMEMBERED {
            known.drain(..2);
        }
        known.push((v, reg.byte, low_u16(bits)));
        if ty.bytes() == 4 {
            known.push((v, 2, low_u16(bits >> 16)));
        }
    }
}

#[cfg(test)]
mod tests {
    use gen_ir::{Block, GrfNum, Pred, PredCtrl, Region};
    use platforms::Platform;

    use super::*;

    /// `mov flag = set; (flag) mov r[a0.3] = value`.
    fn scattered(platform: Platform, inv: bool, value: Src<Virtual>) -> Vec<Inst<Virtual>> {
        let mut k = Kernel::new("k", platform);
        let flag = Reg::var_at(k.add_var(Var::temp(VarClass::Flag, 2, 2)), 0);
        let one = build::Lanes { exec: ExecSize::S1, chan: 0, no_mask: true };
        let set = build::mov(one, Dst::packed(flag, Type::Uw), Src::uw(0x8));
        let mut mov = Inst::new(Op::Mov, ExecSize::S16);
        let addr = Reg::var_at(k.add_var(Var::temp(VarClass::Address, 32, 32)), 6);
        mov.dst = Dst::Indirect { addr, imm: 0, horz: 1, ty: Type::D };
        mov.src[0] = value;
        mov.pred = Some(Pred { flag, inv, ctrl: PredCtrl::Seq });
        k.blocks.push(Block { insts: vec![set, mov], ..Block::default() });
        moves(&mut k, &mut ScatterMemory::default(), &mut Pool::default());
        k.blocks.remove(0).insts
    }

    #[test]
    fn a_constant_set_of_channels_is_an_immediate() {
        let word = Src::new(Reg::grf(GrfNum::new(9), 0), Region::SCALAR, Type::W);
        for (inv, bits) in [(false, 0x8), (true, 0xfff7)] {
            let insts = scattered(Platform::Skl, inv, word);
            assert_eq!((insts[1].op, insts[1].pred, insts[1].src[1]), (Op::Smov, None, Src::uw(bits)));
        }
        // A second immediate has no room: it is made before.
        let insts = scattered(Platform::Skl, false, Src::d(7));
        assert_eq!((insts[1].op, insts[1].src[0]), (Op::Mov, Src::d(7)));
        assert_eq!(insts[2].op, Op::Smov);
    }

    #[test]
    fn what_smov_cannot_move_stays() {
        let bytes = Src::new(Reg::grf(GrfNum::new(9), 0), Region::SCALAR, Type::B);
        // The destination is of dwords.
        let float = Src::new(Reg::grf(GrfNum::new(9), 0), Region::SCALAR, Type::F);
        for value in [bytes, float] {
            assert_eq!(scattered(Platform::Skl, false, value)[1].op, Op::Mov);
        }
        // Where there is no such operation, the list leaves the pass out.
        let pass = crate::PASSES.iter().find(|pass| pass.name == "scatter-moves").expect("a pass");
        let is_needless = |platform: Platform| pass.needless_on(platform.caps()).is_some();
        assert_eq!([Platform::Skl, Platform::Tgllp].map(is_needless), [false, true]);
    }
}
