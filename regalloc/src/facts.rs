//! What is known of each variable from its accesses alone.

use crate::{
    access::{Access, Accesses, Kind},
    pieces::{all_pieces, covered, piece_shift, touched},
};
use gen_ir::{Kernel, Virtual};

/// What is known of each variable before the graph is looked at.
pub(crate) struct Facts {
    /// Log2 of the piece size in units.
    pub shift: Vec<u8>,
    /// Pieces that are ever read.
    pub pieces: Vec<u64>,
    /// Writes under the mask end the old value: bit 0 in divergent blocks, bit 1 elsewhere.
    masked_kill: Vec<u8>,
}

impl Facts {
    pub fn of(kernel: &Kernel<Virtual>, accesses: &Accesses, divergence: bool) -> Facts {
        let n = kernel.vars.len();
        let shift: Vec<u8> = kernel.vars.iter().map(piece_shift).collect();
        let mut pieces = vec![0u64; n];
        // Pitch of masked accesses: 0 not seen, 255 several.
        let mut pitch = vec![0u8; n];
        let mut masked_kill = vec![3u8; n];
        let simd = u32::from(kernel.simd).max(1);
        for a in accesses.all() {
            let v = a.var as usize;
            let read = a.kind.has(Kind::READ);
            if read {
                pieces[v] |= touched(a, shift[v]);
            }
            if !divergence && !read {
                continue;
            }
            if !a.kind.has(Kind::MASKED) {
                if read {
                    masked_kill[v] = 0;
                }
                continue;
            }
            if a.kind.has(Kind::CROSS) {
                masked_kill[v] &= 2;
            } else if a.pitch != 0 && divergence {
                let p = u32::from(a.pitch);
                let one = a.end - a.start <= u32::from(a.elem);
                let apart = pitch[v] != 0 && pitch[v] != a.pitch && !one;
                let lane = a.start / p % simd;
                if apart || (one && simd > 1) || lane != u32::from(a.chan) {
                    masked_kill[v] &= 2;
                }
                if !one {
                    pitch[v] = a.pitch;
                }
            }
        }
        for (v, var) in kernel.vars.iter().enumerate() {
            if var.live_out {
                pieces[v] |= all_pieces(var);
            }
            if var.address_taken {
                masked_kill[v] = 0;
            }
        }
        Facts { shift, pieces, masked_kill }
    }

    /// Pieces whose old value a write ends.
    pub fn kills(&self, a: &Access, divergent: bool) -> u64 {
        let v = a.var as usize;
        if !a.kind.has(Kind::SURE) {
            return 0;
        }
        let need = if divergent { 1 } else { 2 };
        if a.kind.has(Kind::MASKED) && self.masked_kill[v] & need == 0 {
            return 0;
        }
        covered(a, self.shift[v])
    }
}
