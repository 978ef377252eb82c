//! Address arithmetic and surface or sampler handles.

use gen_ir::{Dst, ExecSize, InPlace, Op, Options, Src, Type, VarId};
use narrow::{low_u16, low_u32};
use visa::VectorOperand;

use super::{Lowered, Lowerer, Unsupported, declarations::Handle, location::Location};
use crate::build::{self, Lanes, VReg, VSrc, extend};

/// What stands in a word until a linker writes the symbol's address there; Intel's finalizer uses the
/// same number, which is easy to find in a dump.
pub(crate) const UNLINKED: u32 = 0x6e10_ca2e;

impl Lowerer<'_> {
    /// `faddr`: the address of a symbol, as dwords that a linker fills in. A dword has the lower half, which is all that
    /// calls read.
    pub(crate) fn symbol_address(&mut self, dst: &VectorOperand) -> Lowered {
        let (dst, _) = self.dst(dst)?;
        let Some(bytes @ (4 | 8)) = dst.ty().map(Type::bytes) else {
            return Err(Unsupported::SymbolBits.into());
        };
        let direct = match dst {
            Dst::Direct { reg, .. } => Some(reg),
            _ => None,
        };
        let place = direct.unwrap_or_else(|| self.temp(1, bytes));
        self.out.outside = true;
        for (byte, half) in [(0, Options::SYMBOL_LOW), (4, Options::SYMBOL_HIGH)] {
            if byte == bytes {
                break;
            }
            let mut inst =
                build::mov(Lanes::SCALAR, Dst::packed(place.plus(byte), Type::Ud), Src::ud(UNLINKED));
            inst.no_mask = true;
            inst.opts = inst.opts.with(half);
            self.emit(inst);
        }
        if direct.is_none() {
            let address = Src::scalar(place, Type::unsigned(bytes).unwrap_or(Type::Uq));
            self.emit(build::mov(Lanes::SCALAR, dst, address));
        }
        Ok(())
    }

    /// `addr_add`: the address of a variable, or an address, plus an offset.
    pub(crate) fn addr_add(
        &mut self,
        dst: &VectorOperand,
        base: &VectorOperand,
        offset: &VectorOperand,
    ) -> Lowered {
        let (dst, _) = self.dst(dst)?;
        let base = match base {
            VectorOperand::General(g) => self.address_of(g)?,
            VectorOperand::Address(_) => self.src(base)?,
            VectorOperand::Surface { surface, offset } => {
                let handle = self.surface_handle(*surface)?;
                self.address_of_handle(handle, *offset)?
            }
            VectorOperand::Sampler { sampler, offset } => {
                let handle = self.sampler_handle(*sampler)?;
                self.address_of_handle(handle, *offset)?
            }
            other => return Err(Unsupported::AddressOf(other.class_name()).into()),
        };
        let offset = self.src(offset)?;
        let inst = match (base, offset) {
            // An offset for each channel: the address is added to them where they stand.
            (Src::AddrOf { .. }, Src::Imm { ty: Type::V | Type::Uv, .. }) => {
                let Dst::Direct { reg, ty, .. } = dst else {
                    return Err(Unsupported::AddressSum.into());
                };
                self.emit_guarded(build::mov(self.lanes, dst, offset));
                build::op(Op::Add, self.lanes, dst, &[Src::packed(reg, ty), base])
            }
            (Src::AddrOf { reg: InPlace(reg), ty }, Src::Imm { bits, ty: offset_ty }) => {
                let byte = i64::from(reg.byte) + extend(bits, offset_ty).cast_signed();
                let end = reg.var().map_or(0, |var| self.out.vars[var.index()].bytes);
                match (u32::try_from(byte), dst) {
                    (Ok(byte), _) if byte <= end => {
                        build::mov(self.lanes, dst, Src::address_of(reg.at(byte), ty))
                    }
                    // An address may lead anywhere, as long as nobody goes there (spec, `ADDR_ADD`).
                    (_, Dst::Direct { reg: to, ty: to_ty, .. }) => {
                        self.emit_guarded(build::mov(self.lanes, dst, base));
                        let rest = Src::uw(low_u16(extend(bits, offset_ty)));
                        build::op(Op::Add, self.lanes, dst, &[Src::packed(to, to_ty), rest])
                    }
                    _ => return Err(Unsupported::AddressSum.into()),
                }
            }
            // The address stands for an immediate, which only the last source may be.
            (Src::AddrOf { .. }, _) => build::op(Op::Add, self.lanes, dst, &[offset, base]),
            _ => build::op(Op::Add, self.lanes, dst, &[base, offset]),
        };
        self.emit_guarded(inst);
        Ok(())
    }

    fn address_of(&mut self, g: &visa::GeneralOperand) -> Lowered<VSrc> {
        let Location::Var(var, base) = self.location(g.var)? else {
            return Err(Unsupported::AddressOf("predefined register").into());
        };
        let element = self.visa.var_type(g.var).map_or(1, visa::Type::bytes);
        let byte = base + u32::from(g.row) * self.grf() + u32::from(g.col) * element;
        self.out.vars[var.index()].address_taken = true;
        Ok(Src::address_of(VReg::var_at(var, byte), Type::Uw))
    }

    /// The address of an element of a surface or sampler variable.
    fn address_of_handle(&mut self, handle: Handle, element: u8) -> Lowered<VSrc> {
        let reg = self.handle_element(handle, element)?;
        if let Some(var) = reg.var() {
            self.out.vars[var.index()].address_taken = true;
        }
        Ok(Src::address_of(reg, Type::Uw))
    }

    /// Where an element of a surface or sampler variable is.
    pub(crate) fn handle_element(&self, handle: Handle, element: u8) -> Lowered<VReg> {
        let Some(var) = handle.var else { return Err(Unsupported::NeverSet("surface or sampler").into()) };
        let byte = 4 * u32::from(element);
        if byte >= self.out.vars[var.index()].bytes {
            return Err(Unsupported::NoElement(element).into());
        }
        Ok(VReg::var_at(var, byte))
    }

    /// `movs`: between handles and variables, as many elements in a row as there are lanes (vISA specification, MOVS). Constants are
    /// only noted where nothing else reads them.
    pub(crate) fn movs(&mut self, dst: &VectorOperand, src: &VectorOperand) -> Lowered {
        let known = match src {
            VectorOperand::Immediate { .. } => src.immediate().map(low_u32),
            VectorOperand::Surface { surface, .. } => self.surface_handle(*surface)?.known,
            VectorOperand::Sampler { sampler, .. } => self.sampler_handle(*sampler)?.known,
            _ => None,
        };
        let known = known.filter(|_| self.pred.is_none());
        let (var, element) = match dst {
            VectorOperand::Surface { surface, offset } => {
                self.set_surface(*surface, known);
                (self.surface_handle(*surface)?.var, *offset)
            }
            VectorOperand::Sampler { sampler, offset } => {
                self.set_sampler(*sampler, known);
                (self.sampler_handle(*sampler)?.var, *offset)
            }
            _ => {
                let value = self.moved_handles(src, self.lanes)?;
                let (dst, _) = self.dst(dst)?;
                let dst = match dst {
                    Dst::Direct { reg, horz, .. } => Dst::Direct { reg, horz, ty: Type::Ud },
                    other => other,
                };
                self.emit_guarded(build::mov(self.lanes, dst, bits(value)));
                return Ok(());
            }
        };
        if let Some(var) = var {
            let handle = Handle { var: Some(var), ..Handle::default() };
            let lanes = self.lanes_of_handles(var, element);
            let value = match known {
                Some(value) => Src::ud(value),
                None => bits(self.moved_handles(src, lanes)?),
            };
            let dst = Dst::packed(self.handle_element(handle, element)?, Type::Ud);
            self.emit_guarded(build::mov(lanes, dst, value));
        }
        Ok(())
    }

    /// What `movs` reads: of handles, those in a row.
    fn moved_handles(&mut self, src: &VectorOperand, lanes: Lanes) -> Lowered<VSrc> {
        let (handle, element) = match src {
            VectorOperand::Surface { surface, offset } => (self.surface_handle(*surface)?, *offset),
            VectorOperand::Sampler { sampler, offset } => (self.sampler_handle(*sampler)?, *offset),
            other => return self.src_for(other, lanes),
        };
        if handle.known.is_some() || lanes.exec.lanes() == 1 {
            return self.src_for(src, lanes);
        }
        let first = self.handle_element(handle, element)?;
        Ok(Src::new(first, build::strided(1, lanes.exec), Type::Ud))
    }

    /// The lanes of a move to the elements of a variable of handles from the first on, as many as it has: what goes beyond it is
    /// undefined.
    fn lanes_of_handles(&self, var: VarId, first: u8) -> Lanes {
        let there = (self.out.vars[var.index()].bytes / 4).saturating_sub(first.into()).max(1);
        let lanes = self.lanes.exec.lanes().min(there);
        let exec = ExecSize::from_lanes(1 << lanes.ilog2()).unwrap_or(ExecSize::S1);
        Lanes { exec, no_mask: true, ..self.lanes }
    }
}

/// Handles move as dwords, whatever type the variable has.
fn bits(src: VSrc) -> VSrc {
    match src {
        Src::Direct { reg, region, mods, ty } if ty.bytes() == 4 => {
            Src::Direct { reg, region, mods, ty: Type::Ud }
        }
        Src::Imm { bits, .. } => Src::ud(low_u32(bits)),
        other => other,
    }
}
