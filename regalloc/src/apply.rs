//! From variables to registers, once every variable has a place.

use gen_ir::{Arf, Base, Block, Inst, Kernel, Physical, Pool, Reg, Src, VarClass, Virtual};

/// Rewrites all operands. `at` is the byte offset of each variable in its register file; operands name
/// only variables that have one.
pub(crate) fn apply(kernel: &Kernel<Virtual>, at: &[u32], pool: &mut Pool<Physical>) -> Kernel<Physical> {
    let grf = u32::from(kernel.platform.caps().grf_bytes);
    let place = |reg: Reg<Virtual>| -> Reg<Physical> {
        match reg.base {
            Base::Grf(n) => Reg::grf(n + (reg.byte / grf) as u16, reg.byte % grf),
            Base::Arf(a) => Reg::arf(a, reg.byte),
            Base::Var(v) => {
                // Variables that are only named, never live (a flag that `sel` encodes), sit at 0.
                let base = at.get(v.index()).copied().filter(|&x| x != u32::MAX).unwrap_or(0);
                let byte = base + reg.byte;
                match kernel.vars[v.index()].class {
                    VarClass::General => Reg::grf((byte / grf) as u16, byte % grf),
                    VarClass::Flag => Reg::arf(Arf::Flag((byte / 4) as u8), byte % 4),
                    VarClass::Address => Reg::arf(Arf::Addr(0), byte),
                }
            }
        }
    };
    let one = |inst: &Inst<Virtual>| {
        let mut out = inst.map_regs(|_, reg| place(reg));
        for src in &mut out.src {
            if let Src::AddrOf { reg, ty } = *src {
                let Base::Grf(n) = reg.base else { continue };
                *src = Src::imm(u64::from(n) * u64::from(grf) + u64::from(reg.byte), ty);
            }
        }
        out
    };
    let mut out = pool.kernel(&kernel.name, kernel.platform);
    for block in &kernel.blocks {
        let mut insts = pool.list(block.insts.len());
        insts.extend(block.insts.iter().map(one));
        out.blocks.push(Block { insts, succs: block.succs.clone() });
    }
    out.subroutines.extend_from_slice(&kernel.subroutines);
    Kernel {
        grf_count: kernel.grf_count,
        simd: kernel.simd,
        spill_offset: kernel.spill_offset,
        payload_loads: kernel.payload_loads,
        ..out
    }
}
