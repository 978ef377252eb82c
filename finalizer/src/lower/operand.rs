//! Operands: vISA vector and raw operands become Gen IR operands.

use gen_ir::{Dst, ExecSize, Region, Src, SrcMod, Type};
use visa::{AddressOperand, GeneralOperand, IndirectOperand, Modifier, RawOperand, VectorOperand};

use super::{Lowered, Lowerer, vars::Home};
use crate::build::{Lanes, VDst, VReg, VSrc};

/// vISA execution sizes are Gen's.
pub(crate) fn exec_size(size: visa::ExecSize) -> ExecSize {
    ExecSize::ALL[usize::from(size.raw())]
}

/// The Gen type of a vISA type; `Bool` has none.
pub(crate) fn gen_type(ty: visa::Type) -> Lowered<Type> {
    Ok(match ty {
        visa::Type::UD => Type::Ud,
        visa::Type::D => Type::D,
        visa::Type::UW => Type::Uw,
        visa::Type::W => Type::W,
        visa::Type::UB => Type::Ub,
        visa::Type::B => Type::B,
        visa::Type::DF => Type::Df,
        visa::Type::F => Type::F,
        visa::Type::V => Type::V,
        visa::Type::VF => Type::Vf,
        visa::Type::UQ => Type::Uq,
        visa::Type::UV => Type::Uv,
        visa::Type::Q => Type::Q,
        visa::Type::HF => Type::Hf,
        visa::Type::BF => Type::Bf,
        visa::Type::Bool => return Err("an operand of type bool".into()),
    })
}

/// Arithmetic negation and absolute value; `Not` is `neg` in bitwise instructions.
const fn modifiers(modifier: Modifier) -> SrcMod {
    match modifier {
        Modifier::None | Modifier::Sat => SrcMod::NONE,
        Modifier::Abs => SrcMod::ABS,
        Modifier::Neg | Modifier::Not => SrcMod::NEG,
        Modifier::NegAbs => SrcMod { abs: true, neg: true },
    }
}

/// Gen's region: without a vertical stride, rows have an address each; without a width, it is a stride.
fn region(region: visa::Region) -> Region {
    match region.width() {
        Some(width) => {
            let vert = region.vstride().unwrap_or(Region::VXH);
            Region::new(vert, width.max(1), region.hstride().unwrap_or(0))
        }
        None => Region::new(region.hstride().unwrap_or(1), 1, 0),
    }
}

