//! Typed loads, stores and atomics.

use gen_ir::Sfid;
use messages::{
    Effect,
    lsc::{AddressModel, LscForm, Op as LscCode},
};
use visa::{Op as Visa, lsc::LscAddrType, op::LscTyped};

use super::{
    accesses,
    codes::{LscMessage, cache_control, message_of, quad},
};
use crate::{
    lower::{Feature, Lowered, Lowerer, Unsupported},
    messages::Parts,
};

impl Lowerer<'_> {
    /// Typed accesses.
    pub(crate) fn lsc_typed(&mut self, lsc: &LscTyped<'_>) -> Lowered {
        self.needs(self.caps.memory.lsc, Feature::Lsc)?;
        if lsc.offsets != [0; 3] {
            return Err(Unsupported::TypedOffsets.into());
        }
        let lanes = self.message_lanes();
        let grf = self.grf();
        let asks = |code: &LscCode| code.row().form == LscForm::State;
        let Some(code) = message_of(lsc.op).filter(|code| accesses(*code) || asks(code)) else {
            return self.lacks(Feature::LscOperation(lsc.op));
        };
        let effect = code.row().effect;
        let mut parts = Parts::new();
        self.coordinates(lsc.coords, lanes, &mut parts)?;
        let address = if parts.len() == 1 { parts[0] } else { self.concatenate(&parts) };
        let (_, bytes) = self.data(Visa::LscTyped(*lsc))?;
        let len = bytes.div_ceil(grf);
        let data = self.lsc_data([lsc.src1, lsc.src2], len)?;
        let (model, ex_desc) = match lsc.addr_type {
            LscAddrType::Bti => (AddressModel::Bti, self.binding_table(lsc.surface)?),
            LscAddrType::Bss | LscAddrType::Ss => {
                self.surface_state(lsc.addr_type, lsc.surface, lsc.surface_index)?
            }
            other => return Err(Unsupported::AddressModel(other).into()),
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
            self.copy_lsc_response(to, target, 4, lsc.shape.per_address());
        }
        Ok(())
    }
}
