//! Moves of dwords as floats, where only those have a compacted form.
//!
//! `mov (8) r1.0<2>:ud r2.0<2;1,0>:ud` becomes `mov (8) r1.0<2>:f r2.0<2;1,0>:f`: a move from a type to itself, without
//! modifiers, copies bits, denormals and NaNs too (PRM, volume 2a, "mov"; Intel's finalizer writes such moves so). Moves from
//! and to other register files stay: the tables have those of accumulators and flags as integers.

use gen_ir::{Base, Dst, Inst, Kernel, Op, Options, Physical, Reg, Src, SrcMod, Type};

/// Names the types of such moves anew. Behind all passes that look at types.
pub(crate) fn rename(kernel: &mut Kernel<Physical>) {
    for inst in kernel.blocks.iter_mut().flat_map(|block| &mut block.insts) {
        if let Some((dst, src)) = copied(inst) {
            (inst.dst, inst.src[0]) = (dst, src);
        }
    }
}

/// The operands of a move of dwords that only copies them, as floats.
fn copied(inst: &Inst<Physical>) -> Option<(Dst<Physical>, Src<Physical>)> {
    let Dst::Direct { reg, horz, ty } = inst.dst else { return None };
    let Src::Direct { reg: from, region, mods: SrcMod::None, ty: read } = inst.src[0] else { return None };
    let copies =
        inst.op == Op::Mov && !inst.sat && inst.cond.is_none() && !inst.opts.has(Options::NO_COMPACT);
    let dwords = [ty, read].iter().all(|t| matches!(t, Type::D | Type::Ud));
    let general = |reg: Reg<Physical>| matches!(reg.base(), Base::Grf(_));
    (copies && dwords && general(reg) && general(from)).then_some((
        Dst::Direct { reg, horz, ty: Type::F },
        Src::Direct { reg: from, region, mods: SrcMod::None, ty: Type::F },
    ))
}
