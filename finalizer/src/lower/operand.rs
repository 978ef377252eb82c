//! Operands: vISA vector and raw operands become Gen IR operands.

use gen_ir::{Dst, ExecSize, Region, Src, SrcMod, Type, VarClass};
use narrow::{const_u16, to_u8};
use visa::{AddressOperand, GeneralOperand, IndirectOperand, Modifier, RawOperand, VectorOperand};

pub(crate) use super::declarations::gen_type;
use super::{Lowered, Lowerer, NoVariable, Unsupported, declarations::Handle, location::Location};
use crate::build::{Lanes, VDst, VReg, VSrc};

/// vISA execution sizes are Gen's.
pub(crate) fn exec_size(size: visa::ExecSize) -> ExecSize {
    ExecSize::ALL[usize::from(size.raw())]
}

/// Arithmetic negation and absolute value; `Not` is `neg` in bitwise instructions.
const fn modifiers(modifier: Modifier) -> SrcMod {
    const MODS: [SrcMod; Modifier::ALL.len()] = {
        let mut mods = [SrcMod::None; Modifier::ALL.len()];
        mods[Modifier::Abs.index()] = SrcMod::Abs;
        mods[Modifier::Neg.index()] = SrcMod::Neg;
        mods[Modifier::Not.index()] = SrcMod::Neg;
        mods[Modifier::NegAbs.index()] = SrcMod::NegAbs;
        mods
    };
    MODS[modifier.index()]
}

/// Bits of a region's word.
const REGION_BITS: usize = 0x777;

/// Gen's region of each source region: without a vertical stride, rows have an address each; without a
/// width, it is a stride.
static REGIONS: [Region; REGION_BITS + 1] = {
    let mut regions = [Region::SCALAR; REGION_BITS + 1];
    let mut word = 0;
    while word <= REGION_BITS {
        if let Some(region) = visa::Region::from_raw(const_u16(word)) {
            let horz = region.hstride();
            regions[word] = match region.width() {
                Some(width) => {
                    let vert = or(region.vstride(), Region::VXH);
                    Region::new(vert, if width == 0 { 1 } else { width }, or(horz, 0))
                }
                None => Region::new(or(horz, 1), 1, 0),
            };
        }
        word += 1;
    }
    regions
};

/// The stride of each destination region.
static STRIDES: [u8; 8] = {
    let mut strides = [1; 8];
    let mut code = 0;
    while code < strides.len() {
        if let Some(region) = visa::Region::from_raw(const_u16(code << 8)) {
            let horz = or(region.hstride(), 1);
            strides[code] = if horz == 0 { 1 } else { horz };
        }
        code += 1;
    }
    strides
};

const fn or(value: Option<u8>, instead: u8) -> u8 {
    match value {
        Some(value) => value,
        None => instead,
    }
}

/// The region of an operand that has no addresses: without a vertical stride, all rows are one (Intel's finalizer writes it so;
/// its vector compiler drops strides that vISA has not).
fn direct(source: visa::Region) -> Region {
    let region = region(source);
    if region.vert == Region::VXH { Region::new(0, region.width, region.horz) } else { region }
}

fn region(region: visa::Region) -> Region {
    REGIONS[usize::from(region.raw()) & REGION_BITS]
}

fn stride(region: visa::Region) -> u8 {
    STRIDES[usize::from(region.raw() >> 8 & 7)]
}

/// A modifier that bitwise operations read as another one.
pub(crate) const fn is_arithmetic(modifier: Modifier) -> bool {
    matches!(modifier, Modifier::Neg | Modifier::NegAbs | Modifier::Abs)
}

