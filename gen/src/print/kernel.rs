//! Kernels as text: what holds for all of one, its variables, its blocks.

use std::fmt::{self, Display, Formatter, Write};

use narrow::to_index;

use crate::{Block, BlockId, Kernel, RegisterSet, Space, Var};

impl<S: Space> Display for Block<S> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for inst in &self.insts {
            f.write_str("    ")?;
            inst.fmt(f)?;
            f.write_char('\n')?;
        }
        Ok(())
    }
}

impl Display for Var {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        // Named one by one: a new field is printed, and parsed, or this does not compile.
        let Var {
            class,
            bytes,
            align,
            own_grf,
            even_grf,
            fixed,
            live_in,
            live_out,
            no_spill,
            address_taken,
            any_on,
            origin,
        } = *self;
        write!(f, "{}, {bytes} bytes, align {align}", class.name())?;
        if let Some(at) = fixed {
            write!(f, ", fixed at byte {at}")?;
        }
        for (set, word) in [
            (own_grf, "own GRF"),
            (even_grf, "even GRF"),
            (live_in, "live in"),
            (live_out, "live out"),
            (no_spill, "no spill"),
            (address_taken, "address taken"),
            (any_on, "any on"),
        ] {
            if set {
                write!(f, ", {word}")?;
            }
        }
        match origin {
            Some(n) => write!(f, ", for {n}"),
            None => Ok(()),
        }
    }
}

impl<S: Space> Kernel<S> {
    fn write_head(&self, f: &mut Formatter<'_>) -> fmt::Result {
        // As above; blocks and variables have their own lines.
        let Kernel {
            name,
            platform,
            grf_count,
            reserved,
            simd,
            vars: _,
            blocks: _,
            subroutines: _,
            spill_offset,
            scratch_header,
            all_channels,
            pairs,
            outside,
            payload_loads,
            addressed,
        } = self;
        write!(f, "kernel {name:?} on {platform}, simd{simd}")?;
        if *grf_count != platform.caps().regs.default_file().grfs {
            write!(f, ", {grf_count} registers")?;
        }
        if *reserved > 0 {
            write!(f, ", {reserved} reserved")?;
        }
        if *spill_offset > 0 {
            write!(f, ", spills from {spill_offset}")?;
        }
        if let Some(v) = scratch_header {
            write!(f, ", scratch header V{}", v.0)?;
        }
        if *all_channels {
            f.write_str(", all channels")?;
        }
        if *pairs != platform.caps().flow.fused_pairs {
            f.write_str(", threads alone")?;
        }
        if *outside {
            f.write_str(", outside")?;
        }
        match payload_loads {
            [0, 0] => {}
            [own, shared] => write!(f, ", payload loads {own}+{shared}")?,
        }
        if *addressed != RegisterSet::ALL {
            write!(f, ", addresses lead to {addressed}")?;
        }
        f.write_char('\n')
    }
}

impl<S: Space> Display for Kernel<S> {
    /// Variables, then blocks in layout order with their successors.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.write_head(f)?;
        for (i, var) in self.vars.iter().enumerate() {
            writeln!(f, "V{i}: {var}")?;
        }
        for (i, block) in self.blocks.iter().enumerate() {
            let id = BlockId(to_index(i));
            write!(f, "{id}:")?;
            if self.subroutines.contains(&id) {
                f.write_str(" subroutine")?;
            }
            if !block.succs.is_empty() {
                f.write_str(" ->")?;
            }
            for s in &block.succs {
                write!(f, " {s}")?;
            }
            f.write_char('\n')?;
            block.fmt(f)?;
        }
        Ok(())
    }
}
