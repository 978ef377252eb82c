//! From variables to registers, once every variable has a place.

use crate::place::copies::bits_copied;
use gen_ir::{
    Base, Block, FileByte, InPlace, Inst, Kernel, Op, Physical, Pool, Reg, RegisterSet, Src, VarClass, VarId,
    Virtual,
};
use typed_index_collections::TiSlice;

/// Rewrites all operands and leaves out what then copies registers to themselves. `at` is the first byte of each variable in its register file; operands name
/// only variables that have one.
pub(crate) fn apply(
    kernel: &Kernel<Virtual>,
    at: &TiSlice<VarId, Option<FileByte>>,
    pool: &mut Pool<Physical>,
) -> Kernel<Physical> {
    // Registers have a power of two of bytes.
    let grf_bytes = u32::from(kernel.platform.caps().regs.grf_bytes);
    let general = |at: FileByte| Reg::in_file(at, grf_bytes);
    let place = |reg: Reg<Virtual>| -> Reg<Physical> {
        match reg.base() {
            Base::Grf(n) => general(n.start(grf_bytes).plus(reg.byte)),
            Base::Arf(a) => Reg::arf(a, reg.byte),
            Base::Var(v) => {
                // Variables that are only named, never live (a flag that `sel` encodes), sit at 0.
                let first = at.get(v).copied().flatten().unwrap_or_default();
                let at = first.plus(reg.byte);
                match kernel.vars[v.index()].class {
                    VarClass::General => general(at),
                    VarClass::Flag => Reg::in_flags(at),
                    VarClass::Address => Reg::in_addresses(at),
                }
            }
        }
    };
    let mut out = pool.kernel(&kernel.name, kernel.platform);
    for block in &kernel.blocks {
        let mut insts = pool.list(block.insts.len());
        for inst in block.insts.iter().filter(|inst| !inst.is_start_of_life()) {
            insts.push(Inst::new(inst.op, inst.exec));
            let Some(new) = insts.last_mut() else { continue };
            inst.map_regs_into(new, |_, reg| place(reg));
            if inst.op == Op::Mov && is_idle_copy(new) {
                insts.pop();
                continue;
            }
            if inst.src.iter().any(|src| matches!(src, Src::AddrOf { .. })) {
                addresses(&mut new.src, grf_bytes);
            }
        }
        out.blocks.push(Block { insts, succs: block.succs.clone() });
    }
    out.subroutines.extend_from_slice(&kernel.subroutines);
    Kernel {
        grf_count: kernel.grf_count,
        reserved: kernel.reserved,
        simd: kernel.simd,
        spill_offset: kernel.spill_offset,
        outside: kernel.outside,
        payload_loads: kernel.payload_loads,
        addressed: addressed(kernel, at, grf_bytes),
        ..out
    }
}

/// The registers of the variables whose address is taken; all, if there are none.
fn addressed(kernel: &Kernel<Virtual>, at: &TiSlice<VarId, Option<FileByte>>, grf_bytes: u32) -> RegisterSet {
    let mut regs = RegisterSet::EMPTY;
    for (var, at) in kernel.vars.iter().zip(at) {
        if let Some(at) = at
            && var.address_taken
            && var.class == VarClass::General
        {
            let (from, to) = (at.bytes(), at.bytes() + var.bytes);
            regs |= RegisterSet::between(from / grf_bytes, to.div_ceil(grf_bytes));
        }
    }
    if regs.is_empty() { RegisterSet::ALL } else { regs }
}

/// Whether a move copies a register's bits to themselves, whichever channels run.
fn is_idle_copy(inst: &Inst<Physical>) -> bool {
    bits_copied(inst).is_some_and(|(to, from)| to == from && matches!(to.base(), Base::Grf(_)))
}

/// Addresses of variables become numbers.
fn addresses(srcs: &mut [Src<Physical>], grf_bytes: u32) {
    for src in srcs {
        if let Src::AddrOf { reg: InPlace(reg), ty } = *src
            && let Base::Grf(n) = reg.base()
        {
            *src = Src::imm(u64::from(n.start(grf_bytes).bytes() + reg.byte), ty);
        }
    }
}
