//! Load/store-cache messages (Xe-HPC): untyped loads, stores and atomics, fences, and the prologue that
//! loads the kernel's payload.

use gen_ir::{Desc, Dst, ExDesc, ExecSize, Inst, Op, Payload, SendInfo, Sfid, Src, Type, Var};
use messages::{
    Descriptor, Effect, ExtendedDescriptor, ResponseLength, SurfaceIndex,
    lsc::{
        Access, AddressModel, AddressSize, Block2d, BlockShape, BtiExtended, Cache, DataSize, Fence, Flush,
        LscForm, Op as LscCode, Quad, Scope, Untyped, VectorSize,
    },
};
use narrow::{low_u32, to_index, to_u16};
use visa::{
    VectorOperand,
    lsc::{
        LscAddrSize, LscAddrType, LscCache, LscDataSize, LscElems, LscFenceOp, LscOp, LscOrder, LscScope,
        LscSfid,
    },
    op::{Lsc, LscBlock2d, LscTyped},
};

use super::{Parts, PayloadPart, Sizes, surface_index};
use crate::{
    build::{self, Lanes, VReg},
    lower::{Lowered, Lowerer},
};

/// With 32-bit addresses: relative to the general state base address.
const GENERAL_STATE: SurfaceIndex = SurfaceIndex::STATELESS;
/// Bytes of a surface state: "RENDER_SURFACE_STATE", 16 dwords, PRM Volume 2d.
const SURFACE_STATE_BYTES: u32 = 64;

/// What goes into a message besides its payload.
struct LscMessage {
    sfid: Sfid,
    desc: Descriptor,
    ex_desc: ExDesc<gen_ir::Virtual>,
    response: u32,
}

fn shared_function(sfid: LscSfid) -> Sfid {
    match sfid {
        LscSfid::Ugm => Sfid::Ugm,
        LscSfid::Ugml => Sfid::Ugml,
        LscSfid::Tgm => Sfid::Tgm,
        LscSfid::Slm => Sfid::Slm,
        LscSfid::Urb => Sfid::Urb,
    }
}

/// The code of cache control.
fn cache_control(effect: Effect, cache: [LscCache; 2]) -> Lowered<u8> {
    let access = if effect == Effect::Load { Access::Load } else { Access::Store };
    let code = match (effect, cache) {
        (_, [LscCache::Default, LscCache::Default]) => access.cache_control(None),
        // Both names stand for the same.
        (Effect::Load, [LscCache::ReadInvalidate, LscCache::ReadInvalidate]) => {
            access.cache_control(Some((Cache::ReadInvalidate, Cache::Cached)))
        }
        _ => match (level(cache[0]), level(cache[1])) {
            (Some(l1), Some(l3)) => access.cache_control(Some((l1, l3))).filter(|_| allowed(effect, cache)),
            _ => None,
        },
    };
    code.ok_or_else(|| format!("cache control {}.{} does not exist here", cache[0], cache[1]).into())
}

/// Atomics pass the first level by.
fn allowed(effect: Effect, cache: [LscCache; 2]) -> bool {
    effect != Effect::Atomic || cache[0] == LscCache::Uncached
}

const fn level(cache: LscCache) -> Option<Cache> {
    match cache {
        LscCache::Uncached => Some(Cache::Uncached),
        LscCache::Cached => Some(Cache::Cached),
        LscCache::WriteBack => Some(Cache::WriteBack),
        LscCache::WriteThrough => Some(Cache::WriteThrough),
        LscCache::Streaming => Some(Cache::Streaming),
        LscCache::ReadInvalidate => Some(Cache::ReadInvalidate),
        LscCache::Default | LscCache::ConstCached => None,
    }
}

const fn data_size(size: LscDataSize) -> DataSize {
    match size {
        LscDataSize::D8 => DataSize::D8,
        LscDataSize::D16 => DataSize::D16,
        LscDataSize::D32 => DataSize::D32,
        LscDataSize::D64 => DataSize::D64,
        LscDataSize::D8U32 => DataSize::D8U32,
        LscDataSize::D16U32 => DataSize::D16U32,
        LscDataSize::D16U32H => DataSize::D16U32H,
    }
}

