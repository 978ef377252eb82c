//! `sha256.cl`

use super::prelude::*;

pub(super) const KERNELS: Kernels = &[("sha256_block", sha256_block)];

const N: usize = 40;

/// The first 32 bits behind the point of a root of the first primes: where FIPS 180-4 has its constants
/// from.
fn roots<const M: usize>(root: fn(f64) -> f64, power: u32) -> [u32; M] {
    let primes: Vec<u64> =
        (2u64..).filter(|n| (2..*n).take_while(|d| d * d <= *n).all(|d| n % d != 0)).take(M).collect();
    std::array::from_fn(|k| {
        // The largest whole number whose power is at most the prime times 2^(32 * power).
        let target = u128::from(primes[k]) << (32 * power);
        let mut r = (root(primes[k] as f64) * 4_294_967_296.0) as u128;
        while r.pow(power) > target {
            r -= 1;
        }
        while (r + 1).pow(power) <= target {
            r += 1;
        }
        r as u32
    })
}

fn compress(w: &[u32; 16]) -> [u32; 8] {
    let k: [u32; 64] = roots(f64::cbrt, 3);
    let start: [u32; 8] = roots(f64::sqrt, 2);
    let mut w = w.to_vec();
    for t in 16..64 {
        let s0 = w[t - 15].rotate_right(7) ^ w[t - 15].rotate_right(18) ^ w[t - 15] >> 3;
        let s1 = w[t - 2].rotate_right(17) ^ w[t - 2].rotate_right(19) ^ w[t - 2] >> 10;
        w.push(w[t - 16].wrapping_add(s0).wrapping_add(w[t - 7]).wrapping_add(s1));
    }
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = start;
    for t in 0..64 {
        let big1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let t1 = h.wrapping_add(big1).wrapping_add(e & f ^ !e & g).wrapping_add(k[t]).wrapping_add(w[t]);
        let big0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
        let t2 = big0.wrapping_add(a & b ^ a & c ^ b & c);
        (h, g, f, e, d, c, b, a) = (g, f, e, d.wrapping_add(t1), c, b, a, t1.wrapping_add(t2));
    }
    let end = [a, b, c, d, e, f, g, h];
    std::array::from_fn(|i| start[i].wrapping_add(end[i]))
}

fn sha256_block(t: &mut Target) -> Vec<Case> {
    let mut blocks = t.ints::<u32>(16 * N).chunks_exact(16).map(|c| c.try_into().unwrap()).collect::<Vec<_>>();
    // The padded block of the message "abc".
    blocks[0] = [0; 16];
    (blocks[0][0], blocks[0][15]) = (0x6162_6380, 24);
    Case::groups(2, 20).input(&blocks).output(&each(N, |i| compress(&blocks[i]))).only()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_standards_example() {
        let mut block = [0; 16];
        (block[0], block[15]) = (0x6162_6380, 24);
        let digest: String = super::compress(&block).iter().map(|w| format!("{w:08x}")).collect();
        assert_eq!(digest, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