impl Lowerer<'_> {
    /// The register a general operand starts in, and the type of its elements.
    #[inline]
    fn general(&self, g: &GeneralOperand) -> Lowered<(VReg, Type)> {
        match self.vars.place(g) {
            Some(place) => Ok(place),
            None => self.predefined(g),
        }
    }

    /// The same of a variable that has no place of its own: a predefined one, or one that this kernel cannot have.
    #[inline(never)]
    fn predefined(&self, g: &GeneralOperand) -> Lowered<(VReg, Type)> {
        let ty = gen_type(self.visa.var_type(g.var).ok_or(Unsupported::NoVariable(NoVariable::Undeclared))?)
            .ok_or(Unsupported::Bool)?;
        let byte = u32::from(g.row) * self.grf() + u32::from(g.col) * ty.bytes();
        let reg = match self.location(g.var)? {
            Location::Null => VReg::NULL,
            Location::Var(var, base) => VReg::var_at(var, base + byte),
            Location::Arf(arf, base) => VReg::arf(arf, base + byte),
            Location::Missing(why) => return Err(Unsupported::NoVariable(why).into()),
        };
        Ok((reg, ty))
    }

    /// A source operand of the current instruction.
    pub(crate) fn src(&mut self, operand: &VectorOperand) -> Lowered<VSrc> {
        self.src_for(operand, self.lanes)
    }

    /// A source operand of an instruction on `lanes`. Variables and constants become a part of the caller.
    #[inline(always)]
    pub(crate) fn src_for(&mut self, operand: &VectorOperand, lanes: Lanes) -> Lowered<VSrc> {
        match operand {
            VectorOperand::General(g) => {
                let (reg, ty) = self.general(g)?;
                if self.tails {
                    self.grow(reg, reg.byte + ty.bytes());
                }
                let region = if lanes.exec == ExecSize::S1 { Region::SCALAR } else { direct(g.region) };
                Ok(Src::Direct { reg, region, mods: modifiers(g.modifier), ty })
            }
            VectorOperand::Immediate { ty, bits } => {
                Ok(Src::imm(*bits, gen_type(*ty).ok_or(Unsupported::Bool)?))
            }
            VectorOperand::Indirect(i) => self.indirect_src(i, lanes),
            VectorOperand::Address(a) => self.address_src(a, lanes),
            VectorOperand::Predicate(p, _) => self.predicate_src(p.id, lanes),
            VectorOperand::Surface { surface, offset } => self.surface_src(*surface, *offset),
            VectorOperand::Sampler { sampler, offset } => self.sampler_src(*sampler, *offset),
        }
    }

    #[inline(never)]
    fn surface_src(&mut self, surface: visa::SurfaceId, offset: u8) -> Lowered<VSrc> {
        let handle = self.surface_handle(surface)?;
        self.handle_src(handle, offset)
    }

    #[inline(never)]
    fn sampler_src(&mut self, sampler: visa::SamplerId, offset: u8) -> Lowered<VSrc> {
        let handle = self.sampler_handle(sampler)?;
        self.handle_src(handle, offset)
    }

    #[inline(never)]
    fn predicate_src(&mut self, pred: visa::PredId, lanes: Lanes) -> Lowered<VSrc> {
        let flag = self.flag(pred, lanes)?;
        let ty = if self.out.vars[flag.index()].bytes > 2 { Type::Ud } else { Type::Uw };
        Ok(Src::scalar(VReg::var_at(flag, 0), ty))
    }

    /// An element of a surface's or sampler's handle.
    fn handle_src(&mut self, handle: Handle, offset: u8) -> Lowered<VSrc> {
        match handle.known {
            Some(value) => Ok(Src::ud(value)),
            None => Ok(Src::scalar(self.handle_element(handle, offset)?, Type::Ud)),
        }
    }

    #[inline(never)]
    fn address_src(&mut self, a: &AddressOperand, lanes: Lanes) -> Lowered<VSrc> {
        let reg = VReg::var_at(self.address(a.addr)?, 2 * u32::from(a.offset));
        let width = a.width.lanes().min(lanes.exec.lanes());
        let region = match width {
            1 => Region::SCALAR,
            w if w < lanes.exec.lanes() => Region::new(0, to_u8(w), 1),
            _ => Region::PACKED,
        };
        Ok(Src::Direct { reg, region, mods: modifiers(a.modifier), ty: Type::Uw })
    }

    #[inline(never)]
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
        let ty = gen_type(i.ty).ok_or(Unsupported::Bool)?;
        Ok(Src::Indirect { addr, imm: i.offset, region, mods: modifiers(i.modifier), ty })
    }

    /// A destination operand and whether it saturates.
    #[inline]
    pub(crate) fn dst(&mut self, operand: &VectorOperand) -> Lowered<(VDst, bool)> {
        let dst = match operand {
            VectorOperand::General(g) => {
                let (reg, ty) = self.general(g)?;
                (Dst::Direct { reg, horz: stride(g.region), ty }, g.modifier == Modifier::Sat)
            }
            other => self.addressed_dst(other)?,
        };
        if self.tails
            && let Dst::Direct { reg, horz, ty } = dst.0
        {
            self.grow(reg, reg.byte + ((self.lanes.exec.lanes() - 1) * u32::from(horz) + 1) * ty.bytes());
        }
        Ok(dst)
    }

    /// Gives the variable of an operand that reaches over its end the registers up to there (rule `register-tail`).
    #[cold]
    fn grow(&mut self, reg: VReg, end: u32) {
        let grf = self.grf();
        let Some(var) = reg.var() else { return };
        let var = &mut self.out.vars[var.index()];
        if var.class == VarClass::General && var.bytes < end {
            var.bytes = end.next_multiple_of(grf);
            var.align = var.align.max(grf);
        }
    }

    /// A destination that an address leads to, or that is one.
    #[inline(never)]
    fn addressed_dst(&mut self, operand: &VectorOperand) -> Lowered<(VDst, bool)> {
        let sat = operand.is_saturated();
        let dst = match operand {
            VectorOperand::Indirect(i) => Dst::Indirect {
                addr: VReg::var_at(self.address(i.addr)?, 2 * u32::from(i.addr_offset)),
                imm: i.offset,
                horz: stride(i.region),
                ty: gen_type(i.ty).ok_or(Unsupported::Bool)?,
            },
            VectorOperand::Address(a) => {
                Dst::packed(VReg::var_at(self.address(a.addr)?, 2 * u32::from(a.offset)), Type::Uw)
            }
            other => return Err(Unsupported::Destination(other.class_name()).into()),
        };
        Ok((dst, sat))
    }

    /// A scalar source, usable outside of the execution mask.
    pub(crate) fn scalar_src(&mut self, operand: &VectorOperand) -> Lowered<VSrc> {
        self.src_for(operand, Lanes::SCALAR)
    }

    /// The register of a raw operand, null for `%null`.
    pub(crate) fn raw(&self, operand: RawOperand) -> Lowered<VReg> {
        if let Some(reg) = self.staged(operand) {
            return Ok(reg);
        }
        Ok(match self.location(operand.var)? {
            Location::Null => VReg::NULL,
            Location::Var(var, base) => VReg::var_at(var, base + u32::from(operand.offset)),
            Location::Arf(arf, base) => VReg::arf(arf, base + u32::from(operand.offset)),
            Location::Missing(why) => return Err(Unsupported::NoVariable(why).into()),
        })
    }
}