const fn vector_size(elems: LscElems) -> VectorSize {
    match elems {
        LscElems::X1 => VectorSize::V1,
        LscElems::X2 => VectorSize::V2,
        LscElems::X3 => VectorSize::V3,
        LscElems::X4 => VectorSize::V4,
        LscElems::X8 => VectorSize::V8,
        LscElems::X16 => VectorSize::V16,
        LscElems::X32 => VectorSize::V32,
        LscElems::X64 => VectorSize::V64,
    }
}

const fn address_size(size: LscAddrSize) -> AddressSize {
    match size {
        LscAddrSize::A16 => AddressSize::A16,
        LscAddrSize::A32 | LscAddrSize::A32U | LscAddrSize::A32S => AddressSize::A32,
        LscAddrSize::A64 => AddressSize::A64,
    }
}

/// vISA numbers these messages as the hardware does.
fn message_of(op: LscOp) -> Option<LscCode> {
    LscCode::from_bits(op as u32)
}

#[cfg(test)]
#[test]
fn operations_are_those_of_the_messages() {
    use visa::lsc::LscKind;
    for op in (0..=u8::MAX).filter_map(LscOp::from_raw) {
        let row = message_of(op).unwrap_or_else(|| panic!("{op}")).row();
        let kind = match (row.effect, row.form) {
            (_, LscForm::State) => LscKind::Other,
            (Effect::Load, _) => LscKind::Load,
            (Effect::Store, _) => LscKind::Store,
            (Effect::Atomic, _) => LscKind::Atomic,
            (Effect::Order | Effect::Other, _) => LscKind::Other,
        };
        assert_eq!(op.kind(), kind, "{op}");
        assert_eq!(op.is_strided(), row.form == LscForm::Strided, "{op}");
        assert_eq!(
            op.has_channel_mask(),
            matches!(row.form, LscForm::Quad | LscForm::MultiSampleQuad),
            "{op}"
        );
        if let LscForm::Atomic(operation) | LscForm::BfloatAtomic(operation) | LscForm::Counter(operation) =
            row.form
        {
            assert_eq!(op.atomic_sources(), operation.operands(), "{op}");
        }
    }
}

/// What loads and stores of channels by a mask have in common.
fn quad(code: LscCode, address: LscAddrSize, data: LscDataSize) -> Quad {
    Quad::new()
        .with_op(Some(code))
        .with_address_size(Some(address_size(address)))
        .with_data_size(Some(data_size(data)))
}

/// The extended descriptor of a surface in the binding table.
fn binding(surface: SurfaceIndex) -> ExDesc<gen_ir::Virtual> {
    Desc::Imm(BtiExtended::new().with_surface(surface).into())
}

