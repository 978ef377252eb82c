//! A thread's scratch memory, as far as it is given away, and the headers of messages to it.

use gen_ir::{Kernel, Var, VarClass, Virtual, scratch};

/// Bytes that the offset field of a scratch block message reaches.
const REACH: u64 = 4096 * 32;

/// The thread's scratch memory, as far as it is given away.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScratchSpace {
    /// The first byte that is free.
    pub top: u32,
    /// Where offsets in messages count from.
    pub base: u32,
}

impl ScratchSpace {
    /// All is free from byte `top` on.
    pub const fn from(top: u32) -> ScratchSpace {
        ScratchSpace { top, base: 0 }
    }

    /// The first byte that the messages of `kernel` do not reach.
    pub fn end(&self, kernel: &Kernel<Virtual>) -> u64 {
        match by_surface(kernel) {
            true => kernel.platform.caps().memory.scratch_most.into(),
            false => u64::from(self.base) + REACH,
        }
    }

    /// Gives the messages of `kernel` a header of their own, if they reach further with it: offsets count from
    /// what is free on, or are addresses in the surface. Returns whether they do.
    pub fn advance(&mut self, kernel: &mut Kernel<Virtual>) -> bool {
        let surface = kernel.platform.caps().memory.scratch_surface;
        let nearer = surface || self.top >= scratch::BASE_UNIT;
        if kernel.scratch_header.is_some() || !nearer || kernel.blocks.is_empty() {
            return false;
        }
        let grf = u32::from(kernel.platform.caps().regs.grf_bytes);
        let header = Var { no_spill: true, live_out: true, ..Var::temp(VarClass::General, grf, grf) };
        let header = kernel.add_var(header);
        kernel.scratch_header = Some(header);
        if !surface {
            self.base = self.top / scratch::BASE_UNIT * scratch::BASE_UNIT;
        }
        let code = scratch::header(kernel.platform, header, self.base);
        let [_, loaded] = kernel.payload_ends();
        kernel.blocks[0].insts.splice(loaded..loaded, code);
        true
    }
}

/// Whether messages to scratch memory go through its surface at addresses in it, rather than as scratch blocks.
pub(crate) fn by_surface(kernel: &Kernel<Virtual>) -> bool {
    kernel.platform.caps().memory.scratch_surface && kernel.scratch_header.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use gen_ir::{Block, Op};
    use platforms::Platform;

    /// A kernel whose own scratch memory ends at `top`, with the header that its messages get, if any: where its offsets count from,
    /// and where they end.
    fn advanced(platform: Platform, top: u32) -> Option<(u32, u64)> {
        let mut kernel = Kernel::new("k", platform);
        kernel.blocks.push(Block::default());
        let mut space = ScratchSpace::from(top);
        let nearer = space.advance(&mut kernel);
        assert_eq!(nearer, kernel.scratch_header.is_some());
        assert_eq!(nearer, kernel.blocks[0].insts.iter().any(|i| i.op == Op::Mov || i.op == Op::And));
        assert!(!space.advance(&mut kernel), "a second header reaches no further");
        nearer.then(|| (space.base, space.end(&kernel)))
    }

    #[test]
    fn a_header_brings_offsets_nearer_by_whole_kilobytes() {
        assert_eq!(advanced(Platform::Skl, 0), None);
        assert_eq!(advanced(Platform::Skl, 1023), None);
        assert_eq!(advanced(Platform::Skl, 3000), Some((2048, 2048 + REACH)));
    }

    #[test]
    fn a_header_leads_to_the_surface_wherever_offsets_are() {
        assert_eq!(advanced(Platform::Pvc, 0), Some((0, 256 * 1024)));
        assert_eq!(advanced(Platform::Pvc, 3000), Some((0, 256 * 1024)));
    }

    #[test]
    fn there_is_no_place_for_a_header_without_blocks() {
        assert!(!ScratchSpace::from(3000).advance(&mut Kernel::new("k", Platform::Skl)));
    }

    #[test]
    fn messages_of_a_kernel_are_blocks_until_it_has_a_header() {
        let kernel = Kernel::new("k", Platform::Pvc);
        assert_eq!(ScratchSpace::from(0).end(&kernel), REACH);
    }
}
