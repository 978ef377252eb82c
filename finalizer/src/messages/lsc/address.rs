//! Addresses of load/store-cache messages: scale and offset, pitch, the surface they count from.

use gen_ir::{Desc, Dst, ExDesc, Op, Src, Type};
use messages::{
    ExtendedDescriptor,
    lsc::{AddressModel, AddressSize, BtiExtended},
};
use narrow::{low_u32, to_u16};
use visa::{VectorOperand, lsc::LscAddrType, op::Lsc};

use super::codes::{GENERAL_STATE, address_size, binding};
use crate::{
    build::{self, Lanes, VReg},
    lower::{Lowered, Lowerer, Unsupported},
    messages::{PayloadPart, surface_index},
};

/// Bytes of a surface state: "RENDER_SURFACE_STATE", 16 dwords, PRM Volume 2d.
const SURFACE_STATE_BYTES: u32 = 64;

/// How addresses are multiplied by their scale.
fn scaling(scale: u16) -> (Op, u16) {
    if scale.is_power_of_two() { (Op::Shl, to_u16(scale.trailing_zeros())) } else { (Op::Mul, scale) }
}

impl Lowerer<'_> {
    /// Scale and immediate offset are not in the message: they are computed.
    pub(super) fn address_plus(
        &mut self,
        part: PayloadPart,
        lsc: &Lsc<'_>,
        bytes: u32,
    ) -> Lowered<PayloadPart> {
        let ty = if bytes == 8 { Type::Q } else { Type::D };
        let mut part = part;
        if lsc.addr_scale > 1 {
            let product = self.payload(part.len);
            let from = Src::new(part.reg, build::strided(1, self.lanes.exec), ty);
            let (op, factor) = scaling(lsc.addr_scale);
            self.emit_guarded(build::op(op, self.lanes, Dst::packed(product, ty), &[from, Src::uw(factor)]));
            part.reg = product;
        }
        if lsc.addr_offset == 0 {
            return Ok(part);
        }
        let sum = self.payload(part.len);
        let from = Src::new(part.reg, build::strided(1, self.lanes.exec), ty);
        let offset = Src::d(lsc.addr_offset);
        self.emit_guarded(build::op(Op::Add, self.lanes, Dst::packed(sum, ty), &[from, offset]));
        Ok(PayloadPart { reg: sum, len: part.len })
    }

    /// Base address, with scale and offset, and pitch, for strided accesses.
    pub(super) fn strided_address(&mut self, lsc: &Lsc<'_>, default_pitch: u32) -> Lowered<PayloadPart> {
        let header = self.zero_register();
        let base = self.raw(lsc.addr)?;
        let ty = if address_size(lsc.addr_size) == AddressSize::A64 { Type::Uq } else { Type::Ud };
        self.emit(build::mov(Lanes::SCALAR, Dst::packed(header, ty), Src::scalar(base, ty)));
        let mut change = |op, by| {
            self.emit(build::op(op, Lanes::SCALAR, Dst::packed(header, ty), &[Src::scalar(header, ty), by]))
        };
        if lsc.addr_scale > 1 {
            let (op, factor) = scaling(lsc.addr_scale);
            change(op, Src::uw(factor));
        }
        if lsc.addr_offset != 0 {
            change(Op::Add, Src::d(lsc.addr_offset));
        }
        let null = |operand: &VectorOperand| matches!(operand, VectorOperand::General(g) if g.var.is_null());
        let pitch = match lsc.pitch {
            Some(operand) if !null(operand) => self.scalar_src(operand)?,
            _ => Src::ud(default_pitch),
        };
        self.set_dword(header, 2, pitch);
        Ok(PayloadPart { reg: header, len: 1 })
    }

    /// Address model, extended descriptor, and the address as the message takes it.
    pub(super) fn address_model(
        &mut self,
        lsc: &Lsc<'_>,
        address: PayloadPart,
    ) -> Lowered<(AddressModel, ExDesc<gen_ir::Virtual>, PayloadPart)> {
        match lsc.addr_type {
            LscAddrType::Flat => Ok((AddressModel::Flat, Desc::Imm(ExtendedDescriptor::new()), address)),
            LscAddrType::Bti => {
                let ex_desc = self.binding_table(lsc.surface)?;
                Ok((AddressModel::Bti, ex_desc, address))
            }
            LscAddrType::Arg => {
                let base = self.argument_base();
                let sum = self.payload(address.len);
                let from = Src::new(address.reg, build::strided(1, self.lanes.exec), Type::Ud);
                let srcs = [Src::scalar(base, Type::Ud), from];
                self.emit(build::op(Op::Add, self.lanes, Dst::packed(sum, Type::Ud), &srcs));
                Ok((AddressModel::Bti, binding(GENERAL_STATE), PayloadPart { reg: sum, len: address.len }))
            }
            LscAddrType::Bss | LscAddrType::Ss => {
                let (model, ex_desc) = self.surface_state(lsc.addr_type, lsc.surface, lsc.surface_index)?;
                Ok((model, ex_desc, address))
            }
            other => Err(Unsupported::AddressModel(other).into()),
        }
    }

    /// A surface whose state the extended descriptor names, bindless or by the scratch base: the offset of a surface state, and
    /// of the one so many behind it that newer text names: `bss(V32,3)`.
    pub(super) fn surface_state(
        &mut self,
        address: LscAddrType,
        surface: &VectorOperand,
        index: u32,
    ) -> Lowered<(AddressModel, ExDesc<gen_ir::Virtual>)> {
        let model = if address == LscAddrType::Bss { AddressModel::Bss } else { AddressModel::Ss };
        let behind = index.wrapping_mul(SURFACE_STATE_BYTES);
        let ex_desc = match surface.immediate().map(|v| low_u32(v).wrapping_add(behind)) {
            // The word has room for the offset's upper bits alone.
            Some(value) if value & 0xfff == 0 => Desc::Imm(ExtendedDescriptor::from_bits(value)),
            Some(value) => self.address_register(Op::Mov, &[Src::ud(value)]),
            None => {
                let value = self.scalar_src(surface)?;
                match behind {
                    0 => self.address_register(Op::Mov, &[value]),
                    _ => self.address_register(Op::Add, &[value, Src::ud(behind)]),
                }
            }
        };
        Ok((model, ex_desc))
    }

    fn argument_base(&mut self) -> VReg {
        let base = self.temp(1, 4);
        self.indirect_data(base);
        base
    }

    pub(super) fn binding_table(&mut self, surface: &VectorOperand) -> Lowered<ExDesc<gen_ir::Virtual>> {
        let known = match surface {
            VectorOperand::Surface { surface, .. } => self.surface_handle(*surface)?.known,
            _ => surface.immediate().map(low_u32),
        };
        match known {
            Some(index) => Ok(binding(surface_index(index)?)),
            None => {
                let value = self.scalar_src(surface)?;
                Ok(self.address_register(Op::Shl, &[value, Src::uw(BtiExtended::SURFACE_SHIFT)]))
            }
        }
    }

    /// An extended descriptor that is computed into an address register.
    fn address_register(&mut self, op: Op, srcs: &[Src<gen_ir::Virtual>]) -> ExDesc<gen_ir::Virtual> {
        let a0 = self.address_dword();
        self.emit(build::op(op, Lanes::SCALAR, Dst::packed(a0, Type::Ud), srcs));
        Desc::Reg(a0)
    }
}
