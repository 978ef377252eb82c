//! Loads and stores of rectangles.

use gen_ir::{Desc, Dst, Src, Type};
use messages::{
    Access, Effect, ExtendedDescriptor,
    lsc::{Block2d, BlockShape},
};
use narrow::to_index;
use visa::{Op as Visa, lsc::LscOrder, op::LscBlock2d};

use super::codes::{LscMessage, cache_control, data_size, message_of, shared_function};
use crate::{
    build::{self, Lanes},
    lower::{Feature, Lowered, Lowerer, Unsupported},
    messages::PayloadPart,
};

impl Lowerer<'_> {
    /// Two-dimensional block loads and stores.
    pub(crate) fn lsc_block2d(&mut self, lsc: &LscBlock2d<'_>) -> Lowered {
        self.needs(self.caps.memory.lsc, Feature::Lsc)?;
        let header = self.zero_register();
        let base = self.scalar_src(lsc.addr[0])?;
        self.emit(build::mov(Lanes::SCALAR, Dst::packed(header, Type::Uq), base));
        for (i, operand) in lsc.addr[1..].iter().enumerate() {
            let value = self.scalar_src(operand)?;
            self.set_dword(header, 2 + to_index(i), value);
        }
        let (width, height, blocks) = (u32::from(lsc.width), u32::from(lsc.height), u32::from(lsc.blocks));
        let Some(shape) = BlockShape::of(width, height, blocks) else {
            return Err(Unsupported::Blocks2d { width, height, blocks }.into());
        };
        self.set_dword(header, 7, Src::ud(shape.into_bits()));
        let Some(code) = message_of(lsc.op).filter(|code| code.is_block2d()) else {
            return Err(Unsupported::NotBlock(lsc.op).into());
        };
        let effect = code.row().effect;
        let access = Access::store_if(effect == Effect::Store);
        let desc = Block2d::new()
            .with_op(Some(code))
            .with_vnni(lsc.vnni)
            .with_data_size(Some(data_size(lsc.size)))
            .with_transpose(lsc.order == LscOrder::Transpose)
            .with_cache_control(cache_control(effect, lsc.cache)?)
            .into();
        let (_, bytes) = self.data(Visa::LscBlock2d(*lsc))?;
        let len = bytes.div_ceil(self.grf());
        let data = if access.is_store() { Some(self.part(lsc.src1, len * self.grf())?) } else { None };
        let response = if access.is_store() || lsc.dst.is_null() {
            0
        } else {
            len.min(self.caps.sends.response_most.into())
        };
        let (target, copy) = self.response(lsc.dst, response.max(1) * self.grf())?;
        if copy.is_some() {
            return Err(Unsupported::NotAtRegister("block destination").into());
        }
        let message = LscMessage {
            sfid: shared_function(lsc.sfid),
            desc,
            ex_desc: Desc::Imm(ExtendedDescriptor::new()),
            response,
        };
        self.lsc_send(self.lanes, message, target, PayloadPart { reg: header, len: 1 }, data)
    }
}
