//! Immediates of compacted words.

use narrow::low_u16;

/// The 12 bits of an immediate, by the code of its type: 16-bit types stand twice in the native word.
/// Whether it has such a form goes to `all`.
#[inline]
pub(super) fn compact_imm(code: u8, imm: u32, all: &mut bool) -> u16 {
    let half = imm & 0xffff;
    let twice = half == imm >> 16;
    let (fits, small) = match code {
        0 | 2 | 4 | 8 => (imm <= 0xfff, imm),
        1 => (twice && half <= 0xfff, half),
        5 => (twice && half.wrapping_add(0x800) & 0xffff <= 0xfff, half),
        6 => (imm.wrapping_add(0x800) <= 0xfff, imm),
        9 => (twice && half & 0xf == 0, half >> 4),
        10 => (imm & 0xf_ffff == 0, imm >> 20),
        _ => (false, 0),
    };
    *all &= fits;
    low_u16(small) & 0xfff
}

/// The native immediate of 12 bits: integers extend as their type says, floats at the low end.
pub(super) fn expand_imm(code: u8, small: u16) -> Option<u32> {
    let small = u32::from(small);
    let signed = ((small << 20).cast_signed() >> 20).cast_unsigned();
    let twice = |half: u32| half & 0xffff | half << 16;
    match code {
        0 | 2 | 4 | 8 => Some(small),
        1 => Some(twice(small)),
        5 => Some(twice(signed)),
        6 => Some(signed),
        9 => Some(twice(small << 4)),
        10 => Some(small << 20),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn short_of(code: u8, imm: u32) -> Option<u16> {
        let mut fits = true;
        let short = compact_imm(code, imm, &mut fits);
        fits.then_some(short)
    }

    /// A value has a short form exactly when one of the 4,096 short forms expands to it.
    #[test]
    fn short_immediates_are_those_that_expand() {
        for code in 0..16 {
            let long: Vec<Option<u32>> = (0..0x1000).map(|small| expand_imm(code, small)).collect();
            for (small, imm) in (0..).zip(&long) {
                let Some(imm) = *imm else { continue };
                assert_eq!(short_of(code, imm), Some(small), "type {code}, {imm:#x}");
                for near in [imm ^ 1, imm ^ 0x800, imm ^ 0x8000, imm ^ 0x1_0000, imm ^ 1 << 31, !imm] {
                    let short = long.iter().position(|l| *l == Some(near)).map(|s| s as u16);
                    assert_eq!(short_of(code, near), short, "type {code}, {near:#x}");
                }
            }
        }
    }
}
