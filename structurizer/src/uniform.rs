//! Predicates that hold the same bit for every lane.
//!
//! A uniform goto reads one bit of its predicate. Where it has to become a goto of all lanes, the
//! predicate must say that bit for each of them; most often it does, because the comparison ran for all
//! lanes on scalar operands without a mask.

use gen_ir::{Kernel, Op, Src, VarClass, VarId, Virtual};
use narrow::as_index;

/// For each variable, whether it is a flag whose every write gives all lanes the same bit.
#[derive(Debug, Default)]
pub(crate) struct Flags {
    pub uniform: Vec<bool>,
    written: Vec<bool>,
}

/// Finds uniform flags.
pub(crate) fn find_flags(kernel: &Kernel<Virtual>, width: u32, flags: &mut Flags) {
    let Flags { uniform, written } = flags;
    uniform.clear();
    uniform.extend(kernel.vars.iter().map(|v| v.class == VarClass::Flag));
    written.clear();
    written.resize(kernel.vars.len(), false);
    for (_, inst) in kernel.insts() {
        let whole = inst.no_mask && inst.chan == 0 && inst.pred.is_none();
        let scalar = |s: &Src<Virtual>| match s {
            Src::None | Src::Imm { .. } | Src::AddrOf { .. } => true,
            Src::Direct { region, .. } => region.is_scalar(),
            Src::Indirect { .. } | Src::Macro { .. } => false,
        };
        if let Some(c) = &inst.cond
            && let Some(VarId(v)) = c.flag.var()
            && !matches!(inst.op, Op::Sel | Op::Csel)
        {
            written[as_index(v)] = true;
            uniform[as_index(v)] &=
                whole && inst.exec.lanes() >= width && c.flag.byte == 0 && inst.src.iter().all(scalar);
        }
        if let gen_ir::Dst::Direct { reg, ty, .. } = &inst.dst
            && let Some(VarId(v)) = reg.var()
        {
            written[as_index(v)] = true;
            let lanes = if width == 32 { u64::from(u32::MAX) } else { (1 << width) - 1 };
            uniform[as_index(v)] &= whole
                && inst.op == Op::Mov
                && ty.bytes() == kernel.vars[as_index(v)].bytes
                && matches!(inst.src[0], Src::Imm { bits, .. } if bits == 0 || bits & lanes == lanes);
        }
    }
    for (u, w) in uniform.iter_mut().zip(written) {
        *u &= *w;
    }
}
