//! Where the bytes of an image lie (PRM volume 5, "Memory Views", "Tiling Formats").

/// How an image's rows lie in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tiling {
    /// One after the other.
    #[default]
    Linear,
    /// In tiles of 8 rows of 512 bytes, row by row.
    X,
    /// In tiles of 32 rows of 128 bytes, by columns of 16 bytes.
    Y,
}

/// Bytes of a tile.
const TILE: u64 = 4096;

impl Tiling {
    /// Rows of a tile.
    pub fn rows(self) -> u64 {
        match self {
            Tiling::Linear => 1,
            Tiling::X => 8,
            Tiling::Y => 32,
        }
    }

    /// The offset of byte `x` in row `y`, where rows are `pitch` bytes long.
    pub fn offset(self, x: u64, y: u64, pitch: u64) -> u64 {
        let height = self.rows();
        let width = match self {
            Tiling::Linear => return y * pitch + x,
            Tiling::X | Tiling::Y => TILE / height,
        };
        let tile = y / height * (pitch / width) + x / width;
        let (x, y) = (x % width, y % height);
        let inside = match self {
            Tiling::Y => x / 16 * 16 * height + y * 16 + x % 16,
            _ => y * width + x,
        };
        tile * TILE + inside
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_byte_has_a_place_of_its_own() {
        for (tiling, first) in
            [(Tiling::Linear, [1, 16, 1024]), (Tiling::X, [1, 16, 512]), (Tiling::Y, [1, 512, 16])]
        {
            let at = |x, y| tiling.offset(x, y, 1024);
            assert_eq!([at(1, 0), at(16, 0), at(0, 1)], first, "{tiling:?}");
            let mut all: Vec<u64> = (0..64).flat_map(|y| (0..1024).map(move |x| at(x, y))).collect();
            all.sort_unstable();
            assert!(all.into_iter().eq(0..64 * 1024), "{tiling:?}");
        }
        assert_eq!(Tiling::X.offset(512, 8, 1024), 3 * TILE);
        assert_eq!(Tiling::Y.offset(128 + 17, 33, 1024), 9 * TILE + 512 + 16 + 1);
    }
}
