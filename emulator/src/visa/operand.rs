//! Moving operands between variables and lanes (spec "Vector Operands", "Region-based Addressing").

use super::{layout::APART, thread::VisaThread};
use crate::thread::{LANES, Trap};
use gen_ir::Direction;
use narrow::{as_index, low_i8, low_u8, low_u16, low_u32, to_index};
use visa::{
    AddressOperand, GeneralOperand, IndirectOperand, InputVar, Modifier, Opcode, Predefined, RawOperand,
    Type, VectorOperand,
};

/// The lanes of a source: bits zero-extended, and which lanes are undefined.
#[derive(Clone, Debug)]
pub(super) struct Lanes {
    pub bits: [u64; LANES],
    pub ty: Type,
    pub undefined: u32,
}

/// Arithmetic on lanes whose sources are read already.
#[derive(Clone, Copy)]
pub(super) struct Computation<'a> {
    pub opcode: Opcode,
    pub sources: &'a [Lanes],
    /// The sources' modifiers.
    pub mods: &'a [Modifier; 4],
    /// The type of the destination.
    pub dst: Type,
    pub sat: bool,
    /// Lanes that compute, a bit each.
    pub on: u32,
}

/// Where the lanes of an operand lie in the file.
pub(super) struct Spots {
    pub at: [usize; LANES],
    pub ty: Type,
    /// The address that leads there is undefined.
    pub doubtful: bool,
}

fn number(bytes: &[u8]) -> u64 {
    let mut wide = [0; 8];
    wide[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(wide)
}

/// Enabled lanes, from the lowest on.
pub(super) fn each(mut on: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        if on == 0 {
            return None;
        }
        let i = as_index(on.trailing_zeros());
        on &= on - 1;
        Some(i)
    })
}

