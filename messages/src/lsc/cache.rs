//! What the caches do with data: the codes of cache control, which loads and stores name differently.

use narrow::to_u8;

use crate::Access;

/// What one level of the caches does with data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cache {
    /// Does not keep them.
    Uncached,
    /// Keeps what is read.
    Cached,
    /// Keeps what is written.
    WriteBack,
    /// Keeps what is written and hands it on at once.
    WriteThrough,
    /// Keeps data, but evicts them before others: they are used once.
    Streaming,
    /// Keeps what is read until it has been read.
    ReadInvalidate,
}

/// Caches of levels 1 and 3 by code, from 1 on; 0 is what the surface or the state says.
const LOADS: [(Cache, Cache); 7] = [
    (Cache::Uncached, Cache::Uncached),
    (Cache::Uncached, Cache::Cached),
    (Cache::Cached, Cache::Uncached),
    (Cache::Cached, Cache::Cached),
    (Cache::Streaming, Cache::Uncached),
    (Cache::Streaming, Cache::Cached),
    (Cache::ReadInvalidate, Cache::Cached),
];

const STORES: [(Cache, Cache); 7] = [
    (Cache::Uncached, Cache::Uncached),
    (Cache::Uncached, Cache::WriteBack),
    (Cache::WriteThrough, Cache::Uncached),
    (Cache::WriteThrough, Cache::WriteBack),
    (Cache::Streaming, Cache::Uncached),
    (Cache::Streaming, Cache::WriteBack),
    (Cache::WriteBack, Cache::WriteBack),
];

/// Loads and stores name the same codes of cache control differently; atomics name them as stores do.
impl Access {
    /// The code of a load that both levels keep.
    pub const CACHED_LOAD: u8 = 4;

    const fn table(self) -> &'static [(Cache, Cache); 7] {
        match self {
            Access::Load => &LOADS,
            Access::Store => &STORES,
        }
    }

    /// The code of cache control; `None` for levels: what the surface or the state says.
    pub fn cache_control(self, levels: Option<(Cache, Cache)>) -> Option<u8> {
        let Some(levels) = levels else { return Some(0) };
        let at = self.table().iter().position(|l| *l == levels)?;
        Some(to_u8(at) + 1)
    }

    /// What a code (three bits) says of levels 1 and 3; `None`: what the surface or the state says.
    pub fn levels(self, cache_control: u8) -> Option<(Cache, Cache)> {
        self.table().get(usize::from(cache_control & 7).checked_sub(1)?).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cache_controls_go_both_ways() {
        for access in [Access::Load, Access::Store] {
            for code in 0..8 {
                assert_eq!(access.cache_control(access.levels(code)), Some(code));
            }
        }
        assert_eq!(Access::Load.levels(Access::CACHED_LOAD), Some((Cache::Cached, Cache::Cached)));
        assert_eq!(Access::Load.cache_control(Some((Cache::WriteBack, Cache::WriteBack))), None);
    }
}
