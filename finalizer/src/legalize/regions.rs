//! Regions: rewritten into the shape that rules and compaction like best, and made legal.

use gen_ir::{Class, Dst, ExecSize, Op, Region, Src, Type};
use narrow::to_u8;

use super::{
    legalizer::{Legalizer, Step},
    operand::{is_scalar, linear_region},
};
use crate::build::VInst;

/// Sources whose region no instruction has are copied.
pub(super) fn rule(lx: &mut Legalizer<'_>, inst: &VInst) -> Step {
    let lanes = inst.exec.lanes();
    if inst.op.info().class == Class::Ternary {
        return Step::Keep;
    }
    for i in 0..3 {
        let Src::Direct { region, ty, .. } = inst.src[i] else { continue };
        if is_scalar(&inst.src[i], lanes) {
            continue;
        }
        let illegal = match region.stride(lanes) {
            Some(stride) => linear_region(stride, lanes).is_none(),
            None => !matches!(region.horz, 0 | 1 | 2 | 4) || region.vert > 32,
        };
        if illegal {
            let mut staged = *inst;
            lx.copy_source(&mut staged, i, ty);
            lx.inst(staged);
            return Step::Replaced;
        }
    }
    Step::Keep
}

impl Legalizer<'_> {
    /// The last touch on a legal instruction: one spelling for each region.
    pub(super) fn canonical(&mut self, inst: &mut VInst) {
        if inst.op.info().class == Class::Ternary {
            return;
        }
        let lanes = inst.exec.lanes();
        if inst.exec == ExecSize::S1 && inst.op != Op::Srnd {
            self.scalar_destination(inst);
        }
        for i in 0..3 {
            match inst.src[i] {
                Src::Direct { reg, region, mods, ty } => {
                    if inst.op == Op::Pln && i == 1 {
                        continue;
                    }
                    let region = if is_scalar(&inst.src[i], lanes) && !matches!(inst.op, Op::Line | Op::Pln) {
                        Region::SCALAR
                    } else {
                        self.spelled(reg, region, ty, lanes)
                    };
                    inst.src[i] = Src::Direct { reg, region, mods, ty };
                }
                // Where in its register an address points only the running kernel knows, and no row crosses one: each
                // element is a row.
                Src::Indirect { addr, imm, region, mods, ty } if region.vert != Region::VXH => {
                    let single = region.stride(lanes).and_then(|stride| linear_region(stride, lanes));
                    let region = single.unwrap_or(region);
                    inst.src[i] = Src::Indirect { addr, imm, region, mods, ty };
                }
                _ => {}
            }
        }
    }

    /// Rows as long as one register has room for, where they surely do not cross it.
    fn spelled(&self, reg: crate::build::VReg, region: Region, ty: Type, lanes: u32) -> Region {
        let Some(stride) = region.stride(lanes) else { return region };
        let single = linear_region(stride, lanes).unwrap_or(region);
        if stride != 1 || !self.caps.regions.float_regions || reg.is_null() {
            return single;
        }
        let width = lanes.min(self.grf() / ty.bytes()).min(16);
        if self.is_aligned(reg, width * ty.bytes()) {
            Region::new(to_u8(width), to_u8(width), 1)
        } else {
            single
        }
    }

    /// One channel: the stride says nothing, but it follows the execution type.
    fn scalar_destination(&self, inst: &mut VInst) {
        let exec = super::operand::exec_bytes(inst);
        if let Dst::Indirect { horz, ty, .. } = &mut inst.dst
            && ty.bytes() == 1
        {
            // As Intel's finalizer writes a byte behind an address, whatever it is computed from.
            *horz = 2;
        }
        let is_general = inst.dst.reg().is_some_and(|r| self.is_general(r));
        if let Dst::Direct { horz, ty, reg } = &mut inst.dst
            && !reg.is_null()
            && is_general
        {
            *horz = match exec / ty.bytes() {
                2 => 2,
                4 | 8 => 4,
                _ => 1,
            };
        }
    }
}