impl VisaThread<'_> {
    fn general(&self, g: &GeneralOperand, on: u32, does: Direction) -> Result<Spots, Trap> {
        let ty = self.unit().kernel.var_type(g.var).ok_or("an operand without a type")?;
        let (at, len) = self.var(g.var)?;
        let size = ty.bytes();
        let first = u32::from(g.row) * self.program.grf + u32::from(g.col) * size;
        let mut spots = Spots { at: [0; LANES], ty, doubtful: false };
        for i in each(on) {
            let element = match does {
                Direction::Read => g.region.element(to_index(i)),
                Direction::Write => to_index(i) * u32::from(g.region.hstride().unwrap_or(1)),
            };
            let offset = first + element * size;
            if offset + size > len {
                return Err(format!(
                    "lane {i} reaches byte {offset} of {}, which has {len}",
                    self.unit().kernel.var_name(g.var)
                )
                .into());
            }
            spots.at[i] = at + as_index(offset);
        }
        Ok(spots)
    }

    fn address(&self, element: u32, addr: visa::AddrId) -> Result<(u16, bool), Trap> {
        let unit = self.unit();
        let (Some(first), Some(end)) = (unit.addrs.get(addr.index()), unit.addrs.get(addr.index() + 1))
        else {
            return Err(format!("no address variable A{}", addr.0).into());
        };
        if first + element >= *end {
            return Err(format!("element {element} of A{}, which has {}", addr.0, end - first).into());
        }
        let i = as_index(self.frame.addr + first + element);
        Ok((self.addrs[i], self.addr_shadow[i]))
    }

    fn indirect(&self, r: &IndirectOperand, on: u32, does: Direction) -> Result<Spots, Trap> {
        let size = r.ty.bytes();
        let per_row = does == Direction::Read && r.region.vstride().is_none() && r.region.width().is_some();
        let width = u32::from(r.region.width().unwrap_or(1).max(1));
        let mut spots = Spots { at: [0; LANES], ty: r.ty, doubtful: false };
        for i in each(on) {
            let lane = to_index(i);
            let (row, element) = match (does, per_row) {
                (_, true) => (lane / width, lane % width * u32::from(r.region.hstride().unwrap_or(1))),
                (Direction::Read, false) => (0, r.region.element(lane)),
                (Direction::Write, _) => (0, lane * u32::from(r.region.hstride().unwrap_or(1))),
            };
            let (base, unknown) = self.address(u32::from(r.addr_offset) + row, r.addr)?;
            spots.doubtful |= unknown;
            let at = i64::from(base) + i64::from(r.offset) + i64::from(element * size);
            if !self.unit().is_addressed(at, size) {
                return Err(
                    format!("lane {i} goes through an address that is of no variable ({at:#x})").into()
                );
            }
            if at % i64::from(size) != 0 {
                return Err(format!("lane {i} goes through an address that is not aligned ({at:#x})").into());
            }
            spots.at[i] = self.index(low_u32(at));
        }
        Ok(spots)
    }

    /// Registers whose value is made when they are read.
    fn refresh(&mut self, var: visa::VarId) {
        let root = self.unit().kernel.resolve_alias(var).0;
        match root.predefined() {
            Some(Predefined::Ce0) => {
                let at = self.predefined(Predefined::Ce0);
                let active = self.frame.active;
                self.provide(at, &active.to_le_bytes());
            }
            Some(Predefined::Tsc) => {
                let at = self.predefined(Predefined::Tsc);
                let now = self.executed.wrapping_mul(4);
                self.provide(at, &now.to_le_bytes());
            }
            _ => {}
        }
    }

    /// The lanes `on` of a source. Modifiers are the reader's business.
    pub fn load(&mut self, operand: &VectorOperand, on: u32) -> Result<Lanes, Trap> {
        let mut out = Lanes { bits: [0; LANES], ty: Type::UD, undefined: 0 };
        let spots = match operand {
            VectorOperand::General(g) => {
                if g.var.declared().is_none()
                    || self.unit().kernel.resolve_alias(g.var).0.declared().is_none()
                {
                    self.refresh(g.var);
                }
                self.general(g, on, Direction::Read)?
            }
            VectorOperand::Indirect(r) => self.indirect(r, on, Direction::Read)?,
            VectorOperand::Immediate { ty, .. } => {
                immediate(*ty, operand.immediate().unwrap_or_default(), &mut out);
                return Ok(out);
            }
            VectorOperand::Address(a) => {
                self.load_addresses(a, on, &mut out)?;
                return Ok(out);
            }
            VectorOperand::Surface { surface, offset } => {
                out.bits.fill(self.surface_value(*surface, u32::from(*offset))?.into());
                return Ok(out);
            }
            VectorOperand::Sampler { sampler, offset } => {
                out.bits.fill(self.sampler_value(*sampler, u32::from(*offset))?.into());
                return Ok(out);
            }
            VectorOperand::Predicate(..) => return Err("a predicate where a number is needed".into()),
        };
        out.ty = spots.ty;
        let size = as_index(spots.ty.bytes());
        for i in each(on) {
            let at = spots.at[i];
            out.bits[i] = number(&self.file[at..at + size]);
            if self.strict && self.undefined(at, size) {
                out.undefined |= 1 << i;
            }
        }
        if spots.doubtful {
            out.undefined = u32::MAX;
        }
        Ok(out)
    }

    fn load_addresses(&self, a: &AddressOperand, on: u32, out: &mut Lanes) -> Result<(), Trap> {
        out.ty = Type::UW;
        for i in each(on) {
            let (value, unknown) =
                self.address(u32::from(a.offset) + to_index(i) % a.width.lanes(), a.addr)?;
            out.bits[i] = value.into();
            out.undefined |= u32::from(unknown) << i;
        }
        Ok(())
    }

    /// A scalar operand: its first element, whatever the region (spec "Scalar Operands").
    pub fn scalar(&mut self, operand: &VectorOperand) -> Result<(u64, Type, bool), Trap> {
        let v = self.load(operand, 1)?;
        Ok((v.bits[0], v.ty, v.undefined & 1 != 0))
    }

    /// The type that a destination converts to.
    pub fn dst_type(&self, operand: &VectorOperand) -> Result<Type, Trap> {
        match operand {
            VectorOperand::General(g) if g.var.is_null() => Ok(Type::UD),
            _ => {
                self.unit().kernel.operand_type(operand).ok_or_else(|| "a destination without a type".into())
            }
        }
    }

    /// Where the lanes of a destination go; `None` if they are dropped.
    pub fn dst_spots(&mut self, operand: &VectorOperand, on: u32) -> Result<Option<Spots>, Trap> {
        match operand {
            VectorOperand::General(g) if g.var.is_null() => Ok(None),
            VectorOperand::General(g) => self.general(g, on, Direction::Write).map(Some),
            VectorOperand::Indirect(r) => {
                let spots = self.indirect(r, on, Direction::Write)?;
                // Where it goes is undefined, so everything that it may reach is, too.
                if spots.doubtful {
                    Err("the destination's address was never written".into())
                } else {
                    Ok(Some(spots))
                }
            }
            other => Err(format!("{} cannot be written", other.class_name()).into()),
        }
    }

    /// Writes the lanes `on` of a destination.
    pub fn store(
        &mut self,
        operand: &VectorOperand,
        on: u32,
        v: &[u64; LANES],
        undefined: u32,
    ) -> Result<(), Trap> {
        if let VectorOperand::Address(a) = operand {
            return self.store_addresses(a, on, v, undefined);
        }
        let Some(spots) = self.dst_spots(operand, on)? else { return Ok(()) };
        let size = as_index(spots.ty.bytes());
        for i in each(on) {
            let at = spots.at[i];
            self.file[at..at + size].copy_from_slice(&v[i].to_le_bytes()[..size]);
            self.shadow[at..at + size].fill(low_u8(undefined >> i & 1));
        }
        if let VectorOperand::General(g) = operand {
            self.after_control(g.var);
        }
        Ok(())
    }

    fn store_addresses(
        &mut self,
        a: &AddressOperand,
        on: u32,
        v: &[u64; LANES],
        undefined: u32,
    ) -> Result<(), Trap> {
        for i in each(on) {
            let element = u32::from(a.offset) + to_index(i);
            self.address(element, a.addr)?;
            let at = as_index(self.frame.addr + self.unit().addrs[a.addr.index()] + element);
            self.addrs[at] = low_u16(v[i]);
            self.addr_shadow[at] = undefined >> i & 1 != 0;
        }
        Ok(())
    }

    /// A write of the control register changes how floats are computed.
    fn after_control(&mut self, var: visa::VarId) {
        let root = if var.declared().is_some() { self.unit().kernel.resolve_alias(var).0 } else { var };
        if root.predefined() == Some(Predefined::Cr0) {
            let at = self.predefined(Predefined::Cr0);
            self.mode = crate::thread::FloatMode::from_control(low_u32(number(&self.file[at..at + 4])));
        }
    }

    /// The address of a general operand's first element, as address variables hold it.
    pub fn address_of(&self, g: &GeneralOperand) -> Result<u16, Trap> {
        let ty = self.unit().kernel.var_type(g.var).ok_or("an operand without a type")?;
        let Some(place) = self.unit().places.get(g.var.index()) else {
            return Err("no such variable".into());
        };
        Ok(low_u16(place.at + u32::from(g.row) * self.program.grf + u32::from(g.col) * ty.bytes()))
    }

    fn raw(&self, r: RawOperand, offset: u32, len: u32) -> Result<usize, Trap> {
        let (at, size) = self.var(r.var)?;
        let first = u32::from(r.offset) + offset;
        // Messages move whole registers: what is left of a variable's last one is nobody's.
        let end = (to_index(at) + size).next_multiple_of(self.program.grf.min(APART)) - to_index(at);
        if first + len > end {
            return Err(
                format!("byte {first} of {}, which has {size}", self.unit().kernel.var_name(r.var)).into()
            );
        }
        Ok(at + as_index(first))
    }

    /// A number of 1 to 8 bytes of a raw operand, and whether it is undefined.
    pub fn raw_load(&self, r: RawOperand, offset: u32, len: u32) -> Result<(u64, bool), Trap> {
        let (value, undefined) = self.raw_load_bytes(r, offset, len)?;
        Ok((value, undefined != 0))
    }

    /// A number of 1 to 8 bytes of a raw operand, and which of the bytes are undefined, a bit each.
    pub fn raw_load_bytes(&self, r: RawOperand, offset: u32, len: u32) -> Result<(u64, u8), Trap> {
        let at = self.raw(r, offset, len)?;
        let bytes = at..at + as_index(len);
        Ok((number(&self.file[bytes.clone()]), crate::shadow::bits(&self.shadow[bytes])))
    }

    /// Says which bytes of a raw operand are undefined, a bit each.
    pub fn raw_undefine(&mut self, r: RawOperand, offset: u32, len: u32, undefined: u8) -> Result<(), Trap> {
        if undefined != 0 && !r.is_null() {
            let at = self.raw(r, offset, len)?;
            for (i, b) in self.shadow[at..at + as_index(len)].iter_mut().enumerate() {
                *b = undefined >> i & 1;
            }
        }
        Ok(())
    }

    /// Writes the low bytes of a number to a raw operand; a null operand drops them.
    pub fn raw_store(&mut self, r: RawOperand, offset: u32, len: u32, value: u64) -> Result<(), Trap> {
        if r.is_null() {
            return Ok(());
        }
        let at = self.raw(r, offset, len)?;
        self.provide(at, &value.to_le_bytes()[..as_index(len)]);
        Ok(())
    }

    /// Writes the low bytes of a number, which may depend on something undefined, to a raw operand.
    pub fn raw_store_but(
        &mut self,
        r: RawOperand,
        offset: u32,
        len: u32,
        value: u64,
        undefined: bool,
    ) -> Result<(), Trap> {
        self.raw_store(r, offset, len, value)?;
        self.raw_undefine(r, offset, len, if undefined { u8::MAX } else { 0 })
    }

    /// Where an element of a surface variable is.
    fn surface_slot(&self, id: visa::SurfaceId, offset: u32) -> Option<usize> {
        Some(as_index(self.frame.surface + element(&self.unit().surfaces, id.index(), offset)?))
    }

    /// Where an element of a sampler variable is.
    fn sampler_slot(&self, id: visa::SamplerId, offset: u32) -> Option<usize> {
        Some(as_index(self.frame.sampler + element(&self.unit().samplers, id.index(), offset)?))
    }

    /// An element of a surface variable, to be written.
    pub fn surface_mut(&mut self, id: visa::SurfaceId, offset: u32) -> Option<&mut u32> {
        self.surface_slot(id, offset).and_then(|at| self.surfaces.get_mut(at))
    }

    /// An element of a sampler variable, to be written.
    pub fn sampler_mut(&mut self, id: visa::SamplerId, offset: u32) -> Option<&mut u32> {
        self.sampler_slot(id, offset).and_then(|at| self.samplers.get_mut(at))
    }

    /// The value of a surface variable.
    pub fn surface_value(&self, id: visa::SurfaceId, offset: u32) -> Result<u32, Trap> {
        if let Some(bti) = id.predefined_bti(self.program.platform.caps().memory.stack_surfaces) {
            return Ok(bti.into());
        }
        match self.surface_slot(id, offset).and_then(|at| self.surfaces.get(at)) {
            Some(&v) if v != u32::MAX => Ok(v),
            _ => {
                let name = self.unit().kernel.input_name(InputVar::Surface(id));
                Err(format!("surface {name} has no value").into())
            }
        }
    }

    /// The value of a sampler variable.
    pub fn sampler_value(&self, id: visa::SamplerId, offset: u32) -> Result<u32, Trap> {
        match self.sampler_slot(id, offset).and_then(|at| self.samplers.get(at)) {
            Some(&v) if v != u32::MAX => Ok(v),
            _ => {
                let name = self.unit().kernel.input_name(InputVar::Sampler(id));
                Err(format!("sampler {name} has no value").into())
            }
        }
    }
}