impl Lowerer<'_> {
    /// The register a general operand starts in, and the type of its elements.
    #[inline]
    fn general(&self, g: &GeneralOperand) -> Lowered<(VReg, Type)> {
        match self.vars.place(g, self.grf()) {
            Some(place) => Ok(place),
            None => self.unusual(g),
        }
    }

    /// The same for a predefined variable, or one that has no place.
    #[cold]
    fn unusual(&self, g: &GeneralOperand) -> Lowered<(VReg, Type)> {
        let ty = gen_type(self.visa.var_type(g.var).ok_or("no such variable")?)?;
        let byte = u32::from(g.row) * self.grf() + u32::from(g.col) * ty.bytes();
        let reg = match self.home(g.var)? {
            Home::Null => VReg::NULL,
            Home::Var(var, base) => VReg::var_at(var, base + byte),
            Home::Arf(arf, base) => VReg::arf(arf, base + byte),
            Home::Missing(why) => return Err(why.into()),
        };
        Ok((reg, ty))
    }

    /// A source operand of the current instruction.
    pub(crate) fn src(&mut self, operand: &VectorOperand) -> Lowered<VSrc> {
        self.src_for(operand, self.lanes)
    }

    /// A source operand of an instruction on `lanes`.
    pub(crate) fn src_for(&mut self, operand: &VectorOperand, lanes: Lanes) -> Lowered<VSrc> {
        match operand {
            VectorOperand::General(g) => {
                let (reg, ty) = self.general(g)?;
                let region = if lanes.exec == ExecSize::S1 { Region::SCALAR } else { region(g.region) };
                Ok(Src::Direct { reg, region, mods: modifiers(g.modifier), ty })
            }
            VectorOperand::Indirect(i) => self.indirect_src(i, lanes),
            VectorOperand::Immediate { ty, bits } => Ok(Src::imm(*bits, gen_type(*ty)?)),
            VectorOperand::Address(a) => self.address_src(a, lanes),
            VectorOperand::Predicate(p, _) => {
                let flag = self.flag(p.id, lanes)?;
                let ty = if self.out.vars[flag.index()].bytes > 2 { Type::Ud } else { Type::Uw };
                Ok(Src::scalar(VReg::var_at(flag, 0), ty))
            }
            VectorOperand::Surface { surface, .. } => {
                let handle = self.surface_handle(*surface)?;
                match (handle.known, handle.var) {
                    (Some(value), _) => Ok(Src::ud(value)),
                    (None, Some(var)) => Ok(Src::scalar(VReg::var_at(var, 0), Type::Ud)),
                    (None, None) => Err("a surface that is never set".into()),
                }
            }
            VectorOperand::Sampler { sampler, .. } => {
                let handle = self.sampler_handle(*sampler)?;
                match (handle.known, handle.var) {
                    (Some(value), _) => Ok(Src::ud(value)),
                    (None, Some(var)) => Ok(Src::scalar(VReg::var_at(var, 0), Type::Ud)),
                    (None, None) => Err("a sampler that is never set".into()),
                }
            }
        }
    }

    fn address_src(&mut self, a: &AddressOperand, lanes: Lanes) -> Lowered<VSrc> {
        let reg = VReg::var_at(self.address(a.addr)?, 2 * u32::from(a.offset));
        let width = a.width.lanes().min(lanes.exec.lanes());
        let region = match width {
            1 => Region::SCALAR,
            w if w < lanes.exec.lanes() => Region::new(0, w as u8, 1),
            _ => Region::PACKED,
        };
        Ok(Src::Direct { reg, region, mods: modifiers(a.modifier), ty: Type::Uw })
    }

    fn indirect_src(&mut self, i: &IndirectOperand, lanes: Lanes) -> Lowered<VSrc> {
        let addr = VReg::var_at(self.address(i.addr)?, 2 * u32::from(i.addr_offset));
        let mut region = region(i.region);
        if lanes.exec == ExecSize::S1 {
            region = Region::SCALAR;
        } else if region.vert == Region::VXH && u32::from(region.width) >= lanes.exec.lanes() {
            // One address in all.
            let horz = region.horz;
            region = if horz == 0 { Region::SCALAR } else { Region::new(horz, 1, 0) };
        }
        Ok(Src::Indirect { addr, imm: i.offset, region, mods: modifiers(i.modifier), ty: gen_type(i.ty)? })
    }

    /// A destination operand and whether it saturates.
    pub(crate) fn dst(&mut self, operand: &VectorOperand) -> Lowered<(VDst, bool)> {
        let sat = operand.is_saturated();
        let dst = match operand {
            VectorOperand::General(g) => {
                let (reg, ty) = self.general(g)?;
                Dst::Direct { reg, horz: g.region.hstride().unwrap_or(1).max(1), ty }
            }
            VectorOperand::Indirect(i) => Dst::Indirect {
                addr: VReg::var_at(self.address(i.addr)?, 2 * u32::from(i.addr_offset)),
                imm: i.offset,
                horz: i.region.hstride().unwrap_or(1).max(1),
                ty: gen_type(i.ty)?,
            },
            VectorOperand::Address(a) => {
                Dst::packed(VReg::var_at(self.address(a.addr)?, 2 * u32::from(a.offset)), Type::Uw)
            }
            other => return Err(format!("a destination that is a {}", other.class_name()).into()),
        };
        Ok((dst, sat))
    }

    /// A scalar source, usable outside of the execution mask.
    pub(crate) fn scalar_src(&mut self, operand: &VectorOperand) -> Lowered<VSrc> {
        self.src_for(operand, Lanes::SCALAR)
    }

    /// The register of a raw operand, null for `%null`.
    pub(crate) fn raw(&self, operand: RawOperand) -> Lowered<VReg> {
        Ok(match self.home(operand.var)? {
            Home::Null => VReg::NULL,
            Home::Var(var, base) => VReg::var_at(var, base + u32::from(operand.offset)),
            Home::Arf(arf, base) => VReg::arf(arf, base + u32::from(operand.offset)),
            Home::Missing(why) => return Err(why.into()),
        })
    }
}
