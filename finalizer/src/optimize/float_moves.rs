//! Moves of dwords as floats, where only those have a compacted form.
//!
//! `mov (8) r1.0<2>:ud r2.0<2;1,0>:ud` becomes `mov (8) r1.0<2>:f r2.0<2;1,0>:f`: a move from a type to itself, without
//! modifiers, copies bits, denormals and NaNs too (PRM, volume 2a, "mov"; Intel's finalizer writes such moves so). Moves from
//! and to other register files stay: the tables have those of accumulators and flags as integers.

use gen_ir::{Base, Dst, Inst, Kernel, Options, Physical, Reg, Src, Type};

/// Names the types of such moves anew. Behind all passes that look at types.
pub(crate) fn rename(kernel: &mut Kernel<Physical>) {
    for inst in kernel.blocks.iter_mut().flat_map(|block| &mut block.insts).filter(|inst| copies_dwords(inst))
    {
        if let (Dst::Direct { ty, .. }, Src::Direct { ty: read, .. }) = (&mut inst.dst, &mut inst.src[0]) {
            (*ty, *read) = (Type::F, Type::F);
        }
    }
}

/// Whether an instruction only copies dwords from general registers to such.
fn copies_dwords(inst: &Inst<Physical>) -> bool {
    let general = |reg: Option<Reg<Physical>>| reg.is_some_and(|reg| matches!(reg.base(), Base::Grf(_)));
    let copies = inst.is_raw_move() && inst.cond.is_none() && !inst.opts.has(Options::NO_COMPACT);
    copies
        && inst.dst.ty().is_some_and(Type::is_dword)
        && general(inst.dst.reg())
        && matches!(inst.src[0], Src::Direct { reg, .. } if general(Some(reg)))
}