/// The place of an element of a variable, if the variable has it: `starts` has the first element of each.
fn element(starts: &[u32], index: usize, offset: u32) -> Option<u32> {
    let at = starts.get(index)? + offset;
    (at < *starts.get(index + 1)?).then_some(at)
}

/// A constant in every lane; packed vectors repeat (spec "Immediate Operands").
fn immediate(ty: Type, bits: u64, out: &mut Lanes) {
    let nibble = |i: usize| low_u8(bits >> (4 * (i % 8)) & 15);
    match ty {
        Type::V => {
            out.ty = Type::W;
            for (i, o) in out.bits.iter_mut().enumerate() {
                *o = u64::from(low_u16(i16::from(low_i8(nibble(i) << 4) >> 4)));
            }
        }
        Type::UV => {
            out.ty = Type::UW;
            for (i, o) in out.bits.iter_mut().enumerate() {
                *o = nibble(i).into();
            }
        }
        Type::VF => {
            out.ty = Type::F;
            for (i, o) in out.bits.iter_mut().enumerate() {
                *o = crate::num::restricted_float(low_u8(bits >> (8 * (i % 4)))).to_bits().into();
            }
        }
        _ => {
            out.ty = ty;
            out.bits.fill(bits);
        }
    }
}

impl VisaThread<'_> {
    /// Undefined bytes of each lane of a source, a bit per byte.
    pub fn undefined_bytes(&self, src: &VectorOperand, on: u32) -> Result<[u8; LANES], Trap> {
        let spots = match src {
            VectorOperand::General(g) => self.general(g, on, Direction::Read)?,
            VectorOperand::Indirect(r) => self.indirect(r, on, Direction::Read)?,
            _ => return Ok([0xff; LANES]),
        };
        let mut out = [0xff; LANES];
        if spots.doubtful {
            return Ok(out);
        }
        for i in each(on) {
            out[i] = 0;
            for b in 0..as_index(spots.ty.bytes()) {
                out[i] |= u8::from(self.shadow[spots.at[i] + b] != 0) << b;
            }
        }
        Ok(out)
    }
}