impl Lowerer<'_> {
    /// Loads, stores and atomics, strided ones included.
    pub(crate) fn lsc(&mut self, lsc: &Lsc<'_>) -> Lowered {
        if !self.caps.memory.lsc {
            return Err(format!("LSC messages do not exist on {}", self.caps.name).into());
        }
        let accesses = |code: &LscCode| match code.row().form {
            // Atomics of bfloat16 came with the data port of Xe3P (IGA knows them in its decoder of those words alone).
            LscForm::BfloatAtomic(_) => false,
            LscForm::Fence | LscForm::State | LscForm::Compression | LscForm::CacheControl => false,
            _ => true,
        };
        let Some(code) = message_of(lsc.op).filter(accesses) else {
            return Err(format!("{} does not exist on {}", lsc.op.name(), self.caps.name).into());
        };
        let row = code.row();
        let grf = self.grf();
        let lanes = self.message_lanes();
        let address_bytes = address_size(lsc.addr_size).bytes();
        let per_address = lsc.shape.per_address();
        let element = lsc.shape.size.register_bytes();
        let transposed = lsc.shape.order == LscOrder::Transpose;
        let data_len = if transposed {
            (per_address * element).div_ceil(grf) * self.lanes.exec.lanes()
        } else {
            (lanes * element).div_ceil(grf) * per_address
        };
        let cache = cache_control(row.effect, lsc.cache)?;

        let address = if row.form == LscForm::Strided {
            self.strided_address(lsc, per_address * if transposed { 1 } else { element })?
        } else {
            let bytes = if transposed { self.lanes.exec.lanes() } else { lanes } * address_bytes;
            let part = self.part(lsc.addr, bytes)?;
            self.address_plus(part, lsc, address_bytes)?
        };
        let (model, ex_desc, address) = self.address_model(lsc, address)?;
        let desc = match lsc.shape.channels {
            Some(mask) => quad(code, lsc.addr_size, lsc.shape.size)
                .with_channels(mask.0 & 15)
                .with_cache_control(cache)
                .with_address_model(Some(model))
                .into(),
            None => Untyped::new()
                .with_op(Some(code))
                .with_address_size(Some(address_size(lsc.addr_size)))
                .with_data_size(Some(data_size(lsc.shape.size)))
                .with_vector_size(Some(vector_size(lsc.shape.elems)))
                .with_transpose(transposed)
                .with_cache_control(cache)
                .with_address_model(Some(model))
                .into(),
        };

        let data = self.lsc_data(lsc, data_len)?;
        let returns = row.effect != Effect::Store && !lsc.dst.is_null();
        let response = match (returns, row.form) {
            (false, _) => 0,
            (true, LscForm::Status) => 1,
            (true, _) => data_len,
        };
        let (target, copy) = self.response(lsc.dst, response.max(1) * grf)?;
        let sfid = shared_function(lsc.sfid);
        self.lsc_send(self.lanes, LscMessage { sfid, desc, ex_desc, response }, target, address, data)?;
        if let Some(to) = copy {
            self.copy_lsc_response(
                to,
                target,
                if transposed { per_address * element } else { 0 },
                element,
                per_address,
            );
        }
        Ok(())
    }

    fn copy_lsc_response(&mut self, to: VReg, from: VReg, block: u32, element: u32, per_address: u32) {
        if block > 0 {
            self.copy_bytes(to, from, block);
            return;
        }
        let stride = (self.lanes.exec.lanes() * element).next_multiple_of(self.grf());
        for i in 0..per_address {
            self.copy_lanes(to.plus(i * stride), from.plus(i * stride), element);
        }
    }

    /// The data of a store, or the operands of an atomic one after the other.
    fn lsc_data(&mut self, lsc: &Lsc<'_>, len: u32) -> Lowered<Option<PayloadPart>> {
        let bytes = len * self.grf();
        let mut parts = Parts::new();
        for operand in [lsc.src1, lsc.src2] {
            if !operand.is_null() {
                parts.push(self.part(operand, bytes)?);
            }
        }
        Ok(match parts[..] {
            [] => None,
            [one] => Some(one),
            _ => Some(self.joined(&parts)),
        })
    }

    /// Scale and immediate offset are not in the message: they are computed.
    fn address_plus(&mut self, part: PayloadPart, lsc: &Lsc<'_>, bytes: u32) -> Lowered<PayloadPart> {
        let ty = if bytes == 8 { Type::Q } else { Type::D };
        let mut part = part;
        if lsc.addr_scale > 1 {
            let product = self.payload(part.len);
            let from = Src::new(part.reg, build::strided(1, self.lanes.exec), ty);
            let (op, factor) = match u32::from(lsc.addr_scale) {
                scale if scale.is_power_of_two() => (Op::Shl, to_u16(scale.trailing_zeros())),
                _ => (Op::Mul, lsc.addr_scale),
            };
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

    /// Base address and pitch, for strided accesses.
    fn strided_address(&mut self, lsc: &Lsc<'_>, default_pitch: u32) -> Lowered<PayloadPart> {
        let header = self.zero_register();
        let base = self.raw(lsc.addr)?;
        let ty = if address_size(lsc.addr_size) == AddressSize::A64 { Type::Uq } else { Type::Ud };
        self.emit(build::mov(Lanes::SCALAR, Dst::packed(header, ty), Src::scalar(base, ty)));
        let null = |operand: &VectorOperand| matches!(operand, VectorOperand::General(g) if g.var.is_null());
        let pitch = match lsc.pitch {
            Some(operand) if !null(operand) => self.scalar_src(operand)?,
            _ => Src::ud(default_pitch),
        };
        self.set_dword(header, 2, pitch);
        Ok(PayloadPart { reg: header, len: 1 })
    }

    /// Address model, extended descriptor, and the address as the message takes it.
    fn address_model(
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
            other => Err(format!("address model {other} is not lowered yet").into()),
        }
    }

    /// A surface whose state the extended descriptor names: bindless, or by the scratch base.
    /// The offset of a surface state, and of the one so many behind it that newer text names: `bss(V32,3)`.
    fn surface_state(
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
        let r0 = Src::scalar(self.r0(0), Type::Ud);
        let mask = Src::ud(0xffff_ffc0);
        self.emit(build::op(Op::And, Lanes::SCALAR, Dst::packed(base, Type::Ud), &[r0, mask]));
        base
    }

    fn binding_table(&mut self, surface: &VectorOperand) -> Lowered<ExDesc<gen_ir::Virtual>> {
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
        let a0 = VReg::var_at(self.var(Var::temp(gen_ir::VarClass::Address, 4, 4)), 0);
        self.emit(build::op(op, Lanes::SCALAR, Dst::packed(a0, Type::Ud), srcs));
        Desc::Reg(a0)
    }

    fn joined(&mut self, parts: &[PayloadPart]) -> PayloadPart {
        let len = parts.iter().map(|p| p.len).sum();
        let all = self.payload(len);
        let mut at = 0;
        for part in parts {
            self.copy_bytes(all.plus(at), part.reg, part.len * self.grf());
            at += part.len * self.grf();
        }
        PayloadPart { reg: all, len }
    }

    fn lsc_send(
        &mut self,
        lanes: Lanes,
        message: LscMessage,
        dst: VReg,
        address: PayloadPart,
        data: Option<PayloadPart>,
    ) -> Lowered {
        let sizes = Sizes::new(address.len, data.map_or(0, |d| d.len), message.response)?;
        self.lsc_send_sized(lanes, message, dst, address, data, sizes);
        Ok(())
    }

    fn lsc_send_sized(
        &mut self,
        lanes: Lanes,
        message: LscMessage,
        dst: VReg,
        address: PayloadPart,
        data: Option<PayloadPart>,
        sizes: Sizes,
    ) {
        // Halves of a message must not share registers.
        let data = match data {
            Some(data) if super::share_registers(address, data, self.grf()) => Some(self.joined(&[data])),
            other => other,
        };
        let mut send = Inst::new(Op::Send, lanes.exec);
        let model = Untyped::from(message.desc).address_model();
        let surface_state = matches!(model, Some(AddressModel::Bss | AddressModel::Ss));
        match (message.ex_desc, data) {
            // The register is all surface offset; the word itself says how long the data is.
            (Desc::Reg(_), _) if surface_state => send.opts = send.opts.with(gen_ir::Options::EX_BSO),
            // The register says how long the data is.
            (Desc::Reg(a0), Some(_)) => {
                let length = ExtendedDescriptor::of_length(sizes.second).into_bits();
                let srcs = [Src::scalar(a0, Type::Ud), Src::ud(length)];
                self.emit(build::op(Op::Or, Lanes::SCALAR, Dst::packed(a0, Type::Ud), &srcs));
            }
            _ => {}
        }
        (send.chan, send.no_mask) = (lanes.chan, lanes.no_mask);
        let dst = if message.response == 0 { VReg::NULL } else { dst };
        send.dst = Dst::packed(dst, Type::Ud);
        send.src[0] = Src::payload(address.reg, send.exec);
        let source = data.map_or(VReg::NULL, |d| d.reg);
        send.src[1] = Src::payload(source, send.exec);
        send.payload = Payload::Send(SendInfo {
            sfid: message.sfid,
            desc: Desc::Imm(message.desc.with_lengths(sizes.first, sizes.response)),
            ex_desc: message.ex_desc,
            eot: false,
            dst_len: sizes.response.registers(),
            src0_len: sizes.first.registers(),
            src1_len: sizes.second.registers(),
        });
        self.emit_guarded(send);
    }

    /// `lsc_fence`.
    pub(crate) fn lsc_fence(&mut self, sfid: LscSfid, op: LscFenceOp, scope: LscScope) -> Lowered {
        if !self.caps.memory.lsc {
            return Err(format!("LSC messages do not exist on {}", self.caps.name).into());
        }
        self.fence_message(sfid, op, scope);
        Ok(())
    }

    /// A fence: a register goes out and one comes back, contents unused.
    pub(super) fn fence_message(&mut self, sfid: LscSfid, op: LscFenceOp, scope: LscScope) {
        let desc = Fence::new()
            .with_address_size(Some(AddressSize::A32))
            .with_flush(Flush::from_bits(op as u32))
            .with_scope(Scope::from_bits(scope as u32))
            .into();
        let answer = self.payload(1);
        let header = PayloadPart { reg: self.r0(0), len: 1 };
        let sfid = shared_function(sfid);
        let message = LscMessage { sfid, desc, ex_desc: Desc::Imm(ExtendedDescriptor::new()), response: 1 };
        let pred = self.pred.take();
        self.lsc_send_sized(Lanes::SCALAR, message, answer, header, None, Sizes::of(1, 0, 1));
        self.pred = pred;
        self.wait_for(answer);
    }

    /// The old fence: all of global memory, perhaps with a flush of L3, or shared local memory.
    pub(super) fn fence_by_lsc(&mut self, local: bool, flush: bool) -> Lowered {
        if local {
            return self.lsc_fence(LscSfid::Slm, LscFenceOp::None, LscScope::Group);
        }
        let op = match flush {
            true => LscFenceOp::FlushL3,
            false if self.caps.sampler.exists => LscFenceOp::Evict,
            false => LscFenceOp::None,
        };
        self.lsc_fence(LscSfid::Ugm, op, LscScope::Gpu)?;
        self.lsc_fence(LscSfid::Tgm, op, LscScope::Gpu)
    }

    /// Two-dimensional block loads and stores.
    pub(crate) fn lsc_block2d(&mut self, lsc: &LscBlock2d<'_>) -> Lowered {
        if !self.caps.memory.lsc {
            return Err(format!("LSC messages do not exist on {}", self.caps.name).into());
        }
        let header = self.zero_register();
        let base = self.scalar_src(lsc.addr[0])?;
        self.emit(build::mov(Lanes::SCALAR, Dst::packed(header, Type::Uq), base));
        for (i, operand) in lsc.addr[1..].iter().enumerate() {
            let value = self.scalar_src(operand)?;
            self.set_dword(header, 2 + to_index(i), value);
        }
        let (width, height, blocks) = (u32::from(lsc.width), u32::from(lsc.height), u32::from(lsc.blocks));
        if width == 0 || height == 0 || blocks == 0 {
            return Err("an empty block".into());
        }
        let Some(shape) = BlockShape::of(width, height, blocks) else { return Err("too many blocks".into()) };
        self.set_dword(header, 7, Src::ud(shape.into_bits()));
        let Some(code) = message_of(lsc.op).filter(|code| code.is_block2d()) else {
            return Err(format!("{} moves no block", lsc.op.name()).into());
        };
        let effect = code.row().effect;
        let store = effect == Effect::Store;
        let transposed = lsc.order == LscOrder::Transpose;
        let desc = Block2d::new()
            .with_op(Some(code))
            .with_vnni(lsc.vnni)
            .with_data_size(Some(data_size(lsc.size)))
            .with_transpose(transposed)
            .with_cache_control(cache_control(effect, lsc.cache)?)
            .into();
        let element = lsc.size.memory_bytes();
        let row = if transposed { height } else { width }.next_power_of_two();
        let rows = if transposed { width } else { height };
        let len = (row * rows * element).div_ceil(self.grf()) * blocks;
        let data = if store { Some(self.part(lsc.src1, len * self.grf())?) } else { None };
        let response = if store || lsc.dst.is_null() { 0 } else { len.min(ResponseLength::MOST) };
        let (target, copy) = self.response(lsc.dst, response.max(1) * self.grf())?;
        if copy.is_some() {
            return Err("a block destination that does not start at a register".into());
        }
        let message = LscMessage {
            sfid: shared_function(lsc.sfid),
            desc,
            ex_desc: Desc::Imm(ExtendedDescriptor::new()),
            response,
        };
        let lanes = Lanes { exec: ExecSize::S1, ..self.lanes };
        self.lsc_send(lanes, message, target, PayloadPart { reg: header, len: 1 }, data)
    }

    /// Typed accesses.
    pub(crate) fn lsc_typed(&mut self, lsc: &LscTyped<'_>) -> Lowered {
        if !self.caps.memory.lsc {
            return Err(format!("LSC messages do not exist on {}", self.caps.name).into());
        }
        if lsc.offsets != [0; 3] {
            return Err("immediate coordinate offsets of typed accesses do not exist on this platform".into());
        }
        let lanes = self.message_lanes();
        let grf = self.grf();
        let Some(code) = message_of(lsc.op) else {
            return Err(format!("{} does not exist on {}", lsc.op.name(), self.caps.name).into());
        };
        let effect = code.row().effect;
        let mut parts = Parts::new();
        let last = lsc.coords.iter().rposition(|c| !c.is_null()).unwrap_or(0);
        for coord in &lsc.coords[..=last] {
            parts.push(self.part(*coord, lanes * 4)?);
        }
        let address = if parts.len() == 1 { parts[0] } else { self.joined(&parts) };
        let channels = lsc.shape.channels.map_or(1, |m| m.count());
        let len = (lanes * lsc.shape.size.register_bytes()).div_ceil(grf) * channels;
        let mut data = Parts::new();
        for operand in [lsc.src1, lsc.src2] {
            if !operand.is_null() {
                data.push(self.part(operand, len * grf)?);
            }
        }
        let data = match data[..] {
            [] => None,
            [one] => Some(one),
            _ => Some(self.joined(&data)),
        };
        let (model, ex_desc) = match lsc.addr_type {
            LscAddrType::Bti => (AddressModel::Bti, self.binding_table(lsc.surface)?),
            LscAddrType::Bss | LscAddrType::Ss => {
                self.surface_state(lsc.addr_type, lsc.surface, lsc.surface_index)?
            }
            other => return Err(format!("typed accesses with address model {other}").into()),
        };
        let desc = quad(code, lsc.addr_size, lsc.shape.size)
            .with_channels(lsc.shape.channels.map_or(0, |m| m.0 & 15))
            .with_cache_control(cache_control(effect, lsc.cache)?)
            .with_address_model(Some(model))
            .into();
        let response = if effect == Effect::Store || lsc.dst.is_null() { 0 } else { len };
        let (target, copy) = self.response(lsc.dst, response.max(1) * grf)?;
        let message = LscMessage { sfid: Sfid::Tgm, desc, ex_desc, response };
        self.lsc_send(self.lanes, message, target, address, data)?;
        if let Some(to) = copy {
            self.copy_lsc_response(to, target, 0, 4, channels);
        }
        Ok(())
    }

    /// The prologue: inputs come from memory at the address in `r0.0`, first the data of the thread
    /// group, then that of each thread, both in the order of their registers from `r1` on.
    pub(crate) fn load_payload(&mut self, relocate: bool) {
        self.out.outside |= relocate;
        let grf = self.grf();
        // Whole registers, which is how runtimes lay out the data of threads.
        let per_thread = self.visa.attr_int("PerThreadInputSize").map_or(0, |v| v.max(0).cast_unsigned());
        let per_thread = per_thread.next_multiple_of(grf);
        let end =
            self.visa.inputs.iter().map(|i| u32::from(i.offset.max(0).cast_unsigned()) + u32::from(i.size));
        let end = end.max().unwrap_or(0);
        let first = grf + per_thread;
        let cross_thread = end.saturating_sub(first).next_multiple_of(CROSS_THREAD_ALIGN);
        // The address waits in the last register, which no input reaches.
        let last = (u32::from(self.out.grf_count) - 1) * grf;
        let address = self.var(Var { fixed: Some(last), no_spill: true, ..build::general(grf, grf) });
        let address = VReg::var_at(address, 0);
        if per_thread > 0 {
            // A launch may start behind it.
            self.out.payload_loads[0] = self.apart(|s| {
                s.thread_address(address, cross_thread, per_thread, relocate);
                s.load_registers(address, grf, per_thread)
            });
        }
        if cross_thread > 0 {
            let r0 = Src::scalar(self.r0(0), Type::Ud);
            let base = [r0, Src::ud(0xffff_ffc0)];
            self.emit(build::op(Op::And, Lanes::SCALAR, Dst::packed(address, Type::Ud), &base));
            if relocate {
                self.move_payload(address);
            }
            self.out.payload_loads[1] = self.load_registers(address, first, cross_thread);
        }
    }

    /// `(r0.0 & ~63) + cross-thread bytes + thread * per-thread bytes`.
    fn thread_address(&mut self, address: VReg, cross_thread: u32, per_thread: u32, relocate: bool) {
        // No message but the loads may stand in the prologue.
        let mut dword = || VReg::var_at(self.var(Var { no_spill: true, ..build::general(4, 4) }), 0);
        let (base, thread) = (dword(), dword());
        let (ud, scalar) = (|r| Dst::packed(r, Type::Ud), |r| Src::scalar(r, Type::Ud));
        let r0 = scalar(self.r0(0));
        let id = Src::scalar(self.r0(8), Type::Uw);
        self.emit(build::op(Op::And, Lanes::SCALAR, ud(base), &[r0, Src::ud(0xffff_ffc0)]));
        let number = Dst::packed(thread, Type::Uw);
        self.emit(build::op(Op::And, Lanes::SCALAR, number, &[id, Src::uw(0xff)]));
        self.emit(build::op(
            Op::Add,
            Lanes::SCALAR,
            ud(base),
            &[scalar(base), Src::uw(to_u16(cross_thread))],
        ));
        if relocate {
            self.move_payload(base);
        }
        let srcs = [scalar(base), Src::scalar(thread, Type::Uw), Src::uw(to_u16(per_thread))];
        self.emit(build::op(Op::Mad, Lanes::SCALAR, ud(address), &srcs));
    }

    /// Adds the bytes that a runtime puts before the payload.
    fn move_payload(&mut self, address: VReg) {
        let srcs = [Src::scalar(address, Type::Ud), Src::ud(crate::lower::address::UNLINKED)];
        let mut add = build::op(Op::Add, Lanes::SCALAR, Dst::packed(address, Type::Ud), &srcs);
        add.opts = add.opts.with(gen_ir::Options::SYMBOL_LOW);
        self.emit(add);
    }

    /// Loads `bytes` bytes at the address into the registers from byte `first` of the register file on;
    /// gives the number of messages.
    fn load_registers(&mut self, address: VReg, first: u32, bytes: u32) -> u16 {
        let grf = self.grf();
        let (mut at, mut messages) = (0, 0);
        while at < bytes {
            // Up to 64 dwords a message, whole registers but for the last.
            let left = (bytes - at) / 4;
            let dwords: u32 = 1 << left.clamp(1, 64).ilog2();
            let response = (dwords * 4).div_ceil(grf);
            let desc = Untyped::new()
                .with_op(Some(LscCode::Load))
                .with_address_size(Some(AddressSize::A32))
                .with_data_size(Some(DataSize::D32))
                .with_vector_size(VectorSize::of(dwords))
                .with_transpose(true)
                .with_cache_control(Access::CACHED_LOAD)
                .with_address_model(Some(AddressModel::Bti))
                .into();
            let to = first + at;
            let dst = VReg::in_file(to, grf);
            let message = LscMessage { sfid: Sfid::Ugm, desc, ex_desc: binding(GENERAL_STATE), response };
            let from = PayloadPart { reg: address, len: 1 };
            self.lsc_send_sized(Lanes::SCALAR, message, dst, from, None, Sizes::of(1, 0, response));
            messages += 1;
            at += dwords * 4;
            if at < bytes {
                let srcs = [Src::scalar(address, Type::Ud), Src::uw(to_u16(dwords * 4))];
                self.emit(build::op(Op::Add, Lanes::SCALAR, Dst::packed(address, Type::Ud), &srcs));
            }
        }
        messages
    }
}

/// Cross-thread data are padded to this many bytes.
const CROSS_THREAD_ALIGN: u32 = 32;
