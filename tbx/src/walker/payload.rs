//! Local ids that hardware makes (COMPUTE_WALKER, "Generate Local ID").

use narrow::{as_index, to_u16};

/// The dimensions by how fast they vary, by the code of "Walk Order".
const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

/// Registers of each thread of a group: 16 bits a channel, for each dimension that `emit` has a bit for.
pub fn local_ids(emit: u32, order: u32, local: [u32; 3], simd: u32, threads: u32, grf: u32) -> Vec<Vec<u8>> {
    let order = ORDERS[as_index(order).min(ORDERS.len() - 1)];
    let id = |item: u64, dimension: usize| {
        let mut left = item;
        for d in order {
            let size = u64::from(local[d]);
            if d == dimension {
                return to_u16(left % size);
            }
            left /= size;
        }
        0
    };
    let thread = |number: u32| {
        let mut out = Vec::new();
        for d in (0..3).filter(|d| emit >> d & 1 != 0) {
            for lane in 0..simd {
                let item = u64::from(number) * u64::from(simd) + u64::from(lane);
                out.extend_from_slice(&id(item, d).to_le_bytes());
            }
            out.resize(out.len().next_multiple_of(as_index(grf)), 0);
        }
        out
    };
    (0..threads).map(thread).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_by_order_and_dimension() {
        let ids = |emit, order| {
            let threads = local_ids(emit, order, [3, 2, 4], 16, 2, 64);
            let words =
                |t: &Vec<u8>| t.as_chunks::<2>().0.iter().map(|b| u16::from_le_bytes(*b)).collect::<Vec<_>>();
            threads.iter().map(words).collect::<Vec<_>>()
        };
        let xy = ids(3, 0);
        assert_eq!(xy[0].len(), 64, "a register a dimension");
        assert_eq!((&xy[0][..7], &xy[0][32..39]), (&[0, 1, 2, 0, 1, 2, 0][..], &[0, 0, 0, 1, 1, 1, 0][..]));
        assert_eq!(xy[1][..3], [1, 2, 0]);
        assert_eq!(ids(4, 5)[0][..6], [0, 1, 2, 3, 0, 1], "z first");
        assert!(ids(0, 0)[0].is_empty());
    }
}
