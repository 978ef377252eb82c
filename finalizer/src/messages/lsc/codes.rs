//! What vISA says of a load/store-cache message, in the codes of its descriptor.

use gen_ir::{Desc, ExDesc, Sfid};
use messages::{
    Access, Descriptor, Effect, SurfaceIndex,
    lsc::{AddressSize, BtiExtended, Cache, DataSize, Op as LscCode, Quad, VectorSize},
};
use visa::lsc::{LscAddrSize, LscCache, LscDataSize, LscElems, LscOp, LscSfid};

use crate::lower::{Lowered, Unsupported};

/// With 32-bit addresses: relative to the general state base address.
pub(in crate::messages) const GENERAL_STATE: SurfaceIndex = SurfaceIndex::STATELESS;

/// What goes into a message besides its payload.
pub(in crate::messages) struct LscMessage {
    pub sfid: Sfid,
    pub desc: Descriptor,
    pub ex_desc: ExDesc<gen_ir::Virtual>,
    pub response: u32,
}

pub(super) fn shared_function(sfid: LscSfid) -> Sfid {
    match sfid {
        LscSfid::Ugm => Sfid::Ugm,
        LscSfid::Ugml => Sfid::Ugml,
        LscSfid::Tgm => Sfid::Tgm,
        LscSfid::Slm => Sfid::Slm,
        LscSfid::Urb => Sfid::Urb,
    }
}

/// The code of cache control.
pub(super) fn cache_control(effect: Effect, cache: [LscCache; 2]) -> Lowered<u8> {
    // Atomics name what caches do as stores do.
    let access = Access::store_if(effect != Effect::Load);
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
    code.ok_or_else(|| Unsupported::CacheControl(cache).into())
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

pub(super) const fn data_size(size: LscDataSize) -> DataSize {
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

pub(super) const fn vector_size(elems: LscElems) -> VectorSize {
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

pub(super) const fn address_size(size: LscAddrSize) -> AddressSize {
    match size {
        LscAddrSize::A16 => AddressSize::A16,
        LscAddrSize::A32 | LscAddrSize::A32U | LscAddrSize::A32S => AddressSize::A32,
        LscAddrSize::A64 => AddressSize::A64,
    }
}

/// vISA numbers these messages as the hardware does.
pub(super) fn message_of(op: LscOp) -> Option<LscCode> {
    LscCode::from_bits(op.raw().into())
}

#[cfg(test)]
#[test]
fn operations_are_those_of_the_messages() {
    use messages::lsc::LscForm;
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
pub(super) fn quad(code: LscCode, address: LscAddrSize, data: LscDataSize) -> Quad {
    Quad::new()
        .with_op(Some(code))
        .with_address_size(Some(address_size(address)))
        .with_data_size(Some(data_size(data)))
}

/// The extended descriptor of a surface in the binding table.
pub(in crate::messages) fn binding(surface: SurfaceIndex) -> ExDesc<gen_ir::Virtual> {
    Desc::Imm(BtiExtended::new().with_surface(surface).into())
}
