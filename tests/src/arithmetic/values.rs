//! The edges of types.

use visa::Type;

/// Elements of each source.
pub(super) const ELEMENTS: u32 = 64;

/// Values worth trying, as bits.
pub(super) fn edges(ty: Type) -> Vec<u64> {
    let bits = ty.bytes() * 8;
    let float = |values: &[f64]| -> Vec<f64> {
        let mut out: Vec<f64> = values.iter().flat_map(|v| [*v, -*v]).collect();
        out.push(f64::NAN);
        out
    };
    let values = float(&[
        0.0,
        1.0,
        0.5,
        1.5,
        2.5,
        0.75,
        3.0,
        7.0,
        100.25,
        127.5,
        128.0,
        255.5,
        256.0,
        1000.0,
        32767.5,
        65504.0,
        65535.5,
        65536.0,
        1e-3,
        1e-7,
        6e-8,
        1e-30,
        1e-40,
        16777216.0,
        2147483520.0,
        2147483648.0,
        4294967040.0,
        4294967296.0,
        9.2e18,
        9.3e18,
        1.9e19,
        1e30,
        f64::INFINITY,
    ]);
    match ty {
        Type::DF => values.into_iter().chain([2147483647.5, 1e300, 1e-310]).map(f64::to_bits).collect(),
        Type::F => values.into_iter().map(|v| u64::from((v as f32).to_bits())).collect(),
        Type::HF => values.into_iter().map(|v| u64::from(half::f16::from_f64(v).to_bits())).collect(),
        Type::BF => values.into_iter().map(|v| u64::from(half::bf16::from_f64(v).to_bits())).collect(),
        _ => {
            let top = 1u64 << (bits - 1);
            let mask = u64::MAX >> (64 - bits);
            let mut out = vec![
                0,
                1,
                2,
                3,
                7,
                31,
                32,
                33,
                63,
                64,
                0x55,
                top,
                top - 1,
                top + 1,
                mask,
                mask - 1,
                mask - 6,
            ];
            for power in [7, 8, 15, 16, 24, 31, 32, 33, 52, 62, 63] {
                if power < bits {
                    let p = 1u64 << power;
                    out.extend([p - 1, p, p + 1, p.wrapping_neg(), p.wrapping_neg().wrapping_sub(1)]);
                }
            }
            out.extend([0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3210]);
            out.iter().map(|v| v & mask).collect()
        }
    }
}

/// The elements of source `i`: every edge at least once, pairs mixed.
pub(super) fn values(ty: Type, i: usize, round: u32, mods: &str) -> Vec<u8> {
    let mut edges = edges(ty);
    if !mods.is_empty() && ty.is_int() {
        // Whether the negative of the least value has a bit more than the type is not said.
        edges.retain(|v| *v != 1 << (ty.bytes() * 8 - 1));
    }
    let mut state = (u64::from(round) * 3 + i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut out = Vec::new();
    for k in 0..ELEMENTS {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let all = k as usize + (round * ELEMENTS) as usize;
        let at = if i == 0 { all } else { (state >> 33) as usize } % edges.len();
        out.extend_from_slice(&edges[at].to_le_bytes()[..ty.bytes() as usize]);
    }
    out
}

/// Bytes that a variable of `elements` takes, in the 64-byte pieces it is loaded and stored in.
pub(super) fn space(ty: Type, elements: u32) -> u32 {
    (ty.bytes() * elements).next_multiple_of(64)
}

pub(super) fn is_nan(ty: Type, bytes: &[u8]) -> bool {
    let bits = bytes.iter().rev().fold(0u64, |v, b| v << 8 | u64::from(*b));
    match ty {
        Type::HF => half::f16::from_bits(bits as u16).is_nan(),
        Type::BF => half::bf16::from_bits(bits as u16).is_nan(),
        Type::F => f32::from_bits(bits as u32).is_nan(),
        _ => f64::from_bits(bits).is_nan(),
    }
}
