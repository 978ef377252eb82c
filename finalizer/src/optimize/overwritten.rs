//! Writes that nobody reads before the same channels write the same bytes again.
//!
//! Unlike [`dead`](super::dead) this asks nothing about who reads a variable later: it only looks from
//! a write back to the one before, so it holds for variables of any reach.

use gen_ir::{Dst, Extent, Inst, Kernel, Op, Payload, Role, VarClass, Virtual};

use super::dead::{goes_elsewhere, removable};
use crate::lists::reset;

/// A write that is not read between the place in question and itself.
#[derive(Clone, Copy, Debug)]
pub struct Later {
    /// The block it stands in.
    block: u32,
    bytes: Extent,
    /// Element, first channel, channels, stride in elements; `None` for all channels and no gaps.
    shape: Option<(u32, u8, u32, u8)>,
}

const NEVER: Later = Later { block: u32::MAX, bytes: Extent { start: 0, end: 0 }, shape: None };

/// Removes overwritten results in every block. `elsewhere`: some instruction has to do with code elsewhere.
pub fn eliminate(kernel: &mut Kernel<Virtual>, grf_bytes: u32, elsewhere: bool, later: &mut Vec<Later>) {
    reset(later, kernel.vars.len(), NEVER);
    let Kernel { vars, blocks, .. } = kernel;
    for (b, block) in blocks.iter_mut().enumerate() {
        let mut removed = false;
        // Such code reads who knows what.
        if elsewhere && block.insts.iter().any(goes_elsewhere) {
            continue;
        }
        let stamp = b as u32;
        for inst in block.insts.iter_mut().rev() {
            if let Some(v) = inst.dst.reg().and_then(|r| r.var())
                && let Some(bytes) = inst.dst_extent(grf_bytes)
                && vars[v.index()].class == VarClass::General
                && !vars[v.index()].address_taken
            {
                let known = &mut later[v.index()];
                let shape = shape(inst);
                let covered = known.block == stamp
                    && match known.shape {
                        None => known.bytes.contains(bytes),
                        Some(s) => known.bytes == bytes && shape == Some(s) && !inst.no_mask,
                    };
                if covered && removable(inst) {
                    *inst = Inst::new(Op::Nop, inst.exec);
                    removed = true;
                    continue;
                }
                let whole = inst.pred.is_none() || inst.op == Op::Sel;
                if whole && inst.no_mask && inst.dst_is_dense() {
                    *known = Later { block: stamp, bytes, shape: None };
                } else if whole && shape.is_some() && !inst.no_mask {
                    *known = Later { block: stamp, bytes, shape };
                }
            }
            inst.for_each_reg(|role, reg| {
                if let Some(v) = reg.var()
                    && role != Role::Dst
                {
                    later[v.index()].block = NEVER.block;
                }
            });
        }
        if removed {
            block.insts.retain(|i| i.op != Op::Nop);
        }
    }
}

fn shape(inst: &Inst<Virtual>) -> Option<(u32, u8, u32, u8)> {
    match inst.dst {
        Dst::Direct { horz, ty, .. } if matches!(inst.payload, Payload::None | Payload::Math(_)) => {
            Some((ty.bytes(), inst.chan, inst.exec.lanes(), horz))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gen_ir::{Block, ExecSize, Reg, Src, Type, Var, VarId};
    use platforms::Platform;

    fn run(insts: impl Fn(&[VarId]) -> Vec<Inst<Virtual>>) -> usize {
        let mut k = Kernel::new("k", Platform::Skl);
        let v: Vec<VarId> = (0..2).map(|_| k.add_var(Var::temp(VarClass::General, 64, 32))).collect();
        k.blocks.push(Block { insts: insts(&v), succs: Default::default() });
        eliminate(&mut k, 32, true, &mut Vec::new());
        k.blocks[0].insts.len()
    }

    fn mov(to: VarId, src: Src<Virtual>, lanes: ExecSize) -> Inst<Virtual> {
        let mut i = Inst::new(Op::Mov, lanes);
        i.dst = Dst::packed(Reg::var_at(to, 0), Type::D);
        i.src[0] = src;
        i
    }

    #[test]
    fn only_the_last_of_equal_writes_stays() {
        let s8 = ExecSize::S8;
        assert_eq!(run(|v| vec![mov(v[0], Src::d(1), s8), mov(v[0], Src::d(2), s8)]), 1);
    }

    #[test]
    fn what_is_read_or_wider_stays() {
        let (s8, s16) = (ExecSize::S8, ExecSize::S16);
        let read = |v| Src::new(Reg::var_at(v, 0), gen_ir::Region::new(8, 8, 1), Type::D);
        let between =
            |v: &[VarId]| vec![mov(v[0], Src::d(1), s8), mov(v[1], read(v[0]), s8), mov(v[0], Src::d(2), s8)];
        assert_eq!(run(between), 3);
        assert_eq!(run(|v| vec![mov(v[0], Src::d(1), s16), mov(v[0], Src::d(2), s8)]), 2);
        let unmasked =
            |v: &[VarId]| vec![Inst { no_mask: true, ..mov(v[0], Src::d(1), s8) }, mov(v[0], Src::d(2), s8)];
        assert_eq!(run(unmasked), 2);
    }
}
